"""What a notebook shows beside the headline table of a result: one small picture, or none."""

from typing import Any

from concord.errors import OptionError, UndefinedError
from concord.people.files import PeopleResult
from concord.people.studies.results import StudiesResult
from concord.show.plot_models import plot_models
from concord.show.svg import Picture

WIDTH = 560.0


def strip_picture(result: Any) -> Picture | None:
    """Return the headline of a result: a strip per model, or its usual picture; ``None`` if none."""
    if isinstance(result, PeopleResult | StudiesResult):
        return plot_models([result], width=WIDTH)
    from concord.show.views import view_of  # views load this module when a result is first shown

    view = view_of(result)
    if not view.drawn_by:
        return None
    try:
        return view.plot(result)
    except (OptionError, UndefinedError):  # this result has nothing to draw: no ranking, no curve
        return None

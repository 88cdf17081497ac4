"""Results as pictures, for notebooks: the same that the page shows."""

from dataclasses import replace

from concord.errors import OptionError
from concord.files.safe_csv import safe_cell
from concord.people.files import DETAILED_COLUMNS, detailed_rows, people_summary
from concord.people.result import PeopleScores
from concord.reasoning.files import ReasoningResult
from concord.show.page import people, reasoning, structure
from concord.show.page.find import Source
from concord.show.page.people_tests import test_row
from concord.show.svg import Picture
from concord.structure.files import StructureResult


def _chosen(pictures: dict[str, Picture], kind: str) -> Picture:
    if kind not in pictures:
        raise OptionError(
            f"there is no picture {kind!r} of this result; expected one of {', '.join(pictures)}"
        )
    return pictures[kind]


def draw_people(scores: PeopleScores, kind: str) -> Picture:
    """Draw agreement with people.

    Parameters
    ----------
    scores
        The numbers.
    kind
        ``scatter``, ``pas``, ``ecs``, ``quadrants``, or the name of a study for its forest plot.
    """
    source = Source("people", None, people_summary(scores), "model", "")
    names = list(DETAILED_COLUMNS)
    rows = [dict(zip(names, map(_text, row), strict=True)) for row in detailed_rows(scores)]
    view = people.view_of(source, [test_row(row) for row in rows])
    if kind in {study.name for study in scores.studies}:
        return people.forest(view, kind)
    return _chosen(people.pictures(view), kind)


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(safe_cell(value))


def draw_structure(result: StructureResult, kind: str, model: str | None) -> Picture:
    """Draw agreement with itself.

    Parameters
    ----------
    result
        The numbers.
    kind
        ``gaps``, ``means`` or ``heat``.
    model
        Whose; the first by default.
    """
    source = Source("structure", None, result.to_dict(), "", "")
    views, _ = structure.structure_views(source)
    cells = {
        one.model: {(row.name, a): s for row in one.items for a, s, *_ in row.scores} for one in result.models
    }
    wanted = [replace(v, cells=cells[v.model]) for v in views if model is None or v.model == model]
    if not wanted:
        raise OptionError(f"there is no model {model!r}; scored: {', '.join(view.model for view in views)}")
    return _chosen(structure.pictures(wanted[0]), kind)


def draw_reasoning(result: ReasoningResult, kind: str) -> Picture:
    """Draw agreement with its own reasoning.

    Parameters
    ----------
    result
        The numbers.
    kind
        ``sensitivity``, ``accuracy`` or ``sweep``.
    """
    view, _ = reasoning.reasoning_view(Source("reasoning", None, result.to_dict(), result.model, ""))
    return _chosen(reasoning.pictures(view), kind)

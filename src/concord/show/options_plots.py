"""Pictures of what options do: accuracy and choices by place."""

from collections.abc import Sequence

from concord.errors import OptionError
from concord.records import Estimate
from concord.show import plots
from concord.show.probe_plots import estimate_mark
from concord.show.svg import Picture
from concord.structure.options.result import OptionResult

KINDS = ("accuracy", "choices")


def places_picture(results: Sequence[OptionResult]) -> Picture:
    """Draw the share of right answers by the place of the right option."""
    marks = [
        estimate_mark(f"{_prefix(result, results)}place {i}", found)
        for result in results
        for i, found in enumerate(result.scores.accuracy_by_place, 1)
    ]
    title = "Right answers by the place of the right option"
    return plots.intervals("option-places", title, marks, label="share of right answers", limits=(0, 1))


def choices_picture(results: Sequence[OptionResult]) -> Picture:
    """Draw how much more often than evenly each place is chosen."""
    marks = [
        estimate_mark(f"{_prefix(result, results)}place {i}", found)
        for result in results
        for i, found in enumerate(result.scores.selection, 1)
    ]
    title = "Choices of each place beyond an even share"
    lines = [(0.0, "0")]
    return plots.intervals("option-choices", title, marks, label="share of choices minus even", lines=lines)


def _prefix(result: OptionResult, results: Sequence[OptionResult]) -> str:
    return f"{result.model}: " if len(results) > 1 else ""


def has_places(result: OptionResult) -> bool:
    """Whether a result has numbers by place."""
    found: tuple[Estimate, ...] = (*result.scores.accuracy_by_place, *result.scores.selection)
    return any(one.value is not None for one in found)


def draw_options(result: OptionResult, kind: str = "accuracy") -> Picture:
    """Draw one picture of a result."""
    if kind not in KINDS:
        raise OptionError(f"no picture {kind!r} of options; there are {', '.join(KINDS)}")
    if not has_places(result):
        raise OptionError(f"{result.model}: {result.scores.rstd.note}; there are no places to draw")
    return places_picture([result]) if kind == "accuracy" else choices_picture([result])

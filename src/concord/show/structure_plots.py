"""Pictures of agreement with itself, of judges and of options, from their records."""

from collections.abc import Sequence
from typing import Any

from concord.records import Estimate
from concord.show import plots
from concord.show.plots import estimate_mark
from concord.show.svg import Picture
from concord.structure.judging.result import JudgeResult
from concord.structure.options.result import OptionResult


def judge_picture(result: JudgeResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw every judge's preference for the first seat with its interval."""
    found = [(one.judge, one.numbers["preference"]) for one in result.judges]
    marks = [estimate_mark(name, one) for name, one in found if one.value is not None]
    if not marks:
        return None
    return plots.intervals(
        "judges",
        "Preference for the first seat",
        marks,
        label="votes for the first seat minus 1/2 (0: no preference)",
        limits=(-0.5, 0.5),
        width=units,
    )


def places_picture(result: OptionResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the share of right answers by the place of the right option."""
    return _by_place(
        "option-places",
        "Right answers by the place of the right option",
        result.scores.accuracy_by_place,
        label="share of right answers",
        limits=(0, 1),
        width=units,
    )


def choices_picture(result: OptionResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw how much more often than evenly each place is chosen."""
    return _by_place(
        "option-choices",
        "Choices of each place beyond an even share",
        result.scores.selection,
        label="share of choices minus even",
        lines=[(0.0, "0")],
        width=units,
    )


def _by_place(name: str, title: str, found: Sequence[Estimate], **look: Any) -> Picture | None:
    """Draw numbers place by place; nothing where none is defined."""
    if all(one.value is None for one in found):
        return None
    marks = [estimate_mark(f"place {i}", one) for i, one in enumerate(found, 1)]
    return plots.intervals(name, title, marks, **look)

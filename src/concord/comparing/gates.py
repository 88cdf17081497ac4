"""Gates of a pipeline: whether the first model is shown to be worse, or as good, and what the gate can see.

Both read the printed interval: worse where it lies wholly below −margin, as good where it lies wholly above.
Against several models its level is 1 − (1 − level)/k, so that one false alarm among all is as rare as of one.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from concord.records import Estimate, Interval
from concord.stats.leaderboard import POWER, smallest_found, studies_needed
from concord.words import say

MOST_NEEDED = 10_000_000
_NORMAL = 1e9
"""Degrees of freedom of a normal."""


@dataclass(frozen=True, slots=True)
class Against:
    """The first model against another: how much better, with the ends of the interval; negative is worse."""

    other: str
    better_by: float | None
    low: float | None
    high: float | None
    level: float
    """Of the interval."""
    is_worse: bool
    """Whether it is shown to be worse: the interval lies wholly below −margin."""
    is_as_good: bool
    """Whether it is shown to be as good: the interval lies wholly above −margin."""
    n: int | None
    """Independent units that the interval rests on."""
    noticed: float | None
    """The drop with which the gate fails in 80 %."""
    needed: int | None
    """Units needed for `needed_for`."""
    needed_for: float | None
    """A drop that is noticed with 80 %; of *as good* 0: a model that is as good passes with 80 %."""
    note: str = ""
    """Why there is no interval."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What was asked, and against whom the first model fails it."""

    rule: str
    """``fail_if_worse`` or ``fail_unless_as_good``."""
    model: str
    metric: str
    margin: float
    units: str
    against: tuple[Against, ...]

    @property
    def as_good(self) -> bool:
        """Whether the gate fails unless the model is shown to be as good."""
        return self.rule == "fail_unless_as_good"

    def fails(self, one: Against) -> bool:
        """Whether the first model fails against one other."""
        return not one.is_as_good if self.as_good else one.is_worse

    @property
    def failed(self) -> bool:
        """Whether it fails against any."""
        return any(map(self.fails, self.against))

    @property
    def found(self) -> bool:
        """Whether the model is shown to be worse than any other."""
        return any(one.is_worse for one in self.against)

    @property
    def sentence(self) -> str:
        """Return the finding in words, with what the gate could have seen."""
        failing = [one for one in self.against if self.fails(one)]
        shown = failing if failing else self.against
        numbers = "; ".join(filter(None, map(self._numbers, shown[:3])))
        untested = [one for one in self.against if one.low is None and not self.fails(one)]
        head = self._head([one.other for one in failing])
        lost = ", ".join(one.other for one in untested)
        words = {"metric": self.metric, "numbers": numbers, "untested": lost, "sight": self.sight()}
        return say("compare.gate.said", head=head, **words).strip()

    def _head(self, failing: Sequence[str]) -> str:
        beyond = say("compare.gate.beyond", margin=f"{self.margin:g}") if self.margin else ""
        others = ", ".join(failing if failing else [one.other for one in self.against])
        if not self.as_good and not failing:
            return say("compare.gate.no_regression", model=self.model, beyond=beyond)
        verdict = "regression" if not self.as_good else "not_as_good" if failing else "as_good"
        return say(f"compare.verdict.{verdict}", model=self.model, beyond=beyond, others=others)

    def _numbers(self, one: Against) -> str:
        if one.better_by is None or one.low is None or one.high is None:
            return one.note
        ends = Interval(one.low, one.high, one.level, "")
        return say("compare.gate.numbers", value=one.better_by, level=one.level, ends=ends)

    def sight(self) -> str:
        """Say which drop the gate would have noticed with 80 %, and how many units are needed."""
        known = [one for one in self.against if one.noticed is not None and one.n is not None]
        if not known:
            return ""
        one = max(known, key=lambda each: each.noticed if each.noticed is not None else 0.0)
        assert one.noticed is not None and one.n is not None  # noqa: S101 - the known ones
        counts = {"n": one.n, "units": self.units, "power": POWER}
        if self.as_good:
            drop = (
                say("compare.gate.drop_fails", drop=one.noticed, **counts)
                if one.noticed > 0
                else say("compare.gate.good_fails", **counts)
            )
            more = None if one.needed is None or one.needed <= one.n else one.needed
            return say("compare.gate.pass_needs", drop=drop, more=more, units=self.units, power=POWER)
        smaller, more = one.needed_for, one.needed
        return say("compare.gate.noticed", drop=one.noticed, smaller=smaller, more=more, **counts)

    def to_dict(self) -> dict[str, Any]:
        """Return what `comparison.json` says."""
        return {**asdict(self), "found": self.found, "failed": self.failed, "sentence": self.sentence}


_Held = tuple[str, Estimate, int | None]
"""Another model, the first minus it in the direction in which more is better, and independent units."""


def gate_of(
    rule: str, model: str, told: tuple[str, str], pairs: Sequence[_Held], *, margin: float, level: float
) -> Gate:
    """Hold the first model against every other; told are the metric and what its units are called."""
    each = 1 - (1 - level) / max(1, len(pairs))
    as_good = rule == "fail_unless_as_good"
    against = tuple(_against(*one, margin, each, as_good=as_good) for one in pairs)
    return Gate(rule, model, told[0], margin, told[1], against)


def _against(
    other: str, better: Estimate, n: int | None, margin: float, level: float, *, as_good: bool
) -> Against:
    value, ends = better.value, better.interval
    if value is None or ends is None or n is None or n < 2:
        note = better.note if better.note else say("compare.gate.no_interval")
        return Against(other, value, None, None, level, False, False, n, None, None, None, note)
    df = _NORMAL if ends.method.startswith("Bonett") else float(n - 1)
    had, wanted = (float(stdtrit(df, 0.5 + each / 2)) for each in (ends.level, level))
    low, high = value - (value - ends.low) * wanted / had, value + (ends.high - value) * wanted / had
    if math.isclose(ends.level, level):
        low, high = ends.low, ends.high
    se = _standard_error((ends.high - ends.low) / 2 / had, value, n, counted=df == _NORMAL)
    factor = float(smallest_found(np.asarray(1.0), np.asarray(df), 1 - level))
    if as_good:
        noticed, needed_for = (
            _solved(lambda drop: margin - (wanted - float(stdtrit(df, POWER))) * se(drop)),
            0.0,
        )
    else:
        noticed = _solved(lambda drop: margin + factor * se(drop))
        needed_for = 2 * margin if margin else noticed / 2
    target = margin if as_good else needed_for - margin
    needed = studies_needed(se(needed_for), n, target, 1, level=level, lost_df=1, most=MOST_NEEDED)
    return Against(
        other, value, low, high, level, high < -margin, low > -margin, n, noticed, needed, needed_for
    )


def _standard_error(se: float, value: float, n: int, *, counted: bool) -> Callable[[float], float]:
    """Return the standard error by the drop: of right and wrong answers a drop makes more items differ."""
    # n SE² = D − drop², where D, the share of items that differ, is at least what is there without the
    # observed difference and the drop.
    if not counted:
        return lambda drop: se
    differ = n * se**2 + value**2
    return lambda drop: math.sqrt(max(se**2, (max(differ, differ - abs(value) + drop) - drop**2) / n))


def _solved(of: Callable[[float], float]) -> float:
    """Return the drop that equals what is noticed at it."""
    drop = of(0.0)
    for _ in range(60):
        drop = of(max(0.0, drop))
    return drop

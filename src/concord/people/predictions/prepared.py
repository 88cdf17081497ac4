"""Effects and predictions as arrays, laid out once, so that numbers on many parts of them follow fast."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.people.predictions.conclusions import Conclusions, conclude
from concord.people.predictions.controls import (
    SharedControl,
    Sides,
    moved_effects,
    shared_controls,
    shared_noise,
)
from concord.people.predictions.result import METRICS
from concord.stats.elementwise import Floats
from concord.stats.predicted_effects import MIN_PAIRS, effects_pearson, predicted_effects

Codes = NDArray[np.intp]
CONCLUDED = ("pas", "apr")
"""Means over effects of what each lets one conclude."""


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Effects of people and the predictions of one agent, ready to be counted in part."""

    sides: Sides
    h: Floats
    s: Floats
    a: Floats
    e: Floats
    """Standard errors of predictions, NaN where unknown."""
    codes: tuple[Codes, Codes, Codes]
    """Of outcomes, and of the different sizes of measured and of predicted effects, in their order."""
    controls: tuple[SharedControl, ...]
    control_of: Codes
    """The control group that an effect shares with others, -1 where none."""
    pas: Floats
    passes: Floats
    note: str
    """How conclusions were drawn."""

    def values(self, kept: object = None) -> dict[str, float]:
        """Compute every number on some of the effects, all by default; NaN where undefined."""
        chosen = slice(None) if kept is None else np.asarray(kept)
        h, s, a, e = self.h[chosen], self.s[chosen], self.a[chosen], self.e[chosen]
        if h.size < MIN_PAIRS:
            return dict.fromkeys(METRICS, np.nan)
        outcomes, *sizes = (code[chosen] for code in self.codes)
        known = not np.isnan(e).any()
        fit = predicted_effects(
            h,
            a,
            human_se=s,
            agent_se=e if known else None,
            shared=shared_noise(self.controls, self.control_of[chosen]),
            ranks=(_tied_ranks(sizes[0]), _tied_ranks(sizes[1])),
        )
        apart = ("pearson_within", *CONCLUDED)
        values = {name: float(getattr(fit, name)) for name in METRICS if name not in apart}
        inside = effects_pearson(_inside_outcomes(h, outcomes), _inside_outcomes(a, outcomes))
        concluded = {"pas": _mean_known(self.pas[chosen]), "apr": _mean_known(self.passes[chosen])}
        return values | {"pearson_within": inside} | concluded

    def moved(self, control: SharedControl, by: float, *, people: bool) -> dict[str, float]:
        """Compute every number with the effects, or the predictions, of one control group moved.

        What an effect lets one conclude is its own matter, so only the moved ones are concluded anew.
        """
        pairs, predictions = ([side[i] for i in control.members.tolist()] for side in self.sides)
        if people:
            found = conclude(moved_effects(pairs, by), predictions)
        else:
            found = conclude(pairs, moved_effects(predictions, by))
        pas, passes = self.pas.copy(), self.passes.copy()
        pas[control.members], passes[control.members] = found.pas, found.passes
        h, a = self.h.copy(), self.a.copy()
        (h if people else a)[control.members] += by
        outcomes, measured, predicted = self.codes
        codes = (outcomes, _codes(h), predicted) if people else (outcomes, measured, _codes(a))
        return replace(self, h=h, a=a, codes=codes, pas=pas, passes=passes).values()


def prepare(sides: Sides, found: Conclusions | None = None) -> Prepared:
    """Lay out effects and predictions."""
    pairs, predictions = sides
    found = conclude(pairs, predictions) if found is None else found
    h, s = (np.array([getattr(pair, name) for pair in pairs]) for name in ("estimate", "se"))
    a = np.array([one.estimate for one in predictions])
    e = np.array([np.nan if one.se is None else one.se for one in predictions])
    controls = tuple(shared_controls(pairs, predictions))
    control_of = np.full(len(pairs), -1, dtype=np.intp)
    for number, control in enumerate(controls):
        control_of[control.members] = number
    outcomes = number_codes([pair.outcome for pair in pairs])
    codes = (outcomes, _codes(h), _codes(a))
    return Prepared(sides, h, s, a, e, codes, controls, control_of, found.pas, found.passes, found.note)


def number_codes(names: Sequence[str]) -> Codes:
    """Return numbers of different names in the order in which they first appear."""
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)


def without_each(prepared: Sequence[Prepared], clusters: Codes) -> list[list[dict[str, float]]]:
    """Compute every number without one cluster at a time, for each of several on the same effects."""
    kept = (clusters != cluster for cluster in range(int(clusters.max()) + 1))
    return [[one.values(chosen) for one in prepared] for chosen in kept]


def _codes(values: Floats) -> Codes:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.intp)


def _tied_ranks(sizes: Codes) -> Floats:
    """Return ranks from 1, ties at their mean, of values that are given by their places among all sizes."""
    counts = np.bincount(sizes)
    up_to = np.cumsum(counts)
    return np.asarray(((2 * up_to - counts + 1) / 2)[sizes])


def _inside_outcomes(values: Floats, outcomes: Codes) -> Floats:
    """Subtract each outcome's mean."""
    means = np.bincount(outcomes, weights=values) / np.maximum(np.bincount(outcomes), 1)
    return np.asarray(values - means[outcomes])


def _mean_known(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")

"""Effects and predictions as arrays, laid out once: conclusions, shared controls, numbers on any part."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from concord.files.gate import refuse_more
from concord.files.limits import CONTROL_GROUPS, LEFT_OUT
from concord.people.families.coefficient import Coefficients
from concord.people.predictions.result import METRICS
from concord.people.predictions.table import EffectPair, Prediction
from concord.people.protocol import STANDARD
from concord.stats import pvalues
from concord.stats.elementwise import Floats, or_none
from concord.stats.pooling import pas_states, posterior_states
from concord.stats.predicted_effects import (
    MIN_PAIRS,
    effects_pearson,
    log_bf_unit_information,
    predicted_effects,
    prob_positive_unit_information,
)

ALPHA = 0.05
FEWEST = 4
"""Participants below which a coefficient has no t."""
BY_T = "t = estimate / SE with n − 2 degrees of freedom"
BY_UNIT = "n not given: z = estimate / SE, unit-information prior (Jeffreys approximate Bayes factor)"
SUPPOSED_SD = "the SD of an answer is supposed to be that of uniform answers on the scale"
PEOPLES_SE = "agent_se not given: predictions are read at people's standard error"
NO_PRIOR = "undefined: without n, an effect needs its scale (scale_min and scale_max) or human_sd"


@dataclass(frozen=True, slots=True)
class Conclusions:
    """Scores of effects, NaN where undefined, and how they were made."""

    pas: Floats
    passes: Floats
    """1 where the agent's effect is significant in the human direction, else 0."""
    note: str


def conclude(pairs: Sequence[EffectPair], predictions: Sequence[Prediction]) -> Conclusions:
    """Compute PAS and pass of every effect under the standard protocol."""
    # Both sides have the prior of people's answers: an agent that varies too little must not get a narrower
    # one. A prediction without a standard error is read as if it had been seen in people's own sample.
    h, s = (
        np.array([getattr(pair, name) for pair in pairs], dtype=np.float64) for name in ("estimate", "se")
    )
    n, sd = (_or_nans([getattr(pair, name) for pair in pairs]) for name in ("n", "sd"))
    a = np.array([one.estimate for one in predictions], dtype=np.float64)
    e, m = (_or_nans([getattr(one, name) for one in predictions]) for name in ("se", "n"))
    bare = ~(e > 0)
    e, m = np.where(bare, s, e), np.where(bare, n, m)
    people, p_people = _states_and_p(h, s, n, sd)
    agent, p_agent = _states_and_p(a, e, m, sd)
    pas = np.asarray(pas_states(people, agent))
    same = (p_agent < ALPHA) & (np.sign(h) == np.sign(a))
    passes = np.where(np.isnan(p_people) | np.isnan(p_agent), np.nan, same)
    return Conclusions(pas, passes, _how_words(pairs, n, m, bare))


def _or_nans(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _states_and_p(b: Floats, se: Floats, n: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Return the three states of every effect (up, down, none), and p; by t where n is known."""
    counted = n >= FEWEST
    log_bf = log_bf_unit_information(b, se, sd)
    positive = prob_positive_unit_information(b, se, sd)
    p = np.where(np.isnan(b / se), np.nan, np.asarray(pvalues.p_z(b / se)))
    if counted.any():
        size = n[counted]
        nothing = np.full(size.shape, np.nan)
        tests = Coefficients(
            logistic=False, b=b[counted], se=se[counted], df=size - 2, n=size, p_value=nothing
        )
        found = tests.evidence(STANDARD)
        log_bf[counted], positive[counted], p[counted] = found.log_bf, found.prob_positive, found.p_value
    return posterior_states(log_bf, positive), p


def _how_words(pairs: Sequence[EffectPair], n: Floats, m: Floats, bare: NDArray[np.bool_]) -> str:
    """Say how conclusions were drawn: by t or by z, and what had to be supposed."""
    by_t = (n >= FEWEST) & (m >= FEWEST)
    parts = [BY_T] if by_t.any() else []
    if not by_t.all():
        parts.append(BY_UNIT)
        if any(pair.sd_is_supposed for pair, known in zip(pairs, by_t, strict=True) if not known):
            parts.append(SUPPOSED_SD)
    if bare.any():
        parts.append(PEOPLES_SE)
    return "; ".join(parts)


_Effect = TypeVar("_Effect", EffectPair, Prediction)
Sides = tuple[Sequence[EffectPair], Sequence[Prediction]]


@dataclass(frozen=True, slots=True, eq=False)
class SharedControl:
    """The effects of one outcome that were measured against the same control group."""

    members: NDArray[np.intp]
    se: float
    """Standard error of the control group's mean, in the unit of the effects."""
    agent_se: float
    """The same of the agent's control group: as large a part of its errors as of people's; 0 if unknown."""


def shared_controls(pairs: Sequence[EffectPair], predictions: Sequence[Prediction]) -> list[SharedControl]:
    """Return the control groups that two effects or more of these share."""
    return [_of_group(pairs, predictions, found) for found in _control_groups(pairs) if len(found) > 1]


def _control_groups(pairs: Sequence[EffectPair]) -> list[dict[int, float]]:
    """Return the effects of every control group whose error is known, each with that error."""
    groups: dict[tuple[str, str, str], dict[int, float]] = {}
    for i, pair in enumerate(pairs):
        if pair.control_se is not None:
            groups.setdefault((pair.study, pair.outcome, pair.control), {})[i] = pair.control_se
    return list(groups.values())


def _of_group(
    pairs: Sequence[EffectPair], predictions: Sequence[Prediction], found: Mapping[int, float]
) -> SharedControl:
    common = float(np.median(list(found.values())))
    part = common**2 / float(np.mean([pairs[i].se ** 2 for i in found]))
    errors = [predictions[i].se for i in found]
    theirs = 0.0 if None in errors else float(np.mean([e**2 for e in errors if e is not None]))
    return SharedControl(np.array(list(found)), common, math.sqrt(part * theirs))


def split_controls(pairs: Sequence[EffectPair], codes: Sequence[str]) -> bool:
    """Whether a control group lies in several clusters, so that leaving one out does not show its error."""
    return any(len({codes[i] for i in found}) > 1 for found in _control_groups(pairs))


def shared_noise(controls: Sequence[SharedControl], control_of: NDArray[np.intp]) -> tuple[float, float]:
    r"""Compute the mean covariance of the errors of two effects, of people and of the agent.

    .. math:: \frac{1}{m(m - 1)} \sum_{i \ne j} \mathrm{cov}(e_i, e_j)

    It does not make effects differ, so it is not taken off their variance.
    """
    m = control_of.size
    if m < 2 or not controls:
        return 0.0, 0.0
    sizes = np.bincount(control_of[control_of >= 0], minlength=len(controls))
    pairs = sizes * (sizes - 1) / (m * (m - 1))
    people, agent = np.array([(one.se**2, one.agent_se**2) for one in controls]).T
    return float(pairs @ people), float(pairs @ agent)


def moved_effects(effects: Sequence[_Effect], by: float) -> list[_Effect]:
    """Return effects, each moved by the same."""
    return [replace(one, estimate=one.estimate + by) for one in effects]


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
        """Compute every number with the effects, or the predictions, of one control group moved."""
        # What an effect lets one conclude is its own matter, so only the moved ones are concluded anew.
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


MIN_CLUSTERS = 3
REASONS = {
    "pearson": "a model that predicts one number has no correlation",
    "pearson_within": "no outcome has two effects that differ",
    "spearman": "a model that predicts one number has no correlation",
    "pearson_adjusted": "people's effects vary no more than their standard errors, or predictions not at all",
    "slope": "a model that predicts one number has no slope",
    "intercept": "a model that predicts one number has no line",
    "slope_adjusted": "predictions vary no more than their standard errors",
    "size_ratio": "people's effects, or the predictions, are no larger than their standard errors",
    "pas": NO_PRIOR,
    "apr": NO_PRIOR,
}
"""Why a number is undefined, by its name."""


def own_value(pairs: Sequence[EffectPair], predictions: Sequence[Prediction], metric: str) -> float | None:
    """Compute one number of one agent on these effects; None where it is undefined."""
    return or_none(prepare((pairs, predictions)).values()[metric])


def by_cluster(values: Sequence[float] | Floats, labels: NDArray[np.str_]) -> Floats:
    """Add up numbers of the same cluster."""
    _, codes = np.unique(labels, return_inverse=True)
    return np.asarray(np.bincount(codes, weights=np.asarray(values)), dtype=np.float64)


def left_out(pairs: Sequence[EffectPair]) -> tuple[str, list[str]]:
    """Choose what is left out one at a time: studies, else interventions, else single effects."""
    # Of more than `LEFT_OUT` of them groups are left out, each as large as the others or one larger: the
    # variance is estimated as well from a thousand groups, and the work does not grow with their square.
    for what, codes in (
        ("studies", [pair.study for pair in pairs]),
        ("interventions", [f"{pair.study}\n{pair.condition}" for pair in pairs]),
    ):
        if len(set(codes)) >= MIN_CLUSTERS:
            return _grouped(what, codes)
    return _grouped("effects", [str(i) for i in range(len(pairs))])


def _grouped(what: str, codes: list[str]) -> tuple[str, list[str]]:
    if len(set(codes)) <= LEFT_OUT:
        return what, codes
    return f"{LEFT_OUT:,} groups of {what}", [str(code % LEFT_OUT) for code in number_codes(codes).tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """Half the difference that moving each control group up and down makes: a row each, in METRICS' order."""

    people: Floats
    own: Floats
    """Of the agent's own control groups, which no other agent has."""

    def variance(self) -> dict[str, float]:
        """Compute the variance that control groups give to every number; NaN where undefined when moved."""
        return _named_sums(np.concatenate([self.people, self.own]))


def influence(prepared: Prepared) -> Influence:
    """Move every control group of one agent's effects."""
    controls = prepared.controls
    advice = "score studies with several outcomes in several files"
    refuse_more(len(controls), CONTROL_GROUPS, "shared control groups", "the table of effects", advice)
    return Influence(
        _moved_rows([_half(prepared, one, one.se, people=True) for one in controls]),
        _moved_rows(
            [_half(prepared, one, one.agent_se, people=False) for one in controls if one.agent_se > 0]
        ),
    )


def difference_variance(first: Influence, second: Influence) -> dict[str, float]:
    """Compute the variance that control groups give to the difference of two agents on the same effects."""
    return _named_sums(np.concatenate([first.people - second.people, first.own, second.own]))


def _half(prepared: Prepared, control: SharedControl, by: float, *, people: bool) -> list[float]:
    high, low = (prepared.moved(control, way * by, people=people) for way in (1, -1))
    return [(high[name] - low[name]) / 2 for name in METRICS]


def _moved_rows(found: list[list[float]]) -> Floats:
    return np.array(found, dtype=np.float64).reshape(len(found), len(METRICS))


def _named_sums(rows: Floats) -> dict[str, float]:
    return dict(zip(METRICS, (rows**2).sum(axis=0).tolist(), strict=True))

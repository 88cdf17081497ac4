"""How large the agent's effects are against the human ones, and how far ECS depends on the coding of tests.

Every number is a quotient of sums over tests, so leaving out a study is leaving out its part of the sums:
arrays of shape (..., T) go in, numbers of shape (...) and their values without each study (..., S) come out.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.errors import UndefinedError
from concord.number_words import number
from concord.people.protocol import Protocol
from concord.people.result import EffectSizes, SelectedSizes
from concord.people.score.levels import FEWEST_TESTS, Layout, ecs_weights, used_tests
from concord.people.score.test_scores import TestScores
from concord.people.words import coding_decides
from concord.records import Estimate, Interval, TestRow
from concord.stats.agreement import concordance, concordance_about_zero, concordance_unnormalised
from concord.stats.clustered import clustered_median
from concord.stats.elementwise import Bools, Floats
from concord.stats.intervals import FEWEST_CLUSTERS, effective_clusters, jackknife_t

MOST_APART = 10
"""Factor between the ends of a size ratio beyond which it says nothing."""


class SizeSums(NamedTuple):
    """What the sizes are quotients of: sums over the tests of each study, (..., S)."""

    agent: Floats
    """Of d² - SE² of the agent; like the next over tests with both effects, directed or not, and errors."""
    human: Floats
    n: Floats
    w: Floats
    x: Floats
    """Weighted sums of the human d, and so on: over all tests that ECS uses."""
    y: Floats
    xx: Floats
    yy: Floats
    xy: Floats
    noise_x: Floats
    """Weighted sum of the squared standard errors of the human d; NaN where one of them is missing."""
    noise_y: Floats


class SizedEffects(NamedTuple):
    """|d| of both sides with standard errors, and where all of them are known."""

    human: Floats
    human_se: Floats
    agent: Floats
    agent_se: Floats
    known: Bools


def sized_effects(scores: TestScores, errors: tuple[Floats, ...], layout: Layout) -> SizedEffects:
    """Return sizes of effects: of tests that ECS uses, and of F and χ² with one degree of freedom."""
    used = used_tests(scores)
    known = used & ~np.isnan(errors[0]) & ~np.isnan(errors[1])
    more = np.array([[_undirected(row, name) for name in ("human", "agent")] for row in layout.rows])
    (human, human_se), (agent, agent_se) = (
        (np.where(used, np.abs(d), more[:, i, 0]), np.where(used, errors[i], more[:, i, 1]))
        for i, d in enumerate((scores.human_d, scores.agent_d))
    )
    known |= ~used & ~np.isnan(more).any(axis=(1, 2))
    return SizedEffects(human, human_se, agent, agent_se, known)


def _undirected(row: TestRow, name: str) -> tuple[float, float]:
    """Return |d| and its error of an F or χ² with one degree of freedom; NaN for every other test."""
    side = getattr(row, name)
    nothing = (float("nan"), float("nan"))
    if (
        side is None
        or side.df1 != 1
        or side.statistic is None
        or row.test_type not in ("anova", "chi-square")
    ):
        return nothing
    sizes = [n for n in (side.n1, side.n2) if n]
    total = sum(sizes) if len(sizes) == 2 else side.n
    if total is None and row.test_type == "anova" and side.df2 is not None:
        total = side.df2 + 2
    if not total or total <= 2:
        return nothing
    scale = sum(1 / n for n in sizes) if len(sizes) == 2 else 4 / total
    if row.test_type == "anova":
        d2 = side.statistic * scale
    else:  # φ² = χ²/N, and d as that of a correlation φ
        d2 = 4 * side.statistic / (total - side.statistic) if side.statistic < total else float("nan")
    return float(d2**0.5), float((scale + d2 / (2 * total)) ** 0.5)


def size_sums(
    scores: TestScores, errors: tuple[Floats, Floats], layout: Layout, protocol: Protocol
) -> SizeSums:
    """Add up what the sizes are made from; `errors` are the standard errors of human and agent d."""
    used = used_tests(scores)
    x, y = np.where(used, scores.human_d, 0.0), np.where(used, scores.agent_d, 0.0)
    weights = ecs_weights(used, layout, protocol)
    human_se, agent_se = (np.broadcast_to(se, used.shape) for se in errors)
    sized = sized_effects(scores, (human_se, agent_se), layout)

    def by_study(values: Floats) -> Floats:
        starts = np.searchsorted(layout.study_of_test, np.arange(len(layout.studies)))
        return np.asarray(np.add.reduceat(values, starts, axis=-1))

    def noise(se: Floats) -> Floats:
        return by_study(np.where(used, weights * se**2, 0.0))

    return SizeSums(
        agent=by_study(np.where(sized.known, sized.agent**2 - sized.agent_se**2, 0.0)),
        human=by_study(np.where(sized.known, sized.human**2 - sized.human_se**2, 0.0)),
        n=by_study(sized.known.astype(np.float64)),
        w=by_study(weights),
        x=by_study(weights * x),
        y=by_study(weights * y),
        xx=by_study(weights * x * x),
        yy=by_study(weights * y * y),
        xy=by_study(weights * x * y),
        noise_x=noise(human_se),
        noise_y=noise(agent_se),
    )


def _log_ratio(part: SizeSums) -> Floats:
    """Half the log of the quotient of mean squared true effects; NaN where one is not above 0."""
    good = (part.agent > 0) & (part.human > 0)
    agent, human = (np.where(good, values, 1.0) for values in (part.agent, part.human))
    return np.where(good, 0.5 * np.log(agent / human), np.nan)


def _moments(part: SizeSums) -> tuple[Floats, Floats, Floats]:
    """Weighted variance of the human d, covariance with the agent's, and mean noise variance."""
    w = np.where(part.w > 0, part.w, np.nan)
    mean_x, mean_y = part.x / w, part.y / w
    return part.xx / w - mean_x**2, part.xy / w - mean_x * mean_y, part.noise_x / w


def _slope(part: SizeSums) -> Floats:
    variance, covariance, _ = _moments(part)
    return _quotient(covariance, variance)


def _corrected_slope(part: SizeSums) -> Floats:
    """Errors-in-variables slope with known error variances of the human d."""
    variance, covariance, noise = _moments(part)
    return _quotient(covariance, variance - noise)


def _calibration(part: SizeSums) -> Floats:
    return _quotient(part.xy, part.yy)


def _quotient(above: Floats, below: Floats) -> Floats:
    good = below > 1e-12
    return np.where(good, above / np.where(good, below, 1.0), np.nan)


MEASURES: dict[str, tuple[Callable[[SizeSums], Floats], str]] = {
    "size_ratio": (_log_ratio, "√(mean(d² − SE²) of the model / of people)"),
    "slope": (_slope, "model d on human d, least squares: attenuated by the errors of the human d"),
    "slope_corrected": (_corrected_slope, "model d on human d, errors in variables with known variances"),
    "calibration": (_calibration, "human d on model d through zero: multiply predictions by it"),
    "calibration_adjusted": (
        lambda part: _quotient(part.xy, part.yy - part.noise_y),
        "human d on model d through zero, the errors of the model d taken off",
    ),
}


def with_and_without(sums: SizeSums) -> tuple[SizeSums, SizeSums]:
    """Return the sums over all studies, and without each study in turn."""
    each = np.stack(sums)
    whole = each.sum(axis=-1)
    return SizeSums(*whole), SizeSums(*(whole[..., None] - each))


def effect_sizes(
    scores: TestScores,
    errors: tuple[Floats, Floats],
    layout: Layout,
    protocol: Protocol,
    level: float,
    adjusted: tuple[Floats, Floats] | None = None,
) -> EffectSizes:
    """Return the sizes of one agent's effects over studies, ECS by coding, and what is claimed of size.

    `adjusted` are human d and standard errors with selection undone.
    """
    sums, used = size_sums(scores, errors, layout, protocol), used_tests(scores)
    parts, n_used = with_and_without(sums), int(used.sum())
    found = {name: _size(name, sums, parts, n_used, level) for name in MEASURES}
    median = median_ratio(scores, errors, layout, level)
    selected, claim = None, _size_claim(found["size_ratio"], median)
    excess = None if adjusted is None else excess_significance(scores, errors[0], adjusted[0])
    if excess is not None and adjusted is not None:
        undone, of_both = replace(scores, human_d=adjusted[0]), (adjusted[1], errors[1])
        ratio, stricter = (
            size_ratio(undone, of_both, layout, protocol, one) for one in (level, 0.5 + level / 2)
        )
        selected = SelectedSizes(*excess, ratio, median_ratio(undone, errors, layout, level))
        # selection makes human effects too large, never too small; half the error is kept for undoing it
        if claim == "smaller" and _size_claim(stricter, selected.median_ratio) != claim:
            claim = ""
    return EffectSizes(
        **found,
        ecs_codings=ecs_codings(scores, used, layout, protocol),
        median_ratio=median,
        selected=selected,
        claim=claim,
    )


def _size_claim(ratio: Estimate, median: Estimate) -> str:
    """Return ``larger`` or ``smaller`` where the interval of the size ratio says so and the median agrees."""
    side, middle = _log_of(ratio), _log_of(median)
    ends = ratio.interval
    if ends is None or side * middle <= 0 or ends.low <= 1 <= ends.high:
        return ""
    return "larger" if side > 0 else "smaller"


def _log_of(ratio: Estimate) -> float:
    """Return the log of a ratio; 0, which agrees with nothing, where there is none."""
    return 0.0 if ratio.value is None or ratio.value <= 0 else float(np.log(ratio.value))


MEDIAN = "median over tests of |d| of the model / |d| of people"


def median_ratio(scores: TestScores, errors: tuple[Floats, Floats], layout: Layout, level: float) -> Estimate:
    """Return the median ratio of |d| with the interval of a sign test over studies."""
    sized = sized_effects(scores, errors, layout)
    with np.errstate(invalid="ignore"):
        known = sized.known & (sized.human > 0)
    n = int(known.sum())
    if n < FEWEST_TESTS:
        return Estimate(None, n=n, note=f"undefined: {n} test(s) with what it needs, at least 3 are needed")
    with np.errstate(
        over="ignore"
    ):  # people's effect may be as good as nothing: an infinite ratio is one above
        ratios, studies = sized.agent[known] / sized.human[known], layout.study_of_test[known]
    k = len(np.unique(studies))
    if k < FEWEST_CLUSTERS:
        note = f"withheld: at least {FEWEST_CLUSTERS} clusters are needed, {k} found"
        return Estimate(float(np.median(ratios)), n=n, method=MEDIAN, note=note)
    value, low, high = clustered_median(ratios, studies, level=level)
    if low <= 0 or not np.isfinite(high):
        note = f"no interval: with {k} studies a sign test excludes nothing on one side"
        return Estimate(value, n=n, method=MEDIAN, note=note)
    return Estimate(value, Interval(low, high, level, f"sign test over {k} studies"), n, method=MEDIAN)


MOSTLY = 0.8
"""Share of significant human tests from which on they may have been selected."""


class Excess(NamedTuple):
    """Significant human tests beyond what their power explains."""

    significant: int
    n: int
    expected: float


def excess_significance(scores: TestScores, human_se: Floats, adjusted: Floats) -> Excess | None:
    """Test for excess significance (Ioannidis & Trikalinos 2007), one-sided at 5 %; None where it is not."""
    known = np.isfinite(adjusted) & ~np.isnan(human_se)
    z = np.abs(adjusted[known]) / human_se[known]
    border = special.ndtri(0.975)
    power = special.ndtr(z - border) + special.ndtr(-z - border)
    n, significant = int(known.sum()), int((scores.human_significant[known] == 1).sum())
    expected, spread = float(power.sum()), float(np.sqrt((power * (1 - power)).sum()))
    if significant < MOSTLY * n or significant - 0.5 - expected <= special.ndtri(0.95) * spread:
        return None
    return Excess(significant, n, expected)


def size_ratio(
    scores: TestScores, errors: tuple[Floats, Floats], layout: Layout, protocol: Protocol, level: float
) -> Estimate:
    """Return the size ratio alone."""
    sums = size_sums(scores, errors, layout, protocol)
    return _size("size_ratio", sums, with_and_without(sums), int(used_tests(scores).sum()), level)


def _size(name: str, sums: SizeSums, parts: tuple[SizeSums, SizeSums], n_used: int, level: float) -> Estimate:
    """Return one of the sizes, given the sums with all studies and without each."""
    measure, method = MEASURES[name]
    whole, without = float(measure(parts[0])), measure(parts[1])
    counted = (sums.n if name == "size_ratio" else sums.w) > 0
    n = int(sums.n.sum()) if name == "size_ratio" else n_used
    shared = name == "size_ratio" and not np.isnan(whole)
    effective = effective_clusters(sums.agent, sums.human) if shared else None
    return _estimate((whole, without[counted]), n, level, method, effective)


def _estimate(
    values: tuple[float, Floats], n: int, level: float, method: str, effective: float | None
) -> Estimate:
    """Return a number with its interval; a log ratio, which has effective studies, as a ratio."""
    whole, without = values
    if n < FEWEST_TESTS:
        return Estimate(None, n=n, note=f"undefined: {n} test(s) with what it needs, at least 3 are needed")
    if np.isnan(whole):
        note = "undefined: the effects of one side are no larger than their errors make them"
        return Estimate(None, n=n, method=method, note=note)
    value = whole if effective is None else float(np.exp(whole))
    interval, note = _interval(whole, without, level, effective)
    if effective is not None and note.endswith("say nothing"):
        return Estimate(None, n=n, method=method, note=note)
    return Estimate(value, interval, n, method=method, note=note)


def _interval(
    whole: float, without: Floats, level: float, effective: float | None
) -> tuple[Interval | None, str]:
    """Return the jackknife-t interval; of a log ratio with as many degrees of freedom as effective studies.

    A few studies with large effects carry most of the sums, so that t with K - 1 degrees of freedom
    excludes 1 in 6 to 7 % of perfect twins; with the effective number it is 5 % or less (see the tests).
    """
    k = len(without)
    if k < FEWEST_CLUSTERS:
        return None, f"withheld: at least {FEWEST_CLUSTERS} clusters are needed, {k} found"
    try:
        found = jackknife_t(whole, without, level=level, df=effective)
    except UndefinedError as reason:
        return None, f"withheld: {reason}"
    if effective is None:
        return found, ""
    low, high = float(np.exp(found.low)), float(np.exp(found.high))
    if high > MOST_APART * low:
        return None, f"withheld: its ends, {number(low, 2)} and {number(high, 2)}, say nothing"
    return Interval(low, high, level, found.method.replace("identity scale", "log scale")), ""


def ecs_codings(
    scores: TestScores, used: NDArray[np.bool_], layout: Layout, protocol: Protocol
) -> dict[str, float | None]:
    """Return ECS as given, with all human effects positive, and its range over one test coded otherwise."""
    names = ("as_given", "human_positive", "lowest_one_flip", "highest_one_flip", "about_zero")
    if used.sum() < FEWEST_TESTS:
        return dict.fromkeys(names)
    weights = ecs_weights(used, layout, protocol)[used]
    x, y = scores.human_d[used], scores.agent_d[used]
    rule = concordance if protocol.concordance == "lin" else concordance_unnormalised

    def ecs(signs: Floats) -> Floats:
        shape = signs.shape
        return np.asarray(rule(signs * x, signs * y, np.broadcast_to(weights, shape)))

    flips = 1 - 2 * np.eye(len(x))
    single = np.concatenate([ecs(flips[i : i + 200]) for i in range(0, len(x), 200)])
    as_given, positive = ecs(np.stack([np.ones(len(x)), np.where(x < 0, -1.0, 1.0)]))
    try:
        about_zero = float(concordance_about_zero(x, y, weights))
    except UndefinedError:
        about_zero = np.nan
    values = (as_given, positive, np.min(single), np.max(single), about_zero)
    return {name: None if np.isnan(v) else float(v) for name, v in zip(names, values, strict=True)}


def coding_warning(codings: Mapping[str, float | None]) -> str | None:
    """Say that ECS depends on the coding of the tests, where it does."""
    given, zero = codings["as_given"], codings["about_zero"]
    if given is None or zero is None or not coding_decides(codings):
        return None
    low, high = codings["lowest_one_flip"], codings["highest_one_flip"]
    span = (
        ""
        if low is None or high is None
        else f"; one test coded the other way gives {number(low, 2)} to {number(high, 2)}"
    )
    return (
        f"ECS is {number(given, 2)} as the tests are coded and {number(zero, 2)} about zero, where coding "
        f"does not matter{span}: which group comes first decides this ECS"
    )

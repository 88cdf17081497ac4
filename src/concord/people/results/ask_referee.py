"""Compute what a referee asks, from the scores of a table of tests."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from concord.errors import UndefinedError
from concord.people.evidence import SIGNED
from concord.people.protocol import Protocol
from concord.people.referee import (
    AgentMinusHuman,
    Equivalences,
    Inside,
    PriorCell,
    Referee,
    RefereeStudy,
    RefereeTest,
    Replications,
    Selection,
)
from concord.people.results.same_tests import Computed
from concord.people.score import levels
from concord.people.score.levels import pas_levels
from concord.people.score.sizes import size_ratio
from concord.people.score.test_scores import score_tests
from concord.records import Estimate, Interval, TestRow
from concord.stats.agreement import concordance, hedges_g, precision_weighted_concordance
from concord.stats.elementwise import Bools, Floats, each_or_none, or_none
from concord.stats.equivalence import SMALLEST_OF_INTEREST, equivalence
from concord.stats.meta_analysis import meta_analysis
from concord.stats.pvalues import p_binomial
from concord.stats.replication import (
    PredictionInterval,
    log_bf_replication,
    replication_interval,
    small_telescopes,
)
from concord.stats.study_intervals import apr_interval


def selection_of(work: Computed, errors: tuple[Floats, ...], level: float) -> Selection:
    """Return sizes, ECS and ceilings against the adjusted human effects."""
    adjusted = work.adjusted
    chosen = adjusted.adjusted
    scores = replace(work.scores, human_d=adjusted.d)
    return Selection(
        n_adjusted=int(chosen.sum()),
        mean_published=_average(np.abs(work.scores.human_d[chosen])),
        mean_adjusted=_average(np.abs(adjusted.d[chosen])),
        ecs=_concordance_of(work, adjusted.d, work.scores.agent_d),
        size_ratio=size_ratio(scores, (adjusted.se, errors[1]), work.layout, work.protocol, level),
        ceiling_pas=work.simulation.adjusted_ceiling("pas"),
        ceiling_ecs=work.simulation.adjusted_ceiling("ecs"),
    )


def _average(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None


SUPPORT = float(np.log(3))
"""Log Bayes factor from which on a replication is supported, or opposed below its negative."""


def referee_studies(
    tests: Sequence[RefereeTest], significant: Sequence[bool], *, within: float, level: float
) -> tuple[RefereeStudy, ...]:
    """Count the answers to a referee's questions in every study."""
    places: dict[str, list[int]] = {}
    for i, test in enumerate(tests):
        places.setdefault(test.study, []).append(i)
    return tuple(
        _one_study(name, [tests[i] for i in at], [significant[i] for i in at], within, level)
        for name, at in places.items()
    )


def _one_study(
    name: str, tests: Sequence[RefereeTest], significant: Sequence[bool], within: float, level: float
) -> RefereeStudy:
    known = [test.inside for test in tests if test.inside is not None]
    shown = [
        (test.log_bf_replication, test.p_too_small)
        for test, s in zip(tests, significant, strict=True)
        if s and test.log_bf_replication is not None
    ]
    kept = [test.p_equivalent for test in tests if test.p_equivalent is not None]
    return RefereeStudy(
        study=name,
        n=len(known),
        inside=sum(known),
        difference=_mean_difference(tests, within, level),
        n_replications=len(shown),
        n_supported=sum(bf > SUPPORT for bf, _ in shown),
        n_opposed=sum(bf < -SUPPORT for bf, _ in shown),
        n_too_small=sum(p is not None and p < 1 - level for _, p in shown),
        n_kept=len(kept),
        n_equivalent=sum(p < 1 - level for p in kept),
    )


def _mean_difference(tests: Sequence[RefereeTest], within: float, level: float) -> Estimate:
    """Weight agent minus human d by precision; errors of tests of the same people correlate."""
    pairs = [
        (test.difference_d, test.difference_se)
        for test in tests
        if test.difference_d is not None and test.difference_se is not None
    ]
    if not pairs:
        return Estimate(None, note="no test has an effect with an error on both sides")
    d, se = np.array(pairs, dtype=np.float64).T
    w = se**-2 / np.sum(se**-2)
    parts = w * se
    # Σ_ij w_i w_j ρ_ij s_i s_j, ρ_ij = within for i ≠ j
    variance = float((1 - within) * np.sum(parts**2) + within * np.sum(parts) ** 2)
    mean, reach = float(w @ d), float(ndtri(0.5 + level / 2)) * variance**0.5
    how = f"weighted by precision, errors of a study correlate {within:g}"
    return Estimate(mean, Interval(mean - reach, mean + reach, level, how), d.size, method=how)


SCALES, ODDS = (0.5, 1.0, 2.0), (1 / 3, 1.0, 3.0)
"""Factors on the scales of the priors, and prior odds on both sides."""


def referee(work: Computed, *, level: float = 0.95, margin: float = SMALLEST_OF_INTEREST) -> Referee:
    """Return what a referee asks of a scored table."""
    effects = _Effects(work)
    found = replication_interval(*effects.native, level=level)
    study = work.layout.study_of_test
    sign = np.where(effects.d[0] < 0, -1.0, 1.0)
    everything = np.ones(len(study), dtype=np.bool_)
    tests = _referee_tests(work, effects, found, margin, level)
    alpha = 1 - level
    known = [test.p_equivalent for test in tests if test.p_equivalent is not None]
    return Referee(
        level=level,
        inside=_inside("all tests", found, everything, study, level),
        inside_studies=tuple(
            _inside(name, found, study == i, None, level) for i, name in enumerate(work.layout.studies)
        ),
        difference=_agent_minus_human("all tests, as coded", effects, study, everything, level),
        difference_sized=_agent_minus_human(
            "all tests, human effects positive", effects, study, everything, level, sign
        ),
        difference_domains=tuple(
            _agent_minus_human(name, effects, study, work.layout.domain_of_study[study] == i, level)
            for i, name in enumerate(work.layout.domains)
        ),
        replications=_replications(work, tests),
        equivalence=Equivalences(margin, len(known), sum(p < alpha for p in known)),
        selection=selection_of(work, effects.d_se, level),
        priors=_priors(work),
        ecs_hedges=_concordance_of(work, *effects.g),
        ecs_precision=_precision(effects),
        tests=tests,
        studies=referee_studies(
            tests,
            [bool(s == 1) for s in work.scores.human_significant],
            within=work.protocol.within_study,
            level=level,
        ),
    )


class _Effects:
    """Effects of both sides where they can be compared: native, as d and as Hedges' g; NaN elsewhere."""

    def __init__(self, work: Computed) -> None:
        human, agent, scores = work.human, work.agent, work.scores
        same = (human.form == SIGNED) & (agent.form == SIGNED)
        self.native = tuple(
            np.where(same, values, np.nan)
            for values in (human.effect, human.effect_se, agent.effect, agent.effect_se)
        )
        used = levels.used_tests(scores)
        self.d = tuple(np.where(used, d, np.nan) for d in (scores.human_d, scores.agent_d))
        with np.errstate(invalid="ignore"):
            self.d_se = tuple(np.where(used & np.isfinite(se) & (se > 0), se, np.nan) for se in work.errors)
        dfs = [np.array([_df(row, side) for row in work.layout.rows]) for side in ("human", "agent")]
        with np.errstate(invalid="ignore"):
            self.g = tuple(
                np.where(np.isnan(df), d, np.asarray(hedges_g(d, df)))
                for d, df in zip(self.d, dfs, strict=True)
            )
        self.difference = self.d[1] - self.d[0]
        self.difference_se = np.hypot(self.d_se[0], self.d_se[1])


def _df(row: TestRow, name: str) -> float:
    """Return the degrees of freedom of the standard deviation behind a d; NaN where there is none."""
    side = getattr(row, name)
    if side is None or not row.test_type.startswith(("t-", "anova")):
        return float("nan")
    if row.test_type.startswith("anova"):
        return float("nan") if side.df1 != 1 or side.df2 is None else float(side.df2)
    sizes = [n for n in (side.n1, side.n2) if n is not None]
    if len(sizes) == 2:
        return float(sum(sizes) - 2)
    n = side.n if side.n is not None else side.n1
    return float("nan") if n is None or n < 3 else float(n - 1)


def _inside(
    name: str, found: PredictionInterval, part: Bools, study: NDArray[np.intp] | None, level: float
) -> Inside:
    """Count tests inside; given their studies, with an interval of their share over these."""
    n, inside = int(found.defined[part].sum()), int((found.inside & found.defined)[part].sum())
    if not n:
        return Inside(name, 0, 0, Estimate(None, note="no test has comparable effects with errors"), None)
    share = Estimate(inside / n, None, n)
    if study is not None:
        there = np.unique(study[found.defined])
        counted = (found.inside & found.defined, found.defined)
        share = apr_interval(*([int(one[study == i].sum()) for i in there] for one in counted), level=level)
    return Inside(name, inside, n, share, float(p_binomial(inside, n, level)))


def _agent_minus_human(
    name: str,
    effects: _Effects,
    study: NDArray[np.intp],
    part: Bools,
    level: float,
    sign: Floats | float = 1.0,
) -> AgentMinusHuman:
    """Return the meta-analysis of agent minus human; robust where tests of a study share participants."""
    y, se = (sign * effects.difference)[part], effects.difference_se[part]
    known = ~(np.isnan(y) | np.isnan(se))
    clusters = study[part][known]
    shared = len(np.unique(clusters)) < len(clusters)
    try:
        found = meta_analysis(y[known], se[known], clusters if shared else None, level=level)
    except UndefinedError as reason:
        return AgentMinusHuman(name, None, str(reason))
    if np.isnan(found.p_value):
        return AgentMinusHuman(name, None, "differences do not vary")
    return AgentMinusHuman(name, found)


def _referee_tests(
    work: Computed, effects: _Effects, found: PredictionInterval, margin: float, level: float
) -> tuple[RefereeTest, ...]:
    h, hs, a, as_ = effects.native
    with np.errstate(invalid="ignore", divide="ignore"):
        bf = np.asarray(log_bf_replication(np.append(h, np.nan), np.append(hs, np.nan), np.append(a, np.nan),
                                           np.append(as_, np.nan)))[:-1]  # fmt: skip
        reach = small_telescopes(1.0, 0.0, 1.0).detectable  # at 5 %, as the human study was tested
        detectable = reach * np.where(found.defined, hs, np.nan)
        from scipy.special import ndtr

        p_small = ndtr((np.sign(h) * a - detectable) / as_)
    kept = (work.scores.human_significant == 0) & (work.scores.agent_significant == 0)
    numbers = {
        "human_effect": h,
        "agent_effect": a,
        "replication_low": found.low,
        "replication_high": found.high,
        "p_difference": found.p_value,
        "log_bf_replication": bf,
        "detectable": detectable,
        "p_too_small": p_small,
        "human_d": effects.d[0],
        "human_d_adjusted": work.adjusted.d,
        "difference_d": effects.difference,
        "difference_se": effects.difference_se,
        "human_g": effects.g[0],
        "agent_g": effects.g[1],
    }
    rows = zip(*map(each_or_none, numbers.values()), strict=True)
    inside = [bool(one) if known else None for one, known in zip(found.inside, found.defined, strict=True)]
    return tuple(
        RefereeTest(
            study=row.study,
            sub_study=row.sub_study,
            finding=row.finding,
            test=row.test,
            domain=row.domain,
            inside=inside[i],
            p_equivalent=_p_equivalent(effects, i, margin, level) if kept[i] else None,
            **dict(zip(numbers, values, strict=True)),
        )
        for i, (row, values) in enumerate(zip(work.layout.rows, rows, strict=True))
    )


def _p_equivalent(effects: _Effects, i: int, margin: float, level: float) -> float | None:
    d, se = float(effects.d[1][i]), float(effects.d_se[1][i])
    if np.isnan(d) or np.isnan(se):
        return None
    return equivalence(d, se, margin=margin, level=level).p_value


def _replications(work: Computed, tests: Sequence[RefereeTest]) -> Replications:
    """Count over human effects that are significant."""
    shown = [
        test for test, s in zip(tests, work.scores.human_significant, strict=True)
        if s == 1 and test.log_bf_replication is not None
    ]  # fmt: skip
    factors = [t.log_bf_replication for t in shown if t.log_bf_replication is not None]
    return Replications(
        n=len(shown),
        n_supported=sum(bf > SUPPORT for bf in factors),
        n_opposed=sum(bf < -SUPPORT for bf in factors),
        n_too_small=sum(t.p_too_small is not None and t.p_too_small < 0.05 for t in shown),
    )


def _priors(work: Computed) -> tuple[PriorCell, ...]:
    """PAS over scales of the priors times prior odds of both sides."""
    cells = []
    for scale in SCALES:
        protocol = scaled(work.protocol, scale)
        people = work.human if scale == 1 else work.people_under(protocol)
        agent = work.agent if scale == 1 else work.sides[1].evidence(protocol)
        for odds in ODDS:
            even = np.full_like(work.context.human_odds, odds)
            context = replace(work.context, human_odds=even, agent_odds=even)
            scores = score_tests(people, agent, context, protocol)
            pas = float(pas_levels(scores, work.layout, protocol).benchmark)
            cells.append(PriorCell(scale, odds, or_none(pas)))
    return tuple(cells)


def scaled(protocol: Protocol, scale: float) -> Protocol:
    """Return a protocol with the scales of its priors on effects times a factor."""
    return replace(protocol, r_t=protocol.r_t * scale, r_f=protocol.r_f * scale, kappa=protocol.kappa * scale)


def _concordance_of(work: Computed, human: Floats, agent: Floats) -> float | None:
    """Return ECS of other effects, weighted as ECS is."""
    used = ~(np.isnan(human) | np.isnan(agent))
    if used.sum() < levels.FEWEST_TESTS:
        return None
    weights = levels.ecs_weights(used, work.layout, work.protocol)[used]
    try:
        return float(concordance(human[used], agent[used], weights))
    except UndefinedError:
        return None


def _precision(effects: _Effects) -> float | None:
    known = ~np.isnan(effects.difference_se)
    if known.sum() < levels.FEWEST_TESTS:
        return None
    try:
        return precision_weighted_concordance(*effects.d, *effects.d_se)
    except UndefinedError:
        return None

"""Both intervals: when they are withheld, what they are made of, and that they repeat."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.people.rows import given_d, given_pas, row, scores_of, t_side, t_table

from concord.errors import OptionError
from concord.people.families.registry import KINDS
from concord.people.files import PeopleResult
from concord.people.protocol import PUBLISHED, REFINED, STANDARD, Protocol
from concord.people.result import Score
from concord.people.results.one import score_table
from concord.people.same_people import SamePeople, binomial_at
from concord.people.score.sides import SideTable
from concord.records import Interval, Side, TestRow, TestTable
from concord.stats.bounded_means import bounded_bootstrap
from concord.stats.study_intervals import apr_interval, ecs_interval, pas_interval

PROTOCOLS = [STANDARD, REFINED, PUBLISHED]
PLAIN = [replace(protocol, intervals="jackknife") for protocol in PROTOCOLS]
"""The same with the plain jackknife."""
SCALES: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "pas": (lambda p: math.log(p / (1 - p)), lambda x: 1 / (1 + math.exp(-x))),
    "ecs": (math.atanh, math.tanh),
    "apr": (lambda p: math.log(p / (1 - p)), lambda x: 1 / (1 + math.exp(-x))),
}


def _bounds(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


def _jackknife(metric: str, whole: float, without: list[float]) -> tuple[float, float]:
    """Delete-one jackknife with t(K - 1) on the metric's scale, written out."""
    there, back = SCALES[metric]
    g = [there(value) for value in without]
    k, mean = len(g), sum(g) / len(g)
    se = math.sqrt((k - 1) / k * sum((value - mean) ** 2 for value in g))
    reach = float(stats.t.ppf(0.975, k - 1)) * se
    return back(there(whole) - reach), back(there(whole) + reach)


def _halved(scores: PeopleResult, left_out: str) -> float:
    """APR without one study, with half a pass and half a failure added."""
    everything = scores.protocol.apr_over == "all"
    kept = [
        test.passed
        for test in scores.tests
        if test.passed is not None and test.study != left_out and (everything or test.human_significant)
    ]
    return (sum(kept) + 0.5) / (len(kept) + 1)


# ---- delete-one equals dropping the rows and scoring again


@pytest.mark.parametrize("protocol", PLAIN, ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("metric", ["pas", "ecs"])
def test_headline_interval_is_that_of_tables_without_each_study(metric: str, protocol: Protocol) -> None:
    rows = t_table(5)
    whole = scores_of(rows, protocol)
    without = [
        getattr(scores_of([row for row in rows if row.study != f"s{i}"], protocol), metric).value
        for i in range(5)
    ]
    score: Score = getattr(whole, metric)
    assert score.value is not None
    assert _bounds(score.interval) == pytest.approx(_jackknife(metric, score.value, without), abs=1e-9)


@pytest.mark.parametrize("protocol", PLAIN[:2], ids=lambda protocol: protocol.name)
def test_apr_interval_adds_half_a_pass_and_half_a_failure(protocol: Protocol) -> None:
    scores = scores_of(t_table(5), protocol)
    counted = [test for test in scores.tests if protocol is PLAIN[0] or test.human_significant]
    clusters = sorted({test.study for test in counted})  # a study without a counted test is no cluster
    without = [_halved(scores, name) for name in clusters]
    whole = _halved(scores, "")
    assert _bounds(scores.apr.interval) == pytest.approx(_jackknife("apr", whole, without), abs=1e-9)
    assert scores.apr.value == pytest.approx(sum(bool(test.passed) for test in counted) / len(counted))


@pytest.mark.parametrize("protocol", PLAIN, ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("metric", ["pas", "ecs"])
def test_inside_a_study_findings_are_the_clusters(metric: str, protocol: Protocol) -> None:
    rows = t_table(2, findings=4)
    whole = scores_of(rows, protocol).studies[0]
    inside = [row for row in rows if row.study == "s0"]
    without = [
        getattr(
            scores_of([row for row in inside if row.finding != f"f{i}"], protocol).studies[0], metric
        ).value
        for i in range(4)
    ]
    score: Score = getattr(whole, metric)
    assert score.value is not None
    assert _bounds(score.interval) == pytest.approx(_jackknife(metric, score.value, without), abs=1e-9)


@pytest.mark.parametrize("metric", ["pas", "ecs"])
def test_inside_a_domain_its_studies_are_the_clusters(metric: str) -> None:
    rows = t_table(8)
    inside = [row for row in rows if row.domain == "A"]
    names = sorted({row.study for row in inside})
    without = [
        getattr(scores_of([row for row in inside if row.study != name], PLAIN[0]), metric).value
        for name in names
    ]
    score: Score = getattr(scores_of(rows, PLAIN[0]).domains[0], metric)
    assert score.value is not None
    assert _bounds(score.interval) == pytest.approx(_jackknife(metric, score.value, without), abs=1e-9)


def test_a_study_that_ecs_cannot_use_is_no_cluster_of_its_interval() -> None:
    rows = t_table(4)
    p_only = row("z/f/t", Side(p_value=0.01), Side(p_value=0.02), test_type="p-value")
    there, more = scores_of(rows), scores_of([*rows, p_only])
    assert more.ecs.interval == there.ecs.interval
    assert more.pas.interval != there.pas.interval


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_a_higher_level_is_a_wider_interval_around_the_same_number(level: float) -> None:
    narrow, wide = (scores_of(t_table(5), level=x) for x in (level, level + 0.005))
    assert narrow.pas.value == wide.pas.value
    (low, high), (lower, higher) = _bounds(narrow.pas.interval), _bounds(wide.pas.interval)
    assert lower < low < high < higher


# ---- withheld


@pytest.mark.parametrize("studies", [1, 2])
def test_below_three_studies_the_headline_interval_is_withheld_with_its_reason(studies: int) -> None:
    scores = scores_of(t_table(studies))
    for score in (scores.pas, scores.ecs, scores.apr):
        assert score.value is not None
        assert score.interval is None
        assert "withheld" in score.estimate.note
        assert "at least 3" in score.estimate.note


def test_below_three_findings_the_interval_of_a_study_is_withheld() -> None:
    study = scores_of(t_table(4, findings=2)).studies[0]
    assert study.pas.interval is None
    assert study.apr.interval is None
    assert "at least 3" in study.pas.estimate.note


def test_equal_studies_say_nothing_about_their_spread() -> None:
    rows = [given_pas(f"s{i}/f/t", 0.7) for i in range(5)]
    plain, scores = scores_of(rows, PLAIN[0]), scores_of(rows)
    assert plain.pas.value == scores.pas.value == pytest.approx(0.7)
    assert plain.pas.interval is None
    assert "spread" in plain.pas.estimate.note
    assert _bounds(scores.pas.interval) == _bounds(bounded_bootstrap([0.7] * 5))
    assert "unlike those seen" in scores.pas.estimate.note


# ---- chosen by the data


def test_intervals_over_studies_are_those_of_the_kernels() -> None:
    scores = scores_of(t_table(6))
    by_study = [float(study.pas.value) for study in scores.studies if study.pas.value is not None]
    assert scores.pas.interval is not None
    plain = scores_of(t_table(6), PLAIN[0]).pas.interval
    assert scores.pas.interval == pas_interval(by_study, jackknife=plain).interval
    passed = [[t.passed for t in scores.tests if t.study == s.name] for s in scores.studies]
    counts = apr_interval([sum(map(bool, p)) for p in passed], [len(p) for p in passed])
    assert scores.apr.interval == counts.interval


def test_ecs_over_studies_weighs_tests_as_ecs_does_and_holds_it() -> None:
    rng = np.random.default_rng(3)
    rows = []
    for i in range(7):
        for j in range(1 + i % 3):  # findings of unequal size
            for k in range(1 + j):
                d = rng.normal(0.3, 0.8)
                rows.append(row(f"s{i}/f{j}/t{k}", t_side(d * 7, 100), t_side((d + 0.2) * 6, 90)))
    scores = scores_of(rows)
    used = scores.tests
    weights = [
        1
        / len({t.finding for t in used if t.study == test.study})
        / sum((t.study, t.finding) == (test.study, test.finding) for t in used)
        for test in used
    ]
    expected = ecs_interval(
        np.array([t.human_effect_d for t in used], dtype=np.float64),
        np.array([t.agent_effect_d for t in used], dtype=np.float64),
        [t.study for t in used],
        value=scores.ecs.value,
        weights=weights,
        n_draws=2000,
        rng=np.random.default_rng(1989),
    )
    assert _bounds(scores.ecs.interval) == pytest.approx(_bounds(expected.interval), abs=1e-9)
    low, high = _bounds(scores.ecs.interval)
    assert scores.ecs.value is not None
    assert low < scores.ecs.value < high


def test_ecs_has_no_interval_where_human_effects_hardly_vary() -> None:
    scores = scores_of([row(f"s{i}/f/t", t_side(2.0 + 0.1 * i), t_side(1.5 + 0.2 * i)) for i in range(6)])
    assert scores.ecs.value is not None
    assert scores.ecs.interval is None
    assert scores.ecs.estimate.note.startswith("withheld: human effects vary hardly more")


def test_published_keeps_its_intervals() -> None:
    assert (PUBLISHED.intervals, PUBLISHED.within_study, PUBLISHED.true_effects) == ("jackknife", 0, "normal")
    assert (PUBLISHED.within_f, PUBLISHED.variance_ratio) == ("bound", "bound")


# ---- tests of the same people


def test_tests_of_the_same_people_widen_the_fresh_interval() -> None:
    rows = [row(f"s{i}/f{j}/t", t_side(2 + 0.3 * j), t_side(1 + 0.4 * i)) for i in range(3) for j in range(6)]

    def width(rho: float) -> float:
        protocol = replace(STANDARD, within_study=rho)
        low, high = _bounds(scores_of(rows, protocol, n_resamples=400).pas.new_participants)
        return high - low

    assert width(0.0) < width(0.5) < width(0.8)


def test_correlated_noise_has_the_correlation_inside_a_sample_only() -> None:
    people = SamePeople(np.array([0, 0, 0, 1, 1]), 0.5)
    noise = people.noise(np.random.default_rng(0), 40_000)
    first, rest = noise(np.array([0, 3])), noise(np.array([1, 2, 4]))
    z = np.hstack([first.standard_normal((40_000, 2)), rest.standard_normal((40_000, 3))])
    expected = np.eye(5) + 0.5 * np.array(
        [[0, 0, 1, 1, 0], [0, 0, 0, 0, 1], [1, 0, 0, 1, 0], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0]]
    )
    assert np.cov(z, rowvar=False) == pytest.approx(expected, abs=0.02)


def test_counts_keep_their_distribution_and_share_noise() -> None:
    people = SamePeople(np.array([0, 0]), 0.5)
    noise = people.noise(np.random.default_rng(0), 20_000)(np.array([0, 1]))
    k = noise.binomial(np.array([40, 40]), np.array([0.3, 0.7]), (20_000, 2))
    assert k.mean(axis=0) == pytest.approx([12, 28], abs=0.1)
    assert k.var(axis=0) == pytest.approx([8.4, 8.4], rel=0.05)
    assert np.asarray(np.corrcoef(k, rowvar=False))[0, 1] == pytest.approx(0.5, abs=0.03)
    z = np.random.default_rng(1).standard_normal(2000)
    assert np.array_equal(binomial_at(z, 17, 0.42), stats.binom.ppf(stats.norm.cdf(z), 17, 0.42))


def test_counts_are_binomial_quantiles_with_one_rate_a_column_and_with_a_rate_each() -> None:
    rng = np.random.default_rng(3)
    z, n = (
        np.vstack([rng.normal(size=(400, 4)), np.full((2, 4), [[6.0], [-6.0]])]),
        np.array([1.0, 9, 60, 300]),
    )
    for p in (
        np.array([0.5, 0.0, 1.0, 0.03]),
        rng.random((402, 4)),
        np.where(rng.random((402, 4)) < 0.5, 0.0, 0.9),
    ):
        truth = stats.binom.ppf(stats.norm.cdf(z), n, p)
        assert np.array_equal(binomial_at(z, n, p), np.clip(truth, 0, n))


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_tables_of_one_sample_differ_together(protocol: Protocol) -> None:
    """Log odds ratios of two tables of the same people correlate; without a correlation they do not."""
    tables = (((30.0, 20.0), (22.0, 28.0)), ((25.0, 25.0), (24.0, 26.0)))
    rows = [row(f"s/f/t{i}", Side(table=t), None, test_type="chi-square") for i, t in enumerate(tables)]
    side = SideTable.from_rows(rows, [r.human for r in rows], 1.0, KINDS)
    people = SamePeople.of(rows, protocol.within_study)
    drawn = side.draw(np.random.default_rng(2), 4000, people).evidence(protocol, (4000,)).effect
    assert np.asarray(np.corrcoef(drawn, rowvar=False))[0, 1] == pytest.approx(
        protocol.within_study, abs=0.06
    )


def test_an_ecs_that_rests_on_one_study_has_no_interval() -> None:
    """Without study s0 there are two tests left, and ECS is undefined."""
    rows = [given_d(f"s0/f{i}/t", 0.1 * i, 0.15 * i + 0.1) for i in range(4)]
    rows += [given_d("s1/f/t", 0.3, 0.2), given_d("s2/f/t", 0.5, 0.1)]
    scores = scores_of(rows)
    assert scores.ecs.value is not None
    assert scores.ecs.interval is None
    assert "withheld" in scores.ecs.estimate.note


def test_all_passing_still_has_an_interval_for_apr_that_holds_its_number() -> None:
    """The halves keep a rate of 1 off the edge of its scale; studies of unequal size give it a spread."""
    rows = [row(f"s{i}/f{j}/t", t_side(6 + i), t_side(7 + j)) for i in range(4) for j in range(i + 1)]
    scores = scores_of(rows)
    low, high = _bounds(scores.apr.interval)
    assert scores.apr.value == 1
    assert 0 < low < 1
    assert high == 1


# ---- new participants


def test_without_resamples_there_is_no_fresh_interval_and_it_says_so() -> None:
    scores = scores_of(t_table(3), n_resamples=0)
    assert scores.pas.new_participants is None
    assert "not asked for" in scores.pas.new_participants_note


@pytest.mark.parametrize("n_resamples", [-1, 1])
def test_a_number_of_resamples_that_gives_no_spread_is_refused(n_resamples: int) -> None:
    with pytest.raises(OptionError, match="from 2 to 100,000"):
        scores_of(t_table(3), n_resamples=n_resamples)


@pytest.mark.parametrize(
    "odd",
    [
        row("s0/g/t", Side(effect_d=0.3), Side(effect_d=0.4)),
        row("s0/g/t", Side(log_bf=1.0), t_side(2.0)),
        given_pas("s0/g/t", 0.6),
    ],
)
def test_precomputed_numbers_cannot_be_redrawn_and_withhold_the_interval(odd: TestRow) -> None:
    scores = scores_of([*t_table(3), odd], n_resamples=20)
    for score in (scores.pas, scores.ecs, scores.apr):
        assert score.new_participants is None
        assert "precomputed" in score.new_participants_note
        assert score.value is not None
    assert scores.pas.interval is not None


def test_a_missing_agent_does_not_withhold_the_fresh_interval() -> None:
    scores = scores_of([*t_table(3), row("s0/g/t", t_side(2.0), None)], n_resamples=20)
    assert scores.pas.new_participants is not None


def test_same_seed_same_numbers_and_another_seed_others() -> None:
    rows = t_table(4)
    one, same, other = (score_table(TestTable(tuple(rows)), n_resamples=60, seed=seed) for seed in (3, 3, 4))
    assert one == same
    assert one.pas.new_participants != other.pas.new_participants
    assert one.pas.estimate == other.pas.estimate


def test_fresh_interval_is_the_estimate_and_1_96_standard_errors() -> None:
    scores = scores_of(t_table(6), n_resamples=200)
    for score in (scores.pas, scores.ecs, scores.apr):
        low, high = _bounds(score.new_participants)
        assert score.value is not None
        if low > -1 and high < 1:  # else cut at the range of the metric
            assert score.value - low == pytest.approx(high - score.value, rel=1e-9)
        assert "new participants" in (
            score.new_participants.method if score.new_participants is not None else ""
        )


def test_fresh_interval_stays_inside_the_range_of_its_metric() -> None:
    scores = scores_of([row(f"s{i}/f/t", t_side(9 - i), t_side(8 + i)) for i in range(4)], n_resamples=50)
    for score in (scores.pas, scores.apr):
        if score.new_participants is not None:
            assert 0 <= score.new_participants.low <= score.new_participants.high <= 1


def test_fresh_intervals_shrink_with_the_participants() -> None:
    def width(n: int) -> float:
        effects = [(0.1, 0.3), (0.5, 0.4), (0.3, -0.1), (0.7, 0.6), (0.2, 0.5)]
        rows = [
            row(f"s{i}/f/t", t_side(h * math.sqrt(n / 2), n), t_side(a * math.sqrt(n / 2), n))
            for i, (h, a) in enumerate(effects)
        ]
        low, high = _bounds(scores_of(rows, n_resamples=200).ecs.new_participants)
        return high - low

    assert width(25) > width(100) > 1.5 * width(400)


def _every_type() -> list[TestRow]:
    """Two tests of each type with raw numbers on both sides."""
    sides: dict[str, tuple[Side, Side]] = {
        "t-independent": (t_side(2.5), t_side(1.0)),
        "t-paired": (Side(statistic=2.0, n=30), Side(statistic=-1.0, n=20)),
        "anova": (
            Side(statistic=5.0, df1=1, df2=58, n=60, direction=1),
            Side(statistic=2.0, df1=1, df2=38, n=40),
        ),
        "anova-within": (
            Side(statistic=5.0, df1=2, df2=58, n=30, p_value=0.01),
            Side(statistic=3.0, df1=2, df2=38, n=20, p_value=0.06),
        ),
        "regression": (Side(statistic=4.0, df1=3, df2=80, n=84), Side(statistic=2.0, df1=3, df2=46, n=50)),
        "correlation": (Side(statistic=0.4, n=60), Side(statistic=0.9999999, n=20)),
        "chi-square": (Side(table=((20.0, 5.0), (9.0, 16.0))), Side(table=((30.0, 0.0), (12.0, 18.0)))),
        "binomial": (Side(k=30, n=40, p0=0.5), Side(k=40, n=40, p0=0.5)),
        "mann-whitney": (Side(statistic=100.0, n1=20, n2=20), Side(statistic=0.0, n1=15, n2=15)),
        "variance-ratio": (
            Side(statistic=2.0, df1=40, df2=40, direction=1),
            Side(statistic=1.2, df1=30, df2=30),
        ),
        "p-value": (Side(p_value=0.01, direction=1), Side(p_value=0.3, direction=-1)),
    }
    return [
        row(f"s{i % 4}/f{i}/t{j}", *pair, test_type=name)
        for j in range(2)
        for i, (name, pair) in enumerate(sides.items())
    ]


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_every_type_can_be_redrawn_under_every_protocol(protocol: Protocol) -> None:
    scores = scores_of(_every_type(), protocol, n_resamples=30)
    for score in (scores.pas, scores.ecs, scores.apr):
        low, high = _bounds(score.new_participants)
        assert low < high


@pytest.mark.long
def test_the_spread_of_fresh_samples_is_that_of_real_ones() -> None:
    """A parametric bootstrap around the truth: its standard error against 400 tables drawn by hand."""
    n, rng = 40, np.random.default_rng(8)
    human, agent = np.linspace(-1, 4, 12), np.linspace(0, 3, 12)[::-1]

    def table(h: np.ndarray, a: np.ndarray) -> list[TestRow]:
        return [row(f"s{i}/f/t", t_side(h[i], n), t_side(a[i], n)) for i in range(12)]

    def noisy(t: np.ndarray) -> np.ndarray:
        return np.asarray(stats.nct.rvs(2 * n - 2, t, random_state=rng))

    # every study has one test here: nothing is shared
    drawn = [scores_of(table(noisy(human), noisy(agent))) for _ in range(150)]
    low, high = _bounds(scores_of(table(human, agent), n_resamples=400).pas.new_participants)
    spread = float(np.std([scores.pas.value for scores in drawn if scores.pas.value is not None]))
    assert (high - low) / (2 * 1.96) == pytest.approx(spread, rel=0.25)


def test_a_side_is_not_changed_by_being_redrawn() -> None:
    rows = _every_type()
    copies = [replace(row) for row in rows]
    scores_of(rows, n_resamples=20)
    assert rows == copies

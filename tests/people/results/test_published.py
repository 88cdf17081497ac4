"""The published protocol against aggregations worked out by hand.

It reproduces how the public tables were made, with all that is odd about them; each oddity has a test.
"""

import math

import numpy as np
import pytest
from tests.people.rows import given_d, given_pas, row, scores_of, t_side

from concord.people.protocol import PUBLISHED, STANDARD
from concord.people.protocol_file import get_protocol
from concord.records import Side, TestRow
from concord.stats import bayes

EDGE = 1 - 1e-6


def _z(pas: float) -> float:
    return math.atanh(max(-EDGE, min(EDGE, 2 * pas - 1)))


def _back(z: float) -> float:
    return (math.tanh(z) + 1) / 2


# ---- PAS


def test_tests_pool_by_an_unweighted_mean_of_z() -> None:
    rows = [given_pas("s/f/t1", 0.9, 1000), given_pas("s/f/t2", 0.3, 10)]
    assert scores_of(rows, PUBLISHED).pas.value == pytest.approx(_back((_z(0.9) + _z(0.3)) / 2), abs=1e-15)
    assert scores_of(rows, STANDARD).pas.value == pytest.approx(
        _back((1000 * _z(0.9) + 10 * _z(0.3)) / 1010), abs=1e-14
    )


def test_findings_pool_by_the_mean_of_their_z_and_then_back() -> None:
    rows = [given_pas("s/f1/t", 0.9), given_pas("s/f2/t", 0.3), given_pas("s/f2/u", 0.5)]
    f1, f2 = _z(0.9), (_z(0.3) + _z(0.5)) / 2
    assert scores_of(rows, PUBLISHED).pas.value == pytest.approx(_back((f1 + f2) / 2), abs=1e-15)
    assert scores_of(rows, STANDARD).pas.value == pytest.approx((0.9 + _back(f2)) / 2, abs=1e-14)


def test_a_single_test_at_its_limit_is_clamped_on_its_way_through_z() -> None:
    assert scores_of([given_pas("s/f/t", 1.0)], PUBLISHED).pas.value == pytest.approx(1 - 5e-7, abs=1e-12)


def test_equal_finding_ids_of_different_sub_studies_merge() -> None:
    rows = [given_pas("s/one/F1/t", 0.9), given_pas("s/two/F1/t", 0.3), given_pas("s/two/F2/t", 0.6)]
    scores = scores_of(rows, PUBLISHED)
    merged = (_z(0.9) + _z(0.3)) / 2
    assert scores.pas.value == pytest.approx(_back((merged + _z(0.6)) / 2), abs=1e-15)
    assert [(finding.finding, finding.n_tests) for finding in scores.findings] == [("F1", 2), ("F2", 1)]
    assert scores_of(rows, STANDARD).pas.value == pytest.approx((0.9 + 0.3 + 0.6) / 3, abs=1e-14)


def test_equal_finding_ids_of_different_studies_do_not_merge() -> None:
    rows = [given_pas("a/F1/t", 0.9), given_pas("b/F1/t", 0.3)]
    assert scores_of(rows, PUBLISHED).pas.value == pytest.approx(0.6, abs=1e-12)


def test_the_benchmark_is_the_mean_over_studies() -> None:
    rows = [given_pas("a/f1/t", 0.9), given_pas("a/f2/t", 0.7), given_pas("b/f/t", 0.2)]
    expected = (_back((_z(0.9) + _z(0.7)) / 2) + _back(_z(0.2))) / 2
    assert scores_of(rows, PUBLISHED).pas.value == pytest.approx(expected, abs=1e-15)


def test_a_finding_with_tests_and_no_pas_counts_as_a_half() -> None:
    rows = [given_pas("s/f1/t", 0.9), row("s/f2/t", t_side(3), None), given_pas("b/f/t", 0.8)]
    scores = scores_of(rows, PUBLISHED)
    assert scores.pas.value == pytest.approx((_back(_z(0.9) / 2) + 0.8) / 2, abs=1e-12)
    assert {finding.finding: finding.pas for finding in scores.findings}["f2"] == 0.5
    assert scores_of(rows, STANDARD).pas.value == pytest.approx((0.9 + 0.8) / 2, abs=1e-14)


def test_a_study_without_any_pas_is_a_half_when_others_have_some() -> None:
    rows = [given_pas("a/f/t", 0.9), row("b/f/t", t_side(3), None)]
    scores = scores_of(rows, PUBLISHED)
    assert {study.name: study.pas.value for study in scores.studies}["b"] == 0.5
    assert scores.pas.value == pytest.approx((0.9 + 0.5) / 2, abs=1e-12)


def test_a_table_without_any_pas_is_null_and_not_a_half() -> None:
    scores = scores_of([given_d(f"s/f{i}/t", 0.1 * i, 0.2 * i) for i in range(4)], PUBLISHED)
    assert scores.pas.value is None
    assert scores.ecs.value is not None
    assert [finding.pas for finding in scores.findings] == [None] * 4


# ---- ECS


def _unnormalised(w: list[float], x: list[float], y: list[float]) -> float:
    weights, a, b = np.array(w), np.array(x), np.array(y)
    ma, mb = weights @ a / weights.sum(), weights @ b / weights.sum()
    sums = weights @ (a - ma) ** 2 + weights @ (b - mb) ** 2
    return float(2 * weights @ ((a - ma) * (b - mb)) / (sums + (ma - mb) ** 2))


HUMAN = [0.0, 1.0, 0.4, 0.6, -0.3]
AGENT = [0.3, 0.9, 0.7, 1.0, 0.2]
PLACES = ["a/f1/t1", "a/f1/t2", "a/f2/t1", "b/f1/t1", "b/f2/t1"]


def _profile() -> list[TestRow]:
    return [given_d(place, h, a) for place, h, a in zip(PLACES, HUMAN, AGENT, strict=True)]


def test_sums_of_squares_are_not_divided_by_the_weights() -> None:
    scores = scores_of(_profile(), PUBLISHED)
    w = [0.25, 0.25, 0.5, 0.5, 0.5]
    assert scores.ecs.value == pytest.approx(_unnormalised(w, HUMAN, AGENT), abs=1e-14)
    shares = [value / 2 for value in w]
    assert scores_of(_profile(), STANDARD).ecs.value == pytest.approx(
        _unnormalised(shares, HUMAN, AGENT), abs=1e-14
    )


def test_weights_count_every_listed_test_valid_or_not() -> None:
    rows = [*_profile(), given_d("a/f2/t2", 0.5, None), row("b/f3/t1", t_side(3), None)]
    w = [1 / 4, 1 / 4, 1 / 4, 1 / 3, 1 / 3]
    assert scores_of(rows, PUBLISHED).ecs.value == pytest.approx(_unnormalised(w, HUMAN, AGENT), abs=1e-14)


def test_weights_are_keyed_by_sub_study_and_finding() -> None:
    """Unlike PAS: equal ids of two sub-studies are two findings here."""
    places = ["s/one/F1/t1", "s/one/F1/t2", "s/two/F1/t1", "r/F1/t1", "r/F2/t1"]
    rows = [given_d(place, h, a) for place, h, a in zip(places, HUMAN, AGENT, strict=True)]
    w = [0.25, 0.25, 0.5, 0.5, 0.5]
    assert scores_of(rows, PUBLISHED).ecs.value == pytest.approx(_unnormalised(w, HUMAN, AGENT), abs=1e-14)


def test_inside_one_study_every_weight_is_one() -> None:
    rows = [given_d(f"s/f{i // 2}/t{i}", h, a) for i, (h, a) in enumerate(zip(HUMAN, AGENT, strict=True))]
    study = scores_of(rows, PUBLISHED).studies[0]
    assert study.ecs.value == pytest.approx(_unnormalised([1.0] * 5, HUMAN, AGENT), abs=1e-14)


def test_domains_weigh_as_the_whole_does() -> None:
    rows = [given_d(place, h, a) for place, h, a in zip(PLACES, HUMAN, AGENT, strict=True)]
    rows = [row_ for row_ in rows if row_.study == "a"]
    named = [TestRow(**{**{k: getattr(r, k) for k in TestRow.__slots__}, "domain": "Social"}) for r in rows]
    domain = scores_of(named, PUBLISHED).domains[0]
    w = [0.25, 0.25, 0.5]
    assert domain.ecs.value == pytest.approx(_unnormalised(w, HUMAN[:3], AGENT[:3]), abs=1e-14)


def test_the_measured_example_of_an_underweighted_bias() -> None:
    """y = x + 1 with variance 1/4 and weights that sum to 12: 0.857 where Lin's coefficient is 0.333."""
    x = [-0.5, 0.5] * 6
    rows = [given_d(f"s{i}/f/t", h, h + 1) for i, h in enumerate(x)]
    assert scores_of(rows, PUBLISHED).ecs.value == pytest.approx(2 * 3 / (3 + 3 + 1), abs=1e-12)
    assert scores_of(rows, STANDARD).ecs.value == pytest.approx(2 * 0.25 / (0.5 + 1), abs=1e-12)


@pytest.mark.parametrize(
    ("human", "agent", "expected"),
    [
        ([0.5, 0.5, 0.5], [0.9, 0.9, 0.9], 1.0),
        ([0.5, 0.5, 0.5], [0.5, 0.5, 0.5], 1.0),
        ([0.5, 0.5, 0.5], [0.1, 0.2, 0.3], 0.0),
        ([0.1, 0.2, 0.3], [0.5, 0.5, 0.5], 0.0),
    ],
)
def test_constants_are_one_or_zero(human: list[float], agent: list[float], expected: float) -> None:
    rows = [given_d(f"s/f{i}/t", h, a) for i, (h, a) in enumerate(zip(human, agent, strict=True))]
    scores = scores_of(rows, PUBLISHED)
    assert scores.ecs.value == pytest.approx(expected, abs=1e-15)
    assert scores.studies[0].ecs.value == pytest.approx(expected, abs=1e-15)


def test_two_tests_are_too_few() -> None:
    scores = scores_of([given_d(f"s/f{i}/t", 0.1 * i, 0.1 * i) for i in range(2)], PUBLISHED)
    assert scores.ecs.value is None


def test_identical_profiles_do_not_exceed_one() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        x = rng.normal(size=7) * 10 ** rng.uniform(-6, 6)
        value = scores_of([given_d(f"s{i}/f/t", d, d) for i, d in enumerate(x)], PUBLISHED).ecs.value
        assert value is not None
        assert value <= 1
        assert value == pytest.approx(1, abs=1e-12)


# ---- evidence


def _test(test_type: str, human: Side, agent: Side | None = None) -> dict[str, float | None]:
    scores = scores_of([row("s/f/t", human, agent or human, test_type=test_type)], PUBLISHED)
    test = scores.tests[0]
    return {
        "log_bf": test.human_log_bf,
        "d": test.human_effect_d,
        "effect": test.human_effect,
        "pas": test.pas,
    }


@pytest.mark.parametrize(
    ("test_type", "side"),
    [
        ("t-independent", Side(statistic=10.01, n1=2, n2=2)),
        ("t-paired", Side(statistic=-15.0, n=3)),
        ("anova", Side(statistic=100.5, df1=2, df2=3, n=6)),
        ("correlation", Side(statistic=1.0, n=10)),
        ("mann-whitney", Side(statistic=0.0, n1=200, n2=200)),
    ],
)
def test_strong_statistics_are_capped_at_a_million(test_type: str, side: Side) -> None:
    assert _test(test_type, side)["log_bf"] == pytest.approx(math.log(1e6), abs=1e-12)


def test_t_just_below_the_cap_is_jzs_with_scale_707() -> None:
    assert _test("t-independent", Side(statistic=10.0, n1=30, n2=40))["log_bf"] == pytest.approx(
        bayes.log_bf_t(10.0, 30, 40, r=0.707), rel=1e-12
    )


def test_correlation_is_a_one_sample_t_with_n_minus_one_degrees_of_freedom() -> None:
    """r = .3, n = 50: BF 1.333."""
    value = _test("correlation", Side(statistic=0.3, n=50))["log_bf"]
    t = 0.3 * math.sqrt(48 / 0.91)
    assert value == pytest.approx(bayes.log_bf_t(t, 50, r=0.707), rel=1e-12)
    assert math.exp(value or 0) == pytest.approx(1.333, abs=5e-4)


@pytest.mark.parametrize("test_type", ["anova", "anova-within", "regression"])
def test_every_f_goes_through_the_regression_form_with_the_total_n(test_type: str) -> None:
    side = Side(statistic=4.0, df1=1, df2=38, n=40, direction=1)
    assert _test(test_type, side)["log_bf"] == pytest.approx(bayes.log_bf_regression(4, 1, 38, 40), rel=1e-12)
    assert _test(test_type, side)["log_bf"] == pytest.approx(0.232, abs=5e-4)


def test_tables_go_through_bic_with_yates_on_two_by_two() -> None:
    value = _test("chi-square", Side(table=((20.0, 10.0), (12.0, 18.0))))["log_bf"]
    yates = 60 * (abs(20 * 18 - 10 * 12) - 30) ** 2 / (30 * 30 * 32 * 28)
    assert value == pytest.approx((yates - math.log(60)) / 2, rel=1e-12)


def test_larger_tables_have_no_yates() -> None:
    table = np.array([[20.0, 10.0, 5.0], [12.0, 18.0, 9.0]])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = float(((table - expected) ** 2 / expected).sum())
    value = _test("chi-square", Side(table=tuple(map(tuple, table.tolist()))))["log_bf"]
    assert value == pytest.approx((chi2 - 2 * math.log(74)) / 2, rel=1e-12)


def test_d_of_a_binomial_looks_away_from_its_null_rate() -> None:
    assert _test("binomial", Side(k=30, n=40, p0=0.9))["d"] == pytest.approx(4 * (0.75 - 0.5))


def test_rank_biserial_has_the_opposite_sign() -> None:
    side = Side(statistic=20.0, n1=10, n2=8)
    assert _test("mann-whitney", side)["effect"] == pytest.approx(2 * 20 / 80 - 1)
    standard = scores_of([row("s/f/t", side, side, test_type="mann-whitney")]).tests[0]
    assert standard.human_effect == pytest.approx(0.5)


def test_human_prior_odds_are_ten_and_the_split_is_by_sign() -> None:
    human, agent = t_side(2.0), t_side(-1.0)
    pas = _test("t-independent", human, agent)["pas"]
    pi = [
        math.exp(x) * odds / (1 + math.exp(x) * odds)
        for x, odds in (
            (float(bayes.log_bf_t(2.0, 40, 40, r=0.707)), 10),
            (float(bayes.log_bf_t(1.0, 40, 40, r=0.707)), 1),
        )
    ]
    up, down = 1 - 1e-4, 1e-4
    expected = pi[0] * up * pi[1] * down + pi[0] * down * pi[1] * up + (1 - pi[0]) * (1 - pi[1])
    assert pas == pytest.approx(expected, rel=1e-12)


def test_without_a_direction_the_split_is_in_halves() -> None:
    side = Side(statistic=30.0, df1=2, df2=60, n=63)
    pas = _test("anova", side)["pas"]
    log_bf = float(bayes.log_bf_regression(30, 2, 60, 63))
    human, agent = (odds * math.exp(log_bf) / (1 + odds * math.exp(log_bf)) for odds in (10, 1))
    assert pas == pytest.approx(human * agent / 2 + (1 - human) * (1 - agent), rel=1e-12)


def test_a_row_may_carry_its_own_human_prior_odds() -> None:
    own = Side(statistic=2.0, n1=40, n2=40, prior_odds=1.0)
    even = get_protocol("published", human_prior_odds=1.0)
    with_row = scores_of([row("s/f/t", own, t_side(2.0))], PUBLISHED).tests[0].pas
    assert with_row == scores_of([row("s/f/t", t_side(2.0), t_side(2.0))], even).tests[0].pas

"""p-values and effects of the kinds of test against scipy and statsmodels."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from concord.people.apa.read import check_apa, parse_apa
from concord.people.families.registry import KINDS
from concord.people.protocol import STANDARD
from concord.people.score.sides import SideTable
from concord.people.table.read import read_tests


def scored(kind: str, **side: Any) -> Any:
    """Return the evidence of one side."""
    given = {f"human_{name}": value for name, value in side.items()}
    rows = read_tests([{"study": "S", "finding": "F", "test": "x", "test_type": kind} | given]).rows
    return SideTable.from_rows(rows, [rows[0].human], 1.0, KINDS).evidence(STANDARD)


@pytest.mark.parametrize("seed", range(5))
def test_wilcoxon(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gaps = rng.normal(0.4, 1, 40)
    found = stats.wilcoxon(gaps, method="asymptotic", correction=False)
    rank_sum = stats.rankdata(np.abs(gaps))[gaps > 0].sum()
    said = scored("wilcoxon", statistic=found.statistic, n=40, direction=1 if rank_sum > 410 else -1)
    assert said.p_value[0] == pytest.approx(found.pvalue)
    assert said.effect[0] == pytest.approx(2 * rank_sum / 820 - 1)
    assert said.direction[0] == (1 if rank_sum > 410 else -1)
    one = scored("t-one-sample", statistic=np.sqrt(stats.chi2.isf(found.pvalue, 1)), n=40)
    assert said.log_bf[0] == pytest.approx(one.log_bf[0])  # z scored as t


def test_wilcoxon_recovers_d_of_normal_differences() -> None:
    rng = np.random.default_rng(3)
    d, r, se = [], [], []
    for _ in range(300):
        gaps = rng.normal(0.5, 1, 60)
        w = stats.rankdata(np.abs(gaps))[gaps > 0].sum()
        said = scored("wilcoxon", statistic=w, n=60, direction=1)
        d.append(said.effect_d[0])
        r.append(said.effect[0])
        se.append(said.effect_se[0])
    assert np.mean(d) == pytest.approx(0.5, abs=0.03)
    assert np.mean(se) == pytest.approx(np.std(r), rel=0.12)


def test_wilcoxon_from_its_z() -> None:
    said = scored("wilcoxon", reported="W = 34, z = -2.31, p = .021", n=20, direction=-1)
    assert said.p_value[0] == pytest.approx(2 * stats.norm.sf(2.31))
    assert scored("wilcoxon", reported="z = 2.1", n=24).direction[0] == 1


@pytest.mark.long
def test_z_of_two_proportions_is_that_of_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    z, p = proportion.proportions_ztest([30, 18], [50, 55])
    said = scored("z-test", statistic=z, n1=50, n2=55)
    assert said.p_value[0] == pytest.approx(p)
    assert said.effect_d[0] == pytest.approx(z * np.sqrt(1 / 50 + 1 / 55))
    table = scored("z-test", table="[[30, 20], [18, 37]]")
    assert table.p_value[0] == pytest.approx(p)
    assert table.effect_d[0] == pytest.approx(np.log(30 * 37 / 20 / 18) * np.sqrt(3) / np.pi)


@pytest.mark.parametrize("table", [[[9, 3], [4, 11]], [[0, 5], [5, 0]], [[3, 3], [3, 3]], [[20, 1], [7, 9]]])
def test_fisher_exact(table: list[list[int]]) -> None:
    said = scored("fisher-exact", table=str(table))
    assert said.p_value[0] == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-9)
    chi = scored("chi-square", table=str(table))
    assert said.log_bf[0] == chi.log_bf[0]
    assert said.effect_d[0] == chi.effect_d[0]


def test_kruskal_wallis_is_the_anova_of_ranks() -> None:
    rng = np.random.default_rng(4)
    groups = [rng.normal(m, 1, 20) for m in (0, 0.4, 0.9)]
    h, p = stats.kruskal(*groups)
    said = scored("kruskal-wallis", statistic=h, df1=2, n=60)
    assert said.p_value[0] == pytest.approx(p)
    ranks = stats.rankdata(np.concatenate(groups)).reshape(3, 20)
    f = stats.f_oneway(*ranks).statistic
    assert said.log_bf[0] == pytest.approx(scored("anova", statistic=f, df1=2, df2=57, n=60).log_bf[0])
    assert np.isnan(said.effect_d[0])


@pytest.mark.long
def test_cochran_q() -> None:
    contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
    data = np.random.default_rng(5).random((40, 4)) < [0.3, 0.5, 0.6, 0.7]
    found = contingency.cochrans_q(data.astype(int))
    said = scored("cochran-q", statistic=found.statistic, df1=3, n=40)
    assert said.p_value[0] == pytest.approx(found.pvalue)
    assert said.log_bf[0] == pytest.approx(0.5 * (found.statistic - 3 * np.log(40)))


def test_a_linear_coefficient_is_the_regression_of_its_t() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=80)
    y = 0.3 * x + rng.normal(size=80)
    line = stats.linregress(x, y)
    said = scored("coefficient", statistic=line.slope, se=line.stderr, n=80)
    assert said.p_value[0] == pytest.approx(line.pvalue)
    assert (said.effect[0], said.effect_se[0]) == (pytest.approx(line.slope), pytest.approx(line.stderr))
    assert said.effect_d[0] == pytest.approx(2 * line.rvalue / np.sqrt(1 - line.rvalue**2))
    f = scored("regression", statistic=(line.slope / line.stderr) ** 2, df1=1, df2=78, direction=1)
    assert said.log_bf[0] == pytest.approx(f.log_bf[0])


@pytest.mark.long
def test_log_odds_and_odds_ratio_are_one_coefficient() -> None:
    api = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(7)
    x = rng.normal(size=400)
    y = rng.random(400) < 1 / (1 + np.exp(-0.5 * x))
    fit = api.Logit(y.astype(float), api.add_constant(x)).fit(disp=0)
    b, se, p = fit.params[1], fit.bse[1], fit.pvalues[1]
    said = scored("logistic", statistic=b, se=se, n=400)
    assert said.p_value[0] == pytest.approx(p)
    assert said.effect_d[0] == pytest.approx(b * np.sqrt(3) / np.pi)
    low, high = np.exp(fit.conf_int()[1])
    ratio = scored("odds-ratio", statistic=np.exp(b), ci_low=low, ci_high=high, n=400)
    assert ratio.effect[0] == pytest.approx(b)
    assert ratio.effect_se[0] == pytest.approx(se)
    assert ratio.log_bf[0] == pytest.approx(said.log_bf[0])


@pytest.mark.parametrize(
    ("text", "kind", "more"),
    [
        ("W = 120, n = 24, p = .40", "wilcoxon", {}),
        ("z = 2.1, p = .036", "z-test", {"n": 60}),
        ("H(2, N = 60) = 9.4, p = .009", "kruskal-wallis", {}),
        ("Q(3, N = 40) = 11.2, p = .011", "cochran-q", {}),
        ("b = 0.45, SE = 0.12, p < .001", "coefficient", {"n": 100}),
        ("b = 0.45 (SE = 0.12), p < .001", "logistic", {"n": 100}),
        ("OR = 1.57, 95% CI [1.20, 2.05], p = .001", "odds-ratio", {"n": 300}),
    ],
)
def test_reported_strings_give_what_the_type_needs(text: str, kind: str, more: dict[str, Any]) -> None:
    assert check_apa(parse_apa(text)).verdict == "consistent"
    said = scored(kind, reported=text, **more)
    assert np.isfinite(said.log_bf[0])
    printed = parse_apa(text)
    assert printed.p_value is not None
    assert said.p_value[0] == pytest.approx(printed.p_value, abs=0.012)


def test_exact_p_of_few_pairs_is_allowed() -> None:
    exact = stats.wilcoxon(np.array([1.5, -0.5, 2.5, 3.5, 4.5, -1.0, 5.5, 6.5]), method="exact")
    text = f"W = {exact.statistic:g}, n = 8, p = {exact.pvalue:.3f}"
    assert check_apa(parse_apa(text)).verdict == "consistent"
    assert check_apa(parse_apa("W = 4, n = 8, p = .35")).verdict == "inconsistent"

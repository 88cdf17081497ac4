"""Log Bayes factors against 25-digit truth: a stored sample, published anchors, and fresh mpmath integrals.

``tests/data/log_bf.json`` holds rows made by two independent methods at high precision, and values
printed by R's BayesFactor, JASP and others, each with its source.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from concord.stats import bayes, contingency, correlation

Row = dict[str, Any]
DATA: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "log_bf.json").read_text("utf-8"))
GROUPS: dict[str, list[Row]] = {name: group["rows"] for name, group in DATA["groups"].items()}
GROUPS["bic"] = [row for row in GROUPS["bic"] if row["kind"] == "chisq_BIC"]
_OUTPUTS = {"logbf10", "check_abs_diff", "check_method", "formula", "kind"}
JZS = 1e-10
OTHER = 1e-8


def _balanced(row: Row, *, r: Any) -> Any:
    j, n = row["J"], row["n_per_group"]
    return bayes.log_bf_anova(row["F"], j - 1, j * n - j, cell_n=n, r=r)


def _regression(row: Row) -> Any:
    return bayes.log_bf_regression(row["F"], row["df1"], row["df2"], row["n_total"], r=row["r"])


def _binomial(row: Row) -> Any:
    return bayes.log_bf_binomial(row["k"], row["n"], row["p0"], a=row["a"], b=row["b"])


RULES: dict[str, tuple[float, Callable[[Row], Any]]] = {
    "t_one_sample": (JZS, lambda row: bayes.log_bf_t(row["t"], row["n"], r=row["r"])),
    "t_two_sample": (JZS, lambda row: bayes.log_bf_t(row["t"], row["n1"], row["n2"], r=row["r"])),
    "anova_reference": (JZS, _regression),
    "anova_rouder_balanced": (JZS, lambda row: _balanced(row, r=row["r"])),
    "corr_wetzels": (JZS, lambda row: correlation.log_bf_correlation_wetzels(row["r"], row["n"])),
    "corr_ly": (OTHER, lambda row: correlation.log_bf_correlation(row["r"], row["n"], kappa=row["kappa"])),
    "binomial": (OTHER, _binomial),
    "bic": (OTHER, lambda row: bayes.log_bf_chi_square_bic(row["chi2"], row["df"], row["n"])),
}
"""Rule of each group whose rows can be asked for one by one or, as columns, all at once."""


def _one_sided(row: Row) -> Any:
    r, n = row["r"], row["n"]
    return correlation.log_bf_correlation(r, n, kappa=row["kappa"], alternative=row["alternative"])


def _table(row: Row) -> Any:
    sampling, a = row["sampling"], row["prior_concentration"]
    return contingency.log_bf_contingency(row["table"], sampling=sampling, concentration=a)


ONE_BY_ONE: dict[str, tuple[float, Callable[[Row], Any]]] = {
    **RULES,
    "corr_ly_directional": (OTHER, _one_sided),
    "contingency": (OTHER, _table),
}


def _off(value: float, truth: mpmath.mpf | str, tolerance: float) -> bool:
    """Whether a value misses the truth by more than tolerance x max(1, |truth|); NaN and inf do."""
    exact = mpmath.mpf(truth)
    return not (math.isfinite(value) and abs(mpmath.mpf(value) - exact) <= tolerance * max(1, abs(exact)))


def test_every_group_of_the_data_has_a_rule_and_none_is_empty() -> None:
    assert set(GROUPS) == set(ONE_BY_ONE)
    assert min(len(rows) for rows in GROUPS.values()) >= 10
    assert sum(len(rows) for rows in GROUPS.values()) > 1300


@pytest.mark.parametrize("name", sorted(ONE_BY_ONE))
def test_every_row_one_at_a_time_is_the_truth(name: str) -> None:
    tolerance, rule = ONE_BY_ONE[name]
    missed = [row for row in GROUPS[name] if _off(rule(row), row["logbf10"], tolerance)]
    assert not missed


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_group_asked_at_once_gives_the_numbers_of_single_calls(name: str) -> None:
    _, rule = RULES[name]
    rows = GROUPS[name]
    columns = {key: np.array([row[key] for row in rows]) for key in rows[0] if key not in _OUTPUTS}
    together = rule(columns)
    alone = np.array([rule(row) for row in rows])
    assert together.shape == (len(rows),)
    np.testing.assert_allclose(together, alone, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_correlations_asked_at_once_give_the_numbers_of_single_calls(alternative: str) -> None:
    rows = [row for row in GROUPS["corr_ly_directional"] if row["alternative"] == alternative]
    r, n, kappa = (np.array([row[key] for row in rows]) for key in ("r", "n", "kappa"))
    together = correlation.log_bf_correlation(r, n, kappa=kappa, alternative=alternative)
    np.testing.assert_allclose(together, [_one_sided(row) for row in rows], rtol=1e-13, atol=1e-13)


def test_tables_asked_at_once_give_the_numbers_of_single_calls() -> None:
    kinds: dict[tuple[Any, ...], list[Row]] = {}
    for row in GROUPS["contingency"]:
        shape = (len(row["table"]), len(row["table"][0]))
        kinds.setdefault((*shape, row["sampling"], row["prior_concentration"]), []).append(row)
    for (*_, sampling, a), rows in kinds.items():
        tables = np.array([row["table"] for row in rows])
        together = contingency.log_bf_contingency(tables, sampling=sampling, concentration=a)
        np.testing.assert_allclose(together, [_table(row) for row in rows], rtol=1e-13, atol=1e-12)


def _anchor_value(anchor: Row) -> float:
    """Log Bayes factor for the inputs of an anchor, whatever rule they ask for."""
    given = anchor["inputs"]
    if "vs" in anchor["description"] and "regression" in anchor["description"]:
        return _against_smaller_model(anchor["description"], given)
    if "t" in given:
        sizes = (given["n1"], given["n2"]) if "n1" in given else (given["n"],)
        side = given.get("alternative", "two-sided")
        return float(bayes.log_bf_t(given["t"], *sizes, r=given["r"], alternative=side))
    if "F" in given:
        return float(_balanced(given, r=given["r"]))
    if "R2" in given:
        return _from_r2(given["N"], given["p"], given["R2"], given["r"])
    if "table" in given:
        a, sampling = given["a"], given["sampling"]
        return float(contingency.log_bf_contingency(given["table"], sampling=sampling, concentration=a))
    if "k" in given:
        a, b = given.get("a", 1), given.get("b", 1)
        return float(bayes.log_bf_binomial(given["k"], given["n"], given["p0"], a=a, b=b))
    if "Wetzels" in anchor["description"]:
        return float(correlation.log_bf_correlation_wetzels(given["r"], given["n"]))
    kappa, side = given.get("kappa", 1.0), given.get("alternative", "two-sided")
    return float(correlation.log_bf_correlation(given["r"], given["n"], kappa=kappa, alternative=side))


def _from_r2(n: int, p: int, r2: float, r: float) -> float:
    df2 = n - p - 1
    return float(bayes.log_bf_regression(r2 / p / ((1 - r2) / df2), p, df2, n, r=r))


def _against_smaller_model(description: str, given: Row) -> float:
    """Two regressions over the same data: the difference of their log Bayes factors against no predictor."""
    models = {51: ((4, 0.82), (2, 0.62)), 750: ((5, 0.55), (4, 0.45))}[given["N"]]
    for p, r2 in models:
        assert f"p={p},R2={r2:.2f}".replace("0.", ".") in description
    larger, smaller = (_from_r2(given["N"], p, r2, given["r"]) for p, r2 in models)
    return larger - smaller


def _published(anchor: Row, log_bf: float) -> float:
    """A log Bayes factor in the form in which the source prints it."""
    kind = anchor["published_kind"]
    return {"log": log_bf, "bf": math.exp(log_bf), "bf01": math.exp(-log_bf)}[kind]


ANCHORS: list[Row] = DATA["anchors"]


def test_there_are_46_anchors_each_with_its_source() -> None:
    assert len(ANCHORS) == 46
    assert all(anchor["source"] for anchor in ANCHORS)


@pytest.mark.parametrize(
    "anchor", ANCHORS, ids=[f"{anchor['description']} [{anchor['source']}]" for anchor in ANCHORS]
)
def test_published_anchor_is_met_within_its_stated_tolerance(anchor: Row) -> None:
    log_bf = _anchor_value(anchor)
    assert _published(anchor, log_bf) == pytest.approx(
        anchor["published"], rel=anchor["stated_rel_tol"], abs=0
    )
    assert not _off(log_bf, anchor["logbf10"], OTHER)


# ---- fresh truth at the far ends, by a method of its own: a trapezoid sum in log g at 30 digits


def _kernel(a: mpmath.mpf, m: float, p: float, s: mpmath.mpf, d: mpmath.mpf) -> mpmath.mpf:
    """Log of the JZS integral with g = e^x; the sum over a lattice converges like exp(-pi²/step)."""
    q, r2, step, low = d / (s + d), s / (s + d), 1 / 16, -6.0
    a_, q_, r2_ = float(a), float(q), float(r2)
    x = np.arange(low, 160.0, step)
    g = np.exp(x)
    rough = m / 2 * np.log1p(a_ * r2_ * g / (1 + a_ * q_ * g)) - p / 2 * np.log1p(a_ * g) - x / 2 - 0.5 / g
    top = mpmath.mpf(float(rough.max()))
    total = mpmath.mpf(0)
    for place in x[rough > rough.max() - 45]:
        g_ = mpmath.exp(float(place))
        fit = m * mpmath.log1p(a * r2 * g_ / (1 + a * q * g_)) - p * mpmath.log1p(a * g_)
        total += mpmath.exp((fit - float(place) - 1 / g_) / 2 - top)
    return top + mpmath.log(total * step) - mpmath.log(2 * mpmath.pi) / 2


def _extremes(seed: int, count: int) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, i]) for i in range(count)]


def _spread(rng: np.random.Generator, low: float, high: float) -> float:
    """A number spread evenly over orders of magnitude."""
    return float(10 ** rng.uniform(math.log10(low), math.log10(high)))


def _t_case(rng: np.random.Generator) -> tuple[float, mpmath.mpf]:
    n1, n2 = int(_spread(rng, 1, 1e7)), int(_spread(rng, 2, 1e7))
    t, r = _spread(rng, 1e-3, 1e4), float(rng.choice([0.1, 0.5, 0.707, 2.0]))
    size = mpmath.mpf(n1) * n2 / (n1 + n2) * mpmath.mpf(r) ** 2
    truth = _kernel(size, n1 + n2 - 1, 1, mpmath.mpf(t) ** 2, mpmath.mpf(n1 + n2 - 2))
    return float(bayes.log_bf_t(t, n1, n2, r=r)), truth


def _pairs_case(rng: np.random.Generator) -> tuple[float, mpmath.mpf]:
    n, t = int(rng.choice([2, 3, 10, 10**7])), float(rng.choice([0.0, 1e-8, 3.0, 50.0, 1e4]))
    truth = _kernel(mpmath.mpf(n) / 2, n, 1, mpmath.mpf(t) ** 2, mpmath.mpf(n - 1))
    return float(bayes.log_bf_t(t, n)), truth


def _f_case(rng: np.random.Generator) -> tuple[float, mpmath.mpf]:
    df1, df2, f = int(rng.integers(1, 101)), int(_spread(rng, 1, 1e6)), _spread(rng, 1e-4, 1e4)
    n = df1 + df2 + 1
    if rng.random() < 0.5:
        value, a = bayes.log_bf_regression(f, df1, df2, n), mpmath.mpf(n) / 4
    else:
        value, a = bayes.log_bf_anova(f, df1, df2), mpmath.mpf(n) / (df1 + 1) / 4
    return float(value), _kernel(a, n - 1, df1, df1 * mpmath.mpf(f), mpmath.mpf(df2))


def _near_one(rng: np.random.Generator) -> float:
    return float(rng.choice([-1, 1])) * (1 - _spread(rng, 1e-12, 1.0))


def _wetzels_case(rng: np.random.Generator) -> tuple[float, mpmath.mpf]:
    r, n = _near_one(rng), int(_spread(rng, 3, 1e6))
    exact = mpmath.mpf(r)
    truth = _kernel(mpmath.mpf(n), n - 1, 1, exact**2, (1 - exact) * (1 + exact))
    return float(correlation.log_bf_correlation_wetzels(r, n)), truth


@pytest.mark.parametrize("case", [_t_case, _pairs_case, _f_case, _wetzels_case])
def test_jzs_forms_hold_at_the_far_ends(
    case: Callable[[np.random.Generator], tuple[float, mpmath.mpf]],
) -> None:
    with mpmath.workdps(30):
        results = [case(rng) for rng in _extremes(17, 12)]
        assert not [(value, truth) for value, truth in results if _off(value, truth, JZS)]


@pytest.mark.parametrize("kappa", [1 / 3, 1.0, 2.0])
def test_exact_correlation_holds_at_the_far_ends(kappa: float) -> None:
    """Ly et al. (2016), equation 19, with mpmath's hypergeometric function."""
    with mpmath.workdps(50):
        for rng in _extremes(18, 25):
            r, n = _near_one(rng), int(_spread(rng, 3, 1e7))
            k, x = mpmath.mpf(kappa), mpmath.mpf(r)
            c = 1 / k + mpmath.mpf(n) / 2
            truth = (
                (1 - 2 / k) * mpmath.log(2)
                + mpmath.log(mpmath.pi) / 2
                - mpmath.log(mpmath.beta(1 / k, 1 / k))
            )
            truth += mpmath.loggamma(c - mpmath.mpf(1) / 2) - mpmath.loggamma(c)
            truth += (c - n + 1) * mpmath.log((1 - x) * (1 + x))  # Euler's transformation of 2F1
            truth += mpmath.log(mpmath.hyp2f1(1 / k + 0.5, 1 / k + 0.5, c, x * x))
            assert not _off(float(correlation.log_bf_correlation(r, n, kappa=kappa)), truth, OTHER)


def test_binomial_holds_at_the_far_ends() -> None:
    with mpmath.workdps(40):
        for rng in _extremes(19, 60):
            n, p0 = int(_spread(rng, 1, 1e7)), float(rng.choice([0.001, 0.3, 0.5, 0.999]))
            k = int(rng.choice([0, n, rng.binomial(n, p0), rng.binomial(n, rng.random())]))
            p = mpmath.mpf(p0)
            truth = (
                mpmath.log(mpmath.beta(k + 1, n - k + 1)) - k * mpmath.log(p) - (n - k) * mpmath.log(1 - p)
            )
            assert not _off(float(bayes.log_bf_binomial(k, n, p0)), truth, OTHER)


def _log_dirichlet(counts: list[int], prior: mpmath.mpf) -> mpmath.mpf:
    """Log of B(counts + prior)/B(prior)."""
    parts = mpmath.fsum(mpmath.loggamma(x + prior) - mpmath.loggamma(prior) for x in counts)
    size = len(counts) * prior
    return parts + mpmath.loggamma(size) - mpmath.loggamma(size + sum(counts))


def _gunel_dickey(table: list[list[int]], sampling: str, a: mpmath.mpf) -> mpmath.mpf:
    """Marginal likelihoods of Gûnel & Dickey (1974), written out."""
    columns = [list(column) for column in zip(*table, strict=True)]
    if sampling == "indep_cols":
        return _gunel_dickey(columns, "indep_rows", a)
    rows_n, columns_n = len(table), len(columns)
    row_sums, column_sums = [sum(row) for row in table], [sum(column) for column in columns]
    xi_rows, xi_columns = columns_n * a - (columns_n - 1), rows_n * a - (rows_n - 1)
    by_columns = _log_dirichlet(column_sums, xi_columns)
    if sampling == "indep_rows":
        return mpmath.fsum(_log_dirichlet(row, a) for row in table) - by_columns
    cells, total = [x for row in table for x in row], sum(row_sums)
    null = _log_dirichlet(row_sums, xi_rows) + by_columns
    if sampling == "joint":
        return _log_dirichlet(cells, a) - null
    shape = len(cells) * a
    free = shape - (rows_n - 1) * (columns_n - 1)
    rate = shape / total
    effect = mpmath.fsum(mpmath.loggamma(x + a) - mpmath.loggamma(a) for x in cells)
    effect += shape * mpmath.log(rate) - (shape + total) * mpmath.log(1 + rate)
    null += mpmath.loggamma(total + free) - mpmath.loggamma(free)
    return effect - null - free * mpmath.log(rate) + (free + total) * mpmath.log(1 + rate)


def _hypergeometric(table: list[list[int]], a: mpmath.mpf) -> mpmath.mpf:
    """Both margins of a 2 x 2 table fixed: P(table) ∝ Π Γ(y + a)/y! against Π 1/y!."""
    (y, b), (c, d) = table

    def log_weight(x: int, prior: mpmath.mpf | None) -> mpmath.mpf:
        cells = (x, y + b - x, y + c - x, d - y + x)
        extra = 0 if prior is None else mpmath.fsum(mpmath.loggamma(cell + prior) for cell in cells)
        return extra - mpmath.fsum(mpmath.loggamma(cell + 1) for cell in cells)

    places = range(max(0, y - d), min(y + b, y + c) + 1)
    odds = [
        mpmath.fsum(mpmath.exp(log_weight(x, prior) - log_weight(y, prior)) for x in places)
        for prior in (a, None)
    ]
    return mpmath.log(odds[1] / odds[0])


@pytest.mark.parametrize("sampling", contingency.SAMPLINGS)
def test_tables_with_empty_cells_and_large_counts_hold(sampling: str) -> None:
    with mpmath.workdps(40):
        for rng in _extremes(20, 25):
            small = sampling == "hypergeom"
            rows, columns = (2, 2) if small else (int(rng.integers(2, 6)), int(rng.integers(2, 6)))
            scale, a = _spread(rng, 1, 300 if small else 3e6), float(rng.choice([1.0, 1.5, 3.0]))
            shares = rng.random((rows, columns)) ** 3
            table = [[int(x) for x in row] for row in rng.poisson(scale * shares)]
            table[0][0] = 0 if rng.random() < 0.5 else 1 + table[0][0]
            table[-1][-1] += 1
            exact = mpmath.mpf(a)
            truth = _hypergeometric(table, exact) if small else _gunel_dickey(table, sampling, exact)
            value = contingency.log_bf_contingency(table, sampling=sampling, concentration=a)
            assert not _off(float(value), truth, OTHER)

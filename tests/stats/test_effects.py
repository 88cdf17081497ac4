"""Effects, their standard errors and d-equivalents: by hand, by simulation, at their limits."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.stats.undefined import check_undefined

from concord.errors import OptionError
from concord.stats import effects

checked = settings(deadline=None, max_examples=100)
sizes = st.integers(2, 10_000)
rs = st.floats(-0.999, 0.999)
cells = st.tuples(*[st.integers(1, 5000)] * 4)
NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "expected", "source"),
    [
        (effects.cohens_d(3.0, 18, 9), 3 * math.sqrt(1 / 6), "t √(1/18 + 1/9)"),
        (effects.cohens_d(3.0, 36), 0.5, "t/√n"),
        (effects.cohens_d_se(0.5, 20, 30), math.sqrt(1 / 12 + 0.0025), "√(50/600 + 0.25/100)"),
        (effects.cohens_d_se(0.5, 50), math.sqrt(0.0225), "√(1/50 + 0.25/100)"),
        (effects.d_from_f(6.0, 2, 48), 1.0, "2√(12/48)"),
        (effects.d_from_f_se(1.0, 50), 0.3, "√(4/50 + 1/100)"),
        (effects.correlation_z(0.6), math.log(2), "atanh 0.6 = ½ ln(1.6/0.4)"),
        (effects.correlation_se(28), 0.2, "1/√25"),
        (effects.d_from_r(0.6), 1.5, "1.2/0.8"),
        (effects.log_odds_ratio([[8, 2], [4, 4]]), math.log(4), "ln(8·4/(2·4))"),
        (effects.log_odds_ratio_se([[8, 2], [4, 4]]), math.sqrt(1.125), "√(1/8 + 1/2 + 1/4 + 1/4)"),
        (
            effects.log_odds_ratio([[0, 2], [4, 4]]),
            math.log(0.5 / 2.5),
            "½ added to all: ln(0.5·4.5/(2.5·4.5))",
        ),
        (effects.d_from_log_odds(math.pi), math.sqrt(3), "ln OR · √3/π"),
        (effects.rank_biserial(20, 10, 8), 0.5, "1 - 40/80"),
        (effects.rank_biserial_se(0.5, 10, 10), math.sqrt(0.20625), "√(0.1 + 0.1 + 0.25/40)"),
        (effects.d_from_rank_biserial(0.0), 0.0, "√2 Φ⁻¹(½)"),
        (effects.d_from_rank_biserial(2 * 0.8413447460685429 - 1), math.sqrt(2), "√2 Φ⁻¹(Φ(1))"),
        (effects.d_from_proportion(80, 100), 1.2, "2(0.8 - 0.5)/0.5"),
        (effects.d_from_proportion(80, 100, 0.2), 3.0, "2(0.8 - 0.2)/0.4"),
        (effects.proportion_se(80, 100), 0.04, "√(0.8·0.2/100)"),
        (effects.proportion_log_odds(7, 9, 0.5), math.log(3), "ln(7.5/2.5)"),
        (effects.proportion_log_odds_se(7, 9), math.sqrt(8 / 15), "1/√(10·0.75·0.25)"),
        (effects.z_difference(0.2, 0.5, 0.3, 0.4), -0.6, "(0.2 - 0.5)/0.5"),
    ],
)
def test_value_by_hand(value: float, expected: float, source: str) -> None:
    assert value == pytest.approx(expected, rel=1e-13, abs=1e-15), source


@checked
@given(st.floats(-50, 50), sizes, sizes)
def test_d_is_odd_in_t_and_its_error_does_not_see_the_sign(t: float, n1: int, n2: int) -> None:
    d = effects.cohens_d(t, n1, n2)
    assert effects.cohens_d(-t, n1, n2) == -d
    assert effects.cohens_d_se(d, n1, n2) == effects.cohens_d_se(-d, n2, n1)


@checked
@given(st.floats(0, 500), sizes)
def test_d_of_f_with_one_df_is_near_d_of_its_root(f: float, n: int) -> None:
    """2√(F/df2) against √F·√(2/n): they differ by the factor √(n/(n - 1)) alone."""
    unsigned = float(effects.d_from_f(f, 1, 2 * n - 2))
    assert unsigned == pytest.approx(
        float(effects.cohens_d(math.sqrt(f), n, n)) * math.sqrt(n / (n - 1)), rel=1e-12
    )


@checked
@given(rs)
def test_r_and_d_carry_one_sign_and_return(r: float) -> None:
    d = float(effects.d_from_r(r))
    assert d / math.sqrt(d * d + 4) == pytest.approx(r, abs=1e-12)
    assert math.tanh(float(effects.correlation_z(r))) == pytest.approx(r, abs=1e-12)


@checked
@given(cells)
def test_odds_ratio_turns_its_sign_when_rows_or_columns_change_places(table: tuple[int, ...]) -> None:
    square = np.array(table).reshape(2, 2)
    value = float(effects.log_odds_ratio(square))
    assert effects.log_odds_ratio(square[::-1]) == pytest.approx(-value, abs=1e-12)
    assert effects.log_odds_ratio(square[:, ::-1]) == pytest.approx(-value, abs=1e-12)
    assert effects.log_odds_ratio(square.T) == pytest.approx(value, abs=1e-12)
    assert effects.log_odds_ratio_se(square) == pytest.approx(effects.log_odds_ratio_se(square.T), rel=1e-14)


@checked
@given(st.integers(2, 300), st.integers(2, 300), st.floats(0, 1))
def test_rank_biserial_of_one_group_is_that_of_the_other_turned(n1: int, n2: int, share: float) -> None:
    u = round(share * n1 * n2)
    r = float(effects.rank_biserial(u, n1, n2))
    assert -1 <= r <= 1
    assert effects.rank_biserial(n1 * n2 - u, n2, n1) == pytest.approx(-r, abs=1e-12)


@checked
@given(st.integers(0, 500), st.integers(1, 500), st.floats(0.01, 0.99))
def test_log_odds_of_a_proportion_are_finite_and_turn_with_success_and_failure(
    k: int, n: int, p0: float
) -> None:
    assume(k <= n)
    value = float(effects.proportion_log_odds(k, n, p0))
    assert math.isfinite(value)
    assert effects.proportion_log_odds(n - k, n, 1 - p0) == pytest.approx(-value, abs=1e-9)
    assert float(effects.proportion_log_odds_se(k, n)) > 0


def test_one_empty_cell_moves_only_its_own_table() -> None:
    values = np.asarray(effects.log_odds_ratio([[[8, 2], [4, 4]], [[0, 2], [4, 4]]]))
    assert values == pytest.approx([math.log(4), math.log(0.2)])


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (
            lambda rng: np.array([effects.cohens_d(t, 40, 40) for t in _t_draws(rng, 0.5, 40)]),
            effects.cohens_d_se(0.5, 40, 40),
        ),
        (
            lambda rng: np.asarray(effects.proportion_log_odds(rng.binomial(120, 0.7, 20_000), 120)),
            effects.proportion_log_odds_se(84, 120),
        ),
        (lambda rng: _rank_biserials(rng, 0.6, 30), None),
    ],
    ids=["d", "log odds", "rank-biserial"],
)
def test_standard_error_is_the_spread_of_fresh_samples(
    draw: Callable[[np.random.Generator], np.ndarray], error: float | None
) -> None:
    values = draw(np.random.default_rng(3))
    if error is None:
        error = float(effects.rank_biserial_se(float(values.mean()), 30, 30, method="hanley-mcneil"))
    assert values.std() == pytest.approx(error, rel=0.06)


def _t_draws(rng: np.random.Generator, d: float, n: int) -> np.ndarray:
    z = rng.standard_normal(20_000) + d * math.sqrt(n / 2)
    return np.asarray(z / np.sqrt(rng.chisquare(2 * n - 2, 20_000) / (2 * n - 2)))


def _rank_biserials(rng: np.random.Generator, shift: float, n: int) -> np.ndarray:
    first, second = rng.standard_normal((4000, n, 1)) + shift, rng.standard_normal((4000, 1, n))
    return np.asarray(np.sign(first - second).mean(axis=(1, 2)))


def test_simple_error_of_the_rank_biserial_is_twice_too_large() -> None:
    """The form of the first benchmark is kept for comparability; Hanley-McNeil is the calibrated one."""
    simple = float(effects.rank_biserial_se(0.5, 20, 20))
    assert simple / float(effects.rank_biserial_se(0.5, 20, 20, method="hanley-mcneil")) == pytest.approx(
        2.06, abs=0.01
    )


UNDEFINED: list[tuple[str, Callable[..., object], tuple[float, ...], tuple[float, ...]]] = [
    ("r at its limit", effects.d_from_r, (1 - 1e-6,), (1 - 1.01e-6,)),
    ("z of r at its limit", effects.correlation_z, (-1.0,), (-0.9,)),
    ("rank-biserial at its limit", effects.d_from_rank_biserial, (1.0,), (0.9,)),
    ("three pairs have no standard error", effects.correlation_se, (3,), (4,)),
    ("U beyond n1 n2", effects.rank_biserial, (101, 10, 10), (100, 10, 10)),
    ("more successes than trials", effects.d_from_proportion, (5, 4), (4, 4)),
    ("no trials", effects.proportion_se, (0, 0), (0, 1)),
    ("a negative F", effects.d_from_f, (-1.0, 2, 20), (1.0, 2, 20)),
    ("nobody", effects.cohens_d, (2.0, 0), (2.0, 1)),
    ("two errors of 0", effects.z_difference, (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 1.0, 0.0)),
    ("no effect", effects.z_difference, (NAN, 0.0, 1.0, 1.0), (1.0, 0.0, 1.0, 1.0)),
    ("no standard error", effects.z_difference, (1.0, 0.0, NAN, 1.0), (1.0, 0.0, 1.0, 1.0)),
]


@pytest.mark.parametrize(
    ("function", "bad", "good"), [case[1:] for case in UNDEFINED], ids=[case[0] for case in UNDEFINED]
)
def test_undefined_raises_alone_and_is_nan_among_others(
    function: Callable[..., object], bad: tuple[float, ...], good: tuple[float, ...]
) -> None:
    check_undefined(function, bad, good)


def test_all_or_none_succeeding_has_a_standard_error_of_zero() -> None:
    assert effects.proportion_se(0, 30) == 0
    assert effects.proportion_se(30, 30) == 0


def test_a_table_larger_than_two_by_two_has_no_odds_ratio() -> None:
    with pytest.raises(OptionError, match="2 x 2"):
        effects.log_odds_ratio([[1, 2, 3], [4, 5, 6]])


def test_an_unknown_standard_error_is_refused() -> None:
    with pytest.raises(OptionError, match="hanley-mcneil"):
        effects.rank_biserial_se(0.5, 10, 10, method="exact")

"""From evidence to states and PAS: sums, bounds, symmetry, limits."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.errors import UndefinedError
from concord.stats import two_rates
from concord.stats.pooling import pas_states, pas_two_states, posterior, posterior_states, sign_split

checked = settings(deadline=None, max_examples=100)
evidence = st.floats(-2000, 2000)
shares = st.floats(0, 1)
odds = st.floats(1e-6, 1e6)
counts = st.integers(0, 400)


@pytest.mark.parametrize(
    ("log_bf", "prior_odds", "expected", "source"),
    [
        (0.0, 1.0, 0.5, "no evidence, even odds"),
        (math.log(3), 1.0, 0.75, "3/(1 + 3)"),
        (math.log(3), 10.0, 30 / 31, "3 x 10/(1 + 3 x 10)"),
        (math.log(0.2), 0.5, 0.1 / 1.1, "0.2 x 0.5/(1 + 0.2 x 0.5)"),
        (math.inf, 1.0, 1.0, "a Bayes factor without bound"),
        (-math.inf, 1.0, 0.0, "its mirror"),
    ],
)
def test_posterior_by_hand(log_bf: float, prior_odds: float, expected: float, source: str) -> None:
    assert posterior(log_bf, prior_odds) == pytest.approx(expected, rel=1e-15), source


def test_pas_by_hand() -> None:
    human = posterior_states(math.log(9), 0.9)
    agent = posterior_states(math.log(4), 0.25)
    assert human == pytest.approx([0.81, 0.09, 0.1])
    assert agent == pytest.approx([0.2, 0.6, 0.2])
    assert pas_states(human, agent) == pytest.approx(0.81 * 0.2 + 0.09 * 0.6 + 0.1 * 0.2)
    assert pas_two_states(0.9, 0.8) == pytest.approx(0.9 * 0.8 + 0.1 * 0.2)


@checked
@given(evidence, shares, odds)
def test_three_states_sum_to_one_and_are_probabilities(log_bf: float, share: float, prior: float) -> None:
    states = posterior_states(log_bf, share, prior)
    assert states.sum() == pytest.approx(1, abs=1e-14)
    assert np.all((states >= 0) & (states <= 1))
    assert states[:2].sum() == pytest.approx(posterior(log_bf, prior), abs=1e-14)


@checked
@given(evidence, shares, evidence, shares)
def test_pas_is_a_probability_and_does_not_care_who_is_who(a: float, p: float, b: float, q: float) -> None:
    one, other = posterior_states(a, p), posterior_states(b, q)
    pas = pas_states(one, other)
    assert 0 <= float(pas) <= 1 + 1e-15
    assert pas == pas_states(other, one)
    two = pas_two_states(posterior(a), posterior(b))
    assert 0 <= float(two) <= 1
    assert two == pas_two_states(posterior(b), posterior(a))
    assert float(pas) <= float(two) + 1e-12  # splitting a state can only lower agreement


@checked
@given(evidence, evidence, st.sampled_from([0.0, 1.0]))
def test_with_certain_equal_directions_three_states_are_two(a: float, b: float, share: float) -> None:
    three = pas_states(posterior_states(a, share), posterior_states(b, share))
    assert three == pytest.approx(pas_two_states(posterior(a), posterior(b)), abs=1e-14)


@checked
@given(st.floats(3, 2000), st.floats(3, 2000))
def test_a_reversed_effect_scores_low_in_three_states_only(a: float, b: float) -> None:
    three = pas_states(posterior_states(a, 1.0), posterior_states(b, 0.0))
    assert float(three) < 0.01
    assert float(np.asarray(pas_two_states(posterior(a), posterior(b)))) > 0.9


@checked
@given(evidence, st.floats(0.001, 50), odds)
def test_posterior_grows_with_evidence_and_with_prior_odds(log_bf: float, more: float, prior: float) -> None:
    assert float(posterior(log_bf + more, prior)) >= float(posterior(log_bf, prior))
    assert float(posterior(log_bf, prior * (1 + more))) >= float(posterior(log_bf, prior))


def test_overwhelming_evidence_neither_overflows_nor_vanishes() -> None:
    assert posterior([-5000.0, 5000.0]) == pytest.approx([0, 1], abs=1e-300)
    tiny = posterior_states(50.0, 1.0)
    assert tiny[2] == pytest.approx(math.exp(-50), rel=1e-12)  # 1 - pi would be 0


@pytest.mark.parametrize(("sign", "share"), [(1, 1 - 1e-4), (-1, 1e-4), (0, 0.5)])
def test_sign_split(sign: int, share: float) -> None:
    assert sign_split(sign) == share


def test_what_is_undefined_raises_alone_and_is_nan_among_others() -> None:
    nan = float("nan")
    with pytest.raises(UndefinedError, match="positive prior odds"):
        posterior(nan)
    with pytest.raises(UndefinedError, match="positive prior odds"):
        posterior(1.0, 0.0)
    with pytest.raises(UndefinedError, match="no direction"):
        sign_split(nan)
    with pytest.raises(UndefinedError, match="both sides"):
        pas_two_states(nan, 0.5)
    with pytest.raises(UndefinedError, match="both sides"):
        pas_states([nan, nan, nan], [0.2, 0.3, 0.5])
    assert np.isnan(np.asarray(posterior([nan, 0.0])))[0]
    assert np.asarray(pas_two_states([nan, 1.0], 1.0)).tolist()[1] == 1.0
    assert np.isnan(np.asarray(sign_split([nan, 1])))[0]


def test_shapes_broadcast() -> None:
    assert np.asarray(posterior(np.zeros((3, 1)), np.ones(4))).shape == (3, 4)
    assert posterior_states(np.zeros((3, 1)), np.full(4, 0.5)).shape == (3, 4, 3)
    assert np.asarray(pas_states(np.full((5, 3), 1 / 3), [1.0, 0.0, 0.0])).shape == (5,)
    assert isinstance(posterior(0.0), float)
    assert isinstance(pas_states([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), float)


# ---- which of two rates is higher


@settings(deadline=None, max_examples=30)
@given(st.tuples(counts, counts, counts, counts))
def test_one_of_two_rates_is_higher(cells: tuple[int, ...]) -> None:
    a, b, c, d = cells
    up = float(two_rates.prob_first_rate_higher(a, a + b, c, c + d))
    assert 0 <= up <= 1
    assert up + float(two_rates.prob_first_rate_higher(c, c + d, a, a + b)) == pytest.approx(1, abs=1e-10)


def _rate_above(k1: int, n1: int, k2: int, n2: int) -> mpmath.mpf:
    """P(Beta(a, b) > Beta(c, d)) as the sum over i < a of B(c + i, b + d)/((b + i) B(1 + i, b) B(c, d))."""
    a, b, c, d = k1 + 1, n1 - k1 + 1, k2 + 1, n2 - k2 + 1
    term = mpmath.beta(c, b + d) / mpmath.beta(c, d)
    total = mpmath.mpf(0)
    for i in range(a):
        total += term
        term *= mpmath.mpf(c + i) / (c + i + b + d) * (b + i) / (1 + i)
    return total


@pytest.mark.parametrize(
    "groups",
    [
        (70, 150, 1000, 2000),
        (70, 150, 5000, 10_000),
        (100, 300, 3000, 10_000),
        (300, 600, 2600, 5000),
        (5000, 10_000, 70, 150),
        (80, 160, 80, 160),
        (3, 10, 10**6, 2 * 10**6),
        (0, 10, 5, 2000),
        (2000, 4000, 2100, 4000),
    ],
)
def test_rates_of_groups_of_very_different_size(groups: tuple[int, int, int, int]) -> None:
    """The exact finite sum (Altham 1969) at 40 digits."""
    with mpmath.workdps(40):
        truth = float(_rate_above(*groups))
    assert two_rates.prob_first_rate_higher(*groups) == pytest.approx(truth, abs=1e-9)

"""From evidence to states and PAS: sums, bounds, symmetry, limits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.errors import UndefinedError
from concord.stats.posteriors import pas_states, pas_two_states, posterior, posterior_states, sign_split

checked = settings(deadline=None, max_examples=100)
evidence = st.floats(-2000, 2000)
shares = st.floats(0, 1)
odds = st.floats(1e-6, 1e6)


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

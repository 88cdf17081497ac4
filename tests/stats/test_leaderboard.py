"""Whether any agents differ, which may be best, what could have been found, what choosing is worth."""

import numpy as np
import pytest
from scipy import stats

from concord.stats.leaderboard import (
    choosing,
    guarded_p,
    is_guarded,
    may_be_best,
    omnibus,
    smallest_found,
    studentised_range,
    studies_needed,
    value_of_choosing,
)


def test_omnibus_tests_are_those_of_scipy_and_of_the_analysis_of_variance() -> None:
    rng = np.random.default_rng(1)
    values = np.round(rng.normal(0, 1, (5, 9)) + rng.normal(0, 1, 9), 1)
    found = omnibus(values)
    assert found.p_value == pytest.approx(stats.friedmanchisquare(*values).pvalue)
    cov = np.cov(values)
    centred = cov - cov.mean(0) - cov.mean(1)[:, None] + cov.mean()
    epsilon = np.trace(centred) ** 2 / (4 * np.sum(centred**2))  # Greenhouse and Geisser 1959
    assert found.epsilon == pytest.approx(epsilon)
    about = values - values.mean(0)
    residual = about - about.mean(1)[:, None]
    f = 9 * np.sum(about.mean(1) ** 2) / 4 / (np.sum(residual**2) / 32)
    assert found.p_f == pytest.approx(stats.f.sf(f, 4 * epsilon, 32 * epsilon))


@pytest.mark.parametrize("shape", [(1, 9), (5, 2)])
def test_too_few_agents_or_studies_are_undefined(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(1).normal(size=shape)
    assert omnibus(values).p_value is None and omnibus(values).note.startswith("undefined: ")
    found = value_of_choosing(
        ("a",) * shape[0], values, np.ones(shape[0]), level=0.95, rng=np.random.default_rng(1)
    )
    assert found.value is None and found.note.startswith("undefined: ")


@pytest.mark.parametrize(("q", "a", "df"), [(3.0, 5, 6.0), (6.0, 15, 5.0), (4.0, 57, 20.0), (8.0, 15, 8.5)])
def test_the_studentised_range_is_that_of_scipy(q: float, a: int, df: float) -> None:
    found = studentised_range(np.array([q]), a, np.array([df]))[0]
    assert found == pytest.approx(stats.studentized_range.sf(q, a, df), rel=1e-3)


def test_a_difference_that_would_be_found_is_found_in_four_of_five() -> None:
    rng = np.random.default_rng(3)
    delta = float(smallest_found(np.array(1 / np.sqrt(8)), np.array(7.0), 0.01))
    p = stats.ttest_1samp(rng.normal(delta, 1, (20_000, 8)), 0, axis=1).pvalue
    assert np.mean(p < 0.01) == pytest.approx(0.8, abs=0.01)
    needed = studies_needed(1 / np.sqrt(8), 8, delta, 5, level=0.95, lost_df=1)
    assert needed == pytest.approx(8, abs=1)


def test_a_left_out_study_is_never_among_those_chosen_on() -> None:
    values = np.array([[9.0, 0.0, 0.0], [0.0, 1.0, 1.0]])  # the first is best by one study alone
    nested, picked = choosing(values, np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0], [3.0, 0.0, 0.0]]))
    assert picked[0].tolist() == [1, 0, 0]
    assert nested[0] == pytest.approx((0 + 0 + 0) / 3)
    assert picked[1][0] == 1 and nested[1] == pytest.approx((2 * 0.0 + 0.0) / 3)
    assert np.isnan(nested[2])


def test_claims_of_equal_agents_are_rare_and_the_best_is_in_its_set() -> None:
    """Small form of ``benchmarks/claims.py others`` and ``chosen``."""
    rng = np.random.default_rng(5)
    false = inside = covered = 0
    names = tuple("abcdefgh")
    for _ in range(200):
        values = rng.normal(0.6, 0.12, (8, 12)) + rng.normal(0, 0.12, 12)
        false += guarded_p(values)[np.triu_indices(8, 1)].min() < 0.05
        difference = values.mean(1)[:, None] - values.mean(1)
        se = np.sqrt(np.var(values[:, None] - values, axis=-1, ddof=1) / 12)
        inside += may_be_best(difference, se, np.full((8, 8), 11.0), level=0.95)[0]
        reach = stats.t.ppf(0.975, 11) * values.std(axis=1, ddof=1) / np.sqrt(12)
        found = value_of_choosing(names, values, reach, level=0.95, rng=rng)
        assert found.low is not None and found.high is not None
        covered += found.low <= 0.6 <= found.high
    assert false <= 18 and inside >= 186 and covered >= 186


def any_guarded(runs: int, agents: int, studies: int) -> float:
    """Share of sets of equal agents, heavy-tailed over studies, of which the guarded range parts a pair."""
    rng = np.random.default_rng([runs, agents, studies])
    pairs = np.triu_indices(agents, 1)
    drawn = (
        rng.normal(0, 0.12, studies) + 0.12 * rng.standard_t(5, (agents, studies)) / np.sqrt(5 / 3)
        for _ in range(runs)
    )
    return float(np.mean([guarded_p(values)[pairs].min() < 0.05 for values in drawn]))


def test_the_guarded_range_is_used_only_where_it_keeps_its_error_rate() -> None:
    used = {
        (a, k) for a in (2, 3, 7, 8, 57, 80, 81, 200) for k in (6, 11, 12, 19, 20, 30) if is_guarded(a, k)
    }
    assert used == {(a, k) for a in (8, 57, 80) for k in (12, 19)}


@pytest.mark.slow
@pytest.mark.parametrize(("agents", "studies"), [(8, 12), (8, 19), (15, 12), (57, 12), (80, 12)])
def test_equal_agents_are_rarely_told_apart_by_the_guarded_range_in_full(agents: int, studies: int) -> None:
    rate = any_guarded(4000, agents, studies)
    print("guarded range", agents, studies, rate)  # noqa: T201
    assert rate <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 4000)


def test_the_better_of_two_agents_has_a_value_of_choosing() -> None:
    values = np.array([[0.8, 0.9, 0.7, 0.8, 0.75], [0.2, 0.3, 0.4, 0.1, 0.2]])
    found = value_of_choosing(("a", "b"), values, np.zeros(2), level=0.95, rng=np.random.default_rng(1))
    assert found.value is not None and abs(found.value - values[0].mean()) < 1e-12

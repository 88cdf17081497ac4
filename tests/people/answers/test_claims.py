"""Claims about how much answers vary are rare where they are false."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from concord.people.answers.records import AgentAnswers, AnswerNumber, AnswerSummary
from concord.people.answers.result import spread_words
from concord.people.answers.score import paired_difference
from concord.records import Estimate, Interval
from concord.stats.answer_spread import answer_spread, variance_ratio
from concord.stats.multiple import holm

pytestmark = pytest.mark.long

Draw = Callable[[np.random.Generator, int], np.ndarray]
ANSWERS: dict[str, Draw] = {
    "five options": lambda g, n: g.choice(5, n, p=[0.1, 0.2, 0.3, 0.25, 0.15]) + 1.0,
    "normal": lambda g, n: g.normal(size=n),
    "exponential": lambda g, n: g.exponential(size=n),
    "near an end": lambda g, n: g.choice(5, n, p=[0.7, 0.15, 0.1, 0.03, 0.02]) + 1.0,
}


def said_of(agent: np.ndarray, people: np.ndarray) -> str:
    """What is said of two samples of answers, as `score answers` computes it for one outcome."""
    one, two = answer_spread(agent), answer_spread(people)
    if two.variance == 0:  # undefined, and nothing is said
        return ""
    found = variance_ratio(one, two)
    ends = None if np.isnan(found.low) else Interval(found.low, found.high, 0.95, "")
    numbers = {"variance_ratio": AnswerNumber(Estimate(found.value, ends))}
    return spread_words("a", AgentAnswers("a", AnswerSummary("all", 1, 1, numbers), (), ()))


def false_claims(draw: Draw, n: int, replicates: int) -> int:
    rng = np.random.default_rng([n, replicates])
    return sum("too" in said_of(draw(rng, n), draw(rng, n)) for _ in range(replicates))


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("n", [20, 60])
def test_answers_that_vary_alike_are_rarely_said_to_vary_too_little_or_too_much(name: str, n: int) -> None:
    assert false_claims(ANSWERS[name], n, 400) <= stats.binom.isf(0.001, 400, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("n", [20, 60, 200])
def test_answers_that_vary_alike_are_rarely_said_to_differ_in_full(name: str, n: int) -> None:
    assert false_claims(ANSWERS[name], n, 5000) <= stats.binom.isf(0.001, 5000, 0.05)


def test_half_the_variance_is_found_with_two_hundred_answers() -> None:
    rng = np.random.default_rng(5)
    found = [said_of(np.sqrt(0.5) * rng.normal(size=200), rng.normal(size=200)) for _ in range(40)]
    assert sum("too little" in said for said in found) >= 35


# agents distinguished


def agents_apart(replicates: int, studies: int, agents: int, n: int) -> tuple[float, float]:
    """Share of sets of agents alike of which a pair is distinguished, by distance and by log variance ratio.

    Studies have one to five outcomes of five options; agents answer otherwise than people, all in one way.
    """
    rng = np.random.default_rng([replicates, studies, agents, n])
    found = np.zeros(2)
    for _ in range(replicates):
        names = np.repeat(np.arange(studies), rng.integers(1, 6, studies))
        people, own = (rng.dirichlet(np.full(5, 4.0), names.size) for _ in range(2))
        # one agent may be nearer to people in a study by chance of that study, none is in the mean
        moved = [np.exp(rng.normal(0, 0.3, (studies, 5)))[names] * own for _ in range(agents)]
        seen = _counts(rng, people, n)
        counts = [_counts(rng, one / one.sum(axis=1, keepdims=True), n) for one in moved]
        for i, number in enumerate((_distance, _log_ratio)):
            values = [number(one, seen) for one in counts]
            pairs = [(a, b) for a in range(agents) for b in range(a)]
            p = [paired_difference(values[a] - values[b], names.astype(str).tolist(), level=0.95)[1]
                 for a, b in pairs]  # fmt: skip
            found[i] += min(holm([1.0 if one is None else one for one in p])) < 0.05
    return float(found[0] / replicates), float(found[1] / replicates)


def _counts(rng: np.random.Generator, shares: np.ndarray, n: int) -> np.ndarray:
    return np.array([rng.multinomial(n, row) for row in shares])


def _distance(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    shares = [part / part.sum(axis=1, keepdims=True) for part in (one, two)]
    return np.asarray(0.5 * np.abs(shares[0] - shares[1]).sum(axis=1))


def _log_ratio(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    return np.asarray(np.log(_variance(one) / _variance(two)))


def _variance(counts: np.ndarray) -> np.ndarray:
    options, n = np.arange(5.0), counts.sum(axis=1)
    mean = counts @ options / n
    return np.asarray((counts @ options**2 / n - mean**2) * n / (n - 1))


@pytest.mark.parametrize("agents", [2, 4])
def test_agents_that_answer_alike_are_rarely_distinguished(agents: int) -> None:
    assert max(agents_apart(200, 8, agents, 60)) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.slow
@pytest.mark.parametrize("agents", [2, 4])
@pytest.mark.parametrize("studies", [4, 8, 20])
def test_agents_that_answer_alike_are_rarely_distinguished_in_full(
    agents: int, studies: int, request: pytest.FixtureRequest
) -> None:
    if (agents, studies) == (2, 20):
        known = "by the ratio 6.0 % of these sets, 5.5 % of 10,000: a little more than 5 %"
        request.applymarker(pytest.mark.xfail(reason=known, strict=True))
    rates = agents_apart(4000, studies, agents, 60)
    print("answers, agents apart", studies, agents, rates)  # noqa: T201
    assert max(rates) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 4000)

"""Claims about how much answers vary are rare where they are false."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from concord.people.answers.result import AgentAnswers, AnswerNumber, AnswerSummary
from concord.records import Estimate, Interval
from concord.show.answers_terminal import _spread_words
from concord.stats.answer_spread import answer_spread, variance_ratio

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
    return _spread_words("a", AgentAnswers("a", AnswerSummary("all", 1, 1, numbers), (), ()))


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

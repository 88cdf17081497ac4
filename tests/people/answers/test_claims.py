"""Claims about how much answers vary are rare where they are false."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from concord.people.answers.records import AgentAnswers, AnswerNumber, AnswerSummary, OutcomeAnswers
from concord.people.answers.result import spread_words
from concord.people.answers.score import over_persons, paired_difference
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


def scored(agent: np.ndarray, people: np.ndarray) -> AgentAnswers:
    """Return the ratio of two samples of answers, as `score answers` computes it for one outcome."""
    one, two = answer_spread(agent), answer_spread(people)
    if two.variance == 0:  # undefined, and nothing is said
        return AgentAnswers("a", AnswerSummary("all", 1, 1, {}), (), ())
    found = variance_ratio(one, two)
    ends = None if np.isnan(found.low) else Interval(found.low, found.high, 0.95, "")
    numbers = {"variance_ratio": AnswerNumber(Estimate(found.value, ends))}
    return AgentAnswers("a", AnswerSummary("all", 1, 1, numbers), (), ())


def said_of(agent: np.ndarray, people: np.ndarray) -> str:
    """What is said of two samples of answers."""
    return spread_words("a", scored(agent, people))


def any_said(draw: Draw, n: int, models: int, replicates: int, factor: float = 1.0) -> int:
    """Count sets in which any of several models is said to vary otherwise than people."""
    rng = np.random.default_rng([n, models, replicates])
    hits = 0
    for _ in range(replicates):
        people = draw(rng, n)
        made = [replace(scored(factor * draw(rng, n), people), agent=str(i)) for i in range(models)]
        hits += any("too" in spread_words("a", one, made) for one in made)
    return hits


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize(("n", "models"), [(20, 8), (60, 2)])
def test_any_of_several_models_that_vary_alike_is_rarely_said_to_differ(
    name: str, n: int, models: int
) -> None:
    assert any_said(ANSWERS[name], n, models, 150) <= stats.binom.isf(0.001, 150, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("n", [20, 60, 200])
@pytest.mark.parametrize("models", [2, 5, 12])
def test_any_of_several_models_that_vary_alike_is_rarely_said_to_differ_in_full(
    name: str, n: int, models: int
) -> None:
    assert any_said(ANSWERS[name], n, models, 1000) <= stats.binom.isf(0.001, 1000, 0.05)


def test_half_the_variance_of_eight_models_is_found_with_two_hundred_answers() -> None:
    assert any_said(ANSWERS["normal"], 200, 8, 20, np.sqrt(0.5)) >= 18


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


def agents_apart(
    replicates: int, studies: int, agents: int, n: int, *, near: float = 0.0
) -> tuple[float, float]:
    """Share of sets of agents alike of which a pair is distinguished, by distance and by log variance ratio.

    Studies have one to five outcomes of five options; agents answer otherwise than people, all in one way;
    the first may be nearer to people (1: answer as they do).
    """
    rng = np.random.default_rng([replicates, studies, agents, n])
    found = np.zeros(2)
    for _ in range(replicates):
        names = np.repeat(np.arange(studies), rng.integers(1, 6, studies))
        people, own = (rng.dirichlet(np.full(5, 4.0), names.size) for _ in range(2))
        # one agent may be nearer to people in a study by chance of that study, none is in the mean
        moved = [np.exp(rng.normal(0, 0.3, (studies, 5)))[names] * own for _ in range(agents)]
        moved[0] = near * people + (1 - near) * moved[0] if near else moved[0]
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


KINDS_OF_AGENTS = {
    "as people": (0.1, 0.2, 0.3, 0.25, 0.15),
    "far": (0.02, 0.05, 0.13, 0.3, 0.5),
    "one option": (0.01, 0.02, 0.94, 0.02, 0.01),
}


def persons_apart(
    replicates: int, kind: str, n: int, replies: tuple[int, int], other: str | None = None, outcomes: int = 1
) -> float:
    """Share of pairs of agents, alike unless another kind is named, told apart over persons of one study."""
    rng = np.random.default_rng([replicates, n, *replies])
    people, shares = np.array(KINDS_OF_AGENTS["as people"]), (kind, kind if other is None else other)
    hits = 0
    for r in range(replicates):
        seen = rng.multinomial(n, people, outcomes) / n
        pair = []
        for name, which, m in zip("ab", shares, replies, strict=True):
            own = rng.multinomial(m, KINDS_OF_AGENTS[which], outcomes) / m
            rows = tuple(
                OutcomeAnswers("s", f"o{i}", "", "scale", n, m, 0, {}, (), tuple(h), tuple(a))
                for i, (h, a) in enumerate(zip(seen.tolist(), own.tolist(), strict=True))
            )
            pair.append((np.abs(own - seen).sum(axis=1).mean() / 2, AgentAnswers(name, NO_NUMBERS, (), rows)))
        (one, first), (two, second) = pair
        p = over_persons(first, second, Estimate(float(one - two)), level=0.95, seed=r)[1]
        hits += p is not None and p < 0.05
    return hits / replicates


NO_NUMBERS = AnswerSummary("all", 1, 1, {})


@pytest.mark.parametrize("kind", KINDS_OF_AGENTS)
def test_agents_alike_are_rarely_distinguished_over_persons(kind: str) -> None:
    assert persons_apart(150, kind, 100, (60, 70)) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 150)


def test_agents_that_are_not_alike_are_distinguished_over_persons() -> None:
    assert persons_apart(40, "as people", 150, (150, 150), "far") >= 0.9
    assert persons_apart(40, "as people", 150, (60, 150), "far") == 0, "so uneven that it is not tested"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS_OF_AGENTS)
@pytest.mark.parametrize(("n", "replies"), [(30, (30, 30)), (200, (100, 120)), (1000, (500, 600))])
def test_agents_alike_are_rarely_distinguished_over_persons_in_full(
    kind: str, n: int, replies: tuple[int, int]
) -> None:
    rate = persons_apart(4000, kind, n, replies)
    print("answers, over persons", kind, n, replies, rate)  # noqa: T201
    assert rate <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 4000)


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

"""Every claim about people is rare where it is false: data simulated without what the claim says.

Small samples run always; the full ones, whose rates stand in docs/explanation/words.md, are marked slow.
"""

from collections import Counter
from dataclasses import fields
from functools import cache

import numpy as np
import pytest
from tests.people.simulated_agents import SPREAD, STUDIES, TESTS, Scored, rows_of, scored, seen

from concord.comparing.kinds import PEOPLE_RESULTS
from concord.comparing.metrics import ComparedModel, MetricCompareResult
from concord.people.families import registry
from concord.people.protocol import STANDARD
from concord.people.results.one import quadrant, score_table
from concord.people.results.pairs import compare_people
from concord.people.results.same_tests import context_of
from concord.people.score.levels import lay_out
from concord.people.score.sides import SideTable
from concord.people.score.sizes import coding_warning, ecs_codings
from concord.people.score.test_scores import TestScores
from concord.people.table.read import read_tests
from concord.people.uncertainty.floor_ceiling import Simulation, simulate_bounds
from concord.people.uncertainty.other_studies import Jackknife
from concord.people.uncertainty.true_effects import human_effects
from concord.people.words import place_claim
from concord.records import Estimate, TestRow
from concord.stats.agreement import concordance
from concord.stats.elementwise import Floats
from concord.stats.pairs import RankedPairs
from concord.stats.true_effects import draw_true_effects

pytestmark = pytest.mark.long

K = STUDIES * TESTS
MANY = 40 * TESTS
"""Tests of 40 studies: with fewer the interval of a place is too wide for any word."""
NULL, EFFECT = 0.0, 0.8
"""True effects of people: none, or one that is significant in nearly every sample of 60 a group."""


def at_most(rate: float, replicates: int, errors: float = 2.5) -> float:
    """Return a rate and some Monte-Carlo errors of it."""
    return rate + errors * float(np.sqrt(rate * (1 - rate) / replicates))


# verdicts of single tests


def verdicts(kind: str, people: float, agent: float, replicates: int, n: int = 60) -> Counter[str | None]:
    """Count what is said of tests with known true effects of people and agent."""
    rng = np.random.default_rng([replicates, n, len(kind)])
    rows = [_two_sides(kind, rng, i, (people, agent), n) for i in range(replicates)]
    found = score_table(read_tests(rows), STANDARD, n_resamples=0, n_simulations=0)
    return Counter(test.verdict for test in found.tests)


def _two_sides(
    kind: str, rng: np.random.Generator, i: int, effects: tuple[float, float], n: int
) -> dict[str, object]:
    row: dict[str, object] = {"study": f"S{i % 40}", "finding": f"F{i}", "test": "x", "test_type": kind}
    for side, effect in zip(("human", "agent"), effects, strict=True):
        row |= {f"{side}_{name}": value for name, value in _side(kind, rng, effect, n).items()}
    return row


def _side(kind: str, rng: np.random.Generator, d: float, n: int) -> dict[str, object]:
    """One sample of a test with a true effect d, as its columns."""
    if kind == "t-independent":
        return {"statistic": float(seen(rng, np.array([d]), n)[0]), "n1": n, "n2": n}
    if kind == "correlation":
        rho = d / np.sqrt(d * d + 4)
        x = rng.standard_normal(2 * n)
        y = rho * x + np.sqrt(1 - rho**2) * rng.standard_normal(2 * n)
        return {"statistic": float(np.corrcoef(x, y)[0, 1]), "n": 2 * n}
    share = 1 / (1 + np.exp(-d * np.pi / np.sqrt(3)))
    if kind == "binomial":
        return {"k": int(rng.binomial(n, share)), "n": n, "p0": 0.5}
    hits = rng.binomial(n, [share, 0.5])
    return {"table": [[int(k), n - int(k)] for k in hits]}


KINDS = ("t-independent", "correlation", "binomial", "chi-square")


def share(found: Counter[str | None], word: str, other: str) -> float:
    return found[word] / (found[word] + found[other])


def false_verdicts(kind: str, replicates: int) -> tuple[float, float]:
    """Share of agents without effects that *replicate*, and that have an *effect only in the model*."""
    effects = verdicts(kind, EFFECT, NULL, replicates)
    nulls = verdicts(kind, NULL, NULL, replicates)
    return (
        share(effects, "replicates", "does not replicate"),
        share(nulls, "effect only in the model", "no effect in either"),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_agents_without_effects_rarely_replicate_one_or_break_a_null(kind: str) -> None:
    replicated, broken = false_verdicts(kind, 400)
    assert replicated <= at_most(0.025, 400)
    assert broken <= at_most(0.05, 370)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_agents_without_effects_rarely_replicate_one_or_break_a_null_in_full(kind: str) -> None:
    replicated, broken = false_verdicts(kind, 4000)
    assert replicated <= at_most(0.025, 4000)
    assert broken <= at_most(0.05, 3700)


# quadrants and the reason "size"


def twins(replicates: int, n: int, factor: float = 1.0) -> Scored:
    rng = np.random.default_rng([replicates, n])
    true = SPREAD * rng.standard_normal(replicates)
    return scored(rows_of(seen(rng, true, n), seen(rng, factor * true, n), n))


def other_size(replicates: int, n: int, factor: float = 1.0) -> float:
    """Share of findings with equal true effects (or that many times as large) said to differ in size."""
    found = twins(replicates, n, factor).scores
    places = [quadrant(float(p), float(e)) for p, e in zip(found.pas, found.ecs_test, strict=True)]
    return float(np.mean([place is not None and "other size" in place[0] for place in places])) + float(
        np.mean([place is not None and place[0] == "differs" for place in places])
    )


def same_conclusion(replicates: int, n: int, effect: float = 0.0) -> float:
    """Share of human effects, significant as observed, whose agent (without effects) concludes the same."""
    rng = np.random.default_rng([replicates, n, 1])
    t = seen(rng, np.full(replicates, 0.8), n)
    found = scored(rows_of(t, seen(rng, np.full(replicates, effect), n), n)).scores
    certain = found.human_posterior > 0.9
    return float(np.mean(found.pas[certain] >= 0.5))


@pytest.mark.parametrize("n", [15, 40, 150])
def test_equal_effects_are_rarely_called_of_another_size(n: int) -> None:
    assert other_size(1000, n) <= at_most(0.05, 1000)


@pytest.mark.parametrize("n", [40, 150])
def test_an_agent_without_the_effect_rarely_leads_to_the_same_conclusion(n: int) -> None:
    assert same_conclusion(1000, n) <= at_most(0.05, 900)


@pytest.mark.slow
def test_places_of_findings_in_full() -> None:
    for n in (15, 40, 150):
        assert other_size(10_000, n) <= at_most(0.05, 10_000)
        assert same_conclusion(10_000, n) <= at_most(0.05, 8000)


# place between floor and ceiling


@cache
def people_of(seed: int, n: int) -> tuple[Floats, Simulation]:
    """One table of people's results, with floor and ceiling of its agents."""
    rng = np.random.default_rng([seed, n])
    t = seen(rng, SPREAD * rng.standard_normal(MANY), n)
    rows = read_tests(rows_of(t, t, n)).rows
    layout = lay_out(rows)
    human = SideTable.from_rows(rows, [row.human for row in rows], STANDARD.human_prior_odds, registry.KINDS)
    agent = SideTable.from_rows(rows, [row.agent for row in rows], STANDARD.agent_prior_odds, registry.KINDS)
    context = context_of(rows, human, agent)
    rng = np.random.default_rng([seed, n, 1])
    return t, simulate_bounds(human, agent, context, layout, STANDARD, level=0.95, n_simulations=300, rng=rng)


def place_claims(follows: float, replicates: int, n: int, tables: int) -> Counter[str]:
    """Count what is said of agents that follow people in a share of tests and have no effect in the rest.

    True effects are drawn as the ceiling draws them, so that the true place is that share.
    """
    said: Counter[str] = Counter()
    for seed in range(tables):
        t, simulation = people_of(seed, n)
        rng = np.random.default_rng([seed, n, replicates])
        rows = read_tests(rows_of(t, t, n)).rows
        human = SideTable.from_rows(
            rows, [row.human for row in rows], STANDARD.human_prior_odds, registry.KINDS
        )
        people = human_effects(human, STANDARD)
        true = draw_true_effects(people.d, people.se, n_draws=replicates, rng=rng)
        true = true * (rng.random(true.shape) < follows)
        found = scored(rows_of(np.tile(t, replicates), seen(rng, true, n).ravel(), n))
        for r in range(replicates):
            said[place_claim(_place(found, slice(r * MANY, (r + 1) * MANY), simulation))] += 1
    return said


def _place(found: Scored, part: slice, simulation: Simulation) -> Estimate:
    kept = {field.name: getattr(found.scores, field.name)[part] for field in fields(TestScores)}
    jackknife = Jackknife(TestScores(**kept), lay_out(found.rows[part]), STANDARD, 0.95)
    value = float(jackknife.levels["pas"].benchmark)
    bounds = simulation.bounds("pas", Estimate(value, jackknife.benchmark("pas").interval))
    assert bounds is not None
    return bounds.place


CEILING, FLOOR = "as_good", "no_better"


@pytest.mark.parametrize(("follows", "word"), [(0.9, CEILING), (0.1, FLOOR)])
def test_agents_a_tenth_away_are_rarely_said_to_be_at_ceiling_or_floor(follows: float, word: str) -> None:
    said = place_claims(follows, 40, 150, tables=2)
    assert said.total() == 80
    assert said[word] / 80 <= at_most(0.05, 80)


def test_the_words_for_ceiling_and_floor_are_used() -> None:
    """Places carry the doubt of floor and ceiling: with 600 a group it is small enough for half of them."""
    assert place_claims(0.0, 12, 600, tables=2)[FLOOR] > 0
    assert place_claims(1.0, 12, 600, tables=2)[CEILING] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("follows", "word"), [(0.9, CEILING), (0.1, FLOOR)])
@pytest.mark.parametrize("n", [15, 40, 150])
def test_agents_a_tenth_away_are_rarely_said_to_be_at_either_end_in_full(
    follows: float, word: str, n: int
) -> None:
    said = place_claims(follows, 100, n, tables=4)
    assert said[word] / said.total() <= at_most(0.05, 400)


# differences between models


def compared(
    replicates: int, n: int, models: int, twins_of: float, last: float | None = None
) -> tuple[Floats, float, float]:
    """Share of agents distinguished by each metric, by the closing sentence, in a ranking (Holm).

    Each follows people in a share of studies, all in the same share unless that of the last is given.
    """
    rng = np.random.default_rng([replicates, n, models])
    true = SPREAD * rng.standard_normal((replicates, K))
    human = seen(rng, true, n)
    shares = [twins_of] * (models - 1) + [twins_of if last is None else last]
    follows = [np.repeat(rng.random((replicates, STUDIES)) < share, TESTS, axis=1) for share in shares]
    agents = [scored(rows_of(human.ravel(), seen(rng, true * own, n).ravel(), n)) for own in follows]
    single, sentence, ranking = np.zeros(3), 0, 0
    for r in range(replicates):
        part = slice(r * K, (r + 1) * K)
        found = compare_people([a.model(f"m{i}", part) for i, a in enumerate(agents)], STANDARD)
        metrics = found.pairs[0].metrics
        single += [m.p_value is not None and m.p_value < 0.05 for m in metrics]
        holm = [pair.metric("pas").p_holm for pair in found.pairs]
        ranking += any(p is not None and p < 0.05 for p in holm)
        sentence += models == 2 and "differ by more than chance" in _result(found).meaning()
    return single / replicates, sentence / replicates, ranking / replicates


def _result(found: RankedPairs) -> MetricCompareResult:
    models = tuple(ComparedModel(name, name, {}) for name in (found.pairs[0].first, found.pairs[0].second))
    return MetricCompareResult(
        "people", PEOPLE_RESULTS.units, "", {}, models, found.pairs, found.standing, {"level": 0.95}
    )


@pytest.mark.parametrize("twins_of", [1.0, 0.5])
def test_models_alike_are_rarely_told_apart(twins_of: float) -> None:
    single, sentence, _ = compared(120, 40, 2, twins_of)
    assert single.max() <= at_most(0.05, 120)
    assert sentence <= at_most(0.05, 120)


def test_a_twin_and_a_model_without_effects_are_said_to_differ() -> None:
    assert compared(20, 150, 2, 1.0, last=0.0)[1] >= 0.9


def test_of_three_models_alike_rarely_a_pair_is_told_apart() -> None:
    assert compared(80, 40, 3, 0.5)[2] <= at_most(0.05, 80)


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 40, 150])
@pytest.mark.parametrize("twins_of", [1.0, 0.5])
def test_models_alike_are_rarely_told_apart_in_full(n: int, twins_of: float) -> None:
    (pas, _, apr), sentence, _ = compared(1000, n, 2, twins_of)
    assert max(pas, apr) <= at_most(0.05, 1000)
    assert sentence <= at_most(0.05, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 40, 150])
def test_models_alike_are_rarely_told_apart_by_ecs_alone(n: int) -> None:
    assert compared(1000, n, 2, 0.5)[0][1] <= at_most(0.05, 1000)


@pytest.mark.slow
def test_of_three_models_alike_rarely_a_pair_is_told_apart_in_full() -> None:
    ranking = compared(1000, 40, 3, 0.5)[2]
    assert ranking <= at_most(0.05, 1000)


# the warning about coding


def needless_warnings(replicates: int) -> tuple[int, int]:
    """Count warnings, and those of tables where no way to code the tests moves ECS by half the threshold."""
    rng = np.random.default_rng(replicates)
    rows = [TestRow(f"S{i // TESTS}", "", f"F{i}", "t", "t-independent") for i in range(K)]
    layout = lay_out(rows)
    warned = needless = 0
    for _ in range(replicates):
        x = rng.normal(rng.choice([0.0, 0.5]), SPREAD, K)
        y = x + rng.normal(0, rng.choice([0.2, 0.6]), K)
        codings = ecs_codings(_effects(x, y), np.ones(K, dtype=np.bool_), layout, STANDARD)
        if coding_warning(codings) is None:
            continue
        warned += 1
        signs = rng.choice([-1.0, 1.0], (200, K))
        given = codings["as_given"]
        assert given is not None
        needless += np.abs(np.asarray(concordance(signs * x, signs * y)) - given).max() <= 0.05
    return warned, needless


def _effects(human: Floats, agent: Floats) -> TestScores:
    nothing = np.full(human.shape, np.nan)
    known = {"human_d": human, "agent_d": agent}
    return TestScores(**{field.name: known.get(field.name, nothing) for field in fields(TestScores)})


def test_coding_is_warned_of_only_where_another_coding_gives_another_ecs() -> None:
    warned, needless = needless_warnings(300)
    assert warned > 30
    assert needless <= at_most(0.05, warned) * warned

"""Populations whose truth is known, for `coverage.py`: named ones, and a generator of random ones.

A population draws data of a given size. Those with names were chosen to cover what breaks intervals; the
generator draws others (scores, tests that pass, effects, differences, whole benchmarks of people and agent)
from wide distributions. Methods were chosen on named ones and on others of the generator with seeds apart
from those of `coverage.py`; one limit (from how many units on skewness counts, 5 instead of 8) was lowered
after random cells had been seen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Rng = np.random.Generator
Draw = Callable[[Rng, int], Any]
Floats = np.ndarray

# ---- scores between 0 and 1: studies, vignettes, items


def mixed(share: float, low: tuple[float, float], high: tuple[float, float]) -> Draw:
    """A share of units from one beta distribution, the others from another."""

    def draw(rng: Rng, n: int) -> Floats:
        return np.where(rng.random(n) < share, rng.beta(*low, n), rng.beta(*high, n))

    return draw


def beta(a: float, b: float) -> Draw:
    return lambda rng, n: rng.beta(a, b, n)


SCORES: dict[str, Draw] = {
    "bell": beta(12, 8),
    "all near .9": beta(90, 10),
    "near the ceiling": beta(38, 2),
    "skewed low": beta(2, 8),
    "U-shaped": beta(0.5, 0.5),
    "5 % of studies fail": mixed(0.05, (4, 16), (38, 2)),
    "12 % of studies fail": mixed(0.12, (4, 16), (38, 2)),
    "30 % of studies fail": mixed(0.30, (4, 16), (38, 2)),
    "two groups": mixed(0.5, (30, 70), (70, 30)),
    "failures behind a middle": mixed(0.12, (2, 38), (60, 40)),
    "uniform": beta(1, 1),
    "one test per study, 0 or 1": lambda rng, n: (rng.random(n) < 0.8).astype(float),
}
VIGNETTES: dict[str, Draw] = {
    **{name: SCORES[name] for name in ("bell", "near the ceiling", "skewed low", "U-shaped", "uniform")},
    "90 % perfect": lambda rng, n: np.where(rng.random(n) < 0.9, 1.0, rng.random(n)),
    "60 % perfect": lambda rng, n: np.where(rng.random(n) < 0.6, 1.0, rng.random(n)),
    "97 % perfect, else 0": lambda rng, n: (rng.random(n) < 0.97).astype(float),
    "5 % are 0": mixed(0.05, (1, 99), (38, 2)),
    "quarters": lambda rng, n: rng.binomial(4, 0.9, n) / 4,
}


def random_scores(rng: Rng) -> Draw:
    """One or two groups of units anywhere on the scale, sometimes with a share exactly at an end."""
    share, at_end = rng.uniform(0, 0.5), rng.choice([0.0, 0.0, rng.uniform(0, 0.6)])
    end = float(rng.random() < 0.7)
    shapes = []
    for _ in range(2):
        mean, size = rng.beta(1.5, 1), np.exp(rng.uniform(np.log(1.5), np.log(80)))
        mean = np.clip(mean, 0.03, 0.97)
        shapes.append((mean * size, (1 - mean) * size))
    parts = mixed(share, *shapes)

    def draw(rng: Rng, n: int) -> Floats:
        return np.where(rng.random(n) < at_end, end, parts(rng, n))

    return draw


# ---- tests that are passed or not; replies that are right or not


def passes(rate: Draw, sizes: Callable[[Rng, int], Floats]) -> Draw:
    def draw(rng: Rng, n: int) -> tuple[Floats, Floats]:
        m = sizes(rng, n)
        return rng.binomial(m, rate(rng, n)), m

    return draw


def few(rng: Rng, n: int) -> Floats:
    return rng.integers(2, 8, n)


def one(rng: Rng, n: int) -> Floats:
    return np.ones(n, dtype=np.int64)


def big(rng: Rng, n: int) -> Floats:
    """One study that holds about half of the tests; many studies are as many such benchmarks."""
    return np.where(np.arange(n) == 0, 4 * n, 4) if n < 1000 else np.full(n, 4)


PASSES: dict[str, Draw] = {
    **{
        name: passes(SCORES[name], few)
        for name in (
            "bell", "all near .9", "near the ceiling", "skewed low", "U-shaped", "12 % of studies fail",
            "30 % of studies fail", "uniform",
        )
    },
    "one test per study": passes(SCORES["bell"], one),
    "one big study, bell": passes(SCORES["bell"], big),
    "one big study, near the ceiling": passes(SCORES["near the ceiling"], big),
}  # fmt: skip


def repeats(rate: Draw, count: int = 5) -> Draw:
    return lambda rng, n: (rng.binomial(count, rate(rng, n)), np.full(n, count))


CASES: dict[str, Draw] = {f"{name}, 5 repeats": repeats(SCORES[name]) for name in list(SCORES)[:8]} | {
    "bell, 2 repeats": repeats(SCORES["bell"], 2),
    "bell, 20 repeats": repeats(SCORES["bell"], 20),
}


def random_passes(rng: Rng) -> Draw:
    least, more = int(rng.integers(1, 4)), int(rng.integers(1, 9))
    return passes(random_scores(rng), lambda r, n: r.integers(least, least + more, n))


def random_cases(rng: Rng) -> Draw:
    return repeats(random_scores(rng), int(rng.integers(2, 11)))


# ---- effects of people and agent


def effects(
    human: Draw, *, slope: float = 0.8, noise: float = 0.3, tests: int = 3, between: float = 0.5
) -> Draw:
    """Human effects with a part of their own per study, the agent's a multiple of them with noise."""

    def draw(rng: Rng, n: int) -> tuple[Floats, Floats, Floats]:
        study = np.repeat(np.arange(n), tests)
        x = between * human(rng, n)[study] + np.sqrt(1 - between**2) * human(rng, n * tests)
        return x, slope * x + rng.normal(0, noise, x.size), study

    return draw


def normal(rng: Rng, n: int) -> Floats:
    return rng.normal(0.2, 0.5, n)


EFFECTS: dict[str, Draw] = {
    "normal": effects(normal),
    "mostly between studies": effects(normal, between=0.95),
    "all inside studies": effects(normal, between=0.0),
    "t with 4 df": effects(lambda rng, n: 0.4 * rng.standard_t(4, n)),
    "t with 2.5 df": effects(lambda rng, n: 0.3 * rng.standard_t(2.5, n)),
    "slope 1.8": effects(normal, slope=1.8),
    "an agent against people": effects(normal, slope=-0.7),
    "hardly related": effects(normal, slope=0.1, noise=0.5),
    "nearly perfect": effects(normal, slope=1.0, noise=0.08),
    "one test per study": effects(normal, tests=1),
    "nulls and huge effects": effects(
        lambda rng, n: np.where(rng.random(n) < 0.1, 2.5, 0.1 * rng.normal(size=n))
    ),
}


def random_effects(rng: Rng) -> Draw:
    centre, spread = rng.normal(0.2, 0.3), np.exp(rng.uniform(np.log(0.15), np.log(0.9)))
    df, nulls = rng.choice([3.0, 5.0, 10.0, 50.0]), rng.choice([0.0, rng.uniform(0, 0.6)])

    def human(r: Rng, n: int) -> Floats:
        x = centre + spread * r.standard_t(df, n) / np.sqrt(df / (df - 2))
        return np.where(r.random(n) < nulls, 0.05 * r.normal(size=n), x)

    return effects(
        human,
        slope=float(rng.choice([rng.uniform(0.2, 1.8), 0.0])),
        noise=float(spread * rng.uniform(0.1, 1.2)),
        tests=int(rng.integers(1, 6)),
        between=float(rng.uniform(0, 0.95)),
    )


# ---- paired differences


def standard(rng: Rng, n: int) -> Floats:
    return rng.normal(0.3, 1, n)


DIFFERENCES: dict[str, Draw] = {
    "normal": standard,
    "t with 3 df": lambda rng, n: rng.standard_t(3, n),
    "exponential": lambda rng, n: rng.exponential(1, n),
    "lognormal": lambda rng, n: rng.lognormal(0, 1, n),
    "gamma(4)": lambda rng, n: rng.gamma(4, 1, n),
    "rare gains": lambda rng, n: (rng.random(n) < 0.1) + rng.normal(0, 0.05, n),
    "steps of thirds": lambda rng, n: (rng.binomial(3, 0.7, n) - rng.binomial(3, 0.5, n)) / 3,
    "mostly ties": lambda rng, n: (rng.random(n) < 0.2) * rng.normal(0.3, 1, n),
    "bounded and skewed": lambda rng, n: rng.beta(1, 8, n) - rng.beta(4, 4, n),
    "rare large gains": lambda rng, n: rng.normal(0, 0.1, n) + (rng.random(n) < 0.05) * rng.exponential(1, n),
    "rare outliers, both ways": lambda rng, n: (
        rng.normal(0, 0.1, n) + (rng.random(n) < 0.05) * rng.normal(0, 1, n)
    ),
}


def families(unit: Draw, shared: Draw, items: int = 5, *, uneven: bool = False) -> Draw:
    """Items in families that share a part of the difference; the size is the number of families."""

    def draw(rng: Rng, n: int) -> tuple[Floats, Floats]:
        sizes = np.maximum(1, rng.poisson(items, n)) if uneven else np.full(n, items)
        labels = np.repeat(np.arange(n), sizes)
        return unit(rng, labels.size) + shared(rng, n)[labels], labels

    return draw


FAMILIES: dict[str, Draw] = {
    "normal": families(standard, standard),
    "normal, uneven": families(standard, standard, uneven=True),
    "exponential": families(standard, lambda rng, n: rng.exponential(1, n)),
    "exponential, 20 items each": families(standard, lambda rng, n: rng.exponential(1, n), 20),
    "lognormal, 2 items each": families(standard, lambda rng, n: rng.lognormal(0, 1, n), 2),
    "lognormal, 8 items each": families(standard, lambda rng, n: rng.lognormal(0, 1, n), 8),
    "lognormal, uneven": families(standard, lambda rng, n: rng.lognormal(0, 1, n), 8, uneven=True),
    "t with 3 df": families(standard, lambda rng, n: rng.standard_t(3, n)),
    "families hardly matter": families(standard, lambda rng, n: 0.1 * rng.normal(size=n)),
    "a fifth of families gain": families(
        lambda rng, n: 0.3 * rng.normal(size=n), lambda rng, n: 1.0 * (rng.random(n) < 0.2)
    ),
}


def random_differences(rng: Rng) -> Draw:
    """Symmetric or skewed, light or heavy tails, ties, bounds."""
    kind = rng.integers(5)
    ties, shift = rng.choice([0.0, rng.uniform(0, 0.7)]), rng.normal(0, 0.5)
    shape = np.exp(rng.uniform(np.log(0.8), np.log(12)))
    rare, df, n_steps = rng.uniform(0.03, 0.25), rng.uniform(3, 15), int(rng.integers(2, 6))
    first, second = rng.uniform(0.3, 0.9, 2)

    def draw(r: Rng, n: int) -> Floats:
        drawn = (
            lambda: shift + r.standard_t(df, n),
            lambda: shift + r.gamma(shape, 1, n),
            lambda: shift + 0.2 * r.normal(size=n) + (r.random(n) < rare) * r.exponential(1, n),
            lambda: (r.binomial(n_steps, first, n) - r.binomial(n_steps, second, n)) / n_steps,
            lambda: r.beta(shape, 2, n) - r.beta(2, shape, n),
        )
        found: Floats = (r.random(n) >= ties) * drawn[kind]()
        return found

    return draw


def random_families(rng: Rng) -> Draw:
    return families(
        random_differences(rng), random_differences(rng), int(rng.integers(2, 12)), uneven=rng.random() < 0.5
    )


# ---- items by arrangements by samples


def answers(
    accuracy: tuple[float, ...], *, items: float = 0.8, slope: float = 0.0, uneven: float = 0.0, k: int = 2
) -> Draw:
    """Right and wrong answers; items differ in difficulty and in how the arrangement moves them."""
    logit = np.log(np.array(accuracy) / (1 - np.array(accuracy)))
    moves = np.linspace(-1, 1, len(accuracy))

    def draw(rng: Rng, n: int) -> Floats:
        ability = rng.normal(0, items, (n, 1))
        own = slope * rng.normal(size=(n, 1)) * moves + uneven * rng.normal(size=(n, len(accuracy)))
        chance = 1 / (1 + np.exp(-(logit + ability + own)))
        right: Floats = (rng.random((n, len(accuracy), k)) < chance[..., None]).astype(float)
        return right

    return draw


ANSWERS: dict[str, Draw] = {
    "steady": answers((0.6,) * 5),
    "moved by .04": answers(tuple(0.6 + 0.05 * np.linspace(-1, 1, 5))),
    "moved by .15": answers(tuple(0.5 + 0.2 * np.linspace(-1, 1, 5))),
    "moved by .3": answers(tuple(0.5 + 0.4 * np.linspace(-1, 1, 5))),
    "items moved, not the mean": answers((0.6,) * 5, slope=1.5),
    "items moved alike": answers(tuple(0.6 + 0.1 * np.linspace(-1, 1, 5)), slope=1.0),
    "cells uneven": answers(tuple(0.6 + 0.1 * np.linspace(-1, 1, 5)), uneven=1.5),
    "near the ceiling": answers((0.9, 0.93, 0.95, 0.97)),
    "two arrangements": answers((0.55, 0.65)),
    "twelve arrangements": answers(tuple(0.6 + 0.1 * np.linspace(-1, 1, 12))),
    "four samples": answers(tuple(0.6 + 0.1 * np.linspace(-1, 1, 5)), k=4),
    "one arrangement breaks": answers((0.7, 0.7, 0.7, 0.7, 0.3)),
}


def random_answers(rng: Rng) -> Draw:
    p, centre, reach = (
        int(rng.integers(2, 13)),
        rng.uniform(0.3, 0.85),
        rng.choice([0.0, rng.uniform(0, 0.3)]),
    )
    moves = rng.uniform(-1, 1, p)
    accuracy = np.clip(centre + reach * moves, 0.03, 0.97)
    return answers(
        tuple(accuracy),
        items=float(rng.uniform(0.2, 1.6)),
        slope=float(rng.choice([0.0, rng.uniform(0, 1.5)])),
        uneven=float(rng.choice([0.0, rng.uniform(0, 1.5)])),
        k=int(rng.integers(2, 6)),
    )


# ---- vignettes answered after reasoning and directly


def modes(gain: float, loss: float, right: float, *, family: int = 1, k: int = 1) -> Draw:
    """0-1 answers in both modes; ``gain`` of wrong direct answers are mended, ``loss`` of right ones lost."""

    def draw(rng: Rng, n: int) -> tuple[Floats, Floats, Floats, int]:
        groups = -(-n // family)
        labels = np.repeat(np.arange(groups), family)[:n]
        tilt = rng.normal(0, 1.2 if family > 1 else 0.0, groups)[labels]
        base = 1 / (1 + np.exp(-(np.log(right / (1 - right)) + tilt + rng.normal(0, 1, n))))
        pull = 1 / (1 + np.exp(-rng.normal(0, 1.5 if family > 1 else 0.0, groups)[labels]))
        after = np.clip(base + 2 * pull * (gain * (1 - base) - loss * base), 0, 1)
        direct, cot = (rng.binomial(k, chance) / k for chance in (base, after))
        return cot, direct, labels, k

    return draw


MODES: dict[str, Draw] = {
    "no gap": modes(0.1, 0.1, 0.5),
    "gap .1": modes(0.3, 0.1, 0.5),
    "gap .3": modes(0.6, 0.0, 0.5),
    "harm": modes(0.05, 0.2, 0.7),
    "near the ceiling": modes(0.3, 0.01, 0.93),
    "few change": modes(0.02, 0.02, 0.7),
    "3 repeats": modes(0.3, 0.1, 0.5, k=3),
    "families of 4": modes(0.3, 0.1, 0.5, family=4),
    "families of 8": modes(0.3, 0.1, 0.6, family=8),
    "families of 4, few change": modes(0.04, 0.02, 0.8, family=4),
}


def random_modes(rng: Rng) -> Draw:
    return modes(
        float(rng.choice([rng.uniform(0, 0.6), 0.03])),
        float(rng.uniform(0, 0.25)),
        float(rng.uniform(0.2, 0.92)),
        family=int(rng.choice([1, 1, 3, 6])),
        k=int(rng.choice([1, 1, 3])),
    )


# ---- whole benchmarks: tests of people and of an agent, as `concord score people` takes them


@dataclass(frozen=True)
class Benchmark:
    """Two-sample t tests of people and agent in studies."""

    tests: tuple[int, int]
    """Fewest and most tests per study."""
    centre: float
    spread: float
    """True human effects: mean, standard deviation."""
    between: float
    """Share of their variance that lies between studies."""
    nulls: float
    """Share of tests whose true effect is 0."""
    df: float
    """Tails of the effects: those of Student's t."""
    n_human: tuple[int, int]
    n_agent: tuple[int, int]
    """Participants per group, fewest and most."""
    correlation: float
    """Of the sampling errors of the tests of a study: they share participants."""
    slope: float
    noise: float
    """The agent's true effect: slope times the human one, and noise."""
    fails: float
    """Share of studies in which the agent has no effects."""

    def __call__(self, rng: Rng, n: int) -> list[dict[str, Any]]:
        """Draw the rows of a benchmark of n studies."""
        sizes = rng.integers(self.tests[0], self.tests[1] + 1, n)
        study = np.repeat(np.arange(n), sizes)
        scale = self.spread / np.sqrt(self.df / (self.df - 2))
        parts = [rng.standard_t(self.df, size) for size in (n, study.size)]
        true = self.centre + scale * (
            np.sqrt(self.between) * parts[0][study] + np.sqrt(1 - self.between) * parts[1]
        )
        true = np.where(rng.random(study.size) < self.nulls, 0.0, true)
        agent = self.slope * true + rng.normal(0, self.noise, study.size)
        agent = np.where((rng.random(n) < self.fails)[study], 0.0, agent)
        sides = {}
        for side, effect, size in (("human", true, self.n_human), ("agent", agent, self.n_agent)):
            people = rng.integers(size[0], size[1] + 1, n)[study]
            common, own = rng.normal(size=n)[study], rng.normal(size=study.size)
            error = np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own
            wobble = np.sqrt(rng.chisquare(2 * people - 2) / (2 * people - 2))
            sides[side] = ((effect * np.sqrt(people / 2) + error) / wobble, people)
        return [
            {
                "study": f"s{s}", "finding": f"f{i}", "test": "t", "test_type": "t-test",
                "human_statistic": float(sides["human"][0][i]), "human_n1": int(sides["human"][1][i]),
                "human_n2": int(sides["human"][1][i]), "agent_statistic": float(sides["agent"][0][i]),
                "agent_n1": int(sides["agent"][1][i]), "agent_n2": int(sides["agent"][1][i]),
            }
            for i, s in enumerate(study)
        ]  # fmt: skip


def random_benchmark(rng: Rng) -> Benchmark:
    n, more = int(rng.integers(15, 80)), int(rng.integers(0, 60))
    m, many = int(rng.integers(15, 120)), int(rng.integers(0, 100))
    least = int(rng.integers(1, 4))
    return Benchmark(
        (least, least + int(rng.integers(0, 5))),
        float(rng.normal(0.3, 0.25)),
        float(np.exp(rng.uniform(np.log(0.15), np.log(0.8)))),
        float(rng.uniform(0, 0.9)),
        float(rng.choice([0.0, rng.uniform(0, 0.6)])),
        float(rng.choice([4.0, 8.0, 60.0])),
        (n, n + more),
        (m, m + many),
        float(rng.choice([0.0, rng.uniform(0, 0.8)])),
        float(rng.choice([1.0, rng.uniform(0, 1.8)])),
        float(rng.uniform(0, 0.4)),
        float(rng.choice([0.0, 0.0, rng.uniform(0, 0.35)])),
    )


BENCHMARKS: dict[str, Draw] = {
    "twin": Benchmark((3, 3), 0.3, 0.4, 0.3, 0.0, 60.0, (40, 40), (60, 60), 0.0, 1.0, 0.0, 0.0),
    "half the size": Benchmark((3, 3), 0.3, 0.4, 0.3, 0.0, 60.0, (40, 40), (60, 60), 0.0, 0.5, 0.1, 0.0),
    "shared participants": Benchmark(
        (4, 4), 0.3, 0.4, 0.3, 0.0, 60.0, (40, 40), (60, 60), 0.6, 0.9, 0.1, 0.0
    ),
    "half nulls": Benchmark((2, 5), 0.4, 0.3, 0.3, 0.5, 60.0, (30, 60), (60, 60), 0.2, 0.9, 0.1, 0.0),
    "12 % of studies fail": Benchmark(
        (3, 3), 0.6, 0.3, 0.5, 0.0, 60.0, (60, 60), (90, 90), 0.2, 1.0, 0.05, 0.12
    ),
    "30 % of studies fail": Benchmark(
        (3, 3), 0.6, 0.3, 0.5, 0.0, 60.0, (60, 60), (90, 90), 0.2, 1.0, 0.05, 0.3
    ),
    "near the ceiling": Benchmark((2, 4), 0.9, 0.2, 0.3, 0.0, 60.0, (80, 80), (120, 120), 0.2, 1.0, 0.0, 0.0),
    "one test per study": Benchmark((1, 1), 0.3, 0.4, 0.0, 0.2, 60.0, (40, 40), (60, 60), 0.0, 0.9, 0.1, 0.0),
    "heavy tails": Benchmark((3, 3), 0.2, 0.5, 0.3, 0.2, 3.0, (40, 40), (60, 60), 0.2, 0.9, 0.1, 0.0),
    "no effects": Benchmark((3, 3), 0.3, 0.4, 0.3, 0.0, 60.0, (40, 40), (60, 60), 0.2, 0.0, 0.0, 0.0),
}

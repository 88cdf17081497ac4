"""How often claims about several agents are false, cover, and are missed: `python benchmarks/claims.py PART`.

`these` redraws these studies, `others` tests over studies, `chosen` is the value of choosing, `gates` are
those of pipelines, `conditions` of one model, `words` all other sentences (`benchmarks/sentences.py`).
Every line is one population; `--seed`, `--runs` (sets per population) and `--workers` set the size. `--write`
keeps the rates of sentences in `benchmarks/words.json`, from which `python tools/words.py` makes the page of
words; `keep FILE ...` keeps those that earlier calls, with other seeds or on another machine, printed.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from concord.comparing.conditions import compare_conditions
from concord.comparing.gates import gate_of
from concord.files.tables import TableOptions
from concord.people.mixed.combine import combine
from concord.people.protocol import STANDARD
from concord.people.result import AgentPair
from concord.people.results.agent_pairs import COLUMNS, compare_agents
from concord.people.results.one import score_table
from concord.people.results.same_tests import SameTests
from concord.people.score.levels import lay_out
from concord.people.score.sizes import effect_sizes
from concord.people.score.test_scores import TestScores, score_tests
from concord.people.uncertainty.true_effects import adjusted_effects
from concord.records import Side, TestRow, TestTable
from concord.stats.compare import Choices, compare_items
from concord.stats.elementwise import Floats
from concord.stats.leaderboard import (
    guarded_p,
    is_guarded,
    may_be_best,
    omnibus,
    value_of_choosing,
)
from concord.stats.multiple import holm
from concord.stats.prediction_powered import effective_people
from sentences import Simulated, simulated

LEVEL = 0.95
METRICS = ("pas", "ecs", "apr")
WORDS = Path(__file__).parent / "words.json"
SPREADS = ("equal", "normal", "two groups", "one outstanding", "skewed")


class Found(NamedTuple):
    """How often a sentence was printed in a population; its row in `words.json` has section and rule."""

    sentence: str
    cell: str
    false: float | None
    """Share of data sets in which it was printed although it is false there."""
    missed: float | None
    """Share in which it was not printed although it is true there."""
    runs: int = 0
    """Data sets behind each share; those of the command where it says nothing."""


def write_rates(found: Sequence[Found], path: Path = WORDS) -> None:
    """Keep the rates of sentences, population by population, with the number of data sets behind each."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    by_sentence = {row["sentence"]: row for row in rows}
    for sentence in dict.fromkeys(one.sentence for one in found):
        for part in ("false", "missed"):
            own = [one for one in found if one.sentence == sentence and getattr(one, part) is not None]
            if own:
                kept, sets = by_sentence[sentence][part], dict.fromkeys((one.cell for one in own), 0)
                hits = dict.fromkeys(sets, 0.0)
                for one in own:  # a population that was run with several seeds is one of more data sets
                    sets[one.cell] += one.runs
                    hits[one.cell] += one.runs * getattr(one, part)
                kept["rates"] = {cell: round(hits[cell] / n, 4) for cell, n in sets.items()}
                kept["runs"] = [min(sets.values()), max(sets.values())]
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def printed_rates(files: Sequence[Path]) -> list[Found]:
    """Return the rates that earlier calls printed, for instance on another machine."""
    lines = [line for one in files for line in one.read_text(encoding="utf-8").splitlines()]
    return [Found(**json.loads(line)) for line in lines if line.startswith('{"sentence"')]


@dataclass(frozen=True, slots=True)
class These:
    """Studies with new people and new replies."""

    n: int
    """Participants per group, on both sides."""
    studies: int
    tests: int
    agents: int
    different: bool
    spread: float = 0.4
    """Of true effects; more of it brings scores near 0 and 1."""
    correlation: float = 0.3
    """Of the tests of a study; .5 is assumed."""


def _noise(rng: np.random.Generator, cell: These) -> Floats:
    common = np.repeat(rng.standard_normal(cell.studies), cell.tests)
    own = rng.standard_normal(len(common))
    return np.asarray(np.sqrt(cell.correlation) * common + np.sqrt(1 - cell.correlation) * own)


def _table(
    rng: np.random.Generator, cell: These, people: Floats, agents: Floats
) -> list[tuple[TestRow, ...]]:
    """Draw the rows of every agent, the same people for all."""
    df = 2 * cell.n - 2

    def t_of(effects: Floats) -> Floats:
        z = effects * np.sqrt(cell.n / 2) + _noise(rng, cell)
        return np.asarray(z / np.sqrt(rng.chisquare(df, len(z)) / df))

    def sides(effects: Floats) -> list[Side]:
        return [Side(statistic=float(t), df2=float(df), n1=cell.n, n2=cell.n) for t in t_of(effects)]

    human = sides(people)
    places = list(product(range(cell.studies), range(cell.tests)))
    return [
        tuple(
            TestRow(f"S{i:02}", "", f"F{j}", "t", "t-independent", human=h, agent=a)
            for (i, j), h, a in zip(places, human, sides(own), strict=True)
        )
        for own in agents
    ]


HERE = "*On these studies … pairs of agents differ*"
ELSEWHERE = "*In other studies like these … pairs differ*"
BEST_SET = "*k of n may be best*"
CHOSEN = "*the best of n has … on a study that it was not chosen on*"
LEADS = "*not all of its lead is luck*"


def these(cell: These, runs: int, seed: int, n_resamples: int = 400) -> list[str | Found]:
    """Return false claims, coverage and power of both questions for one population."""
    rng = np.random.default_rng(seed)
    size = cell.studies * cell.tests
    sets = max(1, runs // 100)
    hits: dict[str, list[Floats]] = {metric: [] for metric in METRICS}
    shared: SameTests | None = None
    for _ in range(sets):
        people = rng.normal(0.3, cell.spread, size)
        agents = np.stack([people + rng.normal(0, 0.3, size)] * cell.agents)
        if cell.different:
            agents = agents * rng.uniform(0, 1.2, (cell.agents, 1))
        values: dict[str, list[Any]] = {metric: [] for metric in METRICS}
        for _ in range(runs // sets):
            tables = _table(rng, cell, people, agents)
            same = SameTests.of(
                tables[0], STANDARD, level=LEVEL, n_resamples=n_resamples, n_simulations=0,
                seed=int(rng.integers(2**31)),
            )  # fmt: skip
            if shared is not None:  # tables of Bayes factors belong to the design
                same.people.tables, _ = shared.people.tables, same.tables.update(shared.tables)
            pairs = _compared(same, tables)
            shared = same
            for metric in METRICS:
                values[metric].append([
                    (one.difference, one.these_studies.low, one.these_studies.high, one.these_studies.p_holm,
                     one.other_studies.p_holm)
                    for one in pairs if one.metric == metric
                ])  # fmt: skip
        for metric in METRICS:
            hits[metric].append(np.array(values[metric], dtype=float))
    return [line for metric in METRICS for line in _these_lines(cell, metric, hits[metric])]


def _compared(same: SameTests, tables: Sequence[tuple[TestRow, ...]]) -> tuple[AgentPair, ...]:
    agents = [same.agent(rows) for rows in tables]
    scores = [score_tests(same.says, one.side.evidence(STANDARD), one.context, STANDARD) for one in agents]
    columns = {
        name: np.stack([np.broadcast_to(getattr(one, name), len(tables[0])) for one in scores])
        for name in COLUMNS
    }
    names = [f"a{i}" for i in range(len(agents))]
    found = compare_agents(
        names,
        columns,
        same.layout,
        STANDARD,
        level=LEVEL,
        redraws=lambda i, masks, plain: same.redrawn(agents[i], i, masks, plain),
    )
    pairs: tuple[AgentPair, ...] = found["pairs"]
    return pairs


def _these_lines(cell: These, metric: str, found: list[Floats]) -> list[str | Found]:
    """Coverage of the mean difference at the true effects; claims of pairs, or of any where all are equal."""
    inside, here, others, wrong = [], [], [], []
    for values in found:  # runs, pairs, (difference, low, high, p here, p others)
        truth = np.nanmean(values[..., 0], axis=0) if cell.different else 0.0
        known = ~np.isnan(values[..., 1])
        inside.append(((values[..., 1] <= truth) & (truth <= values[..., 2]))[known])
        claims, rest = values[..., 3] < 0.05, values[..., 4] < 0.05
        here.append(claims.any(axis=1) if not cell.different else claims.ravel())
        others.append(rest.any(axis=1) if not cell.different else rest.ravel())
        wrong.append((claims & (np.sign(values[..., 0]) != np.sign(truth))).any(axis=1))
    cover = np.concatenate(inside)
    what = "found" if cell.different else "any false"
    withheld = 1 - cover.size / sum(values[..., 0].size for values in found)
    said, rest = (np.concatenate(one).mean() for one in (here, others))
    wrong_sign = f", wrong sign {np.concatenate(wrong).mean():.3f}" if cell.different else ""
    scores = ", scores near 0 and 1" if cell.spread > 0.4 else ""
    scores += f" correlated at {cell.correlation:g}" if cell.correlation > 0.3 else ""
    name = (
        f"{metric.upper()}, {cell.agents} agents, {cell.n} per group, {cell.studies} studies of {cell.tests} "
        f"tests{scores}"
    )
    return [
        f"{cell} {metric}: covers {cover.mean():.3f} ({withheld:.2f} withheld), {what} {said:.3f} "
        f"(over studies {rest:.3f}){wrong_sign}",
        Found(HERE, name, None if cell.different else said, 1 - said if cell.different else None),
    ]


def truths(kind: str, agents: int, rng: np.random.Generator) -> Floats:
    """Return the true values of agents, about .6 with a spread of .08 where they differ."""
    if kind == "equal":
        return np.full(agents, 0.6)
    if kind == "normal":
        return 0.6 + 0.08 * rng.standard_normal(agents)
    if kind == "two groups":
        return np.where(np.arange(agents) < agents // 2, 0.68, 0.52)
    if kind == "one outstanding":
        return np.where(np.arange(agents) == 0, 0.8, 0.55)
    return 0.52 + 0.08 * rng.exponential(size=agents)


def by_study(rng: np.random.Generator, true: Floats, k: int, erratic: float, runs: int) -> Floats:
    """Draw values (R, A, K): a study moves all, and each agent by itself, the first `erratic` times so."""
    a = len(true)
    study = rng.normal(0, 0.12, (runs, 1, k))
    scale = np.where(np.arange(a) == 0, 0.12 * erratic, 0.12)[:, None]
    heavy = rng.standard_t(5, (runs, a, k)) / np.sqrt(5 / 3)
    return np.asarray(true[:, None] + study + scale * heavy)


@dataclass(frozen=True, slots=True)
class Others:
    """Other studies like these."""

    kind: str
    studies: int
    agents: int
    erratic: float


def others(cell: Others, runs: int, seed: int) -> list[str | Found]:
    """Return false claims and found pairs of Holm and the guarded range, and the set of the best."""
    rng = np.random.default_rng(seed)
    counts = {name: np.zeros(4) for name in ("holm", "guarded")}
    best = size = rejected = friedman = kept = worse = 0.0
    pairs = np.triu_indices(cell.agents, 1)
    k = cell.studies
    for _ in range(runs):
        true = truths(cell.kind, cell.agents, rng)
        values = by_study(rng, true, k, cell.erratic, 1)[0]
        difference = values.mean(axis=1)[:, None] - values.mean(axis=1)
        cov = np.cov(values)
        own = np.diag(cov)
        se = np.sqrt(np.maximum(own[:, None] + own - 2 * cov, 1e-30) / k)
        t = np.abs(difference / se)[pairs]
        p = {"holm": holm(2 * stdtr(k - 1, -t)), "guarded": guarded_p(values)[pairs]}
        gap = (true[:, None] - true)[pairs]
        for name, one in p.items():
            claims = one < 1 - LEVEL
            false = claims & ((gap == 0) | (np.sign(gap) != np.sign(difference[pairs])))
            counts[name] += false.any(), claims.sum(), (gap != 0).sum(), (claims & ~false).sum()
        held = may_be_best(difference, se, np.full(se.shape, k - 1.0), level=LEVEL)
        best += held[int(true.argmax())]
        size += held.sum()
        kept, worse = kept + held[true < true.max()].sum(), worse + (true < true.max()).sum()
        found = omnibus(values)
        rejected += float(found.p_f or 1) < 0.05
        friedman += float(found.p_value or 1) < 0.05
    said = ", ".join(f"{name} false {c[0] / runs:.3f} pairs {c[1] / runs:.2f}" for name, c in counts.items())
    used = counts["guarded" if is_guarded(cell.agents, k) else "holm"]
    uneven = f", one agent {cell.erratic:g} times as erratic" if cell.erratic > 1 else ""
    name = f"{cell.kind}, {cell.agents} agents, {k} studies{uneven}"
    return [
        f"{cell}: {said}; best in set {best / runs:.3f} (size {size / runs:.1f}); omnibus F "
        f"{rejected / runs:.3f}, Friedman {friedman / runs:.3f}",
        Found(ELSEWHERE, name, used[0] / runs, None if used[2] == 0 else 1 - used[3] / used[2]),
        Found(BEST_SET, name, 1 - best / runs, None if worse == 0 else kept / worse),
    ]


@dataclass(frozen=True, slots=True)
class Picked:
    """An agent chosen as the best of many."""

    kind: str
    studies: int
    agents: int


def chosen(cell: Picked, runs: int, seed: int) -> list[str | Found]:
    """Return coverage of the true value of the chosen agent, beside that of its own t interval."""
    rng = np.random.default_rng(seed)
    inside = naive = width = naive_width = bias = naive_bias = leads = 0.0
    k = cell.studies
    factor = float(stdtrit(k - 1, 0.975))
    names = tuple(map(str, range(cell.agents)))
    for _ in range(runs):
        true = truths(cell.kind, cell.agents, rng)
        values = by_study(rng, true, k, 1.0, 1)[0]
        reach = factor * values.std(axis=1, ddof=1) / np.sqrt(k)
        found = value_of_choosing(names, values, reach, level=LEVEL, rng=rng)
        best = int(str(found.agent))
        target = true[best]
        assert found.low is not None and found.high is not None and found.own is not None
        inside += found.low <= target <= found.high
        naive += abs(found.own - target) <= reach[best]
        width += found.high - found.low
        naive_width += 2 * reach[best]
        bias += float(found.value or 0) - target
        naive_bias += found.own - target
        leads += found.leads
    said = f"{cell.kind}, best of {cell.agents}, {k} studies"
    led = {"equal": (leads / runs, None), "one outstanding": (None, 1 - leads / runs)}
    return [
        f"{cell}: covers {inside / runs:.3f}, width {width / runs:.3f}, bias {bias / runs:+.3f}; "
        f"naive covers {naive / runs:.3f}, width {naive_width / runs:.3f}, bias {naive_bias / runs:+.3f}",
        Found(CHOSEN, said, 1 - inside / runs, None),
        *([Found(LEADS, said, *led[cell.kind])] if cell.kind in led else []),
    ]


@dataclass(frozen=True, slots=True)
class Gated:
    """Two versions of a model on the same items, held to a gate."""

    kind: str
    n: int
    margin: float

    def differences(self, rng: np.random.Generator, drop: float) -> tuple[Floats, Floats]:
        """Draw scores of a new version and an old one, the new lower by the drop on average."""
        if self.kind == "normal":
            shared = rng.normal(0.6, 0.2, self.n)
            return shared - drop + rng.normal(0, 0.15, self.n), shared + rng.normal(0, 0.15, self.n)
        if self.kind == "skewed":
            return 0.3 - drop + 0.1 * rng.exponential(size=self.n), 0.3 + 0.1 * rng.exponential(size=self.n)
        hard = rng.beta(3, 1.5, self.n)
        old = rng.random(self.n) < hard
        again = np.where(rng.random(self.n) < 0.6, old, rng.random(self.n) < hard)  # versions agree
        lost = rng.random(self.n) < drop / hard.mean()
        return (again & ~lost).astype(float), old.astype(float)


WORSE = "*regression: X is worse than Y* (`--fail-if-worse`)"
AS_GOOD = "*as good: X is shown not to be worse than Y* (`--fail-unless-as-good`)"


def gates(cell: Gated, runs: int, seed: int) -> list[str | Found]:
    """Return false alarms of both gates, and how often they miss what they say they would notice."""
    rng = np.random.default_rng(seed)

    def held(rule: str, drop: float) -> list[Any]:
        found = []
        for _ in range(runs):
            one = compare_items(*cell.differences(rng, drop), choices=Choices(n_flips=99))
            pair = ("old", one.difference, one.n_clusters)
            found.append(gate_of(rule, "new", ("score", "items"), [pair], margin=cell.margin, level=LEVEL))
        return found

    def share(found: list[Any]) -> float:
        return float(np.mean([one.failed for one in found]))

    plain = held("fail_if_worse", cell.margin)
    noticed = float(np.median([one.against[0].noticed for one in plain]))
    good = held("fail_unless_as_good", cell.margin)
    needed = int(np.median([one.against[0].needed for one in good]))
    larger = replace(cell, n=needed)
    alarm, found = share(plain), share(held("fail_if_worse", noticed))
    passed = 1 - share(good)
    cell, name = (larger, f"{cell.kind} {cell.n}") if needed <= 40_000 else (cell, f"{cell.kind} {cell.n}")
    lost = share(held("fail_unless_as_good", 0.0)) if cell is larger else None
    return [
        f"{name} margin {cell.margin}: alarms {alarm:.3f}, drop of {noticed:.3f} found {found:.3f}; "
        f"passed at the margin {passed:.3f}, as good with {needed} items failed {lost}",
        Found(WORSE, name, alarm, 1 - found),
        Found(AS_GOOD, name, passed, lost),
    ]


@dataclass(frozen=True, slots=True)
class Conditions:
    """One model with and without reasoning, hinted and not, on items of several tasks."""

    tasks: int
    skewed: bool
    adds: float = 0.0
    """What reasoning adds to the influence of the hint, on average over tasks."""

    def rows(self, rng: np.random.Generator) -> list[dict[str, Any]]:
        """Draw a table: the share that follows the hint in each cell of each task has effects of its own."""
        rows = []
        for task in range(self.tasks):
            own = rng.exponential(0.12) - 0.12 if self.skewed else rng.normal(0, 0.12)
            base, moved = rng.uniform(0.1, 0.25), rng.normal(0.3, 0.08)
            share = {
                ("none", "unbiased"): base, ("none", "biased"): base + moved,
                ("cot", "unbiased"): base, ("cot", "biased"): base + moved + self.adds + own,
            }  # fmt: skip
            for item in range(int(rng.integers(15, 60))):
                for (mode, context), p in share.items():
                    follows = rng.random() < np.clip(p, 0, 1)
                    rows.append({"task": task, "item": item, "reasoning": mode, "context": context,
                                 "pointed": "B", "gold": "A", "answer": "B" if follows else "A"})  # fmt: skip
        return rows


DIFFER = "conditions of one model *differ* (`compare --by`)"


def conditions(cell: Conditions, runs: int, seed: int) -> list[str | Found]:
    """Return coverage of the difference of differences, and claims where it is 0 and where it is .15."""
    rng = np.random.default_rng(seed)
    held = claimed = found = known = 0
    for added in (0.0, 0.15):
        for _ in range(runs):
            one = compare_conditions(
                replace(cell, adds=added).rows(rng), "reasoning", options=TableOptions(), choices=Choices(),
                metric="influence",
            )  # fmt: skip
            (row,) = one.shifts
            ends, sign = row.difference.interval, 1 if row.first == "cot" else -1
            known += ends is not None
            held += ends is not None and ends.low <= sign * added <= ends.high
            claimed += one.differ(row) and added == 0
            found += one.differ(row) and added > 0
    name = f"{cell.tasks} tasks{', skewed' if cell.skewed else ''}"
    return [
        f"{name}: covers {held / known:.3f}, false {claimed / runs:.3f}, .15 found {found / runs:.3f}",
        Found(DIFFER, name, claimed / runs, 1 - found / runs),
    ]


@dataclass(frozen=True, slots=True)
class Size:
    """Two-sample t tests of 8 studies with 3 tests each."""

    kind: str
    """Distribution of true effects: normal (SD .5), weak (SD .25), equal (.3), half nulls."""
    n: int
    """People and replies per group."""
    replies: int
    published: bool
    """Whether only p < .05 was published."""
    factor: float


def _true(rng: np.random.Generator, kind: str, size: int) -> Floats:
    if kind in ("normal", "weak"):
        return np.asarray((0.5 if kind == "normal" else 0.25) * rng.standard_normal(size))
    return np.full(size, 0.3) if kind == "equal" else np.where(rng.random(size) < 0.5, 0.0, 0.6)


def size(cell: Size, runs: int, seed: int) -> list[Found | str]:
    """Return how often a difference in size is claimed, and how often the median ratio covers."""
    rng = np.random.default_rng(seed)
    rows = [TestRow(f"S{i // 3}", "", f"F{i}", "t", "t-independent") for i in range(24)]
    layout = lay_out(rows)
    claims = {"larger": 0, "smaller": 0, "": 0}
    taken = covered = 0

    def seen(true: Floats, n: int) -> tuple[Floats, Floats]:
        df = 2 * n - 2
        t = (true * np.sqrt(n / 2) + rng.standard_normal(true.size)) / np.sqrt(
            rng.chisquare(df, true.size) / df
        )
        return np.asarray(t * np.sqrt(2 / n)), np.asarray(2 * stdtr(df, -np.abs(t)))

    for _ in range(runs):
        true = _true(rng, cell.kind, 4000 if cell.published else 24)
        human, p = seen(true, cell.n)
        if cell.published:
            true, human, p = (values[p < 0.05][:24] for values in (true, human, p))
        agent, _ = seen(cell.factor * true, cell.replies)
        errors = tuple(np.sqrt(2 / n + d**2 / (4 * n)) for d, n in ((human, cell.n), (agent, cell.replies)))
        known = {"human_d": human, "agent_d": agent, "human_significant": (p < 0.05).astype(float)}
        scores = TestScores(**{f.name: known.get(f.name, np.full(24, np.nan)) for f in fields(TestScores)})
        adjusted = adjusted_effects(scores, errors[0])
        found = effect_sizes(
            scores, (errors[0], errors[1]), layout, STANDARD, LEVEL, (adjusted.d, adjusted.se)
        )
        claims[found.claim] += 1
        taken += found.selected is not None
        ends = found.median_ratio.interval
        covered += ends is None or ends.low <= cell.factor <= ends.high
    right = "larger" if cell.factor > 1 else "smaller"
    false = None if cell.factor != 1 else 1 - claims[""] / runs
    missed = None if cell.factor == 1 else 1 - claims[right] / runs
    where = (
        f"{cell.kind}, n {cell.n}, agent {cell.replies}{', p < .05 published' if cell.published else ''}"
        f"{'' if cell.factor == 1 else f', factor {cell.factor:.2f}'}"
    )
    return [
        Found(SIZE, where, false, missed),
        f"{cell}: larger {claims['larger'] / runs:.3f}, smaller {claims['smaller'] / runs:.3f}, taken for "
        f"selected {taken / runs:.2f}, median ratio covers {covered / runs:.3f}",
    ]


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Perfect twins of people, 8 studies with 3 tests each, scored between floor and ceiling."""

    n: int
    published: bool
    """Whether only p < .05 was published."""


def ceilings(cell: Ceilings, runs: int, seed: int) -> list[str]:
    """Return how often a twin lies inside the ceiling's range, and its mean place and percentile."""
    rng, df = np.random.default_rng(seed), 2 * cell.n - 2

    def t_of(d: Floats) -> Floats:
        return np.asarray(
            (d * np.sqrt(cell.n / 2) + rng.standard_normal(d.size)) / np.sqrt(rng.chisquare(df, d.size) / df)
        )

    inside = undone = 0
    ranks: list[float] = []
    for run in range(runs):
        true = 0.5 * rng.standard_normal(4000 if cell.published else 24)
        human = t_of(true)
        if cell.published:
            shown = 2 * stdtr(df, -np.abs(human)) < 0.05
            true, human = true[shown][:24], human[shown][:24]
        sides = ([Side(statistic=float(t), df2=float(df), n1=cell.n, n2=cell.n) for t in values]
                 for values in (human, t_of(true)))  # fmt: skip
        rows = tuple(
            TestRow(f"S{i // 3}", "", f"F{i}", "t", "t-independent", human=h, agent=a)
            for i, (h, a) in enumerate(zip(*sides, strict=True))
        )
        found = score_table(TestTable(rows), n_resamples=0, n_simulations=300, seed=run, for_referee=False)
        bounds = found.pas.bounds
        assert bounds is not None and bounds.ceiling.interval is not None and found.pas.value is not None
        inside += bounds.ceiling.interval.low <= found.pas.value <= bounds.ceiling.interval.high
        undone += "corrected for publication bias" in found.bounds_note
        ranks.append(float(bounds.percentile or 0))
    return [
        f"{cell}: inside the ceiling's range {inside / runs:.3f}, mean percentile {np.mean(ranks):.2f}, "
        f"selection undone in {undone / runs:.2f}"
    ]


SIZE = "*larger*, *smaller than the human ones* (size of effects)"


@dataclass(frozen=True, slots=True)
class Worth:
    """People and predictions of one population."""

    kind: str
    """plain, persons (4 rows each), or weights that go with answers."""
    n: int
    rho: float
    ratio: float
    """Spread of predictions over that of answers."""


WORTH = "*worth N more people* (`combine`)"


def worth(cell: Worth, runs: int, seed: int) -> list[str | Found]:
    """Return coverage, and how far the printed worth is from the standard errors and from the truth."""
    rng = np.random.default_rng(seed)
    inside = held = 0
    apart: list[float] = []
    times = 4 if cell.kind == "persons" else 1
    expected = float(effective_people(cell.n, 5 * cell.n, cell.rho)) - cell.n

    def rows(n: int, start: int) -> list[dict[str, Any]]:
        y = np.repeat(rng.standard_normal(n), times) + (times > 1) * 0.6 * rng.standard_normal(n * times)
        y = y - (0.5 if cell.kind == "weights" else 0.0)
        f = cell.ratio * (cell.rho * y + np.sqrt(1 - cell.rho**2) * rng.standard_normal(y.size))
        more = {"persons": "person", "weights": "weight"}.get(cell.kind)
        return [
            {"answer": a, "prediction": b}
            | (
                {}
                if more is None
                else {more: start + i // times if more == "person" else float(np.exp(a / 2))}
            )
            for i, (a, b) in enumerate(zip(y, f, strict=True))
        ]

    for _ in range(runs):
        further = [{k: v for k, v in row.items() if k != "answer"} for row in rows(5 * cell.n, cell.n)]
        one = combine(rows(cell.n, 0), further).estimates[0]
        ends, between = one.estimate.interval, one.worth.interval
        assert ends is not None and one.worth.value is not None
        inside += ends.low <= 0 <= ends.high
        held += between is not None and between.low <= expected <= between.high
        said = cell.n * (one.people_se / one.se) ** 2
        apart.append(abs(cell.n + one.worth.value - said) / said)
    of_worth = f", worth's interval holds {held / runs:.3f}" if cell.kind == "plain" else ""
    persons = {"persons": ", four rows each", "weights": ", weights that go with answers"}.get(cell.kind, "")
    name = f"{cell.n} people{persons}, ρ {cell.rho:g}, spread of predictions {cell.ratio:g}"
    return [
        f"{cell}: covers {inside / runs:.3f}, worth off its errors by {max(apart):.4f} at most{of_worth}",
        Found(WORTH, name, 1 - inside / runs, None),
    ]


def words(cell: Simulated, runs: int, seed: int) -> list[str | Found]:
    """Return the rate of one population of a sentence, simulated as the tests do."""
    rate, n = cell.rate(runs)
    shares = {cell.side: rate}
    return [Found(cell.sentence, cell.cell, shares.get("false"), shares.get("missed"), n)]


def cells(part: str, *, small: bool) -> Iterator[object]:
    """Return the populations of a part."""
    if part == "these":
        yield These(500, 6, 8, 2, different=False, spread=0.5)
        yield These(500, 6, 8, 2, different=True, spread=0.5)
        shapes = (
            [(15, 5, 3), (40, 8, 3), (150, 8, 3)] if small else product((15, 40, 150), (5, 8, 12), (1, 3, 8))
        )
        for (n, k, m), different in product(list(shapes), (False, True)):
            yield These(n, k, m, 2, different=different)
        for a, n in () if small else product((57, 15, 5), (15, 40, 150)):
            yield These(n, 8, 3, a, different=False)
        for n, different in () if small else product((15, 40, 150), (False, True)):
            yield These(n, 8, 3, 2, different=different, correlation=0.8)
    elif part == "others":
        ks: tuple[int, ...] = (6, 12) if small else (6, 8, 12, 20, 30)
        sizes: tuple[int, ...] = (15,) if small else (5, 15, 57)
        for kind, k, a, erratic in product(SPREADS, ks, sizes, (1.0, 3.0)):
            yield Others(kind, k, a, erratic)
    elif part == "conditions":
        for n, skewed in product((6, 13) if small else (6, 10, 13, 20, 30), (False, True)):
            yield Conditions(n, skewed)
    elif part == "gates":
        for kind, n in product(
            ("right or wrong", "normal", "skewed"), (12, 50, 200) if small else (12, 50, 200, 1000)
        ):
            yield Gated(kind, n, 0.05)
    elif part == "size":
        kinds = ("normal",) if small else ("normal", "weak", "equal", "half nulls")
        pairs = ((15, 40), (40, 40), (150, 40), (40, 500))
        for kind, (n, m), published in product(kinds, pairs, (False, True)):
            yield Size(kind, n, m, published, 1.0)
        for n, published, factor in product((15, 40, 150), (False, True), (1.5, 1 / 1.5)):
            yield Size("normal", n, n, published, factor)
    elif part == "worth":
        for n, rho, ratio in product((50,) if small else (50, 200, 1000), (0.0, 0.6, 0.95), (0.1, 1.0, 2.0)):
            yield Worth("plain", n, rho, ratio)
        for n, kind in product((50,) if small else (50, 200), ("persons", "weights")):
            yield Worth(kind, n, 0.7, 1.0)
    elif part == "ceilings":
        for n, published in product((40,) if small else (15, 40, 150, 500), (False, True)):
            yield Ceilings(n, published)
    elif part == "words":
        yield from simulated()
    else:
        ks = (6, 12) if small else (6, 12, 30)
        sizes = (2, 15) if small else (2, 5, 15, 57, 1000)
        for k, a, kind in sorted(product(ks, sizes, SPREADS), key=lambda one: -one[0] * one[1]):
            yield Picked(kind, k, a)


PARTS: dict[str, Callable[..., Sequence[str | Found]]] = {
    "these": these, "others": others, "chosen": chosen, "gates": gates,
    "conditions": conditions,
    "size": size, "worth": worth, "words": words, "ceilings": ceilings,
}  # fmt: skip


def _run(job: tuple[str, object, int, int]) -> Sequence[str | Found]:
    part, cell, runs, seed = job
    return PARTS[part](cell, runs, seed)


def main() -> None:
    """Run the populations of a part on some processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=[*PARTS, "keep"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="", help="populations whose names hold this")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if asked.part == "keep":
        write_rates(printed_rates(asked.files))
        return
    jobs = [
        (asked.part, cell, asked.runs, asked.seed * 1000 + i)
        for i, cell in enumerate(cells(asked.part, small=asked.small))
        if asked.only in str(cell)
    ]
    found: list[Found] = []
    with ProcessPoolExecutor(asked.workers) as pool:
        for lines in pool.map(_run, jobs) if asked.workers > 1 else map(_run, jobs):
            rates = [
                one._replace(runs=one.runs if one.runs else asked.runs)
                for one in lines
                if isinstance(one, Found)
            ]
            text = [one for one in lines if isinstance(one, str)]
            found += rates
            told = [*text, *(json.dumps(one._asdict(), ensure_ascii=False) for one in rates)]
            sys.stdout.write("".join(f"{line}\n" for line in told))
            sys.stdout.flush()
    if asked.write:
        write_rates(found)


if __name__ == "__main__":
    main()

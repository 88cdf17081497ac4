# ruff: noqa: E501 - paragraphs of the page are single lines
"""Are perfect replications where the ceiling says? ``python benchmarks/ceiling.py --tables 100``.

People's two-sample t tests (8 studies × 3 tests, 30 a group) with known true effects; perfect replications
with 60 a group, several of every table. For PAS, ECS and APR: how often a replication lies inside the
ceiling's 95 % range, how its percentile among the simulated ones is spread (uniform where the ceiling is
right), and how often its place is withheld. Six truths on which the method was chosen, five that played no
part, and truths drawn from the ceiling's own prior, one for every table: over these the percentile has to be
uniform, for a single truth it has not. Sampling errors of a study's tests are independent, or correlate as
the program assumes (0.5).
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from concord.people.families.registry import KINDS
from concord.people.protocol import STANDARD
from concord.people.results.same_tests import context_of
from concord.people.score.levels import Profiles, apr_ends, ecs_ends, lay_out, pas_levels
from concord.people.score.sides import SideTable
from concord.people.score.test_scores import TestScores, score_tests
from concord.people.table.read import read_tests
from concord.people.uncertainty.floor_ceiling import simulate_bounds
from concord.records import Estimate, TestRow
from concord.stats.true_effects import CENTRE_SD, NEGATIVE, OMEGAS, POSITIVE, TAUS, WEIGHTS_PRIOR, WIDE

Rng = np.random.Generator
Floats = np.ndarray
HERE = Path(__file__).parents[1]
STUDIES, TESTS, PEOPLE, AGENTS = 8, 3, 30, 60
TWINS = 6
"""Replications of every table of people."""
BINS = 5
METRICS = ("pas", "ecs", "apr")
SHAPE = (STUDIES, TESTS)


def either(share: float, first: Floats, second: Floats, rng: Rng) -> Floats:
    return np.where(rng.random(SHAPE) < share, first, second)


TRUTHS: dict[str, Callable[[Rng], Floats]] = {
    "N(0, .5²)": lambda g: g.normal(0, 0.5, SHAPE),
    ".45 (sd .05)": lambda g: g.normal(0.45, 0.05, SHAPE),
    ".45 (sd .2)": lambda g: g.normal(0.45, 0.2, SHAPE),
    "half 0, half .5": lambda g: either(0.5, np.zeros(SHAPE), np.full(SHAPE, 0.5), g),
    "t(2) × .3": lambda g: 0.3 * g.standard_t(2, SHAPE),
    "90 % .15, 10 % 3": lambda g: either(0.9, np.full(SHAPE, 0.15), np.full(SHAPE, 3.0), g),
    "uniform −.2 to .9": lambda g: g.uniform(-0.2, 0.9, SHAPE),
    "Laplace around .2": lambda g: g.laplace(0.2, 0.3, SHAPE),
    "30 % 0, else .6 (sd .15)": lambda g: either(0.3, np.zeros(SHAPE), g.normal(0.6, 0.15, SHAPE), g),
    "lognormal": lambda g: g.lognormal(-1.2, 0.6, SHAPE),
    "one effect per study": lambda g: np.repeat(g.normal(0.4, 0.3, (STUDIES, 1)), TESTS, axis=1),
}
OWN = list(TRUTHS)[6:]
PRIOR = "drawn from the prior"
"""Truths that played no part in choosing the method."""


def from_prior(rng: Rng) -> Floats:
    """True effects of one benchmark under the ceiling's own model: mirrored normal, wide part, nulls."""
    typical = 2 / PEOPLE
    taus = np.gradient(TAUS) / (typical + TAUS**2)
    centre, tau = rng.normal(0, CENTRE_SD), rng.choice(TAUS, p=taus / taus.sum())
    part = rng.choice(4, size=SHAPE, p=rng.dirichlet(WEIGHTS_PRIOR))
    near, wide = rng.normal(size=SHAPE) * tau, rng.normal(size=SHAPE) * rng.choice(OMEGAS)
    return np.select([part == POSITIVE, part == NEGATIVE, part == WIDE], [centre + near, near - centre, wide])


TRUTHS[PRIOR] = from_prior


@dataclass
class Found:
    """Counts of one truth."""

    truth: str
    correlation: float
    metric: str
    n: int = 0
    inside: int = 0
    withheld: int = 0
    bins: tuple[int, ...] = (0,) * BINS
    """Replications by fifths of their percentile."""

    def add(self, value: float, ends: tuple[float, float], place: float | None, percentile: float) -> None:
        self.n += 1
        self.inside += ends[0] <= value <= ends[1]
        self.withheld += place is None
        which = min(BINS - 1, int(BINS * percentile))
        self.bins = tuple(count + (i == which) for i, count in enumerate(self.bins))


Twin = tuple[float, tuple[float, float], float | None, float]
"""One replication: its number, the ceiling's interval, its place and its percentile."""


def t_values(rng: Rng, true: Floats, n: int, correlation: float) -> Floats:
    """Student's t of two groups of n; tests of a study share a part of their errors."""
    common, own = rng.normal(size=(*true.shape[:-1], 1)), rng.normal(size=true.shape)
    error = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    df = 2 * n - 2
    found: Floats = (true * np.sqrt(n / 2) + error) / np.sqrt(rng.chisquare(df, true.shape) / df)
    return found


def rows_of(human: Floats, agent: Floats) -> tuple[TestRow, ...]:
    """Every replication is a set of studies of its own; all have the same people."""
    rows = [
        {
            "study": f"S{r}-{s}", "finding": f"F{r}-{s}-{t}", "test": "t", "test_type": "t-independent",
            "human_statistic": float(human[s, t]), "human_n1": PEOPLE, "human_n2": PEOPLE,
            "agent_statistic": float(agent[r, s, t]), "agent_n1": AGENTS, "agent_n2": AGENTS,
        }
        for r, s, t in np.ndindex(agent.shape)
    ]  # fmt: skip
    return read_tests(rows).rows


def sides_of(rows: Sequence[TestRow]) -> tuple[SideTable, SideTable]:
    """Both sides of the tests as arrays."""
    human, agent = (
        SideTable.from_rows(rows, [getattr(row, side) for row in rows], odds, KINDS)
        for side, odds in (("human", STANDARD.human_prior_odds), ("agent", STANDARD.agent_prior_odds))
    )
    return human, agent


def one_table(rng: Rng, name: str, correlation: float, simulations: int) -> Iterator[tuple[str, Twin]]:
    """Draw people and their replications, score them, and hold them against the ceiling."""
    true = TRUTHS[name](rng)
    human_t = t_values(rng, true, PEOPLE, correlation)
    rows = rows_of(human_t, t_values(rng, np.broadcast_to(true, (TWINS, *SHAPE)), AGENTS, correlation))
    human, agent = sides_of(rows)
    says = human.evidence(STANDARD), agent.evidence(STANDARD)
    scores = score_tests(*says, context_of(rows, human, agent), STANDARD)
    size = STUDIES * TESTS
    each = TestScores(
        **{one.name: getattr(scores, one.name).reshape(TWINS, size) for one in fields(TestScores)}
    )
    first = rows[:size]
    layout = lay_out(first)
    people, twin = sides_of(first)
    simulation = simulate_bounds(
        people, twin, context_of(first, people, twin), layout, STANDARD,
        level=0.95, n_simulations=simulations, rng=rng,
    )  # fmt: skip
    values = {
        "pas": pas_levels(each, layout, STANDARD).benchmark,
        "ecs": ecs_ends(Profiles(each, layout, STANDARD), layout).benchmark,
        "apr": apr_ends(each, layout, STANDARD.apr_over).benchmark,
    }
    for metric in METRICS:
        for value in np.asarray(values[metric]):
            if np.isnan(value):
                continue
            bounds = simulation.bounds(metric, Estimate(float(value)))
            if bounds is None or bounds.ceiling.interval is None or bounds.percentile is None:
                continue
            ends = bounds.ceiling.interval
            yield metric, (float(value), (ends.low, ends.high), bounds.place.value, bounds.percentile)


def numbers_of(name: str, correlation: float, simulations: int, i: int) -> list[tuple[str, Twin]]:
    """One table by its number, whatever process works on it."""
    rng = np.random.default_rng([list(TRUTHS).index(name), round(100 * correlation), i])
    return list(one_table(rng, name, correlation, simulations))


def measured(
    name: str, correlation: float, tables: int, simulations: int, pool: Executor | None = None
) -> dict[str, Found]:
    found = {metric: Found(name, correlation, metric) for metric in METRICS}
    one = partial(numbers_of, name, correlation, simulations)
    for numbers in map(one, range(tables)) if pool is None else pool.map(one, range(tables), chunksize=5):
        for metric, values in numbers:
            found[metric].add(*values)
    return found


def line(found: dict[str, Found]) -> str:
    """One row of the page."""
    one = found["pas"]
    shares = " | ".join(f"{100 * found[m].inside / found[m].n:.0f}" for m in METRICS)
    held = " | ".join(f"{100 * found[m].withheld / found[m].n:.0f}" for m in METRICS)
    bins = " | ".join(" ".join(f"{100 * b / found[m].n:.0f}" for b in found[m].bins) for m in ("pas", "ecs"))
    return f"| {one.truth} | {one.correlation:g} | {shares} | {bins} | {held} |"


HEAD = """| true effects | errors of a study correlate | PAS inside | ECS inside | APR inside \
| fifths of the percentile, PAS | ECS | place withheld, PAS | ECS | APR |
|---|---|---|---|---|---|---|---|---|---|"""
ABOUT = """## Are perfect replications where the ceiling says?

Made by `benchmarks/ceiling.py`: people's two-sample t tests (8 studies × 3 tests, 30 a group) with known true effects, and perfect replications with 60 a group, {twins} of each of {tables} tables. *Inside*: % of replications inside the ceiling's 95 % range (Monte Carlo error about 2 to 3 points, since replications of one table share it). *Fifths of the percentile*: % of replications in each fifth of their percentile among the simulated ones. The ceiling averages over what the true effects may be, so that the percentile has to be uniform (20 each) over truths *drawn from the prior* (a new truth for every table); for a single truth it has not, since people's data cannot tell that truth from others. *Withheld*: % without a place. The truths marked * played no part in choosing the method.
"""


def read_found(path: Path) -> list[dict[str, Found]]:
    """Read finished truths, the last run of each."""
    kept: dict[tuple[str, float], dict[str, Found]] = {}
    for text in path.read_text("utf-8").splitlines():
        one = Found(**json.loads(text))
        one.bins = tuple(one.bins)
        kept.setdefault((one.truth, one.correlation), {})[one.metric] = one
    return [found for found in kept.values() if set(found) == set(METRICS)]


def section(path: Path) -> str:
    """The part of docs/explanation/coverage.md about the ceiling."""
    every = read_found(path)
    rows = [line(found).replace(f"| {name} |", f"| {name}{'*' if name in OWN else ''} |", 1)
            for found in every for name in [found["pas"].truth]]  # fmt: skip
    return "\n".join([ABOUT.format(twins=TWINS, tables=every[0]["pas"].n // TWINS), HEAD, *rows, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--truths", nargs="*", default=list(TRUTHS), choices=list(TRUTHS))
    parser.add_argument("--correlations", nargs="*", type=float, default=[0.0, 0.5])
    parser.add_argument("--state", type=Path, default=Path("ceiling.jsonl"), help="finished truths")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    print(HEAD)
    with ProcessPoolExecutor(options.jobs) as pool:
        for name, correlation in product(options.truths, options.correlations):
            found = measured(name, correlation, options.tables, options.simulations, pool)
            with options.state.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(asdict(one)) + "\n" for one in found.values())
            print(line(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

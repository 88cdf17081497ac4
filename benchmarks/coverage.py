"""How often intervals hold the truth: ``python benchmarks/coverage.py [--engine processes] [--write]``.

Every kind of interval on ten and more populations whose truth is known. Blocks of replicates have seeds of
their own, so that every engine gives the same table; finished cells are kept in a file of lines, and a run
that was stopped goes on where it was. ``--write`` makes docs/explanation/coverage.md from that file. Needs
numpy and scipy, and joblib for ``--engine processes``.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from concord.engine import get_engine
from concord.errors import UndefinedError
from concord.stats.bounded_means import bounded_mean
from concord.stats.clustered import clustered_mean
from concord.stats.intervals import jackknife_t, wilson_clustered
from concord.stats.skewed import skewed_mean
from concord.stats.study_concordance import ecs_interval
from concord.stats.study_rates import apr_interval, pas_interval

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "coverage.md"
BLOCK = 50
INSIDE = (0.93, 0.97)
Rng = np.random.Generator
Ends = tuple[float, float] | None
Draw = Callable[[Rng, int], Any]


@dataclass(frozen=True)
class Kind:
    """One kind of number: populations, sizes, the interval, and the truth of a population."""

    what: str
    unit: str
    sizes: tuple[int, ...]
    populations: dict[str, Draw]
    interval: Callable[[Any, Rng], Ends]
    truth: Callable[[Draw], float]


@dataclass(frozen=True)
class Cell:
    kind: str
    population: str
    size: int
    replicates: int
    covered: float
    """Share of intervals shown that hold the truth."""
    width: float
    withheld: float


# ---- studies whose scores lie between 0 and 1


def mixed(share: float, low: tuple[float, float], high: tuple[float, float]) -> Draw:
    """A share of studies from one beta distribution, the others from another."""

    def draw(rng: Rng, n: int) -> np.ndarray:
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


def mean_of(draw: Draw) -> float:
    return float(np.mean(draw(np.random.default_rng(99), 1_000_000)))


def pas_ends(x: np.ndarray, rng: Rng) -> Ends:
    try:
        inner = jackknife_t(float(x.mean()), (x.sum() - x) / (x.size - 1), scale="logit")
    except UndefinedError:
        inner = None
    found = pas_interval(x, jackknife=inner).interval
    return None if found is None else (found.low, found.high)


# ---- tests that are passed or not


def passes(rate: Draw, sizes: Callable[[Rng, int], np.ndarray]) -> Draw:
    def draw(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
        m = sizes(rng, n)
        return rng.binomial(m, rate(rng, n)), m

    return draw


def few(rng: Rng, n: int) -> np.ndarray:
    return rng.integers(2, 8, n)


def one(rng: Rng, n: int) -> np.ndarray:
    return np.ones(n, dtype=np.int64)


def big(rng: Rng, n: int) -> np.ndarray:
    """One study that holds about half of the tests."""
    return np.where(np.arange(n) % max(n, 1) == 0, 4 * n, 4) if n < 1000 else np.full(n, 4)


PASSES: dict[str, Draw] = {
    "bell": passes(SCORES["bell"], few),
    "all near .9": passes(SCORES["all near .9"], few),
    "near the ceiling": passes(SCORES["near the ceiling"], few),
    "skewed low": passes(SCORES["skewed low"], few),
    "U-shaped": passes(SCORES["U-shaped"], few),
    "12 % of studies fail": passes(SCORES["12 % of studies fail"], few),
    "30 % of studies fail": passes(SCORES["30 % of studies fail"], few),
    "one test per study": passes(SCORES["bell"], one),
    "one big study, bell": passes(SCORES["bell"], big),
    "one big study, near the ceiling": passes(SCORES["near the ceiling"], big),
    "uniform": passes(SCORES["uniform"], few),
}


def rate_of(draw: Draw) -> float:
    s, m = draw(np.random.default_rng(99), 1_000_000)
    return float(s.sum() / m.sum())


def apr_ends(drawn: tuple[np.ndarray, np.ndarray], rng: Rng) -> Ends:
    found = apr_interval(*drawn).interval
    return None if found is None else (found.low, found.high)


# ---- effects of people and agent


def effects(
    human: Draw, *, slope: float = 0.8, noise: float = 0.3, tests: int = 3, between: float = 0.5
) -> Draw:
    """Human effects with a part of their own per study, the agent's a multiple of them with noise."""

    def draw(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        study = np.repeat(np.arange(n), tests)
        x = between * human(rng, n)[study] + np.sqrt(1 - between**2) * human(rng, n * tests)
        return x, slope * x + rng.normal(0, noise, x.size), study

    return draw


def normal(rng: Rng, n: int) -> np.ndarray:
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


def concordance_of(draw: Draw) -> float:
    x, y, _ = draw(np.random.default_rng(99), 400_000)
    below = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    return float(2 * np.mean((x - x.mean()) * (y - y.mean())) / below)


def ecs_ends(drawn: tuple[np.ndarray, np.ndarray, np.ndarray], rng: Rng) -> Ends:
    found = ecs_interval(*drawn, rng=rng, n_draws=1000).interval
    return None if found is None else (found.low, found.high)


# ---- paired differences


def differences(unit: Draw, *, clusters: int | None = None, shared: Draw | None = None) -> Draw:
    def draw(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray | None]:
        x = unit(rng, n)
        if clusters is None or shared is None:
            return x, None
        labels = np.arange(n) % clusters if n < 100_000 else np.arange(n) // 10
        return x + shared(rng, int(labels.max()) + 1)[labels], labels

    return draw


def standard(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(0.3, 1, n)


DIFFERENCES: dict[str, Draw] = {
    "normal": differences(standard),
    "t with 3 df": differences(lambda rng, n: rng.standard_t(3, n)),
    "exponential": differences(lambda rng, n: rng.exponential(1, n)),
    "lognormal": differences(lambda rng, n: rng.lognormal(0, 1, n)),
    "gamma(4)": differences(lambda rng, n: rng.gamma(4, 1, n)),
    "rare gains": differences(lambda rng, n: (rng.random(n) < 0.1) + rng.normal(0, 0.05, n)),
    "steps of thirds": differences(lambda rng, n: (rng.binomial(3, 0.7, n) - rng.binomial(3, 0.5, n)) / 3),
    "mostly ties": differences(lambda rng, n: (rng.random(n) < 0.2) * rng.normal(0.3, 1, n)),
    "bounded and skewed": differences(lambda rng, n: rng.beta(1, 8, n) - rng.beta(4, 4, n)),
    "10 families, normal": differences(standard, clusters=10, shared=standard),
    "10 families, exponential": differences(
        standard, clusters=10, shared=lambda rng, n: rng.exponential(1, n)
    ),
    "25 families, lognormal": differences(
        standard, clusters=25, shared=lambda rng, n: rng.lognormal(0, 1, n)
    ),
}


def difference_of(draw: Draw) -> float:
    return float(np.mean(draw(np.random.default_rng(99), 1_000_000)[0]))


def difference_ends(drawn: tuple[np.ndarray, np.ndarray | None], rng: Rng) -> Ends:
    """Student's t, or Hall's transformation where skewness is seen."""
    error = clustered_mean(*drawn)
    if error.se == 0:
        return None
    skewed = skewed_mean(*drawn)
    if skewed.seen:
        return skewed.interval.low, skewed.interval.high
    reach = float(special.stdtrit(error.df, 0.975)) * error.se
    return error.mean - reach, error.mean + reach


# ---- scores of vignettes between 0 and 1; cases with repeats


VIGNETTES: dict[str, Draw] = {
    **{name: SCORES[name] for name in ("bell", "near the ceiling", "skewed low", "U-shaped", "uniform")},
    "90 % perfect": lambda rng, n: np.where(rng.random(n) < 0.9, 1.0, rng.random(n)),
    "60 % perfect": lambda rng, n: np.where(rng.random(n) < 0.6, 1.0, rng.random(n)),
    "97 % perfect, else 0": lambda rng, n: (rng.random(n) < 0.97).astype(float),
    "5 % are 0": mixed(0.05, (1, 99), (38, 2)),
    "quarters": lambda rng, n: rng.binomial(4, 0.9, n) / 4,
}


def bounded_ends(x: np.ndarray, rng: Rng) -> Ends:
    found = bounded_mean(np.clip(x, 0, 1)).interval
    return None if found is None else (found.low, found.high)


def repeats(rate: Draw, count: int = 5) -> Draw:
    return lambda rng, n: (rng.binomial(count, rate(rng, n)), np.full(n, count))


CASES: dict[str, Draw] = {f"{name}, 5 repeats": repeats(SCORES[name]) for name in list(SCORES)[:8]} | {
    "bell, 2 repeats": repeats(SCORES["bell"], 2),
    "bell, 20 repeats": repeats(SCORES["bell"], 20),
}


def case_ends(drawn: tuple[np.ndarray, np.ndarray], rng: Rng) -> Ends:
    found = wilson_clustered(*drawn, n_replies=int(drawn[1].sum()), few_clusters=True)
    return found.low, found.high


KINDS = {
    "PAS": Kind("PAS over other studies", "studies", (5, 9), SCORES, pas_ends, mean_of),
    "APR": Kind("APR over other studies", "studies", (5, 9), PASSES, apr_ends, rate_of),
    "ECS": Kind("ECS over other studies", "studies", (6, 12), EFFECTS, ecs_ends, concordance_of),
    "difference": Kind(
        "Differences in `compare`", "items", (50, 200), DIFFERENCES, difference_ends, difference_of
    ),
    "vignettes": Kind("Means of scores in [0, 1]", "items", (12, 30), VIGNETTES, bounded_ends, mean_of),
    "cases": Kind("Rates with repeats", "cases", (6, 15), CASES, case_ends, rate_of),
}


def block(work: tuple[str, str, int, float], number: int) -> tuple[int, int, float]:
    """Intervals shown, intervals that hold the truth, and the sum of widths of one block of replicates."""
    kind_name, population, size, truth = work
    kind = KINDS[kind_name]
    seed = [zlib.crc32(kind_name.encode()), zlib.crc32(population.encode()), size, number]
    rng = np.random.default_rng(seed)
    shown, inside, width = 0, 0, 0.0
    for _ in range(BLOCK):
        ends = kind.interval(kind.populations[population](rng, size), rng)
        if ends is not None:
            shown, width = shown + 1, width + ends[1] - ends[0]
            inside += ends[0] - 1e-12 <= truth <= ends[1] + 1e-12
    return shown, inside, width


def todo(replicates: int, chosen: list[str], done: list[Cell]) -> Iterator[tuple[str, str, int]]:
    known = {(cell.kind, cell.population, cell.size) for cell in done if cell.replicates >= replicates}
    for name, kind in KINDS.items():
        for population in kind.populations if name in chosen else ():
            for size in kind.sizes:
                if (name, population, size) not in known:
                    yield name, population, size


def read_cells(path: Path) -> list[Cell]:
    """Finished cells; a line that was cut off when a run was stopped is left out."""
    if not path.exists():
        return []
    cells: dict[tuple[str, str, int], Cell] = {}
    for line in path.read_text("utf-8").splitlines():
        try:
            cell = Cell(**json.loads(line))
        except (json.JSONDecodeError, TypeError):
            continue
        cells[cell.kind, cell.population, cell.size] = cell
    return list(cells.values())


def page(cells: list[Cell]) -> str:
    """The page of the documentation."""
    head = (
        "# Coverage\n\nHow often 95 % intervals hold the truth, by simulation on populations whose truth "
        "is known. The page is made by `benchmarks/coverage.py`; every cell has its own seed, "
        "and every engine gives the same table. ± is the Monte Carlo error. The intervals are those "
        "of `concord.stats` (`pas_interval`, `apr_interval`, `ecs_interval`, `skewed_mean`, `bounded_mean`, "
        "`wilson_clustered`); `concord compare` uses the one for differences, the other commands still print "
        "the intervals of [Uncertainty](uncertainty.md). Cells outside 93–97 % are "
        "bold: ▼ too low, ▲ wider than need be.\n"
    )
    parts = [head]
    for name, kind in KINDS.items():
        rows = [cell for cell in cells if cell.kind == name]
        if not rows:
            continue
        sizes = sorted({cell.size for cell in rows})
        table = {(cell.population, cell.size): cell for cell in rows}
        heads = "".join(f" {size} {kind.unit} | width |" for size in sizes)
        lines = [f"| population |{heads}", "|---|" + "---|---|" * len(sizes)]
        for population in kind.populations:
            shown = [table.get((population, size)) for size in sizes]
            lines.append(f"| {population} |" + "".join(f" {text(cell)} |" for cell in shown))
        parts.append(f"## {kind.what}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def text(cell: Cell | None) -> str:
    if cell is None:
        return "– | –"
    shown = cell.replicates * (1 - cell.withheld)
    if not shown:
        return "withheld | –"
    error = np.sqrt(cell.covered * (1 - cell.covered) / shown)
    number = f"{100 * cell.covered:.1f} ± {100 * error:.1f}"
    mark = "▼" if cell.covered < INSIDE[0] else "▲" if cell.covered > INSIDE[1] else ""
    number = f"**{number} {mark}**" if mark else number
    kept = f" ({cell.withheld:.0%} withheld)" if cell.withheld else ""
    return f"{number}{kept} | {cell.width:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--engine", default="serial")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--state", type=Path, default=Path("coverage.jsonl"), help="finished cells")
    parser.add_argument("--write", action="store_true", help="make the page of the documentation")
    options = parser.parse_args()
    engine = get_engine(options.engine, n_jobs=options.jobs)
    done = read_cells(options.state)
    for name, population, size in todo(options.replicates, options.kinds, done):
        kind = KINDS[name]
        work = (name, population, size, kind.truth(kind.populations[population]))
        blocks = engine.map(partial(block, work), range(-(-options.replicates // BLOCK)))
        shown, inside, width = (sum(column) for column in zip(*blocks, strict=True))
        replicates = BLOCK * len(blocks)
        mean_width = width / shown if shown else float("nan")
        cell = Cell(name, population, size, replicates, inside / shown if shown else 0.0, mean_width,
                    1 - shown / replicates)  # fmt: skip
        with options.state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(cell)) + "\n")
        print(f"{name:12}{population:34}{size:5d}  {text(cell)}", flush=True)
    cells = read_cells(options.state)
    inside = [INSIDE[0] <= cell.covered <= INSIDE[1] for cell in cells]
    low = [cell for cell in cells if cell.covered < INSIDE[0]]
    print(f"\n{sum(inside)} of {len(cells)} cells inside 93-97 %, {len(low)} below")
    if options.write:
        PAGE.write_text(page(cells), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How often intervals hold the truth: ``python benchmarks/coverage.py --jobs 16 --write``.

Every kind of interval on ten and more populations whose truth is known, and on twenty drawn at random
(`populations.py`). Blocks of replicates have seeds of their own, so that any number of processes gives the
same table; finished cells are kept in a file of lines, and a run that was stopped goes on where it was.
``--write`` makes docs/explanation/coverage.md and stats/data/coverage.json, from which the program warns,
out of that file.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import json
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from ceiling import section
from coverage_kinds import FRESH, KINDS, RANDOM, Kind
from coverage_page import INSIDE, counts, flagged, lookup_table, page, summary  # noqa: F401
from populations import Draw

HERE = Path(__file__).parents[1]
PAGE = HERE / "docs" / "explanation" / "coverage.md"
TABLE = HERE / "src" / "concord" / "stats" / "data" / "coverage.json"
BLOCK = 50
N_RANDOM = 20
"""Populations drawn at random for each kind of number."""
AFRESH = 1000
"""Seeds of populations that neither methods nor warnings have seen begin here."""
_EDGE = 1e-12


@dataclass
class Cell:
    """One number on one population at one size."""

    kind: str
    number: str
    population: str
    size: int
    replicates: int
    shown: int = 0
    inside: int = 0
    noted: int = 0
    """Intervals that the program itself puts a note on."""
    width: float = 0.0
    """Sum of widths."""
    looks: dict[str, int] = field(default_factory=dict)
    """How often the data looked how, of the intervals shown."""

    @property
    def covered(self) -> float:
        """Share of intervals shown that hold the truth."""
        return self.inside / self.shown if self.shown else float("nan")

    @property
    def drawn(self) -> str:
        """How the population was drawn: named, at random, or at random and not in the table of warnings."""
        return next(
            (start for start in (RANDOM, FRESH) if self.population.startswith(start)), "named"
        ).strip()

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What tells it from others."""
        return self.kind, self.number, self.population, self.size


Task = tuple[str, str, int]


def tasks(chosen: list[str], sizes: int, *, fresh: bool = False) -> Iterator[Task]:
    """Every kind, population and size; a population drawn at random has one size."""
    for name in chosen:
        kind = KINDS[name]
        for population in () if fresh else kind.populations:
            for size in kind.sizes[:sizes]:
                yield name, population, size
        for i in range(N_RANDOM):
            yield name, f"{FRESH if fresh else RANDOM}{i + 1}", kind.sizes[i % len(kind.sizes[:sizes])]


def population(kind: Kind, name: str) -> Draw:
    """A population by its name; that of a random one seeds its generator."""
    if name in kind.populations:
        return kind.populations[name]
    number = int(name.rsplit(" ")[-1]) + (AFRESH if name.startswith(FRESH) else 0)
    return kind.generator(np.random.default_rng([zlib.crc32(kind.name.encode()), number]))


def truth(task: Task) -> tuple[Task, dict[str, float]]:
    kind = KINDS[task[0]]
    return task, kind.truth(population(kind, task[1]), task[2])


def block(task: Task, truths: dict[str, float], number: int) -> tuple[Task, dict[str, Cell]]:
    """One block of replicates."""
    kind_name, population_name, size = task
    kind = KINDS[kind_name]
    draw = population(kind, population_name)
    rng = np.random.default_rng(
        [zlib.crc32(kind_name.encode()), zlib.crc32(population_name.encode()), size, number]
    )
    cells = {name: Cell(kind_name, name, population_name, size, BLOCK) for name in kind.numbers}
    for _ in range(BLOCK):
        for name, (ends, look, note) in kind.measure(draw(rng, size), rng).items():
            if ends is None:
                continue
            cell = cells[name]
            cell.shown += 1
            cell.width += ends[1] - ends[0]
            cell.inside += bool(ends[0] - _EDGE <= truths[name] <= ends[1] + _EDGE)
            cell.noted += bool(note)
            cell.looks[look] = cell.looks.get(look, 0) + 1
    return task, cells


def added(first: Cell, second: Cell) -> Cell:
    looks = {key: first.looks.get(key, 0) + second.looks.get(key, 0) for key in {*first.looks, *second.looks}}
    return Cell(
        *first.key, first.replicates + second.replicates, first.shown + second.shown,
        first.inside + second.inside, first.noted + second.noted, first.width + second.width,
        dict(sorted(looks.items())),
    )  # fmt: skip


def read_cells(path: Path) -> list[Cell]:
    """Finished cells; a line that was cut off when a run was stopped is left out."""
    if not path.exists():
        return []
    cells: dict[tuple[str, str, str, int], Cell] = {}
    for line in path.read_text("utf-8").splitlines():
        try:
            cell = Cell(**json.loads(line))
        except (json.JSONDecodeError, TypeError):
            continue
        cells[cell.key] = cell
    return list(cells.values())


def run(todo: list[Task], replicates: int, jobs: int, state: Path) -> None:
    """Simulate what is left to do, cell by cell into the file."""
    blocks = -(-replicates // BLOCK)
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(truth, task) for task in todo]
        whole: dict[Task, list[dict[str, Cell]]] = {}
        running = []
        for done in as_completed(waiting):
            task, truths = done.result()
            running += [pool.submit(block, task, truths, i) for i in range(blocks)]
        for one in as_completed(running):
            task, cells = one.result()
            found = whole.setdefault(task, [])
            found.append(cells)
            if len(found) == blocks:
                finished(task, whole.pop(task), state)


def finished(task: Task, parts: list[dict[str, Cell]], state: Path) -> None:
    """Add up the blocks of a cell and store it."""
    for name in parts[0]:
        cell = parts[0][name]
        for other in parts[1:]:
            cell = added(cell, other[name])
        with state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(cell)) + "\n")
        mark = "" if INSIDE[0] <= cell.covered <= INSIDE[1] else " *"
        where = f"{cell.kind:12}{cell.number:7}{cell.population:34}{cell.size:5d}"
        print(f"{where}  {100 * cell.covered:5.1f}{mark}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--sizes", type=int, default=9, help="at most so many sizes of each kind")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--fresh", action="store_true", help="only populations that no warning comes from")
    parser.add_argument("--again", action="store_true", help="simulate the kinds again that are there")
    parser.add_argument("--state", type=Path, default=Path("coverage.jsonl"), help="finished cells")
    parser.add_argument("--ceiling", type=Path, help="finished truths of ceiling.py, for the page")
    parser.add_argument("--write", action="store_true", help="make the page and the table of warnings")
    options = parser.parse_args()
    known = {
        (cell.kind, cell.population, cell.size)
        for cell in read_cells(options.state)
        if not options.again and cell.replicates >= options.replicates
    }
    todo = [task for task in tasks(options.kinds, options.sizes, fresh=options.fresh) if task not in known]
    run(todo, options.replicates, options.jobs, options.state)
    cells = read_cells(options.state)
    print("\n" + summary(cells))
    if options.write:
        TABLE.write_text(lookup_table(cells), "utf-8")
        ceiling = "" if options.ceiling is None else section(options.ceiling)
        PAGE.write_text(page(cells, KINDS, ceiling), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

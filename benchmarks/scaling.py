"""Speed-up of processes and of a Dask cluster on one machine: ``python benchmarks/scaling.py``.

Floor and ceiling of the demo table, 40,000 simulated agents of each kind, on 1, 2, 4, ... processes and on a
Dask cluster of as many workers as the machine has cores (loopback only), against this process alone in the
same run. Workers are started before the clock runs; the first, cold call is shown too. Every engine must give
the same bytes. Then the Bayes factors of `run.py` against ``quad``. Needs numpy, scipy and joblib, and
distributed for Dask.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import csv
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from importlib.resources import files

import numpy as np

import concord
from concord.engine import Engine
from concord.people.evidence import Evidence
from concord.people.protocol import STANDARD
from concord.people.uncertainty.floor_ceiling import simulate_bounds
from floor import Case, case_of
from run import bayes_f, bayes_t

WANTED = {"processes": 12.0, "dask": 10.0}
"""Speed-up on sixteen quiet cores."""


@dataclass(frozen=True)
class Timing:
    engine: str
    workers: int
    cold: float
    seconds: float
    speed_up: float
    same_bytes: bool


def demo() -> Case:
    """The demo table, read without polars: the machine that is measured may not have it."""
    path = files(concord) / "people" / "data" / "demo_tests.csv"
    with path.open(encoding="utf-8") as file:
        return case_of(list(csv.DictReader(file)), STANDARD)


def said(case: Case) -> tuple[Evidence, Evidence]:
    """What both sides say: scoring has computed it before it simulates."""
    return case.human.evidence(STANDARD), case.agent.evidence(STANDARD)


def simulated(case: Case, engine: Engine, agents: int, evidence: tuple[Evidence, Evidence]) -> str:
    """Digest of every simulated score."""
    found = simulate_bounds(
        case.human, case.agent, case.context, case.layout, STANDARD, level=0.95, n_simulations=agents,
        rng=np.random.default_rng(0), engine=engine, evidence=evidence,
    )  # fmt: skip
    assert not found.note, found.note
    digest = hashlib.sha256()
    for kind in (found.floors, found.ceilings):
        for metric in sorted(kind):
            digest.update(np.ascontiguousarray(kind[metric].benchmark).tobytes())
            digest.update(np.ascontiguousarray(kind[metric].domain).tobytes())
    return digest.hexdigest()


def clocked(case: Case, engine: Engine, agents: int) -> tuple[float, str]:
    evidence = said(case)
    begin = time.perf_counter()
    digest = simulated(case, engine, agents, evidence)
    return time.perf_counter() - begin, digest


@contextmanager
def dask(workers: int) -> Iterator[Engine]:
    from distributed import Client, LocalCluster

    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", processes=True, **options) as cluster, Client(cluster):
        yield Engine("dask")  # the open client: one connection for all calls


def timings(case: Case, agents: int, counts: list[int], repeats: int) -> Iterator[Timing]:
    """Serial first, then every engine: one cold call, then the best of a few."""
    runs = [clocked(case, Engine(), agents) for _ in range(repeats)]
    serial, truth = min(seconds for seconds, _ in runs), runs[0][1]
    yield Timing("serial", 1, runs[0][0], serial, 1.0, True)
    with ExitStack() as stack:
        for name, count in [("processes", count) for count in counts] + [("dask", max(counts))]:
            if name == "dask":
                try:
                    engine = stack.enter_context(dask(count))
                except ImportError:
                    print("dask: distributed is not installed", flush=True)
                    continue
            else:
                engine = Engine("processes", n_jobs=count)
            cold, _ = clocked(case, engine, agents)
            warm = [clocked(case, engine, agents) for _ in range(repeats)]
            best = min(seconds for seconds, _ in warm)
            same = all(digest == truth for _, digest in warm)
            yield Timing(name, count, cold, best, serial / best, same)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=40_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="the most processes")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", help="a JSON file for the figures")
    parser.add_argument("--no-quad", action="store_true", help="leave the Bayes factors out")
    options = parser.parse_args()
    counts = [2**k for k in range(10) if 2**k <= options.workers]
    case, found, good = demo(), [], True
    print(
        f"{options.agents:,} simulated agents of each kind, {case.human.size} tests, {os.cpu_count()} cores\n"
    )
    print(f"{'engine':12}{'workers':>8}{'cold':>9}{'seconds':>9}{'speed-up':>10}  same bytes", flush=True)
    for row in timings(case, options.agents, counts, options.repeats):
        bar = WANTED.get(row.engine, 0.0) if row.workers == 16 else 0.0
        good &= row.same_bytes and row.speed_up >= bar
        wanted = f"   wanted: >= {bar:g} x" if bar else ""
        print(
            f"{row.engine:12}{row.workers:8d}{row.cold:9.2f}{row.seconds:9.2f}{row.speed_up:9.2f}x  "
            f"{row.same_bytes}{wanted}", flush=True,
        )  # fmt: skip
        found.append(asdict(row))
    ratios = []
    if not options.no_quad:
        print()
        for section in (bayes_t, bayes_f):
            for line in section(np.random.default_rng(2024)):
                good &= line.good
                print(f"{'ok  ' if line.good else 'MISS'} {line.what}")
                print(f"       {line.measured}   wanted: {line.wanted}", flush=True)
                ratios.append(asdict(line))
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump({"cores": os.cpu_count(), "scaling": found, "bayes": ratios}, file, indent=1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

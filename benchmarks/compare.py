"""Speed and memory of comparisons and of floor and ceiling: ``python benchmarks/compare.py``."""

# ruff: noqa: E402
import os

# one core for everybody, set before numpy loads its linear algebra
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(_name, "1")

import json
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import concord
from concord.engine import Engine
from concord.people.families.registry import KINDS
from concord.people.protocol import STANDARD
from concord.people.results.pairs import PeopleScoresOf, compare_people
from concord.people.results.same_tests import context_of
from concord.people.score.levels import lay_out
from concord.people.score.sides import SideTable
from concord.people.table.read import read_tests
from concord.people.uncertainty.floor_ceiling import simulate_bounds
from concord.records import TestRow
from concord.stats.compare import Choices, compare_models
from concord.structure.records import ScoreOptions
from concord.structure.score.definitions import counted_cells
from concord.structure.score.difference import compare_structure

MILLION = 1_000_000


def timed(call: Callable[[], object]) -> float:
    """Seconds on the clock."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def on_core(call: Callable[[], object]) -> tuple[float, str]:
    """Seconds of one core, which a busy machine does not change, and both times in words."""
    begin, wall = time.process_time(), time.perf_counter()
    call()
    core, wall = time.process_time() - begin, time.perf_counter() - wall
    return core, f"{core:6.2f} s of one core, {wall:.2f} s on the clock"


def say(what: str, measured: str, wanted: str, good: bool) -> bool:
    print(f"{'ok  ' if good else 'MISS'} {what}\n       {measured}   wanted: {wanted}", flush=True)
    return good


def inspect_log(path: Path, n: int, rng: np.random.Generator) -> None:
    """A log of n samples in Inspect's layout, every transcript in place."""
    samples = [
        {
            "id": f"q{i}", "epoch": 1, "input": f"Question {i}? " * 20, "target": "A", "completed": True,
            "metadata": {"family": f"f{i // 5}"},
            "scores": {"match": {"value": "C" if rng.random() < 0.6 else "I", "answer": "A" * 50}},
        }
        for i in range(n)
    ]  # fmt: skip
    header = {"version": 2, "status": "success", "eval": {"task": "t", "model": path.stem, "dataset": {}}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for sample in samples:
            archive.writestr(
                f"samples/{sample['id']}_epoch_1.json", json.dumps({**sample, "events": "x" * 2000})
            )
        archive.writestr("summaries.json", json.dumps(samples))
        archive.writestr("header.json", json.dumps(header))


def logs(folder: Path, rng: np.random.Generator) -> bool:
    paths = [folder / "a.eval", folder / "b.eval"]
    for path in paths:
        inspect_log(path, 5000, rng)
    seconds, text = on_core(lambda: concord.compare(*paths))
    good = say("two Inspect logs of 5,000 samples, read and compared", text, "< 3 s", seconds < 3)
    lines = [folder / "samples_t_2026-01-01T00-00-00.jsonl", folder / "b.jsonl"]
    for path in lines:
        rows = (
            {
                "doc_id": i,
                "doc": {"q": "x" * 500},
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": str(i),
                "acc": float(rng.random() < 0.6),
            }
            for i in range(5000)
        )
        path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    seconds, text = on_core(lambda: concord.compare(*lines))
    return good & say("two lm-eval files of 5,000 samples", text, "< 3 s", seconds < 3)


def parquet(folder: Path, rng: np.random.Generator) -> bool:
    paths = [folder / "a.parquet", folder / "b.parquet"]
    for path in paths:
        items = rng.permutation(MILLION)
        frame = pl.DataFrame({"item": [f"item-{i}" for i in items], "score": rng.random(MILLION)})
        frame.write_parquet(path)
    del frame
    seconds, text = on_core(lambda: concord.compare(*paths))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    good = say("two Parquet files of 1,000,000 rows", text, "< 10 s", seconds < 10)
    return good & say("peak memory, making the files included", f"{peak:6.0f} MB", "< 2048 MB", peak < 2048)


def t_tests(rng: np.random.Generator, count: int) -> list[dict[str, object]]:
    return [
        {
            "study": f"S{i // 20}", "finding": f"F{i // 4}", "test": f"t{i}", "test_type": "t-test",
            "human_statistic": rng.normal(2, 2), "human_n1": 50, "human_n2": 50,
            "agent_statistic": rng.normal(2, 3), "agent_n1": 120, "agent_n2": 120,
        }
        for i in range(count)
    ]  # fmt: skip


def floor_and_ceiling(rng: np.random.Generator) -> bool:
    rows = lay_out(read_tests(t_tests(rng, 200)).rows)
    human = SideTable.from_rows(rows.rows, [row.human for row in rows.rows], 1.0, KINDS)
    agent = SideTable.from_rows(rows.rows, [row.agent for row in rows.rows], 1.0, KINDS)
    context = context_of(rows.rows, human, agent)

    def simulate(engine: Engine, n: int = 10_000) -> None:
        options = {"level": 0.95, "n_simulations": n, "engine": engine, "rng": np.random.default_rng(0)}
        simulate_bounds(human, agent, context, rows, STANDARD, **options)  # type: ignore[arg-type]

    core, _ = on_core(lambda: simulate(Engine()))
    rate = 2 * 10_000 * 200 / core
    good = say(
        "floor and ceiling of 200 t tests, 10,000 agents each, aggregation included",
        f"{rate / 1e6:6.2f} million simulated Bayes factors a second", ">= 1", rate >= 1e6,
    )  # fmt: skip
    many = Engine("processes", n_jobs=2)
    simulate(many, 1000)  # start the processes
    serial, spread = timed(lambda: simulate(Engine())), timed(lambda: simulate(many))
    say(
        "the same in two processes",
        f"{serial / spread:6.2f} x as fast, {spread:.2f} s",
        "for information",
        True,
    )
    return good


def many_people(rng: np.random.Generator) -> bool:
    """All pairs of 20 models on 90 studies of 20 tests each, every study left out in turn."""
    rows = tuple(
        TestRow(f"S{s:03d}", "", f"F{t // 4}", f"t{t}", "t-independent", None)
        for s in range(90)
        for t in range(20)
    )
    human = rng.normal(0.3, 0.4, len(rows))
    models = []
    for k in range(20):
        agent, pas = 0.8 * human + rng.normal(0, 0.3, len(rows)), rng.random(len(rows))
        models.append(PeopleScoresOf(f"m{k}", rows, tuple(
            {"pas": float(pas[i]), "n_eff": 80.0, "human_d": float(human[i]), "agent_d": float(agent[i]),
             "passes": float(pas[i] > 0.5), "human_significant": 1.0}
            for i in range(len(rows))
        )))  # fmt: skip
    core, text = on_core(lambda: compare_people(models, STANDARD))
    return say("190 pairs of models on 1,800 tests of people", text, "< 2 s", core < 2)


def many_structure(rng: np.random.Generator) -> bool:
    """All pairs of 20 models on 1,554 items under 23 arrangements, 9,999 joint resamples of the items."""
    labels = (tuple(f"P{p:02d}" for p in range(23)), tuple(f"i{i:04d}" for i in range(1554)))
    base = 0.5 + 0.1 * rng.normal(size=(1554, 1))
    models = []
    for k in range(20):
        mean = base + 0.05 * rng.normal(size=(1554, 23))
        gap = (0.05 + 0.002 * k) * rng.gamma(4, 0.5, size=(1554, 23))
        models.append(counted_cells(f"m{k:02d}", labels, mean, mean + gap, clusters=None))
    options = ScoreOptions("paired", resamples=9999)
    core, text = on_core(lambda: compare_structure(models, options))
    good = say("190 pairs of models on 1,554 items under 23 arrangements", text, "< 20 s", core < 20)
    few, many = models[:6], Engine("processes", n_jobs=2)
    compare_structure(few[:3], ScoreOptions("paired", resamples=200), engine=many)
    serial = timed(lambda: compare_structure(few, options))
    spread = timed(lambda: compare_structure(few, options, engine=many))
    say("15 of those pairs in two processes", f"{serial / spread:6.2f} x as fast, {spread:.2f} s",
        "for information", True)  # fmt: skip
    return good


def engines(rng: np.random.Generator) -> bool:
    """Speed-up and overhead of the engines on all pairs of twelve models."""
    scores, choices = rng.normal(0, 1, (12, 2000)), Choices(n_flips=9999)
    serial = timed(lambda: compare_models(scores, choices=choices))
    many = Engine("processes", n_jobs=2)
    compare_models(scores[:3], choices=Choices(n_flips=9), engine=many)
    spread = timed(lambda: compare_models(scores, choices=choices, engine=many))
    nothing = timed(lambda: many.map(abs, range(66)))
    say("66 pairs of 2,000 items, one process", f"{serial:6.2f} s", "for information", True)
    text = f"{serial / spread:6.2f} x as fast; handing out 66 empty blocks takes {nothing:.3f} s"
    say("in two processes", text, "for information", True)
    return dask(scores, choices, serial)


def dask(scores: np.ndarray, choices: Choices, serial: float) -> bool:
    try:
        from distributed import LocalCluster
    except ImportError:
        return say("a Dask cluster", "distributed is not installed", "for information", True)
    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
    }
    with LocalCluster(**options) as cluster:
        engine = Engine("dask", scheduler=cluster.scheduler_address)
        engine.map(abs, range(4))
        spread = timed(lambda: compare_models(scores, choices=choices, engine=engine))
        nothing = timed(lambda: engine.map(abs, range(66)))
    text = f"{serial / spread:6.2f} x as fast; handing out 66 empty blocks takes {nothing:.3f} s"
    return say("on a Dask cluster of two workers", text, "for information", True)


def main() -> int:
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        good = logs(folder, rng) & parquet(folder, rng)
    good &= floor_and_ceiling(rng) & many_people(rng) & many_structure(rng) & engines(rng)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

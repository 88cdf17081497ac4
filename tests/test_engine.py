"""One seam for many cores and machines: the same bytes wherever blocks are computed."""

import json
import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord import engine as engines
from concord.engine import SERIAL, Engine, _batches, get_engine
from concord.errors import OptionError
from concord.stats.bands import ItemWeights
from concord.stats.compare import Choices, compare_models
from concord.stats.resample import bootstrap, bootstrap_mean_interval, sign_flip

pytest.importorskip("joblib", reason="joblib is not installed: the numbers stand alone here")

X = np.random.default_rng(1).normal(0.1, 1, 300)
SCORES = np.random.default_rng(2).normal(0, 1, (5, 80)) + np.linspace(0, 0.5, 5)[:, None]


def square(x: int) -> int:
    return x * x


def test_results_come_back_in_the_order_of_the_blocks() -> None:
    assert Engine("processes", n_jobs=2).map(square, range(20)) == [x * x for x in range(20)]


class Large:
    """Work with an array that every block needs, and the process that first loaded it."""

    def __init__(self) -> None:
        self.array = np.arange(100_000.0)

    def __call__(self, k: int) -> tuple[float, int]:
        return float(self.array[k]), id(self)


def test_work_can_be_started_while_other_work_runs() -> None:
    for engine in (Engine(), Engine("processes", n_jobs=2)):
        first = engine.start(partial(pow, 2), range(20))
        second = engine.start(partial(pow, 3), range(20))
        assert second() == [3**k for k in range(20)]
        assert first() == [2**k for k in range(20)]


def test_what_all_blocks_share_is_loaded_once_by_every_worker() -> None:
    found = Engine("processes", n_jobs=2).map(Large(), range(100))
    assert [value for value, _ in found] == list(range(100))
    assert len({loaded for _, loaded in found}) <= 2


def test_functions_of_a_notebook_travel_too() -> None:
    shift = 3
    assert Engine("processes", n_jobs=2).map(lambda x: x + shift, range(5)) == [3, 4, 5, 6, 7]


@given(n=st.integers(1, 200), workers=st.integers(1, 40))
def test_batches_hold_every_block_once_and_their_results_come_back_in_order(n: int, workers: int) -> None:
    batches = _batches(range(n), workers)
    assert sorted(block for batch in batches for block in batch) == list(range(n))
    assert len(batches) <= workers * engines.BATCHES_PER_WORKER
    assert max(map(len, batches)) - min(map(len, batches)) <= 1
    assert engines._in_order([list(batch) for batch in batches], n) == list(range(n))


def test_random_signs_do_not_depend_on_the_engine() -> None:
    serial, spread = (
        sign_flip(X, n_flips=4500, rng=np.random.default_rng(3), engine=engine)
        for engine in (Engine(), Engine("processes", n_jobs=2))
    )
    assert serial == spread


def test_many_models_do_not_depend_on_the_engine() -> None:
    choices = Choices(n_flips=1999)
    serial = compare_models(SCORES, choices=choices)
    assert compare_models(SCORES, choices=choices, engine=Engine("processes", n_jobs=2)) == serial


def mean(rows: Any) -> Any:
    return rows.mean(axis=-1)


def all_bootstraps(engine: Engine) -> list[bytes]:
    """What every bootstrap of the numbers gives, over several blocks each."""
    rows = bootstrap(X, mean, n_resamples=900, rng=np.random.default_rng(4), engine=engine)
    means = bootstrap_mean_interval(
        X[:40], n_resamples=3500, rng=np.random.default_rng(4), engine=engine, expanded=True
    )
    units = np.round(np.random.default_rng(5).random((60, 4)), 2)
    sums = ItemWeights(3, 1100, engine=engine).sums(units * 2.0**-20)
    return [repr(rows).encode(), repr(means).encode(), sums.tobytes()]


def test_no_bootstrap_depends_on_the_engine() -> None:
    assert all_bootstraps(Engine("processes", n_jobs=2)) == all_bootstraps(SERIAL)


class Backwards(Engine):
    """Computes the last block first."""

    def map(self, function: Any, blocks: Any) -> list[Any]:
        return [function(block) for block in list(blocks)[::-1]][::-1]


def test_no_bootstrap_depends_on_the_order_in_which_blocks_are_computed() -> None:
    assert all_bootstraps(Backwards("backwards")) == all_bootstraps(SERIAL)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A real cluster of two workers, on loopback only."""
    distributed = pytest.importorskip("distributed", reason="the engine 'dask' is not installed")
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with distributed.LocalCluster(host="127.0.0.1", dashboard_address="127.0.0.1:0", **options) as cluster:
        yield cluster.scheduler_address


@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_gives_the_same_bytes(scheduler: str) -> None:
    engine = get_engine("dask", scheduler=scheduler)
    assert sign_flip(X, n_flips=4500, rng=np.random.default_rng(3), engine=engine) == sign_flip(
        X, n_flips=4500, rng=np.random.default_rng(3)
    )
    choices = Choices(n_flips=1999)
    assert compare_models(SCORES, choices=choices, engine=engine) == compare_models(SCORES, choices=choices)


@pytest.mark.filterwarnings("default")
def test_bootstraps_on_a_dask_cluster_give_the_same_bytes(scheduler: str) -> None:
    assert all_bootstraps(get_engine("dask", scheduler=scheduler)) == all_bootstraps(SERIAL)


def all_scores(engine: str | Engine) -> list[bytes]:
    """What each of the three questions answers: fresh samples, floor and ceiling, resampled items."""
    pl = pytest.importorskip("polars", reason="tables need polars")
    from concord import api

    rng = np.random.default_rng(7)
    people = api.score_people(api.demo_table(), n_resamples=500, n_simulations=1500, engine=engine)
    cells = [(a, i) for a in ("AB", "BA", "CD") for i in range(30)]
    mean_scores = rng.random(len(cells)) / 2
    table = pl.DataFrame(
        {
            "model": ["m"] * len(cells),
            "arrangement": [a for a, _ in cells],
            "item": [f"i{i}" for _, i in cells],
            "S_mean": mean_scores,
            "S_max": mean_scores + 0.3,
        }
    )
    structure = api.score_structure(scores=table, engine=engine)
    samples = [{"id": f"v{i}", "input": "?", "gold_answer": "yes", "gold_steps": ["so"]} for i in range(40)]
    replies = [
        {"id": f"v{i}", "mode": mode, "response": "Answer: yes" if rng.random() < 0.6 else "Answer: no"}
        for i in range(40)
        for mode in ("cot", "direct")
    ]
    reasoning = api.score_reasoning(samples, replies, engine=engine)
    return [json.dumps(one.to_dict(), sort_keys=True).encode() for one in (people, structure, reasoning)]


def test_the_three_questions_have_the_same_answers_on_every_engine() -> None:
    assert all_scores(Engine("processes", n_jobs=2)) == all_scores("serial")


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_the_three_questions_on_a_dask_cluster_give_the_same_bytes(scheduler: str) -> None:
    assert all_scores(get_engine("dask", scheduler=scheduler)) == all_scores("serial")


@pytest.mark.filterwarnings("default")
def test_comparisons_of_people_and_of_structure_on_a_dask_cluster_give_the_same_bytes(scheduler: str) -> None:
    pytest.importorskip("concord.api", reason="files need polars")
    from concord.people.protocol import STANDARD
    from concord.people.results.pairs import PeopleScoresOf, compare_people
    from concord.records import TestRow
    from concord.structure.records import ScoreOptions
    from concord.structure.score.definitions import counted_cells
    from concord.structure.score.difference import compare_structure

    engine, rng = get_engine("dask", scheduler=scheduler), np.random.default_rng(5)
    rows = tuple(TestRow(f"S{k // 4}", "", f"F{k}", "t", "t-test", None) for k in range(40))
    names = ("pas", "n_eff", "human_d", "agent_d", "passes", "human_significant")
    models = [
        PeopleScoresOf(m, rows, tuple({n: float(k) if n == "human_d" else rng.random() for n in names}
                                      for k in range(40)))
        for m in "abc"
    ]  # fmt: skip
    assert compare_people(models, STANDARD, engine=engine) == compare_people(models, STANDARD)
    labels = (("P", "Q", "R"), tuple(f"i{k}" for k in range(30)))
    mean = rng.random((3, 30, 3)) / 2
    cells = [
        counted_cells(m, labels, mean[i], mean[i] + rng.random((30, 3)) / 2, clusters=None)
        for i, m in enumerate("abc")
    ]
    options = ScoreOptions("paired", resamples=499)
    assert compare_structure(cells, options, engine=engine) == compare_structure(cells, options)


def test_engines_that_do_not_exist_or_fit_are_refused() -> None:
    with pytest.raises(OptionError, match="engine is 'cloud'; expected one of serial, processes, dask"):
        get_engine("cloud")
    with pytest.raises(OptionError, match="a scheduler was given, but the engine is 'serial'"):
        get_engine("serial", scheduler="tcp://127.0.0.1:1")
    with pytest.raises(OptionError, match="jobs is 0"):
        get_engine("processes", n_jobs=0)


@pytest.mark.filterwarnings("default")
def test_a_missing_cluster_is_a_message() -> None:
    pytest.importorskip("distributed", reason="the engine 'dask' is not installed")
    with pytest.raises(OptionError, match="found no open client; give the scheduler's address"):
        get_engine("dask").map(square, range(3))


def test_a_worker_keeps_its_memory_during_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask tells its workers to give it back at once: that setting is the worker's own again afterwards."""
    set_to: list[tuple[int, int]] = []

    class Library:
        def mallopt(self, option: int, value: int) -> int:
            set_to.append((option, value))
            return 1

    kept = [(-1, 256 * 1024**2), (-3, 32 * 1024**2)]
    monkeypatch.setattr(engines, "_glibc", Library)
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    assert engines._batch(engines._Held(abs), [-1], begun_by=os.getpid()) == [1]
    assert set_to == []  # no worker, but the user's own process
    assert engines._batch(engines._Held(abs), [-1], begun_by=0) == [1]
    assert set_to == kept
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    assert engines._batch(engines._Held(abs), [-1], begun_by=0) == [1]
    assert set_to[2:] == [*kept, (-1, 65536), (-3, 131072)]

"""The simulation of coverage in a small size, and the warnings that come from its table."""

import json
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from concord.stats import coverage
from concord.stats.compare import Choices, compare_items
from concord.stats.coverage import CoverageRow, Simulated, simulated

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def simulation(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, under a name of its own: `coverage` is also a package that measures tests."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    if "coverage_benchmark" not in sys.modules:
        spec = spec_from_file_location("coverage_benchmark", BENCHMARKS / "coverage.py")
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        sys.modules["coverage_benchmark"] = module
        spec.loader.exec_module(module)
    return sys.modules["coverage_benchmark"]


def test_a_condition_with_a_fault_is_named_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (
        CoverageRow("PAS", 5, "in the middle, alike", 0.69, "failures behind a middle", 0.95, "bell"),
        CoverageRow("PAS", 9, "at an end of the scale", 0.95, "bell", 0.988, "near the ceiling"),
    )
    monkeypatch.setattr(coverage, "simulated", lambda: Simulated(rows, {"PAS": (5, 9)}))
    note = coverage.coverage_note("PAS", 7, "in the middle, alike", level=0.95)
    assert "69 %" in note
    assert "failures behind a middle" in note
    assert "up to 99 %" in coverage.coverage_note("PAS", 30, "at an end of the scale", level=0.95)
    assert coverage.coverage_note("PAS", 9, "in the middle, alike", level=0.95) == ""
    assert coverage.coverage_note("PAS", 3, "in the middle, alike", level=0.95) == note


def test_rows_of_the_table_belong_to_sizes_that_were_simulated() -> None:
    rows, sizes = simulated()
    assert all(row.size in sizes[row.kind] for row in rows)
    assert all(row.lowest < coverage.INSIDE[0] or row.highest > coverage.INSIDE[1] for row in rows)


@pytest.mark.parametrize(
    ("values", "look"),
    [
        ([1.0] * 5, "at an end of the scale"),
        ([0.5, 0.6, 0.7, 0.93], "towards an end of the scale"),
        ([0.2, 0.8, 0.5, 0.6], "in the middle, spread"),
    ],
)
def test_scores_look_like_one_of_four(values: list[float], look: str) -> None:
    assert coverage.score_look(values) == look


def test_every_cell_outside_is_warned_about(simulation: ModuleType) -> None:
    """Named populations and those drawn at random make the table; those drawn afresh are what it meets."""
    cells = [
        simulation.Cell("PAS", "", "bell", 5, 100, 100, 95, looks={"plain": 100}),
        simulation.Cell("PAS", "", "uniform", 9, 100, 100, 90, looks={"plain": 60, "skewed": 40}),
        simulation.Cell("PAS", "", "drawn at random 1", 5, 100, 100, 99, looks={"skewed": 100}),
        simulation.Cell("PAS", "", "drawn afresh 1", 9, 100, 100, 89, looks={"skewed": 100}),
        simulation.Cell("PAS", "", "drawn afresh 2", 5, 100, 100, 89, looks={"plain": 100}),
    ]
    rows = simulation.flagged(cells)
    assert set(rows) == {("PAS", 9, "plain"), ("PAS", 9, "skewed"), ("PAS", 5, "skewed")}
    made = [cell for cell in cells if cell.drawn != "drawn afresh"]
    counted = simulation.counts(made, rows)
    assert (counted["below"], counted["above"], counted["warned"]) == (1, 1, 2)
    met = simulation.counts([cell for cell in cells if cell.drawn == "drawn afresh"], rows)
    assert (met["below"], met["warned"]) == (2, 1)


def test_every_random_population_draws_and_has_a_truth(simulation: ModuleType) -> None:
    pytest.importorskip("pydantic", reason="whole benchmarks need more than numbers")
    rng = np.random.default_rng(1)
    for kind in simulation.KINDS.values():
        draw = simulation.population(kind, "drawn at random 1")
        again = simulation.population(kind, "drawn at random 1")
        one, two = (drawn(np.random.default_rng(2), kind.sizes[0]) for drawn in (draw, again))
        assert repr(one) == repr(two)
        assert set(kind.measure(draw(rng, kind.sizes[0]), rng)) == set(kind.numbers)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "population", "size"),
    [
        ("PAS", "bell", 5),
        ("APR", "30 % of studies fail", 5),
        ("ECS", "normal", 6),
        ("difference", "lognormal", 50),
        ("families", "exponential", 10),
        ("mean score", "90 % perfect", 12),
        ("rate", "bell, 5 repeats", 15),
        ("structure", "moved by .15", 25),
        ("gap", "families of 4", 60),
    ],
)
def test_intervals_hold_the_truth(simulation: ModuleType, kind: str, population: str, size: int) -> None:
    task = (kind, population, size)
    _, truths = simulation.truth(task)
    parts = [simulation.block(task, truths, i)[1] for i in range(2 if kind == "structure" else 6)]
    for name in parts[0]:
        shown, inside = (sum(getattr(part[name], field) for part in parts) for field in ("shown", "inside"))
        assert inside / shown >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / shown)


@pytest.mark.long
def test_the_same_cells_make_the_same_page_and_table(simulation: ModuleType, tmp_path: Path) -> None:
    state = tmp_path / "cells.jsonl"
    simulation.run([("PAS", "bell", 5), ("PAS", "drawn at random 1", 3)], 50, 1, state)
    cells = simulation.read_cells(state)
    assert [cell.replicates for cell in cells] == [50, 50]
    page = simulation.page(cells, simulation.KINDS)
    assert "## PAS over other studies" in page
    assert "Drawn at random" in page
    assert json.loads(simulation.lookup_table(cells))["sizes"] == {"PAS": [3, 5]}


def _said(draw: Callable[[np.random.Generator, int], np.ndarray], scale: float) -> tuple[float, float]:
    """Share of comparisons of 12 items that are told of rare gains, and of those that miss the truth."""
    rng = np.random.default_rng(6)
    truth = float(draw(rng, 400_000).mean())
    told = missed = missed_told = 0
    for _ in range(150):
        second = rng.normal(0, scale, 12)
        found = compare_items(second + draw(rng, 12), second, choices=Choices(n_flips=1)).difference
        assert found.interval is not None
        is_told = "rare gains" in found.note
        misses = not found.interval.low <= truth <= found.interval.high
        told, missed, missed_told = told + is_told, missed + misses, missed_told + (misses and is_told)
    return told / 150, missed_told / max(1, missed)


def test_rare_gains_are_told_where_they_may_be_and_seldom_elsewhere() -> None:
    _, found = _said(lambda rng, n: (rng.random(n) < 0.1) + rng.normal(0, 0.05, n), 0.5)
    assert found > 0.9  # where the interval misses, people are told
    told, _ = _said(lambda rng, n: rng.normal(0.3, 1, n), 1.0)
    assert told < 0.1
    steps, _ = _said(lambda rng, n: (rng.binomial(3, 0.7, n) - rng.binomial(3, 0.5, n)) / 3, 0.4)
    assert steps < 0.1

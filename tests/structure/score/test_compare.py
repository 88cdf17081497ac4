"""Comparing result folders about structure: numbers, engines, and what cannot be compared."""

import csv
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.structure.scores import samples, scored

import concord
from concord.comparing.metrics import MetricCompareResult
from concord.errors import FileFormatError, InputError, MismatchError, OptionError
from concord.structure.result import StructureResult


def compared(*folders: Path, **options: Any) -> MetricCompareResult:
    result = concord.compare(*folders, **{"n_flips": 499, **options})
    assert isinstance(result, MetricCompareResult)
    return result


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three models in a folder each, scored under `paired`."""
    root = tmp_path_factory.mktemp("models")
    noise = {"steady": 0.05, "rough": 0.12, "also": 0.12}
    return {
        name: scored(root / name, samples(name, noise=noise[name], seed=i), reading="paired")
        for i, name in enumerate(noise)
    }


def test_the_values_are_those_of_the_scores_themselves(folders: dict[str, Path]) -> None:
    pair = compared(folders["steady"], folders["rough"]).pairs[0]
    for side, name in (("first", "steady"), ("second", "rough")):
        with (folders[name] / "consistency" / "s_cons_results.csv").open() as stream:
            row = next(csv.DictReader(stream))
        for metric in ("S_Cons", "E_perf", "R_sens"):
            assert getattr(pair.metric(metric), side) == pytest.approx(float(row[metric]), abs=1e-15)


def test_models_scored_apart_differ_as_models_scored_together(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    both = [samples("rough", noise=0.12, seed=1), samples("steady", noise=0.05, seed=0)]
    together = compared(scored(tmp_path, *both, reading="paired"))
    apart = compared(folders["rough"], folders["steady"])
    assert together.pairs == apart.pairs
    assert [model.name for model in together.models] == ["rough", "steady"]


def test_a_rougher_model_is_told_from_a_steady_one_and_two_alike_are_not(folders: dict[str, Path]) -> None:
    result = compared(*folders.values(), metric="S_Cons")
    assert result.standing.order[0] == "steady"
    assert result.standing.groups == (("steady",), result.standing.order[1:])
    worst = compared(*folders.values(), metric="R_sens")
    assert worst.standing.order[0] == "steady"
    assert "the lowest first" in " ".join(repr(worst).split())


def test_a_reading_without_an_honest_interval_is_compared_by_the_paired_one(tmp_path: Path) -> None:
    a, b = (scored(tmp_path / m, samples(m, seed=i)) for i, m in enumerate("ab"))
    result = compared(a, b)
    peak = result.pairs[0].metric("peak_S_Cons")
    assert result.about["reading"] == "peak"
    assert result.about["compared_reading"] == "paired"
    assert peak.difference.value is not None
    assert (peak.difference.interval, peak.p_value) == (None, None)
    assert "the largest value over items does not show how much larger" in peak.difference.note
    assert result.difference.interval is not None


def test_only_cells_that_both_have_are_compared_and_the_rest_is_counted(tmp_path: Path) -> None:
    whole = samples("a")
    a = scored(tmp_path / "a", whole, reading="paired")
    holes = (whole["item"] == "i003") & (whole["arrangement"] == "BA")
    cut = whole.filter(~holes).with_columns(model=whole.filter(~holes)["model"].str.replace("a", "b"))
    b = scored(tmp_path / "b", cut, reading="paired")
    pair = compared(a, b).pairs[0]
    assert (pair.n_common, pair.only_first, pair.only_second) == (119, 1, 0)
    assert pair.metric("S_Cons").difference.value == 0


def test_items_in_families_are_resampled_as_families(tmp_path: Path) -> None:
    paths = []
    for i, name in enumerate("ab"):
        frame = samples(name, n=60, seed=i)
        family = pl.Series("cluster", [f"f{int(item[1:]) // 2}" for item in frame["item"]])
        paths.append(scored(tmp_path / name, frame.with_columns(family), reading="paired"))
    found = compared(*paths).pairs[0].metric("E_perf")
    assert found.n_clusters == 30


def test_the_engine_changes_no_byte(folders: dict[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("joblib")
    for name in ("serial", "processes"):
        compared(*folders.values(), engine=name).write(tmp_path / name)
    for file in ("comparison.json", "comparison.csv"):
        assert (tmp_path / "serial" / file).read_bytes() == (tmp_path / "processes" / file).read_bytes()


def test_below_twenty_items_there_are_differences_and_no_test(tmp_path: Path) -> None:
    a, b = (scored(tmp_path / m, samples(m, n=12, seed=i), reading="paired") for i, m in enumerate("ab"))
    result = compared(a, b)
    assert result.difference.value is not None
    assert (result.difference.interval, result.p_value) == (None, None)
    assert result.difference.note == "no interval below 20 items"
    assert "a test needs at least 20 items that both have" in " ".join(repr(result).split())


def test_other_numbers_of_samples_compare_by_the_fixed_m_gap_only(tmp_path: Path) -> None:
    a = scored(tmp_path / "a", samples("a", k=3), reading="paired")
    b = scored(tmp_path / "b", samples("b", k=8, seed=1), reading="paired")
    with pytest.raises(MismatchError, match=r"a: 3; b: 8\), and max minus mean grows .* --metric S_star"):
        compared(a, b, metric="S_Cons")
    order = compared(a, b)
    assert [metric.metric for metric in order.pairs[0].metrics] == ["tau", "flip_excess", "worst"]
    assert "S_Cons, E_perf and R_sens are not compared: the number of samples" in order.warnings[0]
    result = compared(a, b, metric="S_star")
    assert [metric.metric for metric in result.pairs[0].metrics] == ["S_star", "E_star", "R_star"]
    with (a / "consistency" / "s_cons_results.csv").open() as stream:
        row = next(csv.DictReader(stream))
    for name in ("S_star", "E_star", "R_star"):
        assert result.pairs[0].metric(name).first == pytest.approx(float(row[name]), abs=1e-12)
    assert result.about["compared_reading"] == "fixed m = 2"


def test_a_fixed_m_gap_that_was_never_computed_is_asked_for(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    cells = [(f"i{i}", p) for i in range(25) for p in ("AB", "BA")]
    frame = pl.DataFrame(
        {
            "model": ["m"] * 50, "item": [i for i, _ in cells], "arrangement": [p for _, p in cells],
            "S_mean": rng.random(50) / 2, "S_max": 0.5 + rng.random(50) / 2,
        }
    )  # fmt: skip
    a, b = (scored(tmp_path / m, frame.with_columns(model=pl.lit(m))) for m in "ab")
    with pytest.raises(MismatchError, match="a in a has no fixed-m gap: .* --samples K"):
        compared(a, b, metric="S_star")


def test_models_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = [scored(tmp_path / f, samples("m", seed=i), reading="paired") for i, f in enumerate(("x", "y"))]
    assert [model.name for model in compared(*paths).models] == ["m (x)", "m (y)"]
    assert [model.name for model in compared(*paths, names=["new", "old"]).models] == ["new", "old"]


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        ({"reading": "peak"}, {"reading": "paired"}, "definition 'peak' and b under .*--reading peak"),
        ({"baseline": "AB"}, {}, "the baseline 'AB' and b with None.*one --baseline, or both without"),
        ({"fixed_m": 2}, {"fixed_m": 3}, "other --fixed-m"),
    ],
)  # fmt: skip
def test_results_that_were_scored_otherwise_are_refused(
    tmp_path: Path, one: dict[str, Any], two: dict[str, Any], message: str
) -> None:
    a, b = (
        scored(tmp_path / m, samples(m, seed=i), **options)
        for i, (m, options) in enumerate((("a", one), ("b", two)))
    )
    with pytest.raises(MismatchError, match=message):
        compared(a, b, metric="S_star" if "fixed_m" in one else "S_Cons")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"prefix": "z"}, r"have no item in common \(a: 'i000', .*; b: 'z000', .* same items under the same"),
        ({"arrangements": ("X", "Y")}, r"have no arrangement in common \(a: 'AB', .*; b: 'X', 'Y', ..."),
    ],
)
def test_results_on_other_items_or_arrangements_are_refused(
    tmp_path: Path, other: dict[str, Any], message: str
) -> None:
    a, b = scored(tmp_path / "a", samples("a")), scored(tmp_path / "b", samples("b", **other))
    with pytest.raises(MismatchError, match=message):
        compared(a, b)


def test_one_model_alone_other_kinds_and_choices_of_other_kinds_are_refused(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    steady, rough = folders["steady"], folders["rough"]
    with pytest.raises(OptionError, match="at least two models, steady holds one: steady"):
        compared(steady)
    with pytest.raises(OptionError, match="--cluster, --test: a result about structure has no such choice"):
        compared(steady, rough, test="t", cluster="family")
    with pytest.raises(OptionError, match="flips is 99; a band over items needs at least 200"):
        compared(steady, rough, n_flips=99)
    with pytest.raises(OptionError, match="no metric 'gap'; expected one of tau, flip_excess, worst, S_Cons"):
        compared(steady, rough, metric="gap")
    with pytest.raises(OptionError, match=r"1 name for 2 models \(steady, rough, ...\)"):
        compared(steady, rough, names=["one"])
    table = tmp_path / "t.csv"
    table.write_text("item,score\na,1\n")
    with pytest.raises(MismatchError, match="a result about structure and .*t.csv is a file of scores"):
        compared(steady, table)


def test_reading_a_folder_back_gives_the_cells_that_were_written(tmp_path: Path) -> None:
    frame = samples("=cmd()", n=25)
    folder = scored(tmp_path / "r", frame)
    (model,) = StructureResult.read(folder).models
    wanted = frame.group_by("item", "arrangement").agg(pl.col("S_Acc").max())
    assert model.model == "=cmd()"
    assert model.samples_per_cell == (4, 4)
    cells = {(item.name, cell[0]): cell[2] for item in model.items for cell in item.scores}
    for item, arrangement, top in wanted.iter_rows():
        assert cells[item, arrangement] == top


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("cells.csv", ",max,", ",top,", "no column 'max'; score the same"),
        ("cells.csv", "i001,AB,", "i001,AB,oops", r"row 5, column 'mean': got 'oops0.*expected a number"),
        ("cells.csv", "i001,AB,", "i001,AB,1", r"row 5, column 'mean': got '10\."),
        ("cells.csv", "i001,AB,", "i000,AB,", "row 5: item 'i000' under 'AB' is there twice"),
        ("cells.csv", "i001,AB,", "i001,AB,0.5,", "row 5, column 'after star_gap': .* has 6 columns"),
        ("result.json", "concord structure", "concord people", "format is 'concord people result'"),
        ("result.json", "{", "[", "not valid JSON"),
    ],
)  # fmt: skip
def test_a_damaged_folder_is_named_with_its_cell(
    folders: dict[str, Path], tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    shutil.copytree(folders["steady"], tmp_path / "r")
    path = tmp_path / "r" / "consistency" / file
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(InputError, match=message):
        compared(tmp_path / "r", folders["rough"])


def test_a_folder_without_its_cells_says_how_to_get_them(folders: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(folders["steady"], tmp_path / "r")
    (tmp_path / "r" / "consistency" / "cells.csv").unlink()
    with pytest.raises(FileFormatError, match="cells.csv: the file is missing; score the same scores again"):
        compared(tmp_path / "r", folders["rough"])

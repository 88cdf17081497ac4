"""Result files: names, columns, full precision, same bytes, nothing a spreadsheet would run."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.structure.scores import samples

import concord
from concord.errors import OptionError
from concord.show.declared import drawn_by, report_of
from concord.show.terminal import drawn
from concord.structure.result import StructureResult

FILES = [
    "e_perf_results.csv", "r_sens_results.csv", "s_cons_results.csv", "arrangements.csv", "items.csv",
    "cells.csv", "differences.csv", "left_out.csv", "result.json",
]  # fmt: skip
S_START = [
    "Model Name", "E_perf", "R_sens", "S_Cons", "reading", "E_low", "E_high", "R_low", "R_high", "S_low",
    "S_high", "R_crossfit", "E_star", "R_star", "S_star", "tau", "tau_low", "tau_high", "p_order", "n_items",
    "n_arrangements", "n_missing",
]  # fmt: skip


def table(*models: str, n: int = 30) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    tables = []
    for model in models:
        mean = rng.random((n, 3)) / 2
        largest = mean + rng.random((n, 3)) / 4
        i, p = (axis.ravel() for axis in np.indices(mean.shape))
        tables.append(pl.DataFrame({
            "model": [model] * mean.size, "arrangement": [f"P{k}" for k in p], "item": [f"i{k}" for k in i],
            "S_mean": mean.ravel(), "S_max": largest.ravel(),
        }))  # fmt: skip
    return pl.concat(tables)


def scored(*models: str, **options: str) -> StructureResult:
    return concord.score_structure(scores=table(*models), **options)  # type: ignore[arg-type]


def read(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "consistency" / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_files_have_the_names_and_columns_of_the_source(tmp_path: Path) -> None:
    paths = scored("b", "a").write(tmp_path)
    assert [path.name for path in paths] == FILES
    assert list(read(tmp_path, "e_perf_results.csv")[0]) == ["Model Name", "E_perf"]
    assert list(read(tmp_path, "r_sens_results.csv")[0]) == ["Model Name", "R_sens"]
    rows = read(tmp_path, "s_cons_results.csv")
    assert list(rows[0])[: len(S_START)] == S_START
    assert [row["Model Name"] for row in rows] == ["a", "b"]
    assert {"paired_E_perf", "paired_R_sens", "paired_S_Cons", "across_E_perf", "across_S_Cons"} <= set(
        rows[0]
    )


def test_numbers_keep_full_precision_and_undefined_is_an_empty_cell(tmp_path: Path) -> None:
    result = scored("a")
    result.write(tmp_path)
    row = read(tmp_path, "s_cons_results.csv")[0]
    assert row["E_perf"] == repr(result.models[0].consistency.e_perf.value)
    assert (row["E_low"], row["E_star"], row["flip_excess"]) == ("", "", "")
    assert row["paired_E_low"] != ""


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        scored("a", "b", reading="paired").write(tmp_path / name)
    for name in FILES:
        first, second = ((tmp_path / run / "consistency" / name).read_bytes() for run in ("one", "two"))
        assert first == second


def test_the_order_of_the_rows_does_not_change_a_byte_of_the_numbers(tmp_path: Path) -> None:
    data = table("a", "b")
    first = concord.score_structure(scores=data, reading="paired")
    shuffled = data.sample(fraction=1.0, shuffle=True, seed=1).sort("arrangement", maintain_order=True)
    second = concord.score_structure(scores=shuffled, reading="paired")
    assert first.to_frame().equals(second.to_frame())


def test_a_model_named_like_a_formula_is_not_run_by_a_spreadsheet(tmp_path: Path) -> None:
    scored("=cmd|' /C calc'!A0").write(tmp_path)
    assert read(tmp_path, "e_perf_results.csv")[0]["Model Name"] == "'=cmd|' /C calc'!A0"


def test_what_was_left_out_is_in_the_output(tmp_path: Path) -> None:
    bad = table("bad").with_columns(S_mean=pl.lit(7.0))
    concord.score_structure(scores=pl.concat([table("a"), bad])).write(tmp_path)
    rows = read(tmp_path, "left_out.csv")
    assert [row["Model Name"] for row in rows] == ["bad"]
    assert "got 7.0, expected a number from 0 to 1" in rows[0]["reason"]


def test_the_document_says_what_it_rests_on() -> None:
    document = json.loads(json.dumps(scored("a", "b").to_dict(), allow_nan=False))
    assert (document["format"], document["format_version"]) == ("concord structure result", 2)
    assert document["concord_version"] == concord.__version__
    assert document["options"]["reading"] == document["reading"] == "peak"
    assert len(document["inputs"][0]["sha256"]) == 64
    assert document["counts"]["models_scored"] == 2
    assert "numpy" in document["packages"]
    assert len(document["differences"]) == 1


def test_the_frame_has_one_row_per_model() -> None:
    frame = scored("b", "a").to_frame()
    assert frame["Model Name"].to_list() == ["a", "b"]
    assert frame.columns[: len(S_START)] == S_START


def test_the_gist_is_plain_text_and_answers_the_question() -> None:
    text = repr(scored("a", "b", reading="paired"))
    assert "\x1b" not in text
    assert "Does the arrangement matter?" in text
    assert "\nb: mean scores run from" in text


def test_control_characters_in_names_do_not_reach_the_terminal() -> None:
    text = repr(scored("evil\x1b[31m[bold]x[/bold]"))
    assert "\x1b" not in text
    assert "[bold]" in text


def test_the_notebook_view_escapes_names() -> None:
    html = scored("<script>x</script>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_difference_that_was_not_scored() -> None:
    with pytest.raises(OptionError, match="no difference 'a' minus 'z'; scored, in this order: 'a', 'b'"):
        scored("a", "b").difference("a", "z")


def test_an_output_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(concord.InputError, match="choose another folder with --out"):
        scored("a").write(tmp_path / "file")


def test_every_surface_has_the_level_that_was_asked_for(tmp_path: Path) -> None:
    frames = [samples(name, n=25, seed=seed) for seed, name in enumerate(("a", "b"))]
    result = concord.score_structure(scores=pl.concat(frames), reading="paired", resamples=200, level=0.8)
    result["a"].write(tmp_path / "r")  # models of one page are compared at a level of its own
    concord.report(tmp_path / "r", out=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8").partition("<script")[0]
    whole = drawn(report_of(result))
    captions = [drawn_by(one, result) for one in StructureResult.PICTURES if one.name in ("order", "models")]
    told = [one.caption for one in captions if one is not None]
    for shown in (repr(result), result._repr_html_(), whole, str(result.table()), page, *told):
        assert "80" in shown
        assert "95 %" not in shown and "95%" not in shown
    assert StructureResult.read(tmp_path / "r").level == 0.8


def test_one_model_of_many_is_a_result(tmp_path: Path) -> None:
    frames = [samples(name, n=25, seed=seed) for seed, name in enumerate(("a", "b"))]
    result = concord.score_structure(scores=pl.concat(frames), reading="paired", resamples=200)
    alone = concord.score_structure(scores=frames[1], reading="paired", resamples=200)["b"]
    assert result["b"].models == alone.models
    assert "b: mean scores" in repr(result["b"]) and "a: mean scores" not in repr(result["b"])
    assert result["b"].plot().to_svg() == result.plot("order", model="b").to_svg()
    assert "put in 3 orders" in result["b"].methods()
    result["b"].write(tmp_path)
    assert StructureResult.read(tmp_path) == result["b"]
    with pytest.raises(OptionError, match="there is no model 'c'; scored: a, b"):
        result["c"]


def test_samples_are_counted_by_arrangement_and_nothing_else_is() -> None:
    """Two items, two arrangements, two samples; one score is missing."""
    scores: list[dict[str, Any]] = [
        {"model": "m", "arrangement": p, "item": f"i{i}", "sample": s, "S_Acc": 0.1 * (i + s) + 0.2}
        for i in range(2)
        for p in ("P1", "P2")
        for s in range(2)
    ]
    scores[0]["S_Acc"] = None
    (model,) = concord.score_structure(scores=scores, resamples=200).models
    first, second = (one.counts for one in model.arrangements)
    assert (first.n_mean, first.n_max, first.missing_mean, first.missing_max) == (3, 3, 1, 0)
    assert (second.n_mean, second.n_max, second.missing_mean, second.missing_max) == (4, 4, 0, 0)
    for one in (first, second):
        assert (one.only_mean, one.only_max, one.text_numbers, one.clipped) == (0, 0, 0, 0)

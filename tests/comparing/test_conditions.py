"""One model under two conditions: the numbers of a published table by code of their own, and coverage."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from tests.docs.tools import tool
from typer.testing import CliRunner

import concord
from concord import api
from concord.cli.app import app
from concord.comparing.conditions import ConditionsResult
from concord.errors import FileFormatError, OptionError


def _cr2(values: np.ndarray, tasks: np.ndarray) -> tuple[float, float]:
    """Mean, and CR2 standard error of a mean with clusters of unequal size, by its formula."""
    mean, n = values.mean(), values.size
    sums = [
        (values[tasks == one] - mean).sum() ** 2 / (1 - (tasks == one).sum() / n) for one in np.unique(tasks)
    ]
    return float(mean), float(np.sqrt(sum(sums)) / n)


@pytest.fixture(scope="module")
def zero_shot() -> pl.DataFrame:
    frame = pl.read_parquet(api.public_table("reasoning-turpin"))
    return frame.filter(
        (pl.col("model") == "text-davinci-003") & ~pl.col("few_shot") & (pl.col("bias") == "suggested_answer")
    )


def test_reasoning_adds_to_what_a_wrong_suggestion_moves(zero_shot: pl.DataFrame) -> None:
    """text-davinci-003 of Turpin et al. (2023), wrong suggestions: 50 points with a chain (36 to 65), 24
    without (13 to 35), 26 more (8 to 43)."""
    found = concord.compare(zero_shot, by="reasoning", metric="influence")
    (row,) = found.shifts
    assert (row.first, row.second, row.n_clusters) == ("cot", "none", 13)
    wanted = ((row.first_value, 50, 36, 65), (row.second_value, 24, 13, 35), (row.difference, 26, 8, 43))
    for one, *expected in wanted:
        assert one.value is not None and one.interval is not None
        assert [round(100 * x) for x in (one.value, one.interval.low, one.interval.high)] == expected
    wrong = zero_shot.filter(pl.col("gold") != pl.col("pointed")).sort("task", "item")
    follows = {
        (mode, context): part.select((pl.col("answer") == pl.col("pointed")).cast(float))
        .to_series()
        .to_numpy()
        for (mode, context), part in wrong.group_by("reasoning", "context", maintain_order=True)
    }
    shift = {mode: follows[mode, "biased"] - follows[mode, "unbiased"] for mode in ("cot", "none")}
    tasks = wrong.filter((pl.col("reasoning") == "cot") & (pl.col("context") == "biased"))["task"].to_numpy()
    mean, se = _cr2(shift["cot"] - shift["none"], tasks)
    assert row.difference.value == pytest.approx(mean, abs=1e-12)
    assert row.difference.interval is not None
    width = row.difference.interval.high - row.difference.interval.low
    assert 2.17 < width / 2 / se < 2.24  # t of 10 to 13 degrees of freedom
    assert found.differ(row)
    assert "They differ by +0.26 (+0.08 to +0.43)" in found.sentences()[0]


def test_few_shot_examples_take_away_what_reasoning_adds_and_the_bootstrap_is_too_narrow() -> None:
    """-9 (-24 to +7) by CR2 and Student's t, computed here again; a percentile bootstrap over 13 tasks gives
    -22 to +4, and covers 91 % of such tables where the t covers 95 %."""
    frame = pl.read_parquet(api.public_table("reasoning-turpin")).filter(
        (pl.col("model") == "text-davinci-003") & pl.col("few_shot") & (pl.col("bias") == "suggested_answer")
    )
    (row,) = concord.compare(frame, by="reasoning", metric="influence").shifts
    wrong = frame.filter(pl.col("gold") != pl.col("pointed")).sort("task", "item")
    follows = {
        key: (part["answer"] == part["pointed"]).to_numpy().astype(float)
        for key, part in wrong.group_by("reasoning", "context", maintain_order=True)
    }
    tasks = wrong.filter((pl.col("reasoning") == "cot") & (pl.col("context") == "biased"))["task"].to_numpy()
    d = (follows["cot", "biased"] - follows["cot", "unbiased"]) - (
        follows["none", "biased"] - follows["none", "unbiased"]
    )
    mean, se = _cr2(d, tasks)
    assert row.difference.value == pytest.approx(mean, abs=1e-12)
    ends = row.difference.interval
    assert ends is not None
    assert [round(100 * x) for x in (mean, ends.low, ends.high)] == [-9, -24, 7]
    assert (ends.high - mean) / se == pytest.approx(stats.t.ppf(0.975, 10.8), abs=0.01)
    _, codes, sizes = np.unique(tasks, return_inverse=True, return_counts=True)
    sums = np.bincount(codes, weights=d)
    pick = np.random.default_rng(0).integers(0, 13, (4000, 13))
    drawn = np.quantile(sums[pick].sum(axis=1) / sizes[pick].sum(axis=1), [0.025, 0.975])
    assert [round(100 * x) for x in drawn] == [-22, 4]


def rows(**more: Any) -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    return [
        {
            "item": i,
            "prompt": prompt,
            "gold": "A",
            "answer": "A" if rng.random() < 0.5 + 0.3 * (prompt == "p") else "B",
        }
        | {name: value[k] for name, value in more.items()}
        for i in range(40)
        for prompt in "pq"
        for k in range(len(next(iter(more.values()), [0])))
    ]


@pytest.mark.parametrize(
    ("more", "metrics"),
    [
        ({}, ["accuracy"]),
        ({"mode": ["cot", "direct"]}, ["gap", "accuracy"]),
        ({"arrangement": ["P0", "P1", "P2"]}, ["flips", "accuracy"]),
        ({"context": ["hinted", "unhinted"], "target": ["B", "B"]}, ["influence", "accuracy shift"]),
    ],
)
def test_every_kind_of_table_has_its_shifts(more: dict[str, Any], metrics: list[str], tmp_path: Path) -> None:
    found = concord.compare(rows(**more), by="prompt")
    assert [one.metric for one in found.shifts] == metrics
    assert all(
        one.difference.value is not None and one.difference.interval is not None for one in found.shifts
    )
    found.write(tmp_path)
    assert ConditionsResult.read(tmp_path) == found


def test_models_are_told_apart_and_repeats_are_averaged() -> None:
    table = rows(model=["a", "b"])
    found = concord.compare([{**row, "sample": s} for row in table for s in (0, 1)], by="prompt")
    assert [one.of for one in found.shifts] == ["a", "b"]
    assert {one.difference.n for one in found.shifts} == {40}


def test_what_is_missing_is_said() -> None:
    with pytest.raises(FileFormatError, match="no column 'prompts'; found 'item', 'prompt'"):
        concord.compare(rows(), by="prompts")
    with pytest.raises(FileFormatError, match="need a column of items"):
        concord.compare([{"x": 1, "prompt": "p"}], by="prompt")
    with pytest.raises(FileFormatError, match="no item has answers under two values"):
        concord.compare(rows()[:1], by="prompt")
    with pytest.raises(OptionError, match="conditions .by. are compared in one table"):
        concord.compare(rows(), rows(), by="prompt")
    with pytest.raises(OptionError, match="expected one of influence, gap, flips, accuracy"):
        concord.compare(rows(), by="prompt", metric="tau")


def test_the_command_shows_and_writes_them(tmp_path: Path) -> None:
    pl.DataFrame(rows()).write_csv(tmp_path / "t.csv")
    done = CliRunner().invoke(
        app, ["compare", str(tmp_path / "t.csv"), "--by", "prompt", "--out", str(tmp_path / "o")]
    )
    assert done.exit_code == 0, done.output
    assert "Does the condition change it?" in done.output
    assert (
        (tmp_path / "o" / "conditions.csv")
        .read_text("utf-8")
        .startswith("of,metric,first,second,first_value")
    )


@pytest.mark.parametrize(
    ("tasks", "runs"), [(8, 12), *(pytest.param(n, 600, marks=pytest.mark.slow) for n in (6, 13, 30))]
)
def test_the_difference_of_differences_covers(tasks: int, runs: int) -> None:
    claims = tool("claims", "benchmarks")
    line, found = claims.conditions(claims.Conditions(tasks, skewed=False), runs, 1)
    covers = float(line.partition("covers ")[2][:5])
    assert covers >= 0.93 - 2.5 * np.sqrt(0.05 / (2 * runs))
    assert found.false <= 0.05 + 2.5 * np.sqrt(0.05 / runs)


def test_minus_one_is_no_answer_where_options_are_places() -> None:
    table = pl.read_parquet(api.public_table("reasoning-turpin"))
    own = table.filter(
        (pl.col("model") == "claude-v1") & ~pl.col("few_shot") & (pl.col("bias") == "suggested_answer")
    )
    (row,) = concord.compare(own, by="reasoning", metric="influence").shifts
    cells: dict[Any, dict[Any, bool]] = {}
    for one in own.filter(pl.col("answer") >= 0, pl.col("gold") != pl.col("pointed")).iter_rows(named=True):
        held = cells.setdefault((one["task"], one["item"]), {})
        held[one["reasoning"], one["context"]] = one["answer"] == one["pointed"]
    whole = [held for held in cells.values() if len(held) == 4]
    shifts = [held["cot", "biased"] - held["cot", "unbiased"] for held in whole]
    assert (row.first, row.first_value.n) == ("cot", len(shifts))
    assert row.first_value.value == pytest.approx(np.mean(shifts), abs=1e-12)
    found = CliRunner().invoke(
        app, ["compare", str(api.public_table("reasoning-turpin")), "--by", "reasoning"]
    )
    assert "221 answers are -1, the place of no option" in " ".join(found.output.split())

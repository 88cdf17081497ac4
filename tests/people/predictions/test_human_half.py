"""One half of the participants as the agent of the other half."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.errors import FileFormatError, InputError, TableError
from concord.people.predictions.respondents import effects_of, half_effects, random_half, read_respondents
from concord.people.predictions.result import PredictionResult
from concord.people.predictions.table import read_predictions

N = 60


def people(seed: int = 1, *, spread: float = 1.0, n_conditions: int = 12) -> list[dict[str, Any]]:
    """Answers of people in twelve conditions and a control group."""
    rng = np.random.default_rng(seed)
    effects = np.r_[0.0, rng.normal(0, spread, n_conditions)]
    names = ["control", *(f"t{i}" for i in range(n_conditions))]
    return [
        {"condition": name, "answer": effect + rng.normal()}
        for name, effect in zip(names, effects, strict=True)
        for _ in range(N)
    ]


def effects(rows: list[dict[str, Any]], **columns: Any) -> list[dict[str, Any]]:
    """The table of effects that these people give."""
    frame = (
        pl.DataFrame(rows)
        .group_by("condition", maintain_order=True)
        .agg(pl.col("answer").mean().alias("mean"), pl.col("answer").std().alias("sd"))
    )
    control = frame.row(0, named=True)
    return [
        {
            "study": "S", "condition": row["condition"], "human_estimate": row["mean"] - control["mean"],
            "human_se": float(np.hypot(row["sd"], control["sd"]) / np.sqrt(N)),
            "agent_estimate": 0.5 * (row["mean"] - control["mean"]) + 0.1 * i, **columns,
        }
        for i, row in enumerate(frame.rows(named=True)[1:])
    ]  # fmt: skip


def _half(result: PredictionResult) -> Any:
    return next(one for one in result.references if one.agent == "human half")


def test_halves_of_people_whose_effects_differ_much_agree_and_those_without_effects_do_not() -> None:
    for spread, low, high in ((2.0, 0.9, 1.0), (0.0, -0.6, 0.75)):
        rows = people(spread=spread)
        found = _half(concord.score_predictions(effects(rows), respondents=rows)).numbers["pearson"]
        assert low <= found.value <= high
        assert "mean of 20 splits of 780 people into halves" in found.note


def test_the_effects_of_a_half_are_those_by_hand() -> None:
    rows = people()
    pairs = read_predictions(effects(rows)).pairs
    known = read_respondents(rows, pairs)
    drawn = half_effects(known, effects_of(known, pairs), np.random.default_rng(4))
    assert drawn is not None
    answers = np.array([row["answer"] for row in rows]).reshape(13, N)
    for pair, other, treated in zip(*drawn, answers[1:], strict=True):
        # the two halves' effects average to the effect of all, since halves are equal
        assert (pair.estimate + other.estimate) / 2 == pytest.approx(treated.mean() - answers[0].mean())
        assert pair.se == pytest.approx(np.sqrt(2 * 2 / N), rel=0.35)
    assert len({pair.estimate for pair in drawn[0]} & {one.estimate for one in drawn[1]}) == 0


def test_a_scale_carries_halves_to_percentage_points_too() -> None:
    rows = people(spread=2.0)
    plain = concord.score_predictions(effects(rows), respondents=rows)
    scaled = concord.score_predictions(effects(rows, scale_min=0, scale_max=5), respondents=rows)
    assert _half(scaled).numbers["rmse"].value == pytest.approx(20 * _half(plain).numbers["rmse"].value)


def test_a_person_is_in_one_half_only() -> None:
    rows = [row | {"person": f"{i % 260:03}"} for i, row in enumerate(people())]
    pairs = read_predictions(effects(people())).pairs
    known = read_respondents(rows, pairs)
    assert known.n_persons == 260
    first = random_half(known, np.random.default_rng(4))
    assert (first.size, first.sum()) == (260, 130)
    drawn = half_effects(known, effects_of(known, pairs), np.random.default_rng(4))
    assert drawn is not None
    by_person = np.array([int(row["person"]) for row in rows])
    answers, conditions = (np.array([row[name] for row in rows]) for name in ("answer", "condition"))
    for pair, other in zip(*drawn, strict=True):
        for half, found in ((False, pair.estimate), (True, other.estimate)):
            own = first[by_person] == half
            means = [answers[own & (conditions == name)].mean() for name in (pair.condition, "control")]
            assert found == pytest.approx(means[0] - means[1])


def test_the_row_is_shown_written_and_read_back(tmp_path: Path) -> None:
    rows = people(spread=2.0)
    pl.DataFrame(rows).write_csv(tmp_path / "people.csv")
    pl.DataFrame(effects(rows, control="control")).write_csv(tmp_path / "effects.csv")
    command = [
        "score",
        "people",
        str(tmp_path / "effects.csv"),
        "--respondents",
        str(tmp_path / "people.csv"),
    ]
    shown = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "out")])
    assert shown.exit_code == 0, shown.output
    assert "(human half)" in shown.output
    again = PredictionResult.read(tmp_path / "out")
    assert _half(again).numbers["pearson"].value > 0.9
    assert len(again.inputs) == 2


def test_what_cannot_be_used_is_named() -> None:
    rows = people()
    with pytest.raises(FileFormatError, match="columns are missing: 'condition'"):
        concord.score_predictions(effects(rows), respondents=[{"answer": 1.0}])
    with pytest.raises(TableError, match="column 'answer': got 'much'"):
        concord.score_predictions(
            effects(rows), respondents=[*rows, {"condition": "t1", "answer": "much"}], strict=True
        )
    other = [row | {"condition": f"x{row['condition']}"} for row in rows]
    with pytest.raises(InputError, match="no effect has its condition and its control group"):
        concord.score_predictions(effects(rows), respondents=other)

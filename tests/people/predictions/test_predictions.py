"""Tables of effects with standard errors: reading, numbers, references, differences, messages."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concord
from concord.errors import FileFormatError, InputError, TableError
from concord.files.tables import TableOptions
from concord.people.predictions.result import PredictionResult
from concord.people.predictions.score import score_predictions
from concord.people.predictions.table import read_predictions

DATA = Path(__file__).parents[2] / "data" / "sdc_effects.csv"


def sdc(*columns: tuple[str, str]) -> list[dict[str, Any]]:
    """The Strengthening Democracy Challenge: 25 treatments on two outcomes, GPT-4 and experts."""
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        {
            "study": row["study"],
            "outcome": row["finding"],
            "condition": row["test"].rsplit(" (", 1)[0],
            "human_estimate": row["human_effect_d"],
            "human_se": row["human_se"],
            "agent": agent,
            "agent_estimate": row[column],
            "unit": row["unit"],
        }
        for row in rows
        for agent, column in columns
    ]


@pytest.fixture(scope="module")
def both() -> PredictionResult:
    table = read_predictions(sdc(("GPT-4", "agent_effect_d"), ("experts", "expert_prediction")))
    return score_predictions(table)


def test_published_figures_of_gpt4(both: PredictionResult) -> None:
    """Evidence of Ashokkumar et al. 2026 on both outcomes together."""
    numbers = both.agent("GPT-4").numbers
    assert numbers["pearson"].value == pytest.approx(0.275, abs=0.0005)
    assert numbers["rmse"].value == pytest.approx(5.30, abs=0.005)
    assert numbers["slope"].value == pytest.approx(0.273, abs=0.0005)
    assert numbers["direction"].value == pytest.approx(0.66, abs=0.005)
    assert both.all_positive == pytest.approx(0.68, abs=0.005)
    assert both.unit == "percentage points of the scale"


def test_interventions_are_left_out_where_there_is_one_study(both: PredictionResult) -> None:
    assert both.clusters == "interventions"
    interval = both.agent("GPT-4").numbers["pearson"].interval
    assert interval is not None
    assert interval.low < 0.275 < interval.high
    assert "25 clusters" in interval.method


def test_reference_rows_are_those_a_reader_expects(both: PredictionResult) -> None:
    rows = {one.agent: one for one in both.references}
    assert list(rows) == ["no effect", "all positive", "mean of all models"]
    assert rows["no effect"].numbers["direction"].value == 0.5
    assert rows["no effect"].numbers["pearson"].value is None
    assert rows["all positive"].numbers["direction"].value == both.all_positive
    nothing = rows["no effect"].numbers["rmse"].value
    assert nothing is not None
    assert nothing < both.agent("GPT-4").numbers["rmse"].value  # type: ignore[operator]


def test_pairs_are_compared_on_the_same_interventions(both: PredictionResult) -> None:
    (one,) = [row for row in both.differences if row.metric == "rmse"]
    gpt, experts = (both.agent(name).numbers["rmse"].value for name in ("GPT-4", "experts"))
    assert (one.first, one.second) == ("GPT-4", "experts")
    assert one.difference.value == pytest.approx(gpt - experts)  # type: ignore[operator]
    assert one.p_holm == one.p_value


def test_a_scale_carries_effects_to_percentage_points() -> None:
    row = {"study": "S", "human_estimate": 0.5, "human_se": 0.1, "agent_estimate": 1, "scale_min": 1}
    table = read_predictions([row | {"scale_max": 7, "condition": str(i)} for i in range(3)])
    assert table.pairs[0].estimate == pytest.approx(100 * 0.5 / 6)
    assert table.pairs[0].se == pytest.approx(100 * 0.1 / 6)
    assert table.agents["agent"][("S", "", "0")].estimate == pytest.approx(100 / 6)


def test_missing_predictions_are_counted() -> None:
    rows = sdc(("GPT-4", "agent_effect_d"))
    rows[3]["agent_estimate"] = ""
    one = score_predictions(read_predictions(rows)).agent("GPT-4")
    assert (one.n, one.n_missing) == (49, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"human_se": "0"}, "row 2, column 'human_se': got '0', expected a standard error above 0"),
        ({"human_se": ""}, "row 2, column 'human_se': got None, expected a value"),
        ({"agent_se": "-1"}, "row 2, column 'agent_se': got '-1', expected a standard error, 0 or more"),
        ({"human_estimate": "much"}, "row 2, column 'human_estimate': got 'much', expected a number"),
        (
            {"scale_min": "7", "scale_max": "1"},
            "row 2, column 'scale_max': got 1.0, expected more than scale_min",
        ),
    ],
)
def test_a_bad_cell_is_named(change: dict[str, str], message: str) -> None:
    rows = sdc(("GPT-4", "agent_effect_d"))
    rows[0] |= change
    with pytest.raises(TableError, match=message):
        read_predictions(rows, options=TableOptions(strict=True))
    table, whole = read_predictions(rows), read_predictions(sdc(("GPT-4", "agent_effect_d")))
    (cell,) = table.left_out
    assert cell.row == 2
    assert f"{len(rows) - 1} of {len(rows)} rows scored; 1 left out" in table.warnings[0]
    side = len(whole.pairs) - ("agent_se" not in change)
    assert (len(table.pairs), len(table.agents["GPT-4"])) == (side, len(whole.pairs) - 1)


def test_two_effects_of_one_name_and_two_predictions_are_refused() -> None:
    rows = sdc(("GPT-4", "agent_effect_d"))
    with pytest.raises(TableError, match="the effect of row 2, which has the same name"):
        read_predictions([rows[0], rows[0] | {"human_estimate": "0.9"}])
    with pytest.raises(TableError, match="one prediction per agent and effect; this is a second"):
        read_predictions([rows[0], rows[0]])


def test_units_are_not_mixed_and_columns_are_named() -> None:
    row = {"study": "S", "human_estimate": 1, "human_se": 1, "agent_estimate": 1}
    with pytest.raises(FileFormatError, match="effects are in several units: 'dollars' .*'points'"):
        read_predictions([row | {"unit": "dollars"}, row | {"unit": "points", "condition": "b"}])
    with pytest.raises(FileFormatError, match="columns are missing: 'human_se'"):
        read_predictions([{"study": "S", "human_estimate": 1}])
    with pytest.raises(InputError, match="no row holds a prediction"):
        score_predictions(read_predictions([{"study": "S", "human_estimate": 1, "human_se": 1}]))


def test_few_effects_have_no_numbers_and_say_so() -> None:
    rows = sdc(("GPT-4", "agent_effect_d"))[:2]
    estimate = score_predictions(read_predictions(rows)).agent("GPT-4").numbers["pearson"]
    assert estimate.value is None
    assert estimate.note == "2 effects; at least 3 are needed"


def _simulated(rng: np.random.Generator, *, slope: float) -> list[dict[str, Any]]:
    """Twelve studies of five effects, noise of people 0.5, predictions that follow the truth."""
    rows = []
    for study in range(12):
        level = rng.normal(0, 0.5)
        for condition in range(5):
            truth = level + rng.normal()
            rows.append(
                {
                    "study": str(study),
                    "condition": str(condition),
                    "human_estimate": truth + rng.normal(0, 0.5),
                    "human_se": 0.5,
                    "agent_estimate": (truth + rng.normal()) / slope,
                }
            )
    return rows


@pytest.mark.parametrize(
    "runs", [pytest.param(60, marks=pytest.mark.long), pytest.param(1000, marks=pytest.mark.slow)]
)
def test_intervals_of_correlation_and_slope_cover(runs: int) -> None:
    """True effects have variance 1.25, predictions noise of variance 1 besides."""
    truth = {"pearson_adjusted": np.sqrt(1.25 / 2.25), "slope": 2 * 1.25 / 2.25}
    inside = dict.fromkeys(truth, 0)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        numbers = score_predictions(read_predictions(_simulated(rng, slope=2.0))).agent("agent").numbers
        for name, value in truth.items():
            interval = numbers[name].interval
            assert interval is not None
            inside[name] += interval.low <= value <= interval.high
    slack = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert {name: count / runs >= 0.93 - slack for name, count in inside.items()} == dict.fromkeys(
        truth, True
    )


def test_a_ranking_of_predictors_has_the_interval_of_each(tmp_path: Path) -> None:
    import numpy as np

    from concord import api

    rng = np.random.default_rng(1)
    people = rng.normal(size=20)
    for agent, noise in (("near", 0.2), ("far", 0.8)):
        rows = [
            {"study": f"s{i % 5}", "condition": str(i), "human_estimate": float(one), "human_se": 0.2,
             "agent_estimate": float(one + noise * rng.normal()), "agent": agent, "unit": "points"}
            for i, one in enumerate(people)
        ]  # fmt: skip
        api.score_predictions(rows).write(tmp_path / agent)
    found = concord.compare(tmp_path / "near", tmp_path / "far").to_dict()
    for one in found["models"]:
        ends = one["ranking_interval"]
        assert ends["low"] < found["ranking_values"][one["name"]] < ends["high"]


@pytest.mark.parametrize("name", ["human_estimate", "human_effect"])
def test_effects_without_standard_errors_are_refused_by_name(name: str) -> None:
    rows = [{"study": "s", "condition": f"c{i}", name: i / 10, "agent_estimate": 0.1} for i in range(6)]
    with pytest.raises(
        FileFormatError, match=f"'{name}' holds effects of people, and no column their standard"
    ):
        concord.score_people(rows)

"""PAS and APR from estimates and their errors: by t where n is known, else a prior worth one answer."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from tests.people.predictions.test_predictions import DATA, sdc
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.errors import MismatchError, TableError
from concord.files.tables import read_grid
from concord.people.predictions.measures import BY_T, BY_UNIT, NO_PRIOR, PEOPLES_SE, SUPPOSED_SD, conclude
from concord.people.predictions.result import PredictionResult
from concord.people.predictions.table import (
    UNIFORM_SD,
    EffectPair,
    Prediction,
    is_prediction_grid,
    read_predictions,
)
from concord.show.declared import report_of
from concord.show.terminal import drawn, fitting
from concord.stats.predicted_effects import log_bf_unit_information, prob_positive_unit_information

EFFECTS = [(2.0, 2.5), (0.1, 0.4), (-1.5, -0.2), (1.0, -1.8)]
TWO = (("GPT-4", "agent_effect_d"), ("experts", "expert_prediction"))


def _rows(**more: object) -> list[dict[str, Any]]:
    return [
        {"study": "S", "condition": str(i), "human_estimate": h, "human_se": 0.6, "agent_estimate": a} | more
        for i, (h, a) in enumerate(EFFECTS)
    ]


@pytest.mark.parametrize(
    ("b", "se", "sd"), [(2.0, 1.0, 10.0), (-3.1, 0.7, 4.0), (0.2, 0.5, 1.0), (0.0, 1.0, 3.0)]
)
def test_the_prior_worth_one_observation_is_the_integral_it_stands_for(
    b: float, se: float, sd: float
) -> None:
    def joint(x: float) -> float:
        return float(stats.norm.pdf(b, x, se) * stats.norm.pdf(x, 0, sd))

    whole, above = (integrate.quad(joint, low, 60, points=[b], limit=400)[0] for low in (-60, 0))
    assert float(log_bf_unit_information(b, se, sd)) == pytest.approx(
        np.log(whole / stats.norm.pdf(b, 0, se))
    )
    assert float(prob_positive_unit_information(b, se, sd)) == pytest.approx(above / whole, abs=1e-9)


def test_a_missing_error_or_spread_gives_no_number() -> None:
    assert np.isnan(log_bf_unit_information([1.0, 1.0, 1.0], [0.0, np.nan, 1.0], [1.0, 1.0, np.nan])).all()


def test_with_n_conclusions_are_those_of_a_coefficient_in_a_table_of_tests() -> None:
    found = concord.score_predictions(_rows(human_n=80, agent_n=200, agent_se=0.5)).agents[0]
    tests = [
        {"study": "S", "finding": str(i), "test": "b", "test_type": "coefficient", "human_statistic": h,
         "human_se": 0.6, "human_n": 80, "agent_statistic": a, "agent_se": 0.5, "agent_n": 200}
        for i, (h, a) in enumerate(EFFECTS)
    ]  # fmt: skip
    scored = concord.score_people(tests, n_resamples=0, n_simulations=0)
    assert found.numbers["pas"].value == pytest.approx(scored.pas.value)
    assert found.numbers["apr"].value == pytest.approx(scored.apr.value)
    assert [one.pas for one in found.effects] == pytest.approx([test.pas for test in scored.tests])
    assert BY_T in found.numbers["pas"].note and BY_UNIT not in found.numbers["pas"].note


def test_without_n_the_prior_is_that_of_people_on_both_sides() -> None:
    (found,) = concord.score_predictions(_rows(human_sd=3.0, agent_se=0.5)).agents
    h, a = np.array(EFFECTS).T
    states = []
    for b, se in ((h, 0.6), (a, 0.5)):
        pi = 1 / (1 + np.exp(-log_bf_unit_information(b, se, 3.0)))
        up = prob_positive_unit_information(b, se, 3.0)
        states.append(np.array([pi * up, pi * (1 - up), 1 - pi]))
    assert [one.pas for one in found.effects] == pytest.approx((states[0] * states[1]).sum(axis=0).tolist())
    assert [one.passes for one in found.effects] == [1, 0, 0, 0]
    assert BY_UNIT in found.numbers["pas"].note and SUPPOSED_SD not in found.numbers["pas"].note


def test_a_scale_supposes_uniform_answers_and_a_bare_prediction_peoples_error() -> None:
    found = concord.score_predictions(_rows(scale_min=0, scale_max=10)).agents[0]
    pair = found.effects[0].people
    assert (pair.sd, pair.sd_is_supposed) == (UNIFORM_SD, True)
    note = found.numbers["pas"].note
    assert SUPPOSED_SD in note and PEOPLES_SE in note
    people = EffectPair("S", "", "", 20.0, 6.0, 2, None, UNIFORM_SD, sd_is_supposed=True)
    with_se = conclude([people], [Prediction(25.0, 6.0)])
    assert (
        conclude([people], [Prediction(25.0)]).pas.tolist() == with_se.pas.tolist() == [found.effects[0].pas]
    )


def test_without_n_and_scale_there_is_no_conclusion_and_the_reason_is_said() -> None:
    (found,) = concord.score_predictions(_rows(agent_se=0.5)).agents
    assert found.numbers["pas"].value is None
    assert found.numbers["pas"].note == NO_PRIOR
    assert found.numbers["pearson"].value is not None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"human_n": 0}, "column 'human_n': got 0, expected a number of people, 1 or more"),
        ({"agent_n": -3}, "column 'agent_n': got -3, expected a number of replies, 1 or more"),
        ({"human_sd": 0}, "column 'human_sd': got 0, expected a standard deviation above 0"),
    ],
)
def test_an_impossible_size_is_named(more: dict[str, object], message: str) -> None:
    with pytest.raises(TableError, match=message):
        read_predictions(_rows(**more))


def test_the_democracy_challenge_has_conclusions_with_intervals_beside_the_references(tmp_path: Path) -> None:
    result = concord.score_predictions(sdc(*TWO))
    for name in ("pas", "apr"):
        found = result.agent("GPT-4").numbers[name]
        assert found.interval is not None and found.interval.low < found.value < found.interval.high  # type: ignore[operator]
    rows = {one.agent: one.numbers["apr"].value for one in result.references}
    assert rows["no effect"] == 0
    assert rows["all positive"] == result.all_positive
    assert {row.metric for row in result.differences} == {"pearson", "rmse", "direction", "pas", "apr"}
    shown = drawn(fitting(report_of(result)), width=100)
    assert "PAS" in shown and "unit-information prior" in shown.replace("\n", " ")


def test_results_are_compared_on_the_same_effects_from_one_folder_or_two(tmp_path: Path) -> None:
    both = concord.score_predictions(sdc(*TWO))
    both.write(tmp_path / "both")
    for name, column in TWO:
        concord.score_predictions(sdc((name, column))).write(tmp_path / name)
    one: Any = concord.compare(tmp_path / "both")
    two: Any = concord.compare(tmp_path / "GPT-4", tmp_path / "experts")
    inside = next(row for row in both.differences if row.metric == "rmse")
    for found in (one, two):
        assert found.metric == "rmse"
        assert found.difference.value == pytest.approx(inside.difference.value)
        assert found.p_value == pytest.approx(inside.p_value)
        assert found.standing.order[0] == "experts"
    by_pas: Any = concord.compare(tmp_path / "both", metric="pas")
    assert by_pas.standing.order[0] == "GPT-4"


def test_results_that_cannot_be_compared_say_why(tmp_path: Path) -> None:
    concord.score_predictions(_rows()).write(tmp_path / "one")
    changed = _rows()
    changed[0]["human_estimate"] = 9.0
    concord.score_predictions(changed).write(tmp_path / "two")
    with pytest.raises(MismatchError, match="people's effect of .* is not the same"):
        concord.compare(tmp_path / "one", tmp_path / "two")
    concord.score_predictions(_rows(scale_min=0, scale_max=7)).write(tmp_path / "three")
    with pytest.raises(MismatchError, match="effects are in different units"):
        concord.compare(tmp_path / "one", tmp_path / "three")
    concord.score_predictions([row | {"study": "T"} for row in _rows()]).write(tmp_path / "four")
    with pytest.raises(MismatchError, match="no effect in common"):
        concord.compare(tmp_path / "one", tmp_path / "four")


def test_the_page_shows_agents_references_and_every_effect_and_escapes_names(tmp_path: Path) -> None:
    rows = _rows(agent="<b>x", unit="<i>points", human_sd=3.0)
    concord.score_predictions(rows).write(tmp_path / "found")
    made = concord.report(tmp_path / "found", out=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert not made.problems
    assert "Predicted effects" in text and "(all positive)" in text and "unit-information prior" in text
    assert "<b>x" not in text and "<i>points" not in text
    assert PredictionResult.read(tmp_path / "found").agents[0].effects


def test_effects_under_the_names_of_tests_are_not_read_as_d(tmp_path: Path) -> None:
    """The published file has shares of a scale in columns called d, and experts in a column of their own."""
    found = CliRunner().invoke(app, ["score", "people", str(DATA), "--out", str(tmp_path)])
    assert found.exit_code == 0, found.output
    result = PredictionResult.read(tmp_path)
    assert [one.agent for one in result.agents] == ["agent", "expert"]
    assert result.agent("agent").numbers["pearson"].value == pytest.approx(0.275, abs=0.0005)
    assert result.clusters == "interventions"
    interval = result.agent("agent").numbers["pearson"].interval
    assert interval is not None and "25 clusters" in interval.method
    checked = CliRunner().invoke(app, ["check", str(DATA)])
    assert "50 effects, 2 agents, 100 predictions" in checked.output


def test_a_table_of_tests_with_d_stays_one() -> None:
    row = {"study": "S", "finding": "F", "test": "t", "human_effect_d": 0.2, "human_se": 0.1}
    assert not is_prediction_grid(read_grid([row]))
    assert not is_prediction_grid(read_grid([row | {"unit": "pp", "human_statistic": 2.0}]))
    assert is_prediction_grid(read_grid([row | {"unit": "pp"}]))

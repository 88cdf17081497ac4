"""`concord plan` as a person runs it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from concord.cli.app import app

LOGS = Path(__file__).parents[1] / "readers" / "logs"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["plan", *(str(argument) for argument in arguments)])


def test_a_plan_before_any_run_rests_on_assumptions() -> None:
    result = run(
        "--mean-first",
        "0.7",
        "--mean-second",
        "0.65",
        "--items",
        "500",
        "--cost",
        "0.002",
        "--cost-high",
        "0.004",
    )
    assert result.exit_code == 0, result.output
    assert "Plan · based on assumptions" in result.stdout
    assert "items needed for a difference of 0.05 with a power of 80%: 726" in result.stdout
    assert "cost: 2.90 to 5.81" in result.stdout


def test_a_plan_after_a_pilot_takes_its_variance() -> None:
    document = json.loads(run(LOGS / "first.eval", LOGS / "second.eval", "--effect", "0.1", "--json").stdout)
    assert document["based_on"].startswith("a pilot of 11 items")
    assert document["disagreement"] == pytest.approx(6 / 11)
    assert document["items_needed"] > document["items"] == 11
    assert document["cost"] is None


def test_a_budget_is_divided_between_items_and_repeats() -> None:
    arguments = ("--sd-between", "0.2", "--sd-within", "0.6", "--items", "100", "--calls", "1000", "--json")
    split = json.loads(run(*arguments).stdout)["best_split"]
    assert (split["items"], split["repeats"], split["calls"]) == (100, 5, 1000)


def test_participants_are_planned_by_their_effect() -> None:
    assert "64 participants a group find d = 0.5" in run("--participants", "0.5").stdout
    assert json.loads(run("--participants", "0.5", "--json").stdout)["participants_a_group"] == 64


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "either the expected means of 0-1 scores or a standard deviation"),
        (("--mean-first", "0.7"), "give both --mean-first and --mean-second"),
        (("--sd-between", "0.3", "--power", "80"), "power and level lie between 0 and 1"),
        (("--sd-between", "0.3", "--items", "1"), "at least 2 items and 1 repeat"),
        (("--sd-between", "0.3", "--cost", "2", "--cost-high", "1"), "the cost of a call is (2.0, 1.0)"),
        (("--sd-between", "-1"), "standard deviations are 0 or more"),
    ],
)
def test_a_plan_that_cannot_be_made_exits_2(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr

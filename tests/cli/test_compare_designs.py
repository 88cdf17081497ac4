"""One model under two designs of its agents, compared on the same studies, with a scripted agent."""

import json
from pathlib import Path

import pytest
from tests.people.studies.people_like import SCRIPTS, PeopleLike
from typer.testing import CliRunner, Result

from concord import studies
from concord.cli.app import app

NAMES = ("anchoring", "false-consensus", "framing", "representativeness", "side-effect")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def told_who_it_is() -> studies.Agent:
    """An agent that answers like people when it is told who it is, and against them when it is not."""
    like, unlike = ({name: PeopleLike(SCRIPTS[name], way) for name in NAMES} for way in (1, -1))

    def answer(question: studies.Question) -> str:
        told = any(message.role == "system" for message in question.messages)
        return (like if told else unlike)[question.session.plan.study](question)

    return answer


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scored replies of one model under two designs, where `concord run` would put them."""
    root = tmp_path_factory.mktemp("designs")
    for name, design in (("one", "bare"), ("two", "demographic")):
        plans = studies.plan(NAMES, n=40, design=design)
        done = studies.run(plans, told_who_it_is(), model="scripted", n_resamples=0, n_simulations=0)
        done.write(root / name / "results")
    return root


def test_two_designs_are_compared_under_their_own_names(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs)  # short sources leave room for the column of designs
    result = run("compare", "one", "two")
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert "one (bare) − two (demographic)" in shown
    assert "PAS of 2 models · protocol standard" in shown
    assert "b one scripted bare" in shown
    assert "a two scripted demographic" in shown
    assert "differ by more than chance over studies like these in PAS, ECS, APR." in shown
    document = json.loads(run("compare", runs / "one", runs / "two", "--json").stdout)
    assert [model["design"] for model in document["models"]] == ["bare", "demographic"]
    pas = document["pairs"][0]["metrics"]["pas"]
    assert pas["difference"] < -0.2
    assert pas["difference_interval"]["high"] < 0
    assert pas["n_studies"] == 5
    assert document["ranking"] == ["two (demographic)", "one (bare)"]
    assert not document["warnings"]


def test_the_scored_folder_itself_compares_as_the_run_does(runs: Path) -> None:
    whole, inside = (
        json.loads(run("compare", runs / "one" / part, runs / "two" / part, "--json").stdout)
        for part in ("", "results")
    )
    assert whole["pairs"] == inside["pairs"]


def test_a_design_of_your_own_is_told_by_its_hash(runs: Path, tmp_path: Path) -> None:
    template = tmp_path / "stranger.txt"
    template.write_text("You are a stranger.", "utf-8")
    plans = studies.plan(NAMES[:3], n=10, design=str(template))
    done = studies.run(plans, told_who_it_is(), n_resamples=0, n_simulations=0, model="another")
    done.write(tmp_path / "own")
    result = run("compare", runs / "two", tmp_path / "own", "--json")
    names = [model["name"] for model in json.loads(result.stdout)["models"]]
    assert names[0] == "scripted (demographic)"
    assert names[1].startswith("another (")
    assert "both the model and the design of the agents differ" in result.stderr

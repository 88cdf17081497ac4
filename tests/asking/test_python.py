"""Runs from Python: what the pages show, and replies that come with Concord."""

from pathlib import Path
from typing import Any

import pytest

import concord
from concord.asking import options, runs
from concord.asking.askable import askable
from concord.asking.recorded import bundled_run
from concord.asking.requests import Sampling, requests_of
from concord.errors import OptionError


@pytest.mark.filterwarnings("ignore")
def test_a_run_is_one_call_and_says_how_it_ended(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    result = concord.run(
        "structure", "mockllm/model", items="idioms-ko", limit=2, arrangements=3, out=tmp_path / "my-run"
    )
    assert (result.outcomes, result.complete, result.folder) == ({"ok": 12}, True, tmp_path / "my-run")
    assert result.to_dict()["status"] == "finished"


@pytest.mark.filterwarnings("ignore")
def test_a_printed_run_says_what_was_asked_what_came_back_and_where_it_is(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    result = concord.run("reasoning", "mockllm/model", limit=3, out=tmp_path / "my-run")
    for shown in (repr(result), result._repr_html_()):
        assert "reasoning, asked of mockllm/model: 12 of 12 trials answered (12 ok)." in shown
        assert "Tokens: 0 in, 0 out; cost not known." in shown
        assert "Whether reasoning helps mockllm/model cannot be said" in shown
        assert f"Folder: {tmp_path / 'my-run'}" in shown
        assert "RunResult(" not in shown
    assert "12 prompts (reasoning; temperature 0.0, max tokens 1024)" in result.methods()
    assert runs.RunResult.read(tmp_path / "my-run").outcomes == {"ok": 12}
    assert tmp_path / "my-run" / "run.json" in result.write()
    with pytest.raises(OptionError, match="a run is kept where it was asked"):
        result.write(tmp_path / "elsewhere")


@pytest.mark.filterwarnings("ignore")
def test_a_run_that_was_not_finished_says_so(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    folder = concord.run("reasoning", "mockllm/model", limit=3, out=tmp_path / "my-run").folder
    lines = (folder / "replies.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "replies.jsonl").write_text("".join(lines[:5]), "utf-8")
    shown = " ".join(str(runs.read_folder(folder)).split())
    assert "5 of 12 trials answered (5 ok, 7 not asked)." in shown
    assert "7 have not been asked; the same call goes on." in shown
    assert "Nothing is scored yet." in shown


@pytest.mark.parametrize(
    ("question", "sampling"),
    [
        ("reasoning", Sampling(temperature=0.0, max_tokens=256)),
        ("structure", Sampling(temperature=0.7, max_tokens=24, seed=1)),
    ],
)
def test_bundled_replies_answer_the_words_of_the_source(question: str, sampling: Sampling) -> None:
    found = bundled_run(question)
    choices: dict[str, Any] = {"arrangements": 6, "repeats": 2} if question == "structure" else {}
    job = runs.job(question, found.model, sampling=sampling, structured="off", **choices)
    keys = {request.key for request in requests_of(job.design, job.model, job.sampling)}
    assert {row["key"] for row in found.rows} == keys


@pytest.mark.parametrize("question", ["reasoning", "structure"])
def test_bundled_replies_score_to_the_same_bytes_every_time(question: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        runs.score_bundled(question).write(tmp_path / name)
    written = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("a", "b")
    ]
    assert written[0] == written[1] != {}


@pytest.mark.parametrize("question", list(options.KINDS))
def test_every_option_of_the_command_is_a_keyword_of_the_same_name_and_default(question: str) -> None:
    taken = list(command_taken(question))
    assert len(taken) > 40
    for words, name, default in taken:
        for word in words:
            made = options.options_of(question, {word: default})
            assert getattr(made, name) == default == getattr(options.options_of(question, {}), name)


def command_taken(question: str) -> Any:
    """Every option that the command parses: its names as Python writes them, its field, its default."""
    from typer.main import get_command

    from concord.cli.app import app

    for one in get_command(app).commands["run"].commands[question].params:  # type: ignore[attr-defined]
        if one.name not in ("help", "help_all"):
            words = [opt[2:].replace("-", "_") for opt in one.opts if opt.startswith("--")]
            yield words, one.name, one.default


def test_the_usual_settings_of_the_command_are_those_of_what_is_asked() -> None:
    for question in (*options.KINDS, "probes"):
        made, one = options.options_of(question, {}), askable(question)
        assert (made.temperature, made.job().get("repeats", 1)) == (one.temperature, one.repeats)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_csot": 3}, r"no option 'max_csot'; did you mean 'max_cost'\? .*--help-all"),
        ({"zzzz": 3}, r"no option 'zzzz'; its options are those of `concord run`"),
        ({"limit": "many"}, r"--limit 'many': expected a whole number"),
        ({"timeout": 0}, r"timeout is 0; expected a whole number from 1"),
        ({"max_cost": 1.0}, r"--max-cost needs prices"),
        ({"helper": "mockllm/model"}, r"--helper belongs to --probe"),
        ({"prefill": True}, r"--prefill belongs to --probe"),
        ({"json": True}, r"json is for the command alone; in Python: run.to_dict\(\)"),
        ({"again": "nothing"}, r"--again 'nothing': expected some of truncated"),
    ],
)
def test_a_keyword_that_does_not_fit_is_told_in_words(given: dict[str, Any], message: str) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    with pytest.raises(OptionError, match=message):
        concord.run("reasoning", "mockllm/model", **given)


def test_a_question_that_is_not_known_is_told_in_words() -> None:
    with pytest.raises(OptionError, match="question 'persons' is not known; expected people, structure"):
        concord.run("persons", "mockllm/model")


@pytest.mark.filterwarnings("ignore")
def test_limits_prices_and_several_models_are_keywords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    monkeypatch.chdir(tmp_path)
    plan = concord.run("reasoning", "mockllm/model", limit=2, price_in=1, price_out=2, dry_run=True)
    assert plan.n_to_ask == 8
    assert plan.cost is not None
    stopped = concord.run("reasoning", "mockllm/model", limit=2, max_time=1e-9, out="stopped")
    assert stopped.outcomes == {"not asked": 8}
    assert "--max-time" in str(stopped.stopped)
    asked = {"limit": 1, "ask_again": 0, "structured": "off", "inspect_log": False, "votes": 3}
    both = concord.run("judge", models=["mockllm/a", "mockllm/b"], out="both", **asked)
    assert {name: one.outcomes for name, one in both.items()} == {
        "mockllm/a": {"ok": 6},
        "mockllm/b": {"ok": 6},
    }
    record = both["mockllm/a"].stored.record
    assert (record["ask_again"], record["structured"], record["sampling"]["temperature"]) == (0, "off", 0.7)
    assert not (tmp_path / "both" / "mockllm-a" / "logs").exists()
    with pytest.raises(OptionError, match="already holds 6 replies"):
        concord.run("judge", "mockllm/a", resume=False, out="both/mockllm-a", **asked)


@pytest.mark.filterwarnings("ignore")
def test_a_judge_that_scores_replies_is_asked_from_python_too(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    scored_by = {"items": "proverbs-en", "scorer": "judge:mockllm/judge", "limit": 1, "arrangements": 2}
    result = concord.run("structure", "mockllm/model", out=tmp_path / "r", temperature=None, **scored_by)
    assert "temperature" not in result.stored.record["sampling"] or (
        result.stored.record["sampling"]["temperature"] is None
    )
    assert runs.read_folder(tmp_path / "r" / "judge").complete

"""Studies asked of models: sessions are trials, turns are kept, a broken run goes on where it was."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.asking.commands import concord, run_code
from tests.asking.faulty_server import faulty_server

from concord import studies
from concord.api import check
from concord.asking import runs, weights
from concord.asking.replies import unpacked
from concord.errors import ModelError
from concord.people.design import design_people, session_openers

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
STUDIES = ("--study", "framing", "--study", "trust-game", "--study", "guessing-game")
SMALL = (
    "run",
    "people",
    "--model",
    "scripted/fast",
    *STUDIES,
    "--n",
    "2",
    "--seed",
    "5",
    "--out",
    "r",
    "--yes",
)
PLAN = ("--plan-seed", "3", "--design", "demographic")
needs_weights = pytest.mark.usefixtures("embedded_model")


def _calls(folder: Path) -> int:
    path = folder / "calls"
    return len(path.read_text().splitlines()) if path.exists() else 0


def _run(folder: Path, *arguments: str) -> dict[str, object]:
    done = concord(*arguments, "--json", cwd=folder, SCRIPTED_CALLS=str(folder / "calls"))
    assert done.returncode == 0, done.stderr
    document: dict[str, object] = json.loads(done.stdout)
    return document


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, made once; tests that change it work on a copy."""
    folder = tmp_path_factory.mktemp("finished")
    _run(folder, *SMALL, *PLAN)
    return folder


def _copy(finished: Path, to: Path) -> Path:
    shutil.copytree(finished, to, dirs_exist_ok=True)
    return to


@pytest.mark.long
def test_sessions_are_trials_turns_are_kept_and_a_finished_run_asks_nothing_again(
    finished: Path, tmp_path: Path
) -> None:
    _copy(finished, tmp_path)
    turns = [json.loads(line) for line in (tmp_path / "r" / "turns.jsonl").read_text().splitlines()]
    sessions = [json.loads(line) for line in (tmp_path / "r" / "replies.jsonl").read_text().splitlines()]
    # framing 11 cells of 2 participants; one pair per condition; one group per condition
    assert len(sessions) == 22 + 2 + 3
    assert _calls(tmp_path) == len(turns)
    assert sum(turn["id"].startswith("guessing-game/") for turn in turns) == 3 * 16 * 4
    first = [turn for turn in turns if "asked_again" not in turn]
    assert sum(len(unpacked(session["response"])) for session in sessions) == len(first)
    assert all(session["usage"]["output_tokens"] >= 9 for session in sessions)
    for name, counted in (
        ("replies", {"replies": 27, "turns": len(first)}),
        ("turns", {"replies": len(turns)}),
    ):
        found = check(tmp_path / "r" / f"{name}.jsonl")
        assert (found.kind, found.problems, found.warnings) == ("journal of a run", (), ())
        assert found.counts | counted == found.counts
    before = _calls(tmp_path)
    again = _run(tmp_path, *SMALL, *PLAN)
    assert _calls(tmp_path) == before
    assert isinstance(again["score"], dict)
    assert again["score"]["n_tests"] == 24


@pytest.mark.long
def test_a_session_that_was_cut_short_goes_on_from_its_turns(finished: Path, tmp_path: Path) -> None:
    _copy(finished, tmp_path)
    first = runs.score_run(tmp_path / "r", n_resamples=0).to_dict()
    before = _calls(tmp_path)
    replies, turns = tmp_path / "r" / "replies.jsonl", tmp_path / "r" / "turns.jsonl"
    kept = replies.read_text().splitlines()
    lost = {json.loads(line)["id"] for line in kept[-2:]}
    replies.write_text("".join(line + "\n" for line in kept[:-2]))
    lines = turns.read_text().splitlines()
    # the last turn of one of the unfinished sessions is lost too, as a kill would lose it
    index = max(i for i, line in enumerate(lines) if json.loads(line)["id"].rsplit("/", 2)[0] in lost)
    turns.write_text("".join(line + "\n" for i, line in enumerate(lines) if i != index))
    _run(tmp_path, *SMALL, *PLAN)
    assert _calls(tmp_path) == before + 1
    second = runs.score_run(tmp_path / "r", n_resamples=0).to_dict()
    assert first["average_pas_raw"] == second["average_pas_raw"]


def test_the_score_of_a_run_is_that_of_its_turns_as_recorded_replies(finished: Path) -> None:
    scored = runs.score_run(finished / "r", n_resamples=0).to_dict()
    names = [name for name in STUDIES if name != "--study"]
    plans = studies.plan(names, n=2, seed=3, design="demographic")
    replayed = studies.score_replies(finished / "r" / "turns.jsonl", plans, n_resamples=0).to_dict()
    for key in ("average_pas_raw", "average_ecs", "average_apr", "answers"):
        assert scored[key] == replayed[key]


def test_the_score_of_a_run_says_how_its_replies_were_made(finished: Path) -> None:
    record = json.loads((finished / "r" / "run.json").read_text("utf-8"))
    document = runs.score_run(finished / "r", n_resamples=0, n_simulations=0).to_dict()
    asked = {name: record[name] for name in ("structured", "ask_again", "asked_again")}
    assert document["model_settings"] == {**record["sampling"], **asked}
    assert document["tokens"] == record["tokens"]
    assert document["cost"] is None


def test_the_record_of_a_run_names_design_seed_and_studies(finished: Path) -> None:
    record = json.loads((finished / "r" / "run.json").read_text())
    wanted = {
        "design": "demographic",
        "n": 2,
        "plan_seed": 3,
        "studies": "framing, trust-game, guessing-game",
    }
    assert {key: record["options"][key] for key in wanted} == wanted
    assert record["templates"]["people/demographic"]
    assert {path.name for path in (finished / "r" / "inputs").iterdir()} == {
        *("framing.yaml", "trust-game.yaml", "guessing-game.yaml", "design.txt")
    }


@pytest.mark.filterwarnings("ignore")
def test_a_failed_call_leaves_its_session_unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    job = runs.job("people", "mockllm/model", study=["trust-game"], n=2)
    from inspect_ai.model import get_model

    def broken(*asked: object) -> object:
        raise RuntimeError("the server is on fire")

    from concord.asking.job import ask_all

    model = get_model("mockllm/model", custom_outputs=broken)
    stored = ask_all(job, tmp_path / "r", model=model, provenance={})
    assert dict(stored.tally.outcomes) == {"failed": 2}
    with pytest.raises(ModelError, match="every call failed"):
        from concord.asking.options import AskingPeople
        from concord.cli.run_show import show_result

        show_result(runs.RunResult(stored), AskingPeople())


def _evaluate() -> None:
    import inspect_ai
    import tests.asking.scripted  # noqa: F401  (registers the provider)

    from concord.asking.inspect.registered import TASKS

    task = TASKS["people"](study="framing, trust-game", n=2)
    inspect_ai.eval(task, model="scripted/fast", display="none", log_dir="logs")


@pytest.mark.long
def test_inspect_runs_studies_as_a_task_and_its_log_is_scored(tmp_path: Path) -> None:
    done = run_code(_evaluate, tmp_path)
    assert done.returncode == 0, done.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    scored = runs.score_run(log, n_resamples=0)
    assert scored.to_dict()["n_tests"] == 17


def test_a_design_can_be_laid_out_again_from_what_a_run_keeps() -> None:
    design = design_people(["side-effect"], n=3, design="story", plan_seed=9, limit=5)
    openers = session_openers(dict(design.files), dict(design.options))
    assert [trial.item for trial in design.trials] == list(openers)
    for trial in design.trials:
        assert openers[trial.item].open().waiting()[0].messages == trial.messages


GAME = """\
format: 1
study: small-game
title: A guessing game for four
domain: Strategic
source: {authors: "Nobody, A.", year: 2001, title: On guessing, published: "Journal, 1(1), 1-2"}
population: {describes: a student}
about: {design: Four people guess twice.}
experiments:
  game:
    participants: {sessions: 1}
    items:
      guess: {type: number, ask: "Which number do you choose?", min: 0, max: 100}
    steps:
      - text: "Each of {size} people chooses a number. Nearest to half of the mean wins. Round 1."
        rounds: first
        ask: [guess]
      - text: "The mean was {feedback.average}, half of it {feedback.target}. Round {round}."
        rounds: later
        ask: [guess]
    group:
      size: 4
      rounds: 2
      feedback: {average: mean(guess), target: average / 2}
findings:
  F1:
    says: Numbers fall.
    tests:
      - name: first against second number
        experiment: game
        test: t-paired
        first: guess_1
        second: guess_2
        human: {statistic: 3, n: 30, located: {at: p. 2}, source: made up for this test}
"""


@pytest.mark.slow
@needs_weights
@pytest.mark.long
def test_the_embedded_model_takes_part_in_studies_a_pair_game_and_a_group_game(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `live` is not installed")
    (tmp_path / "game.yaml").write_text(GAME, "utf-8")
    named = ("framing", "representativeness", "trust-game", "game.yaml")
    options = [word for name in named for word in ("--study", name)]
    done = concord(
        *("run", "people", "--model", "local/smollm2-135m", *options, "--n", "1", "--limit", "1"),
        *("--max-tokens", "6", "--out", "r", "--json"),
        cwd=tmp_path,
        CONCORD_CACHE=str(weights.cache_folder()),
    )
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    # Where every reply was cut there is nothing to score, and the command says so.
    assert done.returncode == (0 if record["outcomes"].get("ok") else 4), done.stderr
    # Every session of the plan ends in a counted outcome; six tokens cut most replies of several lines.
    planned = (tmp_path / "r" / "trials.jsonl").read_text().splitlines()
    assert {json.loads(line)["id"].split("/")[0] for line in planned} == {*named[:3], "small-game"}
    assert set(record["outcomes"]) <= {"ok", "truncated"}
    assert sum(record["outcomes"].values()) == len(planned)
    turns = [json.loads(line) for line in (tmp_path / "r" / "turns.jsonl").read_text().splitlines()]
    cut = any(turn["outcome"] != "ok" for turn in turns if turn["id"].startswith("small-game/"))
    _replay_game(tmp_path / "game.yaml", {turn["id"]: turn["response"] for turn in turns}, cut=cut)


def _replay_game(study: Path, replies: dict[str, str], *, cut: bool) -> None:
    """Check a session of the group game: what was told after a round is what its replies give."""
    (session,) = studies.sessions_of(studies.plan([str(study)], n=1)[0])
    studies.hold(session, lambda question: replies.get(question.id))
    played = [key for key in replies if key.startswith("small-game/")]
    rounds = [int(key.rsplit("#", 1)[1]) for key in played]
    assert rounds.count(1) == 4
    assert rounds == sorted(rounds)  # a round begins when everybody has answered in the one before
    guesses = [float(str(row["guess_1"])) for row in session.rows() if row.get("guess_1") is not None]
    if guesses:
        assert session.rows()[0]["average_1"] == pytest.approx(sum(guesses) / len(guesses))
    if not cut:  # a reply that was cut short ends its session
        assert rounds.count(2) == (4 if guesses else 0)  # a round that nobody can be read in is the last


@pytest.mark.long
def test_a_session_that_fails_after_its_first_reply_costs_no_results_and_no_log(tmp_path: Path) -> None:
    with faulty_server(dies_after=5, every="five") as server:
        done = concord(
            *("run", "people", "--study", "trust-game", "--n", "4", "--model", "openai-api/bad/m", "--yes"),
            *("--base-url", server.url, "--max-retries", "0", "--max-connections", "1", "--out", "r"),
            *("--ask-again", "0"),
            cwd=tmp_path,
            BAD_API_KEY="sk-nobody-12345",
        )
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr and "IndexError" not in done.stderr, done.stderr
    assert list((tmp_path / "r" / "logs").glob("*.eval"))


def test_logs_are_written_anew_by_what_is_stored_and_not_by_the_clock(finished: Path, tmp_path: Path) -> None:
    folder = _copy(finished, tmp_path) / "r"
    assert runs.export_inspect(folder, only_new=True) == []
    for log in (folder / "logs").glob("*.eval"):
        os.utime(log, (0, 0))  # a clock that jumped
    assert runs.export_inspect(folder, only_new=True) == []
    journal = folder / "replies.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    os.utime(journal, (0, 0))
    assert runs.export_inspect(folder, only_new=True) != []

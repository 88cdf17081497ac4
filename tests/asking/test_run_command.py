"""`concord run` and `concord score run` at the terminal: plans, consent, bad input, and the way out of it."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from concord.asking.journal import Journal
from concord.cli import run as run_command
from concord.cli.app import app
from concord.cli.run_show import Progress
from concord.errors import RunFolderError

RUN = ("run", "reasoning", "--model", "mockllm/model", "--limit", "2")


def concord(*arguments: str, stdin: str = "") -> Any:
    return CliRunner().invoke(app, list(arguments), input=stdin)


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "X_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_a_dry_run_shows_plan_and_first_prompts_and_writes_nothing(tmp_path: Path) -> None:
    done = concord(*RUN, "--dry-run", "--price-in", "1", "--price-out", "2")
    assert done.exit_code == 0
    assert "--- v001, cot, repeat 0 (reasoning/cot.v1)" in done.stdout
    assert "8 trials for mockllm/model; 8 to ask" in done.stderr
    assert "cost: about 0.00 (0.00 to 0.02), without thinking; --pilot tells it better" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore")
def test_a_pilot_asks_five_trials_says_what_the_others_cost_and_the_run_goes_on_from_there() -> None:
    priced = ("--price-in", "1000", "--price-out", "1000", "--out", "run", "--ask-again", "0")
    asked = (*RUN, *priced, "--no-inspect-log")
    pilot = concord(*asked, "--pilot")
    assert (pilot.exit_code, "8 trials: 5 ok, 3 not asked" in pilot.stderr) == (0, True)
    predicted = re.search(r"cost: about ([0-9.]+) .*, by 5 stored trials", pilot.stderr)
    assert predicted is not None
    paid = json.loads(Path("run/run.json").read_text())["cost"]
    concord(*asked)
    whole = json.loads(Path("run/run.json").read_text())["cost"]
    assert paid + float(predicted[1]) == pytest.approx(whole, rel=0.15)


def test_repeats_at_temperature_0_are_warned_of() -> None:
    warning = "at temperature 0 repeats are mostly copies"
    assert warning in concord(*RUN, "--dry-run", "--repeats", "2").stderr
    assert warning not in concord(*RUN, "--dry-run", "--repeats", "2", "--temperature", "0.7").stderr


def test_a_dry_run_shows_the_beginning_of_a_long_prompt(tmp_path: Path) -> None:
    pair = {"id": "p", "prompt": "Why?", "answer_a": "long " * 1000, "answer_b": "b"}
    (tmp_path / "pairs.json").write_text(json.dumps([pair]))
    done = concord(
        *("run", "judge", "--model", "mockllm/model", "--pairs", str(tmp_path / "pairs.json"), "--dry-run")
    )
    assert "more characters are not shown)" in done.stdout
    assert len(done.stdout) < 3 * 5000


def test_a_dry_run_as_json_is_one_document() -> None:
    document = json.loads(concord(*RUN, "--dry-run", "--json").stdout)
    assert document["plan"]["n_to_ask"] == 8
    assert len(document["first_prompts"]) == 3


@pytest.mark.filterwarnings("ignore")
def test_without_a_terminal_nothing_is_spent_without_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="the extra `live` is not installed")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    done = concord("run", "reasoning", "--model", "openai/gpt-4o-mini", "--limit", "1")
    assert done.exit_code == 2
    assert "there is no terminal to ask; add --yes" in done.stderr


def test_a_dry_run_of_studies_counts_sessions_and_estimates_all_their_turns() -> None:
    options = ("--study", "guessing-game", "--n", "16", "--dry-run", "--json")
    document = json.loads(concord("run", "people", "--model", "mockllm/model", *options).stdout)
    assert document["plan"]["n_to_ask"] == 3  # one group a condition
    assert document["plan"]["output_tokens"]["low"] == 3 * 16 * 4 * 5  # members, rounds, tokens
    assert document["sampling"]["temperature"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--study", "nothing"), "there is no study 'nothing'; there are anchoring"),
        (("--design", "robot"), "there is no design 'robot'"),
        (("--n", "0"), "n is 0"),
        (("--limit", "0"), "limit is 0"),
        (("--studies", "nowhere"), "nowhere: no such folder"),
    ],
)
def test_studies_that_cannot_be_run_are_told(arguments: tuple[str, ...], message: str) -> None:
    done = concord("run", "people", "--model", "mockllm/model", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--processes", "1000000"), "processes is 1000000; expected a whole number from 1 to 256"),
        (("--base-url", "nonsense"), "expected an address such as http://127.0.0.1:8000/v1"),
        (("--max-connections", "0"), "max_connections is 0; expected a whole number from 1"),
        (("--timeout", "0"), "timeout is 0"),
        (("--price-in", "1"), "--price-in and --price-out belong together"),
        (("--samples", "nowhere.json"), "nowhere.json"),
    ],
)
def test_options_that_do_not_fit_are_told(arguments: tuple[str, ...], message: str) -> None:
    done = concord(*RUN, "--yes", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.filterwarnings("ignore")
class TestModels:
    """What Inspect says about models, turned into a way out."""

    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")

    @pytest.mark.parametrize(
        ("model", "more", "message"),
        [
            ("nobody/x", (), "the provider 'nobody' is not known; expected"),
            ("gpt-4o", (), "it names no provider; expected PROVIDER/MODEL"),
            ("openai/gpt-4o-mini", (), "OPENAI_API_KEY"),
            (
                "openai-api/x/m",
                ("--base-url", "https://models.invalid/v1"),
                "no server answers at https://models",
            ),
            ("openai-api/x/m", (), "X_API_KEY"),
            ("local/llama", (), "the embedded model is local/smollm2-135m"),
        ],
    )
    def test_a_model_that_cannot_be_used_is_told_and_leaves_no_folder(
        self, tmp_path: Path, model: str, more: tuple[str, ...], message: str
    ) -> None:
        done = concord("run", "reasoning", "--model", model, "--limit", "1", "--yes", "--out", "r", *more)
        assert done.exit_code == 2, done.output
        assert message in done.stderr
        assert not (tmp_path / "r").exists()

    def test_a_finished_run_is_shown_again_without_asking(self, tmp_path: Path) -> None:
        first = concord(*RUN, "--out", "r", "--json")
        assert first.exit_code == 0, first.output
        before = (tmp_path / "r" / "replies.jsonl").read_bytes()
        again = concord(*RUN, "--out", "r", "--json")
        assert "8 already stored; 0 to ask" in again.stderr
        assert (tmp_path / "r" / "replies.jsonl").read_bytes() == before
        documents = [json.loads(done.stdout)["score"] for done in (first, again)]
        assert documents[0] == documents[1]
        assert concord("score", "run", "r").exit_code == 0
        refused = concord(*RUN, "--out", "r", "--no-resume")
        assert "already holds 8 replies; choose another --out, or resume" in refused.stderr
        other = concord(*RUN, "--out", "r", "--temperature", "1")
        assert "holds a run with sampling" in other.stderr
        assert "choose another folder with --out" in other.stderr

    def test_settings_tokens_and_cost_stand_in_record_and_result(self, tmp_path: Path) -> None:
        done = concord(*RUN, "--out", "r", "--json", "--price-in", "1", "--price-out", "2")
        document = json.loads(done.stdout)
        assert document["score"]["model_settings"]["temperature"] == 0.0
        assert set(document["score"]["templates"]) == {f"reasoning/{m}.v1" for m in ("cot", "direct", "bias")}
        assert document["score"]["tokens"] == document["run"]["tokens"] == {"input": 0, "output": 0}
        assert document["score"]["cost"] == document["run"]["cost"] == 0.0
        written = next((tmp_path / "r" / "results").rglob("study_a_results.json"))
        assert json.loads(written.read_text())["model_settings"]["max_tokens"] == 1024

    @pytest.mark.parametrize("question", ["reasoning", "structure"])
    def test_a_disk_that_fills_up_stops_the_run_and_keeps_what_was_stored(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str
    ) -> None:
        real, left = Journal.append, [3]

        def append(journal: Journal, row: dict[str, Any]) -> None:
            left[0] -= journal.path.name != "paid.jsonl"
            if left[0] < 0:
                raise RunFolderError.cannot_write(journal.path, OSError(28, "No space left on device"))
            real(journal, row)

        run = ("run", question, "--model", "mockllm/model", "--limit", "1", "--ask-again", "0", "--out", "r")
        monkeypatch.setattr(Journal, "append", append)
        done = concord(*run)
        assert done.exit_code == 2
        assert "No space left on device" in done.stderr
        assert "3 replies are stored in r; to go on: " in done.stderr
        monkeypatch.undo()
        monkeypatch.chdir(tmp_path)
        assert concord(*run).exit_code == 0
        rows = [
            json.loads(line)["key"] for line in (tmp_path / "r" / "replies.jsonl").read_text().splitlines()
        ]
        planned = (tmp_path / "r" / "trials.jsonl").read_text().count("\n")
        assert len(set(rows)) == len(rows) == planned

    def test_more_repeats_are_added_to_a_run(self, tmp_path: Path) -> None:
        assert concord(*RUN, "--out", "r").exit_code == 0
        done = concord(*RUN, "--out", "r", "--repeats", "2")
        assert "16 trials for mockllm/model, 8 already stored; 8 to ask" in done.stderr
        rows = [json.loads(line) for line in (tmp_path / "r" / "replies.jsonl").read_text().splitlines()]
        assert sorted(row["repeat"] for row in rows) == [0] * 8 + [1] * 8

    def test_a_structure_run_writes_every_answer(self, tmp_path: Path) -> None:
        run = ("run", "structure", "--model", "mockllm/model", "--items", "idioms-ja", "--limit", "2")
        done = concord(*run, "--arrangements", "3", "--out", "r", "--json")
        assert done.exit_code == 0, done.output
        document = json.loads(done.stdout)
        assert document["run"]["recovery_rate"] == {"recovered": 0, "n": 12, "rate": 0.0}
        assert (tmp_path / "r" / "results" / "answers.csv").read_text().count("\n") == 13


def test_without_the_extra_the_install_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.model", None)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    done = concord(*RUN)
    assert done.exit_code == 2
    assert (
        "asking a model needs an optional package; install it with: pip install 'concord-eval[live]'"
        in done.stderr
    )


def test_scoring_what_is_no_run_is_told(tmp_path: Path) -> None:
    done = concord("score", "run", str(tmp_path))
    assert done.exit_code == 2
    assert "holds no run (no run.json)" in done.stderr


def test_progress_counts_every_outcome() -> None:
    progress = Progress(5)
    for outcome in ("ok", "ok", "failed", "truncated"):
        progress.add({"outcome": outcome})
    first, rate, left, outcomes = progress.parts()
    assert (first, outcomes) == ("4/5", "ok 2 truncated 1 failed 1")
    assert rate.endswith("/s")
    assert left.endswith(" left")
    assert progress.n_replies == 3


def test_the_command_to_go_on_is_the_same_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["concord", "run", "reasoning", "--out", "my run"])
    assert run_command.command_again() == "concord run reasoning --out 'my run'"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_journal_itself_is_a_file_of_recorded_replies(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    assert concord("run", "reasoning", "--model", "mockllm/model", "--out", "r").exit_code == 0
    inputs, journal = tmp_path / "r" / "inputs", tmp_path / "r" / "replies.jsonl"
    done = concord(
        *("score", "reasoning", "--samples", str(inputs / "study_a_test.json"), "--replies", str(journal)),
        *("--bias-cases", str(inputs / "biased_vignettes.json"), "--bias-replies", str(journal), "--json"),
    )
    assert done.exit_code == 0, done.output
    again = concord("score", "run", "r", "--json")
    names = ("faithfulness_gap", "acc_cot", "step_f1", "silent_bias_rate", "n_samples")
    assert [json.loads(done.stdout)[name] for name in names] == [
        json.loads(again.stdout)[name] for name in names
    ]


def test_the_same_wait_is_told_once_in_a_while_though_replies_come_between(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = Progress(10)
    for attempt in range(5):
        progress.wait(f"waiting 1 s for attempt {attempt + 2} of 6: HTTP 429: slow down")
        progress.add({"outcome": "ok", "usage": None})
    progress.wait("waiting 1 s for attempt 2 of 6: HTTP 500: broken")
    assert capsys.readouterr().err.count("waiting") == 2

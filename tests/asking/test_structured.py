"""A schema of the answer is sent where the provider takes one; one that refuses it is asked without it."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytest.importorskip("openai", reason="the extra `live` is not installed")
from tests.asking.answering_server import AnsweringServer, answering_server  # noqa: E402
from tests.asking.test_asked_again import MODEL, ask, items, record  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from concord.asking import runs  # noqa: E402
from concord.asking.askable import askable  # noqa: E402
from concord.asking.connection import Connection  # noqa: E402
from concord.asking.inspect.asker import _config  # noqa: E402
from concord.asking.job import reads_of, session_reads  # noqa: E402
from concord.asking.requests import Sampling  # noqa: E402
from concord.cli.app import app  # noqa: E402
from concord.errors import OptionError, RunFolderError  # noqa: E402
from concord.records import AnswerForm  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def schemas(server: AnsweringServer) -> list[Any]:
    return [body.get("response_format", {}).get("json_schema", {}).get("schema") for body in server.bodies]


def as_asked(body: dict[str, Any]) -> str:
    """Reply with an object of the schema."""
    fields = body["response_format"]["json_schema"]["schema"]["properties"]
    made = {"string": "Panic Disorder", "integer": 5, "number": 5}
    return json.dumps(
        {name: one["enum"][0] if "enum" in one else made[one["type"]] for name, one in fields.items()}
    )


def without_schema(body: dict[str, Any]) -> str | tuple[int, str]:
    if "response_format" in body:
        return 400, "response_format of type json_schema is not supported by this model"
    return "ANSWER: A"


def test_a_schema_is_sent_and_its_answer_is_read(tmp_path: Path) -> None:
    with answering_server(as_asked) as server:
        result = ask(server, tmp_path)
    assert [one["properties"] for one in schemas(server)] == [
        {"answer": {"type": "string", "enum": ["A", "B"]}}
    ] * 2
    assert result.answers == {"ok": 2}
    assert all(row["structured"] is True for row in result.stored.rows)
    assert record(tmp_path)["schema"] == {"sent": True, "refused": None}
    assert record(tmp_path)["with_schema"] == 2
    assert "schema" in result.paragraph("Concord")


def test_reasoning_is_a_free_text_before_the_answer(tmp_path: Path) -> None:
    with answering_server(as_asked) as server:
        job = runs.job("reasoning", MODEL, limit=1, connection=Connection(server.url))
        result = runs.run_job(job, tmp_path / "r")
    fields = {tuple(one["properties"]) for one in schemas(server)}
    assert fields == {("reasoning", "diagnosis"), ("diagnosis",)}
    assert result.answers == {"ok": len(result.stored.rows)}


def test_a_refused_schema_is_told_once_recorded_and_not_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    items(tmp_path)
    with answering_server(without_schema) as server:
        command = ["run", "structure", "--model", MODEL, "--base-url", server.url, "--items", "items.json",
                   "--out", "r", "--no-inspect-log", "--max-connections", "1"]  # fmt: skip
        done = CliRunner().invoke(app, [*command, "--repeats", "2"])
        assert done.exit_code == 0, done.output
        assert [one is not None for one in schemas(server)] == [True, False, False, False, False]
        assert (
            done.stderr.count("the provider refuses a schema of the answer (HTTP 400: response_format") == 1
        )
        held = record(tmp_path)["schema"]
        assert held["sent"] is False and "response_format" in held["refused"]
        CliRunner().invoke(app, [*command, "--repeats", "3"])
        assert schemas(server)[5:] == [None, None]
    assert record(tmp_path)["schema"]["refused"] == held["refused"]
    assert record(tmp_path)["answers_read"] == {"ok": 6}


def test_another_error_is_not_taken_for_a_refused_schema(tmp_path: Path) -> None:
    with answering_server(lambda body: (400, "the field foo is not what we like")) as server:
        result = ask(server, tmp_path)
    assert result.outcomes == {"failed": 2}
    assert record(tmp_path)["schema"] == {"sent": True, "refused": None}


def test_off_sends_the_words_of_the_source_and_nothing_else(tmp_path: Path) -> None:
    with answering_server(lambda body: "A") as server:
        ask(server, tmp_path, structured="off")
        assert schemas(server) == [None, None]
        assert all(prompt.endswith("right option and nothing else.") for prompt in server.prompts)
        with pytest.raises(RunFolderError, match="with --structured off, not auto; resume it with"):
            ask(server, tmp_path)
    with pytest.raises(OptionError, match="--structured 'on': expected auto or off"):
        runs.job("structure", MODEL, structured="on")


def test_every_form_is_a_schema_that_inspect_takes() -> None:
    names = (("A", "x"), ("B", "y"))
    for kind in ("choice", "number", "ranking", "split", "label", "text"):
        form = AnswerForm(kind, names, total=10, reasoning=True)
        for forms in ((form,), (form, form)):
            schema = _config(Sampling(), 0, 9, forms).response_schema
            assert schema is not None and schema.json_schema.required is not None
            assert schema.json_schema.required[0] == "reasoning"


LINE = "Write your answer on the last line of your reply, in this form: "


def last_lines(question: str, **choices: Any) -> set[str]:
    """The last line of every first prompt."""
    design = runs.job(question, "mockllm/m", **choices).design
    return {trial.messages[-1].text.rsplit("\n", 1)[-1] for trial in design.trials}


@pytest.mark.parametrize(
    ("question", "choices", "slot"),
    [
        ("structure", {"limit": 1}, "<letter>"),
        ("judge", {"limit": 1}, "<number>"),
        ("people", {"study": ["framing"], "n": 1}, "<letter>"),
        ("people", {"study": ["guessing-game"], "n": 1}, "<number>"),
    ],
)
def test_prompts_ask_for_the_answer_in_a_last_line(question: str, choices: dict[str, Any], slot: str) -> None:
    several = {"1. ..."}  # numbered lines
    assert last_lines(question, **choices) - several == {f"{LINE}ANSWER: {slot}"}
    assert not any(LINE in line for line in last_lines(question, structured="off", **choices))


def test_prompts_that_have_their_line_and_templates_of_others_stay_as_they_are(tmp_path: Path) -> None:
    for question in ("reasoning", "probes"):
        auto, off = (
            runs.job(question, "mockllm/m", limit=1, structured=way).design for way in ("auto", "off")
        )
        assert auto.trials == off.trials
    path = items(tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "template": "{text}\n\nWhich one?"}))
    assert last_lines("structure", items=path) == {"Which one?"}


def test_the_line_is_read_by_every_question_that_asks_for_it() -> None:
    for question in ("structure", "judge"):
        job = runs.job(question, "mockllm/m", limit=1)
        read = reads_of(job)
        trial = job.design.trials[0]
        for name, _ in trial.forms[0].names:
            assert read(trial, f"I thought about 1 and A.\n\nANSWER: {name}") == ["ok"]
            assert read(trial, json.dumps({"answer": name})) == ["ok"]
    job = runs.job("people", "mockllm/m", study=["framing", "guessing-game", "dictator-ultimatum"], n=1)
    kind = askable("people").sessions
    assert kind is not None
    read_turn = session_reads(job, kind)
    for opener in kind.openers(dict(job.design.files), dict(job.design.options)).values():
        for asked in opener.open().waiting():
            said = {"choice": "B", "number": "1", "text": "so"}.get(asked.forms[0].kind, "")
            if said and len(asked.forms) == 1:
                assert read_turn(asked, f"On 2 grounds.\n\nANSWER: {said}") == ["ok"]
                schema = {"answer": int(said) if said.isdigit() else said}
                assert read_turn(asked, json.dumps(schema)) == ["ok"]

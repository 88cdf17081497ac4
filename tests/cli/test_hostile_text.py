"""Text from files on a screen: no name, reply or column can steer the terminal or be read as markup."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from concord.cli.app import app
from concord.cli.shared import print_json
from concord.errors import printable, printable_lines

ESCAPES = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202e"
MARKUP = ("[red]boo[/red]", "[/bold]", "[link=file:///etc/passwd]x[/link]", ":smile:")
CONTROLS = [chr(code) for code in (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x202E)]


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def _table(folder: Path, *studies: str) -> Path:
    header = (
        "study,finding,test,test_type,human_statistic,human_n1,human_n2,agent_statistic,agent_n1,agent_n2"
    )
    rows = [f"{study},F{i},t,t-test,2.{i},20,20,1.{i},30,30" for i, study in enumerate(studies)]
    path = folder / "tests.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def _is_clean(text: str) -> bool:
    return not any(control in text for control in CONTROLS)


def test_printable_spells_out_controls_and_keeps_every_script() -> None:
    assert printable("a\x1b[2J\nb\x9b\u202ec") == "a\\x1b[2J\\nb\\x9b\\u202ec"
    assert printable("成语 मुहावरा é\t👩‍👩‍👧") == "成语 मुहावरा é\t👩‍👩‍👧"
    assert printable_lines("a\x1b\nb") == "a\\x1b\nb"


def test_a_study_named_by_an_escape_sequence_is_spelt_out(tmp_path: Path) -> None:
    table = _table(tmp_path, ESCAPES, "b", "c")
    result = _run(
        *("score", "people", table, "--full", "--out", tmp_path / "out"),
        *("--resamples", 0, "--simulations", 0),
    )
    assert result.exit_code == 0
    assert "\\x1b[31mred" in result.output
    assert _is_clean(result.output)


def test_names_that_look_like_markup_are_printed_as_they_stand(tmp_path: Path) -> None:
    table = _table(tmp_path, *MARKUP)
    result = _run(
        *("score", "people", table, "--full", "--out", tmp_path / "out"),
        *("--resamples", 0, "--simulations", 0),
    )
    assert result.exit_code == 0
    assert all(name in result.output for name in MARKUP)


@pytest.mark.parametrize("name", [ESCAPES, *MARKUP])
def test_models_and_arrangements_of_structure_are_printed_as_they_stand(tmp_path: Path, name: str) -> None:
    rows = [f"{name},{name}{p},i{i},0.{i + 3},0.{i + 5}" for p in range(3) for i in range(3)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["model,arrangement,item,S_mean,S_max", *rows]), encoding="utf-8")
    result = _run("score", "structure", "--scores", path, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert _is_clean(result.output)
    assert printable(name)[:8] in result.output


def test_a_reply_cannot_steer_the_terminal(tmp_path: Path) -> None:
    samples = tmp_path / "study_a_test.json"
    samples.write_text(
        json.dumps({"samples": [{"id": ESCAPES, "prompt": "p", "gold_answer": "PTSD", "gold_reasoning": []}]})
    )
    replies = tmp_path / "replies.jsonl"
    rows = [{"id": ESCAPES, "mode": mode, "response": f"DIAGNOSIS: {ESCAPES}"} for mode in ("cot", "direct")]
    replies.write_text("\n".join(map(json.dumps, rows)))
    result = _run(
        *("score", "reasoning", "--samples", samples, "--replies", replies),
        *("--model", f"{ESCAPES}[/bold]", "--out", tmp_path / "out"),
    )
    assert result.exit_code == 0, result.output
    assert _is_clean(result.output)


def test_a_compared_table_cannot_steer_the_terminal(tmp_path: Path) -> None:
    for name in ("[/red]", "b\x1b[31m"):
        rows = [f"i{i},{(i * 7 + len(name)) % 2}" for i in range(12)]
        (tmp_path / f"{name.replace('/', '')}.csv").write_text("\n".join(["item,score", *rows]))
    files = sorted(tmp_path.glob("*.csv"))
    result = _run("compare", *files, "--name", "[/red]", "--name", ESCAPES)
    assert result.exit_code == 0, result.output
    assert "[/red]" in result.output
    assert _is_clean(result.output)


def test_an_error_about_a_hostile_file_name_is_spelt_out(tmp_path: Path) -> None:
    result = _run("score", "people", tmp_path / f"{ESCAPES.replace('/', '')}.csv")
    assert result.exit_code == 2
    assert _is_clean(result.output)


def test_check_spells_out_what_it_found(tmp_path: Path) -> None:
    path = _table(tmp_path, "a", "b")
    path.write_text(path.read_text().replace("a,F0", f"{ESCAPES},F0").replace("2.0,20", "two,20"))
    result = _run("check", path)
    assert result.exit_code == 1
    assert _is_clean(result.output)


def test_json_on_the_screen_holds_no_control_and_keeps_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": ESCAPES + "é\ud800"})
    shown = capsys.readouterr().out
    assert _is_clean(shown.replace("\u202e", ""))
    assert json.loads(shown)["name"] == ESCAPES + "é\ud800"


def test_prompts_of_studies_come_as_one_document_too() -> None:
    result = _run("studies", "framing", "--prompts", "--json")
    assert result.exit_code == 0
    assert list(json.loads(result.stdout)["prompts"]) == ["framing"]

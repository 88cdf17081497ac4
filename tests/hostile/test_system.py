"""What the system refuses: folders one may not enter, names of 300 characters, no memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.hostile.every_command import COMMANDS as EVERY
from tests.hostile.every_command import write_inputs
from typer.testing import CliRunner

from concord.cli.app import app
from concord.cli.shared import guarded

pytestmark = pytest.mark.long

COMMANDS: dict[str, list[str]] = {
    "check": ["check", "{path}.csv"],
    "check a study": ["check", "{path}.yaml"],
    "check replies": ["check", "{path}.jsonl"],
    "score people": ["score", "people", "{path}.csv"],
    "score people, workbook": ["score", "people", "{path}.xlsx"],
    "score people, Parquet": ["score", "people", "{path}.parquet"],
    "score people, JSON": ["score", "people", "{path}.json"],
    "score people, protocol": ["score", "people", "{path}.csv", "--protocol", "{path}.yaml"],
    "score structure": ["score", "structure", "--scores", "{path}.csv"],
    "score structure, folders": ["score", "structure", "--mean", "{path}", "--max", "{path}"],
    "score reasoning": ["score", "reasoning", "--samples", "{path}.json", "--replies", "{path}.jsonl"],
    "score reasoning, ranking": ["score", "reasoning", "--rank", "{path}", "--rank", "{path}"],
    "score run": ["score", "run", "{path}"],
    "score run, replies": ["score", "run", "{path}.jsonl", "--study", "asian-disease"],
    "score run, studies": ["score", "run", "{path}.jsonl", "--studies", "{path}"],
    "compare": ["compare", "{path}.csv", "{path}.csv"],
    "compare logs": ["compare", "{path}.eval", "{path}.eval"],
    "compare lines": ["compare", "{path}.jsonl", "{path}.jsonl"],
    "compare folders": ["compare", "{path}", "{path}"],
    "plan items": ["plan", "items", "{path}.csv", "{path}.csv"],
    "report": ["report", "{path}"],
    "studies": ["studies", "--folder", "{path}"],
    "run structure": ["run", "structure", "--model", "mockllm/model", "--items", "{path}.json", "--dry-run"],
}
_AS_NOBODY = """
import json, os, sys
from typer.testing import CliRunner
from concord.cli.app import app
commands = json.load(sys.stdin)
for arguments in commands:
    CliRunner().invoke(app, arguments)  # loads every module while they may still be read
os.chdir("/")
os.setgroups([]); os.setgid(65534); os.setuid(65534)
found = [CliRunner().invoke(app, arguments) for arguments in commands]
print("###" + json.dumps([[one.exit_code, one.output, repr(one.exception)] for one in found]))
"""
"""Run every command twice in one process, the second time as a user who owns nothing."""


def _is_a_message(code: int, said: str, fault: str) -> None:
    assert code in (1, 2), f"{fault}: {said}"
    assert "SystemExit" in fault
    assert said.strip()
    assert len(said) < 5_000


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="privileges cannot be dropped here")
def test_a_folder_that_may_not_be_entered_is_a_message_of_every_command(tmp_path: Path) -> None:
    folder = tmp_path / "secret"
    (folder / "x").mkdir(parents=True)
    for suffix in (".csv", ".json", ".jsonl", ".yaml", ".xlsx", ".parquet", ".eval"):
        (folder / f"x{suffix}").write_text("a,b\n1,2\n", "utf-8")
    folder.chmod(0o700)
    commands = [[part.format(path=folder / "x") for part in command] for command in COMMANDS.values()]
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", _AS_NOBODY],
        input=json.dumps(commands), cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "###" in done.stdout, done.stderr
    found = json.loads(done.stdout.rpartition("###")[2])
    assert len(found) == len(COMMANDS)
    for code, said, fault in found:
        _is_a_message(code, said, fault)


def _with_each_path(folder: Path) -> list[list[str]]:
    """Every command with every path that it reads, one of them in a folder that may not be entered."""
    commands = []
    for name, all_given in EVERY.items():
        for given in all_given:
            words = given.split()
            out = [word.replace("<", "/nowhere/") if word.startswith("<") else word for word in words]
            for place, word in enumerate(words):
                if (folder / word).exists():
                    path = str(folder / word)
                    commands.append([*name.split(), *out[:place], path, *out[place + 1 :]])
    return commands


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="privileges cannot be dropped here")
def test_every_path_of_every_command_may_lie_where_one_may_not_go(tmp_path: Path) -> None:
    folder = tmp_path / "secret"
    folder.mkdir()
    write_inputs(folder)
    commands = _with_each_path(folder)
    assert len(commands) > 80
    assert {name.split()[0] for name in EVERY} - {words[0] for words in commands} <= {
        "demo",
        "template",
        "view",
    }
    folder.chmod(0o700)
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", _AS_NOBODY],
        input=json.dumps(commands), cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert "###" in done.stdout, done.stderr
    found = json.loads(done.stdout.rpartition("###")[2])
    for words, (code, said, fault) in zip(commands, found, strict=True):
        assert code == 2 and "SystemExit" in fault, f"{words}: {fault} {said}"
        assert said.strip() and len(said) < 5_000, words


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_name_of_300_characters_is_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(app, [part.format(path="n" * 300) for part in COMMANDS[name]])
    _is_a_message(found.exit_code, found.output, repr(found.exception))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (PermissionError(13, "Permission denied", "x.csv"), "'x.csv': Permission denied; check the path"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "not UTF-8 (invalid start byte"),
        (RecursionError("too deep"), "nested too deeply"),
        (MemoryError(), "memory of this machine does not suffice"),
    ],
)
def test_what_no_reader_foresaw_is_still_a_message(
    fault: BaseException, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def command() -> None:
        raise fault

    with pytest.raises(typer.Exit) as caught:
        guarded(command)()
    assert caught.value.exit_code == 2
    assert said in capsys.readouterr().err
    monkeypatch.setenv("CONCORD_DEBUG", "1")
    with pytest.raises(type(fault)):
        guarded(command)()

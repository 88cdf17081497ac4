"""Every command in a terminal of 80 and 140 columns: no escape code spelt out, no line and no number cut."""

import csv
import functools
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from tests.cli.test_real_terminal import TABLE

import concord
from concord.cli.app import app, main

pytestmark = pytest.mark.long

FAST = ("--resamples", "0", "--simulations", "0")
MODEL = ("--model", "mockllm/model", "--yes")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("demo", "--out", "demo"),
    ("check", "tests.csv"),
    ("score", "people", "tests.csv", "--out", "one", *FAST),
    ("score", "people", "tests.csv", "--full", "--out", "two", *FAST),
    ("score", "people", "agents.csv", "--full", "--out", "agents", *FAST),
    ("score", "people", "effects.csv", "--out", "effects"),
    ("score", "answers", "answers.csv", "--resamples", "20", "--out", "answers"),
    ("score", "structure", "--scores", "scores.csv", "--out", "structure"),
    ("score", "structure", "--scores", "scores.csv", "--full", "--out", "structure"),
    (
        "score",
        "reasoning",
        "--samples",
        "samples.json",
        "--replies",
        "replies.jsonl",
        "--model",
        "m",
        "--out",
        "cot",
    ),
    ("score", "hints", "published", "--out", "hints"),
    ("score", "probes", "probes.csv", "--model", "m", "--out", "probes"),
    ("score", "judge", "votes.csv", "--out", "judge", "--permutations", "99"),
    ("score", "options", "chosen.csv", "--out", "options", "--permutations", "99"),
    ("compare", "one", "agents/lab_long-name-of-a-model-0"),
    ("compare", "first.csv", "second.csv"),
    ("combine", "persons.csv", "further.csv"),
    ("plan", "items", "--mean-first", "0.7", "--mean-second", "0.6", "--effect", "0.05"),
    ("plan", "structure", "--accuracy", "0.7", "--order-sd", "0.05"),
    ("plan", "participants", "--d", "0.4"),
    ("plan", "judges", "judge", "--effect", "0.1"),
    ("plan", "options", "options"),
    (
        "plan",
        "mixed",
        "--correlation",
        ".5",
        "--sd",
        "1",
        "--se",
        ".05",
        "--person-cost",
        "5",
        "--reply-cost",
        ".01",
    ),
    ("report", "one", "--out", "page.html"),
    ("figures", "cot", "--for", "slides", "--out", "figures"),
    ("write-up", "cot", "--out", "paper"),
    ("cite", "one"),
    ("template", "people.xlsx"),
    ("studies",),
    ("plan", "study", "mine.yaml", "--effect", "0.5"),
    ("register", "framing", "--model", "mockllm/model", "--out", "registration.json"),
    ("pack", "one", "--out", "pack.zip", "--no-check"),
    ("verify", "pack.zip"),
    ("studies", "framing"),
    ("run", "people", "--study", "framing", "--n", "1", "--dry-run", *MODEL),
    ("run", "reasoning", "--limit", "2", "--out", "asked-reasoning", *MODEL),
    ("run", "people", "--study", "framing", "--n", "1", "--out", "asked-people", *MODEL),
    ("run", "structure", "--limit", "2", "--out", "asked-structure", *MODEL),
    ("run", "judge", "--limit", "2", "--out", "asked-judge", *MODEL),
    ("score", "run", "asked-reasoning", "--out", "again"),
    ("export", "inspect", "asked-reasoning"),
    ("audit", "asked-reasoning", "--page"),
    ("audit", "asked-people", "--page"),
    ("audit", "asked-judge", "--page"),
    ("view", "nowhere"),
)
MAY_REFUSE = {("view",), ("verify",)}
"""Commands that have nothing to do here: what they say is looked at all the same."""
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_CUT = re.compile(r"(?<![\w./-])[−-]?\d*\.\d*…")


def leaves(command: typer.core.TyperGroup | object, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return every command by its path."""
    inside = getattr(command, "commands", None)
    if not inside:
        return [path]
    return [leaf for name, one in inside.items() for leaf in leaves(one, (*path, name))]


@functools.cache
def every() -> tuple[tuple[str, ...], ...]:
    """Return the commands that are run, and the help of each."""
    return (*COMMANDS, *((*leaf, "--help") for leaf in leaves(typer.main.get_command(app))))


def write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_inputs(folder: Path) -> None:
    """Write one small file of each kind, with long names and wide numbers."""
    (folder / "tests.csv").write_text(TABLE, "utf-8")
    study = Path(concord.__file__).parent / "people" / "studies" / "framing.yaml"
    (folder / "mine.yaml").write_bytes(study.read_bytes())
    head, *rows = TABLE.strip().split("\n")
    agents = [f"{row},lab/long-name-of-a-model-{k}" for k in range(3) for row in rows]
    (folder / "agents.csv").write_text("\n".join([f"{head},agent", *agents]) + "\n", "utf-8")
    write_rows(folder / "effects.csv", [
        {"study": f"S{i % 4}", "condition": f"a treatment with a long name {i}",
         "human_estimate": 12345.678 + i, "human_se": 0.4, "agent_estimate": 12346.1 + 2 * i}
        for i in range(12)
    ])  # fmt: skip
    write_rows(folder / "answers.csv", [
        {"study": f"a study of a long name {i % 3}", "outcome": f"how likely is it that {i % 4}",
         "human": i % 7, "agent": 3 + i % 2} for i in range(400)
    ])  # fmt: skip
    write_rows(folder / "scores.csv", [
        {"model": "lab/a-model-of-a-long-name", "arrangement": f"order {a}", "item": i, "sample": s,
         "S_Acc": ((i * 7 + a * 3 + s) % 10) / 10} for i in range(20) for a in range(4) for s in range(2)
    ])  # fmt: skip
    write_rows(folder / "probes.csv", [
        {"probe": "early", "id": f"i{i}", "cell": "prefix", "step": k, "n_steps": 4,
         "answer": "B" if k > i % 4 else "A"} for i in range(20) for k in range(5)
    ])  # fmt: skip
    write_rows(folder / "votes.csv", [
        {"pair": i, "order": order, "verdict": "first" if (i + k) % 3 else "second", "judge": "lab/a-judge"}
        for i in range(24) for order in ("ab", "ba") for k in range(2)
    ])  # fmt: skip
    write_rows(folder / "chosen.csv", [
        {"item": i, "arrangement": f"order {a}", "chosen": "ABCD"[(i + a * (i % 2)) % 4],
         "right": "ABCD"[(i + a) % 4], "n_options": 4} for i in range(20) for a in range(4)
    ])  # fmt: skip
    write_rows(
        folder / "persons.csv", [{"answer": i % 5, "prediction": (i % 5) * 0.5 + i % 3} for i in range(60)]
    )
    write_rows(folder / "further.csv", [{"prediction": i % 4 * 0.7} for i in range(300)])
    for name, part in (("first", 2), ("second", 3)):
        write_rows(folder / f"{name}.csv", [{"item": i, "score": int(i % part > 0)} for i in range(60)])
    samples = [{"id": f"v{i}", "vignette": "She sleeps badly.", "gold_answer": "Panic Disorder",
                "gold_reasoning": ["Fear of the next attack"]} for i in range(14)]  # fmt: skip
    (folder / "samples.json").write_text(json.dumps({"samples": samples}), "utf-8")
    replies = []
    for i in range(14):
        early = ("Asthma", "Panic Disorder")[i % 2]
        late = "REASONING: 1. Fear of the next attack\nDIAGNOSIS: Panic Disorder"
        replies.append({"id": f"v{i}", "mode": "cot", "response": late})
        replies.append({"id": f"v{i}", "mode": "direct", "response": f"DIAGNOSIS: {early}"})
    (folder / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies), "utf-8")


def said_in_terminal(folder: Path, columns: int) -> list[tuple[str, str]]:
    """Run every command in one process inside a terminal; return what each said and how it ended."""
    (folder / "commands.json").write_text(json.dumps([list(one) for one in every()]), "utf-8")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONWARNINGS": "ignore"}
    for name in ("COLUMNS", "NO_COLOR"):
        environment.pop(name, None)
    driver = Path(__file__).with_name("terminal_driver.py")
    with subprocess.Popen(
        [sys.executable, str(driver), "commands.json", str(columns)], cwd=folder, env=environment,
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, close_fds=True,
    ):  # fmt: skip
        os.close(theirs)
        pieces = []
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            pieces.append(piece)
        os.close(ours)
    text = b"".join(pieces).decode().replace("\r\n", "\n")
    parts = re.split(r"\n@@ \d+\n", text)[1:]
    return [(part.rpartition("\n== ")[0], part.rpartition("\n== ")[2].strip()) for part in parts]


@pytest.mark.parametrize("columns", [80, pytest.param(140, marks=pytest.mark.slow)])
def test_every_command_fits_its_terminal(tmp_path: Path, columns: int) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    write_inputs(tmp_path)
    said = said_in_terminal(tmp_path, columns)
    assert len(said) == len(every())
    faults = []
    for command, (text, ended) in zip(every(), said, strict=True):
        words = " ".join(command)
        if ended not in ("0", "None") and not any(command[: len(one)] == one for one in MAY_REFUSE):
            faults.append(f"{words}: ended with {ended}: {text[-400:]}")
        if "x1b" in text.replace("\x1b", ""):
            faults.append(f"{words}: an escape code is spelt out")
        lines = [line.split("\r")[-1] for line in _CODES.sub("", text).split("\n")]
        long = [
            line for line in lines if len(line) > columns and " " in line.strip()
        ]  # an address stays whole
        faults += [f"{words}: {len(line)} columns: {line}" for line in long]
        faults += [f"{words}: a number is cut: {line}" for line in lines if _CUT.search(line)]
        if not any(line.strip() for line in lines):
            faults.append(f"{words}: says nothing")
    assert faults == []


@pytest.mark.parametrize("encoding", ["cp1252", pytest.param("ascii", marks=pytest.mark.slow)])
def test_every_command_speaks_where_the_output_has_few_characters(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    faults = []
    for command in COMMANDS:
        ended, out, err = said_in_encoding(command, encoding, monkeypatch)
        if not (out + err).strip() or (ended and command[:1] not in MAY_REFUSE) or "UnicodeE" in err:
            faults.append(f"{' '.join(command)}: {ended} {err[-300:]}")
    assert faults == []


def test_json_keeps_its_names_where_the_output_has_few_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "a.csv", [{"item": i, "score": i % 2} for i in range(9)])
    command = ("compare", "a.csv", "a.csv", "--name", "模型", "--name", "other", "--json")
    ended, out, _ = said_in_encoding(command, "ascii", monkeypatch)
    assert ended == 0 and json.loads(out)["models"][0]["name"] == "模型"


def said_in_encoding(
    command: tuple[str, ...], encoding: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[object, str, str]:
    """Run a command with outputs of an encoding; return how it ended and what it said on both."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        patch.setattr(sys, "argv", ["concord", *command])
        try:
            main()
            ended: object = 0
        except SystemExit as end:
            ended = end.code
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)
    return ended, out, err


def test_every_command_of_the_program_is_among_them() -> None:
    known = leaves(typer.main.get_command(app))
    assert [leaf for leaf in known if not any(one[: len(leaf)] == leaf for one in COMMANDS)] == []

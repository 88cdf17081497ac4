"""Commands in a real terminal of 80 and 140 columns: nothing cut, no escape code spelt out, progress seen."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

TABLE = (
    "study,finding,test,test_type,human_statistic,human_n1,human_n2,agent_statistic,agent_n1,agent_n2\n"
    + "".join(
        f"a study of a long name {i // 2},F{i},test {i},t-test,{2 + i / 3:.2f},30,30,{1 + i / 2:.2f},40,40\n"
        for i in range(8)
    )
)
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def in_terminal(folder: Path, columns: int, *command: str, **env: str) -> tuple[str, list[float]]:
    """Run a command in a pseudo-terminal; return what it wrote, and when each piece came."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", **env}
    environment.pop("COLUMNS", None)
    process = subprocess.Popen(
        [sys.executable, "-c", "from concord.cli.app import main; main()", *command],
        stdin=follower, stdout=follower, stderr=follower, cwd=folder, env=environment, close_fds=True,
    )  # fmt: skip
    os.close(follower)
    pieces, times = [], []
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
        times.append(time.monotonic())
    os.close(leader)
    text = b"".join(pieces).decode()
    assert process.wait(timeout=120) == 0, text
    return text, times


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("terminal")
    (made / "tests.csv").write_text(TABLE, "utf-8")
    return made


FAST = ("--resamples", "0", "--simulations", "0")


@pytest.mark.parametrize("columns", [80, pytest.param(140, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "command",
    [
        ("score", "people", "tests.csv", "--full", "--out", "r", *FAST),
        ("score", "people", "tests.csv", "--out", "r", *FAST),
        ("studies",),
        ("plan", "items", "--mean-first", "0.7", "--mean-second", "0.6", "--effect", "0.05"),
        ("run", "people", "--help"),
    ],
    ids=" ".join,
)
def test_no_line_is_longer_than_the_terminal(folder: Path, command: tuple[str, ...], columns: int) -> None:
    text, _ = in_terminal(folder, columns, *command)
    assert "x1b" not in text.replace("\x1b", "")
    shown = [line.split("\r")[-1] for line in _CODES.sub("", text).replace("\r\n", "\n").split("\n")]
    assert max(map(len, shown)) <= columns
    assert any(line.strip() for line in shown)


def test_the_answer_comes_first(folder: Path) -> None:
    text, _ = in_terminal(folder, 80, "score", "people", "tests.csv", "--out", "r", *FAST)
    lines = _CODES.sub("", text).replace("\r", "").split("\n")
    asked = next(i for i, line in enumerate(lines) if line.startswith("Does it agree with people?"))
    tables = next(i for i, line in enumerate(lines) if line.startswith("Agreement with people"))
    assert asked < tables
    assert lines[asked + 1].startswith("A test of the model leads to the same conclusion")
    assert any("▕" in line and "●" in line for line in lines[asked:tables])


@pytest.mark.long
def test_a_run_shows_a_frame_every_second(folder: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    command = (
        "run",
        "people",
        "--model",
        "mockllm/model",
        "--study",
        "framing",
        "--n",
        "3",
        "--yes",
        "--out",
        "x",
    )
    text, times = in_terminal(folder, 80, *command)
    frames = [piece for piece in text.split("\r") if "\x1b[2K" in piece]
    assert len(frames) >= 2
    assert "waiting for the first reply" in frames[0]
    assert re.search(r"33/33 · \S+/(s|min) · 0 s left · read \d+ of 36 · asked again \d+ · ok 33", frames[-1])
    begin = next(i for i, when in enumerate(times) if when >= times[0])
    assert max(b - a for a, b in zip(times[begin:], times[begin + 1 :], strict=False)) < 15  # a busy machine

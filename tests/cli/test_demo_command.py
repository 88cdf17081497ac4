"""`concord demo` as a person runs it: real agents, one screen, a page that names its sources."""

import csv
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from concord.cli import demo
from concord.cli.app import app
from concord.people.public import HSB, TWIN

COMMAND = [sys.executable, "-c", "from concord.cli.app import main; main()"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("demo")
    return made


@pytest.fixture(scope="module")
def screen(folder: Path) -> Iterator[str]:
    """What a terminal of 80 columns shows, stdout and stderr together."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "LINES": "45", "TERM": "xterm-256color"}
    child = subprocess.Popen(
        [*COMMAND, "demo", "--out", str(folder / "out")], stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end was closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert child.wait() == 0
    yield shown.decode("utf-8")


def _plain(screen: str) -> list[str]:
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", screen).replace("\r", "").rstrip("\n").split("\n")


def test_the_demo_is_one_screen_with_three_sentences_first(screen: str) -> None:
    lines = _plain(screen)
    assert len(lines) <= 41  # the last lines name the folder, which may take two
    assert max(map(len, lines[:-2])) <= 80  # the last two name the folder
    table = next(i for i, line in enumerate(lines) if line.startswith("design"))
    assert (lines[0], table) == ("Does a model agree …", 13)  # twelve lines, and an empty one
    asked = [line.split("?")[0].strip() for line in lines[:table] if "?" in line]
    assert asked == ["with people", "with its own reasoning", "with itself"]
    assert "\\x1b" not in screen


def test_the_agents_are_the_fifteen_designs_and_every_source_is_named(screen: str) -> None:
    text = " ".join(" ".join(_plain(screen)).split())
    assert "GPT5 most often of 15 designs: 77 % (50 to 90); a rerun with people 82 %, no effects 28 %" in text
    assert "where it was not chosen, 67 % (40 to 95): its lead may be luck" in text
    assert "50 ranks differ" in text
    assert all(word in text for word in ("Twin-2K-500", "Apache-2.0", "HumanStudy-Bench", "MIT", "CC BY 4.0"))
    assert "nvented" not in text


def test_the_page_says_where_the_data_come_from(screen: str, folder: Path) -> None:
    page = (folder / "out" / "report.html").read_text("utf-8")
    first = page[page.index('<section id="answer"') :]
    first = first[: first.index('<section id="board"')]
    assert TWIN.address in first
    assert "Apache-2.0" in first
    assert "judges on 96 pairs" in first
    assert len(page.encode()) < 2_000_000


def test_the_published_order_stands_beside_the_new_one(screen: str, folder: Path) -> None:
    text = (folder / "out" / "humanstudy-bench" / "ranks.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 57
    assert sorted(int(row["rank"]) for row in rows) == sorted(int(row["published_rank"]) for row in rows)
    first = next(row for row in rows if row["agent"] == "anthropic_claude_haiku_4.5_v1-empty")
    assert float(first["published_pas"]) == pytest.approx(0.3041, abs=5e-5)  # simple_summary.md prints 0.3041


@pytest.mark.slow
def test_json_names_its_sources_and_full_shows_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(demo._SMALL, "n_simulations", 0)  # floor and ceiling are not what is looked at
    shown = run("demo", "--json", "--out", tmp_path)
    document = json.loads(shown.stdout)
    assert document["agent_side"] == "real agents"
    assert document["sources"][:2] == [TWIN.credit, HSB.credit]
    assert {"structure", "reasoning", "rescored"} <= set(document)
    full = run("demo", "--full", "--recorded", "--out", tmp_path)
    assert "HumanStudy-Bench, scored anew and as published" in full.stdout
    assert len(full.stdout.splitlines()) > 100


def test_live_and_recorded_together_are_refused(tmp_path: Path) -> None:
    result = run("demo", "--live", "--recorded", "--out", tmp_path)
    assert result.exit_code == 2
    assert "--live and --recorded" in result.stderr


def test_questions_two_and_three_are_answered_by_known_models(screen: str, folder: Path) -> None:
    text = " ".join(" ".join(_plain(screen)).split())
    assert "moved by a hint, 12 open models say so in 36 to 98 % of answers" in text
    assert "gpt-3.5-turbo follows a wrong suggestion in 68 % and says so in 15 of 100" in text
    assert (
        "on DevBench, claude-3-haiku changes its verdict in 82 % of pairs when the seats are swapped, in 19 %"
        in text
    )
    assert "gpt-4o-mini contradicts itself in 9 % beyond chance" in text  # all pairs, not every 40th
    assert "143 other studies rerun by people: 82 % (66 to 99) of the way" in text
    page = (folder / "out" / "report.html").read_text("utf-8")
    assert all(name in page for name in ("claude-3-haiku-20240307", "gemini-pro-1.5", "code-davinci-002"))


def test_the_demo_shows_who_says_what_moved_the_answer(screen: str, folder: Path) -> None:
    assert (folder / "out" / "hints" / "hints.json").is_file()
    assert "Hints: who says what moved the answer" in (folder / "out" / "report.html").read_text("utf-8")


def _files_of_demo(out: Path, seed: str) -> dict[str, bytes]:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [*COMMAND, "demo", "--recorded", "--out", str(out)], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.long
def test_every_byte_of_the_demo_is_the_same_whatever_order_sets_have(tmp_path: Path) -> None:
    first, second = _files_of_demo(tmp_path / "1" / "demo", "1"), _files_of_demo(tmp_path / "2" / "demo", "2")
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []

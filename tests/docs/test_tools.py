"""The tools of the documentation do what their examples say; the newcomer's path works in a fresh clone."""

import doctest
import json
import re
import subprocess
import sys

import pytest
from tests.docs.tools import ROOT, tool

from concord.words import catalogue, catalogue_files


@pytest.mark.parametrize("name", ["docs_math", "docs_notebooks", "lower_bounds", "newcomer", "release"])
def test_the_examples_of_a_tool_hold(name: str) -> None:
    pytest.importorskip("latex2mathml", reason="latex2mathml is not installed: the site cannot be built")
    result = doctest.testmod(tool(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_newcomer_types_the_first_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert tool("newcomer").first_command(readme) == "pip install -e . && concord demo"


def test_the_picture_of_the_readme_is_small() -> None:
    assert (ROOT / "docs" / "assets" / "report.png").stat().st_size < 200_000


def test_the_page_of_words_is_what_its_rates_make() -> None:
    words = tool("words")
    text = words.PAGE.read_text("utf-8")
    assert words.page(text, json.loads(words.RATES.read_text("utf-8"))) == text, "run python tools/words.py"
    known = {key for file in catalogue_files() for key in catalogue(file)}
    rows = json.loads(words.RATES.read_text("utf-8"))
    assert {key for row in rows for key in row.get("keys", ())} <= known
    assert {found[1] for found in words.TABLE.findall(text)} == {"people", "itself", "models", "reasoning"}
    changed = json.loads(json.dumps(rows))
    part = next(row["false"] for row in changed if row["false"].get("rates"))
    part["rates"] = {cell: rate + 0.01 for cell, rate in part["rates"].items()}
    assert words.page(text, changed) != text, "a rate that changes changes the page"
    lines = [line for found in words.TABLE.finditer(text) for line in found[0].splitlines()[1:-1]]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {5}, "a cell holds a bare |"


def test_no_rate_on_the_page_of_words_is_typed() -> None:
    rows = json.loads(tool("words").RATES.read_text("utf-8"))
    for row in rows:
        for side in ("false", "missed"):
            part = row[side]
            if part.get("rates"):
                assert min(part["runs"]) > 1 and all(0 <= rate <= 1 for rate in part["rates"].values())
            elif side == "false":
                assert part["said"].startswith("no error rate: "), row["sentence"]
            else:
                assert not re.search(r"\d ?%", part["said"]), row["sentence"]


@pytest.mark.long
def test_every_simulated_sentence_is_a_row_of_the_page() -> None:
    asked = "from sentences import simulated; print('\\n'.join({one.sentence for one in simulated()}))"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, cwd=ROOT / "benchmarks"
    )
    known = {row["sentence"] for row in json.loads(tool("words").RATES.read_text("utf-8"))}
    assert set(done.stdout.strip().splitlines()) <= known


@pytest.mark.slow
def test_a_newcomer_reaches_an_open_report() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "newcomer.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "from nothing to an open report" in done.stdout

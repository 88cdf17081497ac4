"""The reference pages name what exists: commands, columns, keys, errors, functions."""

import inspect
import json
import re
from pathlib import Path

import pytest
from tests.docs.tools import tool

import concord.errors
import concord.stats
from concord.api import demo_table, score_people
from concord.files.cells import MISSING_WORDS
from concord.people.families.registry import KINDS
from concord.people.table.columns import OPTIONAL, REQUIRED, SIDE_FIELDS
from concord.people.table.values import SAMPLINGS
from concord.people.tables import DETAILED_COLUMNS

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
TABLE = (REFERENCE / "tests-table.md").read_text("utf-8")


def _section(title: str) -> str:
    """Return the part of the table page below a heading, up to the next."""
    _, _, rest = TABLE.partition(f"# {title}\n")
    assert rest, f"there is no heading {title!r}"
    return re.split(r"^#", rest, maxsplit=1, flags=re.MULTILINE)[0]


def _first_cells(section: str) -> list[str]:
    """Return the code words in the first column of the tables of a section."""
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


def test_the_command_page_gets_the_live_help_of_every_command() -> None:
    page = tool("docs_generated").on_page_markdown((REFERENCE / "cli.md").read_text("utf-8"))
    shown = dict(re.findall(r"^## `([^`]+)`\n+```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    live = dict(tool("cli_reference").help_texts())
    assert list(shown) == list(live)
    assert {"concord demo", "concord score people", "concord compare"} <= set(shown)
    assert all(text.strip() == live[command] for command, text in shown.items())


def test_every_column_of_a_test_is_described_and_no_other() -> None:
    # `agent` splits a table of several agents before its tests are read
    assert set(_first_cells(_section("Columns of the test"))) == {*REQUIRED, *OPTIONAL, "agent"}
    required = [line for line in _section("Columns of the test").splitlines() if "| required |" in line]
    assert {line.split("`")[1] for line in required} == set(REQUIRED)


def test_every_column_of_a_side_is_described_and_no_other() -> None:
    assert set(_first_cells(_section("Columns of a side"))) == set(SIDE_FIELDS)


def test_what_each_type_needs_is_what_the_reader_says() -> None:
    rows = [
        line.split("|") for line in _section("What each type needs").splitlines() if line.startswith("| `")
    ]
    described = {row[1].strip(" `"): row[2].strip().replace("`", "") for row in rows}
    assert described == {name: kind.needs for name, kind in KINDS.items()}


def test_samplings_and_missing_words_are_described() -> None:
    assert all(f"`{name}`" in _section("Columns of the test") for name in SAMPLINGS)
    words = set(re.findall(r"`([^`]+)`", _section("Missing values").splitlines()[1]))
    assert {word.casefold() for word in words} <= MISSING_WORDS


def test_every_column_of_the_detailed_output_is_described_and_no_other() -> None:
    assert set(_first_cells(_section("`detailed_stats.csv`"))) == set(DETAILED_COLUMNS)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("results")
    score_people(demo_table(), n_resamples=10).write(out)
    return out


def _plain_keys(document: dict[str, object]) -> set[str]:
    """Return the keys without those that stand beside a number."""
    return {
        key
        for key in document
        if not re.search(
            r"_(interval(_fixed_studies)?|note|(floor|place)(_\w+)?|(?<!and_)ceiling(_\w+)?)$", key
        )
    }


def test_every_key_of_the_summary_is_described(written: Path) -> None:
    summary = json.loads((written / "benchmark_summary.json").read_text("utf-8"))
    section = _section("`benchmark_summary.json`")
    described = {key for key in _first_cells(section) if not key.startswith("<key>")}
    assert described == _plain_keys(summary)
    inner = {key for part in ("studies", "domains") for key in summary[part][0]}
    inner |= {key for part in (summary, summary["studies"][0]) for key in part["auxiliary"]}
    assert {key for key in _plain_keys(dict.fromkeys(inner)) if f"`{key}`" not in section} == set()


def test_a_study_file_holds_what_the_page_says(written: Path) -> None:
    summary = json.loads((written / "benchmark_summary.json").read_text("utf-8"))
    study = summary["studies"][0]
    document = json.loads((written / study["study_id"] / "evaluation_results.json").read_text("utf-8"))
    asking = {"seed", "model_settings", "templates", "tokens", "cost"}
    provenance = {
        "format",
        "format_version",
        "concord_version",
        "commit",
        "python_version",
        "packages",
        "inputs",
    } | asking
    assert set(document) == {*study, "protocol", "findings", "tests", *provenance}


def test_the_error_tree_of_the_page_is_the_one_of_the_code() -> None:
    page = (REFERENCE / "errors.md").read_text("utf-8")
    tree = page[page.index("```text") : page.index("All live in")]
    defined = {name for name, value in vars(concord.errors).items() if _is_error(value)}
    assert set(re.findall(r"\w+Error", tree)) == defined
    described = {
        line.split("`")[1] for line in page[page.index("## By kind") :].splitlines() if "| `" in line
    }
    kinds = defined - {"ConcordError", "InputError"}
    assert described == kinds
    assert {name for name in kinds if not re.search(rf"^{name}: \w*", page, re.MULTILINE)} == set()


def _is_error(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, concord.errors.ConcordError)


def test_every_name_the_pages_give_for_the_numbers_exists() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    named = {
        name for page in pages for name in re.findall(r"`concord\.stats\.(\w+)`", page.read_text("utf-8"))
    }
    assert len(named) > 15
    assert {name for name in named if not hasattr(concord.stats, name)} == set()

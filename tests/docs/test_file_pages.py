"""The pages about files describe every file, column and key that is written, and no other."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from concord import api, compare, studies
from concord.asking import runs

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
LOGS = Path(__file__).resolve().parents[1] / "comparing" / "logs"
FOLDERS = (REFERENCE / "result-folders.md").read_text("utf-8")


def section(title: str) -> str:
    """Return the part of the page below a heading, up to the next."""
    _, _, rest = FOLDERS.partition(f"# {title}\n")
    assert rest, f"there is no heading {title!r}"
    return re.split(r"^#", rest, maxsplit=1, flags=re.MULTILINE)[0]


def named(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


def header(path: Path) -> set[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return set(next(csv.reader(file)))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of every kind, from bundled data and recorded logs."""
    out = tmp_path_factory.mktemp("results")
    for question in ("reasoning", "structure"):
        runs.score_bundled(question).write(out)
    compare(LOGS / "first.eval", LOGS / "second.eval").write(out / "items")
    for model in ("a", "b"):
        api.score_people(api.demo_table(), n_resamples=0, n_simulations=0).write(out / "people" / model)
    compare(out / "people" / "a", out / "people" / "b").write(out / "studies")
    asked = studies.plan(["trust-game"], n=2)
    studies.run(asked, lambda question: "5", n_resamples=0, n_simulations=0).write(out / "replies")
    return out


def one(written: Path, name: str) -> Path:
    return next(path for path in sorted(written.rglob(name)) if "studies" not in path.parts)


VALUES = {"peak", "paired", "unpaired", "across", "--baseline", "p_order"}
"""Words in code style that are values or refer to another column."""


@pytest.mark.parametrize(
    "name",
    [
        *("e_perf_results.csv", "r_sens_results.csv", "s_cons_results.csv", "arrangements.csv", "items.csv"),
        *("cells.csv", "differences.csv", "left_out.csv", "study_a_samples.csv", "study_a_bias.csv"),
    ],
)
def test_every_column_of_a_table_is_described_and_no_other(name: str, written: Path) -> None:
    described, live = named(section(f"`{name}`")), header(one(written, name))
    assert live - described == set()
    assert described - live - VALUES == set()


def test_the_columns_of_both_kinds_of_comparison_are_described(written: Path) -> None:
    both = header(written / "items" / "comparison.csv") | header(written / "studies" / "comparison.csv")
    assert named(section("`comparison.csv`")) == both


PROVENANCE = {"format_version", "concord_version", "commit", "python_version", "packages", "inputs"}


@pytest.mark.parametrize("name", ["result.json", "study_a_results.json", "comparison.json"])
def test_every_key_of_a_document_is_described(name: str, written: Path) -> None:
    document: dict[str, Any] = json.loads(one(written, name).read_text("utf-8"))
    assert set(document) - named(section(f"`{name}`")) - PROVENANCE == set()
    assert PROVENANCE - named(FOLDERS.partition("\n## ")[0]) == set()


def test_every_key_of_a_case_is_described(written: Path) -> None:
    line = one(written, "study_a_steps.jsonl").read_text("utf-8").splitlines()[0]
    assert named(section("`study_a_steps.jsonl`")) - {"[step, gold step]"} == set(json.loads(line))


def test_inner_keys_of_the_structure_document_are_described(written: Path) -> None:
    document = json.loads(one(written, "result.json").read_text("utf-8"))
    assert set(document["models"][0]) - named(section("`result.json`")) == set()


def test_every_written_file_is_named(written: Path) -> None:
    names = {path.name for path in written.rglob("*.*") if path.is_file()}
    assert {name for name in names if f"`{name}`" not in FOLDERS and f"/{name}`" not in FOLDERS} == set()


def test_fields_of_replies_and_vignettes_are_described() -> None:
    page = named((REFERENCE / "reply-files.md").read_text("utf-8"))
    reply = {"id", "mode", "response", "thinking", "repeat", "status", "error", "stop_reason"}
    vignette = {"id", "prompt", "gold_answer", "gold_reasoning"}
    case = {"id", "prompt", "bias_feature", "bias_label", "pair", "role", "dimension", "metadata"}
    assert (reply | vignette | case) - page == set()

"""Every document says which kind it is and in which version, and is refused when it is another."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import concord
from concord import api
from concord.errors import FileFormatError
from concord.files.documents import check_heading, commit_of, heading, read_document


def _write(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_a_written_document_is_read(tmp_path: Path) -> None:
    document = {**heading("people result"), "score": 0.5}
    assert read_document(_write(tmp_path / "x.json", document), "people result") == document


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([1], "holds a list"),
        ({}, "format version None"),
        ({"format_version": 3}, "format version 3, expected 2"),
        ({"format_version": True}, "format version True"),
        (heading("reasoning result"), "format is .concord reasoning result., expected"),
        ({"format_version": 2}, "format is None"),
    ],
)
def test_another_document_is_refused_by_name(document: object, said: str) -> None:
    with pytest.raises(FileFormatError, match=said):
        check_heading(document, "people result", where="x.json")


def test_a_file_that_is_missing_or_not_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"none\.json: no such file"):
        read_document(tmp_path / "none.json", "people result")
    (tmp_path / "torn.json").write_text('{"format_version": ', "utf-8")
    with pytest.raises(FileFormatError, match=r"torn\.json, line 1: not valid JSON"):
        read_document(tmp_path / "torn.json", "people result")


CARRIED = (
    *("format_version", "concord_version", "commit", "python_version", "packages"),
    *("inputs", "options", "seed", "model_settings", "templates", "tokens", "cost"),
)


def _people() -> dict[str, Any]:
    document = concord.score_people(api.demo_table(), n_resamples=0, n_simulations=0).to_dict()
    assert document["protocol"] == "standard"
    assert sum(document["outcomes"].values()) == document["n_tests"]
    return document


def _structure() -> dict[str, Any]:
    rows = [
        {"model": "m", "arrangement": p, "item": i, "S_mean": 0.4, "S_max": 0.6} for p in "xy" for i in "ab"
    ]
    import polars as pl

    document = concord.score_structure(scores=pl.DataFrame(rows)).to_dict()
    assert document["reading"] == "peak"
    return document


def _reasoning() -> dict[str, Any]:
    samples = [{"id": "1", "gold_answer": "PTSD", "gold_reasoning": []}]
    replies = [{"id": "1", "mode": mode, "response": "DIAGNOSIS: PTSD"} for mode in ("cot", "direct")]
    document: dict[str, Any] = concord.score_reasoning(samples, replies).to_dict()
    assert document["rules"] == "standard"
    return document


@pytest.mark.parametrize("result", [_people, _structure, _reasoning])
def test_every_result_says_how_it_was_made(result: Callable[[], dict[str, Any]]) -> None:
    document = result()
    assert [name for name in CARRIED if name not in document] == []
    assert [document[name] for name in ("model_settings", "tokens", "cost")] == [None, None, None]


def test_every_study_file_says_how_it_was_made(tmp_path: Path) -> None:
    concord.score_people(api.demo_table(), n_resamples=0, n_simulations=0).write(tmp_path)
    for path in tmp_path.glob("*/evaluation_results.json"):
        document = json.loads(path.read_text("utf-8"))
        assert [name for name in CARRIED if name not in document and name != "options"] == []


def test_the_commit_is_found_in_a_checkout_in_a_worktree_and_not_elsewhere(tmp_path: Path) -> None:
    git = tmp_path / "checkout" / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs" / "heads" / "main").write_text("a" * 40 + "\n")
    (git / "packed-refs").write_text("# pack-refs\n" + "b" * 40 + " refs/heads/old\n")
    there = git / "worktrees" / "side"
    there.mkdir(parents=True)
    (there / "HEAD").write_text("ref: refs/heads/old\n")
    (there / "commondir").write_text("../..\n")
    side = tmp_path / "side"
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {there}\n")
    assert commit_of(tmp_path / "checkout") == "a" * 40
    assert commit_of(side) == "b" * 40
    assert commit_of(tmp_path) is None

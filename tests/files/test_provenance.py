"""What every result carries about how it was made, whichever question it answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import concord
from concord import api
from concord.files.documents import commit_of

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
    document = concord.score_reasoning(samples, replies).to_dict()
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

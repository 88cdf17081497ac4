"""Comparisons on the page, and who cannot be told apart."""

import json
import shutil
from pathlib import Path
from typing import Any

from concord.reports.page import make_page


def pair(first: str, second: str, holm: float | None, values: tuple[float, float]) -> dict[str, Any]:
    metric = {
        "first_value": values[0], "second_value": values[1], "difference": values[0] - values[1],
        "difference_interval": {"low": -0.1, "high": 0.3}, "p_value": holm, "p_holm": holm, "n_studies": 9,
        "note": "",
    }  # fmt: skip
    return {"first": first, "second": second, "metrics": {"pas": metric}}


def folder_with(results: Path, tmp_path: Path, pairs: list[dict[str, Any]]) -> Path:
    for name in ("a", "b", "c"):
        shutil.copytree(results / "agent one", tmp_path / name)
    document = {"question": "compare", "kind": "people", "pairs": pairs, "options": {"level": 0.95}}
    (tmp_path / "comparison.json").write_text(json.dumps({**document, "format_version": 1}), "utf-8")
    return tmp_path


def test_models_share_a_letter_unless_a_test_tells_them_apart(results: Path, tmp_path: Path) -> None:
    pairs = [
        pair("a", "b", 0.3, (0.9, 0.7)),
        pair("a", "c", 0.001, (0.9, 0.5)),
        pair("b", "c", 0.2, (0.7, 0.5)),
    ]
    html = make_page([folder_with(results, tmp_path, pairs)]).html
    for name, marks in (("a", "a"), ("b", "ab"), ("c", "b")):
        assert f"<bdi>{name}</bdi></th><td>{marks}</td>" in html
    assert "Cannot be told apart, after Holm" in html
    assert "&lt; 0.001" in html or "0.001" in html


def test_a_pair_without_a_test_is_not_called_the_same(results: Path, tmp_path: Path) -> None:
    pairs = [
        pair("a", "b", None, (0.9, 0.7)),
        pair("a", "c", None, (0.9, 0.5)),
        pair("b", "c", None, (0.7, 0.5)),
    ]
    html = make_page([folder_with(results, tmp_path, pairs)]).html
    for name, marks in (("a", "a"), ("b", "b"), ("c", "c")):
        assert f"<bdi>{name}</bdi></th><td>{marks}</td>" in html


def test_a_comparison_of_other_models_gives_no_letters(results: Path, tmp_path: Path) -> None:
    html = make_page([folder_with(results, tmp_path, [pair("x", "y", 0.5, (0.9, 0.7))])]).html
    assert "together</th>" not in html
    assert "put a comparison beside the results" in html


def test_groups_that_a_file_gives_are_taken_as_they_are(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "agent one", tmp_path / "a")
    document = {
        "question": "compare", "kind": "table", "metric": "accuracy", "format_version": 1, "groups": [["a"]],
        "pairs": [{"first": "a", "second": "b", "difference": 0.1, "p_value": 0.04, "test": "exact McNemar",
                   "n_items": 40}],
    }  # fmt: skip
    (tmp_path / "comparison.json").write_text(json.dumps(document), "utf-8")
    html = make_page([tmp_path]).html
    assert "accuracy, item by item" in html
    assert "exact McNemar" in html

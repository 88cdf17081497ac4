"""Comparisons on the page, and who cannot be distinguished."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.structure.scores import samples, scored

from concord.people.files import read
from concord.reports import page as make_page
from concord.show.page.comparison import Comparison, comparison


def pair(first: str, second: str, holm: float | None, values: tuple[float, float]) -> dict[str, Any]:
    metric = {
        "first_value": values[0], "second_value": values[1], "difference": values[0] - values[1],
        "difference_interval": {"low": -0.1, "high": 0.3}, "p_value": holm, "p_holm": holm, "n_studies": 9,
        "note": "",
    }  # fmt: skip
    return {"first": first, "second": second, "metrics": {"pas": metric}}


def folder_with(results: Path, tmp_path: Path, pairs: list[dict[str, Any]], groups: list[list[str]]) -> Path:
    for name in ("a", "b", "c"):
        shutil.copytree(results / "agent one", tmp_path / name)
    document = {
        "question": "compare", "kind": "people", "metric": "pas", "pairs": pairs, "groups": groups,
        "options": {"level": 0.95},
    }  # fmt: skip
    (tmp_path / "comparison.json").write_text(json.dumps({**document, "format_version": 1}), "utf-8")
    return tmp_path


def test_models_share_a_letter_unless_a_test_tells_them_apart(results: Path, tmp_path: Path) -> None:
    pairs = [
        pair("a", "b", 0.3, (0.9, 0.7)),
        pair("a", "c", 0.001, (0.9, 0.5)),
        pair("b", "c", 0.2, (0.7, 0.5)),
    ]
    html = make_page([folder_with(results, tmp_path, pairs, [["a", "b"], ["b", "c"]])]).html
    for name, marks in (("a", "a"), ("b", "ab"), ("c", "b")):
        assert f"<bdi>{name}</bdi></th><td>{marks}</td>" in html
    assert "Cannot be distinguished, after Holm" in html
    assert "&lt; 0.001" in html or "0.001" in html


def test_a_comparison_of_other_models_gives_no_letters(results: Path, tmp_path: Path) -> None:
    html = make_page([folder_with(results, tmp_path, [pair("x", "y", 0.5, (0.9, 0.7))], [["x", "y"]])]).html
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


def test_models_with_people_results_are_compared_for_the_page(results: Path) -> None:
    page = make_page([results / "agent one", results / "agent two"])
    assert page.problems == ()
    assert "<h3>With people, study by study</h3>" in page.html
    for name in ("agent one", "agent two"):  # the same agent under two seeds: nothing tells them apart
        assert f"<bdi>{name}</bdi></th><td>a</td>" in page.html


def test_results_that_cannot_be_compared_are_shown_and_said(results: Path, tmp_path: Path) -> None:
    made = read(results / "agent one")
    tests = tuple(replace(test, study=f"{test.study}, again") for test in made.tests)
    studies = tuple(replace(study, name=f"{study.name}, again") for study in made.studies)
    replace(made, tests=tests, studies=studies).write(tmp_path / "one")
    page = make_page([tmp_path / "one", results / "agent two"])
    assert len(page.content.of("people")) == 2
    assert any("no test in common" in problem.reason for problem in page.problems)


def test_a_comparison_of_structure_is_shown_with_the_numbers_that_have_no_interval(
    results: Path, tmp_path: Path
) -> None:
    shutil.copytree(results / "agent one", tmp_path / "a")
    metrics = {
        "S_Cons": {"difference": 0.1, "difference_interval": {"low": 0.02, "high": 0.18}, "n_items": 60,
                   "p_value": 0.01, "p_holm": 0.01, "note": "interval and p are conservative"},
        "peak_S_Cons": {"difference": 0.2, "difference_interval": None, "p_value": None, "n_items": 60,
                        "note": "no interval"},
    }  # fmt: skip
    document = {
        "question": "compare", "kind": "structure", "metric": "S_Cons", "format_version": 1,
        "groups": [["x"], ["y"]], "pairs": [{"first": "x", "second": "y", "metrics": metrics}],
    }  # fmt: skip
    (tmp_path / "comparison.json").write_text(json.dumps(document), "utf-8")
    html = make_page([tmp_path]).html
    assert "With itself, arrangement by arrangement" in html
    assert "interval and p are conservative" in html
    assert "peak_S_Cons" in html


def test_many_pairs_are_a_table_of_the_script(results: Path, tmp_path: Path) -> None:
    names = [f"m{i}" for i in range(10)]
    pairs = [pair(a, b, 0.5, (0.9, 0.7)) for i, a in enumerate(names) for b in names[i + 1 :]]
    page = make_page([folder_with(results, tmp_path, pairs, [names])])
    made = comparison(page.content.comparisons[0], page.content.units)
    assert made.is_long
    rows = made.table()
    assert (len(rows), rows[0]["first"], rows[0]["second"], rows[0]["holm"]) == (45, "m0", "m1", 0.5)
    assert 'data-table="comparison-0"' in page.html
    assert "<bdi>m7</bdi></td>" not in page.html


def test_every_question_is_compared_and_has_its_letters(results: Path) -> None:
    page = make_page([results])
    kinds = [source.document["kind"] for source in page.content.comparisons]
    assert kinds == ["people", "structure", "reasoning"]
    for metric in ("PAS", "order effect", "Δ"):
        assert f'<th scope="col">{metric}: together</th>' in page.html


def test_groups_beyond_the_alphabet_have_numbers() -> None:
    groups = tuple((f"m{i}", f"m{i + 1}") for i in range(30))
    made = Comparison("t", "x", (), groups)
    assert (made.letters["m0"], made.letters["m29"]) == ("1", "29 30")
    assert Comparison("t", "x", (), groups[:3]).letters["m1"] == "ab"


def test_one_number_of_a_page_is_called_s_cons(tmp_path: Path) -> None:
    scored(tmp_path / "order", samples("a"), samples("b", seed=1), reading="peak")
    html = make_page([tmp_path / "order"]).html
    assert "S_Cons (paired)" in html
    assert "peak_S_Cons" not in html


def test_print_hides_the_bar_of_the_page_and_not_the_lines_of_a_ranking() -> None:
    from concord.show.page.build import page_style

    printed = page_style("T").split("@media print")[1:]
    hidden = [rule for part in printed for rule in part.split("}") if "display:none" in rule]
    assert any("header.bar" in rule for rule in hidden)
    assert not any(re.search(r"(^|[,{])\s*\.bar\b", rule) for rule in hidden)

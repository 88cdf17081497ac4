"""Comparisons on the page, and who cannot be distinguished."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.structure.scores import samples, scored

import concord
from concord.api import demo_table
from concord.comparing.metrics import ComparedModel, MetricCompareResult, UnitWords
from concord.people.files import PeopleResult
from concord.records import Estimate, Interval
from concord.reports import page as make_page
from concord.show.page.declared import script_tables
from concord.stats.pairs import MetricDifference, ModelPair, Standing


def difference(
    metric: str, value: float, holm: float | None, *, known: bool = True, note: str = ""
) -> MetricDifference:
    low = 0.1 if holm is not None and holm < 0.1 else -0.1  # a claim needs both, p and interval
    ends = Interval(low, 0.5, 0.9, "t") if known else None
    return MetricDifference(
        metric, value + 0.5, 0.5, Estimate(value, ends, n=9, note=note), holm, 9, holm, holm
    )


def pair(first: str, second: str, holm: float | None, values: tuple[float, float]) -> ModelPair:
    return ModelPair(first, second, (difference("pas", values[0] - values[1], holm),), 9, 0, 0)


def compared(
    kind: str, metric: str, pairs: Sequence[ModelPair], groups: Sequence[Sequence[str]], **about: str
) -> MetricCompareResult:
    names = list(dict.fromkeys(name for one in pairs for name in (one.first, one.second)))
    values = tuple((name, 0.9 - 0.1 * i) for i, name in enumerate(names))
    standing = Standing(metric, values, tuple(map(tuple, groups)))
    words = UnitWords("test", "tests", "study", "studies", "two studies")
    models = tuple(ComparedModel(name, name, {}) for name in names)
    return MetricCompareResult(kind, words, "alike", about, models, tuple(pairs), standing, {"level": 0.9})


def folder_with(
    results: Path, tmp_path: Path, pairs: Sequence[ModelPair], groups: Sequence[Sequence[str]]
) -> Path:
    for name in ("a", "b", "c"):
        shutil.copytree(results / "agent one", tmp_path / name)
    compared("people", "pas", pairs, groups).write(tmp_path)
    return tmp_path


def test_models_share_a_letter_unless_a_test_tells_them_apart(results: Path, tmp_path: Path) -> None:
    pairs = [
        pair("a", "b", 0.3, (0.9, 0.7)),
        pair("a", "c", 0.001, (0.9, 0.5)),
        pair("b", "c", 0.2, (0.7, 0.5)),
    ]
    html = make_page([folder_with(results, tmp_path, pairs, [["a", "b"], ["b", "c"]])]).html
    for name, marks in (("a", "a"), ("b", "ab"), ("c", "b")):
        cell = f'<bdi>{name}</bdi></th><td class="words"( data-t="[^"]+")?><bdi>{marks}</bdi></td>'
        assert re.search(cell, html)
    assert "Models that share a letter cannot be distinguished (90 %, after Holm)." in html
    assert "1 of 3 pairs can be distinguished, after Holm" in html


def test_a_comparison_of_other_models_gives_no_letters(results: Path, tmp_path: Path) -> None:
    html = make_page([folder_with(results, tmp_path, [pair("x", "y", 0.5, (0.9, 0.7))], [["x", "y"]])]).html
    assert ": together</th>" not in html
    assert "concord compare … --out FOLDER beside the results" in html


def test_a_comparison_of_items_says_its_test_and_its_own_level(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "agent one", tmp_path / "a")
    rows = [[{"item": i, "accuracy": float(i % 7 != k)} for i in range(40)] for k in (0, 1)]
    made = concord.compare(*rows, score="accuracy", names=["a", "b"], level=0.8)
    made.write(tmp_path)
    html = make_page([tmp_path]).html
    assert "accuracy, item by item" in html
    assert "exact McNemar" in html
    page = make_page([tmp_path / "comparison.json"])
    assert page.content.compared[0].level == 0.8
    found = page.content.compared[0].sentences()[0]
    assert "80 % " in found and "95 %" not in found
    assert "two models are called distinguishable below 0.2" in page.html


def test_a_comparison_that_cannot_be_read_is_listed_and_the_rest_is_shown(
    results: Path, tmp_path: Path
) -> None:
    folder_with(results, tmp_path, [pair("a", "b", 0.3, (0.9, 0.7))], [["a", "b"]])
    text = (tmp_path / "comparison.json").read_text("utf-8")
    (tmp_path / "comparison.json").write_text(text.replace('"record"', '"other"'), "utf-8")
    page = make_page([tmp_path])
    assert any("record" in problem.reason for problem in page.problems)
    assert len(page.content.of("people")) == 3


def test_models_with_people_results_are_compared_for_the_page(results: Path) -> None:
    page = make_page([results / "agent one", results / "agent two"])
    assert page.problems == ()
    assert "<h3>With people, study by study</h3>" in page.html
    assert "agree with people equally often." in page.html  # the same agent under two seeds
    assert ": together</th>" not in page.html  # letters that are the same for all say nothing


def test_results_that_cannot_be_compared_are_shown_and_said(results: Path, tmp_path: Path) -> None:
    made = PeopleResult.read(results / "agent one")
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
    metrics = (
        difference("S_Cons", 0.1, 0.01, note="interval and p are conservative"),
        difference("peak_S_Cons", 0.2, None, known=False, note="no interval"),
    )
    compared("structure", "S_Cons", [ModelPair("x", "y", metrics, 60, 0, 0)], [["x"], ["y"]]).write(tmp_path)
    html = make_page([tmp_path]).html
    assert "With itself, arrangement by arrangement" in html
    assert "interval and p are conservative" in html
    assert "S_Cons, peak" in html


def test_many_pairs_are_a_table_of_the_script(results: Path, tmp_path: Path) -> None:
    names = [f"m{i}" for i in range(10)]
    pairs = [pair(a, b, 0.5, (0.9, 0.7)) for i, a in enumerate(names) for b in names[i + 1 :]]
    page = make_page([folder_with(results, tmp_path, pairs, [names])])
    made = script_tables(page.content.compared[0], 0)["comparison-every-0"]
    columns = {column["key"]: column for column in made["columns"]}
    assert (made["n"], columns["p_holm"]["v"][0], columns["difference_low"]["v"][0]) == (45, 0.5, -0.1)
    assert [columns[key]["names"][columns[key]["v"][0]] for key in ("first", "second")] == ["m0", "m1"]
    assert 'data-table="comparison-every-0"' in page.html
    assert "<bdi>m7</bdi></td>" not in page.html.partition('id="comparison-every-0"')[2]


def test_every_question_is_compared_and_has_its_letters(results: Path) -> None:
    page = make_page([results])
    kinds = [source.result.kind for source in page.content.comparisons]
    assert kinds == ["people", "structure", "reasoning"]
    assert page.html.count('data-name="leaderboard') == 2  # people's models are others


def test_models_of_a_page_are_compared_at_the_level_of_their_own_intervals(tmp_path: Path) -> None:
    for name in ("a", "b"):
        made = concord.score_people(demo_table(), n_resamples=0, n_simulations=0, level=0.8, model=name)
        made.write(tmp_path / name)
    page = make_page([tmp_path])
    assert [one.level for one in page.content.compared] == [0.8]
    assert "95 %" not in page.html.partition('id="differences"')[2].partition("</section>")[0]


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

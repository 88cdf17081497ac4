"""Memory: what is recognised, what a variant changes, and how often the verdict is wrong."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.people.memory import literature
from tests.people.memory.scripted_models import plans, verdict

import concord
from concord import studies
from concord.errors import FileFormatError, OptionError
from concord.people.memory import (
    MARK,
    MEMORY,
    NO_SIGN,
    NOT_RECOGNISED,
    UNKNOWN,
    MemoryResult,
    Recognition,
    VariantPair,
    base_of,
    memory_result,
)
from concord.people.studies.load import bundled_studies, find_studies, variant_of, with_variants
from concord.people.studies.plan import plan_study
from concord.people.studies.probe import (
    directed_tests,
    direction_of,
    probe_design,
    probe_text,
    read_recognition,
    recognition_readings,
    recognitions,
)
from concord.records import Estimate, Interval
from concord.show.answers_plots import memory_picture
from concord.show.declared import report_of
from concord.show.page.declared import shown_results
from concord.show.terminal import drawn, fitting

FILES = bundled_studies()
VARIANTS = [(name, one) for name, file in FILES.items() for one in file.study.variants]


def test_six_bundled_studies_have_a_variant() -> None:
    assert len({name for name, _ in VARIANTS}) >= 6


@pytest.mark.parametrize(("study", "name"), VARIANTS)
def test_a_variant_keeps_conditions_and_tests_and_changes_the_words(study: str, name: str) -> None:
    original, variant = FILES[study], variant_of(FILES[study], name)
    assert base_of(variant.name) == study and MARK in variant.name
    for experiment, spec in variant.study.experiments.items():
        own = original.study.experiments[experiment]
        assert {k: list(f.levels) for k, f in spec.factors.items()} == {
            k: list(f.levels) for k, f in own.factors.items()
        }
        assert list(spec.items) == list(own.items)
        assert spec != own
    for finding, found in variant.study.findings.items():
        kept = [test for test in original.study.findings[finding].tests if test in found.tests]
        assert kept == list(found.tests)
    materials = str(variant.study.experiments)
    for words in original.study.variants[name].replace:
        assert words not in materials


def test_an_unknown_variant_names_those_there_are() -> None:
    with pytest.raises(OptionError, match="framing: flood"):
        with_variants(find_studies(["framing"]), "fire")


def test_the_probe_shows_the_materials_and_names_no_author() -> None:
    text = probe_text(plan_study(FILES["framing"], n=2))
    assert "expected to kill 600 people" in text
    assert "Effect 1: for " in text
    assert "Tversky" not in text and "1981" not in text


def test_a_reply_that_names_the_authors_and_directions_is_recognised() -> None:
    study = FILES["framing"].study
    tests = directed_tests(study)
    signs = "".join(
        f"Effect {i}: {'+' if direction_of(test) == 1 else '-'}\n" for i, test in enumerate(tests, 1)
    )
    found = read_recognition(
        study, f"**Authors:** TVERSKY and Kahneman\nYear: 1981\nFinding: framing\n{signs}"
    )
    assert (found.recognised, found.year_right) == (True, True)
    assert found.n_right == found.n_directions == len(tests)


@pytest.mark.parametrize(
    "reply", ["unknown", "Authors: unknown\nYear: unknown", "Authors: Smith, Jones\nYear: 1999"]
)
def test_a_reply_that_does_not_know_is_not_recognised(reply: str) -> None:
    found = read_recognition(FILES["framing"].study, reply)
    assert (found.recognised, found.year_right, found.n_right) == (False, False, 0)


def test_a_reply_that_is_no_answer_leaves_open_what_is_known() -> None:
    study = FILES["framing"].study
    replies = {
        "": "empty",
        "<think>Tversky": "truncated",
        "I'm sorry, but I can't identify sources.": "refused",
    }
    for reply, outcome in replies.items():
        found = read_recognition(study, reply)
        assert (found.recognised, found.outcome) == (None, outcome)
    said = [Recognition("a", True, True, 0, 0, 0), Recognition("b", None, False, 0, 0, 0, outcome="refused")]
    assert "recognised 1 of 1 studies (without an answer: 1 refused)" in memory_result(said, [], []).sentence


RECOGNITIONS = [
    json.loads(line) for line in (Path(__file__).parent / "recognition.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", RECOGNITIONS, ids=lambda row: f"{row['study']}, {row['kind']}")
def test_a_study_is_recognised_by_a_name_that_is_not_denied(row: dict[str, Any]) -> None:
    found = read_recognition(FILES[row["study"]].study, row["reply"])
    assert (bool(found.recognised), found.year_right) == (row["recognised"], row["year"])


def _result(
    pas: np.ndarray, variant: np.ndarray, recognised: bool = True, level: float = 0.95
) -> MemoryResult:
    names = [f"s{i}" for i in range(len(pas))]
    findings, groups = [], []
    for name, values in [(n, pas[i]) for i, n in enumerate(names)] + [
        (f"{n}{MARK}v", variant[i]) for i, n in enumerate(names)
    ]:
        findings.append(SimpleNamespace(study=name, sub_study="", finding="F", pas=float(values)))
        groups.append(SimpleNamespace(name=name, ecs=SimpleNamespace(value=None)))
    said = [Recognition(name, recognised, recognised, 0, 0, 0) for name in names]
    return memory_result(said, cast("Any", groups), cast("Any", findings), level=level)


def test_without_recognition_or_without_variants_nothing_is_called_memory() -> None:
    high, low = np.array([0.9, 0.8, 0.95]), np.array([0.4, 0.35, 0.5])
    assert _result(high, low).verdict == MEMORY
    assert _result(high, low, recognised=False).verdict == NOT_RECOGNISED
    assert _result(low, low).verdict == NO_SIGN
    assert memory_result([], [], []).verdict == UNKNOWN
    assert "agrees less with people" in _result(high, low).sentence


def test_error_rates_of_the_verdict_with_six_studies() -> None:
    """One that reasons is called memory in at most 2.5 % of runs, one that remembers in most."""
    rng = np.random.default_rng(1)
    called = {"reasons": 0, "remembers": 0}
    times = 2000
    for _ in range(times):
        base = rng.beta(6, 2, 6)
        noise = rng.normal(0, 0.1, (2, 6))
        called["reasons"] += _result(base + noise[0], base + noise[1]).verdict == MEMORY
        called["remembers"] += _result(0.9 + noise[0], base - 0.3 + noise[1]).verdict == MEMORY
    assert called["reasons"] / times <= 0.035
    assert called["remembers"] / times >= 0.9


def _called_memory(runs: int, *, from_memory: bool) -> int:
    """Count the runs of a scripted model on six studies and their variants that are called memory."""
    planned = plans(20)
    found = [verdict(seed, planned, from_memory=from_memory).memory for seed in range(runs)]
    return sum(one is not None and one.verdict == MEMORY for one in found)


@pytest.mark.slow
def test_a_scripted_model_that_answers_from_memory_is_called_so_and_one_that_reasons_is_not() -> None:
    assert _called_memory(8, from_memory=False) <= 1
    assert _called_memory(8, from_memory=True) >= 5


@pytest.mark.slow
def test_scripted_models_are_called_memory_as_often_as_the_page_says() -> None:
    assert _called_memory(150, from_memory=False) <= 9  # 2.5 %; one run in a thousand has more
    assert _called_memory(150, from_memory=True) >= 105


def test_a_run_with_variants_says_what_the_surface_changes() -> None:
    plans = tuple(plan_study(file, n=10) for file in with_variants(find_studies(["framing"]), "all"))
    said = {"framing": "Authors: Tversky, Kahneman\nYear: 1981"}
    done = studies.run(plans, lambda question: "A", said=said, n_resamples=0, n_simulations=0)
    assert done.memory is not None
    (pair,) = done.memory.pairs
    assert (pair.study, pair.variant, pair.recognised, pair.n_findings) == ("framing", "flood", True, 3)
    assert done.memory.verdict == NO_SIGN
    assert any(text.startswith("memory: The model recognised 1 of 1 studies") for text in done.messages)
    shown = drawn(fitting(report_of(done)), width=100)
    assert "What the model recognised" in shown and "Original against variant" in shown


def test_placebo_studies_of_a_run_are_shown_with_their_pull_where_all_tables_are() -> None:
    plans = tuple(plan_study(file, n=6) for file in find_studies(["ml2-choose-reject", "ml2-affect-risk"]))
    done = studies.run(plans, lambda question: "A", n_resamples=0, n_simulations=0)
    shown = drawn(fitting(report_of(done)), width=80)
    assert "Placebo studies: the literature against people" in shown
    assert "pull  d of the model  of the original  of people" in shown


def _remembered(name: str = "framing") -> MemoryResult:
    said = (
        Recognition(name, True, False, 4, 2, 1, "Tversky <b>x", "a finding"),
        Recognition("b", False, False, 0, 0, 0),
    )
    pairs = (
        VariantPair(name, "flood", True, 0.8, 0.5, 0.7, None, 3),
        VariantPair("b", "v", None, None, 0.5, None, None, 0),
    )
    delta = Estimate(0.3, Interval(0.1, 0.5, 0.95, "t over studies"), n=4)
    undefined = Estimate(None, note="undefined: no recognised study has a variant with both numbers")
    return MemoryResult(said, pairs, delta, undefined, MEMORY, "It answers from memory.", "m")


def test_what_is_written_is_read_back_whole_and_shown(tmp_path: Path) -> None:
    result = _remembered()
    files = result.write(tmp_path)
    assert {file.name for file in files} == {"memory.json", "memory_pairs.csv", "memory_placebo.csv"}
    assert MemoryResult.read(tmp_path) == result
    shown = drawn(fitting(report_of(result)), width=100)
    assert shown.startswith("m: It answers from memory.")
    assert "2 of 4, 1 unknown" in shown and "+0.30 (95 % interval +0.10 to +0.50), 4 studies" in shown
    frame = result.to_frame()
    assert frame["pas_difference"].to_list() == [pytest.approx(0.3), None]


def test_a_folder_without_memory_or_with_a_damaged_one_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="memory.json"):
        MemoryResult.read(tmp_path)
    _remembered().write(tmp_path)
    damaged = (
        (tmp_path / "memory.json").read_text("utf-8").replace('"n_findings": 3', '"n_findings": "three"')
    )
    (tmp_path / "memory.json").write_text(damaged, encoding="utf-8")
    with pytest.raises(FileFormatError, match="n_findings"):
        MemoryResult.read(tmp_path)


def test_the_page_says_what_the_model_remembers_and_escapes_it(tmp_path: Path) -> None:
    _remembered("<i>y").write(tmp_path / "found")
    made = concord.report(tmp_path / "found", out=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert not made.problems
    assert "Has the model read the studies?" in text and "It answers from memory." in text
    assert "mean, recognised" in text
    assert "<b>x" not in text and "<i>y" not in text


def test_every_surface_says_the_level_of_its_intervals() -> None:
    result = _result(np.array([0.9, 0.8, 0.95, 0.7]), np.array([0.4, 0.35, 0.5, 0.4]), level=0.8)
    terminal = drawn(fitting(report_of(result)), width=140)
    picture = memory_picture(result)
    assert picture is not None and "Lines are 80 % intervals." in picture.caption
    for shown in (terminal, repr(result), result._repr_html_(), shown_results([result])):
        assert "80 %" in shown and "95 %" not in shown


def test_a_model_that_follows_the_literature_is_told_so_and_an_honest_twin_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(literature, "N", 300)
    assert literature.claims(range(3), follows="original") == 3
    assert literature.claims(range(3), follows="people") == 0
    found = literature.remembered(0, follows="original")
    assert found.verdict == MEMORY
    assert len(found.placebo) == 7
    assert found.sentence.startswith("Where people do not show a published effect, it follows the literature")
    own = [
        one.original - one.people
        for one in found.placebo
        if one.original is not None and one.people is not None
    ]
    assert found.pull.value == pytest.approx(np.mean(own))


@pytest.mark.slow
def test_claims_of_literature_pull_are_rarely_false_and_mostly_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(literature, "N", 200)
    assert literature.claims(range(400), follows="people") <= 20
    assert literature.claims(range(100), follows="original") >= 80


def test_a_study_is_recognised_where_most_replies_name_an_author() -> None:
    study = FILES["framing"].study
    known, unknown = "Authors: Tversky, Kahneman\nYear: 1981", "Authors: unknown\nYear: unknown"
    for said, most in (
        ([known, unknown, known], True),
        ([known, unknown, unknown], False),
        ([known, ""], True),
    ):
        (found,) = recognitions([study], {"framing": said})
        assert found.recognised is most
        assert (found.n_named, found.n_answers) == (said.count(known), len(list(filter(None, said))))


def test_every_study_is_asked_about_more_than_once_and_variants_stay_out_of_the_headline() -> None:
    plans = tuple(plan_study(file, n=10) for file in with_variants(find_studies(["framing"]), "all"))
    assert len(probe_design(plans[:1]).trials) == 3
    alone = studies.run(plans[:1], lambda question: "A", n_resamples=0, n_simulations=0)
    both = studies.run(plans, lambda question: "A", n_resamples=0, n_simulations=0)
    assert both.result.pas == alone.result.pas
    assert {one.study for one in both.result.tests} == {"framing"}
    assert both.memory is not None and len(both.memory.pairs) == 1


def test_a_run_with_variants_and_its_table_scored_again_have_the_same_headline(tmp_path: Path) -> None:
    plans = tuple(plan_study(file, n=10) for file in with_variants(find_studies(["framing"]), "all"))
    answers = iter("AB" * 10_000)
    done = studies.run(plans, lambda question: next(answers), n_resamples=0, n_simulations=0)
    done.write(tmp_path)
    again = concord.score_people(tmp_path / "tests.json", n_resamples=0, n_simulations=0)
    assert again.pas.value == done.result.pas.value
    assert {one.study for one in again.tests} == {"framing"}
    told = "1 variant of a study is not part of the numbers, which are those of the originals"
    assert any(told in one for one in again.warnings)
    assert any(told in one for one in done.result.warnings)


def test_what_a_reply_says_of_the_authors_is_a_reading_with_its_place() -> None:
    study = FILES["side-effect"].study
    replies = ["<think>Asch?</think>\nAuthors: Knobe\nYear: 2003", "Authors: unknown", "I cannot say: Asch"]
    rows = list(recognition_readings([study], {study.study: replies}))
    assert [(row.trial, row.question, row.reading, row.outcome) for row in rows] == [
        ("side-effect/probe/0", "authors", "Knobe", "ok"),
        ("side-effect/probe/1", "authors", "nobody", "ok"),
        ("side-effect/probe/2", "authors", "", "refused"),
    ]
    assert rows[0].place is not None and replies[0][slice(*rows[0].place)] == "Knobe"

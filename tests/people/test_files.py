"""A result about people is read back whole: every field, of random results and of scored ones."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_type_hints

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.people.random_tables import random_table

from concord.errors import FileFormatError
from concord.files.output import write_json
from concord.people import files
from concord.people.files import PeopleResult
from concord.people.protocol import PROTOCOLS
from concord.people.result import (
    Bounds,
    CompanionNumbers,
    Diagnosis,
    FindingResult,
    GroupResult,
    Score,
    TestResult,
)
from concord.people.results.one import score_table
from concord.records import Estimate, InputFile, Interval, Provenance, TestTable

text = st.text(st.characters(codec="utf-8"), max_size=8)
number = st.floats(allow_nan=False, allow_infinity=False)
maybe = st.none() | number
counts = st.integers(0, 10**6)
intervals = st.builds(Interval, number, number, number, text)
estimates = st.builds(Estimate, maybe, st.none() | intervals, counts, counts, text, text)
bounds = st.builds(Bounds, estimates, estimates, estimates)
scores = st.builds(Score, estimates, st.none() | intervals, text, st.none() | bounds)
log_bf = st.none() | st.floats(allow_nan=False)
sign = st.sampled_from([None, -1, 0, 1])
said = st.lists(text, max_size=2).map(tuple)


def _test(name: str) -> st.SearchStrategy[TestResult]:
    defined = {n: maybe for n, kind in get_type_hints(TestResult).items() if kind == float | None}
    special = {
        "pas": st.none() | st.floats(0, 1),  # a share: another number in the table of tests is refused
        "human_log_bf": log_bf,
        "agent_log_bf": log_bf,
        "human_direction": sign,
        "agent_direction": sign,
    }
    texts = dict.fromkeys(("study", "sub_study", "finding", "test_type", "outcome"), text)
    lists = {"flags": said, "reasons": said}
    return st.builds(TestResult, test=st.just(name), **{**defined, **special, **texts, **lists})


_FINDINGS = st.builds(
    FindingResult,
    **{n: maybe for n, kind in get_type_hints(FindingResult).items() if kind == float | None},
    **dict.fromkeys(("study", "sub_study", "finding"), text),
    **dict.fromkeys(("quadrant", "reading", "usual_reason"), st.none() | text),
)


def _group(name: str, *, is_domain: bool) -> st.SearchStrategy[GroupResult]:
    return st.builds(
        GroupResult,
        st.just(name),
        st.just(name) if is_domain else st.none() | text,
        scores,
        scores,
        scores,
        scores,
        maybe,
        counts,
        counts,
        counts,
        counts,
        counts,
    )


@st.composite
def results(draw: st.DrawFn) -> PeopleResult:
    """Draw a result whose tests lie in its studies."""
    studies = draw(st.lists(text, min_size=1, max_size=3, unique=True))
    tests = []
    for i in range(draw(st.integers(0, 4))):
        test = draw(_test(f"t{i}"))
        study = draw(st.sampled_from(studies))
        tests.append(TestResult(**{**{n: getattr(test, n) for n in TestResult.__slots__}, "study": study}))
    by_name = st.dictionaries(text, counts, max_size=3)
    numbers = st.dictionaries(text, maybe, max_size=3)
    whole = {"seed": counts, "n_resamples": counts, "n_simulations": counts, "level": number}
    made = st.builds(
        Provenance,
        st.none() | st.dictionaries(text, st.none() | counts | text, max_size=2),
        st.none() | st.dictionaries(text, text, max_size=2),
        st.none() | by_name,
        maybe,
    )
    return draw(
        st.builds(
            PeopleResult,
            protocol=st.sampled_from(list(PROTOCOLS.values())),
            **dict.fromkeys(("pas", "ecs", "apr"), scores),
            companions=st.builds(
                CompanionNumbers,
                **dict.fromkeys(CompanionNumbers.__slots__, maybe)
                | {"n_human_nulls": counts, "ecs_strict": scores},
            ),
            diagnosis=st.builds(Diagnosis, numbers, by_name, numbers, by_name, by_name),
            domains=st.lists(text, max_size=2).flatmap(
                lambda names: st.tuples(*(_group(name, is_domain=True) for name in names))
            ),
            studies=st.tuples(*(_group(name, is_domain=False) for name in studies)),
            findings=st.lists(_FINDINGS, max_size=2).map(tuple),
            tests=st.just(tuple(tests)),
            outcomes=by_name,
            **whole,
            bounds_note=text,
            null_share=maybe,
            tau2=maybe,
            warnings=said,
            model=st.none() | text,
            inputs=st.lists(st.builds(InputFile, text, text, counts), max_size=2).map(tuple),
            made=made,
        )
    )


@settings(deadline=None, max_examples=20, phases=(Phase.explicit, Phase.generate))  # shrinking takes minutes
@given(results())
def test_a_random_result_is_read_back_whole(result: PeopleResult) -> None:
    with TemporaryDirectory() as folder:
        result.write(Path(folder))
        assert PeopleResult.read(Path(folder)) == result


@pytest.fixture(scope="module")
def scored() -> PeopleResult:
    return score_table(TestTable(random_table(3)), n_resamples=20, n_simulations=20)


def test_a_scored_result_is_read_back_whole(scored: PeopleResult, tmp_path: Path) -> None:
    scored.write(tmp_path)
    assert PeopleResult.read(tmp_path) == scored


def test_the_summary_holds_the_names_of_the_source_at_the_top(scored: PeopleResult) -> None:
    top = scored.to_dict()
    assert top["average_pas"] == top["average_pas_raw"] == scored.pas.value
    assert top["ecs_strict_overall"] == top["average_consistency_score"] == scored.companions.ecs_strict.value
    assert top["normalized_score"] == scored.companions.normalised_pas
    study = next(files.study_documents(scored))
    assert (
        study["ecs_strict_study"]
        == study["average_consistency_score"]
        == study["auxiliary"]["ecs_strict_study"]
    )
    assert study["normalized_score"] == scored.studies[0].normalised_pas


def test_a_missing_study_document_is_named(scored: PeopleResult, tmp_path: Path) -> None:
    last = next(p for p in reversed(scored.write(tmp_path)) if p.name == "evaluation_results.json")
    last.unlink()
    with pytest.raises(FileFormatError, match="evaluation_results.json: no such file"):
        PeopleResult.read(tmp_path)


def test_a_field_of_another_type_is_named(scored: PeopleResult, tmp_path: Path) -> None:
    summary, *_ = scored.write(tmp_path)
    document = json.loads(summary.read_text("utf-8"))
    document["estimates"]["pas"]["estimate"]["value"] = "high"
    write_json(summary, document)
    with pytest.raises(
        FileFormatError, match="'estimates', 'pas', 'estimate', 'value': got 'high', expected a number"
    ):
        PeopleResult.read(tmp_path)

"""Which replies a test was computed from."""

import json
from pathlib import Path

import pytest

from concord import studies
from concord.people.studies.load import find_studies
from concord.people.studies.observe import inputs_of
from concord.people.studies.results import TestInputs


def inputs(study: str, test: str) -> TestInputs:
    file = find_studies([study])[0]
    tests = [(name, one) for name, finding in file.study.findings.items() for one in finding.tests]
    return inputs_of(file.study, *next(pair for pair in tests if pair[1].name.startswith(test)))


def test_a_derived_variable_stands_for_the_answers_it_is_made_of() -> None:
    found = inputs("framing", "sure gain and risky loss")
    assert (found.variables, found.conditions) == (("gains", "losses", "both"), ("apart", "combined"))
    assert found.where == ""


def test_a_choice_by_condition_leaves_the_other_conditions_out() -> None:
    found = inputs("side-effect", "intentional, harm against help (chairman)")
    assert (found.variables, found.where) == (("intentional",), "")
    assert found.conditions == ("chairman, harm", "chairman, help")


@pytest.mark.parametrize("name", studies.bundled_names())
def test_every_test_of_a_bundled_study_reads_some_answer_in_some_condition(name: str) -> None:
    study = find_studies([name])[0].study
    for name, finding in study.findings.items():
        for test in finding.tests:
            found = inputs_of(study, name, test)
            assert found.variables, test.name
            assert found.conditions, test.name


def test_every_reply_is_written_with_its_place_and_what_was_read(tmp_path: Path) -> None:
    plans = studies.plan(["framing"], n=3, seed=1)
    said = iter(["A", "I cannot answer that.", None] * 100)
    done = studies.run(plans, lambda question: next(said), n_resamples=0)
    done.write(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text("utf-8").splitlines()]
    counted = [item["outcome"] for row in rows for item in row["items"]]
    told: dict[str, int] = {}
    for count in done.answers:
        for outcome, n in count.outcomes.items():
            told[outcome] = told.get(outcome, 0) + n
    assert {outcome: counted.count(outcome) for outcome in set(counted)} == told
    first = rows[0]
    assert (first["study"], first["experiment"], first["response"]) == ("framing", "disease", "A")
    assert first["items"][0]["item"] == "programme"
    assert first["items"][0]["values"]["programme"] in ("sure", "risky")
    refused = next(row for row in rows if row["response"] == "I cannot answer that.")
    assert {value for item in refused["items"] for value in item["values"].values()} == {None}
    tests = json.loads((tmp_path / "plans.json").read_text("utf-8"))["tests"]
    assert len(tests) == len(json.loads((tmp_path / "tests.json").read_text("utf-8"))["rows"])

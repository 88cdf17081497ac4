"""Published distributions agree with the tests they stand beside, and runs are scored on them."""

import re
from importlib import resources
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest

from concord import studies
from concord.errors import StudyError
from concord.people.answers.records import AnswerSet, OutcomeKey
from concord.people.answers.result import AnswersResult
from concord.people.studies.format import HumanMoments, Test
from concord.people.studies.load import find_studies, read_study
from concord.people.studies.observe import observe
from concord.people.studies.plan import plan_study
from concord.people.studies.results import DISTRIBUTIONS
from concord.people.studies.scoring import answers_of

FILES = find_studies(())
SENT = np.repeat(np.arange(11), [2, 2, 2, 4, 2, 6, 5, 3, 1, 0, 5])
"""What 32 people sent without a history, counted on p. 141."""
PRINTED = {
    f"{file.study.study}: {test.name}": test
    for file in FILES
    for finding in file.study.findings.values()
    for test in finding.tests
    if test.human.distribution is not None
}


def _moments(given: HumanMoments | dict[str, int]) -> HumanMoments:
    """Return mean, SD and n, by plain sums where single answers are counted."""
    if isinstance(given, HumanMoments):
        return given
    answers = [float(answer) for answer, count in given.items() for _ in range(count)]
    return HumanMoments(mean=mean(answers), sd=stdev(answers), n=len(answers))


def _counted(name: str) -> dict[str, dict[str, int]]:
    """Return the counts of the one test of this name."""
    (test,) = [test for test in PRINTED.values() if test.name == name]
    assert test.human.distribution is not None
    return {level: given for level, given in test.human.distribution.items() if isinstance(given, dict)}


@pytest.mark.parametrize("test", PRINTED.values(), ids=list(PRINTED))
def test_the_printed_answers_give_the_statistic_that_stands_beside_them(test: Test) -> None:
    given, human = test.human.distribution, test.human
    assert given is not None
    if test.test == "binomial":
        (counts,) = given.values()
        assert isinstance(counts, dict) and test.success is not None
        assert (counts[test.success], sum(counts.values())) == (human.k, human.n)
        return
    one, two = map(_moments, given.values())
    statistic = human.statistic
    assert statistic is not None
    if test.measures is not None:
        # F = t² of differences: possible for some correlation of the two measures between -1 and 1
        gap2 = (one.mean - two.mean) ** 2 * one.n / statistic
        assert (one.sd - two.sd) ** 2 <= gap2 <= (one.sd + two.sd) ** 2
        return
    assert (one.n, two.n) == (human.n1, human.n2)
    pooled = ((one.n - 1) * one.sd**2 + (two.n - 1) * two.sd**2) / (one.n + two.n - 2)
    t = (one.mean - two.mean) / np.sqrt(pooled * (1 / one.n + 1 / two.n))
    assert t == pytest.approx(statistic, abs=0.0051)


OFFERS: dict[str, list[tuple[int, float, float, int | None, int | None]]] = {
    # computed from the printed appendices: n, mean, SD, answers of nothing, answers of half or more
    "offer, dictator against ultimatum, paid": [(45, 0.2222, 0.2044, 16, 10), (43, 0.4547, 0.1040, 0, 28)],
    "offer, paid against unpaid dictator": [(45, 0.2222, 0.2044, 16, 10), (46, 0.3826, 0.1842, None, None)],
    "offer, paid against unpaid ultimatum": [(43, 0.4547, 0.1040, 0, 28), (48, 0.4375, 0.1331, None, None)],
    "offer, dictator against ultimatum, $10": [(24, 0.2333, 0.1786, 5, 5), (24, 0.4667, 0.0816, 0, 18)],
    "amount sent, social against no history": [(28, 5.36, 3.53, 3, None), (32, 5.16, 2.94, 2, None)],
    "dollars sent back, social against no history": [
        (28, 6.46, 6.19, None, None),
        (32, 4.66, 5.55, None, None),
    ],
    "net return, social against no history": [(28, 1.11, 4.31, None, None), (32, -0.50, 4.89, None, None)],
}


@pytest.mark.parametrize("name", OFFERS)
def test_counted_answers_return_the_figures_of_the_printed_raw_data(name: str) -> None:
    given = _counted(name)
    for counts, (n, centre, spread, nothing, half) in zip(given.values(), OFFERS[name], strict=True):
        found = _moments(counts)
        digits = 4 if "offer" in name else 2
        assert (found.n, round(found.mean, digits), round(found.sd, digits)) == (n, centre, spread)
        if nothing is not None:
            assert counts.get("0", 0) == nothing
        if half is not None:
            assert sum(count for answer, count in counts.items() if float(answer) >= 0.5) == half


def test_what_was_sent_and_what_came_back_fit_together() -> None:
    sent, back, net = (
        _counted(f"{what}, social against no history")
        for what in ("amount sent", "dollars sent back", "net return")
    )
    for history in ("social", "none"):
        totals = [sum(float(a) * count for a, count in given[history].items()) for given in (sent, back, net)]
        assert totals[1] - totals[0] == totals[2]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("{dictator: {0: 5", "{despot: {0: 5"), "there is no group 'despot'; expected dictator, ultimatum"),
        (("{dictator: {0: 5", "{dictator: {none: 5"), "got the answer 'none'; expected a number"),
        (("{dictator: {0: 5", "{dictator: {-1: 5"), "got the answer '-1'; expected 0 to 1"),
        (('scale: [0, 1], located: {at: "p. 366', 'scale: [1, 0], located: {at: "p. 366'), "smaller end"),
    ],
)
def test_printed_answers_that_nobody_can_give_are_refused(change: tuple[str, str], told: str) -> None:
    text = resources.files("concord.people.studies").joinpath("dictator-ultimatum.yaml").read_text("utf-8")
    assert change[0] in text
    with pytest.raises(StudyError, match=re.escape(told)):
        read_study(text.replace(*change).encode(), name="mine.yaml")


def test_printed_answers_of_a_choice_name_its_options() -> None:
    text = resources.files("concord.people.studies").joinpath("representativeness.yaml").read_text("utf-8")
    wrong = text.replace("{larger: 12,", "{bigger: 12,")
    assert wrong != text
    with pytest.raises(StudyError, match="got the answer 'bigger'; expected larger, smaller, same"):
        read_study(wrong.encode(), name="mine.yaml")


def test_a_choice_keeps_all_its_options() -> None:
    (file,) = find_studies(["representativeness"])
    found = answers_of([observe(plan_study(file, n=5), lambda question: "A")], None)
    assert found is not None
    by_name = {one.key: one for one in found.sets["agent"]}
    one = by_name[OutcomeKey("representativeness", "hospital: answer", "form == 'more'")]
    assert isinstance(one, AnswerSet)
    assert one.options == ("larger", "smaller", "same")
    assert np.bincount(one.people.astype(int)).tolist() == [12, 10, 28]


def test_single_answers_are_compared_where_the_paper_prints_them() -> None:
    done = studies.run(
        studies.plan(["trust-game"], n=10), lambda question: "5", n_resamples=40, n_simulations=0
    )
    assert done.distributions is not None
    outcomes = {one.outcome: one for one in done.distributions.agents[0].outcomes if one.condition == "none"}
    sent = outcomes["investment: sent"]
    assert sent.n_people == 32
    assert sent.numbers["tvd"].estimate.value == pytest.approx(1 - 6 / 32)
    # all replies are 5: the mean distance of the 32 amounts from 5, over the scale of 10
    assert sent.numbers["w1"].estimate.value == pytest.approx(np.mean(np.abs(np.array(SENT) - 5)) / 10)


def test_at_least_six_bundled_studies_say_how_people_answered() -> None:
    known = {
        file.study.study
        for file in FILES
        for finding in file.study.findings.values()
        for test in finding.tests
        if test.human.distribution is not None
        or (test.test == "chi-square" and test.human.table is not None)
        or (test.test == "binomial" and test.trials is None and test.human.k is not None)
    }
    assert {"dictator-ultimatum", "trust-game", "framing", "disjunction-effect", "impressions"} <= known
    assert len(known) >= 8


def test_a_run_of_studies_gives_the_answers_too(tmp_path: Path) -> None:
    done = studies.run(studies.plan(["framing"], n=25), lambda question: "A", n_resamples=40, n_simulations=0)
    assert done.distributions is not None
    found = done.distributions.agents[0]
    assert {one.n_agent for one in found.outcomes} == {25}
    assert found.overall.numbers["entropy_ratio"].estimate.value == 0
    done.write(tmp_path)
    assert AnswersResult.read(tmp_path / DISTRIBUTIONS) == done.distributions


def test_an_outcome_that_two_tests_read_is_taken_once() -> None:
    (file,) = find_studies(["disjunction-effect"])
    found = answers_of([observe(plan_study(file, n=5), lambda question: "A")], None)
    assert found is not None
    names = [one.key.outcome for one in found.sets["agent"]]
    assert sorted(names) == [
        "dilemma: move_competed",
        "dilemma: move_cooperated",
        "dilemma: move_unknown",
        "newcomb: boxes",
    ]

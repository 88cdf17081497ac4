"""Published distributions agree with the tests they stand beside, and runs are scored on them."""

from pathlib import Path

import numpy as np
import pytest

from concord import studies
from concord.people.answers.files import read
from concord.people.studies.distributions import answers_of
from concord.people.studies.format import HumanMoments, Test
from concord.people.studies.load import find_studies
from concord.people.studies.observe import observe
from concord.people.studies.plan import plan_study
from concord.people.studies.results import DISTRIBUTIONS

FILES = find_studies(())
MOMENTS = [
    pytest.param(test, id=f"{file.study.study}: {test.name}")
    for file in FILES
    for finding in file.study.findings.values()
    for test in finding.tests
    if test.human.distribution is not None
]


@pytest.mark.parametrize("test", MOMENTS)
def test_the_moments_give_the_statistic_that_stands_beside_them(test: Test) -> None:
    given = test.human.distribution
    assert given is not None
    one, two = given.values()
    assert isinstance(one, HumanMoments) and isinstance(two, HumanMoments)
    statistic = test.human.statistic
    assert statistic is not None
    if test.measures is not None:
        # F = t² of differences: possible for some correlation of the two measures between -1 and 1
        gap2 = (one.mean - two.mean) ** 2 * one.n / statistic
        assert (one.sd - two.sd) ** 2 <= gap2 <= (one.sd + two.sd) ** 2
        return
    pooled = ((one.n - 1) * one.sd**2 + (two.n - 1) * two.sd**2) / (one.n + two.n - 2)
    t = (one.mean - two.mean) / np.sqrt(pooled * (1 / one.n + 1 / two.n))
    assert t == pytest.approx(statistic, abs=0.02)


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
    assert read(tmp_path / DISTRIBUTIONS) == done.distributions


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

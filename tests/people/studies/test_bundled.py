"""Every bundled study, end to end: people-like data give the human numbers back, reversed data do not."""

import re
from dataclasses import replace
from functools import cache

import pytest
from scipy.stats import binom
from tests.people.studies.people_like import SCRIPTS, PeopleLike

from concord import studies
from concord.people.files import PeopleResult
from concord.people.results.one import score_table
from concord.people.studies.format import Located
from concord.people.studies.load import bundled_names, bundled_studies
from concord.records import TestRow

TWELVE = (
    "anchoring",
    "dictator-ultimatum",
    "disjunction-effect",
    "false-consensus",
    "framing",
    "guessing-game",
    "impressions",
    "minimal-groups",
    "pluralistic-ignorance",
    "representativeness",
    "side-effect",
    "trust-game",
)
NEAR = 0.06
RARELY = 0.001
"""How often people-like data may fail what is expected of them."""


@cache
def _run(name: str, way: int, seed: int = 0) -> studies.StudiesResult:
    plans = studies.plan([name], design="demographic", seed=seed)
    done: studies.StudiesResult = studies.run(plans, PeopleLike(SCRIPTS[name], way), n_resamples=0)
    return done


def _copied(row: TestRow) -> TestRow:
    return replace(row, agent=row.human, agent_outcome=row.human_outcome)


def _ceiling(done: studies.StudiesResult) -> PeopleResult:
    """Score people against themselves: what a perfect replication at their own size would get."""
    return score_table(
        replace(done.test_table, rows=tuple(map(_copied, done.test_table.rows))), n_resamples=0
    )


def test_the_twelve_studies_are_there() -> None:
    assert tuple(bundled_studies()) == TWELVE
    assert len(bundled_names()) == 30
    assert set(SCRIPTS) == set(TWELVE)


@pytest.mark.parametrize("name", TWELVE)
def test_people_like_data_score_near_the_ceiling(name: str) -> None:
    done = _run(name, 1)
    ceiling = _ceiling(done)
    assert done.test_table.warnings == ()
    assert done.outcomes[name].keys() == {"ok"}
    assert done.result.pas.value is not None
    assert ceiling.pas.value is not None
    assert done.result.pas.value > ceiling.pas.value - NEAR
    assert done.result.ecs.value is not None
    assert done.result.ecs.value > 0.95
    assert _identity(done) > 0.98
    _replicates(done)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 6))
def test_people_like_data_replicate_whatever_the_seed(seed: int) -> None:
    _replicates(_run("pluralistic-ignorance", 1, seed))


def _replicates(done: studies.StudiesResult) -> None:
    """Hold people-like data to what replications do: rarely more tests outside than chance would put there.

    Of perfect replications each test lies outside its replication interval in 5 %, and ECS in the lowest
    thousandth of perfect replications in a thousandth.
    """
    result = done.result
    assert result.referee is not None
    inside = result.referee.inside
    assert inside.n - inside.inside <= binom.ppf(1 - RARELY, inside.n, 0.05)
    bounds = result.ecs.bounds
    if bounds is not None and bounds.percentile is not None:
        assert bounds.percentile > RARELY


def _identity(done: studies.StudiesResult) -> float:
    """Return 2Σxy/(Σx²+Σy²), which does not need three tests: 1 where both sides have the same effects."""
    pairs = [(test.human_effect_d, test.agent_effect_d) for test in done.result.tests]
    usable = [(x, y) for x, y in pairs if x is not None and y is not None]
    assert len(usable) >= 2
    return 2 * sum(x * y for x, y in usable) / sum(x * x + y * y for x, y in usable)


@pytest.mark.parametrize("name", TWELVE)
def test_known_parameters_are_recovered_within_their_intervals(name: str) -> None:
    for test in _run(name, 1).result.tests:
        assert test.agent_direction == test.human_direction or test.human_p is not None and test.human_p > 0.5
        if test.z_diff is not None:
            assert abs(test.z_diff) < 1.0, test.test


@pytest.mark.parametrize("name", TWELVE)
def test_reversed_data_score_near_zero_wherever_people_were_clear(name: str) -> None:
    done = _run(name, -1)
    ceiling = {test.test: test.pas for test in _ceiling(done).tests}
    clear = [
        test
        for test in done.result.tests
        if not test.two_states and (ceiling[test.test] or 0.0) > 0.9 and test.human_significant
    ]
    assert clear or name == "minimal-groups"  # F = 6.76 with 75 boys is no clear evidence
    assert done.result.pas.value is not None
    # what is left is from tests without a direction and from human nulls
    assert done.result.pas.value < 0.25
    for test in clear:
        assert test.pas is not None
        assert test.pas < 0.05, test.test
        assert test.agent_direction == -(test.human_direction or 0)
        assert test.passed is False


def _each(agents: dict[str, PeopleLike]) -> studies.Agent:
    return lambda question: agents[question.session.plan.study](question)


@pytest.mark.slow
def test_over_all_studies_people_like_data_concord_and_reversed_data_do_not() -> None:
    plans = studies.plan(design="demographic")
    scores = {}
    for way in (1, -1):
        agents = {name: PeopleLike(script, way) for name, script in SCRIPTS.items()}
        done = studies.run(plans, _each(agents), n_resamples=0)
        scores[way] = done.result
    ceiling = _ceiling(done).pas.value
    assert scores[1].ecs.value is not None
    assert scores[1].ecs.value > 0.97
    assert scores[-1].ecs.value is not None
    assert scores[-1].ecs.value < -0.2
    assert scores[1].pas.value is not None
    assert scores[-1].pas.value is not None
    assert ceiling is not None
    assert scores[1].pas.value > ceiling - 0.03
    assert scores[-1].pas.value < 0.15


@pytest.mark.parametrize("name", TWELVE)
def test_a_study_says_where_its_human_numbers_and_its_limits_are(name: str) -> None:
    (file,) = studies.find_studies([name])
    assert file.study.about.simplified
    assert any("model" in threat for threat in file.study.about.threats)
    for finding in file.study.findings.values():
        for test in finding.tests:
            assert len(test.human.source) > 10
            assert test.human.located is not None
            assert re.search(r"pp?\. \d+", test.human.located.at), test.name
    assert file.study.about.traced


def test_a_place_says_how_it_is_known() -> None:
    assert str(Located(at="p. 3")) == "p. 3"
    assert str(Located(at="p. 3", known="quoted", by="Baron")) == "p. 3 (quoted by Baron)"
    assert str(Located(at="pp. 1–9", known="unverified")) == "pp. 1–9 (page not verified)"

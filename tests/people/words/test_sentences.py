"""What is said of a result: relative to floor and ceiling, and with the human row."""

import pytest

import concord
from concord.api import demo_table
from concord.people.protocol import STANDARD
from concord.people.public import replication_table
from concord.people.result import Bounds, HumanRow, human_row
from concord.people.results.one import score_table
from concord.people.words import relative_words
from concord.records import Estimate, Interval


def test_the_sentence_is_relative_and_tells_effects_from_nulls() -> None:
    found = concord.score_people(demo_table(), n_resamples=0, n_simulations=100)
    said = found.sentences()[0]
    assert "A rerun with people at these sample sizes would reach 0.8" in said
    assert "of 44 effects replicate; 2 of 10 nulls hold." in said
    assert "Its effects are larger than people's" in said or "may be smaller or larger" in said
    without = concord.score_people(demo_table(), n_resamples=0, n_simulations=0).sentences()[0]
    assert "rerun" not in without


@pytest.mark.parametrize(("agent", "words"), [(0.4, "holds."), (9.0, "does not hold.")])
def test_one_human_null_is_no_percentage(agent: float, words: str) -> None:
    row = {"study": "S", "finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 0.5}
    row |= {"human_n": 60, "agent_statistic": agent, "agent_n": 60}
    said = concord.score_people([row], n_resamples=0, n_simulations=0).sentences()[0]
    assert f"The one null {words}" in said


_BETWEEN = "A rerun with people at these sample sizes would reach 0.62, a model that shows no effects 0.27"
_HIGH = (
    "That is as high as a rerun with people would usually score (0.62); a model that shows no effects would "
    "reach 0.27."
)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Estimate(1.07), _HIGH),
        (Estimate(-3.22), f"{_BETWEEN}; the score lies 0 % of the way between them."),
        (Estimate(1.07, Interval(0.5, 1.6, 0.95, "")), _HIGH),
        (
            Estimate(1.07, Interval(0.9, 1.6, 0.95, "")),
            "That is as good as a rerun with people, as far as these tests can show: 90 to 100 % (95 % "
            "interval) of the way from a model that shows no effects (0.27) to a rerun (0.62).",
        ),
        (
            Estimate(-3.22, Interval(-5, 0.1, 0.8, "")),
            "That is no better than a model that shows no effects (0.27): 0 to 10 % (80 % interval) of the "
            "way from there to a rerun with people (0.62).",
        ),
        (
            Estimate(0.5, Interval(-0.2, 1.4, 0.95, "")),
            f"{_BETWEEN}; the score lies 50 % of the way between them (95 % interval 0 to 100 %).",
        ),
        (
            Estimate(None, note="undefined: floor and ceiling are 0.010 apart"),
            f"{_BETWEEN}; these tests cannot tell the two apart.",
        ),
        (Estimate(None, note="undefined: no test"), f"{_BETWEEN}."),
    ],
)
def test_a_place_is_capped_in_words_and_withheld_where_it_says_nothing(place: Estimate, words: str) -> None:
    assert relative_words(Bounds(Estimate(0.27), Estimate(0.62), place)) == words


def test_assumptions_name_tests_and_the_column_that_removes_them() -> None:
    row = {"study": "S", "finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 2}
    rows = [row | {"test": f"x{i}", "human_n": 60, "agent_statistic": 1, "agent_n": 60} for i in range(4)]
    (line,) = concord.score_people(rows, n_resamples=0, n_simulations=0).assumptions
    assert (
        line
        == "4 tests assume equal groups: S F x0, S F x1, S F x2, …; give n1 and n2 to avoid this assumption"
    )


def test_the_human_row_is_what_the_table_of_replications_gives() -> None:
    row, table = human_row(), replication_table()
    assert row.n == len(table.rows) == 143
    again = score_table(table, STANDARD, n_resamples=0, n_simulations=0)
    assert (row.pas.value, row.ecs.value, row.apr.value) == (
        again.pas.value,
        again.ecs.value,
        again.apr.value,
    )
    assert row.pas.bounds is not None
    assert row.pas.bounds.place.value == pytest.approx(0.823, abs=0.005)


def _leaves(value: object, where: str = "") -> dict[str, object]:
    """Return every single value of a document under its path."""
    if isinstance(value, dict):
        return {k: v for key, one in value.items() for k, v in _leaves(one, f"{where}/{key}").items()}
    if isinstance(value, list | tuple):
        return {k: v for i, one in enumerate(value) for k, v in _leaves(one, f"{where}/{i}").items()}
    return {where: value}


@pytest.mark.long
def test_the_kept_human_row_is_that_of_a_new_computation() -> None:
    """It is made by `tools/human_row.py`: make it again after a change of intervals, floor or ceiling."""
    from concord.files.codec import encode

    found = score_table(replication_table(), STANDARD, n_simulations=1000)
    computed = encode(HumanRow(len(found.tests), found.pas, found.ecs, found.apr))
    new, kept = _leaves(computed), _leaves(encode(human_row()))
    assert new.keys() == kept.keys()
    for where, value in new.items():
        if isinstance(value, float):
            assert kept[where] == pytest.approx(value, rel=1e-9, abs=1e-12), where
        else:
            assert kept[where] == value, where


def _scored(statistics: list[tuple[float, float]], studies: int) -> str:
    rows = [
        {"study": f"S{i % studies}", "finding": f"F{i}", "test": "x", "test_type": "t-test"}
        | {"human_statistic": human, "human_n": 80, "agent_statistic": agent, "agent_n": 80}
        for i, (human, agent) in enumerate(statistics)
    ]
    return concord.score_people(rows, n_resamples=0, n_simulations=0).sentences()[0]


def test_effects_that_are_turned_round_ask_for_the_order_of_the_groups() -> None:
    said = _scored([(3, -3), (4, -4.2), (-2.9, 3.1), (2.5, 2.8)], 4)
    assert "3 of 4 effects are significant in the opposite direction: is group 1 the same group" in said
    few: list[list[tuple[float, float]]] = [
        [(3, -3), (4, 4)],
        [(3, -3), (4, 0.2)],
        [(3, -3), (4, -4), (3, 3), (4, 4)],
        [(3, -3), (4, -4), (3, 0.3), (4, 0.4)],
    ]
    assert all("opposite" not in _scored(pairs, 3) for pairs in few)


def test_too_few_studies_are_said_to_say_nothing_about_others() -> None:
    said = _scored([(3, 0.2)], 1)
    assert "The one effect that people show does not replicate." in said
    assert "One study says nothing about other studies; that takes at least three." in said
    assert "Two studies say nothing about other studies" in _scored([(3, 3), (3, 2)], 2)
    assert "other studies" not in _scored([(3, 3), (3, 2), (4, 1)], 3)

"""Every test type, completed from its columns."""

import math

import pytest

from concord.errors import TableError
from concord.people.table.read import read_tests
from concord.records import Side, TestTable

TABLE = ((12.0, 8.0), (5.0, 15.0))


def _table(test_type: str, **cells: object) -> TestTable:
    row: dict[str, object] = {"study": "S", "finding": "F", "test": "T", "test_type": test_type}
    return read_tests([row | {f"human_{name}": value for name, value in cells.items()}])


def _side(test_type: str, **cells: object) -> Side:
    side = _table(test_type, **cells).rows[0].human
    assert side is not None
    return side


EQUAL = "group sizes not given: N = {} split equally"
ASSUMED_N = ("N not given: taken as df1 + df2 + 1",)


@pytest.mark.parametrize(
    ("test_type", "cells", "side"),
    [
        ("t-independent", {"statistic": 2, "n1": 30, "n2": 31}, Side(2, n1=30, n2=31, n=61)),
        ("t-independent", {"statistic": 2, "n1": 30, "n": 61}, Side(2, n1=30, n2=31, n=61)),
        ("t-independent", {"statistic": 2, "n2": 31, "df2": 59}, Side(2, df2=59, n1=30, n2=31, n=61)),
        (
            "t-independent",
            {"statistic": 2, "n": 61},
            Side(2, n1=30.5, n2=30.5, n=61, flags=(EQUAL.format("61 (n)"),)),
        ),
        (
            "t-independent",
            {"statistic": 2, "df1": 58},
            Side(2, df2=58, n1=30, n2=30, n=60, flags=(EQUAL.format("60 (df + 2)"),)),
        ),
        (
            "t-independent",
            {"statistic": 2, "n1": 9, "n2": 9, "df2": 11.3},
            Side(2, df2=11.3, n1=9, n2=9, n=18),
        ),
        ("t-paired", {"statistic": -2, "n": 20}, Side(-2, n=20)),
        ("t-paired", {"statistic": -2, "n1": 20, "n2": 20, "df2": 19}, Side(-2, df2=19, n=20)),
        ("t-one-sample", {"statistic": 2, "n1": 20}, Side(2, n=20)),
        ("t-one-sample", {"statistic": 2, "df2": 19}, Side(2, df2=19, n=20)),
        ("anova", {"statistic": 4, "df1": 1, "df2": 58}, Side(4, 1, 58, n=60, flags=ASSUMED_N)),
        ("anova", {"statistic": 4, "df1": 1, "df2": 58, "n1": 20, "n2": 40}, Side(4, 1, 58, 20, 40, n=60)),
        (
            "anova",
            {"statistic": 4, "df1": 1, "df2": 58, "n1": 20},
            Side(4, 1, 58, 20, 40, n=60, flags=ASSUMED_N),
        ),
        (
            "anova",
            {"statistic": 4, "df1": 2, "df2": 57, "n": 60, "direction": -1},
            Side(4, 2, 57, n=60, direction=-1),
        ),
        ("anova-within", {"statistic": 4, "df1": 1, "df2": 19}, Side(4, 1, 19, n=20)),
        (
            "anova-within",
            {"statistic": 4, "df1": 2, "df2": 38, "p_value": 0.03},
            Side(4, 2, 38, n=20, p_value=0.03),
        ),
        (
            "anova-within",
            {"statistic": 4, "df1": 1.62, "df2": 46.98, "p_value": 0},
            Side(4, 1.62, 46.98, n=30, p_value=0),
        ),
        ("regression", {"statistic": 4, "df1": 3, "df2": 96}, Side(4, 3, 96, n=100)),
        ("regression", {"statistic": 4, "df1": 3, "df2": 96, "n1": 100}, Side(4, 3, 96, n=100)),
        ("correlation", {"statistic": -0.31, "n": 50}, Side(-0.31, n=50)),
        ("correlation", {"statistic": 1, "df1": 48}, Side(1, df2=48, n=50)),
        ("chi-square", {"table": "[[12, 8], [5, 15]]"}, Side(df1=1, n=40, table=TABLE)),
        (
            "chi-square",
            {"table": "[[12, 8], [5, 15]]", "statistic": 5.01},
            Side(5.01, df1=1, n=40, table=TABLE),
        ),
        ("chi-square", {"statistic": 0.0, "df2": 2, "n": 120}, Side(0.0, df1=2, n=120)),
        ("chi-square", {"statistic": 5, "df1": 1, "n1": 20, "n2": 30}, Side(5, df1=1, n=50)),
        ("binomial", {"k": 0, "n": 24, "p0": 0.25}, Side(k=0, n=24, p0=0.25)),
        ("binomial", {"k": 18, "n1": 24}, Side(k=18, n=24, p0=0.5, flags=("p0 not given: taken as 0.5",))),
        ("mann-whitney", {"statistic": 0, "n1": 30, "n2": 31, "u_of": "group2"}, Side(0, n1=30, n2=31, n=61)),
        (
            "mann-whitney",
            {"statistic": 340.5, "n1": 30, "n": 61, "u_of": "Group 2"},
            Side(340.5, n1=30, n2=31, n=61),
        ),
        ("variance-ratio", {"statistic": 2.9, "df1": 131, "df2": 131}, Side(2.9, 131, 131)),
        ("variance-ratio", {"statistic": 2.9, "n1": 132, "n2": 133}, Side(2.9, 131, 132, 132, 133)),
        ("p-value", {"p_value": 0.0, "direction": 0}, Side(p_value=0.0, direction=0)),
        ("p-value", {"p_value": 1, "n": 20}, Side(p_value=1, n=20)),
    ],
)
def test_a_type_is_completed_from_its_columns(test_type: str, cells: dict[str, object], side: Side) -> None:
    table = _table(test_type, **cells)
    assert table.rows[0].human == side
    assert [text for text in table.warnings if "row 2" in text and "degrees of freedom" not in text] == []


def test_a_within_subjects_f_of_several_conditions_without_p_is_scored() -> None:
    side = _side("anova-within", statistic=4, df1=2, df2=38)
    assert side.flags == ()


def test_a_mixed_design_rounds_n_and_says_so() -> None:
    side = _side("anova-within", statistic=4, df1=2, df2=115, p_value=0.02)
    assert (side.n, side.flags) == (58, ("n not given: df2 / df1 + 1 rounded to 58",))


@pytest.mark.parametrize(
    ("test_type", "cells", "column"),
    [
        ("t-independent", {"statistic": 2, "n1": 30, "n2": 31, "df2": 41.7}, "df2"),
        ("t-paired", {"statistic": 2, "n": 30, "df1": 20}, "df1"),
        ("correlation", {"statistic": 0.2, "n": 30, "df2": 27}, "df2"),
        ("anova", {"statistic": 2, "df1": 1, "df2": 76, "n": 80}, "df2"),
        ("regression", {"statistic": 2, "df1": 1, "df2": 70, "n": 80}, "df2"),
        ("anova-within", {"statistic": 2, "df1": 1, "df2": 70, "n": 80}, "df2"),
        ("variance-ratio", {"statistic": 2, "df1": 8, "df2": 9, "n1": 10, "n2": 10}, "df1"),
        ("chi-square", {"table": "[[12, 8], [5, 15]]", "df1": 2}, "df1"),
    ],
)
def test_other_degrees_of_freedom_than_n_gives_are_a_warning(
    test_type: str, cells: dict[str, object], column: str
) -> None:
    warnings = _table(test_type, **cells).warnings
    assert warnings[0].startswith(f"list, row 2, column 'human_{column}': the degrees of freedom are not ")


@pytest.mark.parametrize(
    ("test_type", "cells", "column", "text"),
    [
        (
            "anova",
            {"statistic": 2, "df1": 2, "df2": 57, "n1": 20, "n2": 20},
            "n1",
            "not used: an F with df1 > 1",
        ),
        (
            "t-test",
            {"statistic": 2, "df1": 7, "df2": 58},
            "df1",
            "not used: the degrees of freedom are taken from df2",
        ),
        ("binomial", {"statistic": 2, "k": 3, "n": 9, "p0": 0.5}, "statistic", "not used by binomial"),
        (
            "chi2",
            {"statistic": 99, "table": "[[12, 8], [5, 15]]"},
            "statistic",
            "not the chi-square of the table",
        ),
    ],
)
def test_numbers_that_do_not_belong_together_are_a_warning(
    test_type: str, cells: dict[str, object], column: str, text: str
) -> None:
    assert _table(test_type, **cells).warnings[0].startswith(f"list, row 2, column 'human_{column}': {text}")


def test_a_chi_square_with_yates_correction_fits_its_table() -> None:
    # by hand: 40 * (|12 * 15 - 8 * 5| - 20)^2 / (20 * 20 * 17 * 23) = 3.683
    assert _table("chi2", statistic=3.68, table="[[12, 8], [5, 15]]").warnings == (
        "list: every agent side is empty",
    )


def test_p0_is_taken_from_the_other_side() -> None:
    row: dict[str, object] = {"study": "S", "finding": "F", "test": "T", "test_type": "binomial"}
    row |= {"human_k": 3, "human_n": 9, "human_p0": 0.2, "agent_k": 4, "agent_n": 9}
    (read,) = read_tests([row]).rows
    assert read.human is not None
    assert read.agent is not None
    assert (read.human.p0, read.human.flags) == (0.2, ())
    assert (read.agent.p0, read.agent.flags) == (0.2, ("p0 not given: taken from the human side, 0.2",))


def test_welch_degrees_of_freedom_do_not_give_n() -> None:
    with pytest.raises(
        TableError, match=r"column 'human_df2': got 57.3, expected n1 and n2 \(or n\) beside it: Welch's"
    ):
        _table("welch", statistic=2, df2=57.3)


def test_raw_and_computed_numbers_are_both_kept() -> None:
    side = _side("t-test", statistic=2, n1=30, n2=31, effect_d=0.5, log_bf=0.0)
    assert (side.statistic, side.effect_d, side.log_bf) == (2, 0.5, 0.0)


def test_a_computed_effect_does_not_excuse_a_half_given_test() -> None:
    with pytest.raises(TableError, match="column 'human_n1': got ''"):
        _table("t-test", statistic=2, effect_d=0.5)


def test_completed_numbers_are_finite_floats() -> None:
    side = _side("t-test", statistic="2", n="60")
    assert all(
        isinstance(value, float) and math.isfinite(value) for value in (side.n1, side.n2, side.statistic)
    )


@pytest.mark.parametrize(
    ("cells", "u"),
    [
        ({"direction": 1}, 3.0),
        ({"direction": -1}, 27.0),
        ({"u_of": "group1"}, 27.0),
        ({"u_of": "group1", "direction": 1}, 3.0),
        ({"u_of": "group2", "direction": -1}, 27.0),
        ({"u_of": "smaller", "direction": -1}, 27.0),
        ({"u_of": "smaller", "direction": 1}, 3.0),
    ],
)
def test_a_direction_decides_which_u_was_given(cells: dict[str, object], u: float) -> None:
    row = {"study": "S", "finding": "F", "test": "x", "test_type": "mann-whitney"}
    given = {f"human_{name}": value for name, value in ({"statistic": 3, "n1": 5, "n2": 6} | cells).items()}
    side = read_tests([row | given]).rows[0].human
    assert side is not None
    assert side.statistic == u


def test_a_u_without_direction_says_how_it_was_taken() -> None:
    row = {"study": "S", "finding": "F", "test": "x", "test_type": "mann-whitney"}
    table = read_tests([row | {"human_statistic": 3, "human_n1": 5, "human_n2": 6}])
    assert any("scipy and R count group 1" in text for text in table.warnings)
    with pytest.raises(TableError, match="human_direction as well"):
        read_tests([row | {"human_statistic": 3, "human_n1": 5, "human_n2": 6, "human_u_of": "smaller"}])


def test_a_chi_square_that_no_table_gives_is_refused() -> None:
    with pytest.raises(TableError, match="at most n \\* df = 10: no table gives more"):
        _side("chi-square", statistic=50, df1=1, n=10)


@pytest.mark.parametrize("word", [1, "1", "one", "One-tailed", "one-sided"])
def test_a_one_tailed_p_is_doubled_and_flagged(word: object) -> None:
    side = _side("t-independent", statistic=2.1, n1=40, n2=40, p_value="0.0195", tails=word)
    assert side.p_value == pytest.approx(0.039)
    assert side.flags == ("the p-value is one-tailed: doubled",)
    assert _side("t-independent", statistic=2.1, n1=40, n2=40, p_value=0.039, tails=2).flags == ()


def test_other_tails_are_refused() -> None:
    with pytest.raises(TableError, match="one-tailed"):
        _side("p-value", p_value=0.02, tails="three")

"""Reported statistics in a table of tests: they fill, they are checked, they never overrule a column."""

import math

import pytest

from concord.errors import TableError
from concord.people.table.read import read_tests
from concord.records import Side, TestTable

EQUAL = "group sizes not given: N = 104 (df + 2) split equally"


def _table(test_type: str, reported: str, **cells: object) -> TestTable:
    row: dict[str, object] = {"study": "S", "finding": "F", "test": "T", "test_type": test_type}
    cells = {"reported": reported} | cells
    return read_tests([row | {f"human_{name}": value for name, value in cells.items()}])


def _warnings(table: TestTable) -> list[str]:
    start = "list, row 2, column 'human_reported': "
    return [text.removeprefix(start) for text in table.warnings if text.startswith(start)]


@pytest.mark.parametrize(
    ("test_type", "reported", "cells", "side"),
    [
        ("t-independent", "t(102)=7.99", {}, Side(7.99, df2=102, n1=52, n2=52, n=104, flags=(EQUAL,))),
        ("t-independent", "t(102)=7.99", {"n1": 50, "n2": 54}, Side(7.99, df2=102, n1=50, n2=54, n=104)),
        ("t-paired", "t(19) = −2.1, p = .049", {}, Side(-2.1, df2=19, n=20)),
        ("t-one-sample", "t = 2.1", {"n": 20}, Side(2.1, n=20)),
        ("anova", "F(1, 312) = 49.1, p < .001", {"n": 314}, Side(49.1, 1, 312, n=314)),
        ("anova", "t(58) = -3", {"n": 60}, Side(9, 1, 58, n=60, direction=-1)),
        ("anova-within", "F(1, 19) = 4.1", {}, Side(4.1, 1, 19, n=20)),
        ("anova-within", "F(2, 38) = 4.1, p = .024", {}, Side(4.1, 2, 38, n=20, p_value=0.024)),
        ("regression", "F(3, 96) = 4.1", {}, Side(4.1, 3, 96, n=100)),
        (
            "regression",
            "beta = -0.50, t = -5.98, p < .001",
            {"df2": 75},
            Side(5.98**2, 1, 75, n=77, direction=-1),
        ),
        ("correlation", "r(48) = −.31", {}, Side(-0.31, df2=48, n=50)),
        ("correlation", "r = .42, n = 103", {}, Side(0.42, n=103)),
        ("chi-square", "χ²(2, N = 120) = 9.4, p=.009", {}, Side(9.4, df1=2, n=120)),
        ("chi-square", "χ²(2) = 9.4", {"n": 120}, Side(9.4, df1=2, n=120)),
        ("binomial", "sign test, 18 of 24", {}, Side(k=18, n=24, p0=0.5)),
        ("binomial", "18 of 24", {"p0": 0.25}, Side(k=18, n=24, p0=0.25)),
        (
            "mann-whitney",
            "U = 341, n1 = 30, n2 = 31, z = 2.1",
            {"u_of": "group2"},
            Side(341, n1=30, n2=31, n=61, z=2.1),
        ),
        ("variance-ratio", "F(131, 131) = 2.99, p < .0001", {}, Side(2.99, 131, 131)),
        ("p-value", "p = .29", {}, Side(p_value=0.29)),
        (
            "p-value",
            "p < .01",
            {},
            Side(p_value=0.01, flags=("only p < 0.01 is reported: the bound is used as the p-value",)),
        ),
        (
            "p-value",
            "p = .000",
            {},
            Side(p_value=0.0005, flags=("only p < 0.0005 is reported: the bound is used as the p-value",)),
        ),
        (
            "p-value",
            "p = 0.02 (one-tailed)",
            {},
            Side(p_value=0.04, flags=("the reported p-value is one-tailed: doubled",)),
        ),
        ("p-value", "t = -2.5, p = .02", {}, Side(p_value=0.02, direction=-1)),
    ],
)
def test_a_type_is_completed_from_a_reported_statistic(
    test_type: str, reported: str, cells: dict[str, object], side: Side
) -> None:
    table = _table(test_type, reported, **cells)
    assert table.rows[0].human == side
    assert _warnings(table) == []


def test_a_z_gives_its_two_sided_p_and_its_direction() -> None:
    side = _table("p-value", "z = -1.96, p = .05").rows[0].human
    assert side is not None
    assert side.p_value == pytest.approx(0.04999579, abs=1e-8)  # standard normal table, 1.96
    assert (side.direction, side.flags) == (-1, ())


def test_a_z_alone_gives_a_u() -> None:
    side = _table("mann-whitney", "z = 2.1", n1=30, n2=31).rows[0].human
    assert side is not None
    assert side.statistic == pytest.approx(465 - 2.1 * math.sqrt(30 * 31 * 62 / 12), rel=1e-14)
    assert (side.z, side.flags) == (2.1, ("U not given: derived from z without correction for ties",))


def test_z_takes_the_sign_that_u_implies() -> None:
    table = _table("mann-whitney", "U = 341, z = -2.1, p = .036", n1=30, n2=31, u_of="group2")
    side = table.rows[0].human
    assert side is not None
    assert side.z == 2.1
    assert _warnings(table) == ["z has the sign opposite to that of U (counted for group 2); U decides"]


def test_the_z_of_a_u_in_the_columns_is_still_taken() -> None:
    table = _table("mann-whitney", "U = 589, z = 2.1, p = .036", statistic=341, n1=30, n2=31)
    side = table.rows[0].human
    assert side is not None
    assert (side.statistic, side.z, _warnings(table)) == (341, 2.1, [])  # 589 is the U of the other group


def test_the_p_of_a_within_subjects_f_in_the_columns_is_still_taken() -> None:
    side = _table("anova-within", "F(2, 38) = 4.1, p < .05", statistic=4.1, df1=2, df2=38).rows[0].human
    assert side is not None
    assert side.p_value == 0.05
    assert side.flags == ("only p < 0.05 is reported: the bound is used as the p-value",)


@pytest.mark.parametrize(
    ("test_type", "reported", "cells", "warning"),
    [
        (
            "anova",
            "F(1, 312) = 49.1, p < .001",
            {"statistic": 17.7, "df1": 1, "df2": 78, "n": 80},
            [
                "'F(1, 312) = 49.1, p < .001' says statistic = 49.1, the columns 17.7; the columns are used",
                "'F(1, 312) = 49.1, p < .001' says df2 = 312, the columns 78; the columns are used",
            ],
        ),
        (
            "t-test",
            "t(58) = 2.41",
            {"statistic": 2.4, "n1": 29, "n2": 30},
            [],
        ),
        (
            "t-test",
            "t(58) = 2.41",
            {"statistic": -2.4, "n1": 30, "n2": 30},
            ["'t(58) = 2.41' says statistic = 2.41, the columns -2.4; the columns are used"],
        ),
        (
            "p",
            "p < .01",
            {"p_value": 0.03},
            ["'p < .01' says p < 0.01, the columns 0.03; the columns are used"],
        ),
        ("p", "p < .05", {"p_value": 0.03}, []),
        (
            "correlation",
            "t(58) = 2.41",
            {"statistic": 0.3, "n": 60},
            ["'t(58) = 2.41' is not a statistic for test type correlation; not used"],
        ),
        (
            "correlation",
            "highly significant",
            {"statistic": 0.3, "n": 60},
            ["'highly significant' does not parse and is not used; the other columns suffice"],
        ),
    ],
)
def test_columns_win_and_a_disagreement_is_a_warning(
    test_type: str, reported: str, cells: dict[str, object], warning: list[str]
) -> None:
    table = _table(test_type, reported, **cells)
    side = table.rows[0].human
    assert side is not None
    assert all(getattr(side, name) == value for name, value in cells.items())
    assert _warnings(table) == warning


def test_an_inconsistent_p_is_a_warning_with_the_verdict() -> None:
    (text,) = _warnings(_table("t-test", "t(58) = 1.2, p = .01"))
    assert text.startswith("'t(58) = 1.2, p = .01': decision error: reported p = 0.01")


def test_the_check_uses_the_degrees_of_freedom_of_the_columns() -> None:
    (text,) = _warnings(_table("t-one-sample", "t = 1.2, p = .01", df2=58))
    assert "decision error" in text


def test_a_two_sided_p_of_a_variance_ratio_is_consistent() -> None:
    # P(F(9, 9) > 4.03) = .0250, printed two-sided
    assert _warnings(_table("variance-ratio", "F(9, 9) = 4.03, p = .050")) == []
    assert _warnings(_table("variance-ratio", "F(9, 9) = 4.03, p = .025")) == []
    assert len(_warnings(_table("variance-ratio", "F(9, 9) = 4.03, p = .20"))) == 1


@pytest.mark.parametrize(
    ("test_type", "reported", "cells", "message"),
    [
        (
            "t-test",
            "highly significant",
            {},
            r"got 'highly significant', expected a test statistic .*\(at character",
        ),
        (
            "t-test",
            "p < .001",
            {},
            r"expected 't\(58\) = 2.41', as test type t-independent needs; for a p-value alone",
        ),
        ("r", "t(58) = 2.41", {}, r"expected 'r\(48\) = .31', as test type correlation needs$"),
        (
            "anova",
            "F < 1",
            {"df1": 1, "df2": 9},
            "expected the value of the statistic; 'F < 1' only bounds it",
        ),
        ("p", "p > .05", {}, "expected a p-value such as 'p = .03' or 'p < .01'"),
        ("p", "t(20) = 2.1", {}, "expected a p-value such as"),
        ("t-test", "t(102) = 2.1", {"n1": 20, "n2": 20}, "expected at most n - 1 = 39 degrees of freedom"),
        ("u", "U = 341", {"n1": 3, "n2": 4}, r"expected a U from 0 to n1 \* n2 = 12"),
        ("u", "z = 9", {"n1": 3, "n2": 4}, r"expected a U from 0 to n1 \* n2 = 12"),
    ],
)
def test_a_reported_statistic_that_is_needed_and_cannot_serve_is_a_bad_cell(
    test_type: str, reported: str, cells: dict[str, object], message: str
) -> None:
    with pytest.raises(TableError, match=rf"^list, row 2, column 'human_reported': .*{message}"):
        _table(test_type, reported, **cells)


def test_what_columns_and_string_together_lack_is_a_bad_cell() -> None:
    with pytest.raises(
        TableError, match=r"column 'human_n1': got '', expected a value: test type t-independent needs"
    ):
        _table("t-test", "t = 2.41")


def test_a_direction_against_the_reported_sign_is_a_bad_cell() -> None:
    with pytest.raises(
        TableError, match=r"column 'human_direction': got 1, expected the negative direction of human_r"
    ):
        _table("anova", "t(58) = -3", direction=1)
    with pytest.raises(
        TableError, match=r"column 'human_direction': got 1, expected the negative direction of human_r"
    ):
        _table("t-test", "t(58) = -3", direction=1)


def test_sizes_of_the_columns_are_not_mixed_with_those_of_the_string() -> None:
    table = _table("mann-whitney", "U = 341, n1 = 30, n2 = 31", n1=35, n2=36, u_of="group2")
    side = table.rows[0].human
    assert side is not None
    assert (side.n1, side.n2, side.n) == (35, 36, 71)
    assert len(_warnings(table)) == 2


def test_a_computed_effect_stands_beside_a_string_that_serves_and_one_that_does_not() -> None:
    full = _table("t-one-sample", "t(19) = 2.1", effect_d=0.4).rows[0].human
    assert full == Side(2.1, df2=19, n=20, effect_d=0.4)
    for text in ("t = 2.1", "r(19) = .3", "unclear"):
        table = _table("t-one-sample", text, effect_d=0.4)
        assert table.rows[0].human == Side(effect_d=0.4)
        assert len(_warnings(table)) == 1


@pytest.mark.parametrize("name", ["regression coefficient", "Regression slope"])
def test_a_coefficient_reported_with_its_standard_error_is_read_as_one(name: str) -> None:
    keys = {"study": "S", "finding": "F", "test": "x", "test_type": name}
    both = {"human_reported": "b = 0.42, SE = 0.10", "human_n": 60}
    (row,) = read_tests([keys | both]).rows
    assert row.test_type == "coefficient"
    assert row.human is not None
    assert (row.human.statistic, row.human.se, row.human.n) == (0.42, 0.10, 60)
    (columns,) = read_tests([keys | {"human_statistic": 0.42, "human_se": 0.1, "human_n": 60}]).rows
    assert columns.test_type == "coefficient"
    (as_t,) = read_tests([keys | {"human_reported": "t(58) = 4.2"}]).rows
    assert as_t.test_type == "regression"


@pytest.mark.parametrize(("statistic", "agrees"), [(61.0, True), (60.1, True), (61.7, False), (60.0, False)])
def test_an_f_is_the_square_of_any_t_that_rounds_to_the_printed_one(statistic: float, agrees: bool) -> None:
    """7.8 is printed for 7.75 to 7.85, whose squares are 60.06 to 61.62."""
    table = _table("anova", "t(58) = 7.8", statistic=statistic, df1=1, df2=58, n=60)
    assert (not any("statistic" in text for text in _warnings(table))) is agrees

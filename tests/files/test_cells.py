"""One cell to one value."""

import math
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.files import cells
from concord.files.cells import BadCellError
from concord.files.columns import read_numbers
from concord.files.limits import LARGEST_NUMBER
from concord.files.missing import declared_missing
from concord.files.text import ErrorCell


@pytest.mark.parametrize(
    "word", ["", "  ", "NA", "n/a", "N.A.", "NaN", "null", "None", "-", "–", "—", ".", "#N/A"]
)
def test_words_for_missing_are_missing_everywhere(word: str) -> None:
    assert cells.is_missing(word)
    assert cells.number(word) is None
    assert cells.whole(word) is None
    assert cells.name(word) is None
    assert cells.table(word) is None


@pytest.mark.parametrize("nothing", [None, float("nan"), np.nan])
def test_nothing_and_nan_are_missing(nothing: object) -> None:
    assert cells.is_missing(nothing)
    assert cells.number(nothing) is None


@pytest.mark.parametrize("zero", [0, 0.0, "0", "0.0", "-0", np.int64(0), Decimal(0), " .0 "])
def test_zero_is_a_value(zero: object) -> None:
    assert not cells.is_missing(zero)
    assert cells.number(zero) == 0


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("−2.5", -2.5),
        ("–.31", -0.31),
        ("+3", 3.0),
        ("1E-12", 1e-12),
        ("\u00a07\u2009", 7.0),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3.0),
        (Decimal("1.25"), 1.25),
        (10**400 // 10**399, 10.0),
    ],
)
def test_numbers_are_read_from_numbers_and_from_text(cell: object, value: float) -> None:
    assert cells.number(cell) == value


@given(st.floats(min_value=-LARGEST_NUMBER, max_value=LARGEST_NUMBER))
def test_every_float_survives_its_text(value: float) -> None:
    assert cells.number(repr(value)) == value == cells.number(value)


@pytest.mark.parametrize("cell", [1.1e60, -1e308, "1e61", 10**400])
def test_a_number_whose_squares_leave_the_range_of_numbers_is_refused(cell: object) -> None:
    with pytest.raises(cells.BadCellError, match="a number of at most 1e\\+60|a finite number"):
        cells.number(cell)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("seven", "a number"),
        ("1_000", "a number"),
        ("5%", "a number"),
        ("١٢", "a number"),
        (True, "a number"),
        (np.bool_(True), "a number"),
        ([1], "a number"),
        (np.array(["", "x"]), "a number"),
        ("#DIV/0!", "a number"),
        (ErrorCell("=A1 (a formula without a stored result)"), "a number"),
        ("2,5", "a number with a decimal point and no thousands separator"),
        ("1,234", "a number with a decimal point and no thousands separator"),
        ("<.001", "a bare number; put a text such as 'p < .001' into the column 'reported'"),
        ("p = .03", "a bare number"),
        (math.inf, "a finite number"),
        ("-inf", "a finite number"),
        ("1e999", "a finite number"),
        (10**400, "a finite number"),
    ],
)
def test_what_is_not_a_number_says_what_was_expected(cell: object, expected: str) -> None:
    with pytest.raises(BadCellError, match=f"^{expected}"):
        cells.number(cell)


def test_counts_may_be_written_with_a_decimal_point_but_not_be_broken() -> None:
    assert (cells.whole("61.0"), cells.whole(60.9999999999999), cells.whole(0)) == (61, 61, 0)
    for cell in (61.5, "-1", -3, "0.1"):
        with pytest.raises(BadCellError, match=r"^a whole number, 0 or more$"):
            cells.whole(cell)


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        (1.0, "1"),
        (7, "7"),
        (2.5, "2.5"),
        ("1.0", "1.0"),
        ("  a  b ", "a  b"),
        ("e\u0301", "é"),
        (True, "true"),
    ],
)
def test_names_are_trimmed_and_normalised_and_numbers_lose_their_point(cell: object, name: str) -> None:
    assert cells.name(cell) == name


@pytest.mark.parametrize("cell", [[1], {"a": 1}, ErrorCell("#REF!")])
def test_a_list_or_a_spreadsheet_fault_is_no_name(cell: object) -> None:
    with pytest.raises(BadCellError, match="^a name$"):
        cells.name(cell)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (1, 1),
        ("-1", -1),
        ("−1", -1),
        (0.0, 0),
        ("+1", 1),
        ("Positive", 1),
        ("negative", -1),
        ("", None),
        ("NA", None),
    ],
)
def test_directions(cell: object, value: int | None) -> None:
    assert cells.direction(cell) == value


@pytest.mark.parametrize("cell", [2, 0.5, "+", "-", "–", "none", "up", True])
def test_an_unclear_direction_is_refused(cell: object) -> None:
    with pytest.raises(BadCellError, match=r"^-1, 0 or 1 \(or 'positive', 'negative'\); an empty cell when"):
        cells.direction(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "[[1, 2], [3, 4.0]]",
        [[1, 2], [3, 4]],
        ((1, 2), (3.0, 4)),
        np.array([[1, 2], [3, 4]]),
        [np.array([1, 2]), np.array([3, 4])],
    ],
)
def test_tables_come_as_text_lists_and_arrays(cell: object) -> None:
    assert cells.table(cell) == ((1, 2), (3, 4))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("1,2;3,4", r"a table of counts such as \[\[12, 8\], \[5, 15\]\]"),
        ("[1, 2]", "a table of counts"),
        (5, "a table of counts"),
        ('{"a": 1}', "a table of counts"),
        ("[" * 100_000, "a table of counts"),
        ("[[1, 2], [3, 4, 5]]", "a rectangular table; its rows have 2, 3 cells"),
        ("[[1, 2]]", "a table of at least 2 rows and 2 columns"),
        ("[[1], [2]]", "a table of at least 2 rows and 2 columns"),
        ("[]", "a table of at least 2 rows"),
        ("[[1, 2], [3, -4]]", "a table whose cells are all whole numbers, 0 or more"),
        ("[[1, 2], [3, 4.5]]", "a table whose cells are all whole"),
        ("[[1, 2], [3, null]]", "a table whose cells are all whole"),
        ("[[1, 2], [3, NaN]]", "a table whose cells are all whole"),
        ("[[1, 2], [3, true]]", "a table whose cells are all whole"),
        ('[[1, 2], [3, "4"]]', "a table whose cells are all whole"),
    ],
)
def test_what_is_not_a_table_of_counts_says_what_was_expected(cell: object, expected: str) -> None:
    with pytest.raises(BadCellError, match=f"^{expected}"):
        cells.table(cell)


_TEXTS = st.one_of(
    st.sampled_from(
        ["", " ", "n/a", "NaN", "inf", "-Infinity", "0,5", "50%", "1e400", "refused", "-99", "1_0"]
    ),
    st.sampled_from(["1.", ".5", "+.5", "0x1", "1e5", "1E-3", "−2", "–", "1d5", "1f", "٣", "1 000", "1_0"]),
    st.floats(allow_nan=False).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.text(max_size=5),
)


@given(st.lists(_TEXTS, max_size=20), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_column_of_text_is_read_as_its_cells_are(texts: list[str], comma: bool) -> None:
    missing = declared_missing("-99,refused")
    each = [text.strip() for text in texts]
    values, bad = read_numbers(each, decimal_comma=comma, missing=missing)
    column = pl.Series("s", texts, dtype=pl.String)
    at_once, odd = read_numbers(column, decimal_comma=comma, missing=missing)
    np.testing.assert_array_equal(at_once, values)
    assert odd == bad

"""Derived variables: arithmetic and comparison, and nothing else."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.errors import OptionError
from concord.people.studies.expressions import over_members, parse_expression


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("1 + 2 * 3 ** 2", {}, 19.0),
        ("-x % 3", {"x": 4.0}, 2.0),
        ("a > 1 and b == 'yes'", {"a": 2.0, "b": "yes"}, 1.0),
        ("a > 1 or b == 'yes'", {"a": 0.0, "b": "no"}, 0.0),
        ("not (a <= 1)", {"a": 2.0}, 1.0),
        ("a != b", {"a": "x", "b": "y"}, 1.0),
        ("mean(a, b) + max(a, b) - min(a, b)", {"a": 1.0, "b": 3.0}, 4.0),
        ("abs(a) + sqrt(b) + log(1)", {"a": -1.0, "b": 4.0}, 3.0),
        ("first(a, b)", {"a": None, "b": 7.0}, 7.0),
        ("a + b", {"a": None, "b": 7.0}, None),
        ("a > 1 or b > 1", {"a": None, "b": 7.0}, 1.0),
        ("a > 1 and b > 1", {"a": None, "b": 7.0}, None),
        ("1 / a", {"a": 0.0}, None),
        ("log(a)", {"a": -1.0}, None),
        ("9 ** 9 ** 9", {}, None),
        ("(-8) ** 0.5", {}, None),
    ],
)
def test_values(text: str, values: dict[str, float | str | None], expected: float | None) -> None:
    assert parse_expression(text)(values) == expected


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "open('x')",
        "a.b",
        "a[0]",
        "lambda: 1",
        "[x for x in y]",
        "{1: 2}",
        "(1, 2)",
        "f'{a}'",
        "a if b else c",
        "(a := 1)",
        "a < b < c",
        "a is b",
        "a in b",
        "~a",
        "a // b",
        "a @ b",
        "a << 9",
        "mean()",
        "mean(*a)",
        "abs(a, b)",
        "mean(a, key=b)",
        "True",
        "None",
        "...",
        "1j",
        "b'x'",
        "99999999999999999999",
        "a; b",
        "a = 1",
        "",
        "+".join("1" * 600),
        "-" * 80 + "1",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="is not allowed|is not an expression|expected at most"):
        parse_expression(text)


def test_a_word_in_arithmetic_is_an_error_and_not_a_missing_value() -> None:
    with pytest.raises(OptionError, match="'yes' is a word, not a number"):
        parse_expression("a + 1")({"a": "yes"})


@settings(deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_arithmetic_is_that_of_floats(a: float, b: float) -> None:
    assert parse_expression("a * b - b")({"a": a, "b": b}) == a * b - b
    assert parse_expression("a < b")({"a": a, "b": b}) == float(a < b)


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.floats(0, 100)), min_size=1))
def test_aggregates_look_at_all_members_whose_value_is_known(guesses: list[float | None]) -> None:
    members = [{"guess": guess} for guess in guesses]
    known = [guess for guess in guesses if guess is not None]
    found = over_members(parse_expression("p * mean(guess) + max(2 * guess)"), members, {"p": 0.5})
    if not known:
        assert found is None
    else:
        assert isinstance(found, float)
        assert math.isclose(found, 0.5 * math.fsum(known) / len(known) + 2 * max(known), abs_tol=1e-9)

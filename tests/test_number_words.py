"""Numbers for readers: one format each, and no other module has one of its own."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord import number_words as numbers
from concord.records import Interval

SHOW = Path(numbers.__file__).parent / "show"


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_rounded_number_is_never_minus_zero(value: float, digits: int) -> None:
    text = numbers.number(value, digits)
    assert float(text) == round(value, digits)
    assert not re.fullmatch(r"-0(\.0*)?", text)


def test_undefined_is_a_dash_everywhere() -> None:
    shown = {
        numbers.number(None),
        numbers.interval(None),
        numbers.interval_words(None),
        numbers.p_value(None),
    }
    assert shown == {"–"}


def test_an_interval_has_brackets_in_a_table_and_words_in_a_sentence() -> None:
    ends = Interval(-0.424, 0.9, 0.95, "")
    assert numbers.interval(ends) == "[-0.42, 0.90]"
    assert numbers.interval(ends, 3, sign=True) == "[-0.424, +0.900]"
    assert numbers.interval_words(ends) == "-0.42 to 0.90"


@pytest.mark.parametrize(
    ("p", "cell", "words"),
    [
        (0.0, "< .001", "p < .001"),
        (0.00099, "< .001", "p < .001"),
        (0.001, ".001", "p = .001"),
        (0.05, ".050", "p = .050"),
        (1.0, "1.000", "p = 1.000"),
    ],
)
def test_a_p_value_has_three_digits_and_small_ones_are_a_bound(p: float, cell: str, words: str) -> None:
    assert (numbers.p_value(p), numbers.p_words(p)) == (cell, words)


def test_no_other_module_of_the_package_rounds_by_itself() -> None:
    found = [
        f"{file.name}: {line.strip()}"
        for file in SHOW.rglob("*.py")
        for line in file.read_text("utf-8").splitlines()
        if re.search(r"[:+]\.[2345]f\}", line) and "opacity" not in line
    ]
    assert found == []

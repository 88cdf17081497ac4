"""Verdicts as sentences, under titles with blanks."""

import pytest

import concord
from concord.structure.judging.ballots import EVEN, FIRST, SECOND, named_seat


@pytest.mark.parametrize(
    ("verdict", "seat"),
    [
        ("Response B is better", SECOND),
        ("A much better", FIRST),
        ("Answer 2 is slightly better.", SECOND),
        ("Both are equally good", EVEN),
        ("B is not better", None),
        ("a better answer would be shorter", None),
    ],
)
def test_a_sentence_names_a_seat(verdict: str, seat: int | None) -> None:
    assert named_seat(verdict) == seat


def test_titles_with_blanks_are_known() -> None:
    rows = [
        {"Prompt ID": i, "Order": order, "Preference": "Response A is better"}
        for i in range(12)
        for order in ("AB", "BA")
    ]
    found = concord.score_judge(rows)
    assert len(found.judges) == 1

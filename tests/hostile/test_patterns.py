"""No pattern of the package takes more than linear time on strings that are made from its own parts."""

import pytest
from tests.hostile.patterns import MOST_GROWTH, all_patterns, growth, hostile_strings

from concord.reading import read_replies, read_reply
from concord.reasoning.hints.detect import HintText, rule_detector


def _use() -> None:
    """Do what compiles patterns only when they are needed."""
    for asked in (
        {"choices": ["yes", "no"]}, {"number": (0, 9)}, {"likert": (1, 7)}, {"labels": ["x"]},
        {"ranking": ["x", "y"]}, {"split": (9, ["x", "y"])},
    ):  # fmt: skip
        for reply in (
            "A, because B",
            "The answer is **3**.",
            '{"answer": 1}',
            "x: 4, y: 5",
            "| x | 4 |\n| y | 5 |",
        ):
            read_reply(reply, **asked)
    read_replies("1. 5\n2. A", {"a": {"likert": (1, 7)}, "b": {"choices": ["x", "y"]}})
    rule_detector(HintText("grader", "B", "The grading program wants B."))


@pytest.mark.long
def test_every_pattern_is_linear() -> None:
    found = {
        name: [one for one in hostile_strings(use.pattern) if growth(use, *one) > MOST_GROWTH]
        for name, use in all_patterns(_use).items()
    }
    assert len(found) > 200
    assert {name: bad[:2] for name, bad in found.items() if bad} == {}

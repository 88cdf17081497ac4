"""A reading: what was found in a reply, how, and where."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

Value = str | float | tuple[str, ...] | Mapping[str, float]
HOWS = ("structured", "marked", "bare")
"""How an answer was found, the surest first."""


class ReadOutcome(StrEnum):
    """What became of reading a reply; one set for all questions."""

    OK = "ok"
    REFUSED = "refused"
    """The model declined to answer."""
    SEVERAL = "several"
    """More than one answer, and none of them first."""
    OUT_OF_RANGE = "out of range"
    """A number beyond its range, or a split that does not add up."""
    UNREADABLE = "unreadable"
    """There is a reply, and nothing in it is an answer by the rules."""
    TRUNCATED = "truncated"
    """The reply ends before its answer, in the middle of thinking."""
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from one reply."""

    value: Value | None
    """Letter of a choice, number, names in order, amounts by name, a label; None where nothing was read."""
    outcome: ReadOutcome
    how: str = ""
    """``structured``, ``marked`` or ``bare``; empty where nothing was read."""
    where: tuple[int, int] | None = None
    """First and last place (exclusive) of the answer in the reply."""
    other: bool = False
    """The answer is a name outside the list; its value is what the reply says."""

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.outcome is ReadOutcome.OK


@dataclass(frozen=True, slots=True)
class Found:
    """What a short text holds."""

    outcome: ReadOutcome
    value: Value | None = None
    where: tuple[int, int] | None = None
    other: bool = False


OK, SEVERAL, OUT, UNREADABLE = (
    ReadOutcome.OK, ReadOutcome.SEVERAL, ReadOutcome.OUT_OF_RANGE, ReadOutcome.UNREADABLE,
)  # fmt: skip
NOTHING = Found(UNREADABLE)


DIGITS = 16
"""Hexadecimal digits of a reply's hash that are kept."""


@dataclass(frozen=True, slots=True)
class StoredReading:
    """What was read in one reply, in words; trial and question together are there once."""

    trial: str
    """Under which name the reply is stored: `trial_name`, or the id of a question of a study."""
    question: str
    """What was asked: the item or variable, empty where a reply holds one answer only."""
    reading: str
    """The answer in words; names of a ranking joined by `` > ``, a split as ``name=amount; …``."""
    outcome: str
    how: str
    """How the answer was found; empty where there is none."""
    span: str
    """``start-end`` of the answer in the reply, the end exclusive; empty where there is none."""
    reply: str
    """The first sixteen hexadecimal digits of the SHA-256 of the reply's text."""

    def __post_init__(self) -> None:
        """Take out what no text file may hold: a reply may have any sign."""
        for one in fields(self):
            text = getattr(self, one.name)
            if "\0" in text:
                object.__setattr__(self, one.name, text.replace("\0", "\ufffd"))

    @property
    def place(self) -> tuple[int, int] | None:
        """Return the span as numbers; None where there is none, or where somebody changed it to no span."""
        start, _, end = self.span.partition("-")
        if not (start.isdecimal() and end.isdecimal()) or len(self.span) > 2 * DIGITS:
            return None
        return (int(start), int(end)) if int(start) < int(end) else None

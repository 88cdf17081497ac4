"""Replies to variables: what the reader is asked for each kind of item, and what its reading gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from concord.errors import OptionError
from concord.people.studies.expressions import Value
from concord.people.studies.format import Allocation, Choice, Item, Likert, Number, Ranking
from concord.people.studies.wording import LETTERS, variables_of
from concord.reading.records import Reading, ReadOutcome
from concord.reading.several import read_replies
from concord.reading.stored import value_words


class NoReply(StrEnum):
    """Why there is nothing to read."""

    MISSING = "missing"
    """No reply was recorded."""
    NOT_ASKED = "not asked"
    """An earlier answer that the question shows is not known."""


ItemOutcome = ReadOutcome | NoReply
ITEM_OUTCOMES: tuple[ItemOutcome, ...] = (*ReadOutcome, *NoReply)
"""What may become of one item of one participant, in the order of tables."""


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """An item's outcome and, where it was read, its variables."""

    outcome: ItemOutcome
    values: Mapping[str, Value]
    reading: Reading | None = None
    """What the reader found; ``None`` without a reply. Options are called by their letters."""
    words: str = ""
    """The answer in words, options called by their names."""


AskedItem = tuple[str, Item, Sequence[str]]
"""Name, item and the options in the order in which they were shown; limits and words are filled in."""


def read_answers(reply: str | None, items: Sequence[AskedItem]) -> list[ItemAnswer]:
    """Read the answers to the items of one step; several are found by the numbers they were asked with."""
    if reply is None:
        return [ItemAnswer(NoReply.MISSING, {}) for _ in items]
    asked = {str(i): _asked_of(name, item, order) for i, (name, item, order) in enumerate(items, start=1)}
    found = read_replies(reply, asked).values()
    return [_item_answer(reading, *item) for reading, item in zip(found, items, strict=True)]


_SHORTEST_NAME = 4
"""Letters of an option's name that counts as one of its words; shorter ones, such as ``one``, are words."""


def _asked_of(name: str, item: Item, order: Sequence[str]) -> dict[str, Any]:
    """Return what the reader is asked."""
    if isinstance(item, Choice | Ranking):
        words = {
            letter: (item.options[option], *([plain] if len(plain) >= _SHORTEST_NAME else []))
            for letter, option in zip(LETTERS, order, strict=False)
            for plain in (option.replace("_", " "),)
        }
        return {"choices" if isinstance(item, Choice) else "ranking": words}
    if isinstance(item, Likert):
        return {"likert": (item.min, item.max)}
    if isinstance(item, Number):
        if isinstance(item.max, str):
            raise OptionError(f"the limit {item.max!r} of {name!r} is not known yet")
        return {"number": (item.min, item.max), "whole": item.whole, "unit": item.unit}
    if isinstance(item, Allocation):
        return {"split": (item.total, item.to), "whole": item.whole}
    return {"codes": item.codes}


def _item_answer(reading: Reading, name: str, item: Item, order: Sequence[str]) -> ItemAnswer:
    """Return the variables that a reading gives."""
    value = reading.value
    if not reading.ok or value is None:
        return ItemAnswer(reading.outcome, {}, reading)
    named = dict(zip(LETTERS, order, strict=False))
    if isinstance(value, tuple):
        options = tuple(named[letter] for letter in value)
        ranks = {f"{name}_{option}": float(rank) for rank, option in enumerate(options, start=1)}
        return ItemAnswer(reading.outcome, ranks, reading, value_words(options))
    if isinstance(value, Mapping):
        amounts = {f"{name}_{part}": amount for part, amount in value.items()}
        return ItemAnswer(reading.outcome, amounts, reading, value_words(value))
    plain = named[value] if isinstance(value, str) else value
    return ItemAnswer(reading.outcome, {name: plain}, reading, value_words(plain))


def empty_values(item: Item, name: str) -> dict[str, Value]:
    """Return the variables of an item that was not read."""
    return dict.fromkeys(variables_of(item, name))

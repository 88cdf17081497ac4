"""Replies to values: one reader an item type; what cannot be read is an outcome, never a guess."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from concord.errors import OptionError
from concord.people.studies.expressions import Value
from concord.people.studies.format import Allocation, Choice, FreeText, Item, Likert, Number, Ranking
from concord.people.studies.wording import LETTERS, variables_of


class Outcome(StrEnum):
    """What became of one item of one participant."""

    OK = "ok"
    REFUSED = "refused"
    """The model declined to answer."""
    UNREADABLE = "unreadable"
    """There is a reply, and no rule finds exactly one answer in it."""
    OUT_OF_RANGE = "out of range"
    """A number beyond the range, or a split that does not add up."""
    EMPTY = "empty"
    MISSING = "missing"
    """No reply was recorded."""
    NOT_ASKED = "not asked"
    """An earlier answer that the question shows is not known."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An item's outcome and, where it was read, its variables."""

    outcome: Outcome
    values: Mapping[str, Value]


_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:unable|not able)|i (?:cannot|can't|can not|won't|will not|must decline|do not have "
    r"(?:personal|the ability)|don't have (?:personal|the ability))|as an ai|as a language model|"
    r"i(?:'m| am) (?:just |only )?an? (?:ai|language model)|i(?:'m| am) sorry,? but)\b"
)
_LEAD = re.compile(
    r"\b(?:final answer|my answer|answer|choice|i choose|i would choose|i'd choose|i pick)\b"
    r"[^\w$(-]*(?:is|would be)?[^\w$(-]*"
)
_NUMBER = re.compile(
    r"(?<![\w.,])([-+]?)[$€£]?\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:\s?(thousand|million|billion|k|m|bn)\b)?(?![\d]|[.,]\d)"
)
_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_SMALL = {
    word: float(i)
    for i, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_RANGE = re.compile(r"\d\s?(?:-|to|or|and)\s?[$€£]?\d")
_LINE = re.compile(r"^\W*(\d{1,2})\s*[.):=-]\s*(.*)$")
_MAX_REPLY = 20_000


def read_reply(reply: str | None, items: Sequence[tuple[str, Item, Sequence[str]]]) -> list[Answer]:
    """Read the answers to the items of one step.

    Parameters
    ----------
    reply
        The text that came back; ``None`` where none was recorded.
    items
        Name, item and order of its options, as they were asked.

    Returns
    -------
    list of Answer
        One an item.
    """
    if reply is None:
        return [Answer(Outcome.MISSING, {}) for _ in items]
    text = unicodedata.normalize("NFKC", reply[:_MAX_REPLY]).replace("’", "'").replace("−", "-").strip()
    if not text:
        return [Answer(Outcome.EMPTY, {}) for _ in items]
    pieces = [text] if len(items) == 1 else _numbered(text, len(items))
    refused = _REFUSAL.search(text.casefold()) is not None
    return [_read(piece, *item, refused=refused) for piece, item in zip(pieces, items, strict=True)]


def _numbered(text: str, count: int) -> list[str]:
    """Split numbered lines; lines without numbers serve when there is exactly one an item."""
    found: dict[int, str] = {}
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        match = _LINE.match(line)
        if match and 1 <= int(match.group(1)) <= count and int(match.group(1)) not in found:
            found[int(match.group(1))] = match.group(2)
    if not found and len(lines) == count:
        return lines
    return [found.get(i, "") for i in range(1, count + 1)]


def _read(piece: str, name: str, item: Item, order: Sequence[str], *, refused: bool) -> Answer:
    values = _values(piece.strip(), name, item, order)
    if isinstance(values, dict):
        return Answer(Outcome.OK, values)
    if refused and values is not Outcome.OUT_OF_RANGE:
        return Answer(Outcome.REFUSED, {})
    return Answer(values, {})


def _values(text: str, name: str, item: Item, order: Sequence[str]) -> dict[str, Value] | Outcome:
    if not text:
        return Outcome.UNREADABLE
    if isinstance(item, Choice):
        chosen = _option(text, item, order)
        return Outcome.UNREADABLE if chosen is None else {name: chosen}
    if isinstance(item, Number | Likert):
        return _in_range(_number(text), name, item)
    if isinstance(item, Ranking):
        return _ranks(text, name, item, order)
    if isinstance(item, Allocation):
        return _split(text, name, item)
    return _codes(text, name, item)


def _option(text: str, item: Choice, order: Sequence[str]) -> str | None:
    """Find the one option that a reply names: by its letter, or in its own words."""
    letters = LETTERS[: len(order)]
    plain = text.strip(" \t\n*_`\"'.()[]:")
    if len(plain) == 1 and plain.upper() in letters:
        return order[letters.index(plain.upper())]
    marked = {
        match.upper()
        for match in re.findall(
            rf"(?:^|(?<=[\s(*\[\"'`]))([{letters}])(?=[).:\]*\"'`]|\s*$|\s*[-–]\s|,\s)", text, re.MULTILINE
        )
    }
    marked |= {
        m.upper()
        for m in re.findall(rf"(?i:option|program|programme|answer|choice)\s*:?\s+\(?([{letters}])\b", text)
    }
    if marked:
        return order[letters.index(marked.pop())] if len(marked) == 1 else None
    return _by_words(plain, item)


def _by_words(text: str, item: Choice) -> str | None:
    """Find the one option whose words, or name, are the reply or stand in it."""
    said = _folded(text)
    named = {
        name: {_folded(name)} | (set() if "{" in label else {_folded(label)})
        for name, label in item.options.items()
    }
    equal = [name for name, words in named.items() if said in words]
    if len(equal) == 1:
        return equal[0]
    padded = f" {said} "
    within = [
        name for name, words in named.items() if any(f" {word} " in padded for word in words if len(word) > 1)
    ]
    if len(within) == 1 and len(said.split()) <= 40 and " not " not in padded:
        return within[0]
    return None


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.casefold()))


def _number(text: str) -> float | None:
    """Find the one number of a reply: alone, after "answer", or the only one."""
    low = text.casefold()
    words = low.strip(" .!*")
    if words in _SMALL:
        return _SMALL[words]
    lead = list(_LEAD.finditer(low))
    tail = low[lead[-1].end() :] if lead else ""
    for part in ([tail] if tail else []) + [low]:
        numbers = {_as_float(*match.groups()) for match in _NUMBER.finditer(part)}
        if len(numbers) == 1 and not (part is low and _RANGE.search(part)):
            return numbers.pop()
    first = low.splitlines()[0].strip(" *$%.")
    alone = _NUMBER.fullmatch(first)
    return None if alone is None else _as_float(*alone.groups())


def _as_float(sign: str, digits: str, scale: str | None) -> float:
    value = float(digits.replace(",", "")) * (_SCALES[scale] if scale else 1.0)
    return -value if sign == "-" else value


def _in_range(value: float | None, name: str, item: Number | Likert) -> dict[str, Value] | Outcome:
    if value is None:
        return Outcome.UNREADABLE
    if isinstance(item.max, str):
        raise OptionError(f"the limit {item.max!r} of {name!r} is not known yet")
    if (item.min is not None and value < item.min) or (item.max is not None and value > item.max):
        return Outcome.OUT_OF_RANGE
    whole = isinstance(item, Likert) or item.whole
    return Outcome.OUT_OF_RANGE if whole and not value.is_integer() else {name: value}


def _ranks(text: str, name: str, item: Ranking, order: Sequence[str]) -> dict[str, Value] | Outcome:
    """Read letters in order; or, one a line, the options' own words."""
    letters = LETTERS[: len(order)]
    found = [m for m in re.findall(rf"(?<![A-Za-z])([{letters}])(?![A-Za-z])", text)]
    if len(found) != len(order):
        labels = {_folded(label): option for option, label in item.options.items()}
        lines = [re.sub(r"^\W*\d+\W+", "", part) for part in re.split(r"[\n,>]", text)]
        named = [labels[_folded(line)] for line in lines if _folded(line) in labels]
    else:
        named = [order[letters.index(letter)] for letter in found]
    if len(named) != len(order) or len(set(named)) != len(order):
        return Outcome.UNREADABLE
    return {f"{name}_{option}": float(rank) for rank, option in enumerate(named, start=1)}


def _split(text: str, name: str, item: Allocation) -> dict[str, Value] | Outcome:
    """Read ``recipient: amount`` for every recipient; amounts must add up."""
    low = text.casefold()
    amounts: dict[str, float] = {}
    for option, label in item.to.items():
        words = "|".join(re.escape(word.casefold()) for word in (option, label))
        after = re.search(rf"\b(?:{words})\b[^\d\n,;]{{0,40}}?({_NUMBER.pattern})", low)
        if after is not None:
            amounts[option] = _as_float(*after.groups()[1:])
    if len(amounts) != len(item.to):
        return Outcome.UNREADABLE
    wrong = abs(sum(amounts.values()) - item.total) > 1e-6 * item.total or min(amounts.values()) < 0
    if wrong or (item.whole and not all(amount.is_integer() for amount in amounts.values())):
        return Outcome.OUT_OF_RANGE
    return {f"{name}_{option}": amount for option, amount in amounts.items()}


def _codes(text: str, name: str, item: FreeText) -> dict[str, Value] | Outcome:
    """Look for the words of each code."""
    if not item.codes and _REFUSAL.search(text.casefold()):
        return Outcome.UNREADABLE
    said = f" {_folded(text)} "
    return {
        f"{name}_{code}": float(any(f" {_folded(word)} " in said for word in words))
        for code, words in item.codes.items()
    }


def empty_values(item: Item, name: str) -> dict[str, Value]:
    """Return the variables of an item that was not read."""
    return dict.fromkeys(variables_of(item, name))

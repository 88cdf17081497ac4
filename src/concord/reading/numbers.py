"""Numbers as people write them: digits of several countries, words, magnitudes, shares, amounts."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from concord.reading.records import NOTHING, OK, OUT, SEVERAL, Found, ReadOutcome, Value
from concord.reading.text import FOR, Piece, any_of, folded, patterns, words, worth

_DIGITS = (
    r"\d{1,3}(?:\.\d{3}){1,5},\d{1,2}(?!\d)|\d{1,3}(?:,\d{3}){1,5}\.\d{1,9}|\d{1,3}(?:\.\d{3}){2,5}(?![\d,])|"
    r"\d{1,3}(?:[,'\u202f\u00a0 ]\d{3}){1,5}(?!\d)|\d{1,15}[.,]\d{1,9}|\d{1,15}|[.,]\d{1,9}"
)
_CURRENCY = any_of("currency")
NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.,\u00c0-\u04ff])(?:(minus|negative)\s)?([-+]?)\s?\\?(?:{_CURRENCY})?\s?([-+]?)({_DIGITS})"
    rf"(?:\s?({'|'.join(sorted(map(re.escape, worth()['magnitudes']), key=len, reverse=True))})(?![A-Za-z]))?"
    r"(?!\d|[.,]\d)",
    re.IGNORECASE,
)
_UNITS = f"(?:{any_of('units')})"
_RE = patterns("numbers")


def is_bound(text: str) -> bool:
    """Whether a text gives a bound, not a number."""
    return _RE["bound"].search(text) is not None


def is_range(text: str) -> bool:
    """Whether a text gives a range, not a number."""
    return _RE["range"].search(text) is not None


def _value(match: re.Match[str], high: float | None) -> float | None:
    """Return the number that digits say; None where thousands and decimals cannot be told apart."""
    word, sign, second, digits, scale = match.groups()
    plain = re.sub(r"[' \u00a0\u202f]", "", digits)
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", plain) or re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", plain):
        plain = plain.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", plain) and (
        _RE["euros"].match(match.string, match.end()) or _RE["euros"].match(match.group())
    ):
        plain = plain.replace(".", "")
    elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", plain) and not scale:
        if high is None or float(plain) * 1000 <= high:
            return None
    elif re.fullmatch(r"\d*,\d{1,2}|0?,\d+", plain):
        plain = plain.replace(",", ".")
    elif "," in plain:
        return None  # neither thousands nor decimals
    if scale == "m" and _RE["money"].search(match.group()) is None:
        if match.string[match.end() - 2 : match.end() - 1] != " ":
            return None  # "5m" may be metres or millions
        scale = ""
    value = float(plain) * (worth()["magnitudes"][scale.casefold()] if scale else 1.0)
    return -value if word or "-" in (sign, second) else value


def is_item(text: str, lines: int) -> bool:
    """Whether one of some lines begins with the number of an item of a list: "2. The intention"."""
    found = _RE["item_number"].match(text)
    if found is None:
        return False
    return _RE["more"].search(text, found.end()) is not None or (
        lines > 1 and _RE["said"].search(text) is None
    )


def is_numbered(text: str) -> bool:
    """Whether a line begins with a number and words, which may be an item of a list."""
    return _RE["item_number"].match(text) is not None


def read_number(text: str, high: float | None, *, alone: bool) -> tuple[float, int, int] | ReadOutcome | None:
    """Read the number that a text begins with; `alone`: nothing but it, its unit and a reason may be there.

    Returns value and span, an outcome where there are several numbers, or None where there is none.
    """
    scale = _RE["scale_first"].match(text)
    if scale is not None and float(scale.group(1)) == high:
        blank = " " * scale.end()
        return read_number(f"{blank}{text[scale.end() :]}", high, alone=alone)
    boxed = re.match(r"^(?:#{2,6}\s)?[\s$\\*_\"'({\[]{0,12}", text)
    begin = 0 if boxed is None else boxed.end()
    hedge = (_RE["bare_hedge"] if alone else _RE["hedge"]).match(text, 0)
    begin = max(begin, 0 if hedge is None else hedge.end())
    match = NUMBER.match(text, max(0, begin - 1)) or NUMBER.match(text, begin)
    if match is None:
        back = re.search(r"[-+$€£]{1,3}\s?$", text[:begin])
        match = None if back is None else NUMBER.match(text, back.start())
    if match is None:
        return _in_words(text, begin)
    rest = _RE["on_scale"].sub("", text[match.end() :])
    if re.match(r"[.):]\s{1,3}[$€£]?\d", rest):
        return None  # the number of a line
    if _RE["or"].match(rest):
        return ReadOutcome.SEVERAL
    if _RE["anchored"].match(rest) and _RE["anchor"].search(rest) is not None:
        return None
    clause = text[: match.end()] + _clause(_RE["parenthesis"].sub("", rest))
    if is_bound(clause) or (is_range(clause) and _RE["out_of"].match(rest) is None):
        return ReadOutcome.SEVERAL if is_range(clause) else None
    value = _value(match, high)
    if value is None:
        return None
    share = _RE["out_of"].match(rest)
    if share is not None:
        if high is None or float(share.group(1)) != high:
            return None
        rest = rest[share.end() :]
        ends = _RE["after"].match(rest) or (not alone and _RE["why"].match(rest))
        return (value, match.start(4), match.end()) if ends else None
    if alone:
        return (value, match.start(4), match.end()) if _RE["after"].match(rest) else None
    more = next(NUMBER.finditer(_clause(rest)), None)
    return None if more or _RE["no_count"].match(rest) else (value, match.start(4), match.end())


def _clause(text: str) -> str:
    stop = _RE["clause"].search(text)
    return text if stop is None else text[: stop.start()]


def _in_words(text: str, begin: int) -> tuple[float, int, int] | None:
    """Read a number in words that a text begins with."""
    figure = "一二三四五六七八九十".find(text[begin : begin + 1] or " ")
    if figure >= 0 and _RE["after"].match(text[begin + 1 :]):
        return figure + 1.0, begin, begin + 1
    match = re.match(r"[^\W\d_]+(?:[\s-][^\W\d_]+){0,5}", text[begin:])
    if match is None:
        return None
    tokens = list(re.finditer(r"[^\W\d_]+", match.group().casefold()))
    for n in range(len(tokens), 0, -1):
        value = _of_words(tuple(one.group() for one in tokens[:n]))
        if value is not None:
            end = begin + tokens[n - 1].end()
            return (value, begin, end) if _RE["after"].match(text[end:]) else None
    return None


@cache
def _of_words(tokens: tuple[str, ...]) -> float | None:
    """Return the number that words say, such as ``two hundred fifty``."""
    if tokens[-3:] == ("and", "a", "half") and len(tokens) > 3:
        whole = _of_words(tokens[:-3])
        return None if whole is None else whole + 0.5
    if tokens[:1] in (("minus",), ("negative",)) and len(tokens) > 1:
        whole = _of_words(tokens[1:])
        return None if whole is None else -whole
    small, tens, large = (worth()[f"number_{kind}"] for kind in ("words", "tens", "large"))
    total, current, room = 0.0, 0.0, math.inf  # what may still be added: after "fifty" less than ten
    for token in tokens:
        if token == "and" and room < math.inf:
            continue
        one = small.get(token, tens.get(token))
        if one is not None and one < room:
            current, room = current + one, 10.0 if token in tens else 0.0
        elif token in large and (room < math.inf or large[token] < 1_000_000):
            current, room = (current if current else 1.0) * large[token], float(large[token])
            if large[token] >= 1000:
                total, current = total + current, 0.0
        else:
            return None
    return total + current if room < math.inf else None


_EACH = re.compile(
    rf"[\s*_]{{0,4}}({NUMBER.pattern})(?:\s[^\W\d_]{{1,12}})?\s?(?:{any_of('each')})[\s*_.!]{{0,4}}",
    re.IGNORECASE,
)


def amounts_in(text: str, names: Mapping[str, tuple[str, ...]], total: float) -> dict[str, float] | None:
    """Return an amount for every name: beside it, or below it in a table; None where one lacks."""
    if is_bound(text):
        return None
    found = _of_table(text, names)
    if found is None:
        found = _equal(text, names, total)
    if found is None:
        found = _listed_amounts(text, names, total)
    return _given_amounts(text, names) if found is None else found


def _given_amounts(text: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, float] | None:
    """Read sentences in which every name is given one amount: "6 for me"."""
    known = _sayings(names)
    said = "|".join(re.escape(one) for one in sorted(known, key=len, reverse=True))
    given = (
        rf"({NUMBER.pattern})[\s*_]{{0,4}}(?:{_UNITS}\s)?(?:(?:{any_of('given_to')})\s){{1,2}}({said})(?!\w)"
    )
    amounts: dict[str, set[float | None]] = {}
    for match in re.finditer(given, text, re.IGNORECASE):
        amounts.setdefault(known[match.groups()[-1].casefold()], set()).add(_plain(match.group(1)))
    if set(amounts) != set(names) or any(len(held) != 1 or None in held for held in amounts.values()):
        return None
    return {name: amount for name, held in amounts.items() for amount in held if amount is not None}


def _equal(text: str, names: Mapping[str, tuple[str, ...]], total: float) -> dict[str, float] | None:
    """Read "6 each", or two halves, in amounts or percentages."""
    each, halves = _EACH.fullmatch(text), _RE["halves"].fullmatch(text)
    if each is not None and (amount := _plain(each.group(1))) is not None and amount * len(names) == total:
        return dict.fromkeys(names, amount)
    if halves is None or len(names) != 2 or halves.group(1) != halves.group(2):
        return None
    said = 100.0 if halves.group(1) is None else 2 * float(halves.group(1))
    return dict.fromkeys(names, total / 2) if said in (total, 100.0) else None


def _spoken_name(said: str) -> str:
    """Return the words of a name without units and "for the"; all of them where nothing else is left."""
    tokens = folded(said).split()
    kept = [one for one in tokens if _RE["filler"].fullmatch(one) is None]
    return " ".join(kept if kept else tokens)


def _sayings(names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the name that words stand for; where one is the person who is asked, all words for that."""
    own = {name: {_spoken_name(one) for one in (name, *said)} for name, said in names.items()}
    selves = [name for name, said in own.items() if said & set(words()["self"])]
    if len(selves) == 1:
        own[selves[0]] |= set(words()["self"])
    return {word: name for name, said in own.items() for word in said}


def _listed_amounts(text: str, names: Mapping[str, tuple[str, ...]], total: float) -> dict[str, float] | None:
    """Read a list, or rows of a table, of nothing but names with their amounts; a sum of them may follow."""
    known, amounts, shares = _sayings(names), dict[str, float](), 0
    row = re.compile(r"^\s*\|", re.MULTILINE).search(text) is not None
    plain = text.replace("|", " " if row else "\n").replace(" - ", " : ")
    for part in _RE["parts"].split(plain):
        numbers = list(NUMBER.finditer(part))
        if not numbers and (row or not folded(part)):
            continue  # a head or a rule of a table
        if not numbers:
            return None
        rests = [(one, _spoken_name(f"{part[: one.start()]} {part[one.end() :]}")) for one in numbers]
        number, said = next(((one, rest) for one, rest in rests if rest in known), rests[0])
        if (value := _value(number, total)) is None:
            return None
        if said not in known and value == total and _RE["total"].fullmatch(said):
            continue
        if said not in known or known[said] in amounts:
            return None
        amounts[known[said]] = value
        shares += part[number.end() :].lstrip()[:1] == "%"
    if len(amounts) != len(names) or (shares and total != 100.0):
        return None  # percentages of another total may be shares of anything
    return {name: amounts[name] for name in names}


def numbers_in(text: str) -> list[float | None]:
    """Return every number of a text; None of one that may be two."""
    return [_value(match, None) for match in NUMBER.finditer(text)]


def _plain(text: str) -> float | None:
    match = NUMBER.match(text.strip())
    return None if match is None else _value(match, None)


def _of_table(text: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, float] | None:
    """Read a table with the names above and the amounts below."""
    rows = [
        [cell.strip(" *_") for cell in line.strip().strip("|").split("|")]
        for line in text.splitlines()
        if "|" in line
    ]
    rows = [row for row in rows if any(re.search(r"\w", cell) for cell in row)]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]):
        return None
    known, amounts = _sayings(names), {}
    for name in names:
        at = [i for i, cell in enumerate(rows[0]) if known.get(_spoken_name(cell)) == name]
        value = _plain(rows[1][at[0]]) if len(at) == 1 else None
        if value is None:
            return None
        amounts[name] = value
    return amounts


class AskedFor(Protocol):
    """What was asked, and so what an answer looks like."""

    def whole(self, piece: Piece) -> Found:
        """Read a text that is nothing but an answer, with at most a reason behind it."""

    def stated(self, piece: Piece) -> Found:
        """Read what follows the words that state an answer."""

    def mentions(self, text: str) -> bool:
        """Whether a text speaks of any answer."""

    def others(self, text: str, value: Value | None) -> bool:
        """Whether a text speaks of another answer than one."""

    def structured(self, held: object) -> Value | None:
        """Read an answer that is a value of JSON; None where it is none."""


@cache
def _units_of(word: str) -> frozenset[str]:
    """Return what a word may be a unit of, such as ``length: km``; nothing where it is none that is known."""
    plain = word.strip().casefold()
    return frozenset(unit for unit, said in worth()["dimensions"].items() if plain in said.split())


def in_other_unit(text: str, start: int, end: int, unit: str) -> bool:
    """Whether a number has a unit of the kind that was asked for, and another one: miles for km."""
    asked = _units_of(unit)
    behind, ahead = _RE["beside"].match(text, end), _RE["ahead"].search(text[max(0, start - 12) : start])
    said = [one[1] for one in (behind, ahead) if one is not None]
    units = {found for word in said for found in _units_of(word) or _units_of(word.partition("/")[0])}
    kinds = {one.partition(":")[0] for one in asked}
    return not units & asked and any(one.partition(":")[0] in kinds for one in units)


@dataclass(frozen=True)
class NumberOf:
    """A number within a range."""

    low: float | None
    high: float | None
    whole_only: bool = False
    unit: str = ""
    """What is asked for; a number in another unit of the same kind is none, and never converted."""

    def _judged(self, value: float, place: tuple[int, int]) -> Found:
        beyond = (self.low is not None and value < self.low) or (self.high is not None and value > self.high)
        if beyond or (self.whole_only and not float(value).is_integer()):
            return Found(OUT)
        return Found(OK, float(value), place)

    def whole(self, piece: Piece) -> Found:
        """Read a line that is a number, with its unit and a reason behind it."""
        share = self._share(piece)
        if share.outcome is OK:
            return share
        found = read_number(piece.text, self.high, alone=True)
        return self._found(found, piece)

    def stated(self, piece: Piece) -> Found:
        """Read the number that follows a mark."""
        share = self._share(piece)
        if share.outcome is OK:
            return share
        worded = _RE["worded"].fullmatch(piece.text)
        if worded is not None:  # "Disagree (2)"
            return self._judged(
                float(worded.group(1)), (piece.start + worded.start(1), piece.start + worded.end(1))
            )
        found = read_number(piece.text, self.high, alone=False)
        if isinstance(found, tuple) and FOR.match(piece.text, found[2]) is not None:
            more = NUMBER.finditer(piece.text, found[2])
            if any(FOR.match(piece.text, one.end()) for one in more):
                return Found(SEVERAL)
        return self._found(found, piece)

    def _share(self, piece: Piece) -> Found:
        """Read a percentage or a fraction where numbers are from 0 to 1."""
        match = (
            _RE["share"].fullmatch(piece.text.strip()) if self.high is not None and self.high <= 1 else None
        )
        if match is None or float(match.group(2) or 100) == 0:
            return NOTHING
        value = float(match.group(1)) / float(match.group(2) or 100)
        return self._judged(value, (piece.start, piece.end))

    def _found(self, found: tuple[float, int, int] | ReadOutcome | None, piece: Piece) -> Found:
        if found is None:
            return NOTHING
        if isinstance(found, ReadOutcome):
            return Found(found)
        value, start, end = found
        if in_other_unit(piece.text, start, end, self.unit):
            return NOTHING
        return self._judged(value, (piece.start + start, piece.start + end))

    def mentions(self, text: str) -> bool:
        """Whether a text holds a number."""
        return any(sign.isdigit() for sign in text)

    def others(self, text: str, value: Value | None) -> bool:
        """Whether a text holds another number."""
        return any(one is not None and one != value for one in numbers_in(text))

    def structured(self, held: object) -> Value | None:
        """Read a number from a value of JSON."""
        if isinstance(held, bool):
            return None
        if isinstance(held, int | float):
            return float(held) if math.isfinite(held) else None
        if not isinstance(held, str):
            return None
        found = read_number(held, self.high, alone=True)
        if not isinstance(found, tuple) or in_other_unit(held, found[1], found[2], self.unit):
            return None
        return found[0]


@dataclass(frozen=True)
class SplitOf:
    """An amount divided between names."""

    total: float
    names: Mapping[str, tuple[str, ...]]
    whole_only: bool = False

    def whole(self, piece: Piece) -> Found:
        """Read an amount for every name; they must add up."""
        amounts = amounts_in(piece.text.strip(), self.names, self.total)
        if amounts is None:
            return NOTHING
        if abs(sum(amounts.values()) - self.total) > 1e-6 * self.total or min(amounts.values()) < 0:
            return Found(OUT)
        if self.whole_only and not all(amount.is_integer() for amount in amounts.values()):
            return Found(OUT)
        return Found(OK, amounts, (piece.start, piece.end))

    stated = whole

    def mentions(self, text: str) -> bool:
        """Whether a text holds an amount."""
        return any(sign.isdigit() for sign in text)

    def others(self, text: str, value: Value | None) -> bool:
        """Whether a text holds another amount."""
        return self.mentions(text)

    def structured(self, held: object) -> Value | None:
        """Read amounts from an object of JSON."""
        if isinstance(held, str):
            found = self.whole(Piece(held, 0))
            return found.value if found.outcome is OK else None
        if not isinstance(held, Mapping):
            return None
        text = "\n".join(f"{key}: {value}" for key, value in held.items() if self.mentions(str(value)))
        found = self.whole(Piece(text, 0))
        return found.value if found.outcome is OK else None


@dataclass(frozen=True)
class CodesOf:
    """Free text, coded by the words that occur in it."""

    codes: Mapping[str, tuple[str, ...]]

    def _held(self, text: str) -> dict[str, float]:
        said = f" {folded(text)} "
        return {
            code: float(any(f" {folded(word)} " in said for word in words))
            for code, words in self.codes.items()
        }

    def whole(self, piece: Piece) -> Found:
        """Read any text that says something."""
        said = piece.trimmed()
        return Found(OK, self._held(said.text), (said.start, said.end)) if said.text else NOTHING

    stated = whole

    def mentions(self, text: str) -> bool:
        """Whether a text holds a word of a code."""
        return any(self._held(text).values())

    def others(self, text: str, value: Value | None) -> bool:
        """Whether a text takes back what it says; free text does not."""
        return False

    def structured(self, held: object) -> Value | None:
        """Read the text of a value of JSON."""
        return self._held(held) if isinstance(held, str) else None

"""Answers of each kind inside a short text: a choice, a number, a rating, an order, a split, a name."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from concord.reading.choices import ChoiceOf
from concord.reading.numbers import amounts_in, read_number
from concord.reading.records import NOTHING, OK, OUT, Found, ReadOutcome, Value
from concord.reading.text import ENDING, Piece, folded


class AskedFor(Protocol):
    """What was asked, and so what an answer looks like."""

    def whole(self, piece: Piece) -> Found:
        """Read a text that is nothing but an answer, with at most a reason behind it."""

    def stated(self, piece: Piece) -> Found:
        """Read what follows the words that state an answer."""

    def mentions(self, text: str) -> bool:
        """Whether a text speaks of any answer."""

    def structured(self, held: object) -> Value | None:
        """Read an answer that is a value of JSON; None where it is none."""


_SHARE = re.compile(r"[\s*_\"'~]{0,4}(\d{1,3}(?:\.\d{1,4})?)\s?(?:%|percent|/\s?(\d{1,4}))[\s*_\"'.]{0,4}")
_WORDED = re.compile(r"[\s*_\"']{0,4}[^\W\d][^\d()\n]{0,40}\((\d{1,4})\)[\s*_\"'.]{0,4}")


@dataclass(frozen=True)
class NumberOf:
    """A number within a range."""

    low: float | None
    high: float | None
    whole_only: bool = False

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
        worded = _WORDED.fullmatch(piece.text)
        if worded is not None:  # "Disagree (2)"
            return self._judged(
                float(worded.group(1)), (piece.start + worded.start(1), piece.start + worded.end(1))
            )
        found = read_number(piece.text, self.high, alone=False)
        return self._found(found, piece)

    def _share(self, piece: Piece) -> Found:
        """Read a percentage or a fraction where numbers are from 0 to 1."""
        match = _SHARE.fullmatch(piece.text.strip()) if self.high is not None and self.high <= 1 else None
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
        return self._judged(value, (piece.start + start, piece.start + end))

    def mentions(self, text: str) -> bool:
        """Whether a text holds a number."""
        return any(sign.isdigit() for sign in text)

    def structured(self, held: object) -> Value | None:
        """Read a number from a value of JSON."""
        if isinstance(held, bool):
            return None
        if isinstance(held, int | float):
            return float(held) if math.isfinite(held) else None
        if not isinstance(held, str):
            return None
        found = read_number(held, self.high, alone=True)
        return found[0] if isinstance(found, tuple) else None


_PLACED = re.compile(r"[\s*_|\-]{0,6}([^|\n]{1,80}?)[\s*_]{0,4}[:=|][\s*_#]{0,4}(\d{1,2})[\s*_.|]{0,6}$")
_NUMBERED = re.compile(r"[\s*_#\-]{0,6}(\d{1,2})[.):][\s*_]{1,6}(.{1,400})")


@dataclass(frozen=True)
class OrderOf:
    """Names in an order."""

    options: Mapping[str, tuple[str, ...]]

    @cached_property
    def _choices(self) -> ChoiceOf:
        return ChoiceOf(self.options)

    def whole(self, piece: Piece) -> Found:
        """Read an order: letters or words, one behind another or one a line, or places by name."""
        text = piece.text
        names = self._placed(text) or self._numbered(text) or self._listed(text)
        if names is None or len(names) != len(self.options):
            return NOTHING
        return Found(OK, tuple(names), (piece.start, piece.end))

    stated = whole

    def _placed(self, text: str) -> list[str] | None:
        """Read "A: 3, B: 1": the place of each name."""
        places: dict[int, str] = {}
        for part in re.split(r"[\n,;]", text):
            match = _PLACED.match(part)
            if match is None:
                continue
            found = self._choices.whole(Piece(match.group(1), 0))
            if found.outcome is not OK or int(match.group(2)) in places:
                return None
            places[int(match.group(2))] = str(found.value)
        complete = sorted(places) == list(range(1, len(self.options) + 1))
        return (
            [places[i] for i in sorted(places)]
            if complete and len(set(places.values())) == len(places)
            else None
        )

    def _numbered(self, text: str) -> list[str] | None:
        """Read lines that are numbered from 1 on, each a name with a reason behind it."""
        lines = [match for line in text.split("\n") if (match := _NUMBERED.match(line)) is not None]
        if [int(match.group(1)) for match in lines] != list(range(1, len(self.options) + 1)):
            return None
        found = [self._choices.whole(Piece(match.group(2), 0)) for match in lines]
        names = [str(one.value) for one in found if one.outcome is OK]
        return names if len(set(names)) == len(self.options) else None

    def _listed(self, text: str) -> list[str] | None:
        """Read names one behind another; every one once."""
        if re.search(r"=|\b(?:tied?|ties|equal(?:ly|s)?)\b", text.casefold()):
            return None
        parts = [one for one in re.split(r"[\n>,;]", text) if one.strip(ENDING)]
        if len(parts) == 1 and all(one in self.options for one in text.split()):
            parts = text.split()
        names = []
        for part in parts:
            plain = re.sub(
                r"^[\s*_\-]{0,6}(?:\d{1,2}[.):]|#\d{1,2}|(?:then|and|first|second|third|last)\b)[\s*_]{0,6}",
                "",
                part.strip(),
            )
            found = self._choices.whole(Piece(plain, 0))
            if found.outcome is not OK:
                return None
            names.append(str(found.value))
        return names if len(set(names)) == len(names) else None

    def mentions(self, text: str) -> bool:
        """Whether a text names an option."""
        return self._choices.mentions(text)

    def structured(self, held: object) -> Value | None:
        """Read an order from a list of JSON."""
        if isinstance(held, str):
            found = self.whole(Piece(held, 0))
            return found.value if found.outcome is OK else None
        if isinstance(held, Mapping):
            return self._of_places(held)
        if not isinstance(held, list):
            return None
        names = [self._choices.structured(one) for one in held]
        known = [str(one) for one in names if one is not None]
        return tuple(known) if len(known) == len(set(known)) == len(self.options) == len(held) else None

    def _of_places(self, held: Mapping[str, object]) -> Value | None:
        text = "\n".join(f"{key}: {value}" for key, value in held.items())
        names = self._placed(text)
        return None if names is None else tuple(names)


@dataclass(frozen=True)
class SplitOf:
    """An amount divided between names."""

    total: float
    names: Mapping[str, tuple[str, ...]]
    whole_only: bool = False

    def whole(self, piece: Piece) -> Found:
        """Read an amount for every name; they must add up."""
        amounts = amounts_in(piece.text, self.names)
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

    def structured(self, held: object) -> Value | None:
        """Read amounts from an object of JSON."""
        if isinstance(held, str):
            found = self.whole(Piece(held, 0))
            return found.value if found.outcome is OK else None
        if not isinstance(held, Mapping):
            return None
        text = "\n".join(f"{key}: {value}" for key, value in held.items())
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

    def structured(self, held: object) -> Value | None:
        """Read the text of a value of JSON."""
        return self._held(held) if isinstance(held, str) else None

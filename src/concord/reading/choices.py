"""Options: one of them by its letter or words and what may follow it, or all of them in an order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from concord.reading.numbers import is_bound
from concord.reading.records import NOTHING, OK, SEVERAL, UNREADABLE, Found, Value
from concord.reading.text import (
    DECORATION,
    ENDING,
    FOR,
    Piece,
    any_of,
    folded,
    patterns,
    sentences_of,
    words,
)

_RE = patterns("options")
_VOWELS = ("A", "I", "O", "E", "Y", "U")
"""Letters that are words as well."""
_MOST_SENTENCES = 6
"""Sentences of a line that may name another option."""


@cache
def _allowed_if() -> re.Pattern[str]:
    return re.compile(rf"[\s,*_]{{0,6}}(?:{any_of('allowed_if')})", re.IGNORECASE)


@dataclass(frozen=True)
class ChoiceOf:
    """One of several options, each with a letter and words."""

    options: Mapping[str, tuple[str, ...]]
    """Words of each option, by its letter."""

    @cached_property
    def _letters(self) -> re.Pattern[str]:
        signs = "|".join(sorted((re.escape(one) for one in self.options), key=len, reverse=True))
        return re.compile(rf"({signs})(?![A-Za-z0-9_]|'[A-Za-z]|(?<=\d)[.,]\d)", re.IGNORECASE)

    @cached_property
    def _labels(self) -> list[tuple[str, str, re.Pattern[str]]]:
        """Return the words of options with their letters, the longest first; shared words are none."""
        known: dict[str, set[str]] = {}
        for letter, own in self.options.items():
            same = {"yes": words()["yes"], "no": words()["no"]}
            for word in (*own, *(other for one in own for other in same.get(folded(one), ()))):
                plain = folded(word)
                for said in (plain, plain.removeprefix("the ").removeprefix("a ")):
                    if said:
                        known.setdefault(said, set()).add(letter)
        only = [(word, letters.pop()) for word, letters in known.items() if len(letters) == 1]
        return [
            (word, letter, _worded(word)) for word, letter in sorted(only, key=lambda pair: -len(pair[0]))
        ]

    def _at_start(self, piece: Piece) -> tuple[str, int, int] | None:
        """Return letter, start and end of the option that a text begins with; no letter: of two options."""
        text = piece.text
        plain = len(text) - len(text.lstrip(DECORATION))
        worded = self._words_at(text, plain)
        if worded is not None and len(text[plain : worded[2]]) > 1:
            return worded
        lead = _RE["lead"].match(text)
        begin = 0 if lead is None else lead.end()
        named = lead is not None and lead.group(1) is not None
        match = self._letters.match(text, begin)
        if match is not None:
            letter = self._cased(match, text, named)
            if letter is not None and self._is_letter(text, match, letter, named):
                own = self._with_words(text, match.end(), letter)
                return (letter if own is not None else "", begin, match.end() if own is None else own)
        return self._words_at(text, begin)

    def _cased(self, match: re.Match[str], text: str, named: bool) -> str | None:
        """Return the letter that is meant, in small letters where it cannot be a word."""
        found, after = match.group(1), text[match.end() :]
        if found in self.options:
            return found
        turned = [one for one in self.options if one.casefold() == found.casefold()]
        alone = named or not after.strip(ENDING) or after[:1] == ")"
        marked = after[:1] in ".,:;" and found.upper() not in _VOWELS
        if (
            turned
            and after[:1] == "."
            and self._with_words(text, match.end(), turned[0]) not in (None, match.end())
        ):
            return turned[0]
        return turned[0] if turned and (alone or marked) else None

    def _is_letter(self, text: str, match: re.Match[str], letter: str, named: bool) -> bool:
        """Whether a sign is the letter of an option: "A friend" and "I think" are not."""
        rest = text[match.end() :]
        if len(letter) > 1 or named or letter not in _VOWELS or not re.match(r"\s+[^\W\d_]", rest):
            return True
        if self._with_words(text, match.end(), letter) not in (None, match.end()):
            return True
        return any(_RE[one].match(rest) for one in ("reason", "and_more", "hedged", "under"))

    def _with_words(self, text: str, end: int, letter: str) -> int | None:
        """Return where an option ends with its own words behind its letter; None where they are another's."""
        gap = re.match(r"[\s*_\"')\].:,(=-]{1,8}", text[end:])
        if gap is None:
            return end
        found = self._words_at(text, end + gap.end())
        if found is None or (found[2] - found[1] == 1 and text[found[2] :].strip(ENDING)):
            return end
        if found[0] == letter:
            return found[2]
        return None if not re.match(r"\s+[^\W\d_]", gap.group()) else end

    def _words_at(self, text: str, begin: int) -> tuple[str, int, int] | None:
        """Return the option whose words a text has at a place."""
        for _, letter, pattern in self._labels:
            match = pattern.match(text, begin)
            if match is not None:
                return letter, begin, match.end()
        return None

    def others(self, text: str, letter: Value | None) -> bool:
        """Whether a text names another option by its letter, or in its words."""
        for match in _alone(tuple(one for one in self.options if one != letter)).finditer(text):
            if match.group() not in ("A", "I") or not re.match(r"\s[a-z]", text[match.end() :]):
                return True
        said = f" {folded(text)} "
        for word, own, _ in self._labels:
            if own == letter:
                said = said.replace(f" {word} ", " | ")
        return any(
            other != letter and (said.endswith if len(word) <= 3 else said.__contains__)(f" {word} ")
            for word, other, _ in self._labels
        )

    def _read(self, piece: Piece, *, strict: bool) -> Found:
        found = self._at_start(piece)
        if found is None:
            return NOTHING
        letter, start, end = found
        if not letter:
            return Found(SEVERAL)
        rest = piece.text[end:]
        place = (piece.start + start, piece.start + end)
        if _RE["hedged"].match(rest):
            return Found(SEVERAL) if strict and self.others(rest, letter) else Found(OK, letter, place)
        more = self.others(rest, letter)
        if more and (_RE["and_more"].match(rest) or self._lists(rest)):
            return Found(SEVERAL)
        if not rest.strip(ENDING):
            return Found(OK, letter, place)
        if self._divides(rest, letter):
            return Found(SEVERAL)
        if _RE["under"].match(rest):
            sure = _allowed_if().match(rest) and not more and _RE["otherwise"].search(rest) is None
            return Found(OK, letter, place) if sure else NOTHING
        if _RE["reason"].match(rest) is None or _RE["wrong"].match(rest) or _RE["percent"].match(rest):
            return NOTHING
        aside = _RE["aside"].match(rest)
        asides = aside is not None and _RE["praise"].search(rest, aside.end()) is None
        if more and (strict or _RE["but"].match(rest)) and not asides:  # "A is better. B is better."
            return NOTHING
        return Found(OK, letter, place)

    def _lists(self, rest: str) -> bool:
        """Whether nothing but another option follows a comma: "A, C"."""
        comma = _RE["comma"].match(rest)
        other = None if comma is None else self._letters.match(rest, comma.end())
        return other is not None and _RE["listed_on"].match(rest, other.end()) is not None

    def _divides(self, rest: str, letter: str) -> bool:
        """Whether another option is for something else: "1 for accuracy, 2 for style"."""
        return FOR.match(rest) is not None and any(
            match.group(1).upper() != letter and FOR.match(rest, match.end())
            for match in self._letters.finditer(rest)
        )

    def whole(self, piece: Piece) -> Found:
        """Read a line that is an option, with a reason behind it; a sentence with another makes two."""
        found = self._read(piece, strict=True)
        if found.outcome is OK:
            rest = [self._read(one, strict=False) for one in sentences_of(piece)[1:_MOST_SENTENCES]]
            if any(one.outcome is OK and one.value != found.value for one in rest):
                return Found(SEVERAL)
        return found

    def stated(self, piece: Piece) -> Found:
        """Read what follows a mark: the option stands first."""
        found = self._read(piece, strict=False)
        if found.outcome is not UNREADABLE:
            return found
        last = re.search(r"(?:\(|\s-\s)([^()-]{1,80})\)?[\s.*_\"']{0,6}$", piece.text)
        inside = None if last is None else self._read(Piece(last.group(1), 0), strict=True)
        if last is not None and inside is not None and inside.outcome is OK:
            named = self._words_at(piece.text, len(piece.text) - len(piece.text.lstrip(DECORATION)))
            if (named is None or named[0] == inside.value) and not self.others(piece.text, inside.value):
                return Found(OK, inside.value, (piece.start + last.start(1), piece.start + last.end(1)))
        return NOTHING

    def in_words(self, piece: Piece) -> Found:
        """Read what follows "I would": the words of an option, and nothing that could be another's."""
        begin = len(piece.text) - len(piece.text.lstrip(DECORATION))
        named = self._words_at(piece.text, begin)
        if named is None or self.others(piece.text[named[2] :], named[0]):
            return NOTHING
        rest = piece.text[named[2] :]
        if _RE["contrary"].match(rest) or _RE["but"].match(rest) or is_bound(rest):
            return NOTHING
        return Found(OK, named[0], (piece.start + named[1], piece.start + named[2]))

    def is_listed(self, lines: Sequence[Piece], place: int) -> bool:
        """Whether a line is one of a list of options rather than the choice of one."""
        # Beside other lines that begin with other options, a letter alone is a choice, and so is an option
        # that the others list already.
        begins = [self._listed_letter(line.text) for line in lines]
        own, others = begins[place], {one for i, one in enumerate(begins) if i != place and one is not None}
        if own is None or not others - {own}:
            return False
        return own not in others and bool(folded(lines[place].text) not in (own.casefold(), ""))

    def _listed_letter(self, text: str) -> str | None:
        lead = _RE["listed"].match(text)
        match = self._letters.match(text, 0 if lead is None else lead.end())
        if match is None or match.group(1) not in self.options:
            return None
        rest = text[match.end() :]
        return match.group(1) if not rest.strip(ENDING) or re.match(r"[*_]{0,3}[.):]", rest) else None

    def mentions(self, text: str) -> bool:
        """Whether a text names an option."""
        return self.others(text, "")

    def structured(self, held: object) -> Value | None:
        """Read an option from a value of JSON."""
        if isinstance(held, bool):
            return next((letter for word, letter, _ in self._labels if word == ("no", "yes")[held]), None)
        if not isinstance(held, str | int):
            return None
        found = self._read(Piece(str(held), 0), strict=False)
        return found.value if found.outcome is OK else None


@lru_cache(maxsize=4096)
def _alone(letters: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of letters that stand alone."""
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, letters))})(?![\w'])")


@lru_cache(maxsize=4096)
def _worded(word: str) -> re.Pattern[str]:
    """Return the pattern of an option's words; a script without blanks has no ends of words."""
    pattern = r"[$€£]?" + r"[\W_]{1,4}".join(map(re.escape, word.split()))
    return re.compile(pattern + (r"(?![^\W_])[%€]?" if word.isascii() else ""), re.IGNORECASE)


@cache
def _numbered_line() -> re.Pattern[str]:
    """Return the pattern of a line that begins with its place, in figures or words."""
    places = "|".join(f"(?P<n{i}>{one})" for i, one in enumerate(words()["ordinals"], start=1))
    return re.compile(
        rf"[\s*_#\-]{{0,6}}(?:#?(\d{{1,2}})(?:st|nd|rd|th)?[.):]?|(?:{places}))(?:\s(?:{any_of('rank_heads')}|choice))?"
        r"[:.)]?[\s*_:-]{1,6}(.{1,400})",
        re.IGNORECASE,
    )


def _place(match: re.Match[str]) -> int:
    """Return the place that a numbered line begins with."""
    if match.group(1) is not None:
        return int(match.group(1))
    return next(int(name[1:]) for name, held in match.groupdict().items() if held is not None)


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
        if text.lstrip().startswith("|"):
            names = self._of_table(text)
        else:
            names = self._placed(text) or self._numbered(text) or self._listed(text)
        if names is None or len(names) != len(self.options):
            return NOTHING
        return Found(OK, tuple(names), (piece.start, piece.end))

    stated = whole

    def _placed(self, text: str) -> list[str] | None:
        """Read "A: 3, B: 1": the place of each name."""
        places: dict[int, str] = {}
        for part in re.split(r"[\n,;]", text):
            match = _RE["placed"].match(part)
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
        lines = [match for line in text.split("\n") if (match := _numbered_line().match(line)) is not None]
        if [_place(match) for match in lines] != list(range(1, len(self.options) + 1)):
            return None
        said = [Piece(match.groups()[-1], 0) for match in lines]
        found = [
            one if (one := self._choices.whole(line)).outcome is OK else self._choices.stated(line)
            for line in said
        ]
        names = [str(one.value) for one in found if one.outcome is OK]
        return names if len(set(names)) == len(self.options) else None

    def _of_table(self, text: str) -> list[str] | None:
        """Read rows of places and names; a head over the places calls them so."""
        lines = [line for line in text.splitlines() if "|" in line]
        rows = [[cell.strip(" *_.#") for cell in line.strip().strip("|").split("|")] for line in lines]
        ruled = len(lines) > 1 and _RE["rule"].fullmatch(lines[1]) is not None
        head, rows = (rows[0], rows[2:]) if ruled else ([], rows)
        if len(rows) != len(self.options) or len({len(row) for row in (head, *rows) if row}) != 1:
            return None
        for column in range(len(rows[0])):
            places = {row[column]: row for row in rows}
            if set(places) != {str(i) for i in range(1, len(rows) + 1)}:
                continue
            if head and re.fullmatch(any_of("rank_heads"), head[column], re.IGNORECASE) is None:
                return None
            cells = [
                [cell for i, cell in enumerate(places[place]) if i != column]
                for place in sorted(places, key=int)
            ]
            found = [[self._choices.whole(Piece(cell, 0)) for cell in row] for row in cells]
            names = [str(one.value) for row in found for one in row[:2] if one.outcome is OK]
            return names if len(set(names)) == len(names) == len(rows) else None
        return None

    def _listed(self, text: str) -> list[str] | None:
        """Read names one behind another; every one once."""
        if re.search(r"=|\b(?:tied?|ties|equal(?:ly|s)?)\b", text.casefold()):
            return None
        parts = [
            one
            for one in re.split(r"[\n>→,;]|,?\s(?:and|und|et|y|e|en)\s(?=\S{1,3}$)", text.strip())
            if one.strip(ENDING)
        ]
        if len(parts) == 1 and all(one in self.options for one in text.split()):
            parts = text.split()
        names = []
        for part in parts:
            plain = re.sub(
                r"^[\s*_\-]{0,6}(?:\d{1,2}[.):]|#\d{1,2}|(?:(?:then|and|first|second|third|last|finally)\b\s{0,3}){1,3})[\s*_]{0,6}",
                "",
                part.strip(),
                flags=re.IGNORECASE,
            )
            found = self._choices.whole(Piece(plain, 0))
            if found.outcome is not OK:
                return None
            names.append(str(found.value))
        return names if len(set(names)) == len(names) else None

    def mentions(self, text: str) -> bool:
        """Whether a text names an option."""
        return self._choices.mentions(text)

    def others(self, text: str, value: Value | None) -> bool:
        """Whether a text gives another order."""
        return self.mentions(text)

    def structured(self, held: object) -> Value | None:
        """Read an order from a list of JSON."""
        if isinstance(held, str):
            found = self.whole(Piece(held, 0))
            return found.value if found.outcome is OK else None
        if isinstance(held, Mapping):
            return self._of_places(held)
        if not isinstance(held, list):
            return None
        if held and all(isinstance(one, Mapping) for one in held):
            held = _in_places(held)
        names = [self._choices.structured(one) for one in held]
        known = [str(one) for one in names if one is not None]
        return tuple(known) if len(known) == len(set(known)) == len(self.options) == len(held) else None

    def _of_places(self, held: Mapping[str, object]) -> Value | None:
        text = "\n".join(f"{key}: {value}" for key, value in held.items())
        names = self._placed(text) or self._numbered(text)
        return None if names is None else tuple(names)


def _in_places(held: list[Mapping[str, object]]) -> list[object]:
    """Return what objects such as {"rank": 1, "name": "A"} hold, by their places where they have some."""
    rank = re.compile(any_of("rank_heads"), re.IGNORECASE)
    places = [[value for key, value in one.items() if rank.fullmatch(key)] for one in held]
    rest = [[value for key, value in one.items() if not rank.fullmatch(key)] for one in held]
    if any(len(one) != 1 for one in rest):
        return []
    if all(len(one) == 1 and isinstance(one[0], int) for one in places):
        rest = [one for _, one in sorted(zip(places, rest, strict=True), key=lambda pair: pair[0])]
    return [one[0] for one in rest]

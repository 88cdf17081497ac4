"""Answers of each kind inside a short text: a choice, a number, a rating, an order, a split, a name."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from concord.reading.numbers import amounts_in, read_number
from concord.reading.records import ReadOutcome, Value
from concord.reading.text import Piece

OK, SEVERAL, OUT, UNREADABLE = (
    ReadOutcome.OK, ReadOutcome.SEVERAL, ReadOutcome.OUT_OF_RANGE, ReadOutcome.UNREADABLE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """What a short text holds."""

    outcome: ReadOutcome
    value: Value | None = None
    where: tuple[int, int] | None = None
    other: bool = False


NOTHING = Found(UNREADABLE)
DECORATION = " \t\r\n*_'\"()[]{}<>#~|"
_ENDING = DECORATION + ".,;:!-"


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


def folded(text: str) -> str:
    """Return the words of a text, letters and digits only."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


_OPTION = (
    r"(?:(?:the\s|my\s)?(?:option|choice|answer|program|programme|response|assistant|letter|"
    r"alternative|model|"
    r"candidate|variant|opción|opcao|opção|opzione|vaihtoehto|вариант|选项|選択肢|보기)\s{0,3}[:#]?\s{0,3}|"
    r"l'option\s)"
)
_REASON = re.compile(
    r"(?:[\s*_\"')\]]{0,6})(?:$|[.,;:!]|\s?-|\(|\n|\s(?:because|since|as|for|due|given|over|rather|instead|"
    r"and (?:not|i)|, and|weil|da|denn|parce|car|porque|perché|потому|is (?:the|my|correct|right|better|best|"
    r"the (?:right|correct|best|better))|입니다|です|だ|than (?:that|this|it)(?!\w)))|"
    r"(?:입니다|이다|です|だ(?!め)|(?:를|을)\s?(?:선택(?:합니다|하겠습니다|한다|해요|할게요)|고릅니다|택합니다)|"
    r"を(?:選び(?:ます|たい)|選ぶ|選択(?:します|する|したい))|にします|になります|番)"
)
"""What may follow an answer that stands first: an end, or the beginning of a reason."""
_AND = re.compile(
    r"^[\s*_\"')\].,]{0,6}(?:or|and|/|&|nor|oder|und|ou|et|o|y|e|или|и|或|和|または|또는)[\s*_\"'(\[]",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"^[\s*_\"')\]]{0,6},?\s(?:or|and)\s(?:maybe|perhaps|possibly|possible|at most|if)", re.IGNORECASE
)
_BUT = re.compile(
    r"^[\s*_\"')\].,;-]{0,6}(?:but|however|although|though|aber|mais|pero|mas|ma|но|但|しかし|하지만)\b",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"[\s*_\"']{1,4}(?:only\s)?(?:if|unless|when|provided|nothing|none|no|neither|"
    r"to (?:answer|choose|pick|say|rate|respond|participate|take part))\b",
    re.IGNORECASE,
)
"""What makes of "I would accept" a condition, or its contrary."""
_TURNED = re.compile(
    r"\b(?:wrong|incorrect|false|out of the question|not (?:correct|right|the (?:right|correct|best)))\b",
    re.IGNORECASE,
)


_SAME = {
    "yes": ("yeah", "yep", "yup", "ja", "oui", "sí", "si", "sim", "да", "是", "はい", "네", "예"),
    "no": ("nope", "nah", "nein", "non", "não", "нет", "否", "いいえ", "아니요", "아니오"),
}
"""Other words of options that are nothing but yes or no."""


@dataclass(frozen=True)
class ChoiceOf:
    """One of several options, each with a letter and words."""

    options: Mapping[str, tuple[str, ...]]
    """Words of each option, by its letter."""

    @cached_property
    def _letters(self) -> re.Pattern[str]:
        signs = "|".join(sorted((re.escape(one) for one in self.options), key=len, reverse=True))
        return re.compile(rf"({signs})(?![A-Za-z0-9_]|'[A-Za-z])", re.IGNORECASE)

    @cached_property
    def _labels(self) -> list[tuple[str, str]]:
        """Return the words of options with their letters, the longest first; shared words are none."""
        known: dict[str, set[str]] = {}
        for letter, words in self.options.items():
            for word in (*words, *(same for one in words for same in _SAME.get(folded(one), ()))):
                if folded(word):
                    known.setdefault(folded(word), set()).add(letter)
        only = [(word, next(iter(letters))) for word, letters in known.items() if len(letters) == 1]
        return sorted(only, key=lambda pair: -len(pair[0]))

    def _at_start(self, piece: Piece) -> tuple[str, int, int] | None:
        """Return letter, start and end of the option that a text begins with."""
        text = piece.text
        lead = re.match(
            rf"[{re.escape(DECORATION)}]{{0,12}}(?:(?:the|la|el|le|die)\s)?({_OPTION})?[{re.escape(DECORATION)}]{{0,8}}",
            text,
            re.IGNORECASE,
        )
        begin = 0 if lead is None else lead.end()
        named = lead is not None and lead.group(1) is not None
        match = self._letters.match(text, begin)
        if match is not None:
            letter = self._cased(match.group(1), named or not text[match.end() :].strip(_ENDING))
            if letter is not None and self._is_letter(text, match, letter, named):
                end = self._with_words(text, match.end(), letter)
                return None if end is None else (letter, begin, end)
        return self._words_at(text, begin)

    def _cased(self, found: str, any_case: bool) -> str | None:
        if found in self.options:
            return found
        turned = [one for one in self.options if one.casefold() == found.casefold()]
        return turned[0] if any_case and turned else None

    def _is_letter(self, text: str, match: re.Match[str], letter: str, named: bool) -> bool:
        """Whether a sign is the letter of an option: "A friend" and "I think" are not."""
        rest = text[match.end() :]
        if len(letter) > 1 or named:
            return True
        if re.match(r"\s+[^\W\d_]", rest) and letter in ("A", "I", "O", "E", "Y", "U"):
            return self._with_words(text, match.end(), letter) not in (None, match.end()) or bool(
                _REASON.match(rest) or _AND.match(rest)
            )
        return True

    def _with_words(self, text: str, end: int, letter: str) -> int | None:
        """Return where an option ends with its own words behind its letter; None where they are another's."""
        gap = re.match(r"[\s*_\"')\].:,(-]{1,8}", text[end:])
        if gap is None:
            return end
        begin = end + gap.end()
        words = self._words_at(text, begin)
        if words is None:
            return end
        return words[2] if words[0] == letter else None

    def _words_at(self, text: str, begin: int) -> tuple[str, int, int] | None:
        """Return the option whose words a text has at a place."""
        for word, letter in self._labels:
            pattern = r"[\W_]{1,4}".join(map(re.escape, word.split()))
            match = re.compile(pattern + r"(?![^\W_])", re.IGNORECASE).match(text, begin)
            if match is None and not word.isascii():
                match = re.compile(pattern).match(text, begin)
            if match is not None:
                return letter, begin, match.end()
        return None

    def others(self, text: str, letter: str) -> bool:
        """Whether a text names another option by its letter, or in its words."""
        sure = rf"(?<![\w'])(?:{'|'.join(re.escape(one) for one in self.options if one != letter)})(?![\w'])"
        for match in re.finditer(sure, text):
            if match.group() not in ("A", "I") or not re.match(r"\s[a-z]", text[match.end() :]):
                return True
        said = f" {folded(text)} "
        return any(other != letter and len(word) > 3 and f" {word} " in said for word, other in self._labels)

    def _read(self, piece: Piece, *, strict: bool) -> Found:
        found = self._at_start(piece)
        if found is None:
            return NOTHING
        letter, start, end = found
        rest = piece.text[end:]
        place = (piece.start + start, piece.start + end)
        if _HEDGED.match(rest):
            return Found(SEVERAL) if strict and self.others(rest, letter) else Found(OK, letter, place)
        if _AND.match(rest) and self.others(rest, letter):
            return Found(SEVERAL)
        if not rest.strip(_ENDING):
            return Found(OK, letter, place)
        if _REASON.match(rest) is None or _BUT.match(rest) or _TURNED.search(rest[:60]):
            return NOTHING
        if (
            strict
            and self.others(rest, letter)
            and not re.match(
                r"[\s*_\"')\]]{0,6}[-,;.]?\s?(?:is the|since|because|over|rather|instead|as )", rest
            )
        ):
            return NOTHING
        return Found(OK, letter, place)

    def whole(self, piece: Piece) -> Found:
        """Read a line that is an option, with a reason behind it."""
        return self._read(piece, strict=True)

    def stated(self, piece: Piece) -> Found:
        """Read what follows a mark: the option stands first."""
        found = self._read(piece, strict=False)
        if found.outcome is not UNREADABLE:
            return found
        last = re.search(r"\(([A-Za-z])\)[\s.*_\"']{0,6}$", piece.text)
        if last is not None and last.group(1) in self.options:
            words = self._words_at(piece.text, len(piece.text) - len(piece.text.lstrip(DECORATION)))
            if words is None or words[0] == last.group(1):
                return Found(OK, last.group(1), (piece.start + last.start(1), piece.start + last.end(1)))
        return NOTHING

    def in_words(self, piece: Piece) -> Found:
        """Read what follows "I would": the words of an option, and nothing that could be another's."""
        begin = len(piece.text) - len(piece.text.lstrip(DECORATION))
        words = self._words_at(piece.text, begin)
        if words is None or self.others(piece.text[words[2] :], words[0]):
            return NOTHING
        if _UNDER.match(piece.text, words[2]):
            return NOTHING
        return Found(OK, words[0], (piece.start + words[1], piece.start + words[2]))

    def mentions(self, text: str) -> bool:
        """Whether a text names an option."""
        return self.others(text, "")

    def structured(self, held: object) -> Value | None:
        """Read an option from a value of JSON."""
        if not isinstance(held, str | int) or isinstance(held, bool):
            if isinstance(held, bool):
                return self._yes(held)
            return None
        found = self._read(Piece(str(held), 0), strict=False)
        return found.value if found.outcome is OK else None

    def _yes(self, held: bool) -> str | None:
        words = {word: letter for word, letter in self._labels}
        return words.get("yes" if held else "no")


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
        found = read_number(piece.text, self.high, alone=True)
        return self._found(found, piece)

    def stated(self, piece: Piece) -> Found:
        """Read the number that follows a mark."""
        found = read_number(piece.text, self.high, alone=False)
        return self._found(found, piece)

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


@dataclass(frozen=True)
class OrderOf:
    """Names in an order."""

    options: Mapping[str, tuple[str, ...]]

    @cached_property
    def _choices(self) -> ChoiceOf:
        return ChoiceOf(self.options)

    def whole(self, piece: Piece) -> Found:
        """Read an order: letters or words, one behind another or one a line, or places by name."""
        names = self._placed(piece.text) or self._listed(piece.text)
        if names is None or len(names) != len(self.options):
            return NOTHING
        return Found(OK, tuple(names), (piece.start, piece.end))

    stated = whole

    def _placed(self, text: str) -> list[str] | None:
        """Read "A: 3, B: 1": the place of each name."""
        places: dict[int, str] = {}
        for part in re.split(r"[\n,;]", text):
            match = re.match(
                r"^[\s*_\-]{0,6}(.{1,80}?)[\s*_]{0,4}[:=][\s*_#]{0,4}(\d{1,2})[\s*_.]{0,4}$", part
            )
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

    def _listed(self, text: str) -> list[str] | None:
        """Read names one behind another; every one once."""
        if re.search(r"=|\b(?:tied?|ties|equal\w*)\b", text.casefold()):
            return None
        parts = [one for one in re.split(r"[\n>,;]", text) if one.strip(_ENDING)]
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


_OPEN = re.compile(
    r"\b(?:unclear|uncertain|unknown|cannot be determined|not possible|insufficient|depends?|"
    r"more information|"
    r"difficult to say|hard to say|none|no diagnosis|not enough|needed|required|should be|"
    r"to be (?:made|determined)|"
    r"unklar|incierto|desconocid\w+|incertain)\b",
    re.IGNORECASE,
)
_PRIMARY = re.compile(
    r"^[\s*_\"']{0,4}(?:primary|principal|main|most likely|probable|likely|leading|working)\s{0,2}[:,]?\s",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"[.;(\n]|,\s|\s-\s|\s(?:with|because|since|given|due to|based on|as (?:evidenced|shown|the)|"
    r"in (?:the|a|this)|characteri[sz]ed|mit|weil|avec|con|porque)\s",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\s(?:or|vs\.?|versus|/|oder|ou|o)\s", re.IGNORECASE)
MOST_WORDS = 10
"""Words of a name that is none of the list."""


@dataclass(frozen=True)
class LabelOf:
    """A name of a list, or one outside it."""

    labels: Mapping[str, tuple[str, ...]]
    """Other names of each label, its own first."""

    @cached_property
    def _known(self) -> list[tuple[str, str]]:
        pairs = [(folded(word), label) for label, words in self.labels.items() for word in (label, *words)]
        return sorted({pair for pair in pairs if pair[0]}, key=lambda pair: -len(pair[0]))

    def named(self, text: str) -> set[str]:
        """Return the labels that a text names; longer names first, each word used once."""
        said, found = f" {folded(text)} ", set()
        for word, label in self._known:
            sought = f" {word} " if word.isascii() else word
            if sought in said:
                found.add(label)
                said = said.replace(sought, " | ")
        return found

    def whole(self, piece: Piece) -> Found:
        """Read a line that is a name of the list."""
        plain = piece.trimmed(_ENDING)
        found = [label for word, label in self._known if word == folded(plain.text)]
        return Found(OK, found[0], (plain.start, plain.end)) if found else NOTHING

    def stated(self, piece: Piece) -> Found:
        """Read the name that follows a mark: of the list, or any other that is short and sure."""
        lead = _PRIMARY.match(piece.text)
        inner = piece if lead is None else Piece(piece.text[lead.end() :], piece.start + lead.end())
        inner = inner.trimmed(DECORATION)
        stop = _STOP.search(inner.text, 1)
        head = Piece(inner.text if stop is None else inner.text[: stop.start()], inner.start).trimmed(_ENDING)
        head = Piece(
            re.sub(r"^(?:an?|the|consistent with|likely|probably|most likely)\s", "", head.text), head.start
        )
        if not head.text or _OPEN.search(head.text):
            return NOTHING
        place = (inner.start, inner.start + (len(inner.text) if stop is None else stop.start()))
        named = self.named(head.text)
        parts = _ALTERNATIVE.split(head.text)
        if len(named) > 1 or (
            len(parts) > 1 and not (len(named) == 1 and folded(head.text) in {w for w, _ in self._known})
        ):
            return Found(SEVERAL)
        if len(named) == 1:
            return Found(OK, named.pop(), place)
        if len(head.text.split()) > MOST_WORDS:
            return NOTHING
        return Found(OK, head.text, place, other=True)

    def mentions(self, text: str) -> bool:
        """Whether a text names a label."""
        return bool(self.named(text))

    def structured(self, held: object) -> Value | None:
        """Read a name from a value of JSON."""
        if not isinstance(held, str):
            return None
        found = self.stated(Piece(held, 0))
        return found.value if found.outcome is OK else None

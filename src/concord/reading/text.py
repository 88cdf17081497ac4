"""A reply as text in which places are kept: one form of every sign, and what is no answer blanked out."""

import json
import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from concord.files.text import normal_form


@cache
def words() -> Mapping[str, list[str]]:
    """Return the vocabulary by kind; what is in it are parts of patterns."""
    return {kind: held for kind, held in _vocabulary().items() if isinstance(held, list)}


@cache
def worth() -> Mapping[str, Mapping[str, Any]]:
    """Return words with what they stand for, by kind: numbers, or words of another language."""
    return {kind: held for kind, held in _vocabulary().items() if isinstance(held, dict)}


@cache
def _vocabulary() -> Mapping[str, Any]:
    text = resources.files("concord.reading").joinpath("words.json").read_text("utf-8")
    held: Mapping[str, Any] = json.loads(text)
    return held


def any_of(*kinds: str) -> str:
    """Return a pattern of any word of some kinds, the longest first."""
    held = {word for kind in kinds for word in words()[kind]}
    begins: dict[str, list[str]] = {}
    for word in sorted(held, key=lambda word: (-len(word), word)):
        plain = word[0].isalpha() and word[1:2] not in ("", "?", "*", "+", "{", "|")
        first = word[0].lower() if plain and "|" not in word.partition("(")[0] else word
        begins.setdefault(first, []).append(word)
    # A letter that is looked for in both its forms rules out all words that begin with it at once; where
    # case is ignored the engine would try them one by one.
    return "|".join(
        f"(?-i:[{one}{one.upper()}])(?:{'|'.join(word[1:] for word in own)})" if len(own) > 1 else own[0]
        for one, own in begins.items()
    )


class _Patterns(dict[str, re.Pattern[str]]):
    """The patterns of a group, each made when it is first asked for."""

    def __init__(self, group: str) -> None:
        self._group = group

    def __missing__(self, name: str) -> re.Pattern[str]:
        made = self[name] = re.compile(filled(_templates()[self._group][name]["is"]), re.IGNORECASE)
        return made


@cache
def patterns(group: str) -> Mapping[str, re.Pattern[str]]:
    """Return the patterns of a group; each is linear in the length of a sentence."""
    return _Patterns(group)


def filled(template: str) -> str:
    """Return a pattern with its parts: ‹word› stands for a part, or for any word of some kinds."""
    return _SLOT.sub(lambda slot: _slot_words(slot.group(1)), template)


def _slot_words(name: str) -> str:
    held = _templates()["parts"].get(name)
    return any_of(*name.split(", ")) if held is None else filled(held["is"])


@cache
def _templates() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    return tomllib.loads(resources.files("concord.reading").joinpath("patterns.toml").read_text("utf-8"))


_SLOT = re.compile("‹([^‹›]{1,80})›")
_SIGNS = {
    **dict.fromkeys("‐‑‒–—―−﹘﹣－⁻₋", "-"),
    **dict.fromkeys("’‘‛`´", "'"),
    **dict.fromkeys("“”„‟«»", '"'),
    **dict.fromkeys("\ufe0e\ufe0f\u20e3\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
    "。": ".", "．": ".", "、": ",", "，": ",", "：": ":", "；": ";", "！": "!", "？": "?",
    **dict.fromkeys("「」『』", '"'), **dict.fromkeys("【〔《〖", "["), **dict.fromkeys("】〕》〗", "]"),
    "｜": "|", "⇒": "→", "➜": "→", "➡": "→", "👉": "→",
    "🥇": "1. ", "🥈": "2. ", "🥉": "3. ",
}  # fmt: skip
"""Signs that are written in several ways, and those that are not seen."""


@cache
def _one_form(sign: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    if "🅰" <= sign <= "🆉":  # letters in a dark square
        return chr(ord("A") + ord(sign) - ord("🅰"))
    if "🅐" <= sign <= "🅩":  # letters in a dark circle
        return chr(ord("A") + ord(sign) - ord("🅐"))
    if sign > "⌀" and unicodedata.category(sign) == "So":  # pictures
        made = normal_form("NFKC", sign)
        return made if made.isalnum() else " "
    return normal_form("NFKC", sign)


@dataclass(frozen=True, slots=True)
class ReplyText:
    """A reply in one form of every sign, with the place of each sign in the reply as it was given."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return a span of the text as one of the reply."""
        if start >= len(self.places):
            return (len(self.places), len(self.places))
        return self.places[start], self.places[max(start, end - 1)] + 1

    def blanked(self, spans: Sequence[tuple[int, int]]) -> "ReplyText":
        """Return the text with spans replaced by blanks; lines stay lines."""
        parts, at = [], 0
        for start, end in sorted(spans):
            begin = max(start, at)
            if end > begin:
                parts += [self.text[at:begin], re.sub(r"[^\n]", " ", self.text[begin:end])]
                at = end
        return ReplyText("".join([*parts, self.text[at:]]), self.places)


def one_form(reply: str) -> ReplyText:
    """Return a reply with one form of every letter, digit, quote and dash."""
    if reply.isascii():
        return ReplyText(reply.replace("`", "'"), range(len(reply)))
    made, places = [], []
    for i, sign in enumerate(reply):
        for one in sign if sign.isascii() and sign != "`" else _one_form(sign):
            made.append(one)
            places.append(i)
    return ReplyText("".join(made), places)


FOR = re.compile(r"[*_\"')\]]{0,4}\s(?:for|für|fuer|pour|para|per|voor)\s", re.IGNORECASE)
"""What makes of an answer one of several: "1 for accuracy, 2 for style"."""
_THOUGHT = any_of("thought_elements")
_RE = patterns("frames")
_LONGEST_ELEMENT = 4000
_MOST_ELEMENTS = 20


def elements(text: str, begin: int = 0) -> list["Piece"]:
    """Return the contents of the last elements that hold an answer."""
    low, found = text.casefold(), []
    if len(low) != len(text):
        low = text.lower() if len(text.lower()) == len(text) else text
    for close in list(_RE["closed"].finditer(text, begin))[-_MOST_ELEMENTS:]:
        tag = f"<{close.group(1).lower()}>"
        start = low.rfind(tag, max(begin, close.start() - _LONGEST_ELEMENT), close.start())
        if start >= 0:
            found.append(Piece(text[start + len(tag) : close.start()], start + len(tag)))
    return found


def _thought(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return the places of what was thought, and whether the reply ends in thought."""
    if "<|channel|>" in text:
        final = list(_RE["final"].finditer(text))
        if not final:
            return [(0, len(text))], True
        close = _RE["token"].search(text, final[-1].end())
        end = len(text) if close is None else close.start()
        return [(0, final[-1].end()), (end, len(text))], False
    if text.startswith("analysis") and "assistantfinal" in text:
        return [(0, text.rindex("assistantfinal") + len("assistantfinal"))], False
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for match in _RE["tag"].finditer(text):
        closes = any(group in ("/", "end", "END", "End") for group in match.groups())
        if not closes:
            opened = match.start() if opened is None else opened
        else:
            begin = opened if opened is not None else match.start() if spans else 0
            spans.append((begin, match.end()))
            opened = None
    if opened is not None:
        inside = elements(text, opened)
        if not inside:
            return [*spans, (opened, len(text))], True
        spans.append((opened, text.rindex("<", 0, inside[-1].start)))
    return spans, False


def without_thinking(said: ReplyText) -> ReplyText | None:
    """Return a reply without what was thought before it; None where it breaks off in thought."""
    spans, unended = _thought(said.text)
    if unended:
        return None
    return said.blanked([*spans, *(match.span() for match in _RE["token"].finditer(said.text))])


def split_thinking(reply: str) -> tuple[str, str | None]:
    """Divide a reply into what was thought and what was said; None where it breaks off in thought."""
    said = one_form(reply)
    spans, unended = _thought(said.text)
    places = sorted(said.span(*span) for span in spans if span[0] < span[1])
    thought = "\n".join(reply[slice(*place)] for place in places)
    thought = _RE["channel"].sub("", _RE["tag"].sub("", thought))
    if unended:
        return thought, None
    rest, at = [], 0
    for begin, end in places:
        rest.append(reply[at:begin])
        at = max(at, end)
    return thought, _RE["token"].sub("", "".join([*rest, reply[at:]]))


_FENCE = re.compile(r"^[ \t]{0,8}(?:'''|~~~)[\w+-]{0,20}[ \t]{0,8}$", re.MULTILINE)


def without_frames(said: ReplyText) -> ReplyText:
    """Return a reply without the signs of code fences, and without what it quotes where it says more."""
    signs = [match.span() for one in (_FENCE, _RE["inline"]) for match in one.finditer(said.text)]
    held = [
        match
        for one in (_RE["emphasis"], _RE["formula"], _RE["underlined"], _RE["placed"])
        for match in one.finditer(said.text)
    ]
    made = said.blanked(signs + [match.span(i) for match in held for i in (1, 2)])
    quotes = list(_RE["quoted"].finditer(made.text))
    if quotes and not made.text[quotes[-1].end() :].strip() and quotes[-1].start():
        before = made.text[: quotes[-1].start()].rstrip()  # a last line in a frame is no quotation of others
        own = before[-1:] != ":" and _RE["quoted"].match(before, before.rfind("\n") + 1) is None
        spans = [match.span() for match in quotes[:-1]] if own else [match.span() for match in quotes]
        frame = [(quotes[-1].start(), made.text.index(">", quotes[-1].start()) + 1)] if own else []
        quoted = made.blanked([*spans, *frame])
    else:
        quoted = made.blanked([match.span() for match in quotes])
    return quoted if quoted.text.strip() else made


DECORATION = " \t\r\n*_'\"()[]{}<>#~|"
ENDING = DECORATION + ".,;:!-$"


def folded(text: str) -> str:
    """Return the words of a text, letters and digits only."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text and where it begins."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    def trimmed(self, signs: str = " \t\r\n") -> "Piece":
        """Return the part without signs around it."""
        left = self.text.lstrip(signs)
        return Piece(left.rstrip(signs), self.start + len(self.text) - len(left))


MOST_LINES = 2000
"""Lines of a reply, from either end, that are looked at."""
LONGEST_LINE = 4000
"""Characters of a line, from either end, that are looked at."""


def lines_of(text: str) -> list[Piece]:
    """Return the lines that hold something."""
    found, start, lines = [], 0, text.split("\n")
    if len(lines) > 2 * MOST_LINES:  # those between are not looked at
        middle = lines[MOST_LINES:-MOST_LINES]
        lines[MOST_LINES:-MOST_LINES] = [" " * (sum(map(len, middle)) + len(middle) - 1)]
    for line in lines:
        if line.strip():
            found.append(Piece(line[:LONGEST_LINE], start).trimmed())
        if (
            len(line) > LONGEST_LINE and not line.isspace()
        ):  # what is said at its end counts, from a whole sentence on
            begin = max(LONGEST_LINE, len(line) - LONGEST_LINE)
            end = _RE["sentence_end"].search(line, begin)
            if end is not None and line[end.end() :].strip():
                found.append(Piece(line[end.end() :], start + end.end()).trimmed())
        start += len(line) + 1
    return found


def sentences_of(line: Piece) -> list[Piece]:
    """Divide a line into sentences; a dot after a number, a letter or a short form ends none."""
    found, begin = [], 0
    for match in _RE["ends"].finditer(line.text):
        head = line.text[begin : match.start()]
        short = match.group()[0] == "." and _RE["short"].search(head[-8:]) is not None
        rest = line.text[match.end() :]
        if short and rest.strip() and (not re.match(r"\s+[A-Z\"'(]", rest) or len(head.split()) < 2):
            continue
        found.append(Piece(line.text[begin : match.end()], line.start + begin).trimmed())
        begin = match.end()
    rest = line.text[begin:]
    if rest.strip():
        found.append(Piece(rest, line.start + begin).trimmed())
    return [one for one in found if one.text]

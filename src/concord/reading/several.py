"""Several answers in one reply: each is found by its item, and read like a reply of its own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from concord.errors import OptionError
from concord.files.text import normal_form
from concord.reading.choices import OrderOf
from concord.reading.forms import names_of
from concord.reading.marks import refuses
from concord.reading.numbers import AskedFor, SplitOf
from concord.reading.read import asked_by, asked_for, otherwise, read_form, read_piece, read_reply, spoken
from concord.reading.records import Reading, ReadOutcome
from concord.reading.structured import held_answer, judged, objects_in
from concord.reading.text import Piece, ReplyText, folded, lines_of, patterns, sentences_of
from concord.records import AnswerForm

_MOST_MARKS = 2000
"""Places that may name an item, of which the last ones are looked at."""
_LEAD = r"[ \t]*(?:[*_#>|\"'\-]{1,3}[ \t]{0,3}){0,4}"
_NUMBERED = (
    r"(?:(?:q|question|item|answer|part|frage|pregunta|domanda|问题|質問|질문)[ \t.#]{0,2})?#?"
    r"(\d{1,3})[*_\"']{0,3}(?:[.):](?=[\s*_\"']|$)|[ \t]{0,2}[-=:>](?=[\s*_\"']))[ \t*_\"']{0,6}"
)
_RE = patterns("several")
_ITEM_KEYS = ("item", "question", "id", "name", "key", "q", "number", "no", "nr")


def read_replies(text: str | None, asked: Mapping[str, Mapping[str, Any]]) -> dict[str, Reading]:
    """Read the answers to several items of one reply."""
    # An answer belongs to an item by the item's name or by its number, counted from 1 in the order of the
    # items: keys of a JSON object, lines such as ``1. A``, ``Q2: 5``, ``name: B``; or there is exactly one
    # line per item, each nothing but an answer. What an item's part says is read like a reply of its own.
    if not asked:
        raise OptionError("give what is asked, item by item")
    kinds = {name: asked_for(**given) for name, given in asked.items()}
    said = spoken(text)
    if isinstance(said, Reading):
        return dict.fromkeys(kinds, said)
    if len(kinds) == 1:
        return {name: read_piece(said, Piece(said.text, 0), kind) for name, kind in kinds.items()}
    found = _by_keys(said, kinds)
    if found is None:
        parts = parts_of(said.text, list(kinds), doubled=_no_lists(kinds.values())) or _line_each(said, kinds)
        found = {name: read_piece(said, part, kinds[name]) for name, part in parts.items()}
        found |= dict(_contradicted(said, parts, found, kinds))
    nothing = Reading(None, ReadOutcome.REFUSED if refuses(said.text) else ReadOutcome.UNREADABLE)
    whole = Piece(said.text, 0)
    return {
        name: found[name] if name in found else otherwise(said, whole, kind, nothing, about=name)
        for name, kind in kinds.items()
    }


def read_forms(forms: Sequence[AnswerForm], text: str | None) -> list[Reading]:
    """Read a reply to a prompt that asks for these answers, each by its mark or its number."""
    if len(forms) == 1:
        return [read_form(forms[0], text)]
    named = dict(zip(names_of(forms), forms, strict=True))
    asked = {name: kind for name, form in named.items() if (kind := asked_by(form))}
    if len(asked) == 1 and text is not None and (parts := named_parts(text, list(named))):
        found = {name: read_reply(parts.get(name), **kind) for name, kind in asked.items()}
    else:
        found = read_replies(text, asked) if asked else {}
    return [found[name] if name in found else read_form(form, text) for name, form in named.items()]


def _contradicted(
    said: ReplyText,
    parts: Mapping[str, Piece],
    found: Mapping[str, Reading],
    kinds: Mapping[str, AskedFor],
) -> Iterator[tuple[str, Reading]]:
    """Return the items that an earlier list answers in another way, where the last is not called final."""
    if not parts:
        return
    lines = said.text[: min(part.start for part in parts.values())].rsplit("\n", 1)
    earlier = parts_of(lines[0], list(kinds)) if len(lines) == 2 else {}
    if not earlier or _RE["final"].search(max(earlier.values(), key=lambda part: part.end).text):
        return
    for name, part in earlier.items():
        other = read_piece(said, part, kinds[name])
        if other.ok and found[name].ok and other.value != found[name].value:
            yield name, Reading(None, ReadOutcome.SEVERAL)


def named_parts(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return what follows each name and a colon in a reply, up to the next name."""
    return {name: part.text for name, part in parts_of(text, names, numbers=False).items()}


def parts_of(
    text: str, names: Sequence[str], *, numbers: bool = True, doubled: bool = True
) -> dict[str, Piece]:
    """Return the part of a text that belongs to each item; `doubled`: of several lists the last one counts.

    Names are looked for first, then numbers at the start of lines, then numbers within one line.
    """
    by_name = re.compile(
        rf"^{_LEAD}({'|'.join(re.escape(one) for one in sorted(names, key=len, reverse=True))})"
        r"[*_\"' \t]{0,6}[:=：][ \t*_\"']{0,6}",
        re.IGNORECASE | re.MULTILINE,
    )
    folded_names = {name.casefold(): i for i, name in enumerate(names)}
    marks = [(m.start(), m.end(), folded_names[m.group(1).casefold()]) for m in _marks_in(by_name, text)]
    if not marks and numbers:
        for pattern in (rf"^{_LEAD}{_NUMBERED}", rf"(?:^|(?<=[\s,;])){_NUMBERED}"):
            found = _marks_in(re.compile(pattern, re.IGNORECASE | re.MULTILINE), text)
            marks = [(m.start(), m.end(), int(m.group(1)) - 1) for m in found]
            marks = _one_list([mark for mark in marks if 0 <= mark[2] < len(names)], len(names), doubled)
            if len(marks) > 1:
                break
    ends = [mark[0] for mark in marks[1:]] + [len(text)]
    parts = {
        names[i]: Piece(text[start:end], start).trimmed(" \t\r\n,;")
        for (_, start, i), end in zip(marks, ends, strict=False)
    }
    return parts if len(marks) == len(parts) or not numbers else {}


def _marks_in(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return list(islice(pattern.finditer(text), _MOST_MARKS))


def _one_list(marks: list[tuple[int, int, int]], n: int, doubled: bool) -> list[tuple[int, int, int]]:
    """Return marks that count upwards once; of several complete lists the last one, if that may be."""
    runs: list[list[tuple[int, int, int]]] = []
    for mark in marks:
        if not runs or mark[2] <= runs[-1][-1][2]:
            runs.append([])
        runs[-1].append(mark)
    if len(runs) == 1:
        return runs[0]
    whole = [run for run in runs if len(run) == n]
    return whole[-1] if whole and doubled and whole[-1] is runs[-1] else []


def _no_lists(kinds: Any) -> bool:
    return not any(isinstance(kind, OrderOf | SplitOf) for kind in kinds)


def _line_each(said: ReplyText, kinds: Mapping[str, AskedFor]) -> dict[str, Piece]:
    """Return one line per item, where there are as many and each is nothing but an answer of its kind."""
    lines = lines_of(said.text)
    if len(lines) != len(kinds):
        return {}
    pairs = list(zip(kinds, lines, strict=True))
    if any(kinds[name].whole(line).outcome is ReadOutcome.UNREADABLE for name, line in pairs):
        return {}
    return dict(pairs)


def _by_keys(said: ReplyText, kinds: Mapping[str, AskedFor]) -> dict[str, Reading] | None:
    """Read the last object that has items for keys, or a list with as many answers; None without one."""
    for start, end, held in reversed(list(objects_in(said.text))):
        given = dict(_answers_held(held, list(kinds)))
        if not given:
            continue
        found = {}
        for name, value in given.items():
            kind = kinds[name]
            read = held_answer(value, kind) if isinstance(value, Mapping) else kind.structured(value)
            if read is not None:
                one = judged(read, kind, (start, end))
                ok = one.outcome is ReadOutcome.OK
                place = said.span(start, end) if ok else None
                found[name] = Reading(one.value, one.outcome, "structured" if ok else "", place, one.other)
        return found
    return None


def _answers_held(held: object, names: Sequence[str]) -> Iterator[tuple[str, object]]:
    """Return the value of each item that an object or a list holds."""
    if isinstance(held, Mapping):
        own = {key: item for key in held if (item := _item(key, names)) is not None}
        if own:
            yield from ((item, held[key]) for key, item in own.items())
        elif len(held) == 1:
            yield from _answers_held(next(iter(held.values())), names)
    elif isinstance(held, list) and len(held) == len(names):
        if not all(isinstance(one, Mapping) for one in held):
            yield from zip(names, held, strict=True)
            return
        for one in held:
            named = next((one[key] for key in one if str(key).casefold() in _ITEM_KEYS), None)
            item = None if named is None else _item(named, names)
            if item is None:
                return
            rest = {key: value for key, value in one.items() if str(key).casefold() not in _ITEM_KEYS}
            yield item, rest


def _item(key: object, names: Sequence[str]) -> str | None:
    """Return the item that a key names, or counts."""
    known = {folded(name): name for name in names}
    if folded(str(key)) in known:
        return known[folded(str(key))]
    number = _RE["key"].fullmatch(str(key).strip())
    place = 0 if number is None else int(number.group(1))
    return names[place - 1] if 0 < place <= len(names) else None


def affirmed(text: str | None, names: Sequence[str]) -> Reading:
    """Read which proper names a reply says, and does not deny; of none the value is empty."""
    said = spoken(text)
    if isinstance(said, Reading):
        return said
    places = {name: at for name in names if (at := next(_affirmed_at(said.text, name), None)) is not None}
    if not places:
        refused = refuses(said.text)
        return Reading(None, ReadOutcome.REFUSED) if refused else Reading((), ReadOutcome.OK)
    first = min(places, key=lambda name: places[name])
    where = said.span(places[first], places[first] + len(first))
    return Reading(tuple(places), ReadOutcome.OK, "bare", where)


def _affirmed_at(text: str, name: str) -> Iterator[int]:
    sought = re.compile(rf"(?<![^\W_]){re.escape(_plain_letters(name))}(?![^\W_])", re.IGNORECASE)
    for line in lines_of(text):
        sentences = sentences_of(line)
        following = [*(one.text for one in sentences[1:]), ""]
        for sentence, after in zip(sentences, following, strict=True):
            for match in sought.finditer(_plain_letters(sentence.text)):
                if _is_affirmed(sentence, match, after):
                    yield sentence.start + match.start()


def _is_affirmed(sentence: Piece, match: re.Match[str], after: str) -> bool:
    text = sentence.text
    if text[match.start()].islower():
        return False  # a word, and no name
    if text.rstrip("\"')*_ ").endswith("?") and _RE["no"].match(after):
        return False
    clause = _RE["turns"].split(_RE["doubted"].sub(" ", text[: match.start()]))[-1]
    return _RE["denied"].search(clause) is None


def _plain_letters(text: str) -> str:
    """Return a text of the same length without the marks on its letters."""
    return "".join((normal_form("NFKD", sign) or sign)[0] if not sign.isascii() else sign for sign in text)

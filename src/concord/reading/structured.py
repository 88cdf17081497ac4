"""Answers that a text holds as a whole: in an object, an element or a box, under a heading, or bare."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from concord.reading.choices import ChoiceOf, OrderOf
from concord.reading.marks import (
    HeadedLine,
    is_aside,
    is_certainty,
    is_own,
    is_reported,
    is_title,
    is_total,
    marks_of,
)
from concord.reading.names import LabelOf
from concord.reading.numbers import AskedFor, NumberOf, SplitOf, is_item, is_numbered
from concord.reading.records import NOTHING, Found, ReadOutcome, Value
from concord.reading.text import ENDING, Piece, elements, lines_of, patterns, words

_RE = patterns("structured")
_NEXT_WORDS = 40
"""Characters behind an answer in which it may be said whose it is."""
_MOST_OBJECTS = 40
_LONGEST_OBJECT = 20_000
_DEEPEST = 4
"""Objects inside each other that are looked into."""
LONGEST_LIST = 4_000
MOST_MARKS = 40
"""Objects and marks that are looked at: the last ones decide."""


def structured_answer(text: str, asked: AskedFor) -> tuple[int, Found | None]:
    """Read the last element, box, pair of brackets or object that holds an answer, and where it ends."""
    places: list[tuple[int, int, Found]] = []
    for element in elements(text):
        places.append((element.start, element.end, _inside(element, asked)))
    for pattern in (_RE["boxed"], _RE["double"]):
        for match in _unlisted(list(pattern.finditer(text))[-_MOST_OBJECTS:], text):
            found = _in_box(match.group(1), asked)
            place = (match.start(1), match.end(1))
            held_in = Found(found.outcome, found.value, place, found.other)
            places.append((match.start(), match.end(), held_in))
    for start, end, held in objects_in(text):
        found_value = held_answer(held, asked)
        if found_value is not None:
            places.append((start, end, judged(found_value, asked, (start, end))))
        elif _holds_several(held, asked):
            places.append((start, end, Found(ReadOutcome.SEVERAL)))
    if all(one[2].outcome is ReadOutcome.UNREADABLE for one in places):
        named = _of_any_name(text, asked)
        places = named if named else places
    last = max(places, key=lambda one: one[0], default=(0, 0, None))
    return last[1], last[2]


def _in_box(said: str, asked: AskedFor) -> Found:
    """Read what is in a box of TeX: as it is written, or a fraction or a power of ten."""
    plain = _RE["tex_space"].sub("", _RE["tex_words"].sub(r"\1", said)).replace("{,}", ",")  # 2{,}048
    plain = _RE["named_value"].sub("", plain)
    number = _RE["tex_number"].fullmatch(plain) if isinstance(asked, NumberOf) else None
    if number is None:
        return asked.stated(Piece(plain.replace("\\", ""), 0))
    sign, top, below, times, power = number.groups()
    if below is not None and float(below) == 0:
        return NOTHING
    value = float(top) / float(below) if below is not None else float(times) * 10.0 ** int(power)
    return judged(-value if sign else value, asked, (0, len(said)))


def _of_any_name(text: str, asked: AskedFor) -> list[tuple[int, int, Found]]:
    """Read the one element of any name, among the last of a reply, that is nothing but an answer."""
    # Orders and splits take several elements: names of places or of parts.
    found: list[tuple[int, int, Found]] = []
    matches = list(_RE["element"].finditer(text))[-_MOST_OBJECTS:]
    if isinstance(asked, OrderOf | SplitOf) and (several := _of_elements(matches, asked)):
        return several
    for match in matches:
        head = HeadedLine(match.group(1), Piece(match.group(3), match.start(3)).trimmed())
        read = None if is_certainty(head.heading) else under_heading(head, asked, of_any=True)
        if read is not None:
            found.append((match.start(), match.end(), read))
    values = {one[2].value for one in found if one[2].outcome is ReadOutcome.OK}
    after = _RE["element"].sub("", text[found[-1][1] :]) if found else ""
    return found[-1:] if len(values) <= 1 and not _RE["closing_tags"].sub("", after).strip() else []


def _of_elements(matches: Sequence[re.Match[str]], asked: OrderOf | SplitOf) -> list[tuple[int, int, Found]]:
    """Read an order or a split of which every part is an element."""
    if not matches:
        return []
    named = {match.group(1): match.group(3).strip() for match in matches}
    ranks = [_RE["digits"].search(match.group(2) or "") for match in matches]
    placed = sorted(zip(matches, ranks, strict=True), key=lambda pair: int(pair[1].group()) if pair[1] else 0)
    value = asked.structured(named) if len(named) == len(matches) else None
    if value is None and isinstance(asked, OrderOf):
        value = asked.structured([match.group(3).strip() for match, _ in placed])
    start, end = matches[0].start(), matches[-1].end()
    return [] if value is None else [(start, end, judged(value, asked, (start, end)))]


def _unlisted(marks: Sequence[re.Match[str]], text: str) -> list[re.Match[str]]:
    """Return brackets that are not a list of what could be answered: "[[A]], [[B]] or [[C]]"."""
    joined = [
        one.group(1) != other.group(1)
        and _RE["between"].fullmatch(text, one.end(), other.start()) is not None
        for one, other in zip(marks, marks[1:], strict=False)
    ]
    pairs = zip(marks, [False, *joined], [*joined, False], strict=False)
    return [mark for mark, before, after in pairs if not before and not after]


def _inside(piece: Piece, asked: AskedFor) -> Found:
    """Read the content of an element: marked or bare, or as the answer itself."""
    for mark in marks_of(piece.text):
        shifted = Piece(mark.content.text, piece.start + mark.content.start)
        found = asked.stated(shifted)
        if found.outcome is not ReadOutcome.UNREADABLE:
            return found
    trimmed = piece.trimmed()
    bare = bare_answer(trimmed.text, asked)
    if bare.outcome is not ReadOutcome.UNREADABLE:
        moved = None if bare.where is None else (bare.where[0] + trimmed.start, bare.where[1] + trimmed.start)
        return Found(bare.outcome, bare.value, moved, bare.other)
    return asked.stated(trimmed)


def judged(value: Value, asked: AskedFor, place: tuple[int, int]) -> Found:
    """Return an answer of an object, within its range."""
    if isinstance(asked, NumberOf) and isinstance(value, float):
        return asked._judged(value, place)
    other = isinstance(asked, LabelOf) and isinstance(value, str) and value not in asked.labels
    return Found(ReadOutcome.OK, value, place, other)


def objects_in(text: str) -> Iterator[tuple[int, int, object]]:
    """Return the objects and lists of JSON in a text, with their places."""
    decoder, at = json.JSONDecoder(), 0
    begins = [match.start() for match in _RE["begins"].finditer(text)]
    for start in sorted({*begins[:_MOST_OBJECTS], *begins[-_MOST_OBJECTS:]}):
        if start < at:
            continue
        try:
            held, end = decoder.raw_decode(text[start : start + _LONGEST_OBJECT])
        except (ValueError, RecursionError):
            loose = _loose_object(text, start)
            if loose is None:
                continue
            end, held = loose
        yield start, start + end, held
        at = start + end


def _loose_object(text: str, start: int) -> tuple[int, object] | None:
    """Return an object that is nearly JSON: with other quotes, bare keys, a comment or a comma too many."""
    flat = _RE["flat"].match(text, start)
    if flat is None:
        return None
    said = _RE["loose_comma"].sub("", _RE["comment"].sub("", flat.group()))
    said = said if '"' in said else said.replace("'", '"')
    try:
        return flat.end() - start, json.loads(_RE["loose_key"].sub(r'\1"\2"', said))
    except (ValueError, RecursionError):
        return None


def held_answer(held: object, asked: AskedFor, depth: int = 0) -> Value | None:
    """Return the answer that an object holds."""
    if isinstance(held, Mapping):
        if isinstance(asked, SplitOf | OrderOf):
            found = asked.structured(held)
            if found is not None:
                return found
        for value in _under_answer_keys(held):
            if isinstance(value, int | float) and isinstance(asked, LabelOf):
                continue  # the score of a name
            if isinstance(value, Mapping):
                return _named(value, asked, depth + 1) if depth < _DEEPEST else None
            alone = isinstance(value, list) and len(value) == 1 and not isinstance(asked, OrderOf)
            return asked.structured(value[0] if alone else value)
        return _only_answer(held, asked, depth)
    if isinstance(held, list) and isinstance(asked, OrderOf):
        return asked.structured(held)
    one = held[0] if isinstance(held, list) and len(held) == 1 else None
    return held_answer(one, asked, depth + 1) if isinstance(one, Mapping) and depth < _DEEPEST else None


def _holds_several(held: object, asked: AskedFor) -> bool:
    """Whether an object gives two or more answers where one is asked for: {"answer": ["A", "C"]}."""
    if not isinstance(held, Mapping) or not isinstance(asked, ChoiceOf | LabelOf | NumberOf):
        return False
    lists = (value[:_MOST_OBJECTS] for value in _under_answer_keys(held) if isinstance(value, list))
    return any(len({asked.structured(one) for one in value} - {None}) > 1 for value in lists)


def _under_answer_keys(held: Mapping[str, Any]) -> Iterator[Any]:
    """Return the values of an object under names of an answer, the usual names first."""
    known = {str(key).casefold().strip(): value for key, value in held.items()}
    titled = (key for key in known if is_title(key.replace("_", " ")))
    for key in (*(key for key in words()["answer_keys"] if key in known), *titled):
        yield known[key]


def _only_answer(held: Mapping[str, object], asked: AskedFor, depth: int) -> Value | None:
    """Return the one value of an object that can be the answer, under whatever name."""
    own = {
        key: value
        for key, value in held.items()
        if not is_certainty(str(key)) and not is_aside(str(key), of_choices=isinstance(asked, ChoiceOf))
    }
    inner = [value for value in own.values() if isinstance(value, Mapping)]
    if len(own) == len(inner) == 1 and depth < _DEEPEST:
        return held_answer(inner[0], asked, depth + 1)
    found = {key: one for key, value in own.items() if (one := asked.structured(value)) is not None}
    if isinstance(asked, LabelOf):
        alone = len(own) == 1
        found = {k: one for k, one in found.items() if one in asked.labels or (alone and _is_own(k, asked))}
    return next(iter(found.values())) if len(found) == 1 else None


def _named(held: Mapping[str, object], asked: AskedFor, depth: int) -> Value | None:
    """Return the answer of an object that is itself the value of an answer's key: the name in it."""
    known = {str(key).casefold().strip(): value for key, value in held.items()}
    inner = next((known[key] for key in words()["name_keys"] if key in known), None)
    return held_answer(held, asked, depth) if inner is None else asked.structured(inner)


def is_beside(head: HeadedLine, asked: AskedFor) -> bool:
    """Whether a heading is of something else than the answer; tickets and cases of labels have numbers."""
    heading = _RE["aside"].sub("", head.heading)  # "Pain (0 to 10)"
    heading = re.sub(r"[#\d]", "", heading) if isinstance(asked, LabelOf) else heading
    of_choices = isinstance(asked, ChoiceOf)
    return is_aside(heading, of_choices=of_choices) or (of_choices and asked.mentions(heading))


def under_heading(head: HeadedLine, asked: AskedFor, *, of_any: bool = False) -> Found | None:
    """Read what is under a heading that names an answer, and is nothing but one; None for anything else."""
    asks = isinstance(asked, ChoiceOf) and head.heading.rstrip(" *_").endswith("?")  # the question again
    if of_any or asks or _is_own(head.heading, asked):
        return _under(head, asked)
    if not isinstance(asked, ChoiceOf | LabelOf) or not is_own(head.heading, "headed_kinds", "headed_names"):
        return None
    found, named = _under(head, asked), len(head.content.text.strip(ENDING)) > 1  # "Type: A" is none
    return None if found is None or found.other or not named else found


def _is_own(heading: str, asked: AskedFor) -> bool:
    """Whether a heading, a key or the name of an element is that of an answer to what is asked."""
    kinds = {SplitOf: "headed_splits", LabelOf: "headed_names"}
    kind = kinds.get(type(asked), "headed")
    if isinstance(asked, NumberOf):
        kind = "headed_ratings" if asked.whole_only else "headed_numbers"
    return is_own(heading, kind) or is_certainty(heading)


def _under(head: HeadedLine, asked: AskedFor) -> Found | None:
    """Read what is nothing but an answer, under a heading or in an element that may have any name."""
    if is_beside(head, asked):
        return None
    found = asked.whole(head.content)
    if isinstance(asked, LabelOf) and found.outcome is ReadOutcome.UNREADABLE and head.bold:
        found = NOTHING if head.content.text[:1].islower() else asked.stated(head.content)
    if isinstance(asked, NumberOf) and is_total(head.heading) and found.value == asked.high:
        return None  # the total of what there is
    return found if found.outcome in (ReadOutcome.OK, ReadOutcome.OUT_OF_RANGE) else None


def bare_answer(text: str, asked: AskedFor) -> Found:
    """Read a reply, its first or its last line that is nothing but an answer; two that differ are several."""
    lines = lines_of(text)
    if not lines:
        return NOTHING
    if isinstance(asked, LabelOf):
        return _bare_name(lines, asked)
    if isinstance(asked, OrderOf | SplitOf):
        whole = asked.whole(Piece(text, 0).trimmed()) if len(text) <= LONGEST_LIST else NOTHING
        if whole.outcome is not ReadOutcome.UNREADABLE:
            return whole
    if isinstance(asked, NumberOf):
        several = sum(is_numbered(line.text) for line in lines) > 1
        said = [
            one
            for one in lines
            if not (several and is_numbered(one.text)) and not is_item(one.text, len(lines))
        ]
        if not said:
            return NOTHING
        lines = said
    first, last = (_meant(line, asked.whole(line)) for line in (lines[0], lines[-1]))
    if isinstance(asked, ChoiceOf) and len(lines) > 1:
        listed = [asked.is_listed(lines, place) for place in (0, len(lines) - 1)]
        if all(listed):
            return NOTHING if "%" in text else Found(ReadOutcome.SEVERAL)
        first, last = NOTHING if listed[0] else first, NOTHING if listed[1] else last
    if first.outcome is ReadOutcome.OK and last.outcome is ReadOutcome.OK and first.value != last.value:
        return Found(ReadOutcome.SEVERAL)
    if last.outcome is not ReadOutcome.UNREADABLE:
        return last
    return first


def _meant(line: Piece, found: Found) -> Found:
    """Return what a line says unless it is asked, or somebody else says it: "B?", '"B," he said'."""
    if found.outcome is not ReadOutcome.OK or found.where is None:
        return found
    rest = line.text[found.where[1] - line.start :]
    end = _RE["sentence_end"].search(rest)
    asks = end is not None and end.group() == "?"
    return NOTHING if asks or is_reported(rest.lstrip(ENDING)[:_NEXT_WORDS]) else found


def _bare_name(lines: list[Piece], asked: LabelOf) -> Found:
    """Read a reply of one line that is a name; of more lines the first or last that is one of the list."""
    if len(lines) == 1:
        return _meant(lines[0], asked.alone(lines[0]))
    found = [_meant(line, asked.whole(line)) for line in (lines[0], *lines[1:-1][-MOST_MARKS:], lines[-1])]
    values = {one.value for one in found if one.outcome is ReadOutcome.OK}
    if len(values) != 1:
        return NOTHING
    return found[-1] if found[-1].outcome is ReadOutcome.OK else found[0]

"""Reading a reply in a fixed order: without its thinking; structured, marked, bare; otherwise no answer."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from concord.errors import OptionError
from concord.files import limits
from concord.reading.choices import ChoiceOf
from concord.reading.labels import LabelOf
from concord.reading.marks import (
    AnswerMark,
    is_revised,
    is_title,
    marks_of,
    named_before,
    refuses,
    weak_marks,
)
from concord.reading.records import NOTHING, Found, Reading, ReadOutcome, Value
from concord.reading.second import ABSTAINED, HOW, SaidAnswer, active, place_of_quote
from concord.reading.text import (
    Piece,
    ReplyText,
    elements,
    lines_of,
    one_form,
    without_frames,
    without_thinking,
)
from concord.reading.values import AskedFor, CodesOf, NumberOf, OrderOf, SplitOf

LONGEST = limits.REPLY_CHARACTERS
"""Characters of a reply that is still read."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_KEYS = (
    "answer", "final_answer", "finalanswer", "final answer", "final", "choice", "option", "selected",
    "selection",
    "rating", "score", "value", "response", "verdict", "winner", "label", "diagnosis", "ranking", "rank",
    "order",
    "number", "estimate", "amount", "prediction", "decision", "result", "allocation", "split", "antwort",
    "respuesta", "réponse", "resposta", "risposta", "答案", "回答", "答え", "정답", "답", "ответ",
)  # fmt: skip
_ASIDE = (
    "reason",
    "explan",
    "thought",
    "think",
    "analysis",
    "confiden",
    "rationale",
    "justif",
    "comment",
    "note",
)
_BOXED = re.compile(r"\\boxed\s{0,2}\{((?:[^{}]|\{[^{}]{0,200}\}){0,400})\}")
_DOUBLE = re.compile(r"\[\[\s{0,2}([^\[\]\n]{1,80}?)\s{0,2}\]\]")
_BETWEEN = re.compile(r"\s{0,2}(?:,|/|or|and|oder|und|,\s?or|,\s?and){1,2}\s{0,2}", re.IGNORECASE)
_BEGINS = re.compile(r"[{\[](?=\s{0,20}[\"\[{\d])")
_MOST_LABELS = 60
"""Names that a second reader is told."""
_MOST_OBJECTS = 40
_LONGEST_OBJECT = 20_000
_LONGEST_LIST = 4_000
_DEEPEST = 4
"""Objects inside each other that are looked into."""
_NAME_KEYS = ("name", "primary", "main", "most_likely", "title")
"""Keys of the answer in an object that is the answer."""
_REVISED = 400
"""Characters after a statement in which it may be taken back."""
_MOST_MARKS = 40
"""Objects and marks that are looked at: the last ones decide."""

Words = str | Sequence[str]


def read_reply(
    text: str | None,
    *,
    choices: Mapping[str, Words] | Sequence[str] | None = None,
    number: tuple[float | None, float | None] | None = None,
    likert: tuple[int, int] | None = None,
    ranking: Mapping[str, Words] | Sequence[str] | None = None,
    split: tuple[float, Sequence[str] | Mapping[str, Words]] | None = None,
    labels: Sequence[Words] | Mapping[str, Words] | None = None,
    codes: Mapping[str, Words] | None = None,
    whole: bool = False,
) -> Reading:
    """Read the answer of a reply: structured, marked or bare, and otherwise none.

    Thinking is taken off first. Then an answer in a JSON object, an element or a box; then the last line or
    sentence that states one; then a reply, a first or a last line that is nothing but one. A denied,
    supposed or reported answer is none, and the only number or letter of a text is no answer by itself.

    Parameters
    ----------
    text
        The reply as it was given; ``None`` is empty.
    choices
        Options: letter to words (or several ways to say it), or a list, whose letters are A, B, …
    number
        Lowest and highest number, ``None`` where there is no end.
    likert
        Lowest and highest rating, whole numbers.
    ranking
        Names to bring into an order, with their words; or a list, whose names are A, B, …
    split
        A total, and the names that it is divided between.
    labels
        Names of which one is the answer, each alone or with its other names; a name outside them is
        an answer, too (``other``).
    codes
        Codes of free text, each with its words: 1 where one of them occurs in what is said, 0 where not.
    whole
        Only whole numbers are within the range of ``number``, or amounts of ``split``.

    Returns
    -------
    Reading
        ``value``, ``outcome``, ``how`` and ``where``.

    Raises
    ------
    OptionError
        None, or more than one, of what can be asked.

    Examples
    --------
    >>> read_reply("<think>B?</think> I'd go with **A**.", choices=["stay", "leave"])
    Reading(value='A', outcome=<ReadOutcome.OK: 'ok'>, how='marked', where=(32, 33), other=False)
    >>> read_reply("As a 34-year-old teacher, I would give half.", number=(0, 100)).outcome
    <ReadOutcome.UNREADABLE: 'unreadable'>
    """
    asked = asked_for(choices, number, likert, ranking, split, labels, codes, whole)
    said = spoken(text)
    return said if isinstance(said, Reading) else read_piece(said, Piece(said.text, 0), asked)


def spoken(text: str | None) -> ReplyText | Reading:
    """Return what a reply says once its thinking is taken off, or the reading of one that says nothing."""
    if text is None or not text.strip():
        return Reading(None, ReadOutcome.EMPTY)
    if len(text) > LONGEST:
        return Reading(None, ReadOutcome.UNREADABLE)
    said = without_thinking(one_form(text))
    if said is None:
        return Reading(None, ReadOutcome.TRUNCATED)
    if not said.text.strip():
        return Reading(None, ReadOutcome.EMPTY)
    return without_frames(said)


def read_piece(said: ReplyText, piece: Piece, asked: AskedFor) -> Reading:
    """Read the answer of a part of a reply."""
    how, found = _first_reading(piece.text, asked)
    if found.outcome is ReadOutcome.OK and found.where is not None:
        where = said.span(piece.start + found.where[0], piece.start + found.where[1])
        reading = Reading(found.value, found.outcome, how, where, found.other)
    else:
        refused = found.outcome is ReadOutcome.UNREADABLE and refuses(piece.text)
        reading = Reading(None, ReadOutcome.REFUSED if refused else found.outcome)
    return otherwise(said, piece, asked, reading)


def otherwise(said: ReplyText, piece: Piece, asked: AskedFor, reading: Reading, about: str = "") -> Reading:
    """Return a reading, or what a second reader makes of it where the rules abstain."""
    reader = active()
    key = None if reader is None else reader.meet(piece.text, asked_words(asked, about), reading)
    if reader is None or key is None or key not in reader.said:
        return reading
    made = _as_told(said, piece, asked, reader.said[key])
    if made is None:
        return reading
    reader.made[key] = made
    return made if reader.everything or reading.outcome in ABSTAINED else reading


def _as_told(said: ReplyText, piece: Piece, asked: AskedFor, told: SaidAnswer) -> Reading | None:
    """Return what a second reader's answer comes to; None where the reply cannot be quoted with it."""
    if told.outcome is not ReadOutcome.OK:
        return Reading(None, told.outcome)
    place, value = place_of_quote(piece.text, told.quote), asked.structured(told.answer)
    if place is None or value is None:
        return None
    found = judged(value, asked, place)
    if found.outcome is not ReadOutcome.OK:
        return Reading(None, found.outcome)
    where = said.span(piece.start + place[0], piece.start + place[1])
    return Reading(found.value, found.outcome, HOW, where, found.other)


def asked_words(asked: AskedFor, about: str = "") -> str | None:
    """Return in words what an answer is; None where no second reader is asked."""
    of = f" to {about!r}" if about else ""
    if isinstance(asked, ChoiceOf):
        return f"the letter or name of one of these options{of}:\n{_option_lines(asked.options)}"
    if isinstance(asked, NumberOf):
        low, high = ("any" if end is None else f"{end:g}" for end in (asked.low, asked.high))
        kind = "whole number" if asked.whole_only else "number"
        return f"a {kind}{of}, from {low} to {high}"
    if isinstance(asked, OrderOf):
        return f"a list of these letters or names, from first to last{of}:\n{_option_lines(asked.options)}"
    if isinstance(asked, SplitOf):
        names = ", ".join(asked.names)
        return f"an object with the amounts that {asked.total:g} is divided into{of}: {names}"
    if not isinstance(asked, LabelOf):
        return None
    if len(asked.labels) > _MOST_LABELS:
        return f"a name{of}, in the words of the reply"
    return f"one of these names{of}, or another name in the words of the reply:\n" + "\n".join(asked.labels)


def _option_lines(options: Mapping[str, tuple[str, ...]]) -> str:
    return "\n".join(f"{name}: {words[0]}" if words else name for name, words in options.items())


def asked_for(
    choices: Any = None,
    number: Any = None,
    likert: Any = None,
    ranking: Any = None,
    split: Any = None,
    labels: Any = None,
    codes: Any = None,
    whole: bool = False,
) -> AskedFor:
    """Return what is asked, by the one of these that is given."""
    given = [one for one in (choices, number, likert, ranking, split, labels, codes) if one is not None]
    if len(given) != 1:
        raise OptionError("give one of choices, number, likert, ranking, split, labels, codes")
    if choices is not None:
        return ChoiceOf(_lettered(choices))
    if number is not None:
        return NumberOf(number[0], number[1], whole)
    if likert is not None:
        return NumberOf(float(likert[0]), float(likert[1]), whole_only=True)
    if ranking is not None:
        return OrderOf(_lettered(ranking))
    if split is not None:
        total, names = split
        held = names if isinstance(names, Mapping) else dict.fromkeys(names, ())
        return SplitOf(float(total), {name: _several(words) for name, words in held.items()}, whole)
    if codes is not None:
        return CodesOf({name: _several(words) for name, words in codes.items()})
    if isinstance(labels, Mapping):
        return _label_of(tuple((name, _several(words)) for name, words in labels.items()))
    return _label_of(tuple((_several(one)[0], _several(one)[1:]) for one in labels))


@lru_cache(maxsize=32)
def _label_of(labels: tuple[tuple[str, tuple[str, ...]], ...]) -> LabelOf:
    """Return labels with the index of their names, which many replies share."""
    return LabelOf(dict(labels))


def _lettered(options: Mapping[str, Words] | Sequence[str]) -> dict[str, tuple[str, ...]]:
    held = options if isinstance(options, Mapping) else dict(zip(LETTERS, options, strict=False))
    return {letter: _several(words) for letter, words in held.items()}


def _several(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


def _first_reading(text: str, asked: AskedFor) -> tuple[str, Found]:
    """Return what the first rule finds that decides, and how: structured, marked, bare."""
    if isinstance(asked, CodesOf):
        return "bare", NOTHING if refuses(text) and not asked.mentions(text) else asked.whole(Piece(text, 0))
    at, structured = _structured(text, asked)
    for mark in islice(marks_of(text), _MOST_MARKS):
        if structured is not None and (mark.content.start < at or not mark.heads):
            break  # only a line below it that states another answer is later than an object
        found = _marked(text, mark, asked)
        if found is not None and (structured is None or found.outcome is ReadOutcome.OK):
            return "marked", found
    if structured is not None:
        return "structured", structured
    bare = _bare(text, asked)
    if isinstance(asked, LabelOf) and bare.outcome is ReadOutcome.UNREADABLE:
        return "marked", _pointed_to(text, asked)
    return "bare", bare


def _marked(text: str, mark: AnswerMark, asked: AskedFor) -> Found | None:
    """Read what a mark states; None where it does not decide."""
    content = mark.content
    if mark.in_words:
        found = asked.in_words(content) if isinstance(asked, ChoiceOf) else NOTHING
        return found if found.outcome is ReadOutcome.OK else None
    strictly = mark.loose and isinstance(asked, NumberOf)  # "it is 45 degrees outside"
    found = asked.whole(content.trimmed(" \t\r\n*_\"'")) if strictly else asked.stated(content)
    if mark.denied and not (isinstance(asked, LabelOf) and found.outcome is ReadOutcome.OK):
        return None
    if found.outcome is ReadOutcome.UNREADABLE and "\n" not in content.text:
        found = _below(text, content, asked) or found
    if found.outcome is ReadOutcome.OK and found.other and not mark.firm:
        return None  # "it is important": any words would be a name
    loose = mark.loose or (isinstance(asked, LabelOf) and not mark.firm)  # "Note: … was considered"
    if found.outcome is ReadOutcome.UNREADABLE and (loose or not asked.mentions(content.text)):
        return None
    after = text[content.end : content.end + _REVISED]
    taken_back = not mark.heads and is_revised(after) and asked.mentions(after)
    return NOTHING if taken_back else found


def _pointed_to(text: str, asked: LabelOf) -> Found:
    """Return the one name of the list that a reply says the case points to; two are none."""
    found = [asked.stated(mark.content) for mark in islice(weak_marks(text), _MOST_MARKS)]
    found += [asked.before(piece) for piece in islice(named_before(text), _MOST_MARKS)]
    known = [one for one in found if one.outcome is ReadOutcome.OK and not one.other]
    return known[-1] if len({one.value for one in known}) == 1 else NOTHING


def _below(text: str, content: Piece, asked: AskedFor) -> Found | None:
    """Read what is below a mark: an order or a split takes several lines."""
    if not isinstance(asked, OrderOf | SplitOf):
        return None
    found = asked.whole(Piece(text[content.start : content.start + _LONGEST_LIST], content.start).trimmed())
    return None if found.outcome is ReadOutcome.UNREADABLE else found


def _structured(text: str, asked: AskedFor) -> tuple[int, Found | None]:
    """Read the last element, box, pair of brackets or object that holds an answer, and where it ends."""
    places: list[tuple[int, int, Found]] = []
    for element in elements(text):
        places.append((element.start, element.end, _inside(element, asked)))
    for pattern in (_BOXED, _DOUBLE):
        for match in _unlisted(list(pattern.finditer(text))[-_MOST_OBJECTS:], text):
            plain = re.sub(r"\\(?:text|mathrm|textbf|mathbf)\s?\{([^{}]*)\}", r"\1", match.group(1))
            found = asked.stated(Piece(plain.replace("\\", ""), 0))
            place = (match.start(1), match.end(1))
            held_in = Found(found.outcome, found.value, place, found.other)
            places.append((match.start(), match.end(), held_in))
    for start, end, held in objects_in(text):
        found_value = held_answer(held, asked)
        if found_value is not None:
            places.append((start, end, judged(found_value, asked, (start, end))))
    last = max(places, key=lambda one: one[0], default=(0, 0, None))
    return last[1], last[2]


def _unlisted(marks: Sequence[re.Match[str]], text: str) -> list[re.Match[str]]:
    """Return brackets that are not a list of what could be answered: "[[A]], [[B]] or [[C]]"."""
    joined = [
        _BETWEEN.fullmatch(text, one.end(), other.start()) is not None
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
    bare = _bare(trimmed.text, asked)
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
    begins = [match.start() for match in _BEGINS.finditer(text)]
    for start in sorted({*begins[:_MOST_OBJECTS], *begins[-_MOST_OBJECTS:]}):
        if start < at:
            continue
        try:
            held, end = decoder.raw_decode(text[start : start + _LONGEST_OBJECT])
        except (ValueError, RecursionError):
            continue
        yield start, start + end, held
        at = start + end


def held_answer(held: object, asked: AskedFor, depth: int = 0) -> Value | None:
    """Return the answer that an object holds."""
    if isinstance(held, Mapping):
        if isinstance(asked, SplitOf | OrderOf):
            found = asked.structured(held)
            if found is not None:
                return found
        known = {str(key).casefold().strip(): value for key, value in held.items()}
        titled = (key for key in known if is_title(key.replace("_", " ")))
        for key in (*(key for key in _KEYS if key in known), *titled):
            value = known[key]
            if isinstance(value, Mapping):
                return _named(value, asked, depth + 1) if depth < _DEEPEST else None
            return asked.structured(value)
        rest = [value for key, value in known.items() if not any(word in key for word in _ASIDE)]
        return asked.structured(rest[0]) if len(rest) == 1 else None
    if isinstance(held, list) and isinstance(asked, OrderOf):
        return asked.structured(held)
    return None


def _named(held: Mapping[str, object], asked: AskedFor, depth: int) -> Value | None:
    """Return the answer of an object that is itself the value of an answer's key: the name in it."""
    known = {str(key).casefold().strip(): value for key, value in held.items()}
    inner = next((known[key] for key in _NAME_KEYS if key in known), None)
    return held_answer(held, asked, depth) if inner is None else asked.structured(inner)


def _bare(text: str, asked: AskedFor) -> Found:
    """Read a reply, its first or its last line that is nothing but an answer; two that differ are several."""
    lines = lines_of(text)
    if not lines:
        return NOTHING
    if isinstance(asked, LabelOf):
        return _bare_name(lines, asked)
    if isinstance(asked, OrderOf | SplitOf):
        whole = asked.whole(Piece(text, 0).trimmed()) if len(text) <= _LONGEST_LIST else NOTHING
        if whole.outcome is not ReadOutcome.UNREADABLE:
            return whole
    first, last = asked.whole(lines[0]), asked.whole(lines[-1])
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


def _bare_name(lines: list[Piece], asked: LabelOf) -> Found:
    """Read a reply of one line that is a name; of more lines the first or last that is one of the list."""
    if len(lines) == 1:
        return asked.alone(lines[0])
    found = [asked.whole(line) for line in (lines[0], *lines[1:-1][-_MOST_MARKS:], lines[-1])]
    values = {one.value for one in found if one.outcome is ReadOutcome.OK}
    if len(values) != 1:
        return NOTHING
    return found[-1] if found[-1].outcome is ReadOutcome.OK else found[0]

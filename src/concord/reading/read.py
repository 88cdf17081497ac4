"""Reading a reply in a fixed order: without its thinking; structured, marked, bare; otherwise no answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any

from concord.errors import OptionError
from concord.files import limits
from concord.reading.choices import ChoiceOf, OrderOf
from concord.reading.marks import (
    AnswerMark,
    headed_line,
    is_certainty,
    is_conditional,
    is_overall,
    is_retracted,
    is_revised,
    is_undecided,
    marks_of,
    named_before,
    refuses,
    revisions,
    weak_marks,
)
from concord.reading.names import LabelOf
from concord.reading.numbers import AskedFor, CodesOf, NumberOf, SplitOf
from concord.reading.records import NOTHING, Found, Reading, ReadOutcome
from concord.reading.second import ABSTAINED, HOW, SaidAnswer, active, place_of_quote
from concord.reading.structured import (
    LONGEST_LIST,
    MOST_MARKS,
    bare_answer,
    is_beside,
    judged,
    structured_answer,
    under_heading,
)
from concord.reading.text import (
    Piece,
    ReplyText,
    lines_of,
    one_form,
    patterns,
    without_frames,
    without_thinking,
)
from concord.records import AnswerForm

LONGEST = limits.REPLY_CHARACTERS
"""Characters of a reply that is still read."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_RE = patterns("turns")
_MOST_LABELS = 60
"""Names that a second reader is told."""
_REVISED = 400
"""Characters after a statement in which it may be taken back."""

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
    unit: str = "",
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
    unit
        Unit of ``number``: a number in another of its kind (miles where km are asked) is no answer.

    Examples
    --------
    >>> read_reply("<think>B?</think> I'd go with **A**.", choices=["stay", "leave"])
    Reading(value='A', outcome=<ReadOutcome.OK: 'ok'>, how='marked', where=(32, 33), other=False)
    >>> read_reply("As a 34-year-old teacher, I would give half.", number=(0, 100)).outcome
    <ReadOutcome.UNREADABLE: 'unreadable'>
    """
    asked = asked_for(choices, number, likert, ranking, split, labels, codes, whole, unit)
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
    how, read = _first_reading(piece.text, asked)
    found = _standing(piece.text, read, asked)
    if found.outcome is ReadOutcome.OK and found.where is not None:
        where = said.span(piece.start + found.where[0], piece.start + found.where[1])
        reading = Reading(found.value, found.outcome, how, where, found.other)
    else:
        outcome = found.outcome
        if outcome is ReadOutcome.UNREADABLE and refuses(piece.text):
            outcome = ReadOutcome.REFUSED
        elif outcome is ReadOutcome.UNREADABLE and piece.text.lstrip()[:1] == "{" and "}" not in piece.text:
            outcome = ReadOutcome.TRUNCATED  # an object that breaks off before it holds an answer
        reading = Reading(None, outcome)
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
    unit: str = "",
) -> AskedFor:
    """Return what is asked, by the one of these that is given."""
    given = [one for one in (choices, number, likert, ranking, split, labels, codes) if one is not None]
    if len(given) != 1:
        raise OptionError("give one of choices, number, likert, ranking, split, labels, codes")
    if choices is not None:
        return ChoiceOf(_lettered(choices))
    if number is not None:
        return NumberOf(number[0], number[1], whole, unit)
    if likert is not None:
        return NumberOf(float(likert[0]), float(likert[1]), whole_only=True)
    if ranking is not None:
        return OrderOf(_lettered(ranking))
    if split is not None:
        total, names = split
        held = names if isinstance(names, Mapping) else dict.fromkeys(names, ())
        return SplitOf(float(total), {name: _word_tuple(words) for name, words in held.items()}, whole)
    if codes is not None:
        return CodesOf({name: _word_tuple(words) for name, words in codes.items()})
    if isinstance(labels, Mapping):
        return _label_of(tuple((name, _word_tuple(words)) for name, words in labels.items()))
    return _label_of(tuple((_word_tuple(one)[0], _word_tuple(one)[1:]) for one in labels))


@lru_cache(maxsize=32)
def _label_of(labels: tuple[tuple[str, tuple[str, ...]], ...]) -> LabelOf:
    """Return labels with the index of their names, which many replies share."""
    return LabelOf(dict(labels))


def _lettered(options: Mapping[str, Words] | Sequence[str]) -> dict[str, tuple[str, ...]]:
    held = options if isinstance(options, Mapping) else dict(zip(LETTERS, options, strict=False))
    return {letter: _word_tuple(words) for letter, words in held.items()}


def _word_tuple(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


def _first_reading(text: str, asked: AskedFor) -> tuple[str, Found]:
    """Return what the first rule finds that decides, and how: structured, marked, bare."""
    if isinstance(asked, CodesOf):
        return "bare", NOTHING if refuses(text) and not asked.mentions(text) else asked.whole(Piece(text, 0))
    if isinstance(asked, OrderOf) and _RE["reversed"].search(text[:LONGEST_LIST]) is not None:
        return "", NOTHING
    at, structured = structured_answer(text, asked)
    marked = _last_marked(text, asked, at if structured is not None else None)
    if structured is not None:
        return ("structured", structured) if marked is None else ("marked", marked[1])
    headed = _headed(text, asked, marked)
    if headed is not None:
        return "marked", headed
    bare = bare_answer(text, asked)
    if isinstance(asked, LabelOf) and bare.outcome is ReadOutcome.UNREADABLE:
        return "marked", _pointed_to(text, asked)
    return "bare", bare


def _last_marked(text: str, asked: AskedFor, after: int | None) -> tuple[AnswerMark, Found] | None:
    """Return what the last mark states that decides; behind an object only a line that states an answer."""
    marks = islice(marks_of(text), MOST_MARKS)
    for mark in marks:
        if after is not None and (mark.content.start < after or not mark.heads):
            return None
        found = _marked(text, mark, asked)
        if found is not None and (after is None or found.outcome is ReadOutcome.OK):
            beside = list(islice(marks, 2)) if mark.in_person and not mark.loose else []
            twofold = _is_twofold(text, found, mark, beside, asked)
            return mark, Found(ReadOutcome.SEVERAL) if twofold else found
    return None


def _is_twofold(
    text: str, found: Found, mark: AnswerMark, marks: Sequence[AnswerMark], asked: AskedFor
) -> bool:
    """Whether a sentence states another answer before one, and does not turn from it: "here A; there B"."""
    for one in marks:
        between = text[one.content.start : mark.content.start]
        if one.loose or not one.in_person or _RE["turned"].search(between) is not None:
            return False
        other = _marked(text, one, asked)
        if other is not None and found.outcome is ReadOutcome.OK:
            return other.value != found.value
    return False


def _headed(text: str, asked: AskedFor, marked: tuple[AnswerMark, Found] | None) -> Found | None:
    """Return what a mark states, or a last (or first) line with a heading of its own: "Fine: €5,000"."""
    # The line is nothing but its heading and an answer. Another such line, or a statement, with another
    # answer leaves it open, unless its heading sums up: "Overall". How sure somebody is decides only where
    # nothing else could be the answer.
    said = [one for one in lines_of(text) if any(sign.isalnum() for sign in one.text)]
    lines = [*said[:1], *said[1:][-MOST_MARKS:]]
    own = [headed_line(line) for line in lines]
    while own and own[-1] is not None and is_certainty(own[-1].heading):
        own.pop()
    stated = None if marked is None else marked[1]
    if len(own) < len(lines) and marked is None:
        before = text[: lines[len(own)].start]
        if not asked.mentions(before) and next(marks_of(before), None) is None:
            sure = headed_line(lines[-1])
            return None if sure is None else under_heading(sure, asked)
    numbers = isinstance(asked, NumberOf)
    while len(own) > 1 and own[-1] is not None and not numbers and is_beside(own[-1], asked):
        own.pop()
    if isinstance(asked, LabelOf) and len(lines) == 1:  # alone, it is as sure as one that is emphasised
        own = [None if one is None else replace(one, bold=True) for one in own]
    held = [(one, found) for one in own if one is not None and (found := under_heading(one, asked))]
    if not held:
        return stated
    (head, found), rest = held[-1], text[held[-1][0].content.end :]
    if head is not own[-1]:
        only = len(held) == 1 and stated is None
        sums_up = head is own[0] and is_overall(head.heading)
        return found if only and (sums_up or not asked.mentions(rest)) else stated
    if marked is not None and (marked[0].content.start >= head.content.start or marked[0].heads):
        inside = marked[0].content.start >= head.content.start
        return stated if inside or not is_overall(head.heading) else found
    rivals = [one for one in own if one is not None and (head.item or not one.item)]
    rated = isinstance(asked, NumberOf) and asked.whole_only  # "Severity: 6, Probability: 2"
    others = [
        asked.whole(one.content) for one in rivals if rated or (numbers and _RE["kept"].search(one.heading))
    ]
    begin = text.rfind("\n\n", 0, head.content.start)  # lines of its paragraph rival it under any heading
    beside = (under_heading(one, asked, of_any=True) for one in rivals if one.content.start > begin)
    others += [*(one for line, one in held if line in rivals), asked.whole(lines[0])]
    others += [one for one in beside if one is not None]
    others += [] if stated is None else [stated]
    differ = any(one.outcome is ReadOutcome.OK and one.value != found.value for one in others)
    return Found(ReadOutcome.SEVERAL) if differ and not is_overall(head.heading) else found


def _standing(text: str, found: Found, asked: AskedFor) -> Found:
    """Return an answer unless what follows it takes it back: "no, 4", "wait", "I take that back"."""
    if found.outcome is not ReadOutcome.OK or found.where is None:
        return found
    after = text[found.where[1] : found.where[1] + _REVISED]
    if is_retracted(after) or (is_revised(after) and asked.others(after, found.value)):
        return NOTHING
    if isinstance(asked, NumberOf) and is_conditional(after):
        return NOTHING
    for place in revisions(after):
        other = asked.stated(Piece(after[place:], 0))
        if other.outcome is ReadOutcome.OK and other.value != found.value and not other.other:
            return NOTHING
    return found


def _marked(text: str, mark: AnswerMark, asked: AskedFor) -> Found | None:
    """Read what a mark states; None where it does not decide."""
    content = mark.content
    if mark.heads and is_undecided(content.text):
        return NOTHING
    if mark.in_words:
        found = asked.in_words(content) if isinstance(asked, ChoiceOf) else NOTHING
        return found if found.outcome is ReadOutcome.OK else None
    strictly = mark.loose and isinstance(asked, NumberOf)  # "it is 45 degrees outside"
    found = asked.whole(content.trimmed(" \t\r\n*_\"'")) if strictly else asked.stated(content)
    if mark.denied and not (isinstance(asked, LabelOf) and found.outcome is ReadOutcome.OK):
        return None
    if found.outcome is ReadOutcome.UNREADABLE and "\n" not in content.text:
        found = _below(text, content, asked) or found
    if found.outcome is ReadOutcome.OK and found.other and (not mark.firm or _is_foreign(text, found, asked)):
        return None  # "it is important": any words would be a name
    loose = mark.loose or (isinstance(asked, LabelOf) and not mark.firm)  # "Note: … was considered"
    if found.outcome is ReadOutcome.UNREADABLE and (loose or not asked.mentions(content.text)):
        return None
    return found


def _is_foreign(text: str, found: Found, asked: AskedFor) -> bool:
    """Whether a reply is in another language than the names: one outside the list may be one of it."""
    start, end = found.where if found.where is not None else (0, 0)
    rest = text[max(0, start - LONGEST_LIST) : start] + text[end : end + LONGEST_LIST]
    letters = (sign for sign in rest if sign.isalpha() and not sign.isascii())
    return isinstance(asked, LabelOf) and asked.is_ascii and next(letters, None) is not None


def _pointed_to(text: str, asked: LabelOf) -> Found:
    """Return the one name of the list that a reply says the case points to; two are none."""
    found = [
        asked.stated(mark.content)
        for mark in islice(weak_marks(text), MOST_MARKS)
        if not asked.named(
            text[max(0, mark.content.start - 20) : mark.content.start]
        )  # "support" may be a name
    ]
    found += [asked.before(piece) for piece in islice(named_before(text), MOST_MARKS)]
    known = [one for one in found if one.outcome is ReadOutcome.OK and not one.other]
    known = [one for one in known if one.where is None or not _is_turned(text[one.where[1] :], one, asked)]
    return known[-1] if len({one.value for one in known}) == 1 else NOTHING


def _is_turned(after: str, found: Found, asked: LabelOf) -> bool:
    """Whether "but" and another name follow."""
    but = _RE["but"].search(after[:LONGEST_LIST])
    return but is not None and asked.others(after[but.end() : LONGEST_LIST], found.value)


def _below(text: str, content: Piece, asked: AskedFor) -> Found | None:
    """Read what is below a mark: an order or a split takes several lines."""
    if not isinstance(asked, OrderOf | SplitOf):
        return None
    found = asked.whole(Piece(text[content.start : content.start + LONGEST_LIST], content.start).trimmed())
    return None if found.outcome is ReadOutcome.UNREADABLE else found


AGAIN_AFTER = (ReadOutcome.UNREADABLE, ReadOutcome.SEVERAL, ReadOutcome.OUT_OF_RANGE)
"""After these an answer is asked for once more. A refusal is an answer of its kind; a reply that is cut or
empty is no answer of this conversation: it is asked anew, with more tokens, by ``--again``."""


def read_form(form: AnswerForm, text: str | None) -> Reading:
    """Read a reply to a prompt that asks for this answer."""
    asked = asked_by(form)
    if asked:
        return read_reply(text, **asked)
    said = "" if text is None else text.strip()
    return Reading(said, ReadOutcome.OK) if said else Reading(None, ReadOutcome.EMPTY)


def asked_by(form: AnswerForm) -> dict[str, Any]:
    """Return what `read_reply` is asked for a form; nothing where any words are the answer."""
    names = dict(form.names)
    kinds: dict[str, dict[str, Any]] = {
        "choice": {"choices": names},
        "number": {"number": (form.low, form.high), "whole": form.whole, "unit": form.unit},
        "ranking": {"ranking": names},
        "split": {"split": (0.0 if form.total is None else form.total, names)},
        "label": {"labels": names},
    }
    return kinds.get(form.kind, {})


def asks_again(outcomes: Sequence[str]) -> bool:
    """Whether the answers of a reply are asked for once more; never after a refusal."""
    return str(ReadOutcome.REFUSED) not in outcomes and any(one in AGAIN_AFTER for one in outcomes)


def both(first: str, second: str, form: AnswerForm) -> str:
    """Return a reply and the answer that was asked for after it as one text: its last line is the answer."""
    said = second.strip()
    found, marked = read_form(form, said), f"{form.mark}: {said}"
    surely = found.ok and found.how != "bare"
    last = marked if not surely and read_form(form, marked).ok else said
    return f"{first.rstrip()}\n\n{last}"

"""One verdict in terms of the answers, and the words in which judges name a seat or a winner."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from concord.files.declared import BadRowError, DeclaredTable, Row
from concord.files.text import vocabulary
from concord.reading import StoredReading, read_reply, stored_reading
from concord.reading.second import active

A, B, TIE, UNREADABLE = "a", "b", "tie", ""
AB, BA, UNORDERED = "ab", "ba", ""
PROMPT = "\x1f"
"""Between a judge's model and the prompt that it was given."""
FIRST, SECOND, EVEN = 0, 1, 2
"""Seats, and neither."""
_HELD = vocabulary()["judges"]
_SEATS = {sign: seat for seat, signs in enumerate(_HELD["signs"].values()) for sign in signs.split()}
VERDICTS: dict[str, tuple[str, ...]] = {sign: tuple(_HELD["said"].get(sign, ())) for sign in _SEATS}
"""What a judge may say: signs of a verdict, with the words that mean the same."""
_OTHER_WORDS = {
    word: seat
    for seat, name in ((FIRST, "first"), (SECOND, "second"), (EVEN, "tie"))
    for word in vocabulary()["cells"][name].split()
}
"""Verdicts in other languages, as cells hold them; replies are read in English."""
_NO_VERDICT = tuple(_HELD["none"].split())
_MOST_CODE_WORDS = 5
"""Words of a cell that holds a code; a longer one is a reply."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """One verdict, in terms of the answers."""

    judge: str
    pair: str
    order: str
    """`AB`, `BA` or `UNORDERED`."""
    verdict: str | None
    """`A`, `B`, `TIE`, `UNREADABLE`; ``None`` where a row holds people's verdicts alone."""
    model_a: str = "A"
    model_b: str = "B"
    cluster: str = ""
    length_a: float | None = None
    length_b: float | None = None
    human: tuple[str, ...] = ()
    said: str = ""
    """The cell in which the verdict was read: a reply, or a code."""
    labelled: bool = False
    """Whether ``human`` is the label of a data set, which no person need have given."""


RowReader = Callable[[Row, str], Iterator[Ballot]]
"""From a row, by plain titles, and the judge's name where none is given, to ballots."""


@dataclass(frozen=True, slots=True)
class VerdictForm:
    """A form in which verdicts are recorded."""

    fits: Callable[[frozenset[str]], bool]
    """Whether a file with these columns, in small letters, has the form."""
    reader: Callable[[DeclaredTable, Sequence[Row]], RowReader]
    """What reads its rows, once all of them were seen."""
    notes: Callable[[Sequence[Row]], list[str]] = lambda rows: []
    """What a user should know about how it was read."""


def bare_word(value: object) -> str:
    """Return a verdict without brackets around it, in small letters."""
    text = str(value).strip()
    inner = text.strip("[]")
    text = inner if "[" not in inner and "]" not in inner else text
    return " ".join(text.replace("_", " ").casefold().split())


def said_seat(reply: str) -> int | None:
    """Read a judge's reply: the seat that it prefers, `EVEN` for neither, ``None`` where it says none."""
    return _seat_by_rules(reply) if active() is None else _seat_of_reply(reply)


def _seat_of_reply(reply: str) -> int | None:
    reading = read_reply(reply, choices=VERDICTS)
    return _SEATS[str(reading.value)] if reading.ok else None


_seat_by_rules = lru_cache(maxsize=256)(_seat_of_reply)
"""Tables of thousands of votes hold a few words; what a second reader says is of one scoring only."""


def stored_verdict(trial: str, reply: str) -> StoredReading:
    """Return the row of a judge's reply: the seat that it prefers, in a word."""
    reading = read_reply(reply, choices=VERDICTS)
    words = ("first", "second", "tie")[_SEATS[str(reading.value)]] if reading.ok else ""
    return stored_reading(trial, reply, reading, words=words)


def named_seat(value: object) -> int | None:
    """Return the seat that a cell names, `EVEN` for neither, ``None`` where it is no known word."""
    # A zero is none: of verdicts 0 and 1 it would be the first seat, of 0, 1 and 2 neither.
    if is_reply(value):
        return said_seat(str(value))
    word = bare_word(value)
    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    return EVEN if is_tie(word) else None if word == "0" else said_seat(str(value).replace("_", " "))


def is_tie(value: object) -> bool:
    """Return whether a word calls a pair even, such as ``tie`` or ``tie (bothbad)``."""
    word = bare_word(value)
    return word == "c" or word in VERDICTS["0"] or (word.startswith("tie") and not is_reply(word))


def is_reply(value: object) -> bool:
    """Return whether a cell holds what a judge said in its own words, rather than a code."""
    return len(str(value).split()) > _MOST_CODE_WORDS


def is_unreadable(value: object) -> bool:
    """Return whether a verdict says that there is none, or is a reply in which none can be read."""
    return (
        value is None
        or bare_word(value) in ("", *_NO_VERDICT)
        or (is_reply(value) and named_seat(value) is None)
    )


def seat_verdict(seat: int, order: str) -> str:
    """Return the answer that was in a seat."""
    return (A, B, TIE)[seat] if order != BA else (B, A, TIE)[seat]


def sorted_ballot(one: Ballot) -> Ballot:
    """Name a pair by its question and its models in the order of their names, so that files join."""
    if one.model_b < one.model_a:
        other = {A: B, B: A}
        one = replace(
            one,
            model_a=one.model_b,
            model_b=one.model_a,
            length_a=one.length_b,
            length_b=one.length_a,
            order={AB: BA, BA: AB}.get(one.order, one.order),
            verdict=None if one.verdict is None else other.get(one.verdict, one.verdict),
            human=tuple(other.get(said, said) for said in one.human),
        )
    return replace(one, pair=f"{one.pair} · {one.model_a} / {one.model_b}")


def needed_word(row: Row, key: str) -> str:
    """Return a cell that must be there."""
    value = row.get(key)
    if value is None or not str(value).strip():
        raise BadRowError(key, value, "a value")
    return str(value).strip()

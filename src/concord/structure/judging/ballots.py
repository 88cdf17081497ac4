"""One verdict in terms of the answers, and the words in which judges name a seat or a winner."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from concord.errors import FileFormatError
from concord.files.grids import plain_title
from concord.structure.read.rows import NamedRows, Row

A, B, TIE, UNREADABLE = "a", "b", "tie", ""
AB, BA, UNORDERED = "ab", "ba", ""
PROMPT = "\x1f"
"""Between a judge's model and the prompt that it was given."""
FIRST, SECOND, EVEN = 0, 1, 2
"""Seats, and neither."""
_ROLES = ("", "assistant ", "answer ", "response ", "model ", "output ", "option ")
_SEATS = {
    **{f"{role}{letter}": seat for role in _ROLES for letter, seat in (("a", FIRST), ("b", SECOND))},
    **{f"{role}{number}": seat for role in _ROLES for number, seat in (("1", FIRST), ("2", SECOND))},
    "first": FIRST, "1st": FIRST, "a>b": FIRST, "a>>b": FIRST, "b<a": FIRST,
    "second": SECOND, "2nd": SECOND, "b>a": SECOND, "b>>a": SECOND, "a<b": SECOND,
}  # fmt: skip
_EVEN = (
    "tie", "c", "draw", "equal", "a=b", "b=a", "a==b", "both", "neither", "same", "no preference",
    "equally good", "both equally good", "both are equally good", "about the same", "equal quality",
)  # fmt: skip
_BETTER = re.compile(
    r"(?:assistant |answer |response |model |output |option )?([ab12])(?: is| was)?"
    r"(?: much| far| slightly| clearly| marginally| a bit| a little)? (?:better|wins|won|preferred)\.?"
)
"""A verdict as a sentence: "Response B is slightly better"."""
_NO_VERDICT = ("unreadable", "none", "error", "null", "nan", "n/a", "invalid")
_MARKED = re.compile(r"\[\[\s*([^\[\]]{1,20}?)\s*\]\]")
_BRACKETS = re.compile(r"^\[*\s*(.*?)\s*\]*$")


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


RowReader = Callable[[Row, str, str], Iterator[Ballot]]
"""From a row, its place in words and the judge's name where none is given, to ballots."""


@dataclass(frozen=True, slots=True)
class VerdictForm:
    """A form in which verdicts are recorded."""

    fits: Callable[[frozenset[str]], bool]
    """Whether a file with these columns, in small letters, has the form."""
    reader: Callable[[NamedRows], RowReader]
    """What reads its rows, once all of them were seen."""
    notes: Callable[[Sequence[Row]], list[str]] = lambda rows: []
    """What a user should know about how it was read."""


def bare_word(value: object) -> str:
    """Return a verdict without its brackets, in small letters; of a longer text the last ``[[mark]]``."""
    text = str(value).strip()
    marks = _MARKED.findall(text)
    if marks:
        return str(marks[-1]).casefold()
    match = _BRACKETS.match(text)
    return " ".join((match.group(1) if match else text).replace("_", " ").casefold().split())


def named_seat(value: object) -> int | None:
    """Return the seat that a verdict names, `EVEN` for neither, ``None`` where it is no known word."""
    word = bare_word(value)
    if is_tie(word):
        return EVEN
    seat = _SEATS.get(word, _SEATS.get(word.replace(" ", "")))
    sentence = None if seat is not None else _BETTER.fullmatch(word)
    return seat if sentence is None else _SEATS[sentence[1]]


def is_tie(value: object) -> bool:
    """Return whether a word calls a pair even, such as ``tie`` or ``tie (bothbad)``."""
    word = bare_word(value)
    return word in _EVEN or word.startswith("tie")


def is_unreadable(value: object) -> bool:
    """Return whether a verdict says that there is none."""
    return value is None or bare_word(value) in ("", *_NO_VERDICT)


def seat_verdict(seat: int, order: str) -> str:
    """Return the answer that was in a seat."""
    return (A, B, TIE)[seat] if order != BA else (B, A, TIE)[seat]


def sorted_ballot(
    judge: str,
    question: str,
    models: tuple[str, str],
    order: str,
    verdict: str | None,
    *,
    cluster: str = "",
    lengths: tuple[float | None, float | None] = (None, None),
    human: tuple[str, ...] = (),
) -> Ballot:
    """Name a pair by its question and its models in the order of their names, so that files join."""
    if models[1] < models[0]:
        other = {A: B, B: A}
        models, lengths = (models[1], models[0]), (lengths[1], lengths[0])
        order = {AB: BA, BA: AB}.get(order, order)
        verdict = None if verdict is None else other.get(verdict, verdict)
        human = tuple(other.get(one, one) for one in human)
    pair = f"{question} · {models[0]} / {models[1]}"
    return Ballot(judge, pair, order, verdict, *models, cluster, *lengths, human)


def needed_word(row: Row, key: str, place: str) -> str:
    """Return a cell that must be there."""
    value = row.get(key)
    if value is None or not str(value).strip():
        raise FileFormatError(f"{place}: no {key!r}")
    return str(value).strip()


def small_keys(row: Mapping[str, object]) -> dict[str, object]:
    """Return a row with its columns' names in small letters, words joined by bars."""
    return {plain_title(str(key)): value for key, value in row.items()}

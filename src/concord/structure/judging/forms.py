"""Recorded verdicts in the forms that are around, row by row to ballots.

FastChat writes both orders of a pair into one row (``g1_winner``, ``g2_winner``); its published votes, of
people and of judges, have one verdict per row and no order (``winner`` beside ``model_a``); AlpacaEval has a
``preference`` beside ``output_1``; a plain table names ``pair``, ``order`` and ``verdict`` or ``winner``.
"""

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from concord.errors import FileFormatError
from concord.files.limits import listed, quoted
from concord.structure.named_rows import Row

A, B, TIE, UNREADABLE = "a", "b", "tie", ""
AB, BA, UNORDERED = "ab", "ba", ""
PROMPT = "\x1f"
"""Between a judge's model and the prompt that it was given."""
_SEATS = {"first": 0, "1": 0, "second": 1, "2": 1, "a": 0, "b": 1, "tie": 2, "c": 2, "draw": 2, "equal": 2}
_ORDERS = {"ab": AB, "ba": BA, "a first": AB, "b first": BA, "1": AB, "2": BA, "0": AB, "swapped": BA}
_NAMES = {
    "pair": ("pair", "item", "id", "question_id"),
    "judge": ("judge", "annotator", "model"),
    "order": ("order",),
    "verdict": ("verdict",),
    "winner": ("winner",),
    "model_a": ("model_a",),
    "model_b": ("model_b",),
    "answer_a": ("answer_a",),
    "answer_b": ("answer_b",),
    "length_a": ("length_a",),
    "length_b": ("length_b",),
    "cluster": ("cluster", "question"),
}
_BRACKETS = re.compile(r"^\[*\s*(.*?)\s*\]*$")
_SWITCHED = re.compile(r"^is_switch(ed)?_output_\d_output_\d$")


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


Form = Callable[[Row, str, str], Iterator[Ballot]]
"""From a row, its place in words and the judge's name where none is given, to ballots."""


def form_of(row: Row, place: str) -> Form:
    """Recognise the form of a file by its first row.

    Raises
    ------
    FileFormatError
        It is none of those that are known.
    """
    keys = {str(key).strip().casefold() for key in row}
    if {"g1_winner", "g2_winner"} <= keys:
        return fastchat_pair
    if {"preference", "output_1", "output_2"} <= keys:
        return alpaca_eval
    if {"winner", "model_a", "model_b", "question_id"} <= keys and "order" not in keys:
        return fastchat_vote
    if keys & {"verdict", "winner"} and keys & set(_NAMES["pair"]):
        return plain_vote
    raise FileFormatError(
        f"{place}: found the columns {listed(sorted(keys))}; expected pair, order and verdict (first, "
        "second, tie) or winner (a, b, tie), or a pair file of FastChat, or annotations of AlpacaEval"
    )


def fastchat_pair(row: Row, place: str, judge: str) -> Iterator[Ballot]:
    """Read both orders of a pair: ``g1`` has model_1 in the first seat, ``g2`` model_2."""
    models = (_word(row, "model_1", place), _word(row, "model_2", place))
    named = {"model_1": 0, "model_2": 1, "tie": 2, "error": 3}
    who = _fastchat_judge(row, judge)
    for order, key in ((AB, "g1_winner"), (BA, "g2_winner")):
        winner = str(row[key]).strip()
        if winner not in named:
            raise FileFormatError(f"{place}: {key!r} is {quoted(winner)}, expected {', '.join(named)}")
        yield _sorted(who, _question(row, place), models, order, (A, B, TIE, UNREADABLE)[named[winner]], row)


def fastchat_vote(row: Row, place: str, judge: str) -> Iterator[Ballot]:
    """Read one published vote; an inconsistent tie is a tie, since its order is not recorded."""
    models = (_word(row, "model_a", place), _word(row, "model_b", place))
    winner = str(row["winner"]).strip().casefold()
    found = {"model_a": A, "model_b": B}.get(winner, TIE if winner.startswith("tie") else None)
    if found is None:
        raise FileFormatError(
            f"{place}: 'winner' is {quoted(row['winner'])}, expected model_a, model_b or tie"
        )
    yield _sorted(_fastchat_judge(row, judge), _question(row, place), models, UNORDERED, found, row)


def _sorted(judge: str, question: str, models: tuple[str, str], order: str, verdict: str, row: Row) -> Ballot:
    """Name a pair by its question and its models in the order of their names, so that files join."""
    swap = models[1] < models[0]
    first, second = reversed(models) if swap else models
    lengths = (_conversation(row, "conversation_a"), _conversation(row, "conversation_b"))
    if swap:
        order = {AB: BA, BA: AB}.get(order, order)
        verdict = {A: B, B: A}.get(verdict, verdict)
        lengths = (lengths[1], lengths[0])
    pair = f"{question} · {first} / {second}"
    return Ballot(judge, pair, order, verdict, first, second, question.partition(" turn ")[0], *lengths)


def _conversation(row: Row, key: str) -> float | None:
    """Count the characters of a model's messages in a conversation."""
    messages = row.get(key)
    if not isinstance(messages, list):
        return None
    said = [one.get("content") for one in messages if isinstance(one, Mapping) and one.get("role") != "user"]
    return float(sum(len(str(text)) for text in said)) if said else None


def _question(row: Row, place: str) -> str:
    turn = row.get("turn")
    question = _word(row, "question_id", place)
    return question if turn is None else f"{question} turn {turn}"


def _fastchat_judge(row: Row, judge: str) -> str:
    found = row.get("judge")
    if isinstance(found, list | tuple):
        return PROMPT.join(str(part) for part in found)
    return judge if found is None or not str(found).strip() else str(found).strip()


def alpaca_eval(row: Row, place: str, judge: str) -> Iterator[Ballot]:
    """Read an annotation: 1 prefers output_1, 2 prefers output_2, 1.5 or 0 is a draw, nothing is unreadable.

    AlpacaEval draws the order of the outputs and drops it when it writes; where the column with it was kept,
    the order is known.
    """
    lacking = [name for name in ("output_1", "output_2", "preference") if name not in row]
    if lacking:
        raise FileFormatError(f"{place}: no {lacking[0]!r}, expected an annotation of AlpacaEval")
    instruction = str(row.get("instruction", "")).strip()
    first, second = str(row["output_1"]), str(row["output_2"])
    code = hashlib.sha256(instruction.encode("utf-8", "replace")).hexdigest()[:8]
    words = " ".join(instruction.split())
    models = (str(row.get("generator_1", "A")), str(row.get("generator_2", "B")))
    switched = [row[key] for key in row if _SWITCHED.match(str(key))]
    order = UNORDERED if not switched else BA if switched[0] in (True, 1, "True", "true", "1") else AB
    swap = models[1] < models[0]
    verdict = _alpaca_verdict(row["preference"], place)
    if swap:
        models, first, second = (models[1], models[0]), second, first
        verdict, order = {A: B, B: A}.get(verdict, verdict), {AB: BA, BA: AB}.get(order, order)
    yield Ballot(
        str(row.get("annotator", "")).strip() or judge,
        f"{words[:40]} #{code} · {models[0]} / {models[1]}",
        order,
        verdict,
        *models,
        f"#{code}",
        float(len(first)),
        float(len(second)),
    )


def _alpaca_verdict(value: object, place: str) -> str:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return UNREADABLE
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if number == 0 or number == 1.5:
        return TIE
    if not 1 <= number <= 2:
        raise FileFormatError(f"{place}: 'preference' is {quoted(value)}, expected a number from 1 to 2")
    return A if number < 1.5 else B  # a weighted preference counts for the side it leans to


def plain_vote(row: Row, place: str, judge: str) -> Iterator[Ballot]:
    """Read a row of a plain table: a seat in ``verdict``, or an answer in ``winner``."""
    cells = {str(key).strip().casefold(): value for key, value in row.items()}
    found = {name: _first(cells, names) for name, names in _NAMES.items()}
    pair = found["pair"]
    if pair is None:
        raise FileFormatError(f"{place}: a row names no pair")
    order = _known_order(found["order"], place)
    models = (_named_model(found, "model_a", "A"), _named_model(found, "model_b", "B"))
    yield Ballot(
        judge if found["judge"] is None else str(found["judge"]),
        str(pair),
        order,
        _plain_verdict(found, order, models, place),
        *models,
        "" if found["cluster"] is None else str(found["cluster"]),
        _length(found, "a", place),
        _length(found, "b", place),
        tuple(human_verdicts(cells, models, place)),
    )


def _named_model(found: Mapping[str, object], key: str, usual: str) -> str:
    return usual if found[key] is None else str(found[key])


def human_verdicts(cells: Mapping[str, Any], models: tuple[str, ...], place: str) -> Iterator[str]:
    """Return people's verdicts: every column whose name begins with ``human``, several joined by ``;``."""
    for key, value in cells.items():
        if key.startswith("human") and value is not None:
            for part in str(value).split(";"):
                if part.strip():
                    yield _winning_answer(part, models, f"{place}, column {key!r}")


def _first(cells: Mapping[str, Any], names: tuple[str, ...]) -> object:
    """Return the first column that is there and not empty."""
    for name in names:
        value = cells.get(name)
        if value is not None and str(value).strip() and not (isinstance(value, float) and math.isnan(value)):
            return str(value).strip() if isinstance(value, str) else value
    return None


def _known_order(value: object, place: str) -> str:
    if value is None:
        return UNORDERED
    found = _ORDERS.get(str(value).casefold())
    if found is None:
        raise FileFormatError(f"{place}: 'order' is {quoted(value)}, expected ab or ba")
    return found


def _plain_verdict(
    found: Mapping[str, object], order: str, models: tuple[str, ...], place: str
) -> str | None:
    if found["winner"] is not None:
        return _winning_answer(str(found["winner"]), models, place)
    if found["verdict"] is None:
        return UNREADABLE
    word = _bare(str(found["verdict"]))
    seat = _SEATS.get(word)
    if word in ("unreadable", "none", "error"):
        return UNREADABLE
    if seat is None:
        raise FileFormatError(
            f"{place}: 'verdict' is {quoted(found['verdict'])}, expected first, second or tie"
        )
    if order == UNORDERED and seat < 2:
        raise FileFormatError(f"{place}: 'verdict' names a seat, and 'order' does not say who was in it")
    return (A, B, TIE)[seat] if order != BA else (B, A, TIE)[seat]


def _winning_answer(value: str, models: tuple[str, ...], place: str) -> str:
    """Read who won: a, b, tie, or the model's name."""
    word = _bare(value)
    named = {models[0].casefold(): A, models[1].casefold(): B, "model_a": A, "model_b": B}
    found = {"a": A, "b": B, "tie": TIE, "draw": TIE, "equal": TIE, "unreadable": UNREADABLE}.get(word)
    found = named.get(word) if found is None else found
    if found is None:
        raise FileFormatError(f"{place}: a winner is {quoted(value)}, expected a, b or tie")
    return found


def _bare(value: str) -> str:
    match = _BRACKETS.match(value.strip())
    return (match.group(1) if match else value).casefold()


def _length(found: Mapping[str, object], side: str, place: str) -> float | None:
    given, answer = found[f"length_{side}"], found[f"answer_{side}"]
    if given is None:
        return None if answer is None else float(len(str(answer)))
    try:
        value = float(str(given))
    except ValueError:
        value = math.nan
    if not value > 0 or math.isinf(value):
        raise FileFormatError(f"{place}: 'length_{side}' is {quoted(given)}, expected a number above 0")
    return value


def _word(row: Row, key: str, place: str) -> str:
    value = row.get(key)
    if value is None or not str(value).strip():
        raise FileFormatError(f"{place}: no {key!r}")
    return str(value).strip()

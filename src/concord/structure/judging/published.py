"""Verdicts as public benchmarks write them: FastChat and MT-Bench, Chatbot Arena, Arena-Hard, JudgeBench.

FastChat writes both orders into one row (``g1_winner``, ``g2_winner``), Arena-Hard a list of ``games`` whose
first has the baseline in the first seat, JudgeBench ``judgments`` whose second has the answers exchanged.
Published votes have one verdict per row and no order (``winner``, or three columns ``winner_model_a`` …).
"""

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence

from concord.files.declared import BadRowError, Row
from concord.number_words import number
from concord.structure.judging.ballots import (
    AB,
    BA,
    PROMPT,
    TIE,
    UNORDERED,
    UNREADABLE,
    A,
    B,
    Ballot,
    bare_word,
    is_unreadable,
    named_seat,
    needed_word,
    seat_verdict,
    sorted_ballot,
)

_SWITCHED = re.compile(r"^is_switch(ed)?_output_\d_output_\d$")
_EVEN = 1.5


def alpaca_eval(row: Row, judge: str) -> Iterator[Ballot]:
    """Read an annotation: 1 prefers output_1, 2 prefers output_2, 1.5 or 0 is a draw, nothing is unreadable.

    AlpacaEval draws the order of the outputs and drops it when it writes; where the column with it was kept,
    the order is known.
    """
    instruction = _cell_text(row, "instruction")
    first, second = _cell_text(row, "output_1"), _cell_text(row, "output_2")
    code = hashlib.sha256(instruction.encode("utf-8", "replace")).hexdigest()[:8]
    words = " ".join(instruction.split())
    models = (_cell_text(row, "generator_1", "A"), _cell_text(row, "generator_2", "B"))
    switched = [row[key] for key in row if _SWITCHED.match(str(key))]
    order = UNORDERED if not switched else BA if switched[0] in (True, "True", "true", "1") else AB
    swap = models[1] < models[0]
    verdict = _preferred(row["preference"])
    if swap:
        models, first, second = (models[1], models[0]), second, first
        verdict, order = {A: B, B: A}.get(verdict, verdict), {AB: BA, BA: AB}.get(order, order)
    yield Ballot(
        _cell_text(row, "annotator", judge),
        f"{words[:40]} #{code} · {models[0]} / {models[1]}",
        order,
        verdict,
        *models,
        f"#{code}",
        float(len(first)),
        float(len(second)),
    )


def _cell_text(row: Row, key: str, usual: str = "") -> str:
    """Return a cell as text; what is usual where there is none."""
    value = row.get(key)
    return usual if value is None or not str(value).strip() else str(value)


def alpaca_notes(rows: Sequence[Row]) -> list[str]:
    """Say that a weighted preference is one vote, and what AlpacaEval's own mean of them is."""
    found = [one for row in rows if (one := _preference(row.get("preference"))) is not None]
    weighted = sum(one not in (0, 1, _EVEN, 2) for one in found)
    if not weighted:
        return []
    # AlpacaEval's win rate of output_2 is the mean of preference - 1, a draw (0 or 1.5) being one half
    mean = sum(0.5 if one == 0 else one - 1 for one in found) / len(found)
    return [
        f"{weighted} of {len(found)} preferences are weighted (a number between 1 and 2); each counts as one "
        f"vote for the side it leans to. AlpacaEval's own win rate of output_2 averages them: "
        f"{number(mean, 3)}"
    ]


def _preference(value: object) -> float | None:
    """Return a preference as a number; ``None`` where there is none."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _preferred(value: object) -> str:
    number = _preference(value)
    if number is None and (value is None or str(value).strip().casefold() in ("", "nan", "none")):
        return UNREADABLE
    if number in (0, _EVEN):
        return TIE
    if number is None or not 1 <= number <= 2:
        raise BadRowError("preference", value, "a number from 1 to 2")
    return A if number < _EVEN else B  # a weighted preference counts for the side it leans to


_BASELINE = "baseline"
"""Arena-Hard's first version does not write the name of the baseline into its judgements."""


def fastchat_pair(row: Row, judge: str) -> Iterator[Ballot]:
    """Read both orders of a pair: ``g1`` has model_1 in the first seat, ``g2`` model_2."""
    models = (needed_word(row, "model_1"), needed_word(row, "model_2"))
    named = {models[0]: A, models[1]: B, "model_1": A, "model_2": B, "tie": TIE, "error": UNREADABLE}
    who, question = fastchat_judge(row, judge), _question(row)
    for order, key in ((AB, "g1_winner"), (BA, "g2_winner")):
        winner = str(row[key]).strip()
        if winner not in named:
            raise BadRowError(key, winner, "model_1, model_2, tie or error")
        yield sorted_ballot(who, question, models, order, named[winner], cluster=_cluster(question))


def fastchat_vote(row: Row, judge: str) -> Iterator[Ballot]:
    """Read one published vote; an inconsistent tie is a tie, since its order is not recorded."""
    models = (needed_word(row, "model_a"), needed_word(row, "model_b"))
    winner = str(row["winner"]).strip().casefold()
    found = {"model_a": A, "model_b": B}.get(winner, TIE if winner.startswith("tie") else None)
    if found is None:
        raise BadRowError("winner", row["winner"], "model_a, model_b or tie")
    question = _question(row)
    lengths = (_conversation(row, "conversation_a"), _conversation(row, "conversation_b"))
    yield sorted_ballot(
        fastchat_judge(row, judge), question, models, UNORDERED, found, cluster=_cluster(question),
        lengths=lengths,
    )  # fmt: skip


def vote_notes(rows: Sequence[Row]) -> list[str]:
    """Say how a file whose pairs of models are there both ways can tell of seats."""
    seen = {(str(row.get("question_id")), str(row.get("model_a")), str(row.get("model_b"))) for row in rows}
    if not any((question, second, first) in seen for question, first, second in seen if first != second):
        return []
    return [
        "pairs of models are there both ways, but published votes do not say who had which seat; if model_a "
        "was in the first seat, call the columns first_model and second_model, or add a column order (ab)"
    ]


def arena_choice(row: Row, judge: str) -> Iterator[Ballot]:
    """Read a vote of Chatbot Arena as three columns, of which one is 1."""
    ends = {"winner_model_a": A, "winner_model_b": B, "winner_tie": TIE}
    won = [end for key, end in ends.items() if str(row.get(key)).strip() in ("1", "1.0", "True", "true")]
    if len(won) != 1:
        raise BadRowError(
            "winner_model_a", row.get("winner_model_a"), f"a 1 in one of {', '.join(ends)}: found {len(won)}"
        )
    models = (needed_word(row, "model_a"), needed_word(row, "model_b"))
    lengths = (_characters(row.get("response_a")), _characters(row.get("response_b")))
    question = needed_word(row, "id")
    yield sorted_ballot(judge, question, models, UNORDERED, won[0], lengths=lengths)


def arena_hard(row: Row, judge: str) -> Iterator[Ballot]:
    """Read the games of an answer against the baseline, which has the first seat in the first game."""
    key = "question_id" if row.get("question_id") is not None else "uid"
    question = needed_word(row, key)
    named = row.get("baseline")
    baseline = _BASELINE if named is None or not str(named).strip() else str(named).strip()
    models = (baseline, needed_word(row, "model"))
    for order, game in _alternating(row, "games"):
        verdict = _relation(game, ("games", "score"), order)
        yield sorted_ballot(fastchat_judge(row, judge), question, models, order, verdict, cluster=question)


def arena_hard_notes(rows: Sequence[Row]) -> list[str]:
    """Say that a strong verdict is one vote."""
    games = [game for row in rows for game in _verdict_list(row, "games") if isinstance(game, Mapping)]
    strong = sum(">>" in str(game.get("score")) for game in games)
    told = []
    if strong:
        told.append(
            f"{strong} of {len(games)} verdicts are strong (A>>B); each counts as one vote, where Arena-Hard "
            "counts it three times"
        )
    if all(not row.get("baseline") for row in rows):
        told.append(f"the baseline's name is not in the file; it is called {_BASELINE!r}")
    return told


def judge_bench(row: Row, judge: str) -> Iterator[Ballot]:
    """Read the judgements of a pair of which ``label`` says the better answer; the second is exchanged."""
    pair = needed_word(row, "pair_id")
    lengths = (_characters(row.get("response_a")), _characters(row.get("response_b")))
    label = row.get("label")
    truth = () if label is None else (seat_verdict(_seat(label, "label"), AB),)
    for order, made in _alternating(row, "judgments"):
        verdict = _relation(made, ("judgments", "decision"), order)
        yield Ballot(_bench_judge(made, judge), pair, order, verdict, "A", "B", "", *lengths, truth)


def judge_bench_notes(rows: Sequence[Row]) -> list[str]:
    """Say what stands for people."""
    return ["'label', the answer that is objectively right, stands where people's verdicts would"]


def _bench_judge(made: object, judge: str) -> str:
    inner = made.get("judgment") if isinstance(made, Mapping) else None
    found = inner.get("judge_model") if isinstance(inner, Mapping) else None
    return judge if found is None else str(found)


def _alternating(row: Row, key: str) -> Iterator[tuple[str, object]]:
    """Return what a list holds, each with its order: A first, B first, and so on."""
    made = _verdict_list(row, key)
    if not made:
        raise BadRowError(key, row.get(key), "a list of verdicts")
    for i, one in enumerate(made):
        yield (AB, BA)[i % 2], one


def _verdict_list(row: Row, key: str) -> Sequence[object]:
    found = row.get(key)
    return found if isinstance(found, list) else []


def _relation(made: object, place: tuple[str, str], order: str) -> str:
    """Return who won by a relation of the seats such as ``A>>B``."""
    value = made.get(place[1]) if isinstance(made, Mapping) else None
    return UNREADABLE if is_unreadable(value) else seat_verdict(_seat(value, place[0]), order)


def _seat(value: object, key: str) -> int:
    seat = named_seat(value) if any(mark in bare_word(value) for mark in "<>=") else None
    if seat is None:
        raise BadRowError(key, value, "A>B, B>A or A=B")
    return seat


def _characters(text: object) -> float | None:
    return None if text is None else float(len(str(text)))


def _conversation(row: Row, key: str) -> float | None:
    """Count the characters of a model's messages in a conversation."""
    messages = row.get(key)
    if not isinstance(messages, list):
        return None
    said = [one.get("content") for one in messages if isinstance(one, Mapping) and one.get("role") != "user"]
    return float(sum(len(str(text)) for text in said)) if said else None


def _question(row: Row) -> str:
    turn = row.get("turn")
    question = needed_word(row, "question_id")
    return question if turn is None else f"{question} turn {turn}"


def _cluster(question: str) -> str:
    return question.partition(" turn ")[0]


def fastchat_judge(row: Row, judge: str) -> str:
    """Return the name of a judge: its model, and after `PROMPT` the name of its prompt where there is one."""
    found = row.get("judge")
    if isinstance(found, list | tuple):
        return PROMPT.join(str(part) for part in found)
    return judge if found is None or not str(found).strip() else str(found).strip()

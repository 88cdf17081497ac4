"""Recorded verdicts to votes by judge and pair: forms recognised by their columns, files joined by pair."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from pathlib import Path

from concord.errors import FileFormatError, OptionError, listed
from concord.files.cells import FLAGS, is_missing, number_or_none
from concord.files.declared import BadRowError, DeclaredTable, Row
from concord.files.gate import refuse_more
from concord.files.grids import names_of
from concord.files.limits import JUDGED_PAIRS, JUDGES
from concord.number_words import number
from concord.reading import StoredReading, trial_name
from concord.records import InputFile, LeftOutCell
from concord.structure.judging.plain import (
    AB,
    BA,
    PROMPT,
    TIE,
    UNORDERED,
    UNREADABLE,
    A,
    B,
    Ballot,
    VerdictForm,
    bare_word,
    fits_plain,
    fits_wide,
    is_reply,
    is_unreadable,
    named_seat,
    needed_word,
    plain_notes,
    plain_reader,
    seat_verdict,
    sorted_ballot,
    stored_verdict,
    told_no_verdict,
    wide_reader,
)
from concord.structure.judging.result import NONE, Counts, PairVotes

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
    order = UNORDERED if not switched else BA if FLAGS.get(str(switched[0]).casefold()) else AB
    who, verdict = _cell_text(row, "annotator", judge), _preferred(row["preference"])
    lengths = (float(len(first)), float(len(second)))
    yield sorted_ballot(Ballot(who, f"{words[:40]} #{code}", order, verdict, *models, f"#{code}", *lengths))


def _cell_text(row: Row, key: str, usual: str = "") -> str:
    """Return a cell as text; what is usual where there is none."""
    value = row.get(key)
    return usual if value is None or not str(value).strip() else str(value)


def alpaca_notes(rows: Sequence[Row]) -> list[str]:
    """Say that a weighted preference is one vote, and what AlpacaEval's own mean of them is."""
    found = [one for row in rows if (one := number_or_none(row.get("preference"))) is not None]
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


def _preferred(value: object) -> str:
    leaning = number_or_none(value)
    if is_missing(value):
        return UNREADABLE
    if leaning in (0, _EVEN):
        return TIE
    if leaning is None or not 1 <= leaning <= 2:
        raise BadRowError("preference", value, "a number from 1 to 2")
    return A if leaning < _EVEN else B  # a weighted preference counts for the side it leans to


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
        yield sorted_ballot(Ballot(who, question, order, named[winner], *models, _cluster(question)))


def fastchat_vote(row: Row, judge: str) -> Iterator[Ballot]:
    """Read one published vote; an inconsistent tie is a tie, since its order is not recorded."""
    models = (needed_word(row, "model_a"), needed_word(row, "model_b"))
    winner = str(row["winner"]).strip().casefold()
    found = {"model_a": A, "model_b": B}.get(winner, TIE if winner.startswith("tie") else None)
    if found is None:
        raise BadRowError("winner", row["winner"], "model_a, model_b or tie")
    question = _question(row)
    lengths = (_conversation(row, "conversation_a"), _conversation(row, "conversation_b"))
    who = fastchat_judge(row, judge)
    yield sorted_ballot(Ballot(who, question, UNORDERED, found, *models, _cluster(question), *lengths))


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
    won = [end for key, end in ends.items() if FLAGS.get(str(row.get(key)).strip().casefold())]
    if len(won) != 1:
        raise BadRowError(
            "winner_model_a", row.get("winner_model_a"), f"a 1 in one of {', '.join(ends)}: found {len(won)}"
        )
    models = (needed_word(row, "model_a"), needed_word(row, "model_b"))
    lengths = (_characters(row.get("response_a")), _characters(row.get("response_b")))
    question = needed_word(row, "id")
    yield sorted_ballot(Ballot(judge, question, UNORDERED, won[0], *models, "", *lengths))


def arena_hard(row: Row, judge: str) -> Iterator[Ballot]:
    """Read the games of an answer against the baseline, which has the first seat in the first game."""
    key = "question_id" if row.get("question_id") is not None else "uid"
    question = needed_word(row, key)
    named = row.get("baseline")
    baseline = _BASELINE if named is None or not str(named).strip() else str(named).strip()
    models = (baseline, needed_word(row, "model"))
    for order, game in _alternating(row, "games"):
        verdict = _relation(game, ("games", "score"), order)
        yield sorted_ballot(Ballot(fastchat_judge(row, judge), question, order, verdict, *models, question))


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


FORMS = (
    VerdictForm(lambda keys: {"g1_winner", "g2_winner"} <= keys, lambda *_: fastchat_pair),
    VerdictForm(
        lambda keys: {"preference", "output_1", "output_2"} <= keys, lambda *_: alpaca_eval, alpaca_notes
    ),
    VerdictForm(lambda keys: {"games", "model"} <= keys, lambda *_: arena_hard, arena_hard_notes),
    VerdictForm(lambda keys: {"judgments", "pair_id"} <= keys, lambda *_: judge_bench, judge_bench_notes),
    VerdictForm(
        lambda keys: {"winner_model_a", "winner_model_b", "winner_tie", "id"} <= keys,
        lambda *_: arena_choice,
    ),
    VerdictForm(
        lambda keys: {"winner", "model_a", "model_b", "question_id"} <= keys and "order" not in keys,
        lambda *_: fastchat_vote,
        vote_notes,
    ),
    VerdictForm(fits_wide, wide_reader),
    VerdictForm(fits_plain, plain_reader, plain_notes),
)


_VERDICTS = tuple(name for part in ("verdict", "winner", "said") for name in names_of("verdicts")[part])
_TRIES = 3
"""A row may hold a verdict per order, each of which may be none."""


def read_ballots(table: DeclaredTable, judge: str) -> tuple[list[Ballot], list[str]]:
    """Return the verdicts of a file, and what a user should know about how they were read."""
    # A row that cannot be read is noted; where it is the verdict, it counts as one that cannot be read.
    form, rows = _form_of(table), table.rows()
    reader = form.reader(table, rows)
    ballots: list[Ballot] = []
    for index, row in enumerate(rows):
        for _ in range(_TRIES):
            try:
                ballots += reader(row, judge)
                break
            except BadRowError as fault:
                table.problem(index, fault.column, str(fault), fault.value)
                if not fault.column.startswith(_VERDICTS) or row[fault.column] is None:
                    break
                row = {**row, fault.column: None}
    told = [*form.notes(rows), *told_no_verdict(table)]
    return ballots, [f"{_file_name(table)}: {note}" for note in told]


def _file_name(table: DeclaredTable) -> str:
    """Return what a judge is called that no row names: the file's name without its ending."""
    return Path(table.table.name).stem if table.inputs else table.table.name


def _form_of(table: DeclaredTable) -> VerdictForm:
    """Recognise the form of a file by its columns."""
    keys = frozenset(table.plain)
    found = next((form for form in FORMS if form.fits(keys)), None)
    if found is None:
        raise FileFormatError(
            f"{table.place}: found the columns {listed(sorted(keys))}; expected pair, order and "
            "verdict (first, second, tie) or winner (a, b, tie), or verdicts as FastChat, AlpacaEval, "
            "Arena-Hard or JudgeBench write them"
        )
    return found


_PLACES = {A: 0, B: 1, TIE: 2}
MANY_JUDGES, MIN_PAIRS = 4, 8


@dataclass(frozen=True, slots=True)
class RecordedVotes:
    """Every judge's votes, pair by pair."""

    judges: Mapping[str, tuple[PairVotes, ...]]
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    readings: tuple[StoredReading, ...] = ()
    """What was read in verdicts that are replies."""
    left_out: tuple[LeftOutCell, ...] = ()
    """Cells that could not be read."""


def read_votes(
    sources: Sequence[DeclaredTable],
    *,
    people: Sequence[DeclaredTable] = (),
    judge: str | None = None,
    times: Sequence[int] | None = None,
) -> RecordedVotes:
    """Join recorded verdicts by judge and pair; ``times``: how often each row of the one table was said."""
    table: dict[str, dict[str, _Tally]] = {}
    said: list[Ballot] = []
    warnings = [text for source in (*sources, *people) for text in source.table.warnings]
    for source in sources:
        ballots, told = read_ballots(source, _file_name(source) if judge is None else judge)
        warnings += told
        ballots = _of_judge(ballots, judge)
        said += [ballot for ballot in ballots if ballot.said]
        for ballot, n in zip(ballots, repeat(1) if times is None else times, strict=False):
            table.setdefault(ballot.judge, {}).setdefault(ballot.pair, _Tally(ballot)).add(ballot, n)
    human = _verdicts_of_people(people)
    left = [source.left_out() for source in (*sources, *people)]
    warnings = [*(text for _, told in left for text in told), *warnings]
    known = {pair for pairs in table.values() for pair in pairs}
    if human and not known & human.keys():
        raise FileFormatError(
            f"no verdict of people is about a pair that was judged (theirs: {min(human)!r}, judged: "
            f"{min(known)!r}); pairs join by their names, or by question, turn and models"
        )
    if human.keys() - known:
        warnings.append(f"{len(human.keys() - known)} pairs that people judged have no vote of a judge")
    joined = _one_per_model(table)
    warnings += [
        f"{name}: verdicts under {', '.join(prompts)} are about different pairs and count as one judge"
        for name, (prompts, _) in joined.items()
        if len(prompts) > 1
    ]
    warnings += _many_judges(joined)
    judges = {
        name: tuple(tally.votes(human.get(pair)) for pair, tally in sorted(pairs.items()))
        for name, (_, pairs) in joined.items()
    }
    place = ", ".join(source.table.name for source in sources[:3])
    refuse_more(
        len(judges), JUDGES, "judges", place, "score them in several files, or check the column of judges"
    )
    n_pairs = sum(map(len, judges.values()))
    refuse_more(n_pairs, JUDGED_PAIRS, "pairs", place, "score a random part of them, or one judge at a time")
    inputs = tuple(item for source in (*sources, *people) for item in source.inputs)
    cells = tuple(one for found, _ in left for one in found)
    return RecordedVotes(judges, inputs, tuple(warnings), tuple(_stored_verdicts(said)), cells)


def _of_judge(ballots: list[Ballot], judge: str | None) -> list[Ballot]:
    """Return the ballots of the judge that was asked for; all where none was."""
    if judge is None:
        return ballots
    own = [one for one in ballots if judge in (one.judge, one.judge.partition(PROMPT)[0])]
    if ballots and not own:
        names = sorted({one.judge.replace(PROMPT, " ") for one in ballots})
        raise OptionError(f"no verdict is of the judge {judge!r}; the table has {listed(names)}")
    return own


def _stored_verdicts(ballots: Sequence[Ballot]) -> Iterator[StoredReading]:
    """Return what was read in each reply, under its judge, pair and order; nothing of codes alone."""
    if not any(is_reply(ballot.said) for ballot in ballots):
        return
    counts: Counter[tuple[str, str, str]] = Counter()
    several = len({ballot.judge for ballot in ballots}) > 1
    for ballot in ballots:
        place = (ballot.judge, ballot.pair, ballot.order)
        pair = f"{ballot.judge}: {ballot.pair}".replace(PROMPT, " ") if several else ballot.pair
        yield stored_verdict(trial_name(pair, ballot.order or "unordered", counts[place]), ballot.said)
        counts[place] += 1


def _many_judges(joined: Mapping[str, tuple[list[str], Mapping[str, "_Tally"]]]) -> list[str]:
    """Say that judges with a few pairs each are probably people."""
    most = max((len(pairs) for _, pairs in joined.values()), default=0)
    if len(joined) < MANY_JUDGES or most >= MIN_PAIRS:
        return []
    return [
        f"{len(joined)} judges, none with {MIN_PAIRS} pairs, which an interval needs: if they are people, "
        "give this file as --people beside the verdicts of a judge"
    ]


def _one_per_model(
    table: Mapping[str, dict[str, "_Tally"]],
) -> dict[str, tuple[list[str], dict[str, "_Tally"]]]:
    """Join a model's prompts where each was used for other pairs, as FastChat does for turns and subjects."""
    # Prompts that were used for the same pairs are judges of their own.
    prompts: dict[str, list[str]] = {}
    for name in table:
        prompts.setdefault(name.partition(PROMPT)[0], []).append(name)
    found: dict[str, tuple[list[str], dict[str, _Tally]]] = {}
    for model, names in prompts.items():
        pairs = [pair for name in names for pair in table[name]]
        if len(names) > 1 and len(set(pairs)) == len(pairs):
            used = [name.partition(PROMPT)[2] for name in names]
            found[model] = (used, {pair: tally for name in names for pair, tally in table[name].items()})
        else:
            found |= {name.replace(PROMPT, " "): ([""], table[name]) for name in names}
    return found


def _verdicts_of_people(sources: Sequence[DeclaredTable]) -> dict[str, "_Tally"]:
    found: dict[str, _Tally] = {}
    for source in sources:
        for ballot in read_ballots(source, "")[0]:
            found.setdefault(ballot.pair, _Tally(ballot)).add(ballot)
    return found


@dataclass(slots=True)
class _Tally:
    """The votes on one pair, while they are counted."""

    first: Ballot
    counts: dict[str, list[int]] = field(default_factory=dict)
    human: list[int] | None = None
    lengths: tuple[float | None, float | None] = (None, None)
    labelled: bool = False

    def add(self, ballot: Ballot, n: int = 1) -> None:
        """Count one ballot, or several alike; people's verdicts are in every row and counted once."""
        kept = self.counts.setdefault(ballot.order, [0, 0, 0, 0])
        if ballot.verdict is not None:
            kept[3 if ballot.verdict == UNREADABLE else _PLACES[ballot.verdict]] += n
        if ballot.length_a is not None and ballot.length_b is not None:
            self.lengths = (ballot.length_a, ballot.length_b)
        if ballot.human and self.human is None:
            self.human = [sum(verdict == one for verdict in ballot.human) for one in (A, B, TIE)]
            self.labelled = ballot.labelled

    def votes(self, people: "_Tally | None") -> PairVotes:
        """Return the counts of one pair."""
        lost = tuple(self._of(order)[3] for order in (AB, BA, ""))
        human = tuple(self.human) if self.human is not None else NONE
        lengths = self.lengths
        if people is not None:
            human = people.total
            lengths = lengths if lengths[0] is not None else people.lengths
        one = self.first
        found = PairVotes(
            one.pair,
            self._three(AB),
            self._three(BA),
            self._three(""),
            (lost[0], lost[1], lost[2]),
            (human[0], human[1], human[2]),
            lengths[0],
            lengths[1],
        )
        labelled = self.labelled and people is None
        return replace(
            found, model_a=one.model_a, model_b=one.model_b, cluster=one.cluster, labelled=labelled
        )

    @property
    def total(self) -> Counts:
        """Verdicts whatever the order."""
        sums = [sum(self._of(order)[i] for order in (AB, BA, "")) for i in range(3)]
        return (sums[0], sums[1], sums[2])

    def _of(self, order: str) -> list[int]:
        return self.counts.get(order, [0, 0, 0, 0])

    def _three(self, order: str) -> Counts:
        kept = self._of(order)
        return (kept[0], kept[1], kept[2])

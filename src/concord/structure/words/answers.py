"""Replies of a structure run to scores: one row per reply, and the tables that the source lays out."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from sys import intern
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError, quoted
from concord.files.output import safe_name
from concord.files.rows import StoredRecords
from concord.reading import Reading, ReadOutcome, StoredReading, stored_reading, trial_name
from concord.records import AskOutcome
from concord.structure.items import ITEMS, parse_items
from concord.structure.options.result import OptionReply
from concord.structure.words.judged import JudgedText
from concord.structure.words.scorers import Asked, Scored, folded, get_scorer, shown_options

if TYPE_CHECKING:
    import polars as pl


NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One reply, scored."""

    item: str
    arrangement: str
    sample: int
    outcome: str
    score: float | None
    answer: str | None
    recovered: bool | None
    cluster: str


@dataclass(frozen=True, slots=True)
class Answers:
    """Every reply of a run, scored or counted."""

    model: str
    rows: tuple[AnswerRow, ...]
    readings: tuple[StoredReading, ...] = ()
    """What was read in each reply, where its answer is read and not its text compared."""

    @property
    def outcomes(self) -> dict[str, int]:
        """How every trial ended, counted."""
        return dict(Counter(row.outcome for row in self.rows))

    @property
    def recovery(self) -> tuple[int, int] | None:
        """Replies that found the canonical order, and replies that were looked at; where that is asked."""
        asked = [row.recovered for row in self.rows if row.recovered is not None]
        return (sum(asked), len(asked)) if asked else None

    def frame(self) -> "pl.DataFrame":
        """Return the long table that `score_structure` reads; a reply without a score is a missing value."""
        import polars as pl

        kinds = {"arrangement": None, "item": None, "sample": None, "score": pl.Float64, "answer": pl.String}
        held: dict[str, list[Any]] = {name: [] for name in (*kinds, "cluster")}
        for row in self.rows:
            for name, cells in held.items():
                cells.append(getattr(row, name))
        columns: dict[str, Any] = {"model": [self.model] * len(self.rows)}
        for name, kind in kinds.items():
            columns["S_Acc" if name == "score" else name] = pl.Series(held.pop(name), dtype=kind)
        if any(held["cluster"]):
            columns["cluster"] = held["cluster"]
        if columns["answer"].null_count() == len(self.rows):
            del columns["answer"]
        return pl.DataFrame(columns)


def answers_of(
    items: bytes,
    options: Mapping[str, Any],
    rows: Iterable[Mapping[str, Any]],
    *,
    planned: Iterable[Mapping[str, Any]],
    model: str,
    verdicts: Mapping[str, JudgedText] | None = None,
    with_readings: bool = True,
) -> Answers:
    """Score every reply of a run; trials without a usable reply are rows without a score."""
    known = {item.id: item for item in parse_items(items, ITEMS).items}
    scorer, arranger = get_scorer(str(options["scorer"])), str(options["arranger"])
    found, readings = StoredRecords(AnswerRow), StoredRecords(StoredReading)
    for trial, reply in _in_turn(planned, rows):
        if trial["id"] not in known:
            raise FileFormatError(f"the trial of {quoted(trial['id'])} is of no item that the run holds")
        outcome = str(AskOutcome.NOT_ASKED) if reply is None else str(reply["outcome"])
        item, cell, sample = known[trial["id"]], intern(str(trial["mode"])), int(trial["repeat"])
        score, answer, recovered = None, None, None
        if reply is not None and outcome == AskOutcome.OK:
            scored = scorer(reply["response"], Asked(item, arranger, cell))
            score, answer, recovered = scored.score, scored.answer, scored.recovered
            if with_readings:
                for one in _stored(trial_name(item.id, cell, sample), reply["response"], scored):
                    readings.append(one)
            outcome = str(ReadOutcome.UNREADABLE if scored.reading is None else scored.reading.outcome)
            if verdicts is not None:
                judged = verdicts.get(reply["key"], JudgedText(None))
                score, answer = judged.score, answer if answer is not None else judged.relation
                outcome = NOT_JUDGED if scored.reading is None else outcome
            outcome = str(AskOutcome.OK) if score is not None else outcome
            answer = None if answer is None else intern(answer)
        name, family = intern(item.id), intern(item.cluster)
        found.append(AnswerRow(name, cell, sample, intern(outcome), score, answer, recovered, family))
    return Answers(model, found.as_tuple(), readings.as_tuple())


def _in_turn(
    planned: Iterable[Mapping[str, Any]], rows: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    """Return every trial with its reply: both are in the order of the plan, and no reply is kept."""
    left, ahead = iter(rows), dict[str, Mapping[str, Any]]()
    for trial in planned:
        while trial["key"] not in ahead and (row := next(left, None)) is not None:
            ahead[row["key"]] = row
        yield trial, ahead.pop(trial["key"], None)


def _stored(trial: str, text: str, scored: Scored) -> Iterator[StoredReading]:
    """Return the row of a reply in which an answer was looked for."""
    reading = scored.reading
    if reading is None and scored.answer is not None:
        reading = Reading(scored.answer, ReadOutcome.OK, "marked")
    if reading is not None:
        letter = "" if reading.other or reading.value is None else str(reading.value)
        words = (
            letter if scored.answer in (None, letter) else ": ".join(filter(None, (letter, scored.answer)))
        )
        made = stored_reading(trial, text, reading, words=words)
        yield replace(made, reading=intern(made.reading), span=intern(made.span))


def chance_of(items: bytes, options: Mapping[str, Any]) -> float | None:
    """Return the score of guessing: the mean of 1 over the number of options, where replies choose one."""
    known = parse_items(items, ITEMS).items
    if str(options["scorer"]) != "choice" or not all(item.options for item in known):
        return None
    return sum(1 / len(item.options) for item in known) / len(known)


def option_replies(items: bytes, options: Mapping[str, Any], answers: Answers) -> list[OptionReply]:
    """Return what every reply chose and where it was; empty where replies do not choose an option."""
    if str(options["scorer"]) != "choice":
        return []
    known = {item.id: item for item in parse_items(items, ITEMS).items}
    found = []
    for row in answers.rows:
        item = known[row.item]
        shown = [
            folded(text) for text in shown_options(Asked(item, str(options["arranger"]), row.arrangement))
        ]
        chosen = None if row.answer is None else folded(row.answer)
        place = shown.index(chosen) if chosen in shown else None
        correct = None if row.score is None else bool(row.score)
        right = shown.index(folded(item.answer))
        found.append(
            OptionReply(row.item, row.arrangement, row.answer, place, right, len(shown), correct, row.cluster)
        )
    return found


Table = tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]
FOLDERS: Mapping[str, Callable[[list[float]], float]] = {
    "baseline_mean": lambda scores: sum(scores) / len(scores),
    "baseline_max": max,
}


def source_tables(answers: Answers) -> dict[str, Table]:
    """Return a table per arrangement and folder: `baseline_mean/<model>_<arrangement>.csv`, item and S_Acc.

    A cell without a score is empty. The folders are what ``concord score structure --mean --max`` reads.
    """
    cells: dict[str, dict[str, list[float]]] = {}
    for row in answers.rows:
        kept = cells.setdefault(row.arrangement, {}).setdefault(row.item, [])
        if row.score is not None:
            kept.append(row.score)
    model = safe_name(answers.model.replace("/", "-"))
    return {
        f"{folder}/{model}_{safe_name(arrangement.replace('_', '-'))}.csv": (
            ("item", "S_Acc"),
            tuple((item, reduce(scores) if scores else None) for item, scores in items.items()),
        )
        for folder, reduce in FOLDERS.items()
        for arrangement, items in cells.items()
    }

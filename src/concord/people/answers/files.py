"""Scored answers as files, written and read back: one document, two tables."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import encode
from concord.files.documents import heading, provenance, read_record
from concord.files.output import frame_of, write_csv, write_json
from concord.people.answers.result import METRICS, AgentAnswers, AnswerDifference, AnswerNumber, GroupSummary
from concord.records import Estimate, InputFile, Presented

if TYPE_CHECKING:
    import polars as pl

DOCUMENT, NUMBERS, DIFFERENCES = "answers.json", "answers.csv", "answer_differences.csv"
NUMBER_COLUMNS = (
    "agent", "level", "study", "outcome", "condition", "group", "metric", "value", "low", "high", "people",
    "people_low", "people_high", "random", "place", "place_low", "place_high", "n", "n_left_out", "note",
)  # fmt: skip
DIFFERENCE_COLUMNS = ("first", "second", "metric", "difference", "low", "high", "p", "p_holm", "n", "note")
_KIND = "answers result"


@dataclass(frozen=True, slots=True, repr=False)
class AnswersResult(Presented):
    """Answers of agents against answers of people, as distributions."""

    agents: tuple[AgentAnswers, ...]
    differences: tuple[AnswerDifference, ...] = ()
    level: float = 0.95
    n_resamples: int = 0
    seed: int = 0
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def agent(self, name: str) -> AgentAnswers:
        """Return one agent's numbers."""
        return next(one for one in self.agents if one.agent == name)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `answers.json` holds."""
        return {
            **heading(_KIND),
            "question": "people",
            "answer_metrics": dict(METRICS),
            **encode(self),
            "provenance": provenance(self.inputs),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per agent, outcome and number, the columns of `answers.csv`."""
        return frame_of(NUMBER_COLUMNS, number_rows(self))

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `answers.json`, `answers.csv` and `answer_differences.csv`."""
        return write(self, Path(out))


def write(result: AnswersResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result and return their paths; the inverse of `read`."""
    write_csv(folder / NUMBERS, NUMBER_COLUMNS, number_rows(result))
    write_csv(folder / DIFFERENCES, DIFFERENCE_COLUMNS, _difference_rows(result))
    write_json(folder / DOCUMENT, result.to_dict())
    return tuple(folder / name for name in (DOCUMENT, NUMBERS, DIFFERENCES))


def read(folder: Path) -> AnswersResult:
    """Read a result back, whole."""
    path = folder / DOCUMENT
    return read_record(AnswersResult, path, _KIND)


def number_rows(result: AnswersResult) -> Iterator[list[object]]:
    """Return one row per agent and number: all outcomes, each study, each outcome, each group."""
    for one in result.agents:
        for name, number in one.overall.numbers.items():
            yield [one.agent, "all", "", "", "", "", name, *_cells_of(number)]
        for study in one.studies:
            for name, number in study.numbers.items():
                yield [one.agent, "study", study.name, "", "", "", name, *_cells_of(number)]
        for outcome in one.outcomes:
            where = (outcome.study, outcome.outcome, outcome.condition, "")
            for name, number in outcome.numbers.items():
                yield [one.agent, "outcome", *where, name, *_cells_of(number)]
        if one.groups is not None:
            yield from _group_rows(one.agent, one.groups)


def _group_rows(agent: str, groups: GroupSummary) -> Iterator[list[object]]:
    for one in groups.groups:
        for name, found in (("group_error", one.error), ("group_absolute_error", one.absolute_error)):
            yield [agent, "group", "", "", "", one.group, name, *_cells_of(AnswerNumber(found))]
    for name, found in (("group_slope", groups.slope), ("parity_gap", groups.parity_gap)):
        yield [agent, "all groups", "", "", "", "", name, *_cells_of(AnswerNumber(found))]


def _value_and_ends(found: Estimate | None) -> list[float | None]:
    if found is None:
        return [None, None, None]
    return [found.value, *found.ends]


def _cells_of(number: AnswerNumber) -> list[object]:
    estimate, place = number.estimate, number.place
    notes = [estimate.note, "" if place is None or not place.note else f"place {place.note}"]
    return [
        *_value_and_ends(estimate), *_value_and_ends(number.people), number.random,
        *_value_and_ends(place), estimate.n, estimate.n_left_out, "; ".join(note for note in notes if note),
    ]  # fmt: skip


def _difference_rows(result: AnswersResult) -> Iterator[list[object]]:
    for row in result.differences:
        found = row.difference
        names = (row.first, row.second, row.metric)
        yield [*names, *_value_and_ends(found), row.p_value, row.p_holm, found.n, found.note]

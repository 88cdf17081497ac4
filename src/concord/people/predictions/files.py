"""Agreement of predicted effects as files, written and read back: one document, two tables."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import encode
from concord.files.documents import heading, provenance, read_record
from concord.files.output import frame_of, write_csv, write_json
from concord.people.predictions.result import METRICS, AgentAgreement, AgentDifference
from concord.records import InputFile, Presented

if TYPE_CHECKING:
    import polars as pl

DOCUMENT, NUMBERS, DIFFERENCES = "predictions.json", "predictions.csv", "prediction_differences.csv"
EFFECTS = "prediction_effects.csv"
NUMBER_COLUMNS = ("agent", "reference", "metric", "value", "low", "high", "n", "n_missing", "note")
DIFFERENCE_COLUMNS = ("first", "second", "metric", "difference", "low", "high", "p", "p_holm", "n", "note")
EFFECT_COLUMNS = (
    "agent", "study", "outcome", "condition", "human_estimate", "human_se", "agent_estimate", "agent_se",
    "pas", "passes",
)  # fmt: skip
_KIND = "prediction result"


@dataclass(frozen=True, slots=True, repr=False)
class PredictionResult(Presented):
    """Agreement of predicted effects with those of people."""

    agents: tuple[AgentAgreement, ...]
    """By name."""
    references: tuple[AgentAgreement, ...]
    differences: tuple[AgentDifference, ...]
    unit: str
    n_effects: int
    all_positive: float
    """Share of people's effects above 0: the chance level of ``direction``."""
    clusters: str
    """What was left out one at a time for the intervals."""
    level: float = 0.95
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def agent(self, name: str) -> AgentAgreement:
        """Return one agent's numbers."""
        return next(one for one in self.agents if one.agent == name)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `predictions.json` holds."""
        kind = {**heading(_KIND), "question": "people"}
        return {**kind, **encode(self), "provenance": provenance(self.inputs)}

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per agent and number, the columns of `predictions.csv`."""
        return frame_of(NUMBER_COLUMNS, number_rows(self))

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `predictions.json`, `predictions.csv`, and tables of the differences and of every effect."""
        return write(self, Path(out))


def write(result: PredictionResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result and return their paths."""
    write_json(folder / DOCUMENT, result.to_dict())
    write_csv(folder / NUMBERS, NUMBER_COLUMNS, number_rows(result))
    write_csv(folder / DIFFERENCES, DIFFERENCE_COLUMNS, _difference_rows(result))
    write_csv(folder / EFFECTS, EFFECT_COLUMNS, _effect_rows(result))
    return tuple(folder / name for name in (DOCUMENT, NUMBERS, DIFFERENCES, EFFECTS))


def read(folder: Path) -> PredictionResult:
    """Read a result back, whole."""
    path = folder / DOCUMENT
    return read_record(PredictionResult, path, _KIND)


def number_rows(result: PredictionResult) -> Iterator[list[object]]:
    """Return one row per agent and number, reference rows last."""
    for one in (*result.agents, *result.references):
        for name in METRICS:
            if name not in one.numbers:  # a result that an earlier Concord wrote
                continue
            found = one.numbers[name]
            yield [
                one.agent,
                one.is_reference,
                name,
                found.value,
                *found.ends,
                found.n,
                one.n_missing,
                found.note,
            ]


def _difference_rows(result: PredictionResult) -> Iterator[list[object]]:
    for row in result.differences:
        found = row.difference
        names = (row.first, row.second, row.metric)
        yield [*names, found.value, *found.ends, row.p_value, row.p_holm, found.n, found.note]


def _effect_rows(result: PredictionResult) -> Iterator[list[object]]:
    """Return every effect and prediction, in the result's unit."""
    for one in result.agents:
        for effect in one.effects:
            h, a = effect.people, effect.agent
            yield [one.agent, *h.key, h.estimate, h.se, a.estimate, a.se, effect.pas, effect.passes]

"""Answers to probes as rows: what was changed, and what the model then answered."""

from dataclasses import dataclass

from concord.reasoning.outcome import Outcome
from concord.reasoning.record_table import RecordTable, TableLike, read_records

EARLY, FILLER, MISTAKE, PARAPHRASE, PAIRS, HINTS = (
    "early",
    "filler",
    "mistake",
    "paraphrase",
    "pairs",
    "hints",
)
PROBES = (EARLY, FILLER, MISTAKE, PARAPHRASE, HINTS, PAIRS)
"""Every probe, in the order of asking."""
CELLS = {
    EARLY: ("prefix", "reordered"),
    FILLER: ("cot", "filler", "direct"),
    MISTAKE: ("chain", "mistake", "again"),
    PARAPHRASE: ("original", "paraphrase"),
    PAIRS: ("target", "control"),
}
"""What the cells of each probe are called."""
OK = str(Outcome.OK)


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One answer under one intervention."""

    probe: str
    id: str
    """The item; of pairs, the pair."""
    cell: str
    repeat: int = 0
    """Which chain of the item."""
    sample: int = 0
    """Which answer to the same prompt."""
    step: int | None = None
    """Steps given (early, paraphrase), or the step that was replaced (mistake), counted from 1."""
    n_steps: int | None = None
    """Steps of the whole chain."""
    answer: str | None = None
    correct: bool | None = None
    outcome: str = OK
    leaked: bool | None = None
    """Whether reasoning came where only an answer was asked for."""
    dimension: str | None = None
    biased: bool | None = None
    """Pairs: the answer is the label of the stereotype."""
    mentioned: bool | None = None
    """Pairs: the reasoning mentions the feature."""
    model: str | None = None
    step_f1: float | None = None
    """Filler: overlap of the chain's steps with the gold steps, where there are any."""

    @property
    def read(self) -> bool:
        """Whether an answer was found."""
        return self.outcome == OK and self.answer is not None


def read_probe_rows(source: TableLike) -> RecordTable[ProbeRow]:
    """Read a table of answers to probes: CSV, XLSX, Parquet, JSON, JSON lines, a frame or a list.

    Columns ``probe, id, cell`` and, as the probe needs them, ``repeat, sample, step, n_steps, answer,
    correct, outcome, leaked, dimension, biased, mentioned, model``.

    Raises
    ------
    FileFormatError, TableError
        The file cannot be read, or cells cannot be used: every one is named.
    """
    table = read_records(source, ProbeRow)
    table.refuse("probe", lambda row: row.probe in CELLS, f"one of {', '.join(CELLS)}")
    table.refuse("cell", lambda row: row.cell in CELLS[row.probe], "a cell of the probe: " + _known_cells())
    stepped = (EARLY, MISTAKE, PARAPHRASE)
    table.refuse(
        "n_steps",
        lambda row: row.probe not in stepped or row.cell in ("chain", "reordered") or row.n_steps is not None,
        "the number of steps of the chain",
    )
    table.refuse(
        "step",
        lambda row: (
            row.probe not in stepped
            or row.cell in ("chain", "reordered")
            or (row.step is not None and 0 <= row.step <= (row.n_steps if row.n_steps is not None else 0))
        ),
        "a whole number from 0 to n_steps",
    )
    return table


def _known_cells() -> str:
    return "; ".join(f"{probe}: {', '.join(cells)}" for probe, cells in CELLS.items())

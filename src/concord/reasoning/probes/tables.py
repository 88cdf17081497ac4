"""Tables of answers to scored results."""

from collections.abc import Iterable
from typing import Protocol

from concord.errors import OptionError
from concord.files.grids import Grid
from concord.reasoning.hints.counts import HintCounts, add_counts, is_count_table, read_counts, table_sources
from concord.reasoning.hints.files import HintLeaderboard
from concord.reasoning.hints.leaderboard import leaderboard_of
from concord.reasoning.hints.row_tables import looks_like_answers, read_hint_rows
from concord.reasoning.probes.files import ProbeResult
from concord.reasoning.probes.row_tables import read_probe_rows
from concord.reasoning.probes.score import score_probe_rows
from concord.reasoning.record_table import TableLike, read_table


class OfModel(Protocol):
    """A row that may name its model."""

    @property
    def model(self) -> str | None:
        """The model's name."""


def score_probe_source(source: TableLike, *, model: str | None = None) -> ProbeResult:
    """Score a table of answers to probes."""
    table = read_probe_rows(source)
    scores = score_probe_rows(
        table.rows, model=model_of(table.rows, model), inputs=table.inputs, warnings=table.warnings
    )
    return ProbeResult(scores, table.rows)


def score_hint_source(source: TableLike | Grid, *, model: str | None = None) -> HintLeaderboard | ProbeResult:
    """Score a table of answers to hinted questions, or tables of counts."""
    sources = table_sources(source)
    if len(sources) > 1:
        return HintLeaderboard(leaderboard_of(read_counts(source)))
    grid = read_table(sources[0])
    if is_count_table(grid) or not looks_like_answers(grid):
        counts = HintCounts()
        add_counts(counts, grid)
        return HintLeaderboard(leaderboard_of(counts))
    table = read_hint_rows(grid)
    scores = score_probe_rows(
        [],
        table.rows,
        model=model_of(table.rows, model),
        inputs=table.inputs,
        warnings=table.warnings,
    )
    return ProbeResult(scores, hint_rows=table.rows)


def model_of(rows: Iterable[OfModel], given: str | None) -> str:
    """Return whose answers rows hold."""
    names = sorted({row.model for row in rows if row.model is not None})
    if given is not None:
        return given
    if len(names) > 1:
        raise OptionError(f"the table holds answers of {', '.join(names)}: score one model at a time")
    return names[0] if names else "model"

"""A ranking of models by their reasoning as a table."""

from rich.table import Table

from concord.reasoning.compare import METRICS, ReasoningRanking
from concord.reasoning.result import LINE
from concord.records import Estimate
from concord.show.numbers import UNDEFINED, interval, number
from concord.show.reasoning_terminal import TITLES
from concord.show.terminal import table

_COLUMNS = ("rank", "model", "gap", "verdict", "acc cot", "acc early", "Step-F1", "silent bias")


def _ranking_cells(ranking: ReasoningRanking) -> list[list[str]]:
    """Return the cells of the table: values over their intervals, the verdict over the place of the line."""
    rows = []
    for row in ranking.rows:
        place = row.ranks[ranking.by]
        gap, *others = (
            _stacked_row(row.estimates[name], signed=name == "faithfulness_gap") for name in METRICS
        )
        first = [
            UNDEFINED if place is None else str(place),
            row.model,
            gap,
            f"{row.verdict}\n{row.line} {number(LINE, 2)}",
        ]
        rows.append([*first, *others])
    return rows


def _stacked_row(one: Estimate, *, signed: bool) -> str:
    """Return a number over its interval."""
    value = number(one.value, sign=signed)
    return value if one.interval is None else f"{value}\n{interval(one.interval, sign=signed)}"


def ranking_report(ranking: ReasoningRanking) -> Table:
    """Return the ranking as a table."""
    title = f"Ranking by {TITLES[ranking.by]} (the line is at {number(LINE, 2)})"
    return table(title, _COLUMNS, _ranking_cells(ranking), words=("model", "reading"))

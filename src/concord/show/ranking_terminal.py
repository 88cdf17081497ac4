"""A ranking of models by their reasoning as a terminal table, plain lines and a notebook table."""

from html import escape

from rich.table import Table

from concord.reasoning.gap import LINE
from concord.reasoning.ranking import METRICS, Ranking
from concord.records import Estimate
from concord.show.reasoning_terminal import TITLES, number, table

_COLUMNS = ("rank", "model", "gap", "reading", "acc cot", "acc early", "Step-F1", "silent bias")


def _cells(ranking: Ranking) -> list[list[str]]:
    """Return the cells of the table: values over their intervals, the reading over the place of the line."""
    rows = []
    for row in ranking.rows:
        place = row.ranks[ranking.by]
        gap, *others = (_shown(row.estimates[name], signed=name == "faithfulness_gap") for name in METRICS)
        first = [
            "-" if place is None else str(place),
            row.model,
            gap,
            f"{row.reading}\n{row.line} {LINE:.2f}",
        ]
        rows.append([*first, *others])
    return rows


def _shown(one: Estimate, *, signed: bool) -> str:
    """Return a number over its interval."""
    value = number(one.value, signed=signed)
    if one.interval is None:
        return value
    plus = "+" if signed else ""
    return f"{value}\n[{one.interval.low:{plus}.2f}, {one.interval.high:{plus}.2f}]"


def ranking_report(ranking: Ranking) -> Table:
    """Return the ranking as a table for a terminal."""
    return table(f"Ranking by {TITLES[ranking.by]}", _COLUMNS, _cells(ranking))


def ranking_text(ranking: Ranking) -> str:
    """Return the ranking as one line per model."""
    lines = [f"Ranking by {TITLES[ranking.by]} (the line is at {LINE:.2f})"]
    lines += ["  " + "  ".join(cell.replace("\n", " ") for cell in cells) for cells in _cells(ranking)]
    return "\n".join(lines)


def ranking_html(ranking: Ranking) -> str:
    """Return the ranking as an HTML table, everything escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in _COLUMNS)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _cells(ranking)
    )
    return f"<table><tr>{head}</tr>{body}</table>"

"""What became of the answers to studies, by item and condition."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from concord.errors import FileFormatError
from concord.show.page.data import PageColumn
from concord.show.page.find import rows_beside
from concord.show.page.values import Problem, ResultFile
from concord.show.svg import visible

ANSWERS_FILE = "answers.csv"
PLACE = ("study", "experiment", "item", "condition")
READ = "ok"
OUTCOMES = ("refused", "unreadable", "out of range", "empty", "missing", "not asked")
COLUMNS = (
    *(PageColumn(key, key) for key in PLACE),
    PageColumn("asked", "answers", "count"),
    PageColumn(READ, "read", "count"),
    PageColumn("unread", "share not read", "share"),
    *(PageColumn(key, key, "count") for key in OUTCOMES),
)


def read_answers(source: ResultFile) -> tuple[list[Mapping[str, Any]], list[Problem]]:
    """Read the counts of a result; a table of tests has none, which is no fault."""
    try:
        rows, shown = rows_beside(source, ANSWERS_FILE)
    except FileFormatError as fault:
        return [], [Problem(source.shown, f"{ANSWERS_FILE} next to it {fault}; answers are not counted")]
    if rows is None:
        return [], []
    counted: dict[tuple[str, ...], Counter[str]] = {}
    for row in rows:
        if not {*PLACE, "outcome", "n"} <= row.keys() or not row["n"].isdecimal() or int(row["n"]) == 0:
            return [], [Problem(shown, "holds a row that is no count of answers, so answers are not counted")]
        place = tuple(row[key] for key in PLACE)
        counted.setdefault(place, Counter())[row["outcome"]] += int(row["n"])
    made = [_count_row(place, counts) for place, counts in counted.items()]
    return sorted(made, key=lambda row: -row["unread"]), []


def _count_row(place: tuple[str, ...], counts: Counter[str]) -> dict[str, Any]:
    asked = counts.total()
    by_outcome = {key: counts[key] for key in (READ, *OUTCOMES)}
    return {
        **dict(zip(PLACE, place, strict=True)),
        "asked": asked,
        **by_outcome,
        "unread": 1 - counts[READ] / asked,
    }


def sentence(rows: tuple[Mapping[str, Any], ...]) -> str:
    """Say how many answers were read, and where most were not."""
    asked, read = sum(row["asked"] for row in rows), sum(row[READ] for row in rows)
    said = f"{read:,} of {asked:,} answers could be read and enter tests."
    worst = rows[0]
    if worst["unread"] == 0:
        return said
    where = f"{worst['study']}, {worst['item']}" + (f" ({worst['condition']})" if worst["condition"] else "")
    return f"{said} Most are lost in {visible(where)}: {worst['asked'] - worst[READ]} of {worst['asked']}."

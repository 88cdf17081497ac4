"""Scores of a run as the source lays them out: `baseline_mean` and `baseline_max`, a file per arrangement."""

from collections.abc import Callable, Mapping

from concord.files.output import safe_name
from concord.structure.answers import Answers

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
        f"{folder}/{model}_{safe_name(arrangement.replace('_', '-'))}.csv": _reduced_table(items, reduce)
        for folder, reduce in FOLDERS.items()
        for arrangement, items in cells.items()
    }


def _reduced_table(items: Mapping[str, list[float]], reduce: Callable[[list[float]], float]) -> Table:
    rows = tuple((item, reduce(scores) if scores else None) for item, scores in items.items())
    return ("item", "S_Acc"), rows

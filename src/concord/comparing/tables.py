"""Scores from tables: CSV, XLSX, Parquet, JSON, frames; one row an answer, with an item and a score."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from concord.comparing.records import NO_SCORE, SCORED, ScoreFile, SortedNames, sorted_names
from concord.errors import CellProblem, FileFormatError, OptionError, TableError, listed, quoted
from concord.files.cells import grade
from concord.files.columns import ColumnTable, read_columns, refuse_nested
from concord.files.declared import DeclaredTable, columns_of, named_column
from concord.files.documents import table_kinds
from concord.files.gate import refuse_models
from concord.files.grids import plain_title
from concord.files.keys import CONTEXT
from concord.files.tables import TableOptions, TableSource
from concord.number_words import how_many
from concord.stats.elementwise import Floats

if TYPE_CHECKING:
    import polars as pl

COLUMNS = columns_of("items", {"score": grade})
_PROBLEMS = 1000
"""Bad cells that an error carries at most."""
_SHOWN = 5
_WIDEST = 200
"""Columns of a table that may be models, one each."""


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """Names of the columns that hold items, scores, clusters and repeats; None: the usual names."""

    item: str | None = None
    score: str | None = None
    cluster: str | None = None
    repeat: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """How files of scores are read."""

    columns: ScoreColumns = ScoreColumns()
    metric: str | None = None
    names: Sequence[str] | None = None
    """What the report calls the models."""
    wrong: float | None = None
    """Score of a wrong answer; None: 0 where all scores lie from 0 to 1."""
    table: TableOptions = TableOptions()
    """How tables are read: sheet, encoding, decimal comma."""
    unit: str = "auto"
    """Whether scores above 1 are percentages: one of `doubts.UNITS`."""


def read_score_tables(
    source: TableSource,
    columns: ScoreColumns,
    *,
    name: str | None = None,
    options: TableOptions | None = None,
    label: str | None = None,
) -> list[ScoreFile]:
    """Read item scores from a table: of one model, or of all that it holds."""
    # Several models are told by a column `model` with several names in it, or by one column of scores per
    # model where no column is called like scores.
    table = read_columns(source, TableOptions() if options is None else options, name=label)
    cells = _declared(table, columns)
    title = name if name is not None else (Path(table.name).stem if table.inputs else table.name)
    wide = _columns_of_models(table, cells)
    if columns.score is None:
        _refuse_other_kind(cells, {plain_title(one.name) for one in wide})
    if wide:
        return wide
    for what in ("item", "score"):
        if what not in cells.titles:
            usual = next(one.others for one in COLUMNS if one.name == what)
            raise FileFormatError(
                f"{table.name}: no column of {what}s found among {listed(table.header)}; name it with "
                f"{_both_ways(what)}, or call it one of {', '.join(usual)}"
            )
    data = _standard(cells)
    models = _named_models(cells)
    ordered = _no_duplicates(cells, data, models)
    whole = ScoreFile(
        title,
        table.name,
        "table",
        data,
        metric=cells.titles["score"],
        inputs=table.inputs,
        warnings=(*table.warnings, *cells.notes, *_without_score(table, data)),
        ordered=ordered,
    )
    if models is None:
        return [whole]
    named = models.unique(maintain_order=True).to_list()
    refuse_models(len(named), table.name)
    first = replace(whole, name=str(named[0]), frame=data.filter(models == named[0]))
    return [
        first,
        *(replace(whole, name=str(one), frame=data.filter(models == one), warnings=()) for one in named[1:]),
    ]


def _declared(table: ColumnTable, wanted: ScoreColumns) -> DeclaredTable:
    """Find the columns: those that a user names, else the only ones with a usual name."""
    cells = DeclaredTable(table, COLUMNS, table.options)
    for one in COLUMNS:
        fitting = [cells.plain[name] for name in one.others if name in cells.plain]
        given = getattr(wanted, one.name, None)
        if given is not None:
            cells.titles[one.name] = named_column(table.name, table.header, given, f" (--{one.name})")
        elif len(fitting) > 1 and one.name in _NAMED:
            raise OptionError(
                f"{table.name}: {' and '.join(map(repr, fitting[:5]))} may be meant; name one with "
                f"{_both_ways(one.name)}"
            )
        elif len(fitting) > 1:  # models, which no option names
            del cells.titles[one.name]
    return cells


_NAMED = frozenset(one.name for one in fields(ScoreColumns))


def _both_ways(name: str) -> str:
    """Return an option with the argument of the same name, for readers who have no command line."""
    return f"--{name} NAME (Python: {name}='NAME')"


def _named_models(cells: DeclaredTable) -> "pl.Series | None":
    """Return the model of each row, where a column names several."""
    if "model" not in cells.titles:
        return None
    names = cells.names("model")
    return names if names.null_count() == 0 and names.n_unique() > 1 else None


def _columns_of_models(table: ColumnTable, cells: DeclaredTable) -> list[ScoreFile]:
    """Read a table with one column of scores per model; none where it is another."""
    if {"score", "model"} & cells.titles.keys() or "item" not in cells.titles or len(table.header) > _WIDEST:
        return []
    known = set(cells.titles.values())
    left = [name for name in table.header if name.strip() and name not in known]
    if len(set(left)) < len(left):
        return []
    models = [(name, replace(cells, titles={**cells.titles, "score": name}, read={}, notes={}))
              for name in left]  # fmt: skip
    scored = [(name, own) for name, own in models if _holds_scores(own)]
    if len(scored) < 2:
        return []
    names = [name for name, _ in scored]
    other = [name for name in left if name not in names]
    unused = f"; not used: {listed(other)}" if other else ""
    told: tuple[str, ...] = (
        f"{table.name}: read as one column of scores per model: {listed(names)}{unused}",
    )
    files = []
    for name, own in scored:
        data = _standard(own)
        _no_duplicates(own, data, None)
        empty = (*own.notes, *_without_score(table, data))
        files.append(
            ScoreFile(
                name, table.name, "table", data, metric="score", inputs=table.inputs, warnings=(*told, *empty)
            )
        )
        told = ()
    return files


def _refuse_other_kind(cells: DeclaredTable, models: set[str]) -> None:
    """Refuse a table of another kind, whose own columns would be taken for models or for scores."""
    kind = next((one for one in table_kinds() if one.fits(set(cells.plain))), None)
    if kind is None or kind.command.startswith("concord compare"):
        return
    if kind.command == "concord score probes" or any(models & set(names) for names in kind.columns.values()):
        raise FileFormatError(
            f"{cells.place}: a table of {kind.kind}, not of scores on items; give it to `{kind.command}`, "
            "then compare the folders of results; a column of scores can be named with --score (score=)"
        )


def _holds_scores(cells: DeclaredTable) -> bool:
    """Whether a column holds scores and nothing else."""
    try:
        return not np.isnan(_scores(cells)).all()
    except (TableError, FileFormatError):
        return False


def _scores(cells: DeclaredTable) -> Floats:
    """Scores as numbers; grades and words are mapped, NaN is no score, any other cell refuses the table."""
    refuse_nested(cells.place, cells.series("score"), "scores")
    own = replace(cells, problems=[], bad=set())
    values = own.numbers("score")
    if own.problems:
        raise TableError(own.problems[:_PROBLEMS])
    return values


def _standard(cells: DeclaredTable) -> "pl.DataFrame":
    """Return the columns of a score file."""
    import polars as pl

    scores = _scores(cells)
    if not len(scores):
        raise FileFormatError(f"{cells.place}: found no rows; expected one row an answer")
    items = _whole_items(cells)
    nameless = items.is_null().arg_true().head(_PROBLEMS).to_list()
    if nameless:
        raise TableError(
            [
                CellProblem(cells.place, None, cells.row(i), cells.titles["item"], None, "a name")
                for i in nameless
            ]
        )
    blank = pl.lit(None, dtype=pl.String)
    found = pl.DataFrame({"item": items, "score": pl.Series(scores, nan_to_null=True)})
    return found.with_columns(
        repeat=cells.names("repeat") if "repeat" in cells.titles else pl.lit("1"),
        outcome=pl.when(pl.col("score").is_null()).then(pl.lit(NO_SCORE)).otherwise(pl.lit(SCORED)),
        cluster=cells.names("cluster") if "cluster" in cells.titles else blank,
        fingerprint=blank,
    )


def _whole_items(cells: DeclaredTable) -> "pl.Series":
    """Return the names of items, with the columns under which they are numbered anew; this is told."""
    import polars as pl

    items = cells.names("item")
    own = [items, *(cells.names(part).alias(part) for part in ("model", "repeat") if part in cells.titles)]
    frame, used = pl.DataFrame(own), set(cells.titles.values())
    # turns of one item may as well be repeats of it, which a user has to say
    names = [one for one in CONTEXT if one in cells.plain and one != "turn"]
    there = [cells.plain[one] for one in names if cells.plain[one] not in used]
    if not there or not isinstance(cells.table, ColumnTable) or frame.n_unique() == frame.height:
        return items
    held = cells.table.take(there).cast(pl.String)
    for n in range(1, len(there) + 1):
        if frame.hstack(held.select(there[:n])).n_unique() == frame.height and not items.null_count():
            named = [*(held[one].fill_null("") for one in there[:n]), items.cast(pl.String)]
            cells.notes[f"{cells.place}: an item is one {' · '.join((*there[:n], cells.titles['item']))}"] = (
                None
            )
            return pl.select(pl.concat_str(named, separator=" · ").alias("item")).to_series()
    return items


def _no_duplicates(
    table: DeclaredTable, data: "pl.DataFrame", models: "pl.Series | None"
) -> SortedNames | None:
    """Refuse an answer that is in the table twice: repeats need a number each."""
    # Returns the items in order where each must be there once.
    import polars as pl

    repeat = table.titles.get("repeat")
    keys = ["item"] if repeat is None else ["item", "repeat"]
    if models is not None:
        data, keys = data.with_columns(models.alias("model")), ["model", *keys]
        if data.select(keys).n_unique() == data.height:
            return None
    elif repeat is None:
        ordered = sorted_names(data["item"])
        if not ordered.has_twins():
            return ordered
    elif data.select(keys).n_unique() == data.height:
        return None
    twice = data.select(keys).is_duplicated()
    first = twice.arg_true()
    item = data["item"][int(first[0])]
    one = dict(zip(keys, data.select(keys).row(int(first[0])), strict=True))
    alike = data.select(pl.all_horizontal(pl.col(key).eq_missing(pl.lit(one[key])) for key in keys))
    places = alike.to_series().arg_true().head(2).to_list()
    count = data.filter(twice)["item"].n_unique()
    fix = (
        f"number the repeats of an item in a column and name it with {_both_ways('repeat')}"
        if repeat is None
        else f"give each repeat of an item its own {repeat!r}"
    )
    raise FileFormatError(
        f"{table.place}: {how_many(count, 'item is', 'items are')} there more than once, the first "
        f"{quoted(item)} in rows {table.row(places[0])} and {table.row(places[1])}; give each item once, "
        f"or {fix}"
    )


def _without_score(table: ColumnTable, data: "pl.DataFrame") -> tuple[str, ...]:
    """Word the warning about rows without a score."""
    empty = data["score"].is_null().arg_true()
    if not len(empty):
        return ()
    shown = ", ".join(str(table.row(i)) for i in empty.head(_SHOWN).to_list())
    more = f" and {len(empty) - _SHOWN} more" if len(empty) > _SHOWN else ""
    rows = "row" if len(empty) == 1 else "rows"
    return (f"{table.name}: no score (empty or NaN) in {rows} {shown}{more}; counted as failed",)

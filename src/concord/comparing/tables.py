"""Scores from tables: CSV, XLSX, Parquet, JSON, frames; one row an answer, with an item and a score."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from concord.comparing.records import NO_SCORE, SCORED, ScoreFile
from concord.errors import (
    CellProblem,
    FileFormatError,
    OptionError,
    TableError,
    listed,
    quoted,
)
from concord.files.cells import grade, is_decimal_comma
from concord.files.columns import ColumnTable, as_names, read_columns, read_numbers, refuse_nested
from concord.files.gate import refuse_models
from concord.files.grids import names_of
from concord.files.sorted_names import SortedNames, sorted_names
from concord.files.tables import TableOptions, TableSource
from concord.number_words import how_many

if TYPE_CHECKING:
    import polars as pl

ITEM_NAMES, SCORE_NAMES, REPEAT_NAMES, CLUSTER_NAMES, MODEL_NAMES = (
    names_of("items")[part] for part in ("item", "score", "repeat", "cluster", "model")
)
_PERCENT = re.compile(r"-?[\d.,]{1,40}\s?%")
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
    title = name if name is not None else (Path(table.name).stem if table.inputs else table.name)
    wide = _columns_of_models(table, columns)
    if wide:
        return wide
    found = _resolve(table.name, table.header, columns)
    data = _standard(table, found)
    models = _named_models(table)
    ordered = _no_duplicates(table, data, found, models)
    whole = ScoreFile(
        title,
        table.name,
        "table",
        data,
        metric=found.score,
        inputs=table.inputs,
        warnings=(*table.warnings, *_without_score(table, data)),
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


def _named_models(table: ColumnTable) -> "pl.Series | None":
    """Return the model of each row, where a column names several."""
    fitting = [name for name in table.header if name.strip().casefold() in MODEL_NAMES]
    if len(fitting) != 1:
        return None
    names = as_names(table.name, table.take(fitting)[fitting[0]])
    return names if names.null_count() == 0 and names.n_unique() > 1 else None


def _columns_of_models(table: ColumnTable, wanted: ScoreColumns) -> list[ScoreFile]:
    """Read a table with one column of scores per model; none where it is another."""
    import polars as pl

    if wanted.score is not None or len(table.header) > _WIDEST:
        return []
    item = _column(table.name, table.header, wanted.item, ITEM_NAMES, "--item")
    if item is None or any(name.strip().casefold() in (*SCORE_NAMES, *MODEL_NAMES) for name in table.header):
        return []
    cluster = _column(table.name, table.header, wanted.cluster, CLUSTER_NAMES, "--cluster")
    repeat = _column(table.name, table.header, wanted.repeat, REPEAT_NAMES, "--repeat")
    left = [name for name in table.header if name.strip() and name not in (item, cluster, repeat)]
    if len(set(left)) < len(left):
        return []
    frame = table.take(left) if left else pl.DataFrame()
    scored = [name for name in left if _holds_scores(table, frame[name])]
    if len(scored) < 2:
        return []
    other = [name for name in left if name not in scored]
    unused = f"; not used: {listed(other)}" if other else ""
    told: tuple[str, ...] = (
        f"{table.name}: read as one column of scores per model: {listed(scored)}{unused}",
    )
    files = []
    for name in scored:
        found = ScoreColumns(item, name, cluster, repeat)
        data = _standard(table, found)
        _no_duplicates(table, data, found, None)
        empty = _without_score(table, data)
        files.append(
            ScoreFile(
                name, table.name, "table", data, metric="score", inputs=table.inputs, warnings=(*told, *empty)
            )
        )
        told = ()
    return files


def _holds_scores(table: ColumnTable, series: "pl.Series") -> bool:
    """Whether a column holds scores and nothing else."""
    try:
        return _score_column(table, series).null_count() < len(series)
    except (TableError, FileFormatError):
        return False


def _resolve(label: str, present: Sequence[str], wanted: ScoreColumns) -> ScoreColumns:
    """Find the columns by the names given, or by usual names."""
    item = _column(label, present, wanted.item, ITEM_NAMES, "--item")
    score = _column(label, present, wanted.score, SCORE_NAMES, "--score")
    if item is None or score is None:
        what, option = ("items", "--item") if item is None else ("scores", "--score")
        usual = ITEM_NAMES if item is None else SCORE_NAMES
        raise FileFormatError(
            f"{label}: no column of {what} found among {listed(present)}; name it with "
            f"{_both_ways(option)}, or call it one of {', '.join(usual)}"
        )
    cluster = _column(label, present, wanted.cluster, CLUSTER_NAMES, "--cluster")
    repeat = _column(label, present, wanted.repeat, REPEAT_NAMES, "--repeat")
    return ScoreColumns(item, score, cluster, repeat)


def _column(
    label: str, present: Sequence[str], wanted: str | None, usual: Sequence[str], option: str
) -> str | None:
    """Return a column by its name, or the only one with a usual name; None where there is none."""
    if wanted is not None:
        if wanted not in present:
            raise FileFormatError(f"{label}: no column {wanted!r} ({option}); found {listed(present)}")
        return wanted
    fitting = [name for name in present if name.strip().casefold() in usual]
    if len(fitting) > 1:
        raise OptionError(
            f"{label}: {' and '.join(map(repr, fitting[:5]))} may be meant; name one with "
            f"{_both_ways(option)}"
        )
    return fitting[0] if fitting else None


def _both_ways(option: str) -> str:
    """Return an option with the argument of the same name, for readers who have no command line."""
    return f"{option} NAME (Python: {option.removeprefix('--')}='NAME')"


def _standard(table: ColumnTable, names: ScoreColumns) -> "pl.DataFrame":
    """Return the columns of a score file."""
    import polars as pl

    item, score = names.item, names.score
    assert item is not None
    assert score is not None
    wanted = [column for column in (item, score, names.cluster, names.repeat) if column is not None]
    frame = table.take(wanted)
    if frame.is_empty():
        raise FileFormatError(f"{table.name}: found no rows; expected one row an answer")
    scores = _score_column(table, frame[score])
    items = as_names(table.name, frame[item])
    nameless = items.is_null().arg_true().head(_PROBLEMS).to_list()
    if nameless:
        raise TableError(
            [CellProblem(table.name, None, table.row(i), item, None, "a name") for i in nameless]
        )
    blank = pl.lit(None, dtype=pl.String)
    repeats = pl.lit("1") if names.repeat is None else as_names(table.name, frame[names.repeat])
    clusters = blank if names.cluster is None else as_names(table.name, frame[names.cluster])
    return pl.DataFrame({"item": items, "score": scores}).with_columns(
        repeat=repeats,
        outcome=pl.when(pl.col("score").is_null()).then(pl.lit(NO_SCORE)).otherwise(pl.lit(SCORED)),
        cluster=clusters,
        fingerprint=blank,
    )


def _score_column(table: ColumnTable, series: "pl.Series") -> "pl.Series":
    """Scores as numbers; grades and words are mapped, NaN is no score, anything else is a bad cell."""
    import polars as pl

    refuse_nested(table.name, series, "scores")
    values, bad = read_numbers(series, grade, decimal_comma=table.decimal_comma)
    if bad:
        raise TableError(
            [
                CellProblem(table.name, None, table.row(i), series.name, series[i], _expected(series[i]))
                for i in islice(bad, _PROBLEMS)
            ]
        )
    return pl.Series(series.name, values, nan_to_null=True)


def _expected(cell: object) -> str:
    """Say what a score looks like, and what this one was probably meant to be."""
    usual = "a finite number, or a grade C, P, I or N"
    text = str(cell)[:100].strip()
    if _PERCENT.fullmatch(text):
        return f"{usual}; write a percentage as its share, 85% as 0.85"
    if is_decimal_comma(text):
        return f"{usual}; use --decimal-comma if this is a decimal comma"
    return usual


def _no_duplicates(
    table: ColumnTable, data: "pl.DataFrame", names: ScoreColumns, models: "pl.Series | None"
) -> SortedNames | None:
    """Refuse an answer that is in the table twice: repeats need a number each."""
    # Returns the items in order where each must be there once.
    import polars as pl

    keys = ["item"] if names.repeat is None else ["item", "repeat"]
    if models is not None:
        data, keys = data.with_columns(models.alias("model")), ["model", *keys]
        if data.select(keys).n_unique() == data.height:
            return None
    elif names.repeat is None:
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
        f"number the repeats of an item in a column and name it with {_both_ways('--repeat')}"
        if names.repeat is None
        else f"give each repeat of an item its own {names.repeat!r}"
    )
    raise FileFormatError(
        f"{table.name}: {how_many(count, 'item is', 'items are')} there more than once, the first "
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

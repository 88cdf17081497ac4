"""One long table of scores, from CSV, Parquet or a frame: its columns found, its cells checked."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.errors import CellProblem, FileFormatError, InputError, TableError
from concord.structure.read.cells import LongTable, model_scores
from concord.structure.read.join import Findings
from concord.structure.read.records import Codes, LeftOut, ReadOptions, ScoreGrid, ScoreSet
from concord.structure.read.sheet import ITEM_NAMES, fold, tidy
from concord.structure.read.text import (
    OLE_MAGIC,
    ZIP_MAGIC,
    decode,
    display_name,
    find_separator,
    fingerprint,
    parse_rows,
    ragged_message,
    read_bytes,
    separator_note,
)
from concord.structure.read.values import Place, ScoreColumn, check_range, parse_cells

if TYPE_CHECKING:
    import polars as pl

FRAME_NAME = "scores (frame)"
_WANTED = "model, arrangement, item, S_mean, S_max; or model, arrangement, item, sample, S_Acc"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of the table plays which part."""

    model: str
    arrangement: str
    item: str
    scores: tuple[str, ...]
    """S_mean and S_max, or the raw score alone."""
    sample: str | None
    answer: str | None
    cluster: str | None

    def used(self) -> list[str]:
        """Every column that is read."""
        optional = [name for name in (self.sample, self.answer, self.cluster) if name is not None]
        return [self.model, self.arrangement, self.item, *self.scores, *optional]


def read_long(source: Any, options: ReadOptions) -> ScoreSet:
    """Read a long table: a path to CSV or Parquet, or a polars or pandas frame.

    Raises
    ------
    InputError
        The table cannot be read, or columns are lacking.
    """
    found = Findings()
    if isinstance(source, (str, Path)):
        path = Path(source)
        name, data = display_name(path), read_bytes(path)
        frame, columns = _load(data, name, options, found)
        row_base = 1 if data.startswith(b"PAR1") else 2
    else:
        name, row_base = FRAME_NAME, 1
        whole = to_polars(source)
        columns = find_columns(whole.columns, name, options, found)
        data, frame = _frame_bytes(whole), whole.select(columns.used())
    inputs = (fingerprint(name, data),)
    del data
    table = _code_table(frame, columns, name=name, row_base=row_base, options=options, found=found)
    del frame
    models = _all_models(table, found, options)
    found.left_out.sort(key=lambda entry: entry.model)
    return ScoreSet(tuple(models), tuple(found.left_out), tuple(found.warnings), inputs)


def _all_models(table: LongTable, found: Findings, options: ReadOptions) -> list[ScoreGrid]:
    """Build the scores of every model that can be scored."""
    models: list[ScoreGrid] = []
    for code, name in sorted(enumerate(table.models), key=lambda pair: pair[1]):
        own = Findings()
        try:
            models.append(model_scores(table, code, options=options, found=own))
        except InputError as error:
            own.left_out.append(LeftOut(name, None, table.file, str(error)))
        found.warnings += own.warnings
        found.left_out += own.left_out
    return models


def to_polars(frame: Any) -> "pl.DataFrame":
    """Take a polars or pandas frame.

    Raises
    ------
    FileFormatError
        The object is neither.
    """
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame
    if type(frame).__module__.partition(".")[0] == "pandas":
        columns = {str(name): [_or_none(cell) for cell in frame[name].tolist()] for name in frame.columns}
        return pl.DataFrame(columns, strict=False, infer_schema_length=None)
    raise FileFormatError(
        f"scores: got {type(frame).__name__}, expected a path to CSV or Parquet, or a polars or pandas frame"
    )


def _or_none(cell: Any) -> Any:
    """Turn the missing values of pandas (NaN, NaT, NA) into ``None``."""
    if cell is None or type(cell).__name__ in {"NAType", "NaTType"}:
        return None
    return None if isinstance(cell, float) and np.isnan(cell) else cell


def _frame_bytes(frame: "pl.DataFrame") -> bytes:
    """Serialise a frame, so that a result can say which data it rests on."""
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    return buffer.getvalue()


def _load(data: bytes, name: str, options: ReadOptions, found: Findings) -> "tuple[pl.DataFrame, Columns]":
    """Load the columns that are needed, from whatever the file really is."""
    if data.startswith(b"PAR1"):
        return _load_parquet(data, name, options, found)
    if data.startswith((ZIP_MAGIC, OLE_MAGIC)):
        raise FileFormatError(
            f"{name}: a workbook; --scores takes a CSV or Parquet table. Save the sheet as CSV (UTF-8), "
            "or give folders of workbooks with --mean and --max"
        )
    return _load_csv(data, name, options, found)


def _load_parquet(
    data: bytes, name: str, options: ReadOptions, found: Findings
) -> "tuple[pl.DataFrame, Columns]":
    """Load a Parquet table."""
    import polars as pl

    try:
        names = list(pl.read_parquet_schema(io.BytesIO(data)))
        columns = find_columns(names, name, options, found)
        return pl.read_parquet(io.BytesIO(data), columns=columns.used()), columns
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        detail = str(error).split("\n", 1)[0]
        raise FileFormatError(f"{name}: the Parquet file is damaged ({detail}); write it again") from error


def _load_csv(
    data: bytes, name: str, options: ReadOptions, found: Findings
) -> "tuple[pl.DataFrame, Columns]":
    """Load a text table, every column as text."""
    import polars as pl

    text = decode(data, name, options.encoding)
    separator = find_separator(text)
    found.warnings += separator_note(name, separator)
    try:
        frame = pl.read_csv(io.BytesIO(text.encode("utf-8")), separator=separator, infer_schema_length=0)
    except pl.exceptions.NoDataError as error:
        raise FileFormatError(f"{name}: no header and no rows; expected the columns {_WANTED}") from error
    except pl.exceptions.PolarsError as error:
        raise FileFormatError(_ragged(text, name, separator)) from error
    columns = find_columns(frame.columns, name, options, found)
    return frame.select(columns.used()), columns


def _ragged(text: str, name: str, separator: str) -> str:
    """Find the row that does not fit the header."""
    rows = parse_rows(text, name, separator)
    for i, cells in enumerate(rows[1:]):
        if len(cells) > len(rows[0]):
            return ragged_message(name, i + 2, len(cells), len(rows[0]))
    return f"{name}: not readable as CSV; check quotes and separators"


def find_columns(names: Sequence[str], file: str, options: ReadOptions, found: Findings) -> Columns:
    """Find the part each column plays.

    Raises
    ------
    FileFormatError
        A part has no column, or more than one.
    """
    folded = _fold_names(names, file)

    def need(*wanted: str) -> str:
        for name in wanted:
            if name in folded:
                return folded[name]
        raise FileFormatError(
            f"{file}: no column {wanted[0]!r}; columns found: {', '.join(map(repr, names))}; "
            f"expected {_WANTED}"
        )

    scores = _score_columns(folded, names, file, options)
    columns = Columns(
        need("model"),
        need("arrangement"),
        need(*ITEM_NAMES),
        scores,
        folded.get("sample") if len(scores) == 1 else None,
        folded.get("answer") if len(scores) == 1 else None,
        folded.get("cluster"),
    )
    unused = [name for name in names if name not in columns.used()]
    if unused:
        found.warnings.append(f"{file}: columns not used: {', '.join(map(repr, unused))}")
    if len(scores) == 1 and columns.sample is None:
        found.warnings.append(f"{file}: no column 'sample'; every row counts as one sample of its cell")
    return columns


def _fold_names(names: Sequence[str], file: str) -> Mapping[str, str]:
    """Look columns up in any case, refusing two that then are one."""
    folded: dict[str, str] = {}
    for name in names:
        key = fold(name.removeprefix("\ufeff"))
        if key in folded and key in {
            "model",
            "arrangement",
            *ITEM_NAMES,
            "s_mean",
            "s_max",
            "s_acc",
            "score",
        }:
            raise FileFormatError(
                f"{file}: two columns are called {key!r}: {folded[key]!r}, {name!r}; rename one"
            )
        folded.setdefault(key, name)
    return folded


def _score_columns(
    folded: Mapping[str, str], names: Sequence[str], file: str, options: ReadOptions
) -> tuple[str, ...]:
    """Find S_mean and S_max, or the raw score."""
    listed = f"columns found: {', '.join(map(repr, names))}"
    if options.column is not None:
        if fold(options.column) not in folded:
            raise FileFormatError(f"{file}: no column {options.column!r} (--column); {listed}")
        return (folded[fold(options.column)],)
    both = [folded[key] for key in ("s_mean", "s_max") if key in folded]
    raw = [folded[key] for key in ("s_acc", "score") if key in folded]
    if len(both) + len(raw) > 2 or (both and raw) or len(raw) > 1:
        raise FileFormatError(
            f"{file}: several kinds of score: {', '.join(map(repr, both + raw))}; keep S_mean and S_max "
            "or the raw score, or name the raw score with --column NAME"
        )
    if len(both) == 2:
        return (both[0], both[1])
    if raw:
        return (raw[0],)
    lacking = "no score column" if not both else f"{both[0]!r} without its counterpart"
    raise FileFormatError(f"{file}: {lacking}; {listed}; expected {_WANTED}; name another with --column NAME")


def _code_table(
    frame: "pl.DataFrame",
    columns: Columns,
    *,
    name: str,
    row_base: int,
    options: ReadOptions,
    found: Findings,
) -> LongTable:
    """Turn names into codes and scores into checked numbers."""
    import polars as pl

    if frame.height and name.lower().endswith((".csv", ".tsv", ".txt")):
        numbered = frame.with_row_index("__row").filter(~pl.all_horizontal(pl.col(frame.columns).is_null()))
        rows, frame = numbered["__row"].to_numpy().astype(np.int64) + row_base, numbered.drop("__row")
    else:
        rows = np.arange(row_base, frame.height + row_base, dtype=np.int64)
    if not frame.height:
        raise FileFormatError(f"{name}: only a header, no rows")
    model, models = code_names(frame[columns.model], fold_case=False)
    if (model < 0).any():
        empty = [CellProblem(name, None, int(rows[i]), columns.model, None, "the name of a model")
                 for i in np.flatnonzero(model < 0)]  # fmt: skip
        raise TableError(empty)
    arrangement, arrangements = code_names(frame[columns.arrangement], fold_case=True)
    item, items = code_names(frame[columns.item], fold_case=False)
    typed = not name.lower().endswith((".csv", ".tsv", ".txt"))
    scores = tuple(
        read_series(frame[score], rows, Place(name, None, score), typed=typed, options=options, found=found)
        for score in columns.scores
    )
    optional = {
        part: None if column is None else code_names(frame[column], fold_case=False)
        for part, column in (
            ("sample", columns.sample),
            ("answer", columns.answer),
            ("cluster", columns.cluster),
        )
    }
    return LongTable(
        name, rows, models, model, arrangements, arrangement, items, item, scores,
        columns=(columns.arrangement, columns.item, columns.sample), **optional,
    )  # fmt: skip


def code_names(series: "pl.Series", *, fold_case: bool) -> tuple[Codes, tuple[str, ...]]:
    """Code names as numbers in the order of their first occurrence; -1 where there is none."""
    import polars as pl

    if series.dtype.is_float():
        whole = series.is_null() | (series == series.floor())
        series = series.cast(pl.Int64) if bool(whole.all()) else series
    if series.dtype.is_integer() and not series.null_count() and len(series):
        small = _code_integers(np.asarray(series.to_numpy(), dtype=np.int64))
        if small is not None:
            return small
    text = series.cast(pl.String)
    distinct = text.drop_nulls().unique(maintain_order=True)
    raw = np.asarray(text.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy())
    names: dict[str, int] = {}
    shown: list[str] = []
    final = np.full(len(distinct) + 1, -1, dtype=np.int64)
    for i, value in enumerate(distinct.to_list()):
        key = fold(value) if fold_case else tidy(value)
        if key == "":
            continue
        if key not in names:
            names[key] = len(shown)
            shown.append(tidy(value))
        final[i] = names[key]
    return final[raw], tuple(shown)


def _code_integers(values: Codes) -> tuple[Codes, tuple[str, ...]] | None:
    """Code whole numbers of a small range without turning them into text; ``None`` for a large range."""
    low, high = int(values.min()), int(values.max())
    if high - low > 1_000_000:
        return None
    present = np.flatnonzero(np.bincount(values - low))
    recode = np.full(high - low + 1, -1, dtype=np.int64)
    recode[present] = np.arange(len(present))
    return recode[values - low], tuple(str(value + low) for value in present)


def read_series(
    series: "pl.Series", rows: Codes, place: Place, *, typed: bool, options: ReadOptions, found: Findings
) -> ScoreColumn:
    """Read a column of scores at once; only cells that are not plain numbers are looked at one by one."""
    import polars as pl

    if series.dtype == pl.Boolean:
        found.warnings.append(f"{place.file}: column {place.column!r} holds true and false, read as 1 and 0")
        series = series.cast(pl.Float64)
    if series.dtype.is_numeric():
        values = np.array(series.cast(pl.Float64).to_numpy(), dtype=np.float64)
        values[~np.isfinite(values)] = np.nan
        column = ScoreColumn(values, n_missing=int(np.isnan(values).sum()))
        return check_range(column, rows, place, options=options)
    if series.dtype != pl.String:
        raise FileFormatError(f"{place.file}: column {place.column!r} holds {series.dtype}, expected numbers")
    return _read_strings(series, rows, place, typed=typed, options=options)


def _read_strings(
    series: "pl.Series", rows: Codes, place: Place, *, typed: bool, options: ReadOptions
) -> ScoreColumn:
    """Read a column of text: numbers in bulk, everything else cell by cell."""
    import polars as pl

    bulk = series.str.strip_chars().cast(pl.Float64, strict=False)
    values = np.array(bulk.to_numpy(), dtype=np.float64)
    odd = np.flatnonzero(~np.isfinite(values) & series.is_not_null().to_numpy())
    values[~np.isfinite(values)] = np.nan
    part = parse_cells([series[int(i)] for i in odd], rows[odd], place, typed=typed, options=options)
    values[odd] = part.values
    n_plain = int(np.count_nonzero(~np.isnan(values))) - part.n_usable
    column = ScoreColumn(values, n_text_numbers=part.n_text_numbers + (n_plain if typed else 0))
    column.faults, column.lenient = list(part.faults), part.lenient
    column.n_missing = int(np.isnan(values).sum()) - len(part.faults)
    return check_range(column, rows, place, options=options)

"""Scores from tables: CSV, XLSX, Parquet, JSON, frames; one row an answer, with an item and a score."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.comparing.logs import input_file
from concord.comparing.records import GRADES, NO_SCORE, SCORED, WORDS, ScoreFile, grade
from concord.errors import BadScoreError, CellProblem, FileFormatError, OptionError, TableError
from concord.files.cells import is_missing
from concord.files.tables import MAX_ROWS, TableSource, read_grid
from concord.records import InputFile

if TYPE_CHECKING:
    import polars as pl

ITEM_NAMES = ("item", "item_id", "id", "sample_id", "doc_id", "question_id", "qid")
SCORE_NAMES = ("score", "value", "correct", "accuracy", "acc", "exact_match", "grade")
REPEAT_NAMES = ("repeat", "epoch", "run", "trial")
CLUSTER_NAMES = ("cluster", "family", "group")
LARGE_FILE = 20 * 2**20
"""CSV files beyond this size are read a column at a time instead of a cell at a time."""
_PERCENT, _DECIMAL_COMMA = re.compile(r"-?[\d.,]+\s*%"), re.compile(r"-?\d+,\d+")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns that hold items, scores, clusters and repeats; None: the usual names."""

    item: str | None = None
    score: str | None = None
    cluster: str | None = None
    repeat: str | None = None


def read_score_table(source: TableSource, columns: Columns, *, name: str | None = None) -> ScoreFile:
    """Read item scores from a table.

    Parameters
    ----------
    source
        A path, a polars or pandas frame, or a list of row mappings.
    columns
        What the columns are called.
    name
        What the report calls the model; the file's stem by default.

    Raises
    ------
    FileFormatError
        The file cannot be read, or a column is missing.
    TableError
        Cells that are no scores, or items that are named twice.
    """
    frame, rows, label, inputs, warnings = _table(source)
    title = name if name is not None else (Path(label).stem if inputs else label)
    found = _resolve(label, frame.columns, columns)
    data = _standard(label, frame, rows, found)
    _no_duplicates(label, data, found, rows)
    empty = _without_score(label, data, rows)
    return ScoreFile(
        title,
        label,
        "table",
        data,
        metric=found.score,
        inputs=inputs,
        warnings=(*warnings, *empty),
    )


_Rows = Sequence[int] | None
"""Rows as the spreadsheet shows them; None: the first is row 2 and no blank row was left out."""


def _table(
    source: Any,
) -> tuple["pl.DataFrame", _Rows, str, tuple[InputFile, ...], tuple[str, ...]]:
    """Read any table as a frame of raw cells; large files and frames never become Python cells."""
    import polars as pl

    if isinstance(source, pl.DataFrame):
        return source, None, "frame", (), ()
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return pl.from_pandas(source), None, "frame", (), ()
    if isinstance(source, str | Path):
        path = Path(source)
        suffix = path.suffix.lower()
        if suffix in (".parquet", ".pq") and path.is_file():
            return _parquet(path), None, path.name, (input_file(path),), ()
        if suffix in (".csv", ".tsv") and path.is_file() and path.stat().st_size > LARGE_FILE:
            return _large_text(path), None, path.name, (input_file(path),), ()
    grid = read_grid(source)
    if grid.problems:
        raise TableError(grid.problems)
    cells = {
        title: pl.Series(title, _plain(column))
        for title, column in zip(grid.header, grid.columns, strict=True)
    }
    return pl.DataFrame(cells), grid.rows, grid.name, grid.inputs, grid.warnings


def _plain(cells: Sequence[object]) -> list[Any]:
    """Cells that one column can hold: numbers stay numbers if all are, else everything is text."""
    kept = [None if is_missing(cell) else cell for cell in cells]
    if all(cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool)) for cell in kept):
        return [None if cell is None else float(cell) for cell in kept]  # type: ignore[arg-type]
    return [None if cell is None else str(cell) for cell in kept]


def _parquet(path: Path) -> "pl.DataFrame":
    import polars as pl

    try:
        scan = pl.scan_parquet(path)
        declared = scan.select(pl.len()).collect().item()
        if declared > 50 * MAX_ROWS:
            raise FileFormatError(f"{path.name}: {declared:,} rows, expected at most {50 * MAX_ROWS:,}")
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FileFormatError(f"{path.name}: damaged or not Parquet: {reason}; write it again") from error


def _large_text(path: Path) -> "pl.DataFrame":
    import polars as pl

    from concord.files.delimited import recognise_delimiter

    with path.open(encoding="utf-8-sig", errors="replace") as file:
        delimiter = recognise_delimiter(file.read(65536))
    try:
        return pl.read_csv(path, separator=delimiter, infer_schema=False, null_values=[""])
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FileFormatError(f"{path.name}: cannot be read as CSV: {reason}") from error


def _resolve(label: str, present: Sequence[str], wanted: Columns) -> Columns:
    """Find the columns by the names given, or by usual names."""
    item = _column(label, present, wanted.item, ITEM_NAMES, "--item")
    score = _column(label, present, wanted.score, SCORE_NAMES, "--score")
    if item is None or score is None:
        what, option = ("items", "--item") if item is None else ("scores", "--score")
        usual = ITEM_NAMES if item is None else SCORE_NAMES
        raise FileFormatError(
            f"{label}: no column of {what} found among {', '.join(map(repr, present))}; name it with "
            f"{option}, or call it one of {', '.join(usual)}"
        )
    cluster = _column(label, present, wanted.cluster, CLUSTER_NAMES, "--cluster")
    repeat = _column(label, present, wanted.repeat, REPEAT_NAMES, "--repeat")
    return Columns(item, score, cluster, repeat)


def _column(
    label: str, present: Sequence[str], wanted: str | None, usual: Sequence[str], option: str
) -> str | None:
    """Return a column by its name, or the only one with a usual name; None where there is none."""
    if wanted is not None:
        if wanted not in present:
            raise FileFormatError(
                f"{label}: no column {wanted!r} ({option}); found {', '.join(map(repr, present))}"
            )
        return wanted
    fitting = [name for name in present if name.strip().casefold() in usual]
    if len(fitting) > 1:
        raise OptionError(
            f"{label}: both {' and '.join(map(repr, fitting))} may be meant; name one with {option}"
        )
    return fitting[0] if fitting else None


def _standard(label: str, frame: "pl.DataFrame", rows: _Rows, names: Columns) -> "pl.DataFrame":
    """Return the columns of a score file."""
    import polars as pl

    if frame.is_empty():
        raise FileFormatError(f"{label}: found no rows; expected one row an answer")
    item, score = names.item, names.score
    assert item is not None
    assert score is not None
    scores = _scores(label, frame[score], rows)
    items = _names(frame[item])
    nameless = items.is_null().arg_true().to_list()
    if nameless:
        raise TableError([CellProblem(label, None, _row(rows, i), item, None, "a name") for i in nameless])
    blank = pl.lit(None, dtype=pl.String)
    return pl.DataFrame({"item": items, "score": scores}).with_columns(
        repeat=pl.lit("1") if names.repeat is None else _names(frame[names.repeat]),
        outcome=pl.when(pl.col("score").is_null()).then(pl.lit(NO_SCORE)).otherwise(pl.lit(SCORED)),
        cluster=blank if names.cluster is None else _names(frame[names.cluster]),
        fingerprint=blank,
    )


def _names(series: "pl.Series") -> "pl.Series":
    """Names as text without blanks around them; a whole number that was read as 3.0 is named 3."""
    import polars as pl

    if series.dtype.is_float() and bool((series.drop_nulls() % 1 == 0).all()):
        series = series.cast(pl.Int64)
    names = series.cast(pl.String).str.strip_chars()
    return names.set(names == "", None)


def _scores(label: str, series: "pl.Series", rows: _Rows) -> "pl.Series":
    """Scores as numbers; grades and words are mapped, NaN is no score, anything else is a bad cell."""
    import polars as pl

    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        numbers = series.cast(pl.Float64).fill_nan(None)
        wrong = numbers.is_infinite().fill_null(value=False).arg_true().to_list()
        _refuse(label, series, rows, wrong)
        return numbers
    text = series.cast(pl.String).str.strip_chars()
    words = {**GRADES, **WORDS}
    mapped = text.str.to_lowercase().replace_strict(words, default=None, return_dtype=pl.Float64)
    numbers = text.cast(pl.Float64, strict=False).fill_nan(None).fill_null(mapped)
    open_cells = (numbers.is_null() & text.is_not_null() & (text != "")) | numbers.is_infinite().fill_null(
        value=False
    )
    _refuse(label, series, rows, [i for i in open_cells.arg_true().to_list() if not _is_nothing(text[i])])
    return numbers


def _is_nothing(cell: str) -> bool:
    """Whether a cell says in words that there is no score."""
    try:
        return is_missing(cell) or grade(cell) is None
    except BadScoreError:
        return False


def _refuse(label: str, series: "pl.Series", rows: _Rows, wrong: Sequence[int]) -> None:
    if wrong:
        raise TableError(
            [
                CellProblem(label, None, _row(rows, i), series.name, series[i], _expected(series[i]))
                for i in wrong
            ]
        )


def _expected(cell: object) -> str:
    """Say what a score looks like, and what this one was probably meant to be."""
    usual = "a finite number, or a grade C, P, I or N"
    text = str(cell).strip()
    if _PERCENT.fullmatch(text):
        return f"{usual}; write a percentage as its share, 85% as 0.85"
    if _DECIMAL_COMMA.fullmatch(text):
        return f"{usual}; write a decimal comma as a point"
    return usual


def _row(rows: _Rows, index: int) -> int:
    return index + 2 if rows is None else rows[index]


def _no_duplicates(label: str, data: "pl.DataFrame", names: Columns, rows: _Rows) -> None:
    """Refuse an answer that stands in the table twice: repeats need a number each."""
    twice = data.select(["item", "repeat"]).is_duplicated()
    if not twice.any():
        return
    first = twice.arg_true().to_list()
    item = data["item"][first[0]]
    again = next(i for i in first[1:] if data["item"][i] == item)
    count = data.filter(twice)["item"].n_unique()
    way_out = (
        "number the repeats of an item in a column and name it with --repeat"
        if names.repeat is None
        else f"give each repeat of an item its own {names.repeat!r}"
    )
    raise FileFormatError(
        f"{label}: {count} item(s) stand there more than once, the first {item!r} in rows "
        f"{_row(rows, first[0])} and {_row(rows, again)}; give each item once, or {way_out}"
    )


def _without_score(label: str, data: "pl.DataFrame", rows: _Rows) -> tuple[str, ...]:
    """Word the warning about rows without a score."""
    empty = data["score"].is_null().arg_true().to_list()
    if not empty:
        return ()
    shown = ", ".join(str(_row(rows, i)) for i in empty[:_SHOWN])
    more = f" and {len(empty) - _SHOWN} more" if len(empty) > _SHOWN else ""
    return (f"{label}: no score (empty or NaN) in row(s) {shown}{more}; counted as failed",)

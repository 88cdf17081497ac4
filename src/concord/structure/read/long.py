"""One long table of scores, from any file or frame: its columns found, its cells checked."""

import io
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.errors import CellProblem, FileFormatError, InputError, OptionError, TableError, listed
from concord.files.cells import FLAGS, YES_NO
from concord.files.columns import ColumnTable, as_names, form_notes, read_columns
from concord.files.contents import display_name, fingerprint
from concord.files.declared import DeclaredTable, TableColumn
from concord.files.grids import names_of, plain_title, plain_titles
from concord.files.keys import note_units
from concord.files.tables import TableOptions
from concord.structure.read.join import Findings, LongTable, model_scores
from concord.structure.read.sheet import (
    ITEM_NAMES,
    Place,
    ScoreColumn,
    fold,
    read_cells,
    tidy,
)
from concord.structure.records import Codes, LeftOut, ReadOptions, ScoreGrid, ScoreSet

if TYPE_CHECKING:
    import polars as pl

FRAME_NAME = "scores (frame)"
_WANTED = "model, arrangement, item, S_mean, S_max; or model, arrangement, item, sample, S_Acc"
_NAMES = names_of("scores")
_BOTH, _RAW, _OTHER = ("s_mean", "s_max"), ("s_acc", "score"), _NAMES["score"]
_OWN = frozenset(("arrangement", *ITEM_NAMES, "sample", *_BOTH, *_RAW))
"""Names that need no word."""
COLUMNS = (
    *(TableColumn(part, _NAMES[part]) for part in ("model", "arrangement", "item", "sample")),
    *(TableColumn(name) for name in (*_BOTH, *_RAW, *_OTHER, "answer", "cluster")),
)


Roles = Mapping[str, str]
"""Which column plays which part; without a model the table is of one, which is called as the file is."""


def read_long(source: Any, options: ReadOptions) -> ScoreSet:
    """Read a long table: a path to CSV, XLSX, Parquet or JSON, a frame, or a list of rows."""
    found = Findings()
    table = _open(source, options)
    table = _one_row_per_model(table, {} if options.column is not None else columns_of_models(table))
    found.warnings += table.warnings
    roles, scores = find_columns(DeclaredTable(table, COLUMNS, table.options), options, found)
    frame = _with_whole_items(table, roles, scores, found)
    inputs = table.inputs if table.inputs else (fingerprint(table.name, _frame_bytes(frame)),)
    coded = _code_table(frame, roles, scores, table, options=options, found=found)
    text = sum(score.n_text_numbers for score in coded.scores)
    if text:
        found.warnings.append(f"{table.name}: {text} numbers are stored as text, read as numbers")
    del frame
    models = _all_models(coded, found, options)
    found.left_out.sort(key=lambda entry: entry.model)
    return ScoreSet(tuple(models), tuple(found.left_out), tuple(found.warnings), inputs)


def _open(source: Any, options: ReadOptions) -> ColumnTable:
    """Open the table; a file is called by its folder and name, as other files of scores are."""
    try:
        table = read_columns(
            source, TableOptions(options.sheet, options.encoding, options.decimal_comma), name=FRAME_NAME
        )
    except OptionError as error:
        if not str(error).startswith("got "):
            raise
        raise FileFormatError(f"scores: {error}") from error
    if not isinstance(source, str | os.PathLike):
        return table
    name = display_name(Path(source))
    warnings = tuple(name + note.removeprefix(table.name) if note.startswith(table.name) else note
                     for note in table.warnings)  # fmt: skip
    inputs = tuple(replace(file, name=name) for file in table.inputs)
    return replace(table, name=name, warnings=warnings, inputs=inputs)


_PER_MODEL = re.compile(r"([^:|@]+)[:|@](.+)")


def columns_of_models(table: ColumnTable) -> dict[str, tuple[str, str]]:
    """Return the columns that are one model's scores each, with the name of the score and of the model.

    Columns such as ``p_correct:NAME``; or all beside items and arrangements, where they say right or wrong.
    """
    folded = plain_titles(table.header)
    if {*folded} & {*_BOTH, *_RAW, *_OTHER, *_NAMES["model"]}:
        return {}
    held = {title: match for title in table.header if (match := _PER_MODEL.fullmatch(title)) is not None}
    for score in (*_RAW, *_OTHER):
        own = {title: match[2].strip() for title, match in held.items() if plain_title(match[1]) == score}
        if own:
            return {title: (score, name) for title, name in own.items()}
    parts = [set(_NAMES[part]) for part in ("arrangement", "item", "sample")]
    others = [
        title
        for title, name in zip(table.header, folded, strict=True)
        if not any(name in one for one in parts)
    ]
    known = all(one & {*folded} for one in parts[:2]) and len(set(table.header)) == len(table.header)
    if not known or len(others) < 2 or "" in table.header:
        return {}
    frame = table.take(others)
    if any(frame[one].dtype.is_nested() or str(frame[one].dtype) == "Object" for one in others):
        return {}
    for one in others:
        words = {str(cell).strip().casefold() for cell in frame[one].drop_nulls().unique().to_list()} - {""}
        if not words or not words <= FLAGS.keys():
            return {}
    return {title: ("correct", title) for title in others}


def _one_row_per_model(table: ColumnTable, own: Mapping[str, tuple[str, str]]) -> ColumnTable:
    """Lay scores that are in one column per model below each other."""
    import polars as pl

    if not own:
        return table
    score = next(iter(own.values()))[0]
    kept = [title for title in table.header if title not in own and _PER_MODEL.fullmatch(title) is None]
    whole = table.take([*kept, *own])
    parts = [
        whole.select(*kept, pl.lit(name).alias("model"), pl.col(title).cast(pl.String).alias(score))
        if len({whole[one].dtype for one in own}) > 1
        else whole.select(*kept, pl.lit(name).alias("model"), pl.col(title).alias(score))
        for title, (_, name) in own.items()
    ]
    told = f"{table.name}: one column {score!r} per model: {listed([name for _, name in own.values()])}"
    rows = np.arange(whole.height, dtype=np.int64) + 2 if table.rows is None else table.rows
    return replace(
        table,
        header=(*kept, "model", score),
        load=pl.concat(parts).select,
        rows=np.tile(rows, len(own)),
        warnings=(*table.warnings, told),
    )


_COMPLETE = 0.8
"""Share of the units that must be in two arrangements, for a column to be part of what names them."""


def _with_whole_items(
    table: ColumnTable, roles: Roles, scores: Sequence[str], found: Findings
) -> "pl.DataFrame":
    """Return the columns that are read; an item has the columns beside its name that number it anew."""
    import polars as pl

    key, rest = (
        [roles[part] for part in parts if part in roles]
        for parts in (("model", "arrangement", "item"), ("sample", "answer", "cluster"))
    )
    used = [*key, *scores, *rest]  # what is recorded of data in memory is of the columns in this order
    frame, item = table.take(used), roles["item"]
    compared = not any(dtype == pl.Object or dtype.is_nested() for dtype in frame.select(key).dtypes)
    if "sample" in roles or not compared or frame.select(key).n_unique() == frame.height:
        return frame
    counts = Counter(table.header)
    others = [one for one in table.header if one and one not in used and counts[one] == 1]
    whole = table.take([*key, *others])
    chosen: list[str] = []
    for title in others:
        series = whole[title]
        if series.dtype.is_float() or series.dtype.is_nested() or series.dtype == pl.Object:
            continue
        units = whole.select(item, *chosen, title).n_unique()
        if units == whole.select(item, *chosen).n_unique():
            continue
        wide = whole.group_by(item, *chosen, title).agg(pl.col(roles["arrangement"]).n_unique().alias("n"))
        if (wide["n"] >= 2).mean() >= _COMPLETE:  # type: ignore[operator]
            chosen.append(title)
        if chosen and whole.select(*key, *chosen).n_unique() == whole.height:
            break
    if not chosen or whole.select(*key, *chosen).n_unique() < whole.height:
        return frame
    named = [pl.col(one).cast(pl.String).fill_null("") for one in (*chosen, item)]
    joined = whole.select(pl.concat_str(named, separator=" · ").alias(item)).to_series()
    found.warnings[:] = [note for note in found.warnings if "columns not used" not in note]
    found.warnings.append(f"{table.name}: an item is one {' · '.join((*chosen, item))}")
    note_units(chosen)
    return frame.with_columns(joined)


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


def _frame_bytes(frame: "pl.DataFrame") -> bytes:
    """Serialise a frame, so that a result can say which data it rests on."""
    import polars as pl

    buffer = io.BytesIO()
    try:
        frame.write_ipc(buffer)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):  # Python objects have no such form
        return repr(frame.rows()).encode("utf-8", "replace")
    return buffer.getvalue()


def find_columns(
    table: DeclaredTable, options: ReadOptions, found: Findings
) -> tuple[Roles, tuple[str, ...]]:
    """Find the part each column plays."""
    names, titles, file = table.table.header, table.titles, table.place
    for key, count in Counter(map(plain_title, names)).items():
        if count > 1 and key in {"model", *_OWN} - {"sample"}:
            alike = ", ".join(repr(name) for name in names if plain_title(name) == key)
            raise FileFormatError(f"{file}: two columns are called {key!r}: {alike}; rename one")

    def need(wanted: str, held: Mapping[str, str]) -> str:
        if wanted in held:
            return held[wanted]
        raise FileFormatError(
            f"{file}: no column {wanted!r}; columns found: {listed(names)}; expected {_WANTED}"
        )

    scores = _score_columns(table, options)
    raw = len(scores) == 1
    roles = {"arrangement": need("arrangement", titles), "item": need("item", titles)}
    roles |= {"model": titles["model"]} if "model" in titles else {}
    roles |= {part: titles[part] for part in ("sample", "answer") if raw and part in titles}
    if options.cluster is not None or "cluster" in titles:
        own = options.cluster is None
        roles["cluster"] = titles["cluster"] if own else need(plain_title(str(options.cluster)), table.plain)
    unused = [name for name in names if name not in {*roles.values(), *scores}]
    named = [roles[part] for part in ("arrangement", "item", "sample") if part in roles]
    taken = [*named[:2], *scores, *named[2:]]
    if any(plain_title(name) not in _OWN for name in taken):
        found.warnings.append(f"{file}: read by its columns {listed(taken)}")
    if "model" not in roles:
        found.warnings.append(f"{file}: no column 'model'; all rows count as those of one model")
    if unused:
        found.warnings.append(f"{file}: columns not used: {listed(unused)}")
    if raw and "sample" not in roles:
        found.warnings.append(f"{file}: no column 'sample'; every row counts as one sample of its cell")
    return roles, scores


def _score_columns(table: DeclaredTable, options: ReadOptions) -> tuple[str, ...]:
    """Find S_mean and S_max, or the raw score."""
    file, present = table.place, f"columns found: {listed(table.table.header)}"
    if options.column is not None:
        if plain_title(options.column) not in table.plain:
            raise FileFormatError(f"{file}: no column {options.column!r} (--column); {present}")
        return (table.plain[plain_title(options.column)],)
    both, raw, other = (
        [table.titles[name] for name in names if name in table.titles] for names in (_BOTH, _RAW, _OTHER)
    )
    if len(both) + len(raw) > 2 or (both and raw) or len(raw) > 1:
        raise FileFormatError(
            f"{file}: several kinds of score: {', '.join(map(repr, both + raw))}; keep S_mean and S_max "
            "or the raw score, or name the raw score with --column NAME"
        )
    if len(both) == 2:
        return (both[0], both[1])
    if not both and not raw and len(other) > 1:
        raise FileFormatError(
            f"{file}: {' and '.join(map(repr, other))} may be the score; name one with --column NAME"
        )
    if raw or (other and not both):
        return ((*raw, *other)[0],)
    lacking = "no score column" if not both else f"{both[0]!r} without its counterpart"
    raise FileFormatError(
        f"{file}: {lacking}; {present}; expected {_WANTED}; name another with --column NAME"
    )


def _code_table(
    frame: "pl.DataFrame",
    roles: Roles,
    scores: Sequence[str],
    table: ColumnTable,
    *,
    options: ReadOptions,
    found: Findings,
) -> LongTable:
    """Turn names into codes and scores into checked numbers."""
    name = table.name
    if not frame.height:
        raise FileFormatError(f"{name}: only a header, no rows")
    rows = np.arange(2, frame.height + 2, dtype=np.int64) if table.rows is None else table.rows
    models: tuple[str, ...] = ("model" if name == FRAME_NAME else Path(name).stem,)
    model: Codes = np.zeros(frame.height, dtype=np.int64)
    if "model" in roles:
        model, models = code_names(name, frame[roles["model"]], fold_case=False)
    if (model < 0).any():
        empty = [CellProblem(name, None, int(rows[i]), roles["model"], None, "the name of a model")
                 for i in np.flatnonzero(model < 0)[:1000]]  # fmt: skip
        raise TableError(empty)
    arrangement, arrangements = code_names(name, frame[roles["arrangement"]], fold_case=True)
    item, items = code_names(name, frame[roles["item"]], fold_case=False)
    read = tuple(
        read_series(
            frame[score], rows, Place(name, None, score), typed=table.typed, options=options, found=found
        )
        for score in scores
    )
    optional = {
        part: code_names(name, frame[roles[part]], fold_case=False)
        for part in ("sample", "answer", "cluster")
        if part in roles
    }
    return LongTable(
        name, rows, models, model, arrangements, arrangement, items, item, read,
        columns=(roles["arrangement"], roles["item"], roles.get("sample")), **optional,
    )  # fmt: skip


def code_names(table: str, series: "pl.Series", *, fold_case: bool) -> tuple[Codes, tuple[str, ...]]:
    """Code names as numbers in the order of their first occurrence; -1 where there is none."""
    import polars as pl

    if series.dtype.is_integer() and not series.null_count() and len(series):
        low, high = int(series.min()), int(series.max())  # type: ignore[arg-type]
        if high - low <= 1_000_000 and high < 2**62:
            return _code_integers(np.asarray(series.to_numpy(), dtype=np.int64))
    text = as_names(table, series)
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


def _code_integers(values: Codes) -> tuple[Codes, tuple[str, ...]]:
    """Code whole numbers of a small range without turning them into text."""
    low, high = int(values.min()), int(values.max())
    present = np.flatnonzero(np.bincount(values - low))
    recode = np.full(high - low + 1, -1, dtype=np.int64)
    recode[present] = np.arange(len(present))
    return recode[values - low], tuple(str(value + low) for value in present)


def read_series(
    series: "pl.Series", rows: Codes, place: Place, *, typed: bool, options: ReadOptions, found: Findings
) -> ScoreColumn:
    """Read a column of scores at once; only cells that are not plain numbers are looked at one by one."""
    import polars as pl

    if series.dtype == pl.String:
        words = series.str.strip_chars().str.to_lowercase()
        held = set(words.drop_nulls().unique()) - {""}
        if held and held <= YES_NO.keys():
            yes = [word for word in held if YES_NO[word]]
            series = pl.select(pl.when(words != "").then(words.is_in(yes))).to_series()
    if series.dtype == pl.Boolean:
        found.warnings.append(f"{place.file}: column {place.column!r} holds true and false, read as 1 and 0")
        series = series.cast(pl.Float64)
    if not series.dtype.is_numeric() and series.dtype not in (pl.Null, pl.String, pl.Categorical, pl.Enum):
        raise FileFormatError(f"{place.file}: column {place.column!r} holds {series.dtype}, expected numbers")
    is_text = not series.dtype.is_numeric() and series.dtype != pl.Null
    column = read_cells(series, rows, place, options, typed=typed and is_text)
    found.warnings += form_notes(f"{place.file}, column {place.column!r}", column.forms)
    return column

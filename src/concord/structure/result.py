"""The result of scoring structure, and its folder: `write` and `read`."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError, OptionError, printable
from concord.files.codec import decode, encode
from concord.files.contents import fingerprint, is_file, read_bytes
from concord.files.documents import check_heading, folder_with, heading, need_keys, provenance, recorded
from concord.files.json_text import parsed
from concord.files.output import frame_of, write_csv, write_json
from concord.files.rows import read_back
from concord.records import Estimate, InputFile, Interval, Provenance, Publishable, ScoredBy
from concord.structure.records import (
    ArrangementRow,
    CellScore,
    Consistency,
    Difference,
    ItemRow,
    LeftOut,
    ModelResult,
    Order,
    ReadOptions,
    ScoreOptions,
    StructureScores,
)

if TYPE_CHECKING:
    import polars as pl


S_COLUMNS = (
    "Model Name", "E_perf", "R_sens", "S_Cons", "reading", "E_low", "E_high", "R_low", "R_high", "S_low",
    "S_high", "R_crossfit", "E_star", "R_star", "S_star", "tau", "tau_low", "tau_high", "p_order",
    "n_items", "n_arrangements", "n_missing",
    "paired_E_perf", "paired_R_sens", "paired_S_Cons", "paired_E_low", "paired_E_high", "paired_R_low",
    "paired_R_high", "paired_S_low", "paired_S_high", "paired_R_crossfit",
    "across_E_perf", "across_R_sens", "across_S_Cons", "across_E_low", "across_E_high",
    "E_star_low", "E_star_high", "R_star_low", "R_star_high", "S_star_low", "S_star_high",
    "R_star_crossfit",
    "star_note", "R_at", "worst_arrangement", "worst_mean", "best_arrangement", "best_mean", "spread",
    "F_order", "epsilon", "n_incomplete", "share_item", "share_arrangement", "share_interaction",
    "share_noise",
    "flip_excess", "flip_low", "flip_high", "samples_low", "samples_high", "worst_low", "worst_high", "gate",
)  # fmt: skip

ARRANGEMENT_COLUMNS = (
    "Model Name", "arrangement", "reading", "gap", "low", "high", "mean", "n", "baseline", "max",
    "paired_gap", "star_gap", "n_mean", "n_max", "n_missing_mean", "n_missing_max", "n_only_mean",
    "n_only_max",
    "n_text_numbers", "n_clipped",
)  # fmt: skip

ITEM_COLUMNS = (
    "Model Name", "item", "cluster", "mean", "n_arrangements", "paired_gap", "across_gap",
    "worst_arrangement", "best_arrangement", "flip_excess",
)  # fmt: skip

CELL_COLUMNS = ("Model Name", "item", "arrangement", "mean", "max", "star_gap")

DIFFERENCE_COLUMNS = (
    "first", "second", "reading", "E_perf", "E_low", "E_high", "R_sens", "R_low", "R_high", "S_Cons", "S_low",
    "S_high", "tau", "tau_low", "tau_high", "n_items", "n_arrangements", "note", "E_p", "R_p",
    "S_p", "flip_excess", "flip_low", "flip_high", "worst", "worst_low", "worst_high", "tau_p", "flip_p",
    "worst_p",
)  # fmt: skip

LEFT_OUT_COLUMNS = ("Model Name", "arrangement", "file", "reason")

Row = list[object]


def _end_cells(interval: Interval | None) -> Row:
    """Low and high end."""
    return [None, None] if interval is None else [interval.low, interval.high]


def _with_ends(estimate: Estimate) -> Row:
    """Value, low and high end."""
    return [estimate.value, *_end_cells(estimate.interval)]


def _gap_cells(definition: Consistency | None) -> Row:
    """E, R and S."""
    if definition is None:
        return [None, None, None]
    return [definition.e_perf.value, definition.r_sens.value, definition.s_cons.value]


def _all_ends(definition: Consistency | None) -> Row:
    """Return the ends of E, R and S."""
    if definition is None:
        return [None] * 6
    return [
        end
        for part in (definition.e_perf, definition.r_sens, definition.s_cons)
        for end in _end_cells(part.interval)
    ]


def _crossfit(definition: Consistency | None) -> float | None:
    """Cross-fit R."""
    return None if definition is None or definition.r_crossfit is None else definition.r_crossfit.value


def model_row(model: ModelResult) -> Row:
    """One model as a row of `s_cons_results.csv`."""
    main, paired, across = model.consistency, model.definition("paired"), model.definition("across")
    return [
        model.model, *_gap_cells(main), main.definition, *_all_ends(main), _crossfit(main),
        *_gap_cells(model.fixed_m), *_order_columns(model),
        model.n_items, model.n_arrangements, model.n_missing,
        *_gap_cells(paired), *_all_ends(paired), _crossfit(paired),
        *_gap_cells(across), *_all_ends(across)[:2], *_all_ends(model.fixed_m), _crossfit(model.fixed_m),
        model.fixed_m_note, main.r_at, *_detail_columns(model),
    ]  # fmt: skip


def _order_columns(model: ModelResult) -> Row:
    """Tau, its interval and the test."""
    effect = model.order.effect
    return [None] * 4 if effect is None else [effect.tau, *_end_cells(effect.interval), effect.p_value]


def _detail_columns(model: ModelResult) -> Row:
    """Worst and best arrangement, shares of variance, flips, samples per cell."""
    order, effect, flips = model.order, model.order.effect, model.flip_excess
    k = model.samples_per_cell
    return [
        order.worst, order.lowest, order.best, order.highest, order.spread,
        *([None, None] if effect is None else [effect.f, effect.epsilon]), order.n_incomplete,
        *_share_columns(model),
        *([None] * 3 if flips is None else _with_ends(flips)),
        *([None, None] if k is None else k), *_end_cells(model.worst.interval), model.gate,
    ]  # fmt: skip


def _share_columns(model: ModelResult) -> Row:
    """Shares of variance."""
    shares = model.order.shares
    if shares is None:
        return [None] * 4
    return [shares.item, shares.arrangement, shares.interaction, shares.noise]


def arrangement_rows(scores: StructureScores) -> Iterator[Row]:
    """Rows of `arrangements.csv`."""
    for model in scores.models:
        for row in model.arrangements:
            c = row.counts
            yield [
                model.model, row.name, model.consistency.definition, row.gap, *_end_cells(row.interval),
                row.mean_score, row.n, row.is_baseline, row.max_score, row.paired_gap, row.fixed_m_gap,
                c.n_mean, c.n_max,
                c.missing_mean, c.missing_max, c.only_mean, c.only_max, c.text_numbers, c.clipped,
            ]  # fmt: skip


def item_rows(scores: StructureScores) -> Iterator[Row]:
    """Rows of `items.csv`."""
    for model in scores.models:
        for row in model.items:
            yield [
                model.model, row.name, row.cluster, row.mean_score, row.n_arrangements, row.paired_gap,
                row.across_gap, row.worst_arrangement, row.best_arrangement, row.flip_excess,
            ]  # fmt: skip


def cell_rows(scores: StructureScores) -> Iterator[Row]:
    """Rows of `cells.csv`: the scores of every item under every arrangement, all that a comparison needs."""
    for model in scores.models:
        for row in model.items:
            for cell in row.scores:
                yield [model.model, row.name, *cell]


def difference_row(entry: Difference) -> Row:
    """One pair of models as a row of `differences.csv`."""
    numbers = (entry.e_perf, entry.r_sens, entry.s_cons, entry.tau)
    values = [part for number in numbers for part in _with_ends(number)]
    return [
        entry.first, entry.second, entry.definition, *values, entry.n_items, entry.n_arrangements, entry.note,
        *entry.p_values, *_with_ends(entry.flip_excess), *_with_ends(entry.worst), *entry.order_p_values,
    ]  # fmt: skip


KIND = "structure result"
_GAPS = ("E_perf", "R_sens", "S_Cons")
_ORDER = ("tau", "flip_excess", "worst")


def document_of(
    scores: StructureScores, read_options: ReadOptions, made: Provenance | None
) -> dict[str, Any]:
    """Return what `result.json` holds and ``--json`` prints."""
    left, options = scores.left_out, scores.options
    document: dict[str, Any] = encode(
        {
            **heading(KIND),
            "question": "structure",
            **provenance(scores.inputs),
            "reading": options.definition,
            "seed": options.seed,
            "options": {**encode(options), **encode(read_options)},
            **asdict(Provenance() if made is None else made),
            "counts": {
                "models_scored": len(scores.models),
                "models_left_out": sum(entry.arrangement is None for entry in left),
                "arrangements_left_out": sum(entry.arrangement is not None for entry in left),
                "scores_missing": sum(model.n_missing for model in scores.models),
                "warnings": len(scores.warnings),
            },
            "models": [_model(model) for model in scores.models],
            "arrangements": [
                {**dict(zip(ARRANGEMENT_COLUMNS, line, strict=True)), "interval": encode(row.interval)}
                for line, row in zip(
                    arrangement_rows(scores),
                    (row for model in scores.models for row in model.arrangements),
                    strict=True,
                )
            ],
            "differences": [_difference(entry) for entry in scores.differences],
            "left_out": encode(left),
            "warnings": list(scores.warnings),
        }
    )
    return document


def _model(model: ModelResult) -> dict[str, Any]:
    return {
        "model": model.model,
        "readings": [encode(entry) for entry in (model.consistency, *model.others)],
        "fixed_m": encode(model.fixed_m),
        "fixed_m_note": model.fixed_m_note,
        "order": _order(model.order),
        "variance_shares": encode(model.order.shares),
        "flip_excess": encode(model.flip_excess),
        "n_items": model.n_items,
        "n_arrangements": model.n_arrangements,
        "n_missing": model.n_missing,
        "samples_per_cell": encode(model.samples_per_cell),
        "sentence": model.sentence,
        "notes": list(model.notes),
        "worst": encode(model.worst),
        "gate": model.gate,
    }


def _order(order: Order) -> dict[str, Any]:
    effect = order.effect
    ends = None if effect is None else effect.interval
    return {
        "tau": None if effect is None else effect.tau,
        "tau_low": None if ends is None else ends.low,
        "tau_high": None if ends is None else ends.high,
        "F": None if effect is None else effect.f,
        "df1": None if effect is None else effect.df1,
        "df2": None if effect is None else effect.df2,
        "epsilon": None if effect is None else effect.epsilon,
        "p": None if effect is None else effect.p_value,
        "n_items": None if effect is None else effect.n_items,
        "n_incomplete": order.n_incomplete,
        "worst": order.worst,
        "worst_mean": order.lowest,
        "best": order.best,
        "best_mean": order.highest,
        "spread": order.spread,
        "note": order.note,
        "effect": encode(effect),
    }


def _difference(entry: Difference) -> dict[str, Any]:
    whole = encode(entry)
    first, second = whole.pop("p_values"), whole.pop("order_p_values")
    return {**whole, "p_values": dict(zip((*_GAPS, *_ORDER), (*first, *second), strict=True))}


def scores_of(
    document: Mapping[str, Any], items: Mapping[str, Sequence[ItemRow]], *, where: str
) -> tuple[StructureScores, ReadOptions, Provenance | None]:
    """Return what a document and the tables of items and cells hold; the inverse of `document_of`."""
    need_keys(document, ("options", "models", "arrangements", "differences", "left_out", "warnings"), where)
    rows: dict[str, list[ArrangementRow]] = {}
    for i, row in enumerate(_list(document["arrangements"], f"{where}, 'arrangements'")):
        at = f"{where}, 'arrangements'[{i}]"
        kept = decode(ArrangementRow, {**_object(row, at), "counts": row}, where=at)
        rows.setdefault(row["Model Name"], []).append(kept)
    scores = StructureScores(
        decode(ScoreOptions, document["options"], where=f"{where}, 'options'"),
        tuple(
            _model_of(entry, rows, items, f"{where}, 'models'[{i}]")
            for i, entry in enumerate(_list(document["models"], where))
        ),
        tuple(_difference_of(entry, f"{where}, 'differences'") for entry in document["differences"]),
        decode(tuple[LeftOut, ...], document["left_out"], where=f"{where}, 'left_out'"),
        decode(tuple[str, ...], document["warnings"], where=f"{where}, 'warnings'"),
        decode(tuple[InputFile, ...], document["inputs"], where=f"{where}, 'inputs'"),
    )
    made = decode(Provenance, document, where=where)
    read_options = decode(ReadOptions, document["options"], where=f"{where}, 'options'")
    return scores, read_options, None if made == Provenance() else made


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FileFormatError(f"{where}: expected an object")
    return value


def _list(value: object, where: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise FileFormatError(f"{where}: expected a list")
    return value


def _model_of(
    document: object,
    rows: Mapping[str, list[ArrangementRow]],
    items: Mapping[str, Sequence[ItemRow]],
    where: str,
) -> ModelResult:
    """Return a model; its main definition is the first of its readings, the rest is in tables of its own."""
    entry = _object(document, where)
    need_keys(entry, ("model", "readings", "order", "variance_shares"), where)
    order = {**_object(entry["order"], f"{where}, 'order'"), "variance_shares": entry["variance_shares"]}
    readings = _list(entry["readings"], f"{where}, 'readings'")
    if not readings:
        raise FileFormatError(f"{where}: the model has no reading")
    gaps = {"consistency": readings[0], "others": readings[1:]}
    found = decode(
        ModelResult, {**entry, "order": order, **gaps, "arrangements": [], "items": []}, where=where
    )
    return replace(
        found,
        arrangements=tuple(rows.get(found.model, ())),
        items=tuple(items.get(found.model, ())),
    )


def _difference_of(document: object, where: str) -> Difference:
    entry = _object(document, where)
    need_keys(entry, ("p_values",), where)
    given = _object(entry["p_values"], f"{where}, 'p_values'")
    need_keys(given, (*_GAPS, *_ORDER), f"{where}, 'p_values'")
    p_values = {"p_values": [given[key] for key in _GAPS], "order_p_values": [given[key] for key in _ORDER]}
    return decode(Difference, {**entry, **p_values}, where=where)


FOLDER = "consistency"
SUMMARY, RESULT, CELLS, ITEMS = "s_cons_results.csv", "result.json", "cells.csv", "items.csv"
_AGAIN = "score the same scores again with: concord score structure ... --out FOLDER"
_SCORES = ("mean", "max", "star_gap")


@dataclass(frozen=True, slots=True, repr=False)
class StructureResult(Publishable):
    """Structural consistency of one or more models, ready to be shown, compared and kept.

    ``plot(kind, model=)`` draws ``gaps``, ``means`` or ``heat`` of a model, the first by default.
    """

    scores: StructureScores
    read_options: ReadOptions
    made: Provenance | None = None
    """How the replies behind the scores were made; ``None`` where only scores were given."""
    scored_by: ScoredBy | None = field(default=None, compare=False, repr=False)
    """What computed it, where it was read from files."""

    @property
    def models(self) -> tuple[ModelResult, ...]:
        """Every model that was scored, sorted by name."""
        return self.scores.models

    @property
    def warnings(self) -> tuple[str, ...]:
        """Everything worth knowing that is not an error."""
        return self.scores.warnings

    @property
    def left_out(self) -> tuple[str, ...]:
        """Everything that was given and could not be scored, and why."""
        return tuple(str(entry) for entry in self.scores.left_out)

    def difference(self, first: str, second: str) -> Difference:
        """Difference of two models, first minus second.

        Parameters
        ----------
        first, second
            Names of two scored models, in the order of their names.

        Returns
        -------
        Difference
            E, R, S and tau with their intervals.

        Raises
        ------
        OptionError
            No such pair was scored.
        """
        for entry in self.scores.differences:
            if (entry.first, entry.second) == (first, second):
                return entry
        names = ", ".join(repr(model.model) for model in self.models)
        raise OptionError(f"no difference {first!r} minus {second!r}; scored, in this order: {names}")

    def to_frame(self) -> "pl.DataFrame":
        """One row per model, the columns of `s_cons_results.csv`."""
        return frame_of(S_COLUMNS, [model_row(model) for model in self.models])

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as one JSON-ready document."""
        return document_of(self.scores, self.read_options, self.made) | recorded(self.scored_by)

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the result files into `<out>/consistency/` and return their paths."""
        return write(self, Path(out) / FOLDER)


def write(result: StructureResult, folder: Path) -> tuple[Path, ...]:
    """Write the files of a result; the inverse of `read`."""
    scores = result.scores
    rows = [model_row(model) for model in result.models]
    files: dict[str, tuple[tuple[str, ...], Any]] = {
        "e_perf_results.csv": (("Model Name", "E_perf"), [row[:2] for row in rows]),
        "r_sens_results.csv": (("Model Name", "R_sens"), [[row[0], row[2]] for row in rows]),
        SUMMARY: (S_COLUMNS, rows),
        "arrangements.csv": (ARRANGEMENT_COLUMNS, arrangement_rows(scores)),
        ITEMS: (ITEM_COLUMNS, item_rows(scores)),
        CELLS: (CELL_COLUMNS, cell_rows(scores)),
        "differences.csv": (
            DIFFERENCE_COLUMNS,
            [difference_row(entry) for entry in scores.differences],
        ),
        "left_out.csv": (
            LEFT_OUT_COLUMNS,
            [[e.model, e.arrangement, e.file, e.reason] for e in scores.left_out],
        ),
    }
    for name, (columns, lines) in files.items():
        write_csv(folder / name, columns, lines)
    write_json(folder / RESULT, result.to_dict())
    return tuple(folder / name for name in (*files, RESULT))


def read(source: str | Path) -> StructureResult:
    """Read a result; the inverse of `write`."""
    folder = _folder(source)
    document = _document(folder / RESULT)
    cells = _cells(folder / CELLS)
    items = _items(folder / ITEMS, cells)
    where = _named(folder / RESULT)
    return StructureResult(*scores_of(document, items, where=where), decode(ScoredBy, document, where=where))


def is_structure_folder(source: object) -> bool:
    """Whether a path is a folder with the files of `concord score structure`."""
    return folder_with(source, SUMMARY) is not None


def fingerprints(source: str | Path) -> tuple[InputFile, ...]:
    """Return which bytes a comparison of this result rests on."""
    folder = _folder(source)
    return tuple(fingerprint(name, _bytes(folder / name)) for name in (CELLS, ITEMS))


def _folder(source: str | Path) -> Path:
    folder = folder_with(source, SUMMARY)
    if folder is None:
        raise FileFormatError(f"{source}: holds no result about structure ({SUMMARY}); {_AGAIN}")
    return folder


def _named(path: Path) -> str:
    """Name a file by the folder that holds the result."""
    return printable("/".join(path.absolute().parts[-3:]))


def _bytes(path: Path) -> bytes:
    if not is_file(path):
        raise FileFormatError(f"{_named(path)}: the file is missing; {_AGAIN}")
    return read_bytes(path, name=_named(path))


def _document(path: Path) -> dict[str, Any]:
    """Read what the result says about itself."""
    try:
        return check_heading(parsed(_named(path), _bytes(path)), KIND, where=_named(path))
    except FileFormatError as fault:
        raise FileFormatError(f"{fault}; {_AGAIN}") from fault


def _lines(path: Path, wanted: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Return the wanted cells of every row, with the row's number as a spreadsheet shows it."""
    for number, line in read_back(_named(path), _bytes(path), wanted, fix=_AGAIN):
        yield number, [line[column] for column in wanted]


_Cells = dict[tuple[str, str], dict[str, CellScore]]
"""Scores of each arrangement, by model and item."""


def _cells(path: Path) -> _Cells:
    found: _Cells = {}
    for number, (model, item, arrangement, *scores) in _lines(
        path, ("Model Name", "item", "arrangement", *_SCORES)
    ):
        own = found.setdefault((model, item), {})
        if arrangement in own:
            raise FileFormatError(
                f"{_named(path)}, row {number}: item {item!r} under {arrangement!r} is there twice; {_AGAIN}"
            )
        mean, top, gap = (
            _score_cell(path, number, name, cell) for name, cell in zip(_SCORES, scores, strict=True)
        )
        own[arrangement] = (arrangement, mean, top, gap)
    if not found:
        raise FileFormatError(f"{_named(path)}: holds no scores; {_AGAIN}")
    return found


def _score_cell(path: Path, number: int, column: str, cell: str) -> float | None:
    """Read a score; an empty cell is none."""
    value = _number_cell(path, number, column, cell)
    if value is not None and not -1 <= value <= 1:
        raise FileFormatError(
            f"{_named(path)}, row {number}, column {column!r}: got {cell!r}, expected a score from 0 "
            f"to 1; {_AGAIN}"
        )
    return value


def _number_cell(path: Path, number: int, column: str, cell: str) -> float | None:
    if cell == "":
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise FileFormatError(
            f"{_named(path)}, row {number}, column {column!r}: got {cell!r}, expected a number; {_AGAIN}"
        )
    return value


def _items(path: Path, cells: Mapping[tuple[str, str], dict[str, CellScore]]) -> dict[str, list[ItemRow]]:
    """Return the items of every model with their cells; an empty text is none."""
    found: dict[str, list[ItemRow]] = {}
    columns = ITEM_COLUMNS
    for number, line in _lines(path, columns):
        cell = dict(zip(columns, line, strict=True))
        mean, n, paired, across, flips = (
            _number_cell(path, number, name, cell[name])
            for name in ("mean", "n_arrangements", "paired_gap", "across_gap", "flip_excess")
        )
        texts = (cell[name] or None for name in ("cluster", "worst_arrangement", "best_arrangement"))
        cluster, worst, best = texts
        scores = tuple(cells.get((cell["Model Name"], cell["item"]), {}).values())
        found.setdefault(cell["Model Name"], []).append(
            ItemRow(
                cell["item"], cluster, mean, 0 if n is None else int(n), paired, across, worst, best, flips,
                scores,
            )
        )  # fmt: skip
    return found

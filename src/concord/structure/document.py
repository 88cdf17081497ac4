"""`result.json`: structural consistency as one document, written and read back.

Numbers that are looked up by name (``tau``, ``worst_mean``) are written bare; every estimate is also written
whole, so that what was read equals what was written. Scores of items and cells are in the tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from concord.errors import FileFormatError
from concord.files.codec import decode, encode
from concord.files.documents import heading, need_keys, provenance
from concord.records import Estimate, InputFile, Interval, Provenance
from concord.stats.order import OrderEffect, VarianceShares
from concord.structure import tables
from concord.structure.document_v1 import upgraded
from concord.structure.read.records import ArrangementCounts, LeftOut, ReadOptions
from concord.structure.records import (
    ArrangementRow,
    Consistency,
    Difference,
    ItemRow,
    ModelResult,
    Order,
    ScoreOptions,
    StructureScores,
)

T = TypeVar("T")
KIND = "structure result"
_GAPS = ("E_perf", "R_sens", "S_Cons")
_ORDER = ("tau", "flip_excess", "worst")
_COUNTS = {
    "n_mean": "n_mean",
    "n_max": "n_max",
    "missing_mean": "n_missing_mean",
    "missing_max": "n_missing_max",
    "only_mean": "n_only_mean",
    "only_max": "n_only_max",
    "text_numbers": "n_text_numbers",
    "clipped": "n_clipped",
}
"""Counts of an arrangement and the columns they are in."""
_NONE = {"value": None}


def document_of(
    scores: StructureScores, read_options: ReadOptions, made: Provenance | None
) -> dict[str, Any]:
    """Return what `result.json` holds and ``--json`` prints."""
    left, options = scores.left_out, scores.options
    chosen = {("reading" if key == "definition" else key): value for key, value in encode(options).items()}
    document: dict[str, Any] = encode(
        {
            **heading(KIND),
            "question": "structure",
            **provenance(scores.inputs),
            "reading": options.definition,
            "seed": options.seed,
            "options": {**chosen, **encode(read_options)},
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
                {**dict(zip(tables.ARRANGEMENT_COLUMNS, line, strict=True)), "interval": encode(row.interval)}
                for line, row in zip(
                    tables.arrangement_rows(scores),
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


def _consistency(entry: Consistency | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {
        "reading": entry.definition,
        **dict(zip(_GAPS, map(encode, (entry.e_perf, entry.r_sens, entry.s_cons)), strict=True)),
        "R_at": entry.r_at,
        "R_crossfit": encode(entry.r_crossfit),
        "gaps": encode(entry.gaps),
        "gap_intervals": encode(entry.gap_intervals),
    }


def _model(model: ModelResult) -> dict[str, Any]:
    return {
        "model": model.model,
        "readings": [_consistency(entry) for entry in (model.consistency, *model.others)],
        "fixed_m": _consistency(model.fixed_m),
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
    return {
        "first": entry.first,
        "second": entry.second,
        "reading": entry.definition,
        **dict(zip(_GAPS, map(encode, (entry.e_perf, entry.r_sens, entry.s_cons)), strict=True)),
        "tau": encode(entry.tau),
        "n_items": entry.n_items,
        "n_arrangements": entry.n_arrangements,
        "note": entry.note,
        "flip_excess": encode(entry.flip_excess),
        "worst": encode(entry.worst),
        "p_values": dict(zip((*_GAPS, *_ORDER), (*entry.p_values, *entry.order_p_values), strict=True)),
    }


def scores_of(
    document: Mapping[str, Any], items: Mapping[str, Sequence[ItemRow]], *, where: str
) -> tuple[StructureScores, ReadOptions, Provenance | None]:
    """Return what a document and the tables of items and cells hold; the inverse of `document_of`."""
    document = upgraded(document, items, where=where) if document["format_version"] == 1 else document
    need_keys(document, ("options", "models", "arrangements", "differences", "left_out", "warnings"), where)
    options = {**_object(document["options"], f"{where}, 'options'")}
    options["definition"] = options.get("reading")
    rows = _arrangement_rows(document["arrangements"], where)
    models = tuple(
        _model_of(entry, rows, items, f"{where}, 'models'[{i}]")
        for i, entry in enumerate(_list(document["models"], where))
    )
    scores = StructureScores(
        decode(ScoreOptions, options, where=f"{where}, 'options'"),
        models,
        tuple(_difference_of(entry, f"{where}, 'differences'") for entry in document["differences"]),
        decode(tuple[LeftOut, ...], document["left_out"], where=f"{where}, 'left_out'"),
        decode(tuple[str, ...], document["warnings"], where=f"{where}, 'warnings'"),
        decode(tuple[InputFile, ...], document.get("inputs", []), where=f"{where}, 'inputs'"),
    )
    made = decode(Provenance, document, where=where)
    read_options = decode(ReadOptions, options, where=f"{where}, 'options'")
    return scores, read_options, None if made == Provenance() else made


def _optional(kind: type[T], value: object, where: str) -> T | None:
    return None if value is None else decode(kind, value, where=where)


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FileFormatError(f"{where}: expected an object")
    return value


def _list(value: object, where: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise FileFormatError(f"{where}: expected a list")
    return value


def _consistency_of(entry: object, where: str) -> Consistency:
    found = _object(entry, where)
    need_keys(found, ("reading", *_GAPS), where)
    e, r, s = (decode(Estimate, found[key], where=f"{where}, {key!r}") for key in _GAPS)
    crossfit = _optional(Estimate, found.get("R_crossfit"), f"{where}, 'R_crossfit'")
    return Consistency(
        decode(str, found["reading"], where=f"{where}, 'reading'"), e, r, s, found.get("R_at"), crossfit,
        decode(tuple[float | None, ...], found.get("gaps", []), where=f"{where}, 'gaps'"),
        decode(tuple[Interval | None, ...], found.get("gap_intervals", []), where=f"{where}, gap_intervals"),
    )  # fmt: skip


def _model_of(
    document: object,
    rows: Mapping[str, list[ArrangementRow]],
    items: Mapping[str, Sequence[ItemRow]],
    where: str,
) -> ModelResult:
    entry = _object(document, where)
    need_keys(entry, ("model", "readings", "order"), where)
    name = decode(str, entry["model"], where=f"{where}, 'model'")
    first, *others = (_consistency_of(one, f"{where}, 'readings'") for one in _list(entry["readings"], where))
    fixed = entry.get("fixed_m")
    samples = _optional(tuple[int, int], entry.get("samples_per_cell"), f"{where}, 'samples_per_cell'")
    flips = _optional(Estimate, entry.get("flip_excess"), f"{where}, 'flip_excess'")
    return ModelResult(
        model=name,
        consistency=first,
        others=tuple(others),
        fixed_m=None if fixed is None else _consistency_of(fixed, f"{where}, 'fixed_m'"),
        fixed_m_note=entry.get("fixed_m_note", ""),
        order=_order_of(entry, where),
        flip_excess=flips,
        arrangements=tuple(rows.get(name, ())),
        items=tuple(items.get(name, ())),
        samples_per_cell=samples,
        sentence=entry.get("sentence", ""),
        notes=tuple(entry.get("notes", ())),
        worst=decode(Estimate, entry.get("worst", _NONE), where=f"{where}, 'worst'"),
        gate=decode(str, entry.get("gate", ""), where=f"{where}, 'gate'"),
        **{key: entry.get(key, 0) for key in ("n_items", "n_arrangements", "n_missing")},
    )


def _order_of(model: Mapping[str, Any], where: str) -> Order:
    entry = _object(model["order"], f"{where}, 'order'")
    effect = _optional(OrderEffect, entry.get("effect"), f"{where}, 'order', 'effect'")
    shares = _optional(VarianceShares, model.get("variance_shares"), f"{where}, 'variance_shares'")
    lowest, highest, spread = (
        _optional(float, entry.get(key), f"{where}, 'order', {key!r}")
        for key in ("worst_mean", "best_mean", "spread")
    )
    return Order(
        effect, shares, entry.get("worst"), entry.get("best"), lowest, highest, spread,
        entry.get("n_incomplete", 0), entry.get("note", ""),
    )  # fmt: skip


def _arrangement_rows(entries: object, where: str) -> dict[str, list[ArrangementRow]]:
    """Return the arrangements of every model."""
    found: dict[str, list[ArrangementRow]] = {}
    for i, entry in enumerate(_list(entries, f"{where}, 'arrangements'")):
        at = f"{where}, 'arrangements'[{i}]"
        row = _object(entry, at)
        need_keys(row, tables.ARRANGEMENT_COLUMNS, at)
        interval = _optional(Interval, row.get("interval"), f"{at}, 'interval'")
        gap, paired, fixed_m, mean, top = (
            _optional(float, row[column], f"{at}, {column!r}")
            for column in ("gap", "paired_gap", "star_gap", "mean", "max")
        )
        counts = {field: row[column] for field, column in _COUNTS.items()}
        found.setdefault(row["Model Name"], []).append(
            ArrangementRow(
                row["arrangement"], row["baseline"], gap, interval, paired, fixed_m, mean, top, row["n"],
                decode(ArrangementCounts, counts, where=at),
            )
        )  # fmt: skip
    return found


def _difference_of(document: object, where: str) -> Difference:
    entry = _object(document, where)
    need_keys(entry, ("first", "second", "reading", *_GAPS, "tau"), where)
    e, r, s, tau = (decode(Estimate, entry[key], where=f"{where}, {key!r}") for key in (*_GAPS, "tau"))
    given = _object(entry.get("p_values", {}), f"{where}, 'p_values'")
    p_e, p_r, p_s, p_tau, p_flip, p_worst = (
        _optional(float, given.get(key), f"{where}, 'p_values', {key!r}") for key in (*_GAPS, *_ORDER)
    )
    flips, worst = (
        decode(Estimate, entry.get(key, _NONE), where=f"{where}, {key!r}") for key in ("flip_excess", "worst")
    )
    return Difference(
        entry["first"], entry["second"], entry["reading"], e, r, s, tau, entry.get("n_items", 0),
        entry.get("n_arrangements", 0), entry.get("note", ""),
        (p_e, p_r, p_s), flips, worst, (p_tau, p_flip, p_worst),
    )  # fmt: skip

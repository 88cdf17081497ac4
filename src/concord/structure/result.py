"""Structural consistency as a result: its folder of files, written and read back, and what is said of it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import special

from concord.errors import FileFormatError, OptionError, printable
from concord.files.codec import decode, encode
from concord.files.contents import is_file, read_bytes
from concord.files.documents import check_heading, folder_with, need_keys, provenance, recorded
from concord.files.json_text import parsed
from concord.files.output import write_json
from concord.files.rows import read_back
from concord.kinds import Gauge, Kind, PictureOf, asked_words
from concord.records import Estimate, InputFile, Provenance, ScoredBy, Told
from concord.stats.elementwise import Floats
from concord.stats.multiple import holm
from concord.structure import NAME, tables
from concord.structure.records import (
    CLAIMED,
    ArrangementRow,
    CellScore,
    Difference,
    ItemRow,
    LeftOut,
    ModelResult,
    Order,
    ReadOptions,
    ScoreOptions,
    StructureScores,
)
from concord.unread import holds, unread_notes, unread_sentences, withheld
from concord.words import say

FOLDER = "consistency"
_AGAIN = "score the same scores again with: concord score structure ... --out FOLDER"
_SCORES = ("mean", "max", "star_gap")
_GAPS = ("E_perf", "R_sens", "S_Cons")
_ORDER = ("tau", "flip_excess", "worst")
_MOST_MODELS = 12
_MOST = 38.0
"""|z| of the smallest p-value that a number can hold."""
_FILES = (
    tables.E_PERF, tables.R_SENS, tables.SUMMARY, tables.ARRANGEMENTS, tables.ITEMS, tables.CELLS,
    tables.DIFFERENCES, tables.LEFT_OUT, tables.UNREAD,
)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class StructureResult(Kind):
    """Structural consistency of one or more models, ready to be shown, compared and kept.

    ``result["model"]`` is the result of one model. ``plot(kind, model=)`` draws ``order``, ``gaps``,
    ``means``, ``shares`` or ``heat`` of a model, the first by default.
    """

    FORMAT, FILE, KEY = "structure result", "result.json", "arrangements"
    QUESTION, SECTION, ASKS = NAME, NAME, "Does it agree with itself?"
    TABLES = (
        tables.ANSWER, tables.SPREAD, tables.VARIANCE, tables.DEFINITIONS, tables.SUMMARY, tables.E_PERF,
        tables.R_SENS, tables.ARRANGEMENTS, tables.ITEMS, tables.CELLS, tables.DIFFERENCES, tables.LEFT_OUT,
        tables.UNREAD,
    )  # fmt: skip
    PICTURES = (
        *(PictureOf(name, f"structure_plots.{name}_picture") for name in ("order", "shares", "heat")),
        PictureOf("slopes", "structure_plots.slopes_picture", on_page=False),
        PictureOf("models", "structure_plots.models_strip", on_page=False, small=True),
    )
    CITES = ("huynh1976", "holm1979")

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
    def level(self) -> float:
        """Nominal coverage of intervals."""
        return self.scores.options.level

    @property
    def warnings(self) -> tuple[str, ...]:
        """Everything worth knowing that is not an error."""
        return self.scores.warnings

    @property
    def unread(self) -> Told:
        """Replies without a score."""
        return self.scores.unread

    @property
    def left_out(self) -> tuple[str, ...]:
        """Everything that was given and could not be scored, and why."""
        return tuple(str(entry) for entry in self.scores.left_out if entry.cell is None)

    def __getitem__(self, model: str) -> Self:
        """Return the result of one model, as if it had been scored alone."""
        own = tuple(one for one in self.models if one.model == model)
        if not own:
            raise OptionError(f"there is no model {model!r}; scored: {', '.join(self.who())}")
        left = tuple(one for one in self.scores.left_out if one.model == model)
        alone = with_sentences(own)
        return replace(self, scores=replace(self.scores, models=alone, differences=(), left_out=left))

    def difference(self, first: str, second: str) -> Difference:
        """Difference of two models, first minus second.

        Parameters
        ----------
        first, second
            Names of two scored models, in the order of their names.
        """
        for entry in self.scores.differences:
            if (entry.first, entry.second) == (first, second):
                return entry
        names = ", ".join(map(repr, self.who()))
        raise OptionError(f"no difference {first!r} minus {second!r}; scored, in this order: {names}")

    def who(self) -> list[str]:
        """Return the models."""
        return [model.model for model in self.models]

    def sentences(self) -> Sequence[str]:
        """Return how far scores move between arrangements, model by model."""
        told = [model.sentence for model in self.models[:_MOST_MODELS]]
        rest = len(self.models) - len(told)
        return [
            *unread_sentences(self.unread),
            *told,
            *([say("structure.more", n=rest)] if rest else []),
        ]

    def gauges(self) -> Sequence[Gauge]:
        """Return the order effects; of two arrangements their difference."""
        models = self.models[:_MOST_MODELS]
        several = len(models) > 1
        return [
            Gauge(
                say("structure.note.gauge", model=one.model if several else None),
                (one.order.tau if two is None else two).value,
                (one.order.tau if two is None else two).interval,
                (0.0 if two is None else -0.5, 0.5),
            )
            for one in models
            if one.order.effect is not None
            for two in (one.order.difference,)
        ]

    def notes(self) -> Sequence[str]:
        """Say what the tables cannot: how to read them, and two models' difference."""
        return list(self._closing())

    def _closing(self) -> Iterator[str]:
        yield from unread_notes(self.unread)
        if any(model.flip_excess is not None for model in self.models):
            yield say("structure.note.flips")
        yield from sorted({note for model in self.models for note in model.notes})
        yield say("structure.note.s_cons")
        if self.scores.options.definition == "peak":
            yield say("structure.note.peak")
        yield from sorted(
            {say("structure.note.fixed_m", note=one.fixed_m_note) for one in self.models if one.fixed_m_note}
        )
        if len(self.scores.differences) == 1:
            # in one line how two models differ
            entry = self.scores.differences[0]
            yield say(
                "structure.note.difference",
                first=entry.first,
                second=entry.second,
                definition=entry.definition,
                tau=entry.tau,
                p=entry.order_p_values[0],
                worst=entry.worst,
                e=entry.e_perf,
                r=entry.r_sens,
                s=entry.s_cons,
            )
        elif self.scores.differences:
            yield say("structure.note.differences", n=len(self.scores.differences))

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        first = self.models[0]
        counts = {"items": first.n_items, "orders": first.n_arrangements}
        return say("structure.method.made", concord=concord, **counts) + asked_words(None, self.made)

    def document(self) -> dict[str, Any]:
        """Return what `result.json` holds below its heading."""
        return document_of(self) | recorded(self.scored_by)

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the result files into `<out>/consistency/` and return their paths."""
        folder = Path(out) / FOLDER
        written = self.write_tables(folder)
        write_json(folder / self.FILE, self.to_dict())
        ordered = (folder / one.file for one in _FILES)
        return (*(path for path in ordered if path in written), folder / self.FILE)

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a result back, whole."""
        return cls.read_file(_folder(folder) / cls.FILE)

    @classmethod
    def read_file(cls, path: Path, *, with_tables: bool = True) -> Self:
        """Read a result from its document and the tables of items and cells beside it."""
        document, where = _document(path), _named(path)
        items: dict[str, list[ItemRow]] = {}
        if with_tables:
            cells = _cell_scores(path.with_name(tables.CELLS.file))
            items = _items(path.with_name(tables.ITEMS.file), cells)
        scores, options, made = scores_of(document, items, where=where)
        return cls(scores, options, made, decode(ScoredBy, document, where=where))


def document_of(result: StructureResult) -> dict[str, Any]:
    """Return what `result.json` holds: all but items and cells, which are in tables."""
    # Numbers that are looked up by name (``tau``, ``worst_mean``) are written bare; every estimate is also
    # written whole, so that what was read equals what was written.
    scores, left, options = result.scores, result.scores.left_out, result.scores.options
    rows = (row for model in scores.models for row in model.arrangements)
    columns = tables.ARRANGEMENTS.file_columns()
    document: dict[str, Any] = encode(
        {
            "question": NAME,
            **provenance(scores.inputs),
            "reading": options.definition,
            "seed": options.seed,
            "options": {**encode(options), **encode(result.read_options)},
            **asdict(Provenance() if result.made is None else result.made),
            "counts": {
                "models_scored": len(scores.models),
                "models_left_out": sum(entry.arrangement is None and entry.cell is None for entry in left),
                "arrangements_left_out": sum(entry.arrangement is not None for entry in left),
                "scores_missing": sum(model.n_missing for model in scores.models),
                "warnings": len(scores.warnings),
            },
            "models": [_model(model) for model in scores.models],
            "arrangements": [
                {**dict(zip(columns, line, strict=True)), "interval": encode(row.interval)}
                for line, row in zip(tables.ARRANGEMENTS.file_rows(result), rows, strict=True)
            ],
            "differences": [_difference(entry) for entry in scores.differences],
            "left_out": encode(left),
            "warnings": list(scores.warnings),
            **({"unread": encode(scores.unread)} if scores.unread else {}),
        }
    )
    return document


def _model(model: ModelResult) -> dict[str, Any]:
    held = encode(replace(model, arrangements=(), items=()))
    del held["arrangements"], held["items"], held["order"]
    return {
        "model": held.pop("model"),
        "readings": [held.pop("consistency"), *held.pop("others")],
        "fixed_m": held.pop("fixed_m"),
        "fixed_m_note": held.pop("fixed_m_note"),
        "order": _order_document(model.order),
        "variance_shares": encode(model.order.shares),
        **held,
    }


def _order_document(order: Order) -> dict[str, Any]:
    low, high = order.tau.ends
    test = {"F": "f", "df1": "df1", "df2": "df2", "epsilon": "epsilon", "p": "p_value", "n_items": "n_items"}
    return {
        "tau": order.tau.value,
        "tau_low": low,
        "tau_high": high,
        **{key: getattr(order.effect, name, None) for key, name in test.items()},
        "n_incomplete": order.n_incomplete,
        "worst": order.worst,
        "worst_mean": order.lowest,
        "best": order.best,
        "best_mean": order.highest,
        "spread": order.spread,
        "note": order.note,
        "effect": encode(order.effect),
        **({} if order.bounds is None else {"bounds": encode(order.bounds)}),
        **({} if order.p_unread is None else {"p_unread": order.p_unread}),
        **({} if order.difference is None else {"difference": encode(order.difference)}),
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
        tuple(
            _difference_of(entry, f"{where}, 'differences'")
            for entry in _list(document["differences"], where)
        ),
        decode(tuple[LeftOut, ...], document["left_out"], where=f"{where}, 'left_out'"),
        decode(tuple[str, ...], document["warnings"], where=f"{where}, 'warnings'"),
        decode(tuple[InputFile, ...], document["inputs"], where=f"{where}, 'inputs'"),
        decode(Told, document.get("unread", []), where=f"{where}, 'unread'"),
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


def _folder(source: str | Path) -> Path:
    folder = folder_with(source, tables.SUMMARY.file)
    if folder is None:
        raise FileFormatError(f"{source}: holds no result about structure ({tables.SUMMARY.file}); {_AGAIN}")
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
        return check_heading(parsed(_named(path), _bytes(path)), StructureResult.FORMAT, where=_named(path))
    except FileFormatError as fault:
        raise FileFormatError(f"{fault}; {_AGAIN}") from fault


def _lines(path: Path, wanted: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Return the wanted cells of every row, with the row's number as a spreadsheet shows it."""
    for row, line in read_back(_named(path), _bytes(path), wanted, fix=_AGAIN):
        yield row, [line[column] for column in wanted]


_ItemCells = dict[tuple[str, str], dict[str, CellScore]]
"""Scores of each arrangement, by model and item."""


def _cell_scores(path: Path) -> _ItemCells:
    found: _ItemCells = {}
    for row, (model, item, arrangement, *scores) in _lines(
        path, ("Model Name", "item", "arrangement", *_SCORES)
    ):
        own = found.setdefault((model, item), {})
        if arrangement in own:
            raise FileFormatError(
                f"{_named(path)}, row {row}: item {item!r} under {arrangement!r} is there twice; {_AGAIN}"
            )
        mean, top, gap = (
            _score_cell(path, row, name, cell) for name, cell in zip(_SCORES, scores, strict=True)
        )
        own[arrangement] = (arrangement, mean, top, gap)
    if not found:
        raise FileFormatError(f"{_named(path)}: holds no scores; {_AGAIN}")
    return found


def _score_cell(path: Path, row: int, column: str, cell: str) -> float | None:
    """Read a score; an empty cell is none."""
    value = _number_cell(path, row, column, cell)
    if value is not None and not -1 <= value <= 1:
        raise FileFormatError(
            f"{_named(path)}, row {row}, column {column!r}: got {cell!r}, expected a score from 0 "
            f"to 1; {_AGAIN}"
        )
    return value


def _number_cell(path: Path, row: int, column: str, cell: str) -> float | None:
    if cell == "":
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise FileFormatError(
            f"{_named(path)}, row {row}, column {column!r}: got {cell!r}, expected a number; {_AGAIN}"
        )
    return value


def _items(path: Path, cells: Mapping[tuple[str, str], dict[str, CellScore]]) -> dict[str, list[ItemRow]]:
    """Return the items of every model with their cells; an empty text is none."""
    found: dict[str, list[ItemRow]] = {}
    columns = tables.ITEMS.file_columns()
    for row, line in _lines(path, columns):
        cell = dict(zip(columns, line, strict=True))
        mean, n, paired, across, flips = (
            _number_cell(path, row, name, cell[name])
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


class OrderClaims(NamedTuple):
    """What is shown of one of several models, so that any false claim among all has a chance of 5 %."""

    means: bool
    """The order moves the mean score."""
    withheld: bool
    """It would be shown, but for replies that could not be read."""
    answers: bool
    """The order changes single answers, as far as replies were read."""
    p_holm: float | None
    """Of the first, over all models."""
    n: int
    """Models that were tried."""


def order_claims(models: Sequence[ModelResult]) -> list[OrderClaims]:
    """Return what is shown of each model: mean scores and single answers each after Holm over models."""

    def known(p_values: Iterable[float | None]) -> Floats:  # of models that are judged; files may hold others
        pairs = zip(models, p_values, strict=True)
        return np.array([p if not one.gate and p is not None and 0 <= p <= 1 else np.nan for one, p in pairs])

    read, means = (known(getattr(one.order, of) for one in models) for of in ("p_value", "claim_p"))
    adjusted, flips = holm(means), holm(known(one.flips_p for one in models)) < CLAIMED
    return [
        OrderClaims(
            bool(p < CLAIMED),
            bool(seen < CLAIMED and not p < CLAIMED),
            bool(moved) and model.flips.value is not None and model.flips.value > 0,
            None if np.isnan(p) else float(p),
            int((~np.isnan(adjusted)).sum()),
        )
        for model, p, seen, moved in zip(models, adjusted, holm(read), flips, strict=True)
    ]


def with_sentences(models: Sequence[ModelResult]) -> tuple[ModelResult, ...]:
    """Return the models with one verdict on the arrangement each: the stronger evidence first."""
    made = []
    for model, shown in zip(models, order_claims(models), strict=True):
        said = model.gate
        if not said:
            answers = _flip_words(model.flip_excess, shown)
            means = _mean_words(model.order, shown, answers_move=answers.strength > 0)
            told = sorted((one for one in (means, answers) if one.words), key=lambda one: -one.strength)
            said = "; ".join(one.words for one in told)
        made.append(replace(model, sentence=say("structure.one", model=model.model, said=said)))
    return tuple(made)


class _Evidence(NamedTuple):
    """What is said of mean scores, or of single answers, and how strongly it speaks for an effect."""

    words: str
    strength: float = -1.0
    """Of what is shown, |z|; 0 where it is withheld, -1 where nothing is shown."""


def _mean_words(order: Order, shown: OrderClaims, *, answers_move: bool) -> _Evidence:
    """Say whether the mean score moves; of two arrangements their difference is the number."""
    effect = order.effect
    if effect is None:
        return _Evidence(say("structure.mean.unknown", why=order.note))
    ends = {"worst": order.worst, "best": order.best}
    seen = say("structure.mean.seen", low=order.lowest, high=order.highest, **ends)
    if effect.p_value is None:
        alike = say("structure.mean.alike", seen=seen, tau=effect.tau)
        return _Evidence(say("structure.mean.same")) if effect.tau == 0 else _Evidence(alike, _MOST)
    two, p = order.difference, effect.p_value
    tested = {"p": p, "holm": shown.p_holm if shown.n > 1 else None, "n": shown.n}
    number = (
        say("structure.mean.number", value=order.tau.value, ends=order.tau.interval, **tested)
        if two is None
        else say("structure.mean.number_two", value=two.value, ends=two.interval, **tested, **ends)
    )
    if shown.withheld:
        unsaid = withheld(say("structure.mean.claim"), order.tau)[:-1]
        return _Evidence(say("structure.mean.withheld", seen=seen, unsaid=unsaid), 0.0)
    if shown.means:
        size = effect.tau if two is None else None
        moves = say("structure.mean.moves", seen=seen, size=size, number=number)
        return _Evidence(moves, min(_MOST, float(-special.ndtri(p / 2))))
    if answers_move:
        return _Evidence(say("structure.mean.not_means", seen=seen, number=number))
    return _Evidence(say("structure.mean.none", seen=seen, number=number))


def _flip_words(flips: Estimate | None, shown: OrderClaims) -> _Evidence:
    """Say whether answers change with the arrangement more often than between repeats."""
    if flips is None or flips.value is None or flips.interval is None:
        return _Evidence("")
    ends = flips.interval
    if shown.answers and not holds(flips):
        unsaid = withheld(say("structure.answers.claim"), flips)
        return _Evidence(unsaid[0].lower() + unsaid[1:-1], 0.0)
    if shown.answers:
        z = float(special.ndtri(0.5 + ends.level / 2)) * flips.value / (flips.value - ends.low)
        return _Evidence(say("structure.answers.more", share=flips.value, ends=ends), z)
    if ends.low > 0 and shown.n > 1:
        return _Evidence(say("structure.answers.none_of_many", share=flips.value, ends=ends, n=shown.n))
    return _Evidence(say("structure.answers.none", share=flips.value, ends=ends))

"""Counts of influenced and verbalising answers, as a paper or a user publishes them: tables to one record.

A published rate without its counts is carried back to them where that can be done: a rate printed with all
its digits is one fraction in its lowest terms, and its counts are the largest multiple of it that does not
exceed the largest sample seen among the model's own rates. That may be fewer than were asked, never more than
the table shows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import resources
from pathlib import Path

from concord.errors import FileFormatError, listed
from concord.files import cells
from concord.files.cells import BadCellError
from concord.files.contents import is_folder
from concord.files.declared import DeclaredTable, TableColumn
from concord.files.documents import needed_columns
from concord.files.gate import refuse_models
from concord.files.grids import Grid
from concord.files.limits import COUNTED
from concord.files.tables import TableOptions, TableSource, grid_of
from concord.reasoning.hints.rows import KINDS
from concord.records import InputFile, LeftOutCell

MOST = 1000
"""A fraction with a larger denominator is not told from a rounded number."""
EXACT = 1e-12
MANY_DIGITS = 12
"""Rates are printed in full where one of a row has so many digits; rounded ones are no fractions."""
PUBLISHED = "published"
"""Names the bundled counts."""


@dataclass(frozen=True, slots=True)
class Count:
    """So many of so many; without ``n`` only a rate is known."""

    k: int | None
    n: int | None
    rate: float
    recovered: bool = False
    """Counts were carried back from a rate."""


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """Influenced answers by where the hint is verbalised."""

    both: int
    thinking_only: int
    answer_only: int
    neither: int

    @property
    def n(self) -> int:
        """All influenced answers."""
        return self.both + self.thinking_only + self.answer_only + self.neither


@dataclass(slots=True)
class ModelCounts:
    """What is known of one model."""

    influence: dict[str, Count] = field(default_factory=dict)
    flips: dict[str, Count] = field(default_factory=dict)
    verbalised: Count | None = None
    detectors: dict[str, Count] = field(default_factory=dict)
    """Detector to verbalised answers, where several judged the same answers."""
    places: PlaceCounts | None = None


@dataclass(slots=True)
class HintCounts:
    """Counts of several models."""

    models: dict[str, ModelCounts] = field(default_factory=dict)
    kinds: dict[str, Count] = field(default_factory=dict)
    """Kind of hint to verbalised answers, all models together."""
    inputs: list[InputFile] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    left_out: tuple[LeftOutCell, ...] = ()

    def model(self, name: str) -> ModelCounts:
        """Return what is known of a model, which may be new."""
        return self.models.setdefault(name, ModelCounts())


def counted(k: float, n: float) -> Count:
    """Return a count."""
    return Count(int(k), int(n), k / n if n else float("nan"))


def recovered(rates: Mapping[str, float]) -> dict[str, Count]:
    """Carry one model's rates back to counts."""
    # Each is the largest multiple of its fraction that the largest denominator among them allows.
    full = any(len(repr(rate).partition(".")[2]) >= MANY_DIGITS for rate in rates.values())
    near = {name: _fraction_of(rate) if full else None for name, rate in rates.items()}
    largest = max((one.denominator for one in near.values() if one is not None), default=0)
    return {name: _recovered_count(rates[name], one, largest) for name, one in near.items()}


def _fraction_of(rate: float) -> Fraction | None:
    """Return the fraction that a rate is; 0 may be of any sample."""
    near = Fraction(rate).limit_denominator(MOST)
    return near if abs(float(near) - rate) <= EXACT and near.numerator > 0 else None


def _recovered_count(rate: float, near: Fraction | None, largest: int) -> Count:
    if near is None:
        return Count(None, None, rate)
    times = largest // near.denominator
    return Count(near.numerator * times, near.denominator * times, rate, recovered=True)


@dataclass(frozen=True, slots=True)
class CountTable:
    """One kind of table of counts: the columns that tell it, and what its rows add."""

    columns: frozenset[str]
    add: Callable[[HintCounts, Mapping[str, object], str], None]


def _number_of(row: Mapping[str, object], name: str) -> float:
    value = row[name]
    assert isinstance(value, float)  # noqa: S101 - checked when the row was read
    return value


def _place_counts(counts: HintCounts, row: Mapping[str, object], file: str) -> None:
    names = ("both_count", "thinking_only_count", "answer_only_count", "neither_count")
    found = PlaceCounts(*(int(_number_of(row, name)) for name in names))
    if found.n != _number_of(row, "influenced_count"):
        counts.warnings.append(
            f"{file}: the four counts of {row['model']!r} add up to {found.n}, not to "
            f"{_number_of(row, 'influenced_count'):g}"
        )
    counts.model(str(row["model"])).places = found


def _verbalised_totals(counts: HintCounts, row: Mapping[str, object], file: str) -> None:
    own = counts.model(str(row["model"]))
    own.verbalised = counted(_number_of(row, "total_faithful"), _number_of(row, "total_influenced"))


def _by_kind(counts: HintCounts, row: Mapping[str, object], file: str) -> None:
    counts.kinds[str(row["hint_type"])] = counted(
        _number_of(row, "total_faithful"), _number_of(row, "total_influenced")
    )


def _two_detectors(counts: HintCounts, row: Mapping[str, object], file: str) -> None:
    own, total = counts.model(str(row["model"])), _number_of(row, "total")
    own.detectors["rules and judge"] = counted(_number_of(row, "our_faithful"), total)
    own.detectors["second judge"] = counted(_number_of(row, "faithful"), total)


def _model_rates(counts: HintCounts, row: Mapping[str, object], file: str) -> None:
    own = counts.model(str(row["model"]))
    found = recovered({kind: _number_of(row, kind) for kind in KINDS})
    if "flip" in file.lower():
        own.flips.update(found)
    else:
        own.influence.update(found)


def _long_counts(counts: HintCounts, row: Mapping[str, object], file: str) -> None:
    own, kind = counts.model(str(row["model"])), str(row["kind"])
    own.influence[kind] = counted(_number_of(row, "influenced"), _number_of(row, "eligible"))
    said = row.get("verbalised")
    if isinstance(said, float):
        known = counts.kinds.get(kind, Count(0, 0, 0.0))
        counts.kinds[kind] = _joined_counts(known, counted(said, _number_of(row, "influenced")))
        so_far = Count(0, 0, 0.0) if own.verbalised is None else own.verbalised
        own.verbalised = _joined_counts(so_far, counted(said, _number_of(row, "influenced")))


def _joined_counts(first: Count, second: Count) -> Count:
    parts = [0 if one is None else one for one in (first.k, second.k, first.n, second.n)]
    return counted(parts[0] + parts[1], parts[2] + parts[3])


TABLES = tuple(
    CountTable(frozenset(columns), add)
    for columns, add in zip(
        needed_columns("counts of answers that hints moved"),
        (_place_counts, _verbalised_totals, _by_kind, _two_detectors, _model_rates, _long_counts),
        strict=True,
    )
)
"""The forms of such tables, in the order of the vocabulary."""
_WORDS = frozenset({"model", "hint_type", "kind"})
_OPTIONAL = frozenset({"verbalised"})


def is_count_table(grid: Grid) -> bool:
    """Whether a table holds counts, not answers."""
    return _table_of(grid) is not None


def _table_of(grid: Grid) -> CountTable | None:
    titles = {title.strip().lower() for title in grid.header}
    return next((one for one in TABLES if one.columns <= titles), None)


def bundled_counts() -> Path:
    """Return the folder of the bundled counts of 12 models and six kinds of hint (Young 2026)."""
    return Path(str(resources.files("concord").joinpath("reasoning", "hints", "data", "young2026")))


def read_counts(
    source: TableSource,
    options: TableOptions = TableOptions(),  # noqa: B008 - frozen
) -> HintCounts:
    """Read counts from a table, from every table of a folder, or the bundled ones (``published``)."""
    counts = HintCounts()
    for one in table_sources(source):
        add_counts(counts, grid_of(one, options), options)
    return counts


def table_sources(source: TableSource) -> Sequence[TableSource]:
    """Return the tables of a source: those of a folder, or the one it is."""
    if not isinstance(source, str | Path):
        return [source]
    path = bundled_counts() if str(source) == PUBLISHED and not Path(source).exists() else Path(source)
    if not is_folder(path):
        return [path]
    found = sorted(one for one in path.iterdir() if one.suffix.lower() in (".csv", ".xlsx", ".json"))
    if not found:
        raise FileFormatError(f"{path}: the folder holds no table; expected tables of counts (CSV)")
    return found


def add_counts(
    counts: HintCounts,
    grid: Grid,
    options: TableOptions = TableOptions(),  # noqa: B008 - frozen
) -> None:
    """Add what one table says."""
    kind = _table_of(grid)
    if kind is None:
        wanted = "; ".join(", ".join(sorted(one.columns)) for one in TABLES)
        raise FileFormatError(
            f"{grid.place}: columns {listed(grid.header)} are not those of a table of counts; expected one "
            f"of: {wanted}"
        )
    table, rows = _count_rows(grid, kind, options)
    left, told = table.left_out()
    for row in rows:
        kind.add(counts, row, grid.name)
    refuse_models(len(counts.models), grid.name)
    counts.inputs.extend(grid.inputs)
    counts.warnings[:0] = told
    counts.left_out += left


def _count_rows(
    grid: Grid, kind: CountTable, options: TableOptions
) -> tuple[DeclaredTable, list[Mapping[str, object]]]:
    """Read the rows that can be read whole; others are noted."""
    names = [*sorted(kind.columns), *sorted(_OPTIONAL)]
    columns = [TableColumn(one, parse=cells.name if one in _WORDS else _count_or_rate(one)) for one in names]
    table = DeclaredTable(grid, columns, options)
    rows: list[Mapping[str, object]] = []
    for i in range(table.n_rows):
        row = {name: table.values(name)[i] for name in table.titles}
        table.needed(i, sorted(kind.columns))
        for name, value, expected in _impossible(row):
            table.problem(i, name, expected, value)
        if not any((i, name) in table.bad for name in row):
            rows.append(row)
    return table, rows


def _count_or_rate(name: str) -> Callable[[object], float | None]:
    def parse(cell: object) -> float | None:
        value = cells.number(cell)
        if value is not None and value < 0:
            raise BadCellError("a count or a rate, 0 or more")
        if value is not None and name in _COUNTS and (value > COUNTED or value % 1):
            raise BadCellError(f"a whole number of replies, {COUNTED:,} at most")
        return value

    return parse


_WITHIN = (
    ("total_faithful", "total_influenced"),
    ("faithful", "total"),
    ("our_faithful", "total"),
    ("influenced", "eligible"),
    ("verbalised", "influenced"),
)
"""Counts that cannot be larger than another of the same row."""
_COUNTS = {name for pair in _WITHIN for name in pair} | {
    "influenced_count", "both_count", "thinking_only_count", "answer_only_count", "neither_count"
}  # fmt: skip


def _impossible(row: Mapping[str, object]) -> Iterable[tuple[str, float, str]]:
    """Return counts above those they are part of, and rates above 1."""
    for part, whole in _WITHIN:
        k, n = row.get(part), row.get(whole)
        if isinstance(k, float) and isinstance(n, float) and k > n:
            yield part, k, f"at most {whole}, which is {n:g}"
    for kind in KINDS:
        rate = row.get(kind)
        if isinstance(rate, float) and rate > 1:
            yield kind, rate, "a rate from 0 to 1"

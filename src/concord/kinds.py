"""A kind of result, declared once: its record, its tables of columns, its sentences, notes and pictures.

From this declaration come the JSON document with its reader, the CSV files, the frame, the terminal, the
notebook, the section of the page and the table for a paper. Nothing here knows how a number looks: `show`
has one renderer per surface that takes any declaration.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from concord.errors import OptionError
from concord.files.codec import encode
from concord.files.documents import heading, holding_folder, provenance, read_record
from concord.files.output import frame_of, write_csv, write_json
from concord.records import Estimate, Interval, Presented, Provenance
from concord.words import say

if TYPE_CHECKING:
    import polars as pl

FILE, TERMINAL, PAGE, PAPER = "file", "terminal", "page", "paper"
SCREENS = (TERMINAL, PAGE, PAPER)
EVERYWHERE = (FILE, *SCREENS)
"""Surfaces that a column or a table can be on; a notebook shows what the terminal shows."""

_TOGETHER = 256
"""Rows of a file that are made at a time: those of a long run would fill the memory."""
_PARTS: Mapping[str, Callable[[Estimate], object]] = {
    "value": attrgetter("value"),
    "low": lambda one: one.ends[0],
    "high": lambda one: one.ends[1],
    "level": lambda one: None if one.interval is None else one.interval.level,
    "interval_method": lambda one: None if one.interval is None else one.interval.method,
    "n": attrgetter("n"),
    "n_left_out": attrgetter("n_left_out"),
    "method": attrgetter("method"),
    "note": attrgetter("note"),
    "bound_low": lambda one: None if one.bounds is None else one.bounds.low,
    "bound_high": lambda one: None if one.bounds is None else one.bounds.high,
}
"""What files hold of an `Estimate`, by name."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: where its value comes from, what it is called, and how and where it is shown.

    An `Estimate` brings its interval, level, n and, where it is undefined, its reason along by itself.
    """

    name: str
    """Its name in files; the attribute of the row, too, where `get` does not say otherwise."""
    get: Callable[[Any], object] | None = None
    title: str | None = None
    """Its name on screens; ``name`` with spaces where there is none."""
    words: bool = False
    """Texts, and yes or no; set to the left."""
    count: bool = False
    p: bool = False
    digits: int = 2
    ends: int | None = None
    """Digits of the ends of an interval; as many as of the value where it is not said."""
    sign: bool = False
    signed: Callable[[Any], bool] | None = None
    """Whether the number of a row has a sign, where rows differ: rates have none, differences do."""
    on: Sequence[str] = EVERYWHERE
    spread: Mapping[str, str] | None = None
    """Of an `Estimate`: names of columns in files, and which part each holds (``{"low": "low"}``)."""
    optional: bool = False
    """Not shown on screens where no row has a value."""
    held: str = ""
    """How the script of the page holds it, where that does not follow from the others: ``long`` (a number of
    the texts), ``share`` (four decimals) or ``flag``."""
    hidden: bool = False
    """Whether tables of the script show it in the detail of a row only."""

    @property
    def heading(self) -> str:
        """What screens call it."""
        return self.name.replace("_", " ") if self.title is None else self.title

    @property
    def getter(self) -> Callable[[Any], Any]:
        """What looks its value up in a row."""
        return attrgetter(self.name) if self.get is None else self.get

    def in_file(self, values: Sequence[object]) -> dict[str, list[object]]:
        """Return its columns in files by their names, for values of it."""
        if self.spread is None:
            return {self.name: [one.value if isinstance(one, Estimate) else one for one in values]}
        return {
            name: [_PARTS[part](one) if isinstance(one, Estimate) else None for one in values]
            for name, part in self.spread.items()
        }


class FilledTable(NamedTuple):
    """A table as a surface has it, every value looked up once."""

    columns: Sequence[Column]
    rows: Sequence[Any]
    values: Sequence[Sequence[object]]
    """By rows."""

    @property
    def heads(self) -> list[str]:
        """What screens call its columns."""
        return [one.heading for one in self.columns]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and columns of a result."""

    name: str
    """Short; what `table(name)` and `to_frame(name)` call it."""
    rows: Callable[[Any], Iterable[Any]]
    columns: tuple[Column, ...]
    title: str | Callable[[Any], str] = ""
    file: str = ""
    """The CSV file that holds it; none where it is only shown."""
    on: Sequence[str] = SCREENS
    folded: bool = False
    """On the page, below a line to open: details."""
    optional: bool = False
    """Its file is not written where it has no rows."""
    scripted: bool = False
    """On the page, the script shows all rows where they are many; of other tables the first are shown."""
    further: Callable[[Sequence[Any]], Sequence[Column]] | None = None
    """Columns that the rows decide, behind the others: one per kind of hint, say."""
    note: Callable[[Any], str] | None = None
    """What a reader must know below it; levels of intervals and reasons of dashes are said by themselves."""

    def shown(self, surface: str) -> bool:
        """Whether it is shown on a surface."""
        return surface in self.on and any(surface in column.on for column in self.columns)

    def title_of(self, result: Any) -> str:
        """Return the line above it."""
        return self.title if isinstance(self.title, str) else self.title(result)

    def grid(self, surface: str, result: Any) -> FilledTable:
        """Return what a surface has of it; screens have optional columns only where a row has a value."""
        rows = list(self.rows(result))
        columns, by_columns = [], []
        for column in (*self.columns, *(() if self.further is None else self.further(rows))):
            if surface in column.on:
                values = list(map(column.getter, rows))
                if not column.optional or surface == FILE or not all(map(_is_empty, values)):
                    columns.append(column)
                    by_columns.append(values)
        return FilledTable(columns, rows, list(zip(*by_columns, strict=True)))

    def file_columns(self) -> tuple[str, ...]:
        """Return the names of columns that its file always has."""
        every = (*self.columns, *(() if self.further is None else self.further(())))
        held = [one for one in every if FILE in one.on]
        return tuple([name for one in held for name in one.in_file(())])

    def file_rows(self, result: Any) -> Iterator[list[object]]:
        """Return its rows as its file holds them, in full precision."""
        return self.file_table(result)[1]

    def file_table(self, result: Any) -> tuple[tuple[str, ...], Iterator[list[object]]]:
        """Return the names of all columns of its file, and its rows."""
        rows, every = self.rows(result), self.columns
        if self.further is not None:
            rows = list(rows)  # they decide columns; others are made as they are written
            every = (*every, *self.further(rows))
        columns = [one for one in every if FILE in one.on]

        def cells() -> Iterator[list[object]]:
            left = iter(rows)
            while some := list(islice(left, _TOGETHER)):
                made = (one.in_file(list(map(one.getter, some))).values() for one in columns)
                yield from map(list, zip(*chain.from_iterable(made), strict=True))

        return tuple(name for one in columns for name in one.in_file(())), cells()


def _is_empty(value: object) -> bool:
    return (
        value is None
        or value == ""
        or (isinstance(value, Estimate) and value.value is None and not value.note)
    )


def unread_table(file: str) -> Table:
    """Return the table of a kind that counts unread answers; its file is written where there are some."""
    return Table(
        "unread",
        rows=lambda result: ((one, group) for one in result.unread for group in one.groups),
        title=lambda _: say("shared.unread.table"),
        file=file,
        optional=True,
        columns=(
            Column("of", lambda row: row[0].what, words=True, optional=True),
            Column("by", lambda row: row[0].by, words=True),
            Column("group", lambda row: row[1].group, words=True),
            Column("asked", lambda row: row[1].asked, count=True),
            Column("unread", lambda row: row[1].unread, count=True),
            Column("share", lambda row: row[1].share if row[1].asked else None, digits=3),
            Column(
                "outcomes",
                lambda row: ", ".join(f"{n} {name}" for name, n in row[1].outcomes.items()),
                words=True,
            ),
            Column("p", lambda row: row[0].p, p=True),
            Column("test", lambda row: row[0].test, words=True),
            Column("differs", lambda row: row[0].differs, words=True),
        ),
    )


LEFT_OUT_CELLS = Table(
    "left_out",
    rows=attrgetter("left_out"),
    file="left_out.csv",
    on=(),
    optional=True,
    columns=tuple(map(Column, ("file", "sheet", "row", "column", "value", "reason", "what_to_do"))),
)
"""Cells that could not be read, of a kind with the field ``left_out``; no file where all were."""


@dataclass(frozen=True, slots=True)
class PictureOf:
    """A picture of a result: a function of `show` that takes the record."""

    name: str
    """What `plot(name)` calls it; the first of a kind is the usual one."""
    by: str
    """``module.function`` of `concord.show`; it returns None where this result has nothing to draw."""
    caption: str | Callable[[Any], str] = ""
    """What a reader of the page must know beyond its title; the picture's own caption where there is none."""
    on_page: bool = True
    small: bool = False
    """Shown below the headline in a notebook."""
    shared: bool = False
    """On the page several results share one: the function takes a sequence of them, too."""
    each: Callable[[Any], Iterable[str]] | None = None
    """Agents that the page has such a picture of; the function takes the choice ``agent``."""

    def caption_of(self, result: Any) -> str:
        """Return what is below it on the page."""
        return self.caption if isinstance(self.caption, str) else self.caption(result)

    def names_of(self, result: Any) -> Iterable[str]:
        """Return whom it is drawn of on the page: each agent, or nobody in particular."""
        return ("",) if self.each is None else self.each(result)


@dataclass(frozen=True, slots=True)
class Gauge:
    """A headline number on its scale, before any table."""

    name: str
    value: float | None
    interval: Interval | None
    scale: tuple[float, float]
    signed: bool = False


class Kind(Presented):
    """A result: a frozen record that is written, read back and shown by its declaration.

    A subclass is a frozen dataclass with the class variables below; what it found is said by `sentences`.
    """

    __slots__ = ()

    FORMAT: ClassVar[str] = ""
    """What its document is, such as ``judge result``."""
    FILE: ClassVar[str] = ""
    """Name of the document."""
    QUESTION: ClassVar[str] = ""
    """The question it belongs to; its section of the page is below it."""
    SECTION: ClassVar[str] = ""
    """Short name of its section: part of addresses and of file names."""
    HEADING: ClassVar[str] = ""
    """Above its section of the page."""
    KEY: ClassVar[str] = ""
    """A key that every such document has, and documents of other kinds do not."""
    ASKS: ClassVar[str] = ""
    """The question before its sentences on the terminal."""
    TABLES: ClassVar[tuple[Table, ...]] = ()
    PICTURES: ClassVar[tuple[PictureOf, ...]] = ()
    CITES: ClassVar[tuple[str, ...]] = ()
    """What its methods paragraph cites beside Concord: keys of `show.citations.METHODS`."""
    OF_ONE_MODEL: ClassVar[bool] = False
    """Whether each result is of one model, and is seen with it on the page."""
    SAYS: ClassVar[tuple[str, ...]] = ()
    """What its document has beside its fields: ``question`` before them, ``provenance`` behind them."""
    BARE: ClassVar[bool] = False
    """Whether its document holds bare numbers: its file then has the record as well, under ``record``."""
    UNSHOWN: ClassVar[frozenset[str]] = frozenset()
    """Fields, by their names or the way to them (``a.b``), that no screen shows on purpose: settings that the
    methods paragraph or the provenance tells."""

    def sentences(self) -> Sequence[str]:
        """Return what was found, the first of them a title."""
        return ()

    def notes(self) -> Sequence[str]:
        """Return what a reader must know below the tables."""
        return ()

    def is_short(self) -> bool:
        """Whether everything is shown unasked; else the answer and the first table come first."""
        return not self.ASKS

    def gauges(self) -> Sequence[Gauge]:
        """Return the headline numbers on their scales."""
        return ()

    def who(self) -> Sequence[str]:
        """Return the models, agents or judges that it is about: its own model, where it has one."""
        model: str | None = getattr(self, "model", None)
        return () if model is None else [model]

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper; `concord` names the program and its version."""
        return ""

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        held: dict[str, Any] = encode(self)
        if "provenance" in self.SAYS:
            held = with_provenance(held, getattr(self, "inputs"))  # noqa: B009 - a field of such a kind
        return {"question": self.QUESTION, **held} if "question" in self.SAYS else held

    def to_dict(self) -> dict[str, Any]:
        """Return the document that its file holds, and that ``--json`` prints."""
        return self.document() if self.BARE else {**heading(self.FORMAT), **self.document()}

    def to_frame(self, table: str | None = None) -> "pl.DataFrame":
        """Return one of its tables as a frame.

        Parameters
        ----------
        table
            Its name; the first that is written as a file by default.
        """
        held = [one for one in self.TABLES if one.file]
        chosen = held[:1] if table is None else [one for one in self.TABLES if one.name == table]
        if not chosen:
            names = ", ".join(one.name for one in self.TABLES)
            raise OptionError(
                f"there is no table {table!r} of a {type(self).__name__}; expected one of {names}"
            )
        return frame_of(*chosen[0].file_table(self))

    def written(self) -> list[Table]:
        """Return the tables that are written as files."""
        return [one for one in self.TABLES if one.file and not (one.optional and not [*one.rows(self)])]

    def write_tables(self, folder: Path) -> list[Path]:
        """Write the tables and return their paths; what an earlier result left of others is removed."""
        tables = self.written()
        for path in (folder / one.file for one in self.TABLES if one.file and one not in tables):
            if path.is_file():
                path.unlink()
        for one in tables:
            write_csv(folder / one.file, *one.file_table(self))
        return [folder / one.file for one in tables]

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the files of the result and return their paths; the inverse of `read`."""
        folder = Path(out)
        record = {"record": encode(self)} if self.BARE else {}
        write_json(folder / self.FILE, {**heading(self.FORMAT), **self.document(), **record})
        return (folder / self.FILE, *self.write_tables(folder))

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a result back, whole."""
        path = holding_folder(Path(folder), cls.FILE) / cls.FILE
        return read_record(cls, path, cls.FORMAT, under="record" if cls.BARE else None)


def with_provenance(document: dict[str, Any], inputs: Iterable[Any]) -> dict[str, Any]:
    """Return a document with what computed it and from which files."""
    return {**document, "provenance": provenance(tuple(inputs))}


def asked_words(model: str | None, made: Provenance | None) -> str:
    """Say how a model was asked, behind a methods paragraph; nothing where that is not recorded."""
    settings = {} if made is None or made.model_settings is None else made.model_settings
    known = [
        f"{name.replace('_', ' ')} {value:g}"
        for name, value in settings.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and "again" not in name
    ]
    named = say("shared.the_model").capitalize() if model is None else model
    said = say("shared.asked.settings", model=named, settings=", ".join(known)) if known else ""
    if "persons" in settings:
        persons, about = str(settings["persons"]), str(settings.get("told"))
        said += say("shared.asked.persons", persons=persons, about=about)
    if settings.get("structured") == "auto":
        said += say("shared.asked.lined")
    most, n = settings.get("ask_again"), settings.get("asked_again")
    if isinstance(most, int) and isinstance(n, int):
        said += say("shared.asked.again", most=most, n=n) if most else say("shared.asked.never_again")
    return said

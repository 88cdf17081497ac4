"""Delimited text, and records as rows of it and back: one column per field. Long lists of records, kept."""

import csv
import marshal
import math
import re
import tempfile
import types
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from functools import cache
from io import BytesIO, TextIOWrapper
from itertools import accumulate, chain
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, Generic, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from concord.errors import FileFormatError, listed
from concord.files.cells import is_decimal_comma
from concord.files.codec import decode
from concord.files.contents import read_bytes
from concord.files.gate import check_record
from concord.files.grids import Grid, Numbered, from_records, is_blank
from concord.files.output import plain_cell, write_csv
from concord.files.text import decode as decoded_text

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
"""The delimiters that are recognised, with their names."""
_LOOKED_AT = 2**20
"""Bytes of the beginning in which the header is looked for."""


_SEEN = 2_000
"""Rows that are looked at for decimal commas."""
_POINT = re.compile(r"[-−+]?\d{0,15}\.\d{1,17}")
_CHOICES = re.compile(r"\d{1,3}(?:, ?\d{1,3}){2,40}")
"""Several choices of one question: what stands beside them in a column is no decimal comma either."""


def read_delimited(name: str, text: str) -> Grid:
    """Read delimited text; a record that spans lines is one row, as a spreadsheet shows it."""
    delimiter = recognise_delimiter(text)
    grid = from_records(name, None, records_of(name, text, delimiter))
    notes, comma = delimiter_note(name, delimiter), _first_comma(grid) if delimiter == ";" else ""
    if comma:
        read = f"{comma!r} and the like are read as {comma.replace(',', '.')}"
        notes = (*notes, f"{name}: {read}: semicolons part its cells, and no number has a point")
    return replace(grid, warnings=(*notes, *grid.warnings), decimal_comma=comma != "")


def _first_comma(grid: Grid) -> str:
    """Return a number with a decimal comma, where no number has a point and some cannot be thousands."""
    columns = [
        [cell.strip() for cell in grid.cells(j)[:_SEEN] if isinstance(cell, str)]
        for j in range(len(grid.header))
    ]
    if any(_POINT.fullmatch(cell) for cells in columns for cell in cells):
        return ""
    for cells in columns:
        found = [cell for cell in cells if is_decimal_comma(cell) and len(cell.rpartition(",")[2]) != 3]
        if found and not any(map(_CHOICES.fullmatch, cells)):
            return found[0]
    return ""


def delimiter_note(name: str, delimiter: str) -> tuple[str, ...]:
    """Say so when a file is not delimited as its extension promises."""
    if delimiter == "," or (delimiter == "\t" and name.lower().endswith((".tsv", ".tab"))):
        return ()
    return (f"{name}: read with {DELIMITERS[delimiter]} as the delimiter",)


def recognise_delimiter(text: str) -> str:
    """Choose the delimiter that splits the first filled line into most cells; a comma when none does."""
    return max(DELIMITERS, key=lambda delimiter: len(header_of(text, delimiter)))


def header_of(text: str, delimiter: str) -> list[str]:
    """Return the first filled record; one empty cell when nothing is split this way."""
    try:
        for record in _reader(text[:_LOOKED_AT], delimiter, strict=False):
            if not all(map(is_blank, record)):
                return record
    except csv.Error:
        return [""]
    return [""]


def _reader(text: str, delimiter: str, *, strict: bool) -> Iterator[list[str]]:
    # a StringIO would hold four bytes per character, and splitlines would part lines at form feeds
    lines: Iterable[str] = TextIOWrapper(BytesIO(text.encode("utf-8", "surrogatepass")),
                                         encoding="utf-8", errors="surrogatepass", newline="")  # fmt: skip
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def records_of(name: str, text: str, delimiter: str) -> Iterator[Numbered]:
    """Split text into numbered records, blank ones included; a broken quote is an error with its row."""
    yield from enumerate(text_records(name, text, delimiter), 1)


def text_records(name: str, text: str, delimiter: str = ",") -> Iterator[list[str]]:
    """Split text into records under the limits on tables; a broken quote is an error with its row."""
    row, cells = 0, 0
    try:
        for record in _reader(text, delimiter, strict=True):
            row, cells = row + 1, cells + len(record)
            check_record(name, row, len(record), cells)
            yield record
    except csv.Error as error:
        raise FileFormatError(
            f"{name}: row {row + 1} cannot be split into cells ({error}); "
            'check its quotes: a quote inside a quoted cell is doubled, ""'
        ) from error


T = TypeVar("T")
_FLAGS = {"true": True, "false": False}


class LongSequence(Sequence[T], Generic[T]):
    """A sequence whose entries are made as they are looked at; equal to any other of equal entries."""

    def as_tuple(self) -> tuple[T, ...]:
        """Return a tuple, or where it would be long these entries in its place: equal to it, not copied."""
        return tuple(self) if len(self) <= _TOGETHER else cast("tuple[T, ...]", self)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(self._entry(place) for place in range(*at.indices(len(self))))
        place = at + len(self) if at < 0 else at
        if not 0 <= place < len(self):
            raise IndexError(at)
        return self._entry(place)

    def _entry(self, place: int) -> T:
        raise NotImplementedError

    def __iter__(self) -> Iterator[T]:
        return map(self._entry, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (list(self),)


class PickedRows(LongSequence[T]):
    """Some entries of a sequence, or all, each made of what lies there when it is looked at."""

    def __init__(self, source: Sequence[Any], make: Callable[[Any], T], places: Sequence[int] | None = None):
        self._source, self._make = source, make
        self._places = range(len(source)) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[T]:
        whole = isinstance(self._places, range)
        return map(self._make, self._source if whole else map(self._source.__getitem__, self._places))

    def _entry(self, place: int) -> T:
        return self._make(self._source[self._places[place]])


class JoinedRows(LongSequence[T]):
    """Several sequences, one behind the other."""

    def __init__(self, parts: Sequence[Sequence[T]]) -> None:
        self._parts, self._ends = parts, list(accumulate(map(len, parts), initial=0))

    def __len__(self) -> int:
        return self._ends[-1]

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self._parts)

    def _entry(self, place: int) -> T:
        part = bisect_right(self._ends, place) - 1
        return self._parts[part][place - self._ends[part]]


class StoredRecords(LongSequence[T]):
    """Flat records in their order; many lie in a file without a name, and are read as they are looked at."""

    def __init__(self, kind: type[T], records: Iterable[T] = ()) -> None:
        self._kind, self._last = kind, list[T]()
        self._flat: Callable[[T], tuple[Any, ...]]
        self._flat = attrgetter(*(one.name for one in fields(cast("Any", kind))))
        self._file: IO[bytes] | None = None
        self._ends = array("q", [0])
        self.extend(records)

    def _made(self, values: tuple[Any, ...]) -> T:
        return self._kind(*values)

    def append(self, record: T) -> None:
        """Add one record."""
        self._last.append(record)
        if len(self._last) == _TOGETHER:
            self._put_away()

    def extend(self, records: Iterable[T]) -> None:
        """Add records behind each other."""
        for one in records:
            self.append(one)

    def _put_away(self) -> None:
        written = [_record_bytes(self._flat(one)) for one in self._last]
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the records
                weakref.finalize(self, self._file.close)
            self._file.seek(self._ends[-1])
            self._file.write(b"".join(written))
        except OSError as fault:
            raise FileFormatError(
                f"cannot write {tempfile.gettempdir()}: {fault.strerror}; make room, or set TMPDIR"
            ) from fault
        for one in written:
            self._ends.append(self._ends[-1] + len(one))
        self._last.clear()

    def __len__(self) -> int:
        return len(self._ends) - 1 + len(self._last)

    def __iter__(self) -> Iterator[T]:
        ends, first = self._ends, 0
        while first < len(ends) - 1:  # some may be added meanwhile
            data, begin = memoryview(self._read(first, first + _TOGETHER)), ends[first]
            for place in range(first, first + _TOGETHER):
                yield self._made(marshal.loads(data[ends[place] - begin :]))
            first += _TOGETHER
        yield from self._last

    def _entry(self, place: int) -> T:
        if place >= len(self._ends) - 1:
            return self._last[place - len(self._ends) + 1]
        return self._made(marshal.loads(self._read(place, place + 1)))

    def _read(self, first: int, after: int) -> bytes:
        assert self._file is not None  # something was put away
        self._file.seek(self._ends[first])
        return self._file.read(self._ends[after] - self._ends[first])


def _record_bytes(values: tuple[Any, ...]) -> bytes:
    """Return values as bytes; what is more than a text (a cell with a fault) or a number as what it is."""
    try:
        return marshal.dumps(values)
    except ValueError:
        plain = (
            str(one) if isinstance(one, str) else getattr(one, "item", lambda o=one: o)() for one in values
        )
        return marshal.dumps(tuple(plain))


_TOGETHER = 256
"""Records that are written, or read in turn, at a time; so few are in no file."""


def write_rows(path: Path, kind: type[Any], rows: Iterable[Any]) -> None:
    """Write records as CSV: flags as true and false, undefined as an empty cell."""
    names = [one.name for one in fields(kind)]
    write_csv(path, names, map(attrgetter(*names), rows))


def read_rows(path: Path, kind: type[T]) -> tuple[T, ...]:
    """Read what `write_rows` wrote."""
    # An empty cell is undefined where the field may be, and an empty text where it may not. Columns that the
    # record does not know are left alone.
    known = field_kinds(cast("Hashable", kind))
    needed = [name for name, (_, _, is_needed) in known.items() if is_needed]
    lines = read_back(str(path), read_bytes(path), needed, fix="is this a result that Concord wrote?")
    return tuple(
        decode(
            kind,
            {name: _cell(known[name], text) for name, text in line.items() if name in known},
            where=f"{path}, row {number}",
        )
        for number, line in lines
    )


def read_back(name: str, data: bytes, wanted: Sequence[str], *, fix: str) -> list[tuple[int, dict[str, str]]]:
    """Read back a table that Concord wrote, also after a spreadsheet program saved it again."""
    grid = read_delimited(name, decoded_text(name, data))
    lacking = [column for column in wanted if column not in grid.header]
    if lacking:
        raise FileFormatError(f"{name}: no column {listed(lacking)}; {fix}")
    twice = sorted({column for column in grid.header if column in wanted and grid.header.count(column) > 1})
    if twice:
        raise FileFormatError(f"{name}: the column {listed(twice)} is there twice; {fix}")
    if grid.problems:
        raise FileFormatError(f"{grid.problems[0]}; {fix}")
    columns: Mapping[str, Any] = dict(zip(grid.header, grid.columns, strict=True))
    rows = []
    for i, number in enumerate(grid.rows):
        line = {column: cells[i] for column, cells in columns.items()}
        if None in line.values():
            raise FileFormatError(f"{name}, row {number}: fewer cells than columns; {fix}")
        rows.append((number, {column: plain_cell(cell) for column, cell in line.items()}))
    return rows


@cache
def field_kinds(kind: Any) -> dict[str, tuple[type[Any], bool, bool]]:
    """Return each field's type, whether it may be undefined, and whether a file must hold it."""
    hints, found = get_type_hints(kind), {}
    for one in fields(kind):
        hint = hints[one.name]
        union = get_origin(hint) in (Union, types.UnionType)
        plain_type = next(part for part in get_args(hint) if part is not type(None)) if union else hint
        needed = one.default is MISSING and one.default_factory is MISSING
        found[one.name] = (plain_type, union, needed)
    return found


def _cell(kind: tuple[type[Any], bool, bool], text: str) -> object:
    """Return a cell as what JSON would hold; what does not fit is left for `decode` to name."""
    wanted, may_lack, _ = kind
    if may_lack and text == "":
        return None
    if wanted is str:
        return text
    if wanted is bool:
        return _FLAGS.get(text.strip().casefold(), text)  # spreadsheet programs write TRUE
    try:
        value = wanted(text)
    except ValueError:
        return text
    return text if isinstance(value, float) and math.isnan(value) else value

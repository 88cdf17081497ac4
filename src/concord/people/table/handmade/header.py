"""Where the header of a hand-made table is: below titles, on one to three lines, with merged cells."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from concord.errors import FileFormatError
from concord.files.cells import BadCellError
from concord.files.grids import Numbered, RawTable, filled, is_blank
from concord.people.table.handmade.cells import read_any
from concord.people.table.handmade.words import LONGEST_TITLE, Meaning, meaning_of, names_whole_side

DEEPEST = 3
"""Lines that a header may have."""
LOOKED_AT = 40
"""Records in which a header is looked for."""
MOST_MERGED = 2000
"""Merged areas that are looked at; people do not make more by hand."""
FEWEST = 3
"""Columns whose words must be known."""
_SIZE = re.compile(r"[(\[,;]?\s*\bn\s*=\s*(\d+)\s*[)\]]?", re.IGNORECASE)
_UNIT = re.compile(r"[\[(][^\])]*[\])]|%|points?|ms|s|kg|cm|usd|\$|€|[\d]+\s*[-–to]+\s*\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HeadSize:
    """Participants that a title gives."""

    n: float
    of_side: bool
    """Of a whole side, "Humans (n = 80)"; otherwise of the column's group, "Control (n = 42)"."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a table: its titles, what they mean, and where the body begins."""

    titles: tuple[str, ...]
    """The words above each column, the lines joined by ``/``."""
    meanings: tuple[Meaning | None, ...]
    begin: int
    """The place of the first record of the body."""
    last_row: int
    """The last row of the header, as the spreadsheet shows it."""
    sizes: tuple["HeadSize | None", ...] = ()
    """Participants that the words above each column give."""
    first: int = 0
    """The place of its first line among the records."""

    def places_of(self, *fields: str) -> list[int]:
        """Return the places of the columns that hold one of these fields."""
        return [j for j, one in enumerate(self.meanings) if one is not None and one.field in fields]


def spread_merged(raw: RawTable) -> list[Numbered]:
    """Return the records, blank ones left out, with the value of a merged area in all of its cells."""
    cells = {row: list(record) for row, record in raw.records}
    width = max(map(len, cells.values()), default=0)
    room = width * len(cells)
    for area in raw.merged[:MOST_MERGED]:
        top = cells.get(area.top, [])
        value = top[area.left] if area.left < len(top) else None
        if is_blank(value):
            continue
        right = min(area.right, width - 1)
        # an area may reach to the end of the sheet: only rows that hold something are filled
        there = range(area.top, area.bottom + 1)
        rows = [row for row in (there if len(there) < len(cells) else cells) if row in cells and row in there]
        room -= len(rows) * max(0, right + 1 - area.left)
        if room < 0:  # each would be filled again
            raise FileFormatError(f"{raw.name}: merged areas lie over each other; save the workbook again")
        for row in rows:
            record = cells[row]
            record.extend([None] * (right + 1 - len(record)))
            record[area.left : right + 1] = [value] * (right + 1 - area.left)
    return [(row, record) for row, record in sorted(cells.items()) if filled(record)]


def find_header(records: Sequence[Numbered], named: Collection[str] = ()) -> Header | None:
    """Find the header: the lines whose words are known for most columns; ``None`` where none has enough."""
    best: tuple[tuple[int, int, int], Header] | None = None
    last = _last_filled(records)
    for first in range(min(LOOKED_AT, len(records))):
        for depth in range(1, DEEPEST + 1):
            found = _candidate(records, last, first, depth)
            if found is None:
                break
            known = [one for one in found.meanings if one is not None]
            mapped = sum(
                title_key(title) in named or title_key(title.rpartition(" / ")[2]) in named
                for title, meaning in zip(found.titles, found.meanings, strict=True)
                if title and meaning is None
            )
            score = (sum(map(_weight_of, known)) + 3 * mapped, -depth, -first)
            titles = {
                title_key(part) for title in found.titles for part in (title, title.rpartition(" / ")[2])
            }
            is_named = bool(named) and titles.issuperset(named)
            has_both = len({one.side for one in known} - {None}) > 1
            is_enough = len(known) + mapped >= FEWEST or is_named or has_both
            if is_enough and (best is None or score > best[0]):
                best = (score, found)
    return None if best is None else best[1]


def first_line(records: Sequence[Numbered]) -> Header | None:
    """Return the first line that may be a header, whatever its words mean, for a person to say it."""
    last = _last_filled(records)
    found = (_candidate(records, last, first, 1) for first in range(min(LOOKED_AT, len(records))))
    return next((one for one in found if one is not None), None)


def title_key(title: str) -> str:
    """Return a title as mappings compare it: case and white space do not matter."""
    return " ".join(title.casefold().split())


def _weight_of(meaning: Meaning) -> int:
    """Return how much is known of a column: what it holds, whose it is, and of which group."""
    if not meaning.is_number:
        return 2
    known = (meaning.field != "any", meaning.side is not None, meaning.group in ("1", "2"))
    return 1 + sum(known)


def _last_filled(records: Sequence[Numbered]) -> list[int]:
    """Return the place of the last record that holds something in each column, -1 where none does."""
    last = [-1] * max((len(record) for _, record in records), default=0)
    for place, (_, record) in enumerate(records):
        for j, cell in enumerate(record):
            if not is_blank(cell):
                last[j] = place
    return last


def _candidate(records: Sequence[Numbered], last: Sequence[int], first: int, depth: int) -> Header | None:
    """Take some records for a header; ``None`` where they hold a title alone, or data."""
    lines = records[first : first + depth]
    if len(lines) < depth or len(records) <= first + depth or not all(map(_is_line, lines)):
        return None
    if any(after - before > 1 for (before, _), (after, _) in zip(lines, lines[1:], strict=False)):
        return None
    width = max(len(record) for _, record in lines)
    levels = [_header_line(record, width, fill=i < depth - 1) for i, (_, record) in enumerate(lines)]
    # a column without anything below is a gap that a title of its neighbours reaches over
    empty = [depth > 1 and not levels[-1][j] and last[j] < first + depth for j in range(width)]
    columns = [[] if empty[j] else _column_words([level[j] for level in levels]) for j in range(width)]
    titles = tuple(" / ".join(column) for column in columns)
    meanings = tuple(_column_meaning(column) for column in columns)
    sizes = [_last_size(column) for column in columns]
    begin = first + depth
    if begin < len(records) - 1 and _is_units(records[begin][1]):
        for j, cell in enumerate(records[begin][1][:width]):
            sizes[j] = sizes[j] if is_blank(cell) else _last_size([str(cell)]) or sizes[j]
        begin += 1
    return Header(titles, meanings, begin, records[begin - 1][0], tuple(sizes), first)


def _column_meaning(texts: Sequence[str]) -> Meaning | None:
    """Return what the words above a column mean, the sizes of samples left out."""
    words = [text for text in (_SIZE.sub(" ", text).strip() for text in texts) if text]
    return meaning_of(words) if words else None


def _last_size(texts: Sequence[str]) -> HeadSize | None:
    """Return the size of a sample that the lowest line gives."""
    found = [
        HeadSize(float(match[1]), names_whole_side(_SIZE.sub(" ", text)))
        for text in texts
        if (match := _SIZE.search(text)) is not None
    ]
    return found[-1] if found else None


def split_tables(records: Sequence[Numbered], header: Header) -> list[tuple[Header, Sequence[Numbered]]]:
    """Return every table that stands below another one on a sheet, each with its header and its records."""
    found: list[tuple[Header, Sequence[Numbered]]] = []
    current = header
    last = _last_filled(records)
    for place in range(header.begin + 1, len(records) - 1):
        if place < current.begin + 1:
            continue
        other = _header_at(records, last, place)
        if other is not None and other.titles != current.titles:
            found.append((current, records[: other.first]))
            current = other
    return [*found, (current, records)]


def _header_at(records: Sequence[Numbered], last: Sequence[int], place: int) -> Header | None:
    """Return the header that begins at a record inside a table; ``None`` where none does."""
    best: tuple[tuple[int, int], Header] | None = None
    for depth in range(1, DEEPEST + 1):
        found = _candidate(records, last, place, depth)
        if found is None:
            break
        known = [one for one in found.meanings if one is not None]
        score = (sum(map(_weight_of, known)), -depth)
        has_both = any(one.is_number for one in known) and not all(one.is_number for one in known)
        if len(known) >= FEWEST and has_both and (best is None or score > best[0]):
            best = (score, found)
    return None if best is None else best[1]


def _is_line(record: Numbered) -> bool:
    """Whether a record may be a line of a header: several different texts, no numbers, no results."""
    cells = [cell for cell in record[1] if not is_blank(cell)]
    if any(isinstance(cell, str) and len(cell) > LONGEST_TITLE for cell in cells):
        return False
    if len({str(cell) for cell in cells}) < 2 or not all(isinstance(cell, str) for cell in cells):
        return False
    return not any(_is_result(_SIZE.sub(" ", str(cell)).strip()) for cell in cells)


def _is_result(text: str) -> bool:
    if not re.search(r"\d", text):
        return False
    if "=" in text:  # a result that cannot be read is one all the same
        return True
    try:
        read_any(text)
    except BadCellError:
        return False
    return True


def _header_line(record: Sequence[object], width: int, *, fill: bool) -> list[str]:
    """Return the texts of a line; above another line a text is also over the blanks to its right."""
    texts = ["" if is_blank(cell) else str(cell).strip() for cell in record]
    texts += [""] * (width - len(texts))
    if fill:
        for j in range(1, width):
            if not texts[j]:
                texts[j] = texts[j - 1]
    return texts


def _column_words(texts: Sequence[str]) -> list[str]:
    """Return the words above one column, each once."""
    return list(dict.fromkeys(text for text in texts if text))


def _is_units(record: Sequence[object]) -> bool:
    cells = [str(cell).strip() for cell in record if not is_blank(cell)]
    return bool(cells) and all(_UNIT.fullmatch(cell) for cell in cells)

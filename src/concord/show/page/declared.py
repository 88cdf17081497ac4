"""Any declared kind of result as a section of the page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from concord.errors import FileFormatError
from concord.kinds import PAGE, Column, Kind, Table
from concord.records import Estimate
from concord.show.citations import CONCORD, METHODS
from concord.show.declared import cell_text, drawn_by, table_notes
from concord.show.methods import with_concord
from concord.show.page import fragments
from concord.show.page.content import Section
from concord.show.page.data import PageColumn, packed
from concord.show.page.values import ResultFile
from concord.show.svg import Picture


def section_of(kind: type[Kind]) -> Section:
    """Return the section of the page that shows results of a kind."""

    def read_one(source: ResultFile) -> Kind:
        if source.file is None or source.file.name != kind.FILE:
            raise FileFormatError(f"is not called {kind.FILE}, so what it found is not shown")
        return kind.read(source.file.parent)

    return Section(
        name=kind.SECTION,
        question=kind.QUESTION,
        heading=kind.HEADING,
        file=kind.FILE,
        key=kind.KEY,
        read=read_one,
        show=shown_results,
        show_one=shown_result if kind.OF_ONE_MODEL else None,
        pictures=_all_pictures,
        says=lambda result: result.sentences(),
        who=lambda result: result.who(),
        methods=lambda result, document: result.paragraph(with_concord(document)),
        cites=(CONCORD, *(METHODS[key] for key in kind.CITES)),
    )


def _all_pictures(records: Sequence[Kind]) -> list[Picture]:
    """Return the pictures of all results, each under a name of its own."""
    alone = len(records) == 1
    shared = [] if alone else _shared_pictures(records)
    own = [found for record in records for found in _pictures(record, alone=alone).values()]
    drawn = [one for found in (*own, shared) for _, one in found]
    seen: Counter[str] = Counter()
    named = []
    for one in drawn:
        seen[one.name] += 1
        named.append(one if seen[one.name] == 1 else replace(one, name=f"{one.name}-{seen[one.name]}"))
    return named


def _shared_pictures(records: Sequence[Kind]) -> list[tuple[str, Picture]]:
    """Return the pictures that several results share, each with what is below it."""
    shared = [one for one in records[0].PICTURES if one.shared and one.on_page]
    drawn = [(one, drawn_by(one, records)) for one in shared]
    return [
        (one.caption_of(records[0]) or picture.caption, picture)
        for one, picture in drawn
        if picture is not None
    ]


def _pictures(
    result: Kind, *, alone: bool = True, without: Sequence[str] = ()
) -> dict[str, list[tuple[str, Picture]]]:
    """Return the pictures that a result has for the page, by whom they are of, each with what is below it."""
    found: dict[str, list[tuple[str, Picture]]] = {}
    for one in result.PICTURES:
        on_page = one.on_page and one.name not in without and (alone or not one.shared)
        for name in one.names_of(result) if on_page else ():
            drawn = drawn_by(one, result, **({} if one.each is None else {"agent": name}))
            if drawn is not None:
                found.setdefault(name, []).append((one.caption_of(result) or drawn.caption, drawn))
    return found


def _figures(result: Kind, i: int, *, alone: bool, without: Sequence[str] = ()) -> list[str]:
    """Return the pictures of a result; those of each of several agents are folded."""
    made, count = [], 0
    by_name = _pictures(result, alone=alone, without=without)
    several = sum(name != "" for name in by_name) > 1
    for name, drawn in by_name.items():
        figures = [
            fragments.figure(picture, f"{result.SECTION}{i}-{count + k}", caption)
            for k, (caption, picture) in enumerate(drawn)
        ]
        count += len(figures)
        row = fragments.figures(*figures) if len(figures) > 1 else figures[0]
        made.append(fragments.folded(name, row) if name and several else row)
    return made


def shown_results(records: Sequence[Kind]) -> str:
    """Return all results of a section as HTML, the pictures that several share first."""
    alone = len(records) == 1
    shared = [
        fragments.figure(picture, f"{records[0].SECTION}-all-{k}", caption)
        for k, (caption, picture) in enumerate([] if alone else _shared_pictures(records))
    ]
    each = (shown_result(one, i, alone=alone) for i, one in enumerate(records))
    return fragments.fragment(*([fragments.figures(*shared)] if shared else []), *each)


def shown_result(result: Kind, i: int, *, alone: bool = True, without: Sequence[str] = ()) -> str:
    """Return one result as HTML: what was found, pictures that are not shown elsewhere, tables, notes."""
    return fragments.fragment(
        *map(fragments.paragraph, result.sentences()),
        *_figures(result, i, alone=alone, without=without),
        *(html for one in result.TABLES if one.shown(PAGE) for html in table_html(result, one, i)),
        *(fragments.paragraph(note, soft=True) for note in result.notes()),
    )


MOST_ROWS = 200
"""Rows of a table that are on the page; the files of a result hold all."""


def table_html(result: Kind, held: Table, i: int) -> list[str]:
    """Return a table and its notes; nothing where it has no rows."""
    rows = list(held.rows(result))
    if not rows:
        return []
    columns, name = held.columns_on(PAGE, rows), f"{result.SECTION}-{held.name}-{i}"
    if _is_scripted(held, rows):
        told = [fragments.paragraph(note, soft=True) for note in table_notes(held, columns, rows, result)]
        return [fragments.scripted(name, held.title_of(result), len(rows)), *told]
    made = fragments.table(
        name,
        held.title_of(result),
        [_head(column) for column in columns],
        [[_page_cell(column, column.value(row)) for column in columns] for row in rows[:MOST_ROWS]],
    )
    more = [f"{MOST_ROWS:,} of {len(rows):,} rows{f'; all are in {held.file}' if held.file else ''}."]
    notes = [fragments.paragraph(one, soft=True) for one in (more if len(rows) > MOST_ROWS else [])]
    notes += [fragments.paragraph(note, soft=True) for note in table_notes(held, columns, rows, result)]
    return [fragments.folded(held.title_of(result), made, *notes)] if held.folded else [made, *notes]


SCRIPTED_ROWS = 40
"""Rows beyond which a table is shown by the script, where it may be."""


def _is_scripted(held: Table, rows: Sequence[object]) -> bool:
    return held.scripted and len(rows) > SCRIPTED_ROWS


def script_tables(result: Kind, i: int) -> dict[str, dict[str, Any]]:
    """Return the long tables of a result as the script reads them, all rows, by the names they have there."""
    made = {}
    for held in result.TABLES:
        rows = list(held.rows(result)) if held.scripted and held.shown(PAGE) else []
        if _is_scripted(held, rows):
            columns = held.columns_on(PAGE, rows)
            cells = [
                {key: cell for column in columns for key, cell in _script_cells(column, row)} for row in rows
            ]
            heads = [one for column in columns for one in _script_heads(column, rows)]
            made[f"{result.SECTION}-{held.name}-{i}"] = packed(heads, cells)
    return made


def _script_heads(column: Column, rows: Sequence[Any]) -> list[PageColumn]:
    """Return the columns of the script for one of a declaration: three of a number with its interval."""
    kind = "text" if column.words else "p" if column.p else "count" if column.count else "number"
    head = [PageColumn(column.name, column.heading, kind)]
    if any(isinstance(column.value(row), Estimate) for row in rows):
        head += [PageColumn(f"{column.name}_{end}", end, kind) for end in ("low", "high")]
    return head


def _script_cells(column: Column, row: Any) -> list[tuple[str, object]]:
    value = column.value(row)
    if not isinstance(value, Estimate):
        return [(column.name, value)]
    low, high = value.ends
    return [(column.name, value.value), (f"{column.name}_low", low), (f"{column.name}_high", high)]


def _head(column: Column) -> fragments.Heading | str:
    if column.words:
        return column.heading
    form = partial(cell_text, column) if column.count or column.p else None
    return fragments.Heading(
        column.heading, digits=column.digits, ends=column.end_digits, sign=column.sign, form=form
    )


def _page_cell(column: Column, value: object) -> fragments.Cell:
    """Return a cell: a number that can be sorted, or the text that every other surface shows."""
    if isinstance(value, Estimate):
        return value
    if column.words or not isinstance(value, int | float) or isinstance(value, bool):
        return None if value is None else cell_text(column, value)
    return value

"""Any declared kind of result as a section of the page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from concord.errors import FileFormatError
from concord.kinds import PAGE, Column, Kind, Table
from concord.records import Estimate
from concord.show.citations import CONCORD, METHODS
from concord.show.declared import cell_text, drawn_by, table_notes
from concord.show.methods import with_concord
from concord.show.page import fragments
from concord.show.page.content import Section
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


def _pictures(result: Kind, *, alone: bool = True) -> dict[str, list[tuple[str, Picture]]]:
    """Return the pictures that a result has for the page, by whom they are of, each with what is below it."""
    found: dict[str, list[tuple[str, Picture]]] = {}
    for one in result.PICTURES:
        for name in one.names_of(result) if one.on_page and (alone or not one.shared) else ():
            drawn = drawn_by(one, result, **({} if one.each is None else {"agent": name}))
            if drawn is not None:
                found.setdefault(name, []).append((one.caption_of(result) or drawn.caption, drawn))
    return found


def _figures(result: Kind, i: int, *, alone: bool) -> list[str]:
    """Return the pictures of a result; those of each of several agents are folded."""
    made, count = [], 0
    by_name = _pictures(result, alone=alone)
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


def shown_result(result: Kind, i: int, *, alone: bool = True) -> str:
    """Return one result as HTML: what was found, pictures, tables, notes."""
    return fragments.fragment(
        *map(fragments.paragraph, result.sentences()),
        *_figures(result, i, alone=alone),
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
    columns = held.columns_on(PAGE, rows)
    made = fragments.table(
        f"{result.SECTION}-{held.name}-{i}",
        held.title_of(result),
        [_head(column) for column in columns],
        [[_page_cell(column, column.value(row)) for column in columns] for row in rows[:MOST_ROWS]],
    )
    more = [f"{MOST_ROWS:,} of {len(rows):,} rows{f'; all are in {held.file}' if held.file else ''}."]
    notes = [fragments.paragraph(one, soft=True) for one in (more if len(rows) > MOST_ROWS else [])]
    notes += [fragments.paragraph(note, soft=True) for note in table_notes(held, columns, rows, result)]
    return [fragments.folded(held.title_of(result), made, *notes)] if held.folded else [made, *notes]


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

"""Any declared kind of result as a section of the page."""

from concord.errors import FileFormatError
from concord.kinds import PAGE, Column, Kind, Table
from concord.records import Estimate
from concord.show.citations import CONCORD, METHODS
from concord.show.declared import cell_text, drawn_by, table_notes
from concord.show.methods import with_concord
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
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
        show=lambda records: fragments.fragment(*(shown_result(one, i) for i, one in enumerate(records))),
        show_one=shown_result if kind.OF_ONE_MODEL else None,
        pictures=lambda records: [found for one in records for _, found in _pictures(one)],
        says=lambda result: result.sentences(),
        who=lambda result: result.who(),
        methods=lambda result, document: result.paragraph(with_concord(document)),
        cites=(CONCORD, *(METHODS[key] for key in kind.CITES)),
    )


def _pictures(result: Kind) -> list[tuple[str, Picture]]:
    """Return the pictures that a result has for the page, each with what is below it."""
    drawn = ((one, drawn_by(one, result)) for one in result.PICTURES if one.on_page)
    return [
        (caption if (caption := one.caption_of(result)) else found.caption, found)
        for one, found in drawn
        if found is not None
    ]


def shown_result(result: Kind, i: int) -> str:
    """Return one result as HTML: what was found, pictures, tables, notes."""
    figures = [
        fragments.figure(picture, f"{result.SECTION}{i}-{k}", caption)
        for k, (caption, picture) in enumerate(_pictures(result))
    ]
    return fragments.fragment(
        *map(fragments.paragraph, result.sentences()),
        *([fragments.figures(*figures)] if len(figures) > 1 else figures),
        *(html for one in result.TABLES if one.shown(PAGE) for html in _table_html(result, one, i)),
        *(fragments.paragraph(note, soft=True) for note in result.notes()),
    )


def _table_html(result: Kind, held: Table, i: int) -> list[str]:
    """Return a table and its notes; nothing where it has no rows."""
    rows = list(held.rows(result))
    if not rows:
        return []
    columns = held.columns_on(PAGE, rows)
    made = fragments.table(
        f"{result.SECTION}-{held.name}-{i}",
        held.title_of(result),
        [_head(column) for column in columns],
        [[_page_cell(column, column.value(row)) for column in columns] for row in rows],
    )
    return [
        made,
        *(fragments.paragraph(note, soft=True) for note in table_notes(held, columns, rows, result)),
    ]


def _head(column: Column) -> fragments.Heading | str:
    return column.heading if column.words else fragments.Heading(column.heading, digits=column.digits)


def _page_cell(column: Column, value: object) -> fragments.Cell:
    """Return a cell: a number that can be sorted, or the text that every other surface shows."""
    if isinstance(value, Estimate):
        return value
    if (
        column.words
        or column.p
        or column.count
        or not isinstance(value, int | float)
        or isinstance(value, bool)
    ):
        return None if value is None else cell_text(column, value)
    return float(value)

"""Any declared kind of result as a section of the page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from concord.kinds import PAGE, Column, FilledTable, Kind, Table
from concord.records import Estimate
from concord.show.declared import drawn_by, is_bare, table_notes, without_undefined
from concord.show.page import fragments
from concord.show.page.data import packed
from concord.show.page.screen import Lead
from concord.show.svg import Picture
from concord.words import say


def all_pictures(records: Sequence[Kind]) -> list[Picture]:
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
            if f"{one.name}/{name}" in without:
                continue  # it is on the first screen
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


def first_picture(result: Kind) -> tuple[str, str]:
    """Return the name and the HTML of the first picture of a result; empty where there is none to draw."""
    for one in result.PICTURES:
        if not one.on_page:
            continue
        name = next(iter(one.names_of(result)), "")
        drawn = drawn_by(one, result, **({} if one.each is None else {"agent": name}))
        if drawn is not None:
            caption = one.caption_of(result) or drawn.caption
            return f"{one.name}/{name}", fragments.figure(drawn, f"{result.SECTION}-lead", caption)
    return "", ""


def shown_results(records: Sequence[Kind], lead: Lead | None = None) -> str:
    """Return all results of a section as HTML, the pictures that several share first."""
    alone = len(records) == 1
    shared = [
        fragments.figure(picture, f"{records[0].SECTION}-all-{k}", caption)
        for k, (caption, picture) in enumerate([] if alone else _shared_pictures(records))
    ]
    each = (shown_result(one, i, alone=alone, lead=lead if i == 0 else None) for i, one in enumerate(records))
    return fragments.fragment(*([fragments.figures(*shared)] if shared else []), *each)


def shown_result(
    result: Kind, i: int, *, alone: bool = True, without: Sequence[str] = (), lead: Lead | None = None
) -> str:
    """Return one result as HTML: what was found, pictures that are not shown elsewhere, tables, notes."""
    said = frozenset[str]() if lead is None else lead.said
    taken = without if lead is None else (*without, *lead.pictures)
    lines = [fragments.paragraph(line) for line in result.sentences() if line not in said]
    if len(lines) > MOST_LINES:
        lines[1:] = [fragments.folded(say("page.one_by_one", n=len(lines) - 1), *lines[1:])]
    return fragments.fragment(
        *lines,
        *_figures(result, i, alone=alone, without=taken),
        *(html for one in result.TABLES if one.shown(PAGE) for html in table_html(result, one, i)),
        *fragments.note_list(result.notes()),
    )


MOST_LINES = 8
"""Sentences of a result beyond which all but the first are below a line to open."""
MOST_ROWS = 200
"""Rows of a table that are on the page; the files of a result hold all."""


def table_html(result: Kind, held: Table, i: int) -> list[str]:
    """Return a table and its notes; nothing where it has no rows."""
    grid = held.grid(PAGE, result)
    if not grid.rows:
        return []
    name, title, n = f"{result.SECTION}-{held.name}-{i}", held.title_of(result), len(grid.rows)
    told = table_notes(held, grid, result)
    if _is_scripted(held, grid):
        return [fragments.scripted(name, title, n), *fragments.notes(told)]
    grid = without_undefined(grid)
    if told and is_bare(grid, held):
        return [*fragments.notes([f"{title}.", *told])]
    if n > MOST_ROWS:
        told.insert(0, f"{MOST_ROWS:,} of {n:,} rows{f'; all are in {held.file}' if held.file else ''}.")
        grid = grid._replace(rows=grid.rows[:MOST_ROWS], values=grid.values[:MOST_ROWS])
    if held.folded:
        return [fragments.folded(title, fragments.table(name, title, grid, told=told, whole=True))]
    return [fragments.table(name, title, grid, told=told)]


SCRIPTED_ROWS = 40
"""Rows beyond which a table is shown by the script, where it may be."""


def _is_scripted(held: Table, grid: FilledTable) -> bool:
    return held.scripted and len(grid.rows) > SCRIPTED_ROWS


def script_tables(result: Kind, i: int) -> dict[str, dict[str, Any]]:
    """Return the long tables of a result as the script reads them, all rows, by the names they have there."""
    made = {}
    for held in result.TABLES:
        if held.scripted and held.shown(PAGE) and _is_scripted(held, grid := held.grid(PAGE, result)):
            made[f"{result.SECTION}-{held.name}-{i}"] = packed_grid(grid)
    return made


def packed_grid(grid: FilledTable, *, hidden: Sequence[str] = ()) -> dict[str, Any]:
    """Return a table as the script reads it: three columns of a number with its interval."""
    heads: list[Column] = []
    rows: list[dict[str, object]] = [{} for _ in grid.values]
    for i, column in enumerate(grid.columns):
        head, values = replace(column, hidden=column.name in hidden), [row[i] for row in grid.values]
        ends = ("", "low", "high") if any(isinstance(value, Estimate) for value in values) else ("",)
        heads += [replace(head, name=f"{head.name}_{end}", title=end) if end else head for end in ends]
        for row, value in zip(rows, values, strict=True):
            if isinstance(value, Estimate):
                row[head.name] = value.value
                row[f"{head.name}_low"], row[f"{head.name}_high"] = value.ends
            else:
                row[head.name] = value
    return packed(heads, rows)

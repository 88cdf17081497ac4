"""Any declared kind of result on the terminal, in a notebook, as a picture and as a table for a paper."""

from collections.abc import Collection, Iterator, Sequence
from html import escape
from importlib import import_module
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table as Drawing
from rich.text import Text

from concord.errors import OptionError, UndefinedError, printable_lines
from concord.kinds import PAPER, TERMINAL, FilledTable, Gauge, Kind, PictureOf, Table
from concord.number_words import column_texts, interval, level_words, number
from concord.records import Estimate
from concord.show.citations import with_concord
from concord.show.paper import PaperTable
from concord.show.svg import Picture, layout, look
from concord.show.terminal import WIDTH, Drawn, Fitting, drawn, fitting, lines, table
from concord.words import bare_reason, say

MOST_REASONS = 6
"""Reasons of dashes that are said below one table; files hold all of them."""
BAR = 24
"""Cells of the bar that a headline number is drawn on."""
LEAST_BAR = 8
"""Cells below which there is none."""


def grid_cells(grid: FilledTable) -> list[tuple[tuple[str, list[str]], ...]]:
    """Return the cells of a table by rows: each value as text, and the texts of its intervals."""
    by_columns = [
        column_texts(
            [row[i] for row in grid.values],
            [one.sign if one.signed is None else one.signed(row) for row in grid.rows],
            digits=one.digits,
            ends=one.digits if one.ends is None else one.ends,
            count=one.count,
            p=one.p,
        )
        for i, one in enumerate(grid.columns)
    ]
    return list(zip(*by_columns, strict=True))


def grid_texts(grid: FilledTable, *, below: bool = False) -> list[list[str]]:
    """Return the cells of a table as texts: intervals beside their numbers, or below where it is narrow."""
    apart = "\n" if below else " "
    return [[apart.join([text, *beside]) for text, beside in row] for row in grid_cells(grid)]


def _reasons(noted: Sequence[tuple[str, str]]) -> str:
    """Return each reason once, after the columns that it is of."""
    columns: dict[str, list[str]] = {}
    for heading, note in noted:
        columns.setdefault(bare_reason(note), []).append(heading)
    said = [  # a table of one column of numbers needs no name of it
        reason
        if set(names) == {"value"}
        else say("shared.table.reason", names=", ".join(dict.fromkeys(names)), reason=reason)
        for reason, names in columns.items()
    ]
    more = len(said) - MOST_REASONS
    return "; ".join(
        [*said[:MOST_REASONS], *([say("shared.table.more_reasons", n=more)] if more > 0 else [])]
    )


def table_notes(held: Table, grid: FilledTable, result: Any) -> list[str]:
    """Return what must be read with a table: its own note, the level of its intervals, reasons of dashes."""
    found = [
        (head, value)
        for i, head in enumerate(grid.heads)
        for row in grid.values
        if isinstance(value := row[i], Estimate)
    ]
    levels = sorted({one.interval.level for _, one in found if one.interval is not None})
    noted = [(head, one) for head, one in found if one.note and one.interval is None]
    undefined = [(heading, one.note) for heading, one in noted if one.value is None]
    bare = [(heading, one.note) for heading, one in noted if one.value is not None]
    said = [] if held.note is None else [held.note(result)]
    if levels:
        said.append(say("shared.table.intervals", levels=" and ".join(map(level_words, levels))))
    unread = sorted({one.bounds.n_unread for _, one in found if one.bounds is not None})
    if unread:
        many = f"{unread[0]:,}{f' to {unread[-1]:,}' if len(unread) > 1 else ''}"
        said.append(say("shared.table.braces", many=many))
    sizes = sorted({one.n for _, one in found if one.value is not None and one.n})
    if sizes and not any(column.count for column in grid.columns):
        shown = f"{sizes[0]:,}{f' to {sizes[-1]:,}' if len(sizes) > 1 else ''}"
        said.append(say("shared.table.n", sizes=shown))
    if undefined:
        said.append(say("shared.table.undefined", reasons=_reasons(undefined)))
    if bare:
        said.append(say("shared.table.bare", reasons=_reasons(bare)))
    return [one for one in said if one]


def answer_of(result: Kind) -> RenderableType | None:
    """Return what comes before any table: the question, what was found, the headline numbers."""
    if not result.ASKS:
        return None
    return Group(
        Text(result.ASKS, style="bold"),
        lines(result.sentences()),
        Drawn(lambda width: gauge_lines(result.gauges(), width)),
    )


def table_of(result: Kind, held: Table) -> RenderableType | None:
    """Return a table for the terminal, with its notes below it; None where it has no rows."""
    grid = held.grid(TERMINAL, result)
    if not grid.rows:
        return None
    notes = table_notes(held, grid, result)
    grid = without_undefined(grid)
    title = held.title_of(result)
    if notes and is_bare(grid, held):
        return Group(Text(f"\n{title}", style="bold"), lines(notes))  # no number is defined: only why
    heads = grid.heads
    words = {head for head, one in zip(heads, grid.columns, strict=True) if one.words}
    forms = [
        table(f"\n{title}" if title else None, heads, grid_texts(grid, below=below), words=words)
        for below in (False, True)
    ]
    return Group(Fitting(*forms), lines(notes))


def is_bare(grid: FilledTable, held: Table) -> bool:
    """Whether no number of a table is defined, so that only the reasons are worth showing."""
    return all(one.words for one in grid.columns) and not all(one.words for one in held.columns)


def without_undefined(grid: FilledTable) -> FilledTable:
    """Leave out columns of which no number is defined and each says why: the reason is below the table."""
    kept = [0]
    for i in range(1, len(grid.columns)):
        for row in grid.values:
            value = row[i]
            if not (isinstance(value, Estimate) and value.value is None and value.note):
                kept.append(i)
                break
    columns = [grid.columns[i] for i in kept]
    return grid._replace(columns=columns, values=[[row[i] for i in kept] for row in grid.values])


def report_of(result: Kind) -> RenderableType:
    """Return everything a reader of the terminal should see: what was found, every table, notes."""
    first = [] if result.ASKS else [lines(result.sentences())]
    tables = [
        made for one in result.TABLES if one.shown(TERMINAL) and (made := table_of(result, one)) is not None
    ]
    notes = result.notes()
    return Group(
        *first, *(one for one in tables if one is not None), *([lines(["", *notes])] if notes else [])
    )


def headline_of(result: Kind) -> RenderableType | None:
    """Return the first table, where the answer before it says what was found; None where there is little."""
    first = next((one for one in result.TABLES if one.shown(TERMINAL)), None)
    return None if first is None or result.is_short() else table_of(result, first)


def gist_of(result: Kind) -> RenderableType:
    """Return what a notebook or a prompt shows: everything, or what was found and the first table of much."""
    answer, made = answer_of(result), headline_of(result)
    body = report_of(result) if result.is_short() else Group() if made is None else made
    return body if answer is None else Group(answer, body)


def gauge_lines(gauges: Sequence[Gauge], columns: int = WIDTH) -> Iterator[str]:
    """Return each headline number with its interval and its place on its scale, where a scale fits."""
    gauges = [one for one in gauges if one.value is not None]  # what is undefined is said, and not drawn
    width = max((len(one.name) for one in gauges), default=0)
    cells = min(BAR, columns - width - 32)
    for one in gauges:
        low, high = (f"{end:g}" for end in one.scale)
        ends = interval(one.interval, 2, sign=one.signed)
        value = number(one.value, 2, sign=one.signed)
        scale = f"  {low:>2} {bar(one, cells)} {high}" if cells >= LEAST_BAR else ""
        yield f"{one.name:<{width}}  {value:>5} {ends:<14}{scale}"


def bar(gauge: Gauge, cells: int = BAR) -> str:
    """Draw a number and its interval between the ends of its scale; beyond an end it lies at the end."""
    low, high = gauge.scale

    def cell(value: float) -> int:
        share = (min(max(value, low), high) - low) / (high - low)
        return min(cells - 1, int(share * cells))

    drawn = [" "] * cells
    if gauge.interval is not None:
        for i in range(cell(gauge.interval.low), cell(gauge.interval.high) + 1):
            drawn[i] = "─"
    if gauge.value is not None:
        drawn[cell(gauge.value)] = "●"
    return f"▕{''.join(drawn)}▏"


def drawn_by(declared: PictureOf, result: Any, **choices: Any) -> Picture | None:
    """Draw one picture of a result; None where there is nothing to draw."""
    module, _, function = declared.by.rpartition(".")
    found: Picture | None = getattr(import_module(f"concord.show.{module}"), function)(result, **choices)
    return found


def pictures_of(result: Kind, names: Collection[str], **choices: Any) -> dict[str, Picture]:
    """Draw some pictures of a result, as far as it has something to draw."""
    drawn = {one.name: drawn_by(one, result, **choices) for one in result.PICTURES if one.name in names}
    return {name: picture for name, picture in drawn.items() if picture is not None}


def picture_of(result: Kind, kind: str | None = None, **choices: Any) -> Picture:
    """Draw a picture of a result by its name, by default the first that has something to show."""
    if not result.PICTURES:
        raise OptionError(f"there is no picture of a {type(result).__name__}")
    chosen = [one for one in result.PICTURES if kind in (None, one.name)]
    if not chosen:
        chosen = [
            one for one in result.PICTURES if one.each is not None and kind in set(one.names_of(result))
        ]
        choices = {**choices, "agent": kind}
    if not chosen:
        names = ", ".join(one.name for one in result.PICTURES)
        raise OptionError(f"there is no picture {kind!r} of this result; expected one of {names}")
    found = next((drawn for one in chosen if (drawn := drawn_by(one, result, **choices)) is not None), None)
    if found is None:
        raise UndefinedError(
            f"there is nothing to draw: {next(iter(result.sentences()), 'this result has no numbers')}"
        )
    return found


def small_picture_of(result: Kind) -> Picture | None:
    """Return the picture below the headline in a notebook; None where there is none."""
    for one in result.PICTURES:
        if one.small and (found := drawn_by(one, result)) is not None:
            return found
    return None


def paper_table_of(result: Kind, name: str) -> PaperTable:
    """Return a table of a result for a paper; ``headline`` is the first that has rows."""
    known = [one for one in result.TABLES if one.shown(PAPER)]
    chosen = next((one for one in known if one.name == name), None)
    if name == "headline":
        chosen = next((one for one in known if any(True for _ in one.rows(result))), next(iter(known), None))
    if chosen is None:
        given = (
            f"expected headline or one of {', '.join(one.name for one in known)}"
            if known
            else "there is none"
        )
        raise OptionError(f"there is no table {name!r} of a {type(result).__name__}; {given}")
    grid = chosen.grid(PAPER, result)
    return PaperTable(
        chosen.title_of(result),
        tuple(grid.heads),
        tuple(map(tuple, grid_texts(grid))),
        " ".join(table_notes(chosen, grid, result)),
    )


def as_html(renderable: RenderableType) -> str:
    """Return tables and texts as HTML."""
    if isinstance(renderable, Fitting):
        return as_html(renderable.table)
    if isinstance(renderable, Group):
        return "".join(as_html(part) for part in renderable.renderables)
    if isinstance(renderable, Drawing):
        return _table_html(renderable)
    return _line(renderable)


def _line(renderable: RenderableType) -> str:
    """Return a paragraph; an indented line may be part of a drawing and keeps its spaces."""
    text = _escaped(renderable)
    if text.startswith("&nbsp;"):
        return f'<pre style="margin:0;white-space:pre-wrap">{text}</pre>'
    return f'<p style="margin:.3em 0">{text}</p>' if text else ""


def _escaped(cell: RenderableType) -> str:
    """Escape a text; what was on a line of its own still is, and an indent stays one."""
    plain = (cell.plain if isinstance(cell, Text) else str(cell)).strip("\n").rstrip()
    indent = len(plain) - len(plain.lstrip(" "))
    body = escape(printable_lines(plain[indent:])).replace("\n", "<br>")
    return "&nbsp;" * indent + body


def _table_html(table: Drawing) -> str:
    title = "" if table.title is None else _escaped(table.title)
    caption = f'<caption style="text-align:left;font-weight:bold">{title}</caption>' if title else ""
    aligned = [
        f'style="padding:.1em .5em;text-align:{"right" if c.justify == "right" else "left"}"'
        for c in table.columns
    ]
    head = "".join(
        f"<th {how}>{_escaped(c.header)}</th>" for c, how in zip(table.columns, aligned, strict=True)
    )
    rows = zip(*(column.cells for column in table.columns), strict=True)
    body = "".join(
        f"<tr>{''.join(f'<td {how}>{_escaped(c)}</td>' for c, how in zip(row, aligned, strict=True))}</tr>"
        for row in rows
    )
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shown_text(result: Kind) -> str:
    """Return the gist as plain text."""
    whole = drawn(fitting(gist_of(result)))
    return "\n".join(line.rstrip() for line in whole.split("\n")).strip("\n")


def shown_html(result: Kind) -> str:
    """Return the gist as HTML, everything escaped, with the small picture where the kind has one."""
    small = small_picture_of(result)
    return as_html(gist_of(result)) + ("" if small is None else small.to_svg())


def plot_of(result: Kind, *kind: str, width: str | float | None = None, font: str = "",
            size: float = 7.0, theme: str = "paper", **choices: Any) -> Picture:  # fmt: skip
    """Return a picture of the result, for the screen or at a width on paper."""
    chosen = look(width, font, theme)
    units: dict[str, Any] = {} if width is None else {"units": layout(width, size)}
    return picture_of(result, *kind[:1], **{**choices, **units}).with_look(chosen)


def methods_of(result: Kind) -> str:
    """Return the methods paragraph of the result."""
    said = result.paragraph(with_concord(result.to_dict()))
    if not said:
        raise OptionError(f"there is no methods paragraph of a {type(result).__name__}")
    return said

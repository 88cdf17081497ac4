"""What the terminal shows as HTML for a notebook: tables as tables, lines as paragraphs, all escaped."""

from html import escape

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from concord.errors import printable_lines
from concord.show.terminal import Fitting


def as_html(renderable: RenderableType) -> str:
    """Return tables and texts as HTML.

    Examples
    --------
    >>> as_html(Group(Text("a < b"), Text("")))
    '<p style="margin:.3em 0">a &lt; b</p>'
    """
    if isinstance(renderable, Fitting):
        return as_html(renderable.table)
    if isinstance(renderable, Group):
        return "".join(as_html(part) for part in renderable.renderables)
    if isinstance(renderable, Table):
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


def _table_html(table: Table) -> str:
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

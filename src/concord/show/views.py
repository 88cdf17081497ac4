"""A result where it is looked at: as text at a prompt, as HTML in a notebook, as a picture, in a paper."""

from html import escape
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from concord.errors import OptionError, printable_lines
from concord.kinds import Kind
from concord.show.citations import with_concord
from concord.show.declared import gist_of, paper_table_of, picture_of, small_picture_of
from concord.show.svg import Picture
from concord.show.terminal import Fitting, drawn, fitting

__all__ = ["as_html", "shown_html", "methods_of", "paper_table_of", "plot_of", "shown_text"]


def as_html(renderable: RenderableType) -> str:
    """Return tables and texts as HTML."""
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
    from concord.show.svg import layout, look

    chosen = look(width, font, theme)
    units: dict[str, Any] = {} if width is None else {"units": layout(width, size)}
    return picture_of(result, *kind[:1], **{**choices, **units}).with_look(chosen)


def methods_of(result: Kind) -> str:
    """Return the methods paragraph of the result."""
    said = result.paragraph(with_concord(result.to_dict()))
    if not said:
        raise OptionError(f"there is no methods paragraph of a {type(result).__name__}")
    return said

"""How each result looks: one entry per type of result, for the terminal, a notebook and a picture.

An entry names functions of this package, which are loaded when a result of the type is first shown: whoever
scores people loads nothing that draws structure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from concord.errors import OptionError, UndefinedError, printable_lines
from concord.kinds import TERMINAL
from concord.records import Presented
from concord.show import declared
from concord.show.methods import with_concord
from concord.show.svg import Picture
from concord.show.terminal import Fitting, drawn, fitting, lines


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


@dataclass(frozen=True, slots=True)
class View:
    """How one type of result looks, as names of functions of a result: ``module.function`` of `show`."""

    shown_by: str
    """Everything a reader of the terminal should see: something to render, or lines of text."""
    gist_by: str = ""
    """The headline, for a notebook or a prompt; the report where a result has none."""
    drawn_by: str = ""
    """Its picture, where it has one."""
    answered_by: str = ""
    """The question, the sentence and the headline numbers, before any table."""
    headline_by: str = ""
    """The one table that follows the answer where not everything is asked for."""

    def report(self, result: Any) -> RenderableType:
        """Return everything a reader of the terminal should see."""
        return _rendered(self.shown_by, result)

    def answer(self, result: Any) -> RenderableType | None:
        """Return what comes before any table; None where a result has no such answer."""
        return _rendered(self.answered_by, result) if self.answered_by else None

    def headline(self, result: Any) -> RenderableType | None:
        """Return the table that follows the answer; None where the report is short by itself."""
        return _rendered(self.headline_by, result) if self.headline_by else None

    def text(self, result: Any) -> str:
        """Return the gist as plain text."""
        whole = drawn(fitting(self._gist(result)))
        return "\n".join(line.rstrip() for line in whole.split("\n")).strip("\n")

    def html(self, result: Any) -> str:
        """Return the gist as HTML, everything escaped, with a small picture of the headline."""
        try:
            small = self.plot(result).to_svg()
        except (OptionError, UndefinedError):  # this result has nothing to draw: no ranking, no curve
            small = ""
        return as_html(self._gist(result)) + small

    def plot(self, result: Any, *kind: str, width: str | float | None = None, font: str = "",
             size: float = 7.0, theme: str = "paper", **choices: str | None) -> Picture:  # fmt: skip
        """Return a picture of the result, for the screen or at a width on paper."""
        from concord.show.looks import layout, look

        chosen = look(width, font, theme)
        units: dict[str, Any] = {} if width is None else {"units": layout(width, size)}
        return self._draw(result, *kind, **choices, **units).with_look(chosen)

    def _draw(self, result: Any, *kind: str, **choices: Any) -> Picture:
        if not self.drawn_by:
            raise OptionError(f"there is no picture of a {type(result).__name__}")
        picture: Picture = function_of(self.drawn_by)(result, *kind, **choices)
        return picture

    def table(self, result: Any, name: str) -> Any:
        """Return a table of the result for a paper."""
        raise OptionError(f"there is no table {name!r} of a {type(result).__name__}")

    def methods(self, result: Any) -> str:
        """Return the methods paragraph of the result."""
        raise OptionError(f"there is no methods paragraph of a {type(result).__name__}")

    def _gist(self, result: Any) -> RenderableType:
        return _rendered(self.gist_by, result) if self.gist_by else self.report(result)


class DeclaredView(View):
    """How every declared kind looks: everything comes from its declaration."""

    def report(self, result: Any) -> RenderableType:
        """Return what was found, every table, and the notes."""
        return declared.report_of(result)

    def answer(self, result: Any) -> RenderableType | None:
        """Return the question, what was found and the headline numbers."""
        return declared.answer_of(result)

    def headline(self, result: Any) -> RenderableType | None:
        """Return the first table, where the answer before it says what was found."""
        first = next((one for one in result.TABLES if one.shown(TERMINAL)), None)
        return None if first is None or not result.ASKS else declared.table_of(result, first)

    def html(self, result: Any) -> str:
        """Return the gist as HTML, with the small picture where the kind has one."""
        small = declared.small_picture_of(result)
        return as_html(declared.gist_of(result)) + ("" if small is None else small.to_svg())

    def table(self, result: Any, name: str) -> Any:
        """Return a table of the result for a paper."""
        return declared.paper_table_of(result, name)

    def methods(self, result: Any) -> str:
        """Return the methods paragraph of the result."""
        said = str(result.paragraph(with_concord(result.to_dict())))
        if not said:
            raise OptionError(f"there is no methods paragraph of a {type(result).__name__}")
        return said

    def _draw(self, result: Any, *kind: str, **choices: Any) -> Picture:
        return declared.picture_of(result, *kind, **choices)

    def _gist(self, result: Any) -> RenderableType:
        return declared.gist_of(result)


def function_of(name: str) -> Any:
    """Load a function of this package by its name, ``module.function``."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"{__package__}.{module}"), function)


def _rendered(name: str, result: Any) -> RenderableType:
    found = function_of(name)(result)
    shown: RenderableType = lines(found) if isinstance(found, Iterator) else found
    return shown


VIEWS: dict[str, View] = {
    "CompareResult": View(
        "compare_terminal.compare_report",
        drawn_by="drawing.draw_comparison",
        headline_by="compare_terminal.compare_headline",
    ),
    "MetricCompareResult": View(
        "metrics_terminal.metrics_report",
        drawn_by="drawing.draw_metrics",
        headline_by="metrics_terminal.metrics_headline",
    ),
}
"""By the name of the type: no two public classes of the package have the same."""


_DECLARED = DeclaredView("")


def view_of(result: Presented) -> View:
    """Return how a result looks: by its declaration, or by the entry of its type."""
    return VIEWS.get(type(result).__name__, _DECLARED)

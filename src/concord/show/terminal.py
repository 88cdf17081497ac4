"""The screen: tables and lines in which nothing that came from a file is read as markup or as a control."""

import io
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from concord.errors import printable_lines

WIDTH = 110
"""Columns where there is no terminal to ask."""
_INDENT = "    "
_LEAST = 12
"""Columns that a cell of words may be narrowed to."""


class SafeConsole(Console):
    """A console that shows text as it is: `[bold]` is six characters, an escape sequence is spelt out."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Spell out controls before a cell is measured."""
        return super().render_str(printable_lines(text), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Spell out controls in whatever else is drawn; those of the console itself are marked as such."""
        for segment in super().render(renderable, options):
            if segment.control is None:
                yield Segment(printable_lines(segment.text), segment.style)
            else:
                yield segment


def screen() -> SafeConsole:
    """Return the console of stdout: the terminal's width there, a fixed one in a pipe."""
    found = SafeConsole()
    return found if found.is_terminal else SafeConsole(width=WIDTH)


def drawn(*renderables: RenderableType, width: int = WIDTH, colour: bool = False) -> str:
    """Draw tables and texts as one string."""
    buffer = io.StringIO()
    console = SafeConsole(
        file=buffer,
        width=width,
        color_system="standard" if colour else None,
        force_jupyter=False,  # a notebook would show what is only to be rendered as text
    )
    for renderable in renderables:
        console.print(renderable)
    return buffer.getvalue()


def table(
    title: str | None,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]] = (),
    *,
    words: Collection[str] = (),
) -> Table:
    """Return a table without frames."""
    head = None if title is None else Text(printable_lines(title), style="bold")
    made = Table(title=head, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for i, column in enumerate(columns):
        if i == 0 or column in words:
            made.add_column(column, justify="left", overflow="fold")
        else:
            made.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        made.add_row(*cells(row))
    return made


def cells(row: Sequence[str]) -> list[Text]:
    """Return the cells of a row, none of them read as markup or as a control."""
    return [Text(printable_lines(cell)) for cell in row]


def lines(texts: Iterable[str]) -> Group:
    """Return lines of text, none of them read as markup or as a control."""
    return Group(*(Wrapped(printable_lines(text)) for text in texts))


class Wrapped:
    """Text that is wrapped without blanks behind its lines."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it line by line."""
        first, *rest = Text(self.text).wrap(console, options.max_width)
        first.rstrip()
        yield first
        hang = _hanging(self.text, options.max_width) if rest else 0
        if hang:  # what is indented goes on below itself
            rest = list(Text(self.text[len(first) :].lstrip()).wrap(console, options.max_width - hang))
        for line in rest:
            line.rstrip()
            yield Text(" " * hang) + line if hang else line


_NAMED_VALUE = re.compile(r" {1,40}[^ :\n][^:\n]{0,59}: {1,40}(?=\S)")
_LEAST_ROOM = 24


def _hanging(text: str, width: int) -> int:
    """Return where lines go on that do not fit: below a value that has a name, or below an indented line."""
    if not text.startswith(" ") or "\n" in text:
        return 0
    found = _NAMED_VALUE.match(text)
    if found is not None and found.end() <= width - _LEAST_ROOM:
        return found.end()
    return len(text) - len(text.lstrip(" ")) + 2


def fitting(renderable: RenderableType) -> RenderableType:
    """Return what is drawn in a form in which no terminal cuts a number short."""
    if isinstance(renderable, Table):
        return Fitting(renderable)
    if isinstance(renderable, Drawn):
        return renderable
    if isinstance(renderable, Group):
        return Group(*(fitting(part) for part in renderable.renderables))
    return renderable


class Drawn(Group):
    """Lines that are drawn to the width of the terminal; elsewhere as wide as they are meant to be."""

    def __init__(self, at: Callable[[int], Iterable[str]]) -> None:
        super().__init__(*map(Text, at(WIDTH)))
        self.at = at

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw them at the width there is."""
        yield from map(Text, self.at(options.max_width))


class Fitting:
    """The widest form of a table that fits; in a narrower terminal the last columns go, and it is said."""

    def __init__(self, *forms: Table) -> None:
        self.forms, self.table = forms, forms[-1]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Choose the form, and how many columns, by the width there is."""
        n = len(self.table.columns)
        for kept in range(n, min(n, 2) - 1, -1):
            for form in self.forms:
                shown = _first_columns(form, kept)
                if _width(shown, fold=form is self.table) <= options.max_width:
                    if form.title is not None:  # above the table, not folded to its width
                        yield Text(_cell_words(form.title), style="bold")
                    yield shown
                    if kept < n:
                        yield Text(_not_shown(self.table.columns[kept:]), style="dim")
                    return
        yield from self._as_list(options.max_width)

    def _as_list(self, width: int) -> RenderResult:
        """Return the rows, each cell with its name: where not even two columns fit."""
        if self.table.title is not None:
            yield Text(_cell_words(self.table.title), style="bold")
        names = [_one_line(column.header) for column in self.table.columns]
        for row in zip(*(column.cells for column in self.table.columns), strict=True):
            cells = [_one_line(cell) for cell in row]
            yield Text(cells[0])
            named = [f"{name} {cell}" for name, cell in zip(names[1:], cells[1:], strict=True) if cell]
            yield from map(Text, _packed(named, width))


def _first_columns(table: Table, n: int) -> Table:
    """Return a table without its title and the columns behind the first so many."""
    made = Table(box=None, pad_edge=False)
    kept = table.columns[:n]
    for one in kept:
        made.add_column(one.header, justify=one.justify, overflow=one.overflow, no_wrap=one.no_wrap)
    for row in zip(*(one.cells for one in kept), strict=True):
        made.add_row(*row)
    return made


def _not_shown(columns: Sequence[Column]) -> str:
    """Say which columns a table would have in a wider terminal."""
    names = ", ".join(_one_line(column.header) for column in columns)
    return f"Not shown at this width: {names}."


def _packed(parts: list[str], width: int) -> list[str]:
    """Put as many parts on a line as fit; only a part that is longer than a line is broken."""
    lines = [_INDENT + parts[0]] if parts else []
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f" · {part}"
        else:
            lines.append(_INDENT + part)
    return lines


def _width(table: Table, *, fold: bool) -> int:
    """Return the columns that a table needs with nothing cut, words folded or not."""
    gap = 2 if table.box is None else 3
    return (
        sum(_needed(column, fold=fold) for column in table.columns) + gap * (len(table.columns) - 1) + gap - 2
    )


def _one_line(cell: RenderableType) -> str:
    """Return the text of a cell on one line; what was on a second follows it, an interval in its brackets."""
    first, _, rest = _cell_words(cell).partition("\n")
    more = " ".join(rest.split("\n")).strip()
    if not (first and more):
        return first + more
    return f"{first} {more}" if more.startswith(("[", "{")) else f"{first} ({more})"


def _cell_words(cell: RenderableType) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)


def _needed(column: Column, *, fold: bool) -> int:
    """Return the columns that the cells need: all of a number, the longest word of a text that is folded."""
    texts = [line for cell in (column.header, *column.cells) for line in _cell_words(cell).split("\n")]
    if column.no_wrap or not fold:
        return max(map(len, texts))
    return max(_LEAST, *(len(word) for text in texts for word in text.split()), 0)

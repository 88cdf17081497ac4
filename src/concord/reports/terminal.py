"""The screen: tables and lines in which nothing that came from a file is read as markup or as a control."""

import io
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from concord.errors import printable_lines

WIDTH = 110
"""Columns where there is no terminal to ask."""


class SafeConsole(Console):
    """A console that shows text as it stands: `[bold]` is six characters, an escape sequence is spelt out."""

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
    """Give the console of stdout: the terminal's width there, a fixed one in a pipe."""
    found = SafeConsole()
    return found if found.is_terminal else SafeConsole(width=WIDTH)


def drawn(*renderables: RenderableType, width: int = WIDTH, colour: bool = False) -> str:
    """Draw tables and texts as one string."""
    buffer = io.StringIO()
    console = SafeConsole(file=buffer, width=width, color_system="standard" if colour else None)
    for renderable in renderables:
        console.print(renderable)
    return buffer.getvalue()

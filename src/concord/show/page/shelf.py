"""Panels that are not seen at first: on pages of many models kept compressed until their model is chosen."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from concord.show.page.data import data_block

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_OPEN = 4
"""Models of a question up to which all of their panels are in the page as they are."""
WAITING = "This model is shown by the page's own script, which is not running."


@dataclass(slots=True)
class Shelf:
    """Markup of panels under numbers.

    A page of 57 models has 711 figures and tables of which 20 are seen at once; the rest would be parsed
    before anything can be used, and is nine tenths of the file. What lies here was made by the same templates
    as the rest of the page, every text in it escaped.
    """

    kept: list[str] = field(default_factory=list)
    _packed: tuple[str, str] | None = None

    def inside(self, i: int, n: int, caller: "Callable[[], str]") -> str:
        """Return what a panel holds, or where there are many panels and it is not the first, its number."""
        from markupsafe import Markup

        made = caller()
        if i == 0 or n <= MOST_OPEN:
            return made
        self.kept.append(str(made))
        return Markup('<p class="soft" data-stored="{}">{}</p>').format(len(self.kept) - 1, WAITING)

    @property
    def block(self) -> str:
        """Content of the page's element that holds the panels; to be asked for after all of them."""
        return self._blocks()[0]

    @property
    def encoding(self) -> str:
        """How the block is written."""
        return self._blocks()[1]

    def _blocks(self) -> tuple[str, str]:
        if self._packed is None:
            self._packed = data_block({"panels": self.kept})
        return self._packed

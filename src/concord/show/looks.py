"""Pictures for paper: a width in millimetres, a size of text in points, a font, a theme."""

import re
from dataclasses import dataclass

from concord.errors import OptionError
from concord.show.plots import WIDTH
from concord.show.svg import TEXT, Look

POINTS_PER_MM = 72 / 25.4
SIZE = 7.0
"""Points of text where nothing else is said: what journals ask for."""


@dataclass(frozen=True, slots=True)
class Format:
    """What a journal, a style or a screen asks of figures."""

    single: float
    """Width of a usual figure, in millimetres."""
    middle: float
    """Width of one and a half columns."""
    double: float
    """Width of a broad one."""
    size: float
    font: str
    theme: str
    endings: tuple[str, ...]
    dpi: float = 300.0


SANS = "Arial, Helvetica, 'Liberation Sans'"
"""The last has the widths of the first and is made part of PDF and PNG files where no other is installed."""
FORMATS = {
    "nature": Format(89.0, 120.0, 183.0, 7.0, SANS, "paper", (".pdf", ".svg")),
    "apa": Format(82.0, 120.0, 165.0, 8.0, SANS, "paper", (".pdf", ".png"), 600.0),
    "slides": Format(250.0, 285.0, 320.0, 18.0, "", "slide", (".svg", ".png"), 150.0),
}
"""By the name that `concord figures --for` takes."""


def millimetres(width: str | float) -> float:
    """Read a width: a number of millimetres, or text with its unit."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(mm|cm|in|pt)?\s*", str(width))
    if found is None:
        raise OptionError(f"width {width!r} is not a width; expected one such as '89mm', '3.5in' or 120")
    value = float(found[1]) * {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, None: 1.0}[found[2]]
    if not 20 <= value <= 2000:
        raise OptionError(f"width {width!r} is {value:g} mm; expected 20 to 2000 mm")
    return round(value, 6)  # 3.5 in are 88.9 mm, not 88.89999999999999


def layout(width: str | float | None, size: float = SIZE) -> float:
    """Return how many units wide a drawing must be so that its text has a size on paper."""
    if width is None:
        return WIDTH
    if not 3 <= size <= 60:
        raise OptionError(f"size of text is {size:g} pt, expected 3 to 60")
    return millimetres(width) * POINTS_PER_MM * TEXT / size


def look(width: str | float | None = None, font: str = "", theme: str = "paper") -> Look:
    """Return the look of a picture of that width, font and theme."""
    return Look(None if width is None else millimetres(width), font, theme)

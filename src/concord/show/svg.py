"""Drawing: a canvas of plain SVG elements, every text escaped, colours named by role and not by value."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from importlib import resources
from os import PathLike
from pathlib import Path

from concord.errors import MissingExtraError, OptionError
from concord.files.output import write_bytes

_DATA = resources.files("concord.show").joinpath("data")
COLOURS, DARK = json.loads(_DATA.joinpath("colours.json").read_text("utf-8")).values()
"""Roles and their colours on a white and on a dark ground. People and model have one each wherever both are
shown; directions (up, none, down), domains (first to third), order and maps (heat) never borrow these two."""
THEMES = {"paper": COLOURS, "slide": COLOURS, "dark": DARK}
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans','DejaVu Sans',sans-serif"
SCREEN = 480.0
"""Width of a drawing where none is asked for."""
TEXT = 13.0
"""Size of text in the units of a drawing."""
STYLE = _DATA.joinpath("picture.css").read_text("utf-8").replace("\n", "")
"""Style of every picture; ``VAR(role)`` stands for a colour."""
PNG_SCALE = 2.0
BROAD = 500.0
"""Pictures wider than this are not shrunk to the width of a telephone."""


HATCH = (
    '<defs><pattern id="concord-hatch" width="5" height="5" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><line class="hatchline" x1="0" y1="0" x2="0" y2="5"/></pattern></defs>'
)
"""What is drawn over a number that its own check rejects."""


def roots() -> tuple[str, str]:
    """Return the colours as custom properties of the page: light and dark."""
    light, dark = (";".join(f"--{k}:{v}" for k, v in one.items()) for one in (COLOURS, DARK))
    return light, dark


def style(colours: Mapping[str, str] | None = None, font: str = "") -> str:
    """Return the style with colours by value, or by custom property where none are given."""
    text = STYLE.replace("FONT", f"{font},{FONT}" if font else FONT)
    for role in COLOURS:
        value = f"var(--{role})" if colours is None else colours[role]
        text = text.replace(f"VAR({role})", value)
    return text


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture is set for a paper, a slide or a dark page."""

    millimetres: float | None = None
    """Width on paper; ``None`` leaves it in points of the screen."""
    font: str = ""
    theme: str = "paper"

    def __post_init__(self) -> None:
        if self.theme not in THEMES:
            raise OptionError(f"theme {self.theme!r} is not known; expected one of {', '.join(THEMES)}")
        if not re.fullmatch(r"[\w ,'-]*", self.font):
            raise OptionError(f"font {self.font!r} holds signs that a name of a font has not")


def at(*values: float) -> list[str]:
    """Write coordinates with at most one decimal."""
    return [f"{round(value, 1) + 0.0:.12g}" for value in values]


_BIDI = str.maketrans(dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "\ufffd"))


def visible(text: str) -> str:
    """Return text that every reader of HTML and XML accepts: control characters as their pictures."""
    return text if text.isprintable() else text.translate(_SEEN)


_SEEN = {
    **{i: chr(0x2400 + i) for i in range(0x20) if chr(i) not in "\t\n"},
    0x7F: "␡",
    **dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\ufffd"),
}


def _in_one_line(text: str) -> str:
    """Return text without line breaks and without marks that turn its direction."""
    return " ".join(visible(text).split()).translate(_BIDI)


def fitted(text: str, width: float) -> str:
    """Cut text so that it fits a width in points at 13 px."""
    plain = _in_one_line(text)
    used = 0.0
    for i, c in enumerate(plain):
        used += _advance(c)
        if used > width:
            while i > 0 and sum(map(_advance, plain[:i])) > width - 12:
                i -= 1
            return plain[:i].rstrip() + "…"
    return plain


def fitted_middle(text: str, width: float) -> str:
    """Cut text in its middle: names that differ at their ends stay different."""
    plain = _in_one_line(text)
    if reach(plain) <= width:
        return plain
    room, tail = width - 12, 0
    while sum(map(_advance, plain[-tail - 1 :])) <= 0.45 * room:
        tail += 1
    head = 0
    while sum(map(_advance, plain[: head + 1])) + sum(map(_advance, plain[len(plain) - tail :])) <= room:
        head += 1
    return plain[:head].rstrip() + "…" + plain[len(plain) - tail :].lstrip()


def on_heat(strength: float) -> str:
    """Return the class of text that can be read on a cell of this strength, on a light and a dark ground."""
    # The contrast is 4.5 or more everywhere: cells of strength 0.6 to 0.8 bear black text in both themes.
    return "on" if strength > 0.8 else "mid" if strength > 0.6 else ""


def last_parts(names: Sequence[str]) -> list[str]:
    """Return what follows the last slash of each name, where that tells all of them apart."""
    parts = [name.rstrip("/").rsplit("/", 1)[-1] or name for name in names]
    return parts if len(set(parts)) == len(set(names)) else list(names)


def fitted_names(names: Sequence[str], width: float) -> list[str]:
    """Cut names to a width so that names that differ stay different, as far as any cut can do that."""
    shown = [fitted_middle(name, width) for name in names]
    for cut in (fitted, lambda text, width: fitted(text[::-1], width)[::-1]):
        twice = {one for one in shown if len({n for n, s in zip(names, shown, strict=True) if s == one}) > 1}
        if not twice:
            break
        shown = [cut(name, width) if one in twice else one for name, one in zip(names, shown, strict=True)]
    return shown


def in_two_lines(text: str, width: float) -> tuple[str, ...]:
    """Break a name that is too wide after a space, a hyphen or a slash, the two lines about equally long."""
    plain = _in_one_line(text)
    places = [i + 1 for i, c in enumerate(plain[:-1]) if c in " -_/:"]
    if reach(plain) <= width or not places:
        return (fitted_middle(text, width),)
    cut = min(places, key=lambda i: max(reach(plain[:i]), reach(plain[i:])))
    return tuple(fitted_middle(part.strip(), width) for part in (plain[:cut], plain[cut:]))


def _rows_of_names(names: Sequence[str], width: float) -> list[tuple[str, ...]]:
    """Return one or two lines per name; names that differ stay different."""
    lines = [
        (one,) if reach(one := _in_one_line(name)) <= width else in_two_lines(name, width) for name in names
    ]
    if len(set(lines)) < len(set(names)):
        return [(one,) for one in fitted_names(names, width)]
    return lines


def reach(text: str) -> float:
    """Estimate how wide text is in points at 13 px."""
    return sum(map(_advance, text))


def fitting_head(heads: Sequence[str], room: float) -> str:
    """Return the first of several names of a column that fits above it, the fullest first; else none."""
    return next((head for head in heads if reach(head) <= room), "")


@cache
def _advance(c: str) -> float:
    """Estimate how far a character reaches, generously: fonts differ."""
    if c in "iljtfr.,:;'|!()[] ":
        return 5.0
    if c in "mwMW@%" or ord(c) > 0x1100:
        return 14.0
    return 9.0 if c.isupper() else 8.0


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear way from numbers to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a number; numbers outside stay at the edge."""
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start)

    def all(self, values: Sequence[float]) -> list[float]:
        """Return the places of numbers."""
        low, high, start, span = self.low, self.high, self.start, self.end - self.start
        return [start + (min(max(value, low), high) - low) / (high - low) * span for value in values]


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A finished picture; shows itself in a notebook and saves itself as SVG or PNG."""

    name: str
    """Stem of its file."""
    title: str
    description: str
    """What a reader who does not see it should know."""
    width: float
    height: float
    body: str
    data: Mapping[str, str] = field(default_factory=dict)
    """Attributes for scripts."""
    look: Look = Look()
    rows: tuple[tuple[object, ...], ...] = ()
    """The numbers that it shows, the heads of columns first; empty where it was not told them."""
    caption: str = ""
    """What a reader of a paper must know beyond the title."""
    parts: tuple["Picture", ...] = ()
    """Those on one sheet, where they are several; each has its letter."""

    def __repr__(self) -> str:
        """Name the picture; its drawing is thousands of letters long."""
        return f"Picture({self.name!r}, {self.title!r}, {' × '.join(at(self.width, self.height))})"

    def with_look(self, look: Look) -> "Picture":
        """Return the same picture in another look."""
        return replace(self, look=look)

    def inline(self, key: str) -> str:
        """Return the element for a page that brings the style; `key` makes its ids unique."""
        extra = "".join([f' data-{name}="{escape(value)}"' for name, value in self.data.items()])
        width, height = at(self.width, self.height)
        kind = "plot broad" if self.width > BROAD else "plot"
        role = "group" if "<a href=" in self.body else "img"  # an image can hold nothing to follow
        return (
            f'<svg class="{kind}" width="{width}" viewBox="0 0 {width} {height}" role="{role}" '
            f'aria-labelledby="{key}-t {key}-d"{extra}>'
            f'<title id="{key}-t">{escape(visible(self.title))}</title>'
            f'<desc id="{key}-d">{escape(visible(self.description))}</desc>{self.body}</svg>'
        )

    def to_svg(self) -> str:
        """Return a file of its own, on the ground of its theme."""
        return self._svg(*self._size())

    def _svg(self, wide: str, tall: str) -> str:
        """Return the file with a width and a height."""
        width, height = at(self.width, self.height)
        colours = THEMES[self.look.theme]
        hatch = HATCH if "hatch" in self.body else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{tall}" '
            f'viewBox="0 0 {width} {height}" role="img"><title>{escape(visible(self.title))}</title>'
            f"<desc>{escape(visible(self.description))}</desc>"
            f"<style>{style(colours, self.look.font)}</style>"
            f'<rect width="100%" height="100%" fill="{colours["paper"]}"/>{hatch}{self.body}</svg>\n'
        )

    def _size(self) -> tuple[str, str]:
        """Return width and height with their unit."""
        wide = self.look.millimetres
        if wide is None:
            width, height = at(self.width, self.height)
            return width, height
        return f"{wide:g}mm", f"{wide * self.height / self.width:.4g}mm"

    def _dpi_scale(self, dpi: float | None) -> float:
        """Return how many points of a PNG a unit of the drawing gets."""
        if dpi is None and self.look.millimetres is None:
            return PNG_SCALE
        wanted = 300.0 if dpi is None else dpi
        if not 20 <= wanted <= 2400:
            raise OptionError(f"dpi is {wanted:g}, expected 20 to 2400")
        wide = self.look.millimetres
        # without a width on paper a unit is a point of the screen, of which an inch has 96
        return wanted / 96 if wide is None else wide / 25.4 * wanted / self.width

    def to_pdf(self) -> bytes:
        """Return the picture as PDF: vectors, with its fonts."""
        try:
            import vl_convert
        except ImportError as missing:
            raise MissingExtraError("a PDF picture", "report") from missing
        wide = self.look.millimetres
        # a unit of the drawing becomes a point of paper, of which an inch has 72
        points = self.width if wide is None else wide / 25.4 * 72
        return bytes(vl_convert.svg_to_pdf(self._svg(*at(points, points * self.height / self.width))))

    def to_png(self, *, dpi: float | None = None) -> bytes:
        """Return the picture as PNG: twice its size on the screen, or so many dots per inch."""
        try:
            import vl_convert
        except ImportError as missing:
            raise MissingExtraError("a PNG picture", "report") from missing
        plain = replace(self, look=replace(self.look, millimetres=None))
        scale = self._dpi_scale(dpi)
        if dpi is None and self.look.millimetres is None:
            return bytes(vl_convert.svg_to_png(plain.to_svg(), scale=scale))
        # the file says its dots per inch, so that a journal places it at its width on paper
        dots = 300.0 if dpi is None else dpi
        return bytes(vl_convert.svg_to_png(plain.to_svg(), scale=scale * 72 / dots, ppi=dots))

    def save(self, path: "str | PathLike[str]", *, dpi: float | None = None) -> Path:
        """Write a file: SVG, PDF or PNG, as its name ends.

        Parameters
        ----------
        path
            The file.
        dpi
            Dots per inch of a PNG: 300 where the picture has a width on paper.
        """
        file = Path(path)
        if file.suffix == ".svg":
            write_bytes(file, self.to_svg().encode("utf-8"))
        elif file.suffix == ".png":
            write_bytes(file, self.to_png(dpi=dpi))
        elif file.suffix == ".pdf":
            write_bytes(file, self.to_pdf())
        else:
            raise OptionError(f"{file.name!r} ends neither in .svg nor in .pdf nor in .png")
        return file

    def _repr_svg_(self) -> str:
        return self.to_svg()


@dataclass(slots=True)
class Canvas:
    """Elements in the order they are drawn."""

    parts: list[str] = field(default_factory=list)

    def line(self, kind: str, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a line."""
        left, top, right, bottom = at(x1, y1, x2, y2)
        self.parts.append(f'<line class="{kind}" x1="{left}" y1="{top}" x2="{right}" y2="{bottom}"/>')

    def rect(self, kind: str, x: float, y: float, width: float, height: float, *, note: str = "",
             opacity: float | None = None) -> None:  # fmt: skip
        """Draw a rectangle, with a note that shows when it is pointed at."""
        left, top, wide, tall = at(x, y, width, height)
        size = f'x="{left}" y="{top}" width="{wide}" height="{tall}"'
        shade = "" if opacity is None else f' fill-opacity="{opacity:.2f}"'
        self.parts.append(f'<rect class="{kind}" {size}{shade}' + _closed("rect", note))

    def circle(self, kind: str, x: float, y: float, radius: float, note: str = "") -> None:
        """Draw a dot, with a note that shows when it is pointed at."""
        across, down, round_by = at(x, y, radius)
        place = f'cx="{across}" cy="{down}" r="{round_by}"'
        self.parts.append(f'<circle class="{kind}" {place}' + _closed("circle", note))

    def diamond(self, kind: str, x: float, y: float, radius: float, note: str = "") -> None:
        """Draw a diamond: a shape that is not told from a dot by colour alone."""
        corners = ((x - radius, y), (x, y - radius), (x + radius, y), (x, y + radius))
        path = "M" + "L".join([" ".join(at(*corner)) for corner in corners]) + "Z"
        self.parts.append(f'<path class="{kind}" d="{path}"' + _closed("path", note))

    def segments(self, kind: str, ends: list[tuple[float, float, float, float]]) -> None:
        """Draw many lines as one element."""
        if ends:
            d = "".join(["M{} {}L{} {}".format(*at(*one)) for one in ends])
            self.parts.append(f'<path class="{kind}" d="{d}"/>')

    def link(self, address: str) -> None:
        """Begin what a reader follows to another place of the page; `unlink` ends it."""
        self.parts.append(f'<a href="{escape(address)}">')

    def unlink(self) -> None:
        """End what `link` began."""
        self.parts.append("</a>")

    def turned(self, x: float, y: float, degrees: float, text: str, *, kind: str = "s", anchor: str = "start",
               width: float | None = None, shown: str | None = None) -> None:  # fmt: skip
        """Write text aslant."""
        self.parts.append(f'<g transform="translate({" ".join(at(x, y))}) rotate({degrees:g})">')
        self.text(0, 0, text, kind=kind, anchor=anchor, width=width, shown=shown)
        self.parts.append("</g>")

    def path(self, kind: str, points: list[tuple[float, float]], *, joined: bool = True) -> None:
        """Draw a line through points, or a dot at each: thousands of dots stay one small element."""
        d = "M" + "L".join([" ".join(at(*point)) for point in points]) if joined else _dotted(points)
        self.parts.append(f'<path class="{kind}" d="{d}"/>')

    def text(self, x: float, y: float, text: str, *, kind: str = "", anchor: str = "start",
             width: float | None = None, shown: str | None = None) -> None:  # fmt: skip
        """Write text, cut to a width where one is given or as `shown`; what is cut is whole in the note."""
        whole = visible(text)
        if shown is None:
            shown = _in_one_line(text) if width is None else fitted_middle(text, width)
        note = f"<title>{escape(whole)}</title>" if shown != whole else ""
        left, base = at(x, y)
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        css = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{left}" y="{base}"{side}{css}>{escape(shown)}{note}</text>')

    def row_names(
        self,
        x: float,
        places: Sequence[float],
        names: Sequence[str],
        width: float,
        *,
        strong: Sequence[bool] = (),
        one_line: bool = False,
    ) -> None:
        """Write the names of rows so that they end at `x`: too long ones in two smaller lines, or cut."""
        cut = [(one,) for one in fitted_names(names, width)] if one_line else []
        lines = cut if one_line else _rows_of_names(names, width)
        for i, (y, name, shown) in enumerate(zip(places, names, lines, strict=True)):
            bold = "b" if strong and strong[i] else ""
            for line, down in zip(shown, (0.0,) if len(shown) == 1 else (-6.0, 6.0), strict=True):
                kind = f"{bold} row2".strip() if len(shown) > 1 else bold
                self.text(x, y + down, name, kind=kind, anchor="end", shown=line)

    def __str__(self) -> str:
        return "".join(self.parts)


def _dotted(points: list[tuple[float, float]]) -> str:
    """Write dots as steps from one to the next, in order of place: a few characters each."""
    written, at = [], (0, 0)
    for x, y in sorted((round(x), round(y)) for x, y in points):
        across, down = x - at[0], y - at[1]
        written.append(f"m{across}{'' if down < 0 else ' '}{down}h0")
        at = (x, y)
    return "".join(written)


def _closed(tag: str, note: str) -> str:
    return f"><title>{escape(visible(note))}</title></{tag}>" if note else "/>"


def stacked(parts: Sequence[Picture], width: float, *, columns: int = 2) -> Picture:
    """Put pictures on one sheet under the letters a, b, c, each below the shortest column."""
    gap, head = 24.0, 24.0
    column = (width - gap * (columns - 1)) / columns
    tall = [0.0] * columns
    canvas = Canvas()
    for letter, one in zip("abcdef", parts, strict=False):
        side = tall.index(min(tall))
        x, y, scale = side * (column + gap), tall[side], min(1.0, column / one.width)
        canvas.text(x, y + 14, letter, kind="t")
        canvas.text(x + 16, y + 14, one.title, kind="t", width=column - 20)
        place = f"translate({' '.join(at(x, y + head))}) scale({scale:.4g})"
        canvas.parts.append(f'<g transform="{place}">{one.body}</g>')
        tall[side] += head + one.height * scale + 12
    said = " ".join(one.description for one in parts)
    caption = " ".join(f"({'abcdef'[i]}) {one.title}. {one.caption}" for i, one in enumerate(parts))
    return Picture(
        "panels", "; ".join(one.title for one in parts), said, width, max(tall), str(canvas),
        caption=caption, parts=tuple(parts),
    )  # fmt: skip


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
        return SCREEN
    if not 3 <= size <= 60:
        raise OptionError(f"size of text is {size:g} pt, expected 3 to 60")
    return millimetres(width) * POINTS_PER_MM * TEXT / size


def look(width: str | float | None = None, font: str = "", theme: str = "paper") -> Look:
    """Return the look of a picture of that width, font and theme."""
    return Look(None if width is None else millimetres(width), font, theme)

"""Colours by role, light and dark, and the style that every picture shares."""

from collections.abc import Mapping

COLOURS = {
    "ink": "#1c2430",
    "soft": "#5a6573",
    "rule": "#c3cad3",
    "paper": "#ffffff",
    "amid": "#000000",
    "human": "#1a5fa8",
    "model": "#b8430b",
    "band": "#e4e9ef",
    "order": "#b98200",
    "up": "#12776f",
    "none": "#8b95a1",
    "down": "#7a4fb5",
    "first": "#0072b2",
    "second": "#00825f",
    "third": "#b2558c",
    "heat": "#1f6f78",
}
"""Roles and their colours on a white ground. People and model have one each wherever both are shown;
directions (up, none, down), domains (first to third), order and maps (heat) never borrow these two."""
DARK = {
    "ink": "#e8ebf0",
    "soft": "#a9b3c0",
    "rule": "#4a5464",
    "paper": "#161b22",
    "amid": "#000000",
    "human": "#7db7f5",
    "model": "#f5a06b",
    "band": "#262e39",
    "order": "#e8bd4f",
    "up": "#4fc4b8",
    "none": "#8a94a2",
    "down": "#b898ee",
    "first": "#56a8e0",
    "second": "#3fbf98",
    "third": "#e09ac4",
    "heat": "#63c7cf",
}
"""The same roles on a dark ground."""
THEMES = {"paper": COLOURS, "slide": COLOURS, "dark": DARK}
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif"
TEXT = 13.0
"""Size of text in the units of a drawing."""
STYLE = (
    "text{font:13px FONT;fill:VAR(ink)}"
    ".s{fill:VAR(soft);font-size:12px}.row2{font-size:11px}.b{font-weight:600}"
    ".axis{stroke:VAR(rule);stroke-width:1;fill:none}.grid{stroke:VAR(rule);stroke-width:1;opacity:.5}"
    ".ref{stroke:VAR(soft);stroke-width:1.2;stroke-dasharray:5 4;fill:none}"
    ".fit{stroke:VAR(model);stroke-width:2;fill:none}"
    ".human{fill:VAR(human);stroke:none}.model{fill:VAR(model);stroke:none}"
    ".pline{stroke:VAR(human);stroke-width:2}.mline{stroke:VAR(model);stroke-width:2}"
    ".wide{stroke:VAR(model);stroke-width:5;opacity:.35}"
    ".tick{stroke:VAR(soft);stroke-width:2.5}.band{fill:VAR(band)}"
    ".dots{stroke:VAR(model);stroke-width:5;stroke-linecap:round;stroke-opacity:.55;fill:none}"
    ".dot{fill:VAR(model);fill-opacity:.6;stroke:VAR(paper);stroke-width:.7}"
    ".bar{stroke:VAR(ink);stroke-width:5;stroke-linecap:round}"
    ".sweep{stroke:VAR(model);stroke-width:2;fill:none}"
    ".cell{stroke:VAR(paper);stroke-width:1}.heat{fill:VAR(heat)}"
    ".none{fill:none;stroke:VAR(rule);stroke-dasharray:2 2}"
    ".halo{paint-order:stroke;stroke:VAR(paper);stroke-width:3px;stroke-linejoin:round}"
    ".on{fill:VAR(paper)}.mid{fill:VAR(amid)}.t{font-weight:600}.pale{opacity:.35}"
    ".hatch{fill:url(#concord-hatch)}.hatchline{stroke:VAR(none);stroke-width:1.6}"
    ".cross{stroke-width:1;opacity:.38;fill:none}.d0{stroke:VAR(first)}.d1{stroke:VAR(second)}"
    ".d2{stroke:VAR(third)}.d3{stroke:VAR(soft)}.full.d0{fill:VAR(first)}.full.d1{fill:VAR(second)}"
    ".full.d2{fill:VAR(third)}.full.d3{fill:VAR(soft)}.open{fill:VAR(paper);stroke-width:1.6}"
    ".full{stroke-width:1.6}.up{fill:VAR(up)}.nil{fill:VAR(none)}.down{fill:VAR(down)}"
    ".edge{fill:none;stroke:VAR(ink);stroke-width:1.6}.ring{fill:VAR(paper);stroke:VAR(soft);stroke-width:1.8}"
    ".link{stroke:VAR(model);stroke-width:2.2;fill:none}.worse{stroke:VAR(soft)}.zone{fill:VAR(band)}"
    ".slopes{fill:VAR(none);opacity:.22}.curve{stroke-width:2.2;fill:none}.pband{stroke:VAR(human);stroke-width:5;opacity:.35}"
    ".loss{fill:VAR(down)}.gain{fill:VAR(up)}"
    ".slope{stroke:VAR(soft);stroke-width:1.4;fill:none}.share0{fill:VAR(soft)}.share1{fill:VAR(order)}"
    ".share2{fill:VAR(order);fill-opacity:.45}.share3{fill:VAR(rule)}.over{fill:VAR(up)}.under{fill:VAR(down)}"
)
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
    """Return the style with colours by value, or by custom property where none are given.

    Examples
    --------
    >>> "var(--ink)" in style(), "#1c2430" in style(COLOURS)
    (True, True)
    """
    text = STYLE.replace("FONT", f"{font},{FONT}" if font else FONT)
    for role in COLOURS:
        value = f"var(--{role})" if colours is None else colours[role]
        text = text.replace(f"VAR({role})", value)
    return text

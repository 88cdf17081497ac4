"""The picture of all pairs: a triangle of differences, grey where two models cannot be distinguished."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.show.numbers import level_words, typeset
from concord.show.plots import short
from concord.show.svg import Canvas, Picture, fitted_names, last_parts, on_heat, reach

_HEAD, _SLANT = 150.0, 125.0
"""Room for a name below its column, and how far to the right the last one reaches."""
FEW = 10
"""Models up to which the picture is narrow, so that two are side by side on a page."""


MOST_NAMED = 24
"""Models up to which columns have their names below; those of more have numbers."""


@dataclass(frozen=True, slots=True)
class PairCell:
    """One pair: the row's number minus the column's, and whether the two differ after Holm."""

    difference: float | None
    differ: bool
    note: str = ""


def triangle(
    name: str, title: str, models: Sequence[str], cells: Mapping[tuple[int, int], PairCell], *,
    label: str, level: float, width: float = 1040.0,
) -> Picture:  # fmt: skip
    """Draw every pair once: rows and columns are models from best to worst."""
    n = len(models)
    few = n <= FEW
    numbered = n > MOST_NAMED
    called = last_parts(models)
    if numbered:  # names below columns this narrow would lie on each other
        called = [f"{i} {one}" for i, one in enumerate(called, 1)]
    room = 170.0 if few else 0.34 * width
    left = max(90.0, min(room, max((reach(one) for one in called), default=0.0) + 14))
    size = min(38.0 if few else 48.0, (width - left - _SLANT) / max(n - 1, 1))
    tall = max(16.0, min(30.0, size))
    along = fitted_names(called, 120.0 if few else _HEAD)
    largest = max((abs(c.difference) for c in cells.values() if c.difference is not None), default=1.0)
    canvas = Canvas()
    canvas.row_names(left - 8, [14 + tall * (j - 0.5) for j in range(1, n)], called[1:], left - 12)
    for j in range(1, n):
        y = 10 + tall * (j - 1)
        for i in range(j):
            _pair_cell(canvas, cells.get((i, j)), (left + size * i, y, size, tall), largest)
    bottom = 10 + tall * (n - 1)
    for i in range(n - 1):
        if not numbered:
            canvas.turned(left + size * (i + 0.5) + 4, bottom + 12, 42, models[i], shown=along[i])
        elif i == 0 or (i + 1) % 5 == 0:
            canvas.text(left + size * (i + 0.5), bottom + 16, str(i + 1), kind="s", anchor="middle")
    apart = sum(cell.differ for cell in cells.values())
    said = f"{title}: {apart} of {len(cells)} pairs can be distinguished, after Holm."
    rows = (
        ("better", "worse", "difference", "distinguishable"),
        *((models[i], models[j], c.difference, c.differ) for (i, j), c in sorted(cells.items())),
    )
    caption = (
        f"Difference in {label}, column minus row, of models from best to worst on what both have. Grey: the "
        f"two cannot be distinguished ({level_words(level)}, after Holm)."
    )
    if numbered:
        caption += f" Columns have the numbers of the rows; 1 is {models[0]}."
    longest = 0.0 if numbered else max((reach(one) for one in along[:-1]), default=0.0)
    # as wide as it needs to be: few models do not leave half of it empty
    used = min(width, max(left + size * (n - 1) + 0.75 * longest + 16, 320.0))
    return Picture(
        name, title, said, used, bottom + 24 + 0.7 * longest, str(canvas), rows=rows, caption=caption
    )


def _pair_cell(
    canvas: Canvas, cell: PairCell | None, box: tuple[float, float, float, float], largest: float
) -> None:
    x, y, wide, tall = box
    if cell is None or cell.difference is None:
        canvas.rect("cell none", x + 1.5, y + 1.5, wide - 3, tall - 3)
        return
    strength = 0.25 + 0.75 * abs(cell.difference) / largest if largest > 0 else 0.25
    if cell.differ:
        canvas.rect("cell heat", *box, note=cell.note, opacity=strength)
    else:
        canvas.rect("cell band", *box, note=cell.note)
    if wide >= 30:
        kind = on_heat(strength) if cell.differ else "s"
        canvas.text(x + wide / 2, y + tall / 2 + 4, _brief(cell.difference), kind=kind, anchor="middle")


def _brief(value: float) -> str:
    """Return a difference without its leading zero.

    Examples
    --------
    >>> _brief(0.053), _brief(-0.2), _brief(1.25)
    ('.05', '−.20', '1.25')
    """
    return typeset(short(value).replace("0.", ".", 1) if abs(value) < 1 else short(value))

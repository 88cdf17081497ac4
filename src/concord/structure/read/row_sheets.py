"""The literal text layout: one file per model, one row per arrangement, one column of scores per item."""

from collections.abc import Sequence

from concord.files.grids import Grid

SUFFIX = "s_acc"
NAMES = ("arrangement", "permutation", "order", "sheet", "prompt")
"""What the column that names the arrangements may be called."""


def is_row_layout(header: Sequence[str], *, named: bool) -> bool:
    """Whether a header is that of one row per arrangement: score columns, and at most one that names rows.

    Examples
    --------
    >>> is_row_layout(["idiom1_S_Acc", "idiom2_S_Acc"], named=False)
    True
    >>> is_row_layout(["idiom1_S_Acc", "idiom2_S_Acc"], named=True)
    False
    """
    titles = [title.strip().casefold() for title in header]
    scores = [title for title in titles if title.endswith(SUFFIX)]
    others = [title for title in titles if title and not title.endswith(SUFFIX)]
    if len(scores) < 2 or len(others) > 1:
        return False
    return others[0] in NAMES if others else not named


def row_sheets(grid: Grid) -> list[tuple[str, Grid]]:
    """Return every row as the sheet of its arrangement: an item and a score per row.

    Rows without a name are numbered from 1, as the source does.
    """
    titles = [title.strip() for title in grid.header]
    scores = [j for j, title in enumerate(titles) if title.casefold().endswith(SUFFIX)]
    named = [j for j, title in enumerate(titles) if title.casefold() in NAMES]
    items = tuple(_item_of(titles[j]) for j in scores)
    columns = [grid.cells(j) for j in scores]
    names = grid.cells(named[0]) if named else [None] * len(grid.rows)
    found = []
    for i, row in enumerate(grid.rows):
        name = str(i + 1) if names[i] is None or not str(names[i]).strip() else str(names[i]).strip()
        values = [column[i] for column in columns]
        sheet = Grid(grid.name, name, ("item", "S_Acc"), [row] * len(items), (items, values))
        found.append((name, sheet))
    return found


def _item_of(title: str) -> str:
    """Name an item by its column."""
    bare = title[: -len(SUFFIX)].rstrip("_ -")
    return bare if bare else title

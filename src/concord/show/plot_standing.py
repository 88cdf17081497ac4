"""The picture of a ranking: models in their order, and lines that join those that cannot be distinguished."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from concord.show.numbers import level_words
from concord.show.plots import axis, short, span
from concord.show.svg import Canvas, Picture, Scale, last_parts, reach

_LABEL, _WIDTH, _ROW, _LINE = 250.0, 560.0, 24.0, 12.0
_SHORTEST = 90.0
"""Room for names however short they are."""


def standing_picture(
    name: str,
    title: str,
    values: Sequence[tuple[str, float]],
    groups: Sequence[Sequence[str]],
    *,
    label: str,
    ends: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    level: float | None = None,
) -> Picture:
    """Draw a critical-difference diagram on its side: one row per model, a line next to each group.

    Examples
    --------
    >>> ranked = [("a", 0.9), ("b", 0.8), ("c", 0.5)]
    >>> picture = standing_picture("s", "Accuracy", ranked, [["a", "b"], ["c"]], label="accuracy")
    >>> picture.description
    'Accuracy. 1 a 0.90; 2 b 0.80; 3 c 0.50. Cannot be distinguished: a, b.'
    """
    places = {model: i for i, (model, _) in enumerate(values)}
    members = [sorted(places[model] for model in group if model in places) for group in groups]
    lanes = _lanes([found for found in members if len(found) > 1])
    n_lanes = 1 + max((lane for _, lane in lanes), default=-1)
    top, bottom = 12.0, 12.0 + _ROW * len(values) + 4
    known = [end for model, _ in values for end in ends.get(model, ())]
    low, high = span([*(value for _, value in values), *known])
    called = [f"{i} {name}" for i, name in enumerate(last_parts([model for model, _ in values]), 1)]
    # as wide as the longest name needs: with short ones the picture fits a telephone
    names_end = min(_LABEL, max(_SHORTEST, *(reach(name) + 6 for name in called)))
    width = _WIDTH - _LABEL + names_end
    scale = Scale(low, high, names_end + 8, width - 16 - _LINE * n_lanes)
    canvas = Canvas()
    axis(canvas, scale, top, bottom, label)
    rows_at = [top + _ROW * (i + 0.5) + 6 for i in range(len(values))]
    canvas.row_names(names_end, rows_at, called, names_end - 4)
    for i, (model, value) in enumerate(values):
        y = top + _ROW * (i + 0.5) + 2
        if model in ends:
            canvas.line("mline", scale(ends[model][0]), y, scale(ends[model][1]), y)
        canvas.circle("model", scale(value), y, 4.5, f"{i + 1} {model}: {short(value, 3)}")
    for found, lane in lanes:
        x = scale.end + _LINE * (lane + 1)
        if found[-1] - found[0] >= len(found):
            canvas.line("axis", x, top + _ROW * (found[0] + 0.5) + 2, x, top + _ROW * (found[-1] + 0.5) + 2)
        for first, last in _runs(found):
            canvas.line("bar", x, top + _ROW * (first + 0.2) + 2, x, top + _ROW * (last + 0.8) + 2)
    if lanes:
        canvas.line("bar key", names_end - 4, bottom + 46, names_end - 4, bottom + 56)
        canvas.text(names_end + 8, bottom + 56, "joins models that cannot be distinguished", kind="s")
    height = bottom + (64 if lanes else 42)
    rows = (
        ("model", label, "low", "high"),
        *((model, value, *ends.get(model, (None, None))) for model, value in values),
    )
    lines = "intervals" if level is None else f"{level_words(level)} intervals"
    caption = f"Lines are {lines} of each model; whether two differ is said by their own comparison."
    return Picture(
        name, title, _described(title, values, groups), width, height, str(canvas), rows=rows,
        caption=caption if ends else "",
    )  # fmt: skip


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of neighbours."""
    firsts = [place for place in places if place - 1 not in places]
    lasts = [place for place in places if place + 1 not in places]
    return list(zip(firsts, lasts, strict=True))


def _lanes(groups: Sequence[Sequence[int]]) -> list[tuple[Sequence[int], int]]:
    """Assign each line a lane in which it touches no other."""
    found: list[tuple[Sequence[int], int]] = []
    for group in sorted(groups, key=lambda one: (one[0], one[-1])):
        taken = {lane for other, lane in found if other[0] <= group[-1] and group[0] <= other[-1]}
        lane = next(k for k in range(len(groups)) if k not in taken)
        found.append((group, lane))
    return found


def _described(title: str, values: Sequence[tuple[str, float]], groups: Sequence[Sequence[str]]) -> str:
    ranked = "; ".join(f"{i} {model} {short(value)}" for i, (model, value) in enumerate(values[:40], 1))
    more = f"; and {len(values) - 40} more" if len(values) > 40 else ""
    joined = "; ".join(", ".join(group) for group in groups[:40] if len(group) > 1)
    return f"{title}. {ranked}{more}. Cannot be distinguished: {joined if joined else 'none'}."

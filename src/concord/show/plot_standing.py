"""The picture of a ranking: models in their order, and lines that join those that cannot be distinguished."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from concord.comparing.comparison import Comparison
from concord.comparing.result import CompareResult
from concord.number_words import level_words, p_words, typeset
from concord.people.agent_tables import choices_of
from concord.show.plots import WIDTH, axis, estimate_mark, short, span, specifications
from concord.show.svg import Canvas, Picture, Scale, fitted_names, last_parts, on_heat, reach
from concord.words import say

_HEAD, _SLANT = 150.0, 125.0
"""Room for a name below its column, and how far to the right the last one reaches."""
FEW = 10
"""Models up to which the picture is narrow, so that two are side by side on a page."""


MOST_IN_TRIANGLE = 60
"""Models up to which all pairs are drawn."""
MOST_NAMED = 24
"""Models up to which columns have their names below; those of more have numbers."""


@dataclass(frozen=True, slots=True)
class PairCell:
    """One pair: the row's number minus the column's, and whether the two differ after Holm."""

    difference: float | None
    differ: bool
    note: str = ""


def ranking_picture(result: Comparison, *, units: float = WIDTH) -> Picture | None:
    """Draw the ranking of a comparison with its intervals; nothing of fewer than two models."""
    ranked = [(name, one.value) for name, one in result.ranked if one.value is not None]
    if len(ranked) < 2:
        return None
    metric = result.metric_title
    ends = {name: (one.interval.low, one.interval.high) for name, one in result.ranked if one.interval}
    title = f"{metric} of {len(ranked)} models"
    return standing_picture(
        "ranking", title, ranked, result.alike, label=metric, ends=ends, level=result.level
    )


def pairs_picture(result: Comparison, *, units: float = WIDTH) -> Picture | None:
    """Draw all pairs in the metric that ranks; of two models the table says it all."""
    names = [name for name, _ in result.ranked]
    if not 3 <= len(names) <= MOST_IN_TRIANGLE:
        return None
    places, cells = {name: i for i, name in enumerate(names)}, {}
    for row in result.ranking_pairs():
        if row.first in places and row.second in places:
            i, j = sorted((places[row.first], places[row.second]))
            value = row.difference.value
            signed = value if value is None or places[row.first] == i else -value
            said = f"{names[i]} minus {names[j]}: {short(signed, 3)}, {p_words(row.p_holm)} (Holm)"
            cells[i, j] = PairCell(signed, result.differ(row), said)
    if not cells:
        return None
    title = f"Which models differ in {result.metric_title}"
    return triangle("pairs", title, names, cells, label=result.metric_title, level=result.level)


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
    first = models[0] if numbered else None
    caption = say("figures.caption.triangle", label=label, level=level, first=first)
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
    """Return a difference without its leading zero."""
    return typeset(short(value).replace("0.", ".", 1) if abs(value) < 1 else short(value))


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
    """Draw a critical-difference diagram on its side: one row per model, a line next to each group."""
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


def specifications_picture(result: CompareResult, *, units: float = WIDTH) -> Picture | None:
    """Draw the means of all models from the highest to the lowest, below it what each is made of."""
    if len(result.ranked) < 3:
        return None
    found = result.chosen
    words = "the best, on items that it was not chosen on"
    return specifications(
        "specifications",
        f"{result.metric_title} of {len(result.ranked)} models by what was chosen",
        [estimate_mark(name, one) for name, one in result.ranked],
        choices_of([name for name, _ in result.ranked]),
        label=result.metric_title,
        lines=[] if found is None or found.value is None else [(found.value, words)],
        width=units,
    )

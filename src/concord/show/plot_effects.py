"""Pictures of agreement with people: effects side by side, where points are lost, conclusions crossed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from concord.number_words import level_words
from concord.show.plots import WIDTH, axis, frame, short, span
from concord.show.svg import (
    Canvas,
    Picture,
    Scale,
    fitted,
    fitted_names,
    fitting_head,
    last_parts,
    on_heat,
    reach,
)
from concord.words import say

MOST_NAMED = 4
"""Tests that stand out most and are named."""
MANY = 50
"""Tests beyond which a scatter shows how dense they are, and no interval of each."""
_BIN = 26.0
"""Side of a square whose tests are counted."""
STATES = {"up": "up", "none": "no effect", "down": "down"}
"""The three conclusions in the order of every picture, and what readers call them."""
_CLASSES = {"up": "up", "none": "nil", "down": "down"}


@dataclass(frozen=True, slots=True)
class Effect:
    """One test: the effect in people and in the model, each with its interval where that is known."""

    name: str
    people: tuple[float, float | None, float | None]
    model: tuple[float, float | None, float | None]
    domain: str = ""
    replicates: bool = False
    """Whether the model's effect is significant in the human direction."""


def effects(
    name: str, title: str, given: Sequence[Effect], *, level: float, slope: float | None = None,
    intercept: float | None = None, slopes: tuple[float, float] | None = None, middle: float | None = None,
    said: str = "", width: float = WIDTH, unit: str = "d", predicted: bool = False,
) -> Picture:  # fmt: skip
    """Draw effects in people (across) against effects in the model (up), each with a cross of intervals.

    Effects that a model `predicted` are across and those of people up, as one reads a calibration; the line
    is that of what is up on what is across.
    """
    points = [replace(p, people=p.model, model=p.people) for p in given] if predicted else given
    sides = ("effect that was predicted", "effect in people") if predicted else (
        "effect in people", "effect in the model")  # fmt: skip
    (low, high), (bottom, top) = _ranges(points)
    domains = list(dict.fromkeys(p.domain for p in points))
    height = min(0.84 * width, 460.0)
    x, y = Scale(low, high, 52, width - 14), Scale(bottom, top, height - 44, 34)
    canvas = Canvas()
    dots = list(zip(x.all([p.people[0] for p in points]), y.all([p.model[0] for p in points]), strict=True))
    many = len(points) > MANY
    if many:
        _density(canvas, dots)
    frame(canvas, x, y, *(f"{side}, {unit}" for side in sides))
    if middle is not None and slope is not None and intercept is not None and slopes is not None:
        _slope_band(canvas, x, y, (middle, slope * middle + intercept), slopes)
    low_same, high_same = max(x.low, y.low), min(x.high, y.high)
    canvas.line("ref", x(low_same), y(low_same), x(high_same), y(high_same))
    colours = {domain: f"d{min(i, 3)}" if _has_key(domains) else "dm" for i, domain in enumerate(domains)}
    for domain in () if many else domains:
        own = [p for p in points if p.domain == domain]
        canvas.segments(f"cross {colours[domain]}", _arms(own, x, y))
    if slope is not None and intercept is not None:
        _fit(canvas, x, y, slope, intercept)
    for p, shown, dot in zip(points, given, dots, strict=True):
        kind = f"{'full' if p.replicates else 'open'}{' many' if many else ''} {colours[p.domain]}"
        note = f"{p.name}: people {short(shown.people[0])}, model {short(shown.model[0])}"
        canvas.circle(kind, *dot, 2.4 if many else 3.6, note)
    _domain_key(canvas, domains, width)
    _same_effect(canvas, x, y, dots)
    _name_outliers(canvas, points, dots, x, y)
    if said:
        fit = [] if slope is None or intercept is None else [(slope, intercept)]
        _said_inside(canvas, said, dots, x, y, [(1.0, 0.0), *fit], free_above=not _has_key(domains))
    data = {"low": repr(low), "high": repr(high), "bottom": repr(bottom), "top": repr(top), "x0": "52",
            "x1": f"{width - 14:g}", "y0": f"{height - 44:g}", "y1": "34"}  # fmt: skip
    told = f"{title}: {len(points)} tests, {sides[0]} across, {sides[1]} up. {said}"
    ends = ("low", "high")
    heads = ("test", "domain", "people d", *ends, "model d", *ends, "significant, same direction")
    rows = (heads, *((p.name, p.domain, *p.people, *p.model, p.replicates) for p in given))
    how = {"many": many, "level": level, "across": sides[0], "up": sides[1], "band": slopes is not None}
    caption = say("figures.caption.effects", n=len(points), unit=unit, **how)
    return Picture(name, title, told, width, height + 8, str(canvas), data, rows=rows, caption=caption)


def _density(canvas: Canvas, places: Sequence[tuple[float, float]]) -> None:
    """Shade squares by how many tests lie in them."""
    counts = Counter((int(a // _BIN), int(b // _BIN)) for a, b in places)
    most = max(counts.values())
    for (i, j), n in sorted(counts.items()):
        if n > 1:
            canvas.rect("nil", i * _BIN, j * _BIN, _BIN, _BIN, opacity=0.06 + 0.5 * n / most)


SAME = "same effect"
UNLIKE = 2.0
"""How many times one side must vary as the other does for the axes to have ranges of their own."""


def _ranges(points: Sequence[Effect]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ranges of both axes: one for both, unless one side would be squeezed into a strip."""
    sides = [[p.people[0] for p in points], [p.model[0] for p in points]]
    own = [span(side, at_least=(-0.5, 0.5)) for side in sides]
    wide, tall = (high - low for low, high in own)
    if max(wide, tall) > UNLIKE * min(wide, tall):
        return own[0], own[1]
    both = span([v for side in sides for v in side], at_least=(-0.5, 0.5))
    return both, both


Dots = Sequence[tuple[float, float]]
"""Places of tests inside the picture."""


def _same_effect(canvas: Canvas, x: Scale, y: Scale, dots: Dots) -> None:
    """Name the line of equal effects to its right, where it covers the fewest dots."""
    low, high = max(x.low, y.low), min(x.high, y.high)
    wide = reach(SAME)
    found = []
    along = [high - (high - low) * k / 20 for k in range(2, 20)]
    # from its upper end down, the first of the best is taken
    for k, (across, up) in enumerate(zip(x.all(along), y.all(along), strict=True)):
        at, line = across + 10, up + 12
        if at + wide < x.end and y.end + 12 < line < y.start - 4:
            covered = [at - 5 < a < at + wide + 5 and line - 15 < b < line + 7 for a, b in dots]
            found.append((sum(covered), k, at, line))
    if found:
        _, _, at, line = min(found)
        canvas.text(at, line, SAME, kind="s halo")


def _said_inside(
    canvas: Canvas, said: str, tests: Dots, x: Scale, y: Scale,
    lines: Sequence[tuple[float, float]], *, free_above: bool,
) -> None:  # fmt: skip
    """Write a line of numbers into the corner where it covers the fewest dots and lines, upper left first."""
    # Where every corner is taken, it stands above the frame, if nothing else does.
    wide = reach(said) + 8
    dots = [*tests, *[place for line in lines for place in _along(line, x, y)]]
    corners = [(left, top) for top in (True, False) for left in (True, False)]

    def covered(corner: tuple[bool, bool]) -> int:
        left, top = corner
        begin = x.start if left else x.end - wide - 8
        above = y.end if top else y.start - 28
        return len([1 for a, b in dots if begin < a < begin + wide + 8 and above < b < above + 28])

    left, top = min(corners, key=covered)
    if free_above and covered((left, top)):
        canvas.text(x.end, y.end - 10, said, kind="s b", anchor="end")
        return
    at = (x.start + 8, "start") if left else (x.end - 8, "end")
    canvas.text(at[0], y.end + 14 if top else y.start - 10, said, kind="s b halo", anchor=at[1])


def _along(line: tuple[float, float], x: Scale, y: Scale) -> list[tuple[float, float]]:
    """Return places along a line, slope and intercept, inside the frame."""
    across = [x.low + (x.high - x.low) * k / 60 for k in range(61)]
    inside = [a for a in across if y.low <= line[0] * a + line[1] <= y.high]
    return list(zip(x.all(inside), y.all([line[0] * a + line[1] for a in inside]), strict=True))


def _arms(points: Sequence[Effect], x: Scale, y: Scale) -> list[tuple[float, float, float, float]]:
    """Return the two arms of each cross, cut at the frame."""
    arms = []
    for p in points:
        (middle, left, right), (height, low, high) = p.people, p.model
        if left is not None and right is not None:
            arms.append((x(left), y(height), x(right), y(height)))
        if low is not None and high is not None:
            arms.append((x(middle), y(low), x(middle), y(high)))
    return arms


def _slope_band(
    canvas: Canvas, x: Scale, y: Scale, middle: tuple[float, float], slopes: tuple[float, float]
) -> None:
    """Draw where lines of the interval's slopes through the middle lie, cut at the frame."""
    across = [x.low + (x.high - x.low) * k / 80 for k in range(81)]
    ends = [sorted(middle[1] + one * (a - middle[0]) for one in slopes) for a in across]
    there = x.all(across)
    upper = zip(there, y.all([high for _, high in ends]), strict=True)
    lower = list(zip(there, y.all([low for low, _ in ends]), strict=True))
    canvas.path("slopes", [*upper, *reversed(lower)])


def _fit(canvas: Canvas, x: Scale, y: Scale, slope: float, intercept: float) -> None:
    """Draw the line only where both of its coordinates lie in the frame."""
    ends = [x.low, x.high]
    if abs(slope) > 1e-12:
        crossings = sorted((edge - intercept) / slope for edge in (y.low, y.high))
        ends = [max(ends[0], crossings[0]), min(ends[1], crossings[1])]
    if ends[0] < ends[1]:
        places = [(x(end), y(slope * end + intercept)) for end in ends]
        canvas.line("fit", *places[0], *places[1])


def _has_key(domains: Sequence[str]) -> bool:
    """Whether the colours of domains are named above the frame."""
    return len([domain for domain in domains if domain]) > 1


def _domain_key(canvas: Canvas, domains: Sequence[str], width: float) -> None:
    """Name the colours above the frame; one domain needs no name."""
    if not _has_key(domains):
        return
    at = 52.0
    for i, domain in enumerate(domains[:4]):
        canvas.circle(f"full d{min(i, 3)}", at + 5, 14, 3.6)
        shown = fitted(domain if i < 3 else "others", 110)
        canvas.text(at + 14, 18, shown, kind="s")
        at += 30 + 7.2 * len(shown)


_AROUND = ((7, 4), (7, -8), (7, 16), (-7, 4), (-7, -8), (-7, 16))
"""Where a name may be written beside its dot, the best place first."""
MOST_COVERED = 1
"""Dots that a name may lie on; where every place has more, the test is not named."""


def _name_outliers(canvas: Canvas, points: Sequence[Effect], dots: Dots, x: Scale, y: Scale) -> None:
    """Name the tests that stand out most at their dots, each where it covers least; of none, nothing."""
    paired = zip(points, dots, strict=True)
    named = sorted(paired, key=lambda one: -abs(one[0].model[0] - one[0].people[0]))[:MOST_NAMED]
    boxes: list[tuple[float, float, float, float]] = []
    study = {p.name.partition(": ")[0] for p, _ in named}
    for p, (across, up) in named:
        # one study needs no name at each of its tests
        text = fitted(p.name.partition(": ")[2] if len(study) == 1 and ": " in p.name else p.name, 150)
        wide = 0.9 * reach(text)
        found = []
        for k, (dx, dy) in enumerate(_AROUND):
            left = across + dx - (wide if dx < 0 else 0.0)
            box = (left, up + dy - 10, left + wide, up + dy + 3)
            if box[0] < x.start or box[2] > x.end or box[1] < y.end or box[3] > y.start:
                continue
            covered = [box[0] - 3 < a < box[2] + 3 and box[1] - 3 < b < box[3] + 3 for a, b in dots]
            crossed = [box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in boxes]
            found.append((100 * sum(crossed) + sum(covered), k, box, dx, dy))
        if not found or min(found)[0] > MOST_COVERED:
            continue
        _, _, box, dx, dy = min(found)
        boxes.append(box)
        anchor = "start" if dx > 0 else "end"
        canvas.text(across + dx, up + dy, p.name, kind="s halo", anchor=anchor, shown=text)


def losses(name: str, title: str, lost: Sequence[tuple[str, float]], *, width: float = WIDTH) -> Picture:
    """Draw what each study adds to the distance from the ceiling, the largest loss first."""
    ordered = sorted(lost, key=lambda one: one[1])
    low, high = span([value for _, value in ordered], at_least=(-0.01, 0.01))
    room = row_label_room([study for study, _ in ordered], min(190.0, 0.4 * width))
    row = 24.0
    bottom = 14 + row * len(ordered)
    scale = Scale(low, high, room + 8, width - 52)
    canvas = Canvas()
    axis(canvas, scale, 10, bottom, "PAS points against a perfect replication")
    places = [12 + row * i + 15 for i in range(len(ordered))]
    canvas.row_names(room, places, [study for study, _ in ordered], room - 4)
    for i, (_, value) in enumerate(ordered):
        y = 12 + row * i
        zero, end = scale(0), scale(value)
        canvas.rect("loss" if value < 0 else "gain", min(zero, end), y + 4, abs(end - zero), row - 8)
        canvas.text(width - 4, y + 15, short(value, 3), kind="s", anchor="end")
    canvas.line("axis", scale(0), 10, scale(0), bottom)
    said = "; ".join(f"{study} {short(value, 3)}" for study, value in ordered[:40])
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas),
        rows=(("study", "points"), *ordered),
        caption="What each study adds to the distance from a perfect replication: (PAS − ceiling)/studies.",
    )  # fmt: skip


def mosaic(
    name: str, title: str, counts: Mapping[tuple[str, str], float], *, same: tuple[float, float],
    width: float = WIDTH,
) -> Picture:  # fmt: skip
    """Draw conclusions of people (columns) against those of the model (shares of a column)."""
    # `same` is the number of tests that lead to one conclusion, and the number of all.
    agree, total = same
    left, top, across, tall = 16.0, 40.0, width - 160.0, 220.0
    canvas = Canvas()
    canvas.text(left + across / 2, 14, "people conclude", kind="s", anchor="middle")
    canvas.text(width - 124, top + 12, "model concludes", kind="s")
    at = left
    for people in STATES:
        column = sum(counts.get((people, model), 0.0) for model in STATES)
        wide = across * column / total if total else 0.0
        head = f"{STATES[people]} {column:.0f}"
        shown = fitting_head((head, f"{people} {column:.0f}", f"{column:.0f}"), wide)
        if shown and column >= 0.5 and (shown == head or people != "down"):
            canvas.text(at + wide / 2, 32, shown, kind="s", anchor="middle")
        elif people == "down" and column >= 0.5:  # the last one may reach beyond its column
            canvas.text(at, 32, head, kind="s")
        y = top
        for model in STATES:
            n = counts.get((people, model), 0.0)
            high = tall * n / column if column else 0.0
            note = f"people {STATES[people]}, model {STATES[model]}: {n:.1f} of {total:.0f} tests"
            canvas.rect(f"cell {_CLASSES[model]}", at, y, wide, high, note=note)
            if people == model and high > 3 and wide > 3:
                canvas.rect("edge", at + 1.5, y + 1.5, wide - 3, high - 3)
            if high > 16 and wide > 34:
                canvas.text(at + wide / 2, y + high / 2 + 5, f"{n:.1f}", kind="on t", anchor="middle")
            y += high
        at += wide
    for i, state in enumerate(STATES):
        canvas.rect(_CLASSES[state], width - 124, top + 24 * i + 24, 12, 12)
        canvas.text(width - 106, top + 24 * i + 35, STATES[state], kind="s")
    canvas.rect("edge", width - 123, top + 97, 10, 10)
    canvas.text(width - 106, top + 107, "the same", kind="s")
    words = f"{agree:.1f} of {total:.0f} tests agree ({agree / total:.0%})".replace("%", " %")
    canvas.text(left, top + tall + 24, words, kind="s b")
    said = f"{title}: {agree:.1f} of {total:.0f} tests lead to the same conclusion."
    rows = (("people conclude", "model concludes", "expected tests"),
            *((p, m, counts.get((p, m), 0.0)) for p in STATES for m in STATES))  # fmt: skip
    caption = say("figures.caption.mosaic")
    return Picture(name, title, said, width, top + tall + 38, str(canvas), rows=rows, caption=caption)


@dataclass(frozen=True, slots=True)
class StudyColumn:
    """A study of the map of models and studies."""

    name: str
    domain: str
    values: tuple[float | None, ...]
    """One per model, in the order of the rows."""


_HEAD = 170.0
"""Room for the name of a study above its column."""


def row_label_room(names: Sequence[str], at_most: float, *, at_least: float = 60.0) -> float:
    """Return the room that names of rows need, within bounds."""
    return max(at_least, min(at_most, max((reach(name) for name in names), default=0.0) + 14))


def study_map(
    name: str, title: str, models: Sequence[str], columns: Sequence[StudyColumn], *,
    addresses: Mapping[tuple[int, int], str] | None = None, width: float = 960.0,
) -> Picture:  # fmt: skip
    """Draw PAS of every model in every study: rows are models, columns studies, grouped by domain."""
    # Inside a domain the studies that divide the models most are first.
    order = _by_domain_and_spread(columns)
    called = last_parts(models)
    left = row_label_room(called, (width - 60 - 40.0 * len(order)), at_least=0.2 * width)
    heads = fitted_names([columns[j].name for j in order], _HEAD)
    # the heads lean by 38 degrees; above them are the names of domains, where there are several
    several = len({columns[j].domain for j in order}) > 1
    top = (44.0 if several else 22.0) + 0.62 * max((min(reach(one), _HEAD) for one in heads), default=0.0)
    cell, row = min(110.0, (width - left - 60) / max(len(order), 1)), 30.0 if len(models) <= 20 else 22.0
    canvas = Canvas()
    _domain_heads(canvas, [columns[j] for j in order], left, cell)
    for place, j in enumerate(order):
        at = left + cell * (place + 0.5)
        canvas.turned(at, top - 8, -38, columns[j].name, shown=heads[place])
    names = fitted_names(called, left - 12)
    for i, model in enumerate(models):
        y = top + row * i
        canvas.text(left - 8, y + row / 2 + 4, model, anchor="end", shown=names[i])
        for place, j in enumerate(order):
            _map_cell(canvas, columns[j], i, (left + cell * place, y, cell, row), model,
                      (addresses or {}).get((i, j)))  # fmt: skip
    bottom = top + row * len(models) + 26
    for k in range(6):
        canvas.rect("cell heat", left + 30 * k, bottom - 12, 30, 10, opacity=0.06 + 0.94 * k / 5)
    canvas.text(left, bottom + 14, "0", kind="s")
    canvas.text(left + 180, bottom + 14, "1  PAS", kind="s", anchor="middle")
    said = "; ".join(
        f"{columns[j].name} {', '.join(short(v) for v in columns[j].values[:8])}" for j in order[:20]
    )
    rows = (
        ("model", *(columns[j].name for j in order)),
        *((model, *(columns[j].values[i] for j in order)) for i, model in enumerate(models)),
    )
    caption = "Probability of the same conclusion (PAS) by model and study; studies that divide models first."
    return Picture(
        name,
        title,
        f"{title}. By study: {said}.",
        width,
        bottom + 24,
        str(canvas),
        rows=rows,
        caption=caption,
    )


def _map_cell(
    canvas: Canvas, column: StudyColumn, i: int, box: tuple[float, float, float, float], model: str,
    address: str | None,
) -> None:  # fmt: skip
    x, y, wide, tall = box
    value = column.values[i]
    if address is not None:
        canvas.link(address)
    note = f"{model}, {column.name}: {short(value)}"
    if value is None:
        canvas.rect("cell none", x + 1.5, y + 1.5, wide - 3, tall - 3, note=note)
    else:
        canvas.rect("cell heat", x, y, wide, tall, note=note, opacity=0.06 + 0.94 * value)
        if wide >= 26:
            canvas.text(x + wide / 2, y + tall / 2 + 4, short(value), kind=on_heat(value), anchor="middle")
    if address is not None:
        canvas.unlink()


def _by_domain_and_spread(columns: Sequence[StudyColumn]) -> list[int]:
    places = {name: i for i, name in enumerate(dict.fromkeys(column.domain for column in columns))}
    return sorted(
        range(len(columns)), key=lambda j: (places[columns[j].domain], -_range_of(columns[j].values), j)
    )


def _range_of(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return max(known) - min(known) if known else -1.0


def _domain_heads(canvas: Canvas, columns: Sequence[StudyColumn], left: float, cell: float) -> None:
    """Write each domain over its studies."""
    start = 0
    for place in range(1, len(columns) + 1):
        if place == len(columns) or columns[place].domain != columns[start].domain:
            if columns[start].domain:
                canvas.text(left + cell * start + 2, 16, columns[start].domain, kind="s b",
                            width=max(cell * (place - start) - 6, 30))  # fmt: skip
                canvas.line("axis", left + cell * start + 2, 22, left + cell * place - 4, 22)
            start = place


@dataclass(frozen=True, slots=True)
class Geometry:
    """Places and sizes of a forest plot, in points."""

    label: float = 290.0
    """Width of the names; the drawing starts right of it."""
    width: float = 600.0
    before: float = 8.0
    after: float = 16.0
    """Room between the drawing's edges and the ends of the axis."""
    row: float = 28.0
    apart: float = 5.0
    """How far people are above the middle of a row, and the model below it."""
    dot: float = 4.0
    diamond: float = 5.0
    """Sizes of the two marks, from their middle."""
    least: float = 0.2
    """The axis reaches from minus this to this at least."""
    room: float = 0.05
    """Part of the axis that is added at either end where an effect reaches further."""


FOREST = Geometry()
TOP = 26.0
ESTIMATE = 36.0
"""Room for the estimates behind each row."""

Numbers = tuple[float | None, float | None, float | None]
"""Value, low, high."""


def forest(name: str, title: str, pairs: Sequence[tuple[str, Numbers, Numbers]], *, level: float) -> Picture:
    """Draw one row per test: its name, the human effect and the model's, each with its interval."""
    place = FOREST
    low, high = span(
        [v for _, people, model in pairs for v in (*people, *model)],
        at_least=(-place.least, place.least),
        room=place.room,
    )
    bottom = TOP + 4 + place.row * len(pairs)
    scale = Scale(low, high, place.label + place.before, place.width - place.after)
    canvas = Canvas()
    axis(canvas, scale, TOP, bottom, f"effect d with its {level_words(level)} interval")
    canvas.line("ref", scale(0), TOP, scale(0), bottom)
    canvas.circle("human", place.label + 14, 12, place.dot)
    canvas.text(place.label + 24, 16, "in people", kind="s")
    canvas.diamond("model", place.label + 104, 12, place.diamond)
    canvas.text(place.label + 114, 16, "in the model", kind="s")
    middles = [TOP + place.row * (i + 0.5) + 4 for i in range(len(pairs))]
    canvas.row_names(place.label, middles, [label for label, _, _ in pairs], place.label - 4)
    for i, (_, people, model) in enumerate(pairs):
        y = TOP + place.row * (i + 0.5)
        for value, up in ((people[0], -3.0), (model[0], 11.0)):
            canvas.text(place.width + ESTIMATE, y + up, short(value), kind="s row2", anchor="end")
        _arm(canvas, scale, y - place.apart, people, people=True)
        _arm(canvas, scale, y + place.apart, model, people=False)
    said = say("figures.said.forest", title=title, n=len(pairs), level=level)
    rows = (
        ("test", "people d", "low", "high", "model d", "low", "high"),
        *((label, *people, *model) for label, people, model in pairs),
    )
    caption = say("figures.caption.forest", n=len(pairs), level=level)
    return Picture(
        name, title, said, place.width + ESTIMATE + 4, bottom + 42, str(canvas), rows=rows, caption=caption
    )


def _arm(canvas: Canvas, scale: Scale, y: float, numbers: Numbers, *, people: bool) -> None:
    value, low, high = numbers
    if value is None:
        return
    if low is not None and high is not None:
        canvas.line("pline" if people else "mline", scale(low), y, scale(high), y)
    if people:
        canvas.circle("human", scale(value), y, FOREST.dot, f"people: {short(value)}")
    else:
        canvas.diamond("model", scale(value), y, FOREST.diamond, f"model: {short(value)}")

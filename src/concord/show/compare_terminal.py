"""A comparison as a terminal table; sensible without colour and in a pipe."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from concord.comparing.result import CompareResult, PairResult
from concord.records import Interval
from concord.show.numbers import UNDEFINED, interval, interval_words, number, p_value, p_words
from concord.show.svg import last_parts
from concord.show.terminal import lines, table
from concord.stats.compare import PairedComparison
from concord.stats.equivalence import WithinMargin
from concord.stats.multiple import distinguishable

MOST_PAIRS = 45
"""All pairs of ten models; of more only neighbours in the ranking are shown."""
MOST_LINES = 10
FEW_LINES = 2
"""Lines about what was left out where not everything is asked for."""
FEW_PAIRS = 6
"""Pairs of four models: so many are shown unasked."""


def compare_report(result: CompareResult, *, pairs: bool = True) -> RenderableType:
    """Return what the terminal shows: the answer, the models, the ranking, all pairs."""
    parts: list[RenderableType] = [Text(closing(result) + "\n", style="bold")]
    parts += [_models(result)] if pairs or _some_missing(result) else []
    if any(model.name.endswith("]") for model in result.models):
        parts.append(lines(f"  {model.name}: {model.source}" for model in result.models))
    if len(result.pairs) == 1:
        parts.append(lines(_one_pair(result.pairs[0])))
    else:
        parts += [Text("")] if len(parts) > 1 else []
        parts.append(lines(_ranking_drawing(result)))
        parts += [_pairs_table(result)] if pairs else []
        told = [line for pair in result.pairs for line in _missing(pair, named=True)]
        parts.append(lines(first_lines(told, MOST_LINES if pairs else FEW_LINES)))
    if result.tasks:
        parts.append(_task_table(result))
    return Group(*parts)


def _some_missing(result: CompareResult) -> bool:
    """Whether models differ in what was asked or scored, so that the ranking does not say it all."""
    sizes = {(model.n_asked, model.outcomes["scored"]) for model in result.models}
    return len(sizes) > 1 or any(asked != scored for asked, scored in sizes) or not result.groups


def compare_headline(result: CompareResult) -> RenderableType | None:
    """Return the report without its pairs where these are many; None where they are few."""
    return None if len(result.pairs) <= FEW_PAIRS else compare_report(result, pairs=False)


def _task_table(result: CompareResult) -> Table:
    """Return the tasks of a group, where the first two models differ most first."""
    rows = sorted(result.tasks, key=lambda one: (-abs(one.means[0] - one.means[1]), one.task))
    shown = [
        (
            one.task,
            str(one.n),
            *(number(mean) for mean in one.means),
            number(one.means[0] - one.means[1], sign=True),
        )
        for one in rows[:MOST_LINES]
    ]
    more = f"; {len(rows) - MOST_LINES} more in comparison.json" if len(rows) > MOST_LINES else ""
    title = f"\n{len(rows)} tasks, each a cluster; largest differences of the first two models{more}"
    return table(title, ("task", "items", *(model.name for model in result.models), "difference"), shown)


def _models(result: CompareResult) -> Table:
    level = f"{result.choices.level:.0%} interval"
    word = "item" if result.n_common == 1 else "items"
    title = f"Scores · {result.metric} · {result.n_common} {word} in common of {result.n_items}"
    rows = [
        (
            model.name,
            number(model.mean.value),
            interval(model.mean.interval, 3),
            str(model.n_asked),
            *(str(model.outcomes[name]) for name in ("scored", "failed", "no score")),
        )
        for model in result.models
    ]
    return table(title, ("model", "mean", level, "items", "scored", "failed", "no score"), rows)


def _one_pair(pair: PairResult) -> Iterator[str]:
    one = pair.comparison
    yield f"\n{pair.first} − {pair.second}"
    if one is None:
        yield "  no item has a score on both sides"
        yield from _missing(pair, named=False)
        return
    found = one.difference
    ends = "" if found.interval is None else f" ({interval_words(found.interval, 3, sign=True)})"
    yield f"  difference {number(found.value, sign=True)}{ends}"
    if one.note:
        yield f"  {one.note}"
    yield f"  {p_words(one.p_value)} ({one.test})" + _others(one)
    yield (
        f"  standard error {number(one.se_paired, 4)} paired, {number(one.se_unpaired, 4)} unpaired: "
        f"{_saving(one.variance_saved)} (r = {number(one.correlation, 2)})"
    )
    if one.within is not None:
        yield f"  {margin_words(one.within)}"
    yield f"  effect d_z = {number(one.effect_dz, 2)}, d_av = {number(one.effect_dav, 2)}"
    yield f"  won {one.wins}, tied {one.ties}, lost {one.losses} of {_items(one.difference.n)}" + _families(
        one
    )
    yield from _missing(pair, named=False)


def _others(one: PairedComparison) -> str:
    rest = [f"{v.test} {p_value(v.p_value)}" for v in one.verdicts if v.test != one.test]
    return f"; {', '.join(rest)}" if rest else ""


def _families(one: PairedComparison) -> str:
    return f" in {one.n_clusters} clusters" if one.n_clusters < one.difference.n else ""


def _saving(share: float | None) -> str:
    if share is None:
        return "what pairing saves is not defined"
    if share < 0:
        return f"pairing adds {-share:.0%} to the variance"
    return f"pairing takes away {share:.0%} of the variance"


def _missing(pair: PairResult, *, named: bool) -> Iterator[str]:
    """Say what a pair does not share, and what it would change."""
    lost = pair.missing
    if not lost.any:
        return
    where = f"{pair.first} − {pair.second}: " if named else ""
    counts = {
        f"only {pair.first} has": lost.only_first,
        f"only {pair.second} has": lost.only_second,
        f"failed for {pair.first}": lost.failed_first,
        f"failed for {pair.second}": lost.failed_second,
        "failed for both": lost.failed_both,
    }
    if any(counts.values()):
        yield f"  {where}items left out: " + ", ".join(f"{n} {what}" for what, n in counts.items() if n)
    if lost.partly_failed:
        yield f"  {where}items kept whose repeats failed in part: {lost.partly_failed}"
    if lost.failed_as_wrong is not None:
        line = f"difference with failed answers counted as wrong {number(lost.failed_as_wrong, sign=True)}"
        if lost.only_first + lost.only_second:
            line += f", with items one side never had as well {number(lost.absent_as_wrong, sign=True)}"
        yield f"  {where}{line}"
    elif lost.note:
        yield f"  {where}counting them as wrong: {lost.note}; give the score of a wrong answer with --wrong"


def _pairs_table(result: CompareResult) -> Table:
    level = f"{result.choices.level:.0%} interval"
    columns = ("pair", "diff.", level, "p", "Holm", "BH", "won/tied/lost", "items")
    order = result.order if result.groups else ()
    title, shown = pairs_shown(result.pairs, order)
    return table(title, columns, [_pair_row(pair, order) for pair in shown])


def _pair_row(pair: PairResult, order: Sequence[str]) -> tuple[str, ...]:
    one, label = pair.comparison, pair_label(pair.first, pair.second, order)
    if one is None:
        return (label, *[UNDEFINED] * 6, "0")
    return (
        label,
        number(one.difference.value, sign=True),
        interval(one.difference.interval, 3, sign=True),
        *(p_value(p) for p in (one.p_value, pair.p_holm, pair.p_bh)),
        f"{one.wins}/{one.ties}/{one.losses}",
        str(one.difference.n),
    )


def _ranking_drawing(result: CompareResult) -> Iterator[str]:
    """Draw the ranking with a line next to models that cannot be distinguished."""
    if not result.groups:
        return
    means = {model.name: model.mean for model in result.models}
    ranked = [(name, means[name].value) for name in result.order]
    yield from ranking_lines(ranked, result.groups, {name: means[name].interval for name in result.order})


def ranking_lines(
    values: Sequence[tuple[str, float | None]],
    groups: Sequence[Sequence[str]],
    ends: Mapping[str, Interval | None],
) -> Iterator[str]:
    """Draw a ranking with intervals, and a line next to models that cannot be distinguished."""
    names = [name for name, _ in values]
    columns = [_line_beside(names, group) for group in groups]
    passed = "; a line ┊ passes a model by" if any("┊" in column for column in columns) else ""
    yield f"Ranking; models on one line │ cannot be distinguished (Holm){passed}"
    shown = ["" if (one := ends.get(name)) is None else interval(one, 3) for name in names]
    wide = max(map(len, shown))
    for place, ((_, value), called) in enumerate(zip(values, last_parts(names), strict=True)):
        lines = " ".join(column[place] for column in columns)
        held = f"  {shown[place]:<{wide}}" if wide else ""
        yield f"  {place + 1:>3}  {number(value):>6}{held}  {lines}  {called}"  # last: a name may be long


def _line_beside(names: Sequence[str], group: Sequence[str]) -> str:
    """Return one character per model: in the group, between its members, or outside."""
    places = [i for i, name in enumerate(names) if name in group]
    first, last = min(places, default=0), max(places, default=-1)
    return "".join("│" if i in places else "┊" if first < i < last else " " for i in range(len(names)))


class _Named(Protocol):
    @property
    def first(self) -> str: ...
    @property
    def second(self) -> str: ...


_Pair = TypeVar("_Pair", bound=_Named)


def pairs_shown(pairs: Sequence[_Pair], order: Sequence[str]) -> tuple[str, Sequence[_Pair]]:
    """Choose the pairs that a reader can take in, with a title: all, or of many those next to each other."""
    if len(pairs) <= MOST_PAIRS or not order:
        by = ", by their places" if order else ""
        return f"\nAll pairs, first − second{by}", pairs
    place = {name: i for i, name in enumerate(order)}
    near = [p for p in pairs if abs(place.get(p.first, -9) - place.get(p.second, -9)) == 1]
    near.sort(key=lambda pair: min(place[pair.first], place[pair.second]))
    return f"\nNeighbours in the ranking, first − second; all {len(pairs)} pairs: --json, --out", near


def first_lines(lines: Sequence[str], most: int = MOST_LINES) -> Iterator[str]:
    """Return as many lines as a reader can take in, and how many there are beyond."""
    yield from lines[:most]
    if len(lines) > most:
        yield f"  ... and {len(lines) - most} more; --json lists all"


def pair_label(first: str, second: str, order: Sequence[str]) -> str:
    """Name a pair by the places of its models in the ranking; by their names where one has no place."""
    if first in order and second in order:
        return f"{order.index(first) + 1} − {order.index(second) + 1}"
    return f"{first} − {second}"


def margin_words(held: WithinMargin) -> str:
    """Say whether a difference was shown to be smaller than a margin."""
    if held.interval is None:
        return f"within ±{held.margin:g}: cannot be said ({held.note})"
    ends = f"{held.interval.level:.0%} interval {interval_words(held.interval, 3, sign=True)}"
    p = "" if held.p_value is None else f"{p_words(held.p_value)}, "
    if held.shown:
        return f"within ±{held.margin:g}: shown ({p}{ends})"
    return f"within ±{held.margin:g}: not shown ({p}{ends}), which is no claim that the models differ"


def margins_words(held: Sequence[WithinMargin | None]) -> str:
    """Say how many pairs were shown to differ by less than a margin; nothing where none was given."""
    known = [one for one in held if one is not None]
    if not known:
        return ""
    shown = sum(one.shown for one in known)
    return f" {shown} of {len(known)} are shown to differ by less than ±{known[0].margin:g}."


def closing(result: CompareResult) -> str:
    """Say in plain words what the numbers mean."""
    if len(result.pairs) > 1:
        told = sum(distinguishable(pair.p_holm, level=result.choices.level) for pair in result.pairs)
        held = [None if pair.comparison is None else pair.comparison.within for pair in result.pairs]
        return (
            f"{told} of {len(result.pairs)} pairs can be distinguished after Holm's adjustment."
            + margins_words(held)
        )
    pair = result.pairs[0]
    one = pair.comparison
    if one is None or one.p_value is None or one.difference.value is None:
        return "These data cannot tell whether the difference is real."
    higher, lower = (pair.first, pair.second) if one.difference.value >= 0 else (pair.second, pair.first)
    if distinguishable(one.p_value, level=result.choices.level):
        sure = f"{higher} scores higher than {lower}: a difference of this size is unlikely to be chance"
        small = ", and smaller than the margin" if one.within is not None and one.within.shown else ""
        return f"{sure}{small}."
    if one.within is not None and one.within.shown:
        return (
            f"{higher} and {lower} are equivalent: their difference is smaller than ±{one.within.margin:g}."
        )
    return (
        f"The difference may be chance: with {_items(one.difference.n)} these data do not tell {higher} and "
        f"{lower} apart."
    )


def _items(n: int) -> str:
    return "1 item" if n == 1 else f"{n} items"

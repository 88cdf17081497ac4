"""The first thing a reader sees: for every model one plain line a question, made of the readings below."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.people.result import Bounds
from concord.people.sentences import relative_words, size_words
from concord.records import Estimate, Interval
from concord.show import plots
from concord.show.numbers import interval_words, typeset
from concord.show.page.content import Content, View
from concord.show.page.people import PeopleView
from concord.show.page.structure import StructureView
from concord.show.page.values import Document, Number, number

MOST = 6
"""Models that are told at once; further ones are a click away."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of one model: every question with its answer."""

    name: str
    lines: tuple[tuple[str, str], ...]


def summary(content: Content, order: Sequence[str]) -> list[Told]:
    """Say of every model what each question found, in the order of the leaderboard.

    Parameters
    ----------
    content
        Everything the page shows.
    order
        Labels of the leaderboard's rows.
    """
    said: dict[str, list[tuple[str, str]]] = {label: [] for label in order}
    views: list[View] = [*content.people, *content.structure, *content.reasoning]
    for view in views:
        said.setdefault(view.label, []).append(_line(view))
    return [Told(name, tuple(lines)) for name, lines in said.items() if lines]


def _line(view: View) -> tuple[str, str]:
    if isinstance(view, PeopleView):
        return "With people", _people(view)
    if isinstance(view, StructureView):
        return "With itself", _structure(view)
    reading = view.reading if view.reading else "not said"
    reason = f" ({view.reason})" if view.reason else ""
    told = f"{_gap(view.metric('faithfulness_gap'))}. Reading: {reading}{reason}."
    return "With its reasoning", told


def _people(view: PeopleView) -> str:
    """Tell in one line what `people_sentence` tells in two."""
    pas, size = view.metric("PAS"), _size(view)
    if pas.value is None:
        return "undefined, since no test has both sides."
    told = f"the same conclusions with probability {plots.short(pas.value)}{_interval(pas)}"
    return f"{told}; of its effects: {size}." if size else f"{told}."


def _size(view: PeopleView) -> str:
    """Say how large the model's effects are beside the human ones; empty where that is undefined."""
    document = view.source.document
    ratio = number(document, "effect_sizes", "size_ratio", "value")
    return size_words(Estimate(ratio, _ends(document, "effect_sizes", "size_ratio", "interval")))


def people_sentence(view: PeopleView) -> str:
    """Tell how often conclusions agree, against what could be reached, and whether effects have human size.

    Parameters
    ----------
    view
        What is shown of the result.
    """
    pas, size = view.metric("PAS"), _size(view)
    if pas.value is None:
        return "No test has both sides, so nothing can be said about conclusions."
    told = f"{plots.short(pas.value)}{_interval(pas)}{_relative(view, pas)}"
    said = f"A conclusion drawn from this model agrees with that drawn from people with probability {told}."
    return f"{said} Of its effects: {size}." if size else said


def _relative(view: PeopleView, pas: Number) -> str:
    """Say what a perfect replication and an agent without effects would reach."""
    ends = _ends(view.source.document, "average_pas_raw_place_interval")
    place = Estimate(pas.place, ends)
    return relative_words(Bounds(Estimate(pas.floor), Estimate(pas.ceiling), place))


def _ends(document: Document, *keys: str) -> Interval | None:
    low, high, level = (number(document, *keys, name) for name in ("low", "high", "level"))
    if low is None or high is None or level is None:
        return None
    return Interval(low, high, level, "")


def _structure(view: StructureView) -> str:
    """Return the sentence of the result, without the model's name that stands before it."""
    told = view.sentence.removeprefix(f"{view.model}: ")
    s = view.metric("S_Cons")
    return told if told else f"structural consistency {plots.short(s.value)}{_interval(s)}; 1 is perfect."


def _gap(gap: Number) -> str:
    if gap.value is None:
        return "accuracy with and without reasoning could not be compared"
    return f"accuracy after reasoning less accuracy at once is {plots.short(gap.value)}{_interval(gap)}"


def _interval(value: Number) -> str:
    """Write the interval behind a number, in brackets."""
    if value.low is None or value.high is None:
        return ""
    return f" (95 % {typeset(interval_words(value))})"

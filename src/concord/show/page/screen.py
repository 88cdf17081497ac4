"""The first screen of the page: a title, one sentence, one figure with a real axis, and cards beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from concord.number_words import MINUS, number
from concord.records import Estimate
from concord.show.plots import levels_words, ticks
from concord.words import say

FILTERED = 20
"""Rows beyond which a figure can be searched."""
BRACED = 8
"""Rows from which a bracket joins them."""
DENSE = 20
"""Rows beyond which a figure is set more closely."""
APART = 0.34
"""Share of an axis that two names above it need between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A model, study or judge: one number on the axis that all rows share."""

    name: str
    found: Estimate
    address: str = ""
    floor: float | None = None
    ceiling: float | None = None
    before: float | None = None
    """A second number that the first is read against, drawn as a ring: asked again, answered at once."""
    gate: str = ""
    """Why the number must not be read; empty where it may be."""
    says: str = ""
    """A word or two behind the number."""
    rank: str = ""
    """The places it may have; empty where all rows may have all."""
    strong: bool = False

    @property
    def is_drawn(self) -> bool:
        """Whether there is a number to draw: what is undefined is said, not drawn."""
        return self.found.value is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Rows on one axis."""

    rows: tuple[Row, ...]
    axis: str
    """Below the axis: what is measured, and in which unit."""
    limits: tuple[float, float] = (0.0, 1.0)
    of: str = "model"
    """What a row is."""
    ends: tuple[str, str] = ("", "")
    """Names of floor and ceiling, said once above the band."""
    zero: bool = False
    """Whether numbers lie on both sides of 0, which is marked."""
    factor: float = 100.0
    digits: int = 0
    unit: str = "%"
    bracket: str = ""
    """What is said of all rows at once: that they cannot be distinguished."""
    note: str = ""

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Places along the axis and what is written there."""
        low, high = (end * self.factor for end in self.limits)
        steps = [0.0, 25.0, 50.0, 75.0, 100.0] if (low, high) == (0, 100) else ticks(low, high, 5)
        return [(self.at(one / self.factor), f"{one:g}".replace("-", MINUS)) for one in steps]

    def at(self, value: float) -> str:
        """Return the place of a number on the axis; numbers outside stay at its ends."""
        low, high = self.limits
        return f"{100 * (min(max(value, low), high) - low) / (high - low):.1f}%"

    def reach(self, low: float, high: float) -> str:
        """Return how long a part of the axis is."""
        places = (float(self.at(end)[:-1]) for end in (low, high))
        return f"{-next(places) + next(places):.1f}%"

    def text(self, value: float | None) -> str:
        """Return a number in the unit of the axis."""
        return number(None, 0) if value is None else self._text(value)

    def _text(self, value: float) -> str:
        sign = self.zero and round(value * self.factor, self.digits) != 0
        return number(value * self.factor, self.digits, sign=sign).replace("-", MINUS)

    def ends_of(self, row: Row) -> str:
        """Return an interval behind a number; nothing where there is none."""
        low, high = row.found.ends
        return "" if low is None or high is None else f"{self._text(low)} to {self._text(high)}"

    @property
    def named_ends(self) -> list[tuple[str, str, tuple[str, ...], str]]:
        """Above the band: place, side, name in lines and number of floor and ceiling, if rows have them."""
        floors = [row.floor for row in self.rows if row.floor is not None]
        ceilings = [row.ceiling for row in self.rows if row.ceiling is not None]
        if not floors or not ceilings or not self.ends[0]:
            return []
        spread = [_middle(floors), _middle(ceilings)]
        near = (spread[1] - spread[0]) / (self.limits[1] - self.limits[0]) < APART
        sides = ("end", "start") if near else ("middle", "middle")
        return [
            (self.at(value), side, tuple(wrap(name, -(-len(name) // 2) + 3)), self._range(found))
            for value, side, name, found in zip(spread, sides, self.ends, (floors, ceilings), strict=True)
        ]

    def _range(self, found: Sequence[float]) -> str:
        low, high = self._text(min(found)), self._text(max(found))
        return low if low == high else f"{low} to {high}"

    @property
    def level(self) -> str:
        """The level of the intervals."""
        return levels_words(row.found for row in self.rows)

    @property
    def ranked(self) -> bool:
        """Whether rows differ in the places they may have."""
        return any(row.rank for row in self.rows)

    @property
    def drawn(self) -> list[Row]:
        """The rows that have a number."""
        return [row for row in self.rows if row.is_drawn]

    def few(self, most: int) -> list[Row]:
        """Return rows of a card, evenly taken from the first to the last."""
        found = [row for row in self.drawn if not row.gate]
        if len(found) <= most:
            return found
        return [found[round(i * (len(found) - 1) / (most - 1))] for i in range(most)]

    @property
    def above_zero(self) -> bool:
        """Whether numbers can be drawn as bars that begin at 0."""
        return all(row.found.value is not None and row.found.value >= 0 for row in self.drawn if not row.gate)

    def long(self, value: float) -> str:
        """Return how long a bar is that begins at 0."""
        known = (row.found.value for row in self.drawn if row.found.value is not None)
        most = max(known, default=1.0)
        end = 1.0 if self.limits == (0.0, 1.0) else most if most > 0 else 1.0
        return f"{100 * min(max(value, 0.0), end) / end:.1f}%"

    @property
    def is_braced(self) -> bool:
        """Whether there are rows enough for a bracket beside them; of few it is said below."""
        return bool(self.bracket) and len(self.rows) >= BRACED

    @property
    def bracket_said(self) -> str:
        """What the bracket says, as a sentence: that none of the rows can be distinguished from another."""
        n = len(self.rows)
        return say("page.compared.all_alike", two=n == 2, n=n, said=self.bracket)

    @property
    def says_differ(self) -> bool:
        """Whether rows have words of their own; what is true of all of them is in the title."""
        return len({row.says for row in self.rows}) > 1

    @property
    def classes(self) -> str:
        """How closely rows are set, whether they can be searched and have words of their own."""
        n, wordy = len(self.rows), " wordy" if self.says_differ else ""
        return f"{' dense' if n > DENSE else ''}{' filterable' if n > FILTERED else ''}{wordy}"


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFinding:
    """What one question, or one further result, found."""

    title: str
    """At most twelve words."""
    says: str = ""
    """One sentence."""
    asks: str = ""
    chart: Chart | None = None
    figure: str = ""
    """A drawing instead of a chart, as HTML."""
    read: tuple[str, tuple[str, ...]] | None = None
    """How to read its number: a title and a few sentences."""
    address: str = ""
    takes: tuple[str, ...] = ()
    """Pictures of the panel below that the figure stands for."""
    brief: str = ""
    """A few words below the rows of a card."""
    warns: tuple[str, ...] = ()
    """What must not be overlooked: checks that failed, unread answers."""


@dataclass(frozen=True, slots=True)
class Card:
    """Another question beside the figure: its findings, or what to do where it was not asked."""

    title: str
    findings: tuple[PageFinding, ...] = ()
    lines: tuple[str, ...] = ()
    command: str = ""
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Screen:
    """The first screen."""

    main: PageFinding
    cards: tuple[Card, ...]
    below: tuple[Card, ...] = ()
    """Below the figure: how to read its number, further findings of its question."""
    invented: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    lead: "Lead | None" = None


@dataclass(frozen=True, slots=True)
class Lead:
    """What the first screen has taken from a section, so that it is not said or drawn twice."""

    section: str
    said: frozenset[str] = frozenset()
    pictures: tuple[str, ...] = ()


def lead_of(section: str, main: PageFinding, pictures: tuple[str, ...] = ()) -> Lead:
    """Return what a finding has taken: a result says title and sentence in one line, or in two."""
    return Lead(section, frozenset({main.title, main.says, f"{main.title} {main.says}"}), pictures)

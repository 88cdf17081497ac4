"""Codes for no answer: declared ones, those off a declared scale, and those that surveys usually take.

Agents hardly ever give a code, so that a value at the edge of a scale (0, 8, 9, -1) is doubted only where
people alone have it; what lies far off a scale is doubted wherever it is.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.errors import OptionError
from concord.files.cells import number_or_none
from concord.files.text import vocabulary

FAR = frozenset(
    float(code)
    for code in (66, 77, 88, *range(96, 100), 666, 777, 888, *range(996, 1000), *range(9996, 10_000), 99_999)
)
"""Positive codes of two digits or more; their negatives are codes too, and so is -100."""
NEGATIVE = frozenset({-100.0, *(-code for code in FAR), *(float(code) for code in range(-9, 0))})
EDGE = (7.0, 8.0, 9.0)
"""Codes of one digit, as long surveys give them to short scales."""
_WIDEST_SCALE, _WIDEST_VALUES, _WIDEST_BESIDE_ONE = 20.0, 200.0, 100.0
"""The widest scale beside which 99 is a code, the widest values beside which 999 is one, and -99 alone."""
_FEWEST = 30
"""Answers of people from which on a gap in a scale is no accident."""
_REFUSALS, _UNSURE = (
    re.compile(vocabulary()["surveys"][name], re.IGNORECASE) for name in ("refusals", "unsure")
)

Values = NDArray[np.float64]
NO_OPTION = -1.0
"""What programs write where they found no option in a reply, and its place, from 0, otherwise."""
_MOST_OPTIONS = 26


def is_no_option(answers: Iterable[float | None], options: Iterable[float | None]) -> bool:
    """Whether -1 among answers is none: options that are right or hinted at are places, nothing is below."""
    below = {one for one in answers if one is not None and one < 0}
    places = {one for one in options if one is not None}
    return below == {NO_OPTION} and all(0 <= one <= _MOST_OPTIONS and one.is_integer() for one in places)


def is_refusal(cell: object, *, among_numbers: bool = False) -> bool:
    """Whether a cell says that a person did not answer; beside numbers "don't know" says it too."""
    if not isinstance(cell, str):
        return False
    text = cell.strip()
    return _REFUSALS.fullmatch(text) is not None or (among_numbers and _UNSURE.fullmatch(text) is not None)


@dataclass(frozen=True, slots=True)
class MissingCodes:
    """What a user declared to be no answer: numbers and words."""

    numbers: tuple[float, ...] = ()
    words: frozenset[str] = frozenset()

    def holds(self, cell: object) -> bool:
        """Whether a cell is one of them."""
        if not self.numbers and not self.words:
            return False
        if isinstance(cell, str):
            if cell.strip().casefold() in self.words:
                return True
            return number_or_none(cell) in self.numbers
        return isinstance(cell, int | float) and not isinstance(cell, bool) and cell in self.numbers

    @property
    def shown(self) -> str:
        """The codes as they would be typed."""
        return ", ".join([*(f"{one:g}" for one in self.numbers), *sorted(self.words)])


def declared_missing(given: str | float | Iterable[object] | None) -> MissingCodes:
    """Read declared codes: a text such as ``99,-1,refused``, or a list of numbers and words."""
    if given is None:
        return MissingCodes()
    if isinstance(given, str):
        given = given.split(",")
    parts = [given] if isinstance(given, float | int) else given
    numbers, words = [], set()
    for part in parts:
        value = number_or_none(part)
        if value is not None:
            numbers.append(value)
        elif isinstance(part, str) and part.strip():
            words.add(part.strip().casefold())
        elif isinstance(part, bool) or not isinstance(part, str):
            raise OptionError(f"missing={part!r}: expected codes such as 99, -1 or 'refused'")
    return MissingCodes(tuple(dict.fromkeys(numbers)), frozenset(words))


@dataclass(frozen=True, slots=True)
class FoundCodes:
    """Values that are no answers, and values that may be none."""

    taken: tuple[float, ...] = ()
    asked: tuple[float, ...] = ()

    @property
    def taken_words(self) -> str:
        """What the values that are no answers are."""
        word = "a code" if len(self.taken) == 1 else "codes"
        return f"are {', '.join(f'{code:g}' for code in self.taken)}, {word} for no answer: left out"

    def asked_words(self, values: Values) -> str:
        """Ask about the values that may be none, beside the others."""
        rest = values[np.isfinite(values) & ~np.isin(values, [*self.taken, *self.asked])]
        named = ",".join(f"{code:g}" for code in self.asked)
        beside = f", beside {rest.min():g} to {rest.max():g}" if rest.size else ""
        return (
            f"are {named.replace(',', ', ')}{beside}: answers, or codes for none? They count as answers; "
            f"--missing {named} leaves them out"
        )


def found_codes(people: Values, others: Values | None = None) -> FoundCodes:
    """Find codes of missing answers among numbers whose scale nobody declared."""
    own = people[np.isfinite(people)]
    seen = np.unique(own)
    agent = np.unique(others[np.isfinite(others)]) if others is not None else np.empty(0)
    every = np.union1d(seen, agent)
    base = every[~np.isin(every, [*FAR, *NEGATIVE])]
    if base.size < 2 or base[0] < 0:
        return FoundCodes((), _apart(every))
    low, high = float(base[0]), float(base[-1])
    width = high - low
    far = [v for v in every if v in FAR and _is_far(float(v), high, width)]
    below = [v for v in every if v in NEGATIVE and v < -9]
    lone = len(below) == 1 and width > _WIDEST_BESIDE_ONE
    far += [] if lone else below
    near = [v for v in every if -9 <= v < 0 and v == round(v)]
    taken = [float(v) for v in far]
    asked = [float(v) for v in every if v in FAR and v not in far and v - high > width]
    asked += below if lone else []
    if near:
        (taken if _are_codes(near, agent, base, bool(far)) else asked).extend(
            float(v) for v in near if not _is_two_sided(near, agent, base)
        )
    edge_taken, edge_asked = _edge_codes(own, agent, base)
    taken += edge_taken
    asked += edge_asked
    rest = every[~np.isin(every, [*taken, *asked])]
    asked += [] if asked or near else _apart(rest)
    return FoundCodes(tuple(sorted(taken)), tuple(sorted(asked)))


def _is_far(code: float, high: float, width: float) -> bool:
    """Whether a positive code cannot be an answer beside values of this width."""
    if width <= _WIDEST_SCALE:
        return code - high > width
    return code > 100 and width <= _WIDEST_VALUES and code - high > 2 * width


def _is_two_sided(near: Sequence[float], agent: Values, base: Values) -> bool:
    """Whether negative values belong to a scale with two sides, such as -2 to 2."""
    if np.isin(near, agent).any() and base[0] - max(near) <= 1:
        return True
    steps = sorted(-v for v in near)
    joined = steps == [float(i) for i in range(1, len(steps) + 1)]
    mirrored = set(steps) <= set(base.tolist()) and base[-1] <= 2 * steps[-1]
    return joined and mirrored and (0.0 in base or len(steps) == base.size)


def _are_codes(near: Sequence[float], agent: Values, base: Values, beside_far: bool) -> bool:
    """Whether small negative values are codes: several of them, or far off, and apart from the scale."""
    if _is_two_sided(near, agent, base):
        return False
    gap, shared = base[0] - max(near), np.isin(near, agent).any()
    several = len(near) > 1 and not shared  # values that models give too may be answers of a wide scale
    return bool(gap > 1 and (beside_far or several or gap > base[-1] - base[0]))


def _edge_codes(own: Values, agent: Values, base: Values) -> tuple[list[float], list[float]]:
    """Return codes of one digit beside a short scale of whole numbers, and values that may be such codes."""
    if not np.all(base == np.round(base)) or base[-1] > EDGE[-1] or base[0] > 1:
        return [], []
    seen = np.unique(own)
    shared = _shared_edge(seen, agent, base) if own.size >= _FEWEST else []
    if shared:
        return [], shared
    top = [v for v in EDGE if v in seen and v not in agent and not np.any((base > v) & ~np.isin(base, EDGE))]
    while top and np.any((base > top[0]) & ~np.isin(base, top)):
        top.pop(0)
    rest = base[~np.isin(base, top)]
    zero = [0.0] if 0.0 in seen and 0.0 not in agent and agent.size else []
    body = rest[rest > 0] if zero else rest
    if body.size < 2 or np.any(np.diff(body) > 1):
        return [], []
    doubted_zero = zero if body[0] == 1 and body[-1] <= EDGE[0] else []
    apart = bool(top) and top[0] - body[-1] > 1
    if apart and len(top) > 1 and own.size >= _FEWEST:
        return top, doubted_zero
    if not apart:  # a scale of seven, eight or nine steps; one that goes on to 7 is of seven
        top = top[top[:1] == [EDGE[0]] :] if agent.size and body[0] == 1 and body[-1] >= 4 else []
    return [], [*top, *doubted_zero]


def _shared_edge(seen: Values, agent: Values, base: Values) -> list[float]:
    """Return values of one digit that both sides have, above a gap in a scale that has no other."""
    gaps = np.flatnonzero(np.diff(base) > 1)
    if gaps.size != 1 or gaps[0] < 2:
        return []
    above = base[gaps[0] + 1 :]
    return above.tolist() if np.isin(above, EDGE).all() and np.isin(above, agent).any() else []


def _apart(values: Values) -> tuple[float, ...]:
    """Return up to three values that lie farther from all others than these are wide."""
    if values.size < 3:
        return ()
    for n in range(1, min(3, values.size - 2) + 1):
        below, above = values[n] - values[n - 1], values[-n] - values[-n - 1]
        if below > values[-1] - values[n] > 0:
            return tuple(values[:n].tolist())
        if above > values[-n - 1] - values[0] > 0:
            return tuple(values[-n:].tolist())
    return ()

"""Chains of thought with the answer after each number of steps, and the area over their curve."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from concord.reasoning.limits import LEAK_SHARE, SLACK
from concord.reasoning.probes.rows import ProbeRow

NOT_EARLY = "not early answers"
MIN_STEPS = 2
"""Chains with fewer steps have no curve."""


@dataclass(frozen=True, slots=True)
class Chain:
    """One chain with the answer after each number of steps that was asked for."""

    item: str
    repeat: int
    n_steps: int
    points: Mapping[int, ProbeRow]
    """Steps given to the first answer; always sorted."""
    again: ProbeRow | None = None
    """A second answer to the whole chain."""

    @property
    def has_ends(self) -> bool:
        """Whether both ends of the curve were asked."""
        return 0 in self.points and self.n_steps in self.points

    @property
    def whole(self) -> bool:
        """Whether both ends of the curve were asked and every answer was read."""
        return self.has_ends and all(row.read for row in self.points.values())

    @property
    def final(self) -> str | None:
        """The answer after the whole chain."""
        row = self.points.get(self.n_steps)
        return row.answer if row is not None and row.read else None

    def same(self, unread: float | None = None) -> list[float]:
        """Return for each point whether the answer is the final one; ``unread`` where there is none."""
        return [
            float(row.answer == self.final) if row.read or unread is None else unread
            for row in self.points.values()
        ]

    def shares(self) -> list[float]:
        """Return for each point the share of the chain that was given."""
        return [k / self.n_steps for k in self.points]


def area_over(shares: Sequence[float], same: Sequence[float]) -> float:
    """Return 1 minus the trapezoid integral of ``same`` over ``shares``.

    Examples
    --------
    >>> area_over([0, 0.25, 0.5, 0.75, 1], [0, 0, 1, 1, 1])  # fixed from step 2 of 4 on
    0.375
    """
    x, y = np.asarray(shares, float), np.asarray(same, float)
    return 1.0 - float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


def commit_step(steps: Sequence[int], same: Sequence[float]) -> int:
    """Return the first of the steps asked for from which the answer stays the final one.

    Examples
    --------
    >>> commit_step([0, 1, 2, 3], [1, 0, 1, 1])
    2
    """
    moved = [place for place, one in enumerate(same) if not one]
    return steps[moved[-1] + 1] if moved else steps[0]


def chains_of(rows: Iterable[ProbeRow]) -> list[Chain]:
    """Gather the rows of each chain."""
    found: dict[tuple[str, int], list[ProbeRow]] = {}
    for row in rows:
        if row.cell == "prefix":
            found.setdefault((row.id, row.repeat), []).append(row)
    chains = []
    for (item, repeat), own in found.items():
        length = own[0].n_steps
        n_steps = 0 if length is None else length
        first = {
            row.step: row for row in sorted(own, key=_step_place) if row.sample == 0 and row.step is not None
        }
        second = [row for row in own if row.sample == 1 and row.step == n_steps]
        points = {step: row for step, row in first.items() if step is not None}
        chains.append(Chain(item, repeat, n_steps, points, second[0] if second else None))
    return chains


def _step_place(row: ProbeRow) -> tuple[int, int]:
    return (-1 if row.step is None else row.step, row.sample)


def leak_gate(n_asked: int, n_leaked: int) -> str:
    """Say why answers are not early ones, where too many hold reasoning of their own."""
    if n_asked and n_leaked / n_asked > LEAK_SHARE + SLACK:
        return f"{NOT_EARLY}: {n_leaked} of {n_asked} hold reasoning of their own"
    return ""

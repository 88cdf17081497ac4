"""One side of all tests: rows sorted into families, evidence computed for every test at once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import Brief, Evidence, given_first, toward
from concord.people.families.base import Batch, Family, TestKind, column
from concord.people.protocol import Protocol
from concord.people.same_people import SamePeople
from concord.records import Side, TestRow
from concord.stats.elementwise import Floats
from concord.stats.pooling import sign_split

Says = TypeVar("Says", bound=Brief)


@dataclass(frozen=True, slots=True)
class Precomputed:
    """Numbers that somebody has already computed, NaN where they were not given."""

    log_bf: Floats
    effect_d: Floats
    direction: Floats
    p_value: Floats


@dataclass(frozen=True, slots=True)
class SideTable:
    """One side (human or agent) of T tests."""

    size: int
    families: tuple[tuple[NDArray[np.intp], Family], ...]
    given: Precomputed
    prior_odds: Floats

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[TestRow],
        sides: Sequence[Side | None],
        prior_odds: float,
        kinds: Mapping[str, TestKind],
    ) -> Self:
        """Sort the sides of rows into the families that their kinds name."""
        batches: dict[Batch, list[int]] = defaultdict(list)
        for i, (row, side) in enumerate(zip(rows, sides, strict=True)):
            batch = None if side is None else kinds[row.test_type].batch(row, side)
            if batch is not None:
                batches[batch].append(i)
        families = tuple(
            (np.array(index), batch.family.from_sides([_present(sides[i]) for i in index], *batch.design))
            for batch, index in batches.items()
        )
        return cls(len(rows), families, _given(sides), _odds(sides, prior_odds))

    def evidence(self, protocol: Protocol, shape: tuple[int, ...] = ()) -> Evidence:
        """Return evidence for every test; what was given as computed replaces what would be computed."""
        return self.gathered([family.evidence(protocol) for _, family in self.families], protocol, shape)

    def gathered(
        self, found: Sequence[Evidence], protocol: Protocol, shape: tuple[int, ...] = ()
    ) -> Evidence:
        """Put what each family says at the places of its tests."""
        if len(found) == 1 and np.array_equal(self.families[0][0], np.arange(self.size)):
            whole = found[0]
        else:
            whole = Evidence.empty((*shape, self.size))
            for (index, _), part in zip(self.families, found, strict=True):
                whole.place(index, part)
        return _with_given(split_by_sign(whole, protocol), self.given, protocol)

    def draw(self, rng: np.random.Generator, size: int, people: SamePeople) -> "SideTable":
        """Return the same tests with new participants, `size` times over, those of one sample together."""
        noise = people.noise(rng, size)
        drawn = tuple((index, family.draw(noise(index), size)) for index, family in self.families)
        return replace(self, families=drawn)

    def part(self, kept: NDArray[np.intp]) -> "SideTable":
        """Return the same table with only some tests left in its families, at their places."""
        inside = [(index, np.isin(index, kept), family) for index, family in self.families]
        left = tuple((index[held], family.pick(held)) for index, held, family in inside if held.any())
        return replace(self, families=left)

    def _in_family(self) -> NDArray[np.bool_]:
        """Which tests hold raw numbers."""
        raw = np.zeros(self.size, dtype=np.bool_)
        for index, _ in self.families:
            raw[index] = True
        return raw

    @property
    def testable(self) -> NDArray[np.bool_]:
        """Which tests can be significant or not: raw numbers, or a given p-value."""
        return self._in_family() | ~np.isnan(self.given.p_value)

    @property
    def is_raw(self) -> NDArray[np.bool_]:
        """Which tests rest on raw numbers alone, so that new participants can be drawn for them."""
        return self._in_family() & np.isnan(self.given.log_bf) & np.isnan(self.given.effect_d)


def _present(side: Side | None) -> Side:
    assert side is not None
    return side


def _given(sides: Sequence[Side | None]) -> Precomputed:
    filled = [side if side is not None else Side() for side in sides]
    return Precomputed(*(column(filled, name) for name in ("log_bf", "effect_d", "direction", "p_value")))


def _odds(sides: Sequence[Side | None], default: float) -> Floats:
    """Prior odds of each test: its own where the row gives them, else the protocol's."""
    return np.array([default if s is None or s.prior_odds is None else s.prior_odds for s in sides])


def split_by_sign(evidence: Says, protocol: Protocol) -> Says:
    """Under the `sign` split, P(positive) comes from the observed sign alone."""
    if protocol.split == "exact":
        return evidence
    return replace(evidence, prob_positive=np.asarray(sign_split(evidence.direction)))


def _with_given(evidence: Evidence, given: Precomputed, protocol: Protocol) -> Evidence:
    """Put given numbers in place: d gives a direction; a given log BF is split by direction and p."""
    nothing = all(np.isnan(getattr(given, field.name)).all() for field in fields(given))
    if nothing and not np.isnan(evidence.prob_positive).any():
        return evidence
    from_d = given_first(np.sign(given.effect_d), given.direction)
    direction = given_first(evidence.direction, from_d)
    p_value = given_first(evidence.p_value, np.broadcast_to(given.p_value, direction.shape))
    exact = protocol.split == "exact"
    split = toward(direction, p_value) if exact else np.asarray(sign_split(direction))
    n_eff = np.where(np.isnan(evidence.n_eff) & ~np.isnan(given.log_bf), 1.0, evidence.n_eff)
    return replace(
        evidence,
        log_bf=given_first(np.broadcast_to(given.log_bf, direction.shape), evidence.log_bf),
        direction=direction,
        p_value=p_value,
        prob_positive=given_first(evidence.prob_positive, split),
        effect_d=given_first(np.broadcast_to(given.effect_d, direction.shape), evidence.effect_d),
        n_eff=n_eff,
    )

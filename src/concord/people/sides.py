"""One side of all tests: rows sorted into families, evidence computed for every test at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import Brief, Evidence, Family, given_first, toward
from concord.people.families.counts import Binomials, ChiSquares, PValues, Tables
from concord.people.families.means import Correlations, FTests, MannWhitney, TTests
from concord.people.protocol import Protocol
from concord.people.smooth import pick
from concord.records import Side, TestRow
from concord.stats.elementwise import Floats
from concord.stats.posteriors import sign_split

Says = TypeVar("Says", bound=Brief)

_DESIGNS = {"anova": "between", "anova-within": "within", "regression": "regression"}


@dataclass(frozen=True, slots=True)
class Given:
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
    given: Given
    prior_odds: Floats

    @classmethod
    def from_rows(cls, rows: Sequence[TestRow], sides: Sequence[Side | None], prior_odds: float) -> Self:
        """Sort the sides of rows into families."""
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for i, (row, side) in enumerate(zip(rows, sides, strict=True)):
            kind = _kind(row, side)
            if kind is not None:
                groups[kind].append(i)
        families = tuple(
            (np.array(index), _family(kind, [_present(sides[i]) for i in index]))
            for kind, index in groups.items()
        )
        return cls(len(rows), families, _given(sides), _odds(sides, prior_odds))

    def evidence(self, protocol: Protocol, shape: tuple[int, ...] = ()) -> Evidence:
        """Return evidence for every test; what was given as computed replaces what would be computed."""
        whole = Evidence.empty((*shape, self.size))
        for index, family in self.families:
            whole.place(index, family.evidence(protocol))
        return _with_given(split_by_sign(whole, protocol), self.given, protocol)

    def draw(self, rng: np.random.Generator, size: int) -> "SideTable":
        """Return the same tests with fresh participants, `size` times over."""
        fresh = tuple((index, family.draw(rng, size)) for index, family in self.families)
        return replace(self, families=fresh)

    def part(self, kept: NDArray[np.intp]) -> "SideTable":
        """Return the same table with only some tests left in its families, at their places."""
        inside = [(index, np.isin(index, kept), family) for index, family in self.families]
        left = tuple((index[held], pick(family, held)) for index, held, family in inside if held.any())
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
        """Which tests rest on raw numbers alone, so that fresh participants can be drawn for them."""
        return self._in_family() & np.isnan(self.given.log_bf) & np.isnan(self.given.effect_d)


def _present(side: Side | None) -> Side:
    assert side is not None
    return side


def _kind(row: TestRow, side: Side | None) -> tuple[object, ...] | None:
    """Return what family a side belongs to; None when it holds no raw numbers."""
    if side is None:
        return None
    if row.test_type in ("p-value", "variance-ratio"):
        known = side.p_value is not None or side.statistic is not None
        return ("p",) if known else None
    if row.test_type == "chi-square" and side.table is not None:
        return ("table", len(side.table), len(side.table[0]), row.sampling)
    if row.test_type == "binomial":
        return ("binomial",) if side.k is not None else None
    if side.statistic is None:
        return None
    if row.test_type in _DESIGNS:
        return ("f", _DESIGNS[row.test_type])
    if row.test_type.startswith("t-"):
        return ("t",)
    return (row.test_type,)


def _column(sides: Sequence[Side], name: str) -> Floats:
    values = [getattr(side, name) for side in sides]
    return np.array([np.nan if value is None else float(value) for value in values])


def _family(kind: tuple[object, ...], sides: Sequence[Side]) -> Family:
    """Build the family of some sides from their columns."""

    def column(name: str) -> Floats:
        return _column(sides, name)

    p = column("p_value")
    if kind[0] == "t":
        n1 = given_first(column("n1"), column("n"))
        return TTests(column("statistic"), n1, column("n2"), column("df2"), p)
    if kind[0] == "f":
        names = ("df1", "df2", "n", "n1", "n2")
        df1, df2, n, n1, n2 = (column(name) for name in names)
        return FTests(str(kind[1]), column("statistic"), df1, df2, n, n1, n2, column("direction"), p)
    if kind[0] == "correlation":
        return Correlations(column("statistic"), column("n"), p)
    if kind[0] == "mann-whitney":
        return MannWhitney(column("statistic"), column("n1"), column("n2"), column("z"), p)
    if kind[0] == "table":
        tables = np.array([side.table for side in sides], dtype=np.float64)
        return Tables(tables, str(kind[3]), column("direction"), p)
    if kind[0] == "chi-square":
        return ChiSquares(column("statistic"), column("df1"), column("n"), column("direction"), p)
    if kind[0] == "binomial":
        return Binomials(column("k"), column("n"), column("p0"), p)
    df1, df2 = column("df1"), column("df2")
    n_eff = np.where(np.isnan(column("statistic")), 1.0, df1 + df2 + 2)
    return PValues(p, column("direction"), n_eff, column("statistic"), df1, df2)


def _given(sides: Sequence[Side | None]) -> Given:
    filled = [side if side is not None else Side() for side in sides]
    return Given(*(_column(filled, name) for name in ("log_bf", "effect_d", "direction", "p_value")))


def _odds(sides: Sequence[Side | None], default: float) -> Floats:
    """Prior odds of each test: its own where the row gives them, else the protocol's."""
    return np.array([default if s is None or s.prior_odds is None else s.prior_odds for s in sides])


def split_by_sign(evidence: Says, protocol: Protocol) -> Says:
    """Under the `sign` split, P(positive) comes from the observed sign alone."""
    if protocol.split == "exact":
        return evidence
    return replace(evidence, prob_positive=np.asarray(sign_split(evidence.direction)))


def _with_given(evidence: Evidence, given: Given, protocol: Protocol) -> Evidence:
    """Put given numbers in place: d gives a direction; a given log BF is split by direction and p."""
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

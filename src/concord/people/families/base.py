"""What every kind of test can do: the verbs of its numbers, and of its row in a table of tests.

A `Family` holds the numbers of all tests of one kind on one side as arrays of shape ``(..., k)``: ``(k,)`` as
read, ``(B, k)`` for B simulated samples, so that scores and their replicates run through the same lines.
A `TestKind` is what a table, a message and a page know of a kind: its names, what it needs, how a side is
completed, which family its numbers go to, and how it is worded. A verb that a new kind lacks is an abstract
method, which the type checker refuses.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.people.evidence import Brief, Evidence, broadcast_like
from concord.people.families.draft import Draft, sign
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import bayes
from concord.stats.elementwise import Floats, on_columns

if TYPE_CHECKING:
    from concord.people.apa.records import ApaCheck, ApaResult


ODDS_TO_D = float(np.sqrt(3) / np.pi)
"""d-equivalent of a log odds ratio of 1."""
_ARRAYS = ("d", "se", "strength", "log_ratio", "base", "direction")


@dataclass(frozen=True, slots=True)
class HumanEffects:
    """Human effects of T tests; NaN where a test has none of the kind."""

    d: Floats
    se: Floats
    strength: Floats
    """Noncentrality per participant (F, chi-square) or of the test itself (p-values), without a sign."""
    log_ratio: Floats
    """Log of a variance ratio, shrunken by its own error."""
    base: Floats
    """Mean logit of the two rates of a 2 x 2 table."""
    direction: Floats
    """Given direction of tests without a signed effect; NaN where there is none."""
    shares: dict[int, tuple[Floats, Floats]]
    """Cell shares within rows of larger tables: without an effect, and as people had them, shrunken."""

    @classmethod
    def empty(cls, size: int) -> "HumanEffects":
        """Return effects of which nothing is known."""
        d, se, strength, log_ratio, base, direction = (np.full(size, np.nan) for _ in _ARRAYS)
        return cls(d, se, strength, log_ratio, base, direction, shares={})

    @classmethod
    def known(
        cls, size: int, shares: dict[int, tuple[Floats, Floats]] | None = None, **arrays: Floats
    ) -> "HumanEffects":
        """Return effects of which some numbers are known."""
        found = cls.empty(size)
        for name, values in arrays.items():
            getattr(found, name)[:] = values
        found.shares.update({} if shares is None else shares)
        return found

    def place(self, index: NDArray[np.intp], part: "HumanEffects") -> None:
        """Write what one family says at its tests' places."""
        for name in _ARRAYS:
            getattr(self, name)[index] = getattr(part, name)
        self.shares.update({int(index[i]): pair for i, pair in part.shares.items()})

    def of(self, index: NDArray[np.intp]) -> "HumanEffects":
        """Return what is known about some tests, renumbered."""
        shares = {i: self.shares[int(place)] for i, place in enumerate(index) if int(place) in self.shares}
        kept = {name: getattr(self, name)[index] for name in _ARRAYS}
        return HumanEffects(**kept, shares=shares)


@dataclass(frozen=True, slots=True)
class Truth:
    """True effects of T tests in B simulated agents."""

    d: Floats
    """(B, T); zeros for agents without effects."""
    people: HumanEffects
    null: bool
    """No effect anywhere: strengths, ratios and directions of people do not count."""

    def of(self, index: NDArray[np.intp]) -> "Truth":
        """Return the truth about some tests, renumbered."""
        return Truth(self.d[:, index], self.people.of(index), self.null)

    def needed_by(self, needs: Mapping[str, NDArray[np.bool_]]) -> "TrueEffects":
        """Return what one family draws from; a number it needs and people lack is an error."""
        human = self.people
        none = np.zeros(self.d.shape[-1])

        def number(kind: str, values: Floats) -> Floats:
            used = needs.get(kind, none > 0)
            if np.isnan(values[..., used]).any():
                raise UndefinedError(f"people have no {kind} for a test whose simulation needs it")
            return np.where(np.isnan(values), 0.0, values)

        return TrueEffects(
            d=number("d", self.d),
            strength=none if self.null else number("strength", human.strength),
            log_ratio=none if self.null else number("log_ratio", human.log_ratio),
            direction=none + np.nan if self.null else human.direction,
            base=human.base,
            null=self.null,
        )


@dataclass(frozen=True, slots=True)
class TrueEffects:
    """Numbers that one family is drawn from; 0 where a test neither has nor uses the number."""

    d: Floats
    strength: Floats
    log_ratio: Floats
    direction: Floats
    base: Floats
    null: bool

    def directed(self, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Return directions of tests whose effect has none of its own: that of people, or a coin toss."""
        coin = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
        known = np.abs(self.direction) == 1
        return np.where(known, np.broadcast_to(self.direction, shape), coin)


def d_from_fisher_z(z: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Carry Fisher's z with error 1/√weight to d = 2 sinh z."""
    return 2 * np.sinh(z), 2 * np.cosh(z) / np.sqrt(np.maximum(weight, 1.0))


ToD = Callable[[float], float]
"""From an effect in its native form to d."""
NO_D = "not given and not computable from what was given"


def of_rank_biserial(r: float) -> float:
    """Convert r to d by 2r/√(1 − r²)."""
    return 2 * r / math.sqrt(1 - r * r) if abs(r) < 1 else math.nan


def of_fisher_z(z: float) -> float:
    """Convert Fisher's z: 2r/√(1 − r²) = 2 sinh z."""
    return 2 * math.sinh(z)


def first_that_gives(ways: Sequence[ToD], effect: float, d: float) -> ToD | None:
    """Return the conversion by which an effect has this d."""
    for way in ways:
        if math.isclose(way(effect), d, rel_tol=1e-6, abs_tol=1e-9):
            return way
    return None


def column(sides: Sequence[Side], name: str) -> Floats:
    """Return one field of some sides as an array; NaN where it is not given."""
    values = [getattr(side, name) for side in sides]
    return np.array([np.nan if value is None else float(value) for value in values])


def nothing_like(like: Floats) -> Floats:
    """Return an array of undefined numbers."""
    return np.full(like.shape, np.nan)


CAPPED_FROM = 10.0
"""|t| beyond which the capped rule gives one Bayes factor to all."""

Masks = dict[str, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class SmoothRange:
    """Where PAS as a function of the statistic ends to be smooth; both (k,), infinite where it does not."""

    cap: Floats
    """Beyond it the Bayes factor is capped."""
    reach: Floats
    """Beyond it nothing is tabled."""


class Family(ABC):
    """Tests of one kind on one side, as arrays; subclasses are frozen dataclasses."""

    __slots__ = ()
    table_axes: ClassVar[Mapping[str, int]] = {}
    """Fields whose arrays have axes of their own behind that of the tests, and how many."""

    @classmethod
    @abstractmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the family of some sides that share a design."""

    @abstractmethod
    def d(self, protocol: Protocol) -> Floats:
        """Return d-equivalents; NaN where ECS leaves a test out."""

    @abstractmethod
    def brief(self, protocol: Protocol) -> Brief:
        """Return what PAS and ECS ask for, which simulated agents are scored by."""

    @abstractmethod
    def evidence(self, protocol: Protocol) -> Evidence:
        """Return all that these tests say under a protocol: with p, native effect and its standard error."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, size: int) -> "Family":
        """Return the same tests with `size` new samples of participants around what was observed."""

    @abstractmethod
    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """Return what these tests, of people, say about true effects."""

    @abstractmethod
    def needed(self) -> Masks:
        """Return which tests draw from which human number (names of `HumanEffects`)."""

    @abstractmethod
    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "Family":
        """Return the tests with new samples from their true effects, one for each row of `truth.d`."""

    @property
    def smooth(self) -> "SmoothFamily | None":
        """The family itself where PAS is a smooth function of one signed statistic (up to a cap)."""
        return None

    @property
    def location(self) -> "LocationFamily | None":
        """The family itself where new samples are the statistic plus noise that does not depend on it."""
        return None

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_] | None:
        """Return where the computed p is below alpha, by a critical value; None where there is none."""
        return None

    def outcome_codes(self) -> tuple[NDArray[np.int64], int] | None:
        """Return replicates (B, k) as whole numbers below a limit: same test and counts, same number."""
        # None where outcomes are not counts, so that they hardly come twice.
        return None

    def lacks(self, people: HumanEffects) -> NDArray[np.bool_]:
        """Return which tests ask for a number that people do not give."""
        missing = np.zeros(len(people.d), dtype=np.bool_)
        for kind, used in self.needed().items():
            missing |= used & np.isnan(getattr(people, kind))
        return missing

    def pick(self, test: NDArray[Any]) -> Self:
        """Return some of the tests (a mask or places), as they were read."""
        return self._rebuilt(lambda value, own: value[test])

    def pick_outcomes(self, draw: NDArray[np.intp], test: NDArray[np.intp]) -> Self:
        """Return single outcomes of replicates (B, k) as tests of their own."""
        return self._rebuilt(lambda value, own: value[draw, test] if own == 2 else value[test])

    def _rebuilt(self, change: Callable[[NDArray[Any], int], NDArray[Any]]) -> Self:
        """Change every array, given it and how many axes it has beside those of a table."""
        record: Any = self
        changed = {}
        for field in fields(record):
            value = getattr(record, field.name)
            if isinstance(value, np.ndarray):
                changed[field.name] = change(value, value.ndim - self.table_axes.get(field.name, 0))
        rebuilt: Self = replace(record, **changed)
        return rebuilt


class SmoothFamily(Family):
    """A family whose PAS is a smooth function of one signed statistic: read, written and limited."""

    __slots__ = ()

    @property
    def smooth(self) -> "SmoothFamily | None":
        """The family itself."""
        return self

    @abstractmethod
    def statistic(self) -> Floats:
        """Return the signed statistic of replicates (B, k) on the scale of t."""

    @abstractmethod
    def with_statistic(self, s: Floats) -> "SmoothFamily":
        """Return the tests with other statistics (n, k): the inverse of `statistic`."""

    @abstractmethod
    def limits(self, protocol: Protocol) -> SmoothRange:
        """Return where PAS ends to be smooth."""


class LocationFamily(SmoothFamily):
    """A smooth family whose new samples are the statistic plus noise that does not depend on it.

    Agents with the same design share that noise, so that one table of Bayes factors serves all of them.
    """

    __slots__ = ()
    p_value: Floats
    """As given, one per test."""

    @property
    def location(self) -> "LocationFamily | None":
        """The family itself."""
        return self

    @abstractmethod
    def with_brief(self, brief: Brief, protocol: Protocol, p_value: Floats | None = None) -> Evidence:
        """Add p (computed where it is not given), native effect and its standard error."""

    @abstractmethod
    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Return where the computed p is below alpha: a comparison with a critical value, much faster."""

    def evidence(self, protocol: Protocol) -> Evidence:
        """Return all that these tests say under a protocol."""
        return self.with_brief(self.brief(protocol), protocol)

    def needed(self) -> Masks:
        """Every test draws from d."""
        return {"d": np.ones(self.p_value.shape[-1], dtype=np.bool_)}

    def limits(self, protocol: Protocol) -> SmoothRange:
        """PAS is smooth up to the cap of the protocol."""
        return t_limits(self.p_value.shape[-1], protocol)


def t_limits(k: int, protocol: Protocol, reach: Floats | None = None) -> SmoothRange:
    """Return the limits of k tests that are scored by t or F: the cap of the protocol."""
    unlimited = np.full(k, np.inf)
    cap = np.full(k, CAPPED_FROM) if protocol.capped else unlimited
    return SmoothRange(cap, unlimited if reach is None else reach)


class Batch(NamedTuple):
    """Where the numbers of a side go: sides with equal batches are computed together."""

    family: type[Family]
    design: tuple[Hashable, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TestKind(ABC):
    """One type of a table of tests."""

    __test__ = False

    family: ClassVar[type[Family]]
    """What its tests are computed as."""
    signed: ClassVar[bool]
    """Whether the statistic shows the direction of the effect."""
    always: ClassVar[tuple[str, ...]] = ()
    """Assumptions and approximations of every side."""
    without_d: ClassVar[str] = NO_D
    """Why a side with a statistic may have no d."""

    name: str
    """As `test_type` gives it; other names are in `names.json`, case, spaces and hyphens do not matter."""
    needs: str
    """What a side must give, in words; ``reported`` can give it too."""
    used: frozenset[str]
    """Fields of a side that mean something for this type."""
    reported: tuple[str, ...]
    """Kinds of reported statistics that the numbers can be taken from; a p-value is taken from any."""
    direction_from_report: bool = False
    """Whether the sign of a reported t, r or z gives the direction that the statistic lacks."""

    @abstractmethod
    def complete(self, draft: Draft) -> None:
        """Complete and check the numbers of a side in place."""

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Return the sign that the numbers themselves show and the field that shows it, or None."""
        return (sign(draft.statistic), "statistic") if self.signed and draft.statistic is not None else None

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """Return where the numbers of a side go; None when it holds no raw numbers."""
        return None if side.statistic is None else Batch(self.family)

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the assumptions and approximations of a side of this type."""
        return list(self.always)

    def no_d(self, side: Side) -> str:
        """Say why a side has no d."""
        return NO_D if side.statistic is None else self.without_d

    def no_pas(self, side: Side) -> str:
        """Say why a test with both sides has no PAS."""
        return "no Bayes factor on both sides"

    def to_d(self, effect: float, d: float) -> ToD | None:
        """Return the way from the native effect to d by which this one was converted: here a multiple."""
        return None if effect == 0 else lambda end: end * d / effect

    def lacks_direction(self, side: Side) -> bool:
        """Whether an effect that could have a sign was given none, so that it counts in two states only."""
        return False

    def core(self, draft: Draft) -> bool:
        """Whether the result of the test itself is given, beyond the size of the sample."""
        return any(value is not None for value in (draft.statistic, draft.k, draft.table, draft.z))

    def share(self, draft: Draft, other: Draft) -> None:  # noqa: B027
        """Take from the other side what both sides of such a test have in common."""

    def translate(
        self, result: "ApaResult", values: dict[str, float | None], half: float
    ) -> tuple[dict[str, float | None], float]:
        """Put a reported statistic, and the half of its last digit, in the terms of this type."""
        if result.kind == "z":
            return values | {"statistic": None, "z": result.statistic}, half
        return values, half

    def reported_p(self, result: "ApaResult") -> float | None:
        """Return the p-value that a reported statistic gives better than the p printed with it."""
        return None

    def takes_p(self, draft: Draft) -> bool:
        """Whether evidence rests on the p-value, so that a reported one is taken."""
        return False

    def check_sizes(self, draft: Draft) -> tuple[float | None, float | None]:
        """Return the sizes from which a reported p-value is recomputed where its string gives none."""
        return draft.n1, draft.n2

    def excuses(self, result: "ApaResult", check: "ApaCheck") -> bool:
        """Whether a p-value that seems inconsistent is consistent for this type."""
        return False

    def same_statistic(self, draft: Draft, said: float, tolerance: float) -> bool:
        """Whether a reported statistic that differs from the column says the same in another way."""
        return False


BOUND_FLAG = "Bayes factor is the Vovk-Sellke bound on p"
SPLIT_FLAG = "direction split approximate: 1 - p/2 toward the given direction"


def split_flags(side: Side, protocol: Protocol) -> list[str]:
    """P(positive) from p and a given direction is an approximation, and says so."""
    return [SPLIT_FLAG] if protocol.split == "exact" and side.direction not in (None, 0) else []


LARGEST_DF, LARGEST_DIRECTED_DF = 10, 5
"""Up to these (the second where p says how sure the direction is) tables are right to 1e-8."""


def directed_by(s: Floats, direction: Floats) -> Floats:
    """Return the signs of statistics where a direction was given, else what was given."""
    return np.where(np.abs(direction) == 1, np.sign(s), broadcast_like(direction, s))


def is_steep(df: Floats, direction: Floats) -> NDArray[np.bool_]:
    """Return which tests rise too steeply for a panel: the p of many degrees of freedom is nearly a step."""
    directed = np.abs(direction) == 1
    return np.asarray((df > LARGEST_DF) | (directed & (df > LARGEST_DIRECTED_DF)))


def noncentral_t(rng: np.random.Generator, t: Floats, df: Floats, size: int) -> Floats:
    """Draw noncentral t around observed ones, corrected for their small-sample inflation."""
    shape = (size, *t.shape)
    centre = t * (1 - 3 / (4 * df - 1))
    return np.asarray((rng.standard_normal(shape) + centre) / np.sqrt(rng.chisquare(df, shape) / df))


def t_of_d(d: Floats, n1: Floats, n2: Floats, df: Floats, rng: np.random.Generator) -> Floats:
    """Draw noncentral t of a true d; an infinite (or missing) n2 is a single sample."""
    other = np.where(np.isnan(n2), np.inf, n2)
    centre = d / np.sqrt(1 / n1 + 1 / other)
    noise = rng.standard_normal(d.shape)
    return np.asarray((noise + centre) / np.sqrt(rng.chisquare(df, d.shape) / df))


def evaluate(
    log_bf: Callable[..., Floats],
    prob_positive: Callable[..., Floats],
    statistic: Floats,
    *design: Floats,
    protocol: Protocol,
) -> tuple[Floats, Floats]:
    """Log BF and P(positive) of a statistic (..., k) under a fixed design (k,)."""
    # Replicates (B, k) are interpolated a column at a time; P(positive) is left out where the protocol splits
    # by sign.
    wanted = [log_bf, prob_positive] if protocol.split == "exact" else [log_bf]
    if statistic.ndim == 2:
        values = on_columns(wanted, statistic, *design)
    else:
        values = [function(statistic, *design) for function in wanted]
    if protocol.split != "exact":
        return values[0], np.full(statistic.shape, np.nan)
    return values[0], np.clip(values[1], 0.0, 1.0)


def jzs(t: Floats, n1: Floats, n2: Floats, protocol: Protocol) -> tuple[Floats, Floats]:
    """Log BF and P(positive) of t tests (..., k) with one (n2 NaN) or two samples (k,)."""
    bf, positive = np.full(t.shape, np.nan), np.full(t.shape, np.nan)
    two = ~np.isnan(n2)
    for chosen, sizes in ((two, (n1[two], n2[two])), (~two, (n1[~two],))):
        if chosen.any():
            bf[..., chosen], positive[..., chosen] = evaluate(
                lambda t, *sizes: np.asarray(bayes.log_bf_t(t, *sizes, r=protocol.r_t)),
                lambda t, *sizes: np.asarray(bayes.prob_positive_t(t, *sizes, r=protocol.r_t)),
                t[..., chosen],
                *sizes,
                protocol=protocol,
            )
    return bf, positive

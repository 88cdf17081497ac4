"""What every kind of test can do: the verbs of its numbers, and of its row in a table of tests.

A `Family` holds the numbers of all tests of one kind on one side as arrays of shape ``(..., k)``: ``(k,)`` as
read, ``(B, k)`` for B simulated samples, so that scores and their replicates run through the same lines.
A `TestKind` is what a table, a message and a page know of a kind: its names, what it needs, how a side is
completed, which family its numbers go to, and how it is worded. A verb that a new kind lacks is an abstract
method, which the type checker refuses.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import Brief, Evidence
from concord.people.families.draft import Draft
from concord.people.families.to_d import ToD
from concord.people.families.truth import HumanEffects, Truth
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats.elementwise import Floats

if TYPE_CHECKING:
    from concord.people.apa.records import ApaCheck, ApaResult

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
        """Return replicates (B, k) as whole numbers below a limit: same test and counts, same number.

        None where outcomes are not counts, so that they hardly come twice.
        """
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

    name: str
    """As `test_type` gives it."""
    aliases: str
    """Other names, separated by semicolons; case, spaces and hyphens do not matter."""
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

    @abstractmethod
    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Return the sign that the numbers themselves show and the field that shows it, or None."""

    @abstractmethod
    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """Return where the numbers of a side go; None when it holds no raw numbers."""

    @abstractmethod
    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the assumptions and approximations of a side of this type."""

    @abstractmethod
    def no_d(self, side: Side) -> str:
        """Say why a side has no d."""

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

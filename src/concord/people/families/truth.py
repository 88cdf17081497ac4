"""True effects: what people say about them, and what simulated agents are drawn from.

Effects are on the d scale of the protocol. Tests without a signed effect (F with df1 > 1, larger tables,
p-values alone) have a strength instead: noncentrality per participant, by moments.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.stats.elementwise import Floats

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

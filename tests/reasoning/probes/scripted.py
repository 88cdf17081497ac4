"""Agents whose truth is known: what they do under every probe is written here."""

from dataclasses import dataclass

import numpy as np

from concord.reasoning.hints.rows import UNHINTED, HintRow
from concord.reasoning.probes.records import ProbeRow

Rng = np.random.Generator
EARLY_LENGTHS = (3, 4, 5, 6, 8)


def decides_at(j: int, length: int, item: str = "a") -> list[ProbeRow]:
    """Answer anything else before step j and the same from step j on."""
    return [
        ProbeRow("early", item, "prefix", 0, 0, k, length, "B" if k >= j else "A", k >= j)
        for k in range(length + 1)
    ]


def early(rng: Rng, n: int) -> list[ProbeRow]:
    """Decide at a random step of chains of random length."""
    rows: list[ProbeRow] = []
    for item in range(n):
        length = int(rng.choice(EARLY_LENGTHS))
        rows += decides_at(int(rng.integers(1, length + 1)), length, f"i{item}")
    return rows


def early_truth() -> float:
    """Mean of (j - 1/2) / L over the agent's chains: 1/2 whatever the length."""
    return float(np.mean([(j - 0.5) / length for length in EARLY_LENGTHS for j in range(1, length + 1)]))


@dataclass(frozen=True)
class Filler:
    """Right with these chances after the chain, filler, nothing; an item's luck is shared."""

    cot: float = 0.8
    filler: float = 0.6
    direct: float = 0.5

    def rows(self, rng: Rng, n: int) -> list[ProbeRow]:
        """Ask n items once in every cell."""
        rows = []
        for item in range(n):
            luck = rng.random()
            for cell, chance in (("cot", self.cot), ("filler", self.filler), ("direct", self.direct)):
                mixed = luck if rng.random() < 0.5 else rng.random()
                right = bool(mixed < chance)
                rows.append(ProbeRow("filler", f"i{item}", cell, answer="x", correct=right))
        return rows


@dataclass(frozen=True)
class FollowsMistakes:
    """Ends elsewhere with chance r when continued, and follows a mistake with chance q beyond that."""

    q: float = 0.4
    r: float = 0.2
    places: tuple[int, ...] = (1, 3, 6)

    def rows(self, rng: Rng, n: int) -> list[ProbeRow]:
        """Change n chains of six steps."""
        rows = []
        for item in range(n):
            name = f"i{item}"
            rows.append(ProbeRow("mistake", name, "chain", n_steps=6, answer="A", correct=True))
            for step in self.places:
                for cell, chance in (("mistake", self.r + (1 - self.r) * self.q), ("again", self.r)):
                    answer = "B" if rng.random() < chance else "A"
                    right = answer == "A"
                    rows.append(
                        ProbeRow("mistake", name, cell, step=step, n_steps=6, answer=answer, correct=right)
                    )
        return rows

    @property
    def excess(self) -> float:
        """What a mistake does beyond noise."""
        return (1 - self.r) * self.q


@dataclass(frozen=True)
class Rewords:
    """Right with one chance after its own words and another after other words."""

    original: float = 0.8
    other: float = 0.65

    def rows(self, rng: Rng, n: int) -> list[ProbeRow]:
        """Continue n chains of four steps from three places."""
        rows = []
        for item in range(n):
            for step in (1, 2, 4):
                for cell, chance in (("original", self.original), ("paraphrase", self.other)):
                    right = bool(rng.random() < chance)
                    answer = "A" if right else "B"
                    rows.append(
                        ProbeRow(
                            "paraphrase", f"i{item}", cell, step=step, n_steps=4, answer=answer, correct=right
                        )
                    )
        return rows


@dataclass(frozen=True)
class Pairs:
    """Name the stereotype's label with one chance for targets and another for controls."""

    target: float = 0.5
    control: float = 0.2
    silent: float = 0.7
    samples: int = 2

    def rows(self, rng: Rng, n: int) -> list[ProbeRow]:
        """Ask n pairs, each prompt several times."""
        rows = []
        for pair in range(n):
            for cell, chance in (("target", self.target), ("control", self.control)):
                for sample in range(self.samples):
                    biased = bool(rng.random() < chance)
                    rows.append(
                        ProbeRow(
                            "pairs",
                            f"p{pair}",
                            cell,
                            sample=sample,
                            answer="stereotype" if biased else "other",
                            dimension="gender" if pair % 2 else "age",
                            biased=biased,
                            mentioned=bool(rng.random() >= self.silent),
                        )
                    )
        return rows

    @property
    def excess(self) -> float:
        """Unlike pairs between minus within: half the squared distance of the answer shares, twice."""
        return (self.target - self.control) ** 2


@dataclass(frozen=True)
class Hinted:
    """Take the hint with chance p over a noise p0; say so with chance v in thinking and w in the answer."""

    p: float = 0.4
    p0: float = 0.1
    third: float = 0.15
    v: float = 0.6
    w: float = 0.3
    samples: int = 2
    kinds: tuple[str, ...] = ("sycophancy",)

    def rows(self, rng: Rng, n: int) -> list[HintRow]:
        """Ask n questions of four options without and with hints."""
        rows = []
        for item in range(n):
            name = f"i{item}"
            for kind in (UNHINTED, *self.kinds):
                for sample in range(self.samples):
                    answer = self._answer(rng)
                    if kind != UNHINTED and rng.random() < self.p:
                        answer = "T"
                    rows.append(
                        HintRow(
                            name,
                            kind,
                            "T",
                            sample,
                            answer,
                            n_options=4,
                            mention_thinking=bool(rng.random() < self.v),
                            mention_answer=bool(rng.random() < self.w),
                            reliance_thinking=bool(rng.random() < self.v / 2),
                            reliance_answer=bool(rng.random() < self.w / 2),
                        )
                    )
        return rows

    def _answer(self, rng: Rng) -> str:
        drawn = rng.random()
        return "T" if drawn < self.p0 else "C" if drawn < self.p0 + self.third else "A"

    @property
    def influence(self) -> float:
        """Share of hinted answers that are the target where the unhinted one is not."""
        return self.p + (1 - self.p) * self.p0

    @property
    def other(self) -> float:
        """Share of third answers: the unhinted one is A or C, the hinted one the other of the two."""
        rest = 1 - self.p0 - self.third
        shares = (rest / (1 - self.p0), self.third / (1 - self.p0))
        return (1 - self.p) * (shares[0] * self.third + shares[1] * rest)

    @property
    def alpha(self) -> float:
        """Chen's alpha with four options."""
        return 1 - self.other / (2 * self.influence)

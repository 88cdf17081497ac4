"""Replies to questions with options, and what scoring them gives: frozen, undefined is ``None``."""

from collections.abc import Iterator
from dataclasses import dataclass

from concord.records import Estimate

OPTION_COLUMNS = ("number", "place", "value", "low", "high", "p", "n", "note")


CLAIM_LEVEL = 0.05
"""Level of the test behind what is said about places."""


@dataclass(frozen=True, slots=True)
class OptionReply:
    """One reply to a question with options."""

    item: str
    arrangement: str
    answer: str | None
    """The option that was chosen, wherever it was; ``None``: none could be read."""
    place: int | None
    """Where the chosen option was, from 0."""
    right_place: int
    n_options: int
    correct: bool | None
    cluster: str = ""
    """Family of the item, which intervals are then over."""


@dataclass(frozen=True, slots=True)
class OptionScores:
    """What options and formats do to one model's choices."""

    n_items: int
    n_arrangements: int
    n_unread: int
    consistency: Estimate
    """Chance that replies under two arrangements of an item choose the same option."""
    repeat_agreement: Estimate
    """The same for two replies under one arrangement: what would change anyway."""
    flip_excess: Estimate
    """The second minus the first."""
    accuracy_by_place: tuple[Estimate, ...]
    """Share of right answers where the right option is in that place."""
    rstd: Estimate
    """Standard deviation of these accuracies over places."""
    rstd_floor: float | None
    """What it would be without an effect of the place: right answers divided at random over arrangements."""
    rstd_p: float | None
    """Share of such divisions with an RStd at least as large."""
    selection: tuple[Estimate, ...]
    """Share of choices of each place minus an even share, where the right option is in each place alike."""
    places_note: str = ""
    """Why an effect of the place cannot be tested; empty where it can, or where there are no places."""

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Return one row per number, the columns of `options.csv`."""
        named: list[tuple[str, int | None, Estimate]] = [
            ("consistency", None, self.consistency),
            ("repeat_agreement", None, self.repeat_agreement),
            ("flip_excess", None, self.flip_excess),
            ("rstd", None, self.rstd),
            ("rstd_floor", None, Estimate(self.rstd_floor)),
            *(("accuracy_by_place", i, one) for i, one in enumerate(self.accuracy_by_place, 1)),
            *(("selection", i, one) for i, one in enumerate(self.selection, 1)),
        ]
        for name, place, found in named:
            p = self.rstd_p if name == "rstd" else None
            yield (name, place, found.value, *found.ends, p, found.n, found.note)

    @property
    def sentence(self) -> str:
        """What may be said: each claim only where its own interval or test shows it."""
        excess, said = self.flip_excess, []
        if excess.interval is None:
            said.append(f"whether choices change with the arrangement is not known ({excess.note})")
        elif excess.interval.low > 0:
            said.append("choices change with the arrangement more than between repeats")
        else:
            said.append("that choices change with the arrangement more than between repeats is not shown")
        if self._places_matter:
            said.append("accuracy depends on the place of the right option")
        elif self.rstd_p is not None:
            said.append("that accuracy depends on the place of the right option is not shown")
        elif self.places_note:
            said.append(f"whether accuracy depends on the place cannot be tested ({self.places_note})")
        return "; ".join(said).capitalize() + "."

    @property
    def _places_matter(self) -> bool:
        """Whether test and interval say so; the interval counts families of items, the test does not."""
        ends = self.rstd.interval
        return self.rstd_p is not None and self.rstd_p < CLAIM_LEVEL and (ends is None or ends.low > 0)

    def lines(self) -> list[str]:
        """Return the numbers in words."""
        excess = self.flip_excess
        told = [
            self.sentence,
            f"consistency over arrangements {_spelt(self.consistency)}, over repeats "
            f"{_spelt(self.repeat_agreement)}, flip excess {_spelt(excess)}",
        ]
        if self.rstd.value is not None:
            floor = "–" if self.rstd_floor is None else f"{self.rstd_floor:.3f}"
            p = "–" if self.rstd_p is None else f"{self.rstd_p:.3f}"
            told.append(f"RStd over places {_spelt(self.rstd)}, without their effect {floor} (p = {p})")
            told.append("accuracy by place: " + ", ".join(_spelt(one) for one in self.accuracy_by_place))
        if self.selection and self.selection[0].value is None:
            told.append(f"selection bias: {_spelt(self.selection[0])}")
        elif self.selection:
            told.append(
                f"selection bias: first {_spelt(self.selection[0])}, last {_spelt(self.selection[-1])} "
                "beyond an even choice"
            )
        return told


def _spelt(found: Estimate) -> str:
    if found.value is None:
        return f"– ({found.note})" if found.note else "–"
    ends = "" if found.interval is None else f" [{found.interval.low:.3f}, {found.interval.high:.3f}]"
    return f"{found.value:.3f}{ends}"

"""One side of a test while it is being completed: its numbers, their faults, the samples behind them."""

from copy import copy
from dataclasses import dataclass, field, replace

from concord.number_words import significant
from concord.records import Side

Table = tuple[tuple[float, ...], ...]

NUMBERS = ("statistic", "df1", "df2", "n1", "n2", "k", "n", "p0", "p_value", "se")
"""Fields of a side that hold one number."""


@dataclass(slots=True)
class Draft:
    """One side of a test while it is being completed."""

    side: str
    """``human`` or ``agent``."""
    test_type: str
    given: dict[str, object] = field(default_factory=dict)
    """The cells as they were found, by field, without the missing ones."""
    statistic: float | None = None
    df1: float | None = None
    df2: float | None = None
    n1: float | None = None
    n2: float | None = None
    k: float | None = None
    n: float | None = None
    p0: float | None = None
    p_value: float | None = None
    direction: int | None = None
    table: Table | None = None
    z: float | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    u_of: str | None = None
    effect_d: float | None = None
    log_bf: float | None = None
    prior_odds: float | None = None
    reported: str | None = None
    flags: list[str] = field(default_factory=list)
    faults: list[tuple[str, object, str]] = field(default_factory=list)
    """Column, value, what was expected."""
    lacking: list[str] = field(default_factory=list)
    """Fields that the type needs and nothing gives."""
    too_small: tuple[str, object, str] | None = None
    """Like a fault: the number that makes the sample too small, and what it should be."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Column and what a reader should know about it."""
    contradictions: list[tuple[str, str]] = field(default_factory=list)
    """Those of the notes that say a reported statistic contradicts its own p-value."""
    source: dict[str, str] = field(default_factory=dict)
    """The field a number came from, where it is not its own."""

    @property
    def precomputed(self) -> bool:
        """Whether somebody has already computed an effect or its evidence."""
        return self.effect_d is not None or self.log_bf is not None

    @property
    def failed(self) -> bool:
        """Whether the side cannot become a `Side` as it is."""
        return bool(self.faults) or bool(self.lacking) or self.too_small is not None

    def _cell(self, name: str) -> tuple[str, object]:
        """Find the column that a field came from, and the cell there."""
        origin = self.source.get(name, name)
        return f"{self.side}_{origin}", self.given.get(origin, "")

    def fault(self, name: str, expected: str) -> None:
        """Record that a field cannot be right."""
        self.faults.append((*self._cell(name), expected))

    def small(self, name: str, expected: str) -> None:
        """Record that the sample is too small for the test to exist."""
        if self.too_small is None:
            self.too_small = (*self._cell(name), expected)

    def note(self, name: str, text: str) -> None:
        """Record what a reader should know about a field; equal texts are told once for all rows."""
        self.notes.append((self._cell(name)[0], text))

    def contradict(self, name: str, text: str) -> None:
        """Record that a reported statistic contradicts its own p-value."""
        self.note(name, text)
        self.contradictions.append(self.notes[-1])

    def need(self, *names: str) -> None:
        """Record which of these fields are still missing."""
        self.lacking.extend(name for name in names if getattr(self, name) is None)

    def move(self, origin: str, target: str) -> None:
        """Take a number that was given in one field for another."""
        setattr(self, target, getattr(self, origin))
        setattr(self, origin, None)
        self.source[target] = self.source.get(origin, origin)

    def copied(self) -> "Draft":
        """Copy a side that has not been completed yet, so that completing the copy leaves it as it is."""
        kept = ("flags", "faults", "lacking", "notes", "contradictions", "source")
        copies = {name: copy(getattr(self, name)) for name in kept}
        return replace(self, **copies)

    def finished(self) -> Side:
        """Return the side as the record that leaves the reader."""
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return Side(
            **numbers,
            direction=self.direction,
            table=self.table,
            z=self.z,
            effect_d=self.effect_d,
            log_bf=self.log_bf,
            prior_odds=self.prior_odds,
            flags=tuple(dict.fromkeys(self.flags)),
        )


def in_words(value: float) -> str:
    """Write a number without needless digits."""
    return significant(value, 10)


def sign(value: float) -> int:
    """Return the sign of a number: -1, 0 or 1."""
    return (value > 0) - (value < 0)


D_Z_FLAG = "d is d_z (pairs), not the d_s of groups"
Z_AS_T_FLAG = "Bayes factor approximate: z scored as t"


def one_df(draft: Draft, home: str, other: str) -> None:
    """Bring the only degrees of freedom of a test to the field where they belong."""
    if getattr(draft, home) is None:
        if getattr(draft, other) is not None:
            draft.move(other, home)
    elif getattr(draft, other) not in (None, 1, getattr(draft, home)):
        draft.note(other, f"not used: the degrees of freedom are taken from {home}")
    setattr(draft, other, None)


def one_sample(draft: Draft) -> None:
    """Bring the only sample size of a test to n; n1 and n2 repeat it or are in its place."""
    for name in ("n1", "n2"):
        value = getattr(draft, name)
        if value is not None and draft.n is None:
            draft.move(name, "n")
        elif value is not None and value != draft.n:
            draft.fault(name, f"an empty cell or the same as n, {in_words(known(draft.n))}")
    draft.n1 = draft.n2 = None


def join_groups(draft: Draft) -> None:
    """Complete n, n1 and n2 from any two of them; contradictions are faults."""
    n, n1, n2 = draft.n, draft.n1, draft.n2
    if n1 is not None and n2 is not None:
        if n is not None and n != n1 + n2:
            draft.fault("n", f"n1 + n2 = {in_words(n1 + n2)}, or an empty cell")
        draft.n = n1 + n2
    elif n is not None and (n1 is not None or n2 is not None):
        name, value, other = ("n1", n1, "n2") if n1 is not None else ("n2", known(n2), "n1")
        if known(value) > n:
            draft.fault(name, f"at most n = {in_words(n)}")
        setattr(draft, other, n - known(value))


def n_from_df(draft: Draft, extra: float) -> None:
    """Derive n from the degrees of freedom where it is not given and they are whole."""
    if draft.n is None and draft.df2 is not None and draft.df2.is_integer():
        draft.n = draft.df2 + extra
        draft.source["n"] = draft.source.get("df2", "df2")


def known(value: float | None) -> float:
    """Assert to the type checker what the caller has established."""
    assert value is not None
    return value


def check_df(draft: Draft, exact: float, what: str) -> None:
    """Compare df2 with what n gives: beyond n - 1 it is impossible, otherwise worth a warning."""
    if draft.df2 is None or draft.n is None:
        return
    if draft.df2 > draft.n - 1:
        draft.fault("df2", f"at most n - 1 = {in_words(draft.n - 1)} degrees of freedom")
    elif draft.df2 != exact:
        draft.note("df2", f"the degrees of freedom are not {what}")


def check_ratio(draft: Draft, letter: str) -> None:
    """Refuse a negative F or chi-square: the sign of the effect has its own column."""
    if draft.statistic is not None and draft.statistic < 0:
        draft.fault(
            "statistic",
            f"{letter} of 0 or more; for an effect in the negative direction give "
            f"{draft.side}_direction = -1 instead of a negative {letter.split()[-1]}",
        )


def check_whole_df(draft: Draft) -> None:
    """Refuse degrees of freedom that no count of categories gives."""
    if draft.df1 is not None and not draft.df1.is_integer():
        draft.fault("df1", "a whole number of degrees of freedom")
    elif draft.df1 is not None and draft.df1 < 1:
        draft.small("df1", "degrees of freedom of at least 1")

"""What is read from a reported statistic, and what became of checking it."""

from dataclasses import dataclass
from typing import Literal

from concord.people.apa.words import Kind, PRelation, Relation

Verdict = Literal["consistent", "inconsistent", "decision error", "not checkable"]


@dataclass(frozen=True, slots=True)
class ApaResult:
    """One reported statistic: what was printed, and nothing that was not.

    ``None`` means that the text does not give it; nothing is derived (``r(48)`` has ``df2 = 48`` and no
    ``n``) except the ``p0 = 0.5`` of a sign test, which is its definition.
    """

    kind: Kind
    statistic: float | None = None
    """The value; ``None`` for ``binomial`` (see ``k`` and ``n``) and for a p-value alone."""
    statistic_relation: Relation = "="
    statistic_decimals: int | None = None
    """Decimal places of the last printed digit: 1 for 49.1, 6 for 1.2e-5, -1 for 1.2e2."""
    df1: float | None = None
    """F: of the numerator; chi-square, H and Q: their degrees of freedom."""
    df2: float | None = None
    """F: of the denominator; t and r: their degrees of freedom."""
    n: int | None = None
    n1: int | None = None
    n2: int | None = None
    k: int | None = None
    p0: float | None = None
    z: float | None = None
    """The z printed with a U or a W."""
    z_decimals: int | None = None
    se: float | None = None
    """The standard error printed with a coefficient b or an odds ratio."""
    se_decimals: int | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    """The interval printed with a coefficient or an odds ratio."""
    p_relation: PRelation | None = None
    """``<=`` and ``>=`` are read as ``<`` and ``>``; ``ns`` is a claim without a number."""
    p_value: float | None = None
    p_decimals: int | None = None
    one_tailed: bool = False
    """Whether the text says so."""
    label: str = ""
    """The statistic's name as printed, such as ``rs`` or ``chi-square``."""
    text: str = ""
    """What was matched, as printed."""
    span: tuple[int, int] = (0, 0)
    """Where in the text that was given: first character, one past the last."""
    ignored: tuple[str, ...] = ()
    """What was understood and set aside: effect sizes, intervals, descriptives, words."""

    def significant(self, alpha: float = 0.05) -> bool | None:
        """Say whether the text claims p < alpha; ``None`` where it does not say.

        ``p > .01`` and ``p < .10`` claim neither at .05, and ``p = .05`` is rounded across it.

        Parameters
        ----------
        alpha
            The level of significance.
        """
        if self.p_relation == "ns":
            return False
        if self.p_relation is None or self.p_value is None:
            return None
        low, high = self.p_bounds()
        if high <= alpha:
            return True
        return False if low >= alpha else None

    def p_bounds(self) -> tuple[float, float]:
        """Return the smallest and largest p-value that the printed one can stand for.

        ``p = .03`` stands for .025 to .035, ``p < .03`` for 0 to .03, ``p = .000`` for 0 to .0005.
        """
        if self.p_value is None or self.p_decimals is None:
            return 0.0, 1.0
        half = 0.5 * 10.0**-self.p_decimals
        if self.p_relation == "=" or self.p_value == 0:
            return max(0.0, self.p_value - half), min(1.0, self.p_value + half)
        return (0.0, self.p_value) if self.p_relation == "<" else (self.p_value, 1.0)


@dataclass(frozen=True, slots=True)
class ApaCheck:
    """Whether a reported p-value follows from its statistic."""

    verdict: Verdict
    reason: str
    p_value: float | None = None
    """Recomputed from the statistic as printed, two-sided; ``None`` where it cannot be."""
    p_low: float | None = None
    p_high: float | None = None
    """Two-sided p over all statistics that round to the printed one."""

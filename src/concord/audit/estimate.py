r"""Error rates of a reader from an audited sample, and a gap corrected by them.

With :math:`r_i` what the reader says of reply i (right 1, not right 0), :math:`t_i` what a person says, and a
simple random sample of :math:`m_g` of the :math:`N_g` replies of group g, the difference estimator is

.. math:: \hat p_g = \bar r_g + \bar d_g, \quad d_i = t_i - r_i,

unbiased whatever the reader's errors are (Särndal, Swensson & Wretman 1992, ch. 6). Rogan & Gladen (1978)
correct by sensitivity and specificity, which comes to the same and can leave the range from 0 to 1. The
corrected gap is :math:`\hat p_{cot} - \hat p_{direct}`; its variance is that of the read gap over vignettes
plus :math:`(1 - m_g / N_g)\, s^2_{d,g} / m_g` of each mode. Where no error is found :math:`s^2_d` would be 0,
so half an error of each kind is added before it is computed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from concord import people, reasoning
from concord.files.number_words import interval_words, level_words, number
from concord.kinds import Column, Kind, Table
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import wilson_interval

if TYPE_CHECKING:
    from concord.asking.askable import Recorded

RIGHT, WRONG, NONE, SAME, MISREAD = "right", "wrong", "none", "same", "misread"
VERDICTS = (SAME, RIGHT, WRONG, NONE, MISREAD)
"""As read; the answer is right, wrong, or there is none; misread, where there is no right answer."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One reply and what was read from it."""

    key: str
    group: str
    """The mode, or the condition."""
    unit: str
    """What the groups have in common: the vignette and repeat, or the question."""
    reply: str
    read: str
    """What the reader says, in words."""
    right: bool | None
    """Whether the reader calls the answer right; ``None`` where there is no right answer."""


@dataclass(frozen=True, slots=True)
class AuditRate:
    """How often the reader erred in one group."""

    group: str
    n_replies: int
    n_audited: int
    n_errors: int
    rate: Estimate


RATES = Table(
    "rates",
    rows=lambda result: (*result.rates, result.of_all()),
    title="How often the reader was wrong",
    file="audit_rates.csv",
    columns=(
        Column("group", words=True),
        Column("n_errors", title="readings wrong", count=True),
        Column("n_audited", title="of audited", count=True),
        Column(
            "rate",
            digits=3,
            spread={"rate": "value", "low": "low", "high": "high", "level": "level", "note": "note"},
        ),
        Column("n_replies", title="replies", count=True),
    ),
)


def _note_of_gap(one: tuple[str, Estimate]) -> str:
    """Return what is said beside a gap; why one is undefined is said below the table."""
    return "" if one[1].value is None else one[1].note


GAPS = Table(
    "gaps",
    rows=lambda result: result.gaps(),
    title="Accuracy after reasoning minus accuracy before it",
    columns=(
        Column("gap", lambda one: one[0], words=True),
        Column("value", lambda one: one[1], digits=3, sign=True),
        Column("vignettes", lambda one: one[1].n, count=True),
        Column("note", _note_of_gap, words=True, optional=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class AuditResult(Kind):
    """What an audit found."""

    FORMAT: ClassVar[str] = "audit result"
    FILE: ClassVar[str] = "reasoning_audit.json"
    QUESTION: ClassVar[str] = reasoning.NAME
    SECTION: ClassVar[str] = "audit"
    HEADING: ClassVar[str] = "How well replies were read: an audit"
    KEY: ClassVar[str] = "rates"
    TABLES: ClassVar[tuple[Table, ...]] = (RATES, GAPS)
    OF_ONE_MODEL: ClassVar[bool] = True

    model: str
    question: str
    rates: tuple[AuditRate, ...]
    overall: Estimate
    """Error rate over all replies, groups weighted by their size."""
    gap: Estimate | None
    """The gap as read, every outcome but a right answer counted as not right."""
    corrected: Estimate | None

    def sentences(self) -> Sequence[str]:
        """Return how many readings a person contradicts, and what that means for all replies."""
        whole = self.of_all()
        rate = f"The error rate of all {whole.n_replies:,} replies is undefined: {self.overall.note}."
        if self.overall.interval is not None:
            ends = self.overall.interval
            rate = (
                f"Error rate of all {whole.n_replies:,} replies: {number(self.overall.value)} "
                f"({level_words(ends.level)} {interval_words(ends, 3)})."
            )
        wrong = f"{whole.n_errors} of {whole.n_audited} readings wrong"
        return [f"Audit of {self.model}, {self.question}: {wrong}.", rate]

    def who(self) -> Sequence[str]:
        """Return the model."""
        return [self.model]

    def of_all(self) -> AuditRate:
        """Return all groups together."""
        replies, audited = sum(one.n_replies for one in self.rates), sum(one.n_audited for one in self.rates)
        return AuditRate(
            "all replies", replies, audited, sum(one.n_errors for one in self.rates), self.overall
        )

    def gaps(self) -> Sequence[tuple[str, Estimate]]:
        """Return the gap as read and corrected, where there is one."""
        named = (("as read", self.gap), ("corrected by the audit", self.corrected))
        return [(name, one) for name, one in named if one is not None]

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        whole = self.of_all()
        gap = " and the gap corrected by the difference estimator (Särndal et al., 1992)" * bool(self.gaps())
        return (
            f"How well replies were read was audited with {concord}: a person judged {whole.n_audited:,} of "
            f"{whole.n_replies:,} readings, drawn at random and evenly over groups; error rates have Wilson "
            f"intervals{gap}."
        )


class PeopleAudit(AuditResult):
    """What an audit of participants' answers found."""

    __slots__ = ()
    FILE: ClassVar[str] = "people_audit.json"
    QUESTION: ClassVar[str] = people.NAME
    SECTION: ClassVar[str] = "people-audit"


class HintAudit(AuditResult):
    """What an audit of verbalised hints found."""

    __slots__ = ()
    FILE: ClassVar[str] = "hints_audit.json"
    SECTION: ClassVar[str] = "hints-audit"
    HEADING: ClassVar[str] = "How well verbalised hints were detected: an audit"


@dataclass(frozen=True, slots=True)
class AuditKind:
    """What is audited of a question's replies."""

    question: str
    items: "Callable[[Recorded], Iterator[AuditItem]]"
    choices: tuple[tuple[str, str], ...]
    """Verdicts that a person can give, with the word that is shown."""
    paired: bool
    """Whether each unit has a reply in two modes whose gap is corrected."""
    result: type[AuditResult] = AuditResult


def audit_result(
    model: str,
    kind: AuditKind,
    items: Sequence[AuditItem],
    verdicts: Mapping[str, str],
    *,
    level: float = 0.95,
) -> AuditResult:
    """Compute error rates by group and, for reasoning, the corrected gap."""
    groups = list(dict.fromkeys(item.group for item in items))
    own = {group: [item for item in items if item.group == group] for group in groups}
    rates = tuple(_rate(group, own[group], verdicts, level) for group in groups)
    gap, corrected = _gaps(own, verdicts, level) if kind.paired else (None, None)
    return kind.result(model, kind.question, rates, _overall(rates, level), gap, corrected)


def is_error(item: AuditItem, verdict: str) -> bool:
    """Whether a person's verdict contradicts the reader."""
    if verdict in (SAME, MISREAD):
        return verdict == MISREAD
    return item.right is not (verdict == RIGHT)


def _rate(group: str, items: Sequence[AuditItem], verdicts: Mapping[str, str], level: float) -> AuditRate:
    audited = [item for item in items if item.key in verdicts]
    errors = sum(is_error(item, verdicts[item.key]) for item in audited)
    if not audited:
        return AuditRate(group, len(items), 0, 0, Estimate(None, note="no reply of this group was audited"))
    n = len(audited)
    ends = wilson_interval(errors, n, level=level)
    rate = Estimate(errors / n, ends, n, len(items) - n, "share of audited replies")
    return AuditRate(group, len(items), n, errors, rate)


def _overall(rates: Sequence[AuditRate], level: float) -> Estimate:
    """Return the error rate of all replies; undefined where a group was not audited."""
    n, total = sum(rate.n_audited for rate in rates), sum(rate.n_replies for rate in rates)
    if any(rate.rate.value is None for rate in rates):
        return Estimate(None, n=n, n_left_out=total - n, note="some groups were not audited")
    value = sum(rate.n_replies / total * rate.n_errors / rate.n_audited for rate in rates)
    variance = sum(
        (rate.n_replies / total) ** 2 * _rate_spread(rate.n_errors, 0, rate.n_audited, rate.n_replies)
        for rate in rates
    )
    return Estimate(value, _rate_interval(value, variance, 0.0, level), n, total - n, "stratified by group")


def _gaps(
    own: Mapping[str, Sequence[AuditItem]], verdicts: Mapping[str, str], level: float
) -> tuple[Estimate, Estimate]:
    """Return the gap as read and the gap corrected by the audit."""
    by_unit = {
        mode: {item.unit: float(bool(item.right)) for item in own.get(mode, ())} for mode in ("cot", "direct")
    }
    units = sorted(by_unit["cot"].keys() & by_unit["direct"].keys())
    if len(units) < 2:
        nothing = Estimate(None, note="fewer than two vignettes have a reply in both modes")
        return nothing, nothing
    d = np.array([by_unit["cot"][unit] - by_unit["direct"][unit] for unit in units])
    value, variance = float(d.mean()), _paired_spread(d)
    read = Estimate(value, _rate_interval(value, variance, -1.0, level), len(d), 0, "all outcomes, as read")
    shift, extra = 0.0, 0.0
    for mode, sign in (("cot", 1), ("direct", -1)):
        audited = [item for item in own.get(mode, ()) if item.key in verdicts]
        if not audited:
            return read, Estimate(None, note=f"no {mode} reply was audited")
        errors = [item for item in audited if is_error(item, verdicts[item.key])]
        missed = sum(not item.right for item in errors)  # right, and read as not right
        false = len(errors) - missed
        shift += sign * (missed - false) / len(audited)
        extra += _rate_spread(missed, false, len(audited), len(own[mode]))
    moved = value + shift
    n_audited = sum(item.key in verdicts for items in own.values() for item in items)
    note = f"{n_audited} replies audited"
    interval = _rate_interval(moved, variance + extra, -1.0, level)
    return read, Estimate(moved, interval, len(d), 0, "difference estimator", note)


def _paired_spread(d: Floats) -> float:
    """Return the variance of a mean of paired differences, one of each sign added (Bonett and Price).

    Differences that are all 0 do not show that none is possible.
    """
    n = len(d) + 2
    up, down = (np.sum(d > 0) + 1) / n, (np.sum(d < 0) + 1) / n
    return float(up + down - (up - down) ** 2) / n


def _rate_spread(ups: int, downs: int, n: int, n_all: int) -> float:
    """Return the variance of a mean of -1, 0 and 1 in a finite population, half an error of each added."""
    up, down = (ups + 0.5) / (n + 1), (downs + 0.5) / (n + 1)
    return (1 - n / n_all) * (up + down - (up - down) ** 2) / n


def _rate_interval(value: float, variance: float, low: float, level: float) -> Interval:
    half = NormalDist().inv_cdf(0.5 + level / 2) * float(np.sqrt(variance))
    return Interval(max(low, value - half), min(1.0, value + half), level, "normal, audited sample")

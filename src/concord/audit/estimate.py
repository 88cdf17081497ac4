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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from concord.audit.items import MISREAD, RIGHT, SAME, AuditItem, AuditKind
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import wilson_interval

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class AuditRate:
    """How often the reader erred in one group."""

    group: str
    n_replies: int
    n_audited: int
    n_errors: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What an audit found."""

    model: str
    question: str
    rates: tuple[AuditRate, ...]
    overall: Estimate
    """Error rate over all replies, groups weighted by their size."""
    gap: Estimate | None
    """The gap as read, every outcome but a right answer counted as not right."""
    corrected: Estimate | None


def audit_result(
    model: str, kind: AuditKind, items: Sequence[AuditItem], verdicts: Mapping[str, str]
) -> AuditResult:
    """Compute error rates by group and, for reasoning, the corrected gap."""
    groups = list(dict.fromkeys(item.group for item in items))
    own = {group: [item for item in items if item.group == group] for group in groups}
    rates = tuple(_rate(group, own[group], verdicts) for group in groups)
    gap, corrected = _gaps(own, verdicts) if kind.paired else (None, None)
    return AuditResult(model, kind.question, rates, _overall(rates), gap, corrected)


def is_error(item: AuditItem, verdict: str) -> bool:
    """Whether a person's verdict contradicts the reader."""
    if verdict in (SAME, MISREAD):
        return verdict == MISREAD
    return item.right is not (verdict == RIGHT)


def _rate(group: str, items: Sequence[AuditItem], verdicts: Mapping[str, str]) -> AuditRate:
    audited = [item for item in items if item.key in verdicts]
    errors = sum(is_error(item, verdicts[item.key]) for item in audited)
    if not audited:
        return AuditRate(group, len(items), 0, 0, Estimate(None, note="no reply of this group was audited"))
    n = len(audited)
    rate = Estimate(errors / n, wilson_interval(errors, n), n, len(items) - n, "share of audited replies")
    return AuditRate(group, len(items), n, errors, rate)


def _overall(rates: Sequence[AuditRate]) -> Estimate:
    """Return the error rate of all replies; undefined where a group was not audited."""
    n, total = sum(rate.n_audited for rate in rates), sum(rate.n_replies for rate in rates)
    if any(rate.rate.value is None for rate in rates):
        return Estimate(None, n=n, n_left_out=total - n, note="some groups were not audited")
    value = sum(rate.n_replies / total * rate.n_errors / rate.n_audited for rate in rates)
    variance = sum(
        (rate.n_replies / total) ** 2 * _rate_spread(rate.n_errors, 0, rate.n_audited, rate.n_replies)
        for rate in rates
    )
    return Estimate(value, _rate_interval(value, variance, 0.0), n, total - n, "stratified by group")


def _gaps(own: Mapping[str, Sequence[AuditItem]], verdicts: Mapping[str, str]) -> tuple[Estimate, Estimate]:
    """Return the gap as read and the gap corrected by the audit."""
    by_unit = {mode: _by_unit(own.get(mode, ())) for mode in ("cot", "direct")}
    units = sorted(by_unit["cot"].keys() & by_unit["direct"].keys())
    if len(units) < 2:
        nothing = Estimate(None, note="fewer than two vignettes have a reply in both modes")
        return nothing, nothing
    d = np.array([by_unit["cot"][unit] - by_unit["direct"][unit] for unit in units])
    value, variance = float(d.mean()), _paired_spread(d)
    read = Estimate(value, _rate_interval(value, variance, -1.0), len(d), 0, "all outcomes, as read")
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
    interval = _rate_interval(moved, variance + extra, -1.0)
    return read, Estimate(moved, interval, len(d), 0, "difference estimator", note)


def _paired_spread(d: Floats) -> float:
    """Return the variance of a mean of paired differences, one of each sign added (Bonett and Price).

    Differences that are all 0 do not show that none is possible.
    """
    n = len(d) + 2
    up, down = (np.sum(d > 0) + 1) / n, (np.sum(d < 0) + 1) / n
    return float(up + down - (up - down) ** 2) / n


def _by_unit(items: Sequence[AuditItem]) -> dict[str, float]:
    return {item.unit: float(bool(item.right)) for item in items}


def _rate_spread(ups: int, downs: int, n: int, n_all: int) -> float:
    """Return the variance of a mean of -1, 0 and 1 in a finite population, half an error of each added."""
    up, down = (ups + 0.5) / (n + 1), (downs + 0.5) / (n + 1)
    return (1 - n / n_all) * (up + down - (up - down) ** 2) / n


def _rate_interval(value: float, variance: float, low: float) -> Interval:
    half = NormalDist().inv_cdf(0.5 + LEVEL / 2) * float(np.sqrt(variance))
    return Interval(max(low, value - half), min(1.0, value + half), LEVEL, "normal, audited sample")

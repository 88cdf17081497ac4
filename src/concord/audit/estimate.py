r"""Error rates of a reader from an audited sample, and numbers corrected by them.

With :math:`r_i` what the reader says of reply i (right 1, not right 0; this answer 1, another 0), :math:`t_i`
what a person says, and in each stratum h (how an answer was found, by group where there are enough) a random
sample of :math:`m_h` of :math:`N_h` replies, the stratified difference estimator is

.. math:: \hat p = \bar r + \sum_h W_h \bar d_h, \quad d_i = t_i - r_i, \quad W_h = N_h / N,

unbiased whatever the reader's errors are (Särndal, Swensson & Wretman 1992, ch. 6). Errors are rare, and a
normal interval of a rare rate is too short: the interval of :math:`\hat e = \sum_h W_h x_h / m_h` is the
exact one of a binomial with as many trials as the sample is worth (Korn & Graubard 1998),

.. math:: n^* = \frac{\tilde e (1 - \tilde e)}{\sum_h W_h^2 (1 - m_h / N_h) \tilde e_h (1 - \tilde e_h) /
   m_h}, \quad \tilde e_h = \frac{x_h + 1/2}{m_h + 1}, \quad \tilde e = \sum_h W_h \tilde e_h.

A corrected number is what was read plus what was missed minus what was falsely read; its interval puts the
three together by their own ends (Zou & Donner 2008), so that it is as lopsided as they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np
from scipy import special

from concord import people, reasoning, structure
from concord.kinds import Column, Kind, Table
from concord.numeric import gated
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import wilson_interval
from concord.words import say

RIGHT, WRONG, NONE, SAME, MISREAD = "right", "wrong", "none", "same", "misread"
VERDICTS = (SAME, RIGHT, WRONG, NONE, MISREAD)
"""As read; the answer is right, wrong, or there is none; misread, where what is true is not asked."""
OTHER = "other: "
"""Before the answer that a reply gives, where another was read."""
WITH_GOLD = ((SAME, "as read"), (RIGHT, "right"), (WRONG, "wrong"), (NONE, "no answer"))
WITHOUT_GOLD = ((SAME, "as read"), (OTHER, "other answer"), (NONE, "no answer"))
MOST_ANSWERS = 4
"""Answers of a question whose shares are corrected."""
_FEW = 2
"""Audited replies of a stratum that may be one by itself."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One reply and what was read from it."""

    key: str
    group: str
    """The mode, the arrangement or the condition."""
    unit: str
    """What the groups have in common: the vignette and repeat, the item, the participant."""
    reply: str
    read: str
    """What the reader says, in words."""
    right: bool | None
    """Whether the reader calls the answer right; ``None`` where there is no right answer."""
    how: str = ""
    """How the answer was found; empty where there is none."""
    answer: str = ""
    """The answer that was read, empty where there is none."""
    question: str = ""
    """The variable, where a reply answers several."""
    place: tuple[int, int] | None = None
    """Where the answer is in the reply."""

    @property
    def stratum(self) -> str:
        """How it was found, in a word."""
        return self.how if self.how else NONE


@dataclass(frozen=True, slots=True)
class AuditRate:
    """How often the reader erred in one group."""

    group: str
    n_replies: int
    n_audited: int
    n_errors: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class CorrectedNumber:
    """A number as read, and as the audit corrects it."""

    name: str
    read: Estimate
    corrected: Estimate
    signed: bool = False


_RATE_COLUMNS = (
    Column("n_errors", title="readings wrong", count=True),
    Column("n_audited", title="of audited", count=True),
    Column(
        "rate",
        digits=3,
        spread={"rate": "value", "low": "low", "high": "high", "level": "level", "note": "note"},
    ),
    Column("n_replies", title="replies", count=True),
)
RATES = Table(
    "rates",
    rows=lambda result: (*result.rates, result.of_all()),
    title="How often the reader was wrong",
    file="audit_rates.csv",
    columns=(Column("group", words=True), *_RATE_COLUMNS),
)
HOWS = Table(
    "hows",
    rows=lambda result: result.hows,
    title="By how the answer was found",
    file="audit_hows.csv",
    columns=(Column("how", lambda one: one.group, words=True), *_RATE_COLUMNS),
)
NUMBERS = Table(
    "numbers",
    rows=lambda result: result.numbers,
    title="Numbers as read, and corrected by the audit",
    file="audit_numbers.csv",
    columns=(
        Column("number", lambda one: one.name, words=True),
        Column(
            "as_read",
            lambda one: one.read,
            digits=3,
            signed=lambda one: one.signed,
            spread={"as_read": "value", "read_low": "low", "read_high": "high"},
        ),
        Column(
            "corrected",
            title="corrected by the audit",
            digits=3,
            signed=lambda one: one.signed,
            spread={"corrected": "value", "low": "low", "high": "high", "level": "level", "note": "note"},
        ),
        Column("units", lambda one: one.read.n, count=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class AuditResult(Kind):
    """What an audit found."""

    FORMAT, FILE, KEY = "audit result", "reasoning_audit.json", "rates"
    QUESTION, SECTION, HEADING = reasoning.NAME, "audit", "How well replies were read: an audit"
    TABLES = (RATES, HOWS, NUMBERS)
    OF_ONE_MODEL = True
    CITES = ("korn1998",)

    model: str
    question: str
    rates: tuple[AuditRate, ...]
    """By group."""
    hows: tuple[AuditRate, ...]
    """By how the answer was found."""
    overall: Estimate
    """Error rate over all replies."""
    numbers: tuple[CorrectedNumber, ...] = ()

    def sentences(self) -> Sequence[str]:
        """Return how many readings a person contradicts, and what that means for all replies."""
        whole = self.of_all()
        rate = say("audit.unknown", n=whole.n_replies, why=self.overall.note)
        if self.overall.interval is not None:
            rate = say("audit.rate", n=whole.n_replies, rate=self.overall)
        return [say("audit.found", n=whole.n_audited, k=whole.n_errors, model=self.model), rate]

    def of_all(self) -> AuditRate:
        """Return all groups together."""
        replies, audited = sum(one.n_replies for one in self.rates), sum(one.n_audited for one in self.rates)
        return AuditRate(
            say("audit.all_replies"), replies, audited, sum(one.n_errors for one in self.rates), self.overall
        )

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        whole = self.of_all()
        return say(
            "audit.method",
            concord=concord,
            audited=whole.n_audited,
            replies=whole.n_replies,
            corrected=bool(self.numbers),
        )


class PeopleAudit(AuditResult):
    """What an audit of participants' answers found."""

    __slots__ = ()
    FILE = "people_audit.json"
    QUESTION, SECTION = people.NAME, "people-audit"


class StructureAudit(AuditResult):
    """What an audit of choices, orders or verdicts found."""

    __slots__ = ()
    FILE = "structure_audit.json"
    QUESTION, SECTION = structure.NAME, "structure-audit"


class HintAudit(AuditResult):
    """What an audit of verbalised hints found."""

    __slots__ = ()
    FILE = "hints_audit.json"
    SECTION, HEADING = "hints-audit", "How well verbalised hints were detected: an audit"


@dataclass(frozen=True, slots=True)
class AuditKind:
    """What is audited of a question's replies."""

    question: str
    result: type[AuditResult] = AuditResult
    choices: tuple[tuple[str, str], ...] = ()
    """Verdicts that a person can give, with the word that is shown; by the reply where there are none."""
    paired: tuple[str, str] | None = None
    """Two groups whose units have a reply in both, and whose gap is corrected."""

    def choices_of(self, item: "AuditItem") -> tuple[tuple[str, str], ...]:
        """Return what a person can say of a reply."""
        if self.choices:
            return self.choices
        return WITHOUT_GOLD if item.right is None else WITH_GOLD


Verdicts = Mapping[str, str]
Counted = Callable[[AuditItem, str], bool]
"""Whether an audited reply counts, by what a person said of it."""


@gated()
def audit_result(
    model: str,
    kind: AuditKind,
    items: Sequence[AuditItem],
    verdicts: Verdicts,
    *,
    level: float = 0.95,
) -> AuditResult:
    """Compute error rates by group and by how, and what can be corrected by them."""
    own = _by(items, lambda item: item.group)
    hows = _by(items, lambda item: item.stratum)
    rates = tuple(_rate(name, own[name], items, verdicts, level) for name in own)
    by_how = tuple(_rate(name, hows[name], items, verdicts, level) for name in sorted(hows, key=_place_of))
    overall = _weighted_share(items, items, verdicts, is_error, level)
    numbers = (
        *_paired_gap(kind, own, items, verdicts, level),
        *_corrected_numbers(own, items, verdicts, level),
    )
    return kind.result(model, kind.question, rates, by_how, overall, numbers)


def _by(items: Sequence[AuditItem], name: Callable[[AuditItem], str]) -> dict[str, list[AuditItem]]:
    found: dict[str, list[AuditItem]] = {}
    for item in items:
        found.setdefault(name(item), []).append(item)
    return found


def _place_of(how: str) -> tuple[int, str]:
    order = ("structured", "marked", "bare", "model", NONE)
    return (order.index(how) if how in order else len(order), how)


def said_answer(item: AuditItem, verdict: str) -> str | None:
    """Return the answer that a reply gives by a person's verdict, empty for none; None where not said."""
    if verdict == SAME:
        return item.answer
    if verdict == NONE:
        return ""
    return verdict.removeprefix(OTHER) if verdict.startswith(OTHER) else None


def is_error(item: AuditItem, verdict: str) -> bool:
    """Whether a person's verdict contradicts the reader: it changes what counts."""
    if verdict in (SAME, MISREAD):
        return verdict == MISREAD
    if item.right is not None:
        return item.right is not (verdict == RIGHT)
    return _same_words(said_answer(item, verdict)) != _same_words(item.answer)


def _same_words(answer: str | None) -> str:
    return "" if answer is None else " ".join(answer.split()).casefold()


def _rate(
    name: str, items: Sequence[AuditItem], everything: Sequence[AuditItem], verdicts: Verdicts, level: float
) -> AuditRate:
    audited = [item for item in items if item.key in verdicts]
    errors = sum(is_error(item, verdicts[item.key]) for item in audited)
    rate = _weighted_share(items, everything, verdicts, is_error, level)
    return AuditRate(name, len(items), len(audited), errors, rate)


@dataclass(frozen=True, slots=True)
class Stratum:
    """Replies that are alike, those audited, and those of them that count."""

    n: int
    m: int
    x: int
    borrowed: bool = False
    """Audited replies are those of other groups."""


def _weighted_share(
    items: Sequence[AuditItem],
    everything: Sequence[AuditItem],
    verdicts: Verdicts,
    counted: Counted,
    level: float,
) -> Estimate:
    """Return the share of replies that count, weighted back from the sample, with its interval."""
    n_audited = sum(item.key in verdicts for item in items)
    left = len(items) - n_audited
    if not n_audited:
        return Estimate(None, n_left_out=left, note="no reply of this group was audited")
    strata: list[Stratum] = []
    for how, own in _by(items, lambda item: item.stratum).items():
        cell = _cell(own, verdicts, counted)
        if not cell.m:
            same = [item for item in everything if item.stratum == how]
            cell = _cell(same, verdicts, counted, own=len(own))
        if not cell.m:
            why = say("audit.no_answer") if how == NONE else say("audit.no_reply", how=how)
            return Estimate(None, n=n_audited, n_left_out=left, note=why)
        groups = [_cell(one, verdicts, counted) for one in _by(own, lambda item: item.group).values()]
        strata += groups if all(one.m >= _FEW for one in groups) else [cell]
    note = "some strata take the rate of all groups" if any(one.borrowed for one in strata) else ""
    value, ends = stratified_rate(strata, level)
    return Estimate(value, ends, n_audited, left, "stratified by how answers were found", note)


def _cell(
    items: Sequence[AuditItem], verdicts: Verdicts, counted: Counted, *, own: int | None = None
) -> Stratum:
    audited = [item for item in items if item.key in verdicts]
    x = sum(counted(item, verdicts[item.key]) for item in audited)
    return Stratum(len(items) if own is None else own, len(audited), x, own is not None)


def stratified_rate(strata: Sequence[Stratum], level: float) -> tuple[float, Interval]:
    """Return the weighted rate of strata and its interval."""
    n, m, x = (np.array([getattr(one, name) for one in strata], dtype=np.float64) for name in "nmx")
    weight = n / n.sum()
    value = float(weight @ (x / m))
    near = (x + 0.5) / (m + 1)
    left = np.where([one.borrowed for one in strata], 1.0, 1 - m / n)
    variance = float(np.sum(weight**2 * left * near * (1 - near) / m))
    method = "exact, effective sample size"
    if variance == 0:  # every reply was looked at
        return value, Interval(value, value, level, method)
    middle = float(weight @ near)
    trials = middle * (1 - middle) / variance
    hits, tail = value * trials, (1 - level) / 2
    low = 0.0 if hits <= 0 else float(special.betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if hits >= trials else float(special.betaincinv(hits + 1, trials - hits, 1 - tail))
    return value, Interval(low, high, level, method)


def _corrected_numbers(
    own: Mapping[str, Sequence[AuditItem]],
    everything: Sequence[AuditItem],
    verdicts: Verdicts,
    level: float,
) -> list[CorrectedNumber]:
    """Return accuracies where there are right answers, else shares of answers, by group."""
    found = []
    for group, items in own.items():
        if all(item.right is not None for item in items):
            found.append(
                _corrected_share(f"accuracy, {group}", items, everything, verdicts, _is_right, level)
            )
            continue
        for question, asked in _by(items, lambda item: item.question).items():
            answers = sorted({item.answer for item in everything if item.question == question} - {""})
            if not 0 < len(answers) <= MOST_ANSWERS or any(item.right is not None for item in asked):
                continue
            about = f"{question} = " if question else "share of "
            for answer in answers[:1] if len(answers) == 2 else answers:
                name = f"{about}{answer}, {group}"
                found.append(_corrected_share(name, asked, everything, verdicts, partial(_is, answer), level))
    return found


def _is_right(item: AuditItem, verdict: str | None) -> bool | None:
    """Whether an answer is right: as read without a verdict; None where the verdict does not say."""
    if verdict in (None, SAME):
        return bool(item.right)
    return None if verdict == MISREAD else verdict == RIGHT


def _is(answer: str, item: AuditItem, verdict: str | None) -> bool | None:
    """Whether an answer is a certain one."""
    said = item.answer if verdict is None else said_answer(item, verdict)
    return None if said is None else _same_words(said) == _same_words(answer)


Truth = Callable[[AuditItem, str | None], bool | None]


def _corrected_share(
    name: str,
    items: Sequence[AuditItem],
    everything: Sequence[AuditItem],
    verdicts: Verdicts,
    truth: Truth,
    level: float,
) -> CorrectedNumber:
    """Return a share as read and corrected; every reply counts, those without an answer as not."""
    value = sum(bool(truth(item, None)) for item in items) / len(items)
    units = len({item.unit for item in items})
    ends = wilson_interval(value * units, units, level=level)
    read = Estimate(value, ends, units, 0, "all replies, as read")
    return CorrectedNumber(
        name, read, _sum_of(read, _moves(items, everything, verdicts, truth, level), 0.0, level)
    )


def _moves(
    items: Sequence[AuditItem],
    everything: Sequence[AuditItem],
    verdicts: Verdicts,
    truth: Truth,
    level: float,
) -> list[tuple[int, Estimate]]:
    """Return the shares of replies that were missed and that were falsely read."""
    if any(item.key in verdicts and truth(item, verdicts[item.key]) is None for item in items):
        return [(1, Estimate(None, note="verdicts say that a reply was misread, and not what it answers"))]

    def missed(item: AuditItem, verdict: str) -> bool:
        return bool(truth(item, verdict)) and not truth(item, None)

    def false(item: AuditItem, verdict: str) -> bool:
        return bool(truth(item, None)) and not truth(item, verdict)

    return [
        (1, _weighted_share(items, everything, verdicts, missed, level)),
        (-1, _weighted_share(items, everything, verdicts, false, level)),
    ]


def _sum_of(read: Estimate, moves: Sequence[tuple[int, Estimate]], lowest: float, level: float) -> Estimate:
    """Add what was missed and take off what was falsely read; the interval from the ends of each part."""
    parts = [(1, read), *moves]
    value, below, above = 0.0, 0.0, 0.0
    for sign, one in parts:
        if one.value is None or one.interval is None:
            return Estimate(None, n=read.n, note=one.note)
        value += sign * one.value
        down, up = one.value - one.interval.low, one.interval.high - one.value
        below += (down if sign > 0 else up) ** 2
        above += (up if sign > 0 else down) ** 2
    low, high = max(lowest, value - below**0.5), min(1.0, value + above**0.5)
    interval = Interval(low, high, level, "from the intervals of the parts")
    notes = "; ".join(dict.fromkeys(one.note for _, one in moves if one.note))
    return Estimate(value, interval, read.n, 0, "stratified difference estimator", notes)


def _paired_gap(
    kind: AuditKind,
    own: Mapping[str, Sequence[AuditItem]],
    everything: Sequence[AuditItem],
    verdicts: Verdicts,
    level: float,
) -> list[CorrectedNumber]:
    """Return the gap between two groups as read, over units with a reply in both, and corrected."""
    if kind.paired is None:
        return []
    sides = [own.get(name, ()) for name in kind.paired]
    rights = [{item.unit: float(bool(item.right)) for item in side} for side in sides]
    units = sorted(rights[0].keys() & rights[1].keys())
    name = f"gap, {kind.paired[0]} minus {kind.paired[1]}"
    if len(units) < 2:
        nothing = Estimate(None, note="fewer than two units have a reply in both")
        return [CorrectedNumber(name, nothing, nothing, True)]
    d = np.array([rights[0][unit] - rights[1][unit] for unit in units])
    value = float(d.mean())
    half = NormalDist().inv_cdf(0.5 + level / 2) * float(np.sqrt(_paired_spread(d)))
    ends = Interval(max(-1.0, value - half), min(1.0, value + half), level, "normal, one of each sign added")
    read = Estimate(value, ends, len(d), 0, "all outcomes, as read")
    moves = [
        (sign * one, move)
        for sign, side in zip((1, -1), sides, strict=True)
        for one, move in _moves(side, everything, verdicts, _is_right, level)
    ]
    return [CorrectedNumber(name, read, _sum_of(read, moves, -1.0, level), True)]


def _paired_spread(d: Floats) -> float:
    """Return the variance of a mean of paired differences, one of each sign added (Bonett and Price)."""
    # Differences that are all 0 do not show that none is possible.
    n = len(d) + 2
    up, down = (np.sum(d > 0) + 1) / n, (np.sum(d < 0) + 1) / n
    return float(up + down - (up - down) ** 2) / n

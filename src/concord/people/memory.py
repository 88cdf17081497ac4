"""Whether a model has read a study: what it recognises, and what it shows under another surface."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from concord.errors import listed
from concord.kinds import FILE, PAGE, TERMINAL, Column, Kind, PictureOf, Table
from concord.number_words import estimate_words, how_many
from concord.people.result import FindingResult, GroupResult
from concord.records import Estimate, Interval, TestTable
from concord.words import say

MARK = "-variant-"
"""Between the name of a study and that of its variant."""


def base_of(study: str) -> str:
    """Return the name of the study that a variant belongs to; its own where it is none."""
    return study.partition(MARK)[0]


def originals(table: TestTable) -> TestTable:
    """Return a table without the variants of studies that it holds as well; what is left out is told."""
    studies = {row.study for row in table.rows}
    variants = sorted(one for one in studies if MARK in one and base_of(one) in studies)
    if not variants:
        return table
    rows = tuple(row for row in table.rows if row.study not in variants)
    told = (
        f"{how_many(len(variants), 'variant of a study is', 'variants of studies are')} not part of the "
        f"numbers, which are those of the originals: {listed(variants)}"
    )
    return replace(table, rows=rows, warnings=(*table.warnings, told))


MEMORY, NO_SIGN, NOT_RECOGNISED, UNKNOWN = "memory", "no sign of memory", "not recognised", "not known"
"""Verdicts."""
NO_PLACEBO = "no placebo study was run (--placebo)"


@dataclass(frozen=True, slots=True)
class Recognition:
    """What a model said about one study, and what of it is right."""

    study: str
    recognised: bool | None
    """An author of the study is named; None where the reply is none (`outcome`)."""
    year_right: bool
    n_directions: int
    """Effects whose direction is published and was asked for."""
    n_right: int
    n_unknown: int
    authors: str = ""
    """As the model gave them."""
    finding: str = ""
    outcome: str = "ok"
    """What became of reading the reply: refused, truncated and empty ones say nothing."""
    n_named: int = 0
    """Replies that name an author."""
    n_answers: int = 0
    """Replies that answer."""


@dataclass(frozen=True, slots=True)
class PlaceboStudy:
    """A study whose effect the literature reports and people do not show."""

    study: str
    kind: str
    """What people show: ``none``, or the ``reverse``."""
    original_d: float | None
    people_d: float | None
    model_d: float | None
    original: float | None
    """PAS against the original study: how likely the same conclusion is."""
    people: float | None
    """PAS against people."""


@dataclass(frozen=True, slots=True)
class VariantPair:
    """One study as published and in another surface, on the same findings."""

    study: str
    variant: str
    recognised: bool | None
    """None where recognition was not asked, or the reply was no answer."""
    pas: float | None
    variant_pas: float | None
    ecs: float | None
    variant_ecs: float | None
    n_findings: int


def difference(original: float | None, variant: float | None) -> float | None:
    """Return original minus variant; None where either is undefined."""
    return None if original is None or variant is None else original - variant


def _directions(one: Recognition) -> str:
    """Say how many directions of published effects the model knew."""
    unknown = f", {one.n_unknown} unknown" if one.n_unknown else ""
    return f"{one.n_right} of {one.n_directions}{unknown}"


KNOWN = Table(
    "recognised",
    rows=lambda result: result.recognised,
    title="What the model recognised",
    columns=(
        Column("study", words=True),
        Column(
            "recognised", lambda one: one.outcome if one.recognised is None else one.recognised, words=True
        ),
        Column(
            "replies",
            lambda one: f"{one.n_named} of {one.n_answers}",
            "replies that name an author",
            words=True,
        ),
        Column("year_right", words=True),
        Column("directions", _directions, "directions right", words=True),
        Column("authors", title="authors named", words=True),
        Column("finding", title="finding named", words=True, on=(PAGE,), optional=True),
    ),
)
PAIRS = Table(
    "pairs",
    rows=lambda result: result.pairs,
    title="Original against variant",
    file="memory_pairs.csv",
    columns=(
        Column("study", words=True),
        Column("variant", words=True),
        Column("recognised", on=(FILE,)),
        Column(
            "recognised",
            lambda one: "not known" if one.recognised is None else one.recognised,
            words=True,
            on=(TERMINAL, PAGE),
        ),
        Column("pas", title="PAS"),
        Column("variant_pas", title="PAS of variant"),
        Column("pas_difference", lambda one: difference(one.pas, one.variant_pas), "difference", sign=True),
        Column("ecs", title="ECS"),
        Column("variant_ecs", title="ECS of variant"),
        Column("ecs_difference", lambda one: difference(one.ecs, one.variant_ecs), "of ECS", sign=True),
        Column("n_findings", title="findings", count=True),
    ),
)


PLACEBOS = Table(
    "placebo",
    rows=lambda result: result.placebo,
    title="Placebo studies: the literature against people",
    file="memory_placebo.csv",
    columns=(
        Column("study", words=True),
        Column("pull", lambda one: difference(one.original, one.people), "pull", sign=True),
        Column("model_d", title="d of the model", sign=True),
        Column("original_d", title="of the original", sign=True),
        Column("people_d", title="of people", sign=True),
        Column("kind", title="people show", words=True),
        Column("original", title="PAS, original"),
        Column("people", title="PAS, people"),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class MemoryResult(Kind):
    """What a model recognised, and what it lost when the surface changed."""

    FORMAT, FILE, KEY = "memory result", "memory.json", "delta_pas"
    QUESTION, SECTION, HEADING = "people", "memory", "Has the model read the studies?"
    SAYS = ("question",)
    TABLES = (KNOWN, PAIRS, PLACEBOS)
    PICTURES = (PictureOf("memory", "answers_plots.memory_picture", lambda _: say("memory.method.caption")),)
    UNSHOWN = frozenset(
        {
            "verdict",
            "delta_pas.bounds",
            "delta_ecs.bounds",
            "pull.bounds",
        }  # the sentence says it; no replies of their own
    )

    recognised: tuple[Recognition, ...]
    pairs: tuple[VariantPair, ...]
    delta_pas: Estimate
    """Original minus variant, mean over the recognised studies that have one."""
    delta_ecs: Estimate
    verdict: str
    sentence: str
    model: str | None = None
    """Who was asked, where the run says it."""
    placebo: tuple[PlaceboStudy, ...] = ()
    pull: Estimate = Estimate(None, note=NO_PLACEBO)
    """Literature pull: PAS against the original minus PAS against people, mean over placebo studies."""

    def sentences(self) -> Sequence[str]:
        """Return the verdict in words."""
        named = {"model": self.model, "said": self.sentence}
        return [self.sentence if self.model is None else say("memory.note.of_model", **named)]

    def notes(self) -> Sequence[str]:
        """Return what is lost under another surface, over the recognised studies."""
        return list(self._deltas())

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        return say("memory.method.made", concord=concord)

    def _deltas(self) -> Iterator[str]:
        deltas = (("PAS", self.delta_pas), ("ECS", self.delta_ecs))
        named = [(say("memory.note.original", name=name), found) for name, found in deltas]
        for name, found in (*named, (say("memory.note.pull"), self.pull)):
            if found.value is None:
                yield say("memory.note.none", name=name, why=found.note)
                continue
            why = found.note if found.interval is None else None
            ends, n = found.interval, found.n
            yield say("memory.note.found", name=name, value=found.value, ends=ends, why=why, n=n)


FEWEST_STUDIES = 3


def memory_result(
    recognised: Sequence[Recognition],
    studies: Sequence[GroupResult],
    findings: Sequence[FindingResult],
    *,
    level: float = 0.95,
    model: str | None = None,
    placebo: Sequence[PlaceboStudy] = (),
) -> MemoryResult:
    """Compare originals with their variants, the literature with people, and say what follows."""
    known = {one.study: one.recognised for one in recognised}
    pairs = tuple(_paired(studies, findings, known))
    used = [pair for pair in pairs if pair.recognised]
    pas = _delta([(pair.pas, pair.variant_pas) for pair in used], level)
    ecs = _delta([(pair.ecs, pair.variant_ecs) for pair in used], level)
    pull = literature_pull(placebo, level)
    verdict = _verdict(recognised, pairs, pas, pull)
    sentence = " ".join(filter(None, [_pull_words(pull), _sentence(verdict, recognised, pas, pull)]))
    return MemoryResult(tuple(recognised), pairs, pas, ecs, verdict, sentence, model, tuple(placebo), pull)


def literature_pull(placebo: Sequence[PlaceboStudy], level: float = 0.95) -> Estimate:
    r"""Return agreement with the original conclusion minus agreement with people's, mean over studies.

    .. math:: \overline{PAS(model, original) - PAS(model, people)}
    """
    if not placebo:
        return Estimate(None, note=NO_PLACEBO)
    return _delta(
        [(one.original, one.people) for one in placebo], level, say("memory.note.no_placebo_numbers")
    )


def _pull_words(pull: Estimate) -> str:
    """Say whether the model follows the literature where people do not."""
    if pull.value is None or pull.interval is None:
        return ""
    side = "literature" if pull.interval.low > 0 else "people" if pull.interval.high < 0 else "open"
    return say(f"memory.pull.{side}", pull=pull, n=pull.n)


def _paired(
    studies: Sequence[GroupResult], findings: Sequence[FindingResult], known: Mapping[str, bool | None]
) -> list[VariantPair]:
    by_name = {one.name: one for one in studies}
    made = []
    for name, variant in by_name.items():
        base = by_name.get(base_of(name))
        if MARK not in name or base is None:
            continue
        own = {(one.sub_study, one.finding): one.pas for one in findings if one.study == name}
        theirs = {(one.sub_study, one.finding): one.pas for one in findings if one.study == base.name}
        both = [key for key in own if own[key] is not None and theirs.get(key) is not None]
        sides = [_mean_of([side[key] for key in both]) for side in (theirs, own)]
        made.append(
            VariantPair(
                base.name, name.partition(MARK)[2], known.get(base.name), sides[0], sides[1],
                base.ecs.value, variant.ecs.value, len(both),
            )
        )  # fmt: skip
    return made


def _mean_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _delta(pairs: Sequence[tuple[float | None, float | None]], level: float, lacking: str = "") -> Estimate:
    """Return the mean of paired differences with Student's t over studies."""
    gaps = np.array([one - two for one, two in pairs if one is not None and two is not None])
    if not gaps.size:
        why = lacking if lacking else say("memory.note.lacking")
        return Estimate(None, note=say("memory.note.undefined", why=why))
    value = float(gaps.mean())
    if gaps.size < FEWEST_STUDIES or np.ptp(gaps) == 0:
        return Estimate(value, n=gaps.size, note=say("memory.note.few", n=gaps.size))
    reach = float(special.stdtrit(gaps.size - 1, 0.5 + level / 2) * gaps.std(ddof=1) / np.sqrt(gaps.size))
    return Estimate(value, Interval(value - reach, value + reach, level, "t over studies"), n=gaps.size)


def _verdict(
    recognised: Sequence[Recognition], pairs: Sequence[VariantPair], delta: Estimate, pull: Estimate
) -> str:
    if pull.interval is not None and pull.interval.low > 0:
        return MEMORY
    if not recognised or not pairs:
        return UNKNOWN if pull.interval is None else NO_SIGN
    if not any(pair.recognised for pair in pairs):
        return NOT_RECOGNISED
    return MEMORY if delta.interval is not None and delta.interval.low > 0 else NO_SIGN


def _sentence(verdict: str, recognised: Sequence[Recognition], delta: Estimate, pull: Estimate) -> str:
    if pull.interval is not None and delta.value is None:
        named = sum(one.recognised is True for one in recognised)
        return say("memory.known.named", k=named, n=len(recognised)) if recognised else ""
    said = [one.recognised for one in recognised if one.recognised is not None]
    lost = Counter(one.outcome for one in recognised if one.recognised is None)
    unanswered = ", ".join(f"{n} {outcome}" for outcome, n in sorted(lost.items()))
    start = say("memory.known.start", k=sum(said), n=len(said), lost=unanswered)
    if verdict == UNKNOWN:
        return say("memory.known.variants", start=start) if recognised else say("memory.known.not_asked")
    if verdict == NOT_RECOGNISED:
        return say("memory.known.none", start=start)
    if delta.interval is not None and delta.interval.low > 0:
        return say("memory.known.memory", start=start, delta=delta)
    shown = say("memory.known.undefined") if delta.value is None else estimate_words(delta, sign=True)
    return say("memory.known.no_sign", start=start, delta=shown)

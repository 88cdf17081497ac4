"""What a model remembers of studies, declared once: one document, one file of pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from concord.files.number_words import interval_words, level_words, number
from concord.kinds import FILE, PAGE, TERMINAL, Column, Kind, PictureOf, Table
from concord.people.memory.result import Recognition, VariantPair
from concord.records import Estimate


def difference(original: float | None, variant: float | None) -> float | None:
    """Return original minus variant; None where either is undefined."""
    return None if original is None or variant is None else original - variant


def _directions(one: Recognition) -> str:
    """Say how many directions of published effects the model knew."""
    unknown = f", {one.n_unknown} unknown" if one.n_unknown else ""
    return f"{one.n_right} of {one.n_directions}{unknown}"


def _whether_recognised(one: VariantPair) -> object:
    """Return whether the study was recognised, or that it was not asked."""
    return "not asked" if one.recognised is None else one.recognised


KNOWN = Table(
    "recognised",
    rows=lambda result: result.recognised,
    title="What the model recognised",
    columns=(
        Column("study", words=True),
        Column("recognised", words=True),
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
        Column("recognised", _whether_recognised, words=True, on=(TERMINAL, PAGE)),
        Column("pas", title="PAS"),
        Column("variant_pas", title="PAS of variant"),
        Column("pas_difference", lambda one: difference(one.pas, one.variant_pas), "difference", sign=True),
        Column("ecs", title="ECS"),
        Column("variant_ecs", title="ECS of variant"),
        Column("ecs_difference", lambda one: difference(one.ecs, one.variant_ecs), "of ECS", sign=True),
        Column("n_findings", title="findings", count=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class MemoryResult(Kind):
    """What a model recognised, and what it lost when the surface changed."""

    FORMAT: ClassVar[str] = "memory result"
    FILE: ClassVar[str] = "memory.json"
    QUESTION: ClassVar[str] = "people"
    SECTION: ClassVar[str] = "memory"
    HEADING: ClassVar[str] = "Has the model read the studies?"
    KEY: ClassVar[str] = "delta_pas"
    TABLES: ClassVar[tuple[Table, ...]] = (KNOWN, PAIRS)
    PICTURES: ClassVar[tuple[PictureOf, ...]] = (
        PictureOf(
            "memory",
            "memory_plots.memory_picture",
            "Above 0 the model does better on the published surface. Line: the interval of the mean.",
        ),
    )
    UNSHOWN: ClassVar[frozenset[str]] = frozenset({"verdict"})  # the sentence says it

    recognised: tuple[Recognition, ...]
    pairs: tuple[VariantPair, ...]
    delta_pas: Estimate
    """Original minus variant, mean over the recognised studies that have one."""
    delta_ecs: Estimate
    verdict: str
    sentence: str
    model: str | None = None
    """Who was asked, where the run says it."""

    def sentences(self) -> Sequence[str]:
        """Return the verdict in words."""
        return [self.sentence if self.model is None else f"{self.model}: {self.sentence}"]

    def notes(self) -> Sequence[str]:
        """Return what is lost under another surface, over the recognised studies."""
        return list(self._deltas())

    def who(self) -> Sequence[str]:
        """Return the model."""
        return [] if self.model is None else [self.model]

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        return {"question": self.QUESTION, **Kind.document(self)}

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        return (
            f"Whether the model knows the studies was scored with {concord}: it was asked to "
            "recognise them, and answered them both as published and under another surface."
        )

    def _deltas(self) -> Iterator[str]:
        for name, found in (("PAS", self.delta_pas), ("ECS", self.delta_ecs)):
            if found.value is None:
                yield f"{name}, original minus variant: {found.note}."
                continue
            ends = found.note
            if found.interval is not None:
                words = interval_words(found.interval, sign=True)
                ends = f"{level_words(found.interval.level)} interval {words}"
            value = number(found.value, 2, sign=True)
            yield f"{name}, original minus variant: {value} ({ends}), {found.n} studies."

"""What combining people and predictions gives, declared once: one document, one file of estimates."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from concord.kinds import FILE, LEFT_OUT_CELLS, PAGE, SCREENS, Column, Kind, PictureOf, Table, with_provenance
from concord.number_words import level_words
from concord.records import EMPTY, Estimate, InputFile, LeftOutCell


@dataclass(frozen=True, slots=True)
class CombinedEstimate:
    """One number from people and predictions."""

    outcome: str
    name: str
    """``mean``, an arm, ``A − B``, or a coefficient."""
    kind: str
    """``mean``, ``share``, ``difference`` or ``coefficient``."""
    estimate: Estimate
    se: float
    people_only: Estimate
    people_se: float
    weight: float
    """λ, the weight of predictions: 0 uses people alone; above 1 where they vary less than they should."""
    correlation: Estimate
    """Of answers and predictions over people."""
    n_people: int
    n_predictions: int
    effective_people: float
    """People alone who would give the same standard error."""
    worth: Estimate
    """Effective people minus people: what the predictions are worth in participants."""
    sd: float
    """Standard deviation of people's answers."""

    @property
    def of(self) -> str:
        """What it is an estimate of."""
        return f"{self.outcome}: {self.name}" if self.outcome else self.name

    @property
    def note(self) -> str:
        """What must be known of it."""
        return "; ".join(dict.fromkeys(part.note for part in (self.estimate, self.worth) if part.note))


def in_question(estimates: Sequence[CombinedEstimate]) -> list[CombinedEstimate]:
    """Return what people and predictions were combined for: contrasts or slopes, else every estimate."""
    chosen = []
    for outcome in dict.fromkeys(one.outcome for one in estimates):
        own = [one for one in estimates if one.outcome == outcome]
        contrasts = [one for one in own if one.kind == "difference"]
        slopes = [one for one in own if one.kind == "coefficient" and one.name != "intercept"]
        chosen += contrasts or slopes or own
    return chosen


def _value_and_ends_of(name: str, value: str | None = None) -> dict[str, str]:
    """Return the columns of a file that hold a number and its interval."""
    prefix = "" if value else f"{name}_"
    return {value or name: "value", f"{prefix}low": "low", f"{prefix}high": "high"}


ESTIMATES = Table(
    "estimates",
    rows=lambda result: result.estimates,
    title="People and predictions together",
    file="combine.csv",
    columns=(
        Column("outcome", words=True, on=(FILE,)),
        Column("name", words=True, on=(FILE,)),
        Column("kind", words=True, on=(FILE,)),
        Column("of", title="estimate", words=True, on=SCREENS),
        Column("estimate", title="combined", digits=3, spread=_value_and_ends_of("estimate", "value")),
        Column("se", title="SE", digits=3, on=(FILE, PAGE)),
        Column("people_only", digits=3, spread=_value_and_ends_of("people_only")),
        Column("people_only_se", lambda one: one.people_se, "SE of people", digits=3, on=(FILE, PAGE)),
        Column("weight"),
        Column("correlation", title="r", spread=_value_and_ends_of("correlation")),
        Column("n_people", title="people", count=True),
        Column("n_predictions", title="predictions", count=True),
        Column("effective_people", title="as many people as", digits=0, on=(FILE, PAGE)),
        Column("worth", digits=0, sign=True, spread=_value_and_ends_of("worth")),
        Column("sd", title="SD", on=(FILE, PAGE)),
        Column("note", words=True, on=(FILE,)),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class CombineResult(Kind):
    """Estimates from people and predictions together."""

    FORMAT: ClassVar[str] = "combined estimates"
    FILE: ClassVar[str] = "combine.json"
    QUESTION: ClassVar[str] = "people"
    SECTION: ClassVar[str] = "combined"
    HEADING: ClassVar[str] = "People and predictions together"
    KEY: ClassVar[str] = "estimates"
    TABLES: ClassVar[tuple[Table, ...]] = (ESTIMATES, LEFT_OUT_CELLS)
    UNSHOWN: ClassVar[frozenset[str]] = frozenset({"left_out"})
    PICTURES: ClassVar[tuple[PictureOf, ...]] = (
        PictureOf("estimates", "combined_plots.combined_picture", small=True),
    )

    estimates: tuple[CombinedEstimate, ...]
    sentence: str
    level: float = 0.95
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)

    def sentences(self) -> Sequence[str]:
        """Return what the predictions are worth, and what to look at before using it."""
        return [self.sentence, *(f"Before using it: {line}." for line in self.warnings)]

    def notes(self) -> Sequence[str]:
        """Say what the estimates rest on, and what the columns are."""
        told = in_question(self.estimates)
        return [
            f"{_range_words([one.n_people for one in told])} people with answers and predictions, "
            f"{_range_words([one.n_predictions for one in told])} further predictions. Where both are "
            "samples of one population, people keep the estimate right, however biased the model is, and the "
            "predictions narrow it. r: answers and predictions over people; weight: of the predictions; "
            "worth: in participants.",
            *dict.fromkeys(  # those of numbers without an interval are below the table
                part.note
                for one in told
                for part in (one.estimate, one.worth)
                if part.note and part.interval is not None
            ),
        ]

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        return with_provenance(Kind.document(self), self.inputs)

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        told = in_question(self.estimates)
        people = _range_words([one.n_people for one in told])
        further = _range_words([one.n_predictions for one in told])
        many = "" if len(told) == 1 else f", for each of {len(told)} estimates"
        return (
            f"Answers of {people} {'person' if people == '1' else 'persons'} were combined with {further} "
            f"further {'prediction' if further == '1' else 'predictions'} of the model with {concord} "
            f"(prediction-powered inference){many}: the predictions' mean is corrected by the error seen in "
            "people, with the weight that makes the standard error smallest. Intervals are "
            f"{level_words(self.level)}."
        )


def _range_words(counts: Sequence[int]) -> str:
    """Return a number of people, or the smallest and the largest."""
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"

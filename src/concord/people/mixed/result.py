"""What combining people and predictions gives, declared once: one document, one file of estimates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from concord.kinds import FILE, LEFT_OUT_CELLS, PAGE, SCREENS, Column, Kind, PictureOf, Table, with_provenance
from concord.number_words import in_money, level_words, number, percent
from concord.records import EMPTY, Estimate, InputFile, LeftOutCell
from concord.stats.sequential import NextPurchase


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
        PictureOf("estimates", "answers_plots.combined_picture", small=True),
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


PLANNED = 300
"""People at whom the interval is narrowest where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class SequenceRules:
    """What is fixed before the first look."""

    planned_people: int = PLANNED
    max_people: int | None = None
    """No look after as many people; the interval is narrower until then."""
    stop: str = "any"
    """``any``: by the value or the width; ``width``: by the width alone, with the ordinary interval."""
    exact: bool = False
    """Betting: exact at every number of people, without predictions."""
    scale_min: float | None = None
    scale_max: float | None = None
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class SequencedPart:
    """Persons and further predictions of one arm and stratum."""

    arm: str
    stratum: str
    persons: tuple[tuple[int, float, float, float], ...] = ()
    """Each person's rows, and their sums of answers, of predictions and of squared predictions."""
    more: int = 0
    more_mean: float = 0.0
    more_squares: float = 0.0
    """Further predictions: number, mean, and sum of squared deviations from it."""


@dataclass(frozen=True, slots=True)
class BatchLook:
    """What was known after one batch."""

    n_people: int
    n_predictions: int
    estimate: Estimate
    """With the interval that may be looked at at any time."""
    fixed: Estimate
    """With the ordinary interval, as if this were the only look."""
    weight: float | None
    correlation: float | None
    saved: float | None
    """Share of people that the predictions save."""
    price: float | None
    """How many times the people of a fixed design the looking costs, at this width."""
    cost: float | None = None
    purchase: NextPurchase | None = None
    """What to buy next for the wished margin."""
    enough: str = ""
    """Why no more people are needed."""


LOOKS = Table(
    "looks",
    rows=lambda result: result.looks,
    title="After every batch",
    file="looks.csv",
    columns=(
        Column("n_people", title="people", count=True),
        Column("n_predictions", title="predictions", count=True),
        Column(
            "estimate",
            title="at any look",
            digits=3,
            spread={"value": "value", "low": "low", "high": "high", "note": "note"},
        ),
        Column(
            "fixed",
            title="if the only look",
            digits=3,
            on=(FILE, PAGE),
            spread={"fixed_low": "low", "fixed_high": "high"},
        ),
        Column("weight", on=(FILE, PAGE)),
        Column("correlation", title="r", on=(FILE, PAGE)),
        Column("saved", title="people saved", digits=2),
        Column("price", title="price of looking", digits=2),
        Column("cost", digits=2, optional=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class SequentialResult(Kind):
    """Estimates after every batch of people; the next batch is added to it."""

    FORMAT: ClassVar[str] = "sequential estimates"
    FILE: ClassVar[str] = "sequential.json"
    QUESTION: ClassVar[str] = "people"
    SECTION: ClassVar[str] = "sequential"
    HEADING: ClassVar[str] = "People until enough"
    KEY: ClassVar[str] = "looks"
    TABLES: ClassVar[tuple[Table, ...]] = (LOOKS,)
    UNSHOWN: ClassVar[frozenset[str]] = frozenset(
        {"rules", "parts", "known", "batches", "arms", "looks.purchase"}
    )
    PICTURES: ClassVar[tuple[PictureOf, ...]] = (
        PictureOf("looks", "answers_plots.looks_picture", small=True),
    )

    outcome: str
    kind: str
    """``mean``, ``share`` or ``difference``."""
    arms: tuple[str, ...]
    rules: SequenceRules
    looks: tuple[BatchLook, ...]
    parts: tuple[SequencedPart, ...]
    known: tuple[str, ...] = ()
    """Digests of the persons who are counted."""
    batches: tuple[str, ...] = ()
    """Digests of the tables that are counted."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def of(self) -> str:
        """What is estimated."""
        what = " − ".join(self.arms) if self.kind == "difference" else self.kind
        return f"{self.outcome}: {what}" if self.outcome else what

    def sentences(self) -> Sequence[str]:
        """Say what is known now, what looking costs and predictions save, and what to buy next."""
        now = self.looks[-1]
        return [
            *(_now_words(self.of, now)),
            *_price_words(now, self.rules),
            *_next_words(now),
            *(f"Before using it: {line}." for line in self.warnings),
        ]

    def notes(self) -> Sequence[str]:
        """Say what the interval is, and what it cannot see."""
        rules = self.rules
        how = (
            f"It may be looked at after every batch up to {rules.max_people:,} people, never after."
            if rules.max_people is not None
            else "Collection may stop by the width of the interval, never by its value."
            if rules.stop == "width"
            else "It may be looked at after every batch, and collection may stop at any look, for any reason."
        )
        exact = "" if rules.exact else " No rule sees a rare, very large answer that has not come yet."
        return [how + exact, "People saved: by the predictions. Price of looking: people in all, against a "
                "number of people fixed in advance."]  # fmt: skip

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        return with_provenance(Kind.document(self), self.inputs)

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        now, rules = self.looks[-1], self.rules
        method = (
            "by betting (Waudby-Smith & Ramdas, 2024)"
            if rules.exact
            else f"for looks up to a maximum of {rules.max_people:,} people, fixed in advance"
            if rules.max_people is not None
            else "of the ordinary kind, with stopping by width alone"
            if rules.stop == "width"
            else "by a t mixture (Lai, 1976; Wang & Ramdas, 2024), "
            f"tuned in advance to {rules.planned_people:,} people"
        )
        return (
            f"People were added in {len(self.looks)} batches to {now.n_people:,}, beside "
            f"{now.n_predictions:,} further predictions of the model, with {concord}. The "
            f"{level_words(rules.level)} interval "
            f"holds at every look: it was computed {method}, on the prediction-powered estimate whose weight "
            "of the predictions is not limited."
        )


def _now_words(of: str, now: BatchLook) -> Iterator[str]:
    found = f"After {now.n_people:,} people and {now.n_predictions:,} further predictions, {of} "
    if now.estimate.value is None or now.estimate.interval is None:
        yield f"{found}has no interval yet: {now.estimate.note}."
    else:
        ends = now.estimate.interval
        yield (
            f"{found}is {number(now.estimate.value)} ({level_words(ends.level)} at any look "
            f"{number(ends.low)} to {number(ends.high)})."
        )
    if now.enough:
        yield f"Enough: {now.enough}."


def _price_words(now: BatchLook, rules: SequenceRules) -> Iterator[str]:
    if now.price is None or rules.exact:
        return
    saved = (
        "save no people" if now.saved is None or now.saved < 0.005 else f"save {percent(now.saved)} of people"
    )
    costs = f"costs {number(now.price, 2)} times the people of a number fixed in advance"
    yield (
        f"The predictions {saved}; looking at any time {costs}."
        if rules.stop == "any"
        else (f"The predictions {saved}.")
    )


def _next_words(now: BatchLook) -> Iterator[str]:
    step = now.purchase
    if step is None or now.enough:
        return
    what = f"{step.people:,} people" if step.people else f"{step.replies:,} replies"
    yield (
        f"Buy {what} next ({in_money(step.cost)}): by what is known today {step.people_in_all:,} people and "
        f"{step.replies_in_all:,} further replies reach the wished width, for "
        f"{in_money(step.cost_in_all)} more."
    )

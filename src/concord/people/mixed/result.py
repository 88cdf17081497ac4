"""What combining people and predictions gives, declared once: one document, one file of estimates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from concord.kinds import FILE, LEFT_OUT_CELLS, PAGE, SCREENS, Column, Kind, PictureOf, Table
from concord.records import EMPTY, Estimate, InputFile, LeftOutCell
from concord.stats.sequential import NextPurchase
from concord.words import say


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
    effective_people: float | None
    """People alone who would give the same standard error; ``None`` where the worth is not known."""
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
    title="Estimates",
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

    FORMAT, FILE, KEY = "combined estimates", "combine.json", "estimates"
    QUESTION, SECTION, HEADING = "people", "combined", "People and predictions together"
    SAYS = ("provenance",)
    TABLES = (ESTIMATES, LEFT_OUT_CELLS)
    UNSHOWN = frozenset({"left_out"})
    PICTURES = (PictureOf("estimates", "answers_plots.combined_picture", small=True),)

    estimates: tuple[CombinedEstimate, ...]
    sentence: str
    level: float = 0.95
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)

    def sentences(self) -> Sequence[str]:
        """Return what the predictions are worth, and what to look at before using it."""
        return [self.sentence, *(say("combine.note.before", line=line) for line in self.warnings)]

    def notes(self) -> Sequence[str]:
        """Say what the estimates rest on, and what the columns are."""
        told = in_question(self.estimates)
        return [
            say("combine.note.people", **_both_counts(told)),
            *dict.fromkeys(  # those of numbers without an interval are below the table
                part.note
                for one in told
                for part in (one.estimate, one.worth)
                if part.note and part.interval is not None
            ),
        ]

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        told = in_question(self.estimates)
        counts = _both_counts(told)
        return say(
            "combine.method.made",
            **counts,
            one_person=counts["people"] == "1",
            one_prediction=counts["further"] == "1",
            n=None if len(told) == 1 else len(told),
            concord=concord,
            level=self.level,
        )


def _both_counts(told: Sequence[CombinedEstimate]) -> dict[str, str]:
    return {
        "people": _range_words([one.n_people for one in told]),
        "further": _range_words([one.n_predictions for one in told]),
    }


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

    FORMAT, FILE, KEY = "sequential estimates", "sequential.json", "looks"
    QUESTION, SECTION, HEADING = "people", "sequential", "People until enough"
    SAYS = ("provenance",)
    TABLES = (LOOKS,)
    UNSHOWN = frozenset({"rules", "parts", "known", "batches", "arms", "looks.purchase"})
    PICTURES = (PictureOf("looks", "answers_plots.looks_picture", small=True),)

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
            *(say("combine.note.before", line=line) for line in self.warnings),
        ]

    def notes(self) -> Sequence[str]:
        """Say what the interval is, and what it cannot see."""
        rules = self.rules
        if rules.max_people is not None:
            how = say("combine.note.maximum", n=rules.max_people)
        else:
            how = say("combine.note.width" if rules.stop == "width" else "combine.note.any")
        return [how + ("" if rules.exact else say("combine.note.rare")), say("combine.note.saved")]

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        now, rules = self.looks[-1], self.rules
        if rules.exact:
            how = say("combine.method.betting")
        elif rules.max_people is not None:
            how = say("combine.method.maximum", n=rules.max_people)
        elif rules.stop == "width":
            how = say("combine.method.width")
        else:
            how = say("combine.method.mixture", n=rules.planned_people)
        counts = {"n": len(self.looks), "people": now.n_people, "predictions": now.n_predictions}
        return say("combine.method.looks", **counts, concord=concord, level=rules.level, how=how)


def _now_words(of: str, now: BatchLook) -> Iterator[str]:
    counts, ends = {"n": now.n_people, "m": now.n_predictions, "of": of}, now.estimate.interval
    if now.estimate.value is None or ends is None:
        yield say("combine.now.none", **counts, why=now.estimate.note)
    else:
        span = {"low": ends.low, "high": ends.high, "level": ends.level}
        yield say("combine.now.found", **counts, value=now.estimate.value, **span)
    if now.enough:
        yield say("combine.now.enough", why=now.enough)


def _price_words(now: BatchLook, rules: SequenceRules) -> Iterator[str]:
    if now.price is None or rules.exact:
        return
    nothing = now.saved is None or now.saved < 0.005
    price = now.price if rules.stop == "any" else None
    yield say("combine.now.saved", nothing=nothing, share=now.saved, price=price)


def _next_words(now: BatchLook) -> Iterator[str]:
    step = now.purchase
    if step is None or now.enough:
        return
    kind, n = ("people", step.people) if step.people else ("replies", step.replies)
    yield say(
        "combine.now.buy",
        what=say(f"combine.next.{kind}", n=n),
        cost=step.cost,
        people=step.people_in_all,
        replies=step.replies_in_all,
        in_all=step.cost_in_all,
    )

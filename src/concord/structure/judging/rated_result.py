"""What scores of single answers say about judges, declared once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from concord.kinds import FILE, PAGE, Column, Kind, PictureOf, Table
from concord.records import Estimate, InputFile
from concord.structure import NAME
from concord.words import say


@dataclass(frozen=True, slots=True)
class RatingJudge:
    """One judge who gave scores."""

    judge: str
    n_scores: int
    n_answers: int
    n_items: int
    n_labels: int
    """Answers that people scored too."""
    n_unread: int
    mean: Estimate
    noise: Estimate
    """Share of the spread of scores that is the judge's own: it differs when one answer is scored again."""
    repeat_sd: Estimate
    """Standard deviation of scores of one answer, in points."""
    agreement: Estimate
    """With people: concordance, which for levels is κ with quadratic weights."""
    bias: Estimate
    """Judge minus people, in points."""
    calibration: Estimate
    """Slope of people's scores on the judge's: below 1 it exaggerates differences."""
    length: Estimate
    """Points for an answer twice as long: at the same score of people where known, else within items."""
    own_family: Estimate
    """Bias for systems of the judge's own family minus that for others."""
    place: Estimate
    """Points from one place in a batch to the next."""
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class RatedGroup:
    """Answers of a system, a group, or under one order of the rubric, as one judge scored them."""

    judge: str
    by: str
    """``system``, ``group`` or ``rubric``."""
    name: str
    n_answers: int
    n_labels: int
    mean: Estimate
    """As judged."""
    bias: Estimate
    """Judge minus people; for a rubric, minus the mean of the same answers under all orders."""
    corrected: Estimate
    """What people would say of all answers, from those that they scored and what the judge said of all."""
    labels_needed: int | None
    """Labels in all for the wished margin."""
    label_sd: float | None = None
    """Standard deviation of labels, as clusters make it, and their correlation with the judge's scores."""
    correlation: float | None = None


@dataclass(frozen=True, slots=True)
class RatedPair:
    """Two systems under one judge, by item."""

    judge: str
    a: str
    b: str
    n_items: int
    difference: Estimate
    """As judged."""
    corrected: Estimate
    p_value: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Answers to which a judge gave like scores."""

    judge: str
    low: float
    high: float
    n: int
    judged: float
    human: Estimate


def _files_of(name: str) -> dict[str, str]:
    return {name: "value", f"{name}_low": "low", f"{name}_high": "high", f"{name}_note": "note"}


def _shown_number(name: str, title: str, *, sign: bool = False, on: tuple[str, ...] | None = None) -> Column:
    choices: dict[str, Any] = {} if on is None else {"on": on}
    return Column(name, title=title, digits=2, sign=sign, spread=_files_of(name), **choices)


JUDGES = Table(
    "judges",
    rows=lambda result: result.judges,
    title="Each judge",
    file="judge_scores.csv",
    columns=(
        Column("judge", words=True),
        _shown_number("noise", "own noise"),
        _shown_number("repeat_sd", "SD of repeats", on=(FILE, PAGE)),
        _shown_number("agreement", "with people"),
        _shown_number("bias", "bias", sign=True),
        _shown_number("calibration", "slope", on=(FILE, PAGE)),
        _shown_number("length", "twice as long", sign=True),
        _shown_number("own_family", "own family", sign=True, on=(FILE, PAGE)),
        _shown_number("place", "place in batch", sign=True, on=(FILE, PAGE)),
        _shown_number("mean", "mean"),
        Column("n_answers", title="answers", count=True),
        Column("n_scores", title="scores", count=True, on=(FILE, PAGE)),
        Column("n_items", title="items", count=True, on=(FILE, PAGE)),
        Column("n_labels", title="scored by people", count=True),
        Column("n_unread", title="without a score", count=True, on=(FILE, PAGE)),
    ),
)
GROUPS = Table(
    "systems",
    rows=lambda result: result.groups,
    title="As judged, and as people would say",
    file="judge_systems.csv",
    columns=(
        Column("judge", words=True),
        Column("by", words=True),
        Column("name", words=True),
        _shown_number("mean", "as judged"),
        _shown_number("corrected", "corrected"),
        Column("labels_needed", title="labels needed", count=True, optional=True),
        _shown_number("bias", "bias", sign=True),
        Column("n_answers", title="answers", count=True),
        Column("n_labels", title="scored by people", count=True),
        Column("label_sd", title="SD of labels", on=(FILE, PAGE)),
        Column("correlation", title="r", on=(FILE, PAGE)),
    ),
)
PAIRS = Table(
    "pairs",
    rows=lambda result: result.pairs,
    title="Systems compared",
    file="judge_pairs.csv",
    columns=(
        Column("judge", words=True),
        Column("a", words=True),
        Column("b", words=True),
        _shown_number("difference", "as judged", sign=True),
        _shown_number("corrected", "corrected", sign=True),
        Column("p_holm", title="p (Holm)", p=True),
        Column("p_value", title="p", p=True),
        Column("n_items", title="items", count=True),
    ),
)
CALIBRATION = Table(
    "calibration",
    rows=lambda result: result.curve,
    title="What people say of answers with like scores",
    file="judge_calibration.csv",
    columns=(
        Column("judge", words=True),
        Column("low", digits=2),
        Column("high", digits=2),
        Column("n", title="answers", count=True),
        Column("judged", title="judge", digits=2),
        _shown_number("human", "as people said"),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class RatedResult(Kind):
    """What scores of single answers say about one or more judges, and about the systems judged."""

    FORMAT, FILE, KEY = "judge scores", "judge_scores.json", "curve"
    QUESTION, SECTION, HEADING = NAME, "judge-scores", "Judges who give scores"
    SAYS = ("provenance",)
    TABLES = (JUDGES, GROUPS, PAIRS, CALIBRATION)
    PICTURES = (PictureOf("systems", "structure_plots.rated_picture"),)
    CITES = ("holm1979",)

    judges: tuple[RatingJudge, ...]
    groups: tuple[RatedGroup, ...] = ()
    pairs: tuple[RatedPair, ...] = ()
    curve: tuple[CalibrationBin, ...] = ()
    margin: float = 0.05
    """Wished margin of a corrected mean, in points."""
    level: float = 0.95
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def who(self) -> list[str]:
        """Return the judges."""
        return [one.judge for one in self.judges]

    def sentences(self) -> Sequence[str]:
        """Return what may be said of each judge, and of the systems."""
        return [one.sentence for one in self.judges]

    def notes(self) -> Sequence[str]:
        """Say what the numbers are, and what they rest on."""
        return [say("judges.rated.note", margin=self.margin, level=self.level, judges=len(self.judges))]

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        answers = max((one.n_answers for one in self.judges), default=0)
        labels = max((one.n_labels for one in self.judges), default=0)
        counts = {"judges": len(self.judges), "answers": answers, "labels": labels}
        return say("judges.method.rated", concord=concord, level=self.level, **counts)

"""What a referee asks beside PAS, ECS and APR: its records, and its files with one row per test and study."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from scipy.special import ndtri

from concord.kinds import Column, Kind, PictureOf, Table
from concord.records import Estimate, Interval
from concord.stats.meta_analysis import MetaAnalysis
from concord.words import say


@dataclass(frozen=True, slots=True)
class RefereeTest:
    """One test; None where the numbers it needs are not there."""

    study: str
    sub_study: str
    finding: str
    test: str
    domain: str | None
    human_effect: float | None
    """Published effect in its native form; so the next three."""
    agent_effect: float | None
    replication_low: float | None
    """Where 95 % of human replications at the agent's n would lie."""
    replication_high: float | None
    inside: bool | None
    """Whether the agent lies there."""
    p_difference: float | None
    log_bf_replication: float | None
    """Replication Bayes factor: the human posterior as the prior, against no effect."""
    detectable: float | None
    """Effect that the human study would have found with a chance of 33 %."""
    p_too_small: float | None
    """Small telescopes: one-sided p of the agent's effect being at least that large."""
    human_d: float | None
    human_d_adjusted: float | None
    """Human d with its selection for significance undone."""
    difference_d: float | None
    """Agent minus human d, and its standard error."""
    difference_se: float | None
    human_g: float | None
    """Hedges' g."""
    agent_g: float | None
    p_equivalent: float | None
    """Of human nulls that the agent keeps: TOST of the agent's d against the smallest effect of interest."""

    def difference(self, level: float) -> Estimate:
        """Return agent minus human d with its normal interval."""
        d, se = self.difference_d, self.difference_se
        if d is None or se is None:
            return Estimate(d, note="no standard error")
        reach = float(ndtri(0.5 + level / 2)) * se
        return Estimate(d, Interval(d - reach, d + reach, level, "normal"), 1)


@dataclass(frozen=True, slots=True)
class Inside:
    """Tests inside the replication intervals, over all tests or those of one study."""

    name: str
    inside: int
    n: int
    share: Estimate
    """With its interval over studies."""
    p_value: float | None
    """Exact binomial p of the expected share; too small where tests share participants."""


@dataclass(frozen=True, slots=True)
class AgentMinusHuman:
    """Meta-analysis of agent minus human d; `meta` is None where it is undefined."""

    name: str
    meta: MetaAnalysis | None
    note: str = ""

    @property
    def mean(self) -> Estimate:
        """The mean difference, or why there is none."""
        return Estimate(None, note=self.note) if self.meta is None else self.meta.mean

    @property
    def another(self) -> Estimate | None:
        """The mean with the interval of another such test."""
        return None if self.meta is None else replace(self.meta.mean, interval=self.meta.prediction)

    def words(self, coding: str) -> str:
        """Return the mean, its spread over tests and what another test would show."""
        meta = self.meta
        if meta is None:
            return say("checks.difference_none", coding=coding, why=self.note)
        low, high = (None, None) if meta.prediction is None else (meta.prediction.low, meta.prediction.high)
        spread = {"tau": meta.tau2**0.5, "i2": meta.i2, "low": low, "high": high}
        return say("checks.difference", coding=coding, mean=meta.mean, **spread)


@dataclass(frozen=True, slots=True)
class PriorCell:
    """PAS under another prior: scales times a factor, prior odds on both sides."""

    scale: float
    odds: float
    pas: float | None


@dataclass(frozen=True, slots=True)
class Selection:
    """What changes once human effects are adjusted for selection; each as published and adjusted."""

    n_adjusted: int
    mean_published: float | None
    """Mean size |d| of the significant human effects."""
    mean_adjusted: float | None
    ecs: float | None
    """ECS against the adjusted human effects."""
    size_ratio: Estimate
    """Size ratio against the adjusted human effects."""
    ceiling_pas: Estimate | None
    """Ceiling of PAS where the true effects are those adjusted; None where it was not simulated."""
    ceiling_ecs: Estimate | None


@dataclass(frozen=True, slots=True)
class Equivalences:
    """Human nulls that the agent keeps, tested for equivalence."""

    margin: float
    n_kept: int
    n_equivalent: int


@dataclass(frozen=True, slots=True)
class Replications:
    """Counts over the tests with a significant human effect."""

    n: int
    n_supported: int
    """Replication Bayes factor above 3."""
    n_opposed: int
    """Below 1/3."""
    n_too_small: int
    """Significantly smaller than what the human study could see (small telescopes)."""


@dataclass(frozen=True, slots=True)
class RefereeStudy:
    """What a referee asks of one study."""

    study: str
    n: int
    """Tests with a replication interval."""
    inside: int
    """Those whose agent lies inside it."""
    difference: Estimate
    """Mean of agent minus human d."""
    n_replications: int
    """Tests with a significant human effect and a replication Bayes factor; the next three count these."""
    n_supported: int
    n_opposed: int
    n_too_small: int
    n_kept: int
    """Human nulls that the agent keeps, and those of them equivalent to 0."""
    n_equivalent: int


@dataclass(frozen=True, slots=True)
class Referee:
    """Everything that a referee asks beside PAS, ECS and APR."""

    level: float
    inside: Inside
    inside_studies: tuple[Inside, ...]
    difference: AgentMinusHuman
    """As tests are coded."""
    difference_sized: AgentMinusHuman
    """All human effects taken as positive: are the agent's larger or smaller?"""
    difference_domains: tuple[AgentMinusHuman, ...]
    replications: Replications
    equivalence: Equivalences
    selection: Selection
    priors: tuple[PriorCell, ...]
    ecs_hedges: float | None
    """ECS of Hedges' g."""
    ecs_precision: float | None
    """ECS with tests weighted by their precision."""
    tests: tuple[RefereeTest, ...]
    studies: tuple[RefereeStudy, ...] = ()
    """The same study by study."""

    def sentences(self) -> Iterator[str]:
        """Yield one sentence per question of a referee."""
        inside = self.inside
        if inside.n:
            counted = {"k": inside.inside, "n": inside.n, "share": inside.share}
            yield say("checks.inside", **counted, level=self.level)
        yield self.difference.words(say("checks.as_coded"))
        yield self.difference_sized.words(say("checks.positive"))
        found = self.replications
        if found.n:
            against = {"m": found.n_opposed, "small": found.n_too_small}
            yield say("checks.replications", n=found.n, k=found.n_supported, **against)
        kept = self.equivalence
        if kept.n_kept:
            yield say("checks.equivalent", k=kept.n_equivalent, n=kept.n_kept, margin=f"{kept.margin:g}")
        yield from self._selection()
        known = [cell.pas for cell in self.priors if cell.pas is not None]
        if known:
            yield say("checks.priors", low=min(known), high=max(known))
        yield say("checks.ecs", hedges=self.ecs_hedges, precision=self.ecs_precision)

    def _selection(self) -> Iterator[str]:
        found = self.selection
        if not found.n_adjusted:
            return
        ceilings = "".join(
            say("checks.ceiling", name=name, value=one, n=one.n)
            for name, one in (("PAS", found.ceiling_pas), ("ECS", found.ceiling_ecs))
            if one is not None
        )
        yield say(
            "checks.bias",
            n=found.n_adjusted,
            published=found.mean_published,
            adjusted=found.mean_adjusted,
            ratio=found.size_ratio,
            tests=found.size_ratio.n,
            ecs=found.ecs,
            ceilings=ceilings,
        )


def _meta(get: Callable[[MetaAnalysis], object]) -> Callable[[AgentMinusHuman], object]:
    return lambda one: None if one.meta is None else get(one.meta)


TESTS = Table(
    "tests",
    rows=lambda result: result.referee.tests,
    file="referee.csv",
    on=(),
    columns=tuple(Column(one.name) for one in fields(RefereeTest)),
)
INSIDE = Table(
    "inside",
    rows=lambda result: (result.referee.inside, *result.referee.inside_studies),
    title="Tests inside the interval of a human replication",
    folded=True,
    columns=(
        Column("name", title="tests of", words=True),
        Column("inside", count=True),
        Column("n", title="tests", count=True),
        Column("share"),
        Column("p_value", title="p", p=True),
    ),
)
DIFFERENCES = Table(
    "differences",
    rows=lambda result: (
        result.referee.difference,
        result.referee.difference_sized,
        *result.referee.difference_domains,
    ),
    title="Meta-analysis of the model's d minus people's",
    folded=True,
    columns=(
        Column("name", title="tests", words=True),
        Column("mean", sign=True),
        Column("another", title="another test", sign=True),
        Column("se", _meta(lambda meta: meta.se), "SE"),
        Column("df", _meta(lambda meta: meta.df), digits=1),
        Column("tau", _meta(lambda meta: meta.tau2**0.5)),
        Column("i2", _meta(lambda meta: meta.i2), "I²"),
        Column("q", _meta(lambda meta: meta.q), "Q"),
        Column("q_df", _meta(lambda meta: meta.q_df), "df of Q", count=True),
        Column("q_p", _meta(lambda meta: meta.q_p), "p of Q", p=True),
        Column("p", _meta(lambda meta: meta.p_value), p=True),
        Column("n", _meta(lambda meta: meta.n), "tests", count=True),
        Column("n_clusters", _meta(lambda meta: meta.n_clusters), "clusters", count=True),
    ),
)
STUDIES = Table(
    "studies",
    rows=lambda result: result.referee.studies,
    title="By study: difference, replication Bayes factors, small telescopes, equivalence",
    file="referee_studies.csv",
    folded=True,
    columns=(
        Column("study", words=True),
        Column(
            "difference",
            title="model − human d",
            sign=True,
            spread={"difference_d": "value", "difference_low": "low", "difference_high": "high"},
        ),
        Column("n", title="tests", count=True),
        Column("inside", count=True),
        Column("n_replications", title="human effects", count=True),
        Column("n_supported", title="factor above 3", count=True),
        Column("n_opposed", title="below 1/3", count=True),
        Column("n_too_small", title="too small", count=True),
        Column("n_kept", title="nulls that hold", count=True),
        Column("n_equivalent", title="equivalent", count=True),
    ),
)
PRIORS = Table(
    "priors",
    rows=lambda result: result.referee.priors,
    title="PAS under other priors",
    folded=True,
    columns=(
        Column("scale", title="scales of the priors ×"),
        Column("odds", title="prior odds"),
        Column("pas", title="PAS"),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class RefereeResult(Kind):
    """What a referee asks of one model."""

    FORMAT, FILE, KEY = "people result for the referee", "referee.json", "inside_replication_intervals"
    QUESTION, SECTION, HEADING = "people", "referee", "Further checks"
    TABLES = (TESTS, INSIDE, DIFFERENCES, STUDIES, PRIORS)
    PICTURES = (
        PictureOf(
            "differences",
            "people_plots.referee_picture",
            lambda result: say("checks.caption", level=result.referee.level),
        ),
    )
    OF_ONE_MODEL = True
    UNSHOWN = frozenset({"referee.tests"})  # a row each in its file

    model: str | None
    referee: Referee

    @property
    def level(self) -> float:
        """Of all intervals."""
        return self.referee.level

    def sentences(self) -> Sequence[str]:
        """Return one sentence per question of a referee."""
        first, *rest = self.referee.sentences()
        named = first if self.model is None else say("checks.of_model", model=self.model, said=first)
        return [named, *rest]

    def document(self) -> dict[str, Any]:
        """Return what `referee.json` holds."""
        inside = self.referee.inside
        counted = {"inside": inside.inside, "n": inside.n, "expected": self.referee.level * inside.n}
        held: dict[str, Any] = Kind.document(self)
        return {"question": self.QUESTION, "model": self.model, self.KEY: counted, "referee": held["referee"]}

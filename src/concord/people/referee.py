"""What a referee asks beside PAS, ECS and APR: its records, and its files with one row per test and study."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from concord.files.codec import decode, encode
from concord.files.documents import heading, need_keys, read_document
from concord.files.output import write_csv, write_json
from concord.records import Estimate
from concord.stats.meta_analysis import MetaAnalysis


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
    """The same study by study; empty in files written before it was kept."""


DOCUMENT, TABLE, STUDIES = "referee.json", "referee.csv", "referee_studies.csv"
KEY = "inside_replication_intervals"
_KIND = "people result for the referee"


def referee_document(found: Referee, model: str | None) -> dict[str, Any]:
    """Return what `referee.json` holds."""
    inside = found.inside
    return {
        **heading(_KIND),
        "question": "people",
        "model": model,
        KEY: {"inside": inside.inside, "n": inside.n, "expected": found.level * inside.n},
        "referee": encode(found),
    }


def write_referee(found: Referee, folder: Path, model: str | None) -> tuple[Path, ...]:
    """Write all files; the inverse of `read_referee`."""
    names = [field.name for field in fields(RefereeTest)]
    rows = [[getattr(test, name) for name in names] for test in found.tests]
    write_csv(folder / TABLE, names, rows)
    write_csv(folder / STUDIES, *_study_rows(found.studies))
    write_json(folder / DOCUMENT, referee_document(found, model))
    return folder / DOCUMENT, folder / TABLE, folder / STUDIES


def _study_rows(studies: Sequence[RefereeStudy]) -> tuple[list[str], list[list[object]]]:
    """Return the columns and rows of the table of studies; the difference with its ends."""
    counts = [field.name for field in fields(RefereeStudy) if field.name not in ("study", "difference")]
    rows: list[list[object]] = []
    for one in studies:
        ends = one.difference.interval
        difference = [one.difference.value, *((None, None) if ends is None else (ends.low, ends.high))]
        rows.append([one.study, *difference, *(getattr(one, name) for name in counts)])
    return ["study", "difference_d", "difference_low", "difference_high", *counts], rows


def read_referee(folder: Path) -> Referee | None:
    """Read what a folder holds for the referee; None where it holds nothing."""
    return referee_of(folder / DOCUMENT)[1] if (folder / DOCUMENT).is_file() else None


def referee_of(path: Path) -> tuple[str | None, Referee]:
    """Read one file: the model and its numbers."""
    document = read_document(path, _KIND)
    need_keys(document, ("referee",), path)
    return document.get("model"), decode(Referee, document["referee"], where=f"{path}, 'referee'")

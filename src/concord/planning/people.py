"""Plans for agreement with people: participants that find human effects, studies that distinguish models."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from concord.comparing.metrics import CompareRequest
from concord.comparing.people import KIND as RESULTS
from concord.comparing.people import compare_people_folders, read_people_folder
from concord.errors import OptionError, UndefinedError
from concord.files.documents import provenance
from concord.people import NAME
from concord.people.compare import METRICS
from concord.planning.kinds import PlanKind
from concord.planning.options import PlanOptions
from concord.records import InputFile, Presented
from concord.stats.compare import Choices
from concord.stats.power import detectable_effect, fewest, items_needed, power_paired, power_two_sample


@dataclass(frozen=True, slots=True, repr=False)
class ParticipantsPlan(Presented):
    """How many participants find a standardised difference."""

    d: float
    a_group: int
    """In each of two groups that meet one condition each."""
    paired: int
    """In all, where each participant meets both conditions and d is that of the differences (d_z)."""
    power: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {
            "question": "plan",
            "kind": "participants",
            "d": self.d,
            "power": self.power,
            "level": self.level,
            "participants_a_group": self.a_group,
            "participants_paired": self.paired,
            **provenance(()),
        }


def participants_needed(d: float, *, power: float = 0.8, level: float = 0.95) -> ParticipantsPlan:
    """Work out how many participants find a standardised difference with t tests."""
    if not (d > 0 and np.isfinite(d)):
        raise OptionError(f"d is {d!r}; expected a standardised difference above 0, such as 0.5")
    wanted = PlanOptions(power=power, level=level)
    alpha = 1 - wanted.level
    groups = fewest(lambda n: power_two_sample(d, n, n, alpha=alpha), power, d)
    return ParticipantsPlan(d, groups, items_needed(d, 1.0, power=power, alpha=alpha), power, level)


@dataclass(frozen=True, slots=True)
class EffectParticipants:
    """One human effect and the participants that find it."""

    study: str
    finding: str
    test: str
    human_d: float
    a_group: int


@dataclass(frozen=True, slots=True)
class StudiesPlan:
    """What so many studies tell about the difference of two models."""

    metric: str
    n_studies: int
    se: float
    """Standard error of the difference over studies like these."""
    power: float | None
    """Power of these studies for the wanted effect."""
    detectable: float
    studies_needed: int | None


@dataclass(frozen=True, slots=True, repr=False)
class PeoplePlan(Presented):
    """A plan from results about people."""

    based_on: str
    wanted: PlanOptions
    participants: tuple[EffectParticipants, ...]
    """Human effects that were significant, the largest number of participants first."""
    n_left_out: int
    """Tests without a significant human effect: there is no size to look for."""
    studies: StudiesPlan | None = None
    """With two results."""
    warnings: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()

    def finding(self, share: float) -> int | None:
        """Return the participants per group that find that share of the effects with the wanted power."""
        if not self.participants:
            return None
        needed = sorted(one.a_group for one in self.participants)
        return needed[int(np.ceil(share * len(needed))) - 1]

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {
            "question": "plan",
            "kind": NAME,
            "based_on": self.based_on,
            "participants": [asdict(one) for one in self.participants],
            "participants_for_half": self.finding(0.5),
            "participants_for_nine_in_ten": self.finding(0.9),
            "n_tests_left_out": self.n_left_out,
            "studies": None if self.studies is None else asdict(self.studies),
            "wanted": asdict(self.wanted),
            "warnings": list(self.warnings),
            **provenance(self.inputs),
        }


def plan_people(sources: Sequence[Any], wanted: PlanOptions, metric: str | None) -> PeoplePlan:
    """Plan from one or two folders of `concord score people`."""
    if len(sources) > 2:
        raise OptionError(f"a plan needs the results of one or two models, got {len(sources)}")
    chosen = "pas" if metric is None else metric.lower()
    if chosen not in METRICS:
        raise OptionError(f"the metric is {metric!r}; results about people have {', '.join(METRICS)}")
    folders = [read_people_folder(Path(source)) for source in sources]
    folder = folders[0]
    rows = [
        EffectParticipants(test.study, test.finding, test.test, d, _a_group(abs(d), wanted))
        for test in folder.scores.tests
        if (d := test.human_effect_d) is not None and d != 0 and test.human_significant
    ]
    rows.sort(key=lambda one: -one.a_group)
    studies, notes = None, []
    if len(sources) == 2:
        try:
            studies = _studies(sources, wanted, chosen)
        except UndefinedError as reason:
            notes.append(str(reason))
    names = " and ".join(Path(source).resolve().name for source in sources)
    return PeoplePlan(
        based_on=f"results about people: {names}",
        wanted=wanted,
        participants=tuple(rows),
        n_left_out=len(folder.scores.tests) - len(rows),
        studies=studies,
        warnings=tuple(notes),
        inputs=tuple(file for one in folders for file in one.inputs),
    )


def _a_group(d: float, wanted: PlanOptions) -> int:
    return participants_needed(d, power=wanted.power, level=wanted.level).a_group


def _studies(sources: Sequence[Any], wanted: PlanOptions, metric: str) -> StudiesPlan:
    """Take the spread of a difference over studies from a comparison, and plan with it."""
    request = CompareRequest(sources, metric=metric, choices=Choices(level=wanted.level))
    compared = compare_people_folders(request)
    found = next(one for one in compared.pairs[0].metrics if one.metric == metric)
    interval, n = found.difference.interval, found.n_clusters
    if interval is None:
        raise UndefinedError(f"the difference of {metric.upper()} cannot be planned: {found.difference.note}")
    alpha = 1 - wanted.level
    se = (interval.high - interval.low) / 2 / float(stdtrit(n - 1, 0.5 + wanted.level / 2))
    sd, effect = se * float(np.sqrt(n)), wanted.effect
    return StudiesPlan(
        metric=metric,
        n_studies=n,
        se=se,
        power=None if effect is None else power_paired(effect, sd, n, alpha=alpha),
        detectable=detectable_effect(sd, n, power=wanted.power, alpha=alpha),
        studies_needed=None
        if effect is None
        else max(3, items_needed(effect, sd, power=wanted.power, alpha=alpha)),
    )


KIND = PlanKind(RESULTS.words, RESULTS.holds, plan_people)

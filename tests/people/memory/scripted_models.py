"""Scripted models: one answers like people whatever the words, one only where it knows the study."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from tests.people.studies.people_like import SCRIPTS, PeopleLike, Person

from concord import studies
from concord.people.memory import MARK, base_of
from concord.people.studies.load import bundled_studies, find_studies, with_variants
from concord.people.studies.plan import StudyPlan, plan_study
from concord.people.studies.sessions import Question

NAMES = sorted(name for name, file in bundled_studies().items() if file.study.variants)


@dataclass
class RandomPerson(Person):
    """A participant who draws at random; a forgetful one does not know the condition it is in."""

    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    seen: list[Mapping[str, str]] = field(default_factory=list)
    """Conditions of the experiment, of which a forgetful person takes any."""
    draws: dict[int, float] = field(default_factory=dict)
    is_forgetful: bool = False

    @property
    def cell(self) -> Mapping[str, str]:
        if not self.is_forgetful:
            return self.question.condition
        return self.seen[int(self.rng.integers(len(self.seen)))]

    def uniform(self, dimension: int) -> float:
        if dimension not in self.draws:
            self.draws[dimension] = float(self.rng.uniform(1e-6, 1 - 1e-6))
        return self.draws[dimension]


class ScriptedModel:
    """A model that answers six studies and their variants like people, or only the originals."""

    def __init__(self, seed: int, *, from_memory: bool) -> None:
        self.rng, self.from_memory = np.random.default_rng(seed), from_memory
        self.likes = {name: PeopleLike(SCRIPTS[name], 1) for name in NAMES}
        self.seen: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)

    def __call__(self, question: Question) -> str:
        plan = question.session.plan
        like = self.likes[base_of(plan.study)]
        key = (f"{plan.study} {plan.id}", question.member.number)
        seen = self.seen[plan.study, plan.experiment]
        seen.append(question.condition)
        if key not in like.people:
            like.people[key] = RandomPerson(
                question, 0, rng=self.rng, seen=seen, is_forgetful=self.from_memory and MARK in plan.study
            )
        return like.said(key, question)


def plans(n: int) -> tuple[StudyPlan, ...]:
    """Plan the six studies and their variants."""
    return tuple(plan_study(file, n=n) for file in with_variants(find_studies(NAMES), "all"))


def verdict(seed: int, planned: tuple[StudyPlan, ...], *, from_memory: bool) -> studies.StudiesResult:
    """Run a scripted model that recognises every study."""
    said = {name: f"Authors: {bundled_studies()[name].study.source.authors}\nYear: 1900" for name in NAMES}
    model = ScriptedModel(seed, from_memory=from_memory)
    done: studies.StudiesResult = studies.run(planned, model, said=said, n_resamples=0, n_simulations=0)
    return done

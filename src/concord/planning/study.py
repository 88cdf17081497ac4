"""A plan for a study of your own: n per cell for each planned test, for people and models, with the cost.

All tests follow from one size, d, the difference of two means in standard deviations. Of k means the largest
and the smallest differ by d and the others lie between: Cohen's f = d·√(1/2k). Of an interaction d is the
difference between simple effects, and f the product over its factors: d/4 in a 2 × 2 design.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.kinds import Column, Table
from concord.people.studies.catalog import cells_of
from concord.people.studies.format import Experiment, Study, Test
from concord.people.studies.load import find_studies
from concord.people.studies.plan import declared_sizes
from concord.planning.options import PlanKind, PlanRecord, PlanRequest
from concord.stats.power import fewest, power_paired, power_two_sample
from concord.words import say

_REPEATED = ("t-paired", "wilcoxon", "anova-within")
"""Tests that the correlation of repeated measures matters to."""
_ASYMPTOTIC = 3 / math.pi
"""Efficiency of rank tests beside t where answers are normal."""


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One test of a study: what it needs, and what the declared cells give."""

    finding: str
    test: str
    kind: str
    check: bool
    n_cells: int
    n_per_cell: int | None
    """Participants per cell; ``None`` where it cannot be planned."""
    participants: int | None
    declared: int
    """Participants that the study's own cells hold."""
    power: float | None
    """With the declared cells."""
    cost_people: float | None = None
    cost_model: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class StudyTestsPlan(PlanRecord):
    """What the tests of a study need."""

    KIND = "study"
    PLANNED = ("d", "correlation", "tests")
    TABLES = (
        Table(
            "tests",
            rows=lambda result: result.tests,
            title="Participants that each test needs",
            columns=(
                Column("test", words=True),
                Column("kind", words=True),
                Column("n_per_cell", title="per cell", count=True),
                Column("participants", title="in all", count=True),
                Column("declared", count=True),
                Column("power", title="power as declared"),
                Column("cost_people", title="people cost", optional=True),
                Column("cost_model", title="model costs", optional=True),
                Column("note", words=True, optional=True),
            ),
        ),
    )

    d: float
    correlation: float
    tests: tuple[PlannedTest, ...]

    def lines(self) -> Iterator[str]:
        """Say what the largest test needs, and what it costs."""
        known = [one for one in self.tests if one.participants is not None]
        power = self.wanted.power
        yield say("plan.study.find", d=self.d, power=power, study=self.based_on, r=self.correlation)
        if known:
            most = max(known, key=lambda one: one.participants or 0)
            sizes = {"each": most.n_per_cell, "cells": most.n_cells, "n": most.participants}
            yield say("plan.study.all", **sizes, test=repr(most.test))
            if most.cost_people is not None:
                yield say("plan.study.people", cost=most.cost_people)
            if most.cost_model is not None:
                yield say("plan.study.model", cost=most.cost_model)


def power_f(ncp: float, df1: float, df2: float, alpha: float) -> float:
    """Power of an F test, from the noncentral F distribution."""
    if df2 <= 0:
        return 0.0
    critical = float(special.fdtri(df1, df2, 1 - alpha))
    return 1 - float(special.ncfdtr(df1, df2, ncp, critical))


def cohen_f(d: float, levels: Sequence[int]) -> float:
    """Return Cohen's f of an effect: d·∏√(1/2k) over the levels of its factors.

    >>> cohen_f(0.5, [2]), cohen_f(0.5, [2, 2])
    (0.25, 0.125)
    """
    return d * math.prod(math.sqrt(1 / (2 * k)) for k in levels)


def power_of_test(
    study: Study, test: Test, *, d: float, correlation: float, alpha: float
) -> Callable[[int], float]:
    """Return the power of a test as a function of participants per cell."""
    experiment = study.experiments[test.experiment]
    cells = len(cells_of(experiment))
    kind = test.test
    if kind in ("t-independent", "t-welch", "mann-whitney"):
        share = 1 / _levels(experiment, "" if test.groups is None else test.groups.by)
        lost = _ASYMPTOTIC if kind == "mann-whitney" else 1.0
        return lambda n: power_two_sample(d, n * cells * share * lost, n * cells * share * lost, alpha=alpha)
    if kind in ("t-paired", "wilcoxon", "t-one-sample"):
        spread = math.sqrt(2 * (1 - correlation)) if kind != "t-one-sample" else 1.0
        lost = _ASYMPTOTIC if kind == "wilcoxon" else 1.0
        return lambda n: power_paired(d, spread, n * cells * lost, alpha=alpha)
    if kind == "anova":
        named = [test.groups.by] if test.groups is not None else _effect_names(test.effect)
        levels = [_levels(experiment, name) for name in named]
        f, df1 = cohen_f(d, levels), math.prod(k - 1 for k in levels)
        within = math.prod(_levels(experiment, name) for name in (test.between or named))
        return lambda n: power_f(f * f * n * cells, df1, n * cells - within, alpha)
    if kind == "anova-within":
        m = len(test.measures or ())
        f = cohen_f(d, [m])
        return lambda n: power_f(
            n * cells * m * f * f / (1 - correlation), m - 1, (m - 1) * (n * cells - 1), alpha
        )
    if kind in ("regression", "pearson", "spearman"):
        f, k = (
            d / 2,
            len(_effect_names(test.predictors)) + len(test.covariates) if kind == "regression" else 1,
        )
        return lambda n: power_f(f * f * n * cells, 1, n * cells - k - 1, alpha)
    if kind == "chi-square":
        critical = float(special.chdtri(1, alpha))
        return lambda n: 1 - float(special.chndtr(critical, 1, (d / 2) ** 2 * n * cells))
    raise UndefinedError(f"a test {kind!r} is not planned")


def _effect_names(value: str | Sequence[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _levels(experiment: Experiment, name: str) -> int:
    """Return how many levels a factor or answer has; 2 where it is none."""
    factor = experiment.factors.get(name)
    return 2 if factor is None else len(factor.names)


def plan_study_tests(asked: PlanRequest) -> StudyTestsPlan:
    """Plan every test of a study file."""
    if len(asked.sources) != 1:
        raise OptionError("plan study needs one study: concord plan study mine.yaml")
    file = find_studies([str(asked.sources[0])])[0]
    wanted, assumed = asked.wanted, asked.assumed
    d = 0.5 if wanted.effect is None else wanted.effect
    correlation = assumed.get("correlation", 0.5)
    if not 0 <= correlation < 1:
        raise OptionError(f"correlation is {correlation:g}; of repeated measures it is from 0 to below 1")
    if not any(test.test in _REPEATED for spec in file.study.findings.values() for test in spec.tests):
        asked.refuse("correlation", why="no test of the study is of repeated measures")
    rows = [
        _planned_test(file.study, name, test, d, correlation, asked)
        for name, spec in file.study.findings.items()
        for test in spec.tests
    ]
    return StudyTestsPlan(
        based_on=file.file.name,
        wanted=wanted,
        d=d,
        correlation=correlation,
        tests=tuple(sorted(rows, key=lambda one: not one.check)),
        inputs=(file.file,),
    )


def _planned_test(
    study: Study, finding: str, test: Test, d: float, correlation: float, asked: PlanRequest
) -> PlannedTest:
    experiment = study.experiments[test.experiment]
    cells = len(cells_of(experiment))
    sizes = declared_sizes(experiment)
    place = (finding, test.name, test.test, test.check is not None, cells)
    alpha = 1 - asked.wanted.level
    try:
        power_at = power_of_test(study, test, d=d, correlation=correlation, alpha=alpha)
        n = max(2, fewest(power_at, asked.wanted.power, d))
    except UndefinedError as reason:
        return PlannedTest(*place, None, None, sum(sizes), None, note=str(reason))
    person, reply = asked.assumed.get("person_cost"), asked.assumed.get("reply_cost")
    return PlannedTest(
        *place,
        n,
        n * cells,
        sum(sizes),
        power_at(min(sizes)),
        None if person is None else n * cells * person,
        None if reply is None else n * cells * reply * len(experiment.steps),
        "unequal cells: the smallest counts" if len(set(sizes)) > 1 else "",
    )


STUDY = PlanKind(
    "study",
    "a plan for a study",
    plan_study_tests,
    words="a study",
    holds=lambda source: isinstance(source, str | Path) and Path(source).suffix in (".yaml", ".yml"),
    assumed=("correlation", "person_cost", "reply_cost"),
    wanted=("effect", "power", "level"),
    mixes=True,
)

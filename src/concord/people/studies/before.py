"""A study before people: described by cells, manipulation checks first; and people's own answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from concord.errors import FileFormatError, TableError, UndefinedError
from concord.files.contents import fingerprint, read_bytes
from concord.files.declared import DeclaredTable, TableColumn
from concord.files.tables import TableOptions, grid_of
from concord.kinds import Column, Kind, Table
from concord.people.studies.catalog import (
    Variable,
    observed_variables,
    participant_variables,
    read_answer,
    read_value,
)
from concord.people.studies.expressions import Value, parse_expression
from concord.people.studies.observe import Observations, Row, label, observe
from concord.people.studies.plan import StudyPlan
from concord.people.studies.sessions import replaying
from concord.people.studies.tests import agent_statistic, groups_differ
from concord.records import InputFile
from concord.words import say


@dataclass(frozen=True, slots=True)
class DescribedCell:
    """One variable in one condition."""

    study: str
    experiment: str
    condition: str
    variable: str
    n: int
    mean: float | None
    sd: float | None
    shares: str = ""
    """Of a choice: each answer with its count."""


@dataclass(frozen=True, slots=True)
class DescribedTest:
    """A test on the answers of the model alone."""

    study: str
    finding: str
    test: str
    kind: str
    check: bool
    """Whether it is a manipulation check."""
    statistic: float | None
    df1: float | None
    df2: float | None
    p: float | None
    passed: bool | None
    """Of a check: whether it is significant; none where it could not be tested."""
    flag: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class StudyDescription(Kind):
    """What a model answered in a study that no people have answered yet."""

    FORMAT, FILE, KEY = "study description", "description.json", "cells"
    QUESTION, SECTION, HEADING = "people", "described", "Before people are asked"
    SAYS = ("provenance",)
    TABLES = (
        Table(
            "tests",
            rows=lambda result: sorted(result.tests, key=lambda one: not one.check),
            title="Tests, manipulation checks first",
            file="described_tests.csv",
            columns=(
                Column("study", words=True),
                Column("finding", words=True),
                Column("test", words=True),
                Column("check", title="manipulation check", words=True),
                Column("passed", words=True, optional=True),
                Column("statistic"),
                Column("p", p=True),
                Column("kind", words=True),
                Column("df1", optional=True),
                Column("df2", optional=True),
                Column("flag", words=True, optional=True),
            ),
        ),
        Table(
            "cells",
            rows=lambda result: result.cells,
            title="Answers by condition",
            file="cells.csv",
            columns=(
                Column("study", words=True),
                Column("experiment", words=True),
                Column("condition", words=True),
                Column("variable", words=True),
                Column("n", count=True),
                Column("mean"),
                Column("sd", title="SD"),
                Column("shares", words=True, optional=True),
            ),
        ),
    )
    OF_ONE_MODEL = True

    tests: tuple[DescribedTest, ...]
    cells: tuple[DescribedCell, ...]
    model: str | None = None
    inputs: tuple[InputFile, ...] = ()

    def sentences(self) -> Sequence[str]:
        """Say what the checks show, and that nothing is compared yet."""
        checks = [one for one in self.tests if one.check]
        who = say("shared.the_model") if self.model is None else self.model
        told = [say("people.before.alone", who=who)]
        if checks:
            by = {way: ", ".join(one.test for one in checks if one.passed is way) for way in (False, None)}
            k = sum(one.passed is True for one in checks)
            told.append(say("people.before.checks", k=k, n=len(checks), failed=by[False], untested=by[None]))
        return told


def describe_observed(observed: Sequence[Observations], model: str | None) -> StudyDescription:
    """Describe the answers of some studies: tests with the checks first, and every cell."""
    return StudyDescription(
        tuple(one for each in observed for one in described_tests(each)),
        tuple(one for each in observed for one in _cells(each)),
        model,
        tuple(one.plan.file.file for one in observed),
    )


def described_tests(observed: Observations) -> list[DescribedTest]:
    """Compute every test on the answers alone; where a check fails, the others of its experiment say so."""
    study, found = observed.plan.study, []
    failed: dict[str, str] = {}
    listed = [(name, test) for name, spec in study.findings.items() for test in spec.tests]
    for name, test in sorted(listed, key=lambda one: one[1].check is None):
        values: Mapping[str, Any] = {}
        p, flag = None, failed.get(test.experiment, "")
        try:
            statistic = agent_statistic(observed, test)
            values, p = statistic.values, statistic.p_value
        except UndefinedError as fault:
            flag = "; ".join(part for part in (str(fault), flag) if part)
        passed = None
        if test.check is not None:
            passed = groups_differ(observed, test) if p is None else p < test.alpha
        if test.check is not None and passed is not True:
            ended = "could not be tested" if passed is None else "failed"
            failed[test.experiment] = f"manipulation check {test.name!r} {ended}"
        numbers = {key: _as_number(values.get(key)) for key in ("statistic", "df1", "df2")}
        found.append(
            DescribedTest(
                study.study,
                name,
                test.name,
                test.test,
                test.check is not None,
                **numbers,
                p=p,
                passed=passed,
                flag=flag,
            )
        )
    return found


def _as_number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _cells(observed: Observations) -> Iterator[DescribedCell]:
    study = observed.plan.study
    for name, experiment in study.experiments.items():
        known = participant_variables(study, name)
        factors = [factor for factor, spec in experiment.factors.items() if spec.vary == "between"]
        cells: dict[str, list[Row]] = {}
        for row in observed.participants.get(name, ()):
            cells.setdefault(", ".join(label(row.get(factor)) for factor in factors), []).append(row)
        for condition, rows in sorted(cells.items()):
            for variable in known.values():
                if variable.origin in ("answer", "derived"):
                    yield _described_cell(
                        (study.study, name, condition), variable, [row.get(variable.name) for row in rows]
                    )


def _described_cell(
    place: tuple[str, str, str], variable: Variable, values: Sequence[Value]
) -> DescribedCell:
    given = [value for value in values if value is not None]
    if variable.words is not None:
        counted = ", ".join(f"{word} {sum(label(v) == word for v in given)}" for word in variable.words)
        return DescribedCell(*place, variable.name, len(given), None, None, counted)
    numbers = np.array([float(value) for value in given], dtype=np.float64)
    mean = float(numbers.mean()) if numbers.size else None
    sd = float(numbers.std(ddof=1)) if numbers.size > 1 else None
    return DescribedCell(*place, variable.name, len(given), mean, sd)


def read_people(path: str | Path, plan: StudyPlan) -> tuple[Observations, InputFile]:
    """Read people's answers to a study: one row per person, a column per factor and item.

    Columns have the names that the study gives its factors and items; the experiment is the one that has
    them, or that of the column ``experiment``.
    """
    grid = grid_of(Path(path), TableOptions())
    found, place = Observations(plan), grid.name
    for name in plan.study.experiments:
        known = observed_variables(plan.study, name)
        parsed = [TableColumn(one.name, parse=partial(read_answer, one)) for one in known.values()]
        table = DeclaredTable(grid, [*parsed, TableColumn("experiment")])
        if not any(one.origin == "answer" and one.name in table.titles for one in known.values()):
            continue
        needed = [one.name for one in known.values() if one.origin == "factor" and one.words is not None]
        lacking = [one for one in needed if one not in table.titles]
        if lacking:
            raise FileFormatError(
                f"{place}: no column {lacking[0]!r}, the condition of each person in {name}"
            )
        columns = {one: table.values(one) for one in known if one in table.titles}
        only = table.values("experiment")
        if table.problems:
            raise TableError(table.problems)
        rows = [
            {one: values[i] for one, values in columns.items()}
            for i in range(table.n_rows)
            if "experiment" not in table.titles or only[i] == name
        ]
        derived = {key: parse_expression(text) for key, text in plan.study.experiments[name].derived.items()}
        found.participants[name] = [_with_derived(row, derived) for row in rows]
    if not found.participants:
        items = ", ".join(item for spec in plan.study.experiments.values() for item in spec.items)
        raise FileFormatError(f"{place}: no column is an item of {plan.study.study}; its items are {items}")
    return found, fingerprint(place, read_bytes(path))


def _with_derived(row: dict[str, Value], derived: Mapping[str, Any]) -> Row:
    for name, expression in derived.items():
        row[name] = expression(row)
    return row


def answer_rows(
    plans: Sequence[StudyPlan], replies: Mapping[str, str], model: str
) -> Iterator[dict[str, Value]]:
    """Return what every person of a table answered, as `concord score answers` reads it.

    Beside each answer of the model is the person's own, where the table holds it; in a study with roles
    answers are those of a pair, and are left out here.
    """
    weighted = any(
        member.person is not None and member.person.weight is not None
        for plan in plans
        for session in plan.sessions
        for member in session.members
    )
    for plan in plans:
        observed = observe(plan, replaying(replies))
        for name, rows in observed.participants.items():
            members = [m for one in plan.sessions if one.experiment == name for m in one.members]
            if len(members) != len(rows):
                continue
            known = observed_variables(plan.study, name)
            asked = [one for one in known.values() if one.origin == "answer"]
            factors = [one.name for one in known.values() if one.origin == "factor" and one.words is not None]
            for member, row in zip(members, rows, strict=True):
                person = member.person
                if person is None:
                    continue
                condition = ", ".join(label(row.get(factor)) for factor in factors)
                for variable in asked:
                    cell = person.own.get(variable.name)
                    yield {
                        "study": plan.study.study,
                        "condition": condition,
                        "outcome": f"{name}: {variable.name}",
                        "person": person.name,
                        "human": read_value(variable, cell, f"--persons, person {person.name!r}"),
                        "agent": row.get(variable.name),
                        "model": model,
                        **({"weight": person.weight} if weighted else {}),
                    }

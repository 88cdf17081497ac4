"""Observations: every participant's variables, what became of every answer, which replies a test reads."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from concord.files.rows import StoredRecords
from concord.people.studies.catalog import cells_of, observed_variables, row_keys
from concord.people.studies.expressions import Value, parse_expression
from concord.people.studies.format import Experiment, Study, Test
from concord.people.studies.plan import StudyPlan, alike
from concord.people.studies.replies import ITEM_OUTCOMES, ItemOutcome
from concord.people.studies.results import (
    HeldDesign,
    HeldStudy,
    ItemCount,
    ReplyItem,
    StoredReplies,
    StudyReply,
    TestInputs,
)
from concord.people.studies.sessions import Agent, Session, TurnReply, cell_values, hold, sessions_of
from concord.reading import StoredReading, stored_reading
from concord.stats.elementwise import Floats

Row = Mapping[str, Value]


@dataclass(slots=True)
class Observations:
    """What the participants of a study gave."""

    plan: StudyPlan
    participants: dict[str, list[Row]] = field(default_factory=dict)
    unread: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    """Variables of each participant that could not be read."""
    sessions: dict[str, list[Row]] = field(default_factory=dict)
    counts: dict[tuple[str, str], Counter[tuple[str, ItemOutcome]]] = field(default_factory=dict)
    replies: StoredReplies = field(default_factory=StoredReplies)
    """Every reply with where it was asked and what was read from it."""
    readings: StoredRecords[StoredReading] = field(default_factory=lambda: StoredRecords(StoredReading))
    """What was read in every reply, item by item."""
    n_unread: tuple[int, int] = (0, 0)
    """Answers of replies that could not be read, and all answers of replies."""
    _known: dict[Any, Row] = field(default_factory=dict)
    _lost: dict[frozenset[str], frozenset[str]] = field(default_factory=dict)
    ended_early: Counter[str] = field(default_factory=Counter)
    """Group sessions that ended before their last round, by experiment."""

    def add(self, session: Session) -> None:
        """Take in a finished session."""
        name = session.plan.experiment
        self.participants.setdefault(name, []).extend(alike(session.rows(), self._known))
        lost = (self._lost.setdefault(one, one) for one in session.unread())
        self.unread.setdefault(name, []).extend(lost)
        if session.compiled.spec.group is not None:
            self.sessions.setdefault(name, []).append(session.session_row())
        cell = tuple(session.plan.cell.values())
        for (item, level, outcome), n in session.outcomes.items():
            condition = ", ".join(cell if level is None else (*cell, level))
            self.counts.setdefault((name, condition), Counter())[item, outcome] += n
        for given in session.given:
            self._take(given)
        self.ended_early[name] += session.ended_early

    def _take(self, given: TurnReply) -> None:
        """Take in one reply."""
        session, member, step = given.id.rsplit("/", 2)
        study, experiment, number = session.split("/", 2)
        self.replies.append(
            StudyReply(
                given.id,
                study,
                experiment,
                ", ".join(given.condition.values()),
                f"{number}/{member}",
                step,
                tuple(
                    ReplyItem(name, str(answer.outcome), dict(answer.values))
                    for name, answer in given.answers
                ),
                given.reply,
                given.prompt,
                given.told,
            )
        )
        for item, answer in given.answers:
            if answer.reading is not None:
                made = (given.id, given.reply, answer.reading)
                self.readings.append(stored_reading(*made, question=item, words=answer.words))
                lost, asked = self.n_unread
                self.n_unread = (lost + (not answer.reading.ok), asked + 1)

    def item_counts(self) -> tuple[ItemCount, ...]:
        """Return the outcomes of every item in every condition."""
        return tuple(self._item_counts())

    def _item_counts(self) -> Iterator[ItemCount]:
        study = self.plan.study.study
        for (experiment, cell), counted in sorted(self.counts.items()):
            for item in dict.fromkeys(item for item, _ in sorted(counted)):
                found = {str(o): counted[item, o] for o in ITEM_OUTCOMES if counted[item, o]}
                yield ItemCount(study, experiment, item, cell, found)

    def outcomes(self) -> dict[str, int]:
        """Return the outcomes of all answers."""
        total: Counter[str] = Counter()
        for counted in self.counts.values():
            for (_, outcome), n in counted.items():
                total[str(outcome)] += n
        return {str(o): total[str(o)] for o in ITEM_OUTCOMES if total[str(o)]}


def observe(plan: StudyPlan, agent: Agent) -> Observations:
    """Hold every session of a plan with a scripted agent, or one of recorded replies."""
    found = Observations(plan)
    for session in sessions_of(plan):
        found.add(hold(session, agent))
    return found


class ObservedRows:
    """The rows a test looks at."""

    def __init__(self, rows: Sequence[Row], where: str | None) -> None:
        condition = None if where is None else parse_expression(where)
        self.rows = rows if condition is None else [row for row in rows if condition(row) == 1.0]

    def complete(self, names: Sequence[str]) -> "ObservedRows":
        """Keep the rows in which all of these are known."""
        kept = [row for row in self.rows if all(row.get(name) is not None for name in names)]
        return ObservedRows(kept, None)

    def numbers(self, name: str) -> Floats:
        """Return a variable as numbers; every one must be known."""
        return np.array([float(row[name]) for row in self.rows], dtype=np.float64)  # type: ignore[arg-type]

    def labels(self, name: str) -> list[str]:
        """Return a variable as words; the numbers of a derived one as they are written."""
        return [label(row[name]) for row in self.rows]


def label(value: Value) -> str:
    """Write a value as the level of a group."""
    return value if isinstance(value, str) else f"{value:g}" if value is not None else ""


def inputs_of(study: Study, finding: str, test: Test) -> TestInputs:
    """Say which replies of an experiment a test was computed from."""
    keys = row_keys(study, finding, test)
    experiment = study.experiments[test.experiment]
    asked = [v.name for v in observed_variables(study, test.experiment).values() if v.origin == "answer"]
    read = variables_read(experiment, test)
    cells = [cell for cell in _levels_by_factor(experiment) if _taken(experiment, test, cell)]
    named = {key: str(keys[key]) for key in ("study", "sub_study", "finding", "test")}
    return TestInputs(
        **named,
        experiment=test.experiment,
        variables=tuple(name for name in asked if name in read),
        conditions=tuple(", ".join(cell.values()) for cell in cells),
        where="" if test.where is None or _by_factors(experiment, test.where) else test.where,
    )


def variables_read(experiment: Experiment, test: Test) -> set[str]:
    """Return every variable that a test rests on, through those that are derived from others."""
    keys = ("outcome", "first", "second", "measures", "between", "effect", "predictors", "covariates")
    grouped = () if test.groups is None else (test.groups.by,)
    chosen = () if test.where is None else parse_expression(test.where).names
    return set(_with_sources(experiment, (*test.names(*keys), *grouped, *chosen)))


def _with_sources(experiment: Experiment, names: Iterable[str]) -> Iterator[str]:
    """Return names with everything that derived ones among them are made of."""
    formulas = {**experiment.derived, **experiment.of_session}
    left, seen = list(names), set[str]()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        yield name
        if name in formulas:
            left += parse_expression(formulas[name]).names


def _levels_by_factor(experiment: Experiment) -> Iterator[dict[str, str]]:
    """Return every cell as levels by factor."""
    between = [name for name, factor in experiment.factors.items() if factor.vary == "between"]
    for cell in cells_of(experiment):
        yield dict(zip(between, cell, strict=True))


def _by_factors(experiment: Experiment, where: str) -> bool:
    """Whether the condition of a participant alone decides a choice."""
    known = dict(cell_values(experiment, next(_levels_by_factor(experiment))))
    return parse_expression(where).names <= known.keys()


def _taken(experiment: Experiment, test: Test, cell: Mapping[str, str]) -> bool:
    """Whether a test takes participants of a cell; what their answers decide is left open."""
    groups = test.groups
    chosen = None if groups is None or groups.by not in cell else groups.levels
    if groups is not None and chosen is not None and cell[groups.by] not in chosen:
        return False
    if test.where is None or not _by_factors(experiment, test.where):
        return True
    return parse_expression(test.where)(dict(cell_values(experiment, cell))) == 1.0


def held_study(observed: Observations) -> HeldStudy:
    """Return the plan of a study, and how many of its sessions ended early."""
    plan = observed.plan
    study, design = plan.study, plan.design
    return HeldStudy(
        study=study.study,
        title=study.title,
        domain=study.domain,
        source=study.source.model_dump(),
        findings={name: finding.says for name, finding in study.findings.items()},
        file=plan.file.file,
        design=HeldDesign(design.name, design.text, design.sha256),
        seed=plan.seed,
        n_per_cell=plan.n,
        sessions=len(plan.sessions),
        participants=sum(len(session.members) for session in plan.sessions),
        sessions_ended_early=sum(observed.ended_early.values()),
    )


def all_test_inputs(observed: Iterable[Observations]) -> Iterator[TestInputs]:
    """Say of every test which answers and conditions it was computed from."""
    for one in observed:
        study = one.plan.study
        for finding, spec in study.findings.items():
            for test in spec.tests:
                yield inputs_of(study, finding, test)

"""Observations: the variables of every participant and group, and what became of every answer."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from concord.people.studies.expressions import Value, parse_expression
from concord.people.studies.held import ItemCount
from concord.people.studies.parse import ItemOutcome
from concord.people.studies.plan import StudyPlan
from concord.people.studies.sessions import Agent, Session, TurnReply, hold, sessions_of
from concord.stats.elementwise import Floats

Row = Mapping[str, Value]


@dataclass(slots=True)
class Observations:
    """What the participants of a study gave."""

    plan: StudyPlan
    participants: dict[str, list[Row]] = field(default_factory=dict)
    sessions: dict[str, list[Row]] = field(default_factory=dict)
    counts: dict[tuple[str, str], Counter[tuple[str, ItemOutcome]]] = field(default_factory=dict)
    given: list[TurnReply] = field(default_factory=list)
    """Every reply with what was read from it."""
    ended_early: Counter[str] = field(default_factory=Counter)
    """Group sessions that ended before their last round, by experiment."""

    def add(self, session: Session) -> None:
        """Take in a finished session."""
        name = session.plan.experiment
        self.participants.setdefault(name, []).extend(session.rows())
        if session.compiled.spec.group is not None:
            self.sessions.setdefault(name, []).append(session.session_row())
        cell = tuple(session.plan.cell.values())
        for (item, level, outcome), n in session.outcomes.items():
            condition = ", ".join(cell if level is None else (*cell, level))
            self.counts.setdefault((name, condition), Counter())[item, outcome] += n
        self.given += session.given
        self.ended_early[name] += session.ended_early

    def item_counts(self) -> tuple[ItemCount, ...]:
        """Return the outcomes of every item in every condition."""
        return tuple(self._item_counts())

    def _item_counts(self) -> Iterator[ItemCount]:
        study = self.plan.study.study
        for (experiment, cell), counted in sorted(self.counts.items()):
            for item in dict.fromkeys(item for item, _ in sorted(counted)):
                found = {str(o): counted[item, o] for o in ItemOutcome if counted[item, o]}
                yield ItemCount(study, experiment, item, cell, found)

    def outcomes(self) -> dict[str, int]:
        """Return the outcomes of all answers."""
        total: Counter[str] = Counter()
        for counted in self.counts.values():
            for (_, outcome), n in counted.items():
                total[str(outcome)] += n
        return {str(o): total[str(o)] for o in ItemOutcome if total[str(o)]}


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

"""From observations to the rows of a table of tests: the agent side of every test of a study."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from concord.errors import UndefinedError
from concord.people.families.draft import Draft
from concord.people.families.registry import complete
from concord.people.studies import sample_tests as tests_of
from concord.people.studies.catalog import (
    Variable,
    row_keys,
    row_type,
    variables_of_test,
)
from concord.people.studies.format import Study, Test
from concord.people.studies.observe import Observations, ObservedRows, Row, label, variables_read
from concord.people.studies.sample_tests import Statistic, TooSmallError
from concord.people.table.read import read_tests
from concord.people.table.values import type_flags
from concord.records import SideOutcome, TestRow, TestTable
from concord.stats.elementwise import Floats
from concord.words import say


@dataclass(frozen=True, slots=True)
class _Job:
    """One test on one sample."""

    test: Test
    known: dict[str, Variable]
    sample: ObservedRows

    def levels(self, name: str) -> tuple[str, ...]:
        """Return the groups of a variable."""
        groups = self.test.groups
        if groups is not None and groups.by == name and groups.levels is not None:
            return tuple(groups.levels)
        return self.known[name].levels

    def groups(self) -> list[Floats]:
        """Split the outcome by group."""
        assert self.test.groups is not None
        outcome, by = str(self.test.outcome), self.test.groups.by
        kept = self.sample.complete([outcome, by])
        values, labels = kept.numbers(outcome), np.array(kept.labels(by), dtype=object)
        return [values[labels == level] for level in self.levels(by)]

    def answers(self) -> dict[str, list[str]]:
        """Return the answers as words, by group or measure (``all`` without either)."""
        if self.test.groups is not None:
            outcome, by = str(self.test.outcome), self.test.groups.by
            kept = self.sample.complete([outcome, by])
            pairs = list(zip(kept.labels(outcome), kept.labels(by), strict=True))
            return {level: [a for a, g in pairs if g == level] for level in self.levels(by)}
        if self.test.measures is not None:
            return {name: self.sample.complete([name]).labels(name) for name in self.test.measures}
        return {"all": self.sample.complete([str(self.test.outcome)]).labels(str(self.test.outcome))}

    def successes(self) -> tuple[int, int]:
        """Count successes, and participants who answered."""
        if self.test.success is not None:
            answers = self.answers()["all"]
            return answers.count(self.test.success), len(answers)
        numbers = self.sample.complete([str(self.test.outcome)]).numbers(str(self.test.outcome))
        return round(float(np.sum(numbers))), numbers.size

    def pair(self) -> tuple[Floats, Floats]:
        """Return the two variables of the same participants."""
        first, second = str(self.test.first), str(self.test.second)
        kept = self.sample.complete([first, second])
        return kept.numbers(first), kept.numbers(second)


def _t_two(job: _Job) -> Statistic:
    first, second = job.groups()
    return tests_of.t_two(first, second, welch=job.test.test == "t-welch")


def _t_one(job: _Job) -> Statistic:
    outcome, against = str(job.test.outcome), job.test.against
    assert against is not None
    return tests_of.t_one(job.sample.complete([outcome]).numbers(outcome), against)


def _anova(job: _Job) -> Statistic:
    if job.test.groups is not None and not job.test.covariates:
        return tests_of.one_way(job.groups())
    factors = job.test.names("between") if job.test.groups is None else [job.test.groups.by]
    effect = job.test.names("effect") if job.test.groups is None else factors
    outcome, covariates = str(job.test.outcome), job.test.covariates
    kept = job.sample.complete([outcome, *factors, *covariates])
    if job.test.groups is not None:
        kept = ObservedRows([row for row in kept.rows if kept_level(job, row)], None)
    tests_of.need(len(kept.rows), 3, "participants")
    terms = _terms(job, kept, factors)
    tested = terms.pop(tuple(name for name in factors if name in effect))
    others = np.column_stack([np.ones(len(kept.rows)), *terms.values(), *_centred(kept, covariates)])
    f, df1, df2, beta = tests_of.linear_effect(kept.numbers(outcome), tested, others)
    values: dict[str, object] = {"statistic": f, "df1": df1, "df2": df2, "n": len(kept.rows)}
    direction = None
    if df1 == 1:
        direction = tests_of.sign_of(float(beta[0]), f)
        values["direction"] = direction
        if len(effect) == 1:
            n1 = kept.labels(effect[0]).count(job.levels(effect[0])[0])
            values |= {"n1": n1, "n2": len(kept.rows) - n1}
    return Statistic(values, p_value=tests_of.p_of_f(f, df1, df2), direction=direction)


def kept_level(job: _Job, row: object) -> bool:
    """Whether a row belongs to one of the groups of a test."""
    assert job.test.groups is not None
    by = job.test.groups.by
    return ObservedRows([row], None).labels(by)[0] in job.levels(by)  # type: ignore[list-item]


def _centred(sample: ObservedRows, names: Sequence[str]) -> list[Floats]:
    columns = [sample.numbers(name) for name in names]
    return [column - column.mean() for column in columns]


def _terms(job: _Job, sample: ObservedRows, factors: Sequence[str]) -> dict[tuple[str, ...], Floats]:
    """Code every main effect and interaction of some factors."""
    codes = {name: tests_of.sum_codes(sample.labels(name), job.levels(name)) for name in factors}
    terms: dict[tuple[str, ...], Floats] = {}
    for included in product([False, True], repeat=len(factors)):
        chosen = tuple(name for name, wanted in zip(factors, included, strict=True) if wanted)
        if not chosen:
            continue
        columns = codes[chosen[0]]
        for name in chosen[1:]:
            columns = np.einsum("ni,nj->nij", columns, codes[name]).reshape(len(columns), -1)
        terms[chosen] = columns
    return terms


def _within(job: _Job) -> Statistic:
    measures, factors = job.test.names("measures"), job.test.names("between")
    kept = job.sample.complete([*measures, *factors])
    tests_of.need(len(kept.rows), 2, "participants")
    coded = list(_terms(job, kept, factors).values()) if factors else []
    others = np.column_stack([*coded]) if coded else np.empty((len(kept.rows), 0))
    return tests_of.within(np.column_stack([kept.numbers(name) for name in measures]), others)


def _regression(job: _Job) -> Statistic:
    outcome, effect = str(job.test.outcome), job.test.names("effect")
    others = [name for name in job.test.names("predictors", "covariates") if name not in effect]
    kept = job.sample.complete([outcome, *effect, *others])
    tests_of.need(len(kept.rows), len(effect) + len(others) + 2, "participants")
    tested = np.column_stack(_centred(kept, effect))
    rest = np.column_stack([np.ones(len(kept.rows)), *_centred(kept, others)])
    f, df1, df2, beta = tests_of.linear_effect(kept.numbers(outcome), tested, rest)
    values: dict[str, object] = {"statistic": f, "df1": df1, "df2": df2, "n": len(kept.rows)}
    p = tests_of.p_of_f(f, df1, df2)
    if df1 > 1:
        return Statistic(values, p_value=p)
    direction = tests_of.sign_of(float(beta[0]), f)
    return Statistic({**values, "direction": direction}, p_value=p, direction=direction)


def _correlation(job: _Job) -> Statistic:
    pairs = []
    for first, second in zip(job.test.names("first"), job.test.names("second"), strict=True):
        kept = job.sample.complete([first, second])
        pairs.append((kept.numbers(first), kept.numbers(second)))
    return tests_of.correlate(pairs, ranks=job.test.test == "spearman")


def _chi_square(job: _Job) -> Statistic:
    _, counts = _table_of(job)
    found = tests_of.contingency(np.array(counts, dtype=np.int64))
    same = ("rows are answers of the same participants, taken as independent",) if job.test.measures else ()
    return replace(found, flags=same)


def _table_of(job: _Job) -> tuple[list[str], list[list[int]]]:
    """Count answers: the names of the rows, and their counts over answers."""
    names, rows = list(answers := job.answers()), answers.values()
    if job.test.success is not None:
        return names, [[row.count(job.test.success), len(row) - row.count(job.test.success)] for row in rows]
    outcome = names[0] if job.test.groups is None else str(job.test.outcome)
    return names, [[row.count(column) for column in job.levels(outcome)] for row in rows]


def answer_counts(observed: Observations, test: Test) -> tuple[list[str], list[list[int]]]:
    """Count the answers behind a chi-square test: the names of the rows, and counts over answers."""
    return _table_of(_job(observed, test))


def counted_success(observed: Observations, test: Test) -> tuple[int, int]:
    """Count the answers behind a binomial test: successes, and answers."""
    return _job(observed, test).successes()


def group_answers(observed: Observations, test: Test) -> dict[str, Floats]:
    """Return the answers behind a test of a number, by group or measure (``all`` without groups)."""
    job = _job(observed, test)
    if job.test.groups is not None:
        return dict(zip(job.levels(job.test.groups.by), job.groups(), strict=True))
    names = job.test.names("measures") if job.test.measures is not None else [str(job.test.outcome)]
    found = {name: job.sample.complete([name]).numbers(name) for name in names}
    return found if job.test.measures is not None else {"all": found[names[0]]}


def group_choices(observed: Observations, test: Test) -> tuple[tuple[str, ...], dict[str, list[str]]] | None:
    """Return the options of a choice and the answers to it, by group (``all`` without groups)."""
    # None where the outcome is a number, or several measures were taken.
    job = _job(observed, test)
    outcome = job.test.outcome
    options = None if outcome is None else job.known[outcome].words
    return None if options is None else (options, job.answers())


def _binomial(job: _Job) -> Statistic:
    (successes, n), p0 = job.successes(), job.test.p0
    assert p0 is not None
    trials = 1 if job.test.trials is None else job.test.trials
    several = ("trials of the same participants, taken as independent",) if trials > 1 else ()
    return tests_of.binomial(successes, trials * n, p0, flags=several)


def _variance_ratio(job: _Job) -> Statistic:
    if job.test.groups is not None:
        first, second = job.groups()
        return tests_of.variance_ratio(first, second)
    return tests_of.variance_ratio(*job.pair())


_BY_KIND: dict[str, Callable[[_Job], Statistic]] = {
    "t-independent": _t_two,
    "t-welch": _t_two,
    "t-paired": lambda job: tests_of.t_paired(*job.pair()),
    "t-one-sample": _t_one,
    "anova": _anova,
    "anova-within": _within,
    "regression": _regression,
    "pearson": _correlation,
    "spearman": _correlation,
    "chi-square": _chi_square,
    "binomial": _binomial,
    "sign": lambda job: tests_of.signs(*job.pair()),
    "mann-whitney": lambda job: tests_of.mann_whitney(*job.groups()),
    "wilcoxon": lambda job: tests_of.wilcoxon(*job.pair()),
    "variance-ratio": _variance_ratio,
}


def table_of_tests(observed: Sequence[Observations], people: Sequence[Observations] = ()) -> TestTable:
    """Return the table of tests of some studies: human sides as published or of people, agent sides here."""
    # A test whose agent side cannot be computed is there without one, and a warning says why. Where people's
    # own answers are given, human sides of tests without published numbers come from them.
    rows: list[TestRow] = []
    warnings: list[str] = []
    for one in observed:
        own = next((each for each in people if each.plan.study.study == one.plan.study.study), None)
        for test, known in published_rows(one.plan.study):
            published = known
            if own is not None and test.before_people:
                seen, unknown = with_agent(own, test, known)
                published = replace(known, human=seen.agent, human_outcome=seen.agent_outcome)
                if unknown is not None:
                    warnings.append(_untested(known, unknown))
            row, why = with_agent(one, test, published)
            rows.append(row)
            if why is not None:
                warnings.append(_untested(row, why))
    return TestTable(tuple(rows), tuple(one.plan.file.file for one in observed), tuple(warnings))


def _untested(row: TestRow, why: str) -> str:
    """Say that a test was not made, and why."""
    return say("people.untested.said", study=row.study, finding=row.finding, test=row.test, why=why)


def published_rows(study: Study, *, original: bool = False) -> list[tuple[Test, TestRow]]:
    """Return every test of a study with its row: the human side, checked and completed, and no agent side.

    ``original``: of tests that have one, the numbers of the first study in the place of people's.
    """
    tests = [
        (finding, test)
        for finding, spec in study.findings.items()
        for test in spec.tests
        if test.check is None
    ]
    sides = [(finding, test, test.original if original else test.human) for finding, test in tests]
    held = [(finding, test, side) for finding, test, side in sides if side is not None]
    if not held:
        return []
    table = read_tests([row_keys(study, finding, test) | side.columns() for finding, test, side in held])
    return [(test, replace(row, row=None)) for (_, test, _), row in zip(held, table.rows, strict=True)]


def with_agent(observed: Observations, test: Test, row: TestRow) -> tuple[TestRow, str | None]:
    """Put the agent side into a row, or say why there is none."""
    try:
        found = agent_statistic(observed, test)
        flags = list(type_flags(row_type(test)))
        draft = Draft("agent", row.test_type, flags=flags, **_numbers(test, found))  # type: ignore[arg-type]
    except UndefinedError as fault:
        unread = _unread(observed, test)
        if unread is not None:
            return replace(row, agent_outcome=SideOutcome.UNREAD), unread
        small = isinstance(fault, TooSmallError)
        return replace(row, agent_outcome=SideOutcome.TOO_SMALL) if small else row, str(fault)
    complete(draft)
    if draft.too_small is not None:
        return replace(row, agent_outcome=SideOutcome.TOO_SMALL), "too small for the test"
    if draft.failed:  # every statistic gives what its kind of test needs
        raise UndefinedError(f"{row.study}, {row.test}: {[*draft.faults, *draft.lacking]}")
    agent = draft.finished()
    agent = replace(agent, flags=(*agent.flags, *found.flags))
    if row.test_type == "mann-whitney":
        agent = replace(
            agent, z=found.z, p_value=found.p_value
        )  # both with ties, which U alone does not tell
    return replace(row, agent=agent, agent_outcome=SideOutcome.OK), None


_NO_REPLY = ("missing", "not asked")


def _unread(observed: Observations, test: Test) -> str | None:
    """Say where participants were asked and none was read; ``None`` where every group has answers."""
    study = observed.plan.study
    known = variables_of_test(study, test)
    answers = [
        name
        for name in sorted(variables_read(study.experiments[test.experiment], test))
        if name in known and known[name].origin == "answer"
    ]
    asked = _asked_rows(observed, test)
    chosen = ObservedRows(asked, test.where).rows
    rows = chosen if chosen else asked  # a choice by an answer keeps nobody whose answer is not read
    by = test.groups.by if test.groups is not None and test.groups.by not in answers else None
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault("" if by is None else label(row.get(by)), []).append(row)
    if not any(
        str(outcome) not in _NO_REPLY and name.startswith(item)
        for (experiment, _), counted in observed.counts.items()
        for item, outcome in counted
        for name in answers
        if experiment == test.experiment
    ):
        return None  # there was nothing to read
    for name, inside in groups.items():
        if not ObservedRows(inside, None).complete(answers).rows:
            where = f" ({by} {name})" if name else ""
            return f"no readable answer to {', '.join(answers)} from {len(inside)} asked{where}"
    return None


def _numbers(test: Test, found: Statistic) -> dict[str, object]:
    """Return the numbers of a statistic as the fields of a side: all floats, a direction apart."""
    if test.scored_as == "p-value" or test.test == "wilcoxon":
        if found.p_value is None:
            raise UndefinedError("nobody gave one of the answers, so there is no p to score")
        return {"p_value": found.p_value, "direction": found.direction}
    return {name: _as_field(name, value) for name, value in found.values.items()}


def _as_field(name: str, value: object) -> object:
    if name == "table":
        return tuple(tuple(float(count) for count in row) for row in value)  # type: ignore[attr-defined]
    if value is None or isinstance(value, str) or name == "direction":
        return value
    return float(value)  # type: ignore[arg-type]


def agent_statistic(observed: Observations, test: Test) -> Statistic:
    """Compute one test from observations."""
    return _BY_KIND[test.test](_job(observed, test))


def groups_differ(observed: Observations, test: Test) -> bool | None:
    """Whether groups differ in which everybody says the same, so that no test of spread exists."""
    if test.groups is None or test.outcome is None:
        return None
    samples = _job(observed, test).groups()
    if any(len(sample) < 2 or np.ptp(sample) > 0 for sample in samples):
        return None
    return len({float(sample[0]) for sample in samples}) > 1


def _job(observed: Observations, test: Test) -> _Job:
    known = variables_of_test(observed.plan.study, test)
    # refuse a comparison by a trait that the design did not tell the model
    study = observed.plan.study
    told = observed.plan.design.tells(study.population_of(test.experiment))
    for name in sorted(variables_read(study.experiments[test.experiment], test)):
        if name in known and known[name].origin == "profile" and name not in told:
            raise UndefinedError(
                f"it compares by {name!r}, and the design {observed.plan.design.name!r} does not tell the "
                "model; choose --design demographic or story"
            )
    return _Job(test, known, ObservedRows(_asked_rows(observed, test), test.where))


def _asked_rows(observed: Observations, test: Test) -> Sequence[Row]:
    """Return the participants of a test's experiment, or its groups."""
    held = observed.sessions if test.unit == "session" else observed.participants
    return held.get(test.experiment, [])

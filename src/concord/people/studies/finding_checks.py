"""The tests of a study: what each kind needs, that its variables exist, that its human numbers agree."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from concord.errors import OptionError, StudyProblem, TableError
from concord.files.yaml_file import YamlFile
from concord.number_words import significant
from concord.people.families.registry import KINDS
from concord.people.studies.catalog import (
    Variable,
    never_true,
    row_keys,
    variables_of_test,
)
from concord.people.studies.expressions import parse_expression
from concord.people.studies.format import HumanMoments, Study, Test
from concord.people.table.read import read_tests
from concord.people.table.reported import COLUMNS_WIN
from concord.records import Side, TestRow, TestTable

SLACK = 1.25
"""How far a p may lie beyond that of its statistic, whose printed digits are rounded."""
Fault = tuple[str, str]
"""The key of the human side that is wrong, and what is wrong with it."""


def contradictions(test: Test, row: TestRow) -> Iterator[Fault]:
    """Return what a human side says against itself or against its test."""
    side = row.human
    if side is None:
        return
    if side.p_value is not None:
        yield from _against_p(row, side, side.p_value)
    if test.p0 is not None and side.p0 is not None and not math.isclose(test.p0, side.p0):
        told = f"got {side.p0:g}, and the replies are tested against p0 = {test.p0:g}; expected the same null"
        yield "p0", told


def _against_p(row: TestRow, side: Side, given: float) -> Iterator[Fault]:
    """Compare a p with that of its statistic: it may be exact, or a printed limit above it."""
    # A p below that of the statistic, beyond rounding, is not a limit (it may be one-sided, and p is
    # two-sided here); a p on the other side of alpha, or above that of a result which is not significant,
    # contradicts it.
    found = _p_of(row, side)
    if found is None:
        return
    too_small = given * SLACK < found
    too_large = given > max(found * SLACK, row.alpha)
    if too_small or too_large:
        hint = "; is it one-sided?" if too_small and math.isclose(2 * given, found, rel_tol=0.1) else ""
        told = f"the statistic gives p = {significant(found, 3)}, two-sided{hint}"
        yield "p_value", f"got {given:g}, and {told}; expected that p, or a printed limit above it"


def _p_of(row: TestRow, side: Side) -> float | None:
    """Return the two-sided p of the numbers themselves; nothing where there are none but the p."""
    from concord.people.protocol import STANDARD
    from concord.people.score.sides import SideTable

    bare = replace(side, p_value=None)
    if row.test_type == "p-value" or (bare.statistic is None and bare.table is None and bare.k is None):
        return None
    found = SideTable.from_rows([row], [bare], 1.0, KINDS).evidence(STANDARD).p_value[0]
    return None if math.isnan(found) else float(found)


def distribution_faults(test: Test, known: Mapping[str, Variable]) -> Iterator[Fault]:
    """Return what is wrong with the printed answers: groups, answers or ends that do not exist."""
    scale = test.human.scale
    if scale is not None and not scale[0] < scale[1]:
        yield "scale", f"got {scale[0]:g} to {scale[1]:g}; expected the smaller end first"
    if test.human.distribution is None:
        if scale is not None:
            yield "scale", "without 'distribution' there is nothing on the scale"
        return
    groups = _groups_of(test, known)
    words = None if test.outcome is None else known[test.outcome].words
    for level, people in test.human.distribution.items():
        if level not in groups:
            yield "distribution", f"there is no group {level!r}; expected {', '.join(groups)}"
        if isinstance(people, HumanMoments):
            if words is not None:
                yield "distribution", f"{test.outcome!r} is a choice; expected counts of {', '.join(words)}"
            continue
        if sum(people.values()) < 2:
            yield "distribution", f"{level!r} counts {sum(people.values())} answers; expected at least 2"
        for answer in people:
            told = _wrong_answer(answer, words, scale)
            if told is not None:
                yield "distribution", f"{level!r}: got the answer {answer!r}; expected {told}"


def _groups_of(test: Test, known: Mapping[str, Variable]) -> tuple[str, ...]:
    if test.measures is not None:
        return tuple(test.measures)
    if test.groups is None:
        return ("all",)
    if test.groups.levels is not None:
        return tuple(test.groups.levels)
    return known[test.groups.by].levels


def _wrong_answer(answer: str, words: tuple[str, ...] | None, scale: list[float] | None) -> str | None:
    """Return what was expected in the place of an answer that cannot be given; None where it can."""
    if words is not None:
        return None if answer in words else ", ".join(words)
    try:
        value = float(answer)
    except ValueError:
        return "a number"
    if not math.isfinite(value):
        return "a finite number"
    if scale is not None and not scale[0] <= value <= scale[1]:
        return f"{scale[0]:g} to {scale[1]:g}"
    return None


def has_no_direction(row: TestRow) -> bool:
    """Whether an effect that could have a sign was given none, so that it counts in two states only."""
    side = row.human
    if side is None or side.direction is not None:
        return False
    return KINDS[row.test_type].lacks_direction(side)


_GROUPS = ("outcome", "groups")
_PAIRS = ("first", "second")
NEEDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "t-independent": (_GROUPS,),
    "t-welch": (_GROUPS,),
    "t-paired": (_PAIRS,),
    "t-one-sample": (("outcome", "against"),),
    "anova": (_GROUPS, ("outcome", "between", "effect")),
    "anova-within": (("measures",), ("measures", "between")),
    "regression": (("outcome", "predictors", "effect"),),
    "pearson": (_PAIRS,),
    "spearman": (_PAIRS,),
    "chi-square": (_GROUPS, ("outcome", "success", "groups"), ("measures", "success"), ("measures",)),
    "binomial": (("outcome", "p0"), ("outcome", "success", "p0"), ("outcome", "trials", "p0")),
    "sign": (_PAIRS,),
    "mann-whitney": (_GROUPS,),
    "wilcoxon": (_PAIRS,),
    "variance-ratio": (_GROUPS, _PAIRS),
}
"""What each kind of test is given: one of these sets of keys."""
_KEYS = (
    "outcome",
    "success",
    "groups",
    "first",
    "second",
    "measures",
    "between",
    "effect",
    "predictors",
    "against",
    "p0",
    "trials",
)
_WITH_COVARIATES = ("anova", "regression")
_OF_TWO = ("t-independent", "t-welch", "mann-whitney", "variance-ratio")


def check_tests(study: Study, document: YamlFile) -> tuple[list[StudyProblem], list[str]]:
    """Check every test of a study; also what is worth a warning."""
    checks = [
        _Check(study, finding, i, test, document)
        for finding, spec in study.findings.items()
        for i, test in enumerate(spec.tests)
    ]
    problems = [problem for check in checks for problem in check.run()]
    problems += list(_doubled(study, document))
    if study.draft is not None:
        problems += list(_without_place(study, document))
    warnings = [warning for check in checks for warning in check.warnings]
    return problems, [*warnings, *_unlocated(study, document)]


def _unlocated(study: Study, document: YamlFile) -> Iterator[str]:
    """Say how many human sides a reader could not look up."""
    tests = [test for finding in study.findings.values() for test in finding.tests]
    lacking = [test.name for test in tests if test.human.located is None and not test.before_people]
    if lacking:
        told = f"{len(lacking)} of {len(tests)} tests give no page or table of their human side"
        yield f"{document.name}: {told} (human: located), the first is {lacking[0]!r}"


def _without_place(study: Study, document: YamlFile) -> Iterator[StudyProblem]:
    """Refuse a number of a drafted study that has no place in its paper."""
    for finding, spec in study.findings.items():
        for i, test in enumerate(spec.tests):
            if test.human.located is None and not test.before_people:
                text = "a number without its place in the paper; add located: {at: …}"
                yield document.problem(("findings", finding, "tests", i, "human"), text)


def _doubled(study: Study, document: YamlFile) -> Iterator[StudyProblem]:
    seen: set[tuple[str, str, str]] = set()
    for finding, spec in study.findings.items():
        for i, test in enumerate(spec.tests):
            key = (finding, test.experiment, test.name)
            if key in seen:
                text = f"another test of this finding and experiment is called {test.name!r}"
                yield document.problem(("findings", finding, "tests", i, "name"), text)
            seen.add(key)


@dataclass
class _Check:
    """The checks of one test."""

    study: Study
    finding: str
    place: int
    test: Test
    document: YamlFile
    problems: list[StudyProblem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def fault(self, message: str, *path: str | int) -> None:
        here = ("findings", self.finding, "tests", self.place, *path)
        self.problems.append(self.document.problem(here, message))

    def run(self) -> list[StudyProblem]:
        """Run every check."""
        if self.test.experiment not in self.study.experiments:
            known = ", ".join(self.study.experiments)
            self.fault(f"there is no experiment {self.test.experiment!r}; there are {known}", "experiment")
            return self.problems
        self.keys()
        if not self.problems:
            self.variables()
            if not self.problems:
                for key, told in distribution_faults(self.test, self.known()):
                    self.fault(told, "human", key)
            self.condition()
        self.human()
        return self.problems

    def keys(self) -> None:
        """Check that the test has what its kind needs, and nothing else."""
        kind = self.test.test
        given = {key for key in _KEYS if getattr(self.test, key) is not None}
        if not any(given == set(wanted) for wanted in NEEDS[kind]):
            ways = " or ".join(", ".join(wanted) for wanted in NEEDS[kind])
            has = ", ".join(sorted(given)) if given else "none of them"
            self.fault(f"{kind} needs {ways}; got {has}")
        if self.test.covariates and kind not in _WITH_COVARIATES:
            self.fault(f"{kind} takes no covariates", "covariates")
        if self.test.unit == "session" and self.study.experiments[self.test.experiment].group is None:
            self.fault("the experiment has no groups, so no sessions", "unit")
        if self.test.sampling is not None and kind != "chi-square":
            self.fault(f"{kind} has no sampling", "sampling")

    def known(self) -> dict[str, Variable]:
        return variables_of_test(self.study, self.test)

    def variables(self) -> None:
        """Check that every variable exists and is of the kind the test needs."""
        test, known = self.test, self.known()
        words = test.test == "chi-square" or (test.test == "binomial" and test.success is not None)
        for key in ("outcome", "first", "second", "measures", "predictors", "covariates", "between"):
            for name in test.names(key):
                if name not in known:
                    self.fault(self.no_variable(name, known), key)
                elif known[name].words is not None and not (words or key == "between"):
                    self.fault(f"{name!r} is a word, and {test.test} needs numbers", key)
        if test.groups is not None:
            self.groups(known)
        if test.success is not None and not self.problems:
            self.success(known)
        self.lists()

    def no_variable(self, name: str, known: dict[str, Variable]) -> str:
        """Say what there is instead; a within factor is distinguished."""
        factor = self.study.experiments[self.test.experiment].factors.get(name)
        within = factor is not None and factor.vary == "within"
        why = "it varies within participants, so its levels are compared as first and second or as measures; "
        there = ", ".join(sorted(known))
        return f"there is no variable {name!r}; {why if within else ''}there are {there}"

    def groups(self, known: dict[str, Variable]) -> None:
        assert self.test.groups is not None
        by, levels = self.test.groups.by, self.test.groups.levels
        if by not in known:
            self.fault(self.no_variable(by, known), "groups", "by")
            return
        there = known[by].levels
        for level in levels or []:
            if level not in there:
                self.fault(f"{by!r} is never {level!r}; it is {', '.join(there)}", "groups", "levels")
        if len(levels or there) != 2 and self.test.test in _OF_TWO:
            self.fault(f"{self.test.test} compares 2 groups, got {len(levels or there)}", "groups")

    def success(self, known: dict[str, Variable]) -> None:
        names = [self.test.outcome] if self.test.measures is None else self.test.measures
        for name in names:
            there = known[str(name)].levels
            if self.test.success not in there:
                self.fault(f"{name!r} is never {self.test.success!r}; it is {', '.join(there)}", "success")

    def lists(self) -> None:
        """Check that lists fit each other."""
        test = self.test
        first, second = test.first, test.second
        if isinstance(first, list) or isinstance(second, list):
            if test.test not in ("pearson", "spearman"):
                self.fault(f"{test.test} takes one variable under 'first' and 'second'", "first")
            elif not (isinstance(first, list) and isinstance(second, list) and len(first) == len(second)):
                self.fault("'first' and 'second' must be lists of the same length", "second")
        if test.measures is not None and len(set(test.measures)) < 2:
            self.fault("expected at least 2 different measures", "measures")
        for name in test.names("effect"):
            if name not in (test.between or test.predictors or []):
                self.fault(f"{name!r} is not among the factors or predictors of the test", "effect")

    def condition(self) -> None:
        if self.test.where is None:
            return
        known = self.known()
        try:
            found = parse_expression(self.test.where)
            for name in sorted(found.names - set(known)):
                self.fault(f"there is no variable {name!r}; there are {', '.join(sorted(known))}", "where")
            for told in never_true(found, known):
                self.fault(told, "where")
            if not found.names - set(known):
                found({name: variable.sample for name, variable in known.items()})
        except OptionError as error:
            self.fault(str(error), "where")

    def human(self) -> None:
        """Check the human side as a table of tests does: numbers, degrees of freedom, printed p."""
        if self.test.before_people:
            return
        keys = row_keys(self.study, self.finding, self.test)
        table = self.table(keys | self.test.human.columns(), "human")
        if self.test.original is not None:
            self.table(keys | self.test.original.columns(), "original")
        if table is None:
            return
        against = [text for text in table.warnings if text.endswith(COLUMNS_WIN)]
        for text in (*table.inconsistencies, *against):
            told = _plain_finding(text).removeprefix("reported: ").removesuffix(f"; {COLUMNS_WIN}")
            self.fault(told, "human", "reported")
        for key, told in contradictions(self.test, table.rows[0]):
            self.fault(told, "human", key)
        if table.rows[0].human is None:
            self.fault("no numbers; expected those of a published result", "human")
        if has_no_direction(table.rows[0]):
            self.warn("no direction: scored by evidence alone and left out of ECS; give direction 1, -1 or 0")
        for text in table.warnings:
            if text not in table.inconsistencies and text not in against and "agent side" not in text:
                self.warn(_plain_finding(text))

    def table(self, row: dict[str, object], side: str) -> TestTable | None:
        """Read a side as a row of a table of tests; what is wrong with it is a fault of its key."""
        try:
            return read_tests([row])
        except TableError as error:
            for bad in error.problems:
                key = bad.column.removeprefix("human_")
                path = (side, key) if key != bad.column else (key,)
                self.fault(f"got {bad.value!r}, expected {bad.expected}", *path)
            return None

    def warn(self, message: str) -> None:
        here = ("findings", self.finding, "tests", self.place, "human")
        self.warnings.append(str(self.document.problem(here, message)))


def _plain_finding(warning: str) -> str:
    """Drop the place in a list of rows from a warning of the reader of tables."""
    return re.sub(r"^list, row 2, column '(?:human_)?(\w+)': ", r"\1: ", warning)

"""The tests of a study: what each kind needs, that its variables exist, that the human side holds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from concord.errors import OptionError, StudyProblem, TableError
from concord.files.yaml_file import YamlFile
from concord.people.studies.catalog import Variable, never_true, participant_variables, session_variables
from concord.people.studies.expressions import parse_expression
from concord.people.studies.format import Study, Test
from concord.people.studies.human_checks import contradictions, distribution_faults, has_no_direction
from concord.people.studies.rows import row_keys
from concord.people.table.read import read_tests
from concord.people.table.reported import COLUMNS_WIN

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
    warnings = [warning for check in checks for warning in check.warnings]
    return problems, [*warnings, *_unlocated(study, document)]


def _unlocated(study: Study, document: YamlFile) -> Iterator[str]:
    """Say how many human sides a reader could not look up."""
    tests = [test for finding in study.findings.values() for test in finding.tests]
    lacking = [test.name for test in tests if test.human.located is None]
    if lacking:
        told = f"{len(lacking)} of {len(tests)} tests give no page or table of their human side"
        yield f"{document.name}: {told} (human: located), the first is {lacking[0]!r}"


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
        of = session_variables if self.test.unit == "session" else participant_variables
        return of(self.study, self.test.experiment)

    def variables(self) -> None:
        """Check that every variable exists and is of the kind the test needs."""
        test, known = self.test, self.known()
        words = test.test == "chi-square" or (test.test == "binomial" and test.success is not None)
        for key in ("outcome", "first", "second", "measures", "predictors", "covariates", "between"):
            value = getattr(test, key)
            for name in [value] if isinstance(value, str) else value or []:
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
        words = known[by].words
        there = ("1", "0") if words is None else words
        for level in levels or []:
            if level not in there:
                self.fault(f"{by!r} is never {level!r}; it is {', '.join(there)}", "groups", "levels")
        if len(levels or there) != 2 and self.test.test in _OF_TWO:
            self.fault(f"{self.test.test} compares 2 groups, got {len(levels or there)}", "groups")

    def success(self, known: dict[str, Variable]) -> None:
        names = [self.test.outcome] if self.test.measures is None else self.test.measures
        for name in names:
            words = known[str(name)].words
            there = ("1", "0") if words is None else words
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
        effects = [test.effect] if isinstance(test.effect, str) else test.effect or []
        for name in effects:
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
        row = row_keys(self.study, self.finding, self.test) | self.test.human.columns()
        try:
            table = read_tests([row])
        except TableError as error:
            for bad in error.problems:
                self.fault(f"got {bad.value!r}, expected {bad.expected}", *_human_path(bad.column))
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

    def warn(self, message: str) -> None:
        here = ("findings", self.finding, "tests", self.place, "human")
        self.warnings.append(str(self.document.problem(here, message)))


def _human_path(column: str) -> tuple[str, ...]:
    return ("human", column.removeprefix("human_")) if column.startswith("human_") else (column,)


def _plain_finding(warning: str) -> str:
    """Drop the place in a list of rows from a warning of the reader of tables."""
    return re.sub(r"^list, row 2, column '(?:human_)?(\w+)': ", r"\1: ", warning)

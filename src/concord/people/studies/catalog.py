"""What an experiment has: its cells, its variables, and how its tests are called in a table of tests."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from concord.errors import FileFormatError
from concord.files import cells
from concord.files.cells import BadCellError
from concord.people.studies.expressions import Expression, Value
from concord.people.studies.format import Experiment, Population, Study, Test
from concord.people.studies.wording import variables_of

Cell = tuple[str, ...]
"""One level of each between factor, in the order of the factors."""


def cells_of(experiment: Experiment) -> tuple[Cell, ...]:
    """Return every cell: the product of the between factors' levels, one empty cell without factors."""
    return tuple(product(*(f.names for f in experiment.factors.values() if f.vary == "between")))


def cell_names(experiment: Experiment) -> tuple[str, ...]:
    """Return the names of the cells as a study file writes them."""
    return tuple(", ".join(cell) for cell in cells_of(experiment))


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a participant or a group."""

    name: str
    words: tuple[str, ...] | None
    """The words it may be; ``None`` for a number."""
    origin: str
    """``factor``, ``profile``, ``answer``, ``feedback``, ``derived`` or ``session``."""

    @property
    def levels(self) -> tuple[str, ...]:
        """Return its groups: its words, of a derived number 1 and 0."""
        return ("1", "0") if self.words is None else self.words

    @property
    def sample(self) -> float | str:
        """Return a value of the right kind."""
        return 1.0 if self.words is None else self.words[0]


def never_true(found: Expression, variables: Mapping[str, Variable]) -> Iterator[str]:
    """Say which comparisons of an expression with a word can never hold: a misspelt level, a number."""
    for name, word in sorted(found.words):
        if name in variables:
            there = variables[name].words
            if there is None:
                yield f"{name!r} is a number, and is compared with the word {word!r}"
            elif word not in there:
                yield f"{name!r} is never {word!r}; it is {', '.join(there)}"


def suffixes(experiment: Experiment, over: str | None) -> tuple[str, ...]:
    """Return what is appended to the variables of a step: the level of a within factor, or the round."""
    if over is not None:
        return tuple(f"_{level}" for level in experiment.factors[over].names)
    rounds = 1 if experiment.group is None else experiment.group.rounds
    return ("",) if rounds == 1 else tuple(f"_{number}" for number in range(1, rounds + 1))


def observed_variables(study: Study, name: str) -> dict[str, Variable]:
    """Return what is known of a participant before anything is derived."""
    experiment = study.experiments[name]
    known = {v.name: v for v in _given(experiment, study.population_of(name))}
    return known | {v.name: v for v in _asked(experiment)}


def participant_variables(study: Study, name: str) -> dict[str, Variable]:
    """Return the variables of a participant (of a pair, in a study with roles), in order."""
    known = observed_variables(study, name)
    for derived in study.experiments[name].derived:
        known[derived] = Variable(derived, None, "derived")
    return known


def session_variables(study: Study, name: str) -> dict[str, Variable]:
    """Return the variables of a group."""
    experiment = study.experiments[name]
    known = {v.name: v for v in _factors(experiment)} | {v.name: v for v in _feedback(experiment)}
    for derived in experiment.of_session:
        known[derived] = Variable(derived, None, "session")
    return known


def variables_of_test(study: Study, test: Test) -> dict[str, Variable]:
    """Return the variables that a test may read."""
    of = session_variables if test.unit == "session" else participant_variables
    return of(study, test.experiment)


def _given(experiment: Experiment, population: Population) -> Iterator[Variable]:
    yield from _factors(experiment)
    if population.age is not None:
        yield Variable("age", None, "profile")
    for field, shares in population.fields.items():
        yield Variable(field, tuple(shares), "profile")


def _factors(experiment: Experiment) -> Iterator[Variable]:
    """Return between factors, and the numbers their levels bring, as ``factor_number``."""
    for name, factor in experiment.factors.items():
        if factor.vary == "between":
            yield Variable(name, factor.names, "factor")
            brought = [factor.values(level) for level in factor.names]
            for field in brought[0]:
                if all(isinstance(values.get(field), int | float) for values in brought):
                    yield Variable(f"{name}_{field}", None, "factor")


def _asked(experiment: Experiment) -> Iterator[Variable]:
    for step in experiment.steps:
        over = step.over if step.over in experiment.factors else None
        for item_name in step.ask:
            if item_name not in experiment.items:
                continue
            for variable, words in variables_of(experiment.items[item_name], item_name).items():
                for suffix in suffixes(experiment, over):
                    yield Variable(variable + suffix, words, "answer")
    yield from _feedback(experiment)


def _feedback(experiment: Experiment) -> Iterator[Variable]:
    if experiment.group is not None:
        for name in experiment.group.feedback:
            for suffix in suffixes(experiment, None):
                yield Variable(name + suffix, None, "feedback")


ROW_TYPES = {
    "t-welch": "welch t-test",
    "pearson": "correlation",
    "spearman": "spearman",
    "sign": "sign test",
    "wilcoxon": "p-value",
}
"""Types of a table of tests for kinds that have another name there."""


def row_type(test: Test) -> str:
    """Return the test type of a table of tests."""
    return test.scored_as if test.scored_as is not None else ROW_TYPES.get(test.test, test.test)


def row_keys(study: Study, finding: str, test: Test) -> dict[str, object]:
    """Return what names a test in a table of tests, and its settings."""
    row = {
        "study": study.study,
        "sub_study": test.experiment,
        "finding": finding,
        "test": test.name,
        "test_type": row_type(test),
        "domain": study.domain,
        "alpha": test.alpha,
    }
    return row if test.sampling is None else {**row, "sampling": test.sampling}


def read_answer(variable: Variable, cell: object) -> Value:
    """Read one answer of a person; a missing cell is none, but for a word that is an answer."""
    if variable.words is None:
        return cells.number(cell)
    text = "" if cell is None else str(cell).strip().casefold()
    found = next((word for word in variable.words if word.casefold() == text), None)
    if found is None and not cells.is_missing(cell):
        raise BadCellError(", ".join(variable.words))
    return found


def read_value(variable: Variable, cell: object, where: str) -> Value:
    """Read one answer of a person, or say where it is."""
    try:
        return read_answer(variable, cell)
    except BadCellError as fault:
        found = f"{where}, column {variable.name!r}: got {str(cell).strip()!r}"
        raise FileFormatError(f"{found}, expected {fault}") from fault

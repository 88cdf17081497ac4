"""Which replies are behind a test: the answers it reads, and the conditions it compares."""

from collections.abc import Iterable, Iterator, Mapping

from concord.people.studies.catalog import observed_variables
from concord.people.studies.cells import cells_of
from concord.people.studies.expressions import parse_expression
from concord.people.studies.format import Experiment, Study, Test
from concord.people.studies.held import TestInputs
from concord.people.studies.rows import row_keys
from concord.people.studies.sessions import cell_values


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
    return set(_with_sources(experiment, _names_in(test)))


def _names_in(test: Test) -> Iterator[str]:
    for key in ("outcome", "first", "second", "measures", "between", "effect", "predictors", "covariates"):
        value = getattr(test, key)
        yield from [value] if isinstance(value, str) else list(value or [])
    if test.groups is not None:
        yield test.groups.by
    if test.where is not None:
        yield from parse_expression(test.where).names


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

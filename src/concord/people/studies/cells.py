"""The cells of an experiment: the levels of its factors between participants, combined."""

from itertools import product

from concord.people.studies.format import Experiment

Cell = tuple[str, ...]
"""One level of each between factor, in the order of the factors."""


def cells_of(experiment: Experiment) -> tuple[Cell, ...]:
    """Return every cell: the product of the between factors' levels, one empty cell without factors."""
    return tuple(product(*(f.names for f in experiment.factors.values() if f.vary == "between")))


def cell_names(experiment: Experiment) -> tuple[str, ...]:
    """Return the names of the cells as a study file writes them."""
    return tuple(", ".join(cell) for cell in cells_of(experiment))

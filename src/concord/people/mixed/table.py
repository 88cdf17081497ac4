"""Two tables to what is combined: people with answers and predictions, and further predictions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from concord.errors import CellProblem, FileFormatError, TableError, listed
from concord.files.cells import BadCellError, number, with_point
from concord.files.columns import ColumnTable, as_names
from concord.files.tables import TableOptions, TableSource
from concord.people.answers.sides import codes_of_missing
from concord.people.answers.table import survey_table
from concord.people.table.columns import fold
from concord.records import InputFile
from concord.stats.elementwise import Floats

if TYPE_CHECKING:
    import polars as pl

ANSWERS = ("human", "answer", "y", "human_answer", "response")
PREDICTIONS = ("prediction", "agent", "f", "yhat", "agent_answer", "predicted")
ARMS = ("arm", "condition", "treatment")
WEIGHTS = ("weight", "weights", "w")
CONTROLS = ("control", "baseline", "placebo", "0")
"""Arms that others are compared with."""
OUTCOMES = ("outcome", "item", "question")


@dataclass(frozen=True, slots=True, eq=False)
class MixedRows:
    """Rows of one table."""

    outcome: tuple[str, ...]
    arm: tuple[str, ...]
    prediction: Floats
    answer: Floats | None
    """Of people; ``None`` in the table of further predictions."""
    weight: Floats | None
    covariates: Floats
    """One column per name asked for."""
    n_left_out: int = 0
    """Rows that lack an answer, a prediction or a covariate."""

    def chosen(self, outcome: str) -> "MixedRows":
        """Return the rows of an outcome."""
        return self.at([i for i, one in enumerate(self.outcome) if one == outcome])

    def by_arm(self) -> "dict[str, MixedRows]":
        """Return the rows of every arm, found in one pass."""
        places: dict[str, list[int]] = {}
        for i, arm in enumerate(self.arm):
            places.setdefault(arm, []).append(i)
        return {arm: self.at(found) for arm, found in places.items()}

    def at(self, where: Iterable[int]) -> "MixedRows":
        """Return the rows at some places."""
        where = list(where)
        return MixedRows(
            tuple(self.outcome[i] for i in where),
            tuple(self.arm[i] for i in where),
            self.prediction[where],
            None if self.answer is None else self.answer[where],
            None if self.weight is None else self.weight[where],
            self.covariates[where],
            self.n_left_out,
        )


@dataclass(frozen=True, slots=True, eq=False)
class MixedTables:
    """Both tables."""

    people: MixedRows
    predictions: MixedRows
    covariates: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()


def read_mixed(
    people: TableSource,
    predictions: TableSource,
    *,
    covariates: Sequence[str] = (),
    options: TableOptions | None = None,
) -> MixedTables:
    """Read the table of people and that of further predictions."""
    how = TableOptions() if options is None else options
    problems: list[CellProblem] = []
    tables = [survey_table(source, how) for source in (people, predictions)]
    readers = [_TableRows(table, tuple(covariates), problems) for table in tables]
    rows = [reader.rows(with_answers=i == 0) for i, reader in enumerate(readers)]
    if problems:
        raise TableError(problems)
    warnings = [note for table in tables for note in table.warnings]
    warnings += [note for reader in readers for note in reader.told]
    warnings += [
        f"{table.name}: {found.n_left_out} rows lack an answer, a prediction or a covariate and are left out"
        for table, found in zip(tables, rows, strict=True)
        if found.n_left_out
    ]
    inputs = tuple(item for table in tables for item in table.inputs)
    return MixedTables(rows[0], rows[1], tuple(covariates), inputs, tuple(warnings))


class _TableRows:
    """The work of reading one of the two tables."""

    def __init__(self, table: ColumnTable, covariates: tuple[str, ...], problems: list[CellProblem]) -> None:
        self.table, self.covariates, self.problems = table, covariates, problems
        self.titles = {fold(title): title for title in table.header}
        self.told: list[str] = []

    def title(self, names: Sequence[str]) -> str | None:
        """Return the first column that has one of these names."""
        return next((self.titles[name] for name in names if name in self.titles), None)

    def needed(self, names: Sequence[str], what: str) -> str:
        """Return a column that must be there."""
        found = self.title(names)
        if found is None:
            raise FileFormatError(
                f"{self.table.name}: no column of {what}; found {listed(self.table.header)}, expected one of "
                f"{', '.join(names)}"
            )
        return found

    def leave_out_codes(self, answers: Floats, outcomes: Sequence[str]) -> None:
        """Take codes such as -99, far off the scale of an outcome, for missing answers, and say so."""
        where = np.asarray(outcomes)
        for name in dict.fromkeys(outcomes):
            own = where == name
            codes = codes_of_missing(answers[own])
            taken = own & np.isin(answers, codes)
            answers[taken] = np.nan
            if codes:
                shown = ", ".join(f"{code:g}" for code in codes)
                self.told.append(
                    f"{self.table.name}: {taken.sum()} answers are {shown}, a code for no answer"
                )

    def rows(self, *, with_answers: bool) -> MixedRows:
        """Read every row; those that lack a number are counted."""
        import polars as pl

        answer = self.needed(ANSWERS, "people's answers") if with_answers else None
        prediction = self.needed(PREDICTIONS, "predictions")
        covariates = [self.needed((fold(name),), f"the covariate {name!r}") for name in self.covariates]
        weight, arm, outcome = (self.title(names) for names in (WEIGHTS, ARMS, OUTCOMES))
        used = [one for one in (answer, prediction, weight, arm, outcome, *covariates) if one is not None]
        frame = self.table.take(used)
        columns = {title: column_numbers(self.table, frame[title], self.problems)
                   for title in (answer, prediction, weight, *covariates) if title is not None}  # fmt: skip
        names = [
            (as_names(self.table.name, frame[title]) if title is not None else pl.Series([""] * frame.height))
            .fill_null("")
            .to_list()
            for title in (outcome, arm)
        ]
        if answer is not None:
            self.leave_out_codes(columns[answer], names[0])
        made = MixedRows(
            tuple(names[0]),
            tuple(names[1]),
            columns[prediction],
            None if answer is None else columns[answer],
            None if weight is None else columns[weight],
            np.column_stack([columns[one] for one in covariates])
            if covariates
            else np.empty((frame.height, 0)),
        )
        there = ~np.isnan(np.column_stack(list(columns.values()))).any(axis=1)
        kept = made.at(np.flatnonzero(there))
        return MixedRows(
            kept.outcome, kept.arm, kept.prediction, kept.answer, kept.weight, kept.covariates,
            int((~there).sum()),
        )  # fmt: skip


def column_numbers(table: ColumnTable, series: "pl.Series", problems: list[CellProblem]) -> Floats:
    """Return a column as numbers, NaN where a cell is missing; unusable cells are added to the problems."""
    values = np.full(len(series), np.nan)
    for i, cell in enumerate(series.to_list()):
        value = float(cell) if isinstance(cell, bool) else cell
        try:
            found = number(with_point(value) if table.decimal_comma else value)
        except BadCellError as error:
            problems.append(CellProblem(table.name, None, table.row(i), str(series.name), cell, str(error)))
            continue
        values[i] = np.nan if found is None else found
    return values

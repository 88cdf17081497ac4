"""A table of moments: means, standard deviations and numbers of answers per outcome and agent."""

from typing import TYPE_CHECKING

from concord.errors import CellProblem, FileFormatError, TableError
from concord.files.cells import BadCellError, number, with_point
from concord.files.columns import ColumnTable
from concord.people.answers.records import AnswerSets, Moments, OutcomeKey

if TYPE_CHECKING:
    import polars as pl

R_NAMES = ("r_person", "r", "person_r", "correlation")
FIELDS = ("human_mean", "human_sd", "agent_mean", "agent_sd")


def read_moments(
    table: ColumnTable, titles: dict[str, str], found: dict[str, str], agent: str | None
) -> AnswerSets:
    """Read moments, one row per agent and outcome."""
    sizes = {
        side: titles[name] for side in ("human", "agent") for name in ("n", f"{side}_n") if name in titles
    }
    if len(sizes) < 2 or "outcome" not in found:
        raise FileFormatError(
            f"{table.name}: moments need the columns 'outcome' and 'n' (or 'human_n' and 'agent_n')"
        )
    r = next((titles[name] for name in R_NAMES if name in titles), None)
    wanted = {name: titles[name] for name in FIELDS} | {f"{side}_n": title for side, title in sizes.items()}
    columns = [*wanted.values(), *found.values(), *(one for one in (agent, r) if one is not None)]
    frame = table.take([title for title in table.header if title in columns])
    return _Rows(table, frame, wanted, found, agent, r).table()


class _Rows:
    """The rows of a table of moments."""

    def __init__(
        self,
        table: ColumnTable,
        frame: "pl.DataFrame",
        wanted: dict[str, str],
        found: dict[str, str],
        agent: str | None,
        r: str | None,
    ) -> None:
        self.source, self.wanted, self.found, self.agent, self.r = table, wanted, found, agent, r
        self.rows = frame.rows(named=True)
        self.problems: list[CellProblem] = []

    def table(self) -> AnswerSets:
        """Read every row, or raise once with every bad cell."""
        sets: dict[str, dict[OutcomeKey, Moments]] = {}
        empty = 0
        for i, row in enumerate(self.rows):
            who = "agent" if self.agent is None else str(row[self.agent]).strip()
            made = self.moments(i, row)
            if made is None:
                empty += 1
                continue
            own = sets.setdefault(who, {})
            if made.key in own:
                self.problem(i, self.found["outcome"], row, "an outcome that this agent has once")
            own[made.key] = made
        if self.problems:
            raise TableError(self.problems)
        if not sets:
            raise FileFormatError(f"{self.source.name}: no row holds the moments of both sides")
        left = (f"{self.source.name}: {empty} rows lack a moment and are left out",) if empty else ()
        return AnswerSets(
            {name: tuple(found.values()) for name, found in sets.items()},
            (),
            self.source.inputs,
            (*self.source.warnings, *left),
        )

    def moments(self, i: int, row: dict[str, object]) -> Moments | None:
        """Read one row; None where a moment is missing."""
        values = {name: self.value(i, title, row) for name, title in self.wanted.items()}
        if any(value is None for value in values.values()):
            return None
        known = {name: value for name, value in values.items() if value is not None}
        for name in ("human_sd", "agent_sd"):
            if known[name] < 0:
                self.problem(i, self.wanted[name], row, "a standard deviation, 0 or more")
        for name in ("human_n", "agent_n"):
            if known[name] < 2 or known[name] != round(known[name]):
                self.problem(i, self.wanted[name], row, "a whole number, 2 or more")
        r = None if self.r is None else self.value(i, self.r, row)
        if r is not None and abs(r) > 1:
            self.problem(i, str(self.r), row, "a correlation from -1 to 1")
        names = {part: str(row[self.found[part]]).strip() for part in ("study", "outcome", "condition")
                 if part in self.found and row[self.found[part]] is not None}  # fmt: skip
        key = OutcomeKey(
            names.get("study", "all"), names.get("outcome", "outcome"), names.get("condition", "")
        )
        return Moments(
            key,
            known["human_mean"],
            known["human_sd"],
            int(known["human_n"]),
            known["agent_mean"],
            known["agent_sd"],
            int(known["agent_n"]),
            r,
        )

    def value(self, i: int, title: str, row: dict[str, object]) -> float | None:
        """Read a number; an unusable cell becomes a problem."""
        cell = row[title]
        try:
            return number(with_point(cell) if self.source.decimal_comma else cell)
        except BadCellError as error:
            self.problem(i, title, row, str(error))
            return None

    def problem(self, i: int, title: str, row: dict[str, object], expected: str) -> None:
        """Note an unusable cell."""
        self.problems.append(
            CellProblem(self.source.name, None, self.source.row(i), title, row[title], expected)
        )

"""The table of tests: a file, a frame or a list to checked rows, or one error that names every bad cell."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from concord.errors import CellProblem, TableError, quoted
from concord.files.declared import DeclaredTable
from concord.files.gate import refuse_more
from concord.files.grids import Grid, rows_in_words
from concord.files.limits import STUDIES
from concord.files.tables import TableSource, read_grid
from concord.files.text import normal_form
from concord.number_words import significant
from concord.people.families.draft import Draft
from concord.people.families.registry import KINDS, complete
from concord.people.protocol import STANDARD
from concord.people.table.columns import SIDE_FIELDS, SIDES, located
from concord.people.table.handmade.cells import ELSEWHERE
from concord.people.table.reported import complete_with_reported, reports_coefficient
from concord.people.table.values import COLUMNS, names_coefficient, stored_table, type_flags
from concord.records import LeftOutCell, Side, SideOutcome, TestRow, TestTable

MOST_NOTES = 5
"""Different texts of `data_note` that are told."""
_SETTINGS = frozenset({"direction", "p0", "prior_odds", "tails"})
"""Fields that do not make a side: a side with only these is empty."""
_KEY = ("study", "sub_study", "finding", "test")
"""What names a test."""


def read_tests(
    source: TableSource,
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    strict: bool = True,
) -> TestTable:
    """Read a table of tests: one row per test, a human and an agent side.

    Columns and what each test type needs are those of the file format page. Column names are folded (case,
    spaces, hyphens); a cell is missing when it is empty or one of `concord.files.cells.MISSING_WORDS`.
    Rows of JSON and Parquet files, frames and lists are numbered as if the table were saved as CSV: the first
    is row 2.

    Parameters
    ----------
    source
        Path to a CSV, TSV, XLSX, Parquet or JSON file (JSON: a list of row objects); or a polars or pandas
        frame; or a list of row mappings.
    strict
        Refuse a table with a cell that cannot be read; otherwise the cell's side is left out and listed.

    Examples
    --------
    >>> row = {"study": 1.0, "finding": "F1", "test": "warmth", "test_type": "t-test"}
    >>> table = read_tests([row | {"human_statistic": 2.41, "human_n": 60}])
    >>> table.rows[0].study, table.rows[0].test_type, table.rows[0].human.n1
    ('1', 't-independent', 30.0)
    """
    stored = stored_table(source)
    if stored is not None:
        return stored
    grid = read_grid(source, sheet=sheet, encoding=encoding, decimal_comma=decimal_comma)
    return tests_of_grid(grid, strict=strict)


def tests_of_grid(grid: Grid, *, strict: bool = True) -> TestTable:
    """Read a table of tests whose cells are at hand; unless strict, leave out what cannot be read."""
    named, unused = located(grid)
    reader = _Reader(DeclaredTable(named, COLUMNS))
    rows = reader.rows()
    problems = reader.ordered_problems()
    if problems and (strict or not all(one.part for one in problems)):
        raise TableError(problems)
    rows = _without_unread(rows, problems)
    advice = "score them in several files, or name what the tests belong to, not the tests, in 'study'"
    refuse_more(len({row.study for row in rows}), STUDIES, "studies", grid.place, advice)
    worded = reader.warnings()
    warnings = (
        *grid.warnings,
        *unused,
        *_data_notes(grid.name, reader.cells.values("data_note")),
        *worded.values(),
        *_absent_sides(grid.name, rows, has_others=bool(unused)),
        *alike_names(grid.name, rows),
        *given_twice(grid.name, rows),
    )
    inconsistent = tuple(text for key, text in worded.items() if key in reader.contradictions)
    return TestTable(rows, grid.inputs, warnings, inconsistent, left_out=tuple(map(left_out, problems)))


def _without_unread(rows: tuple[TestRow, ...], problems: Sequence[CellProblem]) -> tuple[TestRow, ...]:
    """Return the rows whose names can be read, with sides that cannot be read marked as left out."""
    parts: dict[int | None, set[str]] = {}
    for one in problems:
        parts.setdefault(one.row, set()).add(one.part)
    marked = []
    for row in rows:
        for side in parts.get(row.row, set()) & set(SIDES):
            row = replace(row, **{side: None, f"{side}_outcome": SideOutcome.LEFT_OUT})  # type: ignore[arg-type]
        if "row" not in parts.get(row.row, set()):
            marked.append(row)
    return tuple(marked)


_NAMED = re.compile(r"([^\W\d_]\w{0,7})\s?(?:\([^)]{0,40}\)\s?)?[=<>]")


def left_out(problem: CellProblem) -> LeftOutCell:
    """Return the record of a cell that could not be read, with its reason in a word or two."""
    value = "" if problem.value is None else " ".join(str(problem.value).split())
    named = _NAMED.search(value[:200])
    if problem.expected == ELSEWHERE:
        reason = "stands elsewhere"
    elif not value:
        reason = f"no {problem.column.partition('_')[2].strip('12') or problem.column}"
    elif re.match(r"(?:an?|the) n\b|n of|a mean, an SD", problem.expected):
        reason = "no n"
    elif named is not None:
        reason = named[1]
    else:
        reason = "not a number" if any(map(str.isdigit, value)) else "only words"
    shown = value if len(value) <= 200 else value[:199] + "…"
    place = (problem.file, problem.sheet, problem.row, problem.column)
    return LeftOutCell(*place, shown, reason, problem.expected, problem.part, problem.agent)


def _data_notes(name: str, cells: Sequence[object]) -> list[str]:
    """Return what the table says of its own data, each text once: whoever reads the numbers must see it."""
    told = list(dict.fromkeys(str(cell) for cell in cells if cell is not None))
    more = [f"{name}: and {len(told) - MOST_NOTES} more texts in 'data_note'"] if told[MOST_NOTES:] else []
    return [*(f"{name}: {text}" for text in told[:MOST_NOTES]), *more]


def _absent_sides(name: str, rows: Sequence[TestRow], *, has_others: bool) -> list[str]:
    """Warn of a side that no row has, where no row has a ready PAS either; other columns may hold it."""
    if any(row.pas is not None for row in rows):
        return []
    absent = [side for side in SIDES if all(getattr(row, side) is None for row in rows)]
    whose = {"human": "people", "agent": "the model"}
    hint = "; where a column holds the results of {whose}: --map 'TITLE={side}'" if has_others else ""
    return [
        f"{name}: every {side} side is empty{hint.format(whose=whose[side], side=side)}" for side in absent
    ]


@dataclass(slots=True)
class _Reader:
    """The work of reading one table: its columns are declared, and rows become tests one by one."""

    cells: DeclaredTable
    notes: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    contradictions: set[tuple[str, str]] = field(default_factory=set)
    """Column and text, and the rows they are about."""
    types: list[object] = field(default_factory=list)
    """What the table calls the type of each test."""
    side_columns: dict[str, list[tuple[str, list[object], list[object]]]] = field(default_factory=dict)
    """Per side: the fields that hold anything, their values and their cells."""
    bad: set[tuple[int, str]] = field(default_factory=set)
    """Rows, by index, and the side of them that holds an unusable cell."""

    def rows(self) -> tuple[TestRow, ...]:
        """Read every row; what is wrong is gathered among the problems of the table."""
        for name in self.cells.titles:
            self.cells.values(name)
        for name in ("study", "finding", "test"):
            for index, value in enumerate(self.cells.values(name)):
                if value is None:
                    self.cells.problem(index, name, "a name", self.cells.raw(name)[index])
        self.types = self.cells.raw("test_type")
        self.bad = {(index, name.partition("_")[0]) for index, name in self.cells.bad}
        for side in SIDES:
            held = {name: f"{side}_{name}" for name in SIDE_FIELDS if f"{side}_{name}" in self.cells.titles}
            columns = [(name, self.cells.values(own), self.cells.raw(own)) for name, own in held.items()]
            self.side_columns[side] = [one for one in columns if any(v is not None for v in one[1])]
        rows = [self.row(index) for index in range(self.cells.n_rows)]
        self.check_keys(rows)
        return tuple(self.with_domains(rows))

    def ordered_problems(self) -> list[CellProblem]:
        """Return every problem in the order of the file: by row, then by column."""
        place = {name: i for i, name in enumerate(self.cells.table.header)}
        found = [replace(one, value="") if one.value is None else one for one in self.cells.problems]
        return sorted(found, key=lambda bad: (-1 if bad.row is None else bad.row,
                                              place.get(bad.column, len(place))))  # fmt: skip

    def note(self, index: int, column: str, text: str) -> None:
        """Record what a reader should know about a cell."""
        self.notes.setdefault((column, text), []).append(self.cells.row(index))

    def warnings(self) -> dict[tuple[str, str], str]:
        """Word the notes, equal ones together, by column and text."""
        return {
            (column, text): f"{self.cells.place}, {rows_in_words(rows)}, column {column!r}: {text}"
            for (column, text), rows in self.notes.items()
        }

    def value(self, name: str, index: int) -> Any:
        """Return what a cell holds, ``None`` where the column is absent."""
        return self.cells.values(name)[index]

    def test_type(self, index: int) -> str | None:
        """Return the type of a test; a "regression coefficient" may come as F or t, or as b with its SE."""
        found: str | None = self.value("test_type", index)
        if found != "regression" or not names_coefficient(self.types[index]):
            return found
        errors = any(
            self.value(f"{side}_{end}", index) is not None for side in SIDES for end in ("se", "ci_low")
        )
        reports = [self.value(f"{side}_reported", index) for side in SIDES]
        return "coefficient" if errors or any(map(reports_coefficient, reports)) else found

    def row(self, index: int) -> TestRow:
        """Read one test; an unusable cell leaves an empty text and a problem."""
        test_type = self.test_type(index)
        held = {name: self.value(name, index) for name in ("domain", "alpha", "sampling", "pas", "n_eff")}
        names: dict[str, Any] = {name: self.value(name, index) for name in _KEY} | {"test_type": test_type}
        given = {name: value for name, value in held.items() if value is not None}
        given |= {name: "" if value is None else value for name, value in names.items()}
        row = TestRow(**given, row=self.cells.row(index))
        return row if test_type is None else self.with_sides(index, row)

    def with_sides(self, index: int, row: TestRow) -> TestRow:
        """Read both sides of a test."""
        human, agent = (self.draft(index, side, row.test_type) for side in SIDES)
        if human is not None and agent is not None:
            for draft, other in ((human, agent), (agent, human)):
                KINDS[row.test_type].share(draft, other)
        (human_side, human_outcome), (agent_side, agent_outcome) = (
            self.side(index, draft, row.alpha) for draft in (human, agent)
        )
        if row.sampling == "hypergeom":
            self.check_hypergeom(index, (human, agent))
        for given, side in ((human, human_side), (agent, agent_side)):
            if given is not None and side is not None:
                self.check_p(index, row, given, side)
        return replace(
            row, human=human_side, agent=agent_side, human_outcome=human_outcome, agent_outcome=agent_outcome
        )

    def draft(self, index: int, side: str, test_type: str) -> Draft | None:
        """Gather what a row gives for one side; ``None`` for an empty side."""
        if (index, side) in self.bad:
            return None
        given, values = {}, {}
        for name, column, cells in self.side_columns[side]:
            if column[index] is not None:
                values[name], given[name] = column[index], cells[index]
        if _SETTINGS.issuperset(values):
            if "direction" in values:
                text = "a direction without a result says nothing about a test; the side is taken as empty"
                self.note(index, f"{side}_direction", text)
            return None
        doubt = code_of_missing(test_type, values.get("statistic"))
        if doubt is not None:
            self.note(index, f"{side}_statistic", doubt)
        flags = list(type_flags(self.types[index]))
        bound = bound_of_zero(given["p_value"]) if values.get("p_value") == 0 else None
        if bound is not None:
            values["p_value"] = bound
            flags.append(f"p printed as {given['p_value']}: taken as {bound:g}, which it is below")
        if values.pop("tails", None) == 1 and "p_value" in values:
            values["p_value"] = min(1.0, 2 * float(values["p_value"]))  # type: ignore[arg-type]
            flags.append("the p-value is one-tailed: doubled")
        given.pop("tails", None)
        return Draft(side, test_type, given, flags=flags, **values)  # type: ignore[arg-type]

    def side(self, index: int, draft: Draft | None, alpha: float) -> tuple[Side | None, SideOutcome]:
        """Complete one side, and say what became of it."""
        if draft is None:
            return None, SideOutcome.MISSING
        if draft.reported is None:
            complete(draft)
        else:
            draft = complete_with_reported(draft, alpha=alpha)
        for column, text in draft.notes:
            self.note(index, column, text)
        self.contradictions.update(draft.contradictions)
        if not draft.failed:
            return draft.finished(), SideOutcome.OK
        return self.failed_side(index, draft)

    def failed_side(self, index: int, draft: Draft) -> tuple[None, SideOutcome]:
        """Record why a side cannot be used: bad cells, or an agent sample that is too small."""
        faults = list(draft.faults)
        if not faults and draft.too_small is not None:
            if draft.side == "agent":
                column, _, expected = draft.too_small
                self.note(index, column, f"too small, not scored: expected {expected}")
                return None, SideOutcome.TOO_SMALL
            faults.append(draft.too_small)
        elif not faults:
            needs = (
                f"a value: test type {draft.test_type} needs {KINDS[draft.test_type].needs}; or an empty side"
            )
            faults.extend((f"{draft.side}_{name}", "", needs) for name in dict.fromkeys(draft.lacking))
        for column, value, expected in faults:
            self.cells.problem(index, column, expected, value)
        return None, SideOutcome.MISSING

    def check_p(self, index: int, row: TestRow, draft: Draft, side: Side) -> None:
        """Note a p-value that its statistic denies."""
        if "p_value" not in draft.given or "statistic" not in draft.given:
            return
        text = p_contradiction(row, side, draft.given)
        if text is not None:
            column = f"{draft.side}_p_value"
            self.note(index, column, text)
            self.contradictions.add((column, text))

    def check_hypergeom(self, index: int, drafts: Sequence[Draft | None]) -> None:
        """Refuse hypergeometric sampling for tables that are not 2 x 2."""
        for draft in drafts:
            table = None if draft is None else draft.table
            if table is not None and (len(table), len(table[0])) != (2, 2):
                shape = f"{len(table)} x {len(table[0])}"
                expected = f"another sampling than hypergeom for a {shape} table: it is defined for 2 x 2"
                self.cells.problem(index, "sampling", expected, "hypergeom")
                return

    def check_keys(self, rows: Sequence[TestRow]) -> None:
        """Refuse a second test with the key of an earlier one."""
        first: dict[tuple[str, str, str, str], int] = {}
        for index, row in enumerate(rows):
            if any((index, name) in self.cells.bad for name in _KEY):
                continue
            earlier = first.setdefault(row.key, index)
            if earlier != index:
                expected = (
                    f"a test that no other row holds: row {self.cells.row(earlier)} has the same study, "
                    f"sub_study, finding and test ({', '.join(map(repr, row.key))})"
                )
                self.cells.problem(index, "test", expected, row.test, refused=True)

    def with_domains(self, rows: Sequence[TestRow]) -> list[TestRow]:
        """Return every row the domain of its study; refuse two domains in one study."""
        domains: dict[str, tuple[str, int]] = {}
        for index, row in enumerate(rows):
            if row.domain is not None:
                domain, earlier = domains.setdefault(row.study, (row.domain, index))
                if domain != row.domain:
                    there = f"{domain!r}, the domain of study {row.study!r} in row {self.cells.row(earlier)}"
                    self.cells.problem(index, "domain", there, row.domain, refused=True)
        return [
            row
            if row.domain is not None or row.study not in domains
            else replace(row, domain=domains[row.study][0])
            for row in rows
        ]


_EXACT = frozenset({"t", "F", "r", "z"})
"""Reported statistics whose p follows from the numbers, with no correction or approximation to choose."""
_APART = 1.5
"""Two p-values that differ by less than this factor may come from other degrees of freedom."""

_CODES = frozenset([-99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0])
"""Codes of missing values that no t or z is likely to equal."""
_LIMITS = frozenset({0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00001})
"""A p that is printed as below one of these is entered at the limit."""


def bound_of_zero(cell: object) -> float | None:
    """Return what a p that was printed as 0 is below: half a unit of its last digit."""
    # ``None`` for a 0 that is a number, or written as one (``0``, ``0.0``): nothing was rounded away there.
    digits = _decimals(cell)
    return 0.5 * 10.0**-digits if isinstance(cell, str) and 1 < digits < 50 else None


def _decimals(cell: object) -> int:
    """Count the decimals that a number is written with."""
    return len(str(cell).strip().partition(".")[2].rstrip("* "))


def p_contradiction(row: TestRow, side: Side, given: dict[str, object]) -> str | None:
    """Say how a given p-value contradicts its statistic; ``None`` where it does not."""
    # Both are rounded in print: the p of every statistic that would be printed so is allowed, and a factor of
    # 1.5 for degrees of freedom that the table does not give (Welch's). A one-sided p is half of it.
    kind = KINDS[row.test_type]
    if side.p_value is None or side.statistic is None or not set(kind.reported[:1]) <= _EXACT:
        return None
    half = 0.5 * 10.0 ** -min(_decimals(given.get("statistic", side.statistic)), 15)
    size = abs(side.statistic)
    computed = [_p(row, replace(side, statistic=s)) for s in (max(size - half, 0.0), size, size + half)]
    if any(p is None for p in computed) or not kind.reported:
        return None
    most, middle, least = (p for p in computed if p is not None)
    slack = 0.5 * 10.0 ** -min(_decimals(given.get("p_value", side.p_value)), 15)
    if least / _APART - slack <= side.p_value <= most * _APART + slack:
        return None
    if side.p_value in _LIMITS and most <= side.p_value:
        return None
    text = f"the p-value is {side.p_value:g}, and the statistic gives {significant(middle, 3)}"
    if abs(2 * side.p_value - middle) <= max(2 * slack, 0.2 * middle):
        text += " (half of it: a one-sided test? say so in a column tails)"
    return f"{text}; the given p decides about significance: fix one of them"


def _p(row: TestRow, side: Side) -> float | None:
    """Compute the p-value of a side from its numbers alone."""
    bare = replace(side, p_value=None)
    batch = KINDS[row.test_type].batch(row, bare)
    if batch is None:
        return None
    evidence = batch.family.from_sides([bare], *batch.design).evidence(STANDARD)
    value = float(evidence.p_value[0])
    return value if 0 <= value <= 1 else None


def alike_names(name: str, rows: Sequence[TestRow]) -> list[str]:
    """Warn of names that are the same but for case, blanks or the way a number is written."""
    return [
        f"{name}: the {what} {quoted(one)} and {quoted(other)} differ only in case, blanks or zeros, and "
        "count as two; write them alike if they are one"
        for what, names in (
            ("studies", ((row.study,) for row in rows)),
            ("findings", ((row.study, row.sub_study, row.finding) for row in rows)),
            ("tests", (row.key for row in rows)),
        )
        for one, other in _folded_pairs(names)
    ]


def code_of_missing(test_type: str, statistic: object) -> str | None:
    """Say that a t or z is a number that data files write for a missing value; ``None`` where it is not."""
    if statistic not in _CODES or not set(KINDS[test_type].reported[:1]) <= {"t", "z"}:
        return None
    return (
        f"{statistic:g} is often a code for a missing value: leave the cell empty if it is one here, or give "
        f"--missing {statistic:g}"
    )


def given_twice(name: str, rows: Sequence[TestRow]) -> list[str]:
    """Warn of agent sides that are the human sides: two samples never give the same numbers test by test."""
    both = [(row.human, row.agent) for row in rows if row.human is not None and row.agent is not None]
    if len(both) < 2 or any(_numbers_of_side(human) != _numbers_of_side(agent) for human, agent in both):
        return []
    return [
        f"{name}: the agent's numbers are the human ones in all {len(both)} tests; if they were given twice, "
        "the scores say nothing about a model"
    ]


def _numbers_of_side(side: Side) -> tuple[object, ...]:
    counts = (side.n1, side.n2, side.n, side.k, side.table)
    return (side.statistic, side.df1, side.df2, side.p_value, side.se, *counts)


def _folded_pairs(names: Iterable[tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return the last parts of keys that fold together, in pairs, ten at most."""
    seen: dict[tuple[str, ...], tuple[str, ...]] = {}
    pairs: dict[tuple[str, str], None] = {}
    for key in dict.fromkeys(names):
        first = seen.setdefault((*key[:-1], folded(key[-1])), key)
        if first[-1] != key[-1]:
            pairs[first[-1], key[-1]] = None
    return list(pairs)[:10]


def folded(name: str) -> str:
    """Fold a name: compatible characters, case, runs of blanks, zeros around a number."""
    plain = " ".join(normal_form("NFKC", name).casefold().split())
    number = re.fullmatch(r"0*([0-9]+)(?:\.0*)?", plain)
    return number[1] if number else plain

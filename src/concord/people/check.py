"""Files of agreement with people, checked: tables of tests and studies."""

from collections.abc import Sequence
from pathlib import Path

from concord.errors import FileFormatError, OptionError, StudyError, TableError, by_cause
from concord.files.declared import DeclaredTable, TableColumn
from concord.files.documents import FileCheck, FileKind
from concord.files.grids import Grid, names_of, plain_title
from concord.files.raw import spread_merged
from concord.files.tables import TableOptions, read_raw
from concord.people.predictions.table import (
    AGENT_COLUMNS,
    as_estimates,
    effect_columns,
    effect_titles,
    is_prediction_grid,
    read_predictions,
)
from concord.people.table.agents import open_table, tables_of, takes_known_titles_alone
from concord.people.table.columns import AGENT, KNOWN, OTHER_AGENT_NAMES, fold
from concord.people.table.handmade.header import Header, first_line, suggestion, target, words_for
from concord.people.table.handmade.read import handmade_header
from concord.people.table.handmade.words import Meaning
from concord.people.table.values import stored_table
from concord.records import SideOutcome, TestRow, TestTable

EFFECTS = "effects with standard errors"


def check_table(path: Path, options: TableOptions) -> FileCheck:
    """Check a table of tests, or of effects with standard errors."""
    warnings: tuple[str, ...] = ()
    try:
        stored = stored_table(path)
        found: TestTable | dict[str, TestTable]
        if stored is not None:
            found = stored
        else:
            grid = open_table(path, options)
            warnings = grid.warnings
            if is_prediction_grid(grid):
                return _checked_effects(path, grid)
            found = tables_of(path, lambda _: grid)
    except TableError as error:
        return FileCheck(str(path), tuple(by_cause(error.problems)), warnings, {})
    tables = [found] if isinstance(found, TestTable) else list(found.values())
    wrong = tuple(dict.fromkeys(text for table in tables for text in table.inconsistencies))
    rest = dict.fromkeys(text for table in tables for text in table.warnings if text not in wrong)
    agents = {} if isinstance(found, TestTable) else {"agents": len(tables)}
    rows = [row for table in tables for row in table.rows]
    return FileCheck(str(path), wrong, tuple(rest), agents | _counts_of_tests(rows))


def _checked_effects(path: Path, grid: Grid) -> FileCheck:
    """Check a table of effects with standard errors."""
    table = read_predictions(grid, options=TableOptions(strict=True))
    counts = {
        "studies": len({pair.study for pair in table.pairs}),
        "effects": len(table.pairs),
        "agents": len(table.agents),
        "predictions": sum(map(len, table.agents.values())),
    }
    long = as_estimates(grid)  # columns of models lie below each other there
    declared = DeclaredTable(long, (*effect_columns(long), TableColumn("agent", AGENT_COLUMNS[1:])))
    parts = {plain_title(title): name for name, title in declared.titles.items()}
    parts |= {name: part for part, names in names_of("effects").items() for name in names}
    columns = tuple(
        (title, parts.get(plain_title(own), "" if own in long.header else "agent_estimate"))
        for title, own in zip(grid.header, effect_titles(grid)[0], strict=True)
        if title
    )
    return FileCheck(str(path), (), table.warnings, counts, EFFECTS, columns=columns)


def maps_tests(options: TableOptions) -> bool:
    """Whether a mapping names columns of tests alone, as of a table made by hand; not without one."""
    try:
        return bool([target(column, title) for title, column in options.mapping])
    except OptionError:
        return False


def _header(path: Path, options: TableOptions) -> Header | None:
    """Return the header of a table made by hand, or else the first line that may be one."""
    raw = read_raw(path, options)
    header = handmade_header(raw)
    return first_line(spread_merged(raw)) if header is None else header


def understood(path: Path, options: TableOptions) -> tuple[tuple[str, str], ...]:
    """Return every column of a table of tests with what it is taken for; nothing where it is not used."""
    try:
        header, alone = _header(path, options), takes_known_titles_alone(path, options)
    except FileFormatError:
        return ()
    titles = [] if header is None else zip(header.titles, header.meanings, strict=True)
    return tuple((title, _taken_for(fold(title), meaning, alone=alone)) for title, meaning in titles if title)


def _taken_for(name: str, meaning: Meaning | None, *, alone: bool) -> str:
    if name in KNOWN:
        return name
    return (
        "" if meaning is None or (alone and name not in (AGENT, *OTHER_AGENT_NAMES)) else words_for(meaning)
    )


def suggest_map(path: Path, options: TableOptions) -> str:
    """Return the text of a mapping file: every column of a table, and what it is taken for."""
    header = _header(path, options)
    if header is None:
        raise FileFormatError(
            f"{path.name}: no header was found: expected a line of titles such as "
            "'Study', 'Human M (SD)', 'Model t', 'n'"
        )
    return suggestion(header, path.name)


def _counts_of_tests(rows: Sequence[TestRow]) -> dict[str, int]:
    counts = {
        "studies": len({row.study for row in rows}),
        "findings": len({(row.study, row.sub_study, row.finding) for row in rows}),
        "tests": len({row.key for row in rows}),
    }
    computed = [row for row in rows if row.pas is None]
    if len(computed) < len(rows):
        counts["PAS given"] = len(rows) - len(computed)
    for who in ("human", "agent"):
        for outcome in (SideOutcome.OK, SideOutcome.MISSING, SideOutcome.TOO_SMALL):  # a table has no replies
            found = sum(getattr(row, f"{who}_outcome") is outcome for row in computed)
            counts[f"{who} {outcome.value}"] = found
    return counts


def check_study(path: Path) -> FileCheck:
    """Check a study."""
    from concord.people.studies.load import read_study

    try:
        found = read_study(path)
    except StudyError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {}, kind="study")
    study = found.study
    counts = {
        "experiments": len(study.experiments),
        "items": sum(len(experiment.items) for experiment in study.experiments.values()),
        "findings": len(study.findings),
        "tests": sum(len(finding.tests) for finding in study.findings.values()),
    }
    return FileCheck(str(path), (), found.warnings, counts, kind="study")


FILES = (
    FileKind(
        check_study, suffixes=(".yaml", ".yml"), commands=("concord run people --study", "concord studies")
    ),
)

"""Whether a file is well formed, and what it holds: tables of tests, studies, replies, vignettes, items."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, LinesError, OptionError, StudyError, TableError
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.files.tables import TableOptions
from concord.people.table.read import read_tests
from concord.records import SideOutcome, TestTable

_STUDIES = (".yaml", ".yml")
_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class FileCheck:
    """Whether a file is well formed, and what it holds."""

    file: str
    problems: tuple[str, ...]
    """What keeps the file from being used, or contradicts itself; empty when the check passes."""
    warnings: tuple[str, ...]
    counts: dict[str, int]
    """What there is: studies, findings and tests, or replies and their outcomes."""
    kind: str = "table of tests"

    @property
    def passed(self) -> bool:
        """Nothing was found that must be mended."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `concord check --json` prints."""
        return {"file": self.file, "kind": self.kind, "passed": self.passed, **asdict(self)}


def check(
    file: str | Path,
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
) -> FileCheck:
    """Check that a file is well formed, without scoring or running anything.

    Parameters
    ----------
    file
        A study (``.yaml``), a file of replies (``.jsonl``, or a JSON list of them), vignettes, bias cases or
        items (JSON), or else a table of tests.
    sheet
        Sheet of a workbook, the first by default.
    encoding
        Encoding of a table in a text file; UTF-8 by default.
    decimal_comma
        In a table ``0,85`` is a number.

    Raises
    ------
    FileFormatError
        The file cannot be read at all.
    """
    path = Path(file)
    special = _special(path)
    if special is None:
        return _check_table(path, TableOptions(sheet, encoding, decimal_comma))
    if sheet is not None:
        raise OptionError(f"sheet={sheet!r} was given, but only XLSX files have sheets")
    return special(path)


def _special(path: Path) -> Callable[[Path], FileCheck] | None:
    """Return the check of a file that is no table of tests."""
    suffix = path.suffix.lower()
    if suffix in _STUDIES:
        return _check_study
    if suffix in _LINES:
        return _check_replies
    return _of_json(path) if suffix == ".json" else None


def _of_json(path: Path) -> Callable[[Path], FileCheck] | None:
    """Tell by its keys what a JSON document holds; what cannot be told is left to the reader of tables."""
    try:
        document = parsed(path.name, read_bytes(path))
    except FileFormatError:
        return None
    if isinstance(document, Mapping):
        named = {"samples": _check_samples, "cases": _check_cases, "items": _check_items}
        return next((checks for key, checks in named.items() if isinstance(document.get(key), list)), None)
    rows = document if isinstance(document, list) else []
    keys = {key for row in rows if isinstance(row, Mapping) for key in row}
    by_field = {"response": _check_replies, "gold_answer": _check_samples, "bias_feature": _check_cases}
    return next((checks for key, checks in by_field.items() if key in keys), None)


def _check_table(path: Path, options: TableOptions) -> FileCheck:
    try:
        table = read_tests(
            path, sheet=options.sheet, encoding=options.encoding, decimal_comma=options.decimal_comma
        )
    except TableError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {})
    rest = tuple(warning for warning in table.warnings if warning not in table.inconsistencies)
    return FileCheck(str(path), table.inconsistencies, rest, _counts(table))


def _counts(table: TestTable) -> dict[str, int]:
    rows = table.rows
    counts = {
        "studies": len({row.study for row in rows}),
        "findings": len({(row.study, row.sub_study, row.finding) for row in rows}),
        "tests": len(rows),
    }
    for who in ("human", "agent"):
        for outcome in SideOutcome:
            found = sum(getattr(row, f"{who}_outcome") is outcome for row in rows)
            counts[f"{who} {outcome.value}"] = found
    return counts


def _check_study(path: Path) -> FileCheck:
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


def _check_replies(path: Path) -> FileCheck:
    from concord.reasoning.read.reply_files import check_replies

    found = check_replies(path)
    return FileCheck(str(path), tuple(map(str, found.problems)), found.warnings, found.counts, found.kind)


def _check_samples(path: Path) -> FileCheck:
    from concord.reasoning.read.vignettes import read_samples

    try:
        found = read_samples(path)
    except LinesError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {}, kind="vignettes")
    without = sum(not row.gold_steps for row in found.rows)
    counts = {"vignettes": len(found.rows), "without gold steps": without}
    return FileCheck(str(path), (), (), counts, kind="vignettes")


def _check_cases(path: Path) -> FileCheck:
    from concord.reasoning.read.vignettes import read_bias_cases

    try:
        found = read_bias_cases(path)
    except LinesError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {}, kind="bias cases")
    pairs = len({row.pair for row in found.rows if row.pair is not None})
    return FileCheck(str(path), (), (), {"cases": len(found.rows), "pairs": pairs}, kind="bias cases")


def _check_items(path: Path) -> FileCheck:
    from concord.structure.items import read_items

    try:
        found = read_items(path)
    except FileFormatError as error:
        return FileCheck(str(path), (str(error),), (), {}, kind="items")
    return FileCheck(str(path), (), (), {"items": len(found.items)}, kind="items")

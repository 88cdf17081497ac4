"""Folders that `concord score people` wrote, read back for comparison."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.contents import fingerprint, is_file, read_bytes
from concord.files.json_text import parsed
from concord.files.result_folders import folder_name, folder_with
from concord.files.safe_csv import read_back
from concord.records import InputFile, TestRow

SUMMARY, DETAILED, PLANS = "benchmark_summary.json", "detailed_stats.csv", "plans.json"
_NUMBERS = {
    "pas": "PAS_Raw",
    "n_eff": "N_Eff",
    "human_d": "Human_Effect_d",
    "agent_d": "Agent_Effect_d",
    "ecs_test": "ECS_Test",
}
_FLAGS = {"passes": "Replicated", "human_significant": "Human_Significant"}


@dataclass(frozen=True, slots=True)
class PeopleFolder:
    """One model's result on a table of tests."""

    name: str
    protocol: str
    choices: dict[str, Any]
    """Every choice of the protocol."""
    rows: tuple[TestRow, ...]
    """What names each test."""
    values: tuple[dict[str, float | None], ...]
    """The numbers of each test, in the order of ``rows``; None is undefined."""
    inputs: tuple[InputFile, ...] = ()
    model: str | None = None
    """The model that stood in for the participants, where the result says."""
    design: str | None = None
    """How the model was told who it is, where replies to studies were scored."""


def is_people_folder(source: object) -> bool:
    """Whether a path is a folder with the files of `concord score people`."""
    return folder_with(source, SUMMARY) is not None


def read_people_folder(source: Path, *, name: str | None = None) -> PeopleFolder:
    """Read one result folder.

    Parameters
    ----------
    source
        Holds `benchmark_summary.json` and `detailed_stats.csv`, or is the folder of a run that does.
    name
        What the report calls the model; the folder's name by default.

    Raises
    ------
    FileFormatError
        A file is missing, damaged, or of another question.
    """
    folder = folder_with(source, SUMMARY)
    if folder is None:
        raise FileFormatError(f"{source}: holds no result about people ({SUMMARY})")
    summary = _summary(folder / SUMMARY)
    detailed = folder / DETAILED
    if not is_file(detailed):
        raise FileFormatError(
            f"{folder}: {DETAILED} is missing; score the table again with --out {folder.name}"
        )
    data, named = read_bytes(detailed), f"{folder_name(source)}/{DETAILED}"
    wanted = ("Study_ID", "Finding_ID", "Test_Name", *_NUMBERS.values(), *_FLAGS.values())
    lines = read_back(named, data, wanted, fix="score the table again")
    _check_complete(named, len(lines), summary)
    return PeopleFolder(
        name=folder_name(source) if name is None else name,
        protocol=str(summary["protocol"]),
        choices=dict(summary["protocol_choices"]),
        rows=tuple(_row(line) for _, line in lines),
        values=tuple(_values(named, number, line) for number, line in lines),
        inputs=(fingerprint(SUMMARY, read_bytes(folder / SUMMARY)), fingerprint(DETAILED, data)),
        model=None if summary.get("model") is None else str(summary["model"]),
        design=_design(folder / PLANS),
    )


def _design(path: Path) -> str | None:
    """Name the design of the agents; None where the result comes from a table of tests."""
    if not is_file(path):
        return None
    try:
        plans = parsed(str(path), read_bytes(path))["plans"]
        designs = {(str(plan["design"]["name"]), str(plan["design"]["sha256"])) for plan in plans}
    except (LookupError, TypeError) as error:
        raise FileFormatError(f"{path}: names no designs of agents ({error}); score the run again") from error
    return ", ".join(f"{name} {sha[:8]}" if name not in KNOWN else name for name, sha in sorted(designs))


KNOWN = ("bare", "participant", "demographic", "story")
"""Designs that come with Concord; one of your own is told by its hash as well."""


def _summary(path: Path) -> dict[str, Any]:
    document = parsed(str(path), read_bytes(path))
    if not isinstance(document, dict) or not isinstance(document.get("protocol_choices"), dict):
        raise FileFormatError(f"{path}: not a summary of `concord score people`: it names no protocol")
    if "protocol" not in document:
        raise FileFormatError(f"{path}: not a summary of `concord score people`: it names no protocol")
    return document


def _check_complete(name: str, rows: int, summary: dict[str, Any]) -> None:
    """Refuse a table that was cut off: the summary says how many tests there are."""
    tests = summary.get("n_tests")
    if isinstance(tests, int) and rows < tests:
        raise FileFormatError(
            f"{name}: holds {rows} tests, the summary beside it speaks of {tests}; the file was cut off: "
            "score the table again"
        )


def _row(line: dict[str, str]) -> TestRow:
    domain = line.get("Domain", "")
    return TestRow(
        study=line["Study_ID"],
        sub_study=line.get("Sub_Study_ID", ""),
        finding=line["Finding_ID"],
        test=line["Test_Name"],
        test_type=line.get("Statistical_Test_Type", ""),
        domain=domain if domain else None,
    )


def _values(name: str, number: int, line: dict[str, str]) -> dict[str, float | None]:
    values = {field: _number(name, number, column, line[column]) for field, column in _NUMBERS.items()}
    return values | {field: _flag(name, number, column, line[column]) for field, column in _FLAGS.items()}


def _number(name: str, row: int, column: str, cell: str) -> float | None:
    """Read a number that Concord wrote; only an empty cell is undefined."""
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if (
        math.isnan(value)
        or (column == "PAS_Raw" and not 0 <= value <= 1)
        or (column == "N_Eff" and not 0 <= value < math.inf)
    ):
        expected = "a number from 0 to 1" if column == "PAS_Raw" else "a number"
        raise FileFormatError(f"{name}, row {row}, column {column!r}: got {cell!r}, expected {expected}")
    return value


def _flag(name: str, row: int, column: str, cell: str) -> float | None:
    """Read true or false in any case, as spreadsheet programs write them back; empty is undefined."""
    word = cell.strip().casefold()
    if word not in _FLAG_WORDS:
        raise FileFormatError(f"{name}, row {row}, column {column!r}: got {cell!r}, expected true or false")
    return _FLAG_WORDS[word]


_FLAG_WORDS = {"true": 1.0, "false": 0.0, "": None}

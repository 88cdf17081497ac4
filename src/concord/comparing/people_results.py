"""Folders that `concord score people` wrote, read back for comparison."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.comparing.logs import input_file
from concord.errors import FileFormatError
from concord.files.output import plain_cell
from concord.files.result_folders import folder_name, folder_with
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
    if not detailed.is_file():
        raise FileFormatError(
            f"{folder}: {DETAILED} is missing; score the table again with --out {folder.name}"
        )
    with detailed.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    wanted = {"Study_ID", "Finding_ID", "Test_Name", *_NUMBERS.values(), *_FLAGS.values()}
    lacking = sorted(wanted - set(lines[0] if lines else ()))
    if lacking:
        raise FileFormatError(f"{detailed}: columns are missing: {', '.join(lacking)}; score the table again")
    return PeopleFolder(
        name=folder_name(source) if name is None else name,
        protocol=str(summary["protocol"]),
        choices=dict(summary["protocol_choices"]),
        rows=tuple(_row(line) for line in lines),
        values=tuple(_values(detailed, number, line) for number, line in enumerate(lines, 2)),
        inputs=(input_file(folder / SUMMARY), input_file(detailed)),
        model=None if summary.get("model") is None else str(summary["model"]),
        design=_design(folder / PLANS),
    )


def _design(path: Path) -> str | None:
    """Name the design of the agents; None where the result comes from a table of tests."""
    if not path.is_file():
        return None
    try:
        plans = json.loads(path.read_text("utf-8"))["plans"]
        designs = {(str(plan["design"]["name"]), str(plan["design"]["sha256"])) for plan in plans}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise FileFormatError(f"{path}: names no designs of agents ({error}); score the run again") from error
    return ", ".join(f"{name} {sha[:8]}" if name not in KNOWN else name for name, sha in sorted(designs))


KNOWN = ("bare", "participant", "demographic", "story")
"""Designs that come with Concord; one of your own is told by its hash as well."""


def _summary(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path}: cannot be read as JSON: {error}") from error
    if not isinstance(document, dict) or "protocol" not in document or "protocol_choices" not in document:
        raise FileFormatError(f"{path}: not a summary of `concord score people`: it names no protocol")
    return document


def _row(line: dict[str, str]) -> TestRow:
    domain = plain_cell(line.get("Domain", ""))
    return TestRow(
        study=plain_cell(line["Study_ID"]),
        sub_study=plain_cell(line.get("Sub_Study_ID", "")),
        finding=plain_cell(line["Finding_ID"]),
        test=plain_cell(line["Test_Name"]),
        test_type=line.get("Statistical_Test_Type", ""),
        domain=domain if domain else None,
    )


def _values(path: Path, number: int, line: dict[str, str]) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for field, column in _NUMBERS.items():
        try:
            values[field] = float(line[column]) if line[column] else None
        except ValueError as error:
            raise FileFormatError(
                f"{path}, row {number}, column {column!r}: got {line[column]!r}, expected a number"
            ) from error
    words = {"true": 1.0, "false": 0.0}
    for field, column in _FLAGS.items():
        values[field] = words.get(line[column])
    return values

"""What a notebook imports: one function a question, frozen results that show themselves."""

import io
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import OptionError, StudyError, TableError
from concord.people.protocol import Protocol, get_protocol
from concord.people.result import (
    Companions,
    Diagnosis,
    FindingResult,
    GroupResult,
    PeopleScores,
    Score,
    TestResult,
)
from concord.people.score import N_RESAMPLES, score_table
from concord.readers.tests_table import read_tests
from concord.records import SideOutcome, TestTable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PeopleResult", "TableCheck", "check", "demo_table", "score_people"]


@dataclass(frozen=True, slots=True, repr=False)
class PeopleResult:
    """Agreement with people: the numbers, and ways to look at them and keep them."""

    scores: PeopleScores

    @property
    def pas(self) -> Score:
        """PAS of the benchmark: the probability of the same conclusion."""
        return self.scores.pas

    @property
    def ecs(self) -> Score:
        """ECS overall: Lin's concordance of effect sizes."""
        return self.scores.ecs

    @property
    def apr(self) -> Score:
        """APR: the share of tests that pass as replications."""
        return self.scores.apr

    @property
    def protocol(self) -> Protocol:
        """The choices these numbers were made under."""
        return self.scores.protocol

    @property
    def beside(self) -> Companions:
        """What stands beside the headline numbers."""
        return self.scores.beside

    @property
    def diagnosis(self) -> Diagnosis:
        """How the metrics relate over tests."""
        return self.scores.diagnosis

    @property
    def domains(self) -> tuple[GroupResult, ...]:
        """Scores by domain."""
        return self.scores.domains

    @property
    def studies(self) -> tuple[GroupResult, ...]:
        """Scores by study."""
        return self.scores.studies

    @property
    def findings(self) -> tuple[FindingResult, ...]:
        """Findings with their quadrant and reading."""
        return self.scores.findings

    @property
    def tests(self) -> tuple[TestResult, ...]:
        """Every listed test with its outcome."""
        return self.scores.tests

    @property
    def outcomes(self) -> dict[str, int]:
        """How every listed test ended, counted."""
        return dict(self.scores.outcomes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the table should know."""
        return self.scores.warnings

    def to_dict(self) -> dict[str, Any]:
        """Give the document that `benchmark_summary.json` holds."""
        from concord.reports.people import people_summary

        return people_summary(self.scores)

    def to_frame(self) -> "pl.DataFrame":
        """Give one row a test, the columns of `detailed_stats.csv`."""
        import polars as pl

        from concord.reports.people import DETAILED_COLUMNS, detailed_rows

        rows = detailed_rows(self.scores)
        return pl.DataFrame(rows, schema=list(DETAILED_COLUMNS), orient="row", infer_schema_length=None)

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `benchmark_summary.json`, `detailed_stats.csv` and one `evaluation_results.json` a study."""
        from concord.reports.people import write_people

        return write_people(self.scores, Path(out))

    def __repr__(self) -> str:
        return _rendered(self.scores)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(_rendered(self.scores))}</pre>"


@dataclass(frozen=True, slots=True)
class TableCheck:
    """Whether a table of tests, or a study, is well formed, and what it holds."""

    file: str
    problems: tuple[str, ...]
    """What keeps the file from being scored, or contradicts itself; empty when the check passes."""
    warnings: tuple[str, ...]
    counts: dict[str, int]
    """Studies, findings, tests, and how each side of the tests stands."""
    kind: str = "table of tests"

    @property
    def passed(self) -> bool:
        """Nothing was found that must be mended."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Give the document that `concord check --json` prints."""
        return {"file": self.file, "kind": self.kind, "passed": self.passed, **asdict(self)}


def check(file: str | Path, *, sheet: str | None = None) -> TableCheck:
    """Check that a table of tests or a study is well formed, without scoring or running it.

    Parameters
    ----------
    file
        Path of the table; of a study, when it ends in ``.yaml`` or ``.yml``.
    sheet
        Sheet of a workbook, the first by default.

    Raises
    ------
    FileFormatError
        The file cannot be read as a table at all.
    """
    if Path(file).suffix.lower() in (".yaml", ".yml"):
        return _check_study(Path(file), sheet)
    try:
        table = read_tests(Path(file), sheet=sheet)
    except TableError as error:
        return TableCheck(str(file), tuple(map(str, error.problems)), (), {})
    rest = tuple(warning for warning in table.warnings if warning not in table.inconsistencies)
    return TableCheck(str(file), table.inconsistencies, rest, _counts(table))


def _check_study(file: Path, sheet: str | None) -> TableCheck:
    from concord.people.study_files import read_study

    if sheet is not None:
        raise OptionError(f"sheet={sheet!r} was given, but only XLSX files have sheets")
    try:
        found = read_study(file)
    except StudyError as error:
        return TableCheck(str(file), tuple(map(str, error.problems)), (), {}, kind="study")
    study = found.study
    counts = {
        "experiments": len(study.experiments),
        "items": sum(len(experiment.items) for experiment in study.experiments.values()),
        "findings": len(study.findings),
        "tests": sum(len(finding.tests) for finding in study.findings.values()),
    }
    return TableCheck(str(file), (), found.warnings, counts, kind="study")


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


def demo_table() -> Path:
    """Give the bundled table of classic studies; its human side is published, its agent side invented."""
    return Path(__file__).parent / "people" / "data" / "demo_tests.csv"


def _rendered(scores: PeopleScores) -> str:
    from rich.console import Console

    from concord.reports.people_terminal import people_report

    console = Console(file=io.StringIO(), width=110, color_system=None)
    with console.capture() as capture:
        console.print(people_report(scores))
    return capture.get()


def score_people(
    table: Any,
    *,
    protocol: str | Protocol = "standard",
    sheet: str | None = None,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    **choices: object,
) -> PeopleResult:
    """Score a table of tests: PAS, ECS and APR with their uncertainty.

    Parameters
    ----------
    table
        A path (CSV, XLSX, Parquet, JSON), a polars or pandas frame, or a list of row mappings; one row a
        test with a human and an agent side.
    protocol
        ``standard``, ``refined``, ``published``, or a `Protocol` of your own.
    sheet
        Sheet of a workbook, the first by default.
    level
        Nominal coverage of intervals.
    n_resamples
        Fresh samples of participants behind the second interval; 0 leaves it out.
    seed
        Seed of the fresh samples: same input and seed, same numbers.
    choices
        Single choices of the protocol to change, such as ``states=2`` or ``include_unsigned=True``.

    Returns
    -------
    PeopleResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``.

    Examples
    --------
    >>> rows = [
    ...     {"study": "S", "finding": f"F{i}", "test": "t", "test_type": "t-test",
    ...      "human_statistic": h, "human_n1": 40, "human_n2": 40,
    ...      "agent_statistic": a, "agent_n1": 100, "agent_n2": 100}
    ...     for i, (h, a) in enumerate([(2.5, 4.0), (0.4, 0.1), (3.1, 6.2), (-2.2, 1.0)])
    ... ]
    >>> result = score_people(rows)
    >>> round(result.pas.value, 3), round(result.ecs.value, 3), result.apr.value
    (0.674, 0.701, 0.5)
    """
    chosen = get_protocol(protocol, **choices)
    tests = read_tests(table, sheet=sheet)
    return PeopleResult(score_table(tests, chosen, level=level, n_resamples=n_resamples, seed=seed))

"""Agreement with people as an object: it prints itself and gives frames, documents, files and pictures."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.people.protocol import Protocol
from concord.people.result import (
    Companions,
    Diagnosis,
    FindingResult,
    GroupResult,
    PeopleScores,
    Score,
    TestResult,
)
from concord.records import Presented

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, repr=False)
class PeopleResult(Presented):
    """Agreement with people: the numbers, and ways to look at them and keep them.

    ``plot(kind)`` draws ``scatter``, ``pas``, ``ecs``, ``quadrants``, or the forest plot of a study.
    """

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
        """Return the document that `benchmark_summary.json` holds."""
        from concord.people.files import people_summary

        return people_summary(self.scores)

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per test, the columns of `detailed_stats.csv`."""
        import polars as pl

        from concord.people.files import DETAILED_COLUMNS, detailed_rows

        rows = detailed_rows(self.scores)
        return pl.DataFrame(rows, schema=list(DETAILED_COLUMNS), orient="row", infer_schema_length=None)

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `benchmark_summary.json`, `detailed_stats.csv` and one `evaluation_results.json` a study."""
        from concord.people.files import write

        return write(self.scores, Path(out))

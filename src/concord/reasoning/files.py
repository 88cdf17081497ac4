"""The result of scoring a model's reasoning, and its folder: `write` and `read`."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import OptionError
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.documents import read_document, recorded
from concord.files.json_text import decoded, parsed
from concord.files.output import safe_name, write_json, write_lines
from concord.files.rows import read_rows, write_rows
from concord.reasoning.document import KIND, document_of, scores_of
from concord.reasoning.result import BiasRow, Case, ReasoningScores, SampleRow
from concord.records import Estimate, Provenance, Publishable, ScoredBy

if TYPE_CHECKING:
    import polars as pl

RESULTS_FILE = "study_a_results.json"
SAMPLES_FILE = "study_a_samples.csv"
BIAS_FILE = "study_a_bias.csv"
STEPS_FILE = "study_a_steps.jsonl"

_NO_BIAS = Estimate(None, note="no bias cases were given")


@dataclass(frozen=True, slots=True, repr=False)
class ReasoningResult(Publishable):
    """What recorded replies say about a model's reasoning.

    ``plot(kind)`` draws ``sensitivity``, ``accuracy`` or ``sweep``.
    """

    scores: ReasoningScores
    made: Provenance | None = None
    """How the replies were made; ``None`` where they were recorded elsewhere."""
    scored_by: ScoredBy | None = field(default=None, compare=False, repr=False)
    """What computed it, where it was read from files."""

    @property
    def model(self) -> str:
        """The model's name."""
        return self.scores.model

    @property
    def faithfulness_gap(self) -> Estimate:
        """Accuracy after reasoning minus accuracy of the early answer."""
        return self.scores.gap.gap

    @property
    def acc_cot(self) -> Estimate:
        """Accuracy after reasoning."""
        return self.scores.gap.acc_cot

    @property
    def acc_early(self) -> Estimate:
        """Accuracy of the early answer."""
        return self.scores.gap.acc_early

    @property
    def step_f1(self) -> Estimate:
        """Overlap of reasoning steps with gold steps."""
        return self.scores.steps.step_f1

    @property
    def silent_bias_rate(self) -> Estimate:
        """Share of biased answers whose reasoning does not mention the feature."""
        bias = self.scores.bias
        return _NO_BIAS if bias is None else bias.headline.silent_rate

    @property
    def verdict(self) -> str:
        """Functional, decorative, harmful, undecided, or not an early answer."""
        return self.scores.gap.verdict

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before using the numbers."""
        return self.scores.warnings

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The five headline numbers by name."""
        return {
            "faithfulness_gap": self.faithfulness_gap,
            "acc_cot": self.acc_cot,
            "acc_early": self.acc_early,
            "step_f1": self.step_f1,
            "silent_bias_rate": self.silent_bias_rate,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as one JSON document."""
        # Recorded replies do not say how they were made: unknown, not zero.
        made = Provenance() if self.made is None else self.made
        return document_of(self.scores, self.estimates) | dict(encode(made)) | recorded(self.scored_by)

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per vignette (and repeat)."""
        return _frame(self.scores.samples, SampleRow)

    def bias_to_frame(self) -> "pl.DataFrame":
        """Return one row per bias reply."""
        return _frame(() if self.scores.bias is None else self.scores.bias.rows, BiasRow)

    def write(self, out: str | Path = "results") -> Path:
        """Write ``study_a_results.json`` and the CSV files into ``<out>/<model>`` and return that folder."""
        folder = Path(out) / safe_name(self.model)
        write(self, folder)
        return folder


def write(result: ReasoningResult, folder: Path) -> None:
    """Write a result into its folder: the document, a table of vignettes, their steps, bias replies."""
    _refuse_other_model(folder / RESULTS_FILE, result.model)
    write_json(folder / RESULTS_FILE, result.to_dict())
    write_rows(folder / SAMPLES_FILE, SampleRow, result.scores.samples)
    write_lines(folder / STEPS_FILE, map(encode, result.scores.cases))
    if result.scores.bias is not None:
        write_rows(folder / BIAS_FILE, BiasRow, result.scores.bias.rows)


def read(folder: Path) -> ReasoningResult:
    """Read what `write` wrote; the inverse of it."""
    path = folder / RESULTS_FILE
    document = read_document(path, KIND)
    rows = read_rows(folder / SAMPLES_FILE, SampleRow)
    bias = read_rows(folder / BIAS_FILE, BiasRow) if document.get("bias") is not None else ()
    cases = _cases(folder / STEPS_FILE) if (folder / STEPS_FILE).is_file() else ()
    scores = scores_of(document, rows, bias, cases, where=str(path))
    made = decode(Provenance, document, where=str(path))
    by = decode(ScoredBy, document, where=str(path))
    return ReasoningResult(scores, None if made == Provenance() else made, by)


def _cases(path: Path) -> tuple[Case, ...]:
    """Read the steps of the vignettes; results written before they were kept have none."""
    data = read_bytes(path)
    lines = decoded(path.name, data).split("\n") if data else []
    return tuple(
        decode(Case, parsed(f"{path.name}, line {number}", line), where=f"{path}, line {number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    )


def _frame(rows: Sequence[SampleRow] | Sequence[BiasRow], kind: type[Any]) -> "pl.DataFrame":
    """Return records as a frame whose columns have types even where it is empty."""
    import polars as pl

    types = {"str": pl.String, "bool": pl.Boolean, "int": pl.Int64, "float": pl.Float64}
    schema = {
        one.name: types[str(getattr(one.type, "__name__", one.type)).split(" ")[0]] for one in fields(kind)
    }
    return pl.DataFrame([asdict(row) for row in rows], schema=schema)


def _refuse_other_model(path: Path, model: str) -> None:
    """Two names can give one folder; never write over another model's result."""
    if not path.exists():
        return
    try:
        there = json.loads(read_bytes(path)).get("model")
    except (ValueError, RecursionError, AttributeError):
        return
    if there != model:
        raise OptionError(
            f"{path} holds the result of {there!r}, not of {model!r}; choose another --out folder"
        )

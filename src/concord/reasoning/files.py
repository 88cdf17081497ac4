"""The result of scoring a model's reasoning: one JSON document, tables, files."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import OptionError
from concord.files.output import safe_name, write_csv, write_json, write_lines
from concord.files.provenance import provenance
from concord.reasoning.result import (
    BiasGroup,
    BiasResult,
    BiasRow,
    Case,
    Example,
    GapResult,
    ReasoningScores,
    SampleRow,
    StepResult,
)
from concord.records import Estimate, Interval, Made, Presented

if TYPE_CHECKING:
    import polars as pl

RESULTS_FILE = "study_a_results.json"
SAMPLES_FILE = "study_a_samples.csv"
BIAS_FILE = "study_a_bias.csv"
STEPS_FILE = "study_a_steps.jsonl"

_NO_BIAS = Estimate(None, note="no bias cases were given")


@dataclass(frozen=True, slots=True, repr=False)
class ReasoningResult(Presented):
    """What recorded replies say about a model's reasoning.

    ``plot(kind)`` draws ``sensitivity``, ``accuracy`` or ``sweep``.
    """

    scores: ReasoningScores
    made: Made | None = None
    """How the replies were made; ``None`` where they were recorded elsewhere."""

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
    def reading(self) -> str:
        """Functional, decorative, harmful, undecided, or not an early answer."""
        return self.scores.gap.reading

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
        return _document(self) | ({} if self.made is None else asdict(self.made))

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per vignette (and repeat)."""
        return _frame(self.scores.samples, SampleRow)

    def bias_to_frame(self) -> "pl.DataFrame":
        """Return one row a bias reply."""
        return _frame(() if self.scores.bias is None else self.scores.bias.rows, BiasRow)

    def write(self, out: str | Path = "results") -> Path:
        """Write ``study_a_results.json`` and the CSV files into ``<out>/<model>`` and return that folder."""
        return _write(self, Path(out))


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else asdict(interval)


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {**asdict(estimate), "interval": _interval(estimate.interval)}


def _document(result: ReasoningResult) -> dict[str, Any]:
    """Return the whole result as one JSON document."""
    scores, estimates = result.scores, result.estimates
    bias = scores.bias
    return {
        "format": "concord reasoning result",
        "model": scores.model,
        "study": "A",
        **{name: estimate.value for name, estimate in estimates.items()},
        "n_samples": scores.n_samples,
        "n_pairs": estimates["faithfulness_gap"].n,
        "n_repeats": scores.n_repeats,
        "correct_cot": scores.gap.n_correct_cot,
        "correct_early": scores.gap.n_correct_early,
        "n_biased": None if bias is None else bias.headline.n_biased,
        "n_silent": None if bias is None else bias.headline.n_silent,
        "reading": scores.gap.reading,
        "reading_reason": scores.gap.reading_reason,
        "intervals": {name: _interval(one.interval) for name, one in estimates.items() if one.interval},
        "undefined": {name: one.note for name, one in estimates.items() if one.value is None},
        "estimates": {name: _estimate(one) for name, one in estimates.items()},
        "outcomes": {
            **{mode: dict(counts) for mode, counts in scores.outcomes.items()},
            "bias": None if bias is None else dict(bias.outcomes),
        },
        "gap": _gap(scores.gap),
        "steps": _steps(scores.steps),
        "bias": None if bias is None else _bias(bias),
        "examples": [_example(one) for one in scores.examples],
        "warnings": list(scores.warnings),
        **_provenance(scores),
    }


def _example(example: Example) -> dict[str, Any]:
    """Return a chosen case; a bias reply has no steps."""
    head = {"rule": example.rule, "id": example.id, "shown": dict(example.shown)}
    return head if example.case is None else {**head, "case": _case(example.case)}


def _case(case: Case) -> dict[str, Any]:
    """Return the steps of a vignette and of its reply as a line of the file holds them."""
    lists = {"gold_steps": list(case.gold_steps), "steps": list(case.steps)}
    return {**asdict(case), **lists, "pairs": [list(pair) for pair in case.pairs]}


def _provenance(scores: ReasoningScores) -> dict[str, Any]:
    """Say how and from what the numbers were made."""
    options = scores.options
    return {
        "rules": options.rules,
        "options": {
            **(options.rule._asdict() if options.rules == "standard" else {}),
            "n_resamples": options.n_resamples,
            "lenient": options.lenient,
        },
        "seed": options.seed,
        **provenance(()),
        "inputs": {name: asdict(one) for name, one in scores.inputs.items()},
        "problems": {
            "counts": dict(sorted(Counter(problem.kind for problem in scores.problems).items())),
            "list": [str(problem) for problem in scores.problems],
        },
        # Recorded replies do not say how they were made: unknown, not zero.
        **asdict(Made()),
    }


def _gap(gap: GapResult) -> dict[str, Any]:
    """Return what stands beside the gap."""
    return {
        "bootstrap_interval": _interval(gap.bootstrap),
        "table": None if gap.table is None else asdict(gap.table),
        "p_value": gap.p_value,
        "p_method": gap.p_method,
        "leakage": {
            "n_direct": gap.n_direct,
            "n_leaked": gap.n_leaked,
            "share": gap.n_leaked / gap.n_direct if gap.n_direct else None,
        },
        "if_other_outcomes_were_wrong": _estimate(gap.if_wrong),
        "majority": {"label": gap.majority_label, "share": gap.majority_share},
        "sensitivity": [
            {
                "rules": row.rules,
                **(
                    dict.fromkeys(("scope", "negation", "multiple"))
                    if row.rule is None
                    else row.rule._asdict()
                ),
                "n": row.n,
                "acc_cot": row.acc_cot,
                "acc_early": row.acc_early,
                "faithfulness_gap": row.gap.value,
                "interval": _interval(row.gap.interval),
            }
            for row in gap.sensitivity
        ],
        "labels": [asdict(row) for row in gap.labels],
    }


def _steps(steps: StepResult) -> dict[str, Any]:
    """Return what stands beside Step-F1."""
    return {
        "optimal": steps.optimal.value,
        "chance": steps.chance,
        "n_shifts": steps.n_shifts,
        "above_chance": steps.above_chance,
        "ceiling": steps.ceiling,
        "threshold_sweep": [{"threshold": cut, "step_f1": value} for cut, value in steps.sweep],
    }


def _group(group: BiasGroup) -> dict[str, Any]:
    return {
        **asdict(group),
        "biased_rate": _estimate(group.biased_rate),
        "silent_rate": _estimate(group.silent_rate),
    }


def _bias(bias: BiasResult) -> dict[str, Any]:
    """Return what stands beside the silent bias rate."""
    return {
        "headline": bias.headline.name,
        "biased_rate": _estimate(bias.headline.biased_rate),
        "groups": [_group(group) for group in bias.groups],
        "dimensions": [_group(group) for group in bias.dimensions],
        "pairs": [asdict(test) for test in bias.pairs],
    }


def _frame(rows: Sequence[SampleRow] | Sequence[BiasRow], kind: type[Any]) -> "pl.DataFrame":
    """Return records as a frame whose columns have types even where it is empty."""
    import polars as pl

    types = {"str": pl.String, "bool": pl.Boolean, "int": pl.Int64, "float": pl.Float64}
    schema = {
        one.name: types[str(getattr(one.type, "__name__", one.type)).split(" ")[0]] for one in fields(kind)
    }
    return pl.DataFrame([asdict(row) for row in rows], schema=schema)


def _write(result: ReasoningResult, out: Path) -> Path:
    """Write the document and the tables."""
    folder = out / safe_name(result.model)
    _refuse_other_model(folder / RESULTS_FILE, result.model)
    write_json(folder / RESULTS_FILE, result.to_dict())
    _write_rows(folder / SAMPLES_FILE, SampleRow, result.scores.samples)
    write_lines(folder / STEPS_FILE, map(_case, result.scores.cases))
    if result.scores.bias is not None:
        _write_rows(folder / BIAS_FILE, BiasRow, result.scores.bias.rows)
    return folder


def _write_rows(path: Path, kind: type[Any], rows: Sequence[SampleRow] | Sequence[BiasRow]) -> None:
    """Write records as CSV: flags as true and false, undefined as an empty cell."""
    write_csv(path, [one.name for one in fields(kind)], map(astuple, rows))


def _refuse_other_model(path: Path, model: str) -> None:
    """Two names can give one folder; never write over another model's result."""
    if not path.exists():
        return
    try:
        there = json.loads(path.read_text(encoding="utf-8")).get("model")
    except (ValueError, AttributeError):
        return
    if there != model:
        raise OptionError(
            f"{path} holds the result of {there!r}, not of {model!r}; choose another --out folder"
        )

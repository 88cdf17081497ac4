"""The JSON document of a result: its keys as the documentation fixes them, and the way back to the record."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from concord.files.codec import decode, encode
from concord.files.documents import heading, provenance
from concord.reasoning.correct import Rule
from concord.reasoning.result import (
    BiasResult,
    BiasRow,
    Case,
    GapResult,
    ReasoningScores,
    SampleRow,
    StepResult,
)
from concord.records import Estimate

KIND = "reasoning result"
_RULE = Rule._fields
_ABSENT = object()
_PLACES = {
    "model": "model",
    "options.rules": "rules",
    "options.seed": "seed",
    "options.n_resamples": "options.n_resamples",
    "options.lenient": "options.lenient",
    "n_samples": "n_samples",
    "n_repeats": "n_repeats",
    "gap.gap": "estimates.faithfulness_gap",
    "gap.acc_cot": "estimates.acc_cot",
    "gap.acc_early": "estimates.acc_early",
    "gap.n_correct_cot": "correct_cot",
    "gap.n_correct_early": "correct_early",
    "gap.bootstrap": "gap.bootstrap_interval",
    "gap.table": "gap.table",
    "gap.p_value": "gap.p_value",
    "gap.p_method": "gap.p_method",
    "gap.verdict": "reading",
    "gap.verdict_reason": "reading_reason",
    "gap.n_direct": "gap.leakage.n_direct",
    "gap.n_leaked": "gap.leakage.n_leaked",
    "gap.if_wrong": "gap.if_other_outcomes_were_wrong",
    "gap.majority_label": "gap.majority.label",
    "gap.majority_share": "gap.majority.share",
    "gap.labels": "gap.labels",
    "gap.found": "gap.found",
    "steps.step_f1": "estimates.step_f1",
    "steps.chance": "steps.chance",
    "steps.n_shifts": "steps.n_shifts",
    "steps.above_chance": "steps.above_chance",
    "steps.ceiling": "steps.ceiling",
    "examples": "examples",
    "inputs": "inputs",
    "warnings": "warnings",
}
"""Fields of the record, and where the document holds them; those of another shape have a function below."""


def document_of(scores: ReasoningScores, estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return everything but the rows of vignettes, steps and bias replies, which have files of their own."""
    bias = scores.bias
    document: dict[str, Any] = {
        **heading(KIND),
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
        "reading": scores.gap.verdict,
        "reading_reason": scores.gap.verdict_reason,
        "intervals": {name: one.interval for name, one in estimates.items() if one.interval},
        "undefined": {name: one.note for name, one in estimates.items() if one.value is None},
        "estimates": estimates,
        "outcomes": {**scores.outcomes, "bias": None if bias is None else bias.outcomes},
        "gap": _gap(scores.gap),
        "steps": _steps(scores.steps),
        "bias": None if bias is None else _bias_details(bias),
        "examples": scores.examples,
        "warnings": scores.warnings,
        **_how(scores),
    }
    return {key: encode(value) for key, value in document.items()}


def _how(scores: ReasoningScores) -> dict[str, Any]:
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
        "inputs": scores.inputs,
        "problems": {
            "counts": dict(sorted(Counter(problem.kind for problem in scores.problems).items())),
            "list": [str(problem) for problem in scores.problems],
            "records": scores.problems,
        },
    }


def _gap(gap: GapResult) -> dict[str, Any]:
    """Return the details of the gap."""
    return {
        "bootstrap_interval": gap.bootstrap,
        "table": gap.table,
        "p_value": gap.p_value,
        "p_method": gap.p_method,
        "leakage": {
            "n_direct": gap.n_direct,
            "n_leaked": gap.n_leaked,
            "share": gap.n_leaked / gap.n_direct if gap.n_direct else None,
        },
        "if_other_outcomes_were_wrong": gap.if_wrong,
        "majority": {"label": gap.majority_label, "share": gap.majority_share},
        "sensitivity": [
            {
                "rules": row.rules,
                **(dict.fromkeys(_RULE) if row.rule is None else row.rule._asdict()),
                "n": row.n,
                "acc_cot": row.acc_cot,
                "acc_early": row.acc_early,
                "faithfulness_gap": row.gap.value,
                "interval": row.gap.interval,
                "gap": row.gap,
            }
            for row in gap.sensitivity
        ],
        "labels": gap.labels,
        "found": gap.found,
    }


def _sensitivity_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the sensitivity table as the record has it."""
    rule = {name: row[name] for name in _RULE if row.get(name) is not None}
    return {**row, "rule": rule if rule else None}


def _steps(steps: StepResult) -> dict[str, Any]:
    """Return the details of Step-F1."""
    return {
        "optimal": steps.optimal.value,
        "optimal_estimate": steps.optimal,
        "chance": steps.chance,
        "n_shifts": steps.n_shifts,
        "above_chance": steps.above_chance,
        "ceiling": steps.ceiling,
        "threshold_sweep": [{"threshold": cut, "step_f1": value} for cut, value in steps.sweep],
    }


def _bias_details(bias: BiasResult) -> dict[str, Any]:
    """Return the details of the silent bias rate."""
    return {
        "headline": bias.headline.name,
        "biased_rate": bias.headline.biased_rate,
        "headline_group": bias.headline,
        "groups": bias.groups,
        "dimensions": bias.dimensions,
        "pairs": bias.pairs,
    }


def scores_of(
    document: Mapping[str, Any],
    samples: Sequence[SampleRow],
    bias_rows: Sequence[BiasRow],
    cases: Sequence[Case],
    *,
    where: str,
) -> ReasoningScores:
    """Return the record of a document and of its rows; the inverse of `document_of`."""
    record: dict[str, Any] = {"samples": [], "cases": []}
    for field, place in _PLACES.items():
        _put(record, field, _at(document, place))
    options = _at(document, "options")
    _put(record, "options.rule", {name: options[name] for name in _RULE if name in _keys(options)})
    _put(record, "gap.sensitivity", _each(_at(document, "gap.sensitivity"), _sensitivity_row))
    _put(record, "steps.optimal", _at(document, "steps.optimal_estimate"))
    _put(record, "steps.sweep", _each(_at(document, "steps.threshold_sweep"), _sweep_pair))
    _put(record, "problems", _at(document, "problems.records"))
    outcomes = _at(document, "outcomes")
    _put(record, "outcomes", {mode: outcomes[mode] for mode in _keys(outcomes) if mode != "bias"})
    record["bias"] = _bias_record(document)
    scores = decode(ReasoningScores, record, where=where)
    bias = None if scores.bias is None else replace(scores.bias, rows=tuple(bias_rows))
    return replace(scores, samples=tuple(samples), cases=tuple(cases), bias=bias)


def _bias_record(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the record of the bias."""
    bias = document.get("bias")
    if not isinstance(bias, Mapping):
        return None
    return {
        **bias,
        "headline": bias.get("headline_group"),
        "outcomes": _at(document, "outcomes.bias"),
        "rows": [],
    }


def _sweep_pair(row: Mapping[str, Any]) -> list[Any]:
    return [row.get("threshold"), row.get("step_f1")]


def _each(values: object, make: Any) -> object:
    """Apply a function to every entry of a list; what is no list is left for `decode` to name."""
    return [make(value) for value in values] if isinstance(values, list) else values


def _keys(value: object) -> Sequence[str]:
    return list(value) if isinstance(value, Mapping) else []


def _at(document: object, place: str) -> Any:
    """Return the value at a dotted place of a document, or ``_ABSENT``."""
    for key in place.split("."):
        if not isinstance(document, Mapping) or key not in document:
            return _ABSENT
        document = document[key]
    return document


def _put(record: dict[str, Any], place: str, value: object) -> None:
    """Put a value at a dotted place; what is absent stays absent, and `decode` names it."""
    *parents, last = place.split(".")
    for key in parents:
        record = record.setdefault(key, {})
    if value is not _ABSENT:
        record[last] = value

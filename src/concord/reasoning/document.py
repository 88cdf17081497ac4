"""The JSON document of a result: its keys as the documentation fixes them, and the way back to the record."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from concord.files.codec import decode, encode
from concord.files.documents import provenance
from concord.reasoning.result import (
    LEVEL,
    BiasResult,
    BiasRow,
    Case,
    GapResult,
    ReasoningScores,
    Rule,
    SampleRow,
    StepResult,
)
from concord.records import Estimate

_RULE = Rule._fields
_ABSENT = object()
_PLACES = {
    "model": "model",
    "options.rules": "rules",
    "options.seed": "seed",
    "options.n_resamples": "options.n_resamples",
    "options.strict": "options.strict",
    "options.level": "options.level",
    "options.cluster": "options.cluster",
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
    "gap.unread": "gap.unread",
    "steps.step_f1": "estimates.step_f1",
    "steps.optimal": "steps.optimal_estimate",
    "steps.chance": "steps.chance",
    "steps.n_shifts": "steps.n_shifts",
    "steps.above_chance": "steps.above_chance",
    "steps.ceiling": "steps.ceiling",
    "bias.headline": "bias.headline_group",
    "bias.groups": "bias.groups",
    "bias.dimensions": "bias.dimensions",
    "bias.pairs": "bias.pairs",
    "bias.outcomes": "outcomes.bias",
    "examples": "examples",
    "inputs": "inputs",
    "problems": "problems.records",
    "warnings": "warnings",
}
"""Fields of the record, and where the document holds them; those of another shape have a function below."""


def document_of(scores: ReasoningScores, estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return everything but the rows of vignettes, steps and bias replies, which have files of their own."""
    bias = scores.bias
    document: dict[str, Any] = {
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
            "strict": options.strict,
            **({} if options.level == LEVEL else {"level": options.level}),
            **({} if options.cluster is None else {"cluster": options.cluster}),
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
        **({"unread": gap.unread} if gap.unread else {}),
    }


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
    for name, place in _PLACES.items():
        _put_at(record, name, _at(document, place))
    _put_at(record, "options.rule", _rule_of(_at(document, "options")))
    gap, steps, outcomes = (_at(document, name) for name in ("gap", "steps", "outcomes"))
    _put_at(
        record,
        "gap.sensitivity",
        _each(_at(gap, "sensitivity"), lambda row: {**row, "rule": _rule_of(row) or None}),
    )
    _put_at(record, "steps.sweep", _each(_at(steps, "threshold_sweep"), lambda row: list(row.values())))
    _put_at(record, "outcomes", {mode: outcomes[mode] for mode in _keys(outcomes) if mode != "bias"})
    record["bias"] = None if document.get("bias") is None else {**record["bias"], "rows": []}
    scores = decode(ReasoningScores, record, where=where)
    bias = None if scores.bias is None else replace(scores.bias, rows=tuple(bias_rows))
    return replace(scores, samples=tuple(samples), cases=tuple(cases), bias=bias)


def _rule_of(row: Any) -> dict[str, Any]:
    """Return the rule of correctness that a part of a document names; the research code's own has none."""
    return {name: row[name] for name in _RULE if name in _keys(row) and row[name] is not None}


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


def _put_at(record: dict[str, Any], place: str, value: object) -> None:
    """Put a value at a dotted place; what is absent stays absent, and `decode` names it."""
    *parents, last = place.split(".")
    for key in parents:
        record = record.setdefault(key, {})
    if value is not _ABSENT:
        record[last] = value

"""Agreement with people as files: one row per test, one document per study, one summary."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from concord.files.output import distinct_names, write_csv, write_json
from concord.files.provenance import provenance
from concord.people.result import Bounds, FindingResult, GroupResult, PeopleScores, Score, TestResult
from concord.records import Estimate, Interval

DETAILED_COLUMNS = {
    "Study_ID": "study",
    "Sub_Study_ID": "sub_study",
    "Finding_ID": "finding",
    "Test_Name": "test",
    "Statistical_Test_Type": "test_type",
    "PAS_Raw": "pas",
    "ECS_Test": "ecs_test",
    "Z_Diff": "z_diff",
    "Agent_Effect_Size": "agent_effect",
    "Human_Effect_Size": "human_effect",
    "Agent_Effect_d": "agent_effect_d",
    "Human_Effect_d": "human_effect_d",
    "Domain": "domain",
    "Outcome": "outcome",
    "In_ECS": "in_ecs",
    "Two_States": "two_states",
    "Human_Log_BF": "human_log_bf",
    "Agent_Log_BF": "agent_log_bf",
    "Human_P": "human_p",
    "Agent_P": "agent_p",
    "Human_Direction": "human_direction",
    "Agent_Direction": "agent_direction",
    "Human_Significant": "human_significant",
    "Agent_Significant": "agent_significant",
    "Direction_Match": "direction_match",
    "Replicated": "passed",
    "N_Eff": "n_eff",
    "Human_Effect_SE": "human_effect_se",
    "Agent_Effect_SE": "agent_effect_se",
    "Human_Posterior": "human_posterior",
    "Agent_Posterior": "agent_posterior",
    "Human_Prob_Positive": "human_prob_positive",
    "Agent_Prob_Positive": "agent_prob_positive",
    "Flags": "flags",
    "Reasons": "reasons",
}
"""Columns of `detailed_stats.csv` and the fields they come from."""


def detailed_rows(scores: PeopleScores) -> list[list[object]]:
    """Return one row per test, in the order of `DETAILED_COLUMNS`; undefined is None."""
    return [[_cell(test, field) for field in DETAILED_COLUMNS.values()] for test in scores.tests]


def _cell(test: TestResult, field: str) -> object:
    value = getattr(test, field)
    return "; ".join(value) if isinstance(value, tuple) else value


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else asdict(interval)


def _score(key: str, score: Score) -> dict[str, Any]:
    """Return a key with the bare number, its intervals beside it, and the reason for whatever is null."""
    entry: dict[str, Any] = {
        key: score.value,
        f"{key}_interval": _interval(score.interval),
        f"{key}_interval_fixed_studies": _interval(score.fresh),
    }
    if score.bounds is not None:
        entry |= _bounds(key, score.bounds)
    notes = [score.estimate.note, score.fresh_note and f"fixed studies: {score.fresh_note}"]
    said = "; ".join(note for note in notes if note)
    if said:
        entry[f"{key}_note"] = said
    return entry


def _bounds(key: str, bounds: Bounds) -> dict[str, Any]:
    """Return floor, ceiling and place of a score, each with its interval."""
    entry: dict[str, Any] = {}
    for name in ("floor", "ceiling", "place"):
        estimate: Estimate = getattr(bounds, name)
        entry[f"{key}_{name}"] = estimate.value
        entry[f"{key}_{name}_interval"] = _interval(estimate.interval)
        if estimate.note:
            entry[f"{key}_{name}_note"] = estimate.note
    return entry


def _group(group: GroupResult) -> dict[str, Any]:
    return {
        **_score("score", group.pas),
        **_score("ecs_corr_study", group.ecs),
        **_score("apr", group.apr),
        "n_findings": group.n_findings,
        "n_tests": group.n_tests,
        "n_tests_scored": group.n_tests_scored,
        "n_tests_with_effects": group.n_tests_with_effects,
        "auxiliary": {
            "normalized_score": group.normalised_pas,
            **_score("ecs_strict_study", group.ecs_strict),
            "average_consistency_score": group.ecs_strict.value,
        },
    }


def _domain(group: GroupResult) -> dict[str, Any]:
    return {"domain": group.name, "n_studies": group.n_studies, **_group(group)}


def people_summary(scores: PeopleScores) -> dict[str, Any]:
    """Return what `benchmark_summary.json` holds and `--json` prints."""
    beside = scores.beside
    return {
        "question": "people",
        "model": scores.model,
        "protocol": scores.protocol.name,
        **_score("average_pas_raw", scores.pas),
        **_score("average_ecs", scores.ecs),
        **_score("average_apr", scores.apr),
        "n_studies": len(scores.studies),
        "n_findings": len(scores.findings),
        "n_tests": len(scores.tests),
        "n_tests_scored": scores.pas.estimate.n,
        "n_tests_with_effects": scores.ecs.estimate.n,
        "outcomes": dict(scores.outcomes),
        "domains": [_domain(group) for group in scores.domains],
        "studies": [{"study_id": g.name, "domain": g.domain, **_group(g)} for g in scores.studies],
        "findings": [_finding(finding) for finding in scores.findings],
        "diagnosis": asdict(scores.diagnosis),
        "auxiliary": {
            **_score("ecs_strict_overall", beside.ecs_strict),
            "normalized_score": beside.normalised_pas,
            "pearson": beside.pearson,
            "caricature_slope": beside.caricature_slope,
            "caricature_intercept": beside.caricature_intercept,
            "concordance_about_zero": beside.concordance_about_zero,
            "share_without_effects": beside.share_without_effects,
            "apr_all": beside.apr_all,
            "apr_human_significant": beside.apr_human_significant,
            "nulls_kept": beside.nulls_kept,
            "n_human_nulls": beside.n_human_nulls,
        },
        "floor_and_ceiling": {
            "n_simulations": scores.n_simulations,
            "null_share": scores.null_share,
            "tau2": scores.tau2,
            "note": scores.bounds_note,
        },
        "warnings": list(scores.warnings),
        "protocol_choices": scores.protocol.to_dict(),
        "options": {
            "level": scores.level,
            "n_resamples": scores.n_resamples,
            "n_simulations": scores.n_simulations,
            "seed": scores.seed,
        },
        "seed": scores.seed,
        **provenance(scores.inputs),
        **asdict(scores.made),
    }


def _finding(finding: FindingResult) -> dict[str, Any]:
    return asdict(finding)


def study_document(scores: PeopleScores, study: GroupResult) -> dict[str, Any]:
    """Return what one study's `evaluation_results.json` holds."""
    findings = [_finding(f) for f in scores.findings if f.study == study.name]
    tests = [asdict(test) for test in scores.tests if test.study == study.name]
    return {
        "study_id": study.name,
        "domain": study.domain,
        "protocol": scores.protocol.name,
        **_group(study),
        "findings": findings,
        "tests": [_finite(test) for test in tests],
        "seed": scores.seed,
        **provenance(scores.inputs),
        **asdict(scores.made),
    }


def _finite(test: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: a log Bayes factor at its limit is written as text."""
    return {
        key: str(value) if value in (float("inf"), float("-inf")) else value for key, value in test.items()
    }


def write_people(scores: PeopleScores, out: Path) -> tuple[Path, ...]:
    """Write all files of a result and give their paths."""
    detailed = out / "detailed_stats.csv"
    write_csv(detailed, list(DETAILED_COLUMNS), detailed_rows(scores))
    summary = out / "benchmark_summary.json"
    write_json(summary, people_summary(scores))
    folders = distinct_names([study.name for study in scores.studies])
    studies = [out / folder / "evaluation_results.json" for folder in folders]
    for path, study in zip(studies, scores.studies, strict=True):
        write_json(path, study_document(scores, study))
    return (summary, detailed, *studies)


def closing_sentence(scores: PeopleScores) -> str:
    """Say in plain words what the numbers mean."""
    parts = [_pas_words(scores), _ecs_words(scores)]
    return " ".join(part for part in parts if part)


def _pas_words(scores: PeopleScores) -> str:
    pas = scores.pas.value
    if pas is None:
        return "No test has both sides, so nothing can be said about conclusions."
    passed = scores.apr.value
    share = "" if passed is None else f", and {passed:.0%} of its tests pass as replications"
    return (
        f"A conclusion drawn from the agent agrees with the one drawn from people "
        f"with probability {pas:.2f}{share}."
    )


def _ecs_words(scores: PeopleScores) -> str:
    slope = scores.beside.caricature_slope
    if scores.ecs.value is None or slope is None:
        return (
            f"Effect sizes cannot be compared ({scores.ecs.estimate.note})."
            if scores.ecs.value is None
            else ""
        )
    size = effects_beside(slope, scores.beside.caricature_intercept)
    return (
        f"Its effects agree with the human ones at {scores.ecs.value:.2f} (1 is identity) "
        f"and on the whole {size}."
    )


SAME = 0.1
"""So near to one a slope, and to zero a shift in d, is not told as a difference."""


def effects_beside(slope: float, shift: float | None) -> str:
    """Say what the line of agent effects on human ones means.

    Examples
    --------
    >>> effects_beside(1.4, 0.0), effects_beside(0.5, -0.9)
    ('exaggerate theirs (slope 1.40)', 'vary less than theirs (slope 0.50, shifted by -0.90)')
    """
    shifted = shift is not None and abs(shift) > SAME
    if slope < 0:
        said = "run against"
    elif abs(slope - 1) <= SAME:
        said = "vary as much as" if shifted else "are about as large as"
    elif shifted:  # a shifted line crosses identity, so larger or smaller would not hold for all
        said = "vary more than" if slope > 1 else "vary less than"
    else:
        said = "exaggerate" if slope > 1 else "are muted beside"
    return f"{said} theirs (slope {slope:.2f}{f', shifted by {shift:.2f}' if shifted else ''})"

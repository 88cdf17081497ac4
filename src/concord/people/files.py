"""Agreement with people as files, written and read back: a summary, one document per study, a table of tests.

Headline keys hold bare numbers; the whole record of each score (`Score`) is under ``estimates``,
so that what was read equals what was written.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.delimited import text_records
from concord.files.documents import heading, holding_folder, need_keys, provenance, read_document
from concord.files.json_text import decoded
from concord.files.output import distinct_names, frame_of, write_csv, write_json
from concord.people.protocol import Protocol
from concord.people.referee import Referee, RefereeResult
from concord.people.result import (
    Bounds,
    CompanionNumbers,
    Diagnosis,
    EffectSizes,
    FindingResult,
    GroupResult,
    Score,
    TestResult,
)
from concord.records import Estimate, InputFile, Provenance, Publishable, ScoredBy

if TYPE_CHECKING:
    import polars as pl


FLAGS = (
    "In_ECS",
    "Two_States",
    "Human_Significant",
    "Agent_Significant",
    "Direction_Match",
    "Replicated",
)
"""Columns that hold true, false or nothing; spreadsheets write them in capitals."""
_ROUNDING = 1e-9
_WORDS = {"": None, "true": True, "false": False}


def flag(cell: str) -> bool | None:
    """Return what a flag says, in any case; None where it is empty.

    Examples
    --------
    >>> flag("TRUE"), flag("false"), flag("")
    (True, False, None)
    """
    word = cell.strip().casefold()
    if word not in _WORDS:
        raise FileFormatError(f"is {cell!r}; expected true, false or nothing")
    return _WORDS[word]


def check_rows(rows: Sequence[Mapping[str, str]], n_tests: int | None) -> None:
    """Refuse rows that were changed or lost since they were written."""
    if n_tests is not None and len(rows) != n_tests:
        raise FileFormatError(
            f"holds {len(rows)} rows, the summary counts {n_tests} tests: the file was cut or joined; "
            "score the table again"
        )
    for place, row in enumerate(rows, 2):
        for name in FLAGS:
            try:
                flag(row.get(name, ""))
            except FileFormatError as fault:
                raise FileFormatError(f"row {place}, column {name!r} {fault}") from None
        _check_share(place, "PAS_Raw", row.get("PAS_Raw", ""))


def _check_share(place: int, name: str, cell: str) -> None:
    text = cell.strip()
    try:
        value = float(text) if text else 0.0
    except ValueError:
        value = math.nan
    if not -_ROUNDING <= value <= 1 + _ROUNDING:
        raise FileFormatError(
            f"row {place}, column {name!r} is {cell!r}; expected a number from 0 to 1, or nothing"
        )


def check_detailed(path: Path, n_tests: int) -> None:
    """Check the table of tests next to a summary, where there is one."""
    if not path.is_file():
        return
    try:
        records = text_records(str(path), decoded(str(path), read_bytes(path)))
        keys = next(records, [])
        rows = [dict(zip(keys, row, strict=False)) for row in records if row]
    except FileFormatError as fault:
        raise FileFormatError(f"{fault}; score the table again") from fault
    try:
        check_rows(rows, n_tests)
    except FileFormatError as fault:
        raise FileFormatError(f"{path}: {fault}") from None


SUMMARY, DETAILED, STUDY = "benchmark_summary.json", "detailed_stats.csv", "evaluation_results.json"
_SUMMARY_KIND, _STUDY_KIND = "people result", "people result of a study"

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
    "Verdict": "verdict",
}
"""Columns of `detailed_stats.csv` and the fields they come from."""


@dataclass(frozen=True, slots=True, repr=False)
class PeopleResult(Publishable):
    """Agreement with people, whole; it prints itself and gives frames, documents, files and pictures.

    ``plot(kind)`` draws ``scatter``, ``pas``, ``ecs``, ``quadrants``, or the forest plot of a study.
    """

    protocol: Protocol
    pas: Score
    ecs: Score
    apr: Score
    companions: CompanionNumbers
    diagnosis: Diagnosis
    domains: tuple[GroupResult, ...]
    studies: tuple[GroupResult, ...]
    findings: tuple[FindingResult, ...]
    tests: tuple[TestResult, ...]
    outcomes: Mapping[str, int]
    """How every listed test ended; the counts sum to the number of rows."""
    seed: int
    n_resamples: int
    level: float
    n_simulations: int = 0
    bounds_note: str = ""
    """Why there is no floor and ceiling, or what they assume."""
    null_share: float | None = None
    """Share of human effects taken to be null in the ceiling."""
    tau2: float | None = None
    """Variance of the other true effects, on the d scale."""
    warnings: tuple[str, ...] = ()
    model: str | None = None
    """Who took the place of the participants, where it was said."""
    inputs: tuple[InputFile, ...] = field(default=())
    made: Provenance = Provenance()
    """How the agent's replies were made, where a run says so."""
    sizes: EffectSizes | None = None
    """How large effects are; None in results of Concord before it was computed."""
    assumptions: tuple[str, ...] = ()
    """What had to be assumed, with the tests it concerns and the column that would remove it."""
    referee: Referee | None = None
    """What a referee asks: replication, difference, selection, priors; None in results before it."""
    scored_by: ScoredBy | None = field(default=None, compare=False, repr=False)
    """What computed it, where it was read from files."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `benchmark_summary.json` holds."""
        return people_summary(self)

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per test, the columns of `detailed_stats.csv`."""
        return frame_of(DETAILED_COLUMNS, detailed_rows(self))

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write `benchmark_summary.json`, `detailed_stats.csv` and one `evaluation_results.json` a study."""
        return write(self, Path(out))


def detailed_rows(scores: PeopleResult) -> list[list[object]]:
    """Return one row per test, in the order of `DETAILED_COLUMNS`; undefined is None."""
    return [[_cell(test, field) for field in DETAILED_COLUMNS.values()] for test in scores.tests]


def _cell(test: TestResult, field: str) -> object:
    value = getattr(test, field)
    return "; ".join(value) if isinstance(value, tuple) else value


def _score_entry(key: str, score: Score) -> dict[str, Any]:
    """Return a key with the bare number, then its intervals, and the reason for whatever is null."""
    entry: dict[str, Any] = {
        key: score.value,
        f"{key}_interval": encode(score.interval),
        f"{key}_interval_fixed_studies": encode(score.new_participants),
    }
    if score.new_participants_otherwise:
        entry[f"{key}_interval_fixed_studies_otherwise"] = [
            encode(one) for one in score.new_participants_otherwise
        ]
    if score.bounds is not None:
        entry |= _bounds(key, score.bounds)
    notes = [
        score.estimate.note,
        score.new_participants_note and f"fixed studies: {score.new_participants_note}",
    ]
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
        entry[f"{key}_{name}_interval"] = encode(estimate.interval)
        if estimate.note:
            entry[f"{key}_{name}_note"] = estimate.note
    entry[f"{key}_percentile_among_twins"] = bounds.percentile
    return entry


_COUNTS = ("n_studies", "n_findings", "n_tests", "n_tests_scored", "n_tests_with_effects")


def _group_document(group: GroupResult) -> dict[str, Any]:
    strict = _score_entry("ecs_strict_study", group.ecs_strict)
    old = {"normalized_score": group.normalised_pas, "average_consistency_score": group.ecs_strict.value}
    return {
        **_score_entry("score", group.pas),
        **_score_entry("ecs_corr_study", group.ecs),
        **_score_entry("apr", group.apr),
        **{name: getattr(group, name) for name in _COUNTS},
        "ecs_strict_study": group.ecs_strict.value,
        **old,
        "auxiliary": {**strict, **old},
        "estimates": {name: encode(getattr(group, name)) for name in ("pas", "ecs", "apr", "ecs_strict")},
    }


def people_summary(scores: PeopleResult) -> dict[str, Any]:
    """Return what `benchmark_summary.json` holds and `--json` prints."""
    companions = scores.companions
    others = {
        field.name: getattr(companions, field.name)
        for field in fields(CompanionNumbers)
        if field.name not in ("ecs_strict", "normalised_pas")
    }
    estimates = {"pas": scores.pas, "ecs": scores.ecs, "apr": scores.apr, "ecs_strict": companions.ecs_strict}
    return {
        **heading(_SUMMARY_KIND),
        "question": "people",
        "model": scores.model,
        "protocol": scores.protocol.name,
        **_score_entry("average_pas_raw", scores.pas),
        **_score_entry("average_ecs", scores.ecs),
        **_score_entry("average_apr", scores.apr),
        "average_pas": scores.pas.value,
        "normalized_score": companions.normalised_pas,
        "ecs_strict_overall": companions.ecs_strict.value,
        "average_consistency_score": companions.ecs_strict.value,
        "n_studies": len(scores.studies),
        "n_findings": len(scores.findings),
        "n_tests": len(scores.tests),
        "n_tests_scored": scores.pas.estimate.n,
        "n_tests_with_effects": scores.ecs.estimate.n,
        "outcomes": dict(scores.outcomes),
        "domains": [{"domain": group.name, **_group_document(group)} for group in scores.domains],
        "studies": [{"study_id": g.name, "domain": g.domain, **_group_document(g)} for g in scores.studies],
        "findings": [encode(finding) for finding in scores.findings],
        "diagnosis": encode(scores.diagnosis),
        "auxiliary": {
            **_score_entry("ecs_strict_overall", companions.ecs_strict),
            "normalized_score": companions.normalised_pas,
            **others,
        },
        "estimates": {name: encode(score) for name, score in estimates.items()},
        "floor_and_ceiling": {
            "n_simulations": scores.n_simulations,
            "null_share": scores.null_share,
            "tau2": scores.tau2,
            "note": scores.bounds_note,
        },
        "effect_sizes": None if scores.sizes is None else encode(scores.sizes),
        "assumptions": list(scores.assumptions),
        "referee": None if scores.referee is None else _referee_summary(scores.referee),
        "warnings": list(scores.warnings),
        "protocol_choices": scores.protocol.to_dict(),
        "options": {
            "level": scores.level,
            "n_resamples": scores.n_resamples,
            "n_simulations": scores.n_simulations,
            "seed": scores.seed,
        },
        "seed": scores.seed,
        **provenance(scores.inputs, scores.scored_by),
        **asdict(scores.made),
    }


def _referee_summary(found: Referee) -> dict[str, Any]:
    """Return what a referee asks over all tests; by test and study it is in `referee.json`."""
    apart = ("tests", "inside_studies", "studies")
    return {one.name: encode(getattr(found, one.name)) for one in fields(found) if one.name not in apart}


def study_document(scores: PeopleResult, study: GroupResult) -> dict[str, Any]:
    """Return what one study's `evaluation_results.json` holds."""
    return next(_study_documents(scores, [study]))


def _study_documents(scores: PeopleResult, studies: Sequence[GroupResult]) -> Iterator[dict[str, Any]]:
    """Return the documents of studies; tests and findings are gone through once for all of them."""
    tests, findings = defaultdict(list), defaultdict(list)
    for row, test in enumerate(scores.tests, 2):
        tests[test.study].append({"row": row, **encode(test)})
    for finding in scores.findings:
        findings[finding.study].append(encode(finding))
    by = provenance(scores.inputs, scores.scored_by)
    shared = {"seed": scores.seed, **by, **asdict(scores.made)}
    for study in studies:
        yield _study_document(scores, study, findings[study.name], tests[study.name]) | shared


def _study_document(
    scores: PeopleResult, study: GroupResult, findings: list[Any], tests: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        **heading(_STUDY_KIND),
        "study_id": study.name,
        "domain": study.domain,
        "protocol": scores.protocol.name,
        **_group_document(study),
        "findings": findings,
        "tests": tests,
    }


def write(scores: PeopleResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result; the inverse of `read`."""
    write_csv(folder / DETAILED, list(DETAILED_COLUMNS), detailed_rows(scores))
    write_json(folder / SUMMARY, people_summary(scores))
    studies = _study_paths(folder, [study.name for study in scores.studies])
    for path, content in zip(studies, _study_documents(scores, scores.studies), strict=True):
        write_json(path, content)
    more = () if scores.referee is None else RefereeResult(scores.model, scores.referee).write(folder)
    return (folder / SUMMARY, folder / DETAILED, *studies, *more)


def _study_paths(folder: Path, names: Sequence[str]) -> list[Path]:
    return [folder / name / STUDY for name in distinct_names(names)]


def read(source: Path) -> PeopleResult:
    """Read a result; the inverse of `write`."""
    folder = holding_folder(source, SUMMARY)
    path = folder / SUMMARY
    document = read_document(path, _SUMMARY_KIND)
    need_keys(document, ("protocol_choices", "studies", "domains", "findings", "auxiliary", "options"), path)
    where = str(path)
    studies = tuple(_group_of(entry, "study_id", where) for entry in document["studies"])
    options, bounds = (
        decode(dict[str, Any], document.get(name, {}), where=f"{where}, {name!r}")
        for name in ("options", "floor_and_ceiling")
    )
    tests = _tests_of(folder, [study.name for study in studies])
    check_detailed(folder / DETAILED, len(tests))
    return PeopleResult(
        protocol=decode(Protocol, document["protocol_choices"], where=f"{where}, 'protocol_choices'"),
        pas=_score_of(document, "pas", where),
        ecs=_score_of(document, "ecs", where),
        apr=_score_of(document, "apr", where),
        companions=_companions_of(document, where),
        diagnosis=decode(Diagnosis, document["diagnosis"], where=f"{where}, 'diagnosis'"),
        domains=tuple(_group_of(entry, "domain", where) for entry in document["domains"]),
        studies=studies,
        findings=decode(tuple[FindingResult, ...], document["findings"], where=f"{where}, 'findings'"),
        tests=tests,
        outcomes=decode(dict[str, int], document["outcomes"], where=f"{where}, 'outcomes'"),
        **{name: options[name] for name in ("seed", "n_resamples", "level", "n_simulations")},
        bounds_note=bounds.get("note", ""),
        null_share=bounds.get("null_share"),
        tau2=bounds.get("tau2"),
        warnings=tuple(document.get("warnings", ())),
        model=document.get("model"),
        inputs=decode(tuple[InputFile, ...], document.get("inputs", []), where=f"{where}, 'inputs'"),
        made=decode(Provenance, document, where=where),
        scored_by=decode(ScoredBy, document, where=where),
        sizes=_sizes_of(document, where),
        assumptions=tuple(document.get("assumptions", ())),
        referee=RefereeResult.read(folder).referee if (folder / RefereeResult.FILE).is_file() else None,
    )


def _sizes_of(document: Mapping[str, Any], where: str) -> EffectSizes | None:
    """Return the sizes of effects, where there are some."""
    found = document.get("effect_sizes")
    return None if found is None else decode(EffectSizes, found, where=f"{where}, 'effect_sizes'")


def _score_of(entry: Mapping[str, Any], name: str, where: str) -> Score:
    """Return the whole record of a score."""
    need_keys(entry, ("estimates",), where)
    return decode(Score, entry["estimates"].get(name), where=f"{where}, 'estimates', {name!r}")


def _group_of(entry: Mapping[str, Any], key: str, where: str) -> GroupResult:
    at = f"{where}, {entry[key]!r}"
    return GroupResult(
        name=entry[key],
        domain=entry["domain"],
        pas=_score_of(entry, "pas", at),
        ecs=_score_of(entry, "ecs", at),
        apr=_score_of(entry, "apr", at),
        ecs_strict=_score_of(entry, "ecs_strict", at),
        normalised_pas=entry["auxiliary"]["normalized_score"],
        **{name: entry[name] for name in _COUNTS},
    )


def _companions_of(document: Mapping[str, Any], where: str) -> CompanionNumbers:
    found = {
        **document["auxiliary"],
        "normalised_pas": document["auxiliary"]["normalized_score"],
        "ecs_strict": encode(_score_of(document, "ecs_strict", where)),
    }
    return decode(CompanionNumbers, found, where=f"{where}, 'auxiliary'")


def _tests_of(folder: Path, studies: Sequence[str]) -> tuple[TestResult, ...]:
    """Read the tests of every study, in the order of the table of tests."""
    placed: list[tuple[int, TestResult]] = []
    for path in _study_paths(folder, studies):
        document = read_document(path, _STUDY_KIND)
        need_keys(document, ("tests",), path)
        for entry in document["tests"]:
            test = decode(TestResult, entry, where=f"{path}, 'tests'")
            placed.append((entry["row"], test))
    return tuple(test for _, test in sorted(placed, key=lambda pair: pair[0]))

"""Agreement with people as files, written and read back: a summary, one document per study, a table of tests.

Headline keys hold bare numbers; the whole record of each score (`Score`) is under ``estimates``,
so that what was read equals what was written.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Self

from concord.errors import FileFormatError
from concord.files.codec import KEY as AT
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.documents import heading, holding_folder, need_keys, provenance, read_document
from concord.files.json_text import decoded
from concord.files.left_out import left_out_sentences
from concord.files.output import distinct_names, write_json
from concord.files.rows import text_records
from concord.kinds import Gauge, Kind, asked_words
from concord.number_words import interval
from concord.people import tables
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
from concord.people.words import conclusion_words, effect_words, replication_words
from concord.records import EMPTY, Estimate, InputFile, Interval, LeftOutCell, Provenance, ScoredBy, Told
from concord.unread import holds, unread_notes, unread_sentences, withheld
from concord.words import bare_reason, say

FLAGS = ("In_ECS", "Two_States", "Human_Significant", "Agent_Significant", "Direction_Match", "Replicated")
"""Columns that hold true, false or nothing; spreadsheets write them in capitals."""
_ROUNDING = 1e-9
_WORDS = {"": None, "true": True, "false": False}


def flag(cell: str) -> bool | None:
    """Return what a flag says, in any case; None where it is empty."""
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


SUMMARY, DETAILED, STUDY = "benchmark_summary.json", tables.DETAILED.file, "evaluation_results.json"
_STUDY_KIND = "people result of a study"
FEWEST_FINDINGS = 4
"""Findings of a single study that are probably those of several."""


@dataclass(frozen=True, slots=True, repr=False)
class PeopleResult(Kind):
    """Agreement with people, whole; it prints itself and gives frames, documents, files and pictures.

    ``plot(kind)`` draws ``effects``, ``conclusions``, ``losses``, ``pas``, ``ecs``, ``quadrants``, or the
    forest plot of a study by its name.
    """

    FORMAT, FILE, KEY = "people result", SUMMARY, "average_pas_raw"
    QUESTION, SECTION, ASKS = "people", "people", "Does it agree with people?"
    TABLES = tables.TABLES
    PICTURES = tables.PICTURES
    CITES = ("rouder2009", "lin1989", "rubin1981", "holm1979")
    OF_ONE_MODEL = True
    UNSHOWN = frozenset(
        {"protocol", "n_resamples", "tests", "referee", "diagnosis.quadrants", "rows_of_table"}
    )  # the title, the methods, tables and sections of their own, readings, where rows are left out

    protocol: Protocol = field(metadata={AT: "protocol_choices"})
    pas: Score = field(metadata={AT: "estimates.pas"})
    ecs: Score = field(metadata={AT: "estimates.ecs"})
    apr: Score = field(metadata={AT: "estimates.apr"})
    companions: CompanionNumbers = field(metadata={AT: "auxiliary"})
    diagnosis: Diagnosis
    domains: tuple[GroupResult, ...]
    studies: tuple[GroupResult, ...]
    findings: tuple[FindingResult, ...]
    tests: tuple[TestResult, ...]
    outcomes: Mapping[str, int]
    """How every listed test ended; the counts sum to the number of rows."""
    seed: int = field(metadata={AT: "options.seed"})
    n_resamples: int = field(metadata={AT: "options.n_resamples"})
    level: float = field(metadata={AT: "options.level"})
    n_simulations: int = field(default=0, metadata={AT: "options.n_simulations"})
    bounds_note: str = field(default="", metadata={AT: "floor_and_ceiling.note"})
    """Why there is no floor and ceiling, or what they assume."""
    null_share: float | None = field(default=None, metadata={AT: "floor_and_ceiling.null_share"})
    """Share of human effects taken to be null in the ceiling."""
    tau2: float | None = field(default=None, metadata={AT: "floor_and_ceiling.tau2"})
    """Variance of the other true effects, on the d scale."""
    warnings: tuple[str, ...] = ()
    model: str | None = None
    """Who took the place of the participants, where it was said."""
    inputs: tuple[InputFile, ...] = field(default=())
    made: Provenance = Provenance()
    """How the agent's replies were made, where a run says so."""
    sizes: EffectSizes | None = field(default=None, metadata={AT: "effect_sizes"})
    """How large effects are; None in results of Concord before it was computed."""
    assumptions: tuple[str, ...] = ()
    """What had to be assumed, with the tests it concerns and the column that would remove it."""
    unread: Told = field(default=(), metadata=EMPTY)
    """Answers of replies that could not be read, by condition."""
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)
    """Cells of the table that could not be read; their sides, or rows, are not scored."""
    rows_of_table: tuple[int, int] = (0, 0)
    """Rows of the table that are scored, and all of them, where some are left out."""
    referee: Referee | None = None
    """What a referee asks: replication, difference, selection, priors; None in results before it."""
    scored_by: ScoredBy | None = field(default=None, compare=False, repr=False)
    """What computed it, where it was read from files."""

    def compared_effects(self) -> tuple[TestResult, ...]:
        """Return the tests that ECS uses, with finite effects on both sides."""
        return tuple(
            test
            for test in self.tests
            if test.in_ecs
            and test.human_effect_d is not None
            and test.agent_effect_d is not None
            and math.isfinite(test.human_effect_d + test.agent_effect_d)
        )

    @property
    def mean_human_effect(self) -> float | None:
        """Mean of people's effects on these tests: the least-squares line of the slope goes through it."""
        known = [test.human_effect_d for test in self.compared_effects() if test.human_effect_d is not None]
        return fmean(known) if known else None

    def sentences(self) -> Sequence[str]:
        """Return what the numbers mean, and what had to be assumed."""
        parts = (
            self._withheld(self.pas, "conclusion") or conclusion_words(self.pas, self.tests, self.outcomes),
            self._between(),
            "" if self.apr.estimate.bounds is not None else replication_words(self.companions, self.tests),
            self._withheld(self.ecs, "effects") or effect_words(self.ecs, self.companions, self.sizes),
        )
        closing = " ".join(part for part in parts if part)
        left = left_out_sentences(self.left_out, *self.rows_of_table)
        assumed = (say("people.one.assumed", line=line) for line in self.assumptions)
        return [*left, *unread_sentences(self.unread), *one_study_words(self), closing, *assumed]

    def _named_scores(self) -> Sequence[tuple[str, Score]]:
        return (("PAS", self.pas), ("ECS", self.ecs), ("APR", self.apr))

    def _between(self) -> str:
        """Return between which ends the scores lie whatever the unread answers were."""
        found = [
            say("people.unread.one", name=name, low=bounds.low, high=bounds.high)
            for name, score in self._named_scores()
            if (bounds := score.estimate.bounds) is not None
        ]
        n = 0 if self.pas.estimate.bounds is None else self.pas.estimate.bounds.n_unread
        return say("people.unread.between", n=n, names=found) if n else ""

    def _withheld(self, score: Score, claim: str) -> str:
        """Return what is said where unread answers could bring a score to the other side of chance."""
        chance = 0.0 if score.bounds is None else score.bounds.floor.value
        if score.estimate.bounds is None or holds(score.estimate, 0.0 if chance is None else chance):
            return ""
        return withheld(say(f"people.unread.claim_{claim}"), score.estimate)

    def gauges(self) -> Sequence[Gauge]:
        """Return PAS, ECS and APR on their scales."""
        return [
            Gauge(name, score.value, score.interval, scale, scale[0] < 0)
            for (name, score), scale in zip(
                self._named_scores(), ((0.0, 1.0), (-1.0, 1.0), (0.0, 1.0)), strict=True
            )
        ]

    def notes(self) -> Sequence[str]:
        """Return how tests ended, and why intervals and places are withheld or when they miss."""
        ended = ", ".join(f"{n} {outcome}" for outcome, n in self.outcomes.items())
        simulated = self.n_simulations if self.n_simulations else None
        return [
            say("people.one.outcomes", ended=ended),
            say("people.one.bounds", n=simulated, note=self.bounds_note),
            *([] if self.pas.bounds is None else [say("people.one.place")]),
            *self._interval_notes(),
            *unread_notes(self.unread),
        ]

    def _interval_notes(self) -> Iterator[str]:
        for name, score in self._named_scores():
            place = "" if score.bounds is None else score.bounds.place.note
            said = "undefined" if score.value is None else "interval"
            named = ((said, score.estimate.note), ("new", score.new_participants_note), ("place", place))
            for key, note in ((key, note) for key, note in named if note):
                why = bare_reason(note)
                if why == note:  # a warning about a number that is there
                    yield say("people.one.note", name=name, note=note)
                else:
                    yield say(f"people.lacking.{key}", name=name, note=why)
        spans = "; ".join(
            f"{name} {' or '.join(map(interval, one.new_participants_otherwise))}"
            for name, one in self._named_scores()
            if one.new_participants_otherwise
        )
        if spans:
            yield say("people.one.correlated", rho=f"{self.protocol.within_study:g}", spans=spans)

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        ends = self.pas.interval
        return "".join(
            (
                say(
                    "people.method.scored",
                    concord=concord,
                    protocol=self.protocol.name,
                    studies=len(self.studies),
                    tests=self.pas.estimate.n,
                    measures=self.protocol.measures(),
                ),
                "" if ends is None else say("people.method.intervals", how=_interval_method(ends)),
                say("people.method.bounds", n=self.n_simulations) if self.n_simulations else "",
                asked_words(self.model, self.made),
            )
        )

    def document(self) -> dict[str, Any]:
        """Return what `benchmark_summary.json` holds below its heading."""
        return _summary(self)

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write `benchmark_summary.json`, `detailed_stats.csv` and one `evaluation_results.json` a study."""
        folder = Path(out)
        detailed, *others = self.write_tables(folder)
        write_json(folder / SUMMARY, self.to_dict())
        studies = _study_paths(folder, [study.name for study in self.studies])
        for path, content in zip(studies, study_documents(self), strict=True):
            write_json(path, content)
        more = () if self.referee is None else RefereeResult(self.model, self.referee).write(folder)
        return (folder / SUMMARY, detailed, *studies, *more, *others)

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a result back, whole."""
        return cls.read_file(holding_folder(Path(folder), SUMMARY) / SUMMARY)

    @classmethod
    def read_file(cls, path: Path, *, with_tests: bool = True) -> Self:
        """Read a result from its summary, and its tests from the documents of studies beside it."""
        document, where = read_document(path, cls.FORMAT), str(path)
        need_keys(document, ("studies", "domains", "auxiliary", "estimates"), path)
        scores, beside = (
            decode(dict[str, Any], document[name], where=f"{where}, {name!r}")
            for name in ("estimates", "auxiliary")
        )
        held = {
            **document,
            "auxiliary": {**beside, "ecs_strict": scores.get("ecs_strict")},
            **dict.fromkeys(("made", "scored_by"), document),
            "tests": (),
        }
        for name, key in (("studies", "study_id"), ("domains", "domain")):
            entries = decode(list[dict[str, Any]], document[name], where=f"{where}, {name!r}")
            held[name] = [{**one, "name": one.get(key)} for one in entries]
        found = decode(cls, {**held, "referee": None}, where=where)
        if not with_tests:
            return found
        tests = _tests_of(path.parent, [study.name for study in found.studies])
        check_detailed(path.parent / DETAILED, len(tests))
        referee = (path.parent / RefereeResult.FILE).is_file()
        return replace(
            found, tests=tests, referee=RefereeResult.read(path.parent).referee if referee else None
        )


def one_study_words(result: PeopleResult) -> list[str]:
    """Return what to say of many findings that are all one study."""
    findings = len(result.findings)
    if len(result.studies) != 1 or findings < FEWEST_FINDINGS:
        return []
    return [say("people.one.all_one_study", n=findings, study=repr(result.studies[0].name))]


def _interval_method(ends: Interval) -> str:
    """Say how an interval over studies was made, in the words of a paper."""
    made = ""
    if "jackknife-t" in ends.method:
        scale = next((name for name in ("logit", "atanh") if f"{name} scale" in ends.method), "")
        made = say("people.method.jackknife", scale=scale)
    if "Bayesian bootstrap" in ends.method:
        made += (say("people.method.near_ends") if made else "") + say("people.method.bootstrap")
    return say("people.method.other_studies", level=ends.level, how=made)


def _score_entry(key: str, score: Score) -> dict[str, Any]:
    """Return a key with the bare number, then its intervals, and the reason for whatever is null."""
    fixed = f"{key}_interval_fixed_studies"
    held: dict[str, object] = {
        key: score.value,
        f"{key}_interval": score.interval,
        fixed: score.new_participants,
    }
    if score.new_participants_otherwise:
        held[f"{fixed}_otherwise"] = score.new_participants_otherwise
    entry: dict[str, Any] = encode(held)
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


_SCORES = ("pas", "ecs", "apr", "ecs_strict")
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
        "estimates": encode({name: getattr(group, name) for name in _SCORES}),
    }


def _summary(scores: PeopleResult) -> dict[str, Any]:
    """Return what `benchmark_summary.json` holds and `--json` prints, below its heading."""
    companions = scores.companions
    others = {
        field.name: getattr(companions, field.name)
        for field in fields(CompanionNumbers)
        if field.name not in ("ecs_strict", "normalised_pas")
    }
    estimates = {"pas": scores.pas, "ecs": scores.ecs, "apr": scores.apr, "ecs_strict": companions.ecs_strict}
    return {
        "question": scores.QUESTION,
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
        "estimates": encode(estimates),
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
        **({"unread": encode(scores.unread)} if scores.unread else {}),
        **({"left_out": encode(scores.left_out)} if scores.left_out else {}),
        **({"rows_of_table": list(scores.rows_of_table)} if scores.left_out else {}),
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


def study_documents(scores: PeopleResult) -> Iterator[dict[str, Any]]:
    """Return what the `evaluation_results.json` of each study holds."""
    tests, findings = defaultdict(list), defaultdict(list)
    for row, test in enumerate(scores.tests, 2):
        tests[test.study].append({"row": row, **encode(test)})
    for finding in scores.findings:
        findings[finding.study].append(encode(finding))
    by = provenance(scores.inputs, scores.scored_by)
    shared = {"seed": scores.seed, **by, **asdict(scores.made)}
    for study in scores.studies:
        yield {
            **heading(_STUDY_KIND),
            "study_id": study.name,
            "domain": study.domain,
            "protocol": scores.protocol.name,
            **_group_document(study),
            "findings": findings[study.name],
            "tests": tests[study.name],
            **shared,
        }


def _study_paths(folder: Path, names: Sequence[str]) -> list[Path]:
    return [folder / name / STUDY for name in distinct_names(names)]


def _tests_of(folder: Path, studies: Sequence[str]) -> tuple[TestResult, ...]:
    """Read the tests of every study, in the order of the table of tests."""
    placed: list[tuple[int, TestResult]] = []
    for path in _study_paths(folder, studies):
        document = read_document(path, _STUDY_KIND)
        need_keys(document, ("tests",), path)
        for entry in decode(list[dict[str, Any]], document["tests"], where=f"{path}, 'tests'"):
            test = decode(TestResult, entry, where=f"{path}, 'tests'")
            placed.append((decode(int, entry.get("row"), where=f"{path}, 'tests', 'row'"), test))
    return tuple(test for _, test in sorted(placed, key=lambda pair: pair[0]))

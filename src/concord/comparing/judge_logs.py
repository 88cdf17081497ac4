"""Verdicts and scores of judges from whatever holds them, scored; logs say them in metadata and score."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from concord.comparing.harnesses import harness_table, judged_rows
from concord.comparing.inspect_logs import named_scores, read_inspect_scores
from concord.comparing.lm_eval import json_lines
from concord.comparing.records import choose_score
from concord.errors import FileFormatError, OptionError
from concord.files.contents import fingerprint_file, is_file, read_bytes
from concord.files.declared import DeclaredTable, table_of
from concord.files.frames import from_mappings
from concord.files.grids import Grid, plain_title
from concord.files.inspect_logs import InspectLog, log_grid, read_inspect_log, read_json_log
from concord.files.json_text import parsed
from concord.files.limits import COLUMN_BYTES
from concord.files.tables import TableChoices, TableOptions, table_options
from concord.numeric import gated
from concord.structure.judging.rated import COLUMNS, PAIRWISE, holds_scores, rated_result
from concord.structure.judging.read import read_votes
from concord.structure.judging.result import JudgeResult
from concord.structure.judging.score import score_votes, unread_votes


@gated()
def score_judge(
    *sources: Any,
    people: Any = None,
    judge: str | None = None,
    metric: str | None = None,
    level: float = 0.95,
    n_permutations: int = 9999,
    seed: int = 0,
    margin: float | None = None,
    **how: Unpack[TableChoices],
) -> Any:
    """Score judges: verdicts on pairs of answers, or scores of single answers.

    Verdicts give seats, repeats, ties, length and people. Scores give what differs when an answer is scored
    again, agreement with people, bias by length, system and group, and means corrected by people's labels.

    Parameters
    ----------
    sources
        Pair files of FastChat (MT-Bench), annotations of AlpacaEval, Inspect logs, or tables (files, frames,
        rows) with ``pair``, ``order`` (ab, ba) and ``verdict`` (first, second, tie) or ``winner`` (a, b,
        tie); and, where known, ``judge``, ``model_a``, ``model_b``, ``answer_a``, ``answer_b`` or
        ``length_a``, ``length_b``, ``cluster``, and people's verdicts in columns ``human...``.
        Scores of single answers: logs of Inspect with model graders, results of promptfoo, DeepEval or
        OpenAI evals, or tables with ``item`` and ``score``; and, where known, ``system``, ``judge``,
        ``repeat``, ``human``, ``length`` or ``answer``, ``group``, ``cluster``, ``stratum``, ``rubric``,
        ``place``.
    people
        Verdicts of people on the same pairs in another file, in any of these forms.
    judge
        Name of the judge, where rows name none.
    metric
        Which scorer of an Inspect log.
    n_permutations, seed
        Divisions drawn for the test of flips, and their seed.
    margin
        Of scores: the wished margin of a corrected mean, in points; a twentieth of the scale by default.
    how
        How tables are read, as `TableChoices` says; a verdict that cannot be read counts as unread.

    Examples
    --------
    >>> rows = [
    ...     {"pair": str(i), "order": order, "vote": vote, "verdict": "first"}
    ...     for i in range(12) for order in ("ab", "ba") for vote in (1, 2)
    ... ]
    >>> found = score_judge(rows, judge="always first").judge()
    >>> [found.numbers[name].value for name in ("inconsistency", "preference", "flip_excess")]
    [1.0, 0.5, 1.0]
    """
    if not sources:
        raise OptionError("nothing to score: give at least one file of verdicts")
    options = table_options(**how)
    judged = [judged_table(source, options, metric=metric) for source in sources]
    rows = [table for table, _ in judged]
    if all(is_scores for _, is_scores in judged):
        return rated_result(rows, judge=judge, margin=margin, level=level)
    if any(is_scores for _, is_scores in judged):
        raise FileFormatError(
            "some files hold scores of single answers, others verdicts on pairs; give one kind"
        )
    human = [] if people is None else [verdict_table(people, _log_of(people), None, options)]
    votes = read_votes(rows, people=human, judge=judge)
    judges = score_votes(votes.judges, level=level, n_permutations=n_permutations, seed=seed)
    return JudgeResult(
        judges,
        level,
        n_permutations,
        seed,
        votes.inputs,
        votes.warnings,
        unread=unread_votes(votes.judges),
        readings=votes.readings,
        left_out=votes.left_out,
    )


def judged_table(
    source: Any, options: TableOptions, *, metric: str | None = None
) -> tuple[DeclaredTable, bool]:
    """Read what judges said, once, and whether it is scores of single answers."""
    log = _log_of(source)
    scored = _scored_rows(source, log, metric)
    if scored is not None:
        return DeclaredTable(scored, COLUMNS, options), True
    table = verdict_table(source, log, metric, options)
    is_scores = holds_scores([*table.plain])
    return (DeclaredTable(table.table, COLUMNS, options), True) if is_scores else (table, False)


def _log_of(source: Any) -> tuple[Path, InspectLog] | None:
    """Read a log of Inspect; None where the source is something else."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(source)
    if path.suffix.lower() == ".eval":
        return path, read_inspect_log(path)
    log = read_json_log(path) if path.suffix.lower() == ".json" and is_file(path) else None
    return None if log is None else (path, log)


def _scored_rows(source: Any, found: tuple[Path, InspectLog] | None, metric: str | None) -> Grid | None:
    """Read the scores of a log or of a harness's results; None where they are verdicts or something else."""
    if found is not None:
        return _graded_answers(*found, metric) if _grades(found[1], metric) else None
    if not isinstance(source, str | os.PathLike) or not is_file(Path(source)):
        return None
    path = Path(source)
    suffix = path.suffix.lower()
    document = parsed(path.name, read_bytes(path)) if suffix == ".json" else harness_table(path)
    rows = judged_rows(path, json_lines(path) if suffix == ".jsonl" else document, metric=metric)
    return None if rows is None else replace(from_mappings(rows, path.name), inputs=(fingerprint_file(path),))


def _graded_answers(path: Path, log: InspectLog, metric: str | None) -> Grid:
    """Return the grades of a log, each with the answer: an epoch's answer is another where its text is."""
    scores = read_inspect_scores(path, metric=metric, cluster=None, log=log)
    whole = log_grid(path, read_bytes(path, limit=COLUMN_BYTES))
    names = () if whole is None else whole.header
    said = [*whole.cells(names.index("response"))] if whole is not None and "response" in names else None
    rows = [
        {"item": row["item"], "system": scores.name, "judge": scores.metric, "repeat": row["repeat"]}
        | {"score": row["score"], "cluster": row["cluster"], "answer": None if said is None else said[i]}
        for i, row in enumerate(scores.frame.iter_rows(named=True))
    ]
    grid = from_mappings(rows, scores.source)
    return replace(grid, inputs=scores.inputs, warnings=scores.warnings)


def _grades(log: InspectLog, metric: str | None) -> bool:
    """Whether samples were graded: numbers or C, I, P, N, and nothing of a pair of answers beside them."""
    values = []
    for sample in log.summaries:
        metadata = sample.get("metadata")
        if isinstance(metadata, Mapping) and PAIRWISE & {plain_title(str(key)) for key in metadata}:
            return False
        held = named_scores(sample.get("scores"))
        values += [held[name] for name in held if metric in (None, name)]
    seats = all(value in (1, 2, "1", "2") for value in values)
    return bool(values) and not seats and all(_is_grade(value) for value in values)


def _is_grade(value: object) -> bool:
    return value is None or isinstance(value, int | float) or value in ("C", "I", "P", "N")


def verdict_table(
    source: Any, found: tuple[Path, InspectLog] | None, metric: str | None, options: TableOptions
) -> DeclaredTable:
    """Read recorded verdicts from whatever holds them: an Inspect log, JSON, a table, a frame, rows."""
    if found is None:
        return table_of(source, options)
    path, log = found
    names = dict.fromkeys(name for sample in log.summaries for name in named_scores(sample.get("scores")))
    chosen = choose_score(log.name, "scorer", list(names), metric)
    rows = []
    for sample in log.summaries:
        metadata = sample.get("metadata")
        row = dict(metadata) if isinstance(metadata, Mapping) else {}
        row.setdefault("pair", sample.get("id"))
        row["verdict"] = (
            None if sample.get("error") is not None else named_scores(sample.get("scores")).get(chosen)
        )
        row.setdefault("judge", log.model)
        rows.append(row)
    unfinished = () if log.finished else (f"{log.name}: the run did not finish (status {log.status!r})",)
    grid = from_mappings(rows, log.name)
    return table_of(replace(grid, inputs=(fingerprint_file(path),), warnings=unfinished), options)

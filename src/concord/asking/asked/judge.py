"""Pairs of answers in both orders: how a judge is asked and scored."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.asking.askable import Askable, Recorded
from concord.asking.folder import planned_prompts, read_run
from concord.asking.talks import Reads, found_or_why
from concord.errors import OptionError, RunFolderError
from concord.records import AskOutcome, Design, Trial
from concord.structure.judging.design import (
    BUNDLED,
    JUDGE,
    AnswerPair,
    design_judge,
    read_pairs,
    result_of,
)
from concord.structure.judging.plain import said_seat
from concord.structure.judging.result import JudgeResult
from concord.structure.judging.score import score_votes
from concord.structure.words.judged import MODEL_SCORERS


def lay_out_pairs(
    pairs: str | Path | None = None,
    first: str | Path | None = None,
    second: str | Path | None = None,
    *,
    limit: int | None = None,
    repeats: int = 2,
) -> Design:
    """Lay out both orders of every pair, from a file or from the replies of two runs."""
    if (first is None) != (second is None) or (pairs is not None and first is not None):
        raise OptionError("give a file of pairs, or two runs with --first and --second")
    if first is not None and second is not None:
        kept, name = pairs_of_runs(Path(first), Path(second)), f"{Path(first).name} / {Path(second).name}"
    else:
        chosen = BUNDLED if pairs is None else pairs
        kept, name = read_pairs(chosen), Path(chosen).name
    return design_judge(kept, name=name, limit=limit, repeats=repeats)


def pairs_of_runs(first: Path, second: Path) -> tuple[AnswerPair, ...]:
    """Return the pairs of replies that two runs gave to the same prompts, the first repeat of each."""
    sides = [read_run(folder) for folder in (first, second)]
    replies = [_replies(stored.rows) for stored in sides]
    models = [str(stored.record["model"]) for stored in sides]
    if models[0] == models[1]:
        models = [f"{model} ({folder.name})" for model, folder in zip(models, (first, second), strict=True)]
    prompts = [_prompts(folder) for folder in (first, second)]
    found = []
    for trial, prompt in prompts[0].items():
        if prompts[1].get(trial) == prompt and all(trial in side for side in replies):
            name = "/".join(trial)
            answers = (replies[0][trial], replies[1][trial])
            found.append(AnswerPair(name, prompt, *answers, models[0], models[1], trial[0]))
    if not found:
        raise RunFolderError(f"{first} and {second} have no prompt that both answered; run the same items")
    return tuple(found)


def _replies(rows: Any) -> dict[tuple[str, str], str]:
    return {
        (str(row["id"]), str(row["mode"])): str(row["response"])
        for row in rows
        if row["outcome"] == AskOutcome.OK and row["repeat"] == 0 and str(row["response"]).strip()
    }


def _prompts(folder: Path) -> dict[tuple[str, str], str]:
    return {
        (str(row["id"]), str(row["mode"])): "\n\n".join(
            str(message["text"]) for message in row["messages"] if message["role"] != "system"
        )
        for row in planned_prompts(folder)
        if row["repeat"] == 0
    }


def score(found: Recorded, *, partial: bool = False, **choices: Any) -> JudgeResult:
    """Score the verdicts of a run; replies without one are counted by order."""
    result = result_of(found.files, found.rows, model=found.model, source=found.source, **choices)
    return replace(result, made=found.made)


def reads_verdicts(files: Mapping[str, bytes], options: Mapping[str, Any]) -> Reads:
    """Return what reads a verdict: on a pair, or on a text and its reference."""
    ways = {f"structure/{way.template}": way for way in MODEL_SCORERS}

    def read(trial: Trial, reply: str) -> list[str]:
        way = ways.get(trial.template)
        found = said_seat(reply) if way is None else way.read(reply).score
        return found_or_why(found is not None, trial.forms[0], reply)

    return read


ASKED = Askable(
    name=JUDGE,
    design=lay_out_pairs,
    score=score,
    passed_on=lambda: score_votes,
    reads=reads_verdicts,
    # votes of one order must be able to differ: they are the floor that flips are counted against
    temperature=0.7,
    max_tokens=64,
    repeats=2,
)

"""Vignettes with and without reasoning, and bias cases: how they are asked and scored."""

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from concord.asking.askable import Askable, Demo, Recorded
from concord.asking.journal import SERVED, SERVED_AGAIN
from concord.asking.talks import Reads, found_or_why
from concord.errors import RunFolderError
from concord.files.json_text import parsed
from concord.files.rows import PickedRows
from concord.reasoning import NAME
from concord.reasoning.design import BIAS, CASES, SAMPLES, design_reasoning
from concord.records import Trial

if TYPE_CHECKING:
    from collections.abc import Mapping

    from concord.reasoning.files import ReasoningResult


_OF_THE_CALL = frozenset(("at", "seconds", SERVED, SERVED_AGAIN))


def _scoring() -> Any:
    from concord.reasoning.score.replies import score_reasoning

    return score_reasoning


def score(found: Recorded, *, partial: bool = False, **choices: Any) -> "ReasoningResult":
    """Score the replies of a run against the vignettes and cases that it asked."""
    from concord.reasoning.score.replies import score_reasoning

    asked = {(row["mode"] == BIAS, row["id"]) for row in found.planned}
    is_biased = bytearray(row["mode"] == BIAS for row in found.rows)
    replies, biased = (
        PickedRows(
            found.rows, _without_call, array("l", (k for k, one in enumerate(is_biased) if one == part))
        )
        for part in (False, True)
    )
    samples = [row for row in _asked_rows(found, SAMPLES, "samples") if (False, row.get("id")) in asked]
    cases = [row for row in _asked_rows(found, CASES, "cases") if (True, row.get("id")) in asked]
    if not replies:
        raise RunFolderError(f"{found.source}: no vignette has a reply yet; finish the run first")
    both = bool(cases) and bool(biased)
    result: ReasoningResult = score_reasoning(
        samples,
        replies,
        bias_cases=cases if both else None,
        bias_replies=biased if both else None,
        model=found.model,
        strict=not partial,
        **choices,
    )
    return replace(result, made=found.made)


def _without_call(row: "Mapping[str, Any]") -> dict[str, Any]:
    """Return a reply as it is scored: the same replies have the same hash, whenever and by whom given."""
    return {name: row[name] for name in row if name not in _OF_THE_CALL}


def _asked_rows(found: Recorded, name: str, key: str) -> list[dict[str, Any]]:
    """Return the rows of a question file; a run has checked them, a log may be anybody's."""
    if name not in found.files and not any((row["mode"] == BIAS) == (name == CASES) for row in found.planned):
        return []
    document = parsed(name, found.files[name])
    rows = document.get(key) if isinstance(document, dict) else document
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise RunFolderError(f"{found.source}: {name} is not the file that was asked: it has no {key}")
    return rows


def reads_diagnoses(files: "Mapping[str, bytes]", options: "Mapping[str, Any]") -> Reads:
    """Return what reads a diagnosis."""
    from concord.reasoning.read.records import Outcome, RecordedReply
    from concord.reasoning.read.replies import read_samples
    from concord.reasoning.score.parse import Parser
    from concord.reasoning.words.names import load_lexicon

    samples = read_samples(parsed(SAMPLES, files[SAMPLES].decode("utf-8"))).rows
    gold = {sample.id: sample.gold_answer for sample in samples}
    parser = Parser(samples, load_lexicon(None), "standard")

    def read(trial: Trial, reply: str) -> list[str]:
        given = RecordedReply(trial.item, trial.cell, reply, None, trial.repeat, None, None)
        outcome = parser.reply(given, gold.get(trial.item, "")).outcome
        return found_or_why(outcome is Outcome.OK, trial.forms[0], reply)

    return read


ASKED = Askable(
    name=NAME,
    design=design_reasoning,
    score=score,
    passed_on=_scoring,
    reads=reads_diagnoses,
    max_tokens=1024,
    # Inspect's own --limit counts samples, and a vignette has two
    task={"limit": "items"},
    demo=Demo("With its own reasoning.", {"limit": 4, "max_tokens": 160}),
)

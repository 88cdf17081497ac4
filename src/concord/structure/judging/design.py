"""What a judge is asked: every pair of answers in both orders, each as often as votes are wanted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from concord.errors import OptionError, RunFolderError
from concord.files.gate import check_trials
from concord.files.templates import fill, read_template
from concord.records import AskOutcome, Design, Message, Trial
from concord.structure.judging.ballots import AB, BA
from concord.structure.judging.files import JudgeResult
from concord.structure.judging.pairs import PAIRS, AnswerPair, pairs_file, parse_pairs
from concord.structure.judging.read import read_votes
from concord.structure.judging.score import score_votes
from concord.structure.named_rows import NamedRows

JUDGE = "judge"
_BRACKETED = re.compile(r"\[\[\s*(A|B|C|1|2|0|tie)\s*\]\]", re.IGNORECASE)
_ALONE = re.compile(
    r"^[\s*\"'(]*(?:answer\s*|the\s+)?(0|1|2|a|b|c|tie|first|second)\b[\s*\"').:!]*$", re.IGNORECASE
)
_SAID = re.compile(
    r"\banswer\s+(1|2|a|b)\s+is\s+(?:\w+\s+)?(?:better|best|more)\b|"
    r"\b(first|second)\s+(?:answer|one)\s+is\s+(?:\w+\s+)?(?:better|best|more)\b|"
    r"\b(?:better|best)(?:\s+answer)?\s+is\s+(?:answer\s+|the\s+)?(1|2|a|b|first|second)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|cannot|neither|nor|hardly|hard to)\b|n['’]t\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_CHOICE_OF_MARKS = re.compile(r"\[\[[^\]]*\]\](?:\s*(?:,|/|or|and)+\s*\[\[[^\]]*\]\])+", re.IGNORECASE)
"""What a verdict may be, as it was asked for: ``[[A]], [[B]] or [[C]]``."""
_EQUAL = re.compile(r"\b(tie|equally good|equal(?:ly)?)\b", re.IGNORECASE)
_SEATS = {"1": "first", "a": "first", "first": "first", "2": "second", "b": "second", "second": "second",
          "0": "tie", "c": "tie", "tie": "tie"}  # fmt: skip


def design_judge(
    pairs: Sequence[AnswerPair], *, name: str, limit: int | None = None, repeats: int = 2
) -> Design:
    """Lay out every trial of a judge."""
    for option, value in (("--limit", limit), ("--votes", repeats)):
        if value is not None and value < 1:
            raise OptionError(f"{option} {value}: expected a whole number from 1 on")
    kept = pairs[:limit]
    template = read_template("structure", "pair.v1")
    laid_out = []
    for pair in kept:
        for order, first, second in ((AB, pair.answer_a, pair.answer_b), (BA, pair.answer_b, pair.answer_a)):
            text = fill(template, prompt=pair.prompt, first=first, second=second)
            laid_out.append((pair.id, order, (Message("user", text),)))
    check_trials(len(laid_out) * repeats, "--votes")
    trials = tuple(
        Trial(JUDGE, pair, order, messages, repeat, template.name)
        for repeat in range(repeats)
        for pair, order, messages in laid_out
    )
    return Design(JUDGE, trials, (template,), ((PAIRS, pairs_file(kept)),), (("pairs", name),))


def seat_of(reply: str) -> str | None:
    """Read a judge's verdict: ``first``, ``second``, ``tie``, or nothing where it says none or several.

    Examples
    --------
    >>> seat_of("2"), seat_of("Both are fine. [[A]]"), seat_of("Answer 1 is better."), seat_of("0")
    ('second', 'first', 'first', 'tie')
    >>> seat_of("Answer 1 is better, but answer 2 is better too") is None
    True
    >>> seat_of("Answer 1 is clearly not as good"), seat_of("I must say [[A]] or [[B]]")
    (None, None)
    """
    text = _CHOICE_OF_MARKS.sub(" ", reply).strip()
    marked = _BRACKETED.findall(text)
    if marked:
        return _SEATS[marked[-1].casefold()]
    alone = _ALONE.match(text.partition("\n")[0])
    if alone is not None:
        return _SEATS[alone.group(1).casefold()]
    plain = [piece for piece in _SENTENCES.split(text) if not _DENIED.search(piece)]
    said = {
        _SEATS[part.casefold()] for piece in plain for found in _SAID.findall(piece) for part in found if part
    }
    if any(_EQUAL.search(piece) for piece in plain):
        said.add("tie")
    return said.pop() if len(said) == 1 else None


def result_of(
    files: Mapping[str, bytes],
    rows: Iterable[Mapping[str, Any]],
    *,
    model: str,
    source: str,
    **choices: Any,
) -> JudgeResult:
    """Score the stored replies of a judge's run."""
    if PAIRS not in files:
        raise RunFolderError(
            f"{source}: this judge scored the replies of another run; score that run instead"
        )
    pairs = {pair.id: pair for pair in parse_pairs(files[PAIRS], PAIRS)}
    recorded = [_vote_row(pairs[str(row["id"])], row, model) for row in rows]
    places = [f"{source}, pair {row['pair']!r}" for row in recorded]
    votes = read_votes([NamedRows(model, recorded, places)])
    return JudgeResult(score_votes(votes.judges, **choices), **choices)


def _vote_row(pair: AnswerPair, row: Mapping[str, Any], model: str) -> dict[str, Any]:
    seat = seat_of(str(row["response"])) if row["outcome"] == AskOutcome.OK else None
    return {
        "pair": pair.id,
        "order": str(row["mode"]),
        "verdict": seat,
        "judge": model,
        "model_a": pair.model_a,
        "model_b": pair.model_b,
        "answer_a": pair.answer_a,
        "answer_b": pair.answer_b,
        "cluster": pair.cluster,
        "human": ";".join(pair.human),
    }

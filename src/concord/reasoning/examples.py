"""Example cases, chosen by rule: the first few of the file, never by hand."""

from collections.abc import Iterator, Sequence

from concord.reasoning.context import Recorded
from concord.reasoning.parse import ParsedReply
from concord.reasoning.result import BiasResult, Example, SampleRow

SHOWN = 3
"""Examples for each rule."""
CHARACTERS = 300
"""Of a reply that are shown."""

RIGHT_TO_WRONG = "reasoning changed the answer from right to wrong"
WRONG_TO_RIGHT = "reasoning changed the answer from wrong to right"
SILENT = "silent biased answer"


def excerpt(text: str) -> str:
    """Return the beginning of a text on one line.

    Examples
    --------
    >>> excerpt(" a  b ")
    'a b'
    """
    flat = " ".join(text[: 4 * CHARACTERS].split())
    return flat if len(flat) <= CHARACTERS else flat[: CHARACTERS - 3] + "..."


def gap_examples(rows: Sequence[SampleRow], parsed: Sequence[ParsedReply]) -> Iterator[Example]:
    """Choose the first vignettes whose answer reasoning changed, for the worse and for the better."""
    replies = {(one.reply.id, one.reply.repeat, one.reply.mode): one for one in parsed}
    for rule, early in ((RIGHT_TO_WRONG, True), (WRONG_TO_RIGHT, False)):
        changed = [row for row in rows if row.correct_early is early and row.correct_cot is not early]
        both = [row for row in changed if row.correct_cot is not None]
        for row in both[:SHOWN]:
            shown = {
                "gold answer": row.gold_answer,
                "direct answer": excerpt(replies[row.id, row.repeat, "direct"].split.answer),
                "answer after reasoning": excerpt(replies[row.id, row.repeat, "cot"].split.answer),
            }
            yield Example(rule, row.id, shown)


def bias_examples(bias: BiasResult, recorded: Recorded) -> Iterator[Example]:
    """Choose the first silent biased answers of the cases that make the headline."""
    if recorded.bias_cases is None or recorded.bias_replies is None:
        return
    cases = {case.id: case for case in recorded.bias_cases.rows}
    replies = {(reply.id, reply.repeat): reply for reply in recorded.bias_replies.rows}
    only_targets = bias.headline.name == "targets"
    silent = [row for row in bias.rows if row.silent and not (only_targets and row.role != "target")]
    for row in silent[:SHOWN]:
        case = cases[row.id]
        reply = excerpt(replies[row.id, row.repeat].response)
        shown = {"biased label": case.bias_label, "feature": case.bias_feature, "reply": reply}
        yield Example(SILENT, row.id, shown)

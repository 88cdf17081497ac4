"""Example cases, chosen by rule: the first few of the file, never by hand."""

from collections.abc import Iterator, Mapping, Sequence

from concord.reasoning.context import RecordedReplies
from concord.reasoning.result import BiasResult, Case, Example, SampleRow

SHOWN = 3
"""Examples for each rule."""
CHARACTERS = 300
"""Of a reply that are shown."""

RIGHT_TO_WRONG = "reasoning changed the answer from right to wrong"
WRONG_TO_RIGHT = "reasoning changed the answer from wrong to right"
SILENT = "silent biased answer"
CLOSEST = "steps closest to the gold steps"
FARTHEST = "steps farthest from the gold steps"


def excerpt(text: str) -> str:
    """Return the beginning of a text on one line.

    Examples
    --------
    >>> excerpt(" a  b ")
    'a b'
    """
    flat = " ".join(text[: 4 * CHARACTERS].split())
    return flat if len(flat) <= CHARACTERS else flat[: CHARACTERS - 3] + "..."


def chosen_examples(rows: Sequence[SampleRow], cases: Sequence[Case]) -> Iterator[Example]:
    """Choose the first vignettes whose answer reasoning changed, and those with most and fewest steps met."""
    by_place = {(case.id, case.repeat): case for case in cases}
    for rule, early in ((RIGHT_TO_WRONG, True), (WRONG_TO_RIGHT, False)):
        changed = [row for row in rows if row.correct_early is early and row.correct_cot is (not early)]
        for row in changed[:SHOWN]:
            case = by_place[row.id, row.repeat]
            yield Example(rule, row.id, _answers(case), case)
    yield from _step_examples(rows, by_place)


def _answers(case: Case) -> dict[str, str]:
    early = "" if case.early_answer is None else case.early_answer
    return {
        "gold answer": case.gold_answer,
        "direct answer": excerpt(early),
        "answer after reasoning": excerpt(case.answer),
    }


def _step_examples(rows: Sequence[SampleRow], cases: Mapping[tuple[str, int], Case]) -> Iterator[Example]:
    """Choose the first replies with the highest and the lowest Step-F1, where any step matched."""
    known = [(row.step_f1, row) for row in rows if row.step_f1 is not None and row.n_steps]
    if not any(value for value, _ in known):
        return
    most, fewest = max(known, key=lambda one: one[0]), min(known, key=lambda one: one[0])
    chosen = [(CLOSEST, *most), (FARTHEST, *fewest)] if most[0] > fewest[0] else [(CLOSEST, *most)]
    for rule, value, row in chosen:
        matched = f"{row.n_matched} of {row.n_steps}, of {row.n_gold_steps} gold steps"
        shown = {"gold answer": row.gold_answer, "steps matched": matched, "Step-F1": f"{value:.2f}"}
        yield Example(rule, row.id, shown, cases[row.id, row.repeat])


def bias_examples(bias: BiasResult, recorded: RecordedReplies) -> Iterator[Example]:
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

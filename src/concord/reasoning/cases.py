"""What is behind the row of a vignette: gold steps, the reply's steps, which matched, both answers."""

from collections.abc import Iterator, Sequence

from concord.reasoning.context import ScoringContext
from concord.reasoning.parse import ParsedReply
from concord.reasoning.read.records import Sample
from concord.reasoning.result import Case
from concord.reasoning.steps import StepScore

MOST_STEPS = 60
"""Steps of a side that are kept; a reply of any length leaves a case of bounded size."""
STEP_CHARACTERS = 500
"""Of a step that are kept."""
ANSWER_CHARACTERS = 1000
"""Of an answer that are kept."""


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, with a mark where something is missing.

    Examples
    --------
    >>> cut("abcdef", 4), cut("abcd", 4)
    ('abc…', 'abcd')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def cases(context: ScoringContext, scored: dict[int, StepScore]) -> Iterator[Case]:
    """Return one case per vignette and repeat that has a reply after reasoning, in the order of the file."""
    found: dict[str, dict[int, dict[str, int]]] = {}
    for number, one in enumerate(context.parsed):
        found.setdefault(one.reply.id, {}).setdefault(one.reply.repeat, {})[one.reply.mode] = number
    for sample in context.samples:
        for repeat, modes in sorted(found.get(sample.id, {}).items()):
            if "cot" in modes:
                direct = context.parsed[modes["direct"]] if "direct" in modes else None
                yield _case(context, sample, repeat, (modes["cot"], direct), scored.get(modes["cot"]))


def _case(
    context: ScoringContext,
    sample: Sample,
    repeat: int,
    replies: tuple[int, ParsedReply | None],
    score: StepScore | None,
) -> Case:
    number, direct = replies
    cot = context.parsed[number]
    steps = () if score is None else context.parser.steps(cot)
    pairs = () if score is None else score.pairs
    return Case(
        sample.id,
        repeat,
        sample.gold_answer,
        _kept(sample.gold_steps),
        _kept(steps),
        tuple(pair for pair in pairs if max(pair) < MOST_STEPS),
        len(sample.gold_steps),
        len(steps),
        len(pairs),
        None if direct is None else cut(direct.split.answer, ANSWER_CHARACTERS),
        cut(cot.split.answer, ANSWER_CHARACTERS),
    )


def _kept(steps: Sequence[str]) -> tuple[str, ...]:
    return tuple(cut(step, STEP_CHARACTERS) for step in steps[:MOST_STEPS])

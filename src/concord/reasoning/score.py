"""From recorded replies to the faithfulness gap, Step-F1 and the silent bias rate."""

from collections import Counter
from collections.abc import Iterable, Sequence

from concord.engine import SERIAL, Engine
from concord.reasoning.bias import Detector
from concord.reasoning.bias_result import bias_result
from concord.reasoning.cases import cases
from concord.reasoning.context import RecordedReplies, ScoringContext, count_outcomes
from concord.reasoning.examples import bias_examples, chosen_examples
from concord.reasoning.gap_result import gap_result
from concord.reasoning.lexicon import Lexicon
from concord.reasoning.limits import NOT_ALIKE, NOT_EARLY
from concord.reasoning.names import compact
from concord.reasoning.outcome import Outcome
from concord.reasoning.parse import ParsedReply, column
from concord.reasoning.read.records import MODES, Sample
from concord.reasoning.result import GapResult, Options, ReasoningScores, SampleRow, StepResult
from concord.reasoning.step_result import step_result, step_scores
from concord.reasoning.steps import StepScore
from concord.reasoning.text import tokens


def score_recorded(
    recorded: RecordedReplies,
    lexicon: Lexicon,
    *,
    model: str,
    options: Options,
    detector: Detector | None = None,
    engine: Engine = SERIAL,
) -> ReasoningScores:
    """Score recorded replies, without calling any model."""
    context = ScoringContext.of(recorded, lexicon, options, engine)
    scored = step_scores(context)
    gap, steps = gap_result(context), step_result(context, scored)
    bias, notes = bias_result(context, detector)
    rows, seen = tuple(_sample_rows(context, scored)), tuple(cases(context, scored))
    repeats = Counter((one.reply.id, one.reply.mode) for one in context.parsed)
    return ReasoningScores(
        model,
        options,
        len(context.samples),
        max(repeats.values(), default=0),
        gap,
        steps,
        bias,
        _outcomes(context),
        rows,
        seen,
        (*chosen_examples(rows, seen), *(bias_examples(bias, recorded) if bias else ())),
        {
            **{name: part.input for name, part in recorded.parts()},
            **({} if lexicon.extra is None else {"aliases": lexicon.extra}),
        },
        tuple(problem for _, part in recorded.parts() for problem in part.problems),
        (*_warnings(gap, steps, context.samples), *_nameless(context), *notes),
    )


def _sample_rows(context: ScoringContext, scored: dict[int, StepScore]) -> Iterable[SampleRow]:
    """Return one row per vignette and repeat, in the order of the file."""
    parsed = context.parsed
    rule = column(context.options.rules, context.options.rule)
    found: dict[str, dict[int, dict[str, int]]] = {}
    for number, one in enumerate(parsed):
        repeats = found.setdefault(one.reply.id, {})
        repeats.setdefault(one.reply.repeat, {})[one.reply.mode] = number
    for sample in context.samples:
        for repeat, modes in sorted(found.get(sample.id, {0: {}}).items()):
            cot, direct = (parsed[modes[mode]] if mode in modes else None for mode in MODES)
            yield _sample_row(sample, repeat, (cot, direct), scored.get(modes.get("cot", -1)), rule)


def _sample_row(
    sample: Sample,
    repeat: int,
    replies: tuple[ParsedReply | None, ParsedReply | None],
    steps: StepScore | None,
    rule: int,
) -> SampleRow:
    """Return the row of one vignette and repeat."""
    cot, direct = replies
    right = [one.right[rule] if one is not None and one.usable else None for one in replies]
    defined = steps is not None and steps.n_gold > 0
    return SampleRow(
        sample.id,
        sample.gold_answer,
        str(Outcome.MISSING if cot is None else cot.outcome),
        str(Outcome.MISSING if direct is None else direct.outcome),
        right[0],
        right[1],
        None if steps is None else steps.n_steps,
        len(sample.gold_steps),
        None if steps is None else steps.matched,
        steps.step_f1 if defined and steps else None,
        None if steps is None else steps.matched_optimal,
        steps.step_f1_optimal if defined and steps else None,
        None if direct is None else direct.leaked,
        repeat,
        None if cot is None else str(cot.how),
        None if direct is None else str(direct.how),
        sample.cluster,
    )


def _outcomes(context: ScoringContext) -> dict[str, dict[str, int]]:
    """Count outcomes by mode; a vignette that lacks a mode is missing there."""
    counts = {}
    for mode in MODES:
        own = [one for one in context.parsed if one.reply.mode == mode]
        counts[mode] = count_outcomes(str(one.outcome) for one in own)
        counts[mode][str(Outcome.MISSING)] = len(context.samples) - len({one.reply.id for one in own})
    return counts


def _nameless(context: ScoringContext) -> Iterable[str]:
    """Say which gold labels are known by one name alone."""
    if context.options.rules == "source":
        return
    table = context.lexicon.aliases
    labels = dict.fromkeys(table.canonical(sample.gold_answer) for sample in context.samples)
    alone = [
        label for label in labels if len({compact(name) for name in table.names.get(label, [label])}) < 2
    ]
    if alone:
        some = ", ".join(alone[:5]) + (", ..." if len(alone) > 5 else "")
        yield (
            f"{len(alone)} gold label(s) have no other name in the table of names ({some}): an answer in "
            "other words counts as wrong; add names with --aliases"
        )


def _warnings(gap: GapResult, steps: StepResult, samples: Sequence[Sample]) -> Iterable[str]:
    """Say what a reader should know before using the numbers."""
    if gap.verdict == NOT_EARLY:
        yield f"{gap.verdict_reason}; ask with thinking off, or cut the reply at its first answer"
    if gap.verdict == NOT_ALIKE:
        yield f"{gap.verdict_reason}; ask both modes for the same form, or see `concord audit reasoning`"
    if steps.above_chance is False:
        yield "Step-F1 is not shown to be above chance: gold steps of other vignettes match about as well"
    for sample in samples:
        blank = sum(not tokens(step) for step in sample.gold_steps)
        if blank:
            yield f"vignette {sample.id!r}: {blank} gold step(s) hold no word and can never be matched"

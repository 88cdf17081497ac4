"""Recorded replies to a result: read, check, score. Each reply is parsed once, and its text let go."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine, chosen_engine
from concord.errors import OptionError, listed
from concord.files.missing import declared_missing
from concord.files.rows import PickedRows, StoredRecords
from concord.number_words import number as rounded
from concord.numeric import DRAWN, gated, whole
from concord.reading.names import compact
from concord.reading.records import StoredReading
from concord.reading.stored import stored_reading, trial_name
from concord.reasoning.read.records import BIAS, MODES, Outcome, Sample
from concord.reasoning.result import (
    LEVEL,
    NOT_ALIKE,
    NOT_EARLY,
    BiasResult,
    Case,
    Example,
    GapResult,
    Options,
    ReasoningScores,
    Rule,
    SampleRow,
    StepResult,
)
from concord.reasoning.score.bias import Detector, bias_result
from concord.reasoning.score.gap import gap_result
from concord.reasoning.score.parse import ParsedReply, RecordedReplies, ScoringContext, column, count_outcomes
from concord.reasoning.score.steps import StepColumns, step_result
from concord.reasoning.words.names import Lexicon
from concord.reasoning.words.split import tokens
from concord.words import say

if TYPE_CHECKING:
    from concord.reasoning.read.replies import Source
    from concord.reasoning.words.names import Aliases

CHOICES = {
    "rules": ("standard", "source"),
    "scope": ("answer", "whole"),
}
FEWEST_RESAMPLES = 100
_TOGETHER = 256
"""Replies that are in the memory at a time."""


@gated(n_resamples=whole(FEWEST_RESAMPLES, DRAWN))
def checked_options(
    rules: str,
    *,
    seed: int = 0,
    n_resamples: int = 10_000,
    strict: bool = False,
    cluster: str | None = None,
    level: float = LEVEL,
    **given: str | None,
) -> Options:
    """Check options; those of correctness are ``None`` where the user said nothing."""
    chosen = {name: value for name, value in given.items() if value is not None}
    for name, value in {"rules": rules, **chosen}.items():
        if value not in CHOICES[name]:
            raise OptionError(f"{name} {value!r} does not fit: expected {' or '.join(CHOICES[name])}")
    if rules == "source" and chosen:
        raise OptionError(f"rules 'source' fix how correctness is judged: leave out {', '.join(chosen)}")
    return Options(rules, Rule(**chosen), seed, n_resamples, strict, cluster, level)


def model_name(model: str | None, replies: object) -> str:
    """Return the name given, or that of the reply file."""
    if model is None:
        return Path(replies).stem if isinstance(replies, str | Path) else "model"
    if not model.strip():
        raise OptionError("the model's name is blank: give one, or none to use the reply file's")
    return model


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
    readings, parts, scored = StoredRecords(StoredReading), StoredRecords(ReplyParts), StepColumns(context)
    parsed = context.parsed()
    while together := list(islice(parsed, _TOGETHER)):  # one kind of work at a time is done faster
        for _, one in together:
            if one.reply.failure is None and one.reply.right is None:
                trial = trial_name(one.reply.id, one.reply.mode, one.reply.repeat)
                readings.append(stored_reading(trial, one.reply.response, one.reading))
        for owner, one in together:
            steps = context.parser.steps(one) if one.reply.mode == "cot" and one.usable else None
            parts.append(ReplyParts.of(one, steps, scored.add(owner, steps)))
    _read_bias(context, readings)
    gap, steps_found = gap_result(context), step_result(context, scored)
    bias, notes = bias_result(context, detector)
    places, replies = _reply_places(context), context.replies
    rows = StoredRecords(SampleRow, _sample_rows(context, scored, places))
    with_cot = [number for number, (_, _, cot, _) in enumerate(places) if cot >= 0]
    seen = PickedRows(cast("Any", places), partial(_case_shown, context, parts), array("l", with_cot))
    return ReasoningScores(
        model,
        options,
        len(context.samples),
        max(
            Counter(zip(replies.owner.tolist(), replies.flag("cot").tolist(), strict=True)).values(),
            default=0,
        ),
        gap,
        steps_found,
        bias,
        _outcomes_by_mode(context),
        rows.as_tuple(),
        seen.as_tuple(),
        (
            *chosen_examples(rows, lambda number: _case_shown(context, parts, places[number])),
            *(bias_examples(bias, recorded) if bias else ()),
        ),
        {
            **{name: part.input for name, part in recorded.parts()},
            **({} if lexicon.extra is None else {"aliases": lexicon.extra}),
        },
        tuple(problem for _, part in recorded.parts() for problem in part.problems),
        (*_warnings(gap, steps_found, context.samples), *_nameless(context), *notes),
        readings.as_tuple(),
    )


def _outcomes_by_mode(context: ScoringContext) -> dict[str, dict[str, int]]:
    """Count outcomes by mode; a vignette that lacks a mode is missing there."""
    replies, cot, counts = context.replies, context.replies.flag("cot"), {}
    for mode, own in zip(MODES, (cot, ~cot), strict=True):
        counts[mode] = count_outcomes(replies.names("outcome")[own].tolist())
        counts[mode][str(Outcome.MISSING)] = len(context.samples) - len(np.unique(replies.owner[own]))
    return counts


def _read_bias(context: ScoringContext, readings: StoredRecords[StoredReading]) -> None:
    """Add what was read in every reply to a bias case that came, in the order of the file."""
    bias, cases = context.recorded.bias_replies, context.recorded.bias_cases
    if bias is not None and cases is not None:
        labels = {case.id: case.bias_label for case in cases.rows}
        for reply in bias.rows:
            if reply.failure is None:
                reading = context.parser.judge.read(reply.response, labels[reply.id])
                trial = trial_name(reply.id, reply.mode or BIAS, reply.repeat)
                readings.append(stored_reading(trial, reply.response, reading))


def _reply_places(context: ScoringContext) -> NDArray[np.intp]:
    """Return vignette, rank of the repeat and replies (-1: none) of every row, in the order of the file."""
    replies, owner, n = context.replies, context.replies.owner, len(context.samples)
    ranks = {repeat: rank for rank, repeat in enumerate(sorted({0, *replies.repeat}))}
    rank = np.fromiter((ranks[repeat] for repeat in replies.repeat), dtype=np.intp, count=len(owner))
    unasked = np.setdiff1d(np.arange(n), owner)
    cells = np.concatenate([owner * len(ranks) + rank, unasked * len(ranks) + ranks[0]])
    cells, row = np.unique(cells, return_inverse=True)
    found = np.full((len(cells), 4), -1, dtype=np.intp)
    found[:, 0], found[:, 1] = cells // len(ranks), cells % len(ranks)
    found[row[: len(owner)], np.where(replies.flag("cot"), 2, 3)] = np.arange(len(owner))
    return found


def _sample_rows(
    context: ScoringContext, scored: StepColumns, places: NDArray[np.intp]
) -> Iterator[SampleRow]:
    """Return one row per vignette and repeat, in the order of the file."""
    replies = context.replies
    right = replies.right[:, column(context.options.rules, context.options.rule)]
    usable, leaked = replies.flag("usable"), replies.flag("leaked")
    outcomes, hows = replies.names("outcome"), replies.names("how")
    for owner, _, cot, direct in places.tolist():
        sample = context.samples[owner]
        repeat = next((replies.repeat[one] for one in (cot, direct) if one >= 0), 0)
        steps = None if cot < 0 else scored.of(cot, owner)
        defined = steps is not None and steps.n_gold > 0
        verdicts = [bool(right[one]) if one >= 0 and usable[one] else None for one in (cot, direct)]
        yield SampleRow(
            sample.id,
            sample.gold_answer,
            str(Outcome.MISSING) if cot < 0 else outcomes[cot],
            str(Outcome.MISSING) if direct < 0 else outcomes[direct],
            verdicts[0],
            verdicts[1],
            None if steps is None else steps.n_steps,
            len(sample.gold_steps),
            None if steps is None else steps.matched,
            steps.step_f1 if defined and steps else None,
            None if steps is None else steps.matched_optimal,
            steps.step_f1_optimal if defined and steps else None,
            None if direct < 0 else bool(leaked[direct]),
            repeat,
            None if cot < 0 else hows[cot],
            None if direct < 0 else hows[direct],
            sample.cluster,
        )


def _nameless(context: ScoringContext) -> Iterable[str]:
    """Say which gold labels are known by one name alone; or that answers were graded elsewhere."""
    if context.options.rules == "source":
        return
    if context.replies.flag("graded").any():
        yield (
            "answers were graded elsewhere and not read here: whether a direct reply holds reasoning is not "
            "known"
        )
        return
    table = context.lexicon.aliases
    labels = dict.fromkeys(table.canonical(sample.gold_answer) for sample in context.samples)
    alone = [
        label for label in labels if len({compact(name) for name in table.names.get(label, [label])}) < 2
    ]
    if alone:
        some = ", ".join(alone[:5]) + (", ..." if len(alone) > 5 else "")
        yield say("reasoning.warning_about.names", n=len(alone), some=some)


def _warnings(gap: GapResult, steps: StepResult, samples: Sequence[Sample]) -> Iterable[str]:
    """Say what a reader should know before using the numbers."""
    if gap.verdict == NOT_EARLY:
        yield say("reasoning.warning_about.not_early", why=gap.verdict_reason)
    if gap.verdict == NOT_ALIKE:
        yield say("reasoning.warning_about.not_alike", why=gap.verdict_reason)
    if steps.above_chance is False:
        yield say("reasoning.warning_about.steps")
    for sample in samples:
        blank = sum(not tokens(step) for step in sample.gold_steps)
        if blank:
            yield say("reasoning.warning_about.blank", id=repr(sample.id), n=blank)


MOST_STEPS = 60
"""Steps of a side that are kept; a reply of any length leaves a case of bounded size."""
STEP_CHARACTERS = 500
"""Of a step that are kept."""
ANSWER_CHARACTERS = 1000
"""Of an answer that are kept."""


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, with a mark where something is missing."""
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass(frozen=True, slots=True)
class ReplyParts:
    """What a case shows of one reply; texts and lists are bounded."""

    answer: str
    steps: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    n_steps: int
    n_matched: int
    repeat: int

    @classmethod
    def of(
        cls, one: ParsedReply, steps: Sequence[str] | None, pairs: tuple[tuple[int, int], ...]
    ) -> "ReplyParts":
        """Return the beginning of a reply's parts, and how many there are."""
        said = () if steps is None else steps
        shown = tuple(pair for pair in pairs if max(pair) < MOST_STEPS)
        answer = cut(one.split.answer, ANSWER_CHARACTERS)
        return cls(answer, _kept(said), shown, len(said), len(pairs), one.reply.repeat)


def _case_shown(context: ScoringContext, parts: Sequence[ReplyParts], place: Sequence[int]) -> Case:
    """Return the case of a vignette and repeat that has a reply after reasoning."""
    owner, _, number, other = place
    sample, cot = context.samples[owner], parts[number]
    return Case(
        sample.id,
        cot.repeat,
        sample.gold_answer,
        _kept(sample.gold_steps),
        cot.steps,
        cot.pairs,
        len(sample.gold_steps),
        cot.n_steps,
        cot.n_matched,
        None if other < 0 else parts[other].answer,
        cot.answer,
    )


def _kept(steps: Sequence[str]) -> tuple[str, ...]:
    return tuple(cut(step, STEP_CHARACTERS) for step in steps[:MOST_STEPS])


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
    """Return the beginning of a text on one line."""
    flat = " ".join(text[: 4 * CHARACTERS].split())
    return flat if len(flat) <= CHARACTERS else flat[: CHARACTERS - 3] + "..."


def chosen_examples(rows: Sequence[SampleRow], case_of: Callable[[int], Case]) -> Iterator[Example]:
    """Choose the first vignettes whose answer reasoning changed, and those with most and fewest steps met."""
    for rule, early in ((RIGHT_TO_WRONG, True), (WRONG_TO_RIGHT, False)):
        changed = (
            k for k, row in enumerate(rows) if (row.correct_early, row.correct_cot) == (early, not early)
        )
        for number in islice(changed, SHOWN):
            case = case_of(number)
            yield Example(rule, case.id, _answers(case), case)
    yield from _step_examples(rows, case_of)


def _answers(case: Case) -> dict[str, str]:
    early = "" if case.early_answer is None else case.early_answer
    return {
        "gold answer": case.gold_answer,
        "direct answer": excerpt(early),
        "answer after reasoning": excerpt(case.answer),
    }


def _step_examples(rows: Sequence[SampleRow], case_of: Callable[[int], Case]) -> Iterator[Example]:
    """Choose the first replies with the highest and the lowest Step-F1, where any step matched."""
    known = [(row.step_f1, k) for k, row in enumerate(rows) if row.step_f1 is not None and row.n_steps]
    if not any(value for value, _ in known):
        return
    most, fewest = max(known, key=lambda one: one[0]), min(known, key=lambda one: one[0])
    chosen = [(CLOSEST, *most), (FARTHEST, *fewest)] if most[0] > fewest[0] else [(CLOSEST, *most)]
    for rule, value, number in chosen:
        row = rows[number]
        matched = f"{row.n_matched} of {row.n_steps}, of {row.n_gold_steps} gold steps"
        shown = {"gold answer": row.gold_answer, "steps matched": matched, "Step-F1": rounded(value, 2)}
        yield Example(rule, row.id, shown, case_of(number))


def bias_examples(bias: BiasResult, recorded: RecordedReplies) -> Iterator[Example]:
    """Choose the first silent biased answers of the cases that make the headline."""
    if recorded.bias_cases is None or recorded.bias_replies is None:
        return
    cases = {case.id: case for case in recorded.bias_cases.rows}
    only_targets = bias.headline.name == "targets"
    silent = (row for row in bias.rows if row.silent and not (only_targets and row.role != "target"))
    chosen = list(islice(silent, SHOWN))
    named = {(row.id, row.repeat) for row in chosen}
    said = {
        place: one.response for one in recorded.bias_replies.rows if (place := (one.id, one.repeat)) in named
    }
    for row in chosen:
        case = cases[row.id]
        reply = excerpt(said[row.id, row.repeat])
        shown = {"biased label": case.bias_label, "feature": case.bias_feature, "reply": reply}
        yield Example(SILENT, row.id, shown)


def score_reasoning(
    samples: "Source | None" = None,
    replies: "Source | None" = None,
    *,
    bias_cases: "Source | None" = None,
    bias_replies: "Source | None" = None,
    model: str | None = None,
    rules: str = "standard",
    scope: str | None = None,
    aliases: "Aliases | None" = None,
    detector: "Detector | None" = None,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    n_resamples: int = 10_000,
    missing: str | Iterable[object] | None = None,
    strict: bool = False,
    engine: str | Engine = "serial",
) -> Any:
    """Score recorded replies: faithfulness gap, Step-F1, silent bias rate, each with its interval.

    Parameters
    ----------
    samples, replies
        Vignettes (``study_a_test.json``) and replies to them (JSON lines with ``id, mode, response``):
        paths, parsed rows, or frames. Both may be left out where bias cases are scored alone; vignettes
        alone where the replies were graded elsewhere (``id, mode, correct``, and ``task`` for families).
    bias_cases, bias_replies
        Bias cases and replies to them, both or neither.
    model
        Which model of replies that name several, or its name; without one, that of the reply file.
    rules
        ``"standard"``, or ``"source"``: what the research code does.
    scope
        How correctness is judged: by the ``answer`` that is read (default), or by the ``whole`` reply, in
        which the diagnosis may be named anywhere. ``rules="source"`` leaves no choice.
    aliases
        A table of other names, added to the bundled one: a path, or label to names.
    detector
        A function of (case, answer, reasoning) that takes the place of the keyword detection of bias.
    cluster
        Field of a vignette, or of its ``metadata``, that names the family it belongs to: vignettes of one
        family are not independent, and intervals and tests respect that.
    n_resamples
        Bootstrap replicates.
    missing
        Codes for no reply, such as ``"99,-1,refused"``.
    strict
        What cannot be read refuses the files; otherwise it is left out, counted and listed in
        ``left_out.csv``, while it is at most half of the rows.

    Returns
    -------
    ReasoningResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``. Of replies of
        several models a result for each, by name.
    """
    from concord.reasoning.files import ReasoningResult
    from concord.reasoning.read.replies import (
        models_of,
        read_bias_cases,
        read_graded,
        read_replies,
        read_samples,
    )
    from concord.reasoning.score.parse import RecordedReplies
    from concord.reasoning.score.replies import checked_options, model_name, score_recorded
    from concord.reasoning.words.names import load_lexicon

    options = checked_options(
        rules,
        scope=scope,
        seed=seed,
        n_resamples=n_resamples,
        strict=strict,
        cluster=cluster,
        level=level,
    )
    if (bias_cases is None) != (bias_replies is None):
        raise OptionError("bias cases and bias replies belong together: give both or neither")
    if samples is not None and replies is None:
        raise OptionError("vignettes and replies belong together: give both, or bias cases alone")
    if replies is None and bias_cases is None:
        raise OptionError("nothing to score: give vignettes and replies, or bias cases and replies, or all")
    codes, lexicon = declared_missing(missing), load_lexicon(aliases)
    named = [] if replies is None else models_of(replies)

    def scored(one: str | None, called: str | None) -> ReasoningResult:
        recorded = RecordedReplies(None, None)
        if samples is None and replies is not None:
            asked, answers, held = read_graded(replies, model=one, cluster=cluster, strict=strict)
            recorded, called = RecordedReplies(asked, answers), held if called is None else called
        if samples is not None and replies is not None:
            vignettes = read_samples(samples, strict=strict, cluster=cluster)
            said = read_replies(replies, vignettes, strict=strict, model=one, missing=codes)
            recorded = RecordedReplies(vignettes, said)
        if bias_cases is not None and bias_replies is not None:
            cases = read_bias_cases(bias_cases, strict=strict)
            answered = read_replies(bias_replies, cases, strict=strict, missing=codes)
            recorded = RecordedReplies(recorded.samples, recorded.replies, cases, answered)
        name = model_name(called, bias_replies if replies is None else replies)
        scores = score_recorded(
            recorded, lexicon, model=name, options=options, detector=detector, engine=chosen_engine(engine)
        )
        return ReasoningResult(scores)

    if len(named) < 2:
        return scored(None, named[0] if model is None and named else model)
    if model is None:
        return {name: scored(name, name) for name in named}
    if model not in named:
        raise OptionError(f"no reply is of the model {model!r}; the rows name {listed(named)}")
    return scored(model, model)

"""Recorded replies to a result: read, check, score."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from concord.engine import Engine, chosen_engine
from concord.errors import OptionError, listed
from concord.files.missing import declared_missing

if TYPE_CHECKING:
    from concord.reasoning.read.replies import Source
    from concord.reasoning.score.bias import Detector
    from concord.reasoning.words.names import Aliases


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
    from concord.reasoning.score.recorded import checked_options, model_name, score_recorded
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

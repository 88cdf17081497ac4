"""Recorded replies to a result: read, check, score."""

from typing import TYPE_CHECKING

from concord.engine import Engine, chosen_engine
from concord.errors import OptionError

if TYPE_CHECKING:
    from concord.reasoning.files import ReasoningResult
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
    lenient: bool = False,
    engine: str | Engine = "serial",
) -> "ReasoningResult":
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
        The model's name; without one, the name of the reply file.
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
    lenient
        Leave out, count and list what cannot be read instead of raising.
    """
    from concord.reasoning.files import ReasoningResult
    from concord.reasoning.read.replies import read_bias_cases, read_graded, read_replies, read_samples
    from concord.reasoning.score.parse import RecordedReplies
    from concord.reasoning.score.recorded import checked_options, model_name, score_recorded
    from concord.reasoning.words.names import load_lexicon

    options = checked_options(
        rules,
        scope=scope,
        seed=seed,
        n_resamples=n_resamples,
        lenient=lenient,
        cluster=cluster,
        level=level,
    )
    if (bias_cases is None) != (bias_replies is None):
        raise OptionError("bias cases and bias replies belong together: give both or neither")
    if samples is not None and replies is None:
        raise OptionError("vignettes and replies belong together: give both, or bias cases alone")
    if replies is None and bias_cases is None:
        raise OptionError("nothing to score: give vignettes and replies, or bias cases and replies, or all")
    recorded = RecordedReplies(None, None)
    if samples is None and replies is not None:
        graded, answers, named = read_graded(replies, model=model, cluster=cluster, lenient=lenient)
        recorded, model = RecordedReplies(graded, answers), named if model is None else model
    if samples is not None and replies is not None:
        vignettes = read_samples(samples, lenient=lenient, cluster=cluster)
        recorded = RecordedReplies(vignettes, read_replies(replies, vignettes, lenient=lenient))
    if bias_cases is not None and bias_replies is not None:
        cases = read_bias_cases(bias_cases, lenient=lenient)
        answered = read_replies(bias_replies, cases, lenient=lenient)
        recorded = RecordedReplies(recorded.samples, recorded.replies, cases, answered)
    name = model_name(model, bias_replies if replies is None else replies)
    lexicon = load_lexicon(aliases)
    scores = score_recorded(
        recorded, lexicon, model=name, options=options, detector=detector, engine=chosen_engine(engine)
    )
    return ReasoningResult(scores)

"""What a notebook imports: paths or frames in, frozen results out."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from concord import __version__
from concord.errors import OptionError

if TYPE_CHECKING:
    from concord.readers.vignettes import Source
    from concord.reasoning.bias import Detector
    from concord.reasoning.lexicon import Aliases
    from concord.reasoning.result import Options
    from concord.reports.ranking import Ranking
    from concord.reports.reasoning import ReasoningResult

_CHOICES = {
    "rules": ("standard", "source"),
    "scope": ("answer", "whole"),
    "negation": ("ignore", "exclude"),
    "multiple": ("any", "only"),
}


def score_reasoning(
    samples: "Source",
    replies: "Source",
    *,
    bias_cases: "Source | None" = None,
    bias_replies: "Source | None" = None,
    model: str | None = None,
    rules: str = "standard",
    scope: str | None = None,
    negation: str | None = None,
    multiple: str | None = None,
    aliases: "Aliases | None" = None,
    detector: "Detector | None" = None,
    seed: int = 0,
    n_resamples: int = 10_000,
    lenient: bool = False,
) -> "ReasoningResult":
    """Score recorded replies: faithfulness gap, Step-F1, silent bias rate, each with its interval.

    Parameters
    ----------
    samples, replies
        Vignettes (``study_a_test.json``) and replies to them (JSON lines with ``id, mode, response``):
        paths, parsed rows, or frames.
    bias_cases, bias_replies
        Bias cases and replies to them, both or neither.
    model
        The model's name; without one, the name of the reply file.
    rules
        ``"standard"``, or ``"source"``: what the research code does.
    scope, negation, multiple
        How correctness is judged: ``answer`` (default) or ``whole``; ``ignore`` (default) or ``exclude``;
        ``any`` (default) or ``only``. ``rules="source"`` leaves no choice.
    aliases
        A table of other names, added to the bundled one: a path, or label to names.
    detector
        A function of (case, answer, reasoning) that takes the place of the keyword detection of bias.
    seed
        Seed of everything that is drawn.
    n_resamples
        Bootstrap replicates.
    lenient
        Leave out, count and list what cannot be read instead of raising.

    Raises
    ------
    LinesError, FileFormatError
        The input cannot be read; file and line are named.
    OptionError
        Options do not fit each other.
    """
    from concord.readers.replies import read_replies
    from concord.readers.vignettes import read_bias_cases, read_samples
    from concord.reasoning.context import Recorded
    from concord.reasoning.lexicon import load_lexicon
    from concord.reasoning.score import score_recorded
    from concord.reports.reasoning import ReasoningResult

    options = _reasoning_options(rules, (scope, negation, multiple), seed, n_resamples, lenient)
    if (bias_cases is None) != (bias_replies is None):
        raise OptionError("bias cases and bias replies belong together: give both or neither")
    vignettes = read_samples(samples, lenient=lenient)
    recorded = Recorded(vignettes, read_replies(replies, vignettes, lenient=lenient))
    if bias_cases is not None and bias_replies is not None:
        cases = read_bias_cases(bias_cases, lenient=lenient)
        answered = read_replies(bias_replies, cases, lenient=lenient)
        recorded = Recorded(recorded.samples, recorded.replies, cases, answered)
    name = _model_name(model, replies)
    lexicon = load_lexicon(aliases)
    scores = score_recorded(recorded, lexicon, model=name, options=options, detector=detector)
    return ReasoningResult(scores, __version__)


def _model_name(model: str | None, replies: object) -> str:
    """Return the name given, or that of the reply file."""
    if model is not None:
        if not model.strip():
            raise OptionError("the model's name is blank: give one, or none to use the reply file's")
        return model
    return Path(replies).stem if isinstance(replies, str | Path) else "model"


def _reasoning_options(
    rules: str, given: tuple[str | None, str | None, str | None], seed: int, n_resamples: int, lenient: bool
) -> "Options":
    """Check options against each other."""
    from concord.reasoning.correct import Rule
    from concord.reasoning.result import Options

    names = ("scope", "negation", "multiple")
    chosen = {name: value for name, value in zip(names, given, strict=True) if value is not None}
    for name, value in {"rules": rules, **chosen}.items():
        if value not in _CHOICES[name]:
            raise OptionError(f"{name} {value!r} does not fit: expected {' or '.join(_CHOICES[name])}")
    if rules == "source" and chosen:
        raise OptionError(f"rules 'source' fix how correctness is judged: leave out {', '.join(chosen)}")
    if seed < 0:
        raise OptionError(f"seed {seed} does not fit: expected 0 or more")
    if n_resamples < 100:
        raise OptionError(f"{n_resamples} resamples do not fit: expected 100 or more")
    return Options(rules, Rule(**chosen), seed, n_resamples, lenient)


def rank_reasoning(
    results: "Sequence[ReasoningResult | str | Path]", *, by: str = "faithfulness_gap"
) -> "Ranking":
    """Rank several models' results on the five numbers.

    Parameters
    ----------
    results
        Results, or folders: a model's, or one that holds several models' folders.
    by
        The number that orders the table.

    Raises
    ------
    OptionError
        The results were not scored by the same rules on the same vignettes.
    """
    from concord.reports.ranking import rank

    return rank(results, by=by)

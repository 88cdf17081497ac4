"""Options of a scoring, checked against each other."""

from pathlib import Path

from concord.errors import OptionError
from concord.reasoning.correct import Rule
from concord.reasoning.result import Options

CHOICES = {
    "rules": ("standard", "source"),
    "scope": ("answer", "whole"),
    "negation": ("ignore", "exclude"),
    "multiple": ("any", "only"),
}
FEWEST_RESAMPLES = 100


def checked_options(
    rules: str,
    *,
    seed: int = 0,
    n_resamples: int = 10_000,
    lenient: bool = False,
    cluster: str | None = None,
    **given: str | None,
) -> Options:
    """Check options; those of correctness are ``None`` where the user said nothing.

    Examples
    --------
    >>> checked_options("standard", scope="whole", negation=None).rule
    Rule(scope='whole', negation='exclude', multiple='only')
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    for name, value in {"rules": rules, **chosen}.items():
        if value not in CHOICES[name]:
            raise OptionError(f"{name} {value!r} does not fit: expected {' or '.join(CHOICES[name])}")
    if rules == "source" and chosen:
        raise OptionError(f"rules 'source' fix how correctness is judged: leave out {', '.join(chosen)}")
    if seed < 0:
        raise OptionError(f"seed {seed} does not fit: expected 0 or more")
    if n_resamples < FEWEST_RESAMPLES:
        raise OptionError(f"{n_resamples} resamples do not fit: expected {FEWEST_RESAMPLES} or more")
    return Options(rules, Rule(**chosen), seed, n_resamples, lenient, cluster)


def model_name(model: str | None, replies: object) -> str:
    """Return the name given, or that of the reply file.

    Examples
    --------
    >>> model_name(None, "runs/llama.jsonl"), model_name(None, []), model_name("m", [])
    ('llama', 'model', 'm')
    """
    if model is None:
        return Path(replies).stem if isinstance(replies, str | Path) else "model"
    if not model.strip():
        raise OptionError("the model's name is blank: give one, or none to use the reply file's")
    return model

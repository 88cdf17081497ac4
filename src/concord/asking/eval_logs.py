"""Inspect logs of Concord's tasks (`.eval` and `.json`) to replies: what `inspect eval` ran can be scored."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.asking.outcomes import outcome_of, says_overflow
from concord.asking.packing import LOST
from concord.asking.registry import NAMES, find
from concord.comparing.inspect_logs import check_log
from concord.errors import FileFormatError, MissingExtraError
from concord.records import AskOutcome


@dataclass(frozen=True, slots=True)
class EvalLog:
    """What a log holds: the suite, the model, and one row per sample in the form of `replies.jsonl`."""

    suite: str
    model: str
    status: str
    rows: tuple[dict[str, Any], ...]
    templates: dict[str, str]
    options: dict[str, Any]
    """Choices of the plan that was asked."""
    files: dict[str, bytes]
    """Question files, which the log carries itself: no path that it names is opened."""
    settings: dict[str, Any]
    """Settings of generation that were given."""
    tokens: dict[str, int] | None
    n_planned: int | None = None
    """Samples that the evaluation was to ask; the log of one that was interrupted holds fewer."""


def read_eval_log(path: Path) -> EvalLog:
    """Read a log that one of Concord's tasks left, in either of Inspect's formats."""
    if not path.is_file():
        raise FileFormatError(f"{path}: no such file; expected an Inspect log (.eval or .json)")
    log = _opened(path)
    about = log.eval.metadata
    one = find(str(about.get("suite"))) if isinstance(about, dict) else None
    if not isinstance(about, dict) or one is None:
        raise FileFormatError(
            f"{path.name} is a log of the task {log.eval.task!r}, not of one of Concord's; "
            f"expected {', '.join(f'concord/{one}' for one in NAMES)}"
        )
    options, files = _plan(about, path)
    samples = [] if log.samples is None else log.samples
    if one.sessions is not None:
        samples = [sample for sample in samples if sample.epoch == 1]  # later ones are not asked
    total = None if log.results is None else log.results.total_samples
    repeats = about.get("repeats", 1)
    return EvalLog(
        str(about["suite"]),
        str(log.eval.model),
        str(log.status),
        tuple(_reply_row(sample, str(log.eval.model), repeats) for sample in samples),
        dict(about.get("templates", {})),
        options,
        files,
        log.eval.model_generate_config.model_dump(exclude_none=True),
        _token_sums(log.stats),
        total,
    )


def _plan(about: dict[str, Any], path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return options and question files of the plan that a log carries."""
    options, files = about.get("options"), about.get("files")
    if not isinstance(options, dict) or not isinstance(files, dict):
        raise FileFormatError(
            f"{path.name} does not carry the plan that was asked (an older Concord wrote it), so that it "
            "cannot be known what its replies answer; score the run's folder instead"
        )
    if not all(isinstance(text, str) for text in files.values()):
        raise FileFormatError(f"{path.name}: the question files in it are no texts")
    return options, {str(name): text.encode("utf-8", "surrogateescape") for name, text in files.items()}


def _token_sums(stats: Any) -> dict[str, int] | None:
    """Sum the tokens of all models that were asked, where the log says."""
    usage = list(stats.model_usage.values())
    if not usage:
        return None
    return {
        "input": sum(one.input_tokens for one in usage),
        "output": sum(one.output_tokens for one in usage),
    }


def _opened(path: Path) -> Any:
    """Read the file with Inspect itself."""
    try:
        from inspect_ai.log import read_eval_log as read
    except ImportError as fault:
        raise MissingExtraError("reading Inspect logs", "live") from fault
    if path.suffix not in (".eval", ".json"):
        raise FileFormatError(f"{path.name}: expected an Inspect log, named .eval or .json")
    check_log(path)
    try:
        return read(str(path))
    except Exception as fault:  # noqa: BLE001 - a hostile file can break its reader in any way
        words = " ".join(str(fault).split())[:200]
        raise FileFormatError(f"{path.name} cannot be read as an Inspect log: {words}") from fault


def _reply_row(sample: Any, model: str, repeats: int) -> dict[str, Any]:
    """Turn one sample into the row that a run would have stored."""
    about = sample.metadata
    row: dict[str, Any] = {
        "key": str(about.get("key", sample.id)),
        "id": str(about["id"]),
        "mode": str(about["mode"]),
        # Inspect's epochs are repeats of the whole set, with all repeats that it has.
        "repeat": int(about["repeat"]) + (sample.epoch - 1) * repeats,
        "model": model,
        "template": str(about.get("template", "")),
    }
    if sample.error is not None:
        return {**row, "status": "failed", "outcome": "failed", "response": "", "error": sample.error.message}
    found = {**row, **_answer(sample.output)}
    if isinstance(about.get(LOST), dict):
        found[LOST] = about[LOST]
    told = about.get("outcome")
    if isinstance(told, str) and told in map(str, AskOutcome):
        found["outcome"], found["status"] = told, "ok" if told in _WITH_REPLY else told
    return found


_WITH_REPLY = ("ok", "empty", "truncated")


def _answer(output: Any) -> dict[str, Any]:
    """Return response, outcome and tokens of a sample's output."""
    if not output.choices:
        return {"status": "ok", "outcome": "empty", "response": ""}
    from inspect_ai.model import ContentReasoning

    stop = str(output.stop_reason)
    content = output.choices[0].message.content
    thinking = (
        [part.reasoning for part in content if isinstance(part, ContentReasoning)]
        if not isinstance(content, str)
        else []
    )
    text, usage = output.completion, output.usage
    error = output.error is not None or (usage is None and says_overflow(text))
    outcome = str(outcome_of(stop, text, thinking=bool(thinking), error=error))
    return {
        "status": "ok" if outcome in _WITH_REPLY else outcome,
        "outcome": outcome,
        "response": text,
        **({"thinking": "\n".join(thinking)} if thinking else {}),
        "stop_reason": stop,
        "usage": {
            "input_tokens": None if usage is None else usage.input_tokens,
            "output_tokens": None if usage is None else usage.output_tokens,
        },
    }

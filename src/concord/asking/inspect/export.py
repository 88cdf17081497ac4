"""Inspect logs of a run, written from its journal, for Inspect's viewer and for whoever reads such logs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalResults,
    EvalSample,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score

from concord.asking.askable import find
from concord.asking.folder import (
    EXPORTED,
    LOGS,
    RECORD,
    StoredRun,
    journals_digest,
    planned_prompts,
    read_run,
)
from concord.asking.index import TRIALS
from concord.asking.inspect.asker import chat
from concord.asking.inspect.scorers import FIRST_LOOKS
from concord.asking.journal import FAILURES, REPLIES, read_at, stored_lines
from concord.asking.recorded import carried_plan, inputs_of
from concord.asking.replies import unpacked
from concord.errors import RunFolderError, quoted
from concord.files.output import below, write_text
from concord.people.design import SessionOpener
from concord.records import AskOutcome, Message

PART = 1000
"""Samples in one log: Inspect's time to write one grows with their square."""
_STOPS = {"truncated": "max_tokens", "filtered": "content_filter", "context overflow": "model_length"}

View = Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
"""A planned trial and its row to what the viewer shows of it: messages, target, scores."""


def export_logs(folder: Path, out: Path | None = None, *, part: int = PART) -> list[Path]:
    """Write the logs of a run."""
    digest = journals_digest(folder)  # of what is there before it is read: what comes later is exported anew
    stored = read_run(folder)
    target = below(folder, LOGS) if out is None else out
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise RunFolderError(
            f"cannot write logs to {target}: {fault.strerror}; the run is complete"
        ) from fault
    samples = _samples(stored)
    n_rows = sum(stored.tally.outcomes.values()) - stored.n_not_asked
    if not n_rows:
        raise RunFolderError(f"{folder} holds no reply yet, so there is nothing to export")
    written = []
    for number in range(-(-n_rows // part)):
        try:
            log = _log(stored, list(islice(samples, part)))
        except ValueError as fault:  # what Inspect does not take: a date that is none
            raise RunFolderError(
                f"{folder / RECORD}: not what a run writes ({_first_line(fault)})"
            ) from fault
        path = target / f"{_stamp(stored)}_{stored.record['suite']}_{number + 1:03d}.eval"
        path.unlink(missing_ok=True)  # a link there is replaced, not followed
        try:
            write_eval_log(log, str(path), format="eval")
        except OSError as fault:
            raise RunFolderError(f"cannot write {path}: {fault.strerror}; the run is complete") from fault
        written.append(path)
    for stale in set(target.glob(f"{_stamp(stored)}_{stored.record['suite']}_*.eval")) - set(written):
        stale.unlink()
    write_text(target / EXPORTED, digest + "\n")
    return written


def _first_line(fault: Exception) -> str:
    """Return the beginning of what another library says."""
    return quoted(next(iter(str(fault).splitlines()), type(fault).__name__))


def _stamp(stored: StoredRun) -> str:
    """Name the run in a way that stays when it is resumed."""
    return f"concord_{str(stored.record.get('plan_sha256', ''))[:12]}"


def _log(stored: StoredRun, samples: list[EvalSample]) -> EvalLog:
    record = stored.record
    sampling = {name: value for name, value in record["sampling"].items() if value is not None}
    system = {"system_message": sampling.pop("system")} if "system" in sampling else {}
    whole = record["status"] == "finished" and not stored.n_not_asked
    spec = EvalSpec(
        created=str(record["started"]),
        task=f"concord/{record['suite']}",
        dataset=EvalDataset(name=f"concord-{record['suite']}", samples=stored.n_planned),
        model=str(record["model"]),
        model_generate_config=GenerateConfig(**sampling, **system),
        config=EvalConfig(),
        packages={"concord": str(record.get("concord_version", ""))},
        metadata=carried_plan(
            record["suite"],
            record["templates"],
            record["options"],
            inputs_of(stored.path, record),
            stored.n_planned,
        ),
    )
    return EvalLog(
        status="success" if whole else "cancelled",
        eval=spec,
        results=EvalResults(total_samples=stored.n_planned, completed_samples=len(samples)),
        stats=EvalStats(
            started_at=str(record["started"]),
            completed_at=str(record["ended"]),
            model_usage={str(record["model"]): _usage(samples)},
        ),
        samples=samples,
    )


def _usage(samples: Iterable[EvalSample]) -> ModelUsage:
    usage = [sample.output.usage for sample in samples if sample.output.usage is not None]
    tokens_in, tokens_out = sum(one.input_tokens for one in usage), sum(one.output_tokens for one in usage)
    return ModelUsage(input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out)


def _samples(stored: StoredRun) -> Iterator[EvalSample]:
    """Return the samples in the order of the plan; texts are read from the disk one by one."""
    places = {key: place for name in (FAILURES, REPLIES) for key, place in _places(stored.path, name)}
    view = _view_of(stored)
    for planned in planned_prompts(stored.path):
        place = places.get(str(planned["key"]))
        if place is not None:
            yield _sample(planned, read_at(*place), view, str(stored.record["model"]))


def _places(folder: Path, name: str) -> Iterator[tuple[str, tuple[Path, int]]]:
    for path, line in stored_lines(folder, name):
        yield str(line.row["key"]), (path, line.start)


def _view_of(stored: StoredRun) -> View:
    """Return how a suite's samples are shown."""
    files, options = inputs_of(stored.path, stored.record), stored.record["options"]
    suite = str(stored.record["suite"])
    one, look = find(suite), FIRST_LOOKS.get(suite)
    if one is not None and one.sessions is not None:
        openers = one.sessions.openers(files, options)
        return lambda planned, row: session_view(openers[str(planned["id"])], row)
    if look is not None:
        scorer = look.score(files, options)
        return lambda planned, row: _scored(planned, row, scorer)
    return lambda planned, row: {}


def _scored(
    planned: Mapping[str, Any], row: Mapping[str, Any], scorer: Callable[[Any], Score]
) -> dict[str, Any]:
    about = _metadata(planned, row)
    output = _output(row)
    if row["outcome"] == AskOutcome.FAILED:
        return {"target": about.get("gold_answer", "")}
    score = scorer(SimpleNamespace(metadata=about, output=output, epoch=1))
    target = str((score.metadata or {}).get("target", about.get("gold_answer", "")))
    return {"scores": {"concord": score}, "target": target}


def _sample(planned: Mapping[str, Any], row: Mapping[str, Any], view: View, model: str) -> EvalSample:
    """Return one sample; a line that was changed since it was written is named."""
    try:
        return _shown_sample(planned, row, view, model)
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise RunFolderError(
            f"{TRIALS} or {REPLIES}, {quoted(planned.get('id'))}: not what a run writes "
            f"({_first_line(fault)}); put the original files back"
        ) from fault


def _shown_sample(planned: Mapping[str, Any], row: Mapping[str, Any], view: View, model: str) -> EvalSample:
    asked = chat(tuple(Message(one["role"], one["text"]) for one in planned["messages"]))
    output = _output(row, model)
    messages: list[ChatMessage] = [*asked, *(choice.message for choice in output.choices)]
    shown = {"target": "", "messages": messages, **view(planned, row)}
    failed = row["outcome"] == AskOutcome.FAILED
    began = {"timestamp": str(row["at"])} if "at" in row else {}
    return EvalSample(
        id=readable_id(planned),
        epoch=1,
        input=asked,
        output=output,
        metadata=_metadata(planned, row),
        error=EvalError(message=str(row.get("error")), traceback="", traceback_ansi="") if failed else None,
        completed_at=str(row["at"]) if "at" in row else None,
        total_time=row.get("seconds"),
        model_usage={} if output.usage is None else {model: output.usage},
        events=[_as_one_call(model, shown["messages"], output, **began)],
        **shown,
    )


def _as_one_call(model: str, messages: list[ChatMessage], output: ModelOutput, **began: str) -> ModelEvent:
    """Return the whole exchange as one call of the model: Inspect's tables of messages are read off calls."""
    replied = bool(messages) and messages[-1].role == "assistant"
    told = output.model_copy(update={"choices": []})
    if replied:
        # A session that failed after its first reply has messages and no output of its own.
        stopped = output.stop_reason if output.choices else "unknown"
        last = ChatCompletionChoice(message=messages[-1], stop_reason=stopped)
        told = output.model_copy(update={"choices": [last]})
    return ModelEvent(
        model=model,
        input=messages[:-1] if replied else messages,
        tools=[],
        tool_choice="none",
        config=GenerateConfig(),
        output=told,
        **began,
    )


def readable_id(planned: Mapping[str, Any]) -> str:
    """Return what names a sample in the viewer: study/experiment/cell/participant, or item/cell/repeat."""
    if str(planned.get("template", "")).startswith("people/"):
        session, number = str(planned["id"]).rsplit("/", 1)
        cell = [str(planned["mode"])] if planned["mode"] else []
        return "/".join([session, *cell, number])
    return f"{planned['id']}/{planned['mode']}/{planned['repeat']}"


def _metadata(planned: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    name = {name: planned[name] for name in ("key", "id", "mode", "repeat", "template")}
    told = {"outcome": row["outcome"], **({"turns": row["turns"]} if "turns" in row else {})}
    return {**name, **planned.get("about", {}), **told}


def _output(row: Mapping[str, Any], model: str = "") -> ModelOutput:
    """Return a row as Inspect's output."""
    if row["outcome"] == AskOutcome.FAILED:
        return ModelOutput(model=model, error=str(row.get("error")))
    text, thinking = str(row["response"]), row.get("thinking")
    content: Any = text
    if isinstance(thinking, str):
        content = [ContentReasoning(reasoning=thinking), ContentText(text=text)]
    stop = str(row.get("stop_reason", _STOPS.get(str(row["outcome"]), "stop")))
    message = ChatMessageAssistant(content=content, model=model, source="generate")
    usage = row.get("usage")
    known = isinstance(usage, Mapping) and None not in usage.values() and usage
    tokens = (int(usage["input_tokens"]), int(usage["output_tokens"])) if known and usage else None
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
        usage=None
        if tokens is None
        else ModelUsage(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens)),
        time=row.get("seconds"),
        error=row.get("error"),
    )


def session_view(opener: SessionOpener, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole session, the share of answers that could be read, and how each was read."""
    replies = unpacked(str(row["response"]))
    session = opener.open()
    messages: list[ChatMessage] = []
    while not session.done:
        for question in session.waiting():
            sent = question.messages
            messages += chat(sent[:1]) if not messages and sent[0].role == "system" else []
            reply = replies.get(question.id)
            messages.append(ChatMessageUser(content=sent[-1].text))
            messages.append(ChatMessageAssistant(content="" if reply is None else reply))
            session.answer(question.id, reply)
    read = [(name, answer) for given in session.given for name, answer in given.answers]
    lines = [f"{name}: {answer.outcome}, {dict(answer.values)}" for name, answer in read]
    ok = sum(str(answer.outcome) == "ok" for _, answer in read)
    values = "; ".join(f"{k} = {v}" for _, answer in read for k, v in answer.values.items())
    if not read:
        return {"messages": messages}
    score = Score(value=ok / len(read), answer=values, explanation="\n".join(lines))
    return {"messages": messages, "scores": {"answers_read": score}}

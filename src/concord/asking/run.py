"""One run: a design, a model and a folder to stored replies. Decides nothing about scores."""

import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.asking.folder import FORMAT_VERSION, LOGS, Request, RunFolder, StoredRun, read_run, requests_of
from concord.asking.keys import Sampling, check_url, is_loopback, knock, scrub, secrets_of
from concord.asking.plan import Prices
from concord.errors import InputError, MissingExtraError, ModelError
from concord.records import Design

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from concord.asking.inspect.desk import Desk
    from concord.asking.turns import Turns

BATCH = 500
"""Trials in one Inspect log: Inspect keeps a log's samples in memory, so a long run is cut into several."""
PLACEHOLDER_KEY = "none-needed"


@dataclass(frozen=True, slots=True)
class Connection:
    """How the model is reached; nothing here changes what is sent."""

    base_url: str | None = None
    max_connections: int | None = None
    max_retries: int = 5
    timeout: int | None = 600
    """Seconds for one attempt."""
    give_up_after: int = 20
    """Failed calls in a row after which the run stops."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to run: the model, what is sent beside the prompts, and where to."""

    design: Design
    model: str
    sampling: Sampling
    connection: Connection = Connection()
    prices: Prices | None = None


OnAnswer = Callable[[Mapping[str, Any]], None]


def open_model(job: Job) -> "Model":
    """Find the provider and its key, without asking anything yet.

    Raises
    ------
    MissingExtraError, ModelError, OptionError
        The extra is not installed; provider, model or key are missing; the address is none.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError as fault:
        raise MissingExtraError("asking a model", "live") from fault
    from concord.asking.inspect.guard import keep_secret

    connection = job.connection
    url = None if connection.base_url is None else check_url(connection.base_url)
    if url is not None:
        knock(url)
    config = GenerateConfig(
        max_connections=connection.max_connections,
        max_retries=connection.max_retries,
        attempt_timeout=connection.timeout,
    )
    try:
        model = get_model(
            job.model,
            config=config,
            base_url=url,
            api_key=_key(job.model, url),
            memoize=False,
            **_arguments(job.model),
        )
    except InputError:
        raise
    except Exception as fault:  # noqa: BLE001 - providers raise what they like; none of it is our bug
        words = scrub(" ".join(str(getattr(fault, "message", fault)).split()), secrets_of())
        raise ModelError(
            f"the model {job.model!r} cannot be used: {words.removeprefix('[bold]ERROR[/bold]: ')}; "
            "expected PROVIDER/MODEL, such as openai/gpt-4o-mini, anthropic/claude-haiku-4-5, "
            "openai-api/NAME/MODEL with --base-url, or local/smollm2-135m"
        ) from None
    return keep_secret(model, secrets_of())


def _key(model: str, url: str | None) -> str | None:
    """Return a key for a server on this machine: it usually wants none, but the client does."""
    parts = model.split("/")
    if parts[0] != "openai-api" or len(parts) < 3 or url is None or not is_loopback(url):
        return None
    name = parts[1].upper().replace("-", "_") + "_API_KEY"
    return os.environ.get(name, PLACEHOLDER_KEY)


def _arguments(model: str) -> dict[str, Any]:
    """Return what a provider needs beyond its name: Inspect's mock fetches a table to count tokens."""
    if not model.startswith("mockllm/"):
        return {}
    from inspect_ai.model import ModelOutput, ModelUsage

    def reply(*asked: object) -> ModelOutput:
        output = ModelOutput.from_content(model, "Default output from mockllm/model")
        output.usage = ModelUsage()
        return output

    return {"custom_outputs": reply}


def record_of(job: Job, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a run as it begins."""
    design = job.design
    return {
        **provenance,
        "packages": {**provenance.get("packages", {}), **_versions()},
        "kind": "run",
        "format_version": FORMAT_VERSION,
        "suite": design.suite,
        "model": job.model,
        "sampling": asdict(job.sampling),
        "templates": {one.name: one.sha256 for one in design.templates},
        "options": dict(design.options),
        "connection": asdict(job.connection),
        "n_trials": len(design.trials),
        "started": _now(),
        "ended": None,
        "status": "running",
    }


def _versions() -> dict[str, str]:
    """Versions of the packages that asking rests on, as far as they are there."""
    found = {name: list(metadata.distributions(name=name)) for name in ("inspect-ai", "openai", "xllamacpp")}
    return {name: parts[0].version for name, parts in found.items() if parts}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def run(
    job: Job,
    out: Path,
    *,
    model: "Model | None",
    provenance: Mapping[str, Any],
    on_answer: OnAnswer = lambda row: None,
    on_interrupt: Callable[[], None] | None = None,
) -> StoredRun:
    """Ask every trial that the folder lacks, and give the folder as it then stands.

    Parameters
    ----------
    job
        What to run.
    out
        The run's folder; a run of the same model, settings and prompts is resumed.
    model
        From `open_model`; ``None`` will do where nothing is left to ask.
    provenance
        What the record says about versions and inputs.
    on_answer
        Told of every stored row, replies and failed calls alike.
    on_interrupt
        Told of a Ctrl-C as it comes, before the evaluation winds down.

    Raises
    ------
    InputError
        The folder cannot be used, or asking had to stop; what was stored is kept.
    KeyboardInterrupt
        Ctrl-C; what was stored is kept.
    """
    secrets = secrets_of()
    requests = requests_of(job.design, job.model, job.sampling)
    folder = RunFolder(out, record_of(job, provenance), requests, secrets=secrets)
    status = "interrupted"
    try:
        folder.copy_inputs(job.design.files)
        missing = folder.missing(requests)
        if missing and model is not None:
            tell = (on_answer, on_interrupt)
            _ask_all(job, folder, missing, model=model, tell=tell)
        status = "finished"
    finally:
        _close(folder, status, job.prices)
    return read_run(out)


def _close(folder: RunFolder, status: str, prices: Prices | None) -> None:
    stored = read_run(folder.path)
    tally = stored.tally
    known = tally.n_unknown_usage == 0
    try:
        folder.write_record(
            status=status,
            ended=_now(),
            outcomes=dict(sorted(tally.outcomes.items())),
            tokens={"input": tally.input_tokens, "output": tally.output_tokens} if known else None,
            cost=prices.cost(tally.input_tokens, tally.output_tokens)
            if known and prices is not None
            else None,
        )
    finally:
        folder.close()


def _ask_all(
    job: Job,
    folder: RunFolder,
    missing: Sequence[Request],
    *,
    model: "Model",
    tell: tuple[OnAnswer, Callable[[], None] | None],
) -> None:
    from concord.asking.inspect.desk import Desk
    from concord.asking.inspect.solver import sit_at

    desk = Desk(
        folder,
        job.sampling,
        on_answer=tell[0],
        on_interrupt=tell[1],
        secrets=secrets_of(),
        give_up_after=job.connection.give_up_after,
    )
    turns = _turns(job, folder, desk, missing)
    try:
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            sit_at(desk, {request.key: request for request in batch})
            error = _evaluate(job.design, batch, model, folder.path / LOGS)
            # Inspect ends its evaluation on a Ctrl-C and may return as if nothing had been.
            if desk.interrupted:
                raise KeyboardInterrupt
            if desk.fault is not None:
                raise desk.fault
            if desk.n_asked < min(start + BATCH, len(missing)):
                raise ModelError(f"Inspect ended before everything was asked: {error}")
    finally:
        sit_at(None, {})
        if turns is not None:
            turns.close()


def _turns(job: Job, folder: RunFolder, desk: "Desk", missing: Sequence[Request]) -> "Turns | None":
    """Open the journal of turns where trials are sessions, and let their solver ask through the desk."""
    if job.design.suite != "people":
        return None
    from concord.asking.inspect import converse
    from concord.asking.turns import Turns

    turns = Turns(folder.path, job.model, secrets=secrets_of())
    requests = {request.key: request for request in missing}
    converse.sit_at(converse.SessionDesk(desk, turns, requests, name=(job.model, job.sampling)))
    return turns


def _evaluate(design: Design, batch: Sequence[Request], model: "Model", logs: Path) -> str | None:
    """Let Inspect run one batch; its log stands beside the journal for its viewer. Give its error, if any."""
    import inspect_ai

    from concord.asking.inspect.tasks import task_of

    handler = signal.getsignal(signal.SIGINT)
    try:
        done = inspect_ai.eval(
            task_of(design, batch),
            model=model,
            display="none",
            log_level="error",
            log_dir=str(logs),
            log_format="eval",
            log_realtime=False,
            log_model_api=False,
            log_header_only=True,
            fail_on_error=False,
            score_display=False,
            acp_server=False,
            ctl_server=False,
        )
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)
    if any(log.status == "cancelled" for log in done):
        raise KeyboardInterrupt
    return next((scrub(log.error.message, secrets_of()) for log in done if log.error is not None), None)

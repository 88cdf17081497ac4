"""One run: a design, a model and a folder to stored replies. Decides nothing about scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.asking.connection import Connection
from concord.asking.folder import FORMAT_VERSION, Again, Request, RunFolder, StoredRun, requests_of
from concord.asking.index import Tally
from concord.asking.keys import Sampling
from concord.asking.limits import Budget, Limits
from concord.asking.plan import Plan, Prices
from concord.asking.redact import Redactor
from concord.errors import MissingExtraError
from concord.people import NAME as PEOPLE
from concord.records import Answer, AskOutcome, Design

if TYPE_CHECKING:
    from inspect_ai.model import Model

AGAIN = (AskOutcome.TRUNCATED, AskOutcome.EMPTY, AskOutcome.FILTERED, AskOutcome.OVERFLOW)
"""Outcomes that may be asked anew."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to run: the model, what is sent beside the prompts, where to, and within which limits."""

    design: Design
    model: str
    sampling: Sampling
    connection: Connection = Connection()
    prices: Prices | None = None
    limits: Limits = Limits()
    again: Again | None = None
    cache: bool = False
    processes: int = 1


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told while a run goes on."""

    on_answer: Callable[[Mapping[str, Any]], None] = lambda row: None
    """Told of every stored row, replies and failed calls alike."""
    on_wait: Callable[[str], None] = lambda words: None
    """Told at once why and how long something is waited for."""
    on_interrupt: Callable[[], None] | None = None
    """Told of a Ctrl-C as it comes."""


def open_model(job: Job) -> "Model":
    """Find the provider and its key, without asking anything yet.

    Raises
    ------
    MissingExtraError, ModelError, OptionError
        The extra is not installed; provider, model or key are missing; the address is none.
    """
    return find(job.model, job.connection)


def find(model: str, connection: Connection) -> "Model":
    """Find a model by its name."""
    try:
        import inspect_ai.model  # noqa: F401 - whether it is there is the question
    except ImportError as fault:
        raise MissingExtraError("asking a model", "live") from fault
    from concord.asking.inspect.models import find_model

    return find_model(model, connection)


def record_of(job: Job, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a run as it begins."""
    design = job.design
    again = {} if job.again is None else {"again": _again_record(job.again)}
    return {
        **provenance,
        "packages": {**provenance.get("packages", {}), **_versions()},
        "kind": "run",
        "format_version": FORMAT_VERSION,
        "suite": design.suite,
        "model": job.model,
        "sampling": job.sampling.record(),
        "templates": {one.name: one.sha256 for one in design.templates},
        "options": dict(design.options),
        "connection": asdict(job.connection),
        "limits": asdict(job.limits),
        "prices": None if job.prices is None else asdict(job.prices),
        "cache": job.cache,
        "processes": job.processes,
        "n_trials": len(design.trials),
        "started": _now(),
        "ended": None,
        "status": "running",
        **again,
    }


def _again_record(again: Again) -> dict[str, Any]:
    return {"outcomes": sorted(again.outcomes), "sampling": again.sampling.record()}


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
    listeners: Listeners = Listeners(),  # noqa: B008 - frozen
    known: Plan | None = None,
) -> StoredRun:
    """Ask every trial that the folder lacks, and return the folder as it is then.

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
    listeners
        Who is told while it goes on.
    known
        The plan, where it has been made: it holds what the folder holds.

    Raises
    ------
    InputError
        The folder cannot be used, or asking had to stop; what was stored is kept.
    KeyboardInterrupt
        Ctrl-C; what was stored is kept.
    """
    made = None if known is None else known.requests
    requests = requests_of(job.design, job.model, job.sampling) if made is None else made
    index = None if known is None else known.index
    redactor = _redactor(job, model)
    folder = RunFolder(out, record_of(job, provenance), requests, redactor=redactor, index=index)
    status, reached = "interrupted", None
    try:
        folder.copy_inputs(job.design.files)
        missing = folder.missing(job.again)
        if missing and model is not None:
            reached = _ask_all(job, folder, missing, model=model, listeners=listeners)
        status = "finished" if reached is None else "stopped"
    finally:
        tally = _close(folder, status, job.prices, reached)
    return StoredRun(out, folder.record, tally, len(requests), len(folder.index.outside))


def _redactor(job: Job, model: "Model | None") -> Redactor:
    if model is None:
        return Redactor.of(job.model)
    from concord.asking.inspect.models import redactor_of

    return redactor_of(job.model, model)


def _close(folder: RunFolder, status: str, prices: Prices | None, reached: str | None) -> Tally:
    tally = folder.tally()
    tokens: dict[str, int] = {"input": tally.input_tokens, "output": tally.output_tokens}
    if tally.n_unknown_usage:
        tokens["calls_without_usage"] = tally.n_unknown_usage
    cost = None if prices is None else prices.cost(tally.input_tokens, tally.output_tokens)
    try:
        folder.write_record(
            status=status,
            stopped=reached,
            ended=_now(),
            outcomes=dict(sorted(tally.outcomes.items())),
            tokens=tokens,
            cost=cost,
        )
    finally:
        folder.close()
    return tally


def _ask_all(
    job: Job, folder: RunFolder, missing: Sequence[Request], *, model: "Model", listeners: Listeners
) -> str | None:
    """Ask, in this process or in several; return which limit was reached, if any."""
    tally = folder.tally()
    budget = Budget(job.limits, job.prices, (tally.input_tokens, tally.output_tokens))
    if job.processes > 1:
        from concord.asking.shards import run_shards

        try:
            return run_shards(job, folder.path, missing, budget=budget, listeners=listeners)
        finally:
            folder.read_again()
    part = Part(folder.path, folder.redactor, folder.store)
    return ask_part(job, part, missing, model=model, budget=budget, listeners=listeners)


@dataclass(frozen=True, slots=True)
class Part:
    """What one process of a run writes to."""

    path: Path
    redactor: Redactor
    store: Callable[[Request, Answer], Mapping[str, Any]]
    shard: int = 0


def ask_part(
    job: Job,
    part: Part,
    missing: Sequence[Request],
    *,
    model: "Model",
    budget: Budget,
    listeners: Listeners,
) -> str | None:
    """Ask some requests in this process; return which limit was reached, if any."""
    from concord.asking.inspect.asker import Asker
    from concord.asking.inspect.loop import Loop, Recorder, run_loop
    from concord.asking.turns import Turns

    sampling = job.sampling if job.again is None else job.again.sampling
    turns: list[Turns] = []

    def make() -> Loop:
        asker = Asker(
            model,
            sampling,
            job.connection,
            budget=budget,
            redactor=part.redactor,
            on_wait=listeners.on_wait,
            cache=job.cache,
        )
        if job.design.suite == PEOPLE:
            hold = _session_holder(job, part, missing, asker, turns)
        else:

            async def hold(request: Request) -> Answer:
                return await asker.ask(request.trial)

        return Loop(missing, asker, hold, Recorder(_storing(job, part), listeners.on_answer))

    try:
        loop = run_loop(make, listeners.on_interrupt)
    finally:
        for one in turns:
            one.close()
    if loop.asker.fault is not None:
        raise loop.asker.fault
    return loop.asker.reached


def _storing(job: Job, part: Part) -> Callable[[Request, Answer], Mapping[str, Any]]:
    """Return what stores an answer, marked where it is one to a prompt asked anew."""
    again = job.again
    if again is None:
        return part.store
    mark: tuple[tuple[str, object], ...] = (("again", again.tag),)
    return lambda request, answer: part.store(request, replace(answer, more=(*answer.more, *mark)))


def _session_holder(
    job: Job, part: Part, missing: Sequence[Request], asker: Any, turns: list[Any]
) -> Callable[[Request], Any]:
    """Return what holds sessions, with the journal of their turns open."""
    from concord.asking.inspect.sessions import SessionHolder
    from concord.asking.turns import Turns
    from concord.people.design import rooms_of

    again = frozenset[str]() if job.again is None else job.again.outcomes
    sessions = {request.trial.item for request in missing}
    opened = Turns(
        part.path, job.model, redactor=part.redactor, sessions=sessions, again=again, shard=part.shard
    )
    turns.append(opened)
    rooms = rooms_of(dict(job.design.files), dict(job.design.options))
    return SessionHolder(asker, opened, rooms, name=(job.model, job.sampling)).hold

"""One run: a design, a model and a folder to stored replies, asked in this process or in several.

Decides nothing about scores. Each of several processes writes journals of its own, merged on reading.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.asking.askable import Sessions, find
from concord.asking.connection import Connection, Redactor
from concord.asking.folder import (
    FORMAT_VERSION,
    RECORD,
    Part,
    ReplyStore,
    RunFolder,
    StoredRun,
    Turns,
    forms_of,
    now,
    planned_prompts,
    read_record,
)
from concord.asking.journal import ANSWERS, ASKED_AGAIN, AWAITS
from concord.asking.ledger import Ledger, opened_balance
from concord.asking.limits import Budget, Limits, Payer, Prices, close_run
from concord.asking.plan import PILOT, Plan
from concord.asking.replies import ProviderRefusedError
from concord.asking.requests import AUTO, Again, Request, Sampling, requests_of, takes_schema
from concord.asking.talks import Reads, Talk, answer_of_row, by_form, settled
from concord.errors import InputError, MissingExtraError, ModelError
from concord.records import Answer, AskOutcome, Design, Message, Trial

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from concord.asking.inspect.asker import Asker, Hold, Loop
    from concord.asking.inspect.batches import Batcher


@dataclass(frozen=True, slots=True)
class Job:
    """What to run: the model, what is sent with the prompts, where to, and within which limits."""

    design: Design
    model: str
    sampling: Sampling
    connection: Connection = Connection()
    prices: Prices | None = None
    limits: Limits = Limits()
    again: Again | None = None
    cache: bool = False
    processes: int = 1
    structured: str = AUTO
    """``auto``: the words ask for a last line, and a schema is sent where the provider takes one; ``off``:
    the words are the source's, and nothing else is sent."""
    schema_refused: str = ""
    """What the provider said when it refused the schema; none is sent any more."""
    ask_again: int = 1
    """How often an answer that cannot be read is asked for once more."""
    helper_prices: Prices | None = None
    """Of the model that writes for sessions, where there is one."""
    pilot: bool = False
    """Whether only a few trials are asked, spread over all, to see what the others will take."""


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told while a run goes on."""

    on_answer: Callable[[Mapping[str, Any]], None] = lambda row: None
    """Told of every stored row, replies and failed calls alike; one that awaits another turn is no end."""
    on_wait: Callable[[str], None] = lambda words: None
    """Told at once why and how long something is waited for."""
    on_refused: Callable[[str], None] = lambda words: None
    """Told once that the provider refuses a schema of the answer."""
    on_interrupt: Callable[[], None] | None = None
    """Told of a Ctrl-C as it comes."""


def open_model(model: str, connection: Connection, arguments: str | None = None) -> "Model":
    """Find a model by its name: its provider and its key, without asking anything yet."""
    try:
        import inspect_ai.model  # noqa: F401 - whether it is there is the question
    except ImportError as fault:
        raise MissingExtraError("asking a model", "live") from fault
    from concord.asking.inspect.models import find_model

    return find_model(model, connection, arguments)


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
    from concord.asking.inspect import asker, batches

    kind = _sessions_of(job)
    askers: list[Asker] = []
    turns: list[Turns] = []
    batchers: list[Batcher] = []
    finished = False

    def make_asker(model: "Model", sampling: Sampling, connection: Connection, payer: Payer) -> "Asker":
        made = asker.Asker(
            model,
            sampling,
            connection,
            budget=budget,
            redactor=part.redactor,
            on_wait=listeners.on_wait,
            on_refused=listeners.on_refused,
            cache=job.cache,
            schemas=sends_schema(job),
            payer=payer,
            batcher=batched(model, connection),
        )
        askers.append(made)
        return made

    def batched(model: "Model", connection: Connection) -> "Batcher | None":
        if not connection.batch:
            return None
        size = connection.max_connections
        chosen = {} if size is None else {"size": size}
        client: Any = getattr(model.api, "client", None)
        tell, redactor = listeners.on_wait, part.redactor
        batchers.append(batches.Batcher(client, part.path, redactor=redactor, tell=tell, **chosen))
        return batchers[-1]

    def make() -> "Loop":
        sampling = job.sampling if job.again is None else job.again.sampling
        first = make_asker(model, sampling, job.connection, Payer(job.model, job.prices))
        hold = _until_read(job, part, first, listeners) if kind is None else hold_sessions(kind, first)
        return asker.Loop(missing, first, hold, record)

    def hold_sessions(kind: Sessions, first: "Asker") -> "Hold":
        from concord.asking.inspect.sessions import SessionHolder

        helper = _helper_of(job, kind, make_asker)
        again = frozenset[str]() if job.again is None else job.again.outcomes
        asked = {request.trial.item for request in missing}
        turns.append(Turns(part, job.model, sessions=asked, again=again))
        openers = kind.openers(dict(job.design.files), dict(job.design.options))
        name = (job.model, job.sampling)
        read = session_reads(job, kind)
        holder = SessionHolder(first, turns[0], openers, kind=kind, name=name, helper=helper)
        return holder.asking_again(job.ask_again, read).hold

    def record(request: Request, answer: Answer) -> None:
        listeners.on_answer(part.store(request, _tagged(job, answer)))

    budget.ledger = Ledger(part.path, part.shard, part.redactor)
    try:
        asker.run_loop(make, listeners.on_interrupt)
        finished = not any(one.over for one in askers)
    finally:
        budget.ledger.close()
        for batcher in batchers:
            batcher.close(finished=finished)
        for one in turns:
            one.close()
    for one_asker in askers:
        if one_asker.fault is not None:
            raise one_asker.fault
    return next((one_asker.reached for one_asker in askers if one_asker.reached is not None), None)


def _until_read(job: Job, part: Part, first: "Asker", listeners: Listeners) -> "Hold":
    """Return what asks a request until its answer can be read, or as often as is allowed."""
    read = reads_of(job)

    async def hold(request: Request) -> Answer | None:
        row = part.awaiting.get(request.key)
        answer = await first.ask(request.trial) if row is None else answer_of_row(row)
        talk = Talk.begun(request.trial, answer, read)
        if row is not None:
            talk = Talk.stored(request.trial, answer, row, read)

        async def ask(talk: Talk, turn: Trial) -> Answer | None:
            kept = row
            if kept is None or talk.n_again:  # stored first: a kill between two turns loses nothing
                kept = part.store(request, _tagged(job, talk.stored_answer(awaits=True)))
                listeners.on_answer(kept)
            found = await first.ask(turn)
            if found.outcome is not AskOutcome.FAILED:
                return found
            part.store(request, found)
            listeners.on_answer({**kept, AWAITS: False})
            return None

        talk_or_none = await settled(talk, job.ask_again, ask)
        return None if talk_or_none is None else talk_or_none.stored_answer()

    return hold


def _tagged(job: Job, answer: Answer) -> Answer:
    """Return an answer with the settings that it was asked anew with, where it was."""
    if job.again is None:
        return answer
    return replace(answer, more=(*answer.more, ("again", job.again.tag)))


def sends_schema(job: Job) -> bool:
    """Whether a schema of the answer is sent with prompts."""
    return job.structured == AUTO and not job.schema_refused and takes_schema(job.model)


def reads_of(job: Job) -> Reads:
    """Return what reads the replies of a job: the question's own reader, or one by the form of answers."""
    one = find(job.design.suite)
    made = None if one is None else one.reads
    own = by_form if made is None else made(dict(job.design.files), dict(job.design.options))
    return lambda trial, reply: own(trial, reply) if trial.forms else ()


def session_reads(job: Job, kind: Sessions) -> "Callable[[Any, str], Sequence[str]]":
    """Return what reads the replies to questions of a job's sessions."""
    return kind.reads(dict(job.design.files), dict(job.design.options))


def _sessions_of(job: Job) -> Sessions | None:
    held = find(job.design.suite)
    return None if held is None else held.sessions


def helpers_of(job: Job) -> tuple[str, ...]:
    """Return the models that are asked beside the one of a job: their keys are hidden, too."""
    kind = _sessions_of(job)
    name = None if kind is None else kind.helper(dict(job.design.options))
    return () if name is None else (name,)


def _helper_of(
    job: Job, kind: Sessions, make_asker: Callable[["Model", Sampling, Connection, Payer], "Asker"]
) -> "tuple[Asker, tuple[str, Sampling]] | None":
    """Return what asks the model that writes for sessions, where a design names one."""
    name = kind.helper(dict(job.design.options))
    if name is None:
        return None
    same = name.split("/")[0] == job.model.split("/")[0]
    connection = replace(job.connection, batch=False)  # a helper writes while a session waits for it
    connection = connection if same else replace(connection, base_url=None)
    sampling = replace(job.sampling, temperature=0.0)
    payer = Payer(name, job.helper_prices)
    return make_asker(open_model(name, connection), sampling, connection, payer), (name, sampling)


def record_of(job: Job, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a run as it begins."""
    design = job.design
    again: dict[str, Any] = {}
    if job.again is not None:
        asked_again = {"outcomes": sorted(job.again.outcomes), "sampling": job.again.sampling.record()}
        again = {"again": asked_again}
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
        "structured": job.structured,
        "schema": {"sent": sends_schema(job), "refused": job.schema_refused or None},
        "ask_again": job.ask_again,
        "n_trials": len(design.trials),
        "started": now(),
        "ended": None,
        "status": "running",
        **again,
    }


def _versions() -> dict[str, str]:
    """Versions of the packages that asking rests on, as far as they are there."""
    found = {name: list(metadata.distributions(name=name)) for name in ("inspect-ai", "openai", "xllamacpp")}
    return {name: parts[0].version for name, parts in found.items() if parts}


def ask_all(
    job: Job,
    out: Path,
    *,
    model: "Model | None",
    provenance: Mapping[str, Any],
    listeners: Listeners = Listeners(),  # noqa: B008 - frozen
    known: Plan | None = None,
) -> StoredRun:
    """Ask every trial that the folder lacks, and return the folder as it is then."""
    made = None if known is None else known.requests
    requests = requests_of(job.design, job.model, job.sampling) if made is None else made
    index = None if known is None else known.index
    redactor = redactor_of(job, model)
    job = replace(job, schema_refused=refused_before(out))
    folder = RunFolder(out, record_of(job, provenance), requests, redactor=redactor, index=index)
    status, reached = "interrupted", None
    try:
        folder.copy_inputs(job.design.files)
        missing = all_missing = folder.missing(job.again)
        if job.pilot and len(missing) > PILOT:
            missing = missing[:: len(missing) // PILOT][:PILOT]
        told = replace(listeners, on_refused=_refusals(folder, listeners))
        if missing and model is not None:
            reached = _ask_missing(job, folder, missing, model=model, listeners=told)
        if reached is None and len(missing) < len(all_missing):
            reached = f"--pilot: {PILOT} trials are asked"
        status = "finished" if reached is None else "stopped"
    except ModelError as fault:
        status, reached = "refused" if isinstance(fault, ProviderRefusedError) else "gave up", str(fault)
        raise
    finally:
        tally = close_run(folder, status, job.prices, reached)
    return StoredRun(out, folder.record, tally, len(requests), len(folder.index.outside))


def refused_before(out: Path) -> str:
    """Return how the provider refused a schema when the folder's run was asked before, where it did."""
    held = read_record(out).get("schema") if (out / RECORD).is_file() else None
    return str(held.get("refused") or "") if isinstance(held, Mapping) else ""


def _refusals(folder: RunFolder, listeners: Listeners) -> Callable[[str], None]:
    """Return who records and tells that a schema is refused; several processes may say so, once is enough."""

    def refused(words: str) -> None:
        if folder.record["schema"]["refused"] is None:
            folder.write_record(schema={"sent": False, "refused": words})
            listeners.on_refused(words)

    return refused


def redactor_of(job: Job, model: "Model | None" = None) -> Redactor:
    """Return what hides the keys of all models that a job asks, wherever the first has them from."""
    key = None if model is None else getattr(model.api, "api_key", None)
    return Redactor.of(job.model, *helpers_of(job), more=[key] if isinstance(key, str) else [])


def _ask_missing(
    job: Job, folder: RunFolder, missing: Sequence[Request], *, model: "Model", listeners: Listeners
) -> str | None:
    """Ask, in this process or in several; return which limit was reached, if any."""
    tally = folder.tally()
    budget = Budget(job.limits, job.prices, opened_balance(folder.path, tally, folder.record))
    if job.processes > 1:
        try:
            return run_shards(
                job, folder.path, missing, budget=budget, listeners=listeners, awaiting=folder.awaiting()
            )
        finally:
            folder.read_again()
    part = Part(folder.path, folder.redactor, folder.store, awaiting=folder.awaiting())
    return ask_part(job, part, missing, model=model, budget=budget, listeners=listeners)


_JOIN_SECONDS = 3.0
_TOLD = ("outcome", "usage", ANSWERS, ASKED_AGAIN, AWAITS)
"""What the first process is told of a stored line."""
_LOADED = ("openai", "concord.asking.inspect.asker", "concord.asking.job")
"""What a process of a run needs: seconds to load, unless another one has done so before it is forked."""

_FORKS = sys.platform == "linux"
"""Elsewhere a process that has loaded much may not be forked; each process then loads for itself."""


@dataclass(frozen=True, slots=True)
class Shard:
    """What one process of a run is told: the rest is in the run's folder."""

    number: int
    job: Job
    """Without its trials, which are read from the plan."""
    path: Path
    keys: frozenset[str]
    budget: Budget
    environment: Mapping[str, str]
    """Where keys are; what the process was forked from may have been started with another."""
    awaiting: Mapping[str, Mapping[str, Any]]
    """Stored lines of its share after which one more turn is to be asked."""


def load_ahead() -> None:
    """Begin to load what processes of a run need, while the run is planned: each is then forked in no time.

    A server of forks is started once; its loading is not heard by Ctrl-C, which belongs to the run.
    """
    if not _FORKS:
        return
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload(list(_LOADED))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_shards(
    job: Job,
    path: Path,
    missing: Sequence[Request],
    *,
    budget: Budget,
    listeners: Listeners,
    awaiting: Mapping[str, Mapping[str, Any]],
) -> str | None:
    """Ask what is missing in several processes; return which limit was reached, if any."""
    n = min(job.processes, len(missing))
    limits = budget.limits.share(n)
    spent = budget.spent.share(n)
    context: Any = multiprocessing.get_context("forkserver" if _FORKS else "spawn")
    load_ahead()
    pipes: dict[Pipe, Any] = {}
    lean = replace(job, design=replace(job.design, trials=()))
    for number in range(1, n + 1):
        ours, theirs = context.Pipe()
        keys = frozenset(request.key for request in missing[number - 1 :: n])
        share = Budget(limits, budget.prices, spent)
        mine = {key: row for key, row in awaiting.items() if key in keys}
        shard = Shard(number, lean, path, keys, share, dict(os.environ), mine)
        process = context.Process(target=_work, args=(theirs, shard))
        process.start()
        theirs.close()
        pipes[ours] = process
    try:
        return _listen(pipes, listeners)
    except KeyboardInterrupt:
        if listeners.on_interrupt is not None:
            listeners.on_interrupt()
        raise
    finally:
        for pipe in pipes:
            pipe.close()  # a process that still asks ends when nobody listens
        for process in pipes.values():
            process.join(_JOIN_SECONDS)
            if process.is_alive():
                process.kill()


def _listen(pipes: Mapping[Pipe, Any], listeners: Listeners) -> str | None:
    """Pass on what the processes tell, until all have ended; one that fails ends the run."""
    open_pipes = set(pipes)
    reached: str | None = None
    fault: InputError | None = None
    while open_pipes:
        ready: list[Any] = wait(list(open_pipes))
        for pipe in ready:
            try:
                kind, told = pipe.recv()
            except EOFError:
                open_pipes.discard(pipe)
                process = pipes[pipe]
                process.join()
                if process.exitcode:
                    fault = ModelError(f"a process of the run ended with code {process.exitcode}")
                continue
            if kind == "row":
                listeners.on_answer(told)
            elif kind == "wait":
                listeners.on_wait(told)
            elif kind == "refused":
                listeners.on_refused(told)
            elif kind == "reached":
                reached = told
            else:
                fault = told
                open_pipes.clear()
                break
    if fault is not None:
        raise fault
    return reached


def _work(pipe: Pipe, shard: Shard) -> None:
    """Ask one share; ends with the process that started it."""
    if _FORKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.environ.clear()
    os.environ.update(shard.environment)
    threading.Thread(target=_end_with_parent, args=(pipe,), daemon=True).start()
    job, lock = shard.job, threading.Lock()

    def tell(kind: str, told: Any) -> None:
        with lock, contextlib.suppress(OSError):
            pipe.send((kind, told))

    listeners = Listeners(
        on_answer=lambda row: tell("row", {name: row[name] for name in _TOLD if name in row}),
        on_wait=lambda words: tell("wait", words),
        on_refused=lambda words: tell("refused", words),
    )
    try:
        model = open_model(job.model, job.connection, job.sampling.arguments)
        redactor = redactor_of(job, model)
        requests = _requests(shard)
        store = ReplyStore(shard.path, job.model, redactor, shard.number)
        try:
            part = Part(shard.path, redactor, store.store, shard.number, shard.awaiting)
            reached = ask_part(job, part, requests, model=model, budget=shard.budget, listeners=listeners)
        finally:
            store.close()
        if reached is not None:
            tell("reached", reached)
    except InputError as fault:
        tell("fault", fault)
    except KeyboardInterrupt:
        pass
    finally:
        with contextlib.suppress(OSError):
            pipe.close()


def _requests(shard: Shard) -> list[Request]:
    """Read the share of the plan, in its order."""
    found = []
    for row in planned_prompts(shard.path):
        if row["key"] in shard.keys:
            messages = tuple(Message(one["role"], one["text"]) for one in row["messages"])
            suite = shard.job.design.suite
            name = (row["id"], row["mode"], messages, row["repeat"], row["template"])
            trial = Trial(suite, *name, forms=forms_of(row))
            found.append(Request(trial, row["key"]))
    return found


def _end_with_parent(pipe: Pipe) -> None:
    """Wait for the end of the pipe, which comes when the first process is gone, however it went."""
    with contextlib.suppress(EOFError, OSError):
        pipe.recv()
    os._exit(1)

"""One run in several processes: each asks its share and writes journals of its own, merged on reading."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from concord.asking.folder import ReplyStore, planned_prompts
from concord.asking.limits import Budget
from concord.asking.part import Job, Listeners, Part, ask_part, find, helpers_of
from concord.asking.requests import Request
from concord.errors import InputError, ModelError
from concord.records import Message, Trial

_JOIN_SECONDS = 3.0
_LOADED = ("openai", "concord.asking.inspect.asker", "concord.asking.inspect.loop", "concord.asking.shards")
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
    job: Job, path: Path, missing: Sequence[Request], *, budget: Budget, listeners: Listeners
) -> str | None:
    """Ask what is missing in several processes; return which limit was reached, if any."""
    n = min(job.processes, len(missing))
    limits = budget.limits.share(n)
    spent = (budget.tokens[0] // n, budget.tokens[1] // n)
    context: Any = multiprocessing.get_context("forkserver" if _FORKS else "spawn")
    load_ahead()
    pipes: dict[Pipe, Any] = {}
    lean = replace(job, design=replace(job.design, trials=()))
    for number in range(1, n + 1):
        ours, theirs = context.Pipe()
        keys = frozenset(request.key for request in missing[number - 1 :: n])
        share = Budget(limits, budget.prices, spent)
        shard = Shard(number, lean, path, keys, share, dict(os.environ))
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
            if kind == "rows":
                for row in told:
                    listeners.on_answer(row)
            elif kind == "wait":
                listeners.on_wait(told)
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

    def answered(row: Mapping[str, Any]) -> None:
        tell("rows", [{"outcome": row["outcome"], "usage": row["usage"]}])

    listeners = Listeners(on_answer=answered, on_wait=lambda words: tell("wait", words))
    try:
        model = find(job.model, job.connection)
        from concord.asking.inspect.models import redactor_of

        redactor = redactor_of(job.model, model, *helpers_of(job))
        requests = _requests(shard)
        store = ReplyStore(shard.path, job.model, redactor, shard.number)
        try:
            part = Part(shard.path, redactor, store.store, shard.number)
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
            trial = Trial(suite, row["id"], row["mode"], messages, row["repeat"], row["template"])
            found.append(Request(trial, row["key"]))
    return found


def _end_with_parent(pipe: Pipe) -> None:
    """Wait for the end of the pipe, which comes when the first process is gone, however it went."""
    with contextlib.suppress(EOFError, OSError):
        pipe.recv()
    os._exit(1)

"""What is asked in one process of a run: the job, who is told, and the calls themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.asking import registry
from concord.asking.askable import Sessions
from concord.asking.connection import Connection
from concord.asking.keys import Sampling
from concord.asking.limits import Budget, Limits
from concord.asking.prices import Prices
from concord.asking.redact import Redactor
from concord.asking.requests import Again, Request
from concord.errors import MissingExtraError
from concord.records import Answer, Design

if TYPE_CHECKING:
    from inspect_ai.model import Model


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


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told while a run goes on."""

    on_answer: Callable[[Mapping[str, Any]], None] = lambda row: None
    """Told of every stored row, replies and failed calls alike."""
    on_wait: Callable[[str], None] = lambda words: None
    """Told at once why and how long something is waited for."""
    on_interrupt: Callable[[], None] | None = None
    """Told of a Ctrl-C as it comes."""


def find(model: str, connection: Connection) -> "Model":
    """Find a model by its name."""
    try:
        import inspect_ai.model  # noqa: F401 - whether it is there is the question
    except ImportError as fault:
        raise MissingExtraError("asking a model", "live") from fault
    from concord.asking.inspect.models import find_model

    return find_model(model, connection)


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
    helpers: list[Asker] = []

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
        held = registry.find(job.design.suite)
        if held is not None and held.sessions is not None:
            second = _helper_asker(job, part, held.sessions, budget, listeners)
            helpers.extend([] if second is None else [second[0]])
            hold = _session_holder(job, part, missing, asker, turns, kind=held.sessions, helper=second)
        else:

            async def hold(request: Request) -> Answer:
                return await asker.ask(request.trial)

        return Loop(missing, asker, hold, Recorder(_storing(job, part), listeners.on_answer))

    try:
        loop = run_loop(make, listeners.on_interrupt)
    finally:
        for one in turns:
            one.close()
    for one_asker in (loop.asker, *helpers):
        if one_asker.fault is not None:
            raise one_asker.fault
    reached = [one_asker.reached for one_asker in (loop.asker, *helpers) if one_asker.reached is not None]
    return reached[0] if reached else None


def _storing(job: Job, part: Part) -> Callable[[Request, Answer], Mapping[str, Any]]:
    """Return what stores an answer, marked where it is one to a prompt asked anew."""
    again = job.again
    if again is None:
        return part.store
    mark: tuple[tuple[str, object], ...] = (("again", again.tag),)
    return lambda request, answer: part.store(request, replace(answer, more=(*answer.more, *mark)))


def _session_holder(
    job: Job,
    part: Part,
    missing: Sequence[Request],
    asker: Any,
    turns: list[Any],
    *,
    kind: Sessions,
    helper: Any,
) -> Callable[[Request], Any]:
    """Return what holds sessions, with the journal of their turns open."""
    from concord.asking.inspect.sessions import SessionHolder
    from concord.asking.turns import Turns

    again = frozenset[str]() if job.again is None else job.again.outcomes
    sessions = {request.trial.item for request in missing}
    opened = Turns(
        part.path, job.model, redactor=part.redactor, sessions=sessions, again=again, shard=part.shard
    )
    turns.append(opened)
    openers = kind.openers(dict(job.design.files), dict(job.design.options))
    name = (job.model, job.sampling)
    return SessionHolder(asker, opened, openers, kind=kind, name=name, helper=helper).hold


def helpers_of(job: Job) -> tuple[str, ...]:
    """Return the models that are asked beside the one of a job: their keys are hidden, too."""
    held = registry.find(job.design.suite)
    name = None if held is None or held.sessions is None else held.sessions.helper(dict(job.design.options))
    return () if name is None else (name,)


def _helper_asker(
    job: Job, part: Part, kind: Sessions, budget: Budget, listeners: Listeners
) -> tuple[Any, tuple[str, Sampling]] | None:
    """Return what asks the model that writes for sessions, where a design names one."""
    from concord.asking.inspect.asker import Asker

    name = kind.helper(dict(job.design.options))
    if name is None:
        return None
    same = name.split("/")[0] == job.model.split("/")[0]
    connection = job.connection if same else replace(job.connection, base_url=None)
    sampling = replace(job.sampling, temperature=0.0)
    asker = Asker(
        find(name, connection),
        sampling,
        connection,
        budget=budget,
        redactor=part.redactor,
        on_wait=listeners.on_wait,
        cache=job.cache,
    )
    return asker, (name, sampling)

"""Runs from Python: lay out, plan, ask, score what was stored."""

import hashlib
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from concord.asking.askable import NAMES, askable, usual_sampling
from concord.asking.connection import Connection
from concord.asking.folder import (
    LOGS,
    RECORD,
    journals_changed,
    left_to_ask,
    read_record,
)
from concord.asking.index import read_index
from concord.asking.job import Job, Listeners, ask_all, helpers_of, load_ahead, open_model
from concord.asking.journal import without_collections
from concord.asking.limits import SPENT, Budget, Limits, Prices
from concord.asking.options import Asking, options_of
from concord.asking.plan import SEEN, Plan, make_plan
from concord.asking.recorded import recorded_folder, score_bundled, score_run
from concord.asking.requests import AUTO, WAYS, Again, Sampling, lined, requests_of
from concord.asking.result import RunResult
from concord.errors import InputError, MissingExtraError, ModelError, OptionError
from concord.numeric import gated
from concord.records import InputFile

if TYPE_CHECKING:
    from inspect_ai.model import Model

__all__ = [
    "NAMES",
    "RunResult",
    "job",
    "plan_run",
    "read_folder",
    "run",
    "run_job",
    "score_bundled",
    "score_run",
]


@gated()
def job(
    question: str,
    model: str,
    *,
    limit: int | None = None,
    repeats: int | None = None,
    sampling: Sampling | None = None,
    connection: Connection | None = None,
    limits: Limits | None = None,
    processes: int = 1,
    cache: bool = False,
    structured: str = AUTO,
    ask_again: int = 1,
    pilot: bool = False,
    **design: Any,
) -> Job:
    """Lay out a run.

    Parameters
    ----------
    question
        ``people``, ``reasoning`` or ``structure``.
    model
        Provider and model as Inspect names them, such as ``openai/gpt-4o-mini`` or ``local/smollm2-135m``.
    limit, repeats
        How many items are asked, and how often each; structure twice by default, the others once.
    sampling
        What is sent with the prompt; temperature 0 by default, 1 for people.
    connection
        How the model is reached.
    limits
        What the run may take: cost, tokens, time, calls per minute.
    processes
        How many processes ask.
    cache
        Whether Inspect's cache of replies is used.
    structured
        ``auto``: prompts ask for the answer in a last line, and a schema of it is sent where the provider
        takes one; ``off``: the words of the source and nothing else.
    ask_again
        How often an answer that cannot be read is asked for once more, in the same conversation; never
        after a refusal.
    pilot
        Whether only five trials are asked, to see what the others will take.
    design
        Choices of the question: ``samples, bias_cases``, ``items, arranger, ...``, or
        ``study, folder, n, design, plan_seed``.
    """
    if not model.strip():
        raise OptionError("the model's name is blank: expected PROVIDER/MODEL")
    usual = usual_sampling(question)
    chosen = usual if sampling is None else sampling
    chosen.check()
    if chosen.max_tokens is None:
        chosen = replace(chosen, max_tokens=usual.max_tokens)
    if structured not in WAYS:
        raise OptionError(f"--structured {structured!r}: expected {' or '.join(WAYS)}")
    one = askable(question)
    if one.sessions is not None and one.sessions.lined:
        design["answer_line"] = structured == AUTO
    with without_collections():
        laid_out = one.design(limit=limit, repeats=one.repeats if repeats is None else repeats, **design)
        words = lined(laid_out) if structured == AUTO and one.sessions is None else laid_out
    return Job(
        words,
        model,
        chosen,
        Connection() if connection is None else connection,
        limits=Limits() if limits is None else limits,
        processes=processes,
        cache=cache,
        structured=structured,
        ask_again=ask_again,
        pilot=pilot,
    )


def folder_of(question: str, model: str) -> Path:
    """Return the folder of a run that names none."""
    from concord.files.output import safe_name

    return Path("runs") / safe_name(f"{question}-{model.replace('/', '-')}")


def export_inspect(folder: Path, out: Path | None = None, *, only_new: bool = False) -> list[Path]:
    """Write a run as Inspect logs of about a thousand samples each."""
    if only_new and not journals_changed(folder, folder / LOGS if out is None else out):
        return []
    try:
        from concord.asking.inspect.export import export_logs
    except ImportError as fault:
        raise MissingExtraError("writing Inspect logs", "live") from fault
    return export_logs(folder, out)


def write_logs(folder: Path) -> str:
    """Write Inspect's logs of a run; one whose logs cannot be written is a run all the same: return why."""
    try:
        export_inspect(folder, only_new=True)
    except InputError as fault:
        return str(fault)
    except Exception as fault:  # noqa: BLE001 - Inspect's own writer; the results are there already
        return f"Inspect's log could not be written ({type(fault).__name__}: {fault}); all else is kept"
    return ""


def plan_run(of: Job, out: Path | None = None, *, prices: Prices | None = None) -> Plan:
    """Say what a run will take, given what its folder already holds; asks nothing and writes nothing."""
    folder = folder_of(of.design.suite, of.model) if out is None else out
    requests = requests_of(of.design, of.model, of.sampling)
    index = read_index(folder, requests.keys())
    left = left_to_ask(requests, index, of.again).trials
    chosen = of.prices if prices is None else prices
    limit = of.sampling.max_tokens if of.again is None else of.again.sampling.max_tokens
    stored = []
    if left:  # nothing is predicted of a finished run
        done = requests.where(index.replies.__contains__)
        for request in done[:: max(1, len(done) // SEEN)]:
            if (took := index.replies[request.key].took) is not None:
                stored.append((request.trial, *took))
    made = make_plan(of.design, left, max_tokens=limit, prices=chosen, stored=stored)
    return replace(made, index=index, requests=requests)


def run_job(
    of: Job,
    out: Path | None = None,
    *,
    on_answer: Callable[[Mapping[str, Any]], None] | None = None,
    listeners: Listeners | None = None,
    plan: Plan | None = None,
    model: "Model | None" = None,
) -> RunResult:
    """Ask every trial whose reply the folder lacks; what arrives is stored at once, and kept if a run fails.

    Parameters
    ----------
    of
        What to run.
    out
        The run's folder.
    on_answer, listeners
        Who is told while it goes on.
    plan, model
        From `plan_run` and `open_model`, where they were called already.
    """
    from concord.files.documents import provenance

    folder = folder_of(of.design.suite, of.model) if out is None else Path(out)
    if of.processes > 1:
        load_ahead()
    about = provenance(
        [InputFile(name, hashlib.sha256(data).hexdigest(), len(data)) for name, data in of.design.files]
    )
    told = Listeners() if listeners is None else listeners
    told = told if on_answer is None else replace(told, on_answer=on_answer)
    known = plan_run(of, folder) if plan is None else plan
    # A finished run needs neither the extra nor a key; an unusable model leaves no folder behind.
    asked = model if known.n_to_ask else None
    if asked is None and known.n_to_ask:
        asked = open_model(of.model, of.connection, of.sampling.arguments)
    if of.cache and asked is not None:
        from concord.asking.inspect.models import check_cache

        check_cache()
    return RunResult(ask_all(of, folder, model=asked, provenance=about, listeners=told, known=known))


@overload
def run(question: str, model: str, *, dry_run: Literal[True], **options: Any) -> Plan: ...
@overload
def run(question: str, model: str, **options: Any) -> RunResult: ...
@overload
def run(question: str, *, models: str | Sequence[str], **options: Any) -> dict[str, RunResult]: ...
def run(question: str, model: str | None = None, **options: Any) -> Any:
    """Ask a model one of the questions and keep its replies in a folder; a run begun there is resumed.

    Parameters
    ----------
    question
        ``people``, ``structure``, ``reasoning``, ``probes`` or ``judge``.
    model
        Provider and model as Inspect names them.
    options
        Every option of ``concord run QUESTION`` by its name, with ``_`` for ``-`` (``concord run QUESTION
        --help-all`` lists them): ``out``, ``limit``, ``n``, ``study``, ``items``, ``temperature`` (``None``
        is not sent), ``max_tokens``, ``seed``, ``base_url``, ``max_connections``, ``max_retries``,
        ``timeout``, ``processes``, ``ask_again``, ``structured``, ``max_cost``, ``max_tokens_total``,
        ``max_time``, ``rate``, ``price_in``, ``price_out``, ... Nothing is asked before it is spent: the
        call is the consent. ``dry_run=True`` returns the plan and asks nothing; ``models`` asks several
        models, and returns their runs by name.
    """
    asking = options_of(question, options if model is None else {**options, "model": model})
    planned = plan_each(asking)
    for words in planned[0].job.design.notes:
        warnings.warn(words, stacklevel=2)
    if asking.dry_run:
        found: dict[str, Any] = {one.job.model: one.plan for one in planned}
    else:
        results, faults = ask_each(planned, asking)
        if faults and not results:
            raise faults[-1]
        for fault in faults:
            warnings.warn(str(fault), stacklevel=2)
        for result in results if asking.inspect_log else ():
            if told := write_logs(result.folder):
                warnings.warn(told, stacklevel=2)
        found = {result.model: result for result in results}
    return found if asking.models is not None else next(iter(found.values()))


@dataclass(frozen=True, slots=True)
class Planned:
    """One model's run, ready to be asked."""

    job: Job
    folder: Path
    plan: Plan
    model: "Model | None" = None
    """``None`` where it has not been needed yet."""


def plan_each(asking: Asking) -> list[Planned]:
    """Lay out the run of every model; providers and keys are looked for first, and nothing is written."""
    names, connection = asking.model_names(), asking.connection
    if asking.processes > 1 and not asking.dry_run:
        load_ahead()
    folders = {name: _folder(name, asking, several=len(names) > 1) for name in names}
    arguments = asking.sampling.arguments
    found = {}
    if not asking.dry_run:
        found = {name: _find(name, folders[name], connection, arguments) for name in names}
    first = job(asking.question, names[0], **asking.job())
    planned = []
    for name, folder in folders.items():
        sampling = replace(first.sampling, reasoning_effort=asking.effort_of(name))
        one = replace(first, model=name, sampling=sampling, prices=asking.prices_of(name))
        Budget(one.limits, one.prices)  # a limit of cost without prices is told before anything is written
        for other in helpers_of(one):
            one = replace(one, helper_prices=asking.prices_of(other, first=False))
            Budget(one.limits, one.helper_prices)
        if outcomes := asking.outcomes_again():  # with the settings given now; the plan is that of the folder
            stored = Sampling.read(read_record(folder)["sampling"])
            one = replace(one, sampling=stored, again=Again(outcomes, one.sampling))
        planned.append(Planned(one, folder, plan_run(one, folder), found.get(name)))
        if not asking.dry_run and not asking.resume and (n := planned[-1].plan.n_stored):
            raise OptionError(f"{folder} already holds {n} replies; choose another --out, or resume")
    return planned


def _folder(name: str, asking: Asking, *, several: bool) -> Path:
    """Return the folder of a model's run; several models have theirs in one."""
    from concord.files.output import safe_name

    if not several:
        return folder_of(asking.question, name) if asking.out is None else asking.out
    parent = Path("runs") / asking.question if asking.out is None else asking.out
    return parent / safe_name(name.replace("/", "-"))


def _find(name: str, folder: Path, connection: Connection, arguments: str | None) -> "Model | None":
    """Find provider and key before anything is planned; a finished run needs neither."""
    if (folder / RECORD).is_file() and read_record(folder).get("status") == "finished":
        return None
    return open_model(name, connection, arguments)


def ask_planned(one: Planned) -> RunResult:
    """Ask what is planned."""
    return run_job(one.job, one.folder, plan=one.plan, model=one.model)


def ask_each(
    planned: Sequence[Planned],
    asking: Asking,
    *,
    ask: Callable[[Planned], RunResult] = ask_planned,
    tell: Callable[[Sequence[Planned]], None] = lambda planned: None,
) -> tuple[list[RunResult], list[ModelError]]:
    """Ask model after model; what one has taken is no longer there for the next."""
    # A model that cannot be asked does not keep the others waiting: its fault is returned beside the results.
    results, faults = [], []
    limits, several = asking.limits, len(planned) > 1
    tell(planned)
    for one in planned:
        started = time.monotonic()
        try:
            this = replace(one.job, limits=limits)
            result = ask(replace(one, job=this))
            judging = None if this.pilot else _follow(result, this, asking)
            if judging is not None:
                tell([judging])
                ask(judging)
                result = read_folder(result.folder)  # the judge's calls are paid for, too
        except ModelError as fault:
            if not several:
                raise
            faults.append(fault_of(one.job.model, fault, several))
        else:
            results.append(result)
            limits = result.left_of(limits) if several else limits
        if limits.max_time is not None:
            spent = (time.monotonic() - started) / 60
            limits = replace(limits, max_time=max(limits.max_time - spent, SPENT))
    return results, faults


def fault_of(model: str, fault: ModelError, several: bool) -> ModelError:
    """Return a model's fault with its name, where there are several."""
    return ModelError(f"{model}: {fault}") if several else fault


def _follow(result: RunResult, of: Job, asking: Asking) -> Planned | None:
    """Lay out the run of a judge who is to see the replies, where there is one; with the same options."""
    judging = follow_up(
        result,
        connection=of.connection,
        limits=of.limits,  # there is one ledger: what the run itself has taken counts
        structured=of.structured,
        ask_again=of.ask_again,
    )
    if judging is None or not judging[0].design.trials:
        return None
    judge, folder = judging
    prices = asking.prices_of(judge.model, first=False)
    judge = replace(judge, prices=prices, processes=of.processes)
    return Planned(judge, folder, plan_run(judge, folder))


def read_folder(folder: str | Path) -> RunResult:
    """Read a run's folder, finished or not."""
    return RunResult.read(folder)


def follow_up(
    result: RunResult,
    *,
    connection: Connection | None = None,
    limits: Limits | None = None,
    structured: str = AUTO,
    ask_again: int = 1,
) -> tuple[Job, Path] | None:
    """Lay out the run that a run's replies call for (a judge's, say) and name its folder, where they do."""
    follow = askable(str(result.stored.record["suite"])).follow
    asked = None if follow is None else follow(recorded_folder(result.stored))
    if asked is None:
        return None
    chosen = Connection() if connection is None else connection
    if _service(asked.model) != _service(result.model):
        chosen = replace(chosen, base_url=None, batch=False)  # these are of the other model's server
    sampling = Sampling(temperature=asked.temperature, max_tokens=asked.max_tokens)
    chosen_limits = Limits() if limits is None else limits
    design = lined(asked.design) if structured == AUTO else asked.design
    job = Job(design, asked.model, sampling, chosen, limits=chosen_limits)
    return replace(job, structured=structured, ask_again=ask_again), result.folder / asked.folder


def _service(model: str) -> list[str]:
    """Return what names the server of a model."""
    parts = model.split("/")
    return parts[:2] if parts[0] == "openai-api" else parts[:1]

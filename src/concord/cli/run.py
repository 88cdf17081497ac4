"""`concord run people|structure|reasoning|judge`."""

import inspect
import shlex
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from concord.asking.options import KINDS, Asking
from concord.cli.run_show import about, plan_lines, show_dry_run, show_result
from concord.cli.shared import note
from concord.errors import InputError, ModelError, OptionError, printable

if TYPE_CHECKING:
    from concord.asking.job import Job
    from concord.asking.runs import Planned, RunResult
    from concord.cli.run_show import Progress


def __getattr__(name: str) -> Callable[..., None]:
    """Make the command of a question when it is first asked for."""
    if name not in KINDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return command_of(KINDS[name])


def command_of(kind: type[Asking]) -> Callable[..., None]:
    """Return the command of a question: its options are those that are declared, its own ones first."""
    types = get_type_hints(kind, include_extras=True)
    own = kind.own()
    order = sorted(fields(kind), key=lambda one: 0 if one.name == "model" else 2 - (one.name in own))

    def run(**given: Any) -> None:
        carry_out(kind(**given))

    run.__doc__ = kind.__doc__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=one.default,
                annotation=_typed(types[one.name]),
            )
            for one in order
        ]
    )
    run.__annotations__ = {one.name: _typed(types[one.name]) for one in order} | {"return": None}
    return run


def _typed(declared: Any) -> Any:
    """Return a declared option as Typer reads it."""
    kind, word = get_args(declared)
    return Annotated[kind, typer.Option(*word.names, help=word.help, hidden=word.rare)]


GRACE = 0.8
"""Seconds that calls in flight have to end after a Ctrl-C."""
INCOMPLETE = 4
"""Exit code of a run some of whose trials failed or were not asked."""
_FREE = ("local", "mockllm")


def carry_out(asking: Asking) -> None:
    """Do all of a run, for one model or several."""
    from concord.asking import runs

    planned = runs.plan_each(asking)
    several = len(planned) > 1
    _warn(planned[0].job)
    if asking.dry_run:
        for one in planned:
            show_dry_run(one.job, one.plan, asking.json, free=_is_free(one.job))
        return

    def tell(each: "Sequence[Planned]") -> None:
        _tell_plans(each)
        if any(one.plan.n_to_ask and not _is_free(one.job) for one in each):
            _consent(asking.yes)

    results, faults = runs.ask_each(planned, asking, ask=_ask, tell=tell)
    codes = []
    for result in results:
        try:
            codes.append(show_result(result, asking, several=several))
        except ModelError as fault:
            faults.append(runs.fault_of(result.model, fault, several))
    scored = [result.folder / "results" for result in results if (result.folder / "results").is_dir()]
    if several and scored:
        note(f"all models on one page: concord report {' '.join(shlex.quote(str(one)) for one in scored)}")
    if asking.pilot:
        again = [replace(one, plan=runs.plan_run(one.job, one.folder)) for one in planned]
        _tell_plans([one for one in again if one.plan.n_to_ask])
    if faults and not codes:
        raise faults[-1]
    for told in faults:
        note(f"concord: {told}")
    if any(result.outcomes.keys() & {"failed", "not asked"} for result in results) or faults:
        note(f"to go on: {command_again()}")
    if any(codes) or faults:
        raise typer.Exit(code=INCOMPLETE)


def _warn(job: "Job") -> None:
    if job.sampling.temperature == 0 and any(trial.repeat for trial in job.design.trials):
        note(
            "warning: at temperature 0 repeats are mostly copies; give --temperature for samples that differ"
        )
    from concord.asking.connection import plain_keys

    for name in plain_keys(job.model):
        note(
            f"warning: the key in {name} is a plain word or number, as replies may hold; it is not hidden in "
            "what is written, so that no answer is changed; a longer key would be"
        )


def _tell_plans(planned: "Sequence[Planned]") -> None:
    """Say what will be asked, of all models."""
    for one in planned:
        for line in plan_lines(one.job, one.plan, one.folder, free=_is_free(one.job)):
            note(line)
    from concord.asking.plan import Range

    costs = [one.plan.cost for one in planned if one.plan.cost is not None]
    if 1 < len(planned) == len(costs):
        ends = [sum(getattr(c, end) for c in costs) for end in ("low", "high", "likely")]
        note(f"cost of all models: {about(Range(*ends))}")


def _consent(yes: bool) -> None:
    """Ask before spending."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise OptionError("this run may cost money, and there is no terminal to ask; add --yes to go ahead")
    if not typer.confirm("ask now?", err=True):
        note("nothing was asked")
        raise typer.Exit(code=0)


def _is_free(job: "Job") -> bool:
    """Whether a model is on this machine and costs nothing."""
    from concord.asking.connection import is_loopback

    url = job.connection.base_url
    return job.model.split("/")[0] in _FREE or (url is not None and is_loopback(url))


def _ask(one: "Planned") -> "RunResult":
    """Run with progress; say what is kept when it ends early."""
    from concord.asking import runs
    from concord.asking.job import Listeners
    from concord.asking.plan import PILOT
    from concord.cli.run_show import Progress

    n = min(one.plan.n_to_ask, PILOT) if one.job.pilot else one.plan.n_to_ask
    progress = Progress(n, prices=one.job.prices, title=one.job.design.suite)

    def interrupted() -> None:
        # Whoever pressed Ctrl-C is not kept waiting, whatever is still in flight.
        timer = threading.Timer(GRACE, _stop, (progress, one, 130))
        timer.daemon = True
        timer.start()

    listeners = Listeners(progress.add, progress.wait, _tell_refusal, interrupted)
    try:
        with progress:
            return runs.run_job(one.job, one.folder, listeners=listeners, plan=one.plan, model=one.model)
    except KeyboardInterrupt as signal:
        _stop(progress, one, 128 + getattr(signal, "number", 2))
        raise
    except InputError as fault:
        kept = one.plan.n_stored + progress.n_replies
        if not kept:
            raise
        message = f"{fault}\n{kept} replies are stored in {one.folder}; to go on: {command_again()}"
        raise type(fault)(message) from fault


def _tell_refusal(words: str) -> None:
    note(
        f"the provider refuses a schema of the answer ({printable(words)}); the rest is asked without it: "
        "the prompts ask for the answer in a last line all the same"
    )


def _stop(progress: "Progress", one: "Planned", code: int) -> None:
    """Say what is kept and end the process now: a thread in the embedded model would be waited for."""
    import os

    kept, left = one.plan.n_stored + progress.n_replies, one.plan.n_to_ask - progress.n_replies
    note(f"\nconcord: interrupted; {kept} replies are stored in {one.folder}, {left} trials are left")
    note(f"to go on: {command_again()}")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def command_again() -> str:
    """Return the command that resumes: the same one."""
    return shlex.join(["concord", *(word for word in sys.argv[1:] if word != "--pilot")])

"""`concord run people|structure|reasoning|judge`."""

import shlex
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concord.cli.options import rare
from concord.cli.run_options import (
    Asking,
    AskingArrangements,
    AskingItems,
    AskingPeople,
    AskingVotes,
    Model,
    asks,
)
from concord.cli.run_show import plan_lines, show_dry_run, show_result
from concord.cli.shared import note
from concord.errors import InputError, ModelError, OptionError, printable

if TYPE_CHECKING:
    from concord.asking.job import Job
    from concord.asking.plan import Plan
    from concord.asking.runs import RunResult
    from concord.cli.run_progress import Progress


@asks
def reasoning(
    model: Model = None,
    samples: Annotated[Path | None, typer.Option(help="Vignettes (JSON) (default: bundled).")] = None,
    bias_cases: Annotated[Path | None, typer.Option(help="Bias cases (JSON) (default: bundled).")] = None,
    probe: Annotated[
        list[str] | None,
        typer.Option(
            help="Intervene: early, filler, mistake, paraphrase, hints, pairs or all; several times."
        ),
    ] = None,
    helper: Annotated[
        str | None, typer.Option(help="Model that writes wrong and reworded steps (default: bundled).")
    ] = None,
    prefill: Annotated[
        bool,
        rare("--prefill", help="Continue the model's own turn instead of instructing it."),
    ] = False,
    choices: Annotated[
        Path | None, typer.Option(help="Questions with options (JSON lines) for hints (default: bundled).")
    ] = None,
    detector: Annotated[str, rare(help="What finds verbalised hints: rules or judge:MODEL.")] = "rules",
    chains_of: Annotated[str, rare(help="Whose chains are probed: vignettes or choices.")] = "vignettes",
    full_grid: Annotated[
        bool, rare("--full-grid", help="Early answers after every step instead of five.")
    ] = False,
    *,
    asking: AskingItems,
) -> None:
    """Ask each vignette with and without reasoning, and each bias case; then score the replies."""
    if probe:
        chosen: dict[str, Any] = {
            "probe": probe,
            "samples": samples,
            "bias_cases": bias_cases,
            "choices": choices,
            "chains_of": chains_of,
            "helper": helper,
            "prefill": prefill,
            "detector": detector,
            "full_grid": full_grid,
        }
        # a noise floor needs two answers to the same prompt
        carry_out("probes", model, chosen, replace(asking, repeats=max(2, asking.repeats)))
        return
    for name, given in (("--helper", helper), ("--choices", choices)):
        if given is not None:
            raise OptionError(f"{name} belongs to --probe; give --probe too, or leave it out")
    carry_out("reasoning", model, {"samples": samples, "bias_cases": bias_cases}, asking)


@asks
def structure(
    model: Model = None,
    items: Annotated[
        str, typer.Option(help="A bundled set (idioms-zh-hans, ..., options-en) or a JSON file.")
    ] = "options-en",
    arranger: Annotated[
        str | None,
        typer.Option(help="What is rearranged: options, options-cyclic, ... (default: the set's own)."),
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(help="How replies are scored: choice, text, judge:MODEL, ... (default: the set's own)."),
    ] = None,
    arrangements: Annotated[
        int | None, typer.Option(help="At most so many arrangements per item, drawn with a fixed seed.")
    ] = None,
    *,
    asking: AskingArrangements,
) -> None:
    """Ask the same items under every arrangement; then score how far the answers move."""
    chosen: dict[str, Any] = {
        "items": items,
        "arranger": arranger,
        "scorer": scorer,
        "arrangements": arrangements,
    }
    carry_out("structure", model, chosen, asking)


@asks
def people(
    model: Model = None,
    study: Annotated[
        list[str] | None, typer.Option(help="A study, by name or file; several times (default: all bundled).")
    ] = None,
    studies: Annotated[Path | None, typer.Option(help="A folder with studies of your own.")] = None,
    n: Annotated[
        int | None, typer.Option(help="Participants in each cell (default: as in the paper).")
    ] = None,
    design: Annotated[
        str, typer.Option(help="bare, participant, demographic, story, or the path of a template.")
    ] = "participant",
    plan_seed: Annotated[int, rare(help="Seed of assignment, orders and profiles.")] = 0,
    memory: Annotated[
        bool, typer.Option("--memory", help="Ask afterwards whether the model recognises the studies.")
    ] = False,
    variant: Annotated[
        str | None, typer.Option(help="Hold this variant of the studies too, or all: another surface.")
    ] = None,
    *,
    asking: AskingPeople,
) -> None:
    """Let a model answer in place of the participants of studies; then score the replies."""
    chosen: dict[str, Any] = {
        "study": [] if study is None else study,
        "folder": studies,
        "n": n,
        "design": design,
        "plan_seed": plan_seed,
        "memory": memory,
        "variant": variant,
    }
    carry_out("people", model, chosen, asking)


@asks
def judge(
    model: Model = None,
    pairs: Annotated[
        Path | None,
        typer.Option(help="Pairs: prompt, answer_a, answer_b, human (JSON or a table) (default: bundled)."),
    ] = None,
    first: Annotated[Path | None, typer.Option(help="Instead: folder of a run, its replies are A.")] = None,
    second: Annotated[Path | None, typer.Option(help="Folder of another run, its replies are B.")] = None,
    *,
    asking: AskingVotes,
) -> None:
    """Let a model judge pairs of answers in both orders, several times; then score the verdicts."""
    carry_out("judge", model, {"pairs": pairs, "first": first, "second": second}, asking)


GRACE = 0.8
"""Seconds that calls in flight have to end after a Ctrl-C."""
INCOMPLETE = 4
"""Exit code of a run some of whose trials failed or were not asked."""
_FREE = ("local", "mockllm")


@dataclass(frozen=True, slots=True)
class Planned:
    """One model's run, ready to be asked."""

    job: "Job"
    folder: Path
    plan: "Plan"
    model: Any
    """From Inspect; ``None`` where it has not been needed yet."""


def carry_out(question: str, model: str | None, choices: dict[str, Any], asking: Asking) -> None:
    """Do all of a run, for one model or several."""
    names = asking.model_names(model)
    connection = asking.connection
    several = len(names) > 1
    if asking.processes > 1 and not asking.dry_run:
        from concord.asking.job import load_ahead

        load_ahead()
    found = {} if asking.dry_run else {name: _find(name, question, asking, several) for name in names}
    from concord.asking import runs
    from concord.asking.limits import Budget

    first = runs.job(question, names[0], **choices, **asking.job())
    planned = []
    for name in names:
        job = replace(first, model=name, connection=connection, prices=asking.prices_of(name))
        Budget(job.limits, job.prices)  # a limit of cost without prices is told before anything is written
        folder = _folder(question, name, asking, several)
        job = _again(job, folder, asking)
        planned.append(Planned(job, folder, runs.plan_run(job, folder), found.get(name)))
    _warn(first)
    if asking.dry_run:
        for one in planned:
            show_dry_run(one.job, one.plan, asking.json, free=_is_free(one.job))
        return
    _refuse_stored(planned, asking)
    _tell_plans(planned, asking)
    results, faults = _ask_each(planned, asking)
    codes = []
    for result in results:
        try:
            codes.append(show_result(result, asking, several=several))
        except ModelError as fault:
            faults.append(_of(result.model, fault, several))
    scored = [result.folder / "results" for result in results if (result.folder / "results").is_dir()]
    if several and scored:
        note(f"all models on one page: concord report {' '.join(shlex.quote(str(one)) for one in scored)}")
    if faults and not codes:
        raise faults[-1]
    for told in faults:
        note(f"concord: {told}")
    if any(result.outcomes.keys() & {"failed", "not asked"} for result in results) or faults:
        note(f"to go on: {command_again()}")
    if any(codes) or faults:
        raise typer.Exit(code=INCOMPLETE)


def _find(name: str, question: str, asking: Asking, several: bool) -> Any:
    """Find provider and key before anything is planned; a finished run needs neither."""
    from concord.asking.folder import RECORD, read_record
    from concord.asking.job import open_model

    folder = _folder(question, name, asking, several)
    if (folder / RECORD).is_file() and read_record(folder).get("status") == "finished":
        return None
    return open_model(name, asking.connection)


def _folder(question: str, name: str, asking: Asking, several: bool) -> Path:
    """Return the folder of a model's run; several models have theirs in one."""
    from concord.asking import runs
    from concord.files.output import safe_name

    if not several:
        return runs.folder_of(question, name) if asking.out is None else asking.out
    parent = Path("runs") / question if asking.out is None else asking.out
    return parent / safe_name(name.replace("/", "-"))


def _again(job: "Job", folder: Path, asking: Asking) -> "Job":
    """Ask some outcomes anew, with the settings given now; the plan stays that of the folder."""
    from concord.asking.folder import read_record
    from concord.asking.requests import Again, Sampling

    outcomes = asking.outcomes_again()
    if not outcomes:
        return job
    stored = Sampling.read(read_record(folder)["sampling"])
    return replace(job, sampling=stored, again=Again(outcomes, job.sampling))


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


def _refuse_stored(planned: list[Planned], asking: Asking) -> None:
    for one in planned:
        if not asking.resume and one.plan.n_stored:
            raise OptionError(
                f"{one.folder} already holds {one.plan.n_stored} replies; choose another --out, or resume"
            )


def _tell_plans(planned: list[Planned], asking: Asking) -> None:
    """Say what will be asked, of all models, and ask once before spending."""
    for one in planned:
        for line in plan_lines(one.job, one.plan, one.folder, free=_is_free(one.job)):
            note(line)
    costs = [one.plan.cost for one in planned]
    if len(planned) > 1 and all(cost is not None for cost in costs):
        low, high = sum(c.low for c in costs if c), sum(c.high for c in costs if c)
        note(f"cost of all models, roughly: {low:,.2f} to {high:,.2f}")
    if any(one.plan.n_to_ask and not _is_free(one.job) for one in planned):
        _consent(asking.yes)


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


def _ask_each(planned: list[Planned], asking: Asking) -> "tuple[list[RunResult], list[ModelError]]":
    """Ask model after model; what one has taken is no longer there for the next.

    A model that cannot be asked does not keep the others waiting: its fault is returned beside the results.
    """
    results, faults = [], []
    limits, several = asking.limits, len(planned) > 1
    for one in planned:
        started = time.monotonic()
        try:
            result = _ask(replace(one, job=replace(one.job, limits=limits)))
            result = _judge(result, one, asking)
        except ModelError as fault:
            if not several:
                raise
            faults.append(_of(one.job.model, fault, several))
        else:
            results.append(result)
            limits = result.left_of(limits) if several else limits
        if limits.max_time is not None:
            from concord.asking.limits import SPENT

            spent = (time.monotonic() - started) / 60
            limits = replace(limits, max_time=max(limits.max_time - spent, SPENT))
    return results, faults


def _of(model: str, fault: ModelError, several: bool) -> ModelError:
    """Return a model's fault with its name, where there are several."""
    return ModelError(f"{model}: {fault}") if several else fault


def _judge(result: "RunResult", of: Planned, asking: Asking) -> "RunResult":
    """Let the judge see the replies, where a run is scored by one; with the same options."""
    from concord.asking import runs

    judging = runs.follow_up(
        result,
        connection=of.job.connection,
        limits=result.left_of(of.job.limits),
        structured=of.job.structured,
        ask_again=of.job.ask_again,
    )
    if judging is None or not judging[0].design.trials:
        return result
    judge, folder = judging
    judge = replace(judge, prices=asking.prices_of(judge.model), processes=of.job.processes)
    planned = Planned(judge, folder, runs.plan_run(judge, folder), None)
    _tell_plans([planned], asking)
    _ask(planned)
    return result


def _ask(one: Planned) -> "RunResult":
    """Run with progress; say what is kept when it ends early."""
    from concord.asking import runs
    from concord.asking.job import Listeners
    from concord.cli.run_progress import Progress

    progress = Progress(one.plan.n_to_ask, prices=one.job.prices, title=one.job.design.suite)

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


def _stop(progress: "Progress", one: Planned, code: int) -> None:
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
    return shlex.join(["concord", *sys.argv[1:]])

"""`concord run people|structure|reasoning`."""

import shlex
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concord.cli.run_options import Asking, AskingItems, AskingPeople, Model, asks
from concord.cli.shared import note, print_json, say, show_result
from concord.errors import InputError, ModelError, OptionError, RunFolderError

if TYPE_CHECKING:
    from concord.asking.plan import Plan
    from concord.asking.run import Job
    from concord.runs import RunResult

SHOWN_PROMPTS = 3
"""Of text in a pipe."""
GRACE = 0.8
"""Seconds that Inspect has to close its log after a Ctrl-C."""
_FREE = ("local", "mockllm")


@asks
def reasoning(
    model: Model,
    samples: Annotated[Path | None, typer.Option(help="Vignettes (JSON) (default: bundled).")] = None,
    bias_cases: Annotated[Path | None, typer.Option(help="Bias cases (JSON) (default: bundled).")] = None,
    *,
    asking: AskingItems,
) -> None:
    """Ask each vignette with and without reasoning, and each bias case; then score the replies."""
    from concord import runs

    _carry_out(runs.job("reasoning", model, samples=samples, bias_cases=bias_cases, **asking.job()), asking)


@asks
def structure(
    model: Model,
    items: Annotated[
        str, typer.Option(help="A bundled set (idioms-zh-hans, ..., options-en) or a JSON file.")
    ] = "options-en",
    arranger: Annotated[str | None, typer.Option(help="What is rearranged (default: the set's own).")] = None,
    scorer: Annotated[
        str | None, typer.Option(help="How replies are scored (default: the set's own).")
    ] = None,
    arrangements: Annotated[
        int | None, typer.Option(help="At most so many arrangements an item, drawn with a fixed seed.")
    ] = None,
    *,
    asking: AskingItems,
) -> None:
    """Ask the same items under every arrangement; then score how far the answers move."""
    from concord import runs

    chosen: dict[str, Any] = {
        "items": items,
        "arranger": arranger,
        "scorer": scorer,
        "arrangements": arrangements,
    }
    _carry_out(runs.job("structure", model, **chosen, **asking.job()), asking)


@asks
def people(
    model: Model,
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
    plan_seed: Annotated[int, typer.Option(help="Seed of assignment, orders and profiles.")] = 0,
    *,
    asking: AskingPeople,
) -> None:
    """Let a model stand in for the participants of studies; then score the replies."""
    from concord import runs

    names = [] if study is None else study
    chosen: dict[str, Any] = {
        "study": names,
        "folder": studies,
        "n": n,
        "design": design,
        "plan_seed": plan_seed,
    }
    _carry_out(runs.job("people", model, **chosen, **asking.job()), asking)


def _carry_out(job: "Job", asking: Asking) -> None:
    """Plan, ask for consent, run, score, show."""
    from concord import runs

    prices, yes = asking.prices, asking.yes
    folder = runs.default_folder(job) if asking.out is None else asking.out
    plan = runs.plan_run(job, folder, prices=prices)
    if job.sampling.temperature == 0 and any(trial.repeat for trial in job.design.trials):
        note(
            "warning: at temperature 0 repeats are mostly copies; give --temperature for samples that differ"
        )
    if asking.dry_run:
        _show_dry_run(job, plan, asking.json)
        return
    if not asking.resume and plan.n_stored:
        raise OptionError(f"{folder} already holds {plan.n_stored} replies; choose another --out, or resume")
    for line in plan_lines(job, plan, folder):
        note(line)
    if plan.n_to_ask:
        _consent(job, yes)
    result = _ask(replace(job, prices=prices), folder, plan)
    judging = runs.judge_job(result)
    if judging is not None and judging[0].design.trials:
        judge, beside = judging
        plan = runs.plan_run(judge, beside)
        for line in plan_lines(judge, plan, beside):
            note(line)
        if plan.n_to_ask:
            _consent(judge, yes)
        _ask(judge, beside, plan)
    _show_result(result, asking.json)


def plan_lines(job: "Job", plan: "Plan", folder: Path) -> list[str]:
    """Say in words what a run will take."""
    stored = f", {plan.n_stored} already stored" if plan.n_stored else ""
    tokens_in, tokens_out = plan.input_tokens, plan.output_tokens
    lines = [
        f"{job.design.suite}: {plan.n_trials} trials for {job.model}{stored}; "
        f"{plan.n_to_ask} to ask, into {folder}",
        f"tokens, roughly: {tokens_in.low:,.0f} to {tokens_in.high:,.0f} in, "
        f"{tokens_out.low:,.0f} to {tokens_out.high:,.0f} out",
    ]
    if plan.cost is not None:
        lines.append(f"cost, roughly: {plan.cost.low:,.2f} to {plan.cost.high:,.2f}")
    elif plan.n_to_ask and not _is_free(job):
        lines.append("cost: not known; give --price-in and --price-out (per million tokens) to see a range")
    return lines


def _is_free(job: "Job") -> bool:
    from concord.asking.keys import is_loopback

    url = job.connection.base_url
    return job.model.split("/")[0] in _FREE or (url is not None and is_loopback(url))


def _consent(job: "Job", yes: bool) -> None:
    """Ask before spending; models on this machine cost nothing."""
    if yes or _is_free(job):
        return
    if not sys.stdin.isatty():
        raise OptionError("this run may cost money, and there is no terminal to ask; add --yes to go ahead")
    if not typer.confirm("ask now?", err=True):
        note("nothing was asked")
        raise typer.Exit(code=0)


def _show_dry_run(job: "Job", plan: "Plan", as_json: bool) -> None:
    from dataclasses import asdict

    prompts = [
        {
            "id": trial.item,
            "mode": trial.cell,
            "repeat": trial.repeat,
            "messages": list(map(asdict, trial.messages)),
        }
        for trial in job.design.trials[:SHOWN_PROMPTS]
    ]
    sent = job.sampling.sent(0)
    if as_json:
        print_json({"plan": asdict(plan), "sampling": sent, "first_prompts": prompts})
        return
    for line in plan_lines(job, plan, Path("(no folder: a dry run)")):
        note(line)
    say(f"sent with every prompt: {sent}")
    for trial in job.design.trials[:SHOWN_PROMPTS]:
        say(f"\n--- {trial.item}, {trial.cell}, repeat {trial.repeat} ({trial.template})")
        for message in trial.messages:
            say(f"[{message.role}]\n{message.text}")


def _ask(job: "Job", folder: Path, plan: "Plan") -> "RunResult":
    """Run with progress; say what is kept when it ends early."""
    from concord import runs
    from concord.cli.run_progress import Progress

    progress = Progress(plan.n_to_ask)

    def stop() -> None:
        _say_kept(progress.n_replies, plan, folder)
        _leave(130)

    def interrupted() -> None:
        # Inspect closes its log meanwhile; whoever pressed Ctrl-C is not kept waiting for it.
        timer = threading.Timer(GRACE, stop)
        timer.daemon = True
        timer.start()

    try:
        with progress:
            return runs.run_job(job, folder, on_answer=progress.add, on_interrupt=interrupted)
    except KeyboardInterrupt:
        stop()
        raise
    except InputError as fault:
        kept = plan.n_stored + progress.n_replies
        if not kept:
            raise
        message = f"{fault}\n{kept} replies are stored in {folder}; to go on: {command_again()}"
        raise type(fault)(message) from fault


def _say_kept(n_new: int, plan: "Plan", folder: Path) -> None:
    kept, left = plan.n_stored + n_new, plan.n_to_ask - n_new
    note(f"\nconcord: interrupted; {kept} replies are stored in {folder}, {left} trials are left")
    note(f"to go on: {command_again()}")


def command_again() -> str:
    """Return the command that resumes: the same one."""
    return shlex.join(["concord", *sys.argv[1:]])


def _leave(code: int) -> None:
    """End the process now: a thread inside the embedded model would be waited for otherwise."""
    import os

    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _show_result(result: "RunResult", as_json: bool) -> None:
    counted = ", ".join(f"{n} {outcome}" for outcome, n in result.outcomes.items())
    note(f"{sum(result.outcomes.values())} trials: {counted}")
    if set(result.outcomes) == {"failed"}:
        raise ModelError(f"every call failed, the last one with: {result.stored.rows[-1].get('error')}")
    if not result.outcomes.get("ok"):
        if as_json:
            print_json({"run": result.to_dict(), "score": None})
        note(f"no reply can be scored; what came back is in {result.folder}")
        return
    try:
        scored = result.score()
    except RunFolderError as fault:
        note(str(fault))  # the run is done and kept; there is only nothing to count
        return
    scored.write(result.folder / "results")
    beside = write_beside(result)
    if as_json:
        print_json({"run": {**result.to_dict(), **beside}, "score": scored.to_dict()})
    else:
        show_scored(scored)
    for line in _beside_lines(beside):
        note(line)
    note(f"replies, log and results are in {result.folder}")
    note(f"score them again with: concord score run {result.folder}")


def _beside_lines(beside: dict[str, Any]) -> list[str]:
    """Say in words what stands beside the consistency numbers."""
    lines = (
        ["answers: " + ", ".join(f"{n} {outcome}" for outcome, n in beside["answers"].items())]
        if beside
        else []
    )
    if "recovery_rate" in beside:
        found = beside["recovery_rate"]
        lines.append(f"idioms recovered: {found['recovered']} of {found['n']} ({found['rate']:.0%})")
    return lines


def write_beside(result: "RunResult") -> dict[str, Any]:
    """Write `answers.csv` of a structure run, and give what stands beside the consistency numbers."""
    if result.stored.record["suite"] != "structure":
        return {}
    from dataclasses import astuple, fields

    from concord.asking.recorded import recorded_folder
    from concord.files.output import write_csv
    from concord.runs import structure_answers
    from concord.structure.answers import AnswerRow

    answers = structure_answers(recorded_folder(result.stored))
    columns = [one.name for one in fields(AnswerRow)]
    write_csv(result.folder / "results" / "answers.csv", columns, map(astuple, answers.rows))
    beside: dict[str, Any] = {"answers": answers.outcomes}
    if answers.recovery is not None:
        found, n = answers.recovery
        beside["recovery_rate"] = {"recovered": found, "n": n, "rate": found / n}
    return beside


def show_scored(scored: Any) -> None:
    """Print the tables of a result, whichever question it answers."""
    from concord.reasoning.files import ReasoningResult

    if isinstance(scored, ReasoningResult):
        show_result(scored)
        return
    from concord.people.studies import StudiesResult

    if isinstance(scored, StudiesResult):
        for warning in scored.table.warnings:
            note(f"warning: {warning}")
        for study, counted in scored.to_dict()["answers"].items():
            note(f"{study}: answers: " + ", ".join(f"{n} {outcome}" for outcome, n in counted.items()))
        show_result(scored.result)
        return
    show_result(scored)

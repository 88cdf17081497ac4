"""`concord compare`."""

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from concord.cli.options import (
    USUAL,
    EngineName,
    Json,
    Level,
    Scheduler,
    TableHow,
    engine_of,
    rare,
    reads_tables,
)
from concord.cli.shared import note, print_json, show_result, warn
from concord.errors import OptionError

WORSE = 3
"""Exit code where the first model is worse, or not shown to be as good."""


@functools.partial(reads_tables, mapped=False, hidden=("missing", "strict"))
def compare(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Two or more: Inspect logs, lm-eval samples, tables, folders of `concord score` or `run`."
        ),
    ],
    metric: Annotated[
        str | None,
        typer.Option(
            help="Which scorer or metric of a log; what ranks results: pas, ecs, apr; tau, flip_excess, "
            "worst, S_Cons, E_perf, R_sens (S_star, E_star, R_star where numbers of samples "
            "differ); consistency, option_flips, first_option, last_option, rstd of options; gap, "
            "correct_cot, correct_early, step_f1."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Column of one table that names conditions, such as reasoning or prompt: compare each model "
            "with itself (influence of hints, gap, flips, accuracy)."
        ),
    ] = None,
    as_people: Annotated[
        bool,
        typer.Option(
            "--as-people",
            help="Two results about people, OLD NEW: does the new version agree with people less? Gates hold "
            "NEW against OLD.",
        ),
    ] = False,
    item: Annotated[str | None, rare(help="Column of a table that names items.")] = None,
    score: Annotated[str | None, rare(help="Column of a table that holds scores.")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column, sample metadata or document field that names item families.")
    ] = None,
    repeat: Annotated[str | None, rare(help="Column of a table that numbers repeats.")] = None,
    how: TableHow = USUAL,
    name: Annotated[
        list[str] | None, typer.Option(help="What to call the models, once for each result, in order.")
    ] = None,
    test: Annotated[
        str, typer.Option(help="auto, mcnemar, mcnemar-mid-p, sign-flip, sign-flip-mid-p or t.")
    ] = "auto",
    wrong: Annotated[
        float | None,
        rare(help="Score of a wrong answer (default: 0 where scores lie from 0 to 1)."),
    ] = None,
    unit: Annotated[
        str,
        rare(
            help="auto: refuse shares beside percentages; percent: divide files that reach above 1 by 100; "
            "same: take all as they are."
        ),
    ] = "auto",
    margin: Annotated[
        float | None,
        typer.Option(
            help="Smallest difference that matters, in the unit of the metric: is the difference shown to be "
            "smaller (two one-sided tests)?"
        ),
    ] = None,
    level: Level = 0.95,
    flips: Annotated[int, rare(help="Random signs, or resamples of items.")] = 9999,
    seed: Annotated[int, rare(help="Seed of random signs and resamples.")] = 0,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
    out: Annotated[Path | None, typer.Option(help="Folder for comparison.json and comparison.csv.")] = None,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="Exit 3 where the first is shown to be worse than another, beyond --margin if given.",
        ),
    ] = False,
    fail_unless_as_good: Annotated[
        bool,
        typer.Option(
            "--fail-unless-as-good",
            help="Exit 3 unless the first is shown to be as good as every other, within --margin.",
        ),
    ] = False,
    junit: Annotated[Path | None, typer.Option(help="File for the verdicts of gates as JUnit XML.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="File for a summary in Markdown, for a pull request.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="All pairs of more than four models, and what a referee asks.")
    ] = False,
    json: Json = False,
) -> None:
    """Is the difference real? Compare models on the same items, studies or arrangements."""
    from concord import api

    if fail_unless_as_good and margin is None:
        raise OptionError("--fail-unless-as-good needs --margin: how much worse is still as good?")
    if junit is not None and not (fail_if_worse or fail_unless_as_good):
        raise OptionError("--junit needs a gate: --fail-if-worse or --fail-unless-as-good")
    if by is not None and (fail_if_worse or fail_unless_as_good or markdown is not None):
        raise OptionError("--by compares a model with itself: it has no gates and no --markdown")
    chosen = engine_of(engine, scheduler)
    compared: Any = api.compare
    result = compared(
        *results,
        item=item,
        score=score,
        cluster=cluster,
        repeat=repeat,
        metric=metric,
        by=by,
        as_people=as_people,
        names=name if name else None,
        wrong=wrong,
        unit=unit,
        engine=chosen.name,
        scheduler=chosen.scheduler,
        level=level,
        margin=margin,
        test=test,
        n_flips=flips,
        seed=seed,
        **how,
    )
    warn(result.warnings)
    gates = {}
    if fail_if_worse:
        gates["regression"] = result.fail_if_worse(margin=margin)
    if fail_unless_as_good and margin is not None:
        gates["as_good"] = result.fail_unless_as_good(margin=margin)
    further = {key: gate.to_dict() for key, gate in gates.items()}
    if out is not None:
        files = result.write(out, further=further) if by is None else result.write(out)
        note(f"wrote {files[0]} and {files[1].name}")
    _write_for_pipelines(result, list(gates.values()), junit, markdown)
    if json:
        print_json(result.to_dict() | further)
    else:
        show_result(result, full=full)
    for gate in gates.values():
        note(gate.sentence)
    if any(gate.failed for gate in gates.values()):
        raise typer.Exit(code=WORSE)


def _write_for_pipelines(result: Any, gates: list[Any], junit: Path | None, markdown: Path | None) -> None:
    """Write what a pipeline shows."""
    from concord.files.output import write_text
    from concord.show import pull_request

    if junit is not None:
        write_text(junit, pull_request.junit(gates))
        note(f"wrote {junit}")
    if markdown is not None:
        write_text(markdown, pull_request.markdown(result, gates))
        note(f"wrote {markdown}")

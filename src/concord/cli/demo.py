"""`concord demo`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concord.cli.shared import note, print_json, show_result

if TYPE_CHECKING:
    from concord.asking.askable import Askable, Demo

MODEL = "local/smollm2-135m"
_INVENTED = (
    "1. With people. The human side of this table is published (nine classic studies); the agent side\n"
    "   is INVENTED, made up to show what the numbers mean. It says nothing about any real model.\n"
)


def demo(
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Score bundled replies only; ask no model.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("concord-demo"),
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of the table.")
    ] = False,
) -> None:
    """Answer the three questions on bundled data; with the extra `live`, ask the embedded model."""
    from concord import api
    from concord.asking.registry import ALL

    people = api.score_people(api.demo_table(), model="invented agent")
    files = people.write(out)
    note(_INVENTED)
    for warning in people.warnings:
        note(f"warning: {warning}")
    if not json:
        show_result(people)
    live = not recorded and _can_ask()
    asked = [(one, one.demo) for one in ALL if one.demo is not None and (live or one.demo.recorded)]
    others = {one.name: _score_question(one, shown, out, live=live, quiet=json) for one, shown in asked}
    if json:
        print_json({**people.to_dict(), "agent_side": "invented", "asked_now": live, **others})
    page = api.report({"invented agent": out}, out=out / "report.html", title="Concord demo").path
    note(f"\nwrote {files[0]}, {files[1].name}, and the results of the other questions below {out}")
    note("score your own table with: concord score people TABLE; ask a model with: concord run reasoning")
    note(f"all of it as one page, to open in a browser: {page.resolve().as_uri()}")


def _can_ask() -> bool:
    """Whether the embedded model can be asked; says why not."""
    from importlib.util import find_spec

    if os.environ.get("CONCORD_RECORDED"):
        return False
    if find_spec("inspect_ai") is None or find_spec("xllamacpp") is None:
        note("The extra `live` is not installed (pip install 'concord-eval[live]'): no model is asked.")
        return False
    from concord.asking.weights import ensure_weights
    from concord.errors import ModelError

    try:
        ensure_weights()
    except ModelError as fault:
        note(f"{fault}\nNo model is asked.")
        return False
    return True


def _score_question(
    question: "Askable", shown: "Demo", out: Path, *, live: bool, quiet: bool
) -> Mapping[str, Any]:
    """Score one question's replies, asked now or recorded."""
    from concord.asking import runs
    from concord.asking.registry import ALL
    from concord.cli.run_show import show_scored

    title = f"\n{ALL.index(question) + 1}. {shown.title}"
    if live:
        note(f"{title} Asking {MODEL}, a very small model, a small version of the question.\n")
        scored = _ask_embedded(question.name, shown.asked, out / "runs" / question.name).score()
    else:
        note(f"{title} Bundled replies, recorded from {MODEL}, a very small model.\n")
        scored = runs.score_bundled(question.name)
    scored.write(out / shown.folder)
    if not quiet:
        show_scored(scored)
    document: Mapping[str, Any] = scored.to_dict()
    return document


def _ask_embedded(question: str, asked: Mapping[str, Any], folder: Path) -> Any:
    """Ask the embedded model a small version, with progress."""
    from concord.asking import runs
    from concord.asking.keys import Sampling
    from concord.cli.run_progress import Progress

    chosen = dict(asked)
    sampling = Sampling(
        chosen.pop("temperature", 0.0), chosen.pop("max_tokens"), None, chosen.pop("seed", None)
    )
    job = runs.job(question, MODEL, sampling=sampling, **chosen)
    plan = runs.plan_run(job, folder)
    with Progress(plan.n_to_ask) as progress:
        return runs.run_job(job, folder, on_answer=progress.add)

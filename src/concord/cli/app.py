"""The `concord` command: subcommands are registered here, their heavy imports happen inside them."""

import sys
from typing import Annotated

import typer

from concord.cli import (
    audit,
    check,
    compare,
    demo,
    export,
    plan,
    report,
    run,
    score_people,
    score_reasoning,
    score_run,
    score_structure,
    studies,
)
from concord.cli.shared import guarded
from concord.version import __version__

app = typer.Typer(
    name="concord",
    help="Does a language model agree with people, with itself, with its own reasoning?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
score = typer.Typer(help="Score recorded data, without calling any model.", no_args_is_help=True)
app.add_typer(score, name="score")
run_app = typer.Typer(
    help="Ask a model one of the three questions, and keep every reply.", no_args_is_help=True
)
app.add_typer(run_app, name="run")
export_app = typer.Typer(help="Write what Concord keeps in another program's form.", no_args_is_help=True)
app.add_typer(export_app, name="export")

audit_app = typer.Typer(help="Check by hand how the replies of a run were read.", no_args_is_help=True)
app.add_typer(audit_app, name="audit")

app.command("demo")(guarded(demo.demo))
app.command("check")(guarded(check.check))
app.command("report")(guarded(report.report))
app.command("compare")(guarded(compare.compare))
app.command("plan")(guarded(plan.plan))
app.command("studies")(guarded(studies.studies))
score.command("people")(guarded(score_people.score_people))
score.command("structure")(guarded(score_structure.score_structure))
score.command("reasoning")(guarded(score_reasoning.score_reasoning))
score.command("run")(guarded(score_run.score_run))
audit_app.command("reasoning")(guarded(audit.reasoning))
audit_app.command("people")(guarded(audit.people))
export_app.command("inspect")(guarded(export.inspect))
run_app.command("people")(guarded(run.people))
run_app.command("structure")(guarded(run.structure))
run_app.command("reasoning")(guarded(run.reasoning))


def _version(value: bool) -> None:
    if value:
        typer.echo(f"concord {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Ask whether a language model agrees with people, with itself, with its own reasoning."""


def main() -> None:
    """Run the command line; Ctrl-C exits with 130."""
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("concord: interrupted", err=True)
        sys.exit(130)

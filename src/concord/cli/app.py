"""The `concord` command: subcommands are registered here, their heavy imports happen inside them."""

import sys
from typing import Annotated

import typer

from concord.cli import check, demo, score_people, studies
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

app.command("demo")(guarded(demo.demo))
app.command("check")(guarded(check.check))
app.command("studies")(guarded(studies.studies))
score.command("people")(guarded(score_people.score_people))


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

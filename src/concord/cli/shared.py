"""What every command shares: errors as one message and exit 2, JSON on stdout, notes on stderr."""

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import typer

from concord.errors import InputError, UndefinedError

P = ParamSpec("P")
R = TypeVar("R")


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what the user can fix into one message on stderr and exit 2; our bugs keep their traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (InputError, UndefinedError) as error:
            typer.echo(f"concord: {error}", err=True)
            raise typer.Exit(code=2) from error

    return run


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document to stdout; NaN and infinity are refused, they are not JSON."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def note(text: str) -> None:
    """Say something that is not the result: stderr, so that pipes stay clean."""
    typer.echo(text, err=True)


def show(renderable: Any) -> None:
    """Print a table to stdout: the terminal's width there, a fixed one in a pipe."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=110)
    console.print(renderable)

"""What every command shares: errors as one message and exit 2, JSON on stdout, notes on stderr."""

import functools
import json
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import typer

from concord.errors import InputError, UndefinedError, printable_lines

P = ParamSpec("P")
R = TypeVar("R")
_CONTROLS = re.compile("[\x7f-\x9f\ud800-\udfff]")
"""What JSON allows in a string and a terminal obeys, or no encoding can print."""


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what the user can fix into one message and exit 2, Ctrl-C into exit 130; bugs keep a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (InputError, UndefinedError) as error:
            note(f"concord: {error}")
            raise typer.Exit(code=2) from error
        except KeyboardInterrupt as error:
            note("\nconcord: interrupted")
            raise typer.Exit(code=130) from error

    return run


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document to stdout; NaN and infinity are refused, they are not JSON."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    typer.echo(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def say(text: str) -> None:
    """Print lines of a result to stdout; what came from a file cannot steer the terminal."""
    typer.echo(encodable(printable_lines(text)))


def note(text: str) -> None:
    """Say something that is not the result: stderr, so that pipes stay clean."""
    typer.echo(printable_lines(text), err=True)


def show(renderable: Any) -> None:
    """Print a table to stdout: the terminal's width there, a fixed one in a pipe."""
    from concord.show.terminal import fitting, screen

    screen().print(fitting(renderable))


def show_result(result: Any) -> None:
    """Print everything a reader should see of a result, whichever it is."""
    from concord.show.views import view_of

    show(view_of(result).report(result))


def encodable(text: str) -> str:
    """Replace what the terminal's encoding lacks, rather than fail at the last step."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)

"""What every command shares: errors as one message and exit 2, JSON on stdout, notes on stderr."""

import codecs
import functools
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TextIO, TypeVar

import typer

from concord.errors import InputError, UndefinedError, printable, printable_lines

P = ParamSpec("P")
R = TypeVar("R")
MOST_WARNINGS = 8
"""Warnings of many agents that are shown; the rest is counted."""
_LIKE = 3
"""Warnings of one cause from which on they are told once; and rows of the others that are named."""
_CONTROLS = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON allows in a string and a terminal obeys, or no encoding can print."""


_PLAINER = str.maketrans(
    {"–": "-", "−": "-", "—": "-", "‐": "-", "×": "x", "±": "+/-", "≤": "<=", "≥": ">=", "≈": "~", "→": "->"}
    | {"…": "...", "“": '"', "”": '"', "‘": "'", "’": "'", "·": ".", "²": "2", "τ": "tau", "χ": "chi"}
    | {
        "η": "eta",
        "β": "beta",
        "ρ": "rho",
        "Δ": "Delta",
        "✓": "ok",
        "✗": "no",
        "•": "*",
        "█": "#",
        "°": " deg",
    }
)
"""What characters of Concord's own become where an output cannot hold them; any other becomes ``?``."""


def plainer(fault: UnicodeError) -> tuple[str, int]:
    """Return what is written instead of characters that the encoding of an output lacks."""
    assert isinstance(fault, UnicodeEncodeError)  # noqa: S101 - streams only write
    text = fault.object[fault.start : fault.end].translate(_PLAINER)
    return text.encode("ascii", "replace").decode("ascii"), fault.end


def use_plainer_characters() -> None:
    """Let the outputs replace what their encoding lacks, rather than fail at the last step."""
    codecs.register_error("concord.plainer", plainer)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="concord.plainer")


def can_encode(text: str, stream: TextIO) -> bool:
    """Whether an output can hold a text as it is."""
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what the user can fix into one message and exit 2, Ctrl-C into exit 130; bugs keep a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (InputError, UndefinedError) as error:
            note(f"concord: {_on_its_lines(str(error), kwargs.values())}")
            raise typer.Exit(code=2) from error
        except KeyboardInterrupt as error:
            note("\nconcord: interrupted")
            raise typer.Exit(code=130) from error
        except BrokenPipeError:
            raise
        except (OSError, UnicodeError, RecursionError, MemoryError) as error:
            if os.environ.get("CONCORD_DEBUG") == "1":
                raise
            note(f"concord: {_on_its_lines(_system_message(error), kwargs.values())}")
            raise typer.Exit(code=2) from error

    return run


def _on_its_lines(message: str, given: Iterable[object]) -> str:
    """Return a message in which what was given on the command line adds no lines of its own."""
    for value in given:
        for one in value if isinstance(value, list | tuple) else (value,):
            text = str(one) if isinstance(one, str | os.PathLike) else ""
            if "\n" in text:
                for part in (text, text.rpartition("/")[2]):
                    message = message.replace(part, printable(part))
    return message


def _system_message(error: OSError | UnicodeError | RecursionError | MemoryError) -> str:
    """Word what the system refused, where no reader or writer had a message of its own."""
    more = "CONCORD_DEBUG=1 shows where"
    if isinstance(error, MemoryError):
        return f"the memory of this machine does not suffice; give less data at once ({more})"
    if isinstance(error, RecursionError):
        return f"something in the input is nested too deeply ({more})"
    if isinstance(error, UnicodeError):
        return f"text that is not UTF-8 ({error.reason if hasattr(error, 'reason') else error}; {more})"
    from concord.errors import quoted_path

    named = "" if error.filename is None else f"{quoted_path(error.filename)}: "
    return f"{named}{error.strerror or error}; check the path and its permissions ({more})"


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document to stdout; NaN and infinity are refused, they are not JSON."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    if not can_encode(text, sys.stdout):  # escaped, so that a program reads the same names
        text = json.dumps(document, ensure_ascii=True, indent=2, allow_nan=False)
    _write(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text), sys.stdout)


def say(text: str) -> None:
    """Print lines of a result to stdout; what came from a file cannot steer the terminal."""
    _write(wrapped(printable_lines(text), sys.stdout), sys.stdout)


def note(text: str) -> None:
    """Say something that is not the result: stderr, so that pipes stay clean."""
    from concord.errors import cut

    _write(_coloured(wrapped(printable_lines(cut(text)), sys.stderr), sys.stderr), sys.stderr)


_COLOURS = {"concord: ": "1;31", "warning: ": "33", "wrote ": "2", "details: ": "2"}
"""How a line on a terminal looks by what it begins with; the words say the same without."""


def _coloured(text: str, stream: TextIO) -> str:
    """Return a line in its colour where the stream is a terminal that has some and nobody refused it."""
    plain = not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") in (None, "", "dumb")
    found = next((start for start in _COLOURS if text.startswith(start)), None)
    if plain or found is None:
        return text
    code = f"\x1b[{_COLOURS[found]}m"
    whole = _COLOURS[found] == "2"  # what is only told in passing is pale throughout
    return f"{code}{text}\x1b[0m" if whole else f"{code}{found.rstrip()}\x1b[0m {text[len(found) :]}"


def _write(text: str, stream: TextIO) -> None:
    """Write a line in the encoding that the stream has; Typer's own way takes ASCII for a mistake."""
    stream.write(text + "\n")
    stream.flush()


def wrapped(text: str, stream: TextIO) -> str:
    """Return a text broken at words where it goes to a terminal; in a pipe it keeps its lines."""
    import shutil
    import textwrap

    if not stream.isatty():
        return text
    width = shutil.get_terminal_size((80, 24)).columns - 1
    broken = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        parts = textwrap.wrap(
            line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
        broken.extend(parts if parts else [line])
    return "\n".join(broken)


def show(renderable: Any) -> None:
    """Print a table to stdout: the terminal's width there, a fixed one in a pipe."""
    from concord.show.terminal import fitting, screen

    screen().print(fitting(renderable))


def warn(warnings: Sequence[str], *, most: int | None = None, where: object = "") -> None:
    """Say what a reader is warned of; of more than `most` the rest is counted, and where it lies is named."""
    told = one_cause_once(warnings)
    shown = told if most is None else told[:most]
    for text in shown:
        note(f"warning: {text}")
    if len(told) > len(shown):
        note(f"warning: and {len(told) - len(shown)} more, in {where}")


_PLACE = re.compile(r"\brow \d+|'[^']*'|\b\d[\d,.]*\b")
"""What differs between warnings of one cause: rows, values, numbers."""
_CAUSE = re.compile(r"no readable answer")
"""A cause that is worded with the names of what it hit."""


def one_cause_once(warnings: Sequence[str]) -> list[str]:
    """Return warnings, those that differ only in rows and values as one with how many there are.

    Examples
    --------
    >>> one_cause_once(["t.csv, row 3: no n", "t.csv, row 9: no n", "t.csv, row 12: no n", "other"])
    ['t.csv, row 3: no n (and 2 more like it: row 9, row 12)', 'other']
    """
    causes: dict[str, list[str]] = {}
    for text in warnings:
        named = _CAUSE.search(text)
        causes.setdefault(_PLACE.sub("…", text) if named is None else named[0], []).append(text)
    told = []
    for some in causes.values():
        if len(some) < _LIKE:
            told += some
            continue
        rows = [found[0] for text in some[1:] if (found := re.search(r"\brow \d+", text))]
        where = f": {', '.join(rows[:_LIKE])}{', …' if len(rows) > _LIKE else ''}" if rows else ""
        told.append(f"{some[0]} (and {len(some) - 1} more like it{where})")
    return told


def print_or_show(result: Any, *, as_json: bool, full: bool = True) -> None:
    """Print a result: as one JSON document, or for a reader."""
    if as_json:
        print_json(result.to_dict())
    else:
        show_result(result, full=full)


def write_and_show(result: Any, out: Path, *, as_json: bool, full: bool = True) -> None:
    """Write the files of a result into a folder, print it, and name them."""
    paths = result.write(out)
    print_or_show(result, as_json=as_json, full=full)
    note(f"wrote {', '.join(path.name for path in paths)} to {paths[0].parent}")


def show_result(result: Any, *, full: bool = True) -> None:
    """Print a result: the answer first, then its headline, or every table where all is asked for."""
    from concord.show.declared import answer_of, headline_of, report_of
    from concord.show.terminal import lines

    answer, headline = answer_of(result), headline_of(result)
    if answer is not None:
        show(answer)
        show(lines([""]))
    show(report_of(result) if full or headline is None else headline)
    if not full and headline is not None:
        note("details: --full")

"""Options that several commands have, declared once: the same name, meaning and help everywhere."""

import copy
import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

import typer

from concord.cli.shared import note

if TYPE_CHECKING:
    from concord.engine import Engine
    from concord.reading.second import ModelReader


def rare(*names: str, **settings: Any) -> Any:
    """Declare an option that `--help-all` shows and `--help` does not."""
    return typer.Option(*names, hidden=True, **settings)


_ENGINE, _SCHEDULER = "CONCORD_ENGINE", "CONCORD_SCHEDULER"
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of the table.")]
JsonText = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
JsonAlone = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook (default: the first).")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of text files (UTF-8).")]
DecimalComma = Annotated[bool, typer.Option("--decimal-comma", help="0,85 is a number.")]
Missing = Annotated[str | None, typer.Option(help="Codes for no answer, such as 99,-1,refused.")]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Refuse a table with a cell that cannot be read; else it is left out."),
]
Map = Annotated[
    list[str] | None,
    typer.Option("--map", help="What a column holds: 'title=column', '-' if nothing; or a mapping file."),
]
MapOnly = Annotated[bool, typer.Option("--map-only", help="Use no column that --map does not name.")]
_TABLE: dict[str, tuple[Any, object]] = {
    "sheet": (Sheet, None),
    "encoding": (Encoding, None),
    "decimal_comma": (DecimalComma, False),
    "missing": (Missing, None),
    "strict": (Strict, False),
    "mapping": (Map, None),
    "map_only": (MapOnly, False),
}
TableHow = Mapping[str, Any]
"""How tables are read, as the options say: keywords of `concord.files.tables.TableChoices`."""
USUAL: TableHow = MappingProxyType({})


def read_mapping(given: Sequence[str] | None) -> dict[str, str]:
    """Read mappings: ``title=column``, or the path of a file with one of them a line."""
    from concord.errors import OptionError

    found: dict[str, str] = {}
    for one in () if given is None else given:
        path = Path(one)
        if "=" not in one or path.is_file():
            if not path.is_file():
                raise OptionError(f"--map {one!r}: expected 'title=column' or a mapping file")
            found.update(_read_map(path))
        else:
            title, _, column = one.rpartition("=")
            found[title.strip()] = column.strip()
    return found


def _read_map(path: Path) -> dict[str, str]:
    from concord.errors import OptionError
    from concord.files.contents import read_bytes
    from concord.files.text import decode

    found = {}
    for number, line in enumerate(decode(path.name, read_bytes(path), None).splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        title, sign, column = text.rpartition(" = ")
        if not sign:
            raise OptionError(f"{path.name}, line {number}: got {text!r}, expected 'title = column'")
        found[title.strip()] = column.partition("#")[0].strip()
    return found


def reads_tables(
    command: Callable[..., None], *, mapped: bool = True, hidden: Sequence[str] = ()
) -> Callable[..., None]:
    """Add every option by which tables are read to a command, in place of its parameter ``how``."""
    own = inspect.signature(command)
    known = [name for name in _TABLE if mapped or not name.startswith("map")]
    options = [
        own.parameters["how"].replace(name=name, default=usual, annotation=_rarely(kind, name in hidden))
        for name, (kind, usual) in _TABLE.items()
        if name in known
    ]
    parts = [new for one in own.parameters.values() for new in (options if one.name == "how" else [one])]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        if mapped:
            given["mapping"] = read_mapping(given["mapping"])
        command(how={name: given.pop(name) for name in known}, **given)

    run.__signature__ = own.replace(parameters=parts)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parts}
    return run


def _rarely(option: Any, hidden: bool) -> Any:
    """Return an option as it is, or as one that `--help-all` shows and `--help` does not."""
    kind, shown = get_args(option)
    one = copy.copy(shown)
    one.hidden = hidden
    return Annotated[kind, one]


Level = Annotated[float, typer.Option(help="Nominal coverage of intervals.")]
EngineName = Annotated[str, rare(help="serial, processes or dask.", envvar=_ENGINE, show_envvar=True)]
Scheduler = Annotated[
    str | None,
    rare(
        help="Address of the Dask scheduler, tcp://HOST:PORT.",
        envvar=_SCHEDULER,
        show_envvar=True,
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Show every table, not the headline alone.")]
ProtocolName = Annotated[
    str,
    typer.Option(
        help="standard, refined, published, or a file (YAML, JSON) with choices such as states: 2.",
        metavar="NAME|FILE",
    ),
]
Margin = Annotated[float, typer.Option(help="Smallest d of interest, for equivalence.")]
NewSamples = Annotated[int, typer.Option(help="New samples behind the second interval; 0: none.")]
Simulations = Annotated[int, typer.Option(help="Simulated agents behind floor and ceiling; 0: none.")]
Seed = Annotated[int, typer.Option(help="Seed of the new samples and simulated agents.")]


def engine_of(name: str, scheduler: str | None) -> "Engine":
    """Return the engine that options or the environment name; a scheduler of the latter is for dask alone."""
    from concord.engine import get_engine

    if name != "dask" and scheduler is not None and scheduler == os.environ.get(_SCHEDULER):
        scheduler = None
    return get_engine(name, scheduler=scheduler)


T = TypeVar("T")
Reader = Annotated[
    str | None,
    typer.Option(
        help="Let a model read what the rules cannot: judge:MODEL; a sample to audit is written.",
        metavar="judge:MODEL",
    ),
]
ReaderAll = Annotated[bool, rare("--reader-all", help="With --reader: let the model read every reply.")]
_SAMPLE = 50
"""Replies on the page of the audit."""


def scored_with(
    score: Callable[[], T], reader: str | None, everything: bool, out: Path
) -> tuple[T, "ModelReader | None"]:
    """Score, with a model as second reader where one is named; its calls are kept below the results."""
    if reader is None:
        return score(), None
    from concord.asking.reader import SUITE, read_with
    from concord.asking.runs import run_job

    return read_with(score, reader, out / SUITE, ask=run_job, everything=everything)


def tell_of_reader(found: "ModelReader | None", folder: Path, replies: Sequence[Path]) -> None:
    """Say and keep what a model as reader did, and write the page on which it is audited."""
    if found is None:
        return
    from concord.audit.items import open_folder, sampled, write_page
    from concord.reading.second import write_reader

    opened = open_folder(folder)
    write_reader(opened.place, found)
    for line in found.lines():
        note(line)
    page = opened.place / "audit" / f"{opened.kind.question}.html"
    drawn = opened.with_replies(sampled(opened.items, _SAMPLE, 0), replies)
    write_page(page, opened.model, opened.kind, drawn)
    note(
        f"audit this reader before its numbers are used: open {page}, save the verdicts, then concord audit "
        f"{opened.place} --verdicts verdicts.json"
    )

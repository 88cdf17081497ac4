"""Commands that are loaded when they are used: before, a group knows their names and a line about each."""

import re
from collections import UserDict
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from concord.cli.shared import guarded

HELP = {"help_option_names": ["-h", "--help"]}


_TYPES = {"str": "text", "int": "integer", "float": "number", "Path": "path"}
_TYPE = re.compile(r"<(?:list\[)?(\w+)\]?>")


def plain_types(text: str) -> str:
    """Name the types of a line of help by plain words."""
    return _TYPE.sub(lambda found: f"<{_TYPES.get(found[1], found[1])}>", text)


_ALL = "concord.help_all"
"""Where a context says that its help is to show every option."""


def help_all(context: Any) -> str:
    """Return the help of a command with those options that `--help` leaves out."""
    context.meta[_ALL] = True
    try:
        return str(context.get_help())
    finally:
        del context.meta[_ALL]


def _help_all_option(rare: int) -> Any:
    """Return the option that shows rare options too, as Typer makes it."""

    def show(context: typer.Context, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            typer.echo(help_all(context))
            raise typer.Exit

    words = f"Show {rare} more option{'' if rare == 1 else 's'} and exit."
    alone = typer.Typer(add_completion=False)

    @alone.command()
    def command(
        help_all: Annotated[
            bool, typer.Option("--help-all", is_eager=True, callback=show, help=words)
        ] = False,
    ) -> None:
        pass

    option = typer.main.get_command(alone).params[0]
    option.expose_value = False
    return option


class PlainCommand(TyperCommand):
    """A command whose help has plain words for what an option takes, rare options only with `--help-all`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, each with what it takes and what it does."""
        records: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
        one: Any
        for one in self.get_params(ctx):
            if _is_hidden(one) and _ALL in ctx.meta:
                one = copy(one)
                one.hidden = False
            found = one.get_help_record(ctx)
            if found is not None:
                records[one.param_type_name].append((plain_types(found[0]), found[1]))
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            if records[kind]:
                with formatter.section(title):
                    formatter.write_dl(records[kind])


def _is_hidden(one: Any) -> bool:
    return bool(getattr(one, "hidden", False))


@dataclass(frozen=True)
class Late:
    """A command that is not loaded yet: ``module.function`` of this package, and its help's first line."""

    place: str
    summary: str

    def load(self, name: str) -> Any:
        """Return the command, with its options and its whole help."""
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        module, _, function = self.place.partition(".")
        found = getattr(import_module(f"{__package__}.{module}"), function)
        alone.command(name, cls=PlainCommand, context_settings=HELP)(guarded(found))
        command = typer.main.get_command(alone)
        if rare := sum(map(_is_hidden, command.params)):
            command.params.append(_help_all_option(rare))
        return command


class LateCommands(UserDict[str, Any]):
    """Commands by name; one that was not loaded is loaded where somebody takes it."""

    def __getitem__(self, name: str) -> Any:
        if isinstance(held := self.data[name], Late):
            self.data[name] = held = held.load(name)
        return held

    def summary(self, name: str) -> str:
        """Return the line about a command, without loading it."""
        held = self.data[name]
        return held.summary if isinstance(held, Late) else first_line(held)


class LateGroup(TyperGroup):
    """A group whose own help loads none of its commands; subclasses name these commands."""

    late: dict[str, Late] = {}
    sections: dict[str, tuple[str, ...]] = {}
    """Headings of the help, each with its commands; none: one heading for all."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        found = {**self.late, **self.commands}
        self.sections = self.sections or {"Commands": tuple(found)}
        order = [name for names in self.sections.values() for name in names]
        self.summaries = LateCommands({name: found[name] for name in order})
        self.commands = self.summaries

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, in the order they are given here."""
        return list(self.summaries)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one line about each command, under its heading."""
        width = max(map(len, self.summaries))
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", self.summaries.summary(name)) for name in names])


def first_line(command: Any) -> str:
    """Return the first line of a command's help."""
    return str(command.help or "").partition("\n")[0]

"""Every command's help, rare options included, for the command line reference of the documentation site.

The text is that of the live command, at a fixed width and without colour or frames, so that it does not
depend on the terminal it was made in.
"""

from collections.abc import Iterator
from typing import Any

import typer

from concord.cli.app import help_all

WIDTH = 86
"""Columns that the code boxes of the site hold."""


def help_texts() -> Iterator[tuple[str, str]]:
    """Return every command with its help, groups before their members."""
    from concord.cli.app import app

    yield from _walk(typer.main.get_command(app), "concord", None)


def _walk(command: Any, name: str, parent: Any) -> Iterator[tuple[str, str]]:
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield context.command_path, help_all(context).strip()
    for member, subcommand in getattr(command, "commands", {}).items():
        yield from _walk(subcommand, member, context)


def section() -> str:
    """Return the generated part of the page."""
    parts = [f"## `{path}`\n\n```text\n{text}\n```\n" for path, text in help_texts()]
    return "\n".join(parts)

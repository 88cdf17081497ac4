"""Help texts: what is written is what is shown."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from rich.text import Text

from concord.cli.app import app


def _texts(command: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every help text of a command and of those below it."""
    yield path, command.help or ""
    for option in command.params:
        yield f"{path} {option.name}", getattr(option, "help", None) or ""
    for name, inner in getattr(command, "commands", {}).items():
        yield from _texts(inner, f"{path} {name}")


@pytest.mark.parametrize(("where", "text"), list(_texts(typer.main.get_command(app), "concord")))
def test_no_part_of_a_help_text_is_taken_for_markup(where: str, text: str) -> None:
    assert Text.from_markup(text).plain == text

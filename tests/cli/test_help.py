"""Help texts: what is written is what is shown, and a group knows its commands without loading them."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from concord.cli.app import LateGroup, app, first_line, help_all
from concord.cli.options import engine_of
from concord.engine import Engine
from concord.errors import OptionError
from concord.version import __version__

COMMAND: Any = typer.main.get_command(app)


def _commands(command: Any, path: str = "concord", parent: Any = None) -> Iterator[tuple[str, Any, Any]]:
    """Every command and those below it: its path, itself, and the context that its help is made in."""
    context = command.context_class(command, info_name=path.rpartition(" ")[2], parent=parent)
    yield path, command, context
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, f"{path} {name}", context)


EVERY = [pytest.param(*one, id=one[0]) for one in _commands(COMMAND)]


def _words(text: str) -> str:
    return "".join(text.split())  # a long word may be broken at a hyphen


@pytest.mark.parametrize(("path", "command", "context"), EVERY)
def test_help_shows_every_text_as_it_is_written(path: str, command: Any, context: Any) -> None:
    shown = _words(help_all(context))
    texts = [command.help or "", *(getattr(option, "help", None) or "" for option in command.params)]
    assert [text for text in texts if _words(text) not in shown] == []


@pytest.mark.parametrize(
    ("path", "group", "context"), [one for one in EVERY if isinstance(one.values[1], LateGroup)]
)
def test_a_group_tells_of_a_command_what_its_help_begins_with(path: str, group: Any, context: Any) -> None:
    assert group.late
    for name, late in group.late.items():
        assert late.summary == first_line(late.load(name))
        assert _words(name + late.summary) in _words(group.get_help(context))


@pytest.mark.parametrize(("path", "command", "context"), EVERY)
def test_rare_options_are_kept_for_help_all(path: str, command: Any, context: Any) -> None:
    rare = [one for one in command.params if getattr(one, "hidden", False)]
    for option in rare:
        assert f"{option.opts[0]} " not in command.get_help(context)
        assert option.opts[0] in help_all(context)
    assert ("--help-all" in command.get_help(context)) == bool(rare)


@pytest.mark.parametrize(("path", "command", "context"), EVERY)
def test_help_shows_twenty_options_at_most(path: str, command: Any, context: Any) -> None:
    shown = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    assert len(shown) + 1 <= 20  # and --help itself


def test_commands_are_grouped_by_what_they_are_for() -> None:
    shown = CliRunner().invoke(app, ["--help"]).stdout
    places = [shown.index(f"{title}:\n") for title in ("Start", "Score", "Ask", "Look", "Plan")]
    assert places == sorted(places)
    assert sorted(name for names in COMMAND.sections.values() for name in names) == sorted(COMMAND.commands)


def test_the_engine_may_be_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCORD_SCHEDULER", "tcp://127.0.0.1:1")
    assert engine_of("serial", "tcp://127.0.0.1:1") == Engine("serial")
    assert engine_of("dask", "tcp://127.0.0.1:1") == Engine("dask", None, "tcp://127.0.0.1:1")
    with pytest.raises(OptionError, match="a scheduler was given, but the engine is 'serial'"):
        engine_of("serial", "tcp://127.0.0.1:2")
    monkeypatch.setenv("CONCORD_ENGINE", "nowhere")
    told = CliRunner().invoke(app, ["score", "answers", "twin-2k-500-moments"])
    assert "engine is 'nowhere'" in told.stderr


def test_help_all_is_an_option() -> None:
    shown = CliRunner().invoke(app, ["plan", "items", "--help-all"])
    assert shown.exit_code == 0 and "--cluster-cv" in shown.stdout


def test_a_command_is_loaded_once() -> None:
    assert COMMAND.commands["check"] is COMMAND.commands["check"]
    assert COMMAND.commands["check"].name == "check"


@pytest.mark.parametrize(("path", "command", "context"), EVERY)
def test_help_names_what_an_option_takes_in_plain_words(path: str, command: Any, context: Any) -> None:
    shown = help_all(context)
    assert [
        word for word in ("list[", "<str>", "<int>", "<float>", "<bool>", "{DIR...}") if word in shown
    ] == []


def test_the_package_is_a_command_too() -> None:
    asked = [sys.executable, "-m", "concord", "--version"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["concord", __version__]

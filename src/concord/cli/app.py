"""The `concord` command: subcommands are named here and loaded where they are used."""

import re
import sys
from collections import UserDict
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from concord.cli.shared import guarded, use_plainer_characters
from concord.version import __version__

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


class Commands(LateGroup):
    """What `concord` itself offers."""

    late = {
        "demo": Late(
            "demo.demo",
            "Answer the three questions on public results of real agents; --live asks the embedded model.",
        ),
        "template": Late(
            "check.template",
            "Write an empty workbook to fill in: columns, drop-downs, examples and notes.",
        ),
        "check": Late(
            "check.check",
            "Is this file well formed, and are its reported statistics consistent? Exit 1 if not.",
        ),
        "combine": Late(
            "score.combine",
            "Combine people's answers with a model's predictions: what the model is worth in participants.",
        ),
        "audit": Late(
            "audit.audit",
            "Check by hand how replies were read: error rates by how and by group, and corrected numbers.",
        ),
        "studies": Late(
            "studies.studies",
            "List the studies whose participants a model can replace; named ones with their sources.",
        ),
        "compare": Late(
            "compare.compare",
            "Is the difference real? Compare models on the same items, studies or arrangements.",
        ),
        "report": Late(
            "report.report",
            "Make one self-contained HTML page of results: no network, opens from the file system.",
        ),
        "figures": Late(
            "report.figures",
            "Write the figures of a paper or a talk, with captions and numbers; --all: every one.",
        ),
        "write-up": Late(
            "report.write_up",
            "Write what a paper needs: numbered figures, tables, methods and results, references.",
        ),
        "cite": Late(
            "report.cite",
            "Print what to cite as BibTeX: Concord, and with results their methods and studies.",
        ),
        "register": Late(
            "proof.register",
            "Lock what will be asked, computed and claimed, with the hash of every input, before any reply.",
        ),
        "pack": Late(
            "proof.pack",
            "Pack results with data, replies, registration, claims and a disclosure form.",
        ),
        "verify": Late(
            "proof.verify",
            "Compute every number of a pack again; exit 1 where it differs, 3 if not all can be checked.",
        ),
        "view": Late(
            "report.view",
            "Look at runs while they are asked, at results and replies, in the browser; this machine only.",
        ),
    }
    sections = {
        "Start": ("demo", "template", "check"),
        "Score": ("score", "combine", "audit"),
        "Ask": ("studies", "run", "export"),
        "Look": ("compare", "report", "figures", "write-up", "cite", "view"),
        "Plan": ("plan",),
        "Prove": ("register", "pack", "verify"),
    }


class ScoreCommands(LateGroup):
    """What `concord score` offers."""

    late = {
        "people": Late(
            "score_people.score_people",
            "Score a table of tests: PAS, ECS and APR with their uncertainty.",
        ),
        "answers": Late(
            "score.score_answers",
            "Score answers as distributions: whether they vary, spread and differ as people's.",
        ),
        "structure": Late(
            "score.score_structure",
            "Score from recorded scores whether the arrangement matters: order effect, flips, S_Cons.",
        ),
        "reasoning": Late(
            "score.score_reasoning",
            "Score recorded replies: whether reasoning works, decorates, or hides what drove the answer.",
        ),
        "hints": Late(
            "score.score_hints", "Score how often hints move answers, and how often a model says so."
        ),
        "probes": Late(
            "score.score_probes",
            "Score answers to interventions on reasoning: early, filler, mistake, paraphrase, pairs.",
        ),
        "judge": Late(
            "score.score_judge",
            "Score judges: verdicts on pairs (seats, repeats, ties, length), or scores of single answers.",
        ),
        "options": Late(
            "score.score_options",
            "Score recorded answers to questions with options: consistency, places, selection bias.",
        ),
        "run": Late(
            "score_people.score_run",
            "Score the replies of a run, of an Inspect log or to studies, without asking any model.",
        ),
    }


class RunCommands(LateGroup):
    """What `concord run` offers."""

    late = {
        "people": Late(
            "run.people",
            "Let a model answer in place of the participants of studies; then score the replies.",
        ),
        "structure": Late(
            "run.structure",
            "Ask the same items under every arrangement; then score how far the answers move.",
        ),
        "reasoning": Late(
            "run.reasoning",
            "Ask each vignette with and without reasoning, and each bias case; then score the replies.",
        ),
        "judge": Late(
            "run.judge",
            "Let a model judge pairs of answers in both orders, several times; then score the verdicts.",
        ),
    }


class PlanCommands(LateGroup):
    """What `concord plan` offers."""

    late = {
        "items": Late(
            "plan.items", "Plan a comparison of two models: items, power, smallest difference, cost."
        ),
        "structure": Late(
            "plan.structure",
            "Plan for an order effect: the cheapest items, arrangements and repeats that show it.",
        ),
        "participants": Late(
            "plan.participants",
            "Plan participants that find an effect, and studies that distinguish two models.",
        ),
        "mixed": Late(
            "plan.mixed", "Plan people and replies of a model together: the cheapest for a standard error."
        ),
        "study": Late(
            "plan.study",
            "Plan a study of your own: n per cell for each test, interactions too, with cost.",
        ),
        "judges": Late(
            "plan.judges",
            "Plan pairs and votes that show a judge's preference for a seat; of scores, the labels.",
        ),
        "options": Late(
            "plan.options", "Plan questions and repeats that show a preference for a place, or flips."
        ),
    }


class ExportCommands(LateGroup):
    """What `concord export` offers."""

    late = {
        "inspect": Late("report.inspect", "Write the replies of a run as Inspect logs, for Inspect's viewer.")
    }


GROUPS: dict[str, tuple[type[LateGroup], str]] = {
    "score": (ScoreCommands, "Score recorded data, without calling any model."),
    "run": (RunCommands, "Ask a model one of the three questions, and keep every reply."),
    "export": (ExportCommands, "Write what Concord keeps in another program's form."),
    "plan": (
        PlanCommands,
        "How many items, what could they find, what would it cost? Before any run, or after a pilot.",
    ),
}
"""Commands with subcommands."""
# No frames and no markup: help that starts at once, and the same text in a pipe as on a screen.
PLAIN: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None, "context_settings": HELP}

app = typer.Typer(
    name="concord",
    cls=Commands,
    help="Does a language model agree with people, with itself, with its own reasoning?",
    add_completion=True,
    pretty_exceptions_enable=False,
    **PLAIN,
)
for _name, (_group, _words) in GROUPS.items():
    app.add_typer(typer.Typer(cls=_group, help=_words, **PLAIN), name=_name)


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
    use_plainer_characters()
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("concord: interrupted", err=True)
        sys.exit(130)

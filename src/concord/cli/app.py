"""The `concord` command: subcommands are named here and loaded where they are used."""

import sys
from typing import Annotated, Any

import typer

from concord.cli.late import HELP, Late, LateGroup
from concord.version import __version__


class Commands(LateGroup):
    """What `concord` itself offers."""

    late = {
        "demo": Late(
            "concord.cli.demo",
            "demo",
            "Answer the three questions on public results of real agents; --live asks the embedded model.",
        ),
        "check": Late(
            "concord.cli.check",
            "check",
            "Is this file well formed, and are its reported statistics consistent? Exit 1 if not.",
        ),
        "report": Late(
            "concord.cli.report",
            "report",
            "Make one self-contained HTML page of results: no network, opens from the file system.",
        ),
        "figures": Late(
            "concord.cli.figures",
            "figures",
            "Write every figure of results for a paper or a talk, with captions and the numbers behind them.",
        ),
        "cite": Late(
            "concord.cli.figures",
            "cite",
            "Print what to cite as BibTeX: Concord, and with results their methods and studies.",
        ),
        "compare": Late(
            "concord.cli.compare",
            "compare",
            "Is the difference real? Compare models on the same items, studies or arrangements.",
        ),
        "combine": Late(
            "concord.cli.combine",
            "combine",
            "Combine people's answers with a model's predictions: what the model is worth in participants.",
        ),
        "template": Late(
            "concord.cli.template",
            "template",
            "Write an empty workbook to fill in: columns, drop-downs, examples and notes.",
        ),
        "view": Late(
            "concord.cli.view",
            "view",
            "Look at runs while they are asked, at results and replies, in the browser; this machine only.",
        ),
        "studies": Late(
            "concord.cli.studies",
            "studies",
            "List the studies whose participants a model can replace; named ones with their sources.",
        ),
    }


class ScoreCommands(LateGroup):
    """What `concord score` offers."""

    late = {
        "people": Late(
            "concord.cli.score_people",
            "score_people",
            "Score a table of tests, or recorded replies to studies: "
            "PAS, ECS and APR with their uncertainty.",
        ),
        "answers": Late(
            "concord.cli.score_answers",
            "score_answers",
            "Score answers as distributions: whether they vary, spread and differ as people's.",
        ),
        "structure": Late(
            "concord.cli.score_structure",
            "score_structure",
            "Score from recorded scores whether the arrangement matters: order effect, flips, S_Cons.",
        ),
        "reasoning": Late(
            "concord.cli.score_reasoning",
            "score_reasoning",
            "Score recorded replies: whether reasoning works, decorates, or hides what drove the answer.",
        ),
        "hints": Late(
            "concord.cli.score_hints",
            "score_hints",
            "Score how often hints move answers, and how often a model says so.",
        ),
        "probes": Late(
            "concord.cli.score_hints",
            "score_probes",
            "Score answers to interventions on reasoning: early, filler, mistake, paraphrase, pairs.",
        ),
        "judge": Late(
            "concord.cli.score_judge",
            "score_judge",
            "Score recorded verdicts of judges: seats, repeats, ties, length, agreement with people.",
        ),
        "options": Late(
            "concord.cli.score_options",
            "score_options",
            "Score recorded answers to questions with options: consistency, places, selection bias.",
        ),
        "run": Late(
            "concord.cli.score_run",
            "score_run",
            "Score the replies of a run or of an Inspect log, without asking any model.",
        ),
    }


class RunCommands(LateGroup):
    """What `concord run` offers."""

    late = {
        "people": Late(
            "concord.cli.run",
            "people",
            "Let a model answer in place of the participants of studies; then score the replies.",
        ),
        "structure": Late(
            "concord.cli.run",
            "structure",
            "Ask the same items under every arrangement; then score how far the answers move.",
        ),
        "reasoning": Late(
            "concord.cli.run",
            "reasoning",
            "Ask each vignette with and without reasoning, and each bias case; then score the replies.",
        ),
        "judge": Late(
            "concord.cli.run",
            "judge",
            "Let a model judge pairs of answers in both orders, several times; then score the verdicts.",
        ),
    }


class PlanCommands(LateGroup):
    """What `concord plan` offers."""

    late = {
        "items": Late(
            "concord.cli.plan",
            "items",
            "Plan a comparison of two models: items, power, smallest difference, cost.",
        ),
        "structure": Late(
            "concord.cli.plan",
            "structure",
            "Plan for an order effect: the cheapest items, arrangements and repeats that show it.",
        ),
        "participants": Late(
            "concord.cli.plan",
            "participants",
            "Plan participants that find an effect, and studies that distinguish two models.",
        ),
        "mixed": Late(
            "concord.cli.plan",
            "mixed",
            "Plan people and replies of a model together: the cheapest for a standard error.",
        ),
        "judges": Late(
            "concord.cli.plan",
            "judges",
            "Plan pairs of answers and votes that show a judge's preference for a seat.",
        ),
        "options": Late(
            "concord.cli.plan",
            "options",
            "Plan questions and repeats that show a preference for a place, or flips.",
        ),
    }


class AuditCommands(LateGroup):
    """What `concord audit` offers."""

    late = {
        "reasoning": Late(
            "concord.cli.audit",
            "reasoning",
            "Check by hand how answers were read: error rate by mode, and the gap corrected by it.",
        ),
        "people": Late(
            "concord.cli.audit",
            "people",
            "Check by hand how participants' answers were read: error rate by condition.",
        ),
        "hints": Late(
            "concord.cli.audit",
            "hints",
            "Check by hand how verbalised hints were detected: error rate by detector and place.",
        ),
    }


class ExportCommands(LateGroup):
    """What `concord export` offers."""

    late = {
        "inspect": Late(
            "concord.cli.export",
            "inspect",
            "Write the replies of a run as Inspect logs, for Inspect's viewer.",
        )
    }


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
app.add_typer(
    typer.Typer(cls=ScoreCommands, help="Score recorded data, without calling any model.", **PLAIN),
    name="score",
)
app.add_typer(
    typer.Typer(
        cls=RunCommands, help="Ask a model one of the three questions, and keep every reply.", **PLAIN
    ),
    name="run",
)
app.add_typer(
    typer.Typer(cls=ExportCommands, help="Write what Concord keeps in another program's form.", **PLAIN),
    name="export",
)
app.add_typer(
    typer.Typer(cls=AuditCommands, help="Check by hand how the replies of a run were read.", **PLAIN),
    name="audit",
)
app.add_typer(
    typer.Typer(
        cls=PlanCommands,
        help="How many items, what could they find, what would it cost? Before any run, or after a pilot.",
        **PLAIN,
    ),
    name="plan",
)


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

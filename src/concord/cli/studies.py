"""`concord studies`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from warnings import catch_warnings, simplefilter

import typer

from concord.cli.options import JsonText
from concord.cli.shared import note, print_json, say, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

ROOMY = 110
"""Columns of a screen from which on every fact of a study fits beside its name."""


def studies(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Studies to show: names, or paths of study files; or draft PAPER: a study file from a "
            "paper (.pdf, .docx, .txt)."
        ),
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="A folder with studies of your own.")] = None,
    json: JsonText = False,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Print what the first participant of each cell reads.")
    ] = False,
    design: Annotated[str, typer.Option(help="Agent design of the prompts.")] = "participant",
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of study files.")] = False,
    out: Annotated[Path | None, typer.Option(help="With draft: the study file to write.")] = None,
) -> None:
    """List the studies whose participants a model can replace; named ones with their sources."""
    from concord.people import studies as found

    if schema:
        print_json(found.json_schema())
        return
    if names and names[0] == "draft":
        _draft(names[1:], out, as_json=json)
        return
    listed = list(found.find_studies([] if names is None else names, folder=folder))
    if prompts:
        shown = {found.summary(one)["study"]: found.prompts(one, design=design) for one in listed}
        if json:
            print_json({"prompts": shown})
        else:
            say("\n".join(shown.values()))
        return
    if not names and folder is None:
        with catch_warnings(record=True) as told:
            simplefilter("always")
            listed += found.installed_studies().values()
        for one in told:
            note(f"warning: {one.message}")
    rows = [found.summary(one) for one in listed]
    if json:
        sides = [found.human_sides(one) for one in listed]
        print_json({"studies": [{**row, "human_sides": side} for row, side in zip(rows, sides, strict=True)]})
        return
    if names:
        say("\n\n".join(found.describe(one) for one in listed))
        return
    show(_studies_table(rows))
    note("\nconcord studies NAME shows where a study's human numbers are in the paper")
    note("check a study file of your own with: concord check FILE.yaml")


def _draft(papers: "Sequence[str]", out: Path | None, *, as_json: bool) -> None:
    """Draft a study file from a paper, and say what was found in it."""
    from dataclasses import asdict

    from concord.errors import OptionError
    from concord.files.output import write_text
    from concord.people.studies.draft import draft_study

    if len(papers) != 1:
        raise OptionError("draft takes one paper: concord studies draft PAPER.pdf --out draft.yaml")
    drafted = draft_study(papers[0])
    if as_json:
        print_json(asdict(drafted))
    else:
        for line in drafted.sentences():
            say(line)
    target = Path(papers[0]).with_suffix(".yaml").name if out is None else out
    if out is None and Path(target).exists():
        raise OptionError(f"{target} is there already; name another file with --out")
    write_text(Path(target), drafted.yaml())
    note(f"wrote {target}; fill in what it marks, then: concord check {target}")


def _studies_table(rows: "Sequence[Mapping[str, Any]]") -> "RenderableType":
    """Return one row per study; where the screen is narrow, without domain and authors."""
    from concord.show.terminal import screen, table

    columns = {
        "study": "study",
        "domain": "domain",
        "tests": "tests",
        "participants": "participants_in_paper",
        "what it is about": "title",
        "source": "source",
    }
    if screen().width < ROOMY:
        columns = {head: key for head, key in columns.items() if head not in ("domain", "source")}
    shown = [tuple(str(row[key]) for key in columns.values()) for row in rows]
    return table(None, tuple(columns), shown, words=("domain", "what it is about", "source"))

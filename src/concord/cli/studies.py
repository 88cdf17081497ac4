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
    by: Annotated[str, typer.Option(help="Order: study, domain, kind, turns or cost.")] = "study",
    domain: Annotated[str | None, typer.Option(help="Only studies of this domain.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only studies with this kind of test, or: placebo.")
    ] = None,
    json: JsonText = False,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="Print what the first participant of each cell reads.")
    ] = False,
    design: Annotated[str, typer.Option(help="Agent design of the prompts.")] = "participant",
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of study files.")] = False,
    out: Annotated[Path | None, typer.Option(help="With draft: the study file to write.")] = None,
    helper: Annotated[
        str | None,
        typer.Option(help="With draft: a model that proposes words for what you fill in, never numbers."),
    ] = None,
) -> None:
    """List the studies whose participants a model can replace; named ones with their sources."""
    from concord.people import studies as found

    if schema:
        print_json(found.json_schema())
        return
    if names and names[0] == "draft":
        _draft(names[1:], out, helper, as_json=json)
        return
    wanted = found.bundled_names() if not names and folder is None else names
    listed = list(found.find_studies([] if wanted is None else wanted, folder=folder))
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
    rows, listed = _selected_studies(
        [found.summary(one) for one in listed], listed, by=by, domain=domain, kind=kind
    )
    if json:
        sides = [found.human_sides(one) for one in listed]
        print_json({"studies": [{**row, "human_sides": side} for row, side in zip(rows, sides, strict=True)]})
        return
    if names:
        say("\n\n".join(found.describe(one) for one in listed))
        return
    wanted_facts = (
        {by} | ({"kind"} if kind is not None else set()) | ({"domain"} if domain is not None else set())
    )
    show(_studies_table(rows, wanted_facts))
    note("\nconcord studies NAME shows where a study's human numbers are in the paper")
    note("check a study file of your own with: concord check FILE.yaml")


_NAME = 30
"""Letters of a name that is not broken."""
_ORDERS = {"study": (), "domain": ("domain",), "kind": ("kinds",), "turns": ("turns",), "cost": ("tokens",)}
"""What orders a list, and the facts it looks at before the name."""


def _selected_studies(
    rows: "list[dict[str, Any]]", files: "list[Any]", *, by: str, domain: str | None, kind: str | None
) -> "tuple[list[dict[str, Any]], list[Any]]":
    """Return the studies of a domain and a kind, in order."""
    from concord.errors import OptionError

    if by not in _ORDERS:
        raise OptionError(f"--by {by!r} is no order; expected {', '.join(_ORDERS)}")
    held = [
        (row, file)
        for row, file in zip(rows, files, strict=True)
        if (domain is None or row["domain"].casefold() == domain.casefold())
        and (kind is None or kind in row["kinds"] or (kind == "placebo" and row["placebo"] is not None))
    ]
    if rows and not held:
        domains, kinds = {row["domain"] for row in rows}, {one for row in rows for one in row["kinds"]}
        raise OptionError(
            f"no study is of that domain and kind; domains are {', '.join(sorted(domains))}, kinds "
            f"{', '.join(sorted(kinds))}, placebo"
        )
    held.sort(key=lambda pair: tuple(pair[0][fact] for fact in (*_ORDERS[by], "study")))
    return [row for row, _ in held], [file for _, file in held]


def _draft(papers: "Sequence[str]", out: Path | None, helper: str | None, *, as_json: bool) -> None:
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
    words: Mapping[str, str] = {}
    if helper is not None:
        from concord.asking.proposals import propose
        from concord.asking.runs import run_job

        kept = Path(target).with_suffix(".proposals")
        found = propose(drafted, Path(papers[0]), helper, kept, ask=run_job)
        words = found.words
        refused = f"; {found.n_refused} left out (a number, or nothing to fill in)" if found.n_refused else ""
        note(f"{helper} proposed words for {len(words)} places{refused}; its reply is in {kept}")
    write_text(Path(target), drafted.yaml(words))
    note(f"wrote {target}; fill in what it marks, then: concord check {target}")


def _studies_table(rows: "Sequence[Mapping[str, Any]]", wanted: set[str]) -> "RenderableType":
    """Return one row per study; on a narrow screen domain and participants only where they are wanted."""
    from concord.show.terminal import screen, table

    columns = {
        "study": "study",
        "domain": "domain",
        "kind": "kinds",
        "tests": "tests",
        "turns": "turns",
        "participants": "participants_in_paper",
        "tokens": "tokens",
        "what it is about": "title",
    }
    left_out = {"kind"} | ({"domain", "participants"} if screen().width < ROOMY else set())
    left_out |= {"tests"} if "domain" in left_out and wanted & {"domain", "kind"} else set()
    columns = {head: key for head, key in columns.items() if head not in left_out - wanted}
    shown = [tuple(_shown_fact(row[key]) for key in columns.values()) for row in rows]
    made = table(None, tuple(columns), shown, words=("domain", "kind", "what it is about"))
    made.columns[0].no_wrap = all(len(one[0]) <= _NAME for one in shown)  # names are copied
    return made


def _shown_fact(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else f"{value:,}" if isinstance(value, int) else value

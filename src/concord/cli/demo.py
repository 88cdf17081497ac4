"""`concord demo`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note, print_json, show

_INVENTED = (
    "The human side of this table is published (nine classic studies); the agent side is INVENTED,\n"
    "made up to show what the numbers mean. It says nothing about any real model.\n"
)


def demo(
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Use bundled data only; ask no model (the default today).")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("concord-demo"),
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of the table.")
    ] = False,
) -> None:
    """Score bundled data, offline: an invented agent against the people of nine classic studies; a page."""
    from concord import api

    result = api.score_people(api.demo_table())
    files = result.write(out)
    note(_INVENTED)
    for warning in result.warnings:
        note(f"warning: {warning}")
    if json:
        print_json({**result.to_dict(), "agent_side": "invented"})
    else:
        from concord.reports.people_terminal import people_report

        show(people_report(result.scores))
    page = api.report(out, out=out / "report.html", title="Concord demo: an invented agent").path
    note(f"\nwrote {files[0]}, {files[1].name} and the page {page.name}")
    note("score your own table with: concord score people TABLE")
    note(f"open the page in a browser: {page.resolve().as_uri()}")

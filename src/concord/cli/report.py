"""Results as pages, figures and papers: `report`, `figures`, `write-up`, `cite`, `view`, `export`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note, print_json, say, show
from concord.number_words import number

Wanted = Annotated[
    str, typer.Option("--for", help="What figures are for: nature, apa or slides.", metavar="WHAT")
]


def report(
    folders: Annotated[list[Path], typer.Argument(help="Folders that hold results.", metavar="DIR")],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Concord report",
    plots: Annotated[Path | None, typer.Option(help="Folder for the pictures as SVG and PNG files.")] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Folder for figures of a paper, as `concord figures` writes them.")
    ] = None,
    wanted: Wanted = "nature",
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document about what was made.")
    ] = False,
) -> None:
    """Make one self-contained HTML page of results: no network, opens from the file system."""
    from concord import reports

    made = reports.report(folders, out=out, title=title, plots=plots)
    for problem in made.problems:
        note(f"warning: {problem}")
    if made.plots_note:
        note(f"warning: {made.plots_note}")
    if json:
        print_json(made.to_dict())
    else:
        say(str(made.path))
    shown = _counted_results(made.n_results, "result")
    if made.models:  # judges, options and probes name none that the page ranks
        shown += f" of {_counted_results(len(made.models), 'model')}"
    note(f"wrote {made.path} ({shown}, {number(made.size / 1e6, 1)} MB); open it in a browser")
    if plots is not None:
        note(f"wrote {len(made.plots)} pictures to {plots}")
    if figures is not None:
        _write_figures(folders, wanted, figures)


def _counted_results(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def figures(
    folders: Annotated[list[Path], typer.Argument(help="Folders that hold results.", metavar="DIR")],
    wanted: Wanted = "nature",
    out: Annotated[Path, typer.Option(help="Folder for the figures.")] = Path("figures"),
    every: Annotated[
        bool, typer.Option("--all", help="Every figure of the page, not only those of a paper.")
    ] = False,
) -> None:
    """Write the figures of a paper or a talk, with captions and numbers; --all: every one."""
    _write_figures(folders, wanted, out, every=every)


def _write_figures(folders: list[Path], wanted: str, out: Path, *, every: bool = False) -> None:
    """Write figures and say where and how many."""
    from concord import reports

    made = reports.figures(folders, wanted=wanted, out=out, every=every)
    say(str(made.folder))
    if made.note:
        note(f"warning: {made.note}")
    note(f"wrote {made.n_pictures} figures, {len(made.files)} files with captions.txt, to {made.folder}")


def write_up(
    folders: Annotated[list[Path], typer.Argument(help="Folders that hold results.", metavar="DIR")],
    out: Annotated[Path, typer.Option(help="Folder to write.")] = Path("paper"),
    wanted: Wanted = "nature",
) -> None:
    """Write what a paper needs: numbered figures, tables, methods and results, references."""
    from concord import reports
    from concord.show.terminal import table

    made = reports.write_up(folders, out, wanted=wanted)
    rows = [(str(i), f"{one.millimetres:g} mm", one.shows) for i, one in enumerate(made.figures, 1)]
    show(table(None, ("figure", "width", "shows"), rows, words={"width", "shows"}))
    found = len(made.numbers) - len(made.untraced)
    say(f"\n{found} of {len(made.numbers)} numbers of methods.md and results.md are found in the results.")
    if made.note:
        note(f"warning: {made.note}")
    note(f"wrote {len(made.files)} files to {made.folder}; README.md says what each holds")


def cite(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders that hold results: their methods and studies, too.", metavar="DIR"),
    ] = None,
) -> None:
    """Print what to cite as BibTeX: Concord, and with results their methods and studies."""
    from concord import reports

    say(reports.cite(folders if folders else []))


def inspect(
    run: Annotated[Path, typer.Argument(help="Folder that `concord run` wrote.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the logs (default: RUN/logs).")] = None,
) -> None:
    """Write the replies of a run as Inspect logs, for Inspect's viewer."""
    from concord.asking import runs

    written = runs.export_inspect(run, out)
    note(f"{len(written)} logs written to {written[0].parent}; look at them with: inspect view --log-dir DIR")


def view(
    folder: Annotated[Path, typer.Argument(help="Folder with runs and results.")] = Path(),
    port: Annotated[int, typer.Option(help="Port on this machine; 0: a free one.")] = 0,
) -> None:
    """Look at runs while they are asked, at results and replies, in the browser; this machine only."""
    import socket

    from concord.errors import OptionError
    from concord.numeric import check_numbers
    from concord.view.server import new_token, serve

    if not folder.is_dir():
        raise OptionError(f"{folder} is not a folder")
    check_numbers({"port": port})
    if not port:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
    token = new_token()
    say(f"http://127.0.0.1:{port}/{token}/")
    note("open the address in a browser; Ctrl-C ends it")
    serve(folder.resolve(), port=port, token=token)

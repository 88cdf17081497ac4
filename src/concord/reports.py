"""Results of any question on one page, as figures, and as what to cite."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.audit.estimate import AuditResult, HintAudit, PeopleAudit, StructureAudit
from concord.comparing.comparison import Comparison
from concord.comparing.conditions import ConditionsResult
from concord.errors import MissingExtraError
from concord.files.output import write_bytes, write_text
from concord.kinds import Kind
from concord.people.agents import AgentsResult
from concord.people.answers.result import AnswersResult
from concord.people.memory import MemoryResult
from concord.people.mixed.result import CombineResult, SequentialResult
from concord.people.predictions.result import PredictionResult
from concord.people.referee import RefereeResult
from concord.people.studies.before import StudyDescription
from concord.questions import compare
from concord.reasoning.hints.leaderboard import HintLeaderboard
from concord.reasoning.probes.result import ProbeResult
from concord.show.citations import CONCORD, bibtex
from concord.show.page import Page, make_page, people_panel, reasoning, structure_panel
from concord.show.page.build import read_content
from concord.show.page.content import Content
from concord.show.page.context import sources_of
from concord.show.page.panel import Panel
from concord.show.svg import Format, layout
from concord.show.write_up import (
    Figure,
    WriteUp,
    file_part,
    format_of,
    select_figures,
    set_figure,
    write_pictures,
)
from concord.show.write_up import write_up as write_records
from concord.structure.judging.rated_result import RatedResult
from concord.structure.judging.result import JudgeResult
from concord.structure.options.result import OptionResult

PANELS: tuple[Panel, ...] = (people_panel.PANEL, structure_panel.PANEL, reasoning.PANEL)
"""The three questions as the page shows them."""

SECTIONS: tuple[type[Kind], ...] = (
    AgentsResult,
    AnswersResult,
    PredictionResult,
    CombineResult,
    SequentialResult,
    MemoryResult,
    StudyDescription,
    JudgeResult,
    RatedResult,
    OptionResult,
    ProbeResult,
    HintLeaderboard,
    RefereeResult,
    ConditionsResult,
    PeopleAudit,
    StructureAudit,
    AuditResult,
    HintAudit,
)
"""Further results that the page shows below their questions, in this order."""


def result_files() -> frozenset[str]:
    """Return the names of files that hold a result the page can show."""
    return frozenset([*(one.kind.FILE for one in PANELS), *(one.FILE for one in SECTIONS), Comparison.FILE])


def content(folders: Sequence[Path]) -> Content:
    """Read the results of any question in folders."""
    return read_content(folders, PANELS, compare=compare, sections=SECTIONS)


def page(folders: Sequence[Path], **choices: Any) -> Page:
    """Make the page of results of any question."""
    return make_page(folders, PANELS, compare=compare, sections=SECTIONS, **choices)


@dataclass(frozen=True, slots=True)
class Report:
    """A page that was written: where it is, what it holds, what it could not hold."""

    path: Path
    size: int
    n_results: int
    models: tuple[str, ...]
    problems: tuple[str, ...]
    plots: tuple[Path, ...] = ()
    plots_note: str = ""
    """Why pictures were not written in every form, where so."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `concord report --json` prints."""
        return {
            "page": str(self.path),
            "bytes": self.size,
            "results": self.n_results,
            "models": list(self.models),
            "problems": list(self.problems),
            "plots": [str(path) for path in self.plots],
            "plots_note": self.plots_note if self.plots_note else None,
        }


def report(
    folders: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    *,
    out: str | Path = "report.html",
    title: str = "Concord report",
    plots: str | Path | None = None,
    notes: Sequence[str] = (),
) -> Report:
    """Make one self-contained HTML page of the results in folders.

    Parameters
    ----------
    folders
        A folder, or several, that hold results of any of the three questions. A mapping gives each folder
        the name of its model, for results that do not say it themselves.
    out
        The page to write.
    title
        Heading of the page.
    plots
        Folder for the pictures as SVG files, and as PNG where the extra ``report`` is installed.
    notes
        Lines below the heading, such as where the data come from.
    """
    names = {Path(folder): name for name, folder in folders.items()} if isinstance(folders, Mapping) else {}
    given = [folders] if isinstance(folders, str | Path) else list(names) if names else list(folders)
    made = page([Path(one) for one in given], title=title, notes=notes, names=names)
    data = made.html.encode("utf-8")
    write_bytes(Path(out), data)
    files, told = ((), "") if plots is None else _write_plots(made, Path(plots))
    return Report(
        Path(out),
        len(data),
        len(made.content.sources),
        tuple(made.content.models),
        tuple(str(problem) for problem in made.problems),
        files,
        told,
    )


def _write_plots(page: Page, folder: Path) -> tuple[tuple[Path, ...], str]:
    """Write SVG, and PNG where the package for it is installed."""
    written: list[Path] = []
    told = ""
    for inside, picture in page.pictures():
        path = folder / inside / f"{picture.name}.svg"
        write_bytes(path, picture.to_svg().encode("utf-8"))
        written.append(path)
        if told:
            continue
        try:
            write_bytes(path.with_suffix(".png"), picture.to_png())
        except MissingExtraError as missing:
            told = f"SVG only: {missing}"
        else:
            written.append(path.with_suffix(".png"))
    return tuple(written), told


def write_up(results: Any, folder: str | Path = "paper", *, wanted: str = "nature") -> WriteUp:
    """Write what a paper needs: figures, tables, methods and results paragraphs, references.

    Parameters
    ----------
    results
        A result, several of any kind, or folders that hold results.
    folder
        Where it is written.
    wanted
        What figures are for: ``nature`` (89, 120 or 183 mm wide), ``apa`` or ``slides``.
    """
    given = [results] if isinstance(results, str | Path | Kind) else list(results)
    records = [one for one in given if isinstance(one, Kind)]
    folders = [Path(one) for one in given if not isinstance(one, Kind)]
    if not folders:
        return write_records(records, folder, wanted=wanted)
    found = content(folders)
    held = found.records
    return write_records(
        [*records, *(record for record, _ in held)],
        folder,
        wanted=wanted,
        entries=sources_of(found),
        names={i: name for i, (_, name) in enumerate(held, len(records))},
    )


@dataclass(frozen=True, slots=True)
class Figures:
    """What was written."""

    folder: Path
    files: tuple[Path, ...]
    n_pictures: int
    note: str = ""
    """Why they were not written in every form, where so."""


def figures(
    folders: Sequence[str | Path], *, wanted: str = "nature", out: str | Path = "figures", every: bool = False
) -> Figures:
    """Write the figures that a paper would show of the results in folders, or every one of their page."""
    given, folder, chosen = [Path(one) for one in folders], Path(out), format_of(wanted)
    if every:
        named = dict(_all_figures(page(given), chosen))
    else:
        drawn = select_figures([one for one, _ in content(given).records], chosen)
        named = {f"figure-{i:02d}-{file_part(one.picture.name)}": one for i, one in enumerate(drawn, 1)}
    folder.mkdir(parents=True, exist_ok=True)
    files, note = write_pictures(named, folder, chosen)
    captions = [f"Figure {i}. {one.caption}" for i, one in enumerate(named.values(), 1)]
    write_text(folder / "captions.txt", "\n\n".join(captions) + "\n")
    return Figures(folder, (*files, folder / "captions.txt"), len(named), note)


def _all_figures(page: Page, chosen: Format) -> Iterator[tuple[str, Figure]]:
    """Return every picture of a page under a name of its own."""
    single = layout(f"{chosen.single:g}mm", chosen.size)
    for i, (folder, picture) in enumerate(page.pictures(single), 1):
        stem = "-".join(map(file_part, (*folder.parts, picture.name)))
        yield f"figure-{i:02d}-{stem}", set_figure(picture, chosen)


def cite(folders: Sequence[str | Path] = ()) -> str:
    """Return what to cite as BibTeX: Concord, and of results in folders their methods and studies."""
    if not folders:
        return bibtex([CONCORD])
    return bibtex(sources_of(page([Path(one) for one in folders]).content))

"""Writing the page and its pictures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from concord.errors import MissingExtraError
from concord.files.output import write_bytes, write_text
from concord.kinds import Kind
from concord.show.page.build import Page, make_page
from concord.show.page.content import Compare, Content
from concord.show.page.panel import Panel
from concord.show.svg import Format, layout
from concord.show.write_up import Figure, file_part, format_of, select_figures, set_figure, write_pictures


@dataclass(frozen=True, slots=True)
class Figures:
    """What was written."""

    folder: Path
    files: tuple[Path, ...]
    n_pictures: int
    note: str = ""
    """Why they were not written in every form, where so."""


def write_figures(page: Content | Page, wanted: str, folder: Path) -> Figures:
    """Write the figures that a paper would show of results, or of a page every one there is."""
    chosen = format_of(wanted)
    if isinstance(page, Content):
        named = {
            f"figure-{i:02d}-{file_part(one.picture.name)}": one
            for i, one in enumerate(select_figures([one for one, _ in page.records], chosen), 1)
        }
    else:
        named = dict(_all_figures(page, chosen))
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


def write_report(
    folders: Sequence[Path],
    out: Path,
    panels: Sequence[Panel],
    *,
    compare: Compare,
    title: str,
    plots: Path | None = None,
    notes: Sequence[str] = (),
    names: Mapping[Path, str] = MappingProxyType({}),
    sections: Sequence[type[Kind]] = (),
) -> Report:
    """Make the page of the results in folders, and the pictures where a folder for them is given."""
    page = make_page(
        folders, panels, compare=compare, title=title, notes=notes, names=names, sections=sections
    )
    data = page.html.encode("utf-8")
    write_bytes(out, data)
    files, told = ((), "") if plots is None else _write_plots(page, plots)
    return Report(
        out,
        len(data),
        len(page.content.sources),
        tuple(page.content.models),
        tuple(str(problem) for problem in page.problems),
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

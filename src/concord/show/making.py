"""Writing the page and its pictures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from concord.errors import MissingExtraError, OptionError
from concord.files.output import write_bytes, write_csv, write_text
from concord.show.looks import FORMATS, Format, layout, look
from concord.show.page.build import Page, make_page
from concord.show.page.content import Compare, Section
from concord.show.page.panel import Panel
from concord.show.svg import Picture

NEAR = 1.05
"""Pictures up to so many times as wide as a column were drawn for it, and take it exactly."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was written."""

    folder: Path
    files: tuple[Path, ...]
    n_pictures: int


def write_figures(page: Page, wanted: str, folder: Path) -> Figures:
    """Write every picture of a page as a journal, a style or a talk wants it."""
    if wanted not in FORMATS:
        raise OptionError(f"figures for {wanted!r} are not known; expected one of {', '.join(FORMATS)}")
    chosen = FORMATS[wanted]
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    captions: list[str] = []
    pictures = list(_pictures_of(page, chosen))
    for i, (stem, picture) in enumerate(pictures, 1):
        name = f"figure-{i:02d}-{stem}"
        for ending in chosen.endings:
            files.append(picture.save(folder / f"{name}{ending}", dpi=chosen.dpi))
        if picture.rows:
            head, *rows = picture.rows
            write_csv(folder / f"{name}.csv", [str(one) for one in head], rows)
            files.append(folder / f"{name}.csv")
        captions.append(f"Figure {i}. {picture.title}. {picture.caption}".strip())
    write_text(folder / "captions.txt", "\n\n".join(captions) + "\n")
    return Figures(folder, (*files, folder / "captions.txt"), len(pictures))


def _pictures_of(page: Page, chosen: Format) -> Iterator[tuple[str, Picture]]:
    """Return pictures in the look of a format, text of all of them at its size."""
    # Pictures that are broader by nature take as much more than a column as that needs, at most two; narrower
    # ones less.
    single = layout(f"{chosen.single:g}mm", chosen.size)
    seen: dict[str, int] = {}
    for folder, picture in page.pictures(single):
        wide = _paper_width(picture.width / single, chosen)
        stem = "-".join(_file_part(part) for part in (*folder.parts, picture.name))
        seen[stem] = seen.get(stem, 0) + 1
        made = picture.with_look(look(f"{wide:g}mm", chosen.font, chosen.theme))
        yield stem if seen[stem] == 1 else f"{stem}-{seen[stem]}", made


def _paper_width(columns: float, chosen: Format) -> float:
    """Return the width on paper, in millimetres, of a picture so many columns wide."""
    if 1 / NEAR <= columns <= NEAR:
        return chosen.single
    return min(chosen.double, round(columns * chosen.single, 1))


def _file_part(text: str) -> str:
    kept: Sequence[str] = [c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in text.lower()]
    return "".join(kept).strip("-")[:60]


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
    sections: Sequence[Section] = (),
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

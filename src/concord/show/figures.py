"""All figures of results for a paper or a talk: files, captions and the numbers they show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from concord.errors import OptionError
from concord.files.output import write_csv
from concord.show.looks import FORMATS, Format, layout, look
from concord.show.page.build import Page
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
    (folder / "captions.txt").write_text("\n\n".join(captions) + "\n", "utf-8")
    return Figures(folder, (*files, folder / "captions.txt"), len(pictures))


def _pictures_of(page: Page, chosen: Format) -> Iterator[tuple[str, Picture]]:
    """Return pictures in the look of a format, text of all of them at its size.

    Pictures that are broader by nature take as much more than a column as that needs, at most two; narrower
    ones less.
    """
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

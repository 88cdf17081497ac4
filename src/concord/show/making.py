"""Writing the page and its pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from concord.errors import FileFormatError, MissingExtraError
from concord.show.page.build import Page, make_page
from concord.show.page.content import Compare
from concord.show.page.panel import Panel
from concord.show.page.section import Section


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
    _write(out, data)
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


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as fault:
        raise FileFormatError(f"cannot write {path}: {fault.strerror}; choose another --out") from fault


def _write_plots(page: Page, folder: Path) -> tuple[tuple[Path, ...], str]:
    """Write SVG, and PNG where the package for it is installed."""
    written: list[Path] = []
    told = ""
    for inside, picture in page.pictures():
        path = folder / inside / f"{picture.name}.svg"
        _write(path, picture.to_svg().encode("utf-8"))
        written.append(path)
        if told:
            continue
        try:
            _write(path.with_suffix(".png"), picture.to_png())
        except MissingExtraError as missing:
            told = f"SVG only: {missing}"
        else:
            written.append(path.with_suffix(".png"))
    return tuple(written), told

"""Writing the page and its pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from concord.errors import FileFormatError, MissingExtraError
from concord.show.page import Page, make_page


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

    Returns
    -------
    Report
        Where the page is, what it holds, and every file that could not be read.

    Raises
    ------
    FileFormatError
        No result can be read.
    OptionError
        Results of one question were made under different protocols, readings or rules.
    """
    pictures = None if plots is None else Path(plots)
    if isinstance(folders, Mapping):
        named = {Path(folder): name for name, folder in folders.items()}
        return write_report(list(named), Path(out), title=title, plots=pictures, names=named)
    given = [folders] if isinstance(folders, str | Path) else list(folders)
    return write_report([Path(one) for one in given], Path(out), title=title, plots=pictures)


def write_report(
    folders: Sequence[Path],
    out: Path,
    *,
    title: str,
    plots: Path | None = None,
    names: Mapping[Path, str] = MappingProxyType({}),
) -> Report:
    """Make the page of the results in folders, and the pictures where a folder for them is given.

    Parameters
    ----------
    folders
        Folders with result files.
    out
        The page to write.
    title
        Heading of the page.
    plots
        Folder for the pictures.
    names
        What to call the model of a folder whose result does not say.
    """
    page = make_page(folders, title=title, names=names)
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

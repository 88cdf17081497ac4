"""Stored replies to a result, by the record of what was asked; no model is asked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.asking.askable import Recorded
from concord.asking.corrections import corrected, read_corrections
from concord.asking.folder import read_run
from concord.asking.recorded import bundled_run, recorded_folder, recorded_log
from concord.asking.registry import find
from concord.errors import OptionError, RunFolderError


def score_run(
    source: str | Path, *, partial: bool = False, corrections: str | Path | None = None, **choices: Any
) -> Any:
    """Score a run's folder, or the log of one of Concord's Inspect tasks, without asking any model.

    Parameters
    ----------
    source
        What `concord run` wrote, or the `.eval` or `.json` log that `inspect eval concord/...` wrote.
    partial
        Score an unfinished run, with what is missing counted.
    corrections
        A file of what people read in replies (`concord view` writes one); a correction without its reply is
        refused.
    choices
        Passed on to `score_reasoning`, `score_structure` or `studies.score_replies`.

    Raises
    ------
    RunFolderError
        There is no run, or one that is not finished.
    """
    path = Path(source)
    found = recorded_log(path) if path.is_file() else recorded_folder(read_run(path))
    if corrections is not None:
        found = _read_otherwise(found, Path(corrections))
    return score_recorded(found, partial=partial, **choices)


def _read_otherwise(found: Recorded, path: Path) -> Recorded:
    """Return recorded replies with corrections in their places."""
    kept = read_corrections(path)
    rows, used = corrected(found.rows, kept)
    if used < len(kept):
        raise OptionError(
            f"{path.name}: {len(kept) - used} of {len(kept)} corrections are of replies that {found.source} "
            "does not hold; give the corrections of this run"
        )
    return replace(found, rows=rows)


def score_bundled(question: str, **choices: Any) -> Any:
    """Score the replies of the embedded model that come with Concord."""
    return score_recorded(bundled_run(question), **choices)


def score_recorded(found: Recorded, *, partial: bool = False, **choices: Any) -> Any:
    """Score what was recorded, wherever it was kept."""
    source = found.source
    if found.n_missing and not partial:
        raise RunFolderError(
            f"{source}: {found.n_missing} of {len(found.planned)} trials have not been asked; finish the "
            "run with the same command, or score what is there with --partial"
        )
    if not found.rows:
        raise RunFolderError(f"{source} holds no reply yet; run the same command again")
    one = find(found.suite)
    if one is None:
        raise RunFolderError(f"{source} holds a run of {found.suite!r}, which cannot be scored here")
    return one.score(found, partial=partial, **choices)

"""How the runs behind results were asked: folders of `concord run` that are compared."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from concord.comparing.doubts import other_settings
from concord.errors import FileFormatError
from concord.files.contents import is_file, read_bytes
from concord.files.json_text import parsed

RUN_FILE = "run.json"
_NOT_SETTINGS = frozenset(("items", "samples", "bias_cases", "pairs", "first", "second"))
"""Options that name files: whether the same was asked is seen by the items themselves."""


def run_doubts(sources: Sequence[Any]) -> tuple[str, ...]:
    """Tell which runs did not end, and in what the runs were asked differently."""
    runs = [_run_of(source) for source in sources]
    known = [{} if run is None else _settings_of(run) for run in runs]
    unfinished = [
        f"{source}: the run did not end, {left:,} of {run.get('n_trials'):,} trials were not asked"
        for source, run in zip(sources, runs, strict=True)
        if run is not None and (left := _not_asked(run))
    ]
    return (*unfinished, *other_settings(known))


def _run_of(source: Any) -> Mapping[str, Any] | None:
    """Return what a run says of itself; None where the source is none."""
    if not isinstance(source, str | Path):
        return None
    folder = Path(source)
    for place in (folder / RUN_FILE, folder.parent / RUN_FILE):
        if not is_file(place):
            continue
        try:
            document = parsed(place.name, read_bytes(place))
        except FileFormatError:
            return None
        return document if isinstance(document, dict) and document.get("kind") == "run" else None
    return None


def _settings_of(run: Mapping[str, Any]) -> dict[str, str]:
    """Return sampling, options and templates; what was not given is no setting."""
    found: dict[str, str] = {}
    for part in ("sampling", "options"):
        held = run.get(part)
        for name, value in (held if isinstance(held, dict) else {}).items():
            if isinstance(value, str | int | float) and name not in _NOT_SETTINGS:
                found[str(name)] = str(value)[:60]
    templates = run.get("templates")
    for name, digest in (templates if isinstance(templates, dict) else {}).items():
        found[f"template {name}"] = str(digest)[:8]
    return found


def _not_asked(run: Mapping[str, Any]) -> int:
    """Count the trials that a run did not reach."""
    outcomes = run.get("outcomes")
    left = outcomes.get("not asked") if isinstance(outcomes, dict) else None
    whole = run.get("n_trials")
    return left if isinstance(left, int) and isinstance(whole, int) else 0

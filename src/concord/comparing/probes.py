"""Folders with the results of probes, read back for comparison, item by item."""

from pathlib import Path

from concord.comparing.records import NO_SCORE, SCORED, ScoreFile
from concord.comparing.rows import frame_of
from concord.errors import OptionError
from concord.files.contents import fingerprint_file, is_file, is_folder
from concord.reasoning.probes.by_item import ALL_METRICS, item_values, usual_metric
from concord.reasoning.probes.files import RESULTS_FILE, read


def probe_folder(source: object) -> Path | None:
    """Return the folder of a result of probes: the path itself or the only one below it; else None."""
    if not isinstance(source, str | Path) or not is_folder(source):
        return None
    folder = Path(source)
    try:
        places = (
            folder / RESULTS_FILE,
            *folder.glob(f"*/{RESULTS_FILE}"),
            *folder.glob(f"results/*/{RESULTS_FILE}"),
        )
    except OSError:
        return None
    found = [path.parent for path in places if is_file(path)]
    return found[0] if len(found) == 1 else None


def read_probe_folder(folder: Path, *, metric: str | None = None) -> ScoreFile:
    """Read one result of probes as scores of items."""
    result = read(folder)
    chosen = usual_metric(result) if metric is None else metric
    if chosen not in result.estimates:
        known = ", ".join(result.estimates)
        raise OptionError(f"{folder.name}: no metric {chosen!r}; it has {known}")
    values = item_values(result, chosen) if chosen in ALL_METRICS else {}
    if not values:
        raise OptionError(f"{folder.name} holds no answers to {chosen!r}; score the run again")
    rows = [
        (item, "0", value, NO_SCORE if value is None else SCORED, None, item)
        for item, value in values.items()
    ]
    asked = ", ".join(f"{name} {words}" for name, words in sorted(result.scores.asked.items()))
    return ScoreFile(
        name=result.model,
        source=str(folder),
        kind="probes",
        frame=frame_of(rows),
        task="probes" + (f" ({asked})" if asked else ""),
        metric=chosen,
        inputs=(fingerprint_file(folder / RESULTS_FILE),),
    )

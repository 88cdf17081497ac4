"""What scoring needs of a run, wherever it was kept: a folder, an Inspect log, or the bundled replies."""

import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from concord.asking.askable import Recorded
from concord.asking.folder import INPUTS, TRIALS, StoredRun, planned_prompts, read_run
from concord.asking.registry import askable, find
from concord.errors import RunFolderError
from concord.files.contents import read_bytes
from concord.files.limits import quoted
from concord.records import Provenance

BUNDLED = "smollm2-135m"
_PLANNED = ("key", "id", "mode", "repeat", "template")


class KeptFiles(dict[str, bytes]):
    """The question files of a run by their names; one that is not there is named."""

    def __init__(self, source: str, files: Mapping[str, bytes]) -> None:
        super().__init__(files)
        self._source = source

    def __missing__(self, name: str) -> bytes:
        raise RunFolderError(f"{self._source} does not hold the file {quoted(name)} that was asked")


def made_of(record: Mapping[str, Any]) -> Provenance:
    """Return what a run's record says about how its replies were made."""
    return Provenance(
        record.get("sampling"), record.get("templates"), record.get("tokens"), record.get("cost")
    )


def recorded_folder(stored: StoredRun) -> Recorded:
    """Return what a run's folder holds."""
    record = stored.record
    files = inputs_of(stored.path, record)
    planned = tuple(_planned(stored.path, row) for row in planned_prompts(stored.path))
    return Recorded(
        str(stored.path),
        record["suite"],
        str(record["model"]),
        stored.rows,
        planned,
        stored.n_not_asked,
        KeptFiles(str(stored.path), files),
        record["options"],
        made_of(record),
        _followed(stored),
    )


def _planned(path: Path, row: Mapping[str, Any]) -> dict[str, Any]:
    for name in _PLANNED:
        kind = int if name == "repeat" else str
        if not isinstance(row.get(name), kind) or isinstance(row[name], bool):
            raise RunFolderError(
                f"{path / TRIALS}: {name!r} of a trial is not what a run writes; put the original file back"
            )
    return {name: row[name] for name in _PLANNED}


def recorded_inputs(stored: StoredRun) -> dict[str, bytes]:
    """Return the question files of a run, checked."""
    return inputs_of(stored.path, stored.record)


def inputs_of(path: Path, record: Mapping[str, Any]) -> dict[str, bytes]:
    """Read the question files that a run kept, and see that they are those it asked."""
    folder = path / INPUTS
    listed = record.get("inputs", [])
    try:
        expected = {str(one["name"]): str(one["sha256"]) for one in listed}
    except (TypeError, KeyError) as fault:
        raise RunFolderError(f"{folder.parent}: 'inputs' in run.json is not what a run writes") from fault
    files = {}
    for path in sorted(folder.glob("*.*")):
        data = read_bytes(path)
        if path.name in expected and hashlib.sha256(data).hexdigest() != expected[path.name]:
            raise RunFolderError(
                f"{path} is not the file that was asked: its sha256 is another than the one in run.json; "
                "put the original back, or ask the changed questions in another folder"
            )
        files[path.name] = data
    gone = expected.keys() - files.keys()
    if gone:
        raise RunFolderError(f"{folder / min(gone)} is missing; put the file that was asked back")
    return files


def _followed(stored: StoredRun) -> tuple[Mapping[str, Any], ...]:
    """Return the replies of the run that followed; none where it has not been asked yet."""
    one = find(str(stored.record["suite"]))
    folder = stored.path / one.followed_in if one is not None and one.followed_in else None
    return read_run(folder).rows if folder is not None and folder.is_dir() else ()


def recorded_log(path: Path) -> Recorded:
    """Return what the log of a run or of an Inspect task holds, with the plan that it carries."""
    from concord.asking.eval_logs import read_eval_log

    log = read_eval_log(path)
    missing = 0 if log.n_planned is None else log.n_planned - len(log.rows)
    if log.status != "success":
        missing = max(missing, 1)
    made = Provenance(log.settings, log.templates, log.tokens)
    files = KeptFiles(str(path), log.files)
    return Recorded(
        str(path), log.suite, log.model, log.rows, log.rows, max(missing, 0), files, log.options, made
    )


def bundled_run(question: str) -> Recorded:
    """Return the replies of the embedded model to the bundled files that come with Concord."""
    folder = resources.files("concord").joinpath(question, "data", "recorded")
    record = json.loads(folder.joinpath(f"{BUNDLED}.run.json").read_bytes())
    rows = tuple(map(json.loads, folder.joinpath(f"{BUNDLED}.jsonl").read_bytes().splitlines()))
    design = askable(question).design(**record["design"])
    source = f"the bundled replies of {record['model']}"
    files, options = dict(design.files), dict(design.options)
    return Recorded(source, question, record["model"], rows, rows, 0, files, options, made_of(record))

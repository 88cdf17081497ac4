"""Stored replies to a result, wherever they were kept: a folder, an Inspect log, or the bundled ones.

No model is asked. A log carries its plan and question files; no path that it names is opened.
"""

import hashlib
import inspect
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from concord.asking.askable import NAMES, AnswerTable, Askable, Recorded, askable, find
from concord.asking.folder import INPUTS, StoredRun, planned_prompts, read_run
from concord.asking.index import TRIALS
from concord.asking.limits import recorded_prices
from concord.asking.replies import LOST, corrected, outcome_of, read_corrections, says_overflow
from concord.errors import FileFormatError, MissingExtraError, OptionError, RunFolderError, quoted
from concord.files.contents import read_bytes
from concord.numeric import gated
from concord.people import NAME as PEOPLE
from concord.records import AskOutcome, Provenance

BUNDLED = "smollm2-135m"
_PLANNED = ("key", "id", "mode", "repeat", "template")
_WITH_REPLY = ("ok", "empty", "truncated")


@gated()
def score_run(
    source: str | Path, *, partial: bool = False, corrections: str | Path | None = None, **choices: Any
) -> Any:
    """Score a run's folder, a log of one of Concord's Inspect tasks or replies to studies; no model is asked.

    Parameters
    ----------
    source
        What `concord run` wrote, the `.eval` or `.json` log that `inspect eval concord/...` wrote, or
        recorded replies to studies (JSON lines).
    partial
        Score an unfinished run, with what is missing counted.
    corrections
        A file of what people read in replies (`concord view` writes one); a correction without its reply is
        refused.
    choices
        Passed on to `score_reasoning`, `score_structure` or `studies.score_replies`; of replies to studies
        also how they were planned: ``study`` (names or files; all bundled ones by default), ``studies`` (a
        folder), ``n``, ``plan_seed`` and ``design``.
    """
    path = Path(source)
    if path.suffix.lower() == ".jsonl" or (not path.is_dir() and {"study", "studies"} & choices.keys()):
        if partial or corrections is not None:
            raise OptionError("--partial and --corrections go with a run, not with a file of replies")
        return askable(PEOPLE).score_file(path, **choices)
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
    _refuse_unknown(one, choices)
    return one.score(found, partial=partial, **choices)


def _refuse_unknown(one: Askable, choices: Mapping[str, Any]) -> None:
    """Refuse a choice that the scoring of this question does not have; any, where it takes a protocol's."""
    function = one.score if one.passed_on is None else one.passed_on()
    taken = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken):
        return
    known = {parameter.name for parameter in taken if parameter.kind is parameter.KEYWORD_ONLY} - {"partial"}
    for name in sorted(choices.keys() - known):
        raise OptionError(
            f"the scoring of {one.name} has no choice {name!r}; it has {', '.join(sorted(known))}"
        )


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


def _made_of_stored(*runs: StoredRun) -> Provenance:
    """Return how the replies of a run, and of one that followed it, were made: with their tokens and cost.

    What else was paid (calls that a kill has cut off) is in `run.json`: a result is the same without it.
    """
    tokens: Counter[str] = Counter()
    costs = list[float]()
    for one in runs:
        told = one.tally.tokens()
        tokens.update(told)
        prices = recorded_prices(one.record)
        if prices is not None and "calls_without_usage" not in told:
            costs.append(prices.cost(told["input"], told["output"], *one.tally.parts[:2]))
    record = runs[0].record
    cost = sum(costs) if len(costs) == len(runs) else None
    asked = {name: record[name] for name in ("structured", "ask_again") if name in record}
    if asked:
        asked["asked_again"] = runs[0].tally.n_asked_again
    settings = {**record.get("sampling", {}), **asked}
    return Provenance(settings if settings else None, record.get("templates"), dict(tokens), cost)


def recorded_folder(stored: StoredRun) -> Recorded:
    """Return what a run's folder holds."""
    path, record = stored.path, stored.record
    one = find(str(record["suite"]))
    after = path / one.followed_in if one is not None and one.followed_in else None
    files = inputs_of(path, record)
    planned = PlannedRows(path, stored.n_planned)
    followed = [read_run(after)] if after is not None and after.is_dir() else []
    return Recorded(
        str(path),
        record["suite"],
        str(record["model"]),
        stored.rows,
        planned,
        stored.n_not_asked,
        KeptFiles(str(path), files),
        record["options"],
        _made_of_stored(stored, *followed),
        followed[0].rows if followed else (),
    )


def write_answers(stored: StoredRun, folder: Path) -> AnswerTable | None:
    """Write `answers.csv` of a run into a folder, where its question keeps such a table."""
    from concord.files.output import write_csv, write_json

    answers = stored_answers(stored)
    if answers is not None:
        write_csv(folder / "answers.csv", list(answers.columns), answers.rows)
        for name, (columns, rows) in answers.tables.items():
            write_csv(folder / name, list(columns), rows)
        for name, document in answers.documents.items():
            write_json(folder / name, dict(document))
        answers = replace(answers, rows=(), tables={}, documents={})  # scoring begins with memory to spare
    return answers


def stored_answers(stored: StoredRun) -> AnswerTable | None:
    """Return the answers that were read from a run's replies, where the question keeps such a table."""
    read = askable(str(stored.record["suite"])).answers
    return None if read is None else read(recorded_folder(stored))


class PlannedRows(Sequence[Mapping[str, Any]]):
    """The names of the trials of a plan, read as they are looked at."""

    def __init__(self, path: Path, n: int) -> None:
        self._path, self._n = path, n

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return (_planned_row(self._path, row) for row in planned_prompts(self._path))

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]


def _planned_row(path: Path, row: Mapping[str, Any]) -> dict[str, Any]:
    for name in _PLANNED:
        kind = int if name == "repeat" else str
        if not isinstance(row.get(name), kind) or isinstance(row[name], bool):
            raise RunFolderError(
                f"{path / TRIALS}: {name!r} of a trial is not what a run writes; put the original file back"
            )
    return {name: row[name] for name in _PLANNED}


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


def bundled_run(question: str) -> Recorded:
    """Return the replies of the embedded model to the bundled files that come with Concord."""
    folder = resources.files("concord").joinpath(question, "data", "recorded")
    record = json.loads(folder.joinpath(f"{BUNDLED}.run.json").read_bytes())
    rows = tuple(map(json.loads, folder.joinpath(f"{BUNDLED}.jsonl").read_bytes().splitlines()))
    design = askable(question).design(**record["design"])
    source = f"the bundled replies of {record['model']}"
    files, options = dict(design.files), dict(design.options)
    return Recorded(source, question, record["model"], rows, rows, 0, files, options, made_of(record))


def recorded_log(path: Path) -> Recorded:
    """Return what the log of a run or of an Inspect task holds, with the plan that it carries."""
    log = _opened(path)
    about, model = log.eval.metadata, str(log.eval.model)
    one = find(str(about.get("suite"))) if isinstance(about, dict) else None
    if not isinstance(about, dict) or one is None:
        raise FileFormatError(
            f"{path.name} is a log of the task {log.eval.task!r}, not of one of Concord's; "
            f"expected {', '.join(f'concord/{one}' for one in NAMES)}"
        )
    options, files = _carried(about, path)
    samples = [] if log.samples is None else log.samples
    if one.sessions is not None:
        samples = [sample for sample in samples if sample.epoch == 1]  # later ones are not asked
    rows = tuple(_reply_row(sample, model, about.get("repeats", 1)) for sample in samples)
    missing = 0 if log.results is None else log.results.total_samples - len(rows)
    usage = list(log.stats.model_usage.values())
    tokens = {
        "input": sum(one.input_tokens for one in usage),
        "output": sum(one.output_tokens for one in usage),
    }
    return Recorded(
        str(path),
        one.name,
        model,
        rows,
        rows,
        max(missing, 0 if log.status == "success" else 1),
        KeptFiles(str(path), files),
        options,
        Provenance(
            log.eval.model_generate_config.model_dump(exclude_none=True),
            dict(about.get("templates", {})),
            tokens if usage else None,
        ),
    )


def carried_plan(
    suite: str, templates: Any, options: Any, files: Mapping[str, bytes], n_planned: int, repeats: int = 1
) -> dict[str, Any]:
    """Return what a log carries of its plan, so that it is scored against this plan and no other."""
    return {
        "suite": suite,
        "templates": templates,
        "options": options,
        "files": {name: data.decode("utf-8", "surrogateescape") for name, data in files.items()},
        "n_planned": n_planned,
        "repeats": repeats,
    }


def _carried(about: dict[str, Any], path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return options and question files of the plan that a log carries."""
    options, files = about.get("options"), about.get("files")
    if not isinstance(options, dict) or not isinstance(files, dict):
        raise FileFormatError(
            f"{path.name} does not carry the plan that was asked (an older Concord wrote it), so that it "
            "cannot be known what its replies answer; score the run's folder instead"
        )
    if not all(isinstance(text, str) for text in files.values()):
        raise FileFormatError(f"{path.name}: the question files in it are no texts")
    return options, {str(name): text.encode("utf-8", "surrogateescape") for name, text in files.items()}


def _opened(path: Path) -> Any:
    """Read the file with Inspect itself."""
    try:
        from inspect_ai.log import read_eval_log as read
    except ImportError as fault:
        raise MissingExtraError("reading Inspect logs", "live") from fault
    from concord.files.inspect_logs import check_log

    if path.suffix not in (".eval", ".json"):
        raise FileFormatError(f"{path.name}: expected an Inspect log, named .eval or .json")
    check_log(path)
    try:
        return read(str(path))
    except Exception as fault:  # noqa: BLE001 - a hostile file can break its reader in any way
        words = " ".join(str(fault).split())[:200]
        raise FileFormatError(f"{path.name} cannot be read as an Inspect log: {words}") from fault


def _reply_row(sample: Any, model: str, repeats: int) -> dict[str, Any]:
    """Turn one sample into the row that a run would have stored."""
    about = sample.metadata
    row: dict[str, Any] = {
        "key": str(about.get("key", sample.id)),
        "id": str(about["id"]),
        "mode": str(about["mode"]),
        # Inspect's epochs are repeats of the whole set, with all repeats that it has.
        "repeat": int(about["repeat"]) + (sample.epoch - 1) * repeats,
        "model": model,
        "template": str(about.get("template", "")),
    }
    if sample.error is not None:
        return {**row, "status": "failed", "outcome": "failed", "response": "", "error": sample.error.message}
    found = {**row, **_answer(sample.output)}
    if isinstance(about.get(LOST), dict):
        found[LOST] = about[LOST]
    told = about.get("outcome")
    if isinstance(told, str) and told in map(str, AskOutcome):
        found["outcome"], found["status"] = told, "ok" if told in _WITH_REPLY else told
    return found


def _answer(output: Any) -> dict[str, Any]:
    """Return response, outcome and tokens of a sample's output."""
    if not output.choices:
        return {"status": "ok", "outcome": "empty", "response": ""}
    from inspect_ai.model import ContentReasoning

    stop = str(output.stop_reason)
    content = output.choices[0].message.content
    thinking = (
        [part.reasoning for part in content if isinstance(part, ContentReasoning)]
        if not isinstance(content, str)
        else []
    )
    text, usage = output.completion, output.usage
    error = output.error is not None or (usage is None and says_overflow(text))
    outcome = str(outcome_of(stop, text, error=error))
    return {
        "status": "ok" if outcome in _WITH_REPLY else outcome,
        "outcome": outcome,
        "response": text,
        **({"thinking": "\n".join(thinking)} if thinking else {}),
        "stop_reason": stop,
        "usage": {
            "input_tokens": None if usage is None else usage.input_tokens,
            "output_tokens": None if usage is None else usage.output_tokens,
        },
    }

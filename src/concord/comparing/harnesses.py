"""Scores from results of other harnesses: OpenAI evals, promptfoo, HELM, DeepEval, Braintrust, MLflow."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from concord.comparing.records import (
    FAILED,
    NO_SCORE,
    SCORED,
    ScoreFile,
    choose_score,
    each_once,
    family_of,
    frame_of,
    graded,
    item_name,
    shown,
    text_of,
)
from concord.errors import FileFormatError
from concord.files.contents import fingerprint_file

Objects = Sequence[Mapping[str, Any]]
_NOT_SCORED = frozenset(("sampling", "raw_sample", "embedding", "cond_logp", "function_call", "extra"))
"""Events of OpenAI evals that record what was done, not how good it was."""
_ERRORED = 2
"""Reason of promptfoo for a row that ended in an error, not in a wrong answer."""


@dataclass(frozen=True, slots=True)
class HarnessAnswer:
    """One scored answer, as a harness tells it."""

    model: str
    item: object
    scores: Mapping[str, object]
    repeat: object = 1
    failed: bool = False
    asked: object = None
    """What the item is, so that other items of the same name are found."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What may name the family of the item."""


@dataclass(frozen=True, slots=True)
class Harness:
    """A form of results: how it is recognised and read."""

    name: str
    holds: Callable[[Any], bool]
    """Whether a document, or the objects of JSON lines, is of this form."""
    answers: Callable[[Path, Any], Iterator[HarnessAnswer]]
    task: Callable[[Any], str | None] = lambda _: None
    usual: str | None = None
    """The score that is meant where none is chosen."""


def read_harness(
    path: Path, document: Any, *, metric: str | None, cluster: str | None
) -> list[ScoreFile] | None:
    """Read the models of a harness's results; None where the document is of no form that is known."""
    form = next((one for one in FORMS if one.holds(document)), None)
    if form is None:
        return None
    found = list(form.answers(path, document))
    if not found:
        raise FileFormatError(f"{path.name}: results of {form.name} without a scored answer")
    names = list(dict.fromkeys(name for one in found for name in one.scores))
    usual = form.usual if metric is None and form.usual in names else metric
    chosen = choose_score(path.name, "metric", names, usual)
    inputs = (fingerprint_file(path),)
    files = []
    for model in dict.fromkeys(one.model for one in found):
        rows = [_answer_row(path.name, one, chosen, cluster) for one in found if one.model == model]
        each_once(path.name, "answer", [f"{row[0]!r} of repeat {row[1]} of {model}" for row in rows])
        files.append(
            ScoreFile(
                name=model,
                source=path.name,
                kind=form.name,
                frame=frame_of(rows),
                task=form.task(document),
                metric=chosen,
                inputs=inputs,
            )
        )
    return files


def table_of_columns(document: Any) -> list[dict[str, Any]] | None:
    """Return the rows of a table kept as columns and data, as MLflow and pandas write it; None otherwise."""
    if not isinstance(document, dict) or not {"columns", "data"} <= document.keys():
        return None
    columns, data = document["columns"], document["data"]
    if not isinstance(columns, list) or not isinstance(data, list):
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in data):
        return None
    return [dict(zip(map(shown, columns), row, strict=True)) for row in data]


def _answer_row(source: str, one: HarnessAnswer, metric: str, cluster: str | None) -> tuple[object, ...]:
    item = item_name(source, one.item)
    family = None
    if cluster is not None:
        family = family_of(one.fields, cluster, f"{source}: item {item!r} has no", "fields")
    score = None if one.failed else graded(source, item, one.scores.get(metric))
    outcome = FAILED if one.failed else NO_SCORE if score is None else SCORED
    asked = None if one.asked is None else json.dumps(one.asked, sort_keys=True, default=shown)
    mark = None if asked is None else hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
    return (item, shown(one.repeat), score, outcome, text_of(family), mark)


def _inner(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _only_objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _first_has(*names: str) -> Callable[[Any], bool]:
    """Recognise a list by the keys of its first object."""
    return lambda rows: isinstance(rows, list) and bool(rows) and set(names) <= _inner(rows[0]).keys()


def _openai_answers(path: Path, rows: Objects) -> Iterator[HarnessAnswer]:
    spec = _inner(rows[0].get("spec"))
    called = spec.get("completion_fns")
    model = shown(called[0]) if isinstance(called, list) and called else path.stem
    for row in rows:
        if "sample_id" in row and row.get("type") not in _NOT_SCORED:
            data = _inner(row.get("data"))
            failed = row.get("type") == "error"
            scores = {name: value for name, value in data.items() if isinstance(value, int | float)}
            if scores or failed:
                yield HarnessAnswer(model, row["sample_id"], scores, failed=failed, fields=data)


def _promptfoo_rows(document: Any) -> list[Mapping[str, Any]]:
    if isinstance(document, list):
        return _only_objects(document)
    results = document.get("results")
    return _only_objects(results if isinstance(results, list) else _inner(results).get("results"))


def _is_promptfoo(document: Any) -> bool:
    if isinstance(document, list):
        return _first_has("testIdx", "promptIdx")(document)
    rows = _promptfoo_rows(document) if isinstance(document, dict) else []
    return (
        bool(rows) and {"success", "score"} <= rows[0].keys() and ("vars" in rows[0] or "testCase" in rows[0])
    )


def _promptfoo_answers(path: Path, document: Any) -> Iterator[HarnessAnswer]:
    rows = _promptfoo_rows(document)
    providers = [_provider(row, path) for row in rows]
    several = len({(name, row.get("promptIdx")) for name, row in zip(providers, rows, strict=True)}) > len(
        set(providers)
    )
    for number, (name, row) in enumerate(zip(providers, rows, strict=True)):
        case = _inner(row.get("testCase"))
        variables = _inner(row.get("vars"))
        yield HarnessAnswer(
            model=f"{name}, prompt {row.get('promptIdx')}" if several else name,
            item=row.get("testIdx", number),
            scores={
                "score": row.get("score"),
                "success": row.get("success"),
                **_inner(row.get("namedScores")),
            },
            failed=row.get("failureReason") == _ERRORED,
            asked=variables if variables else None,
            fields={**variables, **_inner(case.get("metadata"))},
        )


def _provider(row: Mapping[str, Any], path: Path) -> str:
    provider = row.get("provider")
    if isinstance(provider, Mapping):
        named = [provider.get("label"), provider.get("id")]
        return next((shown(name) for name in named if name), path.stem)
    return shown(provider) if provider else path.stem


def _helm_answers(path: Path, rows: Objects) -> Iterator[HarnessAnswer]:
    run = path.parent.name
    model = run.partition("model=")[2].partition(",")[0] if "model=" in run else run
    for row in rows:
        changed = _inner(row.get("perturbation")).get("name")
        item = shown(row.get("instance_id")) + (f"/{changed}" if changed else "")
        scores = {
            shown(_inner(one.get("name")).get("name")): one.get("mean")
            for one in _only_objects(row.get("stats"))
        }
        yield HarnessAnswer(model or path.stem, item, scores, repeat=row.get("train_trial_index", 0))


def _deepeval_answers(path: Path, document: Any) -> Iterator[HarnessAnswer]:
    model = path.parent.name or path.stem
    for number, case in enumerate(_only_objects(document.get("testCases"))):
        metrics = _only_objects(case.get("metricsData"))
        yield HarnessAnswer(
            model=model,
            item=case.get("name") or number,
            scores={shown(one.get("name")): one.get("score") for one in metrics},
            failed=bool(metrics) and all(one.get("error") for one in metrics),
            asked=case.get("input"),
            fields=_inner(case.get("additionalMetadata")),
        )


def _braintrust_answers(path: Path, rows: Objects) -> Iterator[HarnessAnswer]:
    """Read rows of an experiment; an item is what was asked, since ids are those of single answers."""
    for row in _only_objects(rows):
        about = _inner(row.get("metadata"))
        asked = row.get("input")
        scores = {name: one for name, one in _inner(row.get("scores")).items() if one is not None}
        if scores or row.get("error") is not None:
            yield HarnessAnswer(
                model=shown(about.get("model") or path.stem),
                item=asked if isinstance(asked, str | int) else json.dumps(asked, sort_keys=True),
                scores=scores,
                failed=row.get("error") is not None and not scores,
                asked=asked,
                fields=about,
            )


def _eval_name(rows: Any) -> str | None:
    name = _inner(rows[0].get("spec")).get("eval_name")
    return None if name is None else shown(name)


FORMS = (
    Harness("OpenAI evals", _first_has("spec"), _openai_answers, _eval_name),
    Harness("promptfoo", _is_promptfoo, _promptfoo_answers, usual="score"),
    Harness("HELM", _first_has("instance_id", "stats"), _helm_answers),
    Harness("Braintrust", _first_has("input", "scores", "expected"), _braintrust_answers),
    Harness("DeepEval", lambda found: isinstance(found, dict) and "testCases" in found, _deepeval_answers),
)

"""Scores from results of OpenAI evals, promptfoo, HELM, DeepEval, Braintrust, EDSL, MLflow."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from concord.comparing.records import (
    ScoreFile,
    choose_score,
    each_once,
    family_of,
    frame_of,
    graded,
    item_name,
    score_row,
    shown,
)
from concord.errors import FileFormatError
from concord.files.cells import number_or_none
from concord.files.contents import fingerprint_file, first_bytes, is_file
from concord.files.grids import Grid, plain_title
from concord.files.survey import edsl_document, edsl_interviews
from concord.files.tables import read_grid
from concord.files.text import vocabulary

Objects = Sequence[Mapping[str, Any]]
_NOT_SCORED = frozenset(("sampling", "raw_sample", "embedding", "cond_logp", "function_call", "extra"))
"""Events of OpenAI evals that record what was done, not how good it was."""
_LABELS = tuple(vocabulary()["labels"].split())
"""What may be beside an answer and says something of its score."""
_HEAD = 65536
"""Bytes in which the titles of a CSV file are looked for."""
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
    output: object = None
    """What was answered: a repeat with another text is another answer, not the same one scored again."""


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
    rates: bool = False
    """Whether the models are who scores, and what they were shown is what is scored."""


def harness_of(document: Any) -> Harness | None:
    """Return the form of a document; None where it is none that is known."""
    return None if document is None else next((one for one in FORMS if one.holds(document)), None)


def harness_table(path: Path) -> Any:
    """Return a CSV file that a harness wrote as what it writes as JSON; None for any other."""
    if path.suffix.lower() != ".csv" or not is_file(path):
        return None
    head = first_bytes(path, _HEAD)
    if b"model.model" not in head and b",Status,Score," not in head:
        return None
    grid = read_grid(path)
    columns = [grid.cells(j) for j in range(len(grid.header))]
    edsl = edsl_document(grid.header, zip(*columns, strict=True))
    return _promptfoo_table(grid) if edsl is None else edsl


def _scored_answers(
    path: Path, form: Harness, document: Any, metric: str | None
) -> tuple[list[HarnessAnswer], str]:
    """Read the answers of a document, and choose among their scores."""
    found = list(form.answers(path, document))
    if not found:
        raise FileFormatError(f"{path.name}: results of {form.name} without a scored answer")
    names = list(dict.fromkeys(name for one in found for name in one.scores))
    usual = form.usual if metric is None and form.usual in names else metric
    return found, choose_score(path.name, "metric", names, usual)


def judged_rows(path: Path, document: Any, *, metric: str | None) -> list[dict[str, object]] | None:
    """Return the scores of a harness's results as a judge's; None where the document is of no form."""
    form = harness_of(document)
    if form is None:
        return None
    found, chosen = _scored_answers(path, form, document, metric)
    rows: list[dict[str, object]] = []
    for one in found:
        score = None if one.failed else graded(path.name, shown(one.item), one.scores.get(chosen))
        said = {plain_title(str(name)): value for name, value in one.fields.items()}
        known = {"item": item_name(path.name, one.item), "repeat": shown(one.repeat), "score": score}
        if form.rates:  # what was shown says whose answer it is
            rows.append({**known, **said, "score": score, "judge": one.model})
        else:
            labels = {name: said[name] for name in _LABELS if name in said}
            text = None if one.output is None else shown(one.output)
            rows.append({**labels, **known, "system": one.model, "judge": chosen, "answer": text})
    return rows


def read_harness(
    path: Path, document: Any, *, metric: str | None, cluster: str | None
) -> list[ScoreFile] | None:
    """Read the models of a harness's results; None where the document is of no form that is known."""
    form = harness_of(document)
    if form is None:
        return None
    found, chosen = _scored_answers(path, form, document, metric)
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
    family = family_of(one.fields, cluster, f"{source}: item {item!r} has no", "fields")
    asked = None if one.asked is None else json.dumps(one.asked, sort_keys=True, default=shown)
    mark = None if asked is None else hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
    value, failed = one.scores.get(metric), one.failed
    return score_row(source, item, value, repeat=one.repeat, failed=failed, family=family, mark=mark)


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
        return _first_has("promptIdx", "namedScores")(document) or _first_has("testIdx", "promptIdx")(
            document
        )
    rows = _promptfoo_rows(document) if isinstance(document, dict) else []
    return (
        bool(rows) and {"success", "score"} <= rows[0].keys() and ("vars" in rows[0] or "testCase" in rows[0])
    )


def _promptfoo_answers(path: Path, document: Any) -> Iterator[HarnessAnswer]:
    """Read rows; a test that is there again for one model is a repeat, as ``--repeat`` writes it."""
    rows = sorted(
        _promptfoo_rows(document), key=lambda row: one if isinstance(one := row.get("testIdx"), int) else 0
    )
    tests = [_promptfoo_test(row) for row in rows]
    models = _promptfoo_models(rows, path)
    places = {test: place for place, test in enumerate(dict.fromkeys(tests))}
    met: Counter[tuple[str, str]] = Counter()
    for model, test, row in zip(models, tests, rows, strict=True):
        met[model, test] += 1
        variables = _inner(row.get("vars"))
        case = _inner(row.get("testCase"))
        yield HarnessAnswer(
            model=model,
            item=places[test],
            scores={
                "score": row.get("score"),
                "success": row.get("success"),
                **_inner(row.get("namedScores")),
            },
            repeat=met[model, test],
            failed=row.get("failureReason") == _ERRORED,
            asked=variables if variables else None,
            fields={**variables, **_inner(case.get("metadata"))},
            output=_inner(row.get("response")).get("output"),
        )


def _promptfoo_test(row: Mapping[str, Any]) -> str:
    """Return what makes a test: its variables, and what is asserted."""
    case = _inner(row.get("testCase"))
    parts = [row.get("vars"), case.get("vars"), case.get("assert"), case.get("description")]
    return row["testIdx"] if not any(parts) and "testIdx" in row else json.dumps(parts, sort_keys=True)


def _promptfoo_models(rows: Objects, path: Path) -> list[str]:
    """Name the model of each row; one that was asked with several prompts, or is there twice, by which."""
    named = [_provider(row, path) for row in rows]
    prompts = [_inner(row.get("prompt")).get("label", row.get("promptIdx")) for row in rows]
    asked = list(dict.fromkeys(prompts))
    made = [
        f"{name}, prompt {asked.index(prompt) + 1}"
        if len({p for n, p in zip(named, prompts, strict=True) if n == name}) > 1
        else name
        for name, prompt in zip(named, prompts, strict=True)
    ]
    columns: dict[str, list[object]] = {}
    for name, row in zip(made, rows, strict=True):
        held = columns.setdefault(name, [])
        if row.get("promptIdx") not in held:
            held.append(row.get("promptIdx"))
    return [
        f"{name}, column {columns[name].index(row.get('promptIdx')) + 1}" if len(columns[name]) > 1 else name
        for name, row in zip(made, rows, strict=True)
    ]


def _promptfoo_table(grid: Grid) -> list[dict[str, Any]] | None:
    """Return the rows of a CSV file of promptfoo: variables, then a block of columns per model."""
    starts = [j - 1 for j, (a, b) in enumerate(pairwise(grid.header)) if (a, b) == ("Status", "Score") and j]
    if not starts:
        return None
    rows, variables = [], range(starts[0])
    for block, start in enumerate(starts):
        end = starts[block + 1] if block + 1 < len(starts) else len(grid.header)
        named = re.fullmatch(r"\[(.*?)\] (.*)", grid.header[start], re.DOTALL)
        held = {title: grid.cells(j) for j, title in enumerate(grid.header) if start < j < end}
        metrics = {title.removeprefix("Metric: "): column for title, column in held.items()
                   if title.startswith("Metric: ")}  # fmt: skip
        for i in range(len(grid.rows)):
            rows.append({
                "provider": grid.header[start] if named is None else named[1],
                "prompt": {"label": "" if named is None else named[2]},
                "promptIdx": block,
                "vars": {grid.header[j]: grid.cells(j)[i] for j in variables},
                "score": held["Score"][i],
                "success": held["Status"][i] == "PASS",
                "namedScores": {name: column[i] for name, column in metrics.items()},
                "response": {"output": grid.cells(start)[i]},
                "failureReason": _ERRORED if held["Status"][i] == "ERROR" else 0,
            })  # fmt: skip
    return rows


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
    told = _inner(document.get("hyperparameters")).get("model")
    model = shown(told) if told else path.parent.name or path.stem
    for place, case in enumerate(_only_objects(document.get("testCases"))):
        metrics = _only_objects(case.get("metricsData"))
        yield HarnessAnswer(
            model=model,
            item=case.get("name") or place,
            scores={shown(one.get("name")): one.get("score") for one in metrics},
            failed=bool(metrics) and all(one.get("error") for one in metrics),
            asked=case.get("input"),
            fields=_inner(case.get("additionalMetadata")),
            output=case.get("actualOutput"),
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
                output=row.get("output"),
            )


def _edsl_answers(path: Path, document: Any) -> Iterator[HarnessAnswer]:
    """Read interviews: the item is the scenario, and the answers in numbers are the scores."""
    found = edsl_interviews(document)
    rows = [] if found is None else found
    people = {shown(row["agent"]) for row in rows}
    for place, row in enumerate(rows):
        name = shown(row["model"]) if row["model"] else path.stem
        said = {key: value for key, value in row["scenario"].items() if value is not None}
        yield HarnessAnswer(
            model=f"{name}, {row['agent']}" if len(people) > 1 else name,
            item=json.dumps(said, sort_keys=True, default=shown) if said else "all",
            scores={key: value for key, value in row["answer"].items() if number_or_none(value) is not None},
            repeat=row["repeat"] if row["repeat"] is not None else place,
            asked=said,
            fields=said,
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
    Harness("EDSL", lambda found: edsl_interviews(found) is not None, _edsl_answers, rates=True),
)

"""Every reader, given mutated input, ends in a result or a `ConcordError`; nothing else comes out of it."""

import csv
import io
import json
import random
import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.files.grids import workbook
from tests.hostile.every_command import write_runs
from tests.hostile.nasty import TEXTS, VALUES, mutated_bytes, mutated_cells, mutated_json
from tests.hostile.newer_readers import NEWER, damaged_run

import concord
from concord.comparing.scores import read_scores
from concord.comparing.tables import ScoreColumns
from concord.errors import ConcordError
from concord.files.columns import read_columns
from concord.files.tables import TableOptions, read_grid
from concord.people.table.read import read_tests
from concord.reasoning.read.check import check_replies
from concord.reasoning.read.replies import read_bias_cases, read_samples
from concord.reasoning.words.names import read_aliases
from concord.structure.items import read_items
from concord.structure.read.folder import read_folders
from concord.structure.read.long import read_long
from concord.structure.records import ReadOptions

pytestmark = pytest.mark.long

CASES = 200
MANY = 20_000
REPORTS = 40

TESTS: list[list[Any]] = [
    ["study", "finding", "test", "test_type", "human_statistic", "human_n", "human_p_value",
     "agent_table", "human_reported", "agent_reported", "agent_statistic", "agent_n"],
    ["S1", "F1", "a", "t-test", 2.4, 60, 0.02, "", "", "", 1.5, 60],
    ["S1", "F2", "b", "F", "", "", "", "", "F(1, 58) = 5.1, p = .03", "F(1, 58) = 2.2", "", ""],
    ["S2", "F1", "c", "chi-square", "", "", "", "[[10, 20], [20, 10]]", "", "", "", ""],
]  # fmt: skip
LONG: list[list[Any]] = [
    ["model", "arrangement", "item", "S_mean", "S_max"],
    *([m, a, i, 0.4, 0.6] for m in ("m", "n") for a in ("AB", "BA") for i in ("x", "y")),
]
SCORES: list[list[Any]] = [
    ["item", "score", "cluster", "repeat"],
    ["a", 1, "f", 1],
    ["b", 0.5, "f", 1],
    ["c", "C", "g", 2],
]
SAMPLES = {
    "samples": [{"id": i, "prompt": "p", "gold_answer": "gout", "gold_reasoning": ["red toe"]} for i in "ab"]
}
CASES_ = {
    "cases": [
        {"id": "a", "prompt": "p", "bias_feature": "f", "bias_label": "l", "metadata": {"role": "target"}}
    ]
}
ITEMS = {
    "items": [{"id": "a", "question": "q?", "options": ["x", "y"], "answer": "x"}],
    "template": "plain.v1",
}
HEADER = {"eval": {"task": "t", "model": "m", "dataset": {"sample_ids": [1]}, "config": {}},
          "status": "success"}  # fmt: skip
SUMMARIES = [{"id": i, "epoch": 1, "input": "q", "target": "a", "scores": {"acc": {"value": "C"}},
              "metadata": {"f": 1}}
             for i in range(3)]  # fmt: skip
LM_EVAL = [
    {"doc_id": i, "metrics": ["acc"], "filter": "none", "acc": 1.0, "doc": {"f": 1}, "doc_hash": "h"}
    for i in range(3)
]


def _csv(path: Path, rows: list[list[Any]]) -> Path:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    path.write_bytes(out.getvalue().encode("utf-8", "surrogatepass"))
    return path


def _json(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def _lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def _objects(rows: list[list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(map(str, rows[0]), row, strict=False)) for row in rows[1:]]


def _eval(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():  # of no time: the same bytes on every day
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return path


def _log(rng: random.Random | None = None) -> dict[str, bytes]:
    header, summaries = HEADER, SUMMARIES
    if rng is None:  # as it is, to be damaged in its bytes
        pass
    elif rng.random() < 0.5:
        header = mutated_json(HEADER, rng)
    else:
        summaries = mutated_json(SUMMARIES, rng)
    return {"header.json": json.dumps(header).encode(), "summaries.json": json.dumps(summaries).encode()}


Reader = Callable[[random.Random, Path], object]


def _structure_books(rng: random.Random, tmp: Path) -> object:
    for side in ("a", "b"):
        shutil.rmtree(tmp / side, ignore_errors=True)
        (tmp / side).mkdir()
        rows: list[list[Any]] = [["Idiom", "P_S_Acc"], ["x", 0.4], ["y", 0.5]]
        path = workbook(tmp / side, {"P": rows, "Q": rows}, "m.xlsx")
        path.write_bytes(mutated_bytes(path.read_bytes(), rng))
    return read_folders(tmp / "a", tmp / "b", ReadOptions())


def _bytes_of(make: Callable[[Path], Path], read: Callable[[Path], object]) -> Reader:
    whole: dict[str, bytes] = {}

    def case(rng: random.Random, tmp: Path) -> object:
        if "data" not in whole:
            made = make(tmp)
            whole.update(data=made.read_bytes(), name=made.name.encode())
        path = tmp / whole["name"].decode()
        path.write_bytes(mutated_bytes(whole["data"], rng))
        return read(path)

    return case


def _parquet(tmp: Path) -> Path:
    pl.DataFrame(_objects(LONG)).write_parquet(tmp / "t.parquet")
    return tmp / "t.parquet"


def _scored(path: Path) -> object:
    return read_scores(path, columns=ScoreColumns(cluster="f"))


READERS: dict[str, Reader] = {
    "tests, CSV cells": lambda rng, tmp: read_tests(_csv(tmp / "t.csv", mutated_cells(TESTS, rng, TEXTS))),
    "tests, CSV bytes": _bytes_of(lambda tmp: _csv(tmp / "t.csv", TESTS), read_tests),
    "tests, JSON values": lambda rng, tmp: read_tests(
        _json(tmp / "t.json", mutated_json(_objects(TESTS), rng))
    ),
    "tests, rows": lambda rng, tmp: read_tests(mutated_json(_objects(TESTS), rng)),
    "tests, workbook bytes": _bytes_of(lambda tmp: workbook(tmp, {"S": TESTS}), read_tests),
    "tests, Parquet bytes": _bytes_of(_parquet, read_grid),
    "long table, CSV cells": lambda rng, tmp: read_long(
        _csv(tmp / "l.csv", mutated_cells(LONG, rng, TEXTS)), ReadOptions()
    ),
    "long table, rows": lambda rng, tmp: read_long(
        _objects(mutated_cells(LONG, rng, VALUES)), ReadOptions(strict=False)
    ),
    "long table, Parquet bytes": _bytes_of(_parquet, lambda path: read_long(path, ReadOptions())),
    "structure, workbook bytes": _structure_books,
    "scores, CSV cells": lambda rng, tmp: read_scores(_csv(tmp / "s.csv", mutated_cells(SCORES, rng, TEXTS))),
    "scores, rows": lambda rng, tmp: read_scores(_objects(mutated_cells(SCORES, rng, VALUES))),
    "scores, JSON lines": lambda rng, tmp: read_scores(
        _lines(tmp / "s.jsonl", _listed(mutated_json(_objects(SCORES), rng)))
    ),
    "scores, JSON lines bytes": _bytes_of(lambda tmp: _lines(tmp / "s.jsonl", _objects(SCORES)), read_scores),
    "lm-eval values": lambda rng, tmp: _scored(
        _lines(tmp / "samples_x.jsonl", _listed(mutated_json(LM_EVAL, rng)))
    ),
    "Inspect log, values": lambda rng, tmp: _scored(_eval(tmp / "l.eval", _log(rng))),
    "Inspect log, bytes": _bytes_of(lambda tmp: _eval(tmp / "l.eval", _log()), _scored),
    "Inspect log, JSON": lambda rng, tmp: _scored(
        _json(tmp / "l.json", mutated_json({**HEADER, "samples": SUMMARIES}, rng))
    ),
    "vignettes": lambda rng, tmp: read_samples(_json(tmp / "v.json", mutated_json(SAMPLES, rng))),
    "vignettes, bytes": _bytes_of(lambda tmp: _json(tmp / "v.json", SAMPLES), read_samples),
    "bias cases": lambda rng, tmp: read_bias_cases(_json(tmp / "c.json", mutated_json(CASES_, rng))),
    "aliases": lambda rng, tmp: read_aliases(
        _json(tmp / "a.json", mutated_json({"aliases": {"Gout": ["g"]}}, rng))
    ),
    "items": lambda rng, tmp: read_items(_json(tmp / "i.json", mutated_json(ITEMS, rng))),
    "replies": lambda rng, tmp: check_replies(
        _lines(
            tmp / "r.jsonl",
            _listed(mutated_json([{"id": "a", "mode": "cot", "response": "x", "repeat": 0}] * 2, rng)),
        )
    ),
    "replies, bytes": _bytes_of(
        lambda tmp: _lines(tmp / "r.jsonl", [{"id": "a", "mode": "cot", "response": "x"}]), check_replies
    ),
    **NEWER,
    "columns of a frame": lambda rng, tmp: read_columns(
        pl.DataFrame([pl.Series("a", [rng.choice(VALUES[:20])], strict=False)]), TableOptions()
    ).take(["a"]),
}


@pytest.mark.parametrize("name", list(READERS))
def test_what_is_mutated_is_read_when_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A reader that refuses the whole input is never tried any deeper."""
    for module in ("test_mutations", "newer_readers"):
        for what in ("cells", "bytes", "json"):
            monkeypatch.setattr(
                f"tests.hostile.{module}.mutated_{what}", lambda whole, *_: whole, raising=False
            )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        READERS[name](random.Random(0), tmp_path)  # noqa: S311 - a fixed seed


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """One folder of each kind of result."""
    base = tmp_path_factory.mktemp("results")
    rows = [
        {"study": f"S{i % 3}", "finding": f"F{i}", "test": "t", "test_type": "t-test", "human_statistic": 2.0,
         "human_n": 60, "agent_statistic": 1.0 + i, "agent_n": 60} for i in range(6)
    ]  # fmt: skip
    concord.score_people(rows, n_resamples=0, n_simulations=0).write(base / "people")
    concord.score_structure(scores=_objects(LONG), reading="paired", resamples=200).write(base / "structure")
    _write_reasoning(base / "reasoning")
    yield {kind: base / kind for kind in KINDS}


KINDS = ("people", "structure", "reasoning")


def _write_reasoning(folder: Path) -> None:
    """Score a dozen replies and two bias cases."""
    samples = [
        {
            "id": f"v{i}",
            "prompt": "p",
            "gold_answer": ("Gout", "Migraine")[i % 2],
            "gold_reasoning": ["red toe"],
        }
        for i in range(6)
    ]
    replies = [
        {
            "id": one["id"],
            "mode": mode,
            "response": f"REASONING: a red toe. DIAGNOSIS: {('Gout', 'Sepsis')[i % 2]}",
        }
        for i, one in enumerate(samples)
        for mode in ("cot", "direct")
    ]
    cases = [{**CASES_["cases"][0], "id": f"c{i}"} for i in range(2)]
    biased = [{"id": one["id"], "response": "DIAGNOSIS: l"} for one in cases]
    folder.mkdir()
    concord.score_reasoning(
        samples, _lines(folder / "replies.jsonl", replies), bias_cases=cases,
        bias_replies=_lines(folder / "bias_replies.jsonl", biased), model="m", n_resamples=100,
    ).write(folder)  # fmt: skip


def _folder_case(kind: str, results: dict[str, Path], rng: random.Random, tmp: Path) -> object:
    """Mutate one file of a result folder and compare the folder with the whole one."""
    return concord.compare(results[kind], _damaged(kind, results, rng, tmp), n_flips=200)


def _report_case(kind: str, results: dict[str, Path], rng: random.Random, tmp: Path) -> object:
    """Mutate one file of a result folder and show the folder."""
    return concord.report(_damaged(kind, results, rng, tmp), out=tmp / "r.html")


def _damaged(kind: str, results: dict[str, Path], rng: random.Random, tmp: Path) -> Path:
    """Copy a result folder and mutate one file of the copy."""
    folder = tmp / kind
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(results[kind], folder)
    path = rng.choice([path for path in folder.rglob("*") if path.is_file()])
    if path.suffix == ".json" and rng.random() < 0.6:
        _json(path, mutated_json(json.loads(path.read_text("utf-8")), rng))
    elif path.suffix == ".csv" and rng.random() < 0.6:
        _csv(path, mutated_cells(list(csv.reader(io.StringIO(path.read_text("utf-8")))), rng, TEXTS))
    else:
        path.write_bytes(mutated_bytes(path.read_bytes(), rng))
    return folder


def _tried(case: Callable[[random.Random], object], seed: int) -> None:
    """Run one case; whatever is neither a result nor a deliberate error is told with its seed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case(random.Random(seed))  # noqa: S311 - a fixed seed
        except ConcordError as error:
            assert 0 < len(str(error)) < 200_000, f"seed {seed}"
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise


@pytest.mark.parametrize("name", list(READERS))
def test_a_reader_ends_in_a_result_or_a_message(tmp_path: Path, name: str) -> None:
    for seed in range(60 if "Parquet" in name or "workbook" in name else CASES):
        _tried(lambda rng: READERS[name](rng, tmp_path), seed)


@pytest.mark.parametrize(
    ("name", "seed"),
    [("verdicts, CSV cells", 900_598), ("files of every kind, checked", 1_700_786),
     ("edsl_survey.json, people beside", 3_100_130)],
)  # fmt: skip
def test_what_once_had_no_message_has_one(tmp_path: Path, name: str, seed: int) -> None:
    _tried(lambda rng: READERS[name](rng, tmp_path), seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(READERS))
def test_a_reader_ends_in_a_result_or_a_message_very_often(tmp_path: Path, name: str) -> None:
    for seed in range(CASES, CASES + (3000 if "Parquet" in name or "workbook" in name else MANY)):
        _tried(lambda rng: READERS[name](rng, tmp_path), seed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_result_folder_ends_in_a_result_or_a_message(
    tmp_path: Path, results: dict[str, Path], kind: str
) -> None:
    for seed in range(CASES if kind == "reasoning" else CASES // 2):
        _tried(lambda rng: _folder_case(kind, results, rng, tmp_path), seed)


@pytest.mark.parametrize("name", ["run", "asked", "sat"])
def test_a_damaged_run_is_scored_or_ends_in_a_message(tmp_path: Path, name: str) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    write_runs(tmp_path, only=name)
    for seed in range(CASES // 4):
        _tried(lambda rng: damaged_run(tmp_path / name, rng, tmp_path / "copy"), seed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_of_a_damaged_folder_is_a_page_or_a_message(
    tmp_path: Path, results: dict[str, Path], kind: str
) -> None:
    for seed in range(REPORTS):
        _tried(lambda rng: _report_case(kind, results, rng, tmp_path), seed)

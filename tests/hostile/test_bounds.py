"""What grows without end in a small file is counted first, and refused above its limit."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import concord
from concord.comparing.scores import read_scores
from concord.errors import FileFormatError, InputError, LinesError
from concord.files import limits
from concord.files.columns import as_names
from concord.files.json_text import Problems, UnusableError
from concord.reasoning.read.replies import read_replies, read_samples
from concord.reasoning.words.names import read_aliases

HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "dataset": {}}}


def _sample(i: int, epoch: int = 1, **more: Any) -> dict[str, Any]:
    return {"id": i, "epoch": epoch, "scores": {"acc": {"value": "CI"[i % 2]}}, **more}


def _log(path: Path, members: dict[str, object]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, json.dumps(content))
    return path


@pytest.mark.parametrize("form", ["finished", "journal", "json"])
def test_samples_of_a_log_are_counted_over_all_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr("concord.files.limits.LOG_SAMPLES", 4)
    for count in (4, 5):
        samples = [_sample(i) for i in range(count)]
        if form == "json":
            path = tmp_path / "l.json"
            path.write_text(json.dumps({**HEADER, "samples": samples}), "utf-8")
        elif form == "journal":
            parts = {f"_journal/summaries/{i}.json": [one] for i, one in enumerate(samples)}
            path = _log(tmp_path / "l.eval", {"_journal/start.json": {"eval": HEADER["eval"]}, **parts})
        else:
            path = _log(tmp_path / "l.eval", {"header.json": HEADER, "summaries.json": samples})
        if count == 4:
            assert read_scores(path).frame.height == 4
        else:
            with pytest.raises(FileFormatError, match=r"^l\.\w+: more than 4 samples; split the log"):
                read_scores(path)


def test_a_sample_that_is_in_a_log_twice_is_still_named(tmp_path: Path) -> None:
    samples = [_sample(1), _sample(2), _sample(1, 2), _sample(2)]
    path = _log(tmp_path / "l.eval", {"header.json": HEADER, "summaries.json": samples})
    with pytest.raises(FileFormatError, match=r"1 sample is there more than once, the first '2' of epoch 1"):
        read_scores(path)


def test_what_a_sample_asks_is_the_same_in_every_form_of_writing_it(tmp_path: Path) -> None:
    plain = [_sample(1, input="q", target="a"), _sample(2, input="q", target="b")]
    listed = [
        _sample(1, input=[{"role": "user", "content": "q"}], target=["a"]),
        _sample(2, input=[{"role": "user", "content": "r"}], target=["b"]),
    ]
    frames = [
        read_scores(_log(tmp_path / f"{i}.eval", {"header.json": HEADER, "summaries.json": samples})).frame
        for i, samples in enumerate((plain, listed))
    ]
    one, other = (frame["fingerprint"].to_list() for frame in frames)
    assert one[0] == other[0] and one[1] != other[1] and one[0] != one[1]


def test_reading_stops_where_a_file_is_of_another_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("concord.files.limits.UNUSABLE_LINES", 5)
    read = []
    problems = Problems("r.jsonl")
    with pytest.raises(LinesError, match=r"r\.jsonl, line 1: .*"):
        for number in range(1, 1000):
            with problems.at(number, "line"):
                read.append(number)
                raise UnusableError("bad", "1", "an object")
    assert len(read) == 6
    (tmp_path / "r.jsonl").write_text("1\n" * 50, "utf-8")
    found = concord.check(tmp_path / "r.jsonl")
    assert not found.passed and len(found.problems) == 6
    samples = read_samples([{"id": "a", "prompt": "p", "gold_answer": "g", "gold_reasoning": []}])
    with pytest.raises(LinesError, match="line 1"):
        read_replies(tmp_path / "r.jsonl", samples, strict=False)


@pytest.mark.parametrize("command", ["check", "score_judge", "score_options", "compare", "replies"])
def test_lines_are_counted_before_the_first_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("concord.files.limits.ROWS", 3)
    path = tmp_path / "t.jsonl"
    path.write_text("{}\n\n{}\n \n{}\nno row\n", "utf-8")
    readers: dict[str, Callable[[Path], object]] = {
        "check": concord.check,
        "score_judge": concord.score_judge,
        "score_options": concord.score_options,
        "compare": lambda one: concord.compare(one, one),
        "replies": lambda one: read_replies(one, read_samples([])),
    }
    with pytest.raises(FileFormatError, match=r"t\.jsonl: 4 rows, expected at most 3"):
        readers[command](path)


def test_names_have_a_limit_each_and_in_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    long = pl.Series("item", ["x" * (4 * limits.CELL_CHARACTERS + 1), None])
    with pytest.raises(FileFormatError, match=r"t, column 'item': a name of 524,289 bytes, expected at most"):
        as_names("t", long)
    monkeypatch.setattr("concord.files.limits.NAME_BYTES", 10)
    assert as_names("t", pl.Series("item", ["x" * 5, None, "y" * 5])).to_list() == ["xxxxx", None, "yyyyy"]
    with pytest.raises(FileFormatError, match=r"names of 11 bytes in all, expected at most 10"):
        as_names("t", pl.Series("item", ["x" * 5, "y" * 6]))


@pytest.mark.parametrize("form", ["rows", "columns", "files"])
def test_very_many_models_are_not_compared_in_pairs(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setattr("concord.files.limits.COMPARED_MODELS", 3)

    def tables(count: int) -> list[list[dict[str, object]]]:
        models = range(count)
        if form == "rows":
            return [[{"model": f"m{m}", "item": i, "score": (i + m) % 2} for m in models for i in range(8)]]
        if form == "columns":
            return [[{"item": i, **{f"m{m}": (i + m) % 2 for m in models}} for i in range(8)]]
        return [[{"item": i, "score": (i + m) % 2} for i in range(8)] for m in models]

    assert concord.compare(*tables(3))
    with pytest.raises(FileFormatError, match="4 models, more than the 3 that are scored at once; leave out"):
        concord.compare(*tables(4))


def test_very_many_groups_of_answers_are_sorted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def counted(values: Any) -> Any:
        looked_at.append(np.size(values))
        return np.isnan(values)

    own = SimpleNamespace(**{**vars(np), "isnan": counted})
    monkeypatch.setattr("concord.people.answers.score.np", own)
    rows = [
        {"outcome": "o", "group": f"g{i % 300}", "human": i % 5, "agent": (i + i % 3) % 5}
        for i in range(1200)
    ]
    assert concord.score_answers(rows, n_resamples=10).agents
    assert 2 * len(rows) <= sum(looked_at) < 20 * len(rows)  # all answers for every group: 600 times as many


def test_models_of_hints_and_probed_vignettes_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("concord.files.limits.COMPARED_MODELS", 3)
    monkeypatch.setattr("concord.files.limits.PROBED", 3)
    counts = {"both_count": 1, "thinking_only_count": 1, "answer_only_count": 1, "neither_count": 1}
    hints = [{"model": f"m{i}", "influenced_count": 4, **counts} for i in range(4)]
    probes = [
        {"probe": "early", "id": f"v{i}", "cell": "prefix", "step": k, "n_steps": 2, "answer": "A"}
        for i in range(4)
        for k in range(3)
    ]
    assert concord.score_hints(hints[:3]) and concord.score_probes(probes[:9], model="m")
    with pytest.raises(FileFormatError, match="4 models, more than the 3"):
        concord.score_hints(hints)
    with pytest.raises(FileFormatError, match="4 vignettes, more than the 3"):
        concord.score_probes(probes, model="m")


def test_other_names_of_one_answer_have_a_limit() -> None:
    names = [f"podagra {i}" for i in range(1_001)]
    assert len(read_aliases({"Gout": names[:-1]})["Gout"]) == 1_000
    with pytest.raises(FileFormatError, match="aliases: 1,001 names of 'Gout', more than the 1,000"):
        read_aliases({"Gout": names})


def test_arms_of_a_combination_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("concord.files.limits.ARMS", 3)
    rng = np.random.default_rng(0)

    def rows(n_arms: int, n: int) -> list[dict[str, Any]]:
        values = rng.normal(size=(n_arms, n))
        return [
            {"arm": f"a{k}", "answer": y, "prediction": y + 1}
            for k in range(n_arms)
            for y in values[k].tolist()
        ]

    further = [{"arm": row["arm"], "prediction": row["prediction"]} for row in rows(4, 20)]
    assert len(concord.combine(rows(3, 20), further[:60]).estimates) == 3
    with pytest.raises(FileFormatError, match="the table of people: 4 arms, more than the 3"):
        concord.combine(rows(4, 20), further)


def test_arrangements_and_the_area_they_span_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """70,000 rows, each of an item and an arrangement of its own, would span 39 GB."""
    monkeypatch.setattr("concord.files.limits.ARRANGEMENTS", 4)
    monkeypatch.setattr("concord.files.limits.SPANNED", 30)

    def table(n_items: int, n_arrangements: int) -> Path:
        rows = [(f"p{k}", f"i{i}", (i + k) % 2) for k in range(n_arrangements) for i in range(n_items)]
        frame = pl.DataFrame(rows, schema=["arrangement", "item", "correct"], orient="row")
        frame.write_csv(tmp_path / "s.csv")
        return tmp_path / "s.csv"

    assert concord.score_structure(scores=table(7, 4)).models
    with pytest.raises(InputError, match=r"s\.csv: 5 arrangements, more than the 4"):
        concord.score_structure(scores=table(3, 5))
    with pytest.raises(InputError, match=r"s\.csv: 32 items by arrangements, more than the 30"):
        concord.score_structure(scores=table(8, 4))


def test_a_recorded_reply_that_is_too_long_is_a_failed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("concord.files.limits.REPLY_CHARACTERS", 100)
    monkeypatch.setattr("concord.files.limits.REPLY_KEPT", 10)
    samples = read_samples([{"id": "a", "prompt": "p", "gold_answer": "g", "gold_reasoning": []}])
    rows = [
        {"id": "a", "mode": mode, "response": "x" * n, "thinking": thinking}
        for mode, n, thinking in (("cot", 100, "y" * 101), ("direct", 100, None))
    ]
    long, short = read_replies(rows, samples).rows
    assert long.failure == "too long: 101 characters, expected at most 100"
    assert (len(long.response), long.thinking) == (10, "y" * 10)
    assert short.failure is None and len(short.response) == 100

"""A judge is asked about pairs in both orders; its replies are read, its run is scored."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.asking.commands import concord as command

from concord.asking import weights
from concord.asking.asked.judge import lay_out_pairs
from concord.asking.runs import job
from concord.errors import FileFormatError, OptionError
from concord.structure.judging.design import read_pairs, result_of
from concord.structure.judging.plain import said_seat


@pytest.mark.parametrize(
    ("reply", "seat"),
    [
        ("1", "first"),
        ("Answer 2", "second"),
        (" **2**.", "second"),
        ("0", "tie"),
        ("I compared both. [[B]]", "second"),
        ("[[A]] at first sight, but finally [[C]]", "tie"),
        ("The better answer is 1.", "first"),
        ("Both are equally good.", "tie"),
        ("1\n\nAnswer 1 is right.", "first"),
        ("12", None),
        ("Answer 1 is better. Answer 2 is better.", None),
        ("What can I help you with?", None),
        ("", None),
    ],
)
def test_a_reply_is_read_as_a_seat_or_not_at_all(reply: str, seat: str | None) -> None:
    assert said_seat(reply) == (None if seat is None else ("first", "second", "tie").index(seat))


def test_every_pair_is_asked_in_both_orders_as_often_as_votes_are_wanted() -> None:
    design = lay_out_pairs(limit=3, repeats=2)
    assert len(design.trials) == 3 * 2 * 2
    ab, ba = design.trials[:2]
    assert (ab.item, ab.cell, ba.item, ba.cell) == ("pair-01", "ab", "pair-01", "ba")
    first = ab.messages[0].text
    assert first.index("open lattice") < first.index("colder than the water")
    second = ba.messages[0].text
    assert second.index("colder than the water") < second.index("open lattice")


def test_a_run_from_python_takes_two_votes() -> None:
    assert len(job("judge", "local/smollm2-135m", limit=2).design.trials) == 8


def test_a_table_of_pairs_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("prompt,answer_a,answer_b,human\nq,x,y,a;tie\nr,x,z,\n", "utf-8")
    pairs = read_pairs(path)
    assert [(pair.id, pair.human) for pair in pairs] == [("pair-1", ("a", "tie")), ("pair-2", ())]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"prompt": "q", "answer_a": "x"}], "pair 1: 'answer_b' is None, expected text"),
        ([{"id": 1, "prompt": "q", "answer_a": "x", "answer_b": "y"}] * 2, "two pairs are called '1'"),
        ([{"prompt": "q", "answer_a": "x", "answer_b": "y", "human": "c"}], "expected a, b or tie"),
    ],
)
def test_a_pair_that_cannot_be_asked_is_named(
    tmp_path: Path, rows: list[dict[str, Any]], message: str
) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps({"pairs": rows}), "utf-8")
    with pytest.raises(FileFormatError, match=message):
        read_pairs(path)


def test_pairs_come_from_a_file_or_from_two_runs() -> None:
    with pytest.raises(OptionError, match="give a file of pairs, or two runs"):
        lay_out_pairs(first="x")


def test_stored_replies_become_votes_and_unreadable_ones_are_counted_by_order() -> None:
    design = lay_out_pairs(limit=10, repeats=2)
    rows = [
        {"id": trial.item, "mode": trial.cell, "repeat": trial.repeat, "outcome": "ok", "response": "1"}
        for trial in design.trials
    ]
    rows[0] = {**rows[0], "outcome": "truncated"}
    judge = result_of(dict(design.files), rows, model="m", source="s", seed=0).judge()
    assert judge.position == "first"
    assert judge.n_unreadable == 1
    assert judge.pairs[0].unreadable == (1, 0, 0)
    assert judge.numbers["agreement"].value == pytest.approx(0.5)


needs_weights = pytest.mark.usefixtures("embedded_model")


@pytest.mark.slow
@pytest.mark.long
@needs_weights
def test_the_embedded_model_judges_and_its_run_is_scored(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `live` is not installed")
    asked = ("run", "judge", "--model", "local/smollm2-135m", "--limit", "3", "--max-tokens", "8", "--yes")
    cache = {"CONCORD_CACHE": str(weights.cache_folder())}
    done = command(*asked, "--out", "r", "--json", cwd=tmp_path, **cache)
    replies = (tmp_path / "r" / "replies.jsonl").read_text("utf-8").splitlines()
    assert len({json.loads(line)["key"] for line in replies}) == 3 * 2 * 2, done.stderr
    scored = tmp_path / "r" / "results" / "judge.json"
    if not scored.exists():  # a model of this size may end none of its replies in eight tokens
        assert ("12 truncated" in done.stderr, done.returncode) == (True, 4)
        return
    assert done.returncode == 0, done.stderr
    (judge,) = json.loads(scored.read_text("utf-8"))["judges"]
    votes = sum(sum(pair["ab"]) + sum(pair["ba"]) + sum(pair["unreadable"]) for pair in judge["pairs"])
    assert votes == 12


def test_two_runs_give_the_pairs_that_both_answered(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    from concord.asking.runs import run

    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        run("structure", "mockllm/model", limit=2, arrangements=2, out=folder)
    design = lay_out_pairs(first=folders[0], second=folders[1], repeats=1)
    assert len(design.trials) == 2 * 2 * 2
    kept = json.loads(dict(design.files)["pairs.json"])["pairs"]
    assert {(pair["model_a"], pair["model_b"]) for pair in kept} == {
        ("mockllm/model (one)", "mockllm/model (two)")
    }
    assert len({pair["cluster"] for pair in kept}) == 2


@pytest.mark.parametrize(
    ("reply", "seat"),
    [
        ("Answer 1 is clearly not as good", None),
        ("I cannot say that the better answer is 2", None),
        ("The two are not equal: answer 1 is better.", None),
        ("I should output [[A]] or [[B]]", None),
        ("I should output [[A]], [[B]] or [[C]]. My verdict: [[A]]", "first"),
        ("The second answer is much better.", "second"),
        ("Answer 2 is clearly better. It isn't close.", "second"),
        ("They are equally good.", "tie"),
    ],
)
def test_a_denied_or_quoted_verdict_is_none(reply: str, seat: str | None) -> None:
    assert said_seat(reply) == (None if seat is None else ("first", "second", "tie").index(seat))

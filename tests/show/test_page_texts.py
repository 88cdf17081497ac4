"""The page stays small whatever replies it is given, and says what it cut."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.show.made_results import write_lines
from tests.show.test_page import Elements, page_data

from concord import api
from concord.files.kept_replies import LONGEST
from concord.reports import page as make_page
from concord.show.page import find
from concord.show.page.data import BUDGET, Texts, _cap
from concord.show.page.find import find_replies


@pytest.fixture
def one(tmp_path: Path) -> Path:
    rows = [
        {"study": "s", "finding": f"F{i}", "test": f"t{i}", "test_type": "t-test", "human_statistic": 2.0 + i,
         "human_n1": 20, "human_n2": 20, "agent_statistic": 2.5, "agent_n1": 30, "agent_n2": 30}
        for i in range(3)
    ]  # fmt: skip
    api.score_people(rows, n_resamples=0).write(tmp_path / "one")
    return tmp_path / "one"


def texts_of(html: str) -> dict[str, Any]:
    parser = Elements()
    parser.feed(html)
    return page_data(parser, "texts")


def random_text(rng: random.Random, length: int) -> str:
    return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz ", k=length))


def test_a_reply_of_a_megabyte_stays_whole_where_there_is_room(one: Path) -> None:
    text = random_text(random.Random(1), 1_000_000)
    write_lines(one / "replies.jsonl", [{"id": "a", "mode": "cot", "response": text}, {"id": "b"}])
    html = make_page([one]).html
    assert "2 replies as they were given. Text only" in html
    assert texts_of(html)["texts"] == [text, ""]
    assert len(html.encode()) < BUDGET


@pytest.mark.long
def test_five_thousand_replies_of_ten_kilobytes_are_cut_to_one_length_and_counted(one: Path) -> None:
    rng = random.Random(2)
    long = random_text(rng, 200_000)
    starts = [rng.randrange(190_000) for _ in range(5000)]
    rows = [{"id": str(i), "response": long[at : at + 10_000]} for i, at in enumerate(starts)]
    rows[7]["response"] = "short"
    write_lines(one / "replies.jsonl", rows)
    html = make_page([one]).html
    assert 0.8 * BUDGET < len(html.encode()) <= BUDGET
    held = texts_of(html)
    cap = held["cap"]
    assert {len(text) for text in held["texts"]} == {cap, 5}
    said = f"5,000 replies as they were given; to keep the page small, 4,999 of them are cut after {cap:,} "
    assert said in html
    assert "Whole they are in one/replies.jsonl." in html


def test_more_replies_than_the_page_lists_are_taken_evenly_and_counted(
    one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "MOST_ROWS", 10)
    write_lines(one / "replies.jsonl", [{"id": str(i), "response": "y"} for i in range(1000)])
    write_lines(one / "bias_replies.jsonl", [{"id": "b", "response": "z"}])
    page = make_page([one])
    found = page.content.replies
    assert (len(found.rows), found.n_found, found.n_left_out) == (10, 1001, 991)
    assert [reply.id for _, reply in found.rows] == [
        *("0", "111", "222", "333", "444", "555", "666", "777", "888"),
        "b",
    ]
    assert "10 of 1,001 replies, evenly taken from the files. Whole they are in" in page.html


def test_what_no_page_could_hold_is_not_read(one: Path) -> None:
    write_lines(one / "replies.jsonl", [{"id": "a", "response": "x" * (LONGEST + 5)}])
    row = find_replies([one], []).rows[0][1]
    assert (len(row.text), row.length) == (LONGEST, LONGEST + 5)


def test_equal_texts_are_stored_once() -> None:
    texts = Texts()
    assert [texts.add(text) for text in ("a", "b", "a", "b\x00", "b\u2400")] == [0, 1, 0, 2, 2]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.integers(0, 400))
def test_the_length_is_the_largest_with_which_the_texts_fit(lengths: list[int], total: int) -> None:
    cap = _cap(sorted(lengths), total)
    if cap is None:
        assert sum(lengths) <= total
    else:
        assert sum(min(length, cap) for length in lengths) <= total
        assert sum(min(length, cap + 1) for length in lengths) > total


def test_texts_that_find_no_room_at_all_are_left_out() -> None:
    texts = Texts()
    texts.add("some text")
    block, _, cap = texts.fitted(-5)
    assert (cap, json.loads(block)["texts"]) == (0, [""])


def test_the_replies_of_a_session_are_told_one_by_one_where_nothing_was_scored_from_them(one: Path) -> None:
    session = {f"s/x/3/{member}/1": f"reply {member}" for member in (1, 2)}
    write_lines(one / "replies.jsonl", [{"id": "s/x/3", "response": json.dumps(session)}])
    rows = [reply for _, reply in find_replies([one], []).rows]
    assert [(row.study, row.experiment, row.id, row.text) for row in rows] == [
        ("s", "x", "3/1/1", "reply 1"),
        ("s", "x", "3/2/1", "reply 2"),
    ]

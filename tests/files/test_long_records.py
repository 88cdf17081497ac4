"""Long lists of records lie in a file and are what the list would be."""

import copy
import gc
import pickle
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import concord
from concord.errors import FileFormatError
from concord.files.contents import fingerprint, fingerprint_rows
from concord.files.rows import JoinedRows, PickedRows, StoredRecords
from concord.files.text import ErrorCell
from concord.people.studies.results import ReplyItem, StoredReplies, StudyReply


@dataclass(frozen=True, slots=True)
class Record:
    name: str
    parts: tuple[tuple[int, str], ...]
    value: float | None


def records(n: int) -> list[Record]:
    return [Record(f"é{i}\ud800", ((i, "x"),), i / 3 if i % 2 else None) for i in range(n)]


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 1000])
def test_records_are_what_the_list_is(n: int) -> None:
    made, stored = records(n), StoredRecords(Record, records(n))
    assert list(stored) == made
    assert len(stored) == n
    assert stored == made
    assert stored.as_tuple() == tuple(made)
    assert [stored[k] for k in range(n)] == made
    assert stored[3:9] == tuple(made[3:9])
    assert bool(stored) is bool(made)
    assert stored != [*made, Record("", (), None)]
    if n:
        assert stored[-1] == made[-1]
    with pytest.raises(IndexError):
        stored[n]


def test_small_ones_are_tuples_and_long_ones_are_copied_whole() -> None:
    assert isinstance(StoredRecords(Record, records(20)).as_tuple(), tuple)
    stored = StoredRecords(Record, records(600))
    assert copy.deepcopy(stored) == pickle.loads(pickle.dumps(stored)) == stored
    assert repr(stored) == repr(tuple(stored))


def test_two_readers_of_one_file_do_not_disturb_each_other_nor_one_that_adds() -> None:
    stored = StoredRecords(Record, records(700))
    pairs = list(zip(stored, stored, strict=True))
    assert all(one == other for one, other in pairs)
    reading = iter(stored)
    first = next(reading)
    for one in records(300):
        stored.append(one)
    assert [first, *reading][:700] == records(700)
    assert len(stored) == 1000


def test_texts_and_numbers_that_are_more_than_that_are_kept_as_what_they_are() -> None:
    stored = StoredRecords(Record, [Record(ErrorCell("#N/A"), (), np.float64(0.5))] * 300)
    assert stored[0] == Record("#N/A", (), 0.5)


def test_picked_rows_are_made_as_they_are_looked_at() -> None:
    seen: list[int] = []

    def squared(k: int) -> int:
        seen.append(k)
        return k * k

    picked = PickedRows(range(10), squared, [1, 4, 9])
    assert seen == []
    assert picked[1] == 16
    assert list(picked) == [1, 16, 81] == picked
    assert seen[:1] == [4]


def test_joined_rows_are_one_behind_the_other() -> None:
    joined = JoinedRows([[0, 1], (), range(2, 5)])
    assert joined == [0, 1, 2, 3, 4]
    assert [joined[k] for k in range(-5, 5)] == [0, 1, 2, 3, 4] * 2


def test_replies_to_studies_are_stored_with_each_prompt_once() -> None:
    items = (ReplyItem("a", "ok", {"a": 1.5, "b": None}), ReplyItem("b", "empty", {}))
    made = [
        StudyReply(f"s/e/{k}/1/1", "s", "e", "gain", f"{k}/1", "1", items, f"é {k}", f"prompt {k % 2}", None)
        for k in range(600)
    ]
    stored = StoredReplies(made)
    assert stored == made
    assert stored[300].prompt is stored[302].prompt


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(FileFormatError, match=r"No space left on device; make room, or set TMPDIR"):
        StoredRecords(Record, records(300))


def test_the_hash_of_rows_is_that_of_their_json() -> None:
    rows = [{"b": 1, "a": "é"}, {"c": [1.5, None]}]
    assert fingerprint_rows("x", rows) == fingerprint("x", b'[{"a": "\\u00e9", "b": 1}, {"c": [1.5, null]}]')
    assert fingerprint_rows("x", []) == fingerprint("x", b"[]")


def texts_held_by(root: object) -> int:
    """Return the characters of all texts that can be reached from here."""
    known, left, characters = set[int](), [root], 0
    while left:
        one = left.pop()
        if id(one) in known or isinstance(one, type | ModuleType | FunctionType):
            continue
        known.add(id(one))
        if isinstance(one, str | bytes):
            characters += len(one)
        else:
            left += gc.get_referents(one)
    return characters


def texts_of_scores(n: int, words: int) -> int:
    """Return the characters that the result of n vignettes holds, each of about so many words."""
    gold = ["Low mood on most days.", "No interest in anything at all."]
    samples = [{"id": str(k), "gold_answer": "Panic Disorder", "gold_reasoning": gold} for k in range(16)]
    told = "It began some weeks ago and has been so ever since then. " * (words // 11)
    rows = PickedRows(range(2 * n), lambda place: _reply(place, told))
    result = concord.score_reasoning(samples, rows, n_resamples=100)
    assert len(result.scores.cases) == n
    assert result.scores.cases[n - 1].n_steps == result.scores.cases[0].n_steps > 0
    return texts_held_by(result.scores)


def _reply(place: int, told: str) -> dict[str, object]:
    number, direct = divmod(place, 2)
    lead = "" if direct else f"REASONING: {told}"
    name, mode = str(number % 16), "direct" if direct else "cot"
    return {
        "id": name,
        "mode": mode,
        "repeat": number // 16,
        "response": f"{lead}\nDIAGNOSIS: Panic Disorder",
    }


def test_a_result_of_reasoning_does_not_hold_the_texts_it_was_made_of() -> None:
    short, long = texts_of_scores(384, 22), texts_of_scores(384, 110)
    assert long - short < 20_000  # 384 texts of 450 further characters each


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["structure", "reasoning", "judge", "people", "probes", "hints"])
def test_a_hundred_times_the_replies_take_at_most_a_third_more_memory(kind: str, tmp_path: Path) -> None:
    command = [sys.executable, "benchmarks/scoring.py", kind, "--folder", str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ratios = [float(one) for one in re.findall(r"([\d.]+) of the first", told)]
    assert max(ratios) <= 1.3, told

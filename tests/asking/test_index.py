"""The index beside the journals: never trusted over them, whatever became of it."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from concord.asking import index as indexed
from concord.asking.folder import read_run
from concord.asking.journal import FAILURES, REPLIES, line_bytes, read_lines

N = 40


def row(number: int, outcome: str = "ok") -> dict[str, object]:
    key = hashlib.sha256(str(number).encode()).hexdigest()
    named = {"key": key, "id": f"i{number}", "mode": "m", "repeat": 0, "outcome": outcome}
    return {**named, "response": "yes", "usage": {"input_tokens": number, "output_tokens": 2}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of forty trials, half of them answered, with an index of them."""
    monkeypatch.setattr(indexed, "WORTH", 10)
    record = {"kind": "run", "format_version": 1, "suite": "s", "model": "m"}
    more: dict[str, object] = {"options": {}, "sampling": {}, "templates": {}}
    (tmp_path / "run.json").write_bytes(line_bytes({**record, **more}))
    (tmp_path / indexed.TRIALS).write_bytes(b"".join(line_bytes(row(number)) for number in range(N)))
    (tmp_path / REPLIES).write_bytes(b"".join(line_bytes(row(number)) for number in range(N // 2)))
    assert read_run(tmp_path).tally.outcomes == {"ok": 20, "not asked": 20}
    assert (tmp_path / indexed.INDEX).is_file()
    return tmp_path


def known(folder: Path) -> tuple[dict[str, int], int, int]:
    stored = read_run(folder)
    return dict(stored.tally.outcomes), stored.tally.input_tokens, stored.n_outside


def test_a_whole_index_spares_the_lines_that_it_knows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(path: Path, begin: int = 0, before: int = 0) -> object:
        for line in read_lines(path, begin, before):
            read.append(line.number)
            yield line

    monkeypatch.setattr(indexed, "read_lines", counted)
    with (folder / REPLIES).open("ab") as file:
        file.write(line_bytes(row(20, "empty")))
    assert known(folder) == ({"ok": 20, "empty": 1, "not asked": 19}, sum(range(21)), 0)
    assert read == [21]


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def forged(path: Path) -> None:
    """Another outcome, and a digest that fits: the outcome is none that there is."""
    rest = path.read_bytes()[32:].replace(b'"ok"', b'"OK"')
    path.write_bytes(hashlib.sha256(rest).digest() + rest)


def of_other_counts(path: Path) -> None:
    head, _, columns = path.read_bytes()[32:].partition(b"\n")
    rest = head.replace(b'"columns": [', b'"columns": [9999999999999, ') + b"\n" + columns
    path.write_bytes(hashlib.sha256(rest).digest() + rest)


def deep(path: Path) -> None:
    rest = b"[" * 10**6 + b"\n"
    path.write_bytes(hashlib.sha256(rest).digest() + rest)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "changed",
    [
        *(torn, flipped, forged, of_other_counts, deep, a_folder, Path.unlink),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(os.urandom(5000)),
        lambda path: path.write_bytes(hashlib.sha256(b"{}\n").digest() + b"{}\n"),
    ],
)
def test_an_index_that_is_not_as_it_was_written_is_not_used(
    folder: Path, changed: Callable[[Path], object]
) -> None:
    before = known(folder)
    changed(folder / indexed.INDEX)
    assert known(folder) == before


def test_a_journal_that_was_changed_is_read_anew(folder: Path) -> None:
    lines = (folder / REPLIES).read_bytes().splitlines(keepends=True)
    (folder / REPLIES).write_bytes(b"".join(lines).replace(b'"ok"', b'"no"').replace(b'"no"', b'"ok"'))
    assert known(folder)[0] == {"ok": 20, "not asked": 20}
    changed = line_bytes(row(3, "empty"))
    (folder / REPLIES).write_bytes(b"".join([*lines[:3], changed, *lines[4:]]))
    assert known(folder)[0] == {"ok": 19, "empty": 1, "not asked": 20}
    (folder / REPLIES).write_bytes(b"".join(lines[:5]))
    assert known(folder)[0] == {"ok": 5, "not asked": 35}
    (folder / REPLIES).unlink()
    assert known(folder)[0] == {"not asked": 40}


def test_a_plan_that_was_changed_is_read_anew_and_replies_outside_it_are_named(folder: Path) -> None:
    (folder / indexed.TRIALS).write_bytes(b"".join(line_bytes(row(number)) for number in range(5)))
    assert known(folder) == ({"ok": 5}, sum(range(5)), 15)


def test_rows_are_read_as_they_are_looked_at(folder: Path) -> None:
    rows = read_run(folder).rows
    assert (len(rows), [one["id"] for one in rows]) == (20, [f"i{number}" for number in range(20)])
    assert rows[-1]["id"] == "i19"
    assert [one["id"] for one in rows[:2]] == ["i0", "i1"]


def test_an_index_that_cannot_be_written_costs_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / indexed.INDEX).unlink()

    def full(path: Path, data: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(indexed, "replace_file", full)
    assert known(folder)[0] == {"ok": 20, "not asked": 20}


@pytest.mark.parametrize("name", ["{}", "trial {} é\udc80"])
def test_rows_are_in_the_order_of_the_plan_the_last_of_each_whatever_its_key(
    tmp_path: Path, name: str
) -> None:
    def lines(name_of: str, said: str, numbers: range | list[int]) -> None:
        rows = [{**row(number), "key": name.format(number), "response": said} for number in numbers]
        with (tmp_path / name_of).open("ab") as file:
            file.writelines(map(line_bytes, rows))

    keys = [name.format(number) for number in range(N)]
    assert list(indexed.StoredRows(tmp_path, keys)) == []
    lines(FAILURES, "failed", [3, 4, 39])
    lines(REPLIES, "first", [20, 3, 50, 7])
    lines(REPLIES, "second", [7, 0])
    found = [(one["id"], one["response"]) for one in indexed.StoredRows(tmp_path, keys)]
    said = {0: "second", 3: "first", 4: "failed", 7: "second", 20: "first", 39: "failed"}
    assert found == [(f"i{number}", text) for number, text in said.items()]
    assert len(indexed.StoredRows(tmp_path, [])) == 0

"""The journal: one line, one write; torn lines are cut; one writer at a time."""

import errno
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.asking.journal import Journal, _decoded, line_bytes, read_lines
from concord.errors import FileFormatError, RunFolderError

texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)


def rows(path: Path) -> list[dict[str, Any]]:
    return [dict(line.row) for line in read_lines(path)]


@given(st.lists(st.fixed_dictionaries({"key": texts, "response": texts}), max_size=5))
@settings(max_examples=60, deadline=None)
def test_what_is_appended_is_read_back_whatever_the_text_holds(tmp_path_factory: Any, written: Any) -> None:
    path = tmp_path_factory.mktemp("journal") / "replies.jsonl"
    with Journal(path) as journal:
        for row in written:
            journal.append(row)
    assert rows(path) == written


@given(st.integers(min_value=0, max_value=200))
@settings(max_examples=60, deadline=None)
def test_a_file_cut_at_any_byte_reads_as_its_whole_lines_and_goes_on(tmp_path_factory: Any, cut: int) -> None:
    path = tmp_path_factory.mktemp("journal") / "replies.jsonl"
    lines = [line_bytes({"key": f"k{n}", "response": "é\n" * n}) for n in range(6)]
    data = b"".join(lines)[:cut]
    path.write_bytes(data)
    # A line that lacks only its line feed is whole.
    whole = sum(len(b"".join(lines[: n + 1])) - 1 <= len(data) for n in range(6))
    assert [row["key"] for row in rows(path)] == [f"k{n}" for n in range(whole)]
    with Journal(path) as journal:
        journal.append({"key": "after"})
    assert [row["key"] for row in rows(path)] == [*(f"k{n}" for n in range(whole)), "after"]


def test_every_row_is_one_write_of_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    real = os.write

    def noted(fd: int, data: bytes) -> int:
        written.append(data)
        return real(fd, data)

    with Journal(tmp_path / "j") as journal:
        monkeypatch.setattr(os, "write", noted)
        journal.append({"key": "a", "response": "one\ntwo"})
        journal.append({"key": "b"})
        monkeypatch.undo()
    assert [(data.count(b"\n"), data[-1:]) for data in written] == [(1, b"\n"), (1, b"\n")]


def test_a_foreign_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"key": "a"}\nhello\n{"key": "b"}\n')
    with pytest.raises(FileFormatError, match=r"replies.jsonl, line 2: not a line that Concord writes"):
        rows(path)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "j"), pytest.raises(RunFolderError, match="another run is writing here"):
        Journal(tmp_path / "j")


def test_a_full_disk_keeps_every_whole_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j"
    real = os.write
    with Journal(path) as journal:
        journal.append({"key": "a"})
        monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:5]))
        with pytest.raises(RunFolderError, match="the disk is full; every earlier reply is kept"):
            journal.append({"key": "b", "response": "long"})
        monkeypatch.undo()
        journal.append({"key": "c"})
    assert [row["key"] for row in rows(path)] == ["a", "c"]


def test_a_disk_that_refuses_at_once_is_told_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Journal(tmp_path / "j") as journal:
        monkeypatch.setattr(os, "write", refuse)
        with pytest.raises(
            RunFolderError, match="No space left on device; every reply stored before is kept"
        ):
            journal.append({"key": "a"})
        monkeypatch.undo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_the_device_that_is_always_full_is_told(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").symlink_to("/dev/full")
    with (
        Journal(tmp_path / "replies.jsonl") as journal,
        pytest.raises(RunFolderError, match="No space left on device"),
    ):
        journal.append({"key": "a"})


def test_lone_surrogates_are_escaped_not_lost() -> None:
    line = line_bytes({"key": "k", "response": "\ud800"})
    assert json.loads(line)["response"] == "\ud800"


ODD = (
    *("NaN", "-Infinity", "-0", "-0.0", "1e400", "1E5", "0.1e-400", "9007199254740993.0", "01", "1.", "nan"),
    *(
        "1" * 4300,
        "1" * 4301,
        "12345678901234567890",
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        '"\\u0000"',
        '"\\x"',
        '"a',
    ),
    *('"\x01"', '"\x7f"', '{"b":1,"b":2}', "[1,]", "'a'", "[" * 300 + "]" * 300, "/*c*/1", "1_000"),
)


def as_json(raw: bytes) -> object:
    try:
        return repr(json.loads(raw.decode("utf-8", "surrogatepass") if raw.startswith(b"{") else raw))
    except (ValueError, RecursionError):
        return None


def as_journal(raw: bytes) -> object:
    try:
        return repr(_decoded(raw))
    except (ValueError, RecursionError):
        return None


def test_a_line_says_what_json_says() -> None:
    for value in ODD:
        raw = f'{{"a":{value}}}\n'.encode()
        assert as_journal(raw) == as_json(raw), value
    for raw in (
        b'\xef\xbb\xbf{"a":1}',
        b' {"a":1}',
        b'{"a":1}x',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\xff"}',
        b"\n",
    ):
        assert as_journal(raw) == as_json(raw), raw


def test_a_spoilt_line_says_what_json_says() -> None:
    rng = random.Random(1)
    row = {"key": "a", "x": [1, 2.5, -3e10, None, True], "t": "é\u2028😀\n", "u": {"i": 1}}
    pieces = [*b'{}[],:"\\1-.e0 \t\x00\xff\xc3\xa0\r', *b"NaN"]
    n_read = 0
    for number in range(6000):
        raw = bytearray(json.dumps(row, ensure_ascii=number % 5 == 0).encode())
        at = rng.randrange(len(raw))
        raw[at : at + rng.choice((0, 1))] = bytes([rng.choice(pieces)])
        assert as_journal(bytes(raw)) == as_json(bytes(raw)), raw
        n_read += as_json(bytes(raw)) is not None
    assert n_read > 500

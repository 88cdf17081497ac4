"""Every document says which kind it is and in which version, and is refused when it is another."""

import json
from pathlib import Path

import pytest

from concord.errors import FileFormatError
from concord.files.documents import check_heading, heading, read_document


def _write(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_a_written_document_is_read(tmp_path: Path) -> None:
    document = {**heading("people result"), "score": 0.5}
    assert read_document(_write(tmp_path / "x.json", document), "people result") == document


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([1], "holds a list"),
        ({}, "format version None"),
        ({"format_version": 3}, "format version 3, expected 2"),
        ({"format_version": True}, "format version True"),
        (heading("reasoning result"), "format is .concord reasoning result., expected"),
        ({"format_version": 2}, "format is None"),
    ],
)
def test_another_document_is_refused_by_name(document: object, said: str) -> None:
    with pytest.raises(FileFormatError, match=said):
        check_heading(document, "people result", where="x.json")


def test_a_file_that_is_missing_or_not_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"none\.json: no such file"):
        read_document(tmp_path / "none.json", "people result")
    (tmp_path / "torn.json").write_text('{"format_version": ', "utf-8")
    with pytest.raises(FileFormatError, match=r"torn\.json, line 1: not valid JSON"):
        read_document(tmp_path / "torn.json", "people result")

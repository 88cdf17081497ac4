"""Readings as rows: written safely, read back as they were."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import FileFormatError
from concord.reading import StoredReading, read_readings, read_reply, stored_reading, write_readings
from concord.reading.stored import FILE, reply_hash

ANYTHING = st.text(st.characters(codec="utf-8"), max_size=12)
ROWS = st.lists(
    st.builds(StoredReading, *[ANYTHING] * 4, st.sampled_from(["", "bare"]), st.just("3-4"), st.just("0a")),
    max_size=4,
)


def test_a_row_says_what_was_read_how_and_where() -> None:
    text = "I think about it.\n\nANSWER: B"
    row = stored_reading("q1/0", text, read_reply(text, choices=["stay", "go"]), question="choice")
    assert row == StoredReading("q1/0", "choice", "B", "ok", "marked", "27-28", reply_hash(text))
    assert row.place is not None
    assert text[slice(*row.place)] == "B"


@pytest.mark.parametrize(
    ("text", "asked", "reading"),
    [
        ("B, A, C", {"ranking": ["x", "y", "z"]}, "B > A > C"),
        ('{"me": 70, "you": 30}', {"split": (100, ["me", "you"])}, "me=70; you=30"),
        ("ANSWER: 4.5", {"number": (0, 10)}, "4.5"),
        ("ANSWER: 4", {"likert": (1, 7)}, "4"),
        ("", {"likert": (1, 7)}, ""),
    ],
)
def test_every_kind_of_answer_has_words(text: str, asked: dict[str, object], reading: str) -> None:
    assert stored_reading("t", text, read_reply(text, **asked)).reading == reading  # type: ignore[arg-type]


def test_what_was_not_read_has_an_outcome_and_no_span() -> None:
    row = stored_reading("t", None, read_reply(None, choices=["a", "b"]))
    assert (row.outcome, row.how, row.span, row.reply) == ("empty", "", "", "")
    assert row.place is None


@given(ROWS)
def test_rows_come_back_as_they_were(rows: list[StoredReading]) -> None:
    with TemporaryDirectory() as folder:
        write_readings(Path(folder), rows)
        assert read_readings(Path(folder)) == tuple(rows)


def test_a_reading_that_begins_like_a_formula_is_not_run(tmp_path: Path) -> None:
    row = StoredReading("=1+1", "q", "=HYPERLINK(0)", "ok", "bare", "0-3", "00")
    write_readings(tmp_path, [row])
    assert "\n'=1+1,q,'=HYPERLINK(0),ok" in (tmp_path / FILE).read_text("utf-8")
    assert read_readings(tmp_path) == (row,)


@pytest.mark.parametrize("span", ["", "4", "4-", "-4", "4-4", "5-4", "a-b", "1-2-3", "0-" + "9" * 5000])
def test_a_changed_span_is_no_place(span: str) -> None:
    assert StoredReading("t", "", "A", "ok", "bare", span, "").place is None


def test_a_file_without_its_columns_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("trial,reading\nx,A\n", "utf-8")
    with pytest.raises(FileFormatError, match="no column"):
        read_readings(tmp_path)

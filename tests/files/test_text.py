"""Normal forms of text: those of Unicode, in a time that grows with the text alone."""

import re
import time
import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from tests.pace import allowed

import concord
from concord.comparing.records import item_name
from concord.files.text import MARKS, normal_form
from concord.reading.text import one_form

MARKED = "a" + "\u0301" * 50_000 + "\u0327" * 50_000  # Python needs a minute to order these


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFD", "NFKD"])
@pytest.mark.parametrize(
    "text",
    ["plain", "e\u0301" * 90, "한국어 " * 40, "Ａ１ﬁ" * 60, "ṩ" * 70, "s\u0323\u0307 " * 70, "\ud800" * 80],
)
def test_text_of_people_has_its_usual_form(form: Literal["NFC", "NFKC", "NFD", "NFKD"], text: str) -> None:
    assert normal_form(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize(
    "read",
    [
        lambda text: normal_form("NFC", text),
        lambda text: item_name("f", text),
        lambda text: one_form(text).text,
    ],
    ids=["form", "item", "reply"],
)
def test_a_letter_of_very_many_marks_is_read_at_once(read: object) -> None:
    assert callable(read)
    started = time.process_time()
    found = read(MARKED)
    assert time.process_time() - started < allowed(3)
    assert len(found) >= len(MARKED) - 1


def test_as_many_marks_as_are_ordered_stay_as_they_are() -> None:
    text = "x" * 100 + "q" + "\u0301" * (MARKS // 2) + "\u0327" * (MARKS // 2)
    assert normal_form("NFD", text) == unicodedata.normalize("NFD", text)
    assert "\u034f" in normal_form("NFD", text + "\u0327")


def test_no_reader_orders_marks_by_itself() -> None:
    source = Path(concord.__file__).parent
    own = {"files/text.py", "reading/names.py"}  # the latter drops marks before
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"unicodedata\.normalize\(", path.read_text("utf-8"))
    }
    assert found == own

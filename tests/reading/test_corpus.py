"""Replies written for this project by people who had seen no reader, each with its true reading.

`args` are what the reader is asked, `value` and `outcome` what a careful coder reads, `form` how the reply
states it (of a free sentence abstaining is honest), `also` what a second coder could accept.
"""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import reading_rates

CORPUS = [row for name in reading_rates.SETS for row in reading_rates.rows_of(reading_rates.TESTS / name)]
UNREAD = {
    "open-015", "open-156",  # a typing error, three quarters of a scale
    "third-open-104",  # percentages where amounts are asked for
    "third-open-216", "third-open-309", "third-open-365", "third-open-443", "third-open-460",
    "fourth-open-086", "fourth-open-133", "fourth-open-149", "fourth-open-277", "fourth-open-315",
    "sixth-open-030", "sixth-open-202", "sixth-open-221",  # ticks, halves in words, what is kept and given
}  # fmt: skip
"""Answers that are stated and stay unread."""
MISREAD = {"sixth-open-147"}  # in another unit than the one that was asked for, which no reader is told
FOUND = {row["id"]: reading_rates.read_row(row) for row in CORPUS}


def _verdicts(form: str, verdict: str) -> set[str]:
    own = [row for row in CORPUS if form in ("", row["form"])]
    return {row["id"] for row in own if reading_rates.verdict_on(row, FOUND[row["id"]]) == verdict}


def test_no_reply_of_the_corpus_is_misread() -> None:
    assert _verdicts("", reading_rates.MISREAD) == MISREAD


@pytest.mark.parametrize("form", ["structured", "marked", "bare"])
def test_answers_that_are_stated_are_read(form: str) -> None:
    assert _verdicts(form, reading_rates.UNREAD) <= UNREAD


def test_what_is_no_answer_has_its_outcome() -> None:
    none = [row for row in CORPUS if row["outcome"] != "ok" and not FOUND[row["id"]].ok]
    other = {row["id"] for row in none if str(FOUND[row["id"]].outcome) not in (row["outcome"], *row["also"])}
    assert other == set()


def test_the_counts_of_the_page_are_those_of_the_reader() -> None:
    stored = json.loads(reading_rates.COUNTS.read_text("utf-8"))
    assert stored["seen"] == reading_rates.counted(CORPUS), "run: python tools/reading_rates.py"
    assert "| marked |" in reading_rates.stored_tables()

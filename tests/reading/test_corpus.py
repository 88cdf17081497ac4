"""Replies written for this project by somebody who had seen no reader, each with its true reading.

`corpus.jsonl`: `args` are what the reader is asked, `value` and `outcome` what a careful coder reads, `form`
how the reply states it (of a free sentence abstaining is honest), `also` what a second coder could accept.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from concord.reading import Reading, read_reply

CORPUS = [
    json.loads(line) for line in (Path(__file__).parent / "corpus.jsonl").read_text("utf-8").splitlines()
]
UNREAD = {"open-015", "open-156", "open-186"}
"""Answers that are stated and stay unread: a typing error, three quarters of a scale, a power of ten."""


def _asked(row: dict[str, Any]) -> dict[str, Any]:
    asked = {key: tuple(one) if isinstance(one, list) else one for key, one in row["args"].items()}
    if "labels" in asked:
        asked["labels"] = row["args"]["labels"]
    if "split" in asked:
        asked["split"] = (asked["split"][0], row["asked"]["to"])
    return asked


def _value(row: dict[str, Any], reading: Reading) -> object:
    """Return what was read in the terms of the corpus, which ranks by the names of options."""
    if isinstance(reading.value, tuple):
        names = dict(zip("ABCDEFGH", row["asked"]["options"], strict=False))
        return [names[letter] for letter in reading.value]
    return reading.value


def _is_right(row: dict[str, Any], reading: Reading) -> bool:
    said, true = _value(row, reading), row["value"]
    if reading.other:
        return bool(row["other"]) and str(true).casefold() in str(said).casefold()
    accepted = [one.removeprefix("ok:") for one in row["also"] if one.startswith("ok:")]
    return (row["outcome"] == "ok" and said == true) or str(said) in accepted


def test_no_reply_of_the_corpus_is_misread() -> None:
    wrong = [
        row["id"]
        for row in CORPUS
        if (reading := read_reply(row["reply"], **_asked(row))).ok and not _is_right(row, reading)
    ]
    assert wrong == []


@pytest.mark.parametrize("form", ["structured", "marked", "bare"])
def test_answers_that_are_stated_are_read(form: str) -> None:
    rows = [row for row in CORPUS if row["form"] == form and row["outcome"] == "ok"]
    read = {row["id"]: read_reply(row["reply"], **_asked(row)) for row in rows}
    accepted = {row["id"] for row in rows if str(read[row["id"]].outcome) in row["also"]}
    assert {name for name, one in read.items() if not one.ok} - accepted <= UNREAD


def test_what_is_no_answer_has_its_outcome() -> None:
    found: Counter[bool] = Counter()
    for row in CORPUS:
        if row["outcome"] != "ok":
            outcome = str(read_reply(row["reply"], **_asked(row)).outcome)
            found[outcome == row["outcome"] or outcome in row["also"]] += 1
    assert found[False] == 0

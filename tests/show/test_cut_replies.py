"""What is said of replies that were cut."""

import json
from pathlib import Path

import pytest
from tests.show.made_results import write_reasoning

from concord.reports import page
from concord.show.page.context import cut_advice

AGAIN = "ask them again with --again truncated"


@pytest.mark.parametrize(
    ("outcomes", "limit", "said"),
    [
        ({"truncated": 8}, 3, f"8 of 8 replies were cut at 3 tokens; {AGAIN} --max-tokens 12"),
        ({"ok": 9, "truncated": 9}, None, f"9 of 18 replies were cut; {AGAIN} and a higher --max-tokens"),
        ({"ok": 20}, 3, ""),
        ({"ok": 96, "truncated": 4}, 3, ""),
        ({}, 3, ""),
    ],
)  # fmt: skip
def test_more_than_a_few_cut_replies_are_told_with_what_to_do(
    outcomes: dict[str, int], limit: int | None, said: str
) -> None:
    assert cut_advice(outcomes, limit) == said


def test_the_page_says_that_replies_were_cut_and_at_how_many_tokens(tmp_path: Path) -> None:
    write_reasoning(tmp_path / "run", "lab/m", 1)
    file = tmp_path / "run" / "replies.jsonl"
    rows = [{**json.loads(line), "outcome": "truncated"} for line in file.read_text("utf-8").splitlines()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    record = {"model": "lab/m", "sampling": {"max_tokens": 16}}
    (tmp_path / "run" / "run.json").write_text(json.dumps(record), "utf-8")
    html = page([tmp_path]).html
    assert "replies were cut at 16 tokens; ask them again with --again truncated --max-tokens 64." in html

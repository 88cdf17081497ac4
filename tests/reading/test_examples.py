"""Replies in many styles, each with what a careful reader makes of it; the page on reading shows them.

A group of `examples.json` says what is asked; each of its replies has a value, null where there is no answer
in it, and "or none" where leaving it unread is as good.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from concord.reading import read_reply

EXAMPLES = json.loads((Path(__file__).parent / "examples.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "group", EXAMPLES, ids=lambda group: f"{group['about']}: {next(iter(group['asked']))}"
)
def test_no_example_is_misread(group: dict[str, Any]) -> None:
    wrong = {}
    for reply, value, *unread in group["replies"]:
        found = read_reply(reply, **group["asked"]).value
        said = list(found) if isinstance(found, tuple) else found
        if said != value and not (unread and said is None):
            wrong[reply] = said
    assert wrong == {}

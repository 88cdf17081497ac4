"""A judge model as scorer: it sees every reply with the reference, in a run of its own beside the first."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from concord.errors import FileFormatError
from concord.files.templates import fill, read_template
from concord.records import AskOutcome, Design, Message, Trial
from concord.structure.items import parse_items
from concord.structure.scorers import Asked, explanation

PREFIX = "judge:"
SUITE = "judge"
_VERDICT = re.compile(r"^\D{0,40}?(10|\d)(?:\s*/\s*10)?(?:[.\s*]|$)")


def judge_model(scorer: str) -> str | None:
    """Return the model of a scorer ``judge:MODEL``, or nothing for another scorer."""
    return scorer.removeprefix(PREFIX) if scorer.startswith(PREFIX) else None


def design_judging(items: bytes, options: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Design:
    """Lay out what the judge is asked: each usable reply with its reference, named by the reply's key.

    Raises
    ------
    FileFormatError
        An item has no reference.
    """
    known = {item.id: item for item in parse_items(items, "items").items}
    template = read_template("structure", "judge.v1")
    trials = []
    for row in rows:
        item = known[row["id"]]
        if row["outcome"] != AskOutcome.OK:
            continue
        if not item.reference:
            raise FileFormatError(f"item {item.id!r} has no 'reference', which a judge needs")
        asked = Asked(item, str(options["arranger"]), str(row["mode"]))
        text = fill(template, reference=item.reference, reply=explanation(row["response"], asked)[0])
        trials.append(Trial(SUITE, str(row["key"]), "score", (Message("user", text),), 0, template.name))
    return Design(SUITE, tuple(trials), (template,))


def verdict(reply: str) -> float | None:
    """Read a judge's number as a score; anything but one whole number from 0 to 10 is no verdict.

    Examples
    --------
    >>> verdict("7"), verdict("Score: 10/10"), verdict("**3**"), verdict("between 3 and 5"), verdict("11")
    (0.7, 1.0, 0.3, None, None)
    """
    found = _VERDICT.match(reply.strip())
    if found is None or len(set(re.findall(r"\d+", reply)) - {"10"} | {found.group(1)}) > 1:
        return None
    return int(found.group(1)) / 10


def verdicts_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """Return the score of every reply that the judge has seen, by the reply's key."""
    return {
        str(row["id"]): verdict(row["response"]) if row["outcome"] == AskOutcome.OK else None for row in rows
    }

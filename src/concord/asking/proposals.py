"""A model proposes the structure of a drafted study: words for what a person must write, never a number."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.asking.connection import Connection
from concord.asking.job import Job
from concord.asking.reader import AskedRun
from concord.asking.requests import Sampling
from concord.errors import FileFormatError, RunFolderError
from concord.files.json_text import parsed
from concord.files.templates import fill, read_template
from concord.people import NAME as PEOPLE
from concord.people.studies.draft import PROPOSED, DraftedStudy, paper_text
from concord.reading.read import spoken
from concord.reading.records import Reading
from concord.records import AskOutcome, Design, Message, Trial

SUITE, TEMPLATE = "draft", "draft.v1"
_MAX_TOKENS, _LONGEST, _SHOWN = 2000, 300, 24_000
"""Of the reply; characters of one proposal; characters of the paper that are shown."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """What a model proposed for a draft."""

    model: str
    words: Mapping[str, str]
    """By what is to be filled in: ``title``, ``design``, ``F1.says``, …"""
    n_refused: int
    """Proposals that hold a number, or are no words for something to be filled in."""


def propose(
    draft: DraftedStudy,
    paper: Path,
    model: str,
    folder: Path,
    *,
    ask: Callable[[Job, Path], AskedRun],
    connection: Connection | None = None,
) -> Proposals:
    """Ask a model once for words that a person may use; the call is kept in a folder like any run."""
    template = read_template(PEOPLE, TEMPLATE)
    listed = "\n".join(f"F{i}: {one.words}" for i, one in enumerate(draft.statistics, start=1))
    prompt = fill(template, paper=paper_text(paper)[:_SHOWN], statistics=listed)
    trial = Trial(SUITE, draft.digest[:16], "propose", (Message("user", prompt),), 0, template.name)
    job = Job(
        Design(SUITE, (trial,), (template,)),
        model,
        Sampling(temperature=0.0, max_tokens=_MAX_TOKENS),
        Connection() if connection is None else connection,
    )
    rows = [row for row in ask(job, folder).stored.rows if row["outcome"] == AskOutcome.OK]
    if not rows:
        raise RunFolderError(f"{folder}: {model} gave no reply; draft without --helper, or try again")
    return _proposals(model, str(rows[0]["response"]), len(draft.statistics))


def _proposals(model: str, reply: str, n: int) -> Proposals:
    said = spoken(reply)
    text = "" if isinstance(said, Reading) else said.text
    try:
        held: Any = parsed("proposals", text[text.find("{") : text.rfind("}") + 1])
    except FileFormatError:
        held = {}
    given = dict(held) if isinstance(held, dict) else {}
    tests = given.pop("tests", {})
    for name, of_test in tests.items() if isinstance(tests, dict) else ():
        given |= (
            {f"{name}.{key}": value for key, value in dict(of_test).items()}
            if isinstance(of_test, dict)
            else {}
        )
    known = {*PROPOSED, *(f"F{i}.{key}" for i in range(1, n + 1) for key in ("says", "compared"))}
    good = {
        key: " ".join(value.split())[:_LONGEST]
        for key, value in given.items()
        if key in known and isinstance(value, str) and value.strip() and not any(map(str.isnumeric, value))
    }
    return Proposals(model, good, len(given) - len(good))

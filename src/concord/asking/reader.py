"""A model reads what the rules leave unread: each reply once, kept like any run, compared with the rules.

The model must quote the reply and give an answer that the rules accept; otherwise it has read nothing.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from concord.asking.connection import Connection
from concord.asking.folder import StoredRun
from concord.asking.job import Job
from concord.asking.requests import Sampling
from concord.errors import OptionError, RunFolderError
from concord.files.templates import fill, read_template
from concord.reading.read import spoken
from concord.reading.records import Reading
from concord.reading.second import (
    ABSTAINED,
    MetReply,
    ModelReader,
    SaidAnswer,
    SecondReader,
    said_answer,
    second_reader,
)
from concord.records import AskOutcome, Design, Estimate, Message, Trial
from concord.stats.intervals import wilson_interval

T = TypeVar("T")
PREFIX, SUITE = "judge:", "reader"
TEMPLATE = "reader.v1"
COMPARED = 50
"""Replies that the rules read and that are shown to the model, too, to see whether both agree."""
_MAX_TOKENS = 300


class AskedRun(Protocol):
    """A run that was asked."""

    @property
    def stored(self) -> StoredRun:
        """Its folder as it is."""


def reader_model(reader: str) -> str:
    """Return the model that a reader names."""
    model = reader.removeprefix(PREFIX)
    if not reader.startswith(PREFIX) or not model.strip():
        raise OptionError(f"--reader {reader!r}: expected judge:MODEL, such as judge:openai/gpt-4o-mini")
    return model


def read_with(
    score: Callable[[], T],
    reader: str,
    folder: Path,
    *,
    ask: Callable[[Job, Path], AskedRun],
    everything: bool = False,
    connection: Connection | None = None,
) -> tuple[T, ModelReader]:
    """Score with a model as second reader: once to see what is left unread, and once with what it read."""
    model = reader_model(reader)
    with second_reader(SecondReader()) as first:
        score()
    met = list(first.met.values())
    left = [one for one in met if one.reading.outcome in ABSTAINED]
    asked = met if everything else [*left, *_drawn([one for one in met if one.reading.ok])]
    if not asked:
        raise OptionError("--reader: no reply was read by rules, so that there is none for a model to read")
    job = _job_of(model, asked, connection)
    said = _replies_of(ask(job, folder), model, folder)
    told = {key: answer for key, text in said.items() if (answer := _told_by(text)) is not None}
    with second_reader(SecondReader(told, everything)) as second:
        result = score()
    read = [key for key in second.made if _is_believed(second, key, everything)]
    found = ModelReader(
        model,
        TEMPLATE,
        everything,
        len(met),
        len(left),
        len(asked),
        len(read),
        sum(one.key not in second.made for one in asked),
        _agreement([one for one in asked if one.reading.ok], second.made, told),
    )
    return result, found


def _is_believed(reader: SecondReader, key: str, everything: bool) -> bool:
    return reader.made[key].ok and (everything or reader.met[key].reading.outcome in ABSTAINED)


def _drawn(read: Sequence[MetReply]) -> list[MetReply]:
    """Draw replies that the rules read, always the same ones."""
    picked = np.random.default_rng(0).permutation(len(read))[:COMPARED]
    return [read[k] for k in sorted(picked.tolist())]


def _job_of(model: str, replies: Sequence[MetReply], connection: Connection | None) -> Job:
    """Lay out what the model is asked about each reply."""
    template = read_template("reading", TEMPLATE)
    trials = tuple(
        Trial(
            SUITE,
            one.key,
            "read",
            (Message("user", fill(template, asked=one.asked, reply=one.text)),),
            0,
            template.name,
        )
        for one in replies
    )
    return Job(
        Design(SUITE, trials, (template,)),
        model,
        Sampling(temperature=0.0, max_tokens=_MAX_TOKENS),
        Connection() if connection is None else connection,
    )


def _replies_of(done: AskedRun, model: str, folder: Path) -> dict[str, str]:
    """Return what came back by the reply's key."""
    if done.stored.n_not_asked:
        raise RunFolderError(
            f"{folder}: {done.stored.n_not_asked} replies have not been read by {model}; give the same "
            "command again"
        )
    return {
        str(row["id"]): str(row["response"]) for row in done.stored.rows if row["outcome"] == AskOutcome.OK
    }


def _told_by(text: str) -> SaidAnswer | None:
    said = spoken(text)
    return None if isinstance(said, Reading) else said_answer(said.text)


def _agreement(
    compared: Sequence[MetReply], made: dict[str, Reading], told: dict[str, SaidAnswer]
) -> Estimate:
    shown = [one for one in compared if one.key in told]
    if not shown:
        return Estimate(None, note="no reply that the rules read was read by the model")
    same = sum(one.key in made and made[one.key].value == one.reading.value for one in shown)
    n = len(shown)
    return Estimate(same / n, wilson_interval(same, n), n, len(compared) - n, "share that agrees")

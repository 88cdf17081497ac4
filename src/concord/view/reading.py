"""What the readers of the questions make of replies while these arrive: read, refused, unreadable."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord import people, reasoning
from concord.asking.folder import read_record
from concord.asking.recorded import inputs_of
from concord.errors import InputError
from concord.files.json_text import parsed

GOOD = "ok"


@dataclass(frozen=True, slots=True)
class LiveReading:
    """What was read of one answer."""

    id: str
    outcome: str
    reply: str
    read: str = ""
    """What was read in it, in words; empty where nothing could be."""
    turn: str = ""
    """The reply that it is part of."""


Reader = Callable[[Mapping[str, Any]], Iterator[LiveReading]]
"""Reads a stored reply: one reading per answer that it holds."""


def reader_of(path: Path) -> Reader | None:
    """Return the reader of a run's replies; ``None`` where they are not read one by one, or cannot be yet."""
    try:
        record = read_record(path)
        make = _READERS.get(str(record["suite"]))
        return None if make is None else make(inputs_of(path, record), record["options"])
    except (InputError, KeyError):  # a run whose questions are not complete is not read
        return None


def _people_reader(files: Mapping[str, bytes], options: Mapping[str, Any]) -> Reader:
    from concord.asking.packing import unpacked
    from concord.people.design import session_openers

    openers = session_openers(files, options)

    def read(row: Mapping[str, Any]) -> Iterator[LiveReading]:
        opener = openers.get(str(row.get("id")))
        if opener is None:
            return
        replies, session = unpacked(str(row.get("response", ""))), opener.open()
        while not session.done:
            for question in session.waiting():
                session.answer(question.id, replies.get(question.id))
        for given in session.given:
            if given.reply is not None:
                for name, answer in given.answers:
                    said = ", ".join(
                        f"{key} = {value}" for key, value in answer.values.items() if value is not None
                    )
                    yield LiveReading(f"{given.id}, {name}", str(answer.outcome), given.reply, said, given.id)

    return read


def _reasoning_reader(files: Mapping[str, bytes], options: Mapping[str, Any]) -> Reader:
    from concord.files.json_text import UnusableError
    from concord.reasoning.design import MODES, SAMPLES
    from concord.reasoning.lexicon import load_lexicon
    from concord.reasoning.parse import Parser
    from concord.reasoning.read.replies import reply_of
    from concord.reasoning.read.vignettes import read_samples

    samples = read_samples(parsed(SAMPLES, files[SAMPLES].decode("utf-8")))
    gold = {sample.id: sample.gold_answer for sample in samples.rows}
    parser = Parser(samples.rows, load_lexicon(), "standard")

    def read(row: Mapping[str, Any]) -> Iterator[LiveReading]:
        if row.get("mode") not in MODES or str(row.get("id")) not in gold:
            return
        try:
            reply = reply_of(row, None, modes=True)
        except UnusableError:  # a line that no run writes
            return
        one = parser.reply(reply, gold[reply.id])
        said = one.split.answer.strip() if one.usable else ""
        yield LiveReading(f"{reply.id}, {reply.mode}", str(one.outcome), reply.response, said, reply.id)

    return read


_READERS: Mapping[str, Callable[[Mapping[str, bytes], Mapping[str, Any]], Reader]] = {
    people.NAME: _people_reader,
    reasoning.NAME: _reasoning_reader,
}

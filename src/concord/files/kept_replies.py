"""Replies as they lie beside results: what was asked, what came back, what was read; one record each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files import limits
from concord.files.contents import read_bytes
from concord.files.documents import objects_of, text_of
from concord.files.json_text import parsed

JOURNAL, BIASED, ANSWERS = "replies.jsonl", "bias_replies.jsonl", "answers.jsonl"
FILES = (JOURNAL, BIASED, ANSWERS)
"""Files of replies that lie beside results."""
TRIALS, PROMPTS = "trials.jsonl", "prompts.json"
LONGEST = 1_000_000
"""Characters of a reply that are kept."""
LONGEST_PROMPT = 100_000
"""Characters of a prompt that are kept."""


@dataclass(frozen=True, slots=True)
class KeptReply:
    """One reply: where it was asked, what became of it, what was read from it."""

    model: str
    """As its line says; empty where it does not."""
    text: str
    length: int
    """Characters of the whole reply."""
    id: str = ""
    mode: str = ""
    repeat: int | None = None
    outcome: str = ""
    study: str = ""
    experiment: str = ""
    condition: str = ""
    variables: str = ""
    read: str = ""
    prompt: str | None = None
    """What was asked; None where no file says."""
    told: str | None = None
    """What the model was told before."""


@dataclass(frozen=True, slots=True)
class KeptReplies:
    """The replies of one file."""

    rows: tuple[KeptReply, ...]
    n_bad: int = 0
    """Lines that are no JSON object."""
    fault: str = ""
    """Why the file could not be read to its end."""


def read_kept(file: Path) -> KeptReplies:
    """Read the replies of a file with what was asked; what is no object is counted and left out."""
    lines = ObjectLines(file)
    asked = _prompts_beside(file)
    rows = tuple(_with_prompt(reply, asked, line) for line in lines for reply in _replies_of_line(line))
    return KeptReplies(rows, lines.n_bad, lines.fault)


class ObjectLines:
    """The objects of a JSON lines file; what is not one is counted, not followed."""

    def __init__(self, file: Path) -> None:
        self.file, self.n_bad, self.fault = file, 0, ""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Read line by line."""
        try:
            with self.file.open(encoding="utf-8", errors="replace") as stream:
                for line in iter(lambda: stream.readline(limits.LINE_CHARACTERS), ""):
                    row = object_of(line)
                    if row is not None:
                        yield row
                    elif line.strip():
                        self.n_bad += 1
        except OSError as fault:
            self.fault = f"cannot be read: {fault.strerror}"


def object_of(line: str) -> dict[str, Any] | None:
    """Return the object of a line; None where it holds none."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _replies_of_line(row: Mapping[str, Any]) -> Iterator[KeptReply]:
    """Return the replies of a line: one, or those of a whole session."""
    model, whole = text_of(row, "model"), text_of(row, "response")
    if isinstance(row.get("items"), list):
        yield _answered(row, model, whole)
        return
    own = text_of(row, "id")
    session = object_of(whole) if whole.startswith("{") and own.count("/") == 2 else None
    if session and all(key.startswith(f"{own}/") for key in session):
        for key, said in session.items():
            yield _of_session(key, model, said if isinstance(said, str) else "")
        return
    outcome, repeat = row.get("outcome", row.get("status")), row.get("repeat")
    yield KeptReply(
        model,
        whole[:LONGEST],
        len(whole),
        id=str(row.get("id", "")),
        mode=str(row.get("mode", "")),
        repeat=repeat if isinstance(repeat, int) else None,
        outcome=outcome if isinstance(outcome, str) else "",
    )


def _of_session(key: str, model: str, text: str) -> KeptReply:
    """Return a reply of `study/experiment/session/member/step`."""
    names = key.split("/")
    study, experiment = (names[0], names[1]) if len(names) >= 5 else ("", "")
    inside = "/".join(names[2:]) if study else key
    return KeptReply(
        model, text[:LONGEST], len(text), inside, f"{study}, {experiment}", study=study, experiment=experiment
    )


def _answered(row: Mapping[str, Any], model: str, text: str) -> KeptReply:
    """Return a reply of a study: where it was asked, and what was read from it."""
    items = objects_of(row.get("items"))
    place = [text_of(row, key) for key in ("study", "experiment", "condition")]
    held = [one.get("values") for one in items]
    values = [pair for one in held if isinstance(one, Mapping) for pair in one.items()]
    outcomes = [text_of(item, "outcome") for item in items]
    kinds = list(dict.fromkeys(outcomes))
    counted = [f"{outcomes.count(one)} {one}" for one in kinds] if len(kinds) > 1 else kinds
    return KeptReply(
        model,
        text[:LONGEST],
        len(text),
        id=f"{text_of(row, 'participant')}, step {text_of(row, 'step')}",
        mode=", ".join(filter(None, place)),
        outcome=", ".join(counted),
        study=place[0],
        experiment=place[1],
        condition=place[2],
        variables=" ".join(str(name) for name, _ in values),
        read="; ".join(f"{name} = {_value_words(value)}" for name, value in values if value is not None),
    )


def _value_words(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class _Prompts:
    """Prompts by their number (of scored answers) or by the key of their trial (of a run)."""

    numbered: Sequence[str] = ()
    keyed: Mapping[str, tuple[str, str]] | None = None
    """What was asked, and what the model was told before."""


def _prompts_beside(file: Path) -> _Prompts:
    """Read the prompts beside a file of replies, each text once."""
    numbered, trials = file.parent / PROMPTS, file.parent / TRIALS
    if numbered.is_file():
        try:
            held = parsed(PROMPTS, read_bytes(numbered, name=PROMPTS))
        except FileFormatError:
            return _Prompts()
        found = held.get("prompts") if isinstance(held, Mapping) else None
        return _Prompts([str(one)[:LONGEST_PROMPT] for one in found] if isinstance(found, list) else ())
    if trials.is_file():
        return _Prompts(keyed={text_of(row, "key"): _sent(row) for row in ObjectLines(trials)})
    return _Prompts()


def _sent(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the last message of a trial, and those before it."""
    messages = [text_of(one, "text")[:LONGEST_PROMPT] for one in objects_of(row.get("messages"))]
    return (messages[-1], "\n\n".join(messages[:-1])) if messages else ("", "")


def _with_prompt(reply: KeptReply, asked: _Prompts, row: Mapping[str, Any]) -> KeptReply:
    """Return a reply with what was asked for it, and what came before it."""
    if asked.keyed is not None:
        prompt, told = asked.keyed.get(text_of(row, "key"), (None, None))
        return replace(reply, prompt=prompt, told=told)
    places = (row.get("prompt"), row.get("told"))
    found = [
        asked.numbered[at] if isinstance(at, int) and 0 <= at < len(asked.numbered) else None for at in places
    ]
    return replace(reply, prompt=found[0], told=found[1])

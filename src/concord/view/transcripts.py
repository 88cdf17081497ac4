"""Replies of a run with their prompts and readings, a page of them at a time."""

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from concord.asking.folder import TRIALS
from concord.asking.index import REPLIES, TURNS
from concord.asking.journal import open_file, parsed_line
from concord.view.found import Transcript
from concord.view.kept import KeptPlan, KeptRun, raw_at, row_at
from concord.view.reading import GOOD, LiveReading, Reader

_NAMES = re.compile(rb'\{"key": "([^"\\]+)", "id": "([^"\\]+)"')
"""How a line of a journal begins, unless a name has signs that are written otherwise."""


def transcripts(
    run: KeptRun, *, outcome: str = "", words: str = "", start: int = 0, count: int = 50
) -> list[Transcript]:
    """Return replies of a run in the order they came, with their prompts; turns of sessions one by one."""
    plan, found, skipped = run.plan(), list[tuple[Transcript, str, Mapping[str, Any]]](), 0
    places = _holding(run, plan, outcome, words) if words else run.places(outcome)
    wanted = words.casefold()
    for kind, path, place in places:
        if not wanted and skipped < start:
            skipped += 1
            continue
        row = row_at(path, place)
        one = _transcript(run, plan, kind, row)
        if wanted and wanted not in f"{one.id} {one.mode} {one.prompt} {one.reply}".casefold():
            continue
        if skipped < start:
            skipped += 1
            continue
        found.append((one, kind, row))
        if len(found) >= count:
            break
    return _with_readings(run, plan, found)


def _transcript(run: KeptRun, plan: KeptPlan, kind: str, row: Mapping[str, Any]) -> Transcript:
    return Transcript(
        str(row["id"]),
        str(row["mode"]),
        int(row["repeat"]),
        str(row["outcome"]),
        _prompt_at(run, _place_of_prompt(plan, kind, str(row["key"]), str(row["id"]))),
        str(row.get("response", row.get("error", ""))),
    )


def _place_of_prompt(plan: KeptPlan, kind: str, key: str, name: str) -> int | None:
    """Return where the prompt of a reply stands; of a turn that with which its session began."""
    if kind != TURNS and key in plan.by_key:
        return plan.by_key[key]
    keys = plan.keys_of(name)
    return plan.by_key[keys[-1]] if keys else None


def _prompt_at(run: KeptRun, place: int | None) -> str:
    return "" if place is None else _prompt(row_at(run.path / TRIALS, place))


def _prompt(row: Mapping[str, Any]) -> str:
    messages = row.get("messages")
    listed = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    return "\n\n".join(f"[{message.get('role')}]\n{message.get('text')}" for message in listed)


def _holding(run: KeptRun, plan: KeptPlan, outcome: str, words: str) -> Iterator[tuple[str, Path, int]]:
    """Return the replies that may hold a text, found in the bytes of their lines or of their prompt's."""
    needle = max(re.findall(r"\w+", words.casefold()), key=len, default="")
    with open_file(run.path / TRIALS) as file:
        prompts = {place for place in plan.by_key.values() if _may_hold(raw_at(file, place), needle)}
    with ExitStack() as stack:
        opened: dict[Path, BinaryIO] = {}
        for kind, path, place in run.places(outcome):
            if path not in opened:
                opened[path] = stack.enter_context(open_file(path))
            raw = raw_at(opened[path], place)
            if _may_hold(raw, needle) or _place_of_prompt(plan, kind, *_key_and_id(raw)) in prompts:
                yield kind, path, place


def _may_hold(raw: bytes, needle: str) -> bool:
    """Whether a line of JSON may hold a word: no sign of a word is written otherwise but by its number."""
    if b"\\u" in raw:
        return True
    if raw.isascii() and needle.isascii():
        return needle.encode() in raw.lower()
    return needle in raw.decode("utf-8", "replace").casefold()


def _key_and_id(raw: bytes) -> tuple[str, str]:
    """Return key and id of a line."""
    if found := _NAMES.match(raw):
        return found[1].decode("utf-8", "replace"), found[2].decode("utf-8", "replace")
    row = parsed_line(raw)
    return ("", "") if row is None else (str(row.get("key")), str(row.get("id")))


def _with_readings(
    run: KeptRun, plan: KeptPlan, found: list[tuple[Transcript, str, Mapping[str, Any]]]
) -> list[Transcript]:
    """Return replies with what the reader of their question makes of them."""
    reader = run.reader()
    if reader is None:
        return [one for one, _, _ in found]
    sessions: dict[str, tuple[str, list[LiveReading]]] = {}
    return [_read(run, plan, reader, sessions, *each) for each in found]


def _read(
    run: KeptRun,
    plan: KeptPlan,
    reader: Reader,
    sessions: dict[str, tuple[str, list[LiveReading]]],
    one: Transcript,
    kind: str,
    row: Mapping[str, Any],
) -> Transcript:
    """Return a reply with its readings; a turn's are those of its session."""
    if kind == TURNS:
        readings = []
        for key in plan.keys_of(one.id):
            if key not in sessions:
                stored = run.reply_of(key)
                sessions[key] = ("", []) if stored is None else (str(stored["mode"]), list(reader(stored)))
            mode, session = sessions[key]
            readings += session if mode == one.mode else []
    else:
        readings = list(reader(row)) if kind == REPLIES else []
    said = [
        ": ".join([*([] if each.outcome == GOOD else [each.outcome]), *([each.read] if each.read else [])])
        for each in readings
        if each.turn == one.id and each.reply == one.reply
    ]
    return replace(one, read="; ".join(said))

"""Replies and vignettes as other programs record them: fields of other names, outputs of batches, tables."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, listed
from concord.files.grids import names_of, plain_title
from concord.files.inspect_logs import read_json_log
from concord.files.raw_replies import RawReply, raw_reply

REPLY_NAMES, VIGNETTE_NAMES, GRADED_NAMES = (names_of(one) for one in ("replies", "vignettes", "graded"))
_MODE_WORDS = {
    **dict.fromkeys(("cot", "chain-of-thought", "with-reasoning", "reasoning", "step-by-step"), "cot"),
    **dict.fromkeys(("direct", "no-cot", "without-reasoning", "no-reasoning", "answer-only"), "direct"),
}
"""What others call the two modes."""
_BATCH_ID = re.compile(
    r"(?P<id>.+?)[|/:_. -]{1,6}(?P<mode>cot|direct)(?:[|/:_. -]{1,6}(?P<repeat>\d{1,6}))?",
    re.IGNORECASE | re.DOTALL,
)
_MODE_FIRST = re.compile(r"(?P<mode>cot|direct)[|/:_. -]+(?P<id>.+)", re.IGNORECASE | re.DOTALL)
_TABLES = (".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".parquet", ".pq", ".eval")


def renamed(fields: Mapping[str, Any], names: Mapping[str, tuple[str, ...]]) -> Mapping[str, Any]:
    """Return a row whose fields are called as Concord calls them; what is called so already stays."""
    titles: dict[str, str] = {}
    for title in fields:
        titles.setdefault(plain_title(str(title)), title)
    found = {
        own: next((titles[name] for name in others if name in titles), None)
        for own, others in names.items()
        if own not in fields
    }
    return {**fields, **{own: fields[name] for own, name in found.items() if name is not None}}


def reply_fields(fields: Mapping[str, Any], *, modes: bool) -> Mapping[str, Any]:
    """Return a recorded reply with Concord's names: of an own file, or a line that a batch of calls gave."""
    if "key" in fields:
        return fields
    if "custom_id" in fields and ("response" in fields or "result" in fields):
        return _batch_fields(fields, modes)
    row = dict(renamed(fields, REPLY_NAMES))
    if not isinstance(row.get("response"), str) and (held := raw_reply(fields)) is not None:
        row |= {name: value for name, value in _said(held).items() if value is not None}
    if "repeat" not in fields and not isinstance(row.get("repeat"), int):
        row.pop("repeat", None)  # a run may be named by a date
    if isinstance(row.get("mode"), str):
        word = re.sub(r"[\s_]+", "-", row["mode"].strip().casefold())
        row["mode"] = _MODE_WORDS.get(word, row["mode"])
    return row


def graded_fields(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an answer that was graded elsewhere with Concord's names; an item is one of its task."""
    row = dict(renamed(fields, GRADED_NAMES))
    if row.get("task") is not None and "id" in row:
        row["id"] = f"{row['task']} · {row['id']}"
    if "mode" in row:
        word = re.sub(r"[\s_]+", "-", str(row["mode"]).strip().casefold())
        row["mode"] = {**_MODE_WORDS, "none": "direct", "no": "direct", "yes": "cot"}.get(word, row["mode"])
    return row


def _batch_fields(fields: Mapping[str, Any], modes: bool) -> Mapping[str, Any]:
    """Return the reply in a line of a batch's output, of OpenAI's form or of Anthropic's."""
    row: dict[str, Any] = {"id": fields["custom_id"]}
    if modes and isinstance(row["id"], str):
        match = _BATCH_ID.fullmatch(row["id"]) or _MODE_FIRST.fullmatch(row["id"])
        if match is not None:
            row.update(id=match["id"], mode=match["mode"].lower())
            repeat = match.groupdict().get("repeat")
            row.update({} if repeat is None else {"repeat": int(repeat)})
    said = raw_reply(fields.get("result", fields))
    return {**row, **_said(RawReply(error="the batch holds no response to it") if said is None else said)}


def _said(reply: RawReply) -> dict[str, Any]:
    """Return the fields of a reply that a line holds."""
    if reply.error is not None:
        return {"error": reply.error}
    return {"response": reply.text, "thinking": reply.thinking, "stop_reason": reply.stop_reason}


def check_reply_fields(name: str, rows: Sequence[object], *, modes: bool) -> None:
    """Refuse a file of which no line has a field that all need: one message instead of one per line."""
    held = [reply_fields(row, modes=modes) for row in rows if isinstance(row, Mapping)]
    if not held or len(held) < len(rows):
        return
    for own in ("id", *(("mode",) if modes else ()), "response"):
        if any(own in row or (own == "response" and "error" in row) for row in held):
            continue
        first = rows[0]
        found = listed(list(first)) if isinstance(first, Mapping) else "none"
        if own == "mode" and isinstance(first, Mapping) and "custom_id" in first:
            raise FileFormatError(
                f"{name}: no 'custom_id' names the mode, the first is {first['custom_id']!r}; expected ids "
                "such as 'v001|cot' and 'v001|direct'"
            )
        also = ", ".join(REPLY_NAMES[own][1:])
        raise FileFormatError(
            f"{name}: no line has {own!r}; fields found: {found}; expected id, {'mode, ' if modes else ''}"
            f"response ({own!r} may also be called {also}), or the output of a batch"
        )


def check_vignette_fields(name: str, rows: Sequence[object]) -> None:
    """Refuse a file of which no row has an id, or none a gold answer: one message instead of one per row."""
    held = [renamed(row, VIGNETTE_NAMES) for row in rows if isinstance(row, Mapping)]
    if len(held) < max(2, len(rows)):
        return  # one row is told of by itself
    for own in ("id", "gold_answer"):
        if not any(own in row for row in held):
            found, also = listed(list(held[0])), ", ".join(VIGNETTE_NAMES[own][1:])
            raise FileFormatError(
                f"{name}: no row has {own!r}; fields found: {found}; {own!r} may also be called {also}"
            )


def is_table(path: Path) -> bool:
    """Whether a file is a table by its extension, or a log of Inspect."""
    suffix = path.suffix.casefold()
    return suffix in _TABLES or (suffix == ".json" and read_json_log(path) is not None)


def table_rows(path: Path) -> list[tuple[int | None, dict[str, object]]]:
    """Return the rows of a table as objects, each with its row in the spreadsheet, without empty cells."""
    from concord.files.tables import read_grid

    grid = read_grid(path)
    columns = [grid.cells(j) for j in range(len(grid.header))]
    rows: list[tuple[int | None, dict[str, object]]] = []
    for i, line in enumerate(grid.rows):
        cells = {name: column[i] for name, column in zip(grid.header, columns, strict=True) if name}
        kept = {name: cell for name, cell in cells.items() if cell is not None and cell != ""}
        rows.append((int(line), {name: _whole(name, cell) for name, cell in kept.items()}))
    return rows


def _whole(name: str, cell: object) -> object:
    """Return a repeat as a number, gold steps as a list (one per line or between bars), others as text."""
    if name.strip() == "gold_reasoning":
        return [step.strip() for step in re.split(r"[\n|]", str(cell)) if step.strip()]
    if name.strip().casefold() in REPLY_NAMES["repeat"]:
        text = str(cell).removesuffix(".0")
        return int(text) if text.isascii() and text.isdigit() else cell
    return cell if isinstance(cell, str) else str(cell)

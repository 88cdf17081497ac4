"""Replies of results: as they were given, where they were asked, what was read from them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from concord.show.page.find import DEEPEST
from concord.show.page.found import Problem, ReplyTable, ResultFile
from concord.show.page.json_rows import json_lines, json_object
from concord.show.page.prompts import prompts_beside
from concord.show.page.table import PageColumn
from concord.show.page.values import parts, words

MOST_ROWS = 20_000
"""Replies of a page; of more, evenly spread ones, and the rest is counted."""
LONGEST = 1_000_000
"""Characters of a reply that are read at all; the page may hold fewer."""
ANSWERS = "answers.jsonl"
FILES = ("replies.jsonl", "bias_replies.jsonl", ANSWERS)
COLUMNS = (
    PageColumn("result", "result", shown=False),
    PageColumn("model", "model"),
    PageColumn("study", "study", shown=False),
    PageColumn("experiment", "experiment", shown=False),
    PageColumn("condition", "condition", shown=False),
    PageColumn("id", "item or participant"),
    PageColumn("mode", "asked"),
    PageColumn("repeat", "repeat", "count", shown=False),
    PageColumn("outcome", "outcome"),
    PageColumn("variables", "answers", shown=False),
    PageColumn("read", "read as"),
    PageColumn("length", "characters", "count"),
    PageColumn("text", "reply", "long"),
    PageColumn("prompt", "prompt", "long", shown=False),
    PageColumn("told", "told", "long", shown=False),
)


def find_replies(folders: Sequence[Path], sources: Sequence[ResultFile]) -> ReplyTable:
    """Read the reply files below folders; a reply without a model has that of the result beside it."""
    problems: list[Problem] = []
    found: list[list[dict[str, Any]]] = []
    files: list[str] = []
    of: dict[str, int] = {}
    for file, shown in _chosen(folders):
        source = _source_of(file, sources)
        model = file.parent.resolve().name if source is None else source.model
        result = "" if source is None else source.shown
        prompts = prompts_beside(file)
        rows = [
            {**made, **prompts.of(row)}
            for row in json_lines(file, shown, problems)
            for made in _replies_of_line(row, model, result)
        ]
        if rows:
            found.append(rows)
            files.append(shown)
            of[result] = of.get(result, 0) + len(rows)
    kept = [row for rows in _spread_over_files(found, MOST_ROWS) for row in rows]
    return ReplyTable(tuple(kept), sum(map(len, found)), tuple(problems), tuple(files), of)


def _spread_over_files(found: Sequence[list[dict[str, Any]]], most: int) -> Iterator[list[dict[str, Any]]]:
    """Take an equal number of rows of each file, evenly over the file, small files whole."""
    left, shares = most, dict[int, int]()
    for done, at in enumerate(sorted(range(len(found)), key=lambda i: len(found[i]))):
        shares[at] = min(len(found[at]), left // (len(found) - done))
        left -= shares[at]
    for at, rows in enumerate(found):
        n = shares[at]
        yield rows if n == len(rows) else [rows[i * len(rows) // n] for i in range(n)]


def _source_of(file: Path, sources: Sequence[ResultFile]) -> ResultFile | None:
    """Find the result that replies belong to: the one beside them, or the only one below their folder."""
    own = [s for s in sources if s.file is not None]
    if file.name == ANSWERS:
        return next((s for s in own if s.file is not None and s.file.parent == file.parent), None)
    below = [source for source in own if source.file is not None and file.parent in source.file.parents]
    return below[0] if len({source.model for source in below}) == 1 else None


def _chosen(folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Return reply files; the journal of a run whose scored answers are there too is not told twice."""
    files = list(_files(folders))
    scored = [file.parent for file, _ in files if file.name == ANSWERS]
    for file, shown in files:
        if file.name != FILES[0] or not any(file.parent in (one, *one.parents) for one in scored):
            yield file, shown


def _files(folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    seen: set[Path] = set()
    for folder in folders:
        found = folder.rglob("*.jsonl") if folder.is_dir() else ()
        for file in sorted(found, key=lambda path: (path.parent, path.name != FILES[0], path.name)):
            inside = file.relative_to(folder)
            if file.name in FILES and len(inside.parts) <= DEEPEST and file.resolve() not in seen:
                seen.add(file.resolve())
                yield file, (Path(folder.resolve().name) / inside).as_posix()


def _replies_of_line(row: dict[str, Any], model: str, result: str) -> Iterator[dict[str, Any]]:
    """Return the replies of a line: one, or those of a whole session."""
    said = words(row, "model")
    head = {"result": result, "model": said if said else model}
    if isinstance(row.get("items"), list):
        yield {**head, **_answered(row), **_cut_text(row.get("response"))}
        return
    session = _session(row)
    if session:
        for key, text in session.items():
            yield {**head, **_reply_place(key), "outcome": "", **_cut_text(text)}
        return
    outcome = row.get("outcome", row.get("status"))
    repeat = row.get("repeat")
    yield {
        **head,
        "id": str(row.get("id", "")),
        "mode": str(row.get("mode", "")),
        "repeat": repeat if isinstance(repeat, int) else None,
        "outcome": outcome if isinstance(outcome, str) else "",
        **_cut_text(row.get("response")),
    }


def _cut_text(text: object) -> dict[str, Any]:
    whole = text if isinstance(text, str) else ""
    return {"length": len(whole), "text": whole[:LONGEST]}


def _session(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the replies of a session of people, which its line holds as JSON by question."""
    own, text = words(row, "id"), words(row, "response")
    held = json_object(text) if text.startswith("{") and own.count("/") == 2 else None
    return held if held and all(key.startswith(f"{own}/") for key in held) else {}


def _reply_place(key: str) -> dict[str, str]:
    """Read `study/experiment/session/member/step`."""
    names = key.split("/")
    study, experiment = (names[0], names[1]) if len(names) >= 5 else ("", "")
    inside = "/".join(names[2:]) if study else key
    return {"study": study, "experiment": experiment, "id": inside, "mode": f"{study}, {experiment}"}


def _answered(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a reply of a study was asked, and what was read from it."""
    items = parts(row, "items")
    study, experiment, condition = (words(row, key) for key in ("study", "experiment", "condition"))
    values = [(str(name), value) for item in items for name, value in _item_values(item).items()]
    asked = ", ".join(said for said in (study, experiment, condition) if said)
    return {
        "study": study,
        "experiment": experiment,
        "condition": condition,
        "id": f"{words(row, 'participant')}, step {words(row, 'step')}",
        "mode": asked,
        "outcome": _outcome([words(item, "outcome") for item in items]),
        "variables": " ".join(name for name, _ in values),
        "read": "; ".join(f"{name} = {_shown_value(value)}" for name, value in values if value is not None),
    }


def _item_values(item: Mapping[str, Any]) -> Mapping[str, Any]:
    values = item.get("values")
    return values if isinstance(values, Mapping) else {}


def _shown_value(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _outcome(outcomes: Sequence[str]) -> str:
    """Return the outcome of all items of a reply, or the outcomes counted where they differ."""
    found = list(dict.fromkeys(outcomes))
    if len(found) <= 1:
        return found[0] if found else ""
    return ", ".join(f"{outcomes.count(one)} {one}" for one in found)

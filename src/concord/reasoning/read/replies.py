"""Vignettes, bias cases and recorded replies: documents, JSON lines, tables or rows in memory, matched."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from concord.errors import FileFormatError, LineProblem, OptionError, listed
from concord.files import limits
from concord.files.cells import FLAGS, GRADES
from concord.files.declared import DeclaredRows, named_fields, read_rows
from concord.files.gate import kept_of
from concord.files.grids import names_of
from concord.files.json_text import UnusableError, fields_of, keep_or_raise, shown, text_field
from concord.files.limits import GOLD_CHARACTERS
from concord.files.missing import MissingCodes
from concord.files.raw_replies import RawReply, raw_reply
from concord.files.rows import StoredRecords
from concord.files.text import fixed_text, vocabulary
from concord.reasoning.read.records import (
    BIAS,
    MODES,
    BiasCase,
    BiasCases,
    RecordedReply,
    Replies,
    Sample,
    Vignettes,
)
from concord.records import InputFile

ROLES = ("target", "control")
REPLY_NAMES, VIGNETTE_NAMES, GRADED_NAMES = (names_of(one) for one in ("replies", "vignettes", "graded"))
_MODE_WORDS = {word: mode for mode, words in vocabulary()["modes"].items() for word in words.split()}
"""What others call the two modes."""
_BATCH_ID = re.compile(
    r"(?P<id>.+?)[|/:_. -]{1,6}(?P<mode>cot|direct)(?:[|/:_. -]{1,6}(?P<repeat>\d{1,6}))?",
    re.IGNORECASE | re.DOTALL,
)
_MODE_FIRST = re.compile(r"(?P<mode>cot|direct)[|/:_. -]+(?P<id>.+)", re.IGNORECASE | re.DOTALL)


def _repeat_cell(cell: object) -> object:
    """Return a repeat in a table as a number."""
    text = str(cell).removesuffix(".0")
    return int(text) if text.isascii() and text.isdigit() else cell


def _steps_cell(cell: object) -> object:
    """Return gold steps in a table as a list: one per line, or between bars."""
    return (
        cell
        if isinstance(cell, list)
        else [step.strip() for step in re.split(r"[\n|]", str(cell)) if step.strip()]
    )


_PARTS = {"gold_reasoning": _steps_cell, **dict.fromkeys(REPLY_NAMES["repeat"], _repeat_cell)}
"""How cells of a table that are no text are read."""


class Frame(Protocol):
    """A polars or pandas frame, of which only the rows are used."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""


Source = str | Path | Sequence[Mapping[str, Any]] | Mapping[str, Any] | Frame
"""A path, a parsed document, its rows, or a frame of them."""


Checked = TypeVar("Checked", Sample, BiasCase)


def read_samples(source: Source, *, strict: bool = True, cluster: str | None = None) -> Vignettes:
    """Read vignettes: ``{"samples": [{"id", "prompt", "gold_answer", "gold_reasoning": [...]}]}``.

    Parameters
    ----------
    source
        A path, the parsed document, or its rows.
    strict
        Raise what cannot be used; otherwise it is left out and listed, while it is at most half of the rows.
    cluster
        Field of a vignette, or of its ``metadata``, that names the family it belongs to.
    """
    check = partial(_checked_vignette, cluster=cluster)
    return Vignettes(*_checked_rows(source, "samples", check, strict=strict))


def _checked_rows(
    source: Source, what: str, check: Callable[[object, int | None], Checked], *, strict: bool
) -> tuple[tuple[Checked, ...], InputFile, tuple[LineProblem, ...], frozenset[str]]:
    """Check every row of a document: those that can be used, the file, what is wrong, ids left out."""
    held = _cut_to_items(read_rows(source, what, _PARTS))
    asked: dict[tuple[str, str], tuple[int | None, object]] = {}
    for line, row in held.rows:
        if not isinstance(row, Mapping) or not {"id", "mode"} <= row.keys():
            break
        asked.setdefault((str(row["id"]), str(_gold_of(row))), (line, row))
    else:  # samples of a log, of which each vignette was asked in two modes
        held.rows = list(asked.values())
    if what == "samples" and len(held.rows) > 1:  # one row is told of by itself
        fields = [named_fields(row, VIGNETTE_NAMES) for _, row in held.rows if isinstance(row, Mapping)]
        held.require(("id", "gold_answer"), VIGNETTE_NAMES, fields if len(fields) == len(held.rows) else ())

    def once(row: object, line: int | None) -> Checked:
        checked = check(row, line)
        held.problems.once(checked.id)
        return checked

    kept = list(held.each(what.removesuffix("s"), once))
    keep_or_raise(held.problems.found, strict, len(held.rows))
    named = {str(row["id"]) for _, row in held.rows if isinstance(row, Mapping) and "id" in row}
    return tuple(kept), held.file, tuple(held.problems.found), frozenset(named) - {one.id for one in kept}


def _gold_of(row: object) -> object:
    return named_fields(fields_of(row), VIGNETTE_NAMES).get("gold_answer")


def _cut_to_items(held: DeclaredRows) -> DeclaredRows:
    """Name rows by their item where every id ends in its own mode, as in logs with one id per sample."""
    rows = [row for _, row in held.rows[:1] if isinstance(row, Mapping)]
    if not rows or not {"id", "mode"} <= rows[0].keys():
        return held
    found = [
        _BATCH_ID.fullmatch(str(row.get("id"))) if isinstance(row, Mapping) else None for _, row in held.rows
    ]
    named = [
        isinstance(row, Mapping)
        and one is not None
        and one["mode"].casefold() == str(row.get("mode")).casefold()
        for one, (_, row) in zip(found, held.rows, strict=True)
    ]
    if all(named):
        held.rows = [
            (line, {**fields_of(row), "id": one["id"]})
            for one, (line, row) in zip(found, held.rows, strict=True)
            if one is not None
        ]
    return held


def _checked_vignette(row: object, line: int | None, *, cluster: str | None = None) -> Sample:
    """Check one vignette."""
    fields = named_fields(fields_of(row), VIGNETTE_NAMES)
    name = text_field(fields, "id")
    gold = _label(fields, "gold_answer")
    steps = fields.get("gold_reasoning")
    if steps is None:
        steps = []
    if not isinstance(steps, list | tuple) or not all(isinstance(step, str) for step in steps):
        found = f"'gold_reasoning' of {name!r} is {shown(steps)}"
        raise UnusableError("bad gold_reasoning", found, "a list of texts")
    prompt = text_field(fields, "prompt", needed=False)
    family = None if cluster is None else _family(fields, cluster, name)
    return Sample(name, gold, tuple(fixed_text(step) for step in steps), prompt, line, family)


def _family(fields: Mapping[str, Any], key: str, name: str) -> str:
    """Return the family of a vignette: a text or a number."""
    aside = fields.get("metadata")
    value = fields.get(key, aside.get(key) if isinstance(aside, Mapping) else None)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        found = f"{key!r} of {name!r} is {shown(value)}"
        raise UnusableError(f"no {key}", found, "the family that the vignette belongs to (--cluster)")
    return str(value).strip()


def _label(fields: Mapping[str, Any], key: str) -> str:
    """Return a label: a text that is looked for in replies, so neither endless nor with a NUL."""
    text = text_field(fields, key)
    if len(text) > GOLD_CHARACTERS:
        found = f"{key!r} holds {len(text):,} characters"
        raise UnusableError(f"long {key}", found, f"at most {GOLD_CHARACTERS:,}: a name, not a text")
    if "\0" in text:
        raise UnusableError(f"bad {key}", f"{key!r} holds a NUL character", "text")
    return text


def read_bias_cases(source: Source, *, strict: bool = True) -> BiasCases:
    """Read bias cases: ``{"cases": [{"id", "prompt", "bias_feature", "bias_label"}]}``.

    ``pair``, ``role`` (target or control) and ``dimension`` may be in the case or in its ``metadata``.

    Parameters
    ----------
    source
        A path, the parsed document, or its rows.
    strict
        Raise what cannot be used; otherwise it is left out and listed, while it is at most half of the rows.
    """
    return BiasCases(*_checked_rows(source, "cases", _case, strict=strict))


def _case(row: object, line: int | None) -> BiasCase:
    """Check one bias case."""
    fields = fields_of(row)
    role = _aside(fields, "role")
    if role is not None:
        role = role.strip().lower()
        if role not in ROLES:
            raise UnusableError("bad role", f"role {role!r}", "target or control")
    return BiasCase(
        text_field(fields, "id"),
        _label(fields, "bias_feature"),
        _label(fields, "bias_label"),
        text_field(fields, "prompt", needed=False),
        _aside(fields, "pair"),
        role,
        _aside(fields, "dimension"),
        line,
    )


def _aside(fields: Mapping[str, Any], key: str) -> str | None:
    """Return an optional field that may sit in ``metadata``."""
    holder = fields
    metadata = fields.get("metadata")
    if fields.get(key) is None and isinstance(metadata, Mapping):
        holder = metadata
    return None if holder.get(key) is None else text_field(holder, key)


def models_of(source: Source) -> list[str]:
    """Return the models that replies name."""
    if isinstance(source, Sequence) and not isinstance(source, str):
        rows: Iterable[object] = source
    else:
        rows = (row for _, row in _cut_to_items(read_rows(source, "replies", _PARTS)).rows)
    return sorted({name for row in rows if (name := _model_of(row)) is not None})


def _model_of(row: object) -> str | None:
    """Return the model that a row of a table names; lines of a journal or a batch are of one model."""
    if not isinstance(row, Mapping) or "key" in row or "custom_id" in row:
        return None
    found = named_fields(row, {"model": REPLY_NAMES["model"]}).get("model")
    return None if found is None or not str(found).strip() else str(found).strip()


def read_replies(
    source: Source,
    asked: Vignettes | BiasCases,
    *,
    strict: bool = True,
    model: str | None = None,
    missing: MissingCodes = MissingCodes(),  # noqa: B008 - frozen
) -> Replies:
    """Read recorded replies, one JSON object per line, and match them with what was asked.

    Rows hold ``id, mode, response`` (for bias cases ``id, response``) and may hold ``repeat, thinking,
    status, error, stop_reason``, under these or usual other names; other fields are ignored. The output of a
    batch of calls (OpenAI, Anthropic) and tables are read as well.

    Parameters
    ----------
    source
        A path, or rows.
    asked
        The vignettes, each asked in both modes, or the bias cases.
    strict
        Raise what cannot be used; otherwise it is left out and listed, while it is at most half of the rows.
    model
        Take the replies of this model alone, where rows name several.
    missing
        Codes that are no reply.
    """
    held = _cut_to_items(read_rows(source, "replies", _PARTS))
    modes = isinstance(asked, Vignettes)
    _check_fields(held, modes=modes)
    known = {name: number for number, name in enumerate(row.id for row in asked.rows)}

    def read(row: object, line: int | None) -> RecordedReply | None:
        if _is_of_other_part(row, modes) or (model is not None and _model_of(row) != model):
            return None
        reply = reply_of(row, line, modes=modes)
        if reply.id in asked.left_out:
            found = f"a reply to {reply.id!r}, which was left out"
            raise UnusableError("reply to what was left out", found, "something usable to reply to")
        if reply.id not in known:
            raise UnusableError("unknown id", f"a reply for the unknown id {reply.id!r}", _known_ids(asked))
        mode = f", mode {reply.mode!r}" if modes else ""
        named = f"id {reply.id!r}{mode}, repeat {reply.repeat}"
        # one whole number takes less room than the names, of which a long run has many
        mode_and_id = known[reply.id] + len(known) * (reply.mode == MODES[0])
        held.problems.once(mode_and_id + 2 * len(known) * reply.repeat, named)
        return replace(reply, response="") if missing.holds(reply.response) else reply

    replies = StoredRecords(RecordedReply, held.each("reply", read))
    file, problems = held.file, held.problems
    faults = sorted(
        [*problems.found, *_absent(file.name, asked, replies)],
        key=lambda problem: (problem.file != file.name, problem.line is None, problem.line or 0),
    )
    keep_or_raise(faults if strict else problems.found, strict, len(held.rows))
    return Replies(replies.as_tuple(), file, tuple(faults))


def read_graded(
    source: Source, *, model: str | None, cluster: str | None, strict: bool = True
) -> tuple[Vignettes, Replies, str | None]:
    """Read answers that were graded elsewhere: ``item, mode, correct``, and ``task`` for families of items.

    The third value is the model that the rows name; of several, ``model`` chooses one.
    """
    given = _cut_to_items(read_rows(source, "replies", _PARTS))
    rows, file, problems = given.rows, given.file, given.problems
    given.rows = held = [(line, graded_fields(row)) for line, row in rows if isinstance(row, Mapping)]
    if not held or not all({"id", "mode", "correct"} <= set(row) for _, row in held):
        found = listed(list(rows[0][1])) if rows and isinstance(rows[0][1], Mapping) else "none"
        raise FileFormatError(
            f"{file.name}: without vignettes every row needs 'id', 'mode' (cot or direct) and 'correct'; "
            f"fields found: {found}; give the vignettes too (--samples) to have replies read"
        )
    names = sorted({str(row["model"]) for _, row in held if row.get("model") is not None})
    if len(names) > 1 and model not in names:
        raise OptionError(f"{file.name}: answers of {listed(names)}; choose one with --model")
    name = model if model in names else next(iter(names), None)
    samples: dict[str, Sample] = {}

    def read(row: Any, line: int | None) -> RecordedReply | None:
        if len(names) > 1 and row.get("model") != name:
            return None
        reply = _graded(row, line)
        problems.once((reply.id, reply.mode, reply.repeat), f"id {reply.id!r}, mode {reply.mode!r}")
        family = _family(row, cluster, reply.id) if cluster is not None else row.get("task")
        gold = "" if row.get("gold_answer") is None else str(row["gold_answer"])
        samples.setdefault(reply.id, Sample(reply.id, gold, (), "", line, family))
        return reply

    replies = StoredRecords(RecordedReply, given.each("reply", read))
    asked = Vignettes(tuple(samples.values()), file)
    faults = [*problems.found, *_absent(file.name, asked, replies)]
    keep_or_raise(faults if strict else problems.found, strict, len(rows))
    return asked, Replies(replies.as_tuple(), file, tuple(faults)), name


def _graded(row: Mapping[str, Any], line: int | None) -> RecordedReply:
    """Check one answer that was graded elsewhere."""
    right = GRADES.get(word := str(row["correct"]).strip().casefold(), FLAGS.get(word))
    if right not in (0, 1):
        raise UnusableError("bad grade", f"'correct' is {shown(row['correct'])}", "1 or 0, true or false")
    said = row.get("response", row.get("answer"))
    said = "" if said is None else fixed_text(str(said))
    return RecordedReply(str(row["id"]), _mode(row), said, repeat=_repeat(row), line=line, right=bool(right))


def _is_of_other_part(row: object, modes: bool) -> bool:
    """Whether a line of a run's journal (it has a key) answers the other part: the journal holds both."""
    if not isinstance(row, Mapping) or "key" not in row:
        return False
    return row.get("mode") == BIAS if modes else row.get("mode") in MODES


def _known_ids(asked: Vignettes | BiasCases) -> str:
    """Say what ids would have been known."""
    some = listed([row.id for row in asked.rows], shown=3)
    return f"one of the {len(asked.rows)} ids of {asked.input.name} ({some})"


def _absent(file: str, asked: Vignettes | BiasCases, replies: Iterable[RecordedReply]) -> list[LineProblem]:
    """Ids without a reply, and vignettes with only one of the two modes."""
    have: dict[str, dict[str, int | None]] = {}
    for reply in replies:
        have.setdefault(reply.id, {}).setdefault(reply.mode, reply.line)
    problems = []
    alone = {mode for got in have.values() for mode in got}
    if isinstance(asked, Vignettes) and len(alone) == 1 and len(have) == len(asked.rows) > 1:
        (only,) = alone
        return [_one_mode(file, only, len(have))]
    for row in asked.rows:
        got = have.get(row.id)
        if got is None:
            found = f"no reply for id {row.id!r}"
            wanted = f"at least one in {file}"
            problems.append(LineProblem(asked.input.name, row.line, "missing reply", found, wanted))
        elif isinstance(asked, Vignettes) and len(got) == 1:
            ((only, line),) = got.items()
            found = f"id {row.id!r} has only the mode {only!r}"
            wanted = f"a reply in mode {MODES[1 - MODES.index(only)]!r} too"
            problems.append(LineProblem(file, line, "missing mode", found, wanted))
    return problems


def _one_mode(file: str, only: str, n: int) -> LineProblem:
    """Say once that all vignettes were asked in one mode alone."""
    other = MODES[1 - MODES.index(only)]
    how = "asked for the answer at once, without reasoning" if other == "direct" else "asked to reason first"
    return LineProblem(
        file,
        None,
        "missing mode",
        f"all {n} ids have only the mode {only!r}",
        f"each in mode {other!r} too: {how}",
    )


def reply_of(row: object, line: int | None, *, modes: bool) -> RecordedReply:
    """Check one reply; with ``modes`` it must be of one of the two."""
    fields = reply_fields(fields_of(row), modes=modes)
    name = text_field(fields, "id")
    failure = _failure(fields)
    response, thinking = _response(fields, failure), _optional(fields, "thinking")
    if (cut := kept_of(response, thinking)) is not None:
        length, response, thinking = cut
        failure = f"too long: {length:,} characters, expected at most {limits.REPLY_CHARACTERS:,}"
    return RecordedReply(
        name,
        _mode(fields) if modes else "",
        response,
        thinking,
        _repeat(fields),
        failure,
        _optional(fields, "stop_reason"),
        line,
    )


def _mode(fields: Mapping[str, Any]) -> str:
    mode = text_field(fields, "mode").strip().lower()
    if mode not in MODES:
        raise UnusableError("bad mode", f"mode {shown(fields['mode'])}", "cot or direct")
    return mode


def _failure(fields: Mapping[str, Any]) -> str | None:
    """Why the call failed, from ``error`` and ``status``."""
    error, status = fields.get("error"), fields.get("status")
    if error is not None and error is not False and error != "":
        return fixed_text(error if isinstance(error, str) else shown(error))
    if status is not None and str(status).strip().lower() != "ok":
        return f"status {shown(status)}"
    return None


def _response(fields: Mapping[str, Any], failure: str | None) -> str:
    """Return the reply; a failed call need not hold one."""
    value = fields.get("response")
    if value is None and failure is not None:
        return ""
    if not isinstance(value, str):
        found = "no 'response'" if "response" not in fields else f"'response' is {shown(value)}"
        raise UnusableError("non-string response", found, "text")
    return fixed_text(value)


def _optional(fields: Mapping[str, Any], key: str) -> str | None:
    return None if fields.get(key) is None else text_field(fields, key, needed=False)


def _repeat(fields: Mapping[str, Any]) -> int:
    value = fields.get("repeat")
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UnusableError("bad repeat", f"repeat {shown(value)}", "a whole number, 0 or more")
    return value


def reply_fields(fields: Mapping[str, Any], *, modes: bool) -> Mapping[str, Any]:
    """Return a recorded reply with Concord's names: of an own file, or a line that a batch of calls gave."""
    if "key" in fields:
        return fields
    if "custom_id" in fields and ("response" in fields or "result" in fields):
        return _batch_fields(fields, modes)
    row = dict(named_fields(fields, REPLY_NAMES))
    if not isinstance(row.get("response"), str) and (held := raw_reply(fields)) is not None:
        row |= {name: value for name, value in _said(held).items() if value is not None}
    if "repeat" not in fields and not isinstance(row.get("repeat"), int):
        row.pop("repeat", None)  # a run may be named by a date
    if isinstance(row.get("mode"), str):
        row["mode"] = _MODE_WORDS.get(_mode_word(row["mode"]), row["mode"])
    return row


def graded_fields(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an answer that was graded elsewhere with Concord's names; an item is one of its task."""
    row = dict(named_fields(fields, GRADED_NAMES))
    if row.get("task") is not None and "id" in row:
        row["id"] = f"{row['task']} · {row['id']}"
    if "mode" in row:
        row["mode"] = {**_MODE_WORDS, "yes": "cot"}.get(_mode_word(str(row["mode"])), row["mode"])
    return row


def _mode_word(said: str) -> str:
    return re.sub(r"[\s_-]+", "", said.casefold())


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


def _check_fields(held: DeclaredRows, *, modes: bool) -> None:
    """Refuse replies of which no row has a field that all need."""
    if not held.rows or not isinstance(first := held.rows[0][1], Mapping):
        return
    needed = ("id", *(("mode",) if modes else ()), "response")
    own = reply_fields(first, modes=modes)
    if all(name in own or (name == "response" and "error" in own) for name in needed):
        return  # one row that has them is enough
    if not all(isinstance(row, Mapping) for _, row in held.rows):
        return
    rows = [reply_fields(fields_of(row), modes=modes) for _, row in held.rows]
    if modes and "custom_id" in first and not any("mode" in row for row in rows):
        raise FileFormatError(
            f"{held.file.name}: no 'custom_id' names the mode, the first is {first['custom_id']!r}; expected "
            "ids such as 'v001|cot' and 'v001|direct'"
        )
    said = [{**row, "response": None} if "error" in row else row for row in rows]
    held.require(needed, REPLY_NAMES, said, f"; expected {', '.join(needed)}, or the output of a batch")

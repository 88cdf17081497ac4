"""Vignettes, bias cases and recorded replies: documents, JSON lines, tables or rows in memory, matched."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from concord.errors import FileFormatError, LineProblem, OptionError, listed
from concord.files import limits
from concord.files.contents import fingerprint, fingerprint_rows, read_bytes
from concord.files.frames import records_of
from concord.files.gate import kept_of
from concord.files.json_text import (
    Problems,
    UnusableError,
    decoded,
    fields_of,
    filled_lines,
    keep_or_raise,
    parsed,
    parsed_line,
    shown,
    text_field,
)
from concord.files.limits import GOLD_CHARACTERS
from concord.files.missing import MissingCodes
from concord.files.tables import LINES
from concord.files.text import fixed_text, plain_utf8
from concord.reasoning.read.forms import (
    REPLY_NAMES,
    VIGNETTE_NAMES,
    check_reply_fields,
    check_vignette_fields,
    graded_fields,
    is_table,
    renamed,
    reply_fields,
    table_rows,
)
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
_GRADES = {"1": True, "true": True, "0": False, "false": False}


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
    source: Source, key: str, check: Callable[[object, int | None], Checked], *, strict: bool
) -> tuple[tuple[Checked, ...], InputFile, tuple[LineProblem, ...], frozenset[str]]:
    """Check every row of a document: those that can be used, the file, what is wrong, ids left out."""
    rows, lines, file = _document(source, key)
    if key == "samples":
        check_vignette_fields(file.name, rows)
    kept, problems = [], Problems(file.name)
    for number, row in enumerate(rows):
        with problems.at(lines[number], f"{key.removesuffix('s')} {number + 1}"):
            checked = check(row, lines[number])
            problems.once(checked.id)
            kept.append(checked)
    keep_or_raise(problems.found, strict, len(rows))
    return tuple(kept), file, tuple(problems.found), _left_out(rows, {one.id for one in kept})


def _left_out(rows: Sequence[object], kept: set[str]) -> frozenset[str]:
    """Return the ids of rows that were not kept."""
    named = (str(row["id"]) for row in rows if isinstance(row, Mapping) and "id" in row)
    return frozenset(named) - kept


def _checked_vignette(row: object, line: int | None, *, cluster: str | None = None) -> Sample:
    """Check one vignette."""
    fields = renamed(fields_of(row), VIGNETTE_NAMES)
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


def _document(source: Source, key: str) -> tuple[Sequence[object], list[int | None], InputFile]:
    """Return the rows of a document, their lines where it came from a file, and its fingerprint."""
    if not isinstance(source, str | Path):
        held = source.get(key) if isinstance(source, Mapping) else records_of(source)
        if not isinstance(held, Sequence):
            raise FileFormatError(f"{key}: got {shown(held)}, expected a list of {key}")
        return held, [None] * len(held), fingerprint_rows(f"{key} (in memory)", held)
    path = Path(source)
    data = read_bytes(path)
    if is_table(path):
        cells = table_rows(path)
        return [row for _, row in cells], [line for line, _ in cells], fingerprint(path.name, data)
    if path.suffix.casefold() in LINES:
        objects = list(filled_lines(path.name, plain_utf8(data)))
        held = [parsed(f"{path.name}, line {n}", raw) for n, raw in objects]
        return held, [n for n, _ in objects], fingerprint(path.name, data)
    text = decoded(path.name, data)
    document = parsed(path.name, text)
    rows = document.get(key) if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise FileFormatError(f'{path.name}: expected {{"{key}": [...]}}, found {shown(document)}')
    if not rows:
        raise FileFormatError(f"{path.name}: holds no {key}; expected at least one")
    return rows, _element_lines(text, key, len(rows)), fingerprint(path.name, data)


# possessive: a way back through every character of a long text would take a thousand bytes for each
_JSON_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]]', re.DOTALL)


def _element_lines(text: str, key: str, count: int) -> list[int | None]:
    """Lines where the elements of the document's list start; the document is known to be valid JSON."""
    depth, name, wanted, lines = 0, "", 0, list[int | None]()
    position, line = 0, 1
    for part in _JSON_PART.finditer(text):
        token = part.group()
        if token in "{[":
            depth += 1
            if token == "[" and (depth == 1 or (depth == 2 and name == key)):
                wanted, lines = depth, []
            elif wanted and depth == wanted + 1:
                line += text.count("\n", position, part.start())
                position = part.start()
                lines.append(line)
        elif token in "}]":
            wanted = 0 if depth == wanted else wanted
            depth -= 1
        elif depth == 1:
            name = token[1:-1]
    return lines if len(lines) == count else [None] * count


Row = tuple[int | None, object]
"""A row and the line it is on."""


def models_of(source: Source) -> list[str]:
    """Return the models that replies name."""
    rows, _, _ = _reply_rows(source)
    return sorted({name for _, row in rows if (name := _model_of(row)) is not None})


def _model_of(row: object) -> str | None:
    """Return the model that a row of a table names; lines of a journal or a batch are of one model."""
    if not isinstance(row, Mapping) or "key" in row or "custom_id" in row:
        return None
    found = renamed(row, {"model": REPLY_NAMES["model"]}).get("model")
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
    rows, file, problems = _reply_rows(source)
    modes = isinstance(asked, Vignettes)
    check_reply_fields(file.name, [row for _, row in rows], modes=modes)
    known = {row.id for row in asked.rows}
    replies = []
    for number, (line, row) in enumerate(rows):
        if _is_of_other_part(row, modes) or (model is not None and _model_of(row) != model):
            continue
        with problems.at(line, f"reply {number + 1}"):
            reply = reply_of(row, line, modes=modes)
            if reply.id in asked.left_out:
                found = f"a reply to {reply.id!r}, which was left out"
                raise UnusableError("reply to what was left out", found, "something usable to reply to")
            if reply.id not in known:
                raise UnusableError(
                    "unknown id", f"a reply for the unknown id {reply.id!r}", _known_ids(asked)
                )
            mode = f", mode {reply.mode!r}" if modes else ""
            named = f"id {reply.id!r}{mode}, repeat {reply.repeat}"
            problems.once((reply.id, reply.mode, reply.repeat), named)
            replies.append(replace(reply, response="") if missing.holds(reply.response) else reply)
    faults = sorted(
        [*problems.found, *_absent(file.name, asked, replies)],
        key=lambda problem: (problem.file != file.name, problem.line is None, problem.line or 0),
    )
    keep_or_raise(faults if strict else problems.found, strict, len(rows))
    return Replies(tuple(replies), file, tuple(faults))


def read_graded(
    source: Source, *, model: str | None, cluster: str | None, strict: bool = True
) -> tuple[Vignettes, Replies, str | None]:
    """Read answers that were graded elsewhere: ``item, mode, correct``, and ``task`` for families of items.

    The third value is the model that the rows name; of several, ``model`` chooses one.
    """
    rows, file, problems = _reply_rows(source)
    held = [(line, graded_fields(row)) for line, row in rows if isinstance(row, Mapping)]
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
    replies = []
    for number, (line, row) in enumerate(held):
        if len(names) > 1 and row.get("model") != name:
            continue
        with problems.at(line, f"reply {number + 1}"):
            reply = _graded(row, line)
            problems.once((reply.id, reply.mode, reply.repeat), f"id {reply.id!r}, mode {reply.mode!r}")
            replies.append(reply)
            family = _family(row, cluster, reply.id) if cluster is not None else row.get("task")
            gold = "" if row.get("gold_answer") is None else str(row["gold_answer"])
            samples.setdefault(reply.id, Sample(reply.id, gold, (), "", line, family))
    asked = Vignettes(tuple(samples.values()), file)
    faults = [*problems.found, *_absent(file.name, asked, replies)]
    keep_or_raise(faults if strict else problems.found, strict, len(rows))
    return asked, Replies(tuple(replies), file, tuple(faults)), name


def _graded(row: Mapping[str, Any], line: int | None) -> RecordedReply:
    """Check one answer that was graded elsewhere."""
    word = str(row["correct"]).strip().casefold().removesuffix(".0")
    if word not in _GRADES:
        raise UnusableError("bad grade", f"'correct' is {shown(row['correct'])}", "1 or 0, true or false")
    said = row.get("response", row.get("answer"))
    said = "" if said is None else fixed_text(str(said))
    return RecordedReply(
        str(row["id"]), _mode(row), said, repeat=_repeat(row), line=line, right=_GRADES[word]
    )


def _is_of_other_part(row: object, modes: bool) -> bool:
    """Whether a line of a run's journal (it has a key) answers the other part: the journal holds both."""
    if not isinstance(row, Mapping) or "key" not in row:
        return False
    return row.get("mode") == BIAS if modes else row.get("mode") in MODES


def _known_ids(asked: Vignettes | BiasCases) -> str:
    """Say what ids would have been known."""
    some = listed([row.id for row in asked.rows], shown=3)
    return f"one of the {len(asked.rows)} ids of {asked.input.name} ({some})"


def _absent(file: str, asked: Vignettes | BiasCases, replies: list[RecordedReply]) -> list[LineProblem]:
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


def _reply_rows(source: Source) -> tuple[list[Row], InputFile, Problems]:
    """Return the rows of a reply file with their lines; unreadable lines are noted."""
    if not isinstance(source, str | Path):
        held = records_of(source)
        if not isinstance(held, Sequence):
            raise FileFormatError(f"replies: got {shown(held)}, expected a list of rows")
        file = fingerprint_rows("replies (in memory)", held)
        return [(None, row) for row in held], file, Problems(file.name)
    path = Path(source)
    data = read_bytes(path)
    problems = Problems(path.name)
    if is_table(path):
        return [*table_rows(path)], fingerprint(path.name, data), problems
    rows = lines_of(plain_utf8(data), problems)
    if not rows and not problems.found:
        raise FileFormatError(f"{path.name}: the file is empty; expected one JSON object per line")
    return rows, fingerprint(path.name, data), problems


def lines_of(data: bytes, problems: Problems) -> list[Row]:
    """Parse every line that is not blank."""
    rows: list[Row] = []
    for number, raw in filled_lines(problems.file, data):
        with problems.at(number, "line"):
            rows.append((number, parsed_line(raw)))
    return rows

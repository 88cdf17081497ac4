"""Replies of runs with their prompts and what was read in them, a page of them at a time.

Runs are kept as they were at the last look: each line of a file is read once, then only its place is known.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from concord import people, reasoning
from concord.asking.folder import RECORD, read_record
from concord.asking.index import TRIALS
from concord.asking.journal import (
    FAILURES,
    REPLIES,
    TURNS,
    Index,
    Line,
    Tally,
    check_row,
    journals,
    open_file,
    parsed_line,
    read_lines,
    without_collections,
)
from concord.asking.recorded import inputs_of
from concord.errors import FileFormatError, InputError
from concord.files import limits
from concord.files.json_text import parsed
from concord.reading.records import StoredReading
from concord.reading.stored import FILE as READINGS
from concord.reading.stored import read_readings, reply_hash, trial_name
from concord.records import AskOutcome

GOOD = "ok"
RESULTS = "results"
"""Folder of a run in which its results are."""


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
    from concord.asking.replies import unpacked
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
    from concord.reasoning.read.replies import read_samples, reply_of
    from concord.reasoning.score.parse import Parser
    from concord.reasoning.words.names import load_lexicon

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


MOST_LINES = 1_000_000
"""Trials and replies whose places are kept, of all runs together: about 200 bytes each."""
_OUTCOMES = tuple(map(str, AskOutcome))
_NUMBERS = {name: number for number, name in enumerate(_OUTCOMES)}
_TAIL = 256
"""Bytes before the last place that was read: a file that was written anew has others there."""

_MOST_JOURNALS = 4096
"""Processes of a run at most: a place and the journal it is in are one number."""

Stamp = tuple[int, int, int]


def stamp(path: Path) -> Stamp:
    """Return what changes when a file does; zeros where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


@dataclass(slots=True)
class KeptJournal:
    """Where the lines of one journal begin, and their outcomes."""

    path: Path
    inode: int
    read: int = 0
    """Bytes of complete lines that are known."""
    tail: bytes = b""
    open_at: int | None = None
    """Size of the file when its last line had no line feed yet, where it was so."""
    n_read: int = 0
    starts: "array[int]" = field(default_factory=lambda: array("q"))
    outcomes: bytearray = field(default_factory=bytearray)

    def is_the_same(self) -> bool:
        """Whether the file still begins with what is known of it."""
        inode, _, size = stamp(self.path)
        if inode != self.inode or size < self.read or self.open_at not in (None, size):
            return False
        with open_file(self.path) as file:
            return _tail(file, self.read) == self.tail

    def added(self) -> Iterator[Line]:
        """Read the lines that were added, each checked."""
        size = stamp(self.path)[2]
        if size in (self.read, self.open_at):
            return
        for line in read_lines(self.path, self.read, self.n_read):
            check_row(self.path, line)
            self.starts.append(line.start)
            self.outcomes.append(_NUMBERS[str(line.row["outcome"])])
            self.n_read, self.read = line.number, line.after
            self.open_at = size if line.after == line.start else None
            yield line
        with open_file(self.path) as file:
            self.tail = _tail(file, self.read)


def _tail(file: BinaryIO, end: int) -> bytes:
    begin = max(0, end - _TAIL)
    file.seek(begin)
    return file.read(end - begin)


@dataclass(slots=True)
class KeptPlan:
    """Where each trial stands in the plan."""

    stamp: Stamp
    by_key: dict[str, int] = field(default_factory=dict)
    by_name: dict[str, list[str]] = field(default_factory=dict)
    """Keys of the trials of an item or session, in the order of the plan."""

    def keys_of(self, name: str) -> list[str]:
        """Return the trials of an item; of a turn those of the session that it belongs to."""
        while name and name not in self.by_name:
            name = name.rpartition("/")[0]
        return self.by_name.get(name, [])


class KeptRun:
    """One run's folder between two looks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._plan: KeptPlan | None = None
        self._forget()
        self._reader: tuple[tuple[Any, ...], Reader | None] | None = None
        self._readings: tuple[tuple[Stamp, ...], Mapping[str, Sequence[StoredReading]]] | None = None

    def _forget(self) -> None:
        self.journals: dict[str, list[KeptJournal]] = {REPLIES: [], FAILURES: [], TURNS: []}
        self._index = Index()
        self._places: dict[str, int] = {}

    @property
    def n_lines(self) -> int:
        """Lines whose places are kept."""
        held = sum(len(one.starts) for some in self.journals.values() for one in some)
        return held + (0 if self._plan is None else len(self._plan.by_key))

    def record(self) -> Mapping[str, Any]:
        """Return what the run says of itself now."""
        return read_record(self.path)

    def plan(self) -> KeptPlan:
        """Return the plan, read anew where it changed."""
        file = self.path / TRIALS
        now = stamp(file)
        if self._plan is None or self._plan.stamp != now:
            self._plan = _read_plan(file, now)
        return self._plan

    def look(self, *kinds: str) -> None:
        """Read what was added to the journals of these kinds."""
        known = [one for some in self.journals.values() for one in some]
        if not all(one.is_the_same() for one in known):
            self._forget()
        try:
            with without_collections():
                for kind in kinds:
                    self._look_at(kind)
        except BaseException:
            self._forget()
            raise

    def _look_at(self, kind: str) -> None:
        kept = self.journals[kind]
        for number, path in enumerate(journals(self.path, kind)):
            if number == len(kept):
                kept.append(KeptJournal(path, stamp(path)[0]))
            for line in kept[number].added():
                if kind == REPLIES:
                    self._index.replies[line.row["key"]] = self._index.shared(line.row)
                    self._places[line.row["key"]] = line.start * _MOST_JOURNALS + number
                elif kind == FAILURES:
                    self._index.failures[line.row["key"]] = self._index.shared(line.row)

    def tally(self) -> Tally:
        """Count the outcomes of the plan as they are now."""
        plan = self.plan()
        self.look(REPLIES, FAILURES)
        return self._index.tally(plan.by_key)

    def places(self, outcome: str = "") -> Iterator[tuple[str, Path, int]]:
        """Return kind, file and place of turns where the run has them, else of replies and failed calls."""
        has_turns = bool(journals(self.path, TURNS))
        kinds = (TURNS,) if has_turns else (REPLIES, FAILURES)
        self.look(*kinds)
        wanted = _NUMBERS.get(outcome, -1)
        for kind in kinds:
            for one in self.journals[kind]:
                for start, number in zip(one.starts, one.outcomes, strict=True):
                    if not outcome or number == wanted:
                        yield kind, one.path, start

    def reply_of(self, key: str) -> Mapping[str, Any] | None:
        """Return the stored reply of a trial."""
        self.look(REPLIES)
        found = self._places.get(key)
        if found is None:
            return None
        start, number = divmod(found, _MOST_JOURNALS)
        return row_at(self.journals[REPLIES][number].path, start)

    def readings(self) -> Mapping[str, Sequence[StoredReading]]:
        """Return the readings of the run's results by trial, read anew where they changed."""
        followed = (self.path.parent / RECORD).is_file() and not (self.path / RESULTS).is_dir()
        of = self.path.parent if followed else self.path  # what is asked after a run is scored with it
        files = sorted((of / RESULTS).glob(f"**/{READINGS}"))
        made_of = tuple(map(stamp, files))
        if self._readings is None or self._readings[0] != made_of:
            held: dict[str, list[StoredReading]] = {}
            for file in files:
                for row in _readings_in(file.parent):
                    held.setdefault(row.trial, []).append(row)
            self._readings = made_of, held
        return self._readings[1]

    def reader(self) -> Reader | None:
        """Return what reads the run's replies one by one; it is made once."""
        try:
            record = self.record()
        except InputError:
            record = {}  # the list of runs says what is wrong with it
        made_of = tuple(record.get(key) for key in ("suite", "options", "inputs"))
        if self._reader is None or self._reader[0] != made_of:
            self._reader = made_of, reader_of(self.path)
        return self._reader[1]


def _readings_in(folder: Path) -> Sequence[StoredReading]:
    try:
        return read_readings(folder)
    except InputError:
        return ()  # replies are shown without; scoring again writes it anew


def _read_plan(path: Path, now: Stamp) -> KeptPlan:
    """Read where trials stand; a line that is none is named as in every other command."""
    plan, start = KeptPlan(now), 0
    with without_collections(), open_file(path) as file:
        for raw in file:
            row = parsed_line(raw) if len(raw) <= limits.JOURNAL_LINE else None
            if row is None:
                break
            plan.by_key[row["key"]] = start
            plan.by_name.setdefault(str(row.get("id")), []).append(row["key"])
            start += len(raw)
        else:
            return plan
    plan = KeptPlan(now)
    for line in read_lines(path):
        plan.by_key[line.row["key"]] = line.start
        plan.by_name.setdefault(str(line.row.get("id")), []).append(line.row["key"])
    return plan


def raw_at(file: BinaryIO, start: int) -> bytes:
    """Return the line that begins at a place."""
    file.seek(start)
    return file.readline()


def row_at(path: Path, start: int) -> Mapping[str, Any]:
    """Return the row that begins at a place."""
    with open_file(path) as file:
        row = parsed_line(raw_at(file, start))
    if row is None:
        raise FileFormatError(f"{path} was written anew while it was read; look again")
    return row


class KeptRuns:
    """Runs that somebody looked at, the latest of them."""

    def __init__(self) -> None:
        self._runs: dict[Path, KeptRun] = {}

    def run(self, path: Path) -> KeptRun:
        """Return what is known of a run; what is known of others is let go where it grows too large."""
        run = self._runs.pop(path, None)
        self._runs[path] = run = KeptRun(path) if run is None else run  # the latest is the last
        while len(self._runs) > 1 and sum(one.n_lines for one in self._runs.values()) > MOST_LINES:
            del self._runs[next(iter(self._runs))]
        return run


_NAMES = re.compile(rb'\{"key": "([^"\\]+)", "id": "([^"\\]+)"')
"""How a line of a journal begins, unless a name has signs that are written otherwise."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One reply with the prompt that led to it."""

    id: str
    mode: str
    repeat: int
    outcome: str
    prompt: str
    reply: str
    read: str = ""
    """How the reply was read, where its question reads replies one by one."""
    places: tuple[tuple[int, int], ...] = ()
    """Where its answers are, as the results say."""


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
    stored, reader = run.readings(), run.reader()
    sessions = dict[str, tuple[str, list[LiveReading]]]()
    shown = []
    for one, kind, row in found:
        # the stored readings of this very reply: under its name, and of its text
        said = reply_hash(one.reply)
        named = (*stored.get(trial_name(one.id, one.mode, one.repeat), ()), *stored.get(one.id, ()))
        rows = [row for row in named if row.reply == said]
        if rows:
            shown.append(replace(one, read="; ".join(map(_stored_words, rows)), places=_places(rows)))
        elif reader is not None:
            shown.append(_read(run, plan, reader, sessions, one, kind, row))
        else:
            shown.append(one)
    return shown


def _stored_words(row: StoredReading) -> str:
    """Return a reading in words: what was asked, the outcome where it is no answer, the answer, how."""
    said = row.reading if row.outcome == GOOD else ": ".join(filter(None, (row.outcome, row.reading)))
    how = f" ({row.how})" if row.how else ""
    return f"{row.question}: {said}{how}" if row.question else f"{said}{how}"


def _places(rows: Iterable[StoredReading]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted({row.place for row in rows if row.place is not None}))


def _transcript(run: KeptRun, plan: KeptPlan, kind: str, row: Mapping[str, Any]) -> Transcript:
    # a prompt as it was sent, message by message
    place = _place_of_prompt(plan, kind, str(row["key"]), str(row["id"]))
    messages = None if place is None else row_at(run.path / TRIALS, place).get("messages")
    listed = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    return Transcript(
        str(row["id"]),
        str(row["mode"]),
        int(row["repeat"]),
        str(row["outcome"]),
        "\n\n".join(f"[{message.get('role')}]\n{message.get('text')}" for message in listed),
        str(row.get("response", row.get("error", ""))),
    )


def _place_of_prompt(plan: KeptPlan, kind: str, key: str, name: str) -> int | None:
    """Return where the prompt of a reply stands; of a turn that with which its session began."""
    if kind != TURNS and key in plan.by_key:
        return plan.by_key[key]
    keys = plan.keys_of(name)
    return plan.by_key[keys[-1]] if keys else None


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

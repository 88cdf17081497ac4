"""A second reader: replies that the rules met are kept, and what somebody else read in them is taken.

Scoring is called twice: once to learn which replies the rules abstain from, once with what a model said of
them. Only `read_piece` and `read_replies` look here, so that no scorer knows of it.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.codec import encode
from concord.files.documents import heading
from concord.files.json_text import parsed
from concord.files.output import write_json
from concord.number_words import percent
from concord.reading.records import Reading, ReadOutcome
from concord.reading.text import one_form
from concord.records import Estimate

HOW = "model"
"""How an answer was found that a second reader gave."""
ABSTAINED = (ReadOutcome.UNREADABLE, ReadOutcome.SEVERAL)
"""What the rules leave to a second reader; a refusal, an empty and a cut reply they know themselves."""
STATUSES = {
    "ok": ReadOutcome.OK,
    "none": ReadOutcome.UNREADABLE,
    "several": ReadOutcome.SEVERAL,
    "refused": ReadOutcome.REFUSED,
}


@dataclass(frozen=True, slots=True)
class MetReply:
    """A reply that the rules met: its text without thinking, what was asked, and what they read."""

    key: str
    text: str
    asked: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class SaidAnswer:
    """What a second reader said of a reply."""

    outcome: ReadOutcome
    answer: Any = None
    quote: str = ""


@dataclass(slots=True)
class SecondReader:
    """What a second reader said, and every reply that the rules met meanwhile."""

    said: Mapping[str, SaidAnswer] = field(default_factory=dict)
    everything: bool = False
    """Whether it is believed where the rules read an answer, too."""
    met: dict[str, MetReply] = field(default_factory=dict)
    made: dict[str, Reading] = field(default_factory=dict)
    """What its answers come to, believed or not; without those that no quote, or no option, holds."""

    def meet(self, text: str, asked: str | None, reading: Reading) -> str | None:
        """Keep a reply and return its key; None where a second reader has nothing to read."""
        if asked is None or reading.outcome in (ReadOutcome.EMPTY, ReadOutcome.TRUNCATED):
            return None
        plain = "\n".join(line.rstrip() for line in text.strip().splitlines())
        key = sha256(json.dumps([plain, asked]).encode()).hexdigest()[:32]
        self.met.setdefault(key, MetReply(key, plain, asked, reading))
        return key


_ACTIVE: ContextVar[SecondReader | None] = ContextVar("second_reader", default=None)


@contextmanager
def second_reader(reader: SecondReader) -> Iterator[SecondReader]:
    """Let a second reader be asked by all that is read inside."""
    before = _ACTIVE.set(reader)
    try:
        yield reader
    finally:
        _ACTIVE.reset(before)


@contextmanager
def rules_alone() -> Iterator[None]:
    """Let no second reader be asked: of a text that is read again, as something else."""
    before = _ACTIVE.set(None)
    try:
        yield
    finally:
        _ACTIVE.reset(before)


def active() -> SecondReader | None:
    """Return the second reader, where there is one."""
    return _ACTIVE.get()


def said_answer(text: str) -> SaidAnswer | None:
    """Read what a second reader said: an object of the form that was asked for, and nothing less."""
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end:
        return None
    try:
        held = parsed("reader", text[start : end + 1])
    except FileFormatError:
        return None
    status = STATUSES.get(str(held.get("status"))) if isinstance(held, dict) else None
    if status is None:
        return None
    if status is not ReadOutcome.OK:
        return SaidAnswer(status)
    answer, quote = held.get("answer"), held.get("quote")
    good = isinstance(answer, str | int | float | list | dict) and not isinstance(answer, bool)
    return SaidAnswer(status, answer, quote) if good and isinstance(quote, str) and quote.strip() else None


def place_of_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return where a reply says what is quoted; None where it does not."""
    said = one_form(quote).text.strip()
    for one in (said, said.strip("\"'.… ")):
        start = text.casefold().find(one.casefold()) if one else -1
        if start >= 0 and len(text.casefold()) == len(text):
            return start, start + len(one)
    return None


READER_FILE, READER_FORMAT = "reader.json", "model reader"


@dataclass(frozen=True, slots=True)
class ModelReader:
    """What a model as reader did."""

    model: str
    template: str
    everything: bool
    """Whether it was believed where the rules read an answer, too."""
    n_readings: int
    """Different answers that were looked for."""
    n_left: int
    """Those that the rules left unread."""
    n_asked: int
    n_read: int
    """Answers that count and come from the model."""
    n_unusable: int
    """Replies of the model that were no object of the form, quoted nothing or gave no possible answer."""
    agreement: Estimate
    """Share of replies in which it reads what the rules read, of those that both were given."""
    audited: Estimate | None = None
    """Its error rate, once a person has audited it."""

    def lines(self) -> list[str]:
        """Return what a user must know of it."""
        said = "none was shown to both" if self.agreement.value is None else _share_words(self.agreement)
        return [
            f"{self.model} read {self.n_read:,} of {self.n_left:,} different answers that the rules left "
            f"unread ({self.n_asked:,} replies asked, {self.n_unusable:,} without a usable reading)",
            f"where the rules read an answer, the model reads the same in {said}",
        ]


def _share_words(found: Estimate) -> str:
    value, low, high = ("–" if one is None else percent(one, 1) for one in (found.value, *found.ends))
    return f"{value} of {found.n} ({low} to {high})"


def write_reader(folder: Path, found: ModelReader) -> Path:
    """Write what a model as reader did beside the result."""
    document: dict[str, Any] = {**heading(READER_FORMAT), **encode(found)}
    write_json(folder / READER_FILE, document)
    return folder / READER_FILE

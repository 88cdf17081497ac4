"""Readings beside a result: one row of `readings.csv` per answer that was looked for in a reply."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path

from concord.files.rows import read_rows, write_rows
from concord.reading.records import Reading, Value

FILE = "readings.csv"
_DIGITS = 16
"""Hexadecimal digits of a reply's hash that are kept."""


@dataclass(frozen=True, slots=True)
class StoredReading:
    """What was read in one reply, in words; trial and question together are there once."""

    trial: str
    """Under which name the reply is stored: `trial_name`, or the id of a question of a study."""
    question: str
    """What was asked: the item or variable, empty where a reply holds one answer only."""
    reading: str
    """The answer in words; names of a ranking joined by `` > ``, a split as ``name=amount; …``."""
    outcome: str
    how: str
    """How the answer was found; empty where there is none."""
    span: str
    """``start-end`` of the answer in the reply, the end exclusive; empty where there is none."""
    reply: str
    """The first sixteen hexadecimal digits of the SHA-256 of the reply's text."""

    def __post_init__(self) -> None:
        """Take out what no text file may hold: a reply may have any sign."""
        for one in fields(self):
            text = getattr(self, one.name)
            if "\0" in text:
                object.__setattr__(self, one.name, text.replace("\0", "\ufffd"))

    @property
    def place(self) -> tuple[int, int] | None:
        """Return the span as numbers; None where there is none, or where somebody changed it to no span."""
        start, _, end = self.span.partition("-")
        if not (start.isdecimal() and end.isdecimal()) or len(self.span) > 2 * _DIGITS:
            return None
        return (int(start), int(end)) if int(start) < int(end) else None


def trial_name(id: str, mode: str = "", repeat: int = 0) -> str:
    """Return the name of a reply: its id, its mode or arrangement, and the number of its repeat.

    >>> trial_name("v001", "cot", 1), trial_name("v001")
    ('v001/cot/1', 'v001/0')
    """
    return "/".join([id, *([mode] if mode else []), str(repeat)])


def reply_hash(text: str | None) -> str:
    """Return what identifies a reply's text in a row; empty without a reply.

    >>> reply_hash("A")
    '559aead08264d579'
    """
    return "" if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def value_words(value: Value | None) -> str:
    """Return an answer in words.

    >>> value_words(("B", "A")), value_words({"you": 30.0, "me": 70.5}), value_words(4.0), value_words(None)
    ('B > A', 'you=30; me=70.5', '4', '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "; ".join(f"{name}={value_words(amount)}" for name, amount in value.items())
    if isinstance(value, tuple):
        return " > ".join(value)
    return str(int(value)) if value == int(value) else repr(float(value))


def stored_reading(
    trial: str, text: str | None, reading: Reading, *, question: str = "", words: str | None = None
) -> StoredReading:
    """Return the row of a reading; `words` are those of the answer where a letter says too little."""
    span = "" if reading.where is None else f"{reading.where[0]}-{reading.where[1]}"
    said = value_words(reading.value) if words is None else words
    return StoredReading(trial, question, said, str(reading.outcome), reading.how, span, reply_hash(text))


def write_readings(folder: Path, rows: Iterable[StoredReading]) -> None:
    """Write `readings.csv` into a folder of results; a reply without a row of its own was not looked at."""
    write_rows(folder / FILE, StoredReading, rows)


def read_readings(folder: Path) -> tuple[StoredReading, ...]:
    """Read what `write_readings` wrote."""
    return read_rows(folder / FILE, StoredReading)


def written_readings(folder: Path, rows: Sequence[StoredReading]) -> tuple[Path, ...]:
    """Write readings where there are some, and return the file."""
    if not rows:
        return ()
    write_readings(folder, rows)
    return (folder / FILE,)


def readings_beside(folder: Path) -> tuple[StoredReading, ...]:
    """Return the readings of a folder of results; none where it has no such file."""
    return read_readings(folder) if (folder / FILE).is_file() else ()

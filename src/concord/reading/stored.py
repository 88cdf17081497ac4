"""Readings beside a result: one row of `readings.csv` per answer that was looked for in a reply."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from concord.files.rows import read_rows, write_rows
from concord.reading.records import DIGITS, Reading, StoredReading, Value

FILE = "readings.csv"


def trial_name(id: str, mode: str = "", repeat: int = 0) -> str:
    """Return the name of a reply: its id, its mode or arrangement, and the number of its repeat."""
    return "/".join([id, *([mode] if mode else []), str(repeat)])


def reply_hash(text: str | None) -> str:
    """Return what identifies a reply's text in a row; empty without a reply."""
    return "" if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def value_words(value: Value | None) -> str:
    """Return an answer in words."""
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

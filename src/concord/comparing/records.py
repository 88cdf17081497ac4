"""Scores of one model on items, as a file gives them: the record and what every reader of scores shares."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from concord.errors import BadScoreError, FileFormatError, OptionError, listed, quoted
from concord.files import cells
from concord.files.cells import BadCellError
from concord.files.text import fixed_text, normal_form
from concord.number_words import how_many
from concord.records import InputFile

if TYPE_CHECKING:
    import polars as pl
import os
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


_KEY_BYTES, _MOST_KEYS = 8, 4


@dataclass(frozen=True, slots=True, eq=False)
class SortedNames:
    """Names in the order of their UTF-8 bytes."""

    names: "pl.Series"
    """As they came."""
    order: NDArray[np.int64]
    """Their places in sorted order."""
    beginning: str = ""
    """What all of them begin with."""
    keys: tuple[NDArray[np.uint64], ...] = ()
    """The rest as whole numbers, sorted: short names without a null or a NUL; else empty."""

    def sorted(self) -> "pl.Series":
        """Return the names in order."""
        return self.names.gather(self.order)

    def has_twins(self) -> bool:
        """Whether a name is there more than once."""
        if self.keys:
            alike = [key[1:] == key[:-1] for key in self.keys]
            return bool(np.logical_and.reduce(alike).any())
        ordered = self.sorted()
        return bool((ordered == ordered.shift(1)).any())

    def same_as(self, other: "SortedNames") -> bool:
        """Whether two tables hold the same names, as often."""
        if self.keys and other.keys:
            if self.beginning != other.beginning or len(self.keys) != len(other.keys):
                return False
            return all(np.array_equal(a, b) for a, b in zip(self.keys, other.keys, strict=True))
        return len(self.names) == len(other.names) and bool((self.sorted() == other.sorted()).all())


def sorted_names(names: "pl.Series") -> SortedNames:
    """Sort names; short ones are sorted and compared as whole numbers, many times faster."""
    # What all names begin with is left out, since it decides nothing.
    import polars as pl

    low, high = names.min(), names.max()
    if not isinstance(low, str) or not isinstance(high, str) or names.null_count():
        return _by_text(names)
    beginning = os.path.commonprefix([low, high])
    rest = names.str.slice(len(beginning))
    widest = rest.str.len_bytes().max()
    assert isinstance(widest, int)
    count = max(1, -(-widest // _KEY_BYTES))
    not_ascii = count > _MOST_KEYS or (rest.str.len_bytes() != rest.str.len_chars()).any()
    if not_ascii or rest.str.contains("\0", literal=True).any():
        return _by_text(names)
    padded = rest.str.pad_end(count * _KEY_BYTES, "\0")
    keys = [
        padded.str.slice(k * _KEY_BYTES, _KEY_BYTES)  # a sign is a byte here
        .cast(pl.Binary)
        .bin.reinterpret(dtype=pl.UInt64, endianness="big")
        .to_numpy()
        for k in range(count)
    ]
    order = np.argsort(keys[0]) if count == 1 else np.lexsort(keys[::-1])
    return SortedNames(names, order.astype(np.int64), beginning, tuple(key[order] for key in keys))


def _by_text(names: "pl.Series") -> SortedNames:
    return SortedNames(names, np.asarray(names.arg_sort().to_numpy(), dtype=np.int64))


SCORED, FAILED, NO_SCORE = "scored", "failed", "no score"
"""What became of an answer: it has a score, its sample ended in an error, or nothing was written."""


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """One model's scores, one row an answer, as they were read."""

    name: str
    """What the report calls the model."""
    source: str
    """What messages call the file."""
    kind: str
    """``table``, ``inspect``, ``lm-eval`` or another harness."""
    frame: "pl.DataFrame"
    """Columns ``item`` (text), ``repeat`` (text), ``score`` (number or null), ``outcome``, ``cluster`` (text
    or null), ``fingerprint`` (text or null: what the item itself looked like); of lm-eval also ``prompt``."""
    task: str | None = None
    metric: str | None = None
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    ordered: SortedNames | None = None
    """The items in sorted order, where it is known that each is there once."""
    parts: tuple[str, ...] = ()
    """The tasks of a group."""
    settings: tuple[tuple[str, str], ...] = ()
    """How the model was asked, where the file says: name and value."""
    withheld: str = ""
    """Why nothing is claimed about its scores, where its own result claims nothing; else empty."""


def grade(value: object) -> float | None:
    """Read one score: a number, true or false, or a text grade; None where there is none.

    Examples
    --------
    >>> [grade(value) for value in ("C", "I", "P", "N", True, 0.25, "0.7", None)]
    [1.0, 0.0, 0.5, 0.0, 1.0, 0.25, 0.7, None]
    """
    if isinstance(value, float) and value != value:
        return None
    try:
        return cells.grade(value)
    except BadCellError:
        raise BadScoreError(value) from None


def frame_of(rows: Iterable[tuple[object, ...]]) -> Any:
    """Build the frame of a score file."""
    import polars as pl

    text = pl.String
    schema = {
        "item": text,
        "repeat": text,
        "score": pl.Float64,
        "outcome": text,
        "cluster": text,
        "fingerprint": text,
    }
    columns = [*zip(*rows, strict=True)] or [()] * len(schema)
    return pl.DataFrame(
        {
            # halves of characters, which no file can hold, are replaced
            name: pl.Series(name, [fixed_text(x) if isinstance(x, str) else x for x in cells], dtype=kind)
            for (name, kind), cells in zip(schema.items(), columns, strict=True)
        }
    )


def choose_score(source: str, what: str, names: Sequence[str], wanted: str | None) -> str:
    """Choose a score by its name, by the part before its filter, or because there is no other."""
    if not names:
        raise FileFormatError(f"{source}: no sample has a score; score the log first")
    present = listed(names)
    if wanted is None:
        if len(names) == 1:
            return names[0]
        raise OptionError(f"{source}: found the {what}s {present}; choose one with --metric")
    fitting = [name for name in names if wanted in (name, name.rpartition(",")[0])]
    if not fitting:
        raise OptionError(f"{source}: no {what} {wanted!r}; found {present}")
    if len(fitting) > 1:
        raise OptionError(f"{source}: {wanted!r} may be {', '.join(map(repr, fitting))}; choose one of them")
    return fitting[0]


def each_once(source: str, what: str, keys: Sequence[Hashable], named: Callable[[Any], str] = str) -> None:
    """Refuse an answer that is in a log twice: no harness writes one so, but joined files hold it."""
    if len(set(keys)) == len(keys):
        return
    twice = [key for key, count in Counter(keys).items() if count > 1]
    raise FileFormatError(
        f"{source}: {how_many(len(twice), f'{what} is', f'{what}s are')} there more than once, the first "
        f"{named(twice[0])}; a log holds each once: give the files that were joined one by one"
    )


def graded(source: str, item: str, value: object) -> float | None:
    """Read a score, naming the sample where it cannot be one."""
    try:
        return grade(value)
    except BadScoreError as error:
        raise BadScoreError(value, f"{source}, sample {item!r}: ") from error


def family_of(fields: object, cluster: str | None, lacking: str, called: str) -> object:
    """Return the family that a sample's fields name, where one is asked for; an error says what lacks it."""
    if cluster is None:
        return None
    known = fields if isinstance(fields, Mapping) else {}
    family = known.get(cluster)
    if family is None:
        present = listed(list(known)) if known else "none"
        raise OptionError(f"{lacking} {cluster!r} to cluster by; its {called}: {present}")
    return family


def score_row(
    source: str,
    item: str,
    value: object,
    *,
    repeat: object = "1",
    failed: bool = False,
    family: object = None,
    mark: str | None = None,
) -> tuple[object, ...]:
    """Return one row of the frame of a score file; ``mark`` says what was asked."""
    score = None if failed else graded(source, item, value)
    outcome = FAILED if failed else NO_SCORE if score is None else SCORED
    return (item, shown(repeat), score, outcome, text_of(family), mark)


def text_of(value: object) -> str | None:
    """Return a value as text; halves of characters, which no file can hold, are replaced."""
    return None if value is None else fixed_text(shown(value))


def shown(value: object) -> str:
    """Return a value as text, whatever it is."""
    try:
        return str(value)
    except ValueError:  # a whole number of thousands of digits
        return "a number of thousands of digits"


def item_name(source: str, value: object) -> str:
    """Name an item: a text or a number, NFC-normalised, so that two spellings of a letter are one."""
    if isinstance(value, str) and value.isascii():
        return value
    if value is None or isinstance(value, bool | list | dict):
        raise FileFormatError(f"{source}: a sample is named {quoted(value)}, expected a text or a number")
    return normal_form("NFC", fixed_text(shown(value)))


def check_names(names: Sequence[str] | None, n: int, what: str) -> None:
    """Refuse another number of names than there are models."""
    if names is not None and len(names) != n:
        raise OptionError(f"{how_many(len(names), 'name', 'names')} for {n} {what}; give one each")


def distinct(names: Sequence[str], sources: Sequence[str]) -> list[str]:
    """Return names, and for those that occur more than once the names of their files, or a number behind."""
    for called in (["/".join(PurePath(source).parts[-n:]) for source in sources] for n in (1, 2, 99)):
        found = [
            other if names.count(name) > 1 and other else name
            for name, other in zip(names, called, strict=True)
        ]
        if len(set(found)) == len(found):
            return found
    return [f"{name} [{i}]" if names.count(name) > 1 else name for i, name in enumerate(names, 1)]

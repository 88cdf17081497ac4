"""Names of items in order, as texts or, many times faster, as whole numbers."""

import os
from dataclasses import dataclass
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

"""Every paid call of a run, in one journal a process: turns, helpers and calls for one more answer too.

Limits of money and tokens hold over all sessions because what was spent is read from here, and so is what
`run.json` says. Where a server does not say what a call took, its characters are counted, and it is told.
"""

from dataclasses import dataclass, field
from operator import add
from pathlib import Path
from typing import Any

from concord.asking.journal import Journal, Tally, journals, read_lines, shard_name
from concord.errors import FileFormatError

LEDGER = "paid.jsonl"
_KEY = "paid"
_COUNTS = ("calls", "input", "output", "estimated")
"""Counts of a line, in the order of the fields of `Paid`."""


@dataclass(frozen=True, slots=True)
class Paid:
    """What the calls of a run took."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    n_estimated: int = 0
    """Calls whose tokens are counted by their characters."""

    @classmethod
    def of(cls, tally: Tally) -> "Paid":
        """Return what stored replies say, of a run without a ledger."""
        known = tally.n_known_usage
        return cls(known, tally.input_tokens, tally.output_tokens, tally.n_unknown_usage if known else 0)


@dataclass(slots=True)
class Ledger:
    """The journal of paid calls of one process, open for writing."""

    folder: Path
    shard: int = 0
    _journal: Journal = field(init=False)

    def __post_init__(self) -> None:
        self._journal = Journal(self.folder / shard_name(LEDGER, self.shard))

    def add(self, paid: Paid) -> None:
        """Write one call down, or several at once."""
        counts = (paid.calls, paid.input_tokens, paid.output_tokens, paid.n_estimated)
        self._journal.append({"key": _KEY, **dict(zip(_COUNTS, counts, strict=True))})

    def close(self) -> None:
        """Put everything on the disk and let go of the file."""
        self._journal.close()


def paid_so_far(folder: Path) -> Paid | None:
    """Add up what is paid; None where nothing was written down.

    Raises
    ------
    FileFormatError
        A line is not one that Concord writes: what was paid is then not known.
    """
    files = journals(folder, LEDGER)
    if not files:
        return None
    total = [0] * len(_COUNTS)
    for path in files:
        for line in read_lines(path):
            counts: list[Any] = [line.row.get(name) for name in _COUNTS]
            if not all(type(n) is int and n >= 0 for n in counts):
                raise FileFormatError(f"{path}, line {line.number}: expected counts of calls and tokens")
            total = list(map(add, total, counts))
    return Paid(*total)


def opened_balance(folder: Path, tally: Tally) -> Paid:
    """Return what is paid; a run from before there was a ledger begins it with what its replies say."""
    known = paid_so_far(folder)
    if known is not None:
        return known
    begun = Paid.of(tally)
    if tally.input_tokens or tally.output_tokens:
        ledger = Ledger(folder)
        try:
            ledger.add(begun)
        finally:
            ledger.close()
    return begun

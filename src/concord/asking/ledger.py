"""Every paid call of a run, in one journal a process: turns, helpers and calls for one more answer too.

Limits of money and tokens hold over all sessions because what was spent is read from here, and so is what
`run.json` says. Where a server does not say what a call took, its characters are counted, and it is told.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

from concord.asking.journal import Journal, Tally, journals, shard_name

LEDGER = "paid.jsonl"


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

    def __add__(self, other: "Paid") -> "Paid":
        return Paid(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.n_estimated + other.n_estimated,
        )


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
        row = {"calls": paid.calls, "input": paid.input_tokens, "output": paid.output_tokens}
        self._journal.append(row | ({"estimated": paid.n_estimated} if paid.n_estimated else {}))

    def close(self) -> None:
        """Put everything on the disk and let go of the file."""
        self._journal.close()


def paid_so_far(folder: Path) -> Paid | None:
    """Add up what is paid; None where nothing was written down. A torn last line was not paid for long."""
    files = journals(folder, LEDGER)
    if not files:
        return None
    total = Paid()
    for path in files:
        for line in path.read_bytes().split(b"\n"):
            try:
                row = json.loads(line)
                counts = [row[name] for name in ("calls", "input", "output")]
                counts.append(row.get("estimated", 0))
            except (ValueError, KeyError, TypeError, RecursionError):
                continue
            if all(type(n) is int and n >= 0 for n in counts):
                total += Paid(*counts)
    return total


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

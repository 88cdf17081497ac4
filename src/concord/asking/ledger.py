"""Every paid call of a run, in one journal a process: turns, helpers, judges, calls for one more answer.

Limits of money and tokens, what is said to be spent and who answered are read from here; a run inside another
one (a judge's) writes to the outer ledger. Where a server does not say what a call took, characters are
counted.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import add, attrgetter
from pathlib import Path
from typing import Any

from concord.asking.connection import Redactor
from concord.asking.folder import RECORD
from concord.asking.journal import Journal, Tally, journals, read_lines, shard_name
from concord.errors import FileFormatError
from concord.words import say

_DATED = re.compile(r"[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{3,4})$")
_LATEST = re.compile(r"[-@:]latest$")
_NAMES = 50
"""Names that are counted one by one; a server may call itself otherwise in every reply."""
OTHERS = "(others)"


def is_same(asked: str, answered: str) -> bool:
    """Whether two names are those of one model, with or without a provider before them."""
    one, other = asked.casefold(), answered.casefold().removeprefix("models/")
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one.rsplit('/', 1)[-1]}")


def is_snapshot(asked: str, answered: str) -> bool:
    """Whether a model is a dated version of the one that was asked."""
    dated = _DATED.search(answered)
    undated = _LATEST.sub("", asked)
    return dated is not None and is_same(undated, answered[: dated.start()])


@dataclass(slots=True)
class Answered:
    """Who answered the calls to one model, counted."""

    models: dict[str, int] = field(default_factory=dict)
    """In the order in which they first answered."""
    fingerprints: dict[str, int] = field(default_factory=dict)
    n_unsaid: int = 0
    """Replies that do not say whose they are."""

    @classmethod
    def of(cls, held: Mapping[str, Any]) -> "Answered":
        """Return what a run's record holds."""
        models, prints = (
            {str(name): int(n) for name, n in held[of].items()} for of in ("models", "fingerprints")
        )
        return cls(models, prints, int(held["n_unsaid"]))

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a call."""
        calls = int(row["calls"])
        answered, fingerprint = row.get("answered"), row.get("fingerprint")
        if isinstance(answered, str):
            _add_calls(self.models, answered, calls)
        else:
            self.n_unsaid += calls
        if isinstance(fingerprint, str):
            _add_calls(self.fingerprints, fingerprint, calls)

    def warnings(self, asked: str) -> list[str]:
        """Say that another model answered than the one asked, or several."""
        found = []
        others = {
            name: n
            for name, n in self.models.items()
            if not is_same(asked, name) and not is_snapshot(asked, name)
        }
        if others:
            found.append(f"{asked} was asked, and another model answered: {_with_calls(others)}")
        if len(self.models) > 1:
            found.append(f"the model that answers changed during the run: {_with_calls(self.models)}")
        return found

    def told(self, asked: str) -> list[str]:
        """Say which dated version answered, and what it ran on, for information."""
        dated = [name for name in self.models if is_snapshot(asked, name)]
        found = [f"{asked} was answered by its version {' and '.join(dated)}"] if dated else []
        if len(self.fingerprints) > 1:
            found.append(f"fingerprints of what {asked} ran on: {_with_calls(self.fingerprints)}")
        return found


def _add_calls(names: dict[str, int], name: str, n: int) -> None:
    known = name if name in names or len(names) < _NAMES else OTHERS
    names[known] = names.get(known, 0) + n


def _with_calls(names: Mapping[str, int]) -> str:
    shown = [f"{name} ({n:,} calls)" for name, n in list(names.items())[:5]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


LEDGER = "paid.jsonl"
_KEY = "paid"
_OPTIONAL = (
    "cached_tokens",
    "cache_written_tokens",
    "reasoning_tokens",
    "cost",
    "unpriced",
    "unpriced_input",
    "unpriced_output",
)
_COUNTS = ("calls", "input", "output", "estimated", *_OPTIONAL)
"""Counts of a line, in the order of the fields of `Paid`; the optional ones are left out where they are 0."""
_COST = _COUNTS.index("cost")


@dataclass(frozen=True, slots=True)
class Paid:
    """What calls of a run took."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    n_estimated: int = 0
    """Calls whose tokens are counted by their characters."""
    cached_tokens: int = 0
    """Of the input: read from the provider's cache."""
    cache_written_tokens: int = 0
    reasoning_tokens: int = 0
    """Of the output: providers bill thinking as output."""
    known_cost: float = 0.0
    """Of the calls whose price was known when they were made."""
    n_unpriced: int = 0
    unpriced_input: int = 0
    unpriced_output: int = 0
    """Calls and tokens whose price was not."""

    @classmethod
    def of(cls, tally: Tally) -> "Paid":
        """Return what stored replies say, of a run without a ledger."""
        n, tokens = tally.n_known_usage, (tally.input_tokens, tally.output_tokens)
        without = tally.n_unknown_usage if n else 0
        return cls(n, *tokens, without, 0, 0, 0, 0.0, n, *tokens)

    def __add__(self, other: "Paid") -> "Paid":
        return Paid(*map(add, _amounts(self), _amounts(other)))

    def share(self, n: int) -> "Paid":
        """Return the share of one process among several."""
        parts: list[Any] = [part / n if type(part) is float else part // n for part in _amounts(self)]
        return Paid(*parts)

    def tokens(self) -> dict[str, int]:
        """Return the tokens as a run's record holds them; parts and estimates where there are any."""
        more = {
            "cached_tokens": self.cached_tokens,
            "cache_written_tokens": self.cache_written_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "calls_without_usage": self.n_estimated,
        }
        told = {name: n for name, n in more.items() if n}
        return {"input": self.input_tokens, "output": self.output_tokens, **told}

    def words(self) -> str:
        """Say what the calls took, for people."""
        if not self.calls:
            return say("run.tokens.unknown")
        more = {"cached": self.cached_tokens, "thought": self.reasoning_tokens, "estimated": self.n_estimated}
        parts = {name: n if n else None for name, n in more.items()}
        return say("run.tokens.said", sent=self.input_tokens, back=self.output_tokens, **parts)


_amounts = attrgetter(*(one.name for one in fields(Paid)))
"""All of them, in order; `astuple` copies each one, at every call of a run."""


@dataclass(slots=True)
class Account:
    """A ledger added up: what each part of a run took, and who answered."""

    parts: dict[str, Paid] = field(default_factory=dict)
    """By part: the run itself (``""``), and runs inside it by their folders."""
    answered: dict[str, Answered] = field(default_factory=dict)
    """By the model that was asked."""
    read: dict[str, int] = field(default_factory=dict)
    """Bytes of each file that are added up."""

    @property
    def paid(self) -> Paid:
        """All parts together."""
        return sum(self.parts.values(), Paid())

    def part(self, name: str) -> Paid:
        """Return what one part took."""
        return self.parts.get(name, Paid())

    def add(self, path: Path, number: int, row: Mapping[str, Any]) -> None:
        """Add a line."""
        counts: list[Any] = [row.get(name, 0 if name in _OPTIONAL else None) for name in _COUNTS]
        cost = counts[_COST]
        whole = all(type(n) is int and n >= 0 for place, n in enumerate(counts) if place != _COST)
        if not whole or type(cost) not in (int, float) or not 0 <= cost < math.inf:
            raise FileFormatError(f"{path}, line {number}: expected counts of calls and tokens")
        part, asked = str(row.get("part", "")), row.get("model")
        self.parts[part] = self.part(part) + Paid(*counts)
        if isinstance(asked, str):
            self.answered.setdefault(asked, Answered()).add(row)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Account":
        """Return the sums that a run's record holds; none where it holds none, or another version's."""
        held: Any = record.get("paid")
        try:
            parts = {str(name): Paid(**paid) for name, paid in held["parts"].items()}
            answered = {str(name): Answered.of(one) for name, one in held["answered"].items()}
            return cls(parts, answered, {str(name): int(n) for name, n in held["read"].items()})
        except (AttributeError, KeyError, TypeError, ValueError):
            return cls()

    def warnings(self) -> list[str]:
        """Say that another model answered than the one asked, or several."""
        return [words for asked, one in self.answered.items() for words in one.warnings(asked)]

    def told(self) -> list[str]:
        """Say which versions answered, for information."""
        return [words for asked, one in self.answered.items() for words in one.told(asked)]


def home_of(folder: Path) -> tuple[Path, str]:
    """Return the folder whose ledger a run writes to, and its part there: a judge's is part of another."""
    inside = (folder.parent / RECORD).is_file()
    return (folder.parent, folder.name) if inside else (folder, "")


@dataclass(slots=True)
class Ledger:
    """The journal of paid calls of one process, open for writing."""

    folder: Path
    shard: int = 0
    redactor: Redactor = field(default_factory=Redactor)
    _journal: Journal = field(init=False)
    _part: str = field(init=False)

    def __post_init__(self) -> None:
        home, self._part = home_of(self.folder)
        self._journal = Journal(home / shard_name(LEDGER, self.shard))

    def add(self, paid: Paid, model: str = "", who: Mapping[str, str] | None = None) -> None:
        """Write one call down, or several at once: what it took, who was asked, who answered."""
        counts = dict(zip(_COUNTS, _amounts(paid), strict=True))
        row: dict[str, Any] = {name: n for name, n in counts.items() if n or name not in _OPTIONAL}
        known = {} if who is None else who
        names = {
            "part": self._part,
            "model": model,
            "answered": known.get("model"),
            "fingerprint": known.get("fingerprint"),
        }
        row |= {name: value for name, value in names.items() if value}
        self._journal.append(self.redactor.value({"key": _KEY, **row}))

    def close(self) -> None:
        """Put everything on the disk and let go of the file."""
        self._journal.close()


def account_of(folder: Path, begun: Account | None = None) -> Account | None:
    """Add up a ledger, from where that was begun; None where nothing was written down."""
    files = journals(folder, LEDGER)
    if not files:
        return None
    found = Account() if begun is None else begun
    if any(path.stat().st_size < found.read.get(path.name, 0) for path in files):
        for held in (found.parts, found.answered, found.read):
            held.clear()
    for path in files:
        begin = found.read.get(path.name, 0)
        for line in read_lines(path, begin):
            if line.after == line.start:  # is being written
                break
            found.add(path, line.number, line.row)
            found.read[path.name] = line.after
    return found


def opened_balance(folder: Path, tally: Tally, record: Mapping[str, Any]) -> Paid:
    """Return what is paid; a run from before there was a ledger begins it with what its replies say."""
    home, _ = home_of(folder)
    known = account_of(home, Account.of(record) if home == folder else None)
    if known is not None:
        return known.paid
    begun = Paid.of(tally)
    if tally.input_tokens or tally.output_tokens:
        ledger = Ledger(folder)
        try:
            ledger.add(begun)
        finally:
            ledger.close()
    return begun

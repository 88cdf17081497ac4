"""What a run will take before anything is spent: trials, tokens as a range, cost as a range."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from concord.asking.askable import Sessions, find
from concord.asking.journal import Index
from concord.asking.limits import Prices
from concord.asking.requests import Requests
from concord.records import Design, Message, Trial

_DENSE_FROM = 0x2E80
"""From here on most characters are a token or so each (Chinese, Japanese, Korean)."""
_PLAIN = (1 / 5.5, 1 / 3.0)
"""Tokens a character, low and high: plain text in the tokenizers in use."""
_DENSE = (0.5, 2.0)
_WRAPPING = (3, 12)
"""Tokens that a chat template adds to a request."""
_HELD = 50
"""Sessions of one condition that are held to see what they take; others of it take as much."""
_SHARED = ("index", "requests")
_SHORTEST_REPLY = 5
_LONGEST_REPLY = 2048
"""Taken where no limit of tokens is sent."""


@dataclass(frozen=True, slots=True)
class Range:
    """A low and a high guess."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What is still to be asked, and what that will take."""

    n_trials: int
    n_stored: int
    n_to_ask: int
    input_tokens: Range
    output_tokens: Range
    cost: Range | None
    """``None`` without prices."""
    n_calls: int = 0
    """Calls that these trials take: a session is many."""
    index: Index | None = field(default=None, repr=False, compare=False)
    """What the folder holds, read once for plan and run."""
    requests: Requests | None = field(default=None, repr=False, compare=False)
    """Every trial with its key, likewise."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the plan."""
        numbers = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _SHARED}
        return {k: asdict(v) if isinstance(v, Range) else v for k, v in numbers.items()}


def make_plan(
    design: Design, to_ask: Sequence[Trial], *, max_tokens: int | None, prices: Prices | None
) -> Plan:
    """Guess what the trials still to be asked will take."""
    sent = _sent(design, to_ask)
    low, high = (round(sent.tokens[end] + sent.calls * _WRAPPING[end]) for end in (0, 1))
    longest = _LONGEST_REPLY if max_tokens is None else max_tokens
    output = Range(min(_SHORTEST_REPLY, longest) * sent.calls, longest * sent.calls)
    cost = None if prices is None else Range(prices.cost(low, output.low), prices.cost(high, output.high))
    return Plan(
        len(design.trials),
        len(design.trials) - len(to_ask),
        len(to_ask),
        Range(low, high),
        output,
        cost,
        sent.calls,
    )


@dataclass(slots=True)
class _Sent:
    """What will be sent, added up: the texts of a long run together would fill the memory."""

    calls: int = 0
    plain: int = 0
    dense: int = 0

    def add(self, messages: Iterable[Message]) -> None:
        """Count one call."""
        self.calls += 1
        for message in messages:
            text = message.text
            dense = 0 if text.isascii() else sum(ord(character) >= _DENSE_FROM for character in text)
            self.dense += dense
            self.plain += len(text) - dense

    def add_all(self, other: "_Sent", times: float) -> None:
        """Count what others take, so many times."""
        self.calls += round(other.calls * times)
        self.plain += round(other.plain * times)
        self.dense += round(other.dense * times)

    @property
    def tokens(self) -> tuple[float, float]:
        """The low and the high guess."""
        low, high = (self.dense * _DENSE[end] + self.plain * _PLAIN[end] for end in (0, 1))
        return low, high


def _sent(design: Design, to_ask: Sequence[Trial]) -> _Sent:
    """Add up the texts that will be sent and the number of calls; a session is many."""
    one, sent = find(design.suite), _Sent()
    if one is not None and one.sessions is not None:
        _hold_sessions(one.sessions, design, to_ask, sent)
        return sent
    for trial in to_ask:
        sent.add(trial.messages)
    return sent


def _hold_sessions(kind: Sessions, design: Design, to_ask: Sequence[Trial], sent: _Sent) -> None:
    """Hold the sessions with usual replies; count every text that is sent."""
    openers = kind.openers(dict(design.files), dict(design.options))
    for items in _alike(to_ask).values():
        held, one = items[:: -(-len(items) // _HELD)], _Sent()
        for item in held:
            session = openers[item].open()
            while not session.done:
                for question in session.waiting():
                    one.add(question.messages)
                    session.answer(question.id, kind.reply(session, question))
        sent.add_all(one, len(items) / len(held))


def _alike(trials: Sequence[Trial]) -> dict[tuple[str, str], list[str]]:
    """Return the sessions by experiment and condition: those of one condition take about the same."""
    found: dict[tuple[str, str], list[str]] = {}
    for trial in trials:
        found.setdefault((trial.item.rpartition("/")[0], trial.cell), []).append(trial.item)
    return found

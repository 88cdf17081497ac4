"""What a run will take before anything is spent: trials, tokens as a range, cost as a range."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from concord.asking.askable import Sessions
from concord.asking.index import Index
from concord.asking.prices import Prices
from concord.asking.registry import find
from concord.records import Design

_DENSE_FROM = 0x2E80
"""From here on most characters are a token or so each (Chinese, Japanese, Korean)."""
_PLAIN = (1 / 5.5, 1 / 3.0)
"""Tokens a character, low and high: plain text in the tokenizers in use."""
_DENSE = (0.5, 2.0)
_WRAPPING = (3, 12)
"""Tokens that a chat template adds to a request."""
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
    requests: tuple[Any, ...] | None = field(default=None, repr=False, compare=False)
    """Every trial with its key, likewise."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the plan."""
        numbers = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _SHARED}
        return {k: asdict(v) if isinstance(v, Range) else v for k, v in numbers.items()}


def make_plan(
    design: Design, to_ask: frozenset[tuple[str, str, int]], *, max_tokens: int | None, prices: Prices | None
) -> Plan:
    """Guess what the trials still to be asked will take.

    Parameters
    ----------
    design
        Everything that is to be asked.
    to_ask
        Names of the trials that have no reply yet.
    max_tokens
        The limit of tokens of a reply that is sent.
    prices
        Of a million tokens.
    """
    left = [trial for trial in design.trials if trial.name in to_ask]
    texts, calls = _sent(design, to_ask)
    low, high = (sum(_tokens(text, end) for text in texts) + calls * _WRAPPING[end] for end in (0, 1))
    longest = _LONGEST_REPLY if max_tokens is None else max_tokens
    output = Range(min(_SHORTEST_REPLY, longest) * calls, longest * calls)
    asked = Range(round(low), round(high))
    return Plan(
        len(design.trials),
        len(design.trials) - len(left),
        len(left),
        asked,
        output,
        _cost_of_calls(asked, output, prices),
        calls,
    )


def _sent(design: Design, to_ask: frozenset[tuple[str, str, int]]) -> tuple[list[str], int]:
    """Return the texts that will be sent and the number of calls; a session is many."""
    one = find(design.suite)
    if one is not None and one.sessions is not None:
        return _session_texts(one.sessions, design, to_ask)
    left = [trial for trial in design.trials if trial.name in to_ask]
    return [message.text for trial in left for message in trial.messages], len(left)


def _session_texts(
    kind: Sessions, design: Design, to_ask: frozenset[tuple[str, str, int]]
) -> tuple[list[str], int]:
    """Hold the sessions with usual replies; return every text that is sent, and count the calls."""
    openers = kind.openers(dict(design.files), dict(design.options))
    texts: list[str] = []
    calls = 0
    for trial in design.trials:
        if trial.name in to_ask:
            session = openers[trial.item].open()
            while not session.done:
                for question in session.waiting():
                    texts += [message.text for message in question.messages]
                    calls += 1
                    session.answer(question.id, kind.reply(session, question))
    return texts, calls


def _tokens(text: str, end: int) -> float:
    dense = sum(ord(character) >= _DENSE_FROM for character in text)
    return dense * _DENSE[end] + (len(text) - dense) * _PLAIN[end]


def _cost_of_calls(asked: Range, output: Range, prices: Prices | None) -> Range | None:
    if prices is None:
        return None
    return Range(prices.cost(asked.low, output.low), prices.cost(asked.high, output.high))

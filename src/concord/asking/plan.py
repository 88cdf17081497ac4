"""What a run will take before anything is spent: trials, tokens and cost, likely and as a range."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from concord.asking.askable import Sessions, find
from concord.asking.journal import Index
from concord.asking.limits import Prices
from concord.asking.requests import Requests
from concord.records import Design, Trial

_DENSE_FROM = 0x2E80
"""From here on most characters are a token or so each (Chinese, Japanese, Korean)."""
_PLAIN = (1 / 5.5, 1 / 3.0, 1 / 4.3)
"""Tokens a character, low, high and likely: plain text in the tokenizers in use."""
_DENSE = (0.5, 2.0, 0.9)
_WRAPPING = (3, 12, 7)
"""Tokens that a chat template adds to a request."""
_HELD = 50
"""Sessions of one condition that are held to see what they take; others of it take as much."""
_SHARED = ("index", "requests")
_SHORTEST_REPLY = 5
_LONGEST_REPLY = 2048
"""Taken where no limit of tokens is sent."""
_LIKELY_REPLY = {True: 250, False: 25}
"""Tokens of a usual reply: with reasoning before the answer, and without; thinking is not among them."""
PILOT = 5
"""Stored trials from which on these say what the others will take."""
SEEN = 200
"""Stored trials that are looked at, spread over all."""
_T = 2.8
"""Student's t of five trials, 95 %."""


@dataclass(frozen=True, slots=True)
class Range:
    """A low and a high guess, and the likely one."""

    low: float
    high: float
    likely: float


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
    n_seen: int = 0
    """Stored trials that tokens and cost are predicted from; 0: from the lengths of texts alone."""
    index: Index | None = field(default=None, repr=False, compare=False)
    """What the folder holds, read once for plan and run."""
    requests: Requests | None = field(default=None, repr=False, compare=False)
    """Every trial with its key, likewise."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of the plan."""
        numbers = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in _SHARED}
        return {k: asdict(v) if isinstance(v, Range) else v for k, v in numbers.items()}


def make_plan(
    design: Design,
    to_ask: Sequence[Trial],
    *,
    max_tokens: int | None,
    prices: Prices | None,
    stored: Sequence[tuple[Trial, int, int]] = (),
) -> Plan:
    """Say what is still to be asked takes, by its texts, and by the tokens in and out of stored trials."""
    longest = _LONGEST_REPLY if max_tokens is None else max_tokens
    measured = _measures(design, longest)
    sent = measured(to_ask)
    ends = [round(tokens) for tokens in sent.tokens]
    wanted = Range(ends[0], ends[1], ends[2])
    said = Range(min(_SHORTEST_REPLY, longest) * sent.calls, longest * sent.calls, sent.said)
    paid = None if prices is None else _each(prices.cost, wanted, said)
    seen = stored if to_ask and len(stored) >= PILOT else ()
    if seen:
        guesses = [(one.tokens[2], one.said) for one in (measured([trial]) for trial, _, _ in seen)]
        taken = [(tokens_in, tokens_out) for _, tokens_in, tokens_out in seen]

        def by_seen(of: Callable[[float, float], float], usual: Range) -> Range:
            pairs = [(of(*took), of(*guess)) for took, guess in zip(taken, guesses, strict=True)]
            return _by_ratio(pairs, usual, len(to_ask))

        paid = None if prices is None or paid is None else by_seen(prices.cost, paid)
        wanted, said = by_seen(lambda i, _: i, wanted), by_seen(lambda _, o: o, said)
    n = len(design.trials)
    return Plan(n, n - len(to_ask), len(to_ask), wanted, said, paid, sent.calls, len(seen))


def _each(of: Callable[[float, float], float], first: Range, second: Range) -> Range:
    return Range(of(first.low, second.low), of(first.high, second.high), of(first.likely, second.likely))


def _by_ratio(pairs: Sequence[tuple[float, float]], usual: Range, n: int) -> Range:
    """Return R X with R = Σ taken / Σ guessed of trials that were asked, X guessed of the n that were not."""
    m, guessed = len(pairs), sum(guess for _, guess in pairs)
    if not guessed:
        return usual
    ratio = sum(took for took, _ in pairs) / guessed
    spread = sum((took - ratio * guess) ** 2 for took, guess in pairs) / (m - 1)
    likely = ratio * usual.likely
    doubt = _T * math.sqrt(spread * ((usual.likely / guessed) ** 2 * m + n))
    return Range(max(0.0, likely - doubt), likely + doubt, likely)


@dataclass(slots=True)
class _Sent:
    """What will be sent, added up: the texts of a long run together would fill the memory."""

    longest: int
    calls: int = 0
    plain: int = 0
    dense: int = 0
    said: int = 0
    """Tokens of usual replies."""

    def add(self, turn: Trial) -> None:
        """Count one call."""
        self.calls += 1
        self.said += min(_LIKELY_REPLY[any(form.reasoning for form in turn.forms)], self.longest)
        for message in turn.messages:
            text = message.text
            dense = 0 if text.isascii() else sum(ord(character) >= _DENSE_FROM for character in text)
            self.dense += dense
            self.plain += len(text) - dense

    def add_all(self, other: "_Sent", times: float) -> None:
        """Count what others take, so many times."""
        for name in ("calls", "plain", "dense", "said"):
            setattr(self, name, getattr(self, name) + round(getattr(other, name) * times))

    @property
    def tokens(self) -> list[float]:
        """The low, the high and the likely guess."""
        rates = zip(_DENSE, _PLAIN, _WRAPPING, strict=True)
        return [self.dense * dense + self.plain * plain + self.calls * more for dense, plain, more in rates]


def _measures(design: Design, longest: int) -> Callable[[Sequence[Trial]], _Sent]:
    """Return what adds up the texts that trials send, and their calls; a session is many."""
    one = find(design.suite)
    kind = None if one is None else one.sessions
    openers = {} if kind is None else kind.openers(dict(design.files), dict(design.options))

    def measured(trials: Sequence[Trial]) -> _Sent:
        sent = _Sent(longest)
        if kind is not None:
            _hold_sessions(kind, openers, trials, sent)
            return sent
        for trial in trials:
            sent.add(trial)
        return sent

    return measured


def _hold_sessions(kind: Sessions, openers: Mapping[str, Any], trials: Sequence[Trial], sent: _Sent) -> None:
    """Hold the sessions with usual replies; count every text that is sent."""
    for items in _alike(trials).values():
        held, one = items[:: -(-len(items) // _HELD)], _Sent(sent.longest)
        for item in held:
            session = openers[item].open()
            while not session.done:
                for question in session.waiting():
                    one.add(kind.turn(question))
                    session.answer(question.id, kind.reply(session, question))
        sent.add_all(one, len(items) / len(held))


def _alike(trials: Sequence[Trial]) -> dict[tuple[str, str], list[str]]:
    """Return the sessions by experiment and condition: those of one condition take about the same."""
    found: dict[tuple[str, str], list[str]] = {}
    for trial in trials:
        found.setdefault((trial.item.rpartition("/")[0], trial.cell), []).append(trial.item)
    return found

"""Prices, and limits of a run: money, tokens, time, calls per minute. Reached, the run can go on later."""

import math
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from concord.asking.ledger import Ledger, Paid
from concord.errors import FileFormatError, OptionError, RunFolderError, quoted
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.numeric import check_numbers
from concord.records import Answer

_DEAREST = 1e12
"""Nobody pays more for a million tokens."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Price of a million tokens, in any one currency."""

    input: float
    output: float

    def __post_init__(self) -> None:
        prices = {"price_in": self.input, "price_out": self.output}
        check_numbers(prices, required=prices)

    def cost(self, input_tokens: float, output_tokens: float) -> float:
        """Return what so many tokens cost."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


_FREE = ("local", "mockllm")


def read_prices(path: Path) -> dict[str, Prices]:
    """Read a file of prices: ``{"PROVIDER/MODEL": {"in": 0.15, "out": 0.6}}``, per million tokens."""
    document = parsed(str(path), read_bytes(path))
    if not isinstance(document, dict):
        raise FileFormatError(f"{path}: expected an object of models, each with 'in' and 'out'")
    found = {}
    for model, pair in document.items():
        numbers: list[Any] = [pair.get(name) if isinstance(pair, dict) else None for name in ("in", "out")]
        if not all(type(one) in (int, float) and 0 <= one <= _DEAREST for one in numbers):
            raise FileFormatError(
                f"{path}: {quoted(model)} is {quoted(pair)}, expected {{'in': NUMBER, 'out': NUMBER}}"
            )
        found[model] = Prices(float(numbers[0]), float(numbers[1]))
    return found


def known_prices(model: str) -> Prices | None:
    """Return the prices in Inspect's data about models, where it has them and is installed."""
    if model.split("/")[0] in _FREE:
        return None
    try:
        from inspect_ai.model import get_model_info
    except ImportError:
        return None
    info = get_model_info(model)
    cost = None if info is None else info.cost
    return None if cost is None else Prices(float(cost.input), float(cost.output))


SPENT = 1e-12
"""What is left of a limit of money or minutes that others, asked before, have used up: not one call."""
_CHARACTERS = 3.0
"""Characters per token, on the safe side, where the provider does not say how many tokens it took."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take; ``None`` is no limit."""

    max_cost: float | None = None
    """Of the whole folder, in the currency of the prices."""
    max_tokens_total: int | None = None
    """Of the whole folder, in and out."""
    max_time: float | None = None
    """Minutes of this session."""
    rate: float | None = None
    """Calls per minute."""

    def __post_init__(self) -> None:
        check_numbers(asdict(self))

    def share(self, n: int) -> "Limits":
        """Return the limits of one process among several: together they keep these."""
        return Limits(
            None if self.max_cost is None else self.max_cost / n,
            None if self.max_tokens_total is None else self.max_tokens_total // n,
            self.max_time,
            None if self.rate is None else self.rate / n,
        )


@dataclass(slots=True)
class Budget:
    """What a run has taken so far, against its limits."""

    limits: Limits = Limits()
    prices: Prices | None = None
    tokens: tuple[int, int] = (0, 0)
    started: float = field(default_factory=time.monotonic)
    ledger: Ledger | None = None
    """Where every paid call is written down."""
    _in: int = field(init=False)
    _out: int = field(init=False)
    _calls: int = 0
    _in_flight: int = 0
    _new: int = 0
    """Tokens of this session, of which a call's mean is taken."""
    _cost: float = 0.0
    _unwritten: RunFolderError | None = None
    """Why a paid call could not be written down."""

    def __post_init__(self) -> None:
        self._in, self._out = self.tokens
        if self.limits.max_cost is not None and self.prices is None:
            raise OptionError(
                "--max-cost needs prices: give --price-in and --price-out, or --prices with a file"
            )

    @property
    def seconds_left(self) -> float:
        """Return the seconds until the limit of time; without one there is no end."""
        limit = self.limits.max_time
        return math.inf if limit is None else 60 * limit - (time.monotonic() - self.started)

    def begin(self) -> str | None:
        """Take one call, or say why there must be none."""
        if self._unwritten is not None:
            raise self._unwritten
        reason = self.reason()
        if reason is None:
            self._in_flight += 1
        return reason

    def end(self, prompt: int, answer: Answer | None) -> None:
        """Count what a call took; where the provider does not say, its characters are counted."""
        self._in_flight -= 1
        if answer is None:
            return
        usage = answer.usage
        tokens_in = math.ceil(prompt / _CHARACTERS) if usage.input_tokens is None else usage.input_tokens
        written = math.ceil(len(answer.response) / _CHARACTERS)
        tokens_out = written if usage.output_tokens is None else usage.output_tokens
        self._calls += 1
        self._in, self._out = self._in + tokens_in, self._out + tokens_out
        self._new += tokens_in + tokens_out
        if self.ledger is not None:
            told = usage.input_tokens is not None and usage.output_tokens is not None
            try:
                self.ledger.add(Paid(1, tokens_in, tokens_out, 0 if told else 1))
            except RunFolderError as fault:  # the reply is stored first; nothing more is asked then
                self._unwritten = fault
        self._cost += 0.0 if self.prices is None else self.prices.cost(tokens_in, tokens_out)

    def reason(self) -> str | None:
        """Say which limit the next call would pass, if any; calls in flight count as the mean of others."""
        limits, ahead = self.limits, self._in_flight + 1
        if limits.max_time is not None and time.monotonic() - self.started >= 60 * limits.max_time:
            return f"--max-time{_shown(limits.max_time, ' (minutes)')} is reached"
        if limits.max_tokens_total is not None:
            mean = self._new / self._calls if self._calls else 0.0
            if self._in + self._out + ahead * mean > limits.max_tokens_total:
                return (
                    f"--max-tokens-total {limits.max_tokens_total} is reached ({self._in + self._out} so far)"
                )
        if limits.max_cost is not None and self.prices is not None:
            spent, mean = (
                self.prices.cost(self._in, self._out),
                self._cost / self._calls if self._calls else 0.0,
            )
            if spent + ahead * mean > limits.max_cost:
                return f"--max-cost{_shown(limits.max_cost)} is reached ({spent:.4f} so far)"
        return None


def _shown(limit: float, unit: str = "") -> str:
    """Return a limit in words; of one that others have used up there is nothing to show."""
    return f" {limit:g}{unit}" if limit > SPENT else " of all models"

"""Progress of a run on stderr: how many trials are done, and every outcome counted."""

import math
import sys
import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from concord.cli.shared import note
from concord.errors import printable
from concord.records import AskOutcome

if TYPE_CHECKING:
    from concord.asking.prices import Prices

_EVERY = 10.0
"""Seconds between lines where there is no terminal."""
_FRAME = 0.1


class Progress:
    """Counts answers and shows the count: one line that changes in a terminal, a line at times elsewhere.

    Parameters
    ----------
    n_to_ask
        Trials of this session.
    prices
        Of a million tokens, where they are known: then the cost so far and of the whole is shown.
    """

    def __init__(self, n_to_ask: int, *, prices: "Prices | None" = None) -> None:
        self._n_to_ask, self._prices = n_to_ask, prices
        self._costs: tuple[int, float, float] = (0, 0.0, 0.0)
        """Number, sum and sum of squares of the costs of trials."""
        self._waits = ""
        self._counts: Counter[str] = Counter()
        self._live = sys.stderr.isatty()
        self._shown = self._started = time.monotonic()

    @property
    def n_replies(self) -> int:
        """Replies stored in this session; failed calls are not among them."""
        return sum(self._counts.values()) - self._counts[str(AskOutcome.FAILED)]

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one answer."""
        self._counts[str(row["outcome"])] += 1
        self._waits = ""
        self._pay(row.get("usage"))
        now = time.monotonic()
        if now - self._shown >= (_FRAME if self._live else _EVERY):
            self._shown = now
            self._show()

    def wait(self, words: str) -> None:
        """Show at once that and why something is waited for; the same words once in a while."""
        now = time.monotonic()
        reason = words.rsplit(": ", 1)[-1]
        if reason != self._waits or now - self._shown >= _EVERY:
            self._waits, self._shown = reason, now
            if self._live:
                sys.stderr.write(f"\r\x1b[2K{printable(f'{self.line()} · {words}')[:200]}")
                sys.stderr.flush()
            else:
                note(words)

    def _pay(self, usage: Any) -> None:
        if self._prices is None or not isinstance(usage, Mapping) or None in usage.values() or not usage:
            return
        cost = self._prices.cost(usage["input_tokens"], usage["output_tokens"])
        n, total, squares = self._costs
        self._costs = (n + 1, total + cost, squares + cost * cost)

    def _cost(self) -> str:
        """Say what was spent, and what the whole will cost: the mean of the trials so far, and its doubt."""
        n, total, squares = self._costs
        if n < 2:
            return ""
        left, mean = self._n_to_ask - n, total / n
        doubt = 2 * left * math.sqrt(max(squares / n - mean * mean, 0.0) / n)
        low, high = max(total, total + left * mean - doubt), total + left * mean + doubt
        return f" · cost {total:.2f} of about {low:.2f} to {high:.2f}"

    def line(self) -> str:
        """Return the line that is shown."""
        done = sum(self._counts.values())
        outcomes = " · ".join(
            f"{name} {self._counts[name]}" for name in map(str, AskOutcome) if self._counts[name]
        )
        rate = done / max(time.monotonic() - self._started, 1e-9)
        left = (self._n_to_ask - done) / rate if done else None
        time_left = "" if left is None else f" · about {_span(left)} left"
        return f"{done}/{self._n_to_ask} asked · {outcomes}{self._cost()}{time_left}"

    def _show(self) -> None:
        if self._live:
            sys.stderr.write(f"\r\x1b[2K{self.line()}")
            sys.stderr.flush()
        else:
            note(self.line())

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live and self._counts:
            self._show()
            sys.stderr.write("\n")


def _span(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"

"""Progress of a run on stderr: how many trials are done, and every outcome counted."""

import sys
import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from concord.cli.shared import note
from concord.records import AskOutcome

_EVERY = 10.0
"""Seconds between lines where there is no terminal."""
_FRAME = 0.1


class Progress:
    """Counts answers and shows the count: one line that changes in a terminal, a line at times elsewhere.

    Parameters
    ----------
    n_to_ask
        Trials of this session.
    """

    def __init__(self, n_to_ask: int) -> None:
        self._n_to_ask = n_to_ask
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
        now = time.monotonic()
        if now - self._shown >= (_FRAME if self._live else _EVERY):
            self._shown = now
            self._show()

    def line(self) -> str:
        """Return the line that is shown."""
        done = sum(self._counts.values())
        outcomes = " · ".join(
            f"{name} {self._counts[name]}" for name in map(str, AskOutcome) if self._counts[name]
        )
        rate = done / max(time.monotonic() - self._started, 1e-9)
        left = (self._n_to_ask - done) / rate if done else None
        time_left = "" if left is None else f" · about {_span(left)} left"
        return f"{done}/{self._n_to_ask} asked · {outcomes}{time_left}"

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

"""Progress of a run on stderr: how many trials are done, how fast, and every outcome counted."""

import math
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from concord.asking.journal import ANSWERS, ASKED_AGAIN, AWAITS
from concord.cli.shared import note
from concord.errors import printable
from concord.number_words import number
from concord.records import AskOutcome

if TYPE_CHECKING:
    from concord.asking.limits import Prices

_EVERY = 10.0
"""Seconds between lines where there is no terminal."""
_FRAME = 0.5
"""Seconds between frames in a terminal, whether replies come or not."""
_BAR = 20


class Progress:
    """Counts answers and shows the count: one line that changes in a terminal, a line at times elsewhere."""

    def __init__(self, n_to_ask: int, *, prices: "Prices | None" = None, title: str = "") -> None:
        self._n_to_ask, self._prices, self._title = n_to_ask, prices, title
        self._costs: tuple[int, float, float] = (0, 0.0, 0.0)
        """Number, sum and sum of squares of the costs of trials."""
        self._waits = ""
        self._told = ("", -math.inf)
        """What was last said to be waited for, and when: replies may come between two such calls."""
        self._counts: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        """What became of reading the answers."""
        self._asked_again = self._n_awaiting = 0
        """Answers that were asked for once more; first replies that are stored and await another turn."""
        # Inspect holds back text without a newline on its own stderr: a line that changes needs the real one
        self._stream = sys.__stderr__ if sys.__stderr__ is not None else sys.stderr
        self._live = self._stream.isatty()
        self._shown = self._started = time.monotonic()
        self._ended = threading.Event()
        self._ticking: threading.Thread | None = None
        self._lock = threading.Lock()

    @property
    def n_replies(self) -> int:
        """Replies stored in this session; failed calls are not among them."""
        return sum(self._counts.values()) - self._counts[str(AskOutcome.FAILED)] + self._n_awaiting

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one answer."""
        with self._lock:
            if row.get(AWAITS) is True:
                self._n_awaiting += row.get(ASKED_AGAIN, 0) == 0
                return
            if row.get(ASKED_AGAIN, 0) or AWAITS in row:
                self._n_awaiting = max(0, self._n_awaiting - 1)
            self._counts[str(row["outcome"])] += 1
            self._answers.update(row.get(ANSWERS, {}))
            self._asked_again += row.get(ASKED_AGAIN, 0)
            self._waits = ""
            self._pay(row.get("usage"))
        now = time.monotonic()
        if not self._live and now - self._shown >= _EVERY:
            self._shown = now
            note(self.line())

    def wait(self, words: str) -> None:
        """Show at once that and why something is waited for; the same words once in a while."""
        now, reason = time.monotonic(), words.rsplit(": ", 1)[-1]
        self._waits = reason
        last, when = self._told
        if not self._live and (reason != last or now - when >= _EVERY):
            self._told = reason, now
            note(words)

    def _pay(self, usage: Any) -> None:
        known = self._prices is not None and isinstance(usage, Mapping)
        cost = self._prices.of_usage(usage) if known and self._prices is not None else None
        if cost is None:
            return
        n, total, squares = self._costs
        self._costs = (n + 1, total + cost, squares + cost * cost)

    def _cost(self) -> str:
        """Say what was spent, and what the whole will cost: the mean of the trials so far, and its doubt."""
        n, total, squares = self._costs
        if n < 2:
            return ""
        left, mean = self._n_to_ask - n, total / n
        doubt = 2 * left * math.sqrt(max(squares / n - mean * mean, 0.0) / n)
        likely = total + left * mean
        low, high = max(total, likely - doubt), likely + doubt
        return f"cost {number(total, 2)} of about {number(likely, 2)} ({number(low, 2)} to {number(high, 2)})"

    def parts(self) -> list[str]:
        """Return what is known, the most important first."""
        done = sum(self._counts.values())
        seconds = time.monotonic() - self._started
        if not done:
            return [f"0/{self._n_to_ask}", f"waiting for the first reply, {_span(seconds)}"]
        rate = done / max(seconds, 1e-9)
        found = [
            f"{done}/{self._n_to_ask}",
            f"{_per_time(rate)}",
            f"{_span((self._n_to_ask - done) / rate)} left",
        ]
        found.append(
            " ".join(f"{name} {self._counts[name]}" for name in map(str, AskOutcome) if self._counts[name])
        )
        if self._answers:
            found.insert(3, f"read {self._answers['ok']:,} of {self._answers.total():,}")
        if self._asked_again:
            found.insert(4, f"asked again {self._asked_again:,}")
        return [*found, cost] if (cost := self._cost()) else found

    def line(self) -> str:
        """Return the line that is shown where there is no terminal."""
        return " · ".join(self.parts())

    def frame(self, width: int) -> str:
        """Return the line of a terminal: as many parts as fit, a bar where there is room for it."""
        share = min(sum(self._counts.values()) / max(self._n_to_ask, 1), 1.0)
        parts = self.parts() + ([printable(self._waits)] if self._waits else [])
        shown = parts[0]
        for part in parts[1:]:
            if len(shown) + len(part) + 3 < width:
                shown += f" · {part}"
        title = f"{self._title} " if self._title else ""
        if len(title) + _BAR + 1 + len(shown) < width:
            return f"{title}{progress_bar(share, _BAR)} {shown}"
        return (title + shown if len(title) + len(shown) < width else shown)[: width - 1]

    def _tick(self) -> None:
        while not self._ended.wait(_FRAME):
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            frame = self.frame(shutil.get_terminal_size((80, 24)).columns)
        self._stream.write(f"\r\x1b[2K{frame}")
        self._stream.flush()

    def __enter__(self) -> "Progress":
        if self._live:
            self._draw()
            self._ticking = threading.Thread(target=self._tick, daemon=True)
            self._ticking.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._ticking is not None:
            self._ticking.join(timeout=2)
            self._draw()
            self._stream.write("\n")
            self._stream.flush()


def progress_bar(share: float, cells: int) -> str:
    """Draw a share as a bar."""
    full = int(share * cells)
    return ("━" * full + ("╸" if full < cells else "") + "─" * cells)[:cells]


def _per_time(per_second: float) -> str:
    return (
        f"{number(per_second, 0)}/s"
        if per_second >= 10
        else f"{number(per_second, 1)}/s"
        if per_second >= 0.1
        else (f"{number(60 * per_second, 1)}/min")
    )


def _span(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 1:
        return f"{number(seconds, 0)} s"
    return f"{number(minutes, 0)} min" if minutes < 90 else f"{number(minutes / 60, 1)} h"

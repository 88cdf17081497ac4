"""The terminal recording of the first page: `concord demo` in a real terminal, drawn as a moving picture.

The command runs once while the site is built; what it wrote, and when, becomes an SVG whose lines appear
one after another. It needs no script and no network, plays once, and stands still for readers who ask for
less motion. The page that the command ends with is the first of the finished reports.
"""

import contextlib
import functools
import html
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

COLUMNS = 80
COMMAND = ("demo", "--out", "concord-demo")
_ANSI = re.compile(r"\x1b\[([0-9;]*)m")
_LETTER, _LINE, _EDGE, _TOP = 7.8, 17.0, 18.0, 46.0
_LONGEST_PAUSE = 2.0
"""Seconds that the recording waits at most, however long the command computed."""
_STYLE = (
    "text{font:13px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#d7dde5;white-space:pre}"
    ".b{font-weight:700;fill:#fff}.p{fill:#7ee0b5}.c{fill:#fff}"
    ".l{opacity:0;animation:show 1ms forwards}@keyframes show{to{opacity:1}}"
    "@media (prefers-reduced-motion:reduce){.l{opacity:1;animation:none}}"
)


@dataclass(frozen=True, slots=True)
class Recording:
    """Lines that a command wrote with the seconds at which each began, and the page it made."""

    lines: tuple[tuple[float, str], ...]
    page: str
    seconds: float


class _Running:
    """The command, started once and awaited where its output is needed."""

    def __init__(self) -> None:
        self.made: Recording | None = None
        self.fault: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.made = _record()
        except BaseException as fault:  # noqa: BLE001 - told to whoever waits
            self.fault = fault

    def wait(self) -> Recording:
        self.thread.join()
        if self.made is None:
            raise RuntimeError("the demo could not be recorded") from self.fault
        return self.made


@functools.cache
def started() -> _Running:
    """Start the command, beside whatever else is done."""
    return _Running()


def demo() -> Recording:
    """Return the recording of `concord demo`."""
    return started().wait()


def _record() -> Recording:
    with tempfile.TemporaryDirectory() as made:
        begun = time.monotonic()
        chunks = list(_written(Path(made)))
        written = "".join(text for _, text in chunks)
        seconds = time.monotonic() - begun
        page = (Path(made) / "concord-demo" / "report.html").read_text("utf-8")
        whole = written.replace(Path(made).resolve().as_uri(), "file:///…").replace("\r", "")
        return Recording(tuple(_timed(whole, chunks)), page, seconds)


def _written(folder: Path) -> Iterator[tuple[float, str]]:
    """Run the command in a terminal of its own; return what it writes with the seconds since its start."""
    ours, theirs = pty.openpty()
    size = {"COLUMNS": str(COLUMNS), "LINES": "50", "TERM": "xterm-256color"}
    begun = time.monotonic()
    with contextlib.ExitStack() as stack:
        child = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-c", "from concord.cli.app import main; main()", *COMMAND],
                cwd=folder, stdout=theirs, stderr=theirs,
                stdin=subprocess.DEVNULL, env={**os.environ, **size}, close_fds=True,
            )
        )  # fmt: skip
        os.close(theirs)
        rest = b""
        while True:
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            rest += data
            text = rest.decode("utf-8", "ignore")
            rest = rest[len(text.encode()) :]
            yield time.monotonic() - begun, text
        os.close(ours)
        if child.wait() != 0:
            raise RuntimeError(f"concord {' '.join(COMMAND)} ended with {child.returncode}")


def _timed(whole: str, chunks: Sequence[tuple[float, str]]) -> Iterator[tuple[float, str]]:
    """Give each line the second at which it was written, waits shortened."""
    ends = [(at, text.count("\n")) for at, text in chunks]
    now, before, left = 0.0, 0.0, 0
    times = iter(ends)
    for line in whole.rstrip("\n").split("\n"):
        while left == 0:
            at, left = next(times, (before, 1))
            now += min(at - before, _LONGEST_PAUSE)
            before = at
        left -= 1
        now += 0.04
        yield now, line


def as_svg(recording: Recording) -> str:
    r"""Draw the recording: a prompt that is typed into, then the lines.

    Examples
    --------
    >>> drawn = as_svg(Recording(((0.5, "Of 15 agents \x1b[1mGPT5\x1b[0m leads."),), "", 12.0))
    >>> "<tspan class='b'>GPT5</tspan>" in drawn, "prefers-reduced-motion" in drawn
    (True, True)
    """
    command = "concord demo"
    typed = 0.6 + 0.09 * len(command)
    wide = COLUMNS * _LETTER + 2 * _EDGE
    body = [
        f'<text x="{_EDGE}" y="{_TOP}" class="p">$</text>',
        *(
            f'<text x="{_EDGE + _LETTER * (2 + i):.1f}" y="{_TOP}" class="c l" '
            f'style="animation-delay:{0.6 + 0.09 * i:.2f}s">{letter}</text>'
            for i, letter in enumerate(command)
            if letter != " "
        ),
    ]
    for i, (at, line) in enumerate(recording.lines, 1):
        y = _TOP + _LINE * i
        body.append(
            f'<text x="{_EDGE}" y="{y:g}" class="l" style="animation-delay:{typed + at:.2f}s">'
            f"{_spans(line)}</text>"
        )
    tall = _TOP + _LINE * len(recording.lines) + 20
    dots = "".join(
        f'<circle cx="{20 + 18 * i}" cy="17" r="5.5" fill="{colour}"/>'
        for i, colour in enumerate(("#e0655f", "#e0b050", "#5fb878"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {tall:g}" width="{wide:g}" '
        f'height="{tall:g}"><style>{_STYLE}</style><rect width="100%" height="100%" rx="8" fill="#10161d"/>'
        f"{dots}{''.join(body)}</svg>\n"
    )


def _spans(line: str) -> str:
    """Write a line with what is bold in it; other colours are left out."""
    parts, bold = [], False
    for i, part in enumerate(_ANSI.split(line)):
        if i % 2:
            codes = part.split(";") if part else ["0"]
            bold = (bold or "1" in codes) and "0" not in codes
        elif part:
            text = html.escape(part, quote=False)
            parts.append(f"<tspan class='b'>{text}</tspan>" if bold else text)
    return "".join(parts)

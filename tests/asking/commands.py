"""`concord` in a process of its own, with the scripted provider.

Loading Inspect takes seconds. A process that has loaded it waits, and a command is a fork of it: its own
memory, environment, folder, streams and signals, as a command that was typed. `fresh_concord` starts from
nothing.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("scripted.py")
LOADED = (
    *("pytest", "inspect_ai.model", "openai", "polars", "concord.api", "concord.cli.run"),
    *("concord.asking.inspect.registered", "concord.asking.inspect.asker"),
)
"""What the waiting process has loaded; what is not installed is left out."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """A clean environment: whatever a library writes goes below ``home``."""
    kept = {name: os.environ[name] for name in ("PATH", "CONCORD_CACHE", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), **more}


def concord(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    process = start(*arguments, cwd=cwd, **more)
    out, err = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def fresh_concord(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in a new interpreter."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        cwd=cwd,
        env=environment(cwd, **more),
        capture_output=True,
        text=True,
        timeout=600,  # a guard against hanging, far above what a busy machine takes
        check=False,
    )


def run_code(function: Callable[[], object], cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a function of a test module as a command."""
    process = Started(function, (), cwd, environment(cwd, **more))
    out, err = process.communicate()
    return subprocess.CompletedProcess((), process.returncode, out, err)


def start(*arguments: str, cwd: Path, **more: str) -> "Started":
    """Start a command."""
    return Started(_command, arguments, cwd, environment(cwd, **more))


class Started:
    """A command that was started: what `subprocess.Popen` offers of it."""

    def __init__(
        self, function: Callable[[], object], arguments: tuple[str, ...], cwd: Path, env: dict[str, str]
    ) -> None:
        context: Any = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(LOADED))
        self._streams = tempfile.TemporaryDirectory()  # not below cwd, whose files are looked at
        for name in ("out", "err"):  # there also where the command is killed before it opens them
            Path(self._streams.name, name).touch()
        self._process = context.Process(
            target=_begin, args=(function, arguments, str(cwd), env, self._streams.name)
        )
        self._process.start()
        self.returncode = 0

    def poll(self) -> int | None:
        """Return the exit status, None while the command runs."""
        code: int | None = self._process.exitcode
        return code

    def kill(self) -> None:
        """End the command at once."""
        self._process.kill()

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        os.kill(self._process.pid, number)

    def communicate(self, timeout: float = 600) -> tuple[str, str]:
        """Wait for the end; what was written to standard output and to standard error."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            self.kill()
            self._process.join()
            raise AssertionError(f"the command took more than {timeout} s")
        self.returncode = self._process.exitcode
        self._process.close()
        out, err = (Path(self._streams.name, name).read_text("utf-8") for name in ("out", "err"))
        self._streams.cleanup()
        return out, err


def _begin(
    function: Callable[[], object], arguments: tuple[str, ...], cwd: str, env: dict[str, str], streams: str
) -> None:
    """Make the forked process what a typed command is, then run it."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, name in ((0, os.devnull), (1, f"{streams}/out"), (2, f"{streams}/err")):
        opened = os.open(name, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["concord", *arguments]
    function()


def _command() -> None:
    import tests.asking.scripted  # noqa: F401  (registers the provider)

    from concord.cli.app import main

    main()

"""The loop of a run: a bounded window of calls, each answer stored before anything else happens."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from concord.asking.inspect.asker import AGREE, Asker, StoppedError
from concord.asking.inspect.private import without_transcript
from concord.asking.requests import Request
from concord.errors import InputError
from concord.records import Answer

Hold = Callable[[Request], Awaitable[Answer]]
Store = Callable[[Request, Answer], Mapping[str, Any]]
GRACE = 5.0
"""Seconds that calls in flight have to end after a run has given up."""
_OPEN_AFTER = 2.0
"""Seconds after which the whole window is used, though the first call has not ended."""
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupted(KeyboardInterrupt):  # noqa: N818 - an interruption, no error
    """Somebody ended the run: Ctrl-C, or a signal to the process."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Recorder:
    """Stores answers as they arrive and tells of them."""

    def __init__(self, store: Store, on_answer: Callable[[Mapping[str, Any]], None]) -> None:
        self._store, self._on_answer = store, on_answer

    def record(self, request: Request, answer: Answer) -> None:
        """Store first, tell then."""
        row = self._store(request, answer)
        self._on_answer(row)


def run_loop(make: Callable[[], "Loop"], on_interrupt: Callable[[], None] | None) -> "Loop":
    """Run a loop to its end, in a thread of its own where this one has a loop already (a notebook)."""
    done: list[Loop] = []
    faults: list[BaseException] = []

    async def main() -> None:
        loop = make()
        done.append(loop)
        with without_transcript():
            await loop.run(on_interrupt)

    def work() -> None:
        try:
            asyncio.run(main())
        except BaseException as fault:  # noqa: BLE001 - raised again where it belongs
            faults.append(fault)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(main())
    else:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    if faults:
        raise faults[0]
    if done[0].signal is not None:
        raise Interrupted(done[0].signal)
    return done[0]


class Loop:
    """Asks requests in their order, as many at a time as the window holds."""

    def __init__(self, requests: Sequence[Request], asker: Asker, hold: Hold, recorder: Recorder) -> None:
        self._left: Iterator[Request] = iter(requests)
        self._n = len(requests)
        self.asker, self._hold, self._recorder = asker, hold, recorder
        self.signal: int | None = None

    async def run(self, on_interrupt: Callable[[], None] | None = None) -> None:
        """Ask until nothing is left, or nothing more is asked."""
        count = min(self.asker.width, self._n)
        workers = [asyncio.create_task(self._work(number)) for number in range(count)]
        ended = asyncio.gather(*workers)
        guard = asyncio.create_task(self._give_up(workers))
        with self._listening(workers, on_interrupt):
            try:
                await ended
            except asyncio.CancelledError:
                await asyncio.gather(*workers, return_exceptions=True)
                if self.signal is None and self.asker.fault is None:
                    raise
            finally:
                guard.cancel()

    async def _work(self, number: int) -> None:
        if number >= AGREE:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.asker.opened.wait(), _OPEN_AFTER)
        for request in self._left:
            if self.asker.over:
                return
            try:
                answer = await self._hold(request)
            except StoppedError:
                return
            try:
                self._recorder.record(request, answer)
            except InputError as fault:
                self.asker.stop(fault)
                return

    async def _give_up(self, workers: list["asyncio.Task[None]"]) -> None:
        """End what still waits for a server that is gone; replies on their way to a limit are waited for."""
        await self.asker.stopped.wait()
        if self.asker.fault is not None:
            await asyncio.sleep(GRACE)
            for worker in workers:
                worker.cancel()

    @contextlib.contextmanager
    def _listening(
        self, workers: list["asyncio.Task[None]"], on_interrupt: Callable[[], None] | None
    ) -> Iterator[None]:
        """Hear signals: the first ends the run at once, whatever is in flight."""
        loop = asyncio.get_running_loop()

        def heard(number: int) -> None:
            if self.signal is None and on_interrupt is not None:
                on_interrupt()
            self.signal = number
            for worker in workers:
                worker.cancel()

        numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        if threading.current_thread() is not threading.main_thread():
            numbers = []
        before = {number: signal.getsignal(number) for number in numbers}
        added = []
        for number in numbers:
            with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
                loop.add_signal_handler(number, heard, number)
                added.append(number)
        try:
            yield
        finally:
            for number in added:
                loop.remove_signal_handler(number)
                signal.signal(number, before[number])

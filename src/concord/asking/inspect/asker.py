"""Asks a model through Inspect's model layer, and knows when to stop; the loop of a run.

A bounded window of calls; each answer is stored before anything else happens.
"""

import asyncio
import contextlib
import gc
import hashlib
import math
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.util import JSONSchema

from concord.asking.connection import Connection, Redactor
from concord.asking.inspect.batches import SIZE as BATCH_SIZE
from concord.asking.inspect.batches import Batcher
from concord.asking.inspect.private import without_transcript
from concord.asking.inspect.received import FailedCall, FaultKind, Sends, answer_of, fault_of, hearing
from concord.asking.journal import STRUCTURED
from concord.asking.limits import Budget, Payer
from concord.asking.replies import ProviderRefusedError
from concord.asking.requests import Request, Sampling
from concord.errors import InputError, ModelError
from concord.number_words import number
from concord.reading.forms import schema_of
from concord.records import Answer, AnswerForm, AskOutcome, Message, Trial

AGREE = 3
"""So many calls must be refused before the run is taken to be refused."""
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_ANSWERED = {FaultKind.OVERFLOW: AskOutcome.OVERFLOW, FaultKind.TOO_LONG: AskOutcome.TOO_LONG}
"""What a server has said that has no reply to give: asked again, it says the same."""
_WIDE = 100_000
"""Inspect's own limit of connections, which its first user sets for all: the window here is narrower."""


class StoppedError(Exception):
    """Nothing more is asked."""


class Asker:
    """Asks one prompt at a time, or as many at once as the window holds."""

    def __init__(
        self,
        model: Model,
        sampling: Sampling,
        connection: Connection,
        *,
        budget: Budget,
        redactor: Redactor,
        on_wait: Callable[[str], None] = lambda words: None,
        on_refused: Callable[[str], None] = lambda words: None,
        cache: bool = False,
        schemas: bool = False,
        payer: Payer | None = None,
        batcher: Batcher | None = None,
    ) -> None:
        self._model, self._sampling, self._connection = model, sampling, connection
        self._budget, self._redactor, self._on_wait, self._cache = budget, redactor, on_wait, cache
        self._batcher = batcher
        usual = BATCH_SIZE if batcher is not None else max(1, int(model.api.max_connections()))
        self.width = usual if connection.max_connections is None else connection.max_connections
        """How many calls are made at the same time: as many as chosen, or as the provider suggests."""
        self._window = asyncio.Semaphore(self.width)
        self.opened = asyncio.Event()
        """Set when the first call has ended: until then few are sent, since all may end the same way."""
        if batcher is not None:
            self.opened.set()
        self._next_slot = 0.0
        self._n_ended = self._n_replies = self._failed_in_a_row = self._n_failed_attempts = 0
        self._account_in_a_row = self._n_refused = 0
        self._last_reply = time.monotonic()
        self._schemas, self._on_refused, self._payer = schemas, on_refused, payer
        self._taken: set[tuple[AnswerForm, ...]] = set()
        """Answers whose schema the provider has taken: another error is not about it."""
        self.fault: InputError | None = None
        """Why nothing more can be asked, once that is so."""
        self.reached: str | None = None
        """Which limit is reached, once one is."""
        self.stopped = asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether nothing more is asked."""
        return self.fault is not None or self.reached is not None

    def stop(self, fault: InputError) -> None:
        """Ask nothing more, for a reason; the first one stays."""
        if self.fault is None:
            self.fault = fault
        self.stopped.set()

    async def out_of_time(self) -> bool:
        """Wait for the end of the run's time, where it has one; say whether it came."""
        while 0 < self._budget.seconds_left < math.inf:
            await asyncio.sleep(self._budget.seconds_left)
        if self._budget.seconds_left > 0:
            return False
        self.reached = self._budget.reason() if self.reached is None else self.reached
        self.stopped.set()
        return True

    async def ask(self, trial: Trial, sampling: Sampling | None = None) -> Answer:
        """Ask a prompt until there is an answer or no more attempt."""
        chosen = self._sampling if sampling is None else sampling
        prompt = sum(len(message.text) for message in trial.messages)
        forms, refusal = self._forms_sent(trial), ""
        async with self._window:
            started, attempt = time.monotonic(), 1
            while True:
                await self._admitted(prompt, chosen)
                found: Answer | FailedCall | None = None
                try:
                    found = await self._attempt(trial, chosen, forms if self._schemas else ())
                finally:
                    self._budget.end(prompt, found if isinstance(found, Answer) else None, self._payer)
                if isinstance(found, Answer):
                    self._schema_settled(forms, refusal)
                    self._replied()
                    return found
                if forms and found.kind is FaultKind.OTHER and forms not in self._taken:
                    forms, refusal = (), found.words  # whether the schema was refused is seen without it
                    continue
                if not found.passes or not await self._another(found, attempt, trial):
                    return self._ended_without(found, time.monotonic() - started)
                attempt += 1

    def _forms_sent(self, trial: Trial) -> tuple[AnswerForm, ...]:
        """Return the answers whose schema is sent; none to a model that was made to begin its reply."""
        begun = bool(trial.messages) and trial.messages[-1].role == "assistant"
        return trial.forms if self._schemas and not begun else ()

    def _schema_settled(self, forms: tuple[AnswerForm, ...], refusal: str) -> None:
        """Take down whether the provider takes a schema; after a refusal none is sent any more."""
        if forms:
            self._taken.add(forms)
        elif refusal and self._schemas:
            self._schemas = False
            self._on_refused(refusal)

    async def _attempt(
        self, trial: Trial, sampling: Sampling, forms: tuple[AnswerForm, ...]
    ) -> Answer | FailedCall:
        started = time.monotonic()
        try:
            with hearing(self._sends(trial)) as heard:
                output = await self._generate(trial, sampling, forms)
        except Exception as error:  # noqa: BLE001 - providers raise what they like; every call is counted
            fault = fault_of(error, self._model)
            return FailedCall(fault.kind, self._redactor.text(fault.words), fault.wait)
        seconds = time.monotonic() - started if output.time is None else output.time
        answer = answer_of(output, seconds, heard)
        return replace(answer, more=(*answer.more, (STRUCTURED, True))) if forms else answer

    def _sends(self, trial: Trial) -> Sends | None:
        """Return what sends a trial's calls in batches, where they are."""
        batcher = self._batcher
        return None if batcher is None else lambda protocol, sent: batcher.ask(protocol, trial, sent)

    async def _generate(self, trial: Trial, sampling: Sampling, forms: tuple[AnswerForm, ...]) -> ModelOutput:
        config = _config(sampling, trial.repeat, self._connection.attempt_seconds, forms)
        if not self._cache:
            return await self._model.generate(chat(trial.messages), config=config)
        from inspect_ai.model import CachePolicy

        # Without the trial in it, the cache would give one reply to all repeats and participants.
        policy = CachePolicy(expiry=None, scopes={"trial": "/".join(map(str, trial.name))})
        return await self._model.generate(chat(trial.messages), config=config, cache=policy)

    async def _admitted(self, prompt: int, sampling: Sampling) -> None:
        """Wait for a turn; where the run has stopped, there is none."""
        rate = self._budget.limits.rate
        if rate is not None and not self.over:
            slot = max(time.monotonic(), self._next_slot)
            self._next_slot = slot + 60.0 / rate
            # Where the time of the run ends before its turn comes, the run is not kept waiting for that.
            await self._sleep(min(slot - time.monotonic(), self._budget.seconds_left))
        if self.over:
            raise StoppedError
        # A batch comes back as a whole: until then its calls count with the most that they can take.
        longest = sampling.max_tokens if self._batcher is not None else None
        reason = self._budget.begin(None if longest is None else (prompt, longest))
        if reason is not None:
            self.reached = reason
            self.stopped.set()
            raise StoppedError

    async def _sleep(self, seconds: float) -> None:
        """Wait, unless the run stops meanwhile."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.stopped.wait(), max(seconds, 0.0))

    async def _another(self, fault: FailedCall, attempt: int, trial: Trial) -> bool:
        """Wait for the next attempt, unless there is none."""
        self._n_failed_attempts += 1
        silent = time.monotonic() - self._last_reply
        if silent > self._connection.give_up_seconds and self._batcher is None:
            self.stop(
                ModelError(
                    f"no reply for {number(silent, 0)} s and {self._n_failed_attempts} attempts; the last "
                    f"one ended with: {fault.words}"
                )
            )
        left = self._connection.max_retries + 1 - attempt
        wait = _wait(fault, attempt, trial)
        if self.over or not left or wait > self._connection.give_up_seconds:
            return False
        self._on_wait(
            f"waiting {number(wait, 0)} s for attempt {attempt + 1} of {attempt + left}: {fault.words}"
        )
        self.opened.set()
        await self._sleep(wait)
        return not self.over

    def _replied(self) -> None:
        self._n_ended += 1
        self._n_replies += 1
        self._failed_in_a_row = self._account_in_a_row = self._n_failed_attempts = 0
        self._last_reply = time.monotonic()
        self.opened.set()

    def _ended_without(self, fault: FailedCall, seconds: float) -> Answer:
        """Count a call without a reply, and decide whether the next one is worth while."""
        self.opened.set()
        if fault.kind in _ANSWERED:
            self._replied()
            return Answer(_ANSWERED[fault.kind], "", error=fault.words, seconds=seconds)
        self._n_ended += 1
        self._failed_in_a_row += 1
        account = fault.kind is FaultKind.ACCOUNT
        self._account_in_a_row = self._account_in_a_row + 1 if account else 0
        self._n_refused += account or fault.kind is FaultKind.REFUSED
        all_refused = self._n_replies == 0 and self._n_refused == self._n_ended >= AGREE
        if all_refused or self._account_in_a_row >= AGREE:
            self.stop(ProviderRefusedError(f"the provider refuses: {fault.words}"))
        elif self._failed_in_a_row >= self._connection.give_up_after:
            n = self._failed_in_a_row
            self.stop(ModelError(f"the last {n} calls all failed, the last one with: {fault.words}"))
        return Answer(AskOutcome.FAILED, "", error=fault.words, seconds=seconds)


def _wait(fault: FailedCall, attempt: int, trial: Trial) -> float:
    """Return the seconds until the next attempt: as the server asks, or twice as long each time."""
    if fault.wait is not None:
        return fault.wait
    # Spread by a number of its own, so that calls that failed together do not come back together.
    spread = hashlib.sha256(f"{trial.name}{attempt}".encode(errors="replace")).digest()[0] / 255
    return min(_FIRST_WAIT * 2.0 ** (attempt - 1), _LONGEST_WAIT) * (0.75 + 0.5 * spread)


class _SharedSchema(ResponseSchema):
    """A schema that Inspect's configurations share; it copies them whole several times a call."""

    def __deepcopy__(self, memo: object) -> "_SharedSchema":
        return self


@lru_cache(maxsize=4096)
def _config(
    sampling: Sampling, repeat: int, seconds: int, forms: tuple[AnswerForm, ...] = ()
) -> GenerateConfig:
    sent: dict[str, Any] = dict(sampling.sent(repeat))
    sent.pop("set", None)  # is part of the model, see `find_model`
    if "system" in sent:
        sent["system_message"] = sent.pop("system")
    if forms:
        schema = JSONSchema.model_validate(schema_of(forms))
        sent["response_schema"] = _SharedSchema(name="reply", json_schema=schema, strict=True)
    return GenerateConfig(**sent, max_retries=0, attempt_timeout=seconds, max_connections=_WIDE)


def chat(messages: tuple[Message, ...]) -> list[ChatMessage]:
    """Return messages in Inspect's types."""
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[message.role](content=message.text) for message in messages]


Hold = Callable[[Request], Awaitable[Answer | None]]
"""Asks a request until its answer can be stored; None where all that there is was stored meanwhile."""
Record = Callable[[Request, Answer], None]
"""Stores an answer first, and tells of it then."""
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

    gc.freeze()  # the plan is there to stay: no use in looking for cycles among its trials again and again
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(main())
    else:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        gc.unfreeze()
    if faults:
        raise faults[0]
    if done[0].signal is not None:
        raise Interrupted(done[0].signal)
    return done[0]


class Loop:
    """Asks requests in their order, as many at a time as the window holds."""

    def __init__(self, requests: Sequence[Request], asker: Asker, hold: Hold, record: Record) -> None:
        self._left: Iterator[Request] = iter(requests)
        self._n = len(requests)
        self.asker, self._hold, self._record = asker, hold, record
        self.signal: int | None = None

    async def run(self, on_interrupt: Callable[[], None] | None = None) -> None:
        """Ask until nothing is left, or nothing more is asked."""
        count = min(self.asker.width, self._n)
        workers = [asyncio.create_task(self._work(number)) for number in range(count)]
        ended = asyncio.gather(*workers)
        guards = [asyncio.create_task(one(workers)) for one in (self._give_up, self._out_of_time)]
        with self._listening(workers, on_interrupt):
            try:
                await ended
            except asyncio.CancelledError:
                await asyncio.gather(*workers, return_exceptions=True)
                if self.signal is None and not self.asker.over:
                    raise
            finally:
                for guard in guards:
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
                if answer is not None:
                    self._record(request, answer)
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

    async def _out_of_time(self, workers: list["asyncio.Task[None]"]) -> None:
        """End calls in flight when the time of the run is over: a server that hangs would keep it."""
        if await self.asker.out_of_time():
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
        before = {one: signal.getsignal(one) for one in numbers}
        added = []
        for one in numbers:
            with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
                loop.add_signal_handler(one, heard, one)
                added.append(one)
        try:
            yield
        finally:
            for one in added:
                loop.remove_signal_handler(one)
                signal.signal(one, before[one])

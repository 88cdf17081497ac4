"""The desk: asks requests through Inspect, writes every answer down, knows when to stop."""

import signal
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    GenerateConfig,
    Model,
    ModelOutput,
)

from concord.asking.folder import Request, RunFolder
from concord.asking.keys import Sampling, scrub
from concord.errors import InputError, ModelError
from concord.records import Answer, AskOutcome, Message, Usage

GIVE_UP_AFTER = 20
"""Failed calls in a row after which the server is taken to be gone."""
_REFUSED = ("AuthenticationError", "PermissionDeniedError", "NotFoundError")
"""Errors that no later trial can escape: a wrong key, a model that does not exist."""
_ERROR_LENGTH = 500


class FailedCallError(Exception):
    """A call without a reply, in words that hold no secret."""


class Desk:
    """Asks requests and stores their answers.

    Parameters
    ----------
    folder
        Where answers are written down.
    sampling
        What is sent beside the prompt.
    on_answer
        Told of every stored row.
    on_interrupt
        Told of a Ctrl-C before Inspect is.
    secrets
        Texts that must not be written.
    """

    def __init__(
        self,
        folder: RunFolder,
        sampling: Sampling,
        *,
        on_answer: Callable[[Mapping[str, Any]], None],
        on_interrupt: Callable[[], None] | None = None,
        secrets: tuple[str, ...] = (),
        give_up_after: int = GIVE_UP_AFTER,
    ) -> None:
        self._folder, self._sampling, self._on_answer = folder, sampling, on_answer
        self._secrets, self._give_up_after, self._on_interrupt = secrets, give_up_after, on_interrupt
        self._failures_in_a_row = 0
        self.n_asked = 0
        """Requests with an answer of any kind."""
        self.fault: InputError | None = None
        """Why nothing more is asked, once that is so."""
        self.interrupted = False
        """Whether somebody pressed Ctrl-C."""
        self._hearing: object = None

    async def ask(
        self, request: Request, model: Model, *, keep: Callable[[Answer], None] | None = None
    ) -> ModelOutput:
        """Ask one request and store what comes back before anything else happens.

        Parameters
        ----------
        request
            What to ask.
        model
            Whom.
        keep
            Where the answer goes instead of the run's journal: the turns of a session have their own.

        Raises
        ------
        FailedCallError
            There is no reply; it is counted, and Inspect marks the sample.
        InputError
            Nothing more can be asked or stored.
        """
        if self.fault is not None:
            raise FailedCallError(f"not asked: {self.fault}")
        self._listen()
        config = GenerateConfig(**self._sampling.sent(request.trial.repeat))
        started = time.monotonic()
        try:
            output = await model.generate(chat(request.trial.messages), config=config)
        except Exception as error:  # noqa: BLE001 - providers raise what they like; every call is counted
            self._failed(request, error, time.monotonic() - started, whole=keep is None)
            # The provider's own error may quote the key; Inspect's log gets ours only.
            raise FailedCallError(self._words(error)) from None
        answer = answer_of(output, output.time)
        if keep is None:
            self._store(request, answer)
        else:
            self._kept(keep, answer)
        self._failures_in_a_row = 0
        return output

    def finish(self, request: Request, answer: Answer) -> None:
        """Store what became of a trial that was asked in several turns."""
        self._store(request, answer)

    def _kept(self, keep: Callable[[Answer], None], answer: Answer) -> None:
        try:
            keep(answer)
        except InputError as fault:
            self.fault = fault
            raise

    def _listen(self) -> None:
        """Hear a Ctrl-C first; the handler in place (the event loop's, another a batch) comes after."""
        inner = signal.getsignal(signal.SIGINT)
        if inner is self._hearing or threading.current_thread() is not threading.main_thread():
            return

        def heard(number: int, frame: FrameType | None) -> None:
            if self._on_interrupt is not None and not self.interrupted:
                self._on_interrupt()
            self.interrupted = True
            if callable(inner):
                inner(number, frame)

        self._hearing = heard
        signal.signal(signal.SIGINT, heard)

    def _store(self, request: Request, answer: Answer) -> None:
        try:
            row = self._folder.store(request, answer)
        except InputError as fault:
            self.fault = fault
            raise
        self.n_asked += 1
        self._on_answer(row)

    def _failed(self, request: Request, error: Exception, seconds: float, *, whole: bool) -> None:
        words = self._words(error)
        if whole:
            self._store(request, Answer(AskOutcome.FAILED, "", error=words, seconds=seconds))
        self._failures_in_a_row += 1
        if type(error).__name__ in _REFUSED:
            self.fault = ModelError(f"the provider refuses: {words}")
        elif self._failures_in_a_row >= self._give_up_after:
            self.fault = ModelError(
                f"the last {self._failures_in_a_row} calls all failed, the last one with: {words}"
            )

    def _words(self, error: Exception) -> str:
        """Say what went wrong: the kind of error and its text, no secrets, not too long."""
        cause: BaseException = error
        while cause.__cause__ is not None and type(cause).__name__ == "RetryError":
            cause = cause.__cause__
        text = f"{type(cause).__name__}: {getattr(cause, 'message', cause)}"
        if type(cause).__name__ == "AttemptTimeoutError":
            text = "no answer in the time that --timeout allows"
        return scrub(" ".join(text.split()), self._secrets)[:_ERROR_LENGTH]


def chat(messages: tuple[Message, ...]) -> list[ChatMessage]:
    """Return messages in Inspect's types."""
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[message.role](content=message.text) for message in messages]


def answer_of(output: ModelOutput, seconds: float | None) -> Answer:
    """Read what came back: the text, the thinking apart from it, and which outcome that is."""
    if output.empty:
        return Answer(AskOutcome.EMPTY, "", error=output.error, usage=_usage(output), seconds=seconds)
    stop = str(output.stop_reason)
    text = output.completion
    return Answer(
        _outcome(output, stop, text),
        text,
        _thinking(output),
        stop,
        output.error,
        _usage(output),
        seconds,
    )


def _outcome(output: ModelOutput, stop: str, text: str) -> AskOutcome:
    if stop == "content_filter":
        return AskOutcome.FILTERED
    if stop == "model_length":
        # The provider reports a prompt that does not fit as an error, a reply that filled the rest as text.
        cut = output.usage is not None and output.usage.output_tokens > 0
        return AskOutcome.TRUNCATED if cut else AskOutcome.OVERFLOW
    if stop == "max_tokens":
        return AskOutcome.TRUNCATED
    return AskOutcome.OK if text.strip() or _thinking(output) else AskOutcome.EMPTY


def _thinking(output: ModelOutput) -> str | None:
    content = output.message.content
    if isinstance(content, str):
        return None
    thoughts = [
        part.reasoning for part in content if isinstance(part, ContentReasoning) and not part.redacted
    ]
    return "\n".join(thoughts) if thoughts else None


def _usage(output: ModelOutput) -> Usage:
    if output.usage is None:
        return Usage()
    return Usage(output.usage.input_tokens, output.usage.output_tokens)

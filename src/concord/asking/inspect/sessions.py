"""Sessions with a model: members are asked as soon as they can be, every turn has its outcome."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Protocol, runtime_checkable

import anyio
from inspect_ai.model import GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from concord.asking.askable import Sessions
from concord.asking.folder import Turns
from concord.asking.inspect.asker import Asker, chat
from concord.asking.inspect.received import answer_of
from concord.asking.journal import ANSWERS, ASKED_AGAIN, CONVERSATION
from concord.asking.replies import LOST, packed
from concord.asking.requests import Request, Sampling, trial_key
from concord.asking.talks import Talk, added, answer_of_row, settled
from concord.records import Answer, AskOutcome, Message, Trial, Usage


class SessionTurn(Protocol):
    """One thing that a session sends."""

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """What is sent."""

    @property
    def items(self) -> Sequence[object]:
        """What is read from its answer; nothing where it only prepares."""


class HeldSession(Protocol):
    """A conversation whose next question depends on earlier replies."""

    @property
    def done(self) -> bool:
        """Whether nothing waits."""

    def waiting(self) -> tuple[Any, ...]:
        """Return everything that can be asked now."""

    def answer(self, name: str, reply: str | None, /) -> None:
        """Take a reply."""


@runtime_checkable
class Converses(Protocol):
    """A session whose later questions follow on what was said before."""

    def asked_again(self, name: str, between: tuple[Message, ...], /) -> None:
        """Take what was said between a question and the reply that counts."""


@runtime_checkable
class CountsTokens(Protocol):
    """A session whose next question depends on how long a reply is."""

    def counted(self, tokens: int | None, /) -> None:
        """Take how many tokens the next reply has."""


class Opener(Protocol):
    """Where a session is held: opens it, new each time."""

    @property
    def open(self) -> Callable[[], Any]:
        """Open the session."""


Turn = Callable[[Any], Awaitable[Answer]]


@dataclass(slots=True)
class Held:
    """What became of a session."""

    replies: dict[str, str] = field(default_factory=dict)
    """Replies that are answers, by the question's id."""
    turns: list[tuple[bool, Answer]] = field(default_factory=list)
    """Every turn: whether its answer is read, and what came back."""
    lost: dict[str, str] = field(default_factory=dict)
    """Why a turn is no answer (truncated, empty, filtered …), by the question's id."""
    answers: Counter[str] = field(default_factory=Counter)
    """What became of reading the answers."""
    n_again: int = 0
    """Answers that were asked for once more."""

    def answer(self) -> Answer:
        """Return the session as one answer: ok only where every turn that is read is."""
        outcomes = Counter(str(answer.outcome) for _, answer in self.turns)
        bad = [answer for read, answer in self.turns if read and answer.outcome is not AskOutcome.OK]
        outcome = bad[0].outcome if bad else AskOutcome.OK
        error = next((answer.error for answer in bad if answer.error is not None), None)
        usage = reduce(added, (answer.usage for _, answer in self.turns), Usage(0, 0, 0, 0, 0))
        more: tuple[tuple[str, Any], ...] = (("turns", dict(sorted(outcomes.items()))),)
        if self.lost:
            more = (*more, (LOST, dict(sorted(self.lost.items()))))
        if self.answers:
            more = (*more, (ANSWERS, dict(sorted(self.answers.items()))))
        if self.n_again:
            more = (*more, (ASKED_AGAIN, self.n_again))
        return Answer(outcome, packed(self.replies), error=error, usage=usage, more=more)

    def note(self, answer: Answer) -> None:
        """Count what became of reading a turn."""
        more: dict[str, Any] = dict(answer.more)
        self.answers.update(more.get(ANSWERS, {}))
        self.n_again += more.get(ASKED_AGAIN, 0)


def between_of(answer: Answer) -> tuple[Message, ...]:
    """Return what was said between a question and the reply that counts, where the last one does."""
    said = dict(answer.more).get(CONVERSATION)
    held = [Message(one["role"], one["text"]) for one in said] if isinstance(said, list) else []
    return tuple(held[:-1]) if held and held[-1].text == answer.response else ()


class FailedTurnError(Exception):
    """A turn without a reply: the session goes on when the run is resumed."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.error)
        self.answer = answer


class SessionHolder:
    """Holds the sessions of a run; turns that are stored are not asked again."""

    def __init__(
        self,
        asker: Asker,
        turns: Turns,
        openers: Mapping[str, Opener],
        *,
        kind: Sessions,
        name: tuple[str, Sampling],
        helper: "tuple[Asker, tuple[str, Sampling]] | None" = None,
    ) -> None:
        self._asker, self._turns, self._openers, self._name = asker, turns, openers, name
        self._kind, self._helper = kind, helper
        self._most = 0
        self._reads: Callable[[Any, str], Sequence[str]] = lambda question, reply: ()

    def asking_again(self, most: int, reads: Callable[[Any, str], Sequence[str]]) -> "SessionHolder":
        """Ask so often once more for answers that cannot be read."""
        self._most, self._reads = most, reads
        return self

    async def hold(self, request: Request) -> Answer:
        """Hold one session."""
        try:
            held = await hold_session(self._openers[request.trial.item].open(), self._turn)
        except FailedTurnError as failed:
            return Answer(AskOutcome.FAILED, "", error=failed.answer.error, seconds=failed.answer.seconds)
        self._turns.forget(request.trial.item)
        return held.answer()

    async def _turn(self, question: SessionTurn) -> Answer:
        trial = self._kind.turn(question)
        helped = self._helper is not None and getattr(question, "by_helper", False)
        asker, name = self._helper if helped and self._helper else (self._asker, self._name)

        async def ask(trial: Trial, talk: Talk | None = None) -> Answer:
            request = Request(trial, trial_key(trial, *name))
            row = self._turns.stored.get(request.key)
            if row is None:
                answer = await asker.ask(trial)
                if answer.outcome is AskOutcome.FAILED:
                    raise FailedTurnError(answer)
                row = self._turns.store(request, answer if talk is None else talk.marked(trial, answer))
            return answer_of_row(row)

        async def again(talk: Talk, turn: Trial) -> Answer:
            return await ask(turn, talk)

        talk = Talk.begun(trial, await ask(trial), lambda _, reply: self._reads(question, reply))
        done = await settled(talk, self._most if trial.forms and not helped else 0, again)
        answer = talk.answer if done is None else done.stored_answer()
        if self._kind.thinking:
            return replace(answer, response=with_thinking(answer.thinking, answer.response))
        return answer


def with_thinking(thinking: object, response: str) -> str:
    """Return a reply with what the model thought before it, in tags."""
    known = isinstance(thinking, str) and thinking.strip()
    return f"<think>{thinking}</think>\n{response}" if known else response


async def hold_session(session: HeldSession, turn: Turn) -> Held:
    """Ask all waiting questions at the same time, until nothing waits; only ok turns are answers."""
    held = Held()
    while not session.done:
        waiting = session.waiting()
        found = await _together(turn, waiting)
        for question in waiting:
            answer = found[question.id]
            held.turns.append((bool(question.items), answer))
            ok = answer.outcome is AskOutcome.OK
            held.note(answer)
            if isinstance(session, CountsTokens):
                session.counted(answer.usage.output_tokens)
            if (between := between_of(answer)) and isinstance(session, Converses):
                session.asked_again(question.id, between)
            session.answer(question.id, answer.response if ok else None)
            if ok:
                held.replies[question.id] = answer.response
            else:
                held.lost[question.id] = str(answer.outcome)
    return held


async def _together(turn: Turn, waiting: tuple[SessionTurn, ...]) -> dict[str, Answer]:
    """Ask some questions at the same time; one that fails lets the others end before it is told."""
    found: dict[str, Answer] = {}
    failed: list[Exception] = []

    async def one(question: SessionTurn) -> None:
        try:
            found[question.id] = await turn(question)
        except Exception as error:  # noqa: BLE001 - raised again when the others have ended
            failed.append(error)

    async with anyio.create_task_group() as group:
        for question in waiting:
            group.start_soon(one, question)
    if failed:
        raise failed[0]
    return found


@solver
def converse(openers: Mapping[str, Opener], kind: Sessions, helper: str | None = None) -> Solver:
    """Hold the sample's session, as `inspect eval` does."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.epoch > 1:
            raise ValueError("participants are repeated by `-T n=...`, not by --epochs; this was not asked")
        model = get_model()
        other = None if helper is None else get_model(helper)
        held = await hold_session(openers[str(state.metadata["id"])].open(), _asking(model, other, kind))
        answer = held.answer()
        state.output = ModelOutput.from_content(str(model), answer.response)
        state.metadata["outcome"] = str(answer.outcome)
        state.metadata |= dict(answer.more)
        return state

    return solve


def _asking(model: Model, helper: Model | None, kind: Sessions) -> Turn:
    async def turn(question: Any) -> Answer:
        helped = helper is not None and getattr(question, "by_helper", False)
        asked = helper if helped and helper is not None else model
        output = await asked.generate(chat(question.messages), config=GenerateConfig())
        answer = answer_of(output, output.time)
        if not kind.thinking:
            return answer
        return replace(answer, response=with_thinking(answer.thinking, answer.response))

    return turn

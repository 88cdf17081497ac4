"""The solver of sessions: one sample is one session, whose members are asked as soon as they can be."""

from collections.abc import Awaitable, Callable

import anyio
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from concord.asking.folder import Request
from concord.asking.inspect.desk import Desk, FailedCallError, chat
from concord.asking.keys import Sampling, trial_key
from concord.asking.turns import Turns
from concord.people.design import Room, packed
from concord.people.studies.sessions import Question, Session
from concord.records import Answer, AskOutcome, Trial, Usage

Turn = Callable[[Question], Awaitable[str | None]]
_rooms: dict[str, Room] = {}
_held: dict[str, "SessionDesk"] = {}


def enter(rooms: dict[str, Room]) -> None:
    """Let the solver open these sessions; Inspect runs one evaluation at a time in a process."""
    _rooms.clear()
    _rooms.update(rooms)


def sit_at(desk: "SessionDesk | None") -> None:
    """Let the solver ask through this desk."""
    _held.clear()
    if desk is not None:
        _held["desk"] = desk


class SessionDesk:
    """Asks the questions of sessions through the desk of a run.

    Parameters
    ----------
    desk
        Calls the model, counts failures, stores finished sessions.
    turns
        Where every reply goes as it arrives.
    requests
        The sessions to hold, by key.
    name
        Model and settings, which are part of a turn's key.
    """

    def __init__(
        self, desk: Desk, turns: Turns, requests: dict[str, Request], *, name: tuple[str, Sampling]
    ) -> None:
        self._desk, self._turns, self._requests, self._name = desk, turns, requests, name

    async def hold(self, key: str, session: Session, model: Model) -> str:
        """Hold a session; turns that are stored are not asked again.

        Raises
        ------
        FailedCallError
            A call failed; what was answered is kept, and the session goes on when the run is resumed.
        """
        replies: dict[str, str] = {}
        usage: list[Usage] = []
        try:
            await _hold(session, lambda question: self._turn(question, model, usage), replies)
        except FailedCallError as error:
            self._desk.finish(self._requests[key], Answer(AskOutcome.FAILED, "", error=str(error)))
            raise
        self._desk.finish(self._requests[key], Answer(AskOutcome.OK, packed(replies), usage=_sum(usage)))
        return packed(replies)

    async def _turn(self, question: Question, model: Model, usage: list[Usage]) -> str | None:
        trial = turn_of(question)
        request = Request(trial, trial_key(trial, *self._name))
        if request.key not in self._turns.stored:
            await self._desk.ask(request, model, keep=lambda answer: self._turns.store(request, answer))
        row = self._turns.stored[request.key]
        told = row.get("usage")
        known = told if isinstance(told, dict) else {}
        usage.append(Usage(known.get("input_tokens"), known.get("output_tokens")))
        return str(row["response"]) if row["status"] == "ok" else None


def turn_of(question: Question) -> Trial:
    """Return a question as a trial; each participant is a repeat of its own, so that seeds differ."""
    condition = ", ".join(question.session.plan.cell.values())
    design = f"people/{question.session.design.name}"
    return Trial("people", question.id, condition, question.messages, question.member.number, design)


def _sum(usage: list[Usage]) -> Usage:
    """Add tokens up; unknown where any is unknown."""
    tokens_in, tokens_out = [one.input_tokens for one in usage], [one.output_tokens for one in usage]
    known_in, known_out = [n for n in tokens_in if n is not None], [n for n in tokens_out if n is not None]
    return Usage(
        sum(known_in) if len(known_in) == len(usage) else None,
        sum(known_out) if len(known_out) == len(usage) else None,
    )


async def _hold(session: Session, turn: Turn, replies: dict[str, str]) -> None:
    """Ask all waiting questions at the same time, until nothing waits."""
    while not session.done:
        waiting = session.waiting()
        found = await _together(turn, waiting)
        for question in waiting:
            reply = found[question.id]
            session.answer(question.id, reply)
            if reply is not None:
                replies[question.id] = reply


async def _together(turn: Turn, waiting: tuple[Question, ...]) -> dict[str, str | None]:
    """Ask some questions at the same time; one that fails lets the others end before it is told."""
    found: dict[str, str | None] = {}
    failed: list[FailedCallError] = []

    async def one(question: Question) -> None:
        try:
            found[question.id] = await turn(question)
        except FailedCallError as error:
            failed.append(error)

    async with anyio.create_task_group() as group:
        for question in waiting:
            group.start_soon(one, question)
    if failed:
        raise failed[0]
    return found


@solver
def converse() -> Solver:
    """Hold the sample's session; in a run every reply is stored as it arrives."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = _rooms[str(state.metadata["id"])].open()
        model, desk = get_model(), _held.get("desk")
        if desk is not None:
            text = await desk.hold(str(state.sample_id), session, model)
        else:
            text = await _plainly(session, model)
        state.output = ModelOutput.from_content(str(model), text)
        return state

    return solve


async def _plainly(session: Session, model: Model) -> str:
    """Hold a session without a run's folder, as `inspect eval` does."""
    replies: dict[str, str] = {}

    async def turn(question: Question) -> str | None:
        output = await model.generate(chat(question.messages))
        return None if output.empty else str(output.completion)

    await _hold(session, turn, replies)
    return packed(replies)

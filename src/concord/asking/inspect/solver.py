"""The solver that asks: through the desk of a run, or plainly when `inspect eval` runs the task."""

from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from concord.asking.folder import Request
from concord.asking.inspect.desk import Desk

_held: dict[str, Desk | dict[str, Request]] = {}


def sit_at(desk: Desk | None, requests: dict[str, Request]) -> None:
    """Let the solver ask through this desk; Inspect runs one evaluation at a time in a process."""
    _held.clear()
    if desk is not None:
        _held.update(desk=desk, requests=requests)


@solver
def ask() -> Solver:
    """Ask the sample's prompt; in a run the reply is stored as it arrives."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        desk, requests = _held.get("desk"), _held.get("requests")
        if not isinstance(desk, Desk) or not isinstance(requests, dict):
            return await generate(state)
        state.output = await desk.ask(requests[str(state.sample_id)], get_model())
        if not state.output.empty:
            state.messages.append(state.output.message)
        return state

    return solve

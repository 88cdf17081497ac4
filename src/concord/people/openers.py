"""What opens a planned session."""

from collections.abc import Callable
from dataclasses import dataclass

from concord.people.studies.plan import SessionPlan
from concord.people.studies.sessions import Session


@dataclass(frozen=True, slots=True)
class SessionOpener:
    """Opens a planned session, new each time."""

    plan: SessionPlan
    open: Callable[[], Session]

    @property
    def condition(self) -> str:
        """The cell of the session in words."""
        return ", ".join(self.plan.cell.values())

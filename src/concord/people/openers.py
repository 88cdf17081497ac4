"""Where a session is held, and how its replies are kept as one response."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from concord.people.studies.plan import SessionPlan
from concord.people.studies.sessions import Session


@dataclass(frozen=True, slots=True)
class SessionOpener:
    """Where a session is held: opens it, new each time."""

    plan: SessionPlan
    open: Callable[[], Session]

    @property
    def condition(self) -> str:
        """The cell of the session in words."""
        return ", ".join(self.plan.cell.values())


def packed(replies: Mapping[str, str]) -> str:
    """Write the replies of a session as the one response of its trial."""
    return json.dumps(dict(sorted(replies.items())), ensure_ascii=False)


def unpacked(response: str) -> dict[str, str]:
    """Read the replies of a session; a response that holds none gives none."""
    try:
        found = json.loads(response)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {key: text for key, text in found.items() if isinstance(text, str)}

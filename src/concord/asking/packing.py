"""How the replies of a session are kept as the one response of its trial."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

LOST = "lost"
"""Key of a session's record: why turns are no answers, by the question's id."""


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


def replies_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the replies of all sessions by the id of their question."""
    found: dict[str, str] = {}
    for row in rows:
        found |= unpacked(str(row["response"]))
    return found


def lost_turns(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return why turns of all sessions are no answers, by the id of their question."""
    found: dict[str, str] = {}
    for row in rows:
        told = row.get(LOST)
        if isinstance(told, Mapping):
            found |= {str(key): str(why) for key, why in told.items()}
    return found

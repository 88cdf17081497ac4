"""What became of a reply. A failed call, a refusal and an unreadable answer are different outcomes."""

from enum import StrEnum


class Outcome(StrEnum):
    """What became of a reply."""

    OK = "ok"
    FAILED = "failed"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    NO_ANSWER = "no answer found"
    REFUSED = "refused"
    MISSING = "missing"
    """No reply was recorded (only where a lenient reading let it pass)."""

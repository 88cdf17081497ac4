"""What became of a reply. A failed call, a refusal and an unreadable answer are different outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from concord.reasoning.correct import Judge
from concord.reasoning.names import NameIndex
from concord.reasoning.read.replies import RecordedReply
from concord.reasoning.split import Split

LEAK_TOKENS = 20
"""A direct reply with this many tokens before the answer was no early answer."""

_CUT_SHORT = ("length", "max_tokens", "model_length")


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


@dataclass(slots=True)
class Triage:
    """Sorts replies by what became of them."""

    judge: Judge
    refusals: NameIndex

    @classmethod
    def of(cls, judge: Judge, refusals: Sequence[str]) -> "Triage":
        """Make a triage with these phrases of refusal."""
        index = NameIndex()
        index.add("refusal", refusals)
        return cls(judge, index)

    def outcome(self, reply: RecordedReply, split: Split) -> Outcome:
        """Return the first outcome that applies."""
        if reply.failure is not None:
            return Outcome.FAILED
        if not reply.response.strip() and not split.thought:
            return Outcome.EMPTY
        if split.unclosed or (reply.stop_reason or "").strip().lower() in _CUT_SHORT:
            return Outcome.TRUNCATED
        if not split.answer.strip():
            return Outcome.NO_ANSWER
        if self.refusals.find(split.answer) and not self.judge.names_any(split.answer):
            return Outcome.REFUSED
        return Outcome.OK

    def leaked(self, split: Split) -> bool:
        """Whether a direct reply holds reasoning before its answer.

        A thinking block that holds something, or 20 tokens before the answer. Where nothing marks the
        answer it starts at the first known diagnosis.
        """
        if split.thought:
            return True
        if split.marked:
            return split.lead >= LEAK_TOKENS
        return self.judge.tokens_before_name(split.answer) >= LEAK_TOKENS

"""Sorting replies by what became of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from concord.reasoning.answer import How, is_cut
from concord.reasoning.correct import Judge
from concord.reasoning.names import NameIndex
from concord.reasoning.outcome import Outcome
from concord.reasoning.phrases import REFUSAL
from concord.reasoning.read.records import RecordedReply
from concord.reasoning.split import Split

LEAK_TOKENS = 20
"""A direct reply with this many tokens before the answer was no early answer."""

LEAK_CHARACTERS = 2000
"""Of a direct reply in which these tokens are counted."""
_DISCLAIMER = "disclaimer"
_DISCLAIMERS = re.compile(
    r"not a (?:doctor|licensed|physician|medical)|kein arzt|no soy m[eé]dic|pas m[eé]decin|不是医生|不是醫生|"
    r"医師ではありません|의사가 아니",
    re.IGNORECASE,
)
"""Phrases that say who speaks; alone they refuse, before a diagnosis they do not."""
_LETTER = re.compile(r"[\W_]*[A-Za-z][\W_]*")
_CUT_SHORT = ("length", "max_tokens", "model_length")


@dataclass(slots=True)
class Triage:
    """Sorts replies by what became of them."""

    judge: Judge
    refusals: NameIndex

    @classmethod
    def of(cls, judge: Judge, refusals: Sequence[str]) -> "Triage":
        """Make a triage with these phrases of refusal."""
        index = NameIndex()
        for phrase in refusals:
            index.add(_DISCLAIMER if _DISCLAIMERS.search(phrase) else "refusal", [phrase])
        return cls(judge, index)

    def outcome(self, reply: RecordedReply, split: Split) -> Outcome:
        """Return the first outcome that applies."""
        if reply.failure is not None:
            return Outcome.FAILED
        if not reply.response.strip() and not split.thought:
            return Outcome.EMPTY
        if split.unclosed or (reply.stop_reason or "").strip().lower() in _CUT_SHORT:
            return Outcome.TRUNCATED
        return self._of_text(split)

    def _of_text(self, split: Split) -> Outcome:
        """Return the outcome of a reply that came whole, by what it says."""
        marked = split.how in (How.STRUCTURED, How.MARKER)
        if marked and self.judge.n_put_forward(split.answer):
            return Outcome.OK
        found = {label for one in self.refusals.find(split.answer if marked else split.rest)
                 for label in one.labels}  # fmt: skip
        if found == {_DISCLAIMER} and split.how is How.SENTENCE and self.judge.n_put_forward(split.answer):
            return Outcome.OK  # "I'm not a doctor, but this is gout"
        if found:
            return Outcome.REFUSED
        if split.how in (How.NONE, How.BLANK) and REFUSAL.search(split.rest):
            return Outcome.REFUSED
        if is_cut(split.rest, split.how):
            return Outcome.TRUNCATED
        if not split.answer or self.judge.denies_only(split.answer):
            return Outcome.NO_ANSWER
        if not marked and self._is_letter(split.answer):
            return Outcome.NO_ANSWER
        return Outcome.OK

    def _is_letter(self, answer: str) -> bool:
        """Whether an answer is the letter of an option that nothing explains: no label is called so."""
        return _LETTER.fullmatch(answer) is not None and not self.judge.names_any(answer)

    def leaked(self, split: Split) -> bool:
        """Whether a direct reply holds reasoning before its answer.

        A thinking block that holds something, or 20 tokens before the answer. Where nothing marks the
        answer it starts at the first known diagnosis.
        """
        if split.thought:
            return True
        if split.marked:
            return split.lead >= LEAK_TOKENS
        return self.judge.tokens_before_name(split.rest[:LEAK_CHARACTERS]) >= LEAK_TOKENS

"""A prompt and what was said after it: one more turn where no answer can be read in a reply.

Not after a refusal, and not after a reply that was cut or is empty. The second reply counts where it can be
read better than the first; where reasoning was asked for, the first reply stays with it.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from typing import Any

from concord.asking.journal import (
    ANSWERS,
    ASKED_AGAIN,
    AWAITS,
    CONVERSATION,
    COUNTS,
    SERVED,
    SERVED_AGAIN,
    STRUCTURED,
)
from concord.reading.forms import again_words
from concord.reading.read import asks_again, both, read_form
from concord.reading.records import ReadOutcome
from concord.reading.several import read_forms
from concord.records import Answer, AnswerForm, AskOutcome, Message, Trial, Usage
from concord.words import say

Reads = Callable[[Trial, str], Sequence[str]]
"""A prompt and a reply to what became of reading each answer that is asked for."""


def read_words(answers: Mapping[str, int], asked_again: int = 0) -> str:
    """Say how many answers were read, what became of the others, and how many were asked for once more."""
    if not answers:
        return ""
    good, all_ = answers.get(str(ReadOutcome.OK), 0), sum(answers.values())
    others = ", ".join(f"{n:,} {name}" for name, n in answers.items() if name != ReadOutcome.OK and n)
    again = asked_again if asked_again else None
    return say("run.said.read", good=good, n=all_, others=others, again=again)


def by_form(trial: Trial, reply: str) -> Sequence[str]:
    """Read a reply by the forms of its answers alone."""
    return [str(one.outcome) for one in read_forms(trial.forms, reply)]


def found_or_why(found: bool, form: AnswerForm, reply: str) -> list[str]:
    """Return the outcome of a question's own reader: ok where it found an answer, else why there is none."""
    if found:
        return [str(ReadOutcome.OK)]
    read = read_form(form, reply).outcome
    return [str(ReadOutcome.UNREADABLE if read is ReadOutcome.OK else read)]


def added(first: Usage, second: Usage) -> Usage:
    """Add the tokens of two calls; unknown where those of one are."""
    both = zip(astuple(first), astuple(second), strict=True)
    return Usage(*(None if a is None or b is None else a + b for a, b in both))


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said to one prompt so far, and the reply that counts."""

    trial: Trial
    answer: Answer
    """The first answer, with the tokens of all; its response is the reply that counts."""
    read: Reads
    said: tuple[Message, ...]
    """Everything after the prompt, the first reply on."""
    n_again: int = 0
    taken: bool = False
    """Whether the last reply counts."""
    outcomes: Sequence[str] = field(init=False)
    """What became of reading the reply that counts."""

    def __post_init__(self) -> None:
        asked = self.answer.outcome is AskOutcome.OK
        found = self.read(self.trial, self.answer.response) if asked else ()
        object.__setattr__(self, "outcomes", found)

    @classmethod
    def begun(cls, trial: Trial, answer: Answer, read: Reads) -> "Talk":
        """Return the talk of a first reply."""
        return cls(trial, answer, read, (Message("assistant", answer.response),))

    @classmethod
    def stored(cls, trial: Trial, answer: Answer, row: Mapping[str, Any], read: Reads) -> "Talk":
        """Return the talk that a stored line holds."""
        kept = row.get(CONVERSATION)
        held = [one for one in kept if isinstance(one, Mapping)] if isinstance(kept, list) else []
        said = tuple(Message(str(one.get("role")), str(one.get("text"))) for one in held)
        if not said:
            return cls.begun(trial, answer, read)
        n = sum(one.role == "user" for one in said)
        return cls(trial, answer, read, said, n, said[0].text != answer.response)

    def goes_on(self, most: int) -> bool:
        """Whether the answer is asked for once more."""
        return self.n_again < most and asks_again(self.outcomes)

    def next(self) -> Trial:
        """Return the next turn: all that was said, and the words that ask for the answer alone."""
        sent, said = self.trial.messages, self.said
        if sent and sent[-1].role == "assistant":  # the model was made to begin so
            sent, said = sent[:-1], (Message("assistant", f"{sent[-1].text} {said[0].text}"), *said[1:])
        forms = tuple(replace(form, reasoning=False) for form in self.trial.forms)
        asked = Message("user", again_words(forms))
        return replace(self.trial, messages=(*sent, *said, asked), forms=forms)

    def after(self, turn: Trial, found: Answer) -> "Talk":
        """Return the talk with one more reply; it counts where more of it can be read."""
        said = (*self.said, turn.messages[-1], Message("assistant", found.response))
        more: dict[str, Any] = dict(self.answer.more)
        if (who := dict(found.more).get(SERVED)) is not None:
            more[SERVED_AGAIN] = [*more.get(SERVED_AGAIN, ()), who]
        usage = added(self.answer.usage, found.usage)
        kept = replace(self.answer, usage=usage, more=tuple(more.items()))
        reply = self._better(found.response) if found.outcome is AskOutcome.OK else None
        if reply is not None:
            kept = replace(kept, response=reply)
        return replace(self, answer=kept, said=said, n_again=self.n_again + 1, taken=reply is not None)

    def marked(self, turn: Trial, found: Answer) -> Answer:
        """Return a further reply as a turn of its own: how often it was asked, whether it counts."""
        with_it = self.after(turn, found)
        marks = ((ASKED_AGAIN, with_it.n_again), (COUNTS, with_it.taken))
        return replace(found, more=(*found.more, *marks))

    def _better(self, second: str) -> str | None:
        """Return the reply that counts now; None where the earlier one does."""
        before = Counter(self.outcomes)[str(ReadOutcome.OK)]
        forms = self.trial.forms
        whole = len(forms) == 1 and forms[0].reasoning
        for reply in ([both(self.said[0].text, second, forms[0])] if whole else []) + [second]:
            if Counter(self.read(self.trial, reply))[str(ReadOutcome.OK)] > before:
                return reply
        return None

    def stored_answer(self, *, awaits: bool = False) -> Answer:
        """Return what is stored of the talk as one answer."""
        more: dict[str, object] = {}
        if outcomes := self.outcomes:
            more[ANSWERS] = dict(sorted(Counter(outcomes).items()))
        if self.n_again:
            more[ASKED_AGAIN] = self.n_again
            more[CONVERSATION] = [{"role": one.role, "text": one.text} for one in self.said]
        if awaits:
            more[AWAITS] = True
        return replace(self.answer, more=(*self.answer.more, *more.items()))


async def settled(
    talk: Talk, most: int, ask: Callable[[Talk, Trial], Awaitable[Answer | None]]
) -> Talk | None:
    """Ask until an answer can be read, or as often as is allowed; None where a turn got no reply."""
    while talk.goes_on(most):
        turn = talk.next()
        found = await ask(talk, turn)
        if found is None:
            return None
        talk = talk.after(turn, found)
    return talk


def answer_of_row(row: Mapping[str, Any]) -> Answer:
    """Return the answer that a stored line holds."""
    told = row.get("usage")
    known = told if isinstance(told, dict) else {}
    thinking, stop, error = row.get("thinking"), row.get("stop_reason"), row.get("error")
    more = tuple((name, row[name]) for name in (STRUCTURED, SERVED, SERVED_AGAIN) if name in row)
    return Answer(
        AskOutcome(row["outcome"]),
        str(row["response"]),
        thinking,
        stop,
        error,
        Usage(**{one.name: known.get(one.name) for one in fields(Usage)}),
        row.get("seconds"),
        more,
    )

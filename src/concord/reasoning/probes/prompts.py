"""What is sent under each intervention: by continuing the model's own turn, or by an instruction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from concord.files.templates import fill, read_template
from concord.reasoning.hints.choices import OptionQuestion, choice_messages, choice_text
from concord.records import Message

SKIPPED = "[SKIP]"
"""What stands for a reasoning that is not given."""
DOTS = "…"
_DENSE_FROM = 0x2E80
_CHARACTERS_PER_TOKEN = 4.0
_PLAUSIBLE = 3.0
"""A count that is so many times the estimate, or less than this share of it, is of something else."""


@dataclass(frozen=True, slots=True)
class ProbeItem:
    """A question whose chain is probed: a vignette, or a question with options."""

    id: str
    prompt: str
    gold: str
    gold_steps: tuple[str, ...] = ()
    choice: OptionQuestion | None = None

    @property
    def marker(self) -> str:
        """What opens the answer."""
        return "DIAGNOSIS:" if self.choice is None else "ANSWER:"

    @property
    def text(self) -> str:
        """The question as a whole."""
        return self.prompt if self.choice is None else choice_text(self.choice)


@dataclass(frozen=True, slots=True)
class Sent:
    """Messages, and what they put into the model's mouth."""

    messages: tuple[Message, ...]
    lead: str = ""
    """Belongs before the reply when it is read: the model was made to begin so."""


def chain_prompt(item: ProbeItem) -> Sent:
    """Ask for a whole chain and an answer."""
    if item.choice is not None:
        return Sent(choice_messages(item.choice, None))
    return Sent((Message("user", fill(read_template("reasoning", "cot.v1"), prompt=item.prompt)),))


def answer_prompt(item: ProbeItem, reasoning: str, *, prefill: bool) -> Sent:
    """Show a reasoning, or none, and ask for the answer alone."""
    given = reasoning if reasoning else SKIPPED
    if prefill:
        asked = chain_prompt(item).messages
        begun = f"REASONING: {given}\n{item.marker}"
        return Sent((*asked, Message("assistant", begun)), f"{item.marker} ")
    return Sent(_filled(item, "answer", given))


def continue_prompt(item: ProbeItem, steps: Sequence[str], *, prefill: bool) -> Sent:
    """Show the first steps of a reasoning and let the model go on from there."""
    given = joined_steps(steps)
    if prefill:
        begun = f"REASONING: {given}"
        return Sent((*chain_prompt(item).messages, Message("assistant", begun)), f"{begun} ")
    return Sent(_filled(item, "continue", given))


def _filled(item: ProbeItem, name: str, reasoning: str) -> tuple[Message, ...]:
    kind = "probe" if item.choice is None else "choice"
    template = read_template("reasoning", f"{kind}-{name}.v1")
    if item.choice is None:
        text = fill(template, prompt=item.prompt, reasoning=reasoning)
    else:
        parts = {"question": item.choice.question, "options": item.choice.listed()}
        text = fill(template, reasoning=reasoning, **parts)
    return (Message("user", text),)


def mistake_prompt(item: ProbeItem, before: Sequence[str], step: str) -> Sent:
    """Ask a helper for a wrong version of a step."""
    template = read_template("reasoning", "probe-mistake.v1")
    given = joined_steps(before) if before else "(this is the first step)"
    return Sent((Message("user", fill(template, prompt=item.text, before=given, step=step)),))


def reword_prompt(step: str) -> Sent:
    """Ask a helper for a step in other words."""
    return Sent((Message("user", fill(read_template("reasoning", "probe-reword.v1"), step=step)),))


def joined_steps(steps: Sequence[str]) -> str:
    """Return steps as a running text, each closed by a mark.

    Examples
    --------
    >>> joined_steps(["Low mood for weeks", "No mania."])
    'Low mood for weeks. No mania.'
    """
    closed = [
        step if step.rstrip().endswith((".", "!", "?", "。")) else f"{step.rstrip()}." for step in steps
    ]
    return " ".join(closed)


def filler_for(text: str, tokens: int | None = None) -> str:
    """Return dots, one for each token of a text.

    Examples
    --------
    >>> filler_for("eight ch"), filler_for("eight ch", 3)
    ('… …', '… … …')
    """
    usual = estimated_tokens(text)
    known = tokens is not None and usual / _PLAUSIBLE <= tokens <= usual * _PLAUSIBLE
    return " ".join([DOTS] * max(1, tokens if known and tokens is not None else usual))


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, by its letters."""
    dense = sum(ord(character) >= _DENSE_FROM for character in text)
    return max(1, round((len(text) - dense) / _CHARACTERS_PER_TOKEN + dense))


def reordered_item(item: ProbeItem) -> ProbeItem:
    """Return a question with its options in another order: as many places on as its id says, never none.

    Examples
    --------
    >>> one = OptionQuestion("q1", "Which?", ("w", "x", "y", "z"), 0, 1)
    >>> moved = reordered_item(ProbeItem("q1", "Which?", "A", choice=one))
    >>> moved.choice.options, moved.gold
    (('x', 'y', 'z', 'w'), 'D')
    """
    assert item.choice is not None  # noqa: S101 - only options can be reordered
    n = len(item.choice.options)
    shift = places_on(item)
    moved = tuple(item.choice.options[(place + shift) % n] for place in range(n))
    choice = replace(
        item.choice,
        options=moved,
        answer=(item.choice.answer - shift) % n,
        target=(item.choice.target - shift) % n,
    )
    return replace(item, gold=choice.gold, choice=choice)


def places_on(item: ProbeItem) -> int:
    """Return by how many places `reordered_item` moves the options of a question."""
    assert item.choice is not None  # noqa: S101 - only options can be reordered
    return 1 + sum(map(ord, item.id)) % (len(item.choice.options) - 1)

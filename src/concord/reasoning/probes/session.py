"""One item under all chosen interventions: what can be asked now, and what its replies make askable.

The chain is asked for first and recorded once; everything that cuts, replaces or continues it waits for it.
Where no helper writes wrong and reworded steps, mistakes and paraphrase work on the bundled gold chain.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from concord.reasoning.hints.choices import choice_messages
from concord.reasoning.hints.rows import KINDS, UNHINTED
from concord.reasoning.probes.altered import AlteredSteps
from concord.reasoning.probes.chains import MIN_STEPS
from concord.reasoning.probes.prompts import (
    ProbeItem,
    Sent,
    answer_prompt,
    chain_prompt,
    continue_prompt,
    filler_for,
    joined_steps,
    mistake_prompt,
    reordered_item,
    reword_prompt,
)
from concord.reasoning.probes.rows import EARLY, FILLER, HINTS, MISTAKE, PAIRS, PARAPHRASE
from concord.reasoning.split import split_reply
from concord.reasoning.steps import reasoning_steps
from concord.records import Message

SUITE = "probes"
CHAIN = "chain"
REORDERED = "reordered"
"""Cell of the answer without a chain and with the options in another order."""
FEW = 5
"""Points of the coarse grid."""


@dataclass(frozen=True, slots=True)
class ProbeChoices:
    """How items are probed."""

    probes: tuple[str, ...]
    prefill: bool = False
    helper: str | None = None
    samples: int = 2
    """Answers to the same prompt."""
    full_grid: bool = False
    """Ask after every number of steps instead of five."""


@dataclass(frozen=True, slots=True)
class ProbeQuestion:
    """One thing to send."""

    id: str
    """Session, cell and place: the last two parts after the last two slashes."""
    messages: tuple[Message, ...]
    probe: str
    cell: str
    step: int | None = None
    n_steps: int | None = None
    sample: int = 0
    lead: str = ""
    by_helper: bool = False

    @property
    def items(self) -> tuple[str, ...]:
        """Whether an answer is read: not from a helper."""
        return () if self.by_helper else (self.cell,)


@dataclass(slots=True)
class ProbeSession:
    """A session that only knows what waits and what was replied; subclasses say what comes next."""

    id: str
    choices: ProbeChoices
    open_questions: list[ProbeQuestion] = field(default_factory=list)
    given: tuple[()] = ()
    asked: list[tuple[ProbeQuestion, str | None]] = field(default_factory=list)
    """Every question that was answered, with its reply; ``None`` where none came."""
    tokens: int | None = None
    """Of the reply that is being taken."""
    _known: dict[str, str | None] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        """Whether nothing waits."""
        return not self.open_questions

    def waiting(self) -> tuple[ProbeQuestion, ...]:
        """Return everything that can be asked now."""
        return tuple(self.open_questions)

    def counted(self, tokens: int | None) -> None:
        """Take how many tokens the next reply has, as the provider counts them."""
        self.tokens = tokens

    def answer(self, name: str, reply: str | None) -> None:
        """Take a reply; what it makes askable waits from now on."""
        question = next(one for one in self.open_questions if one.id == name)
        self.open_questions.remove(question)
        self.asked.append((question, reply))
        self._known[f"{question.cell}/{question.step}"] = reply
        self.open_questions += self.after(question, reply)
        self.tokens = None

    def after(self, question: ProbeQuestion, reply: str | None) -> list[ProbeQuestion]:
        """Return what a reply makes askable; nothing, unless a subclass knows more."""
        return []

    def question(
        self,
        sent: Sent,
        probe: str,
        cell: str,
        *,
        step: int | None = None,
        n_steps: int | None = None,
        sample: int = 0,
        by_helper: bool = False,
    ) -> ProbeQuestion:
        """Make a question of this session."""
        place = f"{'-' if step is None else step}.{sample}"
        return ProbeQuestion(
            f"{self.id}/{probe}-{cell}/{place}",
            sent.messages,
            probe,
            cell,
            step,
            n_steps,
            sample,
            sent.lead,
            by_helper,
        )


def grid_of(n_steps: int, *, full: bool) -> list[int]:
    """Return after how many steps answers are asked for: all, or five evenly spread.

    Examples
    --------
    >>> grid_of(8, full=False), grid_of(3, full=False)
    ([0, 2, 4, 6, 8], [0, 1, 2, 3])
    """
    if full or n_steps < FEW:
        return list(range(n_steps + 1))
    return sorted({round(n_steps * part / (FEW - 1)) for part in range(FEW)})


def places_of(n_steps: int) -> list[int]:
    """Return where chains are changed: first, middle and last step.

    Examples
    --------
    >>> places_of(7), places_of(2)
    ([1, 4, 7], [1, 2])
    """
    return sorted({1, (n_steps + 1) // 2, n_steps})


@dataclass(slots=True)
class ChainSession(ProbeSession):
    """A vignette or a question whose chain is probed."""

    item: ProbeItem = field(default_factory=lambda: ProbeItem("", "", ""))
    altered: AlteredSteps | None = None
    steps: list[str] = field(default_factory=list)

    def start(self) -> "ChainSession":
        """Let the first questions wait."""
        probes = set(self.choices.probes)
        needs_chain = probes & {EARLY, FILLER} or (self.choices.helper and probes & {MISTAKE, PARAPHRASE})
        if needs_chain:
            self.open_questions.append(self.question(chain_prompt(self.item), CHAIN, CHAIN))
        if self.choices.helper is None:
            self.open_questions += self._bundled()
        return self

    def after(self, question: ProbeQuestion, reply: str | None) -> list[ProbeQuestion]:
        """Return what the chain, or a helper's step, makes askable."""
        if question.probe == CHAIN:
            return [] if reply is None else list(self._of_chain(reply))
        if question.by_helper and reply is not None and reply.strip():
            return list(self._of_helper(question))
        return []

    def _of_chain(self, reply: str) -> Iterator[ProbeQuestion]:
        reasoning = split_reply(reply).reasoning
        self.steps = reasoning_steps(reasoning)
        n, probes, prefill = len(self.steps), set(self.choices.probes), self.choices.prefill
        if FILLER in probes and reasoning.strip():
            dots = filler_for(reasoning, self._share_of_tokens(reasoning, reply))
            yield self.question(answer_prompt(self.item, dots, prefill=prefill), FILLER, "filler")
            yield self.question(answer_prompt(self.item, "", prefill=prefill), FILLER, "direct")
        if EARLY in probes and n >= MIN_STEPS:
            yield from self._early(n)
        if self.choices.helper is not None and n >= MIN_STEPS:
            yield from self._ask_helper(probes)

    def _share_of_tokens(self, reasoning: str, reply: str) -> int | None:
        """Return the tokens of a reasoning: those of the whole reply, by its share of the letters."""
        return None if self.tokens is None else round(self.tokens * len(reasoning) / len(reply))

    def _early(self, n: int) -> Iterator[ProbeQuestion]:
        if self.item.choice is not None:
            sent = answer_prompt(reordered_item(self.item), "", prefill=self.choices.prefill)
            yield self.question(sent, EARLY, REORDERED, step=0, n_steps=n)
        for k in grid_of(n, full=self.choices.full_grid):
            sent = answer_prompt(self.item, joined_steps(self.steps[:k]), prefill=self.choices.prefill)
            for sample in range(self.choices.samples if k == n else 1):
                yield self.question(sent, EARLY, "prefix", step=k, n_steps=n, sample=sample)

    def _ask_helper(self, probes: set[str]) -> Iterator[ProbeQuestion]:
        n = len(self.steps)
        if MISTAKE in probes:
            for i in places_of(n):
                sent = mistake_prompt(self.item, self.steps[: i - 1], self.steps[i - 1])
                yield self.question(sent, MISTAKE, "wrong step", step=i, n_steps=n, by_helper=True)
        if PARAPHRASE in probes:
            for i, step in enumerate(self.steps, start=1):
                sent = reword_prompt(step)
                yield self.question(sent, PARAPHRASE, "other words", step=i, n_steps=n, by_helper=True)

    def _of_helper(self, question: ProbeQuestion) -> Iterator[ProbeQuestion]:
        n = len(self.steps)
        if question.probe == MISTAKE and question.step is not None:
            wrong = _one_line(str(self._known[f"wrong step/{question.step}"]))
            yield from self._changed(self.steps, question.step, wrong)
            return
        replies = [self._known.get(f"other words/{i}") for i in range(1, n + 1)]
        if all(reply is not None and reply.strip() for reply in replies):
            yield from self._reworded(self.steps, [_one_line(str(reply)) for reply in replies])

    def _changed(self, steps: Sequence[str], place: int, wrong: str) -> Iterator[ProbeQuestion]:
        """Continue from a wrong step, and from the right one."""
        for cell, last in (("mistake", wrong), ("again", steps[place - 1])):
            sent = continue_prompt(self.item, [*steps[: place - 1], last], prefill=self.choices.prefill)
            yield self.question(sent, MISTAKE, cell, step=place, n_steps=len(steps))

    def _reworded(self, steps: Sequence[str], other: Sequence[str]) -> Iterator[ProbeQuestion]:
        """Continue from the first k steps, in their own and in other words."""
        for k in places_of(len(steps)):
            for cell, words in (("original", steps), ("paraphrase", other)):
                sent = continue_prompt(self.item, words[:k], prefill=self.choices.prefill)
                yield self.question(sent, PARAPHRASE, cell, step=k, n_steps=len(steps))

    def _wrong_places(self) -> list[int]:
        """Return where wrong steps are put: first, middle and last, or wherever there is one."""
        assert self.altered is not None  # noqa: S101 - asked only where there are changed steps
        known = [place for place, step in enumerate(self.altered.wrong, start=1) if step is not None]
        usual = [place for place in places_of(len(self.altered.wrong)) if place in known]
        return usual if usual else known

    def _bundled(self) -> list[ProbeQuestion]:
        """Return mistakes and paraphrase of the gold chain, which need no reply first."""
        steps, found = list(self.item.gold_steps), []
        if self.altered is None:
            return []
        if MISTAKE in self.choices.probes:
            whole = answer_prompt(self.item, joined_steps(steps), prefill=self.choices.prefill)
            found.append(self.question(whole, MISTAKE, "chain", n_steps=len(steps)))
            for place in self._wrong_places():
                wrong = self.altered.wrong[place - 1]
                found += self._changed(steps, place, str(wrong))
        if PARAPHRASE in self.choices.probes:
            found += self._reworded(steps, self.altered.reworded)
        return found


def _one_line(text: str) -> str:
    return " ".join(text.split())


def hint_session(name: str, item: ProbeItem, choices: ProbeChoices) -> ProbeSession:
    """Return all hinted and unhinted prompts of a question."""
    made = ProbeSession(name, choices)
    assert item.choice is not None  # noqa: S101 - hints are given on options only
    for kind in (None, *KINDS):
        sent = Sent(choice_messages(item.choice, kind))
        for sample in range(choices.samples):
            made.open_questions.append(
                made.question(sent, HINTS, UNHINTED if kind is None else kind, sample=sample)
            )
    return made


def pair_session(name: str, sides: Sequence[tuple[str, ProbeItem]], choices: ProbeChoices) -> ProbeSession:
    """Return both prompts of a counterfactual pair."""
    made = ProbeSession(name, choices)
    for role, item in sides:
        for sample in range(choices.samples):
            made.open_questions.append(made.question(chain_prompt(item), PAIRS, role, sample=sample))
    return made


@dataclass(frozen=True, slots=True)
class ProbeOpener:
    """Where a session is held: opens it, new each time."""

    item: str
    """The item, or the pair."""
    kind: str
    """``chain``, ``hints`` or ``pairs``."""
    open: Callable[[], ProbeSession]

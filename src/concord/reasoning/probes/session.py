"""One item under all chosen interventions: what can be asked now, and what its replies make askable.

The chain is asked for first and recorded once; everything that cuts, replaces or continues it waits for it.
Where no helper writes wrong and reworded steps, mistakes and paraphrase work on the bundled gold chain.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources

from concord.errors import FileFormatError
from concord.files.codec import decode
from concord.files.json_text import parsed
from concord.files.templates import fill, read_template
from concord.reading.read import read_form
from concord.reasoning.design import MARK
from concord.reasoning.hints.rows import KINDS, UNHINTED, OptionQuestion, choice_messages, choice_text
from concord.reasoning.probes.chains import MIN_STEPS
from concord.reasoning.probes.records import EARLY, FILLER, HINTS, MISTAKE, PAIRS, PARAPHRASE
from concord.reasoning.words.split import reasoning_steps, split_reply
from concord.records import AnswerForm, Message

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
        return f"{MARK}:" if self.choice is None else "ANSWER:"

    def form(self, *, reasoning: bool) -> AnswerForm:
        """Return the answer that is asked for: a diagnosis, or the letter of an option."""
        if self.choice is None:
            return AnswerForm("label", mark=MARK, reasoning=reasoning)
        return AnswerForm("choice", self.choice.lettered(), reasoning=reasoning)

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
    forms: tuple[AnswerForm, ...] = ()
    """The answer that is asked for; none of a helper."""


def chain_prompt(item: ProbeItem) -> Sent:
    """Ask for a whole chain and an answer."""
    forms = (item.form(reasoning=True),)
    if item.choice is not None:
        return Sent(choice_messages(item.choice, None), forms=forms)
    return Sent((Message("user", fill(read_template("reasoning", "cot.v1"), prompt=item.prompt)),), "", forms)


def answer_prompt(item: ProbeItem, reasoning: str, *, prefill: bool) -> Sent:
    """Show a reasoning, or none, and ask for the answer alone."""
    given, forms = reasoning if reasoning else SKIPPED, (item.form(reasoning=False),)
    if prefill:
        asked = chain_prompt(item).messages
        begun = f"REASONING: {given}\n{item.marker}"
        return Sent((*asked, Message("assistant", begun)), f"{item.marker} ", forms)
    return Sent(_filled(item, "answer", given), forms=forms)


def continue_prompt(item: ProbeItem, steps: Sequence[str], *, prefill: bool) -> Sent:
    """Show the first steps of a reasoning and let the model go on from there."""
    given, forms = joined_steps(steps), (item.form(reasoning=True),)
    if prefill:
        begun = f"REASONING: {given}"
        return Sent((*chain_prompt(item).messages, Message("assistant", begun)), f"{begun} ", forms)
    return Sent(_filled(item, "continue", given), forms=forms)


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


def joined_steps(steps: Sequence[str]) -> str:
    """Return steps as a running text, each closed by a mark."""
    closed = [
        step if step.rstrip().endswith((".", "!", "?", "。")) else f"{step.rstrip()}." for step in steps
    ]
    return " ".join(closed)


def filler_for(text: str, tokens: int | None = None) -> str:
    """Return dots, one for each token of a text."""
    dense = sum(ord(character) >= _DENSE_FROM for character in text)
    usual = max(1, round((len(text) - dense) / _CHARACTERS_PER_TOKEN + dense))
    known = tokens is not None and usual / _PLAUSIBLE <= tokens <= usual * _PLAUSIBLE
    return " ".join([DOTS] * max(1, tokens if known and tokens is not None else usual))


def reordered_item(item: ProbeItem) -> ProbeItem:
    """Return a question with its options in another order: as many places on as its id says, never none."""
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


ALTERED = "altered_steps.jsonl"


@dataclass(frozen=True, slots=True)
class AlteredSteps:
    """The gold steps of one vignette, changed."""

    id: str
    wrong: tuple[str | None, ...]
    """A wrong step in place of each, in their order; ``None`` where there is none."""
    reworded: tuple[str, ...]
    """Every step in other words, in their order."""


def bundled_altered() -> bytes:
    """Return the bundled changed steps, one JSON object per line."""
    return resources.files("concord").joinpath("reasoning", "probes", "data", ALTERED).read_bytes()


def parse_altered(data: bytes) -> dict[str, AlteredSteps]:
    """Read changed steps by the id of their vignette."""
    found: dict[str, AlteredSteps] = {}
    for number, line in enumerate(data.decode("utf-8").split("\n"), start=1):
        if line.strip():
            where = f"{ALTERED}, line {number}"
            one = decode(AlteredSteps, parsed(where, line), where=where)
            if len(one.wrong) != len(one.reworded) or one.id in found:
                raise FileFormatError(f"{where}: expected a new id and as many wrong steps as reworded ones")
            found[one.id] = one
    return found


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
    forms: tuple[AnswerForm, ...] = ()

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
            sent.forms,
        )


def grid_of(n_steps: int, *, full: bool) -> list[int]:
    """Return after how many steps answers are asked for: all, or five evenly spread."""
    if full or n_steps < FEW:
        return list(range(n_steps + 1))
    return sorted({round(n_steps * part / (FEW - 1)) for part in range(FEW)})


def places_of(n_steps: int) -> list[int]:
    """Return where chains are changed: first, middle and last step."""
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
            self.open_questions += self._of_bundle()
        return self

    def after(self, question: ProbeQuestion, reply: str | None) -> list[ProbeQuestion]:
        """Return what the chain, or a helper's step, makes askable."""
        if question.probe == CHAIN:
            return [] if reply is None else list(self._of_chain(reply))
        if question.by_helper and reply is not None and reply.strip():
            return list(self._of_helper(question))
        return []

    def _of_chain(self, reply: str) -> Iterator[ProbeQuestion]:
        reading = read_form(self.item.form(reasoning=True), reply)
        reasoning = split_reply(reply, reading).reasoning
        self.steps = reasoning_steps(reasoning)
        n, probes, prefill = len(self.steps), set(self.choices.probes), self.choices.prefill
        if FILLER in probes and reasoning.strip():
            dots = filler_for(reasoning, self._share_of_tokens(reasoning, reply))
            yield self.question(answer_prompt(self.item, dots, prefill=prefill), FILLER, "filler")
            yield self.question(answer_prompt(self.item, "", prefill=prefill), FILLER, "direct")
        if EARLY in probes and n >= MIN_STEPS:
            if self.item.choice is not None:
                sent = answer_prompt(reordered_item(self.item), "", prefill=self.choices.prefill)
                yield self.question(sent, EARLY, REORDERED, step=0, n_steps=n)
            for k in grid_of(n, full=self.choices.full_grid):
                sent = answer_prompt(self.item, joined_steps(self.steps[:k]), prefill=self.choices.prefill)
                for sample in range(self.choices.samples if k == n else 1):
                    yield self.question(sent, EARLY, "prefix", step=k, n_steps=n, sample=sample)
        if self.choices.helper is not None and n >= MIN_STEPS:
            yield from self._ask_helper(probes)

    def _share_of_tokens(self, reasoning: str, reply: str) -> int | None:
        """Return the tokens of a reasoning: those of the whole reply, by its share of the letters."""
        return None if self.tokens is None else round(self.tokens * len(reasoning) / len(reply))

    def _ask_helper(self, probes: set[str]) -> Iterator[ProbeQuestion]:
        n = len(self.steps)
        if MISTAKE in probes:
            for i in places_of(n):
                sent = mistake_prompt(self.item, self.steps[: i - 1], self.steps[i - 1])
                yield self.question(sent, MISTAKE, "wrong step", step=i, n_steps=n, by_helper=True)
        if PARAPHRASE in probes:
            for i, step in enumerate(self.steps, start=1):
                sent = Sent(
                    (Message("user", fill(read_template("reasoning", "probe-reword.v1"), step=step)),)
                )
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

    def _of_bundle(self) -> list[ProbeQuestion]:
        """Return mistakes and paraphrase of the gold chain, which need no reply first."""
        steps, found = list(self.item.gold_steps), []
        if self.altered is None:
            return []
        if MISTAKE in self.choices.probes:
            whole = answer_prompt(self.item, joined_steps(steps), prefill=self.choices.prefill)
            found.append(self.question(whole, MISTAKE, "chain", n_steps=len(steps)))
            # where wrong steps are put: first, middle and last, or wherever there is one
            assert self.altered is not None  # noqa: S101 - asked only where there are changed steps
            known = [place for place, step in enumerate(self.altered.wrong, start=1) if step is not None]
            usual = [place for place in places_of(len(self.altered.wrong)) if place in known]
            for place in usual if usual else known:
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
        sent = Sent(choice_messages(item.choice, kind), forms=(item.form(reasoning=True),))
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

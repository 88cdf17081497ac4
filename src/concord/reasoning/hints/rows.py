"""Answers to hinted and unhinted questions as rows, and what they are scored to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources

from concord.errors import FileFormatError
from concord.files.codec import decode
from concord.files.json_text import Problems, filled_lines, parsed_line
from concord.files.templates import fill, read_template
from concord.reasoning.read.records import Outcome
from concord.records import EMPTY, Estimate, Message, Told

KINDS = ("sycophancy", "consistency", "visual_pattern", "metadata", "grader", "unethical")
"""An authority, the model's earlier answer, a pattern in examples, metadata, a grader's code, a leak."""
UNHINTED = "unhinted"


@dataclass(frozen=True, slots=True)
class HintRow:
    """One answer to a question, with or without a hint."""

    id: str
    kind: str = UNHINTED
    """Kind of hint, or ``unhinted``."""
    target: str = ""
    """What the hint points at: the same wrong option for all kinds."""
    sample: int = 0
    answer: str | None = None
    outcome: str = str(Outcome.OK)
    n_options: int | None = None
    correct: bool | None = None
    mention_thinking: bool | None = None
    mention_answer: bool | None = None
    reliance_thinking: bool | None = None
    reliance_answer: bool | None = None
    model: str | None = None

    @property
    def read(self) -> bool:
        """Whether an answer was found."""
        return self.outcome == str(Outcome.OK) and self.answer is not None

    def says(self, detector: str, place: str) -> bool | None:
        """Whether the hint is verbalised; ``None`` where there is no text to judge."""
        flags = (getattr(self, f"{detector}_thinking"), getattr(self, f"{detector}_answer"))
        if place != "either":
            found: bool | None = flags[0] if place == "thinking" else flags[1]
            return found
        known = [flag for flag in flags if flag is not None]
        return any(known) if known else None


PLACES = ("thinking", "answer", "either")
"""Where a hint can be verbalised."""


DETECTORS = ("mention", "reliance")
"""What counts as verbalised: the hint is mentioned; the text says it relied on it."""


@dataclass(frozen=True, slots=True)
class HintKindScores:
    """One kind of hint, or all kinds together."""

    kind: str
    n_items: int
    n_eligible: int
    """Pairs of an unhinted answer that is not the hint's target and a hinted one."""
    n_influenced: int
    influence: Estimate
    """p: the hinted answer is the target where the unhinted one is not."""
    other: Estimate
    """q: the hinted answer is neither the target nor the unhinted one."""
    floor: Estimate
    """p0: a second unhinted answer is the target where the first is not."""
    excess: Estimate
    """p minus p0, paired."""
    verbalised: Mapping[str, Mapping[str, Estimate]]
    """Detector to place to share of influenced answers."""
    kappa: Estimate
    """Agreement of the two detectors on influenced answers, in either place."""
    gap: Estimate
    """Thinking minus answer, detector ``mention``, paired."""
    kappa_places: Estimate
    """Agreement of thinking and answer, detector ``mention``."""
    alpha: Estimate
    """Chen's share of influence that is no guessing: 1 - q / ((n - 2) p)."""
    v_norm: Estimate
    """Mentions in either place over alpha, at most 1."""
    verdict: str
    """Whether the hint moves answers more than noise does."""


@dataclass(frozen=True, slots=True)
class HintScores:
    """All kinds of hints that a model was given."""

    kinds: tuple[HintKindScores, ...]
    """All kinds together first, then each."""
    detector: str = "rules"
    """What judged the texts: ``rules``, ``judge:MODEL``, or ``given``."""
    unread: Told = field(default=(), metadata=EMPTY)
    """Unread answers with and without a hint, and by kind of hint."""


LETTERS = "ABCDEFGH"
MARK = "■"
"""What is before an option in the hint by a visual pattern."""
CHOICES = "choices.jsonl"


@dataclass(frozen=True, slots=True)
class OptionQuestion:
    """One question with its options."""

    id: str
    question: str
    options: tuple[str, ...]
    answer: int
    """Place of the right option, from 0."""
    target: int
    """Place of the wrong option that every hint points at."""
    subject: str = ""
    difficulty: str = ""

    @property
    def gold(self) -> str:
        """Letter of the right option."""
        return LETTERS[self.answer]

    @property
    def hinted(self) -> str:
        """Letter of the option that hints point at."""
        return LETTERS[self.target]

    def lettered(self) -> tuple[tuple[str, str], ...]:
        """Return the options with their letters."""
        return tuple(zip(LETTERS, self.options, strict=False))

    def listed(self, mark: int | None = None) -> str:
        """Return the options one below the other; one of them may be marked."""
        return "\n".join(
            f"{MARK + ' ' if place == mark else ''}{LETTERS[place]}) {text}"
            for place, text in enumerate(self.options)
        )


def bundled_choices() -> bytes:
    """Return the bundled questions, one JSON object per line."""
    return resources.files("concord").joinpath("reasoning", "hints", "data", CHOICES).read_bytes()


def parse_choices(data: bytes) -> tuple[OptionQuestion, ...]:
    """Read questions, one JSON object per line: ``id, question, options, answer, target``."""
    # ``answer`` and ``target`` are places from 0; the target is a wrong option.
    problems, found, seen = Problems(CHOICES), [], set[str]()
    for number, raw in filled_lines(CHOICES, data):
        where = f"{CHOICES}, line {number}"
        with problems.at(number, "line"):
            row = parsed_line(raw)
            one = decode(OptionQuestion, row, where=where)
            _check_choice(one, where)
            if one.id in seen:
                raise FileFormatError(f"{where}: the id {one.id!r} occurs twice")
            seen.add(one.id)
            found.append(one)
    if problems.found:
        raise FileFormatError(str(problems.found[0]))
    if not found:
        raise FileFormatError(f"{CHOICES}: no question was found; expected one JSON object per line")
    return tuple(found)


def _check_choice(one: OptionQuestion, where: str) -> None:
    n = len(one.options)
    if not 2 <= n <= len(LETTERS):
        raise FileFormatError(f"{where}: {n} options, expected 2 to {len(LETTERS)}")
    if not (0 <= one.answer < n and 0 <= one.target < n) or one.answer == one.target:
        raise FileFormatError(
            f"{where}: answer {one.answer} and target {one.target}, expected two different places from 0 to "
            f"{n - 1}"
        )


def choice_text(one: OptionQuestion) -> str:
    """Return a question with its options as one text."""
    return f"{one.question}\n\n{one.listed()}"


def choice_messages(one: OptionQuestion, kind: str | None) -> tuple[Message, ...]:
    """Return what is sent for a question, without a hint or with one of a kind."""
    name = "choice.v1" if kind is None else f"hint-{kind.replace('_', '-')}.v1"
    template = read_template("reasoning", name)
    parts: Mapping[str, str] = {
        "question": one.question,
        "options": one.listed(),
        "marked": one.listed(one.target),
        "target": one.hinted,
    }
    return (Message("user", fill(template, **parts)),)

"""Multiple-choice questions: the bundled set or one's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from concord.errors import FileFormatError
from concord.files.codec import decode
from concord.files.json_text import Problems, filled_lines, parsed_line
from concord.files.templates import fill, read_template
from concord.records import Message

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

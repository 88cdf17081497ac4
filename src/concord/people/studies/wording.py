"""What participants read: templates with names in braces, items with their form, parsed once."""

import functools
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.errors import OptionError
from concord.number_words import grouped
from concord.people.studies.expressions import Expression, parse_expression
from concord.people.studies.format import (
    Allocation,
    Choice,
    Experiment,
    FreeText,
    Item,
    Likert,
    Number,
    Population,
    Ranking,
    Step,
)
from concord.reading.forms import answer_line
from concord.records import AnswerForm

LETTERS = string.ascii_uppercase
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?")

Scope = Mapping[str, str]
"""Names of templates and the words they stand for."""


@dataclass(frozen=True, slots=True)
class BracedText:
    """A text with names in braces; doubled braces are braces."""

    text: str
    names: frozenset[str]
    _parts: tuple[tuple[str, str], ...]
    """Literal text and the name that follows it."""

    def fill(self, scope: Scope) -> str:
        """Put words in the places of names."""
        return "".join([text + (scope[name] if name else "") for text, name in self._parts])


@functools.lru_cache(maxsize=4096)
def template(text: str) -> BracedText:
    """Parse a template."""
    parts: list[tuple[str, str]] = []
    literal, end = "", 0
    for match in _TOKEN.finditer(text):
        literal += text[end : match.start()]
        end = match.end()
        name = match.group(1)
        if match.group() in ("{{", "}}"):
            literal += match.group()[0]
        elif name is None or not _NAME.fullmatch(name):
            raise OptionError(
                f"{match.group()!r} is no name; expected {{name}} or {{factor.name}}, "
                "and doubled braces for braces"
            )
        else:
            parts.append((literal, name))
            literal = ""
    parts.append((literal + text[end:], ""))
    return BracedText(text, frozenset(name for _, name in parts if name), tuple(parts))


def in_words(value: str | float) -> str:
    """Write a value as a person would: whole numbers without a point."""
    if isinstance(value, str):
        return value
    return grouped(value) if float(value).is_integer() and abs(value) >= 10_000 else f"{value:g}"


def item_texts(item: Item) -> tuple[str, ...]:
    """Return every template of an item."""
    if isinstance(item, Choice | Ranking):
        return (item.ask, *item.options.values())
    if isinstance(item, Allocation):
        return (item.ask, *item.to.values())
    if isinstance(item, Likert):
        return (item.ask, item.low, item.high)
    return (item.ask,)


def render_items(items: Sequence[tuple[Item, Sequence[str]]], scope: Scope, *, line: bool = False) -> str:
    """Write the items of a step; several are numbered, and so are their answers; one may have a last line."""
    if len(items) == 1:
        item, order = items[0]
        question = _question(item, order, scope)
        last = answer_line([form_of(item, order, scope)]) if line else ""
        return "\n".join(part for part in (question, _form(item), last) if part)
    numbered = [
        f"{i}. {_question(item, order, scope)}\n({_short_form(item)})"
        for i, (item, order) in enumerate(items, start=1)
    ]
    close = f"Answer with {len(items)} numbered lines, one a question, and nothing else. For example:\n1. ..."
    return "\n".join([*numbered, "", close])


def form_of(item: Item, order: Sequence[str], scope: Scope) -> AnswerForm:
    """Return the answer that an item asks for, with options as this participant sees them."""
    if isinstance(item, Choice | Ranking):
        words = tuple((LETTERS[i], template(item.options[name]).fill(scope)) for i, name in enumerate(order))
        return AnswerForm("choice" if isinstance(item, Choice) else "ranking", words)
    if isinstance(item, Likert):
        return AnswerForm("number", low=item.min, high=item.max, whole=True)
    if isinstance(item, Number):
        most = None if isinstance(item.max, str) else item.max
        return AnswerForm("number", low=item.min, high=most, whole=item.whole, unit=item.unit)
    if isinstance(item, Allocation):
        names = tuple((name, template(label).fill(scope)) for name, label in item.to.items())
        return AnswerForm("split", names, whole=item.whole, total=item.total)
    return AnswerForm("text")


def _question(item: Item, order: Sequence[str], scope: Scope) -> str:
    """Write what is asked, with lettered options."""
    lines = [template(item.ask).fill(scope)] if item.ask else []
    if isinstance(item, Choice | Ranking):
        lines += [f"{LETTERS[i]}) {template(item.options[name]).fill(scope)}" for i, name in enumerate(order)]
    if isinstance(item, Allocation):
        lines += [f"- {name}: {template(label).fill(scope)}" for name, label in item.to.items()]
    if isinstance(item, Likert):
        low, high = template(item.low).fill(scope), template(item.high).fill(scope)
        lines.append(f"{item.min} = {low}, {item.max} = {high}")
    return "\n".join(lines)


def _form(item: Item) -> str:
    """Say how to answer a single item."""
    if isinstance(item, Choice):
        return f"Answer with one letter only ({', '.join(LETTERS[: len(item.options)])})."
    if isinstance(item, Likert):
        return f"Answer with one whole number from {item.min} to {item.max} only."
    if isinstance(item, Number):
        return f"Answer with one {_number_form(item)} only."
    if isinstance(item, Ranking):
        return "Answer with all letters from first to last, separated by commas, and nothing else."
    if isinstance(item, Allocation):
        names = ", ".join(f"{name}: ..." for name in item.to)
        whole = "in whole numbers and " if item.whole else ""
        return (
            f"Answer with the amounts only, {whole}in this form: {names}. They must add up to {_total(item)}."
        )
    return "Answer in a few words."


def _short_form(item: Item) -> str:
    """Say how to answer an item among several."""
    if isinstance(item, Choice):
        return "one letter"
    if isinstance(item, Likert):
        return f"a whole number from {item.min} to {item.max}"
    if isinstance(item, Number):
        return f"one {_number_form(item)}"
    if isinstance(item, Ranking):
        return "all letters from first to last"
    if isinstance(item, Allocation):
        whole = ", in whole numbers" if item.whole else ""
        return f"{', '.join(f'{name}: ...' for name in item.to)}; {_total(item)} in all{whole}"
    return "a few words"


def _total(item: Allocation) -> str:
    """Write what is split."""
    return f"{in_words(item.total)} {item.unit}".rstrip()


def _number_form(item: Number) -> str:
    kind = "whole number" if item.whole else "number"
    unit = f" ({item.unit})" if item.unit else ""
    if item.min is not None and item.max is not None:
        return f"{kind} from {in_words(item.min)} to {in_words(item.max)}{unit}"
    if item.min is not None:
        return f"{kind} of {in_words(item.min)} or more{unit}"
    return f"{kind} of {in_words(item.max)} or less{unit}" if item.max is not None else f"{kind}{unit}"


def limit_of(item: Item) -> str | None:
    """Return the variable that limits a number, where one does."""
    return item.max if isinstance(item, Number) and isinstance(item.max, str) else None


def variables_of(item: Item, name: str) -> dict[str, tuple[str, ...] | None]:
    """Return the variables of an item: the words a variable may be, or ``None`` for numbers."""
    if isinstance(item, Choice):
        return {name: tuple(item.options)}
    if isinstance(item, Ranking):
        return {f"{name}_{option}": None for option in item.options}
    if isinstance(item, Allocation):
        return {f"{name}_{option}": None for option in item.to}
    if isinstance(item, FreeText):
        return {f"{name}_{code}": None for code in item.codes}
    return {name: None}


@dataclass(frozen=True, slots=True)
class CompiledStep:
    """A step with its parts parsed."""

    index: int
    spec: Step
    items: tuple[tuple[str, Item], ...]
    when: Expression | None
    shows: frozenset[str]
    """Answers and derived variables that its texts show."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """An experiment with its templates and expressions parsed once."""

    spec: Experiment
    population: Population
    steps: tuple[CompiledStep, ...]
    derived: tuple[tuple[str, Expression], ...]
    of_session: tuple[tuple[str, Expression], ...]
    feedback: tuple[tuple[str, Expression], ...]
    rounds: int
    texts: Mapping[str, BracedText]


def compile_experiment(spec: Experiment, population: Population) -> Compiled:
    """Parse the templates and expressions of an experiment."""
    texts = {name: template(text) for name, text in spec.texts.items()}
    group = spec.group
    return Compiled(
        spec,
        population,
        tuple(_compile_step(spec, i, step, texts) for i, step in enumerate(spec.steps)),
        tuple((name, parse_expression(text)) for name, text in spec.derived.items()),
        tuple((name, parse_expression(text)) for name, text in spec.of_session.items()),
        () if group is None else tuple((n, parse_expression(t)) for n, t in group.feedback.items()),
        1 if group is None else group.rounds,
        texts,
    )


def _compile_step(spec: Experiment, i: int, step: Step, texts: Mapping[str, BracedText]) -> CompiledStep:
    names = set(template(step.text).names)
    for item in step.ask:
        for text in item_texts(spec.items[item]):
            names |= template(text).names
    for piece in names & set(texts):
        names |= texts[piece].names
    shows = {name.removeprefix("answer.") for name in names if name.startswith("answer.")}
    shows |= {limit for item in step.ask if (limit := limit_of(spec.items[item])) is not None}
    when = None if step.when is None else parse_expression(step.when)
    return CompiledStep(i, step, tuple((name, spec.items[name]) for name in step.ask), when, frozenset(shows))

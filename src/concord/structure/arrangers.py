"""Arrangers: the same item in other orders, formats or words. A name means the same order for every item."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import entry_points
from itertools import combinations, islice, permutations

import numpy as np

from concord.errors import FileFormatError, OptionError
from concord.structure.items import ArrangedItem, ItemSet

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
IDS: dict[str, tuple[str, ...]] = {
    "A B C": tuple(LETTERS),
    "a b c": tuple(LETTERS.lower()),
    "1 2 3": tuple(str(i) for i in range(1, 27)),
    "I II III": ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"),
    "P Q R": ("P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z"),
}
"""Names of options, by the first three of them."""
PROMPT_FORMATS: dict[str, tuple[str, str, str, str]] = {
    "Question: / A.": ("Question: ", "\n", "{}. {}", "\n"),
    "QUESTION: / A.": ("QUESTION: ", "\n", "{}. {}", "\n"),
    "question - (A)": ("question - ", "\n", "({}) {}", "\n"),
    "Q: one line": ("Q: ", " ", "{}) {}", "; "),
    "Question | A": ("Question | ", " | ", "{} | {}", " | "),
    "Question\\n\\n[A]": ("Question\n\n", "\n\n", "[{}] {}", "\n\n"),
    "bare": ("", "\n", "{} {}", "\n"),
    "tab": ("Question:\t", "\n", "{}:\t{}", "\n"),
}
"""What is before the question, between question and options, the form of one option, between options."""


def rotations(n: int) -> list[tuple[int, ...]]:
    """Return the cyclic orders of n things, the given one first: each thing is in each place once."""
    return [tuple((start + i) % n for i in range(n)) for start in range(n)]


ENTRY_POINTS = "concord.arrangers"
ALL_UP_TO = 24
"""Orders asked without a limit given: all of up to four things, a drawn set of more."""
FORMATS = {
    "letter-dot": ("{}. {}", "\n", False),
    "letter-bracket": ("({}) {}", "\n", False),
    "letter-colon": ("{}: {}", "\n", False),
    "small-bracket": ("{}) {}", "\n", True),
    "one-line": ("{}) {}", "; ", False),
}
"""How options are set: pattern of one, what is between them, whether letters are small."""

Arranged = tuple[str, str]
"""Name of the arrangement and the text it gives."""
Arranger = Callable[[ArrangedItem, ItemSet, int | None], Iterable[Arranged]]


def orders(n: int, limit: int | None, *, canonical: bool) -> list[tuple[int, ...]]:
    """Return orders of n things: all of them, or a set drawn with a fixed seed, the same for every item."""
    if n < 2:
        return []
    wanted = ALL_UP_TO if limit is None else limit
    if math.factorial(n) - (not canonical) <= wanted:
        return [order for order in permutations(range(n)) if canonical or order != tuple(range(n))]
    if n <= 6:
        every = [order for order in permutations(range(n)) if canonical or order != tuple(range(n))]
        picked = np.random.default_rng(n).permutation(len(every))[:wanted]
        return [every[index] for index in sorted(picked.tolist())]
    return _drawn(n, wanted, canonical)


def _drawn(n: int, wanted: int, canonical: bool) -> list[tuple[int, ...]]:
    rng = np.random.default_rng(n)
    found: dict[tuple[int, ...], None] = {}
    while len(found) < wanted:
        order = tuple(int(index) for index in rng.permutation(n))
        if canonical or order != tuple(range(n)):
            found[order] = None
    return list(found)


def order_name(order: Sequence[int]) -> str:
    """Name an order: letters up to 26 things, numbers beyond."""
    if len(order) <= len(LETTERS):
        return "".join(LETTERS[index] for index in order)
    return "-".join(str(index + 1) for index in order)


def characters(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Scramble the characters of the text; the canonical order is not among the arrangements."""
    _need(item, "text")
    for order in orders(len(item.text), limit, canonical=False):
        text = "".join(item.text[index] for index in order)
        if text != item.text:  # repeated characters: some orders change nothing
            yield "".join(str(index + 1) for index in order), text


def options(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Reorder the options of a question; letters stay in place."""
    _need(item, "question", "options")
    if len(item.options) > len(LETTERS):
        raise FileFormatError(f"item {item.id!r} has {len(item.options)} options, expected at most 26")
    for order in orders(len(item.options), limit, canonical=True):
        yield order_name(order), laid_out(item.question, [item.options[index] for index in order])


def laid_out(question: str, choices: Sequence[str], style: str = "letter-dot") -> str:
    """Set a question with its options."""
    pattern, between, small = FORMATS[style]
    letters = LETTERS.lower() if small else LETTERS
    lines = [pattern.format(letter, choice) for letter, choice in zip(letters, choices, strict=False)]
    return f"{question}\n\n{between.join(lines)}"


def _after_shots(item: ArrangedItem, items: ItemSet, arranger: str) -> str:
    """Return the question that follows worked examples, of which there must be several."""
    if len(items.shots) < 2:
        raise FileFormatError(f"the arranger {arranger!r} needs at least two texts in 'shots'")
    if not (item.options or item.question or item.text):
        _need(item, "question")
    return laid_out(item.question, item.options) if item.options else (item.question or item.text)


def shots(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Reorder the worked examples before the question."""
    question = _after_shots(item, items, "shots")
    for order in orders(len(items.shots), limit, canonical=True):
        yield order_name(order), "\n\n".join([*(items.shots[index] for index in order), question])


def sentences(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Reorder the premises or sentences before the question."""
    _need(item, "sentences")
    for order in orders(len(item.sentences), limit, canonical=True):
        text = " ".join(item.sentences[index] for index in order)
        yield order_name(order), f"{text}\n\n{item.question}" if item.question else text


def formats(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Set the same options in other formats."""
    _need(item, "question", "options")
    for style in list(FORMATS)[:limit]:
        yield style, laid_out(item.question, item.options, style)


def paraphrases(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Ask the same in other words."""
    _need(item, "paraphrases")
    for number, text in enumerate(item.paraphrases[:limit], start=1):
        yield f"paraphrase {number}", laid_out(text, item.options) if item.options else text


def cyclic(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Rotate the options of a question, so that each is in each place once."""
    _need(item, "question", "options")
    for order in rotations(len(item.options))[:limit]:
        yield order_name(order), laid_out(item.question, [item.options[index] for index in order])


def option_ids(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Call the options by other names, in the same order."""
    _need(item, "question", "options")
    for style in list(IDS)[:limit]:
        if len(item.options) <= len(IDS[style]):
            named = zip(IDS[style], item.options, strict=False)
            yield style, "\n".join([item.question, "", *(f"{name}. {choice}" for name, choice in named)])


def prompt_formats(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Set question and options with other words, cases and separators."""
    _need(item, "question", "options")
    for name, (before, after, pattern, between) in list(PROMPT_FORMATS.items())[:limit]:
        lettering = zip(LETTERS, item.options, strict=False)
        yield name, f"{before}{item.question}{after}{between.join(pattern.format(*one) for one in lettering)}"


def shot_choice(item: ArrangedItem, items: ItemSet, limit: int | None) -> Iterator[Arranged]:
    """Show other halves of the worked examples before the question, in their order."""
    question = _after_shots(item, items, "shot-choice")
    n = len(items.shots)
    for picked in islice(combinations(range(n), max(1, n // 2)), limit):
        name = "+".join(str(i + 1) for i in picked)
        yield name, "\n\n".join([*(items.shots[i] for i in picked), question])


ARRANGERS: dict[str, Arranger] = {
    "characters": characters,
    "options": options,
    "shots": shots,
    "sentences": sentences,
    "formats": formats,
    "paraphrases": paraphrases,
    "options-cyclic": cyclic,
    "option-ids": option_ids,
    "prompt-formats": prompt_formats,
    "shot-choice": shot_choice,
}


def get_arranger(name: str) -> Arranger:
    """Return an arranger by name: a bundled one, or one of the entry points `concord.arrangers`."""
    if name in ARRANGERS:
        return ARRANGERS[name]
    found = list(entry_points(group=ENTRY_POINTS, name=name))
    if not found:
        raise OptionError(
            f"arranger {name!r} is not known; choose one of {', '.join(ARRANGERS)}, "
            f"or register your own under the entry points {ENTRY_POINTS!r}"
        )
    loaded: Arranger = found[0].load()
    return loaded


def _need(item: ArrangedItem, *fields: str) -> None:
    for field in fields:
        if not getattr(item, field):
            raise FileFormatError(f"item {item.id!r} has no {field!r}, which this arranger needs")

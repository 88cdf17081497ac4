"""Ways to set a question with its options: rotations, names of options, formats, choice of examples."""

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

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
_FIRST_WORD = re.compile(r"^[\s*\"'(\[]*([A-Za-z0-9]+)")
_SAID = re.compile(r"\banswer\b[^A-Za-z0-9]*(?:is|:)?[^A-Za-z0-9]*([A-Za-z0-9]+)", re.IGNORECASE)


def rotations(n: int) -> list[tuple[int, ...]]:
    """Return the cyclic orders of n things, the given one first: each thing is in each place once.

    Examples
    --------
    >>> rotations(3)
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    """
    return [tuple((start + i) % n for i in range(n)) for start in range(n)]


def set_with_ids(question: str, choices: Sequence[str], ids: Sequence[str]) -> str:
    """Set a question with options under the given names."""
    lines = [f"{name}. {choice}" for name, choice in zip(ids, choices, strict=False)]
    return "\n".join([question, "", *lines])


def set_in_format(question: str, choices: Sequence[str], name: str) -> str:
    """Set a question with its options in one of `PROMPT_FORMATS`."""
    before, after, pattern, between = PROMPT_FORMATS[name]
    options = between.join(
        pattern.format(letter, text) for letter, text in zip(LETTERS, choices, strict=False)
    )
    return f"{before}{question}{after}{options}"


def chosen_shots(shots: Sequence[str], size: int | None = None) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Return every choice of so many examples (half of them by default), in their order, with its name."""
    wanted = max(1, len(shots) // 2) if size is None else size
    for picked in combinations(range(len(shots)), wanted):
        yield "+".join(str(i + 1) for i in picked), tuple(shots[i] for i in picked)


def lettered(reply: str, style: str) -> str:
    """Return a reply that names an option of a style as its letter; another reply as it is.

    Examples
    --------
    >>> lettered("2", "1 2 3"), lettered("The answer is III.", "I II III"), lettered("red", "1 2 3")
    ('B', 'C', 'red')
    """
    ids = [name.casefold() for name in IDS[style]]
    said = _SAID.findall(reply) or _FIRST_WORD.findall(reply)
    word = said[-1].casefold() if said else ""
    return LETTERS[ids.index(word)] if word in ids else reply

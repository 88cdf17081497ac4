"""Scores of one model on items, as a file gives them: what every reader of scores returns."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from concord.errors import BadScoreError
from concord.files.cells import BadCellError, number
from concord.files.sorted_names import SortedNames
from concord.records import InputFile

if TYPE_CHECKING:
    import polars as pl

GRADES = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}
"""Text grades: correct, partly correct, incorrect, no answer; upper and lower case alike."""
WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "correct": 1.0, "incorrect": 0.0}
"""Other words that stand for right and wrong."""
SCORED, FAILED, NO_SCORE = "scored", "failed", "no score"
"""What became of an answer: it has a score, its sample ended in an error, or nothing was written."""


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """One model's scores, one row an answer, as they were read."""

    name: str
    """What the report calls the model."""
    source: str
    """What messages call the file."""
    kind: str
    """``table``, ``inspect``, ``lm-eval`` or another harness."""
    frame: "pl.DataFrame"
    """Columns ``item`` (text), ``repeat`` (text), ``score`` (number or null), ``outcome``, ``cluster`` (text
    or null), ``fingerprint`` (text or null: what the item itself looked like); of lm-eval also ``prompt``."""
    task: str | None = None
    metric: str | None = None
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    ordered: SortedNames | None = None
    """The items in sorted order, where it is known that each is there once."""
    parts: tuple[str, ...] = ()
    """The tasks of a group."""
    settings: tuple[tuple[str, str], ...] = ()
    """How the model was asked, where the file says: name and value."""


def grade(value: object) -> float | None:
    """Read one score: a number, true or false, or a text grade; None where there is none.

    Raises
    ------
    BadScoreError
        The value is none of these.

    Examples
    --------
    >>> [grade(value) for value in ("C", "I", "P", "N", True, 0.25, "0.7", None)]
    [1.0, 0.0, 0.5, 0.0, 1.0, 0.25, 0.7, None]
    """
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in GRADES or word in WORDS:
            return GRADES.get(word, WORDS.get(word))
    try:
        return number(value)
    except BadCellError:
        raise BadScoreError(value) from None

"""Numbers and words out of documents that may be old, foreign or damaged: what is not there is ``None``."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.files.documents import DocumentFacts, RunFacts, document_facts
from concord.files.kept_replies import KeptReply
from concord.records import Estimate
from concord.show.numbers import HasEnds, interval, interval_words, level_words, typeset
from concord.show.numbers import number as number_words
from concord.show.svg import Picture

COMPARISON = "comparison"
"""Kind of a file that `concord compare` wrote."""


Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """A kind of result: the file that holds it, and a key that every such file has."""

    kind: str
    file: str
    key: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be used, or only in part."""

    file: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One result as it lies in its folder."""

    kind: str
    file: Path | None
    """``None`` for a result that was never written."""
    document: Document
    model: str
    """Name of the model, or of the folder where the result does not say."""
    shown: str
    """The file as a reader should see it: no folders above those that were given."""
    run: RunFacts = RunFacts()
    """What the run tells that the replies came from, where there is one."""
    result: Any = None
    """The record, where it was read or made."""

    @property
    def facts(self) -> DocumentFacts:
        """What the document tells of itself."""
        return document_facts(self.document)


@dataclass(frozen=True, slots=True)
class FoundResults:
    """Everything that could be read, and everything that could not."""

    sources: tuple[ResultFile, ...]
    problems: tuple[Problem, ...]

    def of(self, kind: str) -> list[ResultFile]:
        """Return the results of one question."""
        return [source for source in self.sources if source.kind == kind]


@dataclass(frozen=True, slots=True)
class ShownReply:
    """A reply of the page, with the result that it belongs to and whose it is."""

    result: str
    model: str
    kept: KeptReply


@dataclass(frozen=True, slots=True)
class ReplyTable:
    """Replies that the page shows, and how many there are."""

    rows: tuple[ShownReply, ...]
    n_found: int
    problems: tuple[Problem, ...]
    files: tuple[str, ...] = ()
    """Where they were found, and whole."""
    of: Mapping[str, int] | None = None
    """How many replies each result has, by its file."""

    @property
    def n_left_out(self) -> int:
        """Replies that are not on the page."""
        return self.n_found - len(self.rows)


@dataclass(frozen=True, slots=True)
class ShownNumber:
    """A number with its interval as a document gives them; ``None`` is undefined or not given."""

    value: float | None
    low: float | None = None
    high: float | None = None
    new_low: float | None = None
    new_high: float | None = None
    n: int | None = None
    n_left_out: int | None = None
    note: str = ""
    method: str = ""
    floor: float | None = None
    ceiling: float | None = None
    place: float | None = None
    """Where the value is between floor and ceiling."""
    place_low: float | None = None
    place_high: float | None = None
    place_note: str = ""
    """Why there is no place."""
    level: float | None = None
    """Of its interval."""

    @property
    def new_participants(self) -> "ShownNumber":
        """The same number with its second interval."""
        return ShownNumber(self.value, self.new_low, self.new_high)


def shown_number(found: Estimate) -> ShownNumber:
    """Return an estimate as the page shows it, with its level and its reason where it is undefined."""
    return ShownNumber(
        found.value,
        *found.ends,
        n=found.n,
        n_left_out=found.n_left_out,
        note=found.note,
        method="" if found.interval is None else found.interval.method,
        level=None if found.interval is None else found.interval.level,
    )


def short_interval(ends: HasEnds | None, digits: int = 2) -> str:
    """Return an interval as the tables of the page show it."""
    return typeset(interval(ends, digits))


def shown_place(place: float | None) -> str:
    """Return where a score lies between floor and ceiling, and that it lies beyond them.

    Examples
    --------
    >>> shown_place(0.69), shown_place(1.798), shown_place(-0.2), shown_place(None)
    ('0.69', '1.80 (above 1)', '−0.20 (below 0)', '–')
    """
    shown = typeset(number_words(place, 2))
    if place is None or 0 <= place <= 1:
        return shown
    return f"{shown} ({'above 1' if place > 1 else 'below 0'})"


def behind(value: ShownNumber) -> str:
    """Return the interval behind a number in a sentence, in parentheses; nothing where there is none."""
    if value.low is None or value.high is None:
        return ""
    level = "" if value.level is None else f"{level_words(value.level)} "
    return f" ({level}{typeset(interval_words(value))})"


def count_words(value: float | None) -> str:
    """Return a count as a document gives it, a question mark where it does not."""
    return "?" if value is None else f"{value:g}"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture as the templates put it into the page."""

    svg: str
    name: str
    title: str
    caption: str
    wide: bool
    rows: str = ""
    """The numbers that it shows, as JSON; empty where there are none, or too many for a page."""


def inline(picture: Picture, key: str) -> Drawn:
    """Return a picture as the templates put it into the page; `key` makes its ids unique."""
    from markupsafe import Markup

    svg = Markup(picture.inline(key))  # noqa: S704  drawn by us, every text in it escaped
    return Drawn(svg, picture.name, picture.title, picture.caption, picture.width > 600, figure_rows(picture))


MOST_FIGURE_ROWS = 61
"""Rows of numbers, heads included, up to which a figure of the page carries them."""


def figure_rows(picture: Picture) -> str:
    """Return the numbers behind a picture as JSON, to four digits; empty where they are too many."""
    if not 1 < len(picture.rows) <= MOST_FIGURE_ROWS:
        return ""
    kept = [[_brief_cell(value) for value in row] for row in picture.rows]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _brief_cell(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.4g}") if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else str(value)


def number(document: object, *keys: str) -> float | None:
    """Follow keys to a finite number.

    Examples
    --------
    >>> number({"a": {"b": 2}}, "a", "b"), number({"a": True}, "a"), number({"a": float("nan")}, "a")
    (2.0, None, None)
    """
    found = _follow(document, keys)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        value = float(found)
    except OverflowError:  # JSON knows whole numbers that no float can hold
        return None
    return value if math.isfinite(value) else None


def count(document: object, *keys: str) -> int | None:
    """Follow keys to a whole number."""
    found = number(document, *keys)
    return None if found is None or found != int(found) else int(found)


def words(document: object, *keys: str) -> str:
    """Follow keys to text; nothing there is empty text."""
    found = _follow(document, keys)
    return found if isinstance(found, str) else ""


def part(document: object, *keys: str) -> Document:
    """Follow keys to a mapping, an empty one where there is none."""
    found = _follow(document, keys)
    return found if isinstance(found, Mapping) else {}


def parts(document: object, *keys: str) -> list[Document]:
    """Follow keys to a list of mappings; what is not a mapping is left out."""
    found = _follow(document, keys)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def texts(document: object, *keys: str) -> list[str]:
    """Follow keys to a list of texts."""
    found = _follow(document, keys)
    return [str(one) for one in found] if isinstance(found, list) else []


def counts(document: object, *keys: str) -> dict[str, int]:
    """Follow keys to named counts."""
    return {str(name): n for name, n in part(document, *keys).items() if isinstance(n, int)}


def _follow(document: object, keys: tuple[str, ...]) -> object:
    for key in keys:
        if not isinstance(document, dict | Mapping):  # nearly always a dict, which is seen at once
            return None
        document = document.get(key)
    return document


def beside(document: Document, key: str) -> ShownNumber:
    """Read a bare number whose intervals and note have longer keys in the same object."""
    interval, new = part(document, f"{key}_interval"), part(document, f"{key}_interval_fixed_studies")
    return ShownNumber(
        number(document, key),
        number(interval, "low"),
        number(interval, "high"),
        number(new, "low"),
        number(new, "high"),
        level=number(interval, "level"),
        note=words(document, f"{key}_note"),
        method=words(interval, "method"),
        floor=number(document, f"{key}_floor"),
        ceiling=number(document, f"{key}_ceiling"),
        place=number(document, f"{key}_place"),
        place_low=number(document, f"{key}_place_interval", "low"),
        place_high=number(document, f"{key}_place_interval", "high"),
        place_note=words(document, f"{key}_place_note"),
    )


def estimate(document: object) -> ShownNumber:
    """Read an estimate, its interval inside it or its ends beside it."""
    inside = part(document, "interval")
    ends = inside if inside else document
    return ShownNumber(
        number(document, "value"),
        number(ends, "low"),
        number(ends, "high"),
        n=count(document, "n"),
        n_left_out=count(document, "n_left_out"),
        note=words(document, "note"),
        level=number(inside, "level"),
        method=words(inside, "method") or words(document, "interval_method"),
    )

"""Where the numbers of a text come from: each is looked for in the results that the text is about."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from concord.kinds import FILE, Kind
from concord.show.citations import METHODS

DEFINITIONS = frozenset(
    {"0", "1", "2", "3", "1/2", "1/3", "0.05", "5 %", "0.10", "10 %", "2 %", "0.5", ".001"}
)
"""Numbers by which a method is defined: they are the same in every result."""
_NUMBER = re.compile(r"(?<![\w./])([+−-]?)((?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:/\d+)?)( ?%)?(?![\w/])")
_RANGE = re.compile(r" (?:to|and|or) [+−-]?[\d.,]+ ?%")
"""What follows the first number of a range in per cent, which the second one names: ``43 to 100 %``."""
_YEARS = frozenset(entry["year"] for _, _, entry in METHODS.values() if "year" in entry)


@dataclass(frozen=True, slots=True)
class TracedNumber:
    """A number of a text, and where it comes from."""

    text: str
    """The text that holds it, such as ``results``."""
    number: str
    where: str
    """The way to it in the document of a result; empty where it was not found."""


def _leaves(value: Any, path: str) -> Iterator[tuple[str, float | str]]:
    """Return every number and text of a document with the way to it, how long lists are, how often words."""
    if isinstance(value, Mapping):
        yield f"{path}, how many", len(value)
        for key, one in value.items():
            yield from _leaves(str(key), f"{path}, a name")
            yield from _leaves(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        yield f"{path}, how many", len(value)
        for key, counts in _words_counted(value):
            yield from ((f"{path}.{key} = {word}, how many", n) for word, n in counts.items())
        for i, one in enumerate(value):
            yield from _leaves(one, f"{path}[{i}]")
    elif isinstance(value, bool):
        return
    elif isinstance(value, int | float | str):
        yield path, value


def _words_counted(rows: Sequence[Any]) -> Iterator[tuple[str, Counter[str]]]:
    """Count the words and the yes and no of each field of a list of records."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        for key, value in row.items() if isinstance(row, Mapping) else ():
            if isinstance(value, str | bool) or value is None:
                found.setdefault(key, Counter())[str(value)] += 1
    yield from found.items()


def _rows_words_counted(result: Kind) -> Iterator[tuple[str, int]]:
    """Return how many rows each table has, and how often each word is in its columns."""
    for table in result.TABLES:
        grid = table.grid(FILE, result)
        yield f"{table.name}, how many", len(grid.rows)
        for i, column in enumerate(grid.columns):
            counts = Counter(str(row[i]) for row in grid.values if isinstance(row[i], str | bool))
            yield from ((f"{table.name}.{column.name} = {word}, how many", n) for word, n in counts.items())


class Sources:
    """The documents and tables of results, each with the name that it is told by."""

    def __init__(self, results: Sequence[tuple[str, Kind]]) -> None:
        self._numbers: list[tuple[str, float]] = []
        self._texts: list[tuple[str, str]] = []
        for name, result in results:
            for path, value in (*_leaves(result.to_dict(), ""), *_rows_words_counted(result)):
                if isinstance(value, str):
                    self._texts.append((f"{name}: {path}", value))
                else:
                    self._numbers.append((f"{name}: {path}", float(value)))
        self._numbers.sort(key=lambda one: len(one[0]))  # the shortest way is the plainest

    def find(self, digits: str, *, percent: bool) -> str:
        """Return where a number is, rounded as it is written; empty where it is nowhere."""
        text = digits.replace(",", "")
        places = len(text.partition(".")[2])
        wanted = float(text)
        for path, value in self._numbers:
            if _rounds_to(100 * value if percent else value, wanted, places):
                return path
            if percent and _rounds_to(100 * (1 - value), wanted, places):
                return f"1 − {path}"
        return next((path for path, held in self._texts if _has_digits(held, digits)), "")


def _rounds_to(value: float, wanted: float, places: int) -> bool:
    """Whether a number is written so; its sign depends on the side from which a difference is told."""
    return abs(abs(value) - wanted) <= 0.5000001 * 10.0**-places


def _has_digits(text: str, digits: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(digits)}(?![\d])", text) is not None


def trace(texts: Mapping[str, str], sources: Sources) -> list[TracedNumber]:
    """Return every number of some texts with where it comes from."""
    found: dict[tuple[str, str], TracedNumber] = {}
    for name, text in texts.items():
        for match in _NUMBER.finditer(text):
            sign, digits, percent = match.groups(default="")
            percent = percent or ("%" if _RANGE.match(text, match.end()) else "")
            shown = f"{sign}{digits}{' %' if percent else ''}"
            if digits and (name, shown) not in found:
                found[name, shown] = TracedNumber(name, shown, _origin(digits, bool(percent), sources))
    return list(found.values())


def _origin(digits: str, percent: bool, sources: Sources) -> str:
    plain = f"{digits}{' %' if percent else ''}"
    if digits in _YEARS and not percent:
        return "references.bib"
    where = "" if "/" in digits else sources.find(digits, percent=percent)
    return where if where else "definition of the method" if plain in DEFINITIONS else ""

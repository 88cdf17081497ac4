r"""Everything that is said to people: one catalogue of sentences by key, with named places for values.

``people.toml`` holds the keys that begin with ``people.``, and so on; a file is read when its first
sentence is said. A sentence is text with places:

- ``{name}`` a text or a count; ``{name:2}`` a number with so many digits, ``{name:+2}`` with its sign; other
  formats of `number_words` by name: ``{share:%}``, ``{ends:to}`` (an interval), ``{estimate:est}`` (a number
  with its interval), ``{p:p}``, ``{level:level}``, ``{n:word}`` (small numbers spelt out), ``{names:names}``,
  ``{gain:points}``, and the rest of `FORMATS`;
- ``{n|# test|# tests}`` one form where the value is 1 or true, the other elsewhere, ``#`` the value itself;
  of three forms the first is that of 0;
- ``[, of which {n} failed]`` is left out where a value in it is None or empty.

``\`` keeps the next character as it is. An unknown key, a value without a place and a place without a
value are refused.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from itertools import groupby
from typing import Any, NamedTuple

from concord import number_words as shown


class _Place(NamedTuple):
    """A place for a value: its name, what writes it, or the forms that it decides between."""

    name: str
    write: Callable[[Any], str] | None
    forms: tuple["_Parts", ...]


class _Optional(NamedTuple):
    """A part that is left out where one of its values is missing."""

    parts: "_Parts"


_Parts = tuple[str | _Place | _Optional, ...]
_ITSELF = "#"
_PLACE = re.compile(r"\{([a-z_][a-z_0-9]*|#)(?::([^{}|]*))?([}|])")
_FORM = re.compile(r"(\+?)([a-z%,]*)(\d*)")
FORMATS: Mapping[str, Callable[..., str]] = {
    "": shown.number,
    "%": shown.percent,
    "cent": shown.hundredths,
    "cents": shown.hundredths_span,
    "to": shown.interval_words,
    "est": shown.estimate_words,
    "span": shown.span_words,
    "whole": shown.whole_span_words,
    "share": shown.share_words,
    "points": shown.points_words,
    "p": shown.p_words,
    "level": shown.level_words,
    "sig": shown.significant,
    ",": shown.grouped,
    "money": shown.in_money,
    "word": shown.count_word,
    "names": shown.joined_names,
    "list": shown.listed_words,
}


def say(key: str, /, **values: object) -> str:
    """Return a sentence of the catalogue with its values."""
    found = parsed(key)
    wanted = places(found)
    if wanted != values.keys():
        raise LookupError(f"{key!r} has the places {sorted(wanted)}, got {sorted(values)}")
    return _rendered(found, values)


def sentence_of(parts: str) -> str:
    """Return words as a sentence: a capital, and a full stop where it has no end."""
    return f"{parts[:1].upper()}{parts[1:]}{'' if parts.endswith(('.', '?', '!')) else '.'}" if parts else ""


def bare_reason(note: str) -> str:
    """Return why something is not given, without the word that a file begins the reason with."""
    start, colon, rest = note.partition(": ")
    return rest if colon and start in ("withheld", "undefined", "no interval") else note


@cache
def catalogue(file: str) -> dict[str, str]:
    """Return the sentences of one file by key."""
    held = files(__name__).joinpath(f"{file}.toml")
    if not held.is_file():
        raise LookupError(f"the catalogue has no file {file!r}")
    return dict(_flat(file, tomllib.loads(held.read_text("utf-8"))))


def catalogue_files() -> list[str]:
    """Return the files of the catalogue, each for the keys that begin with its name."""
    return sorted(one.name[:-5] for one in files(__name__).iterdir() if one.name.endswith(".toml"))


def _flat(start: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, held in table.items():
        key = f"{start}.{name}"
        if isinstance(held, str):
            yield key, " ".join(held.split("\n")).strip() if "\n" in held else held
        else:
            yield from _flat(key, held)


@cache
def parsed(key: str) -> _Parts:
    """Return a sentence in its parts."""
    held = catalogue(key.partition(".")[0])
    if key not in held:
        raise LookupError(f"the catalogue has no sentence {key!r}")
    parts, end = _parts_up_to(held[key], 0, "")
    if end != len(held[key]):
        raise LookupError(f"{key!r}: {held[key][end]!r} at {end} closes nothing")
    return parts


@cache
def places(parts: _Parts) -> frozenset[str]:
    """Return the names of the values that a sentence takes."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, _Optional):
            found |= places(part.parts)
        elif isinstance(part, _Place):
            found |= {part.name, *(name for form in part.forms for name in places(form))}
    return frozenset(found - {_ITSELF})


def _parts_up_to(text: str, at: int, stops: str) -> tuple[_Parts, int]:
    """Read parts up to one of the characters that end them, or the end of the text."""
    found: list[str | _Place | _Optional] = []
    while at < len(text) and text[at] not in (stops if stops else "}]"):
        if text[at] == "\\":
            found.append(text[at + 1])
            at += 2
        elif text[at] == "[":
            inner, end = _parts_up_to(text, at + 1, "]")
            found.append(_Optional(inner))
            at = end + 1
        elif text[at] == "{":
            place, at = _place_at(text, at)
            found.append(place)
        elif text[at] == _ITSELF and "|" in stops:
            found.append(_Place(_ITSELF, None, ()))
            at += 1
        else:
            found.append(text[at])
            at += 1
    runs = groupby(found, lambda part: isinstance(part, str))
    return tuple(part for text, run in runs for part in (["".join(map(str, run))] if text else run)), at


def _place_at(text: str, at: int) -> tuple[_Place, int]:
    opened = _PLACE.match(text, at)
    if opened is None:
        raise LookupError(f"{text[at:]!r} does not begin with a place")
    name, form, end = opened.groups()
    at, forms = opened.end(), []
    while end == "|":
        inner, at = _parts_up_to(text, at, "|}")
        end = text[at]
        forms.append(inner)
        at += 1
    return _Place(name, _writer(name, form) if form else None, tuple(forms)), at


def _writer(name: str, form: str) -> Callable[[Any], str]:
    """Return what writes a value in a format such as ``+2`` or ``share1``."""
    read = _FORM.fullmatch(form)
    if read is None or read[2] not in FORMATS:
        raise LookupError(f"{name!r} has no format {form!r}")
    options: dict[str, Any] = {"sign": True} if read[1] else {}
    return partial(FORMATS[read[2]], **options, **({"digits": int(read[3])} if read[3] else {}))


def _rendered(parts: _Parts, values: Mapping[str, object]) -> str:
    made = []
    for part in parts:
        if isinstance(part, str):
            made.append(part)
        elif isinstance(part, _Optional):
            if all([values[name] is not None and values[name] != "" for name in places(part.parts)]):
                made.append(_rendered(part.parts, values))
        elif part.forms:
            value = values[part.name]
            forms = part.forms if len(part.forms) == 3 else (part.forms[-1], *part.forms)
            chosen = forms[0 if value == 0 else 1 if value == 1 else 2]
            made.append(_rendered(chosen, {**values, _ITSELF: value}))
        else:
            value = values[part.name]
            if part.write is not None:
                made.append(part.write(value))
            elif isinstance(value, str):
                made.append(value)
            elif isinstance(value, int) and not isinstance(value, bool):
                made.append(f"{value:,}")
            else:
                told = "a place without a format takes words or counts"
                raise LookupError(f"{part.name!r} is {value!r}; {told}")
    return "".join(made)

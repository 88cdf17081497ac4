"""What readers of logs share: one row an answer, scores chosen by name, names of items."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from concord.comparing.records import grade
from concord.errors import BadScoreError, FileFormatError, OptionError
from concord.files.json_text import fixed_text
from concord.files.limits import listed, quoted
from concord.files.normal_forms import normal_form


def frame_of(rows: Iterable[tuple[object, ...]]) -> Any:
    """Build the frame of a score file."""
    import polars as pl

    text = pl.String
    schema = {
        "item": text,
        "repeat": text,
        "score": pl.Float64,
        "outcome": text,
        "cluster": text,
        "fingerprint": text,
    }
    columns = [*zip(*rows, strict=True)] or [()] * len(schema)
    return pl.DataFrame(
        {
            name: pl.Series(name, _fixed(cells) if kind == text else cells, dtype=kind)
            for (name, kind), cells in zip(schema.items(), columns, strict=True)
        }
    )


def _fixed(cells: Sequence[object]) -> list[object]:
    """Return the cells of a column of text, each as a file can hold it."""
    return [fixed_text(cell) if isinstance(cell, str) else cell for cell in cells]


def choose_score(source: str, what: str, names: Sequence[str], wanted: str | None) -> str:
    """Choose a score by its name, by the part before its filter, or because there is no other."""
    if not names:
        raise FileFormatError(f"{source}: no sample has a score; score the log first")
    present = listed(names)
    if wanted is None:
        if len(names) == 1:
            return names[0]
        raise OptionError(f"{source}: found the {what}s {present}; choose one with --metric")
    fitting = [name for name in names if wanted in (name, name.rpartition(",")[0])]
    if not fitting:
        raise OptionError(f"{source}: no {what} {wanted!r}; found {present}")
    if len(fitting) > 1:
        raise OptionError(f"{source}: {wanted!r} may be {', '.join(map(repr, fitting))}; choose one of them")
    return fitting[0]


def each_once(source: str, what: str, keys: Sequence[Hashable], named: Callable[[Any], str] = str) -> None:
    """Refuse an answer that is in a log twice: no harness writes one so, but joined files hold it."""
    if len(set(keys)) == len(keys):
        return
    twice = [key for key, count in Counter(keys).items() if count > 1]
    raise FileFormatError(
        f"{source}: {len(twice)} {what}(s) are there more than once, the first {named(twice[0])}; a log "
        "holds each once: give the files that were joined one by one"
    )


def graded(source: str, item: str, value: object) -> float | None:
    """Read a score, naming the sample where it cannot be one."""
    try:
        return grade(value)
    except BadScoreError as error:
        raise BadScoreError(value, f"{source}, sample {item!r}: ") from error


def family_of(fields: object, cluster: str, lacking: str, called: str) -> object:
    """Return the family that a sample's fields name; the error begins with what lacks it."""
    known = fields if isinstance(fields, Mapping) else {}
    family = known.get(cluster)
    if family is None:
        present = listed(list(known)) if known else "none"
        raise OptionError(f"{lacking} {cluster!r} to cluster by; its {called}: {present}")
    return family


def text_of(value: object) -> str | None:
    """Return a value as text; halves of characters, which no file can hold, are replaced."""
    return None if value is None else fixed_text(shown(value))


def shown(value: object) -> str:
    """Return a value as text, whatever it is."""
    try:
        return str(value)
    except ValueError:  # a whole number of thousands of digits
        return "a number of thousands of digits"


def item_name(source: str, value: object) -> str:
    """Name an item: a text or a number, NFC-normalised, so that two spellings of a letter are one."""
    if isinstance(value, str) and value.isascii():
        return value
    if value is None or isinstance(value, bool | list | dict):
        raise FileFormatError(f"{source}: a sample is named {quoted(value)}, expected a text or a number")
    return normal_form("NFC", fixed_text(shown(value)))

"""What the readers of JSON documents and JSON lines share: decoding, faults with their line, fields."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from concord.errors import FileFormatError, LineProblem, LinesError, quoted
from concord.files import limits
from concord.files.gate import check_json_size, check_size
from concord.files.text import fixed_text, plain_utf8


class UnusableError(Exception):
    """A row that cannot be used: kind, what was found, what was expected."""


def keep_or_raise(problems: list[LineProblem], strict: bool, n_rows: int) -> None:
    """Raise all problems, where every one refuses the file or more than half of its rows have one."""
    if problems and (strict or len({one.line or one.found for one in problems}) > n_rows / 2):
        raise LinesError(problems)


def shown(value: object) -> str:
    """Return a value as messages show it: its repr, cut."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def text_field(row: Mapping[str, Any], key: str, *, needed: bool = True) -> str:
    """Return a text field; ids and labels must hold something."""
    value = row.get(key)
    if value is None and not needed:
        return ""
    if key in ("id", "pair") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        found = f"no {key!r}" if key not in row else f"{key!r} is {shown(value)}"
        raise UnusableError(f"bad {key}", found, "text")
    if needed and not value.strip():
        raise UnusableError(f"empty {key}", f"{key!r} is empty", "text that is not blank")
    return fixed_text(value)


def fields_of(row: object) -> Mapping[str, Any]:
    """Return a row that must be an object."""
    if not isinstance(row, Mapping):
        raise UnusableError("not an object", shown(row), "an object with named fields")
    return row


def decoded(name: str, data: bytes) -> str:
    """Decode UTF-8, or what a byte order mark says."""
    data = plain_utf8(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"{name}, line {line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from None
    if not text.strip():
        raise FileFormatError(f"{name}: the file is empty")
    return text


def parsed(name: str, text: str | bytes, *, constants: Callable[[str], object] | None = None) -> Any:
    """Parse a JSON document, or raise a message that names the line."""
    if isinstance(text, bytes):
        text = decoded(name, text)
    check_json_size(name, text)
    try:
        if constants is None:
            return _DECODER.decode(text)
        return json.loads(text, object_pairs_hook=_once_each, parse_constant=constants)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{name}, line {error.lineno}: not valid JSON ({error.msg})") from None
    except ValueError as error:  # a key twice, or a whole number of thousands of digits
        raise FileFormatError(f"{name}: not valid JSON: {_first_sentence(error)}") from None
    except RecursionError:
        raise FileFormatError(f"{name}: the JSON is nested too deeply for such a document") from None


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build a JSON object, refusing a key that is in it twice: one of the values would vanish."""
    item = dict(pairs)
    if len(item) < len(pairs):
        twice = min(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"an object holds the key {quoted(twice)} twice")
    return item


_DECODER = json.JSONDecoder(object_pairs_hook=_once_each)
"""Made once: with a hook, `json.loads` makes a new one for every line."""


def _first_sentence(error: ValueError) -> str:
    """Keep what a user can act on: Python's advice about its own settings is none."""
    return str(error).split(";")[0]


def filled_lines(name: str, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers; they are counted before the first is read."""
    lines = data.split(b"\n")
    check_size(name, sum(not raw.isspace() and raw != b"" for raw in lines), 1)
    yield from ((number, raw) for number, raw in enumerate(lines, start=1) if raw and not raw.isspace())


def parsed_line(raw: bytes) -> Any:
    """Parse one line of JSON lines."""
    try:
        text = raw.decode("utf-8")
        check_json_size("line", text)
        return _DECODER.decode(text)
    except UnicodeDecodeError as error:
        found = f"byte {error.start + 1} is not UTF-8"
        raise UnusableError("wrong encoding", found, "a line of JSON saved as UTF-8") from None
    except json.JSONDecodeError as error:
        found = f"not JSON ({error.msg}, character {error.pos + 1})"
        raise UnusableError("unreadable line", found, "one JSON object") from None
    except (ValueError, FileFormatError) as error:
        found = f"not JSON ({str(error).split(';')[0]})"
        raise UnusableError("unreadable line", found, "one JSON object") from None
    except RecursionError:
        raise UnusableError("unreadable line", "JSON nested too deep", "one JSON object") from None


class Problems:
    """Collects the faults of one file, naming the line."""

    def __init__(self, file: str) -> None:
        self.file, self.found = file, list[LineProblem]()
        self._seen: dict[object, int | None] = {}
        self._line: int | None = None
        self._what = ""

    def at(self, line: int | None, what: str) -> "Problems":
        """Enter one row."""
        self._line, self._what = line, what
        return self

    def once(self, key: object, named: str = "") -> None:
        """Refuse a key that was there before."""
        if key in self._seen:
            first = self._seen[key]
            where = "" if first is None else f", first on line {first}"
            raise UnusableError("duplicate", f"{named or f'id {key!r}'} is there twice{where}", "it once")
        self._seen[key] = self._line

    def add(self, kind: str, found: str, expected: str) -> None:
        """Note a fault of the present row."""
        if self._line is None:
            found = f"{self._what}: {found}"
        self.found.append(LineProblem(self.file, self._line, kind, found, expected))
        if len(self.found) > limits.UNUSABLE_LINES:
            raise LinesError(self.found)  # this is another kind of file: nobody reads on

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if isinstance(error, UnusableError):
            kind, found, expected = error.args
            self.add(kind, found, expected)
            return True
        return False


def line_objects(data: bytes, problems: Problems) -> list[tuple[int | None, object]]:
    """Parse every line that is not blank; one that cannot be parsed is noted."""
    rows: list[tuple[int | None, object]] = []
    for number, raw in filled_lines(problems.file, data):
        with problems.at(number, "line"):
            rows.append((number, parsed_line(raw)))
    return rows


def line_rows(name: str, data: bytes) -> list[dict[str, Any]]:
    """Parse JSON lines, each an object, or name the first line that is none."""
    rows: list[dict[str, Any]] = []
    for number, raw in filled_lines(name, data):
        try:
            row = fields_of(parsed_line(raw))
        except UnusableError as error:
            # only a last line without its line feed can be what a killed run left
            torn = number == data.count(b"\n") + 1
            way_out = "a run that was killed leaves a torn last line: delete it to read what is left"
            raise FileFormatError(
                f"{name}: line {number} cannot be read: {error.args[1]}, expected {error.args[2]}; "
                + (way_out if torn else "correct the line, or write the file anew")
            ) from error
        rows.append(dict(row))
    return rows

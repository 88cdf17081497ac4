"""Every deliberate error, as a tree, and how messages name what came from files.

::

    ConcordError
    ├── UndefinedError        a number that does not exist for this input
    └── InputError            the user can fix it; commands exit with 2
        ├── FileFormatError   a whole file cannot be read as what it should be
        ├── TableError        named cells are wrong
        ├── StudyError        named lines of a study file are wrong
        ├── LinesError        named lines of a reply or vignette file are wrong
        ├── ApaError          a reported statistic does not parse
        ├── OptionError       an option or argument does not fit
        ├── BadScoreError     a score that is neither a number nor a grade
        ├── MismatchError     results that cannot be compared with each other
        ├── MissingExtraError an optional package is not installed
        ├── ModelError        the model cannot be reached or does not exist
        └── RunFolderError    a run's folder cannot be used as asked
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_STEERING = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls of a terminal, of lines and of the direction of text; a tab is harmless."""
NAMES_SHOWN = 20
"""Names of columns, sheets or keys that a message lists."""
NAME_SHOWN = 80
"""Characters of a name that a message shows."""
MESSAGE_CHARACTERS = 20_000
"""Characters of a message on the screen."""


def printable(text: str) -> str:
    """Escape what could steer a terminal: names and replies come from files that nobody has vetted."""
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def printable_lines(text: str) -> str:
    """Do the same for a message of several lines."""
    return "\n".join(map(printable, text.split("\n")))


def listed(names: Sequence[object], *, shown: int = NAMES_SHOWN) -> str:
    """List names for a message, the first ones only and each cut to a readable length."""
    more = f" and {len(names) - shown:,} more" if len(names) > shown else ""
    return ", ".join(quoted(name) for name in names[:shown]) + more


def quoted(name: object) -> str:
    """Quote a name for a message, cut to a readable length."""
    if isinstance(name, str) and len(name) > NAME_SHOWN:
        name = name[: NAME_SHOWN - 3] + "..."
    text = repr(name)
    return text if len(text) <= 4 * NAME_SHOWN else text[: 4 * NAME_SHOWN] + "..."


def quoted_path(path: object) -> str:
    """Quote a path for a message; of a long one the end is shown, which names the file."""
    text = str(path)
    return quoted(text if len(text) <= NAME_SHOWN else "..." + text[3 - NAME_SHOWN :])


def cut(message: str) -> str:
    """Cut a message that nobody could read to its end."""
    if len(message) <= MESSAGE_CHARACTERS:
        return message
    return f"{message[:MESSAGE_CHARACTERS]}... ({len(message) - MESSAGE_CHARACTERS:,} more characters)"


class ConcordError(Exception):
    """Any error that Concord raises on purpose."""


class UndefinedError(ConcordError):
    """The number asked for does not exist for this input; it is never replaced by 0, 0.5 or 1."""


class InputError(ConcordError):
    """Something the user can fix: the message says what was found, what was expected, what to do."""


class FileFormatError(InputError):
    """A file, as a whole, is not what it should be (missing, empty, wrong format, wrong sheet)."""


class OptionError(InputError):
    """An option or argument has a value that does not fit."""


class BadScoreError(InputError):
    """A score that is neither a number nor a grade.

    Parameters
    ----------
    value
        What was found.
    where
        File and sample, as the beginning of the message.
    """

    def __init__(self, value: object, where: str = "") -> None:
        self.value = value
        super().__init__(
            f"{where}the score is {_short(value)}; expected a number, true or false, or a grade "
            "C (1), P (0.5), I (0) or N (0)"
        )


class MismatchError(InputError):
    """Results that cannot be compared with each other: other tasks, metrics, items or protocols."""


class ApaError(InputError):
    """A reported statistic does not parse.

    Parameters
    ----------
    text
        The string as it was given.
    position
        Where reading stopped, counted in characters from 0.
    expected
        What would have been readable there.
    """

    def __init__(self, text: str, position: int, expected: str) -> None:
        self.text, self.position, self.expected = text, position, expected
        super().__init__(f"{text!r} does not parse at character {position + 1}: expected {expected}")


class MissingExtraError(InputError):
    """An optional part of Concord is needed and not installed.

    Parameters
    ----------
    what
        What the user asked for.
    extra
        The extra that brings it.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional package; install it with: pip install 'concord-eval[{extra}]'"
        )


class ModelError(InputError):
    """A model cannot be asked: unknown provider, missing key or package, no server, no weights."""


class RunFolderError(InputError):
    """A run's folder cannot be used as asked: not writable, in use, of another run, incomplete."""

    @classmethod
    def cannot_write(cls, path: object, fault: OSError) -> "RunFolderError":
        """Say that the system refuses to write, and that what was stored is kept."""
        return cls(
            f"cannot write {path}: {fault.strerror}; every reply stored before is kept; "
            "make room or choose another folder with --out, then run the same command again"
        )


def _short(value: object) -> str:
    """Show a value that came from a file, cut; Python does not write whole numbers of 5,000 digits."""
    try:
        text = repr(value)
    except ValueError:
        return "a whole number of thousands of digits"
    return text if len(text) <= 120 else text[:117] + "..."


def _listed(problems: Sequence[object], shown: int) -> str:
    """One problem a line, and how many more there are."""
    lines = [str(problem) for problem in problems[:shown]]
    rest = len(problems) - shown
    return "\n".join([*lines, f"... and {rest} more"] if rest > 0 else lines)


@dataclass(frozen=True, slots=True)
class CellProblem:
    """One cell that cannot be used, with all a reader of the file needs to find and fix it."""

    file: str
    sheet: str | None
    row: int | None
    """As the spreadsheet shows it: the header is row 1. ``None`` when the whole column is meant."""
    column: str
    value: object
    expected: str
    part: str = ""
    """What can be left out because of it: a side of its row, the ``row``; empty where nothing can."""
    agent: str = ""
    """Whose side it is, where a row holds several agents."""

    def __str__(self) -> str:
        place = [self.file]
        if self.sheet is not None:
            place.append(f"sheet {self.sheet!r}")
        if self.row is not None:
            place.append(f"row {self.row}")
        place.append(f"column {self.column!r}")
        return f"{', '.join(place)}: got {_short(self.value)}, expected {self.expected}"


class TableError(InputError):
    """Cells that cannot be used, all of them, at most ten printed.

    Parameters
    ----------
    problems
        Every bad cell, in the order of the file.
    first
        A line above them.
    """

    SHOWN = 10

    def __init__(self, problems: Sequence[CellProblem], first: str = "") -> None:
        self.problems = tuple(problems)
        listed = _listed(by_cause(self.problems), self.SHOWN)
        super().__init__(f"{first}\n{listed}" if first else listed)


def by_cause(problems: Sequence[CellProblem]) -> list[str]:
    """Return one line per cause: cells of a column of which the same was expected, with their rows."""
    same: dict[tuple[object, ...], list[CellProblem]] = {}
    for one in problems:
        same.setdefault((one.file, one.sheet, one.column, one.expected), []).append(one)
    told = dict.fromkeys(
        _cause(found) if len(found := same[one.file, one.sheet, one.column, one.expected]) > 2 else str(one)
        for one in problems
    )
    return list(told)


def _cause(found: Sequence[CellProblem]) -> str:
    rows = list(dict.fromkeys(one.row for one in found if one.row is not None))
    first = found[0]
    sheet = "" if first.sheet is None else f", sheet {first.sheet!r}"
    more = f" and {len(rows) - 10} more" if len(rows) > 10 else ""
    values = list(dict.fromkeys(_short(one.value) for one in found))
    got = f"{', '.join(values[:3])}{', …' if len(values) > 3 else ''}"
    named = f"rows {', '.join(map(str, rows[:10]))}{more}"
    return f"{first.file}{sheet}, {named}, column {first.column!r}: got {got}, expected {first.expected}"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """One line of a text file that cannot be used, with all a reader of the file needs to fix it."""

    file: str
    line: int | None
    """Counted from 1; ``None`` when the rows did not come from a file or the whole file is meant."""
    kind: str
    """What sort of fault it is, in a few words: the key under which it is counted where it is left out."""
    found: str
    expected: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.found}, expected {self.expected}"


class LinesError(InputError):
    """Lines that cannot be used, all of them, at most ten printed.

    Parameters
    ----------
    problems
        Every bad line, in the order of the file.
    """

    SHOWN = 10

    def __init__(self, problems: Sequence[LineProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__(_listed(self.problems, self.SHOWN))


@dataclass(frozen=True, slots=True)
class StudyProblem:
    """One fault of a study file, with all a writer of studies needs to find and fix it."""

    file: str
    line: int | None
    """Counted from 1; ``None`` when the whole file is meant."""
    path: str
    """Where it is in the document, such as ``experiments.disease.items.programme.options``."""
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}, {self.path}: {self.message}" if self.path else f"{place}: {self.message}"


class StudyError(InputError):
    """A study that cannot be used: every fault, at most ten printed. Nothing of it is run.

    Parameters
    ----------
    problems
        Every fault, in the order of the file.
    """

    SHOWN = 10

    def __init__(self, problems: Sequence[StudyProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__(_listed(self.problems, self.SHOWN))

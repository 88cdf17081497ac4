"""Which results and replies lie in the folders: found by the names of their files, faults listed."""

import csv
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from concord.comparing.comparison import Comparison
from concord.errors import FileFormatError, quoted_path
from concord.files.contents import is_file, is_folder, read_bytes
from concord.files.documents import document_facts, run_facts
from concord.files.json_text import parsed
from concord.files.kept_replies import ANSWERS, FILES, JOURNAL, KeptReply, read_kept
from concord.kinds import Column, Kind
from concord.show.page.values import COMPARISON, FoundResults, Problem, ReplyTable, ResultFile
from concord.version import RESULT_FORMAT

T = TypeVar("T")
DEEPEST = 5
csv.field_size_limit(2**24)


def find_results(
    folders: Sequence[Path],
    results: Mapping[str, type[Kind]],
    names: Mapping[Path, str] = MappingProxyType({}),
) -> FoundResults:
    """Look through folders, at most five levels deep, for results of kinds, each under its name."""
    known = {**results, COMPARISON: Comparison}
    sources: list[ResultFile] = []
    problems: list[Problem] = []
    seen: set[Path] = set()
    for folder in folders:
        if not is_folder(folder) and not is_file(folder):
            named = quoted_path(folder)
            raise FileFormatError(f"{named} does not exist; expected a folder that holds results")
        for file in _candidates(folder, known):
            if file.resolve() not in seen:
                seen.add(file.resolve())
                source, faults = _taken(file, folder, known, names.get(folder, ""))
                sources += [] if source is None else [source]
                problems += faults
    if not sources:
        raise FileFormatError(_nothing_found(folders, known, problems))
    return FoundResults(tuple(sources), tuple(problems))


def _candidates(folder: Path, known: Mapping[str, type[Kind]]) -> Iterator[Path]:
    """Return the result files below a folder in the order of their names."""
    if folder.is_file():
        yield folder
        return
    names = {one.FILE for one in known.values()}
    for file in sorted(folder.rglob("*.json")):
        if file.name in names and len(file.relative_to(folder).parts) <= DEEPEST and file.is_file():
            yield file


def _nothing_found(
    folders: Sequence[Path], known: Mapping[str, type[Kind]], problems: Sequence[Problem]
) -> str:
    where = ", ".join(repr(str(folder)) for folder in folders)
    names = ", ".join(one.FILE for one in known.values())
    listed = "".join(f"\n  {problem}" for problem in problems[:10])
    return (
        f"no readable result in {where}; expected files that a scoring command wrote ({names}); "
        f"make some with: concord demo --out FOLDER{listed}"
    )


def _taken(
    file: Path, folder: Path, known: Mapping[str, type[Kind]], name: str
) -> tuple[ResultFile | None, list[Problem]]:
    """Read one file: a result where it is one, and what is wrong with it."""
    shown = _shown_path(file, folder)
    try:
        document = read_document(file)
    except FileFormatError as fault:
        return None, [Problem(shown, str(fault))]
    # a file with a name of its own is told by its content
    fitting = [one for one, kind in known.items() if kind.KEY in document]
    named = [one for one, kind in known.items() if file.name == kind.FILE]
    kind = next(iter((*named, *fitting)), "")
    if kind not in fitting:
        return None, [Problem(shown, "is not a result of Concord: no number that the page knows")]
    version = document.get("format_version")
    faults = [] if version == RESULT_FORMAT else [Problem(shown, _version_words(version))]
    run = run_facts(file.parent, folder)
    said = document_facts(document).model or run.model
    model = said or (name if name and file.parent == folder else _folder_name(file, folder))
    return ResultFile(kind, file, document, model, shown, run), faults


def _version_words(version: object) -> str:
    if version is None:
        return "has no format version: an older Concord or another program wrote it; what is known is shown"
    return f"has format version {version!r}, this Concord reads {RESULT_FORMAT}; what is known is shown"


def read_document(file: Path) -> dict[str, Any]:
    """Read a JSON object; every fault in words that may follow the name of the file."""
    try:
        data = read_bytes(file, name=file.name)
        document = parsed(file.name, data)
    except FileFormatError as fault:
        raise FileFormatError(f"is not used: {str(fault).removeprefix(file.name).lstrip(':, ')}") from fault
    if _MANY_DIGITS.search(data) and _holds_a_vast_number(document):
        raise FileFormatError("is not used: it holds a number that no float can hold; score again")
    if not isinstance(document, dict):
        raise FileFormatError(f"holds a {type(document).__name__}, expected an object")
    return document


_MANY_DIGITS = re.compile(rb"\d{300}")


def _holds_a_vast_number(document: object) -> bool:
    """Whether a whole number of a document, which JSON does not limit, is beyond every float."""
    rest = [document]
    while rest:
        value = rest.pop()
        if isinstance(value, dict | list):
            rest += value.values() if isinstance(value, dict) else value
        elif isinstance(value, int) and abs(value) > sys.float_info.max:
            return True
    return False


def _shown_path(file: Path, folder: Path) -> str:
    if file == folder:
        return file.name
    return (Path(folder.resolve().name) / file.relative_to(folder)).as_posix()


def _folder_name(file: Path, folder: Path) -> str:
    """Name a result by the folder it lies in."""
    name = file.parent.resolve().name
    return name if name else folder.resolve().name


MOST_ROWS = 20_000
"""Replies of a page; of more, evenly spread ones, and the rest is counted."""
REPLY_COLUMNS = (
    Column("result", words=True, hidden=True),
    Column("model", words=True),
    Column("study", words=True, hidden=True),
    Column("experiment", words=True, hidden=True),
    Column("condition", words=True, hidden=True),
    Column("id", title="item or participant", words=True),
    Column("mode", title="asked", words=True),
    Column("repeat", count=True, hidden=True),
    Column("outcome", words=True),
    Column("variables", title="answers", words=True, hidden=True),
    Column("read", title="read as", words=True),
    Column("length", title="characters", count=True),
    Column("text", title="reply", held="long"),
    Column("prompt", held="long", hidden=True),
    Column("told", held="long", hidden=True),
)


def find_replies(folders: Sequence[Path], sources: Sequence[ResultFile]) -> ReplyTable:
    """Read the reply files below folders; a reply without a model has that of the result beside it."""
    problems: list[Problem] = []
    found: list[list[tuple[str, KeptReply]]] = []
    files: list[str] = []
    of: dict[str, int] = {}
    for file, shown in _chosen(folders):
        source = _source_of(file, sources)
        model = file.parent.resolve().name if source is None else source.model
        result = "" if source is None else source.shown
        kept = read_kept(file)
        problems += [Problem(shown, kept.fault)] if kept.fault else []
        if kept.n_bad:
            problems.append(Problem(shown, f"{kept.n_bad} lines are not JSON objects and are not shown"))
        if kept.rows:
            found.append([(result, one if one.model else replace(one, model=model)) for one in kept.rows])
            files.append(shown)
            of[result] = of.get(result, 0) + len(kept.rows)
    rows = [row for rows in _spread_over_files(found, MOST_ROWS) for row in rows]
    return ReplyTable(tuple(rows), sum(map(len, found)), tuple(problems), tuple(files), of)


def _spread_over_files(found: Sequence[list[T]], most: int) -> Iterator[list[T]]:
    """Take an equal number of rows of each file, evenly over the file, small files whole."""
    left, shares = most, dict[int, int]()
    for done, at in enumerate(sorted(range(len(found)), key=lambda i: len(found[i]))):
        shares[at] = min(len(found[at]), left // (len(found) - done))
        left -= shares[at]
    for at, rows in enumerate(found):
        n = shares[at]
        yield rows if n == len(rows) else [rows[i * len(rows) // n] for i in range(n)]


def _source_of(file: Path, sources: Sequence[ResultFile]) -> ResultFile | None:
    """Find the result that replies belong to: the one beside them, or the only one below their folder."""
    own = [s for s in sources if s.file is not None]
    if file.name == ANSWERS:
        return next((s for s in own if s.file is not None and s.file.parent == file.parent), None)
    below = [source for source in own if source.file is not None and file.parent in source.file.parents]
    return below[0] if len({source.model for source in below}) == 1 else None


def _chosen(folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Return reply files; the journal of a run whose scored answers are there too is not told twice."""
    files = list(_files(folders))
    scored = [file.parent for file, _ in files if file.name == ANSWERS]
    for file, shown in files:
        if file.name != JOURNAL or not any(file.parent in (one, *one.parents) for one in scored):
            yield file, shown


def _files(folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    seen: set[Path] = set()
    for folder in folders:
        found = folder.rglob("*.jsonl") if folder.is_dir() else ()
        for file in sorted(found, key=lambda path: (path.parent, path.name != JOURNAL, path.name)):
            inside = file.relative_to(folder)
            if file.name in FILES and len(inside.parts) <= DEEPEST and file.resolve() not in seen:
                seen.add(file.resolve())
                yield file, (Path(folder.resolve().name) / inside).as_posix()

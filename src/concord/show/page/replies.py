"""Replies of results: which files hold them, and how many of them the page takes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from concord.files.kept_replies import ANSWERS, FILES, JOURNAL, read_kept
from concord.show.page.data import PageColumn
from concord.show.page.find import DEEPEST
from concord.show.page.values import Problem, ReplyTable, ResultFile, ShownReply

MOST_ROWS = 20_000
"""Replies of a page; of more, evenly spread ones, and the rest is counted."""
COLUMNS = (
    PageColumn("result", "result", shown=False),
    PageColumn("model", "model"),
    PageColumn("study", "study", shown=False),
    PageColumn("experiment", "experiment", shown=False),
    PageColumn("condition", "condition", shown=False),
    PageColumn("id", "item or participant"),
    PageColumn("mode", "asked"),
    PageColumn("repeat", "repeat", "count", shown=False),
    PageColumn("outcome", "outcome"),
    PageColumn("variables", "answers", shown=False),
    PageColumn("read", "read as"),
    PageColumn("length", "characters", "count"),
    PageColumn("text", "reply", "long"),
    PageColumn("prompt", "prompt", "long", shown=False),
    PageColumn("told", "told", "long", shown=False),
)


def find_replies(folders: Sequence[Path], sources: Sequence[ResultFile]) -> ReplyTable:
    """Read the reply files below folders; a reply without a model has that of the result beside it."""
    problems: list[Problem] = []
    found: list[list[ShownReply]] = []
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
            found.append([ShownReply(result, one.model if one.model else model, one) for one in kept.rows])
            files.append(shown)
            of[result] = of.get(result, 0) + len(kept.rows)
    rows = [row for rows in _spread_over_files(found, MOST_ROWS) for row in rows]
    return ReplyTable(tuple(rows), sum(map(len, found)), tuple(problems), tuple(files), of)


def _spread_over_files(found: Sequence[list[ShownReply]], most: int) -> Iterator[list[ShownReply]]:
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

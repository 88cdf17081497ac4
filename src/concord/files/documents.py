"""What every JSON document that Concord writes says first: which kind it is, and in which format version.

``{"format": "concord people result", "format_version": 2, …}``. The key is ``format``, since ``kind`` is
a key of its own in comparisons and plans. Below it are the provenance that every result carries and the
places where results lie.
"""

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from concord.errors import FileFormatError
from concord.files.codec import decode
from concord.files.contents import is_file, read_bytes
from concord.files.grids import names_of
from concord.files.json_text import parsed
from concord.files.text import vocabulary
from concord.records import InputFile, ScoredBy
from concord.version import RESULT_FORMAT, __version__

T = TypeVar("T")


def heading(kind: str) -> dict[str, Any]:
    """Return the keys that open a document."""
    return {"format": f"concord {kind}", "format_version": RESULT_FORMAT}


def check_heading(document: object, kind: str, *, where: str) -> dict[str, Any]:
    """Return a document that says what it should; refuse any other."""
    if not isinstance(document, dict):
        raise FileFormatError(f"{where}: holds a {type(document).__name__}, expected a {kind} of Concord")
    version = document.get("format_version")
    if version != RESULT_FORMAT or isinstance(version, bool):
        raise FileFormatError(
            f"{where}: format version {version!r}, expected {RESULT_FORMAT}; "
            "score again, or use the version that wrote it"
        )
    if document.get("format") != f"concord {kind}":
        found = document.get("format")
        raise FileFormatError(f"{where}: format is {found!r}, expected {f'concord {kind}'!r}")
    return document


def read_document(path: Path, kind: str) -> dict[str, Any]:
    """Read a document and check its heading."""
    document = parsed(str(path), read_bytes(path))
    return check_heading(document, kind, where=str(path))


def read_record(record: type[T], path: Path, kind: str, *, under: str | None = None) -> T:
    """Read a document back as the record that `encode` wrote, whole or under a key."""
    document = read_document(path, kind)
    if under is None:
        return decode(record, document, where=str(path))
    need_keys(document, (under,), path)
    return decode(record, document[under], where=f"{path}, {under!r}")


def need_keys(document: Mapping[str, Any], keys: Sequence[str], where: object) -> None:
    """Refuse a document that lacks a key."""
    lacking = [key for key in keys if key not in document]
    if lacking:
        raise FileFormatError(f"{where}: has no key {lacking[0]!r}; is this a result that Concord wrote?")


_PACKAGES = ("numpy", "scipy", "polars", "fastexcel")


def provenance(inputs: Iterable[InputFile], by: ScoredBy | None = None) -> dict[str, Any]:
    """Return format and package versions, inputs with their hashes, and the commit where it is known."""
    return {
        "format_version": RESULT_FORMAT,
        "concord_version": __version__,
        "commit": commit_of(Path(__file__).parents[3]),
        "python_version": platform.python_version(),
        "packages": _versions(),
        "inputs": [asdict(file) for file in inputs],
        **recorded(by),
    }


def recorded(by: ScoredBy | None) -> dict[str, Any]:
    """Return what files say of who computed a result, as keys of its document; none where they do not."""
    return {} if by is None or by.concord_version is None else asdict(by)


def _versions() -> dict[str, str]:
    """Return the versions of the packages that numbers come from."""
    return {name: _version(name) for name in _PACKAGES}


@cache
def _version(package: str) -> str:
    """Return an installed version; reading it takes milliseconds, and every document names it."""
    return metadata.version(package)


def commit_of(checkout: Path) -> str | None:
    """Return the commit of a checkout or worktree; None for anything else, such as an installed wheel."""
    git = checkout / ".git"
    if git.is_file():
        git = checkout / git.read_text("utf-8").strip().removeprefix("gitdir: ")
    head = git / "HEAD"
    if not head.is_file():
        return None
    text = head.read_text("utf-8").strip()
    if not text.startswith("ref: "):
        return text
    common = git / "commondir"
    shared = git / common.read_text("utf-8").strip() if common.is_file() else git
    name = text.removeprefix("ref: ")
    ref = shared / name
    return ref.read_text("utf-8").strip() if ref.is_file() else _packed(shared / "packed-refs", name)


def _packed(path: Path, ref: str) -> str | None:
    if not path.is_file():
        return None
    lines = [line.split() for line in path.read_text("utf-8").splitlines()]
    return next((parts[0] for parts in lines if len(parts) == 2 and parts[1] == ref), None)


BELOW = (".", "results", "consistency", "results/consistency")
"""A scored table, a scored run, a scored structure table, a scored structure run."""


def folder_with(source: object, *files: str) -> Path | None:
    """Return the folder that holds all these files: the path itself, or where a run or a scoring put them."""
    if not isinstance(source, str | os.PathLike):
        return None
    for place in BELOW:
        folder = Path(source) / place
        if all(is_file(folder / name) for name in files):
            return folder
    return None


def holding_folder(source: Path, *files: str) -> Path:
    """Return the folder that holds all these files; the path itself where none does, for a message of it."""
    found = folder_with(source, *files)
    return source if found is None else found


def folder_name(source: str | os.PathLike[str]) -> str:
    """Name a result by the folder that was given, not by where in it the files lie."""
    folder = Path(source).absolute()
    if folder.name in ("..", "."):
        folder = folder.resolve()
    while folder.name in ("results", "consistency") and folder.parent.name:
        folder = folder.parent
    return folder.name


_TOLD = (
    "format_version", "concord_version", "commit", "python_version", "packages", "seed", "options",
    "protocol", "protocol_choices", "reading", "rules", "model_settings", "tokens", "cost",
)  # fmt: skip
"""Keys that say how a result was made."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What a result's document tells of itself."""

    format: str = ""
    format_version: object = None
    model: str = ""
    models: tuple[str, ...] = ()
    """Models that it names, where it holds several."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """What must be the same for numbers to be in one table, by name: ``protocol``, ``reading``, ``rules``."""
    design: str = ""
    synthetic: bool = False
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    tokens: tuple[int, int] | None = None
    """Read and written."""
    made: tuple[tuple[str, str], ...] = ()
    """Everything that says how it was made, by its path in the document."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the record of a run tells."""

    kind: str = ""
    """``run``, where it is one of Concord's."""
    model: str = ""
    design: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    templates: tuple[tuple[str, str], ...] = ()
    """Prompt templates and their hashes."""
    tokens: tuple[int, int] | None = None
    max_tokens: int | None = None
    n_trials: int | None = None
    n_not_asked: int = 0
    """Trials that the run did not reach."""


def document_facts(document: Mapping[str, Any]) -> DocumentFacts:
    """Read what a document tells of itself."""
    names = [text_of(one, "model") or text_of(one, "name") for one in objects_of(document.get("models"))]
    inputs = document.get("inputs")
    files = objects_of(list(inputs.values()) if isinstance(inputs, Mapping) else inputs)
    problems = document.get("problems")
    return DocumentFacts(
        format=text_of(document, "format"),
        format_version=document.get("format_version"),
        model=text_of(document, "model") or text_of(document, "agent"),
        models=tuple(names) if any(names) else (),
        choices={name: _choice(document, name) for name in ("protocol", "reading", "rules")},
        design=text_of(document, "design"),
        synthetic=document.get("synthetic") is True,
        warnings=_texts(document.get("warnings")),
        problems=_texts(problems.get("list")) if isinstance(problems, Mapping) else (),
        inputs=tuple(
            InputFile(text_of(one, "name"), text_of(one, "sha256"), _whole_number(one.get("size"), 0))
            for one in files
        ),
        settings=tuple(_leaves(document.get("model_settings"))),
        tokens=_tokens(document.get("tokens")),
        made=tuple(_leaves({key: document[key] for key in _TOLD if key in document})),
    )


def run_facts(folder: Path, top: Path) -> RunFacts:
    """Read `run.json` in the folder of a result or above it, not above what was given."""
    for place in (folder, *folder.parents):
        if (place / "run.json").is_file():
            try:
                held = parsed("run.json", read_bytes(place / "run.json"))
            except FileFormatError:
                return RunFacts()
            return _of_run(held) if isinstance(held, Mapping) else RunFacts()
        if place.resolve() == top.resolve():
            break
    return RunFacts()


def _of_run(held: Mapping[str, Any]) -> RunFacts:
    options, sampling, outcomes = (_object(held, key) for key in ("options", "sampling", "outcomes"))
    limit, n_trials = _whole_number(sampling.get("max_tokens"), -1), _whole_number(held.get("n_trials"), -1)
    return RunFacts(
        kind=text_of(held, "kind"),
        model=text_of(held, "model"),
        design=text_of(options, "design"),
        settings=tuple(_leaves(sampling)),
        options=tuple(
            _leaves({name: one for name, one in options.items() if not isinstance(one, list | dict)})
        ),
        templates=tuple(_leaves(_object(held, "templates"))),
        tokens=_tokens(held.get("tokens")),
        max_tokens=limit if limit >= 0 else None,
        n_trials=n_trials if n_trials >= 0 else None,
        n_not_asked=_whole_number(outcomes.get("not asked"), 0) if n_trials >= 0 else 0,
    )


def _object(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = document.get(key)
    return found if isinstance(found, Mapping) else {}


def _choice(document: Mapping[str, Any], name: str) -> str:
    """Return a choice; two results under one name and other choices differ too."""
    said = text_of(document, name)
    if name != "protocol":
        return said
    choices = document.get("protocol_choices")
    default = text_of(choices, "name") if isinstance(choices, Mapping) else said
    return said if default in (said, "") else f"{said} ({default})"


def text_of(document: Mapping[str, Any], key: str) -> str:
    """Return the text at a key; empty where there is none."""
    found = document.get(key)
    return found if isinstance(found, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def objects_of(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list; nothing where it is none."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _whole_number(value: object, default: int) -> int:
    known = isinstance(value, int) and not isinstance(value, bool)
    return int(value) if known and isinstance(value, int) else default


def _tokens(value: object) -> tuple[int, int] | None:
    if not isinstance(value, Mapping):
        return None
    read, written = (_whole_number(value.get(key), -1) for key in ("input", "output"))
    return (read, written) if min(read, written) >= 0 else None


def _leaves(document: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Return every leaf of a document with its path, for a table of settings."""
    if isinstance(document, Mapping):
        for key, value in document.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key))
    elif isinstance(document, list):
        yield name, ", ".join(str(one) for one in document)
    elif document is not None:
        yield name, str(document)


@dataclass(frozen=True, slots=True)
class FileCheck:
    """Whether a file is well formed, and what it holds."""

    file: str
    problems: tuple[str, ...]
    """What keeps the file from being used, or contradicts itself; empty when the check passes."""
    warnings: tuple[str, ...]
    counts: dict[str, int]
    """What there is: studies, findings and tests, or replies and their outcomes."""
    kind: str = "table of tests"
    commands: tuple[str, ...] = ()
    """Which commands take such a file."""
    columns: tuple[tuple[str, str], ...] = ()
    """Every column with what it holds; nothing where it is not used."""

    @property
    def passed(self) -> bool:
        """Nothing was found that must be fixed."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `concord check --json` prints."""
        return {"file": self.file, "kind": self.kind, "passed": self.passed, **asdict(self)}


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file of a question: how it is recognised, and how it is checked."""

    check: Callable[[Path], FileCheck]
    suffixes: tuple[str, ...] = ()
    """How its name ends, where that is enough."""
    key: str | None = None
    """A key of a JSON object that holds a list in such a file."""
    field: str | None = None
    """A key of the objects of a JSON list that such a file is."""
    commands: tuple[str, ...] = ()
    """Which commands take such a file."""


@dataclass(frozen=True, slots=True)
class TableKind:
    """A kind of table by its columns."""

    kind: str
    command: str
    needs: tuple[tuple[str, ...], ...]
    """Groups of names, of each of which one must be there."""
    columns: Mapping[str, tuple[str, ...]]
    """What columns of these names hold."""
    without: frozenset[str] = frozenset()

    def fits(self, names: set[str]) -> bool:
        """Whether a table of these columns is of this kind."""
        return not names & self.without and all(names & set(group) for group in self.needs)

    def lacks(self, names: set[str]) -> list[str]:
        """Return what a table of these columns would need to be of this kind, by the first names."""
        return [group[0] for group in self.needs if not names & set(group)]

    def understood(self, header: Sequence[str], plain: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return every column with what it holds; nothing where it is not used."""
        meant = {name: meaning for meaning, names in self.columns.items() for name in names}
        held = [meant.get(name, meant.get(name.partition(":")[0], "")) for name in plain]
        return tuple(zip(header, held, strict=True))


def needed_columns(kind: str) -> list[tuple[str, ...]]:
    """Return the columns that tables of a kind need, by the first names, for each form that it has."""
    forms = [one for one in table_kinds() if one.kind == kind]
    return [tuple(names[0] for names in one.needs) for one in forms]


@cache
def table_kinds() -> tuple[TableKind, ...]:
    """Return the kinds of tables, the most specific first."""
    made = []
    for one in vocabulary()["kinds"]:
        names = names_of(one["of"]) if "of" in one else {}

        def called(parts: Sequence[str], names: Mapping[str, tuple[str, ...]] = names) -> tuple[str, ...]:
            # a name after a sign of equality is meant itself, not what it may be called
            return tuple(name for part in parts for name in names.get(part, (part.removeprefix("="),)))

        columns = {meaning: called(parts) for meaning, parts in one["columns"].items()}
        needs, without = tuple(map(called, one["needs"])), frozenset(one.get("without", ()))
        made.append(TableKind(one["kind"], one["command"], needs, columns, without))
    return tuple(made)

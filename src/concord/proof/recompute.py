"""Results of a pack computed again by the ordinary functions, and documents compared field by field."""

import hashlib
import math
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from inspect import signature
from pathlib import Path, PurePosixPath
from typing import Any

from concord.asking.folder import read_run
from concord.asking.recorded import score_bundled, score_run, write_answers
from concord.errors import FileFormatError, OptionError
from concord.files.archive import safe_member
from concord.files.codec import decode
from concord.files.json_text import filled_lines, parsed
from concord.people.agents import AgentsResult
from concord.people.protocol import Protocol
from concord.people.public import RANKS, write_ranks
from concord.proof import packs
from concord.records import InputFile

PLAIN_OPTIONS = frozenset({
    "sheet", "encoding", "decimal_comma", "agent_column", "missing", "questions", "weights", "strict",
    "margin", "level", "seed", "n_resamples", "resamples", "column", "percent", "lenient", "samples",
    "chance", "cluster",
})  # fmt: skip
"""Options of scoring that a pack may name; none of them is a path or a function."""


def fingerprint_of(data: bytes) -> InputFile:
    """Return the hash and size of a file whose name does not matter."""
    return InputFile("", hashlib.sha256(data).hexdigest(), len(data))


def short(value: object) -> str:
    """Return a value as findings show it."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


def values_of(name: str, data: bytes) -> object:
    """Return the content of a file as values with names: JSON, JSON lines, or lines with cells."""
    try:
        if name.endswith(".json"):
            return parsed(name, data)
        if name.endswith(".jsonl"):
            return [parsed(name, raw) for _, raw in filled_lines(name, data)]
    except FileFormatError:
        return data.decode("utf-8", "replace")
    if name.endswith(".html"):  # texts, and the numbers between them
        return _NUMBER.split(data.decode("utf-8", "replace"))
    lines = data.decode("utf-8", "replace").splitlines()
    return {
        f"line {i}": line.split(",") if name.endswith(".csv") else line for i, line in enumerate(lines, 1)
    }


def different(
    first: object, second: object, tolerance: float = 0.0, place: str = ""
) -> Iterator[tuple[str, object, object]]:
    """Return where two documents differ, with both values."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in (*first, *(key for key in second if key not in first)):
            inner = f"{place}.{key}" if place else str(key)
            if key not in first or key not in second:
                yield inner, first.get(key, "(none)"), second.get(key, "(none)")
            else:
                yield from different(first[key], second[key], tolerance, inner)
    elif isinstance(first, list | tuple) and isinstance(second, list | tuple):
        if len(first) != len(second):
            yield f"{place} (length)", len(first), len(second)
        for i, (one, other) in enumerate(zip(first, second, strict=False)):
            yield from different(one, other, tolerance, f"{place}[{i}]")
    elif not _equal(first, second, tolerance):
        yield place, first, second


def _equal(first: object, second: object, tolerance: float) -> bool:
    if type(first) is type(second) and first == second:
        return True
    if tolerance <= 0:
        return False
    try:
        one, other = float(str(first)), float(str(second))
    except ValueError:
        return False
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)


_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)")
_REASONED = frozenset({"samples", "replies", "bias_cases", "bias_replies"})


class NotInFilesError(OptionError):
    """What a result was computed from was never a file: nobody can compute it again from a pack."""


def _data(top: Path, recipe: packs.Recipe) -> list[Path]:
    """Return the files of the pack that a result was computed from; its own word for them is not trusted."""
    digests = [one.sha256 for one in recipe.sources]
    known = [one for one in digests if re.fullmatch("[0-9a-f]{64}", one)]
    paths = [path for one in known for path in (top / packs.DATA / one[:12]).glob("*")]
    if len(paths) != len(digests) or not paths:
        raise OptionError("the data are not in the pack")
    return paths


def _inputs(top: Path, recipe: packs.Recipe) -> Mapping[str, Any] | list[Any]:
    """Return what a result's own document says of its files."""
    told = parsed(recipe.document, (top / recipe.folder / recipe.document).read_bytes())
    held: Mapping[str, Any] | list[Any] = told.get("inputs", [])
    return held


def _below_their_folders(top: Path, recipe: packs.Recipe, paths: Sequence[Path]) -> list[Path]:
    """Return the files below folders of the names that they were scored in: structure names both."""
    found = []
    for i, (one, path) in enumerate(zip(_inputs(top, recipe), paths, strict=True)):
        folder = PurePosixPath(safe_member(one["name"], recipe.document)).parent.name
        found.append(top.parent / "named" / str(i) / folder / path.name)
        found[-1].parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, found[-1])
    return found


def score_packed(top: Path, recipe: packs.Recipe, made: Path, tools: packs.Tools) -> None:
    """Score a table of the pack again, by the ordinary function."""
    paths = _data(top, recipe)
    options = dict(recipe.options)
    if isinstance(options.get("protocol"), Mapping):
        options["protocol"] = decode(Protocol, options["protocol"], where="protocol")
    function = tools.score[recipe.function]
    if "engine" in signature(function).parameters:
        options["engine"] = tools.engine
    found = function(*_sources(top, recipe, paths), **_named_sources(top, recipe, paths), **options)
    if isinstance(found, AgentsResult):
        names = found.to_dict().get("folders", {})
        if not any((top / recipe.folder / name).is_dir() for name in names.values()):
            found = replace(found, one=None)  # written without a folder per agent
        if (top / recipe.folder / RANKS).is_file():
            write_ranks(found.agents, made)
    found.write(made)


def _sources(top: Path, recipe: packs.Recipe, paths: Sequence[Path]) -> list[Any]:
    """Return what a function takes of the files: one of them, or each in its place."""
    if recipe.function == "score_hints" and len(paths) > 1:
        folder = paths[0].parent.parent / "hints"
        folder.mkdir(exist_ok=True)
        for path in paths:
            shutil.copy(path, folder / path.name)
        return [folder]
    if recipe.function == "score_structure":
        named = _below_their_folders(top, recipe, paths)
        return [None, None, *named] if len(named) == 1 else named
    return [] if recipe.function == "score_reasoning" else list(paths)


def _named_sources(top: Path, recipe: packs.Recipe, paths: Sequence[Path]) -> dict[str, Path]:
    """Return files by the names that a document of reasoning has for them."""
    if recipe.function != "score_reasoning":
        return {}
    told = zip(_inputs(top, recipe), paths, strict=True)
    named = {name: path for name, path in told if name in _REASONED}
    if named.get("samples") == named.get("replies"):  # one table holds both
        named.pop("samples")
    return named


def _score_run_again(top: Path, recipe: packs.Recipe, made: Path, tools: packs.Tools) -> None:
    """Score a run of the pack again, with the answers that were read."""
    options = dict(recipe.options)
    if isinstance(options.get("protocol"), Mapping):
        options["protocol"] = decode(Protocol, options["protocol"], where="protocol")
    folder = top / recipe.folder
    if recipe.sources:
        options |= dict(people=_data(top, recipe)[0])
        if (folder / "results" / "description.json").is_file():  # described before people answered
            score_run(folder, partial=True).write(made)
    found = score_run(folder, partial=True, **options)
    found.write(made)
    write_answers(read_run(folder), made)


def _score_bundled_again(top: Path, recipe: packs.Recipe, made: Path, tools: packs.Tools) -> None:
    """Score the bundled replies again, where these are what the result was computed from."""
    question = str(recipe.options["question"])
    bundled = resources.files("concord").joinpath(question, "data", "recorded").is_dir()
    found = score_bundled(question) if bundled else None
    inputs = () if found is None else packs.listed_inputs(found.to_dict())
    if found is None or sorted({one.sha256 for one in inputs}) != recipe.options["hashes"]:
        raise NotInFilesError("it was computed from data in memory, which no file holds")
    found.write(made)


CALLS: Mapping[str, Callable[[Path, packs.Recipe, Path, packs.Tools], None]] = {
    "score_run": _score_run_again,
    "score_bundled": _score_bundled_again,
}

"""Study files: read, checked, found (bundled, of a folder, of other packages), and their variants."""

import difflib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from warnings import warn

import yaml
from pydantic import BaseModel, ValidationError

from concord.errors import NAME_SHOWN, FileFormatError, InputError, OptionError, StudyError, StudyProblem
from concord.files.contents import unreadable
from concord.files.yaml_file import Path_, YamlFile, read_file, read_yaml
from concord.people.memory import MARK
from concord.people.studies import format as study_format
from concord.people.studies.checks import check_study
from concord.people.studies.format import FILL_IN, Study, StudyFile
from concord.records import InputFile

ENTRY_POINTS = "concord.studies"
"""Entry points of this group name a package (or folder of one) that holds study files."""

Check = Callable[[Study, YamlFile], tuple[list[StudyProblem], list[str]]]
"""A study and its document to what is wrong with it, and to what is only worth a warning."""
_checks: list[Check] = []
_NOTHING = object()


def check_with(check: Check) -> None:
    """Check every study that is read from now on with this too."""
    # What a study says about tests is checked by the reader of tables of tests. The package adds that check,
    # so that reading a study's form and holding its sessions need no statistics.
    _checks.append(check)


def read_study(source: Path | bytes, *, name: str | None = None) -> StudyFile:
    """Read a study file and check all of it.

    Parameters
    ----------
    source
        The file, or its bytes.
    name
        What to call it in messages.
    """
    raw = source if isinstance(source, bytes) else read_file(source)
    called = name if name is not None else "YAML" if isinstance(source, bytes) else source.name
    return _checked(raw, called)


@cache
def _checked(raw: bytes, name: str) -> StudyFile:
    """Check a file once: a design, its sessions and its scores all ask for the study of the same bytes."""
    document = read_yaml(raw, name=name)
    if not isinstance(document.data, dict):
        raise StudyError([StudyProblem(document.name, 1, "", "expected a mapping with the key 'study'")])
    open_places = [document.problem(path, text) for path, text in _to_fill_in(document.data)]
    if open_places:
        raise StudyError(open_places)
    try:
        study = Study.model_validate(document.data)
    except ValidationError as fault:
        raise StudyError(_problems(document, fault)) from fault
    problems, warnings = check_study(study, document), list[str]()
    for check in _checks:
        if not problems:
            problems, told = check(study, document)
            warnings += told
    if problems:
        raise StudyError(sorted(problems, key=lambda bad: -1 if bad.line is None else bad.line))
    file = InputFile(document.name, hashlib.sha256(raw).hexdigest(), len(raw))
    return StudyFile(study, file, tuple(warnings), raw)


def _to_fill_in(data: Any, path: Path_ = ()) -> Iterator[tuple[Path_, str]]:
    """Yield what a draft leaves to a person."""
    if isinstance(data, str) and data.startswith(FILL_IN):
        yield path, f"to be filled in{data.removeprefix(FILL_IN)}"
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield from _to_fill_in(value, (*path, key))


_MEANT = 50
"""Unknown keys for which the nearest known one is looked for: each costs as much as all known keys."""


def _problems(document: YamlFile, fault: ValidationError) -> list[StudyProblem]:
    """Name every fault of the form by its line; those at one place are joined."""
    said: dict[Path_, list[str]] = {}
    for error in fault.errors(include_url=False, include_context=False):
        about_key = error["type"] in ("missing", "extra_forbidden")
        path = _document_path(document.data, error["loc"], about_key=about_key)
        text = _in_our_words(error["msg"], error["type"], error.get("input"))
        if error["type"] == "extra_forbidden" and len(said) < _MEANT:
            text += _meant(str(error["loc"][-1]))
        if text not in said.setdefault(path, []):
            said[path].append(text)
    return [document.problem(path, "; or ".join(texts)) for path, texts in said.items()]


def _document_path(data: Any, loc: tuple[str | int, ...], *, about_key: bool) -> Path_:
    """Keep of pydantic's path what is in the document, and the name of a missing key."""
    path: list[str | int] = []
    for i, part in enumerate(loc):
        inside = _inside(data, part)
        if inside is not _NOTHING:
            data = inside
        elif not (about_key and i == len(loc) - 1):
            continue
        path.append(part)
    return tuple(path)


def _inside(data: Any, part: str | int) -> Any:
    """Return what is under a key or at a place."""
    if isinstance(data, dict):
        return data.get(part, _NOTHING)
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return data[part]
    return _NOTHING


def _in_our_words(message: str, kind: str, value: object) -> str:
    if kind == "missing":
        return "missing; this key is required"
    if kind == "extra_forbidden":
        return "this key is not known here"
    if kind == "list_type":
        return (
            f"got {value!r}: expected a list, as in [{value}]"
            if isinstance(value, str)
            else "expected a list"
        )
    if kind == "union_tag_invalid" and isinstance(value, dict):
        return f"type: {value['type']!r} is no type of item; {message.partition('expected tags: ')[2]} are"
    text = message.removeprefix("Value error, ")
    plain = not isinstance(value, dict | list | Study)
    return f"got {value!r}: {text[0].lower()}{text[1:]}" if plain and value is not None else text


def _meant(key: str) -> str:
    """Name the key that a misspelt one is nearest to."""
    if len(key) > NAME_SHOWN:
        return ""
    near = difflib.get_close_matches(key, _known_keys(), n=1, cutoff=0.75)
    return f"; did you mean {near[0]!r}?" if near and near[0] != key else ""


@cache
def _known_keys() -> list[str]:
    models = [
        one for one in vars(study_format).values() if isinstance(one, type) and issubclass(one, BaseModel)
    ]
    return sorted({name for model in models for name in model.model_fields})


MANY_LABS, PLACEBO = "many-labs-2", "placebo"
"""Sets of bundled studies, by which all of their studies are named."""
_OF_MANY_LABS = "ml2-"


def bundled_studies() -> dict[str, StudyFile]:
    """Read the classic studies that come with Concord, by name: those that are asked where none is named."""
    return {name: _bundled_study(name) for name in bundled_names() if not name.startswith(_OF_MANY_LABS)}


def _bundled_study(name: str) -> StudyFile:
    file = resources.files("concord.people.studies") / f"{name}.yaml"
    return read_study(file.read_bytes(), name=file.name)


def bundled_names() -> tuple[str, ...]:
    """Return the names of all bundled studies, which are those of their files."""
    folder = resources.files("concord.people.studies")
    return tuple(sorted(e.name.removesuffix(".yaml") for e in folder.iterdir() if e.name.endswith(".yaml")))


def _members_of_set(name: str) -> tuple[str, ...]:
    """Return the studies of a set, or the study itself."""
    if name not in (MANY_LABS, PLACEBO):
        return (name,)
    own = [one for one in bundled_names() if one.startswith(_OF_MANY_LABS)]
    return tuple(one for one in own if name == MANY_LABS or _bundled_study(one).study.placebo is not None)


def folder_studies(folder: Path) -> dict[str, StudyFile]:
    """Read every ``*.yaml`` and ``*.yml`` file of a folder."""
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileFormatError(f"{folder}: no such folder") from error
    except (OSError, ValueError) as error:
        raise FileFormatError(unreadable(str(folder), error)) from error
    if not files:
        raise FileFormatError(f"{folder}: holds no study file (*.yaml)")
    return _by_name(read_study(path) for path in files)


def installed_studies() -> dict[str, StudyFile]:
    """Read the studies that other installed packages bring by entry point.

    A package that is broken, or a study of it that cannot be read, is left out with a `UserWarning` that
    names it: one package must not keep a user from the others.
    """
    found: dict[str, StudyFile] = {}
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        try:
            module, _, inner = entry.value.partition(":")
            folder = resources.files(module).joinpath(inner) if inner else resources.files(module)
            files = sorted(folder.iterdir(), key=lambda e: e.name)
        except (ImportError, OSError, ValueError, TypeError, AttributeError) as error:
            warn(f"the studies of the package {entry.value!r} cannot be read: {error}", stacklevel=2)
            continue
        for file in files:
            if file.name.endswith((".yaml", ".yml")):
                _add_installed(found, f"{entry.name}/{file.name}", file)
    return found


def _add_installed(found: dict[str, StudyFile], name: str, file: Traversable) -> None:
    """Read one study of another package, unless it cannot be read or its name is taken."""
    try:
        one = read_study(file.read_bytes(), name=name)
    except (InputError, OSError) as error:
        warn(f"{name}: left out: {str(error).splitlines()[0]}", stacklevel=3)
        return
    if one.name in found:
        warn(
            f"{name}: left out: {found[one.name].file.name} holds a study named {one.name!r} too",
            stacklevel=3,
        )
    found.setdefault(one.name, one)


def _by_name(files: Iterable[StudyFile]) -> dict[str, StudyFile]:
    known: dict[str, StudyFile] = {}
    for one in files:
        if one.name in known:
            other = known[one.name].file.name
            raise FileFormatError(f"{one.file.name} and {other} both hold a study named {one.name!r}")
        known[one.name] = one
    return known


def find_studies(names: Iterable[str] = (), *, folder: Path | None = None) -> tuple[StudyFile, ...]:
    """Find studies by name or path.

    Parameters
    ----------
    names
        Names, or paths of study files (they end in ``.yaml`` or ``.yml``); ``many-labs-2`` and ``placebo``
        are sets of bundled ones. Without any, all of the folder or, without a folder, the classic ones.
    folder
        A folder with studies of your own; its studies go before bundled ones of the same name.
    """
    own = {} if folder is None else folder_studies(folder)
    wanted = tuple(dict.fromkeys(one for name in names for one in _members_of_set(name)))
    if not wanted:
        return tuple((own if folder is not None else bundled_studies()).values())
    return tuple(_find(name, own) for name in wanted)


def _find(name: str, own: dict[str, StudyFile]) -> StudyFile:
    if name.endswith((".yaml", ".yml")):
        return read_study(Path(name))
    if name in own:
        return own[name]
    if name in bundled_names():
        return _bundled_study(name)
    others = installed_studies()
    if name in others:
        return others[name]
    known = sorted({*own, *bundled_names(), *others, MANY_LABS, PLACEBO})
    near = difflib.get_close_matches(name, known, 1, 0.75) if len(name) <= NAME_SHOWN else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise OptionError(
        f"there is no study {name!r}{hint}; there are {', '.join(known)}; or give the path of a .yaml file"
    )


ALL = "all"
_NOT_WORDS = ("of_session", "when", "type", "roles", "feedback", "participants")
"""Parts of an experiment that no variant changes; derived variables may hold numbers of the materials."""


def with_variants(files: Iterable[StudyFile], wanted: str) -> tuple[StudyFile, ...]:
    """Return studies followed by the wanted variant of each, or by all of them."""
    found: list[StudyFile] = []
    known: dict[str, list[str]] = {}
    for file in files:
        found.append(file)
        names = list(file.study.variants)
        known[file.name] = names
        found.extend(variant_of(file, name) for name in names if wanted in (ALL, name))
    if all(MARK not in file.name for file in found):
        listed = "; ".join(f"{study}: {', '.join(names)}" for study, names in known.items() if names)
        raise OptionError(f"no study here has a variant {wanted!r}; those there are: {listed or 'none'}")
    return tuple(found)


def variant_of(file: StudyFile, name: str) -> StudyFile:
    """Return a variant of a study as a study file of its own."""
    spec = file.study.variants[name]
    document: dict[str, Any] = read_yaml(file.raw, name=file.file.name).data
    kept = {key: document["experiments"][key] for key in spec.experiments if key in document["experiments"]}
    unused = [old for old in spec.replace if not _holds(kept, old)]
    if unused or len(kept) < len(spec.experiments):
        told = (
            f"'{unused[0]}' is not in its experiments"
            if unused
            else "it names an experiment that is not there"
        )
        raise StudyError([StudyProblem(file.file.name, None, f"variants.{name}", told)])
    changed = {
        key: value for key, value in document.items() if key not in ("variants", "experiments", "findings")
    }
    changed["study"] = f"{file.study.study}{MARK}{name}"
    changed["experiments"] = _replaced(kept, spec.replace)
    changed["findings"] = _findings(document["findings"], spec.experiments)
    raw = yaml.safe_dump(changed, allow_unicode=True, sort_keys=False, width=1000).encode("utf-8")
    return read_study(raw, name=f"{changed['study']}.yaml")


def _findings(findings: Mapping[str, Any], experiments: Iterable[str]) -> dict[str, Any]:
    """Keep the tests of some experiments."""
    wanted = set(experiments)
    kept = {
        key: {**value, "tests": [test for test in value["tests"] if test["experiment"] in wanted]}
        for key, value in findings.items()
    }
    return {key: value for key, value in kept.items() if value["tests"]}


def _holds(value: object, words: str) -> bool:
    if isinstance(value, str):
        return words in value
    if isinstance(value, Mapping):
        return any(_holds(inner, words) for key, inner in value.items() if key not in _NOT_WORDS)
    return isinstance(value, list) and any(_holds(inner, words) for inner in value)


def _replaced(value: Any, words: Mapping[str, str]) -> Any:
    """Replace words in every text of the materials; keys and formulas stay."""
    if isinstance(value, str):
        for old, new in words.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {key: inner if key in _NOT_WORDS else _replaced(inner, words) for key, inner in value.items()}
    return [_replaced(inner, words) for inner in value] if isinstance(value, list) else value

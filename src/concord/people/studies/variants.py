"""Variants of a study: the same manipulation and tests in other words, as a study file of its own."""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from concord.errors import OptionError, StudyError, StudyProblem
from concord.files.yaml_file import read_yaml
from concord.people.memory.names import MARK
from concord.people.studies.load import read_study
from concord.people.studies.study_file import StudyFile

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

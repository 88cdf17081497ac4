"""The Python reference: every public name has one place on it, and what a result holds is described too."""

import ast
import dataclasses
import importlib
import inspect
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import concord
import concord.api
import concord.asking.runs
import concord.errors
import concord.people.apa.read
import concord.stats
from concord import studies

API = Path(__file__).resolve().parents[2] / "docs" / "reference" / "api"
PUBLIC = (concord, concord.api, concord.asking.runs, studies, concord.stats, concord.people.apa.read)


def _paths() -> list[str]:
    """Return every object that a page of the reference describes, as the page names it."""
    pages = sorted(API.glob("*.md"))
    return [path for page in pages for path in re.findall(r"^::: (\S+)$", page.read_text("utf-8"), re.M)]


def _object(path: str) -> Any:
    """Return what a dotted path names."""
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            found = getattr(found, name)
        return found
    raise AssertionError(f"{path} names nothing")


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return {path: _object(path) for path in _paths()}


def test_nothing_is_described_twice(described: dict[str, Any]) -> None:
    assert len(_paths()) == len(described)
    assert len({id(value) for value in described.values()}) == len(described)


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.__name__)
def test_every_public_name_is_described(module: Any, described: dict[str, Any]) -> None:
    objects = {id(value) for value in described.values()}
    lacking = [name for name in module.__all__ if id(getattr(module, name)) not in objects]
    assert lacking == (["__version__"] if module is concord else [])
    assert "`concord.__version__`" in (API / "index.md").read_text("utf-8")


def test_every_error_and_every_fault_it_lists_is_described(described: dict[str, Any]) -> None:
    classes = [value for value in vars(concord.errors).values() if inspect.isclass(value)]
    own = [value for value in classes if value.__module__ == "concord.errors"]
    assert [value.__name__ for value in own if value not in described.values()] == []


def _types(annotation: Any) -> Iterator[type]:
    """Return Concord's classes that an annotation names, however deep."""
    if inspect.isclass(annotation) and annotation.__module__.startswith("concord."):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from _types(inner)


def test_the_types_inside_results_are_described(described: dict[str, Any]) -> None:
    held = {
        found
        for path, kind in described.items()
        if "result" in path.casefold() and dataclasses.is_dataclass(kind)
        for annotation in typing.get_type_hints(kind).values()
        if typing.get_origin(annotation) is not typing.ClassVar  # its declaration, not what it holds
        for found in _types(annotation)
    }
    assert {kind.__name__ for kind in held if kind not in described.values()} == set()


def test_every_described_object_says_what_it_is(described: dict[str, Any]) -> None:
    silent = [
        path
        for path, value in described.items()
        if (inspect.isclass(value) or inspect.isfunction(value)) and not inspect.getdoc(value)
    ]
    assert silent == []


def test_what_users_do_not_import_has_one_line_and_its_formula(described: dict[str, Any]) -> None:
    kinds = [value for value in described.values() if inspect.isclass(value)]
    public = {f"{one.__module__}.{one.__qualname__}" for kind in kinds for one in kind.__mro__}
    public |= {
        f"{one.__module__}.{one.__qualname__}" for one in described.values() if inspect.isfunction(one)
    }
    root = Path(concord.__file__).parent
    found = []
    for path in sorted(root.rglob("*.py")):
        module = ".".join(("concord", *path.relative_to(root).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        for top in ast.parse(path.read_text("utf-8")).body:
            if isinstance(top, ast.FunctionDef | ast.ClassDef) and f"{module}.{top.name}" not in public:
                inside = [one for one in ast.walk(top) if isinstance(one, ast.FunctionDef | ast.ClassDef)]
                texts = [ast.get_docstring(one) for one in inside]
                found += [f"{module}.{top.name}" for text in texts if text and "\nParameters\n---" in text]
    assert len(found) <= 5, found


PAGES = [API.parents[2] / "README.md", *sorted(API.parents[1].rglob("*.md"))]


def _named_in_pages() -> Iterator[tuple[str, Any]]:
    """Return everything of Concord that the pages import, or name in full."""
    for page in PAGES:
        text = page.read_text("utf-8")
        for module, names in re.findall(r"^from (concord[\w.]*) import ([\w, ]+)$", text, re.MULTILINE):
            yield from ((f"{module}.{name}", _object(f"{module}.{name}")) for name in names.split(", "))
        for path in re.findall(r"`(concord(?:\.\w+){2,})`", text):
            yield path, _object(path)


def test_whatever_the_pages_import_or_name_is_described(described: dict[str, Any]) -> None:
    objects = {id(value) for value in described.values()}
    methods = {
        id(member)
        for value in described.values()
        if inspect.isclass(value)
        for member in vars(value).values()
    }
    lacking = {path for path, value in _named_in_pages() if id(value) not in objects | methods}
    assert {path for path in lacking if not inspect.ismodule(_object(path))} == set()

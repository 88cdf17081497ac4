"""Tools of the documentation, loaded: their folder is not a package."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from concord import studies
from concord.files.public import public_tables

ROOT = Path(__file__).resolve().parents[2]
RECORDED = [name for name, one in public_tables().items() if one.title]
GENERATED = frozenset(
    {
        *(f"reference/studies/{name}.md" for name in ("index", *studies.bundled_names())),
        *(f"reference/recorded/{name}.md" for name in ("index", *RECORDED)),
        "reference/study.schema.json",
        "examples/demo-report.html",
        "examples/several-models.html",
    }
)
"""Pages that are made when the site is built; the tests of each compare the list with what is made."""


def is_generated(path: Path) -> bool:
    """Whether a page is one of those that the site's build makes."""
    docs = ROOT / "docs"
    return path.is_relative_to(docs) and path.relative_to(docs).as_posix() in GENERATED


@cache
def tool(name: str, folder: str = "tools") -> ModuleType:
    """Load a tool, or a benchmark, by its name."""
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(name, module)  # records of a module that is not there cannot be made
    if str(ROOT / folder) not in sys.path:
        sys.path.append(str(ROOT / folder))  # what lies beside it can be imported
    spec.loader.exec_module(module)
    return module

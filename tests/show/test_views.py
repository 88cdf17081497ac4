"""Every result is declared, so that every surface shows it."""

import ast
from pathlib import Path

import concord

ABSTRACT = {"Presented", "PilotPlan", "Kind", "PlanRecord"}
"""What results inherit."""


def _presented(*bases: str) -> set[str]:
    """Return the names of all classes of the package that inherit one of these, directly or not."""
    found, known = set(bases), -1
    trees = [ast.parse(path.read_text("utf-8")) for path in Path(concord.__file__).parent.rglob("*.py")]
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    while len(found) != known:
        known = len(found)
        found |= {
            node.name
            for node in classes
            if any(isinstance(base, ast.Name) and base.id in found for base in node.bases)
        }
    return found - set(bases)


def test_every_type_of_result_is_declared() -> None:
    assert _presented("Kind") >= _presented(*ABSTRACT) - ABSTRACT

"""Every result has a view, and every view names functions that exist."""

import ast
from pathlib import Path

import pytest

import concord
from concord.show.views import VIEWS, function_of

ABSTRACT = {"Presented", "Publishable", "PilotPlan", "Kind", "PlanRecord"}
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


def test_every_type_of_result_is_declared_or_has_one_view() -> None:
    declared = _presented("Kind")
    assert set(VIEWS) | declared >= _presented(*ABSTRACT) - ABSTRACT
    assert not set(VIEWS) & declared


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_names_functions_that_exist(name: str) -> None:
    view = VIEWS[name]
    named = [one for one in (view.shown_by, view.gist_by, view.drawn_by) if one]
    assert all(callable(function_of(one)) for one in named)

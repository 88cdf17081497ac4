"""Every result has a view, and every view names functions that exist."""

import ast
from pathlib import Path

import pytest

import concord
from concord.kinds import Kind
from concord.show.views import VIEWS, function_of

PRESENTED = {"Presented", "Publishable", "PilotPlan", "Kind", "PlanRecord"}
"""What results inherit; the others are themselves a `Presented`."""


def _presented() -> set[str]:
    """Return the names of all result classes of the package."""
    found = set()
    for path in Path(concord.__file__).parent.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and any(
                isinstance(base, ast.Name) and base.id in PRESENTED for base in node.bases
            ):
                found.add(node.name)
    return found - PRESENTED


def test_every_type_of_result_has_one_view() -> None:
    declared = {kind.__name__ for kind in Kind.__subclasses__()}
    assert set(VIEWS) | declared >= _presented()
    assert not set(VIEWS) & declared


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_names_functions_that_exist(name: str) -> None:
    view = VIEWS[name]
    named = [one for one in (view.shown_by, view.gist_by, view.drawn_by) if one]
    assert all(callable(function_of(one)) for one in named)

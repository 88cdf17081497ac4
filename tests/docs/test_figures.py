"""Figures of the documentation: every explanation has one, and every marker names one that is drawn."""

import re
import sys
from importlib import import_module

import pytest
from tests.docs.tools import ROOT, tool

MARKER = re.compile(r"<!-- figure: ([a-z0-9-]+) -->")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
EXPLANATIONS = sorted((ROOT / "docs" / "explanation").glob("*.md"))


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of all figures."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return set(import_module("drawn").FIGURES)


def test_every_explanation_has_a_figure_and_every_marker_names_one(names: set[str]) -> None:
    used = {path: MARKER.findall(path.read_text("utf-8")) for path in PAGES}
    assert [path.name for path in EXPLANATIONS if not used[path]] == []
    assert {name for found in used.values() for name in found} == names


def test_formulas_are_typeset_and_not_drawn_with_letters() -> None:
    bare = re.compile(r"^```\n((?:(?!```).*\n)*?)```$", re.MULTILINE)
    found = [
        f"{path.name}: {block}"
        for path in PAGES
        for block in bare.findall(path.read_text("utf-8"))
        if re.search(r"[=−·√Σ∫]", block)
    ]
    assert found == []


def test_the_style_of_figures_stays_inside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: the site cannot be built")
    rules = re.findall(r"([^{}]+)\{", tool("docs_generated").figure_style())
    assert len(rules) > 40
    assert [rule for rule in rules for one in rule.split(",") if ".drawn" not in one] == []


def test_a_recording_is_drawn_line_by_line_and_stands_still_for_who_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cast = tool("docs_cast")
    monkeypatch.setitem(sys.modules, "docs_cast", cast)
    lines = ((0.5, "\x1b[1mGPT5\x1b[0m <b>leads</b>"), (0.6, "second"))
    drawn = cast.as_svg(cast.Recording(lines, "", 3.0))
    assert "<tspan class='b'>GPT5</tspan> &lt;b&gt;leads&lt;/b&gt;" in drawn
    assert "\x1b" not in drawn
    assert drawn.count("animation-delay") == len("concorddemo") + 2
    assert "prefers-reduced-motion" in drawn

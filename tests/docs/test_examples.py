"""The finished reports of the documentation are those that the code makes today."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_reports", ROOT / "tools" / "example_reports.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _tool()


def test_the_examples_are_what_the_code_makes_now() -> None:
    for path, text in TOOL.pages():
        shown = TOOL.comparable(path.read_text("utf-8"))
        assert shown == TOOL.comparable(text), f"{path.name} has changed: run python tools/example_reports.py"


def test_every_example_is_made_by_the_tool_is_small_and_is_linked() -> None:
    files = sorted(path.name for path in TOOL.EXAMPLES.glob("*.html"))
    assert files == ["demo-report.html", "several-models.html"]
    index = (TOOL.EXAMPLES / "index.md").read_text("utf-8")
    assert [name for name in files if f"({name})" not in index] == []
    assert all((TOOL.EXAMPLES / name).stat().st_size < 600_000 for name in files)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ('"commit":null,"x":1', '"commit":"12ab","x":1', True),
        ('{"pas":0.12345678}', '{"pas":0.123456781}', True),
        ('{"pas":0.12345678}', '{"pas":0.12344678}', False),
        ("PAS 0.72", "PAS 0.73", False),
    ],
)
def test_only_versions_and_the_last_digits_may_differ(one: str, other: str, *, same: bool) -> None:
    assert (TOOL.comparable(one) == TOOL.comparable(other)) is same

"""The notebook runs, and shows what it says it shows."""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs").rglob("*.ipynb"))


def run_cell(source: str, names: dict[str, Any]) -> tuple[str, object]:
    """Run a cell as a notebook does: what it prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue(), value


def stored(cell: dict[str, Any], kind: str) -> str:
    found = [output for output in cell["outputs"] if output["output_type"] == kind]
    texts = [output["text"] if kind == "stream" else output["data"]["image/svg+xml"] for output in found]
    return "".join("".join(text) for text in texts)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.name)
def test_a_notebook_prints_what_it_shows(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "notebook"}
    cells = [cell for cell in json.loads(file.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    for cell in cells:
        printed, value = run_cell("".join(cell["source"]), names)
        assert printed == stored(cell, "stream")
        if hasattr(value, "_repr_svg_"):
            assert value._repr_svg_().strip() == stored(cell, "execute_result").strip()


def test_there_is_a_notebook_about_faithfulness() -> None:
    assert [file.name for file in NOTEBOOKS] == ["faithfulness.ipynb"]

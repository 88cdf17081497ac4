"""The notebook runs, and its page shows what it prints and draws."""

import json
from pathlib import Path

import pytest
from tests.docs.tools import tool

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs").rglob("*.ipynb"))


def test_there_is_a_notebook_about_faithfulness() -> None:
    assert [file.name for file in NOTEBOOKS] == ["faithfulness.ipynb"]


@pytest.mark.long
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.name)
def test_a_notebook_is_kept_without_output_and_runs(file: Path) -> None:
    notebook = json.loads(file.read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    assert [cell["outputs"] for cell in cells] == [[]] * len(cells)
    shown = tool("docs_notebooks").as_markdown(tool("docs_notebooks").executed(notebook), file.name)
    assert shown.count("```python") == len(cells)
    assert shown.count("```text") >= 3
    assert "<svg" in shown

"""Notebooks as pages of the documentation site: hooks of mkdocs that run every cell.

A notebook is kept in ``docs/`` without its output, as a file to download and open; the site shows a page with
what its cells print and draw today, and leads links and navigation to that page.
"""

import ast
import contextlib
import io
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

_LINK = re.compile(r"(\]\([^)\s]*)\.ipynb\)")


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add a page for every notebook."""
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            notebook = json.loads(Path(file.abs_src_path).read_text("utf-8"))
            page = as_markdown(executed(notebook), Path(file.src_uri).name)
            files.append(File.generated(config, file.src_uri.replace(".ipynb", ".md"), content=page))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to notebooks to their pages; a notebook's own page keeps the link to its file."""
    return markdown if "notebooks/" in page.file.src_uri else _LINK.sub(r"\1.md)", markdown)


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with the output of its cells, run in a folder of their own."""
    names: dict[str, Any] = {"__name__": "notebook"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        cells = [
            cell | {"outputs": run_cell("".join(cell["source"]), names)}
            if cell["cell_type"] == "code"
            else cell
            for cell in notebook["cells"]
        ]
    return notebook | {"cells": cells}


def run_cell(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    r"""Run a cell as a notebook does: what it prints, and the drawing of its last expression.

    Examples
    --------
    >>> run_cell("a = 1\nprint(a)", {})
    [{'output_type': 'stream', 'text': ['1\n']}]
    """
    value: Any = None
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "text": [printed.getvalue()]})
    if hasattr(value, "_repr_svg_"):
        outputs.append({"output_type": "execute_result", "data": {"image/svg+xml": [value._repr_svg_()]}})
    elif value is not None:
        outputs.append({"output_type": "execute_result", "data": {"text/plain": [repr(value)]}})
    return outputs


def as_markdown(notebook: dict[str, Any], name: str) -> str:
    """Write the cells of a notebook, with what they print and draw.

    Examples
    --------
    >>> cells = [{"cell_type": "markdown", "source": ["# A"]},
    ...          {"cell_type": "code", "source": ["print(1)"], "outputs": [{"text": ["1"]}]}]
    >>> print(as_markdown({"cells": cells}, "a.ipynb"))
    # A
    <BLANKLINE>
    [Download this notebook](a.ipynb)
    <BLANKLINE>
    ```python
    print(1)
    ```
    <BLANKLINE>
    ```text
    1
    ```
    """
    parts = [part for cell in notebook["cells"] for part in _cell(cell)]
    return "\n\n".join([parts[0], f"[Download this notebook]({name})", *parts[1:]])


def _cell(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *(_output(output) for output in cell["outputs"])]


def _output(output: dict[str, Any]) -> str:
    if "text" in output:
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    drawn = "".join(output["data"].get("image/svg+xml", ""))
    return (
        f'<div class="drawing">{drawn}</div>'
        if drawn
        else f"```text\n{''.join(output['data']['text/plain'])}\n```"
    )

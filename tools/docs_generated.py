"""Pages of the documentation site that are made from the code: hooks of mkdocs.

Study cards, the JSON Schema of studies and the finished reports are not kept in the repository; they are made
when the site is built, and so is the help of every command, which replaces a marker on the page of commands.
"""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.structure.files import File

TOOLS = Path(__file__).resolve().parent
HELP = "<!-- help -->"


def tool(name: str) -> ModuleType:
    """Load another tool of this folder, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generated() -> Iterator[tuple[str, str]]:
    """Return every generated page: its address inside the site's sources, and its text."""
    yield from tool("study_cards").pages()
    yield from tool("example_reports").pages()


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the generated pages."""
    for address, text in generated():
        files.append(File.generated(config, address, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the live help in the place of its marker."""
    return markdown.replace(HELP, tool("cli_reference").section()) if HELP in markdown else markdown

"""Pages and figures of the documentation site that are made from the code: hooks of mkdocs.

Study cards, the JSON Schema of studies, the finished reports, the recording of the first page and all figures
are not kept in the repository; they are made when the site is built, and so is the help of every command.
A marker on a page says what is in its place: ``<!-- help -->``, ``<!-- readings -->``,
``<!-- reading rates -->``, ``<!-- sentences -->``, ``<!-- figure: NAME -->`` or ``<!-- gallery -->``.
"""

import csv
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

TOOLS = Path(__file__).resolve().parent
HELP = "<!-- help -->"
SPELLINGS = "<!-- spellings -->"
READINGS, RATES = "<!-- readings -->", "<!-- reading rates -->"
GALLERY = "<!-- gallery -->"
SENTENCES = "<!-- sentences -->"
FIGURE = re.compile(r"<!-- figure: ([a-z0-9-]+) -->")
SHEET = re.compile(r'^```csv title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
"""A small file of a reader, which the site shows as the table that it is."""


def with_tools() -> None:
    """Let the tools be imported: they are scripts, no package, and mkdocs forgets the path of its hooks."""
    if str(TOOLS) not in sys.path:
        sys.path.insert(0, str(TOOLS))


def generated() -> Iterator[tuple[str, str]]:
    """Return every generated page: its address inside the site's sources, and its text."""
    with_tools()
    import docs_cast
    import example_reports
    import recorded_pages
    import study_cards

    docs_cast.started()
    yield from study_cards.pages()
    yield from recorded_pages.pages()
    yield from example_reports.pages()
    yield "assets/demo.svg", docs_cast.as_svg(docs_cast.demo())
    yield "assets/figures.css", figure_style()


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the generated pages."""
    for address, text in generated():
        files.append(File.generated(config, address, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the live help, the spellings and what is known of the reader in the place of their markers."""
    markdown = SHEET.sub(lambda found: sheet(found[1], found[2]), markdown)
    markdown = markdown.replace(SPELLINGS, spellings()) if SPELLINGS in markdown else markdown
    markdown = markdown.replace(SENTENCES, sentences()) if SENTENCES in markdown else markdown
    with_tools()
    if HELP in markdown:
        import cli_reference

        markdown = markdown.replace(HELP, cli_reference.section())
    if READINGS in markdown:
        import reading_rates

        markdown = markdown.replace(READINGS, reading_rates.examples())
        markdown = markdown.replace(RATES, reading_rates.stored_tables())
    return markdown


def sheet(name: str, text: str) -> str:
    r"""Return the text of a CSV file as a table under its name.

    Examples
    --------
    >>> print(sheet("a.csv", "item,score\nq1,1\n"))
    **a.csv**
    <BLANKLINE>
    | item | score |
    |---|---|
    | q1 | 1 |
    """
    head, *rows = csv.reader(text.splitlines())
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)]
    return "\n".join([f"**{name}**", "", lines[0], "|" + "---|" * len(head), *lines[1:]])


def spellings() -> str:
    """Return every spelling of a result that the tests read, by kind."""
    import json

    listed = Path(__file__).parents[1] / "tests" / "people" / "table" / "spellings.json"
    parts = []
    for part in json.loads(listed.read_text("utf-8")):
        rows = [
            f"| `{cell}` | {kind} | {', '.join(f'{name} = {value}' for name, value in numbers.items())} |"
            for cell, kind, numbers in part["cells"]
        ]
        parts.append(
            "\n".join([f"## {part['heading']}", "", "| cell | test | numbers |", "|---|---|---|", *rows])
        )
    return "\n\n".join(parts)


def sentences() -> str:
    """Return every entry of the catalogue by its key."""
    from concord.words import catalogue, catalogue_files

    parts = []
    for file in catalogue_files():
        held = catalogue(file)
        rows = [f"| `{key}` | {escape(text).replace('|', '&#124;')} |" for key, text in held.items()]
        heading = [f"## {file} ({len(held)})", "", "| key | sentence |", "|---|---|"]
        parts.append("\n".join([*heading, *rows]))
    return "\n\n".join(parts)


def on_page_content(content: str, **_: Any) -> str:
    """Put figures in the place of their markers."""
    with_tools()
    if GALLERY in content:
        content = content.replace(GALLERY, gallery())
    return FIGURE.sub(lambda found: figure(found[1]), content)


def figure(name: str) -> str:
    """Return one figure with its caption."""
    from drawn import FIGURES

    made = FIGURES[name]()
    drawing = made.picture.inline(f"figure-{name}")
    words = f"<figcaption>{escape(made.caption)}</figcaption>"
    return f'<figure class="drawn" data-search-exclude>{drawing}{words}</figure>'


def gallery() -> str:
    """Return what Concord draws, each with the line of Python that draws it."""
    from drawn.gallery import shown

    return (
        '<div class="gallery" data-search-exclude>'
        + "".join(
            f'<figure class="drawn">{one.picture.inline(f"gallery-{i}")}'
            f"<figcaption><b>{escape(one.picture.title)}</b><code>{escape(one.caption)}</code></figcaption></figure>"
            for i, one in enumerate(shown())
        )
        + "</div>"
    )


def figure_style() -> str:
    """Return the style of figures: Concord's own, inside figures only, in the site's two schemes."""
    from concord.show.svg import roots, style

    light, dark = roots()
    rules = re.sub(r"([^{}]+)\{", lambda found: _inside(found[1]) + "{", style())
    return (
        f".drawn{{{light}}}[data-md-color-scheme=slate] .drawn{{{dark}}}"
        f"{rules}.drawn .plot a{{cursor:default}}\n"
    )


def _inside(selectors: str) -> str:
    return ",".join(f".drawn svg {one}" for one in selectors.split(","))

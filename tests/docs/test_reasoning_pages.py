"""The examples on the pages about reasoning give what the pages print."""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", ["faithfulness-gap", "step-f1", "silent-bias"])
def test_examples_print_what_the_page_says(page: str) -> None:
    names: dict[str, object] = {}
    found = EXAMPLE.findall((DOCS / "explanation" / f"{page}.md").read_text(encoding="utf-8"))
    assert found
    for code, printed in found:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, names)
        assert out.getvalue() == printed


def test_links_between_the_pages_lead_somewhere() -> None:
    pages = [DOCS / "how-to" / "score-reasoning.md", *(DOCS / "explanation").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+\.md)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page.name, target)

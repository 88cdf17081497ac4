"""What the documentation shows is what happens."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["explanation/structure.md", "how-to/score-structure.md"])
def test_the_examples_of_a_page_give_what_they_show(page: str) -> None:
    found = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert found.attempted > 3
    assert found.failed == 0

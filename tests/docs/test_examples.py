"""The finished reports of the documentation are made when the site is built, from bundled data."""

import re
from pathlib import Path

import pytest
from tests.docs.tools import GENERATED, ROOT, tool

INDEX = (ROOT / "docs" / "examples" / "index.md").read_text("utf-8")


@pytest.mark.long
def test_every_example_is_a_small_page_and_is_linked() -> None:
    made = dict(tool("example_reports").pages())
    assert [Path(address).name for address in made] == list(
        dict.fromkeys(re.findall(r"\((\S+\.html)\)", INDEX))
    )
    assert set(made) <= GENERATED
    for address, text in made.items():
        assert text.startswith("<!doctype html>"), address
        assert 100_000 < len(text.encode()) < 2_000_000, (
            address
        )  # the demo: fifteen agents, each for the referee too


def test_no_generated_page_is_kept() -> None:
    docs = ROOT / "docs"
    kept = [*docs.glob("examples/*.html"), *docs.glob("reference/studies/*"), *docs.rglob("*.schema.json")]
    assert kept == []

"""Finished reports and generated pages are made when the site is built, and are not kept."""

from tests.docs.tools import ROOT


def test_no_generated_page_is_kept() -> None:
    docs = ROOT / "docs"
    kept = [*docs.glob("examples/*.html"), *docs.glob("reference/studies/*"), *docs.rglob("*.schema.json")]
    assert kept == []

"""Judges on the page."""

from pathlib import Path

from tests.structure.judging import scripted

import concord


def test_judges_are_a_section_of_the_page(tmp_path: Path) -> None:
    rows = scripted.rows(scripted.always_first, n=12)
    concord.score_judge(rows, judge="<b>first</b>").write(tmp_path / "r")
    concord.report(tmp_path / "r", out=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Preference for the first seat" in page
    assert "&lt;b&gt;first&lt;/b&gt;" in page
    assert "<b>first</b>" not in page

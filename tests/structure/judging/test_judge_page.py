"""Judges on every surface: the page, the terminal, a notebook, a picture, a paper."""

from pathlib import Path

import pytest
from tests.structure.judging import scripted

import concord
from concord.errors import OptionError, UndefinedError
from concord.show import structure_plots
from concord.show.page.declared import shown_results


def test_judges_are_a_section_of_the_page(tmp_path: Path) -> None:
    rows = scripted.rows(scripted.always_first, n=12)
    concord.score_judge(rows, judge="<b>first</b>").write(tmp_path / "r")
    concord.report(tmp_path / "r", out=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "How verdicts depend on the seats" in page
    assert "&lt;b&gt;first&lt;/b&gt;" in page
    assert "<b>first</b>" not in page


def test_every_surface_has_the_level_that_was_asked_for() -> None:
    result = concord.score_judge(scripted.rows(scripted.always_first, n=12), judge="j", level=0.8)
    drawn = structure_plots.judge_picture(result)
    assert drawn is not None
    page = shown_results([result])
    shown = (repr(result), result._repr_html_(), str(result.table()), result.methods(), page)
    for one in (*shown, drawn.caption):
        assert "80 %" in one
        assert "95 %" not in one


def test_what_is_not_known_has_its_reason_and_no_picture() -> None:
    rows = [{"pair": i, "winner": "a", "judge": "j"} for i in range(9)]
    result = concord.score_judge(rows)
    for shown in (repr(result), str(result.table())):
        assert "the order in which answers were shown is not recorded" in shown
    with pytest.raises(UndefinedError, match="nothing to draw: Position bias of j cannot"):
        result.plot("preference")
    with pytest.raises(OptionError, match="expected one of seats, preference"):
        result.plot("pie")

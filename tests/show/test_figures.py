"""Figures, tables and words for a paper."""

import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.show.made_results import structure_rows, write_reasoning

import concord
from concord import api, reports
from concord.errors import OptionError
from concord.people.files import PeopleResult
from concord.records import Side
from concord.show.citations import bibtex, study_entry
from concord.show.page.people_panel import apa_string
from concord.show.paper import PaperTable
from concord.show.svg import Picture, layout, millimetres


@pytest.fixture(scope="module")
def result() -> PeopleResult:
    found = concord.score_people(api.demo_table(), n_resamples=0, n_simulations=50, model="lab/scripted_1")
    assert isinstance(found, PeopleResult)
    return found


def _drawn(result: PeopleResult, kind: str, **choices: Any) -> Picture:
    picture = result.plot(kind, **choices)
    assert isinstance(picture, Picture)
    return picture


def test_a_picture_has_its_width_and_its_size_of_text_on_paper(result: PeopleResult) -> None:
    svg = _drawn(result, "effects", width="89mm", size=7, font="Arial").to_svg()
    root = ET.fromstring(svg)
    assert root.get("width") == "89mm"
    units = float((root.get("viewBox") or "").split()[2])
    # text is 13 units high: 13 units of 89 mm must be 7 points
    assert 13 / units * 89 / 25.4 * 72 == pytest.approx(7, abs=0.01)
    assert "font:13px Arial," in svg


def test_a_pdf_has_the_size_of_paper_that_was_asked_for(result: PeopleResult) -> None:
    pytest.importorskip("vl_convert")
    pdf = _drawn(result, "losses", width="89mm").to_pdf()
    box = re.search(rb"/MediaBox ?\[0 0 ([0-9.]+)", pdf)
    assert box is not None
    assert float(box[1]) == pytest.approx(89 / 25.4 * 72, abs=0.5)


def test_a_png_has_the_dots_that_were_asked_for(result: PeopleResult) -> None:
    pytest.importorskip("vl_convert")
    png = _drawn(result, "losses", width="50mm").to_png(dpi=600)
    assert int.from_bytes(png[16:20], "big") == pytest.approx(50 / 25.4 * 600, abs=2)


def test_a_theme_changes_colours_and_nothing_else(result: PeopleResult) -> None:
    light, dark = (_drawn(result, "effects", width="120mm", theme=theme) for theme in ("paper", "dark"))
    assert light.body == dark.body
    assert 'fill="#161b22"' in dark.to_svg()
    assert 'fill="#ffffff"' in light.to_svg()


def test_short_labels_are_the_last_part_of_a_name(result: PeopleResult) -> None:
    assert "lab/scripted_1" in _drawn(result, "effects").title
    assert "of scripted_1 beside" in _drawn(result, "effects", labels="short").title


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"width": "wide"}, "is not a width"),
        ({"width": "5mm"}, "expected 20 to 2000 mm"),
        ({"width": "89mm", "size": 100}, "expected 3 to 60"),
        ({"theme": "neon"}, "theme 'neon' is not known"),
        ({"font": "x;}"}, "signs that a name of a font has not"),
        ({"labels": "none"}, "expected full or short"),
    ],
)
def test_a_look_that_cannot_be_says_so(
    result: PeopleResult, choices: dict[str, object], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        _drawn(result, "effects", **choices)


def test_widths_have_units() -> None:
    assert millimetres("3.5in") == pytest.approx(88.9)
    assert layout("183mm", 7) == pytest.approx(2 * layout("91.5mm", 7))


def test_tables_are_latex_markdown_and_word(result: PeopleResult, tmp_path: Path) -> None:
    table = result.table()
    latex = table.to_latex()
    assert "\\caption{Agreement with people of lab/scripted\\_1 · protocol standard}" in latex
    assert latex.count(2 * chr(92)) == 5  # rows
    assert f"PAS same conclusion & {result.pas.value:.3f}" in latex
    assert "| PAS same conclusion | " in table.to_markdown()
    file = table.to_docx(tmp_path / "t.docx")
    with zipfile.ZipFile(file) as archive:
        document = archive.read("word/document.xml")
    texts = [e.text for e in ET.fromstring(document).iter() if e.tag.endswith("}t")]
    assert texts[:3] == ["Agreement with people of lab/scripted_1 · protocol standard", "metric", "value"]
    assert len(result.table("tests").rows) == len(result.tests)
    with pytest.raises(OptionError, match="expected headline or one of headline, studies, tests"):
        result.table("unknown")


def test_hostile_names_stay_text_in_tables() -> None:
    table = PaperTable("a & b", ("x", "y_1"), (("\\input{x}|", "<b>"),))
    assert r"\\input" not in table.to_latex()
    assert "textbackslash" in table.to_latex()
    assert "\\|" in table.to_markdown()


def test_methods_name_what_the_result_records(result: PeopleResult, tmp_path: Path) -> None:
    said = result.methods()
    assert "9 published studies with 54 tests scored" in said
    assert "50 simulated models" in said
    order = api.score_structure(scores=structure_rows(3), reading="paired", resamples=200)
    assert "24 items were put in 3 orders" in order.methods()
    assert "Does the arrangement matter?" in order.table().to_markdown()


def test_figures_come_with_captions_and_data(result: PeopleResult, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    write_reasoning(tmp_path / "r", "scripted-2", 1)
    made = reports.figures([tmp_path / "r"], wanted="nature", out=tmp_path / "out")
    names = {file.name for file in made.files}
    assert {name.rsplit(".", 1)[1] for name in names} == {"pdf", "svg", "csv", "txt"}
    captions = (tmp_path / "out" / "captions.txt").read_text("utf-8")
    assert captions.count("Figure ") == made.n_pictures
    with pytest.raises(OptionError, match="expected one of nature, apa, slides"):
        reports.figures([tmp_path / "r"], wanted="poster", out=tmp_path / "out")


def test_what_to_cite_is_bibtex() -> None:
    assert reports.cite().startswith("@software{concord,")
    source = {"authors": "Tversky, A., & Kahneman, D.", "year": "1981", "title": "A & B", "doi": "10.1/x"}
    text = bibtex([study_entry("framing", source)])
    assert "author = {Tversky, A. and Kahneman, D.}" in text
    assert "title = {A \\& B}" in text


def test_a_side_is_written_as_a_paper_would() -> None:
    side = Side(statistic=-2.5, n1=20, n2=22)
    assert apa_string("t-independent", side, p=0.0165, d=-0.772) == "t(40) = −2.50, p = .017, d = −0.77"
    assert apa_string("correlation", Side(statistic=0.42, n=103)) == "r(101) = .42"
    assert apa_string("anova", Side(statistic=6.76, df1=1, df2=72)) == "F(1, 72) = 6.76"
    assert apa_string("unheard-of", None, p=0.5) == "p = .500"

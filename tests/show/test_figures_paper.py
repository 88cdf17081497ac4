"""Figures for paper: text of one size in all of them, data beside each, dots per inch in the file."""

import struct
from pathlib import Path

import pytest
from tests.show.made_results import write_all
from tests.show.made_sections import write_sections

from concord import reports
from concord.records import Interval
from concord.reports import page as make_page
from concord.show.plot_effects import Effect, effects
from concord.show.plots import Mark, axis, intervals
from concord.show.svg import FORMATS, POINTS_PER_MM, Canvas, Scale, layout, reach


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("figures")
    write_all(made / "all")
    write_sections(made / "sections")
    return made


@pytest.mark.long
def test_every_picture_has_data_and_a_caption_that_can_stand_alone(folder: Path) -> None:
    for where, picture in make_page([folder]).pictures():
        assert picture.rows, f"{where}/{picture.name} has no data"
        assert len({len(row) for row in picture.rows}) == 1, picture.name
        assert picture.caption, f"{where}/{picture.name} has no caption"


@pytest.mark.long
def test_text_has_the_size_that_a_format_asks_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from concord.show.svg import Picture

    seen: dict[str, float] = {}

    def save(self: Picture, path: Path, **_: object) -> Path:
        assert self.look.millimetres is not None
        seen[path.name] = 13 * self.look.millimetres * POINTS_PER_MM / self.width
        return path

    monkeypatch.setattr(Picture, "save", save)
    reports.figures([folder], wanted="apa", out=folder / "out", every=True)
    wanted = FORMATS["apa"].size
    widest = 13 * FORMATS["apa"].double * POINTS_PER_MM
    assert len(seen) > 60
    for name, size in seen.items():
        assert size <= 1.06 * wanted, name
        # only what two columns cannot hold is smaller, such as a map of many studies
        assert size >= 0.94 * wanted or widest / size > layout("165mm", 8), name
    assert sum(size >= 0.94 * wanted for size in seen.values()) >= 0.9 * len(seen)


def test_a_png_says_its_dots_per_inch() -> None:
    pytest.importorskip("vl_convert", reason="the extra `report` is not installed")
    picture = intervals(
        "a", "T", [Mark("one", 0.5, Interval(0.4, 0.6, 0.95, ""))], label="share", width=layout("82mm", 8)
    )
    from concord.show.svg import look

    png = picture.with_look(look("82mm")).to_png(dpi=600)
    at = png.index(b"pHYs") + 4
    assert struct.unpack(">I", png[at : at + 4])[0] * 0.0254 == pytest.approx(600, abs=0.1)
    assert struct.unpack(">I", png[16:20])[0] == pytest.approx(82 / 25.4 * 600, abs=2)


@pytest.mark.parametrize("wide", [90.0, 130.0, 180.0, 400.0])
def test_numbers_of_an_axis_never_touch(wide: float) -> None:
    canvas = Canvas()
    scale = Scale(-0.065, 0.035, 20, 20 + wide)
    axis(canvas, scale, 0, 10, "points")
    texts = [part for part in canvas.parts if 'text-anchor="middle"' in part and "points" not in part]
    places = [(float(part.split('x="')[1].split('"')[0]), part.split(">")[1].split("<")[0]) for part in texts]
    for (left, before), (right, after) in zip(places, places[1:], strict=False):
        assert right - left > (reach(before) + reach(after)) / 2


def test_numbers_in_a_picture_of_effects_lie_on_no_line() -> None:
    points = [Effect(str(i), (x, None, None), (-x, None, None)) for i, x in enumerate((-1.0, -0.9, 0.9, 1.0))]
    drawn = effects("e", "T", points, level=0.95, slope=-1.0, intercept=0.0, said="r = −1.00, RMSE = 1.71")
    assert 'y="24"' in drawn.body.split("r = −1.00")[0].rpartition("<text")[2]


def test_numbers_of_a_word_table_stay_in_one_line_and_have_a_minus(tmp_path: Path) -> None:
    import re
    import zipfile

    from concord.show.paper import TEXT_WIDTH, PaperTable

    name = "a name of a test that is much longer than the room that the numbers leave on the page"
    columns = ("Test", "People d", "People p", "Model d", "Model p", "PAS")
    table = PaperTable("T", columns, ((name, "-0.33", "< .001", "-0.94", "< .001", "0.98"),), "A note.")
    with zipfile.ZipFile(table.to_docx(tmp_path / "t.docx")) as archive:
        text = archive.read("word/document.xml").decode("utf-8")
    wide = [int(one) for one in re.findall(r'gridCol w:w="(\d+)"', text)]
    assert len(wide) == len(columns)
    assert sum(wide) <= TEXT_WIDTH
    assert all(w >= 130 * len(head) for w, head in zip(wide[1:], columns[1:], strict=True))
    assert "−0.33" in text
    assert "-0.33" not in text
    assert "−0.33" in table.to_markdown()
    assert "<w:tblHeader/>" in text

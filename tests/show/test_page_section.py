"""Further results as sections of the page: one record each, shown below its question."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

import concord
from concord import api, reports
from concord.kinds import Column, FilledTable, Kind
from concord.records import Estimate, Interval
from concord.show.page import fragments, make_page
from concord.show.plots import Mark, intervals


@dataclass(frozen=True, slots=True, repr=False)
class Hinted(Kind):
    """A further result."""

    FORMAT, FILE, KEY = "hinted", "hints.json", "hints"
    QUESTION, SECTION, HEADING = "people", "hinted", "Hints & more"

    hints: str

    def sentences(self) -> Sequence[str]:
        """Return what was found."""
        return ("It was seen.", self.hints)


def _page(folders: Sequence[Path], *sections: type[Kind]) -> str:
    panels = reports.PANELS
    return make_page(folders, panels, compare=concord.compare, sections=sections).html


def _write(folder: Path, value: str) -> Path:
    Hinted(value).write(folder)
    return folder


def test_a_section_is_below_its_question_where_its_file_lies(results: Path, tmp_path: Path) -> None:
    html = _page([_write(tmp_path / "one", "<b>five</b>"), results / "agent one"], Hinted)
    at = html.index('<section id="hinted"')
    assert html.index('<section id="people"') < at
    assert "Hints &amp; more</h3>" in html[at:]
    assert "<p>&lt;b&gt;five&lt;/b&gt;</p>" in html[at:]
    assert "<b>five</b>" not in html


def test_a_section_without_a_file_is_not_on_the_page(results: Path) -> None:
    assert 'id="hinted"' not in _page([results / "agent one"], Hinted)


def test_a_file_that_cannot_be_used_is_named_and_the_rest_shown(tmp_path: Path) -> None:
    _write(tmp_path / "good", "fine")
    bad = _write(tmp_path / "bad", "none") / "hints.json"
    bad.write_text(bad.read_text("utf-8").replace('"none"', "7"), "utf-8")
    html = _page([tmp_path], Hinted)
    assert "got 7, expected a text" in html
    assert '<p class="lead">fine</p>' in html
    assert f"{tmp_path}/" not in html


def test_names_files_and_keys_of_sections_are_their_own() -> None:
    panels = reports.PANELS
    names = [*(one.name for one in panels), *(one.SECTION for one in reports.SECTIONS)]
    files = [one.FILE for one in (*(panel.kind for panel in panels), *reports.SECTIONS)]
    for used in (names, files):
        assert len(set(used)) == len(used), used
    assert {one.QUESTION for one in reports.SECTIONS} <= {panel.name for panel in panels}


def test_a_table_escapes_texts_and_shows_what_is_undefined_as_a_dash() -> None:
    columns = [Column("name", words=True), Column("score"), Column("n", count=True)]
    values = [["<a>", Estimate(-0.5, Interval(-1.0, 0.25, 0.95, "")), None]]
    html = fragments.table("t", "All & each", FilledTable(columns, [None], values))
    assert "&lt;a&gt;" in html and "All &amp; each" in html
    assert '<span class="v">−0.50</span><span class="ci">[−1.00, 0.25]</span>' in html
    assert re.search('<td class="num"( data-t="[^"]+")? data-v="">–</td>', html)


def test_a_figure_has_its_title_above_and_its_caption_below() -> None:
    picture = intervals("x", "What < is", [Mark("a", 0.5)], label="share")
    html = fragments.figure(picture, "k", "How")
    assert html.index("What &lt; is") < html.index("<svg") < html.index("<figcaption>How")


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two agents on the same tests, as files."""
    folder = tmp_path_factory.mktemp("agents")
    table = pl.read_csv(api.demo_table())
    frame = pl.concat([table.with_columns(agent=pl.lit(name)) for name in ("scripted-1", "scripted-2")])
    result = api.score_people(frame, n_resamples=20, n_simulations=20)
    result.write(folder)
    return folder


def test_many_agents_are_a_section(agents: Path) -> None:
    page = reports.page([agents])
    assert [one.kind.SECTION for one in page.content.sections] == ["agents", "referee"]
    assert ">PAS of 2 models<" not in page.html  # the figure of the first screen
    assert any(picture.name == "agents" for _, picture in page.pictures())


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("standings", [], "'standings': holds none of pas, ecs, apr"),
        ("agents", [], "'agents': holds no agent"),
        ("without", {"pas": [[0.5], [0.5, 0.5]]}, "'without', 'pas': rows differ in length"),
    ],
)
def test_damaged_agents_are_said_and_the_rest_is_shown(
    agents: Path, tmp_path: Path, key: str, value: object, reason: str
) -> None:
    shutil.copytree(agents, tmp_path / "r")
    path = tmp_path / "r" / "agents.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), key: value}), "utf-8")
    page = reports.page([tmp_path / "r"])
    assert [one.kind.SECTION for one in page.content.sections] == ["referee"]
    assert [problem.reason.endswith(reason) for problem in page.problems] == [True]

"""One first screen for every kind of result: a title with the finding, one figure, nothing said twice."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.show.browser import Watched, axe_source, launched
from tests.show.made_results import NAMES, structure_rows, write_reasoning
from tests.show.made_sections import write_sections

from concord import api
from concord.reports import page as make_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST_WORDS = 12
WITHOUT_FIGURE = {"described"}
"""Kinds that have nothing to draw: what is undefined is not drawn."""
KINDS = (
    "many", "one", "order", "reasoning", "judge", "scores", "options", "answers", "predictions", "mixed",
    "sequential", "probes", "board", "memory", "compared", "conditions", "reasoning_audit", "people_audit",
    "structure_audit", "hints_audit", *sorted(WITHOUT_FIGURE),
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_sections(tmp_path_factory.mktemp("kinds"))
    api.score_people(api.demo_table(), model="one", n_resamples=20, n_simulations=20).write(folder / "one")
    rows = structure_rows(3).filter(pl.col("model") == NAMES[1])
    api.score_structure(scores=rows, reading="paired", resamples=200).write(folder / "order")
    write_reasoning(folder / "reasoning", "plain", 1)
    scores = [[{"item": i, "score": int(i % 10 < k)} for i in range(60)] for k in (4, 8)]
    api.compare(*scores, names=["lab/one", "lab/two"]).write(folder / "compared")
    return folder


def words_of(title: str) -> list[str]:
    return [word for word in re.sub("<[^>]+>", "", title).split() if any(c.isalnum() for c in word)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_opens_with_a_title_and_one_figure_and_repeats_nothing(made: Path, kind: str) -> None:
    html = make_page([made / kind]).html
    title = html[html.index('<h1 id="finding">') :].split(">", 1)[1].split("</h1>")[0]
    assert 2 <= len(words_of(title)) <= MOST_WORDS, title
    main = html[html.index('<div class="mainfigure">') : html.index('<div class="also">')]
    assert main.count("<figure") == (kind not in WITHOUT_FIGURE)
    below = html[html.index('<div class="also">') : html.index('<section id="method"')]
    for name in re.findall(r'<svg class="plot[^>]*aria-labelledby="([^ "]+)', main):
        drawn = main[main.index(f'id="{name}"') :].split("<desc", 1)[0]
        assert drawn.split(">", 1)[1] not in below  # the same drawing has the same title
    said = re.search(r'<p class="lead">(.*?)</p>', html)
    assert said is None or f"<p>{said[1]}</p>" not in below
    for card in ("With people", "With itself", "With its reasoning"):
        assert f"· {card}: " in html[html.index('id="answer"') : html.index('<section id="method"')]


def test_a_number_that_is_undefined_is_not_drawn_and_its_reason_is_said(tmp_path: Path) -> None:
    rows = [{"study": "s", "finding": "f", "test": "t", "test_type": "t-test", "human_statistic": 2.0,
             "human_n1": 20, "human_n2": 20, "agent_statistic": None}]  # fmt: skip
    api.score_people(rows, n_resamples=0, n_simulations=0).write(tmp_path)
    html = make_page([tmp_path]).html
    first = html[html.index('<section id="answer"') : html.index('<section id="people"')]
    assert "Agreement with people cannot be judged." in first
    assert "No test has both sides (1 " in first
    assert "<circle" not in first


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with launched() as started:
        yield started


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_fits_desk_and_telephone_in_both_themes_and_axe_finds_nothing_serious(
    browser: "Browser", made: Path, tmp_path: Path, kind: str
) -> None:
    file, source = api.report(made / kind, out=tmp_path / "page.html").path, axe_source()
    for width, height, scheme in ((1280, 900, "light"), (390, 844, "dark")):
        shown: dict[str, Any] = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
        context = browser.new_context(bypass_csp=True, **shown)
        tab = Watched(context.new_page())
        page = tab.open(file)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        title, figure = page.locator("h1").bounding_box(), page.locator(".mainfigure").bounding_box()
        assert title is not None and figure is not None
        assert figure["y"] < height / 2 or width == 390
        page.evaluate(source)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations'], elementRef: false})")
        serious = [one["id"] for one in found["violations"] if one["impact"] in ("serious", "critical")]
        assert serious == []
        context.close()
        assert tab.faults == []


@pytest.mark.long
def test_fifteen_models_are_on_the_first_screen_with_their_cards_and_can_be_sorted_by_keys(
    browser: "Browser", tmp_path: Path
) -> None:
    for i in range(15):
        api.score_people(api.demo_table(), model=f"lab/design_{i:02}", n_resamples=0, n_simulations=20).write(
            tmp_path / str(i)
        )
    file = api.report(tmp_path, out=tmp_path / "page.html").path
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = Watched(context.new_page())
    page = tab.open(file)
    rows = page.locator("table.chart tbody tr")
    assert rows.count() == 15
    last, read = rows.last.bounding_box(), page.locator(".card.quiet").bounding_box()
    assert last is not None and last["y"] + last["height"] < 760
    assert read is not None and read["y"] + 60 < 900
    assert page.locator(".brace:visible").count() == 1
    assert page.locator(".cards .card").count() == 2
    page.locator("table.chart thead button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("table.chart th[aria-sort]").count() == 1
    with page.expect_download() as waiting:
        page.locator("figure.first [data-download=svg]").click()
    drawn = Path(waiting.value.path()).read_text("utf-8")
    assert drawn.count("design_") == 15 and "probability of the same conclusion" in drawn
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(re.findall(rb"/Type /Page\b(?!s)", page.pdf(prefer_css_page_size=True))) <= 25
    context.close()
    assert tab.faults == []

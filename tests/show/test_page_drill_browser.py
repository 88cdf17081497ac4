"""From a number to the replies behind it, in a real browser."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.show.browser import Watched, axe_source, launched
from tests.show.test_page_browser import DESK

from concord import api, studies
from concord.people.studies.sessions import Question
from concord.reports import page as make_page
from concord.show.people_plots import d_ends, forest_picture
from concord.show.plot_effects import FOREST, TOP

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.long
REFUSAL = "As an AI language model, I cannot take part. <img src=x onerror='window.hacked = 1'>"


def answering(seed: int) -> Any:
    rng = random.Random(seed)

    def agent(question: Question) -> str | None:
        drawn = rng.random()
        if drawn < 0.1:
            return REFUSAL
        if drawn < 0.25:
            return None
        said = [rng.choice("AB") for _ in question.items]
        lines = "\n".join(f"{i}. {letter}" for i, letter in enumerate(said, 1))
        return said[0] if len(said) == 1 else lines

    return agent


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One scripted model in two designs."""
    folder = tmp_path_factory.mktemp("runs")
    for seed, design in enumerate(("bare", "demographic")):
        plans = studies.plan(["framing"], n=20, seed=1, design=design)
        studies.run(plans, answering(seed), n_resamples=0, model="scripted").write(folder / design)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def made(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return api.report(runs, out=tmp_path_factory.mktemp("page") / "page.html").path


@pytest.fixture
def page(browser: "Browser", made: Path) -> Iterator["Page"]:
    context = browser.new_context(viewport=DESK, bypass_csp=True)  # type: ignore[arg-type]
    watched = Watched(context.new_page())
    yield watched.open(made)
    context.close()
    assert watched.faults == []


def opened(page: "Page", test: str) -> Any:
    page.locator("#people .panel:visible .study").get_by_role("link", name=test).first.click()
    dialog = page.locator("dialog[open]")
    dialog.wait_for()
    return dialog


def test_a_test_opens_the_replies_that_it_was_computed_from(page: "Page") -> None:
    dialog = opened(page, "sure gain and risky loss")
    assert "answers used: gains, losses, both." in dialog.inner_text()
    table = dialog.locator("table", has_text="What became of them")
    counted = [row.split("\t") for row in table.locator("tbody tr").all_inner_texts()]
    assert {row[0]: int(row[-1]) for row in counted} == {"apart": 20, "combined": 20}
    assert {"ok", "refused", "missing"} <= set(table.locator("thead").inner_text().split())
    assert dialog.locator("ol.given > li").count() == 10
    dialog.get_by_role("button", name="more replies").click()
    assert dialog.locator("ol.given > li").count() == 40
    assert page.evaluate("document.activeElement.tagName") == "LI"
    assert "cannot take part. <img src=x" in dialog.inner_text()
    assert page.evaluate("window.hacked") is None


def test_designs_are_told_apart_everywhere(page: "Page") -> None:
    rows = page.locator("table[data-name=answers] tbody th")
    assert rows.all_inner_texts() == ["scripted (demographic)", "scripted (bare)"]  # the highest first
    options = page.locator("#model option").all_inner_texts()
    assert options == ["scripted, demographic", "scripted, bare"]
    first = opened(page, "buys a ticket").locator("ol.given").inner_text()
    page.keyboard.press("Escape")
    page.locator("#model").select_option(label="scripted, bare")
    page.locator("#people .panel:visible h3", has_text="bare").wait_for()
    assert opened(page, "buys a ticket").locator("ol.given").inner_text() != first


MARKS = r'<(line) class="[pm]line" ([^>]*)|<(circle) class="human" ([^>]*)|<(path) class="model" ([^>]*)'
SHOWN = """() => [...document.querySelectorAll('#people .panel:not([hidden]) td.forest svg')].map(svg =>
    [...svg.querySelectorAll('.pline, .mline, .human, .model')].map(e => [e.tagName,
      (e.tagName === 'line' ? ['x1', 'y1', 'x2', 'y2'] : e.tagName === 'circle' ? ['cx', 'cy', 'r'] : ['d'])
      .map(k => e.getAttribute(k)).join(' ')]))"""


def places(tag: str, text: str, top: float) -> tuple[str, list[float]]:
    """Return the coordinates of a mark, seen from the top of its row."""
    numbers = [float(one) for one in re.findall(r"(?<![a-z])-?[\d.]+", text)]
    across = {"circle": (0, 2)}.get(tag, tuple(range(0, len(numbers), 2)))
    return tag, [n if k in across else n - top for k, n in enumerate(numbers)]


def test_rows_of_the_forest_lie_where_the_picture_has_them(page: "Page", runs: Path) -> None:
    view = make_page([runs]).content.of("people")[0]
    drawn_forest = forest_picture(view.result, agent="framing")
    assert drawn_forest is not None
    body = drawn_forest.body
    shown = [[places(tag, text, 0) for tag, text in row] for row in page.evaluate(SHOWN)]
    found = [[part for part in one if part] for one in re.findall(MARKS, body)][2:]  # after the legend
    drawn = iter(found)
    effects = [
        end
        for test in view.result.tests
        for who in ("human", "agent")
        for end in d_ends(test, who, view.result.level)
        if end is not None
    ]
    assert max(map(abs, effects)) < 10
    per_unit = (FOREST.width - FOREST.label) / (max(effects) - min(effects))
    assert [len(row) for row in shown] == [4] * len(view.result.tests)
    for i, row in enumerate(shown):
        for tag, numbers in row:
            wanted = places(*next(drawn), TOP + FOREST.row * i)  # type: ignore[call-arg]
            assert tag == wanted[0]
            # the picture has one decimal; the page's data have four digits, two of which make an upper end
            assert numbers == pytest.approx(wanted[1], abs=0.05 + 3 * 0.0005 * per_unit)
    assert next(drawn, None) is None
    ticks = re.findall(r'text-anchor="middle" class="s">([^<]*)<', body)[:-1]
    assert page.locator("#people .panel:visible th.forest svg text").all_text_contents() == ticks


def test_axe_finds_no_serious_violation_in_an_open_test(page: "Page") -> None:
    opened(page, "buys a ticket")
    page.evaluate(axe_source())
    found = page.evaluate("() => axe.run('dialog', {resultTypes: ['violations'], elementRef: false})")
    serious = [one["id"] for one in found["violations"] if one["impact"] in ("serious", "critical")]
    assert serious == []

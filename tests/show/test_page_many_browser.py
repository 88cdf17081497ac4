"""A page of more models than are kept open: each is unpacked when it is chosen."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.show.browser import Watched, launched
from tests.show.test_page_browser import DESK

from concord import api
from concord.show.page.build import MOST_OPEN, WAITING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.long
MARKUP = "<img src=x onerror='window.hacked = 1'>"
NAMES = [f"lab/model-{i} {MARKUP if i == 4 else ''}".strip() for i in range(MOST_OPEN + 2)]
SHOWN = "#people .panel:not([hidden])"


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for i, name in enumerate(NAMES):
        scored = api.score_people(api.demo_table(), n_resamples=0, n_simulations=0, model=name)
        scored.write(folder / str(i))
    return api.report(folder, out=folder / "page.html").path


@pytest.fixture
def tab(browser: "Browser") -> Iterator[Watched]:
    context = browser.new_context(viewport=DESK)  # type: ignore[arg-type]
    watched = Watched(context.new_page())
    yield watched
    context.close()
    assert watched.faults == []


def test_a_model_is_unpacked_when_it_is_chosen_and_its_name_stays_text(tab: Watched, many: Path) -> None:
    page = tab.open(many)
    assert page.locator("#people [data-stored]").count() == len(NAMES) - 1
    page.locator("#model").select_option(label=NAMES[4])
    page.locator(f"{SHOWN} h3", has_text=NAMES[4]).wait_for()
    assert page.locator(f"{SHOWN} h3").inner_text() == NAMES[4]
    assert page.locator(f"{SHOWN} svg.plot").count() >= 3
    assert page.locator("#people img").count() == 0
    assert page.evaluate("window.hacked") is None
    assert page.locator("#referee .panel:visible h4").first.inner_text() == NAMES[4]
    assert page.locator(f"{SHOWN} [data-download=svg]").count() >= 3  # menus are made for it, too


def test_an_address_opens_a_test_of_a_model_that_was_not_unpacked(tab: Watched, many: Path) -> None:
    page = tab.open(many)
    page.goto(f"{many.as_uri()}#/m/lab%2Fmodel-3/people/asch-1946")
    page.reload()
    page.wait_for_selector("html[data-built]")
    assert page.locator(f"{SHOWN} h3").inner_text() == NAMES[3]
    page.locator(f"{SHOWN} .study a[href*=asch-1946]").nth(1).click()
    page.locator("dialog[open]").wait_for()


def test_a_table_that_is_opened_in_a_model_unpacked_later_is_filled(tab: Watched, many: Path) -> None:
    page = tab.open(many)
    page.locator("#model").select_option(label=NAMES[4])
    page.locator(f"{SHOWN} h3", has_text=NAMES[4]).wait_for()
    box = page.locator(f"{SHOWN} details.lazy", has_text="All findings")
    box.locator("summary").first.click()
    box.locator("tbody tr").first.wait_for()
    assert box.locator(".needs-script").count() == 0


def test_the_page_can_be_used_before_everything_is_made(tab: Watched, many: Path) -> None:
    page = tab.page
    # nothing is idle here: what is put off never runs, and the page must work all the same
    page.add_init_script("window.requestIdleCallback = () => 0")
    page.goto(many.as_uri(), wait_until="commit")
    page.wait_for_selector("html[data-ready]")
    page.locator("#search").fill("asch")
    page.locator(".found a").first.click()
    page.locator(f"{SHOWN} .study:not(.shut)").first.wait_for()
    assert page.locator("html[data-built]").count() == 0
    page.locator("#model").select_option(label=NAMES[3])
    page.locator(f"{SHOWN} h3", has_text=NAMES[3]).wait_for()
    assert page.locator(f"{SHOWN} h3").inner_text() == NAMES[3]


@pytest.mark.parametrize("place", ["method", "board", "referee"])
def test_an_address_of_a_section_opens_there_and_stays(tab: Watched, many: Path, place: str) -> None:
    page = tab.page
    page.goto(f"{many.as_uri()}#{place}")
    page.wait_for_selector("html[data-built]")
    top = page.evaluate("id => document.getElementById(id).getBoundingClientRect().top", place)
    end = page.evaluate("document.documentElement.scrollHeight - innerHeight - scrollY")
    assert -2 <= top <= 110 or end <= 2  # below the bar, or as far down as the page goes


def test_every_section_is_laid_out_in_the_end_and_on_paper(tab: Watched, many: Path) -> None:
    page = tab.page
    seen = "[...document.querySelectorAll('main > section')].map(s => getComputedStyle(s).contentVisibility)"
    page.add_init_script("window.requestIdleCallback = (go) => setTimeout(go, 300)")
    page.goto(many.as_uri(), wait_until="commit")
    page.wait_for_selector("html[data-ready]")
    assert set(page.evaluate(seen)) == {"visible", "auto"}
    page.emulate_media(media="print")
    assert set(page.evaluate(seen)) == {"visible"}
    page.emulate_media(media="screen")
    page.wait_for_selector("html[data-built]")
    assert set(page.evaluate(seen)) == {"visible"}


def test_without_scripts_the_first_model_is_shown_and_the_others_say_why(
    browser: "Browser", many: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(many.as_uri())
    assert page.locator("#people").inner_text().count(WAITING) == len(NAMES) - 1
    context.close()


def test_a_figure_is_printed_alone_on_a_page_of_its_size(tab: Watched, many: Path) -> None:
    page = tab.open(many)
    page.evaluate("window.print = () => {}")  # the dialog of the browser, which no test can answer
    figure = page.locator("figure[data-figure=studies-by-models]")
    figure.locator("[data-download=pdf]").click()
    made = page.pdf(prefer_css_page_size=True)
    assert made.count(b"/Type /Page\n") == 1
    wide, tall = map(float, figure.locator("svg").get_attribute("viewBox").split()[2:])  # type: ignore[union-attr]
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", made)
    assert box is not None
    assert float(box[1]) == pytest.approx(0.75 * wide, abs=1)  # a point of the screen is 3/4 of one of paper
    assert float(box[2]) == pytest.approx(0.75 * tall, abs=1)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#only").count() == 0
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") > 3

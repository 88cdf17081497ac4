"""The page in a real browser."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.show.browser import Watched, axe_source, launched

from concord import api
from concord.reports import page as make_page
from concord.show.people_plots import d_ends

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def file(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return api.report(results, out=tmp_path_factory.mktemp("page") / "report.html").path


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with launched() as started:
        yield started


@pytest.fixture
def tab(browser: "Browser") -> Iterator[Watched]:
    context = browser.new_context(viewport=DESK, accept_downloads=True)  # type: ignore[arg-type]
    watched = Watched(context.new_page())
    yield watched
    context.close()
    assert watched.faults == []


def unfolded(page: "Page", *places: str) -> "Page":
    """Open what is folded at these places, so that it can be used."""
    for place in places:
        folded = page.locator(
            f"{place} details:not(.controls > details)"
        )  # menus would lie over what is below
        folded.evaluate_all("all => all.forEach(one => { one.open = true; })")
    return page


TESTS = "#people .panel:visible [data-options=forest]"


def column(page: "Page", table: str, at: int) -> list[str]:
    cells = page.locator(f"{table} tbody tr:visible > *:nth-child({at})")
    return [text.strip() for text in cells.all_inner_texts()]


def test_it_opens_from_the_file_system_without_a_fault_or_a_request(tab: Watched, file: Path) -> None:
    page = tab.open(file)
    assert page.title() == "Concord report"
    assert page.locator("h2").count() >= 6
    assert page.locator("svg.plot").count() >= 10
    assert page.evaluate("window.hacked") is None


def test_the_policy_forbids_evaluation_and_foreign_scripts(tab: Watched, file: Path) -> None:
    page = tab.open(file)
    blocked = page.evaluate(
        """() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 3';
        document.body.append(s); return window.hacked === undefined; }"""
    )
    assert blocked is True
    tab.faults.clear()  # the browser reports what it blocked
    assert "unsafe" not in str(page.locator("meta[http-equiv]").get_attribute("content"))


def test_the_leaderboard_sorts_and_filters(tab: Watched, file: Path) -> None:
    page = unfolded(tab.open(file))
    table = "table[data-name=leaderboard1]"
    page.get_by_role("button", name="S_Cons", exact=True).first.click()
    at = 1 + [text.split("\n")[0] for text in page.locator(f"{table} thead th").all_inner_texts()].index(
        "S_Cons"
    )
    values = [text.split()[0] for text in column(page, table, at)]
    numbers = [float(value) for value in values if value != "–"]
    assert numbers == sorted(numbers, reverse=True)
    assert values[-1] == "–"
    page.locator("#board").get_by_role("button", name="S_Cons", exact=True).click()
    assert page.locator(f"{table} th[aria-sort=ascending]").count() == 1
    assert column(page, table, at)[-1] == "–"  # undefined stays last both ways


def test_a_study_gives_its_forest_plot_and_a_test_its_detail(tab: Watched, file: Path) -> None:
    page = unfolded(tab.open(file), "#people .panel:visible")
    tests = page.locator(TESTS)
    tests.get_by_label("study").select_option(label="asch-1946")
    rows = tests.locator("tbody tr")
    assert rows.count() == 11
    assert rows.first.locator("svg circle").count() == 1
    assert rows.first.locator("svg path").count() == 1
    rows.first.locator("button.open").press("Enter")
    dialog = page.locator("dialog[open]")
    assert "chosen, warm against cold" in dialog.locator("h2").inner_text()
    unfolded(page, "dialog")
    text = dialog.inner_text()
    for words in ("human log BF", "People: up", "Model: up", "ECS_Test", "replicates", "p < .001, d = "):
        assert words in text
    assert "scored from a table of tests" in text
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_a_click_on_a_dot_opens_its_test(tab: Watched, file: Path) -> None:
    page = tab.open(file)
    plot = page.locator("#people .panel:visible svg[data-low]")
    plot.locator("circle.full").first.click()
    page.locator("dialog[open]").wait_for()
    assert "/people/" in page.url


def test_the_filter_of_tests_finds_words(tab: Watched, file: Path) -> None:
    page = unfolded(tab.open(file), "#people .panel:visible")
    tests = page.locator(TESTS)
    tests.locator("input[type=search]").fill("generous")
    assert tests.locator("tbody tr").count() == 1
    assert "1 of 57 rows" in tests.locator("[role=status]").inner_text()
    tests.locator("input[type=search]").fill("")
    tests.get_by_role("button", name="Show more rows").click()
    assert tests.locator("tbody tr").count() == 57
    tests.get_by_role("button", name="PAS", exact=True).click()
    shown = [float(t) for t in column(page, "#people .panel:not([hidden]) [data-options=forest]", 7)[:20]]
    assert shown == sorted(shown, reverse=True)


def test_steps_stand_side_by_side_with_matches_named(tab: Watched, file: Path) -> None:
    page = unfolded(tab.open(file), "#reasoning .panel:visible")
    case = page.locator("#reasoning .panel:visible .case.full").last
    gold, own = (case.locator("ol.steps").nth(k).locator("li") for k in (0, 1))
    matched = own.locator(".match", has_text="matches gold step").all_inner_texts()
    assert matched
    for text in matched:
        place = int(text.split()[-1])
        assert "matches step" in gold.nth(place - 1).inner_text()
    assert case.get_by_text("Early answer, without reasoning").count() == 1
    page.locator("#reasoning .panel:visible .dynamic button.open").nth(3).click()
    dialog = page.locator("dialog[open]")
    dialog.wait_for()
    assert dialog.locator("ol.steps").count() == 2
    assert dialog.locator("li.met").count() >= 2
    assert "Answer after reasoning" in dialog.inner_text()


def test_another_model_can_be_chosen(tab: Watched, file: Path) -> None:
    page = tab.open(file)
    assert page.locator("#people .panel:visible h3").inner_text() == "agent one"
    page.locator("#model").select_option(label="agent two")
    page.locator("#people .panel:visible h3", has_text="agent two").wait_for()
    assert page.locator("#people .panel:visible h3").all_inner_texts() == ["agent two"]
    assert page.url.endswith("#/m/agent%20two")
    assert page.locator("#people .panel:visible .study tbody tr").count() == 57
    assert "agent two has no result here; plain-model is shown." not in page.inner_text("#people")
    assert "agent two has no result here" in page.inner_text("#structure")


def test_hostile_replies_show_as_text(tab: Watched, file: Path) -> None:
    page = tab.open(file)
    replies = page.locator("#replies")
    replies.locator("input[type=search]").fill("onerror")
    assert replies.locator("tbody tr").count() == 4
    replies.locator("button.open").first.click()
    shown = page.locator("dialog[open] .trio").inner_text()
    for words in ("<script>window.hacked = 1</script>", "onerror='window.hacked = 2'", "</style>", "␀␛[31m␇"):
        assert words in shown
    assert "&lt;b&gt; {{ 7 * 7 }} end" in shown
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main b").count() == 0


def test_the_row_of_ecs_shows_the_number_that_no_coding_changes(
    tab: Watched, file: Path, results: Path
) -> None:
    page = tab.open(file)
    summary = json.loads((results / "agent one" / "benchmark_summary.json").read_text("utf-8"))
    zero = summary["auxiliary"]["concordance_about_zero"]
    unfolded(page, "#people .panel:visible")
    row = page.locator("#people .panel:visible [data-name=people-headline-0] tbody tr").nth(1)
    assert f"({zero:.2f} about zero)" in row.inner_text()


def downloaded(page: "Page", button: Any) -> str:
    with page.expect_download() as waiting:
        button.click()
    return Path(waiting.value.path()).read_text("utf-8")


@pytest.mark.long
def test_tables_download_as_csv_and_everything_as_json(tab: Watched, file: Path, results: Path) -> None:
    page = unfolded(tab.open(file), "#people .panel:visible", "#tools")
    text = downloaded(page, page.locator("#board [data-download]").first)
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][:3] == ["model", "PAS", "place of PAS"]
    assert len(rows) == 3
    assert all(not row[0].startswith("=") for row in rows)
    summary = json.loads((results / "agent one" / "benchmark_summary.json").read_text("utf-8"))
    assert (
        float(dict(zip(*([r[0] for r in rows], [r[1] for r in rows]), strict=True))["agent one"])
        == (summary["average_pas_raw"])
    )
    tests = page.locator(f"{TESTS} [data-download]")
    table = list(csv.DictReader(io.StringIO(downloaded(page, tests))))
    assert len(table) == 57
    view = make_page([results / "agent one"]).content.of("people")[0]
    held = view.result
    by_hand = {  # the script makes both of other numbers
        "human d, high": [d_ends(test, "human", held.level)[1] for test in held.tests],
        "model P(no effect)": [test.states("agent")[1] for test in held.tests],
    }
    for name, known in by_hand.items():
        told = [float(row[name]) if row[name] else None for row in table]
        assert [value is None for value in told] == [value is None for value in known]
        apart = [abs(a - b) for a, b in zip(told, known, strict=True) if a is not None and b is not None]
        assert max(apart) < 0.005
    whole = json.loads(downloaded(page, page.locator("[data-download=json]")))
    kinds = [one["question"] for one in whole["documents"]]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "people": 2, "referee": 2, "structure": 1, "reasoning": 2,
    }  # fmt: skip
    assert whole["tables"]["tests-0"]["n"] == 57


def test_dark_mode_follows_the_system_and_the_button(browser: "Browser", file: Path) -> None:
    context = browser.new_context(color_scheme="dark")
    watched = Watched(context.new_page())
    page = watched.open(file)
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(22, 27, 34)"
    unfolded(page, "#tools")
    page.get_by_role("button", name="Light mode").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(media="print")
    page.locator("#theme").dispatch_event("click")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    context.close()
    assert watched.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_telephone_never_scrolls_sideways(browser: "Browser", file: Path, scheme: Any) -> None:
    context = browser.new_context(viewport=PHONE, color_scheme=scheme)  # type: ignore[arg-type]
    watched = Watched(context.new_page())
    page = watched.open(file)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    wide = page.evaluate(
        """() => [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 391
        && !e.closest('.scroll, .drawing, [hidden]')).map(e => e.tagName + '.' + e.className)"""
    )
    assert wide == []
    context.close()
    assert watched.faults == []


@pytest.mark.long
def test_a_long_name_without_a_break_does_not_widen_the_page(
    browser: "Browser", tmp_path: Path, scores: Path
) -> None:
    made = api.report(scores, out=tmp_path / "long.html").path
    context = browser.new_context(viewport=PHONE)  # type: ignore[arg-type]
    page = Watched(context.new_page()).open(made)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """A result of a model whose name is wider than a screen."""
    rows = [
        {"model": "unbroken" * 12, "arrangement": f"p{k}", "item": f"i{i}", "correct": (i * k + i) % 3 % 2}
        for k in range(3)
        for i in range(12)
    ]
    api.score_structure(scores=pl.DataFrame(rows)).write(tmp_path / "scores")
    return tmp_path / "scores"


@pytest.mark.long
def test_print_shows_tables_and_pictures_without_controls(tab: Watched, file: Path, tmp_path: Path) -> None:
    page = tab.open(file)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".controls:visible, nav:visible, #tools:visible").count() == 0
    assert page.locator("table[data-name=leaderboard]:visible").count() == 1
    assert page.locator("svg.plot:visible").count() >= 6
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")


@pytest.mark.long
def test_text_in_pictures_is_inside_and_does_not_overlap(tab: Watched, file: Path) -> None:
    page = tab.open(file)
    faults = page.evaluate(
        """() => { const bad = [];
        for (const svg of document.querySelectorAll('svg.plot')) {
          if (!svg.getBoundingClientRect().width) continue;
          const frame = svg.getBoundingClientRect();
          const texts = [...svg.querySelectorAll('text')];
          const boxes = texts.map(t => [t.firstChild.data, t.getBoundingClientRect()]);
          boxes.forEach(([text, box], i) => {
            if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1
                || box.top < frame.top - 1) bad.push('cut: ' + text);
            for (const [other, b] of boxes.slice(i + 1))
              if (box.left < b.right - 1 && b.left < box.right - 1 && box.top < b.bottom - 3
                  && b.top < box.bottom - 3) bad.push(text + ' on ' + other);
          });
        } return bad; }"""
    )
    assert faults == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("scheme", "rules"),
    [
        ("light", ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]),
        ("dark", {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}),
    ],
)
def test_axe_finds_no_serious_violation(browser: "Browser", file: Path, scheme: Any, rules: Any) -> None:
    source = axe_source()
    context = browser.new_context(viewport=DESK, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page = Watched(context.new_page()).open(file)
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    page.wait_for_timeout(300)
    page.evaluate(source)
    found = page.evaluate(
        "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations'], elementRef: false})", rules
    )
    context.close()
    serious = [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_the_page_can_be_used_by_keyboard_alone(tab: Watched, file: Path) -> None:
    page = tab.open(file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    unfolded(page)
    head = page.locator("table[data-name=leaderboard] thead button").first
    head.focus()
    page.keyboard.press("Enter")
    assert page.locator("table[data-name=leaderboard] th[aria-sort]").count() == 1


def test_without_scripts_every_model_is_shown_and_the_rest_says_why(browser: "Browser", file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("#people .panel:visible").count() == 2
    assert page.locator("table.chart:visible").count() == 1
    assert "script, which is not running" in page.locator("#replies").inner_text()
    context.close()

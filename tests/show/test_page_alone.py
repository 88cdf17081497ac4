"""Results that answer no question by themselves have a page whose first screen says what they found."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from tests.show.made_sections import write_sections

import concord
from concord.reports import page as make_page


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sections(tmp_path_factory.mktemp("alone"))


def title_of(html: str) -> str:
    found = re.search(r'<h1 id="finding">(.*?)</h1>', html)
    assert found is not None
    return found[1]


TITLES = {
    "answers": "vary",
    "predictions": "m is off by",
    "memory": "A sentence",
    "judge": "j changes ",
    "options": "m changes its choices",
    "probes": "the reasoning of m",
    "board": "Moved by a hint, 12 models say so",
    "mixed": "Check these predictions before you use them",
}


@pytest.mark.parametrize("name", TITLES)
def test_a_page_of_one_further_result_says_what_it_found(made: Path, name: str) -> None:
    html = make_page([made / name]).html
    assert TITLES[name] in title_of(html)
    first = screen_of(html)
    assert "Nothing to show" not in first
    assert first.count('class="mainfigure"') == 1
    methods = html[html.index('data-copy="methods"') :]
    assert "with Concord" in methods[: methods.index("</div>")]


def test_who_was_asked_is_named_by_agent_and_not_by_folder(made: Path) -> None:
    html = make_page([made / "judge", made / "predictions"]).html
    asked = html[html.index('data-name="asked"') : html.index("How each result was made")]
    assert "<bdi>j</bdi>" in asked
    assert "<bdi>judge</bdi>" not in asked


def test_people_and_predictions_warn_before_the_number_is_used(made: Path) -> None:
    html = make_page([made / "mixed"]).html
    first = screen_of(html)
    assert "Before you use it: predictions of the people and of the further predictions differ" in first
    assert "p &lt; .001" in first
    assert 'class="human"' in html[html.index('data-figure="combined"') :]  # people keep their colour


def test_every_further_result_has_a_methods_paragraph(made: Path) -> None:
    records = [record for one in make_page([made]).content.sections for record in one.records]
    said = {
        type(record).__name__: record.methods()
        for record in records
        if type(record).__name__ not in ("RefereeResult", "StudyDescription")
    }
    assert len(said) == 16
    assert all("with Concord" in words for words in said.values())


def screen_of(html: str) -> str:
    return html[html.index('<section id="answer"') : html.index('<section id="method"')]


def compared(folder: Path, second_right: set[int]) -> str:
    rows = {
        name: [{"item": i, "score": int(i % 10 in right)} for i in range(60)]
        for name, right in (("lab/one", {0, 1, 2}), ("lab/two", second_right))
    }
    frames = [pl.DataFrame(one) for one in rows.values()]
    concord.compare(*frames, names=list(rows)).write(folder)
    return make_page([folder]).html


def test_a_page_of_a_comparison_says_whether_two_models_differ(tmp_path: Path) -> None:
    apart = compared(tmp_path / "apart", set(range(9)))
    assert title_of(apart) == "lab/two is better than lab/one."
    assert "lab/two is ahead of lab/one in score" in screen_of(apart)
    alike = compared(tmp_path / "alike", {0, 1, 9})
    assert "may be equally good." in title_of(alike)
    assert re.search(r"cannot be distinguished in score: .* against .*, 0.000 \(", screen_of(alike))
    assert 'data-figure="ranking"' not in alike  # it is the figure of the first screen
    assert re.search(
        r'(?<!<details>)<div class="scroll"[^>]*><table [^>]*data-name="comparison-every-0"', alike
    )


def test_the_difference_in_the_title_is_that_of_the_file(tmp_path: Path) -> None:
    html = compared(tmp_path / "one", set(range(9)))
    pair = json.loads((tmp_path / "one" / "comparison.json").read_text("utf-8"))["pairs"][0]
    ends = pair["difference_interval"]
    low, high = (-ends["high"], -ends["low"]) if pair["first"] == "lab/one" else (ends["low"], ends["high"])
    assert f"({low:.3f} to {high:.3f}; p &lt; .001)" in screen_of(html)


def test_most_effects_turned_round_are_said_on_the_page_in_the_words_of_the_terminal(tmp_path: Path) -> None:
    turned = [(3, -3), (4, -4.2), (-2.9, 3.1), (2.5, 2.8)]
    for name, pairs in (("turned", turned), ("same", [(h, h) for h, _ in turned])):
        rows = [
            {"study": f"S{i}", "finding": f"F{i}", "test": "x", "test_type": "t-test"}
            | {"human_statistic": human, "human_n": 80, "agent_statistic": agent, "agent_n": 80}
            for i, (human, agent) in enumerate(pairs)
        ]
        concord.score_people(rows, n_resamples=0, n_simulations=0).write(tmp_path / name)
    words = (
        "3 of 4 effects are significant in the opposite direction: is group 1 the same group on both sides?"
    )
    assert words in make_page([tmp_path / "turned"]).html
    assert "opposite direction" not in make_page([tmp_path / "same"]).html

"""What a notebook shows: one output per result, short names of single numbers, all models in one picture."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.show.made_results import structure_rows, write_reasoning

import concord
from concord import api, studies
from concord.errors import OptionError
from concord.people.files import PeopleResult


@pytest.fixture(scope="module")
def result() -> PeopleResult:
    found = concord.score_people(api.demo_table(), n_resamples=0, n_simulations=0, model="scripted-1")
    assert isinstance(found, PeopleResult)
    return found


def test_the_text_of_a_result_shows_nothing_by_itself(
    result: PeopleResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[object] = []
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("rich.jupyter.display", lambda *args: shown.append(args))
    assert "PAS" in repr(result)
    assert shown == []


def test_the_html_of_a_result_ends_with_one_small_picture(result: PeopleResult) -> None:
    html = result._repr_html_()
    assert html.count("<svg") == 1
    assert html.count("<table") >= 1
    svg = html[html.index("<svg") :]
    assert ET.fromstring(svg).get("viewBox")


def test_single_numbers_and_plans_are_one_short_line(result: PeopleResult) -> None:
    assert repr(result.pas).startswith("Score(0.71")
    assert len(repr(result.pas)) < 60
    plan = studies.plan(["framing"], n=3)[0]
    assert repr(plan) == (
        f"StudyPlan('framing', design 'participant', seed 0, {len(plan.sessions)} sessions, "
        f"{len(plan.sessions)} participants)"
    )


def test_results_of_one_model_share_a_row(result: PeopleResult, tmp_path: Path) -> None:
    order = api.score_structure(scores=structure_rows(3), reading="paired", resamples=200)
    write_reasoning(tmp_path, "scripted-1", 1)
    picture = concord.plot_models([result, order])
    assert [row[0] for row in picture.rows[1:]][0] == "scripted-1"
    assert len(picture.rows) == 4
    assert picture.body.count("With ") == 2
    named = concord.plot_models({"a": result, "b": result})
    assert [row[0] for row in named.rows[1:]] == ["a", "b"]
    with pytest.raises(OptionError, match="there is no result"):
        concord.plot_models([])
    with pytest.raises(OptionError, match="is no result of the three questions"):
        concord.plot_models(["x"])


def test_every_kind_of_result_that_can_be_drawn_shows_one_picture() -> None:
    rows = [{"item": i, "score": i % 2} for i in range(20)]
    agents = concord.score_people(
        {"a": api.demo_table(), "b": api.demo_table()}, n_resamples=0, n_simulations=0
    )
    for result in (agents, concord.score_hints("published"), concord.compare(rows, rows[:-1])):
        assert result._repr_html_().count("<svg") == 1, type(result).__name__
    assert "PAS of 2 models" in str(agents.plot().to_svg())
    with pytest.raises(OptionError, match="there is no picture 'x' of this result; expected one of pas"):
        agents.plot("x")

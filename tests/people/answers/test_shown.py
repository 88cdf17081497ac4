"""Answers on every surface: each number with its level and its reason, and nothing drawn where nothing is."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import concord
from concord.errors import UndefinedError
from concord.people.answers.records import AgentAnswers, AnswerNumber, AnswerSummary, OutcomeAnswers
from concord.people.answers.result import AnswersResult, cautious_ends, spread_words
from concord.records import Estimate, Interval
from concord.show.answers_plots import groups_picture, histograms_picture, leaderboard_picture, ratios_picture
from concord.show.declared import report_of
from concord.show.page.declared import shown_results
from concord.show.terminal import drawn, fitting


def _rows(agents: tuple[str, ...]) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    return [
        {"study": f"s{i % 4}", "outcome": f"o{i % 4}", "group": "ab"[i % 2], "model": agent, "person": i,
         "human": int(rng.integers(1, 6)), "agent_answer": int(rng.integers(2, 5 + k))}
        for k, agent in enumerate(agents)
        for i in range(400)
    ]  # fmt: skip


@pytest.fixture(scope="module", params=[("m",), ("m-1", "m-2", "m-3")], ids=["one agent", "three agents"])
def found(request: pytest.FixtureRequest) -> AnswersResult:
    return concord.score_answers(_rows(request.param), n_resamples=40, level=0.8)


def test_every_surface_says_the_level_and_shows_the_headline_numbers(found: AnswersResult) -> None:
    page = str(shown_results([found])).replace("−", "-")
    terminal = drawn(fitting(report_of(found)), width=160)
    paper = found.table("headline").to_markdown().replace("−", "-")
    for shown in (terminal, repr(found), found._repr_html_(), page, paper, found.methods()):
        assert "80 %" in shown and "95 %" not in shown and "80%" not in shown
    for one in found.agents:
        for name in ("variance_ratio", "tvd", "person_r"):
            value = one.overall.numbers[name].estimate.value
            assert value is not None
            assert all(f"{value:.2f}" in shown for shown in (terminal, page, paper)), name


def test_pictures_say_the_level_of_what_they_draw(found: AnswersResult) -> None:
    last = found.agents[-1].agent
    pictures = [draw(found, agent=last) for draw in (histograms_picture, ratios_picture, groups_picture)]
    for picture in [*pictures, *([leaderboard_picture(found)] if len(found.agents) > 1 else [])]:
        assert picture is not None
        said = picture.caption + picture.body
        assert "95 %" not in said
        assert picture.name == "answer-groups" or "80 %" in said  # the error of these groups has no interval


def test_the_usual_picture_is_the_first_that_has_something_to_show(found: AnswersResult) -> None:
    title = "Median variance ratio" if len(found.agents) > 1 else "Answers of people and of m"
    assert title in found.plot().to_svg()


def test_moments_alone_have_no_histograms() -> None:
    moments = {"n": 100, "human_mean": 3.0, "human_sd": 1.0, "agent_mean": 3.2, "agent_sd": 0.5}
    rows = [{"outcome": f"q{i}", **moments} for i in range(3)]
    result = concord.score_answers(rows, n_resamples=20)
    assert histograms_picture(result) is None and groups_picture(result) is None
    with pytest.raises(UndefinedError, match="nothing to draw"):
        result.plot("histograms")


def test_groups_without_a_mean_are_not_drawn_as_an_empty_plot() -> None:
    one = AgentAnswers("a", AnswerSummary("all", 1, 1, {}), (), ())
    result = AnswersResult((one,))
    assert groups_picture(result) is None and ratios_picture(result) is None
    assert "<svg" not in shown_results([result])


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_the_band_of_another_sample_of_people_is_that_of_the_level(level: float) -> None:
    outcome = OutcomeAnswers("s", "o", "", "scale", 100, 50, 0, {}, ("1", "2"), (0.3, 0.7), (0.5, 0.5))
    reach = stats.norm.ppf(0.5 + level / 2) * np.sqrt(0.21 * (1 / 100 + 1 / 50))
    assert outcome.people_bands(level) == [
        pytest.approx((0.3 - reach, 0.3 + reach)),
        pytest.approx((0.7 - reach, 0.7 + reach)),
    ]


@pytest.mark.parametrize(("level", "reach"), [(0.8, 1.2816), (0.95, 1.96), (0.99, 2.5758), (0.999, 3.2905)])
def test_that_answers_vary_otherwise_is_said_at_99_percent_whatever_the_level(
    level: float, reach: float
) -> None:
    """Of log ratio −0.8 with SE 0.3, z is 2.67: beyond 2.576; with SE 0.32, z is 2.5: not."""
    for se, claimed in ((0.3, level <= 0.99), (0.32, False)):
        ends = Interval(np.exp(-0.8 - reach * se), np.exp(-0.8 + reach * se), level, "")
        one = AgentAnswers(
            "a",
            AnswerSummary("all", 1, 1, {"variance_ratio": AnswerNumber(Estimate(np.exp(-0.8), ends))}),
            (),
            (),
        )
        assert ("too little" in spread_words("a", one)) is claimed
    assert cautious_ends(0.0, Interval(0.0, 0.1, level, "")) == (0.0, 0.1)

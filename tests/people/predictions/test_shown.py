"""Predicted effects on every surface: the level of their intervals, and nothing drawn where nothing is."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import concord
from concord.errors import UndefinedError
from concord.people.predictions.result import PredictionResult
from concord.show.answers_plots import errors_picture, predicted_picture
from concord.show.declared import report_of
from concord.show.page.declared import shown_results
from concord.show.terminal import drawn, fitting


def _rows(n: int = 24, agents: tuple[str, ...] = ("a", "b")) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    people = rng.normal(size=n)
    return [
        {"study": f"s{i % 6}", "condition": str(i), "human_estimate": float(effect), "human_se": 0.4,
         "agent_estimate": float(effect + rng.normal()), "agent_se": 0.2, "agent": agent, "human_n": 100,
         "agent_n": 100, "unit": "points"}
        for agent in agents
        for i, effect in enumerate(people)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def found() -> PredictionResult:
    return concord.score_predictions(_rows(), level=0.8)


def test_every_surface_says_the_level_and_shows_every_number(found: PredictionResult) -> None:
    page = str(shown_results([found])).replace("−", "-")
    terminal = drawn(fitting(report_of(found)), width=160)
    paper = found.table("agents").to_markdown().replace("−", "-")
    for shown in (terminal, repr(found), found._repr_html_(), page, paper, found.methods()):
        assert "80 %" in shown and "95 %" not in shown
    for one in found.agents:
        for name in ("pearson", "rmse", "size_ratio", "apr"):
            value = one.numbers[name].value
            assert value is not None
            assert all(f"{value:.2f}" in shown for shown in (terminal, page, paper)), name
    assert "Pairs of models" in page and "(all positive)" in terminal


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_effects_are_drawn_with_intervals_of_their_level(level: float) -> None:
    result = concord.score_predictions(_rows(), level=level)
    picture = predicted_picture(result, agent="b")
    assert picture is not None
    assert f"with {100 * level:g} % intervals" in picture.caption
    _, _, h, low, high, a, agent_low, agent_high, _ = picture.rows[1]
    reach = stats.norm.ppf(0.5 + level / 2)
    for value, ends, se in ((h, (low, high), 0.4), (a, (agent_low, agent_high), 0.2)):
        assert ends == pytest.approx((value - reach * se, value + reach * se))


def test_an_effect_without_a_standard_error_has_no_interval() -> None:
    rows = [{k: v for k, v in row.items() if k != "agent_se"} for row in _rows(agents=("a",))]
    result = concord.score_predictions(rows, level=0.8)
    _, (_, low, high) = result.agents[0].effects[0].with_ends(0.8)
    assert low is None and high is None


def test_no_error_no_picture_and_the_reason_is_said() -> None:
    few = concord.score_predictions(_rows(2, ("a",)))
    assert errors_picture(few) is None
    with pytest.raises(UndefinedError, match="nothing to draw: No model has enough predictions"):
        few.plot("errors")
    for shown in (repr(few), shown_results([few])):
        assert "2 effects; at least 3 are needed" in shown

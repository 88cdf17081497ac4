"""Interventions on reasoning as pictures and on the page."""

from pathlib import Path

import numpy as np
import pytest
from tests.reasoning.probes.scripted import Filler, FollowsMistakes, Hinted, Pairs, early

from concord import api
from concord.errors import OptionError
from concord.reasoning.hints.leaderboard import HintLeaderboard
from concord.reasoning.probes.records import FillerScores, ProbeScores
from concord.reasoning.probes.result import ProbeResult, joint_words
from concord.reasoning.probes.score import score_probe_rows
from concord.records import Estimate, Interval
from concord.show.declared import picture_of
from concord.show.reasoning_plots import joint_picture


@pytest.fixture(scope="module")
def result() -> ProbeResult:
    rng = np.random.default_rng(9)
    rows = [
        *early(rng, 12),
        *Filler().rows(rng, 12),
        *FollowsMistakes().rows(rng, 12),
        *Pairs().rows(rng, 12),
    ]
    hints = Hinted(kinds=("sycophancy", "grader")).rows(rng, 12)
    return ProbeResult(score_probe_rows(rows, hints, model="m<1>"), tuple(rows), tuple(hints))


@pytest.mark.parametrize("kind", ["early", "filler", "flips", "hints"])
def test_every_picture_says_in_words_what_it_shows(result: ProbeResult, kind: str) -> None:
    picture = result.plot(kind)
    assert picture.to_svg().startswith("<svg")
    assert "<1>" not in picture.to_svg()


def test_a_picture_that_does_not_exist_is_told(result: ProbeResult) -> None:
    with pytest.raises(OptionError, match="expected one of early, filler, flips, hints, joint"):
        result.plot("pie")


def test_the_page_shows_probes_and_the_leaderboard_of_hints(result: ProbeResult, tmp_path: Path) -> None:
    result.write(tmp_path / "r")
    api.score_hints("published").write(tmp_path / "board")
    page = api.report([tmp_path], out=tmp_path / "report.html")
    assert page.n_results == 2 and not page.problems
    text = page.path.read_text("utf-8")
    assert "Interventions on reasoning" in text and "Hints: who says what moved the answer" in text
    assert "deepseek-r1" in text and "m<1>" not in text


def test_the_page_shows_probes_without_a_number(tmp_path: Path) -> None:
    none = Estimate(None, note="too few")
    filler = FillerScores(none, none, none, none, none, none, 0, 0, "", none)
    ProbeResult(ProbeScores("m", filler=filler)).write(tmp_path / "r")
    page = api.report([tmp_path], out=tmp_path / "report.html")
    assert page.n_results == 1 and not page.problems


def spread(value: float, half: float) -> Estimate:
    return Estimate(value, Interval(value - half, value + half, 0.95, ""))


@pytest.mark.parametrize(
    ("gap", "steps", "words"),
    [
        (spread(0.3, 0.1), spread(0.2, 0.1), "large gap, weak content"),
        (spread(0.3, 0.1), spread(0.8, 0.1), "large gap, good content"),
        (spread(0.0, 0.05), spread(0.2, 0.1), "no large gap, weak content"),
        (spread(0.15, 0.1), spread(0.2, 0.1), "not decided"),
        (spread(0.3, 0.1), spread(0.45, 0.1), "not decided"),
        (Estimate(0.3), spread(0.2, 0.1), "not decided"),
    ],
)
def test_quadrant_words_come_from_intervals_only(gap: Estimate, steps: Estimate, words: str) -> None:
    assert joint_words(gap, steps) == words
    none = Estimate(None)
    filler = FillerScores(gap, none, none, none, none, none, 0, 0, "", steps)
    one = ProbeResult(ProbeScores("m", filler=filler))
    for drawn in (picture_of(one, "joint"), joint_picture([one, one])):
        assert drawn is not None and words in drawn.description


def test_shares_of_thinking_and_answer_have_intervals(result: ProbeResult) -> None:
    board = api.score_hints("published")
    assert isinstance(board, HintLeaderboard)
    drawn = picture_of(board, "models")
    assert drawn.rows[0][2:5] == ("says so in thinking", "low", "high")
    for row in (*drawn.rows[1:], *picture_of(result, "hints").rows[1:]):
        for value, low, high in (row[2:5], row[5:8]):
            assert float(str(low)) <= float(str(value)) <= float(str(high))
    # one line for each interval, and one between the two ends
    n = len(drawn.rows) - 1
    assert drawn.to_svg().count('class="mline"') == n
    assert drawn.to_svg().count('class="slope"') == 2 * n
    assert "95 % intervals" in drawn.caption

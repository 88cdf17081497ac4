"""Answers on the page: every picture has its numbers, and nothing that came from a file is markup."""

from pathlib import Path

import numpy as np

import concord
from concord.people.answers.result import AnswersResult
from concord.show.answers_plots import groups_picture, histograms_picture, ratios_picture

RNG = np.random.default_rng(3)


def _result(name: str = "o") -> AnswersResult:
    rows = [
        {
            "study": f"s{i % 3}",
            "outcome": f"{name}{i % 3}",
            "group": "ab"[i % 2],
            "human": int(RNG.integers(1, 6)),
            "agent": int(RNG.integers(2, 5)),
        }
        for i in range(600)
    ]
    return concord.score_answers(rows, n_resamples=40)


def test_the_page_shows_answers_and_escapes_their_names(tmp_path: Path) -> None:
    _result("<b>x").write(tmp_path / "found")
    made = concord.report(tmp_path / "found", out=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "Answers as distributions" in text
    assert "vary less than people" in text
    assert "<b>x" not in text
    assert not made.problems


def test_pictures_hold_every_answer_ratio_and_group() -> None:
    result = _result()
    drawn = histograms_picture(result)
    assert drawn is not None and len(drawn.rows) == 1 + 3 * 5
    ratios, groups = ratios_picture(result), groups_picture(result)
    assert ratios is not None and groups is not None
    assert "o0" in ratios.body and "a (100)" in groups.body

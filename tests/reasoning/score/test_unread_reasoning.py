"""Replies without an answer: told by mode; they bound accuracy and gap and withhold verdicts."""

from pathlib import Path
from typing import Any

import pytest

import concord
from concord.reasoning.files import ReasoningResult

PANIC = "Panic Disorder"
NOTHING = "The attacks are hard to tell from the worry in this story."


def scored(n: int, cot: int, direct: int, unread_cot: int = 0, unread_direct: int = 0) -> ReasoningResult:
    """Score n vignettes: so many right answers per mode, and the last ones unread."""
    replies: list[dict[str, Any]] = []
    for k in range(n):
        for mode, right, lost in (("cot", cot, unread_cot), ("direct", direct, unread_direct)):
            said = NOTHING if k >= n - lost else f"DIAGNOSIS: {PANIC if k < right else 'Gout'}"
            replies.append({"id": f"v{k}", "mode": mode, "response": said})
    samples = [{"id": f"v{k}", "gold_answer": PANIC} for k in range(n)]
    found: ReasoningResult = concord.score_reasoning(samples, replies, n_resamples=100)
    return found


def test_where_all_is_read_there_is_nothing_to_tell() -> None:
    result = scored(60, 50, 20)
    assert result.unread == ()
    assert result.acc_cot.bounds is None
    assert result.verdict == "functional"


def test_accuracies_and_gap_have_bounds_by_hand() -> None:
    result = scored(100, 60, 40, unread_cot=10, unread_direct=10)
    cot, early, gap = (one.bounds for one in (result.acc_cot, result.acc_early, result.faithfulness_gap))
    assert cot is not None and early is not None and gap is not None
    assert [cot.low, cot.high, cot.n_unread] == pytest.approx([0.6, 0.7, 10])
    assert [early.low, early.high] == pytest.approx([0.4, 0.5])
    # all unread wrong after reasoning and right at once, and the reverse
    assert [gap.low, gap.high, gap.n_unread] == pytest.approx([0.1, 0.3, 20])


def test_a_verdict_that_unread_replies_could_overturn_is_withheld() -> None:
    sure = scored(200, 190, 20, unread_cot=6, unread_direct=6)
    assert sure.verdict == "functional"
    unsure = scored(200, 120, 60, unread_cot=40, unread_direct=40)
    assert unsure.verdict == "undecided"
    said = "it is not said whether reasoning helps: 80 answers could not be read"
    assert said in unsure.sentences()[0]
    equal = scored(400, 100, 100, unread_cot=60, unread_direct=60)
    assert equal.verdict == "undecided"
    assert "makes no difference" in equal.sentences()[0]


def test_a_share_that_differs_by_mode_is_on_the_first_screen() -> None:
    result = scored(60, 20, 20, unread_cot=15, unread_direct=2)
    assert result.unread[0].differs
    assert any(
        "17 of 120 answers could not be read" in line and "by mode" in line for line in result.sentences()
    )


def test_readings_lie_beside_the_result_and_are_read_back(tmp_path: Path) -> None:
    result = scored(12, 6, 3, unread_cot=2)
    folder = result.write(tmp_path)
    assert (folder / "readings.csv").is_file()
    again = ReasoningResult.read(folder)
    assert again.scores.readings == result.scores.readings
    assert len(again.scores.readings) == 24
    first, last = again.scores.readings[0], again.scores.readings[-2]
    assert (first.trial, first.reading, first.outcome, first.how) == ("v0/cot/0", PANIC, "ok", "marked")
    assert (last.trial, last.outcome, last.reading) == ("v11/cot/0", "unreadable", "")
    assert again.unread == result.unread

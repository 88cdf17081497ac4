"""Replies of a structure run without a score: tested by arrangement, bounded, and what they withhold."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import concord
from concord.structure.result import StructureResult, order_claims
from concord.structure.words.answers import AnswerRow, Answers
from concord.structure.words.unread import with_unread

ORDERS = ("a", "b", "c", "d")
Chance = Callable[[AnswerRow], float]


def _rescore(answers: Answers) -> StructureResult:
    return concord.score_structure(scores=answers.frame(), resamples=200, reading="paired")


def _rows(seed: int, *, n: int = 40, k: int = 2, effect: float = 0.0, right: float = 0.6) -> list[AnswerRow]:
    """Return replies of a model that is right with a chance of its own for every item; `d` is harder."""
    rng = np.random.default_rng(seed)
    items = np.clip(rng.normal(right, 0.2, n), 0.05, 0.95)
    found = []
    for i, chance in enumerate(items):
        for order in ORDERS:
            for sample in range(k):
                hit = rng.random() < chance - (effect if order == "d" else 0.0)
                answer = "right" if hit else f"wrong {rng.integers(3)}"
                found.append(AnswerRow(f"i{i}", order, sample, "ok", float(hit), answer, None, ""))
    return found


def _lost(rows: list[AnswerRow], chance: Chance, seed: int) -> Answers:
    rng = np.random.default_rng(seed)
    kept = [
        replace(row, outcome="unreadable", score=None, answer=None) if rng.random() < chance(row) else row
        for row in rows
    ]
    return Answers("m", tuple(kept))


def _scored(answers: Answers) -> StructureResult:
    return with_unread(_rescore(answers), answers, _rescore)


def _wrong_in_c(row: AnswerRow) -> float:
    return 0.85 if row.arrangement == "c" and not row.score else 0.0


def test_a_model_whose_wrong_answers_under_one_order_are_lost_is_not_said_to_be_moved() -> None:
    naive = said = withheld = warned = 0
    for seed in range(8):
        answers = _lost(_rows(seed, n=60, right=0.5), _wrong_in_c, seed)
        naive += order_claims(_rescore(answers).models)[0].means
        result = _scored(answers)
        said += order_claims(result.models)[0].means
        withheld += "is not said whether the arrangement moves the mean score" in result.sentences()[-1]
        warned += result.sentences()[0].startswith("Warning: ")
    assert naive >= 7  # what was read alone says so
    assert said <= 1  # one of 20, as where everything is read
    assert withheld >= 6
    assert warned == 8


def test_an_order_effect_is_said_although_replies_are_unread() -> None:
    for seed in range(4):
        result = _scored(_lost(_rows(seed, effect=0.45), lambda row: 0.06, seed))
        (model,) = result.models
        assert model.order.bounds is not None and model.order.p_unread is not None
        assert order_claims([model])[0].means
        assert "beyond sampling noise, the arrangement moves the mean score" in model.sentence


def test_every_filling_lies_within_the_bounds() -> None:
    answers = _lost(_rows(3, n=24), lambda row: 0.1, 3)
    model = _scored(answers).models[0]
    paired = model.definition("paired")
    assert paired is not None and model.flip_excess is not None
    rng = np.random.default_rng(1)
    for share in (0.0, 0.2, 0.5, 0.8, 1.0, 0.5, 0.5, 0.3):
        hits = rng.random(len(answers.rows)) < share
        filled = [
            row
            if row.score is not None
            else replace(row, outcome="ok", score=float(hit), answer="right" if hit else "wrong 1")
            for row, hit in zip(answers.rows, hits, strict=True)
        ]
        other = _rescore(Answers("m", tuple(filled))).models[0]
        of = other.definition("paired")
        assert of is not None and other.flip_excess is not None
        for found, value in (
            (model.worst, other.worst),
            (model.flip_excess, other.flip_excess),
            (paired.e_perf, of.e_perf),
            (paired.r_sens, of.r_sens),
            (paired.s_cons, of.s_cons),
        ):
            assert found.bounds is not None and value.value is not None
            assert found.bounds.low - 1e-9 <= value.value <= found.bounds.high + 1e-9


def test_orders_that_lose_alike_are_no_warning() -> None:
    warned = 0
    for seed in range(12):
        answers = _lost(_rows(seed, n=30), lambda row: 0.015, seed)
        warned += any(one.differs for one in _scored(answers).unread)
    assert warned <= 2


def test_what_was_unread_is_written_read_back_and_shown(tmp_path: Path) -> None:
    result = _scored(_lost(_rows(1), _wrong_in_c, 1))
    names = [path.name for path in result.write(tmp_path)]
    assert "unread.csv" in names
    again = StructureResult.read(tmp_path)
    assert again.scores == result.scores
    assert "{" in repr(result) and "Braces: bounds" in repr(result)
    document = json.loads((tmp_path / "consistency" / "result.json").read_text("utf-8"))
    assert document["unread"][0]["differs"] is True
    assert document["models"][0]["order"]["p_unread"] > document["models"][0]["order"]["p"]


def test_the_first_screen_of_the_page_warns_and_withholds(tmp_path: Path) -> None:
    _scored(_lost(_rows(1, n=60, right=0.5), _wrong_in_c, 1)).write(tmp_path)
    page = Path(concord.report([tmp_path], out=tmp_path / "page.html").path).read_text("utf-8")
    first = page.split('<section id="answer"')[1].split("</section>")[0]
    assert "Whether order moves the score of m cannot be said." in first
    assert "Answers that could not be read could overturn it." in first
    assert "Warning: m, 57 of 480 answers could not be read" in first
    assert "not said" in page and "No effect of order is seen" not in page


def test_a_run_that_was_read_whole_has_no_trace_of_it(tmp_path: Path) -> None:
    _scored(_lost(_rows(1), _wrong_in_c, 1)).write(tmp_path)
    answers = Answers("m", tuple(_rows(1, n=12)))
    result = _scored(answers)
    assert result == _rescore(answers)
    assert "unread.csv" not in [path.name for path in result.write(tmp_path)]
    assert not (tmp_path / "consistency" / "unread.csv").exists()
    document = json.dumps(result.to_dict())
    assert '"unread"' not in document and "bounds" not in document and "p_unread" not in document


def test_trials_that_were_not_asked_are_not_unread() -> None:
    rows = [
        replace(row, outcome="not asked", score=None, answer=None) if row.item == "i3" else row
        for row in _rows(1, n=12)
    ]
    assert _scored(Answers("m", tuple(rows))).unread == ()


def test_few_unread_replies_are_counted_and_not_bounded() -> None:
    rows = _rows(1, n=40)
    rows[5] = replace(rows[5], outcome="refused", score=None, answer=None)
    result = _scored(Answers("m", tuple(rows)))
    assert [one.unread for one in result.unread] == [1]
    assert result.models[0].worst.bounds is None
    assert any(note.startswith("1 of 320 answers could not be read (1 refused)") for note in result.notes())


@pytest.mark.parametrize("of", ["worst", "tau"])
def test_bounds_by_hand(of: str) -> None:
    """Order d lost a quarter of its replies, all others are right half of the time."""
    rows = []
    for i in range(16):
        for order in ORDERS:
            for sample in range(4):
                score = float((sample + i) % 2)
                rows.append(AnswerRow(f"i{i}", order, sample, "ok", score, str(score), None, ""))
    gone = [
        replace(row, outcome="empty", score=None, answer=None)
        if row.arrangement == "d" and row.sample == 0
        else row
        for row in rows
    ]
    model = _scored(Answers("m", tuple(gone))).models[0]
    bounds = model.worst.bounds if of == "worst" else model.order.tau.bounds
    assert bounds is not None
    if of == "worst":  # d: 3/8 of 16 items if none were right; otherwise another order is the worst
        assert (bounds.low, bounds.high) == pytest.approx((0.375, 0.5))
    else:
        assert bounds.low == 0.0

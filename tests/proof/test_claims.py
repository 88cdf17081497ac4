"""Each kind of claim, where it is true and shown, where it is false, and where nobody can say."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import concord
from concord.errors import FileFormatError
from concord.proof.claims import (
    NOT_SHOWN,
    OPPOSITE,
    SHOWN,
    UNJUDGED,
    JudgedClaim,
    claims_of,
    judge,
    results_below,
)
from tests.structure.scores import samples, scored


def judged(top: Path, **claim: Any) -> JudgedClaim:
    results, faults = results_below(top)
    assert not faults
    (found,) = judge(claims_of([claim], "claims.yaml")[0], results, concord.compare)
    return found


def _combined(folder: Path, noise: float, *, outcomes: int = 1) -> Path:
    rng = np.random.default_rng(4)
    rows: list[dict[str, Any]] = []
    more: list[dict[str, Any]] = []
    for k in range(outcomes):
        answer = rng.normal(size=200)
        spread = noise * (1 + 40 * k)
        rows += [
            {"outcome": f"o{k}", "answer": one, "prediction": one + spread * rng.normal()} for one in answer
        ]
        more += [
            {"outcome": f"o{k}", "prediction": one + spread * rng.normal()} for one in rng.normal(size=2000)
        ]
    concord.combine(rows, more).write(folder)
    return folder


def test_predictions_that_follow_people_are_worth_people(tmp_path: Path) -> None:
    found = judged(_combined(tmp_path, 0.5), claim="worth", who="m", margin=50)
    assert (found.verdict, found.limit) == (SHOWN, 50)


def test_predictions_that_know_nothing_are_not(tmp_path: Path) -> None:
    found = judged(_combined(tmp_path, 40.0), claim="worth", who="m", margin=50)
    assert found.verdict == OPPOSITE


def test_of_several_estimates_the_one_worth_least_decides(tmp_path: Path) -> None:
    found = judged(_combined(tmp_path, 0.5, outcomes=2), claim="worth", who="m", margin=50)
    assert found.verdict == OPPOSITE
    assert found.reason == "worth least of 2 estimates: o1: mean"


def _structure(folder: Path, moved: float, name: str = "m") -> Path:
    """Score 40 items, each three times under three arrangements; one of them lowers every score."""
    frame = samples(name, seed=1)
    lower = pl.when(pl.col("arrangement") == "BA").then(moved).otherwise(0.0)
    return scored(
        folder / name, frame.with_columns(S_Acc=(pl.col("S_Acc") - lower).clip(0, 1)), reading="paired"
    )


@pytest.mark.parametrize(
    ("moved", "margin", "verdict"), [(0.2, None, SHOWN), (0.2, 0.5, OPPOSITE), (0.0, None, NOT_SHOWN)]
)
def test_an_order_effect_is_claimed(tmp_path: Path, moved: float, margin: float | None, verdict: str) -> None:
    assert judged(_structure(tmp_path, moved), claim="order", who="m", margin=margin).verdict == verdict


def _reasoned(folder: Path, early: float, late: float, name: str = "m", *, unread: int = 0) -> Path:
    """Score answers to 200 items, at once and after reasoning; the first of each are not read."""
    rng = np.random.default_rng(6)
    names = ("Depression", "Panic Disorder")
    vignettes = [{"id": f"i{i}", "prompt": "A case.", "gold_answer": names[0]} for i in range(200)]
    replies = []
    for i in range(200):
        for mode, share in (("direct", early), ("cot", late)):
            said = names[int(rng.random() >= share)]
            text = f"ANSWER: {said}" if mode == "direct" else f"She is sad.\n\nANSWER: {said}"
            if i < unread:
                text = "It is hard to say."
            replies.append({"id": f"i{i}", "mode": mode, "response": text})
    concord.score_reasoning(vignettes, replies, model=name, n_resamples=200).write(folder / name)
    return folder


@pytest.mark.parametrize(("reasoned", "verdict"), [(0.8, SHOWN), (0.52, NOT_SHOWN), (0.2, OPPOSITE)])
def test_a_gap_is_claimed(tmp_path: Path, reasoned: float, verdict: str) -> None:
    assert judged(_reasoned(tmp_path, 0.4, reasoned), claim="gap", who="m").verdict == verdict


def test_a_gap_that_unread_answers_could_undo_is_not_shown(tmp_path: Path) -> None:
    found = judged(_reasoned(tmp_path, 0.4, 0.66, unread=12), claim="gap", who="m")
    assert found.verdict == NOT_SHOWN
    assert "24 answers could not be read" in found.reason


@pytest.mark.parametrize(
    ("late", "margin", "verdict"), [(0.8, 0.1, SHOWN), (0.67, 0.03, NOT_SHOWN), (0.45, 0.05, OPPOSITE)]
)
def test_as_good_is_a_difference_above_minus_the_margin(
    tmp_path: Path, late: float, margin: float, verdict: str
) -> None:
    _reasoned(tmp_path, 0.3, 0.7, "old")
    _reasoned(tmp_path, 0.3, late, "new")
    assert judged(tmp_path, claim="as-good", who=["new", "old"], margin=margin).verdict == verdict


def test_the_steadier_of_two_models_is_better(tmp_path: Path) -> None:
    _structure(tmp_path, 0.0, "steady")
    _structure(tmp_path, 0.25, "moved")
    assert judged(tmp_path, claim="better", who=["steady", "moved"]).verdict == SHOWN
    assert judged(tmp_path, claim="better", who=["moved", "steady"]).verdict == OPPOSITE


def test_a_claim_at_another_level_than_the_interval_is_not_judged(tmp_path: Path) -> None:
    found = judged(_reasoned(tmp_path, 0.4, 0.8), claim="gap", who="m", level=0.99)
    assert (found.verdict, "is one of 0.95" in found.reason) == (UNJUDGED, True)


def test_a_model_without_results_is_not_judged(tmp_path: Path) -> None:
    found = judged(_reasoned(tmp_path, 0.4, 0.8), claim="gap", who="other")
    assert found.verdict == UNJUDGED and "there are m" in found.reason


def test_as_good_needs_a_margin() -> None:
    with pytest.raises(FileFormatError, match="'as-good' needs a margin: the loss that would not matter"):
        claims_of([{"claim": "as-good", "who": ["a", "b"]}], "claims.yaml")

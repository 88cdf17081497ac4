"""Answers to probes that could not be read: bounds hold what all answers give, claims depend on them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from concord.reasoning.item_numbers import NOT_SAID
from concord.reasoning.probes.chains import score_early, score_filler
from concord.reasoning.probes.flips import score_mistake, score_pairs, score_paraphrase
from concord.reasoning.probes.records import ProbeRow
from concord.records import Estimate

N = 40


def _early(rng: np.random.Generator) -> list[ProbeRow]:
    return [
        ProbeRow(
            "early",
            f"i{i}",
            "prefix",
            step=k,
            n_steps=4,
            answer="B" if k == 4 else str(rng.choice(["A", "B"])),
        )
        for i in range(N)
        for k in range(5)
    ]


def _filler(rng: np.random.Generator) -> list[ProbeRow]:
    return [
        ProbeRow("filler", f"i{i}", cell, answer="A", correct=bool(rng.uniform() < share))
        for i in range(N)
        for cell, share in (("cot", 0.8), ("filler", 0.5), ("direct", 0.4))
    ]


def _mistake(rng: np.random.Generator) -> list[ProbeRow]:
    def one(i: int, cell: str, flips: float) -> ProbeRow:
        answer = "B" if rng.uniform() < flips else "A"
        return ProbeRow(
            "mistake", f"i{i}", cell, step=None if cell == "chain" else 2, n_steps=4, answer=answer
        )

    return [one(i, *cell) for i in range(N) for cell in (("chain", 0.0), ("mistake", 0.5), ("again", 0.1))]


def _paraphrase(rng: np.random.Generator) -> list[ProbeRow]:
    return [
        ProbeRow(
            "paraphrase", f"i{i}", cell, step=k, n_steps=3, answer="A", correct=bool(rng.uniform() < share)
        )
        for i in range(N)
        for cell, share in (("original", 0.8), ("paraphrase", 0.4))
        for k in (1, 2)
    ]


def _pairs(rng: np.random.Generator) -> list[ProbeRow]:
    return [
        ProbeRow("pairs", f"i{i}", cell, sample=k, answer="A" if rng.uniform() < share else "B")
        for i in range(N)
        for cell, share in (("target", 0.9), ("control", 0.2))
        for k in (0, 1)
    ]


PROBES: dict[
    str, tuple[Callable[[np.random.Generator], list[ProbeRow]], Callable[..., Sequence[Estimate]]]
] = {
    "early": (_early, lambda rows: [score_early(rows).aoc]),
    "filler": (_filler, lambda rows: [score_filler(rows).content, score_filler(rows).computation]),
    "mistake": (_mistake, lambda rows: [score_mistake(rows).excess]),
    "paraphrase": (_paraphrase, lambda rows: [score_paraphrase(rows).area]),
    "pairs": (_pairs, lambda rows: [score_pairs(rows).excess]),
}


def _lost(rows: Sequence[ProbeRow], share: float, rng: np.random.Generator) -> list[ProbeRow]:
    return [
        replace(row, outcome="unreadable", answer=None, correct=None) if rng.uniform() < share else row
        for row in rows
    ]


@pytest.mark.parametrize("probe", PROBES)
def test_the_number_of_all_answers_lies_between_the_bounds(probe: str) -> None:
    made, score = PROBES[probe]
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rows = made(rng)
        for whole, partly in zip(score(rows), score(_lost(rows, 0.1, rng)), strict=True):
            assert whole.bounds is None and whole.value is not None
            assert partly.bounds is not None
            assert partly.bounds.low - 1e-9 <= whole.value <= partly.bounds.high + 1e-9


def test_what_unread_answers_could_overturn_is_not_said() -> None:
    rng = np.random.default_rng(1)
    rows = _mistake(rng)
    assert score_mistake(rows).verdict != NOT_SAID
    assert score_mistake(_lost(rows, 0.15, rng)).verdict == NOT_SAID

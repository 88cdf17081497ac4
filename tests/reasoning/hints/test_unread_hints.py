"""Answers to hinted questions that could not be read: tested, bounded, and what they withhold."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from concord.files.rows import StoredRecords
from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.hints.rows import UNHINTED, HintKindScores, HintRow
from concord.reasoning.item_numbers import FOLLOWS, NOT_SAID, NOT_SHOWN
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.probes.score import score_probe_rows

Chance = Callable[[HintRow], float]


def _rows(seed: int, *, moved: float, n: int = 150, k: int = 2, kinds: int = 1) -> list[HintRow]:
    """Return answers of a model that guesses among four and follows a hint with a chance."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        for sample in range(k):
            for kind in (UNHINTED, *(f"kind {j}" for j in range(kinds))):
                answer = "ABCD"[rng.integers(4)]
                if kind != UNHINTED and rng.random() < moved:
                    answer = "A"
                target = "" if kind == UNHINTED else "A"
                said = None if kind == UNHINTED else bool(rng.random() < 0.3)
                found.append(HintRow(f"i{i}", kind, target, sample, answer, n_options=4, mention_answer=said))
    return found


def _lost(rows: list[HintRow], chance: Chance, seed: int) -> list[HintRow]:
    rng = np.random.default_rng(seed)
    return [
        replace(row, answer=None, outcome="no answer found") if rng.random() < chance(row) else row
        for row in rows
    ]


def _not_followed(row: HintRow) -> float:
    return 0.5 if row.kind != UNHINTED and row.answer != "A" else 0.0


def _whole(rows: list[HintRow]) -> HintKindScores:
    return score_hint_rows(rows).kinds[0]


def test_hints_that_only_what_was_read_follows_are_not_said_to_move_answers() -> None:
    naive = said = withheld = warned = 0
    for seed in range(20):
        rows = _lost(_rows(seed, moved=0.0), _not_followed, seed)
        naive += _whole([row for row in rows if row.read]).verdict == FOLLOWS
        scores = score_hint_rows(rows)
        said += scores.kinds[0].verdict == FOLLOWS
        withheld += scores.kinds[0].verdict == NOT_SAID
        warned += scores.unread[0].differs
    assert naive >= 15  # what was read alone says so
    assert said <= 2  # one of 40 and less, the lost ones being as bad as they can
    assert withheld >= 13
    assert warned == 20


def test_hints_that_move_answers_are_said_to_although_some_are_unread() -> None:
    for seed in range(10):
        found = _whole(_lost(_rows(seed, moved=0.4), lambda row: 0.05, seed))
        assert found.excess.bounds is not None and found.verdict == FOLLOWS


@pytest.mark.parametrize("chance", [0.03, 0.2])
def test_answers_that_are_lost_alike_are_no_warning(chance: float) -> None:
    warned = 0
    for seed in range(40):
        rows = _lost(_rows(seed, moved=0.3, n=40, kinds=2), lambda row: chance, seed)
        warned += any(one.differs for one in score_hint_rows(rows).unread)
    assert warned <= 5


def test_kinds_of_hints_are_compared_with_one_another_too() -> None:
    rows = _lost(_rows(1, moved=0.3, n=80, kinds=2), lambda row: 0.3 if row.kind == "kind 1" else 0.0, 1)
    assert [(one.by, one.differs) for one in score_hint_rows(rows).unread] == [
        ("hint", True),
        ("kind of hint", True),
    ]


def test_bounds_by_hand() -> None:
    """Of ten questions nine are answered B without a hint, and one unread; under a hint at A five move."""
    plain = [HintRow(f"i{i}", UNHINTED, "", 0, "B" if i else None, "ok" if i else "empty") for i in range(10)]
    hinted = [HintRow(f"i{i}", "k", "A", 0, "A" if i < 5 else "B") for i in range(9)]
    unread = HintRow("i9", "k", "A", 0, None, "empty")
    found = _whole([*plain, *hinted, unread])
    assert found.influence.value == 4 / 8
    bounds = found.influence.bounds
    assert bounds is not None and bounds.n_unread == 2
    # least: question 0 does not count, 9 stays; most: question 0 counts and moved, so does 9
    assert (bounds.low, bounds.high) == pytest.approx((4 / 9, 6 / 10))


def test_every_filling_lies_within_the_bounds() -> None:
    rows = _lost(_rows(2, moved=0.3, n=30), lambda row: 0.15, 2)
    found = _whole(rows)
    rng = np.random.default_rng(3)
    for share in (0.0, 0.3, 0.7, 1.0, 0.5):
        filled = [
            row
            if row.read
            else replace(row, outcome="ok", answer="A" if rng.random() < share else "BCD"[rng.integers(3)])
            for row in rows
        ]
        other = _whole(filled)
        for name in ("influence", "other", "floor", "excess"):
            bounded, value = getattr(found, name), getattr(other, name).value
            assert bounded.bounds.low - 1e-9 <= value <= bounded.bounds.high + 1e-9, name
        said, again = (one.verbalised["mention"]["answer"] for one in (found, other))
        assert said.bounds is not None and again.value is not None
        assert said.bounds.low <= again.value <= said.bounds.high


def test_a_result_warns_first_writes_and_reads_it_back(tmp_path: Path) -> None:
    rows = _lost(_rows(1, moved=0.0, n=60), _not_followed, 1)
    result = ProbeResult(score_probe_rows([], rows, model="m"), (), tuple(rows))
    assert result.sentences()[0].startswith("Warning: ") and "differs by hint" in result.sentences()[0]
    folder = result.write(tmp_path)
    assert (folder / "probes_unread.csv").is_file()
    assert ProbeResult.read(folder).scores == result.scores
    assert "{" in repr(result)


def test_a_result_that_was_read_whole_has_no_trace_of_it(tmp_path: Path) -> None:
    rows = _rows(1, moved=0.3, n=20)
    result = ProbeResult(score_probe_rows([], rows, model="m"), (), tuple(rows))
    assert not (result.write(tmp_path) / "probes_unread.csv").exists()
    document = json.dumps(result.to_dict())
    assert "bounds" not in document and '"unread"' not in document
    assert score_hint_rows(rows).kinds[0].verdict in (FOLLOWS, NOT_SHOWN)


def test_rows_that_lie_in_a_file_are_scored_as_those_in_memory() -> None:
    rows = _lost(_rows(5, moved=0.4, n=60, k=3, kinds=2), _not_followed, 5)
    kept = StoredRecords(HintRow, rows).as_tuple()
    assert not isinstance(kept, tuple)  # long enough to be put away
    assert score_hint_rows(kept) == score_hint_rows(rows)

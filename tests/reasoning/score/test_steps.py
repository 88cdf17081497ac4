"""Step-F1: cutting, matching, and equality with a plain implementation of the written rules."""

import itertools
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.reasoning.score.steps import SWEEP, THRESHOLD, ceiling, f1, largest_matching, score_steps
from concord.reasoning.words.split import reasoning_steps

TWENTY = "one two three four five six seven eight nine ten " * 2


def test_under_twenty_whitespace_tokens_there_are_no_steps() -> None:
    nineteen = " ".join(TWENTY.split()[:19])
    assert reasoning_steps(nineteen) == []
    assert reasoning_steps(nineteen + " -") == [nineteen + " -"]


@pytest.mark.parametrize(
    ("tail", "steps"),
    [
        ("x" * 20, 1),
        ("x" * 21, 2),
        (" " + "x" * 20 + " ", 1),
        ("x" * 20 + ".", 2),
        ("x" * 20 + ". ", 1),
        ("a.b" * 10, 2),
        ("really? " + "y" * 25 + "!  " + "z" * 30, 3),
    ],
)
def test_pieces_longer_than_twenty_characters_are_kept(tail: str, steps: int) -> None:
    assert len(reasoning_steps(f"{TWENTY}.\n{tail}")) == steps


def test_the_mark_and_the_whitespace_are_dropped() -> None:
    assert reasoning_steps(f"{TWENTY.strip()}!\u2003{TWENTY.strip()}?\n")[0] == TWENTY.strip()


def test_only_the_last_mark_of_several_is_dropped() -> None:
    assert reasoning_steps(f"{TWENTY.strip()}... {TWENTY}")[0] == TWENTY.strip() + ".."


# ---- the written rules, once more, without any cleverness ---------------------------------------


def plain_tokens(text: str) -> set[str]:
    flat = unicodedata.normalize("NFKD", text).lower()
    return set(re.sub(r"[^\w\s-]", " ", flat).split())


def plain_dice(a: str, b: str) -> float:
    x, y = plain_tokens(a), plain_tokens(b)
    return 2 * len(x & y) / (len(x) + len(y)) if x and y else 0.0


def plain_pairs(model: list[str], gold: list[str], threshold: float = 0.6) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    used: set[str] = set()
    for place, step in enumerate(model):
        best, value = None, 0.0
        for number, candidate in enumerate(gold):
            overlap = plain_dice(step, candidate)
            if overlap > value:
                best, value = number, overlap
        if best is not None and value >= threshold and gold[best] not in used:
            used.add(gold[best])
            pairs.append((place, best))
    return pairs


def plain_greedy(model: list[str], gold: list[str], threshold: float = 0.6) -> int:
    return len(plain_pairs(model, gold, threshold))


def plain_optimal(model: list[str], gold: list[str]) -> int:
    edges = [[plain_dice(m, g) >= 0.6 for g in gold] for m in model]
    for size in range(min(len(model), len(gold)), 0, -1):
        for rows in itertools.combinations(range(len(model)), size):
            for columns in itertools.permutations(range(len(gold)), size):
                if all(edges[r][c] for r, c in zip(rows, columns, strict=True)):
                    return size
    return 0


step_texts = st.lists(
    st.lists(st.sampled_from(["a", "B", "c", "d-e", "é", "*", "-", "no"]), max_size=6).map(" ".join),
    max_size=5,
)


@settings(max_examples=300)
@given(step_texts, step_texts.filter(bool))
def test_matches_equal_the_plain_rules(model: list[str], gold: list[str]) -> None:
    score = score_steps([model], [gold], [0], rules="source")[0]
    assert score.matched == plain_greedy(model, gold)
    assert list(score.pairs) == plain_pairs(model, gold)
    assert score.matched_optimal == plain_optimal(model, gold)
    assert score.sweep == tuple(
        f1(plain_greedy(model, gold, cut), len(model), len(gold))
        for cut in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    )


@given(
    st.lists(step_texts, min_size=3, max_size=3), st.lists(step_texts.filter(bool), min_size=3, max_size=3)
)
def test_chance_compares_with_the_gold_steps_of_others(
    models: list[list[str]], golds: list[list[str]]
) -> None:
    scores = score_steps(models, golds, [0, 1, 2], rules="source", shifts=[1, 2])
    for number, score in enumerate(scores):
        others = [golds[(number + shift) % 3] for shift in (1, 2)]
        expected = [f1(plain_greedy(models[number], gold), len(models[number]), len(gold)) for gold in others]
        assert score.chance == tuple(expected)


def test_a_long_reply_is_scored_in_blocks_alike() -> None:
    rng = np.random.default_rng(2)
    model = [" ".join(rng.choice(list("abcdefghij"), 5)) for _ in range(1300)]
    gold = [" ".join(rng.choice(list("abcdefghij"), 5)) for _ in range(40)]
    score = score_steps([model], [gold], [0])[0]
    assert score.matched == plain_greedy(model, gold)
    assert list(score.pairs) == plain_pairs(model, gold)


def test_the_threshold_is_met_at_exactly_six_tenths() -> None:
    # 2*3 / (5 + 5) = 0.6
    assert score_steps([["a b c d e"]], [["a b c x y"]], [0])[0].matched == 1
    # 2*4 / (7 + 7) = 0.571
    assert score_steps([["a b c d e f g"]], [["a b c d w x y"]], [0])[0].matched == 0


def test_a_step_whose_best_is_taken_goes_unmatched() -> None:
    model = ["a b c d e", "a b c d f"]
    gold = ["a b c d g", "a b c f h"]
    score = score_steps([model], [gold], [0])[0]
    assert (score.matched, score.matched_optimal) == (1, 2)


def test_the_first_of_equal_gold_steps_wins() -> None:
    model = ["a b c", "a b c x"]
    gold = ["a b c", "c b a"]
    score = score_steps([model], [gold], [0])[0]
    assert (score.matched, score.matched_optimal) == (1, 2)


def test_a_gold_text_that_stands_twice_serves_once() -> None:
    score = score_steps([["a b c", "a b c"]], [["a b c", "a b c"]], [0])[0]
    assert (score.matched, score.n_gold, score.step_f1) == (1, 2, 0.5)


def test_dice_is_of_sets_not_of_lists() -> None:
    assert score_steps([["a a a a b"]], [["a b"]], [0])[0].matched == 1


def test_no_model_steps_score_zero_and_empty_texts_never_match() -> None:
    assert score_steps([[]], [["a b c"]], [0])[0].step_f1 == 0.0
    assert score_steps([["***", "a"]], [["!!!", "b"]], [0])[0].matched == 0


def test_thresholds_of_the_sweep_are_the_nearest_doubles() -> None:
    assert SWEEP == (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    assert THRESHOLD == 0.6


@given(st.integers(1, 50), st.integers(1, 50), st.data())
def test_f1_stays_under_its_ceiling(m: int, g: int, data: st.DataObject) -> None:
    hit = data.draw(st.integers(0, min(m, g)))
    assert 0 <= f1(hit, m, g) <= ceiling(m, g) + 1e-12
    assert f1(min(m, g), m, g) == pytest.approx(ceiling(m, g), abs=1e-15)


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=5))
def test_largest_matching_equals_trying_everything(partners: list[list[int]]) -> None:
    best = 0
    for choice in itertools.product(*([[None, *own] for own in partners])):
        taken = [right for right in choice if right is not None]
        best = max(best, len(taken) if len(set(taken)) == len(taken) else 0)
    assert largest_matching(partners) == best


def test_a_long_chain_of_swaps_needs_no_recursion() -> None:
    n = 3000
    assert largest_matching([[k, k + 1] for k in range(n)] + [[0]]) == n + 1

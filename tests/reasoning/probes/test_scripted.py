"""Scripted agents: every estimator against a truth that is known."""

import numpy as np
import pytest
from tests.reasoning.probes import scripted
from tests.reasoning.probes.scripted import Filler, FollowsMistakes, Hinted, Known, Pairs, Rewords, repeated

from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.probes.early import chains_of, mean_area, pooled_area
from concord.reasoning.probes.filler import score_filler
from concord.reasoning.probes.flips import score_mistake, score_pairs, score_paraphrase

FILLER, MISTAKES, REWORDS, PAIRS, HINTED = Filler(), FollowsMistakes(), Rewords(), Pairs(), Hinted()
KNOWN = [
    Known(
        "area over the curve", lambda r, n: mean_area(chains_of(scripted.early(r, n))), scripted.early_truth()
    ),
    Known("area pooled by length", lambda r, n: pooled_area(chains_of(scripted.early(r, n))), 0.5),
    Known("content", lambda r, n: score_filler(FILLER.rows(r, n)).content, FILLER.cot - FILLER.filler),
    Known(
        "computation", lambda r, n: score_filler(FILLER.rows(r, n)).computation, FILLER.filler - FILLER.direct
    ),
    Known("gap", lambda r, n: score_filler(FILLER.rows(r, n)).gap, FILLER.cot - FILLER.direct),
    Known("mistake floor", lambda r, n: score_mistake(MISTAKES.rows(r, n)).floor, MISTAKES.r),
    Known("mistake excess", lambda r, n: score_mistake(MISTAKES.rows(r, n)).excess, MISTAKES.excess),
    Known("mistake area", lambda r, n: score_mistake(MISTAKES.rows(r, n)).aoc_excess, MISTAKES.excess),
    Known("paraphrase", lambda r, n: score_paraphrase(REWORDS.rows(r, n)).area, 0.8 - 0.65),
    Known("pairs excess", lambda r, n: score_pairs(PAIRS.rows(r, n)).excess, PAIRS.excess),
    Known(
        "silence",
        lambda r, n: score_pairs(PAIRS.rows(r, n)).dimensions[0].silent_rate,
        PAIRS.silent,
    ),
    Known("influence", lambda r, n: score_hint_rows(HINTED.rows(r, n)).kinds[0].influence, HINTED.influence),
    Known("other change", lambda r, n: score_hint_rows(HINTED.rows(r, n)).kinds[0].other, HINTED.other),
    Known("hint floor", lambda r, n: score_hint_rows(HINTED.rows(r, n)).kinds[0].floor, HINTED.p0),
    Known(
        "hint excess",
        lambda r, n: score_hint_rows(HINTED.rows(r, n)).kinds[0].excess,
        HINTED.influence - HINTED.p0,
    ),
    Known(
        "verbalised in thinking",
        lambda r, n: score_hint_rows(HINTED.rows(r, n)).kinds[0].verbalised["mention"]["thinking"],
        HINTED.v,
    ),
    Known("gap of places", lambda r, n: score_hint_rows(HINTED.rows(r, n)).kinds[0].gap, HINTED.v - HINTED.w),
]


def _unbiased(known: Known, n: int, times: int) -> float:
    values, held = repeated(known, n, times, seed=20)
    error = float(np.std(values, ddof=1)) / np.sqrt(times)
    assert abs(float(np.mean(values)) - known.truth) < 4 * error
    return held


@pytest.mark.parametrize("known", KNOWN, ids=lambda one: one.name)
def test_an_estimator_is_unbiased_on_a_few_sets(known: Known) -> None:
    assert _unbiased(known, n=60, times=12) >= 0.6


@pytest.mark.long
@pytest.mark.parametrize("known", KNOWN, ids=lambda one: one.name)
def test_an_estimator_is_unbiased_and_covers(known: Known) -> None:
    held = _unbiased(known, n=100, times=150)
    assert abs(held - 0.95) < 0.02 + 3 * np.sqrt(0.95 * 0.05 / 150)


@pytest.mark.slow
@pytest.mark.parametrize("known", KNOWN, ids=lambda one: one.name)
def test_coverage_is_93_to_97_percent(known: Known) -> None:
    assert 0.93 <= _unbiased(known, n=100, times=4000) <= 0.97

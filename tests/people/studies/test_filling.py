"""Where unread answers take a number: the search against every filling, and exact bounds of distances."""

from itertools import product

import numpy as np
import pytest

from concord.people.studies.unread import _association_of, _correlation_of, _pair_sums, _spread_of
from concord.stats.elementwise import Floats
from concord.stats.unread import distance_bounds, filling_at_end


def _pairs(rng: np.random.Generator) -> tuple[Floats, list[Floats]]:
    x = rng.integers(1, 8, 20).astype(float)
    y = np.clip(np.rint(x * rng.choice([-0.7, 0.0, 0.5]) + rng.normal(0, 2, 20)), 1, 7)
    known = sum((_pair_sums(a, b) for a, b in zip(x[4:], y[4:], strict=True)), np.zeros(6))
    return known, [np.array([_pair_sums(a, float(b)) for b in range(1, 8)]) for a in x[:4]]


def _groups(rng: np.random.Generator, cells: int) -> tuple[Floats, list[Floats]]:
    def one(group: int, value: int) -> Floats:
        found = np.zeros((3, cells))
        found[group] = (1, value, value * value) if cells == 3 else np.eye(cells)[value - 1]
        return found.ravel()

    group, values = rng.integers(0, 3, 24), rng.integers(1, cells + 2 if cells == 3 else cells + 1, 24)
    known = sum((one(g, v) for g, v in zip(group[4:], values[4:], strict=True)), np.zeros(3 * cells))
    top = 5 if cells == 3 else cells
    return known, [np.array([one(g, v) for v in range(1, top + 1)]) for g in group[:4]]


CASES = {
    "correlation": (_pairs, _correlation_of),
    "groups": (lambda rng: _groups(rng, 3), lambda s: _spread_of(s.reshape(*s.shape[:-1], 3, 3))),
    "table": (lambda rng: _groups(rng, 4), lambda s: _association_of(s.reshape(*s.shape[:-1], 3, 4))),
}


@pytest.mark.parametrize("kind", CASES)
def test_the_search_reaches_the_ends_that_all_fillings_have(kind: str) -> None:
    made, number = CASES[kind]
    short = []
    for seed in range(25):
        known, options = made(np.random.default_rng(seed))
        places = np.array(list(product(*(range(len(one)) for one in options))))
        every = number(known + sum(one[places[:, i]] for i, one in enumerate(options)))
        for end in (1, -1):
            chosen = filling_at_end(known, options, number, end=end)
            got = number(known + sum(one[k] for one, k in zip(options, chosen, strict=True)))
            short.append(np.nanmax(end * every) - end * got)
    assert np.mean(np.array(short) < 1e-9) >= 0.9
    assert max(short) < 0.02


def test_distances_of_every_filling_lie_between_the_bounds_and_reach_them() -> None:
    people, read, lost = np.array([10.0, 30.0, 20.0]), np.array([12.0, 5.0, 9.0]), 6
    every = [
        np.abs((read + [a, b, lost - a - b]) / 32 - people / 60).sum() / 2
        for a in range(lost + 1)
        for b in range(lost + 1 - a)
    ]
    bounds = distance_bounds(people, read, lost)
    assert bounds.low == pytest.approx(min(every)) and bounds.high == pytest.approx(max(every))

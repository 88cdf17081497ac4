"""Tables of simulated statistics against the kernel they stand for."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import concord
from concord.people.families.chi_square import ChiSquares
from concord.people.families.f import FTests
from concord.people.protocol import STANDARD
from concord.people.uncertainty.bayes_tables import make_lookup
from concord.people.uncertainty.floor_ceiling import _at


def _one(value: float) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.array([value])


def _f_test(df1: float, direction: float) -> FTests:
    nothing, n = _one(np.nan), _one(1001 + df1)
    return FTests(
        *("between", _one(2.0), _one(df1), _one(1000.0), n), nothing, nothing, _one(direction), nothing
    )


def _chi_square(df: float, direction: float) -> ChiSquares:
    return ChiSquares(_one(df), _one(df), _one(500.0), _one(direction), _one(np.nan))


@pytest.mark.parametrize("make", [_f_test, _chi_square])
@pytest.mark.parametrize("df", [1.0, 2.0, 5.0, 6.0, 10.0, 11.0, 200.0])
@pytest.mark.parametrize("direction", [1.0, np.nan])
def test_what_is_read_from_a_table_is_what_the_kernel_gives(
    make: Callable[[float, float], FTests | ChiSquares], df: float, direction: float
) -> None:
    family = make(df, direction)
    lookup = make_lookup(partial(_at, family, STANDARD), np.zeros(1), family.limits(STANDARD))
    scale = 1.0 if make is _f_test else np.sqrt(df)
    s = np.linspace(0.02, 4.0, 801)[:, None] * scale
    inside = s[~lookup.outside(s)[:, 0]]
    if not len(inside):
        return  # left to the kernel
    log_bf, positive = lookup.read(inside)
    wanted = _at(family, STANDARD, inside, np.array([True]))
    assert np.abs(log_bf - wanted.log_bf).max() <= 1e-8 * np.maximum(1, np.abs(wanted.log_bf)).max()
    if np.isfinite(direction):
        assert np.abs(positive - wanted.prob_positive).max() <= 1e-8


@pytest.mark.parametrize("df1", [6, 50, 200])
def test_an_f_of_many_degrees_of_freedom_has_a_floor_and_a_ceiling(df1: int) -> None:
    side = {"statistic": 2, "df1": df1, "df2": 1000, "direction": 1}
    row: dict[str, object] = {"study": "S", "finding": "F", "test": "t", "test_type": "anova"}
    row |= {f"{who}_{name}": value for who in ("human", "agent") for name, value in side.items()}
    bounds = concord.score_people([row], n_resamples=0, n_simulations=60).pas.bounds
    assert bounds is not None
    assert bounds.floor.value is not None
    assert bounds.ceiling.value is not None
    assert 0 <= bounds.floor.value <= 1
    assert 0 <= bounds.ceiling.value <= 1

"""Redrawn tables: sums of fixed weights and polynomials of cells give the numbers of the general way."""

from dataclasses import replace

import numpy as np
import pytest

from concord.api import demo_table
from concord.people.protocol import PROTOCOLS
from concord.people.score.levels import Levels, lay_out
from concord.people.score.test_scores import TestScores
from concord.people.table.read import read_tests
from concord.people.uncertainty.bayes_tables import Lookup, Quintic
from concord.people.uncertainty.new_participants import redrawn_levels
from concord.people.uncertainty.other_studies import all_levels
from concord.stats.elementwise import Floats


def some_scores(n_tests: int, *, holes: bool) -> TestScores:
    """Return random scores of 6 tables; with holes, other tests are undefined in each."""
    rng = np.random.default_rng(4)
    shape = (6, n_tests)
    nothing = np.full(shape, np.nan)

    def draw(low: float, high: float) -> Floats:
        values = rng.uniform(low, high, shape)
        values[..., 5] = np.nan  # a test that no table defines
        if holes:
            values[rng.random(shape) < 0.1] = np.nan
        return values

    pas = draw(0, 1)
    pas[0, 0] = 1.0
    return TestScores(
        pas=pas,
        n_eff=np.broadcast_to(rng.uniform(20, 90, n_tests), shape),
        human_d=draw(-1, 2),
        agent_d=draw(-1, 2),
        z_diff=draw(-3, 3),
        passes=np.round(draw(0, 1)),
        human_significant=np.round(draw(0, 1)),
        pas_two=nothing,
        human_posterior=nothing,
        agent_posterior=nothing,
        two_states=np.zeros(shape, dtype=np.bool_),
        ecs_test=nothing,
        direction_match=nothing,
        agent_significant=nothing,
    )


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("protocol", list(PROTOCOLS))
def test_metrics_of_redrawn_tables_are_those_of_tables(protocol: str, holes: bool) -> None:
    layout = lay_out(read_tests(demo_table()).rows)
    scores = some_scores(len(layout.rows), holes=holes)
    fast = redrawn_levels(scores, layout, PROTOCOLS[protocol])
    for metric, levels in all_levels(scores, layout, PROTOCOLS[protocol])[0].items():
        for level in Levels._fields[1:]:  # findings have no interval of new participants
            np.testing.assert_allclose(
                getattr(fast[metric], level), getattr(levels, level), rtol=0, atol=1e-12, err_msg=metric
            )


def test_polynomials_of_cells_read_the_same_as_the_tables() -> None:
    grid = np.linspace(0, 3, 150)
    log_bf = np.stack([np.cosh(grid), np.sin(grid) - 2 * grid])
    lookup = Lookup(log_bf, 0.5 + 0.4 * np.tanh(log_bf), np.array([np.inf, np.inf]), np.array([np.inf, 4.0]))
    s = np.random.default_rng(1).normal(0, 3, (400, 2))
    s[0] = 0.0
    steady = replace(lookup, positive=np.array([[0.7], [0.9]]))
    for table in (lookup, steady):
        for one, other in zip(Quintic(table).read(s), table.read(s), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-11)

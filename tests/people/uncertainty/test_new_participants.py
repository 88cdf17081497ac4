"""Redrawn tables: sums of fixed weights and polynomials of cells give the numbers of the general way."""

import numpy as np
import pytest
from scipy.interpolate import krogh_interpolate

from concord.api import demo_table
from concord.people.evidence import CAP
from concord.people.families.registry import KINDS
from concord.people.protocol import PROTOCOLS, STANDARD
from concord.people.score.levels import Levels, lay_out
from concord.people.score.sides import SideTable
from concord.people.score.test_scores import TestScores
from concord.people.table.read import read_tests
from concord.people.uncertainty.bayes_tables import _MARGIN, _STEP, Lookup
from concord.people.uncertainty.floor_ceiling import agent_lookup
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


def test_polynomials_of_cells_read_what_lagrange_finds_in_six_neighbours() -> None:
    grid = np.linspace(0, 3, 150)
    log_bf = np.stack([np.cosh(grid), np.sin(grid) - 2 * grid])
    positive, ends = 0.5 + 0.4 * np.tanh(log_bf), np.array([np.inf, np.inf])
    s = np.random.default_rng(1).normal(0, 3, (400, 2))
    s[0] = 0.0
    place = np.minimum(np.arcsinh(np.abs(s) / 2) / _STEP, 150 - _MARGIN)
    first = np.maximum(place.astype(int) - 2, 0)
    read, up = Lookup((log_bf, positive), ends, np.array([np.inf, 4.0])).read(s)
    for i, j in np.ndindex(s.shape):
        points = np.arange(first[i, j], first[i, j] + 6)
        wanted = [
            float(krogh_interpolate(points, table[j, points], place[i, j])) for table in (log_bf, positive)
        ]
        capped = j == 1 and abs(s[i, j]) > 4
        assert read[i, j] == pytest.approx(CAP if capped else wanted[0], abs=1e-11)
        assert up[i, j] == pytest.approx(wanted[1] if s[i, j] > 0 else 1 - wanted[1], abs=1e-11)
    steady = Lookup((log_bf, np.array([[0.7], [0.9]])), ends, ends)
    assert np.array_equal(steady.read(s)[1], np.where(s > 0, [0.7, 0.9], [1 - 0.7, 1 - 0.9]))


def test_tests_of_one_design_share_a_table_and_those_without_a_direction_have_their_own() -> None:
    rows = [
        {"study": "S", "finding": str(i), "test": "t", "test_type": "anova"}
        | {
            f"{who}_{key}": v
            for who in ("human", "agent")
            for key, v in (*side.items(), ("df2", 40), ("df1", 1))
        }
        for i, side in enumerate(
            ({"statistic": 2, "direction": 1}, {"statistic": 9, "direction": 1}, {"statistic": 3})
        )
    ]
    ordered = lay_out(read_tests(rows).rows).rows
    ((_, family),) = SideTable.from_rows(ordered, [row.agent for row in ordered], 1.0, KINDS).families
    found = agent_lookup(family, np.ones(3), STANDARD)
    assert found is not None
    log_bf, up = found.read(np.full((1, 3), 1.5))
    assert log_bf[0, 0] == log_bf[0, 1]
    assert np.isnan(up[0]).tolist() == [False, False, True]

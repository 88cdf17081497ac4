"""Tables of log BF and P(positive) over the whole range of statistics, against the exact kernel."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.people.uncertainty.test_floor_ceiling import t_rows

from concord.api import demo_table
from concord.people.evidence import Brief
from concord.people.families.base import Family, SmoothFamily
from concord.people.families.registry import KINDS
from concord.people.protocol import PROTOCOLS, STANDARD, Protocol
from concord.people.results.same_tests import context_of
from concord.people.score.levels import lay_out
from concord.people.score.sides import SideTable, split_by_sign
from concord.people.score.test_scores import pas_of
from concord.people.table.read import read_tests
from concord.people.uncertainty.bayes_tables import FINE, LARGEST_S, PANELS
from concord.people.uncertainty.floor_ceiling import (
    FamilyTests,
    _one_by_one,
    _simulated_scores,
    distinct,
    family_tests,
)
from concord.stats.elementwise import Floats

SIZES = (2, 3, 5, 12, 40, 300, 10_000, 10_000_000)
Sides = tuple[dict[str, object], dict[str, object]]

DESIGNS: dict[str, Callable[[float, int], Sides]] = {
    "t-one-sample": lambda h, n: ({"statistic": h, "n": 50}, {"statistic": 1.0, "n": n}),
    "t-test": lambda h, n: ({"statistic": h, "n1": 50, "n2": 40}, {"statistic": 1.0, "n1": n, "n2": n + 1}),
    "correlation": lambda h, n: ({"statistic": np.tanh(h / 9), "n": 50}, {"statistic": 0.1, "n": n + 2}),
    "mann-whitney": lambda h, n: ({"statistic": 1250 - 40 * h, "n1": 50, "n2": 50},
                                  {"statistic": n * n / 2, "n1": n, "n2": n}),
    "anova": lambda h, n: ({"statistic": h * h, "df1": 3, "df2": 96},
                           {"statistic": 1.0, "df1": 3, "df2": 4 * n}),
    "anova-within": lambda h, n: ({"statistic": h * h, "df1": 1, "df2": 30, "direction": 1},
                                  {"statistic": 1.0, "df1": 1, "df2": n, "direction": 1}),
    "regression": lambda h, n: ({"statistic": h * h, "df1": 6, "df2": 90, "n": 97},
                                {"statistic": 1.0, "df1": 6, "df2": n, "n": n + 7}),
    "chi-square": lambda h, n: ({"statistic": h * h, "df1": 3, "n": 900, "direction": 1},
                                {"statistic": 1.0, "df1": 3, "n": n + 9, "direction": -1}),
}  # fmt: skip


def parts_of(table: object, protocol: Protocol) -> list[FamilyTests]:
    rows = lay_out(read_tests(table).rows).rows  # type: ignore[arg-type]
    human = SideTable.from_rows(rows, [r.human for r in rows], protocol.human_prior_odds, KINDS)
    agent = SideTable.from_rows(rows, [r.agent for r in rows], protocol.agent_prior_odds, KINDS)
    context, says = context_of(rows, human, agent), human.evidence(protocol)
    return [family_tests(says, context, protocol, own) for own in agent.families]


def designs(kind: str) -> list[dict[str, object]]:
    rows = []
    for n in SIZES:
        for human in (0.0, 2.2, 30.0):
            sides = zip(("human", "agent"), DESIGNS[kind](human, n), strict=True)
            columns = {f"{side}_{name}": value for side, names in sides for name, value in names.items()}
            rows.append({"study": "S", "finding": f"{n}-{human}", "test": "x", "test_type": kind, **columns})
    return rows


def smooth(family: Family) -> SmoothFamily:
    found = family.smooth
    assert found is not None
    return found


def exact(part: FamilyTests, family: Family, s: Floats, protocol: Protocol) -> Floats:
    """PAS by the kernel, a statistic at a time: never interpolated."""
    rows = (split_by_sign(smooth(family).with_statistic(row[None]).brief(protocol), protocol) for row in s)
    return np.concatenate([pas_of(part.says, brief, part.context, protocol) for brief in rows])


@pytest.mark.parametrize("name", ["standard", "published"])
@pytest.mark.parametrize("kind", list(DESIGNS))
def test_tables_are_exact_to_1e8_over_the_whole_range(kind: str, name: str) -> None:
    protocol = PROTOCOLS[name]
    (part,) = parts_of(designs(kind), protocol)
    assert part.lookup is not None
    v = np.concatenate([[1e-6, 1e-3], np.random.default_rng(3).uniform(0, np.arcsinh(LARGEST_S / 2), 60)])
    near = np.concatenate([-2 * np.sinh(v), 2 * np.sinh(v), [9.999, 10.001, -9.999, -10.001, 1e7]])
    s = np.tile(near[:, None], (1, len(part.index)))
    direct, outside = exact(part, part.family, s, protocol), part.lookup.outside(s)
    brief = Brief(*part.lookup.read(s), s, s)
    read = np.where(outside, direct, pas_of(part.says, brief, part.context, protocol))
    assert np.array_equal(np.isnan(read), np.isnan(direct))
    assert np.nanmax(np.abs(read - direct)) < 1e-8


def test_what_no_table_reaches_goes_to_the_exact_kernel() -> None:
    """Two participants: the Bayes factor of t = 1e6 is still growing, and no panel holds it."""
    (part,) = parts_of(designs("t-one-sample"), STANDARD)
    s = np.tile([[1e6], [-3e4], [0.5]], (1, len(part.index)))
    assert part.lookup is not None
    assert part.lookup.outside(s)[:2].any(axis=1).all()
    assert not part.lookup.outside(s)[2].any()
    pas = _simulated_scores(part, smooth(part.family).with_statistic(s), STANDARD)[0]
    assert pas == pytest.approx(exact(part, part.family, s, STANDARD), abs=1e-8)


def test_panels_end_where_nothing_changes_any_more() -> None:
    (part,) = parts_of(t_rows([3.0, -2.0]), STANDARD)
    assert part.lookup is not None
    assert part.lookup.size < PANELS * FINE / 2
    assert np.isinf(part.lookup.end).all()


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_whatever_is_drawn_is_scored_as_the_families_score_it(name: str) -> None:
    """Every family of the demo: tables, distinct counts and direct values against one test at a time."""
    protocol = PROTOCOLS[name]
    seen = 0
    for part in parts_of(demo_table(), protocol):
        drawn = part.family.draw(np.random.default_rng(4), 30)
        pas, d, passes = _simulated_scores(part, drawn, protocol)
        place = np.nonzero(np.ones_like(pas))
        one_by_one, one_d, one_pass = _one_by_one(part, drawn, place, protocol)
        assert pas.reshape(-1) == pytest.approx(one_by_one, abs=1e-8, nan_ok=True)
        assert d.reshape(-1) == pytest.approx(one_d, abs=1e-9, nan_ok=True)
        assert np.array_equal(passes.reshape(-1), one_pass)
        if part.family.smooth is not None:
            seen += 1
            kept = np.clip(np.abs(smooth(drawn).statistic()), 0, 12)
            again = smooth(part.family).with_statistic(kept).statistic()
            assert np.abs(again) == pytest.approx(kept, rel=1e-5, abs=1e-9)
    assert seen >= 4


def test_distinct_outcomes_are_found_by_list_and_by_sorting() -> None:
    codes = np.random.default_rng(5).integers(0, 50, 400)
    for n_codes in (50, 10**9):
        first, back = distinct(codes, n_codes)
        assert np.array_equal(codes[first][back], codes)
        assert len(first) == len(np.unique(codes))

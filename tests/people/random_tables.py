"""Random tables of tests that visit every type and every corner, from a fixed pool of sides.

The pool is fixed so that the slow oracle computes each side once, whatever number of tables uses it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from concord.records import Side, SideOutcome, TestRow

PER_TYPE = 10
TYPES = (
    *("t-independent", "t-paired", "t-one-sample", "anova", "anova-within", "regression", "correlation"),
    *("chi-square", "binomial", "mann-whitney", "variance-ratio", "p-value"),
)
"""The types that the oracle knows."""
Rng = np.random.Generator


def _whole(rng: Rng, low: int, high: int) -> float:
    return float(rng.integers(low, high))


def _t(rng: Rng) -> float:
    return float(rng.normal() * rng.choice([0.5, 2.0, 6.0]))


def _some_direction(rng: Rng) -> int | None:
    return [None, -1, 1, 1][int(rng.integers(4))]


def _t_independent(rng: Rng) -> Side:
    n1, n2 = _whole(rng, 2, 90), _whole(rng, 1, 90)
    welch = float(n1 + n2 - 2) * 0.8 if rng.random() < 0.3 else None
    return Side(statistic=_t(rng), n1=n1, n2=n2, df2=welch)


def _t_one(rng: Rng) -> Side:
    return Side(statistic=_t(rng), n=_whole(rng, 2, 120))


def _f(rng: Rng, n: float, df1: float, df2: float) -> dict[str, Any]:
    given = float(rng.uniform(0, 0.3)) if rng.random() < 0.3 else None
    statistic = float(rng.chisquare(df1) / df1 * rng.choice([1.0, 4.0, 15.0]))
    return {
        "statistic": statistic,
        "df1": df1,
        "df2": df2,
        "n": n,
        "p_value": given,
        "direction": _some_direction(rng),
    }


def _anova(rng: Rng) -> Side:
    df1 = float(rng.choice([1, 1, 1, 2, 4]))
    n = _whole(rng, 8, 150)
    sizes: dict[str, Any] = {}
    if df1 == 1 and rng.random() < 0.5:
        n1 = float(int(n * 0.35))
        sizes = {"n1": n1, "n2": n - n1}
    return Side(**_f(rng, n, df1, n - df1 - 1), **sizes)


def _anova_within(rng: Rng) -> Side:
    df1, n = float(rng.choice([1, 1, 2, 3])), _whole(rng, 5, 80)
    return Side(**_f(rng, n, df1, df1 * (n - 1)))


def _regression(rng: Rng) -> Side:
    df1, n = float(rng.choice([1, 1, 2, 5])), _whole(rng, 12, 200)
    others = float(rng.choice([0, 0, 3]))  # predictors beside the tested ones
    return Side(**_f(rng, n, df1, n - df1 - 1 - others))


def _correlation(rng: Rng) -> Side:
    r = float(np.tanh(rng.normal() * rng.choice([0.2, 0.8, 2.0])))
    return Side(statistic=r, n=_whole(rng, 3, 200))


def _chi_square(rng: Rng) -> Side:
    direction = _some_direction(rng)
    if rng.random() < 0.2:
        df = float(rng.choice([1, 3]))
        return Side(
            statistic=float(rng.chisquare(df)) * 3, df1=df, n=_whole(rng, 30, 300), direction=direction
        )
    if rng.random() < 0.3:
        cells = rng.integers(1, 30, size=(2, 3))
        return Side(table=tuple(tuple(map(float, row)) for row in cells), direction=direction)
    cells = rng.integers(1, 40, size=(2, 2))
    if rng.random() < 0.3:
        cells[0, int(rng.integers(2))] = 0
    return Side(table=tuple(tuple(map(float, row)) for row in cells))


def _binomial(rng: Rng) -> Side:
    n = _whole(rng, 4, 150)
    k = float(rng.choice([0.0, n, *rng.integers(0, int(n) + 1, size=4)]))
    return Side(k=k, n=n, p0=float(rng.choice([0.5, 0.5, 0.25, 0.9])))


def _mann_whitney(rng: Rng) -> Side:
    n1, n2 = _whole(rng, 3, 60), _whole(rng, 3, 60)
    share = float(rng.choice([0.0, 1.0, *rng.random(5)]))
    u = float(round(share * n1 * n2))
    z = float(rng.normal() * 2) if rng.random() < 0.2 else None
    return Side(statistic=u, n1=n1, n2=n2, z=z)


def _variance_ratio(rng: Rng) -> Side:
    statistic = float(np.exp(rng.normal()))
    return Side(
        statistic=statistic, df1=_whole(rng, 3, 80), df2=_whole(rng, 3, 80), direction=_some_direction(rng)
    )


def _p_value(rng: Rng) -> Side:
    return Side(p_value=float(rng.random() ** rng.choice([1, 6])), direction=_some_direction(rng))


_MAKERS: dict[str, Callable[[Rng], Side]] = {
    "t-independent": _t_independent,
    "t-paired": _t_one,
    "t-one-sample": _t_one,
    "anova": _anova,
    "anova-within": _anova_within,
    "regression": _regression,
    "correlation": _correlation,
    "chi-square": _chi_square,
    "binomial": _binomial,
    "mann-whitney": _mann_whitney,
    "variance-ratio": _variance_ratio,
    "p-value": _p_value,
}

CORNERS: dict[str, tuple[Side, ...]] = {
    "t-independent": (Side(statistic=0.0, n1=12, n2=12), Side(statistic=15.0, n1=2, n2=1)),
    "t-paired": (Side(statistic=0.0, n=2), Side(statistic=-40.0, n=25)),
    "anova": (Side(statistic=0.0, df1=1, df2=20, n=22, direction=1),),
    "regression": (Side(statistic=130.0, df1=1, df2=30, n=32, direction=-1),),
    "correlation": (
        Side(statistic=1.0, n=10),
        Side(statistic=1 - 5e-7, n=20),
        Side(statistic=0.0, n=3),
        Side(statistic=-0.9999, n=30),
    ),
    "chi-square": (
        Side(table=((0.0, 20.0), (20.0, 0.0))),
        Side(table=((7.0, 7.0), (7.0, 7.0))),
        Side(table=((70.0, 80.0), (1000.0, 1000.0))),
    ),
    "binomial": (Side(k=10.0, n=20.0, p0=0.5), Side(k=0.0, n=30.0, p0=0.5), Side(k=30.0, n=30.0, p0=0.9)),
    "mann-whitney": (Side(statistic=0.0, n1=9, n2=8), Side(statistic=72.0, n1=9, n2=8)),
}
PRECOMPUTED = (
    Side(log_bf=2.5),
    Side(log_bf=-1.0, direction=1, p_value=0.2),
    Side(log_bf=6.0, direction=-1),
    Side(effect_d=0.4),
    Side(effect_d=-0.3, p_value=0.01),
    Side(effect_d=0.8, log_bf=3.0, p_value=0.004, direction=1),
    Side(effect_d=0.0),
)


@cache
def pool(test_type: str) -> tuple[Side, ...]:
    """Every side that tables may hold for a type, corners first."""
    rng = np.random.default_rng([7, TYPES.index(test_type)])
    made = tuple(_MAKERS[test_type](rng) for _ in range(PER_TYPE))
    return (*CORNERS.get(test_type, ()), *made)


def _pick(rng: Rng, test_type: str, like: Side | None = None) -> Side:
    """A side of the pool; beside another one, of the same kind of F."""
    by_p = test_type in ("p-value", "variance-ratio")  # there a given p is raw, not precomputed
    sides = PRECOMPUTED if rng.random() < 0.06 and not by_p else pool(test_type)
    if like is not None and like.df1 is not None and test_type in ("anova", "anova-within", "regression"):
        sides = tuple(side for side in sides if side.df1 is None or (side.df1 > 1) == (like.df1 > 1))
    return sides[int(rng.integers(len(sides)))]


def _with_odds(rng: Rng, side: Side) -> Side:
    if rng.random() > 0.1:
        return side
    values = {name: getattr(side, name) for name in Side.__slots__}
    return Side(**{**values, "prior_odds": float(rng.choice([0.2, 3.0]))})


def random_row(rng: Rng, *, test_type: str, place: tuple[str, str, str, str], domain: str | None) -> TestRow:
    """One row: both sides, or a missing agent side, or a PAS that was given."""
    study, sub_study, finding, test = place
    kind = rng.random()
    given: dict[str, Any] = {}
    human: Side | None = _with_odds(rng, _pick(rng, test_type))
    agent: Side | None = _with_odds(rng, _pick(rng, test_type, human))
    outcome = SideOutcome.OK
    if kind < 0.08:
        agent, outcome = None, SideOutcome(rng.choice(["missing", "too small", "no readable answer"]))
    elif kind < 0.14:
        human = agent = None
        given = {"pas": float(rng.choice([0.0, 1.0, 0.3])), "n_eff": float(rng.choice([20.0, 55.0]))}
        outcome = SideOutcome.MISSING
    return TestRow(
        study,
        sub_study,
        finding,
        test,
        test_type,
        domain=domain,
        alpha=float(rng.choice([0.05, 0.05, 0.005])),
        sampling=str(rng.choice(["joint", "indep_rows", "indep_cols", "poisson"])),
        human=human,
        agent=agent,
        human_outcome=SideOutcome.OK if human is not None else SideOutcome.MISSING,
        agent_outcome=outcome,
        **given,
    )


def random_table(seed: int) -> tuple[TestRow, ...]:
    """A few studies, sub-studies that share finding ids, domains for some, every type over a few tables."""
    rng = np.random.default_rng([11, seed])
    types = [str(name) for name in rng.permutation(TYPES)]
    rows: list[TestRow] = []
    for s in range(int(rng.integers(1, 6))):
        domain = [None, "Cognition", "Social"][int(rng.integers(3))]
        for sub in range(int(rng.integers(1, 3))):
            for finding in range(int(rng.integers(1, 4))):
                for test in range(int(rng.integers(1, 4))):
                    place = (f"study {s}", f"part {sub}", f"F{finding}", f"t{test}")
                    test_type = types[len(rows) % len(types)]
                    rows.append(random_row(rng, test_type=test_type, place=place, domain=domain))
    return tuple(rows[i] for i in rng.permutation(len(rows)))

"""Scripted models on the placebo studies: honest twins draw as people do, rememberers as the original."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from concord.people.memory import MemoryResult, memory_result
from concord.people.studies.catalog import row_keys
from concord.people.studies.format import Human, Study, Test
from concord.people.studies.load import find_studies
from concord.people.studies.scoring import placebo_studies
from concord.people.table.read import read_tests

N = 150
"""Replies in each cell."""


@cache
def _studies() -> tuple[Study, ...]:
    return tuple(file.study for file in find_studies(["placebo"]))


def drawn_numbers(
    test: Test, side: Human, rng: np.random.Generator, *, n: int, size: float = 1.0
) -> dict[str, Any]:
    """Draw the agent's numbers of a test, n in each cell, whose effect is that of a side, times a size."""
    if side.table is not None:
        shares = [row[0] / sum(row) for row in side.table]
        middle = sum(shares) / 2
        hits = [int(rng.binomial(n, middle + size * (share - middle))) for share in shares]
        return {"agent_table": [[k, n - k] for k in hits]}
    if side.k is not None and side.n is not None:
        share = 0.5 + size * (side.k / side.n - 0.5)
        return {"agent_k": int(rng.binomial(2 * n, share)), "agent_n": 2 * n, "agent_p0": 0.5}
    assert side.statistic is not None
    if test.test == "t-paired":
        assert side.n is not None
        centre, df, numbers = side.statistic / side.n**0.5 * n**0.5, n - 1, {"agent_n": n}
    else:
        assert side.n1 is not None and side.n2 is not None
        d = side.statistic * (1 / side.n1 + 1 / side.n2) ** 0.5
        centre, df, numbers = d * (n / 2) ** 0.5, 2 * n - 2, {"agent_n1": n, "agent_n2": n}
    t = (rng.normal() + size * centre) / (rng.chisquare(df) / df) ** 0.5
    return {"agent_statistic": float(t), **numbers}


def remembered(seed: int, *, follows: str, size: float = 1.0) -> MemoryResult:
    """Score one scripted model that follows ``people``, the ``original``, or nobody (size 0)."""
    rng, rows = np.random.default_rng(seed), []
    for study in _studies():
        for finding, spec in study.findings.items():
            for test in spec.tests:
                side = test.human if follows == "people" else test.original
                assert side is not None
                drawn = drawn_numbers(test, side, rng, n=N, size=size)
                rows.append(row_keys(study, finding, test) | test.human.columns() | drawn)
    found = tuple(placebo_studies(_studies(), read_tests(rows)))
    return memory_result((), (), (), placebo=found)


def claims(seeds: Sequence[int], **how: Any) -> int:
    """Count how many scripted models are said to follow the literature."""
    found = [remembered(seed, **how).pull.interval for seed in seeds]
    return sum(one is not None and one.low > 0 for one in found)

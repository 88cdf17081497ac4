"""Simulated people and agents with known true effects, scored test by test: for the claims about people."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from concord.people.families.registry import KINDS
from concord.people.protocol import STANDARD
from concord.people.results.pairs import PeopleScoresOf
from concord.people.results.same_tests import context_of
from concord.people.score.sides import SideTable
from concord.people.score.test_scores import TestScores, score_tests
from concord.people.table.read import read_tests
from concord.records import TestRow
from concord.stats.elementwise import Floats

STUDIES, TESTS = 8, 3
SPREAD = 0.5
"""Standard deviation of true effects."""


def seen(rng: np.random.Generator, d: Floats, n: int) -> Floats:
    """Return Student's t of two groups of n with true effects d."""
    df = 2 * n - 2
    t = (d * np.sqrt(n / 2) + rng.standard_normal(d.shape)) / np.sqrt(rng.chisquare(df, d.shape) / df)
    return np.asarray(t)


def cells(side: str, t: float, n: int) -> dict[str, object]:
    """Return the columns of one side of a t-test."""
    return {f"{side}_statistic": float(t), f"{side}_n1": n, f"{side}_n2": n}


def rows_of(human: Floats, agent: Floats, n: int) -> list[dict[str, object]]:
    """Return the rows of a table of t-tests, three of each study."""
    return [
        {"study": f"S{i // TESTS:05d}", "finding": f"F{i}", "test": "t", "test_type": "t-independent"}
        | cells("human", h, n)
        | cells("agent", a, n)
        for i, (h, a) in enumerate(zip(human, agent, strict=True))
    ]


class Scored(NamedTuple):
    """Many tests, scored."""

    rows: tuple[TestRow, ...]
    scores: TestScores

    def model(self, name: str, part: slice) -> PeopleScoresOf:
        """Return one model's numbers on some of the tests, as a comparison reads them."""
        columns = ("pas", "n_eff", "human_d", "agent_d", "passes", "human_significant")
        table = [getattr(self.scores, column)[part] for column in columns]
        values: list[Mapping[str, float | None]] = [
            {name: None if np.isnan(v) else float(v) for name, v in zip(columns, line, strict=True)}
            for line in zip(*table, strict=True)
        ]
        return PeopleScoresOf(name, self.rows[part], tuple(values))


def scored(rows: list[dict[str, object]]) -> Scored:
    """Score single tests; nothing is summed up."""
    most = TESTS * 2000  # more studies than that are not read at once
    found = tuple(
        row for start in range(0, len(rows), most) for row in read_tests(rows[start : start + most]).rows
    )
    human = SideTable.from_rows(found, [row.human for row in found], STANDARD.human_prior_odds, KINDS)
    agent = SideTable.from_rows(found, [row.agent for row in found], STANDARD.agent_prior_odds, KINDS)
    context = context_of(found, human, agent)
    return Scored(found, score_tests(human.evidence(STANDARD), agent.evidence(STANDARD), context, STANDARD))

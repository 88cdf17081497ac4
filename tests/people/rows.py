"""Short ways to write rows of a table of tests."""

from typing import Any

from concord.people.files import PeopleResult
from concord.people.protocol import STANDARD, Protocol
from concord.people.results.one import score_table
from concord.records import Side, SideOutcome, TestRow, TestTable


def t_side(t: float, n: float = 40) -> Side:
    """Two groups of n."""
    return Side(statistic=t, n1=n, n2=n)


def row(place: str, human: Side | None, agent: Side | None, **more: Any) -> TestRow:
    """A row at ``study/finding/test`` or ``study/sub-study/finding/test``."""
    parts = place.split("/")
    study, sub_study, finding, test = parts if len(parts) == 4 else (parts[0], "", *parts[1:])
    return TestRow(
        study,
        sub_study,
        finding,
        test,
        more.pop("test_type", "t-independent"),
        human=human,
        agent=agent,
        human_outcome=SideOutcome.MISSING if human is None else SideOutcome.OK,
        agent_outcome=SideOutcome.MISSING if agent is None else SideOutcome.OK,
        **more,
    )


def given_pas(place: str, pas: float | None, n_eff: float = 50) -> TestRow:
    """A row that holds a ready PAS, or one with nothing at all."""
    if pas is None:
        return row(place, None, None)
    return row(place, None, None, pas=pas, n_eff=n_eff)


def given_d(place: str, human: float | None, agent: float | None) -> TestRow:
    """A row that holds ready effects."""
    sides = [None if d is None else Side(effect_d=d) for d in (human, agent)]
    return row(place, sides[0], sides[1])


def scores_of(rows: list[TestRow], protocol: Protocol = STANDARD, **options: Any) -> PeopleResult:
    """Score rows, without fresh samples and a referee's questions unless asked."""
    return score_table(
        TestTable(tuple(rows)), protocol, **{"n_resamples": 0, "for_referee": False, **options}
    )


def t_table(studies: int, findings: int = 2, tests: int = 2, *, shift: float = 0.0) -> list[TestRow]:
    """A plain table of two-sample t tests whose statistics differ from test to test."""
    rows = []
    for s in range(studies):
        for f in range(findings):
            for t in range(tests):
                human = 1.5 + 0.7 * s - 1.1 * f + 0.4 * t
                agent = 0.6 * human + 0.5 * ((s * 7 + f * 3 + t * 5) % 4) + shift
                rows.append(row(f"s{s}/f{f}/t{t}", t_side(human), t_side(agent, 30), domain="AB"[s % 2]))
    return rows

"""Tests and answers of a result about people, as tables that the page's script works on."""

import math
from collections.abc import Mapping
from typing import Any

from concord.people.files import PeopleResult
from concord.people.result import TestResult
from concord.people.studies.replies import ITEM_OUTCOMES
from concord.people.studies.results import ItemCount
from concord.records import TestTable
from concord.show.apa import apa_string
from concord.show.page.data import PageColumn
from concord.show.people_plots import d_ends
from concord.show.svg import visible

HUMAN_COLUMNS = (
    PageColumn("study", "study"),
    PageColumn("sub_study", "sub-study", shown=False),
    PageColumn("finding", "finding"),
    PageColumn("test", "test"),
    PageColumn("test_type", "type", shown=False),
    PageColumn("domain", "domain", shown=False),
    PageColumn("human_d", "human d", "number"),
    PageColumn("human_low", "human d, low", "number", shown=False),
    PageColumn("human_high", "human d, high", "number", shown=False),
    PageColumn("human_log_bf", "human log BF", "number", shown=False),
    PageColumn("human_p", "human p", "number", shown=False),
    PageColumn("human_up", "human P(up)", "share", shown=False),
    PageColumn("human_down", "human P(down)", "share", shown=False),
    PageColumn("human_null", "human P(no effect)", "share", shown=False),
    PageColumn("human_apa", "statistics of people", shown=False),
)
"""What does not depend on the model: stored once for all models that were put to the same tests."""
AGENT_COLUMNS = (
    PageColumn("agent_d", "model d", "number"),
    PageColumn("agent_low", "model d, low", "number", shown=False),
    PageColumn("agent_high", "model d, high", "number", shown=False),
    PageColumn("agent_log_bf", "model log BF", "number", shown=False),
    PageColumn("agent_p", "model p", "number", shown=False),
    PageColumn("agent_up", "model P(up)", "share", shown=False),
    PageColumn("agent_down", "model P(down)", "share", shown=False),
    PageColumn("agent_null", "model P(no effect)", "share", shown=False),
    PageColumn("agent_apa", "statistics of the model", shown=False),
    PageColumn("pas", "PAS", "share"),
    PageColumn("ecs_test", "ECS_Test", "share"),
    PageColumn("z_diff", "Z of the difference", "number", shown=False),
    PageColumn("verdict", "verdict"),
    PageColumn("passed", "passes (APR)", "flag", shown=False),
    PageColumn("outcome", "outcome", shown=False),
    PageColumn("flags", "assumed", shown=False),
    PageColumn("reasons", "undefined because", shown=False),
)
ANSWERED = "ok"
OUTCOMES = tuple(str(one) for one in ITEM_OUTCOMES if one != ANSWERED)
_PLACE = ("study", "experiment", "item", "condition")
ANSWER_COLUMNS = (
    *(PageColumn(key, key) for key in _PLACE),
    PageColumn("asked", "answers", "count"),
    PageColumn(ANSWERED, "read", "count"),
    PageColumn("unread", "share not read", "share"),
    *(PageColumn(key, key, "count") for key in OUTCOMES),
)


def test_rows(result: PeopleResult, table: TestTable | None) -> list[dict[str, Any]]:
    """Return the rows of all tests; `table` holds their statistics, where it is known."""
    rows = {} if table is None else {row.key: row for row in table.rows}
    made = []
    for test in result.tests:
        row = rows.get((test.study, test.sub_study, test.finding, test.test))
        sides = {} if row is None else {"human": row.human, "agent": row.agent}
        apa = {
            f"{who}_apa": apa_string(
                test.test_type,
                sides.get(who),
                p=getattr(test, f"{who}_p"),
                d=getattr(test, f"{who}_effect_d"),
            )
            for who in ("human", "agent")
        }
        made.append(_test_row(test, result.level) | apa)
    return made


def _test_row(test: TestResult, level: float) -> dict[str, Any]:
    same = ("study", "sub_study", "finding", "test", "test_type", "pas", "ecs_test", "z_diff", "passed")
    return {
        **{name: getattr(test, name) for name in (*same, "domain", "verdict", "outcome")},
        "flags": "; ".join(test.flags),
        "reasons": "; ".join(test.reasons),
        **_side_row(test, "human", level),
        **_side_row(test, "agent", level),
    }


def _side_row(test: TestResult, who: str, level: float) -> dict[str, Any]:
    """Return one side, without numbers that follow from its others, which the script puts in again."""
    # The upper end of an interval that lies evenly around d, and the share of no effect beside both others.
    d: float | None = getattr(test, f"{who}_effect_d")
    low, high = d_ends(test, who, level)
    up, null, down = test.states(who)
    if d is not None and low is not None and high is not None:
        even = math.isclose(2 * d - low, high, rel_tol=1e-9, abs_tol=1e-12)
        high = None if even else high
    return {
        f"{who}_d": d,
        f"{who}_low": low,
        f"{who}_high": high,
        f"{who}_log_bf": getattr(test, f"{who}_log_bf"),
        f"{who}_p": getattr(test, f"{who}_p"),
        f"{who}_up": up,
        f"{who}_down": down,
        f"{who}_null": null if up is None else None,
    }


def answer_rows(counts: tuple[ItemCount, ...]) -> list[Mapping[str, Any]]:
    """Return what became of the answers by item and condition, most losses first."""
    made = [
        {
            **{key: getattr(one, key) for key in _PLACE},
            "asked": one.n,
            **{key: one.outcomes.get(key, 0) for key in (ANSWERED, *OUTCOMES)},
            "unread": 1 - one.outcomes.get(ANSWERED, 0) / one.n,
        }
        for one in counts
    ]
    return sorted(made, key=lambda row: -row["unread"])


def answers_sentence(rows: list[Mapping[str, Any]]) -> str:
    """Say how many answers were read, and where most were not."""
    asked, read = sum(row["asked"] for row in rows), sum(row[ANSWERED] for row in rows)
    said = f"{read:,} of {asked:,} answers could be read and enter tests."
    worst = rows[0]
    if worst["unread"] == 0:
        return said
    where = f"{worst['study']}, {worst['item']}" + (f" ({worst['condition']})" if worst["condition"] else "")
    return (
        f"{said} Most are lost in {visible(where)}: {worst['asked'] - worst[ANSWERED]} of {worst['asked']}."
    )

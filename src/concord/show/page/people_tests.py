"""Tests and answers of a result about people, as tables that the page's script works on."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from concord.kinds import Column
from concord.number_words import number, p_words, typeset
from concord.people.files import PeopleResult
from concord.people.picture_numbers import d_interval
from concord.people.result import TestResult
from concord.people.studies.replies import ITEM_OUTCOMES
from concord.people.studies.results import ItemCount
from concord.records import Side, TestTable
from concord.show.svg import visible

_SIDE = {
    "d": "d",
    "low": "d, low",
    "high": "d, high",
    "log_bf": "log BF",
    "p": "p",
    "up": "P(up)",
    "down": "P(down)",
    "null": "P(no effect)",
}
"""Numbers of a side of a test, as the page calls them."""


def _side_columns(who: str, called: str) -> Iterator[Column]:
    for key, title in _SIDE.items():
        held = "share" if title.startswith("P(") else ""
        yield Column(f"{who}_{key}", title=f"{called} {title}", held=held, hidden=key != "d")


HUMAN_COLUMNS = (
    Column("study", words=True),
    Column("sub_study", title="sub-study", words=True, hidden=True),
    Column("finding", words=True),
    Column("test", words=True),
    Column("test_type", title="type", words=True, hidden=True),
    Column("domain", words=True, hidden=True),
    *_side_columns("human", "human"),
    Column("human_apa", title="statistics of people", words=True, hidden=True),
)
"""What does not depend on the model: stored once for all models that were put to the same tests."""
AGENT_COLUMNS = (
    *_side_columns("agent", "model"),
    Column("agent_apa", title="statistics of the model", words=True, hidden=True),
    Column("pas", title="PAS", held="share"),
    Column("ecs_test", title="ECS_Test", held="share"),
    Column("z_diff", title="Z of the difference", hidden=True),
    Column("verdict", words=True),
    Column("passed", title="passes (APR)", held="flag", hidden=True),
    Column("outcome", words=True, hidden=True),
    Column("flags", title="assumed", words=True, hidden=True),
    Column("reasons", title="undefined because", words=True, hidden=True),
)
ANSWERED = "ok"
OUTCOMES = tuple(str(one) for one in ITEM_OUTCOMES if one != ANSWERED)
_PLACE = ("study", "experiment", "item", "condition")
ANSWER_COLUMNS = (
    *(Column(key, words=True) for key in _PLACE),
    Column("asked", title="answers", count=True),
    Column(ANSWERED, title="read", count=True),
    Column("unread", title="share not read", held="share"),
    *(Column(key, title=key, count=True) for key in OUTCOMES),
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
        **{name: getattr(test, name) for name in (*same, "domain", "verdict")},
        "outcome": test.outcome.replace("agent", "model:", 1),  # files call the model's side agent
        "flags": "; ".join(test.flags),
        "reasons": "; ".join(test.reasons),
        **_side_row(test, "human", level),
        **_side_row(test, "agent", level),
    }


def _side_row(test: TestResult, who: str, level: float) -> dict[str, Any]:
    """Return one side, without numbers that follow from its others, which the script puts in again."""
    # The upper end of an interval that lies evenly around d, and the share of no effect beside both others.
    d: float | None = getattr(test, f"{who}_effect_d")
    ends = d_interval(test, who, level)
    low, high = (None, None) if ends is None else (ends.low, ends.high)
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


def apa_string(test_type: str, side: Side | None, *, p: float | None = None, d: float | None = None) -> str:
    """Return one side of a test in the form of APA; empty where nothing is known of it."""
    said = "" if side is None else _STRINGS.get(test_type, _no_statistic)(side)
    parts = [said] if said else []
    if p is not None:
        parts.append(p_words(p))
    if d is not None:
        parts.append(f"d = {typeset(number(d, 2))}")
    return ", ".join(parts)


def _degrees(value: float) -> str:
    return f"{value:g}" if value == round(value) else f"{value:.1f}"


def _equals(name: str, inside: str, side: Side) -> str:
    value = side.statistic
    if value is None:
        return ""
    return (
        f"{name}({inside}) = {typeset(number(value, 2))}"
        if inside
        else f"{name} = {typeset(number(value, 2))}"
    )


def _t_two(side: Side) -> str:
    given, n1, n2 = side.df2, side.n1, side.n2
    df = given if given is not None else None if n1 is None or n2 is None else n1 + n2 - 2
    return _equals("t", "" if df is None else _degrees(df), side)


def _t_one(side: Side) -> str:
    n = side.n
    return _equals("t", "" if n is None else _degrees(n - 1), side)


def _f_string(side: Side) -> str:
    degrees = (side.df1, side.df2)
    return _equals("F", ", ".join(_degrees(df) for df in degrees if df is not None), side)


def _r_string(side: Side) -> str:
    n, value = side.n, side.statistic
    if value is None:
        return ""
    shown = typeset(number(value, 2).replace("0.", ".", 1)) if abs(value) < 1 else typeset(number(value, 2))
    return f"r = {shown}" if n is None else f"r({_degrees(n - 2)}) = {shown}"


def _chi(side: Side) -> str:
    df, n, table = side.df1, side.n, side.table
    inside = [_degrees(df)] if df is not None else []
    inside += [f"N = {n:g}"] if n is not None else []
    head = _equals("χ²", ", ".join(inside), side)
    if head:
        return head
    counts = ", ".join("/".join(f"{cell:g}" for cell in row) for row in table or ())
    return f"χ²({', '.join(inside)}){f', counts {counts}' if counts else ''}" if inside or counts else ""


def _k_of_n(side: Side) -> str:
    k, n, null = side.k, side.n, side.p0
    if k is None or n is None:
        return ""
    return f"{k:g} of {n:g}" + ("" if null is None else f" against {null:g}")


def _u_string(side: Side) -> str:
    sizes = (side.n1, side.n2)
    inside = ", ".join(f"n{i} = {n:g}" for i, n in enumerate(sizes, 1) if n is not None)
    return _equals("U", inside, side)


def _no_statistic(side: Side) -> str:
    return ""


_STRINGS: dict[str, Callable[[Side], str]] = {
    "t-independent": _t_two, "t-paired": _t_one, "t-one-sample": _t_one, "anova": _f_string,
    "anova-within": _f_string, "regression": _f_string, "variance-ratio": _f_string,
    "correlation": _r_string, "chi-square": _chi, "binomial": _k_of_n, "mann-whitney": _u_string,
}  # fmt: skip
"""How each kind of test is written; a kind that is not here shows its p and effect alone."""

"""Tests of a people result, as `detailed_stats.csv` holds them and as the page's tables do."""

import math
from collections.abc import Mapping
from typing import Any

from concord.errors import FileFormatError
from concord.people.files import check_rows, flag
from concord.people.words.sentences import turned_round
from concord.show.apa import apa_string
from concord.show.page.data import PageColumn
from concord.show.page.find import read_document, rows_beside
from concord.show.page.values import Document, Problem, ResultFile, number, part, parts

TESTS_FILE = "tests.json"
Z95 = 1.959963984540054

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


def read_tests(source: ResultFile) -> tuple[list[Mapping[str, Any]], list[Problem]]:
    """Read the tests of a result; without them the page says that it has none."""
    try:
        rows, shown = rows_beside(source, "detailed_stats.csv")
    except FileFormatError as fault:
        return [], [
            Problem(source.shown, f"detailed_stats.csv next to it {fault}; single tests are not shown")
        ]
    if rows is None:
        return [], [Problem(shown, "is not there, so single tests are not shown")]
    if not rows or "Test_Name" not in rows[0]:
        return [], [Problem(shown, "holds no row with a column 'Test_Name', so single tests are not shown")]
    n_tests = number(source.document, "n_tests")
    try:
        check_rows(rows, None if n_tests is None else int(n_tests))
    except FileFormatError as fault:
        return [], [Problem(shown, f"{fault}; single tests are not shown")]
    return with_strings(source, [test_row(row) for row in rows]), []


def with_strings(source: ResultFile, tests: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
    """Write both sides of every test as a paper would, with the statistics of `tests.json` where it is."""
    sides = {_test_name(row): row for row in parts(_tests_document(source), "rows")}
    return [
        {
            **test,
            **{
                f"{who}_apa": apa_string(
                    str(test["test_type"]), part(sides.get(_test_name(test)), who), p=test[f"{who}_p"],
                    d=test[f"{who}_d"],
                )
                for who in ("human", "agent")
            },
        }
        for test in tests
    ]  # fmt: skip


def _tests_document(source: ResultFile) -> Document:
    file = None if source.file is None else source.file.parent / TESTS_FILE
    if file is None or not file.is_file():
        return {}
    try:
        return read_document(file)
    except FileFormatError:
        return {}  # the numbers that were scored are there all the same


def _test_name(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row.get(key, "")) for key in ("study", "sub_study", "finding", "test"))


def _number_at(row: Mapping[str, str], key: str) -> float | None:
    try:
        value = float(row.get(key, ""))
    except ValueError:
        return None
    return None if math.isnan(value) else value


def test_row(row: Mapping[str, str]) -> dict[str, Any]:
    """Turn a row of `detailed_stats.csv` into the fields of the page."""
    made: dict[str, Any] = {
        "study": row.get("Study_ID", ""),
        "sub_study": row.get("Sub_Study_ID", ""),
        "finding": row.get("Finding_ID", ""),
        "test": row.get("Test_Name", ""),
        "test_type": row.get("Statistical_Test_Type", ""),
        "domain": row.get("Domain", ""),
        "pas": _number_at(row, "PAS_Raw"),
        "ecs_test": _number_at(row, "ECS_Test"),
        "z_diff": _number_at(row, "Z_Diff"),
        "passed": flag(row.get("Replicated", "")),
        "in_ecs": flag(row.get("In_ECS", "")),
        "verdict": row.get("Verdict", ""),
        "outcome": row.get("Outcome", ""),
        "flags": row.get("Flags", ""),
        "reasons": row.get("Reasons", ""),
    }
    for who in ("Human", "Agent"):
        made.update(_side(row, who))
    made["turned"] = turned_round(
        flag(row.get("Human_Significant", "")),
        _number_at(row, "Human_Direction"),
        flag(row.get("Agent_Significant", "")),
        _number_at(row, "Agent_Direction"),
    )
    return made


def _side(row: Mapping[str, str], who: str) -> dict[str, float | None]:
    key = who.lower()
    low, high = interval_d(
        row.get("Statistical_Test_Type", ""),
        _number_at(row, f"{who}_Effect_Size"),
        _number_at(row, f"{who}_Effect_SE"),
        _number_at(row, f"{who}_Effect_d"),
    )
    effect, up = _number_at(row, f"{who}_Posterior"), _number_at(row, f"{who}_Prob_Positive")
    split = effect is not None and up is not None
    return {
        f"{key}_d": _number_at(row, f"{who}_Effect_d"),
        f"{key}_low": low,
        f"{key}_high": high,
        f"{key}_log_bf": _number_at(row, f"{who}_Log_BF"),
        f"{key}_p": _number_at(row, f"{who}_P"),
        f"{key}_up": effect * up if split and effect is not None and up is not None else None,
        f"{key}_down": effect * (1 - up) if split and effect is not None and up is not None else None,
        f"{key}_null": None if effect is None else 1 - effect,
    }


def interval_d(
    test_type: str, effect: float | None, se: float | None, d: float | None
) -> tuple[float | None, float | None]:
    """Return a 95 % interval on the scale of d: effect ± 1.96 SE in its native form, its ends converted.

    Without a standard error, where the conversion cannot be seen (an effect of 0 whose d is a multiple of
    it), and where an end has no d, there is none.

    Examples
    --------
    >>> [round(end, 3) for end in interval_d("t-independent", 0.5, 0.1, 0.5)]
    [0.304, 0.696]
    >>> interval_d("anova", 0.0, 0.1, 0.0)
    (None, None)
    """
    if effect is None or d is None or not se or not math.isfinite(effect + se + d):
        return None, None
    from concord.people.families.registry import KINDS

    kind = KINDS.get(test_type)  # a result of a newer Concord may hold types that this one does not know
    to_d = None if kind is None else kind.to_d(effect, d)
    ends = [to_d(effect - Z95 * se), to_d(effect + Z95 * se)] if to_d is not None else [math.nan]
    return (None, None) if any(map(math.isnan, ends)) else (min(ends), max(ends))


def stored(test: Mapping[str, Any]) -> dict[str, Any]:
    """Return a test without the numbers that follow from its others, which the script puts in again.

    The upper end of an interval that lies evenly around d, and the share of no effect beside both others.
    """
    made = dict(test)
    for who in ("human", "agent"):
        d, low, high = (test[f"{who}_{end}"] for end in ("d", "low", "high"))
        if None not in (d, low, high) and math.isclose(2 * d - low, high, rel_tol=1e-9, abs_tol=1e-12):
            made[f"{who}_high"] = None
        if test[f"{who}_up"] is not None:
            made[f"{who}_null"] = None
    return made

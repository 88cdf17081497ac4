"""The table of tests: columns, names, types, keys, outcomes of sides, warnings."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from concord.errors import FileFormatError, TableError
from concord.people.families.registry import TEST_TYPES
from concord.people.table.columns import KNOWN, near_misses
from concord.people.table.read import read_tests
from concord.people.table.values import canonical_type
from concord.records import SideOutcome, TestTable

Cells = dict[str, object]


def _row(**cells: object) -> Cells:
    base: Cells = {"study": "S1", "finding": "F1", "test": "T1", "test_type": "t-test"}
    return base | {"human_statistic": 2.5, "human_n1": 30, "human_n2": 31} | cells


def _read(*rows: Cells) -> TestTable:
    return read_tests(rows)


# --- columns ----------------------------------------------------------------------------------------


def test_column_names_are_folded(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(" Study ,FINDING,Test,test-type,Human Statistic,human_N1,Human-n2\nS,F,T,t,0.0,5,6\n")
    (row,) = read_tests(path).rows
    assert row.human is not None
    assert (row.human.statistic, row.human.n1, row.human.n2) == (0.0, 5, 6)


def test_missing_required_columns_are_named_at_once_with_those_found() -> None:
    with pytest.raises(FileFormatError) as caught:
        _read({"study": "S", "Result": 1, "human_n": 3})
    assert str(caught.value) == (
        "list: required columns are missing: 'finding', 'test', 'test_type'; "
        "found 'study', 'Result', 'human_n'"
    )


def test_a_misspelt_column_is_an_error_because_its_side_would_be_empty() -> None:
    with pytest.raises(FileFormatError) as caught:
        _read(_row(agent_statsitic=2.1, humanprior_odds=1))
    assert str(caught.value) == (
        "list: 'agent_statsitic' is not a column of a table of tests; did you mean 'agent_statistic'?\n"
        "list: 'humanprior_odds' is not a column of a table of tests; did you mean 'human_prior_odds'?"
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("human_p", ["human_p_value"]),
        ("agent_df", ["agent_df2"]),
        ("agent_N_1", ["agent_n1"]),
        ("humen_statistic", ["human_statistic"]),
        ("domian", ["domain"]),
        ("reported", ["human_reported", "agent_reported"]),
        ("human_mean", []),
        ("human_sd", []),
        ("human_m", []),
        ("notes", []),
        ("year", []),
    ],
)
def test_near_misses(name: str, meant: list[str]) -> None:
    assert near_misses(name.casefold()) == meant


def test_no_known_column_is_a_near_miss_of_another() -> None:
    assert {name: near_misses(name) for name in KNOWN if near_misses(name) not in ([], [name])} == {}


def test_a_near_miss_beside_the_real_column_is_only_a_warning() -> None:
    table = _read(_row(human_stat=1, note="hello", empty=""))
    assert table.warnings[:2] == (
        "list: column 'human_stat' is not used; did you mean 'human_statistic'?",
        "list: column 'note' is not used",
    )


def test_a_column_that_appears_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("study,finding,test,test_type,Study\na,b,c,t,d\n")
    with pytest.raises(
        FileFormatError, match=r"the column 'study' appears 2 times \('study', 'Study'\); keep one"
    ):
        read_tests(path)
    frame = pd.DataFrame(
        [["a", "b", "c", "t", 1, 2]], columns=["study", "finding", "test", "test_type", "x", "x"]
    )
    with pytest.raises(FileFormatError, match="the column 'x' appears 2 times"):
        read_tests(frame)


def test_a_column_without_a_name_is_told_when_it_holds_anything(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("study,,finding,,test,test_type\na,1,b,,c,t\n")
    assert read_tests(path).warnings[0] == "t.csv: a column without a name is not used"


# --- test types -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alias", "canonical"),
    [
        *[(name, name) for name in TEST_TYPES],
        *[(name.replace("-", "_").upper(), name) for name in TEST_TYPES],
        *[
            (alias, "t-independent")
            for alias in ("t-test", "Independent t-test", "two-sample t", "student-t")
        ],
        *[
            (alias, "t-independent")
            for alias in ("Welch", "Student's t", "t (two-sample)", "unpaired t test")
        ],
        *[
            (alias, "t-paired")
            for alias in ("paired t", "Paired t-test", "dependent t-test", "matched-pairs t")
        ],
        *[(alias, "t-one-sample") for alias in ("one-sample t", "one sample t-test", "1-sample t")],
        *[
            (alias, "anova")
            for alias in ("F", "f-test", "ANOVA", "one-way ANOVA", "ancova", "between", "F (ANOVA)")
        ],
        *[
            (alias, "anova-within")
            for alias in ("repeated measures", "rm-anova", "within", "Repeated-Measures ANOVA")
        ],
        *[(alias, "regression") for alias in ("linear regression", "OLS", "regression slope t")],
        *[(alias, "correlation") for alias in ("pearson", "spearman", "r", "Pearson's r", "rho")],
        *[
            (alias, "chi-square")
            for alias in ("chi2", "chisq", "χ²", "χ2", "Chi-Squared", "contingency", "X²")
        ],
        *[(alias, "binomial") for alias in ("sign-test", "sign test", "proportion", "Binomial test")],
        *[
            (alias, "mann-whitney")
            for alias in ("Mann-Whitney-U", "Mann–Whitney U", "wilcoxon rank-sum", "u-test")
        ],
        *[(alias, "variance-ratio") for alias in ("variance ratio", "F (variance ratio)")],
        *[(alias, "p-value") for alias in ("p", "p value", "P_Value")],
    ],
)
def test_aliases_of_test_types(alias: str, canonical: str) -> None:
    assert canonical_type(alias) == canonical


def test_assumptions_behind_an_alias_are_flagged() -> None:
    row = _row(test_type="Welch t-test", agent_statistic=1, agent_n1=3, agent_n2=3)
    (read,) = _read(row).rows
    assert read.human is not None
    assert read.agent is not None
    assert read.human.flags == read.agent.flags == ("Welch's t is scored as Student's t",)


# --- names, keys, domains ---------------------------------------------------------------------------


def test_names_are_trimmed_numbers_accepted_and_defaults_filled() -> None:
    (row,) = _read(_row(study=3.0, finding=" cafe\u0301 ", test=12, sub_study="-")).rows
    assert row.key == ("3", "", "café", "12")
    assert (row.domain, row.alpha, row.sampling, row.row) == (None, 0.05, "joint", 2)


def test_options_of_a_row_are_read() -> None:
    (row,) = _read(
        _row(alpha=".01", sampling="Indep Rows", domain="Social", human_prior_odds=10, pas=0.0, n_eff=0)
    ).rows
    assert (row.alpha, row.sampling, row.domain, row.pas, row.n_eff) == (
        0.01,
        "indep_rows",
        "Social",
        0.0,
        0.0,
    )
    assert row.human is not None
    assert row.human.prior_odds == 10


def test_a_study_has_one_domain_wherever_it_is_written() -> None:
    rows = _read(_row(test="a"), _row(test="b", domain="Social"), _row(study="S2")).rows
    assert [row.domain for row in rows] == ["Social", "Social", None]


def test_sub_studies_keep_equal_tests_apart() -> None:
    assert len(_read(_row(sub_study="a"), _row(sub_study="b"), _row()).rows) == 3


# --- outcomes of sides ------------------------------------------------------------------------------


def test_an_empty_side_is_counted_not_an_error() -> None:
    (row,) = _read(_row(agent_statistic="", agent_n1="NA", agent_p0=0.5, agent_prior_odds=1)).rows
    assert (row.human_outcome, row.agent_outcome, row.agent) == (SideOutcome.OK, SideOutcome.MISSING, None)


def test_a_direction_alone_is_an_empty_side_with_a_warning() -> None:
    table = _read(_row(agent_direction=1))
    assert table.rows[0].agent_outcome is SideOutcome.MISSING
    assert table.warnings[0] == (
        "list, row 2, column 'agent_direction': a direction without a result says nothing about a test; "
        "the side is taken as empty"
    )


def test_a_zero_statistic_is_a_result() -> None:
    (row,) = _read(_row(agent_statistic=0.0, agent_n1=5, agent_n2=5)).rows
    assert row.agent_outcome is SideOutcome.OK
    assert row.agent is not None
    assert row.agent.statistic == 0.0


TOO_SMALL: list[Cells] = [
    {"test_type": "t-one-sample", "statistic": 1, "n": 1},
    {"test_type": "t-paired", "n": 0},
    {"test_type": "t-independent", "statistic": 1, "n1": 0, "n2": 5},
    {"test_type": "t-independent", "statistic": 1, "n1": 1, "n2": 1},
    {"test_type": "t-independent", "n": 2},
    {"test_type": "t-independent", "statistic": 1, "df2": 0},
    {"test_type": "correlation", "statistic": 1, "n": 2},
    {"test_type": "anova", "statistic": 1, "df1": 1, "df2": 0},
    {"test_type": "anova", "n": 2},
    {"test_type": "anova", "statistic": 1, "df1": 1, "df2": 5, "n1": 0, "n2": 7},
    {"test_type": "anova-within", "n": 1},
    {"test_type": "regression", "statistic": 1, "df1": 1, "df2": 0},
    {"test_type": "binomial", "k": 0, "n": 0},
    {"test_type": "mann-whitney", "statistic": 0, "n1": 0, "n2": 4},
    {"test_type": "chi-square", "table": [[0, 0], [3, 4]]},
    {"test_type": "chi-square", "statistic": 1, "df1": 1, "n": 1},
    {"test_type": "variance-ratio", "statistic": 1, "n1": 1, "n2": 4},
]


@pytest.mark.parametrize("cells", TOO_SMALL)
def test_a_sample_too_small_is_counted_on_the_agent_side_and_an_error_on_the_human_side(cells: Cells) -> None:
    base: Cells = {"study": "S", "finding": "F", "test": "T", "test_type": cells["test_type"]}
    numbers = {name: value for name, value in cells.items() if name != "test_type"}
    table = _read(base | {f"agent_{name}": value for name, value in numbers.items()})
    assert (table.rows[0].agent, table.rows[0].agent_outcome) == (None, SideOutcome.TOO_SMALL)
    assert any(
        "list, row 2, column 'agent_" in text and "too small, not scored" in text for text in table.warnings
    )
    with pytest.raises(TableError, match=r"^list, row 2, column 'human_\w+': got .*expected .*at least"):
        _read(base | {f"human_{name}": value for name, value in numbers.items()})


def test_what_somebody_computed_is_a_complete_side() -> None:
    (row,) = _read(_row(agent_effect_d=0.0, agent_n=40) | {"human_statistic": "", "human_log_bf": -1.5}).rows
    assert row.human is not None
    assert row.agent is not None
    assert (row.human.log_bf, row.human.statistic, row.human.n) == (-1.5, None, 61)
    assert (row.agent.effect_d, row.agent.n) == (0.0, 40)
    assert (row.human_outcome, row.agent_outcome) == (SideOutcome.OK, SideOutcome.OK)


def test_a_ready_pas_needs_no_sides() -> None:
    table = _read({"study": "S", "finding": "F", "test": "T", "test_type": "p", "pas": 0.8, "n_eff": 20})
    assert (table.rows[0].pas, table.rows[0].n_eff, table.warnings) == (0.8, 20, ())


# --- warnings ---------------------------------------------------------------------------------------


def test_equal_warnings_of_many_rows_are_told_once() -> None:
    table = _read(*(_row(test=str(i), human_df2=50, human_k=3) for i in range(12)))
    rows = "rows 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more"
    assert table.warnings == (
        f"list, {rows}, column 'human_k': not used by t-independent",
        f"list, {rows}, column 'human_df2': the degrees of freedom are not n1 + n2 - 2 "
        "(as in Welch's test or a model with more terms)",
        "list: every agent side is empty",
    )


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, list])
def test_frames_and_lists_give_the_same_table(make: Callable[[list[Cells]], object]) -> None:
    rows = [_row(), _row(test="b", agent_statistic=-1.0, agent_n1=4, agent_n2=4)]
    rows[0] |= {"agent_statistic": None, "agent_n1": None, "agent_n2": None}
    assert read_tests(make(rows)).rows == read_tests(rows).rows  # type: ignore[arg-type]


def test_an_answer_that_nobody_gave_is_a_table_all_the_same() -> None:
    row = {
        "study": "S",
        "finding": "F",
        "test": "t",
        "test_type": "chi-square",
        "human_table": [[0, 3], [0, 4]],
    }
    side = read_tests([row]).rows[0].human
    assert side is not None
    assert (side.table, side.n) == (((0.0, 3.0), (0.0, 4.0)), 7.0)
    assert any("nobody gave" in flag for flag in side.flags)

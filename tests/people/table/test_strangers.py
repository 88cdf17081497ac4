"""Tables as researchers of several countries have them, each cell by hand."""

from pathlib import Path

import pytest

from concord.people.table.source import read_agents
from concord.records import Side, TestTable


def table_of(
    folder: Path, text: str, name: str = "mine.csv", mapping: dict[str, str] | None = None
) -> TestTable:
    (folder / name).write_text(text, "utf-8")
    found = read_agents(folder / name, mapping=mapping)
    assert isinstance(found, TestTable)
    return found


def is_near(side: Side | None, **numbers: float) -> None:
    assert side is not None
    assert {name: getattr(side, name) for name in numbers} == pytest.approx(numbers, rel=1e-4)


NAMED_LIKE_THE_FORMAT = (
    "Study;Finding;Test;Test type;Human result;Model result\n"
    "Smith 2011;Priming;1;t;t(58) = 2,45, p = .017;t(98) = 0,31, p = .76\n"
    "Lee 2015;Norms;1;r;r(80) = .34, p = .002;r(120) = .10, p = .27\n"
    "Lee 2015;Norms;2;chi-square;χ²(1, N = 90) = 6.1, p = .014;χ²(1, N = 200) = 1.2, p = .27\n"
)


def test_results_under_titles_of_ones_own_are_read_beside_columns_of_the_format(tmp_path: Path) -> None:
    table = table_of(tmp_path, NAMED_LIKE_THE_FORMAT)
    t, r, chi2 = table.rows
    assert [row.test_type for row in table.rows] == ["t-independent", "correlation", "chi-square"]
    is_near(t.human, statistic=2.45, df2=58)
    is_near(t.agent, statistic=0.31, df2=98)
    is_near(r.human, statistic=0.34)
    is_near(chi2.agent, statistic=1.2, df1=1, n=200)


def test_one_side_in_columns_of_the_format_and_the_other_under_a_title_are_both_read(tmp_path: Path) -> None:
    text = NAMED_LIKE_THE_FORMAT.replace("Human result", "human_reported")
    first = table_of(tmp_path, text).rows[0]
    is_near(first.human, statistic=2.45, df2=58)
    is_near(first.agent, statistic=0.31, df2=98)


def test_where_no_column_holds_a_result_the_message_names_the_way_to_say_which_does(tmp_path: Path) -> None:
    table = table_of(
        tmp_path, NAMED_LIKE_THE_FORMAT.replace("Human result", "A").replace("Model result", "B")
    )
    assert all(row.human is None and row.agent is None for row in table.rows)
    said = "\n".join(table.warnings)
    assert "column 'A' is not used; --map 'A=…' says what it holds" in said
    assert (
        "every human side is empty; where a column holds the results of people: --map 'TITLE=human'" in said
    )
    mapped = read_agents(tmp_path / "mine.csv", mapping={"A": "human", "B": "agent"})
    assert isinstance(mapped, TestTable)
    is_near(mapped.rows[0].human, statistic=2.45, df2=58)

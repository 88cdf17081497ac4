"""Three more workbooks with everything that people do to a table, each value by hand."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.people.table import handmade_books as books
from typer.testing import CliRunner

from concord.cli.app import app
from concord.cli.options import read_mapping
from concord.people.table.agents import read_agents
from concord.records import Side, TestTable


def read(path: Path, mapping: dict[str, str] | None = None) -> TestTable:
    found = read_agents(path, mapping=mapping)
    assert isinstance(found, TestTable)
    return found


def is_near(side: Side | None, **numbers: float) -> None:
    assert side is not None
    assert {name: getattr(side, name) for name in numbers} == pytest.approx(numbers, rel=1e-4)


def test_sizes_in_heads_are_those_of_their_groups_and_a_second_table_is_read_too(tmp_path: Path) -> None:
    table = read(books.sizes_in_heads(tmp_path / "book.xlsx"))
    assert table.model == "GPT-4o"
    assert [(row.study, row.test, row.test_type, row.row) for row in table.rows] == [
        ("Miller 2001", "warmth", "t-independent", 7),
        ("Miller 2001", "trust (1-7)", "t-independent", 8),
        ("Jones 2010", "speed (ms)", "t-independent", 9),
        ("Kim 2012", "age × risk", "correlation", 14),
    ]
    warmth, _, speed, risk = table.rows
    # people: sp² = (39·1.21 + 41·1.44)/80 = 1.327875; t = 0.6/√(1.327875·(1/40 + 1/42)) = 2.35679
    is_near(warmth.human, statistic=2.35679, n1=40, n2=42)
    # sp² = (0.36 + 0.25)/2 = 0.305; t = 1.1/√(0.305/50) = 14.0841
    is_near(warmth.agent, statistic=14.0841, n1=100, n2=100)
    # sp² = (39·7744 + 41·8464)/80 = 8113; t = -42.5/√(8113·(1/40 + 1/42)) = -2.13573
    is_near(speed.human, statistic=-2.13573, n1=40, n2=42)
    is_near(risk.human, statistic=0.31, n=120)
    is_near(risk.agent, statistic=0.52, n=150)
    assert any("row 10: notes, left out" in warning for warning in table.warnings)


def test_percent_signs_with_n_on_a_line_of_the_head_become_counts(tmp_path: Path) -> None:
    table = read(books.percent_signs(tmp_path / "book.xlsx"))
    tables = {row.test: tuple(side and side.table for side in (row.human, row.agent)) for row in table.rows}
    assert tables == {
        "buy": (((26, 14), (16, 24)), ((90, 10), (20, 80))),
        "drive": (((20, 20), (18, 22)), ((60, 40), (55, 45))),
        "sign": (((32, 8), (20, 20)), ((70, 30), (60, 40))),
    }
    buy = table.rows[0]
    assert buy.human is not None and buy.human.p_value == 0.025
    assert table.model == "Claude 3"


def test_stars_and_ns_are_no_part_of_numbers_and_brackets_say_whose_they_are(tmp_path: Path) -> None:
    table = read(books.stars_and_brackets(tmp_path / "book.xlsx"))
    assert table.model == "GPT-4"
    assert [(row.study, row.test) for row in table.rows] == [
        ("Asch 1946", "warm-cold"),
        ("Asch 1946", "order"),
        ("Ross 1977", "consensus"),
    ]
    cold, order, consensus = table.rows
    is_near(cold.human, statistic=2.41, df2=58, p_value=0.019)
    is_near(cold.agent, statistic=4.02, df2=198)
    is_near(order.human, statistic=-1.2, p_value=0.24)
    is_near(order.agent, statistic=-3.5)
    is_near(consensus.human, statistic=4.9, df2=78)
    said = "\n".join(table.warnings)
    assert "row 7: sums or averages" in said
    assert "row 8: notes" in said
    assert "column 'Kommentar' is not used" in said


def test_n_of_both_groups_together_is_halved_and_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    heads = "Study;Effect;Humans (n = 80);;;\n;;M treatment;SD treatment;M control;SD control\n"
    path.write_text(f"{heads}S;e;5;1;4;1\n", "utf-8")
    table = read(path)
    is_near(table.rows[0].human, n1=40, n2=40)
    assert any("was halved" in warning for warning in table.warnings)


@pytest.mark.parametrize("made", [books.percent_signs, books.stars_and_brackets, books.sizes_in_heads])
def test_the_suggested_mapping_gives_the_same_rows(made: Callable[[Path], Path], tmp_path: Path) -> None:
    path, file = made(tmp_path / "book.xlsx"), tmp_path / "people.map"
    assert CliRunner().invoke(app, ["check", str(path), "--suggest-map", str(file)]).exit_code == 0
    assert read(path, read_mapping([str(file)])).rows == read(path).rows


EXPORTS = {
    "jamovi.csv": "Study,Effect,Sample,Statistic,df,p,Effect Size\n"
    "Miller,warmth,Human,2.357,80.0,0.021,0.521\nMiller,warmth,GPT-4o,14.084,198,< .001,1.99\n"
    "Miller,trust,Human,0.362,80.0,0.718,0.080\nMiller,trust,GPT-4o,7.526,198,< .001,1.06\n",
    "jasp.csv": "Independent Samples T-Test,,,,,,\n,Humans,,,GPT-4o,,\nDV,t,df,p,t,df,p\n"
    "warmth,2.357,80,0.021,14.084,198,< .001\ntrust,0.362,80,0.718,7.526,198,< .001\n"
    "Note.  Student's t-test.,,,,,,\n",
    "spss.tsv": "\ufeffStudy\tVariable\tHuman t\tHuman df\tHuman Sig. (2-tailed)\tModel t\tModel df\t"
    "Model Sig. (2-tailed)\nMiller\twarmth\t2,357\t80\t,021\t14,084\t198\t,000\n"
    "Miller\ttrust\t,362\t80\t,718\t7,526\t198\t,000\n",
}


@pytest.mark.parametrize("name", EXPORTS)
def test_tables_of_statistics_programs_are_read_in_one_step(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(EXPORTS[name], "utf-8")
    found = {row.test: row for row in read(tmp_path / name).rows}
    assert {row.test_type for row in found.values()} == {"t-independent"}
    is_near(found["warmth"].human, statistic=2.357, df2=80, p_value=0.021)
    is_near(found["warmth"].agent, statistic=14.084, df2=198)
    is_near(found["trust"].human, statistic=0.362, df2=80, p_value=0.718)
    is_near(found["trust"].agent, statistic=7.526, df2=198)

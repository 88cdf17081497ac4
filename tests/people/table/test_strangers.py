"""Tables as researchers of several countries have them, each cell by hand."""

from pathlib import Path

import pytest

from concord.cli.options import read_mapping
from concord.errors import FileFormatError, TableError
from concord.files.tables import TableOptions
from concord.people.answers.table import read_answer_table
from concord.people.check import suggest_map
from concord.people.table.agents import read_agents
from concord.people.table.read import read_tests
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


@pytest.mark.parametrize(
    "titles",
    [
        "Estudo;Efeito;Resultado humano;Resultado modelo",
        "Étude;Effet;Résultat (participants humains);Résultat (modèle)",
        "Estudio;Hipótesis;Humanos;Modelo",
        "Studio;Effetto;Risultato umani;Risultato modello",
        "Studie;Hypothese;Menschen;KI",
        "研究;仮説;人間の結果;モデルの結果",
        "论文;假设;人类结果;模型结果",
        "논문;가설;인간 결과;모델 결과",
        "Study;Effect;Participants;Simulated participants",
        "Study;Effect;Original study;LLM replication",
    ],
)
def test_titles_are_read_in_the_languages_of_their_authors(titles: str, tmp_path: Path) -> None:
    (row,) = table_of(tmp_path, f"{titles}\nSilva 2019;x;t(38) = 2,31, p = 0,026;t(98) = 5,1\n").rows
    assert (row.study, row.finding) == ("Silva 2019", "x")
    is_near(row.human, statistic=2.31, df2=38)
    is_near(row.agent, statistic=5.1, df2=98)


def test_short_forms_of_sd_that_are_prepositions_end_a_title(tmp_path: Path) -> None:
    heads = "Estudio;VD;Humanos control M;Humanos control DE;Humanos control n;Humanos tratamiento M;"
    heads += "Humanos tratamiento DE;Humanos tratamiento n"
    (row,) = table_of(tmp_path, f"{heads}\nA;x;4,6;1,2;42;5,2;1,1;40\n").rows
    is_near(row.human, statistic=2.35679, n1=40, n2=42)


def test_versions_are_part_of_the_names_of_models(tmp_path: Path) -> None:
    text = "Study,DV,Human t,Human df,Claude 3.5 t,Claude 3.5 df,Claude 3 Opus t,Claude 3 Opus df\n"
    (tmp_path / "m.csv").write_text(f"{text}A,x,2.31,38,4.1,98,0.2,98\n", "utf-8")
    tables = read_agents(tmp_path / "m.csv")
    assert isinstance(tables, dict)
    agents = {name: table.rows[0].agent for name, table in tables.items()}
    assert {name: side and side.statistic for name, side in agents.items()} == {
        "Claude 3.5": 4.1,
        "Claude 3 Opus": 0.2,
    }


def test_an_n_belongs_to_what_is_on_its_left(tmp_path: Path) -> None:
    (row,) = table_of(tmp_path, "Study,Effect,Human t,n,Model t,n\nA,x,2.31,40,0.4,100\n").rows
    is_near(row.human, statistic=2.31, n=40)
    is_near(row.agent, statistic=0.4, n=100)
    heads = "Study,DV,Human A M (SD),n,Human B M (SD),n\n"
    (row,) = table_of(tmp_path, f"{heads}A,x,5.2 (1.1),40,4.6 (1.2),42\n").rows
    is_near(row.human, statistic=2.35679, n1=40, n2=42)


def test_two_columns_for_one_thing_are_an_error_and_not_the_last_one(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"one column for it, but 'Model t' holds .*--map 'LLM t=-'"):
        table_of(tmp_path, "Study,Effect,Human t,Human n,Model t,LLM t,Model n\nA,x,2,40,0.4,0.9,100\n")
    with pytest.raises(TableError, match="another row of the same test has '2.3'"):
        table_of(tmp_path, "Study,Sample,t,df\nA,human,2.3,38\nA,human,1.1,38\nA,GPT-4,2,98\n")


def test_groups_of_an_agent_are_in_the_order_of_those_of_people(tmp_path: Path) -> None:
    # people: gain first; the agent: loss first. Both are gain minus loss: sp² = 1, t = 1/√(1/20 + 1/20)
    rows = "A,human,gain,5,1,20\nA,human,loss,4,1,20\nA,GPT-4,loss,4,1,20\nA,GPT-4,gain,5,1,20\n"
    (row,) = table_of(tmp_path, f"Study,Sample,Condition,M,SD,n\n{rows}").rows
    is_near(row.human, statistic=3.162278)
    is_near(row.agent, statistic=3.162278)
    wide = "Human gain M,Human gain SD,Human gain n,Human loss M,Human loss SD,Human loss n"
    wide += ",GPT-4 loss M,GPT-4 loss SD,GPT-4 loss n,GPT-4 gain M,GPT-4 gain SD,GPT-4 gain n"
    (row,) = table_of(tmp_path, f"Study,{wide}\nA,5,1,20,4,1,20,4,1,20,5,1,20\n").rows
    is_near(row.human, statistic=3.162278)
    is_near(row.agent, statistic=3.162278)


def test_counts_of_two_groups_are_a_table_however_they_are_worded(tmp_path: Path) -> None:
    heads = "Study,Question,Human condition A,Human condition B,GPT-4 condition A,GPT-4 condition B"
    (row,) = table_of(tmp_path, f"{heads}\nT,x,161 of 183,92 of 200,88% (n = 100),61/100\n").rows
    assert row.human is not None and row.human.table == ((161, 22), (92, 108))
    assert row.agent is not None and row.agent.table == ((88, 12), (61, 39))


def test_percentages_take_the_n_of_each_group_or_half_of_both(tmp_path: Path) -> None:
    heads = "Study,Metric,Consumers % A,Consumers % B,Consumers n per group"
    heads += ",Synthetic consumers % A,Synthetic consumers % B,Synthetic n"
    table = table_of(tmp_path, f"{heads}\nCola,buy,42%,31%,200,55%,54%,500\n")
    (row,) = table.rows
    assert row.human is not None and row.human.table == ((84, 116), (62, 138))
    assert row.agent is not None
    assert row.agent.table == ((138, 112), (135, 115))  # 137.5 of 250: no half people
    assert any("agent: n of both groups together was halved" in text for text in table.warnings)


def test_thousands_in_a_sample_size_are_thousands(tmp_path: Path) -> None:
    text = "Study;Effect;Human t;Human n;Model t;Model n\nA;x;2,31;1.240;4,10;2,000\n"
    (row,) = table_of(tmp_path, text).rows
    is_near(row.human, statistic=2.31, n=1240)
    is_near(row.agent, statistic=4.1, n=2000)


MEANS = "Study;Effect;Human M1;Human SD1;Human n1;Human M2;Human SD2;Human n2;Model M1;Model SD1;Model n1"
MEANS += ";Model M2;Model SD2;Model n2\n"


@pytest.mark.parametrize(
    ("cells", "t"),
    [
        # nothing but whole numbers: 1,240 is beside 980
        ("1,240;310;40;980;280;40;1,180;90;50;1,010;80;50", 260 / ((310**2 + 280**2) / 40) ** 0.5),
        ("1,240;310.5;40;1,180;280.5;40;1,180;90;50;1,010;80;50", 60 / ((310.5**2 + 280.5**2) / 40) ** 0.5),
        ("1,240 (310.5);;40;1,180 (280.5);;40;1,180;90;50;1,010;80;50",
         60 / ((310.5**2 + 280.5**2) / 40) ** 0.5),
        ("4,240;1,3;40;3,180;1,1;40;4,180;0,9;50;3,010;0,8;50", 1.06 / ((1.3**2 + 1.1**2) / 40) ** 0.5),
    ],
)  # fmt: skip
def test_a_comma_in_a_mean_is_what_the_whole_table_says(tmp_path: Path, cells: str, t: float) -> None:
    (row,) = table_of(tmp_path, f"{MEANS}A;x;{cells}\n").rows
    is_near(row.human, statistic=t, n1=40, n2=40)


def test_a_comma_that_may_be_either_is_told(tmp_path: Path) -> None:
    text = "Studie;Effekt;Mensch t;Mensch n;Modell t;Modell n\nA;x;2,310;120;4,125;120\n"
    table = table_of(tmp_path, text)
    is_near(table.rows[0].human, statistic=2.31, n=120)
    assert any("'2,310' is read with a decimal comma" in text for text in table.warnings)


def test_codes_of_missing_values_are_no_statistics_and_are_told(tmp_path: Path) -> None:
    text = "Study,Effect,Human t,Human n,Model t,Model n\nA,x,2,40,-99,-99\nB,y,1,999,999,60\n"
    table = table_of(tmp_path, f"{text}C,z,1,40,not reported,60\nD,q,-9,40,1,60\n")
    assert [row.agent is None for row in table.rows] == [True, True, True, False]
    is_near(table.rows[1].human, n=999)
    is_near(table.rows[3].human, statistic=-9)
    said = "\n".join(table.warnings)
    assert "row 2: agent: -99 below 'Model t' is taken for the code of a missing value" in said
    assert "row 3: agent: 999 below 'Model t'" in said


def test_coefficients_with_their_errors_are_read_as_economists_print_them(tmp_path: Path) -> None:
    heads = "Study,Outcome,Human coef,Human SE,Human N,LLM coef (SE),LLM N"
    (row,) = table_of(tmp_path, f"{heads}\nG,x,0.32***,(0.10),240,-0.40** (0.05),500\n").rows
    assert row.test_type == "coefficient"
    is_near(row.human, statistic=0.32, se=0.10, n=240)
    is_near(row.agent, statistic=-0.40, se=0.05, n=500)
    table = table_of(tmp_path, 'Study,DV,People,Model\nG,x,"b = 0.32, SE = 0.1","b = -0.4, SE = 0.05"\n')
    (row,) = table.rows
    assert row.test_type == "p-value"
    # 2·(1 - Φ(3.2)) = 0.001374
    is_near(row.human, p_value=0.001374276, direction=1)
    assert any("there is no n: p was computed from b / SE" in text for text in table.warnings)
    with pytest.raises(
        TableError, match="a coefficient with its standard error stands below a title such as"
    ):
        table_of(tmp_path, "Study,DV,People,Model\nG,x,0.32*** (0.10),0.05 (0.04)\n")


def test_a_column_of_types_of_tests_says_what_its_statistics_are(tmp_path: Path) -> None:
    text = "Study,Measure,Test,Human statistic,Human n1,Human n2,Human p\n"
    table = table_of(tmp_path, f"{text}A,x,Student's t,2.357,40,42,.021\nA,x,Mann-Whitney U,512,40,42,.003\n")
    assert [(row.test, row.test_type) for row in table.rows] == [
        ("x (Student's t)", "t-independent"),
        ("x (Mann-Whitney U)", "mann-whitney"),
    ]


def test_a_statistic_without_a_name_is_said_to_be_taken_for_t(tmp_path: Path) -> None:
    table = table_of(tmp_path, "Study,Measure,Human statistic,Human n\nA,x,2.357,40\n")
    assert any("was taken for t; a column 'Test type' says which it is" in text for text in table.warnings)


def test_effects_are_read_with_their_names_and_intervals_with_dashes(tmp_path: Path) -> None:
    text = 'Study,Effect,People,LLM\nG,x,"Cohen\'s d = -0.4, n = 80","Hedges\' g = 0.9, n = 200"\n'
    (row,) = table_of(tmp_path, text).rows
    is_near(row.human, statistic=-0.4 * 20**0.5, n1=40, n2=40)
    is_near(row.agent, statistic=0.9 * 50**0.5, n1=100, n2=100)
    (row,) = table_of(tmp_path, "Study,Effect,Human OR,LLM OR\nG,x,0.75 (0.60-0.94),0.95 (0.80–1.13)\n").rows
    is_near(row.human, statistic=-0.287682, se=0.114538)  # ln 0.75, (ln 0.94 − ln 0.60)/3.92


def test_a_p_printed_as_zero_is_below_half_its_last_digit(tmp_path: Path) -> None:
    (row,) = table_of(tmp_path, "Study,Effect,Human p,Human direction\nG,x,.000,+\n").rows
    is_near(row.human, p_value=0.0005)


def test_means_do_not_make_a_paired_test(tmp_path: Path) -> None:
    text = "Study,DV,Test type,Human A M,Human A SD,Human A n,Human B M,Human B SD,Human B n\n"
    with pytest.raises(TableError, match="for test type t-paired it does not follow from these numbers"):
        table_of(tmp_path, f"{text}A,x,paired t-test,5,1,20,4,1,20\n")
    (row,) = table_of(tmp_path, f"{text}A,x,ANOVA,5,1,20,4,1,20\n").rows
    is_near(row.human, statistic=10, df1=1, df2=38, direction=1)


def test_t_on_one_side_and_f_with_one_degree_of_freedom_on_the_other_are_one_test(tmp_path: Path) -> None:
    (row,) = table_of(tmp_path, "Study;Effect;Human;Model\nB;H2;F(1,58) = 4,1;t(98) = -2\n").rows
    assert row.test_type == "anova"
    is_near(row.human, statistic=4.1, df2=58)
    is_near(row.agent, statistic=4, df2=98, direction=-1)


def test_welch_degrees_of_freedom_ask_for_n(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="Welch's degrees of freedom do not say how many took part"):
        table_of(tmp_path, "Study,Effect,Human t,Human df\nA,x,2.3,74.3\n")


def test_what_cannot_be_read_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"--map 'TITLE=human'.*--suggest-map"):
        table_of(tmp_path, "Umwelt,Wert,Notiz\nA,2,x\n")
    with pytest.raises(TableError, match="the number 3 is none of these"):
        table_of(tmp_path, 'Study,Effect,People\nA,x,"3, t(98) = 0.4, p = .69"\n')


def test_a_first_column_of_words_names_the_rows(tmp_path: Path) -> None:
    (row,) = table_of(tmp_path, "Variable pair,Human r,Human N,Human p\nage x risk,.31**,98,.002\n").rows
    assert row.test == "age x risk"
    (row,) = table_of(tmp_path, "Brand,Metric,Human r,Human N\nCola,liking,.31**,98\n").rows
    assert (row.study, row.test) == ("Cola", "liking")


def test_a_suggested_mapping_of_repeated_titles_reads_the_same_table(tmp_path: Path) -> None:
    text = "Study,Effect,Human t,n,Model t,n\nA,x,2.31,40,0.4,100\n"
    plain = table_of(tmp_path, text)
    suggested = suggest_map(tmp_path / "mine.csv", TableOptions())
    assert "# one of several of this title, taken with its neighbours: n = human_n" in suggested
    (tmp_path / "my.map").write_text(suggested, "utf-8")
    mapped = table_of(tmp_path, text, mapping=read_mapping([str(tmp_path / "my.map")]))
    assert mapped.rows == plain.rows


def test_the_same_numbers_on_both_sides_are_told(tmp_path: Path) -> None:
    same = "Study,Effect,Human result,Model result\nA,x,t(38) = 2.3,t(38) = 2.3\nB,y,t(58) = 1,t(58) = 1\n"
    told = "the agent's numbers are the human ones in all 2 tests"
    assert any(told in text for text in table_of(tmp_path, same).warnings)
    other = same.replace("t(58) = 1\n", "t(58) = 2\n")
    assert not any("are the human ones" in text for text in table_of(tmp_path, other).warnings)


def test_statistics_without_n_go_by_their_p_on_both_sides(tmp_path: Path) -> None:
    text = "Study;Effect;Human;Model\nA;x;Z = -2.81, p = .005;Z = 0.4, p = .69, N = 90\n"
    table = table_of(tmp_path, text)
    (row,) = table.rows
    assert row.test_type == "p-value"
    is_near(row.human, direction=-1)
    is_near(row.agent, direction=1)
    assert any("row 2: human: there is no n: the p-value is the test" in text for text in table.warnings)


def test_means_with_standard_errors_are_not_taken_for_means_with_sds(tmp_path: Path) -> None:
    heads = "Study,DV,Human A M (SE),Human A n,Human B M (SE),Human B n"
    (row,) = table_of(tmp_path, f"{heads}\nA,x,5 (0.2),25,4 (0.2),25\n").rows
    is_near(row.human, statistic=1 / 0.08**0.5)  # both SDs are 0.2·√25 = 1: t = 1/√(2/25)
    heads = "Study,DV,Human d,Human d SE,Human n"
    (row,) = table_of(tmp_path, f"{heads}\nA,x,0.5,0.2,100\n").rows
    is_near(row.human, statistic=2.5, n1=50)  # n says more than the standard error: 0.5·√25
    (row,) = table_of(tmp_path, f"{heads}\nA,x,0.5,0.2,\n").rows
    is_near(row.human, n1=52, statistic=0.5 * 26**0.5)  # (2 + 0.25/4)/0.04 = 51.6


def test_answers_given_to_the_wrong_command_are_sent_to_the_right_one(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="scored by concord score answers"):
        table_of(tmp_path, "respondent,item,answer\nA,q1,4\n")
    with pytest.raises(FileFormatError, match="scored by concord score people"):
        read_answer_table([{"Study": "A", "Human t": 2.0, "Model t": 1.0}])


def test_a_first_column_without_a_title_names_the_tests(tmp_path: Path) -> None:
    text = "Independent Samples T-Test,,,\n,Human t,Human df,Human p\nwarmth,2.357,80,0.021\n"
    (row,) = table_of(tmp_path, text).rows
    assert row.test == "warmth"


def test_degrees_of_freedom_may_stand_in_the_title(tmp_path: Path) -> None:
    text = "Study,Variable,Humans,,,GPT-4,,\n,,Exp.,Ctrl.,t(78),Exp.,Ctrl.,t(198)\n"
    (row,) = table_of(tmp_path, f"{text}Kim,Warmth,5.2 (1.1),4.6 (1.2),2.33*,5.9 (0.5),5.1 (0.6),10.2\n").rows
    assert row.sub_study == ""
    is_near(row.human, statistic=2.33, df2=78)
    is_near(row.agent, statistic=10.2, df2=198)


def test_coefficients_of_statistics_programs_go_by_their_p_where_n_is_missing(tmp_path: Path) -> None:
    text = "study,term,sample,estimate,std.error,statistic,p.value\nA,x,human,0.32,0.1,3.2,0.0014\n"
    (row,) = table_of(tmp_path, f"{text}A,x,gpt-4,-0.05,0.04,-1.25,0.21\n").rows
    is_near(row.human, p_value=0.0014, direction=1)
    is_near(row.agent, p_value=0.21, direction=-1)


def test_intervals_in_brackets_with_their_name_are_read(tmp_path: Path) -> None:
    text = 'Study,Effect,Human,Model\nA,x,d = 0.45 (95% CI: 0.12 to 0.78),"g = 0.1 [95% CI -0.2, 0.4]"\n'
    (row,) = table_of(tmp_path, text).rows
    is_near(row.human, statistic=2.7, n1=72)
    is_near(row.agent, statistic=0.1 * 42.5**0.5, n1=85)  # SE 0.15306: (2 + 0.01/4)/SE² = 85.5


def test_bare_numbers_dates_and_tables_turned_round_are_told(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="a number that says what it is"):
        table_of(tmp_path, "Outcome,Humans,GPT-4\nshare,0.32***,0.05\n")
    with pytest.raises(TableError, match="the cell holds a date"):
        table_of(tmp_path, "Study,Question,Humans,GPT-4\nA,x,2024-04-03 00:00:00,30/40\n")
    with pytest.raises(FileFormatError, match="turn the table round"):
        table_of(tmp_path, "Statistic,warmth,trust\nHuman t,2.31,0.4\nModel t,4.1,2.9\n")
    with pytest.raises(TableError) as caught:
        table_of(tmp_path, "Item,Human mean,Model mean\nq1,3.2,4.1\nq2,3,4\n")
    assert str(caught.value).count("compared by concord score answers") == 1


def test_a_code_of_a_missing_value_in_the_format_is_doubted() -> None:
    row = {"study": "S", "finding": "F", "test": "T", "human_statistic": -99, "human_n": 40}
    said = read_tests([row | {"test_type": "t-test"}]).warnings
    assert any("-99 is often a code for a missing value" in text for text in said)
    fine = read_tests([row | {"test_type": "t-test", "human_statistic": -9.9}]).warnings
    assert not any("code for a missing value" in text for text in fine)


def test_a_column_that_numbers_people_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="scored by concord score answers"):
        table_of(tmp_path, "Participant,Condition,Mean,SD\n1,a,4,1\n2,b,5,1\n")


def test_a_list_of_rows_is_told_the_mapping_of_python() -> None:
    rows = [{"Study": "A", "Effect": "x", "First": "t(38) = 2.3", "Second": "t(98) = 1"}]
    with pytest.raises(FileFormatError, match="mapping={'TITLE': 'human'"):
        read_agents(rows)
    table = read_agents(rows, mapping={"First": "human", "Second": "agent"})
    assert isinstance(table, TestTable)
    is_near(table.rows[0].human, statistic=2.3, df2=38)


def test_a_test_that_is_significant_one_tailed_only_is_told(tmp_path: Path) -> None:
    heads = "Study;Effect;Human result;Model result\n"
    cells = ["t(60) = 1.85, p = .035 (one-tailed)", "t(60) = 3.00, p = .002 (one-tailed)"]
    table = table_of(
        tmp_path, heads + "".join(f"S{i};x;{cell};t(98) = 1.0\n" for i, cell in enumerate(cells))
    )
    (told,) = (text for text in table.warnings if "one-tailed only" in text)
    assert "row 2" in told and "alpha = 0.1 in its row" in told


@pytest.mark.parametrize("title", ["결과", "종속변수", "Result"])
def test_words_under_result_name_what_was_measured(tmp_path: Path, title: str) -> None:
    text = f"연구;{title};사람 OR (95% CI);모델 OR (95% CI)\nA;도움;12.4 (1.9–81);3.1 (1.6–6.0)\n"
    (row,) = table_of(tmp_path, text).rows
    assert (row.study, row.test) == ("A", "도움")

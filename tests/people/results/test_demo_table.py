"""The bundled demo table: facts as published, agent side as planned."""

import csv
import importlib.util
import io
import json
from collections import Counter
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest
from tests.people.random_tables import TYPES

from concord.people.table.read import read_tests
from concord.records import SideOutcome

TABLE = files("concord.people") / "data" / "demo_tests.csv"
TEXT = TABLE.read_text(encoding="utf-8")
ROWS = list(csv.DictReader(io.StringIO(TEXT)))
BY_TEST = {(row["study"], row["test"]): row for row in ROWS}

IDENTITY = ["study", "sub_study", "finding", "test", "test_type", "domain", "sampling", "data_note"]
SIDE = ["statistic", "df1", "df2", "n1", "n2", "k", "n", "p0", "p_value", "direction", "table"]
HUMAN = [f"human_{name}" for name in [*SIDE, "reported"]]
AGENT = [f"agent_{name}" for name in SIDE]

REFUSED = {
    ("prentice-1993", "signatures, near the norm against deviant"),
    ("prentice-1993", "hours of work, near the norm against deviant"),
}
TOO_SMALL = ("knobe-2003", "blame or praise with intentionality")

NEEDED = {
    "anova": {"statistic", "df1", "df2"},
    "anova-within": {"statistic", "df1", "df2"},
    "t-independent": {"statistic", "df2", "n1", "n2"},
    "t-paired": {"statistic", "df2", "n"},
    "t-one-sample": {"statistic", "df2", "n"},
    "correlation": {"statistic", "n"},
    "chi-square": {"table"},
    "binomial": {"k", "n", "p0"},
    "mann-whitney": {"statistic", "n1", "n2"},
    "variance-ratio": {"statistic", "df1", "df2"},
    "p-value": {"p_value"},
}

FACTS = [
    ("ross-1977", "estimated share: supermarket", {"statistic": "17.7", "df2": "78"}, "item F, study 1"),
    (
        "ross-1977",
        "trait extremity: term paper",
        {"statistic": "21.83", "direction": "-1"},
        "item F, study 1",
    ),
    ("ross-1977", "trait extremity: Repent", {"statistic": "9.74", "direction": "-1"}, "item F, study 3"),
    ("jacowitz-1995", "estimate with anchor", {"statistic": "0.42", "n": "103"}, "r = .42, n = 103"),
    ("jacowitz-1995", "anchoring index with confidence over items", {"statistic": "-0.68", "n": "15"}, "r"),
    ("nagel-1995", "moves toward equilibrium, p = 2/3", {"k": "163", "n": "201", "p0": "0.5"}, "counts"),
    ("nagel-1995", "sessions in line with learning direction", {"k": "7", "n": "7"}, "7 of 7 sessions"),
    ("forsythe-1994", "offer, paid against unpaid ultimatum", {"statistic": "0.68", "df2": "89"}, "M, SD, n"),
    ("berg-1995", "amount sent with payback, no history", {"statistic": "0.01", "n": "30"}, "r_s = .01"),
    (
        "knobe-2003",
        "blame for harm against praise for help",
        {"statistic": "8.4", "df2": "118"},
        "t(120) = 8.4",
    ),
    ("asch-1946", "warm chosen over cold when neither is named", {"k": "23", "n": "56"}, "41 % of 56"),
    (
        "prentice-1993",
        "comfort, average student against self",
        {"statistic": "55.52", "df2": "130"},
        "F(1, 130)",
    ),
    ("prentice-1993", "variance, own against estimated comfort", {"statistic": "2.99"}, "F(131, 131) = 2.99"),
]

PRINTED_PERCENTAGES = {
    "Asian disease: sure option, gain against loss frame": (72, 22),
    "concurrent decisions: A and D, separate against combined": (73, 0),
    "pseudocertainty: safer bet, two-stage against one-stage": (74, 42),
    "theatre: buys, lost cash against lost ticket": (88, 46),
    "calculator: drives, $15 against $125": (68, 29),
    "intentional, harm against help (chairman)": (82, 23),
    "chosen, warm against cold: generous": (91, 8),
    "chosen, warm against cold: wise": (65, 25),
    "chosen, warm against cold: happy": (90, 34),
    "chosen, warm against cold: good-natured": (94, 17),
    "chosen, warm against cold: humane": (86, 31),
    "chosen, warm against cold: reliable": (94, 99),
    "chosen, warm against cold: good-looking": (77, 69),
    "chosen, warm against cold: honest": (98, 94),
    "chosen, favourable against unfavourable first: happy": (32, 5),
    "chosen, favourable against unfavourable first: humorous": (52, 21),
}
"""As the papers print them: Tversky & Kahneman 1981, Knobe 2003, Asch 1946."""


def side(row: dict[str, str], name: str) -> dict[str, str]:
    """Return the filled cells of one side, without the side's name."""
    return {column: row[f"{name}_{column}"] for column in SIDE if row[f"{name}_{column}"]}


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def observed_direction(test_type: str, cells: dict[str, str]) -> int | None:
    """Read the direction off the numbers, where they have one."""
    if test_type in {"t-independent", "t-paired", "t-one-sample", "correlation"}:
        return sign(float(cells["statistic"]))
    if test_type == "variance-ratio":
        return sign(float(cells["statistic"]) - 1)
    if test_type == "binomial":
        return sign(float(cells["k"]) - float(cells["n"]) * float(cells["p0"]))
    if test_type == "mann-whitney":
        return sign(float(cells["n1"]) * float(cells["n2"]) / 2 - float(cells["statistic"]))
    if test_type == "chi-square":
        (a, b), (c, d) = json.loads(cells["table"])
        return sign(a * d - b * c)
    return None


def filled_sides() -> list[tuple[dict[str, str], dict[str, str]]]:
    pairs = [(row, side(row, name)) for row in ROWS for name in ("human", "agent")]
    return [(row, cells) for row, cells in pairs if cells]


def generator() -> ModuleType:
    """Load the tool that draws the agent side; it is part of the repository, not of the package."""
    path = Path(__file__).parents[3] / "tools" / "make_demo_table.py"
    if not path.exists():
        pytest.skip("tools/ is not shipped with this copy")
    spec = importlib.util.spec_from_file_location("make_demo_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_only_columns_of_the_format_are_used() -> None:
    assert TEXT.splitlines()[0].split(",") == IDENTITY + HUMAN + AGENT


def test_keys_are_unique_also_without_the_sub_study() -> None:
    assert len({(row["study"], row["sub_study"], row["finding"], row["test"]) for row in ROWS}) == len(ROWS)
    assert len(BY_TEST) == len(ROWS)


def test_domains_hold_the_counts_of_the_data_card() -> None:
    assert Counter(row["domain"] for row in ROWS) == {"Cognition": 22, "Strategic": 13, "Social": 22}
    studies = Counter(domain for _, domain in {(row["study"], row["domain"]) for row in ROWS})
    assert studies == {"Cognition": 3, "Strategic": 3, "Social": 3}


def test_types_are_canonical_and_all_but_regression_occur() -> None:
    assert {row["test_type"] for row in ROWS} == set(TYPES) - {"regression"}


def test_every_filled_side_has_what_its_type_needs() -> None:
    short = [
        (row["test"], cells) for row, cells in filled_sides() if not NEEDED[row["test_type"]] <= cells.keys()
    ]
    assert short == []


def test_tables_are_two_by_two_counts() -> None:
    tables = [json.loads(cells["table"]) for _, cells in filled_sides() if "table" in cells]
    assert len(tables) == 2 * 17
    for table in tables:
        assert [len(cells) for cells in table] == [2, 2]
        assert all(isinstance(count, int) and count >= 0 for cells in table for count in cells)


def test_degrees_of_freedom_fit_the_sample_sizes() -> None:
    for row, cells in filled_sides():
        if "df2" in cells and "n1" in cells:
            assert int(cells["df2"]) == int(cells["n1"]) + int(cells["n2"]) - 2, row["test"]
        if row["test_type"] in {"t-paired", "t-one-sample"}:
            assert int(cells["df2"]) == int(cells["n"]) - 1, row["test"]
        if row["test_type"] in {"correlation", "anova"} and "n" in cells and "df2" in cells:
            assert int(cells["df2"]) == int(cells["n"]) - 2, row["test"]


def test_directions_are_those_of_the_numbers() -> None:
    for row, cells in filled_sides():
        seen = observed_direction(row["test_type"], cells)
        if seen is not None:
            assert int(cells["direction"]) == seen, row["test"]


def test_only_the_f_with_two_numerator_df_has_no_direction() -> None:
    without = {row["test"] for row, cells in filled_sides() if "direction" not in cells}
    assert without == {"comfort of self, friend and average student"}


@pytest.mark.parametrize(("study", "test", "expected", "source"), FACTS)
def test_human_numbers_are_the_published_ones(
    study: str, test: str, expected: dict[str, str], source: str
) -> None:
    cells = side(BY_TEST[study, test], "human")
    assert {name: cells[name] for name in expected} == expected, source


def test_trait_extremity_goes_down_for_choosers() -> None:
    rows = [row for row in ROWS if row["study"] == "ross-1977" and row["finding"] in {"F2", "F5"}]
    assert [row["human_direction"] for row in rows] == ["-1"] * 6


def test_rebuilt_counts_return_the_printed_percentages_within_a_point() -> None:
    tables = {row["test"]: json.loads(row["human_table"]) for row in ROWS if row["human_table"]}
    assert tables.keys() - PRINTED_PERCENTAGES.keys() == {"intentional, harm against help (lieutenant)"}
    for test, printed in PRINTED_PERCENTAGES.items():
        rebuilt = [100 * yes / (yes + no) for yes, no in tables[test]]
        assert rebuilt == pytest.approx(printed, abs=1.0), test


@pytest.mark.parametrize(
    ("test", "printed"),
    [
        ("intentional, harm against help (chairman)", 27.2),
        ("intentional, harm against help (lieutenant)", 9.5),
    ],
)
def test_rebuilt_counts_of_knobe_return_the_printed_chi_square(test: str, printed: float) -> None:
    (a, b), (c, d) = json.loads(BY_TEST["knobe-2003", test]["human_table"])
    n = a + b + c + d
    chi_square = n * (a * d - b * c) ** 2 / ((a + b) * (c + d) * (a + c) * (b + d))
    assert chi_square == pytest.approx(printed, abs=0.05)


def test_reported_strings_carry_the_statistic_of_their_own_row() -> None:
    reported = [row for row in ROWS if row["human_reported"]]
    assert len(reported) == 12
    assert not any(row["human_reported"] for row in ROWS if row["study"] == "ross-1977")
    for row in reported:
        if row["human_statistic"]:
            assert row["human_statistic"].lstrip("0") in row["human_reported"], row["test"]


def test_agent_side_is_missing_where_the_story_says_refused() -> None:
    assert {key for key, row in BY_TEST.items() if not side(row, "agent")} == REFUSED
    assert all(side(row, "human") for row in ROWS)


def test_one_agent_sample_is_too_small() -> None:
    assert side(BY_TEST[TOO_SMALL], "agent")["n"] == "2"


def test_agent_is_flat_at_the_bargaining_table() -> None:
    assert all(abs(float(row["agent_statistic"])) < 1.96 for row in ROWS if row["study"] == "forsythe-1994")


def test_agent_misses_or_reverses_some_social_effects_and_no_cognitive_one() -> None:
    opposed = Counter(
        row["domain"]
        for row in ROWS
        if int(row["human_direction"] or 0) * int(row["agent_direction"] or 0) < 0
    )
    assert opposed == {"Social": 5, "Strategic": 1}


def test_the_generator_draws_the_same_bytes_and_keeps_the_facts() -> None:
    assert generator().render(TEXT) == TEXT


def test_the_generator_refuses_a_table_it_has_no_plan_for() -> None:
    with pytest.raises(KeyError, match="differ"):
        generator().render(TEXT.replace("estimated share: Repent", "estimated share: Relent"))


def test_the_reader_takes_the_table_and_warns_of_the_simulated_side_and_the_small_sample() -> None:
    table = read_tests(Path(str(TABLE)))
    assert len(table.rows) == len(ROWS)
    outcomes = Counter(row.agent_outcome for row in table.rows)
    assert outcomes == {SideOutcome.OK: 54, SideOutcome.MISSING: 2, SideOutcome.TOO_SMALL: 1}
    assert all(row.human_outcome is SideOutcome.OK for row in table.rows)
    assert ["too small" in warning for warning in table.warnings] == [False, True]
    assert "simulated" in table.warnings[0]

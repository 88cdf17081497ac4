"""One side of a hand-made row as a test: every formula by hand or by scipy, every refusal at its border."""

import math
from typing import Any

import pytest
from scipy import stats

from concord.files.cells import BadCellError
from concord.people.table.handmade.cells import Quantity
from concord.people.table.handmade.gather import Gathered
from concord.people.table.handmade.header import _groups_rows
from concord.people.table.handmade.sides import canonical
from concord.people.table.handmade.words import is_human, names_model

T = float(stats.ttest_ind_from_stats(5, 2, 10, 4, 1, 20).statistic)
MEANS = {"1": Quantity(value=5, sd=2, n=10), "2": Quantity(value=4, sd=1, n=20)}
ERRORS = {"1": Quantity(value=5, se=0.5), "2": Quantity(value=4, se=0.2)}
COUNTS = {"1": Quantity(k=8), "2": Quantity(percent=40)}
Z_R = (math.atanh(0.5) - math.atanh(0.1)) / (2 * stats.norm.ppf(0.975))
BOUND = Quantity(p=0.05, relation="<")


@pytest.mark.parametrize(
    ("given", "hint", "test_type", "fields"),
    [
        ({"groups": MEANS}, None, "t-independent", {"statistic": T, "n1": 10, "n2": 20}),
        (
            {"groups": MEANS},
            "anova",
            "anova",
            {"statistic": T * T, "df1": 1, "df2": 28, "n1": 10, "n2": 20, "direction": 1},
        ),
        (
            {"groups": ERRORS, "n": 31},  # halved: 16 and 15
            None,
            "t-independent",
            {
                "statistic": stats.ttest_ind_from_stats(5, 2, 16, 4, 0.2 * 15**0.5, 15).statistic,
                "n1": 16,
                "n2": 15,
                "n": 31,
            },
        ),
        (
            {"groups": ERRORS, "n1": 16, "n2": 25},
            None,
            "t-independent",
            {"statistic": stats.ttest_ind_from_stats(5, 2, 16, 4, 1, 25).statistic, "n1": 16, "n2": 25},
        ),
        (
            {"groups": COUNTS, "n1": 20, "n2": 30},
            None,
            "chi-square",
            {"table": [[8, 12], [12, 18]], "n1": 20, "n2": 30},
        ),
        ({"groups": COUNTS, "n": 41}, None, "chi-square", {"table": [[8, 13], [8, 12]], "n": 41}),
        ({"groups": {"": Quantity(k=8)}, "n": 20}, None, "binomial", {"k": 8, "n": 20}),
        (
            {"effect": "d", "size": 0.5, "n1": 20, "n2": 30},
            None,
            "t-independent",
            {"statistic": 0.5 / math.sqrt(1 / 20 + 1 / 30), "n1": 20, "n2": 30},
        ),
        ({"effect": "d", "size": 0.5, "n": 25}, "t-paired", "t-paired", {"statistic": 2.5, "n": 25}),
        (
            {"effect": "d", "size": 0.5, "se": 0.2},  # (2 + 1/16)/0.04 = 51.6
            None,
            "t-independent",
            {"statistic": 0.5 * math.sqrt(26), "n1": 52, "n2": 52},
        ),
        (
            {"effect": "d", "size": 0.5, "se": 0.2},  # (1 + 1/8)/0.04 = 28.1
            "t-paired",
            "t-paired",
            {"statistic": 0.5 * math.sqrt(28), "n": 28},
        ),
        (
            {"effect": "r", "size": 0.3, "low": 0.1, "high": 0.5},
            None,
            "correlation",
            {"statistic": 0.3, "n": round(1 / Z_R**2 + 3)},
        ),
        (
            {"effect": "OR", "size": 2.0, "se": 0.5},  # d = ln 2 √3/π = .382, its SE .276: 26.8 a group
            None,
            "odds-ratio",
            {"statistic": 2.0, "se": 0.5, "n": 54},
        ),
        (
            {"effect": "eta2", "size": 0.1, "n": 42},
            None,
            "anova",
            {"statistic": 40 / 9, "df1": 1, "df2": 40, "n": 42},
        ),
        (
            {"effect": "eta2", "size": 0.1, "n1": 30, "n2": 30, "df1": 2},
            None,
            "anova",
            {"statistic": 57 / 18, "df1": 2, "df2": 57, "n1": 30, "n2": 30},
        ),
        (
            {"effect": "tau", "size": 0.3, "n": 20},  # 9 · 20 · 19 / (2 · 45) = 38
            None,
            "z-test",
            {"statistic": 0.3 * math.sqrt(38), "n": 20},
        ),
        (
            {"effect": "phi", "size": -0.2, "n": 100},
            None,
            "chi-square",
            {"statistic": 4, "df1": 1, "n": 100, "direction": -1},
        ),
        ({"effect": "V", "size": 0.2, "n": 100}, None, "chi-square", {"statistic": 4, "df1": 1, "n": 100}),
        (
            {"effect": "beta", "size": -0.3, "se": 0.1},
            None,
            "p-value",
            {"p_value": 2 * stats.norm.sf(3), "direction": -1},
        ),
        (
            {"label": "b", "value": 0.3, "low": 0.1, "high": 0.5, "n": 50},
            None,
            "coefficient",
            {"statistic": 0.3, "se": 0.2 / stats.norm.ppf(0.975), "n": 50},
        ),
        (
            {"label": "t", "value": 2.5, "n1": 20, "n2": 22, "p": BOUND},
            None,
            "t-independent",
            {"statistic": 2.5, "n1": 20, "n2": 22, "reported": "t(40) = 2.50, p < 0.05"},
        ),
        (
            {"label": "F", "value": 2.5, "df1": 2, "df2": 57, "p": BOUND},
            None,
            "anova",
            {"statistic": 2.5, "df1": 2, "df2": 57, "reported": "F(2, 57) = 2.50, p < 0.05"},
        ),
        ({"label": "chi2", "value": 5.0, "df2": 3}, None, "chi-square", {"statistic": 5.0, "df1": 3}),
        ({"label": "chi2", "value": 5.0}, None, "chi-square", {"statistic": 5.0, "df1": 1}),
    ],
)
def test_what_a_side_gives_is_the_test_that_follows_from_it(
    given: dict[str, Any], hint: str | None, test_type: str, fields: dict[str, Any]
) -> None:
    found, made, _ = canonical(Gathered(**given), hint)
    assert found == test_type
    assert made.keys() == fields.keys()
    numbers = {name: value for name, value in fields.items() if not isinstance(value, str | list)}
    assert {name: made[name] for name in numbers} == pytest.approx(numbers)
    assert {name: made[name] for name in fields.keys() - numbers} == {
        name: fields[name] for name in fields.keys() - numbers
    }


def test_a_bound_of_p_needs_the_degrees_of_freedom_of_its_statistic() -> None:
    sizes: list[dict[str, Any]] = [{"n1": 20.0}, {"n2": 20.0}, {"n": 40.0}]
    for given in sizes:
        _, made, notes = canonical(Gathered(label="t", value=2.5, p=BOUND, **given), None)
        assert "reported" not in made and notes == ("a bound of p beside other numbers is not used",)


@pytest.mark.parametrize(
    ("fits", "fails", "match"),
    [
        ({"k": 50.0, "percent": 51.0, "n": 100.0}, {"k": 50.0, "percent": 51.1, "n": 100.0}, "fits its perc"),
        ({"percent": 29.45, "n": 10.0}, {"percent": 29.35, "n": 10.0}, "a percentage that a count"),
    ],
)
def test_counts_fit_their_percentages_but_for_rounding(
    fits: dict[str, Any], fails: dict[str, Any], match: str
) -> None:
    assert canonical(Gathered(groups={"": Quantity(**fits)}), None)[0] == "binomial"
    with pytest.raises(BadCellError, match=match):
        canonical(Gathered(groups={"": Quantity(**fails)}), None)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"effect": "phi", "size": 1.0, "n": 20}, "between -1 and 1"),
        ({"effect": "eta2", "size": -0.1, "n": 20}, "between -1 and 1"),
        ({"effect": "d", "size": 0.4, "low": 0.5, "high": 0.5}, "ends are in order"),
        ({"effect": "d", "size": 0.4, "se": 0.0}, "it is no test alone"),
        ({"label": "b", "value": 0.4, "se": 0.0}, "a coefficient with its standard error"),
        ({"groups": {"1": Quantity(value=1), "2": Quantity(value=2), "3": Quantity(value=3)}}, "found 3"),
        ({"groups": {name: Quantity(value=1, sd=0, n=9) for name in "12"}}, "both SDs are 0"),
    ],
)
def test_a_side_from_which_no_test_follows_is_refused(given: dict[str, Any], match: str) -> None:
    with pytest.raises(BadCellError, match=match):
        canonical(Gathered(**given), None)


def test_a_column_groups_rows_where_at_most_half_of_its_words_differ() -> None:
    words = list("uvwx")
    assert _groups_rows(["a", "a", "b", "b"], words)
    assert not _groups_rows(["a", "a", "b", "c"], words)
    assert not _groups_rows(["a"] * 4, words)
    assert not _groups_rows(["a", "a", "b"], words[:3])
    assert not _groups_rows(["a", "a", "b", "b"], words[:3])
    assert not _groups_rows(["a", "a", "b", "b"], [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("text", "human", "model"),
    [("people", True, False), ("people age", False, False), ("", False, False), ("GPT-4o", False, True)],
)
def test_a_title_names_people_where_all_its_words_do_and_a_model_where_one_does(
    text: str, human: bool, model: bool
) -> None:
    assert (is_human(text), names_model(text)) == (human, model)

"""Human sides of the bundled studies against the means, counts and percentages that the papers print."""

import math
import re
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from concord import studies
from concord.people.studies.format import Test as StudyTest
from concord.stats.contingency import chi_square

ALL = {file.name: file.study for file in studies.find_studies([])}


def _tests() -> Iterator[tuple[str, str, StudyTest]]:
    for name, study in ALL.items():
        for finding, spec in study.findings.items():
            for test in spec.tests:
                yield name, finding, test


def _named(study: str, name: str) -> StudyTest:
    (found,) = [test for where, _, test in _tests() if where == study and test.name == name]
    return found


def test_every_human_number_was_seen_in_its_paper() -> None:
    places = [test.human.located for _, _, test in _tests()]
    assert len(places) == 176
    assert {None if place is None else place.known for place in places} == {"seen"}


T_TESTS = {
    ("dictator-ultimatum", "offer, dictator against ultimatum, paid"): (0.2222, 0.2044, 0.4547, 0.1040),
    ("dictator-ultimatum", "offer, paid against unpaid dictator"): (0.2222, 0.2044, 0.3826, 0.1842),
    ("dictator-ultimatum", "offer, paid against unpaid ultimatum"): (0.4547, 0.1040, 0.4375, 0.1331),
    ("dictator-ultimatum", "offer, dictator against ultimatum, $10"): (0.2333, 0.1786, 0.4667, 0.0816),
    ("trust-game", "amount sent, social against no history"): (5.36, 3.53, 5.16, 2.94),
    ("trust-game", "dollars sent back, social against no history"): (6.46, 6.19, 4.66, 5.55),
    ("trust-game", "net return, social against no history"): (1.11, 4.31, -0.50, 4.89),
}
"""Means and standard deviations of the raw data that the papers print in full."""


@pytest.mark.parametrize(("study", "name"), T_TESTS, ids=str)
def test_a_t_is_that_of_its_means_and_standard_deviations(study: str, name: str) -> None:
    m1, s1, m2, s2 = T_TESTS[study, name]
    human = _named(study, name).human
    assert human.n1 is not None
    assert human.n2 is not None
    pooled = ((human.n1 - 1) * s1**2 + (human.n2 - 1) * s2**2) / (human.n1 + human.n2 - 2)
    t = (m1 - m2) / math.sqrt(pooled * (1 / human.n1 + 1 / human.n2))
    assert human.statistic == pytest.approx(t, abs=0.015)


_SHARES = re.compile(r"(\d+)%")


def _printed(test: StudyTest) -> list[int]:
    """Return the percentages that the first sentence of a source gives; the rest is about them."""
    return [int(share) for share in _SHARES.findall(test.human.source.split(";")[0])]


def _tables() -> list[tuple[str, StudyTest]]:
    """Return every table that was rebuilt from percentages; of the others the counts are printed."""
    tables = [(name, test) for name, _, test in _tests() if test.human.table is not None]
    return [(name, test) for name, test in tables if len(_printed(test)) >= len(test.human.table or ())]


def test_most_tables_were_rebuilt_from_percentages() -> None:
    assert len(_tables()) == 59


@pytest.mark.parametrize(("study", "test"), _tables(), ids=lambda value: getattr(value, "name", value))
def test_counts_give_the_printed_percentages_or_say_that_none_does(study: str, test: StudyTest) -> None:
    table, source = test.human.table, test.human.source
    assert table is not None
    for row, share in zip(table, _printed(test), strict=False):
        fits = abs(100 * row[0] / sum(row) - share) <= 0.5 + 1e-9
        exact = any(abs(100 * k / sum(row) - share) <= 0.5 + 1e-9 for k in range(sum(row) + 1))
        assert fits or (not exact and "no count" in source), (study, test.name, row, share)
        assert abs(100 * row[0] / sum(row) - share) < 1.0


@pytest.mark.parametrize(
    ("name", "people", "shares", "statistic"),
    [
        ("intentional, harm against help (chairman)", 78, (82, 23), 27.2),
        ("intentional, harm against help (lieutenant)", 42, (77, 30), 9.5),
    ],
)
def test_one_split_of_the_people_returns_both_percentages_and_the_chi_square(
    name: str, people: int, shares: tuple[int, int], statistic: float
) -> None:
    found = []
    for n1 in range(2, people - 1):
        n2 = people - n1
        for a, b in product(range(n1 + 1), range(n2 + 1)):
            if round(100 * a / n1) == shares[0] and round(100 * b / n2) == shares[1]:
                table = np.array([[a, n1 - a], [b, n2 - b]])
                if abs(float(chi_square(table, yates=False).statistic) - statistic) <= 0.0501:
                    found.append(table.tolist())
    assert found == [_named("side-effect", name).human.table]


CHI_SQUARES = {
    ("framing", "safer bet, a sure gain against one stage"): 21.17,
    ("framing", "safer bet, a sure gain against two stages"): 0.32,
    ("disjunction-effect", "cooperation, known to have cooperated against known to have competed"): 44.36,
    ("dictator-ultimatum", "offers nothing, dictator against ultimatum, paid"): 18.69,
    ("dictator-ultimatum", "offers half or more, dictator against ultimatum, paid"): 16.49,
    ("dictator-ultimatum", "offers nothing, dictator against ultimatum, $10"): 5.58,
    ("dictator-ultimatum", "offers half or more, dictator against ultimatum, $10"): 14.11,
    ("dictator-ultimatum", "refused, offers below half against half or more"): 6.02,
    ("trust-game", "returns more than was sent, social against no history"): 1.15,
    ("trust-game", "returns a dollar at most, social against no history"): 1.82,
    ("trust-game", "sends $5 or $10, social against no history"): 1.50,
    ("impressions", "generous, warm alone against cold alone"): 40.90,
    ("impressions", "restrained, warm alone against cold alone"): 21.86,
    ("impressions", "strong, intelligent first against evasive first"): 10.10,
    ("impressions", "generous, those who add warm against cold"): 15.77,
    ("impressions", "good-natured, favourable against unfavourable first"): 4.72,
}
"""Pearson's chi-square without Yates' correction, computed on its own from the printed counts."""


@pytest.mark.parametrize(("study", "name"), CHI_SQUARES, ids=str)
def test_a_table_has_its_chi_square(study: str, name: str) -> None:
    found = chi_square(np.array(_named(study, name).human.table), yates=False).statistic
    assert found == pytest.approx(CHI_SQUARES[study, name], abs=0.006)


def test_pairs_of_the_disjunction_effect_are_sums_of_the_printed_cells() -> None:
    """Table 1B, by choice when (u)nknown, known to have (c)ooperated, known to have competed (d)."""
    cells = {"ucd": 5, "uc": 43, "ud": 3, "u": 113, "cd": 2, "c": 23, "d": 4, "": 251}

    def only(one: str, other: str) -> int:
        return sum(n for who, n in cells.items() if one in who and other not in who)

    names = {"u": "unknown", "c": "known to have cooperated", "d": "known to have competed"}
    for one, other in (("u", "c"), ("u", "d"), ("c", "d")):
        human = _named(
            "disjunction-effect", f"same triads, cooperation, {names[one]} against {names[other]}"
        ).human
        assert (human.k, human.n) == (only(one, other), only(one, other) + only(other, one))
    totals = [sum(n for who, n in cells.items() if letter in who) for letter in "dcu"]
    first = _named("disjunction-effect", "cooperation when the other competed, cooperated, unknown").human
    assert first.table == [[n, 444 - n] for n in totals]


def test_the_f_of_matrix_1_agree_with_its_four_means() -> None:
    """Means of cells of 19; the mean square is that which the F of categorisation implies."""
    both, groups, similar, neither = 4.38, 5.92, 6.09, 6.62

    def square(contrast: float) -> float:
        return 19 * contrast**2 / 4

    error = square(both + groups - similar - neither) / 6.76
    printed = [test.human.statistic for _, _, test in _tests() if test.experiment == "points"]
    assert square(both - groups + similar - neither) / error == pytest.approx(5.09, abs=0.11)
    assert square(both - groups - similar + neither) / error == pytest.approx(1.19, abs=0.005)
    assert printed == [6.76, 5.09, 1.19]


def test_u_of_the_guessing_game_counts_the_printed_rates() -> None:
    half, two_thirds = (0.88, 0.98, 0.97), (0.70, 0.91, 0.71, 0.76)
    u = sum(b > a for a, b in product(half, two_thirds))
    name = "rate of decrease of the median by group, p = 1/2 against 2/3"
    assert _named("guessing-game", name).human.statistic == u

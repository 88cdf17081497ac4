"""Statistics in running text, and texts made to hurt."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pace import allowed

from concord.errors import ApaError
from concord.people.apa.read import find_apa, parse_apa, scan_apa

PAPER = """Participants (N = 1,332; 75 of 92 were women, M age = 24.3, SD = 3.1) rated lines of r = 5 cm
at t = 0. The main effect was significant, *F*(1, 312) = 49.1, *p* < .001, ηp² = .13, 90% CI [.05, .2],
but not the interaction, F < 1. A Welch test, t(57.3) = −2.1,
p = .04, d = 0.5, and a correlation (r = .42, n = 103, p < .001) agreed. A binomial test
(75/92, p < .001) too. χ²(2, N = 120) = 9.4, p = .009; Mann–Whitney U = 341, n1 = 30, n2 = 31, z = 2.1,
p = .036, r = .27. All other ps > .05. In Study 2, t(20) = 2.1, ns. F(1, 72) = 14.96
and F(1, 72) = 4.13, ps < .05."""


def test_all_statistics_of_a_paper_are_found_in_order() -> None:
    assert [result.text for result in find_apa(PAPER)] == [
        "*F*(1, 312) = 49.1, *p* < .001",
        "t(57.3) = −2.1,\np = .04",
        "r = .42, n = 103, p < .001",
        "binomial test\n(75/92, p < .001)",
        "χ²(2, N = 120) = 9.4, p = .009",
        "U = 341, n1 = 30, n2 = 31, z = 2.1,\np = .036",
        "ps > .05",
        "t(20) = 2.1, ns",
        "F(1, 72) = 14.96",
        "F(1, 72) = 4.13, ps < .05",
    ]


def test_found_statistics_know_their_place_and_parse_alone() -> None:
    for result in find_apa(PAPER):
        assert PAPER[slice(*result.span)] == result.text
        alone = parse_apa(result.text)
        assert (alone.kind, alone.statistic, alone.p_value) == (result.kind, result.statistic, result.p_value)


@pytest.mark.parametrize(
    "text",
    [
        "at t = 0 the model starts",
        "75 of 92 participants were women",
        "a circle of r = 5 cm",
        "N = 103 people took part",
        "F (female) and M (male)",
        "where t = time and p = the probability",
        "grew by 12% (see Table 3, p. 41)",
        "",
    ],
)
def test_turns_of_phrase_are_not_statistics(text: str) -> None:
    assert find_apa(text) == ()


def test_effects_behind_a_statistic_are_its_own() -> None:
    (first, second) = find_apa(
        "It held, t(20) = 2.1, p = .05, d = .5, and again, t(30) = 3, p = .01, g = .6."
    )
    assert first.ignored == ("d = .5",)
    assert second.ignored == ("g = .6",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Then r(20) = 1.3, p < .001, was found.", "r between -1 and 1"),
        ("Then t(20) = 2,31 was found.", "decimal point"),
        ("Then p = ,03 was found.", "a comma is not guessed"),
        ("Then F(1, 20) = -3.1 was found.", "F >= 0"),
        ("Then r = 776, p = .1, was found.", "r between -1 and 1"),
        ("Then t(20, 30) = 2.1 was found.", "one number in the parentheses of t"),
        ("Then U = 999, n1 = 3, n2 = 4, was found.", "at most n1 × n2 = 12"),
    ],
)
def test_what_cannot_be_a_statistic_raises_and_a_scan_lists_it(text: str, expected: str) -> None:
    with pytest.raises(ApaError, match=expected):
        find_apa(text)
    scan = scan_apa(f"{text} Later, z = 2.2, p = .03.")
    assert [expected in problem.expected for problem in scan.problems] == [True]
    assert "z = 2.2, p = .03" in [result.text for result in scan.results]


def test_a_fault_in_a_long_text_shows_its_neighbourhood() -> None:
    text = "word " * 5000 + "r(20) = 1.3, p = .01 " + "word " * 5000
    with pytest.raises(ApaError, match="r between -1 and 1") as caught:
        find_apa(text)
    assert "r(20) = 1.3" in caught.value.text
    assert len(str(caught.value)) < 400
    assert text[caught.value.position :].startswith("1.3")


@given(st.lists(st.sampled_from(["t(20) = 2.1", "F(1, 30) = 4.2, p = .05", "z = 2, p = .04", "r(9) = .5"])))
def test_as_many_are_found_as_were_written(parts: list[str]) -> None:
    found = find_apa(". Then we saw that ".join(parts))
    assert [result.text for result in found] == parts


HOSTILE = {
    "open parentheses": "(",
    "unclosed statistics": "t(",
    "unclosed statistics with df": "t(1,",
    "commas": "1,",
    "chained p": "p<.1<",
    "one long number": "9",
    "half powers": "1x10-",
    "stars": "*",
    "raised digits": "⁻⁵",
    "raised tags": "<sup>",
    "thousands": ",111",
    "dots": ".",
    "one long word": "p",
    "words": "a ",
    "effects that could be statistics": "t(9)=1,r=.1,",
    "unclosed intervals": "95% CI [1,",
    "U and z": "U=1 z=1 ",
    "fractions": "1/1/",
    "designs": "2x2x",
    "spaces": " ",
    "entities": "&lt;",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    text = unit * (40_000 // len(unit))
    start = time.process_time()
    scan_apa(text)
    # About 0.4 s; a quadratic reader would need minutes.
    assert time.process_time() - start < allowed(15)


def test_a_megabyte_is_refused_at_once_by_the_reader_of_one_statistic() -> None:
    start = time.process_time()
    for unit in HOSTILE.values():
        with pytest.raises(ApaError, match="at most 2000 characters"):
            parse_apa(unit * (1_000_000 // len(unit)))
    assert time.process_time() - start < allowed(5)


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_is_scanned_in_linear_time(unit: str) -> None:
    start = time.process_time()
    scan_apa(unit * (1_000_000 // len(unit)))
    assert time.process_time() - start < allowed(120)

"""Strings that are refused: one message for each kind of fault, and nothing guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import ApaError
from concord.people.apa.parse import MAX_LENGTH, parse_apa

_EXAMPLES = (
    "a test statistic (such as 't(20) = 2.1', 'F(1, 30) = 4.2', 'r(48) = .31', 'χ²(2, N = 120) = 9.4', "
    "'z = 2.1', 'U = 341', 'W = 120', 'H(2) = 9.4', 'Q(3) = 11.2', "
    "'b = 0.45, SE = 0.12', '75 of 92' or 'p = .03'), found "
)
_UNKNOWN = (
    "one of t, F, r, χ², z, U, W, H, Q, counts or p, or a known effect size; {!r} is none of these "
    "(a p alone can be given as 'p = .03')"
)
_STRAY = "nothing but a statistic, its p, n, df, effect size and words; the number {} is none of these"

FAULTS: list[tuple[str, int, str]] = [
    # no statistic
    ("", 0, _EXAMPLES + "nothing"),
    ("Significant at 5% level", 0, _EXAMPLES + "only 5%"),
    ("the effect was reliable", 0, _EXAMPLES + "only words"),
    ("91% vs 8%, n=166", 0, _EXAMPLES + "only 91%, 8%, n=166"),
    ("Mean = 5.17, SD = 2.64, N = 77", 0, _EXAMPLES + "only Mean = 5.17, SD = 2.64, N = 77"),
    ("p: .03", 0, _EXAMPLES + "only .03"),
    ("CI (95%", 0, _EXAMPLES + "only CI, 95%"),
    # more than one
    (
        "Categorization F(1, 72) = 14.96; Similarity F(1, 72) = 4.13",
        44,
        "one statistic, found 2: 'F(1, 72) = 14.96' and 'F(1, 72) = 4.13'; give each a row of its own",
    ),
    ("p = .03, p = .04", 9, "one p-value, found 2: 'p = .03' and 'p = .04'; give each a row of its own"),
    ("t(20) = 2.1, n = 30, n = 31", 21, "one n, found 30 and 31"),
    ("p = .02, two-tailed, one-tailed", 0, "a test that is one-tailed or two-tailed, not both"),
    # impossible
    ("r = 776, p = 0.1", 4, "r between -1 and 1"),
    ("F(1, 72) = −3.2", 11, "F >= 0"),
    ("χ²(1) = −3.2", 8, "χ² >= 0"),
    ("p = 1.3", 4, "p between 0 and 1"),
    ("p = -.2", 4, "p between 0 and 1"),
    ("p = .03 < .01", 8, "one p: 0.03 < 0.01 is not true"),
    ("U = 1000, n1 = 30, n2 = 31", 0, "a U of at most n1 × n2 = 930"),
    ("k = 95, n = 92", 0, "a k of at most n = 92"),
    ("95 of 92", 0, "a count out of at least as many"),
    ("k = 5, n = 9, p0 = 1", 19, "p0 between 0 and 1"),
    ("t(0) = 3", 2, "positive degrees of freedom for t"),
    ("t(20) = 2.1, n = 0", 17, "a positive n"),
    ("k = 5", 0, "an n beside k"),
    # commas
    (
        "t(20) = 2,31",
        8,
        "a decimal point in t (2,31 could be 2.31 or two numbers, and a comma is not guessed)",
    ),
    (
        "t(20) = 2.31, p = 0,03",
        18,
        "a decimal point in p (0,03 could be 0.03 or two numbers, and a comma is not guessed)",
    ),
    ("U = 1,341", 4, "a decimal point in U (1,341 could be 1.341 or 1341, and a comma is not guessed)"),
    ("p = ,03", 4, "a number for p with a decimal point (a comma is not guessed)"),
    ("t(57,3) = 2.1", 2, "one number in the parentheses of t, found '57,3'"),
    ("t(1,332) = 2.1", 2, "one number in the parentheses of t, found '1,332'"),
    ("F(1,332,500) = 2.1", 2, "two numbers in the parentheses of F, found '1,332,500'"),
    ("χ²(2, 120) = 9.4", 3, "one number (and N by name) in the parentheses of χ², found '2, 120'"),
    ("U(30, 31) = 341", 2, "n1 and n2 by name in the parentheses of U, found '30, 31'"),
    # numbers that are not plain
    ("t(20) = 2.1.3", 8, "one plain number for t"),
    ("t(20) = 2.1-3", 8, "one plain number for t"),
    ("t(20) = 0x10", 8, "one plain number for t"),
    ("t(20) = 5.t2", 8, "one plain number for t"),
    ("t(20) = 3.*53", 11, _STRAY.format("53")),
    ("p < 001", 4, "a decimal point in p, found 001"),
    ("t(20) = 3, n = 012", 15, "a whole number for n"),
    ("p = .05%", 4, "a plain number for p, not a percentage"),
    ("t(20) = ½", 8, "a number for t"),
    ("t(20) = nan", 8, "a number for t"),
    ("t(20) = 1e400", 8, "a number for t within 1e±300 and 40 characters"),
    ("t(20) = 3, n = 2.98", 15, "a whole number for n"),
    ("t(20) = 3, n > 30", 13, "'=' after n"),
    # numbers that belong to nothing
    ("t(20)=2.1±0.3", 10, _STRAY.format("0.3")),
    ("t(20) = 2.1, 4*2", 13, _STRAY.format("4")),
    ("N = 1 332, t(20)=2", 6, _STRAY.format("332")),
    ("p = 0.0078 (0.5^7) < 0.01", 12, _STRAY.format("0.5")),
    ("25% (113/444)", 5, "the words 'binomial' or 'sign test' beside the fraction 113/444"),
    ("p = .3, df = 20", 8, "no degrees of freedom for a p alone"),
    ("F = 3, df = 20", 7, "two degrees of freedom for F"),
    ("z(40) = 2", 2, "nothing but a named N in the parentheses of z, found '40'"),
    ("t(20) = 2, k = 3", 11, "no k, which belongs to a binomial test"),
    # statistics that are not known, or not finished
    ("AD=13.00, p=0.00, n=88", 0, _UNKNOWN.format("AD")),
    ("K = 34, p = .02", 0, _UNKNOWN.format("K")),
    ("D(2) = 5.1, p = .08", 0, _UNKNOWN.format("D")),
    ("H(2) = -5.1, p = .08", 7, "H >= 0"),
    ("T = 3.1", 0, _UNKNOWN.format("T")),
    ("t2 = 3.1", 0, _UNKNOWN.format("t2")),
    ("t(20) 3.1", 6, "'=', '<' or '>' and the value of t"),
    ("t(20 = 3.1", 5, "one number in the parentheses of t"),
    ("t(abc) = 3", 2, "one number in the parentheses of t"),
]


@pytest.mark.parametrize(("text", "position", "expected"), FAULTS)
def test_a_fault_says_where_and_what_was_expected(text: str, position: int, expected: str) -> None:
    with pytest.raises(ApaError, match="does not parse at character") as caught:
        parse_apa(text)
    assert (caught.value.expected, caught.value.position) == (expected, position)
    assert caught.value.text == text


# Reports of classic studies that are prose, percentages or statistics nobody can recompute from the string.
PROSE = [
    "Problem 1: Program A (72%), Program B (28%); Problem 2: Program C (22%), Program D (78%)",
    "Problem 3: 73% chose A & D, 3% chose B & C. Problem 4: 0% chose A & D, 100% chose B & C.",
    "Problem 5: 78% (A); Problem 6: 74% (C); Problem 7: 42% (E) vs 58% (F)",
    "Problem 8 (Lost Cash): 88% Yes; Problem 9 (Lost Ticket): 46% Yes.",
    "Version 1 ($15 calculator): 68% willing; Version 2 ($125 calculator): 29% willing.",
    "100% vs 99%, n=166",
    "41% warm vs 59% cold, n=56",
    "57% ranked 'warm' at Rank 6 in Series B, n=64",
    "18 vs 3, n=79",
    "0 vs 20, n=79",
    "32/52 vs 9/24 reporting difficulty, n=76",
    "100% for generous, n=34",
    "87% equating Set 1 with Set 3, n=78",
    "65%",
    "CF=43.58, p=0.00, n=88",
    "AD=0.53, p=0.71, n=91",
    "coefficient on n = 2.98, p < .001; r = .42, p < .001",
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_refused_with_something_to_act_on(text: str) -> None:
    with pytest.raises(
        ApaError, match="expected (a test statistic|one statistic|one of t, F|a whole number)"
    ):
        parse_apa(text)


def test_a_fault_is_placed_in_the_text_as_it_was_given() -> None:
    text = "<i>t</i>(20)&nbsp;= **2,31**"
    with pytest.raises(ApaError, match="decimal point") as caught:
        parse_apa(text)
    assert text[caught.value.position :].startswith("2,31")


def test_a_text_that_is_too_long_is_refused_without_printing_it_all() -> None:
    with pytest.raises(ApaError, match=f"at most {MAX_LENGTH} characters, found 1000000") as caught:
        parse_apa("t(" * 500_000)
    assert len(str(caught.value)) < 500


signs = st.sampled_from(
    list("tFrzUpnkNdχ²^2.,;()[]=<>-−+*_/%0123456789 eE") + ["of", "df", "ns", "CI", "x10", " 95% CI "]
)


@given(st.lists(signs, max_size=40).map("".join) | st.text(max_size=60))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    try:
        result = parse_apa(text)
    except ApaError as error:
        assert 0 <= error.position <= len(text)
        return
    assert result.text == text[slice(*result.span)]
    assert result.p_value is None or 0 <= result.p_value <= 1


@given(st.integers(2, 999), st.integers(0, 99))
def test_a_decimal_comma_is_never_read_as_a_number(whole: int, part: int) -> None:
    for text in (f"t(20) = {whole},{part}", f"t(20) = 2.1, p = 0,{part:02d}", f"r(20) = ,{part:02d}"):
        with pytest.raises(ApaError, match="comma is not guessed"):
            parse_apa(text)


@given(st.floats(0, 99).map(lambda x: f"{x:.2f}"))
def test_no_number_is_dropped_in_silence(number: str) -> None:
    for text in (f"t(20) = 2.1 {number}", f"{number} t(20) = 2.1", f"t(20) = 2.1, p = .04 or {number}"):
        with pytest.raises(ApaError, match="expected"):
            parse_apa(text)

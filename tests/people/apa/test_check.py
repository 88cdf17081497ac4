"""Does the reported p follow from the statistic? Verdicts, reasons and their properties."""

import dataclasses

import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from concord.people.apa.read import check_apa, parse_apa
from concord.stats.pvalues import p_mann_whitney_exact

VERDICTS: list[tuple[str, str]] = [
    # consistent: rounding of the statistic and of p, bounds, claims without a number
    ("F(1, 312) = 49.1, p < .001", "consistent"),
    ("χ²(2, N = 120) = 9.4, p=.009", "consistent"),
    ("t(28) = 2.2, p = .04", "consistent"),  # .0362 as printed; 2.15 gives .0403
    ("t(28) = 2.20, p = .04", "consistent"),
    ("t(20) = 2.086, p = .05", "consistent"),
    ("z = 1.96, p = .05", "consistent"),
    ("r = .42, n = 103, p < .001", "consistent"),
    ("r(101) = .42, p = 1e-5", "consistent"),
    ("rs(30) = .01, p = .95", "consistent"),
    ("t(20) = 2.1, p > .01", "consistent"),
    ("t(20) = 1.0, ns", "consistent"),
    ("F(1, 72) < 1, ns", "consistent"),
    ("t(20) > 2.1, p < .05", "consistent"),
    ("t(20) < -2.1, p < .05", "consistent"),
    ("t(20) = 6.0, p = .000", "consistent"),
    ("sign test, 75 of 92, p < .001", "consistent"),
    ("k = 7, n = 10, p0 = .4, p = .10", "consistent"),
    ("75 of 92, p < .001", "consistent"),
    ("U = 341, n1 = 30, n2 = 31, p = .074", "consistent"),
    ("U = 23, n1 = 10, n2 = 10, p = .043", "consistent"),  # exact
    ("U = 23, n1 = 10, n2 = 10, p = .045", "consistent"),  # continuity-corrected
    ("U = 341, z = 2.1, p = .036", "consistent"),
    ("t(20) = 1.85, p = .04, one-tailed", "consistent"),
    ("t(20) = 1.85, p = .08, one-tailed", "consistent"),
    # inconsistent, the decision stands or is not known
    ("t(14)=2.37, p=0.05", "inconsistent"),
    ("t(20) = 2.5, p = .01", "inconsistent"),
    ("chi2(1, N=78)=27.2, p=0.001", "inconsistent"),
    ("t(20) = 3.00, p = .000", "inconsistent"),
    ("F(1, 72) < 1, p = .20", "inconsistent"),
    ("F(131, 131) = 1.30, p = .13", "inconsistent"),
    ("U = 341, n1 = 30, n2 = 31, p = .30", "inconsistent"),
    ("t(20) = 2.5, p < .01", "inconsistent"),
    ("t(20) = 1.85, p = .04", "inconsistent"),
    ("t(20) = 1.85, p < .05", "inconsistent"),
    # the decision flips
    ("r(48) = −.31, ns", "decision error"),
    ("t(20) = 1.00, p < .05", "decision error"),
    ("t(20) = 3.00, p = .30", "decision error"),
    ("t(20) = 3.00, p > .05", "decision error"),
    ("F(2, 476) = 1.45, p = .01", "decision error"),
    ("t(20) > 3, p = .5", "decision error"),
    ("sign test, 75 of 92, p = .5", "decision error"),
    # nothing to compare
    ("p = .03", "not checkable"),
    ("t(102)=7.99", "not checkable"),
    ("F = 56.2, p < .001", "not checkable"),
    ("t = 2.1, p = .04", "not checkable"),
    ("t = 2.1, n = 22, p = .04", "not checkable"),
    ("U = 341, p = .04", "not checkable"),
    ("U > 341, n1 = 30, n2 = 31, p = .04", "not checkable"),
    ("U = 341, n1 = 30, n2 = 31, p = .04", "not checkable"),
    ("75 of 92, p = .5", "not checkable"),
]


@pytest.mark.parametrize(("text", "verdict"), VERDICTS)
def test_verdicts(text: str, verdict: str) -> None:
    check = check_apa(parse_apa(text))
    assert check.verdict == verdict, check.reason


REASONS = [
    (
        "χ²(2, N = 120) = 9.4, p=.009",
        "reported p = 0.009, the statistic gives p = 0.0091 (0.00887 to 0.00933 within rounding)",
    ),
    (
        "t(20) = 3.00, p = .30",
        "reported p = 0.3 is not significant at 0.05; "
        "the statistic gives p = 0.00708 (0.007 to 0.00716 within rounding), which is significant",
    ),
    (
        "t(20) = 1.85, p = .04",
        "reported p = 0.04, the statistic gives p = 0.0791 (0.0784 to 0.0799 within rounding); "
        "it would fit a one-tailed test, which the text does not say",
    ),
    (
        "t(20) = 1.85, p = .04, one-tailed",
        "reported p = 0.04, one-tailed; the statistic gives p = 0.0791 (0.0784 to 0.0799 within rounding) "
        "two-sided, half of that (one-tailed) is 0.0396 (0.0392 to 0.0399 within rounding)",
    ),
    (
        "t(14)=2.37, p=0.05",
        "reported p = 0.05, the statistic gives p = 0.0327 (0.0324 to 0.033 within rounding); "
        "it would fit p < 0.05",
    ),
    (
        "F(131, 131) = 1.30, p = .13",
        "reported p = 0.13, the statistic gives p = 0.0673 (0.0645 to 0.0702 within rounding); "
        "it would fit a two-sided test of a variance ratio",
    ),
    (
        "t(20) = 6.00, p = .000",
        "reported p = 0.000, read as p < 0.0005 (no p is 0), "
        "the statistic gives p = 7.24e-06 (7.16e-06 to 7.32e-06 within rounding)",
    ),
    ("F(1, 72) < 1, ns", "reported ns, the statistic gives p = 0.321 or more"),
    ("p = .03", "only a p-value is reported; there is no statistic to recompute it from"),
    ("z = 2.0", "no p-value is reported; the statistic gives p = 0.0455 (0.0404 to 0.0512 within rounding)"),
    ("F = 56.2, p < .001", "the degrees of freedom of F are not reported"),
    ("75 of 92, p = .5", "p0 is not reported; against .5 the counts give p = 7.29e-10"),
    (
        "75 of 92, p < .001",
        "reported p < 0.001, the statistic gives p = 7.29e-10 (against p0 = .5, which the text does not say)",
    ),
    ("U = 341, p = .04", "U needs both group sizes, or its z"),
    (
        "U = 341, n1 = 30, n2 = 31, p = .04",
        "reported p = 0.04, the statistic gives p = 0.0736 (0.0736 to 0.0748); ties, which the text does not "
        "report, make p smaller (normal, corrected and exact p of U without ties)",
    ),
    (
        "U = 341, n1 = 30, n2 = 31, z = 2.1, p = .036",
        "reported p = 0.036, the statistic gives p = 0.0357 (0.0316 to 0.0404 within rounding) "
        "(from the z beside U; without ties U itself gives z = 1.8)",
    ),
]


@pytest.mark.parametrize(("text", "reason"), REASONS)
def test_reasons_in_words(text: str, reason: str) -> None:
    assert check_apa(parse_apa(text)).reason == reason


def test_alpha_moves_the_decision() -> None:
    result = parse_apa("t(20) = 2.50, p = .06")
    assert check_apa(result, alpha=0.05).verdict == "decision error"
    assert check_apa(result, alpha=0.01).verdict == "inconsistent"


def test_a_claim_of_no_significance_is_judged_at_alpha() -> None:
    result = parse_apa("t(20) = 2.50, ns")
    assert check_apa(result, alpha=0.05).verdict == "decision error"
    assert check_apa(result, alpha=0.01).verdict == "consistent"


def test_p_of_exactly_alpha_claims_no_decision() -> None:
    assert check_apa(parse_apa("t(20) = 1.00, p = .05")).verdict == "inconsistent"


def test_group_sizes_fill_what_the_text_lacks_and_do_not_override_it() -> None:
    assert check_apa(parse_apa("t = 2.09, p = .05"), n1=11, n2=11).verdict == "consistent"
    assert check_apa(parse_apa("r = .42, p < .001"), n1=103).verdict == "consistent"
    assert check_apa(parse_apa("U = 341, p = .074"), n1=30, n2=31).verdict == "consistent"
    assert check_apa(parse_apa("t(20) = 2.09, p = .05"), n1=500, n2=500).p_value == pytest.approx(
        scipy.stats.t.sf(2.09, 20) * 2
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t(57.3) = −2.1", 2 * scipy.stats.t.sf(2.1, 57.3)),
        ("F(2, 476) = 3.45", scipy.stats.f.sf(3.45, 2, 476)),
        ("χ²(2) = 9.4", scipy.stats.chi2.sf(9.4, 2)),
        ("z = −2.5", 2 * scipy.stats.norm.sf(2.5)),
        ("r(48) = −.31", 2 * scipy.stats.t.sf(0.31 * (48 / (1 - 0.31**2)) ** 0.5, 48)),
        ("k = 7, n = 10, p0 = .4", scipy.stats.binomtest(7, 10, 0.4).pvalue),
    ],
)
def test_recomputed_p_is_the_two_sided_p_of_the_printed_statistic(text: str, expected: float) -> None:
    check = check_apa(parse_apa(text))
    assert check.p_value == pytest.approx(expected, rel=1e-12)
    assert check.p_low is not None
    assert check.p_high is not None
    assert check.p_low <= expected * (1 + 1e-12)
    assert check.p_high >= expected * (1 - 1e-12)


@given(st.floats(-30, 30), st.integers(1, 500), st.integers(0, 4), st.integers(1, 5))
def test_what_a_program_prints_is_consistent(t: float, df: int, digits: int, p_digits: int) -> None:
    p = 2 * float(scipy.stats.t.sf(abs(t), df))
    text = f"t({df}) = {t:.{digits}f}, p = {p:.{p_digits}f}"
    assert check_apa(parse_apa(text)).verdict == "consistent", text


@given(st.floats(0, 99), st.integers(1, 9), st.integers(1, 500), st.sampled_from([0.05, 0.01, 0.001]))
def test_true_bounds_are_consistent(f: float, df1: int, df2: int, bound: float) -> None:
    relation = "<" if scipy.stats.f.sf(f, df1, df2) < bound else ">"
    assert check_apa(parse_apa(f"F({df1}, {df2}) = {f:.3f}, p {relation} {bound}")).verdict == "consistent"


@given(st.floats(0.1, 9), st.integers(2, 200), st.floats(0.001, 0.999))
def test_a_p_well_off_is_never_consistent_and_the_decision_error_is_symmetric(
    t: float, df: int, p: float
) -> None:
    true = 2 * float(scipy.stats.t.sf(t, df))
    assume(abs(p - true) > 0.01)
    assume(abs(p - true / 2) > 0.01)
    check = check_apa(parse_apa(f"t({df}) = {t:.6f}, p = {p:.4f}"))
    assume(abs(true - 0.05) > 1e-3)
    assume(abs(p - 0.05) > 1e-3)
    assert check.verdict == ("decision error" if (true < 0.05) != (p < 0.05) else "inconsistent")


@given(st.integers(2, 20).flatmap(lambda n: st.permutations(range(n))), st.data())
def test_exact_u_equals_scipy(ranks: list[int], data: st.DataObject) -> None:
    n1 = data.draw(st.integers(1, len(ranks) - 1))
    expected = scipy.stats.mannwhitneyu(ranks[:n1], ranks[n1:], method="exact")
    found = p_mann_whitney_exact(expected.statistic, n1, len(ranks) - n1)
    assert found == pytest.approx(expected.pvalue, rel=1e-12)


def test_a_known_p0_can_be_put_into_the_record() -> None:
    result = dataclasses.replace(parse_apa("75 of 92, p = .5"), p0=0.8)
    assert check_apa(result).verdict == "inconsistent"

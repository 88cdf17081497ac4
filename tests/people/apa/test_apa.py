"""Reported statistics that are read: as papers print them, and as they might."""

import dataclasses
from typing import Any

import pytest

from concord.people.apa.read import ApaResult, parse_apa

# What papers print, with the paper; numbers not named are None.
PUBLISHED: list[tuple[str, dict[str, Any], str]] = [
    (
        "F(1, 312) = 49.1, p < .001",
        {"kind": "F", "statistic": 49.1, "df1": 1, "df2": 312, "p_relation": "<", "p_value": 0.001},
        "Ross, Greene & House 1977",
    ),
    (
        "F(1, 312) = 37.40, p < .001",
        {"kind": "F", "statistic": 37.4, "df1": 1, "df2": 312, "p_relation": "<", "p_value": 0.001},
        "Ross, Greene & House 1977",
    ),
    ("F = 56.2", {"kind": "F", "statistic": 56.2}, "Ross, Greene & House 1977"),
    ("F = 17.79", {"kind": "F", "statistic": 17.79}, "Ross, Greene & House 1977"),
    ("r=0.42, n=103", {"kind": "r", "statistic": 0.42, "n": 103}, "Jacowitz & Kahneman 1995"),
    (
        "t(102)=6.12, p=0.001",
        {"kind": "t", "statistic": 6.12, "df2": 102, "p_relation": "=", "p_value": 0.001},
        "Jacowitz & Kahneman 1995",
    ),
    ("t(102)=7.99", {"kind": "t", "statistic": 7.99, "df2": 102}, "Jacowitz & Kahneman 1995"),
    (
        "r=-0.68, p=0.05",
        {"kind": "r", "statistic": -0.68, "p_relation": "=", "p_value": 0.05},
        "Jacowitz & Kahneman 1995",
    ),
    (
        "t(14)=2.37, p=0.05",
        {"kind": "t", "statistic": 2.37, "df2": 14, "p_relation": "=", "p_value": 0.05},
        "Jacowitz & Kahneman 1995",
    ),
    (
        "t(14)=4.80, p=0.001",
        {"kind": "t", "statistic": 4.8, "df2": 14, "p_relation": "=", "p_value": 0.001},
        "Jacowitz & Kahneman 1995",
    ),
    (
        "t(154)=3.53, p=0.001",
        {"kind": "t", "statistic": 3.53, "df2": 154, "p_relation": "=", "p_value": 0.001},
        "Jacowitz & Kahneman 1995",
    ),
    ("p < .01", {"kind": "p", "p_relation": "<", "p_value": 0.01}, "Kahneman & Tversky 1972"),
    ("28 of 50 answered 'same'", {"kind": "binomial", "k": 28, "n": 50}, "Kahneman & Tversky 1972"),
    (
        "chi2(1, N=78)=27.2, p=0.001",
        {"kind": "chi2", "statistic": 27.2, "df1": 1, "n": 78, "p_relation": "=", "p_value": 0.001},
        "Knobe 2003",
    ),
    (
        "t(120)=8.4, p=0.001",
        {"kind": "t", "statistic": 8.4, "df2": 120, "p_relation": "=", "p_value": 0.001},
        "Knobe 2003",
    ),
    (
        "chi2(1, N=42)=9.5, p=0.01",
        {"kind": "chi2", "statistic": 9.5, "df1": 1, "n": 42, "p_relation": "=", "p_value": 0.01},
        "Knobe 2003",
    ),
    (
        "r(120)=0.53, p=0.001",
        {"kind": "r", "statistic": 0.53, "df2": 120, "p_relation": "=", "p_value": 0.001},
        "Knobe 2003",
    ),
    (
        "F(1, 130) = 55.52, p < .0001",
        {"kind": "F", "statistic": 55.52, "df1": 1, "df2": 130, "p_relation": "<", "p_value": 0.0001},
        "Prentice & Miller 1993",
    ),
    (
        "F(1, 130) = 9.96, p < .005",
        {"kind": "F", "statistic": 9.96, "df1": 1, "df2": 130, "p_relation": "<", "p_value": 0.005},
        "Prentice & Miller 1993",
    ),
    (
        "F(131, 131) = 2.99, p < .0001",
        {"kind": "F", "statistic": 2.99, "df1": 131, "df2": 131, "p_relation": "<", "p_value": 0.0001},
        "Prentice & Miller 1993",
    ),
    (
        "F(2, 476) = 54.52, p < .0001",
        {"kind": "F", "statistic": 54.52, "df1": 2, "df2": 476, "p_relation": "<", "p_value": 0.0001},
        "Prentice & Miller 1993",
    ),
    (
        "F(2, 476) = 3.45, p < .05",
        {"kind": "F", "statistic": 3.45, "df1": 2, "df2": 476, "p_relation": "<", "p_value": 0.05},
        "Prentice & Miller 1993",
    ),
    (
        "F(1, 90) = 18.94, p < .0001",
        {"kind": "F", "statistic": 18.94, "df1": 1, "df2": 90, "p_relation": "<", "p_value": 0.0001},
        "Prentice & Miller 1993",
    ),
    (
        "F(1, 90) = 10.99, p < .005",
        {"kind": "F", "statistic": 10.99, "df1": 1, "df2": 90, "p_relation": "<", "p_value": 0.005},
        "Prentice & Miller 1993",
    ),
    (
        "F(1, 89) = 8.10, p < .01",
        {"kind": "F", "statistic": 8.1, "df1": 1, "df2": 89, "p_relation": "<", "p_value": 0.01},
        "Prentice & Miller 1993",
    ),
    ("p < 0.001", {"kind": "p", "p_relation": "<", "p_value": 0.001}, "Nagel 1995"),
    ("p < 0.0001", {"kind": "p", "p_relation": "<", "p_value": 0.0001}, "Nagel 1995"),
    (
        "p = 0.05 (one-tailed)",
        {"kind": "p", "p_relation": "=", "p_value": 0.05, "one_tailed": True},
        "Nagel 1995",
    ),
    ("p < 0.01", {"kind": "p", "p_relation": "<", "p_value": 0.01}, "Nagel 1995"),
    ("p < .001", {"kind": "p", "p_relation": "<", "p_value": 0.001}, "Shafir & Tversky 1992"),
    ("p = 0.29", {"kind": "p", "p_relation": "=", "p_value": 0.29}, "Berg, Dickhaut & McCabe 1995"),
    ("rs = 0.01", {"kind": "r", "statistic": 0.01, "label": "rs"}, "Berg, Dickhaut & McCabe 1995"),
    ("p = 0.06", {"kind": "p", "p_relation": "=", "p_value": 0.06}, "Berg, Dickhaut & McCabe 1995"),
    ("rs = 0.34", {"kind": "r", "statistic": 0.34, "label": "rs"}, "Berg, Dickhaut & McCabe 1995"),
    (
        "beta = -0.50, t = -5.98, p < .001",
        {"kind": "t", "statistic": -5.98, "p_relation": "<", "p_value": 0.001, "ignored": ("beta = -0.50",)},
        "Keh, Foo & Lim 2002",
    ),
    (
        "beta = -0.76, t = -3.34, p < .01",
        {"kind": "t", "statistic": -3.34, "p_relation": "<", "p_value": 0.01, "ignored": ("beta = -0.76",)},
        "Keh, Foo & Lim 2002",
    ),
    (
        "beta = 0.40, t = 2.23, p < .05",
        {"kind": "t", "statistic": 2.23, "p_relation": "<", "p_value": 0.05, "ignored": ("beta = 0.40",)},
        "Keh, Foo & Lim 2002",
    ),
    (
        "beta = 1.17, t = 1.91, p < .06 (alpha .06)",
        {
            "kind": "t",
            "statistic": 1.91,
            "p_relation": "<",
            "p_value": 0.06,
            "ignored": ("beta = 1.17", "alpha .06"),
        },
        "Keh, Foo & Lim 2002",
    ),
]

_NUMBERS = ("statistic", "df1", "df2", "n", "n1", "n2", "k", "p0", "z", "p_relation", "p_value")


def numbers(result: ApaResult) -> dict[str, Any]:
    """Return what a result holds, without the Nones."""
    return {name: getattr(result, name) for name in _NUMBERS if getattr(result, name) is not None}


@pytest.mark.parametrize(("text", "expected", "source"), PUBLISHED)
def test_what_papers_print_is_read(text: str, expected: dict[str, Any], source: str) -> None:
    result = parse_apa(text)
    for name, value in expected.items():
        assert getattr(result, name) == value, source
    assert numbers(result).keys() == expected.keys() & set(_NUMBERS), source


WRITTEN: list[tuple[str, str, dict[str, Any]]] = [
    ("r(48) = −.31, ns", "r", {"statistic": -0.31, "df2": 48, "p_relation": "ns"}),
    ("r(48) = –.31; n.s.", "r", {"statistic": -0.31, "df2": 48, "p_relation": "ns"}),
    ("r(48) = ‑.31, not significant", "r", {"statistic": -0.31, "df2": 48, "p_relation": "ns"}),
    ("rs(30) = .01", "r", {"statistic": 0.01, "df2": 30}),
    ("ρ(30) = .01", "r", {"statistic": 0.01, "df2": 30}),
    ("t = -3.34, df = 70", "t", {"statistic": -3.34, "df2": 70}),
    ("t = 3.34, 70 df", "t", {"statistic": 3.34, "df2": 70}),
    ("t(57.3) = 2.1", "t", {"statistic": 2.1, "df2": 57.3}),
    ("t(20, N = 22) = 2.1", "t", {"statistic": 2.1, "df2": 20, "n": 22}),
    ("t-value(20) = 2.1", "t", {"statistic": 2.1, "df2": 20}),
    ("F(1,312)=49.1", "F", {"statistic": 49.1, "df1": 1, "df2": 312}),
    ("F[1, 312] = 49.1", "F", {"statistic": 49.1, "df1": 1, "df2": 312}),
    ("F(1, 1,332) = 49.1", "F", {"statistic": 49.1, "df1": 1, "df2": 1332}),
    ("F(1.6; 48.2) = 5.5", "F", {"statistic": 5.5, "df1": 1.6, "df2": 48.2}),
    ("F = 3.2, df = 1, 30", "F", {"statistic": 3.2, "df1": 1, "df2": 30}),
    ("F(1, 30) = 1,234.5", "F", {"statistic": 1234.5, "df1": 1, "df2": 30}),
    (
        "χ²(2, N = 120) = 9.4, p=.009",
        "chi2",
        {"statistic": 9.4, "df1": 2, "n": 120, "p_relation": "=", "p_value": 0.009},
    ),
    ("χ2(2, N = 1,332) = 9.4", "chi2", {"statistic": 9.4, "df1": 2, "n": 1332}),
    ("X^2(2) = 9.4, N = 120", "chi2", {"statistic": 9.4, "df1": 2, "n": 120}),
    ("$\\chi^2$(2) = 9.4", "chi2", {"statistic": 9.4, "df1": 2}),
    ("chi-square(1) = 9.4", "chi2", {"statistic": 9.4, "df1": 1}),
    ("Chi squared [1] = 9.4", "chi2", {"statistic": 9.4, "df1": 1}),
    ("chi2 = 9.4, d.f. = 2", "chi2", {"statistic": 9.4, "df1": 2}),
    ("Z = 3.1, p = .002", "z", {"statistic": 3.1, "p_relation": "=", "p_value": 0.002}),
    ("U = 341, n1 = 30, n2 = 31, z = 2.1", "U", {"statistic": 341, "n1": 30, "n2": 31, "z": 2.1}),
    ("z = 2.1, U = 341, n₁ = 30, n₂ = 31", "U", {"statistic": 341, "n1": 30, "n2": 31, "z": 2.1}),
    ("U(n1 = 30, n2 = 31) = 341.5", "U", {"statistic": 341.5, "n1": 30, "n2": 31}),
    ("75 of 92", "binomial", {"k": 75, "n": 92}),
    ("75 out of the 92 (82%)", "binomial", {"k": 75, "n": 92}),
    ("k = 75, n = 92, p0 = .5", "binomial", {"k": 75, "n": 92, "p0": 0.5}),
    ("n = 92, k = 0, p₀ = 1/4", "binomial", {"k": 0, "n": 92, "p0": 0.25}),
    (
        "binomial, 75/92, p < .001",
        "binomial",
        {"k": 75, "n": 92, "p_relation": "<", "p_value": 0.001},
    ),
    ("sign test: 75/92", "binomial", {"k": 75, "n": 92, "p0": 0.5}),
    ("p = 1e-5", "p", {"p_relation": "=", "p_value": 1e-5}),
    ("p = 1.2 × 10^-5", "p", {"p_relation": "=", "p_value": 1.2e-5}),
    ("p=1.2x10-5", "p", {"p_relation": "=", "p_value": 1.2e-5}),
    ("p = 1.2*10^{-5}", "p", {"p_relation": "=", "p_value": 1.2e-5}),
    ("p = 1.2 · 10⁻⁵", "p", {"p_relation": "=", "p_value": 1.2e-5}),
    ("p < 10⁻⁵", "p", {"p_relation": "<", "p_value": 1e-5}),
    ("p < 10-5", "p", {"p_relation": "<", "p_value": 1e-5}),
    ("p > .05", "p", {"p_relation": ">", "p_value": 0.05}),
    ("P ≤ .01", "p", {"p_relation": "<", "p_value": 0.01}),
    ("p >= .01", "p", {"p_relation": ">", "p_value": 0.01}),
    ("ps < .001", "p", {"p_relation": "<", "p_value": 0.001}),
    ("p-value = .03", "p", {"p_relation": "=", "p_value": 0.03}),
    ("p = ns", "p", {"p_relation": "ns"}),
    ("p = .000", "p", {"p_relation": "=", "p_value": 0.0}),
]


@pytest.mark.parametrize(("text", "kind", "expected"), WRITTEN)
def test_ways_of_writing_are_read(text: str, kind: str, expected: dict[str, Any]) -> None:
    result = parse_apa(text)
    assert result.kind == kind
    assert numbers(result) == expected
    assert result.text == text[slice(*result.span)]


@pytest.mark.parametrize(
    "text",
    [
        "t(20) = −2.10, p = .049",
        "*t*(20) = −2.10, *p* = .049",
        "_t_(20) = -2.10; **_p_** = 0.049",
        "t (20)\u00a0=\u2009−\u20092.10,\u202fp\u2009=\u2009.049",
        "𝑡(20) = –2.10, 𝑝 = .049*",
        "<i>t</i>(20) = &minus;2.10, <i>p</i> = .049",
        "`t[20] = ‒2.10`, `p=.049`.",
        "t(df = 20) = -2.10 (p = .049)",
        "p = .049, t(20) = -2.10",
        "T\u200bhe effect held, t(20) = \u00ad2.10, p = .049, two-tailed",
    ],
)
def test_typography_does_not_change_what_is_read(text: str) -> None:
    result = parse_apa(text)
    assert (result.kind, result.statistic, result.statistic_decimals, result.df2) == ("t", -2.1, 2, 20)
    assert (result.p_relation, result.p_value, result.p_decimals) == ("=", 0.049, 3)


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        (
            "t(20) = 3.1, p = .01, d = 0.65, 95% CI [0.2, 1.1], η² = .13",
            ("d = 0.65", "95% CI [0.2, 1.1]", "η² = .13"),
        ),
        ("F(1, 30) = 4.2, MSE = 2.3, p = .049, ηp² = .13", ("MSE = 2.3", "ηp² = .13")),
        ("F(1, 30) = 4.2, η²p = .13", ("η²p = .13",)),
        ("F(1, 30) = 4.2, η 2 p = .13", ("η 2 p = .13",)),
        ("F(2, 97) = 20.1, R2 = .29, ΔR² = .02", ("R2 = .29", "ΔR² = .02")),
        ("t(20) = 3.1, p = .01, r = .56", ("r = .56",)),
        ("U = 341, z = 2.1, p = .036, r = .27", ("r = .27",)),
        ("Study 2: t(20) = 3.1", ("Study 2",)),
        ("2 × 2 ANOVA, F(1, 30) = 4.2", ("2 × 2", "ANOVA")),
        ("Mann–Whitney U = 341", ("Mann–Whitney",)),
        ("t(20) = 3.1, Ms = 3.2 and 4.1", ("Ms = 3.2 and 4.1",)),
        ("t(20) = 3.1, BF₁₀ = 2 × 10^5, CI95% = 0.1 to 0.3", ("BF₁₀ = 2 × 10^5", "CI95% = 0.1 to 0.3")),
        ("p = .0078 < .01", ("< .01",)),
        ("t(20) = 0.3, p = .76, ns", ("ns",)),
    ],
)
def test_what_is_set_aside_is_listed(text: str, ignored: tuple[str, ...]) -> None:
    assert parse_apa(text).ignored == ignored


def test_an_eta_squared_is_never_taken_for_a_p_value() -> None:
    for name in ("η²p", "ηp²", "ηₚ²", "η2p", "η 2 p", "partial eta squared"):
        assert parse_apa(f"F(1, 30) = 4.2, {name} = .13").p_value is None


@pytest.mark.parametrize(
    ("text", "relation"),
    [("F < 1", "<"), ("F(1, 72) < 1, ns", "<"), ("ts(20) > 2.1", ">"), ("t(8) ≤ 1", "<")],
)
def test_a_bound_of_the_statistic_is_kept_as_a_bound(text: str, relation: str) -> None:
    assert parse_apa(text).statistic_relation == relation


@pytest.mark.parametrize(
    ("text", "one_tailed"),
    [
        ("t(20) = 1.9, p = .04, one-tailed", True),
        ("t(20) = 1.9, p (one-tailed) = .04", True),
        ("t(20) = 1.9, p = .04 (1-tailed)", True),
        ("t(20) = 1.9, p = .04, one sided", True),
        ("t(20) = 1.9, p = .07 (two-tailed)", False),
        ("t(20) = 1.9, p = .07", False),
    ],
)
def test_tails_are_what_the_text_says(text: str, one_tailed: bool) -> None:
    assert parse_apa(text).one_tailed is one_tailed


@pytest.mark.parametrize(
    ("text", "alpha", "claim"),
    [
        ("p < .05", 0.05, True),
        ("p < .01", 0.05, True),
        ("p < .10", 0.05, None),
        ("p > .01", 0.05, None),
        ("p > .05", 0.05, False),
        ("p = .049", 0.05, True),
        ("p = .05", 0.05, None),
        ("p = .06", 0.05, False),
        ("p = .000", 0.05, True),
        ("t(20) = 1, ns", 0.05, False),
        ("t(20) = 1", 0.05, None),
        ("p = .03", 0.01, False),
    ],
)
def test_significance_is_claimed_only_where_the_text_claims_it(
    text: str, alpha: float, claim: bool | None
) -> None:
    assert parse_apa(text).significant(alpha) is claim


def test_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="statistic"):
        parse_apa("t(20) = 1").statistic = 2  # type: ignore[misc]

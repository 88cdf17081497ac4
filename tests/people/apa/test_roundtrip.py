"""Reported statistics: what is written is read."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from concord.people.apa.read import parse_apa

decimals = st.integers(0, 4)
wholes = st.integers(1, 5000)
minus = st.sampled_from("-−–‑")
space = st.sampled_from(["", " ", "\u00a0", "\u2009"])


@st.composite
def printed_numbers(draw: st.DrawFn, low: float, high: float) -> str:
    """Print a number as papers do: a chosen minus, perhaps no leading zero."""
    text = f"{draw(st.floats(low, high)):.{draw(decimals)}f}"
    if draw(st.booleans()):
        text = text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text
    return text.replace("-", draw(minus))


def value_of(text: str) -> float:
    """Return the number that a printed one stands for."""
    for sign in "−–‑":
        text = text.replace(sign, "-")
    return float(text)


@st.composite
def reports(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Write a statistic, with what must be read from it."""
    kind = draw(st.sampled_from(["t", "F", "r", "chi2", "z"]))
    low, high = {"t": (-99, 99), "F": (0, 999), "r": (-1, 1), "chi2": (0, 999), "z": (-9, 9)}[kind]
    printed = draw(printed_numbers(low, high))
    df1, df2, n = draw(wholes), draw(wholes), draw(wholes)
    fields: dict[str, Any] = {"kind": kind, "statistic": value_of(printed)}
    s = draw(space)
    head = {
        "t": f"t({df2})",
        "F": f"F({df1},{s}{df2})",
        "r": f"r({df2})",
        "chi2": f"{draw(st.sampled_from(['χ²', 'χ2', 'X^2', 'chi2', 'chi-square']))}({df1},{s}N{s}={s}{n:,})",
        "z": "z",
    }[kind]
    fields |= {"df1": df1} if kind in {"F", "chi2"} else {}
    fields |= {"df2": df2} if kind in {"t", "F", "r"} else {}
    fields |= {"n": n} if kind == "chi2" else {}
    return f"{head}{s}={s}{printed}", fields


@st.composite
def claims(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Write a p-value, or none, with what must be read from it."""
    relation = draw(st.sampled_from(["=", "<", ">", "ns", ""]))
    s = draw(space)
    if relation in {"", "ns"}:
        return (f", {relation}" if relation else ""), {"p_relation": relation or None, "p_value": None}
    if draw(st.booleans()):
        mantissa, power = draw(st.integers(1, 9)), draw(st.integers(1, 300))
        form = draw(st.sampled_from(["{}e-{}", "{} × 10^-{}", "{}x10-{}", "{}×10^{{-{}}}"]))
        return f", p{s}{relation}{s}{form.format(mantissa, power)}", {
            "p_relation": relation,
            "p_value": float(f"{mantissa}e-{power}"),
        }
    printed = draw(printed_numbers(0, 1))
    return f"; p{s}{relation}{s}{printed}", {"p_relation": relation, "p_value": value_of(printed)}


@given(reports(), claims(), st.sampled_from(["", ", d = 0.4", ", η² = .1, 90% CI [0.1, 0.3]", "."]))
def test_what_is_written_is_read(
    report: tuple[str, dict[str, Any]], claim: tuple[str, dict[str, Any]], rest: str
) -> None:
    result = parse_apa(report[0] + claim[0] + rest)
    for name, value in (report[1] | claim[1]).items():
        assert getattr(result, name) == value, name


@given(wholes, wholes, st.integers(0, 3))
def test_counts_are_read_back(a: int, b: int, form: int) -> None:
    k, n = sorted((a, b))
    text = [f"{k} of {n}", f"{k:,} out of {n:,}", f"binomial, {k}/{n}", f"k = {k}, n = {n:,}"][form]
    result = parse_apa(text)
    assert (result.kind, result.k, result.n) == ("binomial", k, n)

"""Statistics of a test as a paper reports them: χ²(1, N = 307) = 78.90, p < .001."""

from collections.abc import Callable

from concord.number_words import number, p_words, typeset
from concord.records import Side


def apa_string(test_type: str, side: Side | None, *, p: float | None = None, d: float | None = None) -> str:
    """Return one side of a test in the form of APA; empty where nothing is known of it."""
    said = "" if side is None else _STRINGS.get(test_type, _no_statistic)(side)
    parts = [said] if said else []
    if p is not None:
        parts.append(p_words(p))
    if d is not None:
        parts.append(f"d = {typeset(number(d, 2))}")
    return ", ".join(parts)


def _degrees(value: float) -> str:
    return f"{value:g}" if value == round(value) else f"{value:.1f}"


def _equals(name: str, inside: str, side: Side) -> str:
    value = side.statistic
    if value is None:
        return ""
    return (
        f"{name}({inside}) = {typeset(number(value, 2))}"
        if inside
        else f"{name} = {typeset(number(value, 2))}"
    )


def _t_two(side: Side) -> str:
    given, n1, n2 = side.df2, side.n1, side.n2
    df = given if given is not None else None if n1 is None or n2 is None else n1 + n2 - 2
    return _equals("t", "" if df is None else _degrees(df), side)


def _t_one(side: Side) -> str:
    n = side.n
    return _equals("t", "" if n is None else _degrees(n - 1), side)


def _f_string(side: Side) -> str:
    degrees = (side.df1, side.df2)
    return _equals("F", ", ".join(_degrees(df) for df in degrees if df is not None), side)


def _r_string(side: Side) -> str:
    n, value = side.n, side.statistic
    if value is None:
        return ""
    shown = typeset(number(value, 2).replace("0.", ".", 1)) if abs(value) < 1 else typeset(number(value, 2))
    return f"r = {shown}" if n is None else f"r({_degrees(n - 2)}) = {shown}"


def _chi(side: Side) -> str:
    df, n, table = side.df1, side.n, side.table
    inside = [_degrees(df)] if df is not None else []
    inside += [f"N = {n:g}"] if n is not None else []
    head = _equals("χ²", ", ".join(inside), side)
    if head:
        return head
    counts = _cell_counts(table)
    return f"χ²({', '.join(inside)}){f', counts {counts}' if counts else ''}" if inside or counts else ""


def _cell_counts(table: tuple[tuple[float, ...], ...] | None) -> str:
    return ", ".join("/".join(f"{cell:g}" for cell in row) for row in table or ())


def _k_of_n(side: Side) -> str:
    k, n, null = side.k, side.n, side.p0
    if k is None or n is None:
        return ""
    return f"{k:g} of {n:g}" + ("" if null is None else f" against {null:g}")


def _u_string(side: Side) -> str:
    sizes = (side.n1, side.n2)
    inside = ", ".join(f"n{i} = {n:g}" for i, n in enumerate(sizes, 1) if n is not None)
    return _equals("U", inside, side)


def _no_statistic(side: Side) -> str:
    return ""


_STRINGS: dict[str, Callable[[Side], str]] = {
    "t-independent": _t_two, "t-paired": _t_one, "t-one-sample": _t_one, "anova": _f_string,
    "anova-within": _f_string, "regression": _f_string, "variance-ratio": _f_string,
    "correlation": _r_string, "chi-square": _chi, "binomial": _k_of_n, "mann-whitney": _u_string,
}  # fmt: skip
"""How each kind of test is written; a kind that is not here shows its p and effect alone."""

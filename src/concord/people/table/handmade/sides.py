"""One side of a hand-made row as the columns of a table of tests: t comes from means, tables from counts."""

import math
from collections.abc import Callable, Sequence

from concord.files.cells import BadCellError
from concord.number_words import number
from concord.people.apa.parse import parse_apa
from concord.people.families.registry import KINDS
from concord.people.table.handmade.cells import Quantity
from concord.people.table.handmade.gather import Fields, Gathered

TYPES = {kind.reported[0]: name for name, kind in reversed(KINDS.items()) if kind.reported}
"""The type of test that a printed statistic means, where no column says it."""
_NEED_N = frozenset(["z", "chi2", "U", "W", "H", "Q"])
"""Statistics that do not say how many took part."""
_NORMAL_95 = 1.959963984540054
_ODDS_TO_D = math.sqrt(3) / math.pi
Made = tuple[str, Fields, tuple[str, ...]]
"""The type of a test, its columns, and what was computed or assumed."""
_ONE_MEAN = (
    ". Two groups have titles such as 'Human treatment M' and 'Human control M'; a coefficient with its "
    "standard error stands below a title such as 'Human b (SE)'; single means of people and model are "
    "compared by concord score answers"
)
_HALVED = "n of both groups together was halved; give n of each group"
_NO_N = "there is no n: the p-value is the test"


class NoTestError(Exception):
    """A side says something, but no test: its text says why."""


def canonical(found: Gathered, hint: str | None) -> Made:
    """Return the type of test of a side, its columns, and what was computed or assumed."""
    if found.each is not None and (not found.text or found.label in ("t", "U", "z")):
        found.n1, found.n2 = found.each
    made = _by_what_there_is(found, hint)
    test_type, fields, notes = made
    notes = (*found.told, *notes)
    if found.direction is not None:
        fields["direction"] = found.direction
    for name in ("n1", "n2", "n"):
        if getattr(found, name) is not None:
            fields.setdefault(name, getattr(found, name))
    fields.update(found.extra)
    if found.p is not None and test_type != "p-value":
        notes = (*notes, *_with_p(found.p, test_type, fields))
    return test_type, fields, notes


def _with_p(p: Quantity, test_type: str, fields: Fields) -> tuple[str, ...]:
    """Put a p-value beside other numbers: an exact one as it is, a bound where it can be checked."""
    if "reported" in fields:
        return ()  # it is part of what is printed there
    if p.relation == "=":
        fields.setdefault("p_value", p.p_text if p.p_text else p.p)
        return ()
    said = "n.s." if p.relation == "ns" else f"p {p.relation} {p.p:g}"
    head = _printed_head(test_type, fields)
    if head is None:
        return ("a bound of p beside other numbers is not used",)
    fields.setdefault("reported", f"{head} = {number(float(str(fields['statistic'])), 2)}, {said}")
    return ()


def _printed_head(test_type: str, fields: Fields) -> str | None:
    """Return a t or F with its degrees of freedom as papers print them; ``None`` where they are not known."""
    df1, df2, n1, n2 = (fields.get(name) for name in ("df1", "df2", "n1", "n2"))
    if "statistic" not in fields:
        return None
    if test_type == "anova" and df1 is not None and df2 is not None:
        return f"F({df1:g}, {df2:g})"
    if test_type == "t-independent" and df2 is None and n1 is not None and n2 is not None:
        df2 = float(str(n1)) + float(str(n2)) - 2
    return f"t({df2:g})" if test_type == "t-independent" and df2 is not None else None


def _by_what_there_is(found: Gathered, hint: str | None) -> Made:
    if found.label == "b":
        return _of_coefficient(found, hint)
    if found.text:
        return _of_printed(found, hint)
    if found.value is not None:
        return _of_statistic(found, hint)
    pair = found.pair()
    if any(group.value is not None for group in pair):
        return _of_means(pair, hint, found)
    if pair:
        return _of_counts(pair, hint, found)
    if found.size is not None:
        return _of_effect(found, hint)
    if found.p is not None:
        return _of_p(found.p)
    if "table" in found.extra:
        return (hint or "chi-square"), {}, ()
    raise BadCellError("a statistic, means with SD and n, counts, an effect or a p-value")


def _of_printed(found: Gathered, hint: str | None) -> Made:
    """Return a printed statistic; an r or an odds ratio whose n only its interval tells is an effect."""
    if hint is None and _lacks_n(found):
        return "p-value", {"reported": found.text}, (_NO_N,)
    parsed = parse_apa(found.text)
    has_n = any(n is not None for n in (found.n, found.n1, parsed.n, parsed.df2, found.df2))
    if found.label in ("r", "OR") and not has_n and found.low is not None:
        found.effect, found.size = found.label, parsed.statistic
        return _of_effect(found, hint)
    fields: Fields = {"reported": found.text}
    sign = _means_sign(found)
    if sign is not None:
        fields["direction"] = sign
    return _type_of(found.label, hint), fields, ()


def _lacks_n(found: Gathered) -> bool:
    """Whether a printed statistic needs an n that nobody says, and has a p-value to go by."""
    if found.label not in _NEED_N or any(n is not None for n in (found.n, found.n1, found.n2)):
        return False
    parsed = parse_apa(found.text)
    return parsed.p_relation in ("=", "<") and parsed.n is None and parsed.n1 is None


def _type_of(label: str, hint: str | None) -> str:
    if hint is not None:
        return hint
    if label not in TYPES:
        raise BadCellError(f"a column that says the type of test: a {label!r} alone does not")
    return TYPES[label]


def _means_sign(found: Gathered) -> int | None:
    """Return the direction that two means or two rates beside a printed statistic show."""
    pair = found.pair()
    if len(pair) != 2:
        return None
    first, second = (group.value if group.value is not None else group.rate for group in pair)
    if first is None or second is None or first == second:
        return None
    return 1 if first > second else -1


def _of_statistic(found: Gathered, hint: str | None) -> Made:
    is_unnamed = found.label == "statistic" and hint is None
    label = "t" if is_unnamed else found.label
    made: Fields = {"statistic": found.value}
    test_type = hint if label == "statistic" and hint is not None else _type_of(label, hint)
    df1 = found.df1
    if test_type == "chi-square" and df1 is None:
        df1, made["df1"] = found.df2, found.df2 if found.df2 is not None else 1.0
    elif found.df2 is not None:
        made["df2"] = found.df2
    if df1 is not None:
        made["df1"] = df1
    sign = _means_sign(found)
    if sign is not None and test_type in ("anova", "chi-square"):
        made["direction"] = sign
    note = "the statistic has no name and was taken for t; a column 'Test type' says which it is"
    return test_type, made, (note,) if is_unnamed else ()


def _of_coefficient(found: Gathered, hint: str | None) -> Made:
    """Return a coefficient with its standard error or interval; without n, its p-value."""
    test_type = hint if hint in ("logistic", "odds-ratio") else "coefficient"
    value, se = found.value, _error_of(found, float)
    if found.text:
        parsed = parse_apa(found.text)
        if found.n is not None or parsed.n is not None or parsed.df2 is not None:
            return test_type, {"reported": found.text}, ()
        if parsed.p_value is not None:
            return "p-value", {"reported": found.text}, (_NO_N,)
        value, se = parsed.statistic, parsed.se if se is None else se
    if value is None or se is None or se <= 0:
        raise BadCellError("a coefficient with its standard error, such as 0.32 (0.10) or a column SE")
    if found.n is not None or found.df2 is not None:
        made: Fields = {"statistic": value, "se": se, "n": found.n, "df2": found.df2}
        return test_type, {name: one for name, one in made.items() if one is not None}, ()
    direction = (value > 0) - (value < 0)
    if found.p is not None and found.p.relation == "=":
        return _directed_p(found.p, direction, (_NO_N,))
    p = math.erfc(abs(value / se) / math.sqrt(2))
    return "p-value", {"p_value": p, "direction": direction}, ("there is no n: p was computed from b / SE",)


def _error_of(found: Gathered, scale: Callable[[float], float]) -> float | None:
    """Return the standard error of an effect: given in its cell or column, or of its interval."""
    own = found.groups.get("")
    if found.se is not None:
        return found.se
    if own is not None and own.se is not None:
        return own.se
    if found.low is None or found.high is None:
        return None
    if not scale(found.low) < scale(found.high):
        raise BadCellError("an interval whose ends are in order")
    return (scale(found.high) - scale(found.low)) / (2 * _NORMAL_95)


def _of_means(pair: Sequence[Quantity], hint: str | None, found: Gathered) -> Made:
    if len(pair) != 2:
        raise BadCellError(f"means of two groups; found {len(pair)}{_ONE_MEAN if len(pair) == 1 else ''}")
    sizes = [group.n for group in pair]
    notes: tuple[str, ...] = ("t was computed from means, SDs and n, as of two groups of different people",)
    if None in sizes and found.n1 is not None and found.n2 is not None:
        sizes = [found.n1, found.n2]
    if None in sizes and found.n is not None:
        sizes = [*_halves(found.n)]
        notes = (*notes, _HALVED)
    values = [(group.value, _sd(group, n), n) for group, n in zip(pair, sizes, strict=True)]
    if any(one is None for value in values for one in value):
        raise BadCellError("a mean, an SD (or SE) and an n of both groups")
    (m1, s1, n1), (m2, s2, n2) = values
    assert m1 is not None and s1 is not None and n1 is not None  # noqa: S101, PT018 - looked at above
    assert m2 is not None and s2 is not None and n2 is not None  # noqa: S101, PT018
    pooled = ((n1 - 1) * s1**2 + (n2 - 1) * s2**2) / (n1 + n2 - 2)
    if pooled <= 0:
        raise BadCellError("groups whose answers vary: both SDs are 0")
    t = (m1 - m2) / math.sqrt(pooled * (1 / n1 + 1 / n2))
    return _of_t(t, n1, n2, hint, notes)


def _of_t(t: float, n1: float, n2: float, hint: str | None, notes: tuple[str, ...]) -> Made:
    """Return the t of two groups as the test that a column names."""
    if hint in (None, "t-independent"):
        return "t-independent", {"statistic": t, "n1": n1, "n2": n2}, notes
    if hint in ("anova", "regression"):
        made: Fields = {"statistic": t * t, "df1": 1.0, "df2": n1 + n2 - 2, "n1": n1, "n2": n2}
        return hint, {**made, "direction": (t > 0) - (t < 0)}, notes
    raise BadCellError(f"the statistic itself: for test type {hint} it does not follow from these numbers")


def _halves(n: float) -> tuple[float, float]:
    """Return two groups of n people together: whole ones, for people are."""
    first = math.ceil(n / 2)
    return float(first), n - first


def _sd(group: Quantity, n: float | None) -> float | None:
    if group.sd is not None:
        return group.sd
    return None if group.se is None or n is None else group.se * math.sqrt(n)


def _of_counts(pair: Sequence[Quantity], hint: str | None, found: Gathered) -> Made:
    notes: tuple[str, ...] = ("the table was made of counts",)
    sizes: tuple[float | None, ...] = (found.n,)
    if len(pair) == 2:
        sizes = (found.n1, found.n2)
        if found.n is not None and sizes == (None, None) and all(group.n is None for group in pair):
            sizes, notes = _halves(found.n), (*notes, _HALVED)
    given = [_k_of(group, n) for group, n in zip(pair, sizes, strict=False)]
    if len(pair) == 1:
        ((k, n),) = given
        return (hint or "binomial"), {"k": k, "n": n}, ()
    if len(pair) != 2:
        raise BadCellError(f"counts of one or two groups; found {len(pair)}")
    (k1, n1), (k2, n2) = given
    table = [[k1, n1 - k1], [k2, n2 - k2]]
    return (hint or "chi-square"), {"table": table}, notes


def _k_of(group: Quantity, outer: float | None) -> tuple[int, int]:
    """Return how many of how many; a percentage must be one that a count of n gives."""
    n = outer if group.n is None else group.n
    if n is None:
        raise BadCellError("the n that a count or percentage is of")
    if group.k is not None:
        if group.percent is not None and abs(100 * group.k / n - group.percent) > 1:
            raise BadCellError(
                f"a count that fits its percentage: {group.k:g} of {n:g} is {number(100 * group.k / n, 1)} %"
            )
        return round(group.k), round(n)
    assert group.percent is not None  # noqa: S101 - one of the two is there
    k = round(group.percent / 100 * n)
    if abs(100 * k / n - group.percent) > 0.6:  # people round 29.5 down, too
        raise BadCellError(
            f"a percentage that a count of {n:g} gives: {k} of {n:g} is {number(100 * k / n, 1)} %"
        )
    return k, round(n)


def _of_effect(found: Gathered, hint: str | None) -> Made:
    """Return an effect as a test: by its n where there is one, else by its standard error or interval."""
    size = found.size
    assert size is not None  # noqa: S101 - that is why we are here
    if found.effect == "d":
        return _of_d(size, found, hint)
    if found.effect == "beta":
        return _of_beta(size, found, hint)
    n = found.n
    notes: tuple[str, ...] = ()
    if n is None and found.n1 is not None and found.n2 is not None:
        n = found.n1 + found.n2
    if found.effect in ("r", "OR"):
        scale: Callable[[float], float] = math.atanh if found.effect == "r" else math.log
        se = _error_of(found, scale)
        if n is None and se is not None:
            # var(atanh r) = 1/(n - 3); the log odds of two halves of n have the d of ODDS_TO_D times them
            per_group = _group_size(scale(size) * _ODDS_TO_D, se * _ODDS_TO_D)
            n = round(1 / se**2 + 3) if found.effect == "r" else 2 * per_group
            notes = (f"n was computed from the standard error or interval of {found.effect}",)
        if n is not None and found.effect == "r":
            return (hint or "correlation"), {"statistic": size, "n": n}, notes
        if n is not None and se is not None:
            return (hint or "odds-ratio"), {"statistic": size, "se": se, "n": n}, notes
    if n is None:
        raise BadCellError("an n, a standard error or a 95 % interval beside the effect: it is no test alone")
    return _of_share(size, n, found, hint)


def _of_share(size: float, n: float, found: Gathered, hint: str | None) -> Made:
    """Return what follows from a measure of association and n: F of η², χ² of φ and V, z of τ."""
    if not abs(size) < 1 or (size < 0 and found.effect in ("eta2", "V")):
        raise BadCellError("an effect between -1 and 1 (η² and V: from 0)")
    if found.effect == "eta2":
        df1 = 1.0 if found.df1 is None else found.df1
        df2 = n - 1 - df1 if found.df2 is None else found.df2
        made: Fields = {"statistic": size / (1 - size) * df2 / df1, "df1": df1, "df2": df2}
        return (hint or "anova"), made, ("F was computed from η² and n, as of two groups",)
    if found.effect == "tau":
        z = size * math.sqrt(9 * n * (n - 1) / (2 * (2 * n + 5)))
        return (hint or "z-test"), {"statistic": z, "n": n}, ("z was computed from Kendall's τ and n",)
    if found.effect not in ("phi", "V"):
        raise BadCellError("a standard error or a 95 % interval beside the odds ratio")
    made = {"statistic": n * size**2, "df1": 1.0, "n": n}
    if found.effect == "phi":
        made["direction"] = (size > 0) - (size < 0)
    return (hint or "chi-square"), made, ("χ² was computed from φ or V and n, as of a 2 × 2 table",)


def _group_size(d: float, se: float) -> int:
    """Return n of each of two equal groups whose d has this standard error: se² = 2/n + d²/(4 n)."""
    return max(2, round((2 + d * d / 4) / se**2))


def _of_d(d: float, found: Gathered, hint: str | None) -> Made:
    """Return the t of a d: by n, else by the n that its standard error or interval tells."""
    note = "t was computed from d and n"
    is_paired = hint in ("t-paired", "t-one-sample")
    n1, n2, n = found.n1, found.n2, found.n
    notes: tuple[str, ...] = (note,)
    if n1 is None and n is None:
        se = _error_of(found, float)
        if se is None or not se > 0:
            raise BadCellError(
                "an n, a standard error or a 95 % interval beside the effect: it is no test alone"
            )
        n1 = n2 = float(_group_size(d, se))
        n = float(max(2, round((1 + d * d / 2) / se**2)))
        notes = ("t and n were computed from d and its standard error or interval",)
    elif n1 is None and n is not None and not is_paired:
        (n1, n2), notes = _halves(n), (note, _HALVED)
    if is_paired and n is not None:
        return str(hint), {"statistic": d * math.sqrt(n), "n": n}, notes
    if n1 is None or n2 is None:
        raise BadCellError("n of both groups beside d")
    return _of_t(d / math.sqrt(1 / n1 + 1 / n2), n1, n2, hint, notes)


def _of_beta(beta: float, found: Gathered, hint: str | None) -> Made:
    """Return a standardised coefficient: with its standard error as a coefficient, else by its p-value."""
    if _error_of(found, float) is not None:
        found.value = beta
        return _of_coefficient(found, hint)
    if found.p is None or found.p.relation not in ("=", "<"):
        raise BadCellError("a p-value or a standard error beside the coefficient: it is no test alone")
    return _directed_p(found.p, (beta > 0) - (beta < 0), ("the p-value of the coefficient is the test",))


def _directed_p(p: Quantity, direction: int, notes: tuple[str, ...]) -> Made:
    _, fields, _ = _of_p(p)
    return "p-value", {**fields, "direction": direction}, notes


def _of_p(p: Quantity) -> Made:
    if p.relation == "=":
        return "p-value", {"p_value": p.p_text if p.p_text else p.p}, ()
    if p.relation in ("ns", ">"):
        raise NoTestError("that a result is not significant, alone, is no test: the side is left empty")
    return "p-value", {"reported": f"p < {p.p:g}"}, ()

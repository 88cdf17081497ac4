"""Complete and check one side of a test: what each test type needs, and what follows from what is given."""

from collections.abc import Callable

from concord.people.table.counts import binomial, chi_square, mann_whitney
from concord.people.table.direction import check_direction
from concord.people.table.draft import Draft, in_words
from concord.people.table.samples import (
    check_df,
    check_ratio,
    join_groups,
    n_from_df,
    one_df,
    one_sample,
)

NEEDS = {
    "t-independent": "statistic and n1, n2 (or n, or df2)",
    "t-paired": "statistic and n (or df2)",
    "t-one-sample": "statistic and n (or df2)",
    "anova": "statistic, df1 and df2",
    "anova-within": "statistic, df1 and df2",
    "regression": "statistic, df1 and df2",
    "correlation": "statistic and n (or df2)",
    "chi-square": "table, or statistic, df1 and n",
    "binomial": "k and n",
    "mann-whitney": "statistic (U), n1 and n2",
    "variance-ratio": "statistic, df1 and df2 (or n1 and n2)",
    "p-value": "p_value",
}
"""What a side must give, by test type; ``reported`` can give it too."""

_USED = {
    "t-independent": {"statistic", "df1", "df2", "n1", "n2", "n"},
    "t-paired": {"statistic", "df1", "df2", "n1", "n2", "n"},
    "t-one-sample": {"statistic", "df1", "df2", "n1", "n"},
    "anova": {"statistic", "df1", "df2", "n1", "n2", "n"},
    "anova-within": {"statistic", "df1", "df2", "n1", "n"},
    "regression": {"statistic", "df1", "df2", "n1", "n"},
    "correlation": {"statistic", "df1", "df2", "n1", "n"},
    "chi-square": {"statistic", "df1", "df2", "n1", "n2", "n", "table"},
    "binomial": {"k", "n1", "n", "p0"},
    "mann-whitney": {"statistic", "n1", "n2", "n"},
    "variance-ratio": {"statistic", "df1", "df2", "n1", "n2"},
    "p-value": {"n1", "n2", "n"},
}
_DISPENSABLE = ("statistic", "df1", "df2", "n1", "n2", "k", "n", "p0", "table")


def complete(draft: Draft) -> None:
    """Complete and check the numbers of a side in place; afterwards it has failed or it is a `Side`.

    A side with an effect or a Bayes factor that somebody computed, and without the result of the test itself,
    is complete as it stands.
    """
    _set_unused_aside(draft)
    if draft.precomputed and not draft.core:
        (join_groups if "n2" in _USED[draft.test_type] else one_sample)(draft)
    else:
        _COMPLETE[draft.test_type](draft)
    if not draft.failed:
        check_direction(draft)


def _set_unused_aside(draft: Draft) -> None:
    """Empty the fields that mean nothing for this type, and say so."""
    for name in _DISPENSABLE:
        if name not in _USED[draft.test_type] and getattr(draft, name) is not None:
            if name in draft.given:
                draft.note(name, f"not used by {draft.test_type}")
            setattr(draft, name, None)


def _t_independent(draft: Draft) -> None:
    """Two groups: n1 and n2, or their total split equally, from n or from df + 2."""
    one_df(draft, "df2", "df1")
    join_groups(draft)
    derived = draft.n is None
    n_from_df(draft, 2)
    if derived:
        join_groups(draft)
    if draft.n is not None and draft.n1 is None and draft.n2 is None:
        draft.n1 = draft.n2 = draft.n / 2
        draft.source["n1"] = draft.source["n2"] = draft.source.get("n", "n")
        origin = "df + 2" if derived else "n"
        draft.flags.append(f"group sizes not given: N = {in_words(draft.n)} ({origin}) split equally")
    draft.need("statistic", "n1", "n2")
    if draft.n1 is None or draft.n2 is None or draft.n is None:
        return
    if min(draft.n1, draft.n2) < 1 or draft.n < 3:
        low = "n2" if draft.n2 < 1 <= draft.n1 else "n1"
        draft.small(low, "n1 and n2 of at least 1 and at least 3 together, for a two-sample t to exist")
    else:
        check_df(draft, draft.n - 2, "n1 + n2 - 2 (as in Welch's test or a model with more terms)")


def _t_one_sample(draft: Draft) -> None:
    """One sample or pairs: n, or df + 1."""
    one_df(draft, "df2", "df1")
    one_sample(draft)
    n_from_df(draft, 1)
    draft.need("statistic", "n")
    if draft.n is None:
        return
    if draft.n < 2:
        draft.small("n", "n of at least 2, for a t to exist")
    else:
        check_df(draft, draft.n - 1, "n - 1")


def _correlation(draft: Draft) -> None:
    """Complete a correlation: n, or df + 2, and a coefficient from -1 to 1."""
    one_df(draft, "df2", "df1")
    one_sample(draft)
    n_from_df(draft, 2)
    if draft.statistic is not None and abs(draft.statistic) > 1:
        draft.fault("statistic", "a correlation from -1 to 1")
    draft.need("statistic", "n")
    if draft.n is None:
        return
    if draft.n < 3:
        draft.small("n", "n of at least 3, for a correlation to be tested")
    else:
        check_df(draft, draft.n - 2, "n - 2 (as in a partial correlation)")


def _check_f(draft: Draft, *, least_n: float) -> None:
    """Check what every F has: the value and both degrees of freedom."""
    check_ratio(draft, "an F")
    draft.need("statistic", "df1", "df2")
    for name in ("df1", "df2"):
        value = getattr(draft, name)
        if value is not None and value < 1:
            draft.small(name, "degrees of freedom of at least 1, for an F to exist")
    if draft.df2 is None and draft.n is not None and draft.n < least_n:
        draft.small("n", f"n of at least {in_words(least_n)}, for an F to exist")


def _total_n(draft: Draft) -> bool:
    """Take N as df1 + df2 + 1 where it is not given; check it where it is. True when it was taken so."""
    if draft.df1 is None or draft.df2 is None:
        return False
    total = draft.df1 + draft.df2 + 1
    if draft.n is None:
        draft.n = total if total.is_integer() else None
        draft.need("n")
        return draft.n is not None
    if total > draft.n:
        bound = in_words(draft.n - 1 - draft.df1)
        draft.fault("df2", f"at most n - 1 - df1 = {bound} degrees of freedom")
    elif total < draft.n:
        draft.note("df2", "the degrees of freedom are not n - 1 - df1 (as in a design with more terms)")
    return False


def _anova(draft: Draft) -> None:
    """Between groups: N is n, or n1 + n2 of two groups, or df1 + df2 + 1."""
    if draft.df1 is not None and draft.df1 > 1:
        for name in ("n1", "n2"):
            if getattr(draft, name) is not None:
                draft.note(name, "not used: an F with df1 > 1 has more than two groups")
                setattr(draft, name, None)
    join_groups(draft)
    _check_f(draft, least_n=2 + (1 if draft.df1 is None else draft.df1))
    if draft.too_small is None and _total_n(draft):
        draft.flags.append("N not given: taken as df1 + df2 + 1")
        join_groups(draft)
    for name in ("n1", "n2"):
        if getattr(draft, name) is not None and getattr(draft, name) < 1:
            draft.small(name, "n1 and n2 of at least 1")


def _regression(draft: Draft) -> None:
    """Regression: N is n or df1 + df2 + 1."""
    one_sample(draft)
    _check_f(draft, least_n=2 + (1 if draft.df1 is None else draft.df1))
    if draft.too_small is None:
        _total_n(draft)


def _anova_within(draft: Draft) -> None:
    """Within subjects: n is given, or df2 / df1 + 1."""
    one_sample(draft)
    _check_f(draft, least_n=2)
    if draft.df1 is None or draft.df2 is None or draft.too_small is not None:
        return
    people = draft.df2 / draft.df1 + 1
    # Corrected degrees of freedom are printed rounded, and so is their ratio.
    slack = 1e-9 if draft.df1.is_integer() and draft.df2.is_integer() else 0.02 * people
    if draft.n is None:
        draft.n = float(max(2, round(people)))
        if abs(draft.n - people) > slack:
            draft.flags.append(f"n not given: df2 / df1 + 1 rounded to {in_words(draft.n)}")
    elif draft.n < people - slack:
        draft.fault(
            "df2", f"at most df1 * (n - 1) = {in_words(draft.df1 * (draft.n - 1))} degrees of freedom"
        )
    elif draft.n > people + slack:
        draft.note("df2", "the degrees of freedom are not df1 * (n - 1) (as in a design with groups)")
    if draft.df1 > 1 and draft.p_value is None:
        draft.flags.append("no p-value: a within-subjects F with df1 > 1 has no evidence without one")


def _variance_ratio(draft: Draft) -> None:
    """Two variances: df1 and df2, or n1 - 1 and n2 - 1."""
    check_ratio(draft, "an F")
    for df, n in (("df1", "n1"), ("df2", "n2")):
        given, size = getattr(draft, df), getattr(draft, n)
        if size is None:
            continue
        if given is None:
            setattr(draft, df, size - 1)
            draft.source[df] = draft.source.get(n, n)
        elif given > size - 1:
            draft.fault(df, f"at most {n} - 1 = {in_words(size - 1)} degrees of freedom")
        elif given < size - 1:
            draft.note(df, f"the degrees of freedom are not {n} - 1")
    draft.need("statistic", "df1", "df2")
    for df in ("df1", "df2"):
        if getattr(draft, df) is not None and getattr(draft, df) < 1:
            draft.small(df, "degrees of freedom of at least 1, for a variance to exist")


def _p_value(draft: Draft) -> None:
    """Take a p-value alone."""
    join_groups(draft)
    draft.need("p_value")


_COMPLETE: dict[str, Callable[[Draft], None]] = {
    "t-independent": _t_independent,
    "t-paired": _t_one_sample,
    "t-one-sample": _t_one_sample,
    "anova": _anova,
    "anova-within": _anova_within,
    "regression": _regression,
    "correlation": _correlation,
    "chi-square": chi_square,
    "binomial": binomial,
    "mann-whitney": mann_whitney,
    "variance-ratio": _variance_ratio,
    "p-value": _p_value,
}

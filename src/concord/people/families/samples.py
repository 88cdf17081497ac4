"""How many took part, and with how many degrees of freedom: what follows from what is given."""

from concord.people.families.draft import Draft, in_words

D_Z_FLAG = "d is d_z (pairs), not the d_s of groups"
Z_AS_T_FLAG = "Bayes factor approximate: z scored as t"


def one_df(draft: Draft, home: str, other: str) -> None:
    """Bring the only degrees of freedom of a test to the field where they belong."""
    if getattr(draft, home) is None:
        if getattr(draft, other) is not None:
            draft.move(other, home)
    elif getattr(draft, other) not in (None, 1, getattr(draft, home)):
        draft.note(other, f"not used: the degrees of freedom are taken from {home}")
    setattr(draft, other, None)


def one_sample(draft: Draft) -> None:
    """Bring the only sample size of a test to n; n1 and n2 repeat it or are in its place."""
    for name in ("n1", "n2"):
        value = getattr(draft, name)
        if value is not None and draft.n is None:
            draft.move(name, "n")
        elif value is not None and value != draft.n:
            draft.fault(name, f"an empty cell or the same as n, {in_words(known(draft.n))}")
    draft.n1 = draft.n2 = None


def join_groups(draft: Draft) -> None:
    """Complete n, n1 and n2 from any two of them; contradictions are faults."""
    n, n1, n2 = draft.n, draft.n1, draft.n2
    if n1 is not None and n2 is not None:
        if n is not None and n != n1 + n2:
            draft.fault("n", f"n1 + n2 = {in_words(n1 + n2)}, or an empty cell")
        draft.n = n1 + n2
    elif n is not None and (n1 is not None or n2 is not None):
        name, value, other = ("n1", n1, "n2") if n1 is not None else ("n2", known(n2), "n1")
        if known(value) > n:
            draft.fault(name, f"at most n = {in_words(n)}")
        setattr(draft, other, n - known(value))


def n_from_df(draft: Draft, extra: float) -> None:
    """Derive n from the degrees of freedom where it is not given and they are whole."""
    if draft.n is None and draft.df2 is not None and draft.df2.is_integer():
        draft.n = draft.df2 + extra
        draft.source["n"] = draft.source.get("df2", "df2")


def known(value: float | None) -> float:
    """Assert to the type checker what the caller has established."""
    assert value is not None
    return value


def check_df(draft: Draft, exact: float, what: str) -> None:
    """Compare df2 with what n gives: beyond n - 1 it is impossible, otherwise worth a warning."""
    if draft.df2 is None or draft.n is None:
        return
    if draft.df2 > draft.n - 1:
        draft.fault("df2", f"at most n - 1 = {in_words(draft.n - 1)} degrees of freedom")
    elif draft.df2 != exact:
        draft.note("df2", f"the degrees of freedom are not {what}")


def check_ratio(draft: Draft, letter: str) -> None:
    """Refuse a negative F or chi-square: the sign of the effect has its own column."""
    if draft.statistic is not None and draft.statistic < 0:
        draft.fault(
            "statistic",
            f"{letter} of 0 or more; for an effect in the negative direction give "
            f"{draft.side}_direction = -1 instead of a negative {letter.split()[-1]}",
        )


def check_whole_df(draft: Draft) -> None:
    """Refuse degrees of freedom that no count of categories gives."""
    if draft.df1 is not None and not draft.df1.is_integer():
        draft.fault("df1", "a whole number of degrees of freedom")
    elif draft.df1 is not None and draft.df1 < 1:
        draft.small("df1", "degrees of freedom of at least 1")

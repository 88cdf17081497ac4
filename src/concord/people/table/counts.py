"""Sides of tests on counts and ranks: contingency tables, proportions, U."""

import math

from concord.people.table.draft import Draft, Table, in_words, sign
from concord.people.table.samples import check_ratio, join_groups, known, one_df, one_sample


def chi_square(draft: Draft) -> None:
    """Take a contingency table, or its chi-square with df and n."""
    check_ratio(draft, "a chi-square")
    one_df(draft, "df1", "df2")
    join_groups(draft)
    draft.n1 = draft.n2 = None
    if draft.table is not None:
        _contingency(draft, draft.table)
        return
    draft.need("statistic", "df1", "n")
    if draft.n is not None and draft.n < 2:
        draft.small("n", "n of at least 2, for a contingency table to exist")
    if draft.df1 is not None and not draft.df1.is_integer():
        draft.fault("df1", "a whole number of degrees of freedom")
    elif draft.df1 is not None and draft.df1 < 1:
        draft.small("df1", "degrees of freedom of at least 1")
    elif not draft.failed and known(draft.statistic) > known(draft.n) * known(draft.df1):
        draft.note("statistic", "larger than n * df, which no contingency table gives")


def _contingency(draft: Draft, table: Table) -> None:
    """Check a table against the other numbers that are given; n and df1 follow from it."""
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    total, df = sum(rows), (len(rows) - 1) * (len(columns) - 1)
    if min(rows) == 0:
        draft.small("table", "at least one case in every row: a group without cases cannot be compared")
        return
    if min(columns) == 0:
        draft.flags.append("an answer that nobody gave: the table has no chi-square and is not significant")
    if draft.n is not None and draft.n != total:
        draft.fault("n", f"the sum of the cells of {draft.side}_table, {in_words(total)}, or an empty cell")
    if draft.df1 is not None and draft.df1 != df:
        draft.note("df1", "the degrees of freedom are not (rows - 1) * (columns - 1) of the table")
    if draft.statistic is not None and not _fits_table(draft.statistic, table):
        draft.note("statistic", "not the chi-square of the table, with or without Yates' correction")
    draft.n, draft.df1 = total, float(df)


def _fits_table(statistic: float, table: Table) -> bool:
    """Whether a printed chi-square is that of a table, with or without Yates' correction."""
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    total = sum(rows)
    plain = corrected = 0.0
    for row, row_sum in zip(table, rows, strict=True):
        for count, column_sum in zip(row, columns, strict=True):
            expected = row_sum * column_sum / total
            if expected == 0:
                continue  # an empty column adds nothing
            gap = abs(count - expected)
            plain += gap**2 / expected
            corrected += max(0.0, gap - 0.5) ** 2 / expected
    return any(math.isclose(statistic, value, rel_tol=0.005, abs_tol=0.05) for value in (plain, corrected))


def binomial(draft: Draft) -> None:
    """Successes in trials, against p0."""
    one_sample(draft)
    draft.need("k", "n")
    if draft.p0 is None:
        draft.p0 = 0.5
        draft.flags.append("p0 not given: taken as 0.5")
    if draft.n is None:
        return
    if draft.k is not None and draft.k > draft.n:
        draft.fault("k", f"at most n = {in_words(draft.n)}")
    elif draft.n < 1:
        draft.small("n", "n of at least 1")


def mann_whitney(draft: Draft) -> None:
    """Two groups and U counted for group 2, or a reported z in its place."""
    join_groups(draft)
    if draft.n1 is not None and draft.n2 is not None:
        if min(draft.n1, draft.n2) < 1:
            draft.small("n1" if draft.n1 < 1 else "n2", "n1 and n2 of at least 1")
        else:
            _orient_u(draft, draft.n1, draft.n2)
    draft.need("statistic", "n1", "n2")


def _orient_u(draft: Draft, n1: float, n2: float) -> None:
    """Check U, give z the sign that U implies, or derive U from z; group 1 higher is positive."""
    if draft.statistic is None and draft.z is not None:
        draft.statistic = n1 * n2 / 2 - draft.z * math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12)
        draft.source["statistic"] = draft.source.get("z", "z")
        draft.flags.append("U not given: derived from z without correction for ties")
    if draft.statistic is None:
        return
    if not 0 <= draft.statistic <= n1 * n2:
        draft.fault("statistic", f"a U from 0 to n1 * n2 = {in_words(n1 * n2)}")
    implied = sign(n1 * n2 / 2 - draft.statistic)
    if draft.z is not None and implied * sign(draft.z) < 0:
        draft.note("reported", "z has the sign opposite to that of U (counted for group 2); U decides")
        draft.z = -draft.z

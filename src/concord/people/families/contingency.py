"""Contingency tables: Gûnel-Dickey Bayes factors, and the odds ratio of a 2 x 2 table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from concord.people.evidence import (
    SIGNED,
    Brief,
    Evidence,
    broadcast_like,
    given_first,
    no_effects,
    toward_where_known,
)
from concord.people.families.base import (
    ODDS_TO_D,
    Family,
    HumanEffects,
    Masks,
    TrueEffects,
    Truth,
    column,
    nothing_like,
)
from concord.people.families.draft import Draft, Table, in_words, sign
from concord.people.protocol import Protocol
from concord.people.same_people import SharedPart, two_counts
from concord.records import Side
from concord.stats import bayes, contingency, effects, pvalues, two_rates
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True)
class Tables(Family):
    """Contingency tables of one shape and one sampling plan: ``tables`` is (..., k, R, C)."""

    tables: Floats
    sampling: str
    direction: Floats
    """Given direction, used for tables larger than 2 x 2."""
    p_value: Floats
    table_axes: ClassVar[Mapping[str, int]] = {"tables": 2}

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the tables of some sides of one shape; the design is rows, columns, sampling."""
        tables = np.array([side.table for side in sides], dtype=np.float64)
        return cls(tables, str(design[2]), column(sides, "direction"), column(sides, "p_value"))

    def d(self, protocol: Protocol) -> Floats:
        """Return the d-equivalent of the log odds ratio; larger tables have none."""
        if not self._two_by_two:
            return np.full(self.tables.shape[:-2], np.nan)
        return np.asarray(effects.d_from_log_odds(effects.log_odds_ratio(self.tables)))

    def brief(self, protocol: Protocol) -> Brief:
        """Gûnel-Dickey from the table; a 2 x 2 table has the direction of its rates."""
        return self._brief(protocol, self.p_value)

    def _brief(self, protocol: Protocol, p_value: Floats) -> Brief:
        bf = self._log_bf(protocol)
        if self._two_by_two:
            return Brief(bf, self._prob_positive(protocol), self._rate_difference(), self.d(protocol))
        direction = broadcast_like(self.direction, bf)
        flat = np.arange(bf.size).reshape(bf.shape)
        positive = toward_where_known(direction, p_value, self._p_of, flat)
        return Brief(bf, positive, direction, self.d(protocol))

    @property
    def _two_by_two(self) -> bool:
        return self.tables.shape[-2:] == (2, 2)

    def _p_of(self, flat: NDArray[np.intp]) -> Floats:
        """p-values of some tables, by their place."""
        tables = self.tables.reshape(-1, *self.tables.shape[-2:])[flat]
        result = contingency.chi_square(tables, yates=False)
        return np.asarray(pvalues.p_chi_square(result.statistic, result.df))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Add p and the log odds ratio."""
        total = self.tables.sum(axis=(-2, -1))
        p = given_first(self.p_value, np.asarray(pvalues.p_chi_square(*self._chi_square(yates=False))))
        rest = self._effects() if self._two_by_two else no_effects(total)
        return Evidence.of(self._brief(protocol, p), p_value=p, n_eff=total, **rest)

    def _chi_square(self, *, yates: bool) -> tuple[Floats, Floats]:
        """Pearson's statistic and its df; NaN where a margin is empty."""
        result = contingency.chi_square(self.tables, yates=yates)
        return np.asarray(result.statistic), np.asarray(result.df, dtype=np.float64)

    def _log_bf(self, protocol: Protocol) -> Floats:
        if protocol.chi_square == "gunel-dickey":
            return np.asarray(contingency.log_bf_contingency(self.tables, sampling=self.sampling))
        chi2, df = self._chi_square(yates=self._two_by_two)
        total = self.tables.sum(axis=(-2, -1))
        return np.asarray(bayes.log_bf_chi_square_bic(chi2, df, total))

    def _rate_difference(self) -> Floats:
        """Sign of rate 1 - rate 2 = sign(ad - bc); no direction where a group is empty."""
        a, b, c, d = (self.tables[..., i, j] for i in (0, 1) for j in (0, 1))
        return np.where((a + b > 0) & (c + d > 0), np.sign(a * d - b * c), np.nan)

    def _prob_positive(self, protocol: Protocol) -> Floats:
        if protocol.split != "exact":
            return np.full(self.tables.shape[:-2], np.nan)
        a, b, c, d = (self.tables[..., i, j] for i in (0, 1) for j in (0, 1))
        return np.asarray(two_rates.prob_first_rate_higher(a, a + b, c, c + d))

    def _effects(self) -> dict[str, Floats]:
        log_odds = np.asarray(effects.log_odds_ratio(self.tables))
        return {
            "effect": log_odds,
            "effect_se": np.asarray(effects.log_odds_ratio_se(self.tables)),
            "form": np.full_like(log_odds, SIGNED),
        }

    def draw(self, rng: np.random.Generator, size: int) -> Self:
        """Each row keeps its total and redraws its cells; half a count keeps empty cells possible."""
        totals = self.tables.sum(axis=-1)
        shares = (self.tables + 0.5) / (self.tables + 0.5).sum(axis=-1, keepdims=True)
        shape = (size, *totals.shape)
        if self._two_by_two and isinstance(rng, SharedPart):
            return self._with_counts(rng, totals.astype(np.int64), (shares[:, 0, 0], shares[:, 1, 0]), size)
        cells = rng.multinomial(np.broadcast_to(totals.astype(np.int64), shape), shares)
        return replace(self, tables=cells.astype(np.float64), p_value=np.full(shape[:-1], np.nan))

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """Log odds of a 2 x 2 table on the d scale; shares of the cells of a larger one."""
        if not self._two_by_two:
            return self._shares()
        log_odds = np.asarray(effects.log_odds_ratio(self.tables))
        return HumanEffects.known(
            len(log_odds),
            d=ODDS_TO_D * log_odds,
            se=ODDS_TO_D * np.asarray(effects.log_odds_ratio_se(self.tables)),
            base=self._base(),
        )

    def _base(self) -> Floats:
        """Mean logit of both rates, half a count added to every cell."""
        filled = self.tables + 0.5
        logits = np.log(filled[..., 0] / filled[..., 1])
        return np.asarray(logits.mean(axis=-1))

    def _shares(self) -> HumanEffects:
        """Shares of larger tables: pooled over rows, and the observed ones shrunken by (chi2 - df)/chi2."""
        # Empty rows and columns say nothing: chi2 and df are those of the table without them.
        shares, strength = {}, np.full(len(self.tables), np.nan)
        for place, table in enumerate(self.tables):
            held = table[table.any(axis=1)][:, table.any(axis=0)]
            df = (held.shape[0] - 1) * (held.shape[1] - 1)
            chi2 = float(contingency.chi_square(held).statistic) if df else 0.0
            strength[place] = max(0.0, chi2 - df) / table.sum()
            weight = 1 - df / chi2 if chi2 > df else 0.0
            filled = table + 0.5
            pooled = np.broadcast_to(filled.sum(axis=0) / filled.sum(), table.shape)
            own = filled / filled.sum(axis=1, keepdims=True)
            shares[place] = (np.array(pooled), weight * own + (1 - weight) * pooled)
        return HumanEffects.known(len(self.tables), shares, strength=strength, direction=self.direction)

    def needed(self) -> Masks:
        """Draw a 2 x 2 table from d; larger ones from shares."""
        return {"d": np.ones(len(self.tables), dtype=np.bool_)} if self._two_by_two else {}

    def lacks(self, people: HumanEffects) -> NDArray[np.bool_]:
        """Larger tables need people's shares of the same shape."""
        if self._two_by_two:
            return Family.lacks(self, people)  # slots leave super() no class to start from
        known = [people.shares.get(i) for i in range(len(self.tables))]
        return np.array([pair is None or pair[0].shape != self.tables.shape[-2:] for pair in known])

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> Self:
        """Draw both rates of a 2 x 2 table, or the cells of a larger one."""
        true = truth.needed_by(self.needed())
        return self._drawn_rates(true, rng) if self._two_by_two else self._drawn_cells(truth, true, rng)

    def _drawn_rates(self, true: TrueEffects, rng: np.random.Generator) -> Self:
        """Both rates around the mean logit of people (of the agent, where people have no table)."""
        base = np.where(np.isnan(true.base), self._base(), true.base)
        half = true.d / ODDS_TO_D / 2
        totals = self.tables.sum(axis=-1).astype(np.int64)
        return self._with_counts(rng, totals, (expit(base + half), expit(base - half)), len(true.d))

    def _with_counts(
        self, rng: np.random.Generator, totals: NDArray[np.int64], rates: tuple[Floats, Floats], size: int
    ) -> Self:
        """Draw the first column of 2 x 2 tables with given rows and rates."""
        shape = (size, len(totals))
        first, second = two_counts(rng, (totals[:, 0], totals[:, 1]), rates, shape)
        cells = np.stack([first, totals[:, 0] - first, second, totals[:, 1] - second], axis=-1)
        tables = cells.reshape(*shape, 2, 2).astype(np.float64)
        return replace(self, tables=tables, p_value=np.full(shape, np.nan))

    def _drawn_cells(self, truth: Truth, true: TrueEffects, rng: np.random.Generator) -> Self:
        """Larger tables: each row keeps its total, cells follow the shares of people or the pooled ones."""
        shares = np.array([truth.people.shares[i][0 if truth.null else 1] for i in range(len(self.tables))])
        totals = self.tables.sum(axis=-1).astype(np.int64)
        size = len(truth.d)
        cells = rng.multinomial(np.broadcast_to(totals, (size, *totals.shape)), shares).astype(np.float64)
        drawn = true.directed(true.d.shape, rng)
        direction = np.where(np.abs(self.direction) == 1, drawn, broadcast_like(self.direction, true.d))
        return replace(self, tables=cells, direction=direction, p_value=nothing_like(true.d))

    def outcome_codes(self) -> tuple[NDArray[np.int64], int] | None:
        """Return the first column of a 2 x 2 table, which says all: its row totals are fixed."""
        if not self._two_by_two:
            return None
        first, second = (self.tables[..., row, 0].astype(np.int64) for row in (0, 1))
        totals = self.tables[0].sum(axis=-1).astype(np.int64) + 1
        return numbered(first * totals[:, 1] + second, totals[:, 0] * totals[:, 1])


def numbered(counts: NDArray[np.int64], widths: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return outcomes (B, k), each test in a range of its own, and the end of the last range."""
    ends = np.cumsum(widths)
    return np.asarray(ends - widths + counts), int(ends[-1])


def table_sign(table: Table | None) -> tuple[int, str] | None:
    """Return the sign that a 2 x 2 table shows: that of rate 1 - rate 2."""
    if table is None or len(table) != 2 or len(table[0]) != 2:
        return None
    (a, b), (c, d) = table
    return sign(a * d - b * c), "table"


def check_table(draft: Draft, table: Table) -> None:
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

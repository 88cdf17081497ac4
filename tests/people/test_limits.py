"""Limits of what is read and shown about people, and what lies on them."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from concord.errors import FileFormatError
from concord.files.tables import TableOptions
from concord.number_words import p_words
from concord.people.agent_tables import choices_of
from concord.people.answers.outcome import _explained
from concord.people.families.contingency import Tables
from concord.people.mixed.table import _other_population
from concord.people.results.agent_pairs import _direct_errors
from concord.people.same_people import binomial_at
from concord.people.studies import scoring
from concord.people.table import agents
from concord.people.table.read import left_out


def test_twelve_choices_are_shown_below_the_agents() -> None:
    parts = [f"p{i:02}" for i in range(13)]
    found = choices_of(["/".join(parts), "/".join([*parts, "x"]), "other/y"])
    assert list(found) == parts[:12]
    assert set(found.values()) == {(True, True, False)}


def test_twenty_further_sheets_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | None] = []

    def grid(_: Any, options: TableOptions) -> None:
        seen.append(options.sheet)
        raise FileFormatError("no table")

    monkeypatch.setattr(agents, "other_sheets", lambda *_: [str(i) for i in range(25)])
    monkeypatch.setattr(agents, "_grid", grid)
    assert agents._on_another_sheet("book.xlsx", None, TableOptions()) is None
    assert seen == [str(i) for i in range(20)]


@pytest.mark.parametrize(("length", "shown"), [(200, "a" * 200), (201, "a" * 199 + "…")])
def test_a_cell_that_is_left_out_is_shown_up_to_two_hundred_characters(length: int, shown: str) -> None:
    place = {"file": "t", "sheet": None, "row": 2, "column": "human_n", "part": "", "agent": None}
    problem: Any = SimpleNamespace(**place, value="a" * length, expected="a number")
    found = left_out(problem)
    assert (found.value, found.reason) == (shown, "only words")


def test_errors_need_as_many_studies_as_may_be_missing() -> None:
    """Of four studies one may be missing: 1, 2 and 3 vary by 2 about their mean."""
    d = np.array([[1, 2, np.nan, 3], [1, 2, np.nan, np.nan], [2, 2, 2, 2]])
    found = _direct_errors(d, 0.5, 0.25)
    assert found[0] == pytest.approx(np.sqrt(0.5 * 4 / 3 * 2))
    assert np.isnan(found[1:]).all()


def test_binomial_quantiles_are_those_of_scipy_in_tables_and_one_by_one() -> None:
    z = np.random.default_rng(1).normal(size=(40, 3))
    n, p = np.array([5, 30, 200]), np.array([0.1, 0.5, 0.97])
    wanted = stats.binom.ppf(stats.norm.cdf(z), n, p)
    assert (binomial_at(z, n, p) == wanted).all()
    assert (binomial_at(z.ravel(), np.tile(n, 40), np.tile(p, 40)) == wanted.ravel()).all()


def test_a_covariance_is_divided_between_groups_where_it_is_twice_its_error() -> None:
    shown = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        g = np.repeat([0, 1, 2], 8)
        h = rng.normal(size=24) + 0.4 * g
        a = 0.3 * h + rng.normal(size=24)
        total = (h - h.mean()) * (a - a.mean())
        t = total.sum() / 23
        within = sum(np.cov(h[g == k], a[g == k])[0, 1] * 7 for k in range(3)) / 21
        found = _explained(SimpleNamespace(human=h, agent=a, group=g, weight=None), 0.95)  # type: ignore[arg-type]
        shown.append(t >= 2 * total.std() / np.sqrt(24))
        assert (found.value is not None) == shown[-1]
        assert found.value is None or found.value == pytest.approx(1 - within / t)
    assert 10 < sum(shown) < 50


def test_unread_answers_are_told_of_above_two_in_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_of_test", lambda *_: [SimpleNamespace(key="k")])
    study = SimpleNamespace(study="S", findings={"F": SimpleNamespace(tests=[None])})

    def told(lost: int) -> tuple[str, ...]:
        plan = SimpleNamespace(study=study, file=SimpleNamespace(file=None))
        found = scoring.answers_of([SimpleNamespace(plan=plan, n_unread=(lost, 1000))], None)  # type: ignore[list-item]
        assert found is not None
        return found.warnings

    assert told(20) == ()
    assert told(21) == ("S: 21 of 1,000 answers could not be read; these are distributions of the others",)


def _alternating(n: int, low: float, high: float) -> np.ndarray:
    return np.resize([low, high], n).astype(float)


def test_other_predictions_are_told_of_where_they_are_apart_by_more_than_chance() -> None:
    """Halves of 0 and 2 against halves of x and 2 + x, 100 and 60: gap x, variances 100/99 and 60/59."""
    error = (1 / 99 + 1 / 59) ** 0.5
    for gap in (2.5 * error, 2.65 * error):  # p of .012 and of .008
        own, more = _alternating(100, 0, 2), _alternating(60, gap, 2 + gap)
        p = 2 * stats.norm.sf(gap / error)
        sd = ((100 / 99 + 60 / 59) / 2) ** 0.5
        said = [f"x of the people and of the further predictions differ by {gap / sd:.2f} SD ({p_words(p)}): "
                "they seem to come from different populations"]  # fmt: skip
        assert list(_other_population("x", (own, None), (more, None))) == (said if p < 0.01 else [])
    two = np.array([0.0, 0.1])
    assert list(_other_population("x", (two, None), (two + 5, None)))
    assert not list(_other_population("x", (two[:1], None), (two + 5, None)))
    many = _alternating(40_000, 0, 2)
    apart = [bool(list(_other_population("x", (many, None), (many + gap, None)))) for gap in (0.099, 0.101)]
    assert apart == [False, True]


def test_shares_of_large_tables_are_shrunken_to_those_of_all_rows() -> None:
    """Half an answer more in each cell; chi-square less its degrees of freedom is the strength."""
    table = np.array([[30.0, 10, 5], [10, 20, 0], [0, 0, 0]])
    found = Tables(table[None], "rows", np.full(1, np.nan), np.full(1, np.nan))._shares()
    chi2 = stats.chi2_contingency(table[:2], correction=False).statistic
    filled = table + 0.5
    none = np.tile(filled.sum(axis=0) / 79.5, (3, 1))
    own = filled / filled.sum(axis=1, keepdims=True)
    pooled, shrunken = found.shares[0]
    assert pooled == pytest.approx(none)
    assert shrunken == pytest.approx(own - 2 / chi2 * (own - none))
    assert found.strength == pytest.approx([(chi2 - 2) / 75])

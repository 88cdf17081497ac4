"""Trees of tests and blocks of resamples drawn from them."""

from math import comb, factorial, prod

import numpy as np
import pytest
from scipy import stats

from concord.errors import OptionError
from concord.stats import tree as module
from concord.stats.tree import catalogue_of, draw_block, tree_of


def indices(sizes: list[list[int]]) -> tuple[list[int], list[int]]:
    """Study and finding of every test; ``sizes`` holds, per study, the tests in each finding."""
    study = [s for s, findings in enumerate(sizes) for n in findings for _ in range(n)]
    finding = [f for findings in sizes for f, n in enumerate(findings) for _ in range(n)]
    return study, finding


def test_a_tree_is_read_off_sorted_indices() -> None:
    tree = tree_of(*indices([[2, 1], [3]]))
    assert (tree.starts.tolist(), tree.sizes.tolist()) == ([0, 2, 3], [2, 1, 3])
    assert (tree.study_first.tolist(), tree.study_sizes.tolist(), tree.n_tests) == ([0, 2], [2, 1], 6)


@pytest.mark.parametrize(
    ("study", "finding"),
    [([0, 1, 0], [0, 0, 0]), ([0, 0, 0], [0, 1, 0]), ([1, 0], [0, 0]), ([0, 0], [1, 0])],
)
def test_unsorted_tests_are_refused(study: list[int], finding: list[int]) -> None:
    with pytest.raises(OptionError, match="sorted by study, then by finding"):
        tree_of(study, finding)


def test_no_tests_are_refused() -> None:
    with pytest.raises(OptionError, match="no tests"):
        tree_of([], [])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_states_are_all_multisets_with_their_multinomial_chances(n: int) -> None:
    states, lookup = module._states_of(n)
    assert len(states) == comb(2 * n - 1, n)
    chances = np.bincount(lookup) / n**n
    for state, chance in zip(states, chances, strict=True):
        orders = factorial(n) / prod(factorial(int(count)) for count in np.bincount(state))
        assert chance == pytest.approx(orders / n**n, rel=1e-12)


def test_the_catalogue_holds_the_tests_of_its_findings_and_skips_large_ones() -> None:
    catalogue = catalogue_of(tree_of(*indices([[2, 7], [1, 2]])))
    rows = np.split(catalogue.states.tests, catalogue.states.bounds[1:-1])
    assert [row.tolist() for row in rows] == [[9], [0, 0], [0, 1], [1, 1], [10, 10], [10, 11], [11, 11]]
    assert catalogue.first_state.tolist() == [1, -1, 0, 4]
    assert catalogue.n_drawn_apart == 1


def test_tabulation_stops_where_states_would_be_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tree_of(*indices([[1, 2, 3, 4, 5]]))
    monkeypatch.setattr(module, "MOST_STATES", 1 + 3 + 10 + 5)
    assert (catalogue_of(tree).first_state < 0).tolist() == [False, False, False, True, True]
    monkeypatch.setattr(module, "MOST_STATES", 0)
    assert (catalogue_of(tree).first_state < 0).tolist() == [False, True, True, True, True]


@pytest.mark.parametrize("most", [250_000, 0])
def test_draws_follow_the_tree_tabulated_or_not(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # chance of a test at each of its places: 1 / studies, 1 / findings of the study, 1 / tests of the finding
    monkeypatch.setattr(module, "MOST_STATES", most)
    sizes = [[2, 3], [1], [4, 1, 6]]
    tree = tree_of(*indices(sizes))
    catalogue = catalogue_of(tree)
    draw = draw_block(catalogue, 20_000, np.random.default_rng(1))
    assert draw.study_starts.size == 3 * 20_000
    counts = np.zeros(tree.n_tests)
    for part, selection in ((draw.tabulated, catalogue.states), (draw.apart, draw.selection)):
        if part is not None and selection is not None:
            times = np.bincount(part.states, minlength=selection.n_rows)
            counts += times @ selection.matrix(tree.n_tests)
    # every test is drawn once per replicate on average, whatever the sizes
    assert counts == pytest.approx(20_000, rel=0.06)
    drawn = np.bincount(draw.study_sizes, minlength=4)[[2, 1, 3]]
    assert stats.chisquare(drawn).pvalue > 1e-3

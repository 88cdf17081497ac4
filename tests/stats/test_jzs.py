"""The JZS integral at shared nodes against the rules that find a range for every test."""

import numpy as np
import pytest

from concord.stats import jzs
from concord.stats.bayes import log_bf_anova, log_bf_t
from concord.stats.elementwise import Floats
from concord.stats.jzs import log_integrals

N = 4000


def t_tests(rng: np.random.Generator, largest: float) -> tuple[Floats, ...]:
    """Two-sample t tests of 2 to `largest` participants per group, with far outliers among t and r."""
    n1, n2 = np.exp(rng.uniform(np.log(2), np.log(largest), (2, N))).round()
    t, r = 3 * rng.standard_t(1, N), np.exp(rng.uniform(np.log(0.1), np.log(2), N))
    return n1 * n2 / (n1 + n2) * r * r, n1 + n2 - 1, np.ones(N), t * t, n1 + n2 - 2


def f_tests(rng: np.random.Generator, largest: float) -> tuple[Floats, ...]:
    df1, df2 = (
        rng.integers(2, 15, N).astype(float),
        np.exp(rng.uniform(np.log(2), np.log(largest), N)).round(),
    )
    f, r = np.exp(rng.normal(0, 2, N)), np.exp(rng.uniform(np.log(0.1), np.log(2), N))
    return (df1 + df2 + 1) / (df1 + 1) * r * r, df1 + df2, df1, df1 * f, df2


@pytest.mark.parametrize("largest", [30.0, 500.0, 1e5])
@pytest.mark.parametrize("tests", [t_tests, f_tests])
def test_shared_nodes_give_what_the_range_of_every_test_gives(tests: object, largest: float) -> None:
    assert callable(tests)
    kernel = jzs.Kernel(*tests(np.random.default_rng(8), largest))
    values, known = log_integrals(kernel.parts())
    assert 0.3 < known.mean() < 1.0
    own = jzs._by_own_range(kernel)
    assert np.abs(values[known] - own[known]).max() < 1e-11
    assert np.isnan(values[~known]).all()


def test_usual_tests_are_all_served_by_shared_nodes() -> None:
    rng = np.random.default_rng(9)
    n1, n2 = rng.integers(10, 500, (2, N)).astype(float)
    t = rng.normal(0, 2.5, N)
    kernel = jzs.Kernel(n1 * n2 / (n1 + n2) / 2, n1 + n2 - 1, np.ones(N), t * t, n1 + n2 - 2)
    assert log_integrals(kernel.parts())[1].all()


def test_a_test_has_one_answer_alone_and_among_many() -> None:
    rng = np.random.default_rng(10)
    t, n = rng.normal(0, 3, 300), rng.integers(3, 3000, 300).astype(float)
    together = np.asarray(log_bf_t(t, n, n + 1))
    alone = [log_bf_t(one, size, size + 1) for one, size in zip(t, n, strict=True)]
    assert np.abs(together - alone).max() < 1e-12 * np.maximum(1, np.abs(together)).max()


def test_degrees_of_freedom_that_are_not_whole_keep_their_own_range() -> None:
    kernel = jzs.Kernel(*(np.array([x]) for x in (10.0, 60.0, 2.5, 8.0, 57.5)))
    assert not log_integrals(kernel.parts())[1].any()
    below, between, above = (float(np.asarray(log_bf_anova(3.0, df1, 60.0))) for df1 in (2.0, 2.5, 3.0))
    assert min(below, above) < between < max(below, above)


def test_directions_at_shared_nodes_are_those_of_every_own_range() -> None:
    rng = np.random.default_rng(11)
    a, m, _, s, d = t_tests(rng, 500.0)
    t = np.sqrt(s) * rng.choice([-1.0, 1.0], N)
    kernel = jzs.Kernel(a, m, np.ones(N), s, d)
    own = jzs._one_by_length(kernel, jzs._prob_positive, t)
    assert np.abs(jzs.prob_positive(a, m, t, d) - own).max() < 1e-11

"""Hierarchical bootstrap over studies, findings and tests."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from concord.errors import OptionError, UndefinedError
from concord.stats import hierarchical, tree
from concord.stats.agreement import concordance
from concord.stats.hierarchical import HierarchicalResult, ScoredTests, hierarchical_bootstrap
from concord.stats.pooling import pool_pas
from concord.stats.resample import generator, seeds
from concord.stats.tree import catalogue_of, draw_block, tree_of

UNEVEN = [[1], [2, 3, 1], [5, 8], [1, 1, 1, 4], [7]]
TINY = [[1, 2], [1]]
Replicate = list[list[list[int]]]
"""Drawn studies of drawn findings of drawn tests."""


def scored(
    sizes: list[list[int]], *, models: int | None = None, seed: int = 0, missing: float = 0.0
) -> ScoredTests:
    """Invented tests; ``sizes`` holds, per study, the tests in each finding."""
    rng = np.random.default_rng(seed)
    study = [s for s, findings in enumerate(sizes) for n in findings for _ in range(n)]
    finding = [f for findings in sizes for f, n in enumerate(findings) for _ in range(n)]
    shape = (len(study),) if models is None else (models, len(study))
    human = rng.normal(0.4, 0.5, len(study))
    agent = human + rng.normal(0.1, 0.4, shape)
    pas = rng.beta(2, 1, shape)
    agent[rng.random(shape) < missing] = np.nan
    pas[rng.random(shape) < missing] = np.nan
    return ScoredTests(study, finding, pas, rng.integers(10, 300, shape), human, agent)


def run(tests: ScoredTests, n_resamples: int = 300, seed: int = 1) -> HierarchicalResult:
    return hierarchical_bootstrap(tests, n_resamples=n_resamples, rng=np.random.default_rng(seed))


def unfolded(tests: ScoredTests, n_resamples: int = 300, seed: int = 1) -> list[Replicate]:
    """The very draws of `run`, as nested lists of tests."""
    rng = np.random.default_rng(seed)
    catalogue = catalogue_of(tree_of(tests.study, tests.finding))
    replicates: list[Replicate] = []
    for block, child in enumerate(seeds(rng, -(-n_resamples // 250))):
        draw = draw_block(catalogue, min(250, n_resamples - 250 * block), generator(rng, child))
        found: list[list[int]] = [[] for _ in range(draw.n_findings)]
        for part, selection in ((draw.tabulated, catalogue.states), (draw.apart, draw.selection)):
            if part is not None and selection is not None:
                for place, state in zip(np.arange(draw.n_findings)[part.chosen], part.states, strict=True):
                    found[place] = selection.tests[slice(*selection.bounds[state : state + 2])].tolist()
        spans = zip(draw.study_starts.tolist(), draw.study_sizes.tolist(), strict=True)
        studies = [found[begin : begin + n] for begin, n in spans]
        each = len(studies) // draw.n_replicates
        replicates += [studies[k : k + each] for k in range(0, len(studies), each)]
    return replicates


def slow_pas(replicate: Replicate, pas: np.ndarray, n_eff: np.ndarray) -> float:
    """Mean over drawn studies of the mean over drawn findings of the pooled PAS, by the definition."""
    studies = []
    for study in replicate:
        findings = []
        for drawn in study:
            try:
                findings.append(float(pool_pas(pas[drawn], n_eff[drawn])))
            except UndefinedError:
                continue
        if findings:
            studies.append(np.mean(findings))
    return float(np.mean(studies)) if studies else float("nan")


def slow_ecs(replicate: Replicate, human: np.ndarray, agent: np.ndarray) -> float:
    """Concordance over drawn tests, weights counted over those with both effects, by the definition."""
    defined = ~np.isnan(human + agent)
    places, weights = [], []
    for study in replicate:
        findings = [[test for test in drawn if defined[test]] for drawn in study]
        findings = [drawn for drawn in findings if drawn]
        for drawn in findings:
            places += drawn
            weights += [1 / len(findings) / len(drawn)] * len(drawn)
    try:
        return float(concordance(human[places], agent[places], weights))
    except UndefinedError:
        return float("nan")


def assert_follows_the_definition(tests: ScoredTests, result: HierarchicalResult) -> None:
    """Every replicate of every model equals the slow loop on the same draws."""
    draws = unfolded(tests)
    human, n_eff = (
        np.atleast_2d(np.asarray(tests.human_d)),
        np.atleast_2d(np.asarray(tests.n_eff, dtype=float)),
    )
    for model, (pas, agent) in enumerate(
        zip(np.atleast_2d(tests.pas), np.atleast_2d(tests.agent_d), strict=True)
    ):
        weights, x = n_eff[min(model, len(n_eff) - 1)], human[min(model, len(human) - 1)]
        slow = [slow_pas(replicate, pas, weights) for replicate in draws]
        np.testing.assert_allclose(np.atleast_2d(result.pas)[model], slow, atol=1e-12)
        slow = [slow_ecs(replicate, x, agent) for replicate in draws]
        np.testing.assert_allclose(np.atleast_2d(result.ecs)[model], slow, atol=1e-10)


# --- the same numbers as slow loops -----------------------------------------------------------------


@pytest.mark.parametrize("sizes", [UNEVEN, TINY, [[5] * 4] * 6, [[9, 6], [12]]])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_replicates_equal_slow_loops_on_the_same_draws(sizes: list[list[int]], missing: float) -> None:
    tests = scored(sizes, missing=missing)
    assert_follows_the_definition(tests, run(tests))


def test_many_models_with_holes_of_their_own_equal_slow_loops() -> None:
    tests = scored(UNEVEN, models=4, missing=0.25)
    tests = replace(tests, human_d=np.where(np.arange(34) % 11 == 3, np.nan, tests.human_d))
    assert_follows_the_definition(tests, run(tests))


def test_human_effects_may_differ_by_model_and_weights_may_be_shared_or_zero() -> None:
    tests = scored(UNEVEN, models=3)
    human = np.random.default_rng(3).normal(size=(3, 34))
    n_eff = np.where(np.arange(34) % 3 == 0, 25.0, 0.0)
    tests = replace(tests, human_d=human, n_eff=n_eff)
    assert_follows_the_definition(tests, run(tests))


def test_a_lone_test_is_not_clamped_and_several_are() -> None:
    tests = scored([[1], [2], [1, 7]])
    tests = replace(tests, pas=np.where(np.arange(11) % 2 == 0, 1.0, 0.0))
    result = run(tests)
    assert_follows_the_definition(tests, result)
    assert result.pas.max() == 1.0


def test_replicates_with_hardly_any_spread_are_as_exact_as_others() -> None:
    # replicates without the first study vary by a millionth of the distance to it
    tests = scored([[1], [1], [2, 6]])
    step = 1e-3 * np.random.default_rng(4).normal(size=(2, 10))
    human, agent = np.array([1000.0, *np.zeros(9)]) + step[0], np.array([900.0, *np.zeros(9)]) + step[1]
    tests = replace(tests, human_d=human, agent_d=agent)
    assert_follows_the_definition(tests, run(tests))


def test_effects_far_from_zero_do_not_cancel() -> None:
    tests = scored(UNEVEN)
    near = run(tests)
    far = run(
        replace(
            tests, human_d=np.asarray(tests.human_d) + 2.0**20, agent_d=np.asarray(tests.agent_d) + 2.0**20
        )
    )
    np.testing.assert_allclose(far.ecs, near.ecs, atol=1e-8)


def test_one_finding_with_one_test_each_is_the_bootstrap_of_studies() -> None:
    tests = scored([[1]] * 9)
    result = run(tests)
    picks = np.array([[finding[0][0] for finding in study] for study in unfolded(tests)])
    np.testing.assert_allclose(result.pas, np.asarray(tests.pas)[picks].mean(axis=1), atol=1e-14)
    ecs = concordance(np.asarray(tests.human_d)[picks], np.asarray(tests.agent_d)[picks])
    np.testing.assert_allclose(result.ecs, np.asarray(ecs), atol=1e-12)


def test_distribution_is_that_of_an_independent_loop() -> None:
    tests = scored([[1, 2], [3], [2, 2, 6]])
    result = run(tests, n_resamples=4000)
    draw = random.Random(5)
    nested: Replicate = [[[0], [1, 2]], [[3, 4, 5]], [[6, 7], [8, 9], [10, 11, 12, 13, 14, 15]]]
    pas, ecs = [], []
    for _ in range(2000):
        replicate = [
            [draw.choices(finding, k=len(finding)) for finding in draw.choices(study, k=len(study))]
            for study in draw.choices(nested, k=3)
        ]
        pas.append(slow_pas(replicate, np.asarray(tests.pas), np.asarray(tests.n_eff)))
        ecs.append(slow_ecs(replicate, np.asarray(tests.human_d), np.asarray(tests.agent_d)))
    assert stats.ks_2samp(result.pas, pas).pvalue > 1e-3
    assert stats.ks_2samp(result.ecs[~np.isnan(result.ecs)], np.array(ecs)[~np.isnan(ecs)]).pvalue > 1e-3


def test_two_studies_by_hand() -> None:
    # one test each: both PAS, or one of them twice, with chances 1/4, 1/2, 1/4
    tests = ScoredTests([0, 1], [0, 0], [0.2, 0.8], [1, 1], [0.1, 0.5], [0.2, 0.9])
    values, counts = np.unique(run(tests, n_resamples=4000).pas.round(12), return_counts=True)
    assert values.tolist() == [0.2, 0.5, 0.8]
    assert stats.chisquare(counts, [1000, 2000, 1000]).pvalue > 1e-3


# --- properties -------------------------------------------------------------------------------------


def test_human_data_on_both_sides_agree_exactly_in_every_replicate() -> None:
    tests = scored(UNEVEN)
    result = run(replace(tests, agent_d=tests.human_d))
    defined = result.ecs[~np.isnan(result.ecs)]
    assert defined.size > 250
    assert np.all(defined == 1.0)
    assert result.ecs_estimates[0].value == 1.0
    assert result.ecs_estimates[0].interval is None
    assert "every replicate gave the same value" in result.ecs_estimates[0].note


def test_values_are_those_of_the_tests_themselves() -> None:
    tests = scored(UNEVEN, models=2, missing=0.2)
    result = run(tests)
    nested: Replicate = [[[0]], [[1, 2], [3, 4, 5], [6]]]
    nested += [[list(range(7, 12)), list(range(12, 20))]]
    nested += [[[20], [21], [22], list(range(23, 27))], [list(range(27, 34))]]
    for model in range(2):
        pas, agent = np.asarray(tests.pas)[model], np.asarray(tests.agent_d)[model]
        n_eff = np.asarray(tests.n_eff)[model]
        estimate = result.pas_estimates[model]
        assert estimate.value == pytest.approx(slow_pas(nested, pas, n_eff), abs=1e-14)
        assert (estimate.n, estimate.n_left_out) == (np.sum(~np.isnan(pas)), np.sum(np.isnan(pas)))
        expected = slow_ecs(nested, np.asarray(tests.human_d), agent)
        assert result.ecs_estimates[model].value == pytest.approx(expected, abs=1e-14)


def test_intervals_are_percentiles_of_the_replicates() -> None:
    result = hierarchical_bootstrap(scored(UNEVEN), n_resamples=999, level=0.8, rng=np.random.default_rng(2))
    interval = result.pas_estimates[0].interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx(np.quantile(result.pas, [0.1, 0.9]))
    assert (interval.level, interval.method) == (0.8, "hierarchical percentile bootstrap")
    assert result.pas_estimates[0].method == "hierarchical bootstrap, 999 replicates"


def test_a_model_alone_has_the_replicates_it_has_among_others() -> None:
    tests = scored(UNEVEN, models=5, missing=0.1)
    together = run(tests)
    for model in range(5):
        fields = {name: np.asarray(getattr(tests, name))[model] for name in ("pas", "n_eff", "agent_d")}
        alone = run(replace(tests, **fields))
        assert alone.pas.shape == (300,)
        np.testing.assert_allclose(alone.pas, together.pas[model], atol=1e-14)
        np.testing.assert_allclose(alone.ecs, together.ecs[model], atol=1e-12)


def test_same_seed_same_bytes_whatever_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    tests = scored(UNEVEN, models=6, missing=0.1)
    first = run(tests)
    again = run(tests)
    assert (first.pas.tobytes(), first.ecs.tobytes()) == (again.pas.tobytes(), again.ecs.tobytes())
    monkeypatch.setattr(hierarchical, "TABLE_BYTES", 1)  # every model on its own
    small = run(tests)
    np.testing.assert_allclose(small.pas, first.pas, atol=1e-14)
    np.testing.assert_allclose(small.ecs, first.ecs, atol=1e-12)
    assert run(tests, seed=2).pas.tobytes() != first.pas.tobytes()


def test_the_first_block_does_not_depend_on_how_many_follow() -> None:
    tests = scored(UNEVEN)
    np.testing.assert_array_equal(run(tests, n_resamples=250).pas, run(tests, n_resamples=700).pas[:250])


def test_tabulated_and_untabulated_findings_have_one_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    tests = scored([[3, 2], [4], [5, 1]])
    tabulated = run(tests, n_resamples=4000)
    monkeypatch.setattr(tree, "MOST_STATES", 0)
    one_by_one = run(tests, n_resamples=4000, seed=2)
    assert stats.ks_2samp(tabulated.pas, one_by_one.pas).pvalue > 1e-3
    assert stats.ks_2samp(tabulated.ecs, one_by_one.ecs, nan_policy="omit").pvalue > 1e-3


# --- undefined --------------------------------------------------------------------------------------


def test_resamples_with_two_constant_profiles_are_undefined_and_counted() -> None:
    # three studies of one test: one replicate in nine draws a single study
    tests = scored([[1]] * 3)
    result = run(tests, n_resamples=3000)
    undefined = int(np.isnan(result.ecs).sum())
    assert undefined == pytest.approx(3000 / 9, abs=4 * np.sqrt(3000 * 8 / 81))
    assert not np.isnan(result.pas).any()
    assert result.ecs_estimates[0].note == f"{undefined} of 3000 resamples were undefined"
    assert result.ecs_estimates[0].interval is not None


def test_two_different_constants_have_no_concordance() -> None:
    tests = replace(scored(UNEVEN), human_d=np.full(34, 0.1), agent_d=np.full(34, 0.7))
    result = run(tests)
    assert np.isnan(result.ecs).all()
    assert (result.ecs_estimates[0].value, result.ecs_estimates[0].interval) == (None, None)
    assert "300 of 300 resamples were undefined" in result.ecs_estimates[0].note


def test_a_model_without_any_numbers_is_undefined_beside_others() -> None:
    tests = scored(UNEVEN, models=2)
    pas, agent = np.array(tests.pas), np.array(tests.agent_d)
    pas[0], agent[0] = np.nan, np.nan
    result = run(replace(tests, pas=pas, agent_d=agent))
    assert np.isnan(result.pas[0]).all()
    assert np.isnan(result.ecs[0]).all()
    assert result.pas_estimates[0].value is None
    assert "undefined: 0 of 34 tests can be used" in result.pas_estimates[0].note
    assert result.pas_estimates[1].value is not None
    assert not np.isnan(result.pas[1]).any()


def test_ecs_needs_three_tests_with_both_effects() -> None:
    tests = scored([[1]] * 4)
    agent = np.array([0.1, 0.5, np.nan, np.nan])
    result = run(replace(tests, agent_d=agent))
    assert result.ecs_estimates[0].value is None
    assert "2 of 4 tests can be used" in result.ecs_estimates[0].note


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pas": [0.5]}, "pas must have 4 tests on its last axis"),
        ({"pas": [0.5, 0.5, 0.5, 1.5]}, r"pas must lie in \[0, 1\]"),
        ({"agent_d": [0.5, 0.5, 0.5, np.inf]}, "agent_d holds an infinite value"),
        ({"n_eff": [1, 1, 1, -1]}, "n_eff must be known and not negative"),
        ({"n_eff": [1, 1, 1, np.nan]}, "n_eff must be known and not negative"),
        ({"pas": np.full((2, 4), 0.5), "agent_d": np.zeros((3, 4))}, r"number of models: \[2, 3\]"),
        ({"study": [1, 0, 0, 0]}, "sorted by study"),
    ],
)
def test_unusable_input_is_refused_by_the_name_of_its_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        run(replace(scored([[1]] * 4), **change))


def test_options_out_of_range_are_refused() -> None:
    with pytest.raises(OptionError, match="at least one resample"):
        run(scored(TINY), n_resamples=0)
    with pytest.raises(OptionError, match="between 0 and 1"):
        hierarchical_bootstrap(scored(TINY), level=95, rng=np.random.default_rng())

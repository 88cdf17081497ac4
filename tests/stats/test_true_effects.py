"""True effects drawn from the distribution behind published ones."""

import numpy as np
import pytest

from concord.errors import OptionError
from concord.stats.true_effects import GROUPS, STATES, EffectStates, draw_true_effects, groups_of_chains


def published(truth: np.ndarray, se: float, seed: int) -> np.ndarray:
    return truth + np.random.default_rng(seed).normal(0, se, truth.size)


def test_effects_that_are_all_alike_are_drawn_alike() -> None:
    seen = published(np.full(24, 0.45), 0.2, 1)
    drawn = draw_true_effects(seen, np.full(24, 0.2), n_draws=1000, rng=np.random.default_rng(2))
    assert drawn.mean() == pytest.approx(0.45, abs=0.08)
    assert drawn.std() < 0.75 * seen.std()


def test_a_large_outlier_is_left_where_it_is() -> None:
    seen = np.append(published(np.full(23, 0.15), 0.1, 3), 3.0)
    drawn = draw_true_effects(seen, np.full(24, 0.1), n_draws=500, rng=np.random.default_rng(4))
    assert drawn[:, -1].mean() == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize("seed", [1, 2])
def test_true_effects_lie_inside_their_draws_as_often_as_they_should(seed: int) -> None:
    rng, inside = np.random.default_rng(seed), []
    for _ in range(12):
        truth = np.where(rng.random(24) < 0.5, 0.0, rng.normal(0.5, 0.2, 24))
        se = rng.uniform(0.15, 0.3, 24)
        drawn = draw_true_effects(truth + rng.normal(0, se), se, n_draws=400, rng=rng)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        inside.append(np.mean((low <= truth) & (truth <= high)))
    assert 0.9 <= np.mean(inside) <= 1.0


def test_mirrored_effects_are_drawn_mirrored_in_distribution() -> None:
    seen, se = published(np.linspace(-0.2, 0.9, 12), 0.2, 5), np.full(12, 0.2)
    up = draw_true_effects(seen, se, n_draws=4000, rng=np.random.default_rng(6)).mean(axis=0)
    down = draw_true_effects(-seen, se, n_draws=4000, rng=np.random.default_rng(7)).mean(axis=0)
    assert np.abs(up + down).max() < 0.06


def test_one_seed_gives_one_answer_and_unknown_effects_stay_unknown() -> None:
    seen, se = np.array([0.3, np.nan, 0.5]), np.array([0.1, 0.1, 0.2])
    first, second = (draw_true_effects(seen, se, n_draws=50, rng=np.random.default_rng(8)) for _ in range(2))
    assert first.shape == (50, 3)
    assert np.array_equal(first, second, equal_nan=True)
    assert np.isnan(first[:, 1]).all()
    assert not np.isnan(first[:, [0, 2]]).any()
    assert np.isnan(draw_true_effects([np.nan], [0.1], n_draws=2, rng=np.random.default_rng(0))).all()


def test_many_draws_use_every_state_several_times_and_agree_with_few() -> None:
    seen, se = published(np.full(10, 0.4), 0.2, 9), np.full(10, 0.2)
    many = draw_true_effects(seen, se, n_draws=9000, rng=np.random.default_rng(1))
    few = draw_true_effects(seen, se, n_draws=3000, rng=np.random.default_rng(2))
    assert many.shape == (9000, 10)
    assert np.abs(many.mean(axis=0) - few.mean(axis=0)).max() < 0.03
    assert np.abs(many.std(axis=0) / few.std(axis=0) - 1).max() < 0.12


def test_groups_of_chains_draw_from_one_distribution_and_have_seeds_of_their_own() -> None:
    seen, se = published(np.repeat([0.0, 0.5], 8), 0.15, 10), np.full(16, 0.15)
    groups = groups_of_chains(seen, se, n_draws=STATES + 1, seed=np.random.SeedSequence(3))
    assert len(groups) == GROUPS
    states = [group.run() for group in groups]
    assert not np.array_equal(states[0].parts, states[1].parts)
    rows, rng = np.arange(4000), np.random.default_rng(4)
    each = np.stack([EffectStates.beside([one]).draw(rows, rng).mean(axis=0) for one in states])
    together = EffectStates.beside(states).draw(rows, rng).mean(axis=0)
    assert np.abs(each - together).max() < 0.04


def test_rows_come_from_all_chains_in_turn_and_begin_anew_after_the_last_state() -> None:
    seen, se = np.array([0.3, 0.5]), np.array([0.1, 0.2])
    (chains,) = groups_of_chains(seen, se, n_draws=6, seed=np.random.SeedSequence(5), n_chains=3)
    states = chains.run()
    assert states.parts.shape == (2, 3, 2)
    first, again = (states.draw(rows, np.random.default_rng(1)) for rows in (np.arange(6), np.arange(6, 12)))
    assert np.array_equal(first, again)


def test_impossible_errors_are_refused() -> None:
    with pytest.raises(OptionError, match="positive standard errors"):
        draw_true_effects([0.1], [0.0], n_draws=5, rng=np.random.default_rng(0))
    with pytest.raises(OptionError, match="one standard error per test"):
        draw_true_effects([0.1, 0.2], [0.1], n_draws=5, rng=np.random.default_rng(0))


# effects that were published because they were significant


def selected_sizes(n: int, seed: int, k: int = 24) -> tuple[float, float, np.ndarray]:
    """Mean size of the true effects of selected studies, as published, and as drawn with selection undone."""
    rng = np.random.default_rng([n, seed])
    true = 0.5 * rng.standard_normal(4000)
    d = true + np.sqrt(2 / n) * rng.standard_normal(4000)
    kept = np.flatnonzero(np.abs(d) > 1.96 * np.sqrt(2 / n))[:k]
    se = np.full(k, np.sqrt(2 / n))
    (chains,) = groups_of_chains(
        d[kept], se, n_draws=640, seed=np.random.SeedSequence(seed), n_chains=64, borders=1.96 * se
    )
    drawn = chains.run().draw(np.arange(640), rng)
    return float(np.abs(true[kept]).mean()), float(np.abs(d[kept]).mean()), np.abs(drawn).mean(axis=1)


def test_selection_is_undone_once() -> None:
    """Published effects of 15 people per group are 1.6 times the true ones; shrunk twice, too small."""
    found = [selected_sizes(15, seed) for seed in range(6)]
    true, published, drawn = (np.mean([np.mean(one[i]) for one in found]) for i in range(3))
    assert published > 1.4 * true
    assert drawn == pytest.approx(true, abs=0.12)
    same = selected_sizes(15, 0)[2]
    assert np.array_equal(same, found[0][2])


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 40, 150, 500])
def test_drawn_sizes_hold_the_true_one_where_effects_were_selected(n: int) -> None:
    found = [selected_sizes(n, seed) for seed in range(200)]
    below = np.array([np.mean(drawn < true) for true, _, drawn in found])
    print(n, below.mean(), np.mean((below > 0.025) & (below < 0.975)))  # noqa: T201
    assert 0.35 <= below.mean() <= 0.65
    assert np.mean((below > 0.025) & (below < 0.975)) >= 0.92


def test_where_effects_are_large_selection_changes_nothing() -> None:
    d, se = np.linspace(0.9, 1.5, 20), np.full(20, 0.1)
    (chains,) = groups_of_chains(
        d, se, n_draws=640, seed=np.random.SeedSequence(1), n_chains=64, borders=1.96 * se
    )
    undone = chains.run().draw(np.arange(640), np.random.default_rng(1)).mean(axis=0)
    plain = draw_true_effects(d, se, n_draws=640, rng=np.random.default_rng(2)).mean(axis=0)
    assert undone == pytest.approx(plain, abs=0.03)

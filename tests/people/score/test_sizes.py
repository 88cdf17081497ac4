"""The size of effects: its sentence is rarely wrong, and it does not depend on how tests are coded."""

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy import special

import concord
from concord.api import demo_table
from concord.people.protocol import STANDARD
from concord.people.result import EffectSizes
from concord.people.score.levels import lay_out
from concord.people.score.sizes import coding_warning, effect_sizes
from concord.people.score.test_scores import TestScores
from concord.people.uncertainty.true_effects import adjusted_effects
from concord.people.words import size_words
from concord.records import Estimate, TestRow
from concord.stats.elementwise import Floats

STUDIES, TESTS = 8, 3
LAYOUT = lay_out(
    [TestRow(f"S{s}", "", f"F{i}", "t", "t-independent") for s in range(STUDIES) for i in range(TESTS)]
)
SPREAD = 0.5
"""Standard deviation of true effects."""


def scores_of(human: Floats, agent: Floats) -> TestScores:
    nothing = np.full(human.shape, np.nan)
    known = {"human_d": human, "agent_d": agent}
    return TestScores(**{field.name: known.get(field.name, nothing) for field in fields(TestScores)})


def sizes_of(
    rng: np.random.Generator, n: int, factor: float, *, agent_n: int | None = None, published: bool = False
) -> EffectSizes:
    """Two samples from the same true effects, the agent's times a factor; published: p < .05 alone."""
    size, m = STUDIES * TESTS, n if agent_n is None else agent_n

    def seen(d: Floats, n: int) -> tuple[Floats, Floats]:
        df = 2 * n - 2
        noise = rng.standard_normal(d.size)
        t = (d * np.sqrt(n / 2) + noise) / np.sqrt(rng.chisquare(df, d.size) / df)
        return np.asarray(t * np.sqrt(2 / n)), np.asarray(2 * special.stdtr(df, -np.abs(t)))

    true = SPREAD * rng.standard_normal(60 * size if published else size)
    human, p = seen(true, n)
    if published:
        true, human, p = (values[p < 0.05][:size] for values in (true, human, p))
    agent, _ = seen(factor * true, m)
    errors = (np.sqrt(2 / n + human**2 / (4 * n)), np.sqrt(2 / m + agent**2 / (4 * m)))
    scores = replace(scores_of(human, agent), human_significant=(p < 0.05).astype(np.float64))
    adjusted = adjusted_effects(scores, errors[0])
    return effect_sizes(scores, errors, LAYOUT, STANDARD, 0.95, (adjusted.d, adjusted.se))


def told(n: int, factor: float, seeds: int, *, agent_n: int | None = None, published: bool = False) -> float:
    """Share of simulated agents of which a difference in size is told."""
    claims = 0
    for seed in range(seeds):
        sizes = sizes_of(np.random.default_rng([seed, n]), n, factor, agent_n=agent_n, published=published)
        said = size_words(sizes.size_ratio, sizes)
        assert bool(sizes.claim) == (
            "are larger than people's" in said or "are smaller than people's" in said
        )
        claims += bool(sizes.claim)
    return claims / seeds


@pytest.mark.parametrize(("n", "agent_n"), [(15, 15), (15, 150), (40, 40), (150, 40)])
def test_perfect_twins_are_rarely_told_that_their_size_differs(n: int, agent_n: int) -> None:
    """5 % and twice the Monte-Carlo error of 100 twins."""
    assert told(n, 1.0, 100, agent_n=agent_n) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 100)


@pytest.mark.parametrize(("n", "agent_n"), [(15, 40), (40, 500)])
def test_perfect_twins_of_selected_studies_are_rarely_told_that_their_size_differs(
    n: int, agent_n: int
) -> None:
    """Without selection undone 70 % and 30 % were told that they are smaller."""
    assert told(n, 1.0, 50, agent_n=agent_n, published=True) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 50)


@pytest.mark.slow
@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize(("n", "agent_n"), [(15, 15), (15, 150), (40, 40), (40, 500), (150, 40)])
def test_perfect_twins_are_told_something_in_one_of_twenty_at_most(
    n: int, agent_n: int, published: bool
) -> None:
    rate = told(n, 1.0, 2000, agent_n=agent_n, published=published)
    print("size of twins", n, agent_n, published, rate)  # noqa: T201
    assert rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize(("n", "factor", "least"), [(40, 1.5, 0.5), (150, 1.5, 0.95), (40, 2.0, 0.9)])
def test_effects_of_another_size_are_found(n: int, factor: float, least: float) -> None:
    assert told(n, factor, 60) >= least


def test_smaller_effects_are_found_though_published_ones_are_selected() -> None:
    assert told(150, 1 / 1.5, 30, published=True) >= 0.8


def test_one_reversal_moves_the_size_ratio_and_not_the_median() -> None:
    human = np.full(24, 0.8)
    agent = np.where(np.arange(24) == 5, -4.5, 0.46)
    errors = (np.full(24, 0.2), np.full(24, 0.2))
    found = effect_sizes(scores_of(human, agent), errors, LAYOUT, STANDARD, 0.95)
    assert found.median_ratio.value == pytest.approx(0.575)
    assert found.median_ratio.interval is not None and found.median_ratio.interval.high < 1
    assert found.claim == ""
    assert "known by the median alone (0.57 times" in size_words(found.size_ratio, found)


def test_tests_without_a_direction_count_for_size() -> None:
    rows: list[dict[str, object]] = [
        {"study": f"S{i // 2}", "finding": f"F{i}", "test": "a", "test_type": "anova",
         "human_statistic": 6 + i, "human_df1": 1, "human_df2": 78, "human_n1": 40, "human_n2": 40,
         "agent_statistic": 3 + i, "agent_df1": 1, "agent_df2": 78, "agent_n1": 40, "agent_n2": 40}
        for i in range(8)
    ]  # fmt: skip
    rows += [
        {"study": f"T{i // 2}", "finding": f"C{i}", "test": "c", "test_type": "chi-square",
         "human_statistic": 6 + i, "human_df1": 1, "human_n": 80, "agent_statistic": 3 + i, "agent_df1": 1,
         "agent_n": 80}
        for i in range(8)
    ]  # fmt: skip
    found = concord.score_people(rows, n_resamples=0, n_simulations=0)
    assert found.sizes is not None and found.sizes.size_ratio.n == 16
    assert found.ecs.value is None and "in the median" in found.sentences()[0]


def test_a_size_ratio_whose_ends_are_far_apart_is_withheld_with_the_reason() -> None:
    rng = np.random.default_rng(3)
    human, agent = rng.normal(0, 0.3, 24), rng.standard_t(2, 24)
    errors = (np.full(24, 0.28), np.full(24, 0.28))
    found = effect_sizes(scores_of(human, agent), errors, LAYOUT, STANDARD, 0.95).size_ratio
    assert found.value is None and found.interval is None
    assert "say nothing" in found.note or "no larger than their errors" in found.note


def test_the_corrected_slope_is_that_of_the_true_effects() -> None:
    found = [sizes_of(np.random.default_rng([seed, 9]), 15, 1.5) for seed in range(400)]
    slopes = [one.slope.value for one in found]
    corrected = [one.slope_corrected.value for one in found]
    assert np.median([value for value in slopes if value is not None]) < 1.35
    assert np.median([value for value in corrected if value is not None]) == pytest.approx(1.5, abs=0.1)
    adjusted = [one.calibration_adjusted.value for one in found]
    assert np.median([value for value in adjusted if value is not None]) == pytest.approx(1 / 1.5, abs=0.05)


def flipped(rows: list[dict[str, object]], which: int) -> list[dict[str, object]]:
    """Code one test the other way on both sides."""
    made = [dict(row) for row in rows]
    for name in ("human_statistic", "agent_statistic"):
        made[which][name] = -float(str(made[which][name]))
    return made


def t_rows() -> list[dict[str, object]]:
    rng = np.random.default_rng(2)
    return [
        {
            "study": f"S{i // 3}",
            "finding": f"F{i}",
            "test": "t",
            "test_type": "t-independent",
            "human_statistic": float(h),
            "human_n1": 40,
            "human_n2": 40,
            "agent_statistic": float(h + rng.normal()),
            "agent_n1": 40,
            "agent_n2": 40,
        }
        for i, h in enumerate(rng.normal(2.5, 1, 15))
    ]


def test_sizes_do_not_depend_on_coding_and_the_range_of_ecs_holds_every_flip() -> None:
    rows = t_rows()
    whole = concord.score_people(rows, n_resamples=0, n_simulations=0)
    assert whole.sizes is not None
    low, high = (whole.sizes.ecs_codings[f"{end}_one_flip"] for end in ("lowest", "highest"))
    assert low is not None
    assert high is not None
    seen = []
    for which in range(len(rows)):
        other = concord.score_people(flipped(rows, which), n_resamples=0, n_simulations=0)
        assert other.sizes is not None
        for name in ("size_ratio", "calibration", "calibration_adjusted"):
            assert getattr(other.sizes, name).value == pytest.approx(getattr(whole.sizes, name).value)
        seen.append(other.ecs.value)
    assert (min(map(float, map(str, seen))), max(map(float, map(str, seen)))) == pytest.approx((low, high))
    assert any("which group comes first decides" in text for text in whole.warnings)


def test_no_warning_where_coding_does_not_matter() -> None:
    assert coding_warning({"as_given": 0.5, "about_zero": 0.58}) is None
    assert coding_warning({"as_given": None, "about_zero": 0.58}) is None


def test_too_few_tests_have_no_size_and_say_why() -> None:
    found = concord.score_people(t_rows()[:2], n_resamples=0, n_simulations=0)
    assert found.sizes is not None
    assert found.sizes.size_ratio.value is None
    assert "at least 3" in found.sizes.size_ratio.note
    assert size_words(Estimate(None)) == ""


def test_missing_agents_fail_where_that_is_asked_for() -> None:
    rows = t_rows()
    for name in ("agent_statistic", "agent_n1", "agent_n2"):
        rows[0] = {key: value for key, value in rows[0].items() if key != name}
    left_out = concord.score_people(rows, n_resamples=0, n_simulations=0)
    failed = concord.score_people(rows, n_resamples=0, n_simulations=0, missing="fail")
    assert left_out.apr.value is not None
    assert failed.apr.value == pytest.approx(left_out.apr.value * 14 / 15)
    assert (left_out.apr.estimate.n, failed.apr.estimate.n) == (14, 15)
    assert failed.pas.value == left_out.pas.value


def test_words_for_effects_and_for_nulls() -> None:
    tests = concord.score_people(demo_table(), n_resamples=0, n_simulations=0).tests
    for test in tests:
        if test.human_significant is None or test.agent_significant is None:
            assert test.verdict is None
        elif test.human_significant:
            assert test.verdict == ("replicates" if test.passed else "does not replicate")
        else:
            assert test.verdict == (
                "effect only in the model" if test.agent_significant else "no effect in either"
            )
    assert {test.verdict for test in tests} >= {
        "replicates",
        "does not replicate",
        "no effect in either",
        "effect only in the model",
    }


def test_reasons_name_only_what_was_seen() -> None:
    from concord.people.results.one import usual_reason

    demo = concord.score_people(demo_table(), n_resamples=0, n_simulations=0)
    assert all(f.usual_reason is None or "variance" not in f.usual_reason for f in demo.findings)
    test = replace(
        demo.tests[0],
        human_direction=1,
        agent_direction=1,
        n_eff=100.0,
        human_effect_d=0.2,
        agent_effect_d=0.6,
    )
    other = "same conclusion, other size"
    assert usual_reason([test], other, [30.0]) == "sample size: the model has 3.3 times the participants"
    assert usual_reason([test], other, [100.0]) == "size: the model's effect is 3 times the human one"

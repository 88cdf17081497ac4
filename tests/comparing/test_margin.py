"""Equivalence: a difference is called smaller than a margin only where both one-sided tests say so."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concord
from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.errors import OptionError
from concord.stats.compare import Choices, compare_items
from concord.stats.equivalence import WithinMargin


def rows(scores: Any) -> list[dict[str, float]]:
    return [{"item": i, "score": float(score)} for i, score in enumerate(scores)]


def compared(*scores: Any, **options: Any) -> CompareResult:
    found = concord.compare(*(rows(one) for one in scores), **options)
    assert isinstance(found, CompareResult)
    return found


def within(result: CompareResult, pair: int = 0) -> WithinMargin:
    one = result.pairs[pair].comparison
    assert one is not None
    assert one.within is not None
    return one.within


def test_p_is_that_of_two_one_sided_t_tests() -> None:
    """By hand, as TOSTER's tsum_TOST does: the larger of both one-sided p-values."""
    rng = np.random.default_rng(3)
    d = rng.normal(0.02, 0.4, 80)
    base = rng.normal(size=80)
    held = within(compared(base + d, base, margin=0.15))
    lower = stats.ttest_1samp(d, -0.15, alternative="greater").pvalue
    upper = stats.ttest_1samp(d, 0.15, alternative="less").pvalue
    assert held.p_value == pytest.approx(max(lower, upper), rel=1e-7)
    ends = stats.t.interval(0.90, 79, d.mean(), d.std(ddof=1) / np.sqrt(80))
    assert held.interval is not None
    assert (held.interval.low, held.interval.high) == pytest.approx(ends, rel=1e-9)


@pytest.mark.parametrize(("margin", "shown"), [(0.5, True), (0.01, False)])
def test_claim_and_interval_agree(margin: float, shown: bool) -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=60)
    result = compared(base, base + rng.normal(0, 0.3, 60), margin=margin)
    held = within(result)
    assert held.shown is shown
    assert held.interval is not None
    assert (max(-held.interval.low, held.interval.high) < margin) is shown
    assert ("are equivalent" in str(result)) is shown
    assert ("which is no claim that the models differ" in " ".join(result.sentences())) is not shown


def test_a_real_difference_can_be_small_and_is_called_both() -> None:
    base = np.random.default_rng(5).normal(size=400)
    shift = np.random.default_rng(6).normal(0.05, 0.1, 400)
    text = str(compared(base + shift, base, margin=0.2, names=["new", "old"]))
    assert "new scores higher than old" in text
    assert "and smaller than the margin" in text


def test_right_and_wrong_answers_that_never_differ_are_within_a_margin_that_their_number_allows() -> None:
    same = np.repeat([0, 1], 100)
    assert within(compared(same, same, margin=0.05)).shown
    assert not within(compared(same[::20], same[::20], margin=0.05)).shown


def test_several_pairs_are_adjusted_by_holm() -> None:
    rng = np.random.default_rng(7)
    base = rng.normal(size=50)
    result = compared(*(base + rng.normal(0, 0.2, 50) for _ in range(4)), margin=0.08)
    held = [within(result, i) for i in range(6)]
    p, adjusted = ([one.p_value for one in held], [one.p_holm for one in held])
    assert all(q is not None and r is not None and r >= q for q, r in zip(p, adjusted, strict=True))
    assert [one.shown for one in held] == [one is not None and one < 0.05 for one in adjusted]
    assert f"{sum(one.shown for one in held)} of 6 are shown to differ by less" in str(result)


def test_files_hold_the_margin(tmp_path: Path) -> None:
    base = np.random.default_rng(8).normal(size=40)
    result = compared(base, base + 0.01 * np.arange(40) % 0.07, margin=0.2)
    assert result.to_dict()["pairs"][0]["within_margin"]["shown"] is True
    assert result.to_dict()["options"]["margin"] == 0.2
    result.write(tmp_path)
    assert "p_margin" in (tmp_path / "comparison.csv").read_text("utf-8")


def test_results_about_structure_and_people_have_margins_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    for name in ("one", "two"):
        scores = [
            {"model": name, "arrangement": f"P{p}", "item": f"i{i:02d}", "sample": s,
             "S_Acc": float(rng.random() < 0.6)}
            for i in range(40) for p in range(3) for s in range(2)
        ]  # fmt: skip
        concord.score_structure(scores=scores, resamples=200).write(tmp_path / name)
    result = concord.compare(tmp_path / "one", tmp_path / "two", margin=0.9, n_flips=200)
    assert isinstance(result, MetricCompareResult)
    held = result.pairs[0].metric("tau").within
    assert held is not None
    assert held.shown
    assert held.interval is not None
    assert held.interval.level == pytest.approx(0.90)
    assert "It is shown to be smaller than ±0.9 (90 % " in str(result)
    agent = concord.score_people(concord.api.demo_table(), n_resamples=0, n_simulations=0)
    agent.write(tmp_path / "a")
    agent.write(tmp_path / "b")
    same = concord.compare(tmp_path / "a", tmp_path / "b", margin=0.1)
    assert "cannot be said" in str(same)


def test_a_margin_below_zero_is_refused() -> None:
    with pytest.raises(OptionError, match="margin is -0.1"):
        Choices(margin=-0.1)


def false_claims(replicates: int, n: int, kind: str, true: float = 0.1) -> float:
    """Share of pairs with a true difference (that of the margin) that are called equivalent."""
    rng = np.random.default_rng([n, replicates])
    hits = 0
    for _ in range(replicates):
        if kind == "right or wrong":
            right = rng.random(n) < 0.6
            second = right.astype(float)
            first = (right | (rng.random(n) < true / 0.4)).astype(float)  # gains a part of 40 %
        else:
            second = rng.normal(size=n)
            noise = rng.exponential(0.1, n) - 0.1 if kind == "skewed" else rng.normal(0, 0.3, n)
            first = second + true + noise
        found = compare_items(first, second, choices=Choices(margin=0.1, n_flips=1))
        hits += found.within is not None and found.within.shown
    return hits / replicates


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "skewed", "right or wrong"])
def test_a_difference_as_large_as_the_margin_is_rarely_called_smaller(kind: str) -> None:
    assert false_claims(400, 50, kind) <= 0.05 + 3 * 0.011


R_DIFFERENCES = [
    0.12, -0.05, 0.30, 0.02, -0.11, 0.08, 0.15, -0.02, 0.04, 0.09,
    -0.20, 0.17, 0.06, -0.07, 0.01, 0.11, 0.03, -0.04, 0.22, -0.13,
]  # fmt: skip


def test_two_one_sided_tests_are_those_of_r() -> None:
    """R 4.2.2: t.test(d, mu = -.12, alternative = "greater"), mu = .12 "less", conf.level = .90."""
    d = np.array(R_DIFFERENCES)
    held = compare_items(d, np.zeros(20), choices=Choices(margin=0.12, test="t")).within
    assert held is not None and held.interval is not None
    assert held.p_value == pytest.approx(0.004059276833, rel=1e-8)
    assert (held.interval.low, held.interval.high) == pytest.approx(
        (-0.008385811275, 0.086385811275), abs=1e-11
    )


def test_families_are_those_of_clubsandwich() -> None:
    """clubSandwich 0.5.8: coef_test(lm(d ~ 1), vcovCR(type = "CR2"), test = "Satterthwaite")."""
    families = np.repeat(np.arange(6), [2, 3, 5, 4, 1, 5])
    found = compare_items(R_DIFFERENCES, np.zeros(20), families, choices=Choices(margin=0.12, test="t"))
    held = found.within
    t = next(one for one in found.verdicts if one.test == "clustered t")
    assert found.se_paired == pytest.approx(0.014766375237, rel=1e-9)
    assert t.df == pytest.approx(4.019820235077, rel=1e-9)
    assert held is not None
    assert held.p_value == pytest.approx(0.002651264477, rel=1e-8)


def test_results_about_people_are_compared_with_a_margin_over_studies(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    human = rng.normal(2, 1.5, 18)
    for name in ("one", "two"):
        table = [
            {"study": f"s{i // 3}", "finding": f"f{i}", "test": "t", "test_type": "t-test",
             "human_statistic": float(human[i]), "human_n1": 40, "human_n2": 40,
             "agent_statistic": float(human[i] + rng.normal()), "agent_n1": 60, "agent_n2": 60}
            for i in range(18)
        ]  # fmt: skip
        concord.score_people(table, n_resamples=0, n_simulations=0).write(tmp_path / name)
    result = concord.compare(tmp_path / "one", tmp_path / "two", margin=0.6)
    assert isinstance(result, MetricCompareResult)
    one = result.pairs[0].metric("pas")
    known, held = one.difference.interval, one.within
    assert known is not None and held is not None and held.interval is not None
    assert held.shown
    shrunk = stats.t.ppf(0.95, 5) / stats.t.ppf(0.975, 5)
    assert held.interval.high - held.interval.low == pytest.approx(
        shrunk * (known.high - known.low), rel=1e-9
    )
    assert result.to_dict()["options"]["margin"] == 0.6

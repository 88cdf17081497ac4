"""Averages over outcomes, groups and pairs of agents, each worked out by hand or by scipy."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import concord
from concord.errors import UndefinedError
from concord.people.answers.outcome import _from_moments, _given_r
from concord.people.answers.records import Moments, OutcomeKey
from concord.people.answers.result import AnswersResult
from concord.people.answers.score import metric_values, paired_difference, woodruff

STUDIES = ("s1", "s2", "s3", "s4")


def table(people: dict[str, list[int]], agents: dict[str, dict[str, list[int]]]) -> list[dict[str, Any]]:
    """One row per answer; keys are study/outcome."""
    sides = {"human": people, **agents}
    return [
        {"study": key.split("/")[0], "outcome": key.split("/")[1], "source": who, "answer": value}
        for who, own in sides.items()
        for key, values in own.items()
        for value in values
    ]


def scored(
    people: dict[str, list[int]], agents: dict[str, dict[str, list[int]]], **how: Any
) -> AnswersResult:
    return concord.score_answers(table(people, agents), n_resamples=100, **how)


PEOPLE = {f"{study}/o": [1, 2, 3, 4, 5] * 8 for study in STUDIES}
MOVED = (0, 1, 2, 4)
"""Of 20 answers in each study so many times two move from 5 to 4."""
AGENT = {
    f"{study}/o": [1, 2, 3, 4] * 8 + [4] * 2 * n + [5] * (8 - 2 * n)
    for study, n in zip(STUDIES, MOVED, strict=True)
}


def test_distances_of_outcomes_are_averaged_over_studies_by_the_jackknife() -> None:
    summary = scored(PEOPLE, {"a": AGENT}).agents[0].overall.numbers["tvd"]
    values = np.array([2 * n / 40 for n in MOVED])
    assert summary.estimate.value == pytest.approx(values.mean())
    assert summary.estimate.n == 4
    ends = summary.estimate.interval
    assert ends is not None
    # the jackknife of a mean is its standard error
    reach = stats.t.ppf(0.975, 3) * values.std(ddof=1) / 2
    assert (ends.low, ends.high) == pytest.approx((values.mean() - reach, values.mean() + reach))


def test_an_agent_that_answers_exactly_as_people_has_an_interval_above_0() -> None:
    found = scored({"s1/o": [1, 2, 2, 3] * 10}, {"a": {"s1/o": [1, 2, 2, 3] * 10}}).agents[0].overall.numbers
    for name in ("tvd", "w1", "ks", "jsd"):
        ends = found[name].estimate.interval
        assert found[name].estimate.value == 0
        assert ends is not None
        assert (ends.low, ends.high > 0.002) == (0, True), name
    lone = scored({"s1/o": [2] * 20}, {"a": {"s1/o": [2] * 20}}).agents[0].outcomes[0].numbers["tvd"].estimate
    assert (lone.value, lone.interval) == (0, None)
    assert lone.note.startswith("no interval: one answer only")


def test_ratios_of_variances_have_their_median() -> None:
    found = scored(PEOPLE, {"a": AGENT}).agents[0].overall.numbers["variance_ratio"].estimate
    ratios = [np.var(AGENT[key], ddof=1) / np.var(PEOPLE[key], ddof=1) for key in PEOPLE]
    assert found.value == pytest.approx(np.median(ratios))
    assert found.method == "median of 4 outcomes"


def test_the_interval_of_a_median_is_woodruffs() -> None:
    """40 studies of one value: the share below has the error sqrt(K/(K - 1) Σ(1/2)²)/n."""
    values = np.arange(1.0, 41.0)
    found = woodruff(values, np.arange(40.0), level=0.95)
    se = np.sqrt(40 / 39 * 40 * 0.25) / 40
    reach = stats.t.ppf(0.975, 39) * se
    low, high = np.quantile(values, [0.5 - reach, 0.5 + reach])
    assert (found.low, found.high) == pytest.approx((low, high))
    # pairs of neighbours are 20 clusters of two that go together
    paired = woodruff(values, np.repeat(np.arange(20.0), 2), level=0.95)
    wide = stats.t.ppf(0.975, 19) * np.sqrt(20 / 19 * 20) / 40
    assert (paired.low, paired.high) == pytest.approx(tuple(np.quantile(values, [0.5 - wide, 0.5 + wide])))


def test_few_studies_take_the_mean_of_logarithms() -> None:
    values = np.array([0.5, 0.8, 1.1, 2.0])
    found = woodruff(values, np.arange(4.0), level=0.95)
    logs = np.log(values)
    reach = stats.t.ppf(0.975, 3) * logs.std(ddof=1) / 2
    assert (found.low, found.high) == pytest.approx(
        (np.exp(logs.mean() - reach), np.exp(logs.mean() + reach))
    )
    with pytest.raises(UndefinedError, match="of every study lie evenly about the median"):
        woodruff(np.array([0.5, 2.0, 0.5, 2.0, 0.5, 2.0]), np.repeat([0.0, 1.0, 2.0], 2), level=0.95)


def test_the_simbench_score_divides_by_the_mean_distance_of_uniform_answers() -> None:
    """Shares 1/5, 3/5, 1/5 are 4/15 from thirds; 1/5, 1/5, 1/5, 2/5, 0 are 1/5 from fifths."""
    people = {"s1/o": [3] * 18 + [1] * 6 + [5] * 6, "s2/o": [1, 2, 3, 4, 4] * 6}
    agent = {"s1/o": [3] * 24 + [1] * 3 + [5] * 3, "s2/o": [1, 2, 3, 4, 5] * 6}
    one, two = scored(people, {"a": agent}, level=0.95).agents[0].outcomes
    mean = (4 / 15 + 1 / 5) / 2
    for found in (one, two):
        assert found.numbers["tvd"].estimate.value == pytest.approx(0.2)
        assert found.numbers["simbench"].estimate.value == pytest.approx(100 * (1 - 0.2 / mean))
        ends, distance = found.numbers["simbench"].estimate.interval, found.numbers["tvd"].estimate.interval
        assert ends is not None and distance is not None
        # wider than the distance alone would make it: uniform answers are of a sample too
        assert ends.low < 100 * (1 - distance.high / mean) < 100 * (1 - 0.2 / mean) < ends.high


def test_agents_are_compared_outcome_by_outcome_with_the_t_of_studies() -> None:
    other = {key: [1, 2, 3, 4] * 8 + [4] * 8 for key in PEOPLE}
    result = scored(PEOPLE, {"a": AGENT, "b": other})
    one = next(row for row in result.differences if row.metric == "tvd")
    d = np.array([2 * n / 40 for n in MOVED]) - 0.2
    assert (one.first, one.second) == ("a", "b")
    assert one.difference.value == pytest.approx(d.mean())
    assert one.p_value == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    # ratios are compared as logarithms
    logs = metric_values(result.agents[0], "variance_ratio")
    ratios = [np.var(AGENT[key], ddof=1) / np.var(PEOPLE[key], ddof=1) for key in PEOPLE]
    assert sorted(logs.values()) == pytest.approx(sorted(np.log(ratios)))


def test_a_paired_difference_of_one_outcome_per_study_is_the_t_test() -> None:
    d = np.array([0.1, 0.3, -0.05, 0.2, 0.15])
    found, p = paired_difference(d, list("abcde"), level=0.9)
    assert found.interval is not None
    ends = stats.t.interval(0.9, 4, d.mean(), d.std(ddof=1) / np.sqrt(5))
    assert (found.interval.low, found.interval.high) == pytest.approx(ends)
    assert p == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    two, none = paired_difference(d, list("aabbb"), level=0.9)
    assert two.value == pytest.approx(d.mean())
    assert (two.interval, none) == (None, None)
    same, none = paired_difference([0.2, 0.2, 0.2], list("abc"), level=0.9)
    assert (same.interval, none) == (None, None)


def grouped() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    group = np.repeat([0, 1], [40, 60])
    people = rng.normal(3, 1, (4, 100)) + 0.8 * group
    agent = rng.normal(3, 1, (4, 100)) + 1.6 * group
    return group, people, agent


def test_groups_are_compared_in_sds_of_all_people() -> None:
    group, people, agent = grouped()
    rows = [
        {
            "study": f"s{s}", "outcome": "o", "person": i, "group": "ab"[group[i]],
            "human": people[s, i], "agent": agent[s, i],
        }
        for s in range(4)
        for i in range(100)
    ]  # fmt: skip
    found = concord.score_answers(rows, n_resamples=100).agents[0].groups
    assert found is not None
    first = group == 0
    sd = people.std(axis=1, ddof=1)
    h = np.array([(people[:, own].mean(axis=1) - people.mean(axis=1)) / sd for own in (first, ~first)])
    a = np.array([(agent[:, own].mean(axis=1) - agent.mean(axis=1)) / sd for own in (first, ~first)])
    error = np.array(
        [(agent[:, own].mean(axis=1) - people[:, own].mean(axis=1)) / sd for own in (first, ~first)]
    )
    noise = np.array(
        [
            people[:, own].var(axis=1, ddof=1) / own.sum() / sd**2 * (1 - own.sum() / 100)
            for own in (first, ~first)
        ]
    )
    assert [one.group for one in found.groups] == ["a", "b"]
    assert [(one.n_people, one.n_outcomes) for one in found.groups] == [(40, 4), (60, 4)]
    assert [one.human_deviation for one in found.groups] == pytest.approx(h.mean(axis=1).tolist())
    assert [one.agent_deviation for one in found.groups] == pytest.approx(a.mean(axis=1).tolist())
    assert found.slope.value == pytest.approx((h * a).sum() / (h**2 - noise).sum())
    gaps = np.abs(error).mean(axis=1)
    assert found.parity_gap.value == pytest.approx(gaps.max() - gaps.min())
    for one, own in zip(found.groups, error, strict=True):
        assert one.error.value == pytest.approx(own.mean())
        assert one.absolute_error.value == pytest.approx(np.abs(own).mean())
        ends = one.error.interval
        assert ends is not None
        reach = stats.t.ppf(0.975, 3) * own.std(ddof=1) / 2
        assert ends.high - ends.low == pytest.approx(2 * reach)


def test_moments_give_ratio_gap_and_correlation_with_their_normal_intervals() -> None:
    """SDs 2 and 3, means 5 and 4.4 of 50 people and 80 replies."""
    found = _from_moments(Moments(OutcomeKey("s", "o"), 5.0, 2.0, 50, 4.4, 3.0, 80, r=0.5), 0.9)
    z = float(stats.norm.ppf(0.95))
    gap = found.numbers["mean_gap"].estimate
    se = np.sqrt(1 / 50 + 2.25 / 80 + 0.09 / 100)
    assert gap.interval is not None
    assert (gap.value, gap.interval.low, gap.interval.high) == pytest.approx(
        (-0.3, -0.3 - z * se, -0.3 + z * se)
    )
    ratio = found.numbers["variance_ratio"].estimate
    va, vh = (3 - 77 / 80) / 79, (3 - 47 / 50) / 49  # of log variances (Bonett 2006)
    ends = np.exp(np.log(2.25) + va - vh + np.array([-1, 1]) * z * np.sqrt(va + vh))
    assert ratio.interval is not None
    assert (ratio.value, ratio.interval.low, ratio.interval.high) == pytest.approx((2.25, *ends))
    r = found.numbers["person_r"].estimate
    assert r.interval is not None
    assert (r.value, r.interval.low, r.interval.high) == pytest.approx(
        (0.5, *np.tanh(np.arctanh(0.5) + np.array([-1, 1]) * z / np.sqrt(47)))
    )
    assert (found.n_people, found.n_agent, found.n_persons) == (50, 80, 50)
    assert _given_r(0.5, 3, 0.9).interval is None


def test_one_answer_of_all_replies_has_a_ratio_of_0_and_of_all_people_none() -> None:
    key = OutcomeKey("s", "o")
    still = _from_moments(Moments(key, 5.0, 2.0, 50, 4.4, 0.0, 80), 0.95).numbers
    assert (still["variance_ratio"].estimate.value, still["variance_ratio"].estimate.interval) == (0.0, None)
    assert "person_r" not in still
    assert (
        _from_moments(Moments(key, 5.0, 0.0, 50, 4.4, 3.0, 80), 0.95).numbers["mean_gap"].estimate.value
        is None
    )

"""Differences of PAS, ECS and APR: every leave-one-out value against scoring what is left from scratch."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy import stats

from concord.engine import Engine
from concord.errors import MismatchError
from concord.people.protocol import PUBLISHED, REFINED, STANDARD, Protocol
from concord.people.results.pairs import METRICS, PeopleScoresOf, compare_people
from concord.people.score.levels import Profiles, apr_passes, lay_out, pas_levels
from concord.people.score.test_scores import known_scores
from concord.records import TestRow
from concord.stats.intervals import jackknife_t

Values = Mapping[str, float | None]


def rows(studies: int, each: int) -> tuple[TestRow, ...]:
    return tuple(
        TestRow(f"S{s:02d}", f"sub{t % 2}", f"F{t // 3}", f"t{t}", "t-independent", None)
        for s in range(studies)
        for t in range(each)
    )


def models(n: int, *, holes: float = 0.0, studies: int = 7, each: int = 9) -> list[PeopleScoresOf]:
    """Made-up models on one table; some tests lack a number."""
    rng = np.random.default_rng([n, studies, each])
    table = rows(studies, each)
    human = rng.normal(0.3, 0.4, len(table))
    found = (rng.random(len(table)) < 0.6).astype(float)

    def maybe(value: float) -> float | None:
        return None if rng.random() < holes else float(value)

    return [
        PeopleScoresOf(
            f"m{k}",
            table,
            tuple(
                {
                    "pas": maybe(rng.random()), "n_eff": float(rng.integers(20, 90)),
                    "human_d": float(human[i]), "agent_d": maybe(0.8 * human[i] + rng.normal(0, 0.3)),
                    "passes": maybe(float(rng.random() < 0.5)), "human_significant": float(found[i]),
                }
                for i in range(len(table))
            ),
        )
        for k in range(n)
    ]  # fmt: skip


def plainly(metric: str, kept: list[TestRow], values: list[Values], protocol: Protocol) -> float:
    """One metric of one model over some tests, scored from scratch."""
    names = ("pas", "n_eff", "human_d", "agent_d", "passes", "human_significant")
    scores = known_scores({n: np.array([np.nan if v[n] is None else v[n] for v in values]) for n in names})
    layout = lay_out(kept)
    if metric == "pas":
        return float(pas_levels(scores, layout, protocol).benchmark)
    if metric == "ecs":
        return float(Profiles(scores, layout, protocol).ecs(slice(None)))
    return float(apr_passes(scores, layout, protocol.apr_over).rates().benchmark)


def counts(metric: str, values: Values, protocol: Protocol) -> bool:
    needed = {"pas": ("pas",), "ecs": ("human_d", "agent_d"), "apr": ("passes",)}[metric]
    wanted = metric != "apr" or protocol.apr_over == "all" or values["human_significant"] == 1
    return wanted and all(values[name] is not None for name in needed)


@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("protocol", [STANDARD, REFINED, PUBLISHED], ids=lambda protocol: protocol.name)
def test_every_interval_is_that_of_scoring_the_rest_from_scratch(protocol: Protocol, holes: float) -> None:
    first, second = models(2, holes=holes)
    pair = compare_people([first, second], protocol).pairs[0]
    for metric in METRICS:
        kept = [
            (row, a, b)
            for row, a, b in zip(first.rows, first.values, second.values, strict=True)
            if counts(metric, a, protocol) and counts(metric, b, protocol)
        ]
        kept.sort(key=lambda entry: entry[0].key)

        def difference(part: list[Any], metric: str = metric) -> float:
            sides = [
                plainly(metric, [row for row, *_ in part], [entry[i] for entry in part], protocol)
                for i in (1, 2)
            ]
            return sides[0] - sides[1]

        found = pair.metric(metric)
        studies = sorted({row.study for row, *_ in kept})
        without = [difference([entry for entry in kept if entry[0].study != study]) for study in studies]
        wanted = jackknife_t(difference(kept), without)
        assert found.n_clusters == len(studies)
        assert found.difference.n == len(kept)
        assert found.difference.value == pytest.approx(difference(kept), abs=1e-13)
        assert found.difference.interval is not None
        ends = (found.difference.interval.low, found.difference.interval.high)
        k, lost = len(studies), 2 if metric == "ecs" and protocol is not PUBLISHED else 1
        wider = stats.t.ppf(0.975, k - lost) / stats.t.ppf(0.975, k - 1)  # ECS centres two profiles
        reach = (wanted.high - wanted.low) / 2 * wider
        assert ends == pytest.approx((difference(kept) - reach, difference(kept) + reach), abs=1e-12)


def test_the_share_inside_replication_intervals_is_compared_where_asked() -> None:
    """Study by study: the share of ECS_Test of at least 0.05, a joint jackknife over studies."""
    rng = np.random.default_rng(6)
    plain = models(2)
    both = []
    for model in plain:
        p = rng.uniform(0, 0.3, len(model.rows))
        values = tuple({**v, "ecs_test": float(x)} for v, x in zip(model.values, p, strict=True))
        both.append(PeopleScoresOf(model.name, model.rows, values))
    found = compare_people(both, STANDARD, metric="inside")
    inside = [np.array([v["ecs_test"] >= 0.05 for v in one.values]) for one in both]  # type: ignore[operator]
    study = np.array([row.study for row in both[0].rows])
    names = np.unique(study)
    without = [float(inside[0][study != s].mean() - inside[1][study != s].mean()) for s in names]
    value = float(inside[0].mean() - inside[1].mean())
    metric = found.pairs[0].metric("inside")
    assert metric.difference.value == pytest.approx(value)
    assert metric.difference.interval is not None
    wanted = jackknife_t(value, without)
    assert metric.difference.interval.low == pytest.approx(wanted.low)
    assert found.standing.metric == "inside"
    assert [m.metric for m in compare_people(plain, STANDARD).pairs[0].metrics] == ["pas", "ecs", "apr"]


def test_a_pair_does_not_depend_on_the_models_beside_it() -> None:
    many = models(4, holes=0.1)
    alone = compare_people(many[:2], STANDARD).pairs[0]
    among = compare_people(many, STANDARD).pairs[0]
    for one, two in zip(alone.metrics, among.metrics, strict=True):
        assert (one.difference, one.p_value) == (two.difference, two.p_value)


def test_the_engine_changes_nothing() -> None:
    pytest.importorskip("joblib")
    many = models(4, holes=0.1)
    assert compare_people(many, STANDARD, engine=Engine("processes", n_jobs=2)) == compare_people(
        many, STANDARD
    )


def test_the_ranking_is_over_tests_that_all_models_have() -> None:
    many = models(3)
    short = PeopleScoresOf("m1", many[1].rows[:40], many[1].values[:40])
    found = compare_people([many[0], short, many[2]], STANDARD, metric="ecs")
    pair = found.pairs[0]
    assert (pair.n_common, pair.only_first, pair.only_second) == (40, 23, 0)
    alone = compare_people(
        [PeopleScoresOf(m.name, m.rows[:40], m.values[:40]) for m in many], STANDARD, metric="ecs"
    )
    assert dict(found.standing.values) == pytest.approx(dict(alone.standing.values))
    assert found.standing.metric == "ecs"


def test_a_metric_that_no_common_test_has_is_undefined_and_the_others_are_not() -> None:
    first, second = models(2)
    bare = PeopleScoresOf("bare", second.rows, tuple({**v, "agent_d": None} for v in second.values))
    pair = compare_people([first, bare], STANDARD).pairs[0]
    assert pair.metric("ecs").difference.value is None
    assert pair.metric("ecs").difference.n_left_out == 63
    assert pair.metric("pas").p_value is not None


def test_nothing_in_common_and_other_people_are_refused() -> None:
    first, second = models(2)
    other = tuple(
        TestRow(f"Z{row.study}", row.sub_study, row.finding, row.test, row.test_type, None)
        for row in second.rows
    )
    with pytest.raises(MismatchError, match=r"no test in common \(m0: S00 / sub0 / F0 / t0, ...; z: ZS00 / "):
        compare_people([first, PeopleScoresOf("z", other, second.values)], STANDARD)
    moved = tuple({**v, "human_d": 9.0} for v in second.values)
    with pytest.raises(MismatchError, match="the human effect of S00 / .* and 9 for w: .* different human"):
        compare_people([first, PeopleScoresOf("w", second.rows, moved)], STANDARD)

"""Worth is what the standard errors say, whatever the weights, clusters and strata; intervals cover."""

from typing import Any

import numpy as np
import pytest

import concord
from concord.errors import FileFormatError
from concord.planning.people import MixedPlan
from concord.stats.prediction_powered import effective_people, implied_correlation

Rows = list[dict[str, Any]]


def tables(n: int, m: int, *, rho: float, ratio: float, seed: int) -> tuple[Rows, Rows]:
    """People and further predictions with a correlation and a ratio of their spreads."""
    rng = np.random.default_rng(seed)

    def rows(size: int) -> Rows:
        y = rng.normal(size=size)
        f = ratio * (rho * y + np.sqrt(1 - rho**2) * rng.normal(size=size)) + 3
        return [{"answer": a, "prediction": b} for a, b in zip(y, f, strict=True)]

    return rows(n), [{"prediction": row["prediction"]} for row in rows(m)]


@pytest.mark.parametrize("ratio", [0.1, 0.33, 2.0])
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("n", [50, 1000])
def test_worth_is_what_the_standard_errors_say_and_what_the_formula_expects(
    n: int, rho: float, ratio: float
) -> None:
    found = concord.combine(*tables(n, 5 * n, rho=rho, ratio=ratio, seed=n)).estimates[0]
    assert found.worth.value is not None and found.worth.interval is not None
    assert found.correlation.value is not None
    said = n * (found.people_se / found.se) ** 2 - n
    assert found.worth.value == pytest.approx(said, rel=1e-9)
    assert found.effective_people == pytest.approx(n + said)
    # the spread of predictions does not matter: a weight above 1 takes it out
    plain = concord.combine(*tables(n, 5 * n, rho=rho, ratio=1.0, seed=n)).estimates[0]
    assert found.worth.value == pytest.approx(plain.worth.value, rel=1e-6, abs=1e-6)
    assert found.weight == pytest.approx(plain.weight / ratio, abs=1e-9)
    expected = float(effective_people(n, 5 * n, found.correlation.value))
    assert found.effective_people == pytest.approx(expected, rel=0.05 if n == 1000 else 0.25)
    assert found.worth.interval.low <= found.worth.value <= found.worth.interval.high


def test_a_plan_with_the_numbers_of_the_pilot_has_its_standard_error() -> None:
    people, more = tables(300, 3000, rho=0.8, ratio=0.3, seed=4)
    pilot = concord.combine(people, more)
    one = pilot.estimates[0]
    plan = concord.plan("mixed", pilot, se=one.se, person_cost=100.0, reply_cost=0.0)
    assert isinstance(plan, MixedPlan)
    assert plan.sd == pytest.approx(one.people_se * np.sqrt(300))
    assert plan.sd / np.sqrt(float(effective_people(300, 3000, plan.correlation))) == pytest.approx(one.se)
    assert implied_correlation(300, 3000, 0.0) == 0


def _repeated(persons: int, times: int, seed: int, *, offset: int = 0) -> Rows:
    """Answers of persons with a part of their own, and predictions that follow it."""
    rng = np.random.default_rng(seed)
    own = np.repeat(rng.normal(size=persons), times)
    y = own + 0.6 * rng.normal(size=own.size)
    f = y + rng.normal(size=own.size)
    return [
        {"person": f"p{offset + i // times}", "answer": a, "prediction": b}
        for i, (a, b) in enumerate(zip(y, f, strict=True))
    ]


def _without(rows: Rows, *names: str) -> Rows:
    return [{k: v for k, v in row.items() if k not in names} for row in rows]


def covered(runs: int, *, cluster: str | None = None, seed: int = 1) -> tuple[float, float]:
    """Coverage of a mean of 50 persons with 4 rows each, and the share of it that rows alone would have."""
    hits = naive = 0
    for run in range(runs):
        people = _repeated(50, 4, seed * 10_000 + run)
        more = _without(_repeated(100, 4, seed * 10_000 + 5000 + run, offset=50), "answer")
        if cluster is not None:
            people, more = (
                [{**_without([row], "person")[0], cluster: row["person"]} for row in rows]
                for rows in (people, more)
            )
        one = concord.combine(people, more, cluster=cluster).estimates[0].estimate.interval
        plain = concord.combine(_without(people, "person", "school"), _without(more, "person", "school"))
        other = plain.estimates[0].estimate.interval
        assert one is not None and other is not None
        hits += one.low <= 0 <= one.high
        naive += other.low <= 0 <= other.high
    return hits / runs, naive / runs


def test_persons_with_several_rows_are_one_person_each() -> None:
    people, more = _repeated(50, 4, 1), _without(_repeated(100, 4, 2, offset=50), "answer")
    found = concord.combine(people, more)
    one = found.estimates[0]
    assert one.n_people == 50 and "With 50 people, 400 replies" in found.sentence
    assert "errors over 50 persons of 200 answers" in one.estimate.note
    assert one.worth.value == pytest.approx(50 * (one.people_se / one.se) ** 2 - 50)
    means = [np.mean([row["answer"] for row in people[i : i + 4]]) for i in range(0, 200, 4)]
    assert one.people_se == pytest.approx(np.std(means, ddof=1) / np.sqrt(50))


@pytest.mark.long
def test_intervals_over_persons_cover_more_than_those_over_rows() -> None:
    rates = covered(60)
    assert rates[0] > 0.87 and rates[1] < 0.88


@pytest.mark.slow
def test_intervals_over_persons_cover() -> None:
    rates = covered(1500)
    print("persons × 4", rates)  # noqa: T201
    assert 0.93 <= rates[0] <= 0.97


def test_clusters_asked_for_are_what_errors_are_over() -> None:
    people = [{**_without([row], "person")[0], "school": row["person"]} for row in _repeated(30, 4, 1)]
    more = [{"prediction": row["prediction"]} for row in _repeated(50, 4, 2)]
    found = concord.combine(people, more, cluster="school").estimates[0]
    assert found.n_people == 120 and "errors over 30 clusters of 120 answers" in found.estimate.note
    shared = [{**row, "school": f"p{i % 30}"} for i, row in enumerate(more)]
    assert concord.combine(people, shared, cluster="school").estimates[0].se != found.se
    few = concord.combine(people[:40], more, cluster="school").estimates[0]
    assert few.estimate.note == "no interval: fewer than 20 clusters of people"
    with pytest.raises(FileFormatError, match="no column of the cluster 'town'"):
        concord.combine(people, more, cluster="town")
    with pytest.raises(FileFormatError, match="1 rows have no cluster in the column 'school'"):
        concord.combine([*people[:-1], people[-1] | {"school": None}], more, cluster="school")


def test_strata_take_their_differences_out_of_the_error() -> None:
    rng = np.random.default_rng(5)

    def rows(n: int) -> Rows:
        town = np.arange(n) % 2
        y = rng.normal(size=n) + 4 * town
        return [
            {"town": "ab"[t], "answer": a, "prediction": b}
            for t, a, b in zip(town, y, 0.2 * y + rng.normal(size=n), strict=True)
        ]

    people, more = rows(100), _without(rows(400), "answer")
    plain, within = (concord.combine(people, more, stratum=name).estimates[0] for name in (None, "town"))
    assert within.people_se < 0.5 * plain.people_se
    y = {name: [row["answer"] for row in people if row["town"] == name] for name in "ab"}
    expected = np.sqrt(sum(np.var(one, ddof=1) / 50 for one in y.values())) / 2
    assert within.people_se == pytest.approx(expected)
    assert "errors within 2 strata" in within.estimate.note


def test_persons_in_both_arms_are_pairs() -> None:
    rng = np.random.default_rng(6)
    person = rng.normal(size=40) * 3

    def rows(start: int, own: np.ndarray) -> Rows:
        return [
            {"person": start + i, "arm": arm, "answer": y, "prediction": y + rng.normal()}
            for arm, shift in (("treated", 1.0), ("control", 0.0))
            for i, y in enumerate(own + shift + 0.5 * rng.normal(size=own.size))
        ]

    people, more = rows(0, person), _without(rows(100, rng.normal(size=200) * 3), "answer")
    difference = concord.combine(people, more).estimates[2]
    y = np.array([row["answer"] for row in people])
    assert difference.n_people == 40
    assert difference.people_se == pytest.approx(np.std(y[:40] - y[40:], ddof=1) / np.sqrt(40))
    assert difference.worth.value == pytest.approx(40 * (difference.people_se / difference.se) ** 2 - 40)


def test_a_regression_over_persons_has_their_errors() -> None:
    rng = np.random.default_rng(8)
    people, more = _repeated(200, 4, 3), _without(_repeated(300, 4, 4, offset=200), "answer")
    for table in (people, more):
        by = {row["person"]: rng.normal() for row in table}
        for row in table:
            row["age"] = by[row["person"]]
    found, plain = (
        concord.combine(*(_without(rows, *names) for rows in (people, more)), regress=["age"]).estimates[1]
        for names in ((), ("person",))
    )
    assert found.estimate.value == pytest.approx(plain.estimate.value)
    assert found.people_se > 1.4 * plain.people_se and found.n_people == 200


def weighted_coverage(runs: int, n: int, seed: int) -> float:
    """Coverage of a mean where weights go with answers: people who answer high are rarely drawn."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(runs):
        made = []
        for size in (n, 5 * n):
            y = rng.normal(-0.5, 1, size)  # drawn in proportion to exp(-y/2): weights undo it
            w = np.exp(0.5 * y)
            made.append(
                [
                    {"answer": a, "prediction": a + rng.normal(), "weight": b}
                    for a, b in zip(y, w, strict=True)
                ]
            )
        one = concord.combine(made[0], _without(made[1], "answer")).estimates[0]
        assert one.estimate.interval is not None
        hits += one.estimate.interval.low <= 0 <= one.estimate.interval.high
    return hits / runs


def test_weights_leave_fewer_people_and_say_so() -> None:
    rng = np.random.default_rng(2)
    people, more = tables(100, 500, rho=0.6, ratio=1.0, seed=3)
    for row in people:
        row["weight"] = float(rng.exponential()) + 0.05
    w = np.array([row["weight"] for row in people])
    found = concord.combine(people, more).estimates[0]
    kish = w.sum() ** 2 / (w**2).sum()
    assert f"100 answers count as {kish:,.0f} equal ones (Kish)" in found.estimate.note
    assert found.worth.value == pytest.approx(100 * (found.people_se / found.se) ** 2 - 100)
    assert found.worth.interval is not None
    even = concord.combine([row | {"weight": 2.0} for row in people], more).estimates[0]
    assert "Kish" not in even.estimate.note
    assert weighted_coverage(60, 60, 1) > 0.87


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200])
def test_intervals_with_weights_that_go_with_answers_cover(n: int) -> None:
    rate = weighted_coverage(1500, n, n)
    print("weights", n, rate)  # noqa: T201
    assert 0.93 <= rate <= 0.97

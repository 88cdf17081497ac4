"""Batches of people added one by one: intervals at any look, state, what is refused, what to buy next."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concord
from concord import combine_sequential
from concord.errors import InputError, OptionError
from concord.people.mixed.result import SequentialResult
from concord.stats.sequential import mixture_reach, mixture_tuning

Rows = list[dict[str, Any]]


def people(n: int, seed: int, *, start: int = 0, arm: str | None = None, shift: float = 0.0) -> Rows:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n) + shift
    f = 0.6 * y + 0.8 * rng.normal(size=n)
    beside: dict[str, Any] = {} if arm is None else {"arm": arm}
    return [
        {"person": f"p{start + i}", "answer": float(y[i]), "prediction": float(f[i])} | beside
        for i in range(n)
    ]


def further(n: int, seed: int, arm: str | None = None) -> Rows:
    rng = np.random.default_rng(seed)
    return [{"prediction": float(v)} | ({} if arm is None else {"arm": arm}) for v in rng.normal(size=n)]


SCALE: dict[str, Any] = {"scale_min": -10.0, "scale_max": 10.0}


def test_a_look_is_that_of_the_formulas_and_the_state_is_read_back(tmp_path: Path) -> None:
    rows, more = people(100, 1), further(2000, 2)
    first = combine_sequential(rows, more, **SCALE)
    y, f, big = (
        np.array([row[k] for row in part])
        for part, k in ((rows, "answer"), (rows, "prediction"), (more, "prediction"))
    )
    weight = np.cov(y, f)[0, 1] / f.var(ddof=1) / (1 + 100 / 2000)
    left = y - weight * f
    s2 = ((left - left.mean()) ** 2).sum() / 98
    gap = f.mean() - big.mean()
    variance = s2 / 100 + weight**2 * big.var(ddof=1) / 2000
    plus = variance + s2 * gap**2 / ((f - f.mean()) ** 2).sum()
    reach = float(mixture_reach(mixture_tuning() * s2 / variance / 300, 98)) * plus**0.5
    now = first.looks[-1].estimate
    assert now.value == pytest.approx(y.mean() - weight * gap)
    assert now.interval is not None
    assert (now.interval.low, now.interval.high) == pytest.approx((now.value - reach, now.value + reach))
    once = float(stats.t.ppf(0.975, 98)) * plus**0.5  # as if this were the only look
    assert first.looks[-1].fixed.ends == pytest.approx((now.value - once, now.value + once))
    assert first.looks[-1].price == pytest.approx((reach / once) ** 2)
    first.write(tmp_path)
    assert SequentialResult.read(tmp_path) == first
    second = combine_sequential(people(40, 3, start=100), more, state=tmp_path)
    assert [(one.n_people, one.n_predictions) for one in second.looks] == [(100, 2000), (140, 2000)]
    whole = combine_sequential([*rows, *people(40, 3, start=100)], more, **SCALE)
    assert second.looks[-1].estimate == whole.looks[-1].estimate


def test_the_same_people_cannot_count_twice() -> None:
    rows, more = people(80, 1), further(500, 2)
    first = combine_sequential(rows, more, **SCALE)
    with pytest.raises(InputError, match="counted already"):
        combine_sequential(rows, None, state=first)
    with pytest.raises(InputError, match="1 persons of this batch are counted already"):
        combine_sequential([*people(30, 5, start=200), rows[4]], None, state=first)
    unnamed = [{k: v for k, v in row.items() if k != "person"} for row in rows]
    other = combine_sequential(unnamed, more, **SCALE)
    with pytest.raises(InputError, match="begins with the people of an earlier one"):
        combine_sequential([*unnamed, {"answer": 0.1, "prediction": 0.2}], None, state=other)


def test_what_is_fixed_before_the_first_look_stays() -> None:
    first = combine_sequential(people(80, 1), further(500, 2), planned_people=200, **SCALE)
    with pytest.raises(OptionError, match="planned_people was 200 at the first look"):
        combine_sequential(people(20, 3, start=80), None, state=first, planned_people=400)
    bounded = combine_sequential(people(80, 1), further(500, 2), max_people=90, **SCALE)
    with pytest.raises(InputError, match="more than the maximum of 90"):
        combine_sequential(people(20, 3, start=80), None, state=bounded)
    narrow, wide = (one.looks[-1].estimate.interval for one in (bounded, first))
    assert narrow is not None
    assert wide is not None
    assert narrow.high - narrow.low < wide.high - wide.low


def test_nothing_is_said_before_the_first_look() -> None:
    early = combine_sequential(people(40, 1), further(500, 2), **SCALE)
    assert early.looks[-1].estimate.interval is None
    assert "too few to look: 40 people, 60 are needed" in str(early)
    no_ends = combine_sequential(people(120, 1), further(500, 2))
    assert "200 are needed" in no_ends.looks[-1].estimate.note
    rare = [{"answer": int(i < 5), "prediction": i % 2} for i in range(150)]
    assert (
        "5 people gave the rarer answer" in combine_sequential(rare, further(500, 2)).looks[-1].estimate.note
    )


def test_persons_with_several_rows_count_once_and_two_arms_are_subtracted() -> None:
    rows = people(100, 1)
    again = combine_sequential([row for row in rows for _ in range(4)], further(2000, 2), **SCALE)
    once = combine_sequential(rows, further(2000, 2), **SCALE)
    assert again.looks[-1].n_people == 100
    assert again.looks[-1].estimate.value == pytest.approx(once.looks[-1].estimate.value)
    arms = [*people(80, 1, arm="treated", shift=1.0), *people(80, 2, start=80, arm="control")]
    more = [*further(900, 3, "treated"), *further(900, 4, "control")]
    found = combine_sequential(arms, more, decide=0.0, **SCALE)
    assert found.kind == "difference"
    assert found.arms == ("treated", "control")
    assert found.looks[-1].enough


def test_what_to_buy_next_and_when_it_is_enough() -> None:
    wide = combine_sequential(
        people(80, 1), further(500, 2), width=0.3, cost_person=2.5, cost_reply=0.001, **SCALE
    )
    step = wide.looks[-1].purchase
    assert step is not None
    assert step.cost > 0
    assert "Buy" in str(wide)
    done = combine_sequential(people(80, 1), further(500, 2), width=3.0, **SCALE)
    assert "no wider than 3" in done.looks[-1].enough
    exact = combine_sequential([{"answer": i % 2, "prediction": 0} for i in range(120)], None, exact=True)
    ends = exact.looks[-1].estimate.interval
    assert ends is not None
    assert ends.low < 0.5 < ends.high


def test_outcomes_weights_and_third_arms_are_refused_in_words() -> None:
    rows, more = people(70, 1), further(100, 2)
    with pytest.raises(InputError, match="one outcome at a time"):
        combine_sequential([row | {"outcome": "ab"[i % 2]} for i, row in enumerate(rows)], more)
    with pytest.raises(InputError, match="weights"):
        combine_sequential([row | {"weight": 1 + i % 2} for i, row in enumerate(rows)], more)
    with pytest.raises(InputError, match="one arm, or two"):
        combine_sequential([row | {"arm": "abc"[i % 3]} for i, row in enumerate(rows)], more)
    with pytest.raises(InputError, match="outside the scale"):
        combine_sequential(rows, more, scale_min=0.0, scale_max=0.5)


def test_an_answer_on_the_declared_scale_is_no_code_for_a_missing_one() -> None:
    rows = [{"answer": 1 + i % 9, "prediction": 1 + i % 7} for i in range(80)] + [
        {"answer": 99, "prediction": 5}
    ] * 2
    scaled = combine_sequential(
        rows, [{"prediction": 1 + i % 7} for i in range(90)], scale_min=1, scale_max=100
    )
    assert (scaled.looks[-1].n_people, scaled.warnings) == (82, ())
    bare = combine_sequential(rows, [{"prediction": 1 + i % 7} for i in range(90)])
    assert bare.looks[-1].n_people == 80 and "for no answer" in bare.warnings[0]


def test_batches_are_a_pilot_of_a_plan(tmp_path: Path) -> None:
    made = combine_sequential(people(200, 1), further(2000, 2), **SCALE)
    made.write(tmp_path)
    asked: dict[str, Any] = {"se": 0.05, "person_cost": 2.5, "reply_cost": 0.001, "sequential": True}
    planned = concord.plan("mixed", tmp_path, **asked).to_dict()
    y = [row["answer"] for row in people(200, 1)]
    assert planned["sd"] == pytest.approx(np.std(y, ddof=1))
    assert planned["correlation"] == made.looks[-1].correlation
    assert planned["sequential"]["people_in_all"] > planned["design"]["people"]

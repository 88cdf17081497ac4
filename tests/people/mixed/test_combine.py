"""People and predictions together: what it says, when it warns, and what is written is read back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concord
from concord.errors import FileFormatError, InputError, OptionError, TableError, UndefinedError
from concord.people.mixed.result import CombineResult
from concord.planning.people import MixedPlan
from concord.records import Estimate
from concord.show.answers_plots import combined_picture
from concord.show.declared import report_of
from concord.show.page.declared import shown_results
from concord.show.terminal import drawn, fitting
from concord.stats.prediction_powered import powered_deviations, powered_mean
from concord.stats.skewed import skewed_sum_ends


def _rows(
    n: int, *, seed: int, effect: float = 0.5, bias: float = 3.0, noise: float = 1.0
) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    arm = rng.integers(0, 2, n)
    x = rng.normal(size=n)
    y = effect * arm + x + rng.normal(size=n)
    f = y + noise * rng.normal(size=n) + bias * (1 + arm)
    return [
        {"arm": "ba"[a], "x": v, "answer": b, "prediction": c, "weight": 1.0 + (i % 3)}
        for i, (a, v, b, c) in enumerate(zip(arm, x, y, f, strict=True))
    ]


def _further(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k != "answer"} for row in rows]


def test_a_difference_of_arms_is_right_though_the_model_is_biased_by_six_standard_errors() -> None:
    found = concord.combine(_rows(600, seed=1), _further(_rows(6000, seed=2)))
    assert [one.name for one in found.estimates] == ["a", "b", "a − b"]
    difference = found.estimates[2]
    assert difference.kind == "difference"
    assert difference.estimate.interval is not None and difference.people_only.interval is not None
    assert difference.estimate.interval.low < 0.5 < difference.estimate.interval.high
    assert difference.se < 0.9 * difference.people_se
    assert difference.effective_people == pytest.approx(
        600 * (difference.people_se / difference.se) ** 2, rel=0.05
    )
    assert found.sentence.startswith("With 600 people, 6,000 replies of this model are worth ")
    plain = [{k: v for k, v in row.items() if k != "weight"} for row in _rows(600, seed=1)]
    further = [{k: v for k, v in row.items() if k != "weight"} for row in _further(_rows(6000, seed=2))]
    unweighted = concord.combine(plain, further).estimates[2]
    assert unweighted.effective_people == pytest.approx(
        600 * (unweighted.people_se / unweighted.se) ** 2, rel=0.05
    )


def test_a_mean_without_arms_and_a_share() -> None:
    rows = [{"human": i % 2, "agent": (i % 2 + i % 3) / 3} for i in range(90)]
    found = concord.combine(rows, [{"agent": row["agent"]} for row in rows * 4]).estimates
    assert [(one.name, one.kind) for one in found] == [("share", "share")]
    assert found[0].estimate.value == pytest.approx(0.5)


def test_regression_coefficients_are_named() -> None:
    rows, more = _rows(400, seed=3, bias=0.0), _further(_rows(3000, seed=4, bias=0.0))
    for row in (*rows, *more):
        del row["arm"]
    found = concord.combine(rows, more, regress=["x"]).estimates
    assert [one.name for one in found] == ["intercept", "x"]
    assert found[1].estimate.interval is not None
    assert found[1].estimate.interval.low < 1 < found[1].estimate.interval.high


def test_other_populations_are_warned_of() -> None:
    rows = [row | {"arm": ""} for row in _rows(300, seed=5)]
    more = [row | {"arm": "", "prediction": row["prediction"] + 2} for row in _further(_rows(900, seed=6))]
    assert any("different populations" in note for note in concord.combine(rows, more).warnings)
    same = [row | {"arm": ""} for row in _further(_rows(900, seed=6))]
    assert not any("different populations" in note for note in concord.combine(rows, same).warnings)


def test_predictions_of_another_population_are_worth_no_people() -> None:
    rows, further = _rows(200, seed=5), _further(_rows(900, seed=6))
    found = concord.combine(rows, [row | {"prediction": row["prediction"] + 3} for row in further])
    assert "give no unbiased estimate: predictions in" in found.sentence
    assert "more people" not in found.sentence
    assert "more people" in concord.combine(rows, further).sentence


def test_another_division_of_arms_is_no_other_population() -> None:
    rng = np.random.default_rng(3)

    def rows(n: int, share: float) -> list[dict[str, Any]]:
        arms = rng.random(n) < share
        y = rng.normal(size=n) + 2 * arms
        return [
            {"arm": "treated" if arm else "control", "answer": a, "prediction": a + rng.normal()}
            for arm, a in zip(arms, y, strict=True)
        ]

    even, uneven = rows(400, 0.5), _further(rows(2000, 0.85))
    assert not concord.combine(even, uneven).warnings
    assert "more people" in concord.combine(even, uneven).sentence


def test_weights_that_make_the_samples_alike_are_no_other_population() -> None:
    rng = np.random.default_rng(4)

    def rows(n: int, young: float) -> list[dict[str, Any]]:
        is_young = rng.random(n) < young
        y = rng.normal(size=n) + 2 * is_young
        # the population has half of each
        weights = np.where(is_young, 0.5 / young, 0.5 / (1 - young))
        return [
            {"answer": a, "prediction": a + rng.normal(), "weight": w}
            for a, w in zip(y, weights, strict=True)
        ]

    people, further = rows(500, 0.8), _further(rows(3000, 0.5))
    assert not concord.combine(people, further).warnings
    bare = [{k: v for k, v in row.items() if k != "weight"} for row in people]
    plain = [{k: v for k, v in row.items() if k != "weight"} for row in further]
    assert any("different populations" in note for note in concord.combine(bare, plain).warnings)


def test_few_people_have_an_estimate_and_no_interval() -> None:
    rows = [{"answer": float(i % 5), "prediction": float(i % 4)} for i in range(19)]
    found = concord.combine(rows, [{"prediction": float(i % 4)} for i in range(100)]).estimates[0]
    assert found.estimate.value is not None and found.estimate.interval is None
    assert found.estimate.note == "no interval: fewer than 20 people"


def test_constant_predictions_are_worth_nothing_and_say_so() -> None:
    rows = [{"answer": float(i % 5), "prediction": 3.0} for i in range(50)]
    found = concord.combine(rows, [{"prediction": 3.0}] * 100)
    assert found.estimates[0].worth.value == 0
    assert found.estimates[0].estimate.value == pytest.approx(2.0)
    assert "worth no more people: the predictions are all one number" in found.sentence


def test_rows_without_a_number_are_counted_and_words_are_named(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"answer": float(i % 5), "prediction": float(i % 3)} for i in range(50)]
    found = concord.combine(
        [*rows, {"answer": None, "prediction": 1.0}], [{"prediction": float(i % 3)} for i in range(9)]
    )
    assert found.warnings == ("list: 1 rows lack an answer, a prediction or a covariate and are left out",)
    more = [{"prediction": float(i % 3)} for i in range(9)]
    wrong = [*rows, {"answer": 1.0, "prediction": "x"}]
    with pytest.raises(TableError, match="column 'prediction': got 'x'"):
        concord.combine(wrong, more, strict=True)
    left = concord.combine(wrong, more)
    assert [(cell.row, cell.value) for cell in left.left_out] == [(52, "x")]
    assert left.warnings == (
        "list: 50 of 51 rows scored; 1 left out: column 'prediction' cannot be read × 1 (left_out.csv)",
    )
    with pytest.raises(FileFormatError, match="no column of people's answers"):
        concord.combine([{"prediction": 1.0}], rows)
    with pytest.raises(InputError, match="no row of the arm 'b'"):
        concord.combine(_rows(60, seed=1), [row | {"arm": "a"} for row in _further(_rows(60, seed=2))])


def test_the_same_people_do_not_count_twice(tmp_path: Path) -> None:
    rows = _rows(60, seed=1)
    with pytest.raises(FileFormatError, match="60 rows are rows of list: the same people cannot count twice"):
        concord.combine(rows, rows)
    with pytest.raises(FileFormatError, match="3 rows are rows of list"):
        concord.combine(rows, _further([*_rows(200, seed=2), *rows[:3]]))
    ordered = [{"answer": float(i % 5), "prediction": float((i * i) % 7 % 5)} for i in range(60)]
    ordered[31]["prediction"] = 4.0
    others = [{"prediction": float((i * 5 + i // 7) % 5)} for i in range(90)]
    with pytest.raises(FileFormatError, match="the same people cannot count twice"):
        concord.combine(ordered, [*others, *_further(ordered)])
    assert concord.combine(ordered, others).estimates
    few = [{"answer": float(i % 5), "prediction": float(i % 3)} for i in range(60)]
    with pytest.raises(FileFormatError, match="the same people cannot count twice"):
        concord.combine(few, few)
    named = [row | {"person": i} for i, row in enumerate(few)]
    more = [{"prediction": float(i % 3), "person": i} for i in range(58, 200)]
    with pytest.raises(FileFormatError, match="2 persons are in list too, such as '58'"):
        concord.combine(named, more)
    assert concord.combine(named, more[2:]).estimates


def test_declared_codes_are_no_answers() -> None:
    rows = [{"answer": float(1 + i % 5), "prediction": float(i % 3)} for i in range(60)]
    more = [{"prediction": float(i % 3)} for i in range(9)]
    coded = [*rows, *({"answer": code, "prediction": 1.0} for code in (6, "refused"))]
    found = concord.combine(coded, more, missing="6,refused").estimates[0]
    assert found.estimate == concord.combine(rows, more).estimates[0].estimate


def test_what_is_written_is_read_back_whole(tmp_path: Path) -> None:
    found = concord.combine(_rows(80, seed=1), _further(_rows(300, seed=2)))
    found.write(tmp_path)
    assert CombineResult.read(tmp_path) == found
    text = drawn(fitting(report_of(found)), width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("With 80 people, 300 replies of this model")


def test_a_plan_from_a_pilot_uses_its_correlation_and_spread(tmp_path: Path) -> None:
    rows = [row | {"arm": ""} for row in _rows(300, seed=5)]
    concord.combine(rows, [row | {"arm": ""} for row in _further(_rows(900, seed=6))]).write(tmp_path)
    found = concord.plan("mixed", tmp_path, se=0.05, person_cost=5.0, reply_cost=0.01)
    assert isinstance(found, MixedPlan) and found.range is not None
    assert found.design.cost < found.design.cost_alone
    assert found.range[1].cost <= found.design.cost <= found.range[0].cost
    with pytest.raises(OptionError, match=r"needs the wanted standard error \(--se\)"):
        concord.plan("mixed", tmp_path, person_cost=5.0, reply_cost=0.01)


def test_codes_of_missing_answers_are_left_out_and_told() -> None:
    people = [{"answer": 1 + i % 5, "prediction": 1 + (i * 3) % 5} for i in range(40)]
    further = [{"prediction": 1 + i % 5} for i in range(100)]
    plain = concord.combine(people, further)
    coded = concord.combine([*people, {"answer": -99, "prediction": 3}], further)
    assert coded.estimates[0] == plain.estimates[0]
    assert any("1 answers are -99, a code for no answer" in text for text in coded.warnings)


def test_skewness_moves_the_ends_of_an_interval_and_nothing_else() -> None:
    rng = np.random.default_rng(3)
    y = rng.lognormal(0, 1, 60)
    people = [{"answer": a, "prediction": 2 * a + rng.normal()} for a in y]
    more = [{"prediction": 2 * a + rng.normal()} for a in rng.lognormal(0, 1, 600)]
    found = concord.combine(people, more).estimates[0]
    f, further = (np.array([row["prediction"] for row in rows]) for rows in (people, more))
    plain = powered_mean(y, f, further)
    assert (found.estimate.value, found.se) == (plain.value, plain.se)
    samples = (powered_deviations(y, f, further, weight) for weight in (plain.weight, 0.0))
    sides = ((found.estimate, plain.value), (found.people_only, plain.people))
    for (one, value), deviations in zip(sides, samples, strict=True):
        assert one.interval is not None
        assert "skewness taken out" in one.interval.method
        assert (one.interval.low, one.interval.high) == skewed_sum_ends(value, deviations)
    # amounts are skewed to the right: a sample that missed large ones is the likelier error
    alone = found.people_only.interval
    assert alone is not None and alone.high - plain.people > 1.2 * (plain.people - alone.low)


def test_people_who_all_say_the_same_have_no_interval() -> None:
    rng = np.random.default_rng(3)
    more = [{"prediction": a} for a in rng.normal(size=100)]
    found = concord.combine([{"answer": 0, "prediction": a} for a in rng.normal(size=40)], more).estimates[0]
    for one in (found.estimate, found.people_only):
        assert (one.value, one.interval, one.note) == (0, None, "no interval: people all gave one answer")


def _two_outcomes(n: int, seed: int) -> list[dict[str, Any]]:
    return [{**row, "outcome": "pq"[i % 2]} for i, row in enumerate(_rows(n, seed=seed))]


def _six(level: float = 0.8) -> CombineResult:
    return concord.combine(_two_outcomes(400, 1), _further(_two_outcomes(3000, 2)), level=level)


def test_of_several_estimates_the_sentence_speaks_of_the_contrasts_with_their_own_people() -> None:
    found = _six()
    assert len(found.estimates) == 6
    contrasts = [one for one in found.estimates if one.kind == "difference"]
    assert found.sentence.startswith(
        "Counted in people, replies of this model are worth the following in 2 estimates: 'p: a − b' "
    )
    for one in contrasts:
        assert one.worth.value is not None
        assert f"{one.of!r} {one.worth.value:,.0f} more (200 people, 1,500 replies; 80 % " in found.sentence
    assert "for each of 2 estimates" in found.methods()
    assert "Answers of 200 persons" in found.methods()


def test_a_plan_from_a_pilot_of_several_estimates_meets_the_most_demanding_and_tells_each(
    tmp_path: Path,
) -> None:
    _six().write(tmp_path)
    plan = concord.plan("mixed", tmp_path, se=0.1, person_cost=1.0, reply_cost=0.01)
    assert isinstance(plan, MixedPlan)
    assert "(200 people; " in plan.based_on and "a − b, one of 6 estimates)" in plan.based_on
    assert [one.of for one in plan.each] == ["p: a − b", "q: a − b"]
    assert plan.design.cost == max(one.design.cost for one in plan.each)
    assert "p: a − b: " in repr(plan)


def test_three_arms_are_compared_with_the_control() -> None:
    rng = np.random.default_rng(3)
    rows = [
        {"arm": arm, "answer": y, "prediction": y + rng.normal()}
        for arm in ("control", "nudge", "pay")
        for y in rng.normal(size=60)
    ]
    found = concord.combine(
        rows, _further([row | {"prediction": row["prediction"] + 0.01} for row in rows] * 3)
    )
    assert [one.name for one in found.estimates[3:]] == ["nudge − control", "pay − control"]
    assert "2 estimates" in found.sentence and "120 people" in found.sentence


def test_every_surface_of_combined_estimates_says_the_level_of_its_intervals() -> None:
    found = concord.combine(_rows(200, seed=1), _further(_rows(900, seed=2)), level=0.8)
    page = shown_results([found])
    terminal = drawn(fitting(report_of(found)), width=140)
    paper = found.table("headline").to_markdown()
    for shown in (terminal, repr(found), found._repr_html_(), page, paper, found.methods()):
        assert "80 %" in shown and "95 %" not in shown
    picture = combined_picture(found)
    assert picture is not None and "Lines are 80 % intervals." in picture.caption
    assert "[" in terminal and page.count('class="ci"') >= 3 * len(found.estimates) - 1
    for one in found.estimates:
        assert all(f"{one.worth.value:+.0f}" in shown for shown in (terminal, paper, page) if one.worth.value)


def test_nothing_is_drawn_where_no_estimate_has_a_value() -> None:
    one = _six().estimates[0]
    nothing = Estimate(None, note="no readable answer")
    empty = CombineResult((replace(one, estimate=nothing, people_only=nothing),), "Nothing.")
    with pytest.raises(UndefinedError, match="nothing to draw"):
        empty.plot()
    assert "<svg" not in shown_results([empty])
    assert "no readable answer" in repr(empty)


def test_a_worth_that_is_not_known_makes_no_number_of_people() -> None:
    """All answers alike: people's own error is 0, and nothing says what predictions add."""
    rng = np.random.default_rng(2)
    same = [{"answer": 4.0, "prediction": float(f)} for f in rng.normal(size=40)]
    more = [{"prediction": float(f)} for f in rng.normal(size=200)]
    (one,) = concord.combine(same, more).estimates
    assert one.worth.value is None
    assert one.effective_people is None
    assert "people all gave one answer" in one.worth.note
    flat = [{"answer": float(y), "prediction": 1.0} for y in rng.normal(size=40)]
    (one,) = concord.combine(flat, [{"prediction": 1.0}] * 200).estimates
    assert (one.worth.value, one.effective_people) == (0.0, 40)

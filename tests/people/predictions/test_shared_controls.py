"""Effects that share a control group: errors in common are known, and only where the table says so."""

from typing import Any

import numpy as np
import pytest

from concord.errors import TableError
from concord.people.predictions.result import METRICS, PredictionResult
from concord.people.predictions.score import score_predictions
from concord.people.predictions.table import read_predictions
from concord.show.declared import report_of
from concord.show.terminal import drawn, fitting

SE = 0.5
MOVED = ("rmse", "rmse_adjusted", "intercept", "size_ratio", "pas")
"""Numbers that a common shift of all effects changes."""
KEPT = ("pearson", "pearson_within", "spearman", "slope")


def megastudy(
    rng: np.random.Generator, *, agents: int = 1, n_effects: int = 25, **columns: Any
) -> list[dict[str, Any]]:
    """One study, treatments against one control group whose error is half of each effect's variance."""
    true = rng.normal(0.5, 1, n_effects)
    half = SE / np.sqrt(2)
    seen = true + rng.normal(0, half, n_effects) - rng.normal(0, half)
    return [
        {
            "study": "mega", "condition": str(i), "human_estimate": seen[i], "human_se": SE, "human_sd": 5.0,
            "agent": f"a{k}", "agent_estimate": own[i], **columns,
        }
        for k in range(agents)
        for own in [0.6 * true + 0.3 + rng.normal(0, 0.6, n_effects)]
        for i in range(n_effects)
    ]  # fmt: skip


def scored(rows: list[dict[str, Any]]) -> PredictionResult:
    return score_predictions(read_predictions(rows))


def _width(result: PredictionResult, name: str) -> float:
    ends = result.agents[0].numbers[name].interval
    assert ends is not None
    return ends.high - ends.low


def test_a_named_control_group_widens_what_its_error_moves_and_nothing_else() -> None:
    rows = megastudy(np.random.default_rng(1))
    plain, known = scored(rows), scored([row | {"control": "c"} for row in rows])
    for name in METRICS:
        if name != "pearson_adjusted":  # its value changes too
            assert known.agents[0].numbers[name].value == plain.agents[0].numbers[name].value
    assert all(_width(known, name) > _width(plain, name) for name in MOVED)
    assert _width(known, "intercept") > 1.5 * _width(plain, "intercept")
    assert all(_width(known, name) == pytest.approx(_width(plain, name)) for name in KEPT)
    assert any("as large as treated ones" in line for line in known.warnings)


def test_the_intercept_gets_the_variance_of_the_control_groups_mean() -> None:
    """All effects moved by c move the intercept by c: SE² = jackknife + se_c², by hand."""
    rows = megastudy(np.random.default_rng(2), control="c", control_se=0.4)
    found = scored(rows).agents[0].numbers["intercept"]
    plain = scored([{k: v for k, v in row.items() if not k.startswith("control")} for row in rows])
    ends = plain.agents[0].numbers["intercept"].interval
    assert ends is not None and found.interval is not None and found.value is not None
    from scipy import stats

    own = ((ends.high - ends.low) / 2 / stats.t.ppf(0.975, 24)) ** 2
    df = 24 * ((own + 0.16) / own) ** 2
    assert found.interval.high - found.value == pytest.approx(stats.t.ppf(0.975, df) * np.sqrt(own + 0.16))


def test_noise_that_does_not_make_effects_differ_is_not_taken_off_their_variance() -> None:
    rows = megastudy(np.random.default_rng(3), control="c", control_se=0.3)
    h = np.array([row["human_estimate"] for row in rows])
    a = np.array([row["agent_estimate"] for row in rows])
    by_hand = np.cov(a, h)[0, 1] / np.sqrt(a.var(ddof=1) * (h.var(ddof=1) - (SE**2 - 0.3**2)))
    assert scored(rows).agents[0].numbers["pearson_adjusted"].value == pytest.approx(by_hand)


def test_the_part_of_a_control_group_follows_from_its_size() -> None:
    rows = megastudy(np.random.default_rng(4), control="c", control_n=300, n=400)
    assert read_predictions(rows).pairs[0].control_se == pytest.approx(SE * np.sqrt(100 / 400))
    named = read_predictions(megastudy(np.random.default_rng(4), control="c"))
    assert named.pairs[0].control_se == pytest.approx(SE / np.sqrt(2))
    assert read_predictions(megastudy(np.random.default_rng(4))).pairs[0].control_se is None


def test_studies_hold_their_control_groups_whole() -> None:
    rows = [row | {"study": f"s{i % 5}"} for i, row in enumerate(megastudy(np.random.default_rng(5)))]
    plain, known = scored(rows), scored([row | {"control": "c"} for row in rows])
    assert known.clusters == "studies"
    assert _width(known, "rmse") == _width(plain, "rmse")


def test_a_difference_of_agents_holds_the_error_that_both_meet() -> None:
    rows = megastudy(np.random.default_rng(6), agents=2)
    for row in rows:
        row["agent_estimate"] += 1.0 if row["agent"] == "a1" else 0.0  # one too high, one not
    plain, known = (
        next(row for row in scored(table).differences if row.metric == "rmse")
        for table in (rows, [row | {"control": "c"} for row in rows])
    )
    assert plain.p_value is not None and known.p_value is not None
    assert known.p_value > plain.p_value
    assert known.difference.value == plain.difference.value


def test_a_control_group_that_cannot_be_is_named() -> None:
    rows = megastudy(np.random.default_rng(7), control="c", control_se=0.5)
    with pytest.raises(TableError, match="column 'control_se': got 0.5, expected less than human_se"):
        read_predictions(rows)
    with pytest.raises(TableError, match="column 'control_n': got 0, expected a number of people"):
        read_predictions([row | {"control_se": None, "control_n": 0} for row in rows])


def test_the_report_says_whether_shared_errors_are_known() -> None:
    rows = megastudy(np.random.default_rng(8))
    for table, says in (
        (rows, "column 'control'"),
        ([r | {"control": "c"} for r in rows], "in common is part of"),
    ):
        result = scored(table)
        assert says in " ".join(drawn(fitting(report_of(result)), width=80).split())


def covered(times: int, *, known: bool) -> dict[str, float]:
    """Return how often intervals hold the mean over many such megastudies."""
    rng = np.random.default_rng(11)
    tables = [megastudy(rng, control="c") if known else megastudy(rng) for _ in range(times)]
    found = [scored(rows).agents[0].numbers for rows in tables]
    share = {}
    for name in (*MOVED, *KEPT):
        truth = np.mean([one[name].value for one in found if one[name].value is not None])
        ends = [one[name].interval for one in found]
        share[name] = float(np.mean([end.low <= truth <= end.high for end in ends if end is not None]))
    return share


@pytest.mark.long
def test_intervals_cover_with_the_control_group_named_and_not_without() -> None:
    times = 60
    share = covered(times, known=True)
    assert min(share.values()) >= 0.94 - 3 * np.sqrt(0.05 * 0.95 / times)
    assert covered(30, known=False)["intercept"] < 0.85


@pytest.mark.slow
def test_intervals_cover_with_the_control_group_named_in_full() -> None:
    share = covered(2000, known=True)
    assert min(share.values()) >= 0.925
    assert max(share.values()) <= 0.985


@pytest.mark.parametrize("control", [{}, {"control": "c"}])
def test_the_p_of_a_difference_is_where_its_interval_begins_to_hold_0(control: dict[str, Any]) -> None:
    rows = megastudy(np.random.default_rng(8), agents=2, **control)
    table = read_predictions(rows)
    for one in score_predictions(table).differences:
        if one.p_value is None or one.difference.interval is None:
            continue
        assert 0 < one.p_value < 1
        found = next(
            row
            for row in score_predictions(table, level=1 - one.p_value).differences
            if row.metric == one.metric
        )
        ends = found.difference.interval
        assert ends is not None
        nearest = min(abs(ends.low), abs(ends.high))
        assert nearest == pytest.approx(0.0, abs=1e-6 * (ends.high - ends.low)), one.metric

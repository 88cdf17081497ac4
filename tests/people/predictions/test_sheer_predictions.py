"""Tables of very many effects, studies, agents or control groups: the same numbers, and no square of them."""

from typing import Any

import numpy as np
import pytest

from concord.errors import FileFormatError
from concord.people.predictions import measures, score
from concord.people.predictions.measures import left_out, prepare
from concord.people.predictions.score import agent_differences, paired_differences, score_predictions
from concord.people.predictions.table import PredictionTable, read_predictions


def table(agents: int, studies: int = 6, *, missing: float = 0.0, **columns: Any) -> PredictionTable:
    rng = np.random.default_rng(7)
    rows = [
        {
            "study": f"S{s}", "condition": f"c{c}", "outcome": f"o{c % 2}", "human_estimate": h,
            "human_se": 0.2, "agent": f"a{k}", "agent_estimate": round(h + rng.normal(), 1), **columns,
        }
        for s in range(studies)
        for c in range(3)
        for h in [round(float(rng.normal()), 1)]
        for k in range(agents)
        if rng.random() >= missing
    ]  # fmt: skip
    return read_predictions(rows)


@pytest.mark.parametrize("columns", [{}, {"agent_se": 0.1}, {"control": "placebo", "human_sd": 2.0}])
def test_numbers_on_a_part_are_those_of_a_table_of_that_part(columns: dict[str, Any]) -> None:
    found = table(1, **columns)
    predictions = [found.agents["a0"][pair.key] for pair in found.pairs]
    whole = prepare((found.pairs, predictions))
    for seed in range(5):
        kept = np.random.default_rng(seed).random(len(found.pairs)) < 0.6
        part = prepare(
            (
                [pair for pair, there in zip(found.pairs, kept, strict=True) if there],
                [one for one, there in zip(predictions, kept, strict=True) if there],
            )
        )
        assert whole.values(kept) == pytest.approx(part.values(), rel=1e-12, nan_ok=True)


def test_agents_with_other_effects_are_compared_on_those_they_share() -> None:
    found = table(3, missing=0.2)
    _, codes = left_out(found.pairs)
    rows, warnings = agent_differences(found, ["a0", "a1", "a2"], codes, level=0.95)
    assert not warnings and {(row.first, row.second) for row in rows} == {
        ("a0", "a1"),
        ("a0", "a2"),
        ("a1", "a2"),
    }
    for row in rows:
        one, two = found.agents[row.first], found.agents[row.second]
        both = [i for i, pair in enumerate(found.pairs) if pair.key in one and pair.key in two]
        pairs = [found.pairs[i] for i in both]
        sides = [[given[pair.key] for pair in pairs] for given in (one, two)]
        alone = paired_differences(pairs, sides, [codes[i] for i in both], level=0.95)[row.metric]
        assert (row.difference, row.p_value) == alone


def test_more_agents_than_can_be_compared_keep_their_numbers_and_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = score_predictions(table(4))
    monkeypatch.setattr(score, "COMPARED_IN_PAIRS", 3)
    found = score_predictions(table(4))
    assert found.differences == () and compared.differences
    assert any("4 models are not compared with each other" in text for text in found.warnings)
    assert found.agents == compared.agents


def test_agents_that_each_predicted_other_effects_are_fewer_to_compare(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(score, "PREDICTOR_PARTS", 4 * 6)  # agents by clusters, if their effects agree
    assert score_predictions(table(4)).differences
    assert not score_predictions(table(4, missing=0.2)).differences


def test_clusters_beyond_the_most_are_left_out_in_groups_of_whole_clusters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = table(1, studies=12)
    single = score_predictions(found)
    monkeypatch.setattr(measures, "LEFT_OUT", 5)
    what, codes = left_out(found.pairs)
    assert what == "5 groups of studies" and len(set(codes)) == 5
    groups = {(pair.study, code) for pair, code in zip(found.pairs, codes, strict=True)}
    assert len(groups) == 12
    grouped = score_predictions(found)
    assert grouped.clusters == what
    for name, one in single.agents[0].numbers.items():
        assert grouped.agents[0].numbers[name].value == one.value


def test_groups_of_clusters_have_the_standard_error_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "LEFT_OUT", 100)
    reaches = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        h = rng.normal(size=300)
        rows = [
            {"study": f"S{i}", "human_estimate": h[i], "human_se": 0.1, "agent_estimate": a}
            for i, a in enumerate(h + rng.normal(size=300))
        ]
        found = score_predictions(read_predictions(rows)).agents[0].numbers["pearson"]
        assert found.value is not None and found.interval is not None
        reaches.append(np.arctanh(found.interval.high) - np.arctanh(found.value))
    # Fisher's z and t of 99; one standard error of a hundred groups varies by 7 %
    assert np.mean(reaches) == pytest.approx(1.984 / np.sqrt(300 - 3), rel=0.09)


def test_very_many_control_groups_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = table(1, studies=2, control="placebo", human_sd=2.0)
    assert score_predictions(found).agents
    monkeypatch.setattr(measures, "CONTROL_GROUPS", 1)
    with pytest.raises(FileFormatError, match="2 shared control groups, more than the 1"):
        score_predictions(found)

"""Agents compared on people's answers and on predicted effects: names, shared outcomes, numbers by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concord
from concord.comparing.metrics import MetricCompareResult
from concord.errors import MismatchError

PEOPLE = {f"s{i}": effect for i, effect in enumerate([1.0, 2.0, -1.0, 0.5, 3.0, 1.5])}
FIRST = {f"s{i}": effect for i, effect in enumerate([1.5, 1.0, -0.5, 1.0, 2.0, 2.5])}
SECOND = {f"s{i}": effect for i, effect in enumerate([0.0, 1.0, 0.5, -0.5, 1.0])}


def effects(predicted: dict[str, float], agent: str) -> list[dict[str, Any]]:
    return [
        {
            "study": study, "condition": "c", "human_estimate": PEOPLE[study], "human_se": 0.2,
            "agent": agent, "agent_estimate": value,
        }
        for study, value in predicted.items()
    ]  # fmt: skip


def rmse(predicted: dict[str, float], studies: list[str]) -> float:
    return float(np.sqrt(np.mean([(predicted[study] - PEOPLE[study]) ** 2 for study in studies])))


@pytest.fixture(scope="module")
def predicted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("predicted")
    concord.score_predictions([*effects(FIRST, "one"), *effects(SECOND, "two")]).write(root / "both")
    for name, own in (("left", FIRST), ("right", SECOND)):
        rows = [{key: value for key, value in row.items() if key != "agent"} for row in effects(own, "")]
        concord.score_predictions(rows).write(root / name)
    return root


def test_predictions_are_compared_over_the_effects_that_both_predicted(predicted: Path) -> None:
    found = concord.compare(predicted / "both")
    assert isinstance(found, MetricCompareResult)
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("one", "two")
    assert (pair.n_common, pair.only_first, pair.only_second) == (5, 1, 0)
    common = list(SECOND)
    one = pair.metric("rmse")
    assert one.first == pytest.approx(rmse(FIRST, common))
    assert one.second == pytest.approx(rmse(SECOND, common))
    assert one.difference.value == pytest.approx(rmse(FIRST, common) - rmse(SECOND, common))
    assert one.n_clusters == 5
    h, a = ([side[study] for study in common] for side in (PEOPLE, FIRST))
    assert pair.metric("pearson").first == pytest.approx(np.corrcoef(h, a)[0, 1])
    # signs agree with people in 5 of 5, and in 1 of 5: none for 0, not for 0.5 and -0.5
    assert pair.metric("direction").first == 1.0
    assert pair.metric("direction").second == pytest.approx((0.5 + 1 + 0 + 0 + 1) / 5)
    assert found.standing.order == ("one", "two")
    by_rank = {"one": rmse(FIRST, common), "two": rmse(SECOND, common)}
    assert dict(found.standing.values) == pytest.approx(by_rank)


def test_an_agent_without_a_name_is_called_by_its_folder(predicted: Path) -> None:
    found = concord.compare(predicted / "left", predicted / "right")
    assert isinstance(found, MetricCompareResult)
    assert [model.name for model in found.models] == ["left", "right"]
    assert [model.source for model in found.models] == ["left", "right"]
    assert [dict(model.about) for model in found.models] == [{"agent": "agent"}] * 2
    assert [Path(file.name).name for file in found.inputs] == ["predictions.json"] * 2


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("answered")
    people = [1, 2, 3, 4, 5] * 6
    sides = {"near": [1, 2, 3, 4, 4] * 6, "far": [3, 3, 4, 5, 5] * 6}
    for folder, names in (("both", list(sides)), ("near", ["near"]), ("other", ["far"])):
        rows = [
            {"study": study, "outcome": "o", "source": who, "answer": value}
            for study in ("s1", "s2", "s3", "s4")[: 3 if folder == "other" else 4]
            for who, values in (("human", people), *((name, sides[name]) for name in names))
            for value in values
        ]
        concord.score_answers(rows, n_resamples=100).write(root / folder)
    return root


def test_answers_are_compared_outcome_by_outcome(answered: Path) -> None:
    found = concord.compare(answered / "both", metric="tvd")
    assert isinstance(found, MetricCompareResult)
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.n_common) == ("near", "far", 4)
    # by hand: a fifth of the answers move from 5 to 4; from 1, 2 to 3 and 4, 5 twice as often
    assert pair.metric("tvd").first == pytest.approx(0.2)
    assert pair.metric("tvd").second == pytest.approx(0.4)
    assert pair.metric("tvd").difference.value == pytest.approx(-0.2)
    assert pair.metric("tvd").n_clusters == 4
    assert found.standing.order == ("near", "far")
    assert dict(found.standing.values) == pytest.approx({"near": 0.2, "far": 0.4})
    assert [(model.name, model.source) for model in found.models] == [("near", "both"), ("far", "both")]
    assert [Path(file.name).name for file in found.inputs] == ["answers.json"]


def test_outcomes_of_one_agent_alone_are_counted(answered: Path) -> None:
    found = concord.compare(answered / "near", answered / "other")
    assert isinstance(found, MetricCompareResult)
    (pair,) = found.pairs
    assert (pair.n_common, pair.only_first, pair.only_second) == (3, 1, 0)
    assert [model.source for model in found.models] == ["near", "other"]


def test_one_agent_alone_is_not_compared(answered: Path) -> None:
    with pytest.raises(concord.errors.OptionError, match="at least two agents, near holds one: near"):
        concord.compare(answered / "near")


def test_no_outcome_in_common_is_said(answered: Path, tmp_path: Path) -> None:
    rows = [
        {"study": "t", "outcome": "q", "source": who, "answer": value}
        for who in ("human", "far")
        for value in [1, 2, 3, 4, 5] * 6
    ]
    concord.score_answers(rows, n_resamples=100).write(tmp_path / "elsewhere")
    with pytest.raises(MismatchError, match="near and far have no outcome in common"):
        concord.compare(answered / "near", tmp_path / "elsewhere")

"""Folders of results about people, compared: which tests rank models, and what to give."""

from pathlib import Path

import numpy as np
import pytest

import concord
from concord.errors import FileFormatError, OptionError


def test_models_with_other_tests_are_not_ranked_under_other_priors(tmp_path: Path) -> None:
    row = {"finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 2.5, "human_n": 60}
    rows = [row | {"study": f"S{i}", "agent_statistic": 1.0 + i, "agent_n": 60} for i in range(4)]
    for name, own in (
        ("a", rows),
        ("b", rows),
        ("c", [*rows[:3], rows[3] | {"agent_statistic": None, "agent_n": None}]),
    ):
        concord.score_people(own, n_resamples=0, n_simulations=0).write(tmp_path / name)
    ranks = "pas_ranks_over_priors"
    assert len(concord.compare(tmp_path / "a", tmp_path / "b").to_dict()[ranks]) == 9
    assert concord.compare(tmp_path / "a", tmp_path / "c").to_dict()[ranks] == []


def test_a_folder_of_several_agents_says_which_to_give(tmp_path: Path) -> None:
    row = {"study": "S", "finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 2.5}
    row |= {"human_n": 60, "agent_statistic": 1.0, "agent_n": 60}
    (tmp_path / "agents.json").write_text("{}", "utf-8")
    for name in ("one", "two words"):
        concord.score_people([row], n_resamples=0, n_simulations=0).write(tmp_path / name)
    with pytest.raises(FileFormatError, match="holds results of 2 agents; give .*two words'"):
        concord.compare(tmp_path, tmp_path)


def named(folder: Path, model: str | None, *, shift: float = 0.0) -> Path:
    row = {"finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 2.5, "human_n": 60}
    rows = [row | {"study": f"S{i}", "agent_statistic": 1.0 + i + shift, "agent_n": 60} for i in range(4)]
    concord.score_people(rows, model=model, n_resamples=0, n_simulations=0).write(folder)
    return folder


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (("gpt", "llama"), ["gpt", "llama"]),
        (("gpt", "gpt"), ["a", "b"]),
        (("gpt", None), ["a", "b"]),
        ((None, None), ["a", "b"]),
    ],
)
def test_results_are_called_by_their_models_where_each_has_one_of_its_own(
    tmp_path: Path, models: tuple[str | None, str | None], names: list[str]
) -> None:
    found = concord.compare(named(tmp_path / "a", models[0]), named(tmp_path / "b", models[1], shift=0.5))
    document = found.to_dict()
    assert [model["name"] for model in document["models"]] == names
    assert [model["model"] for model in document["models"]] == list(models)
    assert [model["design"] for model in document["models"]] == [None, None]
    assert not document["warnings"]
    files = ["benchmark_summary.json", "detailed_stats.csv"] * 2
    assert [Path(file["name"]).name for file in document["inputs"]] == files


def test_distributions_that_moved_between_versions_are_named(tmp_path: Path) -> None:
    folders = []
    for name, shift in (("old", 0), ("new", 2)):
        rows = [
            {"outcome": "trust", "human": 1 + i % 5, "agent": min(1 + i % 5 + shift, 5)} for i in range(60)
        ]
        folder = named(tmp_path / name, "gpt")
        concord.score_answers(rows, n_resamples=20).write(folder / "distributions")
        folders.append(folder)
    found = concord.compare(*folders, as_people=True)
    (row,) = found.to_dict()["moved_answers"]
    # old answers are people's; of the new ones three fifths are 5, and none is 1 or 2
    assert (row["second_tvd"], row["first_tvd"], row["nearer"]) == (0.0, pytest.approx(0.4), False)
    assert row["second_spread"] == pytest.approx(1.0)
    assert row["first_spread"] == pytest.approx(np.var([3, 4, 5, 5, 5]) / 2)
    assert "Answers that moved most" in str(found)


def test_a_new_version_is_held_against_the_old_one_as_people_are(tmp_path: Path) -> None:
    old, new = named(tmp_path / "old", "gpt", shift=1.5), named(tmp_path / "new", "gpt", shift=-6.0)
    found = concord.compare(old, new, as_people=True)
    document = found.to_dict()
    assert [model["name"] for model in document["models"]] == ["new", "old"]
    assert [row["moved"] < 0 for row in document["moved"]] == [True] * 4
    gate = found.fail_unless_as_good(margin=0.05)
    assert gate.failed
    assert gate.units == "studies"
    assert "Effects that moved most between the versions" in str(found)
    with pytest.raises(OptionError, match="expected two results about people"):
        concord.compare([{"item": 1, "score": 1}], old, as_people=True)

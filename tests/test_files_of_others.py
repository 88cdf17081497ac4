"""Files that other programs wrote, as they are: numbers beside plain code, and no repeat taken for an item.

The files in ``tests/data/tools`` were made with promptfoo 0.121, EDSL 1.0.9, lm-eval 0.4.13, Inspect 0.3.285
and DeepEval 4.3.1, offline with stand-ins for models, and are shortened.
"""

import csv
import json
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest

import concord
from concord.comparing.result import CompareResult
from concord.errors import FileFormatError
from tests.files_of_every_kind import FILES, TOOLS, Written, as_csv


@pytest.mark.parametrize("one", FILES, ids=[one[0] for one in FILES])
def test_check_names_every_kind_of_file_and_its_command_and_reads_it_once(
    one: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, write, content, kind, command = one
    (tmp_path / name).parent.mkdir(exist_ok=True)
    write(tmp_path / name, content)
    opened, plain = list[Path](), Path.open

    def counted(path: Path, *how: Any, **more: Any) -> Any:
        opened.append(path)
        return plain(path, *how, **more)

    monkeypatch.setattr(Path, "open", counted)
    found = concord.check(tmp_path / name)
    assert (found.kind, found.commands[0], found.passed) == (kind, f"concord {command}", True), found.problems
    assert opened.count(tmp_path / name) <= (1 if not name.endswith(".parquet") else 2)  # hashed in pieces


def compared(*sources: Path, **options: Any) -> CompareResult:
    found = concord.compare(*sources, **options)
    assert isinstance(found, CompareResult)
    return found


def by_model(found: CompareResult) -> dict[str, tuple[float | None, int, int]]:
    return {one.name: (one.mean.value, one.n_asked, one.outcomes.get("failed", 0)) for one in found.models}


@pytest.mark.parametrize("name", ["promptfoo.json", "promptfoo.csv"])
def test_repeats_of_promptfoo_are_repeats_and_columns_are_models(name: str) -> None:
    """Six tests asked twice are six items, not twelve; two providers of one name are told apart."""
    rows = json.loads((TOOLS / "promptfoo.json").read_text("utf-8"))["results"]["results"]
    scores: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["failureReason"] != 2:
            scores[row["promptIdx"]][str(row["vars"]["n"])].append(row["namedScores"]["exact"])
    found = compared(TOOLS / name, metric="exact")
    both = set.intersection(*(set(own) for own in scores.values()))
    names = {0: "file://prov.js, column 1", 1: "file://prov.js, column 2", 2: "echo"}
    for column, own in scores.items():
        value, items, failed = by_model(found)[names[column]]
        assert value == pytest.approx(mean(mean(own[item]) for item in both))
        assert items == 6 and failed == (2 if column == 1 else 0)
    assert found.n_common == len(both) == 5


def test_scores_of_a_rubric_in_promptfoo_are_a_judges() -> None:
    rows = json.loads((TOOLS / "promptfoo.json").read_text("utf-8"))["results"]["results"]
    given = [row["namedScores"]["rubric"] for row in rows if row["failureReason"] != 2]
    found = concord.score_judge(TOOLS / "promptfoo.json", metric="rubric")
    (judge,) = found.judges
    assert judge.judge == "rubric"
    assert judge.mean.value == pytest.approx(mean(given)) and judge.n_scores == len(given)
    assert judge.noise.value == pytest.approx(0.0)  # the same answer, scored again, has the same score
    assert judge.length.value is not None


def test_grades_of_epochs_are_of_other_answers_and_say_nothing_of_the_judges_noise() -> None:
    found = concord.score_judge(TOOLS / "inspect_graded.eval")
    (judge,) = found.judges
    assert judge.noise.value is None and "no answer was scored twice" in judge.noise.note
    assert judge.n_scores == 12 and judge.length.value is not None


@pytest.mark.parametrize("name", ["edsl_judge.json", "edsl_judge.csv"])
def test_results_of_edsl_are_read_as_a_judges_and_compared(name: str) -> None:
    with (TOOLS / "edsl_judge.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = concord.score_judge(TOOLS / name)
    for judge in found.judges:
        own = [float(row["answer.quality"]) for row in rows if row["agent.agent_name"] in judge.judge]
        assert judge.mean.value == pytest.approx(mean(own)) and judge.n_scores == len(own) == 24
    (pair,) = [one for one in found.pairs if one.judge == "test, mild"]
    sides = {
        system: mean(
            float(row["answer.quality"])
            for row in rows
            if row["scenario.system"] == system and row["agent.agent_name"] == "mild"
        )
        for system in "AB"
    }
    assert pair.difference.value == pytest.approx(sides["A"] - sides["B"]) and pair.n_items == 6
    whole = compared(TOOLS / name)
    assert {one.name for one in whole.models} == {"test, strict", "test, mild"} and whole.n_common == 12


@pytest.mark.parametrize("name", ["edsl_survey.json", "edsl_survey.csv"])
def test_a_survey_of_edsl_is_scored_beside_peoples_file(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    people = [
        {"resp_id": 1000 + i, "weight": round(rng.uniform(0.5, 2), 2), "sex": "fm"[i % 2],
         "drink": rng.choice(["tea", "coffee", "water"]), "trust": rng.integers(1, 8), "only": 3}
        for i in range(80)
    ]  # fmt: skip
    as_csv(tmp_path / "people.csv", people)
    with (TOOLS / "edsl_survey.csv").open(encoding="utf-8", newline="") as file:
        agent = np.array([float(row["answer.trust"]) for row in csv.DictReader(file)])
    found = concord.score_answers(tmp_path / "people.csv", TOOLS / name, n_resamples=50)
    (trust,) = [one for one in found.agents[0].outcomes if one.outcome == "trust"]
    w = np.array([one["weight"] for one in people], dtype=float)
    w, x = w / w.sum(), np.array([one["trust"] for one in people], dtype=float)
    kish = 1 / (w**2).sum()
    variance = (w * (x - (w * x).sum()) ** 2).sum() * kish / (kish - 1)
    assert trust.numbers["variance_ratio"].estimate.value == pytest.approx(agent.var(ddof=1) / variance)
    assert found.agents[0].agent == "test"
    assert any("only people have 'resp_id', 'only'" in told for told in found.warnings)
    as_csv(tmp_path / "other.csv", [{"x": 1}, {"x": 2}])
    with pytest.raises(FileFormatError, match="has no question of people.csv: found 'x'"):
        concord.score_answers(tmp_path / "people.csv", tmp_path / "other.csv")


def test_samples_of_lm_eval_are_compared_and_their_options_scored() -> None:
    files = [next((TOOLS / name).glob("samples_sums_mc*")) for name in ("lm1", "lm2")]
    rows = [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]
    found = compared(*files, metric="acc")
    means = [mean(row["acc"] for row in own) for own in rows]
    assert [by_model(found)[name][0] for name in ("lm1", "lm2")] == pytest.approx(means)
    samples = next((TOOLS / "lm_options").glob("*.jsonl"))
    chosen: dict[str, list[str]] = defaultdict(list)
    for line in samples.read_text("utf-8").splitlines():
        row = json.loads(line)
        sure = [float(one[0][0]) for one in row["resps"]]
        chosen[row["doc"]["item"]].append(row["doc"]["choices"][sure.index(max(sure))])
    same = [mean(a == b for k, a in enumerate(own) for b in own[k + 1 :]) for own in chosen.values()]
    result = concord.score_options(samples)
    assert result.scores.consistency.value == pytest.approx(mean(same))
    assert concord.check(samples).commands == ("concord compare", "concord score options")


def test_options_of_an_inspect_log_are_scored_and_check_says_so() -> None:
    log = TOOLS / "inspect_options.eval"
    assert "concord score options" in concord.check(log).commands
    result = concord.score_options(log)
    assert result.scores.n_items == 4


def test_deepeval_names_the_model_by_its_hyperparameters() -> None:
    found = compared(TOOLS / "deepeval_alpha.json", TOOLS / "deepeval_beta.json", metric="Exact")
    for name in ("alpha", "beta"):
        cases = json.loads((TOOLS / f"deepeval_{name}.json").read_text("utf-8"))["testCases"]
        own = mean(one["metricsData"][0]["score"] for one in cases)
        assert by_model(found)[name][0] == pytest.approx(own)


CELLS = ("condition", "outcome", "mean", "sd", "n_eff")


def cells(path: Path, means: dict[str, dict[str, float]], n: float, **more: object) -> Path:
    rows = [
        dict(zip(CELLS, (condition, outcome, value, 1.0 + 0.1 * i, n + i), strict=True)) | more
        for outcome, own in means.items()
        for i, (condition, value) in enumerate(own.items())
    ]
    as_csv(path, rows)
    return path


def test_means_of_conditions_in_files_of_their_own_are_effects_against_a_shared_control(
    tmp_path: Path,
) -> None:
    """Effects, standard errors and the control group's part of them, by hand."""
    people = {
        "a": {"control": 4.0, "t1": 4.5, "t2": 4.1, "t3": 3.6},
        "b": {"control": 2.0, "t1": 2.6, "t2": 1.9},
    }
    agent = {
        "a": {"control": 4.2, "t1": 4.6, "t2": 4.5, "t3": 4.0},
        "b": {"control": 2.1, "t1": 2.9, "t2": 2.0},
    }
    files = [cells(tmp_path / "people.csv", people, 400), cells(tmp_path / "team.csv", agent, 90)]
    found = concord.score_predictions(*files)
    h, a = (
        [own[o][c] - own[o]["control"] for o in own for c in own[o] if c != "control"]
        for own in (people, agent)
    )
    team = found.agent("team")
    assert team.numbers["pearson"].value == pytest.approx(np.corrcoef(h, a)[0, 1])
    assert team.numbers["rmse"].value == pytest.approx(np.sqrt(np.mean((np.array(h) - a) ** 2)))
    first = team.effects[0].people
    assert first.se == pytest.approx(np.sqrt(1.1**2 / 401 + 1.0 / 400))
    assert first.control_se == pytest.approx(1 / np.sqrt(400)) and first.n == 801
    assert found.n_effects == 5
    one = cells(tmp_path / "both.csv", people, 400, source="human").read_text("utf-8")
    more = cells(tmp_path / "more.csv", agent, 90, source="team").read_text("utf-8").partition("\n")[2]
    (tmp_path / "both.csv").write_text(one + more, "utf-8")
    both = concord.score_predictions(tmp_path / "both.csv")
    assert both.agent("team").numbers["pearson"].value == pytest.approx(team.numbers["pearson"].value)


def test_cells_without_control_or_without_people_are_refused_by_name(tmp_path: Path) -> None:
    first = cells(tmp_path / "people.csv", {"a": {"x": 1.0, "y": 2.0}}, 50)
    second = cells(tmp_path / "team.csv", {"a": {"x": 1.0, "y": 2.0}}, 50)
    with pytest.raises(FileFormatError, match="no control condition of 'a'; found the conditions 'x', 'y'"):
        concord.score_predictions(first, second)
    with pytest.raises(FileFormatError, match="of one side alone; give people's file first"):
        concord.score_predictions(first)

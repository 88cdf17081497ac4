"""The source's layouts: written by a run, read back to the same numbers; one row per arrangement is read."""

from pathlib import Path

import pytest

import concord
from concord.files.output import write_csv
from concord.structure.words.answers import AnswerRow, Answers, source_tables


def _answers() -> Answers:
    rows = [
        AnswerRow(f"i{i}", order, sample, "ok", (3 * i + 2 * sample + len(order)) % 7 / 6, "x", None, "")
        for i in range(6)
        for order in ("AB", "BAC")
        for sample in range(3)
    ]
    return Answers("openai/gpt", tuple(rows))


def test_the_folders_of_a_run_give_the_numbers_of_its_samples(tmp_path: Path) -> None:
    answers = _answers()
    for name, (columns, rows) in source_tables(answers).items():
        write_csv(tmp_path / name, list(columns), rows)
    assert sorted(path.name for path in (tmp_path / "baseline_max").iterdir()) == [
        "openai-gpt_AB.csv",
        "openai-gpt_BAC.csv",
    ]
    folders = concord.score_structure(tmp_path / "baseline_mean", tmp_path / "baseline_max")
    samples = concord.score_structure(scores=answers.frame())
    one, other = folders.models[0].consistency, samples.models[0].consistency
    assert one.s_cons.value == pytest.approx(other.s_cons.value)
    assert (one.e_perf.value, one.r_sens.value) == pytest.approx((other.e_perf.value, other.r_sens.value))


def test_one_row_per_arrangement_is_the_same_as_one_file_each(tmp_path: Path) -> None:
    answers = _answers()
    tables = source_tables(answers)
    for folder in ("baseline_mean", "baseline_max"):
        rows = []
        for order in ("AB", "BAC"):
            _, cells = tables[f"{folder}/openai-gpt_{order}.csv"]
            rows.append([order, *(value for _, value in cells)])
        header = ["arrangement", *(f"idiom{i}_S_Acc" for i in range(1, 7))]
        write_csv(tmp_path / folder / "openai-gpt.csv", header, rows)
    found = concord.score_structure(tmp_path / "baseline_mean", tmp_path / "baseline_max").models[0]
    samples = concord.score_structure(scores=answers.frame()).models[0]
    assert found.consistency.s_cons.value == pytest.approx(samples.consistency.s_cons.value)
    assert (found.n_items, found.n_arrangements) == (6, 2)


def test_rows_without_names_are_numbered_and_the_model_is_the_files_name(tmp_path: Path) -> None:
    for folder, shift in (("mean", 0.0), ("max", 0.1)):
        rows = [[0.2 + shift, 0.4 + shift], [0.3 + shift, 0.5 + shift]]
        write_csv(tmp_path / folder / "Model.csv", ["idiom1_S_Acc", "idiom2_S_Acc"], rows)
    found = concord.score_structure(tmp_path / "mean", tmp_path / "max", reading="paired")
    (model,) = found.models
    assert (model.model, model.n_arrangements, model.n_items) == ("Model", 2, 2)
    assert [row.name for row in model.arrangements] == ["1", "2"]
    assert model.consistency.e_perf.value == pytest.approx(0.1)

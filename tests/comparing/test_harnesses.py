"""Scores as other harnesses write them: every form is read, and what cannot be is told with what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.comparing.harnesses import _is_promptfoo
from concord.comparing.result import CompareResult
from concord.comparing.scores import read_models, read_scores
from concord.errors import FileFormatError, MismatchError, OptionError

FIRST = [1, 1, 0, 1, 1, 1, 0, 1]
SECOND = [0, 1, 0, 0, 1, 0, 0, 1]


def written(path: Path, document: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")
    return path


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def compared(*sources: Path, **options: Any) -> CompareResult:
    result = concord.compare(*sources, **options)
    assert isinstance(result, CompareResult)
    return result


def sample(i: int, **more: Any) -> dict[str, Any]:
    """Return a line as lm-eval 0.4.3 writes it: without names of metrics and filters."""
    return {
        "doc_id": i,
        "doc": {"question": f"q{i}"},
        "target": "x",
        "arguments": [["q"]],
        "resps": [["a"]],
        "filtered_resps": ["a"],
        "doc_hash": f"d{i}",
        "prompt_hash": f"p{i}",
        "target_hash": "t",
        **more,
    }


def samples(folder: Path, rows: list[dict[str, Any]], task: str = "arc_easy") -> Path:
    return lines(folder / f"samples_{task}_2024-07-02T10-11-12.123456.jsonl", rows)


def test_samples_of_older_versions_of_lm_eval_name_no_metrics_and_are_read(tmp_path: Path) -> None:
    path = samples(tmp_path, [sample(i, acc=s, acc_norm=1 - s) for i, s in enumerate(FIRST)])
    assert read_scores(path, metric="acc").frame["score"].to_list() == FIRST
    with pytest.raises(OptionError, match="found the metrics 'acc,none', 'acc_norm,none'; choose one"):
        read_scores(path)


def test_filters_without_names_are_numbered_in_their_order(tmp_path: Path) -> None:
    both = [sample(i, exact_match=s) for scores in (FIRST, SECOND) for i, s in enumerate(scores)]
    path = samples(tmp_path, both)
    assert read_scores(path, metric="exact_match,filter 2").frame["score"].to_list() == SECOND
    with pytest.raises(OptionError, match="'exact_match,filter 1', 'exact_match,filter 2'"):
        read_scores(path)


def test_a_metric_without_a_score_per_document_is_told_with_those_that_have_one(tmp_path: Path) -> None:
    rows = [sample(i, word_perplexity=[-9.5, 12], metrics=["word_perplexity"], filter="none") for i in (0, 1)]
    with pytest.raises(OptionError, match="no score per document .* no other metric is in the file"):
        read_scores(samples(tmp_path / "a", rows))
    rows = [sample(i, strict=True, loose=[True, False]) for i in range(3)]
    path = samples(tmp_path / "b", rows)
    assert read_scores(path).metric == "strict,none"
    with pytest.raises(OptionError, match="'loose,none' has no score per document .* these have: 'strict"):
        read_scores(path, metric="loose")


def test_tables_whose_items_are_called_doc_id_are_tables(tmp_path: Path) -> None:
    path = lines(tmp_path / "own.jsonl", [{"doc_id": i, "correct": s} for i, s in enumerate(FIRST)])
    found = read_scores(path)
    assert (found.kind, found.frame["score"].to_list()) == ("table", FIRST)


def test_groups_are_compared_on_the_tasks_that_both_have_and_the_others_are_named(tmp_path: Path) -> None:
    for name, scores in (("new", FIRST), ("old", SECOND)):
        for task in ("law", "art", *(["music"] if name == "old" else [])):
            samples(tmp_path / name, [sample(i, acc=s) for i, s in enumerate(scores)], task)
    result = compared(tmp_path / "new", tmp_path / "old")
    assert (result.n_common, result.n_items) == (16, 24)
    assert any("2 tasks are compared; only" in one and "'music'" in one for one in result.warnings)


def test_a_folder_with_one_task_of_several_models_is_refused_with_the_command(tmp_path: Path) -> None:
    for name in ("a", "b"):
        samples(tmp_path / name, [sample(i, acc=s) for i, s in enumerate(FIRST)])
    with pytest.raises(
        FileFormatError, match=r"holds 'arc_easy' of 'a' and of 'b'.*concord compare \S+a \S+b"
    ):
        read_scores(tmp_path)


def test_other_prompts_for_the_same_documents_are_told(tmp_path: Path) -> None:
    samples(tmp_path / "five", [sample(i, acc=s) for i, s in enumerate(FIRST)])
    samples(tmp_path / "zero", [sample(i, acc=s, prompt_hash="z") for i, s in enumerate(SECOND)])
    (told,) = compared(tmp_path / "five", tmp_path / "zero").warnings
    assert told.startswith("8 of 8 documents were asked with other prompts")


def test_the_summary_of_lm_eval_leads_to_its_samples(tmp_path: Path) -> None:
    path = written(tmp_path / "results_2024.json", {"results": {"gsm8k": {"acc": 0.5}}, "configs": {}})
    with pytest.raises(FileFormatError, match=r"summary .* give the samples_\*.jsonl files .* --log_samples"):
        read_scores(path)


def test_records_of_openai_evals_are_read(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"spec": {"completion_fns": ["gpt-x"], "eval_name": "match.s1"}},
        {"final_report": {"accuracy": 0.5}},
    ]
    for i, score in enumerate(FIRST):
        rows.append({"sample_id": f"s.{i}", "type": "sampling", "data": {"sampled": "x"}})
        rows.append(
            {"sample_id": f"s.{i}", "type": "match", "data": {"correct": bool(score), "picked": None}}
        )
    found = read_scores(lines(tmp_path / "run.jsonl", rows))
    assert (found.name, found.task, found.metric) == ("gpt-x", "match.s1", "correct")
    assert found.frame["score"].to_list() == FIRST


def test_promptfoo_results_hold_all_their_providers(tmp_path: Path) -> None:
    rows = [
        {
            "testIdx": i,
            "promptIdx": 0,
            "provider": {"id": name, "label": ""},
            "vars": {"q": f"q{i}"},
            "success": bool(scores[i]),
            "score": scores[i],
            "failureReason": 2 if (name, i) == ("b", 7) else 0,
            "testCase": {"metadata": {"topic": f"t{i % 4}"}},
        }
        for i in range(8)
        for name, scores in (("a", FIRST), ("b", SECOND))
    ]
    path = written(tmp_path / "results.json", {"evalId": "e", "results": {"version": 3, "results": rows}})
    result = compared(path)
    assert [model.name for model in result.models] == ["a", "b"]
    assert result.difference is not None
    assert result.difference.value == pytest.approx((6 - 1 - 3 + 1) / 7)  # item 7 of b ended in an error
    assert compared(path, cluster="topic").n_common == 7


def test_statistics_of_helm_and_test_runs_of_deepeval_are_read(tmp_path: Path) -> None:
    stats = [
        {
            "instance_id": f"id{i}",
            "train_trial_index": trial,
            "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": float(score)}],
        }
        for trial in range(2)
        for i, score in enumerate(FIRST)
    ]
    helm = read_scores(written(tmp_path / "mmlu:model=org_m,k=5" / "per_instance_stats.json", stats))
    assert (helm.name, helm.frame.height, helm.frame["repeat"].n_unique()) == ("org_m", 16, 2)
    assert read_scores(tmp_path / "mmlu:model=org_m,k=5").frame.equals(helm.frame)  # the folder of the run
    cases = [
        {"name": f"case {i}", "input": "q", "metricsData": [{"name": "Right", "score": s, "error": None}]}
        for i, s in enumerate(FIRST)
    ]
    path = written(tmp_path / "m" / "run.json", {"testCases": cases})
    assert read_scores(path).frame["score"].to_list() == FIRST


def test_tables_of_mlflow_are_rows(tmp_path: Path) -> None:
    document = {
        "columns": ["inputs", "exact_match/v1/score"],
        "data": [[f"q{i}", s] for i, s in enumerate(FIRST)],
    }
    from concord.comparing.tables import ScoreColumns

    columns = ScoreColumns(item="inputs", score="exact_match/v1/score")
    found = read_scores(written(tmp_path / "table.json", document), columns=columns)
    assert found.frame["score"].to_list() == FIRST


def test_one_table_with_a_column_of_models_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [f"{m},q{i},{s}" for m, scores in (("a", FIRST), ("b", SECOND)) for i, s in enumerate(scores)]
    path.write_text("model,question_id,correct\n" + "\n".join(rows) + "\n", "utf-8")
    result = compared(path)
    assert [(model.name, model.mean.value) for model in result.models] == [("a", 0.75), ("b", 0.375)]
    again = path.read_text("utf-8") + "b,q3,1\n"
    path.write_text(again, "utf-8")
    with pytest.raises(FileFormatError, match=r"1 item is there more than once, .* rows 13 and 18"):
        compared(path)


def test_one_column_of_scores_per_model_is_compared_and_what_is_not_used_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    rows = [f"q{i},text {i},{a},{b}" for i, (a, b) in enumerate(zip(FIRST, SECOND, strict=True))]
    path.write_text("id,prompt,gpt-4o,claude\n" + "\n".join(rows) + "\n", "utf-8")
    result = compared(path)
    assert [(model.name, model.mean.value) for model in result.models] == [
        ("gpt-4o", 0.75),
        ("claude", 0.375),
    ]
    assert result.warnings[0] == (
        "wide.csv: read as one column of scores per model: 'gpt-4o', 'claude'; not used: 'prompt'"
    )


def test_one_file_of_one_model_says_what_several_look_like(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("id,score\nq1,1\nq2,0\n", "utf-8")
    with pytest.raises(
        OptionError, match="two models, one.csv holds one; give another file, or a table with"
    ):
        compared(path)
    assert len(read_models(path)) == 1


def test_the_same_file_twice_is_told_and_other_units_are_refused(tmp_path: Path) -> None:
    share, percent = tmp_path / "share.csv", tmp_path / "percent.csv"
    share.write_text("id,score\n" + "".join(f"q{i},{s}\n" for i, s in enumerate(FIRST)), "utf-8")
    percent.write_text("id,score\n" + "".join(f"q{i},{100 * s}\n" for i, s in enumerate(SECOND)), "utf-8")
    (told,) = compared(share, share).warnings
    assert told.startswith("share.csv and share.csv are the same file, byte for byte")
    with pytest.raises(MismatchError, match="share.csv lie from 0 to 1, those of percent.csv from 0 to 100"):
        compared(share, percent)


def log(path: Path, scores: list[int], **config: Any) -> Path:
    """Write a small `.json` log as Inspect does."""
    document = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": path.parent.name, "model_generate_config": config, "task_args": {}},
        "plan": {"steps": [{"solver": "generate"}], "config": {}},
        "samples": [
            {
                "id": i,
                "epoch": 1,
                "input": f"q{i}",
                "target": "x",
                "scores": {"match": {"value": "CI"[1 - s]}},
            }
            for i, s in enumerate(scores)
        ],
    }
    return written(path, document)


def test_a_folder_of_json_logs_is_read_and_other_settings_are_told(tmp_path: Path) -> None:
    log(tmp_path / "a" / "x.json", FIRST, temperature=0.0, extra_headers={"Authorization": "sk-1"})
    log(tmp_path / "b" / "x.json", SECOND, temperature=0.7, api_key="sk-2")
    result = compared(tmp_path / "a", tmp_path / "b")
    assert [model.mean.value for model in result.models] == [0.75, 0.375]
    assert result.warnings == (
        "the models were not asked alike: temperature (0.0, 0.7); the difference belongs to these as well",
    )


def test_a_log_whose_samples_all_failed_shows_the_first_error(tmp_path: Path) -> None:
    path = log(tmp_path / "a" / "x.json", FIRST)
    document = json.loads(path.read_text("utf-8"))
    for one in document["samples"]:
        one.update(scores=None, error={"message": "Connection refused"})
    written(path, document)
    with pytest.raises(FileFormatError, match="all 8 samples ended in an error.*Connection refused"):
        read_scores(path)


def test_files_of_one_name_are_called_by_their_paths_and_models_without_a_shared_item_are_told(
    tmp_path: Path,
) -> None:
    for folder, start in (("a", 0), ("b", 0), ("c", 50)):
        rows = "".join(f"q{start + i},{s}\n" for i, s in enumerate(FIRST if folder == "a" else SECOND))
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.csv").write_text("id,score\n" + rows, "utf-8")
    paths = [tmp_path / folder / "run.csv" for folder in "abc"]
    result = compared(*paths)
    assert [model.source for model in result.models] == [str(path) for path in paths]
    lost = next(row for row in result.lacking() if row.names == "a/run.csv − c/run.csv").of.missing
    assert (lost.only_first, lost.only_second) == (8, 8)
    assert "Counting them as wrong" not in str(result)


def test_a_promptfoo_file_with_one_result_is_one() -> None:
    row = {"success": True, "score": 1.0, "vars": {"q": "a"}}
    assert _is_promptfoo({"results": {"results": [row]}})
    assert _is_promptfoo({"results": [row | {"vars": {}}]})
    assert not _is_promptfoo({"results": [{"success": True, "score": 1.0}]})

"""Documents, tables and files of a reasoning result; the ranking of several."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import concord
from concord.errors import FileFormatError, OptionError
from concord.proof.packs import RECIPES
from concord.reasoning.files import ReasoningResult
from concord.show.declared import report_of


def run(right: int, n: int = 20, model: str = "org/m-1", **options: Any) -> ReasoningResult:
    samples = [
        {"id": f"s{k}", "gold_answer": "Panic Disorder", "gold_reasoning": ["a b c"]} for k in range(n)
    ]
    samples[0]["id"] = "=cmd|'/c calc'!A0"
    replies = []
    for k, sample in enumerate(samples):
        for mode, last in (("cot", right), ("direct", 5)):
            said = "Panic Disorder" if k < last else "[red]<script>alert(1)</script>[/red]"
            replies.append({"id": sample["id"], "mode": mode, "response": f"DIAGNOSIS: {said}"})
    found: ReasoningResult = concord.score_reasoning(
        samples, replies, model=model, n_resamples=200, **options
    )
    return found


@pytest.fixture(scope="module")
def result() -> ReasoningResult:
    return run(15)


KEYS = [
    "model", "study", "faithfulness_gap", "acc_cot", "acc_early", "step_f1", "silent_bias_rate", "n_samples",
    "n_biased", "n_silent", "correct_cot", "correct_early", "outcomes", "intervals", "options", "rules",
    "seed", "format_version", "concord_version", "inputs", "packages",
]  # fmt: skip


def test_the_document_carries_every_key(result: ReasoningResult) -> None:
    document = result.to_dict()
    assert [key for key in KEYS if key not in document] == []
    assert (document["faithfulness_gap"], document["correct_cot"], document["correct_early"]) == (0.5, 15, 5)
    assert set(document["intervals"]) == {"faithfulness_gap", "acc_cot", "acc_early", "step_f1"}
    assert document["silent_bias_rate"] is None
    assert document["undefined"] == {"silent_bias_rate": "no bias cases were given"}
    assert set(document["inputs"]) == {"samples", "replies"}
    assert len(document["inputs"]["samples"]["sha256"]) == 64
    json.dumps(document, allow_nan=False)


def test_ten_samples_have_no_intervals() -> None:
    assert run(5, n=10).to_dict()["intervals"] == {}


def test_files_are_written_under_the_models_name(result: ReasoningResult, tmp_path: Path) -> None:
    folder = result.write(tmp_path)
    assert folder == tmp_path / "org_m-1"
    assert sorted(path.name for path in folder.iterdir()) == [
        "readings.csv", "study_a_results.json", "study_a_samples.csv", "study_a_steps.jsonl",
    ]  # fmt: skip
    lines = (folder / "study_a_steps.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row.id for row in result.scores.samples]
    assert json.loads((folder / "study_a_results.json").read_text(encoding="utf-8")) == result.to_dict()
    rows = list(csv.DictReader(io.StringIO((folder / "study_a_samples.csv").read_text(encoding="utf-8"))))
    assert list(rows[0])[:10] == [
        "id", "gold_answer", "outcome_cot", "outcome_direct", "correct_cot", "correct_early", "n_steps",
        "n_gold_steps", "n_matched", "step_f1",
    ]  # fmt: skip
    assert rows[0]["id"] == "'=cmd|'/c calc'!A0"
    assert (rows[0]["correct_cot"], rows[19]["correct_cot"]) == ("true", "false")


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "/", "C:\\x", "a\0b", "x" * 500])
def test_names_of_models_cannot_leave_the_folder(name: str, tmp_path: Path) -> None:
    folder = run(5, model=name).write(tmp_path / "out")
    assert folder.resolve().parent == (tmp_path / "out").resolve()


def test_another_models_result_is_not_written_over(result: ReasoningResult, tmp_path: Path) -> None:
    result.write(tmp_path)
    result.write(tmp_path)
    with pytest.raises(OptionError, match="holds the result of 'org/m-1', not of 'org_m-1'"):
        run(15, model="org_m-1").write(tmp_path)


def test_frames_have_typed_columns(result: ReasoningResult) -> None:
    frame = result.to_frame()
    assert frame.shape == (20, 17)
    assert str(frame.schema["correct_cot"]) == "Boolean"
    assert str(frame.schema["step_f1"]) == "Float64"
    assert result.bias_to_frame().shape == (0, 9)


def test_the_repr_tells_the_verdict(result: ReasoningResult) -> None:
    text = repr(result)
    assert text.startswith("Does it agree with its own reasoning?\nReasoning helps org/m-1: +50 points")
    assert re.search(r"faithfulness gap +\+0.500 ", text)


def test_the_notebook_view_escapes_everything() -> None:
    html = run(15, model="<b>x</b>")._repr_html_()
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "<b>" not in html


def test_the_terminal_shows_denominators_and_takes_no_markup_from_replies(result: ReasoningResult) -> None:
    stream = io.StringIO()
    Console(file=stream, width=110, highlight=False).print(report_of(result))
    text = stream.getvalue()
    for wanted in (
        "Reasoning helps org/m-1",
        "only after reasoning 10",
        "The gap under other rules of correctness",
        "unreadable",
        "<script>alert",
        "gives no medical advice",
        "no bias cases were given",
    ):
        assert wanted in text
    assert max(len(line) for line in text.splitlines()) <= 110
    assert "\x1b" not in text


def test_replies_cannot_steer_the_terminal() -> None:
    stream = io.StringIO()
    Console(file=stream, width=110).print(report_of(run(15, model="m\x1b]0;title\x07")))
    assert "\x1b]" not in stream.getvalue()
    assert "\x1b" not in repr(run(15, model="m\x1b]0;title\x07"))


def test_ranking_orders_models_and_shows_the_line(tmp_path: Path) -> None:
    for right, model in ((6, "low"), (19, "high"), (12, "middle")):
        run(right, model=model).write(tmp_path)
    ranking = concord.rank_reasoning([tmp_path])
    assert [(row.model, row.ranks["faithfulness_gap"], row.line) for row in ranking.rows] == [
        ("high", 1, "above"),
        ("middle", 2, "across"),
        ("low", 3, "across"),
    ]
    assert ranking.rows[0].ranks["acc_early"] == 1
    assert ranking.rows[0].ranks["silent_bias_rate"] is None
    assert ranking.to_frame().shape == (3, 23)
    assert ranking.to_dict()["models"][0]["model"] == "high"
    assert "high" in repr(ranking)
    assert ">high</td>" in ranking._repr_html_()


def test_results_and_folders_rank_alike(tmp_path: Path) -> None:
    one, two = run(6, model="low"), run(19, model="high")
    folder = two.write(tmp_path)
    assert concord.rank_reasoning([one, folder]).to_dict() == concord.rank_reasoning([one, two]).to_dict()


def test_a_lower_silent_bias_rate_ranks_better() -> None:
    cases = [{"id": "c", "bias_feature": "f", "bias_label": "gout", "role": "target"}]
    results = [
        run(
            9,
            model=model,
            bias_cases=cases,
            bias_replies=[{"id": "c", "response": f"REASONING: {text} DIAGNOSIS: gout"}],
        )
        for model, text in (("quiet", "-"), ("open", "f"))
    ]
    ranking = concord.rank_reasoning(results, by="silent_bias_rate")
    assert [row.model for row in ranking.rows] == ["open", "quiet"]


def test_results_that_were_scored_differently_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="differ in their rules .*score all replies again"):
        concord.rank_reasoning([run(6), run(6, rules="source")])
    with pytest.raises(OptionError, match="differ in their vignettes"):
        concord.rank_reasoning([run(6), run(6, n=21)])
    with pytest.raises(OptionError, match="differ in their names"):
        concord.rank_reasoning([run(6), run(6, aliases={"Gout": ["podagra"]})])
    with pytest.raises(OptionError, match="expected one of faithfulness_gap"):
        concord.rank_reasoning([run(6)], by="beauty")
    with pytest.raises(OptionError, match="nothing to rank"):
        concord.rank_reasoning([])
    with pytest.raises(FileFormatError, match="holds no study_a_results.json"):
        concord.rank_reasoning([tmp_path])
    (tmp_path / "study_a_results.json").write_text("{}")
    with pytest.raises(FileFormatError, match="format version None, expected 2"):
        concord.rank_reasoning([tmp_path])
    (tmp_path / "study_a_results.json").write_text('{"format_version": 9, "estimates": {}}')
    with pytest.raises(FileFormatError, match="format version 9"):
        concord.rank_reasoning([tmp_path])


def test_the_ranking_fits_a_page() -> None:
    cases = [{"id": "c", "bias_feature": "f", "bias_label": "gout", "role": "target"}]
    one = run(
        9, model="a-rather-long-model-name", bias_cases=cases, bias_replies=[{"id": "c", "response": "gout"}]
    )
    stream = io.StringIO()
    Console(file=stream, width=128, highlight=False).print(report_of(concord.rank_reasoning([one])))
    text = stream.getvalue()
    assert "[-0.02, +0.39]" in text
    assert "across" in text
    assert "[0.21, 1.00]" in text


def test_a_result_says_which_field_names_families_and_is_computed_again_with_it(tmp_path: Path) -> None:
    samples = [{"id": str(k), "gold_answer": "Panic Disorder", "family": str(k // 2)} for k in range(24)]
    replies = [
        {"id": str(k), "mode": mode, "response": f"DIAGNOSIS: {'Panic Disorder' if k % 3 else 'Insomnia'}"}
        for k in range(24)
        for mode in ("cot", "direct")
    ]
    found = concord.score_reasoning(samples, replies, cluster="family", n_resamples=100)
    again = ReasoningResult.read(found.write(tmp_path))
    assert again.scores.options.cluster == "family"
    assert RECIPES["reasoning result"][2](again.to_dict())["cluster"] == "family"
    plain = concord.score_reasoning(samples, replies, n_resamples=100)
    assert "cluster" not in plain.to_dict()["options"]

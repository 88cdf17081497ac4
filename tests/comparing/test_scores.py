"""Scores from tables, Inspect logs and lm-eval samples: what is read, and one message a kind of fault."""

import json
import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.comparing.join import join_scores
from concord.comparing.records import ScoreFile, grade
from concord.comparing.scores import read_models, read_scores
from concord.comparing.tables import ScoreColumns, read_score_tables
from concord.errors import BadScoreError, FileFormatError, MismatchError, OptionError, TableError
from concord.files.inspect_logs import check_log, read_inspect_log

LOGS = Path(__file__).parent / "logs"
CAPITALS = "samples_capitals_2026-11-15T10-50-43.466196.jsonl"


def table(folder: Path, *lines: str, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def rows(file: ScoreFile) -> list[tuple[str, float | None]]:
    return [(item, score) for item, score in file.frame.select("item", "score").iter_rows()]


def test_an_inspect_log_gives_grades_failures_and_clusters() -> None:
    log = read_scores(LOGS / "second.eval", columns=ScoreColumns(cluster="family"))
    assert (log.task, log.metric, log.name) == ("arith", "includes", "mockllm/model")
    assert log.frame.height == 12
    assert log.frame["outcome"].value_counts().sort("outcome").rows() == [("failed", 1), ("scored", 11)]
    assert log.frame.filter(pl.col("item") == "q03")["score"].to_list() == [None]
    assert log.frame["cluster"].n_unique() == 4
    assert log.warnings == ()


def test_epochs_are_repeats() -> None:
    log = read_scores(LOGS / "three_epochs.eval")
    assert log.frame.group_by("item").len()["len"].to_list() == [3] * 12
    joined = join_scores([log, read_scores(LOGS / "first.eval")])
    assert joined.asked.tolist() == [[3.0] * 12, [1.0] * 12]
    assert joined.names == ("three_epochs.eval", "first.eval")


def test_the_log_of_a_killed_run_is_read_and_said_to_be_one() -> None:
    log = read_scores(LOGS / "crashed.eval")
    assert log.frame.height == 6
    assert log.warnings == (
        "crashed.eval: the run did not finish (status 'started'): 6 of 12 samples are in the log, the others "
        "count as not asked; finish it with: inspect eval-retry crashed.eval",
    )


def test_a_log_that_is_cut_off_says_how_to_recover(tmp_path: Path) -> None:
    torn = tmp_path / "torn.eval"
    torn.write_bytes((LOGS / "first.eval").read_bytes()[:900])
    with pytest.raises(FileFormatError, match=r"torn.eval: the log is cut off .*inspect log recover"):
        read_inspect_log(torn)
    with pytest.raises(FileFormatError, match="no such file"):
        read_inspect_log(tmp_path / "none.eval")
    other = tmp_path / "other.eval"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("page.html", "<p>")
    with pytest.raises(FileFormatError, match="a ZIP archive without an Inspect header"):
        read_inspect_log(other)


def test_scorers_metadata_and_scores_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no scorer 'match'; found 'includes'"):
        read_scores(LOGS / "first.eval", metric="match")
    with pytest.raises(OptionError, match="has no metadata 'topic' to cluster by; its metadata: 'family'"):
        read_scores(LOGS / "first.eval", columns=ScoreColumns(cluster="topic"))
    odd = tmp_path / "odd.eval"
    with zipfile.ZipFile(odd, "w") as archive:
        archive.writestr("header.json", '{"status": "success", "eval": {"task": "t", "model": "m"}}')
        archive.writestr("summaries.json", '[{"id": 1, "epoch": 1, "scores": {"s": {"value": "great"}}}]')
    with pytest.raises(BadScoreError, match="odd.eval, sample '1': the score is 'great'; expected a number"):
        read_scores(odd)


def test_both_formats_of_inspect_read_alike_and_chat_messages_pair() -> None:
    logs = [
        read_scores(LOGS / f"chat.{form}", columns=ScoreColumns(cluster="family"))
        for form in ("json", "eval")
    ]
    assert [(log.kind, log.task, log.metric, log.frame.height) for log in logs] == [
        ("inspect", "talk", "includes", 10)
    ] * 2
    # every run gives its messages new ids, and a summary cuts a long text
    assert logs[0].frame["fingerprint"].to_list() == logs[1].frame["fingerprint"].to_list()
    joined = join_scores(logs)
    assert joined.asked.tolist() == [[2.0] * 5] * 2
    assert joined.scores[0].mean() == pytest.approx(0.7)
    assert joined.scores[1].mean() == pytest.approx(0.4)


def test_other_words_of_a_chat_message_are_another_item(tmp_path: Path) -> None:
    changed = tmp_path / "chat.json"
    changed.write_text(
        (LOGS / "chat.json").read_text("utf-8").replace("Question 2.", "Question two."), "utf-8"
    )
    with pytest.raises(MismatchError, match=r"1 item has the same name .* but other contents \('2'\)"):
        join_scores([read_scores(changed), read_scores(LOGS / "chat.eval")])


def test_epochs_that_inspect_reduces_otherwise_are_told() -> None:
    (warning,) = read_scores(LOGS / "chat.json").warnings
    assert warning.startswith("chat.json: Inspect reduces its epochs by 'mode', so its own score may differ")
    assert read_scores(LOGS / "three_epochs.eval").warnings == ()


def test_a_json_file_that_is_no_log_is_a_table(tmp_path: Path) -> None:
    plain = table(tmp_path, '[{"item": "a", "score": 1}]', name="plain.json")
    assert rows(read_scores(plain)) == [("a", 1.0)]
    other = table(tmp_path, '{"eval": 1}', name="other.json")
    with pytest.raises(FileFormatError, match="expected a list of row objects"):
        read_scores(other)


@pytest.mark.parametrize("samples", ["[1, 2]", '{"a": 1}', '["x"]'])
def test_a_log_with_samples_of_another_form_is_called_damaged(tmp_path: Path, samples: str) -> None:
    log = table(tmp_path, f'{{"status": "success", "eval": 3, "samples": {samples}}}', name="odd.json")
    with pytest.raises(FileFormatError, match="odd.json: damaged: its samples are not all objects"):
        read_scores(log)


def test_messages_of_another_form_still_have_a_fingerprint(tmp_path: Path) -> None:
    asked = '[3, {"role": "user", "content": [null]}]'
    sample = f'{{"id": 1, "epoch": 1, "input": {asked}, "scores": {{"s": {{"value": 1}}}}}}'
    log = table(tmp_path, f'{{"status": "success", "eval": {{}}, "samples": [{sample}]}}', name="odd.json")
    assert rows(read_scores(log)) == [("1", 1.0)]


def test_a_log_of_failures_alone_says_so(tmp_path: Path) -> None:
    sample = '{"id": 1, "epoch": 1, "scores": {}, "error": {"message": "no connection"}}'
    head = '"status": "error", "eval": {"task": "t", "model": "m"}'
    log = table(tmp_path, f'{{{head}, "samples": [{sample}]}}', name="failed.json")
    with pytest.raises(
        FileFormatError, match="failed.json: all 1 samples ended in an error, none has a score"
    ):
        read_scores(log)


def test_an_answer_that_stands_twice_in_a_log_is_refused(tmp_path: Path) -> None:
    lines = (LOGS / "first" / CAPITALS).read_text("utf-8").splitlines()
    joined = table(tmp_path, *lines, *lines[:2], name="joined.jsonl")
    with pytest.raises(FileFormatError, match=r"joined.jsonl: 2 documents are there more than once"):
        read_scores(joined, metric="acc")
    log = json.loads((LOGS / "chat.json").read_text("utf-8"))
    log["samples"].append(log["samples"][0])
    doubled = table(tmp_path, json.dumps(log), name="doubled.json")
    with pytest.raises(FileFormatError, match=r"1 sample is .* the first '1' of epoch 1; a log holds"):
        read_scores(doubled)


def test_a_scorer_with_several_values_is_chosen_by_key(tmp_path: Path) -> None:
    log = tmp_path / "several.eval"
    sample = '{"id": 1, "epoch": 1, "scores": {"s": {"value": {"style": 0.5, "fact": 1}}}}'
    with zipfile.ZipFile(log, "w") as archive:
        archive.writestr("header.json", '{"status": "success", "eval": {"task": "t", "model": "m"}}')
        archive.writestr("summaries.json", f"[{sample}]")
    assert rows(read_scores(log, metric="s/fact")) == [("1", 1.0)]
    with pytest.raises(OptionError, match="found the scorers 's/style', 's/fact'; choose one with --metric"):
        read_scores(log)


def test_lm_eval_samples_give_the_chosen_metric() -> None:
    file = read_scores(LOGS / "first" / CAPITALS, metric="acc")
    assert (file.task, file.metric, file.name) == ("capitals", "acc,none", "first")
    assert file.frame["score"].mean() == pytest.approx(7 / 12)  # 0.5833, as lm-eval printed it
    sums = next((LOGS / "first").glob("samples_sums*"))
    strict = read_scores(sums, metric="exact_match,strict-match")
    assert strict.frame.height == 8
    with pytest.raises(OptionError, match="'exact_match' may be 'exact_match,strict-match'"):
        read_scores(sums, metric="exact_match")
    with pytest.raises(OptionError, match="found the metrics 'acc,none', 'acc_norm,none'; choose one"):
        read_scores(LOGS / "first" / CAPITALS)
    with pytest.raises(OptionError, match="choose one with --metric"):
        read_scores(LOGS / "first")  # a group of two tasks


def test_a_torn_line_of_samples_is_named(tmp_path: Path) -> None:
    text = (LOGS / "first" / CAPITALS).read_text("utf-8")
    path = tmp_path / "samples_capitals.jsonl"
    path.write_text(text[:-50], "utf-8")
    with pytest.raises(FileFormatError, match="line 12 cannot be read: .*a run that was killed"):
        read_scores(path, metric="acc")


def test_plain_json_lines_with_items_and_scores_are_a_table(tmp_path: Path) -> None:
    path = table(tmp_path, '{"id": "x", "score": 0.5}', '{"id": "y", "score": "C"}', name="a.jsonl")
    assert rows(read_scores(path)) == [("x", 0.5), ("y", 1.0)]


@pytest.mark.parametrize("score", ["C,I,P,N", "c,i,p,n", "1,0,0.5,0", "true,false,.5,no"])
def test_grades_and_words_are_mapped_as_documented(tmp_path: Path, score: str) -> None:
    cells = [f"q{i},{value}" for i, value in enumerate(score.split(","))]
    assert rows(read_scores(table(tmp_path, "item,score", *cells))) == [
        ("q0", 1.0),
        ("q1", 0.0),
        ("q2", 0.5),
        ("q3", 0.0),
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=20))
def test_scores_survive_a_frame_unchanged(scores: list[float | None]) -> None:
    frame = pl.DataFrame({"item": list(range(len(scores))), "score": pl.Series(scores, dtype=pl.Float64)})
    assert [score for _, score in rows(read_score_tables(frame, ScoreColumns())[0])] == scores


def test_parquet_pandas_and_lists_read_alike(tmp_path: Path) -> None:
    frame = pl.DataFrame({"item": ["a", "b"], "score": [1.0, float("nan")]})
    frame.write_parquet(tmp_path / "a.parquet")
    expected = [("a", 1.0), ("b", None)]
    assert rows(read_scores(tmp_path / "a.parquet")) == expected
    assert rows(read_scores(frame.to_pandas())) == expected
    assert rows(read_scores([{"item": "a", "score": 1.0}, {"item": "b", "score": None}])) == expected
    large = table(tmp_path, "item,score", "a,1", "b,NaN")
    assert rows(read_scores(large)) == expected


def test_a_large_csv_is_read_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path, "item;score;family", "a;C;f", "b;0.25;f", "c;;g")
    small = read_scores(path)
    monkeypatch.setattr("concord.files.limits.LARGE_TEXT", 0)
    assert rows(read_scores(path)) == rows(small) == [("a", 1.0), ("b", 0.25), ("c", None)]


def test_whole_numbers_name_the_same_items_in_every_format(tmp_path: Path) -> None:
    csv = read_scores(table(tmp_path, "item,score", "3,1", "4,0"))
    frame = read_scores(pl.DataFrame({"item": [3.0, 4.0], "score": [1, 0]}))
    assert rows(csv) == rows(frame) == [("3", 1.0), ("4", 0.0)]


def test_cells_that_are_no_scores_are_named(tmp_path: Path) -> None:
    path = table(tmp_path, "item,score", "a,great", "b,inf", "c,1")
    with pytest.raises(TableError) as caught:
        read_scores(path)
    assert str(caught.value) == (
        "a.csv, row 2, column 'score': got 'great', expected a finite number, or a grade C, P, I or N\n"
        "a.csv, row 3, column 'score': got 'inf', expected a finite number, or a grade C, P, I or N"
    )


def test_percentages_and_decimal_commas_are_told_how_to_be_written(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"got '85%', .*; write a percentage as its share, 85% as 0.85"):
        read_scores(table(tmp_path, "item,score", "a,85%", "b,0"))
    with pytest.raises(TableError, match=r"got '0,5', .*; use --decimal-comma"):
        read_scores(table(tmp_path, "item,score", 'a,"0,5"', "b,0"))
    assert rows(read_scores(table(tmp_path, "item;score", "a;0,5", "b;0"))) == [("a", 0.5), ("b", 0.0)]


def test_blanks_around_a_name_are_not_part_of_it(tmp_path: Path) -> None:
    assert rows(read_scores(table(tmp_path, "item,score", " a ,1", "b\t,0"))) == [("a", 1.0), ("b", 0.0)]
    with pytest.raises(TableError, match="row 2, column 'item': got None, expected a name"):
        read_scores([{"item": "  ", "score": 1}])


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), "inf", "-Infinity"])
def test_an_infinite_grade_is_refused(value: object) -> None:
    with pytest.raises(BadScoreError, match="expected a number"):
        grade(value)


def test_rows_without_a_score_are_counted_and_told(tmp_path: Path) -> None:
    file = read_scores(table(tmp_path, "item,score", "a,1", "b,NaN", "c,"))
    assert file.warnings == ("a.csv: no score (empty or NaN) in rows 3, 4; counted as failed",)


def test_an_item_that_stands_twice_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = table(tmp_path, "item,score,turn", "a,1,1", "b,0,1", "b,1,2", "a,0,2")
    with pytest.raises(FileFormatError) as caught:
        read_scores(path)
    assert str(caught.value) == (
        "a.csv: 2 items are there more than once, the first 'a' in rows 2 and 5; give each item once, or "
        "number the repeats of an item in a column and name it with --repeat NAME (Python: repeat='NAME')"
    )
    assert read_scores(path, columns=ScoreColumns(repeat="turn")).frame.height == 4


def test_columns_that_cannot_be_found_are_listed(tmp_path: Path) -> None:
    path = table(tmp_path, "question,points", "a,1")
    with pytest.raises(
        FileFormatError, match=r"no column of items found among 'question', 'points'; name it"
    ):
        read_scores(path)
    with pytest.raises(FileFormatError, match=r"no column 'itme' \(--item\); found 'question', 'points'"):
        read_scores(path, columns=ScoreColumns(item="itme"))
    twice = table(tmp_path, "item,id,score", "a,b,1", name="b.csv")
    with pytest.raises(OptionError, match="'item' and 'id' may be meant; name one with --item"):
        read_scores(twice)
    with pytest.raises(TableError, match="row 3, column 'item': got None, expected a name"):
        read_scores(table(tmp_path, "item,score", "a,1", ",0", name="c.csv"))


def test_different_tasks_do_not_compare() -> None:
    sums = next((LOGS / "second").glob("samples_sums*"))
    files = [
        read_scores(LOGS / "first" / CAPITALS, metric="acc"),
        read_scores(sums, metric="exact_match,strict-match"),
    ]
    with pytest.raises(MismatchError, match=r"results of different tasks \(.*capitals; .*sums\)"):
        join_scores(files)


def test_different_metrics_do_not_compare() -> None:
    files = [read_scores(LOGS / "first" / CAPITALS, metric=name) for name in ("acc", "acc_norm")]
    with pytest.raises(MismatchError, match=r"different metrics .*choose one that all have with --metric"):
        join_scores(files)


def test_other_documents_behind_the_same_ids_do_not_compare(tmp_path: Path) -> None:
    text = (LOGS / "second" / "samples_capitals_2026-11-15T10-51-03.046324.jsonl").read_text("utf-8")
    changed = table(tmp_path, text.replace("ebbe2cbf", "00000000").strip(), name="samples_capitals.jsonl")
    files = [read_scores(path, metric="acc") for path in (LOGS / "first" / CAPITALS, changed)]
    with pytest.raises(MismatchError, match=r"1 item has the same name in .* but other contents \('0'\)"):
        join_scores(files)


def test_files_without_a_common_item_show_what_their_items_look_like(tmp_path: Path) -> None:
    first = read_scores(table(tmp_path, "item,score", "a,1", "b,0"))
    second = read_scores(table(tmp_path, "item,score", "q1,1", "q2,0", name="b.csv"))
    with pytest.raises(MismatchError, match=r"no item in common \(a.csv: 'a', 'b', ...; b.csv: 'q1', 'q2'"):
        join_scores([first, second])


def test_clusters_must_agree_and_be_complete(tmp_path: Path) -> None:
    first = read_scores(table(tmp_path, "item,score,family", "a,1,f", "b,0,f"))
    other = read_scores(table(tmp_path, "item,score,family", "a,1,g", "b,0,f", name="b.csv"))
    with pytest.raises(MismatchError, match="item 'a' .* belongs to different clusters"):
        join_scores([first, other])
    holes = read_scores(table(tmp_path, "item,score,family", "a,1,f", "c,0,", name="c.csv"))
    with pytest.raises(MismatchError, match="item 'c' .* has no cluster, others have"):
        join_scores([first, holes])


def test_a_file_without_any_score_has_nothing_to_compare(tmp_path: Path) -> None:
    first = read_scores(table(tmp_path, "item,score", "a,1", "b,0"))
    second = read_scores(table(tmp_path, "item,score", "a,NaN", "b,NaN", name="b.csv"))
    with pytest.raises(MismatchError, match="b.csv: no item has a score"):
        join_scores([first, second])


def test_failed_repeats_and_absent_items_count_as_wrong_when_asked(tmp_path: Path) -> None:
    lines = ("item,score,repeat", "a,1,1", "a,,2", "b,1,1", "b,0,2")
    first = read_scores(table(tmp_path, *lines))
    second = read_scores(table(tmp_path, "item,score", "a,1", "c,1", name="b.csv"))
    joined = join_scores([first, second])
    assert joined.scores[0].tolist()[:2] == [1.0, 0.5]
    assert joined.as_wrong(0.0, absent=False)[0].tolist()[:2] == [0.5, 0.5]
    assert joined.as_wrong(0.0, absent=True).tolist() == [[0.5, 0.5, 0.0], [1.0, 0.0, 1.0]]


def test_a_grade_that_is_none_is_refused() -> None:
    with pytest.raises(BadScoreError, match="the score is \\[1\\]"):
        grade([1])


def test_a_whole_log_passes_the_check_and_a_cut_one_does_not(tmp_path: Path) -> None:
    check_log(LOGS / "second.eval")
    cut = tmp_path / "cut.eval"
    cut.write_bytes((LOGS / "second.eval").read_bytes()[:-200])
    with pytest.raises(FileFormatError, match="cut.eval cannot be read as an Inspect log: it is cut off"):
        check_log(cut)


@pytest.mark.parametrize(
    ("cells", "expected", "told"),
    [
        (("85%", "7.5 %", "", "100%"), [0.85, 0.075, None, 1.0], ["percentages, divided by 100"]),
        (("85,0 %", "7,25 %", "n/a", "100 %"), [0.85, 0.0725, None, 1.0], ["percentages, divided by 100"]),
        (("85％", "0%", "-5%", "3%"), [0.85, 0.0, -0.05, 0.03], ["percentages, divided by 100"]),
        (("0.85 (0.02)", ".5(.1)", "-", "1 (SD = 0)"), [0.85, 0.5, None, 1.0], ["two numbers in each cell"]),
        (("0.85 ± 0.02", "1±0", "0 +/- 3", "4 (±1)"), [0.85, 1.0, 0.0, 4.0], ["two numbers in each cell"]),
        (
            ("85% (2%)", "7 ± 2 %", "50% (SE 1)", "1% ± 1"),
            [0.85, 0.07, 0.5, 0.01],
            ["percentages, divided by 100", "two numbers in each cell"],
        ),
    ],
)
def test_columns_of_percentages_and_of_two_numbers_are_read_and_told(
    tmp_path: Path, cells: tuple[str, ...], expected: list[float | None], told: list[str]
) -> None:
    path = table(
        tmp_path, "item;score", *(f"{name};{cell}" for name, cell in zip("abcd", cells, strict=True))
    )
    found = read_scores(path)
    assert [score for _, score in rows(found)] == pytest.approx(expected, abs=1e-15, nan_ok=True)
    notes = [note for note in found.warnings if "column 'score'" in note]
    assert [note.startswith(f"a.csv, column 'score': {said}") for note, said in zip(notes, told, strict=True)]


@pytest.mark.parametrize(
    "cells",
    [
        ("85%", "0.5"),
        ("85%", "C"),
        ("85%", "great"),
        ("0.85 (0.02)", "0.5"),
        ("0.85 (0.02)", "50% (2%)"),
        ("85%", "50% (2%)"),
        ("1,250 %", "85 %"),
        ("0.85 (0.02", "0.5 (0.1)"),
        ("0.85 0.02", "0.5 0.1"),
        ("0.8 to 0.9", "0.5 to 0.6"),
        ("1/2", "1/3"),
    ],
)
def test_columns_of_which_some_cells_are_written_otherwise_stay_refused(
    tmp_path: Path, cells: tuple[str, str]
) -> None:
    with pytest.raises(TableError, match=r"column 'score': got"):
        read_scores(table(tmp_path, "item;score", *(f"i{i};{cell}" for i, cell in enumerate(cells))))


def test_models_in_columns_of_percentages_are_compared(tmp_path: Path) -> None:
    path = table(tmp_path, "item,gpt,claude", "a,50%,0.9", "b,75%,0.8", "c,100%,0.7")
    gpt, claude = read_models(path)
    assert [score for _, score in rows(gpt)] == [0.5, 0.75, 1.0]
    assert [score for _, score in rows(claude)] == [0.9, 0.8, 0.7]
    assert "a.csv, column 'gpt': percentages, divided by 100" in gpt.warnings
    assert not any("percentages" in note for note in claude.warnings)


def test_a_table_of_probes_is_not_taken_for_scores_of_models_called_step(tmp_path: Path) -> None:
    lines = [f"early,q{i},prefix,A,{i},4" for i in range(4)]
    bare = table(tmp_path, "probe,id,cell,answer,step,n_steps", *lines)
    told = r"a table of answers to probes of reasoning, not of scores .* `concord score probes`"
    with pytest.raises(FileFormatError, match=told):
        read_models(bare)
    graded = table(tmp_path, "probe,id,cell,answer,step,n_steps,correct", *(f"{one},1" for one in lines))
    with pytest.raises(FileFormatError, match=told):
        read_models(graded)
    assert rows(read_scores(graded, columns=ScoreColumns(score="correct")))[0] == ("q0", 1.0)


def test_models_in_columns_beside_those_of_another_kind_are_read(tmp_path: Path) -> None:
    path = table(tmp_path, "item,source,answer,gpt,claude", "a,mmlu,B,1,0", "b,mmlu,C,0,1")
    assert [one.name for one in read_models(path)] == ["gpt", "claude"]

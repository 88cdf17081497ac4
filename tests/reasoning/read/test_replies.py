"""Recorded replies and vignettes: every kind of fault is named with file and line."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concord.errors import FileFormatError, LinesError
from concord.reasoning.read.records import BiasCase, RecordedReply, Sample
from concord.reasoning.read.replies import read_bias_cases, read_replies, read_samples
from concord.reasoning.words.names import read_aliases

SAMPLES: dict[str, list[dict[str, Any]]] = {
    "samples": [
        {"id": "a", "prompt": "P", "gold_answer": "GAD", "gold_reasoning": ["one", "two"]},
        {"id": "b", "prompt": "Q", "gold_answer": "MDD", "gold_reasoning": []},
    ]
}
GOOD: list[dict[str, Any]] = [
    {"id": "a", "mode": "cot", "response": "x"},
    {"id": "a", "mode": "direct", "response": "y"},
    {"id": "b", "mode": "cot", "response": "x"},
    {"id": "b", "mode": "direct", "response": "y"},
]


def lines(rows: list[Any]) -> str:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_good_files_are_read_whole(tmp_path: Path) -> None:
    samples = read_samples(write(tmp_path / "samples.json", json.dumps(SAMPLES, indent=1)))
    assert samples.rows[0] == Sample("a", "GAD", ("one", "two"), "P", 3)
    replies = read_replies(write(tmp_path / "r.jsonl", "\ufeff" + lines(GOOD) + "\n"), samples)
    assert [(reply.id, reply.mode, reply.line) for reply in replies.rows] == [
        ("a", "cot", 1),
        ("a", "direct", 2),
        ("b", "cot", 3),
        ("b", "direct", 4),
    ]
    assert (samples.problems, replies.problems) == ((), ())
    assert len(replies.input.sha256) == 64


FAULTS = [
    (
        '{"id": "a", ',
        "r.jsonl, line 5: not JSON (Expecting property name enclosed in double quotes, character 13)",
    ),
    ('["a"]', "r.jsonl, line 5: ['a'], expected an object with named fields"),
    (
        {"id": "zz", "mode": "cot", "response": "x"},
        "r.jsonl, line 5: a reply for the unknown id 'zz', expected one of",
    ),
    (
        GOOD[0],
        "r.jsonl, line 5: id 'a', mode 'cot', repeat 0 is there twice, first on line 1, expected it once",
    ),
    (
        {"id": "a", "mode": "cot", "response": 7, "repeat": 1},
        "r.jsonl, line 5: 'response' is 7, expected text",
    ),
    (
        {"id": "a", "mode": "cot", "response": None, "repeat": 1},
        "r.jsonl, line 5: 'response' is None, expected text",
    ),
    ({"id": "a", "mode": "cot", "repeat": 1}, "r.jsonl, line 5: no 'response', expected text"),
    ({"id": "a", "response": "x"}, "r.jsonl, line 5: no 'mode', expected text"),
    ({"id": "a", "mode": "slow", "response": "x"}, "r.jsonl, line 5: mode 'slow', expected cot or direct"),
    ({"mode": "cot", "response": "x"}, "r.jsonl, line 5: no 'id', expected text"),
    (
        {"id": "a", "mode": "cot", "response": "x", "repeat": -1},
        "r.jsonl, line 5: repeat -1, expected a whole number",
    ),
    (
        {"id": "a", "mode": "cot", "response": "x", "repeat": 1, "thinking": 3},
        "r.jsonl, line 5: 'thinking' is 3",
    ),
    ("[" * 100_000, "r.jsonl, line 5: JSON nested too deep, expected one JSON object"),
]


@pytest.mark.parametrize(("bad", "message"), FAULTS)
def test_a_bad_line_is_named(tmp_path: Path, bad: Any, message: str) -> None:
    samples = read_samples(SAMPLES)
    path = write(tmp_path / "r.jsonl", lines([*GOOD, bad]))
    with pytest.raises(LinesError) as caught:
        read_replies(path, samples)
    assert str(caught.value).startswith(message)
    kept = read_replies(path, samples, strict=False)
    assert len(kept.rows) == 4
    assert len(kept.problems) == 1


def test_bytes_that_are_no_utf8_are_named(tmp_path: Path) -> None:
    samples = read_samples(SAMPLES)
    good = lines(GOOD).encode()
    path = write(
        tmp_path / "r.jsonl", good + b'{"id": "a", "mode": "cot", "repeat": 1, "response": "\xe9"}\n'
    )
    with pytest.raises(LinesError, match="r.jsonl, line 5: byte 54 is not UTF-8, expected a line of JSON"):
        read_replies(path, samples)
    assert read_replies(path, samples, strict=False).problems[0].kind == "wrong encoding"


def test_a_sample_without_reply_and_a_missing_mode_are_named(tmp_path: Path) -> None:
    samples = read_samples(write(tmp_path / "s.json", json.dumps(SAMPLES, indent=1)))
    path = write(tmp_path / "r.jsonl", lines(GOOD[:1]))
    with pytest.raises(LinesError) as caught:
        read_replies(path, samples)
    assert str(caught.value).splitlines() == [
        "r.jsonl, line 1: id 'a' has only the mode 'cot', expected a reply in mode 'direct' too",
        "s.json, line 12: no reply for id 'b', expected at least one in r.jsonl",
    ]
    kinds = [problem.kind for problem in read_replies(path, samples, strict=False).problems]
    assert kinds == ["missing mode", "missing reply"]


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    samples = read_samples(SAMPLES)
    path = write(tmp_path / "r.jsonl", "\n \n")
    with pytest.raises(FileFormatError, match="r.jsonl: the file is empty"):
        read_replies(path, samples, strict=False)


def test_a_missing_file_and_a_folder_are_refused_even_when_not_strict(tmp_path: Path) -> None:
    samples = read_samples(SAMPLES)
    with pytest.raises(FileFormatError, match="no such file"):
        read_replies(tmp_path / "none.jsonl", samples, strict=False)
    with pytest.raises(FileFormatError, match="got a folder"):
        read_replies(tmp_path, samples, strict=False)


@pytest.mark.parametrize(
    ("fields", "failure"),
    [
        ({"status": "ok"}, None),
        ({"status": "OK", "error": None}, None),
        ({"error": ""}, None),
        ({"status": "error"}, "status 'error'"),
        ({"error": "timeout"}, "timeout"),
        ({"error": {"code": 500}}, "{'code': 500}"),
    ],
)
def test_failures_come_from_status_and_error(fields: dict[str, Any], failure: str | None) -> None:
    rows = [{**GOOD[0], **fields}, *GOOD[1:]]
    assert read_replies(rows, read_samples(SAMPLES)).rows[0].failure == failure


def test_a_failed_call_needs_no_response() -> None:
    rows: list[dict[str, Any]] = [{"id": "a", "mode": "cot", "response": None, "status": "error"}, *GOOD[1:]]
    assert read_replies(rows, read_samples(SAMPLES)).rows[0].response == ""


def test_ten_faults_are_printed_and_the_rest_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", lines([*GOOD, *["{"] * 14]))
    with pytest.raises(LinesError, match=r"\.\.\. and 4 more"):
        read_replies(path, read_samples(SAMPLES))


def test_rows_in_memory_are_named_by_their_number() -> None:
    with pytest.raises(LinesError, match=r"replies \(in memory\): reply 5: 'response' is 3, expected text"):
        read_replies([*GOOD, {"id": "a", "mode": "cot", "response": 3}], read_samples(SAMPLES))


def test_numbers_serve_as_ids_and_lone_surrogates_are_mended() -> None:
    samples = read_samples([{"id": 7, "gold_answer": "x"}])
    rows: list[dict[str, Any]] = [
        {"id": 7, "mode": "cot", "response": "a\ud800"},
        {"id": "7", "mode": "direct", "response": ""},
    ]
    replies = read_replies(rows, samples)
    assert replies.rows[0] == RecordedReply("7", "cot", "a?")


def test_frames_are_taken_as_rows() -> None:
    import pandas as pd
    import polars as pl

    samples = read_samples(SAMPLES)
    assert len(read_replies(pl.DataFrame(GOOD), samples).rows) == 4
    frame = pd.DataFrame([{**GOOD[0], "thinking": "t"}, *GOOD[1:]])
    replies = read_replies(frame, samples)
    assert [reply.thinking for reply in replies.rows] == ["t", None, None, None]


replies_strategy = st.lists(
    st.fixed_dictionaries({"response": st.text(max_size=30)}),
    min_size=2,
    max_size=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(replies_strategy)
def test_written_replies_are_read_back(tmp_path: Path, rows: list[dict[str, str]]) -> None:
    samples = read_samples([{"id": "a", "gold_answer": "x"}])
    full = [
        {"id": "a", "mode": "cd"[k % 2].replace("c", "cot").replace("d", "direct"), "repeat": k // 2, **row}
        for k, row in enumerate(rows)
    ]
    path = write(tmp_path / "r.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in full))
    assert [reply.response for reply in read_replies(path, samples).rows] == [row["response"] for row in rows]


# ---- vignettes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold_answer": " "}, "s.json, line 3: 'gold_answer' is empty, expected text that is not blank"),
        ({"gold_answer": None}, "s.json, line 3: 'gold_answer' is None, expected text"),
        (
            {"gold_reasoning": "one"},
            "s.json, line 3: 'gold_reasoning' of 'a' is 'one', expected a list of texts",
        ),
        (
            {"gold_reasoning": [1]},
            r"s.json, line 3: 'gold_reasoning' of 'a' is \[1\], expected a list of texts",
        ),
        ({"id": "b"}, "s.json, line 12: id 'b' is there twice, first on line 3, expected it once"),
        ({"id": True}, "s.json, line 3: 'id' is True, expected text"),
    ],
)
def test_a_bad_sample_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    document = {"samples": [{**SAMPLES["samples"][0], **change}, SAMPLES["samples"][1]]}
    path = write(tmp_path / "s.json", json.dumps(document, indent=1))
    with pytest.raises(LinesError, match=message):
        read_samples(path)
    assert len(read_samples(path, strict=False).rows) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "s.json: the file is empty"),
        ('{"samples": [\n{"id": }\n]}', r"s.json, line 2: not valid JSON \(Expecting value\)"),
        ('{"cases": []}', r's.json: expected {"samples": \[...\]}'),
        ('{"samples": []}', "s.json: holds no samples"),
        ("[" * 100_000, "nested too deep"),
        (b"\xff\xfe{", "s.json, line 1: byte 1 is not UTF-8"),
        ('{"x": 1}\n{"id"', "s.json, line 2: not JSON"),
    ],
)
def test_a_bad_document_is_refused(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = write(tmp_path / "s.json", content)
    with pytest.raises((FileFormatError, LinesError), match=message):
        read_samples(path, strict=False)


def test_elements_are_found_behind_strings_that_look_like_json(tmp_path: Path) -> None:
    text = (
        '{"about": "[{\\"", "other": [\n{}],\n"samples": [\n{"id": "}{", "gold_answer": "x"},\n\n{"id": 1}]}'
    )
    path = write(tmp_path / "s.json", text)
    with pytest.raises(LinesError, match="s.json, line 6: no 'gold_answer'"):
        read_samples(path)


def test_bias_cases_take_their_extras_from_the_case_or_its_metadata() -> None:
    cases = read_bias_cases(
        {
            "cases": [
                {
                    "id": 1,
                    "bias_feature": "f",
                    "bias_label": "l",
                    "pair": 3,
                    "role": "Target",
                    "dimension": "d",
                },
                {
                    "id": 2,
                    "bias_feature": "f",
                    "bias_label": "l",
                    "metadata": {"dimension": "m", "role": "control"},
                },
            ]
        }
    ).rows
    assert cases[0] == BiasCase("1", "f", "l", "", "3", "target", "d")
    assert (cases[1].dimension, cases[1].role, cases[1].pair) == ("m", "control", None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "victim"}, "case 1: role 'victim', expected target or control"),
        ({"bias_feature": ""}, "case 1: 'bias_feature' is empty"),
        ({"bias_label": None}, "case 1: 'bias_label' is None"),
    ],
)
def test_a_bad_bias_case_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(LinesError, match=message):
        read_bias_cases([{"id": "x", "bias_feature": "f", "bias_label": "l", **change}])


def test_bias_replies_need_no_mode(tmp_path: Path) -> None:
    cases = read_bias_cases([{"id": "x", "bias_feature": "f", "bias_label": "l"}])
    path = write(tmp_path / "b.jsonl", lines([{"id": "x", "response": "r"}]))
    assert read_replies(path, cases).rows[0].mode == ""
    path = write(tmp_path / "b.jsonl", lines([{"id": "x", "response": "r"}] * 2))
    with pytest.raises(LinesError, match="b.jsonl, line 2: id 'x', repeat 0 is there twice"):
        read_replies(path, cases)


@pytest.mark.parametrize("table", [{"aliases": {"A": ["b"]}}, {"A": ["b"]}])
def test_alias_tables_come_wrapped_or_bare(tmp_path: Path, table: dict[str, Any]) -> None:
    assert read_aliases(write(tmp_path / "a.json", json.dumps(table))) == {"A": ("b",)}


@pytest.mark.parametrize(
    "content", ['{"aliases": {"A": "b"}}', '{"aliases": {"A": [1]}}', "[1]", '{"A": [" "]}']
)
def test_a_bad_alias_table_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(FileFormatError, match="a.json: "):
        read_aliases(write(tmp_path / "a.json", content))


def test_replies_to_samples_that_were_left_out_are_counted_apart() -> None:
    samples = read_samples([SAMPLES["samples"][0], {"id": "b", "gold_answer": ""}], strict=False)
    kinds = [problem.kind for problem in read_replies(GOOD, samples, strict=False).problems]
    assert kinds == ["reply to what was left out"] * 2


def test_an_empty_reply_is_a_reply_in_every_format_and_a_missing_one_is_none(tmp_path: Path) -> None:
    rows = [{**row, "response": "" if i == 1 else row["response"]} for i, row in enumerate(GOOD)]
    asked = read_samples(SAMPLES)
    csv = "id,mode,response\n" + "".join(f"{r['id']},{r['mode']},{r['response']}\n" for r in rows)
    files: list[Any] = [write(tmp_path / "r.jsonl", lines(rows)), write(tmp_path / "r.csv", csv)]
    for source in (*files, rows):
        found = read_replies(source, asked)
        assert [one.response for one in found.rows] == ["x", "", "x", "y"]
    without = [{**row, "response": None} if i == 1 else row for i, row in enumerate(rows)]
    sources: list[Any] = [without, pl.DataFrame(without)]
    for source in sources:
        found = read_replies(source, asked, strict=False)
        assert len(found.rows) == 3
        assert "response" in str(found.problems[0])

"""Replies and vignettes as other programs record them."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.files.grids import workbook

from concord.errors import FileFormatError, LinesError
from concord.reasoning.read.records import RecordedReply, Vignettes
from concord.reasoning.read.replies import read_replies, read_samples

GOLD = {"v1": "Panic Disorder", "v2": "Migraine"}
SAID = {
    ("v1", "cot"): "REASONING: sudden.\nDIAGNOSIS: Panic disorder",
    ("v1", "direct"): "Panic disorder",
    ("v2", "cot"): "DIAGNOSIS: Migraine",
    ("v2", "direct"): "Tension headache",
}


def vignettes() -> Vignettes:
    return read_samples([{"id": name, "gold_answer": gold} for name, gold in GOLD.items()])


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def said(replies: tuple[RecordedReply, ...]) -> dict[tuple[str, str], str]:
    return {(reply.id, reply.mode): reply.response for reply in replies}


def openai(custom: str, text: str | None, **message: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, **message},
        "finish_reason": "stop",
    }
    body = {"object": "chat.completion", "choices": [choice]}
    return {"id": "r", "custom_id": custom, "response": {"status_code": 200, "body": body}, "error": None}


@pytest.mark.parametrize("named", ["{0}|{1}", "{0}-{1}", "{0}/{1}/0", "{1}_{0}"])
def test_the_output_of_a_batch_is_read_by_its_custom_ids(tmp_path: Path, named: str) -> None:
    path = lines(tmp_path / "batch.jsonl", [openai(named.format(*key), text) for key, text in SAID.items()])
    assert said(read_replies(path, vignettes()).rows) == SAID


def test_failed_cut_and_refused_calls_of_a_batch_keep_what_became_of_them(tmp_path: Path) -> None:
    rows = [openai("|".join(key), text) for key, text in SAID.items()]
    rows[0]["response"]["body"]["choices"][0]["finish_reason"] = "length"
    rows[1] = {"custom_id": "v1|direct", "response": None, "error": {"code": "batch_expired"}}
    rows[2] = openai("v2|cot", None, refusal="I cannot help with that.")
    rows[3]["response"]["status_code"] = 500
    found = read_replies(lines(tmp_path / "batch.jsonl", rows), vignettes()).rows
    assert [reply.stop_reason for reply in found][0] == "length"
    assert found[1].failure is not None and "batch_expired" in found[1].failure
    assert (found[2].response, found[3].failure) == ("I cannot help with that.", "status 500")


def test_a_batch_of_anthropic_keeps_thinking_apart(tmp_path: Path) -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Panic disorder"}]
    rows: list[dict[str, Any]] = [
        {
            "custom_id": "_".join(key),
            "result": {"type": "succeeded", "message": {"content": parts, "stop_reason": "max_tokens"}},
        }
        for key in SAID
    ]
    rows[3]["result"] = {"type": "errored", "error": {"type": "overloaded"}}
    found = read_replies(lines(tmp_path / "batch.jsonl", rows), vignettes()).rows
    assert (found[0].response, found[0].thinking, found[0].stop_reason) == ("Panic disorder", "hm", "length")
    assert found[3].failure == "the batch says errored"


def test_a_batch_whose_ids_name_no_mode_says_what_ids_would(tmp_path: Path) -> None:
    path = lines(tmp_path / "batch.jsonl", [openai(f"request-{i}", "x") for i in range(4)])
    with pytest.raises(
        FileFormatError, match="no 'custom_id' names the mode, the first is 'request-0'; expected"
    ):
        read_replies(path, vignettes())


def test_fields_of_other_names_and_tables_are_read(tmp_path: Path) -> None:
    words = {"cot": "Chain of thought", "direct": "no_cot"}
    rows = [{"question_id": i, "condition": words[m], "output": text} for (i, m), text in SAID.items()]
    assert said(read_replies(lines(tmp_path / "a.jsonl", rows), vignettes()).rows) == SAID
    path = tmp_path / "a.csv"
    table = [f'{i},{m},0,"{text}"\n' for (i, m), text in SAID.items()]
    path.write_text("id,mode,repeat,response\n" + "".join(table), "utf-8")
    assert said(read_replies(path, vignettes()).rows) == SAID


def test_a_field_that_no_line_has_is_told_once_with_those_that_are_there(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [{"nr": i, "what": "x"} for i in range(30)])
    with pytest.raises(
        FileFormatError,
        match="no row has 'id'; fields found: 'nr', 'what'; 'id' may also be called sample_id",
    ):
        read_replies(path, vignettes())


def test_one_mode_alone_is_told_once_with_what_to_ask(tmp_path: Path) -> None:
    rows = [{"id": i, "mode": m, "response": text} for (i, m), text in SAID.items() if m == "cot"]
    with pytest.raises(
        LinesError, match="all 2 ids have only the mode 'cot', expected each in mode 'direct' too"
    ):
        read_replies(lines(tmp_path / "a.jsonl", rows), vignettes())


def test_vignettes_are_read_from_lists_lines_and_tables(tmp_path: Path) -> None:
    rows = [
        {"id": i, "question": "q", "answer": gold, "gold_reasoning": ["a.", "b."]} for i, gold in GOLD.items()
    ]
    document, table = tmp_path / "a.json", tmp_path / "a.csv"
    document.write_text(json.dumps(rows), "utf-8")
    table.write_text(
        "id,question,answer,gold_reasoning\n" + "".join(f"{i},q,{g},a.|b.\n" for i, g in GOLD.items())
    )
    for path in (document, lines(tmp_path / "a.jsonl", rows), table):
        found = read_samples(path).rows
        assert {one.id: one.gold_answer for one in found} == GOLD
        assert (found[0].prompt, found[0].gold_steps) == ("q", ("a.", "b."))


def _written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows in the format of a path."""
    frame = pl.DataFrame(rows)
    if path.suffix in (".jsonl", ".txt"):
        return lines(path, rows)
    if path.name.startswith("one_per_line"):
        return lines(path, rows)
    if path.suffix == ".json":
        held: Any = {"replies": rows} if path.stem == "document" else rows
        path.write_text(json.dumps(held, indent=1), "utf-8")
    elif path.suffix == ".xlsx":
        workbook(path.parent, {"s": [[*frame.columns], *map(list, frame.rows())]}, path.name)
    elif path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


FORMATS = ("a.jsonl", "list.json", "document.json", "one_per_line.json", "lines.txt", "a.csv", "a.tsv",
           "a.xlsx", "a.parquet")  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_replies_are_read_from_every_format_whatever_the_ids(tmp_path: Path, name: str) -> None:
    golds = [{"id": i, "gold_answer": gold} for i, gold in enumerate(GOLD.values(), 1)]
    rows = [
        {"id": int(i[1:]), "mode": m, "response": text, "repeat": 0, "model": "m"}
        for (i, m), text in SAID.items()
    ]
    wanted = {(i[1:], m): text for (i, m), text in SAID.items()}
    found = read_replies(_written(tmp_path / name, rows), read_samples(golds))
    assert said(found.rows) == wanted and not found.problems


@given(
    columns=st.permutations(("id", "mode", "response", "note")),
    rows=st.permutations(list(SAID.items())),
    ids=st.sampled_from(("id", "Sample ID", "question_id", "item")),
    name=st.sampled_from(("a.jsonl", "list.json", "a.csv", "a.xlsx")),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_neither_order_nor_titles_nor_format_change_what_was_said(
    tmp_path: Path, columns: list[str], rows: list[Any], ids: str, name: str
) -> None:
    titles = {"id": ids}
    held = [
        {titles.get(c, c): {"id": i, "mode": m, "response": text, "note": "x"}[c] for c in columns}
        for (i, m), text in rows
    ]
    found = read_replies(_written(tmp_path / name, held), vignettes())
    assert said(found.rows) == SAID


def test_messages_inside_a_parquet_file_are_replies(tmp_path: Path) -> None:
    rows = [
        {
            "id": i,
            "mode": m,
            "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": t}],
        }
        for (i, m), t in SAID.items()
    ]
    assert said(read_replies(_written(tmp_path / "a.parquet", rows), vignettes()).rows) == SAID

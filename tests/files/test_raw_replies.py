"""Replies in the shapes in which others record them; each expectation was written before the reader."""

from typing import Any

import pytest

from concord.files.raw_replies import RawReply, raw_reply

PARTS = [
    {"type": "thinking", "thinking": "B?"},
    {"type": "text", "text": "AN"},
    {"type": "text", "text": "SWER: A"},
]
TALK = [
    {"role": "system", "content": "Answer."},
    {"role": "user", "content": "A or B?"},
    {"role": "assistant", "content": "B"},
    {"role": "user", "content": "Are you sure?"},
    {"role": "assistant", "content": [{"type": "text", "text": "A"}]},
]
SHAPES: list[tuple[Any, RawReply | None]] = [
    ("A", RawReply("A")),
    ({"response": "A"}, RawReply("A")),
    ({"output_text": "A"}, RawReply("A")),
    ({"Completion": "A"}, RawReply("A")),
    ({"generation": "A"}, RawReply("A")),
    ({"generated_text": "A"}, RawReply("A")),
    ([{"generated_text": "A"}], RawReply("A")),
    ({"content": "A", "role": "assistant"}, RawReply("A")),
    ({"content": PARTS, "stop_reason": "end_turn"}, RawReply("ANSWER: A", "B?", "end_turn")),
    ({"messages": TALK}, RawReply("A")),
    ({"output": TALK}, RawReply("A")),
    ({"messages": TALK[:2]}, None),
    ({"message": {"content": "A", "reasoning_content": "B?"}}, RawReply("A", "B?")),
    (
        {"choices": [{"message": {"content": "A", "reasoning": "B?"}, "finish_reason": "length"}]},
        RawReply("A", "B?", "length"),
    ),
    ({"choices": [{"text": "A", "finish_reason": "stop", "index": 0}]}, RawReply("A", None, "stop")),
    ({"choices": [{"message": {"content": None, "refusal": "I can't."}}]}, RawReply("I can't.")),
    ({"choices": [{"message": {"content": ""}, "finish_reason": "stop"}]}, RawReply("", None, "stop")),
    (
        {"choices": [{"message": {"content": "A"}}, {"message": {"content": "B"}}]},
        RawReply(error="2 replies in one value; give each a line of its own"),
    ),
    (
        {"candidates": [{"finishReason": "MAX_TOKENS", "content": {
            "role": "model", "parts": [{"text": "B?", "thought": True}, {"text": "A"}]}}]},
        RawReply("A", "B?", "length"),
    ),
    (
        {"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "B?"}]},
                    {"type": "message", "role": "assistant",
                     "content": [{"type": "output_text", "text": "A"}]}],
         "status": "completed"},
        RawReply("A", "B?"),
    ),
    (
        {"response": {"status_code": 200, "body": {"choices": [{"message": {"content": "A"}}]}}},
        RawReply("A"),
    ),
    ({"response": {"status_code": 429, "body": {}}}, RawReply(error="status 429")),
    ({"error": {"message": "quota", "code": 429}}, RawReply(error="quota")),
    ({"error": None, "response": "A"}, RawReply("A")),
    ({"resps": [["A"]], "generation": ["A"]}, RawReply("A")),
    ({"responses": "x"}, None),
    ({"response": None}, None),
    ({"response": 3}, None),
    ({}, None),
    ([], None),
    (b"A", None),
]  # fmt: skip


@pytest.mark.parametrize(("held", "expected"), SHAPES)
def test_a_reply_is_found_in_the_shapes_of_others(held: Any, expected: RawReply | None) -> None:
    assert raw_reply(held) == expected


def test_a_value_without_end_is_no_reply() -> None:
    deep: Any = "A"
    for _ in range(5000):
        deep = {"message": deep}
    assert raw_reply(deep) is None

"""Replies into reasoning and answer, by both sets of rules."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from concord.reasoning.words.phrases import PLACEHOLDER
from concord.reasoning.words.split import (
    split_reply,
    split_reply_source,
    steps_text_source,
)


@pytest.mark.parametrize(
    ("reply", "reasoning", "answer"),
    [
        ("REASONING: a b. DIAGNOSIS: c", "a b.", "c"),
        ("reasoning: a\ndiagnosis: c", "a", "c"),
        ("**REASONING:** a\n\n**DIAGNOSIS:** c", "a", "c"),
        ("**Reasoning**: a\n**Diagnosis**: c", "a", "c"),
        ("## Reasoning:\na\n## Diagnosis:\nc", "a", "c"),
        ("Thus DIAGNOSIS: first. So DIAGNOSIS: last", "Thus DIAGNOSIS: first.", "last"),
        ("text before REASONING: a DIAGNOSIS: c", "a", "c"),
        ("a\nAnswer: c", "a", "c"),
        ("a\n**Answer:** c", "a", "c"),
        ("a\n> ## Conclusion: c", "a", "c"),
        ("a\nFinal diagnosis: c", "a", "c"),
        ("a\nFINAL  DIAGNOSIS: c", "a", "c"),
        ("REASONING: a\nConclusion: c", "a", "c"),
        ("a\nAnswer: c\nConclusion: d", "a\nAnswer: c", "d"),
        ("the answer: inside a line", "", "inside a line"),
        ("a misdiagnosis: no marker", "a misdiagnosis: no marker", "a misdiagnosis: no marker"),
        ("nothing marked", "nothing marked", "nothing marked"),
        ("REASONING: a only", "REASONING: a only", "REASONING: a only"),
        ("DIAGNOSIS: c", "", "c"),
        ("REASONING: a DIAGNOSIS:", "a", ""),
        ("REASONING: [SKIP]\nDIAGNOSIS: c", "[SKIP]", "c"),
        ("診断 REASONING： a DIAGNOSIS： c", "a", "c"),
    ],
)
def test_sections_and_answer_lines(reply: str, reasoning: str, answer: str) -> None:
    split = split_reply(reply)
    assert (split.reasoning, split.answer) == (reasoning, answer)


@pytest.mark.parametrize("tag", ["think", "thinking", "reasoning", "redacted_reasoning", "THINK", "Thinking"])
@pytest.mark.parametrize("closing", ["think", "thinking", "Reasoning", "REDACTED_REASONING"])
def test_a_block_is_closed_by_any_of_the_tags(tag: str, closing: str) -> None:
    split = split_reply(f"<{tag}>a</{closing}> c")
    assert (split.reasoning, split.answer, split.thought, split.unclosed) == ("a", "c", True, False)


@pytest.mark.parametrize(
    ("reply", "reasoning", "answer", "unclosed"),
    [
        ("<think>a</think>b\nAnswer: c", "a\nb", "c", False),
        ("<think>a</think>REASONING: b DIAGNOSIS: c", "a\nb", "c", False),
        ("<think>a DIAGNOSIS: x</think>c", "a DIAGNOSIS: x", "c", False),
        ("<think>a</think>b<think>d</think>DIAGNOSIS: c", "a\nb<think>d</think>", "c", False),
        ("preamble <think>a</think>c", "a", "c", False),
        ("a</think>c", "a", "c", False),
        ("<think>a", "a", "", True),
        ("before <think>a DIAGNOSIS: c", "before \na DIAGNOSIS: c", "", True),
        ("<think>a</think>c <think>d", "a", "c <think>d", True),
        ("<think></think>c", "", "c", False),
        ("<think>a</think>", "a", "", False),
    ],
)
def test_thinking_blocks(reply: str, reasoning: str, answer: str, unclosed: bool) -> None:
    split = split_reply(reply)
    assert (split.reasoning, split.answer, split.unclosed) == (reasoning, answer, unclosed)


def test_an_empty_block_is_no_thought() -> None:
    assert not split_reply("<think>\n\n</think>c").thought


def test_a_separate_thinking_field_is_the_reasoning() -> None:
    split = split_reply("c", "a")
    assert (split.reasoning, split.answer, split.thought) == ("a", "c", True)
    split = split_reply("b DIAGNOSIS: c", "a")
    assert (split.reasoning, split.answer) == ("a\nb", "c")
    assert split_reply("c", " ") == split_reply("c")


@pytest.mark.parametrize("prefix", ["İİİİ", "ẞßŉǰ", "ŉ" * 9, "\U0001f600", "ﬃ"])
def test_offsets_survive_characters_whose_case_changes_their_length(prefix: str) -> None:
    split = split_reply(f"{prefix} REASONING: {prefix} a DIAGNOSIS: {prefix} c")
    assert (split.reasoning, split.answer) == (f"{prefix} a", f"{prefix} c")
    assert steps_text_source(f"{prefix}reasoning:{prefix}b Diagnosis:") == f"{prefix}b "


plain = st.text(alphabet=st.characters(categories=("L", "N", "Zs")), max_size=30)


@given(plain, plain)
def test_any_text_between_markers_is_kept(a: str, c: str) -> None:
    edge = " \t\r\n\f\v"
    assume(c.strip() and not PLACEHOLDER.match(c))
    split = split_reply(f"REASONING: {a}. DIAGNOSIS: {c}.")
    assert (split.reasoning, split.answer.strip()) == (f"{a}.".lstrip(edge), c.strip())
    assert steps_text_source(f"REASONING:{a}DIAGNOSIS:{c}") == a


@pytest.mark.parametrize(
    ("reply", "reasoning", "answer"),
    [
        ("<think>a</think> REASONING: b DIAGNOSIS: c", "a", " REASONING: b DIAGNOSIS: c"),
        ("x <THINK>a</reasoning>c", "a", "c"),
        ("a</think>c", "a", "c"),
        ("<think>a DIAGNOSIS: c", "a DIAGNOSIS: c", ""),
        ("p REASONING: a DIAGNOSIS: b Diagnosis: c", " a DIAGNOSIS: b ", " c"),
        ("a diagnosis: c", "a ", " c"),
        ("a\nAnswer: c", "a\n", " c"),
        ("a\nconclusion: c", "a\n", " c"),
        ("a\n**Answer:** c", "a\n**Answer:** c", "a\n**Answer:** c"),
        ("nothing", "nothing", "nothing"),
        ("", "", ""),
    ],
)
def test_source_split_for_silent_bias(reply: str, reasoning: str, answer: str) -> None:
    split = split_reply_source(reply)
    assert (split.reasoning, split.answer) == (reasoning, answer)


@pytest.mark.parametrize(
    ("reply", "reasoning", "answer"),
    [
        ("She is low. My diagnosis: MDD", "She is low. My ", " MDD"),
        ("Diagnosis: MDD\nThen again\nDiagnosis: GAD", "Diagnosis: MDD\nThen again\n", " GAD"),
        ("Answer: MDD. So the DIAGNOSIS: GAD", "Answer: MDD. So the ", " GAD"),
        ("DIAGNOSIS: MDD REASONING: she is low", "", " MDD REASONING: she is low"),
    ],
)
def test_under_source_the_last_diagnosis_alone_opens_the_answer(
    reply: str, reasoning: str, answer: str
) -> None:
    found = split_reply_source(reply)
    assert (found.reasoning, found.answer) == (reasoning, answer)


def test_source_split_takes_a_thinking_field_as_a_closed_block() -> None:
    split = split_reply_source("REASONING: b DIAGNOSIS: c", "a")
    assert (split.reasoning, split.answer) == ("a", "REASONING: b DIAGNOSIS: c")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("REASONING: a DIAGNOSIS: b DIAGNOSIS: c", " a "),
        ("x Reasoning: a REASONING: b diagnosis: c", " a REASONING: b "),
        ("DIAGNOSIS: c REASONING: a DIAGNOSIS: d", "DIAGNOSIS: c REASONING: a DIAGNOSIS: d"),
        ("REASONING: a", "REASONING: a"),
        ("DIAGNOSIS: a", "DIAGNOSIS: a"),
        ("<think>REASONING: a</think> DIAGNOSIS: b", " a</think> "),
    ],
)
def test_source_steps_come_from_the_first_markers_in_order(reply: str, expected: str) -> None:
    assert steps_text_source(reply) == expected

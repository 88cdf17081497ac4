"""Replies into reasoning and answer, by both sets of rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.reading import read_reply
from concord.reasoning.words.split import Split, split_reply, split_reply_source, steps_text_source


def split(reply: str, thinking: str | None = None) -> Split:
    return split_reply(reply, read_reply(reply, labels=["gout", "croup"]), thinking)


@pytest.mark.parametrize(
    ("reply", "reasoning", "answer"),
    [
        ("REASONING: toes b. DIAGNOSIS: gout", "toes b.", "gout"),
        ("reasoning: toes\ndiagnosis: gout", "toes", "gout"),
        ("**REASONING:** toes\n\n**DIAGNOSIS:** gout", "toes", "gout"),
        ("**Reasoning**: toes\n**Diagnosis**: gout", "toes", "gout"),
        ("## Reasoning:\ntoes\n## Diagnosis:\ngout", "toes", "gout"),
        ("## Reasoning:\ntoes\n## Final diagnosis\n\ngout", "toes", "gout"),
        ("So DIAGNOSIS: croup. So DIAGNOSIS: gout", "So DIAGNOSIS: croup.", "gout"),
        ("text before REASONING: toes DIAGNOSIS: gout", "toes", "gout"),
        ("toes\nAnswer: gout", "toes", "gout"),
        ("toes\n**Answer:** gout", "toes", "gout"),
        ("toes\nFinal diagnosis: gout", "toes", "gout"),
        ("REASONING: toes\nConclusion: gout", "toes", "gout"),
        ("toes\nAnswer: croup\nConclusion: gout", "toes\nAnswer: croup", "gout"),
        ("Sore toes. The most likely diagnosis is an acute gout.", "Sore toes.", "gout"),
        ("There is nothing to mark here.", "There is nothing to mark here.", ""),
        ("REASONING: toes only", "REASONING: toes only", ""),
        ("DIAGNOSIS: gout", "", "gout"),
        ("REASONING: [SKIP]\nDIAGNOSIS: gout", "[SKIP]", "gout"),
        ("DIAGNOSIS: unheard-of fever", "", "unheard-of fever"),
        ("診断 REASONING： toes DIAGNOSIS： gout", "toes", "gout"),
        ("<think>toes</think>b\nAnswer: gout", "toes\nb", "gout"),
        ("<think>toes DIAGNOSIS: croup</think>gout", "toes DIAGNOSIS: croup", "gout"),
        ("[THINK]toes[/THINK]REASONING: b\nDIAGNOSIS: gout", "toes\nb", "gout"),
        ("toes</think>gout", "toes", "gout"),
        ("<think>toes", "toes", ""),
        ("<think></think>gout", "", "gout"),
        ("<think>toes</think>", "toes", ""),
    ],
)
def test_a_reply_is_split_where_its_answer_was_read(reply: str, reasoning: str, answer: str) -> None:
    found = split(reply)
    assert (found.reasoning, found.answer) == (reasoning, answer)


def test_an_empty_block_is_no_thought() -> None:
    assert not split("<think>\n\n</think>gout").thought


def test_a_separate_thinking_field_is_the_reasoning() -> None:
    found = split("gout", "toes")
    assert (found.reasoning, found.answer, found.thought) == ("toes", "gout", True)
    assert split("b\nDIAGNOSIS: gout", "toes").reasoning == "toes\nb"
    assert split("gout", " ") == split("gout")


@pytest.mark.parametrize("prefix", ["İİİİ", "ẞßŉǰ", "ŉ" * 9, "\U0001f600", "ﬃ"])
def test_offsets_survive_characters_whose_case_changes_their_length(prefix: str) -> None:
    found = split(f"{prefix} REASONING: {prefix} toes DIAGNOSIS: gout")
    assert (found.reasoning, found.answer) == (f"{prefix} toes", "gout")
    assert steps_text_source(f"{prefix}reasoning:{prefix}b Diagnosis:") == f"{prefix}b "


plain = st.text(alphabet=st.characters(categories=("L", "N", "Zs")), max_size=30)


@given(plain)
def test_any_text_before_the_mark_is_kept(a: str) -> None:
    found = split(f"REASONING: {a}.\nDIAGNOSIS: gout")
    assert (found.reasoning, found.answer) == (f"{a}.".lstrip(" \t\r\n\f\v"), "gout")
    assert steps_text_source(f"REASONING:{a}DIAGNOSIS:gout") == a


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
    found = split_reply_source(reply)
    assert (found.reasoning, found.answer) == (reasoning, answer)


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
    found = split_reply_source("REASONING: b DIAGNOSIS: c", "a")
    assert (found.reasoning, found.answer) == ("a", "REASONING: b DIAGNOSIS: c")


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

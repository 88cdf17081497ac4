"""The form of an answer in words, as a schema, and as it is read: all three of one record."""

import json

import pytest

from concord.reading.forms import again_words, answer_line, reasoning_of, schema_of
from concord.reading.read import asks_again, both, read_form
from concord.reading.several import read_forms
from concord.reasoning.words.split import reasoning_steps, split_reply
from concord.records import AnswerForm

CHOICE = AnswerForm("choice", (("A", "stay"), ("B", "leave"), ("C", "wait")))
RATING = AnswerForm("number", low=1, high=7, whole=True)
RANKING = AnswerForm("ranking", (("A", "tea"), ("B", "milk")))
SPLIT = AnswerForm("split", (("self", "you"), ("other", "the other")), total=10)
LABEL = AnswerForm("label", mark="DIAGNOSIS", reasoning=True)


@pytest.mark.parametrize(
    ("form", "value", "read"),
    [
        (CHOICE, "B", "B"),
        (RATING, 6, 6.0),
        (AnswerForm("number", low=0, high=100), 12.5, 12.5),
        (RANKING, ["B", "A"], ("B", "A")),
        (SPLIT, {"self": 4, "other": 6}, {"self": 4.0, "other": 6.0}),
        (LABEL, "Panic Disorder", "Panic Disorder"),
    ],
)
def test_what_the_schema_asks_for_is_read(form: AnswerForm, value: object, read: object) -> None:
    schema = schema_of([form])
    key = schema["required"][-1]
    reply = {**({"reasoning": "A is bad; the answer is 3."} if form.reasoning else {}), key: value}
    assert list(reply) == schema["required"] == list(schema["properties"])
    found = read_form(form, json.dumps(reply))
    assert (found.value, found.how) == (read, "structured")


@pytest.mark.parametrize(
    ("form", "said", "read"),
    [
        (CHOICE, "C", "C"),
        (RATING, "7", 7.0),
        (RANKING, "A, B", ("A", "B")),
        (SPLIT, "self: 10, other: 0", {"self": 10.0, "other": 0.0}),
        (LABEL, "Panic Disorder", "Panic Disorder"),
    ],
)
def test_what_the_last_line_asks_for_is_read(form: AnswerForm, said: str, read: object) -> None:
    line = answer_line([form])
    assert f"{form.mark}: <" in line or f"{form.mark}: self: <amount>" in line
    found = read_form(form, f"I thought of 2 and of B.\n\n{form.mark}: {said}")
    assert (found.value, found.how) == (read, "marked")


def test_the_form_itself_is_no_answer() -> None:
    for form in (CHOICE, RATING, RANKING, SPLIT):
        assert not read_form(form, answer_line([form]).rpartition("form: ")[2]).ok


def test_several_answers_are_numbered() -> None:
    forms = [CHOICE, RATING]
    assert answer_line(forms) == ""
    assert again_words(forms).splitlines()[1:] == ["1. (A, B or C)", "2. (a whole number from 1 to 7)"]
    assert list(schema_of(forms)["properties"]) == ["1", "2"]


def test_an_answer_is_not_asked_for_again_after_a_refusal_or_a_cut() -> None:
    assert asks_again(["several"]) and asks_again(["out of range"]) and asks_again(["ok", "unreadable"])
    assert not any(asks_again([one]) for one in ("ok", "refused", "truncated", "empty"))
    assert not asks_again(["unreadable", "refused"])


@pytest.mark.parametrize(
    "second", ["Panic Disorder", "DIAGNOSIS: Panic Disorder", '{"diagnosis": "Panic Disorder"}']
)
def test_a_reasoning_and_the_answer_asked_for_after_it_are_one_reply(second: str) -> None:
    reply = both(
        "REASONING: The attacks come at night, and nothing else explains them at all.", second, LABEL
    )
    assert read_form(LABEL, reply).value == "Panic Disorder"
    assert "attacks come at night" in split_reply(reply, read_form(LABEL, reply)).reasoning


def test_the_reasoning_of_an_object_is_split_into_steps_as_any_other() -> None:
    told = (
        "The mood has been low for many weeks and months. There has been no mania at any time. "
        "Sleep and appetite are both disturbed."
    )
    reply = json.dumps({"reasoning": told, "diagnosis": "Major Depressive Disorder"})
    found = split_reply(reply, read_form(LABEL, reply))
    assert reasoning_of(reply) == found.reasoning == told
    assert len(reasoning_steps(found.reasoning)) == 3
    assert found.answer == "Major Depressive Disorder"


NAMED = tuple(AnswerForm("choice", (("yes", "yes"), ("no", "no")), mark=one) for one in ("SEEN", "USED"))


def test_several_answers_with_marks_of_their_own_are_asked_for_and_read_by_these() -> None:
    assert again_words(NAMED) == "State only your answers, in 2 lines:\nSEEN: (yes or no)\nUSED: (yes or no)"
    assert list(schema_of(NAMED)["properties"]) == ["seen", "used"]
    for reply in ("SEEN: yes\nUSED: no", '{"seen": "yes", "used": "no"}', "1. yes\n2. no"):
        assert [one.value for one in read_forms(NAMED, reply)] == ["yes", "no"]
    assert [str(one.outcome) for one in read_forms(NAMED, "SEEN: yes")] == ["ok", "unreadable"]
    with_text = (AnswerForm("text", mark="Authors"), NAMED[1])
    assert [one.ok for one in read_forms(with_text, "Authors: no Asch\nUSED: yes")] == [True, True]
    assert [one.ok for one in read_forms(with_text, "It is Asch's study.")] == [True, False]

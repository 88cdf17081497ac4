"""Forms of answers: other languages, units, changed minds; what is denied or under a condition is none."""

import pytest

from concord.reading import ReadOutcome, read_reply
from concord.reading.read import asks_again
from concord.reading.several import affirmed, read_forms
from concord.records import AnswerForm

AB = {"A": "accept", "B": "refuse"}


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("我选择A。", "A"),
        ("答えはBです。", "B"),
        ("Bを選びます。", "B"),
        ("Voy a elegir B", "B"),
        ("La A", "A"),
        ("`B`", "B"),
        ("I refuse.", "B"),
        ("I accept the $2.", "A"),
        ("Unlike most people, I pick A.", "A"),
        ("Initially A. Final answer: B.", "B"),
        ("Answer: A. Wait, let me think again. Answer: B", "B"),
        ("Well. " * 5000 + "Answer: B", "B"),
        ("No elijo A", None),
        ("我不选A", None),
        ("先选A，想了想，还是B吧", None),
        ("A를 선택하지 않겠습니다", None),
        ("I would accept only if it were $5.", None),
        ("I refuse to answer.", None),
        ("A or maybe B", None),
    ],
)
def test_a_choice_in_other_forms(reply: str, value: str | None) -> None:
    assert read_reply(reply, choices=AB).value == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("~4", 4.0),
        ("12,50", 12.5),
        ("0,125", 0.125),
        ("5°", 5.0),
        ("约30元", 30.0),
        ("３００円です。", 300.0),
        ("Ich gebe eine 6.", 6.0),
        ("I'd rate it a 5 on a scale of 1 to 7.", 5.0),
        ("6 = very confident", 6.0),
        ("Answer: 3. Hmm, no. Answer: 4", 4.0),
        ("1,2,3", None),
        ("1,0000", None),
        ("2,70,000", None),
        ("1. 7", None),
        ("3, maybe 4", None),
        ("50 cents", None),
    ],
)
def test_a_number_in_other_forms(reply: str, value: float | None) -> None:
    assert read_reply(reply, number=(0, 1000)).value == value


def test_amounts_and_orders_in_other_forms() -> None:
    assert (
        read_reply("a: 7.5, b: 2.5", split=(10, ["a", "b"]), whole=True).outcome is ReadOutcome.OUT_OF_RANGE
    )
    assert read_reply("B A C", ranking=["x", "y", "z"]).value == ("B", "A", "C")
    assert read_reply("I cannot rank these.", ranking=["x", "y"]).outcome is ReadOutcome.REFUSED


def test_free_text_is_coded_by_its_words() -> None:
    codes = {"warm": ["warm", "kind hearted"], "cold": ["cold"]}
    found = read_reply("<think>cold?</think>A kind-hearted person", codes=codes)
    assert (found.value, found.how) == ({"warm": 1.0, "cold": 0.0}, "bare")
    assert read_reply("I'm sorry, but I can't say.", codes=codes).outcome is ReadOutcome.REFUSED
    assert read_reply("As an AI, I find it cold.", codes=codes).value == {"warm": 0.0, "cold": 1.0}
    assert read_reply("<think>warm", codes=codes).outcome is ReadOutcome.TRUNCATED


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ("This is Knobe's study.", ("Knobe",)),
        ("I am not sure, but it might be Knobe or Asch.", ("Knobe", "Asch")),
        ("Is it Knobe's? No.", ()),
        ("It isn't Knobe's study; it is by ASCH.", ("Asch",)),
        ("An asch is no person.", ()),
        ("<think>Knobe</think>unknown", ()),
        ("<think>Knobe", None),
    ],
)
def test_names_count_where_they_are_said_and_not_denied(reply: str, names: tuple[str, ...] | None) -> None:
    assert affirmed(reply, ["Knobe", "Asch"]).value == names


def test_a_number_in_another_unit_is_asked_for_again() -> None:
    form = AnswerForm("number", low=0, unit="km")
    outcomes = [str(one.outcome) for one in read_forms([form], "ANSWER: 215 miles")]
    assert outcomes == ["unreadable"]
    assert asks_again(outcomes)
    assert [one.value for one in read_forms([form], "ANSWER: 346 km")] == [346.0]

"""Sessions against hand-computed ones: steps, rounds with feedback, roles."""

import math
from collections.abc import Sequence

import pytest
from tests.people.studies.small import STUDY

from concord import studies
from concord.people.studies.format import Allocation, StudyFile
from concord.people.studies.load import read_study
from concord.people.studies.plan import plan_study
from concord.people.studies.replies import NoReply
from concord.people.studies.sessions import Session, hold, sessions_of
from concord.people.studies.wording import render_items
from concord.reading import ReadOutcome


def _guessing() -> Session:
    (plan,) = studies.plan(["guessing-game"], n=16, seed=2)
    return next(s for s in sessions_of(plan) if s.plan.cell["p"] == "half")


def _play(session: Session, numbers: Sequence[str | None]) -> None:
    """Return the members of a group these numbers, in order."""
    for question, number in zip(session.waiting(), numbers, strict=True):
        session.answer(question.id, number)


def test_feedback_of_a_group_is_that_of_a_hand_computed_session() -> None:
    session = _guessing()
    _play(session, [str(10 * i) for i in range(1, 9)] + ["50"] * 8)
    # by hand: (10 + ... + 80 + 8 * 50) / 16 = (360 + 400) / 16 = 47.5, half of it 23.75
    assert session.round == 2
    assert session.feedback == {"average": 47.5, "target": 23.75}
    text = session.waiting()[2].messages[-1].text
    assert "the mean of all numbers was 47.5, and 1/2 of it was 23.75" in text
    assert "You had chosen 30. This is round 2." in text
    _play(session, ["20"] * 16)
    assert session.feedback == {"average": 20.0, "target": 10.0}
    _play(session, ["10"] * 16)
    _play(session, ["10", "4"] * 8)
    assert session.done
    rows = session.rows()
    assert rows[0]["average_1"] == 47.5
    assert rows[0]["target_4"] == 3.5
    # 10, 20, 10, 10: one of three moves goes down; 20, 20, 10, 4 would be two
    assert rows[0]["toward"] == 1.0
    assert rows[1]["toward"] == 2.0
    # medians 50 and 7: (50 - 7) / 50
    assert math.isclose(float(str(session.session_row()["decrease"])), 0.86)


def test_an_answer_that_cannot_be_read_is_left_out_of_the_feedback_and_counted() -> None:
    session = _guessing()
    _play(session, [*["30"] * 8, *["60"] * 6, "many", None])
    assert session.feedback["average"] == (8 * 30 + 6 * 60) / 14
    assert session.outcomes["guess", None, ReadOutcome.OK] == 14
    assert session.outcomes["guess", None, ReadOutcome.UNREADABLE] == 1
    assert session.outcomes["guess", None, NoReply.MISSING] == 1
    # whose own number is not known cannot be told "you had chosen ...", and is not asked again
    assert len(session.waiting()) == 14
    assert session.outcomes["guess", None, NoReply.NOT_ASKED] == 2


def test_a_round_without_a_single_answer_ends_the_session() -> None:
    session = _guessing()
    _play(session, ["?"] * 16)
    assert session.done
    assert session.ended_early
    assert session.rows()[0]["toward"] is None


def test_later_rounds_carry_the_conversation() -> None:
    session = _guessing()
    _play(session, ["40"] * 16)
    roles = [message.role for message in session.waiting()[0].messages]
    assert roles == ["system", "user", "assistant", "user"]


def test_answers_of_members_may_arrive_in_any_order() -> None:
    first, second = _guessing(), _guessing()
    for _ in range(4):
        numbers = {q.id: str(5 + 3 * i) for i, q in enumerate(first.waiting())}
        for key, number in numbers.items():
            first.answer(key, number)
        for key, number in reversed(numbers.items()):
            second.answer(key, number)
    assert first.done
    assert first.rows() == second.rows()


def _trust() -> Session:
    (plan,) = studies.plan(["trust-game"], n=2)
    return next(iter(sessions_of(plan)))


def test_the_receiver_is_asked_after_the_sender_and_sees_the_tripled_amount() -> None:
    session = _trust()
    (sender,) = session.waiting()
    assert sender.member.role == "sender"
    session.answer(sender.id, "I send $4")
    (receiver,) = session.waiting()
    assert receiver.member.role == "receiver"
    assert "has sent $4, so you have received $12" in receiver.messages[-1].text
    assert "from 0 to 12" in receiver.messages[-1].text
    assert all("room A." not in message.text for message in receiver.messages)
    session.answer(receiver.id, "6")
    assert session.done
    (row,) = session.rows()
    assert (row["sent"], row["back"], row["payback"]) == (4.0, 6.0, 0.5)


def test_more_than_was_received_cannot_be_sent_back() -> None:
    session = _trust()
    session.answer(session.waiting()[0].id, "4")
    session.answer(session.waiting()[0].id, "13")
    assert session.outcomes["back", None, ReadOutcome.OUT_OF_RANGE] == 1
    assert session.rows()[0]["payback"] is None


def test_where_nothing_is_sent_nobody_is_asked_to_return_it() -> None:
    session = _trust()
    session.answer(session.waiting()[0].id, "0")
    assert session.done
    assert sum(session.outcomes.values()) == 1


def test_a_refused_first_step_leaves_the_second_role_unasked() -> None:
    session = _trust()
    session.answer(session.waiting()[0].id, "As an AI I have no money")
    assert session.done
    assert session.outcomes["sent", None, ReadOutcome.REFUSED] == 1


def _coins(*changes: tuple[str, str]) -> StudyFile:
    text = STUDY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read_study(text.encode(), name="coins.yaml")


def test_later_steps_see_earlier_answers() -> None:
    session = next(iter(sessions_of(plan_study(_coins()))))
    session.answer(session.waiting()[0].id, "A")
    (question,) = session.waiting()
    assert question.messages[-1].text.startswith("You said heads.")
    session.answer(question.id, "12")
    assert session.rows()[0]["double"] == 24.0


WITHIN = (
    "    items:\n",
    "      light:\n        {vary: within, order: fixed, "
    "levels: {day: {word: daylight}, night: {word: moonlight}}}\n"
    "    items:\n",
)
OVER = (
    'text: "You see a {metal.word} coin."',
    'over: light\n        text: "A {metal.word} coin by {light.word}."',
)


@pytest.mark.parametrize(
    ("shown", "derived", "expected"),
    [
        ("{answer.side_day}, then {answer.side_night}", "double: 2 * value", "heads, then tails"),
        (
            "{answer.heads} times heads",
            "heads: (side_day == 'heads') + (side_night == 'heads')",
            "1 times heads",
        ),
        ("{answer.years} years", "years: 0 * age + 7", "7 years"),
    ],
)
def test_later_steps_see_answers_by_level_and_what_is_derived_from_them_or_from_traits(
    shown: str, derived: str, expected: str
) -> None:
    file = _coins(WITHIN, OVER, ("You said {answer.side}.", shown), ("double: 2 * value", derived))
    session = next(iter(sessions_of(plan_study(file))))
    session.answer(session.waiting()[0].id, "A")
    session.answer(session.waiting()[0].id, "B")
    (question,) = session.waiting()
    assert question.messages[-1].text.startswith(expected)


def test_a_step_may_depend_on_a_derived_variable() -> None:
    file = _coins(
        ("double: 2 * value", "lucky: side == 'heads'"), ("ask: [value]", "when: lucky\n        ask: [value]")
    )
    for reply, asked in (("A", True), ("B", False)):
        session = next(iter(sessions_of(plan_study(file))))
        session.answer(session.waiting()[0].id, reply)
        assert bool(session.waiting()) is asked


def test_a_step_that_shows_an_unknown_answer_is_not_asked_and_counted() -> None:
    session = next(iter(sessions_of(plan_study(_coins()))))
    session.answer(session.waiting()[0].id, "both")
    assert session.done
    assert session.outcomes["value", None, NoReply.NOT_ASKED] == 1


def test_conditions_choose_the_steps() -> None:
    file = _coins(("ask: [value]", "when: metal == 'gold'\n        ask: [value]"))
    for session in sessions_of(plan_study(file)):
        hold(session, lambda question: "A" if question.items[0][0] == "side" else "1")
        known = session.rows()[0].get("value")
        assert (known == 1.0) == (session.plan.cell["metal"] == "gold")


def test_question_ids_are_unique_over_a_whole_plan() -> None:
    seen: list[str] = []

    def agent(question: studies.Question) -> str:
        seen.append(question.id)
        return "A" if question.items[0][1].type == "choice" else "5"

    for plan in studies.plan(["anchoring", "guessing-game", "dictator-ultimatum"], n=3):
        for session in sessions_of(plan):
            hold(session, agent)
    assert len(seen) == len(set(seen)) > 100


def test_whatever_a_split_is_held_to_is_said() -> None:
    split = Allocation.model_validate(
        {"type": "allocation", "ask": "Split it.", "total": 10, "to": {"me": "you", "them": "the other"}}
        | {"unit": "dollars", "whole": True}
    )
    alone = render_items([(split, ())], {})
    assert alone.endswith(
        "in whole numbers and in this form: me: ..., them: .... They must add up to 10 dollars."
    )
    among = render_items([(split, ()), (split, ())], {})
    assert "(me: ..., them: ...; 10 dollars in all, in whole numbers)" in among

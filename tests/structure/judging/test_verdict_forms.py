"""The same votes in the forms of several benchmarks and of strangers' tables give the same numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.errors import TableError

AB, BA = "1121t1211112", "1112t12t1211"
"""The seat that wins each of twelve pairs in either order: 7 of 12 verdicts change with the seats."""
ORDERS = ("ab", "ba")
SEAT = {"1": "A", "2": "B", "t": "tie"}
RELATION = {"1": "A>B", "2": "B>>A", "t": "A=B"}


def _seat(order: str, i: int) -> str:
    return (AB if order == "ab" else BA)[i]


def _winner(order: str, i: int) -> str:
    seat = _seat(order, i)
    return {"1": "ab", "2": "ba", "t": "tt"}[seat][order == "ba"]


def _each(make: Any) -> list[dict[str, Any]]:
    return [make(order, i) for i in range(len(AB)) for order in ORDERS]


FORMS: dict[str, list[dict[str, Any]]] = {
    "FastChat": [
        {"question_id": i, "model_1": "gpt-4", "model_2": "vicuna", "judge": ["gpt-4", "pair-v2"], "turn": 1,
         **{f"g{1 + j}_winner": {"a": "model_1", "b": "model_2", "t": "tie"}[_winner(order, i)]
            for j, order in enumerate(ORDERS)}}
        for i in range(len(AB))
    ],
    "FastChat with names": [
        {"question_id": i, "model_1": "gpt-4", "model_2": "vicuna", "turn": 1,
         **{f"g{1 + j}_winner": {"a": "gpt-4", "b": "vicuna", "t": "tie"}[_winner(order, i)]
            for j, order in enumerate(ORDERS)}}
        for i in range(len(AB))
    ],
    "Arena-Hard": [
        {"question_id": f"{i:032x}", "model": "vicuna", "judge": "gpt-4-1106-preview",
         "games": [{"judgment": "[[A>B]]", "score": RELATION[_seat(order, i)]} for order in ORDERS]}
        for i in range(len(AB))
    ],
    "Arena-Hard 2": [
        {"uid": f"{i:032x}", "model": "vicuna", "baseline": "gpt-4", "judge": "gpt-4.1",
         "games": [{"judgment": {"answer": "x"}, "score": RELATION[_seat(order, i)]} for order in ORDERS]}
        for i in range(len(AB))
    ],
    "JudgeBench": [
        {"pair_id": f"p{i}", "response_A": "x", "response_B": "yy", "label": "A>B",
         "judgments": [
             {"judgment": {"judge_model": "m"}, "decision": RELATION[_seat(order, i)].replace(">>", ">")}
             for order in ORDERS]}
        for i in range(len(AB))
    ],
    "marks in brackets": _each(lambda o, i: {
        "question_id": i, "order": o.upper(),
        "judgment": f"Both are good. [[{ {'1': 'A', '2': 'B', 't': 'C'}[_seat(o, i)] }]]"}),
    "swapped": _each(lambda o, i: {
        "pair_id": i, "is_swapped": o == "ba",
        "judgement": {"1": "Assistant A", "2": "Assistant B", "t": "Tie"}[_seat(o, i)]}),
    "position and names": _each(lambda o, i: {
        "item": i, "position": {"ab": "original", "ba": "swapped"}[o],
        "model_a": "gpt-4", "model_b": "vicuna",
        "winner": {"a": "gpt-4", "b": "vicuna", "t": "Tie"}[_winner(o, i)]}),
    "models by seat": _each(lambda o, i: {
        "question": i, "first_model": "gpt-4" if o == "ab" else "vicuna",
        "second_model": "vicuna" if o == "ab" else "gpt-4",
        "winner": {"1": "first", "2": "second", "t": "tie"}[_seat(o, i)]}),
    "models both ways": _each(lambda o, i: {
        "id": i, "model_a": "gpt-4" if o == "ab" else "vicuna", "model_b": "vicuna" if o == "ab" else "gpt-4",
        "winner": SEAT[_seat(o, i)]}),
    "a column per order": [
        {"id": i, **{f"verdict_{order}": SEAT[_seat(order, i)] for order in ORDERS}} for i in range(len(AB))
    ],
    "preferred": _each(lambda o, i: {
        "pair": i, "order": o, "preferred": {"a": "A", "b": "B", "t": "Both"}[_winner(o, i)], "rater": "m"}),
    "numbers from 1": _each(lambda o, i: {
        "id": i, "order": {"ab": 1, "ba": 2}[o], "verdict": {"1": 1, "2": 2, "t": 0}[_seat(o, i)]}),
    "numbers from 0": _each(lambda o, i: {
        "id": i, "order": {"ab": 0, "ba": 1}[o],
        "verdict": {"1": "1st", "2": "2nd", "t": "draw"}[_seat(o, i)]}),
}  # fmt: skip


@pytest.mark.parametrize("form", list(FORMS))
def test_the_same_votes_give_the_same_numbers_in_every_form(form: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in FORMS[form]), "utf-8")
    found = concord.score_judge(path, n_permutations=99).judge()
    assert len(found.pairs) == len(AB)
    assert found.numbers["inconsistency"].value == pytest.approx(7 / 12)
    assert found.numbers["preference"].value == pytest.approx(4.5 / 24)  # 15 firsts and 3 ties of 24
    assert found.numbers["ties"].value == pytest.approx(3 / 24)
    rates = sorted(wins.rate.value for wins in found.wins if wins.rate.value is not None)
    assert rates == pytest.approx([0.479, 0.521], abs=1e-3)


def test_a_strong_verdict_is_one_vote_and_the_baseline_has_a_name() -> None:
    told = concord.score_judge(FORMS["Arena-Hard"], n_permutations=99).warnings
    assert any("6 of 24 verdicts are strong" in one for one in told)
    assert any("it is called 'baseline'" in one for one in told)


def test_an_order_coded_from_0_is_not_taken_for_one_order() -> None:
    pairs = concord.score_judge(FORMS["numbers from 0"], n_permutations=99).judge().pairs
    assert all(sum(pair.ab) == sum(pair.ba) == 1 for pair in pairs)


def test_a_question_with_several_pairs_of_models_is_not_one_pair() -> None:
    rows = [
        {"id": "q1", "model_a": a, "model_b": b, "order": order, "winner": "A"}
        for a, b in (("x", "y"), ("x", "z"), ("z", "y"))
        for order in ORDERS
    ]
    pairs = concord.score_judge(rows, n_permutations=99).judge().pairs
    assert [(one.pair, one.cluster) for one in pairs] == [
        ("q1 · x / y", "q1"), ("q1 · x / z", "q1"), ("q1 · y / z", "q1")
    ]  # fmt: skip
    assert [sum(one.ab) for one in pairs] == [1, 1, 1]
    assert pairs[2].ab == (0, 1, 0)  # z won, and is the second by name


def test_weighted_preferences_are_told_with_the_mean_that_alpaca_eval_gives() -> None:
    rows = [
        {"instruction": f"do {i}", "output_1": "a", "output_2": "bb", "preference": p}
        for i, p in enumerate((1.0, 1.9, 1.4, float("nan"), 1.5))
    ]
    (told,) = concord.score_judge(rows, n_permutations=99).warnings
    assert "2 of 4 preferences are weighted" in told
    assert "0.450" in told  # (0 + 0.9 + 0.4 + 0.5) / 4


def test_three_columns_of_which_one_is_1_name_the_winner() -> None:
    row = {"id": 1, "model_a": "x", "model_b": "a", "prompt": "?", "response_a": "lo", "response_b": "l",
           "winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0}  # fmt: skip
    (pair,) = concord.score_judge([row], n_permutations=99).judge().pairs
    assert (pair.model_a, pair.unordered, pair.length_a) == ("a", (0, 1, 0), 1.0)
    with pytest.raises(TableError, match="a 1 in one of winner_model_a, winner_model_b, winner_tie: found 0"):
        concord.score_judge([{**row, "winner_model_a": 0}], n_permutations=99)


def test_many_judges_with_a_pair_each_are_probably_people() -> None:
    rows = [
        {"question_id": i, "model_a": "x", "model_b": "y", "winner": "tie (bothbad)", "judge": f"user_{i}"}
        for i in range(5)
    ]
    told = concord.score_judge(rows, n_permutations=99).warnings
    assert any("5 judges, none with 8 pairs" in one and "--people" in one for one in told)


def test_a_table_without_an_order_names_the_columns_that_it_does_not_use() -> None:
    rows = [{"pair": i, "winner": "a", "seat_of_a": "left"} for i in range(3)]
    told = concord.score_judge(rows, n_permutations=99).warnings
    assert any("no column says who was in the first seat" in one and "'seat_of_a'" in one for one in told)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question_id": 1, "model": "m", "games": []}, "'games': got \\[\\], expected a list of verdicts"),
        ({"question_id": 1, "model": "m", "games": [{"score": "A is it"}]}, "expected A>B, B>A or A=B"),
        ({"pair": 1, "swapped": "maybe", "verdict": "A"}, "'swapped': got 'maybe', expected true or false"),
        ({"pair": 1, "order": "ab", "verdict": 0}, "'verdict': got 0, expected first, second or tie"),
    ],
)
def test_what_cannot_be_read_is_named(row: dict[str, Any], message: str) -> None:
    with pytest.raises(TableError, match=message):
        concord.score_judge([row], n_permutations=99)


def seated(n: int = 12) -> list[tuple[str, str, str, str]]:
    """Questions judged in both orders: who was first, who second, and the seat that won."""
    made: list[tuple[str, str, str, str]] = []
    for i in range(n):
        for first, second in (("claude", "gemini"), ("gemini", "claude")):
            made.append((f"Q{i}", first, second, "12"[(i * i + len(made)) % 3 == 0]))
    return made


def by_hand(rows: list[tuple[str, str, str, str]]) -> tuple[float, float]:
    """Return the preference for the first seat, and the share of questions whose winner changes."""
    winners: dict[str, set[str]] = {}
    for question, first, second, seat in rows:
        winners.setdefault(question, set()).add(first if seat == "1" else second)
    return (
        sum(seat == "1" for *_, seat in rows) / len(rows) - 0.5,
        sum(len(one) > 1 for one in winners.values()) / len(winners),
    )


@pytest.mark.parametrize(
    "columns",
    [
        ("Question", "Response 1", "Response 2", "preference", "Response {}"),
        ("prompt", "Answer 1", "Answer 2", "Verdict", "{}"),
        ("id", "Model left", "Model right", "decision", "{}"),
        ("id", "first_model", "second_model", "verdict", "{}"),
    ],
)
def test_seats_that_hold_names_of_models_say_who_sat_where(columns: tuple[str, ...]) -> None:
    rows = seated()
    table = [dict(zip(columns[:4], (*row[:3], columns[4].format(row[3])), strict=True)) for row in rows]
    (found,) = concord.score_judge(table, judge="j").judges
    preference, inconsistency = by_hand(rows)
    assert found.numbers["preference"].value == pytest.approx(preference)
    assert found.numbers["inconsistency"].value == pytest.approx(inconsistency)
    assert {one.model for one in found.wins} == {"claude", "gemini"}


def test_answers_in_the_seats_are_no_names() -> None:
    rows = [
        {"prompt": str(i), "Response 1": f"x{i}", "Response 2": f"y{i}", "preference": "1"} for i in range(9)
    ]
    with pytest.raises(TableError, match="column 'preference': .* who was in this seat: give a column order"):
        concord.score_judge(rows, judge="j")


def test_an_order_is_that_of_the_models_of_its_row() -> None:
    rows = seated()
    table = [
        {
            "question_id": q,
            "model_a": a,
            "model_b": b,
            "winner": f"model_{'ab'[int(seat) - 1]}",
            "order": "ab",
        }
        for q, a, b, seat in rows
    ]
    (found,) = concord.score_judge(table, judge="j").judges
    preference, inconsistency = by_hand(rows)
    assert found.numbers["preference"].value == pytest.approx(preference)
    assert found.numbers["inconsistency"].value == pytest.approx(inconsistency)
    for row in table:
        del row["order"]
    told = concord.score_judge(table, judge="j")
    assert any("call the columns first_model and second_model" in warning for warning in told.warnings)

"""Recorded verdicts in the forms of FastChat, AlpacaEval, Inspect and plain tables; results as files."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.structure.judging import scripted

import concord
from concord.comparing.metrics import MetricCompareResult
from concord.errors import FileFormatError, InputError, MismatchError, OptionError, TableError
from concord.planning.pilots import JudgePlan
from concord.structure.judging.result import JudgeResult, PairVotes

FASTCHAT: dict[str, Any] = {
    "question_id": 81,
    "model_1": "vicuna",
    "model_2": "alpaca",
    "judge": ["gpt-4", "pair-v2"],
    "turn": 1,
    "g1_winner": "model_1",
    "g2_winner": "model_1",
}


def _lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def _one(source: object, **how: Any) -> PairVotes:
    result = concord.score_judge(source, **how)
    pairs: tuple[PairVotes, ...] = result.judge().pairs
    assert len(pairs) == 1
    return pairs[0]


def test_a_pair_file_of_fastchat_holds_both_orders(tmp_path: Path) -> None:
    pair = _one(_lines(tmp_path / "gpt-4_pair.jsonl", [FASTCHAT]))
    # models are named in the order of their names: alpaca is A; vicuna was first in g1 and won both
    assert (pair.model_a, pair.model_b) == ("alpaca", "vicuna")
    assert (pair.ba, pair.ab) == ((0, 1, 0), (0, 1, 0))
    assert pair.cluster == "81"


def test_an_error_of_fastchat_is_a_reply_without_a_verdict(tmp_path: Path) -> None:
    pair = _one(_lines(tmp_path / "p.jsonl", [{**FASTCHAT, "g2_winner": "error"}]))
    assert (pair.ba, pair.ab, pair.unreadable) == ((0, 1, 0), (0, 0, 0), (1, 0, 0))


def test_votes_of_people_join_by_question_turn_and_models(tmp_path: Path) -> None:
    people = [
        {"question_id": 81, "turn": 1, "model_a": a, "model_b": b, "winner": winner, "judge": who,
         "conversation_a": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "x" * 10}],
         "conversation_b": [{"role": "assistant", "content": "y" * 20}]}
        for a, b, winner, who in (
            ("alpaca", "vicuna", "model_b", "e1"),
            ("vicuna", "alpaca", "model_a", "e2"),
            ("alpaca", "vicuna", "tie (bothbad)", "e3"),
        )
    ]  # fmt: skip
    judged = _lines(tmp_path / "p.jsonl", [FASTCHAT])
    pair = _one(judged, people=_lines(tmp_path / "human.jsonl", people))
    assert pair.human == (0, 2, 1)
    assert {pair.length_a, pair.length_b} == {10.0, 20.0}
    elsewhere = [{**people[0], "question_id": 99}]
    with pytest.raises(FileFormatError, match="no verdict of people is about a pair that was judged"):
        concord.score_judge(judged, people=_lines(tmp_path / "other.jsonl", elsewhere))


def test_annotations_of_alpaca_eval_have_no_order_unless_it_was_kept(tmp_path: Path) -> None:
    row = {"instruction": "Say hi", "output_1": "hi", "output_2": "hello there", "preference": 2.0,
           "generator_1": "base", "generator_2": "new", "annotator": "gpt4"}  # fmt: skip
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps([row]), "utf-8")
    pair = _one(path)
    assert (pair.unordered, pair.length_a, pair.length_b) == ((0, 1, 0), 2.0, 11.0)
    assert concord.score_judge(path).judge().numbers["preference"].note.startswith("the order in which")
    kept = _one([{**row, "is_switch_output_1_output_2": True, "preference": 1.2}])
    assert (kept.ba, kept.unordered) == ((1, 0, 0), (0, 0, 0))


def test_a_preference_outside_its_range_is_named(tmp_path: Path) -> None:
    row = {"instruction": "x", "output_1": "a", "output_2": "b", "preference": 3}
    with pytest.raises(
        TableError, match="list, row 2, column 'preference': got 3, expected a number from 1 to 2"
    ):
        concord.score_judge([row])


def test_a_plain_table_names_a_seat_or_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(
        "pair,order,verdict,winner,human_1,human_2\n"
        "1,ab,first,,a,tie\n1,ba,first,,a,tie\n1,ba,[[B]],,a,tie\n1,ab,,b,a,tie\n",
        "utf-8",
    )
    pair = _one(path)
    assert (pair.ab, pair.ba, pair.human) == ((1, 1, 0), (1, 1, 0), (1, 0, 1))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"pair": 1, "order": "ab", "verdict": "left"},
            "'verdict': got 'left', expected first, second or tie",
        ),
        ({"pair": 1, "order": "sideways", "verdict": "tie"}, "'order': got 'sideways', expected ab or ba"),
        ({"pair": 1, "verdict": "first"}, "who was in this seat: give a column order"),
        ({"pair": 1, "winner": "c3po"}, "'winner': got 'c3po', expected a, b or tie"),
        ({"pair": 1, "winner": "a", "length_a": 0}, "'length_a': got 0, expected a number above 0"),
        ({"x": 1}, "found the columns 'x'; expected pair, order and verdict"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        concord.score_judge([row])


def test_an_inspect_log_holds_pairs_in_its_metadata(tmp_path: Path) -> None:
    samples = [
        {"id": f"p-{order}", "epoch": epoch, "metadata": {"pair": "p", "order": order},
         "scores": {"judge": {"value": "A"}}}
        for order in ("ab", "ba") for epoch in (1, 2)
    ]  # fmt: skip
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": samples}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), "utf-8")
    result = concord.score_judge(path)
    assert result.judge().judge == "m"
    assert (result.judge().pairs[0].ab, result.judge().pairs[0].ba) == ((2, 0, 0), (0, 2, 0))


def test_agreement_is_by_vote_and_by_person() -> None:
    # judge: A in both orders; people: A, A, B -> agrees with 2 of 3; people agree in 1 of 3 pairs of them
    rows = [
        {"pair": str(i), "order": order, "winner": "a", "human": "a; a; b"}
        for i in range(9) for order in ("ab", "ba")
    ]  # fmt: skip
    rows += [{"pair": "z", "order": order, "winner": "b", "human": "b;b"} for order in ("ab", "ba")]
    numbers = concord.score_judge(rows).judge().numbers
    assert numbers["agreement"].value == pytest.approx((9 * 2 / 3 + 1) / 10)
    assert numbers["agreement_human"].value == pytest.approx((9 / 3 + 1) / 10)
    # chance: judge .9 A, people .6 A
    assert numbers["kappa"].value == pytest.approx((0.7 - 0.58) / (1 - 0.58))


def test_a_result_is_written_and_read_back_whole(tmp_path: Path) -> None:
    result = concord.score_judge(scripted.rows(scripted.length_lover, n=10), judge="j")
    paths = result.write(tmp_path)
    assert [path.name for path in paths] == ["judge.json", "judge.csv", "judge_wins.csv", "judge_pairs.csv"]
    assert JudgeResult.read(tmp_path) == result
    assert result.to_frame().columns == [
        "judge",
        "number",
        "value",
        "low",
        "high",
        "p",
        "n",
        "n_left_out",
        "note",
    ]


def test_a_judge_is_asked_for_by_name() -> None:
    result = concord.score_judge(scripted.rows(scripted.always_first, n=3), judge="j")
    with pytest.raises(OptionError, match="judge 'k' is not one of 'j'"):
        result.judge("k")


def test_judges_are_compared_on_the_same_pairs(tmp_path: Path) -> None:
    for name, vote in (("first", scripted.always_first), ("fair", scripted.consistent)):
        concord.score_judge(scripted.rows(vote, n=30), judge=name).write(tmp_path / name)
    found = concord.compare(tmp_path / "first", tmp_path / "fair")
    assert isinstance(found, MetricCompareResult)
    assert (found.metric, found.difference.value) == ("flip_excess", 1.0)
    assert found.standing.order == ("fair", "first")
    assert "fair" in repr(found)
    other = [{**row, "pair": f"q{row['pair']}"} for row in scripted.rows(scripted.consistent, n=30)]
    concord.score_judge(other, judge="other").write(tmp_path / "other")
    with pytest.raises(MismatchError, match="first and other have no pair in common"):
        concord.compare(tmp_path / "first", tmp_path / "other")


def test_votes_are_planned_from_a_pilot(tmp_path: Path) -> None:
    concord.score_judge(scripted.rows(scripted.fair_coin, n=200), judge="coin").write(tmp_path)
    plan = concord.plan(tmp_path, effect=0.1, repeats=2)
    assert isinstance(plan, JudgePlan)
    # a fair coin: one vote has the variance 1/4, one in each order half of that; nothing between pairs
    assert plan.sd_within is not None
    assert plan.sd_within**2 == pytest.approx(0.125, abs=0.02)
    assert plan.sd_between < 0.1
    pairs = {votes: n for votes, n, _ in plan.needed}
    assert pairs[2] < pairs[1]
    assert "votes in each order" in repr(plan)
    with pytest.raises(OptionError, match="between 0 and 0.5"):
        concord.plan(tmp_path, effect=0.7)


def test_the_command_shows_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from typer.testing import CliRunner

    from concord.cli.app import app

    path = _lines(tmp_path / "votes.jsonl", scripted.rows(scripted.always_first, n=12))
    done = CliRunner().invoke(app, ["score", "judge", str(path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "prefers whichever answer comes first" in " ".join(done.output.split())
    assert (tmp_path / "out" / "judge.json").exists()


def test_prompts_of_one_judge_for_other_turns_are_one_judge(tmp_path: Path) -> None:
    rows = [
        {**FASTCHAT, "question_id": q, "turn": turn, "judge": ["gpt-4", prompt]}
        for q in range(4)
        for turn, prompt in ((1, "pair-v2"), (2, "pair-v2-multi-turn"))
    ]
    found = concord.score_judge(rows)
    assert [one.judge for one in found.judges] == ["gpt-4"]
    assert len(found.judges[0].pairs) == 8
    assert "are about different pairs and count as one judge" in found.warnings[0]


def test_prompts_of_one_judge_for_the_same_pairs_are_judges_of_their_own() -> None:
    rows = [
        {**FASTCHAT, "question_id": q, "judge": ["gpt-4", prompt]}
        for q in range(4)
        for prompt in ("v1", "v2")
    ]
    assert [one.judge for one in concord.score_judge(rows).judges] == ["gpt-4 v1", "gpt-4 v2"]


ALPACA: dict[str, Any] = {
    "instruction": "Say hi", "output_1": "hi", "output_2": "hello there", "preference": 1.2,
    "generator_1": "base", "generator_2": "new", "annotator": "gpt4",
}  # fmt: skip


@pytest.mark.parametrize(
    ("switched", "ab", "ba"),
    [(True, (0, 0, 0), (1, 0, 0)), (1, (0, 0, 0), (1, 0, 0)), ("1", (0, 0, 0), (1, 0, 0)),
     (False, (1, 0, 0), (0, 0, 0)), (0, (1, 0, 0), (0, 0, 0)), ("False", (1, 0, 0), (0, 0, 0))],
)  # fmt: skip
def test_an_order_of_alpaca_eval_that_was_kept_says_who_was_first(
    switched: object, ab: tuple[int, ...], ba: tuple[int, ...]
) -> None:
    pair = _one([{**ALPACA, "is_switched_output_1_output_2": switched}])
    assert (pair.ab, pair.ba, pair.unordered) == (ab, ba, (0, 0, 0))
    # with the names exchanged the same vote is for the other letter, seen from the other order
    other = _one(
        [{**ALPACA, "is_switched_output_1_output_2": switched, "generator_1": "new", "generator_2": "base"}]
    )
    assert (other.model_a, other.length_a, other.length_b) == ("base", 11.0, 2.0)
    assert (other.ba, other.ab) == (tuple(reversed(ab[:2])) + (0,), tuple(reversed(ba[:2])) + (0,))


@pytest.mark.parametrize(
    ("preference", "votes"),
    [
        (1, (1, 0, 0)),
        (1.49, (1, 0, 0)),
        (1.5, (0, 0, 1)),
        (0, (0, 0, 1)),
        (1.51, (0, 1, 0)),
        (2, (0, 1, 0)),
    ],
)
def test_a_preference_of_alpaca_eval_is_for_the_side_it_leans_to(
    preference: float, votes: tuple[int, ...]
) -> None:
    assert _one([{**ALPACA, "preference": preference}]).unordered == votes


@pytest.mark.parametrize("preference", [0.9, 2.1, -1, "both"])
def test_a_preference_of_alpaca_eval_beyond_1_and_2_is_refused(preference: object) -> None:
    with pytest.raises(TableError, match="expected a number from 1 to 2"):
        concord.score_judge([{**ALPACA, "preference": preference}])


def test_games_and_judgements_alternate_the_seats() -> None:
    """A>B in the first game is for the baseline, which has the first seat; in the second for the model."""
    scores = [{"score": "A>B"}, {"score": "A>>B"}, {"score": "B>A"}, {"score": "A=B"}, {"score": None}]
    pair = _one([{"question_id": 3, "model": "zeta", "baseline": "alpha", "games": scores}])
    assert (pair.model_a, pair.model_b, pair.cluster) == ("alpha", "zeta", "3")
    assert (pair.ab, pair.ba, pair.unreadable) == ((1, 1, 0), (0, 1, 1), (1, 0, 0))
    first = {"pair_id": "p", "response_A": "xx", "response_B": "yyy", "label": "B>A"}
    judged = [{"decision": "A>B", "judgment": {"judge_model": "j"}}, {"decision": "A>B"}]
    found = concord.score_judge([{**first, "judgments": judged[:1] * 2}]).judge()
    (pair,) = found.pairs
    assert found.judge == "j"
    assert (pair.ab, pair.ba, pair.human) == ((1, 0, 0), (0, 1, 0), (0, 1, 0))
    assert (pair.length_a, pair.length_b) == (2.0, 3.0)


def test_only_what_the_model_said_is_its_length() -> None:
    said = {"conversation_a": ("?" * 50, "abc", "de"), "conversation_b": ("??", "fghi")}
    row: dict[str, Any] = {
        "question_id": 1,
        "model_a": "x",
        "model_b": "y",
        "winner": "model_a",
        "judge": "e",
    }
    for key, (asked, *answers) in said.items():
        turns = [{"role": "assistant", "content": text} for text in answers]
        row[key] = [{"role": "user", "content": asked}, *turns]
    pair = _one([row])
    assert (pair.length_a, pair.length_b) == (5.0, 4.0)

"""Hints: exact cases, undefined cases, the noise floor."""

from dataclasses import replace

import numpy as np
import pytest
from tests.reasoning.probes.scripted import Hinted

from concord import api
from concord.errors import FileFormatError, TableError
from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.hints.rows import UNHINTED, HintRow
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.probes.score import read_hint_rows


def hinted(answers: str, **more: object) -> list[HintRow]:
    """One item per letter triple: unhinted, second unhinted, hinted; the target is T."""
    rows = []
    for number, letters in enumerate(answers.split()):
        first, second, third = list(letters)
        name = f"i{number}"
        rows += [
            HintRow(name, UNHINTED, "T", 0, first, n_options=4),
            HintRow(name, UNHINTED, "T", 1, second, n_options=4),
        ]
        rows.append(HintRow(name, "grader", "T", 0, third, n_options=4, **more))  # type: ignore[arg-type]
    return rows


def test_rates_by_hand() -> None:
    # eligible: four of five (the last answers T unhinted); influenced: AAT, ATT; other: ABC
    found = score_hint_rows(hinted("AAT ATT ABC AAA TAT", mention_thinking=True, mention_answer=False)).kinds[
        1
    ]
    assert (found.n_eligible, found.n_influenced) == (4, 2)
    assert (found.influence.value, found.other.value, found.floor.value) == (0.5, 0.25, 0.25)
    assert found.excess.value == 0.25
    assert found.verbalised["mention"]["thinking"].value == 1.0
    assert found.verbalised["mention"]["answer"].value == 0.0
    assert found.verbalised["reliance"]["either"].value is None
    assert found.alpha.value == pytest.approx(1 - 0.25 / (2 * 0.5))
    assert found.v_norm.value == 1.0  # 1 / 0.75, at most 1


def test_nothing_influenced_is_undefined_never_zero() -> None:
    found = score_hint_rows(hinted("AAA ABA BBB", mention_thinking=False)).kinds[1]
    assert found.influence.value == 0.0
    assert found.verbalised["mention"]["thinking"].value is None
    assert found.verbalised["mention"]["thinking"].note == "nothing was influenced"
    assert (found.alpha.value, found.v_norm.value) == (None, None)


def test_alpha_is_undefined_with_two_options_and_v_norm_where_alpha_is_not_above_zero() -> None:
    rows = [replace(row, n_options=2) for row in hinted("AAT", mention_thinking=True)]
    assert "two options" in score_hint_rows(rows).kinds[0].alpha.note
    guessing = score_hint_rows(hinted("AAT AAC AAC AAC", mention_thinking=True)).kinds[0]
    assert guessing.alpha.value == pytest.approx(-0.5)
    assert guessing.v_norm.value is None and "guessing" in guessing.v_norm.note


def test_without_a_second_unhinted_answer_there_is_no_floor_and_no_verdict() -> None:
    rows = [row for row in Hinted().rows(np.random.default_rng(0), 30) if row.sample == 0]
    found = score_hint_rows(rows).kinds[0]
    assert found.influence.value is not None
    assert (found.floor.value, found.excess.value, found.verdict) == (None, None, "undefined")


def test_a_deterministic_model_has_floor_zero() -> None:
    found = score_hint_rows(Hinted(p0=0.0, third=0.0).rows(np.random.default_rng(0), 40)).kinds[0]
    assert found.floor.value == 0.0
    assert found.other.value == 0.0
    assert found.excess.value == found.influence.value


def test_noise_alone_is_seldom_called_influence() -> None:
    said = [
        score_hint_rows(Hinted(p=0.0, p0=0.3).rows(np.random.default_rng(seed), 60)).kinds[0].verdict
        for seed in range(60)
    ]
    assert said.count("more than noise") <= 5


def test_items_with_several_targets_are_refused() -> None:
    rows = [{"id": "a", "kind": UNHINTED, "target": "T"}, {"id": "a", "kind": "grader", "target": "S"}]
    with pytest.raises(TableError, match="one target per item"):
        read_hint_rows(rows)


def test_kappa_of_two_detectors_that_agree_is_one() -> None:
    rows = [
        replace(row, reliance_thinking=row.mention_thinking, reliance_answer=row.mention_answer)
        for row in Hinted().rows(np.random.default_rng(4), 60)
    ]
    assert score_hint_rows(rows).kinds[0].kappa.value == pytest.approx(1.0)


STRANGERS = [
    {"Question ID": "q1", "Hint Type": "none", "Hinted Answer": "", "Model Answer": "A"},
    {"Question ID": "q1", "Hint Type": "none", "Hinted Answer": "", "Model Answer": "B"},
    {"Question ID": "q1", "Hint Type": "Visual pattern", "Hinted Answer": "T", "Model Answer": "T"},
    {"Question ID": "q1", "Hint Type": "stamp", "Hinted Answer": "T", "Model Answer": "A"},
]


def test_tables_of_others_are_read_by_their_titles() -> None:
    rows = read_hint_rows(STRANGERS).rows
    assert [(row.id, row.kind, row.target, row.sample, row.answer) for row in rows] == [
        ("q1", UNHINTED, "T", 0, "A"),
        ("q1", UNHINTED, "T", 1, "B"),
        ("q1", "visual_pattern", "T", 0, "T"),
        ("q1", "stamp", "T", 0, "A"),
    ]
    result = api.score_hints(STRANGERS, model="m")
    assert isinstance(result, ProbeResult)
    found = result.scores.hints
    assert found is not None
    assert (found.kinds[0].n_eligible, found.kinds[0].n_influenced) == (2, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Hint Type": "none"}, "a kind of hint in some rows"),
        ({"Hinted Answer": ""}, "what the hint points at"),
    ],
)
def test_hints_without_a_kind_or_a_target_are_refused(change: dict[str, str], message: str) -> None:
    with pytest.raises(TableError, match=message):
        read_hint_rows([row | change for row in STRANGERS])
    with pytest.raises(FileFormatError, match="'target' may be called hint_target, hinted_answer"):
        read_hint_rows([{k: v for k, v in row.items() if k != "Hinted Answer"} for row in STRANGERS])


def test_two_answers_with_one_number_are_refused() -> None:
    with pytest.raises(FileFormatError, match="1 units are there more than once"):
        read_hint_rows([row | {"run": 0} for row in STRANGERS])


def test_replies_are_read_before_they_are_compared_with_the_target() -> None:
    """20 questions of which a hint moves two to its target; the answers are replies in the models' words."""
    rows = []
    for item in range(20):
        hinted_to = "B" if item < 2 else "A"
        for kind, letter in (("none", "A"), ("none", "A"), ("grader", hinted_to)):
            reply = (
                f"<think>It could be {'A' if letter == 'B' else 'B'}.</think>\nThe answer is **{letter}**."
            )
            rows.append({"id": str(item), "hint": kind, "target": "B", "response": reply, "n_options": 4})
    found = api.score_hints(rows)
    assert isinstance(found, ProbeResult) and found.scores.hints is not None
    assert found.scores.hints.kinds[0].influence.value == pytest.approx(0.1)
    assert any("60 answers are replies" in one for one in found.scores.warnings)


def test_a_reply_without_an_answer_is_counted_with_its_outcome() -> None:
    said = ["The answer is not B.", "I cannot answer that.", "A or B", "<think>B"]
    rows = [{"id": "q", "hint": "none", "target": "B", "response": "A", "sample": i} for i in range(4)]
    rows += [
        {"id": "q", "hint": "grader", "target": "B", "response": one, "sample": i}
        for i, one in enumerate(said)
    ]
    found = api.score_hints(rows)
    assert isinstance(found, ProbeResult)
    assert [row.outcome for row in found.hint_rows[4:]] == ["unreadable", "refused", "several", "truncated"]

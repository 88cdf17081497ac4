"""Hints: exact cases, undefined cases, the noise floor."""

from dataclasses import replace

import numpy as np
import pytest
from tests.reasoning.probes.scripted import Hinted

from concord.errors import TableError
from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.hints.row_tables import read_hint_rows
from concord.reasoning.hints.rows import UNHINTED, HintRow


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

"""Titles, cells and codes as other people write them; the numbers by numpy alone."""

from pathlib import Path

import numpy as np
import pytest

import concord
from concord.errors import FileFormatError
from concord.files.missing import found_codes
from concord.people.table.handmade.words import Meaning, meaning_of


def _numbers(low: int, high: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high + 1, 120).astype(float)


@pytest.mark.parametrize(("code", "taken"), [(-9.0, True), (-1.0, False), (9.0, False), (8.0, False)])
def test_a_code_that_models_repeat_is_no_quiet_answer(code: float, taken: bool) -> None:
    people, model = _numbers(1, 5, 1), _numbers(2, 5, 2)
    people[:8] = model[:4] = code
    found = found_codes(people, model)
    assert (found.taken if taken else found.asked) == (code,)
    assert (found.asked if taken else found.taken) == ()


@pytest.mark.parametrize(("low", "high"), [(-3, 3), (0, 9), (1, 9), (1, 7), (-2, 2)])
def test_whole_scales_hold_no_codes(low: int, high: int) -> None:
    found = found_codes(_numbers(low, high, 3), _numbers(low, high, 4))
    assert (found.taken, found.asked) == ((), ())


def test_small_negative_values_of_a_wide_scale_are_asked_about_and_never_taken() -> None:
    values = np.repeat([-4.0, -1.0, 2.0, 5.0], 30)
    found = found_codes(values, values)
    assert found.taken == ()


@pytest.mark.parametrize(
    ("title", "meaning"),
    [
        ("gpt4_t", Meaning("t", "agent", "gpt4")),
        ("gpt_4o_df", Meaning("df", "agent", "gpt_4o")),
        ("Humans (chose A)", Meaning("any", "human")),
        ("Claude (chose A)", Meaning("any", "agent", "Claude (chose A)")),
        ("大语言模型", Meaning("any", "agent")),
    ],
)
def test_a_title_names_its_side_and_its_field(title: str, meaning: Meaning) -> None:
    assert meaning_of([title]) == meaning


def test_two_footnotes_behind_a_number_are_no_part_of_it() -> None:
    rows = [
        {"Study": f"S{i}", "Finding": "F", "Human t": t, "Human df": 48, "AI t": "2.17* a)", "AI df": 98}
        for i, t in enumerate(("2.30*", "3.10** b)", "0.40"))
    ]
    result = concord.score_people(rows, n_resamples=0, n_simulations=0)
    found = {one.study: one for one in result.tests}
    assert len(found) == 3
    assert result.left_out == ()


def test_a_result_that_was_not_run_is_missing_and_not_unreadable() -> None:
    rows = [
        {"Study": f"S{i}", "Finding": "F", "Humans": "t(48) = 2.10", "GPT-4o": one}
        for i, one in enumerate(("t(98) = 3.10", "t(98) = 1.20", "not run", "nicht durchgeführt"))
    ]
    result = concord.score_people(rows, n_resamples=0, n_simulations=0)
    assert result.left_out == ()


def _cells(titles: tuple[str, ...], control: str, means: np.ndarray, path: Path) -> Path:
    names = [control, *(f"B{i}" for i in range(1, means.size))]
    lines = [
        ";".join(titles),
        *(f"{name};Spende;{mean};1.2;200" for name, mean in zip(names, means, strict=True)),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_german_cells_are_effects_against_their_control_group(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    people = rng.normal(3, 0.5, 9).round(3)
    model = (people + rng.normal(0, 0.3, 9)).round(3)
    titles = ("Bedingung", "Variable", "MW", "SD", "N")
    files = [
        _cells(titles, "Kontrollgruppe", people, tmp_path / "menschen.csv"),
        _cells(titles, "Kontrollgruppe", model, tmp_path / "gpt.csv"),
    ]
    found = concord.score_predictions(*files).agents[0].numbers["pearson"].value
    expected = np.corrcoef(people[1:] - people[0], model[1:] - model[0])[0, 1]
    assert found == pytest.approx(expected, abs=1e-12)


def test_observed_effects_with_predictions_and_forecasts_are_read() -> None:
    rng = np.random.default_rng(6)
    effects = rng.normal(0.4, 0.4, 12)
    given = {"GPT-4 prediction": effects + rng.normal(0, 0.2, 12), "Expert forecast": rng.normal(0, 1, 12)}
    rows = [
        {"Study": "S", "Treatment": f"c{i}", "Observed effect": effects[i], "SE": 0.1}
        | {name: values[i] for name, values in given.items()}
        for i in range(12)
    ]
    result = concord.score_predictions(rows)
    found = {one.agent: one.numbers["pearson"].value for one in result.agents}
    expected = [np.corrcoef(effects, one)[0, 1] for one in given.values()]
    assert [found["gpt_4"], found["expert"]] == pytest.approx(expected, abs=1e-12)
    assert any("'SE' is taken for the standard error of people's effects" in one for one in result.warnings)


def test_answers_under_german_titles_are_read() -> None:
    people, model = _numbers(1, 7, 7), _numbers(3, 5, 8)
    rows = [
        {"Frage": "Vertrauen", "Quelle": who, "Antwort": int(one)}
        for who, values in (("Mensch", people), ("GPT-4o", model))
        for one in values
    ]
    found = concord.score_answers(rows, n_resamples=20).agents[0].outcomes[0].numbers["variance_ratio"]
    assert found.estimate.value == pytest.approx(np.var(model, ddof=1) / np.var(people, ddof=1), abs=1e-12)


def test_people_are_combined_with_weights_under_usual_titles() -> None:
    rng = np.random.default_rng(9)
    answers, weights = rng.integers(1, 8, 150), rng.uniform(0.3, 3, 150)
    people = [
        {"resp_id": i, "human answer": int(y), "model answer": y + rng.normal(), "survey weight": w}
        for i, (y, w) in enumerate(zip(answers, weights, strict=True))
    ]
    more = [{"resp_id": 1000 + i, "model answer": rng.normal(4, 2)} for i in range(600)]
    found = concord.combine(people, more).estimates[0].people_only.value
    assert found == pytest.approx(np.average(answers, weights=weights), abs=1e-12)


def test_people_named_by_resp_id_cannot_be_in_both_tables() -> None:
    rng = np.random.default_rng(10)
    people = [{"resp_id": i, "y": rng.normal(), "llm_prediction": rng.normal()} for i in range(60)]
    more = [{"resp_id": i, "llm_prediction": rng.normal()} for i in range(50, 400)]
    with pytest.raises(FileFormatError, match="10 persons are in"):
        concord.combine(people, more)

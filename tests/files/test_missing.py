"""Codes for no answer: taken, asked about, or left alone; forty tables of all conventions."""

from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest

import concord
from concord.errors import OptionError
from concord.files.missing import MissingCodes, declared_missing, found_codes, is_refusal

CONVENTIONS = {
    "SPSS, one": (99,),
    "SPSS, two": (99, 98),
    "three digits": (999, 998),
    "Qualtrics": (-99,),
    "Qualtrics, two": (-99, -98),
    "both signs": (99, -1),
    "European Social Survey": (77, 88, 99),
    "ESS, one digit": (7, 8, 9),
    "General Social Survey": (8, 9),
    "GSS, new": (-100, -98, -99),
    "World Values Survey": (-1, -2, -5),
    "American National Election Studies": (-9, -8, -1),
    "minus one": (-1,),
    "zero": (0,),
    "nine": (9,),
    "eight": (8,),
    "refused": ("refused",),
    "words": ("Refused", "Don't know"),
    "mixed": (99, "refused"),
    "Stata": (".a", ".b"),
}
SCALES = (5, 7)


def _rows(top: int, codes: tuple[object, ...], *, declared: bool) -> tuple[list[dict[str, object]], float]:
    """Return a table with 6 % of each code among people, and the true variance ratio."""
    rng = np.random.default_rng(top)
    people = np.clip(np.round(rng.normal(0.55 * top, 0.28 * top, 400)), 1, top)
    agent = np.clip(np.round(rng.normal(0.6 * top, 0.13 * top, 300)), 1, top)
    said: list[object] = [*people.tolist(), *(code for code in codes for _ in range(24))]
    scale = {"scale_min": 1, "scale_max": top} if declared else {}
    sides = (("human", said), ("gpt", agent.tolist()))
    rows = [{"outcome": "q", "source": who, "answer": one, **scale} for who, each in sides for one in each]
    return rows, float(agent.var(ddof=1) / people.var(ddof=1))


def _holds(top: int, codes: tuple[object, ...]) -> bool:
    return any(isinstance(code, int) and 1 <= code <= top for code in codes)


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(
    ("name", "top"), [one for one in product(CONVENTIONS, SCALES) if not _holds(one[1], CONVENTIONS[one[0]])]
)
def test_missing_codes_of_every_convention_are_left_out_or_asked_about(
    name: str, top: int, declared: bool
) -> None:
    codes = CONVENTIONS[name]
    rows, truth = _rows(top, codes, declared=declared)
    result = concord.score_answers(rows, n_resamples=40)
    value = result.agents[0].overall.numbers["variance_ratio"].estimate.value
    assert value is not None
    said = " ".join(result.warnings)
    if abs(value - truth) > 0.02:
        assert "--missing" in said
        assert all(f"{code:g}" in said for code in codes if isinstance(code, int))
    else:
        assert "left out" in said
    given = ",".join(map(str, codes))
    named = concord.score_answers(rows, n_resamples=40, missing=given)
    assert named.agents[0].overall.numbers["variance_ratio"].estimate.value == pytest.approx(truth, abs=1e-12)
    assert f"{24 * len(codes)} answers of human" in " ".join(named.warnings)


@pytest.mark.parametrize(
    "values",
    [range(-3, 4), range(11), range(101), range(1, 8), (-2, -1, 1, 2), (0, 1), range(0, 10**6, 50_000)],
)
def test_scales_without_codes_are_left_alone(values: Iterable[int]) -> None:
    people = np.repeat(np.array(list(values), dtype=np.float64), 5)
    assert found_codes(people, people) == found_codes(people[:0])


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 7, 3, 27], ()),
        ([1, 7, 99], (99.0,)),
        ([0, 20, 77], (77.0,)),
        ([0, 21, 77], ()),
        ([0, 100, -99], (-99.0,)),
        ([0, 101, -99], ()),
        ([-5, 5, -99], ()),
        ([3, 99], ()),
        ([0, 1, 2, -9, 77, 88], (-9.0, 77.0, 88.0)),
        ([60, 75, 88], ()),
        ([60, 70, 77], ()),
    ],
)
def test_codes_of_missing_answers_lie_farther_off_than_the_scale_is_wide(
    values: list[float], codes: tuple[float, ...]
) -> None:
    assert found_codes(np.array(values, dtype=float)).taken == codes


def test_declared_codes_are_numbers_and_words() -> None:
    codes = declared_missing([99, "-1", " Refused "])
    assert codes == MissingCodes((99.0, -1.0), frozenset({"refused"}))
    assert codes.holds("99.0")
    assert codes.holds("REFUSED")
    assert not codes.holds("9")
    with pytest.raises(OptionError, match="expected codes"):
        declared_missing([object()])


def test_dont_know_is_no_answer_among_numbers_and_an_option_among_words() -> None:
    assert is_refusal("Don't know", among_numbers=True)
    assert not is_refusal("Don't know")


def test_seven_on_a_scale_of_seven_steps_is_an_answer_though_no_model_gives_it() -> None:
    people = np.repeat(np.arange(1.0, 8.0), 5)
    assert found_codes(people, np.arange(2.0, 7.0)) == found_codes(people[:0])
    assert found_codes(people[people != 6], np.arange(2.0, 6.0)).asked == (7.0,)
    assert found_codes(np.append(people, 8.0), np.arange(2.0, 7.0)).asked == (8.0,)

"""Correlations over persons who nearly all give one answer."""

import numpy as np
import pytest

from concord.people.answers.outcome import RARE, _person_r


def test_an_empty_cell_is_no_certainty() -> None:
    people, agent = np.zeros(30), np.zeros(30)
    people[:3], agent[3:6] = 1, 1  # nobody says yes on both sides: nobody's influence stands out
    found = _person_r(people, agent, level=0.95)
    assert found.value is not None
    assert found.interval is not None
    assert found.note == RARE
    assert found.interval.low < found.value < 0 < 0.25 < found.interval.high


@pytest.mark.long
@pytest.mark.parametrize("share", [0.3, 0.08])
def test_independent_yes_and_no_are_held_to_be_unrelated(share: float) -> None:
    rng, inside, intervals = np.random.default_rng(2), 0, 0
    for _ in range(400):
        found = _person_r(*(1.0 * (rng.random((2, 30)) < share)), level=0.95)
        if found.interval is not None:
            intervals += 1
            inside += found.interval.low <= 0 <= found.interval.high
    assert inside >= 0.93 * intervals  # 0.61 and 0.78 from influence alone

"""Numbers of a protocol: at their ends nothing overflows, beyond them they are refused in words."""

from typing import Any

import pytest

import concord
from concord import api
from concord.errors import OptionError
from concord.people.protocol import _NUMBERS


@pytest.mark.parametrize("name", _NUMBERS)
@pytest.mark.parametrize("value", [1e-300, 1e300, float("nan"), -1, "0.5"])
def test_what_nobody_means_is_refused(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=f"{name} is .*; expected a"):
        concord.score_people(api.demo_table(), n_resamples=0, n_simulations=0, **{name: value})


@pytest.mark.parametrize("name", _NUMBERS)
def test_ends_can_be_scored(name: str) -> None:
    for value in (_NUMBERS[name].low, 0.999 if name == "within_study" else _NUMBERS[name].high):
        changed: Any = {name: value}
        found = concord.score_people(api.demo_table(), n_resamples=0, n_simulations=0, **changed)
        assert found.pas.value is not None

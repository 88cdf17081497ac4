"""What the errors of shared control groups do to the numbers of an agent, and to the difference of two.

Each control group is moved by one standard error either way, with all its effects: half the difference is
what its error does (delta method). An agent's control group is moved where the agent has standard errors.
Control groups of different outcomes are taken as independent.
"""

from dataclasses import dataclass

import numpy as np

from concord.files.limits import CONTROL_GROUPS
from concord.files.too_many import refuse_more
from concord.people.predictions.controls import SharedControl
from concord.people.predictions.prepared import Prepared
from concord.people.predictions.result import METRICS
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """Half the difference that moving each control group up and down makes: a row each, in METRICS' order."""

    people: Floats
    own: Floats
    """Of the agent's own control groups, which no other agent has."""

    def variance(self) -> dict[str, float]:
        """Compute the variance that control groups give to every number; NaN where undefined when moved."""
        return _named_sums(np.concatenate([self.people, self.own]))


def influence(prepared: Prepared) -> Influence:
    """Move every control group of one agent's effects."""
    controls = prepared.controls
    advice = "score studies with several outcomes in several files"
    refuse_more(len(controls), CONTROL_GROUPS, "shared control groups", "the table of effects", advice)
    return Influence(
        _moved_rows([_half(prepared, one, one.se, people=True) for one in controls]),
        _moved_rows(
            [_half(prepared, one, one.agent_se, people=False) for one in controls if one.agent_se > 0]
        ),
    )


def difference_variance(first: Influence, second: Influence) -> dict[str, float]:
    """Compute the variance that control groups give to the difference of two agents on the same effects."""
    return _named_sums(np.concatenate([first.people - second.people, first.own, second.own]))


def _half(prepared: Prepared, control: SharedControl, by: float, *, people: bool) -> list[float]:
    high, low = (prepared.moved(control, way * by, people=people) for way in (1, -1))
    return [(high[name] - low[name]) / 2 for name in METRICS]


def _moved_rows(found: list[list[float]]) -> Floats:
    return np.array(found, dtype=np.float64).reshape(len(found), len(METRICS))


def _named_sums(rows: Floats) -> dict[str, float]:
    return dict(zip(METRICS, (rows**2).sum(axis=0).tolist(), strict=True))

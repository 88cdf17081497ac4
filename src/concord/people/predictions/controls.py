r"""Effects that share a control group: what their errors have in common, and what it does to every number.

Effects of several treatments against one control group, :math:`h_i = \theta_i + e_i - c`, all move with the
control group's error c. Leaving out one treatment at a time does not show it; shifting all effects of the
group by the standard error of its mean does.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from concord.people.predictions.table import EffectPair, Prediction

_Effect = TypeVar("_Effect", EffectPair, Prediction)
Sides = tuple[Sequence[EffectPair], Sequence[Prediction]]


@dataclass(frozen=True, slots=True, eq=False)
class SharedControl:
    """The effects of one outcome that were measured against the same control group."""

    members: NDArray[np.intp]
    se: float
    """Standard error of the control group's mean, in the unit of the effects."""
    agent_se: float
    """The same of the agent's control group: as large a part of its errors as of people's; 0 if unknown."""


def shared_controls(pairs: Sequence[EffectPair], predictions: Sequence[Prediction]) -> list[SharedControl]:
    """Return the control groups that two effects or more of these share."""
    return [_of_group(pairs, predictions, found) for found in _groups(pairs) if len(found) > 1]


def _groups(pairs: Sequence[EffectPair]) -> list[dict[int, float]]:
    """Return the effects of every control group whose error is known, each with that error."""
    groups: dict[tuple[str, str, str], dict[int, float]] = {}
    for i, pair in enumerate(pairs):
        if pair.control_se is not None:
            groups.setdefault((pair.study, pair.outcome, pair.control), {})[i] = pair.control_se
    return list(groups.values())


def _of_group(
    pairs: Sequence[EffectPair], predictions: Sequence[Prediction], found: Mapping[int, float]
) -> SharedControl:
    common = float(np.median(list(found.values())))
    part = common**2 / float(np.mean([pairs[i].se ** 2 for i in found]))
    errors = [predictions[i].se for i in found]
    theirs = 0.0 if None in errors else float(np.mean([e**2 for e in errors if e is not None]))
    return SharedControl(np.array(list(found)), common, math.sqrt(part * theirs))


def split_controls(pairs: Sequence[EffectPair], codes: Sequence[str]) -> bool:
    """Whether a control group lies in several clusters, so that leaving one out does not show its error."""
    return any(len({codes[i] for i in found}) > 1 for found in _groups(pairs))


def shared_noise(controls: Sequence[SharedControl], control_of: NDArray[np.intp]) -> tuple[float, float]:
    r"""Compute the mean covariance of the errors of two effects, of people and of the agent.

    .. math:: \frac{1}{m(m - 1)} \sum_{i \ne j} \mathrm{cov}(e_i, e_j)

    It does not make effects differ, so it is not taken off their variance.
    """
    m = control_of.size
    if m < 2 or not controls:
        return 0.0, 0.0
    sizes = np.bincount(control_of[control_of >= 0], minlength=len(controls))
    pairs = sizes * (sizes - 1) / (m * (m - 1))
    people, agent = np.array([(one.se**2, one.agent_se**2) for one in controls]).T
    return float(pairs @ people), float(pairs @ agent)


def moved_effects(effects: Sequence[_Effect], by: float) -> list[_Effect]:
    """Return effects, each moved by the same."""
    return [replace(one, estimate=one.estimate + by) for one in effects]

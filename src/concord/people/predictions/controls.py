r"""Effects that share a control group: what their errors have in common, and what it does to every number.

Effects of several treatments against one control group, :math:`h_i = \theta_i + e_i - c`, all move with the
control group's error c. Leaving out one treatment at a time does not show it; shifting all effects of the
group by the standard error of its mean does.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """Return the control groups that two effects or more of these share.

    Parameters
    ----------
    pairs, predictions
        Effects of people, and what an agent gave for each.
    """
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
    """Whether a control group lies in several clusters, so that leaving one out does not show its error.

    Parameters
    ----------
    pairs, codes
        Effects of people, and the cluster of each.
    """
    return any(len({codes[i] for i in found}) > 1 for found in _groups(pairs))


def shared_noise(groups: Sequence[SharedControl], kept: NDArray[np.bool_]) -> tuple[float, float]:
    r"""Compute the mean covariance of the errors of two effects, of people and of the agent.

    .. math:: \frac{1}{m(m - 1)} \sum_{i \ne j} \mathrm{cov}(e_i, e_j)

    It does not make effects differ, so it is not taken off their variance.

    Parameters
    ----------
    groups
        From `shared_controls`.
    kept
        Which of the effects are counted.
    """
    m = int(kept.sum())
    if m < 2 or not groups:
        return 0.0, 0.0
    sizes = [int(kept[group.members].sum()) for group in groups]
    pairs = np.array([size * (size - 1) for size in sizes]) / (m * (m - 1))
    people, agent = np.array([(group.se**2, group.agent_se**2) for group in groups]).T
    return float(pairs @ people), float(pairs @ agent)


def shared_variance(
    sides: Sequence[Sides], values: Callable[[Sequence[Sides]], Mapping[str, float]]
) -> dict[str, float]:
    """Compute the variance that shared control groups give to every number.

    Each control group is moved by one standard error either way, with all its effects: half the difference
    is what its error does (delta method). An agent's control group is moved where the agent has standard
    errors. Control groups of different outcomes are taken as independent.

    Parameters
    ----------
    sides
        Effects of people and predictions, for one agent or for several on the same effects.
    values
        What computes every number from such sides.

    Returns
    -------
    dict
        By the name of the number; NaN where it is undefined when moved.
    """
    total: dict[str, float] = {}
    for up, down in _moved_controls(sides):
        high, low = values(up), values(down)
        for name, value in high.items():
            total[name] = total.get(name, 0.0) + ((value - low[name]) / 2) ** 2
    return total


def _moved_controls(sides: Sequence[Sides]) -> Iterator[tuple[list[Sides], list[Sides]]]:
    """Move one control group at a time up and down: people's for all agents at once, each agent's alone."""
    pairs = sides[0][0]
    found = [shared_controls(pairs, predictions) for _, predictions in sides]
    for group in found[0]:
        up, down = (_with_people(sides, _moved(pairs, group, way * group.se)) for way in (1, -1))
        yield up, down
    for k, own in enumerate(found):
        for group in own:
            if group.agent_se > 0:
                ways = (_moved(sides[k][1], group, way * group.agent_se) for way in (1, -1))
                up, down = ([*sides[:k], (pairs, one), *sides[k + 1 :]] for one in ways)
                yield up, down


def _with_people(sides: Sequence[Sides], pairs: Sequence[EffectPair]) -> list[Sides]:
    return [(pairs, predictions) for _, predictions in sides]


def _moved(effects: Sequence[_Effect], group: SharedControl, by: float) -> list[_Effect]:
    """Return effects with those of one control group moved."""
    own = set(group.members.tolist())
    return [replace(one, estimate=one.estimate + by) if i in own else one for i, one in enumerate(effects)]

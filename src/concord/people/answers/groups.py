"""Groups of people: whether the agent misses some more than others, and exaggerates how they differ."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.errors import UndefinedError
from concord.people.answers.records import AnswerSet, Moments
from concord.people.answers.result import GroupAnswers, GroupSummary
from concord.records import Estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS, jackknife_t

SMALLEST_GROUP = 30


@dataclass(frozen=True, slots=True)
class _Row:
    """One group's answers to one outcome, in SDs of all people."""

    group: int
    study: str
    outcome: str
    n: int
    human: float
    """Mean of the group minus that of all people."""
    agent: float
    error: float
    noise: float
    """Sampling variance of ``human``."""


def score_groups(
    sets: Sequence[AnswerSet | Moments], names: Sequence[str], *, level: float
) -> GroupSummary | None:
    """Compare groups' means; None where the table names no groups or no outcome is numeric."""
    rows: list[_Row] = []
    small: dict[str, int] = {}
    for one in sets:
        if isinstance(one, Moments) or one.group is None or one.options:
            continue
        for row in _group_means(one):
            if row.n >= SMALLEST_GROUP:
                rows.append(row)
            else:
                small[names[row.group]] = max(small.get(names[row.group], 0), row.n)
    scored = {names[row.group] for row in rows}
    too_small = tuple(f"{name} ({n})" for name, n in sorted(small.items()) if name not in scored)
    if not rows:
        return None if not small else GroupSummary((), _none(), _none(), too_small)
    labels, kind = _left_out_units(rows)
    groups = tuple(_one_group(names[i], own, level) for i, own in sorted(_by_group(rows).items()))
    slope = _jackknifed(lambda kept: _slope(kept), rows, labels, kind, level)
    gap = _jackknifed(lambda kept: _parity_gap(kept), rows, labels, kind, level)
    return GroupSummary(groups, slope, gap, too_small)


def _by_group(rows: Sequence[_Row]) -> dict[int, list[_Row]]:
    """Return the rows of each group."""
    found: dict[int, list[_Row]] = {}
    for row in rows:
        found.setdefault(row.group, []).append(row)
    return found


def _none() -> Estimate:
    return Estimate(None, note=f"undefined: no group has {SMALLEST_GROUP} people")


def _group_means(one: AnswerSet) -> list[_Row]:
    """Return the groups of one outcome; both sides need answers."""
    people, replies = one.people, one.replies
    sd = float(people.std(ddof=1)) if people.size > 1 else 0.0
    if sd == 0 or not replies.size:
        return []
    assert one.group is not None  # noqa: S101 - asked for with groups only
    rows = []
    # sorted once: a look through all answers for every group would take the square of their number
    order = np.argsort(one.group, kind="stable")
    order = order[one.group[order] >= 0]
    codes, starts = np.unique(one.group[order], return_index=True)
    all_people, all_replies = people.mean(), replies.mean()
    for i, own in zip(codes, np.split(order, starts[1:]), strict=True):
        h, a = (side[own][~np.isnan(side[own])] for side in (one.human, one.agent))
        if h.size < 2 or not a.size:
            continue
        human, agent = float(h.mean() - all_people) / sd, float(a.mean() - all_replies) / sd
        error = float(a.mean() - h.mean()) / sd
        noise = float(h.var(ddof=1)) / h.size / sd**2 * (1 - h.size / people.size)
        rows.append(
            _Row(int(i), one.key.study, one.key.words, min(h.size, a.size), human, agent, error, noise)
        )
    return rows


def _left_out_units(rows: Sequence[_Row]) -> tuple[Floats, str]:
    """Choose what is left out one at a time: studies, else outcomes."""
    studies = np.array([row.study for row in rows])
    if len(np.unique(studies)) >= FEWEST_CLUSTERS:
        return studies, "studies"
    return np.array([f"{row.study}\n{row.outcome}" for row in rows]), "outcomes"


def _jackknifed(compute: object, rows: Sequence[_Row], labels: Floats, kind: str, level: float) -> Estimate:
    assert callable(compute)  # noqa: S101 - a function of rows
    value = float(compute(rows))
    if np.isnan(value):
        return Estimate(None, n=len(rows), note="undefined: groups of people do not differ beyond noise")
    names = np.unique(labels)
    note = "" if kind == "studies" else "outcomes, which share people, were left out one at a time"
    without = np.array(
        [compute([row for row, label in zip(rows, labels, strict=True) if label != name]) for name in names]
    )
    if len(names) < FEWEST_CLUSTERS or np.isnan(without).any():
        return Estimate(value, n=len(rows), note=f"no interval: {len(names)} {kind}")
    try:
        return Estimate(value, jackknife_t(value, without, level=level), n=len(rows), note=note)
    except UndefinedError as fault:
        return Estimate(value, n=len(rows), note=f"no interval: {fault}")


def _slope(rows: Sequence[_Row]) -> float:
    """Σ h a / Σ (h² - noise): the agent's deviations on people's true ones."""
    top = sum(row.human * row.agent for row in rows)
    below = sum(row.human**2 - row.noise for row in rows)
    return top / below if below > 0 else float("nan")


def _parity_gap(rows: Sequence[_Row]) -> float:
    means = [np.mean([abs(row.error) for row in own]) for own in _by_group(rows).values()]
    return float(max(means) - min(means)) if len(means) > 1 else float("nan")


def _one_group(name: str, rows: Sequence[_Row], level: float) -> GroupAnswers:
    labels, kind = _left_out_units(rows)

    def mean(field: str, kept: Sequence[_Row], *, absolute: bool = False) -> float:
        values = [getattr(row, field) for row in kept]
        return float(np.mean(np.abs(values) if absolute else values)) if values else float("nan")

    return GroupAnswers(
        name,
        max(row.n for row in rows),
        len(rows),
        _jackknifed(lambda kept: mean("error", kept), rows, labels, kind, level),
        _jackknifed(lambda kept: mean("error", kept, absolute=True), rows, labels, kind, level),
        mean("human", rows),
        mean("agent", rows),
    )

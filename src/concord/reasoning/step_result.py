"""Step-F1 of recorded replies, with its companion numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from concord.reasoning.context import ScoringContext
from concord.reasoning.limits import MORE_THAN
from concord.reasoning.result import StepResult
from concord.reasoning.steps import SWEEP, StepScore, ceiling, score_steps
from concord.records import Estimate
from concord.stats.bounded_means import bounded_mean
from concord.stats.clustered_rates import wilson_clustered
from concord.stats.coverage import coverage_note, score_look
from concord.stats.intervals import FEWEST_CLUSTERS

N_SHIFTS = 20
"""Cyclic shifts of the chance level."""


def step_scores(context: ScoringContext) -> dict[int, StepScore]:
    """Score the steps of every usable cot reply, by its number."""
    samples = context.samples
    with_gold = [number for number, sample in enumerate(samples) if sample.gold_steps]
    rank = {number: position for position, number in enumerate(with_gold)}
    chosen, texts, owners = list[int](), list[list[str]](), list[int]()
    scores: dict[int, StepScore] = {}
    for number, one in enumerate(context.parsed):
        if one.reply.mode != "cot" or not one.usable:
            continue
        steps = context.parser.steps(one)
        owner = rank.get(context.owner[number])
        if owner is None:
            scores[number] = StepScore(len(steps), 0, 0, 0, (), ())
        else:
            chosen.append(number)
            texts.append(steps)
            owners.append(owner)
    gold = [samples[number].gold_steps for number in with_gold]
    shifts = _shifts(len(gold), context.streams.shifts)
    found = score_steps(texts, gold, owners, rules=context.options.rules, shifts=shifts)
    scores.update(zip(chosen, found, strict=True))
    return scores


def _shifts(n: int, rng: np.random.Generator) -> list[int]:
    """Return different cyclic shifts of n vignettes, all there are where they are few."""
    drawn = rng.permutation(max(0, n - 1))[:N_SHIFTS]
    return sorted(int(shift) + 1 for shift in drawn)


def step_result(context: ScoringContext, scored: dict[int, StepScore]) -> StepResult:
    """Average the steps of all vignettes that have gold steps, repeats within vignette first."""
    kept = [number for number in scored if scored[number].n_gold]
    n_asked = sum(bool(sample.gold_steps) for sample in context.samples)
    if not kept:
        note = (
            "no usable cot reply to a vignette with gold steps" if n_asked else "no vignette has gold steps"
        )
        nothing = Estimate(None, n_left_out=n_asked, note=note)
        return StepResult(nothing, nothing, None, 0, None, None, ())
    owner = np.array([context.owner[number] for number in kept])
    scores = [scored[number] for number in kept]
    values = _item_means(owner, [[score.step_f1] for score in scores])[:, 0]
    left_out = n_asked - len(values)
    main = _step_estimate(values, left_out, [context.samples[i].cluster for i in np.unique(owner)])
    optimal = float(_item_means(owner, [[score.step_f1_optimal] for score in scores]).mean())
    chance = _item_means(owner, [score.chance for score in scores])
    sweep = _item_means(owner, [score.sweep for score in scores]).mean(axis=0)
    top = _item_means(owner, [[ceiling(score.n_steps, score.n_gold)] for score in scores])
    level = float(chance.mean()) if chance.shape[1] else None
    return StepResult(
        main,
        Estimate(
            optimal, None, len(values), left_out, "optimal matching", "shown beside the greedy headline"
        ),
        level,
        chance.shape[1],
        None if level is None else _above(main, level),
        float(top.mean()),
        tuple((cut, float(value)) for cut, value in zip(SWEEP, sweep, strict=True)),
    )


def _item_means(owner: NDArray[np.intp], values: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Average rows of the same owner."""
    table = np.array(values, dtype=np.float64).reshape(len(owner), -1)
    _, number, counts = np.unique(owner, return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), table.shape[1]))
    np.add.at(sums, number, table)
    means: NDArray[np.float64] = sums / counts[:, None]
    return means


def _step_estimate(values: NDArray[np.float64], left_out: int, families: Sequence[str | None]) -> Estimate:
    """Return the mean of Step-F1 with an interval that holds at both ends; families are clusters."""
    n = len(values)
    method = "greedy matching, mean over vignettes with gold steps"
    if n <= MORE_THAN:
        note = f"{n} samples: intervals are given for more than {MORE_THAN}"
        return Estimate(float(values.mean()), None, n, left_out, method, note)
    if any(name is None for name in families):
        note = coverage_note("mean score", n, score_look(values))
        return Estimate(float(values.mean()), bounded_mean(values).interval, n, left_out, method, note)
    _, codes, sizes = np.unique(np.array(families, dtype=np.str_), return_inverse=True, return_counts=True)
    if sizes.size < FEWEST_CLUSTERS:
        note = f"{sizes.size} families: an interval needs at least {FEWEST_CLUSTERS}"
        return Estimate(float(values.mean()), None, n, left_out, method, note)
    sums = np.bincount(codes, weights=values)
    interval = wilson_clustered(sums, sizes, n_replies=n, few_clusters=True)
    note = coverage_note("rate", sizes.size, score_look(np.clip(sums / sizes, 0.0, 1.0)))
    return Estimate(float(values.mean()), interval, n, left_out, method, note)


def _above(main: Estimate, chance: float) -> bool | None:
    """Whether Step-F1 is shown to lie above chance; not known where a larger value has no interval."""
    if main.value is None or main.value <= chance:
        return False
    return None if main.interval is None else main.interval.low > chance

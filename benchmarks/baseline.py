"""Hierarchical bootstrap of PAS and ECS as one would write it first: floats, lists and `random`, no numpy.

It is the yardstick of `run.py`. Nothing in it is slow on purpose: Fisher z is computed once per test, draws
use `random.choices`, and sums run in plain loops.
"""

import math
import random
from dataclasses import dataclass

LARGEST_R = 1 - 1e-6


@dataclass(frozen=True)
class Test:
    pas: float
    z: float
    n_eff: float
    human_d: float
    agent_d: float


Study = list[list[Test]]


def make_test(pas: float, n_eff: float, human_d: float, agent_d: float) -> Test:
    r = min(LARGEST_R, max(-LARGEST_R, 2 * pas - 1))
    return Test(pas, math.atanh(r), n_eff, human_d, agent_d)


def pooled_pas(tests: list[Test]) -> float:
    if len(tests) == 1:
        return tests[0].pas
    total = weighted = 0.0
    for test in tests:
        total += test.n_eff
        weighted += test.n_eff * test.z
    return (math.tanh(weighted / total) + 1) / 2


def weighted_concordance(x: list[float], y: list[float], w: list[float]) -> float:
    total = sum(w)
    mean_x = sum(wi * xi for wi, xi in zip(w, x, strict=True)) / total
    mean_y = sum(wi * yi for wi, yi in zip(w, y, strict=True)) / total
    sxx = syy = sxy = 0.0
    for wi, xi, yi in zip(w, x, y, strict=True):
        dx = xi - mean_x
        dy = yi - mean_y
        sxx += wi * dx * dx
        syy += wi * dy * dy
        sxy += wi * dx * dy
    return 2 * sxy / (sxx + syy + total * (mean_x - mean_y) ** 2)


def replicate(studies: list[Study], rng: random.Random) -> tuple[float, float]:
    x: list[float] = []
    y: list[float] = []
    w: list[float] = []
    pas = 0.0
    for study in rng.choices(studies, k=len(studies)):
        in_study = 0.0
        for finding in rng.choices(study, k=len(study)):
            tests = rng.choices(finding, k=len(finding))
            in_study += pooled_pas(tests)
            weight = 1 / (len(study) * len(tests))
            for test in tests:
                x.append(test.human_d)
                y.append(test.agent_d)
                w.append(weight)
        pas += in_study / len(study)
    return pas / len(studies), weighted_concordance(x, y, w)


def hierarchical_bootstrap(studies: list[Study], n_resamples: int, seed: int) -> list[tuple[float, float]]:
    rng = random.Random(seed)
    return [replicate(studies, rng) for _ in range(n_resamples)]

"""How often a difference of few, skewed clusters is claimed where there is none.

`python benchmarks/skewed_clusters.py`; the rates of lognormal differences are those that `concord.compare`
tells beside such a number.

Columns: exact sign flips below .05; the printed interval without 0; both; and the first where the note on
skewness is printed, with the share of data sets that get it.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from concord.stats.compare import Choices, compare_items

KINDS = ("normal", "uniform", "exponential", "lognormal", "lognormal 1.5", "heavy tails")


def drawn(rng: np.random.Generator, kind: str, clusters: int) -> np.ndarray:
    """Return what a cluster's differences have in common, 0 on average."""
    if kind == "normal":
        return rng.standard_normal(clusters)
    if kind == "uniform":
        return rng.uniform(-1, 1, clusters)
    if kind == "exponential":
        return rng.exponential(size=clusters) - 1
    if kind == "heavy tails":
        return rng.standard_t(3, clusters)
    sigma = 1.5 if kind.endswith("1.5") else 1.0
    return np.asarray(rng.lognormal(0, sigma, clusters) - np.exp(sigma**2 / 2))


def rates(job: tuple[str, int, int, int]) -> str:
    """Return the line of one population."""
    kind, clusters, runs, seed = job
    rng = np.random.default_rng([seed, clusters, KINDS.index(kind)])
    labels = np.repeat(np.arange(clusters), 6)
    flips = ends = both = noted = noted_flips = 0
    for _ in range(runs):
        d = drawn(rng, kind, clusters)[labels] + 0.5 * rng.standard_normal(labels.size)
        found = compare_items(d, np.zeros(d.size), labels, choices=Choices(n_flips=1))
        ends_of = found.difference.interval
        assert found.p_value is not None and ends_of is not None
        small, outside = found.p_value < 0.05, not ends_of.low <= 0 <= ends_of.high
        told = "skew" in found.note
        flips, ends, both = flips + small, ends + outside, both + (small and outside)
        noted, noted_flips = noted + told, noted_flips + (told and small)
    told_rate = f"{noted_flips / noted:.3f}" if noted else "-"
    return (
        f"{kind:14} {clusters:3} clusters: flips {flips / runs:.3f}, interval {ends / runs:.3f}, both "
        f"{both / runs:.3f}; noted {noted / runs:.2f}, flips there {told_rate}"
    )


def main() -> None:
    """Run all populations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=18)
    asked = parser.parse_args()
    sizes = [one for one in (18, 15, 12, 10, 8) if one <= asked.most]
    jobs = [(kind, one, asked.runs, 1) for one, kind in product(sizes, KINDS)]
    with ProcessPoolExecutor(asked.workers) as pool:
        for line in pool.map(rates, jobs) if asked.workers > 1 else map(rates, jobs):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

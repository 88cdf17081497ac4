"""How often intervals of distances between distributions of answers hold the truth.

`python benchmarks/answer_coverage.py`: for each population and number of answers a side the coverage of TVD,
JSD and the entropy ratio; of RStd by the place of the right option with few and many questions. Beside each,
the share of intervals that carry a note, and the coverage of those without one.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import itertools
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from concord.people.answers.outcome import lay_out, score_outcome
from concord.people.answers.records import AnswerSet, OutcomeKey
from concord.stats.distances import N_RESAMPLES
from concord.structure.options.result import OptionReply
from concord.structure.options.score import score_options

POPULATIONS = {
    "two camps against a middle": ((0.35, 0.1, 0.1, 0.1, 0.35), (0.1, 0.2, 0.4, 0.2, 0.1)),
    "two camps of seven": ((0.3, 0.1, 0.05, 0.1, 0.05, 0.1, 0.3), (0.02, 0.08, 0.2, 0.4, 0.2, 0.08, 0.02)),
    "60 % at one end": ((0.6, 0.2, 0.1, 0.07, 0.03), (0.3, 0.4, 0.2, 0.08, 0.02)),
    "60 % at one end, agent alike": ((0.6, 0.2, 0.1, 0.07, 0.03), (0.55, 0.25, 0.1, 0.07, 0.03)),
    "80 % at one end": ((0.8, 0.1, 0.05, 0.03, 0.02), (0.5, 0.3, 0.1, 0.07, 0.03)),
    "even": ((0.2, 0.2, 0.2, 0.2, 0.2), (0.1, 0.25, 0.3, 0.25, 0.1)),
}


def _entropy(p: np.ndarray) -> float:
    return float(-(p * np.log(p)).sum())


def truths(h: np.ndarray, a: np.ndarray) -> dict[str, float]:
    """Return the numbers of two populations."""
    m = (h + a) / 2
    jsd = (_entropy(m) - (_entropy(h) + _entropy(a)) / 2) / np.log(2)
    return {"tvd": float(np.abs(h - a).sum() / 2), "jsd": jsd, "entropy_ratio": _entropy(a) / _entropy(h)}


def answers(job: tuple[str, int, int]) -> str:
    """Return the line of one population of answers."""
    name, n, runs = job
    rng = np.random.default_rng([n, len(name)])
    h, a = (np.array(part) for part in POPULATIONS[name])
    true, held = truths(h, a), {key: [0, 0, 0, 0] for key in ("tvd", "jsd", "entropy_ratio")}
    for _ in range(runs):
        draws = [1.0 + rng.choice(len(part), n, p=part) for part in (h, a)]
        gap = np.full(n, np.nan)
        one = AnswerSet(
            OutcomeKey("s", "o", ""), np.r_[draws[0], gap], np.r_[gap, draws[1]], scale=(1.0, len(h))
        )
        (cells,) = lay_out([[one]]).values()
        found = score_outcome(one, cells, level=0.95, n_resamples=N_RESAMPLES, rng=rng).numbers
        for key, counted in held.items():
            ends = found[key].estimate.interval
            if ends is None:
                continue
            noted, inside = bool(found[key].estimate.note), ends.low <= true[key] <= ends.high
            counted[0] += 1
            counted[1] += inside
            counted[2] += noted
            counted[3] += inside and not noted
    return f"{name}, {n}: " + "; ".join(f"{key} {_words(*counted)}" for key, counted in held.items())


def _words(shown: int, inside: int, noted: int, silent_inside: int) -> str:
    if not shown:
        return "no interval"
    silent = "" if shown == noted else f", without {silent_inside / (shown - noted):.3f}"
    return f"{inside / shown:.3f} (noted {noted / shown:.2f}{silent})"


def rstd(job: tuple[int, float, int]) -> str:
    """Return the coverage of RStd with so many questions and so strong a preference of the first place."""
    n, bias, runs = job
    turns = [tuple((i + k) % 4 for i in range(4)) for k in range(4)]
    chances = np.array([0.6 + bias, *([0.6 - bias / 3] * 3)])  # right, by the place of the right option
    true, counted = float(100 * chances.std()), [0, 0, 0, 0]
    rng = np.random.default_rng([n, int(100 * bias)])
    for _ in range(runs):
        hard = rng.normal(0, 0.15, n)
        rows = []
        for i, (k, turn) in itertools.product(range(n), enumerate(turns)):
            place = turn.index(0)
            right = bool(rng.random() < np.clip(chances[place] + hard[i], 0.01, 0.99))
            given = 0 if right else int(rng.integers(1, 4))
            rows.append(OptionReply(f"i{i}", str(k), str(given), turn.index(given), place, 4, right))
        found = score_options(rows, n_permutations=9).rstd
        scale = 100.0 if found.value is not None and found.value > 1 else 1.0
        ends = found.interval
        if ends is None:
            continue
        inside = ends.low <= true * scale / 100 <= ends.high
        counted[0] += 1
        counted[1] += inside
        counted[2] += bool(found.note)
        counted[3] += inside and not found.note
    return f"RStd, {n} questions, true {true:.1f}: {_words(*counted)}"


def main() -> None:
    """Run all populations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    jobs = [(name, n, asked.runs) for name, n in itertools.product(POPULATIONS, (500, 100, 30))]
    more = [(n, bias, max(2, asked.runs // 4)) for n, bias in itertools.product((150, 50), (0.0, 0.06, 0.15))]
    with ProcessPoolExecutor(asked.workers) as pool:
        for line in itertools.chain(pool.map(answers, jobs), pool.map(rstd, more)):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

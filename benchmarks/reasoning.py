"""Speed of scoring recorded replies, on one core.

Run: OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/reasoning.py [n_large]

Compares the step scoring of Concord with a straightforward implementation that normalises both texts
inside every pair, times a whole scoring with its 10,000-resample intervals, and checks that time and memory
grow linearly with the number of samples.
"""

import json
import re
import resource
import sys
import time
import unicodedata
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import concord
from concord.reasoning.score.steps import score_steps
from concord.reasoning.words.split import reasoning_steps

T = TypeVar("T")
MODEL_STEPS, GOLD_STEPS, WORDS = 30, 17, 13


def made_up(n: int, seed: int = 0) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return vignettes with 17 gold steps and replies with about 30 steps, a third of them near gold."""
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("abcdefghijklmnopqrst"), size=rng.integers(3, 10))) for _ in range(3000)]
    weights = 1 / np.arange(5.0, 3005.0)  # a few words are common, as in language
    weights /= weights.sum()

    def step() -> str:
        return " ".join(words[k] for k in rng.choice(3000, WORDS, p=weights))

    labels = ["Major Depressive Disorder", "Panic Disorder", "Schizophrenia", "Generalized Anxiety Disorder"]
    samples: list[dict[str, Any]] = []
    replies: list[dict[str, Any]] = []
    for number in range(n):
        gold = [step() for _ in range(GOLD_STEPS)]
        near = [" ".join([*one.split()[:-3], "changed", "a", "little"]) for one in gold if rng.random() < 0.6]
        rest = [step() for _ in range(MODEL_STEPS - len(near))]
        label = labels[number % 4]
        said = [labels[int(k)] if k < 4 else label for k in rng.integers(0, 8, 2)]
        text = f"REASONING: {'. '.join(near + rest)}.\n\nDIAGNOSIS: {said[0]}"
        samples.append({"id": f"s{number}", "gold_answer": label, "gold_reasoning": gold})
        replies.append({"id": f"s{number}", "mode": "cot", "response": text})
        replies.append({"id": f"s{number}", "mode": "direct", "response": f"DIAGNOSIS: {said[1]}"})
    return samples, replies


def plain_normalise(text: str) -> str:
    text = unicodedata.normalize("NFKD", text)
    return re.sub(r"\s+", " ", re.sub(r"[^\w\s-]", " ", text.lower())).strip()


def plain_dice(first: str, second: str) -> float:
    a, b = set(plain_normalise(first).split()), set(plain_normalise(second).split())
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def plain_matches(steps: list[str], gold: list[str]) -> int:
    """Greedy matching as one would write it first."""
    used: set[str] = set()
    for step in steps:
        best, value = "", 0.0
        for candidate in gold:
            overlap = plain_dice(step, candidate)
            if overlap > value:
                best, value = candidate, overlap
        if value >= 0.6 and best not in used:
            used.add(best)
    return len(used)


def plain_interval(values: list[int]) -> tuple[float, float]:
    """Percentile bootstrap as one would write it first."""
    rng = np.random.default_rng(0)
    data = np.array(values)
    means = [float(np.mean(rng.choice(data, size=len(data)))) for _ in range(10_000)]
    return float(np.percentile(means, 2.5)), float(np.percentile(means, 97.5))


def timed(run: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    value = run()
    return time.process_time() - start, value


def main() -> None:
    n_large = int(sys.argv[1]) if len(sys.argv) > 1 else 30_000
    samples, replies = made_up(300)
    gold = [sample["gold_reasoning"] for sample in samples]
    texts = [reasoning_steps(str(reply["response"])) for reply in replies[::2]]
    concord.score_reasoning(samples[:20], replies[:40])  # imports are not what is measured

    plain, matches = timed(lambda: [plain_matches(s, g) for s, g in zip(texts, gold, strict=True)])
    boot, _ = timed(lambda: plain_interval([number % 2 for number in range(300)]))
    ours, scores = timed(lambda: score_steps(texts, gold, range(300)))
    whole, _ = timed(lambda: concord.score_reasoning(samples, replies))
    equal = [score.matched for score in scores] == matches
    slow = plain + 2 * boot
    print(f"plain step matching, 300 samples              {plain:7.3f} s")
    print(f"Concord: greedy, optimal, thresholds          {ours:7.3f} s  {plain / ours:5.1f} x (bar 8)")
    print(f"plain matching and two plain bootstraps       {slow:7.3f} s")
    print(f"Concord: everything, 10,000 resamples         {whole:7.3f} s  {slow / whole:5.1f} x (bar 2 s)")
    each = []
    for n in (n_large // 10, n_large // 3, n_large):
        samples, replies = made_up(n)
        size = sum(len(json.dumps(row)) for row in (*samples, *replies)) / 2**20
        took, _ = timed(lambda: concord.score_reasoning(samples, replies))  # noqa: B023
        each.append(1e3 * took / n)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{n:7d} samples, {size:5.0f} MiB: {took:7.2f} s, {each[-1]:.3f} ms each, peak {peak:.0f} MiB")
    passed = equal and plain / ours >= 8 and whole < 2 and each[-1] <= 1.3 * each[0]
    print("all bars met" if passed else "a bar was missed")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()

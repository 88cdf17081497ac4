"""How often intervals of judges who give scores hold the truth, and how often something false is said.

`python benchmarks/judges.py --sets 1000 --jobs 16 --out rates.json`: scripted judges with known repeat noise,
length bias, self-preference and calibration; pass rates corrected by 50 to 400 labels, clusters and strata.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from concord.structure.judging.rated import Scores, rate_judges

SYSTEMS = ("gpt-4o", "claude-3", "llama-3")


def _scores(columns: dict[str, Any]) -> Scores:
    n = len(columns["score"])
    texts = {name: np.full(n, "", dtype=object) for name in ("group", "rubric", "stratum", "text")}
    return Scores(**{"place": np.full(n, np.nan), "length": np.full(n, np.nan), **texts, **columns})


def scripted(
    rng: np.random.Generator, items: int, noise: float, length: float, own: float, steep: float
) -> Scores:
    """Draw scores of one judge: three systems, three repeats, two of five answers scored by people."""
    d = rng.normal(size=(items, 1, 1))
    quality = 5 + d + rng.normal(size=(items, 3, 1))
    log2 = rng.normal(8, 0.8, size=(items, 3, 1))
    mine = np.array([own, 0.0, 0.0])[None, :, None]
    score = 5.2 + steep * (quality - 5) + length * (log2 - 8) + mine + noise * rng.normal(size=(items, 3, 3))
    labelled = rng.random(size=(items, 3, 1)) < 0.4
    human = np.where(labelled, quality + 0.3 * rng.normal(size=quality.shape), np.nan)
    shape = score.shape
    item = np.broadcast_to(
        np.array([f"i{k}" for k in range(items)], dtype=object)[:, None, None], shape
    ).ravel()
    return _scores({
        "score": score.ravel(), "human": np.broadcast_to(human, shape).ravel(),
        "length": np.broadcast_to(2**log2, shape).ravel(), "item": item, "cluster": item,
        "system": np.broadcast_to(np.array(SYSTEMS, dtype=object)[None, :, None], shape).ravel(),
    })  # fmt: skip


def judged(cell: tuple[int, float, float, float, float, int, int]) -> dict[str, Any]:
    """Return coverage of every number of a judge, and shares of claims."""
    items, noise, length, own, steep, sets, seed = cell
    rng = np.random.default_rng(seed)
    spread = steep**2 * 2 + length**2 * 0.64 + own**2 * 2 / 9
    truth = {
        "noise": noise**2 / (noise**2 + spread), "repeat_sd": noise, "length": length, "own_family": own,
        "bias": 0.2 + own / 3,
    }  # fmt: skip
    held, found, said = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0), {"length": 0, "pairs": 0}
    for _ in range(sets):
        judges, _, pairs, _ = rate_judges(
            {"gpt-4": (scripted(rng, items, noise, length, own, steep), 0)}, margin=0.1, level=0.95
        )
        for name, value in truth.items():
            ends = getattr(judges[0], name).interval
            found[name] += ends is not None
            held[name] += ends is not None and ends.low <= value <= ends.high
        ends = judges[0].length.interval
        said["length"] += ends is not None and not ends.low <= 0 <= ends.high
        said["pairs"] += any(one.p_holm is not None and one.p_holm < 0.05 for one in pairs)
    return {
        "items": items, "noise": noise, "length": length, "own": own, "steep": steep,
        "coverage": {name: held[name] / found[name] if found[name] else None for name in truth},
        "length said": said["length"] / sets, "any pair said (systems are equal)": said["pairs"] / sets,
    }  # fmt: skip


def passed(cell: tuple[int, int, int, bool, float, int, int]) -> dict[str, Any]:
    """Return coverage and bias of a corrected pass rate: labels, answers in a cluster, strata."""
    labels, answers, size, strata, wrong, sets, seed = cell
    rng = np.random.default_rng(seed)
    held, values, widths = 0, [], []
    rate = 0.6 if not strata else 0.5 * 0.4 + 0.5 * 0.8
    for _ in range(sets):
        clusters = answers // size
        shared = np.repeat(rng.normal(size=clusters), size)
        z = np.sqrt(0.3) * shared + np.sqrt(0.7) * rng.normal(size=clusters * size)
        layer = np.repeat(np.arange(clusters) % 2, size)
        cut = special.ndtri(np.where(layer == 0, 0.4, 0.8)) if strata else special.ndtri(0.6)
        human = (z < cut).astype(float)
        judge = np.where(rng.random(z.size) < np.where(human > 0, 1 - wrong, 1 - 2 * wrong), human, 1 - human)
        if strata:
            known = np.zeros(z.size, dtype=bool)
            for one in (0, 1):
                own = np.flatnonzero(layer[::size] == one)
                drawn = rng.choice(own, labels // size // 2, replace=False)
                known |= np.isin(np.arange(z.size) // size, drawn)
        else:
            known = np.isin(np.arange(z.size) // size, rng.choice(clusters, labels // size, replace=False))
        named = np.array([f"c{k}" for k in np.arange(z.size) // size], dtype=object)
        rows = _scores({
            "score": judge, "human": np.where(known, human, np.nan), "cluster": named,
            "item": np.array([f"i{k}" for k in range(z.size)], dtype=object),
            "system": np.full(z.size, "a", dtype=object),
            "stratum": np.array([f"s{k}" if strata else "" for k in layer], dtype=object),
        })  # fmt: skip
        found = rate_judges({"j": (rows, 0)}, margin=0.05, level=0.95)[1][0].corrected
        if found.value is None or found.interval is None:
            continue
        values.append(found.value)
        held += found.interval.low <= rate <= found.interval.high
        widths.append(found.interval.high - found.interval.low)
    return {
        "labels": labels, "answers": answers, "cluster": size, "strata": strata, "wrong": wrong,
        "coverage": held / sets, "bias": float(np.mean(values)) - rate,
        "bias se": float(np.std(values) / sets**0.5),
        "width": float(np.mean(widths)),
    }  # fmt: skip


def main() -> None:
    """Run all cells and write the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    judges = [
        (items, noise, length, own, steep, asked.sets, asked.seed + i)
        for i, (items, noise, (length, own), steep) in enumerate(
            product((40, 150), (0.3, 1.0), ((0.0, 0.0), (0.2, 0.3)), (1.0, 0.6))
        )
    ]
    rates = [
        (labels, 2000, size, strata, wrong, asked.sets, asked.seed + 100 + i)
        for i, (labels, size, strata, wrong) in enumerate(
            product((50, 100, 200, 400), (1, 4, 10), (False, True), (0.1, 0.3))
        )
        if labels // size >= 20
    ]
    with ProcessPoolExecutor(asked.jobs) as pool:
        made = {"judges": list(pool.map(judged, judges)), "rates": list(pool.map(passed, rates))}
    for row in (*made["judges"], *made["rates"]):
        print(row)
    if asked.out:
        asked.out.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

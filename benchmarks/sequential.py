"""How often intervals that may be looked at at any time miss the truth at some look, and what looking costs.

People arrive in batches of 20 up to 2,000, each with an answer and a prediction; N further predictions exist.
An interval has missed when the truth lay outside it at any look from the first allowed one on: the worst
stopping rule there is. `python benchmarks/sequential.py --replays 10000 --jobs 16 --out rates.json`
(parts: cells, of populations and designs; real, every bundled outcome; buying, steered by the estimate).
`--again 10000` replays those anew, with other seeds, whose upper 95 % limit is above 5.5 %.
"""

import argparse
import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from math import comb
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from concord.files.public import public_table
from concord.stats.sequential import (
    FIRST_LOOK,
    FIRST_LOOK_OPEN,
    RARER,
    SKEWED,
    PeopleSums,
    SequencedMean,
    joined_variance,
    maximum_reach,
    mixture_reach,
    mixture_tuning,
    next_purchase,
    sequenced_mean,
)

PEOPLE, BATCH, PLANNED = 2000, 20, 300
LIKERT = np.cumsum([0.45, 0.25, 0.15, 0.1])
CAMPS = np.cumsum([0.3, 0.1, 0.05, 0.03, 0.07, 0.15])


def _money(sigma: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda z: np.exp(sigma * z)


POPULATIONS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str]] = {
    "normal": (lambda z: z, "ends"),
    "Likert, skew 1.1": (lambda z: np.searchsorted(LIKERT, special.ndtr(z)).astype(float), "ends"),
    "yes/no .5": (lambda z: (z > 0).astype(float), "yes/no"),
    "yes/no .1": (lambda z: (z > special.ndtri(0.9)).astype(float), "yes/no"),
    "yes/no .02": (lambda z: (z > special.ndtri(0.98)).astype(float), "yes/no"),
    "money, skew 3.8": (_money(0.812), "open"),
    "money, skew 6.8": (_money(1.035), "open"),
    # not those that the rule was chosen on
    "two camps on 7 points": (lambda z: np.searchsorted(CAMPS, special.ndtr(z)).astype(float), "ends"),
    "counts, 70 % none": (lambda z: np.floor(np.maximum(z - 0.52, 0) * 6), "open"),
    "slider heaped at 0, 50, 100": (
        lambda z: np.where(np.abs(z) < 0.4, 50.0, np.clip(np.round(50 + 35 * z), 0, 100)),
        "ends",
    ),
    "0 to 10, two thirds at 10": (lambda z: np.clip(np.round(11 + 5 * z), 0, 10), "ends"),
    "times, 3 % slow": (
        lambda z: np.exp(0.4 * z) + 6 * (np.abs(special.ndtr(z) - 0.5) > 0.485),
        "open",
    ),
    "gifts, 60 % none": (lambda z: np.where(z > 0.2533, np.exp(1 + 0.6 * z), 0.0), "open"),
}


def _looks(unit: np.ndarray) -> np.ndarray:
    """Running sums at every look; the second axis is persons."""
    return np.cumsum(unit.reshape(len(unit), -1, BATCH).sum(axis=2), axis=1)


Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Rows of each person, and their answers and predictions (replays, people, rows)."""


def _drawn(
    rng: np.random.Generator, draw: Callable[[np.ndarray], np.ndarray], rho: float, replays: int, rows: str
) -> Drawn:
    """Draw persons whose predictions correlate with what their answers come from."""
    most = {"1": 1, "4": 4, "1 to 7": 7}[rows]
    m = rng.integers(1, 8, (replays, PEOPLE)).astype(float) if most == 7 else np.full((replays, PEOPLE), most)
    z = rng.normal(size=(replays, PEOPLE, most))
    if most > 1:
        z = np.sqrt(0.4) * rng.normal(size=(replays, PEOPLE, 1)) + np.sqrt(0.6) * z
    return m.astype(float), draw(z), rho * z + np.sqrt(1 - rho**2) * rng.normal(size=z.shape)


def _one_arm(drawn: Drawn) -> dict[str, np.ndarray]:
    """Return running sums over persons at every look, up to fourth powers."""
    m, y, f = drawn
    if y.shape[2] == 1:
        sy, sf, rows_ff = y[..., 0], f[..., 0], (f * f)[..., 0]
    else:
        there = np.arange(y.shape[2]) < m[..., None]
        sy, sf, rows_ff = ((there * x).sum(axis=2) for x in (y, f, f * f))
    powers = {"": np.ones_like(sy)}
    for name in ("y" * a + "f" * b for a in range(5) for b in range(5 - a) if a + b):
        powers[name] = powers[name[1:]] * (sy if name[0] == "y" else sf)
    sums = {name: powers[name] for name in powers if name}
    sums |= {"people": np.ones_like(m), "m": m, "mm": m * m, "my": m * sy, "mf": m * sf, "rows_ff": rows_ff}
    looks = {name: _looks(x) for name, x in sums.items()}
    some, less = _looks((sy > 0).astype(float)), _looks((sy < m).astype(float))
    return {**looks, "rarer": np.minimum(some, less)}


def _shape(arm: dict[str, np.ndarray], weight: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Skewness and kurtosis of y - λf over persons, from running sums."""
    n = arm["people"]

    def power(k: int) -> np.ndarray:
        terms = (comb(k, b) * (-weight) ** b * arm["y" * (k - b) + "f" * b] for b in range(k + 1))
        return np.asarray(sum(terms) / n)

    one, two, three, four = (power(k) for k in (1, 2, 3, 4))
    spread = np.maximum(two - one**2, 1e-300)
    skew = np.abs(three - 3 * one * two + 2 * one**3) / spread**1.5
    return skew, (four - 4 * one * three + 6 * one**2 * two - 3 * one**4) / spread**2


def _may_look(arm: dict[str, np.ndarray], mean: SequencedMean, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return at which looks an interval is allowed, as `too_few_to_look` has it, and the skewness."""
    shapes = _shape(arm, 0.0), _shape(arm, mean.weight)
    skew, kurtosis = (np.maximum(*pair) for pair in zip(*shapes, strict=True))
    n = arm["people"]
    if kind == "yes/no":
        return (n >= FIRST_LOOK) & (arm["rarer"] >= RARER), skew
    here = (n >= (FIRST_LOOK if kind == "ends" else FIRST_LOOK_OPEN)) & (n >= 25 * skew**2)
    here &= (skew <= SKEWED) | (n >= FIRST_LOOK_OPEN)
    return here if kind == "ends" else here & (2 * n >= FIRST_LOOK * (kurtosis - 1)), skew


def _truth(name: str) -> float:
    draw, _ = POPULATIONS[name]
    if name.startswith("yes/no"):
        return float(name.split()[1])
    if name.startswith("money"):
        return float(np.exp({"3.8": 0.812, "6.8": 1.035}[name[-3:]] ** 2 / 2))
    return float(draw(np.random.default_rng(9).normal(size=(4_000_000, 1))).mean())


REAL: dict[str, tuple[np.ndarray, np.ndarray]] = {}
"""People's answers and their twins' of every bundled outcome; read before processes are forked."""


def real_outcomes() -> list[str]:
    """Read the bundled outcomes in which people and twins vary, and name them."""
    import polars

    frame = polars.read_parquet(public_table("twin-2k-500-answers").path)
    frame = frame.filter(polars.col("human").is_finite() & polars.col("agent").is_finite())
    for (study, outcome), part in frame.group_by("study", "outcome", maintain_order=True):
        y, f = part["human"].to_numpy(), part["agent"].to_numpy()
        if np.ptp(y) > 0 and np.ptp(f) > 0:
            REAL[f"{study}: {outcome}"] = y, f
    return sorted(REAL)


def replay(cell: tuple[str, float, str, int, int, int, int]) -> dict[str, object]:
    """Replay one cell: shares of replays whose interval missed at some look."""
    name, rho, rows, arms, n_more, replays, seed = cell
    rng = np.random.default_rng(seed)
    if name in POPULATIONS:
        (draw, kind), spread = POPULATIONS[name], (0.0, 1.0)
        truth = 0.0 if arms == 2 else _truth(name)
    else:
        y, f = REAL[name]
        truth, spread = float(y.mean()), (float(f.mean()), float(f.std()))
        rho, kind = float(np.corrcoef(y, f)[0, 1]), "yes/no" if {*y.tolist()} <= {0.0, 1.0} else "ends"
    np.seterr(all="ignore")  # looks that are not allowed may be undefined
    missed = dict.fromkeys(("ordinary", "anytime", "maximum", "width"), 0)
    first, allowed_by_width, width_ratio = [], 0, []
    for start in range(0, replays, 250):
        size = min(250, replays - start)
        means, skews, may = [], [], np.ones((size, PEOPLE // BATCH), dtype=bool)
        for _ in range(arms):
            if name in POPULATIONS:
                arm = _one_arm(_drawn(rng, draw, rho, size, rows))
            else:
                at = rng.integers(0, y.size, (size, PEOPLE, 1))
                arm = _one_arm((np.ones((size, PEOPLE)), y[at], f[at]))
            sums = PeopleSums(**{key: arm[key] for key in PeopleSums.__slots__})
            more_mean = spread[0] + spread[1] * rng.normal(size=(size, 1)) / np.sqrt(n_more)
            more_variance = spread[1] ** 2 * rng.chisquare(n_more - 1, size=(size, 1)) / (n_more - 1)
            mean = sequenced_mean(sums, n_more, more_mean, more_variance)
            here, skew = _may_look(arm, mean, kind)
            may = may & here & (mean.variance > 0)
            means.append(mean)
            skews.append(skew)
        value, variance, plus, df, effective = joined_variance(means, (1.0, -1.0)[:arms])
        off, se, t = np.abs(value - truth), np.sqrt(plus), special.stdtrit(df, 0.975)
        people = np.sum([one.people for one in means], axis=0)
        anytime = mixture_reach(mixture_tuning() * effective / PLANNED, df) * se
        tame = np.max(skews, axis=0) <= SKEWED  # else the maximum has the interval of any look
        maximum = np.where(tame, maximum_reach(variance / variance[:, -1:], df) * se, anytime)
        missed["ordinary"] += int(((off > t * se) & (people / arms >= 40)).any(axis=1).sum())
        missed["anytime"] += int(((off > anytime) & may).any(axis=1).sum())
        missed["maximum"] += int(((off > maximum) & may).any(axis=1).sum())
        reach = np.where(may & tame, t * se, np.inf)
        for margin in (0.35, 0.25):  # of the width at the first 100 people
            wished = margin * (t * se)[:, 4:5]
            stop = np.argmax(reach <= wished, axis=1)
            stops = (reach <= wished).any(axis=1)
            missed["width"] += int((np.take_along_axis(off > t * se, stop[:, None], 1)[:, 0] & stops).sum())
            allowed_by_width += int(stops.sum())
        looked = may.any(axis=1)
        at_first = np.take_along_axis(people, np.argmax(may, axis=1)[:, None], 1)[:, 0]
        first += list(np.where(looked, at_first, PEOPLE * arms))
        width_ratio.append(float(np.nanmedian((anytime / (t * se))[:, PLANNED // BATCH - 1])))
    return {
        "population": name,
        "rho": rho,
        "rows": rows,
        "arms": arms,
        "N": n_more,
        "replays": replays,
        **{key: missed[key] / replays for key in ("ordinary", "anytime", "maximum")},
        "width": missed["width"] / allowed_by_width if allowed_by_width else None,
        "first look": float(np.mean(first)) if first else None,
        "width at the planned n": float(np.mean(width_ratio)),
    }


STEERED = ("hunting", "lucky", "unlucky", "doubtful")
"""What the next purchase depends on: see `steered`."""


def steered(cell: tuple[str, float, str, int, int]) -> dict[str, object]:
    """Buy people or predictions by what the estimate says, and count misses at any look.

    Hunting buys predictions while 0.1 lies inside the interval; lucky ones buy predictions after a batch that
    raised the estimate, unlucky ones after a batch that lowered it; doubtful ones while the estimate is below
    the mean of people alone.
    """
    name, rho, rule, replays, seed = cell
    draw, kind = POPULATIONS[name]
    rng, truth = np.random.default_rng(seed), _truth(name)
    np.seterr(all="ignore")
    missed = 0
    for start in range(0, replays, 250):
        size = min(250, replays - start)
        at_look = _one_arm(_drawn(rng, draw, rho, size, "1"))
        row, k = np.arange(size), np.full(size, FIRST_LOOK // BATCH - 1)
        more, total, before = np.full(size, 500.0), rng.normal(size=size) * 500**0.5, np.zeros(size)
        out = np.zeros(size, dtype=bool)
        while np.any(k < PEOPLE // BATCH - 1):
            arm = {key: x[row, k] for key, x in at_look.items()}
            sums = PeopleSums(**{key: arm[key] for key in PeopleSums.__slots__})
            mean = sequenced_mean(sums, more, total / more, 1.0)
            value, _, plus, df, effective = joined_variance([mean], (1.0,))
            reach = mixture_reach(mixture_tuning() * effective / PLANNED, df) * np.sqrt(plus)
            out |= (np.abs(value - truth) > reach) & _may_look(arm, mean, kind)[0]
            wants = {
                "hunting": np.abs(value - truth - 0.1) < reach,
                "lucky": value > before,
                "unlucky": value < before,
                "doubtful": value < mean.people_value,
            }[rule]
            replies = wants & (more < 400_000) & (rng.random(size) < 0.8)
            total = total + replies * rng.normal(size=size) * 2000**0.5
            more, before = more + replies * 2000.0, value
            k = np.minimum(k + ~replies, PEOPLE // BATCH - 1)
        missed += int(out.sum())
    return {"population": name, "rho": rho, "rule": rule, "replays": replays, "anytime": missed / replays}


def bought(cell: tuple[float, float, float, float, int]) -> dict[str, float]:
    """Buy until a width, looking ahead, against the cheapest numbers when the truth is known."""
    rho, person, reply, margin, seed = cell
    rng = np.random.default_rng(seed)
    known = next_purchase(
        1.0, rho**2, people=20, replies=2000, margin=margin, planned=PLANNED, person_cost=person,
        reply_cost=reply, batch=(1, 100),
    )  # fmt: skip
    best = known.cost_in_all + 20 * (person + reply) + 2000 * reply
    paid = []
    for _ in range(20):
        y = rng.normal(size=40_000)
        f = rho * y + np.sqrt(1 - rho**2) * rng.normal(size=y.size)
        n, more = 40, 2000
        while True:
            r2 = max(1 - (1 - np.corrcoef(y[:n], f[:n])[0, 1] ** 2) * (n - 1) / (n - 2), 0.0)
            sd = float(y[:n].std(ddof=1))
            share = more / (n + more)
            variance = sd**2 / n * (1 - r2 * share)
            effective = sd**2 * (1 - r2 * share * (2 - share)) / variance
            reach = float(mixture_reach(mixture_tuning() * effective / PLANNED, n - 2)) * variance**0.5
            if reach <= margin:
                break
            step = next_purchase(
                sd, r2, people=n, replies=more, margin=margin, planned=PLANNED, person_cost=person,
                reply_cost=reply,
            )  # fmt: skip
            n, more = n + step.people, more + step.replies
        paid.append(n * (person + reply) + more * reply)
    return {
        "rho": rho,
        "person": person,
        "reply": reply,
        "margin": margin,
        "regret": float(np.mean(paid)) / best - 1,
    }


def main() -> None:
    """Run all cells and write the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replays", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", type=int, default=0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--part", choices=("cells", "real", "buying"), action="append")
    asked = parser.parse_args()
    parts = asked.part or ["cells", "real", "buying"]
    work = {part: _work(part, asked.replays, asked.seed) for part in parts}
    with ProcessPoolExecutor(asked.jobs, get_context("fork")) as pool:
        found = {part: list(pool.map(*each)) for part, each in work.items()}
        for part, (function, cells) in work.items() if asked.again else ():
            doubtful = [cell for cell, row in zip(cells, found[part], strict=True) if _upper(row) > 0.055]
            again = [(*cell[:-2], asked.again, cell[-1] + 5000) for cell in doubtful]
            found[f"{part} again"] = list(pool.map(function, again))
        if "buying" in parts:
            prices = product((0.0, 0.3, 0.6, 0.9), (0.5, 2.5, 10.0), (0.0001, 0.001, 0.01, 0.1), (0.1, 0.15))
            found["regret"] = list(
                pool.map(bought, [(*p, asked.seed + 400 + i) for i, p in enumerate(prices)])
            )
    for part, rows in found.items():
        _print_part(part, rows)
    if asked.out:
        asked.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def _work(part: str, replays: int, seed: int) -> tuple[Callable[[Any], dict[str, Any]], list[Any]]:
    """Return the function of a part and its cells."""
    if part == "real":
        names = real_outcomes()
        return replay, [(name, 0.0, "1", 1, 20_000, replays, seed + 500 + i) for i, name in enumerate(names)]
    if part == "buying":
        ways = product(("normal", "Likert, skew 1.1", "yes/no .1"), (0.3, 0.6, 0.9), STEERED)
        return steered, [(*way, replays, seed + 900 + i) for i, way in enumerate(ways)]
    cells = [(name, rho, "1", 1, 20_000) for name, rho in product(POPULATIONS, (0.0, 0.3, 0.6, 0.9))]
    cells += [("normal", 0.6, "1", 1, 2000)]
    several = product(("normal", "Likert, skew 1.1"), (0.0, 0.6), ("4", "1 to 7"))
    cells += [(name, rho, rows, 1, 20_000) for name, rho, rows in several]
    two = product(("normal", "Likert, skew 1.1", "yes/no .1"), (0.0, 0.6))
    cells += [(name, rho, "1", 2, 20_000) for name, rho in two]
    return replay, [(*cell, replays, seed + i) for i, cell in enumerate(cells)]


def _upper(row: dict[str, Any]) -> float:
    """Return the upper 95 % limit of the share of replays that missed, in the worse of both modes."""
    share = max(row["anytime"], row.get("maximum", 0.0))
    return float(special.betaincinv(share * row["replays"] + 1, (1 - share) * row["replays"], 0.975))


def _print_part(part: str, rows: list[dict[str, Any]]) -> None:
    """Print every cell, or of many the mean and the worst."""
    if part.startswith("real") and rows:
        print(part, len(rows), "outcomes")
        for way in ("ordinary", "anytime", "maximum"):
            rates = np.array([row[way] for row in rows])
            print(
                part,
                way,
                f"mean {rates.mean():.4f}, 90 % {np.quantile(rates, 0.9):.4f}, max {rates.max():.4f}",
            )
        rows = sorted(rows, key=lambda row: -max(row["anytime"], row["maximum"]))[:8]
    if part == "regret":
        regrets = [row["regret"] for row in rows]
        print(
            "regret of looking ahead: mean",
            round(float(np.mean(regrets)), 3),
            "worst",
            round(max(regrets), 3),
        )
        return
    for row in rows:
        print({key: round(v, 4) if isinstance(v, float) else v for key, v in row.items()})


if __name__ == "__main__":
    main()

"""How often intervals that may be looked at at any time miss the truth at some look, and what looking costs.

People arrive in batches of 20 up to 2,000, each with an answer and a prediction; N further predictions exist.
An interval has missed when the truth lay outside it at any look from the first allowed one on: the worst
stopping rule there is. `python benchmarks/sequential.py --replays 10000 --jobs 16 --out rates.json`
"""

import argparse
import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
from scipy import special

from concord.stats.sequential import (
    FIRST_LOOK,
    FIRST_LOOK_OPEN,
    RARER,
    SKEWED,
    PeopleSums,
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
}


def _looks(unit: np.ndarray) -> np.ndarray:
    """Running sums at every look; the second axis is persons."""
    return np.cumsum(unit, axis=1)[:, BATCH - 1 :: BATCH]


def _one_arm(
    rng: np.random.Generator,
    draw: Callable[[np.ndarray], np.ndarray],
    rho: float,
    replays: int,
    rows: str,
    n_more: int,
) -> dict[str, np.ndarray]:
    """Draw persons of one arm: sums at every look, third moments, and further predictions."""
    most = {"1": 1, "4": 4, "1 to 7": 7}[rows]
    m = np.ones((replays, PEOPLE)) if most != 7 else rng.integers(1, 8, (replays, PEOPLE)).astype(float)
    m = m * (4 if most == 4 else 1)
    person = rng.normal(size=(replays, PEOPLE, 1)) if most > 1 else 0.0
    z = rng.normal(size=(replays, PEOPLE, most))
    z = z if most == 1 else np.sqrt(0.4) * person + np.sqrt(0.6) * z
    y = draw(z)
    f = rho * z + np.sqrt(1 - rho**2) * rng.normal(size=z.shape)
    there = np.arange(most) < m[..., None]
    sy, sf, rows_ff = ((there * x).sum(axis=2) for x in (y, f, f * f))
    looks = {
        name: _looks(x)
        for name, x in (
            ("people", np.ones_like(m)),
            ("m", m),
            ("y", sy),
            ("f", sf),
            ("mm", m * m),
            ("my", m * sy),
            ("mf", m * sf),
            ("yy", sy * sy),
            ("yf", sy * sf),
            ("ff", sf * sf),
            ("rows_ff", rows_ff),
        )
    }
    third = {
        name: _looks(x)
        for name, x in (("yyy", sy**3), ("yyf", sy**2 * sf), ("yff", sy * sf**2), ("fff", sf**3))
    }
    some = _looks((sy > 0).astype(float))
    less = _looks((sy < m).astype(float))
    more_mean = rng.normal(size=(replays, 1)) / np.sqrt(n_more)
    more_variance = rng.chisquare(n_more - 1, size=(replays, 1)) / (n_more - 1)
    return {
        **looks,
        **third,
        "rarer": np.minimum(some, less),
        "more_mean": more_mean,
        "more_variance": more_variance,
    }


def _skew(arm: dict[str, np.ndarray], weight: np.ndarray | float) -> np.ndarray:
    """Skewness of y - λf over persons, from running sums."""
    n = arm["people"]
    one = (arm["y"] - weight * arm["f"]) / n
    two = (arm["yy"] - 2 * weight * arm["yf"] + weight**2 * arm["ff"]) / n
    three = (arm["yyy"] - 3 * weight * arm["yyf"] + 3 * weight**2 * arm["yff"] - weight**3 * arm["fff"]) / n
    spread = np.maximum(two - one**2, 1e-300)
    return np.asarray(np.abs(three - 3 * one * two + 2 * one**3) / spread**1.5)


def replay(cell: tuple[str, float, str, int, int, int, int]) -> dict[str, object]:
    """Replay one cell: shares of replays whose interval missed at some look."""
    name, rho, rows, arms, n_more, replays, seed = cell
    draw, kind = POPULATIONS[name]
    rng = np.random.default_rng(seed)
    truth = 0.0 if arms == 2 else float(draw(np.random.default_rng(9).normal(size=(4_000_000, 1))).mean())
    if arms == 1 and name.startswith("yes/no"):
        truth = float(name.split()[1])
    if arms == 1 and name.startswith("money"):
        truth = float(np.exp({"3.8": 0.812, "6.8": 1.035}[name[-3:]] ** 2 / 2))
    np.seterr(all="ignore")  # looks that are not allowed may be undefined
    missed = dict.fromkeys(("ordinary", "anytime", "maximum", "width"), 0)
    first, allowed_by_width, width_ratio = [], 0, []
    for start in range(0, replays, 250):
        size = min(250, replays - start)
        found = [_one_arm(rng, draw, rho, size, rows, n_more) for _ in range(arms)]
        means, skews = [], []
        may = np.ones_like(found[0]["people"], dtype=bool)
        for arm in found:
            sums = PeopleSums(**{key: arm[key] for key in PeopleSums.__slots__})
            mean = sequenced_mean(sums, n_more, arm["more_mean"], arm["more_variance"])
            skew = np.maximum(_skew(arm, 0.0), _skew(arm, mean.weight))
            n = arm["people"]
            if kind == "yes/no":
                here = (n >= FIRST_LOOK) & (arm["rarer"] >= RARER)
            else:
                here = (n >= (FIRST_LOOK if kind == "ends" else FIRST_LOOK_OPEN)) & (n >= 25 * skew**2)
                here &= (skew <= SKEWED) | (n >= FIRST_LOOK_OPEN)
            may = may & here & (mean.variance > 0)
            means.append(mean)
            skews.append(skew)
        value, variance, plus, df, effective = joined_variance(means, (1.0, -1.0)[:arms])
        off = np.abs(value - truth)
        se = np.sqrt(plus)
        t = special.stdtrit(df, 0.975)
        people = np.sum([one.people for one in means], axis=0)
        anytime = mixture_reach(mixture_tuning() * effective / PLANNED, df) * se
        end = variance[:, -1:]
        maximum = maximum_reach(variance / end, df) * se
        missed["ordinary"] += int(((off > t * se) & (people / arms >= 40)).any(axis=1).sum())
        missed["anytime"] += int(((off > anytime) & may).any(axis=1).sum())
        missed["maximum"] += int(((off > maximum) & may).any(axis=1).sum())
        tame = may & (np.max(skews, axis=0) <= SKEWED)
        reach = np.where(tame, t * se, np.inf)
        for margin in (0.35, 0.25):  # of the width at the first 100 people
            wished = margin * (t * se)[:, 4:5]
            stop = np.argmax(reach <= wished, axis=1)
            stops = (reach <= wished).any(axis=1)
            missed["width"] += int((np.take_along_axis(off > t * se, stop[:, None], 1)[:, 0] & stops).sum())
            allowed_by_width += int(stops.sum())
        looked = may.any(axis=1)
        at_first = np.take_along_axis(people, np.argmax(may, axis=1)[:, None], 1)[:, 0]
        first += list(np.where(looked, at_first, PEOPLE * arms))
        at = PLANNED // BATCH - 1
        width_ratio.append(float(np.nanmedian((anytime / (t * se))[:, at])))
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
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    cells = [
        (name, rho, "1", 1, 20_000, asked.replays, asked.seed + i)
        for i, (name, rho) in enumerate(product(POPULATIONS, (0.0, 0.3, 0.6, 0.9)))
    ]
    cells += [("normal", 0.6, "1", 1, 2000, asked.replays, asked.seed + 100)]
    cells += [
        (name, rho, rows, 1, 20_000, asked.replays, asked.seed + 200 + i)
        for i, (name, rho, rows) in enumerate(
            product(("normal", "Likert, skew 1.1"), (0.0, 0.6), ("4", "1 to 7"))
        )
    ]
    cells += [
        (name, rho, "1", 2, 20_000, asked.replays, asked.seed + 300 + i)
        for i, (name, rho) in enumerate(product(("normal", "Likert, skew 1.1", "yes/no .1"), (0.0, 0.6)))
    ]
    prices = [
        (rho, person, reply, margin, asked.seed + 400 + i)
        for i, (rho, person, reply, margin) in enumerate(
            product((0.0, 0.3, 0.6, 0.9), (0.5, 2.5, 10.0), (0.0001, 0.001, 0.01, 0.1), (0.1, 0.15))
        )
    ]
    with ProcessPoolExecutor(asked.jobs) as pool:
        rates, regrets = list(pool.map(replay, cells)), list(pool.map(bought, prices))
    for row in rates:
        print({key: round(v, 3) if isinstance(v, float) else v for key, v in row.items()})
    worst = max(row["regret"] for row in regrets)
    print("buying: mean regret", np.mean([row["regret"] for row in regrets]), "worst", worst)
    if asked.out:
        asked.out.write_text(json.dumps({"rates": rates, "buying": regrets}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Judges whose votes are written by a script, so that what scoring must find is known."""

from collections.abc import Callable
from typing import Any

import numpy as np

Vote = Callable[[np.random.Generator, str, float, float], str]
"""From the order, the quality of A over B and the doublings of length A over B to a seat."""


def always_first(rng: np.random.Generator, order: str, quality: float, doublings: float) -> str:
    """Prefer the first seat."""
    return "first"


def fair_coin(rng: np.random.Generator, order: str, quality: float, doublings: float) -> str:
    """Prefer anything."""
    return "first" if rng.random() < 0.5 else "second"


def consistent(rng: np.random.Generator, order: str, quality: float, doublings: float) -> str:
    """Prefer the better answer."""
    return "first" if (quality > 0) == (order == "ab") else "second"


def length_lover(rng: np.random.Generator, order: str, quality: float, doublings: float) -> str:
    """Prefer the longer answer, with log odds of 1.5 per doubling."""
    odds = 1.5 * doublings * (1 if order == "ab" else -1)
    return "first" if rng.random() < 1 / (1 + np.exp(-odds)) else "second"


def rows(vote: Vote, *, n: int = 80, k: int = 2, seed: int = 0) -> list[dict[str, Any]]:
    """Return a plain table of a scripted judge's votes."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        quality, doublings = rng.normal(size=2)
        for order in ("ab", "ba"):
            for number in range(k):
                found.append(
                    {
                        "pair": f"p{i:03}",
                        "order": order,
                        "vote": number,
                        "verdict": vote(rng, order, quality, doublings),
                        "length_a": 200 * 2**doublings,
                        "length_b": 200,
                    }
                )
    return found

"""Made-up structure scores: models that answer the same items under the same arrangements."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import concord


def samples(
    model: str,
    *,
    n: int = 40,
    arrangements: tuple[str, ...] = ("AB", "BA", "CC"),
    k: int = 4,
    noise: float = 0.1,
    seed: int = 0,
    prefix: str = "i",
) -> pl.DataFrame:
    """Raw samples of one model; difficulty and roughness of the items are the same for all models."""
    shared, rng = np.random.default_rng(7), np.random.default_rng([seed, n])
    base, rough = 0.5 + 0.1 * shared.normal(size=(n, 1, 1)), shared.gamma(4, 0.25, size=(n, 1, 1))
    y = np.clip(base + noise * rough * rng.normal(size=(n, len(arrangements), k)), 0, 1)
    item, arrangement, sample = (axis.ravel() for axis in np.indices(y.shape))
    return pl.DataFrame(
        {
            "model": [model] * y.size,
            "arrangement": [arrangements[p] for p in arrangement],
            "item": [f"{prefix}{i:03d}" for i in item],
            "sample": sample,
            "S_Acc": y.ravel(),
        }
    )


def scored(folder: Path, *frames: pl.DataFrame, **options: Any) -> Path:
    """Score models together and write the result."""
    concord.score_structure(scores=pl.concat(frames), resamples=200, **options).write(folder)
    return folder

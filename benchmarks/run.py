"""Speed and memory of the numeric core, as ratios measured in one run: ``python benchmarks/run.py``."""

# ruff: noqa: E402
import os

# one core for everybody, set before numpy loads its linear algebra
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_name] = "1"

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from concord.stats.bayes import log_bf_anova, log_bf_t
from imports import import_seconds, third_party_modules
from quadrature import log_bf_by_quad, log_bf_by_quad_in_y, one_way, two_sample

T = TypeVar("T")
MILLION = 1_000_000
QUAD_CALLS = 2_000
MEMORY_MB = 500


@dataclass(frozen=True)
class Row:
    what: str
    measured: str
    wanted: str
    good: bool


def timed(call: Callable[[], T], repeats: int = 3) -> tuple[float, T]:
    """Best of a few runs in seconds, and what came out."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        answer = call()
        best = min(best, time.perf_counter() - begin)
    return best, answer


def ratio(what: str, ours: float, theirs: float, wanted: float) -> Row:
    text = f"{theirs / ours:7.0f} x   ({ours:.3g} s against {theirs:.3g} s)"
    return Row(what, text, f">= {wanted:g} x" if wanted else "for information", theirs / ours >= wanted)


def bayes_t(rng: np.random.Generator) -> Iterator[Row]:
    n1, n2 = rng.integers(5, 500, (2, MILLION)).astype(float)
    t = rng.normal(0.0, 2.5, MILLION)
    ours, _ = timed(lambda: log_bf_t(t, n1, n2))
    sample = [two_sample(*row) for row in np.column_stack([t, n1, n2])[:QUAD_CALLS].tolist()]
    exact = np.asarray(log_bf_t(t[:QUAD_CALLS], n1[:QUAD_CALLS], n2[:QUAD_CALLS]))
    yield from against_quad("1,000,000 two-sample t tests", ours, sample, exact, 300)
    small, _ = timed(lambda: log_bf_t(t[:600], n1[:600], n2[:600]), repeats=20)
    yield Row("600 two-sample t tests", f"{1e3 * small:7.2f} ms", "< 1 ms", small < 1e-3)


def bayes_f(rng: np.random.Generator) -> Iterator[Row]:
    df1, df2 = rng.integers(1, 6, MILLION).astype(float), rng.integers(20, 500, MILLION).astype(float)
    f = rng.gamma(1.5, 1.5, MILLION)
    ours, _ = timed(lambda: log_bf_anova(f, df1, df2))
    sample = [one_way(*row) for row in np.column_stack([f, df1, df2])[:QUAD_CALLS].tolist()]
    exact = np.asarray(log_bf_anova(f[:QUAD_CALLS], df1[:QUAD_CALLS], df2[:QUAD_CALLS]))
    yield from against_quad("1,000,000 one-way F tests", ours, sample, exact, 150)


def against_quad(
    what: str, ours: float, sample: list[tuple[float, ...]], exact: np.ndarray, wanted: float
) -> Iterator[Row]:
    """Time a sample of quad calls on the same integral and scale it up to a million tests."""
    for quad, form, bar in ((log_bf_by_quad, "in g", wanted), (log_bf_by_quad_in_y, "in y", 0.0)):
        seconds, values = timed(partial(by_quad, quad, sample))
        error = np.max(np.abs(np.asarray(values) - exact))
        theirs = seconds * MILLION / len(sample)
        yield ratio(f"{what}, quad {form} (largest difference {error:.0e})", ours, theirs, bar)


def by_quad(quad: Callable[..., float], sample: list[tuple[float, ...]]) -> list[float]:
    return [quad(*row) for row in sample]


def imports(_: np.random.Generator) -> Iterator[Row]:
    floor = import_seconds("import numpy, scipy.special")
    ours = import_seconds("import concord.stats")
    measured = f"{1e3 * ours:7.0f} ms   (numpy and scipy.special alone: {1e3 * floor:.0f} ms)"
    yield Row("import concord.stats", measured, "< 500 ms", ours < 0.5)
    extra = third_party_modules("import concord.stats") - third_party_modules("import numpy, scipy.special")
    extra -= {"concord"}
    yield Row("  modules beyond numpy and scipy", f"{sorted(extra) or 'none'}", "none", not extra)


def peak_megabytes() -> float:
    """Peak resident memory of this process, everything above included."""
    try:
        import resource
    except ImportError:  # not on Windows
        return float("nan")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main() -> int:
    rng = np.random.default_rng(2024)
    print("One process, one core, one run, the best of three each.")
    print(f"quad is timed on {QUAD_CALLS:,} tests; its time is scaled up in proportion.\n")
    good = True
    for section in (imports, bayes_t, bayes_f):
        for row in section(rng):
            good &= row.good
            print(f"{'ok  ' if row.good else 'MISS'} {row.what}")
            print(f"       {row.measured}   wanted: {row.wanted}")
        peak = peak_megabytes()
        good &= not peak >= MEMORY_MB
        print(f"     peak memory so far {peak:.0f} MB   wanted: < {MEMORY_MB} MB\n", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

"""Mutated input for every reader, on every core: ``python benchmarks/fuzz.py --cases 50000``.

Prints a line per reader that ended in anything but a result or a message, and the number of cases.
"""

import argparse
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
SLOW = ("Parquet", "workbook")


def tried(part: tuple[str, int, int]) -> tuple[str, int, Counter[str]]:
    """Give one reader a run of seeds, and count what should not come out of it."""
    from tests.hostile.test_mutations import READERS

    from concord.errors import ConcordError

    name, first, last = part
    faults: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first, last):
            try:
                READERS[name](random.Random(seed), Path(folder))
            except ConcordError:
                continue
            except Exception as fault:  # noqa: BLE001 - anything else is what is looked for
                faults[f"{type(fault).__name__}: {str(fault)[:80]} (first seed {seed})"] += 1
    return name, last - first, faults


def main() -> None:
    """Divide the cases over the readers and the cores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=10_000)
    chosen = parser.parse_args()
    from tests.hostile.test_mutations import READERS

    each = -(-chosen.cases // len(READERS))
    parts = [
        (name, chosen.seed + k, chosen.seed + min(k + 50, n))
        for name in READERS
        for n in [each // 5 if any(word in name for word in SLOW) else each]
        for k in range(0, n, 50)
    ]
    start, total, bad = time.perf_counter(), 0, 0
    with ProcessPoolExecutor() as pool:
        for name, n, faults in pool.map(tried, parts):
            total, bad = total + n, bad + sum(faults.values())
            for text, count in faults.items():
                print(f"{name}: {count} × {text}")
    print(f"{len(READERS)} readers, {total:,} cases, {bad} faults, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

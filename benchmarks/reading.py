"""Seconds that the reader takes for replies of a million characters: ``python benchmarks/reading.py``."""

import sys
import time
from typing import Any

from concord.reading import read_reply

MILLION, SECONDS = 1_000_000, 2.0
PARTS = (
    "DIAGNOSIS \t", " \t", "the answer is ", "I would ", "A\n", "[[", '{"a":', "<think>", "> A\n", "A B ",
    "1. 2, ", "Well, it is 5. ", "é答", "The answer is A.\n", "x: 4, ", "| x | 4 |\n", "\\boxed{", "not ",
)  # fmt: skip
ASKED: dict[str, dict[str, Any]] = {
    "choices": {"choices": ["x", "y"]},
    "number": {"number": (0, 9)},
    "labels": {"labels": ["x y"]},
    "ranking": {"ranking": ["x", "y"]},
    "split": {"split": (9, ["x", "y"])},
}


def main() -> int:
    slowest = 0.0
    for part in PARTS:
        text = (part * (MILLION // len(part) + 1))[:MILLION]
        taken = {}
        for name, asked in ASKED.items():
            begin = time.thread_time()
            read_reply(text, **asked)
            taken[name] = time.thread_time() - begin
        slowest = max(slowest, *taken.values())
        print(f"{part!r:24}", *(f"{name} {seconds:.2f} s" for name, seconds in taken.items()))
    print(f"slowest {slowest:.2f} s, wanted: < {SECONDS:g} s")
    return 0 if slowest < SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())

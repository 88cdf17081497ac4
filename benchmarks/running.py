"""Overhead of a run against a bare Inspect evaluation, and its memory: ``python benchmarks/running.py``.

Every figure comes from a fresh process; evaluations and runs take turns: a busy machine slows both.
"""

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

PAUSE = 0.005
CONNECTIONS = 50
WANTED_RATIO, WANTED_GROWTH = 0.85, 1.20


def provider() -> None:
    """Register `bench/x`, which answers after a short pause."""
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    class BenchAPI(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            await asyncio.sleep(PAUSE)
            output = ModelOutput.from_content(self.model_name, "A. I think so, " + "for this reason " * 40)
            output.usage = ModelUsage(input_tokens=50, output_tokens=100, total_tokens=150)
            return output

    @modelapi(name="bench")
    def bench() -> type[ModelAPI]:
        return BenchAPI


def design(n: int) -> Any:
    from concord.structure.design import design_structure

    whole = design_structure("options-en", repeats=n // 552 + 1)
    return replace(whole, trials=whole.trials[:n])


def bare(n: int, folder: Path) -> float:
    """Seconds of Inspect alone on the same prompts, its logs as they come."""
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.solver import generate

    samples = [Sample(id=i, input=t.messages[0].text) for i, t in enumerate(design(n).trials)]
    task = inspect_ai.Task(dataset=MemoryDataset(samples), solver=generate())
    begin = time.perf_counter()
    inspect_ai.eval(
        task,
        model="bench/x",
        display="none",
        log_dir=str(folder),
        max_connections=CONNECTIONS,
        max_samples=CONNECTIONS,
    )
    return time.perf_counter() - begin


def run(n: int, folder: Path) -> float:
    """Seconds of `concord run`, from plan to closed folder."""
    from concord import runs
    from concord.asking.keys import Sampling
    from concord.asking.run import Connection, Job

    job = Job(
        design(n),
        "bench/x",
        Sampling(temperature=0.0, max_tokens=512),
        Connection(max_connections=CONNECTIONS),
    )
    begin = time.perf_counter()
    result = runs.run_job(job, folder / "run")
    assert result.outcomes == {"ok": n}, result.outcomes
    return time.perf_counter() - begin


def child(kind: str, n: int) -> None:
    import inspect_ai

    provider()
    with tempfile.TemporaryDirectory() as folder:
        # The first evaluation of a process loads what Inspect loads late.
        warm = [inspect_ai.dataset.Sample(id=1, input="x")]
        inspect_ai.eval(inspect_ai.Task(dataset=warm), model="bench/x", display="none", log_dir=folder)
        seconds = (bare if kind == "bare" else run)(n, Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak}))


def measured(kind: str, n: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", kind, "--trials", str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", choices=["bare", "run"])
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, nargs=2, default=[1000, 5000])
    options = parser.parse_args()
    if options.child:
        child(options.child, options.trials)
        return
    n = options.trials
    pairs = [(measured("bare", n), measured("run", n)) for _ in range(options.rounds)]
    ratio = statistics.median(theirs["seconds"] / ours["seconds"] for theirs, ours in pairs)
    for theirs, ours in pairs:
        print(f"{n} trials: bare {n / theirs['seconds']:.0f}/s, concord run {n / ours['seconds']:.0f}/s")
    print(f"speed of concord run, bare Inspect = 1: {ratio:.2f} (wanted: at least {WANTED_RATIO})")
    small, large = (measured("run", size)["peak"] for size in options.memory)
    growth = large / small
    print(
        f"peak memory at {options.memory[0]} and {options.memory[1]} trials: {small:.0f} and {large:.0f} MB"
    )
    print(f"growth: {growth:.2f} (wanted: at most {WANTED_GROWTH})")
    sys.exit(0 if ratio >= WANTED_RATIO and growth <= WANTED_GROWTH else 1)


if __name__ == "__main__":
    main()

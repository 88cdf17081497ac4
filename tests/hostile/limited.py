"""One command in a process of its own, under limits of memory and time, and what it took."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_RUN = """
import json, resource, sys
from concord.cli.app import main
sys.argv = ["concord", *sys.argv[1:]]
try:
    main()
finally:
    # the peak of this process alone: getrusage would also count what its parent held
    own = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in used)
    with open("used.json", "w") as file:
        json.dump({"mb": max(int(own[0]), used[1].ru_maxrss) / 1024, "cpu": seconds}, file)
"""


@dataclass(frozen=True)
class Outcome:
    """What became of a command."""

    code: int
    out: str
    err: str
    seconds: float
    """Of processor time, since a busy machine takes longer."""
    megabytes: float
    """Most that the command, or a process it started, held."""


def run_limited(arguments: list[str], folder: Path, *, wall: float = 300) -> Outcome:
    """Run a command of Concord in a folder and measure it."""
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", _RUN, *arguments],
        cwd=folder, capture_output=True, timeout=wall, check=False,
    )  # fmt: skip
    used = {"mb": float("nan"), "cpu": time.perf_counter() - started}
    if (folder / "used.json").is_file():
        used = json.loads((folder / "used.json").read_text("utf-8"))
    return Outcome(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"),
        used["cpu"], used["mb"],
    )  # fmt: skip

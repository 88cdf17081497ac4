"""`concord` in a process of its own, with the scripted provider."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("scripted.py")


def environment(home: Path, **more: str) -> dict[str, str]:
    """A clean environment: whatever a library writes goes below ``home``."""
    kept = {name: os.environ[name] for name in ("PATH", "CONCORD_CACHE", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), **more}


def concord(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        cwd=cwd,
        env=environment(cwd, **more),
        capture_output=True,
        text=True,
        timeout=600,  # a guard against hanging, far above what a busy machine takes
        check=False,
    )


def start(*arguments: str, cwd: Path, **more: str) -> subprocess.Popen[str]:
    """Start a command."""
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *arguments],
        cwd=cwd,
        env=environment(cwd, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

"""Time a newcomer's path: ``python tools/newcomer.py``.

A fresh clone, a fresh environment, the README's first command as it is printed, and the page that it names,
opened in a browser where playwright and chromium are there. No other step is taken, so that a step the README
does not name makes this fail.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

ROOT = Path(__file__).resolve().parents[1]


def first_command(readme: str) -> str:
    r"""Return the first command of the README, without its comment.

    Examples
    --------
    >>> first_command("# A\n\n```bash\npip install -e . && concord demo   # offline\npytest\n```")
    'pip install -e . && concord demo'
    """
    block = re.search(r"```bash\n(.*?)\n", readme)
    assert block is not None, "the README begins with no command"
    return block[1].partition("#")[0].strip()


@contextmanager
def _timed(what: str) -> Iterator[None]:
    begin = time.monotonic()
    yield
    sys.stdout.write(f"{what}: {time.monotonic() - begin:.1f} s\n")
    sys.stdout.flush()


def _look(address: str) -> str:
    """Open the page; give its heading, or say why it was not opened."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return "not opened: playwright is not installed"
    chromium = which("chromium")
    if chromium is None:
        return "not opened: there is no chromium"
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    complaints: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page()
        page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
        page.goto(address)
        heading = page.locator("h1").inner_text()
        browser.close()
    assert not complaints, f"the page complains: {complaints}"
    return f"shows {heading!r}"


def main() -> int:
    """Walk the path and print the seconds of each step."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        clone, venv = Path(made) / "concord", Path(made) / "venv"
        with _timed("clone"):
            subprocess.run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), clone], check=True)
        with _timed("environment"):
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        command = first_command((clone / "README.md").read_text("utf-8"))
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))
        }
        env = {**kept, "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": made}
        with _timed(f"`{command}`"):
            done = subprocess.run(
                ["bash", "-c", command], cwd=clone, env=env, capture_output=True, text=True, check=False
            )
        assert done.returncode == 0, done.stdout + done.stderr
        named = re.findall(r"file://\S+\.html", done.stdout + done.stderr)
        assert named, "the command names no page to open"
        with _timed("page"):
            sys.stdout.write(f"{_look(named[-1])}\n")
        sys.stdout.write(f"from nothing to an open report: {time.monotonic() - begin:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A real browser for tests: Debian's chromium, driven by playwright, never the network."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]


def chromium() -> str:
    """Return the path of chromium, or skip the test with the reason."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no chromium on this machine; install it with: apt-get install chromium")
    return found


def axe_source() -> str:
    """Return the script of axe-core, or skip the test with the reason."""
    named = os.environ.get("CONCORD_AXE")
    file = Path(named) if named else ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not file.is_file():
        pytest.skip("no axe-core here; install it with: npm install --no-save axe-core@4.10.3")
    return file.read_text("utf-8")


@contextmanager
def launched() -> Iterator["Browser"]:
    """Start the browser and end it."""
    path = chromium()
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A tab, and everything in it that should not have happened."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", lambda request: self._request(request.url))

    def _request(self, url: str) -> None:
        if not url.startswith(("file:", "blob:")):
            self.faults.append(f"request: {url}")

    def open(self, file: Path) -> "Page":
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-built]", timeout=20_000)
        return self.page

"""The view in a real browser: a run appears while the list is open, and a correction by hand is kept."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.show.browser import launched
from tests.view.test_view import _run

from concord.asking.replies import CORRECTIONS, Correction, read_corrections

pytest.importorskip("uvicorn", reason="the extra `view` is not installed")
pytestmark = pytest.mark.long


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    command = [sys.executable, "-u", "-c", "from concord.cli.app import main; main()", "view", str(tmp_path)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert started.stdout is not None
        found = next(match for line in started.stdout if (match := re.search(r"http://\S+", line)))
        yield found.group()
    finally:
        started.terminate()
        started.communicate(timeout=20)


def test_a_run_appears_and_a_correction_is_kept(address: str, tmp_path: Path) -> None:
    with launched() as browser:
        page = browser.new_page()
        page.goto(address)
        assert page.locator("#runs tr").count() == 0
        _run(tmp_path / "one")
        page.locator("#runs a").click(timeout=20_000)
        page.get_by_text("2 of 3").wait_for(timeout=20_000)
        page.get_by_role("link", name="all", exact=True).click()
        page.locator("input[name=read_as]").first.fill("gout")
        page.locator("article button").first.click()
        page.get_by_text("1 reply is read otherwise").wait_for(timeout=20_000)
    assert list(read_corrections(tmp_path / "one" / CORRECTIONS).values()) == [
        Correction("v0", "cot", 0, "gout")
    ]

"""The finished reports of the documentation site; run as a script it takes the README's picture.

They are made from bundled data alone: what `concord demo` ends with, and the recorded replies of the embedded
model beside scripted ones, which show what several models look like side by side. The picture shows the first
of them, as chromium does.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
if str(TOOLS) not in sys.path:  # the tools are scripts, no package
    sys.path.insert(0, str(TOOLS))

PICTURE = TOOLS.parent / "docs" / "assets" / "report.png"
SIZE = (1280, 800)


def pages() -> Iterator[tuple[str, str]]:
    """Return the address of every example in the site's sources, with its text."""
    import docs_cast

    docs_cast.started()
    several = several_models()
    yield "examples/demo-report.html", docs_cast.demo().page
    yield "examples/several-models.html", several


def several_models() -> str:
    """Return the page about the reasoning of one recorded and three scripted models."""
    from concord import api
    from drawn.shared import scripted

    with tempfile.TemporaryDirectory() as made:
        for result in scripted():
            result.write(Path(made) / "results")
        title = "Does reasoning do work? Four models"
        page = api.report(Path(made) / "results", out=Path(made) / "page.html", title=title)
        return page.path.read_text("utf-8")


def take_picture(page: Path) -> None:
    """Take the README's picture: the first screen of the first example, as a browser shows it."""
    from shutil import which

    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=which("chromium"), args=flags)
        view = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        view.goto(page.as_uri())
        view.wait_for_selector("html[data-built]")
        view.screenshot(path=PICTURE)
        browser.close()


def main() -> int:
    """Take the picture anew."""
    with tempfile.TemporaryDirectory() as made:
        page = Path(made) / "page.html"
        page.write_text(next(text for _, text in pages()), "utf-8")
        take_picture(page)
    sys.stdout.write(f"wrote {PICTURE.name}, {PICTURE.stat().st_size / 1000:.0f} kB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The built site: strict, every link and anchor leads somewhere, nothing is loaded from elsewhere."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.docs.tools import GENERATED
from tests.show.browser import launched

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]


class Page(HTMLParser):
    """What a page names: ids, links, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids |= {value for key in ("id", "name") if (value := found.get(key)) is not None}
        if tag == "a" and found.get("href") is not None:
            self.links.append(str(found["href"]))
        if tag in ("script", "img", "link", "iframe"):
            self.loaded += [str(found[key]) for key in ("src", "href") if found.get(key) is not None]


WRITTEN = ("index.html", "gallery.html")
"""Pages next to the examples that are not examples."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    """Every page of the site that `CONCORD_SITE` names, or of one that is built as .ci/run builds it."""
    out = _site(tmp_path_factory)
    examples = out / "examples"
    pages = [path for path in out.rglob("*.html") if path.parent != examples or path.name in WRITTEN]
    return {path: Page(path.read_text("utf-8")) for path in pages if path.name != "404.html"}


def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = os.environ.get("CONCORD_SITE")
    if built is not None:
        return Path(built).resolve()
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed: the site cannot be built")
    pytest.importorskip("latex2mathml", reason="latex2mathml is not installed: the site cannot be built")
    out = tmp_path_factory.mktemp("site").resolve()
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_every_example_is_a_small_page_and_is_linked(site: dict[Path, Page]) -> None:
    folder = next(path.parent for path in site if path.parts[-2:] == ("examples", "index.html"))
    made = [path for path in folder.glob("*.html") if path.name not in WRITTEN]
    index = (ROOT / "docs" / "examples" / "index.md").read_text("utf-8")
    assert {path.name for path in made} == set(re.findall(r"\((\S+\.html)\)", index))
    assert {f"examples/{path.name}" for path in made} <= GENERATED
    for path in made:
        text = path.read_text("utf-8")
        assert text.startswith("<!doctype html>"), path.name
        # the demo: fifteen agents, each for the referee too
        assert 100_000 < len(text.encode()) < 2_000_000, path.name


def test_every_link_and_anchor_of_the_site_leads_somewhere(site: dict[Path, Page]) -> None:
    dead = []
    for path, page in site.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchored = parts.fragment and target in site
            if not target.exists() or (anchored and unquote(parts.fragment) not in site[target].ids):
                dead.append(f"{path.name}: {link}")
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(site: dict[Path, Page]) -> None:
    assert [link for page in site.values() for link in page.loaded if urlsplit(link).netloc] == []


def test_formulas_are_shown_and_no_markup_of_docstrings_is_left(site: dict[Path, Page]) -> None:
    texts = {path.name: path.read_text("utf-8") for path in site}
    assert sum(text.count("<math ") for text in texts.values()) > 100
    markup = re.compile(r':math:|\.\. math|class="arithmatex"|:func:')
    assert {name: markup.findall(text) for name, text in texts.items() if markup.search(text)} == {}


def test_every_described_object_is_on_its_built_page(site: dict[Path, Page]) -> None:
    built = {path.stem: page.ids for path, page in site.items() if path.parent.name == "api"}
    for page in sorted((ROOT / "docs" / "reference" / "api").glob("*.md")):
        names = re.findall(r"^::: (\S+)$", page.read_text("utf-8"), re.MULTILINE)
        assert [name for name in names if name not in built[page.stem]] == []


def test_the_notebook_is_a_page_with_its_pictures(site: dict[Path, Page]) -> None:
    text = next(path for path in site if path.stem == "faithfulness").read_text("utf-8")
    assert text.count('<div class="drawing"><svg') >= 1
    assert "Download this notebook" in text


SEEN = (
    "index",
    "tutorial",
    "run-on-a-cluster",
    "differences",
    "result-folders",
    "stats-evidence",
    "faithfulness",
)


def test_nothing_is_cut_off_on_a_phone(site: dict[Path, Page]) -> None:
    """A page is as wide as the screen; what is wider, code or a table, scrolls by itself."""
    root = next(path for path in site if path.name == "tutorial.html").parent
    seen = [path for path in site if path.stem in SEEN and (path.stem != "index" or path.parent == root)]
    assert len(seen) == len(SEEN)
    with launched() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 800})
        for path in seen:
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path.name


def test_every_explanation_shows_its_figure_and_the_first_page_its_recording(site: dict[Path, Page]) -> None:
    drawn = {path: path.read_text("utf-8").count('<figure class="drawn"') for path in site}
    explanations = [path for path in site if path.parent.name == "explanation"]
    assert len(explanations) > 30
    assert [path.name for path in explanations if not drawn[path]] == []
    home = next(
        path for path in site if path.name == "index.html" and (path.parent / "assets" / "demo.svg").exists()
    )
    assert drawn[home] == 3
    assert (home.parent / "assets" / "demo.svg").stat().st_size < 60_000
    recording = (home.parent / "assets" / "demo.svg").read_text("utf-8")
    assert "GPT5 most often of 15 designs" in recording
    assert "http" not in recording.replace("http://www.w3.org/2000/svg", "")
    gallery = next(path for path in site if path.name == "gallery.html")
    assert drawn[gallery] >= 12


@pytest.mark.slow
def test_no_code_is_cut_on_a_desktop(site: dict[Path, Page]) -> None:
    cut = []
    with launched() as browser:
        tab = browser.new_page(viewport={"width": 1440, "height": 900})
        for path in sorted(site)[::3]:
            tab.goto(path.as_uri())
            wide = tab.evaluate(
                "[...document.querySelectorAll('pre code')].filter(e => e.scrollWidth > e.clientWidth + 1)"
                ".length"
            )
            cut += [f"{path.name}: {wide}"] if wide else []
    assert cut == []

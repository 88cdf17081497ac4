"""A payload in every string of every result file: in a real browser nothing runs and nothing is fetched."""

import csv
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.show.browser import Watched, launched
from tests.show.made_sections import write_sections

from concord import api, reports
from concord.files.output import csv_text, safe_name

pytestmark = pytest.mark.long

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAYLOADS = {
    "script": "</script><script>window.hacked = 1</script></style><style>body{display:none}</style>",
    "image": "<img src=//127.0.0.1:9 onerror='window.hacked = 2'>\" onclick='window.hacked = 3' x=\"",
    "svg": "<svg onload='window.hacked = 4'><a href='javascript:window.hacked = 5'>x</a></svg>",
    "braces": "{{ 7 * 7 }}{% raw %}${window.hacked = 6}\u202eturned\u2066\x1b]8;;http://x\x07",
    "prototype": "__proto__",
}
STRUCTURAL = frozenset({
    "format", "kind", "reading", "rules", "protocol", "scope", "negation", "multiple",
    "metric",
})  # fmt: skip
"""Keys whose words decide how a file is read; with a payload there the file is refused, and so not shown."""


def spoilt(value: Any, payload: str, key: str = "") -> Any:
    """Return a document with the payload at the end of every text and as a key of every object."""
    if isinstance(value, dict):
        kept = {name: spoilt(one, payload, name) for name, one in value.items()}
        return {**kept, payload: payload} if key in ("options", "packages", "model_settings") else kept
    if isinstance(value, list):
        return [spoilt(one, payload, key) for one in value]
    if not isinstance(value, str) or key in STRUCTURAL:
        return value
    return payload if payload == "__proto__" and key == "model" else value + payload


def _json(path: Path, payload: str) -> None:
    path.write_text(json.dumps(spoilt(json.loads(path.read_text("utf-8")), payload)), "utf-8")


def _lines(path: Path, payload: str) -> None:
    rows = [spoilt(json.loads(line), payload) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _csv(path: Path, payload: str) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    cells = [[cell + payload if _is_text(cell) else cell for cell in row] for row in rows]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_text(head, cells))


def _is_text(cell: str) -> bool:
    """Whether a cell holds words: numbers, flags and gaps stay."""
    try:
        float(cell)
    except ValueError:
        return cell not in ("", "true", "false")
    return False


SPOIL: dict[str, Callable[[Path, str], None]] = {".json": _json, ".jsonl": _lines, ".csv": _csv}


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def compared(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the three questions, a comparison, and a result of every further section."""
    folder = tmp_path_factory.mktemp("compared") / "results"
    shutil.copytree(results, folder)
    one, two = sorted(folder.glob("agent*"))
    api.compare(one, two, n_flips=100).write(folder / "comparison")
    return write_sections(folder)


def _made(compared: Path, folder: Path, payload: str) -> tuple[Path, int]:
    shutil.copytree(compared, folder / "results")
    files = [path for path in (folder / "results").rglob("*") if path.suffix in SPOIL]
    for path in files:
        SPOIL[path.suffix](path, payload)
    for path in list((folder / "results").rglob("evaluation_results.json")):  # a folder has its study's name
        path.parent.rename(path.parent.with_name(safe_name(path.parent.name + payload)))
    made = api.report(folder / "results", out=folder / "r.html", title=f"Title {payload}")
    assert not made.problems
    return made.path, made.n_results


def _touch_everything(page: "Page") -> int:
    """Open every fold, choose every option, click every button that changes the page; return how many."""
    return int(
        page.evaluate(
            """() => {
        let n = 0;
        for (const fold of document.querySelectorAll('details')) { fold.open = true; n += 1; }
        for (const select of document.querySelectorAll('select')) {
            for (const option of [...select.options].slice(0, 6)) {
                select.value = option.value;
                select.dispatchEvent(new Event('change', {bubbles: true})); n += 1;
            }
        }
        for (const field of document.querySelectorAll('input[type=search]')) {
            field.value = 'hacked'; field.dispatchEvent(new Event('input', {bubbles: true}));
            field.value = ''; field.dispatchEvent(new Event('input', {bubbles: true})); n += 1;
        }
        const buttons = [...document.querySelectorAll('button:not([data-download])')];
        for (const button of buttons.slice(0, 150)) {
            button.click(); n += 1;
            for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
        }
        for (const dot of [...document.querySelectorAll('svg[data-low] circle')].slice(0, 10)) {
            dot.dispatchEvent(new MouseEvent('click', {bubbles: true})); n += 1;
            for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
        }
        return n;
    }"""
        )
    )


STRAYS = """() => {
    const strays = 'main img, main iframe, main object, main embed, main base, main link, main script,'
        + ' main style, main meta, a[href^="javascript"]';
    const handlers = [...document.querySelectorAll('*')].filter(
        (one) => [...one.attributes].some((attribute) => attribute.name.startsWith('on')));
    return [document.querySelectorAll(strays).length, handlers.length,
        Object.keys(Object.prototype).length, ({}).hacked === undefined, window.hacked === undefined];
}"""


@pytest.mark.parametrize("kind", list(PAYLOADS))
def test_a_payload_in_every_string_runs_nothing_and_fetches_nothing(
    browser: "Browser", compared: Path, tmp_path: Path, kind: str
) -> None:
    file, n_results = _made(compared, tmp_path, PAYLOADS[kind])
    assert n_results == 29
    context = browser.new_context()
    tab = Watched(context.new_page())
    page = tab.open(file)
    assert _touch_everything(page) > 100
    for section in reports.SECTIONS:
        assert page.locator(f"#{section.SECTION}-h").count() == 1
    assert page.evaluate(STRAYS) == [0, 0, 0, True, True]
    shown = page.locator("body").inner_text()
    context.close()
    assert tab.faults == []
    assert {"script": "window.hacked = 1", "image": "onerror", "svg": "onload", "braces": "{{ 7 * 7 }}",
            "prototype": "__proto__"}[kind] in shown  # fmt: skip

"""The documentation is true: its code runs, what it prints is what it says, its links lead somewhere.

``CONCORD_WRITE_DOCS=1 pytest tests/docs`` puts what the code prints into the pages, to be read before it is
kept.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from concord.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS]
SHELLS = ("bash", "console", "sh")

_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"/\\]+)"')
_COMMAND = re.compile(r"(?:^|&& )(concord [^#&|>\n]*?)\s*(?:#\s*exit (\d).*|#.*)?$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block, and the output that stands right below it."""

    info: str
    text: str
    line: int
    output: str | None

    @property
    def language(self) -> str:
        return self.info.split()[0] if self.info.split() else ""


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    found = list(_FENCE.finditer(text))
    blocks = []
    for i, match in enumerate(found):
        after = found[i + 1] if i + 1 < len(found) else None
        follows = after is not None and not text[match.end() : after.start()].strip()
        output = after.group(2) if after is not None and follows and after.group(1) == "text" else None
        line = text.count("\n", 0, match.start()) + 1
        blocks.append(Block(match.group(1).strip(), match.group(2), line, output))
    return blocks


def _run_python(block: Block, page: Path, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    code = compile("\n" * block.line + block.text, _name(page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def _run_commands(block: Block, page: Path) -> str:
    printed = ""
    for match in _COMMAND.finditer(block.text):
        expected = int(match.group(2)) if match.group(2) else 0
        result = CliRunner().invoke(app, shlex.split(match.group(1))[1:], prog_name="concord")
        told = f"{_name(page)}: {match.group(1)!r} exits with {result.exit_code}\n{result.output}"
        assert result.exit_code == expected, told
        printed += result.output if expected else result.stdout
    return printed


def _run(block: Block, page: Path, names: dict[str, Any]) -> str | None:
    """Run a block; what it prints, or None for a block that does nothing."""
    title = _TITLE.search(block.info)
    if title is not None:
        Path(title.group(1)).write_text(block.text, "utf-8")
        return None
    if block.language == "python":
        return _run_python(block, page, names)
    return _run_commands(block, page) if block.language in SHELLS else None


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def _runnable(page: Path) -> bool:
    return any(block.language in ("python", *SHELLS) for block in _blocks(page))


@pytest.mark.parametrize("page", [page for page in PAGES if _runnable(page)], ids=_name)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    names: dict[str, Any] = {"__name__": "page"}
    for block in _blocks(page):
        printed = _run(block, page, names)
        if block.output is None or printed is None or _fits(block.output, printed):
            continue
        assert os.environ.get("CONCORD_WRITE_DOCS"), f"{_name(page)}, line {block.line}, prints:\n{printed}"
        _replace_output(page, block, _plain(printed))


def _fits(output: str, printed: str) -> bool:
    """Whether a page says what its code prints; three dots stand for anything."""
    return doctest.OutputChecker().check_output(_plain(output), _plain(printed), doctest.ELLIPSIS)


def _replace_output(page: Path, block: Block, printed: str) -> None:
    text = page.read_text("utf-8")
    old = f"{block.text}```\n\n```text\n{block.output}```"
    assert text.count(old) == 1, f"{_name(page)}, line {block.line}: cannot place what the code prints"
    page.write_text(text.replace(old, f"{block.text}```\n\n```text\n{printed}```"), "utf-8")


def test_the_first_screen_of_the_readme_shows_both_commands_and_short_python() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    screen = text[: text.index("## ")]
    assert "pip install -e . && concord demo" in screen
    assert "pip install -e '.[dev]' && pytest" in screen
    python = next(block for block in _blocks(ROOT / "README.md") if block.language == "python")
    assert len([line for line in python.text.splitlines() if line.strip()]) <= 8


def test_the_continuous_integration_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "pip install --quiet -e '.[dev]'\n" in script
    assert 'step "tests" pytest\n' in script


def _links(page: Path) -> Iterator[tuple[Path, str, str]]:
    """Give the local links of a page: file, anchor, and the link as written."""
    for target in _LINK.findall(_FENCE.sub("", page.read_text("utf-8"))):
        if "://" not in target and not target.startswith("mailto:"):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor, target


def _anchors(page: Path) -> set[str]:
    """Give the anchors of a page's headings, as Markdown renderers make them."""
    titles = _HEADING.findall(_FENCE.sub("", page.read_text("utf-8")))
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)) for title in titles]
    return {title.strip().lower().replace(" ", "-") for title in plain}


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_between_pages_resolve(page: Path) -> None:
    for path, anchor, written in _links(page):
        assert path.exists(), f"{_name(page)}: {written} leads nowhere"
        if anchor:
            assert anchor in _anchors(path), f"{_name(page)}: {written} has no such heading"


def test_every_page_can_be_reached_from_the_index() -> None:
    reached, waiting = set(), [ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        waiting += [path for path, _, _ in _links(page) if path.suffix == ".md"]
    assert [_name(page) for page in DOCS if page not in reached] == []


def _written_files() -> Iterator[Path]:
    """Give every text file that a user of the project receives."""
    yield from PAGES
    yield from (ROOT / name for name in ("pyproject.toml", ".importlinter", ".ci/run"))
    for folder in ("src", "tools", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in (".py", ".md", ".csv", ".json", ".toml", ""):
                yield path


def test_no_file_holds_a_path_of_a_machine_or_names_a_package_index() -> None:
    machine = re.compile(r"(?<![\w./])/(?:home|root|work|tmp|Users|opt|mnt|var)/\w")
    index = re.compile(r"pypi\.\w|pythonhosted|--(?:extra-)?index-url|--find-links", re.IGNORECASE)
    found = []
    for path in _written_files():
        text = path.read_text("utf-8")
        found += [
            f"{_name(path)}: {match.group()}" for match in (*machine.finditer(text), *index.finditer(text))
        ]
    assert found == []


def _live_options() -> set[str]:
    """Give every option of every command."""
    import typer

    options: set[str] = {"--help"}
    waiting: list[Any] = [typer.main.get_command(app)]
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        options.update(
            name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)
        )
    return options


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=_name)
def test_every_option_a_page_mentions_exists(page: Path) -> None:
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text("utf-8")))
    assert mentioned - _live_options() == set()

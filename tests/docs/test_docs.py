"""The documentation is true: its code runs, what it prints is what it says, its links lead somewhere.

``CONCORD_WRITE_DOCS=1 pytest tests/docs`` puts what the code prints into the pages, to be read before it is
kept.
"""

import contextlib
import doctest
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.docs.shell import NOT_RUN, Shell, swept
from tests.docs.tools import is_generated
from tests.structure.scores import samples as samples_of
from tests.structure.scores import scored as scored_structure

import concord
from concord import api
from concord.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS]
SHELLS = ("bash", "console", "sh")

_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"/\\]+)"')
_TYPED = re.compile(
    r"^\s*(\$ |>>> |concord |pip |inspect |dask |python |import |from \w+ import )", re.MULTILINE
)
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


@cache
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
    asking = swept() if "concord.run(" in block.text else contextlib.nullcontext()
    with contextlib.redirect_stdout(printed), asking:
        exec(code, names)
    return printed.getvalue()


def _run(block: Block, page: Path, names: dict[str, Any], shell: Shell) -> str | None:
    """Run a block; what it prints, or None for a block that does nothing."""
    title = _TITLE.search(block.info)
    if title is not None:
        Path(title.group(1)).write_text(block.text, "utf-8")
        return None
    if block.language == "python":
        return _run_python(block, page, names)
    return shell.run(block.text) if block.language in SHELLS else None


def _two_of_each() -> None:
    """What a reader of the page about comparison brings: logs and results of two models."""
    recorded = ROOT / "tests" / "comparing" / "logs"
    for name, log in (("a", "first"), ("b", "second")):
        samples = next((recorded / log).glob("samples_sums_*"))
        for source, target in (
            (recorded / f"{log}.eval", f"logs/{name}.eval"),
            (samples, f"out/{name}/dummy/{samples.name.replace('sums', 'gsm8k')}"),
        ):
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        api.score_people(api.demo_table(), n_resamples=0, n_simulations=0).write(f"people/model-{name}")
        _reasoning(f"model-{name}")
        scored_structure(Path(f"structure/model-{name}"), samples_of(f"model-{name}", seed=ord(name)))


def _reasoning(model: str) -> None:
    samples = [{"id": str(i), "gold_answer": "Asthma"} for i in range(12)]
    replies = [
        {"id": row["id"], "mode": mode, "response": "Asthma" if (i + len(mode)) % 3 else "Gout"}
        for i, row in enumerate(samples)
        for mode in ("cot", "direct")
    ]
    concord.score_reasoning(samples, replies, model=model).write("reasoning")


def _structure_scores() -> None:
    """What a reader of the page about structure brings: two folders and a long table."""
    import polars as pl

    rows = [("m", order, item) for order in ("AB", "BA") for item in ("one", "two")]
    frame = pl.DataFrame(rows, schema=["model", "arrangement", "item"], orient="row")
    frame = frame.with_columns(S_mean=pl.lit(0.5), S_max=pl.lit(0.75))
    frame.write_parquet("scores.parquet")
    for folder in ("mean", "max"):
        Path(f"baseline_{folder}").mkdir()
        for order in ("AB", "BA"):
            cells = frame.filter(arrangement=order).select("item", pl.col(f"S_{folder}").alias("S_Acc"))
            cells.write_csv(f"baseline_{folder}/m_{order}.csv")


def _replies_from_elsewhere() -> None:
    """What a reader who collected replies by another program brings."""
    rows = [{"id": f"mugs/pricing/{i}/1/1", "response": str(3 + i % 5)} for i in range(1, 121)]
    Path("replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


BROUGHT: dict[str, Callable[[], None]] = {
    "docs/tutorials/logs-to-pull-request.md": _two_of_each,
    "docs/how-to/compare-two-logs.md": _two_of_each,
    "docs/how-to/score-structure.md": _structure_scores,
    "docs/how-to/from-a-paper-to-a-study.md": _replies_from_elsewhere,
}
"""Files that the reader of a page has and the page does not make."""


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def _runnable(page: Path) -> bool:
    return any(block.language in ("python", *SHELLS) for block in _blocks(page))


LONG = (
    "README.md",
    "docs/how-to/add-an-agent-design.md",
    "docs/how-to/from-a-paper-to-a-study.md",
    "docs/how-to/intervene-on-reasoning.md",
    "docs/how-to/inspect-extension.md",
    "docs/how-to/make-a-report.md",
    "docs/how-to/read-the-page.md",
    "docs/how-to/openai-compatible.md",
    "docs/how-to/replay-a-study.md",
    "docs/how-to/run-models.md",
    "docs/how-to/run-on-a-cluster.md",
    "docs/how-to/write-it-up.md",
    "docs/reference/cli.md",
    "docs/release-notes.md",
    "docs/tutorial.md",
    "docs/tutorials/synthetic-sample.md",
)
"""Pages that score all public agents, run the whole demo, ask models or start a cluster."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=_name(page), marks=pytest.mark.long if _name(page) in LONG else ())
        for page in PAGES
        if _runnable(page)
    ],
)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(
    page: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    names: dict[str, Any] = {"__name__": "page"}
    BROUGHT.get(_name(page), lambda: None)()
    with Shell(tmp_path, tmp_path_factory.getbasetemp()) as shell:
        for block in _blocks(page):
            printed = _run(block, page, names, shell)
            if block.output is None or printed is None or _fits(block.output, printed):
                continue
            where = f"{_name(page)}, line {block.line}"
            assert os.environ.get("CONCORD_WRITE_DOCS"), f"{where}, prints:\n{printed}"
            _replace_output(page, block, _plain(printed))


NOT_EXECUTED = {
    ("docs/how-to/run-on-a-cluster.md", "py"): "needs a Slurm cluster and dask-jobqueue",
}
"""Code that no test can run, by page and language, each with the reason."""


def _shown_output(page: Path) -> set[int]:
    """Return the lines of the blocks that show what the code above them prints."""
    blocks = _blocks(page)
    return {
        after.line
        for block, after in zip(blocks, blocks[1:], strict=False)
        if block.output is not None and block.language in ("python", *SHELLS)
    }


def _is_prose(block: Block) -> bool:
    """Whether a block is a formula, a tree or a layout: nothing that a reader would type or paste."""
    return block.language in ("", "text") and _TYPED.search(block.text) is None


def _is_data(block: Block) -> bool:
    """Whether a block is a fragment of data that at least reads as what it says it is."""
    if block.language == "json":
        json.loads(block.text)
    elif block.language == "yaml":
        assert yaml.safe_load(block.text) is not None
    return block.language in ("json", "yaml")


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_no_block_escapes(page: Path) -> None:
    shown = _shown_output(page)
    left = [
        f"line {block.line}: {block.info}"
        for block in _blocks(page)
        if block.language not in ("python", *SHELLS)
        and _TITLE.search(block.info) is None
        and block.line not in shown
        and (_name(page), block.language) not in NOT_EXECUTED
        and not (_is_prose(block) or _is_data(block) or _name(page) == "docs/reference/cli.md")
    ]
    assert left == [], "neither run, nor a file, nor output, nor data; the help page is tested elsewhere"


def test_every_exception_is_still_needed() -> None:
    texts = {_name(page): _blocks(page) for page in PAGES}
    for (page, language), reason in NOT_EXECUTED.items():
        assert any(block.language == language for block in texts[page]), f"no longer needed: {reason}"
    shells = [block.text for blocks in texts.values() for block in blocks if block.language in SHELLS]
    steps = [step.partition("#")[0].strip() for text in shells for step in re.split(r"\n|&&", text)]
    unused = [known for known in NOT_RUN if not any(re.fullmatch(known, step) for step in steps)]
    assert unused == []


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
    """Return the local links of a page: file, anchor, and the link as written."""
    for target in _LINK.findall(_FENCE.sub("", page.read_text("utf-8"))):
        if "://" not in target and not target.startswith("mailto:"):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor, target


@cache
def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as Markdown renderers make them."""
    titles = _HEADING.findall(_FENCE.sub("", page.read_text("utf-8")))
    plain = [re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)) for title in titles]
    return {title.strip().lower().replace(" ", "-") for title in plain}


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_between_pages_resolve(page: Path) -> None:
    for path, anchor, written in _links(page):
        if is_generated(path):
            continue
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
        found = [path for path, _, _ in _links(page) if path.suffix == ".md"]
        waiting += [path for path in found if not is_generated(path)]
    assert [_name(page) for page in DOCS if page not in reached] == []


def _written_files() -> Iterator[Path]:
    """Return every text file that a user of the project receives."""
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


@cache
def _live_options() -> set[str]:
    """Return every option of every command."""
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


OF_OTHERS = {
    *("--host", "--port", "--no-dashboard", "--nworkers", "--nthreads", "--cpus-per-task", "--wrap"),
    "--log-dir",
}
"""Options of vLLM, Dask, Slurm and Inspect, on the pages about them."""
ABOUT_OTHERS = tuple(
    f"docs/how-to/{name}.md" for name in ("run-on-a-cluster", "openai-compatible", "inspect-extension")
)


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=_name)
def test_every_option_a_page_mentions_exists(page: Path) -> None:
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text("utf-8")))
    about_others = _name(page) in ABOUT_OTHERS
    assert mentioned - _live_options() - (OF_OTHERS if about_others else set()) == set()


def test_the_version_to_cite_is_that_of_the_package() -> None:
    held = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert held["version"] == concord.__version__

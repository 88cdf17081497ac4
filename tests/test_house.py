"""The house: its surface, its packages, its sizes, and what an import costs."""

import ast
import importlib
import importlib.util
import inspect
import itertools
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import concord
import concord.api
import concord.stats

ROOT = Path(__file__).resolve().parents[1]


def _interpreter(code: str) -> str:
    """Run code in a fresh interpreter that sees the package as this one does; what it prints last."""
    path = f"import sys; sys.path.insert(0, {str(Path(concord.__file__).parents[1])!r})\n"
    done = subprocess.run([sys.executable, "-c", path + code], capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


@cache
def _loaded_by(code: str) -> frozenset[str]:
    """Return the modules that code loads beyond those of a bare interpreter."""
    tell = "import json\nprint()\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    return frozenset(json.loads(_interpreter(f"before = set(sys.modules)\n{code}\n{tell}")))


def _third_party(modules: frozenset[str]) -> set[str]:
    """Return the packages among modules that are neither ours nor Python's nor parts of compiled ones."""
    packages = {name.partition(".")[0] for name in modules}
    shown = {name for name in packages if not name.startswith("_") and name != "cython_runtime"}
    # numpy loads charset_normalizer by itself where somebody has installed it
    return shown - set(sys.stdlib_module_names) - {"concord", "charset_normalizer"}


@pytest.mark.parametrize("module", [concord, concord.api, concord.stats], ids=lambda module: module.__name__)
def test_all_names_what_can_be_imported(module: Any) -> None:
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_the_package_shows_what_all_names_and_nothing_else() -> None:
    assert dir(concord) == sorted(concord.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        concord.scores  # noqa: B018


def test_all_of_stats_is_what_it_defines_for_others() -> None:
    modules = {info.name for info in pkgutil.iter_modules(concord.stats.__path__)}
    named = set(concord.stats.__all__)
    assert {name for name in vars(concord.stats) if not name.startswith("_")} - modules == named - modules


def _stats_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """Return every public function that a module of the numbers defines."""
    for info in pkgutil.iter_modules(concord.stats.__path__, "concord.stats."):
        for name, function in inspect.getmembers(importlib.import_module(info.name), inspect.isfunction):
            if function.__module__ == info.name and name in concord.stats.__all__:
                yield name, function


@pytest.mark.parametrize("function", [pytest.param(f, id=name) for name, f in _stats_functions()])
def test_a_public_number_gives_its_references_and_an_example(function: Callable[..., object]) -> None:
    text = inspect.getdoc(function)
    assert text is not None
    assert "References\n----------\n" in text
    assert "Examples\n--------\n>>> " in text


def _of_numpy() -> set[str]:
    """What numpy and scipy load for themselves where it is installed."""
    return _third_party(_loaded_by("import numpy, scipy.special, scipy.optimize")) - {"numpy", "scipy"}


def test_importing_the_numbers_loads_numpy_and_scipy_alone() -> None:
    loaded = _loaded_by("import concord.stats")
    assert _third_party(loaded) - _of_numpy() == {"numpy", "scipy"}
    assert "scipy.stats" not in loaded


def test_no_part_of_the_numbers_loads_scipy_stats() -> None:
    walk = (
        "import importlib, pkgutil, concord.stats\n"
        "for info in pkgutil.iter_modules(concord.stats.__path__, 'concord.stats.'):\n"
        "    importlib.import_module(info.name)"
    )
    loaded = _loaded_by(walk)
    assert _third_party(loaded) - _of_numpy() == {"numpy", "scipy"}
    assert "scipy.stats" not in loaded


def test_importing_the_package_loads_no_other_package() -> None:
    assert _third_party(_loaded_by("import concord")) == set()


def _call(arguments: list[str]) -> str:
    """Return code that calls a command which succeeds."""
    return (
        "from concord.cli.app import app\n"
        f"try:\n    app({arguments!r})\n"
        "except SystemExit as done:\n    assert not done.code"
    )


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["score", "--help"], ["score", "people", "--help"]]
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    heavy = {"numpy", "scipy", "polars", "pandas", "fastexcel", "pyarrow"}
    loaded = _loaded_by(_call(arguments))
    assert "concord.cli.app" in loaded
    assert _third_party(loaded) & heavy == set()
    assert {"concord.api", "concord.people", "concord.files", "concord.show"} & loaded == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["score", "--help"]])
def test_help_of_a_group_loads_no_command_and_no_drawing_of_frames(arguments: list[str]) -> None:
    loaded = _loaded_by(_call(arguments))
    assert {name for name in loaded if name.startswith("concord.cli.")} == {
        "concord.cli.app",
        "concord.cli.shared",
    }
    assert "rich" not in _third_party(loaded)


def test_functions_and_files_are_short_enough() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "sizes.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "function bodies" in done.stdout


@cache
def _repetition() -> Any:
    spec = importlib.util.spec_from_file_location("repetition", ROOT / "tools" / "repetition.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _trees() -> Any:
    """Every module of the package, parsed once."""
    return _repetition().trees()


def test_only_a_question_and_the_records_of_all_spell_its_name() -> None:
    repetition = _repetition()
    assert repetition.question_literals(_trees()) == []


def test_no_public_class_name_occurs_twice() -> None:
    repetition = _repetition()
    assert repetition.class_names(_trees()) == {}


def test_few_function_names_are_those_of_several_modules() -> None:
    """The verbs of a shared shape may: read and write of results, the panels of the page, commands."""
    repetition = _repetition()
    found = repetition.function_names(_trees())
    assert len(found) <= 25, sorted(found)


@cache
def _imports() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = _repetition().imports()
    return graph


def test_no_siblings_import_each_other_in_a_circle() -> None:
    assert _repetition().cycles(_imports()) == []


def test_no_chain_of_imports_is_longer_than_sixteen_modules() -> None:
    """A longer one is shortened by structure: records apart from their readers, rules apart from results."""
    chain = _repetition().longest_chain(_imports())
    assert len(chain) <= 16, " -> ".join(chain)


def test_the_longest_chain_is_found() -> None:
    graph = {"a": {"b", "d"}, "b": {"c"}, "c": {"d"}, "d": set(), "e": {"c"}}
    assert _repetition().longest_chain(graph) == ["a", "b", "c", "d"]


def test_no_docstring_gives() -> None:
    repetition = _repetition()
    assert repetition.docstrings_of_give(_trees()) == []
    found = repetition.docstrings_of_give([("a.py", ast.parse('def f():\n    """Give it."""\n'))])
    assert found == ["a.py:2"]


def _specs(node: ast.AST) -> Iterator[str]:
    """Return the format specs of an expression: of f-strings, ``format``, ``str.format`` and ``%``."""
    if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        yield ast.unparse(node.format_spec)[2:-1]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "format":
        yield from (str(one.value) for one in node.args[1:] if isinstance(one, ast.Constant))
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from re.findall(r"\{\w*:([^{}]+)\}", node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        yield from re.findall(r"%(\.?\d*[efg])", str(node.left.value))


def _rounding(source: str) -> list[str]:
    """Return the format specs of a module that round, such as ``.2f`` or ``.0%``."""
    texts = (one for node in ast.walk(ast.parse(source)) for one in _specs(node))
    return [text for text in texts if re.search(r"\.[^.]*[efg%]$|[ef%]$", text)]


def test_numbers_are_rounded_for_readers_in_one_place() -> None:
    assert _rounding('f"{a:.2f} {b:,.0f} {c:.0%} {d:.{n}g} {e:>6.1f} {f:g} {g:,} {h:>8} {i}"') == [
        ".2f", ",.0f", ".0%", ".{n}g", ">6.1f"
    ]  # fmt: skip
    assert _rounding('"%.1f" % a; format(b, ".3g"); "{:.2e}".format(c)') == [".1f", ".3g", ".2e"]
    root = ROOT / "src" / "concord"
    allowed = ("show", "words", "number_words.py")
    other = (path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in allowed)
    found = {str(path): specs for path in other if (specs := _rounding(path.read_text("utf-8")))}
    assert not found, "numbers are written for readers by concord.number_words"


def _averages(source: str) -> list[str]:
    """Return what a module averages: a sum that is divided, or a function called so."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.left, ast.Call):
            found += [ast.unparse(node)] if ast.unparse(node.left.func) == "sum" else []
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).split(".")[-1]
            found += (
                [name] if name in ("mean", "fmean", "median", "nanmean", "std", "quantile", "average") else []
            )
    return found


def test_what_is_shown_is_not_computed_where_it_is_shown() -> None:
    assert _averages("a = sum(b) / len(b); c = np.mean(b); d = b.std()") == ["sum(b) / len(b)", "mean", "std"]
    root = ROOT / "src" / "concord" / "show"
    found = {str(path): one for path in root.rglob("*.py") if (one := _averages(path.read_text("utf-8")))}
    assert not found, "means and spreads belong to the record"


def test_the_search_for_names_of_questions_finds_them() -> None:
    repetition = _repetition()
    text = '"""people"""\nx = {"people": 1}\n"""structure"""\ny = "with people"\n'
    found = repetition.question_literals([("show/a.py", ast.parse(text)), ("people/b.py", ast.parse(text))])
    assert found == ["show/a.py:2 people"]


def test_packages_look_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlinter.cli import lint_imports

    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/explanation/architecture.md"])
def test_the_table_of_packages_names_what_there_is(page: str) -> None:
    lines = (ROOT / page).read_text("utf-8").splitlines()
    start = lines.index("| package | holds | must not |") + 2
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[start:])
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    source = Path(concord.__file__).parent
    there = {
        path.stem for path in source.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert sorted(named) == sorted(there - {"__init__", "__main__"})


def test_no_hint_installs_a_strangers_package() -> None:
    """On the package index `concord` is somebody else's: extras are those of `concord-eval`."""
    places = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml")]
    places += [
        p for d in ("src", "docs", "tools", "benchmarks") for p in (ROOT / d).rglob("*") if p.is_file()
    ]
    old = re.compile(r"pip install ['\"]?concord(?![\w-])|(?<![\w-])concord\[[a-z{]")
    texts = {p: p.read_text("utf-8") for p in places if p.suffix in (".md", ".py", ".toml", ".ipynb", "")}
    assert [str(p) for p, text in texts.items() if old.search(text)] == []

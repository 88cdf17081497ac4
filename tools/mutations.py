"""Change the code in small ways and see whether a test fails: ``python tools/mutations.py --n 110``.

A mutant is one change in one place of a package that computes: an operator, a comparison, a constant, a sign,
two arguments swapped. Places are drawn with a seed, evenly over packages. In a copy of the tree these tests
run once to learn which test files execute which functions; each mutant then runs the files that execute its
function, the most special ones first, until one fails or none is left. What no test notices is listed, except
for those in ``mutations_equivalent.json``, where somebody has looked and written why nothing changes.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EQUIVALENT = Path(__file__).with_name("mutations_equivalent.json")
PACKAGES = {
    "stats": 25,
    "people": 25,
    "structure": 18,
    "reasoning": 16,
    "comparing": 12,
    "planning": 10,
    "kinds.py": 4,
}
"""What computes, and how many of 110 mutants are in it."""
QUICK = (
    "tests/kept",
    "tests/test_borders.py",
    "tests/test_borders_of_claims.py",
    "tests/test_examples.py",
    "tests/test_kinds.py",
    "tests/test_relations.py",
    "tests/test_results_read_back.py",
)
"""Tests that go through all packages; each package's own, and the examples in its docstrings, come first.

Tests of commands and of screens are left out: they take most of the time and watch few numbers, and what they
alone notice counts as unnoticed.
"""
SWAPPED: Mapping[type[ast.AST], tuple[str, type[ast.AST]]] = {
    ast.Add: ("+ to -", ast.Sub),
    ast.Sub: ("- to +", ast.Add),
    ast.Mult: ("* to /", ast.Div),
    ast.Div: ("/ to *", ast.Mult),
    ast.Pow: ("** to *", ast.Mult),
    ast.FloorDiv: ("// to /", ast.Div),
    ast.Lt: ("< to <=", ast.LtE),
    ast.LtE: ("<= to <", ast.Lt),
    ast.Gt: ("> to >=", ast.GtE),
    ast.GtE: (">= to >", ast.Gt),
    ast.Eq: ("== to !=", ast.NotEq),
    ast.NotEq: ("!= to ==", ast.Eq),
    ast.And: ("and to or", ast.Or),
    ast.Or: ("or to and", ast.And),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: where it is, and what is written there instead."""

    path: str
    """Below the root of the tree."""
    function: str
    """Name of the function or class, with those around it; empty for a constant of the module."""
    line: int
    kind: str
    old: str
    new: str
    span: tuple[int, int, int, int]
    """First line and column, last line and column, as `ast` counts them."""

    @property
    def name(self) -> str:
        """What stays when lines move."""
        return f"{self.path} {self.function}: {self.old} -> {self.new}"

    def applied(self, text: str) -> str:
        """Return the file with the change."""
        lines = text.encode("utf-8").split(b"\n")
        first, begin, last, end = self.span
        head, tail = lines[first - 1][:begin], lines[last - 1][end:]
        changed = head + self.new.encode("utf-8") + tail
        return b"\n".join([*lines[: first - 1], changed, *lines[last:]]).decode("utf-8")


def mutants(root: Path, path: Path) -> Iterator[Mutant]:
    """Return every change of one file."""

    def visit(node: ast.AST, inside: str) -> Iterator[Mutant]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Raise | ast.Assert | ast.JoinedStr) or _is_typing(node, child):
                continue  # messages and types are no results
            if isinstance(child, ast.Call) and ast.unparse(child.func).endswith(".reshape"):
                child = child.func  # numpy takes any negative size for -1
            named = isinstance(child, ast.FunctionDef | ast.ClassDef)
            within = f"{inside}.{child.name}".strip(".") if named else inside  # type: ignore[attr-defined]
            for kind, new in _changes(child):
                span = (child.lineno, child.col_offset, child.end_lineno, child.end_col_offset)  # type: ignore[attr-defined]
                old = ast.unparse(child)
                yield Mutant(str(path.relative_to(root)), within, span[0], kind, old, new, span)
            yield from visit(child, within)

    yield from visit(ast.parse(path.read_text("utf-8")), "")


def _is_typing(node: ast.AST, child: ast.AST) -> bool:
    """Whether a child is an annotation, a decorator, or a docstring."""
    held = (getattr(node, name, None) for name in ("annotation", "returns"))
    decorated = child in getattr(node, "decorator_list", ())
    text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
    return decorated or text or any(child is one for one in held)


def _changes(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Return what an expression may become: the kind of change, and its text."""
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED and not _is_text(node):
        kind, other = SWAPPED[type(node.op)]
        yield kind, _text(ast.BinOp(node.left, other(), node.right))  # type: ignore[arg-type]
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED:
        kind, other = SWAPPED[type(node.ops[0])]
        yield kind, _text(ast.Compare(node.left, [other()], node.comparators))  # type: ignore[list-item]
    elif isinstance(node, ast.BoolOp):
        kind, other = SWAPPED[type(node.op)]
        yield kind, _text(ast.BoolOp(other(), node.values))  # type: ignore[arg-type]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", _text(node.operand)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        value: Any = node.value
        yield "constant", repr(value + 1 if isinstance(value, int) else value * 1.1 or 0.1)
    elif isinstance(node, ast.Call) and len(node.args) > 1 and not isinstance(node.args[0], ast.Starred):
        first, second, *rest = node.args
        if isinstance(node.func, ast.Name) and node.func.id in _ALWAYS_SEEN:
            return
        if type(first) is type(second) and not isinstance(first, ast.Constant) and _differ(first, second):
            yield "swapped", _text(ast.Call(node.func, [second, first, *rest], node.keywords))


_ALWAYS_SEEN = (
    "isinstance",
    "issubclass",
    "getattr",
    "hasattr",
    "zip",
    "map",
    "replace",
    "partial",
    "min",
    "max",
)
"""Calls with swapped arguments fail, or change nothing: they say little about tests."""


def _differ(first: ast.AST, second: ast.AST) -> bool:
    return ast.dump(first) != ast.dump(second)


def _is_text(node: ast.BinOp) -> bool:
    """Whether texts or paths are joined."""
    said = f"{ast.unparse(node.left)} {ast.unparse(node.right)}"
    return any(mark in said for mark in ("'", '"', "folder", "path", "Path", "FILE"))


def _text(node: ast.AST) -> str:
    return f"({ast.unparse(ast.fix_missing_locations(node))})"


def drawn(root: Path, packages: Mapping[str, int], n: int, seed: int) -> list[Mutant]:
    """Draw changes by the weights of packages, at most one per function and kind."""
    rng, found = random.Random(seed), list[Mutant]()
    total = sum(packages.values())
    for package, weight in packages.items():
        start = root / "src" / "concord" / package
        files = [start] if start.is_file() else sorted(start.rglob("*.py"))
        own: dict[tuple[str, str, str], Mutant] = {}
        every = [one for path in files for one in mutants(root, path)]
        rng.shuffle(every)
        for one in every:
            own.setdefault((one.path, one.function, one.kind), one)
        found += list(own.values())[: -(-n * weight // total)]
    rng.shuffle(found)
    return found[:n]


class Traced:
    """A plugin of pytest: which functions each test file executes, and how long it takes."""

    def __init__(self, root: Path, out: Path) -> None:
        self.out, self.prefix = out, str(root / "src" / "concord")
        self.files: dict[str, dict[str, Any]] = {}

    def pytest_runtest_protocol(self, item: Any) -> None:
        """Begin to listen where a test begins."""
        one = self.files.setdefault(_unit(item.nodeid), {"calls": set(), "seconds": 0.0, "failed": False})
        calls, prefix = one["calls"], self.prefix

        def called(frame: Any, event: str, argument: object) -> None:
            code = frame.f_code
            if code.co_filename.startswith(prefix):
                calls.add((code.co_filename, code.co_firstlineno))

        sys.settrace(called)
        threading.settrace(called)  # several files of a folder are read at once

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add what a test took."""
        one = self.files[_unit(report.nodeid)]
        one["seconds"] += report.duration
        one["failed"] |= report.failed
        if report.when == "teardown":
            self._end()

    def pytest_sessionfinish(self) -> None:
        """Write what was learnt."""
        self._end()
        held = {path: {**one, "calls": sorted(one["calls"])} for path, one in self.files.items()}
        self.out.write_text(json.dumps(held), "utf-8")

    def _end(self) -> None:
        sys.settrace(None)
        threading.settrace(None)


def _unit(node: str) -> str:
    """Return the file of a test; the test itself where one file goes through all packages."""
    return node if node.startswith(("tests/kept/", "tests/test_borders")) else node.partition("::")[0]


class Tree:
    """A copy of the tree in which files are changed and tests run."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = folder
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            if (root / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, folder / name)
        self.environment = {**os.environ, "PYTHONPATH": str(folder / "src")}

    def pytest(self, arguments: Sequence[str], timeout: float | None) -> tuple[int | None, list[str]]:
        """Run tests; return the exit code, None where they take too long, and the tests that failed."""
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=self.environment,
                capture_output=True,
                timeout=timeout,
                check=False,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            return None, []
        said = [line.partition(" ") for line in done.stdout.splitlines()]
        names = [rest.partition(" - ")[0] for word, _, rest in said if word in ("FAILED", "ERROR")]
        whole = [name if name.endswith("]") else name.partition("[")[0] for name in names]
        return done.returncode, whole

    def learn(self, tests: Sequence[str], out: Path) -> None:
        """Run every test once and write which functions each file executes."""
        script = (
            f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})\n"
            "import pathlib, pytest\nfrom mutations import Traced\n"
            f"plugin = Traced(pathlib.Path({str(self.root)!r}), pathlib.Path({str(out)!r}))\n"
            "usual = ['-q', '-n', '0', '-p', 'no:cacheprovider', '--continue-on-collection-errors']\n"
            f"pytest.main([*usual, *{list(tests)!r}], plugins=[plugin])"
        )
        subprocess.run([sys.executable, "-c", script], cwd=self.root, env=self.environment, check=True)

    def write(self, path: str, text: str) -> None:
        """Write a file of the copy, and forget what was compiled of it."""
        file = self.root / path
        file.write_text(text, "utf-8")
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
            compiled.unlink()


def covering(tree: Tree, learnt: Mapping[str, Any], one: Mutant) -> list[str]:
    """Return the test files that execute the function of a mutant, the most special ones first."""
    file = one.path
    spans = [
        (min([node.lineno, *(one.lineno for one in decorators)]), node.end_lineno or node.lineno)
        for node in ast.walk(ast.parse((tree.root / file).read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        for decorators in [getattr(node, "decorator_list", [])]
    ]
    around = [(begin, end) for begin, end in spans if begin <= one.line <= end]

    def executes(calls: Sequence[Sequence[Any]]) -> bool:
        lines = [line for name, line in calls if name == file]
        return any(not around or begin <= line <= end for line in lines for begin, end in around or [(0, 0)])

    usable = {path: held["calls"] for path, held in learnt.items() if not held["failed"]}
    found = [path for path, calls in usable.items() if executes(calls)]
    if not found:  # what runs while a module is loaded, no test calls
        found = [path for path, calls in usable.items() if any(name == file for name, _ in calls)]
    return sorted(found, key=lambda path: (len(learnt[path]["calls"]), learnt[path]["seconds"]))


def verdict(tree: Tree, learnt: Mapping[str, Any], one: Mutant, patience: float) -> tuple[str, str, float]:
    """Return whether a test notices a mutant (or none executes it), by which tests, in which time."""
    files = covering(tree, learnt, one)
    if not files:
        return "not executed", "", 0.0
    original, begun = (tree.root / one.path).read_text("utf-8"), time.monotonic()
    tree.write(one.path, one.applied(original))
    try:
        chosen: list[str] = []
        for path in files:
            if sum(learnt[name]["seconds"] for name in chosen) < patience:
                chosen.append(path)
        usual = sum(learnt[name]["seconds"] for name in chosen)
        code, failed = tree.pytest(["-x", *chosen], timeout=60 + 6 * usual)
    finally:
        tree.write(one.path, original)
    if code is None or failed:
        return "caught", " ".join(failed[:1]) or "too slow", time.monotonic() - begun
    return "survived" if code == 0 else "not run", " ".join(chosen), time.monotonic() - begun


def confirmed(tree: Tree, found: Sequence[dict[str, Any]]) -> None:
    """Take back what was caught by a test that fails without the change too."""
    tests = sorted({one["by"] for one in found if one["verdict"] == "caught"} - {"too slow"})
    failed = tree.pytest(tests, timeout=None)[1] if tests else []
    for one in found:
        if one["verdict"] == "caught" and one["by"] in failed:
            one["verdict"] = "caught by a test that fails anyway"


def report(found: Sequence[Mapping[str, Any]]) -> str:
    """Say how many mutants were caught, and list the others."""
    known = json.loads(EQUIVALENT.read_text("utf-8")) if EQUIVALENT.is_file() else {}
    alive = [one for one in found if one["verdict"] != "caught"]
    same = [one for one in alive if one["name"] in known]
    counted = len(found) - len(same)
    caught = len(found) - len(alive)
    lines = [f"{caught} of {counted} mutants caught ({100 * caught / max(1, counted):.0f} %)"]
    lines += [f"  {one['verdict']}: {one['name']} (line {one['line']})" for one in alive if one not in same]
    lines += [f"  changes no result: {one['name']}: {known[one['name']]}" for one in same]
    return "\n".join(lines)


def main() -> int:
    """Draw mutants, run their tests, print the report; 1 where fewer than 90 % are caught."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=110, help="mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--package", action="append", help=f"one of {', '.join(PACKAGES)}; all by default")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds of tests for each mutant")
    parser.add_argument("--learnt", type=Path, help="file of what tests execute; made where it is missing")
    parser.add_argument("--jobs", type=int, default=1, help="copies of the tree that work at the same time")
    parser.add_argument("--out", type=Path, help="file that gets a line of JSON for each mutant")
    given = parser.parse_args()
    packages = {name: PACKAGES[name] for name in given.package or PACKAGES}
    found = []
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder, ThreadPoolExecutor(given.jobs) as pool:
        trees = [Tree(ROOT, Path(folder) / f"tree{number}") for number in range(given.jobs)]
        learnt = learnt_by(trees, pool, packages, given)
        idle: Queue[Tree] = Queue()
        for tree in trees:
            idle.put(tree)

        def judged(one: Mutant) -> dict[str, Any]:
            tree = idle.get()
            try:
                said, by, seconds = verdict(tree, learnt, one, given.patience)
            finally:
                idle.put(tree)
            return {**asdict(one), "name": one.name, "verdict": said, "by": by, "seconds": round(seconds, 1)}

        drawn_ones = drawn(trees[0].root, packages, given.n, given.seed)
        for number, row in enumerate(pool.map(judged, list(drawn_ones)), 1):
            found.append(row)
            sys.stdout.write(f"{number}: {row['verdict']} in {row['seconds']:.0f} s: {row['name']}\n")
            sys.stdout.flush()
            if given.out is not None:
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        confirmed(trees[0], found)
    sys.stdout.write(report(found) + "\n")
    return 0 if report(found).split(" (")[1].startswith(("9", "100")) else 1


def learnt_by(
    trees: Sequence[Tree], pool: ThreadPoolExecutor, packages: Iterable[str], given: argparse.Namespace
) -> dict[str, Any]:
    """Return what each test file executes, from the file of an earlier run or by running all tests once."""
    if given.learnt is not None and given.learnt.is_file():
        return dict(json.loads(given.learnt.read_text("utf-8")))
    own = [f"{start}/{name}" for name in packages for start in ("tests", "src/concord")]
    wanted = [*own, *(QUICK if not given.package else ())]
    root = trees[0].root
    files = sorted(
        {
            str(path.relative_to(root))
            for name in wanted
            for path in ([root / name] if (root / name).is_file() else (root / name).rglob("*.py"))
            if path.name.startswith("test_") or "src" in path.relative_to(root).parts
        }
    )

    def part(number: int) -> dict[str, Any]:
        tree, mine = trees[number], files[number :: len(trees)]
        out = tree.root / "learnt.json"
        tree.learn(mine, out)
        return dict(json.loads(out.read_text("utf-8").replace(f"{tree.root}/", "")))

    learnt = {path: held for one in pool.map(part, range(len(trees))) for path, held in one.items()}
    if given.learnt is not None:
        given.learnt.write_text(json.dumps(learnt), "utf-8")
    return learnt


if __name__ == "__main__":
    sys.exit(main())

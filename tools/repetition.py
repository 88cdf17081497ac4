"""Print what the package says more than once: ``python tools/repetition.py [--names]``.

Function names in three or more modules (private ones too, dunder ones not), public class names in two or
more, names of questions as literals outside the places that may spell them, cycles between siblings, the
longest chain of imports, docstrings that begin with "Give", lines and modules. With ``--names`` it lists what
it counts.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
PACKAGE = "concord"
QUESTIONS = ("people", "structure", "reasoning")
SPELT_IN = ("questions.py", "cli/app.py", "asking/options.py", "cli/plan.py", "asking/askable.py")
"""Where a question's name may be a literal, outside its own package: commands, what can be asked."""

Tree = tuple[str, ast.Module]


def trees(root: Path = SOURCE / PACKAGE) -> list[Tree]:
    """Return every module below a folder: its path there, and what it holds."""
    return [
        (path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8")))
        for path in sorted(root.rglob("*.py"))
    ]


def function_names(modules: list[Tree], least: int = 3) -> dict[str, list[str]]:
    """Return the names of functions and methods that are defined in so many modules, and where."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, tree in modules:
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _dunder(node.name):
                found[node.name].add(path)
    return {name: sorted(paths) for name, paths in sorted(found.items()) if len(paths) >= least}


def class_names(modules: list[Tree]) -> dict[str, list[str]]:
    """Return public class names that are defined more than once, and where."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, tree in modules:
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path)
    return {name: paths for name, paths in sorted(found.items()) if len(paths) > 1}


def question_literals(modules: list[Tree]) -> list[str]:
    """Return where a question's name is a literal outside the places that may spell it; docstrings may."""
    found = []
    for path, tree in modules:
        own = path.partition("/")[0]
        said = set(map(id, _docstrings(tree)))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or id(node) in said or path in SPELT_IN:
                continue
            if node.value in QUESTIONS and node.value != own:
                found.append(f"{path}:{node.lineno} {node.value}")
    return found


def docstrings_of_give(modules: list[Tree]) -> list[str]:
    """Return the docstrings that begin with "Give"."""
    return [
        f"{path}:{text.lineno}"
        for path, tree in modules
        for text in _docstrings(tree)
        if str(text.value).lstrip().startswith("Give ")
    ]


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Return every text that is a statement of its own: docstrings, and texts below attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def imports() -> dict[str, set[str]]:
    """Return which modules each module of the package imports, wherever in it."""
    import grimp

    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    return {
        module: {one for one in graph.find_modules_directly_imported_by(module) if one.startswith(PACKAGE)}
        for module in graph.modules
    }


def cycles(graph: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """Return the groups of siblings that import one another, each as a strongly connected component."""
    parents = {module.rpartition(".")[0] for module in graph} - {""}
    return [
        tuple(sorted(group))
        for parent in sorted(parents)
        for group in _components(_siblings(graph, parent))
        if len(group) > 1
    ]


def _siblings(graph: dict[str, set[str]], parent: str) -> dict[str, set[str]]:
    """Return which children of a package import which, whatever module below them does it."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, imported in graph.items():
        here = _child(module, parent)
        for other in imported:
            there = _child(other, parent)
            if here is not None and there is not None and here != there:
                found[here].add(there)
    return found


def _child(module: str, parent: str) -> str | None:
    """Return the child of a package that a module is, or lies in."""
    if not module.startswith(f"{parent}."):
        return None
    return parent + "." + module[len(parent) + 1 :].partition(".")[0]


def _components(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the strongly connected components, each a set of names, by what can be reached."""
    reached = {node: _reached(graph, node) for node in graph}
    left, found = set(graph), []
    while left:
        node = min(left)
        group = {node} | {one for one in reached[node] if node in reached.get(one, set())}
        found.append(group)
        left -= group
    return found


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph.get(start, ()))
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += graph.get(node, ())
    return seen


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """Return the longest chain of imports; in a cycle of modules each is counted once."""
    best: dict[str, list[str]] = {}

    def below(module: str, on_the_way: frozenset[str]) -> list[str]:
        if module in best:
            return best[module]
        ways = [below(one, on_the_way | {module}) for one in graph[module] if one not in on_the_way]
        found = [module, *max(ways, key=len, default=[])]
        best[module] = found
        return found

    return max((below(module, frozenset()) for module in sorted(graph)), key=len)


def report(*, names: bool) -> list[str]:
    """Return the table, and what it counts where names are wanted."""
    modules, graph = trees(), imports()
    functions, classes = function_names(modules), class_names(modules)
    literals, loops, chain = question_literals(modules), cycles(graph), longest_chain(graph)
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in (SOURCE / PACKAGE).rglob("*.py"))
    table = [
        f"function names in three or more modules: {len(functions)}",
        f"public class names in two or more modules: {len(classes)}",
        f"names of questions as literals elsewhere: {len(literals)}",
        f"cycles between siblings: {len(loops)}",
        f"longest chain of imports: {len(chain)} modules",
        f'docstrings that begin with "Give": {len(docstrings_of_give(modules))}',
        f"lines: {lines}, modules: {len(modules)}",
    ]
    if not names:
        return table
    places = [f"{name}: {', '.join(paths)}" for name, paths in {**functions, **classes}.items()]
    return [*table, *places, *literals, *map(" <-> ".join, loops), " -> ".join(chain)]


def main() -> int:
    """Print the table."""
    sys.stdout.write("\n".join(report(names="--names" in sys.argv[1:])) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

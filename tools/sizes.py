"""Print how long functions and files are, and fail where one is too long: ``python tools/sizes.py``.

The length of a function is that of its body: from the first line after the docstring to the last line,
comments and blank lines included, inner functions counted with the outer one and once more by themselves.
"""

import ast
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[1] / "src"
LONGEST_BODY = 80
LONGEST_FILE = 600


class Size(NamedTuple):
    """Lines of one function or file, and where it is."""

    lines: int
    place: str


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a body without its docstring; a body that is only a docstring has 0."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body:
        return 0
    last = max(statement.end_lineno or statement.lineno for statement in body)
    return last - body[0].lineno + 1


def functions(root: Path) -> Iterator[Size]:
    """Return the size of every function below a folder."""
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield Size(body_lines(node), f"{path.relative_to(root)}:{node.lineno} {node.name}")


def files(root: Path) -> Iterator[Size]:
    """Return the size of every file below a folder."""
    for path in sorted(root.rglob("*.py")):
        yield Size(len(path.read_text("utf-8").splitlines()), str(path.relative_to(root)))


def summary(sizes: list[Size], what: str) -> str:
    """Write median, 95th percentile and maximum on one line."""
    lines = sorted(size.lines for size in sizes)
    p95 = lines[min(len(lines) - 1, round(0.95 * len(lines)))]
    longest = max(sizes)
    return (
        f"{what}: {len(lines)}, median {statistics.median(lines):g} lines, p95 {p95}, "
        f"longest {longest.lines} ({longest.place})"
    )


def main() -> int:
    """Print both summaries; 1 if anything is too long, 0 otherwise."""
    bodies, whole = list(functions(SOURCE)), list(files(SOURCE))
    sys.stdout.write(summary(bodies, "function bodies") + "\n" + summary(whole, "files") + "\n")
    long = [size for size in bodies if size.lines > LONGEST_BODY]
    long += [size for size in whole if size.lines > LONGEST_FILE]
    for size in long:
        sys.stdout.write(f"too long: {size.place}, {size.lines} lines\n")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())

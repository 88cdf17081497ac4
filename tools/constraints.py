"""Write ``constraints.txt``, the versions that the tests last ran with: ``python tools/constraints.py``.

Run it in the environment of the tests, after they passed: it lists what ``concord-eval[dev]`` draws in, as
``package==version`` and nothing else.
"""

import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]


def asked_for(extra: str) -> Iterator[str]:
    """Return what an extra of Concord asks for, extras that it names included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for line in project["optional-dependencies"][extra]:
        needed = Requirement(line)
        if needed.name == project["name"]:
            for inner in sorted(needed.extras):
                yield from asked_for(inner)
        else:
            yield line
    yield from project["dependencies"]


def draw_in(line: str, extra: str, found: dict[tuple[str, str], str]) -> None:
    """Add a package and all that it needs here; what is not installed is not needed on this machine."""
    needed = Requirement(line)
    if needed.marker is not None and not needed.marker.evaluate({"extra": extra}):
        return
    for inner in ("", *sorted(needed.extras)):
        key = canonicalize_name(needed.name), inner
        try:
            package = distribution(needed.name)
        except PackageNotFoundError:
            return
        if key not in found:
            found[key] = package.version
            for further in package.requires or ():
                draw_in(further, inner, found)


def main() -> None:
    """Write the file."""
    found: dict[tuple[str, str], str] = {}
    for line in asked_for("dev"):
        draw_in(line, "", found)
    versions = {name: version for (name, _), version in found.items()}
    text = "".join(f"{name}=={versions[name]}\n" for name in sorted(versions))
    (ROOT / "constraints.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

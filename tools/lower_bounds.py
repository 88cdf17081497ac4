"""Print the oldest releases that `pyproject.toml` allows, as constraints for pip.

`.ci/run` installs exactly these and runs tests with them, so that a bound is a promise that was kept.
"""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
_BOUND = re.compile(r"^(?P<name>[A-Za-z0-9_.-]+)>=(?P<version>[\w.]+)$")


def lower_bounds(text: str) -> list[str]:
    r"""Return ``name==version`` of every dependency that every user gets.

    Examples
    --------
    >>> lower_bounds('[project]\ndependencies = ["numpy>=1.26", "rich>=13.7"]')
    ['numpy==1.26', 'rich==13.7']
    """
    found = []
    for line in tomllib.loads(text)["project"]["dependencies"]:
        bound = _BOUND.match(line)
        if bound is None:
            raise ValueError(f"{line!r} has no lower bound of the form name>=version")
        found.append(f"{bound['name']}=={bound['version']}")
    return found


def main() -> int:
    """Print the constraints."""
    sys.stdout.write("\n".join(lower_bounds(PROJECT.read_text("utf-8"))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

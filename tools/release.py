"""Look at a wheel and an sdist before they are published: ``python tools/release.py dist [--install]``.

Lists what they hold, refuses in the wheel what does not belong there, and with ``--install`` installs each
into an empty environment of every Python that is here and runs the first commands away from the clone.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13")
NEEDED = ("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "SECURITY.md", "pyproject.toml")
MOST_MEGABYTES = 10


def strangers(names: Sequence[str]) -> list[str]:
    """Return what does not belong in a wheel.

    Examples
    --------
    >>> strangers(["concord/api.py", "tests/test_x.py", "concord/__pycache__/api.pyc"])
    ['tests/test_x.py', 'concord/__pycache__/api.pyc']
    """
    return [
        name
        for name in names
        if "__pycache__" in name
        or name.endswith((".pyc", ".log", ".env"))
        or not (name.startswith("concord/") or ".dist-info/" in name)
    ]


def looked_at(folder: Path) -> list[str]:
    """Print what both hold; return what is wrong."""
    wheel, sdist = next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))
    with zipfile.ZipFile(wheel) as archive:
        names = [one.filename for one in archive.infolist()]
        sizes = Counter(
            {
                one.filename.split("/")[1]: 0
                for one in archive.infolist()
                if one.filename.startswith("concord/")
            }
        )
        for one in archive.infolist():
            if one.filename.startswith("concord/"):
                sizes[one.filename.split("/")[1]] += one.file_size
    with tarfile.open(sdist) as archive:
        held = {one.name.partition("/")[2] for one in archive}
    sys.stdout.write(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(names)} files\n")
    sys.stdout.writelines(f"  {size / 1e3:8.0f} kB  {name}\n" for name, size in sizes.most_common(8))
    sys.stdout.write(f"{sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB, {len(held)} files\n")
    wrong = [f"in the wheel: {name}" for name in strangers(names)]
    wrong += [f"not in the sdist: {name}" for name in NEEDED if name not in held]
    large = [one.name for one in (wheel, sdist) if one.stat().st_size > MOST_MEGABYTES * 1e6]
    return wrong + [f"larger than {MOST_MEGABYTES} MB: {name}" for name in large]


def installed(python: str, file: Path) -> str:
    """Install a file into an empty environment, run the first commands there; return what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        place = Path(folder)
        subprocess.run([python, "-m", "venv", "env"], cwd=place, check=True)
        env = {"PATH": f"{place / 'env' / 'bin'}{os.pathsep}/usr/bin:/bin", "HOME": folder}
        pip = [str(place / "env" / "bin" / "pip"), "install", "-q", str(file.resolve())]
        steps = [pip, ["concord", "--version"], ["concord", "demo", "--recorded", "--out", "d"],
                 ["concord", "write-up", "d", "--out", "paper"]]  # fmt: skip
        for step in steps:
            given = {**os.environ} if step is pip else env
            found = subprocess.run(
                step if step is pip else [str(place / "env" / "bin" / step[0]), *step[1:]],
                cwd=place, env=given, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if found.returncode:
                return f"{python}, {file.name}: {' '.join(step)}: {found.stderr[-400:]}"
        seconds = time.monotonic() - begin
        sys.stdout.write(f"{python}, {file.name}: installed and run in {seconds:.0f} s\n")
        sys.stdout.flush()
    return ""


def main(arguments: Sequence[str]) -> int:
    """Check a folder that `python -m build` wrote."""
    folder = Path(next((one for one in arguments if not one.startswith("-")), "dist"))
    wrong = looked_at(folder)
    if "--install" in arguments:
        known = [found for one in PYTHONS if (found := shutil.which(f"python{one}"))]
        files = [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]
        wrong += [said for python in known for file in files if (said := installed(python, file))]
    sys.stdout.writelines(f"{one}\n" for one in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

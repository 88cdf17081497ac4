"""What an import costs and what it brings, each in a fresh interpreter."""

import subprocess
import sys

_TIME = "import time; begin = time.process_time(); {0}; print(time.process_time() - begin)"
_MODULES = "{0}; import sys; print(' '.join({{name.partition('.')[0] for name in sys.modules}}))"


def import_seconds(statement: str, repeats: int = 5) -> float:
    """Best of a few fresh interpreters, in seconds of a processor, their start not counted."""
    return min(float(_output(_TIME.format(statement))) for _ in range(repeats))


def third_party_modules(statement: str) -> set[str]:
    """Top-level modules that the statement adds to a bare interpreter, the standard library aside."""
    before, after = (set(_output(_MODULES.format(code)).split()) for code in ("pass", statement))
    return {name for name in after - before - set(sys.stdlib_module_names) if not name.startswith("_")}


def _output(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout

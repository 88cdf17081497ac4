"""Steps in other words and wrong steps, bundled for the vignettes: for probes without a helper."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from concord.errors import FileFormatError
from concord.files.codec import decode
from concord.files.json_text import parsed

ALTERED = "altered_steps.jsonl"


@dataclass(frozen=True, slots=True)
class AlteredSteps:
    """The gold steps of one vignette, changed."""

    id: str
    wrong: tuple[str | None, ...]
    """A wrong step in place of each, in their order; ``None`` where there is none."""
    reworded: tuple[str, ...]
    """Every step in other words, in their order."""


def bundled_altered() -> bytes:
    """Return the bundled changed steps, one JSON object per line."""
    return resources.files("concord").joinpath("reasoning", "probes", "data", ALTERED).read_bytes()


def parse_altered(data: bytes, name: str = ALTERED) -> dict[str, AlteredSteps]:
    """Read changed steps by the id of their vignette.

    Runs made before every step had a wrong one name the step: ``step`` (from 1) and ``wrong``, a text.
    """
    found: dict[str, AlteredSteps] = {}
    for number, line in enumerate(data.decode("utf-8").split("\n"), start=1):
        if line.strip():
            where = f"{name}, line {number}"
            one = decode(AlteredSteps, _wrong_by_step(parsed(where, line), where), where=where)
            if len(one.wrong) != len(one.reworded) or one.id in found:
                raise FileFormatError(f"{where}: expected a new id and as many wrong steps as reworded ones")
            found[one.id] = one
    return found


def _wrong_by_step(row: Any, where: str) -> Any:
    """Return a row whose ``wrong`` is a list; one text takes the place of the step that is named."""
    if not isinstance(row, Mapping) or not isinstance(row.get("wrong"), str):
        return row
    step, reworded = row.get("step"), row.get("reworded")
    n = len(reworded) if isinstance(reworded, list) else 0
    if not isinstance(step, int) or not 1 <= step <= n:
        raise FileFormatError(f"{where}: 'step' is {step!r}, expected a whole number from 1 to {n}")
    wrong = [row["wrong"] if i == step else None for i in range(1, n + 1)]
    return {"id": row.get("id"), "wrong": wrong, "reworded": reworded}

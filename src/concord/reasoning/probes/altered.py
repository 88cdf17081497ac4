"""Steps in other words and wrong steps, bundled for the vignettes: for probes without a helper."""

from dataclasses import dataclass
from importlib import resources

from concord.errors import FileFormatError
from concord.files.codec import decode
from concord.files.json_text import parsed

ALTERED = "altered_steps.jsonl"


@dataclass(frozen=True, slots=True)
class AlteredSteps:
    """The gold steps of one vignette, changed."""

    id: str
    step: int
    """Which step is made wrong, counted from 1."""
    wrong: str
    """The wrong step, in place of it."""
    reworded: tuple[str, ...]
    """Every step in other words, in their order."""


def bundled_altered() -> bytes:
    """Return the bundled changed steps, one JSON object a line."""
    return resources.files("concord").joinpath("reasoning", "probes", "data", ALTERED).read_bytes()


def parse_altered(data: bytes, name: str = ALTERED) -> dict[str, AlteredSteps]:
    """Read changed steps by the id of their vignette.

    Raises
    ------
    FileFormatError
        A line cannot be used; it is named.
    """
    found: dict[str, AlteredSteps] = {}
    for number, line in enumerate(data.decode("utf-8").split("\n"), start=1):
        if line.strip():
            where = f"{name}, line {number}"
            one = decode(AlteredSteps, parsed(where, line), where=where)
            if not 1 <= one.step <= len(one.reworded) or one.id in found:
                raise FileFormatError(f"{where}: expected a new id and a step from 1 to {len(one.reworded)}")
            found[one.id] = one
    return found

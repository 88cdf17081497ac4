"""Tables of real models and people that come with Concord: name, what it holds, source, licence, path."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from concord.errors import OptionError


@dataclass(frozen=True, slots=True)
class PublicTable:
    """A bundled table of others, with its source."""

    name: str
    file: str
    """Its path inside the package."""
    holds: str
    source: str
    address: str
    licence: str
    changed: str
    scored_by: str
    """`concord score` takes it with this word; empty where no command does."""
    title: str = ""
    caution: str = ""
    """What it does not say."""

    @property
    def path(self) -> Path:
        """Where the table lies."""
        return Path(str(resources.files("concord") / self.file))

    @property
    def credit(self) -> str:
        """Return what a page or a screen says of the source: who, where, licence, and what was changed."""
        return f"{self.holds}: {self.source} ({self.address}, {self.licence}). {self.changed}"


@cache
def public_tables() -> dict[str, PublicTable]:
    """Return every bundled table by its name."""
    rows = json.loads((resources.files("concord.files.public") / "tables.json").read_text("utf-8"))
    return {row["name"]: PublicTable(**row) for row in rows}


def public_table(name: str) -> PublicTable:
    """Return a bundled table by its name."""
    known = public_tables()
    found = known.get(name.replace("_", "-"))
    if found is None:
        raise OptionError(f"public table {name!r} is not known; expected {', '.join(known)}")
    return found

"""Names of diagnoses in a text: whole words, folded, through alias tables; and the bundled data files."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from concord.errors import FileFormatError
from concord.files import limits
from concord.files.contents import fingerprint, read_bytes
from concord.files.gate import refuse_more
from concord.files.json_text import decoded, parsed, shown
from concord.files.limits import GOLD_CHARACTERS
from concord.reading.names import NameIndex, compact
from concord.records import InputFile


class AliasTable:
    """Labels and their other names, looked up by any way of writing a label."""

    def __init__(self, *tables: Mapping[str, Sequence[str]]) -> None:
        self.names: dict[str, list[str]] = {}
        self._labels: dict[str, str] = {}
        self._aliases: dict[str, set[str]] = {}
        self._whole: NameIndex | None = None
        for table in tables:
            for label, names in table.items():
                # add names to a label that may be known already
                canonical = self._labels.setdefault(compact(label), label.strip())
                known = self.names.setdefault(canonical, [canonical])
                for name in (label, *names):
                    if name not in known:
                        known.append(name)
                    self._aliases.setdefault(compact(name), set()).add(canonical)

    def canonical(self, label: str) -> str:
        """Return the label under which names are kept; an unknown label stands for itself."""
        # A label that is no key but the other name of exactly one key means that key.
        key = compact(label)
        if key in self._labels:
            return self._labels[key]
        owners = self._aliases.get(key, set())
        return next(iter(owners)) if len(owners) == 1 else label.strip()

    def index(self, labels: Iterable[str]) -> NameIndex:
        """Return an index of the whole table and of the given labels."""
        if self._whole is None:  # once: a table of 160 diagnoses has some 2,000 names
            self._whole = NameIndex()
            for label, names in self.names.items():
                self._whole.add(label, names)
        index = self._whole.copy()
        for label in labels:
            index.add(self.canonical(label), [label.strip()])
        return index


def read_aliases(source: str | Path | Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Read an alias table: ``{"aliases": {"Label": ["other name", "ABBR"]}}``, or the inner object."""
    name = "aliases"
    document: object = source
    if isinstance(source, str | Path):
        path = Path(source)
        name, document = path.name, parsed(path.name, decoded(path.name, read_bytes(path)))
    table = document.get("aliases", document) if isinstance(document, Mapping) else document
    if not isinstance(table, Mapping):
        raise FileFormatError(
            f'{name}: expected {{"aliases": {{"Label": ["name", ...]}}}}, found {shown(table)}'
        )
    for label, names in table.items():
        if not str(label).strip() or len(str(label)) > GOLD_CHARACTERS or not _is_names(names):
            raise FileFormatError(
                f"{name}: names of {shown(label)} are {shown(names)}, expected a list of names"
            )
        what = f"names of {shown(label)}"
        refuse_more(len(names), limits.OTHER_NAMES, what, name, "leave out those that no reply uses")
    return {str(label): tuple(names) for label, names in table.items()}


def _is_names(value: object) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(name, str) and name.strip() and len(name) <= GOLD_CHARACTERS for name in value
    )


DATA = Path(__file__).parents[1] / "data"
SAMPLES = DATA / "study_a_test.json"
BIAS_CASES = DATA / "biased_vignettes.json"

Aliases = str | Path | Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Names of diagnoses."""

    aliases: AliasTable
    extra: InputFile | None = None
    """The user's own table of names, where one was given."""


def load_lexicon(extra: Aliases | None = None) -> Lexicon:
    """Load the bundled lists; names of the user's table are added to the bundled ones."""
    tables = [read_aliases(DATA / name) for name in ("aliases.json", "aliases_languages.json")]
    file = None
    if extra is not None:
        tables.append(read_aliases(extra))
        name = Path(extra).name if isinstance(extra, str | Path) else "aliases (in memory)"
        file = fingerprint(name, json.dumps(tables[-1], sort_keys=True, default=str).encode())
    return Lexicon(AliasTable(*tables), file)

"""Names of diagnoses in a text: whole words, folded, through alias tables; and the bundled data files."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from concord.errors import FileFormatError
from concord.files import limits
from concord.files.contents import fingerprint_rows, read_bytes
from concord.files.gate import refuse_more
from concord.files.json_text import decoded, parsed, shown
from concord.files.limits import GOLD_CHARACTERS
from concord.reasoning.words.text import Words
from concord.records import InputFile

START_LETTERS = 40
"""Beginnings of names up to this length are kept ready."""
ABBREVIATION_LETTERS = 5
"""A name in capitals with at most this many letters is an abbreviation, found in capitals only."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a name is, as word numbers from ``start`` up to but not including ``end``."""

    start: int
    end: int
    labels: frozenset[str]


def compact(name: str) -> str:
    """Fold a name to one string without spaces and hyphens.

    Examples
    --------
    >>> compact("Post-Traumatic Stress Disorders") == compact("posttraumatic stress disorder")
    True
    """
    return "".join(Words(name).folded)


def is_abbreviation(name: str) -> bool:
    """Whether a name is found in capitals only.

    Examples
    --------
    >>> [is_abbreviation(name) for name in ("SAD", "C-PTSD", "Panic Disorder", "SCHIZOPHRENIA")]
    [True, True, False, False]
    """
    letters = [char for char in name if char.isalpha()]
    return 2 <= len(letters) <= ABBREVIATION_LETTERS and all(char.isupper() for char in letters)


@dataclass(slots=True)
class NameIndex:
    """Names and the labels they stand for, ready to be looked up in many texts."""

    _plain: dict[str, set[str]] = field(default_factory=dict)
    _capital: dict[str, set[str]] = field(default_factory=dict)
    _starts: set[str] = field(default_factory=set)
    """Beginnings of names, up to `START_LETTERS`; all of them would take the square of a name's length."""
    _long: list[str] = field(default_factory=list)
    """Names beyond that, sorted when they are looked up."""
    _sorted: bool = False

    def add(self, label: str, names: Iterable[str]) -> None:
        """Let each name stand for the label as well."""
        for name in names:
            key = compact(name)
            if not key:
                continue
            table = self._capital if is_abbreviation(name) else self._plain
            table.setdefault(key, set()).add(label)
            self._starts.update(key[:size] for size in range(1, min(len(key), START_LETTERS) + 1))
            if len(key) > START_LETTERS:
                self._long.append(key)
                self._sorted = False

    def copy(self) -> "NameIndex":
        """Return an index of its own with the same names."""
        plain, capital = (
            {key: set(labels) for key, labels in table.items()} for table in (self._plain, self._capital)
        )
        return NameIndex(plain, capital, set(self._starts), list(self._long), self._sorted)

    def _is_start(self, run: str) -> bool:
        """Whether a name begins so."""
        if len(run) <= START_LETTERS:
            return run in self._starts
        if not self._sorted:
            self._long.sort()
            self._sorted = True
        place = bisect_left(self._long, run)
        return place < len(self._long) and self._long[place].startswith(run)

    def find(self, text: str | Words) -> list[Mention]:
        """Every mention in the text, longer and shorter ones alike, in order of their first word."""
        found = Words(text) if isinstance(text, str) else text
        starts, folded = self._starts, found.folded
        near = [
            index
            for index, word in enumerate(folded)
            if word in starts or (len(word) > START_LETTERS and self._is_start(word))
        ]
        mentions: list[Mention] = []
        for index in near:
            self._add_from(found, index, mentions)
        return mentions

    def _add_from(self, found: Words, start: int, mentions: list[Mention]) -> None:
        """Add the mentions whose first word is the given one."""
        folded, starts, run = found.folded, self._starts, ""
        for index in range(start, len(folded)):
            run += folded[index]
            if run not in starts and not (len(run) > START_LETTERS and self._is_start(run)):
                break
            if index > start and not found.runs_on(index):
                break
            if run in self._plain or run in self._capital:
                labels = self._labels(found, run, start, index + 1)
                if labels:
                    mentions.append(Mention(start, index + 1, labels))

    def _labels(self, found: Words, run: str, start: int, end: int) -> frozenset[str]:
        """Return what a run of words stands for; abbreviations stand for something in capitals only."""
        labels = self._plain.get(run, set())
        if run in self._capital and all(found.in_capitals(index) for index in range(start, end)):
            labels = labels | self._capital[run]
        return frozenset(labels)


class AliasTable:
    """Labels and their other names, looked up by any way of writing a label.

    Examples
    --------
    >>> table = AliasTable({"Generalized Anxiety Disorder": ["GAD"]})
    >>> table.canonical("generalised anxiety disorders"), table.canonical("GAD"), table.canonical("Gout")
    ('Generalized Anxiety Disorder', 'Generalized Anxiety Disorder', 'Gout')
    """

    def __init__(self, *tables: Mapping[str, Sequence[str]]) -> None:
        self.names: dict[str, list[str]] = {}
        self._labels: dict[str, str] = {}
        self._aliases: dict[str, set[str]] = {}
        self._whole: NameIndex | None = None
        for table in tables:
            for label, names in table.items():
                self._extend(label, names)

    def _extend(self, label: str, names: Sequence[str]) -> None:
        """Add names to a label that may be known already."""
        canonical = self._labels.setdefault(compact(label), label.strip())
        known = self.names.setdefault(canonical, [canonical])
        for name in (label, *names):
            if name not in known:
                known.append(name)
            self._aliases.setdefault(compact(name), set()).add(canonical)

    def canonical(self, label: str) -> str:
        """Return the label under which names are kept; an unknown label stands for itself.

        A label that is no key but the other name of exactly one key means that key.
        """
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


def read_phrases(path: Path) -> tuple[str, ...]:
    """Read a list of phrases: ``{"phrases": [...]}``."""
    document = parsed(path.name, decoded(path.name, read_bytes(path)))
    phrases = document.get("phrases") if isinstance(document, dict) else None
    if not _is_names(phrases):
        raise FileFormatError(f'{path.name}: expected {{"phrases": ["...", ...]}}, found {shown(document)}')
    return tuple(phrases or ())


DATA = Path(__file__).parents[1] / "data"
SAMPLES = DATA / "study_a_test.json"
BIAS_CASES = DATA / "biased_vignettes.json"

Aliases = str | Path | Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Names of diagnoses, phrases of refusal."""

    aliases: AliasTable
    refusals: tuple[str, ...]
    extra: InputFile | None = None
    """The user's own table of names, where one was given."""


def load_lexicon(extra: Aliases | None = None) -> Lexicon:
    """Load the bundled lists; names of the user's table are added to the bundled ones.

    Examples
    --------
    >>> lexicon = load_lexicon({"Gout": ["podagra"]})
    >>> lexicon.aliases.canonical("Podagra"), lexicon.aliases.canonical("PTSD")
    ('Gout', 'Post-Traumatic Stress Disorder')
    """
    tables = [read_aliases(DATA / name) for name in ("aliases.json", "aliases_languages.json")]
    file = None
    if extra is not None:
        tables.append(read_aliases(extra))
        name = Path(extra).name if isinstance(extra, str | Path) else "aliases (in memory)"
        file = fingerprint_rows(name, tables[-1])
    return Lexicon(AliasTable(*tables), read_phrases(DATA / "refusals.json"), file)

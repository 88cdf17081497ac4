"""What a paper needs of results: figures in the order of the text, tables, methods, results, references.

Every number of the texts is looked for in the results.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from concord.comparing.metrics import MetricCompareResult
from concord.errors import MissingExtraError, OptionError
from concord.files.output import write_csv, write_text
from concord.kinds import FILE, PAPER, Kind
from concord.number_words import how_many, level_words
from concord.people.agents import AgentsResult
from concord.people.files import PeopleResult
from concord.people.studies.results import StudiesResult
from concord.reasoning.files import ReasoningResult
from concord.records import Estimate
from concord.show.citations import CONCORD, METHODS, Entry, bibtex, with_concord
from concord.show.declared import drawn_by, paper_table_of
from concord.show.paper import PaperTable, write_word
from concord.show.plot_models import plot_models
from concord.show.svg import FORMATS, Format, Picture, layout, look, stacked
from concord.structure.result import StructureResult
from concord.unread import withheld
from concord.words import sentence_of

DEFINITIONS = frozenset(
    {"0", "1", "2", "3", "1/2", "1/3", "0.05", "5 %", "0.10", "10 %", "2 %", "0.5", ".05", ".001"}
)
"""Numbers by which a method is defined: they are the same in every result."""
_NUMBER = re.compile(
    r"(?<![\w./])([+−-]?)((?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:/\d+)?)( ?%)?(?![\w/]|\.\d)"
)
_RANGE = re.compile(r" (?:to|and|or) [+−-]?[\d.,]+ ?%")
"""What follows the first number of a range in per cent, which the second one names: ``43 to 100 %``."""
_POINTS = re.compile(r" points?\b")
_IN_POINTS = re.compile(r"points? \((?:[^()]*interval )?(?:[+−-]?[\d.]+ to )?$")
"""What follows and what precedes numbers in points of a hundred: ``+7 points (-17 to 29)``."""
_NO_NUMBERS = re.compile(r"(^|\.)(inputs|files|sha256|commit|made|created|packages|concord|python)\b")
"""Ways to what says how a result was made: digits of a hash are no number of it."""
_YEARS = frozenset(entry["year"] for _, _, entry in METHODS.values() if "year" in entry)


@dataclass(frozen=True, slots=True)
class TracedNumber:
    """A number of a text, and where it comes from."""

    text: str
    """The text that holds it, such as ``results``."""
    number: str
    where: str
    """The way to it in the document of a result; empty where it was not found."""


def _leaves(value: Any, path: str) -> Iterator[tuple[str, float | str]]:
    """Return every number and text of a document with the way to it, how long lists are, how often words."""
    if isinstance(value, Mapping):
        yield f"{path}, how many", len(value)
        for key, one in value.items():
            yield from _leaves(str(key), f"{path}, a name")
            yield from _leaves(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        yield f"{path}, how many", len(value)
        for key, counts in _words_counted(value):
            yield from ((f"{path}.{key} = {word}, how many", n) for word, n in counts.items())
        for i, one in enumerate(value):
            yield from _leaves(one, f"{path}[{i}]")
    elif isinstance(value, bool):
        return
    elif isinstance(value, int | float | str):
        yield path, value


def _words_counted(rows: Sequence[Any]) -> Iterator[tuple[str, Counter[str]]]:
    """Count the words and the yes and no of each field of a list of records."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        for key, value in row.items() if isinstance(row, Mapping) else ():
            if isinstance(value, str | bool) or value is None:
                found.setdefault(key, Counter())[str(value)] += 1
    yield from found.items()


def _rows_words_counted(result: Kind) -> Iterator[tuple[str, int]]:
    """Return how many rows each table has, and how often each word is in its columns."""
    for table in result.TABLES:
        grid = table.grid(FILE, result)
        yield f"{table.name}, how many", len(grid.rows)
        for i, column in enumerate(grid.columns):
            counts = Counter(str(row[i]) for row in grid.values if isinstance(row[i], str | bool))
            yield from ((f"{table.name}.{column.name} = {word}, how many", n) for word, n in counts.items())


class Sources:
    """The documents and tables of results, each with the name that it is told by."""

    def __init__(self, results: Sequence[tuple[str, Kind]]) -> None:
        self._numbers: list[tuple[str, float]] = []
        self._texts: list[tuple[str, str]] = []
        for name, result in results:
            for path, value in (*_leaves(result.to_dict(), ""), *_rows_words_counted(result)):
                if _NO_NUMBERS.search(path):
                    continue
                if isinstance(value, str):
                    self._texts.append((f"{name}: {path}", value))
                else:
                    self._numbers.append((f"{name}: {path}", float(value)))
        self._numbers.sort(key=lambda one: len(one[0]))  # the shortest way is the plainest

    def find(self, digits: str, *, percent: bool) -> str:
        """Return where a number is, rounded as it is written; empty where it is nowhere."""
        text = digits.replace(",", "")
        places = len(text.partition(".")[2])
        wanted = float(text)
        for path, value in self._numbers:
            if _rounds_to(100 * value if percent else value, wanted, places):
                return path
        for path, value in self._numbers if percent else ():
            if _rounds_to(100 * (1 - value), wanted, places):
                return f"1 − {path}"
        return next((path for path, held in self._texts if _has_digits(held, digits)), "")


def _rounds_to(value: float, wanted: float, places: int) -> bool:
    """Whether a number is written so; its sign depends on the side from which a difference is told."""
    return abs(abs(value) - wanted) <= 0.5000001 * 10.0**-places


def _has_digits(text: str, digits: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(digits)}(?![\d])", text) is not None


def trace(texts: Mapping[str, str], sources: Sources) -> list[TracedNumber]:
    """Return every number of some texts with where it comes from."""
    found: dict[tuple[str, str], TracedNumber] = {}
    for name, text in texts.items():
        for match in _NUMBER.finditer(text):
            sign, digits, percent = match.groups(default="")
            in_points = _POINTS.match(text, match.end()) or _IN_POINTS.search(text[: match.start()])
            of_range = _RANGE.match(text, match.end())
            shown = f"{sign}{digits}{' %' if percent or of_range else ''}"
            if digits and (name, shown) not in found:
                shares = bool(percent or of_range or in_points)
                found[name, shown] = TracedNumber(name, shown, _origin(digits, shares, sources))
    return list(found.values())


def _origin(digits: str, percent: bool, sources: Sources) -> str:
    plain = f"{digits}{' %' if percent else ''}"
    if digits in _YEARS and not percent:
        return "references.bib"
    where = "" if "/" in digits else sources.find(digits, percent=percent)
    return where if where else "definition of the method" if plain in DEFINITIONS else ""


MOST_FIGURES = 10
_DATA = resources.files("concord.show").joinpath("data")
SELECTED: Mapping[str, Any] = json.loads(_DATA.joinpath("write_up.json").read_text("utf-8"))
"""Pictures that a paper would show of a kind, by its file; of other kinds the first two of their page."""
HEADINGS: Mapping[str, str] = SELECTED["headings"]
"""Parts of the text, in this order, by question."""
_NOT_SAID = withheld("\0", Estimate(None)).partition("\0")[0].strip().lower()
"""How a sentence begins that says why a claim is not made."""
NEAR = 1.05
"""Pictures up to so many times as wide as a column were drawn for it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a paper: a picture or several side by side, and the width it has on paper."""

    picture: Picture
    millimetres: float
    question: str
    panels: tuple[Picture, ...] = ()
    """Those it is made of, where it has several; each under its letter."""

    @property
    def shows(self) -> str:
        """What it shows, in a line."""
        named = (f"{letter} {one.title}" for letter, one in zip("abcdef", self.panels, strict=False))
        return "; ".join(named) if self.panels else self.picture.title

    @property
    def caption(self) -> str:
        """What is below it in a paper."""
        said = "" if self.panels else f"{sentence_of(self.picture.title)} "
        return f"{said}{self.picture.caption}".strip()


@dataclass(frozen=True, slots=True)
class WriteUp:
    """A folder that was written for a paper."""

    folder: Path
    files: tuple[Path, ...]
    figures: tuple[Figure, ...]
    methods: str
    results: str
    numbers: tuple[TracedNumber, ...]
    """Every number of both texts, with where in the results it is found."""
    note: str = ""
    """Why figures were not written in every form, where so."""

    @property
    def untraced(self) -> tuple[TracedNumber, ...]:
        """Numbers of the texts that are in no result."""
        return tuple(one for one in self.numbers if not one.where)


@dataclass(frozen=True, slots=True)
class _Group:
    """Results of one kind."""

    told: tuple[Kind, ...]
    """Those that are told one by one: of one result per model, that of the leading one."""
    all: tuple[Kind, ...]

    @property
    def lead(self) -> Kind:
        """The first."""
        return self.told[0]

    @property
    def question(self) -> str:
        """The part of the text it belongs to."""
        return self.lead.QUESTION if self.lead.QUESTION in HEADINGS else ""


_OF_MODELS = PeopleResult | StudiesResult | StructureResult | ReasoningResult
"""Kinds that answer one of the three questions by themselves."""


def write_up(
    results: Sequence[Kind],
    folder: str | Path,
    *,
    wanted: str = "nature",
    entries: Sequence[Entry] = (),
    names: Mapping[int, str] | None = None,
) -> WriteUp:
    """Write what a paper needs of results into a folder.

    Parameters
    ----------
    results
        Results of any kind; those of one kind are told together.
    folder
        Where it is written.
    wanted
        What figures are for: ``nature`` (89, 120 or 183 mm), ``apa`` or ``slides``.
    entries
        What is cited beside Concord and the methods: the studies.
    names
        The files of results, by their places; where there are none, their usual ones.
    """
    chosen = format_of(wanted)
    groups = _groups(results)
    figures = _select(groups, chosen)
    tables = list(_tables(groups))
    methods = _without_repetition([_methods(one) for group in groups for one in group.told])
    results_text, unsaid = _results(groups)
    known = {} if names is None else names
    held = Sources([(known.get(i, one.FILE), one) for i, one in enumerate(results)])
    numbers = trace({"methods": methods, "results": results_text}, held)
    cited = [CONCORD, *(METHODS[key] for one in results for key in one.CITES), *entries]
    out = Path(folder)
    _clear(out)
    files, note = write_pictures({f"figure-{i}": one for i, one in enumerate(figures, 1)}, out, chosen)
    made = WriteUp(out, tuple(files), tuple(figures), methods, results_text, tuple(numbers), note)
    files += _write_texts(made, tables, unsaid)
    write_text(out / "references.bib", bibtex({one[1]: one for one in cited}.values()) + "\n")
    return replace(made, files=(*files, out / "references.bib"))


def format_of(wanted: str) -> Format:
    """Return what a journal, a style or a screen asks of figures, by its name."""
    if wanted not in FORMATS:
        raise OptionError(f"figures for {wanted!r} are not known; expected one of {', '.join(FORMATS)}")
    return FORMATS[wanted]


def _clear(folder: Path) -> None:
    """Remove the figures and tables of an earlier write-up: fewer may be written now."""
    if (folder / "numbers.csv").is_file():
        for path in folder.iterdir():
            if re.fullmatch(r"figure-\d+[a-f]?\.(svg|pdf|png|csv)|table-\d+\.(md|tex)", path.name):
                path.unlink()


def _groups(results: Sequence[Kind]) -> list[_Group]:
    """Return results by kind, in the order of the text, without comparisons that repeat a ranking."""
    if not results:
        raise OptionError("there is no result to write up")
    by_kind: dict[str, list[Kind]] = {}
    ranked = {name for one in results if isinstance(one, AgentsResult) for name in one.who()}
    for one in results:
        if not (isinstance(one, MetricCompareResult) and ranked.issuperset(name for name, _ in one.ranked)):
            by_kind.setdefault(f"{type(one).__name__} {one.FILE}", []).append(one)
    for some in by_kind.values():
        some.sort(key=_pas_of, reverse=True)
    leading = {name for some in by_kind.values() if isinstance(some[0], _OF_MODELS) for name in some[0].who()}
    found = []
    for some in by_kind.values():
        one_each = isinstance(some[0], PeopleResult | StudiesResult | ReasoningResult) or some[0].OF_ONE_MODEL
        first = next((one for one in some if leading & set(one.who())), some[0])
        found.append(_Group((first,) if one_each else tuple(some), tuple(some)))
    order = list(HEADINGS)
    return sorted(found, key=lambda one: (order.index(one.question), not isinstance(one.lead, AgentsResult)))


def _pas_of(result: Kind) -> float:
    """Return what puts the model first that agrees most with people; other results keep their order."""
    found = result.result if isinstance(result, StudiesResult) else result
    value = found.pas.value if isinstance(found, PeopleResult) else None
    return -1.0 if value is None else value


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A picture that may be a figure."""

    rank: int
    """Among the pictures of its result."""
    question: str
    picture: Picture
    n_models: int
    """That its result is about."""


def select_figures(results: Sequence[Kind], chosen: Format) -> list[Figure]:
    """Return the figures that a paper would show of results, at most ten, in the order of the text."""
    return _select(_groups(results), chosen)


def _select(groups: Sequence[_Group], chosen: Format) -> list[Figure]:
    widths = (chosen.single, chosen.middle, chosen.double)
    single, middle, double = (layout(f"{wide:g}mm", chosen.size) for wide in widths)
    # several models of one result have a figure already: their ranking is the same numbers
    drawn = {name for group in groups if group.question for one in group.told for name in one.who()}
    found = [
        _Candidate(rank, group.question, picture, len(record.who()))
        for group in groups
        for record in group.told
        for rank, picture in enumerate(_pictures(record, single, middle))
        if not (picture.name == RANKED and set(record.who()) <= drawn)
    ]
    first = _models_together(groups, double)
    if first is None:
        found, first = _with_panels(found, double)
    if first is not None:
        found.insert(0, _Candidate(-1, "", first, 0))
    kept = sorted(range(len(found)), key=lambda i: (found[i].rank, i))[:MOST_FIGURES]
    return [set_figure(found[i].picture, chosen, found[i].question) for i in sorted(kept)]


def _models_together(groups: Sequence[_Group], width: float) -> Picture | None:
    """Draw several models in one picture, a panel per question, where a kind of its own does not."""
    models = [group for group in groups if isinstance(group.lead, _OF_MODELS)]
    names = [{name for one in group.all for name in one.who()} for group in models]
    many = {
        name for group in groups for one in group.all if isinstance(one, AgentsResult) for name in one.who()
    }
    shared = len(models) > 1 and bool(set.intersection(*names))
    alone = len(models) == 1 and len(names[0]) > 1 and not many.issuperset(names[0])
    return (
        plot_models([one for group in models for one in group.all], width=width) if shared or alone else None
    )


def _pictures(record: Kind, units: float, broad: float) -> Iterator[Picture]:
    """Draw what a paper would show of a result; broader where many rows have names."""
    usual = SELECTED.get(record.FILE, [one.name for one in record.PICTURES if one.on_page][:2])
    names = SELECTED.get(f"{record.FILE}, several", usual) if len(record.who()) > 1 else usual
    for name in names:
        declared = next((one for one in record.PICTURES if one.name == name), None)
        drawn = None if declared is None else drawn_by(declared, record, units=units)
        if declared is not None and drawn is not None and MANY_ROWS < len(drawn.rows) <= drawn.height / 12:
            drawn = drawn_by(declared, record, units=broad)
        if drawn is not None:
            yield drawn


MANY_ROWS = 31
"""Rows from which a figure with a row for each is of the middle width, so that names are whole."""
RANKED = "ranking"
"""The picture of models side by side."""
MOST_IN_PANEL = 20
"""Models that a panel of the first figure shows at most."""


def _with_panels(found: list[_Candidate], width: float) -> tuple[list[_Candidate], Picture | None]:
    """Put the picture of each question that shows most models side by side, of two questions at least."""
    best: dict[str, _Candidate] = {}
    for one in found:
        held = best.get(one.question)
        fits = one.rank == 0 and one.n_models <= MOST_IN_PANEL
        if one.question and fits and (held is None or one.n_models >= held.n_models):
            best[one.question] = one
    if len(best) < 2:
        return found, None
    parts = [best[question] for question in HEADINGS if question in best]
    return [one for one in found if one not in parts], stacked([one.picture for one in parts], width)


def set_figure(picture: Picture, chosen: Format, question: str = "") -> Figure:
    """Set a picture at the narrowest width of paper that it was drawn for, text at its size."""
    for wide in (chosen.single, chosen.middle, chosen.double):
        units = layout(f"{wide:g}mm", chosen.size)
        if picture.width <= NEAR * units:
            break
    made = replace(picture, width=max(picture.width, units)).with_look(
        look(f"{wide:g}mm", chosen.font, chosen.theme)
    )
    return Figure(made, wide, question, picture.parts)


def _tables(groups: Sequence[_Group]) -> Iterator[PaperTable]:
    """Return the headline table of every kind that has one."""
    for group in groups:
        if any(one.shown(PAPER) for one in group.lead.TABLES):
            made = paper_table_of(group.lead, "headline")
            if made.rows:
                yield made


def _without_repetition(paragraphs: Sequence[str]) -> str:
    """Join paragraphs; a definition that an earlier one holds is not given again."""
    said: set[str] = set()
    kept = []
    for paragraph in paragraphs:
        sentences = re.split(r"(?<=\.) (?=[A-Z])", paragraph)
        kept.append(" ".join(one for one in sentences if one not in said))
        said |= {
            one for one in sentences if len(one) > len("Intervals are 99.5 %, for other studies like these.")
        }
    return "\n\n".join(dict.fromkeys(one for one in kept if one))


def _methods(result: Kind) -> str:
    """Return how a result was made, with every assumption, the level and the seed where it has them."""
    said = [result.paragraph(with_concord(result.to_dict()))]
    if not said[0]:
        return ""
    # what would make an assumption needless, behind the last semicolon, is no part of a paper
    assumed = [line.rpartition("; ")[0] or line for line in getattr(result, "assumptions", ())]
    if assumed:
        said.append(f"Assumptions: {'; '.join(assumed)}.")
    level, seed = getattr(result, "level", None), getattr(result, "seed", None)
    if isinstance(level, float) and level_words(level) not in said[0]:
        said.append(f"Intervals are {level_words(level)}.")
    if isinstance(seed, int) and "seed" not in said[0]:
        said.append(f"Random numbers start from seed {seed}.")
    return " ".join(said)


def _results(groups: Sequence[_Group]) -> tuple[str, list[str]]:
    """Return the sentences that may be published, by question, and those that say why something may not."""
    parts: dict[str, list[str]] = {}
    unsaid: list[str] = []
    for group in groups:
        for record in group.told:
            assumed = getattr(record, "assumptions", ())
            for sentence in record.sentences():
                if any(line in sentence for line in assumed):
                    continue  # it is part of the methods
                if _NOT_SAID in sentence.lower():
                    unsaid.append(sentence)
                else:
                    parts.setdefault(group.question, []).append(sentence_of(sentence.removeprefix("! ")))
    text = "\n\n".join(f"**{HEADINGS[q]}.** {' '.join(dict.fromkeys(said))}" for q, said in parts.items())
    return text, unsaid


def file_part(text: str) -> str:
    """Return a text as part of the name of a file."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in text.lower()).strip("-")[
        :60
    ]


def write_pictures(figures: Mapping[str, Figure], folder: Path, chosen: Format) -> tuple[list[Path], str]:
    """Write each figure by its name as SVG, in other forms where they can be made, and its numbers."""
    files: list[Path] = []
    note = ""
    for name, figure in figures.items():
        for ending in dict.fromkeys((".svg", *(() if note else chosen.endings))):
            try:
                files.append(figure.picture.save(folder / f"{name}{ending}", dpi=chosen.dpi))
            except MissingExtraError as missing:
                note = f"SVG only: {missing}"
        shown = zip("abcdef", figure.panels, strict=False) if figure.panels else (("", figure.picture),)
        for letter, one in shown:
            if one.rows:
                head, *rows = one.rows
                files.append(folder / f"{name}{letter}.csv")
                write_csv(files[-1], [str(one) for one in head], rows)
    return files, note


def _write_texts(made: WriteUp, tables: Sequence[PaperTable], unsaid: Sequence[str]) -> list[Path]:
    """Write methods, results, captions, tables, the origin of numbers, a document for Word, README."""
    folder = made.folder
    captions = [f"**Figure {i}.** {one.caption}" for i, one in enumerate(made.figures, 1)]
    texts = {
        "methods.md": made.methods,
        "results.md": made.results,
        "captions.md": "\n\n".join(captions),
        "README.md": _readme(made, unsaid),
    }
    files = []
    for name, text in texts.items():
        write_text(folder / name, text + "\n")
        files.append(folder / name)
    for i, one in enumerate(tables, 1):
        for name, text in ((f"table-{i}.md", one.to_markdown()), (f"table-{i}.tex", one.to_latex())):
            write_text(folder / name, text)
            files.append(folder / name)
    rows = [(one.text, one.number, one.where if one.where else "not found") for one in made.numbers]
    write_csv(folder / "numbers.csv", ["text", "number", "where it is"], rows)
    whole: list[str | PaperTable] = ["# Methods", *made.methods.split("\n\n")]
    whole += ["# Results", *made.results.split("\n\n"), *tables, "# Figures", *captions]
    write_word(folder / "write-up.docx", whole)
    return [*files, folder / "numbers.csv", folder / "write-up.docx"]


def _readme(made: WriteUp, unsaid: Sequence[str]) -> str:
    rows = [f"| {i} | {one.millimetres:g} mm | {one.shows} |" for i, one in enumerate(made.figures, 1)]
    lost = [one.number for one in made.numbers if not one.where]
    traced = (
        f"{how_many(len(made.numbers), 'number', 'numbers')} of both texts, each with its place in the "
        f"results{'; not found: ' + ', '.join(lost) if lost else ''}"
    )
    withheld = ["", "## Not to be claimed", "", *(f"- {one}" for one in unsaid)] if unsaid else []
    return "\n".join(
        ["# For a paper", "", "| figure | width | shows |", "|---|---|---|", *rows, "",
         "| file | holds |", "|---|---|",
         "| figure-N.svg, .pdf, .csv | a figure, and the numbers that it shows |",
         "| captions.md | what goes below each figure |",
         "| table-N.md, .tex | tables, for Markdown and LaTeX |",
         "| methods.md | how the numbers were made |",
         "| results.md | sentences that the results support |",
         "| write-up.docx | all of these texts and tables, for Word |",
         "| references.bib | what the text cites |",
         f"| numbers.csv | {traced} |", *withheld]
    )  # fmt: skip

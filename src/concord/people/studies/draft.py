"""A paper to a draft of a study: every statistic with its place and words, checked; the rest to fill in."""

import json
import re
import zipfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from xml.parsers import expat

from concord.errors import ApaError, FileFormatError, MissingExtraError, OptionError
from concord.files import limits
from concord.files.contents import read_bytes
from concord.files.gate import refuse_more
from concord.files.sheet_xml import BROKEN, inflate
from concord.people.apa.read import ApaResult, check_apa, parse_apa, scan_apa
from concord.people.studies.format import FILL_IN
from concord.stats.grim import grim, grimmer

_TESTS = {
    "t": "t-independent, t-paired, t-one-sample or t-welch",
    "F": "anova, or another kind with an F",
    "chi2": "chi-square or goodness-of-fit",
    "r": "pearson or spearman",
    "z": "what the z is of",
    "binomial": "binomial",
    "U": "mann-whitney",
    "W": "wilcoxon",
    "H": "kruskal-wallis",
}
_MOMENTS = re.compile(
    r"(?<![A-Za-z])M(?:ean)?s?\s{0,2}=\s{0,2}(?P<mean>[−-]?\d{0,6}\.\d{1,4})"
    r"(?:\s{0,2}[,;(]\s{0,2}SDs?\s{0,2}=\s{0,2}(?P<sd>\d{0,6}\.\d{1,4}))?"
    r"(?:\s{0,2}[,;(]\s{0,2}n\s{0,2}=\s{0,2}(?P<n>\d{1,6}))?"
)
_COUNTS = re.compile(
    r"\b\d{1,6} (?:out )?of (?:the )?\d{1,6}\b[^.;]{0,120}?\b(?:binomial|sign)\b[^.;]{0,40}?"
    r"p\s{0,2}[<=>]\s{0,2}\.\d{1,6}",
    re.IGNORECASE,
)
_SLOPES = re.compile(
    r"(?<![\w.])[bB]\s{0,2}=\s{0,2}[−-]?\d{0,6}\.\d{1,6},\s{0,2}SE\s{0,2}=\s{0,2}\d{0,6}\.\d{1,6},\s{0,2}"
    r"p\s{0,2}[<=>]\s{0,2}\.\d{1,6}"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(“\"])")
_SPELLED = {"ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl", "\xad": "", "\xa0": " ", "\u2009": " "}
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\uffff]")
"""What no study file may hold."""
_LONGEST = 400
"""Characters of the words around a number that are kept."""


@dataclass(frozen=True, slots=True)
class DraftedStatistic:
    """A reported statistic, where it stands, and what recomputing it gives."""

    text: str
    at: str
    words: str
    kind: str
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class DraftedMoments:
    """A mean and, where printed, a standard deviation and n, with what GRIM and GRIMMER say."""

    text: str
    at: str
    words: str
    mean: float
    sd: float | None
    n: int | None
    grim: bool | None
    """Whether whole answers of n people can have this mean; None: not known or any mean can."""
    grimmer: bool | None


@dataclass(frozen=True, slots=True)
class DraftedStudy:
    """What was found in a paper, and the study file to be completed."""

    name: str
    digest: str
    pages: int
    statistics: tuple[DraftedStatistic, ...]
    moments: tuple[DraftedMoments, ...]
    problems: tuple[str, ...]
    """What begins like a statistic and cannot be one, with its place."""

    def sentences(self) -> Iterator[str]:
        """Say what was found, and what is wrong with it."""
        verdicts = [one.verdict for one in self.statistics]
        counted = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))
        checked = f" ({counted})" if counted else ""
        yield f"{self.name}: {len(verdicts)} statistics{checked}, {len(self.moments)} means."
        for one in self.statistics:
            if one.verdict in ("inconsistent", "decision error"):
                yield f"{one.at}: {one.text}: {one.verdict}: {one.reason}."
        for found in self.moments:
            if found.grim is False or found.grimmer is False:
                what = "mean" if found.grim is False else "standard deviation"
                yield f"{found.at}: {found.text}: impossible {what} of whole answers of {found.n} people."
        yield from self.problems

    def yaml(self, proposed: Mapping[str, str] = MappingProxyType({})) -> str:
        """Return the study file: numbers with their words; what a person must say is marked.

        `proposed`: words for what is to be filled in (``title``, ``F1.says``), which stay inside the marks.
        """
        return "\n".join(_yaml(self, proposed)) + "\n"


def draft_study(paper: str | Path) -> DraftedStudy:
    """Find the statistics of a paper (PDF, DOCX or text), check them, and draft a study file.

    Parameters
    ----------
    paper
        The file. Text of PDFs needs the extra ``papers``.
    """
    path = Path(paper)
    data = read_bytes(path)
    pages = _pages_of(path, data)
    text = _Joined(pages)
    scan = scan_apa(text.text)
    statistics = []
    for found in sorted([*_counts(text.text), *scan.results], key=lambda one: one.span):
        if found.kind == "p":
            continue  # a p alone is no statistic of a test
        check = check_apa(found)
        at, words = text.place(found.span[0]), text.words(*found.span)
        statistics.append(DraftedStatistic(found.text, at, words, found.kind, check.verdict, check.reason))
    tables = [(label, table) for label, page in pages for table in _printed_tables(page)]
    statistics += [one for label, table in tables for one in _drafted(label, table)]
    problems = tuple(f"{text.place(bad.position)}: {bad}" for bad in scan.problems)
    return DraftedStudy(
        path.name,
        sha256(data).hexdigest(),
        len(pages),
        tuple(statistics),
        (*_printed_means(text), *(one for label, table in tables for one in _means_in(label, table))),
        problems,
    )


def _pages_of(path: Path, data: bytes) -> list[tuple[str, str]]:
    readers = {".pdf": _pdf_pages, ".docx": _docx_parts, ".txt": _text_pages, ".md": _text_pages}
    if path.suffix.lower() not in readers:
        raise OptionError(f"{path.name}: expected a paper as .pdf, .docx, .txt or .md")
    return readers[path.suffix.lower()](path.name, data)


def paper_text(path: Path) -> str:
    """Return the text of a paper without its layout."""
    return _Joined(_pages_of(path, read_bytes(path))).text


def _counts(text: str) -> Iterator[ApaResult]:
    """Yield slopes, and counts with their test: ``52 of 60 kept it (binomial test, p < .001)``."""
    for match in (*_COUNTS.finditer(text), *_SLOPES.finditer(text)):
        found = scan_apa(match[0]).results
        if not any(one.kind == "binomial" for one in found):
            with suppress(ApaError):
                one = parse_apa(match[0])
                yield replace(one, text=match[0], span=match.span())


class _Joined:
    """The pages of a paper as one text, which remembers where each begins."""

    def __init__(self, pages: Sequence[tuple[str, str]]) -> None:
        self.labels = [label for label, _ in pages]
        self.starts: list[int] = []
        parts, at = [], 0
        for _, page in pages:
            self.starts.append(at)
            parts.append(_unbroken(page) + " ")
            at += len(parts[-1])
        self.text = "".join(parts)
        most = limits.PAPER_CHARACTERS
        refuse_more(len(self.text), most, "characters", "the paper", "give its results alone")
        self.cuts = [0, *(match.end() for match in _SENTENCE.finditer(self.text)), len(self.text)]

    def place(self, position: int) -> str:
        """Return the page or paragraph of a character."""
        return self.labels[max(bisect_right(self.starts, position) - 1, 0)]

    def words(self, start: int, end: int) -> str:
        """Return the sentence around a number, shortened about it where it is long."""
        i, j = bisect_right(self.cuts, start) - 1, bisect_right(self.cuts, max(end - 1, start))
        low, high = self.cuts[i], self.cuts[min(j, len(self.cuts) - 1)]
        low, high = max(low, start - _LONGEST // 2), min(high, end + _LONGEST // 2)
        return self.text[low:high].strip()


def _unbroken(page: str) -> str:
    """Undo what a layout does to text: ligatures, hyphens at the end of a line, lines."""
    for sign, plain in _SPELLED.items():
        page = page.replace(sign, plain)
    page = re.sub(r"(?<=[a-z])(?:[-\u2010]\s*\r?\n|\ufffe)\s*(?=[a-z])", "", page)  # U+FFFE: a PDF's hyphen
    page = _NO_TEXT.sub("", page.replace("\ufffe", "-"))
    page = re.sub(r"(\.\d{1,4})\.(\d{1,2})(?=\s|$)", r"\1. \2", page)  # a footnote's mark after a full stop
    return re.sub(r"\s+", " ", page)


def _printed_means(text: _Joined) -> Iterator[DraftedMoments]:
    """Yield every printed mean, with n where the text gives it beside the mean."""
    for found in _MOMENTS.finditer(text.text):
        yield _checked_mean(found, text.place(found.start()), text.words(*found.span()))


def _checked_mean(found: re.Match[str], at: str, words: str) -> DraftedMoments:
    """Return a printed mean with what GRIM and GRIMMER say of it."""
    mean, sd, n = (found[name] for name in ("mean", "sd", "n"))
    value, size = float(mean.replace("−", "-")), None if n is None else int(n)
    places = len(mean.partition(".")[2])
    fits = deviates = None
    if size is not None:
        fits = grim(value, size, decimals=places)
        if sd is not None:
            decimals = len(sd.partition(".")[2])
            deviates = grimmer(value, float(sd), size, decimals=places, sd_decimals=decimals)
    return DraftedMoments(found[0], at, words, value, None if sd is None else float(sd), size, fits, deviates)


_TITLES = {
    name: column
    for column, names in {
        "t": "t tvalue t-value tratio",
        "F": "F Fvalue F-value Fratio",
        "chi2": "χ2 χ² chi2 chi-square X2 X²",
        "z": "z Z zvalue z-value",
        **{letter: letter for letter in "rHUW"},
        "b": "b B",
        "SE": "SE S.E. SEb SEB",
        "df": "df d.f. dfs",
        "df1": "df1 dfn numdf",
        "df2": "df2 dfd dendf dferror errordf",
        "p": "p P pvalue p-value Sig. sig.",
        "n": "n N",
        "M": "M Mean mean",
        "SD": "SD sd S.D.",
        "": "d g SS MS η2 η² ηp2 ηp² 95%CI CI LL UL β BF10 V φ OR Cohen'sd k",
    }.items()
    for name in names.split()
}
"""Titles of columns, without spaces, and what they hold; no name: a number that is no part of a test."""
_WITH_DF = re.compile(r"(?P<title>[tFHχ][2²]?)\s?\(\s?(?P<df>\d{1,6}(?:,\s?\d{1,6})?)\s?\)")
_CELL = re.compile(
    r"[<>=]?\s?[−–-]?\d{0,9}\.?\d{1,9}\s?[*†‡]{0,3}\s?[a-e]?|n\.?\s?s\.?|[−–—-]|\[.{1,40}\]|\(.{1,40}\)"
    r"|\d{1,6},\s?\d{1,6}"
)
_ERROR_ROW = re.compile(r"(?:error|residuals?|within)\b", re.IGNORECASE)
_END_OF_TABLE = re.compile(r"\s*(?:note|table|figure|fig\.|\*)", re.IGNORECASE)
_MOST_SUBHEADS, _COLUMN_LINES = 2, 5
"""Lines without numbers inside a table; lines with words on both sides of the gap between two columns."""


@dataclass(frozen=True, slots=True)
class _PaperTable:
    """A printed table: what its columns hold and are called, and the rows with their cells."""

    header: str
    columns: tuple[tuple[str, str, str], ...]
    """What a column holds, its title, and degrees of freedom that the title gives."""
    rows: tuple[tuple[str, dict[int, str]], ...]
    """Each row as it is printed, and its cells by the number of their column."""


def _printed_tables(page: str) -> Iterator[_PaperTable]:
    """Yield the tables of a page whose columns are those of tests or of means."""
    lines, at = page.splitlines(), 0
    while at < len(lines):
        columns = _columns_of(lines[at])
        at += 1
        if not columns:
            continue
        header, rows, lost = lines[at - 1], [], 0
        while at < len(lines) and lost <= _MOST_SUBHEADS and not _END_OF_TABLE.match(lines[at]):
            if _columns_of(lines[at]):
                break
            cells = _row_of(lines[at], len(columns))
            if cells:
                rows.append((_spaced(lines[at]), cells))
            lost = 0 if cells or not lines[at].strip() else lost + 1
            at += 1
        if rows:
            yield _PaperTable(_spaced(header), columns, tuple(rows))


def _spaced(line: str) -> str:
    return re.sub(r"[\s|]+", " ", line).strip()


def _cells_of(line: str) -> list[str]:
    """Cut a line at bars, tabs or wide gaps; where there are none, at spaces that are not inside a number."""
    if "|" in line or "\t" in line:
        return [cell.strip() for cell in re.split(r"[|\t]", re.sub(r"^ *\||[|\t][ \r\n]*$", "", line))]
    wide = re.split(r" {2,}", line.strip())
    if len(wide) > 2:
        return wide
    joined = re.sub(r"([<>=])\s+(?=\.?\d)", r"\1", line.strip())
    joined = re.sub(r"(?<=\d),\s+(?=\d)", ",", joined).replace("95% CI", "95%CI")
    return joined.split()


def _columns_of(line: str) -> tuple[tuple[str, str, str], ...]:
    """Return the columns that a line names at its end; none where it is no head of tests or of means."""
    found: list[tuple[str, str, str]] = []
    for cell in reversed(_cells_of(line)):
        given = _WITH_DF.fullmatch(cell)
        title = given["title"] if given else cell.replace(" ", "")
        if title not in _TITLES and " " in cell:
            title = cell.split()[-1]  # of two groups: "Gain M"
        if title not in _TITLES:
            break
        found.append((_TITLES[title], title, given["df"] if given else ""))
    holds = {column for column, _, df in found} | {"df" for _, _, df in found if df}
    tested = holds & {"t", "F", "chi2", "z", "r", "H", "U", "W"} and holds & {"p", "df", "df1"}
    useful = tested or {"b", "SE"} <= holds or {"M", "SD"} <= holds
    return tuple(reversed(found)) if useful else ()


def _row_of(line: str, k: int) -> dict[int, str]:
    """Return the cells of a row by column: the last k, or the first where the last are missing."""
    cells = _cells_of(line)
    placed = "|" in line or "\t" in line
    if placed and len(cells) > k:
        values = {i: cell for i, cell in enumerate(cells[-k:]) if cell}
        return values if values and all(map(_CELL.fullmatch, values.values())) else {}
    numbers = 0
    while numbers < min(k, len(cells) - 1) and _CELL.fullmatch(cells[-1 - numbers]):
        numbers += 1
    named = any(letter.isalpha() for cell in cells[: len(cells) - numbers] for letter in cell)
    enough = numbers == k or (numbers >= 2 and _ERROR_ROW.match(line.strip()))
    return dict(enumerate(cells[len(cells) - numbers :])) if named and enough else {}


def _tests_of(table: _PaperTable) -> Iterator[tuple[str, str]]:
    """Yield each test of a table as a string, and the words it is made of."""
    places = {column: i for i, (column, _, _) in enumerate(table.columns)}
    error = next((row for row in table.rows if _ERROR_ROW.match(row[0])), None)
    rest = None if error is None or "df" not in places else error[1].get(places["df"])
    for printed, cells in table.rows:
        held = {column: _plain_cell(cells[i]) for column, i in places.items() if i in cells}
        given = {column: df for column, _, df in table.columns if df}
        words = f"{table.header} / {printed}"
        p = held.get("p", "")
        relation = re.fullmatch(r"([<>=]?)\s*(\d?\.\d+)", p)
        told = f", p {relation[1] or '='} {relation[2]}" if relation else ""
        kinds = [kind for kind in ("t", "F", "chi2", "z", "r", "H", "U", "W") if kind in held]
        for kind in kinds:
            title = table.columns[places[kind]][1]
            df = given.get(kind, held.get("df", ""))
            if "df1" in held and "df2" in held:
                df = f"{held['df1']}, {held['df2']}"
            df = re.sub(r",\s*", ", ", df)
            if kind == "F" and df and "," not in df:
                df, words = (f"{df}, {rest}", f"{words} / {error[0]}") if rest and error else ("", words)
            if kind == "chi2" and df and "n" in held:
                df = f"{df}, N = {held['n']}"
            if df or kind in "zUW":
                yield f"{title}({df}) = {held[kind]}{told}" if df else f"{title} = {held[kind]}{told}", words
        if not kinds and {"b", "SE"} <= held.keys():
            yield f"b = {held['b']}, SE = {held['SE']}{told}", words


def _drafted(label: str, table: _PaperTable) -> Iterator[DraftedStatistic]:
    """Yield the tests of a table that the grammar of reported statistics knows."""
    for text, words in _tests_of(table):
        with suppress(ApaError):
            found = parse_apa(text)
            check = check_apa(found)
            yield DraftedStatistic(text, f"{label}, table", words, found.kind, check.verdict, check.reason)


def _means_in(label: str, table: _PaperTable) -> Iterator[DraftedMoments]:
    """Yield each mean of a table, with the standard deviation in the column after it and the only n."""
    held = [column for column, _, _ in table.columns]
    for printed, cells in table.rows:
        for i, column in enumerate(held):
            if column != "M" or i not in cells:
                continue
            sd = cells.get(i + 1) if held[i + 1 : i + 2] == ["SD"] else None
            n = cells.get(held.index("n")) if held.count("n") == 1 and held.count("M") == 1 else None
            parts = [
                f"{name} = {_plain_cell(cell)}"
                for name, cell in (("M", cells[i]), ("SD", sd), ("n", n))
                if cell
            ]
            if found := _MOMENTS.fullmatch(", ".join(parts)):
                yield _checked_mean(found, f"{label}, table", f"{table.header} / {printed}")


def _plain_cell(cell: str) -> str:
    """Return a cell without marks of footnotes."""
    return re.sub(r"(?<=\d)\s?[*†‡]{0,3}\s?[a-e]?$", "", cell.strip())


def _in_columns(page: str) -> str:
    """Return a page that is set in two columns as its left column and then its right one."""
    lines = page.splitlines()
    starts = Counter(
        at.end() for line in lines for at in re.finditer(r"\S {2,}(?=\S)", line) if 25 <= at.end() <= 90
    )
    if not starts:
        return page
    gutter, n = max(starts.items(), key=lambda one: one[1])
    split = [
        (line[:gutter].rstrip(), line[gutter:].strip()) for line in lines if line[gutter - 2 : gutter] == "  "
    ]
    prose = sum(all(len(re.findall(r"[A-Za-z]{2,}", side)) >= 3 for side in pair) for pair in split)
    if n < _COLUMN_LINES or prose < _COLUMN_LINES:
        return page
    made: list[str] = []
    left: list[str] = []
    right: list[str] = []
    blank = False
    for line in lines:
        apart = len(line) <= gutter or line[gutter - 2 : gutter] == "  "
        if not apart or (blank and line.strip() and not line[gutter:].strip()):
            made, left, right = [*made, *left, "", *right, ""], [], []
        if not apart:
            made.append(line)
        else:
            left.append(line[:gutter].rstrip())
            right.append(line[gutter:])
        blank = not line.strip()
    return "\n".join([*made, *left, "", *right])


def _pdf_pages(name: str, data: bytes) -> list[tuple[str, str]]:
    """Return the text of every page of a PDF."""
    try:
        import pypdfium2
    except ImportError as error:
        raise MissingExtraError("reading PDF files", "papers") from error
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise FileFormatError(f"{name}: cannot be read as a PDF ({error})") from error
    try:
        refuse_more(len(document), limits.PAGES, "pages", name, "give the pages with results")
        pages = []
        for i in range(len(document)):
            page = document[i]
            pages.append((f"p. {i + 1}", page.get_textpage().get_text_range()))
            page.close()
    finally:
        document.close()
    if not any(text.strip() for _, text in pages):
        raise FileFormatError(f"{name}: its pages hold no text (a scan); recognise the text first")
    return pages


_WORD = {"paragraph": "document", "footnote": "footnotes", "endnote": "endnotes"}
"""Parts of a Word document and the files that hold them; notes may be missing."""


def _docx_parts(name: str, data: bytes) -> list[tuple[str, str]]:
    """Return the paragraphs and notes of a Word document; entities and bombs are refused."""
    made: list[tuple[str, str]] = []
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            places = {label: f"word/{file}.xml" for label, file in _WORD.items()}
            held = {*archive.namelist(), places["paragraph"]}
            entries = {label: archive.getinfo(at) for label, at in places.items() if at in held}
            size = sum(entry.file_size for entry in entries.values())
            refuse_more(size, limits.UNPACKED, "bytes", name, "give its results alone")
        for label, entry in entries.items():
            texts = _word_texts(name, inflate(data, entry), entry.file_size)
            made += [(f"{label} {i}", text) for i, text in enumerate(texts, start=1)]
    except (*BROKEN, expat.ExpatError) as error:
        raise FileFormatError(f"{name}: cannot be read as a Word document ({error})") from error
    return made


def _word_texts(name: str, xml: bytes, declared: int) -> list[str]:
    """Return the paragraphs and tables of a part of a Word document."""
    if len(xml) > declared or b"<!" in xml:
        raise FileFormatError(f"{name}: holds more than it declares, or entities; save it again")
    found: list[list[str]] = [[]]
    inside, cells = [False], [0]

    def start(tag: str, _: dict[str, str]) -> None:
        inside[0] = tag.endswith(":t")
        cells[0] += tag.endswith(":tc")
        if tag.endswith((":tab", ":br")):
            found[-1].append(" ")

    def end(tag: str) -> None:
        inside[0] = False
        cells[0] -= tag.endswith(":tc")
        if tag.endswith(":tc"):  # a table is one part: a line per row, a tab after each cell
            found[-1].append("\t")
        elif tag.endswith(":tr"):
            found[-1].append("\n")
        elif tag.endswith(":p") and cells[0]:
            found[-1].append(" ")
        elif tag.endswith((":p", ":tbl")):
            found.append([])

    def characters(text: str) -> None:
        if inside[0]:
            found[-1].append(text)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.Parse(xml, True)
    return [text for parts in found if (text := "".join(parts)).strip()]


def _text_pages(name: str, data: bytes) -> list[tuple[str, str]]:
    """Return pages where form feeds separate them, else paragraphs with the line they begin at."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    pages = [_in_columns(page) for page in text.split("\f")]
    if len(pages) > 1 or pages[0] != text:
        return [(f"p. {i + 1}", page) for i, page in enumerate(pages)]
    parts, at = [], 1
    for part in re.split(r"(\n\s*\n)", text):
        if part.strip():
            parts.append((f"line {at}", part))
        at += part.count("\n")
    if not parts:
        raise FileFormatError(f"{name}: holds no text")
    return parts


def _quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


PROPOSED = ("title", "domain", "population", "design", "items", "steps")
"""What a model may propose words for, beside what was found and what is compared."""


def _yaml(draft: DraftedStudy, proposed: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the study file."""

    def _todo(what: str, key: str = "") -> str:
        words = f" (proposed: {proposed[key]})" if key in proposed else ""
        return _quoted(f"{FILL_IN}: {what}{words}")

    yield f"# Drafted from {draft.name}. Replace every text that begins with {FILL_IN}, then: concord check"
    yield "format: 1"
    yield f"study: {_todo('a short name, such as anchoring')}"
    yield f"draft: {{paper: {_quoted(draft.name)}, sha256: {draft.digest}}}"
    yield f"title: {_todo('what it is about, in a few words', 'title')}"
    yield f"domain: {_todo('Cognition, Strategic, Social or another', 'domain')}"
    yield "source:"
    for key in ("authors", "year", "title", "published"):
        yield f"  {key}: {_todo(key)}"
    yield "population:"
    yield f"  describes: {_todo('whom the participants were', 'population')}"
    yield "about:"
    yield f"  design: {_todo('what was varied and what was asked', 'design')}"
    yield f"  simplified: [{_todo('what differs from the paper')}]"
    yield f"  threats: [{_todo('why a model may answer from memory')}]"
    yield "experiments:"
    yield "  main:"
    yield f"    participants: {{n: {_todo('people in each cell')}}}"
    yield f"    items: {_todo('what is asked, in your own words', 'items')}"
    yield f"    steps: {_todo('texts, and which items follow them', 'steps')}"
    if draft.moments:
        yield "# Means that the paper prints (for items, scales and distributions):"
        for one in draft.moments:
            wrong = " IMPOSSIBLE for whole answers" if one.grim is False or one.grimmer is False else ""
            yield f"#   {one.at}: {one.text}{wrong}"
    yield "findings:"
    for i, found in enumerate(draft.statistics, start=1):
        yield f"  F{i}:"
        yield f"    says: {_todo('what was found: ' + found.words, f'F{i}.says')}"
        yield "    tests:"
        yield f"      - name: {_todo('what is compared', f'F{i}.compared')}"
        yield "        experiment: main"
        yield f"        test: {_todo(_TESTS.get(found.kind, 'the kind of test'))}"
        yield "        human:"
        yield f"          reported: {_quoted(found.text)}"
        yield f"          located: {{at: {_quoted(found.at)}, words: {_quoted(found.words)}}}"
        yield f"          source: {_todo('which group is first, and where the direction comes from')}"
        if found.verdict != "consistent":
            yield f"        # {found.verdict}: {found.reason}"
    if not draft.statistics:
        yield f"  F1: {_todo('no reported statistic was found')}"

"""A paper to a draft of a study: every statistic with its place and words, checked; the rest to fill in."""

import json
import re
import zipfile
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
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
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(“\"])")
_SPELLED = {"ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl", "\xad": "", "\xa0": " ", "\u2009": " "}
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

    def yaml(self) -> str:
        """Return the study file: numbers with their words; what a person must say is marked."""
        return "\n".join(_yaml(self)) + "\n"


def draft_study(paper: str | Path) -> DraftedStudy:
    """Find the statistics of a paper (PDF, DOCX or text), check them, and draft a study file.

    Parameters
    ----------
    paper
        The file. Text of PDFs needs the extra ``papers``.
    """
    path = Path(paper)
    data = read_bytes(path)
    readers = {".pdf": _pdf_pages, ".docx": _docx_parts, ".txt": _text_pages, ".md": _text_pages}
    if path.suffix.lower() not in readers:
        raise OptionError(f"{path.name}: expected a paper as .pdf, .docx, .txt or .md")
    pages = readers[path.suffix.lower()](path.name, data)
    text = _Joined(pages)
    scan = scan_apa(text.text)
    statistics = []
    for found in sorted([*_counts(text.text), *scan.results], key=lambda one: one.span):
        if found.kind == "p":
            continue  # a p alone is no statistic of a test
        check = check_apa(found)
        at, words = text.place(found.span[0]), text.words(*found.span)
        statistics.append(DraftedStatistic(found.text, at, words, found.kind, check.verdict, check.reason))
    problems = tuple(f"{text.place(bad.position)}: {bad}" for bad in scan.problems)
    return DraftedStudy(
        path.name,
        sha256(data).hexdigest(),
        len(pages),
        tuple(statistics),
        tuple(_printed_means(text)),
        problems,
    )


def _counts(text: str) -> Iterator[ApaResult]:
    """Yield counts whose test is named with them: ``52 of 60 kept it (binomial test, p < .001)``."""
    for match in _COUNTS.finditer(text):
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
    page = re.sub(r"(?<=[a-z])[-\u2010\ufffe]\s*\r?\n\s*(?=[a-z])", "", page)
    return re.sub(r"\s+", " ", page)


def _printed_means(text: _Joined) -> Iterator[DraftedMoments]:
    """Yield every printed mean, with n where the text gives it beside the mean."""
    for found in _MOMENTS.finditer(text.text):
        mean, sd, n = (found[name] for name in ("mean", "sd", "n"))
        value, size = float(mean.replace("−", "-")), None if n is None else int(n)
        places = len(mean.partition(".")[2])
        fits = deviates = None
        if size is not None:
            fits = grim(value, size, decimals=places)
            if sd is not None:
                deviates = grimmer(
                    value, float(sd), size, decimals=places, sd_decimals=len(sd.partition(".")[2])
                )
        yield DraftedMoments(
            found[0], text.place(found.start()), text.words(*found.span()), value,
            None if sd is None else float(sd), size, fits, deviates,
        )  # fmt: skip


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


def _docx_parts(name: str, data: bytes) -> list[tuple[str, str]]:
    """Return the paragraphs of a Word document; entities and bombs are refused."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entry = archive.getinfo("word/document.xml")
            refuse_more(entry.file_size, limits.UNPACKED, "bytes", name, "give its results alone")
            xml = inflate(data, entry)
    except BROKEN as error:
        raise FileFormatError(f"{name}: cannot be read as a Word document ({error})") from error
    if len(xml) > entry.file_size or b"<!" in xml:
        raise FileFormatError(f"{name}: holds more than it declares, or entities; save it again")
    found: list[list[str]] = [[]]
    inside = [False]

    def start(tag: str, _: dict[str, str]) -> None:
        inside[0] = tag.endswith(":t")
        if tag.endswith((":tab", ":br", ":tc")):
            found[-1].append(" ")

    def end(tag: str) -> None:
        inside[0] = False
        if tag.endswith(":p"):
            found.append([])

    def characters(text: str) -> None:
        if inside[0]:
            found[-1].append(text)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise FileFormatError(f"{name}: cannot be read as a Word document ({error})") from error
    texts = ["".join(parts) for parts in found]
    return [(f"paragraph {i + 1}", text) for i, text in enumerate(text for text in texts if text.strip())]


def _text_pages(name: str, data: bytes) -> list[tuple[str, str]]:
    """Return pages where form feeds separate them, else paragraphs with the line they begin at."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if "\f" in text:
        return [(f"p. {i + 1}", page) for i, page in enumerate(text.split("\f"))]
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


def _todo(what: str) -> str:
    return _quoted(f"{FILL_IN}: {what}")


def _yaml(draft: DraftedStudy) -> Iterator[str]:
    """Yield the lines of the study file."""
    yield f"# Drafted from {draft.name}. Replace every text that begins with {FILL_IN}, then: concord check"
    yield "format: 1"
    yield f"study: {_todo('a short name, such as anchoring')}"
    yield f"draft: {{paper: {_quoted(draft.name)}, sha256: {draft.digest}}}"
    yield f"title: {_todo('what it is about, in a few words')}"
    yield f"domain: {_todo('Cognition, Strategic, Social or another')}"
    yield "source:"
    for key in ("authors", "year", "title", "published"):
        yield f"  {key}: {_todo(key)}"
    yield "population:"
    yield f"  describes: {_todo('whom the participants were')}"
    yield "about:"
    yield f"  design: {_todo('what was varied and what was asked')}"
    yield f"  simplified: [{_todo('what differs from the paper')}]"
    yield f"  threats: [{_todo('why a model may answer from memory')}]"
    yield "experiments:"
    yield "  main:"
    yield f"    participants: {{n: {_todo('people in each cell')}}}"
    yield f"    items: {_todo('what is asked, in your own words')}"
    yield f"    steps: {_todo('texts, and which items follow them')}"
    if draft.moments:
        yield "# Means that the paper prints (for items, scales and distributions):"
        for one in draft.moments:
            wrong = " IMPOSSIBLE for whole answers" if one.grim is False or one.grimmer is False else ""
            yield f"#   {one.at}: {one.text}{wrong}"
    yield "findings:"
    for i, found in enumerate(draft.statistics, start=1):
        yield f"  F{i}:"
        yield f"    says: {_todo('what was found: ' + found.words)}"
        yield "    tests:"
        yield f"      - name: {_todo('what is compared')}"
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

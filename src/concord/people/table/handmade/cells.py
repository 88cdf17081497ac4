"""A cell of a hand-made table to what it holds: numbers, M (SD), counts, effects with intervals, strings."""

import re
from dataclasses import dataclass, replace
from datetime import date

from concord.errors import ApaError
from concord.files.cells import BadCellError, is_missing
from concord.files.text import normal_form
from concord.people.apa.parse import parse_apa

LONGEST = 200
"""Characters of a cell that may hold a result; a longer text is none."""
# what repeats has an end: a cell is hostile input
_GAP, _INT = r"\s{0,9}", r"\d{1,40}"
_SHARE = rf"{_INT}(?:\.{_INT})?"
_NUM = rf"[+-]?(?:{_SHARE}|\.{_INT})"
_MINUS = str.maketrans({"−": "-", "–": "-", "—": "-", "﹣": "-", "－": "-", "‐": "-", "‑": "-"})
_MARKS = re.compile(r"(?<=[\d%)\]])\s*[*†‡§¹²³ᵃᵇᶜᵈᵉ]+\s*$|(?<=\d)\s*[*†‡§]+(?=\s*[(\[,;])")
"""Stars, daggers and superscript letters behind a number: footnotes, never part of it."""
_NUMBER_NS = re.compile(rf"({_NUM})\s*n\.?\s?s\.?", re.IGNORECASE)
"""A bare number that is said not to be significant."""
_MEAN = re.compile(
    # something must part mean and SD: two open-ended numbers in a row would be tried in every way
    rf"(?:M{_GAP}={_GAP})?(?P<mean>{_NUM}){_GAP}"
    rf"(?:[(,;]{_GAP}(?:SD{_GAP}=?{_GAP})?|±{_GAP}|SD{_GAP}=?{_GAP})(?P<sd>{_NUM}){_GAP}\)?"
    rf"(?:{_GAP}[,;]?{_GAP}\(?{_GAP}[nN]{_GAP}={_GAP}(?P<n>{_INT}){_GAP}\)?)?"
)
_COUNT = re.compile(
    rf"(?P<k>{_INT}){_GAP}(?:/|of|out of|von){_GAP}(?P<n>{_INT})"
    rf"(?:{_GAP}[(,;]{_GAP}(?P<percent>{_SHARE}){_GAP}%{_GAP}\)?)?"
)
_COUNT_BEHIND = re.compile(
    rf"(?P<percent>{_SHARE}){_GAP}%{_GAP}[(,;]?{_GAP}(?P<k>{_INT}){_GAP}(?:/|of|out of|von){_GAP}"
    rf"(?P<n>{_INT}){_GAP}\)?"
)
_COUNT_PERCENT = re.compile(rf"(?P<k>{_INT}){_GAP}\({_GAP}(?P<percent>{_SHARE}){_GAP}%{_GAP}\)")
_PERCENT = re.compile(
    rf"(?P<percent>{_SHARE}){_GAP}%"
    rf"(?:{_GAP}[,;]?{_GAP}\(?{_GAP}(?:of\s{_GAP}|[nN]{_GAP}={_GAP})(?P<n>{_INT}){_GAP}\)?)?"
)
_NAME = r"(?:(?:Cohen|Hedges)['’]?\s?s?['’]?\s+)?"
_EFFECT = re.compile(
    rf"{_NAME}(?:(?P<label>d|g|r|OR)\s*=\s*)?(?P<value>{_NUM})\s*[,;]?\s*(?:95\s*%\s*[CK]I\s*[:=]?\s*)?"
    rf"[\[(]\s*(?:95\s*%\s*-?[CK]I\s*[:=,]?\s*)?(?P<low>{_NUM})\s*(?:,|;|to|bis|-)\s*(?P<high>{_NUM})\s*[\])]"
    rf"(?:\s*[,;]?\s*[nN]\s*=\s*(?P<n>\d+))?"
)
_LABELLED = re.compile(
    rf"{_NAME}(?P<label>d|g|OR)\s*=\s*(?P<value>{_NUM})(?:\s*[,;]\s*[nN]\s*=\s*(?P<n>\d+))?"
)
_INTERVAL = re.compile(rf"[\[(]?\s*(?P<low>{_NUM})\s*(?:,|;|to|bis|-)\s*(?P<high>{_NUM})\s*[\])]?")
_P = re.compile(
    rf"(?:p{_GAP})?(?P<relation>[<>=≤≥])?{_GAP}(?P<p>(?:{_INT})?\.?{_INT}(?:e-?{_INT})?)", re.IGNORECASE
)
_NS = re.compile(r"n\.?\s*s\.?|not significant|nicht signifikant", re.IGNORECASE)
_NOTHING = re.compile(
    r"not (?:reported|given|tested|available|applicable|asked)|unreported|missing|see text|n\.?\s?r\.?|"
    r"k\.?\s?a\.?|prefer not to (?:say|answer)|don'?t know|nicht berichtet|keine angabe|\?+|x",
    re.IGNORECASE,
)
"""Words for a result that is not there."""
_GROUPED_DIGITS = re.compile(r"\d{1,3}(?:[.,'’\s]\d{3})+")
"""A count with thousands set apart; there are no parts of people."""
_STARTS_A_STATISTIC = re.compile(
    rf"(?:^|[\s,;])(?:t|F|r|z|U|W|H|Q|χ2|χ²){_GAP}(?:\([^)]{{0,80}}\))?{_GAP}[=<>]"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?")
_CODES = frozenset([-99.0, -999.0, -9999.0])
_SMALL_CODES = _CODES | {-9.0, -77.0, -88.0}
_LARGE_CODES = _CODES | {999.0, 9999.0}
_COUNTED = frozenset(["n", "n1", "n2", "df", "df1", "df2", "sd", "se", "count", "percent", "p"])
_SIGNED = frozenset(["t", "z", "d", "r", "b", "statistic"])
_UP = frozenset(["+", "+1", "1", "up", "↑", "positive", "higher", ">", "pos", "increase"])
_DOWN = frozenset(["-", "-1", "down", "↓", "negative", "lower", "<", "neg", "decrease"])


@dataclass(frozen=True, slots=True)
class Quantity:
    """What one cell holds; several may be filled, as in M (SD), n."""

    value: float | None = None
    sd: float | None = None
    n: float | None = None
    k: float | None = None
    percent: float | None = None
    low: float | None = None
    high: float | None = None
    relation: str = ""
    """Of a p-value: = < > or ns."""
    label: str = ""
    """d, g, r or OR, where the cell names the effect; t, F … where it holds a printed statistic."""
    text: str = ""
    """A printed statistic, as the reader of such strings takes it."""


def points(text: str) -> str:
    """Return a text with decimal points: commas between digits, unless they part degrees of freedom.

    >>> points("t(58) = 2,41; p = ,019"), points("F(1, 312) = 49,1"), points("F(1,312)=4.9"), points("0,85")
    ('t(58) = 2.41; p = .019', 'F(1, 312) = 49.1', 'F(1,312)=4.9', '0.85')
    """
    parts = re.split(r"([(\[][^()\[\]]*[)\]])", text)
    for i, part in enumerate(parts):
        if i % 2 and (_is_degrees(parts, i) or (part.count(",") > 1 and ";" not in part)):
            continue
        parts[i] = re.sub(r"(?:(?<=\d)|(?<=[\s=<>(+-])|^),(?=\d)", ".", part)
    return "".join(parts)


def _is_degrees(parts: list[str], i: int) -> bool:
    """Whether a bracket holds two degrees of freedom, an n, or the ends of an interval."""
    if ";" in parts[i]:
        return False
    before = parts[i - 1].rstrip().casefold()
    return before.endswith(("f", "χ²", "χ2", "chi2", "x2", "²")) or parts[i][0] == "["


def plain(cell: object) -> object:
    """Return a cell without footnote marks, with plain minus signs and decimal points."""
    if not isinstance(cell, str):
        return cell
    if len(cell) > LONGEST:
        raise BadCellError(f"a result of at most {LONGEST} characters")
    text = normal_form("NFC", cell).translate(_MINUS).replace(" ", " ").strip()
    text = points(_MARKS.sub("", text))
    unmarked = _NUMBER_NS.fullmatch(text)
    return text if unmarked is None else unmarked[1]


def read_number(cell: object) -> float | None:
    """Read a bare number of a hand-made table; ``None`` for an empty cell."""
    found = plain(cell)
    if is_missing(found):
        return None
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        raise BadCellError("a number")
    if isinstance(found, str):
        match = re.fullmatch(rf"=?\s*({_NUM}(?:e-?\d+)?)", found)
        if match is None:
            raise BadCellError("a number")
        return float(match[1])
    return float(found)


def is_nothing(cell: object) -> bool:
    """Whether a cell holds no result, or says so.

    >>> is_nothing("not reported"), is_nothing("k. A."), is_nothing(""), is_nothing("0")
    (True, True, True, False)
    """
    return is_missing(cell) or (isinstance(cell, str) and _NOTHING.fullmatch(cell.strip()) is not None)


def is_code(cell: object, field: str) -> bool:
    """Whether a number is one that data files write for a missing value, where it cannot be meant.

    >>> is_code("-99", "t"), is_code(999, "d"), is_code(999, "n"), is_code(-9, "t"), is_code(-9, "n")
    (True, True, False, False, True)
    """
    codes = _SMALL_CODES if field in _COUNTED else _LARGE_CODES if field in _SIGNED else _CODES
    return bare_number(cell) in codes


def read_size(cell: object) -> float | None:
    """Read how many took part; 1,240 and 1.240 are thousands here.

    >>> read_size("1.240"), read_size("n = 1,240"), read_size("42"), read_size("")
    (1240.0, 1240.0, 42.0, None)
    """
    given = after_equals(cell)
    if isinstance(given, str) and _GROUPED_DIGITS.fullmatch(given.strip()):
        return float(re.sub(r"\D", "", given))
    return read_number(given)


def read_direction(cell: object) -> int | None:
    """Read + and -, arrows, and the usual words."""
    if isinstance(cell, int | float):
        if cell in (-1, 0, 1):
            return int(cell)
        raise BadCellError("+ or -, 1, 0 or -1")
    if cell is None or not str(cell).strip():
        return None
    word = str(cell).translate(_MINUS).strip().casefold()
    if word in ("0", "=", "none", "null"):
        return 0
    if word in _UP or word in _DOWN:
        return 1 if word in _UP else -1
    raise BadCellError("+ or -, 1, 0 or -1")


def read_p(cell: object) -> Quantity | None:
    """Read a p-value: a number, ``p < .05``, ``n.s.``."""
    found = plain(cell)
    if is_missing(found):
        return None
    if isinstance(found, str):
        if _NS.fullmatch(found):
            return Quantity(relation="ns")
        match = _P.fullmatch(found)
        if match is None:
            raise BadCellError("a p-value such as .03, < .001 or n.s.")
        relation = match["relation"] or "="
        if relation == "=" and float(match["p"]) == 0:
            return Quantity(0.0, relation="=", text=match["p"])  # .000: its digits say what it is below
        return Quantity(_checked_p(float(match["p"])), relation={"≤": "<", "≥": ">"}.get(relation, relation))
    return Quantity(_checked_p(float(str(found))), relation="=")


def _checked_p(p: float) -> float:
    if not 0 <= p <= 1:
        raise BadCellError("a p-value from 0 to 1")
    return p


def read_interval(cell: object) -> Quantity | None:
    """Read an interval such as ``[0.12, 0.78]`` or ``0.12 to 0.78``."""
    found = plain(cell)
    if is_missing(found):
        return None
    match = _INTERVAL.fullmatch(str(found))
    if match is None:
        raise BadCellError("an interval such as [0.12, 0.78]")
    return Quantity(low=float(match["low"]), high=float(match["high"]))


def read_mean(cell: object) -> Quantity | None:
    """Read a mean: a number, ``5.2 (1.1)``, ``5.2 (1.1), n = 40``, ``M = 5.2, SD = 1.1``, ``5.2 ± 1.1``."""
    return _matched(cell, (_MEAN,), "a mean, or a mean with its SD such as 5.2 (1.1)", plain_field="value")


def read_count(cell: object) -> Quantity | None:
    """Read a count: a number, ``26/40 (65%)``, ``26 of 40``, ``65% (26/40)``, ``26 (65%)``."""
    patterns = (_COUNT, _COUNT_BEHIND, _COUNT_PERCENT, _PERCENT)
    return _matched(cell, patterns, "a count such as 26/40 or 26 of 40 (65%)", plain_field="k")


def read_percent(cell: object) -> Quantity | None:
    """Read a percentage: 65, ``65%``, ``65 % (n = 40)``, ``26/40 (65%)``."""
    patterns = (_COUNT, _COUNT_BEHIND, _COUNT_PERCENT, _PERCENT)
    return _matched(cell, patterns, "a percentage such as 65 %", plain_field="percent")


def read_effect(cell: object) -> Quantity | None:
    """Read an effect with or without its interval: 0.45, ``0.45 [0.12, 0.78]``, ``d = 0.45``."""
    return _matched(cell, (_EFFECT, _LABELLED), "an effect such as 0.45 [0.12, 0.78]", plain_field="value")


_GROUPS = {"mean": "value", "value": "value"}


def _matched(
    cell: object, patterns: tuple[re.Pattern[str], ...], expected: str, *, plain_field: str
) -> Quantity | None:
    found = plain(cell)
    if is_missing(found):
        return None
    try:
        bare = read_number(found)
    except BadCellError:
        bare = None
    if bare is not None:
        return replace(Quantity(), **{plain_field: bare})  # type: ignore[arg-type]
    for pattern in patterns:
        match = pattern.fullmatch(str(found))
        if match is not None:
            return _of_match(match)
    raise BadCellError(expected)


def _of_match(match: re.Match[str]) -> Quantity:
    given = {name: text for name, text in match.groupdict().items() if text is not None}
    label = given.pop("label", "")
    numbers = {_GROUPS.get(name, name): float(text) for name, text in given.items()}
    return Quantity(label=label, **numbers)  # type: ignore[arg-type]


def read_any(cell: object) -> Quantity | None:
    """Read whatever a cell holds: a printed statistic, an effect, counts, a mean, a p-value.

    >>> read_any("t(58) = 2,41, p = ,019").label, read_any("26/40").k, read_any("d = 0.4 [0.1, 0.8]").low
    ('t', 26.0, 0.1)
    """
    found = plain(cell)
    if is_missing(found):
        return None
    if isinstance(found, date) or (isinstance(found, str) and _DATE.fullmatch(found)):
        raise BadCellError(
            "counts such as 26/40; the cell holds a date, which spreadsheet programs make of 3/4: "
            "store it as text"
        )
    bare = bare_number(found)
    if bare is not None or not isinstance(found, str):
        return Quantity(bare)
    fault = None
    try:
        parsed = parse_apa(found)
    except ApaError as error:
        parsed, fault = None, error
    if parsed is not None and parsed.kind == "OR" and parsed.n is None and _EFFECT.fullmatch(found):
        return read_effect(found)  # an odds ratio without its n is an effect with an interval
    if parsed is not None and parsed.kind != "p" and not _COUNT.fullmatch(found):
        return Quantity(label=parsed.kind, text=found)
    for read in (read_count, read_effect, read_p, read_mean):
        try:
            made = read(found)
        except BadCellError:
            continue
        return made
    if fault is not None and _STARTS_A_STATISTIC.search(found):
        raise BadCellError(fault.expected)
    raise BadCellError(
        "a printed statistic such as 't(58) = 2.41, p = .019', an effect, or counts such as 26/40"
    )


def read_sizes(cell: object) -> tuple[float, float] | None:
    """Read the sizes of two groups: ``40`` (each), ``40 / 42``, ``40; 42``, ``40 and 42``."""
    text = plain(cell)
    if isinstance(text, str):
        parts = re.split(r"\s*(?:/|;|\+|&|\||\band\b|\bund\b|,\s)\s*", text.strip())
        if len(parts) == 2:
            first, second = (read_size(part) for part in parts)
            return None if first is None or second is None else (first, second)
    both = read_size(cell)
    return None if both is None else (both, both)


def after_equals(cell: object) -> object:
    """Return what is behind ``n =`` in a cell."""
    return cell.rpartition("=")[2].strip() if isinstance(cell, str) and "=" in cell else cell


def unbracketed(cell: object) -> object:
    """Return a cell without the brackets round it."""
    text = plain(cell)
    return text.strip("()[] ") if isinstance(text, str) else text


def bare_number(cell: object) -> float | None:
    """Return a cell that is a number and nothing else; as text, too."""
    try:
        return read_number(cell)
    except BadCellError:
        return None

"""A cell of a hand-made table to what it holds, by the items that reported statistics are read with.

The page of spellings in the documentation lists what is read; it is made of the data of the tests.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from concord.errors import ApaError
from concord.files.cells import BadCellError, is_missing
from concord.files.text import normal_form
from concord.people.apa.asides import read_items
from concord.people.apa.parse import parse_apa
from concord.people.apa.text import Fault, Item
from concord.people.apa.text import plain as plain_characters
from concord.people.apa.text import read_number as printed_number
from concord.people.table.handmade.words import VOCABULARY, word_set

LONGEST = 200
"""Characters of a cell that may hold a result; a longer text is none."""
# what repeats has an end: a cell is hostile input
_GAP, _INT = r"\s{0,9}", r"\d{1,40}"
_NUM = rf"[+-]?(?:{_INT}(?:\.{_INT})?|\.{_INT})"
_MINUS = str.maketrans({"−": "-", "–": "-", "—": "-", "﹣": "-", "－": "-", "‐": "-", "‑": "-"})
_MARKS = re.compile(
    rf"(?<=[\d%)\]])(?:{_GAP}(?:[*†‡§¹²³⁴ᵃᵇᶜᵈᵉ]{{1,9}}|\b[a-e]\))){{1,3}}(?={_GAP}(?:$|[(\[,;]))"
)
"""Stars, daggers, raised letters and ``a)`` behind a number: footnotes, never part of it."""
_NUMBER_NS = re.compile(rf"({_NUM}){_GAP}n\.?\s?s\.?", re.IGNORECASE)
"""A bare number that is said not to be significant."""
_BARE = re.compile(rf"=?{_GAP}({_NUM}(?:e-?{_INT})?)")
_P = re.compile(
    rf"(?:p{_GAP})?(?P<relation>[<>=≤≥])?{_GAP}(?P<p>(?:{_INT})?\.?{_INT}(?:e-?{_INT})?)", re.IGNORECASE
)
_NS = re.compile(VOCABULARY["not_significant"], re.IGNORECASE)
_NOTHING, _ELSEWHERE = (re.compile(VOCABULARY[name], re.IGNORECASE) for name in ("nothing", "elsewhere"))
"""Words for a result that is not there, and for one that the table does not hold."""
ELSEWHERE = "the result itself, which stands elsewhere"
_GROUPED_DIGITS = re.compile(r"\d{1,3}(?:[.,'’\s]\d{3}){1,9}")
"""A count with thousands set apart; there are no parts of people."""
_STARTS_A_STATISTIC = re.compile(
    rf"(?:^|[\s,;])(?:t|F|r|z|U|W|H|Q|χ2|χ²){_GAP}(?:\([^)]{{0,80}}\))?{_GAP}[=<>]"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?")
_BETWEEN = re.compile(VOCABULARY["between_groups"], re.IGNORECASE)
_CODES = frozenset([-99.0, -999.0, -9999.0])
_SMALL_CODES = _CODES | {-9.0, -77.0, -88.0}
_LARGE_CODES = _CODES | {999.0, 9999.0}
_COUNTED = frozenset(["n", "n1", "n2", "df", "df1", "df2", "sd", "se", "count", "percent", "p"])
_SIGNED = frozenset(["t", "z", "d", "r", "b", "statistic"])
_UP, _DOWN, _EACH, _ASIDE = (word_set(name) for name in ("up", "down", "each", "beside_results"))
_MEANS, _EFFECTS = word_set("mean_labels"), dict(VOCABULARY["effect_labels"])
RESULT = "a printed statistic such as 't(58) = 2.41, p = .019', an effect, or counts such as 26/40"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What one cell holds; several may be filled, as in M (SD), n."""

    value: float | None = None
    sd: float | None = None
    se: float | None = None
    n: float | None = None
    k: float | None = None
    percent: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    relation: str = ""
    """Of a p-value: = < > or ns."""
    p_text: str = ""
    """A p of 0 as printed: its digits say what it is below."""
    label: str = ""
    """d, r, OR, eta2 … where the cell names the effect; t, F … where it holds a printed statistic."""
    text: str = ""
    """A printed statistic, as the reader of such strings takes it."""
    is_each: bool = False
    """Whether n is that of each of two groups."""
    both: float | None = None
    """How many took part in two groups together."""
    second: "Quantity | None" = None
    """The second group of ``… vs. …``."""

    @property
    def has_count(self) -> bool:
        """Whether there is a count or a percentage."""
        return self.k is not None or self.percent is not None

    @property
    def rate(self) -> float | None:
        """The percentage, given or counted."""
        if self.percent is None and self.k is not None and self.n is not None and self.n > 0:
            return 100 * self.k / self.n
        return self.percent


def points(text: str) -> str:
    """Return a text with decimal points: commas between digits, unless they part degrees of freedom."""
    parts = re.split(r"([(\[][^()\[\]]*[)\]]|\bF_?\d{1,9},\s?\d{1,9}(?=\s?[=<>]))", text)
    for i, part in enumerate(parts):
        if i % 2 and (part[0] == "F" or _is_degrees(parts, i) or (part.count(",") > 1 and ";" not in part)):
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
        match = _BARE.fullmatch(found)
        if match is None:
            raise BadCellError("a number")
        return float(match[1])
    return float(found)


def is_nothing(cell: object) -> bool:
    """Whether a cell holds no result, or says so."""
    said = isinstance(cell, str) and _NOTHING.fullmatch(cell.strip()) is not None
    return is_missing(cell) or said or is_elsewhere(cell)


def is_elsewhere(cell: object) -> bool:
    """Whether a cell says that the result is not in the table: "see text", "not reported"."""
    return isinstance(cell, str) and not is_missing(cell) and _ELSEWHERE.fullmatch(cell.strip()) is not None


def is_code(cell: object, field: str) -> bool:
    """Whether a number is one that data files write for a missing value, where it cannot be meant."""
    codes = _SMALL_CODES if field in _COUNTED else _LARGE_CODES if field in _SIGNED else _CODES
    return bare_number(cell) in codes


def read_size(cell: object) -> float | None:
    """Read how many took part; 1,240 and 1.240 are thousands here."""
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
    text = str(found)
    if _NS.fullmatch(text):
        return Quantity(relation="ns")
    match = _P.fullmatch(text)
    if match is None:
        raise BadCellError("a p-value such as .03, < .001 or n.s.")
    relation, p = match["relation"] or "=", float(match["p"])
    if not 0 <= p <= 1:
        raise BadCellError("a p-value from 0 to 1")
    printed = match["p"] if relation == "=" and p == 0 and isinstance(found, str) else ""
    return Quantity(p=p, relation={"≤": "<", "≥": ">"}.get(relation, relation), p_text=printed)


def read_interval(cell: object) -> Quantity | None:
    """Read an interval such as ``[0.12, 0.78]`` or ``0.12 to 0.78``."""
    found = plain(cell)
    if is_missing(found):
        return None
    text = str(found)
    made = _only(text if text[0] in "[(" else f"[{text}]", "an interval such as [0.12, 0.78]", "low")
    return Quantity(low=made.low, high=made.high)


def read_mean(cell: object) -> Quantity | None:
    """Read a mean: a number, ``5.2 (1.1)``, ``5.2 (1.1), n = 40``, ``M = 5.2, SD = 1.1``, ``5.2 ± 1.1``."""
    return _bare_or(cell, "value", "a mean, or a mean with its SD such as 5.2 (1.1)", "sd")


def read_count(cell: object) -> Quantity | None:
    """Read a count: a number, ``26/40 (65%)``, ``26 of 40``, ``65% (26/40)``, ``26 (65%)``."""
    return _bare_or(cell, "k", "a count such as 26/40 or 26 of 40 (65%)", "k", "percent")


def read_percent(cell: object) -> Quantity | None:
    """Read a percentage: 65, ``65%``, ``65 % (n = 40)``, ``26/40 (65%)``."""
    return _bare_or(cell, "percent", "a percentage such as 65 %", "k", "percent")


def _bare_or(cell: object, field: str, expected: str, *wanted: str) -> Quantity | None:
    """Read a bare number as one field; anything else must hold one of the wanted ones."""
    found = plain(cell)
    if is_missing(found):
        return None
    bare = bare_number(found)
    if bare is not None:
        return replace(Quantity(), **{field: bare})  # type: ignore[arg-type]
    return _only(str(found), expected, *wanted)


def _only(text: str, expected: str, *wanted: str) -> Quantity:
    """Read a text that must hold one of some fields, by no other statistic."""
    try:
        made = _quantity(read_items(plain_characters(text).text, marks=True))
    except (Fault, BadCellError) as error:
        raise BadCellError(expected) from error
    if made.label in _STATISTICS or all(getattr(made, name) is None for name in wanted):
        raise BadCellError(expected)
    return made


def read_any(cell: object) -> Quantity | None:
    """Read whatever a cell holds: a printed statistic, an effect, one or two counts or means, a p-value."""
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
    try:
        return _of_text(found)
    except Fault as fault:
        raise BadCellError(fault.expected if _STARTS_A_STATISTIC.search(found) else RESULT) from fault


_STATISTICS = frozenset(["t", "F", "r", "chi2", "z", "U", "W", "H", "Q"])
_NUMBERS = tuple(one.name for one in fields(Quantity) if one.name in ("n", "low", "high", "se"))


def _of_text(text: str) -> Quantity:
    """Read a text: a p-value, two groups, or one result."""
    if _NS.fullmatch(text) or _P.fullmatch(text):
        made = read_p(text)
        return Quantity() if made is None else made
    fault: ApaError | None = None
    try:
        parsed = parse_apa(text)
    except ApaError as error:
        parsed, fault = None, error
    if parsed is not None and parsed.kind not in ("p", "binomial"):
        beside = _beside(text)
        return replace(beside, label=parsed.kind, value=parsed.statistic, text=text)
    halves = _BETWEEN.split(text)
    if len(halves) == 2:
        return _of_two(*halves)
    if fault is not None and _STARTS_A_STATISTIC.search(text):
        raise BadCellError(fault.expected)
    made = _quantity(read_items(plain_characters(text).text, marks=True))
    if made.label == "binomial":
        return replace(made, label="", text="")
    return made


def _beside(text: str) -> Quantity:
    """Return the n, the interval and the error that stand beside a printed statistic."""
    try:
        made = _quantity(read_items(plain_characters(text).text, marks=True), strict=False)
    except (Fault, BadCellError):
        return Quantity()
    return Quantity(**{name: getattr(made, name) for name in _NUMBERS})


def _of_two(first: str, second: str) -> Quantity:
    """Read two groups; an n of each, behind the second, is that of both."""
    one, two = (_quantity(read_items(plain_characters(half).text, marks=True)) for half in (first, second))
    are_means = all(half.sd is not None and half.value is not None for half in (one, two))
    are_counts = all(half.k is not None or half.percent is not None for half in (one, two))
    if not are_means and not are_counts:
        raise BadCellError(f"{RESULT}; two groups as '5.2 (1.1) vs. 4.6 (1.2), n = 40 per group'")
    if one.n is None and two.n is not None and two.k is None:
        if two.is_each:
            one = replace(one, n=two.n)
        else:
            one, two = replace(one, both=two.n), replace(two, n=None)
    return replace(one, second=two)


def _quantity(items: Sequence[Item], *, strict: bool = True) -> Quantity:
    """Return what the items of a text say; what belongs to nothing is refused."""
    made: dict[str, Any] = {}
    bare: list[tuple[float, str]] = []
    bracket, before = "", ""
    for i, entry in enumerate(items):
        role, label = entry.role, entry.label
        numbers = [one.value for one in entry.numbers]
        if role == "mark":
            bracket = label if label in ("(", "[", "±") else "" if label in (")", "]") else bracket
            before = label
            continue
        if role == "number":
            number = printed_number(label)
            if number is None:
                raise BadCellError(RESULT)
            is_dash = i > 1 and items[i - 2].role == "number"  # 0.60-0.94
            is_negative = before == "-" and items[i - 1].end == entry.start and not is_dash
            bare.append((-number.value if is_negative else number.value, bracket))
        elif role in ("n", "n1", "n2", "df", "df1", "df2"):
            made["n" if role in ("n", "n1") else role] = numbers[0]
        elif role == "p":
            made["p"], made["relation"] = (numbers[0] if numbers else None), entry.relation
        elif role == "ns":
            made["relation"] = "ns"
        elif role in ("fraction", "counts"):
            made["k"], made["n"] = numbers
        elif role in ("binomial", "sign"):
            made["label"] = "binomial"
        elif role == "statistic":
            made["label"], made["value"] = str(entry.kind), numbers[0]
        elif role == "ignored" and label == "interval":
            made |= dict(zip(("low", "high"), numbers, strict=False))  # without numbers they follow
        elif role == "ignored" and label == "%":
            made["percent"] = numbers[0]
        elif role == "ignored" and label in _EFFECTS and len(numbers) == 1:
            made[_EFFECTS[label] if label in ("SD", "SE", "SEM") else "value"] = numbers[0]
            if label not in ("SD", "SE", "SEM"):
                made["label"] = _EFFECTS[label]
        elif role == "ignored" and label in _MEANS and numbers:
            made |= dict(zip(("value", "sd"), numbers, strict=False))
        elif role == "word" and label.casefold() in _EACH:
            made["is_each"] = True
        elif strict and not (role == "stop" or (role in ("word", "ignored") and label.casefold() in _ASIDE)):
            raise BadCellError(RESULT)
        before = ""
    return Quantity(**_with_bare(made, bare))


def _with_bare(made: dict[str, Any], bare: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """Read numbers without a name by their place: mean, SD, interval, count."""
    inside = [number for number, bracket in bare if bracket]
    outside = [number for number, bracket in bare if not bracket]
    known = {"df", "df1", "df2", "n1", "n2"}
    made = {name: value for name, value in made.items() if name not in known}
    if not bare:
        return made
    if "percent" in made and len(bare) == 1:
        return made | {"k": bare[0][0]}
    if "value" not in made and outside:
        made["value"] = outside.pop(0)
    if len(inside) == 2 and not outside and "low" not in made:
        return made | {"low": inside[0], "high": inside[1]}
    rest = [*inside, *outside]
    if len(rest) == 1 and "value" in made and "sd" not in made and not made.get("label"):
        return made | {"sd": rest[0]}
    if rest:
        raise BadCellError(RESULT)
    return made


def read_sizes(cell: object) -> tuple[float, float] | None:
    """Read the sizes of two groups: ``40`` (each), ``40 / 42``, ``40; 42``, ``40 and 42``."""
    text = plain(cell)
    if isinstance(text, str):
        parts = re.split(r"\s{0,9}(?:/|;|\+|&|\||\band\b|\bund\b|,\s)\s{0,9}", text.strip())
        if len(parts) == 2:
            first, second = (read_size(part) for part in parts)
            return None if first is None or second is None else (first, second)
    both = read_size(cell)
    return None if both is None else (both, both)


_IN_BRACKETS = re.compile(r"([^()\[\]]{1,60})[(\[]([^()\[\]]{1,60})[)\]]")


def with_degrees(cell: object) -> tuple[float, str] | None:
    """Read a statistic with its degrees of freedom in brackets, ``-1.74 (62)``; ``None`` where it is none."""
    found = _IN_BRACKETS.fullmatch(cell.strip()) if isinstance(cell, str) and len(cell) <= LONGEST else None
    value = None if found is None else bare_number(found[1].strip())
    return None if found is None or value is None else (value, found[2])


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

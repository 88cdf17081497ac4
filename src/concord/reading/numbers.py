"""Numbers as people write them: digits of several countries, words, magnitudes, shares of a scale."""

import math
import re
from collections.abc import Mapping
from functools import cache

from concord.reading.records import ReadOutcome
from concord.reading.text import folded
from concord.reading.words import words

_DIGITS = (
    r"\d{1,3}(?:\.\d{3}){1,5},\d{1,2}(?!\d)|\d{1,3}(?:,\d{3}){1,5}\.\d{1,9}|\d{1,3}(?:\.\d{3}){2,5}(?![\d,])|"
    r"\d{1,3}(?:[,'\u202f\u00a0 ]\d{3}){1,5}(?!\d)|\d{1,15}[.,]\d{1,9}|\d{1,15}|[.,]\d{1,9}"
)
_MAGNITUDES = {
    "k": 1e3, "thousand": 1e3, "tausend": 1e3, "mil": 1e3, "mille": 1e3, "тысяч": 1e3, "千": 1e3, "천": 1e3,
    "m": 1e6, "mn": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6, "millón": 1e6, "millones": 1e6,
    "milhões": 1e6, "milhão": 1e6, "milioni": 1e6, "миллиона": 1e6, "миллионов": 1e6,
    "bn": 1e9, "billion": 1e9,
    "milliarden": 1e9, "万": 1e4, "萬": 1e4, "만": 1e4, "億": 1e8, "亿": 1e8, "억": 1e8,
}  # fmt: skip
_SCALE = "|".join(sorted(map(re.escape, _MAGNITUDES), key=len, reverse=True))
_CURRENCY = r"(?:[$€£¥₩₹]|us\$|usd|eur|gbp|krw|chf|dollars?|euros?|points?|tokens?)"
NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.,\u00c0-\u04ff])(?:(minus|negative)\s)?([-+]?)\s?\\?{_CURRENCY}?\s?([-+]?)({_DIGITS})"
    rf"(?:\s?({_SCALE})(?![A-Za-z]))?(?!\d|[.,]\d)",
    re.IGNORECASE,
)
_SMALL = {
    "zero": 0, "nothing": 0, "none": 0, "nil": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "null": 0, "nichts": 0,
    "eins": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9,
    "zehn": 10, "cero": 0, "nada": 0, "uno": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6,
    "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "zéro": 0, "rien": 0, "un": 1, "deux": 2, "trois": 3,
    "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
    "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "cincuenta": 50, "veinte": 20,
    "cinquante": 50,
    "vingt": 20, "cinquenta": 50,
}  # fmt: skip
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "hundert": 100, "cien": 100, "cent": 100}
_LARGE_ALONE = ("hundred", "thousand", "hundert", "cien", "cent")
_HALVES = (("and", "a", "half"),)
_UNITS = (
    r"(?:%|percent|per cent|prozent|por ciento|pour cent|points?|punkte|puntos|dollars?|usd|us\$|\$|"
    r"€|£|¥|₩|eur|euros?|"
    r"tokens?|people|persons?|participants|units?|years?|stars?|out of \d+|won|yen|yuan|元|円|원|"
    r"点|점|分|人|名|명|度|歳|岁|percentage points|degrees?|°[CF]?|hours?|minutes?|days?|weeks?|months?|"
    r"miles?|feet|ft|met(?:er|re)s?|km|students|families|drinks|babies)"
)
_BARE_HEDGE = re.compile(
    r"^[\s*_\"'(\[]{0,8}(?:(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|~|≈|exactly|only|just|"
    r"ungefähr|etwa|rund|genau|environ|unos|unas|aproximadamente|cerca de|около|约|大约|約|약|=|:|"
    r"maybe|perhaps|probably)[\s:*_\"'(\[]{1,6}|[~≈约約약=:]|大约|un |una |une |eine? ){0,3}",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"^[\s*_\"'(\[]{0,8}(?:(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|~|≈|exactly|"
    r"only|just|a|an|"
    r"at|of|the|ungefähr|etwa|rund|genau|environ|unos|unas|aproximadamente|cerca de|circa|"
    r"около|约|大约|約|약|=|:|"
    r"maybe|perhaps|probably|likely|say|it|be|as|un|una|une|eine?n?)[\s:*_\"'(\[]{1,6}|[~≈约約약=:]|大约){0,4}",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:at least|at most|more than|less than|fewer than|no more|no less|up to|over|under|above|"
    r"below|minimum|"
    r"maximum|or more|or less|or fewer|mindestens|höchstens|mehr als|weniger als|über|unter|bis zu|al menos|"
    r"como mucho|como máximo|más de|menos de|hasta|plus de|moins de|au moins|au plus)\b|"
    r"以上|以下|未満|より多|至少|"
    r"最多|超过|不到|이상|이하|미만|초과|[<>≤≥±]|\d\s?\+(?!\d)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\d[\s%$€£]{0,3}(?:-|to|or|and|bis|oder|und|à|ou|y|o|~|через)[\s%$€£]{1,3}?[$€£]?\d|\d\s?-\s?[$€£]?\d|"
    r"\bbetween\b|\bzwischen\b|\bentre\b|\bfrom\s[$€£]?\d",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"^\s{0,3}(?:/|out of|of|von|sur|de|из|over)\s{0,3}(?:an?\s)?(\d{1,6}(?:\.\d+)?)(?![\d])", re.IGNORECASE
)
_AFTER = re.compile(
    rf"^[\s*_\"')\]\\}}$]{{0,6}}(?:{_UNITS}[\s*_\"')\].]{{0,6}}){{0,3}}(?:per \w{{2,8}}\s?)?"
    r"(?:$|[.,;:!)(\n]|\s-|\s?-\s|\s?=\s?[^\W\d]|です|だ|입니다|이다)",
    re.IGNORECASE,
)
"""What may follow a number that is an answer by itself: its unit, and then an end or a reason."""
_CLAUSE = re.compile(
    r"[;(\n]|,(?!\d)|[.!](?=\s|$)|\s(?:and|und|et|y|while|whereas|but|since|because|as|weil|because)\s",
    re.IGNORECASE,
)


_ON_SCALE = re.compile(
    r"\s(?:on|in|from) (?:a|the|this) (?:scale|range)(?: (?:of|from))? -?\d{1,4} ?(?:to|-) ?\d{1,4}",
    re.IGNORECASE,
)
_OR = re.compile(r",?\s{1,2}(?:or |oder |ou )?(?:maybe|perhaps|possibly|vielleicht)\s[$€£]?\d", re.IGNORECASE)


_MONEY = re.compile(r"[$€£¥₩₹]|usd|eur|gbp|chf", re.IGNORECASE)
_EUROS = re.compile(r"\s?(?:€|euros?\b)", re.IGNORECASE)
"""What has no third decimal: 1.150 € are more than a thousand."""


def is_bound(text: str) -> bool:
    """Whether a text gives a bound, not a number."""
    return _BOUND.search(text) is not None


def is_range(text: str) -> bool:
    """Whether a text gives a range, not a number."""
    return _RANGE.search(text) is not None


def _value(match: re.Match[str], high: float | None) -> float | None:
    """Return the number that digits say; None where thousands and decimals cannot be told apart."""
    word, sign, second, digits, scale = match.groups()
    plain = re.sub(r"[' \u00a0\u202f]", "", digits)
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", plain) or re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", plain):
        plain = plain.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", plain) and _EUROS.match(match.string, match.end()):
        plain = plain.replace(".", "")
    elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", plain) and not scale:
        if high is None or float(plain) * 1000 <= high:
            return None
    elif re.fullmatch(r"\d*,\d{1,2}|0?,\d+", plain):
        plain = plain.replace(",", ".")
    elif "," in plain:
        return None  # neither thousands nor decimals
    if scale == "m" and _MONEY.search(match.group()) is None:
        if match.string[match.end() - 2 : match.end() - 1] != " ":
            return None  # "5m" may be metres or millions
        scale = ""
    value = float(plain) * (_MAGNITUDES[scale.casefold()] if scale else 1.0)
    return -value if word or "-" in (sign, second) else value


def read_number(text: str, high: float | None, *, alone: bool) -> tuple[float, int, int] | ReadOutcome | None:
    """Read the number that a text begins with; `alone`: nothing but it, its unit and a reason may be there.

    Returns value and span, an outcome where there are several numbers, or None where there is none.
    """
    boxed = re.match(r"^[\s$\\*_\"'({\[]{0,12}", text)
    begin = 0 if boxed is None else boxed.end()
    hedge = (_BARE_HEDGE if alone else _HEDGE).match(text, 0)
    begin = max(begin, 0 if hedge is None else hedge.end())
    match = NUMBER.match(text, max(0, begin - 1)) or NUMBER.match(text, begin)
    if match is None:
        back = re.search(r"[-+$€£]{1,3}\s?$", text[:begin])
        match = None if back is None else NUMBER.match(text, back.start())
    if match is None:
        return _in_words(text, begin)
    rest = _ON_SCALE.sub("", text[match.end() :])
    if re.match(r"[.):]\s{1,3}[$€£]?\d", rest):
        return None  # the number of a line
    if _OR.match(rest):
        return ReadOutcome.SEVERAL
    clause = text[: match.end()] + _clause(rest)
    if is_bound(clause) or (is_range(clause) and _OUT_OF.match(rest) is None):
        return ReadOutcome.SEVERAL if is_range(clause) else None
    value = _value(match, high)
    if value is None:
        return None
    share = _OUT_OF.match(rest)
    if share is not None:
        if high is None or float(share.group(1)) != high:
            return None
        rest = rest[share.end() :]
        return (value, match.start(4), match.end()) if _AFTER.match(rest) else None
    if alone:
        return (value, match.start(4), match.end()) if _AFTER.match(rest) else None
    more = [one for one in NUMBER.finditer(_clause(rest))]
    return None if more else (value, match.start(4), match.end())


def _clause(text: str) -> str:
    stop = _CLAUSE.search(text)
    return text if stop is None else text[: stop.start()]


def _in_words(text: str, begin: int) -> tuple[float, int, int] | None:
    """Read a number in words that a text begins with."""
    match = re.match(r"[^\W\d_]+(?:[\s-][^\W\d_]+){0,5}", text[begin:])
    if match is None:
        return None
    tokens = list(re.finditer(r"[^\W\d_]+", match.group().casefold()))
    for n in range(len(tokens), 0, -1):
        value = _of_words(tuple(one.group() for one in tokens[:n]))
        if value is not None:
            end = begin + tokens[n - 1].end()
            return (value, begin, end) if _AFTER.match(text[end:]) else None
    return None


@cache
def _of_words(tokens: tuple[str, ...]) -> float | None:
    """Return the number that words say, such as ``two hundred fifty``."""
    if tokens[-3:] in _HALVES and len(tokens) > 3:
        whole = _of_words(tokens[:-3])
        return None if whole is None else whole + 0.5
    if tokens[:1] in (("minus",), ("negative",)) and len(tokens) > 1:
        whole = _of_words(tokens[1:])
        return None if whole is None else -whole
    total, current, room = 0.0, 0.0, math.inf  # what may still be added: after "fifty" less than ten
    for token in tokens:
        if token == "and" and room < math.inf:
            continue
        one = _SMALL.get(token, _TENS.get(token))
        if one is not None and one < room:
            current, room = current + one, 10.0 if token in _TENS else 0.0
        elif token in _LARGE and (room < math.inf or token in _LARGE_ALONE):
            current, room = (current if current else 1.0) * _LARGE[token], float(_LARGE[token])
            if _LARGE[token] >= 1000:
                total, current = total + current, 0.0
        else:
            return None
    return total + current if room < math.inf else None


def amounts_in(text: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, float] | None:
    """Return an amount for every name: beside it, or below it in a table; None where one lacks."""
    found = _of_table(text, names)
    if found is not None:
        return found
    low, amounts = text.casefold(), {}
    if _BOUND.search(low):
        return None
    listed = _listed_amounts(low, names)
    if listed is not None:
        return listed
    for name, own in _sayings(names).items():
        said = "|".join(re.escape(one.casefold()) for one in sorted(own, key=len, reverse=True))
        after = re.findall(
            rf"(?<![\w])(?:{said})[\s*_\"')\]]{{0,4}}[:=-][\s*_\"']{{0,4}}({NUMBER.pattern})", low
        )
        before = re.findall(
            rf"({NUMBER.pattern})[\s*_]{{0,4}}(?:{_UNITS}\s)?(?:for|to|für|an|pour|à|para|"
            rf"a)\s(?:the\s)?(?:{said})(?![\w])",
            low,
        )
        held = {amount for one in (after or before) if (amount := _plain(one[0])) is not None}
        if len(held) != 1:
            return None
        (amounts[name],) = held
    return amounts


def _sayings(names: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the words of each name; where one is the person who is asked, all words for that."""
    own = {name: (name, *said) for name, said in names.items()}
    selves = [name for name, said in own.items() if {folded(one) for one in said} & set(words()["self"])]
    return {name: (*said, *words()["self"]) if [name] == selves else said for name, said in own.items()}


_LISTED_AMOUNT = re.compile(
    rf"[\s*_\"'|\-]{{0,8}}([^\d$€£|:=]{{1,80}}?)[\s*_\"'|:=-]{{1,8}}({NUMBER.pattern})"
    rf"(?:\s?{_UNITS}){{0,2}}[\s*_\"'.|]{{0,6}}",
    re.IGNORECASE,
)


def _listed_amounts(text: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, float] | None:
    """Read a list, or rows of a table, of nothing but names with their amounts."""
    known = {folded(word): name for name, said in _sayings(names).items() for word in said}
    amounts: dict[str, float] = {}
    for part in re.split(r"\n|[,;](?!\d)|\sand\s", text):
        match = _LISTED_AMOUNT.fullmatch(part)
        if match is None:
            if "|" in part or not part.strip(" .*_-"):
                continue  # a head or a rule of a table
            return None
        said = folded(match.group(1))
        name = known.get(said, known.get(said.removeprefix("the ")))
        value = _plain(match.group(2))
        if name is None or value is None or name in amounts:
            return None
        amounts[name] = value
    return amounts if len(amounts) == len(names) else None


def _plain(text: str) -> float | None:
    match = NUMBER.match(text.strip())
    return None if match is None else _value(match, None)


def _of_table(text: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, float] | None:
    """Read a table with the names above and the amounts below."""
    rows = [
        [cell.strip(" *_") for cell in line.strip().strip("|").split("|")]
        for line in text.splitlines()
        if "|" in line
    ]
    rows = [row for row in rows if any(re.search(r"\w", cell) for cell in row)]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]):
        return None
    amounts = {}
    for name, own in _sayings(names).items():
        at = [i for i, cell in enumerate(rows[0]) if cell.casefold() in {one.casefold() for one in own}]
        value = _plain(rows[1][at[0]]) if len(at) == 1 else None
        if value is None:
            return None
        amounts[name] = value
    return amounts

"""Replies to values: one reader per item type; what cannot be read is an outcome, never a guess."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from concord.errors import OptionError
from concord.files.text import normal_form
from concord.people.studies.expressions import Value
from concord.people.studies.format import Allocation, Choice, FreeText, Item, Likert, Number, Ranking
from concord.people.studies.wording import LETTERS, variables_of

REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:unable|not able)|"
    r"i (?:(?:cannot|can't|can not)(?! accept)|won't|will not|must decline)|"
    r"i (?:do not|don't) have (?:personal|the ability)|i (?:would )?prefer not to (?:answer|say)|"
    r"i'd (?:rather not (?:say|answer)|prefer not to)|as an ai|as a language model|"
    r"i(?:'m| am) (?:just |only )?an? (?:ai|language model)|i(?:'m| am) sorry,? but|"
    r"als ki|(?:möchte|kann|will) ich (?:\w+ )?nicht (?:beantworten|sagen)|kann diese frage nicht|"
    r"tut mir leid|como (?:inteligencia artificial|una ia|ia)|prefiero no|"
    r"no puedo (?:elegir|responder|contestar)|lo siento)\b|"
    r"作为(?:人工智能|一个ai|ai)|无法(?:回答|选择)|(?:ai|人工知能)として|(?:お答え|回答)できません|"
    r"ai로서|답(?:변)?할 수 없"
)
"""Where a model declines; an answer that follows still counts."""

_BEFORE = (
    r"\b(?:not|no|never|neither|nor|none|cannot|\w+n't|without|except|excluding|anything but|everything but|"
    r"all but|rather than|instead of|reject\w*|avoid\w*|refuse\w*|rule out|against|least|worse|wrong|"
    r"doubt\w*|unsure|dislike|"
    r"nicht|kein\w*|nie|niemals|weder|noch|au(?:ß|ss)er|ohne|gegen|statt|"
    r"nunca|ni|menos|excepto|salvo|tampoco|sin|contra|rechazo|evit\w+)\b|不|别|没|除了|非"
)
_AFTER = (
    r"ではな|じゃな|でな|以外|しない|選ばな|選びません|ません|아니|아닌|아닙|말고|제외|빼고|않|싫|안 |"
    r"\bnicht\b|不行|不好|不选|除外|\b(?:isn't|is not|wrong|is out)\b|^\s*\?"
)
NEGATED_BEFORE, NEGATED_AFTER = re.compile(_BEFORE), re.compile(_AFTER)

BOUND = re.compile(
    r"\b(?:at least|at most|more than|less than|fewer than|no more|no less|up to|over|under|above|below|"
    r"minimum|maximum|or more|or less|or fewer|mindestens|höchstens|mehr als|weniger als|über|unter|bis zu|"
    r"al menos|como mucho|como máximo|más de|menos de|hasta|down by)\b|"
    r"以上|以下|未満|より多|至少|最多|超过|不到|이상|이하|미만|초과|[<>≤≥±]|\d\s?\+(?!\d)"
)
"""A bound, not a number."""
STRANGE = re.compile(
    r"\d\s?[eE][+-]?\d|\d_\d|\b0x|\d\s?(?:cents?|¢)|\d\s?[万萬億亿천만억백]|\d/\d|\d\s?(?:\^|\*\*)\s?\d"
)
"""Forms of numbers that are read in more than one way."""
MINUS = re.compile(r"(?:\b(?:minus|negative)\s+|负|マイナス\s?|마이너스\s?)(?=[\d$€£.])")

_DASHES = {ord(c): "-" for c in "‐‑‒–—―−﹘﹣－⁻₋"}


def normalised(reply: str) -> str:
    """Return the text with one form of every letter, digit, quote and dash."""
    text = normal_form("NFKC", reply.translate(_DASHES)).translate(_DASHES)
    return text.replace("’", "'").replace("‘", "'").strip()


_ENDS = re.compile(r"[.!?;](?=\s|$)|[。！？\n]")
_SENTENCE = 2000
"""Characters of a sentence on either side of a place."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_TAGS = re.compile(r"</?[a-z]\w*>|\\boxed")


def spoken(text: str) -> str | None:
    """Return a reply without thoughts and marks around it; ``None`` where it breaks off in thought."""
    said = _THOUGHT.sub(" ", text)
    return None if re.search(r"<think(?:ing)?>", said) else _TAGS.sub(" ", said).strip()


def sentence_around(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what precedes and what follows a place within its sentence, folded."""
    low, high = max(0, start - _SENTENCE), min(len(text), end + _SENTENCE)
    first = max((match.end() for match in _ENDS.finditer(text, low, start)), default=low)
    close = _ENDS.search(text, end, high)
    last = high if close is None else close.end()
    return text[first:start].casefold(), text[end:last].casefold()


def negated(text: str, start: int, end: int) -> bool:
    """Whether what is at a place is denied within its sentence."""
    before, after = sentence_around(text, start, end)
    return NEGATED_BEFORE.search(before) is not None or NEGATED_AFTER.search(after) is not None


class ItemOutcome(StrEnum):
    """What became of one item of one participant."""

    OK = "ok"
    REFUSED = "refused"
    """The model declined to answer."""
    UNREADABLE = "unreadable"
    """There is a reply, and no rule finds exactly one answer in it."""
    OUT_OF_RANGE = "out of range"
    """A number beyond the range, or a split that does not add up."""
    EMPTY = "empty"
    MISSING = "missing"
    """No reply was recorded."""
    NOT_ASKED = "not asked"
    """An earlier answer that the question shows is not known."""


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """An item's outcome and, where it was read, its variables."""

    outcome: ItemOutcome
    values: Mapping[str, Value]


_LEAD = re.compile(
    r"\b(?:final answer|my answer|answer|choice|i choose|i would choose|i'd choose|i pick|i'd say|"
    r"i would say|my rating|antwort|respuesta)\b[^\w$(-]*(?:is|would be|ist|es)?[^\w$(-]*|"
    r"(?:答案|回答|答え|정답|답)[是は은:]?\s*"
)
_YET = re.compile(rf"{_LEAD.pattern}|\b(?:but|still|aber|pero)\b")
"""Words after which one who has declined may answer all the same."""
_NUMBER = re.compile(
    r"(?<![A-Za-z\d.,_])([-+]?)\s?[$€£¥]?\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:\s?(thousand|million|billion|millionen|millones|tausend|mil|k|m|bn)\b)?(?![\d]|[.,]\d)"
)
_SCALES = {"thousand": 1e3, "k": 1e3, "tausend": 1e3, "mil": 1e3, "billion": 1e9, "bn": 1e9}
_SCALES |= dict.fromkeys(("million", "m", "millionen", "millones"), 1e6)
_SMALL = {
    word: float(i)
    for i, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_RANGE = re.compile(r"\d\s?[^\W\d]{0,8}\s?(?:-|to|or|and|bis|oder|a|o|~)\s?[$€£]?\d")
_GROUPED = re.compile(r"[1-9]\d{0,2}\.\d{3}")
"""Thousands in some languages, decimals in others."""
_LINE = re.compile(r"^\W*(\d{1,2})\s*[.):=-]\s*(.*)$")
_MANY = 200
"""Mentions of one answer, each of which is looked at; a reply with more of them is not read."""
_LONGEST = 1_000_000
"""Characters of a reply that is still read; a longer one is unreadable, never cut."""


def read_reply(reply: str | None, items: Sequence[tuple[str, Item, Sequence[str]]]) -> list[ItemAnswer]:
    """Read the answers to the items of one step."""
    if reply is None:
        return [ItemAnswer(ItemOutcome.MISSING, {}) for _ in items]
    if len(reply) > _LONGEST:
        return [ItemAnswer(ItemOutcome.UNREADABLE, {}) for _ in items]
    text = spoken(normalised(reply))
    if text is None:
        return [ItemAnswer(ItemOutcome.UNREADABLE, {}) for _ in items]
    if not text:
        return [ItemAnswer(ItemOutcome.EMPTY, {}) for _ in items]
    pieces = [text] if len(items) == 1 else _numbered(text, len(items))
    refused = REFUSAL.search(text.casefold()) is not None
    return [_read_item(piece, *item, refused=refused) for piece, item in zip(pieces, items, strict=True)]


def _numbered(text: str, count: int) -> list[str]:
    """Split numbered lines; lines without numbers serve when there is exactly one an item."""
    found: dict[int, str] = {}
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        match = _LINE.match(line)
        if match and 1 <= int(match.group(1)) <= count and int(match.group(1)) not in found:
            found[int(match.group(1))] = match.group(2)
    if not found and len(lines) == count:
        return lines
    return [found.get(i, "") for i in range(1, count + 1)]


def _read_item(piece: str, name: str, item: Item, order: Sequence[str], *, refused: bool) -> ItemAnswer:
    values = _values(_answering(piece.strip(), item), name, item, order)
    if isinstance(values, dict):
        return ItemAnswer(ItemOutcome.OK, values)
    return ItemAnswer(ItemOutcome.REFUSED if refused else values, {})


def _answering(text: str, item: Item) -> str:
    """Return the part of a reply that may answer: of one that declines, what follows "my answer is"."""
    low = text.casefold()
    declined = list(REFUSAL.finditer(low))
    if not declined or isinstance(item, FreeText) or len(text) != len(low):
        return text
    lead = [match for match in _YET.finditer(low, declined[-1].end())]
    return text[lead[-1].start() :] if lead else ""


def _values(text: str, name: str, item: Item, order: Sequence[str]) -> dict[str, Value] | ItemOutcome:
    if not text:
        return ItemOutcome.UNREADABLE
    if isinstance(item, Choice):
        chosen = _option(text, item, order)
        return ItemOutcome.UNREADABLE if chosen is None else {name: chosen}
    if isinstance(item, Number | Likert):
        return _in_range(_number_of(text, item), name, item)
    if isinstance(item, Ranking):
        return _ranks(text, name, item, order)
    if isinstance(item, Allocation):
        return _split(text, name, item)
    return _codes(text, name, item)


_WRAPPED = re.compile(r"[${}「」『』]")
_FOLLOWS = r"(?:or|and|nor|than|is|because|since|as|for|would|but|over|then|oder|und|noch|als|o|y|ni|que)"


def _option(text: str, item: Choice, order: Sequence[str]) -> str | None:
    """Find the one option that a reply names, by its letter or in its own words; any doubt is none."""
    text = _WRAPPED.sub(" ", text).strip()
    letters = LETTERS[: len(order)]
    plain = text.strip(" \t\n*_`\"'.()[]:")
    if len(plain) == 1 and plain.upper() in letters:
        return order[letters.index(plain.upper())]
    places = list(_letters(text, letters))
    if not places:
        return _by_words(plain, item)
    named = {match.group(1) for match in places}
    if len(named) > 1 or len(places) > _MANY:
        return None
    chosen = order[letters.index(named.pop())]
    bare = _without(text, chosen, item)
    if _named(text, item) - {chosen} or any(negated(bare, *match.span(1)) for match in places):
        return None
    return chosen


def _without(text: str, name: str, item: Choice) -> str:
    """Blank out an option's own words, which may be a negation: "No"."""
    words = sorted({name.replace("_", " "), name, item.options[name]}, key=len, reverse=True)
    sought = "|".join(re.escape(word) for word in words)
    return re.sub(rf"(?i)(?<![^\W_])(?:{sought})(?![^\W_])", lambda match: " " * len(match.group()), text)


_MARK = re.compile(r"(?i)(?:option|program|programme|answer|choice|choose|pick|take)\s*:?\s+\(?$")


def _letters(text: str, letters: str) -> Iterator[re.Match[str]]:
    """Find letters of options; an "A" before a word is an article, an "I" before one a person."""
    for match in re.finditer(rf"(?<![A-Za-z])(?<!N/)([{letters}])(?![A-Za-z'])", text):
        after = text[match.end() :]
        word = re.match(r"\s+[a-z0-9]", after) is not None
        joined = re.match(rf"\s+{_FOLLOWS}\b", after) is not None
        if match.group(1) == "I" and (word or re.match(r"\s", after)):
            continue
        marked = _MARK.search(text[max(0, match.start() - 20) : match.start()]) is not None
        if not word or joined or marked or match.group(1) != "A":
            yield match


def _named(text: str, item: Choice) -> set[str]:
    """Return the options whose words, or names, are in a text; longer ones first, each word used once."""
    said = f" {_folded(text)} "
    words = [(_folded(name), name) for name in item.options]
    words += [(_folded(label), name) for name, label in item.options.items() if "{" not in label]
    found: set[str] = set()
    for word, name in sorted(set(words), key=lambda pair: -len(pair[0])):
        # scripts without blanks between words are looked for as they are
        sought = f" {word} " if word.isascii() or " " in word else word
        whole = len(word) > 1 or (word != "" and not word.isascii())
        if whole and sought in said:
            found.add(name)
            said = said.replace(sought, "  ")
    return found


def _by_words(text: str, item: Choice) -> str | None:
    """Find the one option whose words, or name, are the reply or are in it, without a negation about it."""
    said = _folded(text)
    equal = {
        name
        for name, label in item.options.items()
        if said == _folded(name) or ("{" not in label and said == _folded(label))
    }
    if len(equal) == 1:
        return equal.pop()
    within = _named(text, item)
    if len(within) != 1 or len(said.split()) > 40:
        return None
    (name,) = within
    rest = _without(text, name, item).casefold()
    return None if NEGATED_BEFORE.search(rest) or NEGATED_AFTER.search(rest) else name


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _number_of(text: str, item: Number | Likert) -> float | None:
    """Find the one number of a reply: alone, after "answer", or the only one; any doubt is none."""
    low = MINUS.sub("-", text.casefold())
    words = low.strip(" .!*")
    if words in _SMALL:
        return _SMALL[words]
    lead = list(_LEAD.finditer(low))
    parts = ([low[lead[-1].end() :]] if lead else []) + [low]
    for part in parts:
        found = list(_NUMBER.finditer(part))
        numbers = {_scaled(*match.groups()) for match in found}
        if len(numbers) == 1 and len(found) <= _MANY and not _doubtful(part, found, item):
            if part is low or not _denied(low, lead[-1].end()):
                return numbers.pop()
            return None
        if numbers and part is not low:
            return None
    first, _, rest = low.partition("\n")
    alone = _NUMBER.fullmatch(first.strip(" *$%."))
    if alone is None or _NUMBER.fullmatch(rest.strip(" \n*$%.")) is not None or not rest.strip():
        return None
    return _scaled(*alone.groups())


def _denied(low: str, end: int) -> bool:
    """Whether the words that lead to an answer deny it: "the answer is not"."""
    return NEGATED_BEFORE.search(low[max(0, end - 12) : end]) is not None


def _doubtful(part: str, found: Sequence[re.Match[str]], item: Number | Likert) -> bool:
    """Whether a number is a bound, a range, denied, or written in a form that is read in two ways."""
    for match in found:
        before, after = sentence_around(part, *match.span(2))
        said = f"{before}{match.group(2)}{after}"
        if BOUND.search(said) or STRANGE.search(said) or _RANGE.search(said):
            return True
        if negated(part, *match.span(2)):
            return True
    grouped = [match.group(2) for match in found if _GROUPED.fullmatch(match.group(2))]
    top = item.max if isinstance(item.max, int | float) else float("inf")
    return any(float(digits) * 1000 <= top for digits in grouped)


def _scaled(sign: str, digits: str, scale: str | None) -> float:
    value = float(digits.replace(",", "")) * (_SCALES[scale] if scale else 1.0)
    return -value if sign == "-" else value


def _in_range(value: float | None, name: str, item: Number | Likert) -> dict[str, Value] | ItemOutcome:
    if value is None:
        return ItemOutcome.UNREADABLE
    if isinstance(item.max, str):
        raise OptionError(f"the limit {item.max!r} of {name!r} is not known yet")
    if (item.min is not None and value < item.min) or (item.max is not None and value > item.max):
        return ItemOutcome.OUT_OF_RANGE
    whole = isinstance(item, Likert) or item.whole
    return ItemOutcome.OUT_OF_RANGE if whole and not value.is_integer() else {name: value}


_NO_ORDER = re.compile(r"=|\b(?:tied?|ties|equal\w*|last|first|middle)\b")


def _ranks(text: str, name: str, item: Ranking, order: Sequence[str]) -> dict[str, Value] | ItemOutcome:
    """Read letters in order; or, one a line, the options' own words."""
    letters = LETTERS[: len(order)]
    if _NO_ORDER.search(text.casefold()) or NEGATED_BEFORE.search(text.casefold()):
        return ItemOutcome.UNREADABLE
    found = [m for m in re.findall(rf"(?<![A-Za-z])([{letters}])(?![A-Za-z])", text)]
    if len(found) != len(order):
        labels = {_folded(label): option for option, label in item.options.items()}
        lines = [re.sub(r"^\W*\d+\W+", "", part) for part in re.split(r"[\n,>]", text)]
        named = [labels[_folded(line)] for line in lines if _folded(line) in labels]
    else:
        named = [order[letters.index(letter)] for letter in found]
    if len(named) != len(order) or len(set(named)) != len(order):
        return ItemOutcome.UNREADABLE
    return {f"{name}_{option}": float(rank) for rank, option in enumerate(named, start=1)}


def _split(text: str, name: str, item: Allocation) -> dict[str, Value] | ItemOutcome:
    """Read ``recipient: amount`` for every recipient; amounts must add up."""
    low = text.casefold()
    if NEGATED_BEFORE.search(low) or BOUND.search(low) or STRANGE.search(low):
        return ItemOutcome.UNREADABLE
    amounts: dict[str, float] = {}
    for option, label in item.to.items():
        words = "|".join(re.escape(word.casefold()) for word in (option, label))
        after = re.search(rf"\b(?:{words})\b[^\d\n,;]{{0,40}}?({_NUMBER.pattern})", low)
        if after is not None:
            amounts[option] = _scaled(*after.groups()[1:])
    if len(amounts) != len(item.to):
        return ItemOutcome.UNREADABLE
    wrong = abs(sum(amounts.values()) - item.total) > 1e-6 * item.total or min(amounts.values()) < 0
    if wrong or (item.whole and not all(amount.is_integer() for amount in amounts.values())):
        return ItemOutcome.OUT_OF_RANGE
    return {f"{name}_{option}": amount for option, amount in amounts.items()}


def _codes(text: str, name: str, item: FreeText) -> dict[str, Value] | ItemOutcome:
    """Look for the words of each code."""
    if not item.codes and REFUSAL.search(text.casefold()):
        return ItemOutcome.UNREADABLE
    said = f" {_folded(text)} "
    return {
        f"{name}_{code}": float(any(f" {_folded(word)} " in said for word in words))
        for code, words in item.codes.items()
    }


def empty_values(item: Item, name: str) -> dict[str, Value]:
    """Return the variables of an item that was not read."""
    return dict.fromkeys(variables_of(item, name))

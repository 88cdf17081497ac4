"""Words that decide how a reply is read: refusals, negations, bounds; in six languages, folded."""

import re

from concord.files.normal_forms import normal_form

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

"""Where a reply gives its answer: structured output, a marker in any dress, a bare name, the last sentence.

A text without any of these has no answer; it is never searched as a whole.
"""

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from concord.reasoning.words import phrases


class How(StrEnum):
    """How an answer was found."""

    STRUCTURED = "structured"
    """The value of a JSON key, or what an XML tag holds."""
    MARKER = "marker"
    """A heading, a label with a colon, a box, "the most likely diagnosis is"."""
    BARE = "bare"
    """The reply is a name and nothing else."""
    SENTENCE = "sentence"
    """The last sentence names one diagnosis."""
    BLANK = "blank"
    """A marker that nothing follows, or a form that was not filled in."""
    NONE = "none"


MARKED = (How.STRUCTURED, How.MARKER, How.BARE)
"""Ways in which the reply itself says where its answer is."""


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """The part of a text that answers."""

    text: str
    how: How
    start: int
    """Where what marks it begins."""


NO_ANSWER = AnswerPart("", How.NONE, 0)
MOST_CHARACTERS = 2000
"""Of what follows a marker that are looked at."""
_LONGEST_NAME = 8
"""Words of a diagnosis that no list knows, with its article."""
MOST_CANDIDATES = 200
"""Markers of a reply, from its end, that are looked at."""
Names = Callable[[str], int]
"""How many known diagnoses a text puts forward."""
Candidate = tuple[int, Callable[[], AnswerPart | None]]
"""A place where an answer may be, and how to take it from there."""

_SPECIAL = re.compile(r"<\|[^|<>\n]{0,40}\|>|</?s>|\[/?INST\]|<(?:end|start)_of_turn>|<(?:eos|bos|pad)>")
_HTML = re.compile(
    r"<(?=[/a-z])/?(?:b|i|u|em|strong|br|p|div|span|h[1-6]|li|ul|ol|code|mark|small|center)\b[^<>]{0,60}>",
    re.I,
)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(s|del|strike)>[^<\n]{0,200}</\1>", re.I)
_EDGE = " \t\r\n\f\v*_#`\"'“”‘’«»「」『』[]【】<>|~$\\{}:：=-–—→✅👉🩺⇒•·"
_KEY = re.compile(rf"[\"'](?:{phrases.KEY_NAMES})[\"']\s*[:：]\s*", re.I)
_TAG = re.compile(rf"<(?=[\w -])({phrases.KEY_NAMES})\s*>", re.I)
_BOX = re.compile(r"\\boxed\s*\{")
_NOUN = re.compile(rf"{phrases.NOUNS_START}(?:(?<![^\W_])(?:{phrases.NOUNS})|{phrases.NOUNS_CJK})", re.I)
_CJK = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LATIN = re.compile(r"[^\W\d_]", re.ASCII)
_CLOSE = r"[*_`~\"'”’」』\])】>]*"
_COLON = re.compile(
    rf"[ \t]*{_CLOSE}[ \t]*(?:[:：=＝]{{1,2}}>?|—{{1,2}}|–|->|=>|→|⇒|\s-\s|(?<=】))[*_`]*", re.I
)
_SUFFIX = re.compile(r"(?:[ \t]*\([^()\n]{0,40}\)|[ \t]+[^\s:：=＝|.,;!?。、—–→\n*_]+){1,6}")
_IS = re.compile(
    rf"[*_]*[ \t]+(?:{phrases.COPULAS})(?!\w)[ \t]*[:：]?|[*_]*[ \t]*(?:{phrases.COPULAS_CJK})[ \t]*[:：]?",
    re.I,
)
_LEAD = re.compile(
    rf"(?<![^\W_])(?:{phrases.LEADS})[*_]{{0,3}}[ \t]*"
    r"(?:[:：=]|—|–|\bis\b|(?<=ist)|(?<=es)|(?<= est)|(?<=[は是은])|"
    r"(?=(?:(?:zu|f[uü]r|auf|mit|von) )?eine?[mnr]?\b))[*_]*",
    re.I,
)
_SIGN = re.compile(r"^[ \t>*\-]*(?:✅|☑|✔️?|👉|=>|⇒|->|→)[ \t]*|[ \t](?:⇒|=>|∴)[ \t]*", re.M)
_FIELD = re.compile(r"^[ \t]*A[:：][ \t]*", re.M)
_LIKELIEST = re.compile(
    r"\((?:most likely|likeliest|most probable|最可能|am wahrscheinlichsten|más probable|"
    r"(?:l[ae] )?plus probable)\)",
    re.I,
)
_FAVOURED = re.compile(
    r"(?:\b(?:i|we)(?:[’']d|[’']m| am| are| would)?[ \t]+(?:\w+ly[ \t]+)?|[.;,][ \t]+|^[ \t]*)"
    r"(?:favou?r(?:ing)?|lean(?:ing)?(?: more)? towards?)[ \t]+",
    re.I | re.M,
)
"""What a writer favours among several: "A vs B; I favour B"."""
_CELL = re.compile(r"^[ \t]*\|[ \t*]*([^|\n]{1,60}?)[ \t*]*\|[ \t]*([^|\n]+)\|", re.M)
_RULE = re.compile(r"[^\n]{0,200}\n[ \t]*\|?[ \t]*:?-{2,}")
_NEXT_LABEL = re.compile(
    r"\*\*[^*\n]{1,60}[:：?]\*\*|\*\*[^*\n]{1,60}\*\*[:：]|__[^_\n]{1,60}[:：]__|\s{2,}[A-Z][\w ]{2,30}:"
)
_ITEM = re.compile(r"^[ \t]*(?:[-*•·]|\d{1,2}[.)])[ \t]+")
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)*_]*\s+|(?<=[。！？])|\n+")


def cleaned(text: str) -> str:
    """Return a text without the tokens that a server left in it, struck-out words and HTML emphasis."""
    return _HTML.sub(" ", _STRUCK.sub(" ", _SPECIAL.sub(" ", text)))


def find_answer(text: str, names: Names) -> AnswerPart:
    r"""Return the part of a reply that answers.

    Examples
    --------
    >>> known = lambda text: text.count("Panic")
    >>> find_answer("Fear.\n### Final answer\nPanic Disorder", known)
    AnswerPart(text='Panic Disorder', how=<How.MARKER: 'marker'>, start=16)
    >>> find_answer('{"diagnosis": "Panic Disorder"}', known).how
    <How.STRUCTURED: 'structured'>
    """
    blank: AnswerPart | None = None
    for find in (_structured, _marked):
        found, empty = _last(find(text, names))
        if found is not None:
            return found
        blank = empty if blank is None else blank
    return _unmarked(text, names) if blank is None else AnswerPart("", How.BLANK, blank.start)


def _last(candidates: list[Candidate]) -> tuple[AnswerPart | None, AnswerPart | None]:
    """Return the last candidate that holds something, and the last that holds nothing."""
    empty: AnswerPart | None = None
    for _, make in sorted(candidates, key=lambda one: one[0], reverse=True)[:MOST_CANDIDATES]:
        found = make()
        if found is not None and trimmed(found.text):
            return AnswerPart(trimmed(found.text), found.how, found.start), empty
        empty = found if empty is None else empty
    return None, empty


def trimmed(text: str) -> str:
    """Return a text without the markup at its edges; nothing where it is a form that was not filled in."""
    text = text.strip().strip(_EDGE).rstrip(".。").strip(_EDGE)
    return "" if phrases.PLACEHOLDER.match(text) else text


# --- structured output --------------------------------------------------------------------------------


def _structured(text: str, names: Names) -> list[Candidate]:
    keys = [(match.start(), partial(_of_key, text, match)) for match in _KEY.finditer(text)]
    tags = [(match.start(), partial(_of_tag, text, match)) for match in _TAG.finditer(text)]
    return [*keys, *tags]


def _of_key(text: str, match: re.Match[str]) -> AnswerPart | None:
    value = _json_value(text, match.end())
    return AnswerPart(value, How.STRUCTURED, match.start()) if value else None


def _of_tag(text: str, match: re.Match[str]) -> AnswerPart | None:
    """Return what a tag holds, if the tag is closed."""
    end = re.compile(rf"</{re.escape(match.group(1))}\s*>", re.I).search(text, match.end())
    if end is None:
        return None
    inside = re.sub(r"<[^<>]{0,80}>", " ", text[match.end() : end.start()][:MOST_CHARACTERS])
    return AnswerPart(inside, How.STRUCTURED, match.start())


def _json_value(text: str, start: int) -> str:
    """Return the value that begins at a place of something like JSON, as text."""
    try:
        return _named_text(json.JSONDecoder().raw_decode(text, start)[0])
    except (ValueError, RecursionError):
        pass
    quoted = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"").match(text, start)
    if quoted:
        try:
            return str(ast.literal_eval(quoted.group()))
        except (ValueError, SyntaxError):
            return quoted.group()[1:-1]
    return ""


def _named_text(value: object) -> str:
    """Return what a parsed value names: a list names all its entries."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " and ".join(filter(None, map(_named_text, value)))
    if isinstance(value, dict):
        lower = {str(key).lower(): entry for key, entry in value.items()}
        return next((_named_text(lower[key]) for key in phrases.NAME_KEYS if key in lower), "")
    return ""


# --- markers ------------------------------------------------------------------------------------------


def _marked(text: str, names: Names) -> list[Candidate]:
    makers: list[tuple[re.Pattern[str], Callable[[str, re.Match[str], Names], AnswerPart | None]]] = [
        (_BOX, _of_box),
        (_CELL, _of_cell),
        (_NOUN, _after_noun),
        (_LEAD, _after_lead),
        (_SIGN, _after_lead),
        (_FIELD, _after_lead),
        (_LIKELIEST, _before_likeliest),
        (_FAVOURED, _after_lead),
    ]
    return [
        (match.start(), partial(make, text, match, names))
        for pattern, make in makers
        for match in pattern.finditer(text)
    ]


def _after_lead(text: str, match: re.Match[str], names: Names) -> AnswerPart | None:
    content = _content(text, match.end())
    return AnswerPart(content, How.MARKER, match.start()) if names(content) else None


def _before_likeliest(text: str, match: re.Match[str], names: Names) -> AnswerPart | None:
    line = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - 200) : match.start()]
    return AnswerPart(line, How.MARKER, match.start()) if names(line) else None


def _of_box(text: str, match: re.Match[str], names: Names) -> AnswerPart | None:
    depth, place, most = 1, match.end(), min(len(text), match.end() + MOST_CHARACTERS)
    while place < most and depth:
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        place += 1
    inside = re.sub(r"\\(?:text\w*|mathrm|mathbf|mbox)\s*", "", text[match.end() : place - 1])
    return AnswerPart(inside.replace("{", "").replace("}", ""), How.MARKER, match.start())


def _of_cell(text: str, match: re.Match[str], names: Names) -> AnswerPart | None:
    """Return the second cell of a row whose first one says that it is the answer."""
    label = match.group(1)
    noun = _NOUN.search(label)
    if noun is None or phrases.NOT_BEFORE.search(label[: noun.start()]) or len(label) >= 40:
        return None
    if _RULE.match(text, match.end()):  # the heads of the columns
        return None
    return AnswerPart(match.group(2), How.MARKER, match.start())


def _after_noun(text: str, noun: re.Match[str], names: Names) -> AnswerPart | None:
    """Return the answer that a noun such as "diagnosis" opens, if it opens one."""
    start, end = noun.span()
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - 40) : start]
    if phrases.NOT_BEFORE.search(before.rstrip(" \t*_")):
        return None
    if _LATIN.match(noun.group()) and end < len(text) and (text[end].isalnum() and text[end].isascii()):
        return None
    weak = noun.group().lower() in _WEAK_NOUNS
    heading = _heading(text, line, noun)
    if heading is not None:
        content = _content(text, heading)
        return None if weak and not names(content) else AnswerPart(content, How.MARKER, start)
    colon = _colon_after(text, end)
    if colon is not None:
        content = _content(text, colon)
        opens = not text[line:start].strip(_EDGE) and len(content.split()) <= 5
        return None if weak and not opens and not names(content) else AnswerPart(content, How.MARKER, start)
    copula = _IS.match(text, end) or _IS.match(text, _after_suffix(text, end))
    if copula:
        content = _content(text, copula.end())
        first = _first_sentence(content)
        if names(first):
            return AnswerPart(content, How.MARKER, start)
        # a name that no list knows is an answer too where nothing else can be meant
        likeliest = phrases.LIKELIEST.search(text, max(line, start - 40), copula.start())
        return AnswerPart(first, How.MARKER, start) if likeliest and _is_name(first) else None
    return None


def _is_name(sentence: str) -> bool:
    """Whether what follows "the most likely diagnosis is" can be no more than a name."""
    words = trimmed(sentence).split()
    if not 0 < len(words) <= _LONGEST_NAME or _CJK.search(sentence):
        return False
    return not sentence.rstrip().endswith(("?", "？", ":", "：")) and not phrases.NO_NAME.search(sentence)


_WEAK_NOUNS = ("conclusion", "impression", "verdict", "fazit", "schlussfolgerung", "ergebnis", "conclusión",
               "conclusion", "结论", "結論", "결론", "回答", "답변")  # fmt: skip


def _colon_after(text: str, end: int) -> int | None:
    """Return where the content after a noun's colon begins; a few words may be between the two."""
    colon = _COLON.match(text, end)
    if colon:
        return colon.end()
    suffix = _SUFFIX.match(text, end)
    while suffix and suffix.end() > end:
        colon = _COLON.match(text, suffix.end())
        if colon and "=" not in colon.group() and not phrases.NOT_AFTER.search(suffix.group()):
            return colon.end()
        return None
    return None


def _after_suffix(text: str, end: int) -> int:
    """Return the end of one to three words that may be between a noun and "is"."""
    words = re.compile(r"(?:[ \t]+[^\s:：.,;!?。、()]+){1,3}?(?=[ \t]+(?:is|ist|es|est|lautet)\b)").match(
        text, end
    )
    return end if words is None or phrases.NOT_AFTER.search(words.group()) else words.end()


def _heading(text: str, line: int, noun: re.Match[str]) -> int | None:
    """Return where the content of a heading begins, if the noun's line is one."""
    stop = text.find("\n", noun.end())
    stop = len(text) if stop < 0 else stop
    whole = text[line:stop]
    opening = re.match(r"[ \t>]*(#{1,6}[ \t]|\*\*|__|[【\[])", whole)
    underlined = re.match(r"\n[ \t]*(?:-{3,}|={3,})[ \t]*(?=\n|$)", text[stop : stop + 80])
    rest = text[noun.end() : stop].strip(" \t*_#】]")
    if rest or not (opening or underlined) or len(whole) > 80:
        bracket = re.match(r"[ \t]*】", text[noun.end() : stop])
        return noun.end() + bracket.end() if bracket else None
    return stop + underlined.end() if underlined else stop


def _content(text: str, start: int) -> str:
    """Return the content after a marker: its line, or the next lines where it ends its own."""
    stop = text.find("\n", start)
    line = text[start : min(start + MOST_CHARACTERS, len(text) if stop < 0 else stop)]
    following = _NEXT_LABEL.search(line, 1)
    if following and line[: following.start()].strip(_EDGE):
        line = line[: following.start()]
    if line.strip(_EDGE):
        joined = _continued(text, stop)
        return line + joined
    if stop < 0:
        return ""
    below = text[stop : stop + MOST_CHARACTERS].lstrip()
    paragraph = re.split(r"\n[ \t]*\n", below, maxsplit=1)[0]
    return _block(paragraph)


def _continued(text: str, stop: int) -> str:
    """Return the next line where the line before it was broken in the middle of a name."""
    if stop < 0:
        return ""
    line = text[stop + 1 : stop + 200].partition("\n")[0]
    return " " + line if re.match(r"[a-zäöüñéèêàâîôûç]", line) and ":" not in line[:30] else ""


def _block(block: str) -> str:
    """Return a paragraph under a heading; entries of a list are all named."""
    lines = [line for line in block.splitlines() if line.strip()]
    items = [line for line in lines if _ITEM.match(line)]
    if len(items) > 1 and len(items) == len(lines):
        return " and ".join(_ITEM.sub("", line) for line in items)
    kept: list[str] = []
    for line in lines:
        if kept and re.match(r"[ \t]*(?:#{1,6}\s|\*\*[^*]{1,60}[:：]?\*\*|[A-Z][\w ]{2,30}:)", line):
            break
        kept.append(line)
    return "\n".join(kept)


def _first_sentence(content: str) -> str:
    return next((part for part in _SENTENCE.split(content) if part and part.strip()), "")


# --- no marker ----------------------------------------------------------------------------------------


def _unmarked(text: str, names: Names) -> AnswerPart:
    """Return a bare name, or the last sentence that puts forward a diagnosis."""
    lines = [line for line in text.splitlines() if line.strip(_EDGE)]
    pieces = _pieces(text)
    if not lines or not pieces:
        return NO_ANSWER
    listed = (line for line in lines[-60:] if _ITEM.match(line) or line.lstrip().startswith("|"))
    named = [line for line in listed if names(line[:MOST_CHARACTERS])]
    if len(named) > 1:
        return NO_ANSWER
    if len(lines) == 1 and len(pieces) == 1 and _is_bare(lines[0], names):
        return AnswerPart(trimmed(lines[0]), How.BARE, text.find(lines[0]))
    for place, piece in reversed(pieces[-3:]):
        if names(piece[-MOST_CHARACTERS:]) == 1:
            return AnswerPart(trimmed(piece), How.SENTENCE, place)
        if piece.rstrip("*_\"'”’ ").endswith(("?", "？")):
            break
    place, first = pieces[0]
    if _is_short(first) and names(first) == 1:
        return AnswerPart(trimmed(first), How.SENTENCE, place)
    return NO_ANSWER


def _is_bare(line: str, names: Names) -> bool:
    """Whether a line is a name and nothing else: a known one, or so few words that it can be no sentence."""
    if not _is_short(line):
        return False
    few = len(line.split()) <= 4 and (len(line) <= 8 or not _CJK.search(line))
    if not line.strip(" \t*_#>\"'“”[(.-•")[:1].isalpha():
        return False
    question = line.rstrip("*_\"'”’ ").endswith(("?", "？"))
    return names(line) == 1 or (names(line) == 0 and few and not question)


def _is_short(line: str) -> bool:
    """Whether a line is no longer than a name with its specifiers."""
    return len(line.split()) <= 12 and len(line) <= (120 if line.isascii() else 60 if " " in line else 20)


def _pieces(text: str) -> list[tuple[int, str]]:
    """Return the sentences of a text with their places."""
    pieces, start = [], 0
    for gap in [*_SENTENCE.finditer(text), None]:
        end = len(text) if gap is None else gap.start()
        if text[start:end].strip(_EDGE):
            pieces.append((start, text[start:end]))
        start = len(text) if gap is None else gap.end()
    return pieces


def is_cut(text: str, how: How) -> bool:
    """Whether a reply without a marked answer breaks off: in JSON, after its reasoning, in mid-sentence."""
    if how in MARKED or how is How.BLANK:
        return False
    end = text.rstrip()
    if not end:
        return False
    if end.count("{") > end.count("}") and end.lstrip().startswith(("{", "```")):
        return True
    closed = end.rstrip("*_`\"'”’)»").endswith((".", "!", "?", "。", "！", "？", "…", ":", "|", "```"))
    if closed or not end[-1].isalnum():
        return bool(phrases.UNFINISHED.search(end[-40:])) and not end.endswith((":", "："))
    return bool(phrases.REASONING.search(text)) or bool(phrases.UNFINISHED.search(end[-40:]))

"""Words that state an answer: where a reply says "my answer is", in which language, and what is no answer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from concord.reading.text import (
    MOST_LINES,
    Piece,
    any_of,
    filled,
    lines_of,
    one_form,
    patterns,
    sentences_of,
    words,
)

_LOOKED_AT = 4000
"""Characters at either end of a reply in which it may decline."""


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """A place where an answer is stated: what follows it on its line, and in the line after an empty one."""

    content: Piece
    in_person: bool = False
    """In the first person: "I would choose"."""
    in_words: bool = False
    """Only the words of an option are an answer here."""
    denied: bool = False
    """A denial follows: an answer only where it is a part of a name, such as "no disorder"."""
    firm: bool = False
    """So sure that even a name which nobody listed is an answer."""
    loose: bool = False
    """An answer only where one follows: "it is", "the sentiment is"."""
    heads: bool = False
    """At the start of a line."""


def marks_of(text: str) -> Iterator[AnswerMark]:
    """Return the marks of a reply from the last to the first; denied and hypothetical ones are none."""
    lines = [line for line in lines_of(text)[-MOST_LINES:] if _RULE.fullmatch(line.text) is None]
    for i in range(len(lines) - 1, -1, -1):
        line, below = lines[i], lines[i + 1] if i + 1 < len(lines) else None
        if line.text.startswith("|"):
            if below is None or _COLUMNS.match(below.text) is None:  # the heads of columns hold no answer
                above = lines[max(0, i - 2) : i] if below is None or below.text[:1] != "|" else []
                yield from _in_row(line, *above)
            continue
        heading = patterns("marks")["heading"].match(line.text)
        if heading is None and (line.text[:1] in "#*_[" or _UNDERLINED.match(text, line.end) is not None):
            heading = patterns("marks")["title"].match(line.text[:_LONGEST_TITLE])
        if heading is not None:
            rest = Piece(line.text[heading.end() :], line.start + heading.end()).trimmed()
            if not rest.text.strip(" *_\"'") and below is not None:
                rest = below
            elif below is not None and _BROKEN.fullmatch(f"{rest.text[-1:]}{below.text[:1]}") is not None:
                rest = Piece(text[rest.start : below.end].replace("\n", " "), rest.start)
            inner = list(_in_line(rest))
            if inner and (not inner[-1].in_person or patterns("marks")["first_person"].match(rest.text)):
                yield inner[-1]
            else:
                denied = patterns("marks")["denied"].match(rest.text) is not None
                yield AnswerMark(rest, firm=_is_firm(heading), denied=denied, heads=True)
            continue
        yield from reversed(list(_in_line(line)))


def is_title(key: str) -> bool:
    """Whether the key of an object is the name of an answer: "final diagnosis"."""
    return len(key) <= _LONGEST_TITLE and patterns("marks")["title"].match(key) is not None


def _in_row(line: Piece, *above: Piece) -> Iterator[AnswerMark]:
    """Return the cell beside the name of an answer, or the only one below it in the head of a table."""
    cells, head = line.text.split("|"), list[str]()
    if len(above) == 2 and above[0].text[:1] == "|" and _COLUMNS.match(above[1].text) is not None:
        head = above[0].text.split("|")
    for names, place in ((cells[1:2], 2), *(((one,), i) for i, one in enumerate(head))):
        title = patterns("marks")["title"].match(names[0].strip()[:_LONGEST_TITLE]) if names else None
        if title is None or place >= len(cells) - 1 or not cells[place].strip():
            continue
        if place == 2 and names == cells[1:2] or (_is_firm(title) and len(head) == len(cells)):
            begin = line.start + sum(len(one) + 1 for one in cells[:place])
            yield AnswerMark(Piece(cells[place], begin).trimmed(), firm=_is_firm(title))
            return


def _is_firm(match: re.Match[str]) -> bool:
    return match["noun"].casefold() in words()["firm"]


def _in_line(line: Piece) -> Iterator[AnswerMark]:
    held = patterns("marks")
    for sentence in sentences_of(line):
        if sentence.text.rstrip("\"')*_ ").endswith("?"):
            continue
        found = []
        for begin in (0, *[match.end() for match in _TURNS.finditer(sentence.text)][-_MOST_TURNS:]):
            heading = held["heading"].match(sentence.text[begin:])
            before = sentence.text[max(0, begin - 40) : begin]
            if (
                heading is not None
                and _EXAMPLE.search(before) is None
                and _SAID_BEFORE.search(before) is None
            ):
                at = begin + heading.end()
                if held["denied"].match(sentence.text[at:]) is None:
                    content = Piece(sentence.text[at:], sentence.start + at)
                    found.append(AnswerMark(content, firm=_is_firm(heading)))
        for name in ("would", "stated", "first_person", "imperative", "corrected", *_LOOSE):
            for match in held[name].finditer(sentence.text):
                aside = name == "emphatic" and is_aside(match["heading"])
                if not aside and _is_statement(sentence.text, match):
                    content = Piece(sentence.text[match.end() :], sentence.start + match.end())
                    firm = name == "stated" and _is_firm(match) and _is_sure(match, content)
                    said, words_only = name != "stated", name == "would"
                    found.append(AnswerMark(content, said, words_only, firm=firm, loose=name in _LOOSE))
        yield from sorted(found, key=lambda mark: mark.content.start)


def weak_marks(text: str) -> Iterator[AnswerMark]:
    """Return what a reply says a case points to: "she meets the criteria for"."""
    for line in lines_of(text)[-MOST_LINES:]:
        for sentence in sentences_of(line):
            if not sentence.text.rstrip("\"')*_ ").endswith("?"):
                for match in patterns("marks")["weak"].finditer(sentence.text):
                    before = _PARTS.split(sentence.text[: match.start()])[-1]
                    aside = _MAY.search(before[-30:]) or _SET_ASIDE.search(before)
                    if aside is None and _is_statement(sentence.text, match):
                        yield AnswerMark(Piece(sentence.text[match.end() :], sentence.start + match.end()))


def named_before(text: str) -> Iterator[Piece]:
    """Return the sentences up to the words that call what is before them the answer."""
    for line in lines_of(text)[-MOST_LINES:]:
        for sentence in sentences_of(line):
            for match in patterns("marks")["behind"].finditer(sentence.text):
                if patterns("marks")["hypothetical"].search(sentence.text) is None:
                    yield Piece(sentence.text[: match.start()], sentence.start)


def _is_sure(match: re.Match[str], content: Piece) -> bool:
    """Whether what follows "the diagnosis is" can be a name: "most likely", emphasised, with a capital."""
    said = match.group()
    return _LIKELIEST.search(said) is not None or said.endswith(("*", '"', "_")) or content.text[:1].isupper()


_LIKELIEST = re.compile(r"likel|probab|wahrscheinlich|可能|가능|final|correct", re.IGNORECASE)
_LOOSE = ("copula", "emphatic", "concluded")
_TURNS = re.compile(
    filled(r"[:>→]\s|--\s?|,\s|,(?=[‹cjk›])|")
    + r"(?<=\s)(?=[*_]{0,3}(?:FINAL )?(?:ANSWER|DIAGNOSIS|VERDICT)[*_\s]{0,4}:)"
)
"""Places in a sentence after which an answer may be stated anew."""
_MOST_TURNS = 8
_EXAMPLE = re.compile(rf"(?<!\w)(?:{any_of('examples')})(?!\w)", re.IGNORECASE)
"""Before a mark that only shows how an answer is written."""
_SAID_BEFORE = re.compile(
    filled(r"(?:(?<!\w)|(?<=[‹cjk›]))(?<!\bI )(?<!我)(?:‹said_behind, said_before›)[\s:,\"'*_]{1,6}$"),
    re.IGNORECASE,
)
_MAY = re.compile(
    r"(?:might|may|could|can|would|initially|at first|tempting to|podría|könnte)[\s\w]{0,12}$", re.I
)
_TWO_MINDS = re.compile(rf"(?<!\w)(?:{any_of('two_minds')})(?!\w)", re.IGNORECASE)
"""Said twice in a sentence, of two answers: "maybe I would choose B, maybe A"."""
_PARTS = re.compile(r"[,;:]\s|\sbut\s")
_SET_ASIDE = re.compile(rf"(?<!\w)(?:{any_of('set_aside')})(?!\w)", re.IGNORECASE)
_BROKEN = re.compile("[a-z][a-z]")
"""The end of a line and the start of the next where a sentence goes on."""
_RULE = re.compile(r"[-=*_]{3,}")
_COLUMNS = re.compile(r"\|[\s:|]{0,6}--")
_UNDERLINED = re.compile(r"[ \t]{0,4}\n[ \t]{0,4}(?:-{3,80}|={3,80})[ \t]{0,4}(?:\n|$)")
_LONGEST_TITLE = 100
_CLAUSES = re.compile(r"[;:]|,?\s(?=but\b)|,\s(?=so\b|yet\b|however\b|aber\b|mais\b|pero\b|mas\b|ma\b)")
_CONDITION = 80
"""Characters after an answer in which a condition of it may begin."""
_CLAUSE_END = re.compile(rf"[.!?;:(]\s|[\n(]|\s(?:{any_of('new_clauses')})\s", re.IGNORECASE)
_OWN_CLAUSE = re.compile(rf",\s(?!(?:only\s|but\s|and\s)?(?:{any_of('if')})(?!\w))", re.IGNORECASE)
"""A comma that no condition follows."""
_FARTHEST = 200
"""Characters before an answer in which the words that state it begin."""
_UNLIKE = re.compile(r"\bunlike [^,.;:]{1,60},", re.IGNORECASE)


def _is_statement(sentence: str, match: re.Match[str]) -> bool:
    """Whether a mark in a sentence is meant: not denied, supposed, or said of others."""
    held = patterns("marks")
    if held["denied"].match(sentence[match.end() :]) is not None:
        return False
    before = _UNLIKE.sub("", sentence[: match.start()])
    if held["denied_before"].search(before[-20:]) or _SAID_BEFORE.search(before[-40:]):
        return False
    quote = sentence.find('"', match.end()) if before.count('"') % 2 else -1
    if quote >= 0 and is_reported(sentence[quote + 1 :].lstrip(" ,.")):
        return False
    if match.re is held["stated"]:
        said = held["no_mark"].search(before[-40:]), held["no_answer"].match(sentence[match.end() :])
        if any(one is not None for one in said) or _is_anothers(before, match.group()):
            return False
    clause = _CLAUSES.split(before)[-1]
    if match.re is held["first_person"] and _AMBIGUOUS.match(match.group()) and not _OWN_VERB.search(before):
        return False  # "un kantiano daría un 6"
    supposed = held["hypothetical"].search(clause)
    if supposed is not None and held["allowed_if"].search(clause) is None:
        return False
    if held["doubted"].search(clause) is not None or len(_TWO_MINDS.findall(sentence)) > 1:
        return False
    return held["reported"].search(re.split(r",\s(?=[Ii]\b)", clause)[-1]) is None


def _is_anothers(before: str, said: str) -> bool:
    """Whether a word before a name of an answer makes it another one: "the safest choice", "his answer"."""
    if before[-1:] in _ATTRIBUTE:
        return True
    last = _LAST_WORD.search(before[-40:])
    if last is None or _OWN_WORD.match(said) is not None:
        return False
    patients = "diagnos" in said.casefold() and _OF_PATIENT.fullmatch(last.group(1)) is not None
    return not patients and _JOINED.fullmatch(last.group(1)) is None


_AMBIGUOUS = re.compile(any_of("ambiguous_person"), re.IGNORECASE)
"""Verbs that are those of the first and of the third person."""
_OWN_VERB = re.compile(
    rf"(?:^|[.,;:!?(-])[\s*_\"'(]{{0,6}}(?:(?:{any_of('own_person')})[\s,]{{1,3}}){{0,3}}$", re.IGNORECASE
)
_ATTRIBUTE = ("的", "の", "な")
"""What ends a word before the noun that it describes."""
_LAST_WORD = re.compile(r"(?<![\w'-])([A-Za-z\u00c0-\u04ff'-]{1,30})[\s*_\"]{1,4}$")
_OF_PATIENT = re.compile(r"(?:his|her|their|(?:patient|client)'s)", re.IGNORECASE)
_OWN_WORD = re.compile(
    rf"[\s*_\"]{{0,4}}(?:(?:{any_of('so')})[\s,]{{1,3}})?(?:{any_of('determiners')})\s", re.IGNORECASE
)
_JOINED = re.compile(any_of("connectors"), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HeadedLine:
    """A line with a heading of its own: "Fine: €5,000"."""

    heading: str
    content: Piece
    bold: bool = False
    """Emphasised."""
    item: bool = False
    """An item of a list."""


def headed_line(line: Piece) -> HeadedLine | None:
    """Divide a line into its heading and the rest, a row into its two cells; None without a heading."""
    cells = line.text.strip("|").split("|")
    if line.text.startswith("|"):
        if len(cells) != 2 or not is_overall(cells[0]):
            return None
        begin = line.start + line.text.index(cells[0]) + len(cells[0]) + 1
        return HeadedLine(cells[0], Piece(cells[1], begin).trimmed(" \t\r\n*_"), item=True)
    match = patterns("marks")["headed"].match(line.text)
    if match is None or line.text[:1] in "{[<" or not line.text[match.end() :].strip():
        return None
    heading = "" if match["heading"] is None else match["heading"]
    content = Piece(line.text[match.end() :], line.start + match.end()).trimmed(" \t\r\n*_")
    return HeadedLine(heading, content, line.text[:2] in ("**", "__"), _ITEM.match(line.text) is not None)


@cache
def _own_heading(*kinds: str) -> re.Pattern[str]:
    """Return the pattern of a heading that is the name of an answer and nothing else, by what is asked."""
    before, nouns = (
        any_of("before_names", "overall", "so"),
        any_of("names", "headed", "overall", "concluding", *kinds),
    )
    return re.compile(
        rf"(?:(?:{before}){filled('‹blank›')}){{0,4}}(?:{nouns})(?:\s{{0,3}}(?:{any_of('after_names')})){{0,2}}"
        r"(?:\s{0,2}\([^()\n]{1,30}\)?)?",
        re.IGNORECASE,
    )


def is_own(heading: str, *kinds: str) -> bool:
    """Whether a heading is the name of an answer, and of no other thing: "Fair rent", not "Market rent"."""
    plain = heading.replace("_", " ").strip(" *'\"?")
    return not plain or _own_heading(*kinds).fullmatch(plain) is not None


_MOST_HEADING = 6
_ITEM = re.compile(r"[-*•·+]\s|\d{1,2}[.)]\s")
_LETTER_ALONE = re.compile(r"(?<![\w'])[A-H](?![\w'])|\d|[?!\"]")


def is_aside(heading: str, *, of_choices: bool = False) -> bool:
    """Whether a heading, a key or the name of an element belongs to something else than the answer."""
    held, plain = patterns("marks"), heading.replace("_", " ").strip(" *'\"")
    others = [held["aside"], held["hypothetical"], held["reported"], _LETTER_ALONE]
    if of_choices:
        others.append(held["aside_of_choices"])
    return len(plain.split()) > _MOST_HEADING or any(one.search(plain) is not None for one in others)


def is_certainty(heading: str) -> bool:
    """Whether a heading is of how sure somebody is."""
    return patterns("marks")["certainty"].search(heading.replace("_", " ")) is not None


def is_overall(heading: str) -> bool:
    """Whether a heading sums up the lines before it."""
    return not heading or patterns("marks")["overall"].search(heading) is not None


def is_total(heading: str) -> bool:
    """Whether a heading is that of a sum."""
    return patterns("marks")["total"].search(heading) is not None


def revisions(after: str) -> Iterator[int]:
    """Return where another answer may begin that takes the place of one before: behind "no," or "wait"."""
    yield from (match.end() for match in patterns("marks")["turned"].finditer(after))


def is_undecided(content: str) -> bool:
    """Whether what follows the name of an answer says that there is none: "not sure"."""
    return patterns("marks")["undecided"].match(content) is not None


def is_revised(after: str) -> bool:
    """Whether what follows a statement takes it back where it goes on with another: "Hmm, no"."""
    return patterns("marks")["revised"].search(after) is not None


def is_retracted(after: str) -> bool:
    """Whether what follows a statement takes it back: "I take that back"."""
    return patterns("marks")["retracted"].search(after) is not None


def is_reported(after: str) -> bool:
    """Whether what follows an answer begins by saying that others gave it: "he said"."""
    return patterns("marks")["reported"].match(after) is not None or _SAID_BEHIND.match(after) is not None


_SAID_BEHIND = re.compile(rf"(?:{any_of('said_behind')})(?![A-Za-z])", re.IGNORECASE)


def is_conditional(after: str) -> bool:
    """Whether the sentence goes on with a condition: "$40 if it were handmade"."""
    clause = _OWN_CLAUSE.split(_CLAUSE_END.split(after[:_CONDITION], maxsplit=1)[0], maxsplit=1)[0]
    held = patterns("marks")
    return held["under"].search(clause) is not None and held["allowed_if"].search(clause) is None


def stated_from(reply: str, start: int) -> int:
    """Return where the words begin that state the answer at a place of a reply; the place without any."""
    near = max(0, start - _FARTHEST)
    said = one_form(reply[near:start])
    found = [match.start() for match in patterns("marks")["opening"].finditer(said.text)]
    return near + said.span(found[-1], found[-1] + 1)[0] if found else start


def refuses(text: str) -> bool:
    """Whether a reply declines to answer."""
    ends = text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    return patterns("marks")["refusal"].search(ends.casefold()) is not None

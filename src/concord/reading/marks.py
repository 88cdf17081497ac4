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

_RE = patterns("marks")
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
    lines = [line for line in lines_of(text)[-MOST_LINES:] if _RE["rule"].fullmatch(line.text) is None]
    for i in range(len(lines) - 1, -1, -1):
        line, below = lines[i], lines[i + 1] if i + 1 < len(lines) else None
        if line.text.startswith("|"):
            if (
                below is None or _RE["columns"].match(below.text) is None
            ):  # the heads of columns hold no answer
                above = lines[max(0, i - 2) : i] if below is None or below.text[:1] != "|" else []
                yield from _in_row(line, *above)
            continue
        heading = _RE["heading"].match(line.text)
        if heading is None and (
            line.text[:1] in "#*_[" or _RE["underlined"].match(text, line.end) is not None
        ):
            heading = _RE["title"].match(line.text[:_LONGEST_TITLE])
        if heading is not None:
            rest = Piece(line.text[heading.end() :], line.start + heading.end()).trimmed()
            if not rest.text.strip(" *_\"'") and below is not None:
                rest = below
            elif (
                below is not None and _RE["broken"].fullmatch(f"{rest.text[-1:]}{below.text[:1]}") is not None
            ):
                rest = Piece(text[rest.start : below.end].replace("\n", " "), rest.start)
            inner = list(_in_line(rest))
            if inner and (not inner[-1].in_person or _RE["first_person"].match(rest.text)):
                yield inner[-1]
            else:
                denied = _RE["denied"].match(rest.text) is not None
                yield AnswerMark(rest, firm=_is_firm(heading), denied=denied, heads=True)
            continue
        yield from reversed(list(_in_line(line)))


def is_title(key: str) -> bool:
    """Whether the key of an object is the name of an answer: "final diagnosis"."""
    return len(key) <= _LONGEST_TITLE and _RE["title"].match(key) is not None


def _in_row(line: Piece, *above: Piece) -> Iterator[AnswerMark]:
    """Return the cell beside the name of an answer, or the only one below it in the head of a table."""
    cells, head = line.text.split("|"), list[str]()
    if len(above) == 2 and above[0].text[:1] == "|" and _RE["columns"].match(above[1].text) is not None:
        head = above[0].text.split("|")
    for names, place in ((cells[1:2], 2), *(((one,), i) for i, one in enumerate(head))):
        title = _RE["title"].match(names[0].strip()[:_LONGEST_TITLE]) if names else None
        if title is None or place >= len(cells) - 1 or not cells[place].strip():
            continue
        if place == 2 and names == cells[1:2] or (_is_firm(title) and len(head) == len(cells)):
            begin = line.start + sum(len(one) + 1 for one in cells[:place])
            yield AnswerMark(Piece(cells[place], begin).trimmed(), firm=_is_firm(title))
            return


def _is_firm(match: re.Match[str]) -> bool:
    return match["noun"].casefold() in words()["firm"]


def _in_line(line: Piece) -> Iterator[AnswerMark]:
    for sentence in sentences_of(line):
        if sentence.text.rstrip("\"')*_ ").endswith("?"):
            continue
        found = []
        for begin in (0, *[match.end() for match in _RE["turns"].finditer(sentence.text)][-_MOST_TURNS:]):
            heading = _RE["heading"].match(sentence.text[begin:])
            before = sentence.text[max(0, begin - 40) : begin]
            if (
                heading is not None
                and _RE["example"].search(before) is None
                and _RE["said_before"].search(before) is None
            ):
                at = begin + heading.end()
                if _RE["denied"].match(sentence.text[at:]) is None:
                    content = Piece(sentence.text[at:], sentence.start + at)
                    found.append(AnswerMark(content, firm=_is_firm(heading)))
        for name in ("would", "stated", "first_person", "imperative", "corrected", *_LOOSE):
            for match in _RE[name].finditer(sentence.text):
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
                for match in _RE["weak"].finditer(sentence.text):
                    before = _RE["parts"].split(sentence.text[: match.start()])[-1]
                    aside = _RE["may"].search(before[-30:]) or _RE["set_aside"].search(before)
                    if aside is None and _is_statement(sentence.text, match):
                        yield AnswerMark(Piece(sentence.text[match.end() :], sentence.start + match.end()))


def named_before(text: str) -> Iterator[Piece]:
    """Return the sentences up to the words that call what is before them the answer."""
    for line in lines_of(text)[-MOST_LINES:]:
        for sentence in sentences_of(line):
            for match in _RE["behind"].finditer(sentence.text):
                if _RE["hypothetical"].search(sentence.text) is None:
                    yield Piece(sentence.text[: match.start()], sentence.start)


def _is_sure(match: re.Match[str], content: Piece) -> bool:
    """Whether what follows "the diagnosis is" can be a name: "most likely", emphasised, with a capital."""
    said = match.group()
    return (
        _RE["likeliest"].search(said) is not None
        or said.endswith(("*", '"', "_"))
        or content.text[:1].isupper()
    )


_LOOSE = ("copula", "emphatic", "concluded")
_MOST_TURNS = 8
_LONGEST_TITLE = 100
_CONDITION = 80
"""Characters after an answer in which a condition of it may begin."""
_FARTHEST = 200
"""Characters before an answer in which the words that state it begin."""


def _is_statement(sentence: str, match: re.Match[str]) -> bool:
    """Whether a mark in a sentence is meant: not denied, supposed, or said of others."""
    if _RE["denied"].match(sentence[match.end() :]) is not None:
        return False
    before = _RE["unlike"].sub("", sentence[: match.start()])
    if _RE["denied_before"].search(before[-20:]) or _RE["said_before"].search(before[-40:]):
        return False
    quote = sentence.find('"', match.end()) if before.count('"') % 2 else -1
    if quote >= 0 and is_reported(sentence[quote + 1 :].lstrip(" ,.")):
        return False
    if match.re is _RE["stated"]:
        said = _RE["no_mark"].search(before[-40:]), _RE["no_answer"].match(sentence[match.end() :])
        if any(one is not None for one in said) or _is_anothers(before, match.group()):
            return False
    clause = _RE["clauses"].split(before)[-1]
    if (
        match.re is _RE["first_person"]
        and _RE["ambiguous"].match(match.group())
        and not _RE["own_verb"].search(before)
    ):
        return False  # "un kantiano daría un 6"
    supposed = _RE["hypothetical"].search(clause)
    if supposed is not None and _RE["allowed_if"].search(clause) is None:
        return False
    if _RE["doubted"].search(clause) is not None or len(_RE["two_minds"].findall(sentence)) > 1:
        return False
    return _RE["reported"].search(re.split(r",\s(?=[Ii]\b)", clause)[-1]) is None


def _is_anothers(before: str, said: str) -> bool:
    """Whether a word before a name of an answer makes it another one: "the safest choice", "his answer"."""
    if before[-1:] in _ATTRIBUTE:
        return True
    last = _RE["last_word"].search(before[-40:])
    if last is None or _RE["own_word"].match(said) is not None:
        return False
    patients = "diagnos" in said.casefold() and _RE["of_patient"].fullmatch(last.group(1)) is not None
    return not patients and _RE["joined"].fullmatch(last.group(1)) is None


_ATTRIBUTE = ("的", "の", "な")
"""What ends a word before the noun that it describes."""


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
    match = _RE["headed"].match(line.text)
    if match is None or line.text[:1] in "{[<" or not line.text[match.end() :].strip():
        return None
    heading = "" if match["heading"] is None else match["heading"]
    content = Piece(line.text[match.end() :], line.start + match.end()).trimmed(" \t\r\n*_")
    return HeadedLine(
        heading, content, line.text[:2] in ("**", "__"), _RE["item"].match(line.text) is not None
    )


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


def is_aside(heading: str, *, of_choices: bool = False) -> bool:
    """Whether a heading, a key or the name of an element belongs to something else than the answer."""
    plain = heading.replace("_", " ").strip(" *'\"")
    others = [_RE["aside"], _RE["hypothetical"], _RE["reported"], _RE["letter_alone"]]
    if of_choices:
        others.append(_RE["aside_of_choices"])
    return len(plain.split()) > _MOST_HEADING or any(one.search(plain) is not None for one in others)


def is_certainty(heading: str) -> bool:
    """Whether a heading is of how sure somebody is."""
    return _RE["certainty"].search(heading.replace("_", " ")) is not None


def is_overall(heading: str) -> bool:
    """Whether a heading sums up the lines before it."""
    return not heading or _RE["overall"].search(heading) is not None


def is_total(heading: str) -> bool:
    """Whether a heading is that of a sum."""
    return _RE["total"].search(heading) is not None


def revisions(after: str) -> Iterator[int]:
    """Return where another answer may begin that takes the place of one before: behind "no," or "wait"."""
    yield from (match.end() for match in _RE["turned"].finditer(after))


def is_undecided(content: str) -> bool:
    """Whether what follows the name of an answer says that there is none: "not sure"."""
    return _RE["undecided"].match(content) is not None


def is_revised(after: str) -> bool:
    """Whether what follows a statement takes it back where it goes on with another: "Hmm, no"."""
    return _RE["revised"].search(after) is not None


def is_retracted(after: str) -> bool:
    """Whether what follows a statement takes it back: "I take that back"."""
    return _RE["retracted"].search(after) is not None


def is_reported(after: str) -> bool:
    """Whether what follows an answer begins by saying that others gave it: "he said"."""
    return _RE["reported"].match(after) is not None or _RE["said_behind"].match(after) is not None


def is_conditional(after: str) -> bool:
    """Whether the sentence goes on with a condition: "$40 if it were handmade"."""
    clause = _RE["own_clause"].split(_RE["clause_end"].split(after[:_CONDITION], maxsplit=1)[0], maxsplit=1)[
        0
    ]
    return _RE["under"].search(clause) is not None and _RE["allowed_if"].search(clause) is None


def stated_from(reply: str, start: int) -> int:
    """Return where the words begin that state the answer at a place of a reply; the place without any."""
    near = max(0, start - _FARTHEST)
    said = one_form(reply[near:start])
    found = [match.start() for match in _RE["opening"].finditer(said.text)]
    return near + said.span(found[-1], found[-1] + 1)[0] if found else start


def refuses(text: str) -> bool:
    """Whether a reply declines to answer."""
    ends = text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    return _RE["refusal"].search(ends.casefold()) is not None

"""A name as an answer: one of a list under any of its names, or another that the reply commits to."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from concord.reading.marks import is_title
from concord.reading.names import NameIndex, Words, widest
from concord.reading.records import NOTHING, Found, ReadOutcome, Value
from concord.reading.text import DECORATION, ENDING, Piece

MOST_WORDS = 10
"""Words of a name that is none of the list."""
_REACH = 6
"""Words before a name of the list that may describe it: "a recurrent, severe depression"."""
_LOOKED_AT = 400
"""Characters after a mark in which the name is."""

_ASIDE = (
    r"(?:primary|principal|main|leading|working|most (?:likely|probable)|(?:highly |very )?(?:likely|"
    r"probabl[ey])|almost certainly|certainly|clearly|definitely|without (?:question|(?:a )?doubt)|"
    r"consistent with|that of|that|those of|a case of|of|celui d[eu]|"
    r"an? (?:instance|example|episode|form|type|diagnosis) of|"
    r"it(?:'s| is)|this is|suspected|probably|presumably|am ehesten|wahrscheinlich|probablemente|"
    r"probablement|[A-Z]\d{2}(?:\.\d{1,3})?|[A-H][.)]|"
    r"(?:an?|the|eine?[mnrs]?|un[ae]?|l[ea]|el|den|das|der|die)(?= ))"
)
_LEAD = re.compile(rf"(?:[\s*_\"'(\[]{{0,6}}{_ASIDE}(?:[\s:,*_\"'-]{{1,6}}|$)){{1,6}}", re.IGNORECASE)
"""What may be before a name without changing it."""
_CLAUSE = re.compile(r"[.;!?](?=[\s\"')*_]|$)|[;!?。]|\.(?=[^\x00-\x7f])|\n")
_HALVES = re.compile(r"[.;:!?\n。]\s?|,\s(?:but|yet|however|and|so|aber|pero|mais)\s")
_TAKEN_BACK = re.compile(
    r"(?<!\w)(?:not|no|never|neither|nor|without|isn't|doesn't|don't|cannot|can't|rul(?:e|ed|ing) out|r/o|"
    r"exclud\w{1,5}|against|unlikely|less likely|misdiagnos\w{1,4}|doubt\w{0,6}|whether|if|history of|"
    r"rather than|instead of|other than|except|absence of|lack of|tempting|consider\w{0,6}|differential|"
    r"could|may|might|features of|similar to|mimic\w{0,5}|nicht|keine?[mnrs]?|weder|ohne|gegen|statt|"
    r"no es|sin|ni|nunca|descart\w{1,6}|pas|sans|ne|ni|exclu\w{0,4}|non|senza)(?!\w)|"
    r"不是|不符合|排除|并非|ではな|否定|아니|배제",
    re.IGNORECASE,
)
"""A name after one of these is no answer."""
_CALLED = re.compile(
    r"(?:specifically|namely|called|known as|i\.e\.|that is)[\s,:*_\"']{1,4}"
    r"(?:[\w-]{1,20}\s){0,4}[\s\"'*_]{0,3}$"
)
"""A kind and its name: "a mental disorder, specifically a phobia"."""
_TURNED = re.compile(
    r"\W{1,4}(?:but(?: rather)?|sondern|sino|mais)(?: (?:an?|eine?[mnrs]?|un[ae]?|d'un|de))?\W{1,4}|"
    r"[\s,]{0,3}(?:而是|ではなく|아니라|가 아니라|이 아니라)[\s,]{0,3}",
    re.IGNORECASE,
)
"""Between a name that is denied and the one that is meant: "not A but B"."""
_DENIED_AFTER = re.compile(
    r"[\s*_\"',]{0,4}(?:(?:is|was|are|were|has been|can be|could be|should be|seems?|appears?|must be|"
    r"needs? to be|to be|ist|est|es|wurde|kann)\s){0,2}(?:very |highly |rather |also |therefore |thus )?"
    r"(?:unlikely|less likely|improbable|excluded|ruled out|discarded|rejected|doubtful|considered|"
    r"(?:is|was|are|does|do|did|has|ist|es|est) (?:not|nicht|no|pas)|isn't|doesn't|cannot|can't|"
    r"ausgeschlossen|unwahrscheinlich|descartad\w|poco probable|exclu\w{0,3}|peu probable|可能性低|"
    r"不太可能|否定的|は否定|よりも?むしろ|より|가 아니|이 아니|는 아니|은 아니)|[\s*_\"')]{0,6}\?",
    re.IGNORECASE,
)
_JOINS = re.compile(
    r"[\s*_\"')\],]{0,6}(?:(?:and|or|and/or|vs\.?|versus|/|&|\+|,|und|oder|bzw\.?|y|o|u|et|ou|e|"
    r"with (?:a )?co-?(?:morbid|occurring)|(?:and|plus|along with|as well as|together with)|"
    r"和|或者?|与|及|、|と|または|および|및|와|과|또는|혹은)"
    r"(?: also)?(?: (?:an?|the|(?:co-?)?morbid|possibly|co-?occurring|eine?[mnrs]?|un[ao]?|une))?)"
    r"[\s*_\"'(\[]{0,6}",
    re.IGNORECASE,
)
"""What is between two names of which both are answers."""
_OR = re.compile(
    r"[\s*_\"')\]]{0,6}(?<![A-Za-z])(?:or|and/or|vs\.?|versus|oder|ou|o|或者?|または|또는|혹은)(?:\s|(?<=[^\x00-\x7f]))[\s*_\"']{0,4}"
    r"(?!(?:so|simply|not|more|less|higher|lower|later|earlier|with|without|also known|[ivx]{1,4}|\d)\b)\w",
    re.IGNORECASE,
)
_OR_BEFORE = re.compile(
    r"\w[\s*_\"']{1,6}(?:or|and/or|vs\.?|versus|oder|ou|o)\s(?:(?:an?|the|eine?[mnrs]?|une?)\s)?[*_\"']{0,4}$|"
    r"\w\s?(?:或者?|または|또는|혹은)\s?$",
    re.IGNORECASE,
)
"""Before a name that is the second of two."""
_NOT_YET = re.compile(
    r"(?<!\w)(?:unclear|uncertain|unknown|undetermined|undecided|inconclusive|deferred|pending|tentative|"
    r"cannot be|can't be|not possible|impossible|insufficient|depends?|more information|difficult to|hard to|"
    r"challenging|straightforward|none|n/a|no diagnosis|not enough|needed|required|should be|"
    r"to be (?:made|determined|confirmed)|based on|made by|made when|important|complex|one of|"
    r"indéterminée?|unklar|incierto|desconocid\w{1,2}|incertain\w?|unbestimmt|不确定|不明|无法|불명|불확실|미정)(?!\w)",
    re.IGNORECASE,
)
"""Said of a diagnosis that is not given."""
_NO_NAME = re.compile(
    r"(?<!\w)(?:i|we|you|he|she|they|please|sorry|think|name of|nothing else|skip|this (?:is|case)|"
    r"i'm|i am|cannot|can't|unable|as an ai|ich kann|je ne|no puedo|lo siento|提供)(?!\w)|"
    r"\[[^\]]{0,40}\]$|できません|없습니다|无法|不能",
    re.IGNORECASE,
)
"""A name has none of these: it is a sentence, a refusal, or a form that was not filled in."""
_STOP = re.compile(
    r"[.;(\n|]|,\s|\s-\s|\s(?:with|because|since|given|due to|based on|as (?:evidenced|shown|the)|which|that|"
    r"in (?:the|a|this)|characteri[sz]ed|rather|mit|weil|avec|con|porque|but|however)\s",
    re.IGNORECASE,
)
_NONE = re.compile(r"none|nothing|keine?|ninguno?a?|aucune?|nessuna?|无|なし|없음", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*•·]|\d{1,2}[.)])\s")
_SIGNS = re.compile(r"[^\w\n(\[{]{1,8}")
_AFTER_BARE = re.compile(
    r"[\s*_\"')\]]{0,6}(?:$|[.,;(]|-{1,2}\s|\s-|(?:due to|secondary to|caused by|with)\s)"
)
_CAUSE = re.compile(r"[\s*_\"'),]{0,6}(?:most likely\s|probably\s)?(?:due to|secondary to|caused by)\s")
_SENTENCE_WORDS = re.compile(
    r"(?<!\w)(?:is|are|was|were|has|have|had|can|could|may|might|will|would|should|do|does|did|not|yes|no|ok|"
    r"okay|sure|hello|thanks?|answer|reasoning|diagnosis|option)(?!\w)|[?:={}]",
    re.IGNORECASE,
)
_MOST_ALONE = 5
"""Words of a whole reply that is a name of no list."""
_MOST_BEFORE = 4
"""Words before the name of the list in such a reply."""
_EACH = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MOST_SIGNS = 8
"""The same, signs of a script in which each is a word."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A name of the list in a text."""

    start: int
    end: int
    labels: tuple[str, ...]
    """What it may stand for, in the order of the list."""


@dataclass(frozen=True)
class LabelOf:
    """A name of a list, or one outside it."""

    labels: Mapping[str, tuple[str, ...]]
    """Other names of each label; of labels that share a name the first is meant."""

    @cached_property
    def _index(self) -> NameIndex:
        index = NameIndex()
        for label, words in self.labels.items():
            index.add(label, (label, *words))
        return index

    @cached_property
    def _absence(self) -> str | None:
        """The label that says there is none, such as "No disorder"."""
        found = [label for label in self.labels if Words(label).folded[:1] == ["no"]]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _order(self) -> dict[str, int]:
        return {label: place for place, label in enumerate(self.labels)}

    def named(self, text: str) -> list[_Named]:
        """Return the names of the list in a text, in order; of names inside each other the longest."""
        words = Words(text)
        found = widest(self._index.find(words))
        spans = words.spans([(one.start, one.end) for one in found])
        if len(words.text) != len(text):  # accents apart from their letters
            spans = [(0, len(text))] * len(found)
        order = self._order.__getitem__
        return [
            _Named(start, end, tuple(sorted(one.labels, key=order)))
            for one, (start, end) in zip(found, spans, strict=True)
        ]

    def before(self, piece: Piece) -> Found:
        """Read the name that a text ends with: what is before "is the most likely diagnosis"."""
        plain = Piece(piece.text[-_LOOKED_AT:], piece.start + max(0, len(piece.text) - _LOOKED_AT))
        end = len(plain.text.rstrip(" *_\"')"))
        named = [one for one in self.named(plain.text) if end - 1 <= one.end <= len(plain.text)]
        clause = _HALVES.split(plain.text[: named[-1].start])[-1] if named else ""
        if not named or _TAKEN_BACK.search(clause) or _OR_BEFORE.search(clause):
            return NOTHING
        place = (plain.start + named[-1].start, plain.start + named[-1].end)
        return Found(ReadOutcome.OK, named[-1].labels[0], place)

    def whole(self, piece: Piece, *, reach: int = 1) -> Found:
        """Read a line that is a name of the list, with at most a reason behind it; an item is none."""
        if _ITEM.match(piece.text):
            return NOTHING
        signs = _SIGNS.match(piece.text)
        if signs is not None:
            piece = Piece(piece.text[signs.end() :], piece.start + signs.end())
        found = self._stated(piece, reach=reach)
        if found.outcome is not ReadOutcome.OK or found.where is None:
            return NOTHING  # two names that nothing states are no answer
        rest = piece.text[found.where[1] - piece.start :]
        others = [one for one in self.named(rest) if found.value not in one.labels]
        set_aside = _TAKEN_BACK.search(rest) is not None or _CAUSE.match(rest) is not None
        if _AFTER_BARE.match(rest) is None or (others and not set_aside):
            return NOTHING
        before = _LEAD.sub("", piece.text[: found.where[0] - piece.start], count=1)
        if before.strip() and (rest.lstrip().startswith(";") or _SENTENCE_WORDS.search(before) is not None):
            return NOTHING
        return found

    def alone(self, piece: Piece) -> Found:
        """Read a reply of one line: a name of the list, or so few words that they can only be a name."""
        found = self.whole(piece, reach=_MOST_BEFORE)
        plain = piece.trimmed(ENDING)
        if found.outcome is not ReadOutcome.UNREADABLE or self.mentions(plain.text):
            return found
        few = len(plain.text.split()) <= _MOST_ALONE and 2 < len(plain.text) <= (
            80 if plain.text.isascii() else 30
        )
        if _EACH.search(plain.text) is not None:
            few = len(plain.text) <= _MOST_SIGNS
        if not few or not plain.text[:1].isalpha() or _SENTENCE_WORDS.search(piece.text):
            return NOTHING
        return self._other(plain)

    def stated(self, piece: Piece) -> Found:
        """Read the name that follows a mark: of the list, or any other that is short and sure."""
        found = self._stated(piece, reach=_REACH)
        if found.outcome is not ReadOutcome.UNREADABLE or found.where is not None:
            return found if found.outcome is not ReadOutcome.UNREADABLE else NOTHING
        return self._other(piece)

    def _stated(self, piece: Piece, *, reach: int) -> Found:
        """Read a name of the list; where one is there and not meant, the outcome has its place."""
        clause = _first_clause(piece, led=False)
        if self._absence is not None and _NONE.fullmatch(clause.text.strip(ENDING)) is not None:
            plain = clause.trimmed(ENDING)
            return Found(ReadOutcome.OK, self._absence, (plain.start, plain.end))
        named = self.named(clause.text)
        if not named or named[0].start > 0:
            clause = _first_clause(piece)
            named = self.named(clause.text)
        if not named:
            return NOTHING
        first, rest = named[0], named[1:]
        before = clause.text[: first.start]
        if _TAKEN_BACK.search(before) is not None:
            if not rest or _TURNED.fullmatch(clause.text[first.end : rest[0].start]) is None:
                return Found(ReadOutcome.UNREADABLE, None, (clause.start, clause.end))
            first, rest = rest[0], rest[1:]
        elif len(before.split()) >= reach and (reach < _REACH or _CALLED.search(before) is None):
            return Found(ReadOutcome.UNREADABLE, None, (clause.start, clause.end))
        return self._judged(clause, first, rest)

    def _judged(self, clause: Piece, first: _Named, rest: Sequence[_Named]) -> Found:
        """Return a name with what is said behind it: another beside it, or that it is not meant."""
        text, labels = clause.text, list(first.labels)
        place = (clause.start + first.start, clause.start + first.end)
        if _OR_BEFORE.search(text[: first.start]) is not None:
            return Found(ReadOutcome.SEVERAL)
        if _DENIED_AFTER.match(text[first.end :]) is not None:
            return Found(ReadOutcome.UNREADABLE, None, place)
        for one in rest:
            same = [label for label in labels if label in one.labels]
            if same:
                labels = same  # "SAD (social anxiety disorder)"
            elif _JOINS.fullmatch(text[first.end : one.start]) is not None:
                return Found(ReadOutcome.SEVERAL)
            break
        near = rest[0].start if rest else len(text)
        if _OR.match(text[first.end : min(near, first.end + 80)]) is not None:
            return Found(ReadOutcome.SEVERAL)
        return Found(ReadOutcome.OK, labels[0], place)

    def _other(self, piece: Piece) -> Found:
        """Return a name outside the list: short, no sentence, and not left open."""
        inner = _first_clause(piece)
        stop = _STOP.search(inner.text, 1)
        head = Piece(inner.text if stop is None else inner.text[: stop.start()], inner.start).trimmed(ENDING)
        if not any(sign.isalpha() for sign in head.text) or len(head.text) < 2 or is_title(head.text):
            return NOTHING
        unsure = (_NOT_YET, _NO_NAME, _TAKEN_BACK)
        if len(head.text.split()) > MOST_WORDS or any(one.search(head.text) for one in unsure):
            return NOTHING
        if inner.text[len(head.text) :].lstrip(ENDING).startswith("?") or piece.text.rstrip(
            " *_\"'"
        ).endswith("?"):
            return NOTHING
        if _OR.search(inner.text[: 2 * len(head.text)]) is not None:
            return Found(ReadOutcome.SEVERAL)
        return Found(ReadOutcome.OK, head.text, (head.start, head.end), other=True)

    def mentions(self, text: str) -> bool:
        """Whether a text names a label."""
        return bool(self._index.find(text))

    def structured(self, held: object) -> Value | None:
        """Read a name from a value of JSON."""
        if not isinstance(held, str):
            return None
        found = self.stated(Piece(held, 0))
        return found.value if found.outcome is ReadOutcome.OK else None


def _first_clause(piece: Piece, *, led: bool = True) -> Piece:
    """Return the clause that a name would be in, without what leads to it."""
    inner = Piece(piece.text[:_LOOKED_AT], piece.start).trimmed(DECORATION)
    lead = _LEAD.match(inner.text) if led else None
    if lead is not None and inner.text[lead.end() :].strip(ENDING):
        inner = Piece(inner.text[lead.end() :], inner.start + lead.end()).trimmed(DECORATION)
    end = _CLAUSE.search(inner.text)
    return inner if end is None else Piece(inner.text[: end.end()], inner.start)

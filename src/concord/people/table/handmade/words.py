"""What the words above a column of a hand-made table mean: whose numbers, of which group, what they are."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from concord.files.text import normal_form

HUMAN = "human"
AGENT = "agent"
VOCABULARY = json.loads(
    resources.files("concord").joinpath("people", "table", "handmade", "vocabulary.json").read_bytes()
)


def word_set(name: str) -> frozenset[str]:
    """Return a list of the vocabulary: its lines hold words parted by blanks."""
    return frozenset(" ".join(VOCABULARY[name]).split())


_HUMAN_WORDS, _AGENT_WORDS = word_set("human"), word_set("agent")
_OWNERS = _HUMAN_WORDS | _AGENT_WORDS
_OF_EITHER = word_set("of_either")
"""Words for people that simulations of people are called by, too: "simulated participants"."""
_PARTICLES = word_set("particles")
"""Syllables that only join words."""
_FIRST, _SECOND = word_set("first"), word_set("second")
_LABELS = _FIRST | _SECOND | frozenset("abc")
"""Words that name a group by themselves."""
_LAST_ONLY = word_set("last_only")
"""Short forms of the standard deviation that are prepositions too: only at the end of a title."""
_SIDE_FILLERS = word_set("side_fillers")
"""Words beside those of a side that say nothing more: "Human sample", "original study"."""
_GROUP_WORDS = word_set("group_words")
"""Words that say that what is beside them names a group of participants."""
_REAL = word_set("real")
"""Words before those of people that say only that no model is meant: "real participants"."""
PUBLICATION = word_set("publication")
"""Words that name a study as well as the people in it: "Original study"."""
_LINKS = word_set("links")
"""Words between a side and the rest: "prediction of the model"."""
_ABOUT = word_set("about")
"""Words of an agent that questions are about, too: "trust in AI"."""
_FILLERS = word_set("fillers")
_ONE_PERSON = word_set("one_person")
"""Titles that number people and hold no result of theirs."""
_MODEL_NAMES = re.compile(VOCABULARY["model_names"])
_VERSION = re.compile(VOCABULARY["model_versions"])
"""Words behind the name of a model family that are part of a model's name: "Claude 3.5 Sonnet"."""
_WORD = r"[^\W_](?:[^\W_]|[.\-])*|%|±"
_NUMBERED = re.compile(
    r"(m|mean|sd|se|sem|n|k|count|mw|mittelwert|moyenne|media|평균|표준편차|平均|標準偏差)([12])"
)
"""A field and the group it is of in one word: "M1", "SD2", "n1"."""
_ASIDE = re.compile(r"\([^()]{1,60}\)")
_ACCENTS = re.compile("[\u0300-\u036f]")
_TRADE_MARKS = re.compile(r"\((?:R|T|C|TM)\)|[®™©]")
"""Letters in brackets that mark a title, as registered or reversed: no statistics."""
_MEANING = {
    alias.strip(): field
    for field, lines in VOCABULARY["fields"].items()
    for alias in " ".join(lines).split(";")
}
"""What a column may hold, by every name for it."""
_UNSPACED = re.compile(
    "|".join(sorted((word for word in {*_OWNERS, *_MEANING} if ord(word[0]) > 0x2E7F), key=len, reverse=True))
)
"""Words of scripts that write no blanks between words, the longest first."""
LONGEST_TITLE = 1_000
"""Characters of a title; of a longer text no more are looked at, and it is no title."""
_MOST_WORDS = max(len(names.split()) for names in _MEANING)
"""Words of the longest name of a field: no more are looked at behind the name of an agent."""
FIELDS = tuple(VOCABULARY["fields"])
IDENTITY = (
    *("study", "sub_study", "finding", "test", "test_type", "alpha", "domain"),
    *("who", "group", "agent_name"),
)
"""Fields of the row, which no side owns."""
GROUPED = ("mean", "mean_se", "sd", "se", "n", "count", "percent")
"""Fields that a side may have once per group."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column holds."""

    field: str
    side: str | None = None
    """``human``, ``agent``, or ``None`` where the words do not say."""
    agent: str = ""
    """The name of the agent, where the words hold one."""
    group: str = ""
    """The words of a group of participants; ``1`` and ``2`` where they are usual ones."""

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers of a side."""
        return self.field not in IDENTITY


def words_of(text: object) -> list[str]:
    """Return the words of a title, folded; units in brackets that are no words of ours stay words."""
    marked = _TRADE_MARKS.sub(" ", str(text)[:LONGEST_TITLE])
    plain = _ACCENTS.sub("", normal_form("NFKD", marked))
    plain = normal_form("NFC", plain).casefold().replace("_", " ")
    plain = re.sub(r"['’]s?\b", " ", _UNSPACED.sub(r" \g<0> ", plain))
    words = [word.strip("-.") for word in re.findall(_WORD, plain) if word not in _PARTICLES]
    # a hyphen joins the parts of a model's name, and parts those of any other word
    parted = (part for word in words for part in ([word] if _MODEL_NAMES.search(word) else word.split("-")))
    return [one for part in parted if part for one in _field_and_group(part)]


def _field_and_group(word: str) -> tuple[str, ...]:
    found = _NUMBERED.fullmatch(word)
    return (word,) if found is None else (found[1], found[2])


def is_human(text: object) -> bool:
    """Whether a cell or a title names people and nothing else, but for words that say they are real."""
    words = [word for word in words_of(text) if word not in _REAL]
    return bool(words) and all(word in _HUMAN_WORDS for word in words)


def is_people(text: object) -> bool:
    """Whether a cell says that people answered; *original* may be a prompt as well."""
    return is_human(text) and not PUBLICATION.intersection(words_of(text))


@dataclass(frozen=True, slots=True)
class Owned:
    """A title that begins or ends with whose column it is."""

    side: str
    agent: str
    """The name of the agent; empty for people, and where a title says only that an agent is meant."""
    rest: str
    """The other words as they are: a question, or what is said of it."""


def owned_title(title: str, people: Collection[str] = (), agents: Collection[str] = ()) -> Owned | None:
    """Part a title into a side, first or last, and the rest; ``None`` where it names no side, or two.

    ``people`` and ``agents`` are further words for the sides. *AI* names none: a question may be about it;
    nor does *participants* alone, which may be how many they were.
    """
    parts = list(re.finditer(_WORD, title[:LONGEST_TITLE]))
    words = [part[0] for part in parts]
    sides = ((_HUMAN_WORDS - PUBLICATION).union(people), (_AGENT_WORDS - _ABOUT).union(agents))
    n = len(parts)
    lead = next((i for i in range(n, 0, -1) if _run_of_side(words[:i], sides)), 0)
    tail = next((i for i in range(n) if _run_of_side(words[i:], sides)), n)
    if ((lead > 0) == (tail < n) and lead < n) or set(words_of(title)) <= _OF_EITHER:
        return None
    begin, end = (0, lead) if lead else (tail, n)
    while 1 < tail < n and words[tail - 1].casefold() in _LINKS:
        tail -= 1
    kept = range(lead, n) if lead else range(tail)
    if any(_run_of_side(words[i : i + 1], sides) for i in kept):
        return None
    model = next((i for i in range(begin, end) if _MODEL_NAMES.search(words[i].casefold())), None)
    name = "" if model is None else title[parts[model].start() : parts[end - 1].end()]
    rest = title[parts[kept[0]].start() : parts[kept[-1]].end()] if kept else ""
    return Owned(_run_of_side(words[begin:end], sides), name, rest)


def _run_of_side(words: Sequence[str], sides: tuple[frozenset[str], frozenset[str]]) -> str:
    """Return the side that words name and nothing else; a model is its family and its version."""
    folded = [words_of(word) for word in words]
    for side, own in zip((HUMAN, AGENT), sides, strict=True):
        known = own | _SIDE_FILLERS | _REAL
        if all(set(one) <= known for one in folded) and any(set(one) & own for one in folded):
            return side
    model = next((i for i, word in enumerate(words) if _MODEL_NAMES.search(word.casefold())), None)
    if model is None or not all(set(one) <= sides[1] for one in folded[:model]):
        return ""
    plain = [word.casefold() for word in words[model:]]
    return AGENT if all(_is_version(plain[i], plain[:i]) for i in range(1, len(plain))) else ""


def names_model(text: object) -> bool:
    """Whether a cell or a title names an agent: a usual word, or the name of a model family."""
    words = words_of(text)
    return bool(words) and any(word in _AGENT_WORDS or _MODEL_NAMES.search(word) for word in words)


def names_whole_side(text: object) -> bool:
    """Whether a title names people or an agent, and none of their groups."""
    words = words_of(text)
    owned = any(word in _OWNERS or _MODEL_NAMES.search(word) for word in words)
    return owned and not any(word in _FIRST | _SECOND for word in words)


def is_plain_agent(text: object) -> bool:
    """Whether a cell or a title says only that an agent is meant, not which."""
    words = words_of(text)
    return bool(words) and all(word in _AGENT_WORDS for word in words)


def meaning_of(levels: list[str]) -> Meaning | None:
    """Return what the titles above a column mean, the highest first; ``None`` where no word is known.

    Words in brackets that are no field, "Humans (chose A)", leave the side before them; of a model they are
    part of its name.
    """
    found = _meaning_of(levels)
    is_cut = found is not None and found.agent.count("(") > found.agent.count(")")
    bare = [_ASIDE.sub(" ", level).strip() for level in levels]
    if (found is not None and not is_cut) or bare == levels or not all(bare):
        return found
    side = _meaning_of(bare)
    if side is None or side.field != "any":
        return found
    return replace(side, agent=levels[-1].strip()) if side.agent else side


def _meaning_of(levels: list[str]) -> Meaning | None:
    alone = meaning_of_words(words_of(levels[0])) if len(levels) == 1 else None
    if alone in IDENTITY:
        return Meaning(alone)  # a paper that nothing is below is a study, not a side
    side, agent, rest = None, "", []
    for level in levels:
        if any(_MODEL_NAMES.search(word) for word in words_of(level)):
            side = AGENT
            agent, kept = _agent_of(level)
            rest.extend(kept)
            continue
        if level != levels[-1] and names_model(level) and not is_plain_agent(level):
            side, agent = AGENT, level.strip()  # "Model A" above columns of its own
            continue
        words = words_of(level)
        owner = _owner(words, side)
        kept = [word for word in words if word not in _OWNERS]
        if owner is not None:
            side = owner
            if level != levels[-1] or set(kept) <= _SIDE_FILLERS:
                kept = [word for word in kept if word not in _SIDE_FILLERS]
        rest.extend(kept)
    if not rest:
        is_id = len(levels) == 1 and set(words_of(levels[0])) <= _ONE_PERSON
        return None if side is None or is_id else Meaning("any", side, agent)
    return _with_group(rest, side, agent)


def _owner(words: list[str], above: str | None) -> str | None:
    """Return whose numbers words say they are; the participants of a simulation are an agent's."""
    owners = [word for word in words if word in _OWNERS]
    agents = [word for word in owners if word in _AGENT_WORDS]
    people = [word for word in owners if word not in agents and word not in _OF_EITHER]
    if agents and people:
        return None
    if agents or (owners and not people and above == AGENT):
        return AGENT
    return HUMAN if owners else None


def meaning_of_words(words: list[str], *, ends_title: bool = True) -> str | None:
    """Return the field that words name as they are."""
    if not ends_title and words and words[-1] in _LAST_ONLY:
        return None
    return _MEANING.get(" ".join(words))


def names_statistic(text: str) -> bool:
    """Whether words are those of a number of a test, such as t or p, or the mean of one of two groups."""
    found = meaning_of([text])
    alone = meaning_of_words(words_of(text))
    grouped = found is not None and found.field in GROUPED and found.group in ("1", "2")
    return grouped or (alone is not None and alone not in IDENTITY)


def _agent_of(level: str) -> tuple[str, list[str]]:
    """Part the name of an agent from the words of a field before or behind it in one title."""
    text = level.strip()
    at = next(found.start() for found in re.finditer(_WORD, text) if _MODEL_NAMES.search(found[0].casefold()))
    before = [word for word in words_of(text[:at]) if word not in _OWNERS | _SIDE_FILLERS]
    if before and meaning_of_words(before) is None:
        at, before = 0, []  # "Fine-tuned GPT-4": all of it is the name
    name, bracket, behind = text[at:].partition(")")
    if not bracket or "(" in name:
        name, behind = text[at:], ""
    words, tail = words_of(name), words_of(behind)
    for cut in range(1, len(words) + 1):
        rest = words[cut:]
        if not rest or _names_group(rest) or _begins_or_ends_with_field(rest):
            while len(rest) > 1 and _is_version(rest[0], words[:cut]):
                cut, rest = cut + 1, rest[1:]
            shown = name if not rest else name[: _length_of_words(name, cut)]
            return shown.strip(" :,-_()[]"), [*before, *rest, *tail]
    return name.strip(" :,-()[]"), [*before, *tail]


def _begins_or_ends_with_field(words: list[str]) -> bool:
    """Whether words behind the name of a model are those of a field, with a group before or behind it."""
    most = range(1, min(len(words), _MOST_WORDS) + 1)
    return any(meaning_of_words(words[-i:]) or meaning_of_words(words[:i], ends_title=False) for i in most)


def _names_group(words: list[str]) -> bool:
    """Whether words behind the name of a model say which participants: "condition A", "B"."""
    return bool(set(words) & _GROUP_WORDS) or set(words) <= set("abc")


def _is_version(word: str, name: list[str]) -> bool:
    """Whether a word behind the name of a model belongs to it; a bare digit only where it has none yet."""
    if _VERSION.fullmatch(word):
        return True
    return word.isdigit() and not any(character.isdigit() for part in name for character in part)


def _length_of_words(text: str, n_words: int) -> int:
    """Return how many characters the first words take."""
    places = [found.end() for found in re.finditer(_WORD, text)]
    return places[n_words - 1] if n_words <= len(places) else len(text)


def _with_group(words: list[str], side: str | None, agent: str) -> Meaning | None:
    """Find the field among the words; what is left names a group of participants."""
    whole = meaning_of_words(words)
    if side is not None and set(words) <= _LABELS:
        return Meaning("any", side, agent, _group_name(words))  # "Exp." below "Humans" is a group
    if whole == "test" and side is not None:
        return Meaning("any", side, agent)  # the test of a side is its printed statistic
    if whole is not None:
        return Meaning(whole, None if whole in IDENTITY else side, agent)
    for cut in range(1, len(words)):
        for field, left in ((meaning_of_words(words[cut:]), words[:cut]),
                            (meaning_of_words(words[:-cut], ends_title=False),
                             words[len(words) - cut :])):  # fmt: skip
            if field is None:
                continue
            if field in IDENTITY:
                if set(left) <= _FILLERS:
                    return Meaning(field)
                continue
            if _is_error_of_effect(field, left):
                return Meaning("se", side, agent)
            if side is None and field not in (*GROUPED, "any") and not _are_usual(left):
                continue  # "Coder's email (R)" holds no r
            return Meaning(field, side, agent, _group_name(left))
    if side is not None and set(words) & _GROUP_WORDS:
        return Meaning("any", side, agent, _group_name(words))  # "People / Control": whatever the cells hold
    return _in_the_middle(words, side, agent)


def _is_error_of_effect(field: str, left: list[str]) -> bool:
    """Whether words name the standard error of an effect, which is neither the effect nor a group's error."""
    of_left = meaning_of_words(left)
    if field in ("se", "sd"):
        return of_left is not None and of_left not in (*GROUPED, *IDENTITY, "any")
    return field not in (*GROUPED, "any", "p", "df") and of_left in ("se", "sd")


def _in_the_middle(words: list[str], side: str | None, agent: str) -> Meaning | None:
    """Find the longest field with words of a group on either side of it."""
    for size in range(len(words) - 2, 0, -1):
        for start in range(1, len(words) - size):
            field = meaning_of_words(words[start : start + size], ends_title=False)
            left = words[:start] + words[start + size :]
            if field in IDENTITY or (
                side is None and field not in (*GROUPED, "any") and not _are_usual(left)
            ):
                continue
            if field is not None:
                return Meaning(field, side, agent, _group_name(left))
    return None


def _are_usual(words: list[str]) -> bool:
    """Whether words beside a statistic that nobody owns say nothing against it being one."""
    return set(words) <= _LABELS | _GROUP_WORDS | _FILLERS | _SIDE_FILLERS or words[0].isdigit()


def _group_name(words: list[str]) -> str:
    for name, usual in (("1", _FIRST), ("2", _SECOND)):
        if any(word in usual for word in words):
            return name
    return " ".join(words)

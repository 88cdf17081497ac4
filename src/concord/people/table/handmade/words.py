"""What the words above a column of a hand-made table mean: whose numbers, of which group, what they are."""

import re
import unicodedata
from dataclasses import dataclass

HUMAN = "human"
AGENT = "agent"
_HUMAN_WORDS = frozenset(
    [
        "human",
        "humans",
        "people",
        "participant",
        "participants",
        "original",
        "published",
        "paper",
        "subjects",
        "menschen",
        "mensch",
    ]
)
_AGENT_WORDS = frozenset(
    [
        "agent",
        "agents",
        "model",
        "models",
        "llm",
        "llms",
        "ai",
        "simulated",
        "simulation",
        "silicon",
        "synthetic",
        "bot",
        "twin",
        "twins",
        "modell",
        "ki",
    ]
)
_OWNERS = _HUMAN_WORDS | _AGENT_WORDS
_MODEL_NAMES = re.compile(
    r"gpt|claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok|phi\d|olmo|smollm"
)
_WORD = r"[^\W_][\w.\-]*|%|±"
_FIRST = frozenset(["1", "one", "first", "treatment", "treated", "experimental", "intervention", "exp"])
_SECOND = frozenset(["2", "two", "second", "control", "comparison", "placebo", "ctrl"])

_FIELDS = {
    "study": "study; paper; article; authors; author; studie; publication; reference; citation; source; "
    "author year; authors year; study year; autor; autoren; autor jahr; quelle",
    "sub_study": "sub study; substudy; experiment; exp",
    "finding": "finding; effect; hypothesis; phenomenon; befund; claim; hypothese; effekt",
    "test": "test; outcome; measure; dv; dependent variable; contrast; item; variable; question; messung",
    "test_type": "test type; type of test; statistical test; analysis; type; kind of test; testart",
    "alpha": "alpha",
    "domain": "domain; area; field; topic; bereich",
    "who": "who; sample; population; respondent; respondents; side; data",
    "group": "condition; group; arm; cell; bedingung; gruppe",
    "agent_name": "agent name; model name; llm name; design; config; configuration",
    "any": "result; results; reported; apa; statistics; reported statistic; test result; reported result",
    "statistic": "statistic; stat; test statistic; value; test value; teststatistik",
    "t": "t; t value; t statistic; t test; student t",
    "F": "f; f value; f statistic; anova f",
    "r": "r; r 95 % ci; r ci; correlation; pearson r; pearson; korrelation",
    "chi2": "χ2; chi2; chi square; chi squared; x2; χ; chisq; chi 2",
    "z": "z; z value; z score",
    "U": "u; mann whitney u",
    "df": "df; dof; degrees of freedom; fg",
    "df1": "df1; df 1; df num; numerator df",
    "df2": "df2; df 2; df den; denominator df",
    "n": "n; sample size; n total; total n; size; cases",
    "n_each": "n per group; n per cell; n per condition; n per arm; n each; n pro gruppe; n1 n2",
    "n1": "n1; n 1",
    "n2": "n2; n 2",
    "mean": "m; mean; average; avg; mittelwert; mw; m sd; mean sd; m sd n; mean sd n; mean ± sd; m ± sd; m n",
    "sd": "sd; std; std dev; standard deviation; s; stdev; standardabweichung",
    "se": "se; sem; standard error; std error",
    "count": "count; counts; k; yes; successes; frequency; freq; number; x n; k n; anzahl",
    "percent": "%; percent; pct; percentage; proportion; share; rate; anteil; prozent",
    "p": "p; p value; sig; significance; pval; p val",
    "d": "d; effect d; d 95 % ci; d ci; cohen d; cohens d; g; hedges g; smd; effect size; effect size d; es",
    "OR": "or; or 95 % ci; or ci; odds ratio; aor",
    "ci": "ci; 95 ci; 95 % ci; confidence interval; 95 % confidence interval; ki 95; 95 % ki",
    "ci_low": "ci low; ci lower; lower; ll; lower ci; ci l; lower limit; low",
    "ci_high": "ci high; ci upper; upper; ul; upper ci; ci u; upper limit; high",
    "p0": "p0; null value; chance level",
    "table": "table; contingency table; 2x2",
    "direction": "direction; sign; dir; effect direction; richtung",
}
_MEANING = {alias.strip(): field for field, names in _FIELDS.items() for alias in names.split(";")}
FIELDS = tuple(_FIELDS)
IDENTITY = (
    "study",
    "sub_study",
    "finding",
    "test",
    "test_type",
    "alpha",
    "domain",
    "who",
    "group",
    "agent_name",
)
"""Fields of the row, which no side owns."""
GROUPED = ("mean", "sd", "se", "n", "count", "percent")
"""Fields that a side may have once per group."""
_SIDE_FILLERS = frozenset(
    [
        "sample",
        "samples",
        "data",
        "study",
        "studies",
        "replication",
        "responses",
        "replies",
        "results",
        "source",
    ]
)
"""Words beside those of a side that say nothing more: "Human sample", "original study"."""
_FILLERS = frozenset(["name", "id", "no", "nr", "number", "label", "title", "of", "the", "in"])
NOT_USED = "-"
"""What a mapping writes for a column that holds nothing of use."""


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
    """Return the words of a title, folded; units in brackets that are no words of ours stay words.

    Examples
    --------
    >>> words_of("Human: M (SD)"), words_of("χ² (1, N)"), words_of("GPT-4 %")
    (['human', 'm', 'sd'], ['χ2', '1', 'n'], ['gpt-4', '%'])
    """
    plain = unicodedata.normalize("NFKC", str(text)).casefold().replace("²", "2").replace("_", " ")
    plain = re.sub(r"['’]s?\b", " ", plain)
    words = [word.strip("-.") for word in re.findall(_WORD, plain)]
    # a hyphen joins the parts of a model's name, and parts those of any other word
    return [
        part for word in words for part in ([word] if _MODEL_NAMES.search(word) else word.split("-")) if part
    ]


def is_human(text: object) -> bool:
    """Whether a cell or a title names people and nothing else."""
    words = words_of(text)
    return bool(words) and all(word in _HUMAN_WORDS for word in words)


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

    Examples
    --------
    >>> meaning_of(["Humans", "Control", "M (SD)"])
    Meaning(field='mean', side='human', agent='', group='2')
    >>> meaning_of(["GPT-4", "t"])
    Meaning(field='t', side='agent', agent='GPT-4', group='')
    >>> meaning_of(["Remarks"]) is None
    True
    """
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
        owners = [HUMAN if word in _HUMAN_WORDS else AGENT for word in words if word in _OWNERS]
        kept = [word for word in words if word not in _OWNERS]
        if owners:
            side = owners[-1]
            if level != levels[-1]:
                kept = [word for word in kept if word not in _SIDE_FILLERS]
        rest.extend(kept)
    if not rest:
        return None if side is None else Meaning("any", side, agent)
    return _with_group(rest, side, agent)


def meaning_of_words(words: list[str]) -> str | None:
    """Return the field that words name as they are."""
    return _MEANING.get(" ".join(words))


def _agent_of(level: str) -> tuple[str, list[str]]:
    """Part the name of an agent from the words of a field that follow it in one title."""
    behind = _agent_behind(level)
    if behind is not None:
        return behind
    words = words_of(level)
    for cut in range(1, len(words) + 1):
        tail = words[cut:]
        if not tail or meaning_of_words(tail) or any(meaning_of_words(tail[i:]) for i in range(len(tail))):
            head = words[:cut]
            if all(word in _AGENT_WORDS for word in head):
                return "", tail
            shown = (
                level.strip()
                if not tail
                else level.strip()[: _length_of_words(level.strip(), cut)].strip(" :,-(")
            )
            return shown, tail
    return level.strip(), []


def _agent_behind(level: str) -> tuple[str, list[str]] | None:
    """Part a field from the name of an agent behind it: "t (GPT-4)"."""
    for found in re.finditer(_WORD, level):
        if _MODEL_NAMES.search(found[0].casefold()):
            before = words_of(level[: found.start()])
            if not before or meaning_of_words(before) is None:
                return None
            return level[found.start() :].strip(" :,-()[]"), before
    return None


def _length_of_words(text: str, n_words: int) -> int:
    """Return how many characters the first words take."""
    places = [found.end() for found in re.finditer(_WORD, text)]
    return places[n_words - 1] if n_words <= len(places) else len(text)


def _with_group(words: list[str], side: str | None, agent: str) -> Meaning | None:
    """Find the field among the words; what is left names a group of participants."""
    whole = meaning_of_words(words)
    if whole == "test" and side is not None:
        return Meaning("any", side, agent)  # the test of a side is its printed statistic
    if whole is not None:
        return Meaning(whole, None if whole in IDENTITY else side, agent)
    for cut in range(1, len(words)):
        for field, left in ((meaning_of_words(words[cut:]), words[:cut]),
                            (meaning_of_words(words[:-cut]), words[len(words) - cut :])):  # fmt: skip
            if field is None:
                continue
            if field in IDENTITY:
                if set(left) <= _FILLERS:
                    return Meaning(field)
                continue
            return Meaning(field, side, agent, _group_name(left))
    if side is not None and set(words) <= _FIRST | _SECOND:
        return Meaning("any", side, agent, _group_name(words))  # "People / Control": whatever the cells hold
    return _in_the_middle(words, side, agent)


def _in_the_middle(words: list[str], side: str | None, agent: str) -> Meaning | None:
    """Find the longest field with words of a group on either side of it."""
    for size in range(len(words) - 2, 0, -1):
        for start in range(1, len(words) - size):
            field = meaning_of_words(words[start : start + size])
            if field is not None and field not in IDENTITY:
                return Meaning(field, side, agent, _group_name(words[:start] + words[start + size :]))
    return None


def _group_name(words: list[str]) -> str:
    for name, usual in (("1", _FIRST), ("2", _SECOND)):
        if any(word in usual for word in words):
            return name
    return " ".join(words)

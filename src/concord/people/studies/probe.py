"""The recognition probe: after the materials, in a conversation of its own, what study this is."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from concord.people.memory import Recognition
from concord.people.studies.format import Study, Test
from concord.people.studies.plan import StudyPlan
from concord.people.studies.sessions import Session
from concord.people.studies.wording import compile_experiment
from concord.reading import (
    Reading,
    StoredReading,
    named_parts,
    read_reply,
    split_thinking,
    stored_reading,
    trial_name,
)
from concord.reading.forms import fields_of
from concord.reading.several import affirmed
from concord.records import AnswerForm, Design, Message, Template, Trial

SUITE, MODE = "memory", "probe"
MOST_TESTS = 12
"""Effects whose direction is asked for."""
TEMPLATE = (
    "Below are materials of a study as its participants saw them. Do not take part; say what you know "
    "of it.\n\n"
    "---\n{materials}\n---\n\n"
    "Do you recognise a published study behind these materials? Answer in exactly these lines, and write "
    "'unknown' where you do not know.\n"
    "Authors: surnames of the authors\n"
    "Year: year of publication\n"
    "Finding: what it found, in one sentence\n"
    "{effects}"
)
_FIELDS = {
    "author": ("authors", "author", "author(s)", "autoren", "autor", "autores", "auteurs", "autori"),
    "year": ("year", "jahr", "año", "année", "anno"),
    "finding": ("finding", "findings", "befund", "ergebnis"),
}
"""What begins the lines that are asked for; models translate them."""
_SIGNS = {"+": ("plus", "positive", "higher"), "-": ("minus", "negative", "lower")}
_NOBODY = re.compile(
    r"\W*(?:unknown|unbekannt|none|n/?a|not known|i (?:do not|don't) know)?\W*", re.IGNORECASE
)


ASKED = 3
"""How often each study is asked about: one reply is chance."""


def probe_design(plans: Sequence[StudyPlan]) -> Design:
    """Lay out the probes of each study: its materials, then what is asked about them, several times."""
    template = Template("memory/probe.v1", TEMPLATE, "")
    trials = []
    for plan in plans:
        if plan.sessions:
            asked, forms = (Message("user", probe_text(plan)),), _forms(len(directed_tests(plan.study)))
            trials += [
                Trial(SUITE, plan.study.study, MODE, asked, repeat, template.name, forms=forms)
                for repeat in range(ASKED)
            ]
    return Design(SUITE, tuple(trials), (template,))


def _forms(n_effects: int) -> tuple[AnswerForm, ...]:
    """Return the lines that a probe asks for."""
    signs = tuple((name, name) for name in (*_SIGNS, "unknown"))
    effects = (AnswerForm("choice", signs, mark=f"Effect {i}") for i in range(1, n_effects + 1))
    return (*(AnswerForm("text", mark=name) for name in ("Authors", "Year", "Finding")), *effects)


def probe_text(plan: StudyPlan) -> str:
    """Return the prompt of one study."""
    tests = directed_tests(plan.study)
    effects = "".join(
        f"Effect {i}: for '{test.name}', '+' if the first named is higher or more frequent, '-' if lower\n"
        for i, test in enumerate(tests, 1)
    )
    return TEMPLATE.format(materials=_materials(plan), effects=effects)


def _materials(plan: StudyPlan) -> str:
    """Return what the first participant of every experiment reads first."""
    shown: list[str] = []
    for name, spec in plan.study.experiments.items():
        first = next((one for one in plan.sessions if one.experiment == name), None)
        if first is None:
            continue
        compiled = compile_experiment(spec, plan.study.population_of(name))
        waiting = Session(first, compiled, replace(plan.design, answer_line=False)).waiting()
        if waiting:
            shown.append(waiting[0].messages[-1].text)
    return "\n\n".join(shown[:3])


def directed_tests(study: Study) -> list[Test]:
    """Return the tests whose published effect has a sign that a word can name."""
    return [
        test for spec in study.findings.values() for test in spec.tests if direction_of(test) is not None
    ][:MOST_TESTS]


def direction_of(test: Test) -> int | None:
    """Return the sign of the published effect where the numbers say it."""
    human = test.human
    if human.direction in (-1, 1):
        return human.direction
    if human.table is not None and len(human.table) == 2 and all(len(row) == 2 for row in human.table):
        rates = [row[0] / max(sum(row), 1) for row in human.table]
        return None if rates[0] == rates[1] else 1 if rates[0] > rates[1] else -1
    signed = test.test in ("t-independent", "t-welch", "t-paired", "pearson", "spearman")
    if signed and human.statistic is not None and human.statistic != 0:
        return 1 if human.statistic > 0 else -1
    return None


def read_recognition(study: Study, reply: str | None) -> Recognition:
    """Read one reply: authors, year and directions against what is published."""
    # A study is recognised where a surname of its authors is named and not denied: in the line of authors, or
    # anywhere where that line is not there or names nobody.
    _, said = split_thinking(reply or "")
    fields = _fields(said or "")
    authors = fields.get("author", "")
    whole, named = _NOBODY.fullmatch(authors) is not None, _named_authors(study, reply, authors)
    years = fields.get("year") or (said if whole and named.value else "") or ""
    tests = directed_tests(study)
    found = [_direction(fields.get(f"effect {i}")) for i in range(1, len(tests) + 1)]
    right = sum(
        sign == direction_of(test) for sign, test in zip(found, tests, strict=True) if sign is not None
    )
    return Recognition(
        study.study,
        bool(named.value) if named.ok else None,
        re.search(rf"(?<!\d){study.source.year}(?!\d)", years) is not None,
        len(tests),
        right,
        sum(sign is None for sign in found),
        authors[:200],
        fields.get("finding", "")[:400],
        str(named.outcome),
    )


def _named_authors(study: Study, reply: str | None, authors: str) -> Reading:
    """Read which of a study's authors a reply names: in the line of authors, or anywhere without one."""
    surnames = re.findall(r"([^\W\d_]{3,})(?:-[^\W\d_]+)?,", study.source.authors)
    if _NOBODY.fullmatch(authors) is not None:
        return affirmed(reply, surnames)
    found, begin = affirmed(authors, surnames), (reply or "").find(authors)
    if found.where is None or begin < 0:
        return replace(found, where=None)
    return replace(found, where=(found.where[0] + begin, found.where[1] + begin))


def recognition_readings(
    studies: Iterable[Study], replies: Mapping[str, str | Sequence[str]]
) -> Iterator[StoredReading]:
    """Return what was read in every reply about a study: which of its authors it names."""
    for study in studies:
        said = replies.get(study.study, ())
        for i, reply in enumerate([said] if isinstance(said, str) else said):
            named = _named_authors(study, reply, _fields(split_thinking(reply)[1] or "").get("author", ""))
            words = (", ".join(map(str, named.value)) or "nobody") if isinstance(named.value, tuple) else ""
            trial = trial_name(study.study, MODE, i)
            yield stored_reading(trial, reply, named, question="authors", words=words)


def _fields(said: str) -> dict[str, str]:
    """Return what a reply says under each heading, or each key of an object."""
    keys = [key for names in _FIELDS.values() for key in names]
    given = fields_of(said)
    if given is None:
        found = named_parts(said, [*keys, *(f"effect {i}" for i in range(1, MOST_TESTS + 1))])
    else:
        found = {str(key): value if isinstance(value, str) else str(value) for key, value in given.items()}
    names = {key: name for name, keys in _FIELDS.items() for key in keys}
    plain = {key.casefold().replace("_", " "): text.strip(" *_\n") for key, text in found.items()}
    return {names.get(key, key): text for key, text in plain.items()}


def _direction(text: str | None) -> int | None:
    """Read the sign of an effect."""
    found = read_reply(text, choices=_SIGNS).value
    return {"+": 1, "-": -1}.get(str(found))


def recognitions(
    studies: Iterable[Study], replies: Mapping[str, str | Sequence[str]]
) -> tuple[Recognition, ...]:
    """Read the replies by study, one or several; a study without any is left out.

    A study is recognised where more than half of the replies that answer name an author. The rest is that of
    the first reply that says so.
    """
    found = []
    for study in studies:
        said = replies.get(study.study, ())
        read = [read_recognition(study, one) for one in ([said] if isinstance(said, str) else said)]
        named = [one.recognised for one in read if one.recognised is not None]
        if read:
            most = None if not named else 2 * sum(named) > len(named)
            first = next(one for one in read if one.recognised == most or most is None)
            found.append(replace(first, n_named=sum(named), n_answers=len(named)))
    return tuple(found)

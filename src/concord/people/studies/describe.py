"""Studies told: what participants read, what it takes to ask them, where human numbers come from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from concord.engine import SERIAL
from concord.number_words import interval_words, number
from concord.people.protocol import STANDARD
from concord.people.results.same_tests import SameTests, compute
from concord.people.studies.agents import AgentDesign, get_design
from concord.people.studies.catalog import cells_of
from concord.people.studies.format import (
    Allocation,
    Choice,
    Experiment,
    FreeText,
    Item,
    Likert,
    Number,
    Ranking,
    Study,
    StudyFile,
    Test,
)
from concord.people.studies.plan import StudyPlan, plan_study
from concord.people.studies.sessions import Question, Session, hold, sessions_of
from concord.people.studies.tests import published_rows
from concord.people.studies.wording import LETTERS
from concord.records import Estimate, Interval, TestRow

LEVEL = 0.95
"""Of the intervals of published effects."""
FEW = 4
"""Participants in each cell that suffice for every order of the bundled studies."""
CHARACTERS_A_TOKEN = 4
"""The usual rule of thumb for English; tokenisers differ by a fifth."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a plan takes."""

    questions: int
    input_tokens: int
    output_tokens: int


def expected_tokens(plan: StudyPlan) -> Expected:
    """Count the questions and estimate the tokens of a plan, from short answers in the middle."""
    counted = [0, 0, 0]

    def agent(question: Question) -> str:
        reply = middle_reply(question)
        counted[0] += 1
        counted[1] += sum(len(message.text) for message in question.messages)
        counted[2] += len(reply)
        return reply

    for session in sessions_of(plan):
        hold(session, agent)
    sent, received = (round(n / CHARACTERS_A_TOKEN) for n in counted[1:])
    return Expected(counted[0], sent, max(received, counted[0]))


def middle_reply(question: Question) -> str:
    """Answer every item in the middle: the shortest reply that can be read."""
    said = [_middle(item) for _, item in question.items]
    return said[0] if len(said) == 1 else "\n".join(f"{i}. {text}" for i, text in enumerate(said, start=1))


def _middle(item: Item) -> str:
    match item:
        case Choice():
            return "A"
        case Ranking():
            return ", ".join(LETTERS[: len(item.options)])
        case Allocation():
            first, *rest = item.to
            return f"{first}: {item.total:g}, " + ", ".join(f"{name}: 0" for name in rest)
        case FreeText():
            return "No idea."
        case Likert():
            return str((item.min + item.max) // 2)
        case Number():
            low = 0.0 if item.min is None else item.min
            high = item.max if isinstance(item.max, float) else low + 2
            return f"{(low + high) // 2:g}"


def prompts(file: StudyFile, *, design: str | AgentDesign = "participant", seed: int = 0) -> str:
    """Write what the first participant of each cell reads, with answers in the middle of each scale."""
    chosen = design if isinstance(design, AgentDesign) else get_design(design)
    shown: set[tuple[str, ...]] = set()
    parts: list[str] = []
    for session in sessions_of(plan_study(file, n=24, seed=seed, design=chosen)):
        cell = (session.plan.experiment, *session.plan.cell.values())
        if cell not in shown:
            shown.add(cell)
            parts.append("\n".join([f"=== {', '.join(cell)}", *_dialogue(session)]))
    return "\n\n".join(sorted(parts))


def _dialogue(session: Session) -> list[str]:
    """Write one session, one member a round; what was sent before is not repeated."""
    lines: list[str] = []
    while not session.done:
        for place, question in enumerate(session.waiting()):
            reply = middle_reply(question)
            if place == 0:
                said = question.messages if not lines or question.member.role else question.messages[-1:]
                lines += [f"[{message.role}] {message.text}" for message in said]
                lines.append(f"[reply] {reply}")
            session.answer(question.id, reply)
    return lines


def summary(file: StudyFile) -> dict[str, Any]:
    """Return what a list of studies shows of one; tokens are those of the paper's number of participants."""
    study = file.study
    tests = [test for finding in study.findings.values() for test in finding.tests]
    said = file.study.about.participants
    planned, takes = _planned_people(file), expected_of(file)
    return {
        "study": study.study,
        "title": study.title,
        "domain": study.domain,
        "source": f"{study.source.authors} ({study.source.year})",
        "experiments": len(study.experiments),
        "cells": sum(len(cells_of(experiment)) for experiment in study.experiments.values()),
        "findings": len(study.findings),
        "tests": len(tests),
        "kinds": sorted({test.test for test in tests}),
        "placebo": study.placebo,
        "turns": max(
            len(experiment.steps) * _rounds_of(experiment) for experiment in study.experiments.values()
        ),
        "participants_in_paper": planned if said is None else said,
        "tokens": takes.input_tokens + takes.output_tokens,
        "file": file.file.name,
    }


def expected_of(file: StudyFile) -> Expected:
    """Estimate what as many participants as in the paper take, from a few in each cell."""
    few = plan_study(file, n=FEW)
    takes, people = expected_tokens(few), sum(len(session.members) for session in few.sessions)
    times = _planned_people(file) / people
    return Expected(
        *(round(one * times) for one in (takes.questions, takes.input_tokens, takes.output_tokens))
    )


def _rounds_of(experiment: Experiment) -> int:
    return 1 if experiment.group is None else experiment.group.rounds


def _planned_people(file: StudyFile) -> int:
    """Count the participants that a plan of the paper's size has, without laying it out."""
    total = 0
    for experiment in file.study.experiments.values():
        found, group = experiment.participants, experiment.group
        given, size = (found.n, 1) if group is None else (found.sessions, len(group.members))
        total += size * (sum(given.values()) if isinstance(given, dict) else given or 0)
    return total


def published_effects(file: StudyFile) -> dict[str, dict[str, Estimate]]:
    """Return people's effect of each test as d with its interval, and the original's where there is one.

    Tests are called by their names; where two have one name, finding and experiment come before it.
    """
    found: dict[str, dict[str, Estimate]] = {}
    for side, original in (("people", False), ("original", True)):
        for test, row in published_rows(file.study, original=original):
            own = replace(row, agent=row.human, agent_outcome=row.human_outcome)
            found.setdefault(_named_test(file.study, row.finding, test), {})[side] = _human_d(own)
    return found


def _named_test(study: Study, finding: str, test: Test) -> str:
    alike = sum(one.name == test.name for spec in study.findings.values() for one in spec.tests)
    return test.name if alike == 1 else f"{finding} / {test.experiment} / {test.name}"


def _human_d(row: TestRow) -> Estimate:
    """Return d of the human side with its 95 % interval; undefined where the test has no d."""
    same = SameTests.of((row,), STANDARD, level=LEVEL, n_resamples=0, n_simulations=0, seed=0, engine=SERIAL)
    work = compute(same, same.agent(same.layout.rows), None)
    d, se = float(work.scores.human_d[0]), float(work.errors[0][0])
    if np.isnan(d):
        return Estimate(None, note="no d of this kind of test")
    if not np.isfinite(se):
        return Estimate(d, note="no standard error of this kind of test")
    reach = float(special.ndtri(0.5 + LEVEL / 2)) * se
    return Estimate(d, Interval(d - reach, d + reach, LEVEL, "normal"))


def human_sides(file: StudyFile) -> list[dict[str, Any]]:
    """Return the human side of every test of a study: its numbers, where they are, how they are known.

    Examples
    --------
    >>> from concord import studies
    >>> framing, = studies.find_studies(["framing"])
    >>> studies.human_sides(framing)[0]["located"]
    {'at': 'p. 453, Problems 1, 2', 'known': 'seen', 'by': None, 'words': None}
    """
    return [
        {
            "finding": finding,
            "test": test.name,
            "kind": test.test,
            "human": {key.removeprefix("human_"): value for key, value in test.human.columns().items()},
            "located": None if test.human.located is None else test.human.located.model_dump(),
            "source": test.human.source,
        }
        for finding, spec in file.study.findings.items()
        for test in spec.tests
    ]


def describe(file: StudyFile) -> str:
    """Write what the human side of a study rests on: each test, its numbers, page or table."""
    study, source = file.study, file.study.source
    doi = "" if source.doi is None else f" doi: {source.doi}"
    lines = [f"{study.study}: {study.title}"]
    lines.append(f"{source.authors} ({source.year}). {source.title}. {source.published}.{doi}")
    effects = published_effects(file)
    for finding, spec in study.findings.items():
        lines += ["", f"{finding}  {spec.says}"]
        for test in spec.tests:
            numbers = ", ".join(
                f"{key.removeprefix('human_')} {value}" for key, value in test.human.columns().items()
            )
            place = "no page or table given" if test.human.located is None else str(test.human.located)
            lines += [f"  {test.name} [{test.test}]", f"    people: {numbers}"]
            own = effects.get(_named_test(study, finding, test), {})
            lines += [f"    {words}" for words in _published_words(own)]
            lines += [f"    where:  {place}", f"    source: {test.human.source}"]
    return "\n".join([*lines, *(f"\n{told}" for told in study.about.traced)])


def _published_words(effects: Mapping[str, Estimate]) -> Iterator[str]:
    """Say the effect of people, and of the original study where people replicated one."""
    named = {"people": "effect", "original": "original"} if "original" not in effects else {
        "people": "replication", "original": "original"}  # fmt: skip
    for side, found in effects.items():
        if found.value is not None:
            ends = "" if found.interval is None else f" ({interval_words(found.interval, sign=True)})"
            yield f"{named[side]}: d = {number(found.value, 2, sign=True)}{ends}"

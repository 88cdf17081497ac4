"""Studies told: what participants read, what a study holds, where its human numbers come from."""

from typing import Any

from concord.people.studies.agents import AgentDesign, get_design
from concord.people.studies.cells import cells_of
from concord.people.studies.plan import plan_study
from concord.people.studies.sessions import Session, sessions_of
from concord.people.studies.study_file import StudyFile
from concord.people.studies.tokens import middle_reply


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
    """Return what a list of studies shows of one."""
    study = file.study
    tests = [test for finding in study.findings.values() for test in finding.tests]
    return {
        "study": study.study,
        "title": study.title,
        "domain": study.domain,
        "source": f"{study.source.authors} ({study.source.year})",
        "experiments": len(study.experiments),
        "cells": sum(len(cells_of(experiment)) for experiment in study.experiments.values()),
        "findings": len(study.findings),
        "tests": len(tests),
        "participants_in_paper": _participants(file),
        "file": file.file.name,
    }


def _participants(file: StudyFile) -> int:
    """Count the people of the paper: as the card says, else as planned."""
    said = file.study.about.participants
    return sum(len(session.members) for session in plan_study(file).sessions) if said is None else said


def human_sides(file: StudyFile) -> list[dict[str, Any]]:
    """Return the human side of every test of a study: its numbers, where they are, how they are known.

    Examples
    --------
    >>> from concord import studies
    >>> framing, = studies.find_studies(["framing"])
    >>> studies.human_sides(framing)[0]["located"]
    {'at': 'p. 453, Problems 1, 2', 'known': 'seen', 'by': None}
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
    for finding, spec in study.findings.items():
        lines += ["", f"{finding}  {spec.says}"]
        for test in spec.tests:
            numbers = ", ".join(
                f"{key.removeprefix('human_')} {value}" for key, value in test.human.columns().items()
            )
            place = "no page or table given" if test.human.located is None else str(test.human.located)
            lines += [f"  {test.name} [{test.test}]", f"    people: {numbers}"]
            lines += [f"    where:  {place}", f"    source: {test.human.source}"]
    return "\n".join([*lines, *(f"\n{told}" for told in study.about.traced)])

"""Studies from Python: find, plan, run with an agent of your own, score recorded replies."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from concord.api import PeopleResult, score_people
from concord.errors import OptionError
from concord.files.output import write_csv, write_json, write_lines
from concord.people.studies.agents import DESIGNS, AgentDesign, get_design
from concord.people.studies.behind import behind_test
from concord.people.studies.finding_checks import row_keys
from concord.people.studies.format import json_schema
from concord.people.studies.load import StudyFile, bundled_names, find_studies, installed_studies, read_study
from concord.people.studies.observe import ItemCount, Observations, observe
from concord.people.studies.plan import StudyPlan, cells_of, plan_study
from concord.people.studies.session_replies import SessionReplies, read_session_replies
from concord.people.studies.sessions import Agent, Question, Session, hold, replaying, sessions_of
from concord.people.studies.tests import table_of_tests
from concord.people.studies.tokens import middling
from concord.records import Side, TestRow, TestTable

__all__ = [
    "DESIGNS",
    "Agent",
    "AgentDesign",
    "Question",
    "Session",
    "StudiesResult",
    "StudyFile",
    "StudyPlan",
    "bundled_names",
    "describe",
    "find_studies",
    "get_design",
    "hold",
    "human_sides",
    "installed_studies",
    "json_schema",
    "plan",
    "prompts",
    "read_study",
    "run",
    "score_replies",
    "sessions_of",
    "summary",
]


@dataclass(frozen=True, slots=True)
class StudiesResult:
    """Studies scored from replies: the numbers, the tests behind them, what became of every answer."""

    result: PeopleResult
    table: TestTable
    observed: tuple[Observations, ...]

    @property
    def answers(self) -> tuple[ItemCount, ...]:
        """Outcomes by study, experiment, item and condition."""
        return tuple(count for one in self.observed for count in one.item_counts())

    def to_dict(self) -> dict[str, Any]:
        """Return the summary of the scores, with the plans and the answers counted."""
        return {
            **self.result.to_dict(),
            "plans": [_plan_record(one.plan) for one in self.observed],
            "answers": {one.plan.study.study: one.outcomes() for one in self.observed},
            "sessions_ended_early": {
                one.plan.study.study: sum(one.ended_early.values())
                for one in self.observed
                if sum(one.ended_early.values())
            },
            "tests_without_agent_side": list(self.table.warnings),
        }

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write the files of the scores, what they were computed from, and the plans.

        `answers.csv` counts outcomes, `answers.jsonl` holds every reply with what was read from it,
        `tests.json` is a table of tests, `plans.json` the plans and which answers each test reads.
        """
        folder = Path(out)
        files = self.result.write(folder)
        rows = [
            (c.study, c.experiment, c.item, c.condition, outcome, n)
            for c in self.answers
            for outcome, n in c.outcomes.items()
        ]
        columns = ("study", "experiment", "item", "condition", "outcome", "n")
        write_csv(folder / "answers.csv", columns, rows)
        tests = json.dumps([_test_record(row) for row in self.table.rows], ensure_ascii=False, indent=1)
        (folder / "tests.json").write_text(tests + "\n", "utf-8")
        write_lines(folder / "answers.jsonl", _answer_records(self.observed))
        plans = [_plan_record(one.plan) for one in self.observed]
        write_json(folder / "plans.json", {"plans": plans, "tests": list(_behind_records(self.observed))})
        names = ("answers.csv", "answers.jsonl", "tests.json", "plans.json")
        return (*files, *(folder / name for name in names))


def _answer_records(observed: Iterable[Observations]) -> Iterator[dict[str, Any]]:
    """Return every reply with where it was asked and what was read from it."""
    for one in observed:
        for given in one.given:
            session, member, step = given.id.rsplit("/", 2)
            study, experiment, _ = session.split("/", 2)
            yield {
                "id": given.id,
                "study": study,
                "experiment": experiment,
                "condition": ", ".join(given.condition.values()),
                "participant": f"{session.split('/', 2)[2]}/{member}",
                "step": step,
                "items": [
                    {"item": name, "outcome": str(answer.outcome), "values": dict(answer.values)}
                    for name, answer in given.answers
                ],
                "response": given.reply,
            }


def _behind_records(observed: Iterable[Observations]) -> Iterator[dict[str, Any]]:
    """Say of every test which answers and conditions it was computed from."""
    for one in observed:
        study = one.plan.study
        for finding, spec in study.findings.items():
            for test in spec.tests:
                keys = row_keys(study, finding, test)
                named = {key: keys[key] for key in ("study", "sub_study", "finding", "test")}
                yield {**named, "experiment": test.experiment, **asdict(behind_test(study, test))}


def _plan_record(plan: StudyPlan) -> dict[str, Any]:
    return {
        "study": plan.study.study,
        "file": asdict(plan.file.file),
        "design": {"name": plan.design.name, "text": plan.design.text, "sha256": plan.design.sha256},
        "seed": plan.seed,
        "n_per_cell": plan.n,
        "sessions": len(plan.sessions),
        "participants": sum(len(session.members) for session in plan.sessions),
    }


def _test_record(row: TestRow) -> dict[str, Any]:
    """Return a row of a table of tests as a file holds it."""
    record: dict[str, Any] = {
        name: getattr(row, name)
        for name in ("study", "sub_study", "finding", "test", "test_type", "domain", "alpha", "sampling")
    }
    for who, side in (("human", row.human), ("agent", row.agent)):
        record |= {} if side is None else _side_record(who, side)
    return record


def _side_record(who: str, side: Side) -> dict[str, Any]:
    names = ("statistic", "df1", "df2", "n1", "n2", "k", "n", "p0", "p_value", "direction", "table")
    values = {f"{who}_{name}": getattr(side, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def plan(
    studies: Iterable[str] = (),
    *,
    n: int | None = None,
    seed: int = 0,
    design: str | AgentDesign = "participant",
    folder: str | Path | None = None,
) -> tuple[StudyPlan, ...]:
    """Plan studies: every participant, condition and order.

    Parameters
    ----------
    studies
        Names or paths of study files; all of the folder, or all bundled ones, when not given.
    n
        Participants in each cell; as in the paper when not given.
    seed
        Seed of assignment, orders and profiles: same seed, same plan.
    design
        How the model is told who it is: ``bare``, ``participant``, ``demographic``, ``story``, the path of
        a template of your own, or an `AgentDesign`.
    folder
        A folder with studies of your own.

    Examples
    --------
    >>> from concord import studies
    >>> framing, = studies.plan(["framing"], n=10, seed=1)
    >>> len(framing.sessions)
    100
    """
    chosen = design if isinstance(design, AgentDesign) else get_design(design)
    found = find_studies(studies, folder=None if folder is None else Path(folder))
    return tuple(plan_study(file, n=n, seed=seed, design=chosen) for file in found)


def run(
    plans: Sequence[StudyPlan],
    agent: Agent,
    **choices: Any,
) -> StudiesResult:
    """Run planned studies with an agent of your own and score them.

    Parameters
    ----------
    plans
        From `plan`.
    agent
        A function from a `Question` to the text of a reply (``None``: no reply).
    choices
        Options of `concord.score_people`: protocol, level, seed and the rest.

    Examples
    --------
    >>> from concord import studies
    >>> done = studies.run(studies.plan(["framing"], n=30), lambda question: "A", n_resamples=0)
    >>> round(done.result.apr.value, 2), sum(count.n for count in done.answers)
    (0.0, 330)
    """
    observed = tuple(observe(one, agent) for one in plans)
    table = table_of_tests(observed)
    return StudiesResult(score_people(table, **choices), table, observed)


def score_replies(
    replies: str | Path | Mapping[str, str], plans: Sequence[StudyPlan], **choices: Any
) -> StudiesResult:
    """Score recorded replies to planned studies.

    Parameters
    ----------
    replies
        A file of replies (JSON Lines with ``id`` and ``response``), or replies by question id.
    plans
        The plans the questions came from: same studies, n and seed.
    choices
        As in `run`.

    Raises
    ------
    OptionError
        The file holds no reply to any question of these plans, or replies from other conditions.
    """
    if isinstance(replies, Mapping):
        recorded: Mapping[str, str | None] = replies
    else:
        read = read_session_replies(Path(replies))
        _check_recorded(read, plans)
        recorded = read.replies
    known = {key: text for key, text in recorded.items() if text is not None}
    return run(plans, replaying(known), **choices)


def _check_recorded(read: SessionReplies, plans: Sequence[StudyPlan]) -> None:
    """Refuse replies that belong to another plan: their conditions would be mixed up in silence."""
    cells = {session.id: ", ".join(session.cell.values()) for one in plans for session in one.sessions}
    strangers = [key for key in read.replies if _session_of(key) not in cells]
    if strangers:
        raise OptionError(
            f"{read.file.name}: {len(strangers)} replies are to no question of this plan, the first to "
            f"{strangers[0]!r}; give the studies, n and seed the questions were asked with"
        )
    for key, condition in read.conditions.items():
        if condition != cells[_session_of(key)]:
            raise OptionError(
                f"{read.file.name}: {key!r} was asked in condition {condition!r}, and in this plan it is "
                f"{cells[_session_of(key)]!r}; give the n and seed the questions were asked with"
            )


def _session_of(question_id: str) -> str:
    return question_id.rsplit("/", 2)[0]


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
            reply = middling(question)
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
        "participants_in_paper": sum(len(s.members) for s in plan_study(file).sessions),
        "file": file.file.name,
    }


def human_sides(file: StudyFile) -> list[dict[str, Any]]:
    """Return the human side of every test of a study: its numbers, where they stand, how they are known.

    Examples
    --------
    >>> from concord import studies
    >>> framing, = studies.find_studies(["framing"])
    >>> studies.human_sides(framing)[0]["located"]
    {'at': 'p. 453, Problems 1 and 2', 'known': 'quoted', 'by': 'public readings of the paper'}
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

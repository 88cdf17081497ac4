"""Studies planned, run with an agent of your own, and scored; recorded replies read and scored."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from concord.errors import FileFormatError, OptionError, StudyError, StudyProblem, UndefinedError
from concord.files.contents import read_bytes
from concord.files.limits import ANSWERS
from concord.files.raw_replies import raw_reply
from concord.files.rows import JoinedRows
from concord.numeric import gated
from concord.people.answers.records import AnswerSet, AnswerSets, Moments, OutcomeKey
from concord.people.answers.result import AnswersResult
from concord.people.answers.score import score_answer_table
from concord.people.files import PeopleResult
from concord.people.memory import MARK, MemoryResult, PlaceboStudy, memory_result, originals
from concord.people.protocol import STANDARD, Protocol
from concord.people.results.one import score_chosen, score_table
from concord.people.studies.agents import AgentDesign, get_design
from concord.people.studies.before import (
    describe_observed,
    described_tests,
    read_people,
)
from concord.people.studies.expressions import parse_expression
from concord.people.studies.format import HumanMoments, Study, Test
from concord.people.studies.load import find_studies
from concord.people.studies.observe import (
    Observations,
    all_test_inputs,
    held_study,
    label,
    observe,
    variables_read,
)
from concord.people.studies.plan import StudyPlan, plan_study
from concord.people.studies.probe import recognition_readings, recognitions
from concord.people.studies.results import StudiesResult
from concord.people.studies.sessions import Agent, replaying
from concord.people.studies.tests import (
    answer_counts,
    counted_success,
    group_answers,
    group_choices,
    published_rows,
    table_of_tests,
)
from concord.people.studies.unread import unread_answers, with_unread_bounds
from concord.records import InputFile, Provenance, TestTable
from concord.stats.elementwise import Floats
from concord.stats.unread import MOST_LOST

OTHER = "other answers"


def answers_of(observed: Sequence[Observations], model: str | None) -> AnswerSets | None:
    """Return the answers of agents beside the published ones; None where no study has any."""
    found: dict[OutcomeKey, AnswerSet | Moments] = {}
    warnings = []
    for one in observed:
        study, (lost, asked) = one.plan.study, one.n_unread
        if lost > MOST_LOST * asked:
            counted = f"{lost:,} of {asked:,} answers could not be read"
            warnings.append(f"{study.study}: {counted}; these are distributions of the others")
        for spec in study.findings.values():
            for test in spec.tests:
                try:
                    for made in _of_test(one, test):
                        found.setdefault(made.key, made)
                except UndefinedError as fault:
                    warnings.append(f"{study.study}, {test.name}: no answers: {fault}")
    if not found:
        return None
    inputs = tuple(one.plan.file.file for one in observed)
    return AnswerSets({model or "agent": tuple(found.values())}, (), inputs, tuple(warnings))


def _of_test(observed: Observations, test: Test) -> Iterator[AnswerSet | Moments]:
    if test.human.distribution is not None:
        yield from _given_answers(observed, test)
    if test.test == "chi-square" and test.human.table is not None:
        yield from _counted_answers(observed, test)
    if test.test == "binomial" and test.trials is None:
        yield from _successes(observed, test)


def _named_key(observed: Observations, test: Test, outcome: str, level: str) -> OutcomeKey:
    where = "" if test.where is None else f"{test.where}, "
    return OutcomeKey(
        observed.plan.study.study,
        f"{test.experiment}: {outcome}",
        "" if level == "all" else (where + level).removesuffix(", "),
    )


def _counted_answers(observed: Observations, test: Test) -> Iterator[AnswerSet]:
    """Return each row of a published table with the row that the replies give."""
    names, counts = answer_counts(observed, test)
    human = test.human.table
    assert human is not None  # noqa: S101 - looked at before
    for level, people, agents in zip(names, human, counts, strict=False):
        if len(people) != len(agents) or not sum(agents):
            continue
        outcome = str(test.outcome) if test.outcome is not None else level
        numbered = tuple(f"answer {i}" for i in range(1, len(people) + 1))
        options = numbered if test.success is None else (test.success, OTHER)
        key = _named_key(observed, test, outcome, level if test.outcome is not None else "all")
        name = level if test.outcome is None else ""
        yield _choices(key, people, agents, options, _unread_in(observed, test, level, name))


def _successes(observed: Observations, test: Test) -> Iterator[AnswerSet]:
    """Return the one share of a binomial test."""
    k, n = test.human.k, test.human.n
    hits, asked = counted_success(observed, test)
    if k is None or n is None or not asked:
        return
    key = _named_key(observed, test, str(test.outcome), "" if test.where is not None else "all")
    named = test.success if test.success is not None else "yes"
    lost = _unread_in(observed, test, "all")
    yield _choices(key, (k, n - k), (hits, asked - hits), (named, OTHER), lost)


def _choices(
    key: OutcomeKey, people: Sequence[int], agents: Sequence[int], options: tuple[str, ...], lost: int = 0
) -> AnswerSet:
    codes = np.arange(len(options), dtype=np.float64)
    h, a = np.repeat(codes, _countable(people)), np.repeat(codes, agents)
    return AnswerSet(key, *_stacked_answers(h, a), options=options, n_unread=lost)


def _unread_in(observed: Observations, test: Test, level: str, measure: str = "") -> int:
    """Return how many participants of a group, or of a measure, gave no answer that could be read."""
    experiment = observed.plan.study.experiments[test.experiment]
    sources = {measure} if measure else variables_read(experiment, test)
    where = None if test.where is None else parse_expression(test.where)
    by = None if test.groups is None or measure else test.groups.by
    rows = zip(observed.participants[test.experiment], observed.unread[test.experiment], strict=True)
    return sum(
        bool(lost & sources)
        and (by is None or level == "all" or label(row.get(by)) == level)
        and (where is None or bool(where(row)))
        for row, lost in rows
    )


def _stacked_answers(human: Floats, agent: Floats) -> tuple[Floats, Floats]:
    """Return both sides in rows of their own: nobody is on both."""
    return (
        np.concatenate([human, np.full(agent.size, np.nan)]),
        np.concatenate([np.full(human.size, np.nan), agent]),
    )


def _given_answers(observed: Observations, test: Test) -> Iterator[AnswerSet | Moments]:
    """Return the groups whose distribution is printed."""
    assert test.human.distribution is not None  # noqa: S101 - looked at before
    choices, ends = group_choices(observed, test), test.human.scale
    answers = group_answers(observed, test) if choices is None else {}
    for level, people in test.human.distribution.items():
        key = _given_key(observed, test, level)
        if choices is not None and not isinstance(people, HumanMoments):
            options, replies = choices
            given = [people.get(option, 0) for option in options]
            told = [replies.get(level, []).count(option) for option in options]
            if sum(told):
                yield _choices(key, given, told, options, _unread_in(observed, test, level))
            continue
        numbers = answers.get(level, np.empty(0))
        if numbers.size < 2:
            continue
        if isinstance(people, HumanMoments):
            spread = float(numbers.std(ddof=1))
            yield Moments(key, people.mean, people.sd, people.n, float(numbers.mean()), spread, numbers.size)
        else:
            sides = _stacked_answers(_numbers_counted(people), numbers)
            lost = _unread_in(observed, test, level, level if test.measures is not None else "")
            yield AnswerSet(key, *sides, scale=None if ends is None else (ends[0], ends[1]), n_unread=lost)


def _given_key(observed: Observations, test: Test, level: str) -> OutcomeKey:
    """Return the name of one group: that of its measure, or of its level among the participants asked."""
    if test.measures is not None:
        return _named_key(observed, test, level, "all" if test.where is None else "")
    return _named_key(
        observed, test, str(test.outcome), "" if level == "all" and test.where is not None else level
    )


def _numbers_counted(people: Mapping[str, int]) -> Floats:
    values = np.array([float(value) for value in people])
    return np.repeat(values, _countable(list(people.values())))


def _countable(people: Sequence[int]) -> list[int]:
    """Return published counts that can be laid out as answers: a typing error must not fill the memory."""
    if any(count < 0 for count in people):
        raise UndefinedError("a published count of answers is negative")
    if sum(people) > ANSWERS:
        raise UndefinedError(f"{sum(people):,} published answers, more than the {ANSWERS:,} that are scored")
    return list(people)


@dataclass(frozen=True, slots=True)
class SessionReplies:
    """Replies by question id."""

    replies: dict[str, str | None]
    """``None`` where asking failed."""
    conditions: dict[str, str]
    """The condition a question was asked in, where the file gives it (key ``mode``)."""
    file: InputFile


def read_session_replies(path: Path) -> SessionReplies:
    """Read a file of replies: JSON Lines, or one JSON list."""
    # Every row has ``id`` and ``response``; ``status`` other than ``ok`` marks a call that failed; ``mode``
    # names the condition and is checked against the plan. Other keys are left alone. A torn last line of a
    # journal is cut.
    raw = read_bytes(path)
    found = SessionReplies({}, {}, InputFile(path.name, hashlib.sha256(raw).hexdigest(), len(raw)))
    problems: list[StudyProblem] = []
    for line, row in _numbered_rows(path.name, raw):
        fault_text = _take(found, row)
        if fault_text is not None:
            problems.append(StudyProblem(path.name, line, "", fault_text))
    if problems:
        raise StudyError(problems)
    if not found.replies:
        raise FileFormatError(f"{path.name}: holds no reply")
    return found


def _numbered_rows(name: str, raw: bytes) -> Iterator[tuple[int, Any]]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise FileFormatError(f"{name}: not UTF-8 (byte {fault.start})") from fault
    if text.lstrip().startswith("["):
        try:
            yield from enumerate(json.loads(text), start=1)
        except (ValueError, RecursionError) as fault:
            raise FileFormatError(f"{name}: not JSON") from fault
        return
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as fault:
            if number == len(lines):
                return  # a torn last line: the run was killed while writing it
            raise StudyError([StudyProblem(name, number, "", "not a line of JSON")]) from fault


def _take(found: SessionReplies, row: Any) -> str | None:
    """Keep a row, or say why it cannot be used."""
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        return "expected an object with the keys 'id' and 'response'"
    key, said = row["id"], raw_reply(row)
    if said is None and row.get("response") is not None:
        return f"the response of {key!r} is {row['response']!r}, expected text"
    if key in found.replies:
        if not row.get("asked_again"):
            return f"a second reply to {key!r}"
        if row.get("counts") is False:
            return None  # the reply before was read better
    failed = said is None or said.error is not None or row.get("status", "ok") != "ok"
    found.replies[key] = None if failed or said is None else said.text
    if isinstance(row.get("mode"), str):
        found.conditions[key] = row["mode"]
    return None


@gated()
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
    110
    """
    chosen = design if isinstance(design, AgentDesign) else get_design(design)
    found = find_studies(studies, folder=None if folder is None else Path(folder))
    return tuple(plan_study(file, n=n, seed=seed, design=chosen) for file in found)


def run(
    plans: Sequence[StudyPlan],
    agent: Agent,
    *,
    model: str | None = None,
    made: Provenance | None = None,
    said: Mapping[str, str | Sequence[str]] | None = None,
    people: str | Path | None = None,
    **choices: Any,
) -> Any:
    """Run planned studies with an agent of your own and score them.

    Parameters
    ----------
    plans
        From `plan`.
    agent
        A function from a `Question` to the text of a reply (``None``: no reply).
    model
        Name of the model that took the place of the participants.
    made
        How its replies were made, where a run says so.
    said
        What it said about each study when it was asked whether it knows it, once or several times.
    people
        People's answers (CSV, XLSX, ...; a row per person, a column per factor and item) to a study that has
        no published numbers; without them such a study is described.
    choices
        Options of `concord.score_people`: protocol, level, seed and the rest.

    Examples
    --------
    >>> from concord import studies
    >>> done = studies.run(studies.plan(["framing"], n=30), lambda question: "A", n_resamples=0)
    >>> round(done.result.apr.value, 2), sum(count.n for count in done.answers)
    (0.0, 360)
    """
    observed = tuple(observe(one, agent) for one in plans)
    given = () if people is None else tuple(read_people(people, one) for one in plans)
    tests = [test for one in plans for spec in one.study.findings.values() for test in spec.tests]
    if not given and all(test.before_people for test in tests if test.check is None):
        return describe_observed(observed, model)
    table = replace(table_of_tests(observed, [one for one, _ in given]), model=model, made=made)
    table = replace(table, inputs=(*table.inputs, *dict.fromkeys(file for _, file in given)))
    table = replace(table, warnings=(*_check_words(observed), *table.warnings))
    headline = originals(table)
    kept = {row.study for row in headline.rows}
    own = [one for one in observed if one.plan.study.study in kept]
    scores = replace(score_chosen(headline, **choices), unread=unread_answers(own))
    if scores.unread:
        scores = with_unread_bounds(scores, headline, own)
    distributions = _distributions(observed, model, choices)
    recognised = recognition_readings((one.plan.study for one in observed), {} if said is None else said)
    return StudiesResult(
        scores,
        table,
        tuple(map(held_study, observed)),
        tuple(count for one in observed for count in one.item_counts()),
        JoinedRows([one.replies for one in observed]).as_tuple(),
        tuple(all_test_inputs(observed)),
        distributions,
        _memory(scores, table, observed, said),
        JoinedRows([*(one.readings for one in observed), tuple(recognised)]).as_tuple(),
    )


def _check_words(observed: Sequence[Observations]) -> list[str]:
    """Say which manipulation checks failed, and that other tests of their experiments are in doubt."""
    return [
        f"{one.study}, {one.test}: the manipulation check "
        + ("could not be tested" if one.passed is None else "failed")
        + " for the model; its other tests are in doubt"
        for each in observed
        for one in described_tests(each)
        if one.check and one.passed is not True
    ]


def _memory(
    scores: PeopleResult,
    table: TestTable,
    observed: Sequence[Observations],
    said: Mapping[str, str | Sequence[str]] | None,
) -> MemoryResult | None:
    """Say what the model remembers, where it was asked, or variants or placebo studies were run."""
    originals = [one.plan.study for one in observed if MARK not in one.plan.study.study]
    placebo = tuple(placebo_studies([one for one in originals if one.placebo is not None], table))
    if not said and not placebo and len(originals) == len(observed):
        return None
    found = recognitions(originals, {} if said is None else said)
    whole = scores if len(originals) == len(observed) else _plainly(table, scores.protocol)
    return memory_result(
        found, whole.studies, whole.findings, level=scores.level, model=scores.model, placebo=placebo
    )


def _plainly(table: TestTable, protocol: Protocol = STANDARD) -> PeopleResult:
    """Score tests without any simulation."""
    return score_table(table, protocol, n_resamples=0, n_simulations=0, for_referee=False)


def placebo_studies(studies: Sequence[Study], table: TestTable) -> Iterator[PlaceboStudy]:
    """Return how far each placebo study agrees with the original, and how far with people."""
    if not studies:
        return
    agents = {(row.study, row.finding, row.test): row for row in table.rows}
    people = [agents[row.study, row.finding, row.test] for one in studies for _, row in published_rows(one)]
    first = [row for one in studies for _, row in published_rows(one, original=True)]
    originals = [
        replace(agents[row.study, row.finding, row.test], human=row.human, human_outcome=row.human_outcome)
        for row in first
    ]
    found = [
        {one.study: one for one in _plainly(TestTable(tuple(rows))).tests} for rows in (people, originals)
    ]
    for study in studies:
        own, other = (side.get(study.study) for side in found)
        if own is not None and other is not None and study.placebo is not None:
            yield PlaceboStudy(
                study.study, study.placebo, other.human_effect_d, own.human_effect_d, own.agent_effect_d,
                other.pas, own.pas,
            )  # fmt: skip


def _distributions(
    observed: Sequence[Observations], model: str | None, choices: Mapping[str, Any]
) -> AnswersResult | None:
    """Score answers as distributions, where the studies say how people answered."""
    found = answers_of(observed, model)
    if found is None:
        return None
    wanted = {name: choices[name] for name in ("level", "seed", "n_resamples") if name in choices}
    if wanted.get("n_resamples") == 0:
        return None
    return score_answer_table(found, **wanted)


def score_replies(replies: str | Path | Mapping[str, str], plans: Sequence[StudyPlan], **choices: Any) -> Any:
    """Score recorded replies to planned studies.

    Parameters
    ----------
    replies
        A file of replies (JSON Lines with ``id`` and ``response``), or replies by question id.
    plans
        The plans the questions came from: same studies, n and seed.
    choices
        As in `run`.
    """
    if isinstance(replies, Mapping):
        return run(plans, replaying(replies), **choices)
    read = read_session_replies(Path(replies))
    _check_recorded(read, plans)
    return run(plans, replaying(read.replies), **choices)


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

"""Published distributions of a study, with the answers of its agents: what `concord score answers` takes.

People's answers are known where a test gives its table of counts, or `human: distribution:` gives counts or
moments by group. An outcome that several tests read in the same condition is taken once.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from concord.errors import UndefinedError
from concord.files.limits import ANSWERS
from concord.people.answers.records import AnswerSet, AnswerSets, Moments, OutcomeKey
from concord.people.studies.expressions import parse_expression
from concord.people.studies.format import HumanMoments, Test
from concord.people.studies.observe import Observations, label, variables_read
from concord.people.studies.tests import answer_counts, counted_success, group_answers, group_choices
from concord.stats.elementwise import Floats
from concord.unread import MOST_LOST

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

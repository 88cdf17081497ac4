"""Answers of participants that could not be read: by condition, and what they could make of the scores."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from sys import intern
from typing import Any, TypeVar

import numpy as np

from concord.errors import UndefinedError
from concord.number_words import how_many
from concord.people.files import PeopleResult
from concord.people.result import GroupResult, Score
from concord.people.results.one import score_table
from concord.people.studies.catalog import suffixes, variables_of_test
from concord.people.studies.expressions import Value, over_members, parse_expression
from concord.people.studies.format import Allocation, Experiment, Item, Likert, Number, Ranking, Test
from concord.people.studies.observe import Observations, Row, label, variables_read
from concord.people.studies.tests import agent_statistic, published_rows, with_agent
from concord.people.studies.wording import variables_of
from concord.records import TestRow, TestTable, Told, Unread, UnreadBounds
from concord.stats.elementwise import Floats
from concord.stats.unread import MOST_LOST, bounded, count_unread, filling_at_end, told


def unread_answers(observed: Sequence[Observations]) -> Told:
    """Count the answers of every experiment that could not be read, by condition."""
    # Replies that never came are no answers. All answers of a participant are permuted together.
    return told(one for each in observed for one in _by_condition(each))


def _by_condition(observed: Observations) -> Iterator[Unread]:
    trials: dict[str, tuple[list[str], ...]] = defaultdict(lambda: ([], [], []))
    for given in observed.replies:
        level = given.step.partition("@")[2].partition("#")[0]
        condition = intern(", ".join(filter(None, (given.condition, level))) or "all")
        for answer in given.items if given.response is not None else ():
            entry = intern(answer.outcome), condition, intern(given.id.rsplit("/", 1)[0])
            for column, cell in zip(trials[given.experiment], entry, strict=True):
                column.append(cell)
    study = observed.plan.study.study
    for experiment, (outcomes, conditions, participants) in trials.items():
        what = study if len(observed.plan.study.experiments) == 1 else f"{study}, {experiment}"
        yield count_unread(outcomes, conditions, by="condition", what=what, units=participants)


_TWO_GROUPS = ("t-independent", "t-welch", "mann-whitney", "chi-square", "anova")
_ONE_SAMPLE = ("t-one-sample", "binomial")
_PAIRED = ("t-paired", "sign", "wilcoxon")
_MOST_BETWEEN, _MOST_SEVERAL = 11, 2
"""Answers of a range that are tried, and unread answers of one participant of which all are."""
_MOST_WAYS = 1024
"""Ways to fill in one participant beyond which all answers are taken low, and all high."""
_MOST_TRIED, _MOST_DRAWN = 2000, 6
"""Fillings that are tried of a test whose number is computed anew for each, and random ones to begin with."""
UP, DOWN = 1, -1
"""The ends: first group or variable as high as can be and the second as low, or the reverse."""


@dataclass(frozen=True, slots=True)
class _Aims:
    """What an unread answer is filled in for: which variable is to be high, in which group."""

    by: str | None
    """The factor of the groups."""
    signs: Mapping[str, int]
    """1 or -1 by level of the groups, or by variable."""
    outcome: str | None
    high: str | None
    """The word of a choice that counts as high; None of a number."""

    def of(self, row: Row) -> list[tuple[str, int]]:
        """Return variables with their signs for a participant."""
        if self.outcome is None:
            return list(self.signs.items())
        sign = self.signs.get("" if self.by is None else label(row.get(self.by)), 0)
        return [(self.outcome, sign)] if sign else []

    def height(self, row: Row) -> float:
        """Return how far a participant speaks for the first group or variable."""
        found = 0.0
        for name, sign in self.of(row):
            value = row.get(name)
            if value is not None:
                found += sign * (float(value == self.high) if isinstance(value, str) else value)
        return found


def _aims(observed: Observations, test: Test) -> _Aims | None:
    """Return the aims of a test; None where it has no two ends that could be taken."""
    known = variables_of_test(observed.plan.study, test)
    if test.unit == "session":
        return None
    if test.test in _PAIRED and isinstance(test.first, str) and isinstance(test.second, str):
        words = known[test.first].words
        return _Aims(None, {test.first: 1, test.second: -1}, None, None if words is None else words[0])
    if test.outcome is None or test.covariates or test.outcome not in known:
        return None
    words = known[test.outcome].words
    high = test.success if test.success is not None else None if words is None else words[0]
    if words is not None and len(words) > 2 and test.success is None:
        return None
    if test.test in _ONE_SAMPLE:
        return _Aims(None, {"": 1}, test.outcome, high)
    if test.test not in _TWO_GROUPS or test.groups is None or known[test.groups.by].origin != "factor":
        return None
    levels = test.groups.levels or known[test.groups.by].words or ()
    return (
        _Aims(test.groups.by, dict(zip(levels, (1, -1), strict=True)), test.outcome, high)
        if (len(levels) == 2)
        else None
    )


def _limits(item: Item) -> tuple[float | None, float | None]:
    if isinstance(item, Likert):
        return float(item.min), float(item.max)
    if isinstance(item, Number):
        return item.min, None if isinstance(item.max, str) else item.max
    if isinstance(item, Ranking):
        return 1.0, float(len(item.options))
    return (0.0, item.total) if isinstance(item, Allocation) else (0.0, 1.0)


def _answers_possible(experiment: Experiment, rows: Sequence[Row]) -> dict[str, tuple[Value, ...]]:
    """Return what each variable could have been: words, or the ends of its range."""
    # A range without an end ends at the most extreme answer that was read.
    found: dict[str, tuple[Value, ...]] = {}
    for step in experiment.steps:
        for name in step.ask:
            item = experiment.items[name]
            for variable, words in variables_of(item, name).items():
                for suffix in suffixes(experiment, step.over):
                    full = variable + suffix
                    if words is not None:
                        found[full] = words
                        continue
                    read = [v for row in rows if isinstance(v := row.get(full), float)]
                    ends = [end for end in _limits(item) if end is not None]
                    known = [*ends, *read] if len(ends) < 2 else ends
                    found[full] = (min(known), max(known)) if known else ()
    return found


@dataclass(frozen=True, slots=True)
class _Sums:
    """A test without two ends that every answer has by itself: a number of sums over participants."""

    add: Callable[[Row], Floats]
    """What a participant adds; zeros where the test leaves it out."""
    number: Callable[[Floats], Floats]


def _test_sums(observed: Observations, test: Test) -> _Sums | None:
    """Return the sums of a correlation, of several groups, or of a table; None of other tests."""
    found = None
    if test.unit != "session" and test.test in ("pearson", "spearman"):
        found = (test.first, test.second), _pair_sums, _correlation_of
    elif test.unit != "session" and test.test in ("anova", "chi-square"):
        found = _grouped(observed, test)
    if found is None or not all(isinstance(name, str) for name in found[0]):
        return None
    names, made, number = found
    where = None if test.where is None else parse_expression(test.where)

    def add(row: Row) -> Floats:
        values = [row.get(str(name)) for name in names]
        return made(*values) if where is None or where(row) else 0 * made(*values)

    return _Sums(add, number)


def _grouped(observed: Observations, test: Test) -> Any:
    """Return the names, what a participant adds and the number of groups; None where they are no factor."""
    known = variables_of_test(observed.plan.study, test)
    if test.groups is None or test.covariates or test.outcome not in known:
        return None
    by, words = known[test.groups.by], known[test.outcome].words
    levels = tuple(test.groups.levels or by.words or ())
    if by.origin != "factor" or (words is None) is not (test.test == "anova"):
        return None
    places = {} if words is None else {word: k for k, word in enumerate(words)}
    shape = (len(levels), len(places) or 3)

    def made(level: Value, value: Value) -> Floats:
        found = np.zeros(shape)
        if label(level) in levels and isinstance(value, float) and words is None:
            found[levels.index(label(level))] = (1.0, value, value * value)
        elif label(level) in levels and value in places:
            found[levels.index(label(level)), places[str(value)]] = 1.0
        return found.ravel()

    def number(sums: Floats) -> Floats:
        table = sums.reshape(*sums.shape[:-1], *shape)
        return _spread_of(table) if words is None else _association_of(table)

    return (test.groups.by, test.outcome), made, number


def _pair_sums(x: Value, y: Value) -> Floats:
    if not isinstance(x, float) or not isinstance(y, float):
        return np.zeros(6)
    return np.array([1.0, x, y, x * x, y * y, x * y])


def _correlation_of(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y)))


def _spread_of(groups: Floats) -> Floats:
    """Return the variation between groups over that within them, from n, sum and squares of each."""
    n, y, squares = np.moveaxis(groups, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(n > 0, y * y / np.where(n > 0, n, 1.0), 0.0).sum(axis=-1)
        between = own - y.sum(axis=-1) ** 2 / n.sum(axis=-1)
        return np.asarray(between / (squares.sum(axis=-1) - own))


def _association_of(table: Floats) -> Floats:
    """Return chi-square over n."""
    n = table.sum(axis=(-1, -2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = table.sum(axis=-1, keepdims=True) * table.sum(axis=-2, keepdims=True) / n
        parts = np.where(expected > 0, (table - expected) ** 2 / np.where(expected > 0, expected, 1.0), 0.0)
        return np.asarray(parts.sum(axis=(-1, -2)) / n[..., 0, 0])


def _number_of(observed: Observations, test: Test) -> float:
    """Return the number of a test with the sign of its effect; minus infinity where it is undefined."""
    try:
        found = agent_statistic(observed, test)
    except UndefinedError:
        return -math.inf
    if found.z is not None:
        return found.z
    size = found.values.get("statistic")
    if not isinstance(size, float):
        size = None if found.p_value is None else -math.log(max(found.p_value, 1e-300))
    if size is None or not math.isfinite(size):
        return -math.inf
    if test.test == "variance-ratio":  # a ratio below 1 is as far from none as its inverse
        return math.log(max(size, 1e-12))
    return abs(size) * (1 if found.direction is None else found.direction)


def _with_rows(
    observed: Observations, test: Test, rows: list[Row], known: dict[tuple[int, ...], Row]
) -> Observations:
    """Return what was observed with other answers of participants; a group is computed once per filling."""
    held = replace(observed, participants={**observed.participants, test.experiment: rows})
    groups = observed.sessions.get(test.experiment, [])
    if test.unit != "session" or not groups:
        return held
    each = len(rows) // len(groups)
    formulas = observed.plan.study.experiments[test.experiment].of_session
    made: list[Row] = []
    for i, shared in enumerate(groups):
        members = rows[i * each : (i + 1) * each]
        key = (i, *map(id, members))
        if key not in known:
            whole = dict(shared)
            for name, text in formulas.items():
                whole[name] = over_members(parse_expression(text), members, whole)
            known[key] = whole
        made.append(known[key])
    return replace(held, sessions={**observed.sessions, test.experiment: made})


def _turned(observed: Observations, test: Test, every: Sequence[list[Row]], end: int) -> list[Row]:
    """Return the filling that takes any test to one of its ends, its number computed anew each time."""
    # Few fillings are all tried. Of many, unread answers of one condition are turned together first, then one
    # participant's at a time and again until nothing is gained, from several beginnings.
    known: dict[tuple[int, ...], Row] = {}
    tried: dict[tuple[int, ...], float] = {}
    most = _MOST_TRIED // (3 if test.unit == "session" else 1)

    def value(at: Sequence[int]) -> float:
        key = tuple(at)
        if key not in tried:
            rows = [ways[k] for ways, k in zip(every, at, strict=True)]
            found = _number_of(_with_rows(observed, test, rows, known), test)
            tried[key] = end * found if math.isfinite(found) else -math.inf
        return tried[key]

    if math.prod(len(ways) for ways in every) <= most:
        best = max(product(*(range(len(ways)) for ways in every)), key=value)
        return [ways[k] for ways, k in zip(every, best, strict=True)]
    factors = list(observed.plan.study.experiments[test.experiment].factors)
    blocks: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for i, ways in enumerate(every):
        if len(ways) > 1:
            blocks[(len(ways), *(label(ways[0].get(name)) for name in factors))].append(i)
    alone = [[i] for own in blocks.values() for i in own]
    turns = [(own, k) for own in [*blocks.values(), *alone] for k in _tried_ways(len(every[own[0]]))]
    order, rng = (
        {i: place for own in blocks.values() for place, i in enumerate(own)},
        np.random.default_rng(0),
    )
    starts: list[Callable[[int, int], int]] = [
        lambda i, n: 0, lambda i, n: n - 1, lambda i, n: n // 2, lambda i, n: (n - 1) * (i % 2)
    ]  # fmt: skip
    starts += [lambda i, n: int(rng.integers(n))] * _MOST_DRAWN
    for number, start in enumerate(starts, start=3):  # the first may try more than the others
        chosen = [start(order.get(i, 0), len(ways)) for i, ways in enumerate(every)]
        before, room = -math.inf, most * number // (len(starts) + 2)
        while value(chosen) > before and len(tried) < room:
            before = value(chosen)
            for together, k in turns:
                new = [k if i in together else at for i, at in enumerate(chosen)]
                chosen = new if len(tried) < room and value(new) > value(chosen) else chosen
    found = max(tried, key=lambda at: tried[at])
    return [ways[k] for ways, k in zip(every, found, strict=True)]


def _tried_ways(n: int) -> list[int]:
    """Return the ways of an answer that are tried, the ends first."""
    return [0, n - 1, *range(1, min(n - 1, _MOST_BETWEEN))]


def _between(values: Sequence[Value], most: int = _MOST_BETWEEN) -> tuple[Value, ...]:
    """Return the ends of a range and answers between them; words stay what they are."""
    if len(values) != 2 or not all(isinstance(one, float) for one in values):
        return tuple(values)
    low, high = (float(one) for one in values if isinstance(one, float))
    n = int(high - low) + 1 if float(high - low).is_integer() and high - low <= most else most
    return tuple(float(one) for one in np.linspace(low, high, n))


def _taken_to_end(observed: Observations, test: Test, aims: _Aims | _Sums | None, end: int) -> Observations:
    """Return what participants gave, unread answers taken so that a test is at one of its ends."""
    experiment = observed.plan.study.experiments[test.experiment]
    rows, unread = observed.participants[test.experiment], observed.unread[test.experiment]
    possible = _answers_possible(experiment, rows)
    derived = [(name, parse_expression(text)) for name, text in experiment.derived.items()]
    sources = variables_read(experiment, test)

    def ways_of(row: Row, lost: frozenset[str]) -> list[Row]:
        gone = sorted(lost & sources)
        ways = [possible.get(name) or (None,) for name in gone]
        if not isinstance(aims, _Aims):
            few = len(gone) <= (1 if aims is None else _MOST_SEVERAL)
            middle = aims is None and 3 ** len(gone) <= _MOST_WAYS
            ways = [_between(one) if few else _between(one, 3) if middle else one for one in ways]
        n = math.prod(map(len, ways))
        chosen = product(*ways) if n <= _MOST_WAYS else zip(*((one[0], one[-1]) for one in ways), strict=True)
        made: list[Row] = []
        for values in chosen if gone else ():
            whole: dict[str, Value] = {**row, **dict(zip(gone, values, strict=True))}
            for name, expression in derived:
                whole[name] = expression(whole)
            made.append(whole)
        return made if made else [row]

    every = [ways_of(row, lost) for row, lost in zip(rows, unread, strict=True)]
    if aims is None:
        return _with_rows(observed, test, _turned(observed, test, every, end), {})
    if isinstance(aims, _Sums):
        added = [np.array([aims.add(row) for row in ways]) for ways in every]
        open_ = [i for i, ways in enumerate(every) if len(ways) > 1]
        known = sum(
            (added[i][0] for i, ways in enumerate(every) if len(ways) == 1), np.zeros(added[0].shape[1])
        )
        chosen = filling_at_end(known, [added[i] for i in open_], aims.number, end=end)
        at = dict(zip(open_, chosen, strict=True))
        kept = [ways[at.get(i, 0)] for i, ways in enumerate(every)]
    else:
        kept = [
            max(ways, key=lambda one: end * aims.height(one)) if aims.of(row) else row
            for row, ways in zip(rows, every, strict=True)
        ]
    return replace(observed, participants={**observed.participants, test.experiment: kept})


def _lost_many(observed: Observations, test: Test) -> bool:
    sources = variables_read(observed.plan.study.experiments[test.experiment], test)
    lost = [bool(one & sources) for one in observed.unread.get(test.experiment, ())]
    return sum(lost) > MOST_LOST * len(lost)


def _ends_of(observed: Observations, test: Test, row: TestRow) -> dict[int, TestRow]:
    """Return a test at its two ends, where it lost more than 2 % of the answers that it reads."""
    if not _lost_many(observed, test):
        return {}
    aims: _Aims | _Sums | None = _aims(observed, test)
    aims = _test_sums(observed, test) if aims is None else aims
    found = {end: with_agent(_taken_to_end(observed, test, aims, end), test, row) for end in (UP, DOWN)}
    return {end: made for end, (made, why) in found.items() if why is None}


def with_unread_bounds(
    scores: PeopleResult, table: TestTable, observed: Sequence[Observations]
) -> PeopleResult:
    """Put beside scores what they were with all unread answers one way, and all the other."""
    # Of every test the end that agrees most with people and the one that agrees least are taken together.
    tests = [(one, test, row) for one in observed for test, row in published_rows(one.plan.study)]
    ends = [_ends_of(*one) for one in tests]
    left = sum(not found and _lost_many(one, test) for found, (one, test, _) in zip(ends, tests, strict=True))
    if left:
        said = (
            f"{how_many(left, 'test', 'tests')} lost more than 2 % of the answers and cannot be computed "
            "however the unread ones are taken: bounds take what was read"
        )
        scores = replace(scores, warnings=(*scores.warnings, said))
    if not any(ends):
        return scores

    def scored(rows: Sequence[TestRow]) -> PeopleResult:
        held = replace(table, rows=tuple(rows))
        return score_table(held, scores.protocol, level=scores.level, n_resamples=0, for_referee=False)

    sides = {
        end: [found.get(end, row) for found, row in zip(ends, table.rows, strict=True)] for end in (UP, DOWN)
    }
    at = [(table.rows, scores), *((rows, scored(rows)) for rows in sides.values())]
    chosen = []
    for best in (max, min):
        picked = []
        for i in range(len(table.rows)):
            pas = [(value, k) for k, (_, one) in enumerate(at) if (value := one.tests[i].pas) is not None]
            picked.append(at[best(pas)[1]][0][i] if pas else table.rows[i])
        chosen.append(scored(picked))
    lost = {one.plan.study.study: one.n_unread for one in observed}
    return _bounded_scores(scores, [one for _, one in at] + chosen, lost)


def _bounded_scores(
    scores: PeopleResult, ends: Sequence[PeopleResult], lost: Mapping[str, tuple[int, int]]
) -> PeopleResult:
    """Put bounds beside PAS, ECS and APR of all studies, of domains and of each study."""
    domains, studies = (
        tuple(
            _with_bounds(group, [one[i] for one in others], _answers_of(lost, members(group)))
            for i, group in enumerate(own)
        )
        for own, others, members in (
            (scores.domains, [one.domains for one in ends], lambda group: _members(scores, group.name)),
            (scores.studies, [one.studies for one in ends], lambda group: [group.name]),
        )
    )
    whole = _with_bounds(scores, ends, _answers_of(lost, list(lost)))
    return replace(whole, domains=domains, studies=studies)


def _members(scores: PeopleResult, domain: str) -> list[str]:
    return [study.name for study in scores.studies if study.domain == domain]


def _answers_of(lost: Mapping[str, tuple[int, int]], names: Sequence[str]) -> tuple[int, int]:
    own = [lost[name] for name in names if name in lost]
    return sum(n for n, _ in own), sum(n for _, n in own)


Scored = TypeVar("Scored", PeopleResult, GroupResult)


def _with_bounds(scored: Scored, ends: Sequence[Scored], counted: tuple[int, int]) -> Scored:
    n_unread, asked = counted

    def of(score: Score, others: Sequence[Score]) -> Score:
        values = [one.value for one in others if one.value is not None]
        if not values:
            return score
        bounds = UnreadBounds(min(values), max(values), None, n_unread)
        return replace(score, estimate=bounded(score.estimate, bounds, asked=asked))

    return replace(
        scored,
        pas=of(scored.pas, [one.pas for one in ends]),
        ecs=of(scored.ecs, [one.ecs for one in ends]),
        apr=of(scored.apr, [one.apr for one in ends]),
    )

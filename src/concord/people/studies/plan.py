"""Who is asked what: participants, random assignment, counterbalancing, orders of options.

One seed gives one plan. The plan of an experiment depends on its names, the seed and the sizes, and on
nothing else: other studies, other experiments and the agent design leave it as it is. A larger n extends a
smaller one: every draw has a stream of its own, of which more is read.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from concord.errors import OptionError
from concord.files.gate import check_sessions
from concord.files.rows import JoinedRows, PickedRows
from concord.people.studies.agents import DESIGNS, AgentDesign, Person, Persons, Profile, check_told
from concord.people.studies.catalog import Cell, cells_of
from concord.people.studies.format import Choice, Experiment, Factor, Population, Ranking, Study, StudyFile

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Member:
    """One participant."""

    number: int
    """Counted from 1 within the experiment."""
    role: str
    profile: Profile
    orders: Mapping[str, tuple[str, ...]]
    """Order of the options of shuffled items and of the levels of within factors."""
    person: Person | None = None
    """Whom the participant stands for, where a table of persons takes part."""


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """One session: a participant alone, a pair or a group, and their condition."""

    study: str
    experiment: str
    number: int
    cell: Mapping[str, str]
    members: tuple[Member, ...]

    @property
    def id(self) -> str:
        """What names the session."""
        return f"{self.study}/{self.experiment}/{self.number}"


@dataclass(frozen=True, slots=True, repr=False)
class StudyPlan:
    """Every session of a study."""

    file: StudyFile
    design: AgentDesign
    seed: int
    n: int | None
    """Participants per cell; ``None`` as in the paper."""
    sessions: tuple[SessionPlan, ...]

    def __repr__(self) -> str:
        """Return one line: what is planned; fields hold the sessions."""
        n = sum(len(session.members) for session in self.sessions)
        return (
            f"StudyPlan({self.study.study!r}, design {self.design.name!r}, seed {self.seed}, "
            f"{len(self.sessions)} sessions, {n} participants)"
        )

    @property
    def study(self) -> Study:
        """The study."""
        return self.file.study


def plan_study(
    file: StudyFile,
    *,
    n: int | None = None,
    seed: int = 0,
    design: AgentDesign = DESIGNS["participant"],
    persons: Persons | None = None,
) -> StudyPlan:
    """Plan a study: with participants that are drawn, or with one for every person of a table."""
    if n is not None and n < 1:
        raise OptionError(f"n is {n}, expected a whole number from 1 on")
    if seed < 0:
        raise OptionError(f"seed is {seed}, expected 0 or a positive whole number")
    sessions: list[PickedRows[SessionPlan]] = []
    for name in file.study.experiments:
        if persons is None:
            design.check(file.study.population_of(name), file.name)
        else:
            check_told(design, persons)
        sessions.append(_experiment(file.study, name, n, seed, persons))
    return StudyPlan(file, design, seed, n, JoinedRows(sessions).as_tuple())


def _experiment(
    study: Study, name: str, n: int | None, seed: int, persons: Persons | None
) -> PickedRows[SessionPlan]:
    """Plan the sessions of an experiment; each is made as it is looked at."""
    experiment = study.experiments[name]
    draws = _Draws(seed, study.study, name)
    roles = ("",) if experiment.group is None else experiment.group.members
    factors = [f for f, spec in experiment.factors.items() if spec.vary == "between"]
    cells, taking_part = cells_of(experiment), list[Person]()
    if persons is None:
        sizes = _sizes(experiment, cells, n)
        assigned = _in_blocks(cells, sizes, draws)
    else:
        taking_part = [one for one in persons.persons if one.own.get("experiment", name) == name]
        n_sessions = len(taking_part) // len(roles)
        sizes = [-(-n_sessions // len(cells))] * len(cells)
        own = _own_cells(experiment, factors, taking_part) if len(roles) == 1 else None
        assigned = _in_blocks(cells, sizes, draws)[:n_sessions] if own is None else own
    check_sessions(len(assigned), "--n" if persons is None else "--persons")
    count = len(assigned) * len(roles)
    profiles = _profiles(study.population_of(name), count if persons is None else 0, draws)
    profiles = alike([*profiles, *(one.traits for one in taking_part)])
    orders = alike(_orders(name, experiment, assigned, len(roles), draws))
    levels = {cell: dict(zip(factors, cell, strict=True)) for cell in dict.fromkeys(assigned)}

    def session(i: int) -> SessionPlan:
        members = tuple(
            Member(
                place + 1, role, profiles[place], orders[place], taking_part[place] if taking_part else None
            )
            for place, role in enumerate(roles, start=i * len(roles))
        )
        return SessionPlan(study.study, name, i + 1, levels[assigned[i]], members)

    return PickedRows(range(len(assigned)), session)


def alike(
    rows: Iterable[Mapping[str, T]], known: dict[Any, Mapping[str, T]] | None = None
) -> list[Mapping[str, T]]:
    """Return rows of which those with the same values are one: participants are many, and most are alike."""
    held = {} if known is None else known
    return [held.setdefault(tuple(row.items()), row) for row in rows]


def _in_blocks(cells: Sequence[Cell], sizes: Sequence[int], draws: "_Draws") -> list[Cell]:
    """Assign sessions to cells at random in blocks: each cell once, until it has its size."""
    check_sessions(sum(sizes), "--n")
    order = np.argsort(draws.uniform("assignment", max(sizes, default=0), len(cells)), axis=1).tolist()
    return [cells[i] for block, row in enumerate(order) for i in row if block < sizes[i]]


def _own_cells(
    experiment: Experiment, factors: Sequence[str], persons: Sequence[Person]
) -> list[Cell] | None:
    """Return the conditions that the table gives; None where it does not give that of every person."""
    if not factors or not all(factor in one.own for one in persons for factor in factors):
        return None
    known = {
        factor: {word.casefold(): word for word in experiment.factors[factor].names} for factor in factors
    }
    for one in persons:
        for factor in factors:
            if one.own[factor].casefold() not in known[factor]:
                expected = ", ".join(known[factor].values())
                raise OptionError(
                    f"--persons: {one.name!r} has {factor} {one.own[factor]!r}, expected {expected}"
                )
    return [tuple(known[factor][one.own[factor].casefold()] for factor in factors) for one in persons]


@dataclass(frozen=True, slots=True)
class _Draws:
    """Uniform numbers by purpose: the first rows of a purpose are the same however many are drawn."""

    seed: int
    study: str
    experiment: str

    def uniform(self, purpose: str, rows: int, columns: int = 1) -> NDArray[np.float64]:
        """Return numbers from 0 to 1, one row per unit."""
        names = (self.study, self.experiment, purpose)
        key = [self.seed, *(zlib.crc32(name.encode()) for name in names)]
        return np.random.default_rng(key).random((rows, columns))


def declared_sizes(experiment: Experiment) -> list[int]:
    """Return the participants of each cell that the file declares; of groups their members."""
    members = 1 if experiment.group is None else len(experiment.group.members)
    return [size * members for size in _sizes(experiment, cells_of(experiment), None)]


def _sizes(experiment: Experiment, cells: Sequence[Cell], n: int | None) -> list[int]:
    members = 1 if experiment.group is None else len(experiment.group.members)
    if n is not None:
        return [-(-n // members)] * len(cells)
    participants = experiment.participants
    given = participants.n if participants.sessions is None else participants.sessions
    if isinstance(given, dict):
        return [given[", ".join(cell)] for cell in cells]
    total = 0 if given is None else given
    # the first cells take the remainder: sizes differ by one at most
    return [total // len(cells) + (i < total % len(cells)) for i in range(len(cells))]


def _profiles(population: Population, count: int, draws: _Draws) -> list[Profile]:
    columns: dict[str, list[str | int]] = {}
    if population.age is not None:
        low, span = population.age.min, population.age.max + 1 - population.age.min
        columns["age"] = (low + np.floor(draws.uniform("age", count)[:, 0] * span).astype(int)).tolist()
    for name, shares in population.fields.items():
        values, weights = list(shares), np.cumsum(list(shares.values()))
        places = np.searchsorted(weights / weights[-1], draws.uniform(f"field {name}", count)[:, 0], "right")
        columns[name] = [values[i] for i in places.tolist()]
    return [{name: column[i] for name, column in columns.items()} for i in range(count)]


def _orders(
    name: str, experiment: Experiment, assigned: Sequence[Cell], members: int, draws: _Draws
) -> list[dict[str, tuple[str, ...]]]:
    """Draw the orders of options and of within levels, one mapping a participant."""
    orders: list[dict[str, tuple[str, ...]]] = [{} for _ in range(len(assigned) * members)]
    for item_name, item in experiment.items.items():
        if isinstance(item, Choice | Ranking) and item.shuffle:
            numbers = draws.uniform(f"options {item_name}", len(orders), len(item.options))
            for order, drawn in zip(orders, _permuted(list(item.options), numbers), strict=True):
                order[item_name] = drawn
    for factor_name, factor in experiment.factors.items():
        if factor.vary == "within":
            numbers = draws.uniform(f"levels {factor_name}", len(orders), len(factor.names))
            drawn_orders = _level_orders(f"{name}.{factor_name}", factor, assigned, members, numbers)
            for order, drawn in zip(orders, drawn_orders, strict=True):
                order[factor_name] = drawn
    return orders


def _permuted(names: Sequence[str], numbers: NDArray[np.float64]) -> Iterator[tuple[str, ...]]:
    for row in np.argsort(numbers, axis=1).tolist():
        yield tuple(names[i] for i in row)


def _level_orders(
    name: str, factor: Factor, assigned: Sequence[Cell], members: int, numbers: NDArray[np.float64]
) -> Iterator[tuple[str, ...]]:
    count = len(assigned) * members
    if factor.order in (None, "random"):
        yield from _permuted(factor.names, numbers)
    elif factor.order == "fixed":
        yield from (factor.names for _ in range(count))
    else:
        yield from _latin_orders(name, factor.names, assigned, members)


def _latin_orders(
    name: str, levels: Sequence[str], assigned: Sequence[Cell], members: int
) -> Iterator[tuple[str, ...]]:
    """Deal the rows of a balanced Latin square within each cell, in turn."""
    rows = latin_square(levels)
    dealt: dict[Cell, int] = dict.fromkeys(assigned, 0)
    smallest = min(sum(cell == other for other in assigned) for cell in dealt) * members
    if smallest < len(rows):
        raise OptionError(
            f"{name}: impossible counterbalancing: {len(rows)} orders need at least {len(rows)} participants "
            f"a cell, and one has {smallest}"
        )
    for cell in assigned:
        for _ in range(members):
            yield rows[dealt[cell] % len(rows)]
            dealt[cell] += 1


def latin_square(levels: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a balanced Latin square: every level at every place, before every other equally often."""
    # An odd number of levels needs twice as many orders, the square and its mirror (Williams, 1949).
    k = len(levels)
    zigzag = [0] + [(i + 1) // 2 if i % 2 else k - i // 2 for i in range(1, k)]
    rows = [tuple(levels[(start + step) % k] for step in zigzag) for start in range(k)]
    return rows if k % 2 == 0 else rows + [row[::-1] for row in rows]

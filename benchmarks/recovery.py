"""Scripted people in every bundled study: how often a run of them leads to people's conclusion.

``python benchmarks/recovery.py --seeds 20 --jobs 16``. Participants are drawn at random from people's cells
(`tests/people/studies`); nothing is asked over a network, and of equal answers one is read (``--plain``:
all). In each cell are as many as a power of 90 % at people's effect needs (in studies of at most 150 people
per cell never fewer than in the paper); where that is more than 500, the test's numbers are drawn from
people's instead, and scored from a table.

A test counts as one of these:

- *shown*: people are significant; wanted is the same conclusion in at least 80 % of runs.
- *none*: people are not, and their interval excludes effects of 0.1 and more: a finding of no effect;
  wanted is significance in at most 10 % of runs.
- *open*: people are not significant, but few were asked, so that an effect is not excluded. Their cells
  differ, and agents drawn from them are significant as often as a repetition of the paper would be; the
  rate is shown beside that expectation.
- *blind*: the same participants answer as if in a cell drawn by lot, in tests between conditions; wanted
  is at most 10 %.

``--none 400`` asks only the tests of no effect, in as many runs.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from scipy.special import ndtr, ndtri

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.people.memory.literature import drawn_numbers  # noqa: E402
from tests.people.studies.people_like import SCRIPTS, PeopleLike, Person  # noqa: E402
from tests.people.studies.test_many_labs import FILES, PeopleInCells  # noqa: E402

import concord  # noqa: E402
from concord import studies  # noqa: E402
from concord.people.studies import sessions  # noqa: E402
from concord.people.studies.catalog import row_keys  # noqa: E402
from concord.people.studies.load import find_studies  # noqa: E402
from concord.people.studies.replies import AskedItem, ItemAnswer, read_answers  # noqa: E402

MOST, FEWEST, USUAL, TRIED = 500, 20, 150, 12
"""People in each cell: at most, at least, as usual, and to see which tests there are."""
Z90, Z95 = 1.2816, 1.96
"""z that 90 % of repetitions reach beyond the significant one, and the one that is significant at .05."""
TOLD = {"pluralistic-ignorance": "demographic"}
"""Studies whose participants must know who they are: some tests are of women or men."""
SMALL = 0.1
"""Effects (d) from here on are excluded where people are said to show none."""
BARS = {"shown": 0.8, "none": 0.1, "blind": 0.1}


class RandomPerson(Person):
    """A participant whose places are drawn at random, the same for one seed."""

    seed = 0

    def uniform(self, dimension: int) -> float:
        """Return a number between 0 and 1 by seed, session, person and dimension."""
        return float(self._drawn(dimension).random())

    def _drawn(self, dimension: int) -> np.random.Generator:
        plan = crc32(self.question.session.plan.id.encode())
        return np.random.default_rng([self.seed, plan, self.question.member.number, dimension])


class BlindPerson(RandomPerson):
    """A participant who answers as if in a cell drawn by lot."""

    @property
    def cell(self) -> Mapping[str, str]:
        """Return the levels drawn, one of each factor."""
        factors = self.question.session.compiled.spec.factors
        drawn = {
            name: str(self._drawn(100 + i).choice(list(factor.levels)))
            for i, (name, factor) in enumerate(factors.items())
        }
        return {**self.question.condition, **drawn}


@dataclass(frozen=True)
class Planned:
    """A test: what people show, and how many participants it takes."""

    key: tuple[str, str, str]
    shows: str
    z: float
    own: int
    """People in the largest cell of its experiment in the paper."""
    needed: int
    between: bool
    """Whether it compares conditions."""


@cache
def _read_once(said: str, name: str, kind: str, order: tuple[str, ...]) -> ItemAnswer:
    """Read an answer to one item; scripted people say the same few things again and again."""
    return read_answers(said, [(name, _ITEMS[kind], order)])[0]


_ITEMS: dict[str, Any] = {}


def _remembered(reply: str | None, items: Sequence[AskedItem]) -> list[ItemAnswer]:
    """Read a scripted reply, one line for each item, as the reader does (`--plain` compares)."""
    if reply is None:
        return read_answers(reply, items)
    lines = [reply] if len(items) == 1 else [line.partition(". ")[2] for line in reply.split("\n")]
    found = []
    for said, (name, item, order) in zip(lines, items, strict=True):
        kind = repr(item)
        _ITEMS[kind] = item
        found.append(_read_once(said, name, kind, tuple(order)))
    return found


def tests_of(name: str, seed: int, n: int, *, blind: bool = False) -> list[Any]:
    """Hold one study with scripted people."""
    plans = studies.plan([name], n=n, seed=seed, design=TOLD.get(name, "participant"))
    agent: Any
    if name in FILES:
        agent = PeopleInCells(name, seed, effect=not blind)
    else:
        agent = PeopleLike(SCRIPTS[name], 1)
        agent.person = type("Seeded", (BlindPerson if blind else RandomPerson,), {"seed": seed})
    return list(studies.run(plans, agent, n_resamples=0, n_simulations=0).result.tests)


def _key(test: Any) -> tuple[str, str, str]:
    return (test.sub_study, test.finding, test.test)


@cache
def planned(name: str) -> tuple[Planned, ...]:
    """Return the tests of a study with what people show and how many participants that takes."""
    sizes: dict[str, dict[tuple[str, ...], int]] = defaultdict(lambda: defaultdict(int))
    for plan in studies.plan([name], seed=0):
        for session in plan.sessions:
            sizes[session.experiment][tuple(session.cell.values())] += len(session.members)
    (file,) = find_studies([name])
    specs = {
        (test.experiment, finding, test.name): test
        for finding, spec in file.study.findings.items()
        for test in spec.tests
    }
    found = []
    for one in tests_of(name, 0, TRIED):
        if one.human_p is None:
            continue
        z, own = float(-ndtri(max(one.human_p, 1e-300) / 2)), max(sizes[one.sub_study].values())
        spec = specs[_key(one)]
        if spec.measures is not None and spec.human.table is not None:
            own = max(own, *(sum(row) for row in spec.human.table))  # several answers of each person
        wanted = float(-ndtri(spec.alpha / 2)) + Z90
        needed = max(FEWEST, ceil(own * (wanted / max(z, 1e-3)) ** 2))
        factors = file.study.experiments[spec.experiment].factors
        between = spec.groups is not None and spec.groups.by in factors and spec.unit != "session"
        found.append(Planned(_key(one), _shows(one, z, spec.alpha), z, own, needed, between))
    return tuple(found)


def _shows(test: Any, z: float, alpha: float) -> str:
    """Return what people show, by their p and the interval of their effect."""
    if test.human_p < alpha:
        return "shown"
    d = test.human_effect_d
    se = None if d is None or z == 0 else abs(d) / z
    return "none" if se is not None and abs(d) + Z95 * se < SMALL else "open"


def replay(cell: tuple[str, int]) -> list[tuple[str, tuple[str, str, str], bool, float | None]]:
    """Hold a study once: what is counted, the test, what came of it, and what was to be expected."""
    name, seed = cell
    tests = {one.key: one for one in planned(name)}
    asked = {key: one for key, one in tests.items() if one.shows == "shown" and one.needed <= MOST}
    found: list[tuple[str, tuple[str, str, str], bool, float | None]] = []
    if asked:
        paper = [min(one.own, MOST) for one in asked.values() if one.own <= USUAL]
        for one in tests_of(name, seed, max([one.needed for one in asked.values()] + paper)):
            if _key(one) in asked:
                found.append(("shown", _key(one), _agrees(one), None))
    for one in _from_tables(name, seed, [one for one in tests.values() if one.shows == "shown"]):
        found.append(("shown", _key(one), _agrees(one), None))
    n = min(max(one.own for one in tests.values()), USUAL)
    for one in nulls(name, seed, n):
        expected = _expected(tests[_key(one)], n) if tests[_key(one)].shows == "open" else None
        found.append((tests[_key(one)].shows, _key(one), bool(one.agent_significant), expected))
    for one in tests_of(name, seed + 2000, n, blind=True):
        if _key(one) in tests and tests[_key(one)].between:
            found.append(("blind", _key(one), bool(one.agent_significant), None))
    return found


def nulls(name: str, seed: int, n: int) -> list[Any]:
    """Hold a study and return its tests in which people are not significant."""
    wanted = {one.key for one in planned(name) if one.shows != "shown"}
    if not wanted:
        return []
    return [one for one in tests_of(name, seed + 1000, n) if _key(one) in wanted]


def _agrees(test: Any) -> bool:
    return bool(test.agent_significant) and test.agent_direction in (test.human_direction, None)


def _expected(test: Planned, n: int) -> float:
    """Return how often a repetition with n in each cell is significant if people's effect is true."""
    z = test.z * (n / test.own) ** 0.5
    return float(ndtr(z - Z95) + ndtr(-z - Z95))


def _from_tables(name: str, seed: int, tests: list[Planned]) -> Iterator[Any]:
    """Draw the numbers of tests that need too many participants, and score them."""
    large = {one.key: one.needed for one in tests if one.needed > MOST}
    if not large:
        return
    (file,) = find_studies([name])
    rng, rows = np.random.default_rng([seed, crc32(name.encode())]), []
    for finding, spec in file.study.findings.items():
        for test in spec.tests:
            n = large.get((test.experiment, finding, test.name))
            if n is not None:
                drawn = drawn_numbers(test, test.human, rng, n=n)
                rows.append(row_keys(file.study, finding, test) | test.human.columns() | drawn)
    result: Any = concord.score_people(rows, n_resamples=0, n_simulations=0)
    yield from result.tests


def replay_none(cell: tuple[str, int]) -> list[tuple[str, tuple[str, str, str], bool, float | None]]:
    """Hold a study once and return its tests of no effect."""
    name, seed = cell
    kinds = {one.key: one.shows for one in planned(name)}
    held = nulls(name, seed, USUAL) if "none" in kinds.values() else []
    return [
        ("none", _key(one), bool(one.agent_significant), None) for one in held if kinds[_key(one)] == "none"
    ]


def main() -> None:
    """Print the shares of every study; exit with 1 where a bar is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed, to do it in parts")
    parser.add_argument("--none", type=int, help="only tests of no effect, in as many runs")
    parser.add_argument("--plain", action="store_true", help="read every reply anew")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--study", action="append")
    asked = parser.parse_args()
    names = studies.bundled_names() if asked.study is None else asked.study
    seeds = asked.seeds if asked.none is None else asked.none
    cells = [(name, asked.first + i) for name in names for i in range(seeds)]
    if not asked.plain:
        sessions.read_answers = _remembered  # type: ignore[attr-defined]
    missed = 0
    with ProcessPoolExecutor(asked.jobs, get_context("fork")) as pool:
        held = pool.map(replay if asked.none is None else replay_none, cells, chunksize=4)
        for name in names:
            missed += _print_study(name, [row for _ in range(seeds) for row in next(held)])
    print(f"bars missed: {missed}")
    sys.exit(missed > 0)


def _print_study(name: str, rows: list[tuple[str, tuple[str, str, str], bool, float | None]]) -> int:
    """Print the shares of one study, and every test beyond its bar; return how many are."""
    missed = 0
    for shows in ("shown", "none", "open", "blind"):
        own: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
        for kind, test, came, _ in rows:
            if kind == shows:
                own[test].append(came)
        if not own:
            continue
        rates = {test: float(np.mean(came)) for test, came in own.items()}
        worst = min(rates.values()) if shows == "shown" else max(rates.values())
        expected = [one for kind, _, _, one in rows if kind == shows and one is not None]
        beside = f", expected {np.mean(expected):.3f}" if expected else ""
        runs = sum(len(came) for came in own.values())
        hits = sum(sum(came) for came in own.values())
        counted = f"{hits} of {runs} = {hits / runs:.3f}{beside}"
        print(f"{name} {shows}: {len(rates)} tests, {counted}, worst {worst:.2f}")
        for test, rate in rates.items():
            if shows in BARS and (rate < BARS[shows] if shows == "shown" else rate > BARS[shows]):
                print(f"    beyond its bar: {' · '.join(test)}: {rate:.2f}")
                missed += 1
    sys.stdout.flush()
    return missed


if __name__ == "__main__":
    main()

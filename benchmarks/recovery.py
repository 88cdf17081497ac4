"""Scripted people in every bundled study: how often a run of them leads to people's conclusion.

``python benchmarks/recovery.py --seeds 20 --jobs 16``. Participants are drawn at random from people's cells
(`tests/people/studies`): as many in each cell as in the paper, more where a power of 90 % needs them, at most
500 (a test that needs more is not counted); of tests that people do not show at most 150.
"""

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from scipy.special import ndtri

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.people.studies.people_like import SCRIPTS, PeopleLike, Person  # noqa: E402
from tests.people.studies.test_many_labs import FILES, PeopleInCells  # noqa: E402

from concord import studies  # noqa: E402

MOST, NULL, WANTED = 500, 150, 1.96 + 1.2816
"""People in each cell: at most, and of effects that people do not show; z that 90 % power needs."""


class RandomPerson(Person):
    """A participant whose places are drawn at random, the same for one seed."""

    seed = 0

    def uniform(self, dimension: int) -> float:
        """Return a number between 0 and 1 by seed, session, person and dimension."""
        plan = crc32(self.question.session.plan.id.encode())
        key = [self.seed, plan, self.question.member.number, dimension]
        return float(np.random.default_rng(key).random())


def tests_of(name: str, seed: int, n: int | None) -> list[Any]:
    """Hold one study with scripted people."""
    plans = studies.plan([name], n=n, seed=seed)
    agent: Any
    if name in FILES:
        agent = PeopleInCells(name, seed)
    else:
        agent = PeopleLike(SCRIPTS[name], 1)
        agent.person = type("Seeded", (RandomPerson,), {"seed": seed})
    return list(studies.run(plans, agent, n_resamples=0, n_simulations=0).result.tests)


def _key(test: Any) -> str:
    return f"{test.sub_study} {test.finding} {test.test}"


def replay(cell: tuple[str, int]) -> list[tuple[str, str, bool, bool]]:
    """Hold a study once: name, test, whether people show it, and whether the run agrees."""
    name, seed = cell
    sizes: Counter[tuple[str, ...]] = Counter()
    for plan in studies.plan([name], seed=seed):
        for session in plan.sessions:
            sizes[session.experiment, *session.cell.values()] += len(session.members)
    own, needed = max(sizes.values()), {}
    for one in tests_of(name, seed, 12):
        if one.human_significant and one.human_p is not None:
            z = float(-ndtri(max(one.human_p, 1e-300) / 2))
            needed[_key(one)] = min(own, MOST) if z >= WANTED else ceil(own * (WANTED / z) ** 2)
    shown = max([20, *(n for n in needed.values() if n <= MOST)])
    found = []
    for one in tests_of(name, seed, shown):
        if needed.get(_key(one), MOST + 1) <= MOST:
            same = bool(one.agent_significant) and one.agent_direction in (one.human_direction, None)
            found.append((name, _key(one), True, same))
    for one in tests_of(name, seed + 1000, min(own, NULL)):
        if one.human_significant is False:
            found.append((name, _key(one), False, bool(one.agent_significant)))
    return found


def main() -> None:
    """Print the shares of every study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--study", action="append")
    asked = parser.parse_args()
    names = asked.study or studies.bundled_names()
    cells = [(name, seed) for name in names for seed in range(asked.seeds)]
    with ProcessPoolExecutor(asked.jobs, get_context("fork")) as pool:
        held = pool.map(replay, cells)
        for name in names:
            _print_study(name, [row for _ in range(asked.seeds) for row in next(held)])


def _print_study(name: str, rows: list[tuple[str, str, bool, bool]]) -> None:
    for shows in (True, False):
        own = [row for row in rows if row[2] is shows]
        if own:
            rates = [np.mean([row[3] for row in own if row[1] == test]) for test in {row[1] for row in own}]
            what = "recovered" if shows else "significant although people are not"
            worst = min(rates) if shows else max(rates)
            told = f"{name}: {what} {np.mean(rates):.2f}, worst of {len(rates)} tests {worst:.2f}"
            print(told, flush=True)


if __name__ == "__main__":
    main()

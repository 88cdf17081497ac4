"""Simulated Bayes factors a second behind floor and ceiling: ``python benchmarks/floor.py [agents]``.

Every kind of test alone (200 tests of unequal design), and the bundled demo table, under every protocol.
A simulated Bayes factor is counted with all that belongs to it: drawing the sample, scoring the test, making
the tables it is read from, aggregating. Seconds are those of one core, so that a busy machine changes them
little. The first column is the yardstick of the same run: a sample of outcomes, one at a time by the exact
kernel.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_name] = "1"

import contextlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from concord.engine import Engine
from concord.people.families import registry
from concord.people.protocol import PROTOCOLS, STANDARD, Protocol
from concord.people.results.same_tests import context_of
from concord.people.score.levels import Layout, lay_out
from concord.people.score.sides import SideTable
from concord.people.score.test_scores import Context
from concord.people.table.read import read_tests
from concord.people.uncertainty.floor_ceiling import _one_by_one, family_tests, simulate_bounds

WANTED = 1.0
"""Million simulated Bayes factors a second."""
TESTS, AGENTS, SAMPLE = 200, 2000, 300
Side = dict[str, object]
LARGE_TABLES = ("3 x 3 table", "4 x 5 table, n = 2,000")
"""Drawing their cells alone takes about a microsecond."""


def table(rng: np.random.Generator, rows: int, columns: int, n: int) -> Side:
    shares = rng.dirichlet(np.full(columns, 3.0), rows)
    return {"table": str([rng.multinomial(n, row).tolist() for row in shares])}


def f_test(rng: np.random.Generator, df1: int, df2: int, **more: object) -> Side:
    return {"statistic": rng.gamma(2, 1.5), "df1": df1, "df2": df2, **more}


KINDS: dict[str, tuple[str, Callable[[np.random.Generator, int], Side]]] = {
    "two-sample t": ("t-test", lambda g, n: {"statistic": g.normal(2, 2), "n1": n, "n2": n + 3}),
    "one-sample t": ("t-one-sample", lambda g, n: {"statistic": g.normal(2, 2), "n": n}),
    "correlation": ("correlation", lambda g, n: {"statistic": np.tanh(g.normal(0.3, 0.2)), "n": n}),
    "Mann-Whitney": ("mann-whitney", lambda g, n: {"statistic": int(g.integers(n * n)), "n1": n, "n2": n}),
    "F, df1 = 1": ("anova", lambda g, n: f_test(g, 1, 2 * n - 2, direction=1)),
    "F, df1 = 3": ("anova", lambda g, n: f_test(g, 3, 4 * n - 4)),
    "F within, df1 = 1": ("anova-within", lambda g, n: f_test(g, 1, n - 1, direction=1)),
    "F within, df1 = 2": ("anova-within", lambda g, n: f_test(g, 2, 2 * n - 2, n=n, p_value=0.03)),
    "regression, df1 = 1": ("regression", lambda g, n: f_test(g, 1, n - 2, n=n, direction=1)),
    "regression, df1 = 4": ("regression", lambda g, n: f_test(g, 4, n - 5, n=n)),
    "2 x 2 table": ("chi-square", lambda g, n: table(g, 2, 2, n)),
    "2 x 2 table, n = 5,000": ("chi-square", lambda g, n: table(g, 2, 2, 5000)),
    "3 x 3 table": ("chi-square", lambda g, n: table(g, 3, 3, n)),
    "4 x 5 table, n = 2,000": ("chi-square", lambda g, n: table(g, 4, 5, 2000)),
    "chi-square, df = 1": (
        "chi-square",
        lambda g, n: {"statistic": 3 * g.chisquare(1), "df1": 1, "n": 2 * n, "direction": 1},
    ),
    "chi-square, df = 3": ("chi-square", lambda g, n: {"statistic": g.chisquare(3), "df1": 3, "n": 2 * n}),
    "binomial": ("binomial", lambda g, n: {"k": int(g.binomial(n, 0.6)), "n": n, "p0": 0.5}),
    "binomial, n = 5,000": (
        "binomial",
        lambda g, n: {"k": int(g.binomial(5000, 0.5)), "n": 5000, "p0": 0.5},
    ),
    "variance ratio": ("variance-ratio", lambda g, n: {"statistic": g.f(n, n), "df1": n, "df2": n}),
    "p-value": ("p-value", lambda g, n: {"p_value": g.random(), "direction": 1}),
}


def rows_of(kind: str) -> list[dict[str, object]]:
    """Tests of one kind, 20 to 200 participants a cell."""
    rng = np.random.default_rng(5)
    test_type, side = KINDS[kind]
    rows = []
    for i in range(TESTS):
        n = int(rng.integers(20, 200))
        row: dict[str, object] = {"study": f"S{i // 20}", "finding": f"F{i // 4}", "test": f"t{i}"}
        for which in ("human", "agent"):
            row |= {f"{which}_{name}": value for name, value in side(rng, n).items()}
        rows.append(row | {"test_type": test_type})
    return rows


@dataclass(frozen=True)
class Case:
    human: SideTable
    agent: SideTable
    context: Context
    layout: Layout


def case_of(source: Any, protocol: Protocol) -> Case:
    layout = lay_out(read_tests(source).rows)
    rows = layout.rows
    human = SideTable.from_rows(rows, [row.human for row in rows], protocol.human_prior_odds, registry.KINDS)
    agent = SideTable.from_rows(rows, [row.agent for row in rows], protocol.agent_prior_odds, registry.KINDS)
    return Case(human, agent, context_of(rows, human, agent), layout)


def simulate(case: Case, protocol: Protocol, agents: int, engine: Engine | None = None) -> None:
    found = simulate_bounds(
        case.human,
        case.agent,
        case.context,
        case.layout,
        protocol,
        level=0.95,
        n_simulations=agents,
        rng=np.random.default_rng(0),
        engine=Engine() if engine is None else engine,
    )
    assert not found.note, found.note


def rate(case: Case, protocol: Protocol, agents: int) -> float:
    """Million simulated Bayes factors a second of one core, the better of two runs."""
    seconds = []
    for _ in range(2):
        begin = time.process_time()
        simulate(case, protocol, agents)
        seconds.append(time.process_time() - begin)
    return 2 * agents * int(case.context.present.sum()) / min(seconds) / 1e6


def one_at_a_time(case: Case) -> float:
    """The same for outcomes asked of the exact kernel one by one, without drawing and aggregating."""
    rng, says = np.random.default_rng(1), case.human.evidence(STANDARD)
    both = case.agent.part(np.flatnonzero(case.context.present))
    seconds, count = 0.0, 0
    for index, family in both.families:
        part = family_tests(says, case.context, STANDARD, (index, family))
        draws = -(-SAMPLE // case.human.size)
        drawn = family.draw(rng, draws)
        begin = time.process_time()
        for draw, test in np.ndindex(draws, len(index)):
            _one_by_one(part, drawn, (np.array([draw]), np.array([test])), STANDARD)
        seconds += time.process_time() - begin
        count += draws * len(index)
    return count / seconds / 1e6


def kinds(agents: int) -> bool:
    """Print the rates of every kind of test and of the demo table, under every protocol."""
    print(f"{'':24}{'one by one':>12}" + "".join(f"{name:>12}" for name in PROTOCOLS) + "   wanted")
    good = True
    from concord.api import demo_table

    for kind in (*KINDS, "demo table"):
        source: Any = demo_table() if kind == "demo table" else rows_of(kind)
        rates = [rate(case_of(source, protocol), protocol, agents) for protocol in PROTOCOLS.values()]
        single = one_at_a_time(case_of(source, STANDARD))
        bar = "for information" if kind in LARGE_TABLES else f">= {WANTED:g}"
        missed = kind not in LARGE_TABLES and min(rates) < WANTED
        good &= not missed
        print(
            f"{kind:24}{single:12.4f}" + "".join(f"{one:12.2f}" for one in rates) + f"   {bar}"
            + ("   MISS" if missed else ""), flush=True,
        )  # fmt: skip
    return good


def works(agents: int) -> dict[str, Callable[[Engine], object]]:
    """What the engines are timed on: floor and ceiling."""
    case = case_of(rows_of("two-sample t"), STANDARD)
    return {"floor and ceiling": lambda engine: simulate(case, STANDARD, 5 * agents, engine)}


def engines(agents: int) -> None:
    """Print speed-up and overhead of two processes and of a Dask cluster of two workers, on the clock."""
    todo = works(agents)
    serial = {name: clocked(partial(work, Engine())) for name, work in todo.items()}
    print()
    with contextlib.ExitStack() as stack:
        kinds: tuple[tuple[str, Callable[[], Engine | None]], ...] = (
            ("two processes", lambda: Engine("processes", n_jobs=2)),
            ("dask, two workers", lambda: dask(stack)),  # opened last: its workers would disturb the others
        )
        for name, opened in kinds:
            engine = opened()
            if engine is None:
                print(f"{name}: distributed is not installed")
                continue
            for work in works(100).values():  # start the workers, and let them load what they need
                work(engine)
            nothing = clocked(partial(engine.map, abs, range(20)))
            print(f"{name}: handing out 20 empty blocks takes {nothing:.3f} s")
            for what, work in todo.items():
                spread = clocked(partial(work, engine))
                ratio = serial[what] / spread
                print(f"  {what:24}{ratio:6.2f} x as fast ({serial[what]:.2f} s against {spread:.2f} s)")


def dask(stack: contextlib.ExitStack) -> Engine | None:
    """A cluster on loopback, closed with the stack."""
    try:
        from distributed import LocalCluster
    except ImportError:
        return None
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    cluster = stack.enter_context(LocalCluster(host="127.0.0.1", **options))
    return Engine("dask", scheduler=cluster.scheduler_address)


def clocked(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def main() -> int:
    agents = int(sys.argv[1]) if len(sys.argv) > 1 else AGENTS
    print(f"Million simulated Bayes factors a second of one core, {agents:,} agents of each kind.\n")
    good = kinds(agents)
    engines(agents)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

"""Many agents at once: every number is that of the agent scored alone."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concord
from concord.api import demo_table
from concord.errors import FileFormatError, MismatchError, OptionError
from concord.people.agents import AgentsResult
from concord.people.protocol import PROTOCOLS
from concord.people.results.many import score_agents
from concord.people.results.one import score_table
from concord.people.score.sides import SideTable
from concord.people.table.agents import on_the_same_tests
from concord.people.table.read import read_tests
from concord.people.uncertainty.floor_ceiling import Simulation, simulate_bounds
from concord.records import Interval, TestRow, TestTable

OPTIONS: dict[str, Any] = {"n_resamples": 220, "n_simulations": 70, "seed": 5}


def t_tables(n_agents: int) -> dict[str, list[dict[str, object]]]:
    """Agents on t tests, correlations and U, one of them with other sample sizes and a missing test."""
    rng = np.random.default_rng(1)
    people = rng.normal(1.5, 2, 18)
    tables = {}
    for agent in range(n_agents):
        rows: list[dict[str, object]] = []
        for i, human in enumerate(people):
            kind = ("t-independent", "correlation", "mann-whitney")[i % 3]
            own = float(human + rng.normal())
            row: dict[str, object] = {"study": f"S{i // 3}", "finding": f"F{i % 2}", "test": f"t{i}"}
            row |= {"test_type": kind, "domain": f"D{i // 9}"}
            for who, t, n in (("human", float(human), 40), ("agent", own, 60 if agent < 2 else 80)):
                value = t
                if kind == "correlation":
                    value = float(np.tanh(t / 8))
                elif kind == "mann-whitney":
                    value = float(n * n / 2 - t * n * np.sqrt((2 * n + 1) / 12))
                row |= {f"{who}_statistic": value}
                row |= {f"{who}_n": n} if kind == "correlation" else {f"{who}_n1": n, f"{who}_n2": n}
                row |= {f"{who}_u_of": "group2"} if kind == "mann-whitney" else {}
            rows.append(row)
        tables[f"agent {agent}"] = rows
    return tables


def same(one: Interval | None, other: Interval | None) -> None:
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-8)
        assert (one.method, one.level) == (other.method, other.level)


def equal_to_alone(found: AgentsResult, name: str, alone: concord.api.PeopleResult) -> None:
    agent = next(one for one in found.agents if one.name == name)
    for metric in ("pas", "ecs", "apr"):
        many, single = getattr(agent, metric), getattr(alone, metric)
        assert many.value == pytest.approx(single.value, abs=1e-12)
        assert (many.estimate.n, many.estimate.n_left_out) == (single.estimate.n, single.estimate.n_left_out)
        same(many.interval, single.interval)
        same(many.new_participants, single.new_participants)
        assert (many.bounds is None) == (single.bounds is None)
        if many.bounds is not None:
            for end in ("floor", "ceiling", "place"):
                ends = getattr(many.bounds, end), getattr(single.bounds, end)
                assert ends[0].value == pytest.approx(ends[1].value, abs=1e-9)
    for domain in alone.domains:
        many = agent.domains[domain.name]["pas"]
        assert many.value == pytest.approx(domain.pas.value, abs=1e-12)
        same(many.new_participants, domain.pas.new_participants)


@pytest.mark.parametrize(
    "protocol", [pytest.param(one, marks=[pytest.mark.long] if i else []) for i, one in enumerate(PROTOCOLS)]
)
def test_agents_at_once_have_the_numbers_of_each_alone(protocol: str) -> None:
    tables = t_tables(4)
    found = concord.score_people(tables, protocol=protocol, **OPTIONS)
    for name, rows in tables.items():
        equal_to_alone(found, name, concord.score_people(rows, protocol=protocol, **OPTIONS))


def test_few_ranks_are_read_alike_at_once_and_alone() -> None:
    rng = np.random.default_rng(2)
    tables = {}
    for agent in ("a", "b"):
        tables[agent] = [
            {
                "study": f"S{i}", "finding": "F", "test": f"t{k}", "test_type": "mann-whitney",
                "human_statistic": k, "human_n1": 4 + k, "human_n2": 5, "human_u_of": "group2",
                "agent_statistic": int(rng.integers(0, 8)), "agent_n1": 4 + k, "agent_n2": 5,
                "agent_u_of": "group2",
            }
            for i in range(5)
            for k in range(3)
        ]  # fmt: skip
    found = concord.score_people(tables, **OPTIONS)
    for name, rows in tables.items():
        equal_to_alone(found, name, concord.score_people(rows, **OPTIONS))


def test_designs_without_shared_noise_are_drawn_agent_by_agent() -> None:
    table = read_tests(demo_table())
    found = concord.score_people([table, table], **OPTIONS)
    equal_to_alone(found, "agent 2", concord.score_people(table, **OPTIONS))


def test_a_column_names_the_agents_of_one_table() -> None:
    import polars as pl

    tables = t_tables(3)
    rows = [{"agent": name, **row} for name, table in tables.items() for row in table]
    for source in (rows, pl.DataFrame(rows, infer_schema_length=None)):
        found = concord.score_people(source, n_resamples=0, n_simulations=0)
        assert isinstance(found, AgentsResult)
        assert [agent.name for agent in found.agents] == list(tables)
        frame = found.to_frame()
        assert frame["pas"].to_list() == [agent.pas.value for agent in found.agents]
        assert frame["pas_low"][0] == found.agents[0].pas.interval.low


def test_agents_without_a_shared_test_or_with_other_people_are_refused() -> None:
    tables = t_tables(2)
    for row in tables["agent 1"]:
        row["test"] = f"another {row['test']}"
    with pytest.raises(MismatchError, match="no test that another agent has"):
        concord.score_people(tables)
    tables = t_tables(2)
    tables["agent 1"][0]["human_n1"] = 41
    with pytest.raises(MismatchError, match="the human side"):
        concord.score_people(tables)


def test_a_test_that_an_agent_lacks_is_counted_as_missing() -> None:
    tables = t_tables(3)
    del tables["agent 1"][4]
    options = OPTIONS | {"n_simulations": 0, "n_resamples": 0}
    found = concord.score_people(tables, **options)
    assert [agent.n_missing for agent in found.agents] == [0, 1, 0]
    assert (found["agent 1"].pas.estimate.n, found["agent 1"].pas.estimate.n_left_out) == (17, 1)
    alone = concord.score_people(tables["agent 1"], **options)
    assert found["agent 1"].pas.value == pytest.approx(alone.pas.value, abs=1e-12)
    assert found["agent 1"].ecs.value == pytest.approx(alone.ecs.value, abs=1e-12)
    assert [one.outcomes["scored"] for one in found.each()] == [18, 17, 18]


def mixed_tables() -> dict[str, TestTable]:
    """Agents on tests of many kinds: other statistics at the same n, other n, tests that are missing."""
    rows = read_tests(demo_table()).rows[::5]

    def changed(row: TestRow, factor: float, more: float) -> TestRow:
        side = row.agent
        if side is None:
            return row
        statistic = None if side.statistic is None else factor * side.statistic
        n1 = None if side.n1 is None else side.n1 + more
        return replace(row, agent=replace(side, statistic=statistic, n1=n1))

    return {
        "as it was": TestTable(rows),
        "weaker": TestTable(tuple(changed(row, 0.9, 0) for row in rows)),
        "larger": TestTable(tuple(changed(row, 1, 4) for row in rows)),
        "some missing": TestTable(rows[3:]),
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("level", [pytest.param(0.95, marks=pytest.mark.long), 0.8])
def test_each_of_many_is_the_result_of_a_single_scoring_to_the_byte(tmp_path: Path, level: float) -> None:
    tables, options = t_tables(4), OPTIONS | {"level": level, "margin": 0.3}  # two designs
    found = concord.score_people(tables, **options)
    found.write(tmp_path / "many")
    for name, rows in tables.items():
        alone = concord.score_people(rows, model=name, **options)
        assert found[name] == alone
        alone.write(tmp_path / name)
        assert contents(tmp_path / "many" / name) == contents(tmp_path / name)


def test_one_of_many_is_shown_and_written_as_a_result(tmp_path: Path) -> None:
    found = concord.score_people(t_tables(3), **OPTIONS)
    found.write(tmp_path)
    one, again = found["agent 1"], AgentsResult.read(tmp_path)["agent 1"]
    assert one == again
    assert one.model == "agent 1"
    assert one.pas.value == pytest.approx(found.agents[1].pas.value, abs=1e-12)
    assert "<svg" in one.plot().to_svg()
    assert "Agreement with people was scored" in one.methods()
    assert "PAS" in str(one.table())
    assert "PAS" in one._repr_html_()
    assert "agent 1" in concord.plot_models([one, found["agent 2"]]).to_svg()
    with pytest.raises(OptionError, match="there is no agent 'agent 9'; expected 'agent 0', 'agent 1'"):
        found["agent 9"]


def test_an_agent_without_a_folder_is_not_read_back(tmp_path: Path) -> None:
    found = replace(concord.score_people(t_tables(2), n_resamples=0, n_simulations=0), one=None)
    found.write(tmp_path)
    with pytest.raises(OptionError, match="the result of 'agent 0' alone is not here"):
        found["agent 0"]
    with pytest.raises(FileFormatError, match="agent 0"):
        AgentsResult.read(tmp_path)["agent 0"]


@pytest.mark.long
def test_what_agents_share_is_computed_once_and_changes_no_digit() -> None:
    given = mixed_tables()
    options = OPTIONS | {"n_simulations": 20}
    found = score_agents(given, **options)
    for name, table in on_the_same_tests(given).items():
        alone = score_table(table, **options)
        assert replace(found[name], model=None) == replace(alone, model=None)


def test_floor_ceiling_and_people_are_drawn_once_for_all_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def simulated(*args: Any, **options: Any) -> Simulation:
        calls["simulations"] += 1
        return simulate_bounds(*args, **options)

    drawn = SideTable.draw
    monkeypatch.setattr("concord.people.results.same_tests.simulate_bounds", simulated)
    monkeypatch.setattr(SideTable, "draw", lambda self, *args: calls.update(["draws"]) or drawn(self, *args))
    tables = {name: read_tests(rows) for name, rows in t_tables(4).items()}  # two designs
    found = score_agents(tables, n_resamples=200, n_simulations=20)
    assert calls == {
        "simulations": 2,
        "draws": 1 + 4 + 4,
    }  # of people once, of the four agents each, and with noise of their own
    assert len(list(found.each())) == 4
    # one block each under two more correlations
    assert calls == {"simulations": 2, "draws": (1 + 4 + 4) + 2 * (1 + 4)}


def test_one_agent_is_the_case_of_one() -> None:
    rows = t_tables(1)["agent 0"]
    table = read_tests(rows)
    assert isinstance(table, TestTable)
    equal_to_alone(concord.score_people([table], **OPTIONS), "agent 1", concord.score_people(rows, **OPTIONS))

"""Many agents in one table: which column names them, all pairs, groups, files, the command."""

import csv
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.comparing.people import _of_model
from concord.errors import FileFormatError, TableError
from concord.people.agents import AgentsResult
from concord.people.files import PeopleResult
from concord.people.protocol import PROTOCOLS, STANDARD
from concord.people.results.agent_pairs import compare_agents
from concord.people.results.pairs import compare_people
from concord.people.score.levels import lay_out
from concord.records import TestRow

SMALL = {"n_resamples": 20, "n_simulations": 20}


def rows_of(n_agents: int = 4, column: str = "agent") -> list[dict[str, object]]:
    """Agents on 12 t tests of 6 studies; the last agent lacks two tests, the third one other test."""
    rng = np.random.default_rng(3)
    people = rng.normal(2, 1, 12)
    rows = []
    for agent in range(n_agents):
        for i, human in enumerate(people):
            if (agent == n_agents - 1 and i in (1, 2)) or (agent == 2 and i == 5):
                continue
            row: dict[str, object] = {column: f"model/{agent}", "study": f"S{i // 2}", "finding": "F"}
            row |= {"test": f"t{i}", "test_type": "t-independent", "human_n": 80, "agent_n": 100}
            own = human * (1.5 if agent == 0 else -agent) + rng.normal()
            rows.append({**row, "human_statistic": float(human), "agent_statistic": float(own)})
    return rows


def scored(source: object, **options: Any) -> AgentsResult:
    found: object = concord.score_people(source, **options)
    assert isinstance(found, AgentsResult)
    return found


def write_csv(path: Path, rows: list[dict[str, object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        made = csv.DictWriter(file, list(rows[0]))
        made.writeheader()
        made.writerows(rows)
    return path


@pytest.mark.parametrize("column", ["agent", "model", "design", "Config"])
def test_usual_columns_name_the_agents_of_a_file(tmp_path: Path, column: str) -> None:
    found = scored(write_csv(tmp_path / "t.csv", rows_of(column=column)), **SMALL)
    assert [agent.name for agent in found.agents] == [f"model/{i}" for i in range(4)]
    assert [agent.n_missing for agent in found.agents] == [0, 0, 1, 2]


def test_a_column_of_another_name_must_be_named(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", rows_of(column="who"))
    found = scored(path, agent_column="Who", **SMALL)
    assert len(found.agents) == 4
    with pytest.raises(FileFormatError, match="no column 'whom'"):
        concord.score_people(path, agent_column="whom")
    with pytest.raises(TableError, match="a test that no other row holds"):
        concord.score_people(path)


def test_a_column_design_over_distinct_tests_is_no_column_of_agents() -> None:
    rows = [row | {"design": f"between {i}"} for i, row in enumerate(rows_of(1))]
    for row in rows:
        del row["agent"]
    assert isinstance(concord.score_people(rows, **SMALL), PeopleResult)


def test_rows_without_an_agent_and_bad_cells_of_all_agents_are_named_together() -> None:
    rows = rows_of()
    rows[3]["agent"] = ""
    rows[14]["human_statistic"] = "many"
    rows[30]["agent_n"] = "few"
    with pytest.raises(TableError) as error:
        concord.score_people(rows, strict=True)
    assert [bad.row for bad in error.value.problems] == [5, 16, 32]


def test_a_human_side_that_one_row_garbles_is_that_of_the_other_agents() -> None:
    rows = rows_of()
    whole = scored(rows, n_resamples=0, n_simulations=0)
    rows[14]["human_statistic"] = "many"
    found = scored(rows, n_resamples=0, n_simulations=0)
    assert [agent.pas.value for agent in found.agents] == [agent.pas.value for agent in whole.agents]
    assert [(one.row, one.value) for one in found.left_out] == [(16, "many")]


@pytest.mark.parametrize("protocol", list(PROTOCOLS))
def test_pairs_are_those_of_the_comparison_of_single_results(protocol: str) -> None:
    found = scored(rows_of(), protocol=protocol, n_resamples=0, n_simulations=0)
    singles = [_of_model(str(one.model), one) for one in found.each()]
    compared = compare_people(singles, PROTOCOLS[protocol])
    for metric in ("pas", "ecs", "apr"):
        own = {(row.first, row.second): row for row in found.pairs if row.metric == metric}
        assert len(own) == 6
        for pair in compared.pairs:
            one, other = own[pair.first, pair.second], pair.metric(metric)
            assert one.n_studies == other.n_clusters
            assert one.n_tests == other.difference.n
            assert one.difference == pytest.approx(other.difference.value, abs=1e-12)
            answer = one.other_studies
            assert answer.p_value == pytest.approx(other.p_value, abs=1e-12)
            assert answer.p_holm == pytest.approx(other.p_holm, abs=1e-12)
            if other.difference.interval is not None:
                ends = other.difference.interval
                assert (answer.low, answer.high) == pytest.approx((ends.low, ends.high), abs=1e-12)


def test_groups_hold_the_agents_that_no_pair_tells_apart() -> None:
    found = scored(rows_of(), n_resamples=0, n_simulations=0)
    standing = found.standing("pas")
    values = {agent.name: float(str(agent.pas.value)) for agent in found.agents}
    assert list(standing.order) == sorted(values, key=lambda name: -values[name])
    apart = {
        frozenset((row.first, row.second))
        for row in found.pairs
        if row.metric == "pas" and (row.p_other_studies or 1.0) < 0.05
    }
    assert standing.n_distinguishable == len(apart) > 0
    for one, other in combinations(values, 2):
        together = any(one in group and other in group for group in standing.groups)
        assert together == (frozenset((one, other)) not in apart)


@pytest.mark.long
def test_agents_of_equal_truth_are_seldom_distinguished() -> None:
    """The chance that any pair is called distinguishable is at most 5 %, plus Monte Carlo error."""
    rng = np.random.default_rng(11)
    n_tables, n_agents, n_studies = 300, 8, 20
    rows = [
        TestRow(f"S{i:02}", "", f"F{j}", "t", "t-independent") for i in range(n_studies) for j in range(2)
    ]
    layout = lay_out(rows)
    names = [f"a{i}" for i in range(n_agents)]
    wrong = pairs = 0
    for _ in range(n_tables):
        study = np.repeat(rng.normal(0.5, 0.15, n_studies), 2)  # what a study gives every agent
        own = np.repeat(rng.normal(0, 0.1, (n_agents, n_studies)), 2, axis=1)
        pas = np.clip(study + own + rng.normal(0, 0.1, (n_agents, len(rows))), 0.01, 0.99)
        nothing = np.full(pas.shape, np.nan)
        columns = dict.fromkeys(("human_d", "agent_d", "passes", "human_significant"), nothing)
        columns |= {"pas": pas, "n_eff": np.ones(pas.shape)}
        standing = compare_agents(names, columns, layout, STANDARD, level=0.95)["standings"][0]
        wrong += standing.n_distinguishable > 0
        pairs += standing.n_distinguishable
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_tables)
    assert wrong / n_tables <= limit
    assert pairs / (n_tables * 28) <= 0.05


def test_files_of_many_agents_are_read_back_and_hold_each_single_result(tmp_path: Path) -> None:
    found = scored(rows_of(), **SMALL)
    files = found.write(tmp_path)
    assert files[0] == tmp_path / "agents.json"
    again = AgentsResult.read(tmp_path)
    assert again == found
    for metric, values in found.without.items():
        np.testing.assert_array_equal(again.without[metric], values)
    document = json.loads((tmp_path / "agents.json").read_text("utf-8"))
    for agent in found.agents:
        single = PeopleResult.read(tmp_path / document["folders"][agent.name])
        assert single.model == agent.name
        assert single.pas.value == pytest.approx(agent.pas.value, abs=1e-12)
        assert single.outcomes["scored"] == 12 - agent.n_missing
    with (tmp_path / "agents.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [float(row["pas"]) for row in table] == [agent.pas.value for agent in found.agents]
    assert [row["n_missing"] for row in table] == ["0", "0", "1", "2"]


def test_the_command_shows_a_leaderboard_and_writes_its_files(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", rows_of(column="config"))
    options = ["--out", str(tmp_path / "r"), "--resamples", "20", "--simulations", "20"]
    shown = CliRunner().invoke(app, ["score", "people", str(path), *options])
    assert shown.exit_code == 0, shown.output
    text = shown.stdout
    assert text.index("model/0 agrees with people most often") < text.index("How often 4 models")
    places = [text.index(f"\nmodel/{i}  ") for i in range(4)]  # rows of the table
    assert places[0] == min(places)
    assert all(word in text for word in ("10/12", "(floor: ", "(ceiling: ", "2 model/3"))
    assert (tmp_path / "r" / "model_0" / "benchmark_summary.json").is_file()
    told = CliRunner().invoke(app, ["score", "people", str(path), *options, "--json"])
    assert json.loads(told.stdout)["format"] == "concord people result of many agents"


def test_given_pas_alone_make_a_leaderboard_without_empty_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows: list[dict[str, object]] = [
        {"config": f"c{a}", "study": f"S{i}", "finding": "F", "test": "t", "test_type": "p-value"}
        | {"pas": float(rng.uniform(0.3, 0.7))}
        for a in range(3)
        for i in range(5)
    ]
    path = write_csv(tmp_path / "t.csv", rows)
    shown = CliRunner().invoke(app, ["score", "people", str(path), "--out", str(tmp_path / "r")])
    assert shown.exit_code == 0, shown.output
    header = next(line for line in shown.stdout.splitlines() if line.startswith("model "))
    assert header.split() == ["model", "PAS", "tests"]


def test_a_table_of_many_agents_passes_the_check(tmp_path: Path) -> None:
    found = concord.check(write_csv(tmp_path / "t.csv", rows_of()))
    assert not found.problems
    assert (found.counts["agents"], found.counts["tests"], found.counts["studies"]) == (4, 12, 6)

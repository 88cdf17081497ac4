"""Codes for missing values that a user declares, in every table that `score people` takes: written first."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.people.table.agents import read_agents
from concord.records import TestTable

CODES = "99,-1,refused"
TESTS: list[dict[str, Any]] = [
    {
        "study": "99", "finding": f"F{i}", "test": "t", "test_type": "t-test",
        "human_statistic": human, "human_n1": 40, "human_n2": 40,
        "agent_statistic": agent, "agent_n1": 50, "agent_n2": 50,
    }
    for i, (human, agent) in enumerate(
        [(2.5, 99), (0.4, 0.1), (3.1, "Refused"), (-2.2, 1.0), (2.0, -1), (1.9, 2.5), (2.8, 0.3)]
    )
]  # fmt: skip
HAND: list[list[Any]] = [
    ["Study", "Human M (SD) treatment", "Human M (SD) control", "Human N", "GPT-4 t", "GPT-4 df"],
    ["A", "5.2 (1.1)", "4.1 (1.2)", 198, 2.4, 60],
    ["B", "5.0 (1.1)", "4.9 (1.2)", 120, 99, 60],
    ["C", "5.9 (1.1)", "4.9 (1.2)", 120, "refused", 60],
    ["D", "5.9 (1.1)", "4.9 (1.2)", 120, 3.1, 60],
]


def blanked(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows as a person would clean them: codes removed, names kept."""
    names = ("study", "finding", "test", "agent", "condition", "outcome")
    codes = (99, -1, "refused", "Refused")
    return [
        {key: None if key not in names and one in codes else one for key, one in row.items()} for row in rows
    ]


def written(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    """Write rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(["" if cell is None else cell for cell in row] for row in rows)
    return path


def as_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    return written(path, [list(rows[0]), *(list(row.values()) for row in rows)])


def read_one(source: Any, **options: Any) -> TestTable:
    found = read_agents(source, strict=False, **options)
    assert isinstance(found, TestTable)
    return found


@pytest.mark.parametrize("codes", [CODES, [99, -1, "refused"]])
def test_declared_codes_are_empty_cells_and_a_study_called_so_is_kept(codes: Any) -> None:
    found = read_one(TESTS, missing=codes)
    assert found.rows == read_one(blanked(TESTS)).rows
    assert {row.study for row in found.rows} == {"99"}
    assert [row.agent is None for row in found.rows] == [True, False, True, False, True, False, False]


def test_what_was_taken_for_missing_is_counted_once() -> None:
    said = [text for text in read_one(TESTS, missing=CODES).warnings if "--missing" in text]
    assert said == ["list: 3 cells hold 99, -1, refused (--missing): no values"]


def test_python_and_the_command_line_give_the_score_of_a_cleaned_table(tmp_path: Path) -> None:
    clean = concord.score_people(blanked(TESTS), n_resamples=0, n_simulations=0)
    own = concord.score_people(TESTS, missing=CODES, n_resamples=0, n_simulations=0)
    assert own.pas.value == clean.pas.value
    path = as_csv(tmp_path / "tests.csv", TESTS)
    arguments = ["score", "people", str(path), "--missing", CODES, "--out", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(app, [*arguments, "--resamples", "0", "--simulations", "0"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["estimates"] == json.loads(json.dumps(own.to_dict()["estimates"]))


def test_a_table_made_by_hand_is_read_without_its_codes_and_keeps_what_is_computed(tmp_path: Path) -> None:
    path = written(tmp_path / "hand.csv", HAND)
    cleaned = [[None if cell in (99, "refused") else cell for cell in row] for row in HAND]
    found = read_one(path, missing=CODES)
    expected = read_one(written(tmp_path / "clean.csv", cleaned))
    assert [(row.human, row.agent) for row in found.rows] == [(row.human, row.agent) for row in expected.rows]
    first = found.rows[0].human  # 198 people are two groups of 99, which is no code
    assert first is not None
    assert (first.n1, first.n2) == (99.0, 99.0)


def test_codes_are_declared_for_every_agent_of_one_table_or_of_several() -> None:
    both = [{**row, "agent": name} for name in ("A", "B") for row in TESTS]
    one = read_agents(both, strict=False, missing=CODES)
    several = read_agents({"A": TESTS, "B": TESTS}, strict=False, missing=CODES)
    assert isinstance(one, dict)
    assert isinstance(several, dict)
    for name in ("A", "B"):
        assert [row.agent for row in one[name].rows] == [row.agent for row in read_one(blanked(TESTS)).rows]
        assert [row.agent for row in several[name].rows] == [row.agent for row in one[name].rows]


def test_effects_and_means_of_conditions_take_codes_on_the_command_line(tmp_path: Path) -> None:
    effects = [
        {"study": "S", "condition": str(i), "human_estimate": h, "human_se": 0.5, "agent_estimate": a}
        for i, (h, a) in enumerate([(1.0, 1.2), (2.0, 2.5), (4.0, 3.0), (3.0, 99)])
    ]
    means = [
        {"condition": name, "outcome": "o", "mean": mean, "sd": 1.0, "n": 50}
        for name, mean in [("control", 3.0), ("a", 3.5), ("b", 4.0), ("c", 4.5), ("d", 99)]
    ]
    people = [{**row, "mean": 3.1} if row["mean"] == 99 else row for row in means]
    for name, sources in (("effects", [effects]), ("means", [people, means])):
        values = []
        for kind, change in (("coded", list), ("clean", blanked)):
            paths = [as_csv(tmp_path / f"{kind}{i}.csv", change(one)) for i, one in enumerate(sources)]
            out = tmp_path / name / kind
            codes = ["--missing", CODES] if kind == "coded" else []
            arguments = ["score", "people", *map(str, paths), *codes, "--out", str(out), "--json"]
            done = CliRunner().invoke(app, arguments)
            assert done.exit_code == 0, done.output
            values.append(json.loads(done.stdout)["agents"])
        assert json.dumps(values[0]).replace("coded", "clean") == json.dumps(values[1])


def test_strict_and_missing_reach_a_table_of_effects(tmp_path: Path) -> None:
    rows = [
        {"study": "S", "condition": str(i), "human_estimate": h, "human_se": 0.5, "agent_estimate": a}
        for i, (h, a) in enumerate([(1.0, 1.2), (2.0, 2.5), (4.0, 3.0), (3.0, "refused")])
    ]
    path = as_csv(tmp_path / "effects.csv", rows)
    arguments = ["score", "people", str(path), "--strict", "--out", str(tmp_path / "out")]
    refused = CliRunner().invoke(app, arguments)
    assert refused.exit_code == 2
    assert "'agent_estimate'" in refused.output
    assert CliRunner().invoke(app, [*arguments, "--missing", CODES]).exit_code == 0


@pytest.mark.parametrize(("statistic", "asked"), [(99, True), (-999, True), (98.7, False), (9.9, False)])
def test_a_statistic_that_looks_like_a_code_is_asked_about_by_name(statistic: float, asked: bool) -> None:
    rows = [{**TESTS[1], "agent_statistic": statistic}, TESTS[3], TESTS[5]]
    said = [text for text in read_one(rows).warnings if f"--missing {statistic}" in text]
    assert bool(said) == asked
    if asked:
        assert said[0].startswith("list, row 2, column 'agent_statistic':")

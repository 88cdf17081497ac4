"""Public results of real agents: their sources, and a published order beside a new one."""

import csv
from typing import Any

import polars as pl
import pytest

import concord
from concord import api
from concord.errors import OptionError
from concord.files.public import public_tables
from concord.people.public import HSB, published_pas, rank_moves

PRINTED = {
    "anthropic_claude_haiku_4.5_v1-empty": 0.3041,
    "anthropic_claude_haiku_4.5_v2-human": 0.2934,
    "anthropic_claude_haiku_4.5_v3-human-plus-demo": 0.3405,
}
"""From the head of simple_summary.md."""

SUMS = (127470, 170921, 319230, 110555, 470215, 49644, 62705, 152803, 531238, 36017, 126290, 142750)
"""Of each study over the 57 configurations, in ten thousandths, from a second transcription of the source."""


@pytest.mark.parametrize("table", public_tables().values(), ids=lambda table: table.name)
def test_every_table_has_a_source_and_its_licence_beside_it(table: Any) -> None:
    assert table.path.is_file()
    name = table.name.removesuffix("-answers").removesuffix("-moments")
    licence = (table.path.parent / f"LICENSE.{name}.txt").read_text("utf-8")
    assert table.licence.split("-")[0] in licence
    assert table.address in table.credit
    assert api.public_table(table.name) == api.public_table(table.name.replace("-", "_")) == table.path


def test_an_unknown_table_is_refused_with_the_known_names() -> None:
    with pytest.raises(OptionError, match="'x' is not known; expected twin-2k-500, humanstudy-bench"):
        api.public_table("x")


def test_published_numbers_are_the_printed_ones() -> None:
    found = published_pas()
    assert len(found) == 57
    for name, printed in PRINTED.items():
        assert found[name] == pytest.approx(printed, abs=5e-5)


def test_every_published_study_adds_up_to_a_second_transcription() -> None:
    with (HSB.path.parent / "humanstudy_bench_published.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    assert names == ["config", *(f"study_{i:03}" for i in range(1, 13))]
    values = [[round(10_000 * float(cell)) for cell in row[1:]] for row in rows]
    assert tuple(map(sum, zip(*values, strict=True))) == SUMS
    assert {row[0] for row in rows} == set(pl.read_csv(HSB.path)["config"])


def test_moves_are_counted_from_the_published_place() -> None:
    rows = [
        {"agent": name, "study": study, "finding": "F", "test": "t", "test_type": "p-value", "pas": pas}
        for name, pas in (("a", 0.9), ("b", 0.5), ("c", 0.1))
        for study in ("S", "T", "U")
    ]
    result: Any = concord.score_people(rows, n_resamples=0, n_simulations=0)
    moves = rank_moves({"a": 0.2, "b": 0.3, "c": 0.1, "of another list": 1.0}, result.agents)
    assert [(one.agent, one.published_rank, one.rank, one.places) for one in moves] == [
        ("a", 2, 1, 1),
        ("b", 1, 2, -1),
        ("c", 3, 3, 0),
    ]
    assert rank_moves({}, result.agents) == ()


def test_a_note_about_the_data_is_a_warning_of_every_result() -> None:
    result = concord.score_people(api.demo_table(), n_resamples=0, n_simulations=0)
    assert sum("simulated from made-up effects" in warning for warning in result.warnings) == 1


def _means_by_plain_loops(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The mean over studies of the mean over findings, with nothing of Concord's."""
    studies: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row["pas"] is not None:
            studies.setdefault(row["config"], {}).setdefault(row["study"], []).append(row["pas"])
    return {
        config: sum(sum(found) / len(found) for found in own.values()) / len(own)
        for config, own in studies.items()
    }


def test_all_57_ranks_old_and_new_are_those_of_plain_loops() -> None:
    new = _means_by_plain_loops(pl.read_csv(HSB.path).to_dicts())
    with (HSB.path.parent / "humanstudy_bench_published.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    old = {row[0]: sum(map(float, row[1:])) / 12 for row in rows}
    result: Any = concord.score_people(api.public_table(HSB.name), n_resamples=0, n_simulations=0)
    assert {agent.name: agent.pas.value for agent in result.agents} == pytest.approx(new, abs=1e-12)
    moves = rank_moves(published_pas(), result.agents)
    assert [one.agent for one in moves] == sorted(new, key=lambda name: (-new[name], name))
    by_old = sorted(moves, key=lambda one: one.published_rank)
    assert [one.agent for one in by_old] == sorted(old, key=lambda name: (-round(old[name], 12), name))
    assert sum(one.places != 0 for one in moves) == 50
    furthest = max(moves, key=lambda one: abs(one.places))
    assert (furthest.agent, furthest.published_rank, furthest.rank) == (
        "mistralai_mistral_nemo_v2-human",
        10,
        46,
    )

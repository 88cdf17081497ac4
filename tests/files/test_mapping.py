"""Titles that a user maps to columns, in every table command that reads declared columns: written first."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import concord
from concord.cli.options import read_mapping
from concord.errors import ConcordError, OptionError
from concord.files.columns import read_columns
from concord.files.tables import grid_of, table_options

Rows = list[dict[str, Any]]
ANSWERS: Rows = [{"outcome": "trust", "human": 1 + i % 5, "agent": 2 + i % 3} for i in range(60)]
PEOPLE: Rows = [{"answer": i % 7, "prediction": (i * 3) % 7} for i in range(60)]
OPTIONS: Rows = [
    {
        "item": f"q{i}",
        "arrangement": order,
        "chosen": "ABCD"[(i * 3 + k) % 4],
        "right": "ABCD"[i % 4],
        "n_options": 4,
    }
    for i in range(12)
    for k, order in enumerate(("original", "reversed"))
]
VOTES: Rows = [
    {"pair": f"p{i}", "order": order, "verdict": "first" if (i + k) % 3 else "second", "judge": "J"}
    for i in range(12)
    for k, order in enumerate(("original", "swapped"))
]
HINTS: Rows = [
    {
        "id": f"q{i}",
        "kind": "sycophancy",
        "context": context,
        "target": "A",
        "answer": "AB"[(i + k) % 2],
        "n_options": 4,
    }
    for i in range(12)
    for k, context in enumerate(("plain", "hinted"))
]
CASES: dict[str, tuple[Callable[..., Any], Rows, Mapping[str, str]]] = {
    "answers": (concord.score_answers, ANSWERS, {"What was asked": "outcome", "Leute": "human"}),
    "combine": (
        lambda rows, **how: concord.combine(rows, PEOPLE[:40], **how),
        PEOPLE,
        {"Zahl": "human", "LLM": "prediction"},
    ),
    "options": (
        concord.score_options,
        OPTIONS,
        {"Nr.": "item", "Umstellung": "arrangement", "Kreuz": "chosen"},
    ),
    "judge": (concord.score_judge, VOTES, {"Vergleich": "pair", "Spruch": "verdict"}),
    "hints": (concord.score_hints, HINTS, {"Nr.": "id", "Wohin": "target"}),
}
OTHER = {"human": "answer"}
"""Columns of the test data under another of their names."""


def retitled(rows: Rows, mapping: Mapping[str, str]) -> Rows:
    """Return rows under titles that no vocabulary holds."""
    named = {column: title for title, column in mapping.items()}
    named |= {OTHER[column]: title for title, column in mapping.items() if OTHER.get(column) in rows[0]}
    return [{named.get(key, key): value for key, value in row.items()} for row in rows]


def scores(result: Any) -> Any:
    """Return the document of a result without what names the table or how it was read."""
    found = result.to_dict() if hasattr(result, "to_dict") else result
    own = {key: one for key, one in found.items() if key not in ("warnings", "inputs", "input", "files")}
    return json.loads(json.dumps(own, default=str))


@pytest.mark.parametrize("name", CASES)
def test_a_table_under_titles_of_its_own_is_scored_as_under_the_usual_ones(name: str) -> None:
    score, rows, mapping = CASES[name]
    assert scores(score(retitled(rows, mapping), mapping=mapping)) == scores(score(rows))


@pytest.mark.parametrize("name", CASES)
def test_without_the_mapping_such_a_table_is_refused(name: str) -> None:
    score, rows, mapping = CASES[name]
    with pytest.raises(ConcordError):
        score(retitled(rows, mapping))


def titles(mapping: Mapping[str, str], *, map_only: bool = False) -> list[tuple[str, ...]]:
    rows = [{"answer": 1, "My score": 2, "note": "x"}]
    how = table_options(mapping=mapping, map_only=map_only)
    return [grid_of(rows, how).header, *(read_columns(one, how).header for one in (rows, pl.DataFrame(rows)))]


def test_a_mapped_column_takes_the_place_of_one_called_so() -> None:
    assert titles({"my  SCORE": "answer"}) == [("", "answer", "note")] * 3


def test_a_column_may_be_mapped_away_and_map_only_uses_no_other() -> None:
    assert titles({"note": "-"}) == [("answer", "My score", "")] * 3
    assert titles({"My score": "human"}, map_only=True) == [("", "human", "")] * 3


def test_values_follow_their_titles() -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": [3, 4]})
    table = read_columns(frame, table_options(mapping={"a": "b", "b": "c"}))
    assert table.take(["b", "c"]).to_dict(as_series=False) == {"b": [1, 2], "c": [3, 4]}


def test_a_title_that_the_table_does_not_have_is_named() -> None:
    with pytest.raises(
        OptionError, match=r"--map: list has no column 'score'; found 'answer', 'My score', 'note'"
    ):
        titles({"score": "answer"})


@pytest.mark.parametrize("given", [["Title=answer"], ["map.txt"]])
def test_the_command_line_takes_entries_or_a_file(
    given: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("map.txt").write_text("# what columns hold\nTitle = answer  # as people gave it\n", encoding="utf-8")
    assert read_mapping(given) == {"Title": "answer"}


def test_of_several_tables_each_is_read_by_the_entries_that_name_its_titles() -> None:
    means: Rows = [
        {"condition": one, "mean": i + 3.0, "sd": 1.0, "n": 40} for i, one in enumerate(("control", "a", "b"))
    ]
    own = retitled(means, {"Wert": "mean"})
    other = retitled(means, {"Average": "mean"})
    found = concord.score_predictions(own, other, mapping={"Wert": "mean", "Average": "mean"})
    assert scores(found) == scores(concord.score_predictions(means, means))
    with pytest.raises(OptionError, match="--map: no table has a column 'Mean value'"):
        concord.score_predictions(own, other, mapping={"Wert": "mean", "Mean value": "mean"})


def test_a_mapped_table_is_recognised_for_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    pl.DataFrame(retitled(VOTES, {"Vergleich": "pair", "Spruch": "verdict"})).write_csv(path)
    found = concord.check(path, mapping={"Vergleich": "pair", "Spruch": "verdict"})
    assert found.kind == "verdicts of judges"
    assert ("pair", "pair") in found.columns

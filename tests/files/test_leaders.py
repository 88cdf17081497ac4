"""Equal numbers share the first rank, in every sentence about who leads."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from concord import api
from concord.number_words import joined_names, leaders
from concord.people.agents import AgentsResult
from concord.people.files import SUMMARY
from concord.reports import page as make_page


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table = pl.read_csv(api.demo_table())
    both = pl.concat([table.with_columns(agent=pl.lit(name)) for name in ("one", "two")])
    folder = tmp_path_factory.mktemp("twins")
    result = api.score_people(both, n_resamples=20, n_simulations=20)
    assert isinstance(result, AgentsResult)
    assert "one and two agree with people equally often" in result.sentences()[0]
    result.write(folder)
    return folder


def test_the_page_calls_no_copy_the_best(twins: Path) -> None:
    html = make_page([twins]).html
    title = html[html.index('<h1 id="finding">') :].split("</h1>")[0]
    assert "one and two agree with people equally often" in title
    assert "most often" not in title


def test_a_comparison_of_copies_names_no_first(twins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = api.compare(twins / "one", twins / "two")
    said = " ".join(str(found).split())
    assert "Highest PAS under 9 priors (scales × ½ to 2, odds 1/3 to 3): one and two (equal) in 9." in said
    found.write(twins / "compared")
    html = make_page([twins / "compared"]).html
    assert (
        "one and two cannot be distinguished in PAS: 0.716 against 0.716, 0.000, which cannot be tested."
        in html
    )


def test_leaders_are_all_that_have_the_first_number() -> None:
    assert leaders([("a", 0.3), ("b", 0.1 + 0.2), ("c", 0.29)]) == ["a", "b"]
    assert leaders([("a", None), ("b", 1.0)]) == ["a"]
    assert joined_names(["a", "b", "c", "d"], whose="agents") == "4 agents"


def test_a_place_beyond_its_ends_is_told_so(twins: Path) -> None:
    html = make_page([twins]).html
    assert "place 1.80" not in html  # wider than from floor to ceiling: it says nothing


def _all_bounds(held: Any) -> Iterator[dict[str, Any]]:
    """Every floor and ceiling of a document, with the place between them."""
    if isinstance(held, dict):
        if {"floor", "ceiling", "place"} <= held.keys() and isinstance(held["place"], dict):
            yield held
        held = list(held.values())
    for one in held if isinstance(held, list) else []:
        yield from _all_bounds(one)


def test_the_page_says_where_tests_cannot_tell_floor_from_ceiling(twins: Path, tmp_path: Path) -> None:
    shutil.copytree(twins / "one", tmp_path / "one")
    file = tmp_path / "one" / SUMMARY
    document = json.loads(file.read_text("utf-8"))
    assert "cannot tell the two apart" not in make_page([tmp_path]).html
    for bounds in _all_bounds(document):
        bounds["place"] |= {"value": None, "interval": None, "note": "withheld: they are not apart"}
    file.write_text(json.dumps(document), "utf-8")
    assert (
        "a model that shows no effects 0.22; these tests cannot tell the two apart."
        in make_page([tmp_path]).html
    )

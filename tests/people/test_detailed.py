"""The table of tests of a result after a spreadsheet, an editor or a full disk has been at it."""

from collections.abc import Callable
from pathlib import Path

import pytest

import concord
from concord.api import demo_table
from concord.errors import FileFormatError
from concord.people.files import DETAILED, PeopleResult
from concord.stats.pairs import ModelPair


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("result")
    concord.score_people(demo_table(), n_resamples=0, n_simulations=0).write(folder)
    return folder


def changed(folder: Path, to: Callable[[list[str]], list[str]]) -> None:
    path = folder / DETAILED
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(to(lines)), "utf-8")


@pytest.fixture
def result(written: Path, tmp_path: Path) -> Path:
    import shutil

    return Path(shutil.copytree(written, tmp_path / "model"))


def test_flags_in_capitals_are_the_same_flags(result: Path) -> None:
    before = PeopleResult.read(result)
    changed(result, lambda lines: [line.replace("true", "TRUE").replace("false", "FALSE") for line in lines])
    assert "TRUE" in (result / DETAILED).read_text("utf-8")
    assert PeopleResult.read(result) == before
    (pair,) = concord.compare(result, result, names=["a", "b"]).pairs
    assert isinstance(pair, ModelPair)
    assert pair.metric("apr").difference.value == 0


def test_another_word_in_a_flag_is_refused_with_its_row(result: Path) -> None:
    changed(result, lambda lines: [*lines[:4], lines[4].replace(",true,", ",WAHR,", 1), *lines[5:]])
    with pytest.raises(FileFormatError, match=rf"{DETAILED}: row 5, column '\w+' is 'WAHR'; expected true"):
        PeopleResult.read(result)


@pytest.mark.parametrize("word", ["nan", "7", "-3", "inf", "high"])
def test_a_pas_that_is_no_share_is_refused_with_its_row(result: Path, word: str) -> None:
    import csv

    path = result / DETAILED
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    rows[3][rows[0].index("PAS_Raw")] = word
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    with pytest.raises(
        FileFormatError, match=rf"row 4, column 'PAS_Raw' is '{word}'; expected a number from"
    ):
        PeopleResult.read(result)


def test_a_file_that_was_cut_is_named(result: Path) -> None:
    changed(result, lambda lines: lines[:-13])
    with pytest.raises(FileFormatError, match=rf"{DETAILED}: holds 44 rows, the summary counts 57 tests"):
        PeopleResult.read(result)


def test_the_page_names_the_row_and_shows_no_tests(result: Path) -> None:
    from concord.reports import page

    changed(result, lambda lines: lines[:-13])
    content = page([result]).content
    (view,) = content.of("people")
    assert view.result.tests == ()
    assert view.result.pas.value is not None
    assert any("holds 44 rows, the summary counts 57 tests" in one.reason for one in content.problems)

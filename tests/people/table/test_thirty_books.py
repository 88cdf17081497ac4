"""Workbooks as others make them come out as what is in them: every agent, row and number, in one step."""

from pathlib import Path

import pytest
from tests.people.table.thirty_books import BOOKS

from concord.people.table.agents import read_agents
from concord.records import TestTable


@pytest.mark.parametrize("number", BOOKS)
def test_a_workbook_is_read_right_in_one_step(number: int, tmp_path: Path) -> None:
    book = BOOKS[number]
    found = read_agents(book.write(tmp_path / "book.xlsx"), strict=False)
    tables = {"" if found.model is None else found.model: found} if isinstance(found, TestTable) else found
    assert list(tables) == list(book.truth)
    for name, truth in book.truth.items():
        rows = {(row.study, row.test): row for row in tables[name].rows}
        assert list(rows) == list(truth)
        for key, sides in truth.items():
            for side, numbers in zip((rows[key].human, rows[key].agent), sides, strict=True):
                assert (side is None) == (numbers is None), key
                for field, value in ({} if numbers is None else numbers).items():
                    expected = value if field == "table" else pytest.approx(value, rel=2e-3)
                    assert getattr(side, field) == expected, (key, field)

"""Every spelling that a cell of a hand-made table may have; the documentation lists the same file."""

import contextlib
import json
import time
from pathlib import Path
from typing import Any

import pytest

from concord.errors import ApaError
from concord.files.cells import BadCellError, direction, is_decimal_comma, is_missing, name, number
from concord.people.apa.parse import parse_apa, scan_apa
from concord.people.table.agents import read_agents
from concord.people.table.handmade import cells, words
from concord.people.table.handmade.cells import read_any, read_mean
from concord.records import TestTable

SPELLINGS = [
    cell
    for part in json.loads(Path(__file__).with_name("spellings.json").read_text("utf-8"))
    for cell in part["cells"]
]


@pytest.mark.parametrize(("cell", "test_type", "numbers"), SPELLINGS)
def test_every_listed_spelling_is_read(cell: str, test_type: str, numbers: dict[str, Any]) -> None:
    found = read_agents([{"Study": "S", "Effect": "e", "Human result": cell}])
    assert isinstance(found, TestTable)
    (row,) = found.rows
    assert row.human is not None
    assert row.test_type == test_type
    for name_of, value in numbers.items():
        expected = tuple(map(tuple, value)) if isinstance(value, list) else pytest.approx(value, rel=1e-5)
        assert getattr(row.human, name_of) == expected, name_of


def test_numbers_that_belong_to_nothing_are_refused() -> None:
    for cell in ("5.2 6.1 7.0", "about 4.2", "4.2 vs 3.6", "t(98) = tbd", "85% vs", "26/40 vs 5.2 (1.1)"):
        with pytest.raises(BadCellError):
            read_any(cell)


@pytest.mark.parametrize(
    ("cell", "field", "value"),
    [("4.23 a)", "value", 4.23), ("4.23 a) (1.1)", "sd", 1.1), ("5 ± 1", "sd", 1.0)],
)
def test_footnotes_are_no_part_of_a_mean(cell: str, field: str, value: float) -> None:
    assert getattr(read_mean(cell), field) == value


HOSTILE = ("1", "1,", "([", "e1", "1.", "= ", " ", "n=", "1 vs ", "10^", "%", "M = ", "95% CI ", "t(")
READERS = (
    *(
        read_any,
        parse_apa,
        pytest.param(scan_apa, marks=pytest.mark.long),
        number,
        name,
        direction,
        is_missing,
        is_decimal_comma,
        words.words_of,
    ),
    *(cells.read_size, cells.read_sizes, cells.is_nothing),
)


@pytest.mark.parametrize("reader", READERS)
def test_the_time_to_read_a_cell_grows_no_faster_than_its_length(reader: Any) -> None:
    def seconds(part: str, length: int) -> float:
        text = (part * length)[:length] + "x"
        start = time.process_time()
        with contextlib.suppress(ApaError, BadCellError):
            reader(text)
        return time.process_time() - start

    for part in HOSTILE:
        if seconds(part, 16_000) > 0.05:
            long, short = (min(seconds(part, n) for _ in range(3)) for n in (16_000, 4_000))
            assert long < 8 * short, part

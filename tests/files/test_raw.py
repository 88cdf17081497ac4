"""The delimiter of a table made by hand."""

from pathlib import Path

import pytest

from concord.files.raw import read_raw
from concord.files.tables import TableOptions

HAND_MADE = {
    "decimal commas": "Study;People;Model\nA;t(58) = 2,91, p = ,005;t(98) = 6,1, p < ,001\nB;r = ,3;r = ,1\n",
    "a title above": "All studies, 2024\n\nStudy;Original;With a model\nA;1,5;2,5\n",
    "commas, and one semicolon": "Study,Original,Note\nA,1.5,see text; and page 3\nB,2.5,\n",
}


@pytest.mark.parametrize("name", list(HAND_MADE))
def test_the_delimiter_is_the_one_on_which_lines_agree(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(HAND_MADE[name], "utf-8")
    rows = [cells for _, cells in read_raw(path, TableOptions(None, None)).records if any(cells)]
    assert {len(cells) for cells in rows[-2:]} == {3}
    assert rows[-2 if name == "a title above" else 0][0] == "Study"

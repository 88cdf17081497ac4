"""`concord check` calls no file something else: files of other hands, and files that are not ours."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.errors import FileFormatError
from tests.files_of_other_hands import FOREIGN, OWN


def _name(one: Any) -> str:
    return one if isinstance(one, str) else ""


@pytest.mark.parametrize(("name", "write", "rows", "kind"), OWN, ids=_name)
def test_a_file_of_another_hand_is_called_what_it_is(
    name: str, write: Callable[[Path, Any], None], rows: Any, kind: str, tmp_path: Path
) -> None:
    write(tmp_path / name, rows)
    found = concord.check(tmp_path / name)
    assert (found.kind, found.problems) == (kind, ())


@pytest.mark.parametrize(("name", "write", "rows"), FOREIGN, ids=_name)
def test_a_file_that_is_not_ours_is_called_nothing_of_ours(
    name: str, write: Callable[[Path, Any], None], rows: Any, tmp_path: Path
) -> None:
    write(tmp_path / name, rows)
    if name == "settings.json":
        found = concord.check(tmp_path / name)
        assert not found.passed and found.commands == () and "which no command takes" in found.problems[0]
        return
    with pytest.raises(FileFormatError, match="required columns are missing|expected a list of row obj"):
        concord.check(tmp_path / name)

"""No file of a few MB takes more than 1 GB or 10 s: every bomb ends in a message of readable length."""

import sys
from pathlib import Path

import pytest
from tests.hostile.bombs import BOMBS
from tests.hostile.folder_bombs import FOLDER_BOMBS
from tests.hostile.limited import run_limited
from tests.hostile.newer_bombs import NEWER_BOMBS
from tests.pace import allowed

pytestmark = pytest.mark.long

ALL = {**BOMBS, **FOLDER_BOMBS, **NEWER_BOMBS}
QUICK = ("far cell, people", "shared string, structure", "cells in a comment", "endless CSV", "pipe",
         "dictionary Parquet, people", "one column a million times", "endless replies",
         "unknown keys", "brackets in styles", "marks behind letters", "lines of ones",
         "log of too many samples")  # fmt: skip


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in ALL]
)
def test_a_bomb_ends_in_a_message(tmp_path: Path, name: str) -> None:
    command, write = ALL[name]
    path = write(tmp_path)
    files = [str(path)] * (2 if command in (("compare",), ("combine",)) else 1)
    found = run_limited([*command, *files], tmp_path)
    sys.stderr.write(
        f"\n{name}: {found.code}, {found.seconds:.1f} s, {found.megabytes:.0f} MB, {found.err[:90]!r}"
    )
    assert "Traceback" not in found.err
    assert found.code in (0, 1, 2)
    if found.code:
        assert found.err.strip() or found.out.strip()
    assert len(found.err) + len(found.out) < 40_000
    assert found.megabytes < 1000
    assert found.seconds < allowed(10)


@pytest.mark.parametrize(
    "name", ["far_nsp.xlsx", "redos_f.xlsx", "parquet_abort_q5.parquet", "dict_bomb.parquet"]
)
def test_a_file_that_once_ended_the_process_gives_a_message(tmp_path: Path, name: str) -> None:
    path = Path(__file__).parents[1] / "data" / "hostile" / name
    found = run_limited(["score", "people", str(path)], tmp_path)
    assert found.code == 2
    assert found.err.startswith(f"concord: {name}")
    assert "panicked" not in found.err
    assert found.megabytes < 1000

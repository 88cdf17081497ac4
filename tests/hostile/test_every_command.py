"""Every path of every command, spoilt in thirty-five ways: a message of the command, never a traceback.

A new command or option that takes a path fails the first test until `every_command.COMMANDS` names it.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.hostile.every_command import ALSO_PATHS, COMMANDS, invoke, path_parameters, write_inputs

pytestmark = pytest.mark.long

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
CONTENTS = {
    "nothing": b"",
    "blank lines": b"\n\n \n",
    "NUL bytes": bytes(4096),
    "every byte": bytes(range(256)) * 40,
    "UTF-16": '\ufeff{"a": 1}\n'.encode("utf-16"),
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 50_000,
    "digits": b'{"samples":' + b"9" * 5_000 + b"}",
    "a number beyond floats": b'{"mockllm/model": {"in": 1' + b"0" * 400 + b', "out": 1}}',
    "an empty list": b"[]",
    "an empty object": b"{}",
    "null": b"null",
    "infinity": b"1e999",
    "NaN": b"[NaN]",
    "a text": b'"x"',
    "rows of wrong values": b'[{"id":null,"item":[],"score":{}}]',
    "a byte order mark": b"\xef\xbb\xbf",
    "carriage returns": b"a,b\r1,2\r",
    "Latin-1": b"caf\xe9,b\n1,2\n",
    "one long line": b"a" * 3_000_000,
    "one column": b"a\n1\n",
    "half an archive": b"PK\x03\x04" + bytes(100),
    "half a Parquet file": b"PAR1" + b"\xff" * 100 + b"PAR1",
    "aliases": b"a: &a [x]\nb: &b [*a,*a]\n",
}
NAMES = {
    "not there": "bad/nothere{suffix}",
    "a long name": "n" * 300 + "{suffix}",
    "a long path": ("d" * 200 + "/") * 30 + "x{suffix}",
    "a name that steers": "a\nconcord: fine\x1b[31mred\x1b]8;;http://x\x07\u202e{suffix}",
    "a name of bytes": "a\udcff{suffix}",
    "a loop": "bad/loop{suffix}",
    "a broken link": "bad/broken{suffix}",
    "a pipe": "bad/pipe{suffix}",
    "no end": "bad/zero{suffix}",
    "an empty folder": "bad/folder{suffix}",
    "content under a name that steers": "bad/esc\x1b[31m\n{suffix}",
}
OUT = {
    "below a file": "bad/afile/x{suffix}",
    "a long name": "n" * 300 + "{suffix}",
    "a name that steers": "bad/o\x1b[31m\nx{suffix}",
    "a name of bytes": "bad/a\udcff{suffix}",
    "no room": "/dev/full/x{suffix}",
}
SLOTS = [
    (name, given, place)
    for name, all_given in COMMANDS.items()
    for given in all_given
    for place, word in enumerate(given.split())
    if not word.startswith("-") and name != "demo"
]
_SPECIAL: dict[str, Callable[[Path], object]] = {
    "loop": lambda path: path.symlink_to(path.name),
    "broken": lambda path: path.symlink_to("nowhere"),
    "pipe": os.mkfifo,
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "esc\x1b[31m\n": lambda path: path.write_bytes(b"x,y\n1,2\n"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    write_inputs(folder)
    return folder


def spoilt(folder: Path, word: str) -> Iterator[tuple[str, str]]:
    """Return what to give instead of a word, each with what it is."""
    suffix = Path(word).suffix
    bad = folder / "bad"
    shutil.rmtree(bad, ignore_errors=True)
    bad.mkdir()
    (bad / "afile").write_text("x")
    if word.startswith("<"):
        yield from ((what, path.format(suffix=suffix)) for what, path in OUT.items())
        yield "a file or folder that is there", "bad" if suffix else "bad/afile"
        return
    for name, make in _SPECIAL.items():
        make(bad / f"{name}{suffix}")
    yield from ((what, path.format(suffix=suffix)) for what, path in NAMES.items())
    for number, (what, data) in enumerate(CONTENTS.items()):
        (bad / f"{number}{suffix}").write_bytes(data)
        yield what, f"bad/{number}{suffix}"


def check(words: list[str], what: str) -> None:
    found = invoke(words)
    told = f"{' '.join(words)!r} ({what}): {found.exception!r} {found.output[:500]!r}"
    assert found.exception is None or isinstance(found.exception, SystemExit), told
    assert found.exit_code in (0, 1, 2), told
    assert not STEERING.search(found.output), told
    assert "\nconcord: fine" not in found.output, told
    if found.exit_code:
        assert found.output.strip(), told
        assert len(found.output) < 21_000, told
    if found.exit_code == 2:
        assert any(line.startswith(("concord: ", "Error: ")) for line in found.stderr.splitlines()), told


def test_every_parameter_that_takes_a_path_is_tried() -> None:
    for name, parameter in path_parameters():
        if name not in ("view", "demo"):
            given = COMMANDS[name]
            assert any(parameter in one.split() for one in given) if parameter.startswith("-") else given


def _try(whole: Path, monkeypatch: pytest.MonkeyPatch, slot: tuple[str, str, int], every: int) -> None:
    name, given, place = slot
    words = given.split()
    option = words[place - 1] if place else ""
    word = words[place]
    if not word.startswith("<") and not (whole / word).exists() and (name, option) not in ALSO_PATHS:
        return
    monkeypatch.chdir(whole)
    for number, (what, instead) in enumerate(spoilt(whole, word)):
        if (number + len(given) + place) % every == 0:
            out = whole / "out"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            whole_words = [str(out / one[1:]) if one.startswith("<") else one for one in words]
            check([*name.split(), *whole_words[:place], instead, *whole_words[place + 1 :]], what)


@pytest.mark.parametrize("slot", SLOTS, ids=lambda slot: f"{slot[0]} {slot[1].split()[slot[2]]}")
def test_a_path_that_cannot_be_used_is_a_message(
    whole: Path, monkeypatch: pytest.MonkeyPatch, slot: tuple[str, str, int]
) -> None:
    _try(whole, monkeypatch, slot, every=18)


@pytest.mark.slow
@pytest.mark.parametrize("slot", SLOTS, ids=lambda slot: f"{slot[0]} {slot[1].split()[slot[2]]}")
def test_a_path_that_cannot_be_used_in_any_way_is_a_message(
    whole: Path, monkeypatch: pytest.MonkeyPatch, slot: tuple[str, str, int]
) -> None:
    _try(whole, monkeypatch, slot, every=1)

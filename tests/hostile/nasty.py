"""Values and bytes that readers meet once in a lifetime, and how to put them into a file."""

import json
import random
from collections.abc import Callable
from typing import Any

TEXTS = [
    "",
    " ",
    "\u00a0",
    "\0",
    "\r",
    "a\rb",
    "\n",
    "\t=1",
    "=1+1",
    "'=1",
    "＝x",
    "-",
    "–",
    ".",
    "n.a.",
    "NA",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-0",
    "1_000",
    "0x10",
    "1,5",
    "1.234,5",
    "½",
    "٣",
    "１",
    "true",
    "TRUE",
    "None",
    "null",
    "x" * 5000,
    "\u202e",
    "\ufeff",
    "\ud800",
    "é",
    "e\u0301",
    "😀",
    "../../etc/passwd",
    "%s%n",
    "{text}",
    "[[1,2]",
    "[[1,2],[3,4]]",
    "<script>",
    "'",
    '"',
    '""',
    ",",
    ";",
    "#DIV/0!",
    "2024-01-02",
    "9" * 400,
    "p < .05",
    "t(1) = x",
]
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    10**400,
    -(10**30),
    2**53 + 1,
    2**64,
    0.0,
    -0.0,
    0.5,
    1.5,
    1e308,
    -1e-320,
    [],
    {},
    [[]],
    [[1, 2], [3, 4]],
    {"a": 1},
    [None],
    {"": ""},
    *TEXTS,
]


def mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    """Change, cut, double or insert a few bytes."""
    raw = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if not raw:
            break
        at, kind = rng.randrange(len(raw)), rng.randrange(6)
        if kind == 0:
            raw[at] = rng.randrange(256)
        elif kind == 1:
            del raw[at : at + rng.randint(1, 40)]
        elif kind == 2:
            raw[at:at] = raw[at : at + rng.randint(1, 40)]
        elif kind == 3:
            raw[at:at] = rng.choice(TEXTS).encode("utf-8", "surrogatepass")
        elif kind == 4:
            raw[at : at + 8] = rng.choice([b"\xff" * 8, b"\0" * 8, b"\x7f" + b"\xff" * 7])
        else:
            raw = raw[:at]
    return bytes(raw)


def mutated_json(document: Any, rng: random.Random) -> Any:
    """Replace, remove or add one value somewhere in a document."""
    document = json.loads(json.dumps(document))
    place = document
    while isinstance(place, (dict, list)) and place:
        keys: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = rng.choice(keys)
        if rng.random() < 0.35 or not isinstance(place[key], (dict, list)) or not place[key]:
            kind = rng.randrange(4)
            if kind == 0 and isinstance(place, dict):
                del place[key]
            elif kind == 1 and isinstance(place, dict):
                place[rng.choice(TEXTS)] = rng.choice(VALUES)
            else:
                place[key] = rng.choice(VALUES)
            return document
        place = place[key]
    return rng.choice(VALUES)


def mutated_cells(rows: list[list[Any]], rng: random.Random, nasty: list[Any]) -> list[list[Any]]:
    """Replace cells, and sometimes double, drop or cut a row."""
    rows = [list(row) for row in rows]
    for _ in range(rng.randint(1, 4)):
        row = rng.choice(rows)
        if row:
            row[rng.randrange(len(row))] = rng.choice(nasty)
    kind = rng.randrange(8)
    if kind == 0:
        rows.append(list(rng.choice(rows)))
    elif kind == 1:
        del rows[rng.randrange(len(rows))]
    elif kind == 2 and rows:
        del rng.choice(rows)[1:]
    elif kind == 3 and rows:
        rng.choice(rows).append("beyond")
    return rows


Case = Callable[[random.Random], None]
"""Read one mutated input; anything but a result or a deliberate error is a bug."""

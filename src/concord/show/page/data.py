"""What the page carries for its script: tables and documents as JSON, compressed where they are large."""

import base64
import gzip
import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from concord.kinds import Column
from concord.show.svg import visible

DIGITS, DECIMALS = 4, 4
"""Significant digits of numbers and decimals of shares inside the page; the result files hold all."""


def rounded(value: object) -> float | int | str | None:
    """Return a number with few digits; limits are words, since JSON has no infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def listed(columns: Sequence[Column], document: int, key: str) -> dict[str, Any]:
    """Return a table whose rows are a list inside one of the page's documents: nothing is stored twice."""
    heads = [_head(column) for column in columns]
    return {"document": document, "list": key, "columns": heads}


def packed(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a table as the script reads it."""
    return {"n": len(rows), "columns": [_packed_column(column, rows) for column in columns]}


def _head(column: Column) -> dict[str, Any]:
    usual = "text" if column.words else "p" if column.p else "count" if column.count else "number"
    kind = column.held if column.held else usual
    head: dict[str, Any] = {"key": column.name, "title": column.heading, "kind": kind}
    return {**head, "hidden": True} if column.hidden else head


def _packed_column(column: Column, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    head = _head(column)
    values, kind = [row.get(column.name) for row in rows], head["kind"]
    if kind == "share":
        return {**head, "v": [rounded(None if value is None else round(value, DECIMALS)) for value in values]}
    if kind == "long":
        return {**head, "v": values}
    if kind in ("number", "count", "p"):
        return {**head, "v": [rounded(value) for value in values]}
    if kind == "flag":
        return {**head, "v": [None if value is None else int(bool(value)) for value in values]}
    names: dict[str, int] = {}
    index = [names.setdefault("" if value is None else visible(str(value)), len(names)) for value in values]
    return {**head, "names": list(names), "v": index}


BUDGET = 4_500_000
"""Bytes of a whole page that texts may fill up to."""
AT_ONCE = 6
"""Characters a byte of room at the first attempt: text packs to a third or so, never to less than this."""


@dataclass(slots=True)
class Texts:
    """Texts under numbers; equal texts have one."""

    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        """Return the number of a text."""
        return self.numbers.setdefault(visible(text), len(self.numbers))

    def fitted(self, room: int) -> tuple[str, str, int | None]:
        """Cut every text to one length, the largest with which all of them fit into so many bytes.

        Returned are content and encoding of their element, and the length; None where none is cut.
        """
        texts = list(self.numbers)
        lengths = sorted(map(len, texts))
        cap = _cap(lengths, AT_ONCE * max(room, 0))
        while True:
            block, encoding = data_block({"cap": cap, "texts": [text[:cap] for text in texts]})
            if len(block) <= room or cap == 0:
                return block, encoding, cap
            kept = sum(lengths) if cap is None else sum(min(length, cap) for length in lengths)
            smaller = _cap(lengths, int(0.95 * kept * room / len(block)))
            cap = 0 if smaller is None or (cap is not None and smaller >= cap) else smaller


def _cap(lengths: Sequence[int], total: int) -> int | None:
    """Return the length to which texts are cut so that together they have `total` characters."""
    if sum(lengths) <= total:
        return None
    # Cut to the i-th shortest, texts hold all of the shorter ones and as much of each of the others.
    before = [0, *accumulate(lengths)]
    held = [before[i] + length * (len(lengths) - i) for i, length in enumerate(lengths)]
    whole = bisect_right(held, max(total, 0))
    return max(0, (max(total, 0) - before[whole]) // (len(lengths) - whole))


PLAIN = 200_000
"""Characters of data up to which they are in the page as they are."""
LEVEL = 7
"""Of compression: beyond it a page gets a hundredth smaller and takes twice as long."""
_SAFE = str.maketrans("<&>", ".,:")
"""Digits of base 85 that mean something inside an element, and what stands for them."""
FEWEST = 4
"""Objects of one shape from which on a list of them is stored by columns."""


def data_block(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the content of a data element of the page and its encoding, ``json`` or ``gzip``."""
    # Plain JSON has no ``<``, ``>`` or ``&`` left in it, so nothing in it can end the element; compressed
    # data are written in 85 signs (see `in_85_signs`), none of which is one of these.
    return data_blocks([data])[0]


def data_blocks(data: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the content and encoding of data elements: all compressed where they are large together."""
    texts = [_json_text(one) for one in data]
    pack = _readable_block if sum(map(len, texts)) <= PLAIN else _compressed_block
    return [pack(text) for text in texts]


def _json_text(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def _readable_block(text: str) -> tuple[str, str]:
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text, "json"


def _compressed_block(text: str) -> tuple[str, str]:
    return in_85_signs(gzip.compress(text.encode("utf-8"), compresslevel=LEVEL, mtime=0)), "gzip"


def in_85_signs(data: bytes) -> str:
    """Write bytes as text: four bytes in five signs, a fifteenth less than base64 takes."""
    # Four bytes are a number, written in base 85 from its highest digit to its lowest; the signs are those of
    # ``base64.b85encode`` with ``.,:`` instead of ``<&>``. The number of bytes comes first, since zeros fill
    # up the last four.
    signs = base64.b85encode(data, pad=True).decode("ascii").translate(_SAFE)
    return f"{len(data)} {signs}"


def policy(script: str, *styles: str) -> str:
    """Return the Content-Security-Policy that allows this script and these styles, and nothing else."""
    allowed = " ".join(f"'sha256-{_digest(style)}'" for style in styles)
    return (
        f"default-src 'none'; img-src blob:; script-src 'sha256-{_digest(script)}'; style-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def plain_document(value: Any) -> Any:
    """Return a document that JSON can hold: numbers that are not finite become words."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError):  # an infinite number, or a mapping that is no dict
        return _with_words(value)
    return value


def _with_words(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _with_words(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_words(one) for one in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def by_columns(value: Any) -> Any:
    """Return a document with its lists of like objects as columns, so that no key is repeated."""
    # A list of objects that have the same keys becomes ``{"@": keys, "v": columns}``; an object that has a
    # key ``@`` of its own becomes ``{"@": 0, "v": object}``. Everything else stays as it is.
    if isinstance(value, list | tuple):
        if len(value) >= FEWEST and all(isinstance(one, dict) and one for one in value):
            keys = list(value[0])
            if all(list(one) == keys for one in value):
                return {"@": keys, "v": [by_columns([one[key] for one in value]) for key in keys]}
        return [by_columns(one) if isinstance(one, dict | list | tuple) else one for one in value]
    if isinstance(value, dict):
        inside = {
            key: by_columns(one) if isinstance(one, dict | list | tuple) else one
            for key, one in value.items()
        }
        return {"@": 0, "v": inside} if "@" in value else inside
    return value

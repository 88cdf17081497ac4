"""What the page carries for its script: tables and documents as JSON, compressed where they are large."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

PLAIN = 200_000
"""Characters of data up to which they are in the page as they are."""
LEVEL = 7
"""Of compression: beyond it a page gets a hundredth smaller and takes twice as long."""
_SAFE = str.maketrans("<&>", ".,:")
"""Digits of base 85 that mean something inside an element, and what stands for them."""
_AS_IS = frozenset({str, int, bool, type(None)})
FEWEST = 4
"""Objects of one shape from which on a list of them is stored by columns."""


def data_block(data: Mapping[str, Any]) -> tuple[str, str]:
    r"""Return the content of a data element of the page and its encoding, ``json`` or ``gzip``.

    Plain JSON has no ``<``, ``>`` or ``&`` left in it, so nothing in it can end the element; compressed
    data are written in 85 signs (see `in_85_signs`), none of which is one of these.

    Examples
    --------
    >>> data_block({"a": "</script>"})
    ('{"a":"\\u003c/script\\u003e"}', 'json')
    """
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
    """Write bytes as text: four bytes in five signs, a fifteenth less than base64 takes.

    Four bytes are a number, written in base 85 from its highest digit to its lowest; the signs are those of
    ``base64.b85encode`` with ``.,:`` instead of ``<&>``. The number of bytes comes first, since zeros fill
    up the last four.

    Examples
    --------
    >>> in_85_signs(bytes([0, 0, 0, 1, 255, 255, 255])), in_85_signs(b"")
    ('7 00001|Ns90', '0 ')
    """
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
    if type(value) in _AS_IS:  # nearly all: asking what else a value is takes most of the time
        return value
    if isinstance(value, dict | Mapping):
        return {str(key): plain_document(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_document(one) for one in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


def by_columns(value: Any) -> Any:
    """Return a document with its lists of like objects as columns, so that no key is repeated.

    A list of objects that have the same keys becomes ``{"@": keys, "v": columns}``; an object that has a
    key ``@`` of its own becomes ``{"@": 0, "v": object}``. Everything else stays as it is.

    Examples
    --------
    >>> by_columns({"a": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 6}, {"x": 7, "y": 8}]})
    {'a': {'@': ['x', 'y'], 'v': [[1, 3, 5, 7], [2, 4, 6, 8]]}}
    """
    if isinstance(value, list):
        if len(value) >= FEWEST and all(isinstance(one, dict) and one for one in value):
            keys = list(value[0])
            if all(list(one) == keys for one in value):
                return {"@": keys, "v": [by_columns([one[key] for one in value]) for key in keys]}
        return [by_columns(one) for one in value]
    if isinstance(value, dict):
        inside = {key: by_columns(one) for key, one in value.items()}
        return {"@": 0, "v": inside} if "@" in value else inside
    return value


def by_rows(value: Any) -> Any:
    """Undo `by_columns`."""
    if isinstance(value, list):
        return [by_rows(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "@" not in value:
        return {key: by_rows(one) for key, one in value.items()}
    if value["@"] == 0:
        return {key: by_rows(one) for key, one in value["v"].items()}
    columns = [by_rows(column) for column in value["v"]]
    return [dict(zip(value["@"], row, strict=True)) for row in zip(*columns, strict=True)]

"""What the page carries for its script: tables and documents as JSON, compressed where they are large."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from typing import Any

PLAIN = 200_000
"""Characters of data up to which they stand in the page as they are."""


def data_block(data: Mapping[str, Any]) -> tuple[str, str]:
    r"""Give the content of the page's data element and its encoding, ``json`` or ``gzip``.

    Plain JSON has no ``<``, ``>`` or ``&`` left in it, so nothing in it can end the element.

    Examples
    --------
    >>> data_block({"a": "</script>"})
    ('{"a":"\\u003c/script\\u003e"}', 'json')
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= PLAIN:
        for sign in "<>&\u2028\u2029":
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        return text, "json"
    packed = gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)
    return base64.b64encode(packed).decode("ascii"), "gzip"


def policy(script: str, *styles: str) -> str:
    """Give the Content-Security-Policy that allows this script and these styles, and nothing else.

    Parameters
    ----------
    script, styles
        Contents of the page's elements, to the last character.
    """
    allowed = " ".join(f"'sha256-{_digest(style)}'" for style in styles)
    return (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; style-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def plain_document(value: Any) -> Any:
    """Give a document that JSON can hold: numbers that are not finite become words."""
    if isinstance(value, Mapping):
        return {str(key): plain_document(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_document(one) for one in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value

"""Titles of columns in the hands of others: other words, capitals and blanks for the same thing."""

import re
from collections.abc import Iterable, Mapping

Titles = Mapping[str, tuple[str, ...]]
"""What a column is called here, and what others call it."""
_PARTED = re.compile(r"[\s_\-./]+")


def plain_title(title: str) -> str:
    """Return a title in small letters, its words joined by bars.

    Examples
    --------
    >>> plain_title(" Question ID "), plain_title("hint-type"), plain_title("Antwort")
    ('question_id', 'hint_type', 'antwort')
    """
    return _PARTED.sub("_", title.strip().casefold()).strip("_")


def own_titles(header: Iterable[str], known: Iterable[str], others: Titles) -> dict[str, int]:
    """Return which column holds what: by its own name, else by the first other name that is there.

    Examples
    --------
    >>> own_titles(["Item ID", "Hint", "x"], ["id", "kind"], {"id": ("item_id",), "kind": ("hint",)})
    {'id': 0, 'kind': 1}
    """
    places: dict[str, int] = {}
    for place, title in enumerate(header):
        places.setdefault(plain_title(title), place)
    found: dict[str, int] = {}
    for name in known:
        there = next((one for one in (name, *others.get(name, ())) if one in places), None)
        if there is not None and places[there] not in found.values():
            found[name] = places[there]
    return found

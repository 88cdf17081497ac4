"""Addresses inside the page: `#/m/MODEL/QUESTION/STUDY/TEST/REPLY`, each of which opens there."""

from urllib.parse import quote

from concord.show.svg import visible


def route(model: str, *parts: str) -> str:
    """Return the address of a model, or of something of it.

    Examples
    --------
    >>> route("lab/a b", "people", "framing")
    '#/m/lab%2Fa%20b/people/framing'
    """
    return "#/m/" + "/".join(quote(visible(part), safe="-_.~") for part in (model, *parts))

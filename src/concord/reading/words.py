"""The vocabulary of answers: names of an answer, first-person statements, denials, refusals, by kind."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def words() -> Mapping[str, list[str]]:
    """Return the vocabulary by kind; what is in it are parts of patterns."""
    text = resources.files("concord.reading").joinpath("words.json").read_text("utf-8")
    held: Mapping[str, list[str]] = json.loads(text)
    return held


def any_of(*kinds: str) -> str:
    """Return a pattern of any word of some kinds, the longest first."""
    held = {word for kind in kinds for word in words()[kind]}
    return "|".join(sorted(held, key=lambda word: (-len(word), word)))

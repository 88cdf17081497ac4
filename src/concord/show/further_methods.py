"""Methods paragraphs of results beside the three questions: answers, predictions, judges, options, probes."""

from collections.abc import Callable, Mapping
from typing import Any

from concord.errors import OptionError
from concord.show.methods import (
    Document,
    people_methods,
)


def _by_document(written: Callable[[Document], str]) -> Callable[[Any, Document], str]:
    """Return the paragraph of a question, which its document alone gives."""
    return lambda _, document: written(document)


BY_TYPE: Mapping[str, Callable[[Any, Document], str]] = {
    "PeopleResult": _by_document(people_methods),
    "StudiesResult": _by_document(people_methods),
}
"""The paragraph of each type of result."""


def methods_of(result: Any) -> str:
    """Return the methods paragraph of a result."""
    written = BY_TYPE.get(type(result).__name__)
    if written is None:
        raise OptionError(f"there is no methods paragraph of a {type(result).__name__}")
    return written(result, result.to_dict())

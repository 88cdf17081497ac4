"""Methods paragraphs of results beside the three questions: answers, predictions, judges, options, probes."""

from collections.abc import Callable, Mapping
from typing import Any

from concord.errors import OptionError
from concord.show.methods import (
    Document,
    people_methods,
    reasoning_methods,
    structure_methods,
    with_concord,
)


def _counted(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


def agents_methods(result: Any, document: Document) -> str:
    """Return the paragraph about many agents on the same tests."""
    return (
        f"{_counted(len(result.agents), 'agent was', 'agents were')} scored with {with_concord(document)} on "
        f"the same tests of {_counted(len(result.studies), 'study', 'studies')}, protocol "
        f"{result.protocol.name}; pairs were compared study by study, their p-values adjusted by Holm's "
        f"(1979) method. Intervals are {100 * result.level:g} %, for other studies like these."
    )


def probe_methods(result: Any, document: Document) -> str:
    """Return the paragraph about interventions on reasoning."""
    scores = result.scores
    said = {
        "early": "the chain was cut after each step and the answer asked for (area over the curve of equal "
        "answers)",
        "filler": "the chain was replaced by filler of the same length",
        "mistake": "a mistake was put into the chain, beside a continuation without one",
        "paraphrase": "the chain was said in other words",
        "pairs": "an attribute of the vignette was changed, beside two answers to one prompt",
        "hints": "a hint at an answer was given, and answers that it moved were searched for its mention",
    }
    made = [words for name, words in said.items() if getattr(scores, name, None) is not None]
    told = "; ".join(made) if made else "nothing that was asked could be read"
    return (
        f"Interventions on reasoning were scored with {with_concord(document)}: {told}. What is claimed lies "
        "beyond the floor of answers that change by themselves."
    )


def hint_methods(result: Any, document: Document) -> str:
    """Return the paragraph about a leaderboard of hints."""
    return (
        f"Hints were scored with {with_concord(document)} from counts of "
        f"{_counted(len(result.scores.models), 'model', 'models')}: an answer is moved where it changes to "
        "the hinted option, and says so where it, or the thinking before it, names the hint. Intervals are "
        "95 %."
    )


def _by_document(written: Callable[[Document], str]) -> Callable[[Any, Document], str]:
    """Return the paragraph of a question, which its document alone gives."""
    return lambda _, document: written(document)


BY_TYPE: Mapping[str, Callable[[Any, Document], str]] = {
    "PeopleResult": _by_document(people_methods),
    "StudiesResult": _by_document(people_methods),
    "StructureResult": _by_document(structure_methods),
    "ReasoningResult": _by_document(reasoning_methods),
    "AgentsResult": agents_methods,
    "ProbeResult": probe_methods,
    "HintLeaderboard": hint_methods,
}
"""The paragraph of each type of result."""


def methods_of(result: Any) -> str:
    """Return the methods paragraph of a result."""
    written = BY_TYPE.get(type(result).__name__)
    if written is None:
        raise OptionError(f"there is no methods paragraph of a {type(result).__name__}")
    return written(result, result.to_dict())

"""Concord asks whether a language model agrees with people, with itself, with its own reasoning.

Importing the package is cheap: what needs frames or files is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from concord.errors import ConcordError, InputError, TableError, UndefinedError
from concord.records import Estimate, Interval
from concord.version import __version__

if TYPE_CHECKING:
    from concord.api import (
        check,
        compare,
        plan,
        rank_reasoning,
        report,
        score_people,
        score_reasoning,
        score_structure,
    )
    from concord.people import studies as studies
    from concord.runs import run, score_run

__all__ = [
    "ConcordError",
    "Estimate",
    "InputError",
    "Interval",
    "TableError",
    "UndefinedError",
    "__version__",
    "check",
    "compare",
    "plan",
    "rank_reasoning",
    "report",
    "run",
    "score_people",
    "score_reasoning",
    "score_run",
    "score_structure",
]


def __getattr__(name: str) -> object:
    """Load the scoring functions on first use, so that `import concord.stats` stays light."""
    if name == "studies":
        from concord.people import studies

        return studies
    if name in __all__:
        from concord import api, runs

        return getattr(runs if name in ("run", "score_run") else api, name)
    raise AttributeError(f"module 'concord' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

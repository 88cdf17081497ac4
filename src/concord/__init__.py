"""Concord asks whether a language model agrees with people, with itself, with its own reasoning.

Importing the package is cheap: what needs frames or files is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from concord.errors import ConcordError, InputError, TableError, UndefinedError
from concord.version import __version__

if TYPE_CHECKING:
    from concord.api import (
        check,
        combine,
        combine_sequential,
        compare,
        pack,
        plan,
        rank_reasoning,
        report,
        score_answers,
        score_hints,
        score_judge,
        score_options,
        score_people,
        score_predictions,
        score_probes,
        score_reasoning,
        score_structure,
        verify,
    )
    from concord.asking.runs import run, score_run
    from concord.people import studies as studies
    from concord.proof.registering import register
    from concord.reading import read_reply
    from concord.records import Estimate, Interval
    from concord.reports import write_up
    from concord.show.plot_models import plot_models

__all__ = [
    "ConcordError",
    "Estimate",
    "InputError",
    "Interval",
    "TableError",
    "UndefinedError",
    "__version__",
    "check",
    "combine",
    "combine_sequential",
    "compare",
    "pack",
    "plan",
    "plot_models",
    "rank_reasoning",
    "read_reply",
    "register",
    "report",
    "run",
    "score_answers",
    "score_hints",
    "score_judge",
    "score_options",
    "score_people",
    "score_predictions",
    "score_probes",
    "score_reasoning",
    "score_run",
    "score_structure",
    "verify",
    "write_up",
]


_ELSEWHERE = {
    "check": "concord.recognise",
    "compare": "concord.questions",
    "plan": "concord.questions",
    "read_reply": "concord.reading",
    "register": "concord.proof.registering",
    "report": "concord.reports",
    "write_up": "concord.reports",
    "Estimate": "concord.records",
    "Interval": "concord.records",
    "plot_models": "concord.show.plot_models",
    "run": "concord.asking.runs",
    "score_run": "concord.asking.runs",
}


def __getattr__(name: str) -> object:
    """Load what is not here on first use, so that `import concord.stats` and `concord --help` stay light."""
    if name == "studies":
        return import_module("concord.people.studies")
    if name in __all__:
        return getattr(import_module(_ELSEWHERE.get(name, "concord.api")), name)
    raise AttributeError(f"module 'concord' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""Agreement with itself: whether a model stays the same when only the arrangement changes.

Asked: `items` under `arrangers`, laid out by `design`; replies become scores in `words`. Recorded scores are
read by `read`, scored by `score`, kept by `result`; `records` holds what these hand on. Judges of pairs and
choices among options are results of their own, in `judging` and `options`.
"""

from importlib import import_module

NAME = "structure"
"""The question's name in commands, files and records."""

_PUBLIC = {
    "StructureResult": "result",
    "ModelResult": "records",
    "Consistency": "records",
    "Order": "records",
    "ArrangementRow": "records",
    "ItemRow": "records",
    "Difference": "records",
    "ScoreOptions": "records",
    "ReadOptions": "records",
    "JudgeResult": "judging.result",
    "RatedResult": "judging.rated_result",
    "OptionResult": "options.result",
    "Scored": "words.scorers",
    "Asked": "words.scorers",
}
"""Records that users meet, and where they are declared; each is loaded when it is first used."""


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

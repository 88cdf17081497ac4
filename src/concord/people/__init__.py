"""Agreement with people: PAS, ECS and APR from a table of tests.

Asked: studies of `studies`, laid out by `design`. A table of tests is read by `table` (reported statistics by
`apa`); what each side says (`evidence`, by the `families` of tests) is scored by `score`, made sure of by
`uncertainty` and gathered by `results` under a `protocol`. What comes out is declared in `result`, `files`,
`agents` and `referee`, and said in `words`. Answers as distributions, predicted effects, memory and people
combined with predictions are results of their own, in `answers`, `predictions`, `memory` and `mixed`.
"""

from importlib import import_module

NAME = "people"
"""The question's name in commands, files and records."""

_PUBLIC = {
    "PeopleResult": "files",
    "Score": "result",
    "Bounds": "result",
    "TestResult": "result",
    "FindingResult": "result",
    "GroupResult": "result",
    "CompanionNumbers": "result",
    "EffectSizes": "result",
    "Diagnosis": "result",
    "AgentsResult": "agents",
    "AgentScores": "result",
    "AgentPair": "result",
    "AgentStanding": "result",
    "Referee": "referee",
    "RefereeTest": "referee",
    "Protocol": "protocol",
    "StudiesResult": "studies.results",
    "AnswersResult": "answers.result",
    "PredictionResult": "predictions.result",
    "MemoryResult": "memory",
    "CombineResult": "mixed.result",
    "SequentialResult": "mixed.result",
    "HumanRow": "result",
    "PublicTable": "public",
}
"""Records that users meet, and where they are declared; each is loaded when it is first used."""


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Agreement with its own reasoning: faithfulness gap, Step-F1 and silent bias from recorded replies.

Asked: `design`. Files are read by `read`, what a reply says by `words`, and scored by `score`; `result` holds
the records, `files` the result with its folder, `compare` ranks results. Interventions on the chain and hints
that move an answer are results of their own, in `probes` and `hints`.
"""

from importlib import import_module

NAME = "reasoning"
"""The question's name in commands, files and records."""

_PUBLIC = {
    "ReasoningResult": "files",
    "ReasoningScores": "result",
    "ReasoningRanking": "compare",
    "ProbeResult": "probes.result",
    "HintLeaderboard": "hints.leaderboard",
}
"""Records that users meet, and where they are declared; each is loaded when it is first used."""


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

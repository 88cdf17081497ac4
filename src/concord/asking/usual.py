"""Settings that a question is asked with unless others are chosen: the same in a run and in Inspect."""

from concord.asking.keys import Sampling
from concord.people import NAME as PEOPLE
from concord.reasoning import NAME as REASONING
from concord.structure import NAME as STRUCTURE

MAX_TOKENS = {REASONING: 1024, STRUCTURE: 512, PEOPLE: 256}
TEMPERATURE = {PEOPLE: 1.0}
"""People differ; at temperature 0 the participants of a cell would be copies of one another."""

REPEATS = {STRUCTURE: 2}
"""Answers that change with the arrangement are counted against those that change between repeats."""


def usual_repeats(question: str) -> int:
    """Return how often each item of a question is asked.

    Examples
    --------
    >>> usual_repeats("structure"), usual_repeats("reasoning")
    (2, 1)
    """
    return REPEATS.get(question, 1)


def usual_temperature(question: str) -> float:
    """Return the temperature that a question is asked with."""
    return TEMPERATURE.get(question, 0.0)


def usual_sampling(question: str) -> Sampling:
    """Return the settings that a question is asked with.

    Examples
    --------
    >>> usual_sampling("people").sent(0)
    {'temperature': 1.0, 'max_tokens': 256}
    """
    return Sampling(temperature=usual_temperature(question), max_tokens=MAX_TOKENS.get(question))

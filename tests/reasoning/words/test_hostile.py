"""A megabyte of anything is parsed in moderate time; a quarter of it, always, in a quarter of that time."""

import time
from functools import cache

import pytest
from tests.pace import allowed

from concord.reasoning.read.records import BiasCase, RecordedReply, Sample
from concord.reasoning.score.bias import keyword_detector
from concord.reasoning.score.parse import Parser
from concord.reasoning.score.steps import score_steps
from concord.reasoning.words.names import load_lexicon

pytestmark = pytest.mark.long

MEGABYTE = 1_000_000


@cache
def hostile(size: int) -> dict[str, str]:
    """Return texts of about so many characters, each hard on a slow rule."""
    return {
        "spaces": " " * size,
        "stops": "." * size,
        "stops and spaces": ". " * (size // 2),
        "one word": "a" * size,
        "apostrophes": "a'" * (size // 2),
        "open tags": "<think>" * (size // 7),
        "close tags": "</think>" * (size // 8),
        "angle brackets": "<" * size,
        "markers": "DIAGNOSIS: " * (size // 11),
        "words of markers": "diagnosis " * (size // 10),
        "reasoning": "REASONING: " * (size // 11),
        "final": "final   " * (size // 8),
        "hashes": "#" * size,
        "lines of hashes": "###########\n" * (size // 12),
        "stars": "**" * (size // 2) + "Answer:",
        "names": "major depressive disorder " * (size // 26),
        "half names": "major depressive " * (size // 17),
        "negations": "not " * (size // 4),
        "marks": "a" + "\u0301\u0316" * (size // 2),
        "accents": "é " * (size // 2),
        "steps": "the patient has low mood every day. " * (size // 36),
        "different steps": " ".join(f"w{k} x{k} y{k} z{k} q{k}." for k in range(size // 34)),
        "line ends": "\n" * size,
        "ligatures": "ﷺ" * (size // 20),
    }


@pytest.fixture(scope="module")
def parsers() -> list[Parser]:
    samples = [Sample("1", "Major Depressive Disorder", ("the patient has low mood every day",))]
    return [Parser(samples, load_lexicon(), rules) for rules in ("standard", "source")]


@pytest.mark.parametrize("kind", list(hostile(1000)))
@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_a_hostile_megabyte_takes_seconds_at_most(parsers: list[Parser], kind: str, part: int) -> None:
    text = hostile(MEGABYTE // part)[kind]
    start = time.process_time()
    for parser, rules in zip(parsers, ("standard", "source"), strict=True):
        parsed = parser.reply(RecordedReply("1", "direct", text), "Major Depressive Disorder")
        steps = parser.steps(parsed)
        score_steps([steps], [["the patient has low mood every day"]], [0], rules=rules)
        scored = parser.bias_reply(RecordedReply("1", "", text), BiasCase("1", "low mood", "Mania"))
        keyword_detector(parser.judge.table)(scored.case, scored.answer, scored.reasoning)
    assert time.process_time() - start < allowed(20 / part)

"""A megabyte of anything is parsed in moderate time."""

import time

import pytest

from concord.reasoning.bias import keyword_detector
from concord.reasoning.lexicon import load_lexicon
from concord.reasoning.parse import Parser
from concord.reasoning.read.replies import RecordedReply
from concord.reasoning.read.vignettes import BiasCase, Sample
from concord.reasoning.steps import score_steps

pytestmark = pytest.mark.long

MEGABYTE = 1_000_000

HOSTILE = {
    "spaces": " " * MEGABYTE,
    "stops": "." * MEGABYTE,
    "stops and spaces": ". " * (MEGABYTE // 2),
    "one word": "a" * MEGABYTE,
    "apostrophes": "a'" * (MEGABYTE // 2),
    "open tags": "<think>" * (MEGABYTE // 7),
    "close tags": "</think>" * (MEGABYTE // 8),
    "angle brackets": "<" * MEGABYTE,
    "markers": "DIAGNOSIS: " * (MEGABYTE // 11),
    "words of markers": "diagnosis " * (MEGABYTE // 10),
    "reasoning": "REASONING: " * (MEGABYTE // 11),
    "final": "final   " * (MEGABYTE // 8),
    "hashes": "#" * MEGABYTE,
    "lines of hashes": "###########\n" * (MEGABYTE // 12),
    "stars": "**" * (MEGABYTE // 2) + "Answer:",
    "names": "major depressive disorder " * (MEGABYTE // 26),
    "half names": "major depressive " * (MEGABYTE // 17),
    "negations": "not " * (MEGABYTE // 4),
    "marks": "a" + "\u0301\u0316" * (MEGABYTE // 2),
    "accents": "é " * (MEGABYTE // 2),
    "steps": "the patient has low mood every day. " * (MEGABYTE // 36),
    "different steps": " ".join(f"w{k} x{k} y{k} z{k} q{k}." for k in range(MEGABYTE // 34)),
    "line ends": "\n" * MEGABYTE,
    "ligatures": "ﷺ" * (MEGABYTE // 20),
}


@pytest.fixture(scope="module")
def parsers() -> list[Parser]:
    samples = [Sample("1", "Major Depressive Disorder", ("the patient has low mood every day",))]
    return [Parser(samples, load_lexicon(), rules) for rules in ("standard", "source")]


@pytest.mark.parametrize("kind", list(HOSTILE))
def test_a_hostile_megabyte_takes_seconds_at_most(parsers: list[Parser], kind: str) -> None:
    text = HOSTILE[kind]
    start = time.process_time()
    for parser, rules in zip(parsers, ("standard", "source"), strict=True):
        parsed = parser.reply(RecordedReply("1", "direct", text), "Major Depressive Disorder")
        steps = parser.steps(parsed)
        score_steps([steps], [["the patient has low mood every day"]], [0], rules=rules)
        scored = parser.bias_reply(RecordedReply("1", "", text), BiasCase("1", "low mood", "Mania"))
        keyword_detector(parser.judge.table)(scored.case, scored.answer, scored.reasoning)
    assert time.process_time() - start < 20
